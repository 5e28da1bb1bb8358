"""Shapes of weft.math: how they are made, asked, changed, matched and printed."""
import pickle
import unittest

import numpy as np

from support_math import Case
from weft import math
from weft.math import (
    EMPTY_SHAPE,
    IncompatibleShapes,
    batch,
    channel,
    concat_shapes,
    instance,
    merge_shapes,
    non_batch,
    non_channel,
    non_instance,
    non_spatial,
    shape,
    spatial,
)

S = batch(b=2) & instance(p=3) & spatial(x=4, y=5) & channel(vector="x,y")


class Making(Case):
    def test_names_sizes_labels(self):
        for made, text in [
                (spatial("x,y"), "(xˢ=None, yˢ=None)"), (spatial("x", "y"), "(xˢ=None, yˢ=None)"),
                (spatial(" x , y "), "(xˢ=None, yˢ=None)"), (batch(examples=3), "(examplesᵇ=3)"),
                (instance(points=np.int64(3)), "(pointsⁱ=3)"), (channel(vector="x,y"), "(vectorᶜ=x,y)"),
                (channel(vector=("x", "y")), "(vectorᶜ=x,y)"), (channel(vector="x , y"), "(vectorᶜ=x,y)"),
                (channel(vector="x"), "(vectorᶜ=x)"), (channel(vector=("a b", "'")), "(vectorᶜ=a b,')"),
                (spatial("x", y=3), "(xˢ=None, yˢ=3)"), (spatial(x=None, y=0), "(xˢ=None, yˢ=0)"),
                (batch(), "()"), (batch(batch=2), "(batchᵇ=2)"), (channel(c="a,b,c,d,e"), "(cᶜ=5:a..e)")]:
            self.assertEqual(repr(made), text)

    def test_a_name_or_label_twice_and_sizes_that_are_none(self):
        for function in (batch, instance, spatial, channel):
            self.fails(ValueError, ["x", "twice"], function, "x,x")
            self.fails(ValueError, ["x", "twice"], function, "x", x=3)
            self.fails(ValueError, ["'u'", "d", "twice"], function, d="u,v,u")
            self.fails(ValueError, ["'u'", "d", "twice"], function, d=("u", "u"))
            self.fails(ValueError, ["d", "-1", "at least 0"], function, d=-1)
            self.fails(TypeError, ["d", "1.5", "integer"], function, d=1.5)
            self.fails(TypeError, ["d", "True", "integer"], function, d=True)
            self.fails(TypeError, ["labels of d", "3"], function, d=("u", 3))
            self.fails(ValueError, ["d", "''", "not empty"], function, d="u,")
            self.fails(ValueError, ["d", "'a,b'", "comma"], function, d=("a,b", "c"))
            self.fails(TypeError, ["ndarray", "math.wrap"], function, np.zeros(3))
        self.fails(ValueError, ["batch", "kind"], spatial, batch=3)
        self.fails(ValueError, ["spatial", "kind"], channel, "spatial")

    def test_names_that_are_none(self):
        for name in "and or not if else return None newaxis true false True False".split():
            self.fails(ValueError, [name, "word of the language"], spatial, name)
        for name in ("1a", "a b", "a-b", "é"):
            self.fails(ValueError, [repr(name), "letters"], spatial, name)

    def test_of_a_shape_or_tensor(self):
        t = math.zeros(S)
        for obj in (S, t):
            self.assertEqual([repr(f(obj)) for f in (batch, instance, spatial, channel)],
                             ["(bᵇ=2)", "(pⁱ=3)", "(xˢ=4, yˢ=5)", "(vectorᶜ=x,y)"])
            self.assertEqual([f(obj).names for f in (non_batch, non_instance, non_spatial, non_channel)],
                             [("p", "x", "y", "vector"), ("b", "x", "y", "vector"), ("b", "p", "vector"),
                              ("b", "p", "x", "y")])
            self.assertEqual(shape(obj), S)
        self.fails(TypeError, ["list", "math.wrap"], shape, [1, 2])
        self.fails(TypeError, ["list", "math.wrap"], non_batch, [1, 2])

    def test_from_keywords(self):
        self.assertEqual(shape(x=4, y=3, vector="x,y"), spatial(x=4, y=3) & channel(vector="x,y"))
        self.assertEqual(shape(vector=("u", "v"), x=1).names, ("vector", "x"))
        message = self.fails(ValueError, ["width", "batch(width=..)", "spatial(width=..)"], shape, width=3)
        self.assertIn("instance(width=..)", message)
        for kind in ("batch", "instance", "spatial"):
            message = self.fails(ValueError, [f"{kind}({kind}=..)"], shape, **{kind: 3})
            self.assertEqual(message.count("=.."), 1, "the other kinds would be refused")
        self.fails(TypeError, "not both", shape, S, x=3)

    def test_a_text_is_a_shape(self):
        self.assertEqual(shape("b:b=2, x=3, y:spatial, (u,'v w'), k:c=('a',)"),
                         concat_shapes(batch(b=2), spatial(x=3), spatial("y"), channel(vector=("u", "v w")),
                                       channel(k=("a",))))
        self.assertEqual(shape("(x:s, y:s=?)"), spatial("x,y"))
        self.assertEqual(math.zeros("x:s=2, vector:c=(u,v)").shape, spatial(x=2) & channel(vector="u,v"))
        self.assertEqual(S & "z:s=7", S & spatial(z=7))
        self.assertEqual("b:b" & spatial(x=1), batch("b") & spatial(x=1))
        for text, words in [("x:q", "b, i, s or c"), ("x=", "a size"), ("x y", "comma"), ("x;", "NAME:KIND=SIZE"),
                            ("x=(u", "a comma or )"), ("x=(u,u)", "twice"), ("width", "spatial(width=..)"),
                            ("x, x", "twice"), ("not:s", "word of the language"), (":s", "name"),
                            ("x:s=()", "label")]:
            with self.assertRaises(ValueError) as caught:
                shape(text)
            self.assertIn(words, str(caught.exception), text)

    def test_merge(self):
        self.assertEqual(merge_shapes(channel(c=2), spatial(y=3), batch(b=2), spatial(x=4), instance(p=1), batch(a=1)),
                         concat_shapes(batch(b=2, a=1), instance(p=1), spatial(y=3, x=4), channel(c=2)))
        self.assertEqual(merge_shapes(), EMPTY_SHAPE)
        self.assertEqual(spatial(x=4) & spatial(x=4, y=2), spatial(x=4, y=2))
        self.assertEqual(merge_shapes(math.zeros(x=2), spatial(y=3)), spatial(x=2, y=3))
        self.assertEqual(channel(vector=2) & channel(vector="x,y"), channel(vector="x,y"))
        self.assertEqual(channel(c="a") & channel(c="b"), channel(c="a"), "labels of one element are not compared")
        for a, b, what in [(spatial(x=3), spatial(x=4), "sizes 3 and 4 of x differ"),
                           (spatial(x=1), spatial(x=4), "sizes 1 and 4 of x differ"),
                           (spatial("x"), spatial(x=4), "sizes None and 4 of x differ"),
                           (spatial(x=3), batch(x=3), "x is spatial there and batch here"),
                           (channel(v="x,y"), channel(v="y,x"), "labels x,y and y,x of v differ")]:
            self.fails(IncompatibleShapes, ["cannot match", repr(a), repr(b), what], merge_shapes, a, b)
        self.assertTrue(issubclass(IncompatibleShapes, ValueError))

    def test_concat(self):
        self.assertEqual(concat_shapes(channel(c=2), batch(b=3)).names, ("c", "b"))
        self.assertEqual(concat_shapes(), EMPTY_SHAPE)
        self.fails(IncompatibleShapes, ["x", "twice"], concat_shapes, spatial(x=2), spatial(x=2))


class Asking(Case):
    def test_of_all_dimensions(self):
        self.assertEqual(S.names, ("b", "p", "x", "y", "vector"))
        self.assertEqual(S.sizes, (2, 3, 4, 5, 2))
        self.assertEqual(S.types, ("batch", "instance", "spatial", "spatial", "channel"))
        self.assertEqual(S.item_names, (None, None, None, None, ("x", "y")))
        self.assertEqual(S.labels, S.item_names)
        self.assertEqual((S.rank, len(S), S.volume), (5, 5, 240))
        self.assertEqual((EMPTY_SHAPE.rank, len(EMPTY_SHAPE), EMPTY_SHAPE.volume), (0, 0, 1))
        self.assertIsNone(spatial("x", y=3).volume)
        self.assertEqual((spatial(x=0, y=3).volume, EMPTY_SHAPE.is_empty, S.is_empty), (0, True, False))
        self.assertEqual([repr(each) for each in (S.batch, S.instance, S.spatial, S.channel)],
                         ["(bᵇ=2)", "(pⁱ=3)", "(xˢ=4, yˢ=5)", "(vectorᶜ=x,y)"])
        self.assertEqual([each.rank for each in (S.non_batch, S.non_instance, S.non_spatial, S.non_channel)],
                         [4, 4, 3, 4])
        self.assertEqual((S.is_uniform, S.is_non_uniform), (True, False))

    def test_of_the_only_dimension(self):
        one = channel(c=3)
        self.assertEqual((one.name, one.size, one.type), ("c", 3, "channel"))
        self.assertIsNone(spatial("x").size)
        for wrong in (S, EMPTY_SHAPE):
            for name in ("name", "size", "type"):
                self.fails(ValueError, [f".{name}", str(wrong.rank), "one dimension"], getattr, wrong, name)

    def test_of_one_dimension(self):
        self.assertEqual((S.get_size("x"), S.get_type("p"), S.index("y")), (4, "instance", 3))
        self.assertEqual((S.get_item_names("vector"), S.get_labels("vector"), S.get_labels("x")),
                         (("x", "y"), ("x", "y"), None))
        self.assertEqual((S.get_size(spatial("x")), S.index(batch(b=7))), (4, 0))
        for function in (S.get_size, S.get_type, S.index, S.get_item_names, S.get_labels):
            self.fails(ValueError, [repr(S), "z"], function, "z")
        self.fails(ValueError, "did you mean vector?", S.get_size, "vectr")

    def test_some_of_the_dimensions(self):
        for dims, names in [
            ("x", "x"),
            ("y,x", "x,y"),
            (spatial, "x,y"),
            (spatial("y"), "y"),
            (non_batch, "p,x,y,vector"),
            (["vector", batch], "b,vector"),
            (("x", spatial("y"), "b"), "b,x,y"),
            (None, ""),
            ([], ""),
            ("q,x", "x"),
            (instance, "p"),
        ]:
            kept = tuple(name for name in names.split(",") if name)
            self.assertEqual(S.only(dims).names, kept, dims)
            self.assertEqual(S.without(dims).names, tuple(name for name in S.names if name not in kept), dims)
        self.assertEqual(S.only("vector,y,q,x", reorder=True).names, ("vector", "y", "x"))
        self.assertEqual(S.only([channel, "x"], reorder=True).names, ("vector", "x"))
        self.fails(TypeError, ["3", "'x,y'"], S.only, 3)
        self.fails(TypeError, ["len", "'x,y'"], S.without, len)

    def test_in(self):
        for dims in ("x", "x,vector", spatial(x=99), EMPTY_SHAPE, ["x", "y"], ("b", spatial("y"))):
            self.assertIn(dims, S)
        for dims in ("z", "x,z", spatial("z"), ["x", "z"]):
            self.assertNotIn(dims, S)

    def test_equal(self):
        self.assertEqual(spatial(x=3), spatial(x=3))
        self.assertEqual(hash(S), hash(pickle.loads(pickle.dumps(S))))
        for other in (
            spatial(x=4),
            spatial("x"),
            spatial(y=3),
            batch(x=3),
            EMPTY_SHAPE,
            spatial(x="a,b,c"),
            3,
            "x:s=3",
        ):
            self.assertNotEqual(spatial(x=3), other)
        self.assertNotEqual(spatial(x=3, y=3), spatial(y=3, x=3))
        self.assertNotEqual(channel(v="a,b"), channel(v="b,a"))
        self.assertEqual(spatial("x"), spatial(x=None))
        self.assertEqual({spatial(x=3): 1}[spatial(x=3)], 1)

    def test_selections(self):
        self.assertEqual(S[0], batch(b=2))
        self.assertEqual(S[-1], channel(vector="x,y"))
        self.assertEqual(S[2:4], spatial(x=4, y=5))
        self.assertEqual(S["x"], spatial(x=4))
        self.assertEqual(S["y,x"], spatial(y=5, x=4))
        self.assertEqual(S[["y", "x"]], spatial(y=5, x=4))
        self.assertEqual(S[[3, 2]], spatial(y=5, x=4))
        self.fails(ValueError, [repr(S), "z"], S.__getitem__, "x,z")
        self.fails(IndexError, ["5", "5 dimensions"], S.__getitem__, 5)
        self.fails(IndexError, ["-6", "5 dimensions"], S.__getitem__, [0, -6])
        self.fails(TypeError, ["1.5", "position"], S.__getitem__, 1.5)
        self.assertEqual([each.name for each in S], list(S.names))

    def test_immutable(self):
        with self.assertRaises(AttributeError):
            S.sizes = (1,)
        self.fails(TypeError, "spatial(x=4)", math.Shape)

    def test_pickled(self):
        for each in (S, EMPTY_SHAPE, spatial("x")):
            self.assertEqual(pickle.loads(pickle.dumps(each)), each)


class Changing(Case):
    def test_sizes(self):
        s = spatial(x=4) & channel(vector="x,y")
        self.assertEqual(s.with_sizes((7, 2)), spatial(x=7) & channel(vector="x,y"))
        self.assertEqual(s.with_sizes((4, 3)), spatial(x=4) & channel(vector=3))
        self.assertEqual(s.with_sizes(spatial(a=1, b=2)), spatial(x=1) & channel(vector="x,y"))
        self.assertEqual(s.with_dim_size("x", 9), spatial(x=9) & channel(vector="x,y"))
        self.assertEqual(s.with_dim_size("vector", None), spatial(x=4) & channel("vector"))
        self.assertEqual(spatial("x").with_size(3), spatial(x=3))
        self.assertEqual(channel(v="a,b").with_size(2), channel(v="a,b"))
        self.assertEqual(s.without_sizes(), spatial("x") & channel("vector"))
        self.fails(ValueError, ["2 dimensions", "3 sizes"], s.with_sizes, (1, 2, 3))
        self.fails(ValueError, "one dimension", s.with_size, 3)
        self.fails(ValueError, "z", s.with_dim_size, "z", 3)
        self.fails(ValueError, "-3", s.with_dim_size, "x", -3)
        self.fails(TypeError, "1.5", s.with_sizes, (1.5, 2))
        self.fails(TypeError, ["3", "with_size(n)"], s.with_sizes, 3)
        self.assertEqual(spatial(x=()), spatial(x=0))

    def test_meshgrid(self):
        self.assertEqual(list((spatial(x=2) & channel(v="a,b")).meshgrid()),
                         [{"x": 0, "v": 0}, {"x": 0, "v": 1}, {"x": 1, "v": 0}, {"x": 1, "v": 1}])
        self.assertEqual(list((spatial(x=1) & channel(v="a,b")).meshgrid(names=True)),
                         [{"x": 0, "v": "a"}, {"x": 0, "v": "b"}])
        self.assertEqual(list(EMPTY_SHAPE.meshgrid()), [{}])
        self.assertEqual(list(spatial(x=0, y=2).meshgrid()), [])
        self.fails(ValueError, ["x", "size"], list, spatial("x").meshgrid())


class Unlike(Case):
    """Shapes whose sizes vary."""

    def test_asked(self):
        t = math.stack([math.zeros(spatial(a=4, b=2)), math.ones(spatial(b=2, a=5))], channel("c"))
        s = t.shape
        self.assertEqual(repr(s), "(aˢ=(4, 5) along cᶜ, bˢ=2, cᶜ=2)")
        self.assertEqual((s.is_uniform, s.is_non_uniform, s.volume, s.rank), (False, True, 18, 3))
        size = s.get_size("a")
        self.assertEqual(
            (repr(size), size.dtype, size.shape), ("(4, 5) along cᶜ int64", math.DType(int, 64), channel(c=2))
        )
        self.assertEqual(list(s.sizes[0]), [4, 5])
        self.assertEqual(list(t.a.size), [4, 5])
        self.assertEqual(list(s["a"].size), [4, 5])
        self.assertEqual((s.only("b").volume, s.only("a").volume), (2, 9))
        self.assertTrue(s.without("a").is_uniform)
        self.assertEqual(s, pickle.loads(pickle.dumps(s)))
        self.assertEqual(hash(s), hash(pickle.loads(pickle.dumps(s))))


if __name__ == "__main__":
    unittest.main()
