"""weft.dask against dask's own operations and weft.evaluate on the whole."""
import functools
import os
import pathlib
import pickle
import re
import subprocess
import sys
import unittest
import warnings

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
        code = (ROOT / "python/weft/_dask_engine.py").read_text(encoding="utf-8")
        names = set(re.search(r'ELEMENTWISE = frozenset\("""(.*?)"""', code, re.DOTALL)[1].split())
        text = table.read_text(encoding="utf-8")
        rows = {name.lower() for name, kind in re.findall(r'^OP\(([A-Z0-9_]+), "[^"]*", ([A-Z]+)', text, re.MULTILINE)
                if kind != "INTERNAL"}
        self.assertGreater(len(rows), 60)
        self.assertEqual(rows - names, set())
        self.assertEqual(names - rows, {"cast", "wrap", "literal", "input", "binding", "array"})
        rows = {}
        for table in "views", "reductions":
            found = re.findall(r'^(?:VIEW|REDUCTION)\(\w+, (\w+), "([^"]*)", "([^"]*)"',
                               (ROOT / f"grammar/{table}.def").read_text(encoding="utf-8"), re.MULTILINE)
            rows.update((name, (parameters, kinds)) for name, parameters, kinds in found)
        self.assertGreater(len(rows), 40)
        known = re.findall(r'^    \("(\w+)", "([^"]*)", "([^"]*)"\),', code, re.MULTILINE)
        self.assertEqual({name: (parameters, kinds) for name, parameters, kinds in known}, rows)


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

    def test_full_values(self):
        """A literal of isclose is a double, written there or bound to a name."""
        x = self.da.from_array(np.array([0.1, float(np.float32(0.1)), 0.2]), chunks=2)
        for text in ("isclose(x, 0.1, rtol=0, atol=0)", "z = 0.1; isclose(x, z, rtol=0, atol=0)",
                     "z = 0.1; y = z; isclose(x, y, atol=0, rtol=0)"):
            self.same(text, x=x)
            self.assertEqual(weft.dask.evaluate(text, x=x).compute().tolist(), [True, False, False])

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
        for text in "flip(x)", "sum(x)", "x[1:]", 'offset(x, 1, "edge")', "x * extent(x, 0)":
            with self.assertRaisesRegex(weft.Error, r"chunks are of unknown sizes; call x.compute_chunk_sizes\(\)"):
                weft.dask.evaluate(text)
        x.compute_chunk_sizes()
        np.testing.assert_array_equal(weft.dask.evaluate("flip(x)").compute(), np.arange(4, 10)[::-1])

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

    def test_one_chunk(self):
        """What reads anywhere needs one chunk."""
        x = self.da.from_array(np.arange(12.0).reshape(3, 4), chunks=2)
        i = np.array([[0, 1], [2, 3]])
        for text, advice in (("gather(x, i)", r"x.rechunk\({0: -1, 1: -1}\)"), ("nonzero(x, 5)", r"x.rechunk\(-1\)"),
                             ("scatter(x, i, 1)", r"x.rechunk\(-1\)"),
                             ("sample(x, float64(i), axes=[0, 1])", r"x.rechunk\({0: -1, 1: -1}\)"),
                             ("take(x, int32(x[0]), axis=1)", r"x.rechunk\({1: -1}\)")):
            values = {name: value for name, value in (("x", x), ("i", i)) if name in weft.compile(text).inputs}
            with self.assertRaisesRegex(weft.Error, advice):
                weft.dask.evaluate(text, values)
            self.same(text, **{name: value.rechunk(-1) if value is x else value for name, value in values.items()})

    def test_chunks_stay(self):
        """Neighbours and selections keep the chunks inside."""
        x = self.da.ones((40, 60), chunks=(10, 20))
        for text in 'correlate(x, [[1, 2, 1], [1, 1, 1]], "edge")', "flip(x)", "x * 2", "transpose(transpose(x))":
            self.assertEqual(weft.dask.evaluate(text).chunks, x.chunks)
        self.assertEqual(weft.dask.evaluate("x[5:, 1]").chunks, ((5, 10, 10, 10),))
        self.assertEqual(weft.dask.evaluate("mean(x, axes=0)").chunks, ((20, 20, 20),))

    def test_remark(self):
        x = self.da.from_array(np.arange(4), chunks=2)
        with self.assertWarnsRegex(weft.Remark, "a position lies outside"):
            got = weft.dask.evaluate("take(x, [1, 7])")
        np.testing.assert_array_equal(got.compute(), [1, 0])

    def test_losses(self):
        """Told once, of the text as it was written, where the graph is made, and not again by its tasks."""
        a = self.da.from_array(np.array([200, 40], np.uint8), chunks=1)
        img = self.da.zeros((48, 64, 3), chunks=(24, 64, 3), dtype=np.float32)
        for text, values, code in (("(a+a)/2", {"a": a}, "W0312"), ("offset(img, [1, 0])", {"img": img}, "W0314")):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                weft.dask.evaluate(text, values).compute(scheduler="threads")
            told = [one for one in told if one.category is weft.Remark]
            self.assertEqual([code in str(one.message) and text in str(one.message) for one in told], [True])
            self.assertEqual(told[0].filename, __file__)

    def test_deep(self):
        """A reduction below what the tree shows by indentation."""
        x = self.da.ones(4, chunks=2)
        self.same("-" * 200 + "min(x)", x=x)
        self.same("-" * 200 + "min(x, 0)", x=x)

    def test_refused(self):
        x = self.da.ones(3, chunks=2)
        for message, text, values in (("no input 'y'", "x + 1", {"y": 1}), ("'nowhere' is not", "nowhere + 1", {}),
                                      ("none of the in", "k + 1", {"k": 2}),
                                      ("compute\\(\\) that first", "x[s:]",
                                       {"s": self.da.arange(1, chunks=1)[0]}),
                                      ("no array of dask", "correlate(x, x)", {}),
                                      ("cannot broadcast", "x + z", {"z": np.ones(5)}),
                                      ("out of range", "x[i]", {"i": np.int64(3)}),
                                      ("has the dtype complex128", "x * z", {"z": x.astype(complex)}),
                                      ("is of type list", "x + y", {"y": [x]}), ("no function 'clmap'", "clmap(x)", {}),
                                      ("bitwise|float", "x & 1", {})):
            with self.assertRaisesRegex(weft.Error, message):
                weft.dask.evaluate(text, values)
        with self.assertRaises(ValueError):
            weft.dask.evaluate("x + y", x=x, y=self.da.ones(4, chunks=2))

    def test_several_results(self):
        x = self.da.from_array(np.arange(12.0).reshape(3, 4), chunks=2)
        got = weft.dask.evaluate("m = mean(x, axes=0); return m, low = x - m, top = max(x)")
        self.assertEqual(got.names, ("m", "low", "top"))
        import dask
        m, low, top = dask.compute(*got, scheduler="sync")
        np.testing.assert_array_equal(m, [4, 5, 6, 7])
        np.testing.assert_array_equal(low, np.arange(12.0).reshape(3, 4) - m)
        self.assertEqual(top, 11)


class Agreement(unittest.TestCase):
    """Values, bits and all, are those of the whole arrays."""

    @classmethod
    def setUpClass(cls):
        cls.da = support.optional("dask.array")
        import weft._dask_tasks
        import weft.dask
        cls.context = weft.Context(threads=1, cc="libtcc", cache="")  # of both, since exp is not exact
        weft._dask_tasks.contexts[os.getpid()] = cls.context

    @classmethod
    def tearDownClass(cls):
        weft._dask_tasks.contexts.clear()

    def agree(self, text, whole, chunked, types=None, rules=None):
        names = weft.compile(text, types=types, rules=rules).inputs
        with warnings.catch_warnings(), weft.use(self.context):
            warnings.simplefilter("ignore", weft.Remark)
            expected = weft.evaluate(text, {name: whole[name] for name in names}, types=types, rules=rules)
            got = weft.dask.evaluate(text, {name: chunked[name] for name in names}, types=types, rules=rules)
            one = isinstance(got, self.da.Array)
            for lazy, value in zip([got] if one else got, [expected] if one else expected):
                self.assertIsInstance(lazy, self.da.Array)
                self.assertEqual((lazy.dtype, lazy.shape), (value.dtype, value.shape), text)
                result = np.asarray(lazy.compute(scheduler="sync"))
                self.assertEqual((result.dtype, result.shape), (value.dtype, value.shape), text)
                self.assertEqual(result.tobytes(), np.ascontiguousarray(value).tobytes(), f"{rules} {text}")


class Programs(Agreement):
    def test_positional(self):
        """All under the rules of DALI, a third under NumPy's."""
        make = np.random.default_rng(0)
        x = make.standard_normal((37, 70)).astype(np.float32)
        y, z = make.standard_normal(70), make.standard_normal((5, 37, 70, 3)).astype(np.float32)
        i8 = make.integers(0, 255, (37, 70)).astype(np.uint8)
        numbers = {"k": np.float32([[1, 2, 1], [2, 4, 2], [1, 2, 1]]), "pos": np.array([[3, 1], [0, 2]]), "n": 3,
                   "n0": np.int64(4), "f": 0.1}
        of = self.da.from_array
        whole = {"x": x, "y": y, "z": z, "i8": i8, **numbers}
        chunked = {"x": of(x, chunks=(10, 16)), "y": of(y, chunks=13), "z": of(z, chunks=(2, 20, 40, 2)),
                   "i8": of(i8, chunks=(20, 50)), **numbers}
        for position, text in enumerate(POSITIONAL.strip().split("\n")):
            with self.subTest(text):
                self.agree(text.strip(), whole, chunked)
                if position % 3 == 0:
                    self.agree(text.strip(), whole, chunked, rules="numpy")

    def test_named(self):
        make = np.random.default_rng(0)
        arrays = {"u": make.standard_normal((3, 20, 30)).astype(np.float32),
                  "v": make.standard_normal((30, 2)).astype(np.float32), "w": make.standard_normal(20),
                  "k": np.float32([[1, 2, 1], [2, 4, 2]]), "n": 2}
        types = {"u": "(b:b, y:s, x:s)", "v": "(x:s, vector:c=(a,'b b'))", "w": "(y:s)", "k": "(x:s=2, y:s=3)"}
        chunks = {"u": (2, 7, 11), "v": (13, 1), "w": 6}
        chunked = {name: self.da.from_array(array, chunks=chunks[name]) if name in chunks else array
                   for name, array in arrays.items()}
        for text in NAMED.strip().split("\n"):
            with self.subTest(text):
                used = {name: each for name, each in types.items() if re.search(rf"\b{name}\b", text)}
                self.agree(text.strip(), arrays, chunked, used)

    def test_types(self):
        """Reductions of all types, with NaN, both zeros, and integers whose sum is beyond 64 bits."""
        for name in "bool int8 uint8 int16 uint32 int64 uint64 float16 float32 float64".split():
            for few in (False, True) if "float" in name else (False,):
                make = np.random.default_rng(1)
                high = np.iinfo(name).max if name[-1].isdigit() and "float" not in name else 2
                x = make.integers(0, high, (9, 50), dtype=np.uint64, endpoint=True).astype(name)
                if "float" in name:
                    x = (make.standard_normal((9, 50)) * 100).astype(name)
                    x[2, 3] = np.nan if few else -0.0
                    x[4:6] = 0
                values = {"x": x}, {"x": self.da.from_array(x, chunks=(4, 20))}
                for text in ("sum(x)", "mean(x, axes=0)", "prod(x, axes=1)", "std(x)", "argmax(x, axes=0)", "argmin(x)",
                             "min(uint8(x), axes=1)", "max(x + 0.0)", "norm(x, axes=1)", "count_nonzero(x)", "any(x)",
                             "vecdot(x, x)", "logsumexp(x / 64)"):
                    with self.subTest(text, type=name, nan=few):
                        self.agree(text, *values)

    def test_sums(self):
        """The order of rule 11.4 over chunks of any sizes, and of sizes that blocks of 1024 fit."""
        make = np.random.default_rng(2)
        for size in 5, 17, 1023, 1024, 1030, 5000, 40000:
            x = (make.standard_normal((size, 2)) * 1e3).astype(np.float32)
            for count in 2, 3, 9, 40:
                for unit in 1, 1024:
                    cuts = sorted({0, size, *(make.integers(0, size // unit + 1, count - 1) * unit).tolist()})
                    chunks = (tuple(np.diff(cuts).tolist()), 1)
                    values = {"x": x}, {"x": self.da.from_array(x, chunks=chunks)}
                    self.agree("return sum(x, axes=0), mean(x), prod(1 + x / 1e7, axes=0)", *values)

    def test_order(self):
        """Parts that are joined in any grouping have the bits of the rule's own program in docs/language.md."""
        from weft import _dask_sums as sums
        text = (ROOT / "docs/language.md").read_text(encoding="utf-8") if (ROOT / "docs/language.md").is_file() else ""
        match = re.search(r"```python\n(def order.*?)```", text, re.DOTALL)
        if not match:
            self.skipTest("there is no rule beside the tests")
        space = {}
        exec(match[1], space)
        make = np.random.default_rng(3)
        for trial in range(60):
            size = int(make.choice([1, 3, 16, 100, 1024, 1025, 3000, 9000]))
            x = (make.standard_normal(size) * 1e3).astype(np.float32)
            cuts = sorted({0, size, *make.integers(0, size + 1, 6).tolist()})
            parts = [sums.part_of(x[a:b], a, np.add) for a, b in zip(cuts, cuts[1:])]
            while len(parts) > 1:
                step = int(make.integers(2, 5))
                parts = [functools.reduce(lambda a, b: sums.join_parts(a, b, np.add), parts[i:i + step])
                         for i in range(0, len(parts), step)]
            self.assertEqual(sums.finish(parts[0], np.add), space["order"](list(x), lambda a, b: a + b), (size, cuts))

    def test_rules_of_the_context(self):
        x = self.da.from_array(np.arange(5, dtype=np.int32), chunks=2)
        with weft.use(weft.Context(rules="numpy")):
            lazy = weft.dask.evaluate("mean(x) + x / 2")
        self.assertEqual(lazy.dtype, np.float64)
        self.assertEqual(lazy.compute().dtype, np.float64)
        self.assertEqual(weft.dask.evaluate("rules numpy; x / 2").compute().dtype, np.float64)

    def test_kernel(self):
        x = np.arange(12.0).reshape(3, 4)
        text = "kernel f(x: float64[h, w],\n k: number) -> float64 {\n u = x[1:] * k  # twice\n return u - mean(u) }"
        self.agree(text, {"x": x, "k": 2}, {"x": self.da.from_array(x, chunks=2), "k": 2})

    def test_names_that_are_like_its_own(self):
        values = {name: self.da.ones((4, 3), chunks=2) * i for i, name in enumerate(("v0", "literal3", "x", "k"))}
        text = "v1 = sum(x); v0 + literal3 * [1, 2, 3] + v1 * mean(k)"
        np.testing.assert_array_equal(weft.dask.evaluate(text, values).compute(),
                                      np.broadcast_to(np.arange(1, 4) + 24.0 * 3, (4, 3)))

    def test_single_integers(self):
        """Of a tensor's type, not a number's, where they are no sizes."""
        x, s = self.da.from_array(np.arange(5, dtype=np.int8), chunks=2), np.int64(2)
        for text in "stack(x[s], s)", "x[s:] * s", "x[:s + 1] + s", "where(x > s, x, s)":
            self.agree(text, {"x": x.compute(), "s": s}, {"x": x, "s": s})

    def test_fast(self):
        """Another order is free to choose, and rechunks nothing."""
        x = np.random.default_rng(4).random((200, 300))
        lazy = weft.dask.evaluate("sum(x)", x=self.da.from_array(x, chunks=50), math="fast")
        self.assertFalse([key for key in lazy.__dask_graph__() if "rechunk-split" in str(key)])
        np.testing.assert_allclose(lazy.compute(), x.sum(), rtol=1e-12)

    def test_xarray(self):
        xarray = support.optional("xarray")
        u = xarray.DataArray(np.random.default_rng(0).random((6, 8)).astype(np.float32), dims=("time", "x"),
                             coords={"time": np.arange(6) * 10.0, "x": list("abcdefgh")})
        chunked = u.copy(data=self.da.from_array(u.values, chunks=(2, 3)))
        for text in ("u - mean(u, time)", "u.x[1:] - u.x[:-1]", "u.x['b,a']", "sum(u)", "offset(u, 1, 'edge', time)",
                     "return p = u * 2, q = max(u, axes=x)"):
            got, expected = weft.dask.evaluate(text, u=chunked), weft.evaluate(text, u=u)
            pairs = [(got, expected)] if text[:6] != "return" else zip(got, expected)
            for lazy, value in pairs:
                self.assertIsInstance(lazy.data, self.da.Array, text)
                self.assertTrue(lazy.compute().identical(value), text)

    def test_tensors(self):
        from weft import math
        from weft.math import backend, batch, channel, spatial
        data = np.random.default_rng(0).standard_normal((6, 20, 30)).astype(np.float32)
        whole = math.wrap(data, batch("b"), spatial("y,x"))
        lazy = math.wrap(self.da.from_array(data, chunks=(2, 7, 11)), batch("b"), spatial("y,x"))
        self.assertIs((lazy * 2).default_backend, backend.DASK)
        for function in (lambda t: t * 2 - 1, math.mean, lambda t: math.sum(t, "x"), lambda t: t.x[1:] - t.x[:-1],
                         lambda t: math.mean(math.sqrt(math.abs(t)), "y,b"), math.laplace, math.spatial_gradient,
                         lambda t: math.stack([t.x[1], t.x[2]], channel(vector="a,b")),
                         lambda t: math.pad(t, {"x": (1, 2)}, math.extrapolation.PERIODIC),
                         lambda t: weft.evaluate("t - mean(t, x)", t=t)):
            got, expected = function(lazy), function(whole)
            self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
            order = ",".join(expected.shape.names)
            self.assertIsInstance(got.native(order), self.da.Array)
            np.testing.assert_array_equal(got.numpy(order), expected.numpy(order))
        self.assertEqual(weft.dask.evaluate("t - mean(t, x)", t=lazy).shape, whole.shape)
        with self.assertRaisesRegex(weft.Error, "no tensor is one of dask's"):
            weft.dask.evaluate("t + 1", t=whole)

class Cases(Agreement):
    """The cases of tests/eval whose inputs are arrays, each dimension in two chunks: every 12th, in the layer full all.
    A program may be refused, as gather of several chunks is; what is computed is right."""

    def test_eval(self):
        directory = ROOT / "tests/eval"
        if not directory.is_dir():
            self.skipTest("there are no cases beside the tests")
        support.optional("ml_dtypes")
        sys.path[:0] = [str(directory), str(directory.parent)]
        import run_eval
        cases = [case for path in sorted(directory.glob("*.txt")) for case in run_eval.parse(path)
                 if not isinstance(case, str) and case.results and not case.file]
        self.assertGreater(len(cases), 1000)
        done = 0
        for case in cases if os.environ.get("WEFT_LAYER") == "full" else cases[::12]:
            text, (whole, types) = "\n".join(case.program), self.inputs(case.arguments)
            lazy = {name: self.da.from_array(value, chunks=tuple(max((extent + 1) // 2, 1) for extent in value.shape))
                    if isinstance(value, np.ndarray) and value.size and value.ndim else value
                    for name, value in whole.items()}
            if not any(isinstance(value, self.da.Array) for value in lazy.values()) or \
                    not self.runs(text, whole, types):
                continue
            with self.subTest(case.where, text=text):
                try:
                    self.agree(text, whole, lazy, types or None)
                    done += 1
                except weft.Error as error:
                    self.assertRegex(error.message, "in several chunks|elements of several chunks|has to be known|"
                                                    "an array in memory|compute|fits neither")
        self.assertGreater(done, 60)

    def runs(self, text, whole, types):
        """Python's values are not the command's in all cases."""
        with warnings.catch_warnings(), weft.use(self.context):
            warnings.simplefilter("ignore", weft.Remark)
            try:
                return weft.evaluate(text, whole, types=types or None) is not None
            except weft.Error:
                return False

    def inputs(self, arguments):
        """Values and types by name of arguments of the command; {} where one is of another kind."""
        values, types = {}, {}
        for argument in arguments:
            match = re.fullmatch(r"(\w+)(?::([^=]*?(?:\([^=]*?(?:=.*?)?\))?))?(?:@(\w+))?=(.*)", argument, re.DOTALL)
            if not match:
                return {}, {}
            name, kind, layout, value = match.groups()
            dtype = re.match(r"\w+", kind or "")
            text = f"{dtype[0]}({value})" if dtype and dtype[0] != "number" else value
            try:
                values[name] = np.asarray(value == "true" if text in ("true", "false") else weft.evaluate(text))
            except weft.Error:  # the command converts element by element
                return {}, {}
            if dtype and dtype[0] == "number":
                values[name], kind = values[name].item(), None
            if kind and ("(" in kind or "@" in kind):
                types[name] = kind
            if layout:
                types[name] = f"{values[name].dtype.name}@{layout}"
        return values, types


class Processes(unittest.TestCase):
    def test_killed(self):
        """Four workers that share a cache, one of which is killed; scripts/soak dask has more than their memory."""
        support.optional("distributed")
        script = pathlib.Path(__file__).parent / "large_dask.py"
        result = subprocess.run([sys.executable, str(script), "--memory", "400", "--times", "0.1"], capture_output=True,
                                text=True, timeout=200)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertIn("have the bits of one process", result.stdout)

    def test_programs_pickle(self):
        f = pickle.loads(pickle.dumps(weft.compile("x - mean(x, axes=0)", rules="numpy")))
        np.testing.assert_array_equal(f(np.arange(4)), [-1.5, -0.5, 0.5, 1.5])


POSITIONAL = """
    x + y
    sum(x)
    x / sum(x, axes=0)
    mean(i8)
    x - mean(z, axes=[0,3])
    x[1:] - x[:-1]
    x[::-1, n]
    x[..., None, -n0]
    x[[3,1,-1]]
    x[pos]
    std(x)
    var(i8, axes=1, ddof=1, keepdims=true)
    norm(x, axes=-1)
    logsumexp(x, axes=0)
    softmax(x)
    softmax(x, axis=0)
    argmax(x)
    argmin(x, axes=1)
    argmax(z, axes=[1,3])
    vecdot(x, y)
    vecdot(i8, 2)
    min(x, axes=0)
    max(x)
    min(x, 0.5)
    any(x > 3, axes=1)
    count_nonzero(i8 > 100)
    prod(x, axes=0)
    offset(x, 1)
    offset(x, [1,-2], "edge")
    offset(x, [40,-2], ["reflect", 3])
    offset(x, 100, "symmetric", axes=0)
    pad(x, 3, "wrap")
    pad(x, [[-1,2],[0,30]], 7)
    correlate(x, [[1,2,1],[2,4,2],[1,2,1]], "edge") / 16
    correlate(x, k, "reflect")
    correlate(x, k)
    correlate(x, k, "valid")
    convolve(i8, [1,2,3,4], "wrap")
    correlate(z, [1,0.5,1], "symmetric", axes=[1])
    concat(x, i8)
    concat(x, x*2, axis=1)
    stack(x, i8, axis=-1)
    concat(y, [0.1, 0.2])
    transpose(x) + 1
    transpose(z, [3,0,1,2])
    flip(x, 0) + roll(x, 7)
    roll(x, [3,-5], axes=[0,1])
    tile(x, [2,3])
    repeat(x, 3, 1)
    broadcast_to(y, [4, 70]) * 2
    reshape(x, [70, 37])
    reshape(x, [-1]) * 3
    expand_dims(x, axes=[0, 2])
    squeeze(expand_dims(x, axes=[0]), axes=[0])
    reinterpret(x, int32) & 255
    reinterpret(x, uint8)
    x * index(x, 0) + index(x, 1)
    where(index(x, 1) > n, x, f)
    y + arange(70)
    y * linspace(0, 1, 70)
    x + random(x, 7)
    random_normal(x, n, stream=2)
    x[:, 0] * extent(x, 1)
    z * [0.1, 0.2, 0.3]
    u = x * f; v = sum(u, axes=0); u - v
    return a = x[0], b = sum(x), y
    a = x[1:]; b = [1,2,3]; return c = a - 1, z * b
    take(x, [5, 2, -1], axis=1)
    take([10,20,30], uint8(i8 > 100))
    gather([[1,2],[3,4]], stack(int32(i8 > 50), int32(x > 0), axis=-1))
    (x + i8)[2:5, 3]
    x[n:n+5, extent(x, 1) // 2:]
    input x: float32@HW; mean(x, axes="H")
    input x: float32@HW; transpose(x, "WH")
    mean_square(x) + rms(x, axes=0)
    sum(x, keepdims=true)
    all(x > -9)
    -x ** 2 if i8 > 3 else x
    sum(where(x > 0, x, 0), axis=(0, 1))
    x[1:3][0]
    max(x=x, axes=[0])
    mean(float16(x))
    sum(bfloat16(x), axes=0)
    sum(float64(x) * 1e300)
    std(float16(x), axes=1)
"""
NAMED = """
    u - v
    mean(u)
    u - mean(u, x)
    sum(u, spatial)
    sum(u, "x,y")
    u.x[1:] - u.x[:-1]
    u.y[n].x[::-1]
    v.vector['a']
    v.vector['b b,a']
    v.vector['b b'] * w
    softmax(v)
    softmax(v, x)
    vecdot(v, v)
    vecdot(u, w, y)
    index(u, y) * w
    u * extent(u, x)
    flip(u, x)
    roll(u, 3, x)
    transpose(u, [x, b, y])
    unnamed(u, [x, b, y]) + 1
    rename(u, x, "z:i") * 2
    offset(w, 1, "edge")
    offset(u, [1, -2], "wrap", [y, x])
    pad(w, 2, "reflect")
    pad(u, 1)
    correlate(u, k, "edge")
    correlate(w, [1, 2, 1], "wrap")
    v * [1, 10]
    concat(w, w * 2, axis=y)
    concat(u, w, axis=y)
    stack(u, w, axis="c:c=(p,q)")
    broadcast_to(w, "z:s=7")
    u.x[[1,2,5]]
    argmax(u, x)
    std(u, [y])
    norm(v, vector)
    random(u, 3)
    named(unnamed(w,[y]), "q:s")
    u.x[n:extent(u, x) // 2]
    repeat(w, 2, y)
    sum(u)
    concat(v.vector['a'], 3 * v.vector['b b'], axis=x)
"""

if __name__ == "__main__":
    unittest.main()
