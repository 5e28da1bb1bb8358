"""What a tensor is made of, and how the values of those that wait are computed: operations build one program, which the
C library compiles once for all equal ones (docs/math.md, "When values come")."""
from __future__ import annotations

from typing import Any, Iterable, Sequence, Union

import numpy

from weft import _errors
from weft._program import Program
from weft._use import in_use
from weft.math._backends import NUMPY, Home, moved
from weft.math._shapes import Shape, sized_text, typed

PROGRAMS = 4096  # kept, in a process
LINE = 100  # characters of an expression that is written where it is used
RAISES, QUIET = 1, 2  # what a position outside is: an error, nothing (of both, an error)
LIMIT = 64  # operations that wait before values are computed early


class Data:
    """Values: an array of a library, its axes in the order of the shape."""
    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array


class Sized(Data):
    """Values whose sizes choose the program: a kernel of correlate."""
    __slots__ = ()


class Constant:
    """One number for all elements."""
    __slots__ = ("value",)

    def __init__(self, value: Union[bool, int, float]) -> None:
        self.value = value


class Operation:
    """Values that wait: a text with a %s for each argument, a Node, or a Number where the language takes one. A text that
    begins with a parenthesis ends with its other one. `strict` says what a position outside is."""
    __slots__ = ("text", "args", "strict")

    def __init__(self, text: str, args: tuple[Any, ...], strict: int = 0) -> None:
        self.text, self.args, self.strict = text, args, strict


class Parts:
    """Tensors of unlike sizes, stacked along a dimension."""
    __slots__ = ("parts", "along")

    def __init__(self, parts: tuple[Any, ...], along: str) -> None:
        self.parts, self.along = parts, along


class Number:
    """An argument of an operation that comes with the run: a position, a seed, a constant outside."""
    __slots__ = ("value",)

    def __init__(self, value: Union[bool, int, float]) -> None:
        self.value = value


class Node:
    """What all tensors have: a shape, the name of their elements' type, where their values come from, the home of their
    data, and how many operations wait (counted as a tree until that is many), some of which read other elements than
    they compute."""
    __slots__ = ("_shape", "_type", "_source", "_home", "_weight", "_reads", "__weakref__")
    _shape: Shape
    _type: str
    _source: Any  # Data, Constant, Operation or Parts
    _home: Home | None
    _weight: int
    _reads: bool


# Writing a program.

class Written:
    """The text of a program for some nodes, with what it takes."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self.leaves: list[Any] = []
        self.types: dict[str, str] = {}
        self.strict = 0
        self.home: Home | None = None
        self.bindings: list[str] = []
        self.texts: dict[int, str] = {}
        order, uses = visit(roots)
        for node in order:
            self.add(node, uses[id(node)])
        results = [self.bare(node) for node in roots]
        if len(results) > 1:
            results = [f"r{i} = {text}" for i, text in enumerate(results)]
        self.text = "\n".join(self.bindings + ["return " + ", ".join(results) if len(roots) > 1 else results[0]])

    def add(self, node: Node, uses: int) -> None:
        source = node._source
        if type(source) is Operation:
            texts = self.texts
            text = source.text % tuple([self.number(arg.value) if type(arg) is Number else texts[id(arg)]
                                        for arg in source.args])
            self.strict |= source.strict
            if uses > 1 or len(text) > LINE:
                name = f"t{len(self.bindings)}"
                self.bindings.append(f"{name} = {text[1:-1] if source.text[0] == '(' else text}")
                text = name
        elif type(source) is Constant:
            text = f"{node._type}({self.number(source.value)})"
            if node._shape._dims:
                text = f'broadcast_to({text}, "{sized_text(node._shape)}")'
        else:
            text = self.data(node, source)
        self.texts[id(node)] = text

    def bare(self, node: Node) -> str:
        """The text of a result, without the parentheses that an operator has among others."""
        text, source = self.texts[id(node)], node._source
        return text[1:-1] if text[0] == "(" and type(source) is Operation and source.text[0] == "(" else text

    def number(self, value: Union[bool, int, float]) -> str:
        self.leaves.append(value)
        return f"k{len(self.leaves) - 1}"

    def data(self, node: Node, source: Any) -> str:
        name = f"a{len(self.leaves)}"
        self.leaves.append(source.array)
        if node._shape._dims:
            self.types[name] = f"({sized_text(node._shape)})" if type(source) is Sized else typed(node._shape)
        self.home = node._home if self.home is None or self.home.backend is NUMPY else self.home
        return name

    @property
    def key(self) -> tuple[Any, ...]:
        return self.text, tuple(self.types.values())


def visit(roots: Iterable[Node]) -> tuple[list[Node], dict[int, int]]:
    """The nodes that these are computed from, each after its arguments, and how often each is used. So few wait at a
    time that this may call itself."""
    order: list[Node] = []
    uses: dict[int, int] = {}

    def walk(node: Node) -> None:
        key = id(node)
        if key in uses:
            uses[key] += 1
            return
        uses[key] = 1
        source = node._source
        if type(source) is Operation:
            for arg in source.args:
                if type(arg) is not Number:
                    walk(arg)
        order.append(node)

    for node in roots:
        walk(node)
    return order, uses


def waiting(roots: Iterable[Node]) -> int:
    """How many operations wait for these nodes."""
    return sum(type(node._source) is Operation for node in visit(roots)[0])


# Running.

_programs: dict[tuple[Any, ...], tuple[Program, list[int]]] = {}


def program_of(written: Written, results: int) -> tuple[Program, list[int]]:
    """The program, and which of the leaves its inputs are."""
    context = in_use()
    key = (*written.key, context)
    found = _programs.get(key)
    if found is None:
        program = Program(written.text, types=written.types, context=context)
        found = program, [int(name[1:]) for name in program.inputs]
        if len(_programs) >= PROGRAMS:
            for old in list(_programs)[:PROGRAMS // 4]:
                _programs.pop(old, None)
        _programs[key] = found
    return found


def run(written: Written, leaves: Sequence[Any], results: int) -> Any:
    program, order = program_of(written, results)
    if not written.strict:
        return program(*[leaves[i] for i in order])
    with _errors.outside_is("raised" if written.strict & RAISES else "quiet"):
        return program(*[leaves[i] for i in order])


def compute(roots: Sequence[Node]) -> None:
    """Computes nodes that wait, by one program."""
    written = Written(roots)
    home = written.home
    leaves = written.leaves
    if home is not None and home.backend is not NUMPY:
        leaves = [home.take(leaf) for leaf in leaves]
    got = run(written, leaves, len(roots))
    for node, array in zip(roots, got if len(roots) > 1 else (got,)):
        keep(node, array, home)


def keep(node: Node, array: Any, home: Home | None) -> None:
    """Gives a node its values. A tensor that another thread sees has either these or what they were computed from."""
    if node._home is not None and node._home is not home:
        array = moved(array, node._home)
    node._source = Data(array)
    node._weight, node._reads = 0, False


def compute_parts(parts: Sequence[Node]) -> None:
    """Computes parts that wait: as one batch, where they differ in sizes alone."""
    waiting = [node for node in parts if type(node._source) is Operation]
    written = [Written([node]) for node in waiting]
    if len({(each.key, each.home) for each in written}) > 1 or len(written) == 1 or written and not batched(written):
        for node in waiting:
            compute([node])
        return
    if not written:
        return
    first = written[0]
    leaves = []
    for i, leaf in enumerate(first.leaves):
        each = [one.leaves[i] for one in written]
        if isinstance(leaf, (bool, int, float)):
            if any(number != leaf or type(number) is not type(leaf) for number in each):
                for node in waiting:
                    compute([node])
                return
            leaves.append(leaf)
        else:
            leaves.append(leaf if all(array is leaf for array in each) else each)
    if first.home is not None and first.home.backend is not NUMPY:
        take = first.home.take
        leaves = [[take(one) for one in leaf] if isinstance(leaf, list) else take(leaf) for leaf in leaves]
    got = run(first, leaves, 1)
    if isinstance(got, list):
        for node, array in zip(waiting, got):
            keep(node, array, first.home)
    else:
        for node in waiting:
            keep(node, got, first.home)


def batched(written: Sequence[Written]) -> bool:
    """Whether the leaves of each kind have one type, as the samples of a batch do."""
    def kinds(one: Written) -> list[tuple[Any, ...]]:
        return [(getattr(leaf, "dtype", type(leaf)), getattr(leaf, "ndim", 0)) for leaf in one.leaves]
    first = kinds(written[0])
    return all(kinds(one) == first for one in written[1:])


def evaluate(nodes: Iterable[Node]) -> None:
    """Computes what waits of these nodes: all that are uniform by one program."""
    roots: dict[int, Node] = {}
    parts: list[Parts] = []
    for node in nodes:
        source = node._source
        if type(source) is Operation:
            roots[id(node)] = node
        elif type(source) is Parts:
            parts.append(source)
    if roots:
        compute(list(roots.values()))
    for each in parts:
        compute_parts(each.parts)


def array_of(node: Node) -> Any:
    """The values of a node that is uniform, in its home; those of a constant take no memory."""
    source = node._source
    if type(source) is Operation:
        compute([node])
        source = node._source
    if type(source) is Constant:
        sizes = tuple(dim.size for dim in node._shape._dims)
        dtype = NUMPY.dtype(node._type)
        array = numpy.broadcast_to(numpy.array(source.value).astype(dtype), sizes)
        return array if node._home is None else moved(array, node._home)
    assert type(source) is Data
    return source.array


def program_for(nodes: Sequence[Node]) -> tuple[Program, dict[str, Any]]:
    """The program of nodes that wait, and its inputs by name; for what explains it."""
    written = Written(nodes)
    program, order = program_of(written, len(nodes))
    return program, {name: written.leaves[i] for name, i in zip(program.inputs, order)}
