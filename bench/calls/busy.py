"""Runs on several threads where processors are taken by something else:

    /usr/bin/python3 bench/calls/busy.py [--build build] [--threads 2] [--runs 200] [--only NAME] [--save NAME]

Each case runs on one thread and on `threads`, in turns of 20 runs: on a machine that is quiet as far as this script
knows; beside a process that computes, or copies memory; beside as many of them as there are processors; beside the
threads of an OpenMP library in the same process that spin while they wait for work; and beside those of PyTorch, where
it is installed, with an operation of its own on two threads in front of each run. Printed are the median of all runs on
threads and their 95th percentile, both over the median of the runs on one thread, and the latter's own 95th percentile
as a measure of how noisy the machine was. With one processor taken a median above 1.2, or a percentile above 1.6 that
is not the noise of one thread as well, makes the exit status 1."""
import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--only", help="cases or surroundings whose name holds this")
    parser.add_argument("--save")
    return parser.parse_args()


OPTIONS = options()
os.environ.update(OMP_WAIT_POLICY="active", GOMP_SPINCOUNT="infinity", OMP_NUM_THREADS="2")

import numpy as np  # noqa: E402
import buffers  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402

TURN, MEDIAN, TAIL = 20, 1.2, 1.6
COMPUTE = "while True: pass"
COPY = """
import numpy
a = numpy.ones(1 << 25, numpy.uint8)
b = a.copy()
while True: numpy.copyto(a, b)
"""
SPIN = """
void team(void)
{
    #pragma omp parallel
    __asm__ volatile("");
}
"""
f32, u8 = np.float32, np.uint8
GAIN = np.array([1.25, 0.75, 0.5], f32)
# name, text, element type of x, elements, has a gain
CASES = [
    ("clamp", "uint8(clamp(x * gain, 128, 255))", u8, 10_000_000, True),
    ("normalize", "(x - 127.5) * 0.0078125", u8, 10_000_000, False),
    ("exponential", "exp(x) * 2", f32, 1_000_000, False),
    ("add", "x + x", f32, 100_000, False),
]


class Surroundings:
    """Processes, or threads of this one, that take processors while the block runs; `before` is called in front of each
    run."""

    def __init__(self, name, *programs, team=False, before=None, judged=False):
        self.name, self.programs, self.team, self.before, self.judged = name, programs, team, before, judged
        self.children = []

    def __enter__(self):
        self.children = [subprocess.Popen([sys.executable, "-c", program])
                         for program in self.programs]
        if self.team:
            with tempfile.TemporaryDirectory() as scratch:
                source = pathlib.Path(scratch, "team.c")
                source.write_text(SPIN, encoding="utf-8")
                subprocess.run(["cc", "-fopenmp", "-shared", "-fPIC", "-o", f"{scratch}/team.so", source], check=True)
                ctypes.CDLL(f"{scratch}/team.so").team()
        time.sleep(0.5 if self.programs else 0)

    def __exit__(self, *_):
        for child in self.children:
            child.kill()
            child.wait()


def torch_operation():
    """An addition that PyTorch's threads share; None without PyTorch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(2)
    a = torch.ones(1 << 20)
    b = torch.empty_like(a)
    return lambda: torch.add(a, a, out=b)


def surroundings():
    processors = len(os.sched_getaffinity(0))
    yield Surroundings("quiet")
    yield Surroundings("one computes", COMPUTE, judged=True)
    yield Surroundings("one copies", COPY, judged=True)
    yield Surroundings("all compute", *[COMPUTE] * processors)
    # the last: their threads spin until the process ends
    yield Surroundings("OpenMP spins", team=True, judged=True)
    operation = torch_operation()
    if operation:
        yield Surroundings("PyTorch spins", before=operation, judged=True)
    else:
        print("PyTorch spins: skipped, PyTorch is not installed")


def prepared(case, contexts):
    _, text, dtype, count, gain = case
    count = count // 3 * 3
    x = buffers.filled(count, dtype, np.random.default_rng(7))
    out = buffers.aligned(count, f32 if "uint8" not in text else u8)
    shaped = (lambda a: a.reshape(-1, 3)) if gain else (lambda a: a)
    named = {"x": shaped(x), **({"gain": GAIN} if gain else {})}
    return [context.prepared(text, named, shaped(out))[0] for context in contexts]


def times(runs, before):
    """Milliseconds of all runs of each function, in turns; `before` is no part of them."""
    found = [[] for _ in runs]
    while len(found[0]) < OPTIONS.runs:
        for run, mine in zip(runs, found):
            for _ in range(TURN):
                before()
                start = time.perf_counter()
                run()
                mine.append((time.perf_counter() - start) * 1e3)
    return [sorted(mine) for mine in found]


def measured(case, around, contexts):
    one, many = times(prepared(case, contexts), around.before or (lambda: None))
    base, tail = statistics.median(one), len(one) * 95 // 100
    entry = {"case": case[0], "beside": around.name, "one_ms": base, "median": statistics.median(many) / base,
             "percentile": many[tail] / base, "one_percentile": one[tail] / base}
    bad = around.judged and (entry["median"] > MEDIAN or entry["percentile"] > max(TAIL, entry["one_percentile"]))
    print(f"{around.name:13} {case[0]:12} one thread {base:7.3f} ms, 95 % {entry['one_percentile']:5.2f}   "
          f"{OPTIONS.threads} threads {entry['median']:5.2f}, 95 % {entry['percentile']:5.2f}{' !' if bad else ''}",
          flush=True)
    return entry, bad


def main():
    print(machine.name())
    contexts = [library.Weft(OPTIONS.build, threads=n) for n in (1, OPTIONS.threads)]
    entries, wrong = [], 0
    for around in surroundings():
        chosen = [case for case in CASES
                  if not OPTIONS.only or OPTIONS.only in case[0] or OPTIONS.only in around.name]
        if chosen:
            with around:
                for case in chosen:
                    entry, bad = measured(case, around, contexts)
                    entries.append(entry)
                    wrong += bad
    if OPTIONS.save:
        machine.save(OPTIONS.save, threads=OPTIONS.threads, cases=entries)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
