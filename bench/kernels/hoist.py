"""What hoisting and tables save:

    /usr/bin/python3 bench/kernels/hoist.py [--build build] [--seconds 1] [--save NAME]

exp(row) + exp(column) on (1000, 1000) float64 against loops written by hand (bench/kernels/hoist.c, gcc -O3
-march=native -fno-math-errno -fno-trapping-math -ffp-contract=off), and costly functions of uint8
against the same kernels without tables. One thread; all contenders take turns in one run, the best
time counts; results are compared first."""
import argparse
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

import numpy as np  # noqa: E402
from cases import TABLES  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402

SIDE = 1000


def loops(scratch):
    """The hand-written loops: names and functions."""
    for name, flags in (("libmvec declared", ["-DVECTOR_EXP"]), ("exp of libm", [])):
        path = f"{scratch}/{len(flags)}.so"
        subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno",
                        "-fno-trapping-math", *flags, "-DSUM=sum", "-DFUSED=fused", "-shared", "-fPIC",
                        "-o", path, str(ROOT / "bench/kernels/hoist.c"), "-lmvec", "-lm"], check=True)
        code = ctypes.CDLL(path)
        yield f"two loops, {name}", code.sum
        yield f"one loop, {name}", code.fused


def context(build, disable):
    os.environ["WEFT_DISABLE"] = disable
    return library.Weft(build)


def sums(build, scratch, seconds):
    random = np.random.default_rng(3)
    row, column = random.standard_normal(SIDE), random.standard_normal((SIDE, 1))
    out = np.zeros((SIDE, SIDE))
    inputs, text = {"row": row, "column": column}, "exp(row) + exp(column)"
    contenders = [("Weft", context(build, "").prepared(text, inputs, out)[0]),
                  ("Weft without", context(build, "hoist, row").prepared(text, inputs, out)[0])]
    for name, loop in loops(scratch):
        loop.argtypes = [ctypes.c_size_t] + [ctypes.c_void_p] * 3
        contenders.append((name, lambda f=loop: f(SIDE, out.ctypes.data, row.ctypes.data,
                                                  column.ctypes.data)))
    for _, function in contenders:
        out[...] = 0
        function()
        assert np.allclose(out, np.exp(row) + np.exp(column), rtol=1e-12)
    best = machine.measure([function for _, function in contenders], seconds)
    print(f"{text} on {out.shape} float64: {best[0] * 1e3:.2f} ms")
    for (name, _), t in zip(contenders[1:], best[1:]):
        print(f"  {name:32} {t / best[0]:6.2f} times as long")
    return {name: t / best[0] for (name, _), t in zip(contenders[1:], best[1:])}


def tables(build, seconds):
    x = np.random.default_rng(4).integers(0, 256, 1 << 18, np.uint8)
    ratios, fast, slow = {}, context(build, ""), context(build, "table")
    for text, dtype in TABLES:
        outs = np.zeros(x.shape, dtype), np.zeros(x.shape, dtype)
        functions = [weft.prepared(text, {"x": x}, out)[0] for weft, out in zip((fast, slow), outs)]
        for function in functions:
            function()
        assert np.array_equal(*outs)
        best = machine.measure(functions, seconds)
        ratios[text] = best[1] / best[0]
        print(f"{text:36} {best[0] / x.size * 1e9:6.3f} ns an element, "
              f"directly {ratios[text]:6.2f} times as long")
    return ratios


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each contender")
    parser.add_argument("--save")
    options = parser.parse_args()
    print(machine.name(), "1 thread")
    with tempfile.TemporaryDirectory() as scratch:
        result = {"sum": sums(options.build, scratch, options.seconds),
                  "table": tables(options.build, options.seconds)}
    if options.save:
        machine.save(options.save, threads=1, **result)


if __name__ == "__main__":
    main()
