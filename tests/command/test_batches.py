"""Batches read: archives, directories and patterns of files, and what is told about them."""

import os
import pathlib
import resource
import subprocess
import sys
import unittest
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "positions"))
import jpegs
import reference
from batch_case import BatchTest


class Inputs(BatchTest):
    def test_an_archive_in_its_order(self):
        value = {"z": np.arange(6, dtype="f4").reshape(2, 3), "a": np.ones((1, 3), "f4"),
                 "m": np.zeros((0, 3), "f4"), "ключ": np.full((4, 1), 7, "f4")}
        for save in np.savez, np.savez_compressed:
            save(self.path("in.npz"), **value)
            self.good("run", "x * [1, 2, 3]", "x=in.npz", "-o", "out.npz")
            self.same(self.arrays("out.npz"),
                      [(key, a * np.array([1, 2, 3], "f4")) for key, a in value.items()])
            with zipfile.ZipFile(self.path("out.npz")) as archive:
                self.assertIsNone(archive.testzip())

    def test_one_array_is_a_batch_too(self):
        np.savez(self.path("in.npz"), key=np.array([1, 2], "i4"))
        self.assertEqual(self.text("run", "x + 1", "x=in.npz"),
                         "out: int32, 1 sample\nkey: int32[2] = [2, 3]\n")
        self.assertEqual(self.text("run", "x + 1", "x=in.npz:key"), "out: int32[2] = [2, 3]\n")

    def test_numbers_and_positions_of_each_sample(self):
        values = [np.arange(5, dtype="i4"), np.arange(3, dtype="i4") * 10]
        counts = [np.array(2, "i4"), np.array(3, "i4")]
        positions = [np.array([4, -5], "i4"), np.array([1, 0, -1], "i4")]
        for name, batch in ("v", values), ("k", counts), ("i", positions):
            np.savez(self.path(f"{name}.npz"), *batch)
        programs = {"roll(v, k)": np.roll, "tile(v, k)": np.tile, "arange(k) + 0 * v[:k]": lambda v, k: np.arange(k),
                    "take(v, i) + 0 * k": lambda v, k: None}
        for text, expected in programs.items():
            self.good("run", text, "v=v.npz", "k=k.npz", *(["i=i.npz"] if "i)" in text else []), "-o", "out.npz")
            wanted = [v[i] if "take" in text else expected(v, k).astype("i4")
                      for v, k, i in zip(values, counts, positions)]
            self.same(self.arrays("out.npz"), [(f"arr_{n}", array) for n, array in enumerate(wanted)])
        np.savez(self.path("i.npz"), np.array([0], "i4"), np.array([3], "i4"))
        done = self.weft("run", "take(v, i)", "v=v.npz", "i=i.npz", "-o", "out.npz")
        self.assertEqual(done.returncode, 0)
        self.assertIn("W0088", done.stderr.decode())
        self.same(self.arrays("out.npz"), [("arr_0", np.array([0], "i4")), ("arr_1", np.array([0], "i4"))])

    def test_random_numbers_are_those_of_the_sample(self):
        """Samples are computed one after the other, and each draws with its own number."""
        np.savez(self.path("x.npz"), *(np.zeros(4, "u1") for _ in range(3)))
        self.good("run", "random(x, 7)", "x=x.npz", "-o", "out.npz")
        found = [array for _, array in self.arrays("out.npz")]
        self.good("run", "random(x, 7)", "x=[0, 0, 0, 0]", "-o", "one.npy")
        self.assertEqual(found[0].tobytes(), np.load(self.path("one.npy")).tobytes())
        self.assertEqual(len({array.tobytes() for array in found}), 3)
        for number, array in enumerate(found):
            self.assertEqual(array.tobytes(), reference.random((4,), 7, 0, number).tobytes())

    def test_two_batches(self):
        a = [np.arange(6, dtype="f4").reshape(2, 3), np.ones((1,), "f4").reshape(1, 1)]
        b = [np.full((1, 3), 2, "f4"), np.full((5, 6), 3, "f4")]
        np.savez(self.path("a.npz"), x=a[0], y=a[1])
        np.savez(self.path("b.npz"), *b)
        self.good("run", "a + b", "b=b.npz", "a=a.npz", "-o", "out.npz")
        self.same(self.arrays("out.npz"), [("x", a[0] + b[0]), ("y", a[1] + b[1])])
        self.good("run", "b + a", "a=a.npz", "b=b.npz", "-o", "out.npz")
        self.same(self.arrays("out.npz"), [("arr_0", a[0] + b[0]), ("arr_1", a[1] + b[1])])
        np.savez(self.path("c.npz"), *b, b[0])
        for command in "run", "check":
            told = self.bad(1, 160, command, "a + b", "a=a.npz", "b=c.npz")
            self.assertIn("2 and 3 samples", told)

    def test_an_error_in_one_sample_names_it(self):
        np.savez(self.path("a.npz"), x=np.zeros((2, 3)), y=np.zeros((2, 4)))
        for command in "run", "check":
            told = self.bad(1, 60, command, "a + [1, 2, 3]", "a=a.npz")
            self.assertIn("a.npz:y", told.split("\n")[0])
            self.assertNotIn("sample 1", told)

    def test_an_axis_across_samples(self):
        np.savez(self.path("a.npz"), x=np.zeros((2, 3)), y=np.zeros((2, 4)))
        apart = "; samples of a batch are apart, and no axis goes across them"
        for command in "run", "check":
            told = self.bad(1, 64, command, "mean(a, axes=[0, 1, 2])", "a=a.npz").split("\n")[0]
            self.assertTrue(told.endswith("(from the end -1 to -2)" + apart), told)
        self.assertNotIn(apart, self.bad(1, 64, "check", "mean(a, axes=[0, 1, 2])", "a=float64[2, 3]"))

    def test_directories_and_patterns(self):
        pixels = {"b": self.picture("d/b.png", (2, 3, 3), seed=1),
                  "B": self.picture("d/B.png", (3, 2, 3), seed=2),
                  "a10": self.picture("d/a10.png", (1, 1, 1), seed=3),
                  "a9": self.picture("d/a9.png", (4, 1, 1), seed=4)}
        self.write("d/.hidden", b"nothing")
        want = [(key, pixels[key]) for key in ("B", "a10", "a9", "b")]
        for value in "d", "d/", "d/*", "d/*.png", "./d/[!x]*", "?/*.png":
            self.good("run", "+x", "x=" + value, "-o", "out.npz", env={"LC_ALL": "en_US.UTF-8"})
            self.same(self.arrays("out.npz"), want)
        self.good("run", "+x", "x=d/a[0-9]*.png", "-o", "out.npz")
        self.same(self.arrays("out.npz"), want[1:3])
        self.good("run", "+x", "x=d/a[9].png", "-o", "out.npz")
        self.same(self.arrays("out.npz"), want[2:3])
        self.assertIn("1 sample", self.text("check", "+x", "x=d/a[9].png"))

    def test_a_file_named_like_a_pattern(self):
        np.save(self.path("a*.npy"), np.array([1, 2], "i4"))
        np.save(self.path("ab.npy"), np.array([3, 4], "i4"))
        self.assertEqual(self.text("run", "+x", "x=a*.npy"), "out: int32[2] = [1, 2]\n")
        self.assertIn("2 samples", self.text("run", "+x", "x=a*.np[y]"))

    def test_all_kinds_together(self):
        """As long as dtype and rank agree."""
        self.picture("d/a.png")
        self.write("d/b.jpg", jpegs.JPEG)
        self.write("d/c.ppm", b"P6\n2 2\n255\nabcdefghijkl")
        np.save(self.path("d/d.npy"), np.zeros((5, 4, 1), "u1"))
        self.good("run", "+x", "x=d", "-o", "out.npz")
        self.assertEqual([(key, a.shape) for key, a in self.arrays("out.npz")],
                         [("a", (2, 3, 3)), ("b", (2, 3, 3)), ("c", (2, 2, 3)), ("d", (5, 4, 1))])

    def test_npy_files(self):
        """Mapped, copied where the byte order asks for it, and a stride of its own each."""
        os.mkdir(self.path("d"))
        want = []
        for i, dtype in enumerate(["<i2", ">i2", "<i2", ">i2"]):
            value = np.arange(i * 6, i * 6 + 6, dtype="i2").reshape(2, 3)
            np.save(self.path("d/%d.npy" % i), np.asarray(value, dtype, order="CF"[i // 2]))
            want.append((str(i), value))
        self.good("run", "+x", "x=d", "-o", "out.npz")
        self.same(self.arrays("out.npz"), want)

    @unittest.skipIf(os.environ.get("WEFT_TARGET") == "cuda", "two copies for each file")
    def test_more_files_than_a_process_can_map(self):
        os.mkdir(self.path("d"))
        names = []
        for i in range(66000):
            name = self.path("d/%05d.npy" % i)
            if i % 30000 == 0:  # a file has so many names on all file systems
                np.save(name, np.arange(3, dtype="u1"))
                first = name
            else:
                os.link(first, name)
            names.append("%05d.npy" % i)
        self.good("run", "x * uint8(2)", "x=d", "-o", "out.npz")
        with zipfile.ZipFile(self.path("out.npz")) as archive:
            self.assertEqual(archive.namelist(), names)
            for name in names[:2] + names[-2:]:
                self.assertEqual(archive.read(name)[-3:], bytes([0, 2, 4]))

    def test_nothing_there(self):
        told = self.bad(1, 137, "run", "+x", "x=d/*.png")
        self.assertIn("'d/*.png'", told)
        self.bad(1, 137, "check", "+x", "x=*.png")
        self.bad(1, 107, "run", "+x", "x=none")
        self.bad(1, 107, "run", "+x", "x=none/")
        self.bad(1, 4, "run", "+x", "x=[1, 2")

    def test_files_that_cannot_be_samples(self):
        for name, data, code, why in [
                ("d/b.png", b"P6\n2 2\n255\nabcdefghijkl", 128, "rename it"), ("d/b.png", b"", 115, "it is empty"),
                ("d/b.png", b"words, words", 115, "it begins as no PNG does")]:
            self.picture("d/a.png")
            self.picture("d/c.png")
            self.write(name, data)
            for given in "x=d", "x=d/*":
                for command in "run", "check", "show":
                    told = self.bad(1, code, command, "+x", given)
                    self.assertIn(why, told)
                    self.assertTrue(told.startswith("/".join(name.split("/")[:2]) + ": "), told)
            subprocess.run(["rm", "-r", self.path("d")], check=True)
        self.picture("d/a.png")
        os.mkfifo(self.path("d/b.npy"))
        self.assertIn("no regular file", self.bad(1, 138, "run", "+x", "x=d"))
        os.unlink(self.path("d/b.npy"))
        os.symlink("nowhere", self.path("d/b.npy"))
        self.assertIn("No such file", self.bad(1, 138, "run", "+x", "x=d"))

    def test_what_is_no_sample_is_skipped(self):
        others = {"d/b.txt": "'d/b.txt' (.txt)", "d/b": "'d/b' (of no known kind)", "d/b.npz": "'d/b.npz' (an archive)",
                  "d/b/c.png": "'d/b' (a directory)", "d/empty": "'d/empty' (of no known kind)"}
        for name, told in others.items():
            self.write(name, b"neither" if "empty" not in name else b"")
            for given in "x=d", "x=d/*", "x:uint8[?, ?, 3]=d":
                for more in [], ["--keep-going"]:
                    self.assertEqual(self.bad(1, 167, "run", "+x", given, *more),
                                     "%s: error[W0167]: it holds no sample; 1 file is none: %s; known are .npy, .png, "
                                     ".jpg and .ppm\n" % (given.split("=")[1], told))
            self.picture("d/a.png")
            self.picture("d/c.png")
            for given in "x=d", "x=d/*":
                for command in "run", "check", "show":
                    done = self.weft(command, "+x", given)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(done.stderr.decode(),
                                     "%s: note[W0152]: 1 file is skipped, which is no sample: %s\n" %
                                     (given[2:], told))
                self.assertEqual(self.weft("run", "+x", given, "-q").stderr, b"")
            self.good("run", "x", "x=d/*.png", "-o", "out.npz")
            self.assertEqual([key for key, _ in self.arrays("out.npz")], ["a", "c"])
            subprocess.run(["rm", "-r", self.path("d")], check=True)
        self.picture("d/a.png")
        for i in range(5):
            self.write("d/%d.txt" % i, b"")
        self.assertIn("5 files are skipped, which are no samples: 'd/0.txt' (.txt), 'd/1.txt' (.txt), 'd/2.txt' (.txt) "
                      "and 2 more\n", self.weft("run", "+x", "x=d").stderr.decode())

    def test_names_of_pairs(self):
        """Samples go together by the order of their names; names that are alike, but elsewhere, are told."""
        for name in ("img/cat", "img/dog", "m/ant", "m/cat", "masks/1", "masks/2"):
            self.picture(f"{name}.png")
        done = self.weft("run", "x + y", "x=img", "y=m", "-o", "out.npz")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.decode().split(";")[0],
                         "m: note[W0157]: batches go together in the order of their names, 'img/cat.png' with "
                         "'m/ant.png', and names are not the same")
        self.good("run", "x + y", "x=img", "y=masks", "-o", "out.npz")
        subprocess.run(["mv", self.path("m/ant.png"), self.path("m/dog.png")], check=True)
        self.good("run", "x + y", "x=img", "y=m", "-o", "out.npz")

    def test_mixed(self):
        self.picture("d/a.png")
        self.picture("d/b.png", depth=16)
        told = self.bad(1, 139, "run", "+x", "x=d")
        self.assertTrue(told.startswith("d/b.png: "), told)
        self.assertIn("uint16 with 3 dimensions, but 'd/a.png' is uint8 with 3", told)
        os.unlink(self.path("d/b.png"))
        np.save(self.path("d/b.npy"), np.zeros((2, 3), "u1"))
        self.assertIn("uint8 with 2 dim", self.bad(1, 139, "run", "+x", "x=d"))
        np.savez(self.path("m.npz"), a=np.zeros(3, "f4"), b=np.zeros(3, "f8"))
        self.assertTrue(self.bad(1, 139, "run", "+x", "x=m.npz").startswith("m.npz:b: "))

    def test_damaged_data_are_told_with_their_file(self):
        """Headers are good; of several the first is told, whatever the threads do."""
        for i in range(20):
            self.picture("d/%02d.png" % i, (30, 30, 3), seed=i)
        for i in 7, 11, 13:
            with open(self.path("d/%02d.png" % i), "rb") as file:
                data = file.read()
            self.write("d/%02d.png" % i, data[:-100])
        for _ in range(5):
            told = self.bad(1, 115, "run", "+x", "x=d", "-o", "out/", "--threads", "4")
            self.assertTrue(told.startswith("d/07.png: "), told)
            self.assertEqual(told.count("error"), 1)
            self.assertEqual(self.files(), ["d"])
        self.assertIn("20 samples", self.text("check", "+x", "x=d"))

    def test_types_are_checked_in_every_sample(self):
        self.picture("d/a.png", (2, 2, 3))
        self.picture("d/b.png", (2, 3, 3))
        self.picture("d/c.png", (2, 3, 1))
        told = self.bad(1, 79, "run", "+x", "x:uint8[?, ?, 3]=d")
        self.assertIn("'d/c.png' for input 'x' has shape [2, 3, 1]", told)
        told = self.bad(1, 85, "run", "+x", "x:uint8[n, n, ?]=d")
        self.assertIn("'d/b.png'", told)
        self.assertIn("'d/a.png'", self.bad(1, 78, "run", "+x", "x:float32=d"))
        self.assertIn("'d/a.png'", self.bad(1, 79, "run", "input x: uint8[h, w]; +x", "x=d"))
        for given in "x:uint8=d", "x:uint8[h, w, ?]=d", "x@HWC=d", "x:uint8[h, w, ?]@HWC=d":
            self.assertIn("3 samples", self.text("run", "+x", given))
        self.bad(1, 134, "run", "+x", "x@HW=d")

    def test_a_size_variable_is_one_in_each_sample(self):
        np.savez(self.path("a.npz"), np.zeros((2, 3)), np.zeros((4, 5)))
        np.savez(self.path("b.npz"), np.zeros(3), np.zeros(5))
        np.savez(self.path("c.npz"), np.zeros(3), np.zeros(4))
        text = "input a: float64[n, m]; input b: float64[m]; a + b"
        self.good("run", text, "a=a.npz", "b=b.npz")
        self.assertIn("'c.npz:arr_1'", self.bad(1, 85, "run", text, "a=a.npz", "b=c.npz"))

    def test_empty_batches(self):
        np.savez(self.path("e.npz"))
        os.mkdir(self.path("d"))
        for value in "e.npz", "d":
            for command in "run", "check", "show":
                told = self.bad(1, 141, command, "+x", "x=" + value)
                self.assertIn("'%s' is empty, " % value, told)
                self.assertIn("as in 'x:uint8[?, ?, 3]=%s'" % value, told)
            for given in ["x:float32=" + value], ["x:float32[?, 3]=" + value]:
                self.assertEqual(self.text("run", "x + 1", *given), "out: float32, 0 samples\n")
                self.good("run", "x + 1", *given, "-o", "out.npz")
                self.assertEqual(self.arrays("out.npz"), [])
            text = "input x: uint8[h, w, 3]; x + 1"
            self.assertEqual(self.text("run", text, "x=" + value), "out: int32, 0 samples\n")
        self.good("run", "x", "x:uint8[?, ?, 3]=d", "-o", "out")
        self.assertEqual(os.listdir(self.path("out")), [])
        self.write("zero.npz", b"")
        self.assertIn("it is empty", self.bad(1, 113, "run", "+x", "x=zero.npz"))

    def test_empty_samples(self):
        np.savez(self.path("a.npz"), np.zeros((0, 3), "f4"), np.ones((2, 3), "f4"),
                 np.zeros((4, 0), "f4"))
        self.good("run", "a + 1", "a=a.npz", "-o", "out.npz")
        self.assertEqual([a.shape for _, a in self.arrays("out.npz")], [(0, 3), (2, 3), (4, 0)])

    def test_memory_is_compared_before_anything_is_read(self):
        """Each of the samples would fit, all of them do not, which matters where results stay in memory."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        if self.weft("--version", preexec_fn=limit).returncode:
            self.skipTest("the command does not start with so little memory, as under sanitizers")
        data = bytearray(jpegs.JPEG)
        start = jpegs.JPEG.index(b"\xff\xc0")
        data[start + 5:start + 9] = b"\x20\x00" * 2
        for i in range(12):
            self.write("d/%02d.jpg" % i, data)
        done = self.weft("run", "uint8(x + 1)", "x=d", preexec_fn=limit)
        self.assertIn("W0117]: the result with its inputs needs 2.6 GB of memory", done.stderr.decode())
        done = self.weft("run", "return float64(x), y=float64(x)", "x=d/0[01].jpg", "-o", "out0=o.npz",
                         preexec_fn=limit)
        self.assertIn("a sample with its result needs 3.4 GB", done.stderr.decode())
        done = self.weft("run", "uint8(x + 1)", "x=d", "-o", "out", "--threads", "1", preexec_fn=limit)
        self.assertIn("d/00.jpg: error[W0119]", done.stderr.decode())
        self.assertIn("out: note[W0151]: nothing was written; 0 of 12 samples had been done", done.stderr.decode())

    def test_check_and_show(self):
        self.picture("d/a.png", (2, 2, 3))
        self.picture("d/b.png", (4, 2, 3))
        self.assertEqual(self.text("check", "x * [1, 2, 3]", "x=d"),
                         "out int32[?, 2, 3]@HWC, 2 samples\n")
        self.assertEqual(self.text("check", "x * y", "x=d", "y=float32"), "out float32\n")
        self.assertIn("kernel for out [2, 2, 3]", self.text("show", "x * 2", "x=d", "--stage", "groups"))
        self.assertNotEqual(self.text("show", "x * 2", "x=d"), "")
        self.bad(1, 60, "check", "x + y", "x=d", "y=[1, 2, 3, 4]")
        self.bad(1, 79, "show", "x", "x:uint8[2, 2, 3]=d")


class Layouts(BatchTest):
    def test_pictures_carry_theirs(self):
        self.picture("d/a.png")
        self.picture("d/b.png", (1, 2, 3))
        for given in "d", "d/*.png", "d/a.png":
            self.assertIn("3]@HWC", self.text("check", "x * 2", "x=" + given))
            self.assertIn("3]@HWC =", self.text("run", "x * 2", "x=" + given))
        self.assertIn("@HWC", self.text("show", "x * 2", "x=d", "--stage", "types"))
        self.good("run", "x", "x=d", "-o", "d.npz")
        self.assertNotIn("@", self.text("check", "x * 2", "x=d.npz"))
        self.assertIn("3]@HWC", self.text("check", "x * 2", "x@HWC=d.npz"))

    def test_a_written_one_replaces_the_files(self):
        self.picture("d/a.png")
        self.picture("d/b.png", (1, 2, 3))
        for given in "x@ABC=d", "x:uint8@ABC=d", "x:uint8[?, ?, 3]@ABC=d":
            for command in "run", "check":
                self.assertIn("3]@ABC", self.text(command, "x * 2", given))
            self.assertIn("@ABC", self.text("show", "x * 2", given, "--stage", "types"))

    def test_those_that_do_not_go_together(self):
        self.picture("d/a.png")
        for command in "run", "check":
            told = self.bad(1, 67, command, "input x: uint8[?, ?, ?]@CHW; x * 2", "x=d")
            self.assertIn("has layout HWC, expected CHW", told)
            self.assertIn("]@HWC", self.text(command, "x * y", "x=d", "y@C=[1, 2, 3]"))
            self.bad(1, 66, command, "x * y", "x=d", "y@W=[1, 2, 3]")
            self.bad(1, 134, command, "x * y", "x=d", "y@WC=[1, 2, 3]")
            self.assertIn("]@CHW", self.text(command, "input x: uint8[?, ?, ?]@CHW; x * 2",
                                             "x@CHW=d"))

    def test_extents_for_a_reshape_in_every_sample(self):
        a, b = self.picture("d/a.png", (2, 3, 3)), self.picture("d/b.png", (4, 1, 3))
        np.savez(self.path("s.npz"), np.array([3, 6]), np.array([-1, 2]))
        self.good("run", "reshape(x, s) + 1", "x=d", "s=s.npz", "-o", "out.npz")
        self.same(self.arrays("out.npz"),
                  [("a", a.reshape(3, 6).astype("i4") + 1), ("b", b.reshape(6, 2).astype("i4") + 1)])


if __name__ == "__main__":
    unittest.main()
