"""Which tests reach which mutants, and which tests kill them."""
import concurrent.futures
import json
import math
import mmap
import os
import pathlib
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import sample  # noqa: E402

MOST = 4096                 # WEFT_MUTANT_MOST
SKIPPED = 77
FACTOR, SLACK = 5, 20       # a test may take so many times its time, and so many seconds more
OURS = ("WEFT_MUTANT", "WEFT_MUTANT_MAP", "MESON_TEST_ITERATION", "MALLOC_PERTURB_")


def read(path, otherwise=None):
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else otherwise


def save(path, value):
    """All of the new file, or the old one."""
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)


# ---- selections: tests and their environments, as meson tells them ----

def select(place, name, command):
    """Runs a command in the mutated tree. Where it runs `meson test`, the tests are noted instead of run."""
    tools, out = place / "tools", place / f"{name}.tests.json"
    tools.mkdir(exist_ok=True)
    shim, main = tools / "meson", pathlib.Path(__file__).with_name("mutants.py")
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(main))} meson "$@"\n')
    shim.chmod(0o755)
    out.unlink(missing_ok=True)
    environment = dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", MUTANTS_MESON=shutil.which("meson"),
                       MUTANTS_TESTS=str(out), MUTANTS_TOOLS=str(tools))
    status = subprocess.run(command, cwd=place / "source", env=environment, check=False).returncode
    if status:
        print(f"the command ended with status {status}: read above whether something was not built")
    tests = read(out, [])
    if not tests:
        raise SystemExit("the command ran no `meson test`, or it chose nothing")
    return tests


def as_meson(arguments):
    """Stands in for meson while a selection is made."""
    real = os.environ["MUTANTS_MESON"]
    os.environ["PATH"] = os.environ["PATH"].replace(os.environ["MUTANTS_TOOLS"] + ":", "")
    if not arguments or arguments[0] != "test":
        os.execv(real, [real, *arguments])
    build = pathlib.Path(arguments[arguments.index("-C") + 1] if "-C" in arguments else ".").resolve()
    since = time.time()
    status = subprocess.run([real, *arguments, "--wrapper", "true"], stdout=subprocess.DEVNULL, check=False).returncode
    logs = [log for log in (build / "meson-logs").glob("*-true.json") if log.stat().st_mtime >= since - 1]
    if not logs:
        return status
    note_tests(pathlib.Path(os.environ["MUTANTS_TESTS"]), build, logs)
    return 0


def note_tests(out, build, logs):
    tests = read(out, [])
    names = {test["name"] for test in tests}
    places = {test["name"]: test["workdir"] for test in read(build / "meson-info/intro-tests.json", [])}
    for log in logs:
        for line in log.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            plain, number = row["name"].rpartition(" / ")[2], 1     # without the suites, which may change
            name, place = f"{build.name}: {plain}", places.get(plain) or str(build)
            while name in names:
                number += 1
                name = f"{build.name}: {plain} #{number}"
            names.add(name)
            environment = {key: value for key, value in row["env"].items()
                           if key not in OURS and not key.startswith("MUTANTS_")}
            command = row["command"][1:] if row["command"][0].endswith("true") else row["command"]
            tests.append({"name": name, "command": command, "directory": place, "environment": environment})
        log.unlink()
    save(out, tests)


# ---- what other selections of the place know ----

def in_layer(text, layer):
    """`quick/again/usual/full` is the number of the layer, as sample.py reads it."""
    if not re.fullmatch(r"\d+(/\d+)+", text):
        return text
    numbers = text.split("/")
    return numbers[min(sample.LAYERS.index(layer), len(numbers) - 1)]


def key(test):
    """Tests of two selections are the same if they run the same command in the same environment. The layer alone makes
    no difference; the numbers that depend on it do."""
    layer = test["environment"].get("WEFT_LAYER") or sample.LAYERS[-1]
    environment = {name: in_layer(value, layer) for name, value in test["environment"].items()
                   if name not in ("SHLVL", "OLDPWD", "_", "WEFT_LAYER")}
    command = [in_layer(word, layer) for word in test["command"]]
    return json.dumps([command, test["directory"], environment], sort_keys=True)


def others(place, name):
    """The other selections' names, and their tests: key -> name."""
    for path in sorted(place.glob("*.tests.json")):
        other = path.name[:-len(".tests.json")]
        if other != name:
            yield other, {key(test): test["name"] for test in read(path)}


# ---- one run of a test ----

class Run:
    """What came of it: status (negative: a signal), whether it was stopped, seconds of wall and CPU time, the
    end of its output.

    The cache of kernels is a copy of `cache`, or empty; `keep` becomes a copy of what it is afterwards."""

    def __init__(self, test, cache=None, keep=None, limit=None, **variables):
        with tempfile.TemporaryDirectory(prefix="mutants-") as scratch:
            if cache and cache.is_dir():
                shutil.copytree(cache, f"{scratch}/cache", symlinks=True)
            environment = dict(test["environment"], XDG_CACHE_HOME=f"{scratch}/cache", TMPDIR=scratch,
                               MALLOC_PERTURB_="165", **variables)
            with open(f"{scratch}/output", "w+b") as output:
                self.run(test, environment, output, limit)
                output.seek(max(0, output.seek(0, os.SEEK_END) - 2000))
                self.tail = output.read().decode("utf-8", "replace")
            if keep and pathlib.Path(scratch, "cache").is_dir():
                shutil.copytree(f"{scratch}/cache", keep, symlinks=True)

    def run(self, test, environment, output, limit):
        begin, self.stopped = time.monotonic(), False
        child = subprocess.Popen(test["command"], cwd=test["directory"], env=environment, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        timer = threading.Timer(limit or 3600, self.stop, [child.pid])
        timer.start()
        _, status, usage = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = self.status = os.waitstatus_to_exitcode(status)
        self.wall, self.cpu = round(time.monotonic() - begin, 3), round(usage.ru_utime + usage.ru_stime, 3)
        self.end_group(child.pid)

    def stop(self, group):
        self.stopped = True
        self.end_group(group)

    @staticmethod
    def end_group(group):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass

    @property
    def failed(self):
        return self.stopped or self.status not in (0, SKIPPED)


# ---- recording ----

def counts(file):
    """Mutant -> [how often it was reached, how often its values differed]."""
    with mmap.mmap(file.fileno(), 0) as memory:
        numbers = struct.unpack(f"{2 * MOST}I", memory[:])
    return {i: [numbers[i], numbers[MOST + i]] for i in range(MOST) if numbers[i]}


def record_run(test, **more):
    with tempfile.NamedTemporaryFile(prefix="mutants-map-") as file:
        file.truncate(8 * MOST)
        run = Run(test, WEFT_MUTANT_MAP=file.name, **more)
        result = {"status": run.status, "wall": run.wall, "cpu": run.cpu, "counts": counts(file)}
    return dict(result, tail=run.tail) if run.failed else result


def record(place, name, tests, jobs, only=None):
    """Runs each test, or those named in `only`, without a mutant, to see what it reaches: first with no kernel in its
    cache, then with those that the first time left there. Tests that this or another selection's file knows are not
    run again."""
    path, caches = place / f"{name}.record.json", place / f"{name}.caches"
    done, lock = read(path, {}), threading.Lock()
    for other, theirs in others(place, name):
        known = read(place / f"{other}.record.json", {})
        done = {**{test["name"]: known[theirs[key(test)]] for test in tests if theirs.get(key(test)) in known}, **done}
    save(path, done)

    def one(number, test):
        cache = caches / str(number)
        shutil.rmtree(cache, ignore_errors=True)
        result = {"cold": record_run(test, keep=cache), "cache": str(cache)}
        result["status"] = result["cold"]["status"]
        if result["status"] == 0:
            result["warm"] = record_run(test, cache=cache)
            result["status"] = result["warm"]["status"]
        with lock:
            done[test["name"]] = result
            save(path, done)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        wanted = [pair for pair in enumerate(tests) if only is None or pair[1]["name"] in only]
        list(pool.map(lambda pair: one(*pair), [pair for pair in wanted if pair[1]["name"] not in done]))
    return done


# ---- the campaign ----

class Campaign:
    def __init__(self, place, name, verdicts=None):
        """verdicts: by a mutant's key, what killed it in an earlier campaign ("by"), or why nothing can ("nothing")."""
        self.place, self.name, self.lock = place, name, threading.Lock()
        self.path, self.results = place / f"{name}.results.json", read(place / f"{name}.results.json", {})
        verdicts = verdicts or {}
        self.verdicts = {row["id"]: verdicts.get(row["key"], {}) for row in read(place / "mutants.json", [])}
        self.all = read(place / f"{name}.tests.json", [])
        self.take(read(place / f"{name}.record.json", {}))
        self.others = [(read(place / f"{other}.results.json", {}), theirs) for other, theirs in others(place, name)]
        self.deadline, self.each = None, math.inf

    def take(self, record):
        self.record, self.complete = record, all(test["name"] in record for test in self.all)
        self.tests = {test["name"]: test for test in self.all if record.get(test["name"], {}).get("status") == 0}

    def hint(self, number):
        """(test, cache) that killed the mutant before, as a list."""
        name, comma, _ = self.verdicts.get(number, {}).get("by", "").partition(", cold")
        return [(name, "cold" if comma else "warm")] if any(test["name"] == name for test in self.all) else []

    def count(self, number, name, cache, what):
        return self.record[name][cache]["counts"].get(str(number), (0, 0))[what]

    def runs(self, number):
        """(test, cache) in the order in which they run: first what killed the mutant before. Kernels that are there
        already save most of the time. Once more without them run the tests in which the mutant does more then."""
        warm = [name for name in self.tests if self.count(number, name, "warm", 1)]
        cold = [name for name in self.tests
                if self.count(number, name, "cold", 1) > self.count(number, name, "warm", 1)]
        before = [pair for pair in self.hint(number) if pair[0] in self.tests]
        rest = [(name, cache) for cache, names in (("warm", warm), ("cold", cold))
                for name in sorted(names, key=lambda name: self.record[name][cache]["cpu"])]
        return before + [pair for pair in rest if pair not in before]

    def late(self):
        return self.deadline is not None and time.monotonic() > self.deadline

    def keep(self, number, result):
        with self.lock:
            self.results[str(number)] = result
            save(self.path, self.results)

    def run_mutant(self, number):
        """Its tests to the first that fails. What has passed is kept, to go on there; also while tests are not
        recorded."""
        result, runs = self.results.get(str(number), {"state": "unfinished", "passed": []}), self.runs(number)
        for name, cache in runs:
            label = name + (", cold" if cache == "cold" else "")
            if label in result["passed"]:
                continue
            known = self.known(number, name, cache)
            if known == "passed":
                result = dict(result, passed=result["passed"] + [label])
                continue
            if known:
                self.keep(number, dict(known, passed=result["passed"], by=label))
                return
            if self.late() or result.get("cpu", 0) >= self.each:
                return
            run = self.run_test(number, name, cache)
            result = dict(result, **{key: round(result.get(key, 0) + getattr(run, key), 3) for key in ("cpu", "wall")})
            if run.failed:
                how = "timeout" if run.stopped else f"signal {-run.status}" if run.status < 0 else f"exit {run.status}"
                self.keep(number, dict(result, state="killed", by=label, how=how, test_cpu=run.cpu, test_wall=run.wall,
                                       tail=run.tail))
                return
            result = dict(result, passed=result["passed"] + [label])
            self.keep(number, result)
        if not self.complete:
            self.keep(number, result)
            return
        reached = [name for name in self.tests if self.count(number, name, "cold", 0)]
        state = "survived" if runs else "not infected" if reached else "not reached"
        self.keep(number, dict(result, state=state, reached=reached))

    def known(self, number, name, cache):
        """What another selection says of the mutant and the same test: "passed", the result with which it was killed,
        or None."""
        for results, theirs in self.others:
            result, label = results.get(str(number)), theirs.get(key(self.tests[name]))
            label = label and label + (", cold" if cache == "cold" else "")
            if result and label in result["passed"]:
                return "passed"
            if result and label and result.get("by") == label:
                return result
        return None

    def run_test(self, number, name, cache):
        recorded = self.record[name]
        limit = FACTOR * recorded["cold"]["wall"] + SLACK
        return Run(self.tests[name], cache=pathlib.Path(recorded["cache"]) if cache == "warm" else None, limit=limit,
                   WEFT_MUTANT=str(number))

    def run(self, numbers, jobs, seconds=None, each=None):
        self.deadline, self.each = time.monotonic() + seconds if seconds else None, each or math.inf
        wanted = [n for n in numbers if self.results.get(str(n), {}).get("state", "unfinished") == "unfinished"]
        self.take(record(self.place, self.name, self.all, jobs, {name for n in wanted for name, _ in self.hint(n)}))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            try:
                list(pool.map(lambda n: None if self.late() else self.run_mutant(n), wanted))
            except KeyboardInterrupt:
                self.deadline = 0       # each goes on to the end of its test
                raise
