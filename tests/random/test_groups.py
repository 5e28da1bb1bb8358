#!/usr/bin/env python3
"""What `weft show --stage groups` says of the loads and stores of random programs: that each formula leads to where the
strides beside it lead, and that the order in words is that of the elements (tests/command/test_show_groups.py).

    test_groups.py RANDOM          the program that makes programs; $WEFT is the command

WEFT_SEED and WEFT_COUNT say which programs."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))
import test_show_groups  # noqa: E402

RANDOM = sys.argv.pop(1)
INPUT = re.compile(r"(\w+): (\w+\[[^\]]*\])")


def program_of(seed):
    """The text of a random program, and the types of its inputs."""
    done = subprocess.run([RANDOM, "--seed", str(seed), "--count", "1", "--print"], stdout=subprocess.PIPE, check=False)
    text, types = [], {}
    for line in done.stdout.decode().splitlines()[1:]:
        found = INPUT.match(line)
        if found:
            types.setdefault(found[1], found[2])
        elif not types and not line.startswith("told to "):
            text.append(line)
    return "\n".join(text) + "\n", ["%s=%s" % pair for pair in types.items()]


class Random(test_show_groups.GroupsTest):
    def test_programs(self):
        first, count = int(os.environ.get("WEFT_SEED", 1)), int(os.environ.get("WEFT_COUNT", 150))
        left_out = 0
        for seed in range(first, first + count):
            program, types = program_of(seed)
            with self.subTest(seed):
                options = ["--quiet"] + (["--target", "cuda"] if seed % 3 == 0 else [])
                if self.weft("show", "--stage", "groups", *options, "--", program, *types).returncode in (1, 2):
                    left_out += 1  # it wants numbers, or types that are not printed
                else:
                    self.check(program, types, options=options)
        self.assertLess(left_out, count / 5)
        self.assertGreater(self.checked["places"], count)


if __name__ == "__main__":
    unittest.main()
