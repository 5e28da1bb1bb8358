"""What lies outside of a grid: the constants ZERO, ONE, BOUNDARY, PERIODIC, SYMMETRIC, REFLECT and NONE, constants of
any number, and one for each side.

>>> extrapolation.combine_sides(x=extrapolation.PERIODIC, y=(extrapolation.ZERO, extrapolation.BOUNDARY))
{x: periodic, y: (zero, boundary)}
"""
from __future__ import annotations

import math
from typing import Any, Union

__all__ = ["BOUNDARY", "ConstantExtrapolation", "Extrapolation", "NONE", "ONE", "PERIODIC", "REFLECT", "SYMMETRIC",
           "ZERO", "as_extrapolation", "combine_sides"]


class Extrapolation:
    """What lies outside of a tensor along its dimensions. Immutable; equal ones compare equal."""

    def __init__(self, name: str, mode: str | None) -> None:
        self._name, self._mode = name, mode
        self._hash = hash(self._key())

    @property
    def name(self) -> str:
        """Its name."""
        return self._name

    def side(self, dim: str, upper: bool) -> Extrapolation:
        """What lies outside on one side of a dimension."""
        return self

    @property
    def mode(self) -> Any:
        """The language's mode: a word, a number, or None for NONE."""
        return self._mode

    @property
    def rank(self) -> int:
        """When it is padded: those of lower rank first."""
        return RANKS.get(self._name, 0)

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, Extrapolation) and type(self) is type(other) and \
            self._key() == other._key()

    def __hash__(self) -> int:
        return self._hash

    def _key(self) -> Any:
        return self._name

    def __repr__(self) -> str:
        return self._name


class ConstantExtrapolation(Extrapolation):
    """One number outside. It takes the type of what is padded.

    >>> extrapolation.ConstantExtrapolation(2.5)
    2.5
    """

    def __init__(self, value: Union[bool, int, float]) -> None:
        rank = getattr(value, "rank", 0)
        if rank:
            raise ValueError(f"a constant outside is one number, and a tensor of dimensions {value.shape} is given")
        if rank == 0 and hasattr(value, "default_backend"):
            [value] = value
        if not isinstance(value, (bool, int, float)):
            if not hasattr(value, "item"):
                raise TypeError(f"a constant outside is a number, not {value!r}")
            value = value.item()
        self.value = value
        super().__init__({0: "zero", 1: "one"}.get(value, str(value)) if value == value else "nan", None)

    @property
    def mode(self) -> Any:
        """The number."""
        return self.value

    @property
    def rank(self) -> int:
        """Constants are padded last."""
        return len(RANKS)

    def _key(self) -> Any:
        return "constant", self.value, math.copysign(1.0, self.value)


class _Sides(Extrapolation):
    def __init__(self, sides: dict[str, tuple[Extrapolation, Extrapolation]]) -> None:
        self.sides = sides
        super().__init__("sides", None)

    def side(self, dim: str, upper: bool) -> Extrapolation:
        if dim not in self.sides:
            raise ValueError(f"{self} says nothing of {dim}; add it to combine_sides")
        return self.sides[dim][upper]

    def _key(self) -> Any:
        return tuple(sorted(self.sides.items(), key=lambda item: item[0]))

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{dim}: {low}" if low == up else f"{dim}: ({low}, {up})"
                               for dim, (low, up) in self.sides.items()) + "}"


ZERO = ConstantExtrapolation(0)
ONE = ConstantExtrapolation(1)
BOUNDARY = Extrapolation("boundary", "edge")
PERIODIC = Extrapolation("periodic", "wrap")
SYMMETRIC = Extrapolation("symmetric", "symmetric")
REFLECT = Extrapolation("reflect", "reflect")
NONE = Extrapolation("none", None)

RANKS = {"periodic": 0, "boundary": 1, "symmetric": 2, "reflect": 3}
WORDS = {
    "zero": ZERO,
    "one": ONE,
    "boundary": BOUNDARY,
    "periodic": PERIODIC,
    "symmetric": SYMMETRIC,
    "reflect": REFLECT,
    "none": NONE,
}


def as_extrapolation(value: Any) -> Extrapolation:
    """An extrapolation of what stands for one: itself, a number, a name; a dict is combine_sides.

    >>> extrapolation.as_extrapolation(0) == extrapolation.ZERO
    True

    Raises ValueError for an unknown name, TypeError for what is none.
    """
    if isinstance(value, Extrapolation):
        return value
    if value is None:
        return NONE
    if isinstance(value, str):
        if value not in WORDS:
            raise ValueError(f"there is no extrapolation {value!r}; there are {', '.join(WORDS)}, and numbers")
        return WORDS[value]
    if isinstance(value, dict):
        return combine_sides(**value)
    return ConstantExtrapolation(value)


def combine_sides(**sides: Any) -> Extrapolation:
    """An extrapolation for each dimension, or a pair of them, for its lower and its upper side.

    >>> extrapolation.combine_sides(x=0, y=extrapolation.BOUNDARY)
    {x: zero, y: boundary}

    Raises ValueError for a pair with PERIODIC on one side alone.
    """
    made = {}
    for dim, value in sides.items():
        pair = value if isinstance(value, tuple) else (value, value)
        if len(pair) != 2:
            raise ValueError(f"{dim} has two sides, (lower, upper), and {len(pair)} are given")
        low, up = pair
        low, up = as_extrapolation(low), as_extrapolation(up)
        if (low == PERIODIC) != (up == PERIODIC):
            raise ValueError(f"{dim} is periodic on both sides or on none")
        for one in low, up:
            if isinstance(one, _Sides):
                raise ValueError(f"a side of {dim} is one extrapolation, not {one}")
        made[dim] = low, up
    return _Sides(made)
