"""What a person types in the first five minutes: programs from standard input, help, one operation."""

import json
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
        self.assertIn("name one: a, b", self.bad(1, 81, "run", "-", data=b"kernel a(x: float32[n]) { return x }\n"
                                                                       b"kernel b(x: float32[n]) { return x }\n"))

    def test_numbers_alone(self):
        self.assertEqual(self.text("run", "input k: number; arange(k)", "k=4"), "out: int32[4] = [0, 1, 2, 3]\n")
        self.assertEqual(self.text("run", "input k: number; input h: number; k * h", "k=3", "h=0.5"),
                         "out: float32[] = 1.5\n")
        self.assertEqual(self.text("check", "input k: number; arange(k)"), "out ?\n")
        self.assertEqual(self.text("check", "input k: number; arange(k)", "k=5"), "out int32[5]\n")
        self.assertIn("a size is an integer, and k is float", self.bad(1, 278, "run", "input k: number; arange(k)",
                                                                       "k=0.5"))


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
