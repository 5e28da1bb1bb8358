"""Prints the files that the tests of some suites need built, one a line: needed.py DIRECTORY SUITE... [-SUITE...]

Tests of a suite that is named with a minus are left out."""
import json
import os
import sys


def main(directory, *suites):
    def told(what):
        with open(f"{directory}/meson-info/intro-{what}.json", encoding="utf-8") as file:
            return json.load(file)

    files = {target["id"]: target["filename"] for target in told("targets")}
    wanted = set()
    for test in told("tests"):
        its = [suite.split(":")[-1] for suite in test["suite"]]
        if any(suite in suites for suite in its) and not any("-" + suite in suites for suite in its):
            wanted.update(path for target in test["depends"] for path in files[target])
    print("\n".join(sorted(os.path.relpath(path, directory) for path in wanted)))


main(*sys.argv[1:])
