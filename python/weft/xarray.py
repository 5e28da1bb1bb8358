"""xarray: names, labels and coordinates of DataArrays.

>>> import weft.xarray  # doctest: +SKIP
>>> weft.evaluate("u - mean(u, time)", u=dataarray)  # doctest: +SKIP

weft.evaluate comes here where a value is a DataArray, or where a Dataset is the mapping of names."""
import re

import numpy

from weft._errors import Error
from weft._program import compile
from weft._results import make

MOST_LABELS = 4096  # of a dimension whose coordinates are followed element by element
KINDS = {"batch": "b", "instance": "i", "spatial": "s", "channel": "c"}
NO_INPUT = re.compile(r"has no input '(\w+)'")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def labels_of(array, dim):
    """Labels for the elements along a dimension: text as it is, other coordinates by their positions."""
    size = array.sizes[dim]
    if dim in array.coords and array.coords[dim].dtype.kind in "UO":
        texts = [str(value) for value in array.coords[dim].values]
        good = all(text and text.isascii() and text.isprintable() and not set(text) & set(",'\"") for text in texts)
        if good and len(set(texts)) == size:
            return texts
    return [str(i) for i in range(size)] if size <= MOST_LABELS and dim in array.coords else None


def type_of(array, follow):
    dims = []
    for dim in array.dims:
        if not NAME.fullmatch(str(dim)):
            raise ValueError(f"dimension {dim!r} has no name that a text can have; rename it")
        labels = labels_of(array, dim) if follow else None
        listed = "=(" + ",".join(f"'{text}'" for text in labels) + ",)" if labels else ""
        dims.append(f"{dim}:{KINDS.get(dim, 's')}{listed}")
    return f"({', '.join(dims)})" if dims else f"{array.dtype}[]"


def coordinates(arrays):
    """The coordinates along each dimension, which are one for all arrays that have the dimension."""
    found = {}
    for name, array in arrays.items():
        for dim in array.dims:
            if dim not in array.coords:
                continue
            before = found.setdefault(dim, (name, array.coords[dim]))
            if not numpy.array_equal(before[1].values, array.coords[dim].values):
                raise ValueError(f"the coordinates of {dim} differ between {before[0]} and {name}; align them first, "
                                 f"as in xarray.align({before[0]}, {name})")
    return {dim: coords for dim, (name, coords) in found.items()}


def split(inside):
    """The dimensions of a type, as (name, labels or None)."""
    for part in re.findall(r"(?:[^,()'\"]|\((?:[^()'\"]|'[^']*'|\"[^\"]*\")*\))+", inside):
        name, _, rest = part.strip().partition(":")
        labels = re.findall(r"'([^']*)'|\"([^\"]*)\"|([^,()'\"]+)", rest[rest.index("("):]) if "(" in rest else None
        yield name, labels and [a or b or c for a, b, c in labels]


def label(array, type, coords):
    """The result as a DataArray, with the coordinates that are left."""
    import xarray
    inside = type[type.index("(") + 1:-1] if "(" in type else ""
    dims, left = [], {}
    for (name, labels), size in zip(split(inside), numpy.shape(array)):
        dims.append(name)
        if not labels:
            continue
        known = coords.get(name)
        if known is not None:
            at = {text: i for i, text in enumerate(labels_of(known, name))}
            if all(text in at for text in labels):
                left[name] = known.isel({name: [at[text] for text in labels]})
                continue
        left[name] = labels
    made = xarray.DataArray(array, dims=dims, coords=left)
    made.name = None  # that of dask's array is its key
    return made


def evaluate(text, values, given, options):
    """A program on DataArrays among the values. Coordinates are followed by labels; where a text needs sizes of the
    call along a dimension with labels, it runs without, and has no coordinates."""
    arrays, coords, program, follow = prepare(text, values, options)
    plain = {name: value.values if name in arrays else value for name, value in values.items()}
    unknown = {name: value for name, value in given.items() if name not in program.inputs}
    inputs = {name: plain[name] for name in program.inputs if name in plain}
    got = program({**inputs, **unknown})
    return labelled(program, inputs, got if len(program.results) > 1 else (got,), coords if follow else {})


def on_dask(text, values, options):
    """What weft.dask.evaluate does of DataArrays: their data may be arrays of dask, and those of the results are."""
    from weft import dask
    arrays, coords, program, follow = prepare(text, values, options)
    plain = {name: value.data if name in arrays else value for name, value in values.items()}
    got = dask.run(program, plain)
    return labelled(program, plain, got if len(program.results) > 1 else (got,), coords if follow else {})


def prepare(text, values, options):
    """The DataArrays among the values, their coordinates, the program, and whether it follows coordinates."""
    import xarray
    arrays = {name: value for name, value in values.items() if isinstance(value, xarray.DataArray)}
    coords = coordinates(arrays)
    for follow in True, False:
        try:
            return arrays, coords, compiled(text, arrays, follow, options), follow
        except Error:
            if not follow:
                raise


def compiled(text, arrays, follow, options):
    """The program with types for those of the arrays that are its inputs: a word of the text that is an array's name
    here may be bound there, or be a dimension or a label."""
    types = {name: type_of(array, follow) for name, array in arrays.items()}
    while True:
        try:
            return compile(text, **{**options, "types": {**types, **(options.get("types") or {})}})
        except Error as error:
            absent = [NO_INPUT.search(each.message) for each in error.errors if each.code == "W0072"]
            if not any([types.pop(match[1], None) for match in absent if match]):
                raise


def labelled(program, inputs, results, coords):
    names = program.infer(**inputs)
    made = [label(array, type, coords) for array, type in zip(results, names.values())]
    return made[0] if len(made) == 1 else make(program.results, made)
