"""Functions of weft.math that arrange dimensions, reduce and compare, against NumPy."""
import unittest

import numpy as np

from support_math import Case, array, dims, named, values
from weft import math
from weft.math import IncompatibleShapes, batch, channel, instance, non_batch, spatial

ONE = {"sqrt": np.sqrt, "cbrt": np.cbrt, "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log,
       "log2": np.log2,
       "log10": np.log10, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arcsin": np.arcsin,
       "arccos": np.arccos, "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
       "arcsinh": np.arcsinh,
       "arctanh": np.arctanh, "floor": np.floor, "ceil": np.ceil, "round": np.round, "trunc": np.trunc, "abs": np.abs,
       "sign": np.sign, "isfinite": np.isfinite, "isnan": np.isnan, "isinf": np.isinf}


class Elements(Case):
    def test_of_one(self):
        a = np.float32([0.1, 0.25, 0.9, 0.5])
        made = [getattr(math, name)(math.wrap(a, spatial("x"))) for name in ONE]
        math.evaluate(*made)
        for t, (name, function) in zip(made, ONE.items()):
            np.testing.assert_allclose(t.numpy(), function(a), rtol=2e-6, err_msg=name)
        self.same(math.arccosh(math.wrap(a + 1, spatial("x"))), np.arccosh(a + 1), tolerance=1e-6)
        self.same(math.rsqrt(math.wrap(a, spatial("x"))), 1 / np.sqrt(a), tolerance=1e-6)
        self.same(math.erf(0.5) + math.erfc(0.5), 1, tolerance=1e-6)
        self.assertEqual((float(math.sqrt(4)), float(math.abs(-3)), list(math.sqrt([1, 4]))), (2.0, 3.0, [1.0, 2.0]))
        self.same(math.round(math.wrap([0.5, 1.5, -2.5])), [0, 2, -2])
        for t in (named("x,b"), named("x,b") * 1):
            self.shaped(math.sin(t), "(bᵇ=2, xˢ=4)")
        self.assertEqual((math.PI, math.INF, math.NAN != math.NAN), (np.pi, np.inf, True))

    def test_of_several(self):
        a, b = values("x"), values("x", seed=1)
        t, u = named("x"), named("x", seed=1)
        for made, expected in [(math.maximum(t, u), np.maximum(a, b)), (math.minimum(t, u), np.minimum(a, b)),
                               (math.arctan2(t, u), np.arctan2(a, b)), (math.hypot(t, u), np.hypot(a, b)),
                               (math.copysign(t, u), np.copysign(a, b)), (math.clip(t), np.clip(a, 0, 1)),
                               (math.clip(t, -1, u), np.minimum(np.maximum(a, -1), b)),
                               (math.where(t > u, t, u), np.where(a > b, a, b)),
                               (math.where(t, 1, 2), np.where(a, 1, 2)),
                               (math.where(True, t, u), a), (math.where(t > 0, 1, 0.5), np.where(a > 0, 1, 0.5))]:
            self.same(made, expected, tolerance=1e-6)
        self.assertTrue(all(np.isnan(list(f(math.wrap([np.nan, 1.0]), [1.0, np.nan]))).all()
                            for f in (math.maximum, math.minimum)))
        self.shaped(math.where(named("x") > 0, named("b"), named("y")), "(bᵇ=2, xˢ=4, yˢ=5)")
        self.same(math.where(named("x") > 0, named("b"), 0), np.where(values("x") > 0, values("b")[:, None], 0))
        self.same(math.where(named("x") > 0, math.ones(batch(b=2)), 0), np.where(values("x") > 0, np.ones((2, 1)), 0))


class Reductions(Case):
    def test_dims(self):
        t, a = named("b,x,y,c"), values("b,x,y,c")
        for given, axes in [(non_batch, (1, 2, 3)), ("x", 1), ("y,x", (1, 2)), (spatial, (1, 2)), ("x,q", 1),
                            ([channel, "b"], (0, 3)), (batch, 0), (t.shape, (0, 1, 2, 3)), (spatial("y"), 2)]:
            for name in ("sum", "mean", "std", "min", "max", "any", "all"):
                self.same(getattr(math, name)(t, given), getattr(np, name)(a, axes), tolerance=1e-9)
        for given in (None, [], "q", instance, ()):
            self.same(math.sum(t, given), a)
        self.same(math.max(t), a.max((1, 2, 3)))
        self.same(math.prod(t, "x"), a.prod(1), tolerance=1e-9)
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

    def test_finite(self):
        a = np.array([[1.5, np.nan, np.inf, -300.7], [np.nan, -np.inf, 1, 3]])
        t = math.wrap(a, spatial("y,x"))
        kept = [row[np.isfinite(row)] for row in a]
        for name in ("sum", "prod", "mean", "std", "min", "max"):
            self.same(getattr(math, "finite_" + name)(t, "x"), [getattr(np, name)(row) for row in kept],
                      tolerance=1e-12)
            self.same(getattr(math, "finite_" + name)(t), getattr(np, name)(np.concatenate(kept)), tolerance=1e-12)
        none = math.wrap([np.nan, np.inf], spatial("x"))
        self.assertEqual((float(math.finite_sum(none)), float(math.finite_prod(none))), (0.0, 1.0))
        for name in ("mean", "std", "min", "max"):
            self.assertTrue(np.isnan(float(getattr(math, "finite_" + name)(none))), name)
        for kind in ("float16", "float32", "float64", "int8"):
            for name in ("sum", "mean", "max"):
                self.shaped(getattr(math, "finite_" + name)(named("z,x,b", kind), "x"), "(zˢ=2, bᵇ=2)")
        exact = math.wrap([1 + 1e-12, np.nan], spatial("x"))
        for name in ("sum", "prod", "mean", "min", "max"):
            self.assertEqual(float(getattr(math, "finite_" + name)(exact)), 1 + 1e-12)

    def test_cumulative_sum(self):
        for names, dim, axis in (("x", "x", 0), ("x,b", "x", 0), ("c,x,b", "x", 1), ("b,y", "y", 1)):
            self.same(math.cumulative_sum(named(names), dim), values(names).cumsum(axis))
            self.same(math.cumulative_sum(named(names, "int8"), dim), values(names, "int8").cumsum(axis))
        t = named("x")
        self.assertIs(math.cumulative_sum(t, "q"), t)
        self.assertEqual(str(math.cumulative_sum(named("x", "uint8"), "x").dtype), "uint64")
        self.assertEqual(list(math.cumulative_sum(math.zeros(x=0), "x")), [])


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
        for kind in ("uint8", "int8", "uint64", "int64"):
            a, b = (math.wrap(np.array([n], kind)) for n in (1, 0))
            self.assertTrue(math.close(a, b, abs_tolerance=1))
            self.assertTrue(math.close(b, a, abs_tolerance=1))
            self.assertFalse(math.close(a, b, abs_tolerance=0.5))

    def test_assert_close(self):
        self.assertIsNone(math.assert_close(math.ones(x=3), 1, 1.0))
        self.fails(AssertionError, ["hey", "values 0 and 2", "1 of 1"], math.assert_close, 1, 1, 2, msg="hey")
        self.fails(AssertionError, ["sizes"], math.assert_close, math.zeros(x=2), math.zeros(x=3))
        math.assert_close(1, 1.05, rel_tolerance=0.1)
        self.fails(AssertionError, "differ", math.assert_close, 1, 1.05)


class Structure(Case):
    def test_stack(self):
        t, u = named("x"), named("x", seed=1)
        for made, text, expected in [
                (math.stack([t, u], batch("b")), "(bᵇ=2, xˢ=4)", [array(t), array(u)]),
                (math.stack([t, u], channel(vector="p,q")), "(xˢ=4, vectorᶜ=p,q)", np.stack([array(t), array(u)], -1)),
                (math.stack({"p": t, "q": u}, channel("vector")), "(xˢ=4, vectorᶜ=p,q)", np.stack([array(t), array(u)],
                                                                                                  -1)),
                (math.stack([t, 1.0], batch("b")), "(bᵇ=2, xˢ=4)", [array(t), np.ones(4)]),
                (math.stack([1, 2], "b:b"), "(bᵇ=2)", [1, 2]),
                (math.stack([t], batch("b")), "(bᵇ=1, xˢ=4)", [array(t)]),
                (math.stack([named("x,b"), named("b")], channel("c")), "(bᵇ=2, xˢ=4, cᶜ=2)",
                 np.stack([values("x,b").T, np.repeat(values("b")[:, None], 4, 1)], -1))]:
            self.shaped(made, text)
            self.same(made, expected)
        labelled = math.stack([math.vec(u=1, v=2), math.vec(u=3, v=4)], batch("b"))
        self.shaped(labelled, "(bᵇ=2, vectorᶜ=u,v)")

    def test_unstack_concat(self):
        t = named("x,y")
        self.same(math.unstack(t, "x,y")[7], values("x,y")[1, 2])
        self.same(math.unstack(t, "y,x")[7], values("x,y")[3, 1])
        self.assertEqual((len(math.unstack(t, "x,q")), len(math.unstack(t, "q")), len(math.unstack(t, spatial))),
                         (4, 1, 20))
        self.same(math.concat([t, t.x[:1]], "x"), np.concatenate([values("x,y"), values("x,y")[:1]]))
        made = math.concat([t, named("x,b,c")], "x")
        self.shaped(made, "(bᵇ=2, xˢ=8, yˢ=5, cᶜ=3)")
        self.shaped(math.concat([math.vec(u=1), math.vec(v=2)], "vector"), "(vectorᶜ=u,v)")
        self.shaped(math.concat([math.vec(u=1), math.vec(u=2)], "vector"), "(vectorᶜ=2)")
        self.shaped(math.concat([math.vec(u=1), math.wrap([1])], channel("vector")), "(vectorᶜ=2)")
        self.fails(ValueError, "no tensors", math.concat, [], "x")
        self.fails(ValueError, ["all have", "(yˢ=5)"], math.concat, [t, named("y")], "x")
        self.fails(IncompatibleShapes, "y", math.concat, [t, named("x,y", y=2)], "x")
        self.fails(IncompatibleShapes, ["spatial", "batch"], math.concat, [named("x"), named("x").x.as_batch()], "x")

    def test_expand_rename(self):
        t = named("x")
        for u in (t, t * 1):
            self.same(math.expand(u, batch(b=2), channel(c=3)), np.broadcast_to(array(t)[None, :, None], (2, 4, 3)))
            self.same(math.expand(u, spatial("x")), array(t))
        self.shaped(math.expand(1, channel(v="a,b")), "(vᶜ=a,b)")
        self.fails(ValueError, ["b", "known"], math.expand, t, batch("b"))
        self.fails(IncompatibleShapes, "sizes 4 and 3 of x differ", math.expand, t, spatial(x=3))
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
        a = values("b,x,y")
        for t in (named("b,x,y"), named("b,x,y") * 1):
            for order, expected in [("x,y", a.reshape(2, 20)), ("y,x", a.transpose(0, 2, 1).reshape(2, 20)),
                                    (spatial, a.reshape(2, 20)), ("q,x,y", a.reshape(2, 20))]:
                made = math.pack_dims(t, order, instance("p"))
                self.shaped(made, "(bᵇ=2, pⁱ=20)")
                self.same(made, expected)
            self.same(math.pack_dims(t, "b,y", instance("p")), a.transpose(0, 2, 1).reshape(10, 4))
            self.same(math.pack_dims(t, "y,b", "p:i"), a.transpose(2, 0, 1).reshape(10, 4))
            self.shaped(math.pack_dims(t, "q", instance("p")), "(bᵇ=2, pⁱ=1, xˢ=4, yˢ=5)")
            self.shaped(math.pack_dims(t, t.shape, channel("c")), "(cᶜ=40)")
            made = math.unpack_dim(t, "x", spatial(u=2, v=2))
            self.shaped(made, "(bᵇ=2, uˢ=2, vˢ=2, yˢ=5)")
            self.same(made, a.reshape(2, 2, 2, 5))
            self.same(math.unpack_dim(t, "y", batch("k"), channel(c=5)), a.reshape(2, 4, 1, 5))
            self.assertIs(math.unpack_dim(t, "q", spatial(u=2)), t)
        self.fails(ValueError, ["x, y", "20", "7"], math.pack_dims, t, "x,y", instance(p=7))
        self.fails(ValueError, ["x", "4", "(uˢ=3, vˢ=2)"], math.unpack_dim, t, "x", spatial(u=3, v=2))
        self.fails(ValueError, "4", math.unpack_dim, t, "x", spatial(u=3, v=None))
        self.fails(ValueError, "one dimension", math.pack_dims, t, "x", instance("p,q"))
        self.fails(ValueError, "one dimension", math.unpack_dim, t, "x,y", spatial("u,v"))

    def test_others(self):
        made = math.join_spaces(named("x,c"), named("y"), math.ones(z=2))
        self.assertEqual([each.shape.spatial.names for each in made], [("x", "y", "z")] * 3)
        self.same(made[0].z[0].y[0], values("x,c"))
        self.assertIsInstance(made, list)
        self.assertEqual(len(math.evaluate(named("x"), 1, 2.5)), 3)
        self.assertIsInstance(math.evaluate(1), math.Tensor)
        self.assertIs(math.convert(named("x"), "numpy").default_backend, math.NUMPY)
        self.fails(ValueError, "'nope'", math.convert, named("x"), "nope")

    def test_names_that_are_not_there(self):
        """What the errors advise is what phi.math's functions give."""
        v, a = named("x,vector"), values("x,vector")
        for name, word in [("jit_compile", "call the function itself"), ("gradient", "math.spatial_gradient"),
                           ("fft", "transforms"), ("sqtr", "did you mean sqrt?"), ("quantile", "docs/math.md")]:
            self.fails(AttributeError, [name, word], getattr, math, name)
        for name, advice, made, expected in [
            ("dot", "a.x * b", v.x * v, (a * a).sum(0)),
            ("vec_squared", "v.vector * v", v.vector * v, (a * a).sum(1)),
            ("vec_length", "math.sqrt(v.vector * v)", math.sqrt(v.vector * v), np.hypot(*a.T)),
            ("l2_loss", "math.sum(t ** 2) / 2", math.sum(v ** 2) / 2, (a * a).sum() / 2),
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
