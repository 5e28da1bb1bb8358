"""Tensors of unlike sizes along a dimension: each part is a tensor, and an operation is one of each part
(docs/math.md, "Unlike sizes")."""
from __future__ import annotations

from typing import Any, Callable, Sequence

from weft.math._backends import Home, common
from weft.math._graph import Parts, evaluate
from weft.math._shapes import EMPTY_SHAPE, Dim, Shape, Varying, _shape, conflict, merge, names_in
from weft.math._elements import cast_to, reduce
from weft.math._making import Hooks, constant, make, operation, size_number
from weft.math._selections import in_order, label_position, ordered, select
from weft.math._tensors import Tensor
from weft.math._types import promote


def of_parts(parts: Sequence[Tensor], along: Dim) -> Tensor:
    """A tensor of parts that have the same dimensions and type, stacked along a new dimension. The first part's order
    counts, and the new dimension comes first of its kind."""
    first = parts[0]._shape
    parts = [parts[0]] + [ordered_like(part, first) for part in parts[1:]]
    dims = []
    home: Home | None = None
    for part in parts:
        home = common(home, part._home)
    for dim in first._dims:
        each = [part._shape.dim(dim.name) for part in parts]
        for one, part in zip(each, parts):
            if one.kind != dim.kind:
                conflict(dim, one, first, part._shape)
        sizes = tuple(size_number(one) for one in each)
        same = all(one.labels == dim.labels for one in each)
        if len(set(sizes)) > 1:
            dims.append(dim._replace(size=Varying(sizes, along.name, along.kind), labels=None))
        else:
            dims.append(dim if same else dim._replace(labels=None))
    shape = merge(_shape((along._replace(size=len(parts)),)), _shape(tuple(dims)))
    return make(shape, first_type(parts), Parts(tuple(parts), along.name), home)


def first_type(parts: Sequence[Tensor]) -> str:
    return parts[0]._type


def ordered_like(part: Tensor, first: Shape) -> Tensor:
    if part._shape._names == first._names:
        return part
    return ordered(part, _shape(tuple(part._shape.dim(name) for name in first._names)))


def spread(function: Callable[..., Tensor], *operands: Tensor) -> Tensor:
    """A function of tensors, some of which have parts, part by part; what lacks the dimension goes with each part."""
    alongs = [each._shape.dim(each._source.along) for each in operands if type(each._source) is Parts]
    name = alongs[0].name
    for other in alongs[1:]:
        if other.name != name:
            raise ValueError(
                f"sizes vary along {name} in one operand, along {other.name} in another; an operation follows one"
            )
    shape = EMPTY_SHAPE
    for each in operands:
        if name in each._shape._names:  # says what differs
            shape = merge(shape, _shape((each._shape.dim(name),)))
    along = shape._dims[0]
    count = size_number(along)
    made = [function(*[part_of(each, name, i) for each in operands]) for i in range(count)]
    return gathered(made, along)


def part_of(t: Tensor, name: str, i: int) -> Tensor:
    if type(t._source) is Parts and t._source.along == name:
        part: Tensor = t._source.parts[i]
        return part
    return select(t, name, i)


def gathered(parts: Sequence[Tensor], along: Dim) -> Tensor:
    """Parts stacked: a tensor like any other where all sizes are alike."""
    for part in parts:
        if type(part._source) is Parts:
            raise ValueError(f"{part._shape} has unlike sizes, and would be a part of a tensor of unlike sizes along "
                             f"{along.name}")
    return stack(list(parts), _shape((along,)))


def stack(values: Sequence[Tensor], dim: Shape, strict: bool = False) -> Tensor:
    """Tensors stacked along a new dimension. Labels that differ are left out, or with strict an error."""
    along = dim._dims[0]
    if along.size is not None and along.size != len(values):
        raise ValueError(f"{len(values)} tensors are stacked along {dim}, whose size is {along.size}")
    if not values:
        raise ValueError("stack of no tensors; it takes at least one")
    along = along._replace(size=len(values))
    for value in values:
        if along.name in value._shape._names:
            raise ValueError(f"{value._shape} has a dimension {along.name} already; stack along another, or write "
                             "math.concat")
    if any([type(value._source) is Parts for value in values]):
        return spread(lambda *parts: stack(parts, dim, strict), *values)
    kind = values[0]._type
    for value in values[1:]:
        kind = promote(kind, value._type)
    if unlike(values):
        names = set(values[0]._shape._names)
        for value in values:
            if set(value._shape._names) != names:
                raise ValueError(f"tensors of unlike sizes are stacked if they have the same names, and "
                                 f"{values[0]._shape} and {value._shape} have not")
        return of_parts([cast_to(value, kind) for value in values], along)
    shape = _shape((along,))
    for value in values:
        shape = merge(shape, value._shape if strict else without_labels_that_differ(value._shape, values))
    if len(values) == 1:
        from weft.math._structure import expanded
        return ordered(expanded(values[0], _shape((along,))), shape)
    text = f'stack({", ".join(["%s"] * len(values))}, axis="{along.name}:{along.kind[0]}")'
    values = [value if value._type == kind else cast_to(value, kind) for value in values]
    return operation(shape, kind, text, tuple(values), joins=True)


def unlike(values: Sequence[Tensor]) -> bool:
    """Whether a dimension has two sizes. Two kinds are an error of matching."""
    sizes: dict[str, Any] = {}
    for value in values:
        for dim in value._shape._dims:
            if sizes.setdefault(dim.name, dim.size) != dim.size:
                return True
    return False


def without_labels_that_differ(shape: Shape, values: Sequence[Tensor]) -> Shape:
    dims = []
    for dim in shape._dims:
        labels = {other.labels for value in values for other in value._shape._dims if other.name == dim.name}
        labels.discard(None)
        dims.append(dim._replace(labels=None) if len(labels) > 1 else dim)
    return _shape(tuple(dims))


def select_parts(t: Tensor, name: str, item: Any) -> Tensor:
    """A selection of a tensor with parts: of the parts themselves, or of each part."""
    source = t._source
    assert type(source) is Parts
    along = t._shape.dim(source.along)
    if name != source.along:
        return spread(lambda part: select(part, name, item), t)
    chosen = select(constant(0, "int64", _shape((along,))), name, item)  # says what is wrong
    which = places(along, item)
    if name not in chosen._shape._names:
        part: Tensor = source.parts[which[0]]
        return part
    if not which:
        raise ValueError(f"a selection of no parts of {t._shape} has no sizes")
    return gathered([source.parts[i] for i in which], chosen._shape.dim(name))


def take_parts(t: Tensor, where: Tensor) -> Tensor:
    """The parts at integer positions, which lie along one dimension or are one."""
    source = t._source
    assert type(source) is Parts
    count = len(source.parts)
    chosen = [int(i) for i in where]
    for i in chosen:
        if not -count <= i < count:
            raise IndexError(f"position {i} is outside of {source.along}, which has size {count}")
    if not where._shape._dims:
        return in_order(source.parts[chosen[0]])
    if where._shape.rank > 1:
        raise ValueError(
            f"parts along {source.along} are selected by positions along one dimension, not by {where._shape}"
        )
    if not chosen:
        raise ValueError(f"a selection of no parts of {t._shape} has no sizes")
    return gathered([source.parts[i] for i in chosen], where._shape._dims[0])


def places(dim: Dim, item: Any) -> list[int]:
    """The positions of what an item selects along a dimension."""
    count = size_number(dim)
    if isinstance(item, slice):
        return list(range(count)[item])
    if isinstance(item, (str, Shape)):
        item = names_in(item) if isinstance(item, str) else item._names
    elif not isinstance(item, (list, tuple, range)):
        item = item.tolist() if getattr(item, "ndim", 0) else [item]
    if item and all(isinstance(each, bool) for each in item):
        return [i for i, kept in enumerate(item) if kept]
    return [label_position(dim, each) if isinstance(each, str) else each.__index__() % count for each in item]


def reduce_parts(name: str, t: Tensor, over: tuple[str, ...]) -> Tensor:
    """A reduction of a tensor with parts: of each part; over all elements of all parts, where it covers the dimension
    along which the sizes vary."""
    source = t._source
    assert type(source) is Parts
    if source.along not in over:
        return spread(lambda part: reduce(name, part, over), t)
    varying = [dim.name for dim in t._shape._dims if isinstance(dim.size, Varying)]
    left = [each for each in varying if each not in over]
    if left:
        raise ValueError(
            f"{name} over {source.along} of {t._shape} has to be over {', '.join(left)}, too, whose size varies "
            f"along {source.along}"
        )
    from weft.math._structure import concatenated_along, packed
    inner = [each for each in over if each != source.along]
    flat = Dim("elements", "instance", None, None)
    rows = [packed(part, inner, flat) for part in source.parts]
    evaluate(rows)
    made = reduce(name, concatenated_along(rows, "elements"), "elements")
    return ordered(made, t._shape.without(over))


Hooks.spread, Hooks.stack = spread, stack
Hooks.select_parts, Hooks.reduce_parts = select_parts, reduce_parts
