"""Texts of kernels: those of a shape are the same whatever shapes a program was run on before."""
import os
import pathlib
import re
import stat
import tempfile
import unittest
from unittest import mock

import numpy as np

import weft

LENGTHS = (128, 16, 33, 47, 48, 200, 513, 1025, 5, 3000)
TEXTS = {"norm(x, -1)": "x", "sum(x * w, -1)": "xw", "max(x, axis=-1)": "x", "x / norm(x, -1, true)": "x",
         "argmax(x, -1)": "x", "x * 0.5 + y": "xy", "any(x, -1)": "x", "sum(x, 0)": "x"}


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


class Texts(unittest.TestCase):
    """What WEFT_KEEP leaves."""

    def kernels(self, text, names, lengths, folder):
        """The texts of all kernels that a program needs, in one context."""
        path = os.path.join(folder, "-".join(map(str, lengths)))
        os.mkdir(path)
        compiler = os.path.join(folder, "cc")
        with open(compiler, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nexec cc "$@" -O0\n')
        os.chmod(compiler, stat.S_IRWXU)
        with mock.patch.dict(os.environ, WEFT_KEEP=path, WEFT_CC=compiler, WEFT_DISABLE="first"):
            context = weft.Context(threads=1)
            for length in lengths:
                rows = 20000 // length
                made = {"x": np.ones((rows, length), "f4"), "y": np.ones((rows, 1), "f4"), "w": np.ones(length, "f4")}
                weft.evaluate(text, {name: made[name] for name in names}, context=context)
        return {without_comments(file.read_text(encoding="utf-8")) for file in pathlib.Path(path).glob("*.c")}

    def test_earlier_shapes_change_nothing(self):
        for text, names in TEXTS.items():
            with self.subTest(text=text), tempfile.TemporaryDirectory() as folder:
                alone = set().union(*(self.kernels(text, names, [length], folder) for length in LENGTHS))
                self.assertGreater(len(alone), 0)
                for order in (LENGTHS, sorted(LENGTHS), sorted(LENGTHS, reverse=True)):
                    self.assertEqual(alone - self.kernels(text, names, order, folder), set())


if __name__ == "__main__":
    unittest.main()
