"""What a run writes: all outputs or none, whole or not at all, also when it is killed."""

import io
import os
import signal
import stat
import subprocess
import time
import unittest

import numpy as np

from weft_test import WEFT, CommandTest


class Outputs(CommandTest):
    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_names(self):
        self.good("run", "t = a * 2; return s=t+1, d=t-1", "a=[1, 2]", "-o", "s=s.npy", "-o",
                  "t=t.npy", "-o", "s=again.npz")
        self.assertEqual(np.load(self.path("s.npy")).tolist(), [3, 5])
        self.assertEqual(np.load(self.path("t.npy")).tolist(), [2, 4])
        self.assertEqual(np.load(self.path("again.npz"))["s"].tolist(), [3, 5])
        self.assertIn("s, d", self.bad(1, 122, "run", "return s=1, d=2", "-o", "x.npy"))
        self.assertIn("; it has m, s\n",  # and no value within mean
                      self.bad(1, 121, "run", "return m=mean(x), s=x", "x=[1]", "-o", "out=x.npy"))
        self.assertIn("did you mean 'sum'?",
                      self.bad(1, 121, "run", "return sum=1", "-o", "sun=x.npy"))
        self.assertIn("; it has s, d, twice\n",
                      self.bad(1, 121, "run", "twice = a * 2; return s=twice, d=1", "a=1", "-o",
                               "quotient=x.npy"))

    def test_hundreds(self):
        names = ["r%d" % i for i in range(250)]
        words = [word for name in names for word in ("-o", "%s=%s.npy" % (name, name))]
        self.good("run", "return " + ", ".join("%s = x + %d" % (name, i) for i, name in enumerate(names)),
                  "x=[1, 2]", *words)
        self.assertEqual([np.load(self.path(name + ".npy")).tolist() for name in names],
                         [[1 + i, 2 + i] for i in range(250)])
        self.assertEqual(len(self.files()), 250)

    def test_a_path_with_an_equals_sign(self):
        self.good("run", "1", "-o", "./a=b.npy")
        self.assertEqual(self.files(), ["a=b.npy"])

    def test_two_to_one_path(self):
        os.symlink(".", self.path("link"))
        for other in "a.npy", "./a.npy", "link/a.npy":
            self.bad(1, 120, "run", "return x=1, y=2", "-o", "x=a.npy", "-o", "y=" + other)
        self.bad(1, 120, "run", "return x=1, y=2", "-o", "x=-", "-o", "y=-")
        self.assertEqual(self.files(), ["link"])

    def test_places_that_cannot_be_written(self):
        os.mkdir(self.path("d.npy"))
        self.assertIn("directory 'none': No such file or directory; make it first, as by mkdir -p\n",
                      self.bad(1, 123, "run", "1", "-o", "none/a.npy"))
        self.bad(1, 143, "run", "1", "-o", "d.npy")
        os.mkdir(self.path("locked"), 0o555)
        if os.getuid() != 0:
            self.bad(1, 123, "run", "1", "-o", "locked/a.npy")

    def test_before_anything_is_computed(self):
        """The program does not even compile."""
        self.bad(1, 123, "run", "1 +", "-o", "none/a.npy")
        self.bad(2, 106, "run", "1 +", "-o", "a.xyz")

    def test_standard_output(self):
        data = self.good("run", "x + 1", "x=[1, 2]", "-o", "-")
        self.assertEqual(np.load(io.BytesIO(data)).tolist(), [2, 3])
        again = self.good("run", "x + 1", "x=-", "-o", "-", data=data)
        self.assertEqual(np.load(io.BytesIO(again)).tolist(), [3, 4])

    def test_special_files(self):
        self.good("run", "1", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        told = self.bad(1, 123, "run", "return x=1, y=2", "-o", "x=/dev/full", "-o", "y=a.npy")
        self.assertIn("No space left", told)
        self.assertEqual(self.files(), [])

    def test_links_and_modes(self):
        np.save(self.path("old.npy"), np.zeros(3))
        os.chmod(self.path("old.npy"), 0o640)
        os.symlink("old.npy", self.path("link.npy"))
        self.good("run", "x", "x=[1, 2]", "-o", "link.npy")
        self.assertTrue(os.path.islink(self.path("link.npy")))
        self.assertEqual(np.load(self.path("old.npy")).tolist(), [1, 2])
        self.assertEqual(os.stat(self.path("old.npy")).st_mode & 0o777, 0o640)
        old = os.umask(0o027)
        try:
            self.good("run", "1", "-o", "new.npy")
        finally:
            os.umask(old)
        self.assertEqual(os.stat(self.path("new.npy")).st_mode & 0o777, 0o640)

    def test_links_that_lead_nowhere(self):
        """The file is made where they lead, as a shell would."""
        os.mkdir(self.path("d"))
        os.symlink("d/new.npy", self.path("link.npy"))
        os.symlink("link.npy", self.path("again.npy"))
        os.symlink("none/new.npy", self.path("bad.npy"))
        os.symlink("loop.npy", self.path("loop.npy"))
        self.good("run", "[1, 2]", "-o", "again.npy")
        self.assertEqual(np.load(self.path("d/new.npy")).tolist(), [1, 2])
        self.assertTrue(os.path.islink(self.path("again.npy")) and os.path.islink(self.path("link.npy")))
        self.assertIn("No such file", self.bad(1, 123, "run", "1", "-o", "bad.npy"))
        self.bad(1, 123, "run", "1", "-o", "loop.npy")
        self.assertEqual(self.files(), ["again.npy", "bad.npy", "d", "link.npy", "loop.npy"])

    def test_the_input_is_the_output(self):
        np.save(self.path("a.npy"), np.arange(5))
        self.good("run", "a + 1", "a=a.npy", "-o", "a.npy")
        self.assertEqual(np.load(self.path("a.npy")).tolist(), [1, 2, 3, 4, 5])

    def test_all_or_none(self):
        np.save(self.path("a.npy"), np.zeros(5))
        before = self.read("a.npy")
        self.bad(1, 116, "run", "return x=1, y=1.5", "-o", "x=a.npy", "-o", "y=b.png")
        self.assertEqual(self.files(), ["a.npy"])
        self.assertEqual(self.read("a.npy"), before)

    def test_a_png_that_does_not_fit_says_why(self):
        for value, why in [("1.5", "uint8(...)"), ("uint8(3)", "two nor three dimensions"),
                           ("uint8([[[1, 2, 3, 4, 5]]])", "not 1 to 4")]:
            told = self.bad(1, 116, "run", value, "-o", "out.png")
            self.assertIn(why, told)
            self.assertEqual("uint8(...)" in told, value == "1.5")

    def test_a_file_size_limit(self):
        limit = "ulimit -f 1; exec \"$0\" run 'x + y' 'x=x.npy' y=1 -o out.npy"
        np.save(self.path("x.npy"), np.zeros(100000, "f4"))
        done = subprocess.run(["sh", "-c", limit, WEFT], cwd=self.here, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.files(), ["x.npy"])


class Signals(CommandTest):
    """The second output is a pipe nobody reads yet, so the run waits with the first one written to
    its temporary file."""

    @staticmethod
    def heed():
        """Whoever runs the tests may ignore signals, as nohup does."""
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            signal.signal(number, signal.SIG_DFL)

    def start(self):
        os.mkfifo(self.path("pipe"))
        np.save(self.path("x.npy"), np.zeros(100000))
        process = subprocess.Popen([WEFT, "run", "return a=x+1, b=x+2", "x=x.npy", "-o", "a=a.npy",
                                    "-o", "b=pipe"], cwd=self.here, stderr=subprocess.PIPE,
                                   preexec_fn=self.heed)
        for _ in range(600):
            if any(name.startswith(".weft-") for name in self.files()):
                break
            time.sleep(0.05)
        self.assertEqual(len(self.files()), 3, self.files())
        return process

    def test_killed(self):
        for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
            process = self.start()
            time.sleep(0.2)
            process.send_signal(number)
            self.assertEqual(process.wait(60), -number)
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            self.assertEqual(self.files(), ["pipe", "x.npy"])
            os.unlink(self.path("pipe"))

    def test_a_reader_that_goes(self):
        process = self.start()
        with open(self.path("pipe"), "rb") as reader:
            reader.read(10)
        self.assertNotEqual(process.wait(60), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(self.files(), ["pipe", "x.npy"])

    def test_a_reader_that_stays(self):
        process = self.start()
        with open(self.path("pipe"), "rb") as reader:
            self.assertEqual(np.load(io.BytesIO(reader.read()))[0], 2)
        self.assertEqual(process.wait(60), 0)
        process.stderr.close()
        self.assertEqual(self.files(), ["a.npy", "pipe", "x.npy"])


class Shortened(CommandTest):
    def test_nan_is_told(self):
        """What is left out may hide NaN and infinities, so they are counted."""
        for dtype in "float16", "bfloat16", "float32", "float64":
            text = ("cast(where(i == 700, nan, where(i == 800 or i == 900, -1.0, 1.0) / (i != 800 and i != 900)), %s)" %
                    dtype)
            told = self.text("run", "i = arange(2000); " + text)
            self.assertTrue(told.startswith("out: %s[2000], 1 nan, 2 inf = [1.0, 1.0, 1.0, ...," % dtype), told)
            told = self.text("run", "i = arange(2000); reshape(%s, [2, 1000])[:, :, None]" % text)
            self.assertTrue(told.startswith("out: %s[2, 1000, 1], 1 nan, 2 inf =\n[[[1.0]," % dtype), told)
        self.assertEqual(self.text("run", "1.0 / arange(2)"), "out: float32[2] = [inf, 1.0]\n")  # they can be seen
        self.assertIn("out: int32[2000] = [", self.text("run", "arange(2000)"))

if __name__ == "__main__":
    unittest.main()
