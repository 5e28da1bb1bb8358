"""Bad input gets a weft.Error that says what and where; nothing is evaluated, nothing written, nothing leaked."""
import ctypes
import decimal
import io
import pathlib
import pickle
import re
import unittest
import warnings

import numpy as np

import weft


class Fields(unittest.TestCase):
    def caught(self, *args, **named):
        with self.assertRaises(weft.Error) as caught:
            weft.evaluate(*args, **named)
        self.assertIsInstance(caught.exception, ValueError)
        return caught.exception

    def test_fields(self):
        error = self.caught("x = 1\ny = x + clmap(x)")
        self.assertEqual((error.code, error.status, error.span), ("W0020", weft.Status.NAME_ERROR, (14, 19)))
        self.assertEqual((error.line, error.column), (2, 9))
        self.assertTrue(error.message.startswith("there is no function 'clmap'"))
        self.assertEqual(str(error).splitlines()[1:], ["y = x + clmap(x)", "        ^^^^^"])

    def test_all_errors(self):
        error = self.caught("x + clmap(1)\nz = sqart(2)")
        self.assertGreaterEqual(len(error.errors), 2)
        self.assertIs(error.errors[0], error)
        for one in error.errors:
            self.assertIn(one.message, str(error))

    def test_pickle(self):
        error = self.caught("clmap(1)")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(again), again.code, again.span), (str(error), error.code, error.span))

    def test_number(self):
        """The place of a number's error is where the text uses it, not where the package put the number."""
        error = self.caught("(x +\n k)", x=np.int64([1]), k=2**63)
        self.assertEqual((error.line, str(error).splitlines()[1]), (2, " k)"))
        error = self.caught("x * clamp(x, k, 1e39)", x=np.int32([1]), k=1.0)
        self.assertEqual(error.span, (16, 20))
        error = self.caught("j + x * k", x=np.int32([1]), j=2, k=1e39)
        self.assertIn("1e+39", error.message)
        self.assertEqual(error.line, 1)
        self.assertEqual(str(error).splitlines()[1], "j + x * k")

    def test_broadcast(self):
        error = self.caught("a * b", a=np.ones((2, 3)), b=np.ones(2))
        self.assertEqual(error.status, weft.Status.SHAPE_ERROR)
        self.assertIn("cannot broadcast b [2] against a [2, 3]", str(error))


class Options(unittest.TestCase):
    def test_stream(self):
        f, out = weft.compile("x + 1"), np.zeros(1, np.int32)
        for stream in ("abc", 1.5, 2**70, -1):
            with self.assertRaisesRegex(weft.Error, "stream is .*cudaStream_t"):
                f(np.int32([1]), out=out, stream=stream)
        self.assertEqual(out[0], 0)

    def test_kernel(self):
        for kernel in (3, "\ud800"):
            with self.assertRaisesRegex(weft.Error, "kernel is .*name of a kernel"):
                weft.compile("x + 1", kernel=kernel)

    def test_numbers_of_infer(self):
        with self.assertRaisesRegex(weft.Error, "fits neither int64 nor uint64"):
            weft.compile("x + 1").infer(x=2**70)
        self.assertEqual(weft.compile("input x: float32\nx + 1").infer(x=2.0), {"out": "float32[]"})

    def test_cut_inside_a_character(self):
        for name in ("x", "xx"):
            with self.assertRaisesRegex(weft.Error, "integer"):
                weft.evaluate(f"({name} + # {'é' * 40}\n {name}) << 2", {name: np.float32([1])})


class Refused(unittest.TestCase):
    def refuse(self, message, text, *args, **named):
        with self.assertRaisesRegex(weft.Error, message):
            weft.evaluate(text, *args, **named)

    def test_dtypes(self):
        for values in (np.array([object()]), np.array(["a"]), np.array([b"a"]), np.array([1j]), np.array([1], "c8"),
                       np.array(["2020-01-01"], "M8[D]"), np.array([1], "m8[s]"), np.array([1], np.longdouble),
                       np.zeros(1, "V2"), np.zeros(1, [("a", "f4")])):
            self.refuse("input 'x': its dtype, .* is none of Weft's", "x + 1", x=values)
            self.refuse("output 'out': its dtype, .* is none of Weft's", "x + 1", x=np.ones(1), out=values)

    def test_no_arrays(self):
        for value in (object(), None, "abc", {1: 2}, 1j, int, len, np, decimal.Decimal(1)):
            self.refuse("input 'x': the .* is no array( and no number; give|; a file is read)", "x + 1", x=value)
            self.refuse("no input 'y'; its input is x; ", "x + 1", x=1, y=value)
            self.refuse("output 'out': the .* is no array$", "x + 1", x=1, out=value) if value is not None else None
        self.refuse("a list is a batch of arrays, for one array write numpy.array", "x + 1", x=[1, "a"])
        released = memoryview(b"abc")
        released.release()
        self.refuse("the memoryview is no array: operation forbidden", "x + 1", x=released)

    def test_no_text(self):
        for call in (weft.evaluate, lambda: weft.evaluate(text="a", a=1)):
            with self.assertRaisesRegex(weft.Error, "evaluate takes a text"):
                call()

    def test_masked(self):
        """The mask would be lost."""
        for one in (np.ma.array([1.0, 2.0], mask=[0, 1]), np.ma.array([1.0])):
            self.refuse("input 'x': a masked array would lose its mask; give x.filled", "x + 1", x=one)
            self.refuse("output 'out': a masked array", "x + 1", x=1, out=one)

    def test_integers_without_a_type(self):
        for value in (2**64, -2**63 - 1, 10**5000):
            self.refuse("fits neither int64 nor uint64", "x + 1", x=value)

    def test_outputs(self):
        x = np.ones(4)
        kept = np.zeros(8)
        self.refuse("expected float64", "x + 1", x=x, out=np.zeros(4, np.float32))
        self.refuse("has shape \\[3\\], expected \\[4\\]", "x + 1", x=x, out=kept[:3])
        self.refuse("read-only", "x + 1", x=x, out=np.broadcast_to(kept[0], (4,)))
        self.refuse("overlap", "x + 1", x=x, out=np.lib.stride_tricks.as_strided(kept, (4,), (0,)))
        self.refuse("overlap", "x + 1", x=kept[1:5], out=kept[:4])
        self.refuse("overlap", "return x + 1, x + 2", x=x, out=(kept[:4], kept[2:6]))
        self.refuse("the int is no array", "x + 1", x=x, out=3)
        self.refuse("a scalar of NumPy is no place for a result; give numpy.empty", "sum(x)", x=x, out=np.float64(0))
        self.refuse("'y': a scalar of NumPy", "return y = sum(x), z = x", x=x, out=(np.float64(0), kept[:4]))
        self.assertFalse(kept.any())

    def test_unknown_names(self):
        """The place, the nearest name, and where it was looked for; what is advised is done."""
        near, outer = np.ones(1), np.ones(1)

        def inner():
            return weft.evaluate("2 * outer")

        def followed():
            return weft.evaluate("2 * outer", outer=outer)
        with self.assertRaises(weft.Error) as caught:
            weft.evaluate("1 + naer * nowhere")
        first, second = caught.exception.errors
        self.assertEqual((first.code, first.span, second.span), ("W0075", (4, 8), (11, 18)))
        self.assertIn("not given, and there is no such variable in test_unknown_names or its module; did you mean "
                      "'near'?\n1 + naer * nowhere\n    ^^^^\n", str(caught.exception))
        with self.assertRaises(weft.Error) as caught:
            weft.evaluate("1 + npp + wefts")  # modules, which are no values
        self.assertNotIn("did you mean", str(caught.exception))
        with self.assertRaisesRegex(weft.Error, r"if 'q' is a dimension, write max.u, axes=q.\n"):
            weft.evaluate("max(u, q) + 1", u=np.ones((2, 3)), types={"u": "(y, q)"})
        with self.assertRaisesRegex(weft.Error, "it is a variable of test_unknown_names, around inner, which does not "
                                                r"use it otherwise: write evaluate\(.., outer=outer\)"):
            inner()
        self.assertEqual((followed()[0], weft.evaluate("1 + near")[0]), (2, 2))

    def test_constants(self):
        for name, then in ("NaN", "nan"), ("Pi", "pi"), ("e", "exp(1)"):
            self.refuse(f"if the constant is meant, write {re.escape(then)}", f"{name} * 2")
            weft.evaluate(f"{then} * 2")
        self.refuse(r"write nan, or isnan\(x\) for x == None", "u == None", u=np.ones(2))

    def test_types(self):
        f = weft.compile("x * 2")
        for wrong in ("float32", (3,)), np.float32, None:
            with self.assertRaisesRegex(weft.Error, r"is no type; .*'float32\[\]' for a single number"):
                f.infer(x=wrong)
        with self.assertRaisesRegex(weft.Error, r"as in x=float32\[480, 640, 3\], or x=float32\[\] for a single"):
            f.source("c", x="float32")
        self.assertIn("x", f.source("c", x="float32[]"))

    def test_output_dtype(self):
        x, out = np.ones(4), np.zeros(4, np.uint8)
        self.refuse(r"output 'out' is uint8, expected float64; write uint8\(...\)", "x * 2", x=x, out=out)
        self.assertEqual(list(weft.evaluate("uint8(x * 2)", x=x, out=out)), [2] * 4)

    def test_division_by_zero_is_told_with_the_text(self):
        with self.assertWarnsRegex(weft.Remark, r"where\(step != 0, count % step, 0\) says so"):
            weft.evaluate("count % step", count=np.int32([3]), step=np.int32([0]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            weft.evaluate("where(step != 0, count % step, 0)", count=np.int32([3]), step=np.int32([0]))

    def test_names(self):
        self.refuse("input 'nowhere' is not given", "nowhere + 1")
        self.refuse("no input 'y'.*", "x + 1", x=np.ones(1), y=np.ones(1))
        self.refuse("no input 'y'", "x + 1", x=np.ones(1), y=2)
        self.refuse("no input 'y'; its input is x; .*ignore_unused=True$", "x + 1", x=1, y=2**70)
        self.refuse("input 'x': the integer fits neither", "x + y", {"x": 2**70, "z": 1})
        with self.assertRaisesRegex(weft.Error, "given twice|no input"):
            weft.compile("x + 1")(np.ones(1), x=np.ones(1))
        with self.assertRaisesRegex(weft.Error, "2 inputs are given, the program has 1"):
            weft.compile("x + 1")(np.ones(1), np.ones(1))
        with self.assertRaisesRegex(weft.Error, "'y' is not given"):
            weft.compile("x + y")(x=np.ones(1))
        with self.assertRaisesRegex(weft.Error, "no str"):
            weft.evaluate("x + 1", {1: np.ones(1)})

    def test_names_of_what_is_asked(self):
        f, spare = weft.compile("a * x + b"), weft.compile("a * x + b", ignore_unused=True)
        for ask in (f.infer, f.html, f.prepare, f.trace, f, lambda **q: f.source("c", **q)):
            for value in 1, "float32[3]":
                with self.assertRaisesRegex(weft.Error, "no input 'q'; its inputs are a, x, b; evaluate and compile "):
                    ask(q=value)
        with self.assertRaisesRegex(weft.Error, "no input 'gian'; its text says 'gain'; evaluate"):
            weft.compile("x * gain").infer(gian=1)
        types = {"a": 1.5, "x": "float32[3]", "b": 2}
        self.assertEqual(spare.infer(**types, q=1, r="float32[2]"), f.infer(**types))
        self.refuse("no input 'q'; it has none; evaluate", "1 + 2", q=1)
        self.refuse("its inputs are " + ", ".join("abcdefgh") + r", \.\.;", "+".join("abcdefghi"), q=1)

    def test_names_of_files(self):
        for call in weft.compile, weft.evaluate, weft.kernels:
            for text, write in (("f.weft", r"weft.compile\(open\('f.weft'\).read\(\)\)$"),
                                ("../a b/f-1.weft", r"open\('../a b/f-1.weft'\).read\(\)\)$"),
                                ("/tmp/f.weft:blur", r"open\('/tmp/f.weft'\).read\(\), kernel='blur'\)$")):
                with self.assertRaisesRegex(weft.Error, "the text is the name of a file; write .*" + write):
                    call(text)
            for file in pathlib.Path("f.weft"), io.StringIO("1"):
                with self.assertRaisesRegex(weft.Error, r"has to be a str, what the file holds, as open\(..\).read"):
                    call(file)
        two = "kernel f(x: int32[n]) { return x } kernel g(x: int32[n]) { return -x }"
        with self.assertRaisesRegex(weft.Error, r"name one: f, g; as in weft.compile\(text, kernel='..'\)"):
            weft.compile(two)
        self.assertEqual(weft.evaluate("f.weft[0]", f=np.ones((2, 3)), types={"f": "(weft:s, x)"}).shape, (3,))

    def test_reaching_python(self):
        for text in ("x.__class__", "__import__('os')", "open('/etc/passwd')", "x.real", "(lambda: 1)()", "[].append",
                     "x[0].__init__", "eval('1')", "exec('1')", "f'{x}'", "x; import os", "__builtins__", "globals()",
                     "weft.evaluate('1')", "x if True else exit()"):
            self.refuse(".", text, x=np.ones(3))

    def test_texts(self):
        self.refuse("has to be a str", b"1 + 1")
        self.refuse("has to be a str", None)
        self.refuse("NUL", "1\0 + 1")
        self.refuse("no Unicode", "1 + '\ud800'")
        self.refuse("W00", "1 + é")
        self.refuse("W00", "")
        self.refuse("W00", "1 + " * 500_000 + "1")
        self.refuse("W00", "(" * 100_000)

    def test_options(self):
        self.refuse("math is 'quick'", "1", math="quick")
        self.refuse("math is", "1", math=3)
        self.refuse("list of names", "1", results=[3])
        self.refuse("results is of type str; it has to be a list of names", "t = 1; t + 1", results="t")
        self.refuse("results is of type int; it has to be a list of names", "1", results=3)
        self.refuse("'q'", "1", results=["q"])
        self.refuse("dict", "1", [1])
        self.refuse("by position", "1", {}, 2)
        with self.assertRaisesRegex(weft.Error, "no stage 'd'"):
            weft.compile("1").source("d")

    def test_rank(self):
        if np.lib.NumpyVersion(np.__version__) < "2.0.0":
            self.skipTest("NumPy before 2 has at most 32 dimensions itself")
        self.refuse("32|33", "x + 1", x=np.ones((1,) * 33))

    def test_descriptions_that_lack_a_part(self):
        """A rank without a shape or strides, as __array_struct__ and as DLPack."""
        pointer = ctypes.POINTER(ctypes.c_ssize_t)

        class Interface(ctypes.Structure):
            _fields_ = [("two", ctypes.c_int), ("rank", ctypes.c_int), ("kind", ctypes.c_char), ("size", ctypes.c_int),
                        ("flags", ctypes.c_int), ("shape", pointer), ("strides", pointer), ("data", ctypes.c_void_p),
                        ("descr", ctypes.c_void_p)]

        class Managed(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("rank", ctypes.c_int32),
                        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                        ("shape", pointer), ("strides", pointer), ("offset", ctypes.c_uint64),
                        ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]

        new = ctypes.pythonapi.PyCapsule_New
        new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        memory, extents = np.ones(16, np.float32), (ctypes.c_ssize_t * 2)(4, 4)
        aligned, writable, dense = 0x100 | 0x200, 0x400, 1
        no_shape = Interface(2, 2, b"f", 4, aligned | writable | dense, None, None, memory.ctypes.data, None)
        no_strides = Interface(2, 2, b"f", 4, aligned | writable, extents, None, memory.ctypes.data, None)
        managed = Managed(memory.ctypes.data, (ctypes.c_int32 * 2)(1, 0), 2, 2, 32, 1, None, None, 0, None, None)

        class Described:
            def __init__(self, interface):
                self.interface = interface

            @property
            def __array_struct__(self):
                return new(ctypes.addressof(self.interface), None, None)

        class Shared:
            def __dlpack_device__(self):
                return 1, 0

            def __dlpack__(self, **more):
                return new(ctypes.addressof(managed), b"dltensor", None)

        self.refuse("'x'.*its shape is NULL", "x + 1", x=Described(no_shape))
        self.refuse("'x'.*its strides are NULL", "x + 1", x=Described(no_strides))
        self.refuse("'x'.*its shape is NULL", "x + 1", x=Shared())
        self.refuse("'x'.*its shape is NULL", "x + 1", x=[memory[:4], Shared()])
        self.refuse("'out'.*its shape is NULL", "x + 1", x=memory, out=Described(no_shape))

    def test_resized(self):
        """A call's arrays cannot be resized under it, since it refers to them."""
        class Array(np.ndarray):
            pass

        x = np.ones(4).view(Array).copy()
        holder = x.__array_struct__
        with self.assertRaises(ValueError):
            x.resize(1000)
        del holder


class Memory(unittest.TestCase):
    def test_out_of_memory(self):
        with self.assertRaises(MemoryError):
            weft.evaluate("x + y",
                          x=np.broadcast_to(np.float64(1), (1 << 24, 1)), y=np.broadcast_to(np.float64(1), (1 << 24,)))


if __name__ == "__main__":
    unittest.main()
