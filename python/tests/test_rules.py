"""rules=numpy (section 14) beside NumPy 2 itself: every row, every pair of the thirteen types, arrays, numbers and
literals. Dtypes are equal; values are equal where the row is exact, else within its bound. What differs is listed."""

import itertools
import unittest
import warnings

import numpy
import weft

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64")
FLOATS = {"float16": 2.0 ** -10, "float32": 2.0 ** -22, "float64": 2.0 ** -51}

# (how it is written here, NumPy's function): rows of two operands, of one, of three
PAIRS = {
    "a + b": numpy.add, "a - b": numpy.subtract, "a * b": numpy.multiply, "a / b": numpy.divide,
    "a // b": numpy.floor_divide, "a % b": numpy.remainder, "fmod(a, b)": numpy.fmod, "a ** b": numpy.power,
    "a & b": numpy.bitwise_and, "a | b": numpy.bitwise_or, "a ^ b": numpy.bitwise_xor, "a << b": numpy.left_shift,
    "a >> b": numpy.right_shift, "min(a, b)": numpy.minimum, "max(a, b)": numpy.maximum, "a == b": numpy.equal,
    "a != b": numpy.not_equal, "a < b": numpy.less, "a <= b": numpy.less_equal, "a > b": numpy.greater,
    "a >= b": numpy.greater_equal, "a and b": numpy.logical_and, "a or b": numpy.logical_or,
    "atan2(a, b)": numpy.arctan2, "hypot(a, b)": numpy.hypot, "copysign(a, b)": numpy.copysign,
    "where(a > 1, a, b)": lambda a, b: numpy.where(a > 1, a, b),
}
SINGLES = {
    "-a": numpy.negative, "~a": numpy.invert, "not a": numpy.logical_not, "abs(a)": numpy.absolute,
    "sign(a)": numpy.sign, "floor(a)": numpy.floor, "ceil(a)": numpy.ceil, "trunc(a)": numpy.trunc,
    "round(a)": numpy.round, "fabs(a)": numpy.fabs, "isnan(a)": numpy.isnan, "isinf(a)": numpy.isinf,
    "isfinite(a)": numpy.isfinite, **{f"{name}(a)": getattr(numpy, name) for name in
                                      "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin "
                                      "arccos arctan arcsinh arccosh arctanh".split()},
}
REDUCTIONS = {name: getattr(numpy, name) for name in
              "sum prod mean std var min max any all argmin argmax count_nonzero".split()}

# Numbers that are an error here by rule 2.4.
ZERO_DIVISORS = ("a // b", "a % b", "fmod(a, b)")


def values(name):
    if name == "bool":
        return numpy.array([False, True, True, False])
    return numpy.array([0, 1, 3, 5], name) if name.startswith("u") else numpy.array([0, 1, -3, 5], name)


def numpys(function, *operands):
    """NumPy's result, or its refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return numpy.asarray(function(*operands))
    except (TypeError, ValueError, OverflowError) as refusal:
        return refusal


def wefts(text, **operands):
    try:
        return numpy.asarray(weft.evaluate(text, operands, rules="numpy"))
    except weft.Error as refusal:
        return refusal


@unittest.skipIf(int(numpy.__version__.split(".")[0]) < 2, "needs NumPy 2, whose promotion is NEP 50")
class Rules(unittest.TestCase):
    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")

    def compare(self, text, function, operands, names, form="array"):
        expected = numpys(function, *operands.values())
        shown = text
        if form == "literal":
            shown = text.replace("b", repr(operands["b"]))
            operands = {"a": operands["a"]}
        found = wefts(shown, **operands)
        what = f"{shown} of {', '.join(names)} ({form})"
        if isinstance(expected, Exception) or isinstance(found, Exception):
            if isinstance(expected, Exception) != isinstance(found, Exception):
                self.differences.setdefault(text, []).append(f"{what}: {found!r:.90} against {expected!r:.90}")
            return
        if found.dtype != expected.dtype:
            self.differences.setdefault(text, []).append(f"{what}: {found.dtype}, NumPy has {expected.dtype}")
        elif not self.near(found, expected):
            self.differences.setdefault(text, []).append(f"{what}: {found}, NumPy has {expected}")
        self.count += 1

    @staticmethod
    def near(found, expected):
        if found.dtype.name not in FLOATS:
            return numpy.array_equal(found, expected)
        bound = FLOATS[found.dtype.name]
        return numpy.allclose(found, expected, rtol=bound, atol=0, equal_nan=True)

    def finish(self):
        if self.differences:
            lines = [line for lines in self.differences.values() for line in lines]
            self.fail(f"{len(lines)} of {self.count} differ:\n" + "\n".join(lines[:60]))

    def run_rows(self, rows, each):
        self.differences, self.count = {}, 0
        for text, function in rows.items():
            each(text, function)
        self.finish()

    def test_pairs_of_arrays(self):
        def each(text, function):
            for a, b in itertools.product(NAMES, NAMES):
                right = values(b)[::-1].copy() if b != "bool" else values(b)
                right = numpy.abs(right) if text == "a ** b" else right
                self.compare(text, function, {"a": values(a), "b": right}, (a, b))
        self.run_rows(PAIRS, each)

    def test_what_differs(self):
        a, b = numpy.int32([2, 3]), numpy.int32([-1, 2])
        self.assertEqual(list(weft.evaluate("a ** b", rules="numpy")), [0, 9])  # NumPy refuses a negative element
        for text in ("a ** -1", "a // 0", "where(a > 0, a, 2**40)", "max(a, 2**31)"):
            self.assertRaises(weft.Error, weft.evaluate, text, rules="numpy")
        self.assertEqual(weft.evaluate("uint8(a * 200)", rules="numpy")[0], 255)  # casts saturate

    def test_where_rules_are_named(self):
        x = numpy.uint8([200])
        self.assertEqual(weft.evaluate("x + 100").dtype, numpy.int32)
        self.assertEqual(weft.evaluate("x + 100", rules="numpy").dtype, numpy.uint8)
        self.assertEqual(weft.evaluate("x + 100", rules="dali").dtype, numpy.int32)
        self.assertEqual(weft.evaluate("rules numpy; x + 100").dtype, numpy.uint8)
        self.assertEqual(weft.compile("x + 100", rules="numpy")(x=x).dtype, numpy.uint8)
        with weft.use(weft.Context(rules="numpy")):
            self.assertEqual(weft.evaluate("x + 100").dtype, numpy.uint8)
            self.assertEqual(weft.evaluate("x + 100", rules="dali").dtype, numpy.int32)
        for call in (lambda: weft.evaluate("x", rules="torch"), lambda: weft.Context(rules="torch"),
                     lambda: weft.evaluate("rules dali; x", rules="numpy")):
            self.assertRaises(weft.Error, call)

    def test_the_double_is_kept(self):
        x = numpy.linspace(0.1, 3, 50)
        mu, s, k = 0.3, 1.7, 0.25
        for rules in ("dali", "numpy"):
            for text, expected in (("log(x) / log(2)", numpy.log(x) / numpy.log(2)),
                                   ("exp(-(x - mu) ** 2 / (2 * s ** 2)) / (s * sqrt(2 * pi))",
                                    numpy.exp(-(x - mu) ** 2 / (2 * s ** 2)) / (s * numpy.sqrt(2 * numpy.pi))),
                                   ("max(k, 0.1) * x", max(k, 0.1) * x), ("x * 2 ** 0.5", x * 2 ** 0.5)):
                found = weft.evaluate(text, rules=rules)
                self.assertLess(numpy.max(numpy.abs(found - expected) / numpy.spacing(numpy.abs(expected))), 4, text)

    def test_numbers(self):
        def each(text, function):
            for a, b in itertools.product(NAMES, (2, 2.5, True, 0, 1)):
                if type(b) is int and b == 0 and text in ZERO_DIVISORS:
                    continue
                self.compare(text, function, {"a": values(a), "b": b}, (a, type(b).__name__), "number")
        self.run_rows(PAIRS, each)

    def test_literals(self):
        def each(text, function):
            for a, b in itertools.product(NAMES, (2, 2.5, True, 1)):
                self.compare(text, function, {"a": values(a), "b": b}, (a, type(b).__name__), "literal")
        self.run_rows(PAIRS, each)

    def test_singles(self):
        def each(text, function):
            for a in NAMES:
                self.compare(text, function, {"a": values(a)}, (a,))
        self.run_rows(SINGLES, each)

    def test_reductions(self):
        def each(name, function):
            for a in NAMES:
                self.compare(f"{name}(a)", function, {"a": values(a)}, (a,))
                self.compare(f"{name}(a, axis=0)", lambda x: function(x, axis=0), {"a": values(a)}, (a,))
        self.run_rows(REDUCTIONS, each)


if __name__ == "__main__":
    unittest.main()
