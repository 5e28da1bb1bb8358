"""Weft on dask's arrays: `weft.dask.evaluate` makes a lazy array, each block of which Weft computes from the operands'
blocks.

>>> import dask.array, weft.dask
>>> x = dask.array.arange(6, chunks=2)
>>> y = weft.dask.evaluate("x * 2 + k", x=x, k=0.5)
>>> y.chunks, y.compute()
(((2, 2, 2),), array([ 0.5,  2.5,  4.5,  6.5,  8.5, 10.5], dtype=float32))
"""
import functools
import os
import re
import sys

import numpy

from weft._errors import Error, Status
from weft._program import compile
from weft._weft import Context
from weft._weft import evaluate as compute

try:
    import dask
    import dask.array
except ImportError as error:
    raise ImportError("weft.dask works on arrays of dask, which is not installed: pip install 'dask[array]'") from error

__all__ = ["evaluate"]

# What computes an element from the elements at the same place alone, as the stage "ast" names it.
ELEMENTWISE = frozenset("""
    where or and not eq ne lt le gt ge bitor bitxor bitand shl shr add sub mul div floordiv mod plus neg bitnot pow
    min max clamp abs sign square truncdiv fmod fpow atan2 hypot copysign fma lerp fabs floor ceil round trunc sqrt
    rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    deg2rad rad2deg erf erfc nextafter isnan isinf isfinite signbit cast wrap literal input binding""".split())
NODE = re.compile(r" +(?:\(depth \d+\) )?(\w+).*? \d+:\d+(?:-[\d:]+)? +(.*)")
contexts = {}


def evaluate(text, inputs=None, /, *, math="strict", rules=None, **named):
    """A dask array that computes an expression of the Weft language, blockwise and when it is asked for.

    text: the expression, with one result. inputs, named: the values of its names, else the caller's: arrays of dask,
    which broadcast and whose chunks are made to agree as dask does it; arrays of NumPy; numbers, which are literals.
    math: as for weft.evaluate. Each block is computed on one thread, since dask has threads of its own.

    A program that reads other elements than those at the place of the result (selections, neighbours, reductions,
    positions, array literals) needs its operands in one chunk each, as x.rechunk(-1) makes them.

    >>> import dask.array, weft.dask
    >>> x = dask.array.ones((4, 6), chunks=(2, 3))
    >>> float(weft.dask.evaluate("x / sum(x, axes=0)", x=x.rechunk(-1)).compute()[0, 0])
    0.25
    >>> weft.dask.evaluate("x / sum(x, axes=0)")
    Traceback (most recent call last):
    weft.Error: 'sum(x, axes=0)' reads elements of several chunks; ...

    Raises weft.Error for what is wrong with the text or the operands' types and shapes.
    """
    program = compile(text, math=math, rules=rules)
    values = gather(program, inputs, named, sys._getframe(1))
    if len(program.results) != 1:
        refuse(f"the program has the results {', '.join(program.results)}; weft.dask computes one: give each its text")
    arrays = {name: as_dask(name, value) for name, value in values.items()}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    numbers = {name: value for name, value in values.items() if name not in arrays}
    block = functools.partial(compute_block, text, math, rules, tuple(arrays), numbers)
    if not arrays:
        refuse("none of the inputs is an array; weft.evaluate computes this program")
    across = reads_across(program)
    if across is None:
        return blockwise(program, block, arrays, numbers)
    if any(count != 1 for array in arrays.values() for count in array.numblocks):
        refuse(f"{across!r} reads elements of several chunks; rechunk the arrays to one chunk each, x.rechunk(-1), or "
               "compute that part with dask's own functions", Status.UNSUPPORTED)
    return whole(program, block, arrays, numbers)


def refuse(message, status=Status.INVALID_ARGUMENT):
    raise Error(message, "", status, message)


def gather(program, inputs, named, frame):
    """The values of the program's inputs: given ones, else the caller's."""
    given = {**(inputs or {}), **named}
    for name in given:
        if name not in program.inputs:
            refuse(f"there is no input {name!r}")
    values = {}
    for name in program.inputs:
        for scope in (given, frame.f_locals, frame.f_globals):
            if name in scope:
                values[name] = scope[name]
                break
        else:
            refuse(f"input {name!r} is not given")
    return values


def as_dask(name, value):
    """None for a number."""
    if isinstance(value, dask.array.Array):
        return value
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return dask.array.from_array(numpy.asarray(value), chunks=-1)
    if isinstance(value, (bool, int, float)):
        return None
    refuse(f"input {name!r} is of type {type(value).__name__}; it has to be an array of dask or NumPy, or a number")


def reads_across(program):
    """The text of what in the program reads elements at other places than the result's; None: nothing does."""
    for line in program.source("ast").splitlines():
        node = NODE.match(line)
        if node and node[1] not in ELEMENTWISE or not node and line.startswith(" "):
            return node[2] if node else line.strip()
    return None


def infer(program, arrays, numbers, shapes):
    """The result's dtype, and the text of its extents."""
    types = {name: f"{array.dtype.name}[{', '.join(map(str, shapes(array)))}]" for name, array in arrays.items()}
    name, _, extents = next(iter(program.infer(**types, **numbers).values())).partition("[")
    if name == "bfloat16":
        import ml_dtypes
        return numpy.dtype(ml_dtypes.bfloat16), extents
    return numpy.dtype(name), extents


def blockwise(program, block, arrays, numbers):
    dtype, _ = infer(program, arrays, numbers, lambda array: ["?"] * array.ndim)
    rank = max(array.ndim for array in arrays.values())
    pairs = [part for array in arrays.values() for part in (array, tuple(range(array.ndim))[::-1])]
    return dask.array.blockwise(block, tuple(range(rank))[::-1], *pairs, dtype=dtype,
                                meta=numpy.empty((0,) * rank, dtype), name=token(block, arrays))


def whole(program, block, arrays, numbers):
    for name, array in arrays.items():
        if any(extent != extent for extent in array.shape):
            refuse(f"the shape of input {name!r} is not known; call its compute_chunk_sizes() before")
    dtype, extents = infer(program, arrays, numbers, lambda array: array.shape)
    shape = tuple(int(extent) for extent in extents.rstrip("]").split(",") if extent.strip())
    name = token(block, arrays)
    value = dask.delayed(block, pure=True)(*arrays.values(), dask_key_name=name + "-block")
    return dask.array.from_delayed(value, shape, dtype, name=name)


def token(block, arrays):
    return "weft-" + dask.base.tokenize(block.func.__name__, *block.args, *[array.name for array in arrays.values()])


def compute_block(text, math, rules, names, numbers, *blocks):
    """What a task does; it is looked up by its name where another process runs the task."""
    return compute(text, {**dict(zip(names, blocks)), **numbers}, math=math, rules=rules, context=context())


def context():
    """One thread for each task, in each process."""
    process = os.getpid()
    if process not in contexts:
        contexts[process] = Context(threads=1)
    return contexts[process]
