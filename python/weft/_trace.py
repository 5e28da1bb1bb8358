"""weft.Trace: the values of a program on the way to its results."""
from html import escape
from math import isnan
from typing import NamedTuple


class Traced(NamedTuple):
    """A value of a program: an expression of its text, or what a call such as softmax(x) is made of, which has the text
    of the call. Numbers are Python's: int, float or bool; None where there is none."""

    name: str                       # of the binding or the result that it is; "" if it is neither
    text: str
    line: int                       # from 1
    column: int                     # from 1, in characters
    how: str                        # "* in int32, operand 1 from uint8"
    type: str                       # "uint8[480, 640, 3]@HWC"
    dtype: str
    shape: tuple
    smallest: float | None        # of the elements that are not NaN
    largest: float | None
    mean: float | None            # of those that are finite; of bools the share of True
    nan: int                        # how many are NaN,
    inf: int                        # and how many infinite
    at: tuple | None              # the position of the element that the result at trace(at=..) is computed from
    element: float | None


class Trace(tuple):
    """The values of a program, each a weft.Traced, in the order in which they are computed. It prints as a table, also
    in notebooks."""

    table: str

    def __str__(self):
        return self.table

    __repr__ = __str__

    def _repr_html_(self):
        names = [name for name in Traced._fields if name not in ("name", "line", "column", "dtype", "shape")]
        if all(value.at is None for value in self):
            names = names[:-2]
        head = "".join(f"<th>{name}</th>" for name in ["place"] + names)
        return f"<table><tr>{head}</tr>{''.join(row(value, names) for value in self)}</table>"


def row(value, names):
    texts = {name: "" if getattr(value, name) is None else str(getattr(value, name)) for name in names}
    if value.name and value.name != value.text:
        texts["text"] = f"{value.name} = {value.text}"
    cells = "".join(f"<td>{escape(text)}</td>" for text in texts.values())
    return f"<tr><td>{value.line}:{value.column}</td>{cells}</tr>"


def number(text):
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return float(text) if text else None


def make(traced):
    """Of what Program._trace returns: a list of tuples, and the table."""
    rows, table = traced
    trace = Trace(read(Traced._make(row)) for row in rows)
    trace.table = table
    return trace


def read(value):
    return value._replace(smallest=number(value.smallest), largest=number(value.largest), element=number(value.element),
                          mean=None if isnan(value.mean) else value.mean)
