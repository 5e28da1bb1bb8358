"""What a tensor is made of, and how the values of those that wait are computed: operations build one program, which the
C library compiles once for all equal ones (docs/math.md, "When values come")."""
from __future__ import annotations

from typing import Any, Iterable, Sequence, Union

import numpy

from weft import _errors
from weft._program import Program
from weft._use import in_use
from weft.math._backends import DASK, HOST, NUMPY, Home, common, moved
from weft.math._shapes import Shape, expanded_text, sized_text, typed

PROGRAMS = 1024  # kept, in a process; a small one takes 0.3 MB
LINE = 100  # characters of an expression that is written where it is used
RAISES, QUIET = 1, 2  # what a position outside is: an error, nothing (of both, an error)
LIMIT = 64  # operations that wait before values are computed early
WAYS = 8  # in which a join's element may be read through joins that wait


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
    """Values that wait: a text with a %s for each argument, a Node, or a Number where the language takes one; where an
    argument stands several times, all are called %(0)s, %(1)s and so on. A text that begins with a parenthesis ends
    with its other one. `strict` says what a position outside is; `dear`: whether
    it reads many elements for each of its own."""
    __slots__ = ("text", "args", "strict", "dear")

    def __init__(self, text: str, args: tuple[Any, ...], strict: int = 0, dear: bool = False) -> None:
        self.text, self.args, self.strict, self.dear = text, args, strict, dear


class Parts:
    """Tensors of unlike sizes, stacked along a dimension."""
    __slots__ = ("parts", "along")

    def __init__(self, parts: tuple[Any, ...], along: str) -> None:
        self.parts, self.along = parts, along


class Number:
    """An argument of an operation that comes with the run: a position, a seed, a constant outside; with a type an
    operand of that type, whose value chooses nothing."""
    __slots__ = ("value", "kind")

    def __init__(self, value: Union[bool, int, float], kind: str | None = None) -> None:
        self.value, self.kind = value, kind


class Node:
    """What all tensors have: a shape, the name of their elements' type, where their values come from, the home of their
    data, and how many operations wait (counted as a tree until that is many), some of which read other elements than
    they compute. `_ways`: 0, or in how many ways joins that wait under it are read. `_seen`: whether it was part of a
    program that ran, without being kept."""
    __slots__ = ("_shape", "_type", "_source", "_home", "_weight", "_reads", "_ways", "_seen", "__weakref__")
    _shape: Shape
    _type: str
    _source: Any  # Data, Constant, Operation or Parts
    _home: Home | None
    _weight: int
    _reads: bool
    _ways: int
    _seen: bool


# What waits, in the order in which it is computed.

class Survey:
    """What some nodes are computed from: all nodes in order, each after its arguments, those of them that wait, the
    leaves, which a run takes, and what they are made of, the same for programs that differ in leaves alone."""
    __slots__ = ("roots", "sources", "waits", "leaves", "made", "strict")

    def __init__(self, roots: Sequence[Node]) -> None:
        self.roots = roots
        self.sources: dict[int, Any] = {}  # by id, in order; that of a node changes when another thread computes it
        self.waits: list[Node] = []
        self.leaves: list[Any] = []
        self.made: list[Any] = []
        places: dict[int, int] = {}
        for root in roots:
            self.made.append(visited(root, places, self.sources, self.waits, self.leaves, self.made))
        self.strict = 0
        for node in self.waits:
            self.strict |= self.sources[id(node)].strict


def visited(node: Node, places: dict[int, int], sources: dict[int, Any], waits: list[Node], leaves: list[Any],
            made: list[Any]) -> int:
    """The node's place in the order of a survey. So few operations wait at a time that this may call itself."""
    key = id(node)
    place = places.get(key)
    if place is not None:
        return place
    source = node._source
    kind = type(source)
    if kind is Operation:
        mine = [source.text]
        for arg in source.args:
            if type(arg) is Number:
                leaves.append(arg.value)
                mine.append(arg.kind)
            else:
                mine.append(visited(arg, places, sources, waits, leaves, made))
        made += mine
        waits.append(node)
    elif kind is Data:
        leaves.append(source.array)
        made += node._shape._typed or typed(node._shape), Data
    elif kind is Constant:
        leaves.append(source.value)
        made += node._type, sized_text(node._shape) if node._shape._dims else ""
    else:
        leaves.append(source.array)
        made += sized_text(node._shape), Sized
    sources[key] = source
    place = places[key] = len(places)
    return place


def waiting(roots: Sequence[Node]) -> int:
    """How many operations wait for these nodes."""
    return len(Survey(roots).waits)


# Writing a program.

class Writer:
    """The text of a program for what was surveyed: input i is leaf i, aI an array and kI a number."""

    def __init__(self, survey: Survey) -> None:
        self.types: dict[str, str] = {}
        self.bindings: list[str] = []
        self.texts: dict[int, str] = {}
        self.leaf = 0
        self.sources = survey.sources
        self.uses: dict[int, int] = {}
        for node in survey.roots:
            self.use(node)
        for source in self.sources.values():
            if type(source) is Operation:
                for i, arg in enumerate(source.args):
                    self.use(arg, source.text.count(f"%({i})s") or 1)
        for node in survey.roots:
            self.write(node)
        results = [self.bare(node) for node in survey.roots]
        if len(results) > 1:
            results = ["return " + ", ".join([f"r{i} = {text}" for i, text in enumerate(results)])]
        self.text = "\n".join(self.bindings + results)

    def write(self, node: Node) -> str:
        """The text of a node; leaves are met in the order of the survey."""
        text = self.texts.get(id(node))
        if text is None:
            text = self.texts[id(node)] = self.text_of(node, self.sources[id(node)])
        return text

    def text_of(self, node: Node, source: Any) -> str:
        if type(source) is Constant:
            text = self.name("k", f"{node._type}[]")
            return expanded_text(text, node._shape) if node._shape._dims else text
        if type(source) is not Operation:
            return self.name("a", f"({sized_text(node._shape)})" if type(source) is Sized else typed(node._shape))
        args = [self.name("k", f"{arg.kind}[]" if arg.kind else "()") if type(arg) is Number else self.write(arg)
                for arg in source.args]
        named = "%(0)s" in source.text
        text = source.text % ({str(i): arg for i, arg in enumerate(args)} if named else tuple(args))
        if self.uses[id(node)] == 1 and len(text) <= LINE:
            return text
        self.bindings.append(f"t{len(self.bindings)} = {unwrapped(text, source)}")
        return f"t{len(self.bindings) - 1}"

    def use(self, arg: Any, times: int = 1) -> None:
        self.uses[id(arg)] = self.uses.get(id(arg), 0) + times

    def name(self, letter: str, given: str) -> str:
        """The name of the next leaf, of a type."""
        self.leaf += 1
        made = f"{letter}{self.leaf - 1}"
        self.types[made] = given
        return made

    def bare(self, node: Node) -> str:
        """The text of a result, without the parentheses that an operator has among others."""
        text, source = self.texts[id(node)], self.sources[id(node)]
        return unwrapped(text, source) if type(source) is Operation and text[0] == "(" else text


def unwrapped(text: str, source: Operation) -> str:
    return text[1:-1] if source.text[0] == "(" else text


# Running.

class Plan:
    """A program, and which leaf each of its inputs is."""
    __slots__ = ("program", "inputs")

    def __init__(self, survey: Survey, context: Any) -> None:
        writer = Writer(survey)
        self.program = Program(writer.text, types=writer.types, context=context)
        self.inputs = [int(name[1:]) for name in self.program.inputs]


_plans: dict[tuple[Any, ...], Plan] = {}


def plan_of(survey: Survey) -> Plan:
    """The plan for what was surveyed, made once for all that are made alike."""
    context = in_use()
    key = (context, *survey.made)
    found = _plans.get(key)
    if found is None:
        found = Plan(survey, context)
        if len(_plans) >= PROGRAMS:
            for old in list(_plans)[:PROGRAMS // 4]:
                _plans.pop(old, None)
        _plans[key] = found
    return found


def run(survey: Survey, leaves: Sequence[Any]) -> Any:
    plan = plan_of(survey)
    values = [leaves[i] for i in plan.inputs]
    if not survey.strict:
        return plan.program(*values)
    with _errors.outside_is("raised" if survey.strict & RAISES else "quiet"):
        try:
            return plan.program(*values)
        except IndexError:
            raise IndexError(
                "a position lies outside of the tensor that is selected or gathered from; positions are 0 to "
                "size - 1, or negative from the end; math.clip(i, 0, size - 1) keeps them inside"
            ) from None


def run_lazily(survey: Survey) -> Any:
    """The program as tasks of dask."""
    from weft import dask
    plan = plan_of(survey)
    return dask.run(plan.program, {name: survey.leaves[i] for name, i in zip(plan.program.inputs, plan.inputs)})


TOO_MANY_WAYS = "W0190"
DEAR = 4  # operations that are worth keeping where they are needed again


def needed_again(survey: Survey) -> list[Node]:
    """The nodes that an earlier program computed without keeping them, and which are worth it; all are marked now."""
    sources, waits = survey.sources, survey.waits
    before = []
    for node in waits:
        if node._seen:
            before.append(node)
        else:
            node._seen = True
    if not before:
        return before
    dear = {id(node): node for node in before if sources[id(node)].dear or node._weight >= DEAR}
    used = [arg for node in waits if id(node) not in dear for arg in sources[id(node)].args]
    roots = {id(node) for node in survey.roots}
    return list({id(arg): arg for arg in used if id(arg) in dear and id(arg) not in roots}.values())


def compute(roots: Sequence[Node]) -> None:
    """Computes nodes that wait, by one program; what another program computed before them is computed first, and
    kept."""
    survey = Survey(roots)
    again = needed_again(survey)
    if again:
        compute(again)
        survey = Survey(roots)
    home = roots[0]._home
    for node in roots[1:]:
        home = common(home, node._home)
    leaves = survey.leaves
    if home is not None and home.backend is DASK:
        got = run_lazily(survey)
    else:
        if home is not None and home.backend is not NUMPY:
            leaves = [home.take(leaf) for leaf in leaves]
        try:
            got = run(survey, leaves)
        except _errors.Error as error:
            if error.code != TOO_MANY_WAYS or len(survey.waits) < 2:
                raise
            compute([survey.waits[len(survey.waits) // 2 - 1]])
            compute(roots)
            return
    if len(roots) == 1:
        keep(roots[0], got)
        return
    for node, array in zip(roots, got):
        keep(node, array)


def keep(node: Node, array: Any) -> None:
    """Gives a node its values. A tensor that another thread sees has either these or what they were computed from."""
    array = moved(array, node._home or HOST)
    node._source = Data(array)
    node._weight, node._reads, node._ways = 0, False, 0


def compute_parts(parts: Sequence[Node]) -> None:
    """Computes parts that wait: as one batch, where they differ in sizes alone."""
    nodes = [node for node in parts if type(node._source) is Operation]
    surveys = [Survey([node]) for node in nodes]
    samples = batch_of(surveys) if len(surveys) > 1 else None
    if samples is None:
        for node in nodes:
            compute([node])
        return
    home = nodes[0]._home
    if home is not None and home.backend is not NUMPY:
        samples = [[home.take(one) for one in leaf] if isinstance(leaf, list) else home.take(leaf) for leaf in samples]
    got = run(surveys[0], samples)
    for i, node in enumerate(nodes):
        keep(node, got[i] if isinstance(got, list) else got)


def batch_of(surveys: Sequence[Survey]) -> list[Any] | None:
    """The leaves of one run for all, lists of arrays where they differ; None where one run cannot be."""
    first = surveys[0]
    if any(survey.made != first.made or survey.roots[0]._home is not first.roots[0]._home for survey in surveys):
        return None
    samples: list[Any] = []
    sized = {id(source.array) for source in first.sources.values() if type(source) is Sized}  # one for all samples
    for each in zip(*[survey.leaves for survey in surveys]):
        leaf = each[0]
        if all([one is leaf for one in each]):
            samples.append(leaf)
        elif isinstance(leaf, (bool, int, float)):
            if any([type(one) is not type(leaf) or one != leaf for one in each]):
                return None
            samples.append(leaf)
        elif id(leaf) in sized or any([one.dtype != leaf.dtype for one in each]):
            return None
        else:
            samples.append(list(each))
    return samples


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


def joins_under(nodes: Iterable[Node]) -> list[Node]:
    """The nearest joins that wait under these nodes, or are among them."""
    found: dict[int, Node] = {}
    seen: set[int] = set()
    stack = [node for node in nodes if node._ways]
    while stack:
        node = stack.pop()
        source = node._source
        if id(node) in seen or type(source) is not Operation:
            continue
        seen.add(id(node))
        if source.text.startswith(("concat(", "stack(")):
            found[id(node)] = node
        else:
            stack += [arg for arg in source.args if isinstance(arg, Node) and arg._ways]
    return list(found.values())


def program_for(nodes: Sequence[Node]) -> tuple[Program, dict[str, Any]]:
    """The program of nodes that wait, and its inputs by name; for what explains it."""
    survey = Survey(nodes)
    plan = plan_of(survey)
    return plan.program, {name: survey.leaves[i] for name, i in zip(plan.program.inputs, plan.inputs)}
