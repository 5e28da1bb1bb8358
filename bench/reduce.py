"""Reductions against the time of reading the bytes, and beside NumPy, numexpr, JAX and PyTorch (eager and compiled) where
they are there:

    WEFT_DISABLE=first /usr/bin/python3 bench/reduce.py [--size 256] [--cases sum mean] [--threads 1] [--peers]

A Python that has them: `python3 -m venv --system-site-packages build/peers`, `build/peers/bin/pip install numexpr jax torch`.
Reading is a loop in C that joins loads of 64 bytes by XOR, on one thread. Each figure is the best of several, taken in
turns, as a share of the speed of reading. --size is the number of megabytes of an operand; rows keep their length, and
the outermost extent changes. softmax and layernorm are beside exp of the same array: below 1 they take longer."""
import argparse
import ctypes
import importlib
import os
import subprocess
import tempfile
import time

import numpy as np

import weft

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
         ("any", "any(x < 0)", F, (4096,)), ("std", "std(x)", F, (4096,)), ("stdrows", "std(x, axis=1)", F, (4096,)),
         ("softmax", "softmax(x)", F, (1000,)), ("layernorm", LAYERNORM, F, (1000,)), ("exp", "exp(x)", F, (1000,))]
# What NumPy, JAX (both as np) and PyTorch compute; and where PyTorch has other words, those
PEERS = {"sum": "x.sum()", "mean": "x.mean()", "mse": "((x - y) ** 2).mean()", "rows": "x.sum(1)", "columns": "x.sum(0)",
         "narrow": "x.sum(0)", "short": "x.sum(1)", "middle": "x.sum(1)", "floats3": "x.mean((0, 1, 2))",
         "channels": "x.mean((0, 1, 2), dtype=np.float32)", "inner3": "x.mean(-1, dtype=np.float32)",
         "norm3": "np.linalg.norm(x, axis=-1)", "dot3": "(x * y).sum(-1)", "max": "x.max()", "maxrows": "x.max(1)",
         "maxbytes": "x.max()", "argmax": "x.argmax(1)", "argall": "x.argmax()", "any": "(x < 0).any()", "std": "x.std()",
         "stdrows": "x.std(1)", "bytes": "x.sum()", "exp": "np.exp(x)",
         "softmax": "(lambda e: e / e.sum(1, keepdims=True))(np.exp(x - x.max(1, keepdims=True)))",
         "layernorm": "(lambda d: d / np.sqrt((d * d).mean(1, keepdims=True) + 1e-5))(x - x.mean(1, keepdims=True))"}
TORCH = {"maxrows": "x.amax(1)", "std": "x.std(correction=0)", "stdrows": "x.std(1, correction=0)", "exp": "x.exp()",
         "channels": "x.float().mean((0, 1, 2))", "inner3": "x.float().mean(-1)", "norm3": "torch.linalg.norm(x, dim=-1)",
         "softmax": "torch.softmax(x, 1)", "layernorm": "torch.nn.functional.layer_norm(x, (1000,))"}
NUMEXPR = {"sum": "sum(x)", "mse": "sum((x - y) ** 2)", "rows": "sum(x, axis=1)", "columns": "sum(x, axis=0)",
           "narrow": "sum(x, axis=0)", "short": "sum(x, axis=1)", "max": "max(x)", "maxrows": "max(x, axis=1)",
           "exp": "exp(x)"}
READ = """#include <stddef.h>
typedef unsigned long long line __attribute__((vector_size(64), aligned(1)));
unsigned long long read_all(const char *x, size_t n)
{
    line a = {0}, b = a, c = a, d = a;
    for (size_t i = 0; i + 256 <= n; i += 256)
        a ^= *(const line *)(x + i), b ^= *(const line *)(x + i + 64), c ^= *(const line *)(x + i + 128),
            d ^= *(const line *)(x + i + 192);
    a ^= b ^ c ^ d;
    return a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}
"""


def reader():
    with tempfile.TemporaryDirectory() as folder:
        open(folder + "/read.c", "w").write(READ)
        subprocess.run(["cc", "-O2", "-march=native", "-shared", "-fPIC", folder + "/read.c", "-o", folder + "/read.so"],
                       check=True)
        library = ctypes.CDLL(folder + "/read.so")
    library.read_all.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return lambda a: library.read_all(a.ctypes.data, a.nbytes)


def turns(runs, seconds):
    """The best time of each, in turns."""
    best, end = [float("inf")] * len(runs), time.perf_counter() + seconds
    count = 0
    while count < 3 or time.perf_counter() < end:
        for i, run in enumerate(runs):
            start = time.perf_counter()
            run()
            best[i] = min(best[i], time.perf_counter() - start)
        count += 1
    return best


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def peers(word, arrays, threads):
    """Functions of the libraries that are there, by name, that compute the same."""
    text, found = PEERS[word], {}
    found["numpy"] = lambda: eval(text, {"np": np, **arrays})
    numexpr, jax, torch = (optional(name) for name in LIBRARIES)
    if numexpr and word in NUMEXPR:
        numexpr.set_num_threads(threads)
        found["numexpr"] = lambda: numexpr.evaluate(NUMEXPR[word], arrays)
    if jax:
        held = {name: jax.numpy.asarray(a) for name, a in arrays.items()}
        compiled = jax.jit(lambda **held: eval(text, {"np": jax.numpy, **held}))
        found["jax"] = lambda: compiled(**held).block_until_ready()
    if torch:
        torch.set_num_threads(threads)
        tensors = {name: torch.from_numpy(a) for name, a in arrays.items()}
        eager = lambda tensors: eval(TORCH.get(word, text), {"torch": torch, **tensors})
        compiled_torch = torch.compile(eager, dynamic=False)
        found["torch"] = lambda: eager(tensors)
        found["torch.compile"] = lambda: compiled_torch(tensors)
    for run in found.values():
        run()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--size", type=float, default=256, help="megabytes of each operand")
    parser.add_argument("--cases", nargs="+", default=[case[0] for case in CASES])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peers", action="store_true")
    args = parser.parse_args()
    context, read = weft.Context(threads=args.threads), reader()
    if args.threads == 1:          # before JAX is there
        os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")
    for name in LIBRARIES if args.peers else ():
        if not optional(name):
            print(f"skipped: {name}, which is not installed")
    for word, text, dtype, rest in CASES:
        if word not in args.cases:
            continue
        each = int(np.prod(rest)) * np.dtype(dtype).itemsize
        shape = (max(1, int(args.size * (1 << 20)) // each), *rest)
        arrays = {name: (np.random.default_rng(1).random(shape, F) * 200).astype(dtype)
                  for name in ("xy" if "y" in text.replace("any", "") else "x")}
        if word in ("softmax", "layernorm", "exp"):
            arrays["x"] /= 100
        out = np.asarray(weft.evaluate(text, arrays, context=context))
        runs = {"read": lambda: [read(a) for a in arrays.values()],
                "weft": lambda: weft.evaluate(text, arrays, context=context, out=out)}
        if word in ("softmax", "layernorm"):
            runs["exp"] = lambda: weft.evaluate("exp(x)", arrays, context=context, out=out)
        runs.update(peers(word, arrays, args.threads) if args.peers else {})
        best = dict(zip(runs, turns(list(runs.values()), args.seconds)))
        size = sum(a.nbytes for a in arrays.values())
        others = "".join(f"  {name} {best['read'] / best[name]:.2f}" for name in best if name not in ("read", "weft"))
        print(f"{word:10} {np.dtype(dtype).name}{list(shape)}: {best['weft'] * 1e3:8.2f} ms "
              f"{size / best['weft'] / 1e9:6.2f} GB/s, {best['read'] / best['weft']:.2f} of reading {others}", flush=True)


if __name__ == "__main__":
    main()
