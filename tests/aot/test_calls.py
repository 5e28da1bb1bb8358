"""Kernels compiled ahead of time, called from C (calls.c) and C++, in the ways in which a host may build them. WEFT in
the environment is the command's path, DLPACK_INCLUDE what finds weft.h's header."""
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sample  # noqa: E402

ROOT = HERE.parent.parent
WEFT = os.environ.get("WEFT", "weft")
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
OWN_LEVEL = '#pragma GCC optimize("O3", '
KERNELS = re.findall(r"^kernel (\w+)", (HERE / "sample.weft").read_text(), re.MULTILINE)
# What a kernel may want of its host: the C library, libm, OpenMP's library.
WANTED = re.compile(r"^(malloc|free|qsort|mem(cmp|cpy|set|move)|bcmp|fe(get|set)env|_GLOBAL_OFFSET_TABLE_|"
                    r"__stack_chk_fail|__tls_get_addr|__cpu_(model|indicator_init|features2?)|omp_\w+|GOMP_\w+|exp|"
                    r"powf?|rintf?|floorf?|fmodf?|ceilf?|truncf?|roundf?)$")


def compilers(language="c"):
    names = {"c": ("gcc", "clang"), "c++": ("g++", "clang++")}[language]
    return [name for name in names if shutil.which(name)]


class AotTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="weft-aot-")
        self.addCleanup(self.directory.cleanup)
        self.here = pathlib.Path(self.directory.name)

    def some(self, ways):
        """One in WEFT_SHARE, and at least one; which, depends on the test's name."""
        ways, share = list(ways), sample.setting("WEFT_SHARE", 1)
        return ways[self._testMethodName.count("e") % min(share, len(ways))::share]

    def compilers(self, language="c"):
        return self.some(compilers(language))

    def run_in(self, *command):
        done = subprocess.run(command, cwd=self.here, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{' '.join(command)}\n{done.stdout[-4000:]}")
        return done.stdout

    def build(self, *options):
        self.run_in(WEFT, "build", str(HERE / "sample.weft"), "-o", "out", *options)

    def without_own_level(self, *names):
        """Takes from sources the line by which gcc compiles kernels at -O3 whatever the flags say: most of the time of
        this test, five times as much with the sanitizers. Programs of test_every_compiler have it."""
        for name in names:
            path = self.here / "out" / f"{name}.c"
            text = path.read_text()
            self.assertEqual(text.count(OWN_LEVEL), 1, name)
            path.write_text(text.replace(OWN_LEVEL, "#pragma GCC optimize("))

    def symbols(self, name):
        lines = self.run_in("nm", name).splitlines()
        return [line.split()[-2:] for line in lines]

    def expect_wanted(self, symbols):
        given = {name for kind, name in symbols if kind != "U"}
        wanted = {name for kind, name in symbols if kind == "U"} - given
        self.assertTrue(wanted)
        self.assertEqual({name for name in wanted if not WANTED.match(name) and not name.startswith("__kmpc")}, set())

    def objects(self, *flags):
        """Compiles the bundle, and what kernels share."""
        for name in ("sample", "weft_support"):
            self.run_in(*flags, "-c", f"out/{name}.c", "-o", f"{name}.o")
        return ["sample.o", "weft_support.o"]

    def call(self, *flags, more=()):
        """Compiles calls.c with the bundle and runs it."""
        self.run_in(*flags, *STRICT, "-Iout", str(HERE / "calls.c"), "out/sample.c", "out/weft_support.c", *more, "-lm",
                    "-o", "calls")
        self.assertEqual(self.run_in("./calls"), "0 failures\n")


class Calls(AotTest):
    def test_every_compiler(self):
        self.build("--bundle", "sample")
        for compiler, flags in self.some(itertools.product(compilers(), (["-O0"], ["-O2", "-ffast-math"]))):
            with self.subTest(compiler=compiler, flags=flags):
                self.call(compiler, *flags)

    def test_sanitizers(self):
        self.build("--bundle", "sample")
        self.without_own_level("sample")
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                self.call(compiler, "-O0", *SANITIZERS)

    def test_threads_and_instruction_sets(self):
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                self.build("--bundle", "sample", "--openmp", "--isa", "x86-64-v2,x86-64-v3,x86-64-v4")
                self.without_own_level("sample")
                self.call(compiler, "-O0")
                self.build("--bundle", "sample", "--openmp", "--isa", "x86-64-v3")
                if subprocess.run([compiler, "-fopenmp", "-xc", "-", "-o", os.devnull],
                                  input="int main(void){return 0;}", text=True, capture_output=True).returncode == 0:
                    objects = self.objects(compiler, "-O2", "-fPIC", "-fopenmp", *STRICT)
                    self.run_in(compiler, "-O0", "-fopenmp", *STRICT, "-Iout", str(HERE / "calls.c"), *objects, "-lm",
                                "-o", "calls")
                    self.assertEqual(self.run_in("./calls"), "0 failures\n")
                    self.expect_wanted([symbol for name in objects for symbol in self.symbols(name)])

    def test_beside_the_library(self):
        """The library's header and those of all kernels, each a source of its own, in one program."""
        self.build()
        self.build("--bundle", "sample")
        os.unlink(self.here / "out" / "sample.c")
        self.without_own_level(*KERNELS)
        every = "".join(f'#include "{name}.h"\n' for name in KERNELS)
        (self.here / "out" / "sample.h").write_text(every)
        sources = [f"out/{name}.c" for name in [*KERNELS, "weft_support"]]
        include = [f"-I{ROOT / 'include'}", *os.environ.get("DLPACK_INCLUDE", "").split()]
        for compiler in self.compilers():
            with self.subTest(compiler=compiler):
                self.run_in(compiler, "-O0", *STRICT, "-DWITH_LIBRARY", "-Iout", *include, str(HERE / "calls.c"),
                            *sources, "-lm", "-o", "calls")
                self.assertEqual(self.run_in("./calls"), "0 failures\n")

    def test_from_cplusplus(self):
        self.build("--bundle", "sample")
        program = """#include "sample.h"
#include <vector>
int main()
{
    std::vector<float> a(100, 2.0f), b(7, 1.0f), s(100), t(7), u(100);
    return apart(a.data(), b.data(), 100, 7, s.data(), t.data(), u.data()) != WEFT_KERNEL_OK || s[99] != 4 ||
           t[6] != 2 || u[0] != 1 || apart_note()->status == 3;
}
"""
        (self.here / "main.cpp").write_text(program)
        self.without_own_level("sample")
        for compiler in self.compilers("c++"):
            with self.subTest(compiler=compiler):
                for standard in ("c++11", "c++20"):
                    self.run_in(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Iout", "-c",
                                "main.cpp", "-o", "main.o")
                self.run_in(compiler, "main.o", *self.objects(compilers()[0], "-std=c11", "-O0"), "-lm", "-o", "main")
                self.run_in("./main")


    def test_compiled_as_cplusplus(self):
        """One error that says what is meant."""
        self.build("--bundle", "sample", "--isa", "x86-64-v3", "--openmp")
        for compiler in self.compilers("c++"):
            done = subprocess.run([compiler, "-x", "c++", "-Iout", "-c", "out/sample.c"], cwd=self.here,
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stderr.count("error: "), 1, done.stderr[:2000])
            self.assertIn("this source is C: compile it as C, and include its header from C++", done.stderr)


class Objects(AotTest):
    def compiled(self, *flags):
        """Kinds and names of an object's symbols."""
        return [symbol for name in self.objects(*flags) for symbol in self.symbols(name)]

    def test_no_warnings(self):
        """Also with those that are about a project's style."""
        self.build("--bundle", "sample", "--openmp", "--isa", "x86-64-v3")
        common = ["-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wcast-qual", "-Wcast-align",
                  "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wundef", "-Wdouble-promotion", "-Wfloat-equal",
                  "-Wswitch-enum", "-Wwrite-strings", "-Wredundant-decls", "-Wvla", "-Wunused-macros",
                  "-Wdeclaration-after-statement"]
        for compiler in compilers():
            self.run_in(compiler, *STRICT, *common, "-Iout", "-fsyntax-only", "out/sample.c", "out/weft_support.c")

    def test_nothing_but_the_c_library_is_wanted(self):
        self.build("--bundle", "sample", "--openmp", "--isa", "x86-64-v3")
        for compiler in self.compilers():  # with other flags: test_threads_and_instruction_sets
            self.expect_wanted(self.compiled(compiler, "-O0"))

    def test_nothing_but_the_kernels_is_given(self):
        self.build("--bundle", "sample", "--isa", "x86-64-v3")
        self.without_own_level("sample")
        for compiler in self.compilers():
            given = {name for kind, name in self.compiled(compiler, "-O0") if kind in "TDB"}
            suffixes = ("", "_strided", "_shape", "_batch", "_note")
            self.assertEqual(given, {name + suffix for name in KERNELS for suffix in suffixes})

    def test_extremes_of_narrow_integers_that_are_taken(self):
        """gcc 12 failed on them with AVX-512."""
        (self.here / "taken.weft").write_text("".join(
            f"kernel {name}_{type}(x: {type}[n], y: {type}[n], i: int32[m]) {{ return out = take({name}(x, y), i) }}\n"
            for name, type in self.some([("max", "uint8"), ("min", "int16"), ("min", "int8"), ("max", "uint16")])))
        self.run_in(WEFT, "build", "taken.weft", "--bundle", "taken", "-o", "out", "--isa", "x86-64-v4")
        for compiler in self.compilers():
            self.run_in(compiler, "-O2", *STRICT, "-Iout", "-c", "out/taken.c", "-o", "taken.o")

    def test_what_cannot_keep_its_meaning_is_refused(self):
        self.build("--bundle", "sample")
        for flags, word in ((["-fsingle-precision-constant"], "-fsingle-precision-constant"),
                            (["-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__=2"], "SSE2")): # what -mfpmath=387 says
            done = subprocess.run(["gcc", *flags, "-Iout", "-fsyntax-only", "out/sample.c"], cwd=self.here,
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(word, done.stderr)

    def test_what_fuses_without_telling_is_refused(self):
        """-ffp-contract=fast of clang, on a processor that has such an instruction; gcc's is turned off."""
        if " fma " not in pathlib.Path("/proc/cpuinfo").read_text():
            self.skipTest("no FMA")
        (self.here / "apart.weft").write_text("kernel apart(a: float32[n]) { return s = a * 2 + 1 }\n")
        self.run_in(WEFT, "build", "apart.weft", "-o", "out", "--isa", "x86-64-v3")
        self.without_own_level("apart")
        program = """#include "apart.h"
#include <stdio.h>
int main(void)
{
    const float a[1] = {1};
    float s[1];
    printf("%d ", apart(a, 1, s));
    printf("%s\\n", apart_note()->text ? apart_note()->text : "good");
}
"""
        (self.here / "main.c").write_text(program)
        for flags in (["-O2", "-ffp-contract=fast"], ["-O2", "-ffp-contract=fast", "-mfma"]):
            for compiler in compilers() if "-mfma" in flags else compilers()[1:]:
                self.run_in(compiler, *flags, *STRICT, "-Iout", "main.c", "out/apart.c", "out/weft_support.c", "-lm",
                            "-o", "main")
                told = self.run_in("./main")
                self.assertIn("-11 its source was compiled with -ffp-contract=fast" if compiler == "clang"
                              else "0 good", told)


if __name__ == "__main__":
    unittest.main()
