"""Sums up the logs of `meson test`, given as paths of testlog.json files. A program that reports in
TAP counts once for every line of it, one of Python's unittest once for every test, any other once. A log that is not there counts as a failure.
Prints the failed ones, then `N passed, N failed, N skipped`; exit status 1 when anything failed or
nothing passed."""
import json
import re
import sys

GOOD = ("OK", "EXPECTEDFAIL")
UNITTEST = re.compile(r"^Ran (\d+) tests? in .*\n\n(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
LINE = re.compile(r"^(ok|not ok)\b[ \t]*\d*[ \t-]*(.*)$", re.MULTILINE)


def tally(test):
    """(passed, failed names, skipped) of one entry of a log."""
    if test["result"] == "SKIP":
        return 0, [], 1
    passed, failed, skipped = 0, [], 0
    output = (test.get("stdout") or "") + "\n" + (test.get("stderr") or "")
    for ran, notes in UNITTEST.findall(output):
        counts = {word: int(number) for word, number in re.findall(r"(\w+)=(\d+)", notes)}
        bad = counts.get("failures", 0) + counts.get("errors", 0)
        skipped += counts.get("skipped", 0)
        passed += int(ran) - bad - counts.get("skipped", 0)
        failed += re.findall(r"^(?:FAIL|ERROR): (.*)$", output, re.MULTILINE)[:bad]
    for verdict, what in LINE.findall(output):
        if re.search(r"# *skip", what, re.IGNORECASE):
            skipped += 1
        elif verdict == "ok":
            passed += 1
        else:
            failed.append(what.strip())
    if test["result"] not in GOOD:
        failed = failed or [test["result"].lower()]
    elif not passed and not skipped:
        passed = 1
    return passed, failed, skipped


def main(paths):
    passed, failures, skipped = 0, [], 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as log:
                tests = [json.loads(line) for line in log if line.strip()]
        except OSError:
            failures.append(path)
            continue
        for test in tests:
            good, bad, left = tally(test)
            passed += good
            skipped += left
            failures += [f"{path}: {test['name']}: {name}" for name in bad]
    for failure in failures:
        print("FAILED", failure)
    print(f"{passed} passed, {len(failures)} failed, {skipped} skipped")
    return 1 if failures or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
