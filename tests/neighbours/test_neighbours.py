"""offset, pad, correlate and convolve against reference.py, of arrays so large that edges and the inside are kernels of
their own, and of small ones; the same without these fast paths, on several threads, and in other layouts."""
import os
import random
import re
import shutil
import sys
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import reference
import sample
import weft

MODES = ["edge", "wrap", "symmetric", "reflect"]
SHAPES = [(40000,), (150, 200), (3, 9000), (9000, 3), (40, 30, 25), (120, 100, 3), (2, 17000), (1, 20000), (20000, 1),
          (20, 12, 10, 11), (700, 410), (70, 60, 66), (300, 700, 2), (64, 64, 3), (30, 31),
          (16, 16, 3), (130, 128), (7,), (2, 3), (1, 1), (3, 1, 4), (5, 0)]
TYPES = ["uint8", "int16", "int32", "int64", "uint64", "float16", "float32", "float64"]


def without(words, threads=1):
    before = os.environ.get("WEFT_DISABLE", "")
    os.environ["WEFT_DISABLE"] = ",".join(filter(None, [before, words]))
    context = weft.Context(threads=threads)
    os.environ["WEFT_DISABLE"] = before
    return context


def values(shape, dtype, rng):
    if np.dtype(dtype).kind in "iu":
        return rng.integers(0, 100, shape).astype(dtype)
    return (rng.standard_normal(shape) * 8).astype(dtype)


def strided(x, how):
    """The same values, lying otherwise."""
    if how == "turned":
        return np.ascontiguousarray(x.T).T
    if how == "backwards":
        return np.ascontiguousarray(x[(slice(None, None, -1),) * x.ndim])[(slice(None, None, -1),) * x.ndim]
    return x


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def alike(a, b):
    """The same bits, but for those of NaN."""
    nan = a != a
    return a.dtype == b.dtype and a.shape == b.shape and (nan == (b != b)).all() and same(a[~nan], b[~nan])


class Program:
    """A random call: its text, and what is expected of an array."""

    def __init__(self, seed):
        self.pick, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.shape, self.dtype = self.pick.choice(SHAPES), self.pick.choice(TYPES)
        count = self.pick.randint(1, len(self.shape))
        self.axes = self.pick.sample(range(len(self.shape)), count)
        self.kind = self.pick.choice(["offset", "pad", "correlate", "convolve"])
        self.x = strided(values(self.shape, self.dtype, self.rng), self.pick.choice(["dense", "turned", "backwards"]))
        self.mode = self.any_mode() if self.pick.random() < 0.7 else [self.any_mode() for _ in self.axes]
        if self.kind in ("correlate", "convolve") and self.pick.random() < 0.2:
            self.mode = "valid"
        getattr(self, "of_" + ("offset" if self.kind == "offset" else "pad" if self.kind == "pad" else "k"))()

    def any_mode(self):
        return self.pick.choice(MODES) if self.pick.random() < 0.7 and 0 not in self.shape else self.pick.randint(0, 9)

    def words(self):
        def one(mode):
            return f'"{mode}"' if isinstance(mode, str) else str(mode)
        mode = f"[{', '.join(map(one, self.mode))}]" if isinstance(self.mode, list) else one(self.mode)
        return f"{mode}, axes={self.axes}"

    def of_offset(self):
        offsets = [self.pick.choice([0, 1, -1, 2, -3, 7, 30, -500]) for _ in self.axes]
        self.text = f"offset(x, {offsets}, {self.words()})"
        self.want = reference.offset(self.x, offsets, self.mode, self.axes)

    def of_pad(self):
        widths = [[self.pick.choice([0, 1, 2, 9, -1]), self.pick.choice([0, 1, 3, 20])] for _ in self.axes]
        widths = [[max(before, -self.shape[a]), after] for a, (before, after) in zip(self.axes, widths)]
        self.text = f"pad(x, {widths}, {self.words()})"
        self.want = reference.pad(self.x, widths, self.mode, self.axes)

    def of_k(self):
        extents = [self.pick.choice([1, 2, 3, 3, 5] if len(self.axes) < 3 else [1, 2, 3]) for _ in self.axes]
        if self.pick.random() < 0.15:  # so many edges that the operand is stored with what lies around it
            extents = [self.pick.choice({1: [33, 40], 2: [7, 6, 9]}.get(len(self.axes), [4, 3])) for _ in self.axes]
        k = self.rng.integers(-2, 4, extents).astype(np.int32)
        k.flat[0] = 1
        if self.pick.random() < 0.4:
            k = k.astype(np.float32) / 4
        promoted = {"uint64": "int64", "int16": "int32", "uint8": "int32"}.get(self.dtype, self.dtype)
        if k.dtype.kind == "f" and np.dtype(self.dtype).kind in "iu" or promoted == "float16" and k.dtype == "float32":
            promoted = "float32"
        self.text = f"{self.kind}(x, {k.tolist()}, {self.words()})"
        self.want = reference.correlate(self.x, k, self.mode, self.axes, np.dtype(promoted), self.kind == "convolve")


class Neighbours(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ways = {"": weft.Context(threads=1), "2 threads": weft.Context(threads=2),
                    "chain,near, 2 threads": without("chain,near", threads=2),
                    **{words: without(words) for words in ("split", "hoist,split,narrow", "special", "near", "slide",
                                                           "chain", "separate", "weigh")}}

        # kernels of the C compiler, where there is one: for them first calls wait
        compiled = "first" if shutil.which(os.environ.get("WEFT_CC", "cc")) else ""
        cls.compiled = {words: without(",".join(filter(None, [compiled, words])))
                        for words in ("", "slide", "chain", "weigh")}
        cls.compiled["2 threads"] = without(compiled, threads=2)

    def check(self, program, title, ways):
        for name in ways:
            found = np.asarray(weft.evaluate(program.text, {"x": program.x}, context=self.ways[name]))
            if not same(found, program.want):
                differ = np.argwhere(found != program.want)[:3] if found.shape == program.want.shape else found.shape
                self.fail(f"{title}: {program.text} of {program.dtype}{list(program.shape)}, {name or 'plain'}: "
                          f"{found.dtype} at {differ}")

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), sample.setting("WEFT_COUNT", 120)
        for seed in range(first, first + count):
            ways = list(self.ways) if seed % 4 == 0 else [""]
            self.check(Program(seed), f"WEFT_SEED={seed} WEFT_COUNT=1", ways)

    def test_of_each_other(self):
        """Neighbours of neighbours, which are stored or computed once more, and of expressions."""
        k, rng = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32), np.random.default_rng(3)
        text = 'k = [[1., 2, 1], [2, 4, 2], [1, 2, 1]]; correlate(correlate(correlate(x + 1, k, {0}), k, {1}), k, {0})'
        for shape in [(150, 130), (5, 7), (9000, 3)]:
            x = rng.standard_normal(shape).astype(np.float32)
            for a, b in [("edge", "wrap"), ("reflect", 0)]:
                want = x + np.float32(1)
                for mode in (a, b, a):
                    want = reference.correlate(want, k, mode, [0, 1], np.dtype("float32"))
                words = [f'"{mode}"' if isinstance(mode, str) else mode for mode in (a, b)]
                for name in ("", "split", "hoist,split,narrow"):
                    context = self.ways[name]
                    found = np.asarray(weft.evaluate(text.format(*words), {"x": x}, context=context))
                    self.assertTrue(same(found, want), f"{shape} {a} {b} {name}")

    def test_shared_borders(self):
        """Several kernels over one operand, with equal neighbours around it and with others."""
        rng = np.random.default_rng(4)
        a, b, wide = (rng.integers(1, 5, extents).astype(np.float32) for extents in [(3, 3), (3, 3), (3, 5)])
        for shape in [(40, 50), (700, 410)]:
            x = rng.standard_normal(shape).astype(np.float32)
            for k, mode, axes in [(b, "edge", [0, 1]), (b, "edge", [1, 0]), (b, "wrap", [0, 1]), (wide, "edge", [0, 1]),
                                  (b, 0, [0, 1]), (b, 5, [0, 1])]:
                word = f'"{mode}"' if isinstance(mode, str) else mode
                text = (f'correlate(x, {a.tolist()}, {word if mode == 5 else chr(34) + "edge" + chr(34)}) - '
                        f'convolve(x, {k.tolist()}, {word}, axes={axes})')
                first = reference.correlate(x, a, 5 if mode == 5 else "edge", [0, 1], np.dtype("float32"))
                second = reference.correlate(x, k, mode, axes, np.dtype("float32"), True)
                found = np.asarray(weft.evaluate(text, {"x": x}, context=self.ways[""]))
                self.assertTrue(same(found, first - second), f"{text} of {shape}")

    def test_turns(self):
        """Passes over images so large that they take turns, tile by tile, with the bits of one pass after another."""
        ways = [("plain", self.ways[""]), ("2 threads", self.ways["2 threads"]), ("7 threads", weft.Context(threads=7))]
        shapes = [(1501, 933), (1080, 1000, 3), (901, 400, 4), (20001, 17, 5), (1, 1301, 1100), (300001, 5), (1500007,),
                  (1201, 2, 700), (9, 400, 500)]
        taken = 0
        for seed in range(sample.setting("WEFT_COUNT", 120) // 5):
            pick, rng = random.Random(seed), np.random.default_rng(seed)
            shape, dtype = shapes[seed % len(shapes)], pick.choice(["float32", "float32", "int32", "uint8", "float64"])
            text, y = "", "int32(x)" if dtype == "uint8" else "x"
            for name in "abc"[:pick.choice([2, 2, 3])]:
                axes = pick.sample(range(len(shape)), pick.randint(1, min(2, len(shape))))
                k = rng.integers(-2, 4, [pick.choice([3, 3, 5]) for _ in axes])
                k.flat[0] = 1
                k = (k / 4 if pick.random() < 0.5 else k).tolist()
                mode = pick.choice([f'"{mode}"' for mode in MODES] + ["0", '"edge"'])
                by = [pick.choice([1, -1, 2]) for _ in axes]
                value = pick.choice([f"correlate({y}, {k}, {mode}, axes={axes})"] * 4 + [
                    f"{y} + correlate({y}, {k}, {mode}, axes={axes})",
                    f"correlate({y} * {y}, {k}, {mode}, axes={axes})",
                    f"offset({y}, {by}, {mode}, axes={axes}) * {y}"])
                text, y = f"{text}{name} = {value}; ", name
            text += y
            x = values(shape, dtype, rng)
            want = np.asarray(weft.evaluate(text, {"x": x}, context=self.ways["chain"]))
            taken += "take turns" in weft.compile(text).source("schedule", x=dtype + str(list(shape)))
            for name, context in ways:
                found = np.asarray(weft.evaluate(text, {"x": x}, context=context))
                self.assertTrue(same(found, want), f"{seed}: {text} of {dtype}{list(shape)}, {name}: "
                                                   f"{np.argwhere(found != want)[:3]}")
            if seed % 4 == 0:
                for found in weft.evaluate(text, {"x": [x, x]}):
                    self.assertTrue(same(np.asarray(found), want), f"{seed}: {text}, a batch")
        self.assertGreater(taken, 0)

    def test_rows_that_slide(self):
        """Rows that go on with what those before them began, with the bits of rows each by itself: of several sizes and
        types, beside other operands, more than one operand's, in a batch, on some threads, where bands end."""
        rng, pick, slid = np.random.default_rng(8), random.Random(8), 0
        shapes = [(300, 257), (90, 1700), (1201, 131), (200, 90, 3), (3, 150, 190), (2, 40, 50, 60)]
        texts = ["{0}", "{0} * 2 + y", "{0} + {1}", "clamp({0}, 10, 300) - y * x", "exp({0} / 1000)", "{0} > {1}",
                 "correlate({0}, [[1, 2, 1], [3, 1, 1]], axes={axes})", "offset({0}, 1, 7)", "({0})[::2, 3:]"]
        for number in range(sample.setting("WEFT_COUNT", 120) // 4):
            dtype = pick.choice(["float32", "float32", "float64", "int32", "float16", "uint8"])
            shape = pick.choice(shapes)
            axes = [0, 1] if len(shape) < 4 and shape[-1] != 190 else [len(shape) - 2, len(shape) - 1]
            modes = [f'"{mode}"' for mode in MODES] + ["0"]
            sums = []
            for name in "xy":
                k = rng.integers(-3, 9, pick.choice([(5, 5), (5, 5), (4, 7), (3, 9), (7, 5), (6, 6), (7, 7)]))
                k = np.multiply.outer(k[0], k[0]) if pick.random() < 0.3 else k
                k = k if dtype in ("int32", "uint8") else k / 4
                sums.append(f"correlate({'int32' if dtype == 'uint8' else ''}({name}), {k.tolist()}, "
                            f"{pick.choice(modes)}, axes={axes})")
            text = pick.choice(texts).format(*sums, axes=axes)
            tensors = {name: strided(values(shape, dtype, rng), pick.choice(["dense", "dense", "turned", "backwards"]))
                       for name in "xy" if re.search(rf"\b{name}\b", text)}
            want = np.asarray(weft.evaluate(text, tensors, context=self.compiled["slide"]))
            types = {name: dtype + str(list(shape)) for name in tensors}
            slid += "rows slide" in weft.compile(text).source("groups", **types)
            for name in ("", "2 threads", "chain"):
                found = np.asarray(weft.evaluate(text, tensors, context=self.compiled[name]))
                self.assertTrue(same(found, want), f"{text} of {dtype}{list(shape)}, {name or 'plain'}: "
                                                   f"{np.argwhere(found != want)[:3]}")
            if number % 4 == 0:
                batch = {name: [x, x] for name, x in tensors.items()}
                for found in weft.evaluate(text, batch, context=self.compiled[""]):
                    self.assertTrue(same(np.asarray(found), want), f"{text} of {dtype}{list(shape)}, a batch")
        self.assertGreater(slid, 5)

    def test_turns_of_many_weights(self):
        """Sums that go over their terms in a loop, of operands so large that these are there a tile at a time."""
        rng, taken = np.random.default_rng(5), 0
        for shape, extents, axes in [((1201, 933), (8, 8), [0, 1]), ((1080, 500, 3), (6, 9), [1, 0]),
                                     ((1301, 900), (41,), [0]), ((1101, 1000), (40,), [1]),
                                     ((3, 700, 600), (7, 8), [1, 2])]:
            for dtype in ("float32", "int32", "float64"):
                k = rng.integers(1, 9, extents)
                k = k if dtype == "int32" else k / 4
                x, mode = values(shape, dtype, rng), random.Random(str(shape)).choice(MODES[:3])
                text = f'correlate(x, {k.tolist()}, "{mode}", axes={axes})'
                want = np.asarray(weft.evaluate(text, {"x": x}, context=self.compiled["chain"]))
                taken += "take turns" in weft.compile(text).source("schedule", x=dtype + str(list(shape)))
                for name in ("", "2 threads", "weigh"):
                    found = np.asarray(weft.evaluate(text, {"x": x}, context=self.compiled[name]))
                    self.assertTrue(same(found, want), f"{text} of {dtype}{list(shape)}, {name or 'plain'}: "
                                                       f"{np.argwhere(found != want)[:3]}")
                given = np.asarray(weft.evaluate(f'correlate(x, k, "{mode}", axes={axes})',
                                                 {"x": x, "k": k.astype(x.dtype)}, context=self.compiled[""]))
                self.assertTrue(same(given, want), f"{text} of {dtype}{list(shape)}, k an input")
        self.assertGreater(taken, 0)

    def test_outer_products(self):
        """Integers in two passes, with the bits of one: of all types, under all modes, in two and three dimensions."""
        pick, rng = random.Random(9), np.random.default_rng(9)
        count = sample.setting("WEFT_COUNT", 120) // 2
        for number in range(count):
            dtype, kind = pick.choice(TYPES[:5] + ["int8", "bool", "uint16"]), pick.choice(["correlate", "convolve"])
            shape = pick.choice([(40, 50), (33, 20, 3), (130, 300), (12, 30, 25), (300, 257, 3)])
            axes = pick.sample(range(len(shape)), pick.choice([2, 2, len(shape)]))
            factors = [rng.integers(-9, 30, pick.choice([3, 5, 7, 8] if len(axes) == 2 else [2, 3, 5])) for _ in axes]
            k = factors[0]
            for factor in factors[1:]:
                k = np.multiply.outer(k, factor)
            if pick.random() < 0.2:
                k.flat[pick.randrange(k.size)] += 1  # no outer product
            if pick.random() < 0.2:
                k = k * (1 << 20)  # sums that wrap
            if abs(k).max() >= 2 ** 31:
                continue
            info = np.iinfo(dtype) if dtype != "bool" else None
            x = (rng.integers(info.min, info.max, shape, dtype, endpoint=True) if info
                 else rng.integers(0, 2, shape).astype(bool))
            mode = pick.choice(MODES + [0, 1])
            word = f'"{mode}"' if isinstance(mode, str) else mode if info else "false" if not mode else "true"
            promoted = {"uint64": "int64", "int64": "int64"}.get(dtype, "int32")
            text = f"{kind}(x, {k.tolist()}, {word}, axes={axes})"
            want = reference.correlate(x, k.astype(np.int32), mode, axes, np.dtype(promoted), kind == "convolve")
            for name in ("", "separate", "split"):
                found = np.asarray(weft.evaluate(text, {"x": x}, context=self.ways[name]))
                self.assertTrue(same(found, want), f"{number}: {text} of {dtype}{list(shape)} {name}")

    def test_many_weights(self):
        """A loop over k's elements, of literals and inputs, with the bits of all terms written out."""
        pick, rng = random.Random(10), np.random.default_rng(10)
        for number in range(sample.setting("WEFT_COUNT", 120) // 2):
            narrow = number % 3 == 0  # 16 bits, of which two terms are multiplied at once
            dtype = pick.choice(["uint8", "int16", "int8", "bool", "uint16"] if narrow else TYPES + ["uint32"])
            kind = pick.choice(["correlate", "convolve"])
            shape = pick.choice([(40, 50), (33, 20, 3), (130, 300), (12, 30, 25), (300, 257, 3), (500,), (9, 4),
                                 (70, 1)])
            axes = pick.sample(range(len(shape)), pick.randint(1, len(shape)))
            extents = {1: [48, 90, 150], 2: [7, 9, 13, 16], 3: [4, 5, 7]}[len(axes)]
            extents = extents[1:] if narrow else extents
            k_type = pick.choice(["int32", "int16"] if narrow else ["float32", "int32", "float64", "uint8", "float16"])
            k = values([pick.choice(extents) for _ in axes], k_type, rng)
            k.flat[rng.permutation(k.size)[:k.size // 5]] = 0
            literal = k_type in ("float64", "int32") and pick.random() < 0.7
            x = values(shape, dtype, rng) if dtype != "bool" else rng.integers(0, 2, shape).astype(bool)
            if x.dtype.kind == "f" and pick.random() < 0.3:
                x.flat[rng.permutation(x.size)[:9]] = pick.choice([np.inf, np.nan])
            elif x.dtype.kind == "f" and pick.random() < 0.5:
                x, k = -abs(x * 0), abs(k)
            x = strided(x, pick.choice(["dense", "turned", "backwards"]))
            mode = pick.choice(MODES + [0, 0, "valid"])
            word = f'"{mode}"' if isinstance(mode, str) else mode if dtype != "bool" else "false"
            text = f"{kind}(x, {k.tolist() if literal else 'k'}, {word}, axes={axes})"
            inputs = {"x": x} if literal else {"x": x, "k": k}
            how = pick.choice(["", "", "view", "turned"])
            text = f"sum({text}, -1)" if how == "view" else text
            text = f"transpose({text})" if how == "turned" else text
            found = {name: np.asarray(weft.evaluate(text, inputs, context=self.ways[name]))
                     for name in ("", "weigh", "special", "2 threads")}
            title = f"{number}: {text[:60]} of {dtype}{list(shape)} by {k_type}{list(k.shape)} {axes} {word} {how}"
            for name, array in found.items():
                self.assertTrue(alike(array, found["weigh"]), f"{title} {name}")
            if how == "":
                want = reference.correlate(x, k, mode, axes, found[""].dtype, kind == "convolve", literal)
                self.assertTrue(alike(found[""], want), title)

    def test_batches(self):
        """Samples of unlike shapes, each as by itself."""
        rng = np.random.default_rng(5)
        samples = [values(shape, "float32", rng) for shape in
                   [(3, 5), (1, 1), (70, 1100), (200, 2), (1, 0), (0, 4), (191, 17)]]
        for text in ('offset(x, [1, -2], "reflect")', 'pad(x, [[1, 0], [2, 3]], 7)',
                     'correlate(x, [[1, 2], [3, 4]], "edge")',
                     'correlate(x, [2, 1, 3, 2], 0.5, axes=0)', 'correlate(x, [[1, 2], [3, 4]], "valid")',
                     'offset(x, extent(x, 1) - 1, 3)'):
            for x, found in zip(samples, weft.evaluate(text, {"x": samples})):
                self.assertTrue(same(np.asarray(found), np.asarray(weft.evaluate(text, {"x": x}))),
                                f"{text} of {x.shape}")

    def test_weights_are_no_batch(self):
        k = np.ones(3, np.float32)
        with self.assertRaisesRegex(Exception, "input 'k' holds weights .* and is a batch; pass a single tensor"):
            weft.evaluate("correlate(x, k)", {"x": [k, k], "k": [k, k]})

    def test_faults(self):
        """A division by zero that nobody reads outside is no remark; one inside is."""
        x = np.arange(40000, dtype=np.int32).reshape(200, 200)
        found = np.asarray(weft.evaluate("offset(where(x > 0, 1000 // x, 0), [1, 1], 5)", {"x": x}))
        want = reference.offset(np.where(x > 0, 1000 // np.maximum(x, 1), 0).astype(np.int32), [1, 1], 5, [0, 1])
        self.assertTrue(same(found, want))


if __name__ == "__main__":
    unittest.main()
