"""Random programs of selections, rearrangements, reshapes and broadcasting against NumPy, bit by bit, through the
Python package.

    WEFT_CC=libtcc against_numpy.py [--seed 0] [--count 1000] [--relatives 1] [--jobs 1] [--print]

A program is built beside its value: each step takes a text and an array, and gives another of both. So NumPy computes
what language.md calls exact, of small arrays (test_stream.c has large ones): what only moves elements, of all thirteen
types (bfloat16 stands in two bytes, by reinterpret), and + - * & | ^ ~ < where min max and widening casts, where
operands have one type already. --relatives: so many seeds in a row make the same steps with other extents and
positions, and mostly share kernels. A program that fails is told by its smallest part that fails, its inputs and its
seed."""
import argparse
import collections
import multiprocessing
import os
import random
import re
import sys
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import numpy as np  # noqa: E402
import sample       # noqa: E402
import weft         # noqa: E402

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64"]
WIDER = {"bool": ["uint8", "int8", "float32"], "int8": ["int16", "int64", "float16", "float32"],
         "uint8": ["uint16", "int16", "int32", "float32"], "int16": ["int32", "float32"],
         "uint16": ["uint32", "int64", "float64"], "int32": ["int64", "float64"],
         "uint32": ["uint64", "int64", "float64"], "float16": ["float32", "float64"], "float32": ["float64"]}
LARGEST = 20000     # elements of a value
POOL = {}           # bits to take inputs from


def pool(dtype):
    """Any bits, with small and extreme values among them."""
    if dtype not in POOL:
        rng = np.random.default_rng(len(dtype))
        plain = np.dtype("uint16" if dtype == "bfloat16" else dtype)
        if dtype == "bool":
            POOL[dtype] = rng.random(1 << 15) < 0.5
        elif plain.kind == "f":
            x = rng.standard_normal(1 << 15) * rng.choice([1e-3, 1, 50], 1 << 15)
            x[::61] = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], len(x[::61]))
            POOL[dtype] = x.astype(plain)
        else:
            info, x = np.iinfo(plain), rng.integers(-9 if plain.kind == "i" else 0, 10, 1 << 15)
            x = x.astype(plain)
            x[::3] = rng.integers(info.min, info.max, len(x[::3]), plain, True)
            POOL[dtype] = x
    return POOL[dtype]


Value = collections.namedtuple("Value", "text array dtype")  # what NumPy has for the text, the type by Weft's name


def texts(values):
    return ", ".join(v.text for v in values)


class Program:
    """One random program. `form` chooses the steps, `detail` the numbers in them."""

    def __init__(self, seed, relatives):
        self.form, self.detail = random.Random(seed // relatives), random.Random(f"detail {seed}")
        self.inputs = {}
        self.zeros = self.form.random() < 0.06
        self.large = self.form.random() < 0.08
        self.blocks = self.form.random() < 0.05
        self.types = self.form.choices(TYPES, k=2)
        self.steps = self.form.choice([1, 2, 3, 5, 8, 13])

    # Leaves.

    def extent(self):
        if self.blocks and self.detail.random() < 0.3:
            return self.detail.choice([63, 64, 65, 100, 257])
        if self.zeros and self.detail.random() < 0.2:
            return 0
        return self.detail.choice([1, 2, 2, 3, 3, 4, 5, 7, *[33, 300] * self.large])

    def shape(self):
        rank = self.form.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6])
        ones = [self.form.random() < 0.12 for _ in range(rank)]
        shape = [1 if one else self.extent() for one in ones]
        while np.prod(shape, dtype=np.int64) > LARGEST:
            shape[shape.index(max(shape))] = 2
        return tuple(shape)

    def leaf(self, shape=None, dtype=None):
        shape = self.shape() if shape is None else shape
        dtype = dtype or self.form.choice(self.types)
        name, count = f"v{len(self.inputs)}", int(np.prod(shape, dtype=np.int64))
        start = self.detail.randrange(2000)
        x = np.resize(pool(dtype)[start:start + count], shape) if count else np.zeros(shape, pool(dtype).dtype)
        how = self.form.choice(["dense"] * 5 + ["turned", "backwards", "apart"])
        if how == "turned" and x.ndim:
            x = np.ascontiguousarray(x.T).T
        elif how == "backwards" and x.ndim:
            turn = (slice(None, None, -1),) * x.ndim
            x = np.ascontiguousarray(x[turn])[turn]
        elif how == "apart" and x.ndim:
            wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
            wide[..., ::2] = x
            x = wide[..., ::2]
        self.inputs[name] = x
        return Value(f"reinterpret({name}, bfloat16)" if dtype == "bfloat16" else name, x, dtype)

    # Steps: each takes a value and gives one, or None where it does not apply.

    def number(self, n):
        """A position near 0 to n, from either side."""
        return self.detail.randint(-n - 2, n + 2)

    def select(self, v):
        x, items, index = v.array, [], []
        for n in x.shape[:self.form.choice([x.ndim, x.ndim, max(0, x.ndim - 1)])]:
            kind = self.form.choice(["integer", "slice", "slice", "all"])
            if kind == "integer" and n:
                index.append(self.detail.randrange(-n, n))
                items.append(str(index[-1]))
            elif kind == "slice":
                ends = [self.number(n) if self.form.random() < 0.6 else None for _ in range(2)]
                step = self.form.choice([None, None, -1, 2, -2, 3])
                index.append(slice(*ends, step))
                items.append(":".join("" if k is None else str(k) for k in ends) + ("" if step is None else f":{step}"))
                if items[-1] == "":
                    items[-1] = ":"
                elif ":" not in items[-1]:
                    items[-1] += ":"
            else:
                index.append(slice(None))
                items.append(":")
        if self.form.random() < 0.3:
            at = self.form.randint(0, len(items))
            word = self.form.choice(["None", "newaxis"])
            items.insert(at, word)
            index.insert(at, None)
        if self.form.random() < 0.25:
            at = self.form.randint(0, len(items))   # dimensions behind it count from the end
            behind = sum(i is not None for i in index[at:])
            given = sum(i is not None for i in index)
            if given == x.ndim or behind == 0:
                items.insert(at, "...")
                index.insert(at, Ellipsis)
        if not items or x.ndim == 0 and "..." not in items and "None" not in items and "newaxis" not in items:
            return None
        return f"{v.text}[{', '.join(items)}]", x[tuple(index)]

    def positions(self, v):
        d = self.form.randrange(v.array.ndim) if v.array.ndim else 0
        if not v.array.ndim or not v.array.shape[d]:
            return None
        n = v.array.shape[d]
        chosen = [self.detail.randrange(-n, n) for _ in range(self.form.choice([1, 2, 3, 5]))]
        return f"{v.text}[{':, ' * d}{chosen}]", np.take(v.array, chosen, d)

    def axis(self, v, more=0):
        """A dimension and how it is written."""
        rank = v.array.ndim + more
        if not rank:
            return None, None
        d = self.form.randrange(rank)
        return d, self.form.choice([d, d - rank])

    def transpose(self, v):
        perm = list(range(v.array.ndim))
        self.form.shuffle(perm)
        if self.form.random() < 0.3:
            return f"transpose({v.text})", v.array.T
        written = [self.form.choice([p, p - v.array.ndim]) for p in perm]
        return f"transpose({v.text}, {written})", np.transpose(v.array, perm)

    def flip(self, v):
        axes = [d for d in range(v.array.ndim) if self.form.random() < 0.5]
        if self.form.random() < 0.3:
            return f"flip({v.text})", np.flip(v.array)
        return f"flip({v.text}, {axes})", np.flip(v.array, axes)

    def roll(self, v):
        d, written = self.axis(v)
        if d is None:
            return None
        shift = self.number(v.array.shape[d] * 2)
        return f"roll({v.text}, {shift}, {written})", np.roll(v.array, shift, d)

    def fits(self, shape):
        return np.prod(shape, dtype=np.int64) <= LARGEST and len(shape) <= 9

    def broadcast_to(self, v):
        shape = [self.extent() for _ in range(self.form.choice([0, 0, 1]))]
        shape += [self.extent() if n == 1 and self.form.random() < 0.7 else n for n in v.array.shape]
        if not shape or not self.fits(shape):
            return None
        return f"broadcast_to({v.text}, {shape})", np.broadcast_to(v.array, shape)

    def tile(self, v):
        counts = [self.detail.choice([1, 2, 3]) for _ in range(self.form.randint(1, max(1, v.array.ndim + 1)))]
        if np.prod(counts) * v.array.size > LARGEST or v.array.ndim > 7:
            return None
        return f"tile({v.text}, {counts})", np.tile(v.array, counts)

    def repeat(self, v):
        d, written = self.axis(v)
        n = self.detail.randint(0 if self.zeros else 1, 3)
        if d is None or v.array.size * n > LARGEST:
            return None
        return f"repeat({v.text}, {n}, {written})", np.repeat(v.array, n, d)

    def beside(self, v, shape):
        """Another value of this type and shape: a new input, or the first one otherwise."""
        if shape == v.array.shape and self.form.random() < 0.4:
            return self.form.choice([v, Value(f"flip({v.text})", np.flip(v.array), v.dtype)])
        return self.leaf(shape, v.dtype)

    def concat(self, v):
        d, written = self.axis(v)
        if d is None or v.array.size * 2 > LARGEST:
            return None
        values = [v]
        for _ in range(self.form.choice([1, 1, 2])):
            n = v.array.shape[d] if self.form.random() < 0.4 else self.extent()
            shape = (*v.array.shape[:d], n, *v.array.shape[d + 1:])
            if not self.fits(shape):
                return None
            values.insert(self.form.randint(0, len(values)), self.beside(v, shape))
        return f"concat({texts(values)}, axis={written})", np.concatenate([o.array for o in values], d)

    def stack(self, v):
        if v.array.size * 3 > LARGEST or v.array.ndim > 7:
            return None
        d, written = self.axis(v, 1)
        values = [v] + [self.beside(v, v.array.shape) for _ in range(self.form.choice([1, 2]))]
        return f"stack({texts(values)}, axis={written})", np.stack([o.array for o in values], d)

    def take(self, v):
        d, written = self.axis(v)
        if d is None:
            return None
        n, shape = v.array.shape[d], [self.detail.randint(1, 4) for _ in range(self.form.choice([0, 1, 1, 2]))]
        if v.array.size // max(1, n) * np.prod(shape, dtype=np.int64) > LARGEST or v.array.ndim > 6:
            return None
        outside = not n or self.form.random() < 0.2
        at = [self.number(n) if outside else self.detail.randrange(-n, n)
              for _ in range(int(np.prod(shape, dtype=np.int64)))]
        at = np.array(at, self.form.choice(["int64", "int32", "int8" if n < 120 else "int16"])).reshape(shape)
        name = f"v{len(self.inputs)}"
        self.inputs[name] = at
        good = (at >= -n) & (at < n)
        if n:
            found = np.take(v.array, np.where(good, at, 0), d)
        else:
            found = np.zeros((*v.array.shape[:d], *shape, *v.array.shape[d + 1:]), v.array.dtype)
        mask = good.reshape([1] * d + [*good.shape] + [1] * (v.array.ndim - d - 1))
        return f"take({v.text}, {name}, axis={written})", np.where(mask, found, np.zeros((), found.dtype))

    def reshape(self, v):
        left, shape = v.array.size, []
        if left == 0:
            shape = [0] + [self.extent() for _ in range(self.form.randint(0, 3))]
            self.detail.shuffle(shape)
            return f"reshape({v.text}, {shape})", v.array.reshape(shape)
        for _ in range(self.form.randint(0, 4)):
            n = self.detail.choice([k for k in range(1, min(left, 64) + 1) if left % k == 0])
            shape.append(n)
            left //= n
        shape.insert(self.detail.randint(0, len(shape)), left)
        written = list(shape)
        if self.form.random() < 0.4:
            written[self.detail.randrange(len(shape))] = -1
        return f"reshape({v.text}, {written})", np.ascontiguousarray(v.array).reshape(shape)

    def dimensions(self, v):
        ones = [d for d, n in enumerate(v.array.shape) if n == 1]
        if ones and self.form.random() < 0.6:
            axes = self.form.sample(ones, self.form.randint(1, len(ones)))
            return f"squeeze({v.text}, axes={axes})", np.squeeze(v.array, tuple(axes))
        d = self.form.randint(0, v.array.ndim)
        return (f"expand_dims({v.text}, axes=[{d}])", np.expand_dims(v.array, d)) if v.array.ndim < 8 else None

    def other(self, v):
        """An operand that broadcasts with v."""
        shape = [1 if self.form.random() < 0.25 else n for n in v.array.shape]
        return self.leaf(tuple(shape[self.form.choice([0, 0, self.form.randint(0, len(shape))]):]), v.dtype)

    def binary(self, v):
        x, kind = v.array, v.array.dtype.kind
        if v.dtype == "bfloat16":
            return None
        o = self.other(v)
        ways = [("{} < {}", np.less, "bool"), ("{} == {}", np.equal, "bool")]
        if kind in "biu":
            ways += [("{} & {}", np.bitwise_and, v.dtype), ("{} | {}", np.bitwise_or, v.dtype),
                     ("{} ^ {}", np.bitwise_xor, v.dtype)]
        if kind in "iuf":
            ways += [("{} + {}", np.add, v.dtype), ("{} - {}", np.subtract, v.dtype),
                     ("{} * {}", np.multiply, v.dtype)] * 2
        if kind in "iu":
            ways += [("min({}, {})", np.minimum, v.dtype), ("max({}, {})", np.maximum, v.dtype)]
        text, function, dtype = self.form.choice(ways)
        a, b = (v, o) if self.form.random() < 0.5 else (o, v)
        with np.errstate(all="ignore"):
            found = np.asarray(function(a.array, b.array))
        return "(" + text.format(a.text, b.text) + ")", found, dtype

    def unary(self, v):
        kind = v.array.dtype.kind
        if v.dtype == "bfloat16":
            return None
        if kind == "b":
            return f"(~{v.text})", ~v.array
        if kind == "f" or self.form.random() < 0.5:
            with np.errstate(all="ignore"):
                return f"(-{v.text})", np.asarray(np.negative(v.array))
        return f"(~{v.text})", np.asarray(np.invert(v.array))

    def cast(self, v):
        if v.dtype not in WIDER:
            return None
        dtype = self.form.choice(WIDER[v.dtype])
        return f"{dtype}({v.text})", v.array.astype(dtype), dtype

    def where(self, v):
        o = self.other(v)
        shape = [1 if self.form.random() < 0.25 else n for n in v.array.shape]
        c = self.leaf(tuple(shape), "bool")
        a, b = (v, o) if self.form.random() < 0.5 else (o, v)
        return f"where({c.text}, {a.text}, {b.text})", np.where(c.array, a.array, b.array)

    def index(self, v):
        d, written = self.axis(v)
        if d is None:
            return None
        shape = [1] * v.array.ndim
        shape[d] = v.array.shape[d]
        dtype = self.form.choice(["int32", "int32", "int64"])
        found = np.arange(shape[d], dtype=dtype).reshape(shape)
        return f"index({v.text}, {written}{', dtype=int64' * (dtype == 'int64')})", found, dtype

    STEPS = [("select", 8), ("positions", 2), ("transpose", 4), ("flip", 2), ("roll", 2), ("broadcast_to", 2),
             ("tile", 2), ("repeat", 2), ("concat", 4), ("stack", 2), ("take", 2), ("reshape", 3), ("dimensions", 2),
             ("binary", 4), ("unary", 1), ("cast", 1), ("where", 2), ("index", 0.3)]

    def build(self):
        names, weights = zip(*self.STEPS)
        values = [self.leaf()]
        for _ in range(self.steps):
            v = values[-1]
            found = getattr(self, self.form.choices(names, weights)[0])(v)
            if found is not None and len(found[0]) < 20000:
                values.append(Value(*found) if len(found) == 3 else Value(*found, v.dtype))
        return values


def result(v):
    return f"reinterpret({v.text}, uint16)" if v.dtype == "bfloat16" else v.text


def unlike(v, found):
    """Where bits differ; a NaN's sign and payload are free."""
    bits = [np.ascontiguousarray(x).view(f"u{x.itemsize}").reshape(x.shape) for x in (found, v.array)]
    if v.dtype == "bfloat16":
        nan = [x & 0x7fff > 0x7f80 for x in bits]
    else:
        nan = [x != x for x in (found, v.array)]
    return (bits[0] != bits[1]) & ~(nan[0] & nan[1])


def difference(v, inputs):
    """What is wrong with a value, or None."""
    used = {name: inputs[name] for name in re.findall(r"\bv\d+", v.text)}
    try:
        found = np.asarray(weft.evaluate(result(v), used))
    except Exception as error:  # noqa: BLE001 whatever it is, the program is right
        return f"{type(error).__name__}: {error}"
    if (found.dtype, found.shape) != (v.array.dtype, v.array.shape):
        return f"{found.dtype}{list(found.shape)}, expected {v.array.dtype}{list(v.array.shape)}"
    where = np.argwhere(unlike(v, found))
    return f"{len(where)} elements are unlike, at {where[:3].tolist()}" if len(where) else None


def check(seed, relatives, shown=False):
    """None, or what is wrong with the program of a seed: its smallest part that fails."""
    program = Program(seed, relatives)
    values = program.build()
    if shown:
        print(f"{seed}: {result(values[-1])}", {name: (x.dtype.name, x.shape) for name, x in program.inputs.items()})
    if difference(values[-1], program.inputs) is None:
        return None
    for v in values:
        wrong = difference(v, program.inputs)
        if wrong:
            break
    inputs = {name: f"{x.dtype.name}{list(x.shape)} strides {x.strides}" for name, x in program.inputs.items()
              if re.search(rf"\b{name}\b", v.text)}
    return f"seed {seed} of {relatives} relatives: {result(v)}\n  {inputs}\n  {wrong or 'right when it ran again'}"


def some(arguments):
    """One process's part: how many failed."""
    first, count, relatives, shown = arguments
    failed = 0
    for seed in range(first, first + count):
        wrong = check(seed, relatives, shown)
        if wrong:
            failed += 1
            print(wrong, flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", default="1000", help="or quick/again/usual/full")
    parser.add_argument("--relatives", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    count, chunk = sample.number(options.count), 16 * options.relatives
    parts = [(options.seed + at, min(chunk, count - at), options.relatives, options.print)
             for at in range(0, count, chunk)]
    with multiprocessing.get_context("fork").Pool(options.jobs) as pool_of_jobs:
        failed = sum(pool_of_jobs.imap_unordered(some, parts))
    print(f"{count} programs from seed {options.seed} against NumPy {np.__version__}: {failed} failed")
    return failed > 0


if __name__ == "__main__":
    warnings.simplefilter("ignore", weft.Remark)
    sys.exit(main())
