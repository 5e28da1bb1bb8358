"""Every operation on every type beside NumPy, PyTorch and JAX, in one process and on the same operands:

    python3 bench/operations/operations.py [--only NAME ..] [--types NAME ..] [--sets NAME ..] [--save NAME]

The cases are those of operands.py: rows of grammar/ops.def that a peer has, on each type, on pairs of types, and
conversions, each with sets of usual and of odd operands. One thread. Times are processor time, the least of many calls
taken in turns, so that other programs on the machine count little; --elements says of how many elements (1e5: all is
in caches), of 8 and 16 bits four times and twice as many: calls, Weft's by ctypes, count less there. Weft, NumPy and
PyTorch read and write the very same arrays, which begin at cache lines, JAX returns a new one. Which sets of the caches
arrays fall into is chance, up to a quarter of the time, so each case is measured at PLACES places, and the best counts.
On usual operands the peers' results are compared with Weft's. Conversions to integers Weft rounds and saturates, peers
cut, and are compared all the same. A peer that takes subnormal numbers for 0 is not compared where operands or results
are such ("flushes"): the processor takes tens of times as long for them. Nor is one that computes most integers
otherwise without a conversion ("others"): of a power JAX reads six bits of the exponent, PyTorch and NumPy all of them.
At the end come the cases in which Weft takes more than 1.1 of the best peer's time, the worst first. --save writes
bench/results/NAME.json; --against RESULT prints the ratios of that file beside."""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import subprocess
import sys
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402
from operands import FLOATS, SETS, aligned_copy, cases, dtype_of, operands  # noqa: E402
from peers import PEERS  # noqa: E402

CHECKED = 1e-5, {"float16": 5e-3, "bfloat16": 4e-2}
SLOWER = 1.1
PLACES = 3


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--only", nargs="+", help="rows, by name or pattern; cast for conversions")
    parser.add_argument("--types", nargs="+", help="types of the first operand (of where, the second)")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--peers", nargs="*", default=list(PEERS))
    parser.add_argument("--elements", type=float, default=1e5)
    parser.add_argument("--seconds", type=float, default=0.02, help="for each contender of a case")
    parser.add_argument("--cc", help="the C compiler of Weft's kernels")
    parser.add_argument("--against", help="a result whose ratios are printed beside")
    parser.add_argument("--save")
    return parser.parse_args()


OPTIONS = options()
FLUSHING = set()


def chosen():
    rows = json.loads(subprocess.run([f"{OPTIONS.build}/cli/weft", "ops", "--format", "json"], check=True,
                                     capture_output=True).stdout)
    for row, text, kinds in cases(rows):
        name = row["names"][0]
        if OPTIONS.only and not any(name == pattern or (pattern[0].isalpha() and fnmatch.fnmatchcase(name, pattern))
                                    for pattern in OPTIONS.only):
            continue
        if OPTIONS.types and kinds[name == "where"] not in OPTIONS.types:
            continue
        yield row, text, kinds


def plain(x):
    """As libweft takes it: NumPy knows bfloat16 by a package alone."""
    return x.view("V2") if x.dtype.name == "bfloat16" else x


def weft_call(weft, program, names, values, out):
    call, params = weft.bound(program, dict(zip(names, map(plain, values))), plain(out))
    weft.prepare(program, params)
    return call


def subnormal(x):
    tiny = float(ml_dtypes.finfo(x.dtype).tiny)
    x = np.abs(x.astype(np.float64))
    return (x > 0) & (x < tiny)


def flushing():
    """The peers that take subnormal numbers for 0, which the processor computes with tens of times as fast."""
    small = aligned_copy(np.full(64, 1e-40, np.float32))
    row = {"names": ["*"], "parameters": ["x", "y"]}
    for name in OPTIONS.peers:
        out = np.zeros_like(small)
        made = PEERS[name](row, [small, np.ones_like(small)], "float32", out)
        if made and not np.any(made[1](made[0]())):
            yield name


def meets_subnormal(values, want):
    return any(bool(subnormal(x).any()) for x in [*values, want] if x.dtype.name in FLOATS)


def agree(name, text, kinds, got, want):
    """Peers compute the same; rounding apart."""
    least, others = CHECKED
    got, want = got.astype(np.float64), want.astype(np.float64)
    within = others.get(want.dtype.name, max([others.get(kind, least) for kind in kinds]))
    with np.errstate(all="ignore"):
        gap = np.nanmax(np.abs(got - want) / np.maximum(1, np.abs(want)))
    if not gap <= within:
        print(f"  {text} on {', '.join(kinds)}: {name} differs by {gap:.2g}")


def is_other(row, kinds, got, want):
    """Whether most of a peer's integers are others, of what does not convert."""
    integers = all(dtype_of(kind).kind in "iu" for kind in [*kinds, want.dtype.name])
    return row["names"][0] != "cast" and integers and np.mean(got != want) > 0.5


def contenders(weft, program, row, text, kinds, values, target, chosen):
    """(name, call, why it is not compared, or None) of all that do the case."""
    names = ("c", "x", "y") if row["names"][0] == "where" else ("x", "y", "z")
    out = aligned_copy(np.zeros(values[0].shape, dtype_of(target)))
    call = weft_call(weft, program, names, values, out)
    call()
    yield "Weft", call, None
    want = out.copy()
    for name in OPTIONS.peers:
        try:
            made = PEERS[name](row, values, target, out)
            got = made and made[1](made[0]())
        except Exception:  # whatever it is, the peer cannot do this case
            continue
        if made is None:
            continue
        if chosen == "usual" and not (row["names"][0] == "cast" and dtype_of(kinds[0]).kind in "fV"):
            agree(name, text, kinds, got, want)
        yield name, made[0], ("flushes" if name in FLUSHING and meets_subnormal(values, want) else
                              "others" if is_other(row, kinds, got, want) else None)


def run_case(weft, row, text, kinds):
    names = ("c", "x", "y") if row["names"][0] == "where" else ("x", "y", "z")
    program = weft.compile(text, {name: kind + "[n]" for name, kind in zip(names, kinds)})
    count = int(OPTIONS.elements * max(1, 4 / max(dtype_of(kind).itemsize for kind in kinds)))
    for chosen_set in OPTIONS.sets:
        values = operands(row["names"][0], kinds, chosen_set, count)
        if values is None:
            continue
        target = weft.result(program, dict(zip(names, map(plain, values))))[1]
        target = "bfloat16" if target == "V2" else target
        times, apart = {}, {"flushes": set(), "others": set()}
        for _ in range(PLACES):
            values = [aligned_copy(x) for x in values]
            found = list(contenders(weft, program, row, text, kinds, values, target, chosen_set))
            if len(found) < 2 and OPTIONS.peers:
                break
            best = machine.measure([call for _, call, _ in found], OPTIONS.seconds / PLACES, least=1e-4,
                                   clock=time.process_time)
            for (name, _, why), t in zip(found, best):
                times[name] = min(times.get(name, np.inf), t / count * 1e9)
                if why:
                    apart[why].add(name)
        if not times:
            continue
        peers = set(times) - {"Weft"} - apart["flushes"] - apart["others"]
        peer = min(peers, key=times.get, default=None)
        yield {"row": row["names"][0], "text": text, "types": list(kinds), "result": target, "operands": chosen_set,
               "elements": count, "ns": times, **{why: sorted(names) for why, names in apart.items()}, "best": peer,
               "ratio": times["Weft"] / times[peer] if peer else 0}


def label(entry):
    return f"{entry['text']:16} {', '.join(dict.fromkeys(entry['types'])):18} {entry['operands']:6}"


def show(entry, before):
    times = "  ".join(f"{name} {t:.3f}" for name, t in entry["ns"].items())
    known = before.get(label(entry))
    was = f" (was {known:.2f})" if known else ""
    apart = "".join(f"  {name} {why}" for why in ("flushes", "others") for name in entry[why])
    print(f"{label(entry)} {entry['ratio']:6.2f}{was}   {times}{apart}", flush=True)


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    weft = library.Weft(OPTIONS.build, cache=str(ROOT / "build/cache/operations"),
                        **({"cc": OPTIONS.cc.encode()} if OPTIONS.cc else {}))
    FLUSHING.update(flushing())
    before, entries = {}, []
    if OPTIONS.against:
        saved = json.loads((ROOT / f"bench/results/{OPTIONS.against}.json").read_text(encoding="utf-8"))
        before = {label(entry): entry["ratio"] for entry in saved["cases"]}
    for row, text, kinds in chosen():
        for entry in run_case(weft, row, text, kinds):
            entries.append(entry)
            show(entry, before)
    behind = sorted((entry for entry in entries if entry["ratio"] > SLOWER), key=lambda entry: -entry["ratio"])
    print(f"\n{len(entries)} measured, {len(behind)} slower than {SLOWER} of the best peer's time")
    for entry in behind:
        show(entry, before)
    print(collections.Counter(entry["row"] for entry in behind).most_common())
    if OPTIONS.save:
        machine.save(OPTIONS.save, cases=entries)


if __name__ == "__main__":
    main()
