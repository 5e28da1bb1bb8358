#!/usr/bin/python3
"""Kernels ahead of time with dense entries alone beside those with all entries, whose dense entry is called: how fast
is plain C11? In cache and beyond, by several compilers.

    entries.py [--weft build/cli/weft] [--compilers 'gcc -march=x86-64-v3' ..] [--only WORD] [--least RATIO]

A line is a formula on a type under a compiler: for each number of elements the time of all entries in that of the dense
one alone, the median of pairs that take turns; above 1 plain C11 is faster. Lines with a ratio below --least come once
more at the end."""
import argparse
import ctypes
import os
import statistics
import subprocess
import tempfile
import time

import numpy as np

TYPES = {"uint8": np.uint8, "int16": np.int16, "float16": np.float16, "float32": np.float32, "float64": np.float64}
C_TYPES = {"uint8": "uint8_t", "int16": "int16_t", "float16": "uint16_t", "float32": "float", "float64": "double"}
FORMULAS = {"axb": ("x: T[n], y: T[n]", "x * 3 + y"), "clamp": ("x: T[n]", "clamp(x, 10, 100)"),
            "exp": ("x: T[n]", "exp(x)"), "tanh": ("x: T[n]", "tanh(x)"),
            "length": ("x: T[n], y: T[n]", "sqrt(x * x + y * y)"), "softmax": ("x: T[n]", "softmax(x)"),
            "sum": ("x: T[n]", "sum(x)"), "largest": ("x: T[n]", "max(x)"),
            "uint8": ("x: T[n]", "uint8(x * 1.2 + 10)")}
SIZES = [16, 256, 4096, 65536, 1000000]
COMPILERS = [f"{cc} -march=x86-64-{level}" for cc in ("gcc", "clang") for level in ("v3", "v4")]


def text(name, dtype):
    head, formula = FORMULAS[name]
    return f"kernel {name}_{dtype}({head.replace('T', dtype)}) {{\n    return out = {formula}\n}}\n"


def wrapper(name, dtype):
    inputs = ["x", "y"] if "y:" in FORMULAS[name][0] else ["x"]
    kernel = f"{name}_{dtype}"
    given = ", ".join([*(f"a[{i}]" for i in range(len(inputs))), "n", "a[2]"])
    return (f'#include "{kernel}.h"\nint run_{kernel}(void *const *a, int64_t n, int64_t times)\n{{\n    int bad = 0;\n'
            f"    for (int64_t i = 0; i < times; i++)\n        bad |= {kernel}({given});\n    return bad;\n}}\n")


def build(weft, folder, names, compilers):
    """Returns compiler -> (library of all entries, that of dense ones)."""
    made = {}
    for form in "all", "dense":
        there = f"{folder}/{form}"
        os.mkdir(there)
        with open(f"{there}/k.weft", "w", encoding="utf-8") as file:
            file.write("".join(text(*name) for name in names))
        subprocess.run([weft, "build", f"{there}/k.weft", "-o", there, "-q",
                        *(["--entries", "dense"] if form == "dense" else [])], check=True)
        for name in names:
            with open(f"{there}/run_{'_'.join(name)}.c", "w", encoding="utf-8") as file:
                file.write(wrapper(*name))
        sources = [os.path.join(there, file) for file in sorted(os.listdir(there)) if file.endswith(".c")]
        for number, compiler in enumerate(compilers):
            library = f"{folder}/{form}{number}.so"
            subprocess.run([*compiler.split(), "-O3", "-w", "-shared", "-fPIC", f"-I{there}", *sources, "-lm", "-o",
                            library], check=True)
            made.setdefault(compiler, []).append(ctypes.CDLL(library))
    return made


def operands(dtype, count):
    random = np.random.default_rng(1)
    values = random.integers(0, 200, count) if np.dtype(TYPES[dtype]).kind in "iu" else random.uniform(-3, 3, count)
    x, y = values.astype(TYPES[dtype]), values[::-1].astype(TYPES[dtype])
    return [np.ascontiguousarray(x), np.ascontiguousarray(y)]


def ratio(functions, arrays, count, budget):
    """The time of all entries in that of dense ones alone."""
    results = [np.zeros(count + 16, np.float64) for _ in functions]
    places = [(ctypes.c_void_p * 3)(*(a.ctypes.data for a in arrays), out.ctypes.data) for out in results]
    times = 1

    def timed(i):
        begin = time.process_time()
        assert functions[i](places[i], ctypes.c_int64(count), ctypes.c_int64(times)) == 0
        return time.process_time() - begin

    while timed(0) < budget / 20 and times < 1 << 24:
        times *= 2
    assert timed(1) >= 0
    pairs = []
    for turn in range(9):
        taken = [timed(i) for i in ((0, 1) if turn % 2 else (1, 0))]
        pairs.append(taken[0] / taken[1] if turn % 2 else taken[1] / taken[0])
    return statistics.median(pairs), results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--weft", default="build/cli/weft")
    parser.add_argument("--compilers", nargs="*", default=COMPILERS)
    parser.add_argument("--only", default="")
    parser.add_argument("--least", type=float, default=0.9)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=0.04, help="of processor time for 20 halves of a pair")
    args = parser.parse_args()
    names = [(name, dtype) for name in FORMULAS for dtype in TYPES if args.only in f"{name}_{dtype}"]
    low = []
    with tempfile.TemporaryDirectory() as folder:
        made = build(args.weft, folder, names, args.compilers)
        print(f"{'':34}" + "".join(f"{size:9}" for size in args.sizes))
        for name in names:
            for compiler, libraries in made.items():
                functions = [getattr(library, f"run_{'_'.join(name)}") for library in libraries]
                found = []
                for size in args.sizes:
                    own, results = ratio(functions, operands(name[1], size), size, args.seconds)
                    same = np.array_equal(results[0].view(np.uint8), results[1].view(np.uint8))
                    found.append(f"{own:8.2f}{' ' if same else '!'}")
                    if own < args.least:
                        low.append(f"{own:8.2f}  {'_'.join(name):18} {size:8}  {compiler}")
                print(f"{'_'.join(name):16}{compiler.replace('-march=x86-64-', ''):18}" + "".join(found), flush=True)
    print("\n".join(low))


if __name__ == "__main__":
    main()
