"""What the C compiler takes for the kernel of each row of grammar/ops.def on each type, above what it takes for x + y:

    /usr/bin/python3 bench/compile/rows.py [--only NAME ..] [--types NAME ..] [--turns 5] [--save NAME]

Processor time of the compiler with all that it starts, the least of some turns, between which x + y is compiled again.
The texts and arguments are those that Weft uses. At the end come the rows, the slowest first."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "bench/common"), str(ROOT / "bench/operations")]
import numpy as np  # noqa: E402
import compile_time  # noqa: E402
import machine  # noqa: E402

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int32", "int64", "uint8", "uint64")
RULES = {"LOGIC": ("bool",), "BITS": INTEGERS, "SHIFT": INTEGERS, "REAL": FLOATS, "TEST": FLOATS, "ROUNDING": FLOATS,
         "NEAREST": FLOATS, "DIVISION": ("int32",) + FLOATS}
BASE = "x + y", ("float32", "float32")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--only", nargs="+", help="rows")
    parser.add_argument("--types", nargs="+")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--save")
    return parser.parse_args()


def cases(given):
    """(row, text, type) of each row that has a spelling; types are those that differ in their texts."""
    rows = json.loads(subprocess.run([f"{given.build}/cli/weft", "ops", "--format", "json"], check=True,
                                     capture_output=True).stdout)
    for row in rows:
        if "rule" not in row or row["form"] in ("view", "conversion", "reduction"):
            continue
        name, names = row["names"][0], ("x", "y", "z")[:len(row["parameters"])]
        called = name[0].isalpha() and name not in ("and", "or", "not")
        text = f"{name}({', '.join(names)})" if called else f"{name} x" if len(names) == 1 else f"x {name} y"
        if row["rule"] == "SELECT":
            text = "where(x, y, z)"
        for kind in RULES.get(row["rule"], INTEGERS + FLOATS):
            if (not given.only or name in given.only) and (not given.types or kind in given.types):
                yield name, text, names, kind


def source(given, text, names, kind, path):
    types = [f"{name}={kind}[1000]" for name in names]
    shown = subprocess.run([f"{given.build}/cli/weft", "show", text, *types, "--stage", "c-compiled"],
                           capture_output=True, text=True, check=False)
    path.write_text(shown.stdout)
    return shown.returncode == 0


def milliseconds(arguments, path):
    """Of processor time."""
    arguments = [str(path) if word.endswith("/k.c") else word for word in arguments]
    pid = os.posix_spawn(arguments[0], arguments, os.environ)
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"the C compiler failed: {path}")
    return (used.ru_utime + used.ru_stime) * 1e3


def main():
    given, entries = options(), []
    with tempfile.TemporaryDirectory() as directory:
        place = pathlib.Path(directory)
        os.environ["XDG_CACHE_HOME"] = directory
        x = np.zeros(1000, np.float32)
        arguments = compile_time.record(given.build, shutil.which("cc"), BASE[0], {"x": x, "y": x}, np.float32,
                                        directory)
        source(given, BASE[0], ("x", "y"), "float32", place / "base.c")
        for name, text, names, kind in cases(given):
            if not source(given, text, names, kind, place / "row.c"):
                continue
            times = [[milliseconds(arguments, place / file) for file in ("base.c", "row.c")]
                     for _ in range(given.turns)]
            base, row = (min(column) for column in zip(*times))
            entries.append({"row": name, "text": text, "type": kind, "ms": row, "above": row - base})
            print(f"{text:16} {kind:9} {row:6.1f} ms  {row - base:+6.1f}", flush=True)
    print()
    for entry in sorted(entries, key=lambda entry: -entry["above"])[:60]:
        print(f"{entry['text']:16} {entry['type']:9} {entry['ms']:6.1f} ms  {entry['above']:+6.1f}")
    if given.save:
        machine.save(given.save, rows=entries)


if __name__ == "__main__":
    main()
