"""Arrays and C helpers of the benches of batches."""
import ctypes
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]


def aligned(count, dtype):
    """On a 64-byte boundary, all pages touched."""
    size = count * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    raw[...] = 1
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype)


def filled(count, dtype, random):
    array = aligned(count, dtype)
    if dtype == np.uint8:
        array[...] = random.integers(0, 256, count, np.uint8)
    elif array.dtype.kind == "V":
        # NumPy has no bfloat16: two bytes stand for it
        array.view(np.uint16)[...] = filled(count, np.float32, random).view(np.uint32) >> 16
    else:
        array[...] = random.standard_normal(count, np.float32)
    return array


def compile_c(scratch, *sources):
    """The sources of this folder as a library."""
    path = f"{scratch}/bench.so"
    subprocess.run(["cc", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
                    "-fopenmp", "-shared", "-fPIC", "-o", path, *[str(ROOT / "bench" / s) for s in sources],
                    "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(path)
