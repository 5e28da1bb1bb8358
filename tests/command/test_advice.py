"""What messages advise to write is followed: it is what was meant, and draws no word."""

import os
import pathlib
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

    def test_wrapping(self):
        for text, advice, then in (
                ("(a + b) / 2", "a + b is uint8 and wraps beyond 255 before '/' uses it; convert an operand first, as "
                                "in int32(a), or write wrap(.., uint8) if it shall wrap", "(int32(a) + b) / 2"),
                ("a + b > 255", "before '>' uses it; convert an operand first, as in int32(a)", "int32(a) + b > 255"),
                ("s = a * b; s // 2", "before '//' uses it", "s = int32(a) * b; s // 2"),
                ("(a + b + a) / 3", "as in int32(a)", "(int32(a) + b + a) / 3"),
                ("(a + a * b) / 3", "as in int32(a)", "(a + int32(a) * b) / 3"),
                ("mean(a + b)", "before 'mean' uses it", "mean(int32(a) + b)"),
                ("(a + b) >> 1", "before '>>' uses it", "(int32(a) + b) >> 1"),
                ("a - b < 10", "wraps below 0 before '<' uses it", "int32(a) - b < 10"),
                ("(a + b) * 0.5", "before '*' uses it", "(int32(a) + b) * 0.5"),
                ("abs(a - b)", "before 'abs' uses it", "abs(int32(a) - b)"),
                ("(a - b) * 2", "wraps below 0 before '*'", "(int32(a) - b) * 2"),
                ("clamp(a * b, 0, 255)", "before 'clamp' uses it", "clamp(int32(a) * b, 0, 255)"),
                ("sqrt(a - b)", "before 'sqrt' uses it", "sqrt(int32(a) - b)"),
                ("max(a - b, 0)", "before 'max' uses it", "max(int32(a) - b, 0)"),
                ("sum(a * b)", "before 'sum' uses it", "sum(int32(a) * b)"),
                ("norm(a - b)", "before 'norm' uses it", "norm(int32(a) - b)"),
                ("float32(a + b) / 2", "before 'float32' uses it", "float32(int32(a) + b) / 2"),
                ("(a + b)[::2] / 2", "as in int32(a)", "(int32(a) + b)[::2] / 2"),
                ("where(a < 9, a - b, 0)", "before 'where' uses it", "where(a < 9, int32(a) - b, 0)"),
                ("where(a < 9, a + b, b) / 2", "before '/' uses it", "where(a < 9, int32(a) + b, b) / 2"),
                ("a + b == 300", "before '==' uses it", "int32(a) + b == 300"),
                ("concat(a + b, [0.5])", "before 'concat' uses it", "concat(int32(a) + b, [0.5])")):
            self.warned(text, BYTES, 312, advice, then)
        for text, then in (("uint8(a + b)", "uint8(int32(a) + b)"), ("cast(a - b, uint8)", "cast(int32(a) - b, uint8)"),
                           ("uint8(a + b) / 2", "uint8(int32(a) + b) / 2")):
            self.warned(text, BYTES, 312, " uses it; convert an operand first, as in int32(a)", then)
        self.warned("wrap(sum(a * b), uint16)", BYTES, 312, "before 'sum' uses it", "wrap(sum(int32(a) * b), uint16)")
        self.warned("-a * 2", BYTES[:1], 312, "-a is uint8 and wraps below 0", "-int32(a) * 2", "--")
        self.warned("(10 + a) / 2", BYTES[:1], 312, "as in int32(a)", "(10 + int32(a)) / 2", "--rules", "numpy")
        self.warned("(x - y) * 0.5", ["x=uint32[3]", "y=uint32[3]"], 312, "as in float64(x)", "(float64(x) - y) * 0.5")
        self.warned("x - y < 9", ["x=uint32[3]", "y=uint32[3]"], 312, "as in int64(x)", "int64(x) - y < 9")
        self.warned("(x + y) / 2", ["x=int16[3]", "y=int16[3]"], 312, "wraps beyond 32767", "(int32(x) + y) / 2")

    def test_wrapping_results(self):
        """Differences of elements of one array are told where they are results, as is what a kernel declares wider."""
        for text, then in (("a[1:] - a[:-1]", "int32(a[1:]) - a[:-1]"),
                           ("d = offset(a, 1) - a; d[1:]", "d = int32(offset(a, 1)) - a; d[1:]"),
                           ("d = a[::-1]; d - a", "d = a[::-1]; int32(d) - a")):
            self.warned(text, BYTES[:1], 312, "is uint8 and wraps below 0; convert an operand first", then)
        self.warned("u.x[1:] - u.x[:-1]", ["u=uint32(x=4)"], 312, "as in int64(u.x[1:])", "int64(u.x[1:]) - u.x[:-1]")
        kernel = "kernel k(a: uint8[n], b: uint8[n]) -> %s { return a + b }"
        for dtype, told in ("int32", 1), ("float32", 1), ("uint8", 0), ("bool", 0):
            got = self.weft("check", "-", data=(kernel % dtype).encode()).stderr.decode()
            self.assertEqual((got.count("W0312"), got.count("wraps beyond 255 before it becomes " + dtype)),
                             (told, told), got)

    def test_many_sums(self):
        """What counts or weighs in 8 or 16 bits is told wherever it goes; of a bound that fits and of wrap(..), not."""
        many, i = ["x=uint8[4, 4]", "k=uint8[3, 3]"], ["i=int32[9, 1]"]
        self.warned("correlate(x, k)", many, 312, "as in int32(x)", "correlate(int32(x), k)")
        self.warned("scatter(broadcast_to(uint8(0), [256]), i, 1, 'add')", i, 312, "wraps beyond 255; convert",
                    "scatter(int32(broadcast_to(uint8(0), [256])), i, 1, 'add')")
        self.warned("scatter(broadcast_to(int16(1), [2, 3]), i, 3, 'mul', axes=1)", i, 312, "wraps beyond 32767",
                    "scatter(broadcast_to(int16(1), [2, 3]), i, 3, 'max', axes=1)")
        self.good("check", "correlate(x, [[1, 2, 1]])", many[0])
        self.good("check", "wrap(correlate(x, k), uint8)", *many)

    def test_products_of_16_bits(self):
        """int32 does not hold them, written out or by a literal's type."""
        x = ["x=uint16[3]"]
        self.warned("mean(x * x)", x, 312, "as in float64(x)", "mean(float64(x) * x)")
        self.warned("x * x // 7", x, 312, "as in int64(x)", "int64(x) * x // 7")
        self.warned("x ** 2", x, 312, "wraps beyond 2147483647; convert an operand first, as in int64(x)",
                    "int64(x) ** 2")
        self.warned("x * 60000", x, 312, "as in int64(x)", "int64(x) * 60000")
        for text in "x * 600", "x + 70000", "uint8(x) ** 3", "wrap(x * 60000, int32)":
            self.good("check", text, *x)

    def test_uint64(self):
        """Beside a literal it becomes int64, in which the larger half is below 0."""
        x = ["x=uint64[3]"]
        self.warned("x + 1", x, 316, "write uint64(1) to keep it", "x + uint64(1)")
        self.warned("where(x > 5, x, 0)", x, 316, "write uint64(0)", "where(x > 5, x, uint64(0))")
        for text in "x > 5", "x + x", "x % uint64(10)", "x & uint64(255)":
            self.good("check", text, *x)

    def test_extremes_of_unsigned(self):
        """max(img, -1) is elementwise here, and does nothing to what is never below 0."""
        img = ["img=uint8[4, 4, 3]"]
        self.warned("max(img, -1)", img, 315, "write max(img, axis=-1)", "max(img, axis=-1)")
        self.warned("min(x[..., :2], 0)", ["x=uint16[4, 3]"], 315, "compares each element", "min(x[..., :2], axis=0)")
        self.warned("(v - min(v, 0)) / (max(v, 0) - min(v, 0))", ["v=float32[4, 4]"], 315,
                    "so does max(v, 0); along an axis write min(v, axis=0)",
                    "(v - min(v, axis=0)) / (max(v, axis=0) - min(v, axis=0))")
        for text in "max(img, 1)", "max(-1, img)", "max(float32(img), -1)", "min(img, img)", "max(img, 0, 3)":
            self.good("check", text, *img)

    def test_digits(self):
        """An int64 is told where float32 may not hold it, not where the text keeps it within 2**24."""
        i = ["i=int64[4]"]
        for text, then in (("i / 3", "float64(i) / 3"), ("mean(i)", "mean(float64(i))"),
                           ("clamp(i, 0, 16777217) * 0.5", "clamp(i, 0, 16777216) * 0.5"),
                           ("(i - i % 1000) / 7", "i % 1000 / 7"), ("min(i, 5) / 2", "max(min(i, 5), -5) / 2")):
            self.warned(text, i, 310, "and is rounded to float32 here", then)
        self.good("check", "b = int64(u) + 7; mean(b) / 2", "u=uint8[4]")
        self.warned("int64(u) / 2", ["u=uint32[4]"], 310, "write float64(int64(u))", "float64(u) / 2")

    def test_channels(self):
        """What looks like a picture, without a layout, whose neighbours are taken along the last dimension, too."""
        blur = "convolve(img, [[1, 1, 1], [1, 1, 1], [1, 1, 1]], 'edge'%s)"
        for img, text, write, then in (
                ("float32[48, 64, 3]", "offset(img, [1, 0])%s", "axes=[0, 1] if it holds channels, axes=[1, 2] if not",
                 "offset(img, [1, 0], axes=[0, 1])"),
                ("uint8[h, w, 4]", blur, "axes=[0, 1] if it holds channels, axes=[1, 2] if not",
                 blur % ", axes=[1, 2]"),
                ("uint8[n, 48, 64, 1]", blur, "axes=[1, 2] if it holds channels", blur % ", axes=[1, 2]"),
                ("float32[48, 64, 2]", "offset(img, 1)%s", "axes=1 if it holds channels, axes=2 if not",
                 "offset(img, 1, axes=1)")):
            self.warned(text.replace("%s", ""), ["img=" + img], 314, write, then)
        for img in ("float32[3, 48, 64]", "float32[48, 64, 5]", "float32[4, 4, 3]", "float32[48, 64, 3]@XYZ",
                    "int8[99, 3]"):
            self.good("check", "offset(img, [1, 0])", "img=" + img)
        with open(self.path("c.weft"), "w") as f:
            f.write("kernel k(img: uint8[h, w, 3]) { return out = offset(img, [1, 0]) }\n")
        self.assertEqual(self.weft("build", "c.weft", "-o", "channels").stderr.decode().count("W0314"), 1)

    def test_wrapping_deep_inside(self):
        """Long chains and nested extremes are looked through in no time, and without a stack."""
        with open(self.path("long.weft"), "w") as f:
            f.write("input a: uint8[3]; input b: uint8[3]\n(" + " + ".join(["a", "b"] * 20000) + ") / 2\n")
        told = self.weft("check", "long.weft").stderr.decode()
        self.assertEqual((told.count("W0312"), "as in int32(a)" in told), (1, True), told[:500])
        deep = "a"
        for _ in range(40):
            deep = "max(min(%s, b), a - min(a, %s, b), b)" % (("a", deep) if len(deep) > 2000 else (deep, "b"))
        self.assertEqual(self.weft("check", "(%s - b) < 3" % deep, *BYTES).returncode, 0)

    def test_wrapping_that_is_meant(self):
        for text in ("(a + 10) / 2", "a + b", "(a + b) * a - b", "a + b == 3", "a * 31 + b ^ a << 3",
                     "(a * b & 15) / 2", "wrap(a + b, uint8) / 2", "a[a + b - a]", "uint8(a)",
                     "wrap(a[1:] - a[:-1], uint8)", "a[1:] - b[1:]", "a - a", "uint8(a - a // 2)",
                     "where(a[1:] > a[:-1], a[1:] - a[:-1], a[1:])", "uint8(wrap(a + b, uint8))", "any(a - b)",
                     "(a - min(a)) * 255.0 / (max(a) - min(a)) + b", "where(a > b, a - b, b - a) / 2",
                     "where(b <= a, a - b, 0)", "max(a, b) - min(a, b) < 3", "(a >> 1) + (b >> 1) < 3",
                     "(a - a % 8) / 2 + b", "wrap(sum(a * b), uint8)",
                     "wrap((a - b) * 300, uint8)", "max(a, b, 7, 5) - b < 9", "(b - (b & a)) / 2"):
            self.good("check", text, *(BYTES if "b" in text else BYTES[:1]))
        for text in ("float64(h * 31 + k) / 7", "h + k > 3", "(h * k) % 7"):
            self.good("check", text, "h=uint32[3]", "k=uint32[3]")

    def test_a_run_tells_it_once(self):
        a, b = "a:uint8=[200, 40]", "b:uint8=[180, 60]"
        for command in ("run",), ("run", "--trace"), ("run", "--format", "json"):
            told = self.weft(*command, "return (a + b) / 2, mean(a + b)", a, b).stderr.decode()
            self.assertEqual((told.count("W0312"), told.count("warning")), (1, 1), (command, told))
        self.good("run", "2", "--quiet")
        self.weft("run", "x", "x:uint8=[[200, 100]]", "-o", "a.png")
        os.mkdir(self.path("in"))
        for name in "in/a.png", "in/b.png":
            self.good("run", "x", "x:uint8=[[200, 100]]", "-o", name)
        told = self.weft("run", "uint8((x + x) / 2)", "x=in", "-o", "out").stderr.decode()
        self.assertEqual(told.count("W0312"), 1, told)
        with open(self.path("k.weft"), "w") as f:
            f.write("kernel k(a: uint8[n], b: uint8[n]) { return out = (a + b) / 2 }\n")
        self.assertEqual(self.weft("build", "k.weft", "-o", "made").stderr.decode().count("W0312"), 1)

    def test_show_warns(self):
        self.assertIn(b"warning[W0312]", self.weft("show", "(a + b) / 2", *BYTES, "--stage", "types").stderr)

    def test_powers(self):
        self.warned("x ^ 2", X, 313, "a power is x ** 2", "x ** 2")
        for text in "x ^ 128", "x ^ 0x3f", "x ^ x":
            self.good("check", text, *X)

    def test_what_nan_equals(self):
        self.warned("x == nan", FLOATS, 317, "always false; write isnan(x)", "isnan(x)")
        self.warned("nan != x", FLOATS, 317, "always true; write not isnan(x)", "not isnan(x)")
        self.good("check", "x == inf", *FLOATS)
        self.assertIn("write nan, or isnan(x) for x == None", self.bad(1, 132, "run", "x == None", "x=[1.5]"))


class Numbers(unittest.TestCase):
    def test_a_number_is_one_message(self):
        """Those that the command and the library share say the same."""
        source = pathlib.Path(__file__).resolve().parents[2]
        command, library = ([int(number) for number in re.findall(r"^(?:MESSAGE|DIAG)\(\w+, (\d+)", text, re.M)]
                            for text in ((source / "cli/base/messages.def").read_text(),
                                         (source / "grammar/diags.def").read_text()))
        self.assertEqual((len(set(command)), len(set(library))), (len(command), len(library)))
        self.assertEqual(set(command) & set(library), {1, 6})


class Usage(CommandTest):
    """Words that newcomers tried as a command, an option or a value."""

    def test_commands(self):
        self.assertIn("; write mean(x)\n", self.bad(2, 100, "ops", "average"))
        self.assertIn("mean(", self.text("ops", "mean"))
        told = self.bad(2, 100, "brighten", "photos")
        self.assertIn("as in weft run 'uint8(img * 1.5)' img=photos/ -o brighter/", told)
        self.assertIn("each message says what to write instead", self.bad(2, 100, "explain", "W0312"))

    def test_options_of_other_commands(self):
        self.assertIn("no option '--html'; 'weft show' has one", self.bad(2, 101, "run", "x", "x=1", "--html", "x"))
        self.assertIn("no option '-o'; 'weft run' has one", self.bad(2, 101, "show", "x", "x=1", "-o", "x.npy"))
        self.assertIn("as in --html page.html\n", self.bad(2, 103, "show", "x", "x=1", "--html"))
        self.assertIn("as in --html page.html, found '-o'", self.bad(2, 102, "show", "x", "x=1", "--html", "-o", "x"))

    def test_positions(self):
        told = self.bad(2, 105, "run", "x", "--trace", "0,1", "x=[[1, 2]]")
        self.assertIn("the position of an element is --at 0,1", told)
        self.good("run", "x", "--trace", "--at", "0,1", "x=[[1, 2]]")

    def test_samples(self):
        os.mkdir(self.path("in"))
        for name, value in ("p1", 10), ("p2", 20):
            self.good("run", "x", "x:uint8=[[%d, 1]]" % value, "-o", "in/%s.png" % name)
        by_name = self.text("run", "x * 2", "x=in", "--trace", "--sample", "p2")
        self.assertEqual(by_name, self.text("run", "x * 2", "x=in", "--trace", "--sample", "1"))
        self.assertEqual(by_name, self.text("run", "x * 2", "x=in", "--trace", "--sample", "in/p2.png"))
        self.assertIn(" 20 ", by_name)
        told = self.bad(2, 154, "run", "x", "x=in", "--trace", "--sample", "p3")
        self.assertIn("is 'p3', and there are 2 samples, counted from 0 or by name, as 'p2'", told)

    def test_decimal_commas(self):
        self.assertIn("the decimal point of numbers is '.', as in 0.5", self.bad(1, 3, "run", "x * 0,5", "x=3"))
        self.assertIn("the decimal point of numbers is '.'", self.bad(1, 3, "run", "x * k", "x=3.0", "k=1,5"))
        self.assertIn("several results are 'return a, b'", self.bad(1, 3, "run", "x, 5", "x=3"))

    def test_percentages(self):
        for text, value in (("x * k", "k=150%"), ("x * 50%", "k=1"), ("(50%) * x", "k=1")):
            self.assertIn("a percentage is a number, as in 1.5 for 150%", self.bad(1, 3, "run", text, "x=3.0", value))


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

    def test_masks_as_pictures(self):
        """A cast makes 0 and 1 of a bool, and a picture of it is told; what is advised is not."""
        img = "img:uint8=[[0, 255], [128, 255]]"
        for text in "uint8(img > 128)", "m = img > 128; k = uint16(m); k[::-1]":
            told = self.weft("run", text, img, "-o", "o.png")
            self.assertEqual((told.returncode, told.stdout), (0, b""))
            self.assertIn("o.png: note[W0155]: the picture holds 0 and 1", told.stderr.decode())
            self.good("run", text, img, "-o", "o.png", "--quiet")
            self.good("run", text, img, "-o", "o.npy")
        told = self.weft("run", "uint8(img / 255)", img, "-o", "o.png")
        self.assertIn("o.png: note[W0169]: no element of the picture is above 1", told.stderr.decode())
        for text in "uint8(255 * (img > 128))", "uint8(img)", "uint8(where(img > 128, 255, 0))", "uint8(img * 0)":
            self.good("run", text, img, "-o", "o.png")
        told = self.bad(1, 78, "run", "where(m, 1, 0)", "m:bool=o.png")
        self.assertIn("expected bool; of a picture, give it without a type and write m > 127\n", told)
        self.good("run", "where(m > 127, 1, 0)", "m=o.png")

    def test_pictures(self):
        """Of values from 0 to 1, and of bool, the picture is not black."""
        for text in "img / 255", "img > 128":
            told = self.bad(1, 116, "run", text, "img:uint8=[[0, 255], [128, 255]]", "-o", "o.png")
            self.assertIn("uint8(255 * (...))", told)
            self.good("run", re.search(r"uint8\(255 \* \(\.\.\.\)\)", told)[0].replace("...", text),
                      "img:uint8=[[0, 255], [128, 255]]", "-o", "o.png", "--quiet")
            self.assertIn("[  0, 255", self.text("run", "x[..., 0]", "x=o.png"))


class Named(CommandTest):
    """What is written by positions on named values: the message says it by names, and that runs."""

    def test_followed(self):
        inputs = ["t:(x:s,y:s)=[[1, 2, 3], [4, 5, 6]]", "one:(x:s,y:s)=[[7, 8]]", "m:(x:s)=[true, false]"]
        for text, code, advice, then, result in (
                ("extent(t, 1)", 36, "; write y\n", "extent(t, y)", "out: int32[] = 3\n"),
                ("index(t, -2)", 36, "; write x\n", "index(t, x)", "out: int32(x:s=2) = [0, 1]\n"),
                ("sum(t, [0, -1])", 36, "; write [x, y]\n", "sum(t, [x, y])", "out: int64[] = 21\n"),
                ("max(t, axes=1)", 36, "; write y\n", "max(t, axes=y)", "out: int32(x:s=2) = [3, 6]\n"),
                ("squeeze(one, [x])", 52, "; a dimension of a named value goes by .x[0]\n", "one.x[0]",
                 "out: int32(y:s=2) = [7, 8]\n"),
                ("t.x[m]", 53, "; write where(m, t, 0), which keeps the shape\n", "where(m, t, 0)",
                 "out: int32(x:s=2, y:s=3) =\n[[1, 2, 3],\n [0, 0, 0]]\n")):
            given = [one for one in inputs if re.search(r"\b%s\b" % re.split("[:=]", one)[0], text)]
            self.assertIn(advice, self.bad(1, code, "run", text, *given), text)
            self.assertEqual(self.text("run", then, *given), result)
        self.assertNotIn("; write", self.bad(1, 36, "run", "extent(t, 2)", inputs[0]))  # there is none

    def advised(self, text, inputs, code, advice, then, result):
        """The message's last words are `advice`, and what follows it gives `result`."""
        self.assertIn(advice + "\n", self.bad(1, code, "run", text, *inputs), text)
        self.assertEqual(self.text("run", then, *inputs), result)

    def test_operands_without_names(self):
        """They get the dimensions of the other operand that have their sizes."""
        q, three = "q:(lat:s, lon:s)=[[1, 2, 3], [4, 5, 6]]", "out: int32(lat:s=2, lon:s=3) =\n%s\n"
        both = 'named(w, "lon:s") or named(w, "lat:s")'
        self.advised("q * w", ["q:(lat:s, lon:s)=[[1, 2], [3, 4]]", "w=[1, 2]"], 69, "as in " + both,
                     both.split(" or ")[1] + " * q", three.replace("lon:s=3", "lon:s=2") % "[[1, 2],\n [6, 8]]")
        for w, advice, text, result in (
                ("[1, 0]", 'named(w, "lat:s")', "q * w", "[[1, 2, 3],\n [0, 0, 0]]"),
                ("[1, 0, 2]", 'named(w, "lon:s")', "q * w", "[[ 1,  0,  6],\n [ 4,  0, 12]]"),
                ("[[1, 0], [0, 1], [1, 1]]", 'named(w, "lon:s, lat:s")', "q * w", "[[1, 0, 3],\n [0, 5, 6]]"),
                ("[1, 0]", 'named(w, "lat:s")', "q * -w", "[[-1, -2, -3],\n [ 0,  0,  0]]")):
            told = advice.replace("(w", "(-w") if "-" in text else advice
            self.advised(text, [q, "w=" + w], 69, "give it some, as in " + told, text.replace("w", advice),
                         three % result)
        self.advised("q.lat[0] * w", [q, "w=[1, 2]"], 69,
                     'and its size fits no dimension of q.lat[0]; named(w, "k:i") gives it one of its own',
                     'q.lat[0] * named(w, "k:i")', "out: int32(k:i=2, lon:s=3) =\n[[1, 2, 3],\n [2, 4, 6]]\n")
        self.advised("t + unnamed(t, [x])", ["t:(x)=[1, 2]"], 69, 'as in named(unnamed(t, [x]), "x:s")',
                     't + named(unnamed(t, [x]), "x:s")', "out: int32(x:s=2) = [2, 4]\n")

    def test_literals(self):
        types = ["u=float32(y=3, x=4)"]
        for text, advice in (("[1, 2, 3, 4]", "x:s"), ("[1, 2, 3]", "y:s"), ("[[1], [2], [3], [4]]", "k:i, l:i"),
                             ("[1, 2]", "k:i"), ("[[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]", "y:s, x:s")):
            told = self.bad(1, 55, "check", "u * " + text, *types)
            self.assertIn(', "%s")' % advice, told)
            self.good("check", 'u * named(%s, "%s")' % (text, advice), *types)

    def test_sizes_that_differ(self):
        """Operands stand there as they are written, whichever lacks a dimension of the other."""
        for text, inputs, message in (
                ("vecdot(q, k, axis=c)", ["q:float32(q:i, c:c)=[[1, 2]]", "k:float32(k:i, c:c)=[[1, 2, 3]]"],
                 "q (q:i=1, c:c=2) with k (k:i=1, c:c=3): sizes 2 and 3 of c differ"),
                ("vecdot(k, q + 1, axis=c)", ["q:float32(q:i, c:c)=[[1, 2]]", "k:float32(k:i, c:c)=[[1, 2, 3]]"],
                 "k (k:i=1, c:c=3) with q + 1 (q:i=1, c:c=2): sizes 3 and 2 of c differ"),
                ("take(s, i, axis=x)", ["s:float32(y, x)=[[1, 2], [3, 4]]", "i:(y, k:i)=[[0, 1], [1, 0], [0, 0]]"],
                 "s (y:s=2, x:s=2) with i (y:s=3, k:i=2): sizes 2 and 3 of y differ"),
                ("take(s * 2, i, axis=x)", ["s:float32(y, x)=[[1, 2], [3, 4]]", "i:(y)=[0, 1, 0]"],
                 "s * 2 (y:s=2, x:s=2) with i (y:s=3): sizes 2 and 3 of y differ")):
            self.assertIn("cannot match " + message + "\n", self.bad(1, 69, "run", text, *inputs))

    def test_sizes_of_1(self):
        s = ["s:(x)=[5]"]
        for dims in '"x:s=2"', '"x:s=2, k:i=1"':
            self.advised("broadcast_to(s, %s)" % dims, s, 63, "s (x:s=1): size 1 of x does not stretch to 2; write "
                         "broadcast_to(s.x[0], %s)" % dims, "sum(broadcast_to(s.x[0], %s))" % dims,
                         "out: int64[] = 10\n")
        self.advised("t - t.x[:1]", ["t:(x)=[5, 7]"], 69, "; t.x[:1].x[0] is constant along x", "t - t.x[:1].x[0]",
                     "out: int32(x:s=2) = [0, 2]\n")
        self.bad(1, 69, "check", "t - (t + 1).x[:1]", "t=float32(x=2)")
        self.assertIn("cannot match t (x:s=2) with \"x:s=3\": sizes 2 and 3 of x differ\n",
                      self.bad(1, 63, "run", 'broadcast_to(t, "x:s=3")', "t:(x)=[5, 7]"))

    def test_what_goes_by_position(self):
        s = ["s:(y, x)=[[5], [7]]"]
        for text, advice, result in (
                ("reshape(s, [1, 2])", "reshape(unnamed(s, [y, x]), [1, 2])", "out: int32[1, 2] =\n[[5, 7]]\n"),
                ("tile(s, [1, 2])", "tile(unnamed(s, [y, x]), [1, 2])", "out: int32[2, 2] =\n[[5, 5],\n [7, 7]]\n"),
                ("squeeze(s, -1)", "squeeze(unnamed(s, [y, x]), -1)", "out: int32[2] = [5, 7]\n"),
                ("squeeze(s, -1)", "s.x[0]", "out: int32(y:s=2) = [5, 7]\n"),
                ("expand_dims(s.x[0], 0)", 'broadcast_to(s.x[0], "z:s=1")',
                 "out: int32(y:s=2, z:s=1) =\n[[5],\n [7]]\n")):
            self.assertIn(advice, self.bad(1, 55, "run", text, *s))
            self.assertEqual(self.text("run", advice, *s), result)

    def test_names_in_other_places(self):
        s, v = "s:(y, x)=[[5], [7]]", "v:(x, vector:c=(u,v))=[[5, 7]]"
        for text, given, advice, then in (
                ("concat(s, s, x)", s, "if 'x' is a dimension, write axis=x", "concat(s, s, axis=x)"),
                ("squeeze(s, x)", s, "if 'x' is a dimension, write s.x[0]", "s.x[0]"),
                ("squeeze(s, axis=x)", s, "if 'x' is a dimension, write s.x[0]", "s.x[0]"),
                ("expand_dims(s, z)", s, "write broadcast_to(s, \"z:s=1\")", "broadcast_to(s, \"z:s=1\")"),
                ("pad(s, x, 1)", s, "if 'x' is a dimension, write axes=x", "pad(s, 1, axes=x)"),
                ("v.vector[u]", v, "if 'u' is a label, write .vector['u']", "v.vector['u']")):
            self.assertIn(advice + "\n", self.bad(1, 132, "run", text, given))
            self.good("run", then, given)
        for text, given, advice, then in (
                ("v.u", v, "the label 'u' of a dimension vector is v.vector['u']", "v.vector['u']"),
                ("v['u']", v, "as in u.vector['u']", "v.vector['u']"),
                ("s.x[1:, 1:]", s, "as in s.x[0].y[0]", "s.x[0].y[0]"),
                ("rename(s, x=\"z\")", s, "write rename(s, x, \"z\")", "rename(s, x, \"z\")"),
                ("rename(s, x=z)", s, "write rename(s, x, \"z\")", "rename(s, x, \"z\")"),
                ("broadcast_to(s, z=3)", s, "write broadcast_to(s, \"z:s=3\")", "broadcast_to(s, \"z:s=3\")"),
                ("s.transpose(x, y)", s, "write transpose(s, [x, y])", "transpose(s, [x, y])"),
                ("mean(s, [\"x\", 'y'])", s, "no quotes, as in [x]", "mean(s, [x, y])")):
            self.assertIn(advice, self.bad(1, 9, "run", text, given))
            self.good("run", then, given)

    def test_values_without_names(self):
        for text, names in (("mean(s, x)", "y, x"), ("transpose(s, [y, x])", "y, x"), ("concat(s, s, axis=lat)",
                            "x, lat:s"), ("vecdot(s, s, axis=y)", "x, y")):
            told = self.bad(1, 52, "run", text, "s=[[1, 2]]")
            self.assertIn('write named(s, "%s"), or give a type besides: \'s:(%s)=..\' in the command, types={"s": '
                          '"(%s)"} in Python\n' % (names, names, names), told)
            self.good("run", text, "s:(%s)=[[1, 2]]" % names)
            self.good("run", 's = named(t, "%s"); %s' % (names, text), "t=[[1, 2]]")

    def test_types(self):
        for given, advice in (("s:x,y=[[1]]", "(x,y)"), ("s:lat:s=[1]", "(lat:s)"), ("s:[x:s, y:s]=[[1]]",
                              "(x:s, y:s)")):
            told = self.bad(1, 133, "run", "s", given)
            self.assertIn("; named dimensions stand in parentheses, as in %s\n" % advice, told)
            self.good("run", "s", "s:%s=%s" % (advice, given.rpartition("=")[2]))
        self.assertIn("as in s=float32(x, y)\n", self.bad(1, 133, "check", "s.x[1:]", "s=(x, y)"))
        self.good("check", "s.x[1:]", "s=float32(x, y)")

    def test_batches(self):
        os.mkdir(self.path("in"))
        for name in "ab":
            self.good("run", "x", "x:uint8=[[[1, 2, 3], [4, 5, 6]]]", "-o", "in/%s.png" % name)
        img = "img:(%sy, x, c:c=(r,g,b))=in"
        told = self.bad(1, 79, "run", "mean(img, spatial)", img % "b:b, ", "-o", "out")
        self.assertIn("; the type of a batch is that of one of its samples: leave b:b out\n", told)
        self.good("run", "mean(img, spatial)", img % "", "-o", "out.npz")


if __name__ == "__main__":
    unittest.main()
