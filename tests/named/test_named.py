"""Random programs with named dimensions against by_name.py: every operation of rule 8.12 and what goes by positions
between unnamed and named, shuffled orders of dimensions and of memory, results in any order of memory, labels, numbers
that come with the run, batches, the rules of DALI and of NumPy. WEFT_SEED=17 WEFT_COUNT=1 repeats one; WEFT_COUNT is
how many there are."""
import os
import random
import re
import sys
import unittest
import warnings

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "positions")]
import by_name as n
import reference as chance
import sample
import weft

NAMES = {"b": "b", "batch": "b", "i": "i", "x": "s", "y": "s", "time": "s", "c": "c", "vector": "c"}
LABELS = ["u", "v", "w"]
I32, I64, F32, F64 = np.int32, np.int64, np.float32, np.float64


def wrap(x):
    return np.int64(x).astype(I32)


def binary(text, a, b, function, numpy=False):
    """Ints wrap in int32; with a float both become float32, by NumPy's rules an int and a float float64."""
    types = {a.dtype.type, b.dtype.type}
    real = (F64 if numpy and len(types) > 1 else F32) if F32 in types else None
    convert = real or np.int64
    return text, n.operation(lambda p, q: (real or wrap)(function(convert(p), convert(q))), real or I32, a, b)


class Maker:
    """A program that grows: statements, and the values of their names."""

    def __init__(self, seed):
        self.pick = random.Random(seed)
        self.numpy = self.pick.random() < 0.25
        self.sizes = {name: self.pick.choice([1, 2, 2, 3]) for name in NAMES}
        self.labels = {name: LABELS[:self.sizes[name]] if kind == "c" and self.pick.random() < 0.7 else None
                       for name, kind in NAMES.items()}
        self.values, self.lines, self.inputs, self.types, self.met = {}, [], {}, {}, set()
        for k in range(self.pick.randint(1, 3)):
            self.add_input(f"in{k}")
        # and weights of correlations, which are no batch
        self.numbers = {f"k{k}": self.pick.randint(-2, 2) for k in range(2)}
        for k in range(self.pick.randint(1, 8)):
            self.add_line(f"v{k}")

    def dims(self, least=0):
        names = self.pick.sample(list(NAMES), self.pick.randint(least, 4))
        return [n.Dim(name, NAMES[name], self.sizes[name], self.labels[name]) for name in names]

    def add_input(self, name):
        dtype = self.pick.choice([I32, F32])
        x = n.Value(self.dims(1), dtype, lambda place: self.pick.randint(-9, 9) / (4 if dtype is F32 else 1))
        order = self.pick.sample(range(len(x.dims)), len(x.dims))
        array = np.ascontiguousarray(x.array().transpose(order)).transpose(np.argsort(order)) if order else x.array()
        self.values[name], self.inputs[name] = x, array
        with_sizes = self.pick.random() < 0.5
        parts = [d.text() if with_sizes or d.labels else f"{d.name}:{d.kind}" for d in x.dims]
        self.types[name] = f"({', '.join(parts)})"

    def add_line(self, name):
        while True:
            maker = self.pick.choice(MAKERS)
            try:
                made = getattr(self, maker)()
            except n.Mismatch:
                continue
            if made and np.prod([d.size for d in made[1].dims]) <= 600 and len(made[1].dims) <= 7:
                self.met.add(maker)
                self.lines.append(f"{name} = {made[0]}")
                self.values[name] = made[1]
                return

    def some(self, dtype=None, rank=0):
        """A name and its value; the maker is left where there is none."""
        good = [(name, x) for name, x in self.values.items()
                if (dtype is None or x.dtype.type in dtype) and len(x.dims) >= rank]
        if not good:
            raise n.Mismatch
        return self.pick.choice(good)

    def along(self, rank=1, dtype=(I32, F32)):
        name, x = self.some(dtype, rank)
        return name, x, self.pick.choice(x.dims)

    # ---- operations ----

    def make_binary(self):
        (a, x), (b, y) = self.some((I32, F32)), self.some((I32, F32))
        sign, function = self.pick.choice([("+", lambda p, q: p + q), ("-", lambda p, q: p - q),
                                           ("*", lambda p, q: p * q)])
        return binary(f"{a} {sign} {b}", x, y, function, self.numpy)

    def make_number(self):
        a, x = self.some((I32,))
        k = self.pick.choice(["k0", "k1"])
        return f"{a} + {k} * 2", n.operation(lambda p: wrap(int(p) + 2 * self.numbers[k]), I32, x)

    def make_literal(self):
        a, x = self.some((I32,))
        return f"{a} * 3", n.operation(lambda p: wrap(int(p) * 3), I32, x)

    def make_channels(self):
        a, x = self.some((I32,), 1)
        channels = [d for d in x.dims if d.kind == "c"] if a else []
        if len(channels) != 1 or not channels[0].size:
            return None
        numbers = [self.pick.randint(1, 9) for _ in range(channels[0].size)]
        y = n.Value(channels, I32, lambda place: numbers[place[channels[0].name]])
        return not self.numpy and binary(f"{a} + {numbers}", x, y, lambda p, q: p + q)

    def make_where(self):
        (a, x), (b, y), (c, z) = self.some((I32,)), self.some((I32,)), self.some()
        if not (a and b and c):
            return None
        return (f"({a} if {c} > 0 else {b})",
                n.operation(lambda s, p, q: p if s > 0 else q, I32, z, x, y))

    def make_min(self):
        (a, x), (b, y) = self.some((I32,)), self.some((I32,))
        return a and b and (f"min({a}, {b})", n.operation(min, I32, x, y))

    def make_cast(self):
        a, x = self.some((I32,))
        return a and (f"float32({a})", n.operation(F32, F32, x))

    def make_negative(self):
        a, x = self.some((I32, F32))
        return f"-{a}", n.operation(lambda p: -p if x.dtype.type is F32 else wrap(-int(p)), x.dtype, x)

    def make_random(self):
        a, x = self.some((I32, F32))
        if not a or not x.dims:
            return None
        seed, order = self.pick.randint(0, 99), list(n.places(x.dims))
        values = chance.random((len(order),), seed)
        numbers = {n.key(place): i for i, place in enumerate(order)}
        return f"random({a}, {seed})", n.Value(x.dims, F32, lambda place: values[numbers[n.key(place)]])

    # ---- selections ----

    def make_run_slice(self):
        a, x, d = self.along()
        bounds = self.pick.sample(["k0", "k1", ""], 2)
        if d.labels or not bounds:
            return None
        start, stop = (self.numbers.get(bound) for bound in bounds)
        return f"{a}.{d.name}[{':'.join(bounds)}]", n.pick(x, d.name, range(d.size)[slice(start, stop)])

    def make_run_index(self):
        a, x, d = self.along()
        k = self.pick.choice(["k0", "k1"])
        return not d.labels and -d.size <= self.numbers[k] < d.size and (
            f"{a}.{d.name}[{k}]", n.select(x, d.name, self.numbers[k]))

    def make_index(self):
        a, x, d = self.along()
        i = a and self.pick.randint(-d.size, d.size - 1) if a and d.size else None
        return None if i is None else (f"{a}.{d.name}[{i}]", n.select(x, d.name, i))

    def make_slice(self):
        a, x, d = self.along()
        if not a:
            return None
        start, stop, step = self.pick.choice([(None, None, -1), (1, None, None), (None, -1, None), (None, None, 2),
                                              (0, 1, None)])
        text = ":".join("" if part is None else str(part) for part in (start, stop, step))
        return f"{a}.{d.name}[{text}]", n.pick(x, d.name, range(d.size)[slice(start, stop, step)])

    def make_list(self):
        a, x, d = self.along()
        if not a or not d.size:
            return None
        items = [self.pick.randint(-d.size, d.size - 1) for _ in range(self.pick.randint(1, 4))]
        return f"{a}.{d.name}[{items}]", n.pick(x, d.name, items)

    def make_label(self):
        a, x, d = self.along()
        if not a or not d.labels:
            return None
        labels = self.pick.sample(d.labels, self.pick.randint(1, d.size))
        at = [d.labels.index(label) for label in labels]
        if len(labels) == 1 and self.pick.random() < 0.5:
            return f"{a}.{d.name}['{labels[0]}']", n.select(x, d.name, at[0])
        text = self.pick.choice(["'" + ", ".join(labels) + "'", repr(labels), ", ".join(map(repr, labels))])
        text = text if len(labels) > 1 or text[0] == "[" else f"[{text}]"
        return f"{a}.{d.name}[{text}]", n.pick(x, d.name, at)

    def make_take(self):
        (a, x, d), (i, y) = self.along(), self.some((I32,))
        if not a or not i:
            return None
        text = self.pick.choice([f"take({a}, {i}, axis={d.name})", f"{a}.{d.name}[{i} + 0]" if y.dims else ""])
        return text and (text, n.take(x, d.name, y))

    # ---- rearranging ----

    def make_flip(self):
        a, x, d = self.along()
        return a and (f"flip({a}, {d.name})", n.pick(x, d.name, range(d.size)[::-1]))

    def make_roll(self):
        a, x, d = self.along()
        shift, text = self.pick.randint(-4, 4), ""
        if not d.labels and self.pick.random() < 0.3:
            text = self.pick.choice(["k0", "k1"])
            shift = self.numbers[text]
        return a and d.size and (f"roll({a}, {text or shift}, {d.name})",
                                 n.pick(x, d.name, [(k - shift) % d.size for k in range(d.size)]))

    def make_repeat(self):
        a, x, d = self.along()
        times = self.pick.randint(1, 2)
        return a and (f"repeat({a}, {times}, {d.name})",
                      n.pick(x, d.name, [k for k in range(d.size) for _ in range(times)]))

    def make_transpose(self):
        a, x = self.some(None, 1)
        names = self.pick.sample(x.names(), len(x.dims)) if a else []
        return a and (f"transpose({a}, [{', '.join(names)}])", n.reorder(x, names))

    def make_broadcast(self):
        a, x = self.some()
        dims = self.dims(1)
        return f"broadcast_to({a}, \"{', '.join(d.text() for d in dims)}\")", n.broadcast(x, dims)

    def make_rename(self):
        a, x, d = self.along()
        free = [name for name, kind in NAMES.items() if a and kind == d.kind and name not in x.names()]
        new = self.pick.choice(free) if free else None
        return new and (f'rename({a}, {d.name}, "{new}")', n.rename(x, d.name, new))

    def make_unnamed(self):
        a, x = self.some(None, 1)
        if not a:
            return None
        names = self.pick.sample(x.names(), len(x.dims))
        y = n.reorder(x, names)
        return f"named(unnamed({a}, [{', '.join(names)}]), \"{', '.join(d.text() for d in y.dims)}\")", y

    def make_concat(self):
        (a, x, d), (b, y) = self.along(), self.some()
        if not a or y.dtype != x.dtype or d.name not in y.names() or y.dim(d.name).kind != d.kind:
            return None
        return f"concat({a}, {b}, axis={d.name})", n.concat([x, y], d.name)

    def make_literal_join(self):
        """Array literals along the one channel dimension, joined and stacked."""
        a, x = self.some((I32,), 1)
        channels = [d for d in x.dims if d.kind == "c"]
        free = [name for name in NAMES if name not in x.names() and NAMES[name] != "c"]
        if self.numpy or len(channels) != 1 or not channels[0].size or not free:
            return None
        joins = self.pick.random() < 0.5
        count = self.pick.randint(1, 3) if joins else channels[0].size
        numbers = [self.pick.randint(-9, 9) for _ in range(count)]
        literal = n.Value([channels[0].sized(count)], I32, lambda place: numbers[place[channels[0].name]])
        if joins:
            return f"concat({a}, {numbers}, axis={channels[0].name})", n.concat([x, literal], channels[0].name)
        new = n.Dim(free[0], NAMES[free[0]], 2)
        return f'stack({numbers}, {a}, axis="{new.name}:{new.kind}")', n.stack([literal, x], new)

    def make_stack(self):
        (a, x), (b, y) = self.some((I32,)), self.some((I32,))
        free = [name for name in NAMES if a and b and name not in x.names() + y.names()]
        if not free or not (x.dims or y.dims):
            return None
        new = n.Dim(self.pick.choice(free), None, 2)
        new.kind = NAMES[new.name]
        new.labels = ["v", "w"] if new.kind == "c" and self.pick.random() < 0.5 else None
        text = new.text() if new.labels else f"{new.name}:{new.kind}"
        return f'stack({a}, {b}, axis="{text}")', n.stack([x, y], new)

    # ---- reductions and positions ----

    def axes_of(self, x):
        how = self.pick.randint(0, 3)
        if how == 0:
            return "", [d.name for d in x.dims if d.kind != "b"]
        if how == 1:
            word, kind = self.pick.choice([("spatial", "s"), ("instance", "i"), ("channel", "c")])
            return f", {word}", [d.name for d in x.dims if d.kind == kind]
        names = self.pick.sample(x.names(), self.pick.randint(1, len(x.dims)))
        return self.pick.choice([f", [{', '.join(names)}]", f', "{",".join(names)}"',
                                 f", ({', '.join(names)},)"]), names

    def make_sum(self):
        a, x = self.some((I32,), 1)
        if not a:
            return None
        text, names = self.axes_of(x)
        return f"int32(sum({a}{text}) % 1000)", n.operation(
            lambda p: p % 1000, I32, n.reduce(lambda all: sum(map(int, all)), np.int64, x, names))

    def make_float_sum(self):
        """The order of a sum counts row-major in x's order of dimensions."""
        a, x = self.some((F32,), 1)
        text, names = self.axes_of(x)
        mean = self.pick.random() < 0.5 and not any(x.dim(name).size == 0 for name in names)
        count = F32(np.prod([x.dim(name).size for name in names], dtype=np.int64))
        return f"{'mean' if mean else 'sum'}({a}{text})", n.reduce(
            lambda all: F32(n.float_sum(all) / count) if mean else n.float_sum(all), F32, x, names)

    def make_logic(self):
        a, x = self.some((I32, F32), 1)
        text, names = self.axes_of(x)
        name, function, dtype = self.pick.choice([("any", any, np.bool_), ("all", all, np.bool_),
                                                  ("count_nonzero", lambda all: sum(p != 0 for p in all), I64)])
        return f"{name}({a}{text})", n.reduce(function, dtype, x, names)

    def make_product(self):
        a, x = self.some((I32,), 1)
        text, names = self.axes_of(x)

        def product(elements):
            total = 1
            for element in elements:
                total = (total * int(element)) % 2**64
            return np.uint64(total).astype(I64)
        return f"prod({a}{text})", n.reduce(product, I64, x, names)

    def make_least(self):
        a, x = self.some((I32, F32), 1)
        if not a:
            return None
        text, names = self.axes_of(x)
        if any(x.dim(name).size == 0 for name in names):
            return None
        return f"max({a}{text.replace(', ', ', axes=', 1)})", n.reduce(max, x.dtype, x, names)

    def make_beside_reduced(self):
        """A reduction that nothing but operations use, which may keep what it reduces."""
        (a, x), (b, y) = self.some((I32,), 1), self.some((I32,))
        text, names = self.axes_of(x)
        if any(x.dim(name).size == 0 for name in names):
            return None
        least = n.reduce(min, x.dtype, x, names)
        inner = f"min({a}{text.replace(', ', ', axes=', 1)})"
        if self.pick.random() < 0.5:
            inner, least = f"(1 - {inner})", n.operation(lambda p: wrap(1 - int(p)), I32, least)
        if self.pick.random() < 0.3:
            text, names = self.axes_of(x)
            if any(x.dim(name).size == 0 for name in names):
                return None
            inner = f"({inner} + max({a}{text.replace(', ', ', axes=', 1)}))"
            least = n.operation(lambda p, q: wrap(int(p) + int(q)), I32, least, n.reduce(max, x.dtype, x, names))
        return f"{b} - {inner}", n.operation(lambda p, q: wrap(int(p) - int(q)), I32, y, least)

    def make_argmin(self):
        a, x = self.some((I32, F32), 1)
        if not a:
            return None
        text, names = self.axes_of(x)
        if any(x.dim(name).size == 0 for name in names):
            return None
        return f"int32(argmin({a}{text}))", n.operation(
            I32, I32, n.reduce(lambda all: all.index(min(all)), np.int64, x, names))

    def make_mean(self):
        a, x = self.some((I32,), 1)
        real = F64 if self.numpy else F32
        text, names = self.axes_of(x)
        if any(x.dim(name).size == 0 for name in names):
            return None
        return f"mean({a}{text})", n.reduce(lambda all: real(sum(map(int, all)) / len(all)), real, x, names)

    def make_vecdot(self):
        (a, x, d), (b, y) = self.along(1, (I32,)), self.some((I32,))
        if not a or not b:
            return None
        product = n.operation(lambda p, q: int(p) * int(q), np.int64, x, y)
        return f"int32(vecdot({a}, {b}, axis={d.name}) % 1000)", n.operation(
            lambda p: p % 1000, I32, n.reduce(sum, np.int64, product, [d.name]))

    def make_positions(self):
        a, x, d = self.along()
        if not a:
            return None
        if self.numpy:
            return f"index({a}, {d.name}, dtype=int32)", n.positions(x, d.name)
        if self.pick.random() < 0.3:
            return f"extent({a}, {d.name})", n.Value([], I32, lambda place: d.size)
        return f"index({a}, {d.name})", n.positions(x, d.name)

    # ---- neighbours ----

    def make_offset(self):
        a, x, d = self.along(1, (I32,))
        by, mode = self.pick.randint(-4, 4), self.pick.choice([0, 7, "edge", "wrap", "symmetric", "reflect"])
        shown, text = f'"{mode}"' if isinstance(mode, str) else mode, by
        if self.pick.random() < 0.3:
            text = self.pick.choice(["k0", "k1"])
            by = self.numbers[text]
        return a and d.size and (f"offset({a}, {text}, {shown}, axes={d.name})", n.shifted(x, d.name, by, mode))

    def make_pad(self):
        a, x, d = self.along(1, (I32,))
        before, after = self.pick.randint(0, 2), self.pick.randint(0, 2)
        return a and (f"pad({a}, [{before}, {after}], axes={d.name})", n.padded(x, d.name, before, after))

    def make_correlate(self):
        a, x, d = self.along(1, (I32,))
        weights = [self.pick.randint(1, 4) for _ in range(self.pick.randint(1, 4))]
        mode = self.pick.choice([0, 5, "edge", "wrap", "symmetric", "reflect", "valid"])
        name = self.pick.choice(["correlate", "convolve"])
        shown = f'"{mode}"' if isinstance(mode, str) else mode
        if self.numpy or not d.size:
            return None
        k, axes = f"{weights}", f", axes={d.name}"
        if self.pick.random() < 0.4:
            k, axes = f"k{len(self.numbers)}", ""
            self.numbers[k] = np.array(weights, I32)
            self.types[k] = f"({d.name}:{d.kind}={len(weights)})"
        return (f"{name}({a}, {k}, {shown}{axes})",
                n.correlate(x, weights, d.name, mode, name == "convolve"))

    # ---- what goes by positions ----

    def beside(self, dtype=(I32, F32), positions=(I32,)):
        """A value, one of its dimensions, the text of it by position, that one first; and positions without its
        dimensions, as text with a last dimension of 1."""
        a, x, d = self.along(1, dtype)
        b, i = self.some(positions, 1)
        if set(i.names()) & set(x.names()):
            raise n.Mismatch
        names = [d.name, *(name for name in x.names() if name != d.name)]
        return (x, d, f"unnamed({a}, [{', '.join(names)}])", i,
                f"unnamed({b}, [{', '.join(i.names())}])[..., None]")

    def named(self, text, value):
        return f"named({text}, \"{', '.join(d.text() for d in value.dims)}\")", value

    def make_gather(self):
        x, d, text, i, places = self.beside()
        return d.size and self.named(f"gather({text}, {places}, axes=[0])", n.gather(x, d.name, i))

    def make_scatter(self):
        x, d, text, i, places = self.beside((I32,))
        y = n.counted(x, d.name, i)
        return d.size and self.named(f'scatter({text}, {places}, 1, "add", axes=[0])',
                                     n.reorder(y, [d.name, *(name for name in y.names() if name != d.name)]))

    def make_sample(self):
        x, d, text, i, places = self.beside((F32,), (F32,))
        return d.size and self.named(f"sample({text}, {places}, axes=[0])", n.sampled(x, d.name, i))


MAKERS = [m for m in dir(Maker) if m.startswith("make_")]


def bits(array):
    return np.ascontiguousarray(array).tobytes()


class Named(unittest.TestCase):
    def check(self, seed):
        made = Maker(seed)
        names = [line.split(" ", 1)[0] for line in made.lines]
        text = "\n".join(made.lines) + "\nreturn " + ", ".join(f"r_{name} = {name}" for name in names)
        where = f"WEFT_SEED={seed} WEFT_COUNT=1\n{text}\n{made.types} {made.numbers} numpy: {made.numpy}"
        used = {name: array for name, array in (made.inputs | made.numbers).items() if re.search(rf"\b{name}\b", text)}
        orders = {f"r_{name}": made.pick.sample(range(len(made.values[name].dims)), len(made.values[name].dims))
                  for name in names}
        try:
            program = weft.compile(text, types={name: made.types[name] for name in used if name in made.types},
                                   rules="numpy" if made.numpy else None)
            got = program(used)
            types = program.infer(**used)
            got = got if isinstance(got, tuple) else (got,)
            if made.pick.random() < 0.3:  # into results in any order of memory
                got = [np.empty([x.shape[d] for d in orders[name]], x.dtype).transpose(np.argsort(orders[name]))
                       if x.ndim else np.empty((), x.dtype) for name, x in zip(types, got)]
                program(used, out=tuple(got) if len(got) > 1 else got[0])
            if "random" not in text and made.pick.random() < 0.2:  # which differs between samples
                self.samples(made, program, used, got, where)
        except weft.Error as error:
            self.fail(f"{where}\n{error}")
        for name, array, type in zip(names, got, types.values()):
            wanted, array = made.values[name].array(), np.asarray(array)
            self.assertEqual(type, made.values[name].type(), f"{where}\n{name}")
            if array.dtype != wanted.dtype or array.shape != wanted.shape or not (array == wanted).all():
                self.fail(f"{where}\n{name} is\n{array}, not\n{wanted}")
        return made.met

    def samples(self, made, program, used, wanted, where):
        """The same as a batch: samples with other elements, and of other sizes where the text goes with them."""
        tensors = {name: array for name, array in used.items() if name in made.inputs}
        numbers = {name: number for name, number in used.items() if name not in made.inputs}
        if not tensors:
            return
        sizes = {d.name for name in tensors for d in made.values[name].dims if not d.labels}
        grown = made.pick.choice(sorted(sizes)) if sizes else None
        samples, alone = [tensors, {name: np.flip(array) for name, array in tensors.items()}], [wanted]
        samples.append({name: np.concatenate([array, array], made.values[name].names().index(grown))
                        if grown in made.values[name].names() else array for name, array in tensors.items()})
        for k in (1, 2):
            try:
                one = program(samples[k] | numbers)
                alone.append(one if isinstance(one, tuple) else (one,))
            except weft.Error:
                samples = samples[:k]
                break
        together = program({name: [sample[name] for sample in samples] for name in tensors} | numbers)
        together = together if isinstance(together, tuple) else (together,)
        for r, batch in enumerate(together):
            if not isinstance(batch, list):
                batch = [batch]        # of numbers alone: it is no batch
            for k, got in enumerate(batch):
                self.assertTrue(got.shape == alone[k][r].shape and bits(got) == bits(alone[k][r]),
                                f"{where}\nresult {r} of sample {k}")

    def batch(self, seed):
        """Samples of unlike sizes together, each against a run of its own."""
        pick = random.Random(seed)
        types = {"u": "(x:s, vector:c=(u,v), b:b)", "v": "(b:b, y:s, x:s)"}
        text = pick.choice(["u - v", "u - mean(u, spatial)", "v.x[1:] - v.x[:-1]", "u.vector['v,u'] * v + max(v)",
                            "concat(v, u.vector['u'], axis=x)", "transpose(u, [b, vector, x]) + sum(v, y)"])
        samples = []
        for _ in range(3):
            b, x, y = (pick.randint(1, 4) for _ in range(3))
            samples.append((np.float32(np.random.default_rng(seed).integers(-9, 9, (x, 2, b))),
                            np.float32(np.random.default_rng(seed).integers(-9, 9, (b, y, x)))))
        program = weft.compile(text, types={k: t for k, t in types.items() if re.search(rf"\b{k}\b", text)})
        lists = {name: [pair[i] for pair in samples] for i, name in enumerate("uv") if name in program.inputs}
        for k, got in enumerate(program(lists)):
            alone = program({name: arrays[k] for name, arrays in lists.items()})
            self.assertTrue(got.shape == alone.shape and bits(got) == bits(alone), f"WEFT_SEED={seed}\n{text}\n{k}")

    def mismatch(self, seed):
        """One dimension of another size, kind or order of labels is an error that names it."""
        pick = random.Random(seed)
        u = np.zeros((2, 3), np.float32)
        types, array = pick.choice([("(x:s, y:s)", u), ("(y:s, x:c)", u), ("(y:s, x:s, c:c)", u[..., None][:, :2]),
                                    ("(x:s, y:s=2)", u[:, :1])])
        with self.assertRaises(weft.Error) as raised:
            weft.evaluate("u + v", u=u, v=array, types={"u": "(y:s, x:s)", "v": types})
        self.assertEqual(raised.exception.status, weft.Status.SHAPE_ERROR)
        self.assertRegex(raised.exception.message, "of [xy] differ|x is of kind|expected")

    def test_batches(self):
        for seed in range(20):
            self.batch(seed)

    def test_mismatches(self):
        for seed in range(20):
            self.mismatch(seed)

    def test_random(self):
        first, count = int(os.environ.get("WEFT_SEED", "1")), sample.number(os.environ.get("WEFT_COUNT", "300"))
        met = set()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", weft.Remark)
            for seed in range(first, first + count):
                met |= self.check(seed)
        if count >= 300:
            self.assertEqual(met, set(MAKERS))


if __name__ == "__main__":
    unittest.main()
