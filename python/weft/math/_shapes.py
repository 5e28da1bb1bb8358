"""Shapes: the names, kinds, sizes and labels of a tensor's dimensions (docs/math.md, "Shapes")."""
from __future__ import annotations

import difflib
import itertools
import re
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple, NoReturn, Sequence, Union, cast

from weft.math import _printing

KINDS = ("batch", "instance", "spatial", "channel")
LETTERS = {kind[0]: kind for kind in KINDS}
ORDER = {kind: i for i, kind in enumerate(KINDS)}
FORBIDDEN = frozenset("and or not if else return None newaxis true false True False".split())
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class IncompatibleShapes(ValueError):
    """Shapes that have no common one: one dimension has two sizes, two kinds, or two lists of labels.

    >>> spatial(x=3) & spatial(x=4)
    Traceback (most recent call last):
        ...
    weft.math.IncompatibleShapes: cannot match (xˢ=3) with (xˢ=4): sizes 3 and 4 of x differ
    """


class Varying(NamedTuple):
    """The sizes of a dimension that has another one for each element along `name`, of kind `kind`."""
    sizes: tuple[int, ...]
    name: str
    kind: str


Size = Union[int, None, Varying]


class Dim(NamedTuple):
    name: str
    kind: str
    size: Size
    labels: tuple[str, ...] | None


# What Shape.get_size gives for sizes that vary; the module of tensors sets it.
tensor_of_sizes: Callable[[Varying], Any] = lambda sizes: sizes


def check_name(name: str, kind: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"a dimension is called by a name of letters, digits and _, not {name!r}")
    if name in FORBIDDEN:
        raise ValueError(f"a dimension cannot be called {name}, which is a word of the language")
    if name in ORDER and name != kind:
        raise ValueError(f"a dimension called {name} has to be of that kind, not {kind}")
    return name


def check_labels(name: str, labels: Sequence[str]) -> tuple[str, ...]:
    for label in labels:
        if not isinstance(label, str):
            raise TypeError(f"labels of {name} are strings, not {label!r}")
        if not label or "," in label:
            raise ValueError(f"a label of {name} is {label!r}; labels are not empty and have no comma")
    if len(set(labels)) < len(labels):
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise ValueError(f"label {twice!r} of {name} is there twice; labels are distinct")
    return tuple(labels)


def check_size(name: str, size: Any) -> Size:
    if size is None or isinstance(size, Varying):
        return size
    if isinstance(size, bool) or not hasattr(size, "__index__"):
        raise TypeError(f"the size of {name} is an integer or None, not {size!r}")
    size = size.__index__()
    if size < 0:
        raise ValueError(f"the size of {name} is {size}; sizes are at least 0")
    return cast(int, size)


def names_in(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


class Shape:
    """The dimensions of a tensor: each has a name, a kind (batch, instance, spatial or channel), a size and perhaps
    labels, one for each element. Immutable and hashable; it is made by `batch`, `instance`, `spatial`, `channel`,
    `shape` and `merge_shapes`.

    >>> s = spatial(x=4, y=3) & channel(vector="x,y")
    >>> s
    (xˢ=4, yˢ=3, vectorᶜ=x,y)
    >>> s.names, s.sizes, s.volume
    (('x', 'y', 'vector'), (4, 3, 2), 24)
    >>> s["y,x"], s[-1], s.spatial
    ((yˢ=3, xˢ=4), (vectorᶜ=x,y), (xˢ=4, yˢ=3))
    """

    __slots__ = ("_dims", "_hash", "_names", "_sorted", "_typed")
    _dims: tuple[Dim, ...]
    _sorted: bool  # whether the dimensions are in the order of kinds
    _typed: str
    _hash: int
    _names: tuple[str, ...]

    def __init__(self) -> None:
        raise TypeError("shapes are made by batch, instance, spatial, channel and shape, as in spatial(x=4)")

    # What is known of all dimensions.

    @property
    def names(self) -> tuple[str, ...]:
        """The dimensions' names."""
        return self._names

    @property
    def sizes(self) -> tuple[Any, ...]:
        """The dimensions' sizes: an int, None if it is unknown, an int64 tensor if it varies along a dimension."""
        return tuple(self._size(dim) for dim in self._dims)

    @property
    def types(self) -> tuple[str, ...]:
        """The dimensions' kinds: the words batch, instance, spatial, channel."""
        return tuple(dim.kind for dim in self._dims)

    @property
    def item_names(self) -> tuple[tuple[str, ...] | None, ...]:
        """The dimensions' labels, None for a dimension without."""
        return tuple(dim.labels for dim in self._dims)

    labels = item_names

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self._dims)

    def __len__(self) -> int:
        return len(self._dims)

    @property
    def volume(self) -> int | None:
        """The number of elements, None if a size is unknown. Where sizes vary it is the sum over the parts."""
        if any(dim.size is None for dim in self._dims):
            return None
        varying = [dim.size for dim in self._dims if isinstance(dim.size, Varying)]
        if not varying:
            return product(cast("int", dim.size) for dim in self._dims)
        return sum(cast(int, self.part(i).volume) for i in range(len(varying[0].sizes)))

    @property
    def is_uniform(self) -> bool:
        """Whether no size varies along another dimension."""
        return self.along is None

    @property
    def is_non_uniform(self) -> bool:
        """Whether a size varies along another dimension."""
        return self.along is not None

    @property
    def is_empty(self) -> bool:
        """Whether there are no dimensions."""
        return not self._dims

    @property
    def along(self) -> str | None:
        """The dimension along which sizes vary, if there is one."""
        return next((dim.size.name for dim in self._dims if isinstance(dim.size, Varying)), None)

    def part(self, i: int) -> Shape:
        """The shape of part i along the dimension along which sizes vary."""
        along = self.along
        return _shape(tuple(dim._replace(size=dim.size.sizes[i], labels=None) if isinstance(dim.size, Varying) else dim
                            for dim in self._dims if dim.name != along))

    # One dimension.

    def dim(self, name: str) -> Dim:
        """The dimension of that name; ValueError if there is none."""
        for dim in self._dims:
            if dim.name == name:
                return dim
        self._no(name)

    def _no(self, name: str) -> NoReturn:
        near = difflib.get_close_matches(name, self.names, 1) if isinstance(name, str) else ()
        asked = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{self} has no dimension {name}{asked}")

    def _size(self, dim: Dim) -> Any:
        return tensor_of_sizes(dim.size) if isinstance(dim.size, Varying) else dim.size

    def _only(self, what: str) -> Dim:
        if len(self._dims) != 1:
            raise ValueError(f".{what} is of a shape with one dimension, and {self} has {len(self._dims)}; "
                             f"write .{what}s, or get_{'type' if what == 'type' else 'size'}(name)")
        return self._dims[0]

    @property
    def name(self) -> str:
        """The name of the only dimension."""
        return self._only("name").name

    @property
    def size(self) -> Any:
        """The size of the only dimension."""
        return self._size(self._only("size"))

    @property
    def type(self) -> str:
        """The kind of the only dimension."""
        return self._only("type").kind

    def get_size(self, dim: DimLike) -> Any:
        """The size of a dimension: an int, None, or an int64 tensor where it varies. ValueError if it is absent."""
        return self._size(self.dim(name_of(dim)))

    def get_item_names(self, dim: DimLike) -> tuple[str, ...] | None:
        """The labels of a dimension, or None. ValueError if it is absent."""
        return self.dim(name_of(dim)).labels

    get_labels = get_item_names

    def get_type(self, dim: DimLike) -> str:
        """The kind of a dimension. ValueError if it is absent."""
        return self.dim(name_of(dim)).kind

    def index(self, dim: DimLike) -> int:
        """The position of a dimension. ValueError if it is absent."""
        return self._dims.index(self.dim(name_of(dim)))

    def __contains__(self, dims: object) -> bool:
        if isinstance(dims, Shape):
            return all(name in self.names for name in dims.names)
        if isinstance(dims, str):
            return all(name in self.names for name in names_in(dims))
        if isinstance(dims, (tuple, list)):
            return all(each in self for each in dims)
        return False

    # Some of the dimensions.

    def of(self, kinds: Iterable[str]) -> Shape:
        """The dimensions of these kinds."""
        kinds = tuple(kinds)
        kept = tuple(dim for dim in self._dims if dim.kind in kinds)
        return self if len(kept) == len(self._dims) else _shape(kept)

    @property
    def batch(self) -> Shape:
        """The batch dimensions."""
        return self.of(("batch",))

    @property
    def instance(self) -> Shape:
        """The instance dimensions."""
        return self.of(("instance",))

    @property
    def spatial(self) -> Shape:
        """The spatial dimensions."""
        return self.of(("spatial",))

    @property
    def channel(self) -> Shape:
        """The channel dimensions."""
        return self.of(("channel",))

    @property
    def non_batch(self) -> Shape:
        """All but the batch dimensions."""
        return self.of(KINDS[1:])

    @property
    def non_instance(self) -> Shape:
        """All but the instance dimensions."""
        return self.of(("batch", "spatial", "channel"))

    @property
    def non_spatial(self) -> Shape:
        """All but the spatial dimensions."""
        return self.of(("batch", "instance", "channel"))

    @property
    def non_channel(self) -> Shape:
        """All but the channel dimensions."""
        return self.of(KINDS[:-1])

    def without(self, dims: DimsLike) -> Shape:
        """The dimensions but these; those that it lacks are ignored."""
        gone = chosen(dims, self)
        return _shape(tuple(dim for dim in self._dims if dim.name not in gone)) if gone else self

    def only(self, dims: DimsLike, reorder: bool = False) -> Shape:
        """Of the dimensions, these, in the order here, or with reorder in that of dims; absent ones are ignored."""
        kept = chosen(dims, self)
        if reorder:
            return _shape(tuple(self.dim(name) for name in kept))
        return _shape(tuple(dim for dim in self._dims if dim.name in kept))

    def __getitem__(self, item: Any) -> Shape:
        if isinstance(item, str):
            return _shape(tuple(self.dim(name) for name in names_in(item)))
        if isinstance(item, (list, tuple)):
            return _shape(tuple(self.dim(each) if isinstance(each, str) else self._at(each) for each in item))
        return _shape(self._dims[item] if isinstance(item, slice) else (self._at(item),))

    def _at(self, i: Any) -> Dim:
        if not hasattr(i, "__index__"):
            raise TypeError(
                f"dimensions of a shape are selected by position, slice, name or a list of these, not by {i!r}"
            )
        if not -self.rank <= i.__index__() < self.rank:
            raise IndexError(f"position {i} is outside of {self}, which has {self.rank} dimensions")
        return self._dims[i]

    def __iter__(self) -> Iterator[Shape]:
        return (_shape((dim,)) for dim in self._dims)

    # Other sizes.

    def with_sizes(self, sizes: Sequence[Size] | Shape) -> Shape:
        """With these sizes, one for each dimension, or those of a shape. Labels stay where the size does."""
        if not isinstance(sizes, (Shape, list, tuple)):
            raise TypeError(
                f"with_sizes takes a list of sizes or a shape, not {sizes!r}; with_size(n) is of one dimension"
            )
        new = [dim.size for dim in sizes._dims] if isinstance(sizes, Shape) else list(sizes)
        if len(new) != len(self._dims):
            raise ValueError(f"{self} has {len(self._dims)} dimensions, and {len(new)} sizes are given")
        return _shape(tuple(sized(dim, size) for dim, size in zip(self._dims, new)))

    def with_size(self, size: Size) -> Shape:
        """With this size of the only dimension."""
        return _shape((sized(self._only("size"), size),))

    def with_dim_size(self, dim: DimLike, size: Size) -> Shape:
        """With this size of that dimension. ValueError if it is absent."""
        name = self.dim(name_of(dim)).name
        return _shape(tuple(sized(each, size) if each.name == name else each for each in self._dims))

    def without_sizes(self) -> Shape:
        """With no size known, and without labels."""
        return _shape(tuple(dim._replace(size=None, labels=None) for dim in self._dims))

    def meshgrid(self, names: bool = False) -> Iterator[dict[str, Any]]:
        """A dict of positions for each element, the last dimension fastest; with names, labels stand for positions
        where a dimension has some.

        >>> list(spatial(x=2, y=1).meshgrid())
        [{'x': 0, 'y': 0}, {'x': 1, 'y': 0}]
        """
        for dim in self._dims:
            if not isinstance(dim.size, int):
                raise ValueError(f"the size of {dim.name} in {self} has to be one number")
        along: list[Sequence[Any]] = [dim.labels if names and dim.labels else range(cast(int, dim.size))
                                      for dim in self._dims]
        for each in itertools.product(*along):
            yield dict(zip(self.names, each))

    def __and__(self, other: object) -> Shape:
        if not isinstance(other, (Shape, str)):
            return NotImplemented
        return merge_shapes(self, other)

    def __rand__(self, other: object) -> Shape:
        return merge_shapes(other, self) if isinstance(other, str) else NotImplemented

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Shape) and self._dims == other._dims

    def __hash__(self) -> int:
        return self._hash

    def __bool__(self) -> bool:
        return bool(self._dims)

    def __repr__(self) -> str:
        return _printing.format_shape(printed(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _shape, (self._dims,)


DimLike = Union[str, Shape]
DimsLike = Any  # 'x,y', a Shape, a kind's function, a list of such, or None


def printed(shape: Shape) -> list[tuple[str, str, Any, tuple[str, ...] | None]]:
    """The dimensions as the printer takes them."""
    return [(name, kind, (size.sizes, (size.name, size.kind)) if isinstance(size, Varying) else size, labels)
            for name, kind, size, labels in shape._dims]


def _shape(dims: tuple[Dim, ...]) -> Shape:
    self = object.__new__(Shape)
    self._dims = dims
    self._hash = hash(dims)
    self._typed = ""
    kinds = [ORDER[dim.kind] for dim in dims]
    self._sorted = kinds == sorted(kinds)
    self._names = tuple([dim.name for dim in dims])
    if len(set(self._names)) < len(dims):
        twice = next(name for i, name in enumerate(self._names) if name in self._names[:i])
        raise IncompatibleShapes(f"dimension {twice} is there twice; dimensions of a shape have distinct names")
    return self


EMPTY_SHAPE = _shape(())


def product(values: Iterable[int]) -> int:
    made = 1
    for value in values:
        made *= value
    return made


def sized(dim: Dim, size: Any) -> Dim:
    size = check_size(dim.name, size)
    return dim if size == dim.size else dim._replace(size=size, labels=None)


def name_of(dim: DimLike) -> str:
    if isinstance(dim, str):
        return dim.strip()
    if isinstance(dim, Shape):
        return dim.name
    raise TypeError(f"a dimension is given by its name or a shape of rank 1, not {dim!r}")


# The kinds' functions.

def _parse_value(name: str, kind: str, value: Any) -> Dim:
    check_name(name, kind)
    if isinstance(value, str):
        labels = check_labels(name, tuple(part.strip() for part in value.split(",")))
        return Dim(name, kind, len(labels), labels)
    if isinstance(value, (tuple, list)):
        labels = check_labels(name, value)
        return Dim(name, kind, len(labels), labels or None)
    return Dim(name, kind, check_size(name, value), None)


def _of_kind(kind: str, names: tuple[Any, ...], sizes: Mapping[str, Any]) -> Shape:
    if len(names) == 1 and not isinstance(names[0], str):
        return shape_of(names[0], kind).of((kind,))
    dims = []
    for text in names:
        if not isinstance(text, str):
            raise TypeError(
                f"{kind} takes names, as in {kind}('x,y'), sizes, as in {kind}(x=4), or one shape or tensor, "
                f"not {text!r}"
            )
        dims += [Dim(check_name(name, kind), kind, None, None) for name in names_in(text)]
    dims += [_parse_value(name, kind, value) for name, value in sizes.items()]
    try:
        return _shape(tuple(dims))
    except IncompatibleShapes as error:
        raise ValueError(*error.args) from None


def shape_of(obj: Any, what: str = "shape") -> Shape:
    if isinstance(obj, Shape):
        return obj
    found = getattr(obj, "shape", None)
    if isinstance(found, Shape):
        return found
    if isinstance(obj, (bool, int, float)):
        return EMPTY_SHAPE
    raise TypeError(
        f"{what} takes a shape or a tensor of weft.math, not {type(obj).__name__}; give an array names first, "
        "as in math.wrap(array, spatial('x,y'))"
    )


def batch(*names: Any, **sizes: Any) -> Shape:
    """Batch dimensions, by names, sizes or labels, or those of a shape or tensor.

    >>> batch("a,b"), batch(a=3), batch(case="wet,dry")
    ((aᵇ=None, bᵇ=None), (aᵇ=3), (caseᵇ=wet,dry))
    """
    return _of_kind("batch", names, sizes)


def instance(*names: Any, **sizes: Any) -> Shape:
    """Instance dimensions, by names, sizes or labels, or those of a shape or tensor.

    >>> instance(points=100)
    (pointsⁱ=100)
    """
    return _of_kind("instance", names, sizes)


def spatial(*names: Any, **sizes: Any) -> Shape:
    """Spatial dimensions, by names, sizes or labels, or those of a shape or tensor.

    >>> spatial(x=4, y=3)
    (xˢ=4, yˢ=3)
    >>> spatial(spatial(x=4) & batch(b=2))
    (xˢ=4)
    """
    return _of_kind("spatial", names, sizes)


def channel(*names: Any, **sizes: Any) -> Shape:
    """Channel dimensions, by names, sizes or labels, or those of a shape or tensor.

    >>> channel(vector="x,y"), channel(c=3)
    ((vectorᶜ=x,y), (cᶜ=3))
    """
    return _of_kind("channel", names, sizes)


def non_batch(obj: Any) -> Shape:
    """All dimensions of a shape or tensor but the batch dimensions.

    >>> non_batch(batch(b=2) & spatial(x=4))
    (xˢ=4)
    """
    return shape_of(obj, "non_batch").non_batch


def non_instance(obj: Any) -> Shape:
    """All dimensions of a shape or tensor but the instance dimensions.

    >>> non_instance(spatial(x=4) & instance(points=3))
    (xˢ=4)
    """
    return shape_of(obj, "non_instance").non_instance


def non_spatial(obj: Any) -> Shape:
    """All dimensions of a shape or tensor but the spatial dimensions.

    >>> non_spatial(spatial(x=4) & channel(c=3))
    (cᶜ=3)
    """
    return shape_of(obj, "non_spatial").non_spatial


def non_channel(obj: Any) -> Shape:
    """All dimensions of a shape or tensor but the channel dimensions.

    >>> non_channel(spatial(x=4) & channel(c=3))
    (xˢ=4)
    """
    return shape_of(obj, "non_channel").non_channel


FILTERS = {batch, instance, spatial, channel, non_batch, non_instance, non_spatial, non_channel}


def kind_by_name(name: str, labelled: bool) -> str:
    """The kind of a dimension that is written without (8.1)."""
    if labelled:
        return "channel"
    if len(name) == 1:
        return "spatial"
    if name in ORDER:
        raise ValueError(f"what kind of dimension is {name}? write {name}({name}=..)")
    raise ValueError(f"what kind of dimension is {name}? write spatial({name}=..), channel({name}=..), "
                     f"batch({name}=..) or instance({name}=..)")


def shape(obj: Any = None, **sizes: Any) -> Shape:
    """The shape of a tensor; or a shape of these sizes, where a name of one letter is a spatial dimension, and one with
    labels a channel.

    >>> shape(x=4, y=3, vector="x,y")
    (xˢ=4, yˢ=3, vectorᶜ=x,y)

    ValueError for a longer name with a size: its kind is not known.
    """
    if obj is not None:
        if sizes:
            raise TypeError("shape takes a tensor or sizes, not both")
        return of_text(obj) if isinstance(obj, str) else shape_of(obj)
    return _shape(tuple(_parse_value(name, kind_by_name(name, isinstance(size, (str, tuple, list))), size)
                        for name, size in sizes.items()))


TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)|(\d+)|'([^']*)'|\"([^\"]*)\"|([(),:=?]))")


def of_text(text: str) -> Shape:
    """The shape that a text of the language's types says (8.1): 'b:b, x:s=4, vector:c=(u,v)'.

    Raises ValueError with the place for what is none."""
    tokens, at = [], 0
    source = text.rstrip()
    while at < len(source):
        found = TOKEN.match(source, at)
        if not found:
            raise ValueError(f"in {text!r} at {at}: a dimension is written NAME:KIND=SIZE, as x:s=4, or with labels, "
                             "vector:c=(u,v)")
        tokens.append((found.lastindex, found.group(cast(int, found.lastindex)), at))
        at = found.end()
    if len(tokens) > 1 and tokens[0][1] == "(" and tokens[-1][1] == ")" and tokens[0][0] == 5:
        tokens = tokens[1:-1]
    place = 0

    def wrong(expected: str) -> NoReturn:
        where = tokens[place][2] if place < len(tokens) else len(source)
        raise ValueError(f"in {text!r} at {where}: expected {expected}; a dimension is written as x:s=4, b:b or "
                         "vector:c=(u,v)")

    def take(kinds: tuple[int, ...], texts: tuple[str, ...] | None = None) -> str | None:
        nonlocal place
        if place < len(tokens) and tokens[place][0] in kinds and (texts is None or tokens[place][1] in texts):
            place += 1
            return tokens[place - 1][1]
        return None

    def labels(name: str) -> tuple[str, ...]:
        got = []
        while True:
            label = take((1, 3, 4))
            if label is None:
                wrong("a label")
            got.append(label)
            comma = take((5,), (",",))
            if take((5,), (")",)):
                return check_labels(name, got)
            if not comma:
                wrong("a comma or )")

    dims = []
    while place < len(tokens):
        if take((5,), ("(",)):
            got = labels("vector")
            dims.append(Dim("vector", "channel", len(got), got))
        else:
            name = take((1,)) or wrong("the name of a dimension")
            kind = None
            if take((5,), (":",)):
                word = take((1,)) or ""
                kind = LETTERS.get(word) or (word if word in ORDER else wrong("a kind: b, i, s or c"))
            size: Size = None
            got_labels = None
            if take((5,), ("=",)):
                if take((5,), ("(",)):
                    got_labels = labels(name)
                    size = len(got_labels)
                elif not take((5,), ("?",)):
                    number = take((2,))
                    size = int(number) if number else wrong("a size, ? or labels") if not take((1,)) else None
            kind = kind or kind_by_name(name, got_labels is not None)
            dims.append(Dim(check_name(name, kind), kind, size, got_labels))
        if place < len(tokens) and not take((5,), (",",)):
            wrong("a comma")
    return _shape(tuple(dims))


def as_shape(obj: Any) -> Shape:
    """What stands for a shape: one, or a text of 8.1."""
    if isinstance(obj, Shape):
        return obj
    if isinstance(obj, str):
        return of_text(obj)
    if obj in FILTERS:
        raise TypeError(f"{obj.__name__} is a kind; give dimensions of it, as in {obj.__name__}('x,y')")
    raise TypeError(f"a shape is made by spatial(x=4) and its like, or is a text as 'x:s=4', not {obj!r}")


# Dimensions that a caller chooses of those there are.

def chosen(dims: DimsLike, of: Shape) -> tuple[str, ...]:
    """The names of `of`'s dimensions that dims says, in the order of dims; absent ones are ignored."""
    if dims is None:
        return ()
    if type(dims) is tuple and all([name in of._names for name in dims]):
        return dims
    if isinstance(dims, str):
        return tuple(name for name in dict.fromkeys(names_in(dims)) if name in of._names)
    if isinstance(dims, Shape):
        return tuple(name for name in dims._names if name in of._names)
    if isinstance(dims, (list, tuple, set, frozenset)):
        return tuple(dict.fromkeys(name for each in dims for name in chosen(each, of)))
    if callable(dims) and dims in FILTERS:
        found = _of_kind_here.get((dims, of))
        if found is None:
            found = _of_kind_here[dims, of] = cast(Shape, dims(of))._names
            if len(_of_kind_here) > REMEMBERED:
                _of_kind_here.clear()
        return found
    raise TypeError(f"dimensions are given by names, as 'x,y', a shape or a kind, as spatial, not by {dims!r}")


# Matching (8.5).

def conflict(a: Dim, b: Dim, first: Shape, second: Shape) -> NoReturn:
    name = a.name
    if a.kind != b.kind:
        what = f"{name} is {a.kind} there and {b.kind} here"
    elif a.size != b.size:
        what = f"sizes {size_text(a.size)} and {size_text(b.size)} of {name} differ"
    else:
        what = f"labels {','.join(a.labels or ())} and {','.join(b.labels or ())} of {name} differ"
    raise IncompatibleShapes(f"cannot match {first} with {second}: {what}")


def size_text(size: Size) -> str:
    return f"({', '.join(map(str, size.sizes))})" if isinstance(size, Varying) else str(size)


REMEMBERED = 4096
_of_kind_here: dict[tuple[Any, Shape], tuple[str, ...]] = {}
_merged: dict[tuple[Shape, Shape], Shape] = {}


def merge(a: Shape, b: Shape) -> Shape:
    """The common shape of two, remembered."""
    if a._sorted and (b is a or not b._dims):
        return a
    found = _merged.get((a, b))
    if found is None:
        found = _merge((a, b))
        if len(_merged) > REMEMBERED:
            _merged.clear()
        _merged[a, b] = found
    return found


def _merge(shapes: Sequence[Shape]) -> Shape:
    found: dict[str, tuple[Dim, Shape]] = {}
    for each in shapes:
        for dim in each._dims:
            if dim.name not in found:
                found[dim.name] = dim, each
                continue
            before, owner = found[dim.name]
            if before.kind != dim.kind or before.size != dim.size:
                conflict(before, dim, owner, each)
            if before.labels is None:
                found[dim.name] = before._replace(labels=dim.labels), owner
            elif dim.labels is not None and dim.labels != before.labels and dim.size != 1:
                conflict(before, dim, owner, each)
    return _shape(tuple(sorted((dim for dim, owner in found.values()), key=lambda dim: ORDER[dim.kind])))


def merge_shapes(*shapes: Any) -> Shape:
    """All dimensions of these shapes (or tensors), sorted by kind in the order batch, instance, spatial, channel,
    within a kind by first appearance. The operator `&` is this of two.

    >>> merge_shapes(channel(vector="x,y"), spatial(x=4), batch(b=2))
    (bᵇ=2, xˢ=4, vectorᶜ=x,y)

    Raises IncompatibleShapes where a dimension has two sizes, kinds or lists of labels.
    """
    return _merge([as_shape(each) if isinstance(each, str) else shape_of(each, "merge_shapes") for each in shapes])


def concat_shapes(*shapes: Any) -> Shape:
    """The dimensions of these shapes (or tensors), as written.

    >>> concat_shapes(spatial(x=4), batch(b=2))
    (xˢ=4, bᵇ=2)

    Raises IncompatibleShapes for a name that is there twice.
    """
    return concatenated([as_shape(each) if isinstance(each, str) else shape_of(each, "concat_shapes")
                         for each in shapes])


def concatenated(shapes: Iterable[Shape]) -> Shape:
    return _shape(tuple(dim for each in shapes for dim in each._dims))


# Texts of the language.

def typed(shape: Shape) -> str:
    """The dimensions as a type without sizes: names choose strides alone, so sizes and labels are left out."""
    if not shape._typed:
        shape._typed = "(" + ", ".join([f"{dim.name}:{dim.kind[0]}" for dim in shape._dims]) + ")"
    return shape._typed


def sized_text(shape: Shape) -> str:
    """The dimensions as a text with sizes, without labels."""
    return ", ".join([f"{dim.name}:{dim.kind[0]}={dim.size}" for dim in shape._dims])


def expanded_text(text: str, shape: Shape) -> str:
    """The text of one value for all elements of a shape."""
    return as_written(f'broadcast_to({text}, "{sized_text(shape)}")', shape)


def as_written(text: str, shape: Shape) -> str:
    """The text of a value whose dimensions come sorted by kind, in the order of a shape."""
    kinds = [ORDER[dim.kind] for dim in shape._dims]
    return text if kinds == sorted(kinds) else f"transpose({text}, {listed(shape._names)})"


def listed(names: Iterable[str]) -> str:
    return "[" + ", ".join(names) + "]"
