"""Tensors with named dimensions, whose operations wait until values are needed (docs/math.md)."""
from __future__ import annotations

from typing import Any, Iterator, NoReturn, Sequence

import numpy

from weft.math import _printing, _shapes, _types
from weft.math._backends import HOST, Backend, default_home, home_of, moved
from weft.math._elements import binary, reduce, unary
from weft.math._graph import Constant, Data, Node, Parts, array_of, evaluate
from weft.math._making import Hooks, Value, make, renamed, size_number, tensor, wrap
from weft.math._selections import in_order, replaced, select, select_all
from weft.math._shapes import Dim, DimsLike, Shape, Varying, _shape, chosen, names_in
from weft.math._types import ALL, FLOATS, DType


class BoundDim:
    """A dimension of a tensor, `t.x`, whether the tensor has it or not: selected from by `[ ]`, iterated over, asked,
    renamed; times a tensor it is the sum over the products. Immutable.

    >>> t = math.wrap([1.0, 2.0, 3.0], spatial("x"))
    >>> t.x.size, t.x[0], t.x * t, t.y.exists
    (3, float64 1.0, 14.0, False)
    """

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


# Attributes of other libraries' arrays, which are no dimensions unless a tensor has one of that name.
HABITS = {
    "T": "dimensions have names; t.numpy('y,x') puts them in an order",
    "attrs": "it has names of dimensions and labels alone",
    "coords": "labels are t.shape.get_item_names('x')",
    "data": "t.native('y,x') is its array, in this order",
    "dims": "t.shape.names are the names of its dimensions",
    "iloc": "t.x[0] selects along x",
    "itemsize": "t.dtype says its type",
    "loc": "t.x[0] selects along x, t.vector['u'] by label",
    "nbytes": "t.shape.volume is the number of elements",
    "ndim": "t.rank is the number of dimensions",
    "size": "t.shape.volume is the number of elements, t.x.size that along x",
    "sizes": "t.shape.sizes are the sizes of its dimensions",
    "values": "t.numpy('y,x') is an array of NumPy, in this order",
}


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
        if name in HABITS and name not in self._shape._names:
            raise AttributeError(f"a tensor has no {name!r}; {HABITS[name]}")
        return BoundDim(self, name)

    def __call__(self, *args: Any, **options: Any) -> NoReturn:
        raise TypeError("a tensor is no function: t.sum, t.mean and their like are of all elements, and math.sum(t, "
                        "'x') is along x")

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


Hooks.tensor, Hooks.bound_dim = Tensor, BoundDim

__all__ = ["Tensor", "tensor", "wrap"]
