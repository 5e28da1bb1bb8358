"""The command line: options, values, names, exit statuses, and what is printed."""

import json
import os
import subprocess
import unittest

import numpy as np

from weft_test import WEFT, CommandTest


class Usage(CommandTest):
    def test_a_small_stack(self):
        few = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LD_LIBRARY_PATH")}
        for kilobytes, status in (16, 1), (200, 1), (256, 0):  # the environment is on the stack, too
            done = subprocess.run(["sh", "-c", "ulimit -s %d; exec \"$0\" run 1" % kilobytes, WEFT], cwd=self.here,
                                  capture_output=True, env=few)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertEqual(b"error[W0148]" in done.stderr, status == 1)

    def test_help_and_version(self):
        self.assertIn("usage: weft COMMAND", self.text("--help"))
        self.assertRegex(self.text("--version"), r"^weft \d+\.\d+\.\d+\n$")
        for command in "run", "show", "check", "build", "cache", "ops", "doctor":
            text = self.text(command, "--help")
            self.assertIn("usage: weft " + command, text)
            self.assertIn("Example:", text)
            self.assertTrue(all(len(line) <= 80 for line in text.split("\n")))
            self.assertRegex(self.text(command, "--version"), "^weft ")

    def test_wrong_usage_is_2(self):
        self.assertIn("did you mean 'run'?", self.bad(2, 100, "rum"))
        self.bad(2, 104)
        self.bad(2, 104, "run")
        self.assertIn("; a program comes behind a command, as in weft run 'x*2'", self.bad(2, 100, "x*2", "x=1"))
        self.assertNotIn(";", self.bad(2, 100, "foo"))
        self.assertIn("an input is given as img=VALUE", self.bad(2, 101, "run", "img", "--img", "photos"))
        self.assertIn("did you mean '--math'?", self.bad(2, 101, "run", "1", "--mathx=fast"))
        self.assertIn("did you mean '--version'?", self.bad(2, 100, "--versoin"))
        self.assertNotIn("'--'", self.bad(2, 101, "run", "1", "--maht=fast"))
        self.assertIn("comes after '--'", self.bad(2, 101, "run", "-x", "x=1"))
        for count in "0", "-1", "two", "2.0", "12345", "":
            self.bad(2, 102, "run", "1", f"--threads={count}")
        for target in "gpu", "CUDA", "":
            self.assertIn("takes auto, c or cuda", self.bad(2, 102, "run", "1", f"--target={target}"))
        for arch in "90", "sm_", "sm_9", "compute_90", "":
            self.assertIn("as in sm_90", self.bad(2, 102, "show", "1", f"--arch={arch}"))
        self.assertIn("'sm_90x'", self.bad(2, 231, "show", "1", "--arch=sm_90x"))
        self.bad(2, 101, "run", "1", "--arch", "sm_90")
        self.bad(2, 101, "check", "1", "--target", "cuda")
        self.assertIn("WEFT_TARGET is 'gpu'", self.bad(2, 230, "run", "1", env={"WEFT_TARGET": "gpu"}))
        self.bad(2, 105, "run", "1", "-o", "=a.npy")
        self.bad(2, 101, "show", "1", "-o", "x.npy")
        self.bad(2, 102, "run", "1", "--math", "quick")
        self.bad(2, 102, "show", "1", "--stage", "moon")
        self.bad(2, 102, "ops", "--format", "xml")
        self.bad(2, 103, "run", "1", "--time=3")
        self.bad(2, 103, "run", "1", "-o")
        self.bad(2, 103, "run", "1", "--math")
        self.bad(2, 105, "run", "1", "2")
        self.bad(2, 105, "run", "1", "2x=3")
        self.assertIn("write x=VALUE in one word, without blanks", self.bad(2, 105, "run", "x", "x", "=", "1"))
        self.assertIn("quote an expression that has blanks: '1 + ..'", self.bad(2, 105, "run", "1", "+", "1"))
        os.mkdir(self.path("photos"))
        self.assertIn("write NAME=photos for an input", self.bad(2, 105, "run", "x", "photos"))
        self.assertIn("'photos/' is a directory; an expression comes first, then NAME=photos/",
                      self.bad(2, 129, "run", "photos/"))
        self.assertIn("then img=photos/", self.bad(2, 129, "run", "img=photos/", "gain=2"))
        os.rmdir(self.path("photos"))
        self.bad(2, 105, "run", "x", "x:=3")
        self.assertIn("write NAME=a.png for an input, -o a.png for an output",
                      self.bad(2, 105, "run", "1", "a.png"))
        self.assertNotIn("-o", self.bad(2, 105, "check", "1", "a.png").split("\n")[0])
        np.save(self.path("a.npy"), np.zeros(3))
        self.assertIn("then NAME=a.npy", self.bad(2, 129, "run", "a.npy"))
        self.assertIn("'x=a.npy' is an input; an expression comes first, then x=a.npy",
                      self.bad(2, 129, "run", "x=a.npy", "y=1"))
        os.unlink(self.path("a.npy"))
        self.assertNotIn("'--'", self.bad(2, 101, "ops", "--json"))
        self.bad(2, 105, "doctor", "gcc")
        self.bad(2, 105, "doctor", "gcc")
        self.bad(2, 102, "doctor", "--format", "md")
        self.bad(2, 101, "doctor", "--math", "fast")
        self.bad(2, 106, "run", "x", "x=data.csv")
        self.bad(2, 106, "run", "1", "-o", "out.jpeg2000")
        self.assertIn("has no extension", self.bad(2, 124, "run", "1", "-o", "out"))
        self.assertEqual(self.files(), [])

    def test_words_that_belong_together(self):
        """What a word belongs to that is no input."""
        for advice, *words in (("a position is one word, as in --at 3,4", "x", "x=[[1, 2]]", "--at", "3", "4", "1"),
                               ("quote a list that has blanks, as in 'x=[1, 2]'", "x * 2", "x=[1,", "2,", "3]"),
                               ("the expression comes first: 'x * 2' x=1", "x=1", "x * 2"),
                               ("write x=VALUE in one word, without blanks", "x", "x =1"),
                               ("a kernel is named with its file, as in a.weft:gray", "a.weft", "gray", "img=1")):
            self.assertIn("is not name=value; " + advice, self.bad(2, 105, "run", *words))
        self.assertEqual(self.text("run", "x * 2", "x=[1, 2, 3]"), "out: int32[3] = [2, 4, 6]\n")
        self.assertNotIn("comes first", self.bad(2, 105, "run", "x = 3", "y z"))
        self.assertEqual(self.text("run", "x=1"), "x: int32[] = 1\n")

    def test_carets_mark_the_argument(self):
        told = self.bad(2, 105, "run", "a + b", "a")
        self.assertEqual(told.split("\n")[1:3], ["run a + b a", "          ^"])
        told = self.bad(1, 131, "run", "(a\n+ b)", "c=1", "a=1", "b=1")
        self.assertEqual(told.split("\n")[:3], [
            "<args>:2:6: error[W0131]: the program has no input 'c'", "+ b) c=1 a=1 b=1", "     ^"])

    def test_nothing_of_an_argument_reaches_the_terminal_raw(self):
        for odd in b"\x1b[31m", b"\xff\xfe", b"\x07", b"\xe2\x80\xae":
            done = self.weft("run", "x", b"x=" + odd + b".npy")
            self.assertEqual(done.returncode, 1)
            self.assertNotIn(odd, done.stderr)

    def test_expression_after_dashes(self):
        self.assertEqual(self.text("run", "--", "-x", "x=3"), "out: int32[] = -3\n")
        self.assertEqual(self.text("run", "x=1", "--", ), "x: int32[] = 1\n")


class Values(CommandTest):
    def test_literals(self):
        for value, printed in [
                ("3", "int32[] = 3"), ("-3", "int32[] = -3"), ("2**40", "int64[] = 1099511627776"),
                ("18446744073709551615", "uint64[] = 18446744073709551615"),
                ("1.5", "float32[] = 1.5"), ("true", "bool[] = true"), ("False", "bool[] = false"),
                ("[1, 2]", "int32[2] = [1, 2]"), ("(1+2)*3", "int32[] = 9"),
                ("[[1.5], [2]]", "float32[2, 1] =\n[[1.5],\n [2.0]]"), ("0x10", "int32[] = 16"),
                ("inf", "float32[] = inf"), ("[true, false]", "bool[2] = [ true, false]")]:
            self.assertEqual(self.text("run", "y = +x; y", "x=" + value), "y: %s\n" % printed)

    def test_a_literal_is_cast_to_its_type(self):
        for text, printed in [
                ("x:uint8=300", "uint8[] = 255"), ("x:uint8=-1", "uint8[] = 0"),
                ("x:int16=2.5", "int16[] = 2"), ("x:int16=3.5", "int16[] = 4"),
                ("x:float64=0.1", "float64[] = 0.1"), ("x:bool=0.5", "bool[] = true"),
                ("x:u8=[1, 256]", "uint8[2] = [  1, 255]"), ("x:f64=1e300", "float64[] = 1e+300"),
                ("x:float32[2]=[1, 2]", "float32[2] = [1.0, 2.0]")]:
            self.assertEqual(self.text("run", "+x", text), "out: %s\n" % printed)

    def test_a_literal_takes_the_declared_type(self):
        self.assertEqual(self.text("run", "input x: float64; x * 2", "x=1"),
                         "out: float64[] = 2.0\n")

    def test_types_are_checked(self):
        self.assertIn("did you mean 'uint8'?", self.bad(1, 133, "run", "x", "x:uint9=3"))
        np.save(self.path("a.npy"), np.zeros((2, 3), "f4"))
        done = self.weft("run", "+x", "x:uint8=a.npy")
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"float32", done.stderr)
        self.assertIn("\n       ^^^^^^^^^^^^^\n", self.bad(1, 78, "run", "+x", "x:uint8=a.npy"))
        for given in "x:float32[3, 2]=a.npy", "x:float32[6]=a.npy":
            told = self.bad(1, 79, "run", "+x", given)
            self.assertIn("'a.npy' for input 'x' has shape [2, 3]", told)
        self.text("run", "+x", "x:float32[n, 3]=a.npy")

    def test_broken_literals(self):
        for value in "1/0", "[1, [2]]", "(-8)**0.5", "2**200":
            done = self.weft("run", "+x", "x=" + value)
            self.assertEqual(done.returncode, 1, value)
            self.assertIn(b"<args>", done.stderr)

    def test_malformed_literals(self):
        for value, code, column in [
                ("[1,2", 4, 10), ("[1,[2]]", 10, 13), ("[]", 10, 10), ("[1 2]", 9, 13),
                ("(1", 4, 10), ("1e", 2, 10), ("1.5.2", 2, 10), ("1.5q", 2, 10), ("-.5.", 2, 11),
                ("[1, a]", 48, 14)]:
            told = self.bad(1, code, "run", "+x", "x=" + value)
            self.assertTrue(told.startswith("<args>:1:%d: " % column), told)
        self.assertIn("the value is missing", self.bad(2, 105, "run", "+x", "x="))

    def test_malformed_types(self):
        for command in "check", "show":
            for value, hint in [("flot32", "'float32'"), ("unit8[3]", "'uint8'"),
                                ("u_int8", "'uint8'")]:
                told = self.bad(1, 21, command, "+x", "x=" + value)
                self.assertIn("did you mean %s?" % hint, told)
            self.assertIn("the kind of dimension 'width'", self.bad(1, 36, command, "+x", "x=float32(width)"))
            self.bad(1, 107, command, "+x", "x=data")
        told = self.bad(1, 135, "run", "+x", "x=float32[3]")
        self.assertIn("x=[1, 2]", told)
        self.assertIn("expected (x:s)", self.bad(1, 79, "run", "+x", "x:float32(x:s)=3"))

    def test_errors_in_literals_are_placed(self):
        told = self.bad(1, 47, "run", "a+b", "a=1/0", "b:float32=1e39").split("\n")
        self.assertEqual(told[1:3], ["run a+b a=1/0 b:float32=1e39", " " * 10 + "^^^"])
        self.assertEqual(len(told), 4)
        told = self.bad(1, 47, "run", "a+b", "a:uint8=1/0", "b=[1e39]").split("\n")
        self.assertEqual([told[2], told[5]], [" " * 16 + "^^^", " " * 23 + "^^^^"])

    def test_a_file_named_like_a_literal(self):
        with open(self.path("3"), "wb") as file:
            np.save(file, np.array([7, 8]))
        self.assertEqual(self.text("run", "+x", "x=3"), "out: int32[] = 3\n")
        self.assertEqual(self.text("run", "+x", "x=./3"), "out: int64[2] = [7, 8]\n")

    def test_missing_files(self):
        self.assertIn("No such file", self.bad(1, 107, "run", "x", "x=none.npy"))
        self.bad(1, 107, "run", "x", "x=none")
        self.bad(1, 107, "run", "x", "x=2024-data.npy")
        self.bad(1, 137, "run", "x", "x=*.png")
        self.bad(1, 137, "run", "x", "x=none?.npy")

    def test_values_of_other_languages(self):
        for value, advice in (("'1.5'", "it has quotes of its own; write 1.5 without them"),
                              ('"a.png"', "it has quotes of its own; write a.png without them"),
                              (" a.png", "it begins with a blank"),
                              ("np.array([1, 2])", "a value is no call; write the literal itself, as in [1, 2]"),
                              ("imread(a.png)", "or the file's name"),
                              ("float32([1, 2])", "as in 'x:float32=[1, 2]'")):
            self.assertIn(advice, self.bad(1, 107, "run", "x", "x=" + value))
        self.assertEqual(self.text("run", "x", "x:float32=[1, 2]"), "x: float32[2] = [1.0, 2.0]\n")

    def test_layout(self):
        np.save(self.path("a.npy"), np.zeros((2, 3), "f4"))
        self.assertTrue(self.text("run", "+x", "x@HW=a.npy").startswith("out: float32[2, 3]"))
        self.bad(1, 134, "run", "+x", "x@HWC=a.npy")
        self.bad(2, 105, "run", "+x", "x@=a.npy")


class Names(CommandTest):
    def test_missing_inputs_are_all_listed(self):
        told = self.bad(1, 132, "run", "a + b * c", "b=1")
        self.assertIn("'a', 'c'", told)
        self.assertIn("a=VALUE c=VALUE", told)
        self.assertEqual(told.split("\n")[1:3], ["a + b * c", "^       ~"])
        with open(self.path("k.weft"), "w") as file:
            file.write("input a: uint8\nb = a\n\nb + far\n")
        self.assertTrue(self.bad(1, 132, "run", "k.weft", "a=1").startswith("k.weft:4:5: "))

    def test_unknown_and_repeated(self):
        told = self.bad(1, 132, "run", "max( u , x) + 1", "u:(y, x)=[[1.5, 2]]")
        self.assertIn("; if 'x' is a dimension, write max(u, axes=x)", told)
        self.good("run", "max(u, axes=x) + 1", "u:(y, x)=[[1.5, 2]]")
        self.assertIn("write u=float32(y,x)", self.bad(2, 105, "check", "u.x[1:]", "u:(y,x)"))
        self.assertIn("its text says 'gain'", self.bad(1, 131, "run", "x * gain", "gian=1", "x=1"))
        self.assertIn("; its text binds that name", self.bad(1, 131, "run", "y = 2; x = y", "x=1"))
        self.assertIn("; its text calls a function min(..)", self.bad(1, 131, "run", "min(x)", "min=3", "x=1"))
        self.assertIn("; among axes a name", self.bad(1, 131, "run", "min(x, axes=s)", "s=3", "x=1"))
        self.bad(1, 130, "run", "x", "x=1", "x=2")
        self.bad(1, 118, "run", "x + y", "x=-", "y=-", data=b"")


class Results(CommandTest):
    def test_several(self):
        self.assertEqual(self.text("run", "return a+b, s=a*b", "a=2", "b=5"),
                         "out0: int32[] = 7\ns: int32[] = 10\n")

    def test_divide_by_zero_is_a_warning(self):
        done = self.weft("run", "a // b", "a=[7, 8]", "b=[0, 2]")
        self.assertEqual((done.returncode, done.stdout), (0, b"out: int32[2] = [0, 4]\n"))
        self.assertIn(b"<expr>:1:3: warning[W", done.stderr)
        self.assertEqual(self.text("run", "-q", "a // b", "a:int32=1", "b:int32=0"), "out: int32[] = 0\n")

    def test_unused_binding_is_told_once(self):
        done = self.weft("run", "t = 3; x", "x=1")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count(b"warning["), 1)
        self.good("run", "t = 3; x", "x=1", "-o", "t=t.npy")
        self.good("run", "--quiet", "t = 3; x", "x=1")

    def test_time(self):
        done = self.weft("run", "a + 1", "a=[1.5]", "--time")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"compile +[\d.]+ ms.*\nfirst +[\d.]+ ms.*\nrun +[\d.]+ ms.* GB/s\n")

    def test_time_tells_failure(self):
        """A compiler that fails is told, be it a warning behind libtcc's kernel or an error."""
        done = self.weft("run", "a + 1", "a=1", "--time", env={"WEFT_CC": "cc", "WEFT_CFLAGS": "--no-such-flag-at-all"})
        self.assertIn("--no-such-flag-at-all", done.stderr.decode())

    def test_threads(self):
        np.save(self.path("x.npy"), np.linspace(-3, 3, 1000003, dtype=np.float32))
        for threads, told in ("1", "1 thread,"), ("3", "3 threads,"):
            done = self.weft("run", "exp(x)", "x=x.npy", "--time", f"--threads={threads}", "-o", f"{threads}.npy")
            self.assertIn(told, done.stderr.decode())
        first, second = (np.load(self.path(name)) for name in ("1.npy", "3.npy"))
        self.assertEqual(first.tobytes(), second.tobytes())
        self.assertIn(" 1 thread,", self.weft("run", "1", "--time", "--threads", "3").stderr.decode())

    def test_math(self):
        self.assertEqual(self.text("run", "a * 2", "a=1.5", "--math=fast", "--target", "c"),
                         "out: float32[] = 3.0\n")

    def test_printed_values_read_back(self):
        values = np.random.default_rng(1).integers(0, 1 << 32, 200, dtype="u4").view("f4")
        values = values[np.isfinite(values)]
        np.save(self.path("a.npy"), values)
        printed = self.text("run", "+a", "a=a.npy").split("=", 1)[1]
        read = np.array(json.loads(printed), "f4")
        self.assertTrue((read.view("u4") == values.view("u4")).all())

    def test_broken_pipe_is_quiet(self):
        process = subprocess.Popen([WEFT, "ops"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        self.assertNotEqual(process.wait(), 2)
        process.stderr.close()

    def test_full_device(self):
        for arguments in (["ops"], ["ops", "--format=json"], ["show", "x", "x=1"], ["run", "1"],
                          ["check", "1"], ["--help"], ["run", "+x", "x=[%s]" % ("1, " * 999 + "1")]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([WEFT, *arguments], stdout=full, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"No space left", done.stderr, arguments)

    def test_a_result_larger_than_memory(self):
        told = self.bad(1, 117, "run", "a + b", "a:uint8=a.npy", "b=b.npy") if self.huge() else ""
        self.assertIn("needs 10.0 TB of memory", told)

    def huge(self):
        """Two vectors whose outer sum has 10**13 elements."""
        np.save(self.path("a.npy"), np.zeros((10**7, 1), "u1"))
        np.save(self.path("b.npy"), np.zeros(10**6, "u1"))
        return True


class Files(CommandTest):
    KERNELS = """kernel scale(x: float32[n], k: float32[1]) -> float32 { x * k }
kernel bias(x: uint8, b: uint8) -> uint8 { x + b }
"""

    def setUp(self):
        super().setUp()
        with open(self.path("k.weft"), "w") as file:
            file.write(self.KERNELS)
        with open(self.path("plain.weft"), "w") as file:
            file.write("y = a * 2\nreturn y\n")

    def test_run(self):
        self.assertEqual(self.text("run", "k.weft:scale", "x=[1, 2]", "k=[3]"),
                         "out: float32[2] = [3.0, 6.0]\n")
        self.assertEqual(self.text("run", "plain.weft", "a=4"), "y: int32[] = 8\n")
        told = self.weft("run", "k.weft", "x=1").stderr.decode()
        self.assertIn("scale", told)
        self.assertIn("bias", told)
        self.assertEqual(self.weft("run", "k.weft:nope").returncode, 1)
        self.bad(1, 110, "run", "none.weft")

    def test_errors_name_the_file(self):
        with open(self.path("bad.weft"), "w") as file:
            file.write("y = 3\nreturn y +\n")
        self.assertTrue(self.weft("run", "bad.weft").stderr.startswith(b"bad.weft:2:11: error[W"))
        with open(self.path("nul.weft"), "wb") as file:
            file.write(b"3\0")
        self.bad(1, 1, "run", "nul.weft")
        with open(self.path("long.weft"), "w") as file:
            file.write("#" * (1 << 20) + "\n3")
        self.bad(1, 6, "run", "long.weft")

    def test_check(self):
        self.assertEqual(self.text("check", "k.weft"),
                         "scale: out float32[n]\nbias: out uint8\n")
        self.assertEqual(self.text("check", "k.weft:scale"), "scale: out float32[n]\n")
        self.assertEqual(self.text("check", "plain.weft", "a=uint8[h, 3]"), "y int32[h, 3]\n")


class Check(CommandTest):
    def test_types_and_values(self):
        self.assertEqual(self.text("check", "a / b", "a=uint8[480, 640, 3]", "b=float32[3]"),
                         "out float32[480, 640, 3]\n")
        self.assertEqual(self.text("check", "return a+b, c=a<b", "a=uint8[4]", "b=[[1], [2]]"),
                         "out0 int32[2, 4]\nc bool[2, 4]\n")
        self.assertEqual(self.text("check", "a + b", "a=uint8", "b=1.5"), "out float32\n")

    def test_numbers_of_views_are_read(self):
        for given, shape in [("x=int16[2, 3]", "[?, ?]"), ("x:int16=[1, 2, 3, 4, 5, 6]", "[3, 2]")]:
            self.assertEqual(self.text("check", "reshape(x, s)", given, "s=[-1, 2]"), "out int16%s\n" % shape)
        self.assertIn("24 elements against 5 elements",
                      self.bad(1, 62, "check", "reshape(x, s)", "x=[%s]" % ("1, " * 23 + "1"), "s=[5, -1]"))
        self.assertEqual(self.text("check", "x * 2", "x=uint8@HWC"), "out int32[?, ?, ?]@HWC\n")
        self.assertEqual(self.text("check", "a + 1"), "out ?\n")
        np.save(self.path("a.npy"), np.zeros((2, 3), "i2"))
        self.assertEqual(self.text("check", "+a", "a=a.npy"), "out int16[2, 3]\n")
        self.assertEqual(self.text("check", "a + b", "a=float32[h, w]", "b=float32[w]"),
                         "out float32[h, w]\n")

    def test_size_variables(self):
        for given, told in [
                (("a=float32[n]", "b=float32[2]"), "out float32[2]\n"),
                (("a=uint8[h]", "b=uint8[w]"), "out uint8[h]\n"),
                (("a=float32[n, 1]", "b=float32[?]"), "out float32[n, ?]\n"),
                (("a=float32[n, m]", "b=float32"), "out float32\n"),
                (("a:float32[n]=[1, 2]", "b=float32[n]"), "out float32[2]\n")]:
            self.assertEqual(self.text("check", "a + b", *given), told)
        kernel = "kernel f(a: float32[n], b: float32[m]) { a + b }"
        self.assertEqual(self.text("check", kernel), "f: out float32[n]\n")
        self.assertEqual(self.text("check", kernel, "a=[1, 2]"), "f: out float32[2]\n")
        told = self.bad(1, 85, "check", kernel.replace("m", "n"), "a=[1, 2]", "b=[1, 2, 3]")
        self.assertTrue(told.split("\n")[0].startswith("<args>:1:"))

    def test_errors(self):
        self.bad(1, 60, "check", "a + b", "a=float32[3]", "b=[1, 2]")
        self.bad(1, 79, "check", "input a: uint8[3]; +a", "a=uint8[4]")
        told = self.bad(1, 3, "check", "a", "a=uint8[")
        self.assertEqual(told.split("\n")[1:3], ["check a a=uint8[", " " * 16 + "^"])
        self.assertEqual(self.weft("check", "a + b", "a=uint8[4]", "b=uint8[3]").returncode, 1)
        self.assertEqual(self.weft("check", "a & 1.5", "a=uint8").returncode, 1)
        self.assertEqual(self.weft("check", "a", "a=uint8[").returncode, 1)
        self.bad(1, 131, "check", "a", "b=uint8")


class Show(CommandTest):
    def test_stages(self):
        given = "a * b + 1", "a=float32[480, 640, 3]", "b=float32[3]"
        for stage in "tokens", "ast", "types", "groups", "ir", "c":
            self.assertNotEqual(self.text("show", *given, "--stage", stage), "", stage)
        some = [self.text("show", *given, "--stage", stage) for stage in ("types", "ir")]
        self.assertEqual(self.text("show", *given, "--stage", "types,ir"),
                         "== types ==\n%s== ir ==\n%s" % tuple(some))
        few = self.text("show", *given)
        self.assertLess(few.count("\n"), 80)
        self.assertEqual(few.split("== more ==")[0], self.text("show", *given, "--stage", "types,groups,c"))
        self.assertIn("--stage NAME prints another: tokens, ast, ", few)
        everything = self.text("show", *given, "--stage", "all")
        for stage in "tokens", "ast", "types", "groups", "ir", "c":
            self.assertIn("== %s ==\n" % stage, everything)
        self.assertNotEqual(self.text("show", "a + b", "a=1", "b=[1, 2]", "--stage", "c"), "")

    def test_a_page(self):
        given = ["a * b + 1", "a=float32[4, 3]", "b=float32[3]"]
        self.assertEqual(self.text("show", *given, "--html", "page.html"), "")
        with open(self.path("page.html"), encoding="ascii") as file:
            page = file.read()
        self.assertEqual(page, self.text("show", *given, "--stage", "html"))
        self.assertTrue(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"))
        self.assertIn("%0 = load", self.text("show", *given, "--html", "page.html", "--stage", "ir"))
        with open(self.path("page.html"), encoding="ascii") as file:
            self.assertEqual(page, file.read())

    def test_a_page_that_cannot_be_written(self):
        """Nothing is left, and what was there before stays."""
        given = ["x + 1", "x=float32[3]"]
        self.bad(1, 123, "show", *given, "--html", "none/page.html")
        os.mkdir(self.path("folder"))
        self.bad(1, 123, "show", *given, "--html", "folder")
        self.bad(2, 102, "show", *given, "--html", "")
        with open(self.path("page.html"), "w") as file:
            file.write("before")
        self.bad(1, 83, "show", "x + 1", "--html", "page.html")
        with open(self.path("page.html")) as file:
            self.assertEqual(file.read(), "before")
        self.assertEqual(self.files(), ["folder", "page.html"])

    def test_a_wrong_stage(self):
        told = self.bad(2, 102, "show", "x", "x=uint8[3]", "--stage", "grups")
        self.assertIn("found 'grups'; did you mean 'groups'?\n", told)
        self.assertIn("found 'grups'; did you mean 'groups'?\n",
                      self.bad(2, 102, "show", "x", "x=uint8[3]", "--stage", "ir,grups"))
        for stages in ("", "ir,", ",ir"):
            self.assertIn("found ''", self.bad(2, 102, "show", "x", "x=uint8[3]", "--stage", stages))
        self.assertIn("found 'zzzzzz'\n", self.bad(2, 102, "show", "x", "x=uint8[3]", "--stage", "zzzzzz"))

    def test_what_a_stage_needs(self):
        def told(program, *inputs):
            return self.bad(1, 87 if "int32" in inputs[-1] else 83, "show", program, *inputs, "--stage", "groups")
        self.assertIn("write x=uint8[3]\n", self.bad(2, 105, "show", "x", "x:uint8[3]"))
        self.assertNotIn("write", self.bad(2, 105, "run", "x", "x:uint8[3]").split("\n")[0])
        self.assertIn("the shape of input 'x'; give it, as in x=uint8[480, 640, 3], or x=uint8[] for a "
                      "single number\n", told("x", "x=uint8"))
        self.assertIn("the extent of dimension 1 of input 'x'; give it, as in x=uint8[2, 480]\n",
                      told("x", "x=uint8[2, ?]"))
        self.assertIn("the extents of dimensions 0, 2 of input 'x'", told("x", "x=uint8[?, 2, ?]"))
        self.assertIn("a value, as in y=3, or write the numbers into the program\n",
                      told("x[y:]", "x=uint8[9]", "y=int32[]"))
        self.assertIn("a value, as in s=[3, 2], or", told("reshape(x, s)", "x=uint8[6]", "s=int32[2]"))
        with open(self.path("k.weft"), "w") as file:
            file.write("kernel f(x: uint8, n: int32[]) { x[::n] }\nkernel g(x: uint8, n: number) { x * n }\n")
        self.assertIn("the elements of input 'n'",
                      self.bad(1, 87, "show", "k.weft:f", "x=uint8[6]", "--stage", "groups"))
        self.text("show", "k.weft:f", "x=uint8[6]", "n=2", "--stage", "groups")
        self.text("show", "k.weft:g", "x=uint8[6]", "--stage", "groups")

    def test_a_fast_path_that_is_turned_off(self):
        for off, kernels in ("", 2), ("split", 1):
            shown = self.text("show", "roll(x, 5)", "x=float32[200, 1000]", "--stage", "groups",
                              env={"WEFT_DISABLE": off})
            self.assertEqual(shown.count(" for out "), kernels, off)

    def test_kernels(self):
        with open(self.path("k.weft"), "w") as file:
            file.write("kernel f(x: float32) { x * 2 }\n")
        self.text("show", "k.weft:f", "x=float32[4]", "--stage", "c")

    def test_a_value_is_checked_against_its_type(self):
        self.bad(1, 79, "show", "x", "x:float32[2]=[1, 2, 3]")
        self.bad(1, 85, "show", "x", "x:float32[n, n]=[[1, 2, 3]]")

    def test_a_missing_type_is_told(self):
        self.assertEqual(self.weft("show", "a + 1", "--stage", "types").returncode, 1)


class Ops(CommandTest):
    def test_formats(self):
        rows = json.loads(self.text("ops", "--format", "json"))
        names = {name for row in rows for name in row["names"]}
        self.assertTrue({"+", "//", "sin", "clamp", "clip", "where"} <= names)
        views = [row for row in rows if row["form"] == "view"]
        self.assertEqual([row["names"][0] for row in views],
                         ["reshape", "squeeze", "expand_dims", "reinterpret", "extent", "[]", "transpose", "flip",
                          "roll", "broadcast_to", "named", "unnamed", "rename", "tile", "repeat", "offset", "pad",
                          "correlate", "convolve", "concat", "stack", "take", "gather", "sample", "index", "arange",
                          "linspace", "random", "random_normal", "scatter", "nonzero", "isclose"])
        reductions = [row for row in rows if row["form"] == "reduction"]
        self.assertEqual(reductions[0]["names"] + reductions[0]["parameters"], ["sum", "x", "axes", "keepdims"])
        self.assertEqual(len(reductions), 18)
        conversions = [row for row in rows if row["form"] == "conversion"]
        self.assertEqual([row["names"] + row["parameters"] for row in conversions],
                         [["cast", "x", "dtype"], ["wrap", "x", "dtype"], ["T", "x"]])
        rows = rows[:-len(views) - len(conversions) - len(reductions)]
        for row in rows:
            self.assertEqual(row["exact"], not any(row["ulp"].values()))
            self.assertTrue(row["doc"] and row["type"] and row["parameters"])
        text, table = self.text("ops").splitlines(), self.text("ops", "--format=md").splitlines()
        self.assertEqual(len(text), len(rows) + 2 + 1 + 2 * len(views) + 1 + 2 * len(reductions))
        self.assertEqual(sum(line.startswith("|") for line in table),
                         len(rows) + 2 + len(views) + 2 + len(reductions) + 2)
        for told in "\n".join(text[len(rows):]), "\n".join(table[len(rows) + 2:]):
            for conversion in ("cast(x, dtype)", "wrap(x, dtype)", "T(x)", "squeeze(x, axes=[..])", "x[item, ..]",
                               "sum(x, axes=.."):
                self.assertIn(conversion, told)
        self.assertEqual(self.text("run", "cast(x=3.5, dtype=uint8)"), "out: uint8[] = 4\n")


if __name__ == "__main__":
    unittest.main()
