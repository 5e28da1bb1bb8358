"""Reductions of weft.dask: each chunk is reduced, and what comes of it is joined, as a tree."""
import functools
import math as numbers

import numpy

import dask.array
from weft._dask_tasks import (exact_total, finish_position, finish_sum, join_positions, join_sums, position_part,
                              sum_part)
from weft._dask_values import Value, filled, lazy, one_chunk, ones, plain_text
from weft._types import Type

REDUCTIONS = frozenset("sum mean prod min max any all count_nonzero argmin argmax var std norm mean_square rms "
                       "logsumexp".split())
TREE = 4  # parts that one task joins, along each dimension


class Reductions:
    """Methods of the engine."""

    def reduction(self, function, x, arguments, kind):
        default = [d for d in range(x.array.ndim) if not x.type.dims or x.type.dims[d].kind != "b"]
        axes = sorted(self.axes(arguments.get("axes"), x, default))
        keep = "keepdims" in arguments and plain_text(arguments["keepdims"]) in ("true", "True")
        ddof = self.whole_number(arguments["ddof"]) if "ddof" in arguments else 0
        x = Value(lazy(x.array), x.plain().type)
        volume = numbers.prod(x.array.shape[axis] for axis in axes)
        if volume == 0 or all(x.array.numblocks[axis] == 1 for axis in axes):
            extra = f", ddof={ddof}" if ddof else ""
            got = self.each(f"{function}(x, axes={axes}, keepdims=true{extra})", one_chunk(x, axes), ones(axes))
        else:
            got = getattr(self, "reduce_" + function)(x, axes, kind.dtype, volume, ddof)
        return Value(got.array if keep else got.array.squeeze(axis=tuple(axes)), kind)

    def apart(self, function, x, axes):
        """Chunks are reduced each for itself, and then their results, in any order."""
        x = self.each(f"{function}(x, axes={axes}, keepdims=true)", x, ones(axes)).plain()
        then = {"count_nonzero": "sum"}.get(function, function)
        while any(x.array.numblocks[axis] > 1 for axis in axes):
            grouped = x.array.rechunk({axis: TREE for axis in axes}, method="tasks")
            x = self.each(f"{then}(x, axes={axes}, keepdims=true)", Value(grouped, x.type), ones(axes)).plain()
        return x

    def reduce_min(self, x, axes, dtype, volume, ddof):
        return self.apart("min", filled(x, axes), axes)

    def reduce_max(self, x, axes, dtype, volume, ddof):
        return self.apart("max", filled(x, axes), axes)

    def reduce_any(self, x, axes, dtype, volume, ddof):
        return self.apart("any", x, axes)

    def reduce_all(self, x, axes, dtype, volume, ddof):
        return self.apart("all", x, axes)

    def reduce_count_nonzero(self, x, axes, dtype, volume, ddof):
        return self.apart("count_nonzero", x, axes)

    def reduce_argmin(self, x, axes, dtype, volume, ddof):
        return self.positions("min", filled(x, axes), axes)

    def reduce_argmax(self, x, axes, dtype, volume, ddof):
        return self.positions("max", filled(x, axes), axes)

    def positions(self, extreme, x, axes):
        if x.type.dtype == "bool":
            x = self.each("uint8(x)", x)
        block = functools.partial(position_part, extreme, self.rules, tuple(axes), x.array.shape)
        return Value(tree(x.array, axes, block, functools.partial(join_positions, extreme), finish_position,
                          numpy.dtype(numpy.int64)), Type("int64", None, None, None))

    def reduce_sum(self, x, axes, dtype, volume, ddof, function="sum"):
        total = self.total(x, axes, function)
        return total if total.type.dtype == dtype else self.each(f"{dtype}(x)", total)

    def reduce_prod(self, x, axes, dtype, volume, ddof):
        return self.reduce_sum(x, axes, dtype, volume, ddof, "prod")

    def total(self, x, axes, function="sum"):
        """The sum or product, in the type in which it is computed."""
        if x.type.numpy().kind in "biu":
            return self.apart(function, x, axes)
        if x.type.dtype in ("float16", "bfloat16"):
            x = self.each("float32(x)", x)
        if self.math == "fast":
            return self.apart(function, x, axes)
        first = next((axis for axis in axes if x.array.shape[axis] > 1), axes[0])
        array = x.array
        if any(array.numblocks[axis] > 1 for axis in axes if axis != first):
            limit = max(numbers.prod(max(chunks) for chunks in array.chunks) * array.dtype.itemsize, 1)
            array = array.rechunk({axis: "auto" if axis == first else -1 for axis in axes}, block_size_limit=limit)
        block = functools.partial(sum_part, function, tuple(axes), first, array.shape)
        return Value(tree(array, axes, block, functools.partial(join_sums, function),
                          functools.partial(finish_sum, function), array.dtype), x.plain().type)

    def reduce_mean(self, x, axes, dtype, volume, ddof):
        return self.each(f"{dtype}(x / {volume})", self.numerator(x, axes))

    def numerator(self, x, axes):
        """What a mean divides: of integers the exact sum as a float64."""
        of = x.type.numpy()
        if of.kind not in "biu":
            return self.total(x, axes)
        if of.itemsize < 8:
            return self.each("float64(x)", self.apart("sum", x, axes))
        high = self.apart("sum", self.each(f"x >> {x.type.dtype}(32)", x), axes)
        low = self.apart("sum", self.each(f"x & {x.type.dtype}(4294967295)", x), axes)
        exact = dask.array.map_blocks(exact_total, high.array, low.array, dtype=numpy.float64,
                                      meta=numpy.empty((0,) * high.array.ndim))
        return Value(exact, Type("float64", None, None, None))

    def reduce_var(self, x, axes, dtype, volume, ddof, text="{}"):
        of = x.type.numpy()
        wide = "float64" if dtype == "float64" or of.kind in "iu" and of.itemsize >= 4 else "float32"
        mean = self.each(f"{wide}(x / {volume})", self.numerator(x, axes))
        away = self.beside(f"{wide}(x) - m", x, mean)
        total = self.total(self.each("x * x", away), axes)
        count = volume - ddof
        return self.each(f"{dtype}(" + text.format(f"x / {count}" if count > 0 else "x * nan") + ")", total)

    def reduce_std(self, x, axes, dtype, volume, ddof):
        return self.reduce_var(x, axes, dtype, volume, ddof, "sqrt({})")

    def beside(self, text, x, m):
        """x with a value m of its rank that broadcasts."""
        return self.elementwise(text, {"x": x, "m": m.plain()})

    def squares(self, x, axes, dtype):
        real = "float64" if dtype == "float64" else "float32"
        return self.total(self.each(f"v = {real}(x); v * v", x), axes)

    def reduce_norm(self, x, axes, dtype, volume, ddof):
        return self.each(f"{dtype}(sqrt(x))", self.squares(x, axes, dtype))

    def reduce_mean_square(self, x, axes, dtype, volume, ddof):
        return self.each(f"{dtype}(x / {volume})", self.squares(x, axes, dtype))

    def reduce_rms(self, x, axes, dtype, volume, ddof):
        return self.each(f"{dtype}(sqrt(x / {volume}))", self.squares(x, axes, dtype))

    def reduce_logsumexp(self, x, axes, dtype, volume, ddof):
        real = "float64" if dtype == "float64" else "float32"
        v = self.each(f"{real}(x)", x)
        greatest = self.apart("max", filled(v, axes), axes)
        total = self.total(self.beside("exp(x - where(isinf(m), 0, m))", v, greatest), axes)
        return self.each(f"{dtype}(log(x) + where(isinf(m), 0, m))", total, m=greatest)

    def call_softmax(self, values, arguments, kind):
        x = values["x"]
        default = [d for d, dim in enumerate(x.type.dims) if dim.kind == "c"] if x.type.dims else [x.array.ndim - 1]
        axes = self.axes(arguments.get("axis"), x, default)
        names = None if not x.type.dims else x.type.names()
        x = Value(lazy(x.array), x.plain().type)
        if all(x.array.numblocks[axis] == 1 for axis in axes):
            got = self.each(f"softmax(x, axis={axes[0]})", x)
        else:
            real = "float64" if kind.dtype == "float64" else "float32"
            v = self.each(f"{real}(x)", x)
            e = self.beside("exp(x - m)", v, self.apart("max", filled(v, axes), axes))
            got = self.beside(f"{kind.dtype}(x / m)", e, self.total(e, axes))
        if names:
            got = Value(got.array.transpose([names.index(name) for name in kind.names()]), kind)
        return got.with_type(kind)

    def call_vecdot(self, values, arguments, kind):
        x, y = values["x"], values["y"]
        wide = "float32" if kind.dtype in ("float16", "bfloat16") else kind.dtype
        both = [f"wrap({name}, {wide})" if value.type and value.type.numpy().kind in "iu" and kind.numpy().kind in "iu"
                else f"{wide}({name})" for name, value in (("x", x), ("y", y))]
        product = self.elementwise(" * ".join(both), {"x": x, "y": y})
        names = product.type.names()
        default = [d for d, name in enumerate(names) if name not in kind.names()] if names and kind.dims is not None \
            else [d for d, dim in enumerate(product.type.dims) if dim.kind == "c"] if names \
            else [product.array.ndim - 1]
        axes = default if names else self.axes(arguments.get("axis"), product, default)
        plain = Value(lazy(product.array), product.plain().type)
        if all(plain.array.numblocks[axis] == 1 for axis in axes):
            got = self.each(f"sum(x, axes={axes}, keepdims=true)", plain, ones(axes))
        else:
            got = self.total(plain, axes)
        if got.type.dtype != kind.dtype:
            got = self.each(f"{kind.dtype}(x)", got)
        return Value(got.array.squeeze(axis=tuple(axes)), kind)


def tree(array, axes, make, join, last, dtype):
    """Parts of chunks, which are joined in their order until there is one, of which `last` makes the result. A part
    is a Python object in an array of one element."""
    nothing = numpy.empty((0,) * array.ndim, object)
    parts = array.map_blocks(make, dtype=object, meta=nothing, chunks=[(1,) * count for count in array.numblocks])
    while any(parts.numblocks[axis] > 1 for axis in axes):
        parts = parts.rechunk({axis: TREE for axis in axes}, method="tasks")
        parts = parts.map_blocks(join, dtype=object, meta=nothing, chunks=[(1,) * count for count in parts.numblocks])
    chunks = [(1,) if d in axes else chunks for d, chunks in enumerate(array.chunks)]
    return parts.map_blocks(last, dtype=dtype, meta=numpy.empty((0,) * array.ndim, dtype), chunks=chunks)
