"""types= of evaluate and compile: named dimensions."""
import unittest

import numpy as np

import weft


class Types(unittest.TestCase):
    def setUp(self):
        self.u = np.arange(6, dtype=np.float32).reshape(2, 3)

    def test_evaluate(self):
        types = {"u": "(y, x)", "v": "(x, y)"}
        got = weft.evaluate("u - v", u=self.u, v=self.u.T, types=types)
        self.assertEqual(got.tolist(), [[0, 0, 0], [0, 0, 0]])
        got = weft.evaluate("u - v", u=self.u, v=self.u, types={"u": "(y, x)", "v": "(y, x)"})
        self.assertEqual(got.tolist(), [[0, 0, 0], [0, 0, 0]])
        with self.assertRaisesRegex(weft.Error, "sizes 2 and 3 of y differ"):
            weft.evaluate("u - v", u=self.u, v=self.u, types=types)

    def test_other_types_are_other_programs(self):
        for types, wanted in [({"u": "(y, x)"}, [3, 5, 7]), ({"u": "(x, y)"}, [3, 12])]:
            self.assertEqual(weft.evaluate("sum(u, y)", u=self.u, types=types).tolist(), wanted)
        with self.assertRaisesRegex(weft.Error, "has no names"):
            weft.evaluate("sum(u, y)", u=self.u)

    def test_dtype_of_the_call(self):
        f = weft.compile("u.x[1:] - u.x[:-1]", types={"u": "(y, x)"})
        for dtype in np.int8, np.float64:
            self.assertEqual(f(self.u.astype(dtype)).dtype, dtype)

    def test_numbers_and_scalars(self):
        f = weft.compile("u * k", types={"u": "(y, x)"})
        for k in 2.5, np.float32(2.5), np.array(2.5):
            self.assertEqual(f(self.u, k)[1, 2], 12.5)
        with self.assertRaisesRegex(weft.Error, "k has no names"):
            f(self.u, self.u)

    def test_results_say_their_type(self):
        f = weft.compile("return a = transpose(u, [x, y]), b = sum(u, x), c = u * v",
                         types={"u": "(y, x)", "v": "(vector:c=(p,q))"})
        v = np.array([1, 2], np.float32)
        self.assertEqual(f.infer(u=self.u, v=v), {"a": "float32(x:s=3, y:s=2)", "b": "float32(y:s=2)",
                                                  "c": "float32(y:s=2, x:s=3, vector:c=(p,q))"})
        self.assertEqual(f.types, {"u": "(y, x)", "v": "(vector:c=(p,q))"})
        self.assertEqual(f(self.u, v).c.shape, (2, 3, 2))

    def test_batches(self):
        f = weft.compile("u - mean(u, spatial)", types={"u": "(y, x)"})
        a, b = f([self.u, self.u[:, :1]])
        self.assertEqual(a.tolist(), (self.u - self.u.mean()).tolist())
        self.assertEqual(b.tolist(), [[-1.5], [1.5]])

    def test_many_labels(self):
        x = np.arange(10000, dtype=np.int32)
        names = [f"l{i}" for i in range(x.size)]
        types = {"x": f"(vector:c=({','.join(names)}))"}
        self.assertEqual(weft.evaluate("x.vector['l9999'] - x.vector['l1,l0'].vector['l1']", x=x, types=types), 9998)
        with self.assertRaisesRegex(weft.Error, "no label 'l10000'; it has"):
            weft.evaluate("x.vector['l10000']", x=x, types=types)
        with self.assertRaisesRegex(weft.Error, "label 'l7' stands twice"):
            weft.evaluate("x + 1", x=x, types={"x": f"(vector:c=({','.join(names)},l7))"})
        with self.assertRaisesRegex(weft.Error, "labels .*l1,.. and .*l2,.* of vector differ|labels .* differ"):
            weft.evaluate("x + y", x=x, y=x, types={**types, "y": f"(vector:c=({','.join(names[::-1])}))"})

    def test_long_types(self):
        with self.assertRaisesRegex(weft.Error, "bytes long, at most"):
            weft.evaluate("x + 1", x=self.u, types={"x": "(" + "x" * (1 << 20) + ")"})
        with self.assertRaisesRegex(weft.Error, "more than 32 dimensions"):
            weft.evaluate("x + 1", x=self.u, types={"x": f"({', '.join(f'd{i}:s' for i in range(33))})"})

    def test_bad_types(self):
        for types, error in [(3, TypeError), ({"u": 3}, TypeError), ({3: "(x)"}, TypeError)]:
            with self.assertRaises((error, weft.Error)):
                weft.evaluate("u + 1", u=self.u, types=types)
        for types, message in [({"w": "(x)"}, "no input 'w'"), ({"u": "(wide)"}, "kind of dimension 'wide'"),
                               ({"u": "float32(x)"}, r"expected \(x:s\)")]:
            with self.assertRaisesRegex(weft.Error, message):
                weft.evaluate("u + 1", u=self.u, types=types)


if __name__ == "__main__":
    unittest.main()
