"""Batches written: archives and directories of pictures, whole or not at all, also when the command is killed."""

import fcntl
import io
import os
import pathlib
import pty
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import jpegs
import sample
from batch_case import HEADLINE, BatchTest, headline
from weft_test import WEFT


class Outputs(BatchTest):
    def test_many_pictures_in_one_command(self):
        generator = np.random.default_rng(3)
        pixels = {"p%03d" % i: self.picture("in/p%03d.png" % i, (*generator.integers(1, 80, 2), 3),
                                            seed=i) for i in range(200)}
        self.good("run", HEADLINE, "img=in", "-o", "out/")
        self.assertEqual(self.files(), ["in", "out"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), [key + ".png" for key in pixels])
        self.good("run", "+x", "x=out", "-o", "out.npz")
        self.same(self.arrays("out.npz"), [(key, headline(a)) for key, a in pixels.items()])
        self.good("run", HEADLINE, "img=in/*.png", "-o", "again.npz", "--threads", "1")
        self.same(self.arrays("again.npz"), self.arrays("out.npz"))

    def test_a_batch_goes_where_it_fits(self):
        self.picture("d/a.png")
        for path in "o.npy", "-":
            self.assertIn("write a .npz", self.bad(1, 142, "run", "+x", "x=d", "-o", path))
        self.assertIn("a directory", self.bad(1, 142, "run", "+x", "x=d", "-o", "o.png"))
        self.assertEqual(self.files(), ["d"])
        for path, status, code in ("o", 2, 124), ("o/", 1, 143), ("d", 1, 123), ("o.v2", 2, 106):
            self.bad(status, code, "run", "1", "-o", path)
        for array, path, why, then in (
                ("[1]", "o/", "ends with a '/', which asks for a directory and so for a batch", "o.npy"),
                ("uint8([[2]])", "o/", "ends with a '/', which asks for a directory and so for a batch", "o.png"),
                ("uint8([[2]])", "o/*.jpg", "are the files of a batch", "o.jpg"),
                ("uint8([[2]])", "e", "is a directory, which takes a batch", "e/out.png")):
            os.mkdir(self.path("e"))
            self.assertIn("'%s' %s, and the result is one array; name a file, as in -o %s\n" % (path, why, then),
                          self.bad(1, 143, "run", array, "-o", path))
            self.good("run", array, "-o", then)
            os.unlink(self.path(then))
            os.rmdir(self.path("e"))
        self.bad(1, 123, "run", "1", "-o", "d/a.png/")
        told = self.bad(1, 116, "run", "x * 1.5", "x=d", "-o", "o")
        self.assertIn("in sample 'a': write uint8(...)", told)
        self.assertEqual(self.files(), ["d"])

    def test_names(self):
        self.picture("d/a.v2.png")
        self.picture("d/B.PNG")
        self.write("d/c.jpeg", jpegs.JPEG)
        np.save(self.path("d/e.npy"), np.zeros((1, 1, 1), "u1"))
        with open(self.path("d/a.v2.png"), "rb") as file:
            self.write("d/plain", file.read())
        self.good("run", "+x", "x=d", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))),
                         ["B.png", "a.v2.png", "c.png", "e.png", "plain.png"])

    def test_names_that_meet(self):
        self.picture("d/a.png")
        self.write("d/a.jpg", jpegs.JPEG)
        for path in "out", "out/", "out.npz":
            told = self.bad(1, 144, "run", "+x", "x=d", "-o", path)
            self.assertIn("d/a.jpg and d/a.png; a quoted pattern, as 'd/*.jpg', chooses\n", told)
        self.assertEqual(self.files(), ["d"])
        self.text("run", "+x", "x=d")
        self.good("run", "+x", "x=d/*.jpg", "-o", "out.npz")
        os.mkdir(self.path("e"))
        os.rename(self.path("d/a.png"), self.path("e/a.png"))
        told = self.bad(1, 144, "run", "+x", "x=?/a.*", "-o", "out")
        self.assertIn("d/a.jpg and e/a.png; rename one\n", told)

    def test_keys_that_are_no_file_names(self):
        pixels = np.zeros((1, 1, 3), "u1")
        for key, why in ("a/b", "'/'"), ("x" * 252, "too long"):
            with zipfile.ZipFile(self.path("in.npz"), "w") as archive:
                buffer = io.BytesIO()
                np.save(buffer, pixels)
                archive.writestr(key + ".npy", buffer.getvalue())
            self.assertIn(why, self.bad(1, 145, "run", "+x", "x=in.npz", "-o", "out"))
            self.good("run", "+x", "x=in.npz", "-o", "out.npz")
            self.assertEqual(self.arrays("out.npz")[0][0], key)
            os.unlink(self.path("out.npz"))
        np.savez(self.path("in.npz"), **{"..": pixels})
        self.good("run", "+x", "x=in.npz", "-o", "out")
        self.assertEqual(os.listdir(self.path("out")), ["...png"])

    def test_directories_that_are_there(self):
        self.picture("d/a.png")
        os.mkdir(self.path("out"), 0o750)
        os.chmod(self.path("out"), 0o750)
        os.symlink("out", self.path("link"))
        self.good("run", "+x", "x=d", "-o", "link")
        self.assertEqual(os.listdir(self.path("out")), ["a.png"])
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(os.stat(self.path("out")).st_mode & 0o777, 0o750)
        for path in "out", "out/", "link/":
            self.assertIn("not empty", self.bad(1, 123, "run", "+x", "x=d", "-o", path))
        os.mkdir(self.path("here"))
        done = subprocess.run([WEFT, "run", "+x", "x=../d", "-o", "."], cwd=self.path("here"),
                              stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"current directory", done.stderr)
        self.bad(1, 123, "run", "+x", "x=d", "-o", "none/out")
        old = os.umask(0o027)
        try:
            self.good("run", "+x", "x=d", "-o", "new")
        finally:
            os.umask(old)
        self.assertEqual(os.stat(self.path("new")).st_mode & 0o777, 0o750)
        self.assertEqual(os.stat(self.path("new/a.png")).st_mode & 0o777, 0o640)

    def test_force(self):
        """Files of the same names are replaced, the others stay."""
        self.picture("d/a.png")
        self.picture("d/b.png", seed=1)
        self.write("out/a.png", b"old")
        self.write("out/note.txt", b"mine")
        for output in "out", "out/":
            self.assertIn("add --force", self.bad(1, 123, "run", "+x", "x=d", "-o", output))
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.png", "note.txt"])
        self.good("run", "uint8(x // 2)", "x=d", "-o", "out", "--force")
        self.assertEqual(self.files(), ["d", "out"])
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.png", "b.png", "note.txt"])
        with open(self.path("out/note.txt"), "rb") as file:
            self.assertEqual(file.read(), b"mine")
        before = self.text("run", "x", "x=out/a.png")
        self.good("run", "uint8(x // 2)", "x=out/*.png", "-o", "out", "--force")
        self.assertNotEqual(self.text("run", "x", "x=out/a.png"), before)
        self.good("run", "x", "x=d", "-o", "new", "--force")
        # Nothing is replaced where something fails, and no directory is.
        before = self.text("run", "x", "x=out/*.png")
        for text, output in (("+x, n=3", ["-o", "n=/dev/full"]), ("+x, n=uint8(x*0)", ["-o", "n=taken"])):
            self.write("taken/b.png/mine", b"1")
            self.bad(1, 123, "run", "return y=" + text, "x=d", "-o", "y=out", *output, "--force")
            self.assertEqual(self.text("run", "x", "x=out/*.png"), before)
            self.assertEqual(os.listdir(self.path("taken")), ["b.png"])
            self.assertEqual(os.listdir(self.path("taken/b.png")), ["mine"])
        self.assertEqual(self.files(), ["d", "new", "out", "taken"])

    def test_kinds_of_files(self):
        pixels = {key: self.picture("d/%s.png" % key, (20, 30, 3), seed=i) for i, key in enumerate("ab")}
        self.good("run", "+x", "x=d", "-o", "out/*.npy")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.npy", "b.npy"])
        for key, value in pixels.items():
            np.testing.assert_array_equal(np.load(self.path("out/%s.npy" % key)), value)
        self.good("run", "x * 0.5", "x=out", "-o", "floats")
        self.assertEqual(np.load(self.path("floats/a.npy")).dtype, "f4")
        for extension in "jpeg", "PPM":
            self.good("run", "+x", "x=d", "-o", "%s/*.%s" % (extension, extension))
            self.assertEqual(sorted(os.listdir(self.path(extension))), ["a." + extension, "b." + extension])
        self.good("run", "+x", "x=PPM", "-o", "again.npz")
        self.same(self.arrays("again.npz"), list(pixels.items()))
        told = self.bad(1, 116, "run", "x * 0.5", "x=d", "-o", "o")
        self.assertIn("or uint8(255 * (...)) where it is from 0 to 1; or write arrays, -o 'o/*.npy'", told)
        self.assertIn("not empty", self.bad(1, 123, "run", "+x", "x=d", "-o", "out/*.npy"))
        self.good("run", "+x", "x=d", "-o", "out/*.jpg", "--force")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["a.jpg", "a.npy", "b.jpg", "b.npy"])
        self.bad(2, 106, "run", "+x", "x=d", "-o", "o/*.gif")
        self.bad(2, 106, "run", "+x", "x=d", "-o", "o/*.npz")
        self.bad(2, 124, "run", "+x", "x=d", "-o", "o/*")
        self.bad(1, 143, "run", "+x", "x=d/a.png", "-o", "o/*.png")
        self.assertIn("or a directory, as in -o 'out/*.jpg'", self.bad(1, 142, "run", "+x", "x=d", "-o", "o.jpg"))
        self.assertIn("uint8(255 * (...))", self.bad(1, 116, "run", "x > 9", "x=d", "-o", "o"))
        self.good("run", "uint8(255 * (x > 9))", "x=d", "-o", "o")

    def test_all_results_in_one_archive(self):
        self.good("run", "return low=min(x), x=x * 2", "x=[3, 1]", "-o", "all.npz")
        self.same(self.arrays("all.npz"), [("low", np.int32(1)), ("x", np.array([6, 2], "i4"))])
        np.savez(self.path("a.npz"), np.zeros(2))
        told = self.bad(1, 153, "run", "return m=mean(x), y=x", "x=a.npz", "-o", "o.npz")
        self.assertIn("'m' is a batch; write one archive each, as in -o m=m.npz", told)
        self.assertIn("or -o PATH.npz for all of them", self.bad(1, 122, "run", "return m=1, y=2", "-o", "o.npy"))
        told = self.bad(1, 122, "run", "return m=mean(x), y=x", "x=a.npz", "-o", "o/")
        self.assertIn("; write -o NAME=PATH, once for each that is wanted, with one of: m, y\n", told)

    def test_several(self):
        self.picture("d/a.png")
        self.picture("d/b.png", seed=1)
        text = "return dark=uint8(x * 0.5), bright=uint8(x * 1.5), s=x*2"
        self.good("run", text, "x=d", "-o", "dark=dark", "-o", "bright=bright/", "-o", "s=s.npz")
        self.assertEqual(self.files(), ["bright", "d", "dark", "s.npz"])
        self.assertEqual(len(self.arrays("s.npz")), 2)
        self.bad(1, 120, "run", text, "x=d", "-o", "dark=o", "-o", "bright=o/")
        os.mkdir(self.path("o"))
        told = self.bad(1, 123, "run", text, "x=d", "-o", "dark=o", "-o", "s=o/s.npz")
        self.assertIn("inside another output", told)
        # all or none: the last output fails when everything else is written
        told = self.bad(1, 123, "run", text + ", n=3", "x=d", "-o", "dark=e", "-o", "n=/dev/full")
        self.assertEqual(self.files(), ["bright", "d", "dark", "o", "s.npz"])

    def test_few_descriptors(self):
        """With any number of them all pictures are there, or nothing."""
        for name in "abc":
            self.picture("d/%s.png" % name)
        seen = set()
        for most in range(4, 12):
            done = self.weft("run", "+x", "x=d", "-o", "new",
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))
            seen.add(done.returncode)
            self.assertEqual(self.files(), ["d", "new"] if done.returncode == 0 else ["d"], (most, done))
            if done.returncode == 0:
                self.assertEqual(sorted(os.listdir(self.path("new"))), ["a.png", "b.png", "c.png"])
                shutil.rmtree(self.path("new"))
        self.assertEqual(seen, {0, 1})

    def test_a_tensor_beside_a_batch(self):
        np.savez(self.path("a.npz"), p=np.array([1, 2], "i4"), q=np.array([3], "i4"))
        self.assertEqual(self.text("run", "return s=a+t, d=t*2", "a=a.npz", "t=[[1], [2]]"),
                         "s: int32, 2 samples\np: int32[2, 2] =\n[[2, 3],\n [3, 4]]\n"
                         "q: int32[2, 1] =\n[[4],\n [5]]\nd: int32[2, 1] =\n[[2],\n [4]]\n")
        self.good("run", "return s=a+t, d=t*2", "a=a.npz", "t=[[1], [2]]", "-o", "s=s.npz", "-o",
                  "d=d.npy")
        self.assertEqual(np.load(self.path("d.npy")).tolist(), [[2], [4]])
        done = self.good("run", "return s=a+t, d=t*2", "a=a.npz", "t=[[1], [2]]", "-o", "s=t.npz", "-o", "d=-")
        self.assertEqual(np.load(io.BytesIO(done)).tolist(), [[2], [4]])
        self.assertEqual(list(dict(self.arrays("t.npz"))), ["p", "q"])
        self.bad(1, 123, "run", "return s=a+t, d=t*2", "a=a.npz", "t=[[1], [2]]", "-o", "s=u.npz", "-o", "d=no/d.npy")
        self.good("run", "return s=a+t, d=t*2", "a=a.npz", "t=2", "-o", "d=d.npy")  # the batch is not written
        self.assertEqual(np.load(self.path("d.npy")).tolist(), 4)
        self.assertEqual(self.files(), ["a.npz", "d.npy", "s.npz", "t.npz"])

    def test_printing_is_bounded(self):
        np.savez(self.path("a.npz"), **{"k%02d" % i: np.full((i + 1, 50), i) for i in range(40)})
        lines = self.text("run", "a + 1", "a=a.npz").split("\n")
        self.assertEqual(lines[0], "out: int64, 40 samples")
        self.assertEqual([line.split(":")[0] for line in lines if line.startswith("k")],
                         ["k00", "k01", "k02", "k37", "k38", "k39"])
        self.assertEqual(lines.count("..."), 1)
        self.assertLess(len(lines), 80)
        with zipfile.ZipFile(self.path("b.npz"), "w") as archive:
            buffer = io.BytesIO()
            np.save(buffer, np.zeros(1))
            archive.writestr("\x1b[31m\nx.npy", buffer.getvalue())
        text = self.text("run", "a + 1", "a=b.npz")
        self.assertNotIn("\x1b", text)
        self.assertEqual(text.count("\n"), 2)

    def test_time(self):
        np.savez(self.path("a.npz"), np.zeros(1000), np.zeros(10), np.zeros(10))
        done = self.weft("run", "a + 1", "a=a.npz", "-o", "b.npz", "--time")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr.decode(), r"3 samples, 16\.3 kB moved, [0-9.]+ GB/s")
        self.assertEqual([line.split()[0] for line in done.stderr.decode().splitlines()],
                         ["compile", "read", "run", "write", "all"])
        np.save(self.path("a.npy"), np.zeros(1000))
        done = self.weft("run", "a + 1", "a=a.npy", "-o", "b.npy", "--time")
        self.assertEqual([line.split()[0] for line in done.stderr.decode().splitlines()],
                         ["read", "compile", "first", "run", "write"])

    def test_divisions_by_zero(self):
        np.savez(self.path("a.npz"), np.array([1, 2]), np.array([0]))
        done = self.weft("run", "6 // a", "a=a.npz")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(b"warning"), 1)


class Streams(BatchTest):
    """Samples are read, computed and written one after the other."""

    def test_memory(self):
        """40 pictures, which take 240 MB together, and a C compiler 100."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        if self.weft("--version", preexec_fn=limit).returncode:
            self.skipTest("sanitizers take memory of their own")
        self.picture("d/00.png", (1000, 1000, 3))
        for i in range(1, 40):
            os.link(self.path("d/00.png"), self.path("d/%02d.png" % i))
        self.good("run", "uint8(img // 255)", "img=d/0[0-3].png", "-o", "few")
        for text, output in (("uint8(img // 255)", ["-o", "out"]), ("mean(img)", []),
                             ("uint8(img // 255)", ["-o", "out.npz"]),
                             ("return a = uint8(img // 255), b = k * 2",
                              ["k=[1, 2]", "-o", "a=both", "-o", "b=b.npy"])):
            code = "import resource, subprocess, sys\n" \
                   "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n" \
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
            used = subprocess.run([sys.executable, "-c", code, WEFT, "run", text, "img=d", *output, "--threads", "2"],
                                  cwd=self.here, capture_output=True, check=True)
            self.assertLess(int(used.stdout), 140000, text)
        self.assertEqual(len(os.listdir(self.path("out"))), 40)
        self.assertEqual(len(self.arrays("out.npz")), 40)
        self.assertEqual((len(os.listdir(self.path("both"))), np.load(self.path("b.npy")).tolist()), (40, [2, 4]))

    def test_order_and_threads(self):
        """Archives hold the samples in their order, whoever is done first."""
        generator = np.random.default_rng(2)
        values = {"k%d" % i: generator.integers(-9, 9, int(n), "i4") for i, n in
                  enumerate(generator.integers(1, 200000, 30))}
        for save in np.savez, np.savez_compressed:
            save(self.path("a.npz"), **values)
            for threads in "1", "2", "7":
                self.good("run", "return y=a * 2, s=sum(a)", "a=a.npz", "-o", "y=y.npz", "-o", "s=s.npz", "--threads",
                          threads)
                self.same(self.arrays("y.npz"), [(key, value * np.int32(2)) for key, value in values.items()])
                self.same(self.arrays("s.npz"), [(key, np.int64(value.sum())) for key, value in values.items()])

    def test_one_is_broken(self):
        """Which one, and that nothing was written."""
        for i in range(20):
            self.picture("d/%02d.png" % i, (50, 50, 3), seed=i)
        with open(self.path("d/13.png"), "r+b") as file:
            file.truncate(os.path.getsize(self.path("d/13.png")) - 200)
        for output in "out", "out.npz":
            told = self.bad(1, 115, "run", "+x", "x=d", "-o", output)
            self.assertIn("d/13.png: error[W0115]", told)
            self.assertRegex(told, r"\n%s: note\[W0151\]: nothing was written; \d+ of 20 samples had been done\n"
                             r"d: note\[W0158\]: --keep-going leaves out samples that cannot be read or are not like "
                             r"the first, and computes the others\n$" % output)
            self.assertEqual(self.files(), ["d"])
            self.assertNotIn("note", self.bad(1, 115, "run", "+x", "x=d", "-o", output, "-q"))
        self.assertNotIn("W0151", self.bad(1, 115, "run", "mean(x)", "x=d"))
        with open(self.path("d/13.png"), "wb") as file:  # what is told of its header ends alike
            file.write(b"\x89PNG")
        self.assertRegex(self.bad(1, 115, "run", "+x", "x=d", "-o", "out"),
                         r"^d/13.png: .*\nout: note\[W0151\]: nothing was written; 0 of 20 samples had been done\n"
                         r"d: note\[W0158\]: --keep-going leaves ")

    def broken(self, *names):
        """Ten pictures, in which these have no data and no header in turn."""
        for i in range(10):
            self.picture("d/%d.png" % i, (5, 5, 3), seed=i)
        for i, name in enumerate(names):
            with open(self.path("d/%d.png" % name), "r+b") as file:
                file.truncate(10 if i % 2 else os.path.getsize(self.path("d/%d.png" % name)) - 40)

    def kept(self, left, of, *arguments):
        """The run goes on, tells what is broken and that so many were left out; what it prints."""
        done = self.weft("run", *arguments, "--keep-going")
        told = done.stderr.decode()
        self.assertEqual((done.returncode, told.count("error[")), (1, left), told)
        self.assertTrue(told.endswith("note[W0159]: %d of %d samples %s left out; the errors above say why\n" %
                                      (left, of, "is" if left == 1 else "are")), told)
        return done.stdout.decode()

    def test_keep_going(self):
        """The others are computed and written, with the bits and under the names that they have alone."""
        self.broken()
        self.good("run", "+d", "d=d", "-o", "all.npz")
        self.good("run", "random(d, 5)", "d=d", "-o", "chance.npz")
        whole, chance = dict(self.arrays("all.npz")), dict(self.arrays("chance.npz"))
        self.broken(0, 7, 3)
        names = [str(i) for i in range(10) if i not in (0, 3, 7)]
        for threads in "1", "3":
            self.kept(3, 10, "+d", "d=d", "-o", "out.npz", "--threads", threads)
            self.same(self.arrays("out.npz"), [(name, whole[name]) for name in names])
            self.kept(3, 10, "random(d, 5)", "d=d", "-o", "out.npz", "--threads", threads)  # samples keep their number
            self.same(self.arrays("out.npz"), [(name, chance[name]) for name in names])
            self.kept(3, 10, "return y=uint8(d ^ 255), s=sum(k)", "d=d", "k=[1, 2]", "-o", "y=out" + threads, "-o",
                      "s=s%s.npy" % threads)
            self.assertEqual(sorted(os.listdir(self.path("out" + threads))), [name + ".png" for name in names])
            self.assertEqual(np.load(self.path("s%s.npy" % threads)), 3)
        printed = self.kept(3, 10, "max(d)", "d=d")
        self.assertEqual(printed.splitlines()[0], "out: uint8, 7 samples")
        self.assertEqual([line.split(":")[0] for line in printed.splitlines()[1:]], ["1", "2", "4", "...", *"689"])

    def test_keep_going_into_a_directory(self):
        """What is there under the name of a broken sample stays."""
        self.broken(4, 6)
        for name in "4.png", "5.png", "6.png":
            self.write("out/" + name, b"before")
        self.kept(2, 10, "+d", "d=d", "-o", "out", "--force")
        found = {name: open(self.path("out/" + name), "rb").read() for name in os.listdir(self.path("out"))}
        self.assertEqual(sorted(name for name, data in found.items() if data == b"before"), ["4.png", "6.png"])
        self.assertEqual(len(found), 10)

    def test_keep_going_with_pairs(self):
        """What goes together is left out together."""
        self.broken(2, 5)
        np.savez(self.path("k.npz"), **{str(i): np.int32(i) for i in range(10)})
        with zipfile.ZipFile(self.path("broken.npz"), "w") as archive:
            with zipfile.ZipFile(self.path("k.npz")) as good:
                for name in good.namelist():
                    archive.writestr(name, good.read(name)[:40] if name == "8.npy" else good.read(name))
        self.kept(2, 10, "max(d) * 0 + k", "d=d", "k=k.npz", "-o", "out.npz")
        names = [str(i) for i in range(10) if i not in (2, 5)]
        self.same(self.arrays("out.npz"), [(name, np.int32(name)) for name in names])
        self.kept(3, 10, "max(d) * 0 + k", "k=broken.npz", "d=d", "-o", "out.npz")
        names.remove("8")
        self.same(self.arrays("out.npz"), [(name, np.int32(name)) for name in names])
        np.savez(self.path("k.npz"), *range(8))  # as many as are left, but which?
        self.assertIn("error[W0166]: it has 8 samples, and 'd' 10; so", self.weft(
            "run", "max(d) * 0 + k", "d=d", "k=k.npz", "--keep-going").stderr.decode())

    def test_keep_going_nowhere(self):
        """Nothing is left, or it is another error."""
        self.broken(*range(10))
        told = self.weft("run", "+d", "d=d", "-o", "out", "--keep-going")
        self.assertRegex(told.stderr.decode(), r"\nout: note\[W0151\]: nothing was written; 0 of 10 samples had been "
                         r"done\n$")
        self.assertEqual((told.returncode, told.stderr.count(b"error"), self.files()), (1, 10, ["d"]))
        self.broken()
        self.picture("d/4.png", (5, 5, 1))
        np.save(self.path("d/5.npy"), np.zeros((5, 5, 3), "u2"))
        self.assertEqual(self.kept(1, 11, "max(d)", "d=d").splitlines()[0], "out: uint8, 10 samples")
        self.bad(1, 121, "run", "+d", "d=d", "-o", "x=out", "--keep-going")
        self.assertNotIn(b"W0159", self.weft("run", "d[0, 0, 3]", "d=d", "--keep-going").stderr)

    def test_remarks_are_told_once(self):
        np.savez(self.path("a.npz"), *[np.array([i % 3]) for i in range(30)])
        for output in [], ["-o", "b.npz"]:
            done = self.weft("run", "6 // a", "a=a.npz", *output)
            self.assertEqual((done.returncode, done.stderr.count(b"warning")), (0, 1), done.stderr)
        self.assertEqual(self.weft("run", "6 // a", "a=a.npz", "-q", "-o", "b.npz").stderr, b"")


class Progress(BatchTest):
    def on_terminal(self, *arguments):
        """What a terminal on stderr sees."""
        master, slave = pty.openpty()
        process = subprocess.Popen([WEFT, *arguments], cwd=self.here, stderr=slave,
                                   stdout=subprocess.DEVNULL)
        os.close(slave)
        seen = b""
        try:
            while True:
                part = os.read(master, 4096)
                if not part:
                    break
                seen += part
        except OSError:  # the other side is closed
            pass
        os.close(master)
        self.assertEqual(process.wait(60), 0, seen)
        return seen.decode()

    def test_progress(self):
        """Pictures large enough for the work to last."""
        self.picture("d/00.png", (600, 600, 3))
        for i in range(1, 24):
            os.link(self.path("d/00.png"), self.path("d/%02d.png" % i))
        seen = self.on_terminal("run", "x", "x=d", "-o", "out", "--threads", "1")
        self.assertRegex(seen, r"\rcomputing \d+ of 24")
        self.assertTrue(seen.endswith("\r\x1b[K"), seen)
        subprocess.run(["rm", "-r", self.path("out")], check=True)
        self.assertEqual(self.on_terminal("run", "x", "x=d", "-o", "out", "-q"), "")
        subprocess.run(["rm", "-r", self.path("out")], check=True)
        self.good("run", "x", "x=d", "-o", "out")


class Told(BatchTest):
    def test_jpegs_become_pngs(self):
        """Which is told, with how to keep them; that, and other kinds, are not."""
        os.mkdir(self.path("d"))
        for name in "a", "b":
            pathlib.Path(self.path("d/%s.jpg" % name)).write_bytes(jpegs.JPEG)
        done = self.weft("run", "img", "img=d", "-o", "out")
        self.assertEqual((done.returncode, sorted(os.listdir(self.path("out")))), (0, ["a.png", "b.png"]))
        self.assertIn("out: note[W0156]: pictures are written as .png", done.stderr.decode())
        self.assertIn("for .jpg write -o 'out/*.jpg'", done.stderr.decode())
        self.good("run", "img", "img=d", "-o", "out/*.jpg", "--force")
        self.good("run", "img", "img=d", "-o", "quiet", "--quiet")
        self.good("run", "img", "img=out/*.png", "-o", "again")

    def test_a_printed_batch_is_short(self):
        for i in range(8):
            self.picture("d/%d.png" % i, (40, 30, 3), seed=i)
        told = self.text("run", "img", "img=d")
        self.assertLess(told.count("\n"), 80)
        self.assertIn("0: uint8[40, 30, 3]@HWC =", told)
        self.assertIn("7: uint8[40, 30, 3]@HWC =", told)
        self.assertIn("\n...\n", told)
        self.assertGreater(self.text("run", "img", "img=d/0.png").count("\n"), 40)


class InPlace(BatchTest):
    """A file is replaced, as by cp; where it is an input, too, it is whole before and after."""

    def test_an_input_is_replaced(self):
        before = np.arange(100000, dtype=np.int32)
        np.save(self.path("x.npy"), before)
        for n in 1, 2:
            self.good("run", "x[::-1] + 1", "x=x.npy", "-o", "x.npy")
        np.testing.assert_array_equal(np.load(self.path("x.npy")), before + 2)
        self.good("run", "x * 2", "x=x.npy", "-o", "./x.npy")
        os.symlink("x.npy", self.path("link.npy"))
        self.good("run", "x + 1", "x=link.npy", "-o", "link.npy")
        np.testing.assert_array_equal(np.load(self.path("x.npy")), (before + 2) * 2 + 1)
        self.assertTrue(os.path.islink(self.path("link.npy")))

    def test_a_failed_run_leaves_it(self):
        np.save(self.path("x.npy"), np.arange(100000, dtype=np.int32))
        before = pathlib.Path(self.path("x.npy")).read_bytes()
        self.bad(1, 60, "run", "x + [1, 2]", "x=x.npy", "-o", "x.npy")
        limit = "ulimit -f 8; exec \"$0\" run 'x + 1' x=x.npy -o x.npy"
        done = subprocess.run(["sh", "-c", limit, WEFT], cwd=self.here, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(pathlib.Path(self.path("x.npy")).read_bytes(), before)
        self.assertEqual(self.files(), ["x.npy"])


class Killed(BatchTest):
    def setUp(self):
        super().setUp()
        for i in range(24):
            self.picture("d/%02d.png" % i, (200, 200, 3), seed=i)

    def start(self):
        return subprocess.Popen([WEFT, "run", HEADLINE, "img=d", "-o", "out", "--threads", "2"],
                                cwd=self.here, stderr=subprocess.PIPE)

    def finish(self, process, number):
        process.send_signal(number)
        status = process.wait(60)
        process.stderr.close()
        return status

    def wait_for_pictures(self, process, count):
        """Until the temporary directory holds so many files."""
        for _ in range(20000):
            left = [name for name in self.files() if name.startswith(".weft-")]
            try:
                if left and len(os.listdir(self.path(left[0] + "/0"))) >= count:
                    return
            except OSError:  # not made yet, or renamed just now
                pass
            if process.poll() is not None:
                return
            time.sleep(0.0005)

    def test_killed_at_any_moment(self):
        start = time.monotonic()
        self.finish(self.start(), 0)
        length = time.monotonic() - start
        subprocess.run(["rm", "-r", self.path("out")], check=True)
        generator, left, times = random.Random(1), 0, sample.number("12/12/12/30")
        for i in range(times):
            process = self.start()
            if i % 2:
                self.wait_for_pictures(process, generator.randrange(24))
            else:
                time.sleep(generator.uniform(0, length))
            status = self.finish(process, signal.SIGKILL)
            left += any(name.startswith(".weft-") for name in self.files())
            if status == 0 or "out" in self.files():
                self.assertEqual(len(os.listdir(self.path("out"))), 24)
                subprocess.run(["rm", "-r", self.path("out")], check=True)
        self.assertGreater(left, times // 6)
        self.good("run", HEADLINE, "img=d", "-o", "out")
        self.assertEqual(self.files(), ["d", "out"])
        self.assertEqual(len(os.listdir(self.path("out"))), 24)

    def test_a_file_is_swept_too(self):
        os.mkfifo(self.path("pipe"))
        process = subprocess.Popen([WEFT, "run", "return a=x, b=x", "x=[1, 2]", "-o", "a=a.npy",
                                    "-o", "b=pipe"], cwd=self.here)
        while not any(name.startswith(".weft-") for name in self.files()):
            time.sleep(0.01)
        self.good("run", "1", "-o", "b.npy")
        self.assertEqual(len(self.files()), 4, "one that is alive is left alone")
        process.kill()
        process.wait()
        self.good("run", "1", "-o", "b.npy")
        self.assertEqual(self.files(), ["b.npy", "d", "pipe"])

    def test_asked_to_end(self):
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            for count in 0, 1, 7, 20:
                process = self.start()
                self.wait_for_pictures(process, count)
                status = self.finish(process, number)
                self.assertIn(status, (0, -number))
                if status == 0 or "out" in self.files():  # the signal may come when all is in place
                    self.assertEqual(len(os.listdir(self.path("out"))), 24)
                    subprocess.run(["rm", "-r", self.path("out")], check=True)
                self.assertEqual(self.files(), ["d"])

    def test_only_what_is_left_over_is_removed(self):
        """Locked by a living process; not of our names; of our name, but a stranger's."""
        os.mkdir(self.path(".weft-1-0"))
        os.mkdir(self.path(".weft-1-1"))
        self.write(".weft-1-1/a.png", b"")
        os.mkdir(self.path(".weft-notes"))
        self.write(".weft-12", b"")
        os.symlink("d", self.path(".weft-3-4"))
        held = os.open(self.path(".weft-1-0"), os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX)
        self.good("run", "img", "img=d/0[01].png", "-o", "out")
        self.assertEqual(self.files(),
                         [".weft-1-0", ".weft-1-1", ".weft-12", ".weft-3-4", ".weft-notes", "d", "out"])
        self.assertEqual(os.listdir(self.path(".weft-1-1")), ["a.png"])
        os.close(held)
        self.good("run", "img", "img=d/0[01].png", "-o", "again")
        self.assertNotIn(".weft-1-0", self.files())

    def test_two_at_once(self):
        processes = [subprocess.Popen([WEFT, "run", HEADLINE, "img=d", "-o", "out%d" % (i % 4)],
                                      cwd=self.here, stderr=subprocess.PIPE) for i in range(6)]
        statuses = [process.wait(60) for process in processes]
        for process in processes:
            process.stderr.close()
        self.assertEqual(self.files(), ["d", "out0", "out1", "out2", "out3"])
        self.assertGreaterEqual(statuses.count(0), 4, "of two to one place the later one fails")
        for i in range(4):
            self.assertEqual(len(os.listdir(self.path("out%d" % i))), 24)

    def test_a_full_device(self):
        """A limit on the size of files stands for it."""
        limit = "ulimit -f 8; exec \"$0\" run 'img' img=d -o out"
        done = subprocess.run(["sh", "-c", limit, WEFT], cwd=self.here, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"cannot write 'out/00.png'", done.stderr)
        self.assertEqual(self.files(), ["d"])


if __name__ == "__main__":
    unittest.main()
