"""Cold compile time of Weft against the bare C compiler on the same text:

    /usr/bin/python3 bench/compile_time.py [--build build] [--turns 15] [--save NAME]

Weft's time is everything from the program's text to a kernel ready to run, in a new context. The
compiler's is one start of `cc` on the very text and with the very arguments that Weft used, which a
first, untimed run records. Both are taken in turns and the medians compared; above 1.5 times the exit
status is 1."""
import argparse
import os
import pathlib
import shutil
import statistics
import stat
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402

LIMIT = 1.5
RECORDER = """#!/bin/sh
# Runs the C compiler; keeps its arguments and the source it was given.
[ "$1" = --version ] && exec {cc} "$@"
: >{directory}/arguments
for argument in "$@"; do
    case $argument in */k.c) cp "$argument" {directory}/k.c; argument={directory}/k.c ;; */k.so) argument={directory}/k.so ;; esac
    printf '%s\\n' "$argument" >>{directory}/arguments
done
exec {cc} "$@"
"""

PROGRAMS = {
    "picture": ("uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))", {"img": np.zeros((64, 64, 3), np.uint8)}, np.uint8),
    "add": ("a + b", {"a": np.zeros((64, 64), np.float32), "b": np.zeros((64, 64), np.float32)}, np.float32),
    "bell": ("exp(x * x * -0.5) * 0.4", {"x": np.zeros((64, 64), np.float32)}, np.float32),
    "polynomial": (" + ".join(f"x ** {n} * {n}.5" for n in range(1, 13)), {"x": np.zeros((64, 64), np.float64)}, np.float64),
}


def weft_seconds(build, text, inputs, dtype):
    weft = library.Weft(build)
    output = np.zeros(next(iter(inputs.values())).shape, dtype)
    start = time.perf_counter()
    weft.prepared(text, inputs, output)
    return time.perf_counter() - start


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--turns", type=int, default=15)
    parser.add_argument("--save")
    options = parser.parse_args()
    cc = shutil.which("cc")
    # No kernel of an earlier run.
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        entries = [compare(options, cc, name) for name in PROGRAMS]
    if options.save:
        machine.save(options.save, "compile_time.py", programs=entries)
    return max(entry["ratio"] for entry in entries) > LIMIT


if __name__ == "__main__":
    sys.exit(main())
