"""The types of weft.math: DType, precision, and what each operation gives of each pair of types, by tables."""
import itertools
import pickle
import threading
import unittest
import warnings

import numpy as np

from support import optional
from support_math import Case, dtype_name
from weft import math
from weft.math import DType, spatial

INTS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
FLOATS = "float16 bfloat16 float32 float64".split()

# What two integers meet in, in the order of INTS, of which i and u are short.
MEET = """
bool i8  i16 i32 i64 u8  u16 u32 u64
i8   i8  i16 i32 i64 i16 i32 i64 i64
i16  i16 i16 i32 i64 i16 i32 i64 i64
i32  i32 i32 i32 i64 i32 i32 i64 i64
i64  i64 i64 i64 i64 i64 i64 i64 i64
u8   i16 i16 i32 i64 u8  u16 u32 u64
u16  i32 i32 i32 i64 u16 u16 u32 u64
u32  i64 i64 i64 i64 u32 u32 u32 u64
u64  i64 i64 i64 i64 u64 u64 u64 u64
"""
MET = {(a, b): word.replace("u", "uint").replace("i", "int").replace("uintnt", "uint") if word != "bool" else word
       for a, row in zip(INTS, MEET.split("\n")[1:]) for b, word in zip(INTS, row.split())}
NUMBER = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "//": lambda a, b: a // b,
          "%": lambda a, b: a % b, "**": lambda a, b: a ** b}
COMPARE = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b, "<=": lambda a, b: a <= b,
           ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
BITS = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}
CHOICES = {"maximum": math.maximum, "minimum": math.minimum, "where": lambda a, b: math.where(True, a, b),
           "clip": lambda a, b: math.clip(a, b, b)}
ALWAYS_FLOAT = {"/": lambda a, b: a / b, "arctan2": math.arctan2, "hypot": math.hypot, "copysign": math.copysign}
OF_ONE = (
    "sqrt rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh "
    "arccosh arctanh erf erfc".split()
)


def types():
    """Those that NumPy has here."""
    try:
        optional("ml_dtypes")
        return INTS + FLOATS
    except unittest.SkipTest:
        return INTS + [name for name in FLOATS if name != "bfloat16"]


def dtype(name):
    return np.dtype(optional("ml_dtypes").bfloat16 if name == "bfloat16" else name)


def data(name):
    """1, 0, 1 of bool, else 3, 1, 2."""
    return np.array([1, 0, 1] if name == "bool" else [3, 1, 2]).astype(dtype(name))


def tensor(name):
    return math.wrap(data(name), spatial("x"))


class Kinds(Case):
    def test_printed(self):
        for arguments, text, itemsize, precision in [
                ((bool,), "bool8", 1, None), ((int,), "int32", 4, None), ((int, 8), "int8", 1, None),
                ((int, 16), "int16", 2, None), ((int, 64), "int64", 8, None), ((float,), "float32", 4, 32),
                ((float, 16), "float16", 2, 16), ((float, 64), "float64", 8, 64), ((complex,), "complex64", 8, 32),
                ((complex, 128), "complex128", 16, 64)]:
            made = DType(*arguments)
            self.assertEqual(
                (repr(made), made.itemsize, made.bits, made.kind), (text, itemsize, itemsize * 8, arguments[0])
            )
            self.assertEqual(made, pickle.loads(pickle.dumps(made)))
            if precision is not None:
                self.assertEqual((made.precision, DType(arguments[0], precision=precision)), (precision, made))
        self.assertEqual(len({DType(float, 32), DType(float), DType(float, precision=32), DType(float, 64)}), 2)

    def test_errors(self):
        for kind, bits in [(int, 7), (float, 8), (bool, 16), (complex, 32), (float, 128)]:
            self.fails(ValueError, [kind.__name__, str(bits), "bits"], DType, kind, bits)
        self.fails(TypeError, ["str", "bool, int, float or complex"], DType, str)
        self.fails(ValueError, "bits or precision", DType, float, 32, 32)
        self.fails(ValueError, "precision", DType, int, precision=32)
        self.fails(ValueError, "int32", lambda: DType(int).precision)

    def test_unsigned_and_bfloat16(self):
        for name in types():
            t = tensor(name)
            self.assertEqual(t.dtype.name, name)
            self.assertEqual(t.dtype.kind, bool if name == "bool" else int if "int" in name else float)
            self.assertEqual(t.dtype.itemsize, data(name).itemsize)
            self.assertEqual(t.dtype, pickle.loads(pickle.dumps(t.dtype)))
        self.assertNotEqual(tensor("uint8").dtype, DType(int, 8))

    def test_complex(self):
        for wrong in (1j, [1j], np.zeros(2, np.complex64)):
            self.fails(TypeError, "complex", math.wrap, wrong)
        for wrong in (complex, DType(complex), DType(complex, 128), "complex64", (complex, 64)):
            self.fails(TypeError, "complex", math.zeros, dtype=wrong)
            self.fails(TypeError, "complex", math.cast, 1, wrong)
        self.fails(TypeError, "complex", lambda: tensor("int8") + 1j)

    def test_what_stands_for_a_dtype(self):
        for given, name in [
            (DType(int, 16), "int16"),
            (int, "int32"),
            (float, "float32"),
            (bool, "bool"),
            ((int, 8), "int8"),
            ((float, 64), "float64"),
            (None, "float32"),
            (np.uint8, "uint8"),
            ("uint16", "uint16"),
            (np.dtype("f2"), "float16"),
        ]:
            self.assertEqual(math.zeros(dtype=given).dtype.name, name)
        with math.precision(64):
            self.assertEqual((math.zeros(dtype=float).dtype.name, math.ones().dtype.name), ("float64", "float64"))
        self.fails(ValueError, "7", math.zeros, dtype=(int, 7))
        self.fails(TypeError, "str", math.zeros, dtype=str)


class Precision(Case):
    def test_set(self):
        self.assertEqual(math.get_precision(), 32)
        for bits in (16, 64, 32):
            math.set_global_precision(bits)
            self.assertEqual((math.get_precision(), math.wrap(1.5).dtype), (bits, DType(float, bits)))
        for wrong in (8, 24, 128, "64", None, 32.5):
            self.fails(ValueError, ["16, 32 or 64", repr(wrong)], math.set_global_precision, wrong)
            self.fails(ValueError, ["16, 32 or 64", repr(wrong)], math.precision, wrong)

    def test_within(self):
        with math.precision(64):
            with math.precision(16):
                self.assertEqual(math.get_precision(), 16)
            self.assertEqual(math.get_precision(), 64)
        with self.assertRaises(KeyError), math.precision(16):
            raise KeyError
        self.assertEqual(math.get_precision(), 32)

    def test_of_the_thread(self):
        seen = []
        with math.precision(64):
            thread = threading.Thread(target=lambda: seen.append(math.get_precision()))
            thread.start()
            thread.join()
        math.set_global_precision(16)
        thread = threading.Thread(target=lambda: seen.append(math.get_precision()))
        thread.start()
        thread.join()
        self.assertEqual(seen, [32, 16])

    def test_read_when_written(self):
        third = math.wrap(np.array([1.0, 2.0]), spatial("x"))
        with math.precision(64):
            wide = third / 3
        narrow = third / 3
        with math.precision(64):
            self.same(narrow, np.array([1, 2], np.float32) / np.float32(3))
        self.same(wide, np.array([1.0, 2.0]) / 3)
        self.assertEqual((wide.dtype, narrow.dtype), (DType(float, 64), DType(float, 32)))

    def test_numbers_have_the_precision_that_they_were_wrapped_with(self):
        tenth, kept = math.wrap(0.1), math.wrap([0.1], spatial("x"))
        with math.precision(64):
            self.assertEqual(float(math.cast(tenth, float)), float(np.float32(0.1)))
            self.assertEqual(float(tenth + 0), float(np.float32(0.1)))
            self.assertEqual(list(kept * 1), [0.1])
            self.assertEqual(float(math.wrap(0.1)), 0.1)
            self.assertEqual(list(kept + 0.1), [0.2])
        self.assertEqual(float(math.to_float(math.wrap(np.float64(0.1)))), float(np.float32(0.1)))


class Pairs(Case):
    """Every pair of types under every operator: types are those of the tables, values NumPy's in that type."""

    def expected(self, a, b):
        return None if a in FLOATS or b in FLOATS else MET[a, b]

    def test_the_table_itself(self):
        for a, b in itertools.product(INTS, INTS):
            self.assertEqual(MET[a, b], MET[b, a])
            if {a, b} != {"int64", "uint64"} and {a, b} != {"uint64", a if a[0] == "i" else b}:
                self.assertEqual(np.dtype(MET[a, b]), np.promote_types(a, b))

    def check(self, functions, kind_of, value_of=None):
        for bits in (16, 32, 64):
            made = []
            with math.precision(bits):
                for (symbol, function), a, b in itertools.product(functions.items(), types(), types()):
                    t = function(tensor(a), tensor(b))
                    self.assertEqual(t.dtype.name, kind_of(symbol, a, b) or f"float{bits}", (symbol, a, b, bits))
                    made.append((symbol, function, a, b, t))
            if value_of and bits == 32:
                made = [each for each in made if each[0] != "**" or each[-1].dtype.kind is int]
                for at in range(0, len(made), 40):
                    math.evaluate(*[each[-1] for each in made[at:at + 40]])
                for symbol, function, a, b, t in made:
                    value_of(symbol, function, a, b, t)

    def value(self, symbol, function, a, b, t):
        kind = self.expected(a, b) or "float32"
        kind = "int32" if kind == "bool" and symbol in NUMBER and symbol != "*" else kind
        x, y = data(a).astype(kind), data(b).astype(kind)
        if symbol in ("//", "%") and (y == 0).any():
            return
        np.testing.assert_array_equal(t.numpy(), function(x, y), f"{a} {symbol} {b}")

    def test_arithmetic(self):
        def kind(symbol, a, b):
            met = self.expected(a, b)
            return "int32" if met == "bool" and symbol != "*" else met
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 0 as a divisor
            self.check(NUMBER, kind, self.value)

    def test_comparisons(self):
        self.check(COMPARE, lambda symbol, a, b: "bool", self.value)

    def test_choices(self):
        self.check(CHOICES, lambda symbol, a, b: self.expected(a, b))

    def test_floats_always(self):
        self.check(ALWAYS_FLOAT, lambda symbol, a, b: None)

    def test_bits(self):
        self.check({}, None)
        for (symbol, function), a, b in itertools.product(BITS.items(), types(), types()):
            if a in FLOATS or b in FLOATS:
                self.fails(
                    TypeError, [symbol, a if a in FLOATS else b, "math.to_int32"], function, tensor(a), tensor(b)
                )
            else:
                self.assertEqual(function(tensor(a), tensor(b)).dtype.name, MET[a, b])

    def test_bits_of_bool_are_bool(self):
        t, u = math.wrap([True, True, False], "x:s"), math.wrap([True, False, False], "x:s")
        made = [t & u, t | u, t ^ u, ~t, True & t, False | t, True ^ t]
        self.assertEqual({str(each.dtype) for each in made}, {"bool8"})
        self.assertEqual([list(each) for each in made], [
            [True, False, False], [True, True, False], [False, True, False], [False, False, True], [True, True, False],
            [True, True, False], [False, False, True]])

    def test_numbers_are_tensors_of_rank_0(self):
        for name in types():
            t = tensor(name)
            met = self.expected(name, "int32")
            self.assertEqual((t + 1).dtype.name, met or "float32")
            self.assertEqual((1 + t).dtype.name, met or "float32")
            self.assertEqual((t + 2**40).dtype.name, self.expected(name, "int64") or "float32")
            self.assertEqual((t + 1.0).dtype.name, "float32")
            self.assertEqual((t * True).dtype.name, self.expected(name, "bool") or "float32")
            self.assertEqual((t + np.int8(1)).dtype.name, (self.expected(name, "int8") or "float32"))
            self.assertEqual((t + np.float64(1)).dtype.name, "float32")
            self.assertEqual((t + [1, 2, 3]).dtype.name, self.expected(name, "int64") or "float32")
            self.assertEqual((t + [1.0, 2.0, 3.0]).dtype.name, "float32")
            self.assertEqual((t + np.ones(3, np.float16)).dtype.name, "float32")

    def test_powers_of_floats(self):
        for name in ("float16", "float32", "float64", "uint8"):
            self.same(tensor(name) ** 0.5, np.float32([3, 1, 2]) ** np.float32(0.5), tolerance=1e-6)

    def test_operands_are_converted_first(self):
        big = 2**24 + 1
        t = math.wrap(np.array([big]), spatial("x"))
        self.assertEqual(list(t - float(big - 1)), [0.0], "both are float32")
        self.assertEqual(list(t == float(big - 1)), [True])
        self.assertEqual(list(t == big - 1), [False], "integers by value")
        with math.precision(64):
            self.assertEqual(list(t - float(big - 1)), [1.0])
            self.assertEqual(list(t == float(big - 1)), [False])

    def test_integers_compare_by_value(self):
        t = math.wrap(np.array([2**64 - 1, 1], np.uint64), spatial("x"))
        self.assertEqual(list(t > -1), [True, True])
        self.assertEqual(list(math.wrap(np.array([-1, 1], np.int8), spatial("x")) < t), [True, False])


class One(Case):
    """Types of functions of one operand."""

    def test_float_functions(self):
        for name in types():
            for bits in (16, 32, 64):
                with math.precision(bits):
                    for function in OF_ONE:
                        self.assertEqual(getattr(math, function)(tensor(name)).dtype, DType(float, bits))

    def test_kept(self):
        for name in types():
            for function in ("floor", "ceil", "round", "trunc", "abs", "sign"):
                t = getattr(math, function)(tensor(name))
                self.assertEqual(t.dtype.name, name)
                self.assertEqual(
                    list(t), list(np.sign(data(name).astype(int))) if function == "sign" else list(tensor(name))
                )
            for function in ("min", "max", "finite_min", "finite_max"):
                t = getattr(math, function)(tensor(name))
                self.assertEqual(t.dtype.name, name)
                self.assertEqual(float(t), getattr(data(name).astype(float), function[-3:])())

    def test_tests(self):
        for name in types():
            for function in (math.isfinite, math.isnan, math.isinf):
                self.assertEqual(str(function(tensor(name)).dtype), "bool8")
                self.assertEqual(list(function(tensor(name))), [function is math.isfinite] * 3)

    def test_sums_and_means(self):
        for name in types():
            whole = {"b": "int64", "i": "int64", "u": "uint64"}.get(name[0]) if name in INTS else name
            for bits in (16, 32, 64):
                with math.precision(bits):
                    for function in (math.sum, math.prod, math.finite_sum, math.finite_prod):
                        self.assertEqual(function(tensor(name)).dtype.name, whole)
                    for function in (math.mean, math.std, math.finite_mean, math.finite_std):
                        t = function(tensor(name))
                        self.assertEqual(t.dtype.name, name if name in FLOATS else f"float{bits}")
            self.assertEqual(float(math.sum(tensor(name))), data(name).astype(float).sum())
            self.assertEqual(float(math.finite_prod(tensor(name))), data(name).astype(float).prod())
            self.assertAlmostEqual(float(math.mean(tensor(name))), data(name).astype(float).mean(), 2)
            self.assertAlmostEqual(float(math.finite_std(tensor(name))), data(name).astype(float).std(), 2)
            self.assertEqual([str(f(tensor(name)).dtype) for f in (math.any, math.all)], ["bool8"] * 2)

    def test_no_remarks_of_means(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for bits in (16, 32, 64):
                with math.precision(bits):
                    for name in INTS:
                        self.assertGreater(float(math.mean(tensor(name))) * float(math.std(tensor(name))), 0)

    def test_bool_and_minus(self):
        t = tensor("bool")
        self.fails(TypeError, ["bool", "~t", "math.to_int32(t)"], lambda: -t)
        self.assertEqual(list(-math.to_int32(t)), [-1, 0, -1])
        for name in FLOATS[2:]:
            self.fails(TypeError, ["~", name], lambda: ~tensor(name))
        self.assertEqual(list(-tensor("uint8")), [253, 255, 254])
        self.assertEqual((-tensor("float16")).dtype, DType(float, 16))

    def test_negative_exponents(self):
        for name in INTS[1:]:
            self.fails(ValueError, ["-1", "math.to_float"], lambda: tensor(name) ** -1)
        self.same(math.to_float(tensor("int8")) ** -1, np.float32([3, 1, 2]) ** np.float32(-1), tolerance=1e-6)
        self.same(tensor("float64") ** -1, np.float32([1 / 3, 1, 0.5]), tolerance=1e-6)
        self.assertEqual(list(2 ** tensor("int32")), [8, 2, 4])

    def test_stack_and_concat(self):
        for a, b in itertools.product(types(), types()):
            kind = a if a == b else MET[a, b] if a in INTS and b in INTS else \
                (a if b in INTS else b) if a in INTS or b in INTS else \
                "float32" if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOATS.index)
            self.assertEqual(math.stack([tensor(a), tensor(b)], math.batch("b")).dtype.name, kind)
            self.assertEqual(math.concat([tensor(a), tensor(b)], "x").dtype.name, kind)


class Casts(Case):
    def test_floats_to_integers_are_truncated(self):
        values = np.array([1.7, -1.7, 0.5, 300.5, -300.5, 1e30, -1e30, np.inf, -np.inf, np.nan])
        t = math.wrap(values, spatial("x"))
        for name in INTS[1:]:
            info = np.iinfo(name)
            expected = [
                0
                if value != value
                else max(
                    info.min,
                    min(info.max, int(np.trunc(value)) if abs(value) < 1e29 else (2**70 if value > 0 else -(2**70))),
                )
                for value in values
            ]
            self.assertEqual(list(math.cast(t, name)), expected, name)
            self.assertEqual(list(math.cast(t * 1, name)), expected, name)
        for value, expected in zip(values, [1, -1, 0, 300, -300, 2**31 - 1, -2**31, 2**31 - 1, -2**31, 0]):
            self.assertEqual(int(math.cast(float(value), int)), expected)

    def test_integers_wrap(self):
        for a, b in itertools.product(INTS[1:], INTS[1:]):
            array = np.array([np.iinfo(a).min, np.iinfo(a).max, 0, 1, 100]).astype(a) if a != "uint64" else \
                np.array([2**64 - 1, 2**63, 0, 1, 100], np.uint64)
            self.assertEqual(list(math.cast(math.wrap(array, spatial("x")), b)), list(array.astype(b)), (a, b))
        self.assertEqual([int(math.cast(300, (int, 8))), int(math.cast(-1, "uint8")), int(math.cast(2**40 + 5, int))],
                         [44, 255, 5])

    def test_others(self):
        t = math.wrap(np.array([0.0, -0.0, 0.5, np.nan]), spatial("x"))
        self.assertEqual(list(math.cast(t, bool)), [False, False, True, True])
        self.assertEqual(list(math.cast(tensor("bool"), float)), [1.0, 0.0, 1.0])
        self.assertEqual(list(math.to_float(tensor("int8"))), [3.0, 1.0, 2.0])
        with math.precision(64):
            self.assertEqual(math.to_float(tensor("int8")).dtype, DType(float, 64))
        self.assertEqual([str(f(t).dtype) for f in (math.to_int32, math.to_int64, math.to_int)],
                         ["int32", "int64", "int32"])
        self.assertEqual([str(math.to_int(t, bits).dtype) for bits in (8, 16, 32, 64)],
                         ["int8", "int16", "int32", "int64"])
        self.assertEqual(math.to_int(t, bits=16).dtype, DType(int, 16))
        self.fails(ValueError, ["8, 16, 32 or 64", "7"], math.to_int, t, 7)
        self.assertIs(type(math.cast(t, t.dtype)), math.Tensor)

    def test_creation(self):
        for data_, name in [
            ([1, 2], "int64"),
            (1, "int32"),
            (2**31, "int64"),
            (2**63, "uint64"),
            (-(2**31), "int32"),
            (-(2**31) - 1, "int64"),
            ([1.0], "float64"),
            (1.0, "float32"),
            ([True], "bool"),
            (True, "bool"),
            ([1, 2.5], "float64"),
            ([True, 2], "int64"),
            (np.float16(1), "float16"),
            (np.ones(2, np.float32), "float32"),
            (np.uint8(3), "uint8"),
            ((1, 2), "int64"),
        ]:
            self.assertEqual(math.wrap(data_).dtype.name, name, data_)
            self.assertEqual(math.tensor(data_).dtype.name, name, data_)
        self.fails(ValueError, [str(2**64), "float"], math.wrap, 2**64)
        self.assertEqual(dtype_name(math.wrap([1.0]).numpy()), "float64")


if __name__ == "__main__":
    unittest.main()
