"""numexpr's functions, computed by Weft: `import weft.numexpr as ne` in place of `import numexpr as ne`.

>>> import numpy, weft.numexpr
>>> a, b = numpy.arange(3, dtype=numpy.int8), numpy.float32([0.5, 1.5, 2.5])
>>> weft.numexpr.evaluate("2*a + 3*b")
array([ 1.5,  6.5, 11.5], dtype=float32)

Types and values follow numexpr's rules, which differ from those of weft.evaluate: int8 and its like become int32 before
they are used, integers divide to float64, and 0.1 is a double that makes float32 float64. A text is translated to one
of Weft's and never evaluated as Python. Strings and complex numbers are not there.
"""
import atexit
import os
import sys
import threading
import weakref

import numpy

from weft import _translate, _use
from weft._errors import Error, Status
from weft._program import Program
from weft._weft import Context

__all__ = ["MAX_THREADS", "NumExpr", "detect_number_of_cores", "disassemble", "evaluate", "get_num_threads",
           "get_vml_version", "ncores", "re_evaluate", "set_num_threads", "use_vml", "validate"]

MAX_THREADS = 64
MOST_KEPT = 1024
CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe")
ORDERS = ("K", "C", "F", "A")
TYPES = {bool: "bool", numpy.bool_: "bool", numpy.int32: "int", numpy.int64: "long", float: "float",
         numpy.float32: "float", numpy.double: "double"}
CODES = {"bool": "b", "int": "i", "long": "l", "float": "f", "double": "d"}

use_vml = False
texts, programs, last = {}, {}, threading.local()
threaded, threads = None, 0  # the context of set_num_threads, and how many it has


class Compiled:
    """A text for arrays of certain dtypes: Weft's program, and the order of the arrays for it."""

    def __init__(self, ex, names, tree, dtypes, optimization, casting, wanted):
        self.translation = _translate.Translation(ex, tree, dict(zip(names, dtypes)), optimization, wanted)
        self.kind = self.translation.kind
        for name, dtype in zip(names, dtypes):
            check_casting(name, dtype, _translate.kind_of_dtype(dtype, name), casting)
        if wanted is not None and not numpy.can_cast(_translate.DTYPES[self.kind], wanted, casting):
            refuse(f"the result is {_translate.DTYPES[self.kind]} and out is {wanted}: casting={casting!r} does not "
                   "allow that conversion")
        self.program = Program(self.translation.text, context=context())
        own = self.translation.names
        self.positions = [names.index(own[each]) for each in self.program.inputs]

    def run(self, arrays, out, order):
        arrays = [arrays[i] for i in self.positions]
        if out is None and order != "C" and not self.translation.reduces:
            out = laid_out(arrays, _translate.DTYPES[self.kind], order)
        if out is None or (out.flags.aligned and out.dtype.isnative) or not out.flags.writeable:
            return self.program(*arrays, out=out)
        out[...] = self.program(*arrays, out=numpy.empty(out.shape, out.dtype.newbyteorder("=")))
        return out


def refuse(message, status=Status.INVALID_ARGUMENT):
    raise Error(message, "", status, message)


def check_casting(name, dtype, kind, casting):
    if not numpy.can_cast(dtype, _translate.DTYPES[kind], casting):
        refuse(f"input {name!r} is {dtype} and is computed in {_translate.DTYPES[kind]}: casting={casting!r} does not "
               "allow that conversion")


def laid_out(arrays, dtype, order):
    """An array for the result in NumPy's order for these operands, or None, where that is the usual one."""
    if order != "F" and all(array.flags.c_contiguous for array in arrays):
        return None
    flags = [["readonly"]] * len(arrays) + [["writeonly", "allocate"]]
    dtypes = [array.dtype for array in arrays] + [numpy.dtype(dtype)]
    try:
        return numpy.nditer([*arrays, None], ["zerosize_ok"], flags, dtypes, order).operands[-1]
    except ValueError:  # shapes that do not fit are told by the run
        return None


def context():
    return threaded if threaded is not None else _use.in_use()


def kept(table, key, make):
    found = table.get(key)
    if found is None:
        if len(table) >= MOST_KEPT:
            table.clear()
        found = table[key] = make()
    return found


def options(named):
    """numexpr's optimization; truediv has no meaning in Python 3."""
    optimization, truediv = named.pop("optimization", "aggressive"), named.pop("truediv", "auto")
    if optimization not in _translate.OPTIMIZATIONS:
        refuse(f"optimization is {optimization!r}; it has to be one of {', '.join(_translate.OPTIMIZATIONS)}")
    if truediv not in (False, True, "auto"):
        refuse(f"truediv is {truediv!r}; it has to be False, True or 'auto'")
    if named:
        refuse(f"there is no keyword argument {next(iter(named))!r}")
    return optimization


def check_choice(name, value, choices):
    if value not in choices:
        refuse(f"{name} is {value!r}; it has to be one of {', '.join(choices)}")


def read(ex):
    if not isinstance(ex, str):
        return _translate.parse(ex)
    return kept(texts, ex, lambda: _translate.parse(ex))


def gather(names, local_dict, global_dict, frame):
    """The arrays of these names. An int is int64, a float float64, as NumPy makes arrays of them."""
    local_dict = frame.f_locals if local_dict is None else local_dict
    global_dict = frame.f_globals if global_dict is None else global_dict
    arrays = []
    for name in names:
        value = local_dict[name] if name in local_dict else global_dict[name]
        array = numpy.asarray(value)
        arrays.append(array.astype(numpy.float64) if array.dtype.kind == "f" and array.dtype.itemsize > 8 else array)
    return arrays


def find(ex, names, tree, arrays, out, casting, optimization):
    dtypes = tuple([array.dtype for array in arrays])
    wanted = None
    if out is not None:
        if not isinstance(out, numpy.ndarray):
            refuse(f"out is of type {type(out).__name__}; it has to be an array of NumPy")
        _translate.kind_of_dtype(out.dtype, "out")
        wanted = out.dtype.name
    key = (ex, dtypes, wanted, casting, optimization, context())
    return kept(programs, key, lambda: Compiled(ex, names, tree, dtypes, optimization, casting, wanted))


def prepare(ex, local_dict, global_dict, out, order, casting, frame, named):
    """What a text is for these arrays, which re_evaluate computes again."""
    optimization = options(named)
    check_choice("order", order, ORDERS)
    check_choice("casting", casting, CASTINGS)
    tree, names = read(ex)
    arrays = gather(names, local_dict, global_dict, frame)
    compiled = find(ex, names, tree, arrays, out, casting, optimization)
    last.value = (ex, names, tree, tuple([array.dtype for array in arrays]), casting, optimization, order,
                  None if out is None else weakref.ref(out))
    return compiled, arrays


def validate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="safe", _frame_depth=2, sanitize=None,
             **kwargs):
    """Compiles an expression for its operands and computes nothing: None if it is right, else the exception.

    The arguments are those of evaluate. re_evaluate computes the expression then.

    >>> import weft.numexpr
    >>> x = 3
    >>> weft.numexpr.validate("x + 1") is None
    True
    >>> print(weft.numexpr.validate("x and 1").message)
    numexpr has no 'and', 'or', 'not', 'if'; write &, |, ~ with parentheses, or where(condition, a, b)
    """
    try:
        prepare(ex, local_dict, global_dict, out, order, casting, sys._getframe(_frame_depth - 1), kwargs)
    except Exception as error:
        return error
    return None


def evaluate(ex, local_dict=None, global_dict=None, out=None, order="K", casting="same_kind", sanitize=None,
             _frame_depth=3, disable_cache=False, **kwargs):
    """Computes an expression of numexpr's on arrays of NumPy.

    ex: such as "2*a + 3*b". Names take their values from the caller's locals and globals, or from local_dict and
    global_dict in place of these. out: an array for the result; it may be an operand. order: the memory order of a new
    result, K, C, F or A, as NumPy has it. casting: which conversions of operands, and to out, are allowed: no, equiv,
    safe, same_kind or unsafe. optimization: aggressive, moderate or none: whether powers by constants become products,
    and divisions by constants too. sanitize, truediv and disable_cache are accepted and have no meaning, since nothing
    is evaluated as Python and no array is kept.

    >>> import numpy, weft.numexpr
    >>> x = numpy.array([3, 4], numpy.uint8)
    >>> weft.numexpr.evaluate("x*100"), weft.numexpr.evaluate("x/2"), weft.numexpr.evaluate("sum(x)")
    (array([300, 400], dtype=int32), array([1.5, 2. ]), array(7, dtype=int32))

    Raises weft.Error for what is wrong with the text or the operands, KeyError for a name without a value.
    """
    frame = sys._getframe(_frame_depth - 2)
    compiled, arrays = prepare(ex, local_dict, global_dict, out, order, casting, frame, kwargs)
    return compiled.run(arrays, out, order)


def re_evaluate(local_dict=None, global_dict=None, _frame_depth=2):
    """Computes the last expression of this thread's evaluate or validate again, for the values that its names have now.

    Operands that would be computed in another type are converted to the first one's, where its casting allows that.

    >>> import weft.numexpr
    >>> x = 3
    >>> y = weft.numexpr.evaluate("x + 1")
    >>> x = 4
    >>> int(weft.numexpr.re_evaluate())
    5
    """
    if not hasattr(last, "value"):
        raise RuntimeError("there is no expression yet: call evaluate or validate before re_evaluate")
    ex, names, tree, dtypes, casting, optimization, order, out = last.value
    arrays = gather(names, local_dict, global_dict, sys._getframe(_frame_depth - 1))
    arrays = [as_before(name, array, dtype, casting) for name, array, dtype in zip(names, arrays, dtypes)]
    out = None if out is None else out()
    return find(ex, names, tree, arrays, out, casting, optimization).run(arrays, out, order)


def as_before(name, array, dtype, casting):
    return array if array.dtype == dtype else as_kind(name, array, _translate.kind_of_dtype(dtype, name), casting)


def as_kind(name, array, kind, casting):
    """An array that is computed in this kind."""
    if _translate.kind_of_dtype(array.dtype, name) == kind:
        return array
    check_casting(name, array.dtype, kind, casting)
    return array.astype(_translate.DTYPES[kind])


class NumExpr:
    """An expression with the types of its operands, a function of them by position.

    ex: a text. signature: pairs of a name and a type, in the order of the operands; the types are bool, numpy.int32,
    numpy.int64, float (float32, as in numexpr) and numpy.double. Without it all are double, ordered by their names.

    >>> import numpy, weft.numexpr
    >>> f = weft.numexpr.NumExpr("a*x + b", [("x", numpy.int32), ("a", float), ("b", float)])
    >>> f.input_names, f.signature
    (('x', 'a', 'b'), b'iff')
    >>> f(numpy.int32([1, 2]), numpy.float32(2), numpy.float32(1))
    array([3., 5.], dtype=float32)
    """

    def __init__(self, ex, signature=(), sanitize=True, **kwargs):
        self.optimization = options(kwargs)
        self.ex, (self.tree, names) = ex, read(ex)
        types = dict(signature)
        self.input_names = tuple(types or names)
        if set(self.input_names) != set(names):
            refuse(f"the names of the signature are {', '.join(types)}, those of the expression {', '.join(names)}")
        self.kinds = tuple([self.kind(name, types.get(name, numpy.double)) for name in self.input_names])
        self.signature = "".join(CODES[kind] for kind in self.kinds).encode()
        dtypes = {name: numpy.dtype(_translate.DTYPES[kind]) for name, kind in zip(self.input_names, self.kinds)}
        self.translation = _translate.Translation(ex, self.tree, dtypes, self.optimization)

    @staticmethod
    def kind(name, kind):
        if kind not in TYPES:
            refuse(f"the type of {name!r} in the signature is {kind!r}; it has to be bool, numpy.int32, numpy.int64, "
                   "float (which is float32) or numpy.double")
        return TYPES[kind]

    def __call__(self, *arrays, out=None, order="K", casting="safe", ex_uses_vml=False):
        check_choice("order", order, ORDERS)
        check_choice("casting", casting, CASTINGS)
        if len(arrays) != len(self.input_names):
            refuse(f"{len(arrays)} operands are given, the expression has {len(self.input_names)}")
        named = dict(zip(self.input_names, arrays))
        arrays = [as_kind(name, array, kind, casting) for name, array, kind in
                  zip(self.input_names, gather(self.input_names, named, named, None), self.kinds)]
        compiled = find(self.ex, list(self.input_names), self.tree, arrays, out, casting, self.optimization)
        return compiled.run(arrays, out, order)

    run = __call__


def disassemble(nex):
    """The statements of Weft's language that an expression became.

    >>> import weft.numexpr
    >>> weft.numexpr.disassemble(weft.numexpr.NumExpr("2*a + b**3", [("a", float), ("b", float)]))
    ['t0 = (b * b)', '((float32(2.0) * a) + (b * t0))']
    """
    return list(nex.translation.statements)


def set_num_threads(nthreads):
    """How many threads the functions of this module use from now on; returns how many it was.

    >>> import weft.numexpr
    >>> before = weft.numexpr.set_num_threads(1)
    >>> weft.numexpr.get_num_threads(), weft.numexpr.set_num_threads(before)
    (1, 1)
    """
    global threaded, threads
    before = get_num_threads()
    if not isinstance(nthreads, int) or not 1 <= nthreads <= MAX_THREADS:
        refuse(f"the number of threads is {nthreads!r}; it has to be from 1 to {MAX_THREADS}")
    threaded, threads = Context(threads=nthreads), nthreads
    programs.clear()
    return before


def get_num_threads():
    """How many threads set_num_threads has set; else as many as there are cores."""
    return threads or min(detect_number_of_cores(), MAX_THREADS)


def detect_number_of_cores():
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def get_vml_version():
    """None: numexpr's builds with Intel's VML have one."""
    return None


def after_fork():
    """A child may not use a context of its parent."""
    global threaded
    left.append((threaded, dict(programs)))
    programs.clear()
    if threaded is not None:
        threaded = Context(threads=threads)


def at_exit():
    """Ends a C compiler that is still at work."""
    if threaded is not None:
        threaded.close()


left = []  # destroying what the parent uses could wait for threads that are not here
ncores = detect_number_of_cores()
os.register_at_fork(after_in_child=after_fork)
atexit.register(at_exit)
