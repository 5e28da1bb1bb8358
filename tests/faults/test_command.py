"""The command, when a call of the C library fails: the first of a kind, the second, .. until a run has no failure, and
all from the first on, from the second, ... Each run ends with exit status 1 and a diagnostic, or 0 and the right
result; leaves no file behind, and of its outputs none or all; and the next run is right.

    test_command.py [PROGRAM...]     of programs.py, the usual ten when not given; `all`: more than those
    FAULT_KINDS="memory open"        only these kinds
    FAULT_MODES="cold"               only these, see MODES
WEFT is the command, FAULTS the library of faults.c. WEFT_STEP: one call in so many fails, WEFT_FIRST the first that
does; WEFT_SHARE: one program, mode and kind in so many. Reports in TAP."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import sample  # noqa: E402
from programs import PROGRAMS, USUAL, make_inputs, snapshot  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["memory", "open", "read", "write", "close", "move", "look", "lock", "map", "load", "process", "thread"]
# Of these one fails, and not all from then on: where nothing can be opened, listed or moved, nothing
# can be tidied up.
ONCE = ["open", "read", "move", "look"]
# Where a kernel comes from: the C compiler, the disk, or libtcc while the C compiler works in the background.
MODES = {"cold": "first", "disk": "first", "both": ""}
# Cases that are tried in every layer, and their WEFT_STEP: outputs that go back, and folders that no descriptor and no
# memory is left to empty.
ALWAYS = {("results", "disk", "move", ""): 1, ("batch", "disk", "open", ""): 1, ("npy", "cold", "open", ""): 1,
          ("batch", "disk", "memory", "+"): 23, ("build", "disk", "memory", ""): 7}
MOST = 5000  # calls of a kind in one run
DIAGNOSTIC = re.compile(r"(?m)^(\S.*?: error\[W\d{4}\]|weft: error): ")


class Place:
    """A folder to run in, with a cache and a folder for temporary files beside it."""

    def __init__(self, top, mode):
        self.top = pathlib.Path(top)
        self.mode = mode
        self.store, self.work = self.top / "store", self.top / "work"
        self.cache, self.tmp, self.told = self.top / "cache", self.top / "tmp", self.top / "told"
        for path in self.store, self.work, self.tmp:
            path.mkdir()
        make_inputs(self.work)
        self.inputs = snapshot(self.work)
        self.env = dict(os.environ, WEFT_CC=str(HERE / "compiler.sh"), FAULT_STORE=str(self.store),
                        WEFT_CACHE=str(self.cache), TMPDIR=str(self.tmp), WEFT_DISABLE=MODES[mode],
                        OMP_NUM_THREADS="2")

    def restore(self):
        """The inputs and nothing else, and the cache as the mode has it."""
        if snapshot(self.work) != self.inputs:
            shutil.rmtree(self.work)
            self.work.mkdir()
            make_inputs(self.work)
        if self.mode != "disk":
            shutil.rmtree(self.cache, ignore_errors=True)

    def run(self, words, **faults):
        self.told.unlink(missing_ok=True)
        return subprocess.run([os.environ.get("WEFT", "weft"), *words], cwd=self.work, env=dict(self.env, **faults),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
                              check=False)


class Expected:
    """What a run gives that nothing disturbs."""

    def __init__(self, place, words):
        for _ in range(2):  # the second finds what the first left on disk
            place.restore()
            done = place.run(words)
        assert done.returncode == (words == PROGRAMS["syntax"]), done
        self.status, self.out, self.told = done.returncode, done.stdout, done.stderr.decode()
        self.files = snapshot(place.work)

    def compare(self, place, done):
        """What is wrong with a run that nothing disturbed; None."""
        if (done.returncode, done.stdout) != (self.status, self.out):
            return "exit status %d, output %r" % (done.returncode, done.stdout)
        return None if snapshot(place.work) == self.files else "other files than usual"

    def judge(self, place, done):
        """What is wrong with a run in which a call failed; None."""
        told, files = done.stderr.decode(), snapshot(place.work)
        if done.returncode not in (0, 1):
            return "exit status %d" % done.returncode
        if list(place.tmp.iterdir()) or list(place.cache.glob("*/*.tmp")):
            return "left in TMPDIR or the cache: %s" % [str(path) for path in place.top.rglob("*mp/*")]
        if done.returncode == 0:
            return self.compare(place, done) or ("an error, yet done" if "error[" in told else None)
        if files != place.inputs:
            return "other files: %s" % sorted(files.keys() ^ place.inputs.keys())
        return None if DIAGNOSTIC.search(told) and self.out.startswith(done.stdout) else "no diagnostic, or output"


def fail_each(place, expected, words, kind, more, most):
    """Fails call after call, or each `most`th if fewer would be tried; what was wrong, and how many failed."""
    step = min(sample.setting("WEFT_STEP", 1), most)
    wrong, count = [], 0
    for n in range(1 + int(os.environ.get("WEFT_FIRST", "0")) % step, MOST, step):
        at = "%d%s" % (n, more)
        place.restore()
        done = place.run(words, LD_PRELOAD=os.environ["FAULTS"], FAULT_KIND=kind, FAULT_AT=at,
                         FAULT_TOLD=str(place.told))
        if not place.told.exists():
            problem = expected.compare(place, done)
            return wrong + (["undisturbed: " + problem] if problem else []), count
        function = place.told.read_text().split("\n")[0]
        count += 1
        problem = expected.judge(place, done)
        if not problem:
            place.restore()
            again = expected.compare(place, place.run(words))
            problem = again and "the next run: " + again
        else:
            shutil.rmtree(place.cache, ignore_errors=True)
            shutil.rmtree(place.tmp)
            place.tmp.mkdir()
        if problem:
            wrong.append("FAULT_KIND=%s FAULT_AT=%s (%s): %s\n%s" % (kind, at, function, problem, done.stderr.decode()))
    return wrong + ["there is no end"], count


def cases(programs):
    modes = os.environ.get("FAULT_MODES", " ".join(MODES)).split()
    kinds = os.environ.get("FAULT_KINDS", " ".join(KINDS)).split()
    return [(program, mode, kind, more) for mode in modes for more in ("", "+") for kind in kinds
            if not (more and kind in ONCE) for program in programs
            if mode == "disk" or program not in ("syntax", "build", "check", "show", "list")]


def main(*programs):
    tried = sample.chosen(cases(list(PROGRAMS) if programs == ("all",) else programs or USUAL))
    tried += [case for case in ALWAYS if case not in tried and not programs]
    places, expected = {}, {}
    failures = total = 0
    with tempfile.TemporaryDirectory(prefix="weft-faults-") as top:
        for mode in MODES:
            os.mkdir(top + "/" + mode)
            places[mode] = Place(top + "/" + mode, mode)
        print("1..%d" % len(tried))
        for number, (program, mode, kind, more) in enumerate(tried, 1):
            place, words = places[mode], PROGRAMS[program]
            if (program, mode) not in expected:
                expected[program, mode] = Expected(place, words)
            wrong, count = fail_each(place, expected[program, mode], words, kind, more,
                                     ALWAYS.get((program, mode, kind, more), MOST))
            total += count
            failures += bool(wrong)
            print("%s %d %s, %s, %s%s: %d" % ("not ok" if wrong else "ok", number, program, mode, kind, more, count))
            for text in wrong[:3]:
                print("# " + text.replace("\n", "\n#   "))
            sys.stdout.flush()
    print("# %d failures made" % total)
    return failures > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
