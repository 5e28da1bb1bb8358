"""Whether kernels became slower: those of this tree and of another one, in turns, in one process on the same arrays.

    /usr/bin/python3 bench/kernels/kernel_pairs.py [--pairs 31] [--bytes 64e6] [--seconds 0.03] [--only NAME] OTHER

OTHER is a checkout of what to compare with; both are built, in build/. What a process gets of memory and of the machine
is the same for both here, so the intervals are a fifth of those of pairs.py, which times whole benches. One thread. The
formulas are those of throughput.py and the tables of hoist.py; the bits of the results are compared first, and where
they differ (by a better polynomial, say) this is told. For each come the median of the pairs' ratios, this tree's time
over the other's, and the interval that holds the median with 95 % confidence. A pair takes the best of three turns,
each of --seconds. Above 1.03 at its upper end a formula is marked."""
import argparse
import importlib.util
import os
import pathlib
import statistics
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "bench/common"), str(ROOT / "bench")]

import numpy as np  # noqa: E402
from buffers import aligned, filled  # noqa: E402
from cases import CASES, GAIN, TABLES  # noqa: E402
from pairs import LIMIT, interval  # noqa: E402

TABLE_ELEMENTS = 1 << 18                                # of bench/kernels/hoist.py: in cache


def load(tree):
    """The library of a tree, by that tree's own declarations of its structs."""
    spec = importlib.util.spec_from_file_location(f"library_{tree.name}", next(tree.glob("bench/**/library.py")))
    library = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(library)
    return library.Weft(tree / "build")


def seconds(function, times):
    begin = time.perf_counter()
    for _ in range(times):
        function()
    return (time.perf_counter() - begin) / times


def functions(libraries, case, total):
    """What each library does with the case's arrays, after their results have been compared."""
    _, text, source, target, inputs, gain = case
    each = inputs * np.dtype(source).itemsize + np.dtype(target).itemsize
    count, random = int(total) // each // 192 * 192, np.random.default_rng(1)
    arrays, out = [filled(count, source, random) for _ in range(inputs)], aligned(count, target)
    shaped = (lambda a: a.reshape(-1, 3)) if gain else (lambda a: a)
    named = {**dict(zip("xy", map(shaped, arrays))), **({"gain": GAIN} if gain else {})}
    found, bits = [library.prepared(text, named, shaped(out))[0] for library in libraries], []
    for function in found:
        out.view(np.uint8)[...] = 0
        function()
        bits.append(out.tobytes())
    return found, bits[0] == bits[1]


def ratio(found, times, pair, turns=3):
    best = [float("inf")] * 2
    for turn in range(turns):
        for which in ((0, 1), (1, 0))[(pair + turn) % 2]:
            best[which] = min(best[which], seconds(found[which], times))
    return best[0] / best[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--bytes", type=float, default=64e6)
    parser.add_argument("--seconds", type=float, default=0.03)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    libraries, slower, done = [load(ROOT), load(options.other)], 0, 0
    cases = [(case, options.bytes) for case in CASES]
    cases += [(("table", text, np.uint8, dtype, 1, False), TABLE_ELEMENTS * (1 + np.dtype(dtype).itemsize))
              for text, dtype in TABLES]
    for case, total in cases:
        if options.only not in case[0]:
            continue
        found, same = functions(libraries, case, total)
        times = max(1, int(options.seconds / seconds(found[0], 3)))
        ratios = [ratio(found, times, pair) for pair in range(options.pairs)]
        low, high = interval(ratios)
        slower, done = slower + (high > LIMIT), done + 1
        print(f"{statistics.median(ratios):6.3f}  {low:6.3f} to {high:6.3f} {'!' if high > LIMIT else ' '}  "
              f"{case[0]} {case[1]}{'' if same else ', results have other bits'}", flush=True)
    print(f"{done} formulas, {options.pairs} pairs, {slower} above {LIMIT}")
    return 1 if slower or not done else 0


if __name__ == "__main__":
    sys.exit(main())
