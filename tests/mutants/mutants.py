#!/usr/bin/env python3
"""Measures the tests by mutants of the sources: small changes of which each should make some test fail.

    mutants.py make PLACE [--seed 1] [--count 200]    a tree with mutants, PLACE/source
    mutants.py select PLACE NAME -- COMMAND...        the tests that COMMAND, run in that tree, gives to `meson test`
    mutants.py record PLACE NAME [--jobs N]           which mutants each of these tests reaches, and its time
    mutants.py run PLACE NAME [--jobs N] [--only ID]... [--time-limit SECONDS] [--each SECONDS] [--survivors-of NAME]...
    mutants.py table PLACE NAME... [--write]          what killed each; a later NAME is asked where the others did not;
                                                      of two also, what one kills of what the other kills; --write:
                                                      into verdicts.json, too

PLACE is a folder outside of the sources or in a build folder. All mutants are in one library; the environment variable
WEFT_MUTANT chooses one. `record` and `run` keep what they have in PLACE/NAME.*.json and go on there when they are run
again; what another selection in PLACE knows of the same test is taken from there. A mutant's tests run cheapest first
until one fails: exit status other than 0 and 77, a signal, or five times the recorded time and 20 s. --each leaves a
mutant after so much CPU time, for another time: most die in the first tests. Tests that fail,
or are skipped, without a mutant take no part; those that fail are named.

verdicts.json, beside this file, tells of mutants of earlier campaigns, by keys that stay when the sources change
elsewhere: "by", the test that killed one, or "nothing", written by hand: why it changes nothing that can be seen. `run`
tries the first before anything else, without `record`, and leaves out the others but with --only.
"""
import argparse
import json
import pathlib
import sys

import campaign
import tree

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VERDICTS = pathlib.Path(__file__).resolve().with_name("verdicts.json")


def make(options):
    if (options.place / "mutants.json").exists():
        sys.exit(f"{options.place} has mutants already: take another folder, or remove it")
    options.place.mkdir(parents=True, exist_ok=True)
    rows = tree.make(ROOT, options.place, options.seed, options.count)
    campaign.save(options.place / "mutants.json", rows)
    shares = [f"{layer} {sum(row['layer'] == layer for row in rows)}" for layer in tree.LAYERS]
    print(len(rows), "mutants:", ", ".join(shares))


def select(options):
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    print(len(campaign.select(options.place, options.name, command)), "tests")


def record(options):
    tests = campaign.read(options.place / f"{options.name}.tests.json", [])
    done = campaign.record(options.place, options.name, tests, options.jobs)
    for name, result in sorted(done.items()):
        if result["status"] not in (0, campaign.SKIPPED):
            print(f"takes no part, fails without a mutant ({result['status']}): {name}")
    skipped = sum(result["status"] == campaign.SKIPPED for result in done.values())
    cold, warm = (sum(result.get(cache, {}).get("cpu", 0) for result in done.values()) for cache in ("cold", "warm"))
    print(f"{len(done)} tests, {skipped} skipped, {cold:.0f} s of CPU time, {warm:.0f} s when kernels are there")


def killed(place, name):
    results = campaign.read(place / f"{name}.results.json", {})
    return {int(number) for number, result in results.items() if result["state"] == "killed"}


def run(options):
    verdicts = campaign.read(VERDICTS, {})
    numbers = [row["id"] for row in campaign.read(options.place / "mutants.json", [])
               if "nothing" not in verdicts.get(row["key"], {})]
    before = set().union(*(killed(options.place, name) for name in options.survivors_of))
    chosen = [n for n in options.only or numbers if n not in before]
    campaign.Campaign(options.place, options.name, verdicts).run(chosen, options.jobs, options.time_limit, options.each)
    table(argparse.Namespace(place=options.place, name=[*options.survivors_of, options.name], write=False))


def short(text, width=48):
    text = " ".join(text.split())
    return text if len(text) <= width else text[:width - 3] + "..."


def verdict(number, names, results):
    """The first selection that kills the mutant, else the last that says something."""
    found = None
    for name in names:
        result = results[name].get(str(number))
        if result and (found is None or result["state"] != "unfinished"):
            found = (name, result)
        if result and result["state"] == "killed":
            break
    return found or ("", {"state": "not run", "passed": []})


def describe(name, result, told):
    if "nothing" in told and result["state"] != "killed":
        return f"changes nothing: {told['nothing']}"
    if result["state"] == "killed":
        spent = f"{result['cpu']:.1f} s CPU, {result['wall']:.1f} s"
        return f"killed by {result['by']} ({name}; {result['how']}) after {spent}"
    passed = f" {len(result['passed'])} tests: {short(', '.join(result['passed']), 80)}" if result["passed"] else ""
    reached = f", reached by {len(result['reached'])}" if result.get("reached") else ""
    return result["state"] + passed + reached


def table(options):
    rows = campaign.read(options.place / "mutants.json", [])
    results = {name: campaign.read(options.place / f"{name}.results.json", {}) for name in options.name}
    counts, verdicts = {}, campaign.read(VERDICTS, {})
    for row in rows:
        told, (name, result) = verdicts.get(row["key"], {}), verdict(row["id"], options.name, results)
        print(f"{row['id']:4} {row['file']}:{row['line']}  {row['kind']}: {short(row['original'])} -> "
              f"{short(row['mutated']) or 'nothing'}\n       {describe(name, result, told)}")
        if result["state"] == "killed":
            told = {"by": result["by"], "how": result["how"], "seconds": result["test_wall"]}
        elif result["state"] not in ("unfinished", "not run"):
            told = {key: told[key] for key in told if key == "nothing"}
        what = f"{row['file']} {row['function']}: {row['original']} -> {row['mutated'] or 'nothing'}"
        verdicts[row["key"]] = {"what": short(what, 90), **told}
        key = f"killed by {name}" if result["state"] == "killed" else \
            "changes nothing" if "nothing" in told else result["state"]
        counts.setdefault(key, {}).setdefault(row["layer"], []).append(row["id"])
    print(f"\n{'':32}" + "".join(f"{layer:>10}" for layer in tree.LAYERS) + f"{'all':>10}")
    for key, layers in sorted(counts.items()):
        numbers = [len(layers.get(layer, [])) for layer in tree.LAYERS]
        print(f"{key:32}" + "".join(f"{n:>10}" for n in numbers) + f"{sum(numbers):>10}")
    if len(options.name) == 2:
        compare(options.place, *options.name)
    if options.write:
        keys = [row["key"] for row in rows]
        write({key: told for key, told in verdicts.items() if key in keys and len(told) > 1})


def write(verdicts):
    """A line for each mutant."""
    lines = [f" {json.dumps(key)}: {json.dumps(told)}" for key, told in sorted(verdicts.items())]
    VERDICTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def compare(place, less, more):
    """How much of what the second selection kills the first one kills, too."""
    first, second = killed(place, less), killed(place, more)
    both, missed = first & second, sorted(second - first)
    share = f" ({100 * len(both) / len(second):.1f} %)" if second else ""
    print(f"\n{less} kills {len(both)} of {len(second)}{share} that {more} kills; not {missed}; "
          f"alone {sorted(first - second)}")


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for function in (make, select, record, run, table):
        command = commands.add_parser(function.__name__)
        command.set_defaults(function=function)
        command.add_argument("place", type=lambda text: pathlib.Path(text).resolve())
        if function is make:
            command.add_argument("--seed", type=int, default=1)
            command.add_argument("--count", type=int, default=200)
            continue
        command.add_argument("name", **({"nargs": "+"} if function is table else {}))
        if function is select:
            command.add_argument("command", nargs=argparse.REMAINDER)
        if function is table:
            command.add_argument("--write", action="store_true")
        if function in (record, run):
            command.add_argument("--jobs", type=int, default=1)
        if function is run:
            command.add_argument("--only", type=int, action="append")
            command.add_argument("--time-limit", type=float)
            command.add_argument("--each", type=float)
            command.add_argument("--survivors-of", action="append", default=[])
    return parser.parse_args(arguments)


def main():
    if sys.argv[1:2] == ["meson"]:
        sys.exit(campaign.as_meson(sys.argv[2:]))
    options = parse(sys.argv[1:])
    options.function(options)


if __name__ == "__main__":
    main()
