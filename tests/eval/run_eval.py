#!/usr/bin/env python3
"""Text cases of the language, run through the `weft` command.

    run_eval.py [--update] [--only WORDS] FILE.txt ...        the command is $WEFT, else `weft`

$WEFT_UNDER is put before it (valgrind and its options); cases whose titles contain $WEFT_SKIP are
left out.

A file holds cases; lines that begin with # between them are comments:

    == floor division rounds down              title, begun with the rule's number where there is one
        a // b                                 the program: lines indented by four spaces
    < a:int32=[7, -7]                          an argument of the command
    < b:int32=[2, 2]
    > out int32 [3, -4]                        a result: name, dtype, values, in order
    ! <expr>:1:3: warning[W0030]: ..           standard error, line by line, exactly

Values are nested lists (a bare number is 0-D) of numbers, true, false, nan, inf; they are compared
with their dtype, shape and sign of zero. `~` before them allows 4 units in the last place:
`> out float32 ~[0.84147098]`. `{2, 0, 3}` instead of values is an empty array of that shape.
A case with ! lines and without > lines must fail with status 1, any other must end with 0.
`@ file` runs the program from case.weft instead of the command line, `@ file:name` its kernel `name`.
--only WORDS runs the cases whose title holds these words, or that begin at WORDS, as shapes.txt:12. --update rewrites
the ! lines of those that were run with what the command says; read the difference before committing it.
"""
import argparse
import ast
import concurrent.futures
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import sample  # noqa: E402


# Kernels of the compiler that is named, not first ones.
ENVIRONMENT = dict(os.environ, WEFT_DISABLE=",".join(filter(None, [os.environ.get("WEFT_DISABLE"), "first"])))


class Case:
    def __init__(self, path, line, title):
        self.where = f"{path}:{line}"
        self.title = title
        self.program, self.arguments, self.results, self.stderr = [], [], [], []
        self.file, self.told, self.failure, self.ran = None, [], None, False


def parse(path):
    """The file as a list of lines and cases; the lines outside cases are kept for --update."""
    items, case = [], None
    for number, line in enumerate(open(path).read().split("\n"), 1):
        if line.startswith("== "):
            case = Case(path, number, line[3:])
            items.append(case)
        elif case and line[:4] == "    ":
            case.program.append(line[4:])
        elif case and line[:1] in "<>@!" and line:
            add_line(case, line)
        else:
            case = None
            items.append(line)
            if line and not line.startswith("#"):
                sys.exit(f"{path}:{number}: {line!r} belongs to no case")
    return items


def add_line(case, line):
    rest = line[2:]
    if line[0] == "<":
        case.arguments.append(rest)
    elif line[0] == ">":
        case.results.append(rest.split(" ", 2))
    elif line[0] == "!":
        case.stderr.append(rest)
    else:
        case.file = rest.partition(":")[2] or "case"


def loaded(path, dtype):
    """NumPy has no bfloat16: its arrays hold two bytes, the upper half of a float32."""
    array = np.load(path)
    if dtype != "bfloat16" or array.dtype.kind != "V":
        return array
    return (np.atleast_1d(array).view(np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(array.shape)


def expected_array(dtype, text):
    dtype = "float32" if dtype == "bfloat16" else dtype
    if text.startswith("{"):
        return np.zeros(ast.literal_eval("(" + text[1:-1] + ",)"), dtype)
    words = {"nan": np.nan, "inf": np.inf, "true": True, "false": False}
    return np.array(eval(text, {"__builtins__": {}}, words), dtype)


def ordered(a):
    """Floats as integers that count them, so that neighbours differ by 1."""
    bits = a.view(f"i{a.itemsize}").astype(object)
    return np.where(bits < 0, -(bits + (1 << (8 * a.itemsize - 1))), bits)


def same(actual, expected, near):
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        return False
    if actual.dtype.kind != "f":
        return bool((actual == expected).all())
    nan = np.isnan(expected)
    if not (np.isnan(actual) == nan).all():
        return False
    distance = np.abs(ordered(actual) - ordered(expected))[~nan]
    zero = (actual == expected)[~nan] & (np.signbit(actual) == np.signbit(expected))[~nan]
    return bool((zero | ((distance <= 4) & near)).all())


def command(case, folder):
    """The command line that runs the case, and the paths of its results."""
    text = "\n".join(case.program)
    if case.file:
        with open(os.path.join(folder, "case.weft"), "w") as out:
            out.write(text + "\n")
        text = "case.weft" if case.file == "case" else "case.weft:" + case.file
    names = [result[0] for result in case.results]
    outputs = []
    for name in names:
        outputs += ["-o", f"{name}={name}.npy"]
    under = shlex.split(os.environ.get("WEFT_UNDER", ""))
    return [*under, os.environ.get("WEFT", "weft"), "run", *outputs, "--", text, *case.arguments]


def check_results(case, folder):
    for name, dtype, text in case.results:
        actual = loaded(os.path.join(folder, name + ".npy"), dtype)
        near = text.startswith("~")
        expected = expected_array(dtype, text.lstrip("~"))
        if not same(actual, expected, near):
            return f"{name} is {actual.dtype} {actual.tolist()}, not {dtype} {text}"
    return None


def run(case):
    """Sets case.failure, and case.told to what standard error held."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command(case, folder), cwd=folder, capture_output=True, text=True,
                              env=ENVIRONMENT)
        case.ran, case.told = True, done.stderr.rstrip("\n").split("\n") if done.stderr else []
        fails = bool(case.stderr) and not case.results
        if done.returncode != fails:
            case.failure = f"status {done.returncode}, not {int(fails)}\n{done.stderr}"
        elif case.told != case.stderr:
            case.failure = "standard error is\n" + done.stderr
        if done.returncode == 0 and not fails:
            case.failure = check_results(case, folder) or case.failure
    return case


def text_of(case, told):
    lines = [f"== {case.title}"] + ["    " + line if line else "    " for line in case.program]
    if case.file:
        lines.append("@ file" + ("" if case.file == "case" else ":" + case.file))
    lines += ["< " + argument for argument in case.arguments]
    lines += ["> " + " ".join(result) for result in case.results]
    return lines + [("! " + line).rstrip() for line in told]


def update(path, items):
    lines = []
    for item in items:
        lines += [item] if isinstance(item, str) else text_of(item, item.told if item.ran else item.stderr)
    with open(path, "w") as out:
        out.write("\n".join(lines))


def main(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--only", default="", metavar="WORDS")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args(arguments)
    files = {path: parse(path) for path in options.files}
    everything = [item for items in files.values() for item in items if isinstance(item, Case)]
    skip = os.environ.get("WEFT_SKIP")
    cases = [case for case in everything if not (skip and skip in case.title) and
             (options.only in case.title or case.where.endswith(options.only))]
    cases = sample.chosen(cases)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(run, cases))
    if options.update:
        for path, items in files.items():
            update(path, items)
    failed = [case for case in cases if case.failure]
    for case in failed:
        print(f"{case.where}: {case.title}: {case.failure}", file=sys.stderr)
    print(f"{len(cases) - len(failed)} passed, {len(failed)} failed, "
          f"{len(everything) - len(cases)} skipped")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
