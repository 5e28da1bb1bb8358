#!/usr/bin/env python3
"""Texts and what each stage makes of them, side by side:

    run_golden.py [--update] [NAME ...]        the command is $WEFT, else `weft`

A case is NAME.weft and, for every stage it lists, a file NAME.STAGE with the text that
`weft show NAME.weft --stage STAGE` must print. The case's first lines are comments of the program:

    # stages: types ir                         the stages, in any order
    # x=uint8[480,640,3] gain=float32[3]       arguments of the command: the inputs' types
    # kernel: name                             for a file of kernels, the one that is shown

Lines of other comments may follow. The generated C says VECTOR before the functions that the machine
has for whole vectors; the word is left out on both sides, all else is the same on every machine.
The kernels of headline.weft are there in full. Of the other kernels a file holds what differs from
those: a run of lines that headline.c (headline.cuda) has, too, is one line with its first and its last,
and the numbers of the text's own lines are left out.

--update writes the expected files; read them before committing: an expected file that records a
mistake is worse than none. A file that belongs to no case fails too. Reports in TAP.
"""
import difflib
import functools
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
STAGES = ["tokens", "ast", "types", "shapes", "reductions", "lower", "materialize", "narrow", "split", "reduce",
          "schedule", "groups", "ir", "c", "cuda"]
OTHERS = {"run_golden.py", "meson.build", "promotion.txt", ".gitattributes"}
SECONDS = 60
RUN = 8  # lines that two kernels have in common, at least, to be left out of one


class Case:
    """One NAME.weft; `text` is the program as the command is given it."""

    def __init__(self, path):
        self.path, self.stages, self.arguments, self.kernel = path, [], [], ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith("#"):
                break
            self.read(line[1:].strip())
        if not self.stages or not set(self.stages) <= set(STAGES):
            sys.exit(f"{path.name}: its stages are {self.stages}, not among {STAGES}")

    def read(self, line):
        if line.startswith("stages:"):
            self.stages = line.split()[1:]
        elif line.startswith("kernel:"):
            self.kernel = ":" + line.split()[1]
        elif "=" in line.split(" ")[0]:
            self.arguments = line.split()

    def expected(self, stage):
        return self.path.with_suffix("." + stage)


def without_machine(text):
    return "".join(line.removeprefix("VECTOR ") for line in text.splitlines(keepends=True))


def numberless(text):
    return re.sub(r'#line \d+ "/weft/kernel.cu"', '#line "/weft/kernel.cu"', text).splitlines()


@functools.cache
def headline(stage):
    return numberless(show(Case(HERE / "headline.weft"), stage)[0] or "")


def beside_headline(stage, text):
    """The text with a line for each run of lines that the headline's has."""
    lines, known, end, out = numberless(text), headline(stage), 0, []
    matcher = difflib.SequenceMatcher(None, known, lines, autojunk=False)
    for _, start, size in matcher.get_matching_blocks():
        if size < RUN and start < len(lines):
            continue
        out += lines[end:start]
        if size:
            first, last = lines[start].strip(), lines[start + size - 1].strip()
            out.append(f"@ headline.{stage}, {size} lines: {first} ... {last}")
        end = start + size
    return "\n".join(out) + "\n"


def normalized(case, stage, text):
    """Without what depends on the machine and, but for the headline, without what a kernel has in common with it."""
    text = without_machine(text)
    return beside_headline(stage, text) if stage in ("c", "cuda") and case.path.stem != "headline" else text


def show(case, stage):
    """The stage's text, or None and what went wrong."""
    command = [os.environ.get("WEFT", "weft"), "show", case.path.name + case.kernel,
               *case.arguments, "--stage", stage]
    done = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, capture_output=True,
                          encoding="utf-8", timeout=SECONDS)
    if done.returncode:
        return None, f"exit status {done.returncode}\n{done.stderr}"
    return normalized(case, stage, done.stdout), None


def difference(case, stage, text):
    path = case.expected(stage)
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), "expected " + path.name,
                                 "shown", lineterm="")
    return "\n".join(lines) or ("" if expected == text else "only the ends of lines differ")


def check(case, stage, updating):
    """What is wrong, or an empty text."""
    text, wrong = show(case, stage)
    if wrong or not updating:
        return wrong or difference(case, stage, text)
    case.expected(stage).write_text(text, encoding="utf-8")
    return ""


def strays(cases):
    """Files of this folder that nothing here reads."""
    known = OTHERS | {case.path.name for case in cases}
    known |= {case.expected(stage).name for case in cases for stage in case.stages}
    return sorted(path.name for path in HERE.iterdir() if path.name not in known and path.is_file())


def report(number, name, wrong):
    print("not ok" if wrong else "ok", number, "-", name)
    for line in wrong.splitlines():
        print("#", line)
    return bool(wrong)


def main(arguments):
    updating = "--update" in arguments
    names = [name for name in arguments if name != "--update"]
    cases = [Case(path) for path in sorted(HERE.glob("*.weft"))]
    stray = strays(cases)
    chosen = [case for case in cases if not names or case.path.stem in names]
    steps = [(case, stage) for case in chosen for stage in case.stages]
    print(f"1..{len(steps) + 1}")
    failed = sum(report(number, f"{case.path.stem} {stage}", check(case, stage, updating))
                 for number, (case, stage) in enumerate(steps, 1))
    failed += report(len(steps) + 1, "every file belongs to a case", "\n".join(stray))
    return 1 if failed or not steps else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
