"""Section 12 of docs/language.md on NumPy (reference.py). WEFT_SEED=17 WEFT_COUNT=1 repeats one of the random programs;
WEFT_COUNT is how many there are."""
import itertools
import os
import random
import sys
import unittest
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import reference
import sample
import weft

EXTENTS = [0, 1, 1, 2, 3, 4, 5, 7, 16, 63, 64, 65, 130, 300]
SEEDS = [0, 1, 2, 7, -1, -2 ** 63, 2 ** 31, 2 ** 63, 2 ** 64 - 1, 0x123456789ABCDEF]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def without(word):
    before = os.environ.get("WEFT_DISABLE", "")
    os.environ["WEFT_DISABLE"] = ",".join(filter(None, [before, word]))
    context = weft.Context(threads=1)
    os.environ["WEFT_DISABLE"] = before
    return context


class Chance(unittest.TestCase):
    """Rule 12.2."""

    @classmethod
    def setUpClass(cls):
        cls.ways = [weft.Context(threads=1), weft.Context(threads=2)]

    def any_shape(self, pick):
        while True:
            shape = tuple(pick.choice(EXTENTS) for _ in range(pick.randint(0, 4)))
            if np.prod(shape, dtype=np.int64) < 50000:
                return shape

    def check(self, text, x, want, **others):
        for context in self.ways:
            found = np.asarray(weft.evaluate(text, {"x": x, **others}, context=context))
            self.assertTrue(same(found, want), f"{text} of {x.dtype}{list(x.shape)} {others}")

    def test_generator(self):
        """The vectors that are published with the generator (Random123, kat_vectors): counter, key, words."""
        full, pi = 2 ** 32 - 1, [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0]
        for counter, key, want in [([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
                                   ([full] * 4, [full] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
                                   (pi[:4], pi[4:], [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1])]:
            self.assertEqual([int(word) for word in reference.philox(counter, key)], want)

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), sample.setting("WEFT_COUNT", 30)
        for number in range(first, first + count):
            pick = random.Random(number)
            shape, seed, stream = self.any_shape(pick), pick.choice(SEEDS), pick.choice([0, 1, 5, -1, 2 ** 31])
            x, want = np.zeros(shape, np.uint8), reference.random(shape, seed, stream)
            self.check(f"random(x, {seed}, {stream})", x, want)
            self.check("random(x, seed=s, stream=t)", x, want, s=np.array(seed % 2 ** 64, np.uint64),
                       t=np.int64(stream))
            self.check(f"transpose(random(x, {seed}, {stream}))", x, want.T.copy())
            self.check(f"max(random(x[..., None], {seed}, {stream}), axes=-1)", x, want)
            if len(shape) > 1:
                self.check(f"random(x, {seed}, {stream})[::-1, 1:]", x, want[::-1, 1:].copy())
                self.check(f"random(x[:, 1:], {seed}, {stream})", x, reference.random(x[:, 1:].shape, seed, stream))

    def test_normal(self):
        for shape in [(1000,), (33, 65), (3, 5, 7), (1,), ()]:
            for seed in SEEDS:
                x, (want, r) = np.zeros(shape, np.float32), reference.random_normal(shape, seed, 3)
                found = np.asarray(weft.evaluate(f"random_normal(x, {seed}, 3)", {"x": x}))
                self.assertEqual((found.dtype, found.shape), (np.float32, shape))
                self.assertTrue((np.abs(found - want) <= 2e-6 * (1 + r)).all(), f"{shape} {seed}")

    def test_far(self):
        """Elements beyond 2^32, of which the counter's second word is not 0, of a value that nobody stores."""
        text = "random(broadcast_to(x, [20000000000]), 9)[n:n + 40]"
        for n in (2 ** 32 - 17, 2 ** 34 - 3, 2 ** 34 + 1):
            found = np.asarray(weft.evaluate(text, {"x": np.zeros(1, np.float32), "n": n}))
            self.assertTrue(same(found, (reference.words(40, 9, first=n) * 2.0 ** -24).astype(np.float32)), f"{n}")

    def test_batches(self):
        """Each sample by its number; a value that is no batch is the same for all."""
        shapes = [(3, 5), (3, 5), (1, 1), (70, 1100), (0, 4), (3, 5), (2, 3)]
        samples, one = [np.zeros(shape, np.float32) for shape in shapes], np.zeros((1, 5), np.float32)
        for threads in (1, 2):
            context = weft.Context(threads=threads)
            found = weft.evaluate("random(x, 4)", {"x": samples}, context=context)
            total = weft.evaluate("sum(random(x, 4) * 2 ** 24)", {"x": samples}, context=context)
            for number, (shape, a, b) in enumerate(zip(shapes, found, total)):
                want = reference.random(shape, 4, 0, number)
                self.assertTrue(same(np.asarray(a), want), f"sample {number}")
                self.assertAlmostEqual(float(np.asarray(b)) / max(1, want.size), float(want.sum()) * 2 ** 24 /
                                       max(1, want.size), delta=2)
            both = weft.evaluate("random(x[:1, :1], 4) + random(one, 4)[0, 0]", {"x": samples[:3], "one": one},
                                 context=context)
            for number, a in enumerate(both):
                want = reference.random((1, 1), 4, 0, number) + reference.random((1, 5), 4)[0, 0]
                self.assertTrue(same(np.asarray(a), want), f"beside one tensor, sample {number}")

    def test_seeds_compile_nothing(self):
        """Other seeds are other arguments of the same kernel, which have no other bits than those of a literal."""
        x = np.zeros(100, np.float32)
        for seed in SEEDS[:5]:
            self.check("random(x, s)", x, reference.random((100,), seed), s=np.int64(seed))


DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64"]


class Scattering:
    """A program with scatter, and what NumPy gives."""

    def __init__(self, seed):
        self.pick, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.dtype = np.dtype(self.pick.choice(DTYPES))
        rank = self.pick.randint(1, 4)
        shape = [self.pick.choice([0, 1, 1, 2, 3, 5, 9] if rank > 1 else [0, 1, 4, 9, 70, 900]) for _ in range(rank)]
        count = self.pick.randint(0, rank)
        self.x = self.values(shape)
        axes = self.pick.sample(range(rank), count) if self.pick.random() < 0.6 else None
        own = list(range(count)) if axes is None else axes
        outer = [self.pick.choice([0, 1, 2, 7, 40] if rank > 1 else [0, 1, 5, 60, 200]) for _ in
                 range(self.pick.randint(0, 2))]
        outside = self.pick.random() < 0.3
        parts = [self.rng.integers(-shape[a] - outside, max(shape[a] + outside, 1 - shape[a]), outer) for a in own]
        self.i = np.stack(parts, -1) if own else np.zeros(outer + [0])
        self.i = self.i.astype(self.pick.choice(["int8", "int32", "int64"] if max(shape) < 100 else ["int32", "int64"]))
        full = outer + [shape[d] for d in range(rank) if d not in own]
        stretched = [1 if self.pick.random() < 0.2 else e for e in full]
        self.v = self.values(stretched[self.pick.randint(0, len(full)) if self.pick.random() < 0.2 else 0:])
        self.mode = self.pick.choice(["set", "mul"] if self.dtype == bool
                                     else ["set", "add", "mul", "min", "max", "mean"])
        given = "" if axes is None else f", axes={axes}"
        self.text = f'scatter(x, i, v, "{self.mode}"{given})'
        if self.dtype == bool:
            want = reference.scatter(self.x.astype(np.uint8), self.i, self.v.astype(np.uint8), self.mode, axes)
            self.want = want.astype(bool)
        else:
            self.want = reference.scatter(self.x, self.i, self.v, self.mode, axes)

    def values(self, shape):
        if self.dtype.kind == "f":
            values = self.rng.standard_normal(shape) * 3
            special = self.rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf], np.shape(values))
            return np.where(self.rng.random(shape) < 0.1, special, values).astype(self.dtype)
        least = -9 if self.dtype.kind == "i" else 0
        if self.dtype.itemsize == 8 and self.pick.random() < 0.3:  # whose sums do not fit
            info = np.iinfo(self.dtype)
            return self.rng.integers(info.min, info.max, shape, self.dtype, endpoint=True)
        return self.rng.integers(least, 2 if self.dtype == bool else 100, shape).astype(self.dtype)


class Scatter(unittest.TestCase):
    """Rule 12.5."""

    @classmethod
    def setUpClass(cls):
        cls.ways = [weft.Context(threads=threads) for threads in (1, 2, 7)]

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), sample.setting("WEFT_COUNT", 30) * 4
        for seed in range(first, first + count):
            p = Scattering(seed)
            for context in self.ways if seed % 4 == 0 else self.ways[:1]:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = np.asarray(weft.evaluate(p.text, {"x": p.x, "i": p.i, "v": p.v}, context=context))
                nan = np.isnan(p.want) if p.dtype.kind == "f" else np.zeros(p.want.shape, bool)
                good = found.dtype == p.want.dtype and found.shape == p.want.shape
                self.assertTrue(good and same(np.where(nan, 0, found), np.where(nan, 0, p.want)) and
                                (nan == (found != found)).all(),
                                f"WEFT_SEED={seed} WEFT_COUNT=1: {p.text} of {p.dtype}{list(p.x.shape)} at "
                                f"{list(p.i.shape)}\n{found}\n{p.want}")

    def test_many(self):
        """More places than one part has, and long rows, by any number of threads."""
        rng = np.random.default_rng(5)
        for shape, count in [((100000,), 30000), ((7,), 100000), ((300, 400), 2000)]:
            x, i = rng.standard_normal(shape).astype(np.float32), rng.integers(0, shape[0], (count, 1))
            v = rng.standard_normal((count,) + shape[1:]).astype(np.float32)
            for mode in ("add", "set", "min"):
                want = reference.scatter(x, i, v, mode)
                for context in self.ways:
                    found = np.asarray(weft.evaluate(f'scatter(x, i, v, "{mode}")', {"x": x, "i": i, "v": v},
                                                     context=context))
                    self.assertTrue(same(found, want), f"{mode} {shape}")

    def test_counts(self):
        """Sums of integers, in tables that take turns and one by one; positions as they lie and computed."""
        rng, slow = np.random.default_rng(8), without("tally")
        for bins, index, dtype in itertools.product([1, 16, 256, 300, 5000, 65536],
                                                    ["uint8", "uint16", "int16", "int64"], ["int32", "uint8", "int64"]):
            count = int(rng.choice([0, 3, 2000, 70001]))
            x = rng.integers(0, 100, bins).astype(dtype)
            most = min(bins, np.iinfo(index).max + 1)
            i = rng.integers(0, most, count).astype(index) if bins != 300 else np.full(count, 7, index)
            v = rng.integers(0, 100, count).astype(dtype)
            for text, given, want in [
                    ('scatter(x, int32(i)[:, None], 1, "add")', i, self.added(x, i, np.ones(count, dtype))),
                    ('scatter(x, i[..., None], v, "add")', np.repeat(i, 2)[::2], self.added(x, i, v)),
                    ('scatter(x, reshape(i, [-1, 1]), v, "add")', i, self.added(x, i, v))]:
                for context in self.ways + [slow]:
                    inputs = {"x": x, "i": given, "v": v} if "v" in text else {"x": x, "i": given}
                    found = np.asarray(weft.evaluate(text, inputs, context=context))
                    self.assertTrue(same(found, want), f"{text} of {dtype}[{bins}] at {count} {index}")

    def test_counts_outside(self):
        """Positions outside are left out with a remark, and negative ones count from the end."""
        i = np.array([3, -1, 5, -6, 0] * 400 + [2], np.int8)
        for context in self.ways + [without("tally")]:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                found = np.asarray(weft.evaluate('scatter(x, i[:, None], 1, "add")',
                                                 {"x": np.zeros(5, np.int32), "i": i}, context=context))
            self.assertEqual(found.tolist(), [400, 0, 1, 400, 400])
            self.assertEqual(len(caught), 1)

    @staticmethod
    def added(x, i, v):
        total = x.copy()
        np.add.at(total, i.astype(np.int64), v)
        return total

    def test_within(self):
        """Beside other values, on computed positions, of itself, and in a batch."""
        rng = np.random.default_rng(6)
        x, i = rng.integers(0, 9, 50).astype(np.int32), rng.integers(0, 50, 70).astype(np.int32)
        once = reference.scatter(x * 2, i[:, None], np.array(3, np.int32), "add")
        twice = reference.scatter(once, i[::-1, None] // 2, i, "max")
        for text, want in [('scatter(x * 2, i[:, None], 3, "add") + x', once + x),
                           ('y = scatter(x * 2, i[:, None], 3, "add"); scatter(y, i[::-1, None] // 2, i, "max")',
                            twice),
                           ('sum(scatter(x * 2, i[:, None], 3, "add"))', np.array(once.sum(), np.int64))]:
            found = np.asarray(weft.evaluate(text, {"x": x, "i": i}))
            self.assertTrue(same(found, want), text)
        samples = [rng.integers(0, 9, n).astype(np.int32) for n in (5, 5, 1, 300, 5)]
        for number, found in enumerate(weft.evaluate('scatter(x, i[:, None] % extent(x, 0), 1, "add")',
                                                     {"x": samples, "i": i})):
            own = samples[number]
            want = reference.scatter(own, i[:, None] % len(own), np.array(1, np.int32), "add")
            self.assertTrue(same(np.asarray(found), want), f"sample {number}")


class Nonzero(unittest.TestCase):
    """Rule 12.6."""

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), sample.setting("WEFT_COUNT", 30) * 2
        ways = [weft.Context(threads=threads) for threads in (1, 7)]
        for seed in range(first, first + count):
            pick, rng = random.Random(seed), np.random.default_rng(seed)
            shape = tuple(pick.choice([0, 1, 2, 3, 7, 40]) for _ in range(pick.randint(0, 3)))
            x = rng.choice([0.0, -0.0, np.nan, 1.5], shape, p=[0.5, 0.1, 0.1, 0.3]).astype(pick.choice(["f4", "f8"]))
            n = pick.choice([0, 1, 5, 100, 70000 if seed % 8 == 0 else 9])
            want = np.tile(np.array(shape, np.int64), (n, 1)).reshape(n, x.ndim)
            found = np.argwhere(x)[:n]
            want[:len(found)] = found
            for context in ways:
                got = np.asarray(weft.evaluate("nonzero(x, n)", {"x": x, "n": n}, context=context))
                self.assertTrue(same(got, want), f"WEFT_SEED={seed} WEFT_COUNT=1: {x.dtype}{list(shape)}, {n}\n"
                                f"{got}\n{want}")

    def test_batches(self):
        rng = np.random.default_rng(3)
        samples = [rng.integers(0, 2, shape).astype(np.uint8) for shape in [(3, 4), (3, 4), (1, 1), (50, 70), (0, 2)]]
        for x, found in zip(samples, weft.evaluate("nonzero(x, 5)", {"x": samples})):
            want = np.tile(np.array(x.shape, np.int64), (5, 1))
            want[:len(np.argwhere(x)[:5])] = np.argwhere(x)[:5]
            self.assertTrue(same(np.asarray(found), want), f"{x.shape}")


if __name__ == "__main__":
    unittest.main()
