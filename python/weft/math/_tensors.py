"""Tensors with named dimensions, whose operations wait until values are needed (docs/math.md)."""
from __future__ import annotations

import difflib
from typing import Any, Callable, Iterator, NoReturn, Sequence, Union

import numpy

from weft import _arrays
from weft.math import _printing, _shapes, _types
from weft.math._backends import HOST, NUMPY, Backend, Home, common, default_home, home_of, moved
from weft.math._graph import LIMIT, Constant, Data, Node, Number, Operation, Parts, array_of, evaluate, waiting
from weft.math._shapes import (EMPTY_SHAPE, Dim, DimsLike, IncompatibleShapes, Shape, Varying, _shape, as_shape, chosen,
                               concatenated, listed, merge, names_in)
from weft.math._types import ALL, FLOATS, PROMOTED, DType, floating

Value = Any  # a tensor, a number, or what lies along a tensor's channels: a list, a Shape, an array of rank 1


class Hooks:
    """What other modules do for tensors; they set these."""
    spread: Callable[..., Any]
    take: Callable[..., Tensor]
    mask: Callable[..., Tensor]
    stack: Callable[..., Tensor]
    rename: Callable[..., Tensor]
    select_parts: Callable[..., Tensor]
    reduce_parts: Callable[..., Tensor]
    of_dataarray: Callable[..., Tensor]
    to_dataarray: Callable[..., Any]


# Making tensors.

_new = object.__new__


def make(shape: Shape, kind: str, source: Any, home: Home | None) -> Tensor:
    self = _new(Tensor)
    self._shape, self._type, self._source, self._home = shape, kind, source, home
    self._weight, self._reads, self._seen = 0, False, False
    return self


def rounded(value: float, kind: str) -> float:
    """A number as a float of that type has it."""
    if kind == "float64":
        return value
    with numpy.errstate(over="ignore"):
        return float(NUMPY.dtype(kind).type(value))


def constant(value: Any, kind: str, shape: Shape = EMPTY_SHAPE, home: Home | None = None) -> Tensor:
    """One number for all elements, of their type."""
    if kind in FLOATS:
        value = rounded(float(value), kind)
    elif kind == "bool":
        value = bool(value)
    else:
        value = int(value)
    return make(shape, kind, Constant(value), home)


def operation(shape: Shape, kind: str, text: str, args: tuple[Any, ...], reads: bool = False,
              strict: int = 0, dear: bool = False) -> Tensor:
    """A tensor that waits: a text of the language with a %s for each argument. `reads`: whether it reads other elements
    of its arguments than the one that it computes; what waits under it and does so, too, is computed first."""
    home: Home | None = None
    weight, deep, first = 1, reads, False
    for arg in args:
        if isinstance(arg, Node):
            if arg._home is not home:
                home = common(home, arg._home)
            weight += arg._weight
            if arg._reads:
                deep = True
                first = first or reads
    if first:
        evaluate([arg for arg in args if isinstance(arg, Node) and arg._reads])
        weight = 1 + sum([arg._weight for arg in args if isinstance(arg, Node)])
    if weight > LIMIT:
        nodes = [arg for arg in args if isinstance(arg, Node)]
        weight = 1 + waiting(nodes)
        if weight > LIMIT:
            evaluate(nodes)
            weight, deep = 1, reads
    self = _new(Tensor)
    self._shape, self._type, self._home = shape, kind, home
    self._source = Operation(text, args, strict, dear or reads)
    self._weight, self._reads, self._seen = weight, deep, False
    return self


INT32, INT64, UINT64 = range(-2**31, 2**31), range(-2**63, 2**63), range(2**63, 2**64)


def number(value: Union[bool, int, float]) -> Tensor:
    """A tensor of rank 0: a float of the current precision, an int of 32 bits, or more where it needs them. A float is
    rounded where it meets its type, which is that of the program."""
    if type(value) in NUMBERS:
        return make(EMPTY_SHAPE, number_type(value), Constant(value), None)
    if isinstance(value, numpy.generic):
        return of_scalar(value)
    for kind in bool, int, float:
        if isinstance(value, kind):
            return number(kind(value))
    raise TypeError(f"{type(value).__name__} is no number")


NUMBERS = frozenset((bool, int, float))


def number_type(value: Union[bool, int, float]) -> str:
    """The type of a number of Python's."""
    if type(value) is float:
        return floating()
    if type(value) is bool:
        return "bool"
    kind = "int32" if value in INT32 else "int64" if value in INT64 else "uint64" if value in UINT64 else ""
    if not kind:
        raise ValueError(f"{value} fits no type of integers; give a float")
    return kind


def of_scalar(value: Any) -> Tensor:
    """A scalar of NumPy keeps its type."""
    check_elements(value.dtype)
    return constant(value.item() if value.dtype.name != "bfloat16" else float(value), value.dtype.name)


NO_COMPLEX = "tensors have no complex elements yet; wrap the real and the imaginary part"


def check_elements(dtype: Any) -> str:
    """The name of a dtype that tensors have; TypeError for another."""
    name = str(getattr(dtype, "name", dtype)).rpartition(".")[2]
    if name in ALL:
        return name
    if name.startswith("complex"):
        raise TypeError(NO_COMPLEX)
    raise TypeError(f"elements of dtype {dtype} are no numbers that a tensor has; it has {', '.join(ALL)}")


def wrap(data: Value, *shape: Union[Shape, str], names: str | None = None) -> Tensor:
    """A tensor of data, which stay where they are: a number, a list (nested, or of tensors, which are stacked), an
    array of NumPy, PyTorch, JAX or CuPy, an xarray.DataArray, a Shape (its sizes). `shape` names the axes in their
    order, in one shape or several, or as text; names= does so as text of the language's types. Data of rank 1 may
    lack it.

    Arrays keep their dtype; ints in a list are int64, floats float64. Nothing is copied that can be shared, so an array
    must not change before all that was computed from the tensor is evaluated; math.copy(t) protects.

    >>> math.wrap([[1, 2], [3, 4]], spatial("y,x"))
    1; 2; 3; 4 (yˢ=2, xˢ=2) int64
    >>> math.wrap([1.0, 2.0], channel(vector="x,y"))
    (x=1.000, y=2.000) float64

    Raises ValueError for shapes that do not fit, TypeError for elements that are no numbers, or complex.
    """
    given = concatenated([as_shape(each) for each in shape]) if shape else None
    if names is not None:
        if given is not None:
            raise TypeError("wrap takes a shape or names=, not both")
        given = _shapes.of_text(names)
    if isinstance(data, Tensor):
        return data if given is None else fitted(data, given)
    if isinstance(data, (bool, int, float, numpy.generic)):
        if given is not None and given._dims:
            raise ValueError(f"a number has no dimensions, and the shape {given} is given; write math.expand(number, "
                             "shape)")
        made = number(data)
        return constant(data, made._type) if made._type in FLOATS else made
    if isinstance(data, Shape):
        labels = Dim("dims", "channel", data.rank, data.names or None)
        array = numpy.array([size_number(dim) for dim in data._dims], numpy.int64)
        return of_array(array, given if given is not None else _shape((labels,)))
    if isinstance(data, (list, tuple)) and any(isinstance(each, Tensor) for each in data):
        if given is None:
            given = _shape((Dim("vector", "channel", None, None),))
        if given.rank != 1:
            raise ValueError(f"a list of tensors is stacked along one dimension, not along {given}")
        return Hooks.stack([wrap(each) for each in data], given)
    if type(data).__module__.partition(".")[0] == "xarray":
        return Hooks.of_dataarray(data, given)
    return of_array(array_like(data), given)


def tensor(data: Value, *shape: Union[Shape, str], names: str | None = None) -> Tensor:
    """As wrap, with data that are moved to the default backend.

    >>> math.tensor([1, 2, 3], spatial("x"))
    (1, 2, 3) along xˢ int64
    """
    made = wrap(data, *shape, names=names)
    if type(made._source) is Data:
        home = default_home()
        if made._home is not home:
            return make(made._shape, made._type, Data(moved(made._source.array, home)), home)
    elif type(made._source) is Constant and default_home() is not HOST:
        made._home = default_home()
    return made


def size_number(dim: Dim) -> int:
    if isinstance(dim.size, Varying):
        raise ValueError(f"the size of {dim.name} varies along {dim.size.name}, {_shapes.size_text(dim.size)}, and one "
                         f"is needed; take the parts one by one, as in t.{dim.size.name}[0]")
    if not isinstance(dim.size, int):
        raise ValueError(f"the size of {dim.name} is not known")
    return dim.size


def array_like(data: Any) -> Any:
    """An array of a library that can be computed with."""
    if isinstance(data, (list, tuple, range)):
        try:
            array = numpy.asarray(data)
        except (ValueError, OverflowError) as error:
            raise ValueError(f"the list is no array: {error}; lists of unlike lengths are stacked as tensors, "
                             "math.stack([..], dim)") from None
        if array.dtype == object:
            kinds = sorted({type(each).__name__ for each in numpy.ravel(array)[:100]})
            raise TypeError(f"the list holds {', '.join(kinds)}; a tensor has numbers")
        if not array.size and array.dtype == float:
            array = array.astype(numpy.dtype(floating()))
        return array
    if isinstance(data, complex):
        raise TypeError(NO_COMPLEX)
    refused = _arrays.library_of(type(data))
    if isinstance(refused, str):
        raise TypeError(refused)
    if refused is None:
        if not hasattr(data, "__array__") and not isinstance(data, (bytearray, memoryview)):
            raise TypeError(f"{type(data).__name__} is no number, list or array; math.wrap takes these")
        return _arrays.as_array(data)
    return numpy.from_dlpack(data) if isinstance(refused, _arrays.Other) else data


def of_array(array: Any, given: Shape | None) -> Tensor:
    """A tensor of an array of a library, which names dimensions."""
    kind = check_elements(array.dtype)
    sizes = tuple(array.shape)
    if given is None:
        if len(sizes) > 1:
            raise ValueError(f"an array of shape {sizes} needs names for its axes, as in math.wrap(array, "
                             f"spatial('{','.join('zyx'[-len(sizes):]) if len(sizes) < 4 else 'a,b,..'}'))")
        given = _shape((Dim("vector", "channel", None, None),)) if sizes else EMPTY_SHAPE
    if not sizes and not given._dims:
        home = home_of(array)
        return constant(array.item(), kind, home=None if home is HOST else home)
    return make(filled(given, sizes), kind, Data(array), home_of(array))


def filled(given: Shape, sizes: Sequence[int]) -> Shape:
    """A shape with the sizes of data, which it has to fit."""
    if given.rank != len(sizes):
        raise ValueError(f"the data have shape {tuple(sizes)}, with {len(sizes)} axes, and {given} has {given.rank} "
                         "dimensions")
    dims = []
    for dim, size in zip(given._dims, sizes):
        if dim.size is not None and dim.size != size:
            has = f"{len(dim.labels)} labels" if dim.labels else f"size {_shapes.size_text(dim.size)}"
            raise ValueError(f"the data have shape {tuple(sizes)}, and {given} says {has} of {dim.name}, which has "
                             f"{size} elements there")
        dims.append(dim._replace(size=int(size)) if dim.size is None else dim)
    return _shape(tuple(dims))


def fitted(t: Tensor, given: Shape) -> Tensor:
    """A tensor under other names, position by position."""
    shape = filled(given, [size_number(dim) for dim in t._shape._dims])
    return renamed(t, shape)


def renamed(t: Tensor, shape: Shape) -> Tensor:
    """The same elements under another shape of the same sizes."""
    source = t._source
    if type(source) is not Operation:
        return make(shape, t._type, source, t._home)
    if [dim[:2] for dim in shape._dims] == [dim[:2] for dim in t._shape._dims]:
        return again(t, shape)
    return operation(shape, t._type, f'named(%s, "{_shapes.typed(shape)[1:-1]}")', (t,))


def again(t: Tensor, shape: Shape) -> Tensor:
    """A tensor that waits, with other labels: it is the same one to its program."""
    made = make(shape, t._type, t._source, t._home)
    made._weight, made._reads = t._weight, t._reads
    return made


def as_tensor(value: Value, beside: Tensor | None = None) -> Tensor:
    """An operand: a tensor as it is; a list, a Shape or an array of rank 1 lies along a dimension of `beside`."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, numpy.generic):
        return of_scalar(value)
    if isinstance(value, BoundDim):
        raise TypeError(
            f"{value!r} is a dimension of a tensor; select from it, as in t.{value.name}[0], or multiply by "
            "it to sum over products"
        )
    if isinstance(value, str) or value is None:
        raise TypeError(f"{value!r} is no number, list, array or tensor")
    if isinstance(value, Shape):
        value = [size_number(dim) for dim in value._dims]
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        dim = along(beside, len(value))
        return Hooks.stack([as_tensor(each) for each in value], _shape((dim,)))
    array = array_like(value)
    if array.ndim == 0:
        return of_array(array, EMPTY_SHAPE)
    if array.ndim > 1:
        raise ValueError(f"an array of shape {tuple(array.shape)} has no names; write math.wrap(array, shape)")
    made = of_array(array, _shape((along(beside, len(array)),)))
    if isinstance(value, (list, tuple, range)) and made._type in ("int64", "float64"):
        made = make(made._shape, made._type, made._source, None if default_home() is HOST else made._home)
        made._home = HOST
    return made


def along(beside: Tensor | None, count: int) -> Dim:
    """The dimension along which values without a name lie beside a tensor."""
    shape = beside._shape if beside is not None else EMPTY_SHAPE
    channels = shape.channel._dims
    if len(channels) == 1:
        dim = channels[0]
    elif "vector" in shape._names:
        dim = shape.dim("vector")
    elif shape.rank == 1:
        dim = shape._dims[0]
    elif beside is None:
        return Dim("vector", "channel", count, None)
    else:
        raise IncompatibleShapes(
            f"{count} values lie along the one channel dimension of the other operand, a dimension "
            f"vector, or its only one, and {shape} has none of these; write math.wrap(values, "
            "channel('..'))"
        )
    if dim.size != count:
        raise IncompatibleShapes(f"cannot match {count} values with {shape}: they lie along {dim.name}, which has size "
                                 f"{_shapes.size_text(dim.size)}")
    return dim


# Elementwise operations: shapes by matching, types by B4.

ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "/": "({} / {})", "//": "({} // {})",
              "%": "({} % {})", "**": "({} ** {})", "max": "max({}, {})", "min": "min({}, {})"}
COMPARED = {"==": "({} == {})", "!=": "({} != {})", "<": "({} < {})", "<=": "({} <= {})", ">": "({} > {})",
            ">=": "({} >= {})"}
BITWISE = {"&": "({} & {})", "|": "({} | {})", "^": "({} ^ {})", "<<": "({} << {})", ">>": "({} >> {})"}
OF_FLOATS = {"arctan2": "atan2({}, {})", "hypot": "hypot({}, {})", "copysign": "copysign({}, {})"}
OF_BOOLS = {"*": "({} & {})", "max": "({} | {})", "min": "({} & {})"}


def common_type(kinds: Sequence[str]) -> str:
    """The type in which operands of these meet: a float of the current precision if there is a float."""
    met = kinds[0]
    for kind in kinds:
        if kind in FLOATS:
            return floating()
        if kind != met:
            met = PROMOTED[met, kind]
    return met


class Plan:
    """What an operator does with operands of two types: the type that it computes in, that of the result, its text with
    a {} for each operand, and its texts for tensors, by whether the first and the second one are converted."""

    def __init__(self, symbol: str, a: str, b: str) -> None:
        compute: str | None = common_type((a, b))
        text = ARITHMETIC.get(symbol) or COMPARED.get(symbol) or BITWISE.get(symbol) or OF_FLOATS[symbol]
        if symbol == "/" or symbol in OF_FLOATS:
            compute = floating()
        elif symbol in COMPARED:
            if a not in FLOATS and b not in FLOATS:
                compute = None  # integers compare by value
        elif symbol in BITWISE:
            for kind in a, b:
                if kind in FLOATS:
                    raise TypeError(f"{symbol} is of integers and bool, and an operand is {kind}; cast it, as in "
                                    "math.to_int32(x)")
            if compute == "bool" and symbol in ("<<", ">>"):
                compute = "int32"
        elif compute == "bool":
            if symbol in OF_BOOLS:
                text = OF_BOOLS[symbol]
            else:
                compute = "int32"
        self.compute = compute
        self.result = "bool" if symbol in COMPARED else compute or ""
        convert = f"{compute}(%s)"
        self.template = text.replace("%", "%%")
        self.texts = {(x, y): self.template.format(convert if x else "%s", convert if y else "%s")
                      for x in (False, True) for y in (False, True)}


_plans: dict[tuple[str, str, str, str], Plan] = {}


def binary(symbol: str, a: Value, b: Value) -> Tensor:
    """An operator of two operands."""
    if type(b) in NUMBERS:
        if isinstance(a, Tensor) and type(a._source) in OF_ELEMENTS:
            return with_number(symbol, a, b, False)
    elif type(a) in NUMBERS and isinstance(b, Tensor) and type(b._source) in OF_ELEMENTS:
        return with_number(symbol, b, a, True)
    if not isinstance(a, Tensor):
        a = as_tensor(a, b if isinstance(b, Tensor) else None)
    if not isinstance(b, Tensor):
        b = as_tensor(b, a)
    s, r = type(a._source), type(b._source)
    if s is Parts or r is Parts:
        return Hooks.spread(lambda a, b: binary(symbol, a, b), a, b)
    key = symbol, a._type, b._type, floating()
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = Plan(*key[:3])
    compute = plan.compute
    if symbol == "**" and r is Constant:
        check_power(compute, b._source.value)
    shape = merge(a._shape, b._shape)
    if s is Constant:
        a = met(a, b._shape, shape, compute)
    if r is Constant:
        b = met(b, a._shape, shape, compute)
    text = plan.texts[compute is not None and a._type != compute, compute is not None and b._type != compute]
    return operation(shape, plan.result, text, (a, b))


def check_power(compute: str | None, exponent: Any) -> None:
    if compute not in FLOATS and exponent < 0:
        raise ValueError(f"integers to the power {exponent} are none; make a float of the base, as in math.to_float(x)")


OF_ELEMENTS = frozenset((Data, Operation))  # sources of values, element by element
_with_number: dict[tuple[str, str, str, str, bool], tuple[str, str, str]] = {}


def with_number(symbol: str, t: Tensor, value: Any, first: bool) -> Tensor:
    """An operator of a tensor and a number of Python's, which comes with the run, so that programs that differ in
    numbers are one. `first`: whether the number is the first operand."""
    kind = number_type(value)
    key = symbol, t._type, kind, floating(), first
    found = _with_number.get(key)
    if found is None:
        plan = Plan(symbol, kind, t._type) if first else Plan(symbol, t._type, kind)
        own = "%s" if plan.compute in (None, t._type) else f"{plan.compute}(%s)"
        text = plan.template.format("%s", own) if first else plan.template.format(own, "%s")
        found = _with_number[key] = text, plan.result, plan.compute or kind
    text, result, compute = found
    if symbol == "**" and not first:
        check_power(compute, value)
    value = float(value) if compute in FLOATS else bool(value) if compute == "bool" else int(value)
    number = Number(value, compute)
    return operation(merge(t._shape, EMPTY_SHAPE), result, text, (number, t) if first else (t, number))


def met(a: Tensor, other: Shape, shape: Shape, compute: str | None) -> Tensor:
    """A constant as an operand: of the type in which it is computed; of rank 0 where the others have all dimensions."""
    kind = a._type if compute is None else compute
    keeps = a._shape._dims and shape._names != merge(other, EMPTY_SHAPE)._names
    if kind == a._type and (keeps or not a._shape._dims):
        return a
    return constant(converted(a._source.value, kind), kind, a._shape if keeps else EMPTY_SHAPE, a._home)


def converted(value: Any, kind: str) -> Any:
    """A number in another type, as the language converts it."""
    if kind in FLOATS or kind == "bool":
        return value
    return int(value)


def joined(text: str, kinds: str, operands: Sequence[Tensor], result: str) -> Tensor:
    """An operation of several operands, which are converted to one type; text has a {} for each."""
    shape = merge(EMPTY_SHAPE, EMPTY_SHAPE)
    for each in operands:
        shape = merge(shape, each._shape)
    args = []
    parts = []
    for i, each in enumerate(operands):
        if type(each._source) is Constant:
            others = EMPTY_SHAPE
            for j, other in enumerate(operands):
                if j != i and type(other._source) is not Constant:
                    others = merge(others, other._shape)
            each = met(each, others, shape, kinds)
        args.append(each)
        parts.append("%s" if each._type == kinds else f"{kinds}(%s)")
    return operation(shape, result, text.format(*parts), tuple(args))


def unary(text: str, t: Tensor, kind: str, converts: bool) -> Tensor:
    """A function of one operand, in a type; text has a %s. The dimensions of the result are sorted."""
    if type(t._source) is Parts:
        return Hooks.spread(lambda t: unary(text, t, kind, converts), t)
    if converts and t._type != kind:
        if type(t._source) is Constant:
            t = constant(t._source.value, kind, t._shape, t._home)
        else:
            text = text % f"{kind}(%s)"
    return operation(merge(t._shape, EMPTY_SHAPE), kind, text, (t,))


def cast_to(t: Tensor, kind: str) -> Tensor:
    """Conversion by the language's rule: to an integer nearest and saturating. The dimensions of the result are sorted,
    but where there is nothing to convert."""
    if t._type == kind:
        return t
    if type(t._source) is Parts:
        return Hooks.spread(lambda t: cast_to(t, kind), t)
    if type(t._source) is Constant and (kind in FLOATS or t._type not in FLOATS and kind != "bool"
                                        and fits(t._source.value, kind)):
        value = rounded(t._source.value, t._type) if t._type in FLOATS else t._source.value
        return constant(value, kind, t._shape, t._home)
    return operation(merge(t._shape, EMPTY_SHAPE), kind, f"{kind}(%s)", (t,))


def in_order(t: Tensor) -> Tensor:
    """t with its dimensions sorted, as operations of elements give them."""
    if type(t._source) is Parts:
        return Hooks.spread(in_order, t)
    return ordered(t, merge(t._shape, EMPTY_SHAPE))


def fits(value: Any, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    bits = ALL[kind].bits
    return bool(0 <= value < 2**bits) if kind[0] == "u" else bool(-2**(bits - 1) <= value < 2**(bits - 1))


# Reductions.

COUNTED = ("bool", "int8", "int16", "int32", "int64")


def reduce(name: str, t: Tensor, dims: DimsLike) -> Tensor:
    """A reduction over the dimensions of t that dims says."""
    over = chosen(dims, t._shape)
    if type(t._source) is Parts:
        return Hooks.reduce_parts(name, t, over)
    kind = t._type
    if name in ("sum", "prod"):
        kind = kind if kind in FLOATS else "int64" if kind in COUNTED else "uint64"
    elif name in ("mean", "std"):
        if kind not in FLOATS:
            kind = floating()
            left = t._shape.without(over)
            if kind == "float64" or t._type in ("int64", "uint64"):  # which float32 would round
                return ordered(cast_to(reduce(name, cast_to(t, "float64"), over), kind), left)
            if kind == "float16":
                with _types.precision(32):  # which mean of integers is
                    return ordered(cast_to(reduce(name, t, over), kind), left)
    elif name in ("any", "all"):
        kind = "bool"
    elif kind == "bool":
        name = "any" if name == "max" else "all"
    shape = t._shape.without(over)
    if name in ("min", "max"):
        for each in over:
            if t._shape.dim(each).size == 0 and shape.volume:
                raise ValueError(f"{name} over {each} of {t._shape}, which has no elements, has no value")
        return operation(shape, kind, f"{name}(%s, axes={listed(over)})", (t,), dear=True)
    return operation(shape, kind, f"{name}(%s, {listed(over)})", (t,), dear=True)


# Selections.

def select(t: Tensor, name: str, item: Any) -> Tensor:
    """t.name[item]; t itself where it has no such dimension."""
    if name not in t._shape._names:
        return t
    if isinstance(item, Tensor):
        return select_tensor(t, name, item)
    if type(t._source) is Parts:
        return Hooks.select_parts(t, name, item)
    at = t._shape._names.index(name)
    dim = t._shape._dims[at]
    size = size_number(dim)
    if isinstance(item, slice):
        return select_slice(t, at, dim, size, item)
    if isinstance(item, str):
        labels = names_in(item)
        positions = [label_position(dim, label) for label in labels]
        item = positions[0] if len(positions) == 1 and "," not in item else positions
    elif isinstance(item, Shape):
        item = [label_position(dim, label) for label in item._names]
    if hasattr(item, "__index__") and not isinstance(item, bool) and getattr(item, "ndim", 0) == 0:
        return select_one(t, at, dim, position(dim, size, item.__index__()))
    if isinstance(item, numpy.ndarray):
        item = item.tolist()
    if not isinstance(item, (list, tuple, range)):
        raise TypeError(f"{name} is selected from by an integer, a slice, a label, a list of these or a tensor, not by "
                        f"{item!r}")
    if item and all(isinstance(each, bool) for each in item):
        return Hooks.mask(t, name, wrap(list(item), _shape((Dim(name, dim.kind, None, None),))))
    return select_list(t, at, dim, size, item)


def position(dim: Dim, size: int, i: int) -> int:
    if not -size <= i < size:
        raise IndexError(f"position {i} is outside of {dim.name}, which has size {size}")
    return i + size if i < 0 else i


def label_position(dim: Dim, label: str) -> int:
    labels = dim.labels or ()
    if label in labels:
        return labels.index(label)
    if not labels:
        raise ValueError(f"{dim.name} has no labels, so {label!r} is none of its elements; select by position")
    near = difflib.get_close_matches(label, labels, 1)
    some = ", ".join(labels[:8]) + (", .." if len(labels) > 8 else "")
    raise ValueError(f"{dim.name} has no label {label!r}" + (f"; did you mean {near[0]!r}?" if near else
                                                            f"; it has {some}"))


def shareable(t: Tensor) -> bool:
    """Whether a selection of t is a view of its data."""
    return type(t._source) is Data and t._home is HOST


def select_one(t: Tensor, at: int, dim: Dim, i: int) -> Tensor:
    shape = _shape(t._shape._dims[:at] + t._shape._dims[at + 1:])
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if shareable(t):
        index: tuple[Any, ...] = (slice(None),) * at + (i,)
        got = t._source.array[index]
        return of_scalar(got) if isinstance(got, numpy.generic) else make(shape, t._type, Data(got), HOST)
    return operation(shape, t._type, f"%s.{dim.name}[%s]", (t, Number(i)))


def select_slice(t: Tensor, at: int, dim: Dim, size: int, item: slice) -> Tensor:
    for part in item.start, item.stop, item.step:
        if part is not None and not hasattr(part, "__index__"):
            raise TypeError(f"a slice of {dim.name} is of integers, not of {part!r}")
    positions = range(size)[item]
    if len(positions) == size and positions.step == 1:
        return t
    labels = tuple(dim.labels[i] for i in positions) if dim.labels and positions else None
    shape = replaced(t._shape, at, dim._replace(size=len(positions), labels=labels))
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if shareable(t):
        index: tuple[Any, ...] = (slice(None),) * at + (item,)
        return make(shape, t._type, Data(t._source.array[index]), HOST)
    texts = ["" if part is None else str(part.__index__()) for part in (item.start, item.stop, item.step)]
    return operation(shape, t._type, f"%s.{dim.name}[{':'.join(texts)}]", (t,))


def replaced(shape: Shape, at: int, dim: Dim) -> Shape:
    return _shape(shape._dims[:at] + (dim,) + shape._dims[at + 1:])


LITERAL = 16  # positions that stand in a text


def select_list(t: Tensor, at: int, dim: Dim, size: int, items: Any) -> Tensor:
    positions = []
    for item in items:
        if isinstance(item, str):
            positions.append(label_position(dim, item))
        elif hasattr(item, "__index__") and not isinstance(item, bool):
            positions.append(position(dim, size, item.__index__()))
        else:
            raise TypeError(f"elements of {dim.name} are selected by integers and labels, not by {item!r}")
    distinct = len(set(positions)) == len(positions)
    labels = tuple(dim.labels[i] for i in positions) if dim.labels and positions and distinct else None
    shape = replaced(t._shape, at, dim._replace(size=len(positions), labels=labels))
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if not positions:
        return select_slice(t, at, dim, size, slice(0, 0))
    if len(positions) <= LITERAL:
        return operation(shape, t._type, f"%s.{dim.name}[{listed(map(str, positions))}]", (t,))
    where = make(_shape((Dim(dim.name, dim.kind, len(positions), None),)), "int64",
                 Data(numpy.array(positions, numpy.int64)), HOST)
    return ordered(Hooks.take(t, dim.name, where), shape)


def ordered(t: Tensor, shape: Shape) -> Tensor:
    """t with its dimensions in the order of a shape, which says their labels, too."""
    if t._shape._names == shape._names:
        return renamed(t, shape)
    if type(t._source) is Parts:
        names = [name for name in shape._names if name != t._source.along]
        return Hooks.spread(lambda part: ordered(part, _shape(tuple([part._shape.dim(name) for name in names]))), t)
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if shareable(t):
        array = t._source.array.transpose([t._shape._names.index(name) for name in shape._names])
        return make(shape, t._type, Data(array), HOST)
    return operation(shape, t._type, f"transpose(%s, {listed(shape._names)})", (t,))


def select_tensor(t: Tensor, name: str, item: Tensor) -> Tensor:
    if item._type == "bool":
        return Hooks.mask(t, name, item)
    if item._type in FLOATS:
        raise TypeError(f"positions along {name} are integers, and the tensor is {item._type}; math.to_int32(t) makes "
                        "some")
    if not item._shape._dims and type(item._source) is Constant:
        return in_order(select(t, name, item._source.value))
    return Hooks.take(t, name, item)


def select_all(t: Tensor, item: Any) -> Tensor:
    """t[item]."""
    if isinstance(item, dict):
        for name, each in item.items():
            t = select(t, name, each)
        return t
    shape = t._shape
    chosen_dims = shape.channel if len(shape.channel) == 1 else shape.non_batch
    if isinstance(item, Tensor) and item._type == "bool" and item._shape.rank == 1 and item._shape in shape:
        chosen_dims = item._shape
    if len(chosen_dims) != 1:
        raise ValueError(
            f"t[item] is along the one channel dimension, or the one dimension that is no batch, and {shape} "
            "has neither; write t.x[item] or t[{'x': item}]"
        )
    return select(t, chosen_dims.name, item)


class BoundDim:
    """A dimension of a tensor, `t.x`, whether the tensor has it or not: selected from by `[ ]`, iterated over, asked,
    renamed; times a tensor it is the sum over the products. Immutable."""

    __slots__ = ("_tensor", "_name")

    def __init__(self, tensor: Tensor, name: str) -> None:
        self._tensor, self._name = tensor, name

    @property
    def name(self) -> str:
        """The dimension's name."""
        return self._name

    @property
    def exists(self) -> bool:
        """Whether the tensor has it."""
        return self._name in self._tensor._shape._names

    @property
    def size(self) -> Any:
        """The number of elements along it; None if it is absent, an int64 tensor if it varies."""
        return self._tensor._shape.get_size(self._name) if self.exists else None

    @property
    def item_names(self) -> tuple[str, ...] | None:
        """The labels, or None."""
        return self._tensor._shape.get_item_names(self._name) if self.exists else None

    labels = item_names

    @property
    def index(self) -> int:
        """The position of the dimension in the shape. ValueError if it is absent."""
        return self._tensor._shape.index(self._name)

    @property
    def type(self) -> str:
        """The kind: batch, instance, spatial or channel. ValueError if it is absent."""
        return self._tensor._shape.get_type(self._name)

    def rename(self, name: str) -> Tensor:
        """The tensor with this dimension under another name; the tensor itself if it is absent."""
        return self._changed(name, None)

    def _changed(self, name: str | None, kind: str | None) -> Tensor:
        t = self._tensor
        if not self.exists:
            return t
        at = self.index
        dim = t._shape._dims[at]
        kind = kind or dim.kind
        new = dim._replace(name=_shapes.check_name(name or dim.name, kind), kind=kind)
        if type(t._source) is Parts:
            return Hooks.rename(t, self._name, _shape((new._replace(size=None, labels=None),)))
        return renamed(t, replaced(t._shape, at, new))

    def as_batch(self, name: str | None = None) -> Tensor:
        """The tensor with this as a batch dimension, perhaps under another name."""
        return self._changed(name, "batch")

    def as_instance(self, name: str | None = None) -> Tensor:
        """The tensor with this as an instance dimension, perhaps under another name."""
        return self._changed(name, "instance")

    def as_spatial(self, name: str | None = None) -> Tensor:
        """The tensor with this as a spatial dimension, perhaps under another name."""
        return self._changed(name, "spatial")

    def as_channel(self, name: str | None = None) -> Tensor:
        """The tensor with this as a channel dimension, perhaps under another name."""
        return self._changed(name, "channel")

    def unstack(self, size: int | None = None) -> tuple[Tensor, ...]:
        """The slices along it, in their order; without the dimension, the tensor as often as size says."""
        if not self.exists:
            return (self._tensor,) * (1 if size is None else size)
        count = size_number(self._tensor._shape.dim(self._name))
        if size is not None and size != count:
            raise ValueError(f"{self._name} of {self._tensor._shape} has {count} elements, not {size}")
        if count > 1:
            evaluate([self._tensor])
        return tuple(select(self._tensor, self._name, i) for i in range(count))

    def __getitem__(self, item: Any) -> Tensor:
        return select(self._tensor, self._name, item)

    def __setitem__(self, item: Any, value: Any) -> NoReturn:
        self._tensor[item] = value

    def __iter__(self) -> Iterator[Tensor]:
        return iter(self.unstack())

    def __len__(self) -> int:
        return 1 if not self.exists else size_number(self._tensor._shape.dim(self._name))

    def __mul__(self, other: Value) -> Tensor:
        other = other._tensor if isinstance(other, BoundDim) else other
        return reduce("sum", binary("*", self._tensor, other), self._name)

    def __rmul__(self, other: Value) -> Tensor:
        return reduce("sum", binary("*", other, self._tensor), self._name)

    def __bool__(self) -> bool:
        return self.exists

    def __repr__(self) -> str:
        return f"{self._name} of {self._tensor._shape}"

    def __call__(self, *args: Any, **options: Any) -> NoReturn:
        raise TypeError(f"a tensor has no method {self._name}, so t.{self._name} was taken as a dimension of "
                        f"{self._tensor._shape}; math has the functions, as math.sqrt(t)")

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a dimension of a tensor has no {name!r}; t.{self._name} was taken as the dimension "
                             f"{self._name!r} of {self._tensor._shape}")


class Tensor(Node):
    """An array with named dimensions. Operations on it check names, kinds, shapes and types where they are written;
    its values come when they are needed, once, computed with all that waits for them in fused kernels. Immutable, but
    for the data that it wraps; threads may share it.

    >>> u = math.wrap([[1.0, 2.0], [3.0, 4.0]], spatial("y,x"))
    >>> u.x[0] + u.y[0]
    2.000; 3.000; 4.000; 5.000 (yˢ=2, xˢ=2)
    """

    __slots__ = ()
    __array_priority__ = 1000
    __array_ufunc__ = None

    def __init__(self) -> None:
        raise TypeError("tensors are made by math.wrap, math.tensor, math.zeros and their like")

    @property
    def shape(self) -> Shape:
        """The dimensions."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return ALL[self._type]

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._shape._dims)

    @property
    def default_backend(self) -> Backend:
        """The backend where the data are; without data the one in which tensors are created."""
        return (self._home or default_home()).backend

    # Over all elements.

    @property
    def sum(self) -> Tensor:
        """The sum of all elements."""
        return reduce("sum", self, self._shape)

    @property
    def mean(self) -> Tensor:
        """The mean of all elements."""
        return reduce("mean", self, self._shape)

    @property
    def std(self) -> Tensor:
        """The standard deviation of all elements."""
        return reduce("std", self, self._shape)

    @property
    def min(self) -> Tensor:
        """The smallest element."""
        return reduce("min", self, self._shape)

    @property
    def max(self) -> Tensor:
        """The largest element."""
        return reduce("max", self, self._shape)

    @property
    def all(self) -> Tensor:
        """Whether no element is 0."""
        return reduce("all", self, self._shape)

    @property
    def any(self) -> Tensor:
        """Whether an element is not 0."""
        return reduce("any", self, self._shape)

    # Values.

    def native(self, order: DimsLike = None) -> Any:
        """The values as an array of their backend, its axes in the order given, which names all dimensions; others have
        extent 1. A tensor of rank 2 and more needs it. What can be shared is.

        >>> math.ones(spatial(x=2, y=3)).native("y,x").shape
        (3, 2)

        Raises ValueError for a dimension that is left out, or without an order, or for unlike sizes.
        """
        array = array_of(self) if type(self._source) is not Parts else None
        if self._home is None and array is not None:  # of numbers alone
            array = moved(array, default_home())
        return laid_out(self, order, array)

    def numpy(self, order: DimsLike = None) -> Any:
        """The values as an array of NumPy, as native. The dtype is kept, so that nothing is copied that is NumPy's."""
        if type(self._source) is Parts:
            laid_out(self, order, None)
        array = array_of(self)
        return laid_out(self, order, home_of(array).backend.to_numpy(array))

    def to_xarray(self) -> Any:
        """An xarray.DataArray of the values, with the labels as coordinates. ImportError where xarray is absent."""
        return Hooks.to_dataarray(self)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        array = self.numpy(self._shape)
        return numpy.array(array, dtype=dtype, copy=True) if copy else numpy.asarray(array, dtype=dtype)

    def __dlpack__(self, **options: Any) -> Any:
        array = self.native(self._shape)
        if isinstance(array, numpy.ndarray) and not array.flags.writeable:
            array = array.copy()
        return array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.native(self._shape).__dlpack_device__()

    def __int__(self) -> int:
        return int(self._single("int"))

    def __index__(self) -> int:
        if self._type in FLOATS or self._type == "bool":
            raise TypeError(f"a position is an integer, and the tensor is {self._type}")
        return int(self._single("an index"))

    def __float__(self) -> float:
        return float(self._single("float"))

    def __bool__(self) -> bool:
        if self._shape._dims:
            raise ValueError(f"a tensor {self._shape} is not one truth value; write t.any or t.all")
        return bool(self._single("bool"))

    def _single(self, what: str) -> Any:
        if self._shape.volume != 1:
            raise ValueError(f"{what} is of one element, and {self._shape} has {self._shape.volume}")
        source = self._source
        if type(source) is Constant and self._type not in FLOATS:
            return source.value
        return self.numpy(self._shape).reshape(())[()]

    def __iter__(self) -> Iterator[Any]:
        """The values, row-major, as Python's."""
        return iter(self.numpy(self._shape).reshape(-1).tolist())

    def __len__(self) -> int:
        if len(self._shape._dims) != 1:
            raise TypeError(
                f"len is of tensors of rank 1, and {self._shape} has rank {self.rank}; write t.shape.volume"
            )
        return size_number(self._shape._dims[0])

    def __repr__(self) -> str:
        return self.__format__("")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        evaluate([self])
        values = [home_of(array).backend.to_numpy(array) for array in map(array_of, parts_of(self))]
        uniform = type(self._source) is not Parts
        return _printing.format_tensor(values[0] if uniform else values, _shapes.printed(self._shape), spec,
                                       _types.get_precision())

    def __reduce__(self) -> Any:
        if type(self._source) is Parts:
            along = self._shape.dim(self._source.along)
            return _unpickled_parts, (self._source.parts, _shape((along,)), self._shape)
        if type(self._source) is Constant:
            return _unpickled_constant, (self._shape, self._type, self._source.value)
        return _unpickled, (self._shape, self.numpy(self._shape))

    # Dimensions.

    def __getattr__(self, name: str) -> BoundDim:
        if name[0] == "_":
            raise AttributeError(f"a tensor has no attribute {name!r}; a dimension of that name is selected from by "
                                 f"t[{{'{name}': item}}]")
        return BoundDim(self, name)

    def __getitem__(self, item: Any) -> Tensor:
        return select_all(self, item)

    def __setitem__(self, item: Any, value: Any) -> NoReturn:
        raise TypeError(
            "tensors do not change; math.where(mask, new, old) and math.scatter(old, positions, new) make new ones"
        )

    def __contains__(self, item: Any) -> bool:
        return any(each == item for each in self)

    # Operators.

    def __add__(self, other: Value) -> Tensor:
        return binary("+", self, other)

    def __radd__(self, other: Value) -> Tensor:
        return binary("+", other, self)

    def __sub__(self, other: Value) -> Tensor:
        return binary("-", self, other)

    def __rsub__(self, other: Value) -> Tensor:
        return binary("-", other, self)

    def __mul__(self, other: Value) -> Tensor:
        return NotImplemented if isinstance(other, BoundDim) else binary("*", self, other)

    def __rmul__(self, other: Value) -> Tensor:
        return binary("*", other, self)

    def __truediv__(self, other: Value) -> Tensor:
        return binary("/", self, other)

    def __rtruediv__(self, other: Value) -> Tensor:
        return binary("/", other, self)

    def __floordiv__(self, other: Value) -> Tensor:
        return binary("//", self, other)

    def __rfloordiv__(self, other: Value) -> Tensor:
        return binary("//", other, self)

    def __mod__(self, other: Value) -> Tensor:
        return binary("%", self, other)

    def __rmod__(self, other: Value) -> Tensor:
        return binary("%", other, self)

    def __pow__(self, other: Value) -> Tensor:
        return binary("**", self, other)

    def __rpow__(self, other: Value) -> Tensor:
        return binary("**", other, self)

    def __and__(self, other: Value) -> Tensor:
        return binary("&", self, other)

    def __rand__(self, other: Value) -> Tensor:
        return binary("&", other, self)

    def __or__(self, other: Value) -> Tensor:
        return binary("|", self, other)

    def __ror__(self, other: Value) -> Tensor:
        return binary("|", other, self)

    def __xor__(self, other: Value) -> Tensor:
        return binary("^", self, other)

    def __rxor__(self, other: Value) -> Tensor:
        return binary("^", other, self)

    def __lshift__(self, other: Value) -> Tensor:
        return binary("<<", self, other)

    def __rlshift__(self, other: Value) -> Tensor:
        return binary("<<", other, self)

    def __rshift__(self, other: Value) -> Tensor:
        return binary(">>", self, other)

    def __rrshift__(self, other: Value) -> Tensor:
        return binary(">>", other, self)

    def __eq__(self, other: Value) -> Tensor:  # type: ignore[override]
        return binary("==", self, other)

    def __ne__(self, other: Value) -> Tensor:  # type: ignore[override]
        return binary("!=", self, other)

    def __lt__(self, other: Value) -> Tensor:
        return binary("<", self, other)

    def __le__(self, other: Value) -> Tensor:
        return binary("<=", self, other)

    def __gt__(self, other: Value) -> Tensor:
        return binary(">", self, other)

    def __ge__(self, other: Value) -> Tensor:
        return binary(">=", self, other)

    __hash__ = object.__hash__

    def __neg__(self) -> Tensor:
        if self._type == "bool":
            raise TypeError("unary - of a bool; write ~t, or math.to_int32(t)")
        return unary("(-%s)", self, self._type, False)

    def __pos__(self) -> Tensor:
        return self

    def __invert__(self) -> Tensor:
        if self._type in FLOATS:
            raise TypeError(f"~ is of integers and bool, and the operand is {self._type}")
        return unary("(~%s)", self, self._type, False)

    def __abs__(self) -> Tensor:
        return in_order(self) if self._type == "bool" else unary("abs(%s)", self, self._type, False)


def parts_of(t: Tensor) -> Sequence[Tensor]:
    return t._source.parts if type(t._source) is Parts else (t,)


def laid_out(t: Tensor, order: DimsLike, array: Any) -> Any:
    """The array of a tensor, its axes in the order given."""
    shape = t._shape
    if array is None:
        raise ValueError(f"{shape} has unlike sizes, so it is no array; its parts are, as in t.{shape.along}[0]")
    if order is None:
        if len(shape._dims) > 1:
            raise ValueError(f"{shape} has {len(shape._dims)} dimensions; give their order, as in "
                             f"t.numpy('{','.join(shape._names)}')")
        return array
    names = names_in(order) if isinstance(order, str) else \
        list(order._names) if isinstance(order, Shape) else \
        [name for each in order for name in names_in(each)] if isinstance(order, (list, tuple)) and \
        all(isinstance(each, str) for each in order) else list(chosen(order, shape))
    missing = [name for name in shape._names if name not in names]
    if missing or len(set(names)) < len(names):
        what = f"leaves out {', '.join(missing)}" if missing else "has a name twice"
        raise ValueError(f"the order '{','.join(names)}' {what}; it names all dimensions of {shape}, once each")
    axes = [shape._names.index(name) for name in names if name in shape._names]
    if axes != list(range(len(axes))):
        array = array.permute(*axes) if hasattr(array, "permute") else array.transpose(axes)
    for at, name in enumerate(names):
        if name not in shape._names:
            array = array[(slice(None),) * at + (None,)]
    return array


def _unpickled(shape: Shape, array: Any) -> Tensor:
    return make(shape, array.dtype.name, Data(array), HOST)


def _unpickled_constant(shape: Shape, kind: str, value: Any) -> Tensor:
    return make(shape, kind, Constant(value), None)


def _unpickled_parts(parts: Sequence[Tensor], along: Shape, shape: Shape) -> Tensor:
    return Hooks.stack(list(parts), along)


def _tensor_of_sizes(sizes: Varying) -> Tensor:
    array = numpy.array(sizes.sizes, numpy.int64)
    return make(_shape((Dim(sizes.name, sizes.kind, len(array), None),)), "int64", Data(array), HOST)


_shapes.tensor_of_sizes = _tensor_of_sizes

__all__ = ["Tensor", "tensor", "wrap"]
