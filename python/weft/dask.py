"""Weft on dask's arrays: `weft.dask.evaluate` makes lazy arrays, which tasks compute from the operands' blocks.

>>> import dask.array, weft.dask
>>> x = dask.array.arange(6, chunks=2)
>>> y = weft.dask.evaluate("x * 2 + k", x=x, k=0.5)
>>> y.chunks, y.compute()
(((2, 2, 2),), array([ 0.5,  2.5,  4.5,  6.5,  8.5, 10.5], dtype=float32))
>>> float(weft.dask.evaluate("sum(x[1:] - x[:-1])", x=x).compute())
5.0
"""
import sys

from weft import _arrays
from weft._program import compile
from weft._results import make

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError("weft.dask works on arrays of dask, which is not installed: pip install 'dask[array]'") from error

from weft._dask_engine import Engine
from weft._dask_values import refuse
from weft._errors import losses_are

__all__ = ["evaluate"]


def evaluate(text, inputs=None, /, *, math="strict", rules=None, types=None, **named):
    """Dask arrays that compute the results of a program of the Weft language when they are asked for: one, or for
    several results a weft.Results of them, as weft.evaluate gives.

    text: the program. inputs, named: the values of its names, else the caller's: arrays of dask, which broadcast and
    whose chunks are made to agree as dask does it; arrays of NumPy; numbers, which are literals. With DataArrays of
    xarray over dask results are DataArrays, with tensors of weft.math over dask they are tensors. math, rules, types:
    as for weft.evaluate. Each block is computed on one thread, since dask has threads of its own.

    Values are those of weft.evaluate on the whole arrays. Sums and products of floats, and what is made of them, have
    its bits too (rule 11.4): where chunks divide more of the reduced dimensions than the first, they are rechunked for
    that; math="fast" joins chunks as they are.

    >>> import dask.array, weft.dask
    >>> x = dask.array.ones((4, 6), chunks=(2, 3))
    >>> weft.dask.evaluate("x / sum(x, axes=0)").compute()[0, 0].item()
    0.25
    >>> weft.dask.evaluate('correlate(x, [[1, 1, 1]] , "edge")').chunks
    ((2, 2), (3, 3))

    Raises weft.Error for what is wrong with the text or the operands' types and shapes, where chunks are of unknown
    sizes and the program is not elementwise, and for what needs an operand in one chunk, as gather.
    """
    frame = sys._getframe(1)
    with losses_are("quiet"):  # the types of the values say more
        program = compile(text, math=math, rules=rules, types=types)
    values = gather(program, inputs, named, frame)
    options = {"math": math, "rules": rules, "types": types}
    if any(_arrays.is_of(value, "weft.math", "Tensor") for value in values.values()):
        return on_tensors(text, values, options)
    if any(_arrays.is_of(value, "xarray", "DataArray") for value in values.values()):
        from weft import xarray
        return xarray.on_dask(text, values, options)
    return run(program, values)


def run(program, values):
    """The results of a weft.Program on values by name."""
    engine = Engine(program, values)
    engine.tell(program)
    with losses_are("quiet"):
        results = engine.results()
    return results[0] if len(results) == 1 else make(program.results, results)


def gather(program, inputs, named, frame):
    """The values of the program's inputs: given ones, else the caller's."""
    given = {**({} if inputs is None else inputs), **named}
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


def on_tensors(text, values, options):
    """A program of tensors of weft.math, which is computed on dask if one of them is there."""
    from weft.math import _evaluate, backend
    if not any(_arrays.is_of(value, "weft.math", "Tensor") and value.default_backend is backend.DASK
               for value in values.values()):
        refuse("no tensor is one of dask's arrays; weft.evaluate computes this program, or math.wrap(array, ..) makes "
               "tensors of arrays of dask")
    return _evaluate.evaluate(text, values, {}, options)
