"""Rows of any length, beside NumPy, JAX and PyTorch where they are there: reductions along the last axis, and
elementwise work on rows beside a value for each of them, outer sums and slices of wider rows.

    WEFT_DISABLE=first /usr/bin/python3 bench/kernels/rows.py [--lengths 2 3 4 ..] [--cases sum max] [--types float32]
                                               [--elements 1e6] [--threads 1] [--peers] [--plot FILE.svg] [--save NAME]

A line for each case and type: nanoseconds an element for each length, the best of turns taken beside the others', each
after calls that do not count. With --peers, a second line has the best peer's time over ours; below 1 a peer is faster,
and those cases are listed at the end with the peer. So are lengths that take 1.6 times as long an element as the one
before. --plot draws the times."""
import argparse
import functools
import os
import pathlib
import sys

import numpy as np

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "common"), str(pathlib.Path(__file__).parent)]
import machine  # noqa: E402
import weft  # noqa: E402
from plot import svg  # noqa: E402
from reduce import optional  # noqa: E402

LENGTHS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 17, 20, 24, 31, 32, 33, 48, 63, 64, 65, 80, 100, 127, 128, 129, 200,
           255, 256, 257, 512, 1000, 2048, 5000]
SOFTMAX = "(lambda x: (lambda e: e / e.sum(-1, keepdims=True))(np.exp(x - x.max(-1, keepdims=True))))(f(x))"
LAYERNORM = "d = x - mean(x, -1, true); d / sqrt(mean(d * d, -1, true) + 1e-5)"
# word: the text, what NumPy and JAX compute, PyTorch, operands beside x. f makes integers float32 (rule 11.2)
CASES = {"sum": ("sum(x, -1)", "x.sum(-1)", "x.sum(-1)", ""),
         "mean": ("mean(x, -1)", "f(x).mean(-1)", "f(x).mean(-1)", ""),
         "max": ("max(x, axis=-1)", "x.max(-1)", "x.amax(-1)", ""),
         "argmax": ("argmax(x, -1)", "x.argmax(-1)", "x.argmax(-1)", ""),
         "any": ("any(x, -1)", "x.any(-1)", "x.bool().any(-1)", ""),
         "norm": ("norm(x, -1)", "np.linalg.norm(f(x), axis=-1)", "torch.linalg.norm(f(x), dim=-1)", ""),
         "std": ("std(x, -1)", "f(x).std(-1)", "f(x).std(-1, correction=0)", ""),
         "dot": ("sum(x * w, -1)", "(x * w).sum(-1)", "(x * w).sum(-1)", "w"),
         "normalize": ("x / norm(x, -1, true)", "f(x) / np.linalg.norm(f(x), axis=-1, keepdims=True)",
                       "f(x) / torch.linalg.norm(f(x), dim=-1, keepdim=True)", ""),
         "softmax": ("softmax(x)", SOFTMAX, "torch.softmax(f(x), -1)", ""),
         "layernorm": (LAYERNORM, "(lambda d: d / np.sqrt((d * d).mean(-1, keepdims=True) + 1e-5))"
                       "(f(x) - f(x).mean(-1, keepdims=True))",
                       "torch.nn.functional.layer_norm(f(x), x.shape[-1:])", ""),
         "column": ("x * 0.5 + y", "x * np.float32(0.5) + y", "x * 0.5 + y", "y"),
         "row": ("x * 0.5 + w", "x * np.float32(0.5) + w", "x * 0.5 + w", "w"),
         "outer": ("w * 0.5 + y", "w * np.float32(0.5) + y", "w * 0.5 + y", "wy"),
         "slice": ("s * 0.5 + x", "s * np.float32(0.5) + x", "s * 0.5 + x", "s")}


def operands(case, length, elements, dtype):
    """x [rows, length], y [rows, 1], w [length], and s of x's shape cut out of wider rows: those of the case."""
    random, rows = np.random.default_rng(1), max(1, int(elements) // length)
    made = {"x": (random.random((rows, length), np.float32) * 10).astype(dtype)}
    made["y"] = (random.random((rows, 1), np.float32) * 10).astype(dtype)
    made["w"] = (random.random(length, np.float32) * 10).astype(dtype)
    made["s"] = np.ones((rows, length + 7), dtype)[:, :length]
    return {name: made[name] for name in ("x" if "x" in CASES[case][0].replace("max", "") else "") + CASES[case][3]}


def wide_rows(name, array):
    """What s is cut out of: JAX's arrays have no strides, so it cuts within its function. Else the array."""
    return array.base if name == "s" else array


def peers(case, arrays):
    def function(text, **modules):
        return eval(f"lambda {', '.join(arrays)}: {text}", modules)

    _, numpy_text, torch_text, _ = CASES[case]
    jax, torch = optional("jax"), optional("torch")
    integers = all(a.dtype.kind in "iu" for a in arrays.values())
    floats = (lambda x: x.astype(np.float32)) if integers else lambda x: x
    found = {"numpy": functools.partial(function(numpy_text, np=np, f=floats), **arrays)}
    if jax:
        jax.config.update("jax_enable_x64", any(a.dtype == np.float64 for a in arrays.values()))
        length, whole = max(a.shape[-1] for a in arrays.values()), function(numpy_text, np=jax.numpy, f=floats)
        held = {name: jax.numpy.asarray(wide_rows(name, a)) for name, a in arrays.items()}
        compiled = jax.jit(lambda **given: whole(**{name: a[..., :length] for name, a in given.items()}))
        found["jax"] = lambda: compiled(**held).block_until_ready()
    if torch:
        torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
        tensors = {name: torch.from_numpy(a) for name, a in arrays.items()}
        floats = (lambda x: x.float()) if integers else lambda x: x
        found["torch"] = functools.partial(function(torch_text, torch=torch, f=floats), **tensors)
    for run in found.values():
        run()
    return found


def measure(case, dtype, length, context, args):
    """What a result file says of one length: `ns` an element by name."""
    arrays = operands(case, length, args.elements, dtype)
    text, count = CASES[case][0], int(args.elements) // length * length
    out = np.asarray(weft.evaluate(text, arrays, context=context))
    runs = {"Weft": lambda: weft.evaluate(text, arrays, context=context, out=out)}
    runs.update(peers(case, arrays) if args.peers else {})
    times = machine.measure(list(runs.values()), args.seconds, own=True)
    return {"case": case, "dtype": dtype, "length": length,
            "ns": {name: round(seconds / count * 1e9, 4) for name, seconds in zip(runs, times)}}


def best_peer(entry):
    others = {name: ns for name, ns in entry["ns"].items() if name != "Weft"}
    return min(others, key=others.get, default=None)


def show(entries):
    print(f"{entries[0]['case']:10} {entries[0]['dtype']:8}", *(f"{e['ns']['Weft']:6.2f}" for e in entries))
    if best_peer(entries[0]):
        print(" " * 19, *(f"{e['ns'][best_peer(e)] / e['ns']['Weft']:6.2f}" for e in entries), flush=True)


def show_behind(entries):
    before = None
    for e in entries:
        peer, own = best_peer(e), e["ns"]["Weft"]
        if peer and e["ns"][peer] < 0.97 * own:
            print(f"behind: {e['case']} of {e['dtype']}, rows of {e['length']}: {peer} {e['ns'][peer] / own:.2f}")
        same = before and (before["case"], before["dtype"]) == (e["case"], e["dtype"])
        if same and own > 1.6 * before["ns"]["Weft"]:
            print(f"cliff: {e['case']} of {e['dtype']}, from rows of {before['length']} to {e['length']}: "
                  f"{own / before['ns']['Weft']:.2f}")
        before = e


def plot(entries, threads, path):
    """Elements of plot.py's picture are those of a row."""
    points = [{"case": f"{e['case']} {e['dtype']}", "elements": e["length"], "threads": threads,
               "ms": {name: ns * e["length"] / 1e6 for name, ns in e["ns"].items()}} for e in entries]
    pathlib.Path(path).write_text(svg(points, machine.name()), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.05, help="of each contender and length")
    parser.add_argument("--elements", type=float, default=1e6)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--cases", nargs="+", default=list(CASES))
    parser.add_argument("--types", nargs="+", default=["float32"])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--plot")
    parser.add_argument("--save")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = str(args.threads)
    if args.threads == 1:          # before JAX and PyTorch are there, whose threads then stay on it, too
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    context, entries = weft.Context(threads=args.threads), []
    print(" " * 19, *(f"{length:6}" for length in args.lengths))
    for case in args.cases:
        for dtype in args.types:
            entries += [measure(case, dtype, length, context, args) for length in args.lengths]
            show(entries[-len(args.lengths):])
    show_behind(entries)
    if args.plot:
        plot(entries, args.threads, args.plot)
    if args.save:
        machine.save(args.save, threads=args.threads, elements=int(args.elements), cases=entries)


if __name__ == "__main__":
    main()
