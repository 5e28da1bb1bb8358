"""What a tensor that waits will do (docs/math.md, "When values come")."""
from __future__ import annotations

from typing import Any, Sequence

from weft.math._graph import Operation, Parts, program_for
from weft.math._making import Value, as_tensor
from weft.math._tensors import Tensor, parts_of


class Explanation:
    """The program of tensors that wait (text), its inputs, and its kernels; in a notebook, with the sources."""

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        waiting = [part for each in tensors for part in parts_of(each)[:1] if type(part._source) is Operation]
        self.parts = any(type(each._source) is Parts for each in tensors)
        self.text, self.kernels, self.inputs, self.html = "", "", "", ""
        if not waiting:
            return
        program, values = program_for(waiting)
        given = {name: _typed(value, program.types or {}, name) for name, value in values.items()}
        self.text = program.text
        self.kernels = program.source("groups", **given).rstrip("\n")
        self.inputs = "\n".join(f"  {name}: {text}" for name, text in given.items())
        self.html = program.html(**given)

    def __repr__(self) -> str:
        if not self.text:
            return "nothing waits: the values are there"
        each = "\n(of each part of unlike size)" if self.parts else ""
        return f"program:{each}\n{_indented(self.text)}\ninputs:\n{self.inputs}\nkernels:\n{_indented(self.kernels)}"

    def _repr_html_(self) -> str:
        return self.html or "<p>nothing waits: the values are there</p>"


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())


def _typed(value: Any, types: dict[str, str], name: str) -> Any:
    from weft._program import type_of
    return value if isinstance(value, (bool, int, float)) else type_of(value, types.get(name, ""))


def explain(*values: Value) -> Explanation:
    """What will be done for tensors that wait: the program that their operations make, its inputs, and the kernels that
    it becomes. Nothing is computed. str() is the text; a notebook shows the sources, too.

    >>> u = math.wrap([1.0, 2.0], spatial("x"))
    >>> print(math.explain(u * 2 + 1).text)
    (float32(a0) * k1) + k2
    """
    return Explanation([as_tensor(value) for value in values])
