"""What tasks of weft.dask do. They are looked up by their names where another process runs them."""
import functools
import math as numbers
import os

import numpy

from weft import _dask_sums as sums
from weft._errors import losses_are
from weft._types import type_of_text
from weft._weft import Context
from weft._weft import evaluate

contexts = {}


def compute(*arguments, **options):
    """weft.evaluate, where remarks on the text were told as the graph was made."""
    with losses_are("quiet"):
        return evaluate(*arguments, **options)


def compute_block(text, math, rules, types, names, numbers, *blocks):
    values = {name: block for name, block in zip(names, blocks) if name[0] != "["}  # those stand for literals
    return compute(text, {**values, **numbers}, math=math, rules=rules, types=types or None, context=context())


def convert_block(dtype, math, rules, block):
    none = numpy.empty((0,) + block.shape[1:], type_of_text(dtype).numpy())
    return compute("concat(x, none, axis=0)", x=block, none=none, math=math, rules=rules, context=context())


def window_block(text, math, rules, types, constants, block_info=None):
    values = {name: numpy.broadcast_to(numpy.zeros((), value[1]), value[0]) if isinstance(value, tuple) else value
              for name, value in constants.items()}
    for d, (first, last) in enumerate(block_info[None]["array-location"]):
        values[f"a{d}_"], values[f"b{d}_"] = first, last
    return compute(text, values, math=math, rules=rules, types=types or None, context=context())


def sum_part(function, axes, first, shape, block, block_info=None):
    inner = numbers.prod(shape[axis] for axis in axes if axis > first)
    start = block_info[0]["array-location"][first][0] * inner
    kept = [extent for d, extent in enumerate(block.shape) if d not in axes]
    count = numbers.prod(block.shape[axis] for axis in axes)
    rows = numpy.moveaxis(block, axes, range(len(axes))).reshape([count] + kept)
    made = numpy.empty((1,) * block.ndim, object)
    with numpy.errstate(all="ignore"):
        made[(0,) * block.ndim] = (sums.part_of(rows, start, sums.JOINS[function]),
                                   [1 if d in axes else extent for d, extent in enumerate(block.shape)])
    return made


def join_sums(function, parts):
    each = list(parts.ravel())
    made = numpy.empty((1,) * parts.ndim, object)
    with numpy.errstate(all="ignore"):
        made[(0,) * parts.ndim] = (functools.reduce(lambda a, b: sums.join_parts(a, b, sums.JOINS[function]),
                                                    [part for part, _ in each]), each[0][1])
    return made


def finish_sum(function, parts):
    part, shape = parts.item()
    with numpy.errstate(all="ignore"):
        return sums.finish(part, sums.JOINS[function]).reshape(shape)


def position_part(extreme, rules, axes, shape, block, block_info=None):
    value, at = compute(f"return v = {extreme}(x, axes={list(axes)}, keepdims=true), "
                        f"p = arg{extreme}(x, axes={list(axes)}, keepdims=true)", x=block, rules=rules,
                        context=context())
    places = numpy.unravel_index(at, [block.shape[axis] for axis in axes])
    starts = [block_info[0]["array-location"][axis][0] for axis in axes]
    whole = numpy.zeros(at.shape, numpy.int64)
    for axis, place, start in zip(axes, places, starts):
        whole = whole * shape[axis] + place + start
    made = numpy.empty((1,) * block.ndim, object)
    made[(0,) * block.ndim] = (value, whole)
    return made


def join_positions(extreme, parts):
    """NaN comes before all, of equal values the first."""
    best, at = parts.ravel()[0]
    for value, place in parts.ravel()[1:]:
        better = value < best if extreme == "min" else value > best
        nan, was = value != value, best != best
        chosen = (nan & ~was) | (better & ~was) | (((value == best) | (nan & was)) & (place < at))
        best, at = numpy.where(chosen, value, best), numpy.where(chosen, place, at)
    made = numpy.empty((1,) * parts.ndim, object)
    made[(0,) * parts.ndim] = (best, at)
    return made


def finish_position(parts):
    return parts.item()[1]


def exact_total(high, low):
    """float64 of high * 2^32 + low, rounded once."""
    exact = high.astype(object) * 2 ** 32 + low.astype(object)
    return numpy.array([float(each) for each in exact.ravel()]).reshape(high.shape)


def context():
    """One thread for each task, in each process."""
    process = os.getpid()
    if process not in contexts:
        contexts[process] = Context(threads=1)
    return contexts[process]
