"""First calls of programs of one to eight kernels, cold, beside waiting for the C compiler:

    /usr/bin/python3 bench/calls/first.py [--turns 5] [--only WORD ..] [--compile] [--save NAME]

In a new context without a cache a program is called ten times. A line for each program: ms that its first call takes
where every call waits for the compiler (tier none), processor time of the compiler for it, and what a good call takes;
the slowest of the first ten calls over that wait; and all ten over that wait and ten good calls together. Each number
is the median of turns taken one after the other, and the calls at the end are those of one. Above 1.2 and 1 the exit
status is 1. With --compile only waits are taken. A busy machine makes all of it slower, the compiler most."""
import argparse
import os
import pathlib
import resource
import statistics
import sys
import time

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "common")]
import machine  # noqa: E402
import weft  # noqa: E402

LARGE, SMALL = (2000, 2000), (100, 100)
# word: the text, and the shape of its operands
PROGRAMS = {
    "add": ("x + y", LARGE), "add, small": ("x + y", SMALL), "axpb": ("x * 2 + y", LARGE),
    "polynomial": ("((x * 2 + 1) * x + 3) * x + y", LARGE), "divide": ("x / (y + 1)", LARGE),
    "sqrt": ("sqrt(x * x + y * y)", LARGE), "sum": ("sum(x)", LARGE), "sum, small": ("sum(x)", SMALL),
    "rows": ("sum(x, -1)", LARGE), "columns": ("sum(x, 0)", LARGE), "norm": ("norm(x, -1)", LARGE),
    "normalize": ("x / norm(x, -1, true)", LARGE), "max": ("max(x)", LARGE), "argmax": ("argmax(x, -1)", LARGE),
    "range": ("(x - min(x)) / (max(x) - min(x))", LARGE), "standardize": ("(x - mean(x)) / std(x)", LARGE),
    "layernorm": ("d = x - mean(x, -1, true); d / sqrt(mean(d * d, -1, true) + 1e-5)", LARGE),
    "laplace": ("offset(x, [1, 0]) + offset(x, [-1, 0]) + offset(x, [0, 1]) + offset(x, [0, -1]) - 4 * x", LARGE),
    "several": ("return x + y, sum(x, 0), max(y, axes=-1), x[::2] * 2, mean(x * y)", LARGE),
    "eight": ("return x * y, sum(x, -1), sum(y * y, 0), max(x), x[1:] - x[:-1], x[:, 1:] - x[:, :-1]", LARGE)}


def call(program, context):
    """Seconds of one."""
    text, shape = PROGRAMS[program]
    used = {name: ARRAYS[shape][name] for name in "xy" if name in text.replace("max", "").replace("axes", "")}
    start = time.perf_counter()
    weft.evaluate(text, used, context=context)
    return time.perf_counter() - start


ARRAYS = {shape: {name: np.random.default_rng(1).random(shape, np.float32) for name in "xy"}
          for shape in (LARGE, SMALL)}


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def waits(program):
    """The first call that waits, the compiler's processor time for it, and a good call."""
    context, before = weft.Context(tier="none"), children()
    first = call(program, context)
    compiler = children() - before
    good = statistics.median(call(program, context) for _ in range(10))
    context.close()
    return first, compiler, good


def first_ten(program):
    context = weft.Context()
    calls = [call(program, context) for _ in range(10)]
    context.close()
    return calls


def measure(program, turns, only_compile):
    rows = []
    for _ in range(turns):
        wait, compiler, good = waits(program)
        calls = [0.0] if only_compile else first_ten(program)
        rows.append((wait, compiler, good, max(calls) / wait, sum(calls) / (wait + 10 * good), calls))
    median = [statistics.median(row[k] for row in rows) for k in range(5)]
    shown = sorted(row[5] for row in rows)[turns // 2]
    return dict(zip(("wait", "compiler", "good", "slowest", "together"), median)), shown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--only", nargs="+", default=list(PROGRAMS))
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--save")
    args = parser.parse_args()
    os.environ["WEFT_DISABLE"] = ",".join(filter(None, [os.environ.get("WEFT_DISABLE"), "cache"]))
    entries, over = [], 0
    for program in args.only:
        found, calls = measure(program, args.turns, args.compile)
        over += found["slowest"] > 1.2 or found["together"] > 1
        entries.append({"program": program, **{k: round(v, 4) for k, v in found.items()}})
        print(f"{program:14} wait {found['wait'] * 1e3:7.1f} ms (compiler {found['compiler'] * 1e3:7.1f})  good "
              f"{found['good'] * 1e3:6.2f}  slowest {found['slowest']:5.2f}  together {found['together']:5.2f}  "
              + " ".join(f"{c * 1e3:.0f}" for c in calls), flush=True)
    if args.save:
        machine.save(args.save, cases=entries)
    return over > 0


if __name__ == "__main__":
    sys.exit(main())
