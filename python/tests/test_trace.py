"""Program.trace: every value on the way, against NumPy and against what calls return."""
import unittest

import numpy as np

import support  # noqa: F401
import weft

X = np.arange(24, dtype=np.int32).reshape(2, 3, 4) + 100

# Each element of the result is one of x, or a number outside.
REARRANGED = ["x[:, ::-1]", "x[1]", "x[..., -1]", "x[:, None, 1:3]", "x[0, 1, 2]", "x[:, [2, 0, 1, 2]]",
              "x[1:, [-1, 0, 1]]",
              "transpose(x)", "transpose(x, [1, 0, 2])", "flip(x, [0, 2])", "roll(x, 1)", "roll(x, [-1, 5], [0, 2])",
              "reshape(x, [4, 6])", "reshape(x[:, ::2], [-1])", "reshape(transpose(x), [6, 4])[::-1]",
              "expand_dims(x, 1)",
              "squeeze(x[:1], axes=[0])", "broadcast_to(x[:, :1], [2, 3, 4])", "tile(x, [2, 1, 2])", "tile(x, 3)",
              "repeat(x, 2, 1)", "offset(x, 1)", "offset(x, [1, -2], \"edge\")", "offset(x, 3, \"wrap\")",
              "offset(x, [-2, 2], \"symmetric\")", "offset(x, 2, \"reflect\")", "pad(x, 1)",
              "pad(x, [[1, 0], [0, 2], [-1, 1]], \"wrap\")",
              "concat(x, x[:1])", "concat(x[:, :1], x, axis=1)", "stack(x, x[::-1])", "stack(x, x, axis=-1)",
              "take(x, i)",
              "take(x, i, axis=2)", "x[:, i]", "gather(x, j)", "gather(x, j, axes=[1, 2])",
              "gather(x, j + 1, axes=[0, 2], mode=\"edge\")", "take(take(x, i, axis=1), i % 2)", "take(x, [1, 0, -1])",
              "x[argmin(x[:, 0, 0]) + 1]", "x + 0", "where(true, x, 0)", "int32(x) * 1"]


def elements(trace):
    return {(value.text, value.column): value.element for value in trace if value.element is not None}


class Elements(unittest.TestCase):
    def test_rearranged(self):
        """The element that is told of x, and of all that rearranges it, is the result's."""
        found = 0
        for text in REARRANGED:
            program = weft.compile(f"y = {text}; y")
            given = {"x": X, "i": np.int32([1, 0, -1, 1]), "j": np.int32([[0, 1], [1, 2], [1, 0]])}
            given = {name: given[name] for name in program.inputs}
            result = program(**given)
            for at in {tuple(0 for _ in result.shape), tuple(n - 1 for n in result.shape),
                       tuple(n // 2 for n in result.shape), tuple((n - 1) // 2 for n in result.shape)}:
                with self.subTest(text=text, at=at):
                    trace = program.trace(given, at=at)
                    last = trace[-1]
                    self.assertEqual((last.name, last.at, last.element), ("y", at, result[at]))
                    mine = [value for value in trace if value.text == "x" and value.element is not None]
                    inside = result[at] >= 100
                    self.assertTrue(mine or not inside)
                    if inside:
                        self.assertIn(result[at], [value.element for value in mine])
                    for value in mine:
                        self.assertEqual(X[value.at], value.element)
                    found += bool(mine)
        self.assertGreater(found, 100)

    def test_broadcast(self):
        img, gain = np.arange(24, dtype=np.uint8).reshape(4, 2, 3), np.float32([0.5, 1, 2])
        program = weft.compile("img * gain + row[:, None]")
        trace = program.trace(img=img, gain=gain, row=np.float32([7, 8]), at=(3, 1, -1))
        told = {value.text: (value.at, value.element) for value in trace}
        self.assertEqual(told["img"], ((3, 1, 2), 23))
        self.assertEqual(told["gain"], ((2,), 2.0))
        self.assertEqual(told["row"], ((1,), 8.0))
        self.assertEqual(told["img * gain + row[:, None]"], ((3, 1, 2), 54.0))

    def test_several_uses(self):
        """Uses of different elements have lines of their own; a use like the first one has none."""
        trace = weft.compile("y = x * 2; y[1:] - y[:-1] + x[1:] * 0").trace(x=np.float32([1, 2, 4]), at=1)
        self.assertEqual(elements(trace), {("y", 12): 8.0, ("y[1:]", 12): 8.0, ("y", 20): 4.0, ("y[:-1]", 20): 4.0,
                                           ("y[1:] - y[:-1]", 12): 4.0, ("x", 29): 4.0, ("x[1:]", 29): 4.0,
                                           ("x[1:] * 0", 29): 0.0, ("y[1:] - y[:-1] + x[1:] * 0", 12): 4.0})
        self.assertEqual(sum(value.text == "x" for value in trace), 2)

    def test_reductions(self):
        """Under a reduction no element is told of; beside it there is one."""
        trace = weft.compile("x - mean(x * 1.0, axes=0)").trace(x=np.float32([[1, 2], [3, 6]]), at=(1, 1))
        told = {(value.text, value.how): value.element for value in trace}
        self.assertEqual(told["x", "input"], 6.0)
        self.assertIsNone(told["x * 1.0", "* in float32"])
        self.assertEqual(told["mean(x * 1.0, axes=0)", "/ in float32, operand 2 from int64"], 4.0)

    def test_several_results(self):
        """A position is that of each result in which it lies."""
        trace = weft.compile("return a = x + 1, b = sum(x, axes=1)").trace(x=X, at=(1, 3))
        self.assertEqual([(value.name, value.element) for value in trace if value.name], [("a", None), ("b", 357)])

    def test_named(self):
        u, v = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([10, 20])
        program = weft.compile("u + v", types={"u": "(y, x)", "v": "(y)"})
        trace = program.trace(u=u, v=v, at=(1, 2))
        self.assertEqual({value.text: value.element for value in trace if value.how == "input"}, {"u": 6.0, "v": 20.0})
        self.assertIn("(y:s=2, x:s=3)", trace[-1].type)

    def test_errors(self):
        program = weft.compile("x + 1")
        x = np.zeros((2, 3), np.float32)
        for at, words in ((5, "has 1 number, and result 'out' has shape [2, 3], rank 2"),
                          ((1, 3), "lies outside result 'out', whose shape is [2, 3]"), ((-3, 0), "lies outside"),
                          ("ab", "position"), ((1.5, 0), "position"), ((0,) * 40, "position")):
            with self.subTest(at=at), self.assertRaises(weft.Error) as raised:
                program.trace(x, at=at)
            self.assertIn(words, str(raised.exception))
        for given, words in (({"x": x}, "no input is a batch"), ({"x": [x]}, "there is no sample 1")):
            with self.assertRaisesRegex(weft.Error, words):
                program.trace(given, sample=1)
        with self.assertRaisesRegex(weft.Error, "input 'y'"):
            program.trace(y=x)


class Summaries(unittest.TestCase):
    def check(self, value, array):
        array = np.asarray(array)
        self.assertEqual((value.dtype, value.shape), (array.dtype.name, array.shape))
        known = array[~np.isnan(array)] if array.dtype.kind == "f" else array.reshape(-1)
        finite = known[np.isfinite(known)]
        self.assertEqual((value.nan, value.inf), (array.size - known.size, known.size - finite.size))
        if known.size:
            self.assertEqual(array.dtype.type(value.smallest), known.min())
            self.assertEqual(array.dtype.type(value.largest), known.max())
        else:
            self.assertIsNone(value.smallest)
        if finite.size:
            np.testing.assert_allclose(value.mean, finite.astype(np.longdouble).mean().astype(float), 1e-12)
        else:
            self.assertIsNone(value.mean)

    def test_dtypes(self):
        rng = np.random.default_rng(7)
        program = weft.compile("x[::-1]")
        for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
                     "float32", "float64"):
            for count in (0, 1, 100):
                x = rng.integers(0, 256, count * 8, np.uint8).view(np.int64)
                x = (x % 2 == 0) if name == "bool" else x.astype(name) if name[0] != "f" else \
                    np.array([np.nan, np.inf, -np.inf, 1.5, -0.0, 3.25] * count, name)[:count]
                with self.subTest(name=name, count=count):
                    for value in program.trace(x):
                        self.check(value, x)
        self.check(program.trace(np.float32([np.nan, np.nan]))[-1], np.float32([np.nan, np.nan]))

    def test_types_on_the_way(self):
        img = np.uint8([1, 5, 20, 100, 200])
        trace = weft.compile("uint8(img * 2) - img * img").trace(img)
        twice = img.astype(np.int32) * 2
        bright = np.minimum(twice, 255).astype(np.uint8)
        expected = [img, twice, bright, img * img, bright - img * img]
        self.assertEqual(len(trace), len(expected))
        for value, array in zip(trace, expected):
            self.check(value, array)
        self.assertEqual([value.column for value in trace], [7, 7, 1, 18, 1])

    def test_more_than_a_group(self):
        """Values are computed some at a time."""
        text = "; ".join(["y0 = x"] + [f"y{i} = y{i - 1} + {i}" for i in range(1, 101)])
        trace = weft.compile(text).trace(np.arange(3, dtype=np.int32))
        self.assertEqual([value.smallest for value in trace if value.name], [sum(range(i + 1)) for i in range(101)])

    def test_formulas(self):
        x = np.float32([[1, 2, 3], [4, 4, 4]])
        e = np.exp(x - x.max(1, keepdims=True))
        trace = weft.compile("softmax(x)").trace(x)
        self.assertEqual({value.text for value in trace}, {"x", "softmax(x)"})
        self.assertEqual(trace[-1].name, "out")
        by = {value.how.split()[0]: value for value in trace}
        self.assertAlmostEqual(by["exp"].smallest, float(e.min()), 6)
        self.assertAlmostEqual(by["sum"].largest, float(e.sum(1).max()), 6)

    def test_results_are_those_of_a_call(self):
        rng = np.random.default_rng(3)
        x, y = rng.standard_normal((50, 7)).astype(np.float32), rng.standard_normal(7).astype(np.float32)
        for text in ("sin(x) * y + exp(y)", "std(x, axes=0) / 3", "x ** 3 // y", "norm(x, axes=1)",
                     "correlate(x, [[1, 2, 1]])",
                     "sort = where(x > y, x, y); sum(sort)", "logsumexp(x, axes=[0])", "random(x, 5) + x * 0"):
            program = weft.compile(text)
            given = {name: {"x": x, "y": y}[name] for name in program.inputs}
            out = np.asarray(program(**given))
            self.check(program.trace(**given)[-1], out)

    def test_batches(self):
        xs = [np.float32([1, 2]), np.float32([[7]]).reshape(1), np.float32([5, 6, 7])]
        program = weft.compile("random(x, 3) + 0 * x + k")
        outs = program(x=xs, k=np.float32(0))
        for sample, out in enumerate(outs):
            self.check(program.trace(x=xs, k=np.float32(0), sample=sample)[-1], out)

    def test_a_kernels_types(self):
        program = weft.compile("kernel f(x: float32[n]) -> uint8 { x * 2 }")
        last = program.trace(np.float32([1, 200]))[-1]
        self.assertEqual((last.name, last.dtype, last.largest), ("out", "uint8", 255))
        self.assertEqual(last.how, "result, cast from float32")

    def test_literals(self):
        trace = weft.compile("y = x * (2 * pi / 3); y + k * 0.5").trace(x=np.float32([1]), k=3)
        told = {value.text: value.smallest for value in trace}
        self.assertEqual(told["2 * pi / 3"], 2 * np.pi / 3)
        self.assertEqual((told["k"], told["k * 0.5"]), (3, 1.5))
        self.assertNotIn("0.5", told)

    def test_remarks(self):
        with self.assertWarnsRegex(weft.Remark, "divide"):
            weft.compile("a // b + 1").trace(a=np.int32([1]), b=np.int32([0]))


class Printing(unittest.TestCase):
    def test_table(self):
        trace = weft.compile("y = a < b; y and a < 3").trace(a=np.int32([1, 5]), b=np.int32([2, 2]), at=-1)
        lines = str(trace).splitlines()
        self.assertEqual(lines[0].split(), ["place", "value", "type", "smallest", "largest", "mean", "nan", "inf",
                                            "[-1]", "how"])
        self.assertEqual(len(lines), len(trace) + 1)
        self.assertEqual(lines[3].split(), ["1:5", "y", "=", "a", "<", "b", "bool[2]", "false", "true", "0.5", "0", "0",
                                            "false", "[1]", "<", "in", "int32"])
        self.assertEqual(repr(trace), str(trace))

    def test_html(self):
        html = weft.compile("a < b").trace(a=1, b=np.int32([2, 2]))._repr_html_()
        self.assertIn("<td>out = a &lt; b</td>", html)
        self.assertNotIn("element", html)
        self.assertEqual(html.count("<tr>"), 4)


if __name__ == "__main__":
    unittest.main()
