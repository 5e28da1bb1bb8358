#!/usr/bin/env python3
"""Eval cases ahead of time, compiled in several ways and compared with the run-time kernels' bits.

    run_aot.py [--forms 1|3] [--dense] [--settings NAME,... | all] [--spread] [--count N] [--only WORDS] FILE.txt ...
                                                                     the command is $WEFT, else `weft`

Of the cases all are taken, or N that cover most words, or those whose title holds WORDS.

--spread compiles every kernel with one of the settings, each of which has its turn; otherwise it is every kernel with
all.

--dense makes dense entries alone, in C11 without extensions.

Every case runs through its dense entry, its strided entry with dense and with other strides, its shape function and
its batch entry. Exact results have the run-time kernel's bits (a NaN any), others stay within 4 units in the last
place of what the case expects."""
import argparse
import concurrent.futures
import ctypes
import faulthandler
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import zlib

import numpy as np

import cases
import run_eval
from cases import sample

PLAIN = ["-std=c11", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-fPIC"]
COMMON = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-fPIC"]
SETTINGS = {f"{cc}{flags}": [cc, *flags.split()] for cc in ("gcc", "clang")
            for flags in (" -O0", " -O2", " -O3", " -O2 -ffast-math")}
NATIVE = {f"{cc}{flags}": [cc, *flags.split()] for cc in ("gcc", "clang")
          for flags in (" -O2 -march=native", " -O2 -ffast-math -march=native")}
# Python preloads the sanitizers' libraries: scripts/soak.
SANITIZED = {"gcc -O1 -fsanitize": ["gcc", "-O1", "-g", "-fsanitize=address,undefined",
                                    "-fno-sanitize-recover=undefined"]}
# Codes of names and of views by inputs' numbers: the only ones that may refuse a case.
REFUSALS = {"W0262", "W0263", "W0264"}
CHUNK = 32  # kernels of one compiler call, at most

C_TYPES = {"bool": ctypes.c_bool, "float32": ctypes.c_float, "float64": ctypes.c_double, "float16": ctypes.c_uint16,
           "bfloat16": ctypes.c_uint16}


class Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p)]


class Note(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("line", ctypes.c_int), ("column", ctypes.c_int),
                ("operand", ctypes.c_char_p), ("text", ctypes.c_char_p)]


def numbers(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def value(array):
    """An input without dimensions is handed over by value."""
    name = cases.dtype_name(array)
    bits = array.reshape(1).view(np.uint16)[0] if name in ("float16", "bfloat16") else array[()]
    return C_TYPES.get(name, getattr(ctypes, f"c_{name}", None))(bits.item())


def turned(array):
    """The same values with other strides: along each dimension backwards, with gaps."""
    room = np.empty([2 * extent + 1 for extent in array.shape], array.dtype)
    view = room[tuple(slice(2 * extent - 1, None, -2) if extent else slice(0, 0) for extent in array.shape)]
    view[...] = array
    assert view.shape == array.shape
    return view


def strides(array):
    return numbers([stride // array.itemsize for stride in array.strides])


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


class Caller:
    """The functions of one kernel in one library."""

    suffix = ""

    def __init__(self, library, kernel):
        self.library, self.kernel, self.kept = library, kernel, []
        self.name = kernel.name + self.suffix
        # Bytes of other elements have to lie together.
        self.turns = not any("reinterpret" in line for line in kernel.case.program)
        self.note = getattr(library, self.name + "_note")
        self.note.restype = ctypes.POINTER(Note)

    def call(self, suffix, arguments):
        status = self.entered(getattr(self.library, self.name + suffix), arguments)
        note = self.note().contents
        expected = self.kernel.status
        told = f", {note.text.decode()}" if note.text else ""
        expect(status == expected, f"{suffix or 'dense'}: status {status}, not {expected}{told}")
        if expected:
            place = (note.line - self.kernel.line, note.column)
            expect(place == self.kernel.place, f"{suffix}: the remark is at {place}, not {self.kernel.place}")

    def entered(self, function, arguments):
        return function(*arguments)

    def pointer(self, array):
        return ctypes.c_void_p(array.ctypes.data)

    def outputs(self, make=np.copy):
        # filled with what no result is likely to be
        outputs = {}
        for name, result in self.kernel.results.items():
            outputs[name] = make(np.full(result.shape, 0x5b, np.uint8).astype(result.dtype)
                                 if result.dtype.kind != "V" else np.zeros(result.shape, result.dtype))
        return outputs

    def shape(self):
        arguments = [numbers(array.shape) if array.ndim else ctypes.c_int64(int(array))
                     for name, array in self.kernel.inputs.items() if array.ndim or name in self.kernel.values]
        found = [numbers([-7] * result.ndim) for result in self.kernel.results.values() if result.ndim]
        status = getattr(self.library, self.name + "_shape")(*arguments, *found)
        expect(status == 0, f"_shape: status {status}")
        shapes = [list(result.shape) for result in self.kernel.results.values() if result.ndim]
        expect([list(one)[:len(shape)] for one, shape in zip(found, shapes)] == shapes,
               f"_shape: {[list(one) for one in found]}, not {shapes}")

    def dense(self):
        outputs = self.outputs()
        inputs = [self.pointer(array) if array.ndim else value(array) for array in self.kernel.inputs.values()]
        sizes = [ctypes.c_int64(size) for size in self.kernel.sizes]
        self.call("", [*inputs, *sizes, *map(self.pointer, outputs.values())])
        return outputs

    def strided(self, turn):
        change = turned if turn and self.turns else np.copy
        inputs = [change(array) if array.ndim else array for array in self.kernel.inputs.values()]
        outputs = self.outputs(lambda array: change(array) if array.ndim else array)
        arguments = []
        for array in [*inputs, *outputs.values()]:
            if array.ndim == 0 and len(arguments) < len(inputs) * 3 and any(array is one for one in inputs):
                arguments.append(value(array))
                continue
            arguments.append(self.pointer(array))
            if array.ndim:
                arguments += [numbers(array.shape), strides(array) if turn else None]
        self.call("_strided", arguments)
        return outputs

    def array(self, array, dense, data):
        shape, steps = numbers(array.shape), strides(array)
        self.kept += [shape, steps, array]
        return Array(data, ctypes.addressof(shape), None if dense else ctypes.addressof(steps))

    def batch(self):
        """Three samples, one of them turned; the first input is one array for all."""
        arguments, outputs = [ctypes.c_int64(3)], [self.outputs() for _ in range(3)]
        for number, array in enumerate(self.kernel.inputs.values()):
            other = turned if array.ndim and self.turns else np.copy
            samples = [array.copy(), other(array), array.copy()]
            one = (Array * 3)(*[self.array(sample, index != 1,
                                           self.pointer(sample) if sample.ndim else sample.ctypes.data)
                                for index, sample in enumerate(samples)])
            arguments += [one, ctypes.c_int64(0 if number == 0 else 1)]
        for name in self.kernel.results:
            arguments.append((Array * 3)(*[self.array(sample[name], True, self.pointer(sample[name]))
                                           for sample in outputs]))
        self.call("_batch", arguments)
        self.kept = []
        return outputs


def as_floats(array, dtype):
    if dtype != "bfloat16":
        return array
    return (np.ascontiguousarray(array).view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def same_bits(actual, expected):
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return False
    if actual.dtype.kind != "f":
        return np.ascontiguousarray(actual).tobytes() == np.ascontiguousarray(expected).tobytes()
    nan = np.isnan(expected)
    unsigned = f"u{actual.itemsize}"
    actual, expected = np.ascontiguousarray(actual), np.ascontiguousarray(expected)
    bits = np.atleast_1d(actual).view(unsigned) == np.atleast_1d(expected).view(unsigned)
    return bool((np.isnan(actual) == nan).all() and (bits | np.atleast_1d(nan)).all())


def compare(kernel, outputs, what):
    for name, dtype, text in kernel.case.results:
        actual, wanted = as_floats(outputs[name], dtype), as_floats(kernel.results[name], dtype)
        if text.startswith("~"):
            good = run_eval.same(actual, run_eval.expected_array(dtype, text.lstrip("~")), True)
        else:
            good = same_bits(actual, wanted)
        expect(good, f"{what}: {name} is {actual.tolist()}, not {wanted.tolist()}")


def check(caller, kernel, dense):
    if not dense:
        caller.shape()
    compare(kernel, caller.dense(), "dense")
    if dense:
        return
    compare(kernel, caller.strided(False), "strided, dense")
    compare(kernel, caller.strided(True), "strided")
    for number, outputs in enumerate(caller.batch()):
        compare(kernel, outputs, f"sample {number}")


@functools.cache
def support_lock(_setting, _text):
    return threading.Lock()


def support(setting, settings, sources, folder):
    """The object of weft_support.c, which is the same for all kernels, compiled once for each setting."""
    text = pathlib.Path(sources, "weft_support.c").read_text(encoding="utf-8")
    target = pathlib.Path(folder).parent / f"support_{setting.replace(' ', '_')}_{zlib.crc32(text.encode()):08x}.o"
    with support_lock(setting, text):
        if not target.exists():
            run_all([[*settings, *COMMON, "-c", f"{sources}/weft_support.c", "-o", f"{target}.new"]])
            os.replace(f"{target}.new", target)
    return str(target)


def run_all(commands):
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stderr}")


def compile_chunk(setting, folder, dense):
    output = os.path.join(folder, setting.replace(" ", "_").replace("-", "") + ".so")
    settings, sources = {**SETTINGS, **NATIVE, **SANITIZED}[setting], os.path.join(folder, "out")
    if dense:  # start-up code of -ffast-math would change the environment, which is the caller's
        commands = [[*settings, *PLAIN, "-c", f"{sources}/cases.c", "-o", output + ".o"],
                    [settings[0], "-shared", output + ".o", "-o", output, "-lm"]]
    else:
        commands = [[*settings, *COMMON, "-shared", f"{sources}/cases.c",
                     support(setting, settings, sources, folder), "-o", output, "-lm"]]
    run_all(commands)
    return output


def chunks(kernels, settings, spread):
    """Kernels that are compiled together, and the settings that are used."""
    size = min(CHUNK, -(-len(kernels) // len(settings))) if spread else CHUNK
    turn = 0
    for group in cases.by_rules(kernels):
        for start in range(0, len(group), size):
            yield group[start:start + size], [settings[turn % len(settings)]] if spread else settings
            turn += 1


def run(kernels, form, settings, spread, folder, dense=False):
    """Failures, and how many cases were compared."""
    failures, count, refusals = [], 0, {}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = []
        for some, ways in chunks(kernels, settings, spread):
            place = os.path.join(folder, f"{form}_{some[0].name}")
            os.mkdir(place)
            built, refused = cases.build(some, form, place, "--bundle", "cases",
                                         *(["--entries", "dense"] if dense else []))
            refusals.update(refused)
            jobs += [(setting, built, [(kernel.line, kernel.sizes) for kernel in built],
                      pool.submit(compile_chunk, setting, place, dense)) for setting in ways]
        for setting, built, states, job in jobs:
            library = ctypes.CDLL(job.result())
            for kernel, (kernel.line, kernel.sizes) in zip(built, states):
                count += 1
                try:
                    check(Caller(library, kernel), kernel, dense)
                except Failure as failure:
                    failures.append(f"{kernel.case.where}: {kernel.case.title} ({setting}, {form}): {failure}")
    wrong = {name: code for name, code in refusals.items() if code not in REFUSALS}
    failures += [f"{name} is refused by {code}" for name, code in wrong.items()]
    return failures, count, len(refusals)


def main():
    faulthandler.enable()
    parser = argparse.ArgumentParser()
    parser.add_argument("--forms", type=int, default=1)
    parser.add_argument("--settings", default="gcc -O2,clang -O2")
    parser.add_argument("--spread", action="store_true")
    parser.add_argument("--dense", action="store_true")
    parser.add_argument("--count", type=sample.number, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    every = [*SETTINGS, *(NATIVE if arguments.dense else [])]
    settings = every if arguments.settings == "all" else arguments.settings.split(",")
    settings = [setting for setting in settings if shutil.which(setting.split()[0])]
    kernels = cases.load(arguments.files, arguments.only, arguments.count)
    failures, count, refused = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for form in cases.FORMS[:arguments.forms]:
            more, done, left = run(kernels, form, settings, arguments.spread, folder,
                                   arguments.dense)
            failures, count, refused = failures + more, count + done, refused + left
    for failure in failures:
        print(failure[:2000], file=sys.stderr)
    print(f"{count - len(failures)} passed, {len(failures)} failed, {refused} skipped")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())
