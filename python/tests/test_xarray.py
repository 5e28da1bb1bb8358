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

    def test_errors_stay(self):
        with self.assertRaisesRegex(weft.Error, "no dimension 'tim'"):
            weft.evaluate("mean(u, tim)", u=self.u)
        with self.assertRaises(weft.Error):
            weft.evaluate("u +", u=self.u)


if __name__ == "__main__":
    unittest.main()
