"""How weft.dask computes a program: what is elementwise together, everything else node by node."""
import functools
import itertools
import re
import warnings

import numpy

import dask
import dask.array
from weft._dask_neighbours import Neighbours
from weft._dask_reductions import REDUCTIONS, Reductions
from weft._dask_tasks import compute_block, convert_block, window_block
from weft._dask_values import (Region, Value, aligned, boolean, flat, is_dots, is_lazy, is_list, is_literal, is_new,
                               is_size, is_stand_in, is_string, lazy, named_axes, one_chunk, plain_text, refuse,
                               shape_of_literal, strings_of, value_of)
from weft._errors import Error, Remark, Status
from weft._program import compile
from weft._text import Call, Group, Name, Select, Text
from weft._types import Type, type_of_text

# What computes an element from the elements at the same place alone, as the stage "ast" names it.
ELEMENTWISE = frozenset("""
    where or and not eq ne lt le gt ge bitor bitxor bitand shl shr add sub mul div floordiv mod plus neg bitnot pow
    min max clamp abs sign square truncdiv fmod fpow atan2 hypot copysign fma lerp fabs floor ceil round trunc sqrt
    rsqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    deg2rad rad2deg erf erfc nextafter isnan isinf isfinite signbit cast wrap literal input binding array""".split())
NODE = re.compile(r" +(?:\(depth \d+\) )?(\w+).*? \d+:\d+(?:-[\d:]+)? +(.*)")

# All other functions, as grammar/views.def and grammar/reductions.def have them: parameters and a letter for each.
FUNCTIONS = {name: (parameters.split(), kinds) for name, parameters, kinds in (
    ("reshape", "x shape rel_shape src_dims layout", "xnnnl"),
    ("squeeze", "x axes", "xn"),
    ("expand_dims", "x axes", "xn"),
    ("reinterpret", "x dtype shape", "xtn"),
    ("extent", "x d dtype", "xat"),
    ("transpose", "x axes", "xa"),
    ("flip", "x axes", "xa"),
    ("roll", "x shifts axes", "xsa"),
    ("broadcast_to", "x shape", "xy"),
    ("named", "x dims", "xd"),
    ("unnamed", "x axes", "xa"),
    ("rename", "x axes dims", "xaq"),
    ("tile", "x counts", "xs"),
    ("repeat", "x n axis", "xsa"),
    ("offset", "x offsets mode axes", "xsma"),
    ("pad", "x widths mode axes", "xpma"),
    ("correlate", "x k mode axes", "xxma"),
    ("convolve", "x k mode axes", "xxma"),
    ("concat", "a b axis", "xxa"),
    ("stack", "a b axis", "xxz"),
    ("take", "x i axis", "xxa"),
    ("gather", "x i axes mode", "xxam"),
    ("sample", "x at axes mode", "xxam"),
    ("index", "x d dtype", "xat"),
    ("arange", "n", "s"),
    ("linspace", "a b n", "xxs"),
    ("random", "x seed stream", "xxx"),
    ("random_normal", "x seed stream", "xxx"),
    ("scatter", "x i v mode axes", "xxxja"),
    ("nonzero", "x n", "xs"),
    ("isclose", "x y rtol atol", "xxxx"),
    ("sum", "x axes keepdims", "xrb"),
    ("mean", "x axes keepdims", "xrb"),
    ("prod", "x axes keepdims", "xrb"),
    ("min", "x axes keepdims", "xrb"),
    ("max", "x axes keepdims", "xrb"),
    ("any", "x axes keepdims", "xrb"),
    ("all", "x axes keepdims", "xrb"),
    ("count_nonzero", "x axes keepdims", "xrb"),
    ("argmin", "x axes keepdims", "xrb"),
    ("argmax", "x axes keepdims", "xrb"),
    ("var", "x axes keepdims ddof", "xrbw"),
    ("std", "x axes keepdims ddof", "xrbw"),
    ("vecdot", "x y axis", "xxe"),
    ("norm", "x axes keepdims", "xrb"),
    ("mean_square", "x axes keepdims", "xrb"),
    ("rms", "x axes keepdims", "xrb"),
    ("softmax", "x axis", "xe"),
    ("logsumexp", "x axes keepdims", "xrb"),
)}
CONSTANTS = ("pi", "inf", "nan")  # unless they are declared
OTHER_NAMES = {"argwhere": "nonzero"}
OTHER_PARAMETERS = {"axes": "axis", "axis": "axes"}
RAW = "arezjtldqb"  # letters of arguments that are no expressions: axes, words, types, layouts, dimensions, flags
WINDOWS = frozenset("index arange linspace random random_normal".split())


def reads_across(program):
    """The text of what in the program reads elements at other places than the result's; None: nothing does."""
    for line in program.source("ast").splitlines():
        node = NODE.match(line)
        if node and node[1] not in ELEMENTWISE or not node and line.startswith(" "):
            return node[2] if node else line.strip()
    return None


class Engine(Neighbours, Reductions):
    """Computes a program node by node: what is elementwise together, everything else by a method of its own."""

    def __init__(self, program, values):
        self.text = Text(program.text, program.results)
        self.math, self.rules = program._math, self.text.rules or ("dali", "numpy")[program._rules]
        declared = {**self.text.declared, **(program.types or {})}
        self.names = program.results
        self.inputs = {name: value_of(name, value, declared.get(name)) for name, value in values.items()}
        self.made, self.fresh = {}, itertools.count()
        if not any(is_lazy(value.array) for value in self.inputs.values()):
            refuse("none of the inputs is an array of dask; weft.evaluate computes this program")
        across = reads_across(program)
        for name, value in self.inputs.items():
            if across is not None and value.type and any(extent != extent for extent in value.array.shape):
                refuse(f"{across!r} needs to know the shape of input {name!r}, whose chunks are of unknown sizes; call "
                       f"{name}.compute_chunk_sizes() before", Status.SHAPE_ERROR)
        program.infer(**{name: value.sized() for name, value in self.inputs.items()})  # finds what is wrong at once

    def tell(self, program):
        """Remarks on the program's text, as the types and extents of its inputs have them."""
        types = {name: value.sized() for name, value in self.inputs.items()
                 if value.type and not any(extent != extent for extent in value.array.shape)}
        try:
            compile(program.text, math=self.math, rules=self.rules, types=types)
        except Error:  # where it is wrong is told elsewhere
            pass

    def results(self):
        found = [self.value(self.text.results[name]).array for name in self.names]
        return [array if is_lazy(array) else dask.array.from_array(numpy.asarray(array), chunks=-1) for array in found]

    # Texts

    def value(self, expression, text="{}"):
        """What an expression is, computed apart from what stands around it."""
        key = id(expression), text
        if key not in self.made:
            self.made[key] = expression, self.new_value(expression, text)
        return self.made[key][1]

    def new_value(self, expression, text):
        if len(expression) == 1 and text == "{}":
            only = expression[0]
            if isinstance(only, Name):
                if only.name in self.text.bindings:
                    return self.value(self.text.bindings[only.name])
                if only.name in self.inputs and self.inputs[only.name].type:
                    return self.inputs[only.name]
            if isinstance(only, Group) and only.opening == "(" and len(only.parts) == 1:
                return self.value(only.parts[0])
            if self.is_apart(only):
                return self.part(only)
        region = Region()
        written = region.program(text.format(self.write(expression, region)))
        return self.elementwise(written, region.values, region.shapes)

    def is_apart(self, part):
        if not isinstance(part, Call):
            return isinstance(part, Select)
        name = OTHER_NAMES.get(part.function, part.function)
        if name in ("min", "max"):  # of several operands they compare
            return sum(given in (None, "x") for given, _ in part.arguments) == 1
        return name in FUNCTIONS

    def write(self, expression, region):
        return " ".join([self.write_part(part, region) for part in expression])

    def write_part(self, part, region):
        if isinstance(part, str):
            return part
        if isinstance(part, Name):
            if part.name in self.text.bindings:
                if part.name not in region.bindings:
                    region.bindings[part.name] = self.write(self.text.bindings[part.name], region)
            elif part.name in CONSTANTS and part.name in self.inputs:
                return self.name(region, self.inputs[part.name])
            elif part.name in self.inputs:
                region.values[part.name] = self.inputs[part.name]
            return part.name
        if isinstance(part, Group):
            if part.opening == "[":
                region.shapes.append(shape_of_literal(part))
            inside = ", ".join([self.write(each, region) for each in part.parts])
            return f"({inside})" if part.opening == "(" else f"[{inside}]"
        if self.is_apart(part):
            return self.name(region, self.part(part))
        inside = [(f"{name}=" if name else "") + self.write(each, region) for name, each in part.arguments]
        return f"{part.function}({', '.join(inside)})"

    def name(self, region, value):
        """A name for a value that the text does not have."""
        while True:
            name = f"v{next(self.fresh)}"
            if name not in self.inputs and name not in self.text.bindings:
                region.values[name] = value
                return name

    def part(self, part):
        key = id(part), None
        if key not in self.made:
            self.made[key] = part, self.select(part) if isinstance(part, Select) else self.call(part)
        return self.made[key][1]

    def constant(self, expression, text="{}"):
        """The value of an expression in which no array of dask is read, as NumPy's array."""
        value = self.value(expression, text)
        if is_lazy(value.array):
            refuse(f"{plain_text(expression)!r} is needed before anything is computed, and depends on an array of "
                   "dask; compute() that first")
        return numpy.asarray(value.array)

    def whole_number(self, expression):
        """A size (rule 1.10), which is computed exactly, whatever the types of the integers in it."""
        region = Region()
        text = region.program(self.write(expression, region))
        if any(is_lazy(value.array) for value in region.values.values()):
            return int(self.constant(expression))
        return int(self.at_once(text, {name: Value(int(value.array), None) if is_size(value) else value
                                       for name, value in region.values.items()}).array)

    # Blocks

    def infer(self, text, values, sizes=()):
        """The types of a program's results; sizes: names of values of which single integers are sizes, so that extents
        come of them."""
        values = {name: Value(int(value.array), None) if name in sizes and is_size(value) else value
                  for name, value in values.items()}
        program = self.compile(text, values)
        given = {name: value.sized() for name, value in values.items() if name in program.inputs}
        return [type_of_text(kind) for kind in program.infer(**given).values()]

    def compile(self, text, values):
        return compile(text, math=self.math, rules=self.rules, ignore_unused=True,
                       types={name: value.text() for name, value in values.items() if value.type
                              and re.search(rf"\b{name}\b", text)})

    def elementwise(self, text, values, shapes=()):
        """One program on all blocks; shapes: those of the array literals in it."""
        if not any(is_lazy(value.array) for value in values.values()):
            return self.at_once(text, values)
        across = reads_across(compile(text))
        if across is not None:
            refuse(f"weft.dask does not know {across!r}", Status.UNSUPPORTED)
        kind, = self.infer(text, values)
        named = kind.dims is not None
        arrays = {name: value for name, value in values.items() if value.type}
        if named:
            index = {name: value.type.names() or () for name, value in arrays.items()}
            out = kind.names()
            if shapes:  # literals lie along channels
                narrow = {dim.name for dim in kind.dims if dim.kind == "c"}
                arrays = {name: one_chunk(value, [i for i, dim in enumerate(index[name]) if dim in narrow])
                          for name, value in arrays.items()}
        else:
            for shape in shapes:
                wide = [-i - 1 for i, extent in enumerate(reversed(shape)) if extent != 1]
                arrays = {name: one_chunk(value, [value.array.ndim + i for i in wide if value.array.ndim + i >= 0])
                          for name, value in arrays.items()}
                beside = numpy.broadcast_to(numpy.uint8(0), shape)
                arrays[f"[{len(arrays)}]"] = Value(beside, Type("uint8", None, None, None))
            index = {name: tuple(range(value.array.ndim))[::-1] for name, value in arrays.items()}
            out = tuple(range(max(value.array.ndim for value in arrays.values())))[::-1]
        numbers = {name: value for name, value in values.items() if not value.type}
        return self.blocks(text, {**arrays, **numbers}, index, out, kind)

    def at_once(self, text, values):
        """A program of numbers and arrays of NumPy alone."""
        program = self.compile(text, values)
        values = {name: value for name, value in values.items() if name in program.inputs}
        got = program({name: value.array for name, value in values.items()})
        kind, = self.infer(text, values)
        return Value(numpy.asarray(got), kind)

    def blocks(self, text, values, index, out, kind=None, adjust=None, new=None):
        """A program on blocks, as dask.array.blockwise has it: index has symbols for the dimensions of each array, out
        for those of the result."""
        kind = kind or self.infer(text, values)[0]
        pairs, names, constants = [], [], {}
        for name, value in values.items():
            if value.type is None or not is_lazy(value.array) and value.array.ndim == 0:
                constants[name] = value.array
            else:
                names.append(name)
                array = value.array if is_lazy(value.array) else dask.array.from_array(value.array, chunks=-1)
                pairs += [array, index[name]]
        types = {name: value.type.unlabelled() for name, value in values.items()
                 if value.type and value.type.dims is not None and re.search(rf"\b{name}\b", text)}
        block = functools.partial(compute_block, text, self.math, self.rules, types, tuple(names), constants)
        dtype = kind.numpy()
        token = dask.base.tokenize(*block.args, [getattr(array, "name", array) for array in pairs], out,
                                   sorted((str(key), str(value)) for key, value in (adjust or {}).items()))
        return Value(dask.array.blockwise(block, out, *pairs, dtype=dtype, meta=numpy.empty((0,) * len(out), dtype),
                                          adjust_chunks=adjust, new_axes=new, concatenate=True, name=f"weft-{token}"),
                     kind)

    def each(self, text, x, adjust=None, **more):
        """A program of the rank of x on its blocks."""
        index = {"x": tuple(range(x.array.ndim))}
        for name, value in more.items():  # of the same rank
            index[name] = tuple(range(value.array.ndim)) if value.type else ()
        return self.blocks(text, {"x": x, **more}, index, tuple(range(x.array.ndim)), None, adjust)

    # Selections

    def select(self, part):
        x = self.value([part.base])
        region = Region()
        name = self.name(region, x)
        inner = Region()
        written = [":".join([self.write(each, inner) for each in (item if isinstance(item, tuple) else (item,))])
                   for item in part.items]
        text = inner.program(f"{name}{'.' + part.dim if part.dim else ''}[{', '.join(written)}]")
        values = {**inner.values, name: x}
        if not any(is_lazy(value.array) for value in values.values()):
            return self.at_once(text, values)
        kind, = self.infer(text, values, inner.values)
        if part.dim:
            return self.select_dim(x, part, kind)
        key, taken, at = [], None, 0
        rank = x.array.ndim - sum(not is_new(item) and not is_dots(item) for item in part.items)
        for item in part.items:
            if is_dots(item):
                key += [slice(None)] * rank
                at += rank
            elif is_new(item):
                key.append(None)
            else:
                chosen = self.item(item)
                if isinstance(chosen, list):  # which dask does not take beside None
                    extent = x.array.shape[at]
                    chosen = Value(numpy.array([each % extent for each in chosen], numpy.int64),
                                   Type("int64", None, None, None))
                if isinstance(chosen, Value):
                    taken = len([each for each in key if not isinstance(each, int)]), chosen
                    chosen = slice(None)
                key.append(chosen)
                at += 1
        array = lazy(x.array)[tuple(key)]
        if taken:
            return self.take(Value(array, Type(x.type.dtype, None, None, None)), taken[1].plain(), taken[0], kind)
        return Value(array, kind)

    def item(self, item):
        """An integer, a slice, a list of integers, or the Value of positions."""
        if isinstance(item, tuple):
            return slice(*[self.whole_number(each) if each else None for each in item])
        if len(item) == 1 and isinstance(item[0], Group) and item[0].opening == "[":
            return [self.whole_number(each) for each in item[0].parts]
        value = self.value(item)
        if not is_lazy(value.array) and numpy.ndim(value.array) == 0:
            return self.whole_number(item)
        return value

    def select_dim(self, x, part, kind):
        axis = x.type.names().index(part.dim)
        labels, item = x.type.dims[axis].labels, part.items[0]
        if not isinstance(item, tuple) and any(is_string(each) for each in strings_of(item)):
            listed = len(part.items) > 1 or isinstance(item[0], Group)
            texts = [text for each in part.items for text in strings_of(each)]
            found = [label.strip() for text in texts for label in text[1:-1].split(",")]
            at = [labels.index(label) for label in found]
            chosen = at if listed or len(at) > 1 else at[0]
        else:
            chosen = self.item(item)
        if isinstance(chosen, Value):
            if chosen.type.dims:
                return self.in_one_chunk(f"take(x, i, axis={part.dim})", {"x": x, "i": chosen}, kind)
            return self.take(x.plain(), chosen.plain(), axis, kind)
        return Value(lazy(x.array)[(slice(None),) * axis + (chosen,)], kind)

    def take(self, x, i, axis, kind):
        """Positions along one dimension; x and i are plain."""
        if is_lazy(x.array) and not is_lazy(i.array):
            extent = x.array.shape[axis]
            at = i.array.astype(numpy.int64)
            at = numpy.where(at < 0, at + extent, at)
            inside = (at >= 0) & (at < extent)
            got = dask.array.take(x.array, numpy.where(inside, at, 0).ravel(), axis=axis)
            got = got.reshape(x.array.shape[:axis] + at.shape + x.array.shape[axis + 1:])
            if not inside.all():
                warnings.warn("a position lies outside; such elements are 0", Remark, stacklevel=8)
                beside = inside.reshape(inside.shape + (1,) * (x.array.ndim - axis - 1))
                got = self.elementwise("where(m, x, 0)", {"x": Value(got, x.type), "m": Value(beside, boolean())}).array
            return Value(got, kind)
        return self.gathered(f"take(x, i, axis={axis})", x, i, [axis], range(i.array.ndim), axis, kind)

    def gathered(self, text, x, i, axes, lead, place, kind):
        """A program that reads x at positions along axes, of which x has one chunk; lead: the dimensions of i that the
        result has, place: where they stand among x's others."""
        if is_lazy(x.array) and any(x.array.numblocks[axis] > 1 for axis in axes):
            refuse(f"{text!r} reads x at positions anywhere along dimensions that lie in several chunks; give x one "
                   f"chunk there, as in x.rechunk({{{', '.join(f'{axis}: -1' for axis in axes)}}})",
                   Status.UNSUPPORTED)
        of_x = [f"x{d}" for d in range(x.array.ndim)]
        of_i = [f"i{d}" for d in range(i.array.ndim)]
        i = one_chunk(i, [d for d in range(i.array.ndim) if d not in lead])
        others = [symbol for d, symbol in enumerate(of_x) if d not in axes]
        out = others[:place] + [of_i[d] for d in lead] + others[place:]
        return self.blocks(text, {"x": x, "i": i}, {"x": tuple(of_x), "i": tuple(of_i)}, tuple(out)).with_type(kind)

    # Calls

    def call(self, part):
        function = OTHER_NAMES.get(part.function, part.function)
        parameters, kinds = FUNCTIONS[function]
        arguments, operands = {}, []
        for position, (name, expression) in enumerate(part.arguments):
            if function in ("concat", "stack") and name is None:
                operands.append(expression)
                continue
            if name is None:
                name = parameters[position]
            elif name not in parameters:
                name = OTHER_PARAMETERS.get(name, name)
            if name in arguments:  # a third one by position, as the mode of gather
                name = next(each for each in parameters if each not in arguments)
            arguments[name] = expression
        values, inner, written = {}, Region(), []
        region = Region()
        literal = {"k"} if function in ("correlate", "convolve") else set()
        named = any(self.value(expression).type.dims for expression in operands)
        for expression in operands:  # beside names an array literal is one (8.4), as a variable it is not
            value = self.value(expression)
            bare = named and is_list(expression) and not value.type.dims and not is_lazy(value.array)
            written.append(self.write(expression, region) if bare else self.name(region, value))
        for name, letter in zip(parameters, kinds):
            if name not in arguments:
                continue
            expression = arguments[name]
            if function == "isclose" and is_literal(self.unbound(expression)):  # it keeps its full value
                written.append(f"{name}={plain_text(self.unbound(expression))}")
            elif letter == "x" and name not in literal:
                values[name] = self.value(expression)
                if function == "vecdot" and is_literal(expression):
                    values[name] = Value(values[name].array.item(), None)
                written.append(f"{name}={self.name(region, values[name])}")
            elif letter in RAW and not (self.is_bound(expression) and values["x"].type.dims is None):
                written.append(f"{name}={plain_text(expression)}")
            else:
                written.append(f"{name}={self.write(expression, inner)}")
        sizes = set(inner.values)
        inner.values.update(region.values)
        text = inner.program(f"{function}({', '.join(written)})")
        if function == "extent":
            x = values["x"]
            stand_in = numpy.broadcast_to(numpy.zeros((), x.type.numpy()), x.array.shape)
            got = self.at_once(text, {name: Value(stand_in, value.type) if value is x else value
                                      for name, value in inner.values.items()})
            return Value(int(got.array), None) if self.rules == "numpy" else got
        if not any(is_lazy(value.array) for value in inner.values.values()) and function != "arange":
            return self.at_once(text, inner.values)
        if function == "isclose":
            return self.elementwise(text, inner.values)
        kind, = self.infer(text, inner.values, sizes)
        if function in WINDOWS:
            return self.window(text, inner.values, kind)
        if operands:
            return getattr(self, function)(operands, arguments, kind)
        if function in REDUCTIONS:
            return self.reduction(function, values["x"], arguments, kind)
        handler = getattr(self, "call_" + function, None)
        if handler is None:
            return self.in_one_chunk(text, inner.values, kind)
        return handler(values, arguments, kind)

    def unbound(self, expression):
        """What a name alone is bound to in the text, through further names."""
        while self.is_bound(expression):
            expression = self.text.bindings[expression[0].name]
        return expression

    def is_bound(self, expression):
        """Whether it is the name of a binding; of a named value's dimensions another one may have it."""
        return len(expression) == 1 and isinstance(expression[0], Name) and expression[0].name in self.text.bindings

    def in_one_chunk(self, text, values, kind):
        """What is computed at once, of operands that are in one chunk each."""
        for name, value in values.items():
            if is_lazy(value.array) and any(count != 1 for count in value.array.numblocks):
                refuse(f"{text!r} reads elements of several chunks anywhere; rechunk the arrays to one chunk each, "
                       "x.rechunk(-1)", Status.UNSUPPORTED)
        index = {name: tuple(f"{name}{d}" for d in range(value.array.ndim)) for name, value in values.items()
                 if value.type}
        shape = kind.shape
        if "?" in shape:
            refuse(f"the shape of {text!r} depends on elements, which are not known yet", Status.UNSUPPORTED)
        out = tuple(f"r{d}" for d in range(len(shape)))
        return self.blocks(text, values, index, out, kind, None, {f"r{d}": extent for d, extent in enumerate(shape)})

    def axes(self, expression, x, default=None):
        """The numbers of dimensions that an argument says."""
        if expression is None:
            return list(default)
        rank = x.array.ndim
        names = x.type.names()
        if len(expression) == 1 and is_string(expression[0]):
            word = expression[0][1:-1]
            if names is None:
                return [x.type.layout.index(letter) for letter in word]
            return [axis for each in word.split(",") for axis in named_axes(each.strip(), x)]
        if len(expression) == 1 and isinstance(expression[0], Group):
            group = expression[0]
            return [axis for each in group.parts for axis in self.axes(each, x)]
        if names is not None and len(expression) == 1 and isinstance(expression[0], Name):
            return named_axes(expression[0].name, x)
        return [self.whole_number(expression) % rank]

    def listed(self, expression):
        """A number or a list of them, also by a name."""
        if is_list(expression):
            return [self.listed(each) for each in expression[0].parts]
        if len(expression) == 1 and isinstance(expression[0], Name) and expression[0].name in self.text.bindings:
            return self.listed(self.text.bindings[expression[0].name])
        value = self.constant(expression)
        return value.tolist()

    def spatial(self, x):
        """Where axes are not named: the spatial dimensions of a named value."""
        return [d for d, dim in enumerate(x.type.dims) if dim.kind == "s"]

    def call_reshape(self, values, arguments, kind):
        if "?" in kind.shape:
            refuse("the shape of a reshape has to be known before anything is computed; give numbers",
                   Status.UNSUPPORTED)
        array = lazy(values["x"].array)
        try:
            return Value(array.reshape(kind.shape), kind)
        except NotImplementedError:  # extents that dask neither merges nor splits
            return Value(array.reshape(-1).reshape(kind.shape), kind)

    def call_squeeze(self, values, arguments, kind):
        x = values["x"]
        return Value(lazy(x.array).squeeze(axis=tuple(axis % x.array.ndim for axis in
                                                      flat(self.listed(arguments["axes"])))), kind)

    def call_expand_dims(self, values, arguments, kind):
        array = lazy(values["x"].array)
        for axis in sorted(flat(self.listed(arguments["axes"]))):
            array = array[(slice(None),) * axis + (None,)]
        return Value(array, kind)

    def call_reinterpret(self, values, arguments, kind):
        x = values["x"]
        if "shape" in arguments:
            return self.in_one_chunk(f"reinterpret(x, {kind.dtype}, shape={list(kind.shape)})", {"x": x}, kind)
        last = x.array.ndim - 1
        if x.type.numpy().itemsize == kind.numpy().itemsize:
            return self.each(f"reinterpret(x, {kind.dtype})", x).with_type(kind)
        return self.each(f"reinterpret(x, {kind.dtype})", one_chunk(x, [last]),
                         {last: kind.shape[-1]}).with_type(kind)

    def call_transpose(self, values, arguments, kind):
        x = values["x"]
        return Value(lazy(x.array).transpose(self.axes(arguments.get("axes"), x, range(x.array.ndim)[::-1])), kind)

    call_unnamed = call_transpose

    def call_named(self, values, arguments, kind):
        return values["x"].with_type(kind)

    call_rename = call_named

    def call_flip(self, values, arguments, kind):
        x = values["x"]
        dims = [d for d in range(x.array.ndim) if not x.type.dims or x.type.dims[d].kind != "b"]
        axes = self.axes(arguments.get("axes"), x, dims)
        return Value(lazy(x.array)[tuple(slice(None, None, -1) if d in axes else slice(None)
                                         for d in range(x.array.ndim))], kind)

    def call_roll(self, values, arguments, kind):
        x = values["x"]
        axes = self.axes(arguments.get("axes"), x, [x.array.ndim - 1])
        shifts = flat(self.listed(arguments["shifts"]))
        array = lazy(x.array)
        for axis, shift in zip(axes, shifts * len(axes) if len(shifts) == 1 else shifts):
            extent = array.shape[axis]
            array = self.around(array, axis, shift % extent, -(shift % extent), "wrap") if extent else array
        return Value(array, kind)

    def call_broadcast_to(self, values, arguments, kind):
        x = values["x"]
        return Value(dask.array.broadcast_to(aligned(x, kind.names()), kind.shape), kind)

    def call_tile(self, values, arguments, kind):
        return Value(dask.array.tile(lazy(values["x"].array), flat(self.listed(arguments["counts"]))), kind)

    def call_repeat(self, values, arguments, kind):
        x = values["x"]
        axis, = self.axes(arguments["axis"], x)
        return Value(dask.array.repeat(lazy(x.array), self.whole_number(arguments["n"]), axis=axis), kind)

    # Joining

    def concat(self, operands, arguments, kind):
        return self.join(operands, kind, lambda x: self.axes(arguments.get("axis"), x, [0])[0])

    def stack(self, operands, arguments, kind):
        """The new dimension is the one that no operand has."""
        if kind.dims:
            lacking = [dim.name for dim in kind.dims]
            for value in map(self.value, operands):
                lacking = [name for name in lacking if name not in (value.type.names() or ())]
            return self.join(operands, kind, None, kind.names().index(lacking[0]))
        axis = self.axes(arguments.get("axis"), Value(numpy.empty((1,) * len(kind.shape)), kind), [0])[0]
        return self.join(operands, kind, None, axis)

    def join(self, operands, kind, axis_of, new=None):
        """All are converted to the type of the result first; an array literal keeps its full values for that."""
        arrays, axis = [], new
        channels = [dim for operand in operands for dim in self.value(operand).type.dims or () if dim.kind == "c"]
        for operand in operands:
            value = self.value(operand)
            if value.type.dtype != kind.dtype or not is_lazy(value.array):
                none = Value(numpy.empty((0,) + value.array.shape[1:], kind.numpy()),
                             Type(kind.dtype, None, None, None))
                if value.array.ndim == 0:
                    value = self.value(operand, kind.dtype + "({})").with_type(value.type)
                elif is_lazy(value.array):
                    value = self.converted(value, kind)
                else:
                    region = Region()
                    name = self.name(region, none)
                    written = self.write(operand, region)
                    if value.type.dims is None:
                        value = self.at_once(region.program(f"concat({name}, {written}, axis=0)"), region.values)
                    else:
                        value = self.converted(value, kind)
            if kind.dims and channels and value.array.ndim == 1 and not value.type.dims:
                value = value.with_type(value.type._replace(dims=(channels[0]._replace(labels=None),)))
            if axis_of:
                axis = axis_of(value) if axis is None else axis
                at = kind.names().index(value.type.names()[axis_of(value)]) if kind.dims else axis
                array = aligned(value, kind.names())
                if kind.dims:
                    shape = [array.shape[d] if d == at else extent for d, extent in enumerate(kind.shape)]
                    array = dask.array.broadcast_to(array, shape)
                axis = at if kind.dims else axis
            elif kind.dims:
                array = aligned(value, kind.names())
                shape = [1 if d == new else extent for d, extent in enumerate(kind.shape)]
                array = dask.array.broadcast_to(array, shape)
            else:
                array = lazy(value.array)[(slice(None),) * new + (None,)]
            arrays.append(array)
        return Value(dask.array.concatenate(arrays, axis=axis), kind)

    def converted(self, value, kind):
        """Promotion, which no literal takes part in: concat does it."""
        x = value.plain() if is_lazy(value.array) else Value(lazy(value.array), value.plain().type)
        block = functools.partial(convert_block, kind.dtype, self.math, self.rules)
        array = x.array.map_blocks(block, dtype=kind.numpy(), meta=numpy.empty((0,) * x.array.ndim, kind.numpy()))
        return Value(array, Type(kind.dtype, value.type.dims, value.type.layout, None))

    def call_take(self, values, arguments, kind):
        x, i = values["x"], values["i"]
        if x.type.dims or i.type.dims:
            axis = plain_text(arguments["axis"])
            if i.type.dims or not x.type.dims:
                return self.in_one_chunk(f"take(x, i, axis={axis})", values, kind)
        return self.take(x.plain(), i.plain(), self.axes(arguments.get("axis"), x, [0])[0], kind)

    def call_gather(self, values, arguments, kind, function="gather", position="i"):
        x, i = values["x"], values[position]
        count = int(i.array.shape[-1])
        axes = self.axes(arguments.get("axes"), x, range(count))
        text = f"{function}(x, i, axes={axes}{self.mode_text(arguments)})"
        return self.gathered(text, x.plain(), i.plain(), axes, range(i.array.ndim - 1), 0, kind)

    def call_sample(self, values, arguments, kind):
        return self.call_gather(values, arguments, kind, "sample", "at")

    def mode_text(self, arguments):
        mode = arguments.get("mode")
        if mode is None:
            return ""
        if is_list(mode):
            return ", mode=[" + ", ".join(self.one_mode(each) for each in mode[0].parts) + "]"
        return ", mode=" + self.one_mode(mode)

    def one_mode(self, mode):
        return mode[0] if is_string(mode[0]) else repr(self.constant(mode).item())

    def window(self, text, values, kind):
        """Positions and noise, which read no element: each block computes its own of the whole."""
        head, _, last = text.rpartition("\n")
        if "?" in kind.shape:
            refuse(f"the shape of {last!r} has to be known before anything is computed", Status.UNSUPPORTED)
        constants = {}
        for name, value in values.items():
            if is_lazy(value.array):
                if value.array.ndim == 0 and not re.match(rf"\w+\(x={name}\b", last):
                    refuse(f"{last!r} takes numbers that are known before anything is computed; compute() them first")
                constants[name] = numpy.broadcast_to(numpy.zeros((), value.type.numpy()), value.array.shape)
            else:
                constants[name] = value.array
        bounds = [f"a{d}_:b{d}_" for d in range(len(kind.shape))]
        suffix = f"[{', '.join(bounds)}]" if kind.dims is None else \
            "".join(f".{name}[{bound}]" for name, bound in zip(kind.names(), bounds))
        text = (head + "\n" if head else "") + f"({last}){suffix if kind.shape else ''}"
        types = {name: value.type.unlabelled() if value.type.dims is not None else value.text()
                 for name, value in values.items() if value.type}
        block = functools.partial(window_block, text, self.math, self.rules, types,
                                  {name: (value.shape, value.dtype) if is_stand_in(value) else value
                                   for name, value in constants.items()})
        return Value(dask.array.map_blocks(block, chunks=self.chunks_for(kind, values), dtype=kind.numpy(),
                                           meta=numpy.empty((0,) * len(kind.shape), kind.numpy()),
                                           name=f"weft-{dask.base.tokenize(*block.args, kind.shape)}"), kind)

    def chunks_for(self, kind, values):
        """Chunks of an operand with this extent, else dask's own."""
        chunks = []
        arrays = [value.array for value in values.values() if is_lazy(value.array)]
        for d, extent in enumerate(kind.shape):
            alike = [array.chunks[d] for array in arrays if array.ndim == len(kind.shape) and array.shape[d] == extent]
            alike += [each for array in arrays for each in array.chunks if sum(each) == extent]
            chunks.append(alike[0] if alike else "auto" if extent > 1 else 1)
        return dask.array.core.normalize_chunks(tuple(chunks), kind.shape, dtype=kind.numpy())
