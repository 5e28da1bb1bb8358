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

    def test_parentheses(self):
        with self.assertRaisesRegex(weft.Error, "'y'; named dimensions stand in parentheses, as in"):
            weft.evaluate("sum(u, y)", u=self.u, types={"u": "y, x"})

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

    def test_scalars_without_a_type(self):
        """Rule 8.4: rank 0 goes with both, also where it is known at the call alone."""
        k, j = np.float32(2), np.float32(3)
        for text, values, wanted in [
            ('broadcast_to(k, "x:s=3")', {"k": k}, [2, 2, 2]),
            ('stack(k, j, axis="b:b")', {"k": k, "j": j}, [2, 3]),
            ('(u + stack(k, j, k, axis="x:s")).x[0]', {"u": self.u, "k": k, "j": j}, [2, 5]),
            ('t = (broadcast_to(float64(k), "z:s=3") * u).x[1]; t.z[1:].y[0]', {"u": self.u, "k": k}, [2, 2]),
            ("unnamed(k, []) + unnamed(sum(u), [])", {"k": k, "u": self.u}, 17),
            ("u.y[0] + k * j", {"u": self.u, "k": k, "j": j}, [6, 7, 8]),
        ]:
            types = {"u": "(y:s, x:s)"} if "u" in values else {}
            with self.subTest(text=text):
                f = weft.compile(text, types=types)
                self.assertEqual(f(**values).tolist(), wanted)
                self.assertEqual(f(**{name: value if name == "u" else float(value) for name, value in values.items()})
                                 .tolist(), wanted)
                self.assertEqual(weft.evaluate(text, types=types, **values).tolist(), wanted)
        f = weft.compile('broadcast_to(k, "x:s=3")')
        for _ in range(2):
            with self.assertRaisesRegex(weft.Error, "k has no names"):
                f(np.float32([1, 2]))
            self.assertEqual(f(k).tolist(), [2, 2, 2])
            self.assertEqual(f.infer(k="float32[]"), {"out": "float32(x:s=3)"})

    def test_infer_beside_types(self):
        """A type given besides is of the same sort and agrees in what both say, order included (rule 8.3)."""
        f = weft.compile("u + 1", types={"u": "(x:s, b:b)"})
        for given, wanted in [("float32(x:s=2, b:b=3)", "float32(b:b=3, x:s=2)"), ("int8", "int32(b:b, x:s)"),
                              ("int8(x:s, b:b)", "int32(b:b, x:s)"), (self.u, "float32(b:b=3, x:s=2)")]:
            self.assertEqual(f.infer(u=given), {"out": wanted})
        for given, message in [("float32[2, 3]", "names its dimensions, the type beside it does not"),
                               ("float32(b:b, x:s)", "dimension 0 is b of kind batch, and x of kind spatial"),
                               ("float32(x:s, c:c)", "dimension 1 is c of kind channel"),
                               ("float32(x:s)", r"expected \(x:s, b:b\)")]:
            with self.assertRaisesRegex(weft.Error, message):
                f.infer(u=given)
            with self.assertRaisesRegex(weft.Error, message):
                f.source("types", u=given)
        f = weft.compile("x * k", types={"x": "float32[n, 3]"})
        self.assertEqual(f.infer(x="float32[5, 3]", k=2.0), {"out": "float32[5, 3]"})
        for given in "float32[3]", "float32[5, 2]", "int8[5, 3]":
            with self.assertRaisesRegex(weft.Error, "expected"):
                f.infer(x=given, k=2)

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
        with self.assertRaisesRegex(weft.Error, r"the type of an input is .*as in types=\{'u': '\(y, x\)'\}"):
            weft.evaluate("u + 1", u=self.u, types={"u": ["y", "x"]})
        weft.evaluate("u.x[1:]", u=self.u, types={"u": "(y, x)"})

    def test_names_in_other_places(self):
        """What the message says to write runs."""
        u, v = self.u[:, :1], np.float32([[1, 2]])
        for text, advice, then in [("concat(u, u, x)", "as in axis=x", "concat(u, u, axis=x)"),
                                   ("squeeze(u, axis=x)", r"goes by u\.x\[0\];", "u.x[0]"),
                                   ("expand_dims(u, z)", r'is added by broadcast_to\(u, "z:s=1"\);',
                                    'broadcast_to(u, "z:s=1")'),
                                   ("pad(u, x, 1)", "is not given.*; if 'x' is a dimension, write axes=x",
                                    "pad(u, 1, axes=x)"),
                                   ("v.vector[w]", r"is not given.*; if 'w' is a label, write \.vector\['w'\]",
                                    "v.vector['w']")]:
            name = "v" if "vector" in text else "u"
            given, types = {name: {"u": u, "v": v}[name]}, {name: {"u": "(y, x)", "v": "(x, vector:c=(u,w))"}[name]}
            with self.subTest(text), self.assertRaisesRegex(weft.Error, advice):
                weft.evaluate(text, given, types=types)
            weft.evaluate(then, given, types=types)


if __name__ == "__main__":
    unittest.main()
