"""Cold compile time of Weft against the bare C compiler on the same text:

    /usr/bin/python3 bench/compile/compile_time.py [--build build] [--turns 15] [--save NAME]

Weft's time is everything from the program's text to a kernel ready to run, in a new context. The
compiler's is one start of `cc` on the very text and with the very arguments that Weft used, which a
first, untimed run records. Both are taken in turns and the medians compared; above 1.5 times the exit
status is 1.

With --cuda, and NVRTC on the machine, the same programs as kernels for a GPU, cold, from the disk cache and
warm, against bare NVRTC: compile_cuda.py. More than 1.2 times NVRTC's time, 150 ms for the first program or
2 ms from disk make the exit status 1.

A second line for programs whose rows are all exact is the first call with libtcc: in a new process and
without a cache, from making a context to the first result on 100,000 elements. Above 5 ms the exit
status is 1."""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import statistics
import stat
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench/common"))
import numpy as np  # noqa: E402
import compile_cuda  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402
import nvrtc  # noqa: E402

LIMIT = 1.5
FIRST_LIMIT_MS = 5
FIRST_ELEMENTS = 100000
FIRST = ["picture", "add"]         # all rows are exact
RECORDER = """#!/bin/sh
# Runs the C compiler; keeps its arguments and the source it was given.
[ "$1" = --version ] && exec {cc} "$@"
: >{directory}/arguments
for argument in "$@"; do
    case $argument in
    k.c | */k.c) cp "$argument" {directory}/k.c; argument={directory}/k.c ;;
    k.so | */k.so) argument={directory}/k.so ;;
    esac
    printf '%s\\n' "$argument" >>{directory}/arguments
done
exec {cc} "$@"
"""

PROGRAMS = {
    "picture": ("uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))", {"img": np.zeros((64, 64, 3), np.uint8)}, np.uint8),
    "add": ("a + b", {"a": np.zeros((64, 64), np.float32), "b": np.zeros((64, 64), np.float32)}, np.float32),
    "bell": ("exp(x * x * -0.5) * 0.4", {"x": np.zeros((64, 64), np.float32)}, np.float32),
    "polynomial": (" + ".join(f"x ** {n} * {n}.5" for n in range(1, 13)), {"x": np.zeros((64, 64), np.float64)},
                   np.float64),
}


def weft_seconds(build, text, inputs, dtype):
    weft = library.Weft(build)
    output = np.zeros(next(iter(inputs.values())).shape, dtype)
    start = time.perf_counter()
    weft.prepared(text, inputs, output)
    return time.perf_counter() - start


def first_call(lib, text, inputs, output):
    """Seconds from making a context to the first result; the C compiler is still at work then."""
    ins, outs = library.arguments(list(inputs.items())), library.arguments([(None, output)])
    params = library.RunParams(ins, len(ins), outs, len(outs), None)
    start = time.perf_counter()
    weft = library.Weft(None, lib)
    program = weft.compile(text)
    weft.check(lib.weft_run, program, ctypes.byref(params))
    seconds = time.perf_counter() - start
    lib.weft_program_destroy(program)
    weft.close()
    return seconds


def first_seconds(lib, text, inputs, dtype):
    """The same in a child process, which has the library loaded and nothing else."""
    length = FIRST_ELEMENTS // int(np.prod(next(iter(inputs.values())).shape[1:]))
    inputs = {name: np.ones((length,) + array.shape[1:], array.dtype) for name, array in inputs.items()}
    output = np.zeros(next(iter(inputs.values())).shape, dtype)
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(write, str(first_call(lib, text, inputs, output)).encode())
        os._exit(0)
    os.close(write)
    seconds = float(os.read(read, 100))
    os.close(read)
    os.waitpid(pid, 0)
    return seconds


def compare_first(options, lib, entry):
    text, inputs, dtype = PROGRAMS[entry["program"]]
    seconds = [first_seconds(lib, text, inputs, dtype) for _ in range(options.turns)]
    entry["first_ms"] = statistics.median(seconds) * 1e3
    entry["first_ratio"] = entry["first_ms"] / entry["cc_ms"]
    print(f"{'':12} first call by libtcc {entry['first_ms']:5.2f} ms   "
          f"{entry['first_ratio']:.3f} times cc")


def record(build, cc, text, inputs, dtype, directory):
    """The arguments of the C compiler for this text, its source kept in `directory`."""
    script = pathlib.Path(directory, "recorder")
    script.write_text(RECORDER.format(cc=cc, directory=directory))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    os.environ["WEFT_CC"] = str(script)
    weft_seconds(build, text, inputs, dtype)
    os.environ["WEFT_CC"] = cc
    return [cc] + pathlib.Path(directory, "arguments").read_text().splitlines()


def cc_seconds(arguments):
    start = time.perf_counter()
    pid = os.posix_spawn(arguments[0], arguments, os.environ)
    status = os.waitpid(pid, 0)[1]
    seconds = time.perf_counter() - start
    if status:
        raise SystemExit("the C compiler failed: " + " ".join(arguments))
    return seconds


def compare(options, cc, name):
    text, inputs, dtype = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as directory:
        arguments = record(options.build, cc, text, inputs, dtype, directory)
        weft, bare = [], []
        for _ in range(options.turns):
            weft.append(weft_seconds(options.build, text, inputs, dtype))
            bare.append(cc_seconds(arguments))
    entry = {"program": name, "text": text, "weft_ms": statistics.median(weft) * 1e3,
             "cc_ms": statistics.median(bare) * 1e3}
    entry["ratio"] = entry["weft_ms"] / entry["cc_ms"]
    print(f"{name:12} Weft {entry['weft_ms']:7.1f} ms   cc {entry['cc_ms']:7.1f} ms   {entry['ratio']:.2f} times")
    return entry


def child(build, words):
    """A process of compile_cuda's."""
    if words[0] == "nvrtc":
        return compile_cuda.child_nvrtc(words[1])
    text, inputs, dtype = PROGRAMS[words[1]]
    output = np.zeros(next(iter(inputs.values())).shape, dtype)
    return compile_cuda.child_weft(build, (text, inputs, output), words[2])


def measure_cuda(options):
    if nvrtc.find()[0] is None:
        print("there is no NVRTC here: kernels for a GPU are left out")
        return []
    entries = []
    for name, program in PROGRAMS.items():
        types = {key: f"{array.dtype}[{', '.join(map(str, array.shape))}]" for key, array in program[1].items()}
        entries.append(compile_cuda.measure(options.build, name, program, types, options.turns))
    return entries


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--save")
    parser.add_argument("--cuda", action="store_true")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(child(options.build, options.child)))
        return 0
    if options.cuda:
        entries = measure_cuda(options)
        if options.save:
            machine.save(options.save, programs=entries)
        return any(compile_cuda.is_slow(entry) for entry in entries)
    cc = shutil.which("cc")
    lib = library.load(options.build)
    module = any(pathlib.Path(options.build).rglob("weft-first.so"))
    # No kernel of an earlier run.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        entries = []
        for name in PROGRAMS:
            entries.append(compare(options, cc, name))
            if name in FIRST and module:
                compare_first(options, lib, entries[-1])
    if options.save:
        machine.save(options.save, programs=entries)
    return (max(entry["ratio"] for entry in entries) > LIMIT or
            max(entry.get("first_ms", 0) for entry in entries) > FIRST_LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
