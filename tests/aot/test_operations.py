"""Every operation of the table and many reductions, alone in a source made ahead of time, on every type: compilers take
it without a warning, with dense entries alone and with all. Beside others a source may have by chance what it lacks
alone. Of each some types are tried, float32 and uint8 always. WEFT in the environment is the command's path."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

WEFT = os.environ.get("WEFT", "weft")
TABLE = pathlib.Path(__file__).resolve().parents[2] / "grammar" / "ops.def"
TYPES = ("bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64").split()
# Of so many types one is tried.
SHARE = {"quick": 13, "again": 13, "usual": 13, "full": 1}[os.environ.get("WEFT_LAYER") or "full"]
REDUCTIONS = ["sum(x)", "sum(x, -1)", "sum(x, 0)", "sum(x > 1)", "sum(x > 1, -1)", "sum(x == 1, 0)", "any(x > 1)",
              "all(x != 0, -1)", "any(x, 0)", "max(x, axis=-1)", "max(x + x, axis=0)", "min(x[::2], axis=0)",
              "argmax(x, -1)", "argmin(x + x)", "argmax(x > 1, -1)", "prod(x, -1)", "mean(x)", "mean(x > 1, -1)",
              "sum(x[:, ::-1], -1)", "sum(transpose(x), -1)", "sum(x * x, -1)", "std(x, -1)", "norm(x, -1)",
              "softmax(x)", "sum(float32(x), -1)", "sum(int32(x), 0)", "max(float16(x), axis=-1)"]
STRICT = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
SETTINGS = [[cc, *([f"-march={level}"] if os.uname().machine == "x86_64" else [])]
            for cc, level in (("gcc", "x86-64"), ("clang", "x86-64-v4")) if shutil.which(cc)]


def expression(word, kind, operands):
    if kind == "PREFIX":
        return f"{word} {operands[0]}"
    if kind in ("INFIX", "CHAINLESS", "RIGHT"):
        return f" {word} ".join(operands)
    return f"{word}({', '.join(operands)})"


def tried(number):
    """The types on which text `number` is tried."""
    return [dtype for place, dtype in enumerate(TYPES)
            if (number + place) % SHARE == 0 or dtype in ("float32", "uint8")]


def kernels():
    """Of each operation and type the text of a kernel, one line."""
    for number, text in enumerate(REDUCTIONS):
        for dtype in tried(number):
            yield f"kernel reduction_{number}_of_{dtype}(x: {dtype}[?, ?]) {{ return out = {text} }}\n"
    rows = re.findall(r'^OP\((\w+), "([^" ]+)[^"]*", (\w+), \d+, "([^"]*)"', TABLE.read_text(encoding="utf-8"), re.M)
    for number, (row, word, kind, names) in enumerate(row for row in rows if row[2] != "INTERNAL"):
        operands = [f"v{i}" for i in range(len(names.split()))]
        for dtype in tried(number):
            given = ", ".join(f"{operand}: {dtype}[?]" for operand in operands)
            yield f"kernel {row.lower()}_of_{dtype}({given}) {{ return out = {expression(word, kind, operands)} }}\n"


class Operations(unittest.TestCase):
    """Texts of one operation."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = os.path.join(cls.folder.name, "k.weft")
        takes = []
        for text in kernels():  # not every operation takes every type
            cls.write(text)
            if subprocess.run([WEFT, "check", cls.path], capture_output=True).returncode == 0:
                takes.append(text)
        cls.write("".join(takes))
        cls.count = len(takes)

    @classmethod
    def write(cls, text):
        with open(cls.path, "w", encoding="utf-8") as file:
            file.write(text)

    def compile(self, entries, settings, *flags):
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run([WEFT, "build", self.path, "-o", out, "-q", "--entries", entries],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            files = [str(file) for file in pathlib.Path(out).glob("*_of_*.c")]
            self.assertEqual(len(files), self.count)
            for setting in settings:
                done = subprocess.run([*setting, *flags, *STRICT, *files], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, f"{setting}: {done.stderr[:3000]}")

    def test_dense(self):
        self.assertGreater(self.count, 200)
        self.compile("dense", SETTINGS, "-std=c11", "-pedantic-errors")

    def test_all(self):
        self.compile("dense,strided,batch,shape", SETTINGS[:1], "-std=c11")


if __name__ == "__main__":
    unittest.main()
