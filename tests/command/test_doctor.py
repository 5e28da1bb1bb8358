"""weft doctor: what it says with everything there, and with each thing missing or broken."""

import json
import os
import re
import subprocess
import unittest

from weft_test import WEFT, CommandTest

CUDA = r"""
#include <stddef.h>
#include <string.h>
int cuInit(unsigned flags) { return INIT; }
int cuDriverGetVersion(int *version) { *version = 12080; return 0; }
int cuDeviceGetCount(int *count) { *count = COUNT; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = 7 + ordinal; return 0; }
int cuDeviceGetName(char *name, int size, int device)
{
    strcpy(name, device == 7 ? "First GPU" : "Second GPU");
    return device > 8 ? 101 : 0;
}
int cuDeviceGetAttribute(int *value, int which, int device)
{
    *value = which == 75 ? 9 : which == 76 ? device - 7 : -1;
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = 80000000000; return 0; }
int cuGetErrorName(int error, const char **name) { *name = "CUDA_ERROR_TEST"; return 0; }
int cuGetErrorString(int error, const char **text) { *text = "not today"; return 0; }
"""
# The driver's other functions, which nobody calls here.
with open(os.path.join(os.path.dirname(__file__), "../../runtime/gpu/driver.h"), encoding="ascii") as header:
    for symbol in re.findall(r'F\(cu\w+,[\s\\]*"(\w+)"', header.read()):
        if "int %s(" % symbol not in CUDA:
            CUDA += "int %s(void) { return 1; }\n" % symbol
NVRTC = r"""
#include <stddef.h>
#include <string.h>
int nvrtcVersion(int *major, int *minor) { *major = 77; *minor = MINOR; return 0; }
int nvrtcGetNumSupportedArchs(int *count) { *count = 2; return 0; }
int nvrtcGetSupportedArchs(int *archs) { archs[0] = 90; archs[1] = 80; return 0; }
int nvrtcCreateProgram(void **program, const char *text, const char *name, int count, void *headers, void *names)
{
    *program = &program;
    return 0;
}
int nvrtcDestroyProgram(void **program) { return 0; }
int nvrtcCompileProgram(void *program, int count, const char **options) { return MINOR == 9 ? 7 : 0; }
int nvrtcGetCUBINSize(void *program, size_t *size) { *size = 4; return 0; }
int nvrtcGetCUBIN(void *program, char *bytes) { memcpy(bytes, "code", 4); return 0; }
int nvrtcGetPTXSize(void *program, size_t *size) { *size = 4; return 0; }
int nvrtcGetPTX(void *program, char *bytes) { memcpy(bytes, "ptx", 4); return 0; }
int nvrtcGetProgramLogSize(void *program, size_t *size) { *size = 9; return 0; }
int nvrtcGetProgramLog(void *program, char *text) { strcpy(text, "builtins"); return 0; }
"""


class Doctor(CommandTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("tmp"))
        os.mkdir(self.path("home"))
        self.env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": self.path("home"),
                    "TMPDIR": self.path("tmp"), "WEFT_MODULES": "/nonexistent"}
        for name in "WEFT_CC", "ASAN_OPTIONS", "UBSAN_OPTIONS", "WEFT_MUTANT", "WEFT_MUTANT_MAP":
            if name in os.environ:
                self.env[name] = os.environ[name]

    def doctor(self, *arguments, **changes):
        """The process's result with these variables changed; None removes one."""
        env = {name: value for name, value in dict(self.env, **changes).items() if value is not None}
        done = subprocess.run([WEFT, "doctor", *arguments], cwd=self.here, env=env,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.stderr, b"")
        self.assertEqual(os.listdir(self.path("tmp")), [])
        return done

    def findings(self, status, **changes):
        """Of --format json, by (part, name)."""
        done = self.doctor("--format", "json", **changes)
        self.assertEqual(done.returncode, status, done.stdout)
        return {(finding["part"], finding["name"]): finding for finding in json.loads(done.stdout)}

    def findings_without_compilers(self, **changes):
        """The same where compilers do not matter, which saves trying them."""
        return self.findings(1, PATH="", WEFT_CC="none", **changes)

    def compiler(self, name, body):
        with open(self.path(name), "w") as file:
            file.write('#!/bin/sh\n[ "$1" = --version ] && { echo "fake 7.0"; exit; }\n' + body)
        os.chmod(self.path(name), 0o755)
        return self.path(name)

    def library(self, folder, name, text, *flags):
        os.makedirs(self.path(folder), exist_ok=True)
        path = os.path.join(self.path(folder), name)
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-xc", "-", "-o", path, *flags],
                       input=text.encode(), check=True)
        return self.path(folder)

    def test_a_good_machine(self):
        used = self.env.get("WEFT_CC", "cc")
        done = self.doctor()
        lines = done.stdout.decode().split("\n")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(lines[-2], "Weft can run programs on this machine.")
        self.assertTrue(all(len(line) <= 100 for line in lines))
        self.assertEqual([line for line in lines if line and line[0] != " "][:-1],
                         ["Machine", "C compiler", "First call", "Kernel cache", "CUDA"])
        found = self.findings(0)
        self.assertRegex(found["C compiler", used]["text"],
                         r"^/.*(gcc|GCC|cc|clang).*, -.*a kernel is ready after \d+ ms; this one is used$")
        for finding in found.values():
            self.assertIn(finding["state"], ("ok", "none", "broken"))
            self.assertLessEqual(set(finding), {"part", "name", "state", "text", "advice"})
        self.assertEqual(found["Machine", "OMP_NUM_THREADS"]["text"], "not set")
        self.assertEqual(found["Machine", "temporary files"]["text"], self.path("tmp"))
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"^model name\s*: (.*)$", file.read(), re.MULTILINE)
        numbers = len(os.sched_getaffinity(0)), os.sysconf("SC_NPROCESSORS_ONLN")
        self.assertEqual(found["Machine", "processors"]["text"],
                         "%d of %d for this process, %s" % (*numbers, model[1] if model else os.uname().machine))

    def test_variables(self):
        found = self.findings(0, OMP_NUM_THREADS="3", WEFT_CFLAGS="-g", WEFT_DISABLE="cache", WEFT_CACHE_SIZE="5M")
        self.assertEqual(found["Machine", "WEFT_CACHE_SIZE"]["text"], "5M")
        self.assertEqual(found["Machine", "OMP_NUM_THREADS"]["text"], "3")
        self.assertEqual(found["Machine", "WEFT_CFLAGS"]["text"], "-g")
        self.assertEqual(found["Machine", "WEFT_DISABLE"]["text"], "cache")

    def test_wrong_variables(self):
        found = self.findings(1, WEFT_DISABLE="nonsense")
        self.assertIn("no fast path 'nonsense'", found["Machine", "settings"]["text"])
        found = self.findings(1, WEFT_CACHE_SIZE="abc")
        self.assertIn("WEFT_CACHE_SIZE is 'abc'", found["Machine", "settings"]["text"])
        self.assertEqual(found["C compiler", self.env.get("WEFT_CC", "cc")]["state"], "ok")
        found = self.findings(1, WEFT_CFLAGS="--no-such-flag-at-all")
        self.assertIn("WEFT_CFLAGS", found["C compiler", self.env.get("WEFT_CC", "cc")]["advice"])
        found = self.findings(1, WEFT_CC="gcc -O2")
        self.assertIn("WEFT_CFLAGS", found["C compiler", "gcc -O2"]["advice"])

    def test_no_compiler(self):
        for change in {"WEFT_CC": "nonsense"}, {"WEFT_CC": "/nonexistent/cc"}, {"WEFT_CC": self.here}:
            found = self.findings(1, **change)["C compiler", change["WEFT_CC"]]
            self.assertEqual(found["state"], "broken")
            self.assertIn("apt-get install gcc", found["advice"])
        for path in "", self.path("tmp"):
            found = self.findings(1, PATH=path, WEFT_CC=None)
            self.assertEqual(found["C compiler", "cc"]["state"], "broken")
            self.assertEqual(found["C compiler", "clang"]["state"], "none")
        self.assertIn(b"cannot run programs", self.doctor(WEFT_CC="nonsense").stdout)

    def test_libtcc(self):
        found = self.findings(0)["First call", "libtcc"]
        self.assertEqual(found["state"], "none")
        if self.findings(0, WEFT_MODULES=None)["First call", "libtcc"]["state"] == "none":
            self.skipTest("built without libtcc")
        for change in {"WEFT_CC": "/nonexistent/cc"}, {"PATH": "", "WEFT_CC": None}, {"WEFT_CC": "libtcc"}:
            found = self.findings(0, WEFT_MODULES=None, **change)
            self.assertRegex(found["First call", "libtcc"]["text"], r"is ready after \d+\.\d ms$")
            self.findings(1, WEFT_MODULES=None, WEFT_DISABLE="first", **change)
        os.mkdir(self.path("modules"))
        with open(self.path("modules/weft-first.so"), "w") as file:
            file.write("no library")
        found = self.findings(1, WEFT_MODULES=self.path("modules"), WEFT_CC="/nonexistent/cc")
        self.assertEqual(found["First call", "libtcc"]["state"], "none")

    def test_nothing_in_the_environment(self):
        """The system's own PATH then, with which gcc may not find its parts."""
        done = self.doctor("--format", "json", PATH=None, HOME=None, TMPDIR=None, WEFT_CC=None)
        found = {finding["name"]: finding for finding in json.loads(done.stdout)}
        self.assertEqual(done.returncode, int(found["cc"]["state"] == "broken"))
        self.assertEqual(found["directory"]["state"], "none")

    def test_a_compiler_that_fails(self):
        cc = self.compiler("cc", "echo first; echo second; exit 3\n")
        found = self.findings(1, WEFT_CC=cc)["C compiler", cc]
        self.assertEqual(found["state"], "broken")
        self.assertIn("fake 7.0", found["text"])
        self.assertIn("exit status 3", found["text"])
        self.assertIn("on a kernel:\nfirst\n(its first error, of 2 lines", found["text"])
        lines = self.doctor(WEFT_CC=cc).stdout.decode().split("\n")
        self.assertIn(" " * 28 + "first", lines)
        cc = self.compiler("cc", 'while [ "$1" != -o ]; do shift; done; echo nonsense >"$2"\n')
        self.assertIn("cannot be loaded", self.findings(1, WEFT_CC=cc)["C compiler", cc]["text"])

    def test_a_compiler_that_miscompiles(self):
        cc = self.compiler("cc", 'for a; do case $a in *.c) sed -i s/sqrtf/fabsf/ "$a" ;; esac; done\n'
                                 'exec %s "$@"\n' % self.env.get("WEFT_CC", "cc"))
        self.assertIn("wrong values", self.findings(1, WEFT_CC=cc)["C compiler", cc]["text"])

    def test_another_compiler_that_fails_does_no_harm(self):
        self.compiler("clang", "exit 3\n")
        found = self.findings(0, PATH=self.here + ":" + self.env["PATH"], WEFT_CC="gcc")
        self.assertEqual(found["C compiler", "clang"]["state"], "broken")
        self.assertEqual(found["C compiler", "gcc"]["state"], "ok")

    def test_a_broken_compiler_by_two_names(self):
        os.symlink(self.compiler("cc", "exit 3\n"), self.path("gcc"))
        found = self.findings(1, PATH=self.here + ":" + self.env["PATH"], WEFT_CC=None)
        for name in "cc", "gcc":
            self.assertEqual(found["C compiler", name]["state"], "broken", name)
        self.assertIn("the same program", found["C compiler", "gcc"]["text"])

    def test_trials_are_not_kept(self):
        found = self.findings(0, WEFT_KEEP=self.path("kept"), WEFT_DEBUG="ir")
        self.assertEqual(found["Machine", "WEFT_KEEP"]["text"], self.path("kept"))
        self.assertEqual(os.listdir(self.path("kept")), [])

    def test_controls_are_not_printed_raw(self):
        out = self.doctor(WEFT_CC="\x1b[31m\"\\\xff").stdout
        self.assertNotIn(b"\x1b", out)
        self.assertIn(b"\\x1b[31m", out)
        self.assertEqual(self.doctor("--format", "json", WEFT_CC="\x1b\"\\").returncode, 1)
        self.findings(1, WEFT_CC="\x1b[31m\"\\\xff")

    def test_no_temporary_directory(self):
        for path in self.path("none"), "/proc", "/dev/null":
            found = self.findings(1, TMPDIR=path)
            self.assertEqual(found["Machine", "temporary files"]["state"], "broken")
            self.assertIn(path, found["Machine", "temporary files"]["text"])
            self.assertIn("TMPDIR", found["Machine", "temporary files"]["advice"])
            used = found["C compiler", self.env.get("WEFT_CC", "cc")]
            self.assertEqual(used["state"], "broken")
            self.assertNotIn("apt-get", used["advice"])

    def test_the_cache(self):
        def cache(**changes):
            return self.findings_without_compilers(**changes)["Kernel cache", "directory"]
        with open(self.path("file"), "w"):
            pass
        place = self.path("home/.cache/weft")
        self.assertEqual(cache()["text"], place + ", 0 kernels, 0.0 MB")
        self.assertEqual(cache(XDG_CACHE_HOME="relative")["text"], place + ", 0 kernels, 0.0 MB")
        self.assertEqual(cache(XDG_CACHE_HOME=self.path("new"))["text"],
                         self.path("new/weft") + ", 0 kernels, 0.0 MB")
        self.assertEqual(cache(XDG_CACHE_HOME=self.path("file"))["state"], "broken")
        self.assertEqual(cache(WEFT_CACHE=self.path("file"))["state"], "broken")
        self.assertEqual(cache(HOME=None)["state"], "none")
        self.assertEqual(cache(WEFT_CACHE="")["state"], "none")
        self.assertEqual(sorted(self.files()), ["file", "home", "tmp"])
        self.assertEqual(os.listdir(self.path("home")), [])

    def test_the_cache_in_use(self):
        place = self.path("kept")
        self.good("run", "x + exp(x)", "x=[1.5, 2]", env=dict(self.env, WEFT_CACHE=place))
        text = self.findings(0, WEFT_CACHE=place)["Kernel cache", "directory"]["text"]
        self.assertRegex(text, "^%s, 1 kernel, 0.0 MB$" % place)
        for folder, _, names in os.walk(place):
            for name in names:
                if name.endswith(".so"):
                    os.truncate(os.path.join(folder, name), 100)
        found = self.findings(0, WEFT_CACHE=place)["Kernel cache", "directory"]
        self.assertIn("1 damaged", found["text"])
        self.assertIn("weft cache", found["advice"])

    def test_cuda(self):
        def cuda(**changes):
            found = self.findings_without_compilers(**changes)
            return {name: finding for (part, name), finding in found.items() if part == "CUDA"}
        good = self.library("good", "libcuda.so.1", CUDA, "-DINIT=0", "-DCOUNT=2")
        self.library("good", "libnvrtc.so.13", NVRTC, "-DMINOR=1")
        found = cuda(LD_LIBRARY_PATH=good)
        self.assertIn("for CUDA 12.8", found["driver"]["text"])
        self.assertEqual(found["GPU 0"]["text"], "First GPU, compute capability 9.0, 80.0 GB")
        self.assertEqual(found["GPU 1"]["text"], "Second GPU, compute capability 9.1, 80.0 GB; by PTX "
                         "for compute_90, since NVRTC is older")
        self.assertIn("77.1, " + good, found["NVRTC"]["text"])
        self.assertIn(", a kernel is ready after", found["NVRTC"]["text"])
        self.assertEqual(found["architectures"]["text"], "sm_80 sm_90")
        self.assertEqual(found["target"]["state"], "ok")
        none = self.library("none", "libcuda.so.1", CUDA, "-DINIT=0", "-DCOUNT=0")
        self.assertEqual(cuda(LD_LIBRARY_PATH=none)["GPU"]["state"], "none")
        self.assertIn("container", cuda(LD_LIBRARY_PATH=none)["GPU"]["advice"])
        bad = self.library("bad", "libcuda.so.1", CUDA, "-DINIT=803", "-DCOUNT=1")
        self.assertIn("not today (CUDA_ERROR_TEST, error 803)", cuda(LD_LIBRARY_PATH=bad)["GPU"]["text"])
        many = self.library("many", "libcuda.so.1", CUDA, "-DINIT=0", "-DCOUNT=3")
        self.assertEqual(cuda(LD_LIBRARY_PATH=many)["GPU 2"]["state"], "broken")
        empty = self.library("empty", "libcuda.so.1", "int nothing;")
        self.library("empty", "libnvrtc.so.13", "int nothing;")
        found = cuda(LD_LIBRARY_PATH=empty)
        self.assertEqual((found["driver"]["state"], found["NVRTC"]["state"]), ("broken", "broken"))
        self.assertIn("has no function cuInit", found["driver"]["text"])
        self.assertIn("has no function nvrtcVersion", found["NVRTC"]["text"])
        self.assertEqual(found["target"]["state"], "none")
        self.library("alone", "libnvrtc.so.13", NVRTC, "-DMINOR=9")
        found = cuda(LD_LIBRARY_PATH=self.path("alone"))
        self.assertEqual(found["NVRTC"]["state"], "broken")
        self.assertIn("nvrtcCompileProgram gave error 7\nbuiltins", found["NVRTC"]["text"])

    def test_where_nvrtc_is_searched(self):
        """Other than where the dynamic linker looks: what it finds first cannot be opened here."""
        os.mkdir(self.path("linker"))
        for name in "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so":
            with open(self.path("linker/" + name), "w") as file:
                file.write("no library")

        def nvrtc(**changes):
            found = self.findings_without_compilers(LD_LIBRARY_PATH=self.path("linker"), **changes)
            return found["CUDA", "NVRTC"]

        packages = "lib/python3.9/site-packages/nvidia/"
        for number, folder, variable, place in [
                (2, "home/.local/" + packages + "cuda_nvrtc/lib", None, None),
                (3, "venv/" + packages + "cu13/lib", "VIRTUAL_ENV", "venv"),
                (4, "toolkit/lib64", "CUDA_HOME", "toolkit"),
                (5, "other/targets/x86_64-linux/lib", "CUDA_PATH", "other"),
                (6, "plain", "CUDA_HOME", "plain")]:
            self.library(folder, "libnvrtc.so.12", NVRTC, "-DMINOR=%d" % number)
            found = nvrtc(**{variable: self.path(place)} if variable else {})
            self.assertIn("77.%d, %s/libnvrtc.so.12, " % (number, self.path(folder)), found["text"])


if __name__ == "__main__":
    unittest.main()
