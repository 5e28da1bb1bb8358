"""What messages advise to write is followed: it is what was meant, and draws no word."""

import re
import unittest

from weft_test import CommandTest

X, BYTES, FLOATS = ["x=uint8[3]"], ["a=uint8[3]", "b=uint8[3]"], ["x=float32[3]"]


class Checked(CommandTest):
    """A text, inputs, the warning's code, its advice, and the text that follows it."""

    def warned(self, text, inputs, code, advice, then, *options):
        done = self.weft("check", *options, text, *inputs)
        told = done.stderr.decode()
        self.assertEqual((done.returncode, told.count("warning")), (0, 1), (text, told))
        self.assertIn("warning[W%04d]" % code, told)
        self.assertIn(advice, told)
        self.good("check", *options, then, *inputs)

    def test_unsigned_sums(self):
        for text, advice, then in (
                ("(a + b) / 2", "a + b is uint8, which wraps beyond 255, and is then divided; convert an operand "
                                "first, as in int32(a)", "(int32(a) + b) / 2"),
                ("a + b > 255", "compared; convert an operand first, as in int32(a)", "int32(a) + b > 255"),
                ("s = a * b; s // 2", "divided; convert an operand first, as in int32(a)", "s = int32(a) * b; s // 2"),
                ("(a + b + a) / 3", "as in int32(a)", "(int32(a) + b + a) / 3"),
                ("(a + a * b) / 3", "as in int32(a)", "(a + int32(a) * b) / 3"),
                ("mean(a + b)", "and is then averaged", "mean(int32(a) + b)"),
                ("(a + b) >> 1", "and is then shifted", "(int32(a) + b) >> 1"),
                ("a - b < 10", "which wraps below 0, and is then compared", "int32(a) - b < 10")):
            self.warned(text, BYTES, 312, advice, then)
        self.warned("(10 + a) / 2", BYTES[:1], 312, "as in int32(a)", "(10 + int32(a)) / 2", "--rules", "numpy")
        for text in "(a + 10) / 2", "a + b", "(a - b) / 2", "a / (max(a) - min(a))", "a + b == 3":
            self.good("check", text, *(BYTES if "b" in text else BYTES[:1]))
        self.good("run", "(a + b) / 2", "a:uint8=200", "b:uint8=100")

    def test_show_warns(self):
        self.assertIn(b"warning[W0312]", self.weft("show", "(a + b) / 2", *BYTES, "--stage", "types").stderr)

    def test_powers(self):
        self.warned("x ^ 2", X, 313, "a power is x ** 2", "x ** 2")
        for text in "x ^ 128", "x ^ 0x3f", "x ^ x":
            self.good("check", text, *X)


class Errors(CommandTest):
    def follow(self, text, inputs, found, then):
        """The whole message of the first error contains `found`; what it says to write is `then`."""
        done = self.weft("check", text, *inputs)
        told = done.stderr.decode()
        self.assertEqual(done.returncode, 1, (text, told))
        self.assertIn(found, told.split("\n")[0])
        self.good("check", then, *inputs)

    def test_operators(self):
        two = ["x=float32[3]", "y=float32[3]"]
        for text, inputs, found, then in (
                ("x ^ 2", FLOATS, "a power is x ** 2", "x ** 2"),
                ("x > 0 & x < 1", FLOATS, "write (x > 0) & (x < 1)", "(x > 0) & (x < 1)"),
                ("x .* y", two, "write '*'", "x * y"), ("x ./ y", two, "write '/'", "x / y"),
                ("x .^ 2", FLOATS, "write '**'", "x ** 2"), ("x ~= y", two, "write '!='", "x != y"),
                ("x(1)", FLOATS, "elements of a value x are x[..], counted from 0", "x[1]"),
                ("x(0:2)", FLOATS, "elements of a value x are x[..]", "x[0:2]"),
                ("x'", FLOATS, "x' is transpose(x)", "transpose(x)"),
                ("x + [1; 2; 3]", FLOATS, "rows are lists of their own, as in [[1, 2], [3, 4]]", "x + [[1], [2], [3]]"),
                ("max(x, [], 1)", FLOATS, "an axis has a name, as in max(x, axis=0)", "max(x, axis=0)"),
                ("3:7", [], "from a in steps of s are a + s * arange(n)", "3 + 1 * arange(4)")):
            self.follow(text, inputs, found, then)

    def test_masks(self):
        self.follow("x[x > 0]", FLOATS, "where(x > 0, x, 0), which keeps the shape, or gather(x, nonzero(x > 0, n))",
                    "return where(x > 0, x, 0), gather(x, nonzero(x > 0, 2))")
        self.assertEqual(self.text("run", "gather(x, nonzero(x > 1, 2))", "x=[3, 0, 7]"), "out: int32[2] = [3, 7]\n")
        self.follow("x[i, i]", ["x=float32[3, 3]", "i=int32[2]"], "write gather(x, stack(i, j, axis=-1)) for pairs",
                    "gather(x, stack(i, i, axis=-1))")

    def test_losses_are_marked(self):
        """In `weft show --stage types` where the warnings are."""
        shown = self.weft("show", "ts / 1e9 + where(c, 1.1, 0.5) * x", "ts=int64[3]", "c=bool", "x=float64", "--stage",
                          "types").stdout.decode()
        self.assertRegex(shown, r"\nts / 1e9 .*operand 1 from int64, operand 1 loses digits beyond 24 bits\n")
        self.assertRegex(shown, r"\nwhere\(c, 1.1, 0.5\) .*, operand 2 is rounded to float32\n")
        self.assertEqual((shown.count("loses"), shown.count("is rounded")), (1, 1))

    def test_arguments(self):
        for text, found, then in (
                ("round(x, 2)", "for two digits write round(x * 100) / 100", "round(x * 100) / 100"),
                ("round(x, decimals=2)", "for two digits write round(x * 100) / 100", "round(x * 100) / 100"),
                ("x + arange(0, 6, 2)", "from a in steps of s write a + s * arange(n)", "x + 0 + 2 * arange(3)"),
                ("log(x, 2)", "write log(x) / log(b)", "log(x) / log(2)"),
                ("clip(x, 0)", "for one bound write max(x, lo) or min(x, hi)", "max(x, 0)"),
                ("clamp(x, min=0)", "for one bound write max(x, lo)", "max(x, 0)"),
                ("where(x > 0)", "nonzero(c, n)", "nonzero(x > 0, 3)"),
                ("concat([x, x])", "as in concat(a, b, .., axis=0)", "concat(x, x, axis=0)"),
                ("concat((x, x))", "operands of a call have no ( ) of their own", "concat(x, x)"),
                ("sum(x, keepdim=true)", "write keepdims=true", "sum(x, keepdims=true)"),
                ("sum(x, where=x > 0)", "is sum(where(c, x, 0))", "sum(where(x > 0, x, 0))"),
                ("isclose(x, x, equal_nan=true)", "write isclose(a, b) or isnan(a) and isnan(b)",
                 "isclose(x, x) or isnan(x) and isnan(x)")):
            self.follow(text, FLOATS, found, then)

    def test_constants(self):
        for name, then in ("NaN", "nan"), ("Inf", "inf"), ("Pi", "pi"), ("e", "exp(1)"):
            told = self.bad(1, 132, "run", name + " * x", "x=[1]")
            self.assertIn("if the constant is meant, write %s\n" % then, told)
            self.good("run", then + " * x", "x=[1.0]")

    def test_methods(self):
        for text, found, then in (("x.mean()", "write mean(x)", "mean(x)"), ("np.exp(x)", "write exp(...)", "exp(x)"),
                                  ("x.mean(axis=0)", "write mean(x, ...)", "mean(x, axis=0)"),
                                  ("x.fillna(0)", "write where(isnan(x), 0, x)", "where(isnan(x), 0, x)"),
                                  ("x.between(1, 2)", "write 1 <= x <= 2", "1 <= x <= 2")):
            self.follow(text, FLOATS, found, then)

    def test_pictures(self):
        """Of values from 0 to 1, and of bool, the picture is not black."""
        for text in "img / 255", "img > 128":
            told = self.bad(1, 116, "run", text, "img:uint8=[[0, 255], [128, 255]]", "-o", "o.png")
            self.assertIn("uint8(255 * (...))", told)
            self.good("run", re.search(r"uint8\(255 \* \(\.\.\.\)\)", told)[0].replace("...", text),
                      "img:uint8=[[0, 255], [128, 255]]", "-o", "o.png", "--quiet")
            self.assertIn("[  0, 255", self.text("run", "x[..., 0]", "x=o.png"))


if __name__ == "__main__":
    unittest.main()
