"""Functions of elements, reductions and creation (docs/math.md, "Functions")."""
from __future__ import annotations

import builtins
import itertools
import math as _math
import threading
from typing import Any, Callable, Sequence, Union

import numpy

from weft.math import _ragged, _shapes, _types
from weft.math._backends import HOST, default_home, home_of, moved
from weft.math._graph import Constant, Data, Number, Parts, array_of, evaluate
from weft.math._shapes import (EMPTY_SHAPE, Dim, DimsLike, Shape, _shape, as_shape, chosen, concatenated, expanded_text,
                               merge, non_batch)
from weft.math._structure import expanded
from weft.math._elements import binary, cast_to, common_type, joined, met, reduce, unary
from weft.math._making import Value, as_tensor, constant, make, operation, size_number, wrap
from weft.math._selections import in_order, ordered
from weft.math._tensors import Tensor
from weft.math._types import ALL, FLOATS, DTypeLike, floating

PI = _math.pi
INF = _math.inf
NAN = _math.nan

Reduction = Callable[..., Tensor]


# Creation.

def _dims(shape: Sequence[Any], sizes: Any) -> Shape:
    if sizes:
        shape = (*shape, _shapes.shape(**sizes))
    made = concatenated([each._shape if isinstance(each, Tensor) else as_shape(each) for each in shape])
    for dim in made._dims:
        if dim.size is None:
            raise ValueError(f"the size of {dim.name} in {made} is not known; write {dim.kind}({dim.name}=..)")
    return made


def _filled(value: Any, shape: Shape, dtype: DTypeLike | None) -> Tensor:
    home = default_home()
    return constant(value, _types.name_of(dtype), shape, None if home is HOST else home)


def zeros(*shape: Union[Shape, str], dtype: DTypeLike | None = None, **sizes: Any) -> Tensor:
    """A tensor of zeros, its dimensions in written order; it takes no memory. Sizes given by name are spatial
    dimensions where the name has one letter. dtype: a float of the current precision if absent.

    >>> math.zeros(spatial(x=3), dtype=int)
    (0, 0, 0) along xˢ
    >>> math.zeros(x=5).shape
    (xˢ=5)
    """
    return _filled(0, _dims(shape, sizes), dtype)


def ones(*shape: Union[Shape, str], dtype: DTypeLike | None = None, **sizes: Any) -> Tensor:
    """A tensor of ones, as zeros.

    >>> math.ones(spatial(x=2))
    (1.000, 1.000) along xˢ
    """
    return _filled(1, _dims(shape, sizes), dtype)


def _like(value: Any, x: Value) -> Tensor:
    t = as_tensor(x)
    if type(t._source) is Parts:
        return _ragged.gathered([_like(value, part) for part in t._source.parts], t._shape.dim(t._source.along))
    return constant(value, t._type, t._shape, t._home)


def zeros_like(x: Value) -> Tensor:
    """Zeros of x's shape and dtype.

    >>> math.zeros_like(math.wrap([1, 2], spatial("x")))
    (0, 0) along xˢ int64
    """
    return _like(0, x)


def ones_like(x: Value) -> Tensor:
    """Ones of x's shape and dtype.

    >>> math.ones_like(math.wrap([True, False], spatial("x")))
    (True, True) along xˢ
    """
    return _like(1, x)


class _Chance:
    """The calls since the seed was set, of all threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.start(0)

    def start(self, seed: int) -> None:
        with self.lock:
            self.now = seed, itertools.count()

    def draw(self) -> tuple[int, int]:
        with self.lock:
            seed, calls = self.now
            return seed, next(calls)


_chance = _Chance()


def seed(seed: int) -> None:
    """Starts the random numbers of all threads anew: after it, call k of random_uniform and random_normal, counted from
    0, is the language's random with this seed and stream k, the same on every target.

    >>> math.seed(1); a = math.random_uniform(spatial(x=3))
    >>> math.seed(1); bool((math.random_uniform(spatial(x=3)) == a).all)
    True
    """
    if isinstance(seed, bool) or not hasattr(seed, "__index__"):
        raise TypeError(f"a seed is an integer, not {seed!r}")
    if not 0 <= seed < 2**63:
        raise ValueError(f"a seed is an integer from 0 to 2**63 - 1, not {seed}")
    _chance.start(seed.__index__())


def _random(name: str, shape: Shape) -> Tensor:
    """The language's random numbers of a shape, float32."""
    key, stream = _chance.draw()
    home = default_home()
    text = f"{name}({expanded_text('false', shape) if shape._dims else 'false'}, %s, %s)"
    made = operation(shape, "float32", text, (Number(key), Number(stream)))
    if home is not HOST:
        array = moved(array_of(made), home)
        made = make(shape, "float32", Data(array), home_of(array))
    return made


def random_uniform(*shape: Union[Shape, str], low: Value = 0, high: Value = 1, dtype: DTypeLike | None = None,
                   **sizes: Any) -> Tensor:
    """Random numbers from low to below high, computed in float32; for dtype=int in float64, rounded down.

    >>> t = math.random_uniform(spatial(x=1000), low=2, high=3)
    >>> bool((t >= 2).all & (t < 3).all)
    True
    """
    kind = _types.name_of(dtype)
    shape = _dims(shape, sizes)
    u = _random("random", shape)
    whole = kind not in FLOATS
    with _types.precision(64 if whole else 32):
        if not (isinstance(low, (int, float)) and isinstance(high, (int, float)) and (low, high) == (0, 1)) or whole:
            u = binary("+", binary("*", u, binary("-", high, low)), low)
        if whole:
            u = floor(u)
    u = cast_to(u, kind)
    return ordered(u, shape) if u.rank == shape.rank else u


def random_normal(*shape: Union[Shape, str], dtype: DTypeLike | None = None, **sizes: Any) -> Tensor:
    """Random numbers of a normal distribution with mean 0 and deviation 1, computed in float32; integers are truncated.

    >>> abs(float(math.random_normal(spatial(x=10000)).mean)) < 0.05
    True
    """
    made = _dims(shape, sizes)
    return ordered(cast(_random("random_normal", made), float if dtype is None else dtype), made)


def linspace(start: Value, stop: Value, dim: Union[Shape, str]) -> Tensor:
    """Floats of the current precision from start to stop, both included, along a dimension with a size. Of two tensors
    it is along further dimensions.

    >>> math.linspace(0, 1, spatial(x=5))
    (0.000, 0.250, 0.500, 0.750, 1.000) along xˢ

    Raises ValueError for a dimension without a size.
    """
    shape = _dims((dim,), {})
    if shape.rank != 1:
        raise ValueError(f"linspace is along one dimension, and {shape} has {shape.rank}")
    count = size_number(shape._dims[0])
    at = made_here(make(shape, "int64", Data(numpy.arange(count)), HOST))
    with _types.precision(builtins.max(64, _types.get_precision())):
        a = as_tensor(start)
        if count == 1:
            made = expanded(binary("*", a, 1.0), shape)
        else:
            b = as_tensor(stop)
            step = binary("/", binary("-", b, a), count - 1)
            made = where(binary("==", at, count - 1), b, binary("+", a, binary("*", at, step)))
    return cast_to(made, floating())


def arange(dim: Union[Shape, str], start_or_stop: int | None = None, stop: int | None = None, step: int = 1) -> Tensor:
    """int32 from start (0 if one number is given) to below stop, along a dimension; without numbers its size says how
    many. `math.range` is this function.

    >>> math.range(spatial("x"), 4)
    (0, 1, 2, 3) along xˢ
    >>> math.range(spatial("x"), 1, 10, 4)
    (1, 5, 9) along xˢ
    """
    shape = as_shape(dim)
    if shape.rank != 1:
        raise ValueError(f"range is along one dimension, and {shape} has {shape.rank}")
    if start_or_stop is None:
        if stop is not None:
            raise TypeError("range with a stop needs a start before it")
        start_or_stop = size_number(shape._dims[0])
    if step == 0:
        raise ValueError("a range with step 0 has no end; the step is 1, or another number")
    bounds = (0, start_or_stop, step) if stop is None else (start_or_stop, stop, step)
    if builtins.all(isinstance(each, int) for each in bounds):
        array = numpy.arange(*bounds, dtype=numpy.int32)
    else:
        array = numpy.arange(*bounds, dtype=numpy.dtype(floating()))
    return made_here(wrap(array, shape))


def made_here(t: Tensor) -> Tensor:
    """A tensor that was just created, with its data in the default backend."""
    home = default_home()
    return t if home is HOST else make(t._shape, t._type, Data(moved(array_of(t), home)), home)


def meshgrid(dims: Any = None, **sizes: Any) -> Tensor:
    """int32 positions of a grid along a channel dimension `vector`, labelled by the grid's dimensions; where a list is
    given for a size, its values. Without a kind, dimensions are spatial.

    >>> math.meshgrid(x=2, y=3).shape
    (xˢ=2, yˢ=3, vectorᶜ=x,y)
    >>> math.meshgrid(x=[0.5, 1.5]).x[1]
    (x=1.500) float64
    """
    if dims is not None and not (callable(dims) and dims in _shapes.FILTERS) and not isinstance(dims, Shape):
        raise TypeError(f"meshgrid takes a kind, as spatial, or a shape, and sizes by name, not {dims!r}")
    kind = dims.__name__ if callable(dims) else "spatial"
    axes: list[Tensor] = []
    grid = list(dims._dims) if isinstance(dims, Shape) else []
    for dim in grid:
        axes.append(wrap(numpy.arange(size_number(dim), dtype=numpy.int32), _shape((dim,))))
    for name, size in sizes.items():
        _shapes.check_name(name, kind)
        values = numpy.arange(_shapes.check_size(name, size), dtype=numpy.int32) if hasattr(size, "__index__") and \
            not isinstance(size, Tensor) else size
        if isinstance(values, Tensor):
            values = values.numpy()
        axes.append(wrap(values, _shape((Dim(name, kind, None, None),))))
    if not axes:
        raise ValueError("meshgrid of no dimensions; give sizes, as in math.meshgrid(x=4, y=3)")
    names = tuple(axis._shape._names[0] for axis in axes)
    along = _shape((Dim("vector", "channel", len(names), names),))
    if len(axes) == 1:
        return made_here(expanded(axes[0], along))
    made = _ragged.stack(axes, along)
    evaluate([made])
    return made_here(made)


def vec(name: Union[str, Shape] = "vector", **values: Value) -> Tensor:
    """Values stacked along a channel dimension `vector`, labelled by their names.

    >>> math.vec(x=1.0, y=2.0)
    (x=1.000, y=2.000)
    """
    if not values:
        raise ValueError("vec of no values; give some by name, as in math.vec(x=1, y=2)")
    dim = name._dims[0] if isinstance(name, Shape) else Dim(name, "channel", None, None)
    labels = _shapes.check_labels(dim.name, tuple(values))
    along = _shape((dim._replace(size=len(labels), labels=labels),))
    return _ragged.stack([owned(as_tensor(value)) for value in values.values()], along, strict=True)


def owned(t: Tensor) -> Tensor:
    """A number that belongs to the default backend."""
    return t if t._home is not None or default_home() is HOST else make(t._shape, t._type, t._source, default_home())


# Functions of elements.

def _float_function(name: str, word: str, what: str, values: str, shown: str) -> Callable[[Value], Tensor]:
    def function(x: Value) -> Tensor:
        t = as_tensor(x)
        return unary(f"{word}(%s)", t, floating(), True)
    return described(function, name, f"{what} of each element, in the current precision.", along_x(values), shown)


def described(function: Callable[..., Any], name: str, text: str, given: str, shown: str) -> Callable[..., Any]:
    """A function with a name and a docstring, whose example shows what it gives for arguments."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{text}\n\n    >>> math.{name}({given})\n    {shown}\n    "
    return function


def along_x(values: str) -> str:
    return f'math.wrap({values}, spatial("x"))'


sqrt = _float_function("sqrt", "sqrt", "The square root", "[0.25, 4.0]",
                      "(0.500, 2.000) along xˢ")
rsqrt = _float_function("rsqrt", "rsqrt", "One divided by the square root", "[0.25, 4.0]",
                       "(2.000, 0.500) along xˢ")
cbrt = _float_function("cbrt", "cbrt", "The cube root", "[1.0, 8.0]",
                      "(1.000, 2.000) along xˢ")
exp = _float_function("exp", "exp", "e to the power", "[0.0, 1.0]",
                     "(1.000, 2.718) along xˢ")
exp2 = _float_function("exp2", "exp2", "2 to the power", "[0.5, 3.0]",
                      "(1.414, 8.000) along xˢ")
expm1 = _float_function("expm1", "expm1", "e to the power, less 1, without loss near 0,", "[0.0, 1.0]",
                       "(0.000, 1.718) along xˢ")
log = _float_function("log", "log", "The natural logarithm", "[0.5, 1.0]",
                     "(-0.693, 0.000) along xˢ")
log2 = _float_function("log2", "log2", "The logarithm to base 2", "[0.5, 8.0]",
                      "(-1.000, 3.000) along xˢ")
log10 = _float_function("log10", "log10", "The logarithm to base 10", "[0.1, 100.0]",
                       "(-1.000, 2.000) along xˢ")
log1p = _float_function("log1p", "log1p", "The natural logarithm of 1 + x", "[0.0, 1.0]",
                       "(0.000, 0.693) along xˢ")
sin = _float_function("sin", "sin", "The sine", "[0.0, 1.0]",
                     "(0.000, 0.841) along xˢ")
cos = _float_function("cos", "cos", "The cosine", "[0.0, 1.0]",
                     "(1.000, 0.540) along xˢ")
tan = _float_function("tan", "tan", "The tangent", "[0.0, 1.0]",
                     "(0.000, 1.557) along xˢ")
arcsin = _float_function("arcsin", "asin", "The inverse sine", "[0.0, 1.0]",
                        "(0.000, 1.571) along xˢ")
arccos = _float_function("arccos", "acos", "The inverse cosine", "[0.0, 1.0]",
                        "(1.571, 0.000) along xˢ")
arctan = _float_function("arctan", "atan", "The inverse tangent", "[0.0, 1.0]",
                        "(0.000, 0.785) along xˢ")
sinh = _float_function("sinh", "sinh", "The hyperbolic sine", "[0.0, 1.0]",
                      "(0.000, 1.175) along xˢ")
cosh = _float_function("cosh", "cosh", "The hyperbolic cosine", "[0.0, 1.0]",
                      "(1.000, 1.543) along xˢ")
tanh = _float_function("tanh", "tanh", "The hyperbolic tangent", "[0.0, 1.0]",
                      "(0.000, 0.762) along xˢ")
arcsinh = _float_function("arcsinh", "asinh", "The inverse hyperbolic sine", "[0.0, 1.0]",
                         "(0.000, 0.881) along xˢ")
arccosh = _float_function("arccosh", "acosh", "The inverse hyperbolic cosine", "[1.0, 2.0]",
                         "(0.000, 1.317) along xˢ")
arctanh = _float_function("arctanh", "atanh", "The inverse hyperbolic tangent", "[0.0, 0.5]",
                         "(0.000, 0.549) along xˢ")
erf = _float_function("erf", "erf", "The error function", "[0.0, 1.0]",
                     "(0.000, 0.843) along xˢ")
erfc = _float_function("erfc", "erfc", "One less the error function", "[0.0, 1.0]",
                      "(1.000, 0.157) along xˢ")


def _rounding(name: str, what: str, values: str, shown: str) -> Callable[[Value], Tensor]:
    def function(x: Value) -> Tensor:
        t = as_tensor(x)
        return unary(f"{name}(%s)", t, t._type, False) if t._type in FLOATS else in_order(t)
    return described(function, name, f"{what}, of each element; the type is kept.", along_x(values), shown)


floor = _rounding("floor", "The largest whole number that is not larger", "[-1.5, 0.5, 1.7]",
                  "(-2.000, 0.000, 1.000) along xˢ float64")
ceil = _rounding("ceil", "The smallest whole number that is not smaller", "[-1.5, 0.5, 1.7]",
                 "(-1.000, 1.000, 2.000) along xˢ float64")
trunc = _rounding("trunc", "The whole number toward 0", "[-1.5, 0.5, 1.7]",
                  "(-1.000, 0.000, 1.000) along xˢ float64")
round = _rounding("round", "The nearest whole number, half to even", "[-1.5, 0.5, 1.7]",
                  "(-2.000, 0.000, 2.000) along xˢ float64")


def abs(x: Value) -> Tensor:
    """The absolute value of each element; the type is kept.

    >>> math.abs(math.wrap([-1, 2], spatial("x")))
    (1, 2) along xˢ int64
    """
    return as_tensor(x).__abs__()


def sign(x: Value) -> Tensor:
    """-1, 0 or 1, of each element; the type is kept.

    >>> math.sign(math.wrap([-1.5, 0.0], spatial("x")))
    (-1.000, 0.000) along xˢ float64
    """
    t = as_tensor(x)
    return in_order(t) if t._type == "bool" else unary("sign(%s)", t, t._type, False)


def _test(name: str, what: str, values: str, shown: str) -> Callable[[Value], Tensor]:
    def function(x: Value) -> Tensor:
        t = as_tensor(x)
        if type(t._source) is Parts:
            return _ragged.spread(function, t)
        return operation(merge(t._shape, EMPTY_SHAPE), "bool", f"{name}(%s)", (t,))
    return described(function, name, f"Whether each element is {what}; bool.", along_x(values), shown)


isfinite = _test("isfinite", "neither infinite nor NaN", "[1.0, math.NAN, math.INF]",
                 "(True, False, False) along xˢ")
isnan = _test("isnan", "NaN", "[1.0, math.NAN, math.INF]",
              "(False, True, False) along xˢ")
isinf = _test("isinf", "infinite", "[1.0, math.NAN, math.INF]",
              "(False, False, True) along xˢ")


def _two(name: str, symbol: str, what: str, given: str, shown: str) -> Callable[[Value, Value], Tensor]:
    def function(a: Value, b: Value) -> Tensor:
        return binary(symbol, a, b)
    return described(function, name, what, given, shown)


maximum = _two("maximum", "max", "The larger one of each pair of elements; NaN if one is. Floats are of the current "
               "precision, else types are promoted.",
               'math.wrap([1.0, 3.0], spatial("x")), 2.0', "(2.000, 3.000) along xˢ")
minimum = _two("minimum", "min", "The smaller one of each pair of elements; NaN if one is. Floats are of the current "
               "precision, else types are promoted.",
               'math.wrap([1.0, 3.0], spatial("x")), 2.0', "(1.000, 2.000) along xˢ")
arctan2 = _two("arctan2", "arctan2", "The angle of (x, y), where y is the first argument, in the current precision.",
               'math.wrap([0.0, 1.0], spatial("x")), 1.0', "(0.000, 0.785) along xˢ")
hypot = _two("hypot", "hypot", "sqrt(a ** 2 + b ** 2) without overflow, in the current precision.",
             'math.wrap([3.0, 5.0], spatial("x")), [4.0, 12.0]', "(5.000, 13.000) along xˢ")
copysign = _two("copysign", "copysign", "The first operand with the sign of the second, in the current precision.",
                'math.wrap([1.0, 2.0], spatial("x")), [-1.0, 0.0]', "(-1.000, 2.000) along xˢ")


def _operands(*values: Value) -> list[Tensor]:
    beside = next((value for value in values if isinstance(value, Tensor)), None)
    return [as_tensor(value, beside) for value in values]


def clip(x: Value, lower_limit: Value = 0, upper_limit: Value = 1) -> Tensor:
    """min(max(x, lower), upper) of each element; NaN if one of the three is. Floats are of the current precision, else
    types are promoted.

    >>> math.clip(math.wrap([-1.0, 0.5, 3.0], spatial("x")), 0, 1)
    (0.000, 0.500, 1.000) along xˢ
    """
    operands = _operands(x, lower_limit, upper_limit)
    if builtins.any(type(each._source) is Parts for each in operands):
        return _ragged.spread(clip, *operands)
    kind = common_type([each._type for each in operands])
    return joined("(({} | {}) & {})" if kind == "bool" else "clamp({}, {}, {})", kind, operands, kind)


def where(condition: Value, value_true: Value, value_false: Value) -> Tensor:
    """value_true where the condition is not 0, else value_false. Floats are of the current precision, else types are
    promoted.

    >>> t = math.wrap([1.0, -2.0], spatial("x"))
    >>> math.where(t > 0, t, 0)
    (1.000, 0.000) along xˢ
    """
    c, a, b = _operands(condition, value_true, value_false)
    if builtins.any(type(each._source) is Parts for each in (c, a, b)):
        return _ragged.spread(where, c, a, b)
    kind = common_type([a._type, b._type])
    shape = merge(merge(c._shape, a._shape), b._shape)
    args, texts = [], []
    for each, others in ((a, (c, b)), (b, (c, a))):
        if type(each._source) is Constant:
            seen = EMPTY_SHAPE
            for other in others:
                if type(other._source) is not Constant:
                    seen = merge(seen, other._shape)
            each = met(each, seen, shape, kind)
        args.append(each)
        texts.append("%s" if each._type == kind else f"{kind}(%s)")
    return operation(shape, kind, f"where(%s, {texts[0]}, {texts[1]})", (c, *args))


# Types.

def cast(x: Value, dtype: DTypeLike) -> Tensor:
    """A tensor of another type: floats to integers are truncated, those outside saturate, NaN is 0; integers that do
    not fit wrap; to bool, what is not 0 is True. dtype: a DType, int (int32), float (the current precision), bool, a
    pair (kind, bits), or a dtype of NumPy.

    >>> math.cast(math.wrap([1.7, -1.7, 300.0], spatial("x")), (int, 8))
    (1, -1, 127) along xˢ int8
    """
    t, kind = as_tensor(x), _types.name_of(dtype)
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: cast(part, dtype), t)
    if kind == t._type:
        return in_order(t)
    if kind in FLOATS or kind == "bool" or t._type == "bool":
        return in_order(cast_to(t, kind))
    shape = merge(t._shape, EMPTY_SHAPE)
    if t._type in FLOATS:
        return operation(shape, kind, f"{kind}(trunc(%s))", (t,))
    return operation(shape, kind, f"wrap(%s, {kind})", (t,))


def to_float(x: Value) -> Tensor:
    """A tensor of floats of the current precision.

    >>> math.to_float(math.wrap([1, 2], spatial("x")))
    (1.000, 2.000) along xˢ
    """
    return cast(x, ALL[floating()])


def to_int32(x: Value) -> Tensor:
    """A tensor of int32, as cast.

    >>> math.to_int32(math.wrap([1.7, 2.0], spatial("x")))
    (1, 2) along xˢ
    """
    return cast(x, ALL["int32"])


def to_int64(x: Value) -> Tensor:
    """A tensor of int64, as cast.

    >>> math.to_int64(2.5)
    int64 2
    """
    return cast(x, ALL["int64"])


def to_int(x: Value, bits: int = 32) -> Tensor:
    """A tensor of integers of so many bits, as cast.

    >>> math.to_int(2.5)
    2
    """
    return cast(x, _types.DType(int, bits))


# Reductions.

def _reduction(name: str, what: str, shown: str) -> Reduction:
    def function(value: Value, dim: DimsLike = non_batch) -> Tensor:
        return reduce(name, reduced(value), dim)
    return described(function, name, what, 'math.wrap([[1.0, 2.0], [3.0, 5.0]], spatial("y,x")), "x"', shown)


def reduced(value: Value) -> Tensor:
    if isinstance(value, (list, tuple)) and builtins.any(isinstance(each, Tensor) for each in value):
        return _ragged.stack([as_tensor(each) for each in value], _shape((Dim("values", "instance", None, None),)))
    return as_tensor(value)


sum = _reduction("sum", "The sum over dimensions, all but batch if none are given; int64 or uint64 for integers.",
                 "(3.000, 8.000) along yˢ float64")
prod = _reduction("prod", "The product over dimensions, all but batch if none are given; int64 or uint64 for integers.",
                  "(2.000, 15.000) along yˢ float64")
mean = _reduction("mean", "The mean over dimensions, all but batch if none are given; of integers in the current "
                  "precision.",
                  "(1.500, 4.000) along yˢ float64")
std = _reduction("std", "The standard deviation over dimensions, all but batch if none are given; of integers in the "
                 "current precision.",
                 "(0.500, 1.000) along yˢ float64")
min = _reduction("min", "The smallest element over dimensions, all but batch if none are given; NaN if one is there.",
                 "(1.000, 3.000) along yˢ float64")
max = _reduction("max", "The largest element over dimensions, all but batch if none are given; NaN if one is there.",
                 "(2.000, 5.000) along yˢ float64")
any = _reduction("any", "Whether an element is not 0, over dimensions, all but batch if none are given.",
                 "(True, True) along yˢ")
all = _reduction("all", "Whether no element is 0, over dimensions, all but batch if none are given.",
                 "(True, True) along yˢ")


def _of_finite(name: str, otherwise: float, t: Tensor, over: tuple[str, ...]) -> Tensor:
    """Of the elements that are finite, in the type that they have."""
    finite = isfinite(t)
    kept = where(finite, t, otherwise)
    if name in ("sum", "prod"):
        return reduce(name, kept, over)
    count = reduce("sum", finite, over)
    if name in ("min", "max"):
        return where(binary(">", count, 0), reduce(name, kept, over), NAN)
    mean_ = binary("/", reduce("sum", kept, over), count)
    if name == "mean":
        return mean_
    off = where(finite, binary("-", t, mean_), 0.0)
    return sqrt(binary("/", reduce("sum", binary("*", off, off), over), count))


def _finite(name: str, otherwise: float, what: str, shown: str) -> Reduction:
    def function(value: Value, dim: DimsLike = non_batch) -> Tensor:
        t = reduced(value)
        over = chosen(dim, t._shape)
        if t._type not in FLOATS:
            return reduce(name, t, over)
        wide = "float64" if t._type == "float64" else "float32"
        with _types.precision(ALL[wide].bits):
            made = cast_to(_of_finite(name, otherwise, cast_to(t, wide), over), t._type)
        return ordered(made, t._shape.without(over))
    return described(function, f"finite_{name}", what,
                     'math.wrap([[1.0, math.NAN], [3.0, 5.0]], spatial("y,x")), "x"', shown)


finite_sum = _finite("sum", 0.0, "The sum of the finite elements over dimensions, all but batch if none are given.",
                     "(1.000, 8.000) along yˢ float64")
finite_prod = _finite("prod", 1.0,
                      "The product of the finite elements over dimensions, all but batch if none are given.",
                      "(1.000, 15.000) along yˢ float64")
finite_mean = _finite("mean", 0.0,
                      "The mean of the finite elements over dimensions, all but batch if none are given; of integers "
                      "in the current precision; NaN without any.",
                      "(1.000, 4.000) along yˢ float64")
finite_std = _finite("std", 0.0,
                     "The standard deviation of the finite elements over dimensions, all but batch if none are given; "
                     "of integers in the current precision; NaN without any.",
                     "(0.000, 1.000) along yˢ float64")
finite_min = _finite("min", INF,
                     "The smallest finite element over dimensions, all but batch if none are given; NaN without any.",
                     "(1.000, 3.000) along yˢ float64")
finite_max = _finite("max", -INF,
                     "The largest finite element over dimensions, all but batch if none are given; NaN without any.",
                     "(1.000, 5.000) along yˢ float64")


def cumulative_sum(x: Value, dim: Union[Shape, str]) -> Tensor:
    """The sum of each element and those before it along a dimension; int64 or uint64 for integers. Computed at once, in
    passes that add elements further and further apart.

    >>> math.cumulative_sum(math.wrap([1, 2, 3], spatial("x")), "x")
    (1, 3, 6) along xˢ int64
    """
    t = as_tensor(x)
    if type(t._source) is Parts:
        if t._source.along in chosen(dim, t._shape):
            raise ValueError(f"cumulative_sum along {t._source.along} of {t._shape}, along which sizes vary")
        return _ragged.spread(lambda part: cumulative_sum(part, dim), t)
    names, shape = chosen(dim, t._shape), t._shape
    if not names:
        return t
    for name in names:
        at = t._shape.dim(name)
        kind = (
            t._type
            if t._type in FLOATS
            else "int64"
            if t._type in ("bool", "int8", "int16", "int32", "int64")
            else "uint64"
        )
        t = cast_to(t, kind)
        step = 1
        while step < size_number(at):
            evaluate([t])
            t = operation(merge(t._shape, EMPTY_SHAPE), kind, f"(%s + offset(%s, %s, axes=[{name}]))",
                          (t, t, Number(-step)), reads=True)
            step *= 2
    t = ordered(t, shape)
    evaluate([t])
    return t


# Comparing.

def close(*tensors: Value, rel_tolerance: float = 1e-5, abs_tolerance: float = 0) -> bool:
    """Whether every tensor is near the first: |t - first| <= abs_tolerance + rel_tolerance * |first|, NaN near NaN.
    Shapes are matched; those that cannot be are not close.

    >>> math.close(1.0, 1.000001)
    True
    """
    return not _far(tensors, rel_tolerance, abs_tolerance)


def _far(tensors: Sequence[Value], rel_tolerance: float, abs_tolerance: float) -> str:
    made = _operands(*tensors)
    evaluate(made)
    for i, each in enumerate(made[1:], 1):
        try:
            with _types.precision(64):
                near = _near(made[0], each, rel_tolerance, abs_tolerance)
        except ValueError as error:
            return f"values 0 and {i}: {error}"
        far = int(reduce("sum", ~near, near._shape))
        if far:
            return (f"values 0 and {i} differ in {far} of {near._shape.volume} elements: {made[0]:summary} and "
                    f"{each:summary}")
    return ""


def _near(first: Tensor, t: Tensor, rel_tolerance: float, abs_tolerance: float) -> Tensor:
    """Where t is near the first. Differences of integers are those of int64, so that they do not wrap."""
    kinds = {first._type, t._type}
    kind = "int64" if not kinds & {*FLOATS, "uint64"} else "float64"
    a, b = cast_to(first, kind), cast_to(t, kind)
    allowed = binary("+", abs_tolerance, binary("*", rel_tolerance, abs(a)))
    return (binary("<=", abs(binary("-", b, a)), allowed) & isfinite(a)) | (t == first) | (isnan(a) & isnan(b))


def assert_close(*tensors: Value, rel_tolerance: float = 1e-5, abs_tolerance: float = 0, msg: str = "",
                 verbose: bool = True) -> None:
    """AssertionError unless every tensor is near the first, as close says.

    >>> math.assert_close(math.ones(spatial(x=3)), 1)
    """
    far = _far(tensors, rel_tolerance, abs_tolerance)
    if far:
        raise AssertionError(f"{msg}: {far}" if msg else far)
