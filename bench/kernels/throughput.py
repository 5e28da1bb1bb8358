"""Kernels against the memory they move:

    /usr/bin/python3 bench/kernels/throughput.py [--build build] [--threads 1] [--bytes 512e6] [--save NAME]
    /usr/bin/python3 bench/kernels/throughput.py --sizes [--save NAME]

The first prints, for each formula on arrays of `bytes` read and written together, the time that copying
as many bytes takes (the faster of memcpy and a copy with non-temporal stores, by as many threads) over
the kernel's: 1 is the limit of memory. The second compares kernels on 64 KB to 16 MB, in caches, with
the loop one would write by hand (bench/kernels/plain.c): the loop's time over the kernel's. All take turns in
one run, the best time counts, and each result of Weft's is compared with the loop's first."""
import argparse
import ctypes
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bytes", type=float, default=512e6)
    parser.add_argument("--sizes", action="store_true")
    parser.add_argument("--only", help="formulas whose name holds this")
    parser.add_argument("--save")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each contender of a case")
    return parser.parse_args()


OPTIONS = options()
os.environ["OMP_NUM_THREADS"] = str(OPTIONS.threads)
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:OPTIONS.threads])

import numpy as np  # noqa: E402
from buffers import aligned, compile_c, filled  # noqa: E402
from cases import CASES, GAIN, u8  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402


class Run:
    """One formula on arrays of `total` bytes together: Weft's function, and the plain loop's."""

    def __init__(self, weft, work, case, total, random):
        self.name, self.text, source, target, inputs, gain = case
        each = inputs * np.dtype(source).itemsize + np.dtype(target).itemsize
        count = int(total) // each // 192 * 192
        self.bytes = count * each
        arrays = [filled(count, source, random) for _ in range(inputs)]
        self.out = aligned(count, target)
        shaped = (lambda a: a.reshape(-1, 3)) if gain else (lambda a: a)
        named = {name: shaped(a) for name, a in zip("xy", arrays)}
        named.update({"gain": GAIN} if gain else {})
        self.weft, _ = weft.prepared(self.text, named, shaped(self.out))
        also = GAIN if gain else arrays[-1]
        loop = getattr(work, self.name)
        loop.argtypes = [ctypes.c_size_t] + [ctypes.c_void_p] * 3
        self.loop = lambda: loop(count, self.out.ctypes.data, arrays[0].ctypes.data, also.ctypes.data)
        self.check()

    def check(self):
        self.weft()
        got = self.out.copy()
        self.loop()
        if self.name == "exponential":
            same = np.allclose(got, self.out, rtol=1e-6)
        else:
            same = np.array_equal(got, self.out)
        if not same:
            raise SystemExit(f"{self.name}: Weft and the plain loop differ")


def copies(work, total):
    half = int(total) // 2 // 64 * 64
    source, target = aligned(half, u8), aligned(half, u8)
    for name in ("copy_plain", "copy_stream"):
        function = getattr(work, name + ("_threads" if OPTIONS.threads > 1 else ""))
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        yield lambda f=function: f(target.ctypes.data, source.ctypes.data, half)


def large(weft, work, random, cases):
    for case in cases:
        run = Run(weft, work, case, OPTIONS.bytes, random)
        best = machine.measure([run.weft, *copies(work, run.bytes)], OPTIONS.seconds)
        copy = min(best[1:])
        print(f"{run.name:12} {run.text:28} {run.bytes / best[0] / 1e9:7.2f} GB/s   copy "
              f"{run.bytes / copy / 1e9:6.2f}   of copy {copy / best[0]:5.2f}", flush=True)
        yield {"case": run.name, "text": run.text, "bytes": run.bytes, "ms": best[0] * 1e3,
               "copy_ms": copy * 1e3, "of_copy": copy / best[0]}


def small(weft, work, random, cases):
    for case in cases:
        ratios = {}
        for size in (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24):
            run = Run(weft, work, case, size, random)
            best = machine.measure([run.weft, run.loop], OPTIONS.seconds / 5)
            ratios[size >> 10] = best[1] / best[0]
        print(f"{case[0]:12} {case[1]:28}", "  ".join(f"{k} KB {r:5.2f}" for k, r in ratios.items()),
              flush=True)
        yield {"case": case[0], "text": case[1], "times_plain": ratios}


def main():
    print(machine.name(), f"{OPTIONS.threads} thread(s)")
    cases = [case for case in CASES if not OPTIONS.only or OPTIONS.only in case[0]]
    with tempfile.TemporaryDirectory() as scratch:
        work, weft = compile_c(scratch, "common/copy.c", "kernels/plain.c"), library.Weft(OPTIONS.build)
        random = np.random.default_rng(7)
        entries = list((small if OPTIONS.sizes else large)(weft, work, random, cases))
    if OPTIONS.save:
        machine.save(OPTIONS.save, threads=OPTIONS.threads, cases=entries)


if __name__ == "__main__":
    main()
