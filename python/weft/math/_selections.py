"""Selections from tensors, and the order of their dimensions (docs/math.md, "Selecting")."""
from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

import numpy

from weft.math._backends import HOST
from weft.math._graph import Constant, Data, Node, Number, Parts
from weft.math._making import Hooks, make, of_scalar, operation, renamed, size_number, wrap
from weft.math._shapes import EMPTY_SHAPE, Dim, Shape, _shape, listed, merge, names_in
from weft.math._types import FLOATS

if TYPE_CHECKING:
    from weft.math._tensors import Tensor


def select(t: Tensor, name: str, item: Any) -> Tensor:
    """t.name[item]; t itself where it has no such dimension."""
    if name not in t._shape._names:
        return t
    if isinstance(item, Node):
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
    bounds = [bound for bound in (item.start, item.stop) if bound is not None]
    numbers = tuple([Number(max(-size - 1, min(bound.__index__(), size))) for bound in bounds])
    texts = ["" if item.start is None else "%s", "" if item.stop is None else "%s"]
    texts += [] if item.step is None else [str(positions.step)]
    return operation(shape, t._type, f"%s.{dim.name}[{':'.join(texts)}]", (t, *numbers))


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
    if isinstance(item, Node) and item._type == "bool" and item._shape.rank == 1 and item._shape in shape:
        chosen_dims = item._shape
    if len(chosen_dims) != 1:
        raise ValueError(
            f"t[item] is along the one channel dimension, or the one dimension that is no batch, and {shape} "
            "has neither; write t.x[item] or t[{'x': item}]"
        )
    return select(t, chosen_dims.name, item)


def in_order(t: Tensor) -> Tensor:
    """t with its dimensions sorted, as operations of elements give them."""
    if type(t._source) is Parts:
        return Hooks.spread(in_order, t)
    return ordered(t, merge(t._shape, EMPTY_SHAPE))
