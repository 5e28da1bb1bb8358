"""Several reductions of one operand in one program, beside the same ones in programs of their own, and beside NumPy:
processor time, the least of turns taken one after the other.

    WEFT_DISABLE=first /usr/bin/python3 bench/kernels/together.py [--elements 1e3 1e6 1e8] [--rows 3 300 1e5]
                                                   [--cases ..] [--seconds 0.3]

A line for each case and shape: milliseconds together, and over that what takes them apart and NumPy take. Shapes are
one row of all elements, rows of so many, and their columns."""
import argparse
import os
import pathlib
import sys
import time

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "common")]
import machine  # noqa: E402
import weft  # noqa: E402

# word: the reductions, with A for the axis, and what NumPy computes
CASES = {"min, max": (["min(x, axes=A)", "max(x, axes=A)"], "x.min(A), x.max(A)"),
         "sum, max": (["sum(x, axes=A)", "max(x, axes=A)"], "x.sum(A), x.max(A)"),
         "mean, min, max": (["mean(x, axes=A)", "min(x, axes=A)", "max(x, axes=A)"], "x.mean(A), x.min(A), x.max(A)"),
         "mean, std": (["mean(x, axes=A)", "std(x, axes=A)"], "x.mean(A), x.std(A)"),
         "argmax, max": (["argmax(x, axes=A)", "max(x, axes=A)"], "x.argmax(A), x.max(A)"),
         "max, min of a * b": (["max(x * y, axes=A)", "min(x * y, axes=A)"], "(x * y).max(A), (x * y).min(A)")}


def shapes(elements, rows):
    """The shape, the axis in Weft and in NumPy, in words."""
    yield (elements,), "[0]", 0, f"{elements:.0e}"
    for length in (r for r in rows if r < elements):
        count = elements // length
        yield (count, length), "[1]", 1, f"{count} rows of {length}"
        yield (count, length), "[0]", 0, f"{length} columns of {count}"


def measure(texts, other, shape, axis, number, seconds, context):
    x, y = (np.random.default_rng(k).random(shape, np.float32) + 1 for k in (1, 2))
    used = {"x": x, "y": y} if "y" in texts[0] else {"x": x}
    texts = [text.replace("A", axis) for text in texts]

    def program(text):
        out = weft.evaluate(text, used, context=context)
        keep = [np.asarray(o) for o in out] if isinstance(out, (list, tuple)) else np.asarray(out)
        return lambda: weft.evaluate(text, used, context=context, out=keep)

    single = [program(text) for text in texts]
    function = eval(f"lambda: ({other.replace('A', str(number))})", {"x": x, "y": y})
    runs = [program("return " + ", ".join(texts)), lambda: [run() for run in single], function]
    return machine.measure(runs, seconds, least=0.02, clock=time.process_time)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=float, nargs="+", default=[1e3, 1e4, 1e5, 1e6, 1e7, 1e8])
    parser.add_argument("--rows", type=float, nargs="+", default=[3, 16, 100, 300, 1000, 1e4, 1e5])
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--seconds", type=float, default=0.1)
    args = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    context = weft.Context(threads=1)
    for case in args.cases:
        print(case)
        for elements in args.elements:
            for shape, axis, number, words in shapes(int(elements), [int(r) for r in args.rows]):
                own, apart, numpy = measure(*CASES[case], shape, axis, number, args.seconds, context)
                print(f"  {words:28} {own * 1e3:9.4f} ms  apart {apart / own:5.2f}  numpy {numpy / own:5.2f}",
                      flush=True)


if __name__ == "__main__":
    main()
