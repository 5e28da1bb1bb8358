"""Host data on a GPU that lets the command down: each call of the driver fails in turn, from the first (cuInit) to the
last, NVRTC fails in all its ways, there is no driver. The command gives the right result or says what went wrong."""

import os
import unittest

from weft_test import CommandTest

PROGRAM = "100 // n + x", "n:int32=[1,0,3]", "x:float32=[1,2,3]"
RESULT = "out: float32[3] = [101.0,   2.0,  36.0]\n"

# The mock's word for what is left at the end: where a call failed that gives something back.
NOT_GIVEN_BACK = 97
ERROR = r"error\[W0(2\d\d|071)\]"


class Cuda(CommandTest):
    def setUp(self):
        super().setUp()
        mock = os.environ["MOCKCUDA"]
        self.env = {"CUDA_HOME": mock, "LD_LIBRARY_PATH": mock, "WEFT_TARGET": "cuda", "MOCKCUDA_CFLAGS": "-O0",
                    "WEFT_CACHE": self.path("cache")}

    def run_with(self, **env):
        done = self.weft("run", *PROGRAM, env={**self.env, **env})
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def right(self, **env):
        status, out, told = self.run_with(**env)
        self.assertEqual((status, out), (0, RESULT), told)
        self.assertIn("W0084", told)

    def wrong(self, *words, **env):
        status, out, told = self.run_with(**env)
        self.assertEqual((status, out), (1, ""), told)
        self.assertRegex(told, ERROR)
        for word in words:
            self.assertIn(word, told)

    def calls(self):
        """Of a run that finds its kernel on disk."""
        self.right()
        self.right(MOCKCUDA_COUNT=self.path("count"))
        with open(self.path("count")) as file:
            return int(file.read())

    def fail_each(self, code, step, words):
        failed = 0
        for number in range(1, self.calls() + 1, step):
            with self.subTest(number=number, code=code):
                status, out, told = self.run_with(MOCKCUDA_FAIL=str(number), MOCKCUDA_FAIL_CODE=str(code))
                if status in (0, NOT_GIVEN_BACK):
                    self.assertEqual(out, RESULT)
                    self.assertEqual(status == NOT_GIVEN_BACK, "not released" in told)
                    continue
                failed += 1
                self.assertEqual((status, out), (1, ""), told)
                self.assertRegex(told, ERROR)
                self.assertTrue(any(word in told for word in words), told)
        self.assertGreater(failed, 5)

    def test_unknown(self):
        self.fail_each(999, 1, ["error 999"])

    def test_lost(self):
        self.fail_each(700, 3, ["error 700"])

    def test_no_room(self):
        self.fail_each(2, 3, ["error 2)", "room", "memory"])

    def test_cuinit(self):
        self.wrong("does not start", "error 999", MOCKCUDA_FAIL="1")
        self.wrong("GPU", MOCKCUDA_DEVICES="0")

    def test_nvrtc(self):
        for mode, words in (("fail", ["NVRTC"]), ("memory", ["memory"]), ("builtins", ["builtins"]),
                            ("internal", ["NVRTC"]), ("create", ["NVRTC"]), ("version", ["nvrtc"])):
            with self.subTest(mode=mode):
                self.wrong(*words, MOCKCUDA_NVRTC=mode)

    def test_other_nvrtc(self):
        """Kernels of an older one, without its late options; one that does not know the GPU gives PTX."""
        self.right(MOCKCUDA_NVRTC="old", WEFT_CACHE="")
        self.right(MOCKCUDA_NVRTC_VERSION="12.4", WEFT_CACHE="")
        self.right(MOCKCUDA_NVRTC_ARCHS="75,80", WEFT_CACHE="")

    def test_no_driver(self):
        """Unless the machine has one of its own, which has to do without the kernels of this NVRTC."""
        empty = self.path("empty")
        os.mkdir(empty)
        status, out, told = self.run_with(LD_LIBRARY_PATH=empty, CUDA_HOME=empty)
        if status:
            self.assertEqual(out, "")
            self.assertRegex(told, "libcuda.so.1|GPU")


if __name__ == "__main__":
    unittest.main()
