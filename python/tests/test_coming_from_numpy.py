"""The table of docs/numpy.md is right: what stands in its first two columns is run, by NumPy and by weft.evaluate under
rules="numpy", and gives the same values of the same dtypes."""
import importlib.util
import pathlib
import re
import unittest
import warnings

import numpy as np
import weft

PAGE = pathlib.Path(__file__).parents[2] / "docs/numpy.md"
SCIPY = importlib.util.find_spec("scipy") is not None


def flat(**more):
    """Values of one dimension."""
    return {"x": np.array([0.5, -1, 3, 2, 7, 4]), "i": np.array([4, 0, 2]), "v": np.array([10.0, 20, 30]), **more}


def plane(**more):
    return {"x": np.arange(12.0).reshape(3, 4) / 3 - 1, "i": np.array([2, 0]), "j": np.array([3, 1]),
            "a": np.arange(6.0).reshape(2, 3), "b": np.ones((2, 3)), "y": np.ones((3, 4)) * 2, "n": 3, "k": 1,
            "v": np.array([10.0, 20]), **more}


def cube():
    return {"x": np.arange(24.0).reshape(2, 3, 4)}


# What the names of a row are; a row is told by a part of its first column.
INPUTS = {
    "x[1:, ::-1, None]": cube(), "np.squeeze": {"x": np.ones((1, 3))}, "(2, 0, 1)": cube(), "swapaxes": cube(),
    "broadcast_to": {"x": np.array([1.0, 2, 3])}, "x[..., [2, 0, 1]]": cube(),
    "map_coordinates": plane(at=np.array([[0.5, 1.25], [1.0, 2.0]])), "np.interp": flat(p=np.array([0.5, 2.25, 4])),
    "scipy.ndimage.correlate(img": {"img": np.arange(60.0).reshape(4, 5, 3) ** 2, "k": np.array([[0, 1, 2.0]] * 3)},
    "np.where(m": {"img": np.arange(5, dtype=np.uint8), "m": np.arange(5) > 2},
    "scipy.ndimage.correlate(x": plane(k=np.array([[0, 1, 0.5], [1, -4, 1], [2, 1, 0]])),
    "scipy.ndimage.convolve": plane(k=np.array([[0, 1, 0.5], [1, -4, 1], [2, 1, 0]])),
    "np.convolve": flat(k=np.array([1.0, 2, 4])), "np.gradient": flat(), "x[x > 0]": plane(), "y = x.copy()": flat(),
    "np.add.at": flat(), "np.bincount": flat(i=np.array([1, 0, 1]), n=3), "np.dstack": plane(
        r=np.ones((2, 3)), g=np.zeros((2, 3)), b=np.ones((2, 3)) * 2, a=np.zeros((2, 3))),
    "np.nansum": plane(x=np.array([1.0, np.nan, 3])), "x @ y": plane(y=np.arange(8.0).reshape(4, 2)),
    "x.flat": flat(), "np.take(x, i)` of two": plane(), "x[i]": plane(i=np.array([1, 0])),
}
# Statements, whose result is what they leave in this name
LEAVES = {"y = x.copy(); y[i] = v": "y", "np.put(x, i, v)": "x", "np.add.at(x, i, v)": "x",
          "np.maximum.at(x, i, v)": "x", "x[i, j] = v": "x"}
# Rows that are no pair of expressions: random numbers, what is not there, what says the difference in words
APART = ("rng.", "np.median", "x[x > 0]", "np.pad(x, 1, mode=\"wrap\")", "np.argwhere", "np.gradient", "np.swapaxes",
         "x.flat", "np.nansum")


def rows(library="NumPy"):
    table = PAGE.read_text(encoding="utf-8").partition(f"| {library} | Weft |")[2].partition("\n\n")[0]
    for line in table.splitlines():
        cells = re.split(r" \| ", line.strip("| "))
        if line.startswith("| `"):
            yield line, cells[0], cells[1]


def spans(cell):
    return re.findall(r"`([^`]+)`", cell)


@unittest.skipIf(int(np.__version__.split(".")[0]) < 2, "needs NumPy 2")
@unittest.skipUnless(PAGE.exists(), "without the documents")
class Table(unittest.TestCase):
    def numpys(self, text, names):
        """The value of an expression, or what statements leave."""
        space = {"np": np, **{name: np.copy(value) if isinstance(value, np.ndarray) else value
                              for name, value in names.items()}}
        if "scipy" in text:
            import scipy.ndimage
            import scipy.special
            space["scipy"] = scipy
        if text in LEAVES:
            exec(text, space)
            return space[LEAVES[text]]
        return eval(text, space)

    def compare(self, theirs, ours, names):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = np.asarray(self.numpys(theirs, names))
            used = {name: value for name, value in names.items() if re.search(rf"\b{name}\b", ours)}
            found = np.asarray(weft.evaluate(ours, used, rules="numpy"))
        self.assertEqual((found.dtype, found.shape), (expected.dtype, expected.shape), (theirs, ours))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12, err_msg=f"{theirs}: {ours}")

    def test_rows(self):
        tried = 0
        for line, numpy_cell, weft_cell in rows():
            theirs, ours = spans(numpy_cell), spans(weft_cell)
            if weft_cell.startswith("the same"):
                ours = [text.removeprefix("np.") for text in theirs]
            ours = [ours[0].replace('"add"', text) if text.startswith('"') else text for text in ours]
            ours *= len(theirs) if len(ours) == 1 else 1
            if any(part in numpy_cell for part in APART) or ("scipy" in numpy_cell and not SCIPY):
                continue
            names = next((value for part, value in INPUTS.items() if part in numpy_cell), plane())
            with self.subTest(line):
                self.assertEqual(len(theirs), len(ours), line)
                for pair in zip(theirs, ours):
                    self.compare(*pair, names)
                    tried += 1
        self.assertGreaterEqual(tried, 55)

    def test_matlab(self):
        """What is said for MATLAB is a program, and its values are these."""
        A, names = np.array([[1.0, 2], [3, 4]]), {"B": np.array([[2.0, 1], [1, 2]]), "k": np.ones((3, 3)), "c": True,
                                                  "x": np.array([1.0, 4]), "a": -3.5, "b": 2, "img": np.uint8([[200]])}
        names["A"] = A
        expected = {"transpose(A)": A.T, "A[-1, 0]": 3, "A[1:3, :]": A[1:], "where(A > 2, 0, A)": [[1, 2], [0, 0]],
                    "sum(A, 0)": [4, 6], "mean(A, 1)": [1.5, 3.5], "max(A, axis=0)": [3, 4], "extent(A, 0)": 2,
                    "std(x, ddof=1)": np.sqrt(4.5), "arange(5)": range(5), "fmod(a, b)": -1.5, "a % b": 0.5,
                    "trunc(a)": -3, "not a == b and c": True, "roll(A, 1, axis=0)": A[::-1],
                    "reshape(A, -1)": A.ravel(), "round(2.5)": 2, "uint8(200 + x)": [201, 204],
                    "convolve(A, k)": np.full((2, 2), 10.0)}
        tried = 0
        for _, _, ours in rows("MATLAB"):
            for text in spans(ours):
                used = {name: value for name, value in names.items() if re.search(rf"\b{name}\b", text)}
                found = weft.evaluate(text, used, rules="numpy")
                tried += text in expected
                if text in expected:
                    np.testing.assert_allclose(found, np.array(expected[text]), err_msg=text)
        self.assertEqual(tried, len(expected))

    def test_rows_apart(self):
        x, ragged = np.array([0.5, -1, 3, 2, 7, 4]), np.array([1.0, np.nan, 3])
        for theirs, ours, names in (
                ("np.gradient(x)[1:-1]", "((offset(x, 1) - offset(x, -1)) / 2)[1:-1]", {"x": x}),
                ("np.argwhere(x > 2)", "nonzero(x > 2, 3)", {"x": x}),
                ("np.nansum(x)", "sum(where(isnan(x), 0, x))", {"x": ragged}),
                ("np.nanmax(x)", "max(where(isnan(x), -inf, x))", {"x": ragged}),
                ("x.flat[np.argmax(x)]", "reshape(x, -1)[argmax(x)]", plane()),
                ("np.swapaxes(x, 1, 2)", "transpose(x, [0, 2, 1])", cube()),
                *((f"np.pad(x, 1, mode={mode!r})", f"pad(x, 1, {mode!r})", plane())
                  for mode in ("wrap", "symmetric", "reflect"))):
            self.compare(theirs, ours, names)


if __name__ == "__main__":
    unittest.main()
