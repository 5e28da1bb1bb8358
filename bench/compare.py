"""Throughput of Weft and its peers, in one process and on the same buffers:

    /usr/bin/python3 bench/compare.py [--build build] [--threads 1] [--save NAME] [--scale 1.0]
    /usr/bin/python3 bench/compare.py --sizes --threads 1 2 [--save NAME] [--plot FILE.svg]

Every contender's result is compared with Weft's first. Times are the best of many runs, taken in turns,
so that a slow spell of the machine hits all alike. `of copy` is the time that copying the same bytes
takes (read plus written; the faster of memcpy and a copy with non-temporal stores) over the time
taken: 1 is the limit of memory. NumPy is required; numexpr, blosc2, JAX and PyTorch (eager and compiled) take part
where they are installed, and are named as skipped where they are not. JAX, blosc2 and eager PyTorch return a new array
each time; everybody else writes into the same one. With --threads N the process may use N processors; each of several
numbers has a process of its own. --sizes goes from a thousand to ten million elements. --save writes
bench/results/NAME.json, --plot draws it (plot.py)."""
import argparse
import ctypes
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--sizes", action="store_true", help="1e3 to 1e7 elements")
    parser.add_argument("--only", help="cases whose name holds this")
    parser.add_argument("--plot", metavar="FILE.svg")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--save")
    parser.add_argument("--scale", type=float, default=1.0, help="of the arrays' sizes")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each contender of a case")
    return parser.parse_args()


OPTIONS = options()
# Before the libraries that read them are loaded.
THREADS = OPTIONS.threads[0]
for variable in ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MKL_NUM_THREADS", "BLOSC_NTHREADS"):
    os.environ[variable] = str(THREADS)
if hasattr(os, "sched_setaffinity") and len(OPTIONS.threads) == 1:
    # The one limit that every contender obeys.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402
import plot  # noqa: E402


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


numexpr, blosc2, jax, torch = (optional(name) for name in ("numexpr", "blosc2", "jax", "torch"))
SKIPPED = [name for name, module in (("numexpr", numexpr), ("blosc2", blosc2), ("JAX", jax), ("PyTorch", torch))
           if not module]
if numexpr:
    numexpr.set_num_threads(THREADS)
if torch:
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)

f32 = np.float32
GAIN = np.array([1.25, 0.75, 0.75], f32)
MEAN = np.array([123.7, 116.3, 103.5], f32)
SCALE = np.array([1 / 58.4, 1 / 57.1, 1 / 57.4], f32)


class Case:
    """One expression for everybody. numpy: a function of the inputs and `out` that writes into out with
    as few temporaries as NumPy allows; numexpr: a text, or None where numexpr lacks an operation; formula: a function
    of a library's words (of_jax, of_torch) and the inputs."""

    def __init__(self, name, text, inputs, out, numpy, numexpr, formula, tolerance=0.0):
        self.name, self.text, self.inputs, self.out = name, text, inputs, out
        self.numpy, self.numexpr, self.formula, self.tolerance = numpy, numexpr, formula, tolerance

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


def cases(count=None):
    """With `count` all arrays have about so many elements."""
    random = np.random.default_rng(7)
    picture = (count // 3, 3) if count else (max(8, int(2160 * OPTIONS.scale)), 3840, 3)
    count = (count or max(64, int(64 * 224 * 224 * 3 * OPTIONS.scale))) // 3 * 3
    img = filled(aligned(picture, np.uint8), random)
    a, b = (filled(aligned((count // 3, 3), np.uint8), random) for _ in range(2))
    x, y = (filled(aligned((count,), f32), random) for _ in range(2))
    u8, real = aligned(img.shape, np.uint8), aligned(img.shape, f32)
    flat, mixed = aligned(x.shape, f32), aligned(a.shape, f32)
    yield Case("picture: uint8 to uint8", "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))",
               {"img": img}, u8, numpy_headline, None,
               lambda l, img: l.u8(l.rint(l.clip(img * l.array(GAIN), 128.0, 255.0))))
    yield Case("normalize: uint8 to float32", "(img - [123.7, 116.3, 103.5]) * [1/58.4, 1/57.1, 1/57.4]",
               {"img": img}, real, numpy_normalize, None, lambda l, img: (img - l.array(MEAN)) * l.array(SCALE), 1e-6)
    yield Case("blend: two uint8 to float32", "a * 0.4 + b * 0.6", {"a": a, "b": b}, mixed, numpy_blend,
               None, lambda l, a, b: l.f32(a) * 0.4 + l.f32(b) * 0.6, 1e-4)
    yield Case("length: two float32", "sqrt(x * x + y * y)", {"x": x, "y": y}, flat, numpy_length,
               "sqrt(x * x + y * y)", lambda l, x, y: l.sqrt(x * x + y * y), 1e-6)
    yield Case("bell: exp of float32", "exp(x * x * -0.5)", {"x": x}, flat, numpy_gauss,
               "exp(x * x * m)", lambda l, x: l.exp(x * x * -0.5), 1e-6)
    yield Case("leaky: where on float32", "where(x > 0, x, x * 0.1)", {"x": x}, flat, numpy_leaky,
               "where(x > z, x, x * t)", lambda l, x: l.where(x > 0, x, x * 0.1), 1e-7)


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
    for maker in (of_numexpr, of_blosc2, of_jax, of_torch):
        for name, call, fetch in maker(case):
            try:
                got = fetch(call())
            except Exception as error:  # whatever it is, the peer cannot do this case
                print(f"  {name}: skipped, {str(error).splitlines()[0][:80] if str(error) else type(error).__name__}")
                continue
            agree(name, got)
            yield name, call, None


def of_numexpr(case):
    if numexpr and case.numexpr:
        names = dict(case.inputs, m=f32(-0.5), z=f32(0), t=f32(0.1))
        yield "numexpr", lambda: numexpr.evaluate(case.numexpr, names, out=case.out), lambda got: got


def of_blosc2(case):
    if blosc2 and case.numexpr:
        names = dict(case.inputs, m=f32(-0.5), z=f32(0), t=f32(0.1))
        yield "blosc2", lambda: blosc2.evaluate(case.numexpr, names), np.asarray


def of_jax(case):
    if jax:
        jnp = jax.numpy
        words = types.SimpleNamespace(array=jnp.asarray, f32=lambda x: x.astype(jnp.float32), clip=jnp.clip,
                                      rint=jnp.rint, u8=lambda x: x.astype(jnp.uint8), sqrt=jnp.sqrt, exp=jnp.exp,
                                      where=jnp.where)
        held = [jnp.asarray(array) for array in case.inputs.values()]
        function = jax.jit(lambda *inputs: case.formula(words, *inputs))
        yield "JAX", lambda: function(*held).block_until_ready(), np.asarray


def of_torch(case):
    if torch:
        words = types.SimpleNamespace(array=torch.from_numpy, f32=lambda x: x.to(torch.float32), clip=torch.clip,
                                      rint=torch.round, u8=lambda x: x.to(torch.uint8), sqrt=torch.sqrt,
                                      exp=torch.exp, where=torch.where)
        held, out = [torch.from_numpy(array) for array in case.inputs.values()], torch.from_numpy(case.out)
        yield "PyTorch", lambda: case.formula(words, *held), lambda got: got.numpy()
        torch._dynamo.reset()
        # What is written into `out` becomes part of the one kernel.
        function = torch.compile(lambda out, *inputs: out.copy_(case.formula(words, *inputs)), dynamic=False)
        yield "PyTorch compiled", lambda: function(out, *held), lambda got: got.numpy()


def run_case(weft, work, case):
    print(f"\n{case.name}   {case.text[:70]}   {case.bytes() / 1e6:.4g} MB")
    names, functions, seconds = zip(*contenders(weft, work, case))
    best = dict(zip(names, machine.measure(functions, OPTIONS.seconds, least=1e-4)))
    copy = min(best.pop("copy_plain"), best.pop("copy_stream"))
    entry = {"case": case.name, "text": case.text, "threads": THREADS, "elements": case.out.size,
             "bytes": case.bytes(), "copy_ms": copy * 1e3,
             "kernel_ms": seconds[0] * 1e3, "ms": {name: t * 1e3 for name, t in best.items()},
             "of_copy": {name: copy / t for name, t in best.items()},
             "times_numpy": {name: best["NumPy"] / t for name, t in best.items()}}
    for name, t in best.items():
        print(f"  {name:16} {t * 1e3:9.4g} ms {case.bytes() / t / 1e9:7.2f} GB/s"
              f"   of copy {copy / t:5.2f}   NumPy x {best['NumPy'] / t:6.2f}")
    return entry


def run_all():
    print(machine.name(), f"{THREADS} thread(s)")
    print(", ".join(f"{name} {version}" for name, version in machine.versions().items()))
    print("skipped, not installed:", ", ".join(SKIPPED) or "none")
    sizes = [10 ** k for k in range(3, 8)] if OPTIONS.sizes else [None]
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/copy.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, str(ROOT / "bench/copy.c")], check=True)
        work, weft = ctypes.CDLL(path), library.Weft(OPTIONS.build)
        return [run_case(weft, work, case) for size in sizes for case in cases(size)
                if not OPTIONS.only or OPTIONS.only in case.name]


def run_each():
    """A process for each number of threads: libraries read it when they are loaded."""
    entries = []
    with tempfile.TemporaryDirectory() as scratch:
        for threads in OPTIONS.threads:
            part = f"{scratch}/{threads}.json"
            subprocess.run([sys.executable, *sys.argv, "--threads", str(threads), "--part", part], check=True)
            entries += json.loads(pathlib.Path(part).read_text(encoding="utf-8"))
    return entries


def main():
    entries = run_each() if len(OPTIONS.threads) > 1 else run_all()
    if OPTIONS.part:
        pathlib.Path(OPTIONS.part).write_text(json.dumps(entries), encoding="utf-8")
        return
    if OPTIONS.save:
        machine.save(OPTIONS.save, "compare.py", threads=OPTIONS.threads[0], skipped=SKIPPED, cases=entries)
    if OPTIONS.plot:
        pathlib.Path(OPTIONS.plot).write_text(plot.svg(entries, machine.name()), encoding="utf-8")


if __name__ == "__main__":
    main()
