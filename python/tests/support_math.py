"""What the tests of weft.math share: a case that compares each result of a program with what its tensor says, and
counts programs and runs."""
import unittest

import numpy as np

from weft import math
from weft.math import _graph

SIZES = {"b": 2, "p": 3, "x": 4, "y": 5, "z": 2, "c": 3, "vector": 2}
KINDS = {
    "b": math.batch,
    "p": math.instance,
    "x": math.spatial,
    "y": math.spatial,
    "z": math.spatial,
    "c": math.channel,
    "vector": math.channel,
}


def dims(names, **sizes):
    """The dimensions "b,x,c", of the usual kinds and sizes, in this order."""
    return math.concat_shapes(
        *[KINDS[name](**{name: sizes.get(name, SIZES[name])}) for name in names.split(",") if name]
    )


def values(names, dtype=np.float64, seed=0, **sizes):
    """An array of small numbers for these dimensions, sixteenths, which sums keep."""
    shape = dims(names, **sizes)
    made = np.random.default_rng(seed).integers(-40, 40, shape.sizes)
    return (made / 16 if np.dtype(dtype).kind == "f" else made).astype(dtype)


def named(names, dtype=np.float64, seed=0, **sizes):
    """A tensor of these values."""
    return math.wrap(values(names, dtype, seed, **sizes), dims(names, **sizes))


def array(t, order=None):
    """A tensor's values in its own order, or another."""
    return t.numpy(t.shape if order is None else order)


class Counts:
    """Programs that were made and runs of programs, since a moment."""

    def __init__(self):
        self.programs, self.runs, self.texts = 0, 0, []


class Case(unittest.TestCase):
    """Each result of a program has the shape and the type that its tensor says, and the names in this order."""

    def setUp(self):
        self.counts = Counts()
        self.kept = {name: getattr(_graph, name) for name in ("run", "keep", "Program")}
        _graph.run, _graph.keep = self.run_checked, self.keep_checked
        _graph.Program = self.program_counted
        self.addCleanup(self.restore)

    def restore(self):
        for name, value in self.kept.items():
            setattr(_graph, name, value)
        math.set_global_precision(32)
        math.set_global_default_backend(math.backend.NUMPY)

    def program_counted(self, text, **options):
        self.counts.programs += 1
        return self.kept["Program"](text, **options)

    def run_checked(self, survey, leaves):
        self.counts.runs += 1
        plan = _graph.plan_of(survey)
        self.counts.texts.append(plan.program.text)
        inputs = {name: leaves[i] for name, i in zip(plan.program.inputs, plan.inputs)}
        for root, kind in zip(survey.roots, types_of(plan.program, inputs)):
            self.assertEqual(names_of(kind), root._shape.names, f"{root._shape} is {kind}\n{plan.program.text}")
        return self.kept["run"](survey, leaves)

    def keep_checked(self, node, array):
        sizes = tuple(dim.size for dim in node._shape._dims)
        self.assertEqual((tuple(array.shape), dtype_name(array)), (sizes, node._type), node._shape)
        self.kept["keep"](node, array)

    def fails(self, error, words, function, *args, **options):
        """What raises an error of exactly this class, whose message has all these words."""
        with self.assertRaises(error) as caught:
            function(*args, **options)
        self.assertIs(type(caught.exception), error, caught.exception)
        for word in [words] if isinstance(words, str) else words:
            self.assertIn(word, str(caught.exception))
        return str(caught.exception)

    def same(self, t, expected, order=None, tolerance=0):
        """A tensor has these values, to the bit or within a tolerance, in its order or another."""
        got = array(t, order)
        expected = np.asarray(expected)
        self.assertEqual(got.shape, expected.shape, t.shape)
        if tolerance:
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(got, expected)

    def shaped(self, t, text):
        self.assertEqual(repr(t.shape), text)


def dtype_name(array):
    return str(array.dtype).rpartition(".")[2]


INFERRED = {}


def types_of(program, inputs):
    """The types of a program's results, as the language says them."""
    inputs = {name: leaf[0] if isinstance(leaf, list) else leaf for name, leaf in inputs.items()}
    key = program, *[(name, getattr(leaf, "shape", None), str(getattr(leaf, "dtype", type(leaf))))
                     for name, leaf in inputs.items()]
    if key not in INFERRED:
        INFERRED[key] = tuple(program.infer(**inputs).values())
    return INFERRED[key]


def names_of(kind):
    """The names of the dimensions of a type."""
    return tuple(part.split(":")[0].strip() for part in kind.partition("(")[2].rstrip(")").split(",") if ":" in part)
