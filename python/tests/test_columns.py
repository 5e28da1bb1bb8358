"""Columns of pandas and polars, lists of numbers, ranges, mappings of names, and results as a mapping."""
import array
import collections
import importlib.util
import pathlib
import unittest

import numpy as np
import weft


class Plain(unittest.TestCase):
    def test_lists_and_ranges(self):
        np.testing.assert_array_equal(weft.evaluate("x * 2", x=[1, 2, 3]), [2, 4, 6])
        np.testing.assert_array_equal(weft.evaluate("x * 2", x=(1.5, 2)), [3, 4])
        np.testing.assert_array_equal(weft.evaluate("x + y", x=range(3), y=np.int64([1, 1, 1])), [1, 2, 3])
        self.assertEqual(weft.evaluate("x", x=[1, 2]).dtype, np.int64)
        self.assertEqual(len(weft.evaluate("x + 1", x=[np.zeros(2), np.zeros(3)])), 2)  # of arrays it is a batch

    def test_buffers(self):
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=array.array("f", [1, 2])), [2, 3])

    def test_refused(self):
        for value in (["a"], [1, "a"], [2**70], "text", object(), [[1, 2], [3]]):
            self.assertRaises(weft.Error, weft.evaluate, "x + 1", x=value)

    def test_paths(self):
        for path in "x.npy", pathlib.Path("x.npy"):
            with self.assertRaisesRegex(weft.Error, r"is no array; a file is read by a library, as in numpy.load\("):
                weft.evaluate("x + 1", x=path)

    def test_mapping(self):
        names = collections.ChainMap({"x": np.float32([1, 2])}, {"other": "text"})
        np.testing.assert_array_equal(weft.evaluate("x + 1", names), [2, 3])
        self.assertRaises(weft.Error, weft.evaluate, "x + 1", 3)

    def test_mapping_of_a_program(self):
        """A mapping alone gives several inputs, and what the text does not use may be there; a dict is checked."""
        f, out = weft.compile("x + y"), np.zeros(2, np.float32)
        names = collections.ChainMap({"x": np.float32([1, 2]), "y": 1}, {"other": "text"})
        np.testing.assert_array_equal(f(names), [2, 3])
        self.assertIs(f(names, out=out), out)
        self.assertRaisesRegex(weft.Error, "no input 'other'", f, dict(names))
        self.assertRaisesRegex(weft.Error, "'y' is not given", f, collections.ChainMap({"x": 1}))
        self.assertRaises(weft.Error, f, names, y=1)
        self.assertRaises(weft.Error, weft.compile("x + 1"), names)

    def test_results(self):
        results = weft.evaluate("return total = a + b, difference = a - b", a=5, b=3)
        self.assertEqual({name: int(value) for name, value in dict(results).items()}, {"total": 8, "difference": 2})
        self.assertEqual([name for name, value in results.items()], list(results.keys()))


@unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
class Pandas(unittest.TestCase):
    def setUp(self):
        import pandas
        self.pandas = pandas

    def test_frames_of_a_program(self):
        frame = self.pandas.DataFrame({"a": [1.5, 2], "b": [3.0, 4], "name": ["x", "y"]}, index=[7, 9])
        f = weft.compile("a + b")
        self.pandas.testing.assert_series_equal(f(frame), frame.a + frame.b)
        self.pandas.testing.assert_frame_equal(f(frame[["a"]], b=1.0), frame[["a"]] + 1)
        self.pandas.testing.assert_frame_equal(weft.compile("a * 2")(frame[["a", "b"]]), frame[["a", "b"]] * 2)

    def test_series_and_frames(self):
        frame = self.pandas.DataFrame({"a": [1.5, 2], "b": [3, 4], "name": ["x", "y"]})
        np.testing.assert_array_equal(weft.evaluate("a + b", frame, rules="numpy"), [4.5, 6])
        np.testing.assert_array_equal(weft.evaluate("a * 2", a=frame["a"]), [3, 4])
        with self.assertRaisesRegex(weft.Error, r"name.*no numbers.*give numbers, as in name.astype\('category'\)"):
            weft.evaluate("name * 2", frame)
        codes = frame["name"].astype("category").cat.codes
        np.testing.assert_array_equal(weft.evaluate("name * 2", name=codes, rules="numpy"), [0, 2])
        np.testing.assert_array_equal(weft.evaluate("a + name", frame, name=codes), [1.5, 3])  # in the column's place
        with self.assertRaisesRegex(weft.Error, r"as in f\(\*\*df\[\['a', 'b', 'name'\]\]\)"):
            weft.compile("a + 1")(frame)
        with self.assertRaisesRegex(weft.Error, "no input 'name'; .*ignore_unused=True"):
            weft.compile("a + b")(**frame)
        np.testing.assert_array_equal(weft.compile("a + b", rules="numpy")(**frame[["a", "b"]]), [4.5, 6])
        with self.assertRaisesRegex(weft.Error, r"no such name in the DataFrame, .*; did you mean 'name'\?"):
            weft.evaluate("nam * 2", frame)

    def test_the_index_is_kept(self):
        """Of all that have it; numbers aside."""
        x = self.pandas.Series([1.5, 2, 4], index=[10, 20, 30])
        y = self.pandas.Series([1, 2, 3], index=[10, 20, 30])
        for result in (weft.evaluate("x + y"), weft.evaluate("x + k * y", k=2), weft.compile("x - y")(x, y=y),
                       weft.evaluate("x - mean(x)"), weft.evaluate("return x > 2, total = sum(x)")[0]):
            self.assertIsInstance(result, self.pandas.Series)
            self.assertTrue(result.index.equals(x.index))
        self.assertEqual(list(x[weft.evaluate("x > 1.5")]), [2, 4])
        self.assertEqual(weft.evaluate("x + y", rules="numpy").to_dict(), (x + y).to_dict())
        array, out = np.arange(3.0), np.empty(3)
        for result in (weft.evaluate("sum(x)"), weft.evaluate("x[1:]"), weft.evaluate("x + array"),
                       weft.evaluate("x + y", out=out), weft.evaluate("x", x=[np.zeros(2)])[0]):
            self.assertIsInstance(result, np.ndarray)

    def test_frames_keep_their_labels(self):
        """Where a frame is an operand itself: index and columns, of results that have its shape."""
        df = self.pandas.DataFrame({"a": [1.5, 2, 4], "b": [3, 4, 5.0]}, index=[10, 20, 30])
        other = df + 1
        for result, expected in ((weft.evaluate("df * 2"), df * 2), (weft.evaluate("df + other * k", k=0.5),
                                 df + other * 0.5), (weft.compile("df - mean(df)")(df), df - df.to_numpy().mean()),
                                 (weft.evaluate("return df > 2, total = sum(df)")[0], df > 2)):
            self.pandas.testing.assert_frame_equal(result, expected)
        column, array, out = df["a"], np.ones(2), np.empty((3, 2))
        for result in (weft.evaluate("sum(df, axes=1)"), weft.evaluate("df + array"), weft.evaluate("df[1:]"),
                       weft.evaluate("df + transpose(other, [0, 1])", other=other.to_numpy()),
                       weft.evaluate("df * 2", out=out), weft.evaluate("df * column[:2]")):
            self.assertIsInstance(result, np.ndarray)
        with self.assertRaisesRegex(weft.Error, r"the columns of 'df' and 'other' differ.*other.reindex_like\(df\)"):
            weft.evaluate("df + other", other=other[["b", "a"]])
        with self.assertRaisesRegex(weft.Error, "the indexes of 'df' and 'other' differ"):
            weft.evaluate("df + other", other=other[::-1])
        self.pandas.testing.assert_frame_equal(weft.evaluate("df + other", other=other[::-1].reindex_like(df)),
                                               df + other)

    def test_columns_by_attribute(self):
        """What the message says to write is what was meant."""
        df = self.pandas.DataFrame({"a": [1.5, 2], "b": [3, 4.0]})
        with self.assertRaisesRegex(weft.Error, r"of a DataFrame df write a, and weft.evaluate\(text, df\)"):
            weft.evaluate("df.a * df.b", df=df)
        self.assertEqual(weft.evaluate("a * b", df).to_list(), [4.5, 8])

    def test_nan_is_a_value(self):
        x = self.pandas.Series([1, np.nan, 3])
        self.assertTrue(np.isnan(weft.evaluate("mean(x)")))
        self.assertEqual(weft.evaluate("sum(where(isnan(x), 0, x)) / count_nonzero(not isnan(x))"), x.mean())

    def test_indexes_that_differ(self):
        x, y = self.pandas.Series([1, 2], index=["a", "b"]), self.pandas.Series([10, 20], index=["b", "a"])
        with self.assertRaisesRegex(weft.Error, r"the indexes of 'x' and 'y' differ.*write y=y.reindex\(x.index\), or "
                                                r"y.to_numpy\(\)"):
            weft.evaluate("x + y")
        self.assertEqual(weft.evaluate("x + y", y=y.reindex(x.index)).to_dict(), {"a": 21, "b": 12})
        self.assertEqual(list(weft.evaluate("x + y", y=y.to_numpy())), [11, 22])

    def test_dates_and_categories(self):
        for series, advice, then in (
                (self.pandas.Series(self.pandas.to_datetime(["2026-01-01"])), r"give x.astype\('int64'\)",
                 lambda x: x.astype("int64")),
                (self.pandas.Series(["b", "a"], dtype="category"), "give x.cat.codes", lambda x: x.cat.codes)):
            with self.assertRaisesRegex(weft.Error, advice):
                weft.evaluate("x + 1", x=series)
            self.assertEqual(len(weft.evaluate("x + 1", x=then(series))), len(series))

    def test_nullable(self):
        whole = self.pandas.Series([1, 2], dtype="Int64", name="n")
        self.assertEqual(weft.evaluate("x + 1", x=whole).dtype, np.int64)
        with self.assertRaisesRegex(weft.Error, "1 of its 3 values is missing, the first at position 1"):
            weft.evaluate("x + 1", x=self.pandas.Series([1, None, 3], dtype="Int64", name="n"))


@unittest.skipUnless(importlib.util.find_spec("polars"), "needs polars")
class Polars(unittest.TestCase):
    def test_series(self):
        import polars
        np.testing.assert_array_equal(weft.evaluate("x + 1", x=polars.Series("x", [1, 2])), [2, 3])
        np.testing.assert_array_equal(weft.evaluate("x + 1", polars.DataFrame({"x": [1, 2]})), [2, 3])
        with self.assertRaisesRegex(weft.Error, "1 of its 2 values is missing, the first at position 1"):
            weft.evaluate("x + 1", x=polars.Series("x", [1, None]))


if __name__ == "__main__":
    unittest.main()
