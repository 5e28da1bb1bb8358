"""What making a kernel for a GPU takes, from the program's text to a loaded kernel, beside NVRTC's own time
on the same text. No GPU is needed: a driver that takes every call and does nothing stands in for one, so
all that is timed is Weft and NVRTC. Each figure is of a process of its own, in turns:

    cold   context, text, NVRTC opened and used, kept on disk
    disk   the same again: from the disk cache, without NVRTC
    warm   a second program of the same text in that process
    nvrtc  the bare compiler: opening it, the first compilation of a process, and the next"""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import library
import nvrtc

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET_CUDA, ARCH = 2, "sm_90"
RATIO_LIMIT, COLD_LIMIT_MS, DISK_LIMIT_MS = 1.2, 150, 2
DRIVER = r"""
#include <stdint.h>
#include <stdlib.h>
int cuDriverGetVersion(int *version) { *version = 13000; return 0; }
int cuGetErrorName(int error, const char **name) { *name = "error"; return 0; }
int cuGetErrorString(int error, const char **text) { *text = "error"; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetAttribute(int *value, int which, int device)
{
    *value = which == 75 ? 9 : which == 76 ? 0 : which == 16 ? 132 : which == 39 ? 2048 : 1;
    return 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    *address = (uintptr_t)aligned_alloc(256, (bytes + 255) & ~255ul);
    return 0;
}
int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    *memory = aligned_alloc(256, (bytes + 255) & ~255ul);
    return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    *address = (uintptr_t)memory;
    return 0;
}
int cuModuleLoadData(void **module, const void *image) { *module = malloc(1); return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { *function = module; return 0; }
"""


class Placed:
    """A tensor of the GPU that there is not: its data are never read."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def tensor(self):
        made = library.tensor(self.array)
        made.device = library.Device(2, 0)
        return made


def make_driver(directory):
    """libcuda.so.1 with every function that Weft looks for."""
    source = DRIVER
    for symbol in re.findall(r'F\(cu\w+,[\s\\]*"(\w+)"', (ROOT / "runtime/gpu/driver.h").read_text(encoding="ascii")):
        if f"int {symbol}(" not in DRIVER:
            source += f"int {symbol}(void) {{ return 0; }}\n"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-w", "-xc", "-", "-o", os.path.join(directory, "libcuda.so.1")],
                   input=source.encode(), check=True)


def make_ready(weft, text, inputs, output):
    program = weft.compile(text)
    _, params = weft.bound(program, {name: Placed(array) for name, array in inputs.items()}, Placed(output))
    return weft.prepare(program, params)


def child_weft(build, program, cache):
    text, inputs, output = program
    lib = library.load(build)
    start = time.perf_counter()
    weft = library.Weft(None, lib, cache=cache, target=TARGET_CUDA)
    kernel = make_ready(weft, text, inputs, output)
    ready = time.perf_counter()
    make_ready(weft, text, inputs, output)
    return {"all_ms": (ready - start) * 1e3, "kernel_ms": kernel * 1e3,
            "warm_ms": (time.perf_counter() - ready) * 1e3}


def child_nvrtc(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    start = time.perf_counter()
    lib, _ = nvrtc.find()
    loaded = time.perf_counter() - start
    first, again = (nvrtc.compile_text(lib, text, ARCH)[1] for _ in range(2))
    return {"load_ms": loaded * 1e3, "first_ms": first * 1e3, "again_ms": again * 1e3}


def spawn(driver, build, *words):
    """What a process says; with `driver` None without one: NVRTC, left alone, looks for it too."""
    script = ROOT / "bench/compile/compile_time.py"
    env = dict(os.environ)
    if driver:
        env["LD_LIBRARY_PATH"] = driver + ":" + env.get("LD_LIBRARY_PATH", "")
    told = subprocess.run([sys.executable, str(script), "--build", build, "--child", *words], env=env,
                          capture_output=True, text=True, timeout=120, check=False)
    if told.returncode:
        raise RuntimeError(f"{' '.join(words)}: {told.stderr.strip()[-2000:]}")
    return json.loads(told.stdout)


def measure(build, name, program, types, turns):
    """One entry of the result file."""
    weft = library.Weft(build, arch=ARCH.encode())
    text = weft.stage(weft.compile(program[0], types), "cuda-compiled")
    weft.close()
    cold, disk, bare = [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        make_driver(scratch)
        path = pathlib.Path(scratch, "text.cu")
        path.write_text(text, encoding="utf-8")
        for turn in range(turns):
            cache = os.path.join(scratch, str(turn))
            cold.append(spawn(scratch, build, "weft", name, cache))
            bare.append(spawn(None, build, "nvrtc", str(path)))
            disk.append(spawn(scratch, build, "weft", name, cache))

    def median(entries, *keys):
        return statistics.median(sum(entry[key] for key in keys) for entry in entries)

    entry = {"program": name, "cold_ms": median(cold, "all_ms"), "disk_ms": median(disk, "all_ms"),
             "disk_kernel_ms": median(disk, "kernel_ms"), "warm_ms": median(disk, "warm_ms"),
             "nvrtc_load_ms": median(bare, "load_ms"), "nvrtc_first_ms": median(bare, "first_ms"),
             "nvrtc_again_ms": median(bare, "again_ms")}
    entry["ratio"] = entry["cold_ms"] / median(bare, "load_ms", "first_ms")
    print(f"{name:12} CUDA {entry['cold_ms']:7.1f} ms   NVRTC {median(bare, 'load_ms', 'first_ms'):7.1f} ms   "
          f"{entry['ratio']:.2f} times   from disk {entry['disk_ms']:.2f} ms   warm {entry['warm_ms']:.2f} ms",
          flush=True)
    return entry


def is_slow(entry):
    """The promise for the time of the whole is about the headline, `picture`."""
    return (entry["ratio"] > RATIO_LIMIT or entry["disk_ms"] > DISK_LIMIT_MS or
            (entry["program"] == "picture" and entry["cold_ms"] > COLD_LIMIT_MS))
