"""Rough treatment of the command: at random signals, kills, calls that fail, full disks, files that are cut off while
they are read, limits on memory and descriptors, and a busy processor. Each run ends with exit status 0 and the right
result, or with 1 and a diagnostic, or by the signal; it leaves no half of an output; the next one that nothing disturbs
is right.

    rough.py [SECONDS] [--seed N] [--turns N]    an hour when not given; --turns instead of a time, to repeat a run

Several runs share one cache at any time. WEFT is the command, FAULTS the library of faults.c. Prints the seed, what it
did, how often, and what was wrong; exit status 1 then."""

import argparse
import collections
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from programs import PROGRAMS, make_inputs, snapshot
from test_command import DIAGNOSTIC, HERE, KINDS, ONCE

WEFT = os.environ.get("WEFT", "weft")
NAMES = [name for name in PROGRAMS if name != "list"]
SIGNALS = signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL
AT_ONCE = 3


def limited(number, most):
    """What a process calls before it becomes the command."""
    return lambda: resource.setrlimit(number, (most, most))


class Room:
    """A folder that one run at a time works in; all share the cache."""

    def __init__(self, top, number):
        self.work, self.tmp = top / ("work%d" % number), top / ("tmp%d" % number)
        self.work.mkdir()
        self.tmp.mkdir()
        self.restore()

    def restore(self):
        for path in self.work, self.tmp:
            shutil.rmtree(path)
            path.mkdir()
        make_inputs(self.work)
        self.inputs = snapshot(self.work)


class Rough:
    def __init__(self, top, seed, full):
        self.top, self.seed, self.full = top, seed, full
        self.chance = random.Random(seed)
        self.done, self.wrong = collections.Counter(), []
        self.rooms = [Room(top, number) for number in range(AT_ONCE)]
        (top / "store").mkdir()
        self.env = dict(os.environ, WEFT_CC=str(HERE / "compiler.sh"), FAULT_STORE=str(top / "store"),
                        WEFT_CACHE=str(top / "cache"), OMP_NUM_THREADS="2")
        self.span = 0.1  # seconds of a run, kept up to date
        self.expected = {}
        for name in NAMES:
            room = self.rooms[0]
            done = self.start(room, name).wait_whole()
            self.expected[name] = done.status, done.out, snapshot(room.work)
            room.restore()

    def start(self, room, name, before=(), **more):
        return Run(room, name, {**self.env, "TMPDIR": str(room.tmp), **more.pop("env", {})}, before, **more)

    # ---- what is done to runs ----

    def signal(self, room, name):
        run = self.start(room, name)
        time.sleep(self.chance.uniform(0, 1.2 * self.span))
        number = self.chance.choice(SIGNALS)
        run.process.send_signal(number)
        return run, "%s, %s" % (name, number.name), (-number,)

    def fail(self, room, name):
        kind = self.chance.choice(KINDS)
        more = self.chance.choice(["", "" if kind in ONCE else "+"])
        at = "%d%s" % (self.chance.randint(1, 400 if kind == "memory" else 40), more)
        settings = {"LD_PRELOAD": os.environ["FAULTS"], "FAULT_KIND": kind, "FAULT_AT": at}
        return self.start(room, name, env=settings), "%s, %s %s" % (name, kind, at), ()

    def limit_size(self, room, name):
        most = self.chance.choice([0, 1, 100, 4000, 12000])
        run = self.start(room, name, preexec_fn=limited(resource.RLIMIT_FSIZE, most))
        return run, "%s, files of %d" % (name, most), ()

    def limit_descriptors(self, room, name):
        most = self.chance.randint(4, 16)
        run = self.start(room, name, preexec_fn=limited(resource.RLIMIT_NOFILE, most))
        return run, "%s, %d descriptors" % (name, most), ()

    def limit_memory(self, room, name):
        most = self.chance.randint(10, 400) << 20
        run = self.start(room, name, preexec_fn=limited(resource.RLIMIT_AS, most))
        return run, "%s, %d MB" % (name, most >> 20), ()

    def fill(self, room, name):
        """The cache and the temporary files on a disk that is full, or nearly."""
        if not self.full:
            return self.limit_size(room, name)
        for path in self.full.glob("*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        disk = os.statvfs(self.full)
        free = disk.f_bavail * disk.f_frsize - self.chance.choice([0, 4096, 16384, 65536])
        (self.full / "filling").write_bytes(bytes(max(free, 0)))
        settings = {"WEFT_CACHE": str(self.full / "cache")}
        if self.chance.random() < 0.5:
            (self.full / "tmp").mkdir(exist_ok=True)
            settings["TMPDIR"] = str(self.full / "tmp")
        return self.start(room, name, env=settings), "%s, a full disk" % name, ()

    def cut(self, room, name):
        """An input is cut off, before the run or during it."""
        path = self.chance.choice([path for path in sorted(room.work.rglob("*")) if path.is_file()])
        size = self.chance.randrange(path.stat().st_size)
        early = self.chance.random() < 0.5
        if early:
            os.truncate(path, size)
        run = self.start(room, name)
        if not early:
            time.sleep(self.chance.uniform(0, self.span))
            try:
                os.truncate(path, size)
            except FileNotFoundError:
                pass
        run.damaged = True
        return run, "%s, %s of %d bytes" % (name, path.name, size), ()

    def damage(self, room, name):
        """Entries of the cache are cut off, changed or removed while runs use them."""
        run = self.start(room, name)
        for path in sorted((self.top / "cache").glob("??/*")):
            how = self.chance.choice(["cut", "change", "remove", "leave", "leave"])
            try:
                if how == "cut":
                    self.replace(path, cut=True)
                elif how == "change":
                    self.replace(path)
                elif how == "remove":
                    path.unlink()
            except (FileNotFoundError, ValueError):
                pass
        return run, "%s, a damaged cache" % name, ()

    def replace(self, path, cut=False):
        data = bytearray(path.read_bytes())
        at = self.chance.randrange(len(data))
        data[at] ^= 1 << self.chance.randrange(8)
        new = path.with_name("damaged.tmp")
        new.write_bytes(data[:at] if cut else data)
        new.replace(path)

    def nothing(self, room, name):
        return self.start(room, name), name, ()

    # ---- judging ----

    def judge(self, room, run, name, what, signals):
        status, out, told = run.wait_whole().result
        good_status, good_out, good_files = self.expected[name]
        files, inputs = snapshot(room.work), room.inputs
        killed = -signal.SIGKILL in signals and status == -signal.SIGKILL
        hidden = [path for path in files if any(part.startswith(".weft-") for part in path.split("/"))]
        kept = {path: data for path, data in files.items() if path not in hidden}
        wrong = None
        if status == 127 and "error while loading shared libraries" in told:
            status = 1  # the system has refused it before it began
            told = "weft: error: " + told
        if status not in (0, 1, 2 if run.damaged else 1) and status not in signals:
            wrong = "exit status %d" % status
        elif not killed and (hidden or list(room.tmp.iterdir())):
            wrong = "left behind: %s %s" % (hidden, list(room.tmp.iterdir()))
        elif run.damaged:  # what is left of kernels.weft may be a program, which is wrong usage
            wrong = None if status == 0 or DIAGNOSTIC.search(told) else "no diagnostic"
        elif status == 0 and (good_status != 0 or out != good_out or kept != good_files):
            wrong = "a wrong result: %r, %s" % (out, sorted(path for path in {*kept, *good_files}
                                                            if kept.get(path) != good_files.get(path)))
        elif status == 1 and not DIAGNOSTIC.search(told):
            wrong = "no diagnostic"
        elif status != 0 and kept not in (inputs, good_files) and \
                not (killed and self.is_part(kept, inputs, good_files)):
            wrong = "other files: %s" % sorted(path for path in {*kept, *inputs} if kept.get(path) != inputs.get(path))
        self.done["killed" if status < 0 else "done" if status == 0 else "refused"] += 1
        if wrong:
            self.wrong.append("%s: %s\n%s" % (what, wrong, told))
            print("WRONG " + self.wrong[-1], flush=True)

    @staticmethod
    def is_part(kept, inputs, good):
        """After a kill between two renames: each output is the old one or the whole new one."""
        return all(kept.get(path) in (inputs.get(path), good.get(path)) for path in {*kept, *inputs, *good})

    def check_quiet(self, room):
        """Nothing is disturbed: everything is right, and leftovers of killed runs beside the outputs are gone."""
        name = self.chance.choice(NAMES)
        room.restore()
        self.judge(room, self.start(room, name), name, name + ", undisturbed", ())
        if self.expected[name][0] == 0 and snapshot(room.work) != self.expected[name][2]:
            self.wrong.append(name + ": undisturbed, and not as usual")
        room.restore()

    def turn(self):
        ways = [self.signal, self.signal, self.fail, self.fail, self.fail, self.limit_size, self.limit_descriptors,
                self.limit_memory, self.fill, self.cut, self.damage, self.nothing]
        started = []
        for room in self.rooms[:self.chance.randint(1, AT_ONCE)]:
            way, name = self.chance.choice(ways), self.chance.choice(NAMES)
            self.done[way.__name__] += 1
            started.append((room, way(room, name), name))
        for room, (run, what, signals), name in started:
            self.judge(room, run, name, what, signals)
        self.span = 0.9 * self.span + 0.1 * started[0][1][0].seconds
        for room, _, _ in started:
            room.restore()
        if self.chance.random() < 0.2:
            self.check_quiet(self.rooms[0])


class Run:
    """One run of the command, begun."""

    def __init__(self, room, name, env, before, **more):
        self.begin = time.monotonic()
        self.damaged = False
        self.process = subprocess.Popen([*before, WEFT, *PROGRAMS[name]], cwd=room.work, env=env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        **more)

    def wait_whole(self):
        try:
            out, told = self.process.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, told = self.process.communicate()
            told += b"\nit hung\n"
        self.status, self.out, self.told = self.process.returncode, out, told.decode(errors="replace")
        if self.told.endswith("\nit hung\n"):
            self.status = 77
        self.result = self.status, self.out, self.told
        self.seconds = time.monotonic() - self.begin
        return self


def busy(chance):
    """Processes that take the processors, some of the time."""
    text = "import time\nwhile True:\n    end = time.time() + %f\n" \
           "    while time.time() < end: pass\n    time.sleep(%f)\n"
    return [subprocess.Popen([sys.executable, "-c", text % (chance.uniform(0.1, 0.6), chance.uniform(0.1, 0.6))])
            for _ in range(os.cpu_count() or 1)]


def see_own_disks():
    """Begins once more with disks that nobody else sees, if this may be done."""
    if "WEFT_ROUGH" not in os.environ and os.geteuid() == 0 and \
            subprocess.run(["unshare", "-m", "true"], check=False).returncode == 0:
        os.execvpe("unshare", ["unshare", "-m", sys.executable, *sys.argv], dict(os.environ, WEFT_ROUGH="1"))


def mount(path):
    """A disk of 256 KB there, if this may be done."""
    path.mkdir()
    done = subprocess.run(["mount" if "WEFT_ROUGH" in os.environ else "false", "-t", "tmpfs",
                           "-o", "size=256k,mode=700", "none", str(path)], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path if done.returncode == 0 else None


def main():
    see_own_disks()
    parser = argparse.ArgumentParser()
    parser.add_argument("seconds", type=float, nargs="?", default=3600)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--turns", type=int, default=0)
    options = parser.parse_args()
    for number in SIGNALS[:3]:
        signal.signal(number, signal.SIG_DFL)
    print("rough: seed %d" % options.seed, flush=True)
    end, turns, others = time.monotonic() + options.seconds, 0, []
    with tempfile.TemporaryDirectory(prefix="weft-rough-") as top:
        full = mount(pathlib.Path(top) / "full")
        try:
            rough = Rough(pathlib.Path(top), options.seed, full)
            others = busy(rough.chance)
            while turns < options.turns if options.turns else time.monotonic() < end:
                rough.turn()
                turns += 1
        finally:
            for process in others:
                process.kill()
                process.wait()
            if full:
                subprocess.run(["umount", str(full)], check=False)
    counts = ", ".join("%s %d" % item for item in sorted(rough.done.items()))
    print("rough: seed %d, %d turns, a small disk %s: %s" % (options.seed, turns,
                                                            "mounted" if full else "not to be had", counts))
    print("rough: %d wrong" % len(rough.wrong))
    return len(rough.wrong) > 0


if __name__ == "__main__":
    sys.exit(main())
