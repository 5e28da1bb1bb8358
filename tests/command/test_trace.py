"""weft run --trace: the table, JSON, batches of files, and what cannot be asked. tests/trace has many programs."""

import json
import operator
import unittest

import numpy as np

from weft_test import CommandTest


class Trace(CommandTest):
    def json(self, *arguments):
        return json.loads(self.text("run", "--trace", "--format", "json", *arguments))

    def test_table(self):
        told = self.text("run", "--trace", "uint8(img * 2) - img * img", "img:uint8=[1, 5, 20, 100, 200]", "--at", "2")
        self.assertEqual(told.splitlines()[0].split(), ["place", "value", "type", "smallest", "largest", "mean", "nan",
                                                        "inf", "[2]", "how"])
        self.assertEqual([line.split("  ")[0] for line in told.splitlines()[1:]], ["1:7", "1:7", "1:1", "1:18", "1:1"])
        self.assertIn("144  [2]", told)

    def test_wrapping(self):
        """The elements that wrapped are counted; here, and by NumPy."""
        a, b = np.random.default_rng(5).integers(0, 256, (2, 40, 30)).astype(np.uint8)
        np.save(self.path("a.npy"), a)
        np.save(self.path("b.npy"), b)
        np.save(self.path("c.npy"), b[:1])
        wide = a.astype(int)
        for text, count in (("a + b", np.sum(wide + b > 255)), ("a - b", np.sum(wide - b < 0)),
                            ("a + c", np.sum(wide + b[:1] > 255)), ("a + (b & c)", np.sum(wide + (b[:1] & b) > 255)),
                            ("a * b", np.sum(wide * b > 255)), ("a ** b", np.sum(wide.astype(object) ** b > 255)),
                            ("square(c) * a", np.sum(wide * (b[:1] * b[:1]) > 255))):
            inputs = [one + "=%s.npy" % one for one in "abc" if one in text]
            limit = "below 0" if "-" in text else "beyond 255"
            done = self.weft("run", "--trace", "--format", "json", text, *inputs)
            self.assertTrue(json.loads(done.stdout)[-1]["how"].endswith("; %d of 1200 wrap %s" % (count, limit)),
                            (text, count, done.stdout[-400:]))
        for text in "a - (a & b)", "max(a, b) - b":
            self.assertNotIn("wrap", self.text("run", "--trace", text, "a=a.npy", "b=b.npy"))
        small = "a:uint8=[3, 4]", "b:uint8=[2, 4]"     # types say that it may wrap, these values do not
        for text in "a + b", "a - b", "a * b":
            self.assertNotIn("wrap", self.text("run", "--trace", text, *small))

    def test_wrapping_of_all_types(self):
        """Exact arithmetic by Python, on extremes and on values around the roots of the limits."""
        operations = {"+": operator.add, "-": operator.sub, "*": operator.mul}
        for dtype in "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64":
            least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
            root = int(most ** 0.5)
            values = sorted({least, least + 1, most, most - 1, 0, 1, 2, 3, root, root + 1, max(least, -1),
                             max(least, -root)})
            np.save(self.path("x.npy"), np.array(values, dtype))
            np.save(self.path("y.npy"), np.array(values, dtype)[:, None])
            for word, operation in operations.items():
                wraps = sum(not least <= operation(x, y) <= most for x in values for y in values)
                self.assertIn("; %d of %d wrap" % (wraps, len(values) ** 2),
                              self.json("x %s y" % word, "x=x.npy", "y=y.npy")[-1]["how"], (dtype, word))
            for text, wraps in (("(-x)", sum(not least <= -x <= most for x in values)),
                                ("x ** p", sum(not least <= x ** 3 <= most for x in values))):
                power = ["p:%s=3" % dtype] if "p" in text else []
                how = self.json(text, "x=x.npy", *power)[-1]["how"]
                self.assertIn("; %d of %d wrap" % (wraps, len(values)), how, dtype)
            self.assertNotIn("wrap", self.json("x ** p", "x=x.npy", "p:%s=0" % dtype)[-1]["how"])

    def test_rounding(self):
        """Integers that float32 does not hold are counted where they are converted to it."""
        for dtype in "int32", "uint32", "int64", "uint64":
            values = np.array([0, 1, 2 ** 24, 2 ** 24 + 1, 2 ** 24 + 2, np.iinfo(dtype).max], dtype)
            np.save(self.path("x.npy"), values)
            count = sum(int(np.float32(x)) != int(x) for x in values)
            for text in "x * 0.5", "x + float32(x)", "0.5 < x", "sqrt(x)":
                told = self.text("run", "--trace", text, "x=x.npy", "-q")
                self.assertIn("; %d of 6 of x are rounded to float32" % count, told, (dtype, text))
            for text in "float64(x) * 0.5", "float32(x)", "mean(x)", "min(x, 9) * 0.5", "x + 1":
                self.assertNotIn("rounded", self.text("run", "--trace", text, "x=x.npy", "-q"), (dtype, text))
        self.assertEqual(self.weft("run", "labels * 0.5", "labels:int32=[3, 4]").stderr, b"")  # no run says so

    def test_json(self):
        values = self.json("log(x) > -inf", "x=[0.0, 1, -1]", "--at=0")
        self.assertEqual(values[1], {
            "line": 1, "column": 1, "name": "", "text": "log(x)", "how": "log in float32", "type": "float32[3]",
            "dtype": "float32", "shape": [3], "smallest": "-inf", "largest": 0.0, "mean": 0, "nan": 1, "inf": 1,
            "at": [0], "element": "-inf"})
        self.assertEqual((values[2]["smallest"], values[2]["largest"], values[2]["element"]), (False, True, False))
        self.assertEqual(self.json("x + 1", "x:float32=[nan]")[0]["smallest"], None)

    def test_files_and_kernels(self):
        np.save(self.path("x.npy"), np.arange(6, dtype=np.float32).reshape(2, 3))
        with open(self.path("k.weft"), "w") as file:
            file.write("kernel f(x: float32[h, w]) -> uint8 {\n    y = x * 100\n    return y\n}\n")
        values = self.json("k.weft:f", "x=x.npy", "--at", "[1, 2]")
        self.assertEqual([(value["line"], value["name"], value["dtype"], value["element"]) for value in values],
                         [(2, "", "float32", 5.0), (2, "y", "float32", 500.0), (3, "y", "uint8", 255)])

    def test_batches(self):
        np.savez(self.path("b.npz"), one=np.float32([1, 2]), two=np.float32([[3.0]]).reshape(1))
        for i in range(2):
            np.save(self.path(f"s{i}.npy"), np.full(3, i, np.float32))
        for value, first, second in (("b.npz", 2.0, 3.0), ("s*.npy", 0.0, 1.0)):
            for more, largest in (((), first), (("--sample", "1"), second)):
                self.assertEqual(self.json("x * 1", f"x={value}", "-q", *more)[0]["largest"], largest)
        told = self.weft("run", "--trace", "x * 1", "x=s*.npy").stderr.decode()
        self.assertEqual(told, "s*.npy: note[W0168]: the values are those of 's0', the first of 2 samples; --sample "
                               "NAME chooses another\n")
        self.good("run", "--trace", "x * 1", "x=s*.npy", "--sample", "s1")
        self.good("run", "--trace", "x * 1", "x=s0*.npy")

    def test_samples_draw_their_own_numbers(self):
        np.savez(self.path("b.npz"), one=np.zeros(4, np.float32), two=np.zeros(4, np.float32))
        self.good("run", "random(x, 7)", "x=b.npz", "-o", "out.npz")
        drawn = np.load(self.path("out.npz"))
        for sample, key in enumerate(("one", "two")):
            value = self.json("random(x, 7)", "x=b.npz", "--sample", str(sample))[-1]
            self.assertEqual((np.float32(value["smallest"]), np.float32(value["largest"])),
                             (drawn[key].min(), drawn[key].max()))

    def test_wrong(self):
        text, x = "x + 1", "x=[[1, 2, 3]]"
        self.assertIn("has shape [1, 3], rank 2", self.bad(1, 320, "run", "--trace", text, x, "--at", "0"))
        self.assertIn("shape is [1, 3]", self.bad(1, 321, "run", "--trace", text, x, "--at", "0,3"))
        for at in "a", "1,", "1 2", "[1", "1]", "1,,2", ",", "99999999999999999999":
            self.bad(2, 102, "run", "--trace", text, x, f"--at={at}")
        self.bad(2, 102, "run", "--trace", text, x, "--sample=")
        for more in ("--at", "0,1"), ("--sample", "0"):
            self.bad(2, 154, "run", text, x, *more)
        self.bad(2, 154, "run", "--trace", text, x, "--sample", "0")
        self.bad(2, 154, "run", "--trace", text, x, "-o", "a.npy")
        self.assertEqual(self.files(), [])
        np.savez(self.path("b.npz"), one=np.zeros(4))
        for sample in "-1", "x", "1e3", "9999999999", "1":
            self.bad(2, 154, "run", "--trace", "x + 1", "x=b.npz", f"--sample={sample}")
        self.good("run", "--trace", "x + 1", "x=b.npz", "--sample=one")
        self.bad(2, 154, "run", "--trace", text, "x=b.npz", "--sample", "1")

    def test_remarks_are_told(self):
        done = self.weft("run", "--trace", "a // b + take(a, [5])", "a=[1, 2]", "b=[0, 1]")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.decode().count("warning"), 1)
        self.assertEqual(len(done.stdout.splitlines()), 6)


if __name__ == "__main__":
    unittest.main()
