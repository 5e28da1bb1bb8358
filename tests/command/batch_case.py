"""What the tests of batches share: samples written, results compared."""

import os

import numpy as np

import pngs
from weft_test import CommandTest

HEADLINE = "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))"


def headline(pixels):
    """What it means, step by step."""
    product = pixels.astype("f4") * np.array([1.25, 0.75, 0.75], "f4")
    return np.rint(np.clip(product, np.float32(128), np.float32(255))).astype("u1")


class BatchTest(CommandTest):
    def write(self, name, data):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(data)

    def picture(self, name, shape=(2, 3, 3), depth=8, seed=0):
        pixels = np.random.default_rng(seed).integers(0, 1 << depth, shape).astype("u2")
        color = {1: pngs.GREY, 2: pngs.GREY_ALPHA, 3: pngs.RGB, 4: pngs.RGBA}[shape[2]]
        self.write(name, pngs.png(pixels, color, depth))
        return pixels.astype("u1" if depth == 8 else "u2")

    def arrays(self, name):
        with np.load(self.path(name)) as archive:
            return [(key, archive[key]) for key in archive.files]

    def same(self, got, want):
        self.assertEqual([key for key, _ in got], [key for key, _ in want])
        for (key, a), (_, b) in zip(got, want):
            self.assertEqual((a.dtype, a.shape, a.tobytes()), (b.dtype, b.shape, b.tobytes()), key)
