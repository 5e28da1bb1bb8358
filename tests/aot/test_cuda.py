"""weft build --target cuda: what it writes and refuses, machine code of the real NVRTC, and every entry called on the
fake driver. WEFT in the environment is the command's path, MOCKCUDA the directory of tests/mockcuda's libraries."""
import itertools
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import sample  # noqa: E402

WEFT = os.environ.get("WEFT", "weft")
MOCK = os.environ["MOCKCUDA"]
TWICE = "kernel twice(x: float32[n]) {\n    return y = x * 2\n}\n"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]
NAMES = ["strided", "shape", "batch", "status", "release", "note"]


class CudaTest(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory(prefix="weft-aot-cuda-")
        self.addCleanup(self.directory.cleanup)
        self.here = pathlib.Path(self.directory.name)
        (self.here / "k.weft").write_text(TWICE)

    def run_in(self, *command, mock=True, env=None):
        environment = dict(os.environ, **(env or {}))
        if mock:
            environment = {**environment, "CUDA_HOME": MOCK, "LD_LIBRARY_PATH": MOCK, "MOCKCUDA_CFLAGS": "-O0",
                           **(env or {})}
        return subprocess.run(command, cwd=self.here, capture_output=True, text=True, env=environment)

    def good(self, *command, **more):
        done = self.run_in(*command, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{' '.join(command)}\n{done.stdout[-4000:]}")
        return done.stdout

    def build(self, *options, text="k.weft", **more):
        return self.good(WEFT, "build", str(text), "-o", "out", "--target", "cuda", *options, **more)

    def refused(self, code, *options, status=1, **more):
        done = self.run_in(WEFT, "build", "k.weft", "-o", "out", *options, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn(f"error[W{code:04d}]", done.stderr)
        self.assertEqual(os.listdir(self.here), ["k.weft"])
        return done.stderr


class Written(CudaTest):
    def test_files_and_entries(self):
        listed = self.build("--list", env={"MOCKCUDA_NVRTC": "version"}).split()  # without NVRTC
        self.assertEqual(listed, ["out/twice_cuda.h", "out/twice_cuda.c"])
        self.assertEqual(os.listdir(self.here), ["k.weft"])
        self.build("--arch", "sm_90", "--depfile", "out/k.d")
        self.assertEqual(sorted(os.listdir(self.here / "out")), ["k.d", "twice_cuda.c", "twice_cuda.h"])
        self.assertEqual((self.here / "out/k.d").read_text(), "out/twice_cuda.h out/twice_cuda.c: k.weft\n")
        header = (self.here / "out/twice_cuda.h").read_text()
        self.assertIn("int twice_cuda(const float *x, int64_t n, float *y, void *weft_stream);", header)
        self.assertIn("weft_stream is a CUstream or a cudaStream_t of\n"
                      " * that GPU, NULL its legacy default stream.", header)
        for name in NAMES:
            self.assertIn(f"twice_cuda_{name}(", header)
        for compiler in ("gcc", "clang"):
            if shutil.which(compiler):
                self.good(compiler, *STRICT, "-Iout", "-c", "out/twice_cuda.c", "-o", compiler + ".o", mock=False)
        given = {line.split()[-1] for line in self.good("nm", "gcc.o", mock=False).splitlines()
                 if line.split()[-2] == "T"}
        self.assertEqual(given, {"twice_cuda"} | {f"twice_cuda_{name}" for name in NAMES})

    def test_kernels(self):
        """Those of a loop, by the kinds of its accesses: for likely calls, rows with gaps, many samples, each of these
        where data are not aligned, and any strides, with indices of 32 and 64 bits. None is there twice, or never the
        best."""
        (self.here / "k.weft").write_text("""kernel plane(x: float32[h, w]) { return y = x * 2 }
kernel pixels(x: float32[n, 3], gain: float32[3]) { return y = x * gain }
kernel single(x: float32[1]) { return y = x * 2 }
""")
        self.build("--arch", "sm_90", "--bundle", "all")
        text = (self.here / "out/all.c").read_text()
        for name, kinds in (("plane", "uu uu uu au au au gg gg"), ("pixels", "upu upu apu apu ggg ggg"),
                            ("single", "uu uu au au gg gg")):
            classes = re.search(rf"struct class classes_{name}_0\[\] = {{\n(.*?)\n}};", text, re.DOTALL)[1]
            self.assertEqual(re.findall(r'^    {"(\w+)"', classes, re.MULTILINE), kinds.split(), name)

    def test_refused(self):
        self.assertIn("sm_90, sm_100", self.refused(236, "--target", "cuda", "--arch", "sm_33", status=2))
        for word in ("sm_", "90", "sm_9", "compute_90", "sm_90a", "sm_900000"):
            self.refused(102, "--target", "cuda", "--arch", word, status=2)
        self.assertIn("--target cuda", self.refused(255, "--arch", "sm_90", status=2))
        self.refused(255, "--target", "cuda", "--openmp", status=2)
        self.refused(255, "--target", "cuda", "--isa", "x86-64-v3", status=2)
        self.refused(214, "--target", "cuda", env={"MOCKCUDA_NVRTC": "version"})
        failed = 0
        for call in range(1, 15):  # of NVRTC, in turn: never a part of the files
            done = self.run_in(WEFT, "build", "k.weft", "-o", "out", "--target", "cuda", "--arch", "sm_90",
                               env={"MOCKCUDA_NVRTC_FAIL": str(call)})
            failed += done.returncode != 0
            self.assertEqual(os.listdir(self.here) == ["k.weft"], done.returncode != 0, call)
            shutil.rmtree(self.here / "out", ignore_errors=True)
        self.assertGreater(failed, 8)
        (self.here / "k.weft").write_text("kernel f(x: float32[]) { return y = reinterpret(x, uint8, shape=[4]) }\n")
        self.assertIn("float32[1]", self.refused(256, "--target", "cuda"))
        (self.here / "k.weft").write_text("kernel f(x: uint8[n]) { return y = x }\n"
                                          "kernel f_cuda_status(x: uint8[n]) { return y = x }\n")
        self.build("--list")  # C names with _cuda behind clash with none of these


class RealCode(CudaTest):
    """With the NVRTC of this machine."""

    def words(self, text, name):
        body = re.search(rf"\b{name}\[\] = {{ /\* (\d+) bytes \*/([^}}]*)}};", text)
        self.assertTrue(body, name)
        numbers = [int(word, 0) for word in body.group(2).split(",")]
        return struct.pack(f"<{len(numbers)}Q", *numbers)[:int(body.group(1))]

    def build_real(self, *options, text="k.weft"):
        done = self.run_in(WEFT, "build", str(text), "-o", "out", "--target", "cuda", *options, mock=False)
        if re.search(r"error\[W02(13|14|35)\]", done.stderr):
            self.skipTest("there is no NVRTC on this machine")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_machine_code(self):
        archs = ["sm_80", "sm_90", "sm_100"]
        self.build_real()
        self.build_real(*[word for arch in archs for word in ("--arch", arch)], "--check")  # the default ones
        text = (self.here / "out/twice_cuda.c").read_text()
        names = re.findall(r"static const uint64_t \*const codes_(\w+)\[CODES\]", text)
        self.assertEqual(len(names), 6)
        for name in names:
            for arch in archs:
                code = self.words(text, f"code_{name}_{arch}")
                self.assertEqual(code[:4], b"\x7fELF")
                self.assertEqual(struct.unpack_from("<H", code, 18)[0], 190)  # EM_CUDA
                self.assertIn(b"weft_kernel", code)
            ptx = self.words(text, f"code_{name}_compute_100")
            self.assertIn(b".target sm_100", ptx)
            self.assertEqual((ptx[-1:], ptx.count(b"\0")), (b"\0", 1))
        (self.here / "out/twice_cuda.c").write_text(text.replace("0x", "0X", 1))
        done = self.run_in(WEFT, "build", "k.weft", "-o", "out", "--target", "cuda", "--check", mock=False)
        self.assertIn("differs", done.stderr)

    def test_loads_that_are_not_aligned(self):
        """The class for them has words for inputs that are not aligned, and chunks for the others and the result."""
        (self.here / "k.weft").write_text("kernel larger(a: uint8[n], b: uint8[n]) {\n    return y = max(a, b)\n}\n")
        self.build_real("--arch", "sm_90")
        text = (self.here / "out/larger_cuda.c").read_text()
        usual = re.search(r'\{"uuu", .*codes_(\w+)\}', text)[1]
        unaligned = re.search(r'\{"aau", .*codes_(\w+)\}', text)[1]
        for name, words in ((usual, False), (unaligned, True)):
            ptx = self.words(text, f"code_{name}_compute_90").decode("ascii", "replace")
            for wide in ("ld.global.v4.u32", "st.global.v4.u32"):
                self.assertIn(wide, ptx, name)
            self.assertEqual("shf.r" in ptx, words, name)

    def test_every_class(self):
        """NVRTC takes kernels of each kind that a loop gets."""
        kernels = re.findall(r"^kernel .*?^}$", (HERE / "sample_cuda.weft").read_text(), re.MULTILINE | re.DOTALL)
        self.assertEqual(len(kernels), 5)
        some = kernels[::sample.number("4/4/4/1")]  # the first has every kind
        (self.here / "sample.weft").write_text("\n\n".join(some))
        self.build_real("--arch", "sm_75", "--bundle", "sample", text="sample.weft")
        self.good("gcc", *STRICT, "-Iout", "-c", "out/sample.c", "-o", "sample.o", mock=False)

    def test_no_driver(self):
        """A clean error, with the names that were looked for, from C and from C++."""
        self.build_real("--arch", "sm_90")
        self.good("gcc", *STRICT, "-Iout", "-c", "out/twice_cuda.c", "-o", "twice.o", mock=False)
        program = """#include "twice_cuda.h"
#include <stdio.h>
int main(void)
{
    static float x[4];
    const int status = twice_cuda(x, 2, x + 2, NULL);
    printf("%d %s\\n", status, twice_cuda_note()->text);
    return twice_cuda_status();
}
"""
        (self.here / "main.cpp").write_text(program)
        (self.here / "none").mkdir()
        for name in ("libcuda.so.1", "libcuda.so"):
            (self.here / "none" / name).write_text("no driver\n")
        for compiler, language in (("gcc", "c"), ("g++", "c++")):
            self.good(compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-Iout", "-x", language, "main.cpp",
                      "-x", "none", "twice.o", "-o", "main", "-ldl", mock=False)
            told = self.good("./main", mock=False, env={"LD_LIBRARY_PATH": str(self.here / "none")})
            self.assertIn("-11 there is no NVIDIA driver: none of libcuda.so.1, libcuda.so, /usr/lib/wsl", told)


class Called(CudaTest):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.TemporaryDirectory(prefix="weft-aot-cuda-")
        cls.source = pathlib.Path(cls.made.name)
        done = subprocess.run([WEFT, "build", str(HERE / "sample_cuda.weft"), "-o", str(cls.source), "--target", "cuda",
                               "--bundle", "sample_cuda", "--arch", "sm_90"],
                              env=dict(os.environ, CUDA_HOME=MOCK, MOCKCUDA_CFLAGS="-O0"), capture_output=True,
                              text=True)
        if done.returncode:
            raise RuntimeError(done.stderr)

    @classmethod
    def tearDownClass(cls):
        cls.made.cleanup()

    def compiled(self, source, *flags, out="calls"):
        self.good("gcc", *STRICT, "-O0", "-g", *flags, f"-I{self.source}", str(HERE / "calls_cuda.c"), str(source),
                  f"-L{MOCK}", "-l:libcuda.so.1", "-ldl", "-o", str(out), mock=False)

    def compiled_once(self):
        """As it is written, the same program for all tests."""
        if not (self.source / "calls").exists():
            self.compiled(self.source / "sample_cuda.c", out=self.source / "calls")
        (self.here / "calls").symlink_to(self.source / "calls")

    def test_calls(self):
        """The fake driver fails a program that leaves anything behind."""
        self.compiled_once()
        self.assertEqual(self.good("./calls"), "0 failures\n")
        by_ptx = {"MOCKCUDA_SEED": "7", "MOCKCUDA_ARCH": "100"}
        self.assertEqual(self.good("./calls", env=by_ptx), "0 failures\n")

    def test_every_compiler(self):
        settings = itertools.product(filter(shutil.which, ("gcc", "clang")),
                                     (["-O0"], ["-O3", "-ffast-math"], ["-O2", "-fno-strict-aliasing", "-fPIC"]))
        for compiler, flags in sample.chosen(settings):
            with self.subTest(compiler=compiler, flags=flags):
                self.good(compiler, *STRICT, *flags, "-c", str(self.source / "sample_cuda.c"), "-o", "sample.o",
                          mock=False)

    def test_sanitized(self):
        self.compiled(self.source / "sample_cuda.c", "-fsanitize=undefined", "-fno-sanitize-recover=undefined")
        self.assertEqual(self.good("./calls"), "0 failures\n")

    def test_rows_of_more_elements_than_32_bits_count(self):
        """With few instead."""
        text = (self.source / "sample_cuda.c").read_text()
        few = text.replace("PIECE = 1 << 30", "PIECE = 1 << 7")
        self.assertNotEqual(text, few)
        (self.here / "few.c").write_text(few)
        self.compiled("few.c")
        self.assertEqual(self.good("./calls"), "0 failures\n")

    def test_classes(self):
        """Of normalize: kinds, for batches, indices of 64 bits, samples in a table, elements of a chunk."""
        text = (self.source / "sample_cuda.c").read_text()
        rows = []
        for kinds, form, batch in re.findall(r'\{"(\w+)", \{(.*?)\}, \d+, (\d),.* codes_normalize', text):
            form = dict(re.findall(r"\.(\w+) = (\d+)", form))
            rows.append((kinds, batch, *(form.get(name, "0") for name in ("wide", "many", "block"))))
        dense = [("0", "0", "0", "4"), ("0", "0", "0", "4"), ("1", "0", "1", "4")]
        general = [("0", "0", "0", "1"), ("0", "1", "0", "1")]
        self.assertEqual(rows, [("upvu", *row) for row in dense] + [("apvu", *row) for row in dense] +
                         [("ggvg", *row) for row in general])

    def test_loads_that_are_not_aligned(self):
        """They do not make all elements be loaded singly."""
        text = (self.source / "sample_cuda.c").read_text()
        chosen = "return unaligned ? "
        self.assertEqual(text.count(chosen), 1)
        told = 'puts(!unaligned ? "usual" : class->batch ? "batch" : class->form.groups ? "rows" : "dense");'
        (self.here / "told.c").write_text(text.replace(chosen, told + chosen))
        self.compiled("told.c")
        told = self.good("./calls").splitlines()
        self.assertGreater(told.count("dense"), 10)
        self.assertGreater(told.count("usual"), 10)
        self.assertGreaterEqual(told.count("rows"), 2)
        self.assertGreaterEqual(told.count("batch"), 2)
        self.assertEqual(told[-1], "0 failures")

    def test_what_cannot_run(self):
        self.compiled_once()
        told = self.good("./calls", "once", env={"MOCKCUDA_DEVICES": "0"})
        self.assertEqual(told, "-11 the driver, libcuda.so.1, finds no GPU\n")
        told = self.good("./calls", "once", env={"MOCKCUDA_ARCH": "80"})
        self.assertEqual(told, "-11 the GPU's architecture is sm_80, and there is code for sm_90, and from sm_90 on; "
                               "weft build --arch sm_80 adds it\n")

    def test_calls_of_the_driver_that_fail(self):
        """Each in turn: the call says so, or it did not matter, and nothing is left behind."""
        self.compiled_once()
        failed = 0
        for number, code in itertools.product(range(1, 20), ("999", "719")):
            done = self.run_in("./calls", "once", env={"MOCKCUDA_FAIL": str(number), "MOCKCUDA_FAIL_CODE": code})
            self.assertNotIn("not released", done.stderr)
            self.assertTrue(done.returncode == 0 or "pushed and not popped" in done.stderr, done.stderr)
            self.assertNotIn("-6 ", done.stdout)
            failed += done.stdout.startswith("-")
        self.assertGreater(failed, 8)


if __name__ == "__main__":
    unittest.main()
