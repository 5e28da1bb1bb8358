"""Operators and functions of elements, conversions and reductions: shapes by matching, types by B4 of docs/named.md."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from weft.math import _types
from weft.math._graph import Constant, Data, Node, Number, Operation, Parts
from weft.math._making import NUMBERS, Hooks, Value, as_tensor, constant, number_type, operation, rounded
from weft.math._selections import ordered
from weft.math._shapes import EMPTY_SHAPE, DimsLike, Shape, chosen, listed, merge
from weft.math._types import ALL, FLOATS, PROMOTED, floating

if TYPE_CHECKING:
    from weft.math._tensors import Tensor

ARITHMETIC = {"+": "({} + {})", "-": "({} - {})", "*": "({} * {})", "/": "({} / {})", "//": "({} // {})",
              "%": "({} % {})", "**": "({} ** {})", "max": "max({}, {})", "min": "min({}, {})"}
COMPARED = {"==": "({} == {})", "!=": "({} != {})", "<": "({} < {})", "<=": "({} <= {})", ">": "({} > {})",
            ">=": "({} >= {})"}
BITWISE = {"&": "({} & {})", "|": "({} | {})", "^": "({} ^ {})", "<<": "({} << {})", ">>": "({} >> {})"}
OF_FLOATS = {"arctan2": "atan2({}, {})", "hypot": "hypot({}, {})", "copysign": "copysign({}, {})"}
OF_BOOLS = {"*": "({} & {})", "max": "({} | {})", "min": "({} & {})"}


def common_type(kinds: Sequence[str]) -> str:
    """The type in which operands of these meet: a float of the current precision if there is a float."""
    met = kinds[0]
    for kind in kinds:
        if kind in FLOATS:
            return floating()
        if kind != met:
            met = PROMOTED[met, kind]
    return met


class Plan:
    """What an operator does with operands of two types: the type that it computes in, that of the result, its text with
    a {} for each operand, and its texts for tensors, by whether the first and the second one are converted."""

    def __init__(self, symbol: str, a: str, b: str) -> None:
        compute: str | None = common_type((a, b))
        text = ARITHMETIC.get(symbol) or COMPARED.get(symbol) or BITWISE.get(symbol) or OF_FLOATS[symbol]
        if symbol == "/" or symbol in OF_FLOATS:
            compute = floating()
        elif symbol in COMPARED:
            if a not in FLOATS and b not in FLOATS:
                compute = None  # integers compare by value
        elif symbol in BITWISE:
            for kind in a, b:
                if kind in FLOATS:
                    raise TypeError(f"{symbol} is of integers and bool, and an operand is {kind}; cast it, as in "
                                    "math.to_int32(x)")
            if compute == "bool" and symbol in ("<<", ">>"):
                compute = "int32"
        elif compute == "bool":
            if symbol in OF_BOOLS:
                text = OF_BOOLS[symbol]
            else:
                compute = "int32"
        self.compute = compute
        self.result = "bool" if symbol in COMPARED else compute or ""
        convert = f"{compute}(%s)"
        self.template = text.replace("%", "%%")
        self.texts = {(x, y): self.template.format(convert if x else "%s", convert if y else "%s")
                      for x in (False, True) for y in (False, True)}


_plans: dict[tuple[str, str, str, str], Plan] = {}


def binary(symbol: str, a: Value, b: Value) -> Tensor:
    """An operator of two operands."""
    if type(b) in NUMBERS:
        if isinstance(a, Node) and type(a._source) in OF_ELEMENTS:
            return with_number(symbol, a, b, False)
    elif type(a) in NUMBERS and isinstance(b, Node) and type(b._source) in OF_ELEMENTS:
        return with_number(symbol, b, a, True)
    if not isinstance(a, Node):
        a = as_tensor(a, b if isinstance(b, Node) else None)
    if not isinstance(b, Node):
        b = as_tensor(b, a)
    s, r = type(a._source), type(b._source)
    if s is Parts or r is Parts:
        return Hooks.spread(lambda a, b: binary(symbol, a, b), a, b)
    key = symbol, a._type, b._type, floating()
    plan = _plans.get(key)
    if plan is None:
        plan = _plans[key] = Plan(*key[:3])
    compute = plan.compute
    if symbol == "**" and r is Constant:
        check_power(compute, b._source.value)
    shape = merge(a._shape, b._shape)
    if s is Constant:
        a = met(a, b._shape, shape, compute)
    if r is Constant:
        b = met(b, a._shape, shape, compute)
    text = plan.texts[compute is not None and a._type != compute, compute is not None and b._type != compute]
    return operation(shape, plan.result, text, (a, b))


def check_power(compute: str | None, exponent: Any) -> None:
    if compute not in FLOATS and exponent < 0:
        raise ValueError(f"integers to the power {exponent} are none; make a float of the base, as in math.to_float(x)")


OF_ELEMENTS = frozenset((Data, Operation))  # sources of values, element by element
_with_number: dict[tuple[str, str, str, str, bool], tuple[str, str, str]] = {}


def with_number(symbol: str, t: Tensor, value: Any, first: bool) -> Tensor:
    """An operator of a tensor and a number of Python's, which comes with the run, so that programs that differ in
    numbers are one. `first`: whether the number is the first operand."""
    kind = number_type(value)
    key = symbol, t._type, kind, floating(), first
    found = _with_number.get(key)
    if found is None:
        plan = Plan(symbol, kind, t._type) if first else Plan(symbol, t._type, kind)
        own = "%s" if plan.compute in (None, t._type) else f"{plan.compute}(%s)"
        text = plan.template.format("%s", own) if first else plan.template.format(own, "%s")
        found = _with_number[key] = text, plan.result, plan.compute or kind
    text, result, compute = found
    if symbol == "**" and not first:
        check_power(compute, value)
    value = float(value) if compute in FLOATS else bool(value) if compute == "bool" else int(value)
    number = Number(value, compute)
    return operation(merge(t._shape, EMPTY_SHAPE), result, text, (number, t) if first else (t, number))


def met(a: Tensor, other: Shape, shape: Shape, compute: str | None) -> Tensor:
    """A constant as an operand: of the type in which it is computed; of rank 0 where the others have all dimensions."""
    kind = a._type if compute is None else compute
    keeps = a._shape._dims and shape._names != merge(other, EMPTY_SHAPE)._names
    if kind == a._type and (keeps or not a._shape._dims):
        return a
    return constant(converted(a._source.value, kind), kind, a._shape if keeps else EMPTY_SHAPE, a._home)


def converted(value: Any, kind: str) -> Any:
    """A number in another type, as the language converts it."""
    if kind in FLOATS or kind == "bool":
        return value
    return int(value)


def joined(text: str, kinds: str, operands: Sequence[Tensor], result: str) -> Tensor:
    """An operation of several operands, which are converted to one type; text has a {} for each."""
    shape = merge(EMPTY_SHAPE, EMPTY_SHAPE)
    for each in operands:
        shape = merge(shape, each._shape)
    args = []
    parts = []
    for i, each in enumerate(operands):
        if type(each._source) is Constant:
            others = EMPTY_SHAPE
            for j, other in enumerate(operands):
                if j != i and type(other._source) is not Constant:
                    others = merge(others, other._shape)
            each = met(each, others, shape, kinds)
        args.append(each)
        parts.append("%s" if each._type == kinds else f"{kinds}(%s)")
    return operation(shape, result, text.format(*parts), tuple(args))


def unary(text: str, t: Tensor, kind: str, converts: bool) -> Tensor:
    """A function of one operand, in a type; text has a %s. The dimensions of the result are sorted."""
    if type(t._source) is Parts:
        return Hooks.spread(lambda t: unary(text, t, kind, converts), t)
    if converts and t._type != kind:
        if type(t._source) is Constant:
            t = constant(t._source.value, kind, t._shape, t._home)
        else:
            text = text % f"{kind}(%s)"
    return operation(merge(t._shape, EMPTY_SHAPE), kind, text, (t,))


def cast_to(t: Tensor, kind: str) -> Tensor:
    """Conversion by the language's rule: to an integer nearest and saturating. The dimensions of the result are sorted,
    but where there is nothing to convert."""
    if t._type == kind:
        return t
    if type(t._source) is Parts:
        return Hooks.spread(lambda t: cast_to(t, kind), t)
    if type(t._source) is Constant and (kind in FLOATS or t._type not in FLOATS and kind != "bool"
                                        and fits(t._source.value, kind)):
        value = rounded(t._source.value, t._type) if t._type in FLOATS else t._source.value
        return constant(value, kind, t._shape, t._home)
    return operation(merge(t._shape, EMPTY_SHAPE), kind, f"{kind}(%s)", (t,))


def fits(value: Any, kind: str) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    bits = ALL[kind].bits
    return bool(0 <= value < 2**bits) if kind[0] == "u" else bool(-2**(bits - 1) <= value < 2**(bits - 1))


# Reductions.

COUNTED = ("bool", "int8", "int16", "int32", "int64")


def reduce(name: str, t: Tensor, dims: DimsLike) -> Tensor:
    """A reduction over the dimensions of t that dims says."""
    over = chosen(dims, t._shape)
    if type(t._source) is Parts:
        return Hooks.reduce_parts(name, t, over)
    kind = t._type
    if name in ("sum", "prod"):
        kind = kind if kind in FLOATS else "int64" if kind in COUNTED else "uint64"
    elif name in ("mean", "std"):
        if kind not in FLOATS:
            kind = floating()
            left = t._shape.without(over)
            if kind == "float64" or t._type in ("int64", "uint64"):  # which float32 would round
                return ordered(cast_to(reduce(name, cast_to(t, "float64"), over), kind), left)
            if kind == "float16":
                with _types.precision(32):  # which mean of integers is
                    return ordered(cast_to(reduce(name, t, over), kind), left)
    elif name in ("any", "all"):
        kind = "bool"
    elif kind == "bool":
        name = "any" if name == "max" else "all"
    shape = t._shape.without(over)
    if name in ("min", "max"):
        for each in over:
            if t._shape.dim(each).size == 0 and shape.volume:
                raise ValueError(f"{name} over {each} of {t._shape}, which has no elements, has no value")
        return operation(shape, kind, f"{name}(%s, axes={listed(over)})", (t,), dear=True)
    return operation(shape, kind, f"{name}(%s, {listed(over)})", (t,), dear=True)
