#!/usr/bin/env python3
"""bench/gpu/sweep.py on the fake driver: what its file holds, what a limit of time leaves, and what WEFT_TUNING does in
the library that reads it and in the one that does not.

    test_sweep.py BUILD MOCK"""
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, MOCK = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
SWEEP = pathlib.Path(__file__).resolve().parent.parent.parent / "bench/gpu/sweep.py"
sys.path[:0] = [str(SWEEP.parent), str(SWEEP.parents[1] / "common")]
import library  # noqa: E402
import sweep_table  # noqa: E402

TARGET_CUDA = 2
ROW = r"\{\.arch = 90, \.threads = \d+, \.elements = \d+, \.loads = \d+, \.bounds = \d, \.hints = \d, \.blocks = \d+\},"


class Sweep(unittest.TestCase):
    def sweep(self, *words):
        """The finished process and the file."""
        with tempfile.TemporaryDirectory() as scratch:
            out = pathlib.Path(scratch, "sweep.json")
            command = [sys.executable, str(SWEEP), "--build", str(BUILD), "--mock", str(MOCK), "--out", str(out),
                       *words]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done, json.loads(out.read_text(encoding="utf-8")) if out.exists() else None

    def test_whole_steps(self):
        done, told = self.sweep("--steps", "places,ceilings,overhead", "--limit", "100000")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(list(told["steps"]), ["ceilings", "places", "overhead"])  # in the sweep's own order
        self.assertEqual(told["failed"], [])
        self.assertRegex(told["best"]["row"], ROW)
        self.assertIn(told["best"]["row"], done.stdout)
        self.assertEqual([step["cut"] for step in told["steps"].values()], [False] * 3)
        sizes = [entry["what"] for entry in told["steps"]["ceilings"]["entries"]]
        self.assertIn("400 MB, read:write 1:4", sizes)
        for entry in told["steps"]["ceilings"]["entries"][1:]:
            self.assertEqual(set(entry["gb_per_s"]), {f"{name}, {mode}" for name in ("memcpy", "by hand")
                                                      for mode in ("launched", "graph")})
        for entry in told["steps"]["places"]["entries"]:
            self.assertAlmostEqual(entry["of_copy"], entry["copy_us"] / entry["us"])
            self.assertEqual(len(entry["runs_us"]), 5)

    def test_limit(self):
        done, told = self.sweep("--steps", "sweep,parts,hints,tails,ragged", "--limit", "4")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(len(told["steps"]), 5)
        for step in told["steps"].values():
            for entry in step["entries"]:
                self.assertTrue("of_copy" in entry or "same_as" in entry, entry)
        whole = {"sweep": 6 * 12 * 4, "parts": 6 * 5, "hints": 7 * 6, "tails": 8 * 4, "ragged": 6 * 5}
        for name, step in told["steps"].items():
            self.assertEqual(step["cut"], len(step["entries"]) < whole[name], name)
        done, told = self.sweep("--steps", "sweep,hints", "--limit", "0")
        self.assertEqual([(step["cut"], step["entries"]) for step in told["steps"].values()], [(True, [])] * 2)
        self.assertEqual(told["best"]["cut"], ["sweep", "hints"])

    def test_steps_that_end(self):
        """Each is named, and the others go on."""
        done, told = self.sweep("--steps", "places,overhead", "--library", "/none")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(told["failed"], ["places: ended with 1", "overhead: ended with 1"])
        self.assertIn("FAILED: overhead: ended with 1", done.stdout)

    def test_unknown_step(self):
        done, told = self.sweep("--steps", "ceiling")
        self.assertIn("there is no step 'ceiling'; there are suite, ceilings, ", done.stderr)
        self.assertIsNone(told)


def entry(what, setting, gain):
    return {"what": what, "setting": setting, "gain": gain, "of_copy": 0.5 * gain, "us": 1.0}


class Table(unittest.TestCase):
    """Which row follows from which figures."""

    def tell(self, **steps):
        content = {"gpu": {"arch": "sm_90"},
                   "steps": {name: {"entries": entries, "cut": False} for name, entries in steps.items()}}
        with contextlib.redirect_stdout(None):
            return sweep_table.tell(content)

    def test_best_over_all_cases(self):
        told = self.tell(sweep=[entry("x", "as it is", 1), entry("y", "as it is", 1),
                                entry("x", "threads=128 elements=16", 1.5), entry("y", "threads=128 elements=16", 0.9),
                                entry("x", "threads=512 elements=8 bounds=4", 1.3),
                                entry("y", "threads=512 elements=8 bounds=4", 1.3),
                                entry("x", "threads=64 elements=8", 9)],  # not measured in y
                         hints=[entry("x", "as it is", 1), entry("x", "hints=3", 1.002)],  # not worth it
                         tails=[entry("x", "as it is", 1), entry("x", "blocks=8", 1.1)])
        self.assertEqual(told["row"], "{.arch = 90, .threads = 512, .elements = 8, .loads = 64, .bounds = 4, "
                                      ".hints = 0, .blocks = 8},")
        self.assertEqual(told["cases"]["sweep: x"]["setting"], "threads=64 elements=8")

    def test_same_kernel(self):
        same = {"what": "y", "setting": "elements=16", "same_as": "as it is"}
        told = self.tell(sweep=[entry("x", "as it is", 1), entry("y", "as it is", 1), entry("x", "elements=16", 1.2),
                                same])
        self.assertIn(".elements = 16,", told["row"])

    def test_parts_are_no_settings(self):
        told = self.tell(parts=[entry("x", "as it is", 1), entry("x", "without chunk", 2)])
        self.assertIn(".threads = 256, .elements = 8, .loads = 64, .bounds = 0,", told["row"])


class Tuning(unittest.TestCase):
    """The words of WEFT_TUNING."""

    def text(self, words, directory):
        os.environ["WEFT_TUNING"] = words
        try:
            weft = library.Weft(directory, library.load(directory), target=TARGET_CUDA)
        finally:
            del os.environ["WEFT_TUNING"]
        with contextlib.closing(weft):
            return weft.stage(weft.compile("x * row", {"x": "uint8[4096, 3]", "row": "float32[3]"}), "cuda-compiled")

    def constants(self, words, directory=BUILD / "tests/gpu"):
        return dict(re.findall(r"#define (\w+) (\d+)\n", self.text(words, directory)))

    def test_each_word(self):
        usual = self.constants("")
        self.assertEqual((usual["THREADS"], usual["UNROLL"], usual["CHUNK"]), ("192", "2", "4"))
        self.assertEqual(usual["HINTS"], "0")
        self.assertEqual(self.constants("threads=128")["THREADS"], "96")
        self.assertEqual(self.constants("threads=512")["THREADS"], "384")
        self.assertEqual(self.constants("elements=16,bounds=0")["UNROLL"], "4")
        self.assertEqual(self.constants("elements=32 loads=256")["UNROLL"], "8")
        found = self.constants("bounds=4 hints=3")
        self.assertEqual((found["BOUNDS"], found["HINTS"]), ("4", "3"))
        self.assertEqual(self.constants("bounds=32")["BOUNDS"], "10")  # as many as a multiprocessor has threads for

    def test_wrong_words(self):
        for wrong in ("thread=128", "threads=100", "threads=12800000000", "hints=8", "bounds=", "elements=24",
                      "blocks=x", "loads"):
            said = rf"'{wrong}' is no setting of a CUDA kernel's form \(WEFT_TUNING\); there are threads=32\.\.640"
            with self.assertRaisesRegex(RuntimeError, said):
                self.constants(f"bounds=2 {wrong} hints=9")

    def test_library_does_not_read_it(self):
        self.assertEqual(self.text("threads=512 hints=8", BUILD / "runtime"), self.text("", BUILD / "runtime"))
        self.assertEqual(self.text("", BUILD / "tests/gpu"), self.text("", BUILD / "runtime"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
