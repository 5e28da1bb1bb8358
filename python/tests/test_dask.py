"""weft.dask against dask's own operations and weft.evaluate on the whole."""
import pathlib
import pickle
import re
import subprocess
import sys
import unittest

import numpy as np

import support
import weft

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Absent(unittest.TestCase):
    def test_what_to_install(self):
        """Where dask cannot be imported."""
        code = "import sys; sys.modules['dask'] = None; import weft; weft.dask"
        result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=None)
        self.assertIn("pip install 'dask[array]'", result.stderr)
        self.assertEqual(result.returncode, 1)

    def test_names(self):
        """The rows of the language's table are those that count as elementwise."""
        table = ROOT / "grammar/ops.def"
        if not table.is_file():
            self.skipTest("there is no table of operations beside the tests")
        code = (ROOT / "python/weft/dask.py").read_text(encoding="utf-8")
        names = set(re.search(r'ELEMENTWISE = frozenset\("""(.*?)"""', code, re.DOTALL)[1].split())
        text = table.read_text(encoding="utf-8")
        rows = {name.lower() for name, kind in re.findall(r'^OP\(([A-Z0-9_]+), "[^"]*", ([A-Z]+)', text, re.MULTILINE)
                if kind != "INTERNAL"}
        self.assertGreater(len(rows), 60)
        self.assertEqual(rows - names, set())
        self.assertEqual(names - rows, {"cast", "wrap", "literal", "input", "binding"})


class Arrays(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.da = support.optional("dask.array")
        import weft.dask

    def same(self, text, **values):
        got = weft.dask.evaluate(text, values)
        expected = weft.evaluate(text, {name: value.compute() if hasattr(value, "compute") else value
                                        for name, value in values.items()})
        self.assertEqual((got.dtype, got.shape), (expected.dtype, expected.shape), text)
        result = got.compute(scheduler="threads")
        self.assertEqual(result.dtype, expected.dtype)
        np.testing.assert_array_equal(result, expected)
        return got

    def test_blocks(self):
        x = self.da.from_array(np.arange(35.0).reshape(5, 7), chunks=(2, 3))
        y = self.da.from_array(np.arange(7, dtype=np.uint8), chunks=4)
        z = self.da.from_array(np.arange(5, dtype=np.float32).reshape(5, 1), chunks=(3, 1))
        got = self.same("x * y + z", x=x, y=y, z=z)
        self.assertEqual(got.chunks, (x * y + z).chunks)
        self.same("min(x, y, 3) + max(x, y)", x=x, y=y)
        self.same("u = x + 1; where(u > 4, float32(u), -z)", x=x, z=z)
        self.same("uint8(y + y)", y=y)
        self.same("x + w + k", x=x, w=np.arange(7), k=0.5)
        self.same("x * s", x=x, s=np.float32(2))
        self.assertEqual(weft.dask.evaluate("y * k", y=y, k=0.1).dtype, np.float32)

    def test_types(self):
        for name in "bool int8 uint16 int64 uint64 float16 float32 float64".split():
            x = self.da.from_array(np.array([0, 1, 1, 0, 1], name), chunks=2)
            self.same("where(x == x, x, x)", x=x)
            self.same("x / 2", x=x)

    def test_lazy(self):
        """Nothing is computed before it is asked for, or to find out a type."""
        def refuse(block):
            raise AssertionError("computed")
        x = self.da.ones((4,), chunks=2).map_blocks(refuse, dtype=np.float64, meta=np.empty(0))
        y = weft.dask.evaluate("x + 1")
        self.assertEqual((y.dtype, y.chunks), (np.float64, ((2, 2),)))
        with self.assertRaises(AssertionError):
            y.compute(scheduler="sync")

    def test_unknown_chunks(self):
        x = self.da.from_array(np.arange(10), chunks=5)
        x = x[x > 3]
        np.testing.assert_array_equal(weft.dask.evaluate("x * 2").compute(), np.arange(4, 10) * 2)
        with self.assertRaisesRegex(weft.Error, "several chunks"):
            weft.dask.evaluate("flip(x)")

    def test_names_of_the_caller(self):
        x, k = self.da.ones(3, chunks=2), 2
        np.testing.assert_array_equal(weft.dask.evaluate("x * k").compute(), [2, 2, 2])
        np.testing.assert_array_equal(weft.dask.evaluate("math + 1", {"math": x}).compute(), [2, 2, 2])

    def test_keys(self):
        """Equal calls have equal keys, others do not."""
        x = self.da.ones(3, chunks=2)
        first, again, other = (weft.dask.evaluate("x * k", x=x, k=k) for k in (2, 2, 3))
        self.assertEqual(first.name, again.name)
        self.assertNotEqual(first.name, other.name)
        self.assertNotEqual(first.name, weft.dask.evaluate("x + k", x=x, k=2).name)

    def test_tasks_can_be_sent(self):
        x = self.da.ones(3, chunks=2)
        y = weft.dask.evaluate("x + k", k=1)
        graph = pickle.loads(pickle.dumps(dict(y.__dask_graph__())))
        self.assertEqual(set(graph), set(dict(y.__dask_graph__())))

    def test_across_chunks(self):
        x = self.da.from_array(np.arange(12.0).reshape(3, 4), chunks=2)
        for text in ("x / sum(x)", "min(x)", "x - max(x, axes=0)", "flip(x)", "where(index(x, 0) > 1, x, 0)",
                     "x[1:] - x[:-1]", "reshape(x, 12)", "x * [1, 2, 3, 4]", "softmax(x)", "u = transpose(x); u + 1",
                     "x * extent(x, 0)", "any(x)", "all(x, axes=1)", "argmin(x)", "std(x)", "vecdot(x, x)",
                     "take(x, 1)", "mean(x)", "concat(x, x)", "x + arange(4)", "x + linspace(0, 1, 4)", "norm(x)",
                     "count_nonzero(x)"):
            with self.assertRaisesRegex(weft.Error, "reads elements of several chunks; rechunk"):
                weft.dask.evaluate(text, x=x)
            self.same(text, x=x.rechunk(-1))
        with self.assertRaisesRegex(weft.Error, r"'sum\(x\)' reads"):
            weft.dask.evaluate("x / sum(x)", x=x)

    def test_deep(self):
        """A reduction below what the tree shows by indentation."""
        x = self.da.ones(4, chunks=2)
        with self.assertRaisesRegex(weft.Error, r"'min\(x\)' reads"):
            weft.dask.evaluate("-" * 200 + "min(x)", x=x)
        self.same("-" * 200 + "min(x, 0)", x=x)

    def test_refused(self):
        x = self.da.ones(3, chunks=2)
        for message, text, values in (("no input 'y'", "x + 1", {"y": 1}), ("'nowhere' is not", "nowhere + 1", {}),
                                      ("computes one", "return x, x + 1", {}), ("none of the in", "k + 1", {"k": 2}),
                                      ("is of type list", "x + y", {"y": [x]}), ("no function 'clmap'", "clmap(x)", {}),
                                      ("bitwise|float", "x & 1", {})):
            with self.assertRaisesRegex(weft.Error, message):
                weft.dask.evaluate(text, values)
        with self.assertRaises(ValueError):
            weft.dask.evaluate("x + y", x=x, y=self.da.ones(4, chunks=2))


if __name__ == "__main__":
    unittest.main()
