"""DataArrays and Datasets: names, labels and coordinates."""
import unittest

import numpy as np

import support
import weft

xarray = None


def setUpModule():
    global xarray
    xarray = support.optional("xarray")


class Arrays(unittest.TestCase):
    def setUp(self):
        self.u = xarray.DataArray(np.arange(6, dtype=np.float32).reshape(2, 3), dims=("time", "x"),
                                  coords={"time": [2000, 2001], "x": [0.5, 1.5, 2.5]})
        self.v = xarray.DataArray(np.float32([[1, 2], [3, 4], [5, 6]]), dims=("x", "part"),
                                  coords={"part": ["a", "b"], "x": [0.5, 1.5, 2.5]})

    def same(self, got, wanted):
        xarray.testing.assert_identical(got.drop_attrs(), wanted.drop_attrs())
        self.assertEqual(got.dims, wanted.dims)

    def test_mean(self):
        u = self.u
        self.same(weft.evaluate("u - mean(u, time)", u=u), u - u.mean("time"))
        self.same(weft.evaluate("u - mean(u, time)"), u - u.mean("time"))

    def test_matching(self):
        self.same(weft.evaluate("u * v", u=self.u, v=self.v), self.u * self.v)

    def test_selections_keep_coordinates(self):
        self.same(weft.evaluate("u.x[1:]", u=self.u), self.u.isel(x=slice(1, None)))
        self.same(weft.evaluate("u.time[::-1].x[[2, 0]]", u=self.u), self.u[::-1, [2, 0]])
        self.same(weft.evaluate("v.part['b']", v=self.v), self.v.sel(part="b", drop=True))
        self.same(weft.evaluate("flip(u, x)", u=self.u), self.u[:, ::-1])

    def test_numbers_and_arrays_beside(self):
        self.same(weft.evaluate("u * k", u=self.u, k=2.0), self.u * np.float32(2))

    def test_dataset(self):
        data = xarray.Dataset({"u": self.u, "v": self.v})
        self.same(weft.evaluate("u * v", data), self.u * self.v)

    def test_several_results(self):
        r = weft.evaluate("return a = u + 1, b = sum(u)", u=self.u)
        self.same(r.a, self.u + np.float32(1))
        self.assertEqual(float(r.b), 15)

    def test_coordinates_that_differ(self):
        with self.assertRaisesRegex(ValueError, "coordinates of x differ"):
            weft.evaluate("u + w", u=self.u, w=self.u.assign_coords(x=[1.0, 2.0, 3.0]))

    def test_differences(self):
        """Of neighbours: without coordinates along their own dimension, with all others."""
        u = self.u.assign_coords(season=("time", ["w", "s"]), height=5.0)
        got = weft.evaluate("u.x[1:] - u.x[:-1]", u=u)
        self.same(got, (u.diff("x")).drop_vars("x"))
        with self.assertRaisesRegex(ValueError, "coordinates of x run in two directions"):
            weft.evaluate("u.x[::-1] - u", u=u)
        with self.assertRaisesRegex(weft.Error, "labels .* of part differ"):
            weft.evaluate("v.part[::-1] - v", v=self.v)

    def test_other_coordinates(self):
        """Those that are no dimension's own stay with the dimensions that are followed."""
        u = self.u.assign_coords(season=("time", ["w", "s"]), height=5.0, area=(("time", "x"), np.ones((2, 3))))
        self.same(weft.evaluate("u * 2.0", u=u), u * np.float32(2))
        self.same(weft.evaluate("u.x[1:]", u=u), u[:, 1:])
        self.same(weft.evaluate("sum(u, x)", u=u), u.sum("x").astype(np.float32))

    def test_renamed(self):
        u = self.u
        self.same(weft.evaluate("rename(u, x, 'z')", u=u), u.rename(x="z"))
        with self.assertRaisesRegex(ValueError, "coordinates of z differ"):
            weft.evaluate("rename(u, x, 'z') + w", u=u, w=u.rename(x="z").assign_coords(z=[5, 6, 7])[0])

    def test_joined(self):
        later = self.u.assign_coords(time=[2002, 2003])
        self.same(weft.evaluate("concat(u, later, axis=time)", u=self.u, later=later),
                  xarray.concat([self.u, later], "time"))

    def test_coordinates_that_are_no_text(self):
        with self.assertRaisesRegex(weft.Error, "has no labels; its elements have positions"):
            weft.evaluate("u.x['1.5']", u=self.u)
        self.same(weft.evaluate("n * 2.0", n=self.u.assign_coords(time=[1.0, np.nan])),
                  self.u.assign_coords(time=[1.0, np.nan]) * np.float32(2))
        with self.assertRaises(weft.Error) as raised:
            weft.evaluate("u + w", u=self.u, w=np.ones(3, np.float32))
        self.assertNotIn("#", raised.exception.message)

    def test_types(self):
        """A type gives kinds, in any order of the dimensions, whose names are the array's."""
        for type in "(x:s, time:b)", "(time:b, x:s)":
            self.same(weft.evaluate("sum(u)", u=self.u, types={"u": type}), self.u.sum("x").astype(np.float32))
        with self.assertRaisesRegex(ValueError, r"write each of these once, as in types=.'u': '.time:s, x:s.'"):
            weft.evaluate("sum(u)", u=self.u, types={"u": "(q:s, r:s)"})

    def test_words_that_are_names_elsewhere(self):
        """A dimension, what the text binds, a comment: none of them is the variable of this name around the call."""
        from weft import math
        u, x, s, r = self.u, math.ones(x=3), self.v, math.ones(x=2)
        self.same(weft.evaluate("mean(u, x)  # r"), u.mean("x"))
        self.same(weft.evaluate("s = u * 2.0; s + 1.0  # r 'x'"), u * np.float32(2) + np.float32(1))
        self.assertEqual(weft.evaluate("stack(u, u, axis='r:i')").dims, ("r", "time", "x"))
        with self.assertRaisesRegex(weft.Error, "u is a DataArray and r a tensor of weft.math; write weft"):
            weft.evaluate("u + r")
        with self.assertRaisesRegex(weft.Error, "d': a Dataset is a mapping of names; weft.evaluate.text, dataset."):
            weft.evaluate("d + 1", d=xarray.Dataset({"u": u}))
        del x, s, r

    def test_errors_stay(self):
        with self.assertRaisesRegex(weft.Error, "no dimension 'tim'"):
            weft.evaluate("mean(u, tim)", u=self.u)
        with self.assertRaises(weft.Error):
            weft.evaluate("u +", u=self.u)


if __name__ == "__main__":
    unittest.main()
