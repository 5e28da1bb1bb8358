"""A signal ends the command at once, whatever it does: by that signal, without a word, and neither a process nor a
file stays behind."""

import io
import os
import shutil
import signal
import subprocess
import time
import unittest

import numpy as np

from test_compiler import running
from weft_test import WEFT, CommandTest

SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP


def heed():
    """Whoever runs the tests may ignore signals, as nohup does."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


class Signals(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.marker = "%d.%d" % (os.getpid(), time.monotonic_ns() % 10**9)
        # It answers what it is and then hangs, with a child, files and an ear for no signal but SIGKILL.
        with open(self.path("cc"), "w") as file:
            file.write("#!/bin/sh\n[ \"$1\" = --version ] && { echo fake; exit; }\ntrap '' INT TERM HUP\n"
                       "touch more.o\nsleep 1000000%s & wait\n" % self.marker)
        os.chmod(self.path("cc"), 0o755)
        self.env = {"WEFT_CC": self.path("cc"), "TMPDIR": self.path("tmp"), "WEFT_DISABLE": "first,cache"}

    def hung(self):
        """Folders may go while they are looked for."""
        return any(os.path.exists(self.path("tmp/%s/more.o" % name)) for name in os.listdir(self.path("tmp")))

    def end(self, number, begun, *arguments, env=None, between=0, under=()):
        """Starts the command and, once it has begun, sends it the signal."""
        process = subprocess.Popen([*under, WEFT, *arguments], cwd=self.here, env=dict(os.environ, **(env or self.env)),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed)
        while not begun() and process.poll() is None:
            time.sleep(0.002)
        time.sleep(between)
        process.send_signal(number)
        out, told = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, told), (-number, b"", b""), arguments)
        for _ in range(500):
            if not running(self.marker):
                break
            time.sleep(0.01)
        self.assertEqual(running(self.marker), [])
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_hung_compiler(self):
        before = self.files()
        for number in SIGNALS:
            self.end(number, self.hung, "run", "x + 1", "x=[1, 2]", "-o", "out.npy")
        self.end(SIGNALS[0], self.hung, "run", "x + 1", "x=[1, 2]", "--time")
        self.end(SIGNALS[0], self.hung, "show", "x + 1", "x=int8[2]", "--stage", "asm")
        self.assertEqual(self.files(), before)

    def test_a_compiler_that_does_not_say_what_it_is(self):
        with open(self.path("cc")) as file:
            text = file.read()
        with open(self.path("cc"), "w") as file:
            file.write(text.replace("{ echo fake; exit; }", "true"))
        self.end(signal.SIGINT, self.hung, "run", "x + 1", "x=[1, 2]")

    def test_a_compiler_in_the_background(self):
        """While first kernels compute for as long as there is work."""
        if self.weft("run", "1", env={"WEFT_CC": "libtcc"}).returncode:
            self.skipTest("the module around libtcc is not there")
        np.save(self.path("x.npy"), np.zeros((600000, 1), "f4"))
        np.save(self.path("y.npy"), np.zeros((1, 600000), "f4"))
        self.end(signal.SIGINT, self.hung, "run", "sum(sin(x + y))", "x=x.npy", "y=y.npy",
                 env=dict(self.env, WEFT_DISABLE="cache"))

    def test_two_signals(self):
        """The second one comes while the first is obeyed."""
        process = subprocess.Popen([WEFT, "run", "x + 1", "x=[1, 2]"], cwd=self.here, env=dict(os.environ, **self.env),
                                   stderr=subprocess.PIPE, preexec_fn=heed)
        while not self.hung():
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.communicate(timeout=60)[1], b"")
        self.assertIn(process.returncode, (-signal.SIGINT, -signal.SIGTERM))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_a_long_kernel(self):
        """1,500 terms: at any moment from reading the text to the real compiler."""
        with open(self.path("terms.weft"), "w") as file:
            file.write("return " + " + ".join("sin(x * %d.5)" % i for i in range(1500)) + "\n")
        env = {"TMPDIR": self.path("tmp"), "WEFT_DISABLE": "first,cache"}
        for between in 0.02, 0.1, 0.4:
            self.end(signal.SIGINT, lambda: True, "run", "terms.weft", "x=[1, 2]", "-o", "out.npy", env=env,
                     between=between)
        self.end(signal.SIGTERM, lambda: os.listdir(self.path("tmp")), "run", "terms.weft", "x=[1, 2]", env=env)

    def test_computing(self):
        """What takes minutes ends all the same."""
        np.save(self.path("x.npy"), np.zeros((600000, 1), "f4"))
        np.save(self.path("y.npy"), np.zeros((1, 600000), "f4"))
        for number in SIGNALS:
            self.end(number, lambda: True, "run", "sum(sin(x + y))", "x=x.npy", "y=y.npy", "-o", "out.npy",
                     env={"TMPDIR": self.path("tmp")}, between=1)

    @unittest.skipUnless(shutil.which("strace"), "strace is not here")
    def test_a_folder_that_takes_long(self):
        """The signal comes while the folder of unfinished outputs is made: it goes as well."""
        under = ["strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e", "trace=flock",
                 "-e", "inject=flock:delay_exit=400000"]
        if subprocess.run([*under, "true"], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("strace may not trace here")
        before = self.files()
        self.end(signal.SIGINT, lambda: any(name.startswith(".weft-") for name in os.listdir(self.here)),
                 "run", "x + 1", "x=[1, 2]", "-o", "out.npy",
                 env={"TMPDIR": self.path("tmp"), "WEFT_DISABLE": "first,cache"}, under=under)
        self.assertEqual(self.files(), before)

    def test_ignored(self):
        """As nohup asks."""
        process = subprocess.Popen(["sh", "-c", "trap '' HUP; exec \"$0\" run x x=-", WEFT], cwd=self.here,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        time.sleep(0.3)
        process.send_signal(signal.SIGHUP)
        data = io.BytesIO()
        np.save(data, np.arange(3))
        self.assertIn(b"[0, 1, 2]", process.communicate(data.getvalue(), timeout=60)[0])
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main()
