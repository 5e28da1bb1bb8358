"""Files that are cut off or damaged: never a crash, an output or a temporary file left behind; the
exit status is 0 or 1 and 1 comes with a diagnostic that names the file."""

import os
import pathlib
import random
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import jpegs
import pngs
import sample
from weft_test import CommandTest


def samples(here):
    """Small files of every kind, as (name, bytes)."""
    value = np.arange(6, dtype=">i2").reshape(2, 3)
    np.save(os.path.join(here, "a.npy"), value)
    np.savez(os.path.join(here, "a.npz"), key=value)
    np.savez_compressed(os.path.join(here, "b.npz"), key=value)
    with open(os.path.join(here, "a.png"), "wb") as file:
        file.write(pngs.png(np.arange(12).reshape(2, 2, 3), pngs.RGB, 8))
    with open(os.path.join(here, "b.png"), "wb") as file:
        extra = pngs.chunk(b"PLTE", bytes(range(12)))
        file.write(pngs.png(np.arange(4).reshape(2, 2, 1), pngs.PALETTE, 2, True, extra))
    with open(os.path.join(here, "a.jpg"), "wb") as file:
        file.write(jpegs.JPEG)
    with open(os.path.join(here, "a.ppm"), "wb") as file:
        file.write(b"P6\n2 2\n255\nabcdefghijkl")
    for name in "a.npy", "a.npz", "b.npz", "a.png", "b.png", "a.jpg", "a.ppm":
        with open(os.path.join(here, name), "rb") as file:
            yield name, file.read()


STEP = sample.number("3/3/3/1")      # one case in so many


class Damage(CommandTest):
    def check(self, name, data):
        """Runs on these bytes; returns the exit status."""
        work = os.path.join(self.here, "work%d" % random.getrandbits(60))
        os.mkdir(work)
        with open(os.path.join(work, name), "wb") as file:
            file.write(data)
        done = self.weft("run", "+x", "x=%s/%s" % (work, name))
        told = done.stderr.decode()
        self.assertIn(done.returncode, (0, 1), (name, data, told))
        if done.returncode == 1:
            self.assertRegex(told, r"^\S*%s(:\S+)?: error\[W\d{4}\]: " % name)
        self.assertEqual(os.listdir(work), [name])
        os.unlink(os.path.join(work, name))
        os.rmdir(work)
        return done.returncode

    def check_all(self, cases):
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda case: self.check(*case), cases))

    def test_cut_off(self):
        for name, data in samples(self.here):
            statuses = self.check_all([(name, data[:length]) for length in range(len(data) % STEP, len(data), STEP)])
            self.assertEqual(set(statuses), {1}, name)
            self.assertEqual(self.check(name, data), 0)

    def test_flipped_bytes(self):
        generator = random.Random(5)
        for name, data in samples(self.here):
            cases = []
            for _ in range(120 // STEP):
                damaged = bytearray(data)
                for _ in range(generator.randint(1, 3)):
                    damaged[generator.randrange(len(data))] = generator.randrange(256)
                cases.append((name, bytes(damaged)))
            self.check_all(cases)

    def test_a_flipped_bit_in_an_archive_is_told_as_one(self):
        data = dict(samples(self.here))["b.npz"]
        start = 30 + len("key.npy") + int.from_bytes(data[28:30], "little")
        size = data.index(b"PK\1\2") - start
        for at in range(start, start + size):
            damaged = bytearray(data)
            damaged[at] ^= 4
            with open(self.path("bad.npz"), "wb") as file:
                file.write(damaged)
            if self.weft("run", "+x", "x=bad.npz").returncode:  # some bits mean nothing
                told = self.bad(1, 113, "run", "+x", "x=bad.npz")
                self.assertIn("the archive is damaged: ", told)
                self.assertEqual(told.count("error["), 1)

    def test_a_failed_run_leaves_nothing(self):
        for name, data in list(samples(self.here)):
            with open(self.path("bad-" + name), "wb") as file:
                file.write(data[:-9])
        before = self.files()
        for name in before:
            if name.startswith("bad-"):
                done = self.weft("run", "+x", "x=" + name, "-o", "out.npy")
                self.assertEqual(done.returncode, 1)
                self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
