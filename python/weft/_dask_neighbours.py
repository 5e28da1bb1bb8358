"""Neighbours of weft.dask: elements at the edges are added to the outermost chunks, and then chunks overlap."""
import functools

import numpy

import dask.array
from weft._dask_values import (Region, Value, as_slice, fewer, flat, is_lazy, is_list, is_string, lazy, refuse,
                                source_positions)
from weft._text import Group, Name


class Neighbours:
    """Methods of the engine."""

    def modes(self, arguments, x, count):
        """A word or NumPy's scalar for each axis."""
        mode = arguments.get("mode")
        if mode is None:
            return [x.type.numpy().type(0)] * count
        if is_list(mode):
            return [self.mode(each, x) for each in mode[0].parts]
        return [self.mode(mode, x)] * count

    def mode(self, expression, x):
        if is_string(expression[0]):
            return expression[0][1:-1]
        return self.constant(expression, x.type.dtype + "({})")[()]

    def around(self, array, axis, before, after, mode):
        """Elements before and after along an axis, or fewer if negative, of the whole array; those at the edges join
        the chunks there."""
        extent = array.shape[axis]
        front = range(-before, min(0, extent + after))
        back = range(max(extent, -before), extent + after)
        core = array[(slice(None),) * axis + (slice(max(0, -before), max(0, min(extent, extent + after))),)]
        parts = [self.outside(array, axis, front, mode), core, self.outside(array, axis, back, mode)]
        parts = [part for part in parts if part.shape[axis]] or [core]
        if len(parts) == 1:
            return parts[0]
        chunks = list(core.chunks[axis])
        chunks[0] += len(front)
        chunks[-1] += len(back)
        return dask.array.concatenate(parts, axis=axis).rechunk({axis: tuple(chunks)}, method="tasks")

    def outside(self, array, axis, positions, mode):
        if not isinstance(mode, str):
            shape = array.shape[:axis] + (len(positions),) + array.shape[axis + 1:]
            chunks = array.chunks[:axis] + ((len(positions),),) + array.chunks[axis + 1:]
            return dask.array.full(shape, mode, dtype=array.dtype, chunks=chunks)
        at = source_positions(numpy.arange(positions.start, positions.stop), array.shape[axis], mode)
        return array[(slice(None),) * axis + (as_slice(at),)]

    def call_offset(self, values, arguments, kind):
        x = values["x"]
        offsets = flat(self.listed(arguments["offsets"]))
        axes = self.axes(arguments.get("axes"), x,
                         self.spatial(x) if x.type.dims else range(x.array.ndim - len(offsets), x.array.ndim))
        if len(offsets) == 1:
            offsets *= len(axes)
        array = lazy(x.array)
        for axis, offset, mode in zip(axes, offsets, self.modes(arguments, x, len(axes))):
            array = self.around(array, axis, -offset, offset, mode)
        return Value(array, kind)

    def call_pad(self, values, arguments, kind):
        x = values["x"]
        default = self.spatial(x) if x.type.dims else range(x.array.ndim)
        axes = self.axes(arguments.get("axes"), x, default)
        widths = self.listed(arguments["widths"])
        if not isinstance(widths, list):
            widths = [[widths, widths]] * len(axes)
        elif not isinstance(widths[0], list):
            widths = [widths]
        array = lazy(x.array)
        for axis, (before, after), mode in zip(axes, widths, self.modes(arguments, x, len(axes))):
            array = self.around(array, axis, before, after, mode)
        return Value(array, kind)

    def call_correlate(self, values, arguments, kind, function="correlate"):
        x, (k, text) = values["x"], self.kernel(arguments["k"])
        default = [x.type.names().index(name) for name in k.type.names()] if k.type.dims else \
            self.spatial(x) if x.type.dims else range(x.array.ndim - k.array.ndim, x.array.ndim)
        axes = self.axes(arguments.get("axes"), x, default)
        sizes = dict(zip(axes, k.array.shape))
        mode, array = self.modes(arguments, x, len(axes)), lazy(x.array)
        if mode[0] != "valid":
            for axis, each in zip(axes, mode):
                before = sizes[axis] // 2
                array = self.around(array, axis, before, sizes[axis] - 1 - before, each)
        short = [axis for axis in axes if array.shape[axis] < 2 * sizes[axis]]
        array = array.rechunk({axis: -1 for axis in short}) if short else array
        depth = {axis: (sizes[axis] // 2, sizes[axis] - 1 - sizes[axis] // 2)
                 for axis in axes if array.numblocks[axis] > 1}
        if depth:
            array = dask.array.overlap.overlap(array, depth={d: depth.get(d, 0) for d in range(array.ndim)},
                                               boundary="none")
        given = {} if text else {"k": k.plain()}
        shrink = {axis: functools.partial(fewer, sizes[axis] - 1) for axis in axes}
        called = f'{function}(x, {text or "k"}, "valid", axes={axes})'
        index = {"x": tuple(range(array.ndim)), "k": tuple(range(array.ndim, array.ndim + k.array.ndim))}
        return self.blocks(called, {"x": Value(array, x.plain().type), **given}, index, index["x"], None,
                           shrink).with_type(kind)

    def call_convolve(self, values, arguments, kind):
        return self.call_correlate(values, arguments, kind, "convolve")

    def kernel(self, expression):
        """An array in memory; of a literal its text, too, since it keeps full values."""
        value = self.value(expression)
        if is_lazy(value.array):
            refuse("the kernel of correlate and convolve is an array in memory, and no array of dask; compute() it "
                   "first")
        only = expression[0]
        while isinstance(only, Name) and only.name in self.text.bindings and len(self.text.bindings[only.name]) == 1:
            only = self.text.bindings[only.name][0]
        return value, self.write([only], Region()) if isinstance(only, Group) else None
