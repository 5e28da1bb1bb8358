#!/usr/bin/env python3
"""Eval cases ahead of time for CUDA, on the GPU's memory, compared with the run-time C kernels' bits.

    run_cuda.py [--count N] [--only WORDS] FILE.txt ...     the command is $WEFT, else `weft`

Of the cases those that cover most words are taken, N of them, or those whose title holds WORDS. Every one runs through
its entries as in run_aot.py, on a stream of its own. The driver is libcuda.so.1 as the loader finds it: on
tests/mockcuda the kernels are played on the host. Exit status 77: no driver, or no GPU."""
import argparse
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import cases
import run_aot
from cases import sample


class Driver:
    """Memory and a stream of the first GPU."""

    def __init__(self):
        try:
            self.library = ctypes.CDLL("libcuda.so.1")
        except OSError as error:
            print(error)
            sys.exit(77)
        if self.library.cuInit(0):
            print("cuInit finds no GPU")
            sys.exit(77)
        context, self.stream, self.device = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(self.device), 0)
        device = self.device
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        self.call("cuStreamCreate", ctypes.byref(self.stream), 1)
        numbers = [ctypes.c_int(), ctypes.c_int()]
        for number, which in zip(numbers, (75, 76)):
            self.call("cuDeviceGetAttribute", ctypes.byref(number), which, device)
        self.arch = "sm_%d%d" % tuple(number.value for number in numbers)

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            raise RuntimeError(f"{name}: error {result}")

    def close(self):
        self.call("cuStreamDestroy_v2", self.stream)
        self.call("cuCtxPopCurrent_v2", ctypes.byref(ctypes.c_void_p()))
        self.call("cuDevicePrimaryCtxRelease_v2", self.device)

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 1)))
        return address.value


class Placed:
    """An array's memory, with what is around its elements, on the GPU."""

    def __init__(self, driver, array):
        self.driver, self.array = driver, array
        while self.array.base is not None:
            self.array = self.array.base
        self.address = driver.allocate(self.array.nbytes)
        if self.array.nbytes:
            driver.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.address), ctypes.c_void_p(self.array.ctypes.data),
                        ctypes.c_size_t(self.array.nbytes))

    def at(self, array):
        return self.address + array.ctypes.data - self.array.ctypes.data

    def back(self):
        if self.array.nbytes and self.array.flags.writeable:
            self.driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(self.array.ctypes.data), ctypes.c_uint64(self.address),
                             ctypes.c_size_t(self.array.nbytes))
        self.driver.call("cuMemFree_v2", ctypes.c_uint64(self.address))


class Caller(run_aot.Caller):
    suffix = "_cuda"

    def __init__(self, library, kernel, driver):
        super().__init__(library, kernel)
        self.driver, self.placed = driver, []

    def pointer(self, array):
        placed = Placed(self.driver, array)
        self.placed.append(placed)
        return ctypes.c_void_p(placed.at(array)).value

    def entered(self, function, arguments):
        """A call never waits, and tells of a division by zero only when it is asked."""
        pointers = [ctypes.c_void_p(word) if isinstance(word, int) else word for word in arguments]
        status = function(*pointers, self.driver.stream)
        self.driver.call("cuStreamSynchronize", self.driver.stream)
        for placed in self.placed:
            placed.back()
        self.placed = []
        return status or getattr(self.library, self.name + "_status")()


def compile_source(folder):
    output = os.path.join(folder, "cases.so")
    command = ["gcc", "-O1", *run_aot.COMMON, "-shared", os.path.join(folder, "out", "cases.c"), "-o", output, "-lm",
               "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return ctypes.CDLL(output)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=sample.number, default=40)
    parser.add_argument("--form", default="open", choices=cases.FORMS)
    parser.add_argument("--only", default="")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    driver = Driver()
    if not shutil.which("gcc"):
        print("there is no gcc")
        sys.exit(77)
    kernels = cases.load(arguments.files, arguments.only, arguments.count)
    failures, passed, skipped = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for group in cases.by_rules(kernels):
            place = os.path.join(folder, cases.rules_of(group[0]))
            os.mkdir(place)
            built, refused = cases.build(group, arguments.form, place, "--bundle", "cases", "--target", "cuda",
                                         "--arch", driver.arch)
            library = compile_source(place)
            for kernel in built:
                try:
                    run_aot.check(Caller(library, kernel, driver), kernel, False)
                except run_aot.Failure as failure:
                    failures.append(f"{kernel.case.where}: {kernel.case.title}: {failure}")
            if built:
                getattr(library, built[0].name + "_cuda_release")()
            passed, skipped = passed + len(built), skipped + len(refused)
            failures += [f"{name} is refused by {code}" for name, code in refused.items()
                         if code not in run_aot.REFUSALS | {"W0256"}]
        driver.close()
    for failure in failures:
        print(failure[:2000], file=sys.stderr)
    print(f"{passed - len(failures)} passed, {len(failures)} failed, {skipped} skipped")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
