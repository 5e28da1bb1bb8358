"""Arrays of a GPU by DLPack, on the fake CUDA driver of tests/mockcuda, whose folder MOCKCUDA names. The library CuPy
is played by a module made up here."""
import contextlib
import os
import pathlib
import sys
import types
import unittest

import numpy as np

import weft

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "bench" / name) for name in ("gpu", "common")]
FOLDER = os.environ.get("MOCKCUDA")


def fake_cupy(driver, gpu_arrays):
    """As much of CuPy as the package calls."""

    class ndarray(gpu_arrays.Array):
        streams = []

        def __dlpack__(self, stream=None):
            self.streams.append(stream)
            return super().__dlpack__()

    ndarray.__module__ = "cupy"
    module = types.ModuleType("cupy")
    module.ndarray, module.made, module.current = ndarray, [], 0

    def empty(shape, dtype):
        dtype = np.dtype(dtype)
        size = max(1, int(np.prod(shape, dtype=np.int64)) * dtype.itemsize)
        module.made.append(ndarray(driver, driver.allocate(size), shape, dtype))
        return module.made[-1]

    module.empty = empty
    module.cuda = types.SimpleNamespace(
        get_current_stream=lambda device=None: types.SimpleNamespace(ptr=module.current),
        Device=lambda index: contextlib.nullcontext())
    return module


@unittest.skipUnless(FOLDER, "MOCKCUDA does not name the folder of the fake CUDA driver")
class Gpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        os.environ["CUDA_HOME"] = FOLDER
        import driver
        import gpu_arrays
        cls.driver = driver.Driver(driver.find()[0]).start()
        cls.cupy = fake_cupy(cls.driver, gpu_arrays)
        sys.modules["cupy"] = cls.cupy

    @classmethod
    def tearDownClass(cls):
        del sys.modules["cupy"]
        cls.driver.stop()

    def setUp(self):
        self.cupy.current = 0
        self.cupy.ndarray.streams.clear()
        context = weft.Context()
        self.addCleanup(self.give_back, context)
        self.enterContext(weft.use(context))

    def give_back(self, context):
        """The driver notices what is still there at the end."""
        context.close()
        self.driver.synchronize()
        while self.cupy.made:
            self.driver.free(self.cupy.made.pop().address)

    def array(self, values):
        array = self.cupy.empty(np.shape(values), np.asarray(values).dtype)
        array.upload(np.asarray(values))
        return array

    def test_in_and_out(self):
        x = self.array(np.arange(6, dtype=np.float32).reshape(2, 3))
        y = weft.evaluate("x * k + 1", x=x, k=2)
        self.assertIs(y, self.cupy.made[-1])
        self.driver.synchronize()
        np.testing.assert_array_equal(y.download(), np.arange(6, dtype=np.float32).reshape(2, 3) * 2 + 1)

    def test_in_place(self):
        x = self.array(np.arange(5.0))
        address, made = x.address, len(self.cupy.made)
        self.assertIs(weft.evaluate("x + 1", x=x, out=x), x)
        self.driver.synchronize()
        np.testing.assert_array_equal(x.download(), np.arange(5.0) + 1)
        self.assertEqual((x.address, len(self.cupy.made)), (address, made))

    def test_inputs_are_not_copied(self):
        """Were the input copied, its memory would not overlap the output's."""
        memory = self.array(np.arange(6.0))
        x, out = (type(memory)(self.driver, memory.address + 8 * i, (5,), np.float64) for i in range(2))
        with self.assertRaisesRegex(weft.Error, "W0080.*output 'out' overlaps input 'x'"):
            weft.evaluate("x + 1", x=x, out=out)

    def test_streams(self):
        """The consumer's stream: the library's current one, or the one given; 1 is DLPack's legacy default."""
        x = self.array(np.arange(5.0))
        weft.evaluate("x + 1", x=x)
        self.assertEqual(self.cupy.ndarray.streams, [1, 1])
        self.cupy.ndarray.streams.clear()
        self.cupy.current = self.driver.stream.value
        weft.evaluate("x + 1", x=x)
        self.assertEqual(self.cupy.ndarray.streams, [self.driver.stream.value] * 2)
        self.cupy.current = 0
        self.cupy.ndarray.streams.clear()
        weft.compile("x + 1")(x, stream=self.driver.stream.value)
        self.assertEqual(self.cupy.ndarray.streams, [self.driver.stream.value] * 2)

    def test_remarks(self):
        x, y = self.array(np.int32([4, 5])), self.array(np.int32([2, 0]))
        f = weft.compile("x // y")
        z = f(x, y)
        self.driver.synchronize()
        with self.assertWarns(weft.Remark):
            f.context.status(0)
        np.testing.assert_array_equal(z.download(), [2, 0])

    def test_two_devices(self):
        with self.assertRaisesRegex(weft.Error, "input 'y' is of NumPy, an input before it of CuPy"):
            weft.evaluate("x + y", x=self.array(np.ones(3)), y=np.ones(3))
        with self.assertRaisesRegex(weft.Error, "output 'out' is in host memory"):
            weft.evaluate("x + 1", x=self.array(np.ones(3)), out=np.ones(3))

        class Second(self.cupy.ndarray):
            def tensor(self, device=2):
                tensor = super().tensor(device)
                tensor.device.id = 1
                return tensor

        other = Second(self.driver, self.driver.allocate(24), (3,), np.float64)
        self.cupy.made.append(other)
        with self.assertRaisesRegex(weft.Error, "W0216"):
            weft.evaluate("x + y", x=self.array(np.ones(3)), y=other)

    def test_batch(self):
        ys = weft.evaluate("x + 1", x=[self.array(np.ones(2)), self.array(np.ones((3,)))])
        self.driver.synchronize()
        self.assertEqual([y.shape for y in ys], [(2,), (3,)])
        np.testing.assert_array_equal(ys[1].download(), [2, 2, 2])

    def test_host_arrays_on_the_gpu(self):
        context = weft.Context(target="cuda")
        self.addCleanup(context.close)
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=np.arange(5.0), context=context), np.arange(5.0) + 1)


if __name__ == "__main__":
    unittest.main()
