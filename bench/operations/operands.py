"""The operations of the bench and their operands: which types a row of grammar/ops.def is tried on, and four sets of
values for each,

    usual   where the function is defined and its result is an ordinary number; small integers
    wide    both signs, from -200 to 200; integers from all that the type has
    huge    both signs, sizes from one end of the type to the other, logarithmically (floats alone)
    odd     usual ones among which every sixteenth is a zero, infinite, NaN, subnormal or the largest (floats alone)"""
import ml_dtypes
import numpy as np

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
TYPES = ("bool",) + INTEGERS + FLOATS
RULES = {"LOGIC": ("bool",), "BITS": ("bool",) + INTEGERS, "SHIFT": INTEGERS, "SELECT": TYPES, "REAL": FLOATS,
         "TEST": FLOATS, "ROUNDING": FLOATS, "NEAREST": FLOATS, "DIVISION": ("uint8", "int32") + FLOATS}
PAIRS = (("bool", "float32"), ("bool", "float64"), ("uint8", "float32"), ("int32", "float32"), ("int64", "float64"),
         ("float16", "float32"), ("float32", "float64"), ("uint8", "int16"), ("int32", "int64"), ("int64", "uint64"))
OF_PAIRS = ("+", "*", "/", "<", "min")
SETS = ("usual", "wide", "huge", "odd")

# Where a function is defined and not yet flat; of two operands, for each.
POSITIVE, UNIT = (0.1, 100), (-0.95, 0.95)
DOMAINS = {"log": POSITIVE, "log2": POSITIVE, "log10": POSITIVE, "sqrt": POSITIVE, "rsqrt": POSITIVE,
           "asin": UNIT, "acos": UNIT, "atanh": UNIT, "acosh": (1, 100), "log1p": (-0.5, 10), "erf": (-3, 3),
           "erfc": (-3, 3), "**": ((0.1, 10), (-3, 3)), "fpow": ((0.1, 10), (-3, 3)), "//": ((0, 100), (1, 10)),
           "%": ((0, 100), (1, 10)), "fmod": ((0, 100), (1, 10)), "truncdiv": ((0, 100), (1, 10))}


def dtype_of(kind):
    return np.dtype(ml_dtypes.bfloat16 if kind == "bfloat16" else kind)


def domain(name, k):
    found = DOMAINS.get(name, (-4, 4))
    return found[k] if isinstance(found[0], tuple) else found


def floats(name, k, kind, chosen, count, random):
    info = ml_dtypes.finfo(dtype_of(kind))
    if chosen == "wide":
        x = random.uniform(-200, 200, count)
    elif chosen == "huge":
        x = np.exp2(random.uniform(np.log2(float(info.tiny)), np.log2(float(info.max)) - 0.5, count))
        x *= random.choice([-1, 1], count)
    else:
        x = random.uniform(*domain(name, k), count)
    x = x.astype(dtype_of(kind))
    if chosen == "odd":
        odd = [0, -0.0, np.inf, -np.inf, np.nan, float(info.tiny) / 4, float(info.max), -float(info.max)]
        x[::16] = random.choice(odd, len(x[::16])).astype(x.dtype)
    return x


def integers(name, k, kind, chosen, count, random):
    info = np.iinfo(kind)
    if chosen == "wide":
        return random.integers(info.min, info.max, count, kind, endpoint=True)
    below = {"<<": info.bits, ">>": info.bits, "**": 6}.get(name, 100) if k else 100
    return random.integers(name in ("//", "%", "fmod", "truncdiv"), below, count).astype(kind)


def operand(name, k, kind, chosen, count, random):
    """Operand k of a row, on a 64-byte boundary; None where a type has no such values."""
    if kind == "bool":
        x = random.random(count) < 0.5 if chosen == "usual" else None
    elif kind in FLOATS:
        x = floats(name, k, kind, chosen, count, random)
    else:
        x = integers(name, k, kind, chosen, count, random) if chosen in ("usual", "wide") else None
    return None if x is None else aligned_copy(x)


def aligned_copy(x):
    raw = np.zeros(x.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    y = raw[start:start + x.nbytes].view(x.dtype)
    y[...] = x
    return y


def operands(name, kinds, chosen, count):
    """A set for each operand. One that has no such values takes usual ones, unless none has them: then None."""
    random = np.random.default_rng(17)
    found = [operand(name, k, kind, chosen, count, random) for k, kind in enumerate(kinds)]
    if all(x is None for x in found):
        return None
    return [operand(name, k, kinds[k], "usual", count, random) if x is None else x for k, x in enumerate(found)]


def expression(row):
    """The row on operands x, y, z; a condition is c."""
    name, names = row["names"][0], ("x", "y", "z")[:len(row["parameters"])]
    if row["rule"] == "SELECT":
        return "where(c, x, y)"
    if name[0].isalpha() and name not in ("and", "or", "not"):
        return f"{name}({', '.join(names)})"
    return f"{name} x" if len(names) == 1 else f"x {name} y"


def cases(rows):
    """(name, text, types of the operands) of every row and type, of pairs of types, and of conversions."""
    for row in rows:
        if "rule" not in row or row["form"] in ("view", "conversion", "reduction"):
            continue
        name, arity, select = row["names"][0], len(row["parameters"]), row["rule"] == "SELECT"
        for kind in RULES.get(row["rule"], INTEGERS + FLOATS):
            if kind == "uint64" and arity == 1 and name in ("-",):
                continue
            yield row, expression(row), (("bool", kind, kind) if select else (kind,) * arity)
        if name in OF_PAIRS and arity == 2:
            for pair in PAIRS:
                yield row, expression(row), pair
    for source in TYPES:
        for target in TYPES:
            if source != target:
                yield {"names": ["cast"], "target": target}, f"{target}(x)", (source,)
