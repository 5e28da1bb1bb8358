"""Whether the loops of kernels are vectorized, as the C compiler itself reports it, for AVX2 and for AVX-512: every
exact row of grammar/ops.def on the types below, conversions between them, kinds of access, and reductions with rows of
several lengths. What is not is listed here with the reason; where all cases are tried, each of the list must be met.
Last, scalar code is planted into two kernels, which has to be found.

    WEFT=build/cli/weft WEFT_CC=gcc tests/vector/run_vector.py

Exits with 77 where the compiler is neither gcc nor clang for x86-64."""
import concurrent.futures
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import sample  # noqa: E402

WEFT = os.environ.get("WEFT", "weft")
CC = os.environ.get("WEFT_CC", "cc")
TYPES = ["uint8", "int16", "int32", "int64", "float32", "float64"]
# Nothing is run: the same list on every machine.
LEVELS = {"v3": "-march=x86-64-v3 -mno-avx512f", "v4": "-march=x86-64-v4 -mavx512vbmi"}
INTEGERS, FLOATS, HALVES = TYPES[:4], TYPES[4:], ["float16", "bfloat16"]
RULES = {"LOGIC": ["bool"], "BITS": INTEGERS, "SHIFT": INTEGERS, "REAL": FLOATS, "TEST": FLOATS}

# (compiler and level, what the loop has): why it is not vectorized. clang reports a loop whose divisions
# and calls it does one after the other as vectorized, and deletes one that merely copies, having a call for that.
SCALAR = {
    ("gcc v3", r"(?s)const i64 .*\(f32\)[at]_\d"): "AVX2 has no floats of 64-bit integers",
}

REPORTS = {"gcc": "-fopt-info-vec-all=$to/report",
           "clang": "-gline-tables-only -fsave-optimization-record -foptimization-record-file=$to/report"}
# In place of the compiler: keeps a kernel's text, with what is planted in it, and the report on it.
COMPILER = """#!/bin/sh
[ -f k.c ] || exec %(cc)s "$@"
to=$(mktemp -d "%(folder)s/kernel.XXXXXX")
%(plant)s
cp k.c "$to/k.c"
exec %(cc)s "$@" %(flags)s
"""
PLANT = ("sed -i -e '1s/^/static volatile int planted; /' "
         "-e 's/\\(for (int j = 0; j < [A-Za-z]*\\); j++)/\\1; j++, planted++)/' k.c")


def excused(compiler, loop):
    """The exception that a loop is; None: it is none."""
    return next((key for key in SCALAR if key[0] == compiler and re.search(key[1], loop)), None)


def compiler():
    """gcc or clang, None where this test has nothing to say."""
    text = subprocess.run([CC, "--version"], capture_output=True, text=True).stdout
    if platform.machine() != "x86_64":
        return None
    return "clang" if "clang" in text else "gcc" if "Free Software" in text else None


def expression(row):
    """The row on operands x, y, z; a condition is c."""
    name, count = row["names"][0], len(row["parameters"])
    if row["rule"] == "SELECT":
        return "where(c, x, y)"
    operands = ["x", "y", "z"][:count]
    if name[0].isalpha() and name not in ("and", "or", "not"):
        return f"{name}({', '.join(operands)})"
    return f"{name} x" if count == 1 else f"x {name} y"


def cases():
    rows = json.loads(subprocess.run([WEFT, "ops", "--format", "json"], capture_output=True, check=True).stdout)
    for row in rows:
        if row["form"] in ("view", "conversion", "reduction"):
            continue # views compute nothing, conversions follow below, sums are made of additions
        for kind in RULES.get(row["rule"], TYPES) if row["exact"] or row["names"][0] == "**" else []:
            if not row["exact"] and kind in FLOATS:
                continue
            yield row["names"][0], kind, expression(row), kind, {}
    for source in ["uint8", "int8", "uint16", *TYPES[1:]]:
        for target in ["uint8", "int8", "uint16", *TYPES[1:]]:
            if source != target:
                yield "convert", f"{source} to {target}", f"{target}(x)", source, {}
    yield from half_cases()
    for kind in [*TYPES, "float16"]:
        yield from access_cases(kind)
        yield from reduction_cases(kind)


def access_cases(kind):
    """How elements are read: along rows of several lengths, which end in the middle of a block."""
    for text in ["x + column", "x[:, ::2] + 1", "x[:, ::3] + 1", "x[:, ::-1] + 1", "x[:, 1:] - x[:, :-1]",
                 "transpose(x) + 1", "take(x, i, axis=0) + 1", "take(max(x, x + 1), i, axis=0)",
                 "x + offset(x, [0, 1], 'edge')", "stack(x, x + 1, axis=-1) + 1", "concat(x, x + 1, axis=1) + 1"]:
        for extents in "1000, 31", "1000, 100", "100, 1000":
            yield text, f"{kind}[{extents}]", text, f"{kind}[{extents}]", {}
    text = f"correlate(x, {[[1, 2, 3, 4, n] for n in range(5)]}, 'edge')"  # rows slide
    yield "correlate", f"{kind}[400, 300]", text, f"{kind}[400, 300]", {}


def reduction_cases(kind):
    for extents in "10000, 3", "10000, 4", "10000, 8", "10000, 31", "10000, 64", "1000, 300", "100, 5000":
        for text in ["sum(x, -1)", "min(x, axis=-1)", "max(x * 2, axis=-1)", "argmax(x, axis=-1)", "any(x > 1, -1)",
                     "mean(x, -1)", "std(x, -1)", "x / norm(x, -1, true)", "softmax(x)", "sum(x, 0)", "max(x, axis=0)",
                     "sum(x)", "max(x)"]:
            yield text, f"{kind}[{extents}]", text, f"{kind}[{extents}]", {}


def half_cases():
    """Conversions of the 16-bit types, and that operations on them are rounded in vectors: with the block
    calls and without."""
    for environment in {}, {"WEFT_DISABLE": "convert"}:
        for half in HALVES:
            for other in ["uint8", *TYPES[1:], "uint64"]:
                yield "convert", f"{other} to {half}", f"{half}(x)", other, environment
                yield "convert", f"{half} to {other}", f"{other}(x)", half, environment
            for text in "x + y - z", "where(c, x, y) * z", "sqrt(x) / y < z", "max(x, y) * z + x":
                yield "operations", half, text, half, environment


def lines_of(report):
    """Line numbers of the vectorized loops in a compiler's report, and of those that it looked at and left."""
    if report.lstrip().startswith("---"):
        made = re.findall(r"Name: +(?:Vectorized|Invariant)\nDebugLoc: +\{ File: [^,]*, Line: (\d+)", report)
        left = re.findall(r"Name: +MissedDetails\nDebugLoc: +\{ File: [^,]*, Line: (\d+)", report)
    else:
        made = re.findall(r":(\d+):\d+: optimized: loop vectorized", report)
        left = re.findall(r":(\d+):\d+: missed: couldn't vectorize loop", report)
    return set(map(int, made)), set(map(int, left))


def scalar_of(text, report):
    """The loops over elements that are not vectorized: of the kernel itself all that are not reported as such; of what
    it calls, of which not all is compiled, those that are reported as left."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("void weft_kernel("))
    made, left = lines_of(report)
    loop = r"for \(int j = 0; j < BLOCK; j\+\+|EACH_OF\("
    own = {i + 1 for i in range(start, len(lines)) if re.search(loop, lines[i])}
    called = {i + 1 for i, line in enumerate(lines) if re.match(r"\s+EACH\(", line)}
    return [loop_at(lines, n - 1) for n in sorted(own - made | called & left - made)]


def loop_at(lines, start):
    """The text of a loop, which ends where a line begins as its first one does."""
    indent = re.match(" *", lines[start]).group()
    end = next((i for i in range(start + 1, len(lines)) if not lines[i].startswith(indent + " ")), len(lines))
    return "\n".join(lines[start:end + 1])


def scalar_loops(name, level, text, kind, environment, plant="true"):
    """The same of all kernels of a program. Its operands are of this type, with 100,000 elements if it says no
    extents."""
    kind += "" if "[" in kind else "[100000]"
    inputs = [f"{name}={kind}" for name in re.findall(r"\b[xyz]\b", text)]
    inputs += ["c=bool[100000]"] if "(c," in text else []
    inputs += ["i=int32[100000]"] if ", i" in text else []
    inputs += [f"column={kind.split('[')[0]}[{kind.split('[')[1].split(',')[0]}, 1]"] if "column" in text else []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "cc").write_text(COMPILER % {"cc": CC, "folder": folder, "plant": plant,
                                             "flags": f"{LEVELS[level]} {REPORTS[name]}"})
        (path / "cc").chmod(0o755)
        done = subprocess.run([WEFT, "show", "--stage", "asm", "--", text, *dict.fromkeys(inputs)], text=True,
                              capture_output=True, env=dict(os.environ, WEFT_CC=f"{folder}/cc", **environment))
        if done.returncode:
            raise SystemExit(f"{text} on {kind}: {done.stderr}")
        kernels = sorted(path.glob("kernel.*/report"))
        if not kernels:
            raise SystemExit(f"{text} on {kind}: no report")
        return [loop for report in kernels
                for loop in scalar_of((report.parent / "k.c").read_text(), report.read_text())]


def judge(name, level, case):
    """What is wrong, or None; and the exceptions that were met."""
    row, kind, text, source, environment = case
    scalar = scalar_loops(name, level, text, source, environment)
    met = {excused(f"{name} {level}", loop) for loop in scalar}
    wrong = [loop for loop in scalar if not excused(f"{name} {level}", loop)]
    return f"{row} on {kind} is not vectorized by {name} for {level}:\n{wrong[0]}" if wrong else None, met


def find_planted(name, level, text):
    found = scalar_loops(name, level, text, "float32[1000, 100]", {}, PLANT)
    return None if found else f"what was planted into {text} is not found in what {name} reports for {level}", set()


def main():
    name = compiler()
    if name is None:
        print("neither gcc nor clang for x86-64")
        sys.exit(77)
    every = [(level, case) for case in cases() for level in LEVELS]
    some = sample.chosen(every)
    jobs = [(judge, case) for case in some]
    jobs += [(find_planted, (level, text)) for level in LEVELS for text in ("x * y + 1", "prod(x, -1)")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = list(pool.map(lambda job: job[0](name, *job[1]), jobs))
    failures = [failure for failure, _ in judged if failure]
    met = set().union(*(met for _, met in judged))
    failures += [f"nothing is an exception any more as {key}: {why}" for key, why in SCALAR.items()
                 if len(some) == len(every) and key[0].startswith(name) and key not in met]
    print("\n".join(failures))
    print(f"{len(jobs) - len(failures)} passed, {len(failures)} failed, 0 skipped")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
