"""How long the programs of docs/gallery.md take on large pictures:

    bench/gallery.py [--build build] [--threads 1] [--turns 5] [--save NAME] [SECTION...]

runs the page's commands with a photograph of 3840 x 2556 pixels in place of the small one, with h and w as large, and
`--time` behind each `weft run`. What counts is the time of computing (`run`), the best of all turns; of several
programs the one that is run most often, else the longest."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench/common"))
sys.path.insert(0, str(ROOT / "tests/docs"))
import machine  # noqa: E402
import run_docs  # noqa: E402

HEIGHT, WIDTH = 2556, 3840
SHIM = """#!/bin/bash
"{weft}" "$@" --time --threads {threads} 2>"$TIMES/one"
status=$?
printf '%s' "$2" | tr '\\n' ' ' >>"$TIMES/all"
sed -n 's/^run  */\\t/p' "$TIMES/one" >>"$TIMES/all"
exit $status
"""


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--save")
    parser.add_argument("sections", nargs="*")
    return parser.parse_args()


def sections(page):
    """(title, picture, files, commands) of each, in the page's order."""
    title, files, commands = None, [], []
    for part in page.parts:
        if isinstance(part, tuple):
            files.append(part)
        elif isinstance(part, run_docs.Step):
            commands.append(part.command())
        elif part.startswith("## "):
            title, files, commands = part[3:], [], []
        elif commands and (found := run_docs.PICTURE.search(part)):
            yield title, found[2].partition(".")[0], files, commands


def enlarged(command, big):
    """The command with large pictures, and of its loops a few turns."""
    command = re.sub(r"img=docs/images/\w+\.jpg", f"img={big}", command)
    command = re.sub(r"\bh=\d+ w=\d+", f"h={HEIGHT} w={WIDTH}", command)
    return re.sub(r"-o \w+\.(jpg|png)", "-o out.ppm", re.sub(r"seq \d+", "seq 3", command))


def measure(files, commands, big, environment, turns):
    """(text, milliseconds) of the section's program."""
    times = {}
    with tempfile.TemporaryDirectory() as scratch:
        for name, body in files:
            pathlib.Path(scratch, name).write_text("\n".join(body) + "\n", encoding="utf-8")
        log = pathlib.Path(scratch, "all")
        for _ in range(turns):
            for command in commands:
                subprocess.run(["bash", "-c", enlarged(command, big)], cwd=scratch, check=True,
                               env=dict(environment, TIMES=scratch))
        for line in log.read_text(encoding="utf-8").splitlines():
            text, _, run = line.partition("\t")
            if run:
                times.setdefault(text, []).append(float(run.split(" ms")[0]))
    text = max(times, key=lambda text: (len(times[text]), min(times[text])))
    return text, min(times[text])


def main():
    given = options()
    page = run_docs.Page(ROOT / "docs/gallery.md", "docs/gallery.md")
    weft, cases = f"{given.build}/cli/weft", []
    with tempfile.TemporaryDirectory() as scratch:
        shim, big = pathlib.Path(scratch, "weft"), f"{scratch}/big.ppm"
        shim.write_text(SHIM.format(weft=weft, threads=given.threads), encoding="utf-8")
        shim.chmod(0o755)
        subprocess.run([weft, "run", "repeat(repeat(img, 12, 0), 12, 1)", f"img={ROOT}/docs/images/pagoda.jpg", "-o",
                        big], check=True)
        environment = dict(os.environ, PATH=f"{scratch}:{os.environ['PATH']}", XDG_CACHE_HOME=scratch)
        for title, picture, files, commands in sections(page):
            if not given.sections or title in given.sections:
                text, ms = measure(files, commands, big, environment, given.turns)
                cases.append({"case": title, "picture": picture, "text": text, "ms": ms})
                print(f"{title:24} {ms:9.2f} ms", flush=True)
    if given.save:
        machine.save(given.save, threads=given.threads, pixels=[HEIGHT, WIDTH], cases=cases)


main()
