"""Section 12 of docs/language.md on NumPy (reference.py). WEFT_SEED=17 WEFT_COUNT=1 repeats one of the random programs;
WEFT_COUNT is how many there are."""
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

EXTENTS = [0, 1, 1, 2, 3, 4, 5, 7, 16, 63, 64, 65, 130, 300]
SEEDS = [0, 1, 2, 7, -1, -2 ** 63, 2 ** 31, 2 ** 63, 2 ** 64 - 1, 0x123456789ABCDEF]


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


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


if __name__ == "__main__":
    unittest.main()
