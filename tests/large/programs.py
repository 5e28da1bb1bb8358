"""Programs that are large in one way each, and what they give: by NumPy, or by Python's integers.

Every program is the body of a kernel. Extents are small; what counts is how many there are of inputs, results,
operations, and of each kind of name in what is generated."""
import dataclasses

import numpy as np

TYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
         "float64"]


@dataclasses.dataclass
class Program:
    name: str
    inputs: dict                    # name -> array
    lines: list
    results: dict                   # name -> array
    error: float = 0                # the largest difference of a floating result, as a share of it
    remark: bool = False            # an integer is divided by zero

    sizes: dict = dataclasses.field(default_factory=dict)  # input -> what its extents are called; else numbers

    def types(self, sizes=True):
        names = self.sizes if sizes else {}
        return {name: f"{array.dtype}[{', '.join(map(str, names.get(name, array.shape)))}]"
                for name, array in self.inputs.items()}

    def kernel(self):
        parameters = ", ".join(f"{name}: {dtype}" for name, dtype in self.types().items())
        body = "\n".join(f"    {line}" for line in self.lines)
        return f"kernel {self.name}({parameters}) {{\n{body}\n    return {', '.join(self.results)}\n}}\n"

    def text(self):
        return "\n".join([*self.lines, f"return {', '.join(self.results)}"]) + "\n"


def whole(dtype, shape, seed):
    """Any values of the type; floats are small whole numbers."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind == "f":
        return random.integers(-100, 101, shape).astype(dtype)
    info = np.iinfo(dtype)
    return np.asarray(random.integers(info.min, info.max, shape, dtype, endpoint=True))


def outputs(count=120):
    """Results of all types, of four shapes."""
    x, row, column, one = (whole("int32", shape, seed) for seed, shape in enumerate([(33, 7), (7,), (33, 1), ()]))
    operands = [("x", x), ("row", row), ("column", column), ("one", one)]
    lines, results = [], {}
    for i in range(count):
        name, array = operands[i % 4]
        dtype = TYPES[i % len(TYPES)]
        lines.append(f"r{i} = wrap({name} ^ {i}, {dtype})" if dtype[0] in "iu" else
                     f"r{i} = ({name} & {i}) > 5" if dtype == "bool" else f"r{i} = {dtype}(({name} & 1023) + {i})")
        results[f"r{i}"] = (((array & i) > 5) if dtype == "bool" else (array ^ i).astype(dtype) if dtype[0] in "iu"
                            else ((array & 1023) + i).astype(dtype))
    return Program("outputs", dict(operands), lines, results)


def inputs(count=300):
    """Inputs of all types, of shapes that are walked in each way."""
    shapes = [(5, 6, 70), (70,), (6, 1), (5, 1, 70), (), (1, 6, 70), (6, 70), (5, 6, 1)]
    arrays = {f"x{i}": whole(TYPES[i % len(TYPES)], shapes[i % len(shapes)], i) for i in range(count)}
    total = np.zeros((5, 6, 70), np.int64)
    for i, array in enumerate(arrays.values()):
        total = total + array.astype(np.int64) * (2 * i + 1)
    terms = [f"wrap({name}, int64) * {2 * i + 1}" if array.dtype.kind in "iu" else f"int64({name}) * {2 * i + 1}"
             for i, (name, array) in enumerate(arrays.items())]
    return Program("inputs", arrays, [f"total = {' + '.join(terms)}"], {"total": total})


def divisions(count=70):
    """Divisions by zero here and there, some of them in an arm that is not taken, beside the types of floats."""
    a, b = whole("int32", (40, 5), 1), whole("int32", (40, 5), 2) % 101 - 50
    floats = {f"h{bits}": whole(f"float{bits}", (40, 5), bits) for bits in (16, 32, 64)}
    lines, total = ["total = 0"], np.zeros((40, 5), np.int32)
    for i in range(count):
        divisor = b + np.int32(i)
        quotient = np.where(divisor == 0, 0, a // np.where(divisor == 0, 1, divisor)).astype(np.int32)
        lines.append(f"q{i} = a // (b + {i})" if i % 2 else f"q{i} = a // (b + {i}) if b != {-i} else 0")
        total = total + quotient
    lines = lines[1:] + [f"total = {' + '.join(f'q{i}' for i in range(count))}"]
    results = {"total": total}
    for name, array in floats.items():
        lines.append(f"s{name} = {name} * {name} + {name}")
        results[f"s{name}"] = array * array + array
    return Program("divisions", {"a": a, "b": b, **floats}, lines, results, remark=True)


def instructions(count=10000, reach=40):
    """A long program on integers that wrap and floats that stay small."""
    random = np.random.default_rng(5)
    arrays = {"i0": whole("int32", (130,), 1), "i1": whole("int32", (130,), 2), "f0": whole("float32", (130,), 3),
              "f1": whole("float32", (130,), 4)}
    made = {"int32": [("i0", arrays["i0"]), ("i1", arrays["i1"])],
            "float32": [("f0", arrays["f0"]), ("f1", arrays["f1"])]}
    lines, results, operations = [], {}, 0
    while operations < count:
        dtype = "float32" if operations % 3 == 0 else "int32"
        (x, a), (y, b) = made[dtype][-1], made[dtype][-1 - int(random.integers(1, min(len(made[dtype]), reach)))]
        k, name = int(random.integers(1, 1000)), f"v{len(lines)}"
        if dtype == "float32":
            half = np.float32(0.5)
            text, value = f"({x} - {y}) * 0.5 + {k}.0", (a - b) * half + np.float32(k)
        else:
            which = int(random.integers(0, 4))
            text = [f"({x} * {k} + {y}) ^ {x}", f"max({x} - {y}, {y}) + {k}", f"({x} & {y}) - ({x} | {k})",
                    f"({x} if {y} > {k} else {y}) * {2 * k + 1}"][which]
            value = [(a * np.int32(k) + b) ^ a, np.maximum(a - b, b) + np.int32(k), (a & b) - (a | np.int32(k)),
                     np.where(b > k, a, b) * np.int32(2 * k + 1)][which]
        lines.append(f"{name} = {text}")
        made[dtype].append((name, value))
        operations += 3
    for dtype, all_made in made.items():
        for name, value in all_made[-8:]:
            results[f"r{name}"] = value
            lines.append(f"r{name} = {name} + {1 if dtype == 'int32' else '1.0'}")
            results[f"r{name}"] = value + value.dtype.type(1)
    return Program("instructions", arrays, lines, results)


def functions(count=110):
    """Functions of whole blocks, of which each has a literal of its own."""
    x = whole("float32", (70,), 1)
    lines = [f"p{i} = atan2(x, {i}.25) * sin(x)" for i in range(count)]
    wide = x.astype(np.float64)
    results = {f"p{i}": (np.arctan2(wide, i + 0.25) * np.sin(wide)).astype(np.float32) for i in range(count)}
    return Program("functions", {"x": x}, lines, results, error=1e-5)


def hoisted(count=110):
    """Temporaries: rows are computed once."""
    x, row = whole("float32", (120, 7), 1), whole("float32", (7,), 2) / np.float32(64)
    lines = [f"p{i} = exp(row * {i / 64}) * x" for i in range(count)]
    results = {f"p{i}": (np.exp(row.astype(np.float64) * (i / 64)) * x).astype(np.float32) for i in range(count)}
    return Program("hoisted", {"x": x, "row": row}, lines, results, error=1e-5)


def tables(count=110):
    """Costly functions of a uint8, each a table in C."""
    x = whole("uint8", (300,), 1)
    lines = [f"p{i} = (x / 255.0) ** {1 + i / 64}" for i in range(count)]
    results = {f"p{i}": ((x / 255.0) ** (1 + i / 64)).astype(np.float32) for i in range(count)}
    return Program("tables", {"x": x}, lines, results, error=1e-5)


def rows():
    """A reduction and what stands over the same rows, which on a GPU are one text."""
    x = whole("float32", (100, 200), 7)
    return Program("rows", {"x": x}, ["y = x - max(x, axes=[1], keepdims=true)"],
                   {"y": x - x.max(axis=1, keepdims=True)})


def columns():
    """An element for each of many short groups; and a row that repeats beside rows that are reduced."""
    x, y = whole("float32", (100, 5), 7), whole("float32", (100, 1), 8)
    u, v = whole("float32", (100, 40), 9), whole("float32", (40,), 10)
    return Program("columns", {"x": x, "y": y, "u": u, "v": v}, ["z = x - y", "s = sum(u * v, -1)"],
                   {"z": x - y, "s": (u * v).sum(-1)})


def neighbours():
    """Sums of neighbours in several rows, of which later rows go on with what earlier ones began."""
    x, k = whole("float32", (200, 400), 7), np.arange(1, 26).reshape(5, 5)
    total = sum(k[i, j] * x[i:196 + i, j:396 + j] for i in range(5) for j in range(5))
    return Program("neighbours", {"x": x}, [f'y = correlate(x, {k.tolist()}, "valid")'],
                   {"y": total.astype(np.float32)})


def quotients(count=3):
    """By way of reciprocals, which no chunk of a program with more to do has."""
    x = whole("uint8", (300,), 1)
    return Program("quotients", {"x": x}, [f"p{i} = x / {i + 3}" for i in range(count)],
                   {f"p{i}": x.astype(np.float32) / np.float32(i + 3) for i in range(count)})


def views(count=110):
    """Inputs seen by way of views, some of them by their elements' numbers; short groups, which are expanded."""
    arrays, terms, total = {}, [], 0
    for i in range(count):
        shape = [(6, 1), (4,), (2, 1, 3, 1), (1, 2, 1, 2)][i % 4]
        arrays[f"x{i}"] = x = whole("int32", shape, i)
        if i % 4 < 2:
            terms.append(f"reshape(x{i} + {'b' if i % 4 == 0 else 'a'}, [2, 2, 3, 2]) * {2 * i + 1}")
            total = total + np.reshape(x + (np.arange(4) if i % 4 == 0 else np.arange(6)[:, None]).astype(np.int32),
                                       (2, 2, 3, 2)) * np.int32(2 * i + 1)
        else:
            terms.append(f"x{i} * {2 * i + 1}")
            total = total + x * np.int32(2 * i + 1)
    arrays["a"], arrays["b"] = np.arange(6, dtype=np.int32)[:, None], np.arange(4, dtype=np.int32)
    return Program("views", arrays, [f"total = {' + '.join(terms)}"], {"total": total.astype(np.int32)})


def parts(count=110):
    """As many kernels: results of one shape each, with divisions, array literals and views."""
    arrays, lines, results, sizes = {}, [], {}, {}
    for i in range(count):
        arrays[f"x{i}"] = x = whole("int32", (2 * (i + 1), 2), i)
        arrays[f"y{i}"] = y = whole("int32", (4,), i + 1000) % 5 - 2
        sizes[f"x{i}"] = (f"n{i}", "2")
        lines.append(f"z{i} = reshape(x{i}, [-1, 4]) // y{i} + [{i}, {i + 1}, {i + 2}, {i + 3}]")
        quotient = np.where(y == 0, 0, x.reshape(-1, 4) // np.where(y == 0, 1, y))
        results[f"z{i}"] = (quotient + np.arange(i, i + 4)).astype(np.int32)
    return Program("parts", arrays, lines, results, remark=True, sizes=sizes)


def joined(count=300):
    """More values than one kernel joins; those with few elements and those with none lie between others."""
    arrays = {f"x{i}": whole("int32", (2, (i * 7) % 5), i) for i in range(count)}
    names = ", ".join(arrays)
    others = ", ".join(f"x{i}[:, 1]" for i in range(count) if i * 7 % 5 > 1)
    last = [x[:, 1] for x in arrays.values() if x.shape[1] > 1]
    return Program("joined", arrays, [f"row = concat({names}, axis=1)", f"pairs = stack({others}, axis=-1) ^ 5",
                                      f"rows = stack({others})"],
                   {"row": np.concatenate(list(arrays.values()), axis=1), "pairs": np.stack(last, axis=-1) ^ 5,
                    "rows": np.stack(last)})


ALL = [outputs, inputs, divisions, instructions, functions, hoisted, tables, views, parts, joined]
