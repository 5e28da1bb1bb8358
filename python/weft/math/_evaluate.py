"""weft.evaluate with tensors among its values: texts take their names (docs/math.md, "Programs as text")."""
from __future__ import annotations

from typing import Any, Mapping

from weft._arrays import compiled
from weft._results import make as make_results
from weft.math import _ragged, _shapes
from weft.math._backends import DASK, HOST, NUMPY, Home, common, home_of
from weft.math._graph import Data, Parts, array_of
from weft.math._graph import evaluate as compute
from weft.math._shapes import Dim, Shape
from weft.math._making import make
from weft.math._tensors import Tensor, parts_of


def evaluate(text: str, values: Mapping[str, Any], given: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    """A program of values some of which are tensors. Its results are tensors, along the dimension of unlike sizes if an
    input has one."""
    tensors = {name: value for name, value in values.items() if isinstance(value, Tensor)}
    types = {name: type_of(t) for name, t in tensors.items() if t._shape._dims}
    program = compiled(text, types, options)
    tensors = {name: t for name, t in tensors.items() if name in program.inputs}
    compute(tensors.values())
    home: Home | None = None
    along: Dim | None = None
    for t in tensors.values():
        home = common(home, t._home)
        if type(t._source) is Parts:
            along = t._shape.dim(t._source.along)
    inputs = {name: arrays_of(values[name], home) if name in tensors else values[name]
              for name in program.inputs if name in values}
    unknown = {name: value for name, value in given.items() if name not in program.inputs}
    if home is not None and home.backend is DASK:
        from weft import dask
        got = dask.run(program, {**inputs, **unknown})
    else:
        got = program({**inputs, **unknown})
    results = got if len(program.results) > 1 else (got,)
    shapes = program.infer(**{name: value[0] if isinstance(value, list) else value for name, value in inputs.items()})
    made = [named(array, kind, along) for array, kind in zip(results, shapes.values())]
    return made[0] if len(made) == 1 else make_results(program.results, made)


def type_of(t: Tensor) -> str:
    """The dimensions as a type of the language, with labels; in unlike sizes that of the parts."""
    shape = t._source.parts[0]._shape if type(t._source) is Parts else t._shape
    return "(" + ", ".join(dim_text(dim) for dim in shape._dims) + ")"


def dim_text(dim: Dim) -> str:
    text = f"{dim.name}:{dim.kind[0]}"
    if not dim.labels or not all(label.isascii() and label.isprintable() and not {"'", '"'} <= set(label)
                                 for label in dim.labels):
        return text
    quoted = [f'"{label}"' if "'" in label else f"'{label}'" for label in dim.labels]
    return f"{text}=({', '.join(quoted)},)"


def arrays_of(t: Tensor, home: Home | None) -> Any:
    arrays = [array_of(part) for part in parts_of(t)]
    if home is not None and home is not HOST and home.backend not in (NUMPY, DASK):
        arrays = [home.take(array) for array in arrays]
    return arrays if type(t._source) is Parts else arrays[0]


def named(array: Any, kind: str, along: Dim | None) -> Tensor:
    """A result as a tensor, of the type that the program says."""
    if isinstance(array, list):
        assert along is not None
        return _ragged.gathered([named(each, kind, None) for each in array], along)
    inside = kind[kind.index("(") + 1:-1] if "(" in kind else ""
    shape = _shapes.of_text(inside) if inside else positional(array)
    sizes = [dim._replace(size=int(size)) for dim, size in zip(shape._dims, array.shape)]
    return make(_shapes._shape(tuple(sizes)), kind.partition("(")[0].partition("[")[0], Data(array), home_of(array))


def positional(array: Any) -> Shape:
    """The dimensions of a result that has no names: an array has none."""
    if len(array.shape) == 0:
        return _shapes.EMPTY_SHAPE
    return _shapes._shape(tuple(Dim(f"axis_{i}", "channel", None, None) for i in range(len(array.shape))))
