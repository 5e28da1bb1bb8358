"""weft.math a second time: at once, in NumPy, by the words of docs/named.md and docs/language.md. A tensor is an
array and the dimensions of its axes, or a list of such of unlike sizes.

What the contract leaves to a target (exp, powers, orders of sums that it does not say) goes to `judge`, which gives the
values that are to be gone on with and which this module finds near enough, or not (Wrong)."""
import collections
import contextlib
import itertools
import math as _math
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), "reduce"), os.path.join(os.path.dirname(HERE), "positions")]
from reference import reduce as reduce_by_rule  # noqa: E402

del sys.modules["reference"], sys.path[0]
from reference import random as random_by_rule  # noqa: E402

Dim = collections.namedtuple("Dim", "name kind size labels")
KINDS = ("batch", "instance", "spatial", "channel")
judge = None  # judge(name, operands, arguments): weft.math's values, an array


class IncompatibleShapes(ValueError):
    """Dimensions that do not match (8.5)."""


class Late(IndexError):
    """A position outside, which is told when values are needed."""


class Wrong(Exception):
    """Inexact values that are too far off."""


# Shapes.

class Shape:
    def __init__(self, dims):
        self.dims = tuple(dims)
        self.names = tuple(d.name for d in dims)


def kind_function(kind):
    def function(*names, **sizes):
        dims = [Dim(name, kind, None, None) for text in names for name in text.split(",")]
        for name, size in sizes.items():
            labels = tuple(size.split(",")) if isinstance(size, str) else None
            dims.append(Dim(name, kind, len(labels) if labels else size, labels))
        return Shape(dims)
    function.kinds = (kind,)
    return function


batch, instance, spatial, channel = map(kind_function, KINDS)


def non_batch(_):
    raise NotImplementedError


non_batch.kinds = KINDS[1:]


def merge(*lists):
    """Rule 8.5."""
    found = {}
    for dims in lists:
        for d in dims:
            before = found.setdefault(d.name, d)
            differ = before.labels and d.labels and before.labels != d.labels and d.size != 1
            if before.kind != d.kind or before.size != d.size or differ:
                raise IncompatibleShapes(f"{before} and {d}")
            if not before.labels:
                found[d.name] = before._replace(labels=d.labels)
    return tuple(sorted(found.values(), key=lambda d: KINDS.index(d.kind)))


def names_in(dims, t):
    """The names of t's dimensions that dims says."""
    if dims is None:
        return []
    if isinstance(dims, str):
        named = dims.split(",")
    elif isinstance(dims, Shape):
        named = dims.names
    elif callable(dims):
        named = [d.name for d in t.dims if d.kind in dims.kinds]
    else:
        named = [name for each in dims for name in names_in(each, t)]
    return [name for name in dict.fromkeys(named) if name in t.names]


# Types.

FLOATS = (np.float16, np.float32, np.float64)
_precision = [32]


@contextlib.contextmanager
def precision(bits):
    _precision.append(bits)
    try:
        yield
    finally:
        _precision.pop()


def floating():
    return np.dtype(f"float{_precision[-1]}")


def is_float(dtype):
    return dtype.kind == "f"


def promote(a, b):
    """Section 3."""
    if a == b:
        return a
    if is_float(a) or is_float(b):
        return a if not is_float(b) else b if not is_float(a) else max(a, b, key=lambda d: d.itemsize)
    (x, s), (y, r) = [(1 if d.kind == "b" else 8 * d.itemsize, d.kind == "i") for d in (a, b)]
    if s == r:
        return a if x >= y else b
    if r:
        x, y = y, x
    return np.dtype(f"int{x if x > y else min(2 * y, 64)}")


def common(*dtypes):
    """B4.3."""
    if any(map(is_float, dtypes)):
        return floating()
    made = dtypes[0]
    for dtype in dtypes[1:]:
        made = promote(made, dtype)
    return made


def convert(a, dtype):
    """Rule 4.6: nearest, saturating."""
    dtype = np.dtype(dtype)
    if a.dtype == dtype:
        return a
    if dtype.kind == "b":
        return a != 0
    if is_float(dtype):
        with np.errstate(all="ignore"):
            return (a.astype(np.float64) if dtype == np.float16 else a).astype(dtype)
    info = np.iinfo(dtype)
    if is_float(a.dtype):
        a = np.rint(a.astype(np.float64))
        low, high = a <= info.min, a >= info.max
        inside = np.where(low | high | np.isnan(a), 0, a).astype(dtype)
        return np.where(low, dtype.type(info.min), np.where(high, dtype.type(info.max), inside))
    a = a.astype(np.uint8) if a.dtype.kind == "b" else a
    return np.where(a < info.min, dtype.type(info.min), np.where(a > info.max, dtype.type(info.max), a.astype(dtype)))


def dtype_of(dtype):
    if isinstance(dtype, tuple):
        return np.dtype(f"{dtype[0].__name__}{dtype[1]}")
    return np.dtype({None: floating(), float: floating(), int: "int32", bool: "bool"}.get(dtype, dtype))


# Tensors.

class Tensor:
    def __init__(self, dims, a=None, parts=None, along=None):
        self.dims, self.parts, self.along_name, self.literal = tuple(dims), parts, along, False
        self.a = None if a is None else np.asarray(a)
        if len(set(self.names)) < len(self.dims):
            raise IncompatibleShapes(f"a name twice in {self.names}")
        if a is not None:
            assert a.shape == tuple(d.size for d in dims), (a.shape, dims)

    names = property(lambda self: tuple(d.name for d in self.dims))
    dtype = property(lambda self: self.a.dtype if self.parts is None else self.parts[0].dtype)
    sizes = property(lambda self: tuple(d.size for d in self.dims))
    volume = property(lambda self: self.a.size if self.parts is None else sum(p.volume for p in self.parts))

    def dim(self, name):
        return self.dims[self.names.index(name)]

    def of(self, *kinds):
        return [d for d in self.dims if d.kind in kinds]

    def __getattr__(self, name):
        if name in ("sum", "mean", "std", "min", "max", "any", "all"):
            return reduce(name, self, list(self.names))
        if name[0] == "_":
            raise AttributeError(name)
        return Bound(self, name)

    def __getitem__(self, item):
        if isinstance(item, dict):
            t = self
            for name, each in item.items():
                t = select(t, name, each)
            return t
        channels = self.of("channel")
        dims = channels if len(channels) == 1 else self.of(*KINDS[1:])
        if isinstance(item, Tensor) and item.dtype == bool and len(item.dims) == 1 and item.names[0] in self.names:
            dims = item.dims
        if len(dims) != 1:
            raise ValueError("no one dimension")
        return select(self, dims[0].name, item)

    def numpy(self, order=None):
        if self.parts is not None:
            raise ValueError("unlike sizes")
        if order is None:
            if len(self.dims) > 1:
                raise ValueError("no order")
            return self.a
        names = order.split(",") if order else []
        if not set(self.names) <= set(names):
            raise ValueError("an order leaves out dimensions")
        a = self.a.transpose([self.names.index(name) for name in names if name in self.names])
        return a[tuple(slice(None) if name in self.names else None for name in names)]

    def __iter__(self):
        if self.parts is not None:
            raise ValueError("unlike sizes")
        return iter(self.a.reshape(-1).tolist())

    def __len__(self):
        if len(self.dims) != 1:
            raise TypeError("rank")
        return self.dims[0].size

    def one(self):
        if self.volume != 1:
            raise ValueError("volume")
        return self.a.reshape(-1)[0] if self.parts is None else next(p for p in self.parts if p.volume).one()

    __float__ = lambda self: float(self.one())
    __int__ = lambda self: int(self.one())

    def __bool__(self):
        if self.dims:
            raise ValueError("rank")
        return bool(self.a)

    __hash__ = None
    __neg__ = lambda self: negative(self)
    __pos__ = lambda self: self
    __abs__ = lambda self: abs(self)
    __invert__ = lambda self: invert(self)


def operator(symbol):
    return (lambda self, other: binary(symbol, self, other)), (lambda self, other: binary(symbol, other, self))


for _name, _symbol in [("add", "+"), ("sub", "-"), ("mul", "*"), ("truediv", "/"), ("floordiv", "//"), ("mod", "%"),
                       ("pow", "**"), ("and", "&"), ("or", "|"), ("xor", "^"), ("lshift", "<<"), ("rshift", ">>")]:
    _forward, _back = operator(_symbol)
    setattr(Tensor, f"__{_name}__", _forward)
    setattr(Tensor, f"__r{_name}__", _back)
for _name, _symbol in [("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")]:
    setattr(Tensor, f"__{_name}__", operator(_symbol)[0])
Tensor.__array_ufunc__ = None


class Bound:
    """t.x"""

    def __init__(self, t, name):
        self.t, self.name = t, name

    def __getitem__(self, item):
        return select(self.t, self.name, item)

    def __mul__(self, other):
        return reduce("sum", binary("*", self.t, other), self.name)

    def rename(self, name):
        return rename_dims(self.t, self.name, name)

    def unstack(self):
        return unstack(self.t, self.name) if self.name in self.t.names else (self.t,)

    def changed(self, kind, name):
        if self.name not in self.t.names:
            return self.t
        return rename_dims(self.t, self.name, Shape([Dim(name or self.name, kind, None, None)]))


for _kind in KINDS:
    setattr(Bound, f"as_{_kind}", lambda self, name=None, kind=_kind: self.changed(kind, name))


def laid(t, dims):
    """The values of t along dims."""
    a = t.a.transpose([t.names.index(d.name) for d in dims if d.name in t.names])
    return np.broadcast_to(a[tuple(slice(None) if d.name in t.names else None for d in dims)], [d.size for d in dims])


def reordered(t, dims):
    return Tensor(dims, laid(t, dims))


def wrap(data, *shapes):
    if isinstance(data, (bool, int, float)):
        return operand(data)
    a = np.asarray(data)
    given = [d for shape in shapes for d in shape.dims]
    if len(given) != a.ndim or any(d.size not in (None, size) for d, size in zip(given, a.shape)):
        raise ValueError("shapes that do not fit")
    return Tensor([d._replace(size=size) for d, size in zip(given, a.shape)], a)


tensor = wrap


def operand(x, beside=None):
    """B4.4."""
    if isinstance(x, Tensor):
        return x
    if isinstance(x, bool):
        return Tensor((), np.array(x))
    if isinstance(x, int):
        kind = next(k for k in ("int32", "int64", "uint64") if np.iinfo(k).min <= x <= np.iinfo(k).max)
        t = Tensor((), np.array(x, kind))
        t.literal = True
        return t
    if isinstance(x, float):
        return Tensor((), convert(np.array(x), floating()))
    if isinstance(x, np.generic):
        return Tensor((), np.array(x))
    a = np.asarray(x)
    if beside is None:
        return Tensor([Dim("vector", "channel", len(a), None)], a)
    channels = beside.of("channel")
    dim = channels[0] if len(channels) == 1 else beside.dim("vector") if "vector" in beside.names else \
        beside.dims[0] if len(beside.dims) == 1 else None
    if dim is None or dim.size != len(a):
        raise IncompatibleShapes("values along no dimension")
    return Tensor([dim], a)


# Unlike sizes (B8).

def part_of(t, name, i):
    return t.parts[i] if t.parts is not None and t.along_name == name else select(t, name, i)


def ragged(function):
    """A function of tensors and other things, of each part."""
    def spread(*args, **options):
        along = [t.dim(t.along_name) for t in args if isinstance(t, Tensor) and t.parts is not None]
        if not along:
            return function(*args, **options)
        if any(d.name != along[0].name for d in along):
            raise ValueError("two dimensions of unlike sizes")
        [dim] = merge(along, [d for t in args if isinstance(t, Tensor) for d in t.dims if d.name == along[0].name])
        late, made = None, []
        for i in range(dim.size):
            try:
                made.append(spread(*[part_of(t, dim.name, i) if isinstance(t, Tensor) else t for t in args], **options))
            except Late as error:  # after what is wrong with shapes of other parts
                late = error
        if late:
            raise late
        return of_parts(made, dim)
    spread.__name__ = function.__name__
    return spread


def of_parts(parts, dim):
    if any(t.parts is not None for t in parts):
        raise ValueError("unlike sizes in unlike sizes")
    return stacked(parts, dim)


def stacked(values, dim, drop=True):
    """Tensors along a new dimension; unlike sizes make parts. drop: labels that differ are left out."""
    if not values:
        raise ValueError("no values")
    for t in values:
        if dim.name in t.names:
            raise ValueError("a dimension is there already")
    if any(t.parts is not None for t in values):
        return ragged(lambda *each: stacked(each, dim, drop))(*values)
    dtype = values[0].dtype
    for t in values[1:]:
        dtype = promote(dtype, t.dtype)
    values = [Tensor(t.dims, convert(t.a, dtype)) for t in values]
    sizes = collections.defaultdict(set)
    for t in values:
        for d in t.dims:
            sizes[d.name].add(d.size)
    if all(len(each) == 1 for each in sizes.values()):
        lists = [without_differing(t.dims, values) for t in values] if drop else [t.dims for t in values]
        dims = merge([dim], *lists)
        at = dims.index(next(d for d in dims if d.name == dim.name))
        rest = [d for d in dims if d.name != dim.name]
        return Tensor(dims, np.stack([laid(t, rest) for t in values], at))
    first = values[0]
    if any(set(t.names) != set(first.names) for t in values):
        raise ValueError("unlike sizes of unlike names")
    parts = [
        Tensor([t.dim(name) for name in first.names], laid(t, [t.dim(name) for name in first.names])) for t in values
    ]
    dims = []
    for d in first.dims:
        each = [t.dim(d.name) for t in parts]
        if any(one.kind != d.kind for one in each):
            raise IncompatibleShapes("kinds")
        size = d.size if len(sizes[d.name]) == 1 else tuple(one.size for one in each)
        same = len(sizes[d.name]) == 1 and all(one.labels == d.labels for one in each)
        dims.append(d._replace(size=size, labels=d.labels if same else None))
    return Tensor(merge([dim], dims), None, parts, dim.name)


def without_differing(dims, values):
    found = collections.defaultdict(set)
    for t in values:
        for d in t.dims:
            found[d.name] |= {d.labels} - {None}
    return [d._replace(labels=None) if len(found[d.name]) > 1 else d for d in dims]


# Elements (section 4).

def floor_divide(a, b):
    if is_float(a.dtype):
        wide = np.float32 if a.dtype == np.float16 else a.dtype
        return np.floor_divide(a.astype(wide), b.astype(wide)).astype(a.dtype)
    safe = np.where((b == 0) | (b == -1 if a.dtype.kind == "i" else False), 1, b).astype(a.dtype)
    made = np.where(b == 0, 0, np.floor_divide(a, safe)).astype(a.dtype)
    return np.where(b == -1, np.negative(a), made).astype(a.dtype) if a.dtype.kind == "i" else made


def remainder(a, b):
    if is_float(a.dtype):
        wide = np.float32 if a.dtype == np.float16 else a.dtype
        a, b, dtype = a.astype(wide), b.astype(wide), a.dtype
        r = np.fmod(a, b)
        r = np.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)
        return np.where(r == 0, np.copysign(wide.type(0) if hasattr(wide, "type") else wide(0), b), r).astype(dtype)
    safe = np.where((b == 0) | (b == -1 if a.dtype.kind == "i" else False), 1, b).astype(a.dtype)
    return np.where(b == 0, 0, np.remainder(a, safe)).astype(a.dtype)


def power(a, b):
    made = np.power(a, np.where(b < 0, 0, b).astype(a.dtype))
    return np.where(b < 0, 0, made).astype(a.dtype)


def larger(a, b):
    return np.where((a != a) | (b != b), a + b, np.where(b > a, b, a)) if is_float(a.dtype) else np.maximum(a, b)


def smaller(a, b):
    return np.where((a != a) | (b != b), a + b, np.where(b < a, b, a)) if is_float(a.dtype) else np.minimum(a, b)


def shifted_bits(a, b, left):
    width = 8 * a.dtype.itemsize
    outside = (b < 0) | (b >= width)
    count = np.where(outside, 0, b).astype(a.dtype)
    made = np.left_shift(a, count) if left else np.right_shift(a, count)
    return np.where(outside, 0 if left else np.where(a < 0, -1, 0).astype(a.dtype), made).astype(a.dtype)


ARITHMETIC = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
              "//": floor_divide, "%": remainder, "max": larger, "min": smaller, "copysign": np.copysign, "**": power}
COMPARED = {"==": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater,
            ">=": np.greater_equal}
BITS = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
        "<<": lambda a, b: shifted_bits(a, b, True), ">>": lambda a, b: shifted_bits(a, b, False)}


def binary(symbol, a, b):
    if isinstance(a, Bound) or isinstance(b, Bound):
        return NotImplemented
    a = operand(a, b if isinstance(b, Tensor) else None)
    return element_wise(symbol, a, operand(b, a))


@ragged
def element_wise(symbol, a, b):
    dims, kinds = merge(a.dims, b.dims), (a.dtype, b.dtype)
    kind = common(*kinds)
    if symbol in BITS and is_float(kind):
        raise TypeError("bits of floats")
    if symbol in ("/", "arctan2", "hypot", "copysign"):
        kind = floating()
    elif kind == bool and symbol in ("+", "-", "//", "%", "**", "<<", ">>"):
        kind = np.dtype("int32")
    x, y = laid(a, dims), laid(b, dims)
    if symbol == "**" and not is_float(kind) and b.a.size and (b.a == b.a.flat[0]).all() and b.a.flat[0] < 0:
        if b.literal:
            raise ValueError("a negative int as exponent of ints")
        raise NotImplementedError  # it may be a number, too
    if symbol not in COMPARED or is_float(kind):
        x, y = convert(x, kind), convert(y, kind)
    with np.errstate(all="ignore"):
        if symbol in ("arctan2", "hypot") or symbol == "**" and is_float(kind):
            wide = wider(kind)
            if symbol == "**":
                want = np.power(x.astype(wide), y.astype(wide))
            else:
                want = getattr(np, symbol)(x.astype(wide), y.astype(wide))
            return ulps_off(symbol, [Tensor(dims, x), Tensor(dims, y)], dims, want, kind)
        made = {**ARITHMETIC, **COMPARED, **BITS}[symbol](x, y)
        if kind == bool and symbol in ("*", "max", "min"):
            made = x | y if symbol == "max" else x & y
    return Tensor(dims, made)


def wider(kind):
    return np.longdouble if kind == np.float64 else np.float64


def checked(name, operands, arguments, dims, want, dtype, allowed):
    """Values that may be off by so much."""
    want = want.astype(dtype)
    if judge is None:
        return Tensor(dims, want)
    got = judge(name, operands, arguments)
    if got.shape != want.shape or got.dtype != dtype:
        raise Wrong(f"{name} gives {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}")
    with np.errstate(all="ignore"):
        wide = wider(dtype)
        near = np.abs(got.astype(wide) - want.astype(wide)) <= allowed
        near |= (got == want) | (np.isnan(got) & np.isnan(want)) | ~np.isfinite(allowed)
    if not near.all():
        at = tuple(np.argwhere(~near)[0])
        raise Wrong(
            f"{name} of {[(t.dims, t.a, t.a.dtype) if t.parts is None else t.parts for t in operands]} {arguments}"
            f" at {at} is {got[at]!r}, not {want[at]!r}"
        )
    return Tensor(dims, got)


def ulps_off(name, operands, dims, want, dtype, count=4):
    """Rule 3.4."""
    with np.errstate(all="ignore"):
        unit = np.abs(np.spacing(want.astype(np.float32 if dtype == np.float16 else dtype)))
        allowed = (count + 2) * unit.astype(wider(dtype))
        if dtype == np.float16:
            allowed = allowed + np.abs(np.spacing(want.astype(np.float16))).astype(np.float64)
        tiny = np.finfo(dtype).tiny
        allowed = np.where(np.isfinite(want), allowed + (np.finfo(dtype).smallest_subnormal if dtype == np.float16 else
                                                         0 * tiny), 0)
        edge = np.isfinite(want) & (np.abs(want) >= float(np.finfo(dtype).max) * (1 - 8 * float(np.finfo(dtype).eps)))
        allowed = np.where(edge, np.inf, allowed)
    return checked(name, operands, (), dims, want, dtype, allowed)


def sorted_dims(t):
    return merge(t.dims)


def unary(function):
    @ragged
    def of(t):
        dims = sorted_dims(t)
        with np.errstate(all="ignore"):
            return Tensor(dims, function(laid(t, dims)))
    return lambda x: of(operand(x))


def _negative(a):
    if a.dtype == bool:
        raise TypeError("- of a bool")
    return -a


def _invert(a):
    if is_float(a.dtype):
        raise TypeError("~ of a float")
    return ~a


def rounding(function):
    return unary(lambda a: function(a) if is_float(a.dtype) else a)


negative, invert = unary(_negative), unary(_invert)
abs = unary(lambda a: a if a.dtype == bool else np.abs(a))
sign = unary(lambda a: a if a.dtype == bool else np.where(a == 0, a, np.sign(a)).astype(a.dtype))
floor, ceil, round, trunc = map(rounding, (np.floor, np.ceil, np.rint, np.trunc))
isnan, isinf, isfinite = [unary(lambda a, f=f: f(a) if is_float(a.dtype) else np.full(a.shape, f is np.isfinite))
                          for f in (np.isnan, np.isinf, np.isfinite)]


def in_floats(function):
    """In the current precision, float16 in float32."""
    def compute(a):
        a = convert(a, floating())
        return function(a.astype(np.float32) if a.dtype == np.float16 else a).astype(a.dtype)
    return unary(compute)


sqrt, rsqrt = in_floats(np.sqrt), in_floats(lambda a: (1 / np.sqrt(a)).astype(a.dtype))


def inexact(name, function):
    @ragged
    def of(t):
        dims = sorted_dims(t)
        x = convert(laid(t, dims), floating())
        with np.errstate(all="ignore"):
            want = function(x.astype(wider(x.dtype)))
        return ulps_off(name, [Tensor(dims, x)], dims, np.asarray(want), x.dtype)
    return lambda x: of(operand(x))


exp, exp2, expm1, log, log2, log10, log1p, sin, cos, tan = [inexact(name, getattr(np, name)) for name in (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan".split())]
arcsin, arccos, arctan, sinh, cosh, tanh, arcsinh, arccosh, arctanh, cbrt = [
    inexact(name, getattr(np, name)) for name in (
        "arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh cbrt".split())]
erf = inexact("erf", np.vectorize(_math.erf, otypes=[np.float64]))


def maximum(a, b):
    return binary("max", a, b)


def minimum(a, b):
    return binary("min", a, b)


def arctan2(a, b):
    return binary("arctan2", a, b)


def hypot(a, b):
    return binary("hypot", a, b)


def copysign(a, b):
    return binary("copysign", a, b)


def operands(*values):
    beside = next((v for v in values if isinstance(v, Tensor)), None)
    return [operand(v, beside) for v in values]


def clip(x, lower=0, upper=1):
    return _clip(*operands(x, lower, upper))


@ragged
def _clip(x, lower, upper):
    kind, dims = common(x.dtype, lower.dtype, upper.dtype), merge(x.dims, lower.dims, upper.dims)
    x, lower, upper = [convert(laid(t, dims), kind) for t in (x, lower, upper)]
    if kind == bool:
        return Tensor(dims, (x | lower) & upper)
    with np.errstate(all="ignore"):
        return Tensor(dims, smaller(larger(x, lower), upper))


def where(c, a, b):
    return _where(*operands(c, a, b))


@ragged
def _where(c, a, b):
    kind, dims = common(a.dtype, b.dtype), merge(c.dims, a.dims, b.dims)
    return Tensor(dims, np.where(laid(c, dims) != 0, convert(laid(a, dims), kind), convert(laid(b, dims), kind)))


def cast(x, dtype):
    return _cast(operand(x), dtype_of(dtype))


@ragged
def _cast(t, dtype):
    dims = sorted_dims(t)
    a = laid(t, dims)
    if dtype.kind in "iu" and is_float(a.dtype):
        with np.errstate(all="ignore"):
            a = convert(np.trunc(a), dtype)
    elif dtype.kind in "iu":
        a = a.astype(dtype)
    return Tensor(dims, convert(a, dtype))


def to_float(x):
    return cast(x, floating())


def to_int32(x):
    return cast(x, np.int32)


def to_int64(x):
    return cast(x, np.int64)


def to_int(x, bits=32):
    return cast(x, f"int{bits}")


# Reductions (section 11).

def sum_type(dtype):
    return dtype if is_float(dtype) else np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def reduce(name, t, dims):
    over = names_in(dims, t)
    if t.parts is None:
        return reduce_array(name, t, over)
    if t.along_name not in over:
        return ragged(lambda t: reduce(name, t, over))(t)
    if any(isinstance(d.size, tuple) and d.name not in over for d in t.dims):
        raise ValueError("over a part of what varies")
    rest = [d for d in t.dims if d.name not in over]
    flat = [reordered(p, [*[d for d in p.dims if d.name in over], *rest]) for p in t.parts]
    count = len(over) - 1  # along_name is no dimension of a part
    rows = np.concatenate([f.a.reshape(int(np.prod(f.a.shape[:count])), *[d.size for d in rest]) for f in flat])
    whole = Tensor([Dim("rows_", "instance", len(rows), None), *rest], rows)
    made = reduce_array(name, whole, ["rows_"])
    if is_float(t.dtype) and name in ("sum", "prod", "mean", "std"):  # in an order that is not said
        return near_sum(name, [t], (over,), made.dims, made.a, whole, [0])
    return made


def near_sum(name, operands, arguments, dims, want, t, axes, extra=1):
    """A sum in another order, or mean or std by one."""
    with np.errstate(all="ignore"):
        size = np.abs(t.a.astype(np.float64))
        count = int(np.prod([t.a.shape[d] for d in axes], dtype=np.int64))
        bound = size.sum(tuple(axes)) if name != "prod" else np.abs(want.astype(np.float64))
        if name in ("mean", "std", "finite_mean", "finite_std"):
            bound = bound / max(1, count)
        if name.endswith("std"):
            bound = bound + size.max(tuple(axes), initial=0)
        eps = np.finfo(want.dtype).eps
        large = bound > float(np.finfo(want.dtype).max) * 1e-3
        if name.endswith("std"):
            large |= bound ** 2 > 1e-3 * float(np.finfo(np.float64 if want.dtype == np.float64 else np.float32).max)
        if name.endswith("prod"):
            large |= np.full(np.shape(bound), True)
        allowed = np.where(large | ~np.isfinite(bound), np.inf, extra * (count + 70) * eps * bound +
                           (np.finfo(want.dtype).smallest_subnormal if want.dtype == np.float16 else 0))
    return checked(name, operands, arguments, dims, want, want.dtype, allowed)


def reduce_array(name, t, over):
    axes = [i for i, d in enumerate(t.dims) if d.name in over]
    dims = [d for d in t.dims if d.name not in over]
    if name in ("min", "max"):
        if t.dtype == bool:
            return reduce_array("any" if name == "max" else "all", t, over)
        if any(t.a.shape[d] == 0 for d in axes) and all(d.size for d in dims):
            raise ValueError("of no elements")
        if not all(d.size for d in dims):
            return Tensor(dims, np.zeros([d.size for d in dims], t.dtype))
    with np.errstate(all="ignore"):
        made = np.asarray(reduce_by_rule(name, t.a, axes))
        if name in ("mean", "std") and not is_float(t.dtype) and floating() != np.float32:
            wide = Tensor(t.dims, t.a.astype(np.float64))
            want = np.asarray(reduce_by_rule(name, wide.a, axes)).astype(floating())
            return near_sum(name, [t], (over,), dims, want, wide, axes, 1 if floating() == np.float64 else 8)
    return Tensor(dims, made.reshape([d.size for d in dims]))


def listed(value):
    if isinstance(value, (list, tuple)):
        return stacked([operand(each) for each in value], Dim("values", "instance", len(value), None))
    return operand(value)


def reduction(name):
    return lambda value, dim=non_batch: reduce(name, listed(value), dim)


sum, prod, mean, std, min, max, any, all = map(reduction, "sum prod mean std min max any all".split())
_sum, _all, _any, _max = sum, all, any, max
import builtins as _builtins  # noqa: E402

sum, all, any, max, min = [getattr(_builtins, name) for name in ("sum", "all", "any", "max", "min")]


def finite(name):
    def of(value, dim=non_batch):
        return reduce_finite(name, listed(value), dim)
    return of


def reduce_finite(name, t, dim):
    """Without its elements that are not finite, which changes the order of a sum."""
    over = names_in(dim, t)
    if t.parts is not None and t.along_name not in over:
        return ragged(lambda t: reduce_finite(name, t, over))(t)
    if t.parts is not None:
        raise NotImplementedError
    if not is_float(t.dtype):
        return reduce_array(name, t, over)
    axes = [i for i, d in enumerate(t.dims) if d.name in over]
    dims = [d for d in t.dims if d.name not in over]
    if name in ("min", "max") and any(t.a.shape[d] == 0 for d in axes) and all(d.size for d in dims):
        raise ValueError("of no elements")
    a = t.a.transpose(axes + [i for i in range(t.a.ndim) if i not in axes])
    a = a.reshape(-1 if a.size else int(np.prod([t.a.shape[d] for d in axes])), *[d.size for d in dims])
    made = np.zeros(a.shape[1:], t.dtype)
    for place in np.ndindex(*a.shape[1:]):
        values = a[(slice(None), *place)]
        values = values[np.isfinite(values)]
        none = not len(values) and name in ("min", "max")
        with np.errstate(all="ignore"):
            made[place] = np.nan if none else reduce_by_rule(name, values, [0])
    if name in ("min", "max"):
        return Tensor(dims, made)
    kept = Tensor(t.dims, np.where(np.isfinite(t.a), t.a, 0))
    return near_sum(f"finite_{name}", [t], (over,), dims, made, kept, axes, 4)


finite_sum, finite_prod, finite_mean, finite_std, finite_min, finite_max = map(
    finite, "sum prod mean std min max".split())


def cumulative_sum(x, dim):
    if x.parts is not None and x.along_name in names_in(dim, x):
        raise ValueError("along what varies")
    return _cumulative(operand(x), names_in(dim, x))


@ragged
def _cumulative(t, names):
    for name in names:
        axis = t.names.index(name)
        kind = sum_type(t.dtype)
        with np.errstate(all="ignore"):
            want = np.cumsum(t.a.astype(np.float64) if is_float(kind) else t.a.astype(kind), axis)
            sizes = np.cumsum(np.abs(t.a.astype(np.float64)), axis)
        if is_float(kind):
            eps = float(np.finfo(kind).eps)
            with np.errstate(all="ignore"):
                allowed = np.where(sizes < float(np.finfo(kind).max) / 4, (8 + t.a.shape[axis]) * eps * sizes, np.inf)
            t = checked("cumulative_sum", [t], (name,), t.dims, want, kind, allowed)
        else:
            t = Tensor(t.dims, want)
    return t


# Selections.

def select(t, name, item):
    if name not in t.names:
        return t
    if isinstance(item, Tensor):
        if item.dtype == bool:
            return masked(t, name, item)
        if is_float(item.dtype):
            raise TypeError("positions are integers")
        return take(t, name, item)
    if t.parts is not None:
        if name == t.along_name:
            return select_parts(t, t.dim(name), item)
        return ragged(lambda t: select(t, name, item))(t)
    d, at = t.dim(name), t.names.index(name)
    found = positions(d, item)
    if isinstance(found, int):
        return Tensor([e for e in t.dims if e.name != name], np.asarray(t.a.take(found, at), t.dtype))
    return Tensor([kept(d, found) if e.name == name else e for e in t.dims], t.a.take(np.array(found, int), at))


def kept(d, found):
    """A dimension of the elements found."""
    distinct = len(set(found)) == len(found) and found
    return d._replace(size=len(found), labels=tuple(d.labels[i] for i in found) if d.labels and distinct else None)


def positions(d, item):
    """One position, or a list."""
    if isinstance(item, slice):
        return list(range(d.size)[item])
    if isinstance(item, str):
        found = [label_at(d, label.strip()) for label in item.split(",")]
        return found[0] if "," not in item else found
    if isinstance(item, Shape):
        return [label_at(d, label) for label in item.names]
    if isinstance(item, int):
        return inside(d, item)
    return [label_at(d, each) if isinstance(each, str) else inside(d, each) for each in item]


def inside(d, i):
    if not -d.size <= i < d.size:
        raise IndexError("outside")
    return i % d.size


def label_at(d, label):
    if label not in (d.labels or ()):
        raise ValueError("no such label")
    return d.labels.index(label)


def select_parts(t, dim, item):
    found = positions(dim, item)
    if isinstance(found, int):
        return t.parts[found]
    if not found:
        raise ValueError("no parts")
    return of_parts([t.parts[i] for i in found], kept(dim, found))


@ragged
def _take(t, where, name):
    if name not in t.names:
        raise NotImplementedError
    dims = merge([d for d in t.dims if d.name != name], where.dims)
    size = t.dim(name).size
    i = np.asarray(laid(where, [d for d in where.dims])).astype(np.int64)
    if ((i < -size) | (i >= size)).any() and all(d.size for d in dims):
        raise Late("outside")
    if not all(d.size for d in dims):
        return Tensor(dims, np.zeros([d.size for d in dims], t.dtype))
    return Tensor(dims, picked(t, {name: Tensor(where.dims, i % size)}, dims))


def take(t, name, where):
    if t.parts is not None and name == t.along_name:
        if where.parts is not None:
            raise NotImplementedError
        found = [inside(t.dim(name), int(i)) for i in where.a.reshape(-1)]
        if len(where.dims) > 1:
            raise ValueError("parts along two dimensions")
        if not where.dims:
            return reordered(t.parts[found[0]], sorted_dims(t.parts[found[0]]))
        return of_parts([t.parts[i] for i in found], where.dims[0])
    if where.parts is not None and where.along_name == name:
        if t.parts is not None:
            raise NotImplementedError
        return of_parts([_take(t, part, name) for part in where.parts], where.dim(name))
    return _take(t, where, name)


def picked(t, where, dims):
    """Elements of t along dims, at the positions in where by name, which are tensors along some of dims."""
    index = []
    for axis, d in enumerate(t.dims):
        if d.name in where:
            index.append(laid(where[d.name], [e for e in dims]))
        else:
            own = [1] * len(dims)
            own[[e.name for e in dims].index(d.name)] = d.size
            index.append(np.arange(d.size).reshape(own))
    made = t.a[tuple(index)] if index else t.a
    return np.broadcast_to(made, [d.size for d in dims])


def boolean_mask(x, dim, mask):
    [name] = names_in(dim, mask)
    return masked(x, name, mask)


@ragged
def _masked(t, mask, name):
    merge([t.dim(name)], [mask.dim(name)])
    others = [d for d in mask.dims if d.name != name]
    if others:
        if len(others) > 1:
            raise ValueError("two further dimensions")
        dim = merge(others, [d for d in t.dims if d.name == others[0].name])[0]
        return of_parts(
            [_masked(select(t, dim.name, i), select(mask, dim.name, i), name) for i in range(dim.size)], dim
        )
    return select(t, name, [int(i) for i in np.flatnonzero(mask.a)])


def masked(t, name, mask):
    if mask.dtype != bool:
        raise TypeError("a mask is bool")
    if name not in t.names or name not in mask.names:
        raise ValueError("both have the dimension")
    if t.parts is not None and name == t.along_name:
        if mask.parts is not None or len(mask.dims) > 1:
            raise ValueError("parts along two dimensions")
        merge([t.dim(name)], [mask.dim(name)])
        return select_parts(t, t.dim(name), [int(i) for i in np.flatnonzero(mask.a)])
    merge([t.dim(name)], [mask.dim(name)])
    return _masked(t, mask, name)


# Structure.

def stack(values, dim):
    [d] = dim.dims
    if isinstance(values, dict):
        d, values = d._replace(size=len(values), labels=tuple(values)), list(values.values())
    if not values or d.size not in (None, len(values)):
        raise ValueError("how many")
    values = [operand(v) for v in values]
    return stacked(values, d._replace(size=len(values)), drop=False)


def unstack(t, dims):
    found = [t]
    for name in names_in(dims, t):
        found = [part_of(each, name, i) for each in found for i in range(each.dim(name).size)]
    return tuple(found)


def concat(values, dim):
    values = [operand(v) for v in values]
    for t in values:
        if dim not in t.names:
            raise ValueError("a dimension that all have")
        if t.parts is not None and t.along_name != dim and isinstance(t.dim(dim).size, tuple):
            raise ValueError("along what varies")
    if any(t.parts is not None and t.along_name == dim for t in values):
        raise NotImplementedError
    return _concat(*values, dim=dim)


@ragged
def _concat(*values, dim):
    dims = [t.dim(dim) for t in values]
    if len({d.kind for d in dims}) > 1:
        raise IncompatibleShapes("kinds")
    labels = [label for d in dims for label in d.labels or ()]
    joined = all(d.labels for d in dims) and len(set(labels)) == len(labels)
    made = Dim(dim, dims[0].kind, sum(d.size for d in dims), tuple(labels) if joined else None)
    whole = merge(*[[made if d.name == dim else d for d in t.dims] for t in values])
    dtype = values[0].dtype
    for t in values[1:]:
        dtype = promote(dtype, t.dtype)
    at = [d.name for d in whole].index(dim)
    return Tensor(whole, np.concatenate([convert(laid(t, [t.dim(dim) if d.name == dim else d for d in whole]), dtype)
                                         for t in values], at))


def expand(t, *shapes):
    given = Shape([d for shape in shapes for d in shape.dims])
    return _expand(operand(t), given)


@ragged
def _expand(t, shape):
    dims = merge(t.dims, [t.dim(d.name) if d.size is None and d.name in t.names else d for d in shape.dims])
    if any(d.size is None for d in dims):
        raise ValueError("sizes")
    return Tensor(dims, laid(t, dims))


def rename_dims(t, dims, names):
    old = dims.split(",") if isinstance(dims, str) else names_in(dims, t)
    new = [(name, None, None) for name in names.split(",")] if isinstance(names, str) else \
        [(d.name, d.kind, d) for d in names.dims]
    if len(old) != len(new):
        raise ValueError("how many names")
    table = dict(zip(old, new))

    def renamed(d):
        if d.name not in table:
            return d
        name, kind, given = table[d.name]
        if given and given.size not in (None, d.size):
            raise ValueError("sizes")
        return d._replace(name=name, kind=kind or d.kind, labels=given.labels if given and given.labels else d.labels)
    made = [renamed(d) for d in t.dims]
    if len({d.name for d in made}) < len(made):
        raise IncompatibleShapes("a name twice")
    if t.parts is None:
        return Tensor(made, t.a)
    along = renamed(t.dim(t.along_name))
    return stacked([Tensor([renamed(d) for d in p.dims], p.a) for p in t.parts], along)


def pack_dims(t, dims, packed):
    names = names_in(dims, t)
    if t.parts is not None and (t.along_name in names or any(isinstance(t.dim(n).size, tuple) for n in names)):
        raise ValueError("unlike sizes")
    return _pack(t, names, packed.dims[0])


@ragged
def _pack(t, names, packed):
    if not names:
        return _expand(t, Shape([packed._replace(size=1 if packed.size is None else packed.size)]))
    size = int(np.prod([t.dim(name).size for name in names], dtype=np.int64))
    if packed.size not in (None, size):
        raise ValueError("size")
    first = min(t.names.index(name) for name in names)
    before = [d for d in t.dims[:first]]
    after = [d for d in t.dims[first:] if d.name not in names]
    a = laid(t, [*before, *[t.dim(name) for name in names], *after])
    dims = [*before, packed._replace(size=size), *after]
    if len({d.name for d in dims}) < len(dims):
        raise IncompatibleShapes("a name twice")
    return Tensor(dims, a.reshape([d.size for d in dims]))


def unpack_dim(t, dim, *shapes):
    return _unpack(t, dim, [d for shape in shapes for d in shape.dims])


@ragged
def _unpack(t, name, new):
    if name not in t.names:
        return t
    size, known = t.dim(name).size, int(np.prod([d.size for d in new if d.size is not None], dtype=np.int64))
    unknown = [d for d in new if d.size is None]
    if len(unknown) > 1 or unknown and (not known or size % known) or not unknown and known != size:
        raise ValueError("sizes")
    new = [d._replace(size=size // known) if d.size is None else d for d in new]
    at = t.names.index(name)
    dims = [*t.dims[:at], *new, *t.dims[at + 1:]]
    if len({d.name for d in dims}) < len(dims):
        raise IncompatibleShapes("a name twice")
    return Tensor(dims, t.a.reshape([d.size for d in dims]))


def join_spaces(*tensors):
    spaces = merge(*[t.of("spatial") for t in tensors])
    made = []
    for t in tensors:
        if {d.name for d in spaces} == {d.name for d in t.of("spatial")}:
            made.append(t)
            continue
        rest = t.of("batch", "instance", "channel")
        made.append(reordered(Tensor(t.dims, t.a), merge(spaces, rest)))
    return made


def evaluate(*values):
    return values[0] if len(values) == 1 else values


def copy(t):
    return t


# Neighbours (section 10).

class Outside:
    """What lies outside: a word of NumPy's or a number; by dimension a pair of them."""

    def __init__(self, mode=None, sides=None):
        self.mode, self.sides = mode, sides

    def side(self, name, up):
        if self.sides is None:
            return self.mode
        if name not in self.sides:
            raise ValueError("nothing is said of it")
        return self.sides[name][up]


class extrapolation:
    ZERO, ONE, BOUNDARY, PERIODIC = Outside(0), Outside(1), Outside("edge"), Outside("wrap")
    SYMMETRIC, REFLECT, NONE = Outside("symmetric"), Outside("reflect"), Outside("none")
    ConstantExtrapolation = staticmethod(lambda value: Outside(value))

    @staticmethod
    def combine_sides(**sides):
        pairs = {name: s if isinstance(s, tuple) else (s, s) for name, s in sides.items()}
        return Outside(None, {name: tuple(outside(s).mode for s in pair) for name, pair in pairs.items()})


def outside(mode):
    return mode if isinstance(mode, Outside) else extrapolation.NONE if mode is None else Outside(mode)


def is_none(mode):
    return outside(mode).mode == "none" and outside(mode).sides is None


def of_type(number, dtype):
    """A constant of value's type."""
    return np.array(number).astype(dtype) if is_float(dtype) else convert(np.trunc(np.array(number, float)), dtype)


def source(i, size, mode):
    """The positions that a word reads for the positions i."""
    if mode == "edge":
        return np.clip(i, 0, size - 1)
    if mode == "wrap":
        return i % size
    if mode == "symmetric":
        return np.minimum(i % (2 * size), 2 * size - 1 - i % (2 * size))
    if size == 1:
        return np.zeros_like(i)
    return np.minimum(i % (2 * size - 2), 2 * size - 2 - i % (2 * size - 2))


def modes_at(d, i, mode):
    """Positions inside for the positions i, and, where a number lies outside, that it does, and which."""
    made, numbers, which = np.where((i >= 0) & (i < d.size), i, 0), np.zeros(i.shape, bool), np.zeros(i.shape, object)
    for up, out in ((False, i < 0), (True, i >= d.size)):
        if not out.any():
            continue
        word = mode.side(d.name, up)
        if isinstance(word, str):
            if d.size == 0:
                raise ValueError("a neighbour in nothing")
            made = np.where(out, source(i, d.size, word), made)
        else:
            numbers, which = numbers | out, np.where(out, word, which)
    return made, numbers, which


def read(t, where, mode, dims):
    """Elements of t along dims at the positions in where by name, some of them outside."""
    if not all(d.size for d in dims):
        return np.zeros([d.size for d in dims], t.dtype)
    found, numbers = {}, []
    for name, i in where.items():
        if not np.size(i.a):
            return np.zeros([d.size for d in dims], t.dtype)
        made, is_number, which = modes_at(t.dim(name), i.a, mode)
        found[name] = Tensor(i.dims, made)
        numbers.append((laid(Tensor(i.dims, is_number), dims), laid(Tensor(i.dims, which), dims)))
    if any(t.dim(name).size == 0 for name in where):
        a = np.zeros([d.size for d in dims], t.dtype)
    else:
        a = picked(t, found, dims)
    for is_number, which in numbers:
        values = np.array([of_type(v, t.dtype) for v in which.ravel()], t.dtype).reshape(which.shape)
        a = np.where(is_number, values, a)
    return a


def rank_of(mode):
    return ["wrap", "edge", "symmetric", "reflect"].index(mode) if isinstance(mode, str) and mode != "none" else 4


def pad(value, widths, mode=0):
    if value.parts is not None and widths.get(value.along_name, (0, 0)) != (0, 0) and not is_none(mode):
        raise ValueError("along what has parts")
    return _pad(operand(value), widths, outside(mode))


@ragged
def _pad(t, widths, mode):
    if is_none(mode):
        return t
    widths = {name: pair for name, pair in widths.items() if np.any(pair)}
    for name, pair in list(widths.items()):
        ranks = [rank_of(mode.side(name, up)) for up in (False, True)] if name in t.names and np.all(pair) else [0, 0]
        if ranks[0] != ranks[1] and isinstance(pair, tuple):
            for rank in range(5):
                t = _pad(t, {n: tuple(w if rank_of(mode.side(n, up)) == rank else 0 for up, w in enumerate(both))
                             for n, both in widths.items() if n in t.names}, mode)
            return t
    where, dims = {}, {d.name: d for d in t.dims}
    for name, pair in widths.items():
        low, up = pair if isinstance(pair, tuple) else (pair, pair)
        if name not in t.names or (low, up) == (0, 0):
            continue
        low = 0 if mode.side(name, False) == "none" else low
        up = 0 if mode.side(name, True) == "none" else up
        size = t.dim(name).size + low + up
        if size < 0:
            raise ValueError("negative size")
        if (low, up) == (0, 0):
            continue
        dims[name] = dims[name]._replace(size=size, labels=None)
        where[name] = Tensor([dims[name]], np.arange(size) - low)
    dims = list(dims.values())
    return Tensor(dims, read(t, where, mode, dims)) if where else t


def moved(t, name, by, mode):
    if by == 0:
        return t
    d = t.dim(name)._replace(labels=None)
    dims = [d if e.name == name else e for e in t.dims]
    return Tensor(dims, read(t, {name: Tensor([d], np.arange(d.size) + by)}, mode, dims))


def common_inside(t, name, by, offsets):
    low, up = max(0, -min(offsets)), max(0, max(offsets))
    count = max(0, t.dim(name).size - low - up)
    return select(t, name, slice(low + by, low + by + count) if count else slice(0, 0))


@ragged
def neighbour(t, name, by, mode, offsets):
    return common_inside(t, name, by, [0, *offsets]) if is_none(mode) else moved(t, name, by, outside(mode))


def shift(x, offsets, dims=spatial, padding=extrapolation.BOUNDARY, stack_dim=channel("shift")):
    if x.parts is not None:
        each = [shift(part, offsets, dims, padding, stack_dim) for part in x.parts]
        return [stacked(list(parts), x.dim(x.along_name)) for parts in zip(*each)]
    names = names_in(dims, x)
    if stack_dim is None:
        if len(names) != 1:
            raise ValueError("one dimension")
        return [neighbour(x, names[0], by, padding, offsets) for by in offsets]
    if not names:
        raise ValueError("no dimensions")
    dim = stack_dim.dims[0]._replace(size=len(names), labels=tuple(names))
    return [stacked([neighbour(x, name, by, padding, offsets) for name in names], dim) for by in offsets]


def floats(t):
    return cast(t, floating())


def component(dx, name, names):
    """A number, or its component for a dimension."""
    if not isinstance(dx, Tensor):
        return dx
    return component_of(dx, dx.of("channel")[0].name, name, names) if len(dx.of("channel")) == 1 else dx


def component_of(v, vector, name, names):
    d = v.dim(vector)
    if d.labels and set(names) <= set(d.labels):
        return select(v, vector, name)
    if d.size != len(names):
        raise ValueError("components")
    return select(v, vector, names.index(name))


UP_LOW = {"central": (1, -1), "forward": (1, 0), "backward": (0, -1)}


def unlabelled(t, name):
    if t.parts is not None:
        return ragged(lambda p: unlabelled(p, name))(t)
    return Tensor([d._replace(labels=None) if d.name == name else d for d in t.dims], t.a)


def quotient(t, name, dx, difference, padding):
    up, low = UP_LOW[difference]
    first, second = [unlabelled(neighbour(t, name, by, padding, [up, low]), name) for by in (up, low)]
    return (first - second) / (2 * dx if difference == "central" else dx)


@ragged
def spatial_gradient(grid, dx=1, difference="central", padding=extrapolation.BOUNDARY, dims=spatial,
                     stack_dim=channel("gradient")):
    t = floats(grid)
    names = names_in(dims, t)
    made = [quotient(t, name, component(dx, name, names), difference, padding) for name in names]
    if not names or stack_dim is None and len(names) != 1:
        raise ValueError("dimensions")
    if stack_dim is None:
        return made[0]
    return stacked(made, stack_dim.dims[0]._replace(size=len(names), labels=tuple(names)))


def inside_of_others(t, name, names, offsets):
    for other in names:
        if other != name and offsets:
            t = neighbour(t, other, 0, None, offsets)
        t = unlabelled(t, other)
    return t


@ragged
def laplace(x, dx=1, padding=extrapolation.BOUNDARY, dims=spatial):
    t = floats(x)
    names = names_in(dims, t)
    if not names:
        raise ValueError("no dimensions")
    made = None
    for name in names:
        up, low, here = [unlabelled(neighbour(t, name, by, padding, [1, -1]), name) for by in (1, -1, 0)]
        step = component(dx, name, names)
        term = (up + low - 2 * here) / (step * step)
        term = inside_of_others(term, name, names, [1, -1]) if is_none(padding) else term
        term = inside_of_others(term, name, names, None)
        made = term if made is None else made + term
    return made


def divergence(v, dx=1, difference="central", padding=extrapolation.BOUNDARY, dims=spatial, vector="vector"):
    t = floats(v)
    if t.parts is not None and t.along_name != vector:
        return ragged(lambda part: divergence(part, dx, difference, padding, dims, vector))(t)
    names = names_in(dims, t)
    if vector not in t.names or not names:
        raise ValueError("no vector field")
    made = None
    for name in names:
        term = quotient(component_of(t, vector, name, names), name, component(dx, name, names), difference, padding)
        term = inside_of_others(term, name, names, list(UP_LOW[difference]) if is_none(padding) else None)
        made = term if made is None else made + term
    return made


def convolve(value, kernel, extrapolation=None):
    if any(t.parts is not None and t.along_name in [d.name for d in kernel.of("spatial")] for t in (value, kernel)):
        raise ValueError("along the dimension of the parts")
    return _convolve(value, kernel, extrapolation)


@ragged
def _convolve(t, k, mode):
    names = [d.name for d in k.of("spatial")]
    if not set(names) <= set(t.names):
        raise ValueError("the kernel goes along what there is not")
    kind = common(t.dtype, k.dtype)
    kind = np.dtype("int32") if kind == bool else kind
    if not k.a.size and all(k.dim(name).size == 0 for name in names):
        raise NotImplementedError
    ints = not is_float(kind)
    wide = np.dtype(object) if ints else np.dtype(np.float64)
    x, w = [Tensor(each.dims, convert(each.a, kind).astype(wide)) for each in (t, k)]
    size = {name: k.dim(name).size for name in names}
    padded = {name: (size[name] // 2, (size[name] - 1) // 2) for name in names}
    if mode is not None and not is_none(mode) and all(x.dim(name).size for name in names):
        x = Tensor(x.dims, x.a.astype(kind))
        x = _pad(x, padded, outside(mode))
        x = Tensor(x.dims, x.a.astype(wide))
    keeps = len(names) == len(k.dims)
    summed = [d.name for d in t.of("channel")]
    rest = [d for d in x.dims if d.name not in summed]
    out = {d.name: d for d in rest}
    for name in names:
        whole = mode is not None and not is_none(mode)
        out[name] = out[name]._replace(size=t.dim(name).size if whole else max(0, x.dim(name).size - size[name] + 1),
                                       labels=None)
    dims = list(out.values())
    dims = dims if keeps else merge(dims, [d for d in k.dims if d.name not in names and d.name not in summed])
    if not all(d.size for d in dims):
        return Tensor(dims, np.zeros([d.size for d in dims], kind))
    full = [*dims, *[d for d in t.dims if d.name in summed]]
    merge([d for d in full if d.name not in names], [d for d in k.dims if d.name not in names])
    total, sizes = np.zeros([d.size for d in dims], wide), np.zeros([d.size for d in dims])
    over = tuple(range(len(dims), len(full)))
    with np.errstate(all="ignore"):
        for place in itertools.product(*[range(size[name]) for name in names]):
            at, tap = x, w
            for name, j in zip(names, place):
                at, tap = select(at, name, slice(j, j + out[name].size)), select(tap, name, j)
            full_at = [at.dim(d.name) if d.name in at.names else d for d in full]
            term = laid(at, full_at) * laid(tap, full_at)
            total = np.asarray(total + term.sum(over), wide)
            sizes = sizes + np.abs(term.astype(float)).sum(over)
    if ints:
        low, n = np.iinfo(kind).min, 2 ** (8 * kind.itemsize)
        made = [(int(v) - low) % n + low for v in total.ravel()]
        return Tensor(dims, np.array(made, kind).reshape(total.shape))
    eps, top = float(np.finfo(kind).eps), float(np.finfo(kind).max)
    with np.errstate(all="ignore"):
        count = k.a.size * max(1, int(np.prod([t.dim(name).size for name in summed], dtype=np.int64)))
        allowed = np.where(sizes < top / 8, (count + 8) * eps * sizes + 8 * float(np.finfo(kind).smallest_subnormal),
                           np.inf)
    return checked("convolve", [t, k], (mode,), dims, total, kind, allowed)


# Positions (section 12).

def goes_along(t, dims):
    if dims is not None:
        found = names_in(dims, t)
    else:
        found = [d.name for d in t.of("spatial")] or [d.name for d in t.of("instance")]
    if not found or t.parts is not None and t.along_name in found:
        raise ValueError("no dimensions, or that of the parts")
    return found


def components(i, names):
    """A tensor of positions for each name, without the channel dimension along which they lie."""
    channels = i.of("channel")
    if not channels and len(names) == 1:
        return [i]
    if len(channels) != 1:
        raise ValueError("one channel dimension")
    return [component_of(i, channels[0].name, name, names) for name in names]


def gather(values, indices, dims=None):
    if is_float(indices.dtype) or indices.dtype == bool:
        raise TypeError("positions are integers")
    names = goes_along(values, dims)
    return _gather(values, indices, names)


@ragged
def _gather(t, i, names):
    each = components(i, names)
    rest = [d for d in t.dims if d.name not in names]
    dims = merge(rest, each[0].dims)
    empty = not all(d.size for d in dims)
    where = {}
    for name, one in zip(names, each):
        size, a = t.dim(name).size, one.a.astype(np.int64)
        if not empty and ((a < -size) | (a >= size)).any():
            raise Late("outside")
        where[name] = Tensor(one.dims, a % max(size, 1))
    if empty:
        return Tensor(dims, np.zeros([d.size for d in dims], t.dtype))
    return Tensor(dims, picked(t, where, dims))


def grid_sample(grid, coordinates, extrap=None):
    t, at = floats(grid), floats(coordinates)
    return _sample(t, at, outside(0 if extrap is None else extrap), goes_along(t, None))


@ragged
def _sample(t, at, mode, names):
    each = components(at, names)
    dims = merge([d for d in t.dims if d.name not in names], each[0].dims)
    kind = np.dtype(np.float32) if t.dtype == np.float16 else t.dtype
    x = Tensor(t.dims, t.a.astype(kind))
    points = [Tensor(one.dims, one.a.astype(kind)) for one in each]
    nan = np.zeros([d.size for d in dims], bool)
    for name, one in zip(names, points):
        far = np.isinf(one.a) | (np.abs(one.a) >= 2.0 ** 62)
        repeats = [mode.side(name, up) in ("wrap", "symmetric", "reflect") for up in (False, True)]
        bad = np.isnan(one.a) | far & np.where(one.a < 0, *repeats)
        nan |= laid(Tensor(one.dims, bad), dims)
        limit = np.where(one.a < 0, -1000000, 1000000)
        one.a = np.where(bad, 0, np.where(far, limit, one.a)).astype(kind)

    def value(k, where):
        if k == len(names):
            return read(x, where, mode, dims)
        low = np.floor(points[k].a)
        part = laid(Tensor(points[k].dims, points[k].a - low), dims)
        a, b = [
            value(k + 1, {**where, names[k]: Tensor(points[k].dims, low.astype(np.int64) + more)}) for more in (0, 1)
        ]
        return np.where(part == 0, a, a + part * (b - a))
    with np.errstate(all="ignore"):
        made = value(0, {})
        return Tensor(dims, np.where(nan, np.nan, made).astype(t.dtype))


def scatter(base, indices, values, mode="update", outside_handling="discard"):
    i, v = operand(indices), operand(values)
    if isinstance(base, Shape):
        kind = v.dtype if mode == "add" or is_float(v.dtype) else floating()
        sizes = [d.size for d in base.dims]
        base = Tensor(base.dims, np.full(sizes, 0 if mode == "add" else np.nan, kind))
    goes_along(base, None)
    kind = base.dtype if base.dtype == v.dtype else common(base.dtype, v.dtype)
    base, v = [Tensor(t.dims, convert(t.a, kind)) if t.parts is None else cast(t, kind) for t in (base, v)]
    return _scatter(base, i, v, mode, outside_handling)


@ragged
def _scatter(base, i, v, mode, handling):
    names = goes_along(base, None)
    each = components(i, names)
    merge([base.dim(name) for name in names], each[0].dims)
    if set(names) & set(each[0].names):
        raise ValueError("positions along what they go along")
    used = [d for d in each[0].dims if d.kind == "instance" and d.name not in names]
    others = [d for d in each[0].dims if d not in used]
    new = merge(others, [d for d in v.dims if d.name not in names and d.name not in [u.name for u in used]])
    dims = merge(base.dims, [d for d in new if d.name not in base.names])
    merge(dims, new)
    own = [d for d in dims if d.name not in names]
    to = laid(base, dims)
    compute = np.float32 if base.dtype == np.float16 else base.dtype
    total = to.astype(compute) if mode != "mean" else np.zeros(to.shape, sum_type(np.dtype(compute)))
    counts = np.zeros(to.shape, int)
    order = [d for d in each[0].dims if d in used]
    merge(merge(used, own), v.dims)
    where = [laid(one, [*order, *own]) for one in each]
    given = laid(v, [*order, *own])
    sizes = [base.dim(name).size for name in names]
    with np.errstate(all="ignore"):
        for place in np.ndindex(*[d.size for d in order]):
            for rest in np.ndindex(*[d.size for d in own]):
                at = [position(w[place + rest], size, handling) for w, size in zip(where, sizes)]
                if None in at:
                    continue
                here = tuple(at[names.index(d.name)] if d.name in names else rest[own.index(d)] for d in dims)
                one = total.dtype.type(given[place + rest])
                total[here] = one if mode == "update" else total[here] + one
                counts[here] += 1
        if mode == "mean":
            real = np.float64 if base.dtype.kind in "iu" else compute
            means = (total.astype(real) / counts).astype(base.dtype if is_float(base.dtype) else np.float32)
            total = np.where(counts > 0, convert(means, base.dtype), to)
    return Tensor(dims, total.astype(base.dtype))


def position(i, size, handling):
    if is_float(i.dtype):
        if np.isnan(i):
            i = 0
        i = int(np.clip(np.rint(np.float64(i)), -2.0 ** 40, 2.0 ** 40))
    i = int(i)
    if handling == "clamp":
        return min(max(i, 0), size - 1) if size else None
    return i if 0 <= i < size else None


def nonzero(value, list_dim=instance("nonzero"), index_dim=channel("vector")):
    return _nonzero(value, list_dim.dims[0], index_dim.dims[0])


@ragged
def _nonzero(t, rows, columns):
    names = [d.name for d in t.of("spatial", "instance")]
    if not names:
        raise ValueError("no dimensions")
    t = reduce("any", t, channel)
    if t.of("batch"):
        dim = t.of("batch")[0]
        return of_parts([_nonzero(select(t, dim.name, i), rows, columns) for i in range(dim.size)], dim)
    found = np.argwhere(t.a).astype(np.int64)
    return Tensor([rows._replace(size=len(found), labels=None), columns._replace(size=len(names), labels=tuple(names))],
                  found.reshape(-1, len(names)))


# Creation.

def filled(value, shapes, dtype):
    dims = [d for shape in shapes for d in shape.dims]
    return Tensor(dims, np.full([d.size for d in dims], value, dtype_of(dtype)))


def zeros(*shapes, dtype=None):
    return filled(0, shapes, dtype)


def ones(*shapes, dtype=None):
    return filled(1, shapes, dtype)


@ragged
def zeros_like(t):
    return Tensor(t.dims, np.zeros_like(t.a))


@ragged
def ones_like(t):
    return Tensor(t.dims, np.ones_like(t.a))


_chance = [0, 0]


def seed(n):
    _chance[:] = n, 0


def random_uniform(*shapes, low=0, high=1, dtype=None):
    dims = [d for shape in shapes for d in shape.dims]
    u = random_by_rule(tuple(d.size for d in dims), *_chance)
    _chance[1] += 1
    kind = dtype_of(dtype)
    wide = np.float32 if is_float(kind) else np.float64
    made = (wide(low) + u.astype(wide) * (wide(high) - wide(low))).astype(wide)
    if not is_float(kind):
        return reordered(cast(Tensor(dims, np.floor(made)), kind), dims)
    return Tensor(dims, convert(np.asarray(made), kind))


def arange(dim, start, stop=None, step=1):
    a = np.arange(0, start, step) if stop is None else np.arange(start, stop, step)
    return wrap(a.astype(np.int32), dim)


def vec(**values):
    dim = Dim("vector", "channel", len(values), tuple(values))
    return stacked([operand(v) for v in values.values()], dim, drop=False)


def meshgrid(**sizes):
    dims = [Dim(name, "spatial", size, None) for name, size in sizes.items()]
    a = np.stack(np.indices([d.size for d in dims]), -1).astype(np.int32)
    return Tensor([*dims, Dim("vector", "channel", len(dims), tuple(sizes))], a)


# Names of weft.math that are Python's here.
NAMES = {**{name: value for name, value in globals().items() if name[0] != "_"}, "sum": _sum, "all": _all, "any": _any,
         "max": _max, "min": reduction("min"), "range": arange}
