"""What weft.dask computes with: arrays with their types, and what is asked of them and of texts."""
import numpy

import dask.array
from weft._errors import Error, Status
from weft._text import Call, Group, Name
from weft._types import Type, type_of_text

DTYPES = frozenset("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64".split())


def refuse(message, status=Status.INVALID_ARGUMENT):
    raise Error(message, "", status, message)


def is_lazy(array):
    return isinstance(array, dask.array.Array)


class Value:
    """An array of dask or NumPy with its type, or a number, whose type is None."""

    def __init__(self, array, type):
        self.array, self.type = array, type

    def plain(self):
        """Without names or a layout."""
        return Value(self.array, Type(self.type.dtype, None, None, None))

    def with_type(self, type):
        return Value(self.array, type)

    def text(self):
        """The type without sizes."""
        return self.type.dtype + "[]" if self.array.ndim == 0 and not self.type.dims else self.type.text()

    def sized(self):
        return self.type.sized(self.array.shape) if self.type else self.array


def value_of(name, value, declared):
    if isinstance(value, (bool, int, float)) and not isinstance(value, numpy.generic):
        return Value(value, None)
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        value = numpy.asarray(value)
    elif is_lazy(value):
        if value.dtype.name not in DTYPES:
            refuse(f"input {name!r} has the dtype {value.dtype}, which Weft does not have; convert it, as in "
                   f"{name}.astype('float64')", Status.TYPE_ERROR)
    else:
        advice = f"; {name}.to_dask_array(lengths=True) is one" if hasattr(value, "to_dask_array") else ""
        refuse(f"input {name!r} is of type {type(value).__name__}; it has to be an array of dask or NumPy, or a number"
               + advice)
    if declared == "number":
        if is_lazy(value):
            refuse(f"input {name!r} is declared a number; compute() makes one of an array of dask")
        return Value(value.item(), None)
    given = type_of_text(declared) if declared else None
    return Value(value, Type(value.dtype.name, given and given.dims, given and given.layout, None))


def is_size(value):
    """A single integer in memory, which may be a size."""
    return value.type and not is_lazy(value.array) and value.array.ndim == 0 and value.array.dtype.kind in "iu"


def boolean():
    return Type("bool", None, None, None)


def is_stand_in(array):
    return isinstance(array, numpy.ndarray) and array.size > 1 and not any(array.strides)


def is_string(part):
    return isinstance(part, str) and part[:1] in ("'", '"')


def is_literal(expression):
    return all(isinstance(part, str) and not is_string(part) for part in expression)


def is_list(expression):
    """Brackets, or parentheses with a comma or nothing in them (rule 1.2)."""
    return len(expression) == 1 and isinstance(expression[0], Group) and \
        (expression[0].opening == "[" or len(expression[0].parts) != 1)


def strings_of(expression):
    """The strings that an item is made of."""
    if len(expression) == 1 and isinstance(expression[0], Group):
        return [text for each in expression[0].parts for text in strings_of(each)]
    return [each for each in expression if is_string(each)]


def is_dots(item):
    return item == ["..."]


def is_new(item):
    return isinstance(item, list) and len(item) == 1 and isinstance(item[0], Name) and \
        item[0].name in ("None", "newaxis")


def plain_text(expression):
    """An expression as text, as it was written but for blanks."""
    texts = []
    for part in expression:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, Name):
            texts.append(part.name)
        elif isinstance(part, Group):
            inside = ", ".join(map(plain_text, part.parts))
            texts.append(f"({inside}{',' if len(part.parts) == 1 else ''})" if part.opening == "(" and
                         len(part.parts) != 1 else f"({inside})" if part.opening == "(" else f"[{inside}]")
        elif isinstance(part, Call):
            inside = ", ".join([(f"{name}=" if name else "") + plain_text(each) for name, each in part.arguments])
            texts.append(f"{part.function}({inside})")
        else:
            items = ", ".join([":".join(map(plain_text, item)) if isinstance(item, tuple) else plain_text(item)
                               for item in part.items])
            texts.append(f"{plain_text([part.base])}{'.' + part.dim if part.dim else ''}[{items}]")
    return " ".join(texts)


def shape_of_literal(group):
    shape = [len(group.parts)]
    inner = group.parts[0] if group.parts else []
    while len(inner) == 1 and isinstance(inner[0], Group) and inner[0].opening == "[":
        shape.append(len(inner[0].parts))
        inner = inner[0].parts[0]
    return tuple(shape)


def flat(numbers):
    return list(numbers) if isinstance(numbers, list) else [numbers]


def lazy(array):
    return array if is_lazy(array) else dask.array.from_array(numpy.asarray(array), chunks=-1)


def one_chunk(value, axes):
    """With the whole of these dimensions in each block."""
    if not is_lazy(value.array):
        return value
    several = {axis: -1 for axis in axes if value.array.numblocks[axis] > 1 and value.array.shape[axis] != 1}
    return Value(value.array.rechunk(several), value.type) if several else value


def filled(value, axes):
    """Without chunks that have no element along axes; these have no least one."""
    several = {axis: tuple(chunk for chunk in value.array.chunks[axis] if chunk) for axis in axes
               if 0 in value.array.chunks[axis]}
    return Value(value.array.rechunk(several), value.type) if several else value


def ones(axes):
    return {axis: 1 for axis in axes}


def fewer(count, chunk):
    return chunk - count


def aligned(value, names):
    """The array with dimensions in this order, of extent 1 where it lacks one."""
    array = lazy(value.array)
    if names is None:
        return array
    own = value.type.names() or ()
    array = array.transpose([own.index(name) for name in names if name in own])
    return array[tuple(slice(None) if name in own else None for name in names)]


def named_axes(name, x):
    names = x.type.names()
    kinds = {"batch": "b", "instance": "i", "spatial": "s", "channel": "c"}
    if name not in names and name in kinds:
        return [d for d, dim in enumerate(x.type.dims) if dim.kind == kinds[name]]
    return [names.index(name)]


def source_positions(at, extent, mode):
    """Where neighbours outside come from (rule 10.1)."""
    if mode == "edge":
        return numpy.clip(at, 0, extent - 1)
    if mode == "wrap":
        return at % extent
    period = 2 * extent if mode == "symmetric" else max(2 * extent - 2, 1)
    at = at % period
    return numpy.where(at < extent, at, period - at - (mode == "symmetric"))


def as_slice(at):
    """Positions that go on by one are a slice, which dask takes without a copy."""
    step = int(at[1] - at[0]) if len(at) > 1 else 1
    if len(at) and abs(step) == 1 and (numpy.diff(at) == step).all():
        stop = int(at[-1]) + step
        return slice(int(at[0]), stop if stop >= 0 else None, step)
    return at


class Region:
    """A text that is being written, with what it needs: values by name, and bindings before it."""

    def __init__(self):
        self.values, self.bindings, self.shapes = {}, {}, []

    def program(self, text):
        return "".join(f"{name} = {bound}\n" for name, bound in self.bindings.items()) + text
