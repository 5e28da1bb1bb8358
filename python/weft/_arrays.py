"""The libraries whose arrays weft takes: how an array of each is made, and which stream it works on. The extension
reads arrays itself; it asks here about types that it meets for the first time."""
import functools
import importlib
import re
import sys

import numpy

from weft._errors import Error, Status, losses_are


class Library:
    """What libraries differ in. `new` makes an array that the extension writes to, `finish` makes what the caller gets
    of it, or of a list of them."""

    immutable = False

    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name

    def dtype(self, name):
        return name

    def stream(self, device):
        """The cudaStream_t that work on this GPU goes to; 0 is the legacy default stream."""
        return 0

    def finish(self, array):
        return array


class NumPy(Library):
    def dtype(self, name):
        if name == "bfloat16":
            return bfloat16()
        return numpy.dtype(name)


class Torch(Library):
    def dtype(self, name):
        return getattr(sys.modules["torch"], name)

    def stream(self, device):
        return sys.modules["torch"].cuda.current_stream(device).cuda_stream

    def new(self, shape, dtype, device, index):
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=dtype, device=torch.device("cuda", index) if device == CUDA else None)


class CuPy(Library):
    def dtype(self, name):
        return numpy.dtype(name)

    def stream(self, device):
        return sys.modules["cupy"].cuda.get_current_stream(device).ptr

    def new(self, shape, dtype, device, index):
        cupy = sys.modules["cupy"]
        with cupy.cuda.Device(index):
            return cupy.empty(shape, dtype)


class Jax(Library):
    """Its arrays are immutable, so results are written before they become its own."""

    immutable = True

    def dtype(self, name):
        return bfloat16() if name == "bfloat16" else numpy.dtype(name)

    def new(self, shape, dtype, device, index):
        if device == CUDA:
            raise NotImplementedError("results on a GPU cannot be JAX's yet; give out=")
        return aligned(shape, dtype)

    def finish(self, array):
        return [self.own(each) for each in array] if isinstance(array, list) else self.own(array)

    def own(self, array):
        import jax
        if array.dtype.name == "bfloat16":  # NumPy does not export it
            return jax.numpy.asarray(array)
        if array.dtype.itemsize < 8:
            return jax.dlpack.from_dlpack(array)
        module = jax if hasattr(jax, "enable_x64") else importlib.import_module("jax.experimental")
        with module.enable_x64(True):  # else some versions make 32 bits of 64
            return jax.dlpack.from_dlpack(array)


CUDA = 2  # DLPack's numbers
ALIGNMENT = 64  # what XLA asks of memory that it does not copy
NUMPY = NumPy("NumPy")
LIBRARIES = {"numpy": NUMPY, "torch": Torch("PyTorch"), "jax": Jax("JAX"), "cupy": CuPy("CuPy")}
LIBRARIES["jaxlib"] = LIBRARIES["jax"]
OTHERS = {}


def aligned(shape, dtype):
    size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
    memory = numpy.empty(size + ALIGNMENT, numpy.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start:start + size].view(dtype).reshape(shape)


OPTIONS = ("math", "rules", "results", "ignore_unused", "types", "context")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
QUOTED = re.compile(r"#[^\n]*|'[^'\n]*'|\"[^\"\n]*\"")
BOUND = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)\s*=(?!=)")
NO_INPUT = re.compile(r"has no input '(\w+)'")
KINDS = {"batch": "b", "instance": "i", "spatial": "s", "channel": "c"}  # of a dimension of xarray with this name


def again(text, inputs, named):
    """What evaluate does after it failed: NotImplemented unless a value has names, as tensors of weft.math and
    DataArrays have, or the mapping of names is a Dataset."""
    if not isinstance(text, str) or not ("xarray" in sys.modules or "weft.math" in sys.modules):
        return NotImplemented
    frame = sys._getframe(1)
    options = {name: named.pop(name) for name in OPTIONS if name in named}
    dataset = is_of(inputs, "xarray", "Dataset")
    if not dataset and not isinstance(inputs, (dict, type(None))) and not hasattr(inputs, "keys"):
        return NotImplemented
    given = {**({} if dataset or inputs is None else inputs), **named}
    used = {}
    for name in dict.fromkeys(NAME.findall(QUOTED.sub(" ", text))):
        for space in given, inputs if dataset else {}, frame.f_locals, frame.f_globals:
            if name in space:
                used[name] = space[name]
                break
    tensors = {name for name, value in used.items() if is_of(value, "weft.math", "Tensor")}
    arrays = {name for name, value in used.items() if is_of(value, "xarray", "DataArray")}
    if not tensors and not arrays:
        return NotImplemented
    read = names_read(text, used, tensors, arrays, options) or arrays or tensors
    used = {name: value for name, value in used.items() if name in read or name not in tensors | arrays}
    tensors, arrays = sorted(tensors & read), sorted(arrays & read)
    if tensors and arrays:
        message = (f"{arrays[0]} is a DataArray and {tensors[0]} a tensor of weft.math; write "
                   f"weft.math.wrap({arrays[0]}), or {tensors[0]}.to_xarray()")
        raise Error(message, "", Status.TYPE_ERROR, message)
    if tensors:
        return sys.modules["weft.math._evaluate"].evaluate(text, used, given, options)
    if arrays:
        import weft.xarray
        return weft.xarray.evaluate(text, used, given, options)
    return NotImplemented


def names_read(text, used, tensors, arrays, options):
    """Those of the named values that a text reads: its words may be dimensions, or what it binds, as well. None where
    the text is wrong."""
    types = {}
    for name in tensors:
        types[name] = sys.modules["weft.math._evaluate"].type_of(used[name])
    for name in arrays:
        types[name] = "(" + ", ".join(f"{dim}:{KINDS.get(dim, 's')}" for dim in used[name].dims) + ")"
    types = {name: kind for name, kind in types.items() if kind != "()"}
    read = inputs_of(text, tuple(types.items()), options.get("math", "strict"), options.get("rules"))
    single = {name for name in tensors | arrays if name not in types and name not in BOUND.findall(text)}
    return None if read is None else read | single


@functools.lru_cache(256)
def inputs_of(text, types, math, rules):
    """The inputs of a program of which `types` are those of values in reach; None where it is wrong."""
    try:
        with losses_are("quiet"):
            return frozenset(compiled(text, dict(types), {"math": math, "rules": rules}).inputs)
    except Error:
        return None


def compiled(text, types, options):
    """The program with types for those of the names that are its inputs: a word of the text that is a value's name
    here may be bound there, or be a dimension or a label."""
    from weft._program import compile
    types = dict(types)
    while True:
        try:
            return compile(text, **{**options, "types": {**types, **(options.get("types") or {})}})
        except Error as error:
            absent = [NO_INPUT.search(each.message) for each in error.errors if each.code == "W0072"]
            if not any([types.pop(match[1], None) for match in absent if match]):
                raise


def is_of(value, module, name):
    """Whether a value is of this class of a module, if that was imported at all."""
    found = getattr(sys.modules.get(module), name, None)
    return found is not None and isinstance(value, found)


def library_of(kind):
    """The library of a type of arrays; None: it has neither __array_struct__ nor DLPack; a str: why it is refused."""
    if "numpy.ma" in sys.modules and issubclass(kind, numpy.ma.MaskedArray):
        return "a masked array would lose its mask; give x.filled(..) or x.data"
    if kind.__module__.partition(".")[0] == "xarray":
        if kind.__name__ == "Dataset":
            return "a Dataset is a mapping of names; weft.evaluate(text, dataset) takes its variables"
        return ("a DataArray would lose its names; weft.evaluate takes them, weft.math.wrap(x) makes a tensor of it, a "
                "weft.Program takes x.values")
    if kind.__module__ == "weft.math":
        return "a tensor would lose its names; weft.evaluate takes them, a weft.Program takes t.native('y,x')"
    if kind.__module__.partition(".")[0] == "jax" and any(base.__name__ == "Tracer" for base in kind.__mro__):
        return ("jit, grad and vmap of JAX call with tracers, which have no values; write jax.pure_callback(f, "
                "jax.ShapeDtypeStruct(shape, dtype), x) with a function f that calls weft, or call it outside of them")
    for base in kind.__mro__:
        found = LIBRARIES.get(base.__module__.partition(".")[0])
        if found:
            return found
    if hasattr(kind, "__dlpack__"):
        return OTHERS.setdefault(kind, Other(kind))
    return NUMPY if hasattr(kind, "__array_struct__") else None


class Other(Library):
    """A library that has DLPack, and that is not known otherwise. Its results are NumPy's, so they are host data."""

    def __init__(self, kind):
        super().__init__(kind.__module__)

    def dtype(self, name):
        return NUMPY.dtype(name)

    def new(self, shape, dtype, device, index):
        if device == CUDA:
            raise NotImplementedError(f"results on a GPU cannot be made for arrays of {self.name}; give out=")
        return numpy.empty(shape, dtype)


def bfloat16():
    """NumPy's dtype of that name, which ml_dtypes has."""
    import ml_dtypes
    return numpy.dtype(ml_dtypes.bfloat16)


def is_bfloat16(array):
    return array.dtype.name == "bfloat16"


def as_array(object):
    """The array of NumPy of what has the buffer protocol alone, over its memory, which it keeps; of what has __array__,
    as a column of pandas or polars; of numbers in a list or a range. ValueError for what is no array of numbers."""
    if isinstance(object, (list, tuple, range)):
        array = numpy.asarray(object)
    elif hasattr(object, "__array__"):
        array = numpy.asarray(object) if hasattr(object, "columns") else of_column(object)
    else:
        array = numpy.asarray(memoryview(object))
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16":
        raise ValueError(f"its elements are no numbers (NumPy has dtype {array.dtype} for them){numbers_of(object)}")
    return array


def numbers_of(object):
    """What to write for a column or a frame without numbers."""
    if hasattr(object, "columns"):
        columns = [str(each) for each in object.columns][:3]
        return f"; give its columns by name, as in f(**df[{columns}]), or a frame of numbers to weft.evaluate(text, df)"
    kind, name = str(getattr(object, "dtype", "")).lower(), getattr(object, "name", None) or "x"
    if kind.startswith("category"):
        return f"; give {name}.cat.codes"
    if kind.startswith(("datetime", "timedelta")):
        return f"; give {name}.astype('int64')"
    return f"; give numbers, as in {name}.astype('category').cat.codes" if hasattr(object, "dtype") else ""


def index_of(names, values):
    """The labels of pandas that all values share, numbers aside: [index] of Series, [index, columns] of frames; None
    where an array has none, or Series meet frames. An error where two have different ones."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return None
    first, shared = None, True
    for name, value in zip(names, values):
        if not isinstance(value, (pandas.Series, pandas.DataFrame)):
            shared = shared and (isinstance(value, (bool, int, float)) or numpy.ndim(value) == 0)
        elif first is None:
            first = name, value.axes
        elif len(value.axes) != len(first[1]):
            shared = False
        elif not all(one.equals(other) for one, other in zip(value.axes, first[1])):
            what = "indexes" if not value.axes[0].equals(first[1][0]) else "columns"
            like = f"reindex({first[0]}.index)" if len(value.axes) == 1 else f"reindex_like({first[0]})"
            message = (f"the {what} of {first[0]!r} and {name!r} differ, and elements go together by position; write "
                       f"{name}={name}.{like}, or {name}.to_numpy() where the positions are meant")
            raise Error(f"<args>: error: {message}", "", Status.INPUT_ERROR, message)
    return first[1] if first and shared else None


def indexed(result, axes):
    """Results of the shape that these labels have become a Series or a DataFrame with them."""
    import pandas
    from weft import _results
    if isinstance(result, _results.Results):
        return _results.make(result.names, [indexed(each, axes) for each in result])
    if not isinstance(result, numpy.ndarray) or result.shape != tuple(len(labels) for labels in axes):
        return result
    return pandas.Series(result, *axes) if len(axes) == 1 else pandas.DataFrame(result, *axes)


def of_column(column):
    """A column with missing values has no array: NaN would stand for them in floats alone."""
    own = getattr(column.dtype, "numpy_dtype", None) if hasattr(column, "dtype") else None
    nulls = column.null_count() if hasattr(column, "null_count") else int(column.isna().sum()) if own is not None else 0
    if nulls:
        where = missing(column)
        raise ValueError(f"{nulls} of its {len(column)} values {'is' if nulls == 1 else 'are'} missing, the first at "
                         f"position {where}; fill them, as in {column.name or 'x'}.fillna(0), or give floats with NaN")
    return numpy.asarray(column.to_numpy(dtype=own) if own is not None else column)


def missing(column):
    """The position of the first value that is missing."""
    flags = column.is_null() if hasattr(column, "is_null") else column.isna()
    return int(numpy.argmax(flags.to_numpy()))


def copy(array):
    """In this machine's byte order, aligned and dense."""
    return numpy.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
