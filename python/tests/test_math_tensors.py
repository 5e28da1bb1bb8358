"""Tensors of weft.math: creation, attributes, selections, values, operators; the examples of the page of PhiFlow's
phi.math that they follow."""
import pickle
import unittest

import numpy as np

import weft
from support import optional
from support_math import Case, array, dims, named, values
from weft import math
from weft.math import (IncompatibleShapes, batch, channel, concat_shapes, instance, shape,
                       spatial)

U, V = values("x,vector"), values("b,x,y")


def field():
    """A vector field (xˢ=4, vectorᶜ=u,v)."""
    return math.wrap(U, spatial(x=4), channel(vector="u,v"))


class Habits(Case):
    def test_attributes_of_other_arrays(self):
        """They are errors that say what to write, but for dimensions of these names."""
        t = named("x,y")
        for name, words in [("values", "t.numpy('y,x')"), ("ndim", "t.rank"), ("T", "puts them in an order"),
                            ("dims", "t.shape.names"), ("size", "t.shape.volume"), ("loc", "t.x[0] selects")]:
            self.fails(AttributeError, words, getattr, t, name)
            self.assertFalse(hasattr(t, name))
        self.assertEqual(float(math.wrap([1.0, 2.0], spatial("values")).values[1]), 2)
        self.fails(TypeError, "math.sum(t, 'x')", lambda: t.sum("x"))


class Page(Case):
    """The page's examples, with data of our own where it has random ones."""

    def test_shapes(self):
        self.assertEqual([repr(each) for each in (channel(vector="x,y"), batch(examples=10), spatial(x=4, y=3),
                                                  instance(points=5))],
                         ["(vectorᶜ=x,y)", "(examplesᵇ=10)", "(xˢ=4, yˢ=3)", "(pointsⁱ=5)"])

    def test_creation(self):
        self.assertEqual(f"{math.tensor((1, 2, 3)):color}",
                         "\033[94m(1, 2, 3)\033[0m \033[93mint64\033[0m")
        t = math.tensor(np.zeros([1, 5, 4, 2]), batch("batch"), spatial("x,y"), channel(vector="x,y"))
        self.assertEqual(repr(t), "(batchᵇ=1, xˢ=5, yˢ=4, vectorᶜ=x,y) float64 const 0.0")
        t = math.reshaped_tensor(np.zeros([1, 5, 4, 2]), [batch(), *spatial("x,y"), channel(vector="x,y")])
        self.assertEqual(repr(t), "(xˢ=5, yˢ=4, vectorᶜ=x,y) float64 const 0.0")
        self.assertEqual(f"{math.zeros(spatial(x=5, y=4)):dtype}", "(xˢ=5, yˢ=4) float32 const 0.0")
        self.assertEqual(repr(math.zeros(x=5, y=4)), "(xˢ=5, yˢ=4) const 0.0")
        self.assertRegex(repr(math.random_uniform(channel(vector="x,y"))), r"^\(x=0\.\d{3}, y=0\.\d{3}\)$")
        self.assertRegex(repr(math.random_normal(batch(examples=6), dtype=math.DType(int, 32))),
                         r"^\((-?\d, ){5}-?\d\) along examplesᵇ$")

    def test_introduction(self):
        point = math.vec(x=1, y=0)
        self.assertEqual(f"{point:full:shape}", "(vectorᶜ=x,y)\n 1, 0")
        self.assertEqual(repr(point), "(x=1, y=0)")
        self.assertEqual(repr(math.wrap([1, 0], channel(vector="x,y"))), "(x=1, y=0) int64")
        points = math.random_normal(instance(points=3), channel(vector="x,y"))
        self.assertRegex(repr(points), r"^(\(x=-?\d\.\d{3}, y=-?\d\.\d{3}\)(; )?){3} \(pointsⁱ=3, vectorᶜ=x,y\)$")

    def test_backends(self):
        self.assertEqual(repr(math.backend.default_backend()), "NumPy")
        with math.NUMPY:
            self.assertEqual(repr(math.zeros().default_backend), "NumPy")
        math.backend.set_global_default_backend(math.backend.NUMPY)

    def test_indexing(self):
        data = math.random_uniform(spatial(x=10, y=10, z=10), channel(vector="x,y,z"))
        part = data.x[0].y[1:-1].vector["x"]
        self.assertRegex(repr(part), r"^\(yˢ=8, zˢ=10\) 0\.\d{3} ± 0\.\d{3} \(\de-\d\d\.\.\.1e\+00\)$")
        self.same(data[{"x": 0, "y": slice(1, -1), "vector": "x"}], array(part))
        slices = list(data.x)
        self.assertEqual((len(slices), slices[0].shape), (10, shape(y=10, z=10, vector="x,y,z")))
        self.same(tuple(data.x)[3], array(data)[3])

    def test_non_uniform(self):
        t0, t1 = math.zeros(spatial(a=4, b=2)), math.ones(spatial(b=2, a=5))
        stacked = math.stack([t0, t1], channel("c"))
        self.assertEqual(repr(stacked), "(aˢ=(4, 5) along cᶜ, bˢ=2, cᶜ=2) 0.556 ± 0.497 (0e+00...1e+00)")
        self.assertFalse(stacked.shape.is_uniform)

    def test_types_and_printing(self):
        self.assertEqual([repr(each) for each in (math.DType(float, 32), math.DType(complex, 128), math.DType(bool))],
                         ["float32", "complex128", "bool8"])
        self.assertEqual(f"{math.zeros(spatial(x=8, y=6)):summary:color:shape:dtype:.5e}",
                         "\033[92m(xˢ=8, yˢ=6)\033[0m \033[93mfloat32\033[0m \033[94mconst 0.00000e+00\033[0m")

    def test_words_that_hold(self):
        self.assertEqual(repr(shape(x=4)), "(xˢ=4)")
        self.assertEqual(math.tensor(np.zeros((3, 3)), names="y, x").shape, spatial(y=3, x=3))
        self.assertEqual(repr(math.to_int(2.5)), "2")
        self.assertEqual(f"{math.zeros(x=3):noshape}", "(0.000, 0.000, 0.000)")


class Creation(Case):
    def test_wrap(self):
        self.assertEqual(repr(math.wrap([[1, 2], [3, 4]], spatial("y,x"))), "1; 2; 3; 4 (yˢ=2, xˢ=2) int64")
        self.assertEqual(repr(math.wrap([1.0, 2.0])), "(1.000, 2.000) float64")
        self.assertEqual(math.wrap([1.0]).shape, channel(vector=1))
        self.assertEqual(math.wrap(V, batch("b"), spatial(x=4), "y:s").shape, dims("b,x,y"))
        self.assertEqual(math.wrap(V, names="b:b, x, y=5").shape, dims("b,x,y"))
        self.assertEqual(math.wrap(U, names="x, (u, v)").shape, field().shape)
        self.assertEqual(repr(math.wrap(spatial(x=4, y=3))), "(x=4, y=3) along dimsᶜ int64")
        self.assertEqual(math.wrap(math.EMPTY_SHAPE).shape, channel(dims=0))
        self.same(math.wrap([math.zeros(x=2), math.ones(x=2)], batch("b")), [[0, 0], [1, 1]])
        self.same(math.wrap([math.wrap(1.0), 2], channel(c="u,v")), [1, 2])
        t = named("x")
        self.assertIs(math.wrap(t), t)
        self.assertEqual(math.wrap(t, batch("q")).shape, batch(q=4))
        self.assertEqual((math.wrap([]).shape, math.wrap([]).dtype), (channel(vector=0), math.DType(float)))

    def test_errors(self):
        self.fails(ValueError, ["(4, 2)", "spatial('y,x')"], math.wrap, U)
        self.same(math.wrap(U, spatial("y,x")), U)
        self.fails(ValueError, ["(4, 2)", "2 axes", "3 dimensions"], math.wrap, U, spatial("x,y,z"))
        self.fails(
            ValueError, ["(4, 2)", "size 3 of x", "4 elements"], math.wrap, U, spatial("x", y=2).with_dim_size("x", 3)
        )
        self.fails(
            ValueError, ["3 labels of vector", "2 elements"], math.wrap, U, spatial("x"), channel(vector="a,b,c")
        )
        self.fails(ValueError, ["(xˢ=3)", "math.expand"], math.wrap, 1.5, spatial(x=3))
        self.fails(TypeError, "not both", math.wrap, U, spatial("x,y"), names="x,y")
        self.fails(ValueError, "math.stack", math.wrap, [[1, 2], [3]])
        for wrong, words in [
            ("abc", "str"),
            (None, "NoneType"),
            ({}, "dict"),
            (["a"], "U1"),
            ([None], "NoneType"),
            (np.zeros(2, "M8[s]"), "datetime64"),
            (object(), "object"),
            ([1, "a"], "U"),
            (spatial, ""),
        ]:
            self.fails(TypeError, words, math.wrap, wrong)
        self.fails(ValueError, ["x", "size", "known"], math.wrap, spatial("x"))
        self.fails(TypeError, ["5", "spatial(x=4)"], math.zeros, 5)
        self.fails(TypeError, "mask", math.wrap, np.ma.masked_array([1, 2], [True, False]))
        self.fails(IncompatibleShapes, ["x", "twice"], math.wrap, U, spatial("x"), spatial("x"))

    def test_nothing_is_copied_that_can_be_shared(self):
        for given in (U, U[::-1], U.T, U[:, ::2], np.asfortranarray(U)):
            t = math.wrap(given, spatial("p,q"))
            self.assertTrue(np.shares_memory(t.numpy("p,q"), given))
            self.assertTrue(np.shares_memory(t.native("q,p"), given))
            self.assertTrue(np.shares_memory(t.p[1:].q[0].numpy("p"), given))
            self.assertTrue(np.shares_memory(np.asarray(t), given))
        t = math.zeros(spatial(x=10**6, y=10**6))
        self.assertEqual((t.shape.volume, t.numpy("x,y").strides), (10**12, (0, 0)))
        self.assertEqual(math.expand(named("x"), batch(b=10**9)).shape.volume, 4 * 10**9)
        self.assertIs(type(math.wrap(1.5).numpy()), np.ndarray)

    def test_arrays_of_every_kind(self):
        locked = U.copy()
        locked.flags.writeable = False
        apart = np.zeros((8, 6))
        apart[::2, ::3] = U
        for given in (U, locked, apart[::2, ::3], U[::-1], U[:, ::-1], U[::2], U[:0], U[:, :0], np.asfortranarray(U),
                      U.astype(">f8"), U.astype(">f4"), U.astype("<f8")):
            t = math.wrap(given, spatial("p,q"))
            native = given.astype(given.dtype.newbyteorder("="))
            self.same(t, native)
            self.same(t + 0.5, native.astype(np.float32) + np.float32(0.5))
            self.same(math.sum(t, "q"), native.sum(1), tolerance=1e-6)
            self.same(t.p[::-1] * 1, native[::-1].astype(np.float32))
        for kind in ("bool", "uint8", "int8", ">i2", "uint16", ">u4", "int64", "uint64", "float16", ">f4"):
            given = np.array([[1, 0, 1], [0, 1, 1]]).astype(kind)
            t = math.wrap(given, spatial("p,q"))
            self.same(t == 1, given == 1)
            self.assertEqual(list(math.sum(t, "p")), list(given.sum(0)))
            self.assertEqual(list(t.p[1]), list(given[1]))
            self.assertEqual(list(t), given.ravel().tolist())
            self.assertEqual(math.wrap(given[0, 0]).dtype, t.dtype)
            self.assertEqual(int(math.wrap(np.array(given[0, 0]))), 1)

    def test_bfloat16(self):
        kind = np.dtype(optional("ml_dtypes").bfloat16)
        given = np.array([1, 2.5, -3]).astype(kind)
        t = math.wrap(given, spatial("x"))
        self.assertEqual((t.dtype.name, list(t)), ("bfloat16", [1.0, 2.5, -3.0]))
        self.assertEqual(repr(t), "(1.000, 2.500, -3.000) along xˢ bfloat16")
        self.same(t + 1, np.float32([2, 3.5, -2]))
        self.assertEqual((float(t.x[1]), float(math.wrap(given[1])), float(math.wrap(np.array(given[1])))), (2.5,) * 3)
        self.assertEqual(float(math.sum(t)), 0.5)
        self.assertEqual(t.numpy().dtype, kind)
        self.same(math.zeros(x=2, dtype="bfloat16"), np.zeros(2, kind))

    def test_zeros_ones(self):
        t = math.zeros(channel(c=2), batch(b=3), spatial("y", x=2).with_sizes((4, 2)))
        self.assertEqual(t.shape, concat_shapes(channel(c=2), batch(b=3), spatial(y=4, x=2)), "in written order")
        self.same(t, np.zeros((2, 3, 4, 2), np.float32))
        self.same(math.ones(spatial(x=2), vector="u,v"), np.ones((2, 2)))
        self.assertEqual([math.ones(x=2, dtype=each).dtype.name for each in (int, bool, "uint8", (float, 64))],
                         ["int32", "bool", "uint8", "float64"])
        self.same(math.zeros(), 0.0)
        for function in (math.zeros_like, math.ones_like):
            like = function(math.wrap(U.astype(np.int16), channel("c"), batch("b")))
            self.assertEqual((like.shape, like.dtype.name), (concat_shapes(channel(c=4), batch(b=2)), "int16"))
            self.same(like, np.full((4, 2), function is math.ones_like))
        self.fails(ValueError, ["x", "not known", "spatial(x=..)"], math.zeros, spatial("x"))
        self.fails(ValueError, "width", math.zeros, width=3)
        self.fails(IncompatibleShapes, "twice", math.zeros, spatial(x=2), x=3)

    def test_written_order_of_constants_is_kept_by_what_keeps(self):
        t = math.zeros(channel(c=3), spatial(x=2), batch(b=4))
        self.same(math.sum(t + 0, "x"), np.zeros((4, 3)))
        for function in (
            lambda t: math.sum(t, "x"),
            lambda t: math.pad(t, {"x": (0, 1)}, 1).x[2],
            lambda t: t.x[[1, 0]].x[0],
        ):
            made = function(t)
            self.assertEqual(made.shape.names, ("c", "b"))
            self.assertEqual(array(made).shape, (3, 4))

    def test_random(self):
        for seed in (0, 7, 2**40 + 3):
            math.seed(seed)
            with self.subTest(seed=seed):
                x = np.zeros(10, bool)
                self.same(math.random_uniform(x=10), weft.evaluate("random(x, s, 0)", x=x, s=seed))
                self.same(math.random_normal(x=10), weft.evaluate("random_normal(x, s, 1)", x=x, s=seed))
                u = weft.evaluate("random(x, s, 2)", x=x, s=seed)
                self.same(math.random_uniform(x=10, low=-1, high=3), np.float32(-1) + u * np.float32(4), tolerance=1e-6)
                u = weft.evaluate("random(x, s, 3)", x=x, s=seed)
                self.same(math.random_uniform(x=10, low=-5, high=5, dtype=int), np.floor(np.float64(u) * 10 - 5))
                n = weft.evaluate("random_normal(x, s, 4)", x=x, s=seed)
                self.same(math.random_normal(x=10, dtype=(int, 64)), np.trunc(n))
                u = weft.evaluate("random(x, s, 5)", x=np.zeros((2, 5), bool), s=seed)
                self.same(math.random_uniform(channel(c=2), spatial(x=5)), u, "c,x")
                u = weft.evaluate("random(x, s, 6)", x=np.zeros((3, 4), bool), s=seed)
                self.same(math.random_uniform(spatial(x=3), batch(b=4)), u, "x,b")
                self.assertEqual(float(math.random_uniform()), float(weft.evaluate("random(0.0, s, 7)", s=seed)))
        math.seed(0)
        first = list(math.random_uniform(x=3))
        self.assertNotEqual(list(math.random_uniform(x=3)), first)
        math.seed(0)
        self.assertEqual(list(math.random_uniform(x=3)), first)
        with math.precision(64):
            self.assertEqual(math.random_uniform(x=3).dtype, math.DType(float, 64))
        self.same(
            math.random_uniform(x=4, low=math.vec(u=0, v=10), high=math.vec(u=1, v=11)).vector["v"] >= 10, [True] * 4
        )
        self.fails(TypeError, ["1.5", "integer"], math.seed, 1.5)
        self.fails(ValueError, "-1", math.seed, -1)
        self.fails(ValueError, "not known", math.random_uniform, spatial("x"))

    def test_ranges(self):
        self.same(math.linspace(0, 1, spatial(x=5)), np.linspace(0, 1, 5, dtype=np.float32))
        self.assertEqual(math.linspace(0, 1, spatial(x=5)).dtype, math.DType(float))
        self.same(math.linspace(-3, 7, "x:s=1"), [-3])
        self.same(math.linspace(1, 2, batch(b=0)), [])
        a, b = math.vec(u=0.0, v=1.0), math.vec(u=1.0, v=3.0)
        self.same(math.linspace(a, b, spatial(x=3)), [[0, 1], [0.5, 2], [1, 3]], "x,vector")
        with math.precision(64):
            self.same(math.linspace(0, 1, spatial(x=4)), np.linspace(0, 1, 4))
        self.fails(ValueError, "not known", math.linspace, 0, 1, spatial("x"))
        self.fails(ValueError, "one dimension", math.linspace, 0, 1, spatial(x=1, y=2))
        self.assertEqual(repr(math.range(spatial("x"), 4)), "(0, 1, 2, 3) along xˢ")
        self.assertEqual(list(math.range(spatial("x"), 2, 11, 3)), [2, 5, 8])
        self.assertEqual(list(math.range(spatial("x"), 5, 1, step=-2)), [5, 3])
        self.assertEqual(list(math.range(spatial(x=3))), [0, 1, 2])
        self.assertEqual((math.range(spatial("x"), 0).shape, math.range(spatial("x"), 3).dtype),
                         (spatial(x=0), math.DType(int)))
        self.fails(ValueError, "known", math.range, spatial("x"))
        self.fails(ValueError, ["size 4", "3 elements"], math.range, spatial(x=4), 3)
        self.fails(ValueError, "step", math.range, spatial("x"), 0, 3, 0)

    def test_meshgrid_vec(self):
        t = math.meshgrid(x=3, y=2)
        self.assertEqual((t.shape, t.dtype), (shape(x=3, y=2, vector="x,y"), math.DType(int)))
        self.same(t, np.stack(np.meshgrid(range(3), range(2), indexing="ij"), -1))
        t = math.meshgrid(x=2, y=(0.5, 2.5))
        self.same(t, [[[0, 0.5], [0, 2.5]], [[1, 0.5], [1, 2.5]]])
        self.fails(ValueError, "math.meshgrid(x=4, y=3)", math.meshgrid)
        self.assertEqual(repr(math.vec(x=1, y=0.5)), "(x=1.000, y=0.500)")
        self.assertEqual(math.vec(x=math.zeros(x=2), y=1).shape, shape(x=2, vector="x,y"))
        self.fails(ValueError, "math.vec(x=1, y=2)", math.vec)

    def test_reshaped_tensor(self):
        data = np.arange(24).reshape(6, 1, 4)
        t = math.reshaped_tensor(data, [spatial(y=2, x=3), batch(), channel(c=4)])
        self.assertEqual(t.shape, concat_shapes(spatial(y=2, x=3), channel(c=4)))
        self.same(t, data.reshape(2, 3, 4))
        self.same(math.reshaped_tensor(data, [spatial("y", x=3), "b:b", "c:c"]), data.reshape(2, 3, 1, 4))
        self.fails(ValueError, ["3 axes", "1 shapes"], math.reshaped_tensor, data, [spatial("x")])
        self.fails(ValueError, ["axis 0", "6"], math.reshaped_tensor, data, [spatial(x=4), batch(), channel("c")])


class Attributes(Case):
    def test_of_the_tensor(self):
        t = field()
        self.assertEqual((t.shape, t.dtype.name, t.rank, repr(t.default_backend)),
                         (spatial(x=4) & channel(vector="u,v"), "float64", 2, "NumPy"))
        for name, expected in [
            ("sum", U.sum()),
            ("mean", U.mean()),
            ("std", U.std()),
            ("min", U.min()),
            ("max", U.max()),
        ]:
            self.assertAlmostEqual(float(getattr(t, name)), expected)
            self.assertEqual(getattr(t, name).rank, 0)
        self.assertEqual((bool((t > -99).all), bool((t > 99).any)), (True, False))
        self.assertEqual(named("b,x").sum.rank, 0, "batch dimensions, too")

    def test_of_a_dimension(self):
        t = field()
        self.assertEqual((t.x.name, t.x.size, t.x.exists, t.x.index, t.x.type, t.x.item_names),
                         ("x", 4, True, 0, "spatial", None))
        self.assertEqual((t.vector.item_names, t.vector.labels), (("u", "v"), ("u", "v")))
        self.assertEqual((t.z.size, t.z.exists, t.z.item_names), (None, False, None))
        for name in ("index", "type"):
            self.fails(ValueError, ["z", repr(t.shape)], lambda: getattr(t.z, name))
        self.assertEqual(t.x.rename("q").shape, spatial(q=4) & channel(vector="u,v"))
        self.assertIs(t.z.rename("q"), t)
        for kind in ("batch", "instance", "spatial", "channel"):
            made = getattr(t.x, f"as_{kind}")()
            self.assertEqual((made.shape.get_type("x"), made.shape.names), (kind, ("x", "vector")))
            self.same(made, U)
            self.assertEqual(getattr(t.x, f"as_{kind}")("n").shape.names, ("n", "vector"))
            self.same(getattr((t * 1).x, f"as_{kind}")("n") + 0, U, "n,vector")
            self.assertIs(getattr(t.z, f"as_{kind}")("n"), t)
        self.fails(IncompatibleShapes, "twice", t.x.rename, "vector")
        self.fails(ValueError, "kind", t.x.rename, "batch")

    def test_unstack_and_iterate(self):
        for t in (field(), field() * 1):
            self.assertEqual([list(each) for each in t.x], [list(row) for row in U])
            self.assertEqual([list(each) for each in t.vector.unstack()], [list(row) for row in U.T])
            self.assertEqual(len(t.x.unstack(4)), 4)
        self.assertEqual((t.z.unstack(), t.z.unstack(3), tuple(t.z)), ((t,), (t, t, t), (t,)))
        self.fails(ValueError, ["x", "4 elements", "3"], t.x.unstack, 3)
        self.assertEqual(math.zeros(x=0).x.unstack(), ())

    def test_sum_of_products(self):
        t, u = field(), named("x,y", seed=1)
        narrow = [each.astype(np.float32) for each in (U, array(u))]
        self.same(t.x * u, np.einsum("xv,xy->yv", *narrow), "y,vector", 1e-6)
        self.same(t.vector * t.vector, (narrow[0]**2).sum(1), tolerance=1e-6)
        self.same(t.vector * [1, 10], narrow[0] @ np.float32([1, 10]), tolerance=1e-6)
        self.same([1, 10] * t.vector, narrow[0] @ np.float32([1, 10]), tolerance=1e-6)
        self.same(u * t.x, np.einsum("xv,xy->yv", *narrow), "y,vector", 1e-6)
        self.assertEqual((t.z * t).shape, t.shape, "none is summed over")

    def test_what_is_no_dimension(self):
        t = field()
        message = self.fails(TypeError, ["nope", "math"], lambda: t.nope())
        self.assertIn("method", message)
        with self.assertRaisesRegex(AttributeError, "foo"):
            t.x.foo
        with self.assertRaises(AttributeError):
            t._private
        self.fails(TypeError, "select", lambda: t + t.x)
        self.fails(TypeError, "math.wrap", math.Tensor)


class Selections(Case):
    def test_items(self):
        for t in (field(), field() * 1, math.wrap(U.astype(np.float32), spatial("x"), channel(vector="u,v"))):
            for item in (
                0,
                -1,
                3,
                np.int8(2),
                slice(1, -1),
                slice(None, None, -1),
                slice(3, None, -2),
                slice(9, 12),
                [3, 0, 0],
                [],
                (1, 2),
                range(2),
                np.array([2, 1]),
                np.array([-1], np.int16),
                list(range(4)) * 8,
            ):
                index = list(item) if isinstance(item, (tuple, range)) else item
                self.same(t.x[item], array(t)[index if len(np.shape(index)) == 0 or len(index) else slice(0, 0)])
                self.same(t[{"x": item}], array(t.x[item]))
            self.same(t.vector["v"], U[:, 1])
            self.shaped(t.vector["v"], "(xˢ=4)")
            for item in ("v,u", " v , u ", ("v", "u"), ["v", "u"], [1, 0], channel("v,u")):
                self.shaped(t.vector[item], "(xˢ=4, vectorᶜ=v,u)")
                self.same(t.vector[item], U[:, ::-1])
            self.same(t.vector["v", "u"], U[:, ::-1])
            for item in ("v,", ["v"], ("v",), [1], slice(1, None)):
                self.shaped(t.vector[item], "(xˢ=4, vectorᶜ=v)")
            self.shaped(t.vector[[0, 0]], "(xˢ=4, vectorᶜ=2)")
            self.shaped(t.vector[0:0], "(xˢ=4, vectorᶜ=0)")
            self.shaped(t.vector[::-1], "(xˢ=4, vectorᶜ=v,u)")
            self.same(t.x[1:-1].vector["u"].x[0], U[1, 0])
            self.same(t[{"x": slice(1, None), "vector": "u", "q": 3}], U[1:, 0])
            self.assertIs(t.z[5], t)
            self.assertIs(t[{"z": 5}], t)

    def test_tensors_as_items(self):
        for t in (field(), field() * 1):
            positions = math.wrap([[3, 0], [1, 1], [2, -1]], instance("p"), spatial("x"))
            self.same(t.x[positions], U[[[3, 0], [1, 1], [2, -1]]], "p,x,vector")
            self.same(t.x[math.wrap(2)], U[2])
            self.same(t.x[math.wrap([2, 1], batch("b"))], U[[2, 1]], "b,vector")
            self.same(t.x[math.wrap([0, 1, 1, 0], spatial("x")) > 0], U[1:3])
            mask = math.wrap([True, False], channel("vector"))
            self.shaped(t.vector[mask], "(xˢ=4, vectorᶜ=u)")
            self.same(t.x[[True, False, False, True]], U[[0, 3]])
            self.same(t.x[np.array([True, False, False, True])], U[[0, 3]])
            matched = math.wrap([1, 0], channel(vector="u,v"))
            self.same(t.x[matched], [U[1, 0], U[0, 1]])
            self.same(t[math.wrap([True, False, True, False], spatial("x"))], U[::2])
        self.fails(TypeError, ["x", "float64", "math.to_int32"], lambda: t.x[math.wrap([1.0])])
        late = t.x[math.wrap([4, 0], instance("p"))]
        self.fails(IndexError, ["position", "math.clip"], list, late)
        clipped = math.clip(math.wrap([4, 0], instance("p")), 0, 3)
        self.same(t.x[clipped], U[[3, 0]])

    def test_without_a_name(self):
        t = field()
        self.same(t["v"], U[:, 1])
        self.same(t[1], U[:, 1])
        self.shaped(t["v,u"], "(xˢ=4, vectorᶜ=v,u)")
        self.same(named("b,x")[2], values("b,x")[:, 2])
        self.same(named("x")[1:3], values("x")[1:3])
        for wrong in (named("x,y"), math.wrap(1), named("b")):
            self.fails(ValueError, [repr(wrong.shape), "t.x[item]"], lambda: wrong[0])

    def test_errors(self):
        t = field()
        for item in (4, -5, [0, 4], np.int64(7)):
            self.fails(IndexError, ["outside", "x", "4"], lambda: t.x[item])
        for item in (1.5, None, ..., True, [0.5], [None], {}, slice(0, 1.5)):
            self.fails(TypeError, "x", lambda: t.x[item])
        self.fails(ValueError, ["'q'", "vector", "u, v"], lambda: t.vector["q"])
        self.fails(ValueError, "did you mean 'speed'", lambda: math.vec(speed=1, b=2).vector["sped"])
        self.fails(ValueError, ["x has no labels", "'u'", "position"], lambda: t.x["u"])
        self.fails(ValueError, "zero", lambda: t.x[::0])
        self.fails(IncompatibleShapes, "sizes", lambda: t.x[math.wrap([True, False], spatial("x"))])

    def test_assignment(self):
        for assign in (
            lambda t: t.__setitem__(0, 1),
            lambda t: t.x.__setitem__(0, 1),
            lambda t: t.__setitem__({"x": 0}, 1),
        ):
            self.fails(TypeError, ["do not change", "math.where", "math.scatter"], assign, field())
        with self.assertRaises((AttributeError, TypeError)):
            field().x = 3
        t = u = field()
        t += 1
        self.same(u, U)
        self.same(t, U.astype(np.float32) + 1)


class Values(Case):
    def test_lists_and_numbers(self):
        t = math.wrap(U, channel("c"), batch("b"))
        self.assertEqual(list(t), U.ravel().tolist(), "row-major in the tensor's order")
        self.assertEqual([type(each) for each in (*math.wrap([1]), *math.wrap([1.0]), *math.wrap([True]))],
                         [int, float, bool])
        self.assertEqual((list(math.wrap(2.0)), list(math.zeros(x=0))), ([2.0], []))
        self.assertEqual((len(named("x")), len(math.zeros(x=0))), (4, 0))
        for wrong in (field(), math.wrap(1)):
            self.fails(TypeError, ["rank 1", str(wrong.rank), "t.shape.volume"], len, wrong)
        self.assertEqual((int(math.wrap(2.7)), float(math.wrap(3)), int(math.ones(x=1, y=1)), float(math.wrap(True))),
                         (2, 3.0, 1, 1.0))
        self.assertEqual((bool(math.wrap(0.0)), bool(math.wrap(2)), bool(math.wrap(np.nan))), (False, True, True))
        for function in (int, float):
            self.fails(ValueError, [function.__name__, "(xˢ=4)", "4"], function, named("x"))
            self.fails(ValueError, function.__name__, function, math.zeros(x=0))
        for wrong in (named("x"), math.ones(x=1)):
            self.fails(ValueError, ["t.any", "t.all"], bool, wrong)
        self.assertEqual([10, 20, 30][math.wrap(1)], 20)
        self.fails(TypeError, "float32", [1, 2].__getitem__, math.wrap(1.0))

    def test_arrays(self):
        t = named("b,x,y")
        for function in (t.numpy, t.native, (t * 1).numpy, (t * 1).native):
            for order, axes in [("b,x,y", (0, 1, 2)), ("y,b,x", (2, 0, 1)), (["x", "y", "b"], (1, 2, 0)),
                                (spatial("y,x") & batch("b"), (0, 2, 1)), ([batch, "y", spatial], (0, 2, 1)),
                                ([spatial, batch], (1, 2, 0))]:
                np.testing.assert_array_equal(function(order), V.transpose(axes))
            self.assertEqual(function("z,y,b,q,x,w").shape, (1, 5, 2, 1, 4, 1))
            np.testing.assert_array_equal(function("z,y,b,q,x")[0, :, :, 0], V.transpose(2, 0, 1))
            self.fails(ValueError, ["3 dimensions", "'b,x,y'"], function)
            self.fails(ValueError, ["leaves out b", "all dimensions"], function, "y,x")
            self.fails(ValueError, "twice", function, "b,y,x,x")
        self.same(named("x"), values("x"))
        np.testing.assert_array_equal(named("x").numpy(), values("x"))
        self.assertEqual((math.wrap(1.5).numpy().shape, math.wrap(1.5).numpy("x,y").shape), ((), (1, 1)))
        self.assertEqual(math.wrap(np.float16(1)).numpy().dtype, np.float16)
        self.assertEqual(math.zeros(x=2, dtype="uint8").native().dtype, np.uint8)

    def test_protocols(self):
        t = named("x,b")
        for made in (np.asarray(t), np.array(t), np.from_dlpack(t), np.asarray(t * 1).T):
            np.testing.assert_array_equal(made, values("x,b"))
        self.assertEqual(np.asarray(t, dtype=np.float32).dtype, np.float32)
        self.assertFalse(np.shares_memory(np.array(t), t.numpy("x,b")))
        np.testing.assert_array_equal(np.asarray(math.zeros(x=3)), np.zeros(3))
        np.testing.assert_array_equal(np.from_dlpack(math.zeros(x=3)), np.zeros(3))
        a = np.ones(2)
        for made in (a * field(), np.float64(2) * field(), a + field()):
            self.assertIsInstance(made, math.Tensor)

    def test_pickle(self):
        parts = math.stack([math.zeros(x=2), math.ones(x=3)], batch("b"))
        for t in (named("x,b"), field() * 2, math.wrap(1.5), math.zeros(x=3), math.wrap(True), parts, math.wrap([]),
                  math.wrap(2**63), math.expand(named("x"), batch(b=3))):
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                made = pickle.loads(pickle.dumps(t, protocol))
                self.assertEqual((made.shape, made.dtype, repr(made)), (t.shape, t.dtype, repr(t)))
        import copy
        self.same(copy.deepcopy(field() * 1), U)
        self.same(copy.copy(field()), U)

    def test_copy(self):
        a = U.copy()
        t = math.wrap(a, spatial("x,y"))
        kept, later = math.copy(t), t + 1
        a[:] = 0
        self.same(kept, U)
        self.same(later, np.ones_like(U), tolerance=1e-9)
        self.same(math.copy(t * 2 + 1), np.ones_like(U))
        self.same(math.copy(math.zeros(x=2)), [0, 0])


class Operators(Case):
    def test_matching(self):
        t, u = named("b,x,c"), named("y,c,x", seed=1)
        a, b = [array(each).astype(np.float32) for each in (t, u)]
        self.shaped(t + u, "(bᵇ=2, xˢ=4, yˢ=5, cᶜ=3)")
        self.shaped(u + t, "(bᵇ=2, yˢ=5, xˢ=4, cᶜ=3)")
        self.same(t + u, np.einsum("bxc->bxc", a)[:, :, None, :] + np.einsum("ycx->xyc", b))
        self.same(u * t, a[:, None] * np.einsum("ycx->yxc", b)[None])
        self.shaped(-named("x,b"), "(bᵇ=2, xˢ=4)")
        self.same(-named("x,b"), -values("x,b").T)
        self.same(named("x,b") + 0, values("x,b").T)
        self.same(1 - named("x,b"), 1 - values("x,b").T)

    def test_incompatible(self):
        for a, b, words in [(named("x"), named("x", x=3), "sizes 4 and 3 of x differ"),
                            (named("x"), named("x", x=1), "sizes 4 and 1 of x differ"),
                            (named("x"), named("x").x.as_batch(), "x is spatial there and batch here"),
                            (field(), field().vector["v,u"], "labels u,v and v,u of vector differ")]:
            for function in (lambda a, b: a + b, lambda a, b: a == b, math.maximum, math.arctan2,
                             lambda a, b: math.where(a > 0, a, b), lambda a, b: math.clip(a, b, 3)):
                self.fails(IncompatibleShapes, ["cannot match", words], function, a, b)

    def test_lists_lie_along(self):
        t = field()
        for along in ([1, 10], (1, 10), np.array([1, 10]), spatial(p=1, q=10)):
            self.same(t * along, U * [1, 10])
            self.same(along - t, [1, 10] - U)
            self.shaped(t * along, "(xˢ=4, vectorᶜ=u,v)")
        self.same(named("b,x")[{"b": 0}] + [1, 2, 3, 4], values("b,x")[0] + [1, 2, 3, 4])
        two = math.zeros(channel(a=2, vector=3))
        self.same(two + [1, 2, 3], [[1, 2, 3]] * 2)
        self.same(math.zeros(spatial(x=2), batch(vector=3)) + [1, 2, 3], np.array([[1, 2, 3]] * 2).T)
        self.same(math.maximum(t, [0, 1]), np.maximum(U, [0, 1]))
        self.same(math.clip(t, [0, 1], 1), np.clip(U, [0, 1], 1))
        self.same(math.where(t > 0, [5, 6], t), np.where(U > 0, [5, 6], U))
        self.same(t + [math.wrap(1), 2], U + [1, 2])
        for wrong, words in [(named("x,y"), "none of these"), (math.zeros(channel(a=2, b=2)), "none of these"),
                             (math.wrap(1), "none of these"), (field(), "vector, which has size 2")]:
            self.fails(IncompatibleShapes, [repr(wrong.shape), words], lambda: wrong + [1, 2, 3])
        self.fails(ValueError, ["(1, 2)", "math.wrap"], lambda: t + np.zeros((1, 2)))
        self.shaped(named("x,y") + math.wrap([1, 2, 3], channel("c")), "(xˢ=4, yˢ=5, cᶜ=3)")

    def test_wrong_operands(self):
        for wrong in (None, "a", {}, object(), print):
            for function in (
                lambda a: field() + a,
                lambda a: a * field(),
                lambda a: field() == a,
                lambda a: field() < a,
                math.sqrt,
                lambda a: math.maximum(a, 1),
            ):
                with self.assertRaises(TypeError):
                    function(wrong)

    def test_equality_is_elementwise(self):
        t = field()
        self.same(t == U[0, 0], U == U[0, 0])
        self.same(t != t, U != U)
        self.assertEqual(len({t, t}), 1)
        self.assertIn(U[1, 0], t)
        self.assertNotIn(1e9, t)

    def test_symmetric_operators(self):
        t = math.wrap(np.array([7, -7, 3]), spatial("x"))
        a = array(t)
        for made, expected in [
            (2 + t, 2 + a),
            (2 - t, 2 - a),
            (2 * t, 2 * a),
            (20 // t, 20 // a),
            (20 % t, 20 % a),
            (2 ** abs(t), 2 ** abs(a)),
            (6 & t, 6 & a),
            (6 | t, 6 | a),
            (6 ^ t, 6 ^ a),
            (1 << abs(t), 1 << abs(a)),
            (1000 >> abs(t), 1000 >> abs(a)),
            (t << 2, a << 2),
            (t >> 1, a >> 1),
            (t // 2, a // 2),
            (t % 4, a % 4),
            (t**2, a**2),
            (+t, a),
            (~t, ~a),
            (abs(t), abs(a)),
            (10 > t, 10 > a),
            (7 <= t, 7 <= a),
            (7 == t, 7 == a),
            (7 != t, 7 != a),
        ]:
            self.same(made, expected)
        self.same(21 / t, (21 / a).astype(np.float32))
        self.same(t / 2, (a / 2).astype(np.float32))



if __name__ == "__main__":
    unittest.main()
