"""evaluate, compile, numbers, several results, batches, kernels, contexts."""
import copy
import enum
import gc
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import warnings

import numpy as np

import support
import weft

a = np.float32([1, 2, 3])  # a global, for evaluate


class Evaluate(unittest.TestCase):
    def test_names_from_the_frame(self):
        b = np.float32([10, 20, 30])
        np.testing.assert_array_equal(weft.evaluate("2*a + 3*b"), 2 * a + 3 * b)

    def test_locals_hide_globals(self):
        a = np.float32([5])
        np.testing.assert_array_equal(weft.evaluate("a + 0"), a)

    def test_given_names_hide_both(self):
        np.testing.assert_array_equal(weft.evaluate("a + b", a=np.int32(1), b=np.int32(2)), 3)

    def test_no_builtins(self):
        for name in ("max", "len", "__name__x"):
            with self.assertRaisesRegex(weft.Error, f"input '{name}' is not given"):
                weft.evaluate(f"{name} + 1")

    def test_constants_and_bound_names_are_not_looked_up(self):
        pi, t = "no array", "no array"
        self.assertAlmostEqual(float(weft.evaluate("float64(pi)")), np.pi)
        np.testing.assert_array_equal(weft.evaluate("t = a * 2; t + 1"), a * 2 + 1)
        self.assertTrue(pi and t)

    def test_names_like_options(self):
        x = np.arange(3.0)
        np.testing.assert_array_equal(weft.evaluate("out + math", {"out": x, "math": x}), x + x)
        f = weft.compile("out + math")
        np.testing.assert_array_equal(f(x, x), x + x)
        np.testing.assert_array_equal(f({"out": x, "math": x}), x + x)

    def test_results_and_options(self):
        x = np.arange(3.0)
        r = weft.evaluate("t = x * 2; t + 1", x=x, results=["t"])
        self.assertEqual(set(r.names), {"t", "out"})
        np.testing.assert_array_equal(r.t, x * 2)
        np.testing.assert_array_equal(weft.evaluate("x * 2", x=x, unused=x, ignore_unused=True), x * 2)
        self.assertEqual(weft.evaluate("x * 2", x=x, math="fast")[2], 4)

    def test_names_that_are_not_interned(self):
        x = np.arange(3.0)
        named = {"".join(["in", "put"]): x, "".join(["o", "ut"]): np.empty(3)}
        self.assertIs(weft.evaluate("input + 1", **named), named["out"])
        self.assertIs(weft.compile("input + 1")(**named), named["out"])


class Compile(unittest.TestCase):
    def test_positions_and_names(self):
        f = weft.compile("a*x + b")
        self.assertEqual((f.inputs, f.results), (("a", "x", "b"), ("out",)))
        x, b = support.inputs()
        for result in (f(2.0, x, b), f(a=2.0, x=x, b=b), f(2.0, b=b, x=x), f(*[2.0, x], **{"b": b})):
            np.testing.assert_array_equal(result, 2 * x + b)

    def test_shapes_and_dtypes_may_change(self):
        f = weft.compile("x + y")
        for shape in ((2,), (3, 2), (1, 3, 2), (2,), (5, 1), (0, 2), (7, 2)):
            for dtype in (np.float32, np.int16):
                x, y = np.ones(shape, dtype), np.arange(2, dtype=dtype)
                np.testing.assert_array_equal(f(x, y), x + y)

    def test_shape_from_data(self):
        """Inputs whose elements say the shape: the same dtypes and shapes do not mean the same result."""
        f = weft.compile("reshape(x, s)")
        x = np.arange(6)
        for shape in ([2, 3], [3, 2], [6, 1], [1, 6]):
            self.assertEqual(f(x, np.array(shape)).shape, tuple(shape))

    def test_many_inputs_and_results(self):
        names = [f"x{i}" for i in range(40)]
        f = weft.compile("return " + ", ".join(f"{name} + {i}" for i, name in enumerate(names)))
        r = f(*[np.float64(i) for i in range(40)])
        self.assertEqual([float(v) for v in r], [2.0 * i for i in range(40)])

    def test_kernels(self):
        text = "kernel twice(x: float32[n]) { return x * 2 }\nkernel half(x: float32[n]) { return x / 2 }"
        self.assertEqual(weft.kernels(text), ["twice", "half"])
        np.testing.assert_array_equal(weft.compile(text, kernel="half")(a), a / 2)

    def test_infer_source_html(self):
        f = weft.compile("a < b")
        self.assertEqual(f.infer(a="float32[n]", b=np.ones((3, 1))), {"out": "bool[3, n]"})
        self.assertIn("weft_kernel", f.source(a="int8[3]", b="int8[3]"))
        page = f.html(a="int8[3]", b="int8[3]")
        self.assertIn("a &lt; b", page)
        self.assertIn("bool[3]", page)
        self.assertIn("weft_kernel", page)
        self.assertIn("a &lt; b", f._repr_html_())
        self.assertNotIn("weft_kernel", f._repr_html_())
        f(2, np.ones((4, 1), np.int8))
        self.assertIn("bool[4, 1]", f._repr_html_())
        self.assertIn("weft_kernel", f._repr_html_())

    def test_prepare(self):
        origins = [kernel[0] for kernel in weft.compile("x * 3 + 1").prepare(np.arange(5.0))]
        self.assertTrue(origins and set(origins) <= {"memory", "disk", "compiler", "libtcc"})


class Numbers(unittest.TestCase):
    def test_dtypes(self):
        f32, f64, i8 = np.float32([1, 2]), np.float64([1, 2]), np.int8([1, 2])
        for x, k, dtype in ((f32, 0.1, "f4"), (f64, 0.1, "f8"), (f32, 3, "f4"), (i8, 3, "i4"), (i8, 2**40, "i8"),
                            (i8, 0.5, "f4"), (i8, True, "i1"), (np.uint64([1]), 2**63, "u8"), (f64, -1, "f8")):
            with self.subTest(dtype=x.dtype, k=k):
                self.assertEqual(weft.evaluate("x + k", x=x, k=k).dtype, np.dtype(dtype))

    def test_full_value(self):
        x = np.arange(5.0)
        np.testing.assert_array_equal(weft.evaluate("x * k", x=x, k=0.1), x * 0.1)
        np.testing.assert_array_equal(weft.evaluate("x * (k / 3)", x=x, k=0.1), x * (0.1 / 3))
        np.testing.assert_array_equal(weft.evaluate("x * k", x=np.float32(x), k=0.1), np.float32(x) * np.float32(0.1))
        for k in (5e-324, 1.7976931348623157e308, float("inf"), -0.0, 2.0**-1074 * 3, 1e22, 1e23):
            self.assertEqual(weft.evaluate("float64(1) * x * k", x=np.float64(1), k=k), k)
        self.assertTrue(np.isnan(weft.evaluate("x * k", x=np.float64(1), k=float("nan"))))
        for k in (-2**63, 2**63 - 1, 2**31, -2**31):
            self.assertEqual(weft.evaluate("x + k", x=np.int64(0), k=k), k)

    def test_alone(self):
        self.assertEqual(weft.evaluate("k + 1", k=2).dtype, np.int32)
        self.assertIs(type(weft.evaluate("k + 1", k=2)), np.ndarray)

    def test_numpy_scalars_are_arrays(self):
        self.assertEqual(weft.evaluate("x + k", x=np.float32([1]), k=np.float64(0.1)).dtype, np.float64)

    def test_subclasses(self):
        """A subclass of a Python number is one, unless it is an array, as np.float64 is, which is a float as well."""
        class Metres(float):
            pass

        class Level(enum.IntEnum):
            LOW, HIGH = 1, 2**40

        class Flags(enum.IntFlag):
            A = 4

        class Reading(float):
            __array_struct__ = property(lambda self: np.float64(2.5).__array_struct__)

        f32 = np.float32([1, 2])
        for k, dtype in ((Metres(0.1), "f4"), (Level.LOW, "f4"), (Flags.A, "f4"), (np.float64(0.1), "f8"),
                         (Reading(0), "f8"), (np.bool_(True), "f4"), (np.longlong(3), "f4")):
            with self.subTest(k=k):
                out = weft.evaluate("x * k", x=f32, k=k)
                self.assertEqual(out.dtype, np.dtype(dtype))
                value = np.array(2.5 if type(k) is Reading else k, dtype)
                np.testing.assert_array_equal(out, f32.astype(dtype) * value)
        self.assertEqual(weft.evaluate("x + k", x=np.int8(1), k=Level.HIGH), 2**40 + 1)
        self.assertEqual(weft.compile("x * k").infer(x="float32", k=Metres(1)), {"out": "float32"})

    def test_declared(self):
        f = weft.compile("input k: uint8\nk + k")
        self.assertEqual((f(3).dtype, int(f(300))), (np.uint8, 254))

    def test_declared_values(self):
        """What a call converts itself, and what the library does, is what a cast in the text gives."""
        values = [0, -0.0, 0.1, 2.5, 3.5, -7, 16777217, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**53 + 1, 2**63 - 1,
                  -2**63, 2**63, 2**64 - 1, 1e30, 1e300, -1e300, 1e-46, float("nan"), float("inf"), True, False]
        for dtype in ("bool", "int8", "int32", "int64", "uint32", "uint64", "float16", "float32", "float64"):
            declared = weft.compile(f"input k: {dtype}\nk")
            beside = weft.compile("x & k" if dtype == "bool" else "x * k", types={"k": f"{dtype}[]"})
            for value in values:
                with self.subTest(dtype=dtype, value=value):
                    expected = weft.evaluate(f"{dtype}(k)", k=value)
                    self.assertEqual(declared(value).dtype, expected.dtype)
                    self.assertEqual(declared(value).tobytes(), expected.tobytes())
                    np.testing.assert_array_equal(beside(np.ones(2, dtype), value), expected)

    def test_before_declarations(self):
        f = weft.compile("input x: float32[n]\n# k is a number\nx * k")
        np.testing.assert_array_equal(f(a, 2), a * 2)

    def test_no_new_kernel(self):
        context = support.one_tier()
        f, x = weft.compile("x * k + j", context=context), np.arange(5.0)
        origins = [f.prepare(x, k, j)[0][0] for k, j in ((0.1, 1), (0.2, 5), (1e300, 7))]
        self.assertNotEqual(origins[0], "memory")
        self.assertEqual(origins[1:], ["memory", "memory"])

    def test_more_values_than_are_kept(self):
        f, x = weft.compile("x * k"), np.arange(3.0)
        for k in list(range(40)) * 2:
            np.testing.assert_array_equal(f(x, float(k)), x * k)


    def test_one_kernel_whatever_the_kinds(self):
        f = weft.compile("x * k")
        for k, dtype in ((2, "i4"), (2**40, "i8"), (0.5, "f4"), (True, "i4"), (3, "i4")):
            with self.subTest(k=k):
                out = f(x=np.int32([1, 2]), k=k)
                self.assertEqual(out.dtype, np.dtype(dtype))
                np.testing.assert_array_equal(out, np.array([1, 2]) * k)

    def test_declared_number(self):
        f = weft.compile("input k: number\nx * k")
        self.assertEqual(f(x=np.float64(3), k=0.1), 3 * 0.1)
        with self.assertRaisesRegex(weft.Error, "'k' is a number"):
            f(x=np.float64(3), k=np.float32(0.1))
        with self.assertRaisesRegex(weft.Error, "'k' is a number"):
            f(x=np.float64(3), k=np.float64([0.1]))

    def test_array_literals(self):
        x = np.arange(3.0)
        for k in (0.1, 0.7):
            np.testing.assert_array_equal(weft.evaluate("x * [k, 1, 2 * k]", x=x, k=k), x * [k, 1, 2 * k])


class Sizes(unittest.TestCase):
    """Rule 1.10: positions and extents that come with the call."""

    def test_numbers_and_tensors(self):
        x = np.arange(40).reshape(5, 8)
        for y, h in ((0, 2), (3, 9), (-2, 1), (4, -3), (-9, 7)):
            for kind in (int, np.int8, np.int64, lambda v: np.array(v, np.int16)):
                out = weft.evaluate("x[y:y + h, ::-1]", x=x, y=kind(y), h=kind(h))
                np.testing.assert_array_equal(out, x[y:y + h, ::-1])

    def test_no_new_kernel(self):
        context = support.one_tier()
        f, x = weft.compile("x[y:y + h, k:k + 5] * 2", context=context), np.arange(400.0).reshape(20, 20)
        origins = [f.prepare(x=x, y=y, h=h, k=k)[0][0] for y, h, k in ((1, 7, 2), (3, 4, 0), (0, 9, 14), (5, 2, 1))]
        self.assertNotEqual(origins[0], "memory")
        self.assertEqual(origins[1:], ["memory"] * 3)

    def test_batches(self):
        x = [np.arange(n * 3).reshape(n, 3) for n in (4, 2, 5)]
        k = [np.int32(1), np.int32(-1), np.int32(3)]
        for out, one, at in zip(weft.evaluate("x[k:] + extent(x, 0)", x=x, k=k), x, k):
            np.testing.assert_array_equal(out, one[at:] + len(one))
        with self.assertRaisesRegex(weft.Error, "sample 2: item 1 of the selection, index 3, is out of range"):
            weft.evaluate("x[k]", x=[one[:3] for one in x], k=k)

    def test_nothing_is_written(self):
        x, out = np.arange(4.0), np.full(3, 7.0)
        f = weft.compile("x[k] + y")
        with self.assertRaisesRegex(weft.Error, "out of range"):
            f(x=x, k=4, y=np.ones(3), out=out)
        np.testing.assert_array_equal(out, np.full(3, 7.0))

    def test_an_extent_is_not_read(self):
        x = np.arange(3.0)
        out = weft.evaluate("y + extent(x, 0)", x=x, y=x, out=x)  # in place: x is read at no other element
        np.testing.assert_array_equal(out, [3, 4, 5])


class Results(unittest.TestCase):
    def test_tuple_with_names(self):
        x, y = support.inputs()
        r = weft.evaluate("return s = x + y, d = x - y, count = 1")
        self.assertIsInstance(r, tuple)
        np.testing.assert_array_equal(r[0], x + y)
        np.testing.assert_array_equal(r["d"], x - y)
        np.testing.assert_array_equal(r.d, x - y)
        self.assertTrue(callable(r.count))  # a tuple's own names come first
        self.assertEqual(int(r["count"]), 1)
        with self.assertRaisesRegex(AttributeError, "there is no result 'e'; there are s, d, count"):
            r.e
        with self.assertRaisesRegex(KeyError, "there are s, d, count"):
            r["q"]
        with self.assertRaises(AttributeError):
            r.q

    def test_out(self):
        x = np.arange(3.0)
        out = np.empty(3), np.empty(3)
        r = weft.evaluate("return x + 1, x + 2", x=x, out=out)
        self.assertIs(r[0], out[0])
        self.assertIs(r[1], out[1])
        np.testing.assert_array_equal(out, [x + 1, x + 2])
        with self.assertRaisesRegex(weft.Error, "a tuple of 2 arrays"):
            weft.evaluate("return x + 1, x + 2", x=x, out=out[0])


class Batches(unittest.TestCase):
    def test_unlike_shapes(self):
        xs = [np.full((n, 2), n, np.float32) for n in range(5)]
        for batch in (xs, tuple(xs)):
            result = weft.evaluate("x * g", x=batch, g=np.float32([1, 2]))
            self.assertIs(type(result), list)
            for y, x in zip(result, xs, strict=True):
                np.testing.assert_array_equal(y, x * np.float32([1, 2]))

    def test_several_results(self):
        r = weft.evaluate("return x + 1, g * 2", x=[np.ones(2), np.ones(3)], g=np.ones(1))
        self.assertEqual([y.shape for y in r[0]], [(2,), (3,)])
        self.assertEqual(r[1].shape, (1,))

    def test_out(self):
        xs, out = [np.ones(2), np.ones(3)], [np.empty(2), np.empty(3)]
        self.assertIs(weft.evaluate("x + k", x=xs, k=1, out=out), out)
        np.testing.assert_array_equal(out[1], [2, 2, 2])

    def test_empty(self):
        self.assertEqual(weft.evaluate("input x: float32[?]\nx + 1", x=[]), [])

    def test_refused(self):
        for x, message in (([1, np.ones(2)], "the int is no array"), ([np.ones(2), np.ones(2, "f4")], "sample 1"),
                           ([np.ones(2), np.ones((2, 2))], "sample 1"), ([[np.ones(2)]], "the list is no array")):
            with self.assertRaisesRegex(weft.Error, message):
                weft.evaluate("x + 1", x=x)


class Contexts(unittest.TestCase):
    def test_use(self):
        context = weft.Context(threads=1)
        with weft.use(context) as used:
            self.assertIs(used, context)
            self.assertIs(weft.compile("x").context, context)
        self.assertIs(weft.compile("x").context, weft.default_context())

    def test_closed(self):
        context = weft.Context()
        f = weft.compile("x + 1", context=context)
        f(a)
        self.assertFalse(context.closed)
        context.close()
        context.close()
        self.assertTrue(context.closed)
        for call in (lambda: f(a), lambda: weft.evaluate("x + 1", x=a, context=context), lambda: f.infer(x="int8"),
                     lambda: f.prepare(a), lambda: weft.compile("x", context=context), context.status):
            with self.assertRaisesRegex(weft.Error, "the context is closed"):
                call()

    def test_bad_arguments(self):
        for named, message in (({"target": "gpu"}, "target is 'gpu'"), ({"tier": "slow"}, "tier is 'slow'")):
            with self.assertRaisesRegex(weft.Error, message):
                weft.Context(**named)
        with self.assertRaisesRegex(weft.Error, "weft.Context"):
            weft.evaluate("1", context=3)

    def test_wrong_when_written(self):
        with self.assertRaisesRegex(weft.Error, "cc is 'nocc', and there is no such program"):
            weft.Context(cc="nocc")
        with self.assertRaisesRegex(weft.Error, r"weft.use\(weft.Context\(\)\), and not 4"):
            weft.use(4)
        try:
            weft.Context(target="cuda").close()
        except weft.Error as error:  # without a GPU
            self.assertRegex(str(error), "CUDA driver .*; on a machine with|sees no GPU|NVRTC")
        for f in (lambda: weft.evaluate("x", {"\ud800": a, "x": a}), lambda: weft.compile("x")(**{"\ud800": a, "x": a}),
                  lambda: weft.evaluate("x", x=a, types={"\ud800": "(a)"})):
            with self.assertRaisesRegex(weft.Error, "characters that are no Unicode"):
                f()

    def test_pickled(self):
        """A Program and a Context are what they were made of."""
        x = np.arange(3, dtype=np.int64)
        own = weft.Context(threads=1, rules="numpy")
        for f in (weft.compile("t = a * x; t + 1", results=["t", "out"]), weft.compile("x / 2", context=own),
                  weft.compile("x / 2", rules="numpy", ignore_unused=True), weft.compile("u", types={"u": "int64(y)"}),
                  weft.compile("kernel f(x: int64[n]) { return r = x } kernel g(x: int64[n]) { return r = x * 2 }",
                               kernel="g")):
            for again in (pickle.loads(pickle.dumps(f)), copy.deepcopy(f)):
                self.assertEqual((again.text, again.inputs, again.results), (f.text, f.inputs, f.results))
                self.assertEqual(again.context is f.context, f.context is weft.default_context())
                given = {name: x for name in f.inputs}
                self.assertEqual(pickle.dumps(again(**given)), pickle.dumps(f(**given)))

    def test_libtcc_alone(self):
        context = weft.Context(cc="libtcc", cache="")
        np.testing.assert_array_equal(weft.evaluate("x * 2", x=a, context=context), a * 2)


class Remarks(unittest.TestCase):
    def told(self, call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [str(one.message).partition("; ")[2].partition("\n")[0] for one in caught]

    def test_digits(self):
        """int64 in float32 is told for each program, with the advice once a process; filters know the number."""
        code = textwrap.dedent("""
            import warnings, numpy, weft
            i = numpy.arange(3)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for text in "i / 2", "i / 3", "mean(i)", "i % 9 / 2", "i / 2":
                    weft.evaluate(text)
                warnings.filterwarnings("ignore", r".*\\[W0310\\]")
                weft.evaluate("i / 5"), weft.evaluate("i // i")
            for one in caught:
                print(str(one.message).replace("\\n", "|"))
            """)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        told = "%s: warning[W0310]: i is int64 and is rounded to float32 here, whose fraction has 24 bits"
        self.assertEqual(done.stdout.splitlines()[:3], [
            told % "<expr>:1:3" + '; write float64(i) to keep its digits, or take rules="numpy"|i / 2|~ ^',
            told % "<expr>:1:3", told % "<expr>:1:1"])
        self.assertIn("divided by zero", done.stdout.splitlines()[3])
        self.assertEqual(len(done.stdout.splitlines()), 4, done.stdout)

    def test_a_call_that_fails(self):
        """What is to be told of it comes with it, not with the next call, which may be another program's."""
        small, one = np.uint8([200, 40]), np.zeros(3, np.float32)
        for make in (lambda text: lambda x: weft.evaluate(text, small=small, x=x),
                     lambda text: (lambda f: lambda x: f(small=small, x=x))(weft.compile(text))):
            call = make("(small + small) / 2 + x")
            with self.assertWarnsRegex(weft.Remark, "W0312"), self.assertRaisesRegex(weft.Error, "W0060"):
                call(one)
            self.assertEqual(self.told(lambda: weft.evaluate("x * 3", x=one)), [])
            self.assertEqual(self.told(lambda: call(one[:2])), [])
        with warnings.catch_warnings(), self.assertRaisesRegex(weft.Error, "W0060"):
            warnings.simplefilter("error")
            weft.evaluate("(small + small) / 3 + x", small=small, x=one)
        self.assertEqual(self.told(lambda: weft.evaluate("x * 5", x=one)), [])

    def test_channels(self):
        """Neighbours along what looks like channels are told once a program, by the shapes of its calls."""
        picture, volume = np.zeros((6, 7, 3), np.float32), np.zeros((3, 6, 7), np.float32)
        write = "write axes=[0, 1] if it holds channels, axes=[1, 2] if not"
        kernel = np.ones((3, 3), np.float32)
        self.assertEqual(self.told(lambda: weft.evaluate("correlate(img, k)", img=picture, k=kernel)), [write])
        self.assertEqual(self.told(lambda: weft.evaluate("offset(img, [0, 1], 1)", img=[picture] * 2)), [write])
        f = weft.compile('offset(img, [1, 1], "edge")')
        for img, expected in (volume, []), (picture[:, :, :1], [write]), (picture, []), (picture[:, :, 0], []):
            self.assertEqual(self.told(lambda: f(img)), expected)
        self.assertEqual(self.told(lambda: weft.compile("offset(u, [1, 1])", types={"u": "float32[h, w, 3]"})(picture)),
                         [write])
        self.assertEqual(self.told(lambda: weft.evaluate("offset(u, [1, 1], 2, axes=[0, 1])", u=picture)), [])

    def test_division_by_zero(self):
        with self.assertWarnsRegex(weft.Remark, "divided by zero") as caught:
            result = weft.evaluate("x // y", x=np.int32([4, 5]), y=np.int32([2, 0]))
        np.testing.assert_array_equal(result, [2, 0])
        self.assertTrue(issubclass(weft.Remark, RuntimeWarning))
        self.assertEqual(caught.filename, __file__)

    def test_position_outside(self):
        x = np.float32([4, 5, 6])
        with self.assertWarnsRegex(weft.Remark, "a position lies outside"):
            result = weft.evaluate("take(x, i)", x=x, i=np.int64([2, 3, -1]))
        np.testing.assert_array_equal(result, np.float32([6, 0, 6]))
        rows = np.arange(12, dtype=np.uint8).reshape(4, 3)
        np.testing.assert_array_equal(weft.evaluate("take(x, i, axis=1)", x=rows, i=np.int16([2, 0])),
                                      np.take(rows, [2, 0], axis=1))

    def test_positions_of_whole_rows(self):
        rng = np.random.default_rng(5)
        for columns in 1, 63, 64, 65, 200, 256:
            wide = rng.integers(0, 1000, (30, columns)).astype(np.int32)
            near = np.arange(columns)
            near[columns // 2:] = near[columns // 2:][::-1] # the first and the last are as far apart as in a run
            for x in wide, wide[:, ::-1], np.asfortranarray(wide), wide[::2, ::-2]:
                i = rng.integers(-len(x), len(x), 40)
                np.testing.assert_array_equal(weft.evaluate("take(x, i)", x=x, i=i), np.take(x, i, axis=0))
                order = rng.permutation(x.shape[1])
                for p in order, np.arange(x.shape[1]), near[near < x.shape[1]]:
                    np.testing.assert_array_equal(weft.evaluate("take(x, p, axis=1) + 1", x=x, p=p), x[:, p] + 1)

    def test_warnings_of_a_text(self):
        """Once for a text, however often it is compiled again for numbers; at the line that called the package."""
        for call in (lambda: weft.compile("unused = x + 1; x * k")(a, 2),
                     lambda: weft.evaluate("unused = x + 2; x * k", x=a, k=2),
                     lambda: weft.compile("unused = x + 3; x * k").infer(x="int8", k=2)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
                call()
            self.assertLessEqual(len(caught), 2)
            self.assertEqual({(one.category, one.filename) for one in caught}, {(weft.Remark, __file__)})
            self.assertIn("warning[W0030]: 'unused' is never used\nunused = x", str(caught[0].message))

    def test_warning_of_a_text_as_an_exception(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(2):
                with self.assertRaisesRegex(weft.Remark, "never used"):
                    weft.evaluate("unused = x + 4; x", x=a)
        with self.assertRaisesRegex(weft.Error, "no function 'clmap'"), warnings.catch_warnings():
            warnings.simplefilter("error")
            weft.compile("unused = x; clmap(x)")
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # nothing is left of the texts before
            weft.evaluate("x + 1", x=a)

    def test_compiler_that_fails(self):
        """libtcc's kernel stays. The compiler fails in the background, and the end of the context says so at the
        latest; it may also end a compiler that is still at work."""
        with tempfile.TemporaryDirectory() as folder:
            compiler = pathlib.Path(folder, "cc")
            compiler.write_text("#!/bin/sh\necho broken >&2; exit 1\n", encoding="utf-8")
            compiler.chmod(0o755)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                waits = [5, 1, 0.1, 0]
                while waits and not caught:
                    context = weft.Context(cc=str(compiler), cache="")
                    np.testing.assert_array_equal(weft.evaluate("x * 3", x=a, context=context), a * 3)
                    time.sleep(waits.pop())
                    del context
                    gc.collect()
            self.assertRegex(str(caught[0].message), "W0096.*libtcc(.|\n)*broken")

    def test_notes(self):
        """They go to logging, if it is used."""
        code = ("import sys, numpy as np, weft; {}; print(weft.evaluate('x + 1', x=np.int8([1, 2])).tolist())\n"
                "print('logging' in sys.modules)")
        environment = dict(os.environ, WEFT_CACHE="", WEFT_DEBUG="types")
        for before, used in (("pass", False), ("import logging; logging.basicConfig(level='INFO')", True)):
            done = subprocess.run([sys.executable, "-c", code.format(before)], env=environment, capture_output=True,
                                  text=True)
            self.assertEqual(done.stdout, f"[2, 3]\n{used}\n")
            self.assertIs("input x: int8" in done.stderr, used, done.stderr)

    def test_as_an_exception(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(weft.Remark):
                weft.evaluate("x // y", x=np.int32([4]), y=np.int32([0]))


class Import(unittest.TestCase):
    def test_without_a_compiler(self):
        """libtcc makes the kernels, and one remark of the process says so; none where libtcc was asked for."""
        code = ("import numpy as np, weft\n"
                "for text in 'sin(x) * 2', 'cos(x) * 2':\n"
                "    print(weft.compile(text).prepare(np.ones(3))[0][0])")
        environment = dict(os.environ, WEFT_CACHE="", PATH="/nowhere")
        for compiler, told in (None, 1), ("libtcc", 0):
            environment.pop("WEFT_CC", None)
            if compiler:
                environment["WEFT_CC"] = compiler
            done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            self.assertEqual((done.stdout, done.stderr.count("Remark: ")), ("libtcc\nlibtcc\n", told))
            self.assertEqual(done.stderr.count("cannot start the C compiler 'cc'"), told)

    def test_first_call(self):
        """Of a new process: libtcc's kernel answers while the C compiler, which waits for the answer, still works."""
        code = ("import numpy as np, weft, os, sys; print(*weft.evaluate('x * 2 + 1', x=np.ones(3)))\n"
                "open(sys.argv[1], 'w').close(); weft.default_context().close()")
        with tempfile.TemporaryDirectory() as place:
            compiler, answered = os.path.join(place, "cc"), os.path.join(place, "answered")
            with open(compiler, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\nwhile ! [ -e {answered} ]; do sleep 0.01; done\nexec cc \"$@\"\n")
            os.chmod(compiler, 0o755)
            environment = dict(os.environ, WEFT_CACHE="", WEFT_CC=compiler)
            done = subprocess.run([sys.executable, "-c", code, answered], env=environment, capture_output=True,
                                  text=True, timeout=300)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("3.0 3.0 3.0\n", "", 0))


if __name__ == "__main__":
    unittest.main()
