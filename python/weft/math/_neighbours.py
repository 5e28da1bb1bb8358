"""Functions that read neighbours and positions (docs/math.md, "Neighbours")."""
from __future__ import annotations

import functools
from typing import Any, Sequence, Union

import numpy

from weft.math import _functions, _ragged, _shapes
from weft.math._backends import HOST, common, moved
from weft.math._graph import QUIET, RAISES, Constant, Data, Number, Parts, Sized, evaluate
from weft.math._shapes import (EMPTY_SHAPE, Dim, DimsLike, IncompatibleShapes, Shape, _shape, as_shape, channel, chosen,
                               instance, listed, merge, spatial)
from weft.math._structure import expanded
from weft.math._elements import binary, cast_to, common_type, reduce
from weft.math._making import Hooks, Value, as_tensor, constant, make, operation, renamed, rounded, size_number, wrap
from weft.math._selections import ordered, replaced, select, select_slice
from weft.math._tensors import Tensor
from weft.math._types import ALL, FLOATS, floating
from weft.math.extrapolation import (BOUNDARY, NONE, ConstantExtrapolation, Extrapolation, as_extrapolation,
                                     combine_sides)

Mode = Union[Extrapolation, float, int, str, None]
Sides = list[tuple[str, int, int, Extrapolation]]  # dimensions to pad, below and above, by what


def mode_text(mode: Extrapolation, kind: str) -> tuple[str, tuple[Any, ...]]:
    """The language's mode for tensors of a type: a word, or a number that comes with the run."""
    if mode == NONE:
        raise ValueError(
            "NONE says nothing of the elements outside, which are needed here; give another extrapolation, "
            "as extrapolation.ZERO or extrapolation.BOUNDARY"
        )
    if not isinstance(mode, ConstantExtrapolation):
        return f'"{mode.mode}"', ()
    value = number_of(mode.value, kind)
    return ("true" if value else "false", ()) if kind == "bool" else ("%s", (Number(value),))


def number_of(value: Union[bool, int, float], kind: str) -> Union[bool, int, float]:
    """A number as cast makes it of a type."""
    if kind in FLOATS:
        return rounded(float(value), kind)
    if kind == "bool":
        return bool(value)
    bits = ALL[kind].bits
    low, up = (0, 2**bits - 1) if kind[0] == "u" else (-2**(bits - 1), 2**(bits - 1) - 1)
    if isinstance(value, int):
        return (value - low) % 2**bits + low
    return 0 if value != value else low if value <= low else up if value >= up else int(value)


def dims_of(dims: DimsLike, t: Tensor) -> tuple[str, ...]:
    return chosen(dims, t._shape)


def along_of(dims: DimsLike, t: Tensor) -> tuple[str, ...]:
    """The dimensions along which neighbours are read, which each part of a tensor has."""
    names = dims_of(dims, t)
    return tuple([name for name in names if name != t._source.along]) if type(t._source) is Parts else names


def neighbour(t: Tensor, offsets: dict[str, int], mode: Extrapolation) -> tuple[str, tuple[Any, ...]]:
    """The text of t's element i + offset, along each dimension that is offset."""
    moved = {name: offset for name, offset in offsets.items() if offset}
    if not moved:
        return "%s", (t,)
    modes, args = [], []
    for name, offset in moved.items():
        text, extra = mode_text(mode.side(name, offset > 0), t._type)
        modes.append(text)
        args += extra
    text = f"offset(%s, {listed(map(str, moved.values()))}, {listed(modes)}, axes={listed(moved)})"
    return text, (t, *args)


def shifted(t: Tensor, offsets: dict[str, int], mode: Extrapolation) -> Tensor:
    """t's element i + offset."""
    if not any(offsets.values()):
        return t
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: shifted(part, offsets, mode), t)
    text, args = neighbour(t, offsets, mode)
    lost = {name for name, offset in offsets.items() if offset}
    shape = _shape(tuple(dim._replace(labels=None) if dim.name in lost else dim for dim in t._shape._dims))
    return operation(shape, t._type, text, args, reads=True)


def inside(t: Tensor, name: str, offsets: Sequence[int]) -> dict[int, Tensor]:
    """t's elements i + offset for each offset, at those i from which all lie inside."""
    if type(t._source) is Parts:
        return {offset: inside_of_parts(t, name, offsets, offset) for offset in offsets}
    at = t._shape.index(name)
    dim = t._shape._dims[at]
    size = size_number(dim)
    low, up = max(0, -min(offsets)), max(0, max(offsets))
    count = max(0, size - low - up)
    return {offset: select_slice(t, at, dim, size, slice(low + offset, low + offset + count)) if count else
            select_slice(t, at, dim, size, slice(0, 0)) for offset in offsets}


def inside_of_parts(t: Tensor, name: str, offsets: Sequence[int], offset: int) -> Tensor:
    return _ragged.spread(lambda part: inside(part, name, offsets)[offset], t)


def check_mode(mode: Mode) -> Extrapolation | None:
    """None where nothing is to be padded."""
    made = as_extrapolation(mode)
    return None if made is NONE or made == NONE else made


def pad(value: Value, widths: dict[str, Any], mode: Mode = 0) -> Tensor:
    """A tensor with further elements along dimensions: widths has a pair (below, above) for each, or one number for
    both; negative ones cut off, absent dimensions are ignored. mode: an extrapolation or a number, which takes the type
    of value; NONE pads nothing.

    >>> math.pad(math.wrap([1, 2], spatial("x")), {"x": (1, 0)}, extrapolation.BOUNDARY)
    (1, 1, 2) along xˢ int64
    """
    t, outside = as_tensor(value), check_mode(mode)
    if not isinstance(widths, dict):
        raise TypeError(f"widths are a dict of dimensions, as {{'x': (1, 1)}}, not {widths!r}")
    if outside is None:
        return t
    given = {name: pair_of(name, pair) for dims, pair in widths.items() for name in dims_of(dims, t)}
    return padded(t, given, outside)


def pair_of(name: str, widths: Any) -> tuple[int, int]:
    """How many elements pad adds below and above."""
    pair = tuple(widths) if isinstance(widths, (tuple, list)) else (widths, widths)
    if len(pair) != 2:
        raise ValueError(f"pad adds a pair (below, above), or one number on both sides, along {name}, not {widths!r}")
    return whole(pair[0], f"the width of pad along {name}"), whole(pair[1], f"the width of pad along {name}")


def whole(value: Any, what: str) -> int:
    """An integer; TypeError for another."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} is an integer, not {value!r}")
    return int(value.__index__())


def padded(t: Tensor, widths: dict[str, tuple[int, int]], mode: Extrapolation) -> Tensor:
    widths = {name: pair for name, pair in widths.items() if pair != (0, 0)}
    if not widths:
        return t
    if type(t._source) is Parts:
        if t._source.along in widths:
            raise ValueError(f"pad along {t._source.along} of {t._shape}, along which sizes vary")
        return _ragged.spread(lambda part: padded(part, widths, mode), t)
    sides = sides_of(widths, mode)
    shape = padded_shape(t._shape, sides)
    if not shape.volume:
        return constant(0, t._type, shape, t._home)  # a result without elements reads none
    steps: list[dict[str, tuple[int, int, Extrapolation]]] = []
    for name, low, up, outside in sorted(sides, key=lambda side: side[-1].rank):
        if not steps or name in steps[-1]:
            steps.append({})
        steps[-1][name] = low, up, outside
    for step in steps:
        t = padded_once(t, step)
    return t


def padded_shape(shape: Shape, sides: Sides) -> Shape:
    for name in dict.fromkeys([side[0] for side in sides]):
        low, up = [sum(side[i] for side in sides if side[0] == name) for i in (1, 2)]
        at = shape.index(name)
        size = size_number(shape._dims[at])
        if size + low + up < 0:
            raise ValueError(f"pad by {low} and {up} leaves {size + low + up} elements of {name}, which has {size}")
        shape = replaced(shape, at, shape._dims[at]._replace(size=size + low + up, labels=None))
    return shape


def sides_of(widths: dict[str, tuple[int, int]], mode: Extrapolation) -> Sides:
    """The dimensions to pad, apart for each side where both are added to by different extrapolations."""
    sides = []
    for name, (low, up) in widths.items():
        below, above = mode.side(name, False), mode.side(name, True)
        low, up = (0 if below == NONE else low), (0 if above == NONE else up)
        if low > 0 and up > 0 and below != above:
            sides += [(name, low, 0, below), (name, 0, up, above)]
        elif low or up:
            sides.append((name, low, up, (above if up > 0 else below) if below != NONE != above else
                          above if below == NONE else below))
    return sides


def padded_once(t: Tensor, widths: dict[str, tuple[int, int, Extrapolation]]) -> Tensor:
    dims = {dim.name: dim for dim in t._shape._dims}
    modes, args, pairs = [], [], []
    for name, (low, up, outside) in widths.items():
        size = size_number(dims[name])
        if not size and not isinstance(outside, ConstantExtrapolation):
            raise ValueError(
                f"{name} of {t._shape} has no elements that {outside} could repeat; a number can be padded"
            )
        text, extra = mode_text(outside, t._type)
        modes.append(text)
        args += extra
        pairs.append(f"[{low}, {up}]")
        dims[name] = dims[name]._replace(size=size + low + up, labels=None)
    shape = _shape(tuple(dims.values()))
    text = f"pad(%s, {listed(pairs)}, {listed(modes)}, axes={listed(widths)})"
    return operation(shape, t._type, text, (t, *args), reads=True)


def shift(x: Value, offsets: Sequence[int], dims: DimsLike = spatial, padding: Mode = BOUNDARY,
          stack_dim: Shape | str | None = channel("shift")) -> list[Tensor]:
    """A tensor at i + offset, for each offset, in a list; each is stacked over the dimensions along which it is
    shifted, which label stack_dim. With stack_dim None, dims is one dimension. padding None: only those i from which
    0 and all offsets lie inside, so that sizes may be unlike.

    >>> low, up = math.shift(math.wrap([1, 2, 3], spatial("x")), (-1, 1), stack_dim=None)
    >>> low, up
    ((1, 1, 2) along xˢ int64, (2, 3, 3) along xˢ int64)
    """
    t, outside = as_tensor(x), check_mode(padding)
    names = along_of(dims, t)
    if not isinstance(offsets, (tuple, list, range)):
        raise TypeError(f"offsets are several integers, as (-1, 1), not {offsets!r}")
    offsets = [whole(each, "an offset") for each in offsets]
    if stack_dim is None and len(names) != 1:
        raise ValueError(f"shift without stack_dim is along one dimension, and dims are {', '.join(names) or 'none'}")
    made: list[list[Tensor]] = [[] for _ in offsets]
    for name in names:
        within = inside(t, name, [0, *offsets]) if outside is None else {}
        for each, offset in zip(made, offsets):
            each.append(within[offset] if outside is None else shifted(t, {name: offset}, outside))
    if stack_dim is None:
        return [each[0] for each in made]
    return [stacked(each, stack_dim, names) for each in made]


def stacked(values: Sequence[Tensor], dim: Shape | str, labels: Sequence[str]) -> Tensor:
    shape = as_shape(dim) if isinstance(dim, Shape) else channel(dim)
    if not labels:
        raise ValueError("there are no dimensions to go along; dims= says which, as dims='x,y'")
    return _ragged.stack(values, _shape((shape._dims[0]._replace(size=len(labels), labels=tuple(labels)),)))


DIFFERENCES = {"central": (1, -1), "forward": (1, 0), "backward": (0, -1)}


def floats(value: Value) -> Tensor:
    """A tensor of floats of the current precision."""
    t = as_tensor(value)
    return t if t._type == floating() else cast_to(t, floating())


def step_of(dx: Value, name: str, names: Sequence[str]) -> Any:
    """The distance of elements along a dimension: dx itself, or its component."""
    if isinstance(dx, (bool, int, float)):
        return dx
    t = as_tensor(dx)
    if len(t._shape.channel) == 1:
        dim = t._shape.channel._dims[0]
        if dim.labels and set(names) <= set(dim.labels):
            return select(t, dim.name, dim.labels.index(name))
        if dim.size != len(names):
            raise ValueError(f"dx has {_shapes.size_text(dim.size)} components, and there are {len(names)} dimensions")
        return select(t, dim.name, names.index(name))
    return t


def difference_of(t: Tensor, name: str, step: Any, difference: str, mode: Extrapolation | None) -> Tensor:
    """The difference quotient along a dimension."""
    if difference not in DIFFERENCES:
        raise ValueError(f"difference is 'central', 'forward' or 'backward', not {difference!r}")
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: difference_of(part, name, step, difference, mode), t)
    up, low = DIFFERENCES[difference]
    if mode is None:
        within = inside(bare(t, (name,)), name, [0, up, low])
        made = binary("-", within[up], within[low])
    else:
        first, a = neighbour(t, {name: up}, mode)
        second, b = neighbour(t, {name: low}, mode)
        made = operation(_unlabelled(t._shape, (name,)), t._type, f"({first} - {second})", a + b, reads=True)
    by = binary("*", 2, step) if difference == "central" and isinstance(step, Tensor) else \
        2 * step if difference == "central" else step
    return made if isinstance(by, (int, float)) and by == 1 else binary("/", made, by)


def _unlabelled(shape: Shape, names: Sequence[str]) -> Shape:
    shape = merge(shape, EMPTY_SHAPE)
    if not any(dim.labels and dim.name in names for dim in shape._dims):
        return shape
    return _shape(tuple(dim._replace(labels=None) if dim.name in names else dim for dim in shape._dims))


def spatial_gradient(grid: Value, dx: Value = 1, difference: str = "central", padding: Mode = BOUNDARY,
                     dims: DimsLike = spatial, stack_dim: Shape | str | None = channel("gradient")) -> Tensor:
    """The difference quotients of a tensor along dimensions, stacked along stack_dim, which they label: central,
    (g[i + 1] - g[i - 1]) / (2 dx), forward or backward. dx: a number or a vector. padding None: only where all elements
    lie inside. Floats of the current precision.

    >>> math.spatial_gradient(math.wrap([0.0, 1.0, 4.0], spatial("x"))).gradient["x"]
    (0.500, 2.000, 1.500) along xˢ
    """
    t, outside = floats(grid), check_mode(padding)
    names = along_of(dims, t)
    made = [difference_of(t, name, step_of(dx, name, names), difference, outside) for name in names]
    if stack_dim is None:
        if len(made) != 1:
            raise ValueError(f"spatial_gradient without stack_dim is along one dimension, not {', '.join(names)}")
        return made[0]
    return stacked(made, stack_dim, names)


def divergence(v: Value, dx: Value = 1, difference: str = "central", padding: Mode = BOUNDARY, dims: DimsLike = spatial,
               vector: str = "vector") -> Tensor:
    """The sum over dimensions d of the difference quotient along d of the component d of v, found along `vector` by its
    label, else by position. Floats of the current precision.

    >>> v = math.stack({"x": math.meshgrid(x=4).vector["x"]}, channel("vector"))
    >>> math.divergence(v).x[1:-1]
    (1.000, 1.000) along xˢ
    """
    t, outside = floats(v), check_mode(padding)
    names = along_of(dims, t)
    if vector not in t._shape._names:
        raise ValueError(f"divergence is of a vector field, and {t._shape} has no dimension {vector}")
    if not names:
        raise ValueError("there are no dimensions to go along; dims= says which, as dims='x,y'")
    if type(t._source) is Parts and vector != t._source.along:
        return _ragged.spread(lambda part: divergence(part, dx, difference, padding, names, vector), t)
    parts = [difference_of(component(t, vector, name, names), name, step_of(dx, name, names), difference, outside)
             for name in names]
    parts = [bare(part, names) for part in parts]
    if outside is None:
        parts = [common_inside(part, name, names, DIFFERENCES[difference]) for part, name in zip(parts, names)]
    made = parts[0]
    for part in parts[1:]:
        made = binary("+", made, part)
    return made


def common_inside(t: Tensor, done: str, names: Sequence[str], offsets: tuple[int, ...]) -> Tensor:
    """t, which lies inside along one dimension already, along all others."""
    for name in names:
        if name != done:
            t = inside(t, name, [0, *offsets])[0]
    return t


def component(t: Tensor, vector: str, name: str, names: Sequence[str]) -> Tensor:
    """The component of a vector for a dimension: by label, else by position."""
    dim = t._shape.dim(vector)
    if dim.labels and set(names) <= set(dim.labels):
        return select(t, vector, dim.labels.index(name))
    if dim.size != len(names):
        raise ValueError(
            f"{vector} of {t._shape} has {_shapes.size_text(dim.size)} components, and there are {len(names)} "
            f"dimensions, {', '.join(names)}"
        )
    return select(t, vector, names.index(name))


def bare(t: Tensor, names: Sequence[str]) -> Tensor:
    """t without the labels of dimensions."""
    if not any([dim.labels and dim.name in names for dim in t._shape._dims]):
        return t
    return renamed(
        t, _shape(tuple([dim._replace(labels=None) if dim.name in names else dim for dim in t._shape._dims]))
    )


def laplace(x: Value, dx: Value = 1, padding: Mode = BOUNDARY, dims: DimsLike = spatial) -> Tensor:
    """The sum over dimensions of (g[i + 1] + g[i - 1] - 2 g[i]) / dx^2. padding None: only where all elements lie
    inside. Floats of the current precision.

    >>> math.laplace(math.wrap([0.0, 1.0, 4.0, 9.0], spatial("x"))).x[1:-1]
    (2.000, 2.000) along xˢ
    """
    t, outside = floats(x), check_mode(padding)
    names = along_of(dims, t)
    if not names:
        raise ValueError("there are no dimensions to go along; dims= says which, as dims='x,y'")
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: laplace(part, dx, padding, names), t)
    if outside is None:
        t, parts = bare(t, names), []
        for name in names:
            within = inside(t, name, [0, 1, -1])
            part = binary("-", binary("+", within[1], within[-1]), binary("*", 2, within[0]))
            step = step_of(dx, name, names)
            parts.append(common_inside(binary("/", part, binary("*", step, step)), name, names, (1, -1)))
        made = parts[0]
        for part in parts[1:]:
            made = binary("+", made, part)
        return made
    whole = dx if isinstance(dx, (bool, int, float)) else None
    plan = laplace_of(t._shape, t._type, names, outside, whole)
    if whole is not None:
        return operation(plan.shape, t._type, plan.text, (t, *plan.numbers), reads=True)
    steps = [as_tensor(step_of(dx, name, names)) for name in names]
    squares = [floats(binary("*", step, step)) for step in steps]
    shape = plan.shape
    for square in squares:
        shape = merge(shape, square._shape)
    return operation(shape, t._type, plan.text, (t, *plan.numbers, *squares), reads=True)


class _Laplace:
    """What laplace writes for a shape, what lies outside of it, and a step (None: tensors): a text of the tensor, of
    numbers, and of the squares of steps that are tensors."""

    def __init__(self, shape: Shape, kind: str, names: Sequence[str], mode: Extrapolation, step: Any) -> None:
        self.shape = _unlabelled(shape, names)
        numbers: list[Number] = []
        terms = []
        for name in names:
            sides = []
            for offset in (1, -1):
                text, extra = mode_text(mode.side(name, offset > 0), kind)
                sides.append(f"offset(%(0)s, [{offset}], [{text % named_args(numbers, extra)}], axes=[{name}])")
            terms.append(f"({' + '.join(sides)} - 2 * %(0)s)")
        if step is None:
            divisors = [f" / %({1 + len(numbers) + i})s" for i in range(len(names))]
        elif step * step != 1:
            divisors = [f" / {named_args(numbers, (Number(float(step * step), kind),))[0]}"] * len(names)
        else:
            divisors = []
        if divisors:
            terms = [f"({term}{divisor})" for term, divisor in zip(terms, divisors)]
        self.text = terms[0] if len(terms) == 1 else f"({' + '.join(terms)})"
        self.numbers = tuple(numbers)


def named_args(numbers: list[Number], more: Sequence[Number]) -> tuple[str, ...]:
    """The places of further numbers among the arguments of an operation, which begin with a tensor."""
    numbers += more
    return tuple([f"%({1 + len(numbers) - len(more) + i})s" for i in range(len(more))])


laplace_of = functools.lru_cache(maxsize=512)(_Laplace)


def convolve(value: Value, kernel: Value, extrapolation: Mode = None) -> Tensor:
    """The correlation of a tensor with a kernel, along the kernel's spatial dimensions: the sum of kernel[j] *
    value[i + j - size // 2], over all j and over value's channel dimensions (a kernel that lacks one is constant along
    it). The kernel's other dimensions join, or match. extrapolation None: only where all elements lie inside.

    >>> math.convolve(math.wrap([1.0, 2.0, 4.0], spatial("x")), math.wrap([1.0, 1.0], spatial("x")))
    (3.000, 6.000) along xˢ
    """
    t, k, outside = as_tensor(value), as_tensor(kernel), check_mode(extrapolation)
    kind = common_type([t._type, k._type])
    order = t._shape._names
    if kind == "bool":
        kind = "int32"
    t, k = cast_to(t, kind), cast_to(k, kind)
    for each in t, k:
        if type(each._source) is Parts and each._source.along in k._shape.spatial._names:
            raise ValueError(f"the kernel {k._shape} goes along {each._source.along}, along which sizes of "
                             f"{each._shape} vary")
    if type(t._source) is Parts or type(k._source) is Parts:
        return _ragged.spread(lambda t, k: convolve(t, k, extrapolation), t, k)
    names = k._shape.spatial._names
    for name in names:
        if name not in t._shape._names:
            raise ValueError(f"the kernel {k._shape} goes along {name}, which {t._shape} lacks")
        if t._shape.get_type(name) != "spatial":
            _shapes.conflict(k._shape.dim(name), t._shape.dim(name), k._shape, t._shape)
    if outside is not None and not all([size_number(t._shape.dim(name)) for name in names]):
        outside = as_extrapolation(0)  # a result without elements reads none outside
    summed = t._shape.channel._names
    if len(k._shape.spatial) == k._shape.rank and names:
        if summed and outside is not None:  # a constant outside is that of each channel
            t, outside = padded(t, reach_of(k), outside), None
        made = _functions.cast(correlated(reduce("sum", t, summed) if summed else t, k, outside), ALL[kind])
        return ordered(made, made._shape.only(order, reorder=True))
    made: Tensor | None = None
    t, k = bare(t, names), bare(k, names)
    sizes = {name: size_number(k._shape.dim(name)) for name in names}
    for at in k._shape.spatial.meshgrid():
        offsets = {name: j - sizes[name] // 2 for name, j in at.items()}
        if outside is None:
            here = t
            for name, j in at.items():
                dim = t._shape.dim(name)
                count = max(0, size_number(dim) - sizes[name] + 1)
                here = select(here, name, slice(j, j + count) if count else slice(0, 0))
        else:
            here = shifted(t, offsets, outside)
        tap = k
        for name, j in at.items():
            tap = select(tap, name, j)
        term = binary("*", here, tap)
        made = term if made is None else binary("+", made, term)
    if made is None:
        raise ValueError(f"the kernel {k._shape} has no elements")
    return _functions.cast(reduce("sum", made, summed), ALL[kind]) if summed else made


def reach_of(k: Tensor) -> dict[str, tuple[int, int]]:
    """How far a kernel reaches below and above."""
    return {dim.name: (size_number(dim) // 2, (size_number(dim) - 1) // 2) for dim in k._shape.spatial._dims}


def correlated(t: Tensor, k: Tensor, outside: Extrapolation | None) -> Tensor:
    """By the language's correlate, whose kernel is data."""
    names = k._shape._names
    array = numpy.ascontiguousarray(k.numpy(k._shape))
    leaf = make(k._shape, k._type, Sized(array), t._home)
    sizes = dict(zip(names, array.shape))
    mode, args = '"valid"', []
    if outside is not None:
        modes = []
        for name in names:
            low, up = outside.side(name, False), outside.side(name, True)
            if low != up:
                return correlated(padded(t, reach_of(k), outside), k, None)
            text, extra = mode_text(low, t._type)
            modes.append(text)
            args += extra
        mode = listed(modes)
    dims = []
    for dim in t._shape._dims:
        if dim.name in names:
            size = size_number(dim)
            dim = dim._replace(size=max(0, size - sizes[dim.name] + 1) if outside is None else size, labels=None)
        dims.append(dim)
    return operation(_shape(tuple(dims)), t._type, f"correlate(%s, %s, {mode})", (t, leaf, *args), reads=True)


# Positions.

def axes_of(t: Tensor, dims: DimsLike, what: str) -> tuple[str, ...]:
    if dims is not None:
        names = dims_of(dims, t)
        if not names:
            raise ValueError(f"{what} goes along dimensions of {t._shape}, which has none of {dims!r}")
    else:
        names = t._shape.spatial._names or t._shape.instance._names
        if not names:
            raise ValueError(f"{what} goes along spatial or instance dimensions, and {t._shape} has none; dims= says "
                             "which")
    if type(t._source) is Parts and t._source.along in names:
        raise ValueError(f"{what} along {t._source.along} of {t._shape}, along which sizes vary; "
                         f"t.{t._source.along}[positions] selects parts")
    return names


def vector_of(indices: Tensor, names: Sequence[str], what: str) -> tuple[str | None, list[int]]:
    """The channel dimension along which positions lie, and where on it the one for each dimension is."""
    channels = indices._shape.channel._dims
    if not channels and len(names) == 1:
        return None, [0]
    if len(channels) != 1:
        raise ValueError(
            f"{what}: positions along {', '.join(names)} lie along one channel dimension, and {indices._shape} "
            f"has {len(channels)}"
        )
    dim = channels[0]
    if dim.labels and set(names) <= set(dim.labels):
        return dim.name, [dim.labels.index(name) for name in names]
    if dim.size != len(names):
        raise ValueError(
            f"{what}: {dim.name} of {indices._shape} has {_shapes.size_text(dim.size)} components, and there "
            f"are {len(names)} dimensions, {', '.join(names)}"
        )
    return dim.name, list(range(len(names)))


def take(t: Tensor, name: str, where: Tensor) -> Tensor:
    """The elements of t at positions along a dimension, the language's take."""
    if type(t._source) is Parts and name == t._source.along:
        return _ragged.take_parts(t, where)
    if type(where._source) is Parts and name == where._source.along and type(t._source) is not Parts:
        return _ragged.gathered([take(t, name, part) for part in where._source.parts], where._shape.dim(name))
    if type(t._source) is Parts or type(where._source) is Parts:
        return _ragged.spread(lambda t, where: take(t, name, where), t, where)
    shape = merge(t._shape.without(name), where._shape)
    return operation(shape, t._type, f"take(%s, %s, axis={name})", (t, where), reads=True, strict=RAISES)


def at_positions(t: Tensor, indices: Tensor, names: tuple[str, ...], function: str, extra: str, args: tuple[Any, ...],
                 kind: str, strict: int, what: str) -> Tensor:
    """The language's gather or sample of a tensor: what it and the positions both have is matched."""
    vector, order = vector_of(indices, names, what)
    others = indices._shape.without(vector) if vector else indices._shape
    shared = [name for name in t._shape._names if name in others._names and name not in names]
    rest = [name for name in t._shape._names if name not in shared and name not in names]
    shape = merge(t._shape.without(names), others)
    if vector is None or shared:
        each = [select(indices, vector, i) if vector else indices for i in order]
        where = positions(each, shared, others)
    else:
        count = size_number(indices._shape.dim(vector))
        where = indices if order == list(range(count)) else select(indices, vector, order)
        where = ordered(where, _shape(others._dims + (where._shape.dim(vector),)))
    axes = shared + list(names)
    made_dims = _shape(tuple(others._dims) + tuple(t._shape.dim(name) for name in rest))
    source = f"unnamed(%s, {listed(axes + rest)})"
    place = f"unnamed(%s, {listed(where._shape._names)})"
    text = f"{function}({source}, {place}, axes={listed(map(str, range(len(axes))))}{extra})"
    text = f'named({text}, "{_shapes.typed(made_dims)[1:-1]}")'
    if made_dims._names != shape._names:
        text = f"transpose({text}, {listed(shape._names)})"
    return operation(shape, kind, text, (t, where, *args), reads=True, strict=strict)


def positions(each: Sequence[Tensor], shared: Sequence[str], others: Shape) -> Tensor:
    """Positions along dimensions that both have, which are their own, and along others, stacked along a last one."""
    first = each[0]
    own = [operation(_shape((dim,)), "int32", f"index(%s, {dim.name})", (first,))
           for dim in (others.dim(name) for name in shared)]
    last = "positions"
    while last in others._names:
        last += "_"
    dim = Dim(last, "channel", len(own) + len(each), None)
    made = _ragged.stack([*[cast_to(one, first._type) for one in own], *each], _shape((dim,)))
    return ordered(made, _shape(others._dims + (made._shape.dim(last),)))


def gather(values: Value, indices: Value, dims: DimsLike = None) -> Tensor:
    """The elements of a tensor at integer positions along dimensions: all spatial ones, else all instance ones, if none
    are given. The positions lie along the one channel dimension of indices, by label, else by position; for one
    dimension it may be absent. Negative positions count from the end; one outside is an IndexError when the values are
    computed. What both operands have besides is matched.

    >>> t = math.wrap([10, 20, 30], spatial("x"))
    >>> math.gather(t, math.wrap([2, 0], instance("i")))
    (30, 10) along iⁱ int64
    """
    t, i = as_tensor(values), as_tensor(indices)
    if i._type in FLOATS or i._type == "bool":
        raise TypeError(f"positions are integers, and indices are {i._type}; math.to_int32(indices) makes some, "
                        "math.grid_sample interpolates")
    names = axes_of(t, dims, "gather")
    if type(t._source) is Parts or type(i._source) is Parts:
        return _ragged.spread(lambda t, i: gather(t, i, names), t, i)
    vector, order = vector_of(i, names, "gather")
    if len(names) == 1:
        return take(t, names[0], select(i, vector, order[0]) if vector else i)
    return at_positions(t, i, names, "gather", "", (), t._type, RAISES, "gather")


def grid_sample(grid: Value, coordinates: Value, extrap: Mode = None, dims: DimsLike = None) -> Tensor:
    """Linear interpolation of a tensor at coordinates in elements, in each of its spatial dimensions; coordinates as
    indices of gather, outside by extrap, 0 if it is None. Floats of the current precision.

    >>> t = math.wrap([0.0, 10.0], spatial("x"))
    >>> math.grid_sample(t, math.wrap([0.25, 0.5], instance("i")))
    (2.500, 5.000) along iⁱ
    """
    t, at = floats(grid), floats(coordinates)
    outside = as_extrapolation(0 if extrap is None else extrap)
    if outside == NONE:
        raise ValueError(
            "NONE says nothing of the elements outside, which grid_sample needs; give another extrapolation, "
            "or None, which is 0"
        )
    names = axes_of(t, dims, "grid_sample")
    if type(t._source) is Parts or type(at._source) is Parts:
        return _ragged.spread(lambda t, at: grid_sample(t, at, outside, names), t, at)
    vector, order = vector_of(at, names, "grid_sample")
    if any(outside.side(name, False) != outside.side(name, True) for name in names):
        t, at, outside = bordered(t, at, vector, order, names, outside)
    others = at._shape.without(vector) if vector else at._shape
    shared = [name for name in t._shape._names if name in others._names and name not in names]
    modes, args = ['"edge"'] * len(shared), []
    for name in names:
        side = outside.side(name, False)
        if not size_number(t._shape.dim(name)) and not isinstance(side, ConstantExtrapolation) and at._shape.volume:
            raise ValueError(f"{name} of {t._shape} has no elements that {side} could repeat; a number can lie outside")
        text, extra = mode_text(side, t._type)
        modes.append(text)
        args += extra
    return at_positions(t, at, names, "sample", f", mode={listed(modes)}", tuple(args), t._type, 0, "grid_sample")


def bordered(t: Tensor, at: Tensor, vector: str | None, order: Sequence[int], names: Sequence[str],
             outside: Extrapolation) -> tuple[Tensor, Tensor, Extrapolation]:
    """A grid with one more element on each side along dimensions whose sides differ, or which have constants outside,
    which then go on as they end; and coordinates in it."""
    modes: dict[str, Any] = {}
    for name in names:
        sides = outside.side(name, False), outside.side(name, True)
        ends = [side == BOUNDARY or isinstance(side, ConstantExtrapolation) for side in sides]
        if sides[0] != sides[1] and not all(ends):
            raise ValueError(
                f"grid_sample goes on at the sides of {name} alike, or by constants and BOUNDARY, not by "
                f"{sides[0]} and {sides[1]}; pad the grid first, by math.pad, and add as much to coordinates"
            )
        modes[name] = BOUNDARY if all(ends) else sides[0]
    grown = [name for name in names if modes[name] == BOUNDARY]
    t = padded(t, {name: (1, 1) for name in grown}, outside)
    if vector is None:
        return t, binary("+", at, 1.0), combine_sides(**modes)
    dim = at._shape.dim(vector)
    added = numpy.zeros(size_number(dim), numpy.float32)
    added[[place for place, name in zip(order, names) if name in grown]] = 1
    return t, binary("+", at, wrap(added, _shape((dim,)))), combine_sides(**modes)


MODES = {"update": "set", "add": "add", "mean": "mean"}


def scatter(base_grid: Value, indices: Value, values: Value, mode: str = "update",
            outside_handling: str = "discard") -> Tensor:
    """A tensor in which values were put at positions: 'update' (the last one wins), 'add' or 'mean'. Positions as in
    gather, rounded half to even; those outside are dropped, or with 'clamp' moved inside. Instance dimensions of
    indices are used up, others match. Of a shape as base, elements without a value are 0, with 'update' and 'mean'
    NaN. Computed at once.

    >>> at = math.wrap([1, 1, 3], instance("i"))
    >>> math.scatter(spatial(x=4), at, math.wrap([1.0, 2.0, 5.0], instance("i")), "add")
    (0.000, 3.000, 0.000, 5.000) along xˢ float64
    """
    if mode not in MODES:
        raise ValueError(f"mode is 'update', 'add' or 'mean', not {mode!r}")
    if outside_handling not in ("discard", "undefined", "clamp"):
        raise ValueError(f"outside_handling is 'discard', 'clamp' or 'undefined', not {outside_handling!r}")
    i, v = as_tensor(indices), as_tensor(values)
    if i._type == "bool":
        raise TypeError("positions are numbers, and indices are bool; math.nonzero(mask) makes positions of a mask")
    if isinstance(base_grid, (Shape, str)):
        kind = v._type if mode == "add" or v._type in FLOATS else floating()
        base = constant(0 if mode == "add" else numpy.nan, kind, as_shape(base_grid))
    else:
        base = as_tensor(base_grid)
        kind = base._type if base._type == v._type else common_type([base._type, v._type])
    if kind == "bool" and mode != "update":
        raise TypeError(
            f"scatter with mode {mode!r} is of numbers, and values and base are bool; make numbers of them, as "
            "in math.to_int32(x)"
        )
    base, v = cast_to(base, kind), cast_to(v, kind)
    names = axes_of(base, None, "scatter")
    if any(type(each._source) is Parts for each in (base, i, v)):
        return _ragged.spread(lambda b, i, v: scatter(b, i, v, mode, outside_handling), base, i, v)
    vector, order = vector_of(i, names, "scatter")
    used = i._shape.instance.without(names)
    others = i._shape.without(vector) if vector else i._shape
    merge(base._shape.only(names), others)
    for name in others._names:
        if name in names:
            raise ValueError(f"the positions {i._shape} have the dimension {name}, along which values are put; rename "
                             f"it, as in math.rename_dims(indices, '{name}', instance('list'))")
    matched = merge(others.without(used), v._shape.without(used).without(names))
    base = expanded(base, matched.without(base._shape._names))
    merge(merge(base._shape.without(names), matched), used)
    each = [position_along(select(i, vector, j) if vector else i, size_number(base._shape.dim(name)), outside_handling)
            for j, name in zip(order, names)]
    return put(base, each, others, v, names, used, mode)


def position_along(i: Tensor, size: int, outside_handling: str) -> Tensor:
    """Positions along a dimension; one that is to be dropped is the size."""
    dropped = _functions.isnan(i) if i._type in FLOATS else None
    if i._type in FLOATS:
        i = operation(merge(i._shape, EMPTY_SHAPE), "int64", "int64(round(%s))", (i,))
    i = cast_to(i, "int64")
    if outside_handling == "clamp":
        return _functions.clip(i, 0, size - 1)
    below = binary("<", i, 0)
    return _functions.where(below if dropped is None else below | dropped, size, i)


def put(base: Tensor, each: Sequence[Tensor], others: Shape, v: Tensor, names: tuple[str, ...], used: Shape,
        mode: str) -> Tensor:
    shared = [name for name in base._shape._names if name in others._names and name not in names]
    rest = [name for name in base._shape._names if name not in shared and name not in names]
    first = _shape(tuple(others.dim(name) for name in shared) + tuple(dim for dim in others._dims
                                                                      if dim.name not in shared))
    each = [expanded(one, first) for one in each]
    where = positions(each, shared, first)
    shape = _shape(first._dims + tuple(base._shape.dim(name) for name in rest))
    extra = [name for name in v._shape._names if name not in shape._names]
    if extra:
        raise IncompatibleShapes(
            f"values {v._shape} have {', '.join(extra)}, which neither the positions nor the base has"
        )
    v = ordered(expanded(v, shape), shape)
    axes = shared + list(names)
    text = (f"scatter(unnamed(%s, {listed(axes + rest)}), unnamed(%s, {listed(where._shape._names)}), "
            f'unnamed(%s, {listed(shape._names)}), "{MODES[mode]}", axes={listed(map(str, range(len(axes))))})')
    made = _shape(tuple(base._shape.dim(name) for name in axes + rest))
    text = f'named({text}, "{_shapes.typed(made)[1:-1]}")'
    if made._names != base._shape._names:
        text = f"transpose({text}, {listed(base._shape._names)})"
    t = operation(base._shape, base._type, text, (base, where, v), reads=True, strict=QUIET)
    evaluate([t])
    return t


def nonzero(value: Value, list_dim: Shape | str = instance("nonzero"),
            index_dim: Shape | str = channel("vector")) -> Tensor:
    """The positions at which an element of any channel is not 0, int64, row-major over spatial and instance dimensions,
    which label index_dim. Of several samples of a batch dimension they are unlike. Computed at once.

    >>> math.nonzero(math.wrap([0, 5, 7], spatial("x"))).vector["x"]
    (1, 2) along nonzeroⁱ int64
    """
    t = as_tensor(value)
    if type(t._source) is Parts:
        return _ragged.spread(lambda part: nonzero(part, list_dim, index_dim), t)
    names = tuple(dim.name for dim in t._shape._dims if dim.kind in ("spatial", "instance"))
    if not names:
        raise ValueError(f"nonzero goes along spatial and instance dimensions, and {t._shape} has none")
    t = reduce("any", t, t._shape.channel)
    if t._shape.batch:
        dim = t._shape.batch._dims[0]
        evaluate([t])
        return _ragged.gathered(
            [nonzero(select(t, dim.name, i), list_dim, index_dim) for i in range(size_number(dim))], dim
        )
    count = int(reduce("sum", t, names))
    rows, columns = dim_like(list_dim, "instance"), dim_like(index_dim, "channel")
    shape = _shape((rows._replace(size=count, labels=None), columns._replace(size=len(names), labels=names)))
    if not count:
        none = moved(numpy.zeros((0, len(names)), numpy.int64), t._home or HOST)
        return make(shape, "int64", Data(none), t._home)
    text = f'named(nonzero(unnamed(%s, {listed(names)}), %s), "{_shapes.typed(shape)[1:-1]}")'
    made = operation(shape, "int64", text, (t, Number(count)), reads=True)
    evaluate([made])
    return made


def dim_like(value: Shape | str, kind: str) -> Dim:
    if isinstance(value, Shape):
        if value.rank != 1:
            raise ValueError(f"one dimension is meant, and {value} has {value.rank}")
        return value._dims[0]
    return Dim(_shapes.check_name(value, kind), kind, None, None)


def boolean_mask(x: Value, dim: DimsLike, mask: Value) -> Tensor:
    """The elements along a dimension where the mask is true. What the mask has besides makes parts of unlike sizes.
    Computed at once.

    >>> t = math.wrap([1, 2, 3], spatial("x"))
    >>> math.boolean_mask(t, "x", t > 1)
    (2, 3) along xˢ int64
    """
    t, m = as_tensor(x), as_tensor(mask)
    names = dims_of(dim, m)
    if len(names) != 1:
        raise ValueError(
            f"boolean_mask is along one dimension of the mask {m._shape}, not along {dim!r}; a list has no "
            "names, so write math.wrap(mask, spatial('x'))"
        )
    return masked(t, names[0], m)


def masked(t: Tensor, name: str, mask: Tensor) -> Tensor:
    if mask._type != "bool":
        raise TypeError(f"a mask is bool, and this is {mask._type}; compare, as in t != 0")
    if name not in t._shape._names or name not in mask._shape._names:
        raise ValueError(f"a mask along {name} of {t._shape} is {mask._shape}; both have {name}")
    merge(_shape((t._shape.dim(name),)), _shape((mask._shape.dim(name),)))
    if type(t._source) is Parts and t._source.along == name and mask._shape.rank == 1:
        return select(t, name, [i for i, each in enumerate(mask) if each])
    if type(t._source) is Parts or type(mask._source) is Parts:
        return _ragged.spread(lambda t, mask: masked(t, name, mask), t, mask)
    others = mask._shape.without(name)
    if others:
        if others.rank > 1:
            raise ValueError(
                f"a mask {mask._shape} makes parts along one further dimension, not along {others}; pack_dims "
                "makes one of several"
            )
        along = merge(others, t._shape.only(others)).dim(others._names[0])
        evaluate([t, mask])
        return _ragged.gathered([masked(select(t, along.name, i), name, select(mask, along.name, i))
                                 for i in range(size_number(along))], along)
    dim = t._shape.dim(name)
    found = nonzero(_unlabelled_tensor(mask, name))
    where = numpy.ascontiguousarray(found.numpy(found._shape)[:, 0])
    home = common(t._home, mask._home)
    labels = tuple(dim.labels[i] for i in where) if dim.labels and len(where) else None
    new = dim._replace(size=len(where), labels=labels)
    shape = _shape(tuple(new if each.name == name else each for each in t._shape._dims))
    if type(t._source) is Constant:
        return make(shape, t._type, t._source, home)
    positions = Data(moved(where, home or HOST))  # beside numbers alone they are anywhere, as these are
    along_where = make(_shape((Dim(name, dim.kind, len(where), None),)), "int64", positions, home)
    made = ordered(take(t, name, along_where), shape)
    evaluate([made])
    return made


def _unlabelled_tensor(mask: Tensor, name: str) -> Tensor:
    """A mask along a spatial dimension."""
    from weft.math._making import renamed
    return renamed(mask, _shape((Dim(name if name not in _shapes.ORDER else "mask", "spatial",
                                     size_number(mask._shape.dim(name)), None),)))


Hooks.take, Hooks.mask = take, masked
