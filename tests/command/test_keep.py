"""WEFT_KEEP keeps sources and binaries of kernels, WEFT_DEBUG shows stages: which files appear, what they are
called and hold, that results stay the same; and what a wrong variable is told."""

import glob
import os
import platform
import re
import shutil
import subprocess
import unittest

from weft_test import CommandTest

MISTAKE = "uint8(img * 2) - img * img"
NAME = "uint8_img_mul_2_sub_img_mul_img"


class Keep(CommandTest):
    def setUp(self):
        super().setUp()
        self.env = {"WEFT_KEEP": "kept", "XDG_CACHE_HOME": self.path("cache")}
        if os.environ.get("WEFT_CC") == "libtcc":
            self.skipTest("libtcc keeps nothing")

    def kept(self, pattern="*"):
        return sorted(os.path.basename(path) for path in glob.glob(self.path("kept/" + pattern)))

    def read(self, pattern):
        path, = glob.glob(self.path("kept/" + pattern))
        with open(path, encoding="utf-8") as file:
            return file.read()

    def run_it(self, text, *inputs, **env):
        return self.text("run", text, *inputs, env=dict(self.env, **env))

    def test_source_and_binary(self):
        self.assertEqual(self.run_it(MISTAKE, "img:uint8=[1, 5, 20, 200]"), "out: uint8[4] = [  1, 241, 152, 191]\n")
        source, binary = self.kept()
        self.assertRegex(source, r"^%s-[0-9a-f]{8}\.c$" % NAME)
        self.assertEqual(binary, source[:-1] + "so")
        text = self.read("*.c")
        self.assertIn("\nvoid weft_kernel_%s(" % NAME, text)
        self.assertIn(" * out = %s\n" % MISTAKE, text)
        for line in (" *   in_img uint8    load                    img\n",
                     " *   t_3   int16    mul t_1 c_0             img * 2\n",
                     " *   t_5   uint8    mul in_img in_img       img * img\n"):  # in columns
            self.assertIn(line, text)
        symbols = subprocess.run(["nm", "-D", self.path("kept/" + binary)], check=True, capture_output=True, text=True)
        self.assertIn(" T weft_kernel_" + NAME, symbols.stdout)
        lines = subprocess.run(["readelf", "--debug-dump=decodedline", self.path("kept/" + binary)], check=True,
                               capture_output=True, text=True)
        self.assertIn(self.path("kept/" + source)[-40:], lines.stdout)

    def test_results_may_have_the_entrys_name(self):
        """Comments hold the names of results."""
        for name in ("weft_kernel", "weft_kernel_x"):
            self.assertEqual(self.run_it(name + " = x + 1", "x=[1, 2]"), name + ": int32[2] = [2, 3]\n")
            self.assertEqual(self.text("run", name + " = x + 1", "x=[1, 2]", env={"WEFT_DISABLE": "first"}),
                             name + ": int32[2] = [2, 3]\n")

    def test_the_same_again_is_the_same_file(self):
        for _ in range(2):
            self.run_it("x + 1", "x=[1, 2]")
        self.assertEqual(len(self.kept()), 2)
        self.assertFalse(os.path.exists(self.path("cache/weft")))

    def test_names(self):
        """Without WEFT_KEEP the first two share a kernel."""
        for text, name in (("a - -b", "a_sub_neg_b"), ("x - -y", "x_sub_neg_y"), ("(x + 1) ** 2", "x_add_1_pow_2"),
                           ("exp(x) if x > 1.5 else 0", "exp_x_if_x_gt_1_5_else_0"), ("x # a */ b", "x"),
                           ("+".join(["x"] * 50), "_add_".join(["x"] * 8) + "_add")):
            inputs = ["a=1", "b=2"] if "a -" in text else ["x=1", "y=2"] if "y" in text else ["x=1"]
            self.run_it(text, *inputs)
            self.assertEqual(len(self.kept(name + "-????????.c")), 1, (name, self.kept()))
        self.assertEqual(len(self.kept()), 12)

    def test_names_of_files_and_results(self):
        with open(self.path("two.weft"), "w", encoding="utf-8") as file:
            file.write("kernel brighten(img: int32[n]) { img * 2 }\nkernel darken(img: int32[n]) { img // 2 }\n")
        self.run_it("two.weft:darken", "img=[4, 6]")
        self.assertEqual(len(self.kept("darken-*.c")), 1, self.kept())
        with open(self.path("one.weft"), "w", encoding="utf-8") as file:
            file.write("a = x + 1\nb = y * 2\nreturn a, b\n")
        self.run_it("one.weft", "x=[1, 2]", "y=[1, 2, 3]")
        self.assertEqual((len(self.kept("one_a-*.c")), len(self.kept("one_b-*.c"))), (1, 1), self.kept())

    def test_temporaries(self):
        self.run_it("exp(row) + exp(column)", "row=[%s]" % ", ".join(["0.5"] * 100),
                    "column=[%s]" % ", ".join(["[0.25]"] * 100))
        self.assertEqual(len(self.kept("*_temporary_0-*.so")), 1, self.kept())

    def test_comments_hold_no_code(self):
        """The end of a comment in the text is none in the source, which compiles."""
        self.assertEqual(self.run_it("where(x > 0, # */ \\ \n x, y)", "x=1", "y=2"), "out: int32[] = 1\n")
        self.assertIn("* /", self.read("*.c"))

    def test_places(self):
        for place, why in ((self.path("no/such"), "No such file"), (self.path("file"), "it is no directory"),
                           (self.path("open"), "others may write there")):
            if place.endswith("file"):
                with open(place, "w", encoding="utf-8"):
                    pass
            if place.endswith("open"):
                os.mkdir(place)
                os.chmod(place, 0o777)
            self.assertIn(why, self.bad(2, 251, "run", "x + 0", "x=1", env={"WEFT_KEEP": place}))
        self.assertIn("libtcc", self.bad(2, 251, "run", "x + 0", "x=1", env=dict(self.env, WEFT_CC="libtcc")))
        self.assertEqual(self.text("run", "x + 0", "x=1", env={"WEFT_KEEP": ""}), "out: int32[] = 1\n")

    def test_what_cannot_be_written(self):
        """A warning; the kernel runs all the same."""
        self.run_it("x + 1", "x=[1, 2]")
        for name in self.kept():
            os.unlink(self.path("kept/" + name))
            os.mkdir(self.path("kept/" + name))
        done = self.weft("run", "x + 1", "x=[1, 2]", env=self.env)
        self.assertEqual((done.returncode, done.stdout), (0, b"out: int32[2] = [2, 3]\n"))
        self.assertEqual(done.stderr.count(b"warning[W0254]"), 2)
        self.assertEqual(len(self.kept()), 2)

    def test_stages(self):
        done = self.weft("run", MISTAKE, "img:uint8=[1, 5]", env={"WEFT_DEBUG": "types,ir", "WEFT_KEEP": ""})
        told = done.stderr.decode()
        self.assertEqual(done.stdout, b"out: uint8[2] = [  1, 241]\n")
        self.assertEqual(told.count("note[W0250]"), 2)
        self.assertIn("stage types of %s:\ninput img: uint8\n" % NAME, told)
        self.assertIn("stage ir of %s:\nkernel for out: one loop over 2 elements" % NAME, told)
        self.assertEqual(self.text("run", "x + 0", "x=1", "-q", env={"WEFT_DEBUG": "types"}), "out: int32[] = 1\n")

    def test_every_stage(self):
        stages = "tokens,ast,types,groups,ir,c,asm"
        done = self.weft("run", "x + 1", "x=[1, 2]", env={"WEFT_DEBUG": stages, "WEFT_KEEP": ""})
        told = done.stderr.decode()
        self.assertEqual([stage for stage in stages.split(",") if "stage %s of x_add_1:" % stage in told],
                         stages.split(","))

    def test_stages_are_files_beside_kept_kernels(self):
        self.run_it("x + 1", "x=[1, 2]", WEFT_DEBUG="ast groups")
        self.assertEqual(sorted(name.split(".")[1] for name in self.kept()), ["ast", "c", "groups", "so"])
        self.assertIn("add +", self.read("x_add_1-*.ast"))
        self.assertIn("for out [2]", self.read("x_add_1-*.groups"))

    def test_wrong_words(self):
        self.assertIn("'irr'", self.bad(2, 253, "run", "x + 0", "x=1", env={"WEFT_DEBUG": "ir,irr"}))
        for text in "abc", "-1", "1KB", "1.5M":
            self.assertIn("'%s'" % text, self.bad(2, 252, "run", "x + 0", "x=1", env={"WEFT_CACHE_SIZE": text}))
        self.bad(2, 252, "cache", "prune", env={"WEFT_CACHE_SIZE": "abc"})
        self.assertEqual(self.text("run", "x + 0", "x=1", env={"WEFT_CACHE_SIZE": ""}), "out: int32[] = 1\n")


@unittest.skipUnless(shutil.which("readelf"), "there is no readelf")
@unittest.skipUnless(platform.machine() == "x86_64", "kernels are linked to libraries on all other processors")
class Linked(CommandTest):
    """Kernels are linked to the math library where they call its functions, and else to none."""

    ONE = ["exp", "sin", "tan", "log1p", "asinh", "erfc", "floor"]
    TWO = ["x % y", "fmod(x, y)", "x ** y", "atan2(x, y)", "softmax(x)"]
    FROM_C = re.compile(r"mem(cpy|set|move)|_ITM_|__gmon|__cxa|__tls")

    def setUp(self):
        super().setUp()
        self.env = {"WEFT_KEEP": "kept", "XDG_CACHE_HOME": self.path("cache")}
        flags = os.environ.get("WEFT_CFLAGS")
        with open("/proc/cpuinfo", encoding="ascii") as file:
            fused = {"fma", "avx2"} <= set(file.read().split())
        if flags or not fused:
            self.skipTest("flags, or a processor without fused multiply-adds: all are linked to libraries")

    def linked(self, text, dtype):
        """Functions that are called, and what libraries the kernels name."""
        shutil.rmtree(self.path("kept"), ignore_errors=True)
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        inputs = [f"{name}:{dtype}=[1, 2, 3]" for name in "xy" if re.search(rf"\b{name}\b", text)]
        self.text("run", text, *inputs, "--tier", "none", env=self.env)
        called, named = [], []
        for path in glob.glob(self.path("kept/*.so")):
            listed = subprocess.run(["readelf", "-dW", "--dyn-syms", path], capture_output=True, text=True, check=True)
            called += [name for name in re.findall(r"UND (\S+)", listed.stdout) if not self.FROM_C.match(name)]
            named += re.findall(r"NEEDED.*\[(.*)\]", listed.stdout)
        return called, named

    def test_libraries(self):
        texts = self.TWO + [f"{name}(x)" for name in self.ONE] + [f"{name}(x[0]) + y" for name in self.ONE]
        for text in texts:
            for dtype in ("float32", "float64"):
                called, named = self.linked(text, dtype)
                with self.subTest(text=text, dtype=dtype, called=called):
                    self.assertTrue(not called or any(name.startswith("libm") for name in named), named)

    def test_none(self):
        for text in ("x + y", "x % y", "exp(x)"):
            with self.subTest(text=text):
                self.assertEqual(self.linked(text, "float32"), ([], []))


if __name__ == "__main__":
    unittest.main()
