"""What str, repr and format show of shapes and tensors.

A dimension is (name, kind, size, labels). kind: "batch", "instance", "spatial" or "channel". size: an int, None where
it is not known, or ((4, 5), ("c", "channel")) where it varies along c. labels: None or a tuple of str.

>>> format_shape([("x", "spatial", 4, None), ("vector", "channel", 2, ("x", "y"))])
'(xˢ=4, vectorᶜ=x,y)'
"""
import functools
import sys
from typing import NamedTuple

import numpy

MARKS = {"batch": "ᵇ", "instance": "ⁱ", "spatial": "ˢ", "channel": "ᶜ"}
LAYOUTS = ("summary", "full", "row", "numpy", "auto")
PARTS = ("shape", "dtype", "color")
MOST_LABELS = 4  # that are listed one by one
FLOATS = {16: numpy.float16, 32: numpy.float32, 64: numpy.float64}  # by precision
SHAPE, DTYPE, VALUE, RANGE = "\033[92m", "\033[93m", "\033[94m", "\033[37m"  # colours
END = "\033[0m"


class Options(NamedTuple):
    """A parsed format specification. shape, dtype, color: True, False, or None where the layout decides."""

    layout: str = "auto"
    shape: bool | None = None
    dtype: bool | None = None
    color: bool | None = None
    threshold: int = 8
    number: str = ""  # the float format; empty: the layout's

    def paint(self, color, text):
        """text in a colour, if colours are asked for."""
        return f"{color}{text}{END}" if self.color else text


def format_shape(dims):
    """The text of a shape, such as "(xˢ=4, vectorᶜ=x,y)". dims: a sequence of dimensions, in order."""
    return f"({', '.join(f'{_marked(name, kind)}={_size(size, labels)}' for name, kind, size, labels in dims)})"


def format_tensor(parts, dims, spec, precision):
    """The text of a tensor, as format(t, spec) has it; str and repr have the empty spec.

    parts: a NumPy array whose axes are dims, in order. Of a non-uniform tensor a list of arrays, one for each position
    along the stacked dimension, their axes the other dimensions. dtypes: bool, integers, float16 to float64, bfloat16.
    spec: tokens joined by ":". precision: the current one, 16, 32 or 64.

    ValueError: a token that there is not, two layouts, a layout that cannot show this tensor."""
    options = parse(spec)
    uniform = not isinstance(parts, (list, tuple))
    layout = _layout(parts, dims, options, uniform)
    return layout(parts if uniform else _joined(parts), dims, options, precision)


@functools.lru_cache(maxsize=256)
def parse(spec):
    """The Options of a format specification. ValueError: a token that there is not, or two layouts."""
    chosen = {}
    for token in spec.split(":") if spec else ():
        name, value = _token(token, spec)
        if name == "layout" and name in chosen:
            raise ValueError(f"{token!r} in {spec!r} is a second layout, after {chosen[name]!r}; give one of "
                             + ", ".join(LAYOUTS))
        if value is not False or name not in chosen:  # shape with no-shape is shape
            chosen[name] = value
    return Options(**chosen)


def _token(token, spec):
    """The field of Options that a token sets, and its value."""
    bare = token.removeprefix("no").removeprefix("-")
    if token in LAYOUTS:
        return "layout", token
    if token in PARTS:
        return token, True
    if token.startswith("no") and bare in PARTS:
        return bare, False
    if token.startswith("threshold="):
        return "threshold", _threshold(token, spec)
    if "." in token:
        return "number", _number_format(token, spec)
    raise ValueError(f"there is no token {token!r}, as in the format {spec!r}; {_nearest(token)}there are {_tokens()}")


def _threshold(token, spec):
    digits = token.removeprefix("threshold=")
    if not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"{token!r} in {spec!r} is no number of elements; write threshold=8")
    return int(digits)


def _number_format(token, spec):
    try:
        format(0.0, token)
    except ValueError as error:
        raise ValueError(f"{token!r} in {spec!r} is no format of floats: {error}; there are {_tokens()}") from None
    return token


def _tokens():
    flags = ", ".join(f"{part}, no-{part}" for part in PARTS)
    return f"{', '.join(LAYOUTS)}, {flags}, threshold=8, and float formats such as .3f"


def _nearest(token):
    import difflib  # here alone: what is printed seldom needs it
    names = [*LAYOUTS, *PARTS, *("no-" + part for part in PARTS), "threshold=8"]
    found = difflib.get_close_matches(token.lower(), names, 1)
    return f"did you mean {found[0]!r}? " if found else ""


def _layout(parts, dims, options, uniform):
    """The function that prints this tensor. ValueError: a non-uniform one in layout full or numpy."""
    layout = options.layout
    if not uniform:
        if layout in ("full", "numpy"):
            raise ValueError(f"layout {layout} shows uniform tensors, and sizes vary in {format_shape(dims)}; "
                             "take one part, or use summary")
        return _summary
    if layout == "auto":
        layout = "row" if dims and parts.size < options.threshold else "summary"
    return {"summary": _summary, "row": _row, "full": _full, "numpy": _numpy}[layout]


def _joined(parts):
    """The elements of a non-uniform tensor, of rank 1."""
    return numpy.concatenate([numpy.ravel(part) for part in parts])


# Pieces


def _marked(name, kind):
    return name + MARKS[kind]


def _size(size, labels):
    if labels:
        return ",".join(labels) if len(labels) <= MOST_LABELS else f"{len(labels)}:{labels[0]}..{labels[-1]}"
    if isinstance(size, tuple):
        sizes, along = size
        return f"({', '.join(map(str, sizes))}) along {_marked(*along)}"
    return str(size)


def _shape_text(dims, options):
    return options.paint(SHAPE, format_shape(dims))


def _dtype_text(dtype, options):
    """bool is bool8, as DType prints it; others have NumPy's names."""
    return options.paint(DTYPE, "bool8" if dtype.kind == "b" else dtype.name)


def _shows_dtype(dtype, options, precision):
    """By default what is not bool, int32 or a float of the current precision; bfloat16 is none."""
    return dtype.name not in ("bool", "int32", f"float{precision}") if options.dtype is None else options.dtype


def _standard(array):
    """The array; bfloat16, which some NumPy functions refuse, as float32."""
    return array.astype(numpy.float32) if array.dtype.kind == "V" else array


def _writer(dtype, options):
    """The function that makes a row's text of a Python number."""
    if options.number:
        return lambda value: format(float(value), options.number)
    return str if dtype.kind in "biu" else "{:.3f}".format


def _array_text(array, options, **how):
    """numpy.array2string, with the float format for floats."""
    kind = "all" if array.dtype.kind == "V" else "float_kind"
    formatter = {kind: lambda value: format(float(value), options.number)} if options.number else None
    return numpy.array2string(array, formatter=formatter, **how)


def _whole_text(array, options):
    """numpy.array2string with commas, nothing left out, a line for each row."""
    return _array_text(array, options, separator=", ", threshold=sys.maxsize, max_line_width=numpy.inf)


def _bare_text(array, options):
    """A block of layout full: a space, and the text without brackets."""
    text = _whole_text(array, options)
    for bracket in "],", "[", "]":
        text = text.replace(bracket, "")
    return " " + text


# Layout summary


def _summary(array, dims, options, precision):
    """Shape, dtype, and what the values are like: "(xˢ=8) 0.556 ± 0.497 (0e+00...1e+00)"."""
    words = []
    if bool(dims) if options.shape is None else options.shape:
        words.append(_shape_text(dims, options))
    if _shows_dtype(array.dtype, options, precision):
        words.append(_dtype_text(array.dtype, options))
    return " ".join(words + _content(array, dims, options, precision))


def _content(array, dims, options, precision):
    if not dims:
        return [options.paint(VALUE, str(array[()]))]
    if not array.size:
        return [options.paint(VALUE, "empty")]
    if array.dtype.kind == "b":
        return [options.paint(VALUE, f"{numpy.count_nonzero(array)} / {array.size} True")]
    return _statistics(_finite(_standard(array)), options, precision)


def _finite(array):
    """The finite elements; the array itself, in its shape, if all are."""
    if array.dtype.kind != "f":
        return array
    mask = numpy.isfinite(array)
    return array if mask.all() else array[mask]


def _statistics(array, options, precision):
    """The words "m ± d" and "(min...max)", or "const m"."""
    if not array.size:
        return [options.paint(VALUE, "nan ± nan"), options.paint(RANGE, "(nan...nan)")]
    least, most = array.min(), array.max()
    if least == most:
        mean = _rounded(least, precision) + 0.0  # -0.0 and 0.0 are one value
        return [options.paint(VALUE, f"const {mean:{options.number}}" if options.number else f"const {mean!r}")]
    mean, deviation = _moments(array, precision)
    large = any(value < 0.001 or value > 1000 for value in (abs(mean), deviation))
    m, d = (".2e", ".1e") if large else (".3f", ".3f")
    value = f"{mean:{options.number or m}} ± {deviation:{options.number or d}}"
    between = f"({float(least):{options.number or '.0e'}}...{float(most):{options.number or '.0e'}})"
    return [options.paint(VALUE, value), options.paint(RANGE, between)]


def _moments(array, precision):
    """Mean, rounded to the precision, and deviation, both computed in float64."""
    with numpy.errstate(all="ignore"):
        mean, deviation = numpy.mean(array, dtype=numpy.float64), numpy.std(array, dtype=numpy.float64)
    return _rounded(mean, precision), float(deviation)


def _rounded(value, precision):
    """A number as a Python float that has the precision; what is too large is inf."""
    with numpy.errstate(all="ignore"):
        return float(FLOATS[precision](value))


# Layout row


def _row(array, dims, options, precision):
    """All values in a line: "(x=1, y=2)", "(1, 2) along xˢ", "(1, 2); (3, 4) (xˢ=2, vectorᶜ=2)"."""
    write = _writer(array.dtype, options)
    text = (_one_vector if len(dims) == 1 else _vectors)(_standard(array), dims, options, write)
    if _shows_dtype(array.dtype, options, precision):
        text += " " + _dtype_text(array.dtype, options)
    return text


def _one_vector(array, dims, options, write):
    (name, kind, _, labels), = dims
    text = _vector(array.tolist(), labels, options, write)
    if (name, kind) != ("vector", "channel") if options.shape is None else options.shape:
        text += " along " + options.paint(SHAPE, _marked(name, kind))
    return text


def _vectors(array, dims, options, write):
    """A vector over the channel dimensions for each index of the others; without channel dimensions a number."""
    channels = [i for i, dim in enumerate(dims) if dim[1] == "channel"]
    others = [i for i, dim in enumerate(dims) if dim[1] != "channel"]
    array = array.transpose(others + channels)
    if channels:
        count = len(others)
        rows = array.reshape(_product(array.shape[:count]), _product(array.shape[count:])).tolist()
        labels = dims[channels[0]][3] if len(channels) == 1 else None
        texts = [_vector(row, labels, options, write) for row in rows]
    else:
        texts = [options.paint(VALUE, write(value)) for value in array.reshape(-1).tolist()]
    text = "; ".join(texts)
    return text if options.shape is False else f"{text} {_shape_text(dims, options)}"


def _vector(values, labels, options, write):
    texts = [write(value) for value in values]
    if labels and options.shape is not False:
        texts = [f"{label}={text}" for label, text in zip(labels, texts)]
    return options.paint(VALUE, f"({', '.join(texts)})")


def _product(sizes):
    return functools.reduce(int.__mul__, sizes, 1)


# Layout full


def _full(array, dims, options, _precision):
    """All values in lines; a block for each index of the dimensions that are not spatial."""
    spatial = sorted((i for i, dim in enumerate(dims) if dim[1] == "spatial"), key=lambda i: dims[i][0], reverse=True)
    if not spatial:
        return _full_without_grid(array, dims, options)
    if len(spatial) > 2:
        names = ", ".join(dims[i][0] for i in reversed(spatial))
        raise ValueError(f"layout full shows at most 2 spatial dimensions, not {names}; select along one")
    others = [i for i in range(len(dims)) if i not in spatial]
    return "\n".join(_blocks(array.transpose(others + spatial), [dims[i] for i in others], options))


def _full_without_grid(array, dims, options):
    text = _whole_text(array, options) if len(dims) > 1 else _bare_text(array, options)
    text = options.paint(VALUE, text)
    return f"{_shape_text(dims, options)}\n{text}" if options.shape else text


def _blocks(array, others, options):
    """The lines of each block, under its index if there are several. array: the others, then (y, x) or (x)."""
    sizes = array.shape[:len(others)]
    for index in numpy.ndindex(sizes):
        if _product(sizes) > 1:
            yield f"--- {options.paint(SHAPE, _index(index, others))} ---"
        block = array[index]
        yield options.paint(VALUE, _bare_text(block[::-1] if block.ndim == 2 else block, options))


def _index(index, dims):
    """The text "b=0, vector=x" of one index along some dimensions."""
    places = ((name, labels[i] if labels else i) for i, (name, _, _, labels) in zip(index, dims))
    return ", ".join(f"{name}={place}" for name, place in places)


# Layout numpy


def _numpy(array, dims, options, _precision):
    """NumPy's text, in the tensor's order; before it a line with what is asked for of shape and dtype."""
    text = _array_text(array, options, threshold=options.threshold) if dims else str(array[()])
    head = [_shape_text(dims, options)] if options.shape else []
    if options.dtype:
        head.append(_dtype_text(array.dtype, options))
    text = options.paint(VALUE, text)
    return f"{' '.join(head)}\n{text}" if head else text
