"""xarray: names, labels and coordinates of DataArrays.

>>> import weft.xarray  # doctest: +SKIP
>>> weft.evaluate("u - mean(u, time)", u=dataarray)  # doctest: +SKIP

weft.evaluate comes here where a value is a DataArray, or where a Dataset is the mapping of names."""
import re

import numpy

from weft._arrays import KINDS, compiled
from weft._errors import Error
from weft._results import make

MOST_LABELS = 32768  # of a dimension whose coordinates are followed element by element
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
MARK = "#"  # begins the label that stands for a coordinate which is no text
DIFFER = re.compile(r"labels \((.*)\) and \((.*)\) of (\w+) differ")
LISTED = re.compile(r"=\('#[^)]*\)")
NO_LABEL = re.compile(r"dimension (\w+) of (.+) has no label '[^']*'; it has \('#.*")


def is_text(coord):
    """Whether coordinates are labels as they are."""
    if coord.dtype.kind not in "UO":
        return False
    texts = [str(value) for value in coord.values]
    good = all(text and text.isascii() and text.isprintable() and not set(text) & set(",'\"") and text[0] != MARK
               for text in texts)
    return good and len(set(texts)) == len(texts)


def labels_of(coord):
    """A label for each coordinate along a dimension, alike where coordinates are; None: it cannot be followed."""
    if coord.size > MOST_LABELS:
        return None
    if is_text(coord):
        return [str(value) for value in coord.values]
    values = coord.values.tolist() if coord.dtype.kind in "biuf" else coord.values
    labels = [MARK + re.sub(r"[,'\"()\s]|[^ -~]", "_", str(value)) for value in values]
    return labels if len(set(labels)) == len(labels) else None


class Followed:
    """DataArrays by name as they go into a program, and the coordinates that its results get."""

    def __init__(self, arrays, given):
        self.kinds = {name: {} for name in arrays}
        self.arrays = {name: self.in_order(name, array, given.get(name)) for name, array in arrays.items()}
        self.labels, self.dropped = {}, set()
        for name, array in self.arrays.items():
            self.labels[name] = {dim: labels_of(array.coords[dim]) for dim in array.dims if dim in array.coords}
        for dim in {dim for array in self.arrays.values() for dim in array.dims}:
            self.check_alike(dim, followed=False)

    def in_order(self, name, array, type):
        """With the dimensions in the order of a type given besides, which may give them kinds."""
        for dim in array.dims:
            if not NAME.fullmatch(str(dim)):
                raise ValueError(f"dimension {dim!r} has no name that a text can have; rename it")
        if not isinstance(type, str) or "(" not in type:
            return array
        parts = [(dim, kind) for dim, kind, _ in split(type[type.index("(") + 1:type.rindex(")")])]
        if sorted(dim for dim, _ in parts) != sorted(array.dims):
            raise ValueError(f"types has the dimensions {', '.join(dim for dim, _ in parts)} for {name}, a DataArray "
                             f"with the dimensions {', '.join(array.dims)}; write each of these once, as in "
                             f"types={{{name!r}: '({', '.join(f'{dim}:s' for dim in array.dims)})'}}")
        self.kinds[name] = {dim: kind for dim, kind in parts if kind}
        return array.transpose(*[dim for dim, _ in parts])

    def check_alike(self, dim, followed):
        """Raises where arrays differ in the coordinates of a dimension; without `followed`, where no label says so."""
        first = None
        for name, array in self.arrays.items():
            if dim not in array.coords or dim not in array.dims:
                continue
            if first is None:
                first = name
            elif followed or not (self.labels[name][dim] and self.labels[first][dim]):
                a, b = self.arrays[first].coords[dim].values, array.coords[dim].values
                nan = a.dtype.kind == b.dtype.kind == "f"
                if not numpy.array_equal(a, b, equal_nan=nan):
                    raise ValueError(f"the coordinates of {dim} differ between {first} and {name}; align them first, "
                                     f"as in xarray.align({first}, {name})")

    def type_of(self, name):
        dims = []
        for dim in self.arrays[name].dims:
            labels = self.labels[name].get(dim)
            if dim in self.dropped or (labels and labels[0][0] == MARK and None in self.dropped):
                labels = None
            listed = "=(" + ",".join(f"'{text}'" for text in labels) + ",)" if labels else ""
            dims.append(f"{dim}:{self.kinds[name].get(dim) or KINDS.get(dim, 's')}{listed}")
        return f"({', '.join(dims)})" if dims else f"{self.arrays[name].dtype}[]"

    def let_go(self, error):
        """After an error: whether the text may be right without coordinates that it followed. A difference of
        neighbours is, x[1:] - x[:-1], and has none along its dimension."""
        found = DIFFER.search(error.message)
        if not found:
            again = None not in self.dropped
            self.dropped.add(None)
            return again
        dim = found[3]
        self.check_alike(dim, followed=True)
        known = next((labels[dim] for labels in self.labels.values() if labels.get(dim)), [])
        at = {label: i for i, label in enumerate(known)}
        sides = [[at.get(label.strip("'")) for label in side.split(",") if label != ".."]
                 for side in found.groups()[:2]]
        text = not found[1].startswith(f"'{MARK}")
        if any(None in side for side in sides):
            if text:
                return False
            raise ValueError(f"the coordinates of {dim} differ between {self.cut(error)}")
        up, down = ([all(sign * (b - a) > 0 for a, b in zip(side, side[1:])) for side in sides] for sign in (1, -1))
        if text and up != [True, True]:
            return False
        if max(map(len, sides)) > 1 and up != down and (up[0] and down[1] or down[0] and up[1]):
            raise ValueError(f"the coordinates of {dim} run in two directions in {self.cut(error)}; turn one of them "
                             f"round, or leave them out, as in x.drop_vars({dim!r})")
        again = dim not in self.dropped
        self.dropped.add(dim)
        return again

    @staticmethod
    def cut(error):
        """What does not match in an error's message."""
        sides = LISTED.sub("", error.message).partition("cannot match ")[2].partition(": labels")[0]
        return sides.replace(" with ", " and ", 1)

    def label(self, array, type):
        """A result as a DataArray, with the coordinates that are left."""
        import xarray
        inside = type[type.index("(") + 1:-1] if "(" in type else ""
        dims, left, taken = [], {}, {}
        for (name, _, labels), _ in zip(split(inside), numpy.shape(array)):
            dims.append(name)
            if not labels:
                continue
            source = self.source(name, labels)
            if source is not None:
                coord, at, whole = source
                variable = coord.variable.isel({coord.dims[0]: at})
                left[name] = xarray.Variable((name,), variable.values, variable.attrs)
                if whole and coord.dims[0] == name:
                    taken[name] = at
            elif labels[0][0] != MARK:
                left[name] = labels
        self.add_others(dims, left, taken)
        made = xarray.DataArray(array, dims=dims, coords=left)
        made.name = None  # that of dask's array is its key
        return made

    def source(self, dim, labels):
        """The coordinates that have these labels, where, and whether they are an array's own: those along the dimension
        first, then others, whose dimension the text renamed; of several arrays, as concat has them, as one."""
        import xarray
        each = [(name, own) for name, array in self.arrays.items() for own in array.dims if self.labels[name].get(own)]
        each.sort(key=lambda pair: pair[1] != dim)
        for name, own in each:
            at = {label: i for i, label in enumerate(self.labels[name][own])}
            if all(label in at for label in labels):
                return self.arrays[name].coords[own], [at[label] for label in labels], True
        joined = [self.arrays[name].coords[own] for name, own in each if own == dim]
        if len(joined) > 1:
            coord = xarray.concat([one.reset_coords(drop=True) for one in joined], dim)
            names = [label for name, own in each if own == dim for label in self.labels[name][own]]
            at = {label: i for i, label in enumerate(names)}
            if all(label in at for label in labels):
                return coord, [at[label] for label in labels], False
        return None

    def add_others(self, dims, left, taken):
        """Coordinates that are no dimension's own, as xarray keeps them: along dimensions whose own are followed, and
        the same in all arrays that have them."""
        found = {}
        for array in self.arrays.values():
            for key, coord in array.coords.items():
                if key not in array.dims and not set(coord.dims) - set(taken) and key not in dims:
                    found.setdefault(key, []).append(coord)
        for key, coords in found.items():
            if all(coord.variable.identical(coords[0].variable) for coord in coords):
                left[key] = coords[0].variable.isel({dim: taken[dim] for dim in coords[0].dims})


def split(inside):
    """The dimensions of a type, as (name, kind, labels or None)."""
    for part in re.findall(r"(?:[^,()'\"]|\((?:[^()'\"]|'[^']*'|\"[^\"]*\")*\))+", inside):
        name, _, rest = part.strip().partition(":")
        labels = re.findall(r"'([^']*)'|\"([^\"]*)\"|([^,()'\"]+)", rest[rest.index("("):]) if "(" in rest else None
        kind = rest.partition("=")[0].strip()
        yield name.partition("=")[0].strip(), kind, labels and [a or b or c for a, b, c in labels]


def evaluate(text, values, given, options):
    """A program on DataArrays among the values. Coordinates are followed by labels; where a text needs sizes of the
    call along a dimension with labels, it runs without, and has no coordinates."""
    program, followed = prepare(text, values, options)
    plain = {name: followed.arrays[name].values if name in followed.arrays else value for name, value in values.items()}
    unknown = {name: value for name, value in given.items() if name not in program.inputs}
    inputs = {name: plain[name] for name in program.inputs if name in plain}
    try:
        got = program({**inputs, **unknown})
    except Error as error:
        raise plainly(error) from None
    return labelled(program, inputs, got if len(program.results) > 1 else (got,), followed)


def on_dask(text, values, options):
    """What weft.dask.evaluate does of DataArrays: their data may be arrays of dask, and those of the results are."""
    from weft import dask
    program, followed = prepare(text, values, options)
    plain = {name: followed.arrays[name].data if name in followed.arrays else value for name, value in values.items()}
    got = dask.run(program, plain)
    return labelled(program, plain, got if len(program.results) > 1 else (got,), followed)


def prepare(text, values, options):
    """The program, and the DataArrays among the values with what is followed of their coordinates."""
    import xarray
    types = options.get("types") or {}
    arrays = {name: value for name, value in values.items() if isinstance(value, xarray.DataArray)}
    followed = Followed(arrays, types)
    types = {name: type for name, type in types.items() if name not in arrays or "(" not in str(type)}
    while True:
        try:
            own = {name: followed.type_of(name) for name in followed.arrays}
            return compiled(text, own, {**options, "types": types}), followed
        except Error as error:
            if not followed.let_go(error):
                raise plainly(error) from None


def plainly(error):
    """The error without labels that stand for coordinates."""
    found = NO_LABEL.search(error.message)
    message = LISTED.sub("", error.message)
    if found:
        message = (f"the coordinates of {found[1]} of {found[2]} are no texts; select by position, as in "
                   f"{found[2]}.{found[1]}[0], or in xarray, as in {found[2]}.sel({found[1]}=..)")
    if message == error.message:
        return error
    text = error.args[0].replace(error.message, message)
    return Error(text, error.code, error.status, message, error.span, error.line, error.column)


def labelled(program, inputs, results, followed):
    names = program.infer(**inputs)
    made = [followed.label(array, type) for array, type in zip(results, names.values())]
    return made[0] if len(made) == 1 else make(program.results, made)
