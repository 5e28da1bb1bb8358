"""Prints the files that the tests of some suites need built, one a line: needed.py DIRECTORY SUITE..."""
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
        if any(suite.split(":")[-1] in suites for suite in test["suite"]):
            wanted.update(path for target in test["depends"] for path in files[target])
    print("\n".join(sorted(os.path.relpath(path, directory) for path in wanted)))


main(*sys.argv[1:])
