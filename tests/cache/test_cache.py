"""The disk cache through the command, and what may go wrong with it: damage, races, processes killed
at any moment, directories that are read-only, full, noexec, another user's or no directory, a clock
that goes backwards, a compiler that is replaced.

    test_cache.py               what `meson test` runs
    KILLS=1000 test_cache.py Kills      more processes to kill (40 otherwise, and 8 in layers below the full one)"""

import fcntl
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import sample  # noqa: E402
from weft_test import WEFT, CommandTest  # noqa: E402

KILLS = sample.setting("KILLS", "8/8/8/40")
REAL_CC = shutil.which(os.environ.get("WEFT_CC") or "cc") or "cc"


def private_mount(path="/tmp"):
    """What to put before a command so that it may mount, or None."""
    before = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-r", "-m"]
    try:
        done = subprocess.run(before + ["mount", "-t", "tmpfs", "none", path],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return None
    return before if done.returncode == 0 else None


class CacheTest(CommandTest):
    """Each test has a cache of its own, and a compiler that writes a line for each time it starts."""

    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        self.env = {"WEFT_CACHE": self.path("cache"), "TMPDIR": self.path("tmp"),
                    "WEFT_CC": self.path("cc"), "WEFT_DISABLE": "first"}
        self.compiler("")

    def compiler(self, before):
        """A compiler that does `before`, a shell text, before it compiles."""
        with open(self.path("cc"), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\n[ "$1" = --version ] || { echo compile >>%s; %s\n}\nexec %s "$@"\n'
                       % (self.path("starts"), before or ":", REAL_CC))
        os.chmod(self.path("cc"), 0o755)

    def starts(self):
        """How often a kernel was compiled."""
        try:
            return len(pathlib.Path(self.path("starts")).read_text(encoding="utf-8").split())
        except FileNotFoundError:
            return 0

    def run_one(self, text="x + 1", value="[1, 2]", before=(), **env):
        """The result's text, where the kernel came from (compiled, disk), and what else was told."""
        done = subprocess.run([*before, WEFT, "run", text, "x=" + value, "--time"], cwd=self.here,
                              env=dict(os.environ, **{**self.env, **env}), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False)
        told = done.stderr.decode()
        self.assertEqual(done.returncode, 0, told)
        counts = re.search(r"(\d+) compiled, (\d+) from disk", told)
        lines = [line for line in told.splitlines() if not re.match("(compile|first|run) ", line)]
        return (done.stdout.decode(), {"10": "compiled", "01": "disk"}["".join(counts.groups())],
                "\n".join(lines))

    def expect(self, origin, text="x + 1", answer="[2, 3]", told="", **more):
        out, where, words = self.run_one(text, **more)
        self.assertIn(answer, out)
        self.assertEqual((where, words), (origin, told))

    def note(self, **more):
        """A run that answers and says once that nothing is kept; the words."""
        out, where, words = self.run_one(**more)
        self.assertIn("[2, 3]", out)
        self.assertEqual(where, "compiled")
        self.assertEqual(words.count("note[W0094]"), 1, words)
        return words

    def cache(self, *words, status=0):
        done = self.weft("cache", *words, env=self.env)
        self.assertEqual(done.returncode, status, done)
        return done.stdout.decode() + done.stderr.decode()

    def entries(self):
        return sorted(pathlib.Path(self.path("cache")).glob("??/*.so"))

    def temporaries(self):
        return sorted(pathlib.Path(self.path("cache")).glob("??/*.tmp"))


class Use(CacheTest):
    def test_second_process_starts_none(self):
        self.expect("compiled")
        self.expect("disk")
        os.chmod(self.path("cc"), 0o755)  # another time of change, not of modification
        self.expect("disk")
        self.assertEqual(self.starts(), 1)
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(self.temporaries(), [])
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def test_no_version_is_asked_on_a_hit(self):
        self.expect("compiled")
        with open(self.path("cc"), "r+", encoding="utf-8") as file:
            script = file.read()
        stamp = os.stat(self.path("cc"))
        with open(self.path("cc"), "r+", encoding="utf-8") as file:  # as long, and fails
            file.write(script.replace("#!/bin/sh\n[", "#!/bin/no\n["))
        os.utime(self.path("cc"), ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        self.expect("disk")

    def test_programs_that_share_a_kernel(self):
        self.expect("compiled", text="a = x * 2\na + 1", answer="[3, 5]")
        self.expect("disk", text="b = x * 5\nb + 7", answer="[12, 17]")

    def test_flags_math_and_disable(self):
        self.expect("compiled")
        self.expect("compiled", WEFT_CFLAGS="-DSOMETHING")
        self.expect("disk", WEFT_CFLAGS="-DSOMETHING")
        self.expect("compiled", WEFT_DISABLE="first,cache")
        self.expect("compiled", WEFT_CACHE="")
        self.assertEqual(len(self.entries()), 2)

    def test_default_places(self):
        with open(self.path("none"), "w", encoding="utf-8"):
            pass
        plain = {key: value for key, value in self.env.items() if key != "WEFT_CACHE"}
        self.env = plain
        environ = {key: os.environ.pop(key, None) for key in ("WEFT_CACHE", "XDG_CACHE_HOME", "HOME")}
        try:
            self.expect("compiled")
            self.expect("compiled")
            os.mkdir(self.path("home"))
            self.expect("compiled", HOME=self.path("home"))
            self.expect("disk", HOME=self.path("home"))
            self.assertTrue(os.path.isdir(self.path("home/.cache/weft")))
            self.expect("compiled", HOME=self.path("home"), XDG_CACHE_HOME=self.path("x/y"))
            self.assertTrue(os.path.isdir(self.path("x/y/weft")))
            self.assertEqual(os.stat(self.path("x")).st_mode & 0o777, 0o700)
        finally:
            os.environ.update({key: value for key, value in environ.items() if value is not None})

    def test_a_home_that_is_not_there(self):
        home = self.path("nobody")
        env = {**os.environ, **self.env, "HOME": home}
        for name in "WEFT_CACHE", "XDG_CACHE_HOME":
            env.pop(name, None)
        done = subprocess.run([WEFT, "run", "x + 1", "x=1"], env=env, cwd=self.here, capture_output=True, check=True)
        self.assertEqual((done.stdout, done.stderr), (b"out: int32[] = 2\n", b""))
        self.assertFalse(os.path.exists(home))

    def test_command(self):
        self.assertEqual(self.cache("path"), self.path("cache") + "\n")
        self.assertEqual(self.cache("list"), "0 kernels, 0 bytes\n")
        self.assertFalse(os.path.exists(self.path("cache")))
        self.expect("compiled")
        self.expect("compiled", text="x * 2", answer="[2, 4]")
        listed = self.cache("list")
        self.assertEqual(len(listed.splitlines()), 3)
        for entry in self.entries():
            self.assertIn(entry.stem, listed)
        self.assertEqual(self.cache("verify"), "2 sound, 0 damaged\n")
        self.entries()[0].write_bytes(b"short")
        told = self.cache("verify", status=1)
        self.assertIn(str(self.entries()[0]) + ": error[W0136]", told)
        self.assertIn("1 sound, 1 damaged\n", told)
        self.assertEqual(len(self.entries()), 2)
        os.utime(self.entries()[0], (1, 1))
        self.assertIn("1 file removed, 5 bytes",
                      self.cache("prune", "--size", str(self.entries()[1].stat().st_size)))
        self.assertEqual(len(self.entries()), 1)
        mine = pathlib.Path(self.path("cache/mine"))
        mine.write_text("keep", encoding="utf-8")
        self.assertIn("1 file removed", self.cache("clear"))
        self.assertEqual(os.listdir(self.path("cache")), ["mine"])
        self.assertEqual(self.cache("list"), "0 kernels, 0 bytes\n")

    def test_list_tells_expressions(self):
        with open(self.path("k.weft"), "w", encoding="utf-8") as file:
            file.write("kernel half(x: float32[n]) { return out = x / 2 }\n")
        for text, value in (("y = x * 2  # twice\nz = (y +\n  1)\n\nz", "x=[1, 2]"), ("k.weft:half", "x=[1.5, 2]"),
                            ("x - " + "+ ".join(["x"] * 200), "x=[1.5]")):
            self.good("run", text, value, env=self.env)
        listed = self.cache("list")
        self.assertIn("  y = x * 2; z = (y + 1); z  [", listed)
        self.assertIn("  k.weft:half  [", listed)
        self.assertIn("  x - x+ x+ x", listed)
        self.assertLess(max(map(len, listed.splitlines())), 350)

    def test_short_runs_leave_their_kernel(self):
        """Those of files, whose data the next one has again; not those of literals."""
        env = dict(self.env, WEFT_DISABLE="")
        if "first" in self.weft("run", "1", env=dict(env, WEFT_CC="libtcc")).stderr.decode():
            self.skipTest("there is no libtcc")
        os.mkdir(self.path("d"))
        for name in "a.npy", "d/b.npy":
            self.good("run", "[1, 2]", "-o", name)
        data = pathlib.Path(self.path("a.npy")).read_bytes()
        for value in "x=[1, 2]", "x=a.npy", "x=d", "x=-":
            self.good("run", "x * 3", value, env=env, data=data)
            self.assertEqual(len(self.entries()), 0 if value == "x=[1, 2]" else 1, value)
            self.cache("clear")

    def test_command_used_wrongly(self):
        for words in (["brew"], [], ["list", "more"], ["prune", "--size", "x"], ["prune", "--size", "1KB"]):
            self.cache(*words, status=2)
        self.env["WEFT_CACHE"] = self.path("cc")
        self.assertIn("error[W0095]", self.cache("list", status=1))
        self.assertIn("error[W0095]", self.cache("clear", status=1))


class Damage(CacheTest):
    def test_damaged_entries_are_replaced(self):
        self.expect("compiled")
        entry = self.entries()[0]
        good = entry.read_bytes()
        places = {0, 1, len(good) - 1, len(good) - 17, len(good) - 30, len(good) - 48, *random.Random(
            5).sample(range(len(good)), 6)}
        for place in sorted(places):
            bad = bytearray(good)
            bad[place] ^= 0x40
            entry.write_bytes(bad)
            self.expect("compiled")
            self.expect("disk")
        for length in (0, 1, 47, 48, 4096, len(good) - 1):
            entry.write_bytes(good[:length])
            self.expect("compiled")
            self.expect("disk")

    def test_entries_exchanged(self):
        self.expect("compiled")
        self.expect("compiled", text="x * 3", answer="[3, 6]")
        first, second = self.entries()
        first_bytes, second_bytes = first.read_bytes(), second.read_bytes()
        first.write_bytes(second_bytes)
        second.write_bytes(first_bytes)
        self.cache("verify", status=1)
        self.expect("compiled")
        self.expect("compiled", text="x * 3", answer="[3, 6]")
        self.expect("disk")
        self.expect("disk", text="x * 3", answer="[3, 6]")

    def test_links_in_the_place_of_entries(self):
        self.expect("compiled")
        entry = self.entries()[0]
        entry.rename(self.path("victim"))
        entry.symlink_to(self.path("victim"))
        before = pathlib.Path(self.path("victim")).read_bytes()
        self.expect("compiled")
        self.assertFalse(entry.is_symlink())
        self.expect("disk")
        self.assertEqual(pathlib.Path(self.path("victim")).read_bytes(), before)

    def test_what_is_no_file_in_the_place_of_entries(self):
        self.expect("compiled")
        (entry,) = self.entries()
        for make in os.mkfifo, os.mkdir:
            entry.unlink()
            make(entry)
            self.assertIn(entry.name, self.cache("verify", status=1))
            self.expect("compiled")
            self.expect("disk")
        entry.unlink()
        entry.mkdir()
        self.assertIn("1 file removed", self.cache("clear"))
        self.assertFalse(entry.exists())
        entry.mkdir(parents=True)
        (entry / "thesis").touch()
        self.assertIn(entry.name, self.note())
        self.assertIn(entry.name, self.cache("clear", status=1))
        self.assertTrue((entry / "thesis").exists())

    def test_a_shard_that_others_may_write(self):
        """It is told, not the cache itself, and nobody says that all is well in it."""
        self.expect("compiled")
        (entry,) = self.entries()
        os.chmod(entry.parent, 0o777)
        name = "%s/%s" % (self.path("cache"), entry.parent.name)
        told = self.cache("verify", status=1)
        self.assertIn(name + ": error[W0149]", told)
        self.assertIn("0 sound, 0 damaged, 1 directory not looked into\n", told)
        self.assertIn("0 kernels", self.cache("list"))
        self.assertIn("'%s'" % name, self.note())
        self.assertIn("'%s'" % name, self.cache("clear", status=1))
        os.chmod(entry.parent, 0o700)
        self.assertEqual(self.cache("verify"), "1 sound, 0 damaged\n")

    def test_a_compiler_that_writes_nonsense_is_not_kept(self):
        self.compiler('while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"; exit 0')
        self.bad(1, 93, "run", "x + 1", "x=[1, 2]", env=self.env)
        self.assertEqual(self.entries(), [])
        self.compiler("")
        self.expect("compiled")


class Compiler(CacheTest):
    def test_upgraded(self):
        self.expect("compiled")
        script = pathlib.Path(self.path("cc")).read_text(encoding="utf-8")
        pathlib.Path(self.path("cc")).write_text(script, encoding="utf-8")  # in place: another time
        self.expect("compiled")
        pathlib.Path(self.path("cc")).write_text(script + "\n", encoding="utf-8")
        self.expect("compiled")
        new = pathlib.Path(self.path("new"))  # another file with the same size and time
        new.write_text(script + "\n", encoding="utf-8")
        new.chmod(0o755)
        stamp = os.stat(self.path("cc"))
        os.utime(new, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
        new.rename(self.path("cc"))
        self.expect("compiled")
        self.expect("disk")
        self.assertEqual(len(self.entries()), 4)

    def test_replaced_while_it_compiles(self):
        """What it made may be of the old or the new one: it is used and not kept."""
        self.compiler("touch -d '2001-01-01' %s" % self.path("cc"))
        self.expect("compiled")
        self.assertEqual(self.entries(), [])

    def test_behind_a_link(self):
        os.rename(self.path("cc"), self.path("cc-1"))
        shutil.copy(self.path("cc-1"), self.path("cc-2"))
        os.symlink("cc-1", self.path("cc"))
        self.expect("compiled")
        os.unlink(self.path("cc"))
        os.symlink("cc-2", self.path("cc"))
        self.expect("compiled")
        self.expect("disk")

    def test_one_that_PATH_leads_to(self):
        for name in "ab":
            os.mkdir(self.path(name))
            shutil.copy(self.path("cc"), self.path(name + "/mycc"))
        path = os.environ["PATH"]
        self.expect("compiled", WEFT_CC="mycc", PATH=self.path("a") + ":" + path)
        self.expect("compiled", WEFT_CC="mycc", PATH=self.path("b") + ":" + path)
        self.expect("disk", WEFT_CC="mycc", PATH=self.path("a") + ":" + path)


class Races(CacheTest):
    def race(self, texts):
        """Runs them all at once; the standard outputs."""
        running = [subprocess.Popen([WEFT, "run", text, "x=[1, 1]"], cwd=self.here,
                                    env=dict(os.environ, **self.env), stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT) for text in texts]
        return [process.communicate(timeout=300)[0].decode() for process in running]

    def test_64_processes_on_one_key(self):
        self.compiler("sleep 2")  # until all have started
        for out in self.race(["x + 1"] * 64):
            self.assertEqual(out, "out: int32[2] = [2, 2]\n")
        self.assertEqual(self.starts(), 1)
        self.assertEqual(self.cache("verify"), "1 sound, 0 damaged\n")

    def test_64_processes_on_8_keys(self):
        self.compiler("sleep 2")
        texts = ["+".join(["x"] * (i % 8 + 2)) for i in range(64)]
        for i, out in enumerate(self.race(texts)):
            self.assertEqual(out, "out: int32[2] = [%d, %d]\n" % (i % 8 + 2, i % 8 + 2))
        self.assertEqual(self.starts(), 8)
        self.assertEqual(self.cache("verify"), "8 sound, 0 damaged\n")
        self.assertEqual(self.temporaries(), [])

    def test_64_processes_on_a_damaged_entry(self):
        self.expect("compiled")
        self.entries()[0].write_bytes(b"damaged")
        self.compiler("sleep 2")
        self.expect("compiled")  # of the new compiler's
        self.entries()[0].write_bytes(b"damaged")
        self.entries()[1].write_bytes(b"damaged")
        before = self.starts()
        self.race(["x + 1"] * 64)
        self.assertEqual(self.starts(), before + 1)

    def test_sweeping_while_others_run(self):
        """A cap of nothing: whatever is written is removed at once, under everybody's feet."""
        self.env["WEFT_CACHE_SIZE"] = "0"
        for out in self.race(["+".join(["x"] * (i % 4 + 2)) for i in range(16)]):
            self.assertRegex(out, r"^out: int32\[2\] = \[\d+, \d+\]\n$")
        self.assertEqual(self.entries(), [])

    def test_a_lock_that_stays(self):
        """Some process that hangs with the lock: ten seconds, then all goes on without it."""
        self.expect("compiled")
        self.entries()[0].unlink()
        with open(self.path("cache/lock"), "r+b") as file:
            every = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(file, getattr(fcntl, "F_OFD_SETLK", 37), every)
            self.expect("compiled")
        self.expect("disk")

    def test_a_failing_compiler_fails_for_each(self):
        self.compiler("sleep 0.2; exit 3")
        for out in self.race(["x + 1"] * 4):
            self.assertIn("W0091", out)
        self.assertEqual(self.entries(), [])


class Kills(CacheTest):
    def test_killed_at_random_moments(self):
        seed = random.randrange(1 << 30)
        chance = random.Random(seed)
        self.env["WEFT_CC"] = REAL_CC
        texts = ["+".join(["x"] * (i + 2)) for i in range(4)]
        begin = time.monotonic()
        self.run_one(texts[0])
        span = time.monotonic() - begin  # of one run, kept up to date as the machine is more or less busy
        killed = 0
        for i in range(2 * KILLS):
            if killed == KILLS:
                break
            text = chance.choice(texts)
            for entry in self.entries():
                entry.unlink()
            process = subprocess.Popen([WEFT, "run", text, "x=[1, 1]"], cwd=self.here,
                                       env=dict(os.environ, **self.env), stdout=subprocess.DEVNULL)
            # Half of them anywhere, half near the end, where the entry is written.
            time.sleep(span * (chance.random() if i % 2 else chance.uniform(0.7, 1.0)))
            process.send_signal(signal.SIGKILL)
            late = process.wait(60) != -signal.SIGKILL
            span *= 0.9 if late else 1.02
            killed += not late
            if i % 10 == 9:
                self.cache("verify")
        told = "seed %d, %d killed of %d, %d temporaries left" % (seed, killed, i,
                                                                 len(self.temporaries()))
        print("# " + told)
        self.assertEqual(killed, KILLS, told)
        self.assertIn(" 0 damaged", self.cache("verify"), told)
        for i, text in enumerate(texts):
            answer = "[%d, %d]" % (i + 2, i + 2)
            self.assertIn(answer, self.run_one(text, value="[1, 1]")[0], told)
            self.expect("disk", text=text, answer=answer, value="[1, 1]")

    @unittest.skipUnless(shutil.which("strace"), "strace is not here")
    def test_killed_at_every_system_call(self):
        """Those that touch files, one after the other, a seventh of them below the full layer; the compiler copies what
        was compiled before."""
        self.expect("compiled")
        image = self.path("image")
        data = self.entries()[0].read_bytes()
        pathlib.Path(image).write_bytes(data[:struct.unpack("<Q", data[-40:-32])[0]])
        self.compiler('while [ "$1" != -o ]; do shift; done; cp %s "$2"; exit 0' % image)
        calls = "openat,write,renameat,rename,unlinkat,mkdirat,mkdir,fcntl,close,utimensat,pread64"
        survived = False
        for nth in range(1, 400, sample.number("7/7/7/1")):
            shutil.rmtree(self.path("cache"), ignore_errors=True)
            done = self.weft_under(["strace", "-o", "/dev/null", "-e", "trace=" + calls, "-e",
                                    "inject=%s:signal=KILL:when=%d" % (calls, nth)])
            if done.returncode == 1 and nth == 1:
                self.skipTest("strace may not trace here")
            self.assertIn(" 0 damaged", self.cache("verify"))
            self.assertIn("[2, 3]", self.run_one()[0])
            self.expect("disk")
            if done.returncode == 0:
                survived = True
                break
        self.assertTrue(survived)

    def weft_under(self, before):
        return subprocess.run([*before, WEFT, "run", "x + 1", "x=[1, 2]"], cwd=self.here,
                              env=dict(os.environ, **self.env), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, check=False)

    def test_dead_temporaries_go(self):
        self.expect("compiled")
        entry = self.entries()[0]
        old, new = (entry.with_name(entry.stem + name) for name in (".1-1.tmp", ".1-2.tmp"))
        for path in (old, new):
            path.write_bytes(b"part")
        os.utime(old, (1, 1))
        self.cache("prune")
        self.assertEqual(self.temporaries(), [new])


class Places(CacheTest):
    def mounted(self, options, script, **env):
        """Runs a shell text with a small file system at ./cache, of which nothing stays."""
        before = private_mount()
        if not before:
            self.skipTest("mounting is not permitted here")
        os.makedirs(self.path("cache"), exist_ok=True)
        full = "set -e; mount -t tmpfs -o mode=700,%s none cache; run() { %s run 'x + 1' 'x=[1, 2]' " \
            "--time; }; %s" % (options, WEFT, script)
        done = subprocess.run([*before, "sh", "-c", full], cwd=self.here, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=120, check=False,
                              env=dict(os.environ, **{**self.env, **env}))
        told = done.stdout.decode()
        self.assertEqual(done.returncode, 0, told)
        return told

    def test_read_only(self):
        told = self.mounted("size=1m", "mount -o remount,ro cache; run; run; ls cache")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("Read-only file system"), 2)
        self.assertEqual(told.count("1 compiled"), 2)

    def test_read_only_with_the_kernel(self):
        told = self.mounted("size=1m", "run; mount -o remount,ro cache; run")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("1 from disk"), 1)
        self.assertNotIn("W0094", told)

    def test_read_only_with_a_damaged_kernel(self):
        told = self.mounted("size=1m", "run; truncate -s 100 cache/??/*.so; mount -o remount,ro cache; run")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("1 compiled"), 2)

    def test_nothing_can_be_removed(self):
        told = self.mounted("size=1m", "run; mount -o remount,ro cache; %s cache clear || echo status $?; "
                            "%s cache prune --size 1 || echo status $?; %s cache list" % (WEFT, WEFT, WEFT))
        self.assertEqual(told.count("status 1"), 2, told)
        self.assertEqual(told.count("W0268"), 2, told)
        self.assertIn("1 kernel", told)

    def test_full(self):
        told = self.mounted("size=32k", "dd if=/dev/zero of=cache/mine bs=1k count=24 2>/dev/null; run; "
                            "run; find cache -name '*.so' -o -name '*.tmp'; ls cache/mine")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("No space left on device"), 2, told)
        self.assertNotIn(".tmp", told)
        self.assertNotIn(".so", told.replace("libweft.so", ""))

    def test_full_of_files(self):
        told = self.mounted("nr_inodes=2", "touch cache/mine; run; run; find cache")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("No space left on device"), 2, told)

    def test_noexec(self):
        told = self.mounted("size=1m,noexec", "run; run")
        self.assertEqual(told.count("[2, 3]"), 2)
        self.assertEqual(told.count("1 from disk"), 1, told)
        self.assertNotIn("W0094", told)

    def test_noexec_place_for_temporary_files(self):
        told = self.mounted("size=4m,noexec", "run", TMPDIR=self.path("cache"),
                            WEFT_CACHE=self.path("other"))
        self.assertIn("[2, 3]", told)
        self.assertIn("1 compiled", told)

    def test_a_file_in_the_way(self):
        for name in ("cc", "cc/below"):
            self.assertIn("in the way", self.note(WEFT_CACHE=self.path(name)))

    def test_a_place_that_cannot_be_made(self):
        self.note(WEFT_CACHE="/proc/weft/cache")
        self.note(WEFT_CACHE="/dev/null")

    def test_a_link_in_the_way(self):
        os.mkdir(self.path("elsewhere"))
        os.symlink("elsewhere", self.path("cache"))
        self.assertIn("in the way", self.note())
        self.assertIn("in the way", self.note(WEFT_CACHE=self.path("cache") + "/"))
        self.assertEqual(os.listdir(self.path("elsewhere")), [])

    def test_links_in_the_place_of_shards(self):
        self.expect("compiled")
        shard = self.entries()[0].parent
        os.rename(shard, self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), shard)
        self.assertIn("in the way", self.note())
        self.assertEqual(len(os.listdir(self.path("elsewhere"))), 1)
        self.cache("clear")
        self.assertEqual(len(os.listdir(self.path("elsewhere"))), 1)

    def test_a_link_in_the_place_of_the_lock(self):
        os.mkdir(self.path("cache"), 0o700)
        os.symlink(self.path("victim"), self.path("cache/lock"))
        self.run_one()
        self.assertFalse(os.path.exists(self.path("victim")))

    def test_one_that_others_may_write(self):
        os.mkdir(self.path("cache"))
        os.chmod(self.path("cache"), 0o777)
        self.assertIn("others may write", self.note())
        self.assertEqual(os.listdir(self.path("cache")), [])

    @unittest.skipIf(os.geteuid() != 0, "only the super-user can give a directory away")
    def test_one_of_another_user(self):
        os.mkdir(self.path("cache"), 0o700)
        os.chown(self.path("cache"), 12345, 12345)
        self.assertIn("another user", self.note())
        self.assertEqual(os.listdir(self.path("cache")), [])
        self.assertIn("another user", self.note(WEFT_CACHE=self.path("cache/sub")))
        self.assertEqual(os.listdir(self.path("cache")), [])

    @unittest.skipIf(os.geteuid() != 0, "only the super-user can give a file away")
    def test_an_entry_of_another_user(self):
        self.expect("compiled")
        os.chown(self.entries()[0], 12345, 12345)
        self.expect("compiled")
        self.expect("disk")

    def test_removed_while_in_use(self):
        for _ in range(3):
            self.expect("compiled")
            shutil.rmtree(self.path("cache"))


class Clock(CacheTest):
    def test_entries_of_the_future(self):
        self.expect("compiled")
        ahead = time.time() + 10 * 365 * 86400
        os.utime(self.entries()[0], (ahead, ahead))
        os.utime(self.path("cache"), (ahead, ahead))
        self.expect("disk")
        self.assertLess(os.stat(self.entries()[0]).st_mtime, time.time() + 60)

    def test_the_future_is_not_kept_for_ever(self):
        """The clock was ten years ahead and is put right: the entries of then must not outlive all
        that come after, and new ones must not be the first to go."""
        for text in ("x + 1", "x * 2"):
            self.run_one(text)
        ahead = time.time() + 10 * 365 * 86400
        for entry in self.entries():
            os.utime(entry, (ahead, ahead))
        before = set(self.entries())
        self.cache("prune")
        for entry in before:
            self.assertLess(os.stat(entry).st_mtime, time.time() + 60)
            os.utime(entry, (time.time() - 5000,) * 2)
        self.run_one("x - 7")
        self.cache("prune", "--size", "30K")
        self.assertEqual(len(self.entries()), 1)
        self.assertFalse(before & set(self.entries()))

    def test_the_past(self):
        self.expect("compiled")
        os.utime(self.entries()[0], (0, 0))
        self.expect("disk")
        self.assertGreater(os.stat(self.entries()[0]).st_mtime, time.time() - 60)


if __name__ == "__main__":
    unittest.main()
