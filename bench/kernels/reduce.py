"""Reductions against the time of reading the bytes, and beside NumPy, numexpr, JAX and PyTorch (eager and compiled)
where they are there:

    WEFT_DISABLE=first /usr/bin/python3 bench/kernels/reduce.py [--size 256] [--cases sum mean] [--threads 1] [--peers]
                                                        [--save NAME]

A Python that has them: `python3 -m venv --system-site-packages build/peers`,
`build/peers/bin/pip install numexpr jax torch`.
Reading is a loop in C that joins loads of 64 bytes by XOR, on one thread, from the first byte to the last. Each figure
is the best of several, taken in turns, as a share of the speed of reading. That speed is not what memory can do: loops
that also fetch ahead, or that read four streams beside each other, are faster on some machines, so shares may exceed 1.
The fastest of these loops is printed, too, with the share of its speed. --size is the number of megabytes of an
operand; rows keep their length, and the outermost extent changes. softmax and layernorm are beside exp of the same
array: below 1 they take longer. With one thread the process stays on one processor, since JAX starts threads whatever
XLA_FLAGS say. --save writes bench/results/NAME.json. At the end come the cases in which a peer was faster."""
import argparse
import ctypes
import functools
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import machine  # noqa: E402
import weft  # noqa: E402

F, B = np.float32, np.uint8
LIBRARIES = "numexpr", "jax", "torch"
LAYERNORM = "d = x - mean(x, axis=-1, keepdims=true); d / sqrt(mean(d * d, axis=-1, keepdims=true) + 1e-5)"
# A word for --cases, the text, the type, the shape without its first extent (1: as few as there are elements)
CASES = [("sum", "sum(x)", F, (4096,)), ("mean", "mean(x)", F, (4096,)), ("mse", "mean((x - y) ** 2)", F, (4096,)),
         ("rows", "sum(x, axis=1)", F, (4096,)), ("columns", "sum(x, axis=0)", F, (4096,)),
         ("narrow", "sum(x, axis=0)", F, (100,)), ("short", "sum(x, axis=1)", F, (100,)),
         ("middle", "sum(x, axis=1)", F, (256, 256)), ("channels", "mean(x, axes=[0, 1, 2])", B, (224, 224, 3)),
         ("floats3", "mean(x, axes=[0, 1, 2])", F, (224, 224, 3)), ("inner3", "mean(x, axis=-1)", B, (224, 224, 3)),
         ("norm3", "norm(x, axes=-1)", F, (1024, 3)), ("dot3", "vecdot(x, y)", F, (1024, 3)),
         ("bytes", "sum(x)", B, (4096,)), ("max", "max(x)", F, (4096,)), ("maxrows", "max(x, axis=1)", F, (4096,)),
         ("maxbytes", "max(x)", B, (4096,)), ("argmax", "argmax(x, axis=1)", F, (4096,)),
         ("argall", "argmax(x)", F, (4096,)),
         ("turned", "sum(transpose(x), axis=0)", F, (4096,)), ("turnrows", "sum(transpose(x), axis=1)", F, (4096,)),
         ("turnmax", "max(transpose(x))", F, (4096,)), ("argmiddle", "argmax(x, axis=1)", B, (1000, 3)),
         ("any", "any(x < 0)", F, (4096,)), ("std", "std(x)", F, (4096,)), ("stdrows", "std(x, axis=1)", F, (4096,)),
         ("softmax", "softmax(x)", F, (1000,)), ("layernorm", LAYERNORM, F, (1000,)), ("exp", "exp(x)", F, (1000,))]
# What NumPy, JAX (both as np) and PyTorch compute; and where PyTorch has other words, those
PEERS = {"sum": "x.sum()", "mean": "x.mean()", "mse": "((x - y) ** 2).mean()", "rows": "x.sum(1)",
         "columns": "x.sum(0)", "narrow": "x.sum(0)", "short": "x.sum(1)", "middle": "x.sum(1)",
         "floats3": "x.mean((0, 1, 2))",
         "channels": "x.mean((0, 1, 2), dtype=np.float32)", "inner3": "x.mean(-1, dtype=np.float32)",
         "norm3": "np.linalg.norm(x, axis=-1)", "dot3": "(x * y).sum(-1)", "max": "x.max()", "maxrows": "x.max(1)",
         "turned": "x.T.sum(0)", "turnrows": "x.T.sum(1)", "turnmax": "x.T.max()", "argmiddle": "x.argmax(1)",
         "maxbytes": "x.max()", "argmax": "x.argmax(1)", "argall": "x.argmax()", "any": "(x < 0).any()",
         "std": "x.std()", "stdrows": "x.std(1)", "bytes": "x.sum()", "exp": "np.exp(x)",
         "softmax": "(lambda e: e / e.sum(1, keepdims=True))(np.exp(x - x.max(1, keepdims=True)))",
         "layernorm": "(lambda d: d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5))(x - x.mean(1, keepdims=True))"}
TORCH = {"maxrows": "x.amax(1)", "std": "x.std(correction=0)", "stdrows": "x.std(1, correction=0)", "exp": "x.exp()",
         "channels": "x.float().mean((0, 1, 2))", "inner3": "x.float().mean(-1)",
         "norm3": "torch.linalg.norm(x, dim=-1)", "softmax": "torch.softmax(x, 1)",
         "layernorm": "torch.nn.functional.layer_norm(x, (1000,))"}
NUMEXPR = {"sum": "sum(x)", "mse": "sum((x - y) ** 2)", "rows": "sum(x, axis=1)", "columns": "sum(x, axis=0)",
           "narrow": "sum(x, axis=0)", "short": "sum(x, axis=1)", "max": "max(x)", "maxrows": "max(x, axis=1)",
           "exp": "exp(x)"}
READ = """#include <stddef.h>
typedef unsigned long long line __attribute__((vector_size(64), aligned(1)));
static unsigned long long joined(line a)
{
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}
static inline unsigned long long read_from(const char *x, size_t n, size_t ahead)
{
    line a = {0}, b = a, c = a, d = a;
    for (size_t i = 0; i + 256 <= n; i += 256) {
        for (int k = 0; ahead && k < 256; k += 64)
            __builtin_prefetch(x + i + ahead + k);
        a ^= *(const line *)(x + i), b ^= *(const line *)(x + i + 64), c ^= *(const line *)(x + i + 128),
            d ^= *(const line *)(x + i + 192);
    }
    return joined(a ^ b ^ c ^ d);
}
unsigned long long plain(const char *x, size_t n)
{
    return read_from(x, n, 0);
}
unsigned long long ahead_4k(const char *x, size_t n)
{
    return read_from(x, n, 4096);
}
unsigned long long ahead_8k(const char *x, size_t n)
{
    return read_from(x, n, 8192);
}
unsigned long long streams_4(const char *x, size_t n)
{
    enum { PART = 1 << 16 };
    line a = {0}, b = a, c = a, d = a;
    for (; n >= 4 * PART; x += 4 * PART, n -= 4 * PART)
        for (size_t i = 0; i < PART; i += 64)
            a ^= *(const line *)(x + i), b ^= *(const line *)(x + PART + i), c ^= *(const line *)(x + 2 * PART + i),
                d ^= *(const line *)(x + 3 * PART + i);
    return joined(a ^ b ^ c ^ d) ^ plain(x, n);
}
"""
READERS = {"read": "plain", "read, fetching 4 KB ahead": "ahead_4k", "read, fetching 8 KB ahead": "ahead_8k",
           "read, four streams": "streams_4"}


def readers(arrays):
    """Functions that read the arrays, by name."""
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/read.c", "w").write(READ)
        subprocess.run(["cc", "-O2", "-march=native", "-shared", "-fPIC", folder + "/read.c",
                        "-o", folder + "/read.so"], check=True)
        library = ctypes.CDLL(folder + "/read.so")
    found = {}
    for name, symbol in READERS.items():
        function = getattr(library, symbol)
        function.argtypes, function.restype = [ctypes.c_void_p, ctypes.c_size_t], ctypes.c_ulonglong
        found[name] = lambda function=function: [function(a.ctypes.data, a.nbytes) for a in arrays.values()]
    assert len({tuple(run()) for run in found.values()}) == 1, "loops that read all bytes find the same"
    return found


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def peers(word, arrays, threads):
    """Functions of the libraries that are there, by name, that compute the same."""
    def function(text, **modules):
        return eval(f"lambda {', '.join(arrays)}: {text}", modules)

    numexpr, jax, torch = (optional(name) for name in LIBRARIES)
    found = {"numpy": functools.partial(function(PEERS[word], np=np), **arrays)}
    if numexpr and word in NUMEXPR:
        numexpr.set_num_threads(threads)
        found["numexpr"] = lambda: numexpr.evaluate(NUMEXPR[word], arrays)
    if jax:
        held = {name: jax.numpy.asarray(a) for name, a in arrays.items()}
        compiled = jax.jit(function(PEERS[word], np=jax.numpy))
        found["jax"] = lambda: compiled(**held).block_until_ready()
    if torch:
        torch.set_num_threads(threads)
        tensors = {name: torch.from_numpy(a) for name, a in arrays.items()}
        eager = function(TORCH.get(word, PEERS[word]), torch=torch)
        found["torch"] = functools.partial(eager, **tensors)
        found["torch.compile"] = functools.partial(torch.compile(eager, dynamic=False), **tensors)
    for run in found.values():
        run()
    return found


def arrays_of(case, megabytes):
    word, text, dtype, rest = case
    each = int(np.prod(rest)) * np.dtype(dtype).itemsize
    shape = (max(1, int(megabytes * (1 << 20)) // each), *rest)
    arrays = {name: (np.random.default_rng(1).random(shape, F) * 200).astype(dtype)
              for name in ("xy" if "y" in text.replace("any", "") else "x")}
    if word in ("softmax", "layernorm", "exp"):
        arrays["x"] /= 100
    return arrays


def measure(case, context, args):
    """What a result file says of a case: `ms` by name, and those of loops that read the bytes."""
    word, text, dtype, _ = case
    arrays = arrays_of(case, args.size)
    out = np.asarray(weft.evaluate(text, arrays, context=context))
    runs = {**readers(arrays), "Weft": lambda: weft.evaluate(text, arrays, context=context, out=out)}
    if word in ("softmax", "layernorm"):
        runs["exp"] = lambda: weft.evaluate("exp(x)", arrays, context=context, out=out)
    runs.update(peers(word, arrays, args.threads) if args.peers else {})
    times = machine.measure(list(runs.values()), args.seconds, own=True)
    ms = {name: seconds * 1e3 for name, seconds in zip(runs, times)}
    return {"case": word, "text": text, "dtype": np.dtype(dtype).name, "shape": list(arrays["x"].shape),
            "bytes": sum(a.nbytes for a in arrays.values()),
            "read_ms": {name: ms.pop(name) for name in READERS}, "ms": ms}


def show(entry):
    read, ms = entry["read_ms"], entry["ms"]
    fastest = min(read, key=read.get)
    others = "".join(f"  {name} {read['read'] / ms[name]:.2f}" for name in ms if name != "Weft")
    print(f"{entry['case']:10} {entry['dtype']}{entry['shape']}: {ms['Weft']:8.2f} ms "
          f"{entry['bytes'] / ms['Weft'] / 1e6:6.2f} GB/s, {read['read'] / ms['Weft']:.2f} of reading {others}   "
          f"[{entry['bytes'] / read['read'] / 1e6:.1f} GB/s; {fastest} {entry['bytes'] / read[fastest] / 1e6:.1f}, "
          f"of which Weft {read[fastest] / ms['Weft']:.2f}]", flush=True)


def show_behind(entries):
    for entry in entries:
        others = {name: ms for name, ms in entry["ms"].items() if name not in ("Weft", "exp")}
        best = min(others, key=others.get, default=None)
        if best and others[best] < entry["ms"]["Weft"]:
            print(f"behind: {entry['case']}, where {best} takes {others[best] / entry['ms']['Weft']:.2f} of the time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1, help="of each contender")
    parser.add_argument("--size", type=float, default=256, help="megabytes of each operand")
    parser.add_argument("--cases", nargs="+", default=[case[0] for case in CASES])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--save")
    args = parser.parse_args()
    if args.threads == 1:          # before JAX and PyTorch are there, whose threads then stay on it, too
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-1:])
    context = weft.Context(threads=args.threads)
    skipped = [name for name in LIBRARIES if args.peers and not optional(name)]
    for name in skipped:
        print(f"skipped: {name}, which is not installed")
    entries = []
    for case in CASES:
        if case[0] in args.cases:
            entries.append(measure(case, context, args))
            show(entries[-1])
    show_behind(entries)
    if args.save:
        machine.save(args.save, threads=args.threads, skipped=skipped, cases=entries)


if __name__ == "__main__":
    main()
