"""Arrays of NumPy in and out: nothing is copied, whatever their strides; what cannot be shared is copied once."""
import array
import threading
import time
import unittest
import warnings

import numpy as np

import support
import weft


class Stored(unittest.TestCase):
    """Programs whose kernels store values for one another."""

    def test_parts_of_a_value_that_varies_along_few_dimensions(self):
        a, b = np.arange(108, dtype=np.int8).reshape(108, 1), np.arange(76, dtype=np.int8) % 3 + 1
        text = "t = fmod(a, b); u = where(a, t, t); return stack(u, u, u, axis=0)"
        for _ in range(20):
            np.testing.assert_array_equal(weft.evaluate(text, a=a, b=b), np.stack([np.fmod(a, b)] * 3))

    def test_what_is_found_by_positions(self):
        """A value that is stored has its positions there."""
        a, b = np.arange(4097, dtype=np.float32).reshape(4097, 1) % 7, np.zeros((1, 1, 1), np.uint64)
        result = weft.evaluate("t = a ** 3; std(gather(t, b, axes=[-1], mode=0.001), axis=2, keepdims=true)", a=a, b=b)
        np.testing.assert_allclose(result, [[[np.std(a ** 3)]]], rtol=1e-6)

    def test_transposed_beside_what_is_repeated(self):
        """Tiles of transposed loads begin with a group of those that repeat each element."""
        for count in 43, 50, 85, 200:
            for each in 2, 3, 4, 6:
                for dtype in np.uint8, np.float32, np.float64:
                    x = np.arange(count * each * 6).reshape(count, each, 6).astype(dtype)
                    a = np.arange(count).reshape(1, count, 1).astype(dtype)
                    with self.subTest(count=count, each=each, dtype=dtype):
                        result = weft.evaluate("transpose(x, [2, 0, 1]) * a", x=x, a=a)
                        np.testing.assert_array_equal(result, x.transpose(2, 0, 1) * a)

    def test_around_nothing(self):
        a, b = np.uint16(3), np.zeros((2, 0, 4, 1), np.uint16)
        np.testing.assert_array_equal(weft.evaluate("pad(fmod(a, b), [[4, 16], [1, 0]], axes=[1, 3])", a=a, b=b),
                                      np.zeros((2, 20, 4, 2), np.uint16))

    def test_no_remark_of_what_a_mode_has_outside(self):
        text = "convolve(prod(truncdiv(b, a), axis=1, keepdims=true), [-1, 1])"
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for cc in (None, "libtcc"):
                r = weft.evaluate(text, a=np.ones((1, 3), np.int32), b=np.uint64(0), context=weft.Context(cc=cc))
                np.testing.assert_array_equal(r, [[0]])

    def test_bytes_of_nothing(self):
        x = np.zeros((4, 2, 6), np.bool_)[::2, ::2, 0:0]
        self.assertEqual(weft.evaluate("reinterpret(x, float32)", x=x).shape, (2, 1, 0))


class Shared(unittest.TestCase):
    """Pointers show that results are not copied; that inputs are not is seen by a run in place, and by the memory that
    NumPy asks for."""

    def test_new_result(self):
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        result = weft.evaluate("x * 2", x=x)
        self.assertIs(type(result), np.ndarray)
        self.assertEqual((result.dtype, result.shape), (x.dtype, x.shape))
        np.testing.assert_array_equal(result, x * 2)

    def test_out_is_written_and_returned(self):
        x, out = np.arange(5.0), np.empty(5)
        address = out.ctypes.data
        self.assertIs(weft.evaluate("x + 1", x=x, out=out), out)
        self.assertEqual(out.ctypes.data, address)
        np.testing.assert_array_equal(out, x + 1)

    def test_in_place(self):
        x = np.arange(5.0)
        self.assertIs(weft.evaluate("x + 1", x=x, out=x), x)
        np.testing.assert_array_equal(x, np.arange(5.0) + 1)

    def test_no_copy_of_large_arrays(self):
        """A copy of an input or of the result would be seen in the memory that NumPy asks for."""
        x, out = np.ones(1_000_000), np.empty(1_000_000)
        f = weft.compile("x + 1")
        f(x, out=out)
        self.assertLess(support.numpy_peak(lambda: f(x, out=out)), 100_000)
        self.assertLess(support.numpy_peak(lambda: f(x)), 8_100_000)
        self.assertGreater(support.numpy_peak(lambda: f(x.astype(">f8"))), 16_000_000)

    def test_strides(self):
        x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
        for view in (x[:, ::-1], x[::-1, :, ::-2], x.T, x[:, 1], np.broadcast_to(x[0, 0], (3, 4)), x[..., 3:1:-1],
                     np.asfortranarray(x), x[:, :0], x[0, 0, 0:1], np.lib.stride_tricks.as_strided(x, (5, 5), (0, 4))):
            np.testing.assert_array_equal(weft.evaluate("v * 2 + 1", v=view), view * 2 + 1)

    def test_steps_of_whole_blocks(self):
        """Some steps have code of their own, for blocks that a row fills."""
        for kind in (np.uint8, np.int16, np.float16, np.float32, np.int64):
            x = (np.arange(1500) % 251).astype(kind)
            for step in (1, 2, 3, 4, 5, -1, -2, -3):
                for count in (63, 64, 65, 250):
                    view = x[700::step][:count]
                    np.testing.assert_array_equal(weft.evaluate("+v", v=view), view)

    def test_strided_out(self):
        out = np.zeros((4, 6))
        weft.evaluate("x + 1", x=np.ones((2, 3)), out=out[::2, ::-2])
        expected = np.zeros((4, 6))
        expected[::2, ::-2] = 2
        np.testing.assert_array_equal(out, expected)

    def test_rank_0_and_scalars(self):
        for x in (np.float32(3), np.array(3, np.float32), np.int8(3), np.bool_(True), np.float64(3)):
            result = weft.evaluate("where(x, x, x)", x=x)
            self.assertEqual((result.shape, result.dtype), ((), x.dtype))
            self.assertEqual(result, x)

    def test_read_only(self):
        x = np.arange(3.0)
        x.flags.writeable = False
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=x), x + 1)

    def test_every_dtype(self):
        for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split():
            x = np.array([0, 1, 1], name)
            result = weft.evaluate("where(x == x, x, x)", x=x)
            self.assertEqual(result.dtype, x.dtype)
            np.testing.assert_array_equal(result, x)

    def test_bfloat16(self):
        ml_dtypes = support.optional("ml_dtypes")
        x = np.array([1, 2.5, -3], ml_dtypes.bfloat16)
        result = weft.evaluate("x * x", x=x)
        self.assertEqual(result.dtype, x.dtype)
        np.testing.assert_array_equal(result.astype(np.float32), [1, 6.25, 9])
        self.assertEqual(weft.evaluate("bfloat16(x)", x=np.float32([1.5])).dtype, x.dtype)

    def test_subclasses(self):
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=np.arange(3).view(np.recarray)), [1, 2, 3])


class Copied(unittest.TestCase):
    def test_unaligned(self):
        x = np.frombuffer(bytes(1) + np.arange(4.0).tobytes(), np.uint8)[1:].view(np.float64)
        self.assertFalse(x.flags.aligned)
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=x), x + 1)

    def test_byte_order(self):
        x = np.arange(4, dtype=np.dtype(np.int32).newbyteorder())
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=x), [1, 2, 3, 4])

    def test_strides_between_elements(self):
        x = np.zeros(3, np.dtype([("a", "u1"), ("b", "<f4")]))["b"]
        x[:] = 1, 2, 3
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=x), [2, 3, 4])

    def test_not_as_outputs(self):
        for out in (np.empty(4, np.dtype(float).newbyteorder()), np.zeros(33, np.uint8)[1:].view(np.float64)):
            with self.assertRaisesRegex(weft.Error, "not aligned, or not in this machine's byte order"):
                weft.evaluate("x + 1", x=np.arange(4.0), out=out)


class Buffers(unittest.TestCase):
    def test_array(self):
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=array.array("d", [1, 2])), [2, 3])

    def test_bytearray_is_written(self):
        out = bytearray(3)
        weft.evaluate("uint8(x + 1)", x=b"abc", out=out)
        self.assertEqual(out, b"bcd")

    def test_memory_may_be_resized_after_a_call(self):
        x = bytearray(b"abc")
        weft.evaluate("x + 1", x=x)
        x.append(0)

    def test_memory_cannot_be_resized_within_a_call(self):
        """While a run reads an array of four million elements, another thread cannot take them away. How many runs that
        thread takes to come by is the system's affair."""
        x = bytearray(4_000_000)
        f, errors, done = weft.compile("sum(sin(float64(x)))"), [], threading.Event()
        f(x)

        def resize():
            while not done.is_set():
                try:
                    x.append(0)
                except BufferError as error:
                    errors.append(error)

        thread = threading.Thread(target=resize)
        thread.start()
        end = time.monotonic() + 60
        while not errors and time.monotonic() < end:
            f(x)
        done.set()
        thread.join()
        self.assertTrue(errors)


if __name__ == "__main__":
    unittest.main()
