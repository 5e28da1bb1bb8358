"""weft build: what it writes, and what it says where it cannot; never a part of the files."""

import os
import pathlib
import resource
import shutil
import subprocess
import sys
import unittest

import weft_test

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import sample  # noqa: E402

TWICE = "kernel twice(x: float32[n]) {\n    return y = x * 2\n}\n"
TWO = TWICE + "kernel half(x: float32[n]) {\n    return y = x / 2\n}\n"


SUPPORT = ["weft_support.c", "weft_support.h"]


class Build(weft_test.CommandTest):
    def write(self, text, name="k.weft"):
        pathlib.Path(self.path(name)).write_text(text)

    def read(self, name):
        return pathlib.Path(self.path(name)).read_text()

    def refused(self, code, text, *words, status=1):
        """The text is refused with this number and these words, and nothing is written."""
        self.write(text)
        told = self.bad(status, code, "build", "k.weft", "-o", "out")
        for word in words:
            self.assertIn(word, told)
        self.assertEqual(self.files(), ["k.weft"])


class Written(Build):
    def test_a_pair_for_each_kernel(self):
        self.write(TWO)
        self.assertEqual(self.text("build", "k.weft", "-o", "out"), "")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["half.c", "half.h", "twice.c", "twice.h", *SUPPORT])
        self.assertIn("int twice(const float *x, int64_t n, float *y);", self.read("out/twice.h"))

    def test_a_bundle(self):
        self.write(TWO)
        self.good("build", "k.weft", "-o", "out/", "--bundle", "both")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["both.c", "both.h", *SUPPORT])
        for name in ("twice", "half"):
            self.assertIn(f"int {name}_strided(", self.read("out/both.h"))

    def test_list_writes_nothing(self):
        self.write(TWO)
        listed = self.text("build", "k.weft", "-o", "out", "--list").split()
        self.assertEqual(listed, ["out/twice.h", "out/twice.c", "out/half.h", "out/half.c",
                                  "out/weft_support.h", "out/weft_support.c"])
        self.assertEqual(self.files(), ["k.weft"])

    def test_depfile(self):
        os.mkdir(self.path("a b"))
        self.write(TWICE, "a b/k#.weft")
        self.good("build", "a b/k#.weft", "-o", "out", "--depfile", "out/k.d")
        self.assertEqual(self.read("out/k.d"), "out/twice.h out/twice.c: a\\ b/k\\#.weft\n")

    def test_the_same_bytes_from_anywhere(self):
        self.write(TWO)
        os.mkdir(self.path("deep"))
        shutil.copy(self.path("k.weft"), self.path("deep/k.weft"))
        options = ("--bundle", "b", "--isa", "x86-64-v3", "--openmp")
        self.good("build", "k.weft", "-o", "one", *options)
        self.good("build", os.path.join(self.here, "deep", "k.weft"), "-o", "two", *options,
                  env={"LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "SOURCE_DATE_EPOCH": "1", "WEFT_DISABLE": "hoist",
                       "HOME": "/"})
        for name in ("b.h", "b.c"):
            self.assertEqual(self.read("one/" + name), self.read("two/" + name))

    def test_nothing_of_the_machine_is_in_it(self):
        self.write(TWICE)
        self.good("build", os.path.join(self.here, "k.weft"), "-o", "out")
        for name in ("out/twice.h", "out/twice.c"):
            self.assertNotIn(self.here, self.read(name))
            self.assertTrue(self.read(name).isascii())

    def test_check(self):
        self.write(TWO)
        build = ("build", "k.weft", "-o", "out")
        self.assertIn("'out/twice.h' is missing", self.bad(1, 267, *build, "--check"))
        self.assertEqual(self.files(), ["k.weft"])
        self.good(*build)
        self.good(*build, "--check")
        source = pathlib.Path(self.path("out/half.c"))
        text = source.read_text()
        for changed in (text[:-1], text + "\n", text.replace("half", "halb", 1), ""):
            source.write_text(changed)
            self.assertIn("'out/half.c' differs", self.bad(1, 267, *build, "--check"))
            self.assertEqual(source.read_text(), changed)
        self.assertIn("differs", self.bad(1, 267, *build, "--check", "--openmp"))

    def test_check_beside_list(self):
        self.write(TWICE)
        done = self.weft("build", "k.weft", "-o", "out", "--check", "--list")
        self.assertEqual((done.returncode, done.stdout.decode()), (1, "out/twice.h\nout/twice.c\nout/weft_support.h\n"
                                                                         "out/weft_support.c\n"))

    def test_check_with_other_templates(self):
        """A library of which one word of a template is another: what it makes is not what this one made."""
        self.write(TWICE)
        self.good("build", "k.weft", "-o", "out")
        weft = pathlib.Path(shutil.which(weft_test.WEFT)).resolve()
        words = b"its own elements overlap"
        [holder] = {file.resolve() for file in [weft, *(weft.parent.parent / "runtime").glob("libweft.so.*")]
                    if file.is_file() and words in file.read_bytes()}
        self.assertEqual(holder.read_bytes().count(words), 1)
        for file in weft, *(weft.parent.parent / "runtime").glob("libweft.so.*"):
            if file.is_file():
                other = pathlib.Path(self.path(file.name))
                other.write_bytes(file.read_bytes().replace(words, b"its own elements overlaP"))
                other.chmod(0o755)
        told = subprocess.run([self.path(weft.name), "build", "k.weft", "-o", "out", "--check"], cwd=self.here,
                              text=True, capture_output=True, env=dict(os.environ, LD_LIBRARY_PATH=self.here))
        self.assertEqual(told.returncode, 1)
        self.assertIn("'out/weft_support.c' differs from what weft build makes", told.stderr)
        self.assertNotIn("twice", told.stderr)

    def test_files_are_replaced(self):
        self.write(TWICE)
        self.good("build", "k.weft", "-o", "out")
        pathlib.Path(self.path("out/twice.c")).write_text("old")
        self.good("build", "k.weft", "-o", "out")
        self.good("build", "k.weft", "-o", "out", "--check")


class Support(Build):
    """What all kernels share."""

    def compiled(self, *command):
        done = subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", *command], cwd=self.here, capture_output=True,
                              text=True)
        return done.returncode, done.stderr

    def test_the_same_bytes_whoever_writes_them(self):
        self.write(TWICE)
        self.write("kernel s(x: float64[h, w, c]) { return out = mean(x[1:], 0) }\n", "s.weft")
        self.good("build", "k.weft", "-o", "one")
        self.good("build", "s.weft", "-o", "two", "--openmp", "--isa", "x86-64-v3", "--bundle", "b", "--entries",
                  "batch")
        self.good("build", "--support", "only", "-o", "three")
        self.assertEqual(sorted(os.listdir(self.path("three"))), SUPPORT)
        for name in SUPPORT:
            self.assertEqual(len({self.read(f"{place}/{name}") for place in ("one", "two", "three")}), 1)
            self.assertTrue(self.read(f"one/{name}").isascii())

    def test_it_stays_where_it_is_the_same(self):
        self.write(TWO)
        build = ("build", "k.weft", "-o", "out")
        self.good(*build)
        times = lambda: {name: os.stat(self.path(f"out/{name}")).st_mtime_ns for name in SUPPORT}
        for name in SUPPORT:
            os.utime(self.path(f"out/{name}"), ns=(0, 1000))
        before = times()
        self.good(*build)
        self.good("build", "--support", "only", "-o", "out")
        self.assertEqual(times(), before)
        pathlib.Path(self.path("out/weft_support.c")).write_text("/* of an older version */")
        self.good(*build)
        self.good(*build, "--check")

    def test_without_it(self):
        self.write(TWICE)
        self.good("build", "k.weft", "-o", "out", "--support", "none")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["twice.c", "twice.h"])
        self.good("build", "k.weft", "-o", "out", "--support", "none", "--check")

    def test_several_copies_are_one(self):
        self.write(TWICE)
        self.write(TWICE.replace("twice", "half").replace("* 2", "/ 2"), "h.weft")
        self.good("build", "k.weft", "-o", "one")
        self.good("build", "h.weft", "-o", "two")
        self.write("""#include "one/twice.h"
#include "two/half.h"
int main(void)
{
    float x[3] = {1, 2, 3}, y[3];
    return twice(x, 3, y) || half(y, 3, x) || x[2] != 3 || twice(x, 3, 0) != WEFT_KERNEL_INPUT_ERROR ||
           half_note()->status || twice_note()->status != WEFT_KERNEL_INPUT_ERROR;
}
""", "main.c")
        sources = ["one/twice.c", "one/weft_support.c", "two/half.c", "two/weft_support.c"]
        self.assertEqual(self.compiled("main.c", *sources, "-lm", "-o", "main"), (0, ""))
        self.assertEqual(subprocess.run([self.path("main")]).returncode, 0)
        code, told = self.compiled("main.c", "one/twice.c", "two/half.c", "-lm", "-o", "main")
        self.assertNotEqual(code, 0)
        self.assertIn("weft_run", told)  # not: a function at address 0

    def test_another_version_beside(self):
        self.write(TWICE)
        self.good("build", "k.weft", "-o", "out")
        header = self.read("out/weft_support.h")
        pathlib.Path(self.path("out/weft_support.h")).write_text(header.replace("WEFT_SUPPORT ", "WEFT_SUPPORT 9", 1))
        code, told = self.compiled("-c", "out/twice.c", "-o", "twice.o")
        self.assertNotEqual(code, 0)
        self.assertIn("weft_support.h is another version's", told)

    def test_refused(self):
        self.write(TWICE)
        self.assertIn("'weft_support' cannot name a bundle",
                      self.bad(1, 263, "build", "k.weft", "-o", "out", "--bundle", "weft_support"))
        self.bad(2, 105, "build", "k.weft", "--support", "only", "-o", "out")
        self.bad(2, 102, "build", "k.weft", "--support", "some", "-o", "out")
        self.bad(2, 255, "build", "k.weft", "--support", "none", "-o", "out", "--target", "cuda")
        self.assertEqual(self.files(), ["k.weft"])


class Entries(Build):
    def test_those_that_are_asked_for(self):
        self.write(TWICE)
        functions = {"dense": "twice(", "strided": "twice_strided(", "batch": "twice_batch(", "shape": "twice_shape("}
        for entries in (["strided"], ["batch", "shape"], ["dense", "strided", "shape"], list(functions)):
            self.good("build", "k.weft", "-o", "out", "--entries", ",".join(entries))
            for name in ("twice.h", "twice.c"):
                text = self.read(f"out/{name}")
                self.assertEqual({word for word, function in functions.items() if f"int {function}" in text},
                                 set(entries), name)
                self.assertIn("twice_note(void)", text)

    def test_unknown_words(self):
        self.write(TWICE)
        for word in ("sparse", "dense,,shape", "", "dense shape"):
            self.assertIn("takes dense, strided, batch and shape", self.bad(2, 102, "build", "k.weft", "-o", "out",
                                                                           "--entries", word))
        self.bad(2, 255, "build", "k.weft", "-o", "out", "--entries", "dense", "--target", "cuda")
        self.assertEqual(self.files(), ["k.weft"])


class Refused(Build):
    def test_arguments(self):
        self.write(TWICE)
        self.bad(2, 104, "build", "k.weft")
        self.bad(2, 104, "build", "-o", "out")
        self.bad(2, 105, "build", "x * 2", "-o", "out")
        self.bad(2, 105, "build", "k.weft:twice", "-o", "out")
        self.bad(2, 105, "build", "k.weft", "x=3", "-o", "out")
        self.bad(2, 102, "build", "k.weft", "-o", "out", "-o", "other")
        self.bad(2, 102, "build", "k.weft", "-o", "out", "--isa", "x86-64-v3,avx")
        self.bad(2, 102, "build", "k.weft", "-o", "out", "--bundle", "a-b")
        self.bad(2, 102, "build", "k.weft", "-o", "out", "--target", "wasm")
        self.bad(2, 101, "build", "k.weft", "-o", "out", "--threads", "2")
        self.assertEqual(self.files(), ["k.weft"])

    def test_no_file(self):
        self.assertIn("No such file", self.bad(1, 110, "build", "absent.weft", "-o", "out"))
        os.mkdir(self.path("d.weft"))
        self.bad(1, 110, "build", "d.weft", "-o", "out")

    def test_no_kernels(self):
        self.refused(260, "input x: float32[n]\nx * 2\n", "one plain program", status=2)

    def test_mistakes_of_the_text(self):
        self.refused(4, "kernel f(x: float32[n]) { return x * }\n")
        self.refused(28, "kernel f(img: float32[n]) { return y = imgg * img }\n", "did you mean 'img'?")
        self.refused(31, "kernel f(x: float32[n], gain: float32[]) { return y = x }\n", "'gain'")
        self.refused(3, "kernel f(x) { return y = x }\n", "':' and a type")
        self.refused(60, "kernel f(a: float32[3], b: float32[4]) { return y = a + b }\n")
        self.refused(26, TWICE + TWICE, "'twice'")
        self.refused(1, "kernel f\x00(x: float32[n]) { return y = x }\n")
        self.refused(41, "")

    def test_no_dimensions(self):
        self.refused(261, "kernel f(x: float32) { return y = x * 2 }\n", "float32[]", "float32[h, w]")

    def test_numbers_of_views(self):
        self.refused(262, "kernel f(x: float32[n], s: int32[2]) { return y = reshape(x, s) }\n", "'s'")

    def test_names_of_kernels(self):
        names = {"int": "keyword of C:", "class": "keyword of C++", "printf": "function of the C library",
                 "gamma": "function of the C library", "read": "function", "y0": "function", "main": "function",
                 "errno": "macro", "_f": "reserved for the compiler", "a__b": "reserved for the compiler",
                 "size_t": "types of the C library", "weft_f": "weft adds"}
        for name, why in names.items():
            why = why.rstrip(":")
            self.refused(263, TWICE.replace("twice", name), f"'{name}'", why)
        self.refused(266, TWICE.replace("twice", "a" * 49), "49 letters")

    def test_names_of_headers(self):
        """A string.h among the generated files would be found by whoever includes that of the C library."""
        for name in ("string", "math", "Math", "features"):
            self.refused(263, TWICE.replace("twice", name), f"'{name}'", "header of the C library")
        self.write(TWICE.replace("twice", "string"))
        self.assertIn("'stdint' cannot name a bundle",
                      self.bad(1, 263, "build", "k.weft", "-o", "out", "--bundle", "stdint"))
        self.assertEqual(self.files(), ["k.weft"])
        self.good("build", "k.weft", "-o", "out", "--bundle", "strings_")
        self.write("kernel f(string: float32[limits]) { return math = string }\n")
        self.good("build", "k.weft", "-o", "out")

    def test_names_of_parameters(self):
        for name in ("register", "errno", "template", "uint8_t", "__x", "weft_x", "NULL"):
            self.refused(263, f"kernel f({name}: float32[n]) {{ return y = {name} }}\n", f"'{name}'", "parameter")
            self.refused(263, f"kernel f(x: float32[n]) {{ return {name} = x }}\n", f"'{name}'", "result")
            self.refused(263, f"kernel f(x: float32[{name}]) {{ return y = x }}\n", f"'{name}'", "size")
        self.write("kernel f(index: float32[printf]) { return sin = index, level = index, f = index }\n")
        self.good("build", "k.weft", "-o", "out")

    def test_names_that_clash(self):
        self.refused(264, "kernel f(n: float32[n]) { return y = n }\n", "'n'")
        self.refused(264, "kernel f(x: float32[n]) { return x = x * 2 }\n", "'x'")
        self.refused(264, "kernel f(x: float32[n], x_shape: float32[n]) { return y = x + x_shape }\n", "'x_shape'")
        self.refused(265, TWICE + TWICE.replace("twice", "Twice"), "case")
        self.refused(265, TWICE + TWICE.replace("twice", "twice_batch"), "'twice_batch'")
        self.write(TWICE + TWICE.replace("twice", "Twice"))
        self.good("build", "k.weft", "-o", "out", "--bundle", "both")

    def test_names_of_the_source_itself(self):
        """Kernels and parameters may be called what the source calls its own functions, variables, types and macros."""
        compiler = shutil.which("gcc") or shutil.which("cc")
        if not compiler:
            self.skipTest("no C compiler")
        self.write(TWICE)
        self.good("build", "k.weft", "-o", "out", "--isa", "x86-64-v3")
        subprocess.run([compiler, "-O0", "-c", "out/twice.c", "-o", "k.o"], cwd=self.here, check=True)
        listed = subprocess.run(["nm", "--defined-only", "k.o"], cwd=self.here, check=True, capture_output=True,
                                text=True).stdout
        names = {line.split()[-1] for line in listed.splitlines() if line.split()[-2] in "tdbr"}
        names = {name for name in names if not name.startswith("weft_") and "." not in name and "__" not in name}
        self.assertGreater(len(names), 30)
        names |= {"bytes", "half", "words", "BLOCK", "OPERANDS", "SHARED", "OVERFLOWS", "PURE", "i64", "f32_m", "WIDE",
                  "FROM_BYTES", "environment", "INDEPENDENT", "LOOP"}
        text = "".join(TWICE.replace("twice", name) for name in sorted(names))
        text += "kernel f(SHARED: float32[PURE]) { return OVERFLOWS = SHARED * 2 }\n"
        self.write(text)
        for options in [(), ("--isa", "x86-64-v2,x86-64-v3")][:sample.number("1/1/1/2")]:
            self.good("build", "k.weft", "-o", "all", "--bundle", "all", *options)
            subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "all/all.c"],
                           cwd=self.here, check=True)


class Unwritable(Build):
    def test_no_directory(self):
        self.write(TWICE)
        pathlib.Path(self.path("file")).write_text("")
        self.bad(1, 123, "build", "k.weft", "-o", "file")
        self.bad(1, 123, "build", "k.weft", "-o", "file/out")
        self.bad(1, 123, "build", "k.weft", "-o", "absent/out")
        self.bad(1, 123, "build", "k.weft", "-o", "a" * 300)
        self.bad(1, 123, "build", "k.weft", "-o", "/proc/out")
        self.assertEqual(self.files(), ["file", "k.weft"])

    def test_a_directory_in_place_of_a_file(self):
        self.write(TWO)
        os.makedirs(self.path("out/half.c"))
        self.bad(1, 123, "build", "k.weft", "-o", "out")
        self.assertEqual(os.listdir(self.path("out")), ["half.c"])

    @unittest.skipIf(os.geteuid() == 0, "the super-user may write everywhere")
    def test_rights(self):
        self.write(TWICE)
        os.mkdir(self.path("out"), 0o555)
        self.bad(1, 123, "build", "k.weft", "-o", "out")
        self.assertEqual(os.listdir(self.path("out")), [])

    def limited(self, *arguments):
        """With files of at most 20 KB, which a header is less than and a source more."""
        return self.bad(1, 123, *arguments,
                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000)))

    def test_files_that_grow_too_large(self):
        self.write(TWO)
        self.limited("build", "k.weft", "-o", "out")
        self.assertEqual(self.files(), ["k.weft"])
        os.mkdir(self.path("out"))
        for name in ("twice.h", "half.c", "other"):
            pathlib.Path(self.path("out/" + name)).write_text("old " + name)
        self.limited("build", "k.weft", "-o", "out")
        self.assertEqual(sorted(os.listdir(self.path("out"))), ["half.c", "other", "twice.h"])
        for name in ("twice.h", "half.c", "other"):
            self.assertEqual(self.read("out/" + name), "old " + name)

    def test_a_full_disk(self):
        """In a namespace of its own, where the system lets us have one: 100 KB, so that the second source is too
        much."""
        self.write(TWO)
        os.mkdir(self.path("full"))
        script = "mount -t tmpfs -o size=100k none full && " \
                 f"{{ {weft_test.WEFT} build k.weft -o full; echo $?; ls -A full; }}"
        done = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=self.here, capture_output=True, text=True)
        if not done.stdout:
            self.skipTest("no namespaces: " + done.stderr.strip())
        self.assertEqual(done.stdout.split(), ["1"])
        self.assertIn("No space left on device", done.stderr)

    def test_a_depfile_that_cannot_be_written(self):
        self.write(TWICE)
        self.bad(1, 123, "build", "k.weft", "-o", "out", "--depfile", "absent/k.d")
        self.bad(1, 120, "build", "k.weft", "-o", "out", "--depfile", "out/twice.c")
        self.bad(1, 123, "build", "k.weft", "-o", "out", "--depfile", "/dev/full")
        self.assertIn("the file that is read",
                      self.bad(1, 123, "build", "k.weft", "-o", "out", "--depfile", "./k.weft"))
        self.assertEqual(self.read("k.weft"), TWICE)
        self.assertEqual(self.files(), ["k.weft"])


if __name__ == "__main__":
    unittest.main()
