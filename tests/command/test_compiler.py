"""A C compiler that is missing, fails, hangs, is killed or writes nonsense: a diagnostic, and neither
a process nor a file stays behind."""

import os
import shutil
import time
import unittest

import numpy as np

from weft_test import CommandTest


def running(marker):
    """Processes whose command line holds the marker."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % entry, "rb") as file:
                if entry.isdigit() and marker.encode() in file.read():
                    found.append(int(entry))
        except OSError:
            pass
    return found


class Compiler(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        os.environ["WEFT_DISABLE"] = "first,cache"  # so that each kernel needs this compiler

    def compiler(self, body):
        """A compiler that answers --version and otherwise does as `body`, a shell text, says."""
        with open(self.path("cc"), "w") as file:
            file.write('#!/bin/sh\n[ "$1" = --version ] && { echo fake; exit; }\n' + body)
        os.chmod(self.path("cc"), 0o755)
        return {"WEFT_CC": self.path("cc"), "TMPDIR": self.path("tmp")}

    def told(self, code, env):
        told = self.bad(1, code, "run", "x + 1", "x=[1, 2]", "-o", "out.npy", env=env)
        self.assertNotIn("out.npy", self.files())
        self.assertEqual(os.listdir(self.path("tmp")), [])
        return told

    def test_versions(self):
        """Which words for the instruction set a compiler is given depends on its age."""
        for version, old in (("gcc (Ubuntu 9.4.0-1ubuntu1~20.04.2) 9.4.0", True),
                             ("gcc (GCC) 11.5.0 20240719 (Red Hat 11.5.0-2)", False),
                             ("Ubuntu clang version 10.0.0-4ubuntu1", True),
                             ("Debian clang version 14.0.6", False), ("cc: some other", False)):
            env = self.compiler("echo \"$@\" >>%s; exit 1\n" % self.path("flags"))
            with open(self.path("cc")) as file:
                text = file.read()
            with open(self.path("cc"), "w") as file:
                file.write(text.replace("echo fake", "echo '%s'" % version))
            self.told(91, env)
            with open(self.path("flags")) as file:
                machine = [word for word in file.read().split() if word.startswith("-march=")]
            os.unlink(self.path("flags"))
            if machine and machine != ["-march=x86-64"]:
                self.assertEqual("x86-64-v" not in machine[0], old, (version, machine))

    def test_missing(self):
        env = {"WEFT_CC": "/nonexistent/cc", "TMPDIR": self.path("tmp")}
        self.assertIn("apt-get install gcc", self.told(90, env))

    def test_side_by_side(self):
        """Kernels of a program that has to wait are compiled together: each compiler waits for another one."""
        env = self.compiler("""here=%s
mkdir -p $here; touch $here/$$
for i in $(seq 100); do
    [ $(ls $here | wc -l) -ge 2 ] && exec %s "$@"
    sleep 0.1
done
echo nobody came >&2; exit 1
""" % (self.path("started"), shutil.which("gcc") or "cc"))
        text = "return sum(x, -1), x[1:] * 2, max(x * x, axes=0)"
        self.assertIn("out1", self.text("run", text, "x:float32=[[1, 2], [3, 4]]", env=env))
        self.assertGreaterEqual(len(os.listdir(self.path("started"))), 2)

    def test_side_by_side_fails(self):
        """A compiler that fails is told once, whichever thread started it."""
        env = self.compiler("echo it is tired >&2; exit 3\n")
        told = self.bad(1, 91, "run", "return sum(x, -1), x[1:] * 2", "x:float32=[[1, 2], [3, 4]]", env=env)
        self.assertEqual(told.count("it is tired"), 1)

    def test_fails(self):
        told = self.told(91, self.compiler("echo it is tired >&2; exit 3\n"))
        self.assertIn("exit status 3", told)
        self.assertIn("it is tired", told)

    def test_its_first_error_is_told(self):
        """Not all that it says after it."""
        said = ("In file included from k.c:1:", "k.c: In function 'f':", "k.c:7:1: error: unrecognizable insn:",
                "    7 | }", "k.c:7:1: internal compiler error: in extract_insn", "Please submit a full bug report")
        for lines, told in ((said, "k.c:7:1: error: unrecognizable insn:\n(its first error, of 6 lines; WEFT_KEEP="),
                            (("ld: cannot find -lx", "collect2: error: ld returned 1"), "\nld: cannot find -lx\n"),
                            (("no room",), "on a kernel:\nno room\n"), ((), "on a kernel, and it said nothing\n")):
            text = "".join(f'echo "{line}" >&2\n' for line in lines)
            done = self.weft("run", "x + 1", "x=[1]", env=self.compiler(text + "exit 1\n"))
            self.assertEqual(done.returncode, 1)
            self.assertIn(told, done.stderr.decode())
            self.assertLess(done.stderr.count(b"\n"), 4)

    def test_killed_with_a_child(self):
        marker = "271828.%d" % os.getpid()
        self.assertIn("signal 9", self.told(91, self.compiler(
            "sleep %s & touch \"$TMPDIR/left.o\"; kill -9 $$\n" % marker)))
        for _ in range(50):
            if not running(marker):
                break
            time.sleep(0.1)
        self.assertEqual(running(marker), [])

    def test_writes_nonsense(self):
        body = 'while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"\n'
        self.told(93, self.compiler(body))

    def test_writes_nothing(self):
        self.told(93, self.compiler("exit 0\n"))

    def test_no_place_for_temporary_files(self):
        env = {"TMPDIR": self.path("none")}
        self.assertIn("No such file", self.bad(1, 92, "run", "x + 1", "x=[1, 2]", env=env))

    def test_its_folder_is_renamed(self):
        """Whoever may rename it cannot have another one emptied in its place."""
        env = self.compiler('d=$PWD; mv "$d" "$d-away"; mkdir "$d"; touch "$d/thesis"; exit 1\n')
        self.bad(1, 91, "run", "x + 1", "x=[1, 2]", env=env)
        (left, away) = sorted(os.listdir(self.path("tmp")))
        self.assertEqual((os.listdir(self.path("tmp/" + left)), os.listdir(self.path("tmp/" + away))), (["thesis"], []))

    def test_names_that_an_assembler_would_read(self):
        """The path of a source goes into line markers, as the names of folders are."""
        np.save(self.path("x.npy"), np.arange(1000, dtype="u1"))
        evil = self.path('a"\n.err\n#b')
        os.mkdir(evil)
        for cc in "gcc", "clang":
            if shutil.which(cc):
                for env in {"TMPDIR": evil}, {"WEFT_KEEP": evil}:
                    self.good("run", "uint8(x * 1.5)", "x=x.npy", "-o", "out.npy", env=dict(env, WEFT_CC=cc))
                self.assertEqual(np.load(self.path("out.npy"))[:4].tolist(), [0, 2, 3, 4])

    def test_relative_paths(self):
        """Of the compiler and of the folder for temporary files, though the compiler starts elsewhere."""
        env = self.compiler("exec cc \"$@\"\n")
        self.good("run", "x + 1", "x=[1, 2]", env=dict(env, WEFT_CC="./cc", TMPDIR="tmp"))
        self.good("run", "x + 1", "x=[1, 2]", env=dict(env, WEFT_CC="cc", PATH=".:" + os.environ["PATH"], TMPDIR="tmp"))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def need_libtcc(self):
        if self.weft("run", "1", env={"WEFT_CC": "libtcc"}).returncode:
            self.skipTest("the module around libtcc is not there")

    def test_libtcc_does_not_wait(self):
        """Small work is done before the compiler is, which ends with the command."""
        self.need_libtcc()
        marker = "314159.%d" % os.getpid()
        env = self.compiler("exec sleep %s\n" % marker)
        env["WEFT_DISABLE"] = "cache"
        self.assertEqual(self.text("run", "x + 1", "x=[1, 2]", env=env), "out: int32[2] = [2, 3]\n")
        self.assertEqual(running(marker), [])
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_libtcc_alone(self):
        self.need_libtcc()
        env = {"WEFT_CC": "/nonexistent/cc", "WEFT_DISABLE": "cache"}
        done = self.weft("run", "exp(x - 2)", "x=[2.0]", env=env)
        self.assertEqual((done.returncode, done.stdout), (0, b"out: float32[1] = [1.0]\n"))
        self.assertIn(b"warning[W0097]", done.stderr)
        self.bad(1, 90, "run", "x + 1", "x=1", "--tier=none", env=env)

    def test_libtcc_missing(self):
        """The module need not be there, unless it is asked for by name."""
        env = {"WEFT_MODULES": self.path("none"), "WEFT_DISABLE": "cache"}
        self.assertEqual(self.text("run", "x + 1", "x=1", env=env), "out: int32[] = 2\n")
        self.bad(1, 90, "run", "x + 1", "x=1", env=dict(env, WEFT_CC="/nonexistent/cc"))
        self.assertIn("not installed", self.bad(1, 91, "run", "x + 1", "x=1", env=dict(env, WEFT_CC="libtcc")))


if __name__ == "__main__":
    unittest.main()
