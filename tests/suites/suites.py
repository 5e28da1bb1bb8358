"""What holds for the tests together:

    suites.py ROOT BUILD NAME...      NAME: the tests of which only a part is tried, from tests/meson.build

A name is that of one test, `meson test NAME` runs no other. Every suite has a test in the usual layer, and
docs/hacking.md tells what it is for. Reports in TAP."""
import collections
import json
import pathlib
import re
import sys

MARKS = {"usual", "full"}  # say from which layer on a test is run


def told(build):
    tests = json.loads(pathlib.Path(build, "meson-info/intro-tests.json").read_text(encoding="utf-8"))
    return [(test["name"], {suite.split(":")[-1] for suite in test["suite"]}) for test in tests]


def checks(root, tests, sampled):
    """What is checked, and what is wrong."""
    count = collections.Counter(name for name, _ in tests)
    suites = set.union(*[found for _, found in tests]) - MARKS
    usual = set.union(*[found for _, found in tests if "full" not in found])
    words = set(re.findall(r"`(\w+)`", pathlib.Path(root, "docs/hacking.md").read_text(encoding="utf-8")))
    yield "each name is that of one test", [name for name in count if count[name] > 1]
    yield "what is tried in part is a test", set(sampled) - set(count)
    yield "every suite has a test in the usual layer", suites - usual
    yield "docs/hacking.md names every suite", suites - words


def main(root, build, *sampled):
    results = list(checks(root, told(build), sampled))
    print(f"1..{len(results)}")
    for number, (what, wrong) in enumerate(results, 1):
        print("not ok" if wrong else "ok", number, "-", what)
        for name in sorted(wrong):
            print("#", name)
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
