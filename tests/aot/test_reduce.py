"""Reductions ahead of time against the reference of tests/reduce, on shapes for which tiles share the work in every
way. WEFT in the environment is the command's path. WEFT_TARGET=cuda: for CUDA, on the first GPU of the driver that the
loader finds, which may be tests/mockcuda."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "reduce")]
import reference  # noqa: E402
import sample  # noqa: E402

WEFT = os.environ.get("WEFT", "weft")
CUDA = os.environ.get("WEFT_TARGET") == "cuda"
if CUDA:
    import run_cuda  # noqa: E402
# What is called, the declared type, the axes, and the shapes of the calls.
ROWS = [(1, 7), (3, 70001), (2000, 33), (1, 200000), (40, 0), (300, 1), (70, 1100), (2, 65537)]
COLUMNS = [(1, 3), (70001, 3), (33, 2000), (200000, 1), (0, 40), (1100, 5000), (2, 5), (9, 20000)]
KERNELS = {
    "all": ("float32[n]", (0,), [(0,), (1,), (15,), (1024,), (70001,), (300001,)]),
    "rows": ("float32[n, m]", (1,), ROWS), "columns": ("float32[n, m]", (0,), COLUMNS),
    "middle": ("float32[a, b, c]", (1,), [(3, 2500, 257), (4, 1100, 3), (1, 66000, 2), (5, 0, 2), (2, 1, 1)]),
    "channels": ("float32[h, w, 3]", (0, 1), [(480, 640, 3), (1, 1, 3), (0, 4, 3), (7, 300, 3)]),
    "fixed": ("float32[64, 1030]", (1,), [(64, 1030)]),
    "bytes": ("uint8[n, m]", (1,), ROWS), "half": ("float16[n, m]", (0,), COLUMNS[:4]),
    "wide": ("int64[n, m]", (1,), ROWS[:4]),
}
NAMES = ["sum", "mean", "max", "argmin", "std", "any"]


CASES = sample.chosen((name, kernel, shape, turned) for kernel, (_, _, shapes) in KERNELS.items() for shape in shapes
                      for name in NAMES for turned in (False, True))


def text():
    """The kernels that are called."""
    lines = []
    for name, kernel in sorted({case[:2] for case in CASES}):
        type, axes, _ = KERNELS[kernel]
        lines.append(f"kernel {name}_{kernel}(x: {type}) {{ return out = {name}(x, axes={list(axes)}) }}\n")
    return "".join(lines)


def values(shape, dtype, rng):
    if np.dtype(dtype).kind == "f":
        return (rng.standard_normal(shape) * 30).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, True)


def same(a, b):
    bits = lambda x: np.ascontiguousarray(x).tobytes()
    nan = a.dtype.kind == "f" and np.array_equal(a, b, equal_nan=True) and np.isnan(a).any()
    return a.dtype == b.dtype and a.shape == b.shape and (nan or bits(a) == bits(b))


def build(here, kernels, options):
    """The kernels' source, all.c."""
    (here / "all.weft").write_text(kernels)
    subprocess.run([WEFT, "build", "all.weft", "--bundle", "all", *options, "-o", "."], cwd=here, check=True)


def compiled(here, compiler, flags):
    """all.c as a library."""
    shared = here / f"{compiler}.so"
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, "-shared", "-fPIC", "all.c",
                    *([] if CUDA else ["weft_support.c"]), "-lm", "-ldl", "-o", str(shared)], cwd=here, check=True)
    return ctypes.CDLL(str(shared))


class Reductions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="weft-aot-")
        cls.addClassCleanup(cls.directory.cleanup)
        here = pathlib.Path(cls.directory.name)
        cls.driver = run_cuda.Driver() if CUDA else None
        build(here, text(), ["--target", "cuda", "--arch", cls.driver.arch] if CUDA else ["--openmp"])
        cls.library = compiled(here, "gcc", ["-O1", "-fopenmp"])

    @classmethod
    def tearDownClass(cls):
        if CUDA:
            name, kernel = CASES[0][:2]
            getattr(cls.library, f"{name}_{kernel}_cuda_release")()
            cls.driver.close()

    def call(self, function, x, out):
        """The strided entry: a result is dense, strides of x are in elements."""
        numbers = lambda items: (ctypes.c_int64 * max(len(items), 1))(*items)
        placed = [run_cuda.Placed(self.driver, array) for array in (x, out)] if CUDA else []
        data = [on_gpu.at(array) for on_gpu, array in zip(placed, (x, out))] or [x.ctypes.data, out.ctypes.data]
        arguments = [ctypes.c_void_p(data[0]), numbers(x.shape), numbers([s // x.itemsize for s in x.strides]),
                     ctypes.c_void_p(data[1])]
        if out.ndim:
            arguments += [numbers(out.shape), None]
        if not CUDA:
            return getattr(self.library, f"{function}_strided")(*arguments)
        status = getattr(self.library, f"{function}_cuda_strided")(*arguments, self.driver.stream)
        self.driver.call("cuStreamSynchronize", self.driver.stream)
        for on_gpu in placed:
            on_gpu.back()
        return status

    def test_shapes(self):
        for name, kernel, shape, turned in CASES:
            type, axes, _ = KERNELS[kernel]
            x = values(shape, type.split("[")[0], np.random.default_rng(len(shape)))
            x = np.ascontiguousarray(x.T).T if turned else x
            empty = 0 in [shape[a] for a in axes]
            if name in ("max", "argmin") and empty:
                out = np.zeros(1, np.int64)
                self.assertNotEqual(self.call(f"{name}_{kernel}", x, out.reshape(())), 0, (name, kernel, shape))
                continue
            expected = np.asarray(reference.reduce(name, x, axes, False, 0))
            out = np.full(expected.shape, 77, expected.dtype)
            with self.subTest(name=name, kernel=kernel, shape=shape, turned=turned):
                self.assertEqual(self.call(f"{name}_{kernel}", x, out), 0)
                self.assertTrue(same(out, expected), f"{out.reshape(-1)[:4]}, not {expected.reshape(-1)[:4]}")

    @unittest.skipIf(CUDA, "for processors")
    def test_levels(self):
        """Extremes of narrow integers for more than one instruction set; gcc 12 failed on them with AVX-512."""
        here = pathlib.Path(tempfile.mkdtemp(dir=self.directory.name))
        cases = [("max", "uint8", (1,)), ("argmin", "int16", (0, 1))][:sample.number("1/1/1/2")]
        build(here, "".join(f"kernel {name}_{type}(x: {type}[n, m]) {{ return out = {name}(x, axes={list(axes)}) }}\n"
                            for name, type, axes in cases), ["--isa", "x86-64-v4"])
        for compiler in filter(shutil.which, ("gcc", "clang")):
            self.library = compiled(here, compiler, ["-O2"])
            for name, type, axes in cases:
                for shape in ((3, 70001), (70, 1100)):
                    x = values(shape, type, np.random.default_rng(1))
                    expected = np.asarray(reference.reduce(name, x, axes, False, 0))
                    out = np.full(expected.shape, 77, expected.dtype)
                    with self.subTest(compiler=compiler, name=name, type=type, shape=shape):
                        self.assertEqual(self.call(f"{name}_{type}", x, out), 0)
                        self.assertTrue(same(out, expected))


if __name__ == "__main__":
    unittest.main()
