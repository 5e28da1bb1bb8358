"""Whether a change made anything slower: a bench of this tree and of another one, in turns.

    /usr/bin/python3 bench/pairs.py [--pairs 31] [--turns 1] OTHER BENCH.py [OPTION...]

OTHER is a checkout of what to compare with; both are built, in build/. For each figure of Weft's that the bench saves
comes the median of the pairs' ratios, this tree's time over the other's, and the interval that holds the median with
95 % confidence (order statistics, no assumption about the noise). A pair takes the best of --turns runs of each, which
helps where much depends on the pages that a process gets. Above 1.03 at its upper end a figure is marked, and the exit
status is 1."""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 1.03
TIMES = ("ms", "weft_ms", "batch_ms", "first_ms", "overhead", "weft_ns", "batch_ns")    # Weft's own; less is better
SPEEDS = ("times_plain", "sum", "table")                                                # against others in the run


def leaves(value, path=()):
    if isinstance(value, dict):
        label = [str(value[key]) for key in ("case", "program", "text", "given") if key in value]
        for key, inner in value.items():
            yield from leaves(inner, path + ((" ".join(label), key) if label else (key,)))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, path + (str(number),))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path, value


def figures(tree, command):
    """Figure -> a number that is less where Weft is faster."""
    name = f"pairs-{os.getpid()}"                    # several may run at once
    saved = tree / f"bench/results/{name}.json"
    script = next(tree.glob(f"bench/**/{command[0]}"))
    done = subprocess.run(["/usr/bin/python3", script, *command[1:], "--build", tree / "build", "--save", name],
                          cwd=tree, capture_output=True, text=True, check=False)
    if not saved.is_file():
        raise SystemExit(f"{tree}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    content = json.loads(saved.read_text(encoding="utf-8"))
    saved.unlink()
    found = {path: value for path, value in leaves(content) if path[-1] in TIMES and value > 0}
    found.update({path: 1 / value for path, value in leaves(content) if set(SPEEDS) & set(path) and value > 0})
    return found


def interval(values):
    """Order statistics between which the median lies with 95 % confidence or more."""
    ordered, n = sorted(values), len(values)
    below, rank = 0.0, 0
    while rank < n // 2 and below + math.comb(n, rank) / 2 ** n <= 0.025:
        below += math.comb(n, rank) / 2 ** n
        rank += 1
    return ordered[max(rank - 1, 0)], ordered[n - max(rank, 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--pairs", type=int, default=31)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    ratios, slower = {}, 0
    for pair in range(options.pairs):
        order = (ROOT, options.other) if pair % 2 else (options.other, ROOT)
        times = {ROOT: {}, options.other: {}}
        for tree in order * options.turns:
            for path, value in figures(tree, options.command).items():
                times[tree][path] = min(value, times[tree].get(path, value))
        for path, value in times[ROOT].items():
            if path in times[options.other]:
                ratios.setdefault(path, []).append(value / times[options.other][path])
    for path, values in ratios.items():
        low, high = interval(values)
        slower += high > LIMIT
        print(f"{statistics.median(values):6.3f}  {low:6.3f} to {high:6.3f} {'!' if high > LIMIT else ' '}  "
              + " ".join(part for part in path if part))
    print(f"{len(ratios)} figures, {options.pairs} pairs, {slower} above {LIMIT}")
    return 1 if slower or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())
