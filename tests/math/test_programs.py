"""Random programs of weft.math against eager.py: every operation of docs/named.md part B on tensors of random
dimensions and types, in precisions of 16, 32 and 64 bits, with values needed at random moments and the rest evaluated
together. Each step is written for both; shapes, types and errors are compared where it is written, values bit by bit
(a NaN's bits are free).

WEFT_SEED=17 WEFT_COUNT=1 repeats one program; WEFT_COUNT is how many there are. One that fails is shown by its smallest
part that fails."""
import os
import random
import sys
import unittest
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import eager   # noqa: E402
import sample  # noqa: E402
import weft    # noqa: E402
from weft import math  # noqa: E402

NAMES = {
    "b": "batch",
    "case": "batch",
    "i": "instance",
    "points": "instance",
    "x": "spatial",
    "y": "spatial",
    "z": "spatial",
    "c": "channel",
    "vector": "channel",
}
DTYPES = [
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
]
ERRORS = [math.IncompatibleShapes, eager.IncompatibleShapes, IndexError, TypeError, ValueError]
LARGEST = 1500  # elements of a value


class Failure(Exception):
    """Where the two differ."""


class Statement:
    """A name for what a text gives, None for values that are needed; the text says %s for a name."""

    def __init__(self, name, text, bits, uses):
        self.name, self.text, self.bits, self.uses = name, text, bits, uses

    def __str__(self):
        text = self.text if self.name is None else f"{self.name} = {self.text}"
        return text if self.bits == 32 else f"with math.precision({self.bits}): {text}"


# Both at once.

def kind_of(error):
    return next((kind.__name__ for kind in ERRORS if isinstance(error, kind)), type(error).__name__)


def outcome(text, values, precision, bits):
    try:
        with precision(bits), np.errstate(all="ignore"):
            return eval(text, values), None
    except (ValueError, TypeError, IndexError, weft.Error) as error:
        return None, error


def shape_of(dims):
    return math.concat_shapes(*[getattr(math, d.kind)(**{d.name: d.labels if d.labels and len(d.labels) else d.size})
                                for d in dims])


def given(t):
    """A tensor of weft.math of what eager.py has."""
    if t.parts is not None:
        return math.stack([given(part) for part in t.parts], shape_of([t.dim(t.along_name)]))
    return math.wrap(t.a, shape_of(t.dims)) if t.dims else math.wrap(t.a[()])


def judge(name, operands, arguments):
    """What weft.math gives where the contract leaves it to a target."""
    tensors = [given(t) for t in operands]
    with math.precision(eager._precision[-1]):
        if name == "**":
            made = tensors[0] ** tensors[1]
        else:
            made = getattr(math, name)(*tensors, *[theirs(each) for each in arguments])
    return made.numpy(made.shape)


def theirs(value):
    if not isinstance(value, eager.Outside):
        return value
    if value.sides:
        return math.extrapolation.combine_sides(**{name: tuple(theirs(eager.Outside(m)) for m in pair)
                                                   for name, pair in value.sides.items()})
    words = {"edge": "BOUNDARY", "wrap": "PERIODIC", "symmetric": "SYMMETRIC", "reflect": "REFLECT", "none": "NONE"}
    return getattr(math.extrapolation, words[value.mode]) if isinstance(value.mode, str) else value.mode


def described(t):
    """Names, kinds, sizes and labels; the type."""
    if isinstance(t, eager.Tensor):
        return [tuple(d) for d in t.dims], t.dtype.name
    sizes = [size if isinstance(size, int) else tuple(size) for size in t.shape.sizes]
    return list(zip(t.shape.names, t.shape.types, sizes, t.shape.item_names)), repr(t.dtype).replace("bool8", "bool")


def alike(a, b):
    """The same bits, but for a NaN's."""
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "f":
        return bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())
    return bool((a == b).all())


class Run:
    """A program, step by step, in NumPy and in a backend."""

    def __init__(self, arrays, backend, seed):
        self.arrays, self.backend, self.seed = arrays, backend, seed
        self.statements, self.left, self.right = [], dict(eager.NAMES), vars(math).copy()
        self.left.update(arrays, math=Module(eager.NAMES), np=np, nan=np.nan, inf=np.inf)
        self.right.update(arrays, math=math, np=np, nan=np.nan, inf=np.inf)
        self.names, self.errors = [], 0
        eager.seed(seed)
        math.seed(seed)

    def step(self, s):
        """Takes a statement; whether it was taken."""
        try:
            if not all(name in self.left for name in s.uses):
                return False
            want, expected = outcome(s.text, self.left, eager.precision, s.bits)
        except NotImplementedError:
            return False
        except eager.Wrong as wrong:
            self.statements.append(s)
            raise Failure(str(wrong)) from None
        except Exception as error:
            raise RuntimeError(f"{self}\n{s}") from error
        if isinstance(want, eager.Tensor) and (want.volume > LARGEST or len(want.dims) > 6):
            return False
        self.statements.append(s)
        with self.backend:
            got, error = outcome(s.text, self.right, math.precision, s.bits)
            if isinstance(expected, eager.Late):
                if error is None:
                    _, error = outcome("math.evaluate(got)", {"math": math, "got": got}, math.precision, 32)
                if kind_of(error) != "IndexError":
                    raise Failure(f"{s.text}: an IndexError is due, and there is {error!r}")
                self.errors += 1
                return True
        if kind_of(expected) != kind_of(error):
            raise Failure(f"{s.text}: expected {expected!r}, and there is {error!r}")
        if expected is not None:
            self.errors += 1
            return True
        if s.name is None:
            self.compare(s.text, want, got)
            return True
        if described(want) != described(got):
            raise Failure(f"{s.text} is {described(got)}, not {described(want)}")
        if not any(isinstance(size, tuple) for size in want.sizes) and want.parts is not None:
            raise RuntimeError("parts of one size")
        self.left[s.name], self.right[s.name] = want, got
        self.names.append(s.name)
        return True

    def compare(self, text, want, got):
        if isinstance(want, eager.Tensor):
            if want.parts is None:
                return self.compare(text, want.a, got.numpy(got.shape))
            parts = got[{want.along_name: slice(None)}]
            for i, part in enumerate(want.parts):
                one = parts[{want.along_name: i}]
                one = [name for name in part.names], one
                self.compare(f"{text}, part {i}", part.numpy(",".join(part.names)), one[1].numpy(",".join(part.names)))
        elif isinstance(want, tuple):
            for a, b in zip(want, got):
                self.compare(text, a, b)
        elif not alike(want, got) and not isinstance(want, str):
            raise Failure(f"{text} is\n{np.asarray(got)!r}, not\n{np.asarray(want)!r}")

    def finish(self, pick):
        """Some values together, then the rest."""
        some = pick.sample(self.names, pick.randint(0, len(self.names)))
        try:
            math.evaluate(*[self.right[name] for name in some])
            for name in some + self.names:
                self.compare(name, self.left[name], self.right[name])
                home = self.right[name].default_backend
                apart = self.right[name]._home is None or self.left[name].parts is not None  # numbers are anywhere
                if self.backend is not math.backend.NUMPY and home is not self.backend and not apart:
                    raise Failure(f"{name} is in {home}")
        except Failure:
            raise
        except Exception as error:
            raise Failure(f"the values: {error!r}") from error

    def __str__(self):
        used = " ".join(s.text for s in self.statements)
        lines = [f"{name} = np.array({array.tolist()}, '{array.dtype}').reshape({array.shape})"
                 for name, array in self.arrays.items() if name in used]
        return "\n".join([f"math.seed({self.seed})", *lines, *map(str, self.statements)])


class Module:
    def __init__(self, names):
        self.__dict__.update(names)


def shrunk(failed, statements, order):
    """The smallest part that fails, and how."""
    def attempt(some):
        run = Run(failed.arrays, failed.backend, failed.seed)
        try:
            for s in some:
                run.step(s)
            run.finish(random.Random(order))
        except Failure as failure:
            return run, failure
        return None, None
    run, failure = attempt(statements)
    if run is None:
        return failed, Failure("it does not fail again")
    statements, at = list(run.statements), len(run.statements) - 1
    while at >= 0:
        fewer = statements[:at] + statements[at + 1:]
        smaller, its = attempt(fewer)
        if smaller is not None:
            run, failure, statements = smaller, its, list(smaller.statements)
            at = min(at, len(statements))
        at -= 1
    return run, failure


# Making programs.

def quoted(names):
    return repr(",".join(names))


def shape_text(dims):
    return " , ".join(f"{d.kind}({d.name}={','.join(d.labels)!r})" if d.labels else f"{d.kind}({d.name}={d.size})"
                      for d in dims)


MODES = ["BOUNDARY", "PERIODIC", "SYMMETRIC", "REFLECT", "ZERO", "ONE"]
FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh "
    "cbrt erf sqrt rsqrt sqrt rsqrt abs sign floor ceil round trunc isnan isinf isfinite"
).split()
REDUCTIONS = "sum prod mean std min max any all".split()


class Maker:
    """A program that grows."""

    def __init__(self, seed, backend):
        self.pick, self.rng = random.Random(seed), np.random.default_rng(seed)
        self.run = Run({}, backend, seed % 1000)
        self.met, self.backend, self.count = set(), backend, 0
        zeros = [0] if self.pick.random() < 0.1 else []
        self.sizes = {name: self.pick.choice([1, 1, 2, 2, 3, 3, 4, 5, *zeros]) for name in NAMES}
        self.labels = {name: self.some_labels(name) for name in NAMES}
        self.types = self.pick.choices(DTYPES, k=2) + ["float32"] * 2
        self.bits = self.pick.choice([32, 32, 16, 64])
        self.makers = [name for name in dir(self) if name.startswith("make_")]

    def some_labels(self, name):
        chance = 0.6 if NAMES[name] == "channel" else 0.1
        if not self.sizes[name] or self.pick.random() > chance:
            return None
        return tuple((self.pick.choice(["xyzuw", "uvwxy"]) if name == "vector" else "pqrst")[:self.sizes[name]])

    def grow(self, steps):
        for _ in range(self.pick.randint(1, 3)):
            self.input()
        while len(self.run.statements) < steps:
            self.add()

    # ---- parts of texts ----

    def dim(self, name):
        size, labels = self.sizes[name], self.labels[name]
        if self.pick.random() < 0.03:
            size, labels = self.pick.choice([1, 2, 3]), None
        if labels and self.pick.random() < 0.2:
            labels = None
        return eager.Dim(name, NAMES[name], size, labels)

    def dims(self, least=0, most=4):
        return [self.dim(name) for name in self.pick.sample(list(NAMES), self.pick.randint(least, most))]

    def array(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.rng.random(shape) < 0.5
        if dtype.kind == "f":
            x = np.round(self.rng.standard_normal(shape) * 12) / self.pick.choice([1, 4, 4, 7])
            special = self.rng.choice([0.0, -0.0, np.nan, np.inf, -np.inf, 1e4, 1e-5, 6e4], shape)
            return np.asarray(np.where(self.rng.random(shape) < self.pick.choice([0, 0, 0.1]), special, x)).astype(
                dtype
            )
        info = np.iinfo(dtype)
        x = self.rng.integers(-9 if dtype.kind == "i" else 0, 10, shape).astype(dtype)
        special = self.rng.integers(info.min, info.max, shape, dtype, True)
        return np.asarray(np.where(self.rng.random(shape) < self.pick.choice([0, 0, 0.2]), special, x), dtype)

    def data(self, array):
        """The name of an array, in some order of memory."""
        name = f"a{len(self.run.arrays)}"
        how = self.pick.random()
        if array.ndim and how < 0.2:
            order = self.pick.sample(range(array.ndim), array.ndim)
            array = np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))
        elif array.ndim and how < 0.3:
            array = np.ascontiguousarray(array[::-1])[::-1]
        self.run.arrays[name] = self.run.left[name] = self.run.right[name] = array
        return name

    def wrapped(self, dims, dtype=None, array=None):
        """The text of a new tensor."""
        array = self.array([d.size for d in dims], dtype or self.pick.choice(self.types)) if array is None else array
        word = "wrap" if self.pick.random() < 0.3 and self.backend is math.backend.NUMPY else "tensor"
        return f"math.{word}({self.data(array)}, {shape_text(dims)})" if dims else f"math.wrap({array.item()!r})"

    def input(self):
        self.take_text(self.wrapped(self.dims(), None))

    def some(self, condition=lambda t: True):
        """A name."""
        good = [name for name in self.run.names if condition(self.run.left[name])]
        if not good:
            return None
        return self.pick.choice(good if self.pick.random() < 0.5 else good[-3:])

    def tensor(self, name):
        return self.run.left[name]

    def operand(self):
        kind = self.pick.random()
        if kind < 0.8:
            return self.some()
        if kind < 0.97:
            return repr(self.pick.choice([0, 1, 2, 3, -1, 100, 2**40, 0.5, 2.0, -1.5, 0.1, 1e30, True, False]))
        return repr([self.pick.choice([1, 2, 3]) for _ in range(self.sizes[self.pick.choice(list(NAMES))])])

    def two(self):
        a, b = self.operand(), self.operand()
        if a not in self.run.left:
            b = self.some()
        return (a, b) if a in self.run.left or b in self.run.left else (self.some(), b)

    def along(self, condition=lambda d: True):
        """A tensor, and the name of a dimension of it; sometimes of one that it lacks."""
        a = self.some(lambda t: any(map(condition, t.dims)))
        if a is None:
            return None, None
        name = self.pick.choice([d.name for d in self.tensor(a).dims if condition(d)])
        return a, name

    def size(self, a, name):
        """A number, of sizes that vary the least."""
        if name not in self.tensor(a).names:
            return self.sizes.get(name, 1)
        size = self.tensor(a).dim(name).size
        return min(size) if isinstance(size, tuple) else size

    def which(self, a):
        """The text of dims, with its comma, or none."""
        names = list(self.tensor(a).names)
        how = self.pick.randint(0, 6)
        if how == 0 or not names:
            return ""
        if how == 1:
            return ", " + self.pick.choice(list(eager.KINDS) + ["non_batch"])
        if how == 2:
            return f", [{self.pick.choice(names)!r}, {self.pick.choice(eager.KINDS)}]"
        if how == 3:
            return ", " + quoted(names)
        some = self.pick.sample(names, self.pick.randint(1, len(names)))
        return ", " + quoted(some + (["q"] if how == 4 else []))

    def mode(self):
        how = self.pick.random()
        if how < 0.75:
            return "extrapolation." + self.pick.choice(MODES)
        if how < 0.85:
            return repr(self.pick.choice([0, 1, 2, 2.5]))
        sides = []
        for name in ("x", "y", "z", "i", "b", "c", "points", "case", "vector", "r", "s"):
            pair = self.pick.sample([m for m in MODES if m != "PERIODIC"], 2)
            sides.append(f"{name}=(extrapolation.{pair[0]}, extrapolation.{pair[1]})" if self.pick.random() < 0.5 else
                         f"{name}=extrapolation.{self.pick.choice(MODES)}")
        return f"extrapolation.combine_sides({', '.join(sides)})"

    def add(self):
        self.count += 1
        if self.count > 400:
            raise RuntimeError("no program grows")
        maker = self.pick.choice(self.makers)
        text = getattr(self, maker)()
        if text:
            needs = maker == "make_need"
            if self.take_text(text, needs):
                self.met.add(maker)

    def take_text(self, text, needs=False):
        bits = self.bits if self.pick.random() < 0.9 else self.pick.choice([16, 32, 64])
        words = set("".join(c if c.isalnum() else " " for c in text).split())
        uses = [word for word in words if word[0] == "v" and word[1:].isdigit()]
        name = None if needs else f"v{len(self.run.statements)}"
        return self.run.step(Statement(name, text, bits, uses))

    # ---- elements ----

    def make_operator(self):
        a, b = self.two()
        return f"{a} {self.pick.choice(['+', '-', '*', '/', '//', '%'])} {b}"

    make_operator_again = make_operator

    def make_compared(self):
        a, b = self.two()
        return f"{a} {self.pick.choice(['==', '!=', '<', '<=', '>', '>='])} {b}" if a in self.run.left else None

    def make_bits(self):
        a, b = self.two()
        symbol = self.pick.choice(["&", "|", "^", "<<", ">>"])
        types = [self.tensor(n).dtype for n in (a, b) if n in self.run.left]
        if symbol in ("<<", ">>") and all(t == bool for t in types) or "." in a + b or "e" in a + b:
            return None
        if any(t.kind == "f" for t in types) and self.pick.random() < 0.9:
            return None
        if any(t.kind == "f" for t in types):
            return f"{a if a in self.run.left else b} {symbol} 1"
        return f"{a} {symbol} {b}"

    def make_power(self):
        a = self.some()
        return a and f"{a} ** {self.pick.choice(['2', '3', '0', '0.5', '-1', '2.0', self.some()])}"

    def make_sign(self):
        return f"{self.pick.choice(['-', '~', '+', '-'])}{self.some()}"

    def make_function(self):
        return f"math.{self.pick.choice(FUNCTIONS)}({self.some()})"

    def make_two(self):
        a, b = self.two()
        return f"math.{self.pick.choice(['maximum', 'minimum', 'arctan2', 'hypot', 'copysign'])}({a}, {b})"

    def make_clip(self):
        a = self.some()
        return (
            f"math.clip({a}{self.pick.choice(['', ', 0, 2', ', -1.5, 1.5', f', {self.some()}, {self.some()}', ', 0'])})"
        )

    def make_where(self):
        a, b = self.two()
        return f"math.where({self.some()}, {a}, {b})"

    def make_cast(self):
        a = self.some()
        return self.pick.choice([f"math.cast({a}, {self.pick.choice(DTYPES)!r})", f"math.cast({a}, (int, 8))",
                                 f"math.cast({a}, {self.pick.choice(['int', 'float', 'bool'])})", f"math.to_float({a})",
                                 f"math.to_int32({a})", f"math.to_int64({a})", f"math.to_int({a}, 16)"])

    # ---- reductions ----

    def make_reduction(self):
        a = self.some()
        return f"math.{self.pick.choice(REDUCTIONS)}({a}{self.which(a)})"

    make_reduction_again = make_reduction

    def make_of_all(self):
        return f"{self.some()}.{self.pick.choice(REDUCTIONS).replace('prod', 'sum')}"

    def make_finite(self):
        a = self.some()
        return f"math.finite_{self.pick.choice(['sum', 'prod', 'mean', 'std', 'min', 'max'])}({a}{self.which(a)})"

    def make_of_list(self):
        a, b = self.some(), self.some()
        return f"math.{self.pick.choice(REDUCTIONS)}([{a}, {b}])"

    def make_products(self):
        a, name = self.along()
        return a and f"{a}.{name} * {self.some()}"

    def make_cumulative(self):
        a, name = self.along()
        return a and f"math.cumulative_sum({a}, {name!r})"

    # ---- selections ----

    def item(self, a, name):
        size = self.size(a, name)
        how = self.pick.randint(0, 9)
        labels = self.tensor(a).dim(name).labels if name in self.tensor(a).names else None
        if how < 3:
            return str(self.pick.randint(-size - (self.pick.random() < 0.05), max(0, size - 1)))
        if how < 6:
            return self.pick.choice(["1:", ":-1", "::-1", "::2", "1:-1", ":1", "0:0", ":", "2:9", "-2:"])
        if how < 8 or not labels:
            return repr(
                [self.pick.randint(-size, max(0, size - 1)) for _ in range(self.pick.randint(0 if how == 6 else 1, 4))]
            )
        some = self.pick.sample(labels, self.pick.randint(1, len(labels)))
        return self.pick.choice([quoted(some), repr(some), repr(", ".join(some)), repr(some[0]), "'nothing'",
                                 f"channel({quoted(some)})"])

    def make_select(self):
        a, name = self.along()
        if a is None:
            return None
        name = name if self.pick.random() < 0.95 else self.pick.choice(list(NAMES))
        return f"{a}.{name}[{self.item(a, name)}]"

    make_select_again = make_select

    def make_select_dict(self):
        a = self.some(lambda t: len(t.dims) > 1 and t.parts is None)
        if a is None:
            return None
        items = []
        for name in self.pick.sample(self.tensor(a).names, 2):
            item = self.item(a, name)
            if ":" in item and "'" not in item:
                parts = [part or "None" for part in item.split(":")]
                item = f"slice({', '.join(parts)})"
            items.append(f"{name!r}: {item}")
        return f"{a}[{{{', '.join(items)}}}]"

    def make_select_one(self):
        a = self.some()
        return a and f"{a}[{self.pick.choice(['0', '-1', '1:', '::-1'])}]"

    def make_take(self):
        a, name = self.along()
        i = self.some(lambda t: t.dtype.kind in "iu")
        if a is None:
            return None
        size = self.size(a, name)
        if i and size and self.pick.random() < 0.4:
            return f"{a}.{name}[math.to_int32({i} % {size})]"
        dims = [d for d in self.dims(0, 2) if d.size]
        count = size + (self.pick.random() < 0.03)
        if not count:
            return None
        array = self.rng.integers(-size, count, [d.size for d in dims]).astype(
            self.pick.choice(["int8", "int32", "int64"])
        )
        return f"{a}.{name}[{self.wrapped(dims, None, array)}]"

    def make_mask(self):
        a, name = self.along()
        if a is None or self.tensor(a).parts is not None and self.pick.random() < 0.7:
            return None
        mask = self.some(lambda t: t.dtype == bool and name in t.names)
        if mask and self.pick.random() < 0.5:
            return self.pick.choice([f"{a}.{name}[{mask}]", f"math.boolean_mask({a}, {name!r}, {mask})"])
        own = self.tensor(a).dim(name)
        others = [d for d in self.dims(0, 1) if d.name != name and self.pick.random() < 0.5]
        if isinstance(own.size, tuple):
            return None
        return f"{a}.{name}[{self.wrapped([own, *others], 'bool')}]"

    # ---- structure ----

    def make_stack(self):
        values = [self.some() for _ in range(self.pick.choice([1, 2, 2, 3]))]
        name = self.pick.choice(list(NAMES))
        kind = NAMES[name]
        if self.pick.random() < 0.3:
            keys = ", ".join(f"{key!r}: {value}" for key, value in zip("xyz", values))
            return f"math.stack({{{keys}}}, {kind}({name!r}))"
        return f"math.stack([{', '.join(values)}], {kind}({name!r}))"

    def make_unlike(self):
        """Unlike sizes."""
        a, name = self.along(lambda d: isinstance(d.size, int) and d.size > 1)
        if a is None or self.tensor(a).parts is not None:
            return None
        along = self.pick.choice(["b", "case", "k", "points"])
        parts = [
            f"{a}.{name}[{self.pick.choice(['1:', ':1', ':', '::2', '::-1', ':2'])}]"
            for _ in range(self.pick.randint(2, 3))
        ]
        return f"math.stack([{', '.join(parts)}], {NAMES.get(along, 'batch')}({along!r}))"

    make_unlike_again = make_unlike

    def make_concat(self):
        a, name = self.along()
        if a is None:
            return None
        others = [t for t in self.run.names if name in self.tensor(t).names or self.pick.random() < 0.02]
        values = [a, *[self.pick.choice(others) for _ in range(self.pick.randint(0, 2))]]
        return f"math.concat([{', '.join(values)}], {name!r})"

    def make_expand(self):
        dims = self.dims(1, 2)
        return f"math.expand({self.some()}, {shape_text(dims)})"

    def make_rename(self):
        a, name = self.along()
        if a is None:
            return None
        new = self.pick.choice(list(NAMES) + ["r", "s"])
        return self.pick.choice([f"math.rename_dims({a}, {name!r}, {new!r})", f"{a}.{name}.rename({new!r})",
                                 f"math.rename_dims({a}, {name!r}, {NAMES.get(new, 'spatial')}({new!r}))",
                                 f"{a}.{name}.as_{self.pick.choice(eager.KINDS)}('r')",
                                 f"{a}.{name}.as_{self.pick.choice(eager.KINDS)}()"])

    def make_pack(self):
        a = self.some(lambda t: len(t.dims) > 0)
        if a is None:
            return None
        names = self.pick.sample(self.tensor(a).names, self.pick.randint(1, min(3, len(self.tensor(a).names))))
        packed = f"{self.pick.choice(eager.KINDS)}({self.pick.choice(['r', 'points', 's'])!r})"
        return f"math.pack_dims({a}, {quoted(names)}, {packed})"

    def make_unpack(self):
        a, name = self.along()
        if a is None or isinstance(self.tensor(a).dim(name).size, tuple):
            return None
        size = self.size(a, name)
        first = self.pick.choice([n for n in (1, 2, 3) if not size % n] or [1])
        rest = self.pick.choice([f"s={size // first}", "s=None"])
        return f"math.unpack_dim({a}, {name!r}, spatial(r={first}, {rest}))"

    def make_unstack(self):
        a, name = self.along(lambda d: isinstance(d.size, int) and d.size > 0)
        return a and self.pick.choice([f"math.unstack({a}, {name!r})[-1]", f"{a}.{name}.unstack()[0]"])

    def make_joined_spaces(self):
        return f"math.join_spaces({self.some(lambda t: t.parts is None)}, {self.run.names[0]})[0]"

    # ---- neighbours ----

    def make_pad(self):
        a, name = self.along(lambda d: isinstance(d.size, int))
        if a is None:
            return None
        names = {name, self.pick.choice(self.tensor(a).names)}
        width = self.pick.choice([0, 1, 1, 2])
        mode = self.mode()
        low = 0 if "sides" in mode else -1
        pairs = [f"{n!r}: ({self.pick.randint(low, width)}, {self.pick.randint(low, width)})" for n in sorted(names)]
        return f"math.pad({a}, {{{', '.join(pairs)}}}, {mode})"

    make_pad_again = make_pad

    def padding(self):
        return self.pick.choice(["", f", padding={self.mode()}", f", padding={self.mode()}", ", padding=None"])

    def make_shift(self):
        a = self.some(lambda t: t.of("spatial"))
        if a is None:
            return None
        offsets = repr(tuple(self.pick.choice([-1, 0, 1, 2, -3]) for _ in range(self.pick.randint(1, 3))))
        which = self.pick.randrange(offsets.count(",") if offsets.endswith(",)") else offsets.count(",") + 1)
        if self.pick.random() < 0.5:
            name = self.pick.choice(self.tensor(a).of("spatial")).name
            return f"math.shift({a}, {offsets}, {name!r}{self.padding()}, stack_dim=None)[{which}]"
        return f"math.shift({a}, {offsets}{self.padding()})[{which}]"

    def step(self, names):
        steps = ["", "", ", dx=2", ", dx=0.5", ", dx=1.0"]
        if names:
            dims = [eager.Dim("vector", "channel", len(names), tuple(names) if self.pick.random() < 0.5 else None)]
            array = self.rng.choice([0.5, 1, 2, 0.25], len(names)).astype("float32")
            steps.append(f", dx={self.wrapped(dims, None, array)}")
        return self.pick.choice(steps)

    def difference(self):
        return self.pick.choice(["", ", difference='forward'", ", difference='backward'", ", difference='central'"])

    def make_gradient(self):
        a = self.some(lambda t: t.of("spatial"))
        if a is None:
            return None
        names = [d.name for d in self.tensor(a).of("spatial")]
        dims = ""
        if self.pick.random() < 0.3:
            names = names[:1]
            dims = f", dims={names[0]!r}" + self.pick.choice(["", ", stack_dim=None"])
        return f"math.spatial_gradient({a}{self.step(names)}{self.difference()}{self.padding()}{dims})"

    def make_laplace(self):
        a = self.some(lambda t: t.of("spatial") or self.pick.random() < 0.05)
        return a and f"math.laplace({a}{self.step([d.name for d in self.tensor(a).of('spatial')])}{self.padding()})"

    def make_divergence(self):
        a = self.some(lambda t: t.of("spatial") and "vector" in t.names)
        if a is None:
            a = self.some(lambda t: t.of("spatial") and "vector" not in t.names and t.parts is None)
            if a is None:
                return None
            names = [d.name for d in self.tensor(a).of("spatial")]
            labels = self.pick.choice([tuple(names), tuple(names[::-1]), None])
            dims = [eager.Dim("vector", "channel", len(names), labels)]
            return f"math.divergence({a} * {self.wrapped(dims, 'float32')}{self.difference()}{self.padding()})"
        step = self.step([d.name for d in self.tensor(a).of("spatial")])
        return f"math.divergence({a}{step}{self.difference()}{self.padding()})"

    def make_convolve(self):
        a = self.some(lambda t: t.dtype != bool and (t.of("spatial") or self.pick.random() < 0.1))
        if a is None:
            return None
        t = self.tensor(a)
        names = [d.name for d in t.of("spatial")]
        dims = [eager.Dim(name, "spatial", self.pick.choice([1, 2, 3]), None)
                for name in self.pick.sample(names, self.pick.randint(min(1, len(names)), len(names)))]
        for d in (
            self.pick.sample(t.of("channel") + t.of("batch"), self.pick.randint(0, 1))
            if t.of("channel", "batch")
            else []
        ):
            dims += [d] if isinstance(d.size, int) else []
        if self.pick.random() < 0.3 and "q" not in t.names:
            dims.append(eager.Dim("q", "channel", 2, None))
        if len({d.name for d in dims}) < len(dims) or not dims:
            return None
        self.pick.shuffle(dims)
        dtype = self.pick.choice([t.dtype.name, "float32", "int32"])
        return f"math.convolve({a}, {self.wrapped(dims, dtype)}, {self.pick.choice(['None', self.mode()])})"

    # ---- positions ----

    def places(self, t, kind="i"):
        """The text of positions along the dimensions that gather takes, and their dimensions."""
        names = [d.name for d in t.of("spatial")] or [d.name for d in t.of("instance")]
        if not names or any(isinstance(t.dim(name).size, tuple) or not t.dim(name).size for name in names):
            return None
        dims = [d for d in self.dims(0, 2) if d.kind != "channel" and d.size and d.name not in names]
        spare = self.pick.random() < 0.02
        parts = []
        for name in names:
            size = t.dim(name).size
            sizes = [d.size for d in dims]
            parts.append(self.rng.integers(-size, size + spare, sizes).astype(self.pick.choice(["int32", "int64"]))
                         if kind == "i" else self.positions_between(size, sizes))
        labels = None
        if self.pick.random() < 0.5:
            order = self.pick.sample(range(len(names)), len(names))
            names, parts = [names[k] for k in order], [parts[k] for k in order]
            labels = tuple(names)
        if len(names) == 1 and self.pick.random() < 0.5:
            return self.wrapped(dims, None, np.asarray(parts[0]))
        array = np.stack(parts, -1)
        at = eager.Dim(self.pick.choice(["vector", "c"]), "channel", len(names), labels)
        return self.wrapped([*dims, at], None, array)

    def positions_between(self, size, sizes):
        a = np.round(self.rng.uniform(-2, size + 1, sizes) * 8) / 8
        special = self.rng.choice([np.nan, np.inf, -np.inf, 1e20, 0.1], sizes)
        return np.where(self.rng.random(sizes) < 0.05, special, a).astype(self.pick.choice(["float32", "float64"]))

    def make_gather(self):
        a = self.some(lambda t: t.of("spatial", "instance"))
        places = a and self.places(self.tensor(a))
        return places and f"math.gather({a}, {places})"

    def make_sample(self):
        a = self.some(lambda t: t.of("spatial", "instance"))
        places = a and self.places(self.tensor(a), "f")
        mode = self.mode()
        return (
            places and "sides" not in mode and f"math.grid_sample({a}, {places}{self.pick.choice(['', f', {mode}'])})"
        )

    def make_scatter(self):
        a = self.some(lambda t: t.of("spatial", "instance") and t.dtype != bool)
        if a is None:
            return None
        t = self.tensor(a)
        names = [d.name for d in t.of("spatial")] or [d.name for d in t.of("instance")]
        if any(isinstance(t.dim(name).size, tuple) for name in names):
            return None
        dims = [d for d in self.dims(0, 2) if d.kind == "batch" or d.kind == "instance" and d.name not in t.names]
        if not any(d.kind == "instance" for d in dims) and "q" not in names:
            dims.append(eager.Dim("q", "instance", 4, None))
        sizes = [d.size for d in dims]
        array = np.stack([self.rng.integers(-1, t.dim(name).size + 1, sizes) for name in names], -1)
        array = array + (self.pick.choice([0, 0.5, 0.25]) if self.pick.random() < 0.3 else 0)
        at = eager.Dim("vector" if "vector" not in t.names else "at", "channel", len(names), tuple(names))
        values = [d for d in [*dims, *t.of("channel")] if self.pick.random() < 0.8 and isinstance(d.size, int)]
        mode = self.pick.choice(["", ", 'update'", ", 'add'", ", 'mean'"]) + \
            self.pick.choice(["", ", outside_handling='clamp'", ", outside_handling='discard'"])
        base = a
        if self.pick.random() < 0.3:
            base = f"spatial({', '.join(f'{name}={t.dim(name).size}' for name in names)})"
            if t.dim(names[0]).kind != "spatial":
                return None
        places = self.wrapped([*dims, at], None, array)
        return f"math.scatter({base}, {places}, {self.wrapped(values, t.dtype.name)}{mode})"

    def make_nonzero(self):
        a = self.some(lambda t: t.of("spatial", "instance") and len(t.of("batch")) < 2)
        return a and f"math.nonzero({a})"

    # ---- creation, and values ----

    def make_created(self):
        return self.pick.choice([self.wrapped(self.dims()), self.wrapped(self.dims(1, 3)),
                                 f"math.zeros({shape_text(self.dims(1, 2))})",
                                 f"math.ones({shape_text(self.dims(1, 2))}, dtype={self.pick.choice(DTYPES)!r})",
                                 f"math.{self.pick.choice(['zeros_like', 'ones_like', 'copy'])}({self.some()})",
                                 f"math.random_uniform({shape_text(self.dims(1, 2))}, low=-1, high=2)",
                                 f"math.random_uniform({shape_text(self.dims(1, 2))}, low=-3, high=9, dtype=int)",
                                 f"math.range(spatial('x'), {self.sizes['x']})", "math.meshgrid(x=2, y=3)",
                                 f"math.vec(x={self.operand()}, y={self.operand()})",
                                 f"math.wrap({self.pick.choice([1, 2.5, 0.1, True, -3])})"])

    def make_need(self):
        a, b = self.some(), self.some()
        names = list(self.tensor(a).names)
        order = self.pick.sample(names, len(names)) + (["q"] if self.pick.random() < 0.3 else [])
        return self.pick.choice(
            [
                f"math.evaluate({a}, {b})",
                f"math.evaluate({a})",
                f"str({a}) and 0",
                f"list({a})",
                f"{a}.numpy({quoted(order)})",
                f"float({a})",
                f"float({a}.sum)",
                f"bool({a}.any)",
                f"len({a})",
                f"{a}.numpy({quoted(order[1:])})",
            ]
        )


def check(seed, backend):
    """Of one program: how many statements were errors, and which makers were met."""
    maker = Maker(seed, backend)
    order = seed + 1
    try:
        maker.grow(maker.pick.choice([2, 4, 6, 9, 12, 18]))
        maker.run.finish(random.Random(order))
    except Failure as failure:
        run, smaller = shrunk(maker.run, list(maker.run.statements), order)
        raise AssertionError(
            f"WEFT_SEED={seed} WEFT_COUNT=1, {backend}\n{run}\n{smaller}\nat first: {failure}"
        ) from None
    return maker.run.errors, len(maker.run.statements), maker.met


class Programs(unittest.TestCase):
    def try_some(self, backend, count):
        first, met = int(os.environ.get("WEFT_SEED", "1")), set()
        eager.judge = judge
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for seed in range(first, first + count):
                met |= check(seed, backend)[2]
        if count >= 200:
            self.assertEqual(met, {m for m in dir(Maker) if m.startswith("make_")})

    def test_numpy(self):
        self.try_some(math.backend.NUMPY, sample.setting("WEFT_COUNT", "10000"))

    def test_jax(self):
        self.in_backend(math.backend.JAX)

    def test_torch(self):
        self.in_backend(math.backend.TORCH)

    def in_backend(self, backend):
        """One program in ten."""
        if not backend.is_available():
            self.skipTest(f"{backend} is not installed")
        count = sample.setting("WEFT_COUNT", "10000")
        self.try_some(backend, count if count < 10 else count // 10)


if __name__ == "__main__":
    unittest.main()
