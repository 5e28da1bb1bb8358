"""A chain of n reductions, each of what the one before gives: `t = t ^ max(t)`. Time and memory are those of n kernels,
not of n squared instructions, and no more memory is asked for than two arrays take, beside what kernels need.

    WEFT=build/cli/weft tests/large/test_chain.py"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import numpy as np

WEFT = os.environ.get("WEFT", "weft")
SEED = 3


def expected(x, count):
    for _ in range(count):
        x = x ^ x.max()
    return x


def compute(x, count):
    """The command's result, and the most memory that it took so far in MB."""
    lines = [f"t{i + 1} = t{i} ^ max(t{i})" for i in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/t0.npy", x)
        pathlib.Path(f"{folder}/chain.txt").write_text("\n".join([*lines, f"t{count}"]))
        with open(f"{folder}/chain.txt") as text:
            subprocess.run([WEFT, "run", "-", f"t0={folder}/t0.npy", "-o", f"{folder}/out.npy"], stdin=text, check=True)
        return np.load(f"{folder}/out.npy"), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main():
    failures = []
    random = np.random.default_rng(SEED)
    for count, elements, most in (100, 1 << 20, 120), (3000, 1000, 1000):
        x = random.integers(0, 1 << 30, elements).astype(np.int32)
        got, memory = compute(x, count)
        if not np.array_equal(got, expected(x, count)):
            failures.append(f"{count} links over {elements} elements: another result")
        if memory > most:
            failures.append(f"{count} links over {elements} elements took {memory:.0f} MB, more than {most}")
    print("\n".join(failures))
    print(f"{4 - len(failures)} passed, {len(failures)} failed, 0 skipped")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
