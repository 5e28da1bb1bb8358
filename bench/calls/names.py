"""What names cost: programs by names beside the same ones by positions, whose orders of dimensions agree, so that the
kernels are the same (tests/named/test_texts.py):

    /usr/bin/python3 bench/calls/names.py [--build build] [--calls 200] [--save NAME]

Counted in instructions by callgrind: a compile (weft_compile and weft_prepare, with kernels that are there, so without
the C compiler), and a warm run on few elements, its kernel among them. Above 1.03 for a compile, or 1.02 for a run, the
exit status is 1."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import overhead

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench/common"))
import machine  # noqa: E402

COMPILE, RUN = 1.03, 1.02
# Text by names, by positions; inputs: name, type by names, by positions, extents.
CASES = [
    ("u + v", "u + v", ("u", "(y:s, x:s)", "[?, ?]", "4,5"), ("v", "(y:s, x:s)", "[?, ?]", "4,5")),
    ("u - mean(u, spatial)", "u - mean(u, axes=[1, 2], keepdims=true)",
     ("u", "(b:b, y:s, x:s, vector:c)", "[?, ?, ?, ?]", "2,4,5,3")),
    ("(u.x[1:] - u.x[:-1]) / dx", "(u[:, 1:] - u[:, :-1]) / dx",
     ("u", "(y:s, x:s)", "[?, ?]", "4,5"), ("dx", "[]", "[]", "")),
    ("w = softmax(vecdot(q, k, axis=c), k); vecdot(w, v, axis=k)",
     "w = softmax(vecdot(q[:, None], k, axis=-1), 1); vecdot(w[:, :, None], v, axis=1)",
     ("q", "(q:i, c:c)", "[?, ?]", "4,2"), ("k", "(k:i, c:c)", "[?, ?]", "5,2"), ("v", "(k:i, d:c)", "[?, ?]", "5,3")),
    ("a * 0.5 + b * c - sqrt(a) * 2", "a * 0.5 + b * c - sqrt(a) * 2", *[
        (name, "(b:b=2, y:s=4, x:s=5)", "[2, 4, 5]", "2,4,5") for name in "abc"]),
    ("img.c['r'] * 0.3 + img.c['g'] * 0.6 + img.c['b'] * 0.1",
     "img[..., 0] * 0.3 + img[..., 1] * 0.6 + img[..., 2] * 0.1",
     ("img", "(y:s, x:s, c:c=(r,g,b))", "[?, ?, 3]", "4,5,3")),
    ("offset(u, 1, \"wrap\", axes=x) + offset(u, -1, \"wrap\", axes=x) - 2 * u",
     "offset(u, 1, \"wrap\", axes=1) + offset(u, -1, \"wrap\", axes=1) - 2 * u", ("u", "(y:s, x:s)", "[?, ?]", "4,5")),
]


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--save")
    return parser.parse_args()


def counts(settings, program, directory, case):
    """Instructions: of a compile by names, of a run; of both by positions."""
    by_names, by_positions, *inputs = case
    words = [word for name, named, plain, extents in inputs
             for word in (name, f"float32{named}", f"float32{plain}", extents)]
    profile = directory / "profile"
    command = [program, str(settings.calls), by_names, by_positions, *words]
    environment = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}  # which fills memory
    subprocess.run(command, check=True, capture_output=True, env=environment)  # makes the kernels
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={profile}", *command], check=True,
                   capture_output=True, env=environment)
    found = [int(re.search(r"^(?:summary|totals): (\d+)", (directory / f"profile.{i}").read_text(), re.M).group(1))
             for i in range(1, 5)]
    for old in directory.glob("profile*"):
        old.unlink()
    return [count / settings.calls for count in found]


def main():
    settings, entries, bad = options(), [], False
    if not shutil.which("valgrind"):
        print("valgrind is missing; install valgrind")
        return 77                  # what a test is that cannot run
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        program = overhead.build(settings, directory, "names")
        for case in CASES:
            named_compile, named_run, plain_compile, plain_run = counts(settings, program, directory, case)
            entry = {"text": case[0], "compile": named_compile, "compile_by_positions": plain_compile,
                     "run": named_run, "run_by_positions": plain_run}
            entries.append(entry)
            bad = bad or named_compile / plain_compile > COMPILE or named_run / plain_run > RUN
            print(f"compile {named_compile:8.0f} {plain_compile:8.0f}  {named_compile / plain_compile:5.3f}   "
                  f"run {named_run:6.0f} {plain_run:6.0f}  {named_run / plain_run:5.3f}   {case[0]}", flush=True)
    if settings.save:
        machine.save(settings.save, unit="instructions", cases=entries)
    return bad


if __name__ == "__main__":
    sys.exit(main())
