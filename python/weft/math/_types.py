"""Types of elements and the precision of floats (B4 of the contract: docs/math.md, "Types")."""
from __future__ import annotations

import contextlib
import threading
from typing import Any, Iterator, Union

import numpy

BITS = {bool: (8,), int: (8, 16, 32, 64), float: (16, 32, 64), complex: (64, 128)}
USUAL = {bool: 8, int: 32, float: 32, complex: 64}
NAMES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
         "float32", "float64")


class DType:
    """The type of a tensor's elements: a kind, one of Python's bool, int and float (complex is known, but no tensor
    has it), and a number of bits. `precision` is that of floats, in place of bits. Immutable and hashable.

    >>> DType(float, 32), DType(int, 64), DType(bool), DType(complex, precision=32)
    (float32, int64, bool8, complex64)
    >>> DType(float, 32).itemsize
    4

    Raises TypeError for another kind, ValueError for bits that the kind does not have.
    """

    __slots__ = ("_kind", "_bits", "_name")

    def __init__(self, kind: type, bits: int | None = None, precision: int | None = None) -> None:
        if kind not in BITS:
            raise TypeError(f"a DType's kind is bool, int, float or complex, not {kind!r}")
        if precision is not None:
            if bits is not None:
                raise ValueError("give bits or precision, not both")
            if kind not in (float, complex):
                raise ValueError(f"precision is of floats, not of {kind.__name__}; give bits")
            bits = precision * 2 if kind is complex else precision
        bits = USUAL[kind] if bits is None else bits
        if bits not in BITS[kind]:
            raise ValueError(f"{kind.__name__} has {listed(BITS[kind])} bits, not {bits}")
        self._kind, self._bits = kind, bits
        self._name = "bool" if kind is bool else f"{kind.__name__}{bits}"

    @property
    def kind(self) -> type:
        """Python's bool, int, float or complex; int for unsigned integers, too."""
        return self._kind

    @property
    def bits(self) -> int:
        """Bits of an element."""
        return self._bits

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._bits // 8

    @property
    def precision(self) -> int:
        """Bits of a float, of each part of a complex number. ValueError for other kinds."""
        if self._kind not in (float, complex):
            raise ValueError(f"{self} has no precision; it is of floats")
        return self._bits // 2 if self._kind is complex else self._bits

    @property
    def name(self) -> str:
        """The name in the language and in NumPy: uint8, bfloat16, bool."""
        return self._name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DType) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __repr__(self) -> str:
        return "bool8" if self._name == "bool" else self._name

    def __reduce__(self) -> tuple[Any, ...]:
        return named, (self._name,) if self._kind is not complex else (f"complex{self._bits}",)


DTypeLike = Union[DType, type, "tuple[type, int]", str, "numpy.dtype[Any]"]


def listed(values: tuple[Any, ...]) -> str:
    texts = [str(value) for value in values]
    return texts[0] if len(texts) == 1 else ", ".join(texts[:-1]) + " or " + texts[-1]


def _make(name: str) -> DType:
    kind = bool if name == "bool" else int if "int" in name else float
    made = DType(kind, int("".join(filter(str.isdigit, name)) or 8))
    made._name = name
    return made


ALL = {name: _make(name) for name in NAMES}


def named(name: str) -> DType:
    """The DType of that name. TypeError for what tensors do not have."""
    if name in ALL:
        return ALL[name]
    if name == "bool8":
        return ALL["bool"]
    if name.startswith("complex"):
        return DType(complex, int(name[7:]))
    raise TypeError(f"tensors have no elements of type {name}; they have {', '.join(NAMES)}")


def name_of(dtype: DTypeLike | None) -> str:
    """The name of what a caller gave as dtype; None is a float of the current precision."""
    if dtype is None or dtype is float:
        return floating()
    if isinstance(dtype, tuple):
        dtype = DType(*dtype)
    if isinstance(dtype, DType):
        found = dtype
    elif dtype is bool:
        found = ALL["bool"]
    elif dtype is int:
        found = ALL["int32"]
    elif dtype is complex:
        found = DType(complex)
    else:
        found = named(dtype if isinstance(dtype, str) else numpy.dtype(dtype).name)
    if found.kind is complex:
        raise TypeError("tensors have no complex elements yet; keep the real and the imaginary part in two")
    return found.name


# The promotion of integers (docs/language.md, section 3).

def _promoted() -> dict[tuple[str, str], str]:
    table = {}
    integers = [name for name in NAMES if "int" in name] + ["bool"]
    for a in integers:
        for b in integers:
            table[a, b] = _promotion(a, b)
    return table


def _width(name: str) -> tuple[int, bool]:
    """Bits, and whether signed. bool counts as one unsigned bit."""
    return (1, False) if name == "bool" else (ALL[name].bits, name[0] == "i")


def _promotion(a: str, b: str) -> str:
    (x, signed), (y, other) = _width(a), _width(b)
    if signed == other:
        return a if x >= y else b
    if other:
        x, y = y, x  # x: the signed one's
    return f"int{x if x > y else min(2 * y, 64)}"


PROMOTED = _promoted()
FLOATS = frozenset(name for name in NAMES if "float" in name)
FLOAT_ORDER = ("float16", "bfloat16", "float32", "float64")


def promote(a: str, b: str) -> str:
    """The type that two types of elements meet in (docs/language.md, section 3)."""
    if a == b:
        return a
    if a in FLOATS:
        if b not in FLOATS:
            return a
        if {a, b} == {"float16", "bfloat16"}:
            return "float32"
        return max(a, b, key=FLOAT_ORDER.index)
    return b if b in FLOATS else PROMOTED[a, b]


class _Precision(threading.local):
    now: str | None = None  # within a `with precision(..)` of this thread


_everywhere = "float32"
_here = _Precision()


def _checked(bits: int) -> str:
    if bits not in BITS[float]:
        raise ValueError(f"a precision is {listed(BITS[float])} bits, not {bits!r}")
    return f"float{bits}"


def floating() -> str:
    """The name of the float type of the current precision."""
    return _here.now or _everywhere


def get_precision() -> int:
    """Bits of floats that operations written now compute in: that of the innermost `with precision(..)` of this
    thread, else the global one, which is 32 at the start.

    >>> get_precision()
    32
    """
    return ALL[floating()].bits


def set_global_precision(floating_point_bits: int) -> None:
    """Sets the precision of operations in all threads that are in no `with precision(..)`: 16, 32 or 64, else
    ValueError.

    >>> set_global_precision(64)
    >>> math.wrap(1.5).dtype
    float64
    >>> set_global_precision(32)
    """
    global _everywhere
    _everywhere = _checked(floating_point_bits)


def precision(floating_point_bits: int) -> contextlib.AbstractContextManager[None]:
    """Within it, operations that this thread writes compute in floats of so many bits: 16, 32 or 64, else ValueError.
    A tensor keeps the precision that it was written with, whenever it is evaluated.

    >>> with precision(64):
    ...     math.sqrt(math.wrap(2.0)).dtype
    float64
    """
    return _within(_checked(floating_point_bits))


@contextlib.contextmanager
def _within(name: str) -> Iterator[None]:
    before, _here.now = _here.now, name
    try:
        yield
    finally:
        _here.now = before
