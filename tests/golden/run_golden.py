#!/usr/bin/env python3
"""Texts and what each stage makes of them, side by side:

    run_golden.py [--update] [NAME ...]        the command is $WEFT, else `weft`

A case is NAME.weft and, for every stage it lists, a file NAME.STAGE with the text that
`weft show NAME.weft --stage STAGE` must print; c and cuda are what compilers get, shown_c and shown_cuda what people
read. The case's first lines are comments of the program:

    # stages: types ir                         the stages, in any order
    # x=uint8[480,640,3] gain=float32[3]       arguments of the command: the inputs' types
    # kernel: name                             for a file of kernels, the one that is shown

Lines of other comments may follow. The generated C says VECTOR before the functions that the machine
has for whole vectors; the word is left out on both sides, all else is the same on every machine.
A kernel's file has what is the kernel's own, as pieces.py tells it: sizes other than headline's; functions, where a
run of lines that headline has, too, is one line with its first and its last; of helpers the names. Each helper
that any kernel has is a line of helpers.c or helpers.cuda: its name without types, how many lines it has, and a
checksum of its text. So every change of a template changes some line here; what it changed is in the template's
own difference.

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
import textwrap

import pieces

HERE = pathlib.Path(__file__).resolve().parent
STAGES = ["tokens", "ast", "types", "shapes", "reductions", "lower", "materialize", "narrow", "split", "reduce",
          "schedule", "groups", "ir", "c", "cuda", "shown_c", "shown_cuda"]
SHOWN = {"shown_c": "c", "shown_cuda": "cuda"}
KERNELS = ["c", "cuda"]
OTHERS = {"run_golden.py", "pieces.py", "meson.build", "promotion.txt", ".gitattributes",
          *(f"helpers.{stage}" for stage in KERNELS)}
SECONDS = 60
RUN = 5  # lines that two kernels have in common, at least, to be left out of one


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


@functools.cache
def shown(case, stage):
    """What the command prints, without what depends on the machine and without numbers of a kernel's lines; or None,
    and what went wrong."""
    command = [os.environ.get("WEFT", "weft"), "show", case.path.name + case.kernel,
               *case.arguments, "--stage", f"{stage}-compiled" if stage in KERNELS else SHOWN.get(stage, stage)]
    done = subprocess.run(command, cwd=HERE, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8",
                          timeout=SECONDS, env=dict(os.environ, WEFT_DISABLE="roots"))
    if done.returncode:
        return None, f"exit status {done.returncode}\n{done.stderr}"
    text = re.sub(r"^VECTOR ", "", done.stdout, flags=re.M)
    return re.sub(r'#line \d+ "/weft/kernel.cu"', '#line "/weft/kernel.cu"', text), None


@functools.cache
def divided(case, stage):
    return list(pieces.divided(shown(case, stage)[0] or ""))


@functools.cache
def all_cases():
    return [Case(path) for path in sorted(HERE.glob("*.weft"))]


@functools.cache
def headline(stage):
    return divided(next(case for case in all_cases() if case.path.stem == "headline"), stage)


def is_own(piece, stage):
    """What a kernel's file holds in full: also declarations of a line that headline has not."""
    return piece.own or (len(piece.lines) == 1 and piece.lines not in [other.lines for other in headline(stage)])


@functools.cache
def helpers(stage):
    """The texts of each kind of helper, by checksum."""
    found = {}
    for case in all_cases():
        for piece in divided(case, stage) if stage in case.stages else []:
            if not piece.size and not is_own(piece, stage):
                found.setdefault(piece.kind, {})[piece.sum] = piece
    return found


def listed(stage):
    return "".join(f"{kind:24} {len(piece.lines):3} lines  {piece.sum}\n"
                   for kind, texts in sorted(helpers(stage).items()) for _, piece in sorted(texts.items()))


def paragraph(head, words):
    return textwrap.wrap(head + ", ".join(words), 120, subsequent_indent="@   ") if words else []


def other_sizes(sizes, known):
    """Those that differ from the known ones; all of them, if they are not the same ones in the same order."""
    same = [size.split()[0] for size in sizes] == [size.split()[0] for size in known]
    return [size for size in sizes if not same or size not in known]


def told(pile, stage, known):
    """What stands behind each other: sizes that are not known, and helpers by name. A helper that has another text
    elsewhere has its checksum, too."""
    sizes = [piece.size for piece in pile if piece.size]
    names = [piece.name + (f" {piece.sum}" if len(helpers(stage)[piece.kind]) > 1 else "")
             for piece in pile if not piece.size]
    return paragraph("@ sizes: ", other_sizes(sizes, known)) + paragraph("@ helpers: ", names)


def follows(line, before):
    """Which numbers of a line are one more than in the line before; None if something else differs."""
    numbers, others = re.findall(r"\d+", line), re.findall(r"\d+", before)
    more = tuple(int(a) - int(b) for a, b in zip(numbers, others))
    same = re.sub(r"\d+", "0", line) == re.sub(r"\d+", "0", before)
    return more if same and 1 in more and set(more) <= {0, 1} else None


def counted(lines):
    """The lines, without those inside a run of lines whose numbers count up."""
    steps = [None, *(follows(line, before) for before, line in zip(lines, lines[1:]))]
    out, start = [], 0
    while start < len(lines):
        end = start + 1
        while end + 1 < len(lines) and steps[end] and steps[end + 1] == steps[end]:
            end += 1
        if end - start >= RUN:
            out += [lines[start], f"@ {end - start - 1} lines more, counted up, to:", lines[end]]
            start = end + 1
        else:
            out.append(lines[start])
            start += 1
    return out


def beside_headline(lines, stage):
    """The lines, of which each run that headline's functions have is one."""
    known = [line for piece in headline(stage) if piece.own for line in piece.lines]
    matcher, end, out = difflib.SequenceMatcher(None, known, lines, autojunk=False), 0, []
    for _, start, size in matcher.get_matching_blocks():
        if size < RUN and start < len(lines):
            continue
        out += lines[end:start]
        if size:
            first, last = lines[start].strip(), lines[start + size - 1].strip()
            out.append(f"@ headline.{stage}, {size} lines: {first} ... {last}")
        end = start + size
    return out


def own_text(case, stage):
    """A kernel's text in a golden file."""
    first = case.path.stem == "headline"
    known = [] if first else [piece.size for piece in headline(stage) if piece.size]
    out, pile = [], []
    for piece in divided(case, stage):
        if piece.size or not is_own(piece, stage):
            pile.append(piece)
            continue
        out += told(pile, stage, known)
        out += piece.lines if first else counted(beside_headline(piece.lines, stage))
        pile = []
    return "\n".join(out + told(pile, stage, known)) + "\n"


def show(case, stage):
    """The stage's text in a golden file, or None and what went wrong."""
    text, wrong = shown(case, stage)
    return (own_text(case, stage) if stage in KERNELS and not wrong else text), wrong


def difference(path, text):
    expected = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = difflib.unified_diff(expected.splitlines(), text.splitlines(), "expected " + path.name,
                                 "shown", lineterm="")
    return "\n".join(lines) or ("" if expected == text else "only the ends of lines differ")


def compare(path, text, updating):
    """What is wrong, or an empty text."""
    if not updating:
        return difference(path, text)
    path.write_text(text, encoding="utf-8")
    return ""


def check(case, stage, updating):
    text, wrong = show(case, stage)
    return wrong or compare(case.expected(stage), text, updating)


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
    stray = strays(all_cases())
    chosen = [case for case in all_cases() if not names or case.path.stem in names]
    steps = [(f"{case.path.stem} {stage}", functools.partial(check, case, stage, updating))
             for case in chosen for stage in case.stages]
    steps += [(f"helpers {stage}", lambda stage=stage: compare(HERE / f"helpers.{stage}", listed(stage), updating))
              for stage in KERNELS]
    steps.append(("every file belongs to a case", lambda: "\n".join(stray)))
    print(f"1..{len(steps)}")
    failed = sum(report(number, name, step()) for number, (name, step) in enumerate(steps, 1))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
