"""Does the order in memory cost anything? A text on the same elements in every order of memory:

    /usr/bin/python3 bench/kernels/orders.py [--build build] [--text TEXT] [--size b=8,y=512,x=512,v=3] [--like]
                                             [--positions] [--parts] [--least 0.8] [--dtype float32]
                                             [--orders bxyv,vxyb]

u has the dimensions of --size, declared in each of their orders and dense in it, so a text by names means the same in
all of them. The result is dense in the order of rule 8.5, or with --like in u's own order: an output with strides. With
--positions u is declared in the order of --size alone, and its strides differ; the text then goes by positions. All
orders have the same two buffers and take turns, and the best processor time counts. For each order come the time and
its share of the best order's speed; --parts adds the reduction and the subtraction by themselves, --orders takes some
orders alone. Orders that differ in
x and y alone count their elements otherwise (rule 8.12), so bits are compared among the others. It fails where a bit
differs, or where an order has less than --least of the best one's speed."""
import argparse
import itertools
import os
import pathlib
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

import numpy as np  # noqa: E402
from buffers import aligned, filled  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402

KINDS = {"b": "b", "v": "c", "c": "c"}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--text")
    parser.add_argument("--size", default="b=8,y=512,x=512,v=3")
    parser.add_argument("--like", action="store_true")
    parser.add_argument("--positions", action="store_true")
    parser.add_argument("--parts", action="store_true")
    parser.add_argument("--dtype", default="float32", help="of u, which the mean has, too")
    parser.add_argument("--orders", help="some of the orders alone")
    parser.add_argument("--least", type=float, default=0.0)
    parser.add_argument("--seconds", type=float, default=0.15, help="for each order")
    parser.add_argument("--disable", default="", help="fast paths that Weft goes without")
    parser.add_argument("--save")
    return parser.parse_args()


class Bench:
    def __init__(self, given):
        self.given, self.weft = given, library.Weft(given.build, disable=("first," + given.disable).strip(",").encode())
        self.sizes = {part.split("=")[0]: int(part.split("=")[1]) for part in given.size.split(",")}
        volume = int(np.prod(list(self.sizes.values())))
        self.dtype = np.dtype(given.dtype)
        self.source = filled(volume, self.dtype.type, np.random.default_rng(1))
        self.target = aligned(volume, self.dtype)
        self.values = self.source.reshape(list(self.sizes.values())).copy()
        self.reduced = [d for d in self.sizes if KINDS.get(d, "s") == "s"]

    def lie(self, buffer, names, order):
        """The buffer as a tensor of dimensions `names` that is dense in the order `order`."""
        memory = [d for d in order if d in names]
        dense = buffer[:int(np.prod([self.sizes[d] for d in memory]))].reshape([self.sizes[d] for d in memory])
        return dense.transpose([memory.index(d) for d in names])

    def fill(self, order):
        self.lie(self.source, list(self.sizes), order)[...] = self.values

    def texts(self):
        axes = [list(self.sizes).index(d) for d in self.reduced]
        whole = "u - mean(u, spatial)" if not self.given.positions else f"u - mean(u, axes={axes}, keepdims=true)"
        parts = [whole.split("- ")[1], "u - m"] if self.given.parts else []
        return [self.given.text or whole, *parts]

    def declared(self, names):
        return f"{self.dtype}(" + ", ".join(f"{d}:{KINDS.get(d, 's')}" for d in names) + ")"

    def case(self, text, order):
        """A function that computes the text, and its result's array."""
        positions = self.given.positions
        names = list(self.sizes) if positions else list(order)
        kept = [d for d in self.sizes if d not in self.reduced]
        inputs = {"u": self.lie(self.source, names, order)}
        types = {} if positions else {"u": self.declared(names)}
        if text == "u - m":
            shape = [self.sizes[d] if d in kept else 1 for d in self.sizes if d in kept or positions]
            inputs["m"] = aligned(int(np.prod(shape)), self.dtype).reshape(shape)
            types.update({} if positions else {"m": self.declared(kept)})
        program = self.weft.compile(text, types)
        shape, _ = self.weft.result(program, inputs)
        left = [d for d in names if d in kept] if "mean" == text[:4] and not positions else names
        kinds = {d: "bisc".index(KINDS.get(d, "s")) for d in names}
        result = left if positions or left is not names else sorted(names, key=kinds.get)
        out = self.target[:int(np.prod(shape))].reshape(shape)
        if self.given.like and out.size == self.target.size:
            out = self.lie(self.target, result, order)
        run, params = self.weft.bound(program, inputs, out)
        self.weft.prepare(program, params)
        return run, out

    def bits(self, run, out, order, found):
        """Compares an order's result with that of an order that counts its elements alike."""
        alike = "" if self.given.positions else "".join(d for d in order if d in self.reduced)
        self.fill(order)
        self.target[...] = 0
        run()
        got = out.tobytes()
        if found.setdefault((out.shape, alike), got) != got:
            sys.exit(f"{''.join(order)}: its result has other bits")


def main():
    given = options()
    bench = Bench(given)
    orders = [tuple(o) for o in given.orders.split(",")] if given.orders else list(itertools.permutations(bench.sizes))
    texts, found = bench.texts(), {}
    cases = [[bench.case(text, order) for text in texts] for order in orders]
    for order, case in zip(orders, cases):
        bench.bits(*case[0], order, found)
    flat = [run for case in cases for run, _ in case]
    times = machine.measure(flat, given.seconds, least=1e-4, own=True, clock=time.process_time)
    rows = [times[i:i + len(texts)] for i in range(0, len(times), len(texts))]
    best, low = [min(column) for column in zip(*rows)], 0
    print(machine.name(), f"1 thread: {texts[0]}, {given.size}, {'strided' if given.like else 'dense'} results")
    for order, row in sorted(zip(orders, rows), key=lambda pair: pair[1][0]):
        low += best[0] / row[0] < given.least
        print("".join(order), "".join(f"  {t * 1e3:8.3f} ms {b / t:5.2f}" for t, b in zip(row, best)), flush=True)
    if given.save:
        machine.save(given.save, threads=1, text=texts[0], size=given.size, like=given.like,
                     cases=[{"order": "".join(o), "ms": row[0] * 1e3, "of_best": best[0] / row[0]}
                            for o, row in zip(orders, rows)])
    return low > 0


if __name__ == "__main__":
    sys.exit(main())
