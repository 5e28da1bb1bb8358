"""Tensors of xarray's DataArrays, and back (docs/math.md, "Coming from xarray")."""
from __future__ import annotations

from typing import Any

from weft.math import _shapes
from weft.math._graph import Parts
from weft.math._shapes import Dim, Shape, _shape
from weft.math._making import Hooks, of_array
from weft.math._tensors import Tensor


def of_dataarray(array: Any, given: Shape | None) -> Tensor:
    """A tensor of a DataArray: names are taken, labels from coordinates of strings. A dimension is of the kind whose
    word it is called, else spatial."""
    if not hasattr(array, "dims") or not hasattr(array, "values"):
        raise TypeError(f"{type(array).__name__} is no DataArray; wrap its variables one by one, as dataset['u']")
    if given is not None:
        return of_array(array.values, given)
    return of_array(array.values, _shape(tuple(dim_of(array, str(name)) for name in array.dims)))


def dim_of(array: Any, name: str) -> Dim:
    kind = name if name in _shapes.ORDER else "spatial"
    _shapes.check_name(name, kind)
    return Dim(name, kind, int(array.sizes[name]), labels_of(array, name))


def labels_of(array: Any, name: str) -> tuple[str, ...] | None:
    """The labels along a dimension, where its coordinates are strings that can be labels."""
    if name not in array.coords or array.coords[name].dtype.kind not in "UO":
        return None
    values = array.coords[name].values.tolist()
    if not all(isinstance(value, str) and value and "," not in value for value in values):
        return None
    return tuple(values) if values and len(set(values)) == len(values) else None


def to_dataarray(t: Tensor) -> Any:
    """A DataArray of a tensor's values, with labels as coordinates."""
    try:
        import xarray
    except ImportError:
        raise ImportError("to_xarray needs the package xarray, which is not installed; install it by "
                          "`pip install xarray`") from None
    if type(t._source) is Parts:
        raise ValueError(f"{t._shape} has unlike sizes, so it is no array; its parts are, as in "
                         f"t.{t._source.along}[0].to_xarray()")
    coords = {dim.name: list(dim.labels) for dim in t._shape._dims if dim.labels}
    return xarray.DataArray(t.numpy(t._shape), dims=t._shape.names, coords=coords)


Hooks.of_dataarray, Hooks.to_dataarray = of_dataarray, to_dataarray
