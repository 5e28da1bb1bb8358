"""Two versions of Weft over one cache, alternately and at once; and a C compiler that is replaced by another version, a
broken one or a slower one, between runs and during them. Each run has its own version's and its own compiler's answer:
the other version and the other compiler here compute x - 1 where x + 1 is meant, so a kernel that is taken for
another's is seen.

The other version is the library with some bytes changed: what addition means in C, the number of the cache's format,
or the word at the end of an entry."""

import os
import pathlib
import random
import subprocess
import sys
import unittest

import test_cache

# (what the bytes are, what they become), of one length. The first is a kernel's text, the second goes into its key.
MEANING = b"(T)((U)A + (U)B)\0", b"(T)((U)A - (U)B)\0"
FORMAT = b"weft kernel %d%c", b"weft kernel 1%%c"
ENTRY = b"WEFTENT1", b"WEFTENT2"
RIGHT, OTHER = "[2, 3]", "[0, 1]"  # [1, 2] + 1, and minus


def library():
    """The library that the command loads."""
    lines = subprocess.run(["ldd", test_cache.WEFT], stdout=subprocess.PIPE, check=True).stdout.decode().split("\n")
    return [pathlib.Path(line.split()[2]) for line in lines if line.strip().startswith("libweft.so")][0]


class VersionsTest(test_cache.CacheTest):
    def other(self, *changes):
        """The settings with which the command is another version."""
        real = library()
        data = real.read_bytes()
        for old, new in changes:
            self.assertTrue(data.count(old) and len(old) == len(new), old)  # in data, or in code that was unrolled
            data = data.replace(old, new)
        folder = pathlib.Path(self.path("other"))
        folder.mkdir(exist_ok=True)
        (folder / real.name).write_bytes(data)
        return {"LD_LIBRARY_PATH": str(folder), "WEFT_MODULES": str(real.parent)}

    def at_once(self, settings):
        """Runs all at once, each with settings of its own; the outputs."""
        running = [subprocess.Popen([test_cache.WEFT, "run", "x + 1", "x=[1, 2]"], cwd=self.here,
                                    env=dict(os.environ, **{**self.env, **more}), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT) for more in settings]
        return [process.communicate(timeout=300)[0].decode() for process in running]


class Versions(VersionsTest):
    def test_another_meaning_alternately(self):
        other = self.other(MEANING)
        for origin in "compiled", "disk", "disk":
            self.expect(origin, answer=RIGHT)
            self.expect(origin, answer=OTHER, **other)
        self.assertEqual(self.starts(), 2)
        self.assertEqual(self.cache("verify"), "2 sound, 0 damaged\n")

    def test_another_meaning_at_once(self):
        other = self.other(MEANING)
        self.compiler("sleep 0.5")
        for _ in range(2):
            outs = self.at_once([{}, other] * 8)
            self.assertEqual(outs, ["out: int32[2] = %s\n" % answer for answer in (RIGHT, OTHER)] * 8)
        self.assertEqual(self.starts(), 2)
        self.assertEqual(self.cache("verify"), "2 sound, 0 damaged\n")

    def test_another_format(self):
        """Neither sees the other's entries, and both count in what is kept."""
        other = self.other(FORMAT)
        for origin in "compiled", "disk":
            self.expect(origin)
            self.expect(origin, **other)
        self.assertEqual(len(self.entries()), 2)
        self.assertIn("2 files removed", self.cache("clear"))

    def test_another_form_of_entries(self):
        """Under one key, which must not happen: each takes the other's entry for damaged, and makes its own."""
        other = self.other(ENTRY)
        for _ in range(2):
            self.expect("compiled")
            self.expect("disk")
            self.expect("compiled", **other)
            self.expect("disk", **other)
        self.assertIn("1 damaged", self.cache("verify", status=1))
        self.assertEqual(self.at_once([{}, other] * 4), ["out: int32[2] = %s\n" % RIGHT] * 8)
        self.assertEqual(self.temporaries(), [])

    def test_both_under_a_small_cap(self):
        """Each removes the other's entries, under its feet."""
        other = self.other(MEANING)
        outs = self.at_once([dict(more, WEFT_CACHE_SIZE="0") for more in ({}, other)] * 6)
        self.assertEqual(outs, ["out: int32[2] = %s\n" % answer for answer in (RIGHT, OTHER)] * 6)
        self.assertEqual(self.entries(), [])


class Replaced(VersionsTest):
    """The compiler is `mycc` in PATH, and comes into its place by a rename."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("bin"))
        self.env.update(WEFT_CC="mycc", PATH=self.path("bin") + ":" + os.environ["PATH"])
        self.answers = {}
        minus = r"sed -i -E 's/(\(u32\)\w+) \+ /\1 - /' k.c"
        self.kind("old", "cc (Old) 12.1", ":", RIGHT)
        self.kind("new", "cc (New) 13.2", minus, OTHER)
        self.kind("slow", "cc (Slow) 13.2", "sleep 0.3; " + minus, OTHER)
        self.kind("broken", "cc (Broken) 14.0", "exit 3", None)
        self.kind("killed", "cc (Killed) 14.1", "kill -SEGV $$", None)
        self.kind("mute", None, ":", None)

    def kind(self, name, version, before, answer):
        path = pathlib.Path(self.path(name))
        says = "exit 1" if version is None else "echo '%s'; exit" % version
        path.write_text("#!/bin/sh\n[ \"$1\" = --version ] && { %s; }\necho %s >>%s\n%s\nexec %s \"$@\"\n"
                        % (says, name, self.path("starts"), before, test_cache.REAL_CC))
        path.chmod(0o755)
        self.answers[name] = answer

    def install(self, name):
        """The same file each time, so one that comes again is the one it was."""
        place = pathlib.Path(self.path("bin/mycc"))
        new = place.with_name("new")
        new.unlink(missing_ok=True)
        os.link(self.path(name), new)
        new.replace(place)

    def run_with(self, name, made):
        """Runs with this compiler, which has made its kernel before or not."""
        self.install(name)
        if self.answers[name]:
            self.expect("disk" if name in made else "compiled", answer=self.answers[name])
            made.add(name)
        else:
            self.bad(1, 91, "run", "x + 1", "x=[1, 2]", env=self.env)

    def test_in_any_order(self):
        seed = random.randrange(1 << 30)
        chance, made = random.Random(seed), set()
        with self.subTest(seed=seed):
            for name in [*self.answers, *chance.choices(list(self.answers), k=18)]:
                self.run_with(name, made)
            self.assertEqual(self.cache("verify"), "3 sound, 0 damaged\n")
            self.assertEqual(len(self.entries()), 3)
            told = self.cache("list")
            for word in "Old", "New", "Slow":
                self.assertIn(word, told)

    def test_while_others_run(self):
        """An answer is that of a compiler that was there; what is kept is its own."""
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        self.install("old")
        with self.subTest(seed=seed):
            for _ in range(12):
                running = [subprocess.Popen([test_cache.WEFT, "run", "x + 1", "x=[1, 2]"], cwd=self.here,
                                            env=dict(os.environ, **self.env), stdout=subprocess.PIPE,
                                            stderr=subprocess.PIPE) for _ in range(3)]
                self.install(chance.choice(list(self.answers)))
                for process in running:
                    out, told = (text.decode() for text in process.communicate(timeout=120))
                    self.assertIn(process.returncode, (0, 1), told)
                    if process.returncode:
                        self.assertRegex(told, r"error\[W009\d\]")
                    else:
                        self.assertIn(out, ["out: int32[2] = %s\n" % answer for answer in (RIGHT, OTHER)])
            for name, answer in self.answers.items():
                self.install(name)
                if answer:
                    self.assertIn(answer, self.run_one()[0], name)
            self.assertIn(" 0 damaged", self.cache("verify"))
            self.assertEqual(self.temporaries(), [])
            self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_with_first_kernels(self):
        """libtcc answers at once; what the broken compiler fails at is a warning, and the next one is asked again."""
        if self.weft("run", "1", env={"WEFT_CC": "libtcc"}).returncode:
            self.skipTest("the module around libtcc is not there")
        self.env["WEFT_DISABLE"] = ""
        for name in "old", "broken", "old", "killed", "old":
            self.install(name)
            done = self.weft("run", "x + 1", "x=[1, 2]", "--time", env=self.env)
            self.assertEqual((done.returncode, done.stdout), (0, b"out: int32[2] = [2, 3]\n"), (name, done.stderr))
            self.assertEqual(b"warning" in done.stderr, self.answers[name] is None, (name, done.stderr))
        self.assertEqual(len(self.entries()), 1)


if __name__ == "__main__":
    sys.exit(unittest.main())
