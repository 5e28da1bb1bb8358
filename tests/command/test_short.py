"""What a person types in the first five minutes: programs from standard input, help, one operation."""

import json
import os
import unittest

from weft_test import CommandTest


class Programs(CommandTest):
    def test_standard_input(self):
        self.assertEqual(self.text("run", "-", "x=4", data=b"y = x * 2  # twice\nreturn y, z = y + 1"),
                         "y: int32[] = 8\nz: int32[] = 9\n")
        self.assertEqual(self.text("check", "-", "a=uint8[3]", data=b"a * 0.5"), "out float32[3]\n")
        self.assertIn("%0 = load float32 a", self.text("show", "-", "a=float32[3]", "--stage", "ir", data=b"a + 1"))

    def test_what_standard_input_may_not_be(self):
        told = self.bad(1, 3, "run", "-", "x=1", data=b"# one\nx +* 2")
        self.assertIn("<stdin>:2:4: error[W0003]", told)
        told = self.bad(1, 150, "run", "-", "x=-", data=b"x")
        self.assertIn("standard input holds the program, so 'x' cannot come from it; name a file", told)
        self.bad(2, 105, "run", "-", "-", data=b"1")
        self.bad(1, 1, "run", "-", data=b"1\0")
        self.bad(1, 41, "run", "-", data=b"")
        told = self.bad(1, 81, "run", "-", data=b"kernel a(x: float32[n]) { return x }\n"
                                                b"kernel b(x: float32[n]) { return x }\n")
        self.assertIn("name one: a, b; of a file one is named, as in FILE.weft:a", told)

    def test_numbers_alone(self):
        self.assertEqual(self.text("run", "input k: number; arange(k)", "k=4"), "out: int32[4] = [0, 1, 2, 3]\n")
        self.assertEqual(self.text("run", "input k: number; input h: number; k * h", "k=3", "h=0.5"),
                         "out: float32[] = 1.5\n")
        self.assertEqual(self.text("check", "input k: number; arange(k)"), "out ?\n")
        self.assertEqual(self.text("check", "input k: number; arange(k)", "k=5"), "out int32[5]\n")
        self.assertIn("a size is an integer, and k is float", self.bad(1, 278, "run", "input k: number; arange(k)",
                                                                       "k=0.5"))


class Json(CommandTest):
    def told(self, *arguments, status=1):
        """The objects on stderr."""
        done = self.weft(*arguments)
        self.assertEqual(done.returncode, status, done)
        self.assertEqual(done.stdout, b"")
        return [json.loads(line) for line in done.stderr.decode().splitlines()]

    def test_results(self):
        self.assertEqual(json.loads(self.text("run", "return a=x * 0.5, b=x > 1, c=int64(2)**62 + 0 * x[0]", "x=[1, 2]",
                                              "--format", "json")),
                         [{"name": "a", "dtype": "float32", "type": "float32[2]", "shape": [2], "value": [0.5, 1.0]},
                          {"name": "b", "dtype": "bool", "type": "bool[2]", "shape": [2], "value": [False, True]},
                          {"name": "c", "dtype": "int64", "type": "int64[]", "shape": [], "value": 2**62}])
        values = json.loads(self.text("run", "log(x)", "x=[0, -1, 1, inf]", "--format=json"))[0]["value"]
        self.assertEqual(values, ["-inf", "nan", 0.0, "inf"])
        values = json.loads(self.text("run", "arange(5000)", "--format=json"))[0]["value"]
        self.assertEqual(values, list(range(5000)))
        self.assertEqual(json.loads(self.text("run", "broadcast_to(1, [2, 0])", "--format=json"))[0]["value"], [[], []])
        self.assertEqual(self.text("run", "1", "-o", "a.npy", "--format=json"), "")

    def test_batches(self):
        os.mkdir(self.path("d"))
        for key, text in ("a", "[1, 2]"), ("b", "[3]"), ('c"\u00e9', "[4]"):
            self.good("run", text, "-o", "d/%s.npy" % key)
        batch = json.loads(self.text("run", "x + 1", "x=d", "--format=json"))[0]
        self.assertEqual([(sample["key"], sample["value"]) for sample in batch["samples"]],
                         [("a", [2, 3]), ("b", [4]), ('c"\u00e9', [5])])
        self.assertEqual(json.loads(self.text("check", "x + 1", "x=d", "--format=json")),
                         [{"name": "out", "type": "int32[?]", "dtype": "int32", "samples": 3}])

    def test_check(self):
        self.assertEqual(json.loads(self.text("check", "a * b", "a=uint8[h, 3]", "b=float32[3]", "--format=json")),
                         [{"name": "out", "type": "float32[h, 3]"}])
        with open(self.path("k.weft"), "w") as file:
            file.write("kernel a(x: float32[n]) { return x }\nkernel b(x: float32[n]) { return x, y = x > 1 }\n")
        self.assertEqual([(row["kernel"], row["name"], row["type"]) for row in
                          json.loads(self.text("check", "k.weft", "--format=json"))],
                         [("a", "x", "float32[n]"), ("b", "x", "float32[n]"), ("b", "y", "bool[n]")])

    def test_errors_are_objects(self):
        error, = self.told("run", "a + [1, 2]", "a=[1, 2, 3]", "--format=json")
        self.assertEqual((error["severity"], error["code"], error["origin"], error["line"], error["column"]),
                         ("error", "W0060", "<expr>", 1, 3))
        self.assertEqual(error["spans"], [[2, 3], [0, 1], [4, 10]])
        error, = self.told("check", "a + b", "a=uint8[2]", "b=uint8[3]", "--format=json")
        self.assertEqual(error["code"], "W0060")
        error, = self.told("run", "x", "x=no\u00e9.npy", "--format=json")
        self.assertIn("no\u00e9.npy", error["message"])
        done = self.weft("run", "6 // x", "x=[0]", "--format=json")
        self.assertEqual((json.loads(done.stdout)[0]["value"], json.loads(done.stderr)["severity"]), ([0], "warning"))
        self.bad(2, 102, "run", "1", "--format", "xml")


class Help(CommandTest):
    def test_help_of_a_command(self):
        for command in "run", "cache":
            self.assertEqual(self.text("help", command), self.text(command, "--help"))
        self.assertEqual(self.text("help"), self.text("--help"))
        self.assertIn("did you mean 'run'?", self.bad(2, 100, "help", "rnu"))
        self.bad(2, 105, "help", "run", "show")

    def test_one_operation(self):
        self.assertEqual(self.text("ops", "clip"), "clip(value, lo, hi)\n    min(max(value, lo), hi)\n"
                         "    type: the promoted type\n    accuracy: exact\n    names: clamp, clip\n")
        two = self.text("ops", "-")
        self.assertIn("left - right\n", two)
        self.assertIn("-input\n", two)
        for name, use in (("and", "left and right"), ("logical_and", "logical_and(left, right)"),
                          ("not", "not input"), ("negative", "negative(input)"), ("max", "max(left, right, ..)"),
                          ("sum", "sum(x, axes=.., keepdims=false)"), ("uint8", "T(x)"), ("flip", "flip(x")):
            self.assertIn(use, self.text("ops", name))
        self.assertIn(" ulp\n", self.text("ops", "sin"))
        self.assertEqual([row["names"] for row in json.loads(self.text("ops", "clamp", "--format", "json"))],
                         [["clamp", "clip"]])
        self.assertEqual(self.text("ops", "--format=md", "clamp").count("\n"), 1)
        self.assertIn("did you mean 'clip'?", self.bad(2, 100, "ops", "cliip"))
        self.bad(2, 105, "ops", "clamp", "sum")


if __name__ == "__main__":
    unittest.main()
