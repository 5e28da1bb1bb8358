"""count.py LOG...: sums up tests. count.py --statements [REVISION]: sums up code.

Sums up the logs of `meson test`, given as paths of testlog.json files. A program that reports in TAP counts once for
every line of it, one of Python's unittest once for every test, any other once. A log that is not there counts as a
failure. Prints the failed ones, then `N passed, N failed, N skipped`; exit status 1 when anything failed or nothing
passed.

Statements are those of the C in compiler, runtime, cli and templates, as git has them: what ends in a semicolon
outside the head of a `for`, and if, for, while and switch. Declarations count, comments, strings and layout do not."""
import json
import re
import subprocess
import sys

FOLDERS = ("compiler", "runtime", "cli", "templates")
ASIDE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)

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


def statements(text):
    """The number of statements in a C source."""
    text = re.sub(r"\bfor\s*\([^;]*;[^;]*;", "for (", ASIDE.sub(" ", text))
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    return text.count(";") + len(re.findall(r"\b(?:if|for|while|switch)\b(?=\s*\()", text))


def count_statements(revision):
    git = ["git", "ls-tree", "-r", "--name-only", revision, "--", *FOLDERS]
    total = {folder: 0 for folder in FOLDERS}
    for path in subprocess.run(git, check=True, capture_output=True, text=True).stdout.split():
        if path.endswith((".c", ".h", ".inc", ".cu")):
            source = subprocess.run(["git", "show", f"{revision}:{path}"], check=True, capture_output=True, text=True)
            total[path.split("/")[0]] += statements(source.stdout)
    for folder, count in total.items():
        print(f"{folder:10} {count}")
    print(f"{'all':10} {sum(total.values())}")


def main(paths):
    if paths[:1] == ["--statements"]:
        return count_statements((paths[1:] or ["HEAD"])[0])
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
