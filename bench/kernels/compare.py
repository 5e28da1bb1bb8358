"""Throughput of Weft and its peers, in one process and on the same buffers:

    /usr/bin/python3 bench/kernels/compare.py [--build build] [--threads 1] [--save NAME] [--scale 1.0]
    /usr/bin/python3 bench/kernels/compare.py --sizes --threads 1 2 [--save NAME] [--plot FILE.svg]

The cases are those of compare_cases.py. Every contender's result is compared with Weft's first. Times are the best of
many runs, taken in turns, so that a slow spell of the machine hits all alike; a turn begins with calls that do not
count, on several threads with so many that all of them are awake: some contenders wait for a thread that sleeps, others
compute alone meanwhile. `of copy` is the time that copying the same bytes takes (read plus written; the faster of
memcpy and a copy with non-temporal stores) over the time taken: 1 is the limit of memory. NumPy is required; numexpr,
blosc2, JAX and PyTorch (eager and compiled) take part where they are installed and can, and are named as skipped where
they are not or cannot. JAX, blosc2 and eager PyTorch return a new array each time; everybody else writes into the same
one. With --threads N the process may use N processors; each of several numbers has a process of its own. --sizes goes
from a thousand to ten million elements, or takes the numbers given. At the end come the cases in which a peer was
faster, and by how much. --save writes bench/results/NAME.json, --plot draws it (plot.py)."""
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--sizes", type=float, nargs="*", help="elements; 1e3 to 1e7 without a number")
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
PAUSE = 0.01  # seconds: threads of OpenMP spin for some milliseconds before they sleep
for variable in ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "MKL_NUM_THREADS", "BLOSC_NTHREADS"):
    os.environ[variable] = str(THREADS)
if hasattr(os, "sched_setaffinity") and len(OPTIONS.threads) == 1:
    # The one limit that every contender obeys.
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:THREADS])
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import numpy as np  # noqa: E402
from compare_cases import aligned, cases  # noqa: E402
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
if jax:
    jax.config.update("jax_enable_x64", True)
if torch:
    torch.set_num_threads(THREADS)
    torch.set_grad_enabled(False)

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

    if case.numpy:
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
        yield "numexpr", lambda: numexpr.evaluate(case.numexpr, case.names, out=case.out), lambda got: got


def of_blosc2(case):
    if blosc2 and case.numexpr:
        yield "blosc2", lambda: blosc2.evaluate(case.numexpr, case.names), np.asarray


def of_jax(case):
    if jax:
        jnp = jax.numpy
        words = types.SimpleNamespace(array=jnp.asarray, f32=lambda x: x.astype(jnp.float32), clip=jnp.clip,
                                      rint=jnp.rint, u8=lambda x: x.astype(jnp.uint8), sqrt=jnp.sqrt, exp=jnp.exp,
                                      log=jnp.log, erf=jax.scipy.special.erf, where=jnp.where, softmax=jax.nn.softmax)
        held = [jnp.asarray(array) for array in case.inputs.values()]
        function = jax.jit(lambda *inputs: case.formula(words, *inputs))
        yield "JAX", lambda: function(*held).block_until_ready(), np.asarray


def of_torch(case):
    if torch:
        words = types.SimpleNamespace(array=torch.from_numpy, f32=lambda x: x.to(torch.float32), clip=torch.clip,
                                      rint=torch.round, u8=lambda x: x.to(torch.uint8), sqrt=torch.sqrt,
                                      exp=torch.exp, log=torch.log, erf=torch.erf, where=torch.where,
                                      softmax=lambda x: torch.softmax(x, -1))
        held, out = [torch.from_numpy(array) for array in case.inputs.values()], torch.from_numpy(case.out)
        yield "PyTorch", lambda: case.formula(words, *held), lambda got: got.numpy()
        torch._dynamo.reset()
        # What is written into `out` becomes part of the one kernel.
        function = torch.compile(lambda out, *inputs: out.copy_(case.formula(words, *inputs)), dynamic=False)
        yield "PyTorch compiled", lambda: function(out, *held), lambda got: got.numpy()


def run_case(weft, work, case):
    print(f"\n{case.name}   {case.text[:70]!r}   {case.out.size} elements, {case.bytes() / 1e6:.4g} MB")
    names, functions, seconds = zip(*contenders(weft, work, case))
    several = THREADS > 1
    best = dict(zip(names, machine.measure(functions, OPTIONS.seconds, least=1e-3 if several else 1e-4,
                                           pause=PAUSE if several else 0, own=True)))
    copy = min(best.pop("copy_plain"), best.pop("copy_stream"))
    entry = {"case": case.name, "text": case.text, "threads": THREADS, "elements": case.out.size,
             "bytes": case.bytes(), "copy_ms": copy * 1e3,
             "kernel_ms": seconds[0] * 1e3, "ms": {name: t * 1e3 for name, t in best.items()},
             "of_copy": {name: copy / t for name, t in best.items()}}
    if "NumPy" in best:
        entry["times_numpy"] = {name: best["NumPy"] / t for name, t in best.items()}
    for name, t in best.items():
        times = f"   NumPy x {best['NumPy'] / t:6.2f}" if "NumPy" in best else ""
        print(f"  {name:16} {t * 1e3:9.4g} ms {case.bytes() / t / 1e9:7.2f} GB/s   of copy {copy / t:5.2f}{times}",
              flush=True)
    return entry


def run_all():
    print(machine.name(), f"{THREADS} thread(s)")
    print(", ".join(f"{name} {version}" for name, version in machine.versions().items()))
    print("skipped, not installed:", ", ".join(SKIPPED) or "none")
    sizes = [None] if OPTIONS.sizes is None else map(int, OPTIONS.sizes or [10 ** k for k in range(3, 8)])
    with tempfile.TemporaryDirectory() as scratch:
        path = f"{scratch}/copy.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", path, str(ROOT / "bench/common/copy.c")], check=True)
        work, weft = ctypes.CDLL(path), library.Weft(OPTIONS.build)
        return [run_case(weft, work, case) for size in sizes for case in cases(size, OPTIONS.scale)
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


def print_behind(entries):
    """The cases in which a peer took less time, each with the fastest one."""
    behind = []
    for entry in entries:
        times = dict(entry["ms"])
        own = times.pop("Weft")
        peer = min(times, key=times.get, default=None)
        if peer and times[peer] < own:
            behind.append(f"  {entry['case']}, {entry['elements']} elements, {entry['threads']} thread(s): "
                          f"{peer} takes {times[peer] / own:.2f} of Weft's time")
    print(f"\n{len(entries)} measured, a peer is ahead in {len(behind)}", *behind, sep="\n")


def main():
    entries = run_each() if len(OPTIONS.threads) > 1 else run_all()
    if OPTIONS.part:
        pathlib.Path(OPTIONS.part).write_text(json.dumps(entries), encoding="utf-8")
        return
    print_behind(entries)
    if OPTIONS.save:
        machine.save(OPTIONS.save, threads=OPTIONS.threads[0], skipped=SKIPPED, cases=entries)
    if OPTIONS.plot:
        pathlib.Path(OPTIONS.plot).write_text(plot.svg(entries, machine.name()), encoding="utf-8")


if __name__ == "__main__":
    main()
