"""Whether the loops of kernels are vectorized, as the C compiler itself reports it: every exact row of
grammar/ops.def on the types below, and conversions between them. What is not is listed here with the
reason, and the list must be exact: a row that is vectorized after all fails too.

    WEFT=build/cli/weft WEFT_CC=gcc tests/vector/run_vector.py

Exits with 77 where the compiler is neither gcc nor clang for x86-64."""
import concurrent.futures
import fnmatch
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
LEVEL = "-march=x86-64-v4"                  # nothing is run: the same list on every machine
INTEGERS, FLOATS, HALVES = TYPES[:4], TYPES[4:], ["float16", "bfloat16"]
RULES = {"LOGIC": ["bool"], "BITS": INTEGERS, "SHIFT": INTEGERS, "REAL": FLOATS, "TEST": FLOATS}

# (compiler, row, type), each a pattern: why it is not vectorized. clang reports a loop whose divisions
# and calls it does one after the other as vectorized, and deletes one that merely copies, having a call for that.
SCALAR = {}


def reason(compiler, row, kind):
    for (c, r, t), why in SCALAR.items():
        if fnmatch.fnmatchcase(compiler, c) and fnmatch.fnmatchcase(row, r) and fnmatch.fnmatchcase(kind, t):
            return why
    return None


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
    for kind in TYPES:
        for join in "sum", "min", "max":
            yield "few", kind, f"{join}(x, axis=-1)", f"{kind}[10000, 4]", {}


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


def lines_vectorized(report):
    """Line numbers of the vectorized loops in a compiler's report."""
    if report.lstrip().startswith("---"):
        names = re.findall(r"Name: +(?:Vectorized|Invariant)\nDebugLoc: +\{ File: [^,]*, Line: (\d+)", report)
        return {int(line) for line in names}
    return {int(line) for line in re.findall(r":(\d+):\d+: optimized: loop vectorized", report)}


def loops(text):
    """Line numbers of the loops over a block's elements in the kernel itself."""
    lines = text.split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("void weft_kernel("))
    return [i + 1 for i in range(start, len(lines)) if "for (int j = 0; j < BLOCK; j++)" in lines[i]]


def show(text, kind, stage, environment):
    """What `weft show` prints of a text. Its operands are of this type, with 100,000 elements if it says no extents."""
    kind += "" if "[" in kind else "[100000]"
    inputs = [f"{name}={kind}" for name in re.findall(r"\b[xyz]\b", text)]
    inputs += ["c=bool[100000]"] if "(c," in text else []
    done = subprocess.run([WEFT, "show", "--stage", stage, "--", text, *dict.fromkeys(inputs)], text=True,
                          capture_output=True, env=dict(os.environ, **environment))
    if done.returncode:
        raise SystemExit(f"{text} on {kind}: {done.stderr}")
    return done.stdout


def scalar_loops(name, text, kind, environment):
    """The loops of the kernel that the compiler does not report as vectorized, as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/report"
        flags = {"gcc": f"{LEVEL} -fopt-info-vec-optimized={path}",
                 "clang": f"{LEVEL} -gline-tables-only -fsave-optimization-record "
                          f"-foptimization-record-file={path}"}[name]
        source = show(text, kind, "c-compiled", environment)
        show(text, kind, "asm", dict(environment, WEFT_CFLAGS=flags))
        report = open(path).read() if os.path.exists(path) else ""
    vectorized = lines_vectorized(report)
    lines = source.split("\n")
    return ["\n".join(lines[n - 1:n + 6]) for n in loops(source) if n not in vectorized]


def judge(name, case):
    row, kind, text, source, environment = case
    scalar, why = scalar_loops(name, text, source, environment), reason(name, row, kind)
    if scalar and not why:
        return f"{row} on {kind} is not vectorized by {name}:\n{scalar[0]}"
    if not scalar and why:
        return f"{row} on {kind} is vectorized by {name}, though the list says: {why}"
    return None


def main():
    name = compiler()
    if name is None:
        print("neither gcc nor clang for x86-64")
        sys.exit(77)
    everything = sample.chosen(cases())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures = [failure for failure in pool.map(lambda case: judge(name, case), everything) if failure]
    print("\n".join(failures))
    print(f"{len(everything) - len(failures)} passed, {len(failures)} failed, 0 skipped")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
