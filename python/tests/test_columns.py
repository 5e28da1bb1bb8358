"""Columns of pandas and polars, lists of numbers, ranges, mappings of names, and results as a mapping."""
import array
import collections
import importlib.util
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

    def test_mapping(self):
        names = collections.ChainMap({"x": np.float32([1, 2])}, {"other": "text"})
        np.testing.assert_array_equal(weft.evaluate("x + 1", names), [2, 3])
        self.assertRaises(weft.Error, weft.evaluate, "x + 1", 3)

    def test_results(self):
        results = weft.evaluate("return total = a + b, difference = a - b", a=5, b=3)
        self.assertEqual({name: int(value) for name, value in dict(results).items()}, {"total": 8, "difference": 2})
        self.assertEqual([name for name, value in results.items()], list(results.keys()))


@unittest.skipUnless(importlib.util.find_spec("pandas"), "needs pandas")
class Pandas(unittest.TestCase):
    def setUp(self):
        import pandas
        self.pandas = pandas

    def test_series_and_frames(self):
        frame = self.pandas.DataFrame({"a": [1.5, 2], "b": [3, 4], "name": ["x", "y"]})
        np.testing.assert_array_equal(weft.evaluate("a + b", frame, rules="numpy"), [4.5, 6])
        np.testing.assert_array_equal(weft.evaluate("a * 2", a=frame["a"]), [3, 4])
        with self.assertRaisesRegex(weft.Error, "name.*no numbers"):
            weft.evaluate("name * 2", frame)

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
        np.testing.assert_array_equal(weft.evaluate("x + 1", polars.DataFrame({"x": [1, 2]}).to_dict()), [2, 3])
        with self.assertRaisesRegex(weft.Error, "1 of its 2 values is missing, the first at position 1"):
            weft.evaluate("x + 1", x=polars.Series("x", [1, None]))


if __name__ == "__main__":
    unittest.main()
