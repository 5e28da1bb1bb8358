#!/usr/bin/env python3
"""No generated name can meet another one, or a name that stands in what kernels are made of.

    test_names.py                              the command is $WEFT, else `weft`

generated_names.h has a pattern for each kind of name. Those are held against all names of templates/ and grammar/, of C
and of the compilers' own macros; then every name in generated texts has to be of one of these origins."""
import functools
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import programs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEFT = os.environ.get("WEFT", "weft")
IDENTIFIER = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
WORD = {"d": r"\d+", "s": r"\w+"}
# Names in compiler/*.c of which a text has one.
ONCE = {"slots", "weft_arrays", "weft_results", "weft_samples", "weft_shapes", "weft_steps", "weft_stream",
        "weft_values"}


def read(path):
    return (ROOT / path).read_text(encoding="utf-8")


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def code_of(text):
    """Without comments and strings."""
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', without_comments(text))


@functools.cache
def header():
    path, = (ROOT / "compiler").rglob("generated_names.h")
    return path.read_text(encoding="utf-8")


@functools.cache
def kinds():
    """Name in the header -> pattern."""
    found = dict(re.findall(r'#define (NAME_\w+) "([^"]*)"', header()))
    entry = found["NAME_ENTRY"]
    suffix, = re.findall(r'#define NAME_KEPT_ENTRY NAME_ENTRY "([^"]*)"', header())
    return {**found, "NAME_KEPT_ENTRY": entry + suffix}


@functools.cache
def expression(pattern):
    return re.compile("".join(WORD[part[1]] if part[0] == "%" else re.escape(part)
                              for part in re.findall(r"%[ds]|[^%]+", pattern)))


@functools.cache
def shown():
    """What names begin with that have a name of the user's in place of a number: those of compiler/emit/shown.c."""
    rows = re.findall(r"\{(NAME_\w+), (?:NULL|\"(\w+)\")\}", read("compiler/emit/shown.c"))
    return {own or kinds()[name].split("%")[0] for name, own in rows}


@functools.cache
def types():
    return re.findall(r"^TYPE\(\w+, *\w+, *(\w+),", read("grammar/types.def"), flags=re.M)


@functools.cache
def meanings():
    """The code in rows of ops.def: what is left of them without texts."""
    return code_of(read("grammar/ops.def"))


@functools.cache
def templates():
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "templates").rglob("*.*"))}


@functools.cache
def library():
    """Functions of the C library, for both types."""
    names = set(re.findall(r"\bF\((\w+)\)", meanings() + "".join(map(code_of, templates().values()))))
    return names | {name + "f" for name in names}


@functools.cache
def helpers():
    """Each helper for every type and every pair of types."""
    sections = set()
    for name in ("dialect.h", "prelude_c.h", "shuffle_c.h", "transpose_c.h", "weigh_c.h", "prelude_cuda.h"):
        sections |= set(re.findall(r"^//: (\w+) (\w+)$", templates()[name], flags=re.M))
    called = set(re.findall(r"\b[NM]\((\w+)\)", meanings() + "".join(map(code_of, templates().values()))))
    names = {name for section, name in sections if section != "library" and name not in ("head", "end")} | called
    short = types()
    return {name: {f"{name}_{t}" for t in short} | {f"{name}_{s}_{t}" for s in short for t in short} for name in names}


@functools.cache
def c_names():
    text = re.sub(r'"\s*"', "", without_comments(read("grammar/cnames.def")))
    return {word for names in re.findall(r'C_NAMES\(\w+,\s*"[^"]*",\s*"([^"]*)"\)', text) for word in names.split()}


@functools.cache
def predefined():
    """Macros that compilers define themselves."""
    found = set()
    for cc in filter(shutil.which, ("cc", "gcc", "clang")):
        done = subprocess.run([cc, "-dM", "-E", "-x", "c", "/dev/null"], capture_output=True, text=True, check=True)
        found |= set(re.findall(r"^#define (\w+)", done.stdout, flags=re.M))
    return found


@functools.cache
def hand_written(names):
    """Identifiers of these templates. What an access numbers is no name yet, nor is what takes a library
    function's place."""
    text = "\n".join(templates()[name] for name in names)
    own = {f"own_{name}" for name in re.findall(r"^//: library (\w+)", text, flags=re.M)}
    return set(IDENTIFIER.findall(re.sub(r"\b[a-z]+_\$", " ", code_of(text)))) - own


KERNELS = ["access_c.h", "access_cuda.h", "args.h", "args_cuda.h", "dialect.h", "kernel.c", "kernel.cu", "prelude_c.h",
           "prelude_cuda.h", "shuffle_c.h", "transpose_c.h", "weigh_c.h"]


class Names(unittest.TestCase):
    def assert_apart(self, names, origin, patterns):
        for kind, pattern in patterns.items():
            met = [name for name in names if expression(pattern).fullmatch(name)]
            self.assertFalse(met, f"{kind}, {pattern}, may be what {origin} has")

    def test_none_of_another_origin(self):
        patterns = kinds()
        ahead = {kind: pattern for kind, pattern in patterns.items() if kind not in ("NAME_ENTRY", "NAME_KEPT_ENTRY")}
        self.assert_apart(hand_written(tuple(templates())), "templates/", ahead)
        self.assert_apart(hand_written(tuple(KERNELS)), "a kernel", {"kept": patterns["NAME_KEPT_ENTRY"]})
        self.assert_apart(IDENTIFIER.findall(meanings()), "grammar/ops.def", patterns)
        self.assert_apart([name + end for name in types() for end in ("", "_m")], "grammar/types.def", patterns)
        self.assert_apart(set().union(*helpers().values()), "a helper", patterns)
        self.assert_apart(library() | c_names(), "C", patterns)
        self.assert_apart(predefined(), "a compiler", patterns)
        self.assert_apart(ONCE, "a text", patterns)
        self.assertGreater(min(map(len, (types(), helpers(), library(), c_names(), predefined()))), 10)

    def test_none_of_another_kind(self):
        starts = {kind: pattern.split("%")[0] for kind, pattern in kinds().items() if "%" in pattern}
        for (one, a), (other, b) in itertools.combinations(starts.items(), 2):
            self.assertFalse(a.startswith(b) or b.startswith(a), f"{one} and {other} begin alike")

    def test_two_of_a_kind_differ(self):
        """A word that may hold underscores and digits is followed by numbers and one word at most."""
        for kind, pattern in kinds().items():
            rest = pattern[pattern.find("%"):] if "%" in pattern else ""
            self.assertRegex(rest, r"^(%s)?(_?%d)*(_%s)?(_H)?$", kind)

    def test_helpers_differ(self):
        seen = {}
        for helper, names in helpers().items():
            for name in names:
                self.assertEqual(seen.setdefault(name, helper), helper)
        others = library() | {name + end for name in types() for end in ("", "_m")} | hand_written(tuple(KERNELS))
        self.assertFalse(set(seen) & others)

    def test_accesses_number_what_has_a_kind(self):
        known = {pattern.replace("%d", "$") for pattern in kinds().values()}
        for name in ("access_c.h", "access_cuda.h"):
            self.assertLessEqual(set(re.findall(r"\b[a-z]+_\$", templates()[name])), known)


    def test_names_that_people_read(self):
        """No other name begins as one does that has a name of the user's behind it."""
        hand = hand_written(tuple(templates())) | set().union(*helpers().values()) | library() | c_names() | ONCE
        met = sorted(name for name in hand | predefined() for start in shown()
                     if name.startswith(start) and not re.fullmatch(r"\w*_\$?", name))
        self.maxDiff = None
        self.assertEqual(met, [])


class Texts(unittest.TestCase):
    """Generated texts hold no name of an origin that is not known here."""

    def check(self, text, program, more=()):
        known = ONCE | hand_written(tuple(templates())) | library() | c_names() | set(more)
        known |= set().union(*helpers().values())
        known |= {name + end for name in types() for end in ("", "_m")}
        known |= {f"part_{name}" for name in re.findall(r"^//: part (\w+)", templates()["math_c.h"], re.M)}
        for text_of in templates().values():  # what names a helper of the support file
            for section, name in re.findall(r"^//: (\w+) (\w+)", text_of, re.M):
                known |= {f"WEFT_{name}", f"WEFT_{section}_{name}"}
        known |= {"WEFT_T", "WEFT_S", "define", "ifndef", "undef", "include", "line", "weft_support", "WEFT_SUPPORT",
                  "WEFT_LOOPS", "LOOP"}
        known |= {"ACCESS_" + kind for kind in re.findall(r"^KIND\((\w+),", templates()["access_kinds.def"], re.M)}
        known |= set(program.inputs) | set(program.results) | set().union(*program.sizes.values())
        known |= {f"{name}_{what}" for name in (*program.inputs, *program.results)
                  for what in ("shape", "strides", "step")}
        patterns = {kind: expression(pattern) for kind, pattern in kinds().items()}
        names = (*program.inputs, *program.results, "temporary_[0-9]+", "literal_[0-9]+")
        users = re.compile(f"({'|'.join(shown())})({'|'.join(names)})(_\\d+)?")
        seen = set()
        names = set(IDENTIFIER.findall(re.sub(r"\b\d[\w.]*|\w+##\w+", " ", code_of(text))))
        for name in names - known:
            of = [kind for kind, pattern in patterns.items() if pattern.fullmatch(name)]
            of = of or ["a name that people read"] * bool(users.fullmatch(name))
            if not (name.startswith("_") or name.endswith("_t")):  # C's
                self.assertEqual(len(of), 1, f"{name} in {program.name}: {of}")
            seen.update(of)
        return seen

    def show(self, program, stage):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.weft")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program.text())
            arguments = [f"{name}={dtype}" for name, dtype in program.types(False).items()]
            return subprocess.run([WEFT, "show", path, *arguments, "--stage", stage], check=True, capture_output=True,
                                  text=True).stdout

    def build(self, program, *options):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.weft")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program.kernel())
            subprocess.run([WEFT, "build", path, "-o", folder, *options], check=True, capture_output=True)
            return "".join(pathlib.Path(folder, program.name + end).read_text(encoding="utf-8") for end in (".h", ".c"))

    def test_kernels(self):
        seen = set()
        for make in [*programs.ALL, programs.quotients, programs.rows, programs.columns,
                     programs.neighbours]:
            program = make()
            for stage in ("c-compiled", "cuda-compiled"):
                seen |= self.check(self.show(program, stage), program)
        inside = set(re.findall(r"#define (NAME_\w+)", header().split("/* In a source")[0]))
        # results that lie with gaps: those of the random programs do; nor are there interleaved rows and plain
        # transposes
        self.assertEqual(inside - seen, {"NAME_ENTRY", "NAME_KEPT_ENTRY", "NAME_PHASE", "NAME_MORE",
                                         "NAME_GROUP", "NAME_MANY", "NAME_BEGIN", "NAME_END", "NAME_FIRST", "NAME_JUMP",
                                         "NAME_PITCH", "NAME_PARTS", "NAME_SHARE", "NAME_LAID"})

    def test_sources(self):
        for make in programs.ALL:
            program = make()
            functions = [program.name + end for end in ("", "_strided", "_shape", "_batch", "_note")]
            self.check(self.build(program, "--isa", "x86-64-v3"), program, functions)


if __name__ == "__main__":
    unittest.main()
