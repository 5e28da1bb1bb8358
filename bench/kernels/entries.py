#!/usr/bin/python3
"""Kernels ahead of time with dense entries alone beside those with all entries, whose dense entry is called: how fast
is plain C11? In cache and beyond, by several compilers.

    entries.py [--weft build/cli/weft] [--compilers 'gcc -march=x86-64-v3' ..] [--only REGEX] [--casts] [--least RATIO]

A line is a formula on a type under a compiler: for each number of elements the time of all entries in that of the dense
one alone, the median of pairs that take turns; above 1 plain C11 is faster. `!`: the results differ. Lines with a ratio
below --least come once more at the end. --casts times conversions between all types instead."""
import argparse
import concurrent.futures
import ctypes
import os
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np

C_TYPES = {"bool": "bool", "float16": "uint16_t", "bfloat16": "uint16_t", "float32": "float", "float64": "double"}
ALL = ["uint8", "int16", "float16", "float32", "float64"]
FLOATS = ["float16", "float32", "float64"]
EVERY = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
         "float32", "float64"]
SIZES = [16, 256, 4096, 65536, 1000000]
COMPILERS = [f"{cc} -march=x86-64-{level}" for cc in ("gcc", "clang") for level in ("v3", "v4")]


def flat(count):
    return {"n": count}


def rows(length):
    return lambda count: {"n": min(length, count), "m": max(count // length, 1)}


def picture(count):
    return {"h": max(count // 192, 1), "w": min(64, max(count // 3, 1))}


# name: inputs, formula, types, extents of so many elements
FORMULAS = {
    "axb": ("a: T[], x: T[n], b: T[]", "a * x + b", ALL, flat),
    "add": ("x: T[n], y: T[n]", "x * 3 + y", ALL, flat),
    "inplace": ("x: T[n], y: T[n]", "x ^ y", ["uint8", "int16"], flat), # the result is x
    "scaled": ("x: T[n], y: T[n]", "x * 0.5 + y", ["float32", "float64"], flat), # so is this
    "clamp": ("x: T[n]", "clamp(x, 10, 100)", ALL, flat),
    "clamped": ("x: T[n]", "uint8(clamp(x * 1.2 + 10, 16, 235))", ["uint8", "float32"], flat),
    "uint8": ("x: T[n]", "uint8(x * 1.2 + 10)", ALL, flat),
    "int16": ("x: T[n]", "int16(x * 1.2 + 10)", ALL, flat),
    "half": ("x: T[n]", "float16(x * 1.2 + 10)", ALL, flat),
    "longer": ("x: T[n], y: T[n]", "where(x < y, (x - y) * 2, x + y * 3) - x", ALL, flat),
    "length": ("x: T[n], y: T[n]", "sqrt(x * x + y * y)", ALL, flat),
    "exp": ("x: T[n]", "exp(x)", ALL, flat),
    "gauss": ("x: T[n]", "exp(-0.5 * x * x) * 0.4", FLOATS, flat),
    "tanh": ("x: T[n]", "tanh(x)", ALL, flat),
    "log": ("x: T[n]", "log(abs(x) + 1)", FLOATS, flat),
    "sin": ("x: T[n]", "sin(x)", FLOATS, flat),
    "power": ("x: T[n]", "abs(x) ** 1.5", FLOATS, flat),
    "sigmoid": ("x: T[n]", "1 / (1 + exp(-x))", FLOATS, flat),
    "softmax": ("x: T[n]", "softmax(x)", ALL, flat),
    "sum": ("x: T[n]", "sum(x)", ALL, flat),
    "squares": ("x: T[n]", "sum(x * x)", ALL, flat),
    "largest": ("x: T[n]", "max(x)", ALL, flat),
    "mean": ("x: T[n]", "mean(x)", ALL, flat),
    "argmax": ("x: T[n]", "argmax(x)", ALL, flat),
    "sums": ("x: T[m, n]", "sum(x, axis=-1)", ALL, rows(100)),
    "sums4": ("x: T[m, n]", "sum(x, axis=-1)", ["uint8", "float32"], rows(4)),
    "columns": ("x: T[m, n]", "sum(x, axis=0)", ["uint8", "float32"], rows(100)),
    "largests": ("x: T[m, n]", "max(x, axis=-1)", ALL, rows(100)),
    "columns3": ("x: T[m, n]", "sum(x, axis=0)", ["uint8", "float32", "float64"], rows(3)),
    "columns7": ("x: T[m, n]", "sum(x, axis=0)", ["uint8", "float32"], rows(7)),
    "columns1000": ("x: T[m, n]", "mean(x * x, axis=0)", ["float16", "float32", "float64"], rows(1000)),
    "tops": ("x: T[m, n]", "max(x, axis=0)", ["uint8", "int32", "float32", "float64"], rows(100)),
    "sums3": ("x: T[m, n]", "sum(x, axis=-1)", ["int32", "float32", "float64"], rows(3)),
    "sums17": ("x: T[m, n]", "sum(x, axis=-1)", ["uint8", "int32", "float16", "float32", "float64"], rows(17)),
    "sums1100": ("x: T[m, n]", "sum(x * x, axis=-1)", ["uint8", "int32", "float16", "float32", "float64"], rows(1100)),
    "places": ("x: T[m, n]", "argmax(x, axis=-1)", ["uint8", "float32"], rows(100)),
    "halfrows": ("x: T[m, n], y: T[n]", "x * 3 + y", ["float16"], rows(100)),
    "softmaxes": ("x: T[m, n]", "softmax(x, axis=-1)", ["float16", "float32"], rows(100)),
    "normalize": ("x: T[m, n]", "(x - mean(x, axis=-1)[:, None]) / std(x, axis=-1)[:, None]", ["uint8", "float32"],
                  rows(100)),
    "headline": ("x: T[h, w, 3], gain: float32[3]", "uint8(x * gain + 0.5)", ["uint8", "float32"], picture),
    "gray": ("x: T[h, w, 3]", "uint8(sum(x * [0.299, 0.587, 0.114], axis=-1))", ["uint8"], picture),
    "luma": ("x: T[h, w, 3]", "uint8(x[:, :, 0] * 0.299 + x[:, :, 1] * 0.587 + x[:, :, 2] * 0.114)", ["uint8"],
             picture),
    "planes": ("x: T[h, w, 3]", "(float32(x) - [123.7, 116.3, 103.5]) / [58.4, 57.1, 57.4]", ["uint8"], picture),
    "flip": ("x: T[m, n]", "x[:, ::-1]", ["uint8", "float32"], rows(100)),
    "transposed": ("x: T[m, n]", "transpose(x) + 1", ["uint8", "float32"], rows(100)),
    "outer": ("x: T[m, 1], y: T[1, n]", "x * 2 + y", ["uint8", "float32"], rows(100)),
    "biased": ("x: T[m, n], y: T[n]", "x * 2 + y", ["uint8", "float32"], rows(100)),
}
FORMULAS |= {f"to_{to}": ("x: T[n]", f"{to}(x)", [other for other in EVERY if other != to], flat) for to in EVERY}


class Case:
    def __init__(self, name, dtype):
        head, self.formula, _, self.extents = FORMULAS[name]
        self.head, self.name = head.replace("T[", f"{dtype}["), f"{name}_{dtype}"
        self.in_place = name in ("inplace", "scaled")
        self.inputs = re.findall(r"(\w+): (\w+)\[([^]]*)\]", self.head)
        self.sizes = list(dict.fromkeys(re.findall(r"\b[a-z]\b(?=[],])", " ".join(f"[{i[2]}]" for i in self.inputs))))

    def text(self):
        return f"kernel {self.name}({self.head}) {{\n    return out = {self.formula}\n}}\n"

    def wrapper(self):
        given = [f"a[{i}]" if shape else f"*({C_TYPES.get(dtype, dtype + '_t')} *)a[{i}]"
                 for i, (_, dtype, shape) in enumerate(self.inputs)]
        given += [*(f"n[{i}]" for i in range(len(self.sizes))), f"a[{len(self.inputs)}]"]
        return (f'#include "{self.name}.h"\nint run_{self.name}(void *const *a, const int64_t *n, int64_t times)\n'
                f"{{\n    int bad = 0;\n    for (int64_t i = 0; i < times; i++)\n        bad |= {self.name}("
                f"{', '.join(given)});\n    return bad;\n}}\n")

    def operands(self, count):
        extents, random = self.extents(count), np.random.default_rng(1)
        arrays = []
        for _, dtype, shape in self.inputs:
            size = [int(extents.get(one, one)) for one in shape.split(", ") if one]
            arrays.append(values(dtype, int(np.prod(size)), random))
        return arrays, [extents[name] for name in self.sizes]


def values(dtype, count, random):
    if dtype == "bfloat16":
        return (random.uniform(-3, 3, count).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    if np.dtype(dtype).kind == "f":
        return random.uniform(-3, 3, count).astype(dtype)
    return random.integers(0, 2 if dtype == "bool" else 120, count).astype(dtype)


def compile_library(compiler, there, library):
    sources = [os.path.join(there, file) for file in sorted(os.listdir(there)) if file.endswith(".c")]
    subprocess.run([*compiler.split(), "-O3", "-w", "-shared", "-fPIC", f"-I{there}", *sources, "-lm", "-o", library],
                   check=True)
    return library


def build(weft, folder, cases, compilers):
    """Returns compiler -> (library of all entries, that of dense ones)."""
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for form in "all", "dense":
            there = f"{folder}/{form}"
            os.mkdir(there)
            with open(f"{there}/k.weft", "w", encoding="utf-8") as file:
                file.write("".join(case.text() for case in cases))
            subprocess.run([weft, "build", f"{there}/k.weft", "-o", there, "-q",
                            *(["--entries", "dense"] if form == "dense" else [])], check=True)
            for case in cases:
                with open(f"{there}/run_{case.name}.c", "w", encoding="utf-8") as file:
                    file.write(case.wrapper())
            for number, compiler in enumerate(compilers):
                jobs.setdefault(compiler, []).append(
                    pool.submit(compile_library, compiler, there, f"{folder}/{form}{number}.so"))
    return {compiler: [ctypes.CDLL(job.result()) for job in some] for compiler, some in jobs.items()}


def ratio(functions, case, count, budget):
    """The time of all entries in that of dense ones alone; and whether results are the same."""
    arrays, sizes = case.operands(count)
    given = [[array.copy() for array in arrays] for _ in functions]
    results = [own[0] if case.in_place else np.zeros(count + 16, np.float64) for own in given]
    places = [(ctypes.c_void_p * (len(arrays) + 1))(*(a.ctypes.data for a in own), out.ctypes.data)
              for own, out in zip(given, results)]
    extents = (ctypes.c_int64 * len(sizes))(*sizes)

    def timed(i, times):
        begin = time.process_time()
        assert functions[i](places[i], extents, ctypes.c_int64(times)) == 0
        return time.process_time() - begin

    for i in range(2):
        timed(i, 1)
    same = np.array_equal(results[0].view(np.uint8), results[1].view(np.uint8))
    times = 1
    while timed(0, times) < budget / 20 and times < 1 << 24:
        times *= 2
    pairs = []
    for turn in range(9):
        taken = [timed(i, times) for i in ((0, 1) if turn % 2 else (1, 0))]
        pairs.append(taken[0] / taken[1] if turn % 2 else taken[1] / taken[0])
    return statistics.median(pairs), same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--weft", default="build/cli/weft")
    parser.add_argument("--compilers", nargs="*", default=COMPILERS)
    parser.add_argument("--only", default="")
    parser.add_argument("--casts", action="store_true")
    parser.add_argument("--least", type=float, default=0.9)
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=0.04, help="of processor time for 20 halves of a pair")
    args = parser.parse_args()
    cases = [Case(name, dtype) for name, row in FORMULAS.items() for dtype in row[2]
             if re.search(args.only, f"{name}_{dtype}") and name.startswith("to_") == args.casts]
    low = []
    with tempfile.TemporaryDirectory() as folder:
        made = build(args.weft, folder, cases, args.compilers)
        print(f"{'':38}" + "".join(f"{size:9}" for size in args.sizes))
        for case in cases:
            for compiler, libraries in made.items():
                functions = [getattr(library, f"run_{case.name}") for library in libraries]
                found = []
                for size in args.sizes:
                    own, same = ratio(functions, case, size, args.seconds)
                    found.append(f"{own:8.2f}{' ' if same else '!'}")
                    if own < args.least:
                        low.append(f"{own:8.2f}  {case.name:20} {size:8}  {compiler}")
                print(f"{case.name:20}{compiler.replace('-march=x86-64-', ''):18}" + "".join(found), flush=True)
    print("\n".join(low))


if __name__ == "__main__":
    main()
