#!/usr/bin/env python3
"""Every eval case traced: what `weft run --trace` tells of its results is what `weft run` computes.

    run_trace.py FILE.txt ...        the command is $WEFT, else `weft`

That of the first one's last element is what --at tells. Cases that end with an error end with the same error.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "eval"))
import run_eval  # noqa: E402
from run_eval import sample  # noqa: E402


def weft(case, folder, *options):
    text = "\n".join(case.program)
    if case.file:
        with open(os.path.join(folder, "case.weft"), "w") as out:
            out.write(text + "\n")
        text = "case.weft" if case.file == "case" else "case.weft:" + case.file
    done = subprocess.run([os.environ.get("WEFT", "weft"), "run", "--format", "json", *options, "--", text,
                           *case.arguments], cwd=folder, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout or "[]"), done.stderr


def numbers(value):
    """A flat list of Python numbers; texts are nan and inf."""
    if isinstance(value, list):
        return [number for item in value for number in numbers(item)]
    return [float(value) if isinstance(value, str) else value]


def element(value, at):
    for index in at:
        value = value[index]
    return numbers(value)[0]


def same(a, b):
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


# JSON has the shortest digits, so a mean of them is off by so much of the largest one.
ROUNDED = {"float16": 1e-3, "bfloat16": 1e-2, "float32": 1e-7}


def rounded(dtype, number):
    """The value that these digits stand for."""
    return np.float32(number) if dtype == "float32" else number


def mean_differs(told, finite, dtype):
    if told is None or not finite:
        return told is not None or bool(finite)
    largest = max(abs(float(value)) for value in finite)
    return abs(float(told) - sum(map(float, finite)) / len(finite)) > ROUNDED.get(dtype, 1e-12) * largest + 1e-44


def messages(told):
    """What is said, without places in the arguments, which differ."""
    return [json.loads(line)["message"] for line in told.splitlines()]


def compare(result, row):
    """What is wrong with the row of a result, in words; None: nothing."""
    value = numbers(result["value"])
    nan = [v for v in value if isinstance(v, float) and math.isnan(v)]
    inf = [v for v in value if isinstance(v, float) and math.isinf(v)]
    known = [v for v in value if not (isinstance(v, float) and math.isnan(v))]
    finite = [v for v in known if not math.isinf(v)]
    expected = {"dtype": result["dtype"], "shape": result["shape"], "nan": len(nan), "inf": len(inf),
                "smallest": min(known) if known else None, "largest": max(known) if known else None}
    found = {key: row[key] if key in ("dtype", "shape", "nan", "inf") or row[key] is None else numbers(row[key])[0]
             for key in expected}
    differs = {key for key in expected if found[key] != expected[key]} - {"smallest", "largest"}
    for key in ("smallest", "largest"):
        if (found[key] is None) != (expected[key] is None) or \
                (found[key] is not None and rounded(row["dtype"], found[key]) != rounded(row["dtype"], expected[key])):
            differs.add(key)
    if differs:
        return f"{found}, not {expected}"
    return f"mean {row['mean']}" if mean_differs(row["mean"], finite, row["dtype"]) else None


def run(case):
    with tempfile.TemporaryDirectory() as folder:
        status, results, told = weft(case, folder)
        first = results[0] if results else None
        shape = first["shape"] if first and "shape" in first and 0 not in first["shape"] else None
        at = ["--at", ",".join(str(extent - 1) for extent in shape)] if shape is not None else []
        case.ran = True
        trace_status, rows, trace_told = weft(case, folder, "--trace", *at)
        if status or trace_status:
            if status != trace_status or messages(told) != messages(trace_told):
                case.failure = f"status {trace_status}, not {status}\n{trace_told}"
            return case
        for result in results:
            row = next((row for row in reversed(rows) if row["name"] == result["name"]), None)
            if row is None or "value" not in result:
                continue
            case.checked = getattr(case, "checked", 0) + 1
            if "literal" in row["how"] or "comes with the run" in row["how"]:  # told with its full value
                continue
            wrong = compare(result, row)
            if not wrong and at and result is first:
                own = element(result["value"], [extent - 1 for extent in shape])
                told_element = numbers(row["element"])[0] if row.get("element") is not None else None
                wrong = None if same(own, told_element) else f"element {told_element}, not {own}"
            case.failure = case.failure or (wrong and f"{result['name']} is told with {wrong}")
    return case


def main(files):
    cases = [item for path in files for item in run_eval.parse(path) if isinstance(item, run_eval.Case)]
    chosen = sample.chosen(cases)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(run, chosen))
    failed = [case for case in chosen if case.failure]
    for case in failed:
        print(f"{case.where}: {case.title}: {case.failure}", file=sys.stderr)
    checked = sum(getattr(case, "checked", 0) for case in chosen)
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed, {len(cases) - len(chosen)} skipped; "
          f"{checked} results compared")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
