"""weft show for a GPU, which need not be there: cuda, ptx and sass with the NVRTC of tests/mockcuda and a
disassembler that is a script."""

import os
import unittest

from weft_test import CommandTest

PROGRAM = "x * 2 + 1", "x=float32[100]"


class Show(CommandTest):
    def setUp(self):
        super().setUp()
        for name in "tmp", "bin", "home":
            os.mkdir(self.path(name))
        self.env = {"CUDA_HOME": os.environ["MOCKCUDA"], "PATH": self.path("bin") + ":/usr/bin:/bin",
                    "TMPDIR": self.path("tmp"), "HOME": self.path("home")}

    def tearDown(self):
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def tool(self, name, body):
        with open(self.path("bin/" + name), "w") as file:
            file.write("#!/bin/sh\n" + body)
        os.chmod(self.path("bin/" + name), 0o755)

    def show(self, *arguments):
        return self.text("show", *PROGRAM, *arguments, env=self.env)

    def test_cuda(self):
        text = self.show("--stage", "cuda", "--full")
        self.assertIn("weft_kernel", text)
        self.assertIn("blockIdx", text)

    def test_lines(self):
        """A statement is of the program's line, what follows of the text's own."""
        text = self.show("--stage", "cuda-compiled").split("\n")
        names = [n for n, line in enumerate(text, 1) if line == '#line 1 "/weft/program"' and " t" in text[n]]
        self.assertEqual(len(names), 2)
        own = [(n, line) for n, line in enumerate(text, 1) if line.endswith('"/weft/kernel.cu"')]
        self.assertTrue(own)
        for n, line in own:
            self.assertEqual(line, '#line %d "/weft/kernel.cu"' % (n + 1))

    def test_ptx(self):
        self.assertIn(".target sm_90\n", self.show("--stage", "ptx"))
        self.assertIn(".target sm_80\n", self.show("--stage", "ptx", "--arch", "sm_80"))

    def test_architectures(self):
        told = self.bad(2, 236, "show", *PROGRAM, "--stage", "ptx", "--arch", "sm_35", env=self.env)
        self.assertIn("sm_35", told)
        self.assertIn("sm_75, sm_80", told)
        self.bad(2, 102, "show", *PROGRAM, "--stage", "ptx", "--arch", "hopper", env=self.env)

    def test_sass(self):
        self.tool("cuobjdump", 'echo cuobjdump "$1"; head -c 4 "$2" | tail -c 3\n')
        self.assertEqual(self.show("--stage", "sass"), "cuobjdump --dump-sass\nELF\n")
        self.tool("nvdisasm", 'echo nvdisasm "$1" "$2"; head -c 4 "$3" | tail -c 3\n')
        self.assertEqual(self.show("--stage", "sass"), "nvdisasm --print-code --print-line-info\nELF\n")

    def test_no_disassembler(self):
        self.env["PATH"] = "/nowhere"
        told = self.weft("show", *PROGRAM, "--stage", "sass", env=self.env)
        if told.returncode == 0:
            self.skipTest("a disassembler is where a toolkit has it")
        self.assertIn("error[W0241]", told.stderr.decode())
        self.assertIn("pip install nvidia-cuda-nvdisasm", told.stderr.decode())

    def test_disassembler_that_fails(self):
        for body, how in ("echo no such thing; exit 3\n", "exit status 3"), ("kill -9 $$\n", "signal 9"):
            self.tool("nvdisasm", body)
            self.assertIn(how, self.bad(1, 242, "show", *PROGRAM, "--stage", "sass", env=self.env))
        self.tool("nvdisasm", "#\n")
        with open(self.path("bin/nvdisasm"), "w") as file:
            file.write("#!/nowhere/sh\n")
        self.bad(1, 242, "show", *PROGRAM, "--stage", "sass", env=self.env)

    def test_nvrtc_that_fails(self):
        for mode, status, code in ("fail", 1, 238), ("builtins", 1, 237), ("version", 1, 214):
            env = dict(self.env, MOCKCUDA_NVRTC=mode)
            told = self.bad(status, code, "show", *PROGRAM, "--stage", "ptx", env=env)
            self.assertEqual("    1  " in told, mode == "fail", told)

    def test_all(self):
        self.tool("nvdisasm", "echo a line of SASS\n")
        stages = [line for line in self.show("--arch", "sm_90", "--stage", "all").split("\n") if line.startswith("== ")]
        self.assertEqual(stages, ["== %s ==" % name for name in ("tokens", "ast", "types", "cuda", "ptx", "sass")])
        stages = [line for line in self.show("--stage", "all").split("\n") if line.startswith("== ")]
        self.assertEqual(stages[-2:], ["== c ==", "== asm =="])


if __name__ == "__main__":
    unittest.main()
