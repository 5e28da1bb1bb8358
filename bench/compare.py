"""Throughput of Weft and its peers, in one process and on the same buffers:

    /usr/bin/python3 bench/compare.py [--build build] [--threads 1] [--save NAME] [--scale 1.0]

Every contender's result is compared with Weft's first. Times are the best of many runs, taken in turns,
so that a slow spell of the machine hits all alike. `of copy` is the time that copying the same bytes
takes (read plus written; the faster of memcpy and a copy with non-temporal stores) over the time
taken: 1 is the limit of memory. NumPy is required; numexpr and JAX take part where they are installed
and are named where they are not. JAX works on arrays of its own and returns a new one each time;
everybody else writes into the same array. With --threads N the process may use N processors. --save writes bench/results/NAME.json."""
import argparse
import ctypes
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--save")
    parser.add_argument("--scale", type=float, default=1.0, help="of the arrays' sizes")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each contender of a case")
    return parser.parse_args()


OPTIONS = options()
# Before the libraries that read them are loaded.
for variable in ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(OPTIONS.threads)
if hasattr(os, "sched_setaffinity"):
    # The one limit that every contender obeys.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:OPTIONS.threads])
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numexpr, jax = optional("numexpr"), optional("jax")
if jax:
    import jax.numpy as jnp
if numexpr:
    numexpr.set_num_threads(OPTIONS.threads)

f32 = np.float32
GAIN = np.array([1.25, 0.75, 0.75], f32)
MEAN = np.array([123.7, 116.3, 103.5], f32)
SCALE = np.array([1 / 58.4, 1 / 57.1, 1 / 57.4], f32)


class Case:
    """One expression for everybody. numpy: a function of the inputs and `out` that writes into out with
    as few temporaries as NumPy allows; numexpr: a text, or None where numexpr lacks an operation; jax: a function."""

    def __init__(self, name, text, inputs, out, numpy, numexpr, jax, tolerance=0.0):
        self.name, self.text, self.inputs, self.out = name, text, inputs, out
        self.numpy, self.numexpr, self.jax, self.tolerance = numpy, numexpr, jax, tolerance

    def bytes(self):
        return self.out.nbytes + sum(array.nbytes for array in self.inputs.values())


def aligned(shape, dtype):
    """Uninitialized, on a 64-byte boundary."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


def filled(array, random):
    if array.dtype == np.uint8:
        array[...] = random.integers(0, 256, array.shape, np.uint8)
    else:
        array[...] = random.standard_normal(array.shape, np.float32)
    return array


def numpy_headline(out, img):
    np.rint(np.clip(img * GAIN, f32(128), f32(255)), out=out, casting="unsafe")


def numpy_blend(out, a, b):
    np.multiply(a, f32(0.4), out=out)
    out += b * f32(0.6)


def numpy_normalize(out, img):
    np.subtract(img, MEAN, out=out)
    np.multiply(out, SCALE, out=out)


def numpy_length(out, x, y):
    np.multiply(x, x, out=out)
    out += y * y
    np.sqrt(out, out=out)


def numpy_gauss(out, x):
    np.multiply(x, x, out=out)
    np.multiply(out, f32(-0.5), out=out)
    np.exp(out, out=out)


def numpy_leaky(out, x):
    np.multiply(x, f32(0.1), out=out)
    np.copyto(out, x, where=x > 0)


def cases():
    random = np.random.default_rng(7)
    rows = max(8, int(2160 * OPTIONS.scale))
    count = max(64, int(64 * 224 * 224 * 3 * OPTIONS.scale) // 3 * 3)
    img = filled(aligned((rows, 3840, 3), np.uint8), random)
    a, b = (filled(aligned((count // 3, 3), np.uint8), random) for _ in range(2))
    x, y = (filled(aligned((count,), f32), random) for _ in range(2))
    u8, real = aligned(img.shape, np.uint8), aligned(img.shape, f32)
    flat, mixed = aligned(x.shape, f32), aligned(a.shape, f32)
    yield Case("picture: uint8 to uint8", "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))",
               {"img": img}, u8, numpy_headline, None,
               lambda img: jnp.rint(jnp.clip(img * GAIN, f32(128), f32(255))).astype(jnp.uint8))
    yield Case("normalize: uint8 to float32", "(img - [123.7, 116.3, 103.5]) * [1/58.4, 1/57.1, 1/57.4]",
               {"img": img}, real, numpy_normalize, None, lambda img: (img - MEAN) * SCALE, 1e-6)
    yield Case("blend: two uint8 to float32", "a * 0.4 + b * 0.6", {"a": a, "b": b}, mixed, numpy_blend,
               None, lambda a, b: a * f32(0.4) + b * f32(0.6), 1e-4)
    yield Case("length: two float32", "sqrt(x * x + y * y)", {"x": x, "y": y}, flat, numpy_length,
               "sqrt(x * x + y * y)", lambda x, y: jnp.sqrt(x * x + y * y), 1e-6)
    yield Case("bell: exp of float32", "exp(x * x * -0.5)", {"x": x}, flat, numpy_gauss,
               "exp(x * x * m)", lambda x: jnp.exp(x * x * f32(-0.5)), 1e-6)
    yield Case("leaky: where on float32", "where(x > 0, x, x * 0.1)", {"x": x}, flat, numpy_leaky,
               "where(x > z, x, x * t)", lambda x: jnp.where(x > 0, x, x * f32(0.1)), 1e-7)


def copies(work, case):
    """Copies of half the case's bytes, so that read plus written are as many."""
    half = case.bytes() // 2
    source, target = aligned((half,), np.uint8), aligned((half,), np.uint8)
    source[...] = 1
    for name in ("copy_plain", "copy_stream"):
        function = getattr(work, name)
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        yield name, lambda f=function: f(target.ctypes.data, source.ctypes.data, half)


def contenders(weft, work, case):
    """(name, function) pairs; Weft's comes first. Peers are checked against it."""
    run, seconds = weft.prepared(case.text, case.inputs, case.out)
    run()
    want = case.out.copy()
    yield "Weft", run, seconds
    for name, function in copies(work, case):
        yield name, function, None

    def agree(name, got):
        gap = np.max(np.abs(np.asarray(got).astype(np.float64) - want.astype(np.float64)))
        if not gap <= case.tolerance * max(1.0, float(np.max(np.abs(want)))):
            raise SystemExit(f"{case.name}: {name} differs from Weft by {gap}")

    case.numpy(case.out, **case.inputs)
    agree("NumPy", case.out)
    yield "NumPy", lambda: case.numpy(case.out, **case.inputs), None
    if numexpr and case.numexpr:
        names = dict(case.inputs, m=f32(-0.5), z=f32(0), t=f32(0.1))
        call = lambda: numexpr.evaluate(case.numexpr, names, out=case.out)  # noqa: E731
        call()
        agree("numexpr", case.out)
        yield "numexpr", call, None
    if jax:
        held = [jnp.asarray(array) for array in case.inputs.values()]
        function = jax.jit(case.jax)
        agree("JAX", function(*held))
        yield "JAX", lambda: function(*held).block_until_ready(), None


def run_case(weft, work, case):
    names, functions, seconds = zip(*contenders(weft, work, case))
    best = dict(zip(names, machine.measure(functions, OPTIONS.seconds)))
    copy = min(best.pop("copy_plain"), best.pop("copy_stream"))
    entry = {"case": case.name, "text": case.text, "bytes": case.bytes(), "copy_ms": copy * 1e3,
             "kernel_ms": seconds[0] * 1e3, "ms": {name: t * 1e3 for name, t in best.items()},
             "of_copy": {name: copy / t for name, t in best.items()},
             "times_numpy": {name: best["NumPy"] / t for name, t in best.items()}}
    print(f"\n{case.name}   {case.text[:70]}   {case.bytes() / 1e6:.1f} MB")
    for name, t in best.items():
        print(f"  {name:8} {t * 1e3:9.3f} ms {case.bytes() / t / 1e9:7.2f} GB/s"
              f"   of copy {copy / t:5.2f}   NumPy x {best['NumPy'] / t:6.2f}")
    return entry


def main():
    print(machine.name(), f"{OPTIONS.threads} thread(s)")
    print(", ".join(f"{name} {version}" for name, version in machine.versions().items()))
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/copy.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, str(ROOT / "bench/copy.c")], check=True)
        work, weft = ctypes.CDLL(path), library.Weft(OPTIONS.build)
        entries = [run_case(weft, work, case) for case in cases()]
    if OPTIONS.save:
        machine.save(OPTIONS.save, "compare.py", threads=OPTIONS.threads, cases=entries)


if __name__ == "__main__":
    main()
