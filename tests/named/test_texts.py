"""Names choose strides and nothing else (rule 8.7): a named program whose orders agree has the kernels' texts of the
positional one, byte for byte, in C, CUDA and ahead of time."""
import os
import pathlib
import subprocess
import tempfile
import unittest

WEFT = os.environ.get("WEFT", "weft")

# (named program, its types, the same by position, its types)
PAIRS = [
    ("u - v", ["u=float32(y:s=40, x:s=50)", "v=float32(x:s=50)"], "u - v", ["u=float32[40, 50]", "v=float32[50]"]),
    ("u * v", ["u=float32(y:s=40, x:s=50)", "v=float32(x:s=50, y:s=40)"], "u * transpose(v)",
     ["u=float32[40, 50]", "v=float32[50, 40]"]),
    ("u + v", ["u=uint8(b:b=4, y:s=5, x:s=6)", "v=uint8(b:b=4, x:s=6)"], "u + v[:, None]",
     ["u=uint8[4, 5, 6]", "v=uint8[4, 6]"]),
    ("img * [1.25, 0.75, 0.75]", ["img=uint8(y, x, c:c=(r,g,b))".replace("y,", "y=48,").replace("x,", "x=64,")],
     "img * [1.25, 0.75, 0.75]", ["img=uint8[48, 64, 3]"]),
    ("u - mean(u, x)", ["u=float32(y:s=40, x:s=50)"], "u - mean(u, 1, true)", ["u=float32[40, 50]"]),
    ("sum(u)", ["u=float32(b:b=8, x:s=500)"], "sum(u, [1])", ["u=float32[8, 500]"]),
    ("softmax(u)", ["u=float32(b:b=40, c:c=100)"], "softmax(u)", ["u=float32[40, 100]"]),
    ("u.x[1:] - u.x[:-1]", ["u=float32(y:s=40, x:s=50)"], "u[:, 1:] - u[:, :-1]", ["u=float32[40, 50]"]),
    ("v.vector['v,u'] + 1", ["v=float32(x:s=40, vector:c=(u,v))"], "v[:, [1, 0]] + 1", ["v=float32[40, 2]"]),
    ("u.y[0].x[::2]", ["u=float32(y:s=40, x:s=50)"], "u[0][::2]", ["u=float32[40, 50]"]),
    ("concat(u, v, axis=x)", ["u=float32(y:s=4, x:s=50)", "v=float32(y:s=4, x:s=30)"], "concat(u, v, axis=1)",
     ["u=float32[4, 50]", "v=float32[4, 30]"]),
    ("take(u, i, axis=x)", ["u=float32(x:s=50)", "i=int32(k:i=30)"], "take(u, i, axis=0)",
     ["u=float32[50]", "i=int32[30]"]),
    ("offset(u, 1) - u", ["u=float32(y:s=40, c:c=3)"], "offset(u, 1, axes=0) - u", ["u=float32[40, 3]"]),
    ("rename(u, x, \"z\") + 1", ["u=float32(x:s=40)"], "u + 1", ["u=float32[40]"]),
    ("named(u, \"y, x\") * 2", ["u=float32[4, 5]"], "u * 2", ["u=float32[4, 5]"]),
]


def show(stage, program, types):
    done = subprocess.run([WEFT, "show", "--stage", stage, "--", program, *types], capture_output=True, text=True)
    return done.stdout or done.stderr


def entry(text):
    """A source that was made, without comments, which have the types."""
    return [line for line in text.split("\n") if not line.lstrip().startswith(("*", "/*"))]


class Texts(unittest.TestCase):
    def same(self, stage):
        for named, types, positional, others in PAIRS:
            with self.subTest(program=named):
                first = show(stage, named, types)
                self.assertNotIn("error", first)
                self.assertEqual(first, show(stage, positional, others))

    def test_c(self):
        self.same("c-compiled")

    def test_cuda(self):
        self.same("cuda-compiled")

    def test_names_alone_differ(self):
        """Other names, kinds and labels in the same order."""
        first = show("c-compiled", "u - mean(u, x)", ["u=float32(y:s=40, x:s=50)"])
        self.assertEqual(first, show("c-compiled", "u - mean(u, k)", ["u=float32(q:s=40, k:s=50)"]))

    def test_ahead_of_time(self):
        with tempfile.TemporaryDirectory() as folder:
            texts = []
            for types in "u: float32(y:s=h, x:s=w), v: float32(x:s=w)", "u: float32[h, w], v: float32[w]":
                pathlib.Path(folder, "k.weft").write_text(f"kernel f({types}) {{ return r = u - v }}\n")
                subprocess.run([WEFT, "build", "k.weft", "-o", "out"], cwd=folder, check=True)
                texts.append(entry(pathlib.Path(folder, "out", "f.h").read_text()))
                texts.append(entry(pathlib.Path(folder, "out", "f.c").read_text()))
            self.assertEqual(texts[0], texts[2])


if __name__ == "__main__":
    unittest.main()
