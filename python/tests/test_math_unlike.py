"""Tensors of unlike sizes in weft.math."""
import operator
import pickle
import unittest

import numpy as np

import weft
from support_math import Case, array, named, values
from weft import math
from weft.math import IncompatibleShapes, batch, channel, extrapolation, instance, spatial

SIZES = (3, 1, 4)


def rows(sizes=SIZES, seed=0, dtype=np.float64):
    """An array of each size, of sixteenths."""
    generator = np.random.default_rng(seed)
    return [
        (generator.integers(-40, 40, size) / (16 if np.dtype(dtype).kind == "f" else 1)).astype(dtype) for size in sizes
    ]


def unlike(along=None, sizes=SIZES, **options):
    """These along x, stacked along k."""
    return math.stack([math.wrap(each, spatial("x")) for each in rows(sizes, **options)], along or batch("k"))


class Unlike(Case):
    def parts(self, t, expected, order=None, name="k", tolerance=0):
        """Each part along a dimension."""
        self.assertEqual(t.shape.get_size(name), len(expected))
        for i, each in enumerate(expected):
            self.same(t[{name: i}], each, order, tolerance)


class Made(Unlike):
    def test_stack(self):
        t = unlike()
        self.shaped(t, "(kᵇ=3, xˢ=(3, 1, 4) along kᵇ)")
        self.assertEqual((t.dtype.name, t.rank, t.shape.volume), ("float64", 2, 8))
        self.assertEqual((t.shape.is_uniform, t.shape.is_non_uniform), (False, True))
        self.parts(t, rows())
        self.shaped(unlike(channel(k="u,v,w")), "(xˢ=(3, 1, 4) along kᶜ, kᶜ=u,v,w)")
        self.same(unlike(channel(k="u,v,w")).k["v"], rows()[1])
        made = math.stack({"u": math.ones(x=2), "v": math.ones(x=3)}, channel("k"))
        self.shaped(made, "(xˢ=(2, 3) along kᶜ, kᶜ=u,v)")

    def test_sizes_are_a_tensor(self):
        size = unlike().shape.get_size("x")
        self.assertEqual(repr(size), "(3, 1, 4) along kᵇ int64")
        self.assertEqual(repr(math.stack([math.zeros(spatial(a=4, b=2)), math.ones(spatial(b=2, a=5))],
                                         channel("c")).shape.get_size("a")), "(4, 5) along cᶜ int64")
        self.assertEqual((list(unlike().x.size), unlike().k.size), ([3, 1, 4], 3))
        self.assertEqual(list(unlike().shape.sizes[1] + 1), [4, 2, 5])

    def test_other_orders_types_and_labels(self):
        t = math.stack([math.zeros(spatial(a=4, b=2), dtype=int), math.ones(spatial(b=2, a=5))], channel("c"))
        self.shaped(t, "(aˢ=(4, 5) along cᶜ, bˢ=2, cᶜ=2)")
        self.assertEqual(t.dtype, math.DType(float, 32))
        self.same(t.c[0], np.zeros((4, 2)), "a,b")
        t = math.stack([math.zeros(spatial(a="u,v", b="p,q")), math.zeros(spatial(a=3, b="p,q"))], channel("c"))
        self.shaped(t, "(aˢ=(2, 3) along cᶜ, bˢ=p,q, cᶜ=2)")

    def test_errors(self):
        self.fails(ValueError, ["(xˢ=2)", "(xˢ=3, yˢ=1)", "same names"], math.stack,
                   [math.zeros(x=2), math.zeros(x=3, y=1)], batch("k"))
        self.fails(ValueError, ["k", "already"], math.stack, [unlike(), unlike()], batch("k"))
        self.assertEqual(math.stack([unlike(), unlike()], batch("j")).shape.get_size("j"), 2)
        self.fails(IncompatibleShapes, ["x is spatial", "batch"], math.stack, [math.zeros(x=2), math.zeros(batch(x=3))],
                   batch("k"))
        self.fails(ValueError, ["3", "2"], math.stack, [math.zeros(x=2), math.zeros(x=3)], batch(k=3))

    def test_lists_of_tensors(self):
        t = math.wrap([math.ones(x=2), math.ones(x=3)], batch("k"))
        self.shaped(t, "(kᵇ=2, xˢ=(2, 3) along kᵇ)")

    def test_pickled(self):
        t = unlike(channel(k="u,v,w")) * 2
        again = pickle.loads(pickle.dumps(t))
        self.assertEqual((again.shape, again.dtype, str(again)), (t.shape, t.dtype, str(t)))

    def test_copied(self):
        a = rows()
        t = math.stack([math.wrap(each, spatial("x")) for each in a], batch("k"))
        kept = math.copy(t)
        a[0][0] = 99
        self.parts(kept, rows())

    def test_like(self):
        self.parts(math.zeros_like(unlike()), [np.zeros(n) for n in SIZES])
        self.assertEqual(math.ones_like(unlike()).dtype.name, "float64")
        self.parts(math.ones_like(unlike()), [np.ones(n) for n in SIZES])


class Operations(Unlike):
    def test_elementwise(self):
        t, a = unlike(), [each.astype(np.float32) for each in rows()]
        for symbol in (operator.add, operator.sub, operator.mul, operator.truediv, operator.lt, operator.eq):
            self.parts(symbol(t, 3), [symbol(each, np.float32(3)) for each in a])
            self.parts(symbol(3, t + 5), [symbol(np.float32(3), each + 5) for each in a])
        self.parts(-t, [-each for each in rows()])
        self.parts(math.abs(t), [np.abs(each) for each in rows()])
        self.parts(math.floor(t), [np.floor(each) for each in rows()])
        self.parts(math.sqrt(math.abs(t)), [np.sqrt(np.abs(each)) for each in a])
        self.parts(math.isnan(t), [np.isnan(each) for each in a])
        self.parts(~(t > 0), [~(each > 0) for each in a])
        self.parts(math.cast(t, int), [np.trunc(each) for each in a])
        self.parts(math.where(t > 0, t, 0), [np.where(each > 0, each, 0) for each in a])
        self.parts(math.where(t > 0, 1, t), [np.where(each > 0, 1, each) for each in a])
        self.parts(math.clip(t, -1, 1), [np.clip(each, -1, 1) for each in a])
        self.parts(math.maximum(t, 0.5), [np.maximum(each, 0.5) for each in a])
        self.assertEqual((t + 1).shape, t.shape)

    def test_two_of_them(self):
        t, u = unlike(), unlike(seed=1)
        self.parts(t + u, [a + b for a, b in zip(rows(), rows(seed=1))])
        self.parts(math.where(t > u, t, u), [np.maximum(a, b) for a, b in zip(rows(), rows(seed=1))])
        self.fails(IncompatibleShapes, "x", operator.add, t, unlike(sizes=(3, 1, 5)))
        self.fails(IncompatibleShapes, "k", operator.add, t, unlike(sizes=(3, 1)))
        self.fails(ValueError, ["k", "j"], operator.add, t, unlike(batch("j")))

    def test_beside_uniform_ones(self):
        t, a = unlike(), rows()
        by_k = math.wrap([1.0, 2.0, 3.0], batch("k"))
        self.parts(t * by_k, [each * (i + 1) for i, each in enumerate(a)])
        self.parts(by_k * t, [each * (i + 1) for i, each in enumerate(a)])
        by_c = math.wrap([1.0, 2.0], channel("c"))
        self.parts(t * by_c, [each[:, None] * [1, 2] for each in a], "x,c")
        self.parts(t + math.wrap(2.0), [each + 2 for each in a])
        self.fails(IncompatibleShapes, ["sizes", "x", "differ"], operator.add, t, math.ones(x=3))
        self.fails(IncompatibleShapes, ["k", "differ"], operator.add, t, math.ones(batch(k=2)))
        self.parts(math.wrap([1, 2, 3], batch("k")) + t, [each + i for i, each in enumerate(a, 1)])
        self.parts(t + (math.wrap([1.0, 2.0, 3.0], batch("k")) * 2), [each + 2 * i for i, each in enumerate(a, 1)])

    def test_labels_of_the_dimension(self):
        t = unlike(channel("k")) + math.wrap([1.0, 2.0, 3.0], channel(k="u,v,w"))
        self.shaped(t, "(xˢ=(3, 1, 4) along kᶜ, kᶜ=u,v,w)")
        self.fails(IncompatibleShapes, ["labels", "k"], operator.add, t, math.wrap([1, 2, 3], channel(k="w,v,u")))

    def test_one_run_for_all(self):
        """Parts that differ in sizes alone are one batch."""
        t = math.sin(unlike() * 2) + 1
        before = self.counts.runs
        str(t)
        self.assertEqual(self.counts.runs, before + 1)

    def test_operations_wait(self):
        before = self.counts.runs
        t = unlike()
        made = [t + 1, t * t, math.mean(t, "x"), t.k[0], t.x[0], t.x[:1], math.expand(t, batch(j=2))]
        self.assertEqual(self.counts.runs, before)
        self.assertEqual(len(made), 7)


class Selections(Unlike):
    def test_along_it(self):
        t, a = unlike(channel(k="u,v,w")), rows()
        self.same(t.k[1], a[1])
        self.same(t.k[-1], a[2])
        self.same(t.k["w"], a[2])
        self.same(t["u"], a[0])
        self.shaped(t.k[1:], "(xˢ=(1, 4) along kᶜ, kᶜ=v,w)")
        self.parts(t.k[::-1], a[::-1])
        self.parts(t.k[[2, 0]], [a[2], a[0]])
        self.parts(t.k["w,u"], [a[2], a[0]])
        for item in (("w", "u"), ["w", 0], spatial("w,u"), np.array([2, 0]), [-1, -3], ("w", 0), range(2, -1, -2)):
            self.parts(t.k[item], [a[2], a[0]])
        self.parts(t.k[[True, False, True]], [a[0], a[2]])
        self.shaped(t.k["w,u"], "(xˢ=(4, 3) along kᶜ, kᶜ=w,u)")
        self.parts(t.k[math.wrap([True, False, True], channel("k"))], [a[0], a[2]])
        self.parts(t.k[math.wrap([2, -3], instance("q"))], [a[2], a[0]], name="q")
        self.same(t.k[math.wrap(1) + 1], a[2])
        self.fails(IndexError, ["3", "k"], lambda: t.k[math.wrap([3])])
        self.fails(IndexError, ["3", "k"], lambda: t.k[3])
        self.fails(ValueError, ["k", "'z'", "u, v, w"], lambda: t.k["z"])
        self.assertIs(t.q[0], t)
        self.same((t * 2).k[1], a[1] * 2)

    def test_equal_sizes_make_it_uniform(self):
        t = unlike(sizes=(3, 1, 3))
        u = t.k[[0, 2]]
        self.shaped(u, "(kᵇ=2, xˢ=3)")
        self.assertTrue(u.shape.is_uniform)
        self.same(u, np.stack(rows((3, 1, 3))[::2]))
        self.shaped(t.k[1:2], "(kᵇ=1, xˢ=1)")
        self.shaped(t.x[:1], "(kᵇ=3, xˢ=1)")
        self.same(t.x[:1], np.stack([each[:1] for each in rows((3, 1, 3))]))
        self.shaped(t.x[0], "(kᵇ=3)")
        self.same(t.x[-1], [each[-1] for each in rows((3, 1, 3))])

    def test_along_another(self):
        t, a = unlike(), rows()
        self.parts(t.x[1:], [each[1:] for each in a])
        self.parts(t.x[::-1], [each[::-1] for each in a])
        self.fails(IndexError, ["1", "x"], lambda: t.x[2])
        c = t * math.wrap([1.0, 2.0], channel(c="p,q"))
        self.parts(c.c["q"], [each * 2 for each in a])
        self.parts(c.c[0], a)
        self.parts(t.x[t > 0], [each[each > 0] for each in a])
        self.parts(t[{"k": slice(0, 2), "x": slice(0, 1)}], [each[:1] for each in a[:2]])

    def test_none_of_the_parts(self):
        self.fails(ValueError, ["no parts", "(kᵇ=3, xˢ=(3, 1, 4) along kᵇ)"], lambda: unlike().k[3:])

    def test_unstacked(self):
        for parts in (list(unlike().k), math.unstack(unlike(), "k"), unlike().k.unstack(), unlike().k.unstack(3)):
            for part, each in zip(parts, rows()):
                self.same(part, each)
        self.fails(ValueError, ["3", "2"], unlike().k.unstack, 2)
        self.fails(ValueError, ["x"], math.unstack, unlike(), "x")
        c = unlike() * math.wrap([1.0, 2.0], channel("c"))
        self.parts(math.unstack(c, "c")[1], [each * 2 for each in rows()])


class Reductions(Unlike):
    def test_over_others(self):
        t, a = unlike(), rows()
        self.shaped(math.sum(t, "x"), "(kᵇ=3)")
        for name in ("sum", "mean", "std", "min", "max", "prod"):
            self.same(getattr(math, name)(t, "x"), [getattr(np, name)(each) for each in a], tolerance=1e-12)
        self.same(math.any(t > 2, "x"), [(each > 2).any() for each in a])
        self.same(math.all(t > -2, spatial), [(each > -2).all() for each in a])
        self.same(math.sum(t), [each.sum() for each in a])
        c = t * math.wrap([1.0, 2.0], channel("c"))
        self.parts(math.sum(c, "c"), [each * 3 for each in a])
        self.same(math.finite_mean(t, "x"), [each.mean() for each in a], tolerance=1e-6)

    def test_over_all_elements(self):
        """Not means of parts."""
        t, a = unlike(channel("k")), np.concatenate(rows())
        for name in ("sum", "mean", "std", "min", "max", "prod"):
            for made in (getattr(t, name) if name != "prod" else math.prod(t), getattr(math, name)(t),
                         getattr(math, name)(t, "x,k")):
                self.assertEqual(made.shape, math.EMPTY_SHAPE)
                self.assertAlmostEqual(float(made), getattr(np, name)(a), 10)
        self.assertEqual((bool((t > 2).any), bool((t > -9).all)), ((a > 2).any(), True))
        ones = math.stack([math.zeros(spatial(a=4, b=2)), math.ones(spatial(b=2, a=5))], channel("c"))
        self.assertAlmostEqual(float(ones.mean), 10 / 18, 6)
        c = unlike() * math.wrap([1.0, 2.0], channel("c"))
        self.same(math.sum(c, "k,x"), np.float32([a.sum(), 2 * a.sum()]), tolerance=1e-6)

    def test_over_it_alone(self):
        message = self.fails(ValueError, ["sum", "k", "x"], math.sum, unlike(), "k")
        self.assertIn("x", message)
        self.fails(ValueError, ["mean", "x"], math.mean, unlike(), batch)
        c = unlike() * math.wrap([1.0, 2.0], channel("c"))
        self.fails(ValueError, ["max", "x"], math.max, c, "k,c")

    def test_integers(self):
        t = unlike(channel("k"), dtype=np.int8)
        a = np.concatenate(rows(dtype=np.int8))
        self.assertEqual((int(t.sum), t.sum.dtype.name), (a.sum(dtype=np.int64), "int64"))
        self.assertEqual((int(t.max), t.max.dtype.name), (a.max(), "int8"))

    def test_products_summed(self):
        t = unlike()
        self.same(t.x * t, [(each**2).sum() for each in rows()], tolerance=1e-6)

    def test_cumulative(self):
        self.parts(math.cumulative_sum(unlike(), "x"), [np.cumsum(each) for each in rows()])


class Structure(Unlike):
    def test_expand(self):
        t = math.expand(unlike(), channel(c=2))
        self.parts(t, [np.stack([each, each], 1) for each in rows()], "x,c")

    def test_rename(self):
        t = math.rename_dims(unlike(), "x", "y")
        self.shaped(t, "(kᵇ=3, yˢ=(3, 1, 4) along kᵇ)")
        t = math.rename_dims(unlike(), "k", channel("j"))
        self.shaped(t, "(xˢ=(3, 1, 4) along jᶜ, jᶜ=3)")
        self.parts(t, rows(), name="j")
        t = math.rename_dims(unlike(), "k,x", "a,b")
        self.shaped(t, "(aᵇ=3, bˢ=(3, 1, 4) along aᵇ)")
        self.shaped(unlike().x.rename("y"), "(kᵇ=3, yˢ=(3, 1, 4) along kᵇ)")
        self.shaped(unlike().x.as_channel(), "(kᵇ=3, xᶜ=(3, 1, 4) along kᵇ)")
        self.shaped(unlike().k.rename("j"), "(jᵇ=3, xˢ=(3, 1, 4) along jᵇ)")
        self.shaped(unlike().k.as_channel("j"), "(xˢ=(3, 1, 4) along jᶜ, jᶜ=3)")

    def test_concat(self):
        t, u = unlike(), unlike(sizes=(2, 2), seed=1)
        made = math.concat([t, u], "k")
        self.shaped(made, "(kᵇ=5, xˢ=(3, 1, 4, 2, 2) along kᵇ)")
        self.parts(made, rows() + rows((2, 2), seed=1))
        c = t * math.wrap([1.0, 2.0], channel("c"))
        made = math.concat([c, c], "c")
        self.parts(made, [each[:, None] * [1, 2, 1, 2] for each in rows()], "x,c")
        self.fails(ValueError, ["x", "varies"], math.concat, [t, t], "x")
        self.fails(ValueError, ["no q"], math.concat, [t, t], "q")

    def test_pack_and_unpack(self):
        t = unlike() * math.wrap([[1.0, 2.0], [3.0, 4.0]], channel("c,d"))
        made = math.pack_dims(t, "c,d", channel("e"))
        self.parts(made, [each[:, None] * [1, 2, 3, 4] for each in rows()], "x,e")
        self.parts(
            math.unpack_dim(made, "e", channel(c=2, d=2)),
            [each[:, None, None] * [[1, 2], [3, 4]] for each in rows()],
            "x,c,d",
        )
        self.fails(ValueError, ["unlike sizes"], math.pack_dims, unlike(), "k,x", instance("p"))
        self.fails(ValueError, ["unlike sizes"], math.pack_dims, t, "x,c", instance("p"))

    def test_arrays(self):
        t = unlike()
        for function in (t.native, t.numpy, lambda: t.numpy("k,x"), lambda: np.asarray(t), lambda: list(t),
                         lambda: np.from_dlpack(t)):
            self.fails(ValueError, ["unlike sizes", "t.k[0]"], function)
        self.same(t.k[0], rows()[0])
        self.fails(ValueError, "8", float, t)
        self.fails(TypeError, "rank", len, t)
        self.assertIs(math.evaluate(t), t)
        self.parts(math.convert(t, math.NUMPY), rows())
        self.assertTrue(math.close(t, t))
        self.assertTrue(math.close(t, t + 1e-9, abs_tolerance=1e-6))
        self.assertFalse(math.close(t, t + 1))
        math.assert_close(t, t * 1.0)
        self.fails(AssertionError, ["0 and 1"], math.assert_close, t, t + 1)

    def test_join_spaces(self):
        t, u = math.join_spaces(unlike(), unlike() * math.ones(z=2))
        self.shaped(t, "(kᵇ=3, xˢ=(3, 1, 4) along kᵇ, zˢ=2)")
        self.parts(t, [np.stack([each, each], 1) for each in rows()], "x,z")
        self.assertEqual(u.shape, t.shape)
        self.fails(ValueError, ["x", "varies along k"], math.join_spaces, unlike(), math.ones(z=2))
        self.fails(ValueError, ["x", "varies along k", "t.k[0]"], math.unstack, unlike(), "x")

    def test_texts(self):
        made = weft.evaluate("u * 2 + sum(u, x)", u=unlike())
        self.parts(made, [each * 2 + each.sum() for each in rows()])


class Neighbours(Unlike):
    def test_neighbours(self):
        t, a = unlike(sizes=(5, 3, 4)), rows((5, 3, 4))
        self.parts(math.pad(t, {"x": (1, 2)}, 7), [np.pad(each, (1, 2), constant_values=7) for each in a])
        self.parts(math.shift(t, (1,), stack_dim=None)[0], [np.append(each[1:], each[-1]) for each in a])
        self.parts(
            math.spatial_gradient(t, stack_dim=None),
            [np.convolve(np.pad(each, 1, "edge"), [0.5, 0, -0.5], "valid") for each in a],
        )
        self.parts(math.laplace(t, padding=extrapolation.PERIODIC),
                   [np.roll(each, 1) + np.roll(each, -1) - 2 * each for each in a])
        self.parts(math.shift(t, (-1, 1), padding=None, stack_dim=None)[1], [each[2:] for each in a])
        self.parts(math.spatial_gradient(t, padding=None, stack_dim=None), [(each[2:] - each[:-2]) / 2 for each in a])
        self.parts(math.laplace(t, padding=None), [each[2:] + each[:-2] - 2 * each[1:-1] for each in a])
        k = math.wrap([1.0, 2.0], spatial("x"))
        self.parts(math.convolve(t, k), [each[:-1] + 2 * each[1:] for each in a])
        self.parts(
            math.divergence(math.expand(t, channel(vector="x"))),
            [np.convolve(np.pad(each, 1, "edge"), [0.5, 0, -0.5], "valid") for each in a],
        )

    def test_divergence_of_unlike_vectors(self):
        """Each part finds its components, by label or by position."""
        v = named("x,vector")
        labelled = math.rename_dims(v, "vector", channel(vector="x,y"))
        t = math.stack([labelled, labelled.vector[["x"]] * 2], batch("k"))
        for step in (1, 0.5):
            made = math.divergence(t, dx=step)
            for i, factor in enumerate((1, 2)):
                self.same(made.k[i], array(math.divergence(v.vector[:1] * factor, dx=step)))

    def test_orders_of_parts(self):
        """Where dimensions are sorted, those of each part are."""
        t = math.stack([named("vector,x"), named("vector,x").x[1:]], batch("k"))
        self.shaped(t.k[0], "(vectorᶜ=2, xˢ=4)")
        for made in (+t * 1, math.cast(t, (float, 64)), math.cast(t, int), math.floor(t), t.y[math.wrap(0)] + 0):
            self.shaped(made.k[0], "(xˢ=4, vectorᶜ=2)")
        four = math.stack([named("vector,x,y"), named("vector,x,y").x[1:]], batch("k"))
        self.shaped(four.y[math.wrap(1)].k[0], "(xˢ=4, vectorᶜ=2)")
        self.same(four.y[math.wrap(1)].k[0], values("vector,x,y")[:, :, 1].T)

    def test_positions(self):
        t, a = unlike(sizes=(5, 3, 4)), rows((5, 3, 4))
        i = math.wrap([2, 0], instance("q"))
        self.same(math.gather(t, i), [each[[2, 0]] for each in a])
        self.same(t.x[i], [each[[2, 0]] for each in a])
        self.same(math.grid_sample(t, math.wrap([0.5, 1.0], instance("q"))), [[each[:2].mean(), each[1]] for each in a],
                  tolerance=1e-6)
        where = math.nonzero(t > 0)
        self.parts(where, [np.argwhere(each > 0) for each in a])
        self.parts(math.gather(t, where), [each[each > 0] for each in a])
        self.parts(math.scatter(t, i, 1.0, "add"), [each + np.eye(len(each))[[2, 0]].sum(0) for each in a])
        self.parts(math.boolean_mask(t, "x", t > 0), [each[each > 0] for each in a])
        parts = math.rename_dims(t, "k", spatial("z"))
        both = math.wrap([[0, 1]], instance("q"), channel(vector="z,x"))
        self.fails(ValueError, ["gather along z", "sizes vary", "t.z["], math.gather, parts, both)
        self.fails(ValueError, ["grid_sample along z", "sizes vary"], math.grid_sample, parts, both)
        self.fails(ValueError, ["scatter along z", "sizes vary"], math.scatter, parts, both, 1.0)
        self.fails(ValueError, ["along z", "vary"], math.convolve, parts, math.ones(spatial(z=2)))
        base = math.wrap([10.0, 20.0, 30.0, 40.0, 50.0], spatial("y"))
        self.parts(math.gather(base, math.rename_dims(where, "nonzero", instance("p")).vector[0]),
                   [base.numpy()[np.argwhere(each > 0)[:, 0]] for each in a])

    def test_particles_of_samples(self):
        """Positions of unlike counts onto a grid for each sample."""
        i = math.stack([math.wrap([0, 1, 1], instance("q")), math.wrap([3], instance("q"))], batch("k"))
        made = math.scatter(spatial(x=4), i, 1.0, "add")
        self.shaped(made, "(kᵇ=2, xˢ=4)")
        self.same(made, [[1, 2, 0, 0], [0, 0, 0, 1]])


class Printed(Unlike):
    def test_printed(self):
        t = math.stack([math.zeros(spatial(a=4, b=2)), math.ones(spatial(b=2, a=5))], channel("c"))
        self.assertEqual(str(t), "(aˢ=(4, 5) along cᶜ, bˢ=2, cᶜ=2) 0.556 ± 0.497 (0e+00...1e+00)")
        for spec in ("full", "numpy"):
            self.fails(ValueError, spec, format, t, spec)
        self.assertEqual(format(t, "row"), format(t, "summary"))
        self.assertEqual(str(math.stack([math.ones(x=1), math.ones(x=2)], batch("k"))),
                         "(kᵇ=2, xˢ=(1, 2) along kᵇ) const 1.0")


if __name__ == "__main__":
    unittest.main()
