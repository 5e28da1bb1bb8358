"""How tensors are made: of numbers, lists and arrays, and of operations that wait (docs/math.md, "Making tensors")."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

import numpy

from weft import _arrays
from weft.math import _shapes
from weft.math._backends import DASK, HOST, NUMPY, Home, common, default_home, home_of, moved
from weft.math._graph import LIMIT, WAYS, Constant, Data, Node, Number, Operation, evaluate, joins_under, waiting
from weft.math._shapes import EMPTY_SHAPE, Dim, IncompatibleShapes, Shape, Varying, _shape, as_shape, concatenated
from weft.math._types import ALL, FLOATS, floating

if TYPE_CHECKING:
    from weft.math._tensors import BoundDim, Tensor

Value = Any  # a tensor, a number, or what lies along a tensor's channels: a list, a Shape, an array of rank 1


class Hooks:
    """What other modules do for tensors; they set these."""
    tensor: type[Tensor]
    bound_dim: type[BoundDim]
    spread: Callable[..., Any]
    take: Callable[..., Tensor]
    mask: Callable[..., Tensor]
    stack: Callable[..., Tensor]
    rename: Callable[..., Tensor]
    select_parts: Callable[..., Tensor]
    reduce_parts: Callable[..., Tensor]
    of_dataarray: Callable[..., Tensor]
    to_dataarray: Callable[..., Any]


_new = object.__new__


def make(shape: Shape, kind: str, source: Any, home: Home | None) -> Tensor:
    self = _new(Hooks.tensor)
    self._shape, self._type, self._source, self._home = shape, kind, source, home
    self._weight, self._reads, self._ways, self._seen = 0, False, 0, False
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
              strict: int = 0, dear: bool = False, joins: bool = False) -> Tensor:
    """A tensor that waits: a text of the language with a %s for each argument. `reads`: whether it reads other elements
    of its arguments than the one that it computes; what waits under it and does so, too, is computed first. `joins`:
    it is a concat or stack; of joins under joins the ways in which an element is read multiply, so those under it are
    computed first where these are many."""
    home: Home | None = None
    weight, deep, first, ways = 1, reads, False, 0
    for arg in args:
        if type(arg) is Number:
            continue
        if arg._home is not home:
            home = arg._home if home is None else common(home, arg._home)
        weight += arg._weight
        ways += arg._ways
        if arg._reads:
            deep = True
            first = reads
    if first:
        evaluate([arg for arg in args if isinstance(arg, Node) and arg._reads])
        weight = 1 + sum([arg._weight for arg in args if isinstance(arg, Node)])
    if joins and ways > WAYS:
        nodes = [arg for arg in args if isinstance(arg, Node)]
        evaluate(joins_under(nodes))
        weight, ways = 1 + waiting(nodes), 0
    if weight > LIMIT:
        nodes = [arg for arg in args if isinstance(arg, Node)]
        weight = 1 + waiting(nodes)
        if weight > LIMIT:
            evaluate(nodes)
            weight, deep, ways = 1, reads, 0
    self = _new(Hooks.tensor)
    self._shape, self._type, self._home = shape, kind, home
    self._source = source = _new(Operation)
    source.text, source.args, source.strict, source.dear = text, args, strict, dear or reads
    self._weight, self._reads, self._ways, self._seen = weight, deep, ways or int(joins), False
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
    if isinstance(data, Node):
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
    if isinstance(data, (list, tuple)) and any(isinstance(each, Node) for each in data):
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
    if home_of(data).backend is DASK:
        return data
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
    home = home_of(array)
    if not sizes and not given._dims and home.backend is not DASK:
        return constant(array.item(), kind, home=None if home is HOST else home)
    return make(filled(given, sizes), kind, Data(array), home)


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
    made._weight, made._reads, made._ways = t._weight, t._reads, t._ways
    return made


def as_tensor(value: Value, beside: Tensor | None = None) -> Tensor:
    """An operand: a tensor as it is; a list, a Shape or an array of rank 1 lies along a dimension of `beside`."""
    if isinstance(value, Node):
        return value
    if isinstance(value, (bool, int, float)):
        return number(value)
    if isinstance(value, numpy.generic):
        return of_scalar(value)
    if isinstance(value, Hooks.bound_dim):
        raise TypeError(
            f"{value!r} is a dimension of a tensor; select from it, as in t.{value.name}[0], or multiply by "
            "it to sum over products"
        )
    if isinstance(value, str) or value is None:
        raise TypeError(f"{value!r} is no number, list, array or tensor")
    if isinstance(value, Shape):
        value = [size_number(dim) for dim in value._dims]
    if isinstance(value, (list, tuple)) and any(isinstance(each, Node) for each in value):
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
