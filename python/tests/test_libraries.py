"""Arrays of other libraries, by DLPack: PyTorch and JAX where they are installed, and one made up here."""
import os
import sys
import unittest

import numpy as np

import support
import weft
from weft import _arrays


class PyTorch(unittest.TestCase):
    def setUp(self):
        self.torch = support.optional("torch")

    def test_in_and_out(self):
        torch = self.torch
        x = torch.arange(6.0).reshape(2, 3)
        y = weft.evaluate("x * k", x=x.T, k=2)
        self.assertIs(type(y), torch.Tensor)
        self.assertEqual(y.dtype, torch.float32)
        self.assertTrue(torch.equal(y, x.T * 2))

    def test_in_place(self):
        x = self.torch.arange(6.0)
        pointer = x.data_ptr()
        self.assertIs(weft.evaluate("x + 1", x=x, out=x), x)
        self.assertEqual((x.data_ptr(), x[0].item()), (pointer, 1))

    def test_nothing_is_copied(self):
        """PyTorch's memory for the result, which `new` got, is the result's."""
        made = []
        library = _arrays.LIBRARIES["torch"]
        new = library.new
        library.new = lambda *args: made.append(new(*args)) or made[-1]
        try:
            y = weft.evaluate("x + 1", x=self.torch.ones(1000))
        finally:
            del library.new
        self.assertIs(y, made[0])

    def test_inputs_are_not_copied(self):
        """Were the input copied, its memory would not overlap the output's."""
        x = self.torch.ones(1000)
        with self.assertRaisesRegex(weft.Error, "W0080.*output 'out' overlaps input 'x'"):
            weft.evaluate("x + 1", x=x[1:], out=x[:-1])

    def test_dtypes(self):
        torch = self.torch
        for dtype in (torch.bool, torch.uint8, torch.int64, torch.float16, torch.bfloat16, torch.float64):
            x = torch.ones(3, dtype=dtype)
            self.assertEqual(weft.evaluate("where(x, x, x)", x=x).dtype, dtype)

    def test_gradients(self):
        with self.assertRaisesRegex(weft.Error, "input 'x': the Tensor cannot be shared"):
            weft.evaluate("x + 1", x=self.torch.ones(3, requires_grad=True))

    def test_two_libraries(self):
        """NumPy's go with PyTorch's, in either order."""
        x, y = self.torch.ones(3), np.ones(3)
        for text in "x + y", "y + x":
            self.assertEqual(weft.evaluate(text).dtype, self.torch.float64)

    def test_batch(self):
        y = weft.evaluate("x + 1", x=[self.torch.ones(2), self.torch.ones(3)])
        self.assertEqual([type(one) for one in y], [self.torch.Tensor] * 2)


class Jax(unittest.TestCase):
    def setUp(self):
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
        self.jnp = support.optional("jax.numpy")
        self.jax = support.optional("jax")

    def test_in_and_out(self):
        x = self.jnp.arange(6, dtype=self.jnp.float32).reshape(2, 3)
        y = weft.evaluate("x * k", x=x, k=2)
        self.assertIsInstance(y, self.jax.Array)
        self.assertEqual(y.dtype, x.dtype)
        np.testing.assert_array_equal(np.asarray(y), np.asarray(x) * 2)

    def test_nothing_is_copied(self):
        """JAX's array lies in the memory that was written."""
        made = []
        library = _arrays.LIBRARIES["jax"]
        new = library.new
        library.new = lambda *args: made.append(new(*args)) or made[-1]
        try:
            y = weft.evaluate("x + 1", x=self.jnp.ones(1000))
        finally:
            del library.new
        self.assertEqual(y.unsafe_buffer_pointer(), made[0].ctypes.data)

    def test_inputs_are_not_copied(self):
        """Were the input copied, its memory would not overlap the output's, on which JAX's array lies."""
        memory = _arrays.aligned((1000,), np.dtype(np.float32))
        x = self.jax.dlpack.from_dlpack(memory)
        self.assertEqual(x.unsafe_buffer_pointer(), memory.ctypes.data)
        with self.assertRaisesRegex(weft.Error, "W0080.*output 'out' overlaps input 'x'"):
            weft.evaluate("x[1:] + 1", x=x, out=memory[:-1])

    def test_immutable(self):
        with self.assertRaisesRegex(weft.Error, "output 'out': .*immutable"):
            weft.evaluate("x + 1", x=self.jnp.ones(3), out=self.jnp.ones(3))

    def test_dtypes(self):
        for name in ("bool", "uint8", "int32", "float16", "bfloat16"):
            x = self.jnp.ones(3, name)
            self.assertEqual(weft.evaluate("where(x, x, x)", x=x).dtype, x.dtype)

    def test_numpys_beside(self):
        x, y = self.jnp.ones(3), np.float32([1, 2, 3])
        for text in "x + y", "y + x":
            z = weft.evaluate(text)
            self.assertIsInstance(z, self.jax.Array)
            np.testing.assert_array_equal(np.asarray(z), [2, 3, 4])

    def test_tracers(self):
        """Refused, with what works."""
        x = self.jnp.ones(3)
        for transform in self.jax.jit, self.jax.grad:
            with self.assertRaisesRegex(weft.Error, r"tracers, which have no values; write jax.pure_callback\(f, "):
                transform(lambda x: weft.evaluate("sum(x * 2)", x=x))(x)

        def f(x):
            return np.asarray(weft.evaluate("x * 2", x=np.asarray(x)))
        called = self.jax.jit(lambda x: self.jax.pure_callback(f, self.jax.ShapeDtypeStruct(x.shape, x.dtype), x))
        np.testing.assert_array_equal(np.asarray(called(x)), [2, 2, 2])

    def test_batch_and_several_results(self):
        r = weft.evaluate("return a = x + 1, b = y * 2", x=[self.jnp.ones(2), self.jnp.ones(3)], y=self.jnp.ones(1))
        self.assertEqual([one.shape for one in r.a], [(2,), (3,)])
        self.assertIsInstance(r.a[0], self.jax.Array)
        self.assertIsInstance(r.b, self.jax.Array)


class Speaks:
    """An array with DLPack alone, over one of NumPy."""

    def __init__(self, array, device=(1, 0)):
        self.array, self.device, self.streams = array, device, []

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.device


class Others(unittest.TestCase):
    def test_host(self):
        x = np.arange(5.0)
        y = weft.evaluate("x + 1", x=Speaks(x))
        self.assertIs(type(y), np.ndarray)
        np.testing.assert_array_equal(y, x + 1)
        weft.evaluate("x + 1", x=Speaks(x), out=Speaks(x))
        np.testing.assert_array_equal(x, np.arange(5.0) + 1)

    def test_broken(self):
        class Broken(Speaks):
            def __dlpack__(self):
                return 3

        class Lost(Speaks):
            def __dlpack_device__(self):
                raise RuntimeError("it is lost")

        with self.assertRaisesRegex(weft.Error, "the .*Broken cannot be shared"):
            weft.evaluate("x + 1", x=Broken(np.ones(3)))
        with self.assertRaisesRegex(weft.Error, "the .*Lost cannot say where it is: it is lost"):
            weft.evaluate("x + 1", x=Lost(np.ones(3)))

    def test_two_libraries(self):
        class Second(Speaks):
            pass
        x = np.ones(3)
        with self.assertRaisesRegex(weft.Error, "input 'y' is of test_libraries, an input before it of test_libraries"):
            weft.evaluate("x + y", x=Speaks(x), y=Second(x))
        for text in "x + y", "y + x":
            np.testing.assert_array_equal(weft.evaluate(text, x=Speaks(x), y=x), x + x)
        with self.assertRaisesRegex(weft.Error, "no input 'y'"):
            weft.evaluate("x + 1", x=Speaks(x), y=x)

    def test_capsules_are_released(self):
        x = np.arange(5.0)
        count = sys.getrefcount(x)
        for _ in range(10):
            weft.evaluate("x + 1", x=Speaks(x))
        self.assertEqual(sys.getrefcount(x), count)


if __name__ == "__main__":
    unittest.main()
