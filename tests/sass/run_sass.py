#!/usr/bin/env python3
"""The figures of the CUDA kernels' machine code (bench/gpu/sass.py) against figures.txt:

    run_sass.py [--update] BUILD

A figure may be better than its line, and 5 % worse. Narrow inputs have at least twice the bytes in flight that memory's
speed needs. Exit status 77 where there is no NVRTC or no nvdisasm: scripts/sass
gets one."""
import argparse
import pathlib
import sys
import types

HERE = pathlib.Path(__file__).resolve().parent
FIGURES = HERE / "figures.txt"
sys.path.insert(0, str(HERE.parent.parent / "bench/gpu"))
import sass  # noqa: E402

WORSE = 1.05


def line(row):
    return (f"{row['instructions']:.1f} instructions, {row['registers']} registers, {row['thread_bytes']} bytes | "
            f"{row['case']}")


def numbers(text):
    figures, name = text.split(" | ")
    return name, [float(part.split()[0]) for part in figures.split(", ")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("build")
    options = parser.parse_args()
    rows = sass.figures(types.SimpleNamespace(build=options.build, arch="sm_90", cases=[]))
    if rows is None:
        return 77
    lines = [line(row) for row in rows]
    if options.update:
        FIGURES.write_text("".join(text + "\n" for text in lines), encoding="utf-8")
        return 0
    known = dict(numbers(text) for text in FIGURES.read_text(encoding="utf-8").splitlines())
    bad = set(known) - {row["case"] for row in rows}
    print(f"1..{len(lines)}")
    for count, (row, text) in enumerate(zip(rows, lines), 1):
        name, (instructions, registers, flight) = numbers(text)
        was = known.get(name)
        enough = not row["narrow"] or row["sm_kbytes"] >= 2 * row["needed_kbytes"]
        good = was and enough and instructions <= was[0] * WORSE and registers <= was[1] * WORSE \
            and flight * WORSE >= was[2]
        print(f"{'ok' if good else 'not ok'} {count} {name}: {text.split(' | ')[0]}"
              + ("" if good else f"; before {was}; --update writes the new ones" if enough
                 else "; too few bytes in flight"))
        bad = bad if good else bad | {name}
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
