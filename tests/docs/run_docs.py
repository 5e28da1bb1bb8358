"""The documents' examples are tests:

    run_docs.py ROOT BUILD [--update] [PAGE...]

In README.md, docs/*.md and docs/design/emit.md a fenced block `console` is a transcript: a line that begins with "$ "
is run by bash ("> " continues it), with `weft` on the path and pkg-config finding the build, and the
lines under it are what it prints on stdout and stderr together; an exit status other than 0 is a last
line `[exit N]`. A block `c file=NAME` (or `weft file=NAME`, any language) writes that file before
what follows; `<!-- run: COMMAND -->` runs a command whose output no reader needs to see. Each page
has a scratch directory of its own. `<...>` in an expected line stands for any text. A block `console needs=NAME` is
skipped where that program (NEEDS below) does not work. `<!-- environment: NAME=VALUE -->` sets a variable for all
commands of a page.

A page's commands find docs/images/. Where a command writes a picture NAME that the page shows as images/../NAME, the
two are to be alike, but for two levels of 255 (NEAR below; of a .jpg more).

--update rewrites the expected lines, and the pictures; read the difference before you believe it.

A rule is a line that begins with **N.M in docs/language.md, **DN or **NN in docs/dali.md; the examples
under it are its tests. A rule of sections 1 to 7 without one fails the suite, and so does one of dali.md; later
sections are only listed. docs/ops.md is what
`weft ops --format md` prints, between its first lines and its sections. Numbers and charts are those of bench/results.
Reports in TAP."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TESTED_SECTIONS = range(1, 8)
RULE = re.compile(r"^\*\*(\d+\.\d+|[DN]\d+)\b")
FENCE = re.compile(r"^```(\w*)(?: +file=(\S+))?(?: +needs=(\S+))?\s*$")
HIDDEN = re.compile(r"^<!-- run: (.*) -->$")
ENVIRONMENT = re.compile(r"^<!-- environment: (\w+)=(.*) -->$")
PICTURE = re.compile(r"!\[[^]]*\]\(((?:docs/)?images/(?:\w+/)?)([\w-]+\.(?:png|jpg))\)")
NEAR = {".png": 2, ".jpg": 8}
SECONDS = 120
# What tells that a program works: containers often forbid debuggers and profilers what they need.
NEEDS = {"gdb": "gdb -q -batch -ex run --args true 2>&1 | grep -q 'exited normally'",
         "perf": "perf record -q -o /dev/null true"}


class Step:
    """One command with what it should print; `where` is "page:line", `rule` a "N.M" or None, `needs` a program that
    it takes or None."""

    def __init__(self, where, rule, line, hidden=False, needs=None):
        self.where, self.rule, self.lines, self.hidden = where, rule, [line], hidden
        self.needs, self.skipped = needs, False
        self.expected, self.got = [], []

    def command(self):
        return "\n".join([self.lines[0]] + [line[2:] for line in self.lines[1:]])

    def as_text(self):
        return ["$ " + self.lines[0]] + self.lines[1:]


def shell(step, scratch, environment):
    """Runs a step; its output as lines, the exit status as the last."""
    try:
        done = subprocess.run(["bash", "-c", step.command()], cwd=scratch, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS)
        text, status = done.stdout.decode("utf-8", "replace"), done.returncode
    except subprocess.TimeoutExpired:
        text, status = "", "timeout"
    lines = text.splitlines()
    return lines + ([f"[exit {status}]"] if status else [])


def works(program, environment):
    """Whether NEEDS[program] succeeds here."""
    done = subprocess.run(["bash", "-c", NEEDS[program]], env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS)
    return done.returncode == 0


def agrees(expected, got):
    if len(expected) != len(got):
        return False
    return all(re.fullmatch(".*".join(re.escape(part) for part in want.split("<...>")), have)
               for want, have in zip(expected, got))


class Page:
    """A page as a list of lines and steps, so that it can be written back."""

    def __init__(self, path, name):
        self.path, self.name, self.parts, self.rules = path, name, [], []
        lines = path.read_text(encoding="utf-8").splitlines()
        rule, at = None, 0
        while at < len(lines):
            line = lines[at]
            fence, hidden, found = FENCE.match(line), HIDDEN.match(line), RULE.match(line)
            if found:
                rule = found[1]
                self.rules.append(rule)
            elif line.startswith("## "):
                rule = None
            self.parts.append(line)
            at += 1
            if hidden:
                self.parts.append(Step(f"{name}:{at}", rule, hidden[1], hidden=True))
            if fence:
                end = lines.index("```", at)
                self.read_block(fence, lines[at:end], at + 1, rule)
                self.parts.append("```")
                at = end + 1

    def read_block(self, fence, body, first, rule):
        if fence[2]:
            self.parts.append((fence[2], body))
        if fence[1] != "console":
            self.parts += [] if fence[2] else body
            return
        step = None
        for number, line in enumerate(body, first):
            if line.startswith("$ "):
                step = Step(f"{self.name}:{number}", rule, line[2:], needs=fence[3])
                self.parts.append(step)
            elif step is None:
                raise SystemExit(f"{self.name}:{number}: output before the first command")
            elif line.startswith("> ") and not step.expected:
                step.lines.append(line)
            else:
                step.expected.append(line)

    def steps(self):
        return [part for part in self.parts if isinstance(part, Step)]

    def run(self, environment, scratch):
        able = {}
        own = [ENVIRONMENT.match(part) for part in self.parts if isinstance(part, str)]
        environment = dict(environment, **{found[1]: found[2] for found in own if found})
        if any("docs/images/" in step.command() for step in self.steps()):
            images = next(place / "docs/images" for place in self.path.parents if (place / "docs/images").is_dir())
            shutil.copytree(images, pathlib.Path(scratch, "docs/images"))
        for part in self.parts:
            if isinstance(part, tuple):
                pathlib.Path(scratch, part[0]).write_text("\n".join(part[1]) + "\n", encoding="utf-8")
            elif isinstance(part, Step):
                if part.needs and part.needs not in able:
                    able[part.needs] = works(part.needs, environment)
                part.skipped = part.needs and not able[part.needs]
                part.got = part.expected if part.skipped else shell(part, scratch, environment)

    def pictures(self, scratch):
        """(the committed file, what a command has written) of the pictures that the page shows."""
        for folder, name in PICTURE.findall("\n".join(part for part in self.parts if isinstance(part, str))):
            made = pathlib.Path(scratch, name)
            if made.exists():
                yield self.path.parent / folder / name, made

    def text(self):
        lines = []
        for part in self.parts:
            if isinstance(part, tuple):
                lines += part[1]
            elif isinstance(part, str):
                lines.append(part)
            elif not part.hidden:
                kept = part.expected if agrees(part.expected, part.got) else part.got
                lines += part.as_text() + kept
        return "\n".join(lines) + "\n"


def make_environment(build, cache):
    environment = dict(os.environ, LC_ALL="C.UTF-8", COLUMNS="100", XDG_CACHE_HOME=cache)
    environment["WEFT_DISABLE"] = "roots"  # what is shown is alike on all processors
    environment["PATH"] = f"{build / 'cli'}:{environment['PATH']}"
    environment["PKG_CONFIG_PATH"] = str(build / "meson-uninstalled")
    libraries = [str(path.parent) for path in build.rglob("libweft.so")]
    environment["LD_LIBRARY_PATH"] = ":".join(libraries)
    for name in ("WEFT_CC", "WEFT_CFLAGS", "WEFT_TARGET", "NO_COLOR"):
        environment.pop(name, None)
    return environment


def alike(picture, made, environment):
    """Whether two pictures differ by no more than NEAR in any value."""
    differ = f"max(abs(int32(a) - b)) <= {NEAR[made.suffix]}"
    done = subprocess.run(["weft", "run", differ, f"a={picture}", f"b={made}"], env=environment, timeout=SECONDS,
                          capture_output=True, text=True, check=False)
    return done.stdout.endswith("true\n")


def current_ops(root, environment):
    """What docs/ops.md should hold: its own lines before the table, then the table, then its own sections."""
    text = (root / "docs/ops.md").read_text(encoding="utf-8")
    head, sections = text.split("\n|", 1)[0], text.split("\n## ")[1:]
    table = subprocess.run(["weft", "ops", "--format", "md"], env=environment, check=True,
                           capture_output=True, text=True, timeout=SECONDS).stdout
    return "\n## ".join([head + "\n" + table] + sections)


def current_paths(root):
    """What docs/debugging.md should hold: its own lines, and between them the table of fast paths."""
    text, source = ((root / name).read_text(encoding="utf-8")
                    for name in ("docs/debugging.md", "compiler/lang/fast_paths.h"))
    head, tail = text.split("| fast path |")[0], text.split("| fast path |")[1].split("\n\n", 1)[1]
    rows = re.findall(r'FAST\(\w+, "(\w+)", ([A-Z_| ]+),[\s\\]*"([^"]*)"\)', source)
    places = [[part for part in ("C", "CUDA", "AHEAD") if f"IN_{part}" in where.split(" | ")] for _, where, _ in rows]
    lines = [f"| `{word}` | {', '.join(place for place in at if place != 'AHEAD')} | "
             f"{'yes' if 'AHEAD' in at else ''} | {what} |" for (word, _, what), at in zip(rows, places)]
    lines = ["| fast path | kernels in | ahead of time | |", "|---|---|---|---|", *lines]
    return head + "\n".join(lines) + "\n\n" + tail


def passes(root, *command):
    """What is wrong with files that a script keeps, by its own words; nothing if they are current."""
    done = subprocess.run([sys.executable, *command], cwd=root, capture_output=True, text=True, check=False)
    return done.stderr.splitlines() if done.returncode else []


def is_known(rule):
    return rule[0] in "DN" or int(rule.split(".")[0]) in TESTED_SECTIONS


def report(pages, results):
    """TAP for `results`, then every step and every rule; the number of failures."""
    for page in pages:
        for step in page.steps():
            good = step.got == [] if step.hidden else agrees(step.expected, step.got)
            notes = [] if good else ["$ " + step.command()] + \
                ["- " + line for line in step.expected] + ["+ " + line for line in step.got]
            what = f"{step.where} {step.command().splitlines()[0].replace('#', '')}"
            what += f" # SKIP {step.needs} does not work here" if step.skipped else ""
            results.append((good, what, notes))
        tested = {step.rule for step in page.steps() if not step.hidden}
        for rule in page.rules:
            if rule not in tested and is_known(rule):
                results.append((False, f"rule {rule} has a tested example", []))
        later = [rule for rule in page.rules if not is_known(rule)]
        if later:
            print("# rules without an example:", " ".join(rule for rule in later if rule not in tested))
    print(f"1..{len(results)}")
    for number, (good, what, notes) in enumerate(results, 1):
        print("ok" if good else "not ok", number, what)
        if not good:
            print("\n".join([what] + ["    " + note for note in notes]), file=sys.stderr)
    return sum(not good for good, _, _ in results)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="*")
    options = parser.parse_intermixed_args()
    root, build = options.root.resolve(), options.build.resolve()
    names = options.pages or ["README.md"] + sorted(
        path.relative_to(root).as_posix() for path in [*(root / "docs").glob("*.md"), root / "docs/design/emit.md"])
    pages = [Page(root / name, name) for name in names if (root / name).exists()]
    others = []
    with tempfile.TemporaryDirectory() as cache:
        environment = make_environment(build, cache)
        for page in pages:
            with tempfile.TemporaryDirectory() as scratch:
                page.run(environment, scratch)
                for picture, made in page.pictures(scratch):
                    if options.update and not (picture.exists() and alike(picture, made, environment)):
                        shutil.copyfile(made, picture)
                    others.append((picture.exists() and alike(picture, made, environment),
                                   f"{page.name} shows {picture.name} as it is made", []))
        ops, table = root / "docs/ops.md", current_ops(root, environment)
    debugging = root / "docs/debugging.md"
    if options.update:
        for page in pages:
            page.path.write_text(page.text(), encoding="utf-8")
        ops.write_text(table, encoding="utf-8")
        debugging.write_text(current_paths(root), encoding="utf-8")
        return 0
    current = ops.read_text(encoding="utf-8") == table
    paths = debugging.read_text(encoding="utf-8") == current_paths(root)
    others += [(current, "docs/ops.md is current", []), (paths, "docs/debugging.md has all fast paths", [])]
    for what, *command in (("numbers", "bench/table.py", "--check"), ("charts", "bench/chart.py", "--check"),
                           ("the picture of a terminal", "scripts/terminal.py", build, "--check")):
        wrong = passes(root, *command)
        others.append((not wrong, f"{what} are current", wrong))
    return 1 if report(pages, others) else 0


if __name__ == "__main__":
    sys.exit(main())
