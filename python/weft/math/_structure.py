"""Functions that arrange dimensions (docs/math.md, "Structure")."""
from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

import numpy

from weft.math import _ragged, _shapes
from weft.math._backends import Backend, Home, checked, home_of, moved
from weft.math._graph import Constant, Data, Number, Parts, array_of
from weft.math._graph import evaluate as compute
from weft.math._shapes import (EMPTY_SHAPE, Dim, DimsLike, IncompatibleShapes, Shape, _shape, as_shape, chosen, listed,
                               merge, names_in, product, sized_text)
from weft.math._elements import cast_to
from weft.math._making import Hooks, Value, as_tensor, make, operation, renamed, size_number, wrap
from weft.math._selections import in_order, ordered, select, shareable
from weft.math._tensors import Tensor
from weft.math._types import promote


def stack(values: Union[Sequence[Value], Mapping[str, Value]], dim: Union[Shape, str]) -> Tensor:
    """Tensors stacked along a new dimension, whose size, if it has one, is their number. The keys of a dict are its
    labels. What one lacks of the others' dimensions it is constant along; where sizes differ, all have the same names,
    and the result has unlike sizes along dim.

    >>> math.stack([math.zeros(spatial(x=3)), math.ones(spatial(x=3))], batch("b")).shape
    (bᵇ=2, xˢ=3)
    >>> math.stack({"u": 1.0, "v": 2.0}, channel("vector"))
    (u=1.000, v=2.000)

    Raises ValueError for no values, or a dimension that is there already.
    """
    shape = as_shape(dim)
    if shape.rank != 1:
        raise ValueError(f"stack makes one new dimension, and {shape} has {shape.rank}")
    if isinstance(values, Mapping):
        labels = _shapes.check_labels(shape.name, tuple(values))
        if shape.size not in (None, len(labels)):
            raise ValueError(f"{len(labels)} tensors are stacked along {shape}, whose size is {shape.size}")
        shape = _shape((shape._dims[0]._replace(size=len(labels), labels=labels),))
        values = list(values.values())
    check_several(values, "stack")
    return _ragged.stack([as_tensor(value) for value in values], shape, strict=True)


def check_several(values: Any, what: str) -> None:
    """TypeError for what is no list or tuple of tensors."""
    if isinstance(values, Tensor) or not isinstance(values, (list, tuple)):
        raise TypeError(
            f"{what} takes a list of tensors, not {type(values).__name__}; math.unstack(t, 'x') makes one of a tensor"
        )


def unstack(value: Value, dim: DimsLike) -> tuple[Tensor, ...]:
    """The slices of a tensor along dimensions, the last one fastest; absent dimensions are ignored.

    >>> [float(t) for t in math.unstack(math.wrap([1.0, 2.0], spatial("x")), "x")]
    [1.0, 2.0]
    """
    t = as_tensor(value)
    slices = [t]
    for name in chosen(dim, t._shape):
        slices = [part for each in slices for part in getattr_dim(each, name)]
    return tuple(slices)


def getattr_dim(t: Tensor, name: str) -> tuple[Tensor, ...]:
    if type(t._source) is Parts and name == t._source.along:
        return tuple(t._source.parts)
    count = size_number(t._shape.dim(name))
    if count > 1:
        compute([t])
    return tuple(select(t, name, i) for i in range(count))


def concat(values: Sequence[Value], dim: Union[Shape, str]) -> Tensor:
    """Tensors one behind the other along a dimension that all have; other dimensions may lack. Its labels are joined if
    all have some, and all differ.

    >>> math.concat([math.zeros(spatial(x=2)), math.ones(spatial(x=1))], "x")
    (0.000, 0.000, 1.000) along xˢ

    Raises ValueError for no values, or one without the dimension.
    """
    check_several(values, "concat")
    if not len(values):
        raise ValueError("concat of no tensors; it takes at least one")
    return concatenated_along([as_tensor(value) for value in values], _shapes.name_of(dim))


def concatenated_along(values: Sequence[Tensor], name: str) -> Tensor:
    for value in values:
        if name not in value._shape._names:
            raise ValueError(f"concat is along a dimension that all have, and {value._shape} has no {name}")
        if type(value._source) is Parts and value._shape.along != name and \
                not isinstance(value._shape.dim(name).size, int):
            raise ValueError(f"concat along {name}, whose size varies in {value._shape}")
    parts = [value for value in values if type(value._source) is Parts]
    if parts and any(value._shape.along == name for value in parts):
        dim = joined_dim(values, name)
        return _ragged.gathered([part for value in values for part in getattr_dim(value, name)], dim)
    if parts:
        return _ragged.spread(lambda *each: concatenated_along(each, name), *values)
    if len(values) == 1:
        return in_order(values[0])
    dim = joined_dim(values, name)
    kind = values[0]._type
    rest, first = EMPTY_SHAPE, EMPTY_SHAPE
    for value in values:
        kind = promote(kind, value._type)
        rest = merge(rest, value._shape.without(name))
        first = merge(first, _shape(tuple(each._replace(size=1, labels=None) if each.name == name else each
                                          for each in value._shape._dims)))
    shape = _shape(tuple(dim if each.name == name else rest.dim(each.name) for each in first._dims))
    values = [cast_to(value, kind) for value in values]
    text = "concat(" + ", ".join(["%s"] * len(values)) + f", axis={name})"
    return operation(shape, kind, text, tuple(values), joins=True)


def joined_dim(values: Sequence[Tensor], name: str) -> Dim:
    dims = [value._shape.dim(name) for value in values]
    for dim in dims[1:]:
        if dim.kind != dims[0].kind:
            raise IncompatibleShapes(f"{name} is {dims[0].kind} in one operand of concat and {dim.kind} in another")
    labels: tuple[str, ...] | None = None
    if all(dim.labels for dim in dims):
        labels = tuple(label for dim in dims for label in dim.labels or ())
        labels = labels if len(set(labels)) == len(labels) else None
    return Dim(name, dims[0].kind, sum(size_number(dim) for dim in dims), labels)


def expand(value: Value, *dims: Union[Shape, str]) -> Tensor:
    """A tensor with further dimensions, along which it is constant. They take no memory.

    >>> math.expand(math.wrap([1, 2], spatial("x")), batch(b=3)).shape
    (bᵇ=3, xˢ=2)

    Raises ValueError for a size that is not known, IncompatibleShapes for another one than there is.
    """
    return expanded(as_tensor(value), _shapes.concatenated([as_shape(each) for each in dims]))


def expanded(t: Tensor, dims: Shape) -> Tensor:
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: expanded(part, dims), t)
    for dim in dims._dims:
        if dim.name not in t._shape._names:
            size_number(dim)
    known = _shape(tuple(t._shape.dim(dim.name) if dim.size is None else dim for dim in dims._dims))
    shape = merge(t._shape, known)
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if shape._names == t._shape._names:
        return renamed(t, shape)
    if shareable(t):
        array = t._source.array
        new = [dim for dim in shape._dims if dim.name not in t._shape._names]
        array = numpy.broadcast_to(array, tuple(size_number(dim) for dim in new) + array.shape)
        names = [dim.name for dim in new] + list(t._shape._names)
        array = array.transpose([names.index(name) for name in shape._names])
        return make(shape, t._type, Data(array), t._home)
    new_shape = _shape(tuple(dim for dim in shape._dims if dim.name not in t._shape._names))
    return operation(shape, t._type, f'broadcast_to(%s, "{sized_text(new_shape)}")', (t,))


def rename_dims(value: Value, dims: DimsLike, names: Union[str, Shape, Sequence[str]]) -> Tensor:
    """A tensor with dimensions under other names, position by position: names keep kinds and labels, a shape has its
    own. Absent dimensions are ignored, with their new names.

    >>> math.rename_dims(math.zeros(spatial(x=2, y=3)), "x,y", channel("a,b")).shape
    (aᶜ=2, bᶜ=3)
    """
    t = as_tensor(value)
    old = names_in(dims) if isinstance(dims, str) else list(dims._names) if isinstance(dims, Shape) else \
        [names_in(each)[0] for each in dims] if isinstance(dims, (list, tuple)) and \
        all(isinstance(each, str) for each in dims) else list(chosen(dims, t._shape))
    new: list[Any] = list(names._dims) if isinstance(names, Shape) else \
        names_in(names) if isinstance(names, str) else list(names)
    if len(old) != len(new):
        raise ValueError(f"{len(old)} dimensions get {len(new)} names")
    table = dict(zip(old, new))
    shape = _shape(tuple(renamed_dim(dim, table[dim.name]) if dim.name in table else dim for dim in t._shape._dims))
    if type(t._source) is Parts:
        if t._source.along in table:
            parts = t._source.parts
            table.pop(t._source.along)
            dim = renamed_dim(t._shape.dim(t._source.along), dict(zip(old, new))[t._source.along])
            inner = [rename_dims(part, list(table), _as_shape(list(table.values()), part, list(table)))
                     for part in parts]
            return _ragged.gathered(inner, dim)
        return _ragged.spread(lambda part: rename_dims(part, dims, names), t)
    return renamed(t, shape)


def _as_shape(new: Sequence[Any], part: Tensor, old: Sequence[str]) -> Shape:
    return _shape(tuple(renamed_dim(part._shape.dim(name), each) for name, each in zip(old, new)))


def renamed_dim(dim: Dim, new: Union[str, Dim]) -> Dim:
    if isinstance(new, str):
        return dim._replace(name=_shapes.check_name(new, dim.kind))
    if new.size is not None and new.size != dim.size:
        raise ValueError(f"{dim.name} has size {_shapes.size_text(dim.size)}, and its new name {new.name} says "
                         f"{_shapes.size_text(new.size)}")
    return dim._replace(name=new.name, kind=new.kind, labels=new.labels if new.labels else dim.labels)


def pack_dims(value: Value, dims: DimsLike, packed_dim: Union[Shape, str]) -> Tensor:
    """A tensor with dimensions joined to one, row-major in the order given, at the place of the first; absent ones are
    ignored, and without any the new one has size 1.

    >>> math.pack_dims(math.zeros(spatial(x=2, y=3)), "x,y", instance("points")).shape
    (pointsⁱ=6)
    """
    t = as_tensor(value)
    shape = as_shape(packed_dim)
    if shape.rank != 1:
        raise ValueError(f"pack_dims makes one dimension, and {shape} has {shape.rank}")
    if type(t._source) is Parts:
        names = chosen(dims, t._shape)
        if t._source.along in names or any(not isinstance(t._shape.dim(name).size, int) for name in names):
            raise ValueError(f"dimensions of unlike sizes are not packed, as {t._shape} has")
        return _ragged.spread(lambda part: pack_dims(part, dims, packed_dim), t)
    return packed(t, chosen(dims, t._shape), shape._dims[0])


def packed(t: Tensor, names: Sequence[str], dim: Dim) -> Tensor:
    if not names:
        new = dim._replace(size=1 if dim.size is None else dim.size)
        return expanded(t, _shape((new,)))
    size = product(size_number(t._shape.dim(name)) for name in names)
    if dim.size is not None and dim.size != size:
        raise ValueError(f"{', '.join(names)} have {size} elements together, and {dim.name} says "
                         f"{_shapes.size_text(dim.size)}")
    first = next(i for i, each in enumerate(t._shape._dims) if each.name in names)
    rest = [each for each in t._shape._dims if each.name not in names]
    before = [each for each in t._shape._dims[:first]]
    after = [each for each in rest if each not in before]
    shape = _shape(tuple(before) + (dim._replace(size=size),) + tuple(after))
    order = [each.name for each in before] + list(names) + [each.name for each in after]
    return reshaped(t, order, shape)


def reshaped(t: Tensor, order: Sequence[str], shape: Shape) -> Tensor:
    """The elements of t, in row-major order of its dimensions in an order, under another shape."""
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, t._home)
    if shareable(t):
        array = t._source.array.transpose([t._shape._names.index(name) for name in order])
        return make(shape, t._type, Data(array.reshape([size_number(dim) for dim in shape._dims])), t._home)
    sizes = listed(["%s"] * shape.rank)
    numbers = tuple(Number(size_number(dim)) for dim in shape._dims)
    text = f'named(reshape(unnamed(%s, {listed(order)}), {sizes}), "{_shapes.typed(shape)[1:-1]}")'
    return operation(shape, t._type, text, (t, *numbers))


def unpack_dim(value: Value, dim: DimsLike, *unpacked: Union[Shape, str]) -> Tensor:
    """A tensor with a dimension split into several, row-major; one size may be unknown. The tensor itself if it lacks
    the dimension.

    >>> math.unpack_dim(math.zeros(instance(points=6)), "points", spatial(x=2, y=3)).shape
    (xˢ=2, yˢ=3)
    """
    t = as_tensor(value)
    names = chosen(dim, t._shape)
    if not names:
        return t
    if len(names) > 1:
        raise ValueError(f"unpack_dim splits one dimension, not {', '.join(names)}")
    shape = _shapes.concatenated([as_shape(each) for each in unpacked])
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: unpack_dim(part, names[0], shape), t)
    size = size_number(t._shape.dim(names[0]))
    return split(t, names[0], known(shape, size, names[0]))


def known(shape: Shape, size: int, name: str) -> Shape:
    """A shape of so many elements; a size that is not known is what the others leave."""
    unknown = [dim for dim in shape._dims if dim.size is None]
    others = product(size_number(dim) for dim in shape._dims if dim.size is not None)
    if len(unknown) > 1 or unknown and (not others or size % others) or not unknown and others != size:
        raise ValueError(f"{name} has {size} elements, which do not unpack into {shape}")
    return _shape(tuple(dim._replace(size=size // others) if dim.size is None else dim for dim in shape._dims))


def split(t: Tensor, name: str, new: Shape) -> Tensor:
    at = t._shape._names.index(name)
    shape = _shape(t._shape._dims[:at] + new._dims + t._shape._dims[at + 1:])
    return reshaped(t, t._shape._names, shape)


def reshaped_tensor(value: Value, groups: Sequence[Union[Shape, str]]) -> Tensor:
    """A tensor of an array, with a shape for each of its axes, into whose dimensions the axis is unpacked row-major; an
    empty shape takes the axis's element 0.

    >>> math.reshaped_tensor(math.range(spatial("x"), 6).numpy(), [spatial(y=2, x=3)]).shape
    (yˢ=2, xˢ=3)

    Raises ValueError for another number of shapes than axes, or for sizes that do not fit.
    """
    from weft.math._making import array_like
    array = array_like(value)
    shapes = [as_shape(each) for each in groups]
    if len(shapes) != array.ndim:
        raise ValueError(f"the array has {array.ndim} axes, and {len(shapes)} shapes are given; each axis has one")
    axes = _shape(tuple(Dim(f"axis_{i}", "channel", None, None) for i in range(array.ndim)))
    t = wrap(array, axes)
    for i, each in enumerate(shapes):
        name = f"axis_{i}"
        t = split(t, name, known(each, size_number(t._shape.dim(name)), f"axis {i}")) if each._dims else \
            select(t, name, 0)
    return t


def join_spaces(*tensors: Value) -> list[Tensor]:
    """The tensors, each with all spatial dimensions of all, in a list.

    >>> [t.shape for t in math.join_spaces(math.zeros(spatial(x=2)), math.ones(spatial(y=3)))]
    [(xˢ=2, yˢ=3), (xˢ=2, yˢ=3)]
    """
    made = [as_tensor(each) for each in tensors]
    spaces = _shapes.merge_shapes(*[each._shape.spatial for each in made])
    return [joined(each, spaces) if set(each._shape.spatial._names) != set(spaces._names) else each for each in made]


def joined(t: Tensor, spaces: Shape) -> Tensor:
    """A tensor with all these spatial dimensions, in their order."""
    new = spaces.without(t._shape)
    return ordered(expanded(t, new), merge(_shape(spaces._dims + t._shape.non_spatial._dims), EMPTY_SHAPE))


def convert(value: Value, backend: Union[Backend, str]) -> Tensor:
    """A tensor whose data are of another backend, moved by DLPack or through the host.

    >>> math.convert(math.ones(spatial(x=2)), backend.NUMPY).default_backend
    NumPy

    Raises ImportError where the backend's library is not installed.
    """
    to = checked(backend)
    to.library()
    t = as_tensor(value)
    if type(t._source) is Parts:
        return _ragged.gathered([convert(part, to) for part in t._source.parts], t._shape.dim(t._source.along))
    if t._home is not None and t._home.backend is to:
        return t
    home = Home(to, None)
    array = moved(array_of(t), home)
    return make(t._shape, t._type, Data(array), home_of(array))


def evaluate(*values: Value) -> Any:
    """Computes the values of tensors that wait, of all by one program, and returns the tensors: one alone, several as a
    tuple.

    >>> math.evaluate(math.ones(spatial(x=2)) + 1)
    (2.000, 2.000) along xˢ
    """
    tensors = [as_tensor(value) for value in values]
    compute(tensors)
    return tensors[0] if len(tensors) == 1 else tuple(tensors)


def copy(value: Value) -> Tensor:
    """A tensor with data of its own, which later changes of a wrapped array do not reach.

    >>> a = numpy.array([1.0, 2.0])
    >>> t = math.copy(math.wrap(a, spatial("x")))
    >>> a[0] = 7
    >>> t
    (1.000, 2.000) along xˢ float64
    """
    t = as_tensor(value)
    compute([t])
    if type(t._source) is Parts:
        return _ragged.gathered([copy(part) for part in t._source.parts], t._shape.dim(t._source.along))
    if type(t._source) is Constant:
        return t
    array = array_of(t)
    own = array.clone() if hasattr(array, "clone") else array.copy()
    return make(t._shape, t._type, Data(own), t._home)


Hooks.rename = rename_dims
