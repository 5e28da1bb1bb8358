#!/usr/bin/env python3
"""The suite gpu without meson, for a machine that has a GPU and what scripts/gpu carried there.

    suite.py list BUILD                     meson's list of the suite as JSON, with {build} and {source} for paths
    suite.py files LIST                     the files of {build} that it names
    suite.py run LIST BUILD SOURCE OUT [--jobs N] [--limit SECONDS] [--only WORD]

`run` writes OUT, JSON: each test with its status (passed, failed, skipped, timeout, or not run, when the limit was
reached before its end), its seconds, and the end of what a failed one printed. Tests of what only a GPU has come first,
those that want the card to themselves after them, then the long ones that compare values, then compute-sanitizer over a
short run where it is installed. Exit status: 1 when something failed, 77 when everything was skipped. It needs nothing
but Python's own library."""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

SKIPPED, TAIL = 77, 4000
# What compute-sanitizer looks at: a tool and a test, on device memory.
SANITIZED = [("memcheck", "gpu_numbers_device"), ("memcheck", "gpu_layouts_device"), ("memcheck", "gpu_batch_device"),
             ("memcheck", "gpu_groups_device"),
             ("initcheck", "gpu_layouts_device"), ("racecheck", "gpu_layouts_device")]
SANITIZER_SECONDS = 120
CHOSEN = {"WEFT_SHARE"} & set(os.environ)  # what a test gets from the caller, not from the list
SHORT = 600                        # the most seconds that meson gives to tests of what only a GPU has


# ---- the list ----

def portable(word, build):
    """A word of meson's, which names files absolutely or from the build's directory."""
    if os.path.basename(word).startswith("python3"):
        return "python3"
    path = pathlib.Path(build, word)
    if not word or word.startswith("-") or not path.exists():
        return word
    path = path.resolve()
    for folder, name in ((build, "{build}"), (build.parent, "{source}")):
        if folder in path.parents:
            return f"{name}/{path.relative_to(folder)}"
    return word


def listed(build):
    told = subprocess.run(["meson", "introspect", build, "--tests"], capture_output=True, text=True, check=True)
    build = pathlib.Path(build).resolve()
    for test in json.loads(told.stdout):
        if any(suite.split(":")[-1] == "gpu" for suite in test["suite"]):
            env = {name: value for name, value in test["env"].items()
                   if name not in ("XDG_CACHE_HOME", "LD_LIBRARY_PATH")}
            yield {"name": test["name"], "command": [portable(word, build) for word in test["cmd"]],
                   "env": {name: portable(value, build) for name, value in env.items()}, "timeout": test["timeout"],
                   "parallel": test["is_parallel"]}


def files(tests):
    words = {word for test in tests for word in test["command"] + list(test["env"].values())}
    return sorted(word[len("{build}/"):] for word in words if word.startswith("{build}/"))


# ---- running ----

class Runner:
    def __init__(self, options):
        self.build, self.source = (str(pathlib.Path(path).resolve()) for path in (options.build, options.source))
        self.end = time.monotonic() + options.limit

    def placed(self, word):
        return word.replace("{build}", self.build).replace("{source}", self.source)

    def run(self, test, before=(), timeout=None):
        """One test's entry of the result."""
        left = self.end - time.monotonic()
        if left < 1:
            return {"name": test["name"], "status": "not run", "seconds": 0}
        command = list(before) + [self.placed(word) for word in test["command"]]
        env = dict(os.environ, **{name: self.placed(value) for name, value in test["env"].items()
                                  if name not in CHOSEN})
        start, most = time.monotonic(), timeout or test["timeout"]
        status, text = executed(command, env, min(most, left))
        late = "timeout" if most <= left else "not run"
        entry = {"name": test["name"], "status": {0: "passed", SKIPPED: "skipped", None: late}.get(status, "failed"),
                 "seconds": round(time.monotonic() - start, 2)}
        if entry["status"] != "passed":
            entry.update(exit=status, output=text[-TAIL:])
        print(f"  {entry['name']:40} {entry['status']:8} {entry['seconds']:7.1f} s", flush=True)
        return entry

    def sanitize(self, tests, tool):
        by_name = {test["name"]: test for test in tests}
        for kind, name in SANITIZED:
            if name in by_name:
                before = [tool, "--tool", kind, "--target-processes", "all", "--error-exitcode", "9"]
                test = dict(by_name[name], name=f"compute-sanitizer {kind} {name}")
                test["env"] = dict(test["env"], WEFT_PROGRAMS="3", WEFT_CASTS="3", WEFT_DIVISIONS="3")
                # A tool that is slow has found nothing by then; that is no failure of what it looked at.
                entry = self.run(test, before, SANITIZER_SECONDS)
                if entry["status"] == "timeout":
                    entry["status"] = "not run"
                yield entry


def executed(command, env, seconds):
    """Exit status, None when it took too long, and what was printed."""
    with subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=seconds)
            return process.returncode, text.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)  # its own children as well
            text, _ = process.communicate()
            return None, text.decode(errors="replace")


def sanitizer():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("compute-sanitizer") or shutil.which(f"{home}/bin/compute-sanitizer") or \
        shutil.which(f"{home}/compute-sanitizer/compute-sanitizer")


def run(options):
    tests = [test for test in json.loads(pathlib.Path(options.list).read_text(encoding="utf-8"))
             if any(word in test["name"] for word in options.only.split(","))]
    runner, began = Runner(options), time.monotonic()
    short = [test for test in tests if test["parallel"] and test["timeout"] <= SHORT]
    alone = [test for test in tests if not test["parallel"]]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        entries = list(pool.map(runner.run, short)) + [runner.run(test) for test in alone]
        entries += pool.map(runner.run, (test for test in tests if test not in short + alone))
    tool = sanitizer()
    if tool and any(entry["status"] == "passed" for entry in entries):
        entries += runner.sanitize(tests, tool)
    counts = {status: sum(entry["status"] == status for entry in entries)
              for status in ("passed", "failed", "timeout", "skipped", "not run")}
    result = {"date": datetime.date.today().isoformat(), "seconds": round(time.monotonic() - began, 1),
              "jobs": options.jobs, "compute_sanitizer": tool or "absent", **counts, "tests": entries}
    pathlib.Path(options.out).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(", ".join(f"{count} {status}" for status, count in counts.items()))
    for reason in sorted({entry["output"].strip() for entry in entries if entry["status"] == "skipped"}):
        print(f"skipped: {reason}")
    for entry in entries:
        if entry["status"] == "not run" and entry["seconds"]:
            print(f"ended by the limit after {entry['seconds']:.0f} s: {entry['name']}")
        if entry["status"] in ("failed", "timeout"):
            print(f"---- {entry['name']} ----\n{entry.get('output', '')}")
    if counts["failed"] or counts["timeout"]:
        return 1
    return 0 if counts["passed"] else SKIPPED


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="what", required=True)
    commands.add_parser("list").add_argument("build")
    commands.add_parser("files").add_argument("list")
    runs = commands.add_parser("run")
    for name in ("list", "build", "source", "out"):
        runs.add_argument(name)
    runs.add_argument("--jobs", type=int, default=min(16, os.cpu_count() or 1))
    runs.add_argument("--limit", type=float, default=1e9)
    runs.add_argument("--only", default="")
    options = parser.parse_args()
    if options.what == "list":
        print(json.dumps(list(listed(options.build)), indent=1))
    elif options.what == "files":
        print("\n".join(files(json.loads(pathlib.Path(options.list).read_text(encoding="utf-8")))))
    else:
        return run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
