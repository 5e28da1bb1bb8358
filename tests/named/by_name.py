"""Named values in the plainest way: an element for each choice of an index along each name. It knows no positions, no
strides and no views; of the order of dimensions it keeps what rules 8.5 and 8.12 say of results."""
import itertools

import numpy as np

KINDS = "bisc"


class Mismatch(Exception):
    """Operands that do not go together."""


class Dim:
    def __init__(self, name, kind, size, labels=None):
        self.name, self.kind, self.size, self.labels = name, kind, size, labels

    def sized(self, size, labels=None):
        return Dim(self.name, self.kind, size, labels)

    def text(self):
        return f"{self.name}:{self.kind}=" + (f"({','.join(self.labels)})" if self.labels else str(self.size))


class Value:
    """`dims` in their order; `at` takes a dict of an index for each name."""

    def __init__(self, dims, dtype, at):
        self.dims, self.dtype = list(dims), np.dtype(dtype)
        self.elements = {key(place): self.dtype.type(at(place)) for place in places(dims)}

    def names(self):
        return [dim.name for dim in self.dims]

    def dim(self, name):
        return next(dim for dim in self.dims if dim.name == name)

    def get(self, place):
        return self.elements[key({name: place[name] for name in self.names()})]

    def array(self):
        out = np.empty([dim.size for dim in self.dims], self.dtype)
        for place in places(self.dims):
            out[tuple(place[name] for name in self.names())] = self.get(place)
        return out

    def type(self):
        inside = ", ".join(dim.text() for dim in self.dims)
        return f"{self.dtype}({inside})" if self.dims else f"{self.dtype}[]"


def key(place):
    return frozenset(place.items())


def places(dims):
    for indices in itertools.product(*(range(dim.size) for dim in dims)):
        yield {dim.name: i for dim, i in zip(dims, indices)}


def merge(*all_dims):
    """Rule 8.5."""
    merged = {}
    for dims in all_dims:
        for dim in dims:
            before = merged.setdefault(dim.name, dim)
            if before.kind != dim.kind or before.size != dim.size:
                raise Mismatch(dim.name)
            if before.labels and dim.labels and dim.size != 1 and before.labels != dim.labels:
                raise Mismatch(dim.name)
            if not before.labels and dim.labels:
                merged[dim.name] = dim
    return sorted(merged.values(), key=lambda dim: KINDS.index(dim.kind))


def operation(function, dtype, *operands):
    """Element by element; `function` of scalars of `dtype` gives one of the result's."""
    dims = merge(*(value.dims for value in operands))
    return Value(dims, dtype, lambda place: function(*(value.get(place) for value in operands)))


def select(x, name, index):
    return Value([dim for dim in x.dims if dim.name != name], x.dtype,
                 lambda place: x.get({**place, name: index % x.dim(name).size}))


def pick(x, name, indices, keep_labels=True):
    """The elements at these positions along a dimension, whose labels travel (rule 8.9)."""
    dim = x.dim(name)
    indices = [i % dim.size for i in indices]
    labels = [dim.labels[i] for i in indices] if dim.labels and indices and keep_labels else None
    labels = labels if labels and len(set(labels)) == len(labels) else None
    dims = [d.sized(len(indices), labels) if d.name == name else d for d in x.dims]
    return Value(dims, x.dtype, lambda place: x.get({**place, name: indices[place[name]]}))


def shifted(x, name, offset, mode):
    """What lies at index + offset; `mode` is a number, edge or wrap."""
    size = x.dim(name).size

    def at(place):
        i = place[name] + offset
        if mode == "edge":
            i = min(max(i, 0), size - 1)
        elif mode == "wrap":
            i %= size
        elif not 0 <= i < size:
            return mode
        return x.get({**place, name: i})
    return Value(x.dims, x.dtype, at)


def padded(x, name, before, after):
    size = x.dim(name).size
    dims = [d.sized(size + before + after) if d.name == name and (before or after) else d for d in x.dims]

    def at(place):
        i = place[name] - before
        return x.get({**place, name: i}) if 0 <= i < size else 0
    return Value(dims, x.dtype, at)


def reduce(function, dtype, x, names):
    """`function` of the list of elements, row-major in x's order."""
    gone = [dim for dim in x.dims if dim.name in names]
    rest = [dim for dim in x.dims if dim.name not in names]
    return Value(rest, dtype, lambda place: function([x.get({**place, **inner}) for inner in places(gone)]))


def take(x, name, i):
    size = x.dim(name).size
    rest = [dim for dim in x.dims if dim.name != name]

    def at(place):
        index = int(i.get(place))
        index += size if index < 0 else 0
        return x.get({**place, name: index}) if 0 <= index < size else 0
    return Value(merge(rest, i.dims), x.dtype, at)


def concat(values, name):
    sizes = [value.dim(name).size for value in values]
    labels = [value.dim(name).labels for value in values]
    joined = sum(map(list, labels), []) if all(labels) else None
    joined = joined if joined and len(set(joined)) == len(joined) else None
    bare = [[dim.sized(0) if dim.name == name else dim for dim in value.dims] for value in values]
    dims = [dim.sized(sum(sizes), joined) if dim.name == name else dim for dim in merge(*bare)]

    def at(place):
        i, which = place[name], 0
        while i >= sizes[which]:
            i, which = i - sizes[which], which + 1
        return values[which].get({**place, name: i})
    return Value(dims, values[0].dtype, at)


def stack(values, new):
    dims = merge([new.sized(len(values), new.labels)], *(value.dims for value in values))
    return Value(dims, values[0].dtype, lambda place: values[place[new.name]].get(place))


def broadcast(x, dims):
    return Value(merge(x.dims, dims), x.dtype, x.get)


def reorder(x, names):
    return Value([x.dim(name) for name in names], x.dtype, x.get)


def rename(x, old, new):
    back = {new: old}
    dims = [Dim(new, d.kind, d.size, d.labels) if d.name == old else d for d in x.dims]
    return Value(dims, x.dtype, lambda place: x.get({back.get(name, name): i for name, i in place.items()}))


def positions(x, name):
    return Value([x.dim(name)], np.int32, lambda place: place[name])
