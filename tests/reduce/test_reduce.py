"""Reductions against reference.py: every function, type, choice of axes, stride and number of threads."""
import itertools
import os
import random
import sys
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import reference
import sample
import weft

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64"]
NAMES = ["sum", "mean", "prod", "min", "max", "any", "all", "argmin", "argmax", "var", "std", "count_nonzero", "norm",
         "mean_square", "rms"]
SHAPES = [(), (1,), (7,), (17,), (1025,), (5, 3), (3, 70), (70, 3), (33, 40), (2, 3, 4), (8, 9, 5), (3, 1, 1040),
          (1500, 2), (2100, 70), (4, 1100, 3)]


def values(shape, dtype, rng):
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < 0.7
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = rng.random() < 0.5
        return rng.integers(max(info.min, -9 if small else info.min), 9 if small else info.max, shape, dtype, True)
    x = (rng.standard_normal(shape) * rng.choice([0.001, 1, 30], shape)).astype(dtype)
    x = np.asarray(x)
    if rng.random() < 0.3 and x.size:
        x.flat[rng.integers(x.size)] = rng.choice([np.nan, np.inf, -0.0])
    return np.where(rng.random(shape) < 0.1, dtype.type(rng.choice([0.0, -0.0])), x).astype(dtype)


def strided(x, how):
    """The same values, lying otherwise."""
    if how == "turned":
        return np.ascontiguousarray(x.T).T
    if how == "backwards":
        return np.ascontiguousarray(x[(slice(None, None, -1),) * x.ndim])[(slice(None, None, -1),) * x.ndim]
    if how == "apart":
        wide = np.zeros([n * 2 for n in x.shape], x.dtype)
        wide[(slice(None, None, 2),) * x.ndim] = x
        return wide[(slice(None, None, 2),) * x.ndim]
    return x


def same(a, b):
    nan = np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    bits = lambda x: np.ascontiguousarray(x).reshape(-1).view(np.uint8).reshape(x.size, x.dtype.itemsize)
    return a.dtype == b.dtype and a.shape == b.shape and bool((nan.reshape(-1) | (bits(a) == bits(b)).all(1)).all())


class Reductions(unittest.TestCase):
    def check(self, seed, context=None):
        pick, rng = random.Random(seed), np.random.default_rng(seed)
        name, dtype, shape = pick.choice(NAMES), pick.choice(TYPES), pick.choice(SHAPES)
        if name in ("min", "max") and dtype == "bool":
            dtype = "int8"
        axes = pick.choice([c for n in range(len(shape) + 1) for c in itertools.combinations(range(len(shape)), n)])
        keepdims, ddof = pick.random() < 0.4, pick.choice([0, 1])
        x = strided(values(shape, dtype, rng), pick.choice(["dense", "turned", "backwards", "apart"]))
        ddof = ddof if name in ("var", "std") else 0
        text = f"{name}(x, axes={[a - pick.choice([0, len(shape)]) for a in axes]}" + \
               (f", ddof={ddof}" if ddof else "") + (", keepdims=true)" if keepdims else ")")
        expected = reference.reduce(name, x, axes, keepdims, ddof)
        found = np.asarray(weft.evaluate(text, {"x": x}, context=context) if context
                           else weft.evaluate(text, {"x": x}))
        if not same(found, expected):
            at = (found != expected) & ((found == found) | (expected == expected))
            self.fail(f"seed {seed}: {text} of {dtype}{list(shape)}: {found.dtype}{found.shape} {found[at][:4]}, not "
                      f"{expected.dtype}{expected.shape} {expected[at][:4]}")

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), sample.setting("WEFT_COUNT", 400)
        for seed in range(first, first + count):
            self.check(seed)

    def test_order_of_the_page(self):
        """The function that docs/language.md prints."""
        page = open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/language.md")).read()
        text = next(part for part in page.split("```python\n")[1:] if part.startswith("def order")).split("```")[0]
        printed = {}
        exec(text, printed)
        for count in (1, 2, 15, 17, 1023, 1025, 3000, 5000):
            x = values((count,), "float32", np.random.default_rng(count))
            x[~np.isfinite(x)] = 3
            found = np.asarray(weft.evaluate("sum(x)", {"x": x}))
            self.assertTrue(same(np.asarray(printed["order"](x, np.add)), found), count)

    def ways(self, text, x, slow, threads=(1, 2, 3)):
        """The same bits on every number of threads, from the same values in another order in memory, and by the way
        that stores all values."""
        expected = np.asarray(weft.evaluate(text, {"x": x}, context=slow))
        for count in threads:
            for how in ("dense", ("turned", "backwards", "apart")[x.size % 3]):
                found = np.asarray(weft.evaluate(text, {"x": strided(x, how)}, context=weft.Context(threads=count)))
                self.assertTrue(same(found, expected), f"{text} of {x.dtype}{x.shape}, {how}, on {count} threads")

    def test_batches(self):
        """Samples of unlike shapes, each as by itself."""
        rng = np.random.default_rng(5)
        shapes = [(3, 5), (1, 1), (70, 1100), (2, 20000), (1500, 33), (17, 16), (300, 3), (5, 64), (1, 0), (0, 4)]
        for text in ("sum(x, axes=1)", "mean((x - 1) ** 2, axes=0)", "std(x)", "argmax(x, axes=1)",
                     "x / norm(x, -1, true)"):
            samples = [values(shape, "float32", rng) for shape in shapes[:-2 if "arg" in text else None]]
            for x, found in zip(samples, weft.evaluate(text, {"x": samples})):
                alone = weft.evaluate(text, {"x": x})
                self.assertTrue(same(np.asarray(found), np.asarray(alone)), f"{text} of {x.shape}")

    def test_ways(self):
        """Blocks of several tiles, few and many neighbours, short and long reduced extents."""
        rng, slow = np.random.default_rng(3), without("reduce")
        cases = [((200000,), 0), ((3, 70001), 1), ((70000, 3), 0), ((66000, 2, 5), [0, 1]), ((2, 66000, 3), 1),
                 ((1100, 5000), 0), ((100000, 3), 1), ((300, 70, 64), [0, 2]), ((70000, 300), 0), ((3, 2500, 257), 1),
                 ((9, 20000), 0), ((20, 9000), 0), ((8, 3000), 0)]
        for (shape, axes), name in sample.chosen(itertools.product(cases, ("sum", "std", "argmax", "min"))):
            x = values(shape, "float32", rng)
            self.ways(f"{name}(x, axes={axes})", x, slow, (1, 3) if x.size < 10 ** 6 else (3,))

    def test_short_rows(self):
        """Rows of 2 to 513 elements, by themselves and beside an element for each row or column, or cut out of wider
        ones, in numbers that are no multiple of anything. Kernels depend on no length; without
        `expand` and `interleave` they join one row after the other."""
        rng, slow = np.random.default_rng(8), without("expand,interleave")
        lengths = [2, *range(4, 10), *range(15, 18), *range(31, 34), *range(63, 66), 100, 128, 129, 200, 201,
                   *range(255, 258), 512, 513]
        operands = {"x": lambda x: {}, "x * y": lambda x: {"y": x[:, :1] + 1}, "x + z": lambda x: {"z": x[0]}}
        names = "sum", "max", "argmax", "mean", "any", "std", "norm"
        for dtype, inside, name in sample.chosen(itertools.product(
                ("float32", "float64", "uint8", "int16", "int64", "float16"), (*operands, "wide"), names)):
            text = f"{name}({'x' if inside == 'wide' else inside}, axis=-1)"
            for length in lengths:
                x = values((rng.integers(17, 300), length + 3 * (inside == "wide")), dtype, rng)
                x = x[:, :length]
                given = {"x": x, **operands.get(inside, operands["x"])(x)}
                found, expected = (np.asarray(weft.evaluate(text, given, context=context))
                                   for context in (weft.default_context(), slow))
                self.assertTrue(same(found, expected), f"{text} of {dtype}{x.shape}")

    def test_rows_beside_numpy(self):
        """What the library joins or finds in rows of any length as it lies: few elements are true, all are but a few,
        or extremes come several times, in any place."""
        rng, context = np.random.default_rng(12), weft.Context(cc="libtcc")
        lengths = [*range(2, 20), *range(31, 36), *range(63, 67), 100, *range(127, 131), *range(255, 259), 513, 1000,
                   1025, 5000, 17000]
        names = {"any": np.any, "all": np.all, "max": np.max, "min": np.min, "argmax": np.argmax, "argmin": np.argmin}
        for dtype, (name, function) in sample.chosen(itertools.product(
                ("bool", "uint8", "int32", "int64", "float32", "float64"), names.items())):
            for length in lengths if dtype != "bool" or name[0] == "a" else ():
                rows = int(rng.integers(1, 4) if length > 3000 else rng.integers(1, 140))
                x = (rng.random((rows, length)) < rng.choice([0.01, 0.3, 0.99])).astype(dtype)
                if dtype != "bool" and rng.random() < 0.5:
                    x[x != 0] = rng.integers(1, 256 if dtype == "uint8" else 99999, np.count_nonzero(x)).astype(dtype)
                if dtype[0] == "f":
                    x[rng.random(x.shape) < 0.1] = rng.choice([np.nan, -0.0, -np.inf, 1e-44])
                found = np.asarray(weft.evaluate(f"{name}(x, axis=-1)", {"x": x}, context=context))
                expected = function(x, axis=-1)
                self.assertTrue(found.dtype.kind == expected.dtype.kind and
                                np.array_equal(found, expected, equal_nan=dtype[0] == "f" and name[0] == "m"),
                                f"{name} of {dtype}{x.shape}")

    def test_rows_of_several_blocks(self):
        """Sums of what is computed, of rows of one block and of several, in this order, since kernels depend on no
        length; beside an element for each row, rows that repeat, both, and rows of other groups."""
        rng, slow = np.random.default_rng(9), without("expand,interleave")
        texts = "norm(x, -1)", "sum(x * w, -1)", "sum((x - y) * w, -1)", "std(x, -1)", "sum((x - v) ** 2, -1)"
        for dtype, text in sample.chosen(itertools.product(("float32", "float64"), texts)):
            for length in (40, 512, 513, 1023, 1024, 1025, 1040, 1041, 2047, 2048, 3000, 5003, 9221, 32768, 33000):
                x = values((3, max(8, 3000 // length), length), dtype, rng)
                given = {"x": x, "y": x[:, :, :1] + 1, "w": x[0, 0], "v": x[:, :1]}
                given = {name: a for name, a in given.items() if name in text.replace("norm", "").replace("sum", "")}
                found, expected = (np.asarray(weft.evaluate(text, given, context=context))
                                   for context in (weft.default_context(), slow))
                self.assertTrue(same(found, expected), f"{text} of {dtype}{x.shape}")

    def test_types(self):
        """Narrow integers are added in few bits, as long as these hold the sum."""
        rng, slow = np.random.default_rng(4), without("reduce")
        dtypes = "bool", "int8", "uint8", "int16", "uint16", "int32", "uint64", "float16", "float64"
        shapes = ((70000,), 0), ((40000, 3), 0), ((5, 7000), 1), ((3000, 65), 0), ((1500, 300), 0)
        names = "sum", "mean", "prod", "any", "argmin", "max"
        for dtype, (shape, axes), extreme, name in sample.chosen(
                itertools.product(dtypes, shapes, (False, True), names)):
            x = values(shape, dtype, rng)
            if extreme and x.dtype.kind in "iu":
                x[...] = np.iinfo(dtype).min or np.iinfo(dtype).max
            if (name, dtype) != ("max", "bool"):
                self.ways(f"{name}(x, axes={axes})", x, slow, (2,))

    def test_chains(self):
        """Kernels that take turns row by row."""
        rng = np.random.default_rng(5)
        slow, alone = without("reduce"), without("chain")
        layernorm = "d = x - mean(x, axis=-1, keepdims=true); d / sqrt(mean(d * d, axis=-1, keepdims=true) + 1e-5)"
        shapes = ((700, 1000), (64, 4100), (5, 200, 333), (33, 1, 9000), (2, 90000), (100000, 3), (30011, 17),
                  (1201, 600))
        texts = ("softmax(x)", layernorm, "std(x, axis=-1)", "x / norm(x, axes=-1, keepdims=true)",
                 "logsumexp(x, axes=-1)", "e = exp(x / 40); e / sum(e, axis=-1, keepdims=true)",
                 "e = exp(x / 40); s = exp(e / sum(e, axis=-1, keepdims=true)); s / sum(s, axis=-1, keepdims=true)",
                 "h = float16(exp(x / 40)); h / sum(h, axis=-1, keepdims=true)",
                 "return a = softmax(x), b = mean(x, axis=-1)",
                 "m = max(x, axis=-1, keepdims=true); s = sum(x - m, axis=-1); sum(s * s)")
        for shape, text in sample.chosen(itertools.product(shapes, texts)):
            x = values(shape, "float32", rng)
            x[~np.isfinite(x)] = 1
            expected = weft.evaluate(text, {"x": x}, context=slow)
            for context in (alone, *(weft.Context(threads=n) for n in (1, 2, 3, 8))):
                found = weft.evaluate(text, {"x": x}, context=context)
                for a, b in zip(*([np.asarray(r) for r in (y if text.startswith("return") else [y])]
                                  for y in (expected, found))):
                    self.assertTrue(same(b, a), f"{text} of {shape}")

    def test_shared_passes(self):
        """Reductions of one tensor that take turns tile by tile."""
        rng = np.random.default_rng(7)
        slow, alone = without("reduce"), without("chain")
        texts = ("return a = mean(x), b = max(x), c = std(x)", "return a = min(x), b = argmin(x), c = sum(x * x)",
                 "return a = max(x, axis=1), b = mean(x, axis=1), c = argmax(x, axis=1)")
        for shape, text in sample.chosen(itertools.product(((2, 150001), (3, 70000, 3)), texts)):
            x = values(shape, "float32", rng)
            expected = weft.evaluate(text, {"x": x}, context=slow)
            for context in (alone, *(weft.Context(threads=n) for n in (1, 3))):
                for a, b in zip(expected, weft.evaluate(text, {"x": x}, context=context)):
                    self.assertTrue(same(np.asarray(b), np.asarray(a)), f"{text} of {shape}")

    def test_first_of_many(self):
        """Equal extremes, NaN, and where the position stands in its tile and among tiles."""
        slow = without("reduce")
        for shape, place, dtype in itertools.product(((3, 70000), (40, 100)), (0, 64, -1), ("float32", "uint8")):
            x = np.ones(shape, dtype)
            x[0, place % shape[1]:] = 5
            x[-1, place] = 7
            if dtype == "float32" and place > 1:
                x[shape[0] // 2, place:place + 2] = np.nan
            for text in ("argmax(x, axis=1)", "argmax(x)", "argmin(0 - x)" if dtype != "uint8" else "argmin(255 - x)"):
                self.ways(text, x, slow, (3,))

    def test_tiles_passed_over(self):
        """Positions of extremes that several tiles of 65,536 elements have, or one, at their borders; every type. Where
        the extremes of tiles are known, the others are passed over."""
        rng, slow, all_tiles = np.random.default_rng(8), without("reduce"), without("skip")
        contexts = [all_tiles, *(weft.Context(threads=n) for n in (1, 2, 3, 8))]
        places = [0], [65535], [65536], [65535, 65536], [131071, 131072, 200003], [150000, 199999], [200003], [9, 65545]
        groups = weft.compile("argmax(x)").source("groups", x="float32[200004]")
        self.assertIn("in tiles that have the extreme element", groups)
        some = [case for case in itertools.product(TYPES, ("argmin", "argmax")) if case[0] != "float32"]
        some = [("float32", "argmin"), ("float32", "argmax"), *sample.chosen(some)]
        for (dtype, name), at in itertools.product(some, places):
            dtype = np.dtype(dtype)
            many = {"f": [np.inf, -np.inf, np.nan, "zero", 3], "b": [True, False]}.get(dtype.kind, [7])
            value = many[rng.integers(len(many))]
            x = np.zeros(200004, dtype) if dtype == bool else rng.integers(0, 5, 200004).astype(dtype)
            if value == "zero":
                x[...] = -0.0 if rng.random() < 0.5 else 0.0
                x[at] = -x[0]
            else:
                x[at] = value if dtype == bool or name == "argmax" or value == np.inf else 0
            rows = x.reshape(1, -1) if rng.random() < 0.5 else np.stack([x[::-1], x, np.roll(x, 70000)])
            for text, axis in ((f"{name}(x, axis=1)", 1), (f"{name}(x)", None)):
                expected = getattr(np, name)(rows, axis=axis)
                self.assertTrue((np.asarray(weft.evaluate(text, {"x": rows}, context=contexts[1])) == expected).all())
                for context in contexts if dtype.itemsize == 4 else contexts[:3]:
                    found = np.asarray(weft.evaluate(text, {"x": rows}, context=context))
                    self.assertTrue((found == expected).all(), f"{text} of {dtype}{rows.shape}, {value} at {at}")

    def test_orders(self):
        """Any order of dimensions in memory, any axes: the bits of a context that reads elements in their row-major
        order. Positions are also NumPy's."""
        rng, pick = np.random.default_rng(10), random.Random(10)
        slow, contexts = without("order"), [weft.Context(threads=n) for n in (1, 3)]
        shapes = [(300, 500), (70000, 5), (40, 1, 900), (31, 47, 66), (9, 8, 130, 7), (2, 1100, 3, 40)]
        cases = list(itertools.product(shapes, (*NAMES, "softmax"), ("float32", "uint8", "int64", "float16", "bool")))
        for shape, name, dtype in sample.chosen(cases):
            if dtype == "bool" and name not in ("any", "all", "sum", "argmax"):
                continue
            order = pick.sample(range(len(shape)), len(shape))
            x = np.ascontiguousarray(values(shape, dtype, rng).transpose(order)).transpose(np.argsort(order))
            view = pick.choice(["x", "x", "x[::-1]", "transpose(x)", "flip(x, -1)", "expand_dims(x, 1)", "x + 1"])
            view = "x" if dtype == "bool" and "+" in view else view
            rank = len(shape) + (view == "expand_dims(x, 1)")
            axes = sorted(pick.sample(range(rank), pick.randint(1, rank)))
            given = f"axis={axes[0]}" if name == "softmax" else f"axes={axes}"
            text = f"{name}({view}, {given})"
            expected = np.asarray(weft.evaluate(text, {"x": x}, context=slow))
            for context in contexts:
                found = np.asarray(weft.evaluate(text, {"x": x}, context=context))
                self.assertTrue(same(found, expected), f"{text} of {dtype}{list(shape)} in order {order}")
            if name in ("argmin", "argmax") and view == "x" and len(axes) == 1:
                self.assertTrue((found == getattr(np, name)(x, axis=axes[0])).all(), f"{text} of {dtype}{list(shape)}")

    def test_points_that_lie_nearer(self):
        """Few points of so many elements that tiles share them, which lie between these in memory: the bits of rows
        that lie one behind the other."""
        rng, contexts = np.random.default_rng(12), [weft.Context(threads=n) for n in (1, 3)]
        for shape, order in (((3, 700, 600), (1, 0, 2)), ((2, 600, 2, 500), (1, 2, 0, 3)), ((5, 250000, 3), (1, 0, 2)),
                             ((2, 3, 400, 500), (2, 3, 1, 0))):
            for dtype in ("float32", "int16", "float64"):
                x = rng.integers(-9, 1000, shape).astype(dtype) / (7 if dtype != "int16" else 1)
                x = x.astype(dtype)
                turned = np.ascontiguousarray(x.transpose(order)).transpose(np.argsort(order))
                axes = [shape.index(n, 1) for n in sorted(set(shape[1:]) - {2, 3})]
                for name in ("sum", "mean", "max", "std", "any", "argmax", "norm"):
                    text = f"{name}(x, axes={axes})"
                    expected = np.asarray(weft.evaluate(text, {"x": x}, context=contexts[0]))
                    for context in contexts:
                        found = np.asarray(weft.evaluate(text, {"x": turned}, context=context))
                        self.assertTrue(same(found, expected), f"{text} of {dtype}{list(shape)} in order {order}")

    def test_orders_are_taken(self):
        """What lies side by side in memory is read in a row, whichever dimension it is; without the fast path it is
        not."""
        for text, works in (("sum(t, axis=0)", True), ("sum(t, axis=1)", True), ("max(t)", True), ("sum(t)", False),
                            ("argmin(t, axis=0)", True), ("sum(t + 1, axis=1)", True)):
            for context, taken in ((weft.default_context(), works), (without("order"), False)):
                program = weft.compile(f"t = transpose(x); {text}", context=context)
                groups = next(kernel for kernel in program.source("groups", x="float32[800, 600]").split("\nkernel")
                              if "  x[" in kernel)
                self.assertEqual("element after element" in groups, taken, groups)

    def test_few_results_side_by_side(self):
        """argmin and argmax along a middle axis: up to 31 neighbouring results are looked for one by one."""
        rng, contexts = np.random.default_rng(11), [weft.Context(threads=n) for n in (1, 3)]
        for inner in (2, 3, 31, 32, 40):
            groups = weft.compile("argmax(x, axis=1)").source("groups", x=f"float32[50, 300, {inner}]")
            self.assertEqual("of which the first one's position is kept" in groups, inner < 32)
            for dtype, name in itertools.product(("float32", "uint8"), ("argmin", "argmax")):
                x = rng.integers(0, 200, (50, 300, inner)).astype(dtype)
                x[3, 7] = 255 if dtype == "uint8" else np.nan
                for context in contexts:
                    found = np.asarray(weft.evaluate(f"{name}(x, axis=1)", {"x": x}, context=context))
                    self.assertTrue((found == getattr(np, name)(x, axis=1)).all(), f"{name} of {dtype}, {inner}")

    def test_runs_passed_over(self):
        """Positions at the borders of runs of 256 elements, in which a kernel first looks for the extreme; every
        type."""
        rng, contexts = np.random.default_rng(9), [without("first"), without("skip")]
        for context, scans in zip(contexts, (True, False)):
            text = weft.compile("argmax(x, axis=1)", context=context).source("c-full", x="int8[9, 600]")
            self.assertEqual("pass_over(" in text, scans)
        for dtype, n in itertools.product(map(np.dtype, ["float32", *sample.chosen(TYPES)]),
                                          (255, 256, 257, 600, 1025)):
            places = [place for place in (0, 63, 64, 255, 256, 511, 512, 599, 1024) if place < n]
            x = rng.integers(0, 2 if dtype == bool else 5, (3 * len(places), n)).astype(dtype)
            for i, place in enumerate(places):
                x[3 * i] = 0
                x[3 * i:3 * i + 2, place] = 1 if dtype == bool else 7
                if dtype.kind == "f":
                    x[3 * i + 1, rng.integers(n)] = np.nan
                    x[3 * i + 2] = -0.0
                    x[3 * i + 2, place] = 0.0
            for name in ("argmin", "argmax"):
                expected = getattr(np, name)(x, axis=1)
                for context in contexts:
                    found = np.asarray(weft.evaluate(f"{name}(x, axis=1)", {"x": x}, context=context))
                    self.assertTrue((found == expected).all(), f"{name} of {dtype}{x.shape}")

    def test_places(self):
        """Rows of any length, whose positions are kept while their extremes are joined: the extreme element first or
        last in what is looked at together, twice, NaN before or behind it, zeros of both signs; rows that lie apart,
        and values that are computed."""
        rng, context, apart = np.random.default_rng(12), without("first"), without("skip")
        groups = weft.compile("argmax(x, axis=1)", context=context).source("groups", x="float32[20, 600]")
        self.assertIn("of which the first one's position is kept", groups)
        lengths = 2, 3, 5, 16, 63, 64, 65, 127, 128, 129, 256, 257, 512, 513, 1000, 2048, 2049, 4097, 8200
        for dtype, n in itertools.product(("float32", "float64", "int32", "int64", "float16"), lengths):
            near = {0, 15, 16, 31, 32, 63, 64, 255, 256, n // 2 - 1, n // 2, n - 65, n - 64, n - 2, n - 1}
            places = sorted(place for place in near if 0 <= place < n)
            x = np.zeros((5 * len(places) + 1, n), dtype)
            for i, (place, rows) in enumerate(zip(places, x[1:].reshape(len(places), 5, n))):
                rows[:3] = rng.integers(-5, 5, n)
                rows[:, place] = 7, 7, -7, 0, 0
                rows[0, rng.integers(place, n)] = 7
                if rows.dtype.kind == "f":
                    rows[1, rng.integers(n)] = np.nan
                    rows[3:] = [[-0.0], [-np.inf]]
                    rows[3:, place] = 0.0, np.nan
            wide = np.zeros((len(x), 2 * n + 1), dtype)
            wide[:, 1:n + 1] = x
            for name, text in itertools.product(("argmin", "argmax"), ("x", "x + y")):
                expected = getattr(np, name)(x, axis=1)
                given = {"x": wide[:, 1:n + 1] if n % 2 else x, **({"y": np.zeros(n, dtype)} if "y" in text else {})}
                for own in (context, apart) if n < 600 else (context,):
                    found = np.asarray(weft.evaluate(f"{name}({text}, axis=1)", given, context=own))
                    self.assertTrue((found == expected).all(), f"{name}({text}) of {dtype}{x.shape}")

    def test_extremes(self):
        """NaN of both signs, zeros, infinities and subnormal numbers, wherever they stand."""
        rng, slow = np.random.default_rng(8), without("reduce")
        counts = 1, 15, 16, 17, 63, 64, 65, 1000, 1025, 70000
        cases = itertools.product(("float16", "float32", "float64"), counts, ("min", "max"))
        for dtype, n, name in sample.chosen(cases):
            small, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
            x = rng.choice(np.array([small, -small, 0.0, -0.0, most, -most, np.inf, -np.inf], dtype), (12, n))
            x[:3] = rng.choice(np.array([0.0, -0.0], dtype), (3, n)) * rng.choice(np.array([1, small], dtype), (3, n))
            x[3, :], x[4, :] = -0.0, -np.inf
            for row, sign in ((5, 1), (6, -1), (7, 1), (8, -1)):
                x[row, rng.integers(n)] = np.copysign(np.nan, sign)
            self.assertTrue(same(np.asarray(weft.evaluate(f"{name}(x, axis=1)", {"x": x})),
                                 reference.reduce(name, x, (1,), False, 0)), f"{name} of {dtype}[12, {n}]")
            self.ways(f"{name}(x, axis=1)", x, slow, (2,))
            self.ways(f"{name}(x, axis=0)", np.ascontiguousarray(x.T), slow, (1,))

    def test_bytes_beside_each_other(self):
        """Rows of bytes and of bools, whose sums are joined in words: the largest bytes, and any number of rows."""
        rng = np.random.default_rng(10)
        for n in sample.chosen([*range(1, 42), 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 513]):
            for rows in 1, 2, 7, 16, 17, 40:
                x = rng.integers(0, 256, (rows, n)).astype(np.uint8)
                x[::3] = 255
                given = {"x": x, "y": x.astype(np.float32), "b": x > 100}
                for text, expected in (("sum(x, -1)", x.sum(-1)), ("sum(b, -1)", (x > 100).sum(-1)),
                                       ("sum(y > 100, -1)", (x > 100).sum(-1)),
                                       ("count_nonzero(x, -1)", (x != 0).sum(-1)), ("sum(y > 255, -1)", 0)):
                    own = {name: a for name, a in given.items() if name in text.split("(")[1]}
                    found = np.asarray(weft.evaluate(text, own))
                    self.assertTrue((found == expected).all(), f"{text} of [{rows}, {n}]")

    def test_nan_at_every_place(self):
        """Row i has a NaN at place i alone, of either sign, quiet or not."""
        for n in 16, 17, 40, 64, 80, 81, 150, 300, 1100:
            x = np.random.default_rng(n).standard_normal((n, n)).astype(np.float32)
            for word in 0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001:
                np.fill_diagonal(x.view(np.uint32), word)
                for name in "min", "max":
                    found = np.asarray(weft.evaluate(f"{name}(x, axis=1)", {"x": x}))
                    self.assertTrue(np.isnan(found).all(), f"{name} of [{n}, {n}], {word:x}")

    def test_large_batches(self):
        """Samples of unlike shapes, large and small, some of them reduced by several tiles, each as if alone."""
        rng, slow = np.random.default_rng(6), without("reduce")
        shapes = [(3, 40), (700, 1000), (1, 1), (700, 1000), (5, 70001), (2100, 70), (64, 3), (64, 8), (20, 16),
                  (1100, 300)]
        for text in ("sum(x)", "mean(x, axis=0)", "argmax(x, axis=-1)", "softmax(x)", "max(x, axis=0)",
                     "x - mean(x, axis=-1, keepdims=true)", "std(x, axes=[0, 1])"):
            batch = [strided(values(shape, "float32", rng), ("dense", "turned", "apart")[i % 3])
                     for i, shape in enumerate(shapes)]
            for threads in (1, 3):
                found = weft.evaluate(text, {"x": batch}, context=weft.Context(threads=threads))
                for i, x in enumerate(batch):
                    expected = np.asarray(weft.evaluate(text, {"x": x}, context=slow))
                    self.assertTrue(same(np.asarray(found[i]), expected), f"{text} of sample {i}, {x.shape}")


def without(word):
    """A context on one thread without a fast path."""
    before = os.environ.get("WEFT_DISABLE", "")
    os.environ["WEFT_DISABLE"] = ",".join(filter(None, [before, word]))
    context = weft.Context(threads=1)
    os.environ["WEFT_DISABLE"] = before
    return context


if __name__ == "__main__":
    unittest.main()
