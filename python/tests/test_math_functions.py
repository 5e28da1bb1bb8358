"""Functions of weft.math: of elements, reductions, comparisons, what arranges dimensions, against NumPy."""
import unittest

import numpy as np

import weft
from support_math import Case, array, dims, named, values
from weft import math
from weft.math import IncompatibleShapes, batch, channel, instance, non_batch, spatial


class Elements(Case):
    def test_of_one(self):
        a = np.abs(values("x,y", "float32")) / 4 + np.float32(0.1)
        t = math.wrap(a, spatial("x,y"))
        for name, function in {"sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "cbrt": np.cbrt, "exp": np.exp,
                               "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
                               "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arctan": np.arctan,
                               "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "arcsinh": np.arcsinh, "abs": np.abs,
                               "floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc, "sign": np.sign,
                               "isfinite": np.isfinite, "isnan": np.isnan, "isinf": np.isinf}.items():
            self.same(getattr(math, name)(t), function(a), tolerance=2e-6)
            self.same(getattr(math, name)(math.wrap(a, spatial("x"), batch("y"))), function(a), "x,y", tolerance=2e-6)
        self.same(math.arccosh(t + 1), np.arccosh(a + 1), tolerance=1e-5)
        for name, function in {"arcsin": np.arcsin, "arccos": np.arccos, "arctanh": np.arctanh}.items():
            self.same(getattr(math, name)(t / 2), function(a / 2), tolerance=2e-6)
        self.assertEqual(repr(math.sqrt(math.wrap(-1.0))), "nan")
        self.assertEqual((math.PI, math.INF, math.NAN != math.NAN), (np.pi, np.inf, True))
        self.same(math.erf(0.5) + math.erfc(0.5), 1, tolerance=1e-6)
        self.assertEqual((float(math.sqrt(4)), float(math.abs(-3)), list(math.sqrt([1, 4]))), (2.0, 3.0, [1.0, 2.0]))
        self.same(math.round(math.wrap([0.5, 1.5, -2.5])), [0, 2, -2])
        for t in (named("x,b"), named("x,b") * 1):
            self.shaped(math.sin(t), "(bᵇ=2, xˢ=4)")

    def test_of_several(self):
        a, b = values("x"), values("x", seed=1)
        t, u = named("x"), named("x", seed=1)
        for made, expected in [(math.arctan2(t, u), np.arctan2(a, b)), (math.hypot(t, u), np.hypot(a, b)),
                               (math.copysign(t, u), np.copysign(a, b)), (math.clip(t), np.clip(a, 0, 1)),
                               (math.where(t > u, t, u), np.where(a > b, a, b)),
                               (math.where(t, 1, 2), np.where(a, 1, 2)),
                               (math.where(True, t, u), a), (math.where(t > 0, 1, 0.5), np.where(a > 0, 1, 0.5))]:
            self.same(made, expected, tolerance=1e-6)
        self.assertTrue(all(np.isnan(list(f(math.wrap([np.nan, 1.0]), [1.0, np.nan]))).all()
                            for f in (math.maximum, math.minimum)))
        self.shaped(math.where(named("x") > 0, named("b"), named("y")), "(bᵇ=2, xˢ=4, yˢ=5)")
        self.same(math.where(named("x") > 0, named("b"), 0), np.where(values("x") > 0, values("b")[:, None], 0))
        self.same(math.where(named("x") > 0, math.ones(batch(b=2)), 0), np.where(values("x") > 0, np.ones((2, 1)), 0))
        t, u = named("x,y"), named("b,x", seed=1)
        a, b = values("x,y")[None], values("b,x", seed=1)[..., None]
        self.same(math.maximum(t, u), np.maximum(a, b), "b,x,y")
        self.same(math.minimum(t, 0), np.minimum(values("x,y"), 0))
        self.same(math.clip(t, -1, u), np.minimum(np.maximum(a, -1), b), "b,x,y")
        self.same(math.where(t > 0, t, u), np.where(a > 0, a, b), "b,x,y")
        self.shaped(math.where(math.wrap([True], batch("q")), 1, math.ones(x=2)), "(qᵇ=1, xˢ=2)")
        self.fails(IncompatibleShapes, "sizes 4 and 3 of x", math.where, t > 0, math.ones(x=3), 1)


class Reductions(Case):
    def test_dims(self):
        a = values("b,x,c")
        t = named("b,x,c")
        for name in ("sum", "prod", "mean", "std", "min", "max", "any", "all"):
            reduction = getattr(np, name)
            for dims_, axes in [("x", 1), ("x,c", (1, 2)), (spatial, 1), ([channel, "b"], (0, 2)), (batch, 0),
                                (spatial("x") & batch("b"), (0, 1)), ("c,x", (1, 2)), ("x,q", 1),
                                (t.shape, (0, 1, 2)), ("q", ()), (None, ()), ([], ()), (instance, ())]:
                expected = reduction(a, axes) if axes != () else a != 0 if name in ("any", "all") else \
                    np.zeros_like(a) if name == "std" else a
                self.same(getattr(math, name)(t, dims_), expected, tolerance=1e-9)
            self.same(getattr(math, name)(t), reduction(a, (1, 2)), tolerance=1e-9)
            self.same(getattr(math, name)(t, non_batch), reduction(a, (1, 2)), tolerance=1e-9)
            if name != "prod":
                self.same(getattr(t, name), reduction(a), tolerance=1e-9)
        self.shaped(math.sum(t, "b"), "(xˢ=4, cᶜ=3)")
        self.shaped(math.sum(math.wrap(values("c,x,b"), channel("c"), spatial("x"), batch("b")), "x"), "(cᶜ=3, bᵇ=2)")
        for wrong in (5, 1.5, print):
            self.fails(TypeError, "'x,y'", math.sum, t, wrong)
        self.shaped(math.sum(named("c,x,b,y"), "x"), "(cᶜ=3, bᵇ=2, yˢ=5)")
        self.same(math.sum(named("c,x,b", "int16"), "x"), values("c,x,b", "int16").sum(1))
        self.same(math.mean(named("c,x,b", "int64"), "x"), values("c,x,b", "int64").mean(1), tolerance=1e-6)

    def test_lists_and_numbers(self):
        self.assertEqual((float(math.max([3, 1, 2])), float(math.sum(5)), float(math.mean((1, 2)))), (3.0, 5.0, 1.5))
        self.assertEqual(float(math.sum([math.wrap(1), 2])), 3.0)

    def test_no_elements(self):
        t = math.zeros(x=0)
        self.assertEqual([float(math.sum(t)), float(math.prod(t)), bool(math.any(t)), bool(math.all(t))],
                         [0, 1, False, True])
        self.assertTrue(np.isnan([float(math.mean(t)), float(math.std(t))]).all())
        for function in (math.min, math.max):
            self.fails(ValueError, ["x", "no elements"], function, t)
        self.same(math.max(math.zeros(batch(b=0), spatial(x=2))), [])
        self.same(math.max(math.zeros(batch(b=0), spatial(x=0))), [])  # no element without a value
        self.fails(ValueError, ["x", "no elements"], math.max, math.zeros(batch(b=2), spatial(x=0)))
        t = math.zeros(x=0, y=2)
        self.same(math.sum(t, "x"), [0, 0])
        self.same(math.prod(t, "x"), [1, 1])
        self.same(math.any(t, "x"), [False, False])
        self.same(math.all(t, "x"), [True, True])
        self.same(math.mean(t, "x"), [np.nan, np.nan])
        for function in (math.min, math.max):
            self.fails(ValueError, ["x", "no elements"], function, t, "x")
        self.same(math.min(t, "y"), np.zeros(0))

    def test_finite(self):
        a = np.array([[1.5, np.nan, np.inf, -300.7], [np.nan, -np.inf, 1, 3]])
        t = math.wrap(a, spatial("y,x"))
        kept = [row[np.isfinite(row)] for row in a]
        for name in ("sum", "prod", "mean", "std", "min", "max"):
            self.same(getattr(math, "finite_" + name)(t, "x"), [getattr(np, name)(row) for row in kept],
                      tolerance=1e-12)
            self.same(getattr(math, "finite_" + name)(t), getattr(np, name)(np.concatenate(kept)), tolerance=1e-12)
        for kind in ("float16", "float32", "float64", "int8"):
            for name in ("sum", "mean", "max"):
                self.shaped(getattr(math, "finite_" + name)(named("z,x,b", kind), "x"), "(zˢ=2, bᵇ=2)")
        exact = math.wrap([1 + 1e-12, np.nan], spatial("x"))
        for name in ("sum", "prod", "mean", "min", "max"):
            self.assertEqual(float(getattr(math, "finite_" + name)(exact)), 1 + 1e-12)
        a = np.array([[1.0, np.inf, 3.0], [np.nan, -np.inf, np.nan], [2.0, 4.0, 9.0]])
        t = math.wrap(a, spatial("x,y"))
        kept = [[1.0, 3.0], [], [2.0, 4.0, 9.0]]
        for name, empty in [
            ("sum", 0),
            ("prod", 1),
            ("mean", np.nan),
            ("std", np.nan),
            ("min", np.nan),
            ("max", np.nan),
        ]:
            expected = [getattr(np, name)(row) if row else empty for row in kept]
            self.same(getattr(math, "finite_" + name)(t, "y"), expected, tolerance=1e-12)
            self.assertEqual(getattr(math, "finite_" + name)(t).shape, math.EMPTY_SHAPE)

    def test_cumulative_sum(self):
        for names, dim, axis in (("x", "x", 0), ("x,b", "x", 0), ("c,x,b", "x", 1), ("b,y", "y", 1),
                                 ("b,x,y", "x", 1), ("b,x,y", "b", 0)):
            self.same(math.cumulative_sum(named(names), dim), values(names).cumsum(axis))
            self.same(math.cumulative_sum(named(names, "int8"), dim), values(names, "int8").cumsum(axis))
        t = named("x")
        self.assertIs(math.cumulative_sum(t, "q"), t)
        self.assertEqual(str(math.cumulative_sum(named("x", "uint8"), "x").dtype), "uint64")
        self.shaped(math.cumulative_sum(math.zeros(x=0), "x"), "(xˢ=0)")
        t = math.cumulative_sum(math.wrap(np.ones(1000, np.int8), spatial("x")), "x")
        self.assertEqual((t.dtype.name, list(t)), ("int64", list(range(1, 1001))))


class Close(Case):
    def test_close(self):
        t = named("x,y")
        for values_, expected in [((t, t), True), ((t, t + 1), False), ((t, t * (1 + 1e-7)), True),
                                  ((1, 1.000001), True),
                                  ((1, 1.1), False), ((math.NAN, math.NAN), True), ((math.NAN, 1), False),
                                  ((math.INF, math.INF), True), ((math.INF, -math.INF), False), ((math.INF, 5), False),
                                  ((5, math.INF), False), ((t, t, t + 1), False), ((0, 1e-9), False), ((t,), True),
                                  ((math.zeros(x=2), math.zeros(x=3)), False), ((math.ones(x=2), 1), True),
                                  ((True, 1), True), ((math.wrap([True, False]), math.wrap([1, 0])), True)]:
            self.assertIs(math.close(*values_), expected, values_)
        self.assertTrue(math.close(1, 1.1, rel_tolerance=0.2))
        self.assertTrue(math.close(0, 1e-9, abs_tolerance=1e-8))
        self.assertTrue(math.close(math.ones(x=3), 1.5, rel_tolerance=0, abs_tolerance=0.5))
        for kind in ("uint8", "int8", "uint64", "int64"):
            a, b = (math.wrap(np.array([n], kind)) for n in (1, 0))
            self.assertTrue(math.close(a, b, abs_tolerance=1))
            self.assertTrue(math.close(b, a, abs_tolerance=1))
            self.assertFalse(math.close(a, b, abs_tolerance=0.5))

    def test_assert_close(self):
        t = math.ones(x=3)
        self.assertIsNone(math.assert_close(t, 1, 1.0, math.ones(batch(b=2))))
        message = self.fails(AssertionError, ["here", "0 and 2", "1 of 3"], math.assert_close, t, 1,
                             math.wrap([1.0, 1.0, 2.0], spatial("x")), msg="here")
        self.assertIn("const 1.0", message)
        self.fails(AssertionError, ["0 and 1", "sizes", "of x differ"], math.assert_close, t, math.ones(x=4))
        math.assert_close(1, 1.05, rel_tolerance=0.1)
        self.fails(AssertionError, "differ", math.assert_close, 1, 1.05)


class Structure(Case):
    def test_stack(self):
        t, u = named("x,c"), named("b,x", seed=1)
        a, b = values("x,c"), values("b,x", seed=1)
        made = math.stack([t, u], batch("k"))
        self.shaped(made, "(kᵇ=2, bᵇ=2, xˢ=4, cᶜ=3)")
        both = np.broadcast_arrays(a[None], b[..., None])
        self.same(made, np.stack(both))
        self.shaped(math.stack([t, t], channel("k")), "(xˢ=4, kᶜ=2, cᶜ=3)")
        self.shaped(math.stack({"u": t, "v": t}, channel("k")), "(xˢ=4, kᶜ=u,v, cᶜ=3)")
        self.shaped(math.stack([t, t], channel(k="u,v")), "(xˢ=4, kᶜ=u,v, cᶜ=3)")
        self.shaped(math.stack([t], "k:b=1"), "(kᵇ=1, xˢ=4, cᶜ=3)")
        self.same(math.stack([t], "k:b"), a[None])
        self.assertEqual(list(math.stack([1, 2.5, True], channel("k"))), [1, 2.5, 1])
        self.fails(ValueError, ["no tensors"], math.stack, [], batch("k"))
        self.fails(ValueError, ["x", "already"], math.stack, [t, t], spatial("x"))
        self.fails(ValueError, ["2", "3"], math.stack, {"u": t, "v": t}, batch(k=3))
        self.fails(TypeError, ["list of tensors", "math.unstack"], math.stack, t, batch("k"))
        self.fails(ValueError, ["2 tensors", "3"], math.stack, [t, t], batch(k=3))
        self.fails(ValueError, ["one new dimension", "2"], math.stack, [t, t], batch("j,k"))
        self.fails(IncompatibleShapes, "x is spatial", math.stack, [math.ones(x=2), math.ones(batch(x=2))], batch("k"))
        made = math.stack([named("x,b"), named("b")], channel("c"))
        self.same(made, np.stack([values("x,b").T, np.repeat(values("b")[:, None], 4, 1)], -1))
        self.shaped(math.stack([math.vec(u=1, v=2), math.vec(u=3, v=4)], batch("b")), "(bᵇ=2, vectorᶜ=u,v)")

    def test_unstack(self):
        made = math.unstack(named("x,c"), "c,x")
        self.assertEqual((type(made), len(made)), (tuple, 12))
        self.assertEqual([float(each) for each in made], values("x,c").T.ravel().tolist())
        [t] = math.unstack(named("x"), "q")
        self.assertEqual(t.shape, spatial(x=4))
        self.assertEqual(len(math.unstack(named("x,c"), spatial)), 4)
        self.assertEqual(math.unstack(math.zeros(x=0), "x"), ())
        t = named("x,y")
        self.same(math.unstack(t, "x,y")[7], values("x,y")[1, 2])
        self.same(math.unstack(t, "y,x")[7], values("x,y")[3, 1])
        self.assertEqual((len(math.unstack(t, "x,q")), len(math.unstack(t, spatial))), (4, 20))

    def test_concat(self):
        t, u = named("x,c"), named("b,x", seed=1, x=2)
        made = math.concat([t, u, t * 2], "x")
        self.shaped(made, "(bᵇ=2, xˢ=10, cᶜ=3)")
        a = np.broadcast_to(values("x,c"), (2, 4, 3))
        b = np.broadcast_to(values("b,x", seed=1, x=2)[..., None], (2, 2, 3))
        self.same(made, np.concatenate([a, b, a * 2], 1))
        self.same(math.concat([t, t], spatial("x")), np.concatenate([values("x,c")] * 2))
        one, two = math.wrap([1, 2], channel(v="a,b")), math.wrap([3], channel(v="c"))
        self.shaped(math.concat([one, two], "v"), "(vᶜ=a,b,c)")
        self.shaped(math.concat([one, one], "v"), "(vᶜ=4)")
        self.shaped(math.concat([one, math.wrap([5], channel("v"))], "v"), "(vᶜ=3)")
        self.fails(ValueError, ["(cᶜ=3)", "no x"], math.concat, [t, named("c")], "x")
        self.fails(ValueError, "no tensors", math.concat, [], "x")
        self.fails(TypeError, ["list of tensors", "math.unstack"], math.concat, t, "x")
        self.fails(IncompatibleShapes, ["x", "spatial", "batch"], math.concat, [t, math.ones(batch(x=2))], "x")
        self.fails(IncompatibleShapes, "sizes 3 and 2 of c", math.concat, [t, named("x,c", c=2)], "x")

    def test_expand(self):
        t = named("x")
        self.same(math.expand(t, batch(b=2), channel(c="u,v")), np.broadcast_to(values("x")[None, :, None], (2, 4, 2)))
        self.same(math.expand(t * 2, batch(b=2)), np.stack([values("x") * 2] * 2))
        self.shaped(math.expand(t, batch(b=2) & spatial(x=4)), "(bᵇ=2, xˢ=4)")
        self.shaped(math.expand(1.5, spatial(x=2)), "(xˢ=2)")
        self.shaped(math.expand(t * 1, spatial(x="p,q,r,s")), "(xˢ=p,q,r,s)")
        self.shaped(math.expand(t, "b:b=2"), "(bᵇ=2, xˢ=4)")
        self.fails(ValueError, "size of b", math.expand, t, batch("b"))
        self.fails(IncompatibleShapes, "sizes 4 and 3 of x", math.expand, t, spatial(x=3))
        self.shaped(math.expand(1, channel(v="a,b")), "(vᶜ=a,b)")
        for u in (t, t * 1):
            self.same(math.expand(u, spatial("x")), array(t))

    def test_rename(self):
        t = math.wrap(values("x,vector"), spatial("x"), channel(vector="u,v"))
        for u in (t, t + 0):
            for dims_, names, text in [("x", "z", "(zˢ=4, vectorᶜ=u,v)"), ("x,vector", "a,b", "(aˢ=4, bᶜ=u,v)"),
                                       ("x,vector", "vector,x", "(vectorˢ=4, xᶜ=u,v)"),
                                       ("q,x", "r,z", "(zˢ=4, vectorᶜ=u,v)"),
                                       ("x", batch("b"), "(bᵇ=4, vectorᶜ=u,v)"), (channel, spatial("y"),
                                                                                  "(xˢ=4, yˢ=u,v)"),
                                       ("vector", channel(w="p,q"), "(xˢ=4, wᶜ=p,q)"),
                                       (["x"], ["k"], "(kˢ=4, vectorᶜ=u,v)")]:
                made = math.rename_dims(u, dims_, names)
                self.shaped(made, text)
                self.same(made, values("x,vector"))
                self.same(made + 0, values("x,vector"), made.shape)
        self.fails(ValueError, ["2 dimensions", "1 names"], math.rename_dims, t, "x,vector", "z")
        self.fails(ValueError, ["4", "3"], math.rename_dims, t, "x", spatial(z=3))
        self.fails(IncompatibleShapes, "twice", math.rename_dims, t, "x", "vector")

    def test_pack_unpack(self):
        a = values("b,x,y,c")
        for t in (named("b,x,y,c"), named("b,x,y,c") * 1):
            made = math.pack_dims(t, "x,y", instance("p"))
            self.shaped(made, "(bᵇ=2, pⁱ=20, cᶜ=3)")
            self.same(made, a.reshape(2, 20, 3))
            self.same(math.pack_dims(t, "y,x", instance("p")), a.transpose(0, 2, 1, 3).reshape(2, 20, 3))
            self.same(math.pack_dims(t, spatial, "p:i"), a.reshape(2, 20, 3))
            self.same(math.pack_dims(t, "y,b", "p:b"), a.transpose(2, 0, 1, 3).reshape(10, 4, 3))
            self.same(math.pack_dims(t, "b,x,y,c", "p:b"), a.ravel())
            self.shaped(math.pack_dims(t, "q", batch("p")), "(bᵇ=2, pᵇ=1, xˢ=4, yˢ=5, cᶜ=3)")
            self.same(math.unpack_dim(made, "p", spatial(x=4, y=5)), a)
            self.same(math.unpack_dim(made, "p", spatial("x", y=5)), a)
            self.shaped(math.unpack_dim(made, "p", spatial(x=2), batch(k=10)), "(bᵇ=2, xˢ=2, kᵇ=10, cᶜ=3)")
        self.assertIs(math.unpack_dim(made, "q", spatial(x=4)), made)
        self.fails(ValueError, ["p", "20 elements", "(xˢ=3, yˢ=5)"], math.unpack_dim, made, "p", spatial(x=3, y=5))
        self.fails(ValueError, ["20 elements"], math.unpack_dim, made, "p", spatial("x,y"))
        self.fails(ValueError, ["x, y", "20", "7"], math.pack_dims, t, "x,y", instance(p=7))
        self.fails(ValueError, "one dimension", math.pack_dims, t, "x,y", instance("p,q"))
        self.fails(ValueError, "one dimension", math.unpack_dim, t, "x,y", spatial("u,v"))
        for t in (named("b,x,y"), named("b,x,y") * 1):
            self.shaped(math.pack_dims(t, t.shape, channel("c")), "(cᶜ=40)")
            made = math.unpack_dim(t, "x", spatial(u=2, v=2))
            self.shaped(made, "(bᵇ=2, uˢ=2, vˢ=2, yˢ=5)")
            self.same(made, values("b,x,y").reshape(2, 2, 2, 5))
            self.same(math.unpack_dim(t, "y", batch("k"), channel(c=5)), values("b,x,y").reshape(2, 4, 1, 5))

    def test_labels_of_what_is_packed(self):
        t = math.wrap([[1, 2], [3, 4]], spatial("x"), channel(v="a,b"))
        self.shaped(math.pack_dims(t, "x,v", channel("w")), "(wᶜ=4)")
        self.shaped(math.pack_dims(t, "x,v", channel(w="p,q,r,s")), "(wᶜ=p,q,r,s)")

    def test_join_spaces(self):
        made = math.join_spaces(named("b,x"), named("y,c"), math.wrap(2.0))
        self.assertIsInstance(made, list)
        self.assertEqual([repr(each.shape) for each in made],
                         ["(bᵇ=2, xˢ=4, yˢ=5)", "(xˢ=4, yˢ=5, cᶜ=3)", "(xˢ=4, yˢ=5)"])
        self.same(made[1], np.broadcast_to(values("y,c"), (4, 5, 3)))
        self.fails(IncompatibleShapes, "sizes 4 and 3 of x", math.join_spaces, named("x"), math.ones(x=3))

    def test_evaluate(self):
        t, u = named("x") * 2, named("y") + 1
        self.assertIs(math.evaluate(t), t)
        made = math.evaluate(t, u, 3)
        self.assertEqual((type(made), made[0] is t, made[1] is u, int(made[2])), (tuple, True, True, 3))

    def test_convert(self):
        self.assertIs(math.convert(named("x"), "numpy").default_backend, math.NUMPY)
        self.fails(ValueError, "'nope'", math.convert, named("x"), "nope")

    def test_names_that_are_not_there(self):
        """What the errors advise is what phi.math's functions give."""
        v, a = named("x,vector"), values("x,vector")
        for name, word in [("jit_compile", "call the function itself"), ("gradient", "math.spatial_gradient"),
                           ("fft", "transforms"), ("sqtr", "did you mean sqrt?"), ("quantile", "numpy.quantile"),
                           ("wzqk", "docs/math.md")]:
            self.fails(AttributeError, [name, word], getattr, math, name)
        for name, advice, made, expected in [
            ("dot", "a.x * b", v.x * v, (a * a).sum(0)),
            ("vec_squared", "v.vector * v", v.vector * v, (a * a).sum(1)),
            ("vec_length", "math.sqrt(v.vector * v)", math.sqrt(v.vector * v), np.hypot(*a.T)),
            ("l2_loss", "math.sum(t ** 2) / 2", math.sum(v ** 2) / 2, (a * a).sum() / 2),
            ("flip", "t.x[::-1]", v.x[::-1], a[::-1]),
            ("roll", "math.concat([t.x[-1:], t.x[:-1]], 'x')", math.concat([v.x[-1:], v.x[:-1]], "x"),
             np.roll(a, 1, 0)),
            ("softmax", "weft.evaluate('softmax(t, x)', t=t)", weft.evaluate("softmax(t, x)", t=v),
             weft.evaluate("softmax(t, 0)", t=np.asarray(v))),
            ("l1_loss", "math.sum(math.abs(t))", math.sum(math.abs(v)), np.abs(a).sum()),
        ]:
            self.fails(AttributeError, advice, getattr, math, name)
            self.same(made, expected, tolerance=1e-6)

    def test_every_order_of_dimensions(self):
        """Functions give the same values whatever the order of their operand's dimensions."""
        functions = [
            math.sin, math.floor, lambda t: -t, lambda t: math.cast(t, int), lambda t: math.cast(t, bool),
                     math.to_float,
            lambda t: math.cast(t, (float, 64)), lambda t: math.sum(t, "x"), lambda t: math.mean(t, "b"),
            lambda t: math.cumulative_sum(t, "x"), lambda t: math.pad(t, {"x": (1, 2)}, 3), lambda t: t.x[[2, 0]],
            lambda t: t.x[::-1], lambda t: t.x[1], lambda t: math.laplace(t), lambda t: math.spatial_gradient(t),
            lambda t: math.convolve(t, math.ones(x=3), 0),
                     lambda t: math.convolve(t, math.ones(batch(b=2), spatial(x=2))),
            lambda t: math.stack([t, t], channel("k")), lambda t: math.concat([t, t], "x"),
            lambda t: math.expand(t, channel(k=2)), lambda t: math.pack_dims(t, "x,b", instance("k")),
            lambda t: math.gather(t, math.wrap([1, 0], instance("p"))), lambda t: t.x[math.wrap([1, 0], batch("b"))],
            lambda t: math.grid_sample(t, math.wrap([0.5, 9.0], batch("b"))), lambda t: math.where(t > 0, t, 0),
            lambda t: math.scatter(t, math.wrap([1, 2], batch("b")), 9), lambda t: math.clip(t, 0, 1), math.finite_mean,
            lambda t: math.boolean_mask(t, "x", named("x") > 0), lambda t: math.shift(t, (1,))[0], math.zeros_like,
            lambda t: math.random_uniform(t.shape) * 0, lambda t: math.maximum(t, named("x")), abs, math.isnan]
        for function in functions:
            expected = function(math.wrap(values("b,x,c"), dims("b,x,c")))
            for order in ("b,c,x", "x,b,c", "x,c,b", "c,b,x", "c,x,b"):
                t = math.wrap(np.ascontiguousarray(np.einsum(f"bxc->{order.replace(',', '')}", values("b,x,c"))),
                              dims(order))
                made = function(t)
                self.same(made, array(expected), expected.shape, 1e-6)


if __name__ == "__main__":
    unittest.main()
