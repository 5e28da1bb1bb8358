"""Kernels' texts as `weft show` prints them for people: what is the program's own, all of it, and what a compiler
gets differ in what they may."""

import functools
import itertools
import re
import subprocess
import tempfile
import unittest

from weft_test import CommandTest

TARGETS = ("c", "cuda")
PROGRAMS = [
    ("a*x + b", "a=float32[]", "x=float32[1000]", "b=float32[]"),
    ("clamp(img * [1.25, 0.75, 0.75], 128, 255)", "img=uint8[480, 640, 3]"),
    ("softmax(x)", "x=float32[100, 1000]"),
    ("argmax(x, axis=-1)", "x=float32[100, 1000]"),
    ("sum(x, -1) / max(x, axis=-1)", "x=float32[100, 7]"),
    ("where(mask, transpose(x), y) ** 2 // k", "mask=bool[40, 30]", "x=float32[30, 40]", "y=float16[40, 30]",
     "k=int16[30]"),
    ("offset(u, 1) - offset(u, -1) + u[::-1]", "u=float64[1000]"),
    ("stack(x, y, axis=1)[2:, 0] % 3", "x=int32[100]", "y=int32[100]"),
    ("scatter(x, i, y, \"add\")", "x=float32[100]", "i=int64[50, 1]", "y=float32[50]"),
]
HOSTILE = [
    ("(int*NULL + near # */ /* é </script>\n+ weft_kernel)\n", "int=float32[9]", "NULL=float32[9]", "near=float32[9]",
     "weft_kernel=float32[9]"),
    ("j + m + i + BLOCK + x_1 + in_x_1", *(f"{name}=float32[9]" for name in ("j", "m", "i", "BLOCK", "x_1", "in_x_1"))),
    ("x[1:] * x[:-1] + x_2 + x_3[0]", "x=float32[10]", "x_2=float32[9]", "x_3=float32[4]"),
    (f"{'n' * 200} + 1", f"{'n' * 200}=float32[9]"),
]
# What stands before a word and is no part of one of Weft's own types, as in 1u or 0x1p3.
TOKEN = re.compile(r"0[xX][\w.+-]+|\d[\w.]*|\w+|\S")


def code(text):
    return re.sub(r'/\*.*?\*/|//.*|^#line.*', " ", text, flags=re.S | re.M)


def each(programs, targets):
    """Makes of a test of one program for one target that of all of them."""
    def decorated(test):
        @functools.wraps(test)
        def whole(self):
            for program, target in itertools.product(programs, targets):
                with self.subTest(program=program[0], target=target):
                    test(self, program, target)
        return whole
    return decorated


class ShowText(CommandTest):
    def shown(self, program, stage, *options):
        return self.text("show", program[0], *program[1:], "--stage", stage, *options)


    @each(PROGRAMS + HOSTILE, TARGETS)
    def test_own_lines_are_some_of_all(self, program, target):
        own, full = (self.shown(program, target, *more).split("\n") for more in ((), ("--full",)))
        rest = iter(full)
        for line in own:
            self.assertIn(line, rest)
        self.assertLess(len(own), len(full) / 2)

    @each(PROGRAMS + HOSTILE, TARGETS)
    def test_names_and_comments_alone_differ(self, program, target):
        texts = [code(self.shown(program, target, "--full")), code(self.shown(program, target + "-compiled"))]
        kernels = [text.split("struct weft_geometry {") for text in texts]  # there once in each
        self.assertEqual(len(kernels[0]), len(kernels[1]))
        for full, compiled in zip(*kernels):
            full, compiled = TOKEN.findall(full), TOKEN.findall(compiled)
            self.assertEqual(len(full), len(compiled))
            names = {}
            for a, b in zip(compiled, full):
                if not re.match(r"[a-z]+_\d+$", a):
                    self.assertEqual(a, b)
                self.assertEqual(names.setdefault(a, b), b)
            self.assertEqual(len(set(names.values())), len(names))

    def test_names_are_the_users(self):
        text = self.shown(PROGRAMS[0], "c")
        for name in "in_a", "in_x", "in_b", "y_out":
            self.assertRegex(text, rf"\b{name}\b")
        self.assertIn("/* a*x  1:1 */", text)
        self.assertIn("/* a*x + b  1:1 */", text)
        self.assertTrue(text.startswith("/* out = a*x + b\n"))
        self.assertRegex(self.shown(HOSTILE[2], "c"), r"\bin_x_4\b")  # x_2 and x_3 are others

    @each(PROGRAMS + HOSTILE, ["c"])
    def test_it_compiles(self, program, target):
        with tempfile.TemporaryDirectory() as folder:
            for text in re.split(r"(?m)^(?=/\* .* = )", self.shown(program, "c", "--full")):
                if "weft_kernel" not in text:
                    continue
                with open(f"{folder}/k.c", "w", encoding="utf-8") as file:
                    file.write(text)
                done = subprocess.run(["gcc", "-w", "-fsyntax-only", f"{folder}/k.c"], capture_output=True,
                                      text=True)
                self.assertEqual(done.stderr, "")

    @each(HOSTILE, TARGETS)
    def test_bytes(self, program, target):
        """Nothing of the program's text leaves its comment."""
        text = self.shown(program, target)
        self.assertTrue(text.isascii())
        self.assertNotIn("script", code(text))
        for comment in re.findall(r"/\*(.*?)\*/", text, re.S):
            self.assertNotIn("/*", comment)

    @each(PROGRAMS + [("softmax(x)", "x=float32[50, 100]")], TARGETS)
    def test_words_are_told(self, program, target):
        """Each name is one of C, defined in the text, or told in a head."""
        text = self.shown(program, target)
        heads = " ".join(re.findall(r"^/\*.*?\*/", text, re.S | re.M))
        told = set(re.findall(r"\w+", heads)) | {"weft_kernel", "weft_args", "weft_join", "begin", "end"}
        told |= set(re.findall(r"\w+(?=(?:\[\w+\])? = |, more;|, m;)", code(text)))     # defined, or of a block
        told |= set(re.findall(r"(?m)^(?:DEVICE|KERNEL)\b.*? (\w+)\(", code(text)))
        families = re.findall(r"\b([a-z]+_)\b", heads)
        told |= set("const for while if else struct void int char bool true return continue break sizeof i i32".split())
        told |= set("parameters weft_geometry threadIdx blockIdx gridDim __syncthreads __shared__ expf".split())
        told |= set("f16 f64 i16 i64 u32".split())
        names = set(re.findall(r"(?<![\w.>])[A-Za-z_]\w*", code(text)))
        missing = {name for name in names - told if not name.startswith(tuple(families)) and not name.endswith("_m")}
        self.assertEqual(missing, set())

    def test_joins_are_told(self):
        """Which of a softmax's joins a text makes, and what a temporary is called in it."""
        first, second, third, fourth = re.split(r"(?m)^(?=/\* .* = )", self.shown(PROGRAMS[2], "c"))[1:]
        self.assertIn("/* kernel 1 of 4, each a source of its own: temporary 1 = greatest of x\n", first)
        self.assertIn("/* kernel 2 of 4: temporary 2 = exp, for softmax(x)\n", second)
        self.assertIn("/* kernel 3 of 4: temporary 4 = sum of temporary 2, for softmax(x)\n", third)
        self.assertIn("/* kernel 4 of 4: out = softmax(x)\n", fourth)
        self.assertIn("/* greatest of float32 */", first)
        self.assertIn("const f32 t_2 = in_x - in_temporary_1;", second)
        self.assertIn("/* sum of float32 */", third)
        self.assertIn("= in_temporary_2 / in_temporary_4;", fourth)
        self.assertEqual(self.shown(PROGRAMS[2], "c").count("BLOCK: 64"), 1)
        self.assertEqual(self.shown(PROGRAMS[2], "c").count("block_exp_f32: "), 1)  # computed once

    def test_parts_are_told(self):
        """Kernels that share a launch on a GPU say which of them they are in both texts. Macros stand in one."""
        own, full = (self.shown(PROGRAMS[2], "cuda", *more) for more in ((), ("--full",)))
        for part in ("1 of 3: temporary 1 = greatest of x", "2 of 3: temporary 3 = sum", "3 of 3: out = softmax(x)"):
            self.assertIn(f"/* part {part}", own)
            self.assertIn(f"/* part {part}", full)
        self.assertIn("#define compute chained_1_compute\n", full)
        self.assertNotIn("#define", own)

    def test_length(self):
        """A person reads a kernel in a minute."""
        for target, lines in ("c", (40, 60, 150)), ("cuda", (60, 80, 170)):
            for program, most in zip(PROGRAMS, lines):
                self.assertLessEqual(self.shown(program, target).count("\n"), most)

    def test_length_ahead(self):
        """Sources made ahead of time hold what is their own: with all entries, and with dense ones alone."""
        kernels = [("axb(a: float32[], x: float32[n], b: float32[])", "a * x + b", 150, 60),
                   ("soft(x: float32[h, w])", "softmax(x)", 400, 150)]
        with tempfile.TemporaryDirectory() as folder:
            for head, text, *limits in kernels:
                with open(f"{folder}/k.weft", "w", encoding="utf-8") as file:
                    file.write(f"kernel {head} {{\n    return {text}\n}}\n")
                for more, most in zip(([], ["--entries", "dense"]), limits):
                    self.text("build", f"{folder}/k.weft", "-o", folder, "-q", *more)
                    with open(f"{folder}/{head.split('(')[0]}.c", encoding="utf-8") as file:
                        self.assertLessEqual(file.read().count("\n"), most)

    @each(PROGRAMS, TARGETS)
    def test_helpers_are_told(self, program, target):
        self.assertNotIn(": a helper", self.shown(program, target))


if __name__ == "__main__":
    unittest.main()
