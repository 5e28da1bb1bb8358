"""What a warm weft_run costs beside the kernel itself, on 16 elements:

    /usr/bin/python3 bench/calls/overhead.py [--build build] [--calls 1000] [--save NAME]

Counted in instructions by callgrind, which repeats to the last digit: those of weft_run less those of the
kernel it calls. Valgrind knows no AVX-512, so kernels are built for x86-64-v3. The time beside it is
the whole of weft_run outside valgrind, the best of 5. Above 1500 instructions for the three-operand
program given by position the exit status is 1."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "bench/common"))
import machine  # noqa: E402

LIMIT = 1500
# Text, operands, elements (0: results of rank 0), how the tensors are given, what is turned off.
CASES = [
    ("2.5 * 3", 0, 0, "placed", ""),
    ("a * 2", 1, 16, "placed", ""),
    ("a * b", 2, 16, "placed", ""),
    ("a * b + c", 3, 16, "placed", ""),
    ("a * b + c", 3, 16, "named", ""),
    ("a * b + c", 3, 16, "placed", "call"),
    ("a * b + c", 3, 16, "batch", ""),
    ("sum(a)", 1, 16, "placed", ""),
]


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--save")
    return parser.parse_args()


def build(options, directory, name="overhead"):
    """A measuring program beside this one; what it needs beyond its arguments is in the environment."""
    library = next(iter(sorted(pathlib.Path(options.build).resolve().rglob("libweft.so"))), None)
    if library is None:
        raise SystemExit(f"there is no libweft.so below {options.build}; run scripts/setup")
    target = directory / name
    subprocess.run(["cc", "-O2", f"-I{ROOT}", f"-I{ROOT}/include", ROOT / f"bench/calls/{name}.c", "-o", target,
                    library, f"-Wl,-rpath,{library.parent}"], check=True)
    os.environ["WEFT_CFLAGS"] = "-march=x86-64-v3"
    os.environ["XDG_CACHE_HOME"] = str(directory)
    return target


def inclusive(profile, function):
    """Instructions inside calls of a function."""
    report = subprocess.run(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", profile],
                            check=True, capture_output=True, text=True).stdout
    found = re.search(rf"^ *([\d,]+)[^\n]*:{function} ", report, re.M)
    if not found:
        raise SystemExit(f"callgrind saw no {function}:\n{report}")
    return int(found.group(1).replace(",", ""))


def measure(options, program, directory, case):
    text, operands, elements, given, disabled = case
    os.environ["WEFT_DISABLE"] = disabled
    command = [program, text, str(operands), str(elements), given]
    # Compiles the kernel, then 5 times many calls.
    times = [float(subprocess.run([*command, "100000"], check=True, capture_output=True, text=True).stdout)
             for _ in range(5)]
    profile = directory / "profile"
    subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=weft_run", f"--callgrind-out-file={profile}",
                    *command, str(options.calls)], check=True, capture_output=True)
    # The first dump holds the counted calls.
    whole, kernel = (inclusive(f"{profile}.1", name) / options.calls for name in ("weft_run", "weft_kernel"))
    for old in directory.glob("profile*"):
        old.unlink()
    return {"text": text, "operands": operands, "elements": max(elements, 1), "given": given, "disabled": disabled,
            "weft_run": whole, "kernel": kernel, "overhead": whole - kernel, "nanoseconds": min(times)}


def main():
    settings = options()
    if not shutil.which("valgrind"):
        raise SystemExit("valgrind is missing; install valgrind")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        program = build(settings, directory)
        entries = []
        for case in CASES:
            entry = measure(settings, program, directory, case)
            entries.append(entry)
            off = f"  without '{entry['disabled']}'" if entry["disabled"] else ""
            print(f"{entry['text']:10} {entry['given']:7} weft_run {entry['weft_run']:6.0f}   "
                  f"kernel {entry['kernel']:6.0f}   overhead {entry['overhead']:6.0f} instructions   "
                  f"{entry['nanoseconds']:6.0f} ns{off}", flush=True)
    if settings.save:
        machine.save(settings.save, unit="instructions for each call", calls=entries)
    return entries[3]["overhead"] > LIMIT


if __name__ == "__main__":
    sys.exit(main())
