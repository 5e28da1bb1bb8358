#!/usr/bin/env python3
"""Large programs, each by one way, against what NumPy says.

    test_large.py gcc|clang|libtcc|cuda|ahead [NAME ...]        the command is $WEFT, else `weft`

gcc, clang and libtcc compile the command's kernels; cuda wants a driver, tests/mockcuda's or a GPU's; ahead is `weft
build`, whose source is called by its dense and its strided entries. Optimization is low, so that the suite stays short:
here names and meaning count, not speed."""
import ctypes
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "aot"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "eval"))
import programs  # noqa: E402
import run_aot  # noqa: E402

WEFT = os.environ.get("WEFT", "weft")
WARNING = "warning[W0084]"
DIVIDED = 1                         # WEFT_KERNEL_DIVIDE_BY_ZERO
LEAST_INSTRUCTIONS = 10000
ENVIRONMENTS = {"gcc": {"WEFT_CC": "gcc", "WEFT_CFLAGS": "-O0", "WEFT_DISABLE": "first"},
                "clang": {"WEFT_CC": "clang", "WEFT_CFLAGS": "-O0", "WEFT_DISABLE": "first"},
                "libtcc": {"WEFT_CC": "libtcc"}, "cuda": {"WEFT_TARGET": "cuda"}}


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def compare(program, outputs):
    expect(set(outputs) == set(program.results), "other results")
    for name, wanted in program.results.items():
        actual = outputs[name]
        expect((actual.dtype, actual.shape) == (wanted.dtype, wanted.shape), f"{name} is {actual.dtype}{actual.shape}")
        close = np.abs(actual - wanted) <= program.error * np.abs(wanted) if program.error else actual == wanted
        expect(np.all(close), f"{name} is {actual[~close].ravel()[:4]}, not {wanted[~close].ravel()[:4]}")


def command(program, way, folder):
    """By `weft run`, one file for each input and result."""
    for name, array in program.inputs.items():
        np.save(os.path.join(folder, name + ".npy"), array)
    with open(os.path.join(folder, "program.weft"), "w", encoding="utf-8") as file:
        file.write(program.text())
    words = [f"{name}={name}.npy" for name in program.inputs]
    for name in program.results:
        words += ["-o", f"{name}=out_{name}.npy"]
    environment = dict(os.environ, **ENVIRONMENTS[way])
    done = subprocess.run([WEFT, "run", "program.weft", *words], cwd=folder, env=environment, capture_output=True,
                          text=True)
    expect(done.returncode == 0, f"status {done.returncode}, {done.stderr[:1000]}")
    expect(program.remark == (WARNING in done.stderr), done.stderr[:1000] or "no warning")
    compare(program, {name: np.load(os.path.join(folder, f"out_{name}.npy")) for name in program.results})


def library(program, folder):
    with open(os.path.join(folder, "program.weft"), "w", encoding="utf-8") as file:
        file.write(program.kernel())
    subprocess.run([WEFT, "build", "program.weft", "-o", "."], cwd=folder, check=True)
    # gcc optimizes loops whatever it is told, see templates/aot.c
    cc = "clang" if shutil.which("clang") else "gcc"
    subprocess.run([cc, "-O0", *run_aot.COMMON, "-shared", program.name + ".c", "weft_support.c", "-o", "program.so",
                    "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(os.path.join(folder, "program.so"))


def pointer(array):
    return ctypes.c_void_p(array.ctypes.data)


def empty(program, make):
    return {name: make(np.full(result.shape, 0x5b, np.uint8).astype(result.dtype))
            for name, result in program.results.items()}


def dense(program, function):
    outputs = empty(program, np.copy)
    arguments = [pointer(array) if array.ndim else run_aot.value(array) for array in program.inputs.values()]
    sizes = {size: program.inputs[name].shape[d] for name, names in program.sizes.items()
             for d, size in enumerate(names) if not size.isdigit()}
    expect(function(*arguments, *map(ctypes.c_int64, sizes.values()), *map(pointer, outputs.values()))
           == (DIVIDED if program.remark else 0), "status of the dense entry")
    compare(program, outputs)


def strided(program, function):
    """All arrays lie backwards and with gaps."""
    outputs = empty(program, lambda array: run_aot.turned(array) if array.ndim else array)
    inputs = [run_aot.turned(array) if array.ndim else array for array in program.inputs.values()]
    arguments = []
    for array in inputs:
        arguments += ([pointer(array), run_aot.numbers(array.shape), run_aot.strides(array)] if array.ndim
                      else [run_aot.value(array)])
    for array in outputs.values():
        arguments += [pointer(array)]
        arguments += [run_aot.numbers(array.shape), run_aot.strides(array)] if array.ndim else []
    expect(function(*arguments) == (DIVIDED if program.remark else 0), "status of the strided entry")
    compare(program, outputs)


def ahead(program, _, folder):
    functions = library(program, folder)
    dense(program, getattr(functions, program.name))
    strided(program, getattr(functions, program.name + "_strided"))


def count_instructions(program):
    """Of its kernel, literals not counted."""
    words = [f"{name}={dtype}" for name, dtype in program.types().items()]
    done = subprocess.run([WEFT, "show", program.text(), *words, "--stage", "ir"], check=True, capture_output=True,
                          text=True)
    return sum(line.startswith("  %") and " = literal " not in line for line in done.stdout.splitlines())


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(way, names):
    if way in ("gcc", "clang") and not shutil.which(way):
        print(f"there is no {way}")
        return 77
    failures = 0
    for make in programs.ALL:
        if names and make.__name__ not in names:
            continue
        program, before = make(), seconds()
        try:
            with tempfile.TemporaryDirectory() as folder:
                (ahead if way == "ahead" else command)(program, way, folder)
            if program.name == "instructions":
                expect(count_instructions(program) >= LEAST_INSTRUCTIONS, "too few instructions")
            print(f"ok {program.name} ({seconds() - before:.1f} s)")
        except Failure as failure:
            failures += 1
            print(f"not ok {program.name}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
