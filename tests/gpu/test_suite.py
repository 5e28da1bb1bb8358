#!/usr/bin/env python3
"""suite.py on tests that are shell commands: their order, what they come to, and what a limit of time leaves.

    test_suite.py"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUITE = pathlib.Path(__file__).resolve().parent / "suite.py"


def test(name, command, timeout=600, parallel=True, **env):
    return {"name": name, "command": ["sh", "-c", command], "env": env, "timeout": timeout, "parallel": parallel}


class Suite(unittest.TestCase):
    def run_suite(self, tests, *words, **env):
        """Exit status, and the result's tests by name, in their order."""
        with tempfile.TemporaryDirectory() as scratch:
            pathlib.Path(scratch, "list").write_text(json.dumps(tests), encoding="utf-8")
            command = [sys.executable, SUITE, "run", f"{scratch}/list", scratch, scratch, f"{scratch}/out",
                       "--jobs", "1"]
            command += words
            done = subprocess.run(command, capture_output=True, text=True, check=False,
                                  env=dict(os.environ, PATH="/usr/bin:/bin", **env))
            told = json.loads(pathlib.Path(scratch, "out").read_text(encoding="utf-8"))
        return done.returncode, {entry["name"]: entry for entry in told["tests"]}

    def test_statuses(self):
        tests = [test("good", "exit 0"), test("absent", "echo no GPU; exit 77"), test("slow", "sleep 9", timeout=1)]
        status, told = self.run_suite(tests)
        self.assertEqual([entry["status"] for entry in told.values()], ["passed", "skipped", "timeout"])
        self.assertEqual(status, 1)
        self.assertEqual(self.run_suite(tests[:2])[0], 0)
        self.assertEqual(self.run_suite(tests[1:2])[0], 77)
        status, told = self.run_suite([test("bad", "echo why; exit 3")])
        self.assertEqual((status, told["bad"]["exit"], told["bad"]["output"]), (1, 3, "why\n"))

    def test_order(self):
        tests = [test("values", "true", 1200), test("fills the card", "true", parallel=False), test("streams", "true")]
        self.assertEqual(list(self.run_suite(tests)[1]), ["streams", "fills the card", "values"])

    def test_limit(self):
        """What it ends has not failed."""
        status, told = self.run_suite([test("good", "true"), test("long", "sleep 9"), test("last", "true")],
                                      "--limit", "2")
        self.assertEqual([entry["status"] for entry in told.values()], ["passed", "not run", "not run"])
        self.assertEqual(status, 0)

    def test_share(self):
        """The caller's goes before the list's."""
        tests = [test("share", "test $WEFT_SHARE = 1", WEFT_SHARE="8")]
        self.assertEqual(self.run_suite(tests)[0], 1)
        self.assertEqual(self.run_suite(tests, WEFT_SHARE="1")[0], 0)


if __name__ == "__main__":
    unittest.main()
