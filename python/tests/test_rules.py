"""rules=numpy (section 14) beside NumPy 2 itself: every row, every pair of the thirteen types, arrays, numbers and
literals. Dtypes are equal; values are equal where the row is exact, else within its bound. What differs is listed."""

import itertools
import math
import pathlib
import re
import unittest
import warnings

import numpy
import support
import weft

NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64", "bfloat16")
FLOATS = {"float16": 2.0 ** -9, "bfloat16": 2.0 ** -6, "float32": 2.0 ** -21, "float64": 2.0 ** -50}


def in_floats(function):
    """A function that NumPy lacks, in the type in which hypot of its operands is computed."""
    def computed(*operands):
        dtype = numpy.exp(operands[0]).dtype if len(operands) == 1 else numpy.hypot(*operands[:2]).dtype
        if len(operands) == 3:
            dtype = numpy.hypot(numpy.hypot(*operands[:2]), operands[2]).dtype
        wide = [numpy.asarray(operand, dtype).astype(numpy.float64) for operand in operands]
        return numpy.asarray(function(*wide)).astype(dtype)
    return computed


def truncated(a, b):
    dtype = numpy.fmod(a, b).dtype
    if dtype.kind in "iu":
        whole = [[int(value) for value in numpy.broadcast_to(operand, numpy.shape(a))] for operand in (a, b)]
        return numpy.array([0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
                            for x, y in zip(*whole)], object).astype(dtype)
    return numpy.trunc(numpy.asarray(a, dtype) / numpy.asarray(b, dtype))


# (how it is written here, NumPy's function): rows of two operands, of one, of three
PAIRS = {
    "a + b": numpy.add, "a - b": numpy.subtract, "a * b": numpy.multiply, "a / b": numpy.divide,
    "a // b": numpy.floor_divide, "a % b": numpy.remainder, "fmod(a, b)": numpy.fmod, "a ** b": numpy.power,
    "a & b": numpy.bitwise_and, "a | b": numpy.bitwise_or, "a ^ b": numpy.bitwise_xor, "a << b": numpy.left_shift,
    "a >> b": numpy.right_shift, "min(a, b)": numpy.minimum, "max(a, b)": numpy.maximum, "a == b": numpy.equal,
    "a != b": numpy.not_equal, "a < b": numpy.less, "a <= b": numpy.less_equal, "a > b": numpy.greater,
    "a >= b": numpy.greater_equal, "a and b": numpy.logical_and, "a or b": numpy.logical_or,
    "atan2(a, b)": numpy.arctan2, "hypot(a, b)": numpy.hypot, "copysign(a, b)": numpy.copysign,
    "where(a > 1, a, b)": lambda a, b: numpy.where(a > 1, a, b), "nextafter(a, b)": numpy.nextafter,
    "truncdiv(a, b)": truncated, "fpow(a, b)": in_floats(numpy.power), "isclose(a, b)": numpy.isclose,
    "clamp(a, b, 5)": lambda a, b: numpy.minimum(numpy.maximum(a, b), 5),
    "lerp(a, b, a)": in_floats(lambda a, b: a + (b - a) * a),
    "fma(a, b, a)": in_floats(lambda a, b: a * b + a),
    "vecdot(a, b)": lambda a, b: products(a, b, wide_of(numpy.multiply(a, b).dtype)),
    "concat(a, b)": lambda a, b: numpy.concatenate((a, b)),
}
# Of arrays alone
OF_ARRAYS = ("vecdot(a, b)", "concat(a, b)")
SINGLES = {
    "-a": numpy.negative, "~a": numpy.invert, "not a": numpy.logical_not, "abs(a)": numpy.absolute,
    "sign(a)": numpy.sign, "floor(a)": numpy.floor, "ceil(a)": numpy.ceil, "trunc(a)": numpy.trunc,
    "round(a)": numpy.round, "fabs(a)": numpy.fabs, "isnan(a)": numpy.isnan, "isinf(a)": numpy.isinf,
    "isfinite(a)": numpy.isfinite, "square(a)": numpy.square, "deg2rad(a)": numpy.deg2rad, "+a": lambda a: a,
    "rad2deg(a)": numpy.rad2deg, "signbit(a)": numpy.signbit, "rsqrt(a)": in_floats(lambda a: 1 / numpy.sqrt(a)),
    "erf(a)": in_floats(numpy.vectorize(math.erf)), "erfc(a)": in_floats(numpy.vectorize(math.erfc)),
    **{f"{name}(a)": getattr(numpy, name) for name in
       "sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh "
       "arctanh".split()},
}
REDUCTIONS = {name: getattr(numpy, name) for name in
              "sum prod mean std var min max any all argmin argmax count_nonzero".split()}



def products(a, b, dtype):
    return numpy.sum(numpy.multiply(numpy.asarray(a, dtype), numpy.asarray(b, dtype)), dtype=dtype)


def wide_of(dtype):
    """That of sums."""
    return dtype if dtype.kind not in "biu" else numpy.uint64 if dtype.kind == "u" else numpy.int64


# Numbers that are an error here by rule 2.4.
ZERO_DIVISORS = ("a // b", "a % b", "fmod(a, b)", "truncdiv(a, b)")

# Rows whose first operand stays an array: divisors would be 0, or the text has it twice.
ONE_SIDED = (*ZERO_DIVISORS, "clamp(a, b, 5)", "lerp(a, b, a)", "fma(a, b, a)")

# What rules 14.2 and 14.3 make of bfloat16 with others, where ml_dtypes has another type or refuses: promoted, and in
# functions. Reals of Python are "float".
WITH_BFLOAT16 = {**dict.fromkeys(("bool", "int8", "uint8"), ("bfloat16", "float32")),
                 **dict.fromkeys(("int16", "uint16", "float16"), ("float32", "float32")),
                 **dict.fromkeys(("int32", "int64", "uint32", "uint64"), ("float64", "float64")),
                 "float": ("bfloat16", "bfloat16"), "bfloat16": ("bfloat16", "bfloat16")}


def values(name):
    if name == "bool":
        return numpy.array([False, True, True, False, True, False])
    if name == "bfloat16":
        import ml_dtypes
        name = ml_dtypes.bfloat16
    if str(name).startswith("u"):
        return numpy.array([0, 1, 3, 5, numpy.iinfo(name).max, 2], name)
    if str(name).startswith("int"):
        return numpy.array([0, 1, -3, 5, numpy.iinfo(name).max, numpy.iinfo(name).min], name)
    return numpy.array([-0.0, 1, -3, 5, math.nan, math.inf], name)


def powers(text, exponents):
    """Exponents that NumPy takes for integers."""
    return exponents & 7 if text == "a ** b" and exponents.dtype.kind == "i" else exponents


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
    """All of it each time: libtcc makes the kernels in no time, where it is there."""

    def setUp(self):
        super().setUp()
        warnings.simplefilter("ignore")
        support.optional("ml_dtypes")
        context = weft.Context(cc="libtcc", cache="")
        try:
            weft.evaluate("x * 2 + 1", x=numpy.ones(1), context=context)
        except weft.Error:
            context = weft.default_context()
        used = weft.use(context)
        used.__enter__()
        self.addCleanup(used.__exit__, None, None, None)

    def test_every_row_is_met(self):
        """Of those of grammar/ops.def that a text can name, where the sources are."""
        path = pathlib.Path(__file__).parents[2] / "grammar/ops.def"
        if not path.exists():
            self.skipTest("without the sources")
        rows = re.findall(r'^OP\((?!.*INTERNAL)\w+, "([^"]+)", (\w+)', path.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertGreater(len(rows), 70)
        texts = " ".join([*PAIRS, *SINGLES]) + " "
        for names, form in rows:
            spelled = [rf"\b{name}\b" if name[0].isalpha() else re.escape(name) for name in names.split()]
            self.assertTrue(any(re.search(name, texts) for name in spelled), names)

    def compare(self, text, function, operands, names, form="array"):
        expected = numpys(function, *operands.values())
        shown = text
        if form == "literal":
            weak = next(name for name, value in operands.items() if isinstance(value, (bool, int, float)))
            shown = re.sub(rf"\b{weak}\b", repr(operands[weak]), text)
            operands = {name: value for name, value in operands.items() if name != weak}
        found = wefts(shown, **operands)
        what = f"{shown} of {', '.join(names)} ({form})"
        if "bfloat16" in names and self.is_ours(found, expected, names):
            return
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
    def is_ours(found, expected, names):
        """Whether the dtype is ours, and NumPy with ml_dtypes has no or another one."""
        other = names[-1] if names[0] == "bfloat16" else names[0]
        same = not isinstance(expected, Exception) and getattr(found, "dtype", None) == expected.dtype
        return not same and not isinstance(found, Exception) and found.dtype.name in WITH_BFLOAT16.get(other, ())

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
                self.compare(text, function, {"a": values(a), "b": powers(text, right)}, (a, b))
        self.run_rows(PAIRS, each)

    def test_what_differs(self):
        self.assertEqual(list(weft.evaluate("+a", a=values("bool"), rules="numpy")), list(values("bool")))
        wide = values("int64")  # NumPy adds them in float64
        self.assertEqual(weft.evaluate("mean(wide)", rules="numpy"), sum(map(int, wide)) / len(wide))
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

    def test_values_with_names(self):
        """Tensors of weft.math and DataArrays, whose programs are made apart."""
        from weft import math as tensors
        t = tensors.tensor(numpy.array([1, 2, 3]), tensors.spatial("x"))
        self.assertEqual(weft.evaluate("t / 2", rules="numpy").native("x").dtype, numpy.float64)
        self.assertEqual(weft.evaluate("t / 2").native("x").dtype, numpy.float32)
        xarray = support.optional("xarray")
        u = xarray.DataArray(numpy.array([1, 2, 3]), dims="x")
        self.assertEqual(weft.evaluate("u / 2", rules="numpy").dtype, numpy.float64)

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
        found = weft.evaluate("where(x > 0, 1.1, 0.9) * x", rules="numpy")
        numpy.testing.assert_array_equal(found, numpy.where(x > 0, 1.1, 0.9) * x)
        with self.assertWarnsRegex(weft.Remark, r"1.1 is rounded to float32 here.*write float64\(1.1\)"):
            weft.evaluate("where(x > 0, 1.1, 0.9) * x", rules="dali", context=weft.Context(cache="", cc="libtcc"))
        followed = weft.evaluate("where(x > 0, float64(1.1), 0.9) * x", rules="dali")
        numpy.testing.assert_array_equal(followed, found)

    def test_wrapping_is_told(self):
        a, b = numpy.uint8([200, 40]), numpy.uint8([180, 60])
        context = weft.Context(cache="", cc="libtcc")
        for call in (lambda text: weft.evaluate(text, context=context, a=a, b=b),
                     lambda text: weft.compile(text, context=context)(a, b)):
            with self.assertWarnsRegex(weft.Remark, r"a \+ b is uint8 and wraps beyond 255 before '/' uses it.*int32"):
                self.assertEqual(list(call("(a + b) / 2")), [62, 50])
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(list(call("(int32(a) + b) / 2")), [190, 50])
                self.assertEqual(list(call("wrap(a + b, uint8) / 2")), [62, 50])

    def test_extremes_of_nothing(self):
        """Of bool, too, they are an error, as in NumPy; any and all are none."""
        for shape, axis in ((0,), None), ((0, 3), 0), ((2, 0), 1):
            b = numpy.zeros(shape, bool)
            where = "" if axis is None else f", axes={axis}"
            for name in "min", "max":
                self.assertRaises(ValueError, getattr(numpy, name), b, axis)
                with self.assertRaisesRegex(weft.Error, f"W0292.*{name} of no elements"):
                    weft.evaluate(f"{name}(b{where})", b=b, rules="numpy")
            for name in "any", "all":
                numpy.testing.assert_array_equal(weft.evaluate(f"{name}(b{where})", b=b, rules="numpy"),
                                                 getattr(numpy, name)(b, axis))
        empty = weft.evaluate("max(b, axes=1)", b=numpy.zeros((0, 3), bool), rules="numpy")  # none is asked for
        self.assertEqual((empty.shape, empty.dtype), ((0,), bool))

    def test_numbers(self):
        def each(text, function):
            for a, b in itertools.product(NAMES, (2, 2.5, True, 0, 1)):
                if type(b) is int and b == 0 and text in ZERO_DIVISORS:
                    continue
                self.compare(text, function, {"a": values(a), "b": b}, (a, type(b).__name__), "number")
                if text not in ONE_SIDED:
                    operands = {"a": b, "b": powers(text, values(a))}
                    self.compare(text, function, operands, (a, type(b).__name__), "number")
        self.run_rows(PAIRS, each)

    def test_literals(self):
        def each(text, function):
            for a, b in itertools.product(NAMES, (2, 2.5, True, 1)):
                self.compare(text, function, {"a": values(a), "b": b}, (a, type(b).__name__), "literal")
                if text not in ONE_SIDED:
                    operands = {"a": b, "b": powers(text, values(a))}
                    self.compare(text, function, operands, (a, type(b).__name__), "literal")
        self.run_rows(PAIRS, each)

    def test_singles(self):
        def each(text, function):
            for a in NAMES:
                self.compare(text, function, {"a": values(a)}, (a,))
        self.run_rows(SINGLES, each)

    def test_reductions(self):
        def each(name, function):
            for a in NAMES:
                few = values(a)[:4] if name in ("mean", "std", "var") else values(a)  # of which NumPy's sums are exact
                self.compare(f"{name}(a)", function, {"a": few}, (a,))
                self.compare(f"{name}(a, axis=0)", lambda x: function(x, axis=0), {"a": few}, (a,))
        self.run_rows(REDUCTIONS, each)


if __name__ == "__main__":
    unittest.main()
