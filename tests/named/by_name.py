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
        return self.elements[frozenset([(dim.name, place[dim.name]) for dim in self.dims])]

    def array(self):
        elements = [self.get(place) for place in places(self.dims)]
        return np.array(elements, self.dtype).reshape([dim.size for dim in self.dims])

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


def neighbour(i, size, mode):
    """The index that stands for i under a mode of rule 10.1; None: there is none."""
    if mode == "edge":
        return min(max(i, 0), size - 1)
    if mode == "wrap":
        return i % size
    if mode == "symmetric":
        i %= 2 * size
        return i if i < size else 2 * size - 1 - i
    if mode == "reflect":
        i %= 2 * size - 2 if size > 1 else 1
        return i if i < size else 2 * size - 2 - i
    return i if 0 <= i < size else None


def shifted(x, name, offset, mode):
    """What lies at index + offset; `mode` is a number or a word of rule 10.1."""
    size = x.dim(name).size

    def at(place):
        i = neighbour(place[name] + offset, size, mode)
        return mode if i is None else x.get({**place, name: i})
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


def float_sum(elements):
    """Rule 11.4 for up to 1,024 elements: 16 lanes, each in order, joined in pairs; what is absent is left out."""
    lanes = [None] * 16
    for i, element in enumerate(elements):
        lane = lanes[i % 16]
        lanes[i % 16] = element if lane is None else np.float32(lane + element)
    for apart in (8, 4, 2, 1):
        for i in range(apart):
            if lanes[i + apart] is not None:
                lanes[i] = np.float32(lanes[i] + lanes[i + apart])
    return np.float32(0) if lanes[0] is None else lanes[0]


def correlate(x, weights, name, mode, turned=False):
    """Rule 10.3 along one dimension, of integers: with neighbours that a mode gives, or "valid"."""
    size, dim, count = x.dim(name).size, x.dim(name), len(weights)
    centre = count // 2
    weights = weights[::-1] if turned else weights
    dims = x.dims if mode != "valid" else [dim.sized(max(size - count + 1, 0)) if d is dim else d for d in x.dims]

    def at(place):
        total = 0
        for j, weight in enumerate(weights):
            i = place[name] + j if mode == "valid" else neighbour(place[name] + j - centre, size, mode)
            total += weight * int(mode if i is None else x.get({**place, name: i}))
        return np.int64(total).astype(x.dtype)
    return Value(dims, x.dtype, at)


def gather(x, name, i):
    """x along one dimension at positions that share no dimension with x: i's dimensions first; outside is 0."""
    rest, size = [dim for dim in x.dims if dim.name != name], x.dim(name).size

    def at(place):
        index = int(i.get(place))
        index += size if index < 0 else 0
        return x.get({**place, name: index}) if 0 <= index < size else 0
    return Value([*i.dims, *rest], x.dtype, at)


def counted(x, name, i):
    """x, to which 1 was added at each position along a dimension; those outside are dropped."""
    size = x.dim(name).size
    hits = [0] * size
    for place in places(i.dims):
        index = int(i.get(place))
        index += size if index < 0 else 0
        if 0 <= index < size:
            hits[index] += 1
    return Value(x.dims, x.dtype, lambda place: np.int64(int(x.get(place)) + hits[place[name]]).astype(x.dtype))


def sampled(x, name, at):
    """Rule 12.4 along one dimension of float32, at coordinates that share no dimension with x, under edge."""
    rest, size = [dim for dim in x.dims if dim.name != name], x.dim(name).size

    def value(place):
        p = at.get(place)
        low = np.floor(p)
        t = np.float32(p - low)
        a, b = (x.get({**place, name: min(max(int(low) + k, 0), size - 1)}) for k in (0, 1))
        return a if t == 0 else np.float32(a + np.float32(t * np.float32(b - a)))
    return Value([*at.dims, *rest], x.dtype, value)


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
