"""Neighbours and positions in weft.math, against loops over elements."""
import itertools
import unittest

import numpy as np

from support_math import Case, array, dims, named, values
from weft import math
from weft.math import (
    IncompatibleShapes,
    batch,
    channel,
    concat_shapes,
    extrapolation,
    instance,
    merge_shapes,
    non_batch,
    spatial,
)
from weft.math.extrapolation import (BOUNDARY, NONE, ONE, PERIODIC, REFLECT, SYMMETRIC, ZERO, ConstantExtrapolation,
                                     combine_sides)

MODES = [ZERO, ONE, BOUNDARY, PERIODIC, SYMMETRIC, REFLECT, ConstantExtrapolation(2.5)]
ORDER = [PERIODIC, BOUNDARY, SYMMETRIC, REFLECT]


def place(i, n, mode):
    """Where element i lies in n elements; None: it is the mode's number."""
    if 0 <= i < n:
        return i
    if mode == BOUNDARY:
        return min(max(i, 0), n - 1)
    if mode == PERIODIC:
        return i % n
    if mode == SYMMETRIC:
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if mode == REFLECT:
        period = max(1, 2 * n - 2)
        return min(i % period, period - i % period) if n > 1 else 0
    return None


def moved(a, axis, positions, mode):
    """The elements of an array at positions along an axis, some of them outside."""
    parts = []
    for i in positions:
        at = place(i, a.shape[axis], mode)
        parts.append(np.full_like(a.take(0, axis), mode.value) if at is None else a.take(at, axis))
    return np.stack(parts, axis)


def pad_reference(a, names, widths, mode):
    """One side after the other, in the order periodic, boundary, symmetric, reflect, constant."""
    sides = [(name, up) for name in widths for up in (False, True)]
    sides.sort(key=lambda side: (ORDER + [mode.side(*side)]).index(mode.side(*side)))
    done = set()
    for name, up in sides:
        axis, (low, high) = names.index(name), widths[name]
        if (name, up) in done:
            continue
        if mode.side(name, up) == mode.side(name, not up):
            done.add((name, not up))
            a = moved(a, axis, range(-low, a.shape[axis] + high), mode.side(name, up))
        else:
            a = moved(a, axis, range(0 if up else -low, a.shape[axis] + (high if up else 0)), mode.side(name, up))
    return a


def at(a, names, index):
    """The element of an array for an index by name; names that it lacks do not matter."""
    return a[tuple(index[name] for name in names)]


def loop(shape, element):
    """An array of a shape, element by element."""
    return np.array([element(index) for index in shape.meshgrid()]).reshape(shape.sizes)


class Extrapolations(Case):
    def test_printed_and_equal(self):
        self.assertEqual([repr(each) for each in (ZERO, ONE, BOUNDARY, PERIODIC, SYMMETRIC, REFLECT, NONE,
                                                  ConstantExtrapolation(2.5))],
                         ["zero", "one", "boundary", "periodic", "symmetric", "reflect", "none", "2.5"])
        self.assertEqual((ConstantExtrapolation(0), ConstantExtrapolation(1.0)), (ZERO, ONE))
        self.assertNotEqual(ZERO, BOUNDARY)
        self.assertEqual(len({ZERO, ConstantExtrapolation(0.0), BOUNDARY}), 2)
        self.assertEqual(combine_sides(x=0, y=(1, BOUNDARY)), combine_sides(y=(ONE, BOUNDARY), x=ZERO))
        self.assertEqual(repr(combine_sides(x=PERIODIC, y=(0, 2))), "{x: periodic, y: (zero, 2)}")

    def test_errors(self):
        self.fails(ValueError, ["x", "periodic", "both sides"], combine_sides, x=(PERIODIC, ZERO))
        self.fails(TypeError, "number", ConstantExtrapolation, "zero")
        self.fails(ValueError, "dimensions", ConstantExtrapolation, named("x"))
        self.fails(ValueError, ["'nearest'", "boundary"], math.pad, named("x"), {"x": 1}, "nearest")
        self.fails(TypeError, "number", math.pad, named("x"), {"x": 1}, [1])
        self.fails(ValueError, ["y", "combine_sides"], math.pad, named("x,y"), {"y": 1}, combine_sides(x=0))


class Pad(Case):
    def test_modes_and_widths(self):
        for mode, (low, up) in itertools.product(MODES, [(1, 2), (0, 3), (5, 0), (9, 7), (-1, 2), (2, -3), (-1, -1)]):
            expected = moved(values("b,x"), 1, range(-low, 4 + up), mode)
            self.same(math.pad(named("b,x"), {"x": (low, up)}, mode), expected)
            self.same(math.pad(named("x,b"), {"x": (low, up)}, mode),
                      moved(values("x,b"), 0, range(-low, 4 + up), mode))

    def test_several_dimensions(self):
        for one, other in itertools.product(MODES, MODES):
            mode = combine_sides(x=one, y=other)
            widths = {"x": (1, 2), "y": (2, 1)}
            self.same(math.pad(named("x,y"), widths, mode), pad_reference(values("x,y"), "xy", widths, mode))

    def test_sides(self):
        for low, up, other in itertools.product([ZERO, BOUNDARY, SYMMETRIC, REFLECT, ConstantExtrapolation(2.5)],
                                                [ONE, BOUNDARY, SYMMETRIC], [PERIODIC, ConstantExtrapolation(7)]):
            mode = combine_sides(x=(low, up), y=other)
            widths = {"x": (5, 6), "y": (1, 1)}
            self.same(math.pad(named("x,y"), widths, mode), pad_reference(values("x,y"), "xy", widths, mode))

    def test_none_absent_and_numbers(self):
        t = named("x,c")
        self.assertIs(math.pad(t, {"x": (1, 1)}, NONE), t)
        self.assertIs(math.pad(t, {"x": (1, 1)}, None), t)
        self.assertIs(math.pad(t, {"z": (1, 1)}, ZERO), t)
        self.assertIs(math.pad(t, {"x": (0, 0)}, ZERO), t)
        self.same(math.pad(t, {"x": (1, 0), "q": 3}, 5), np.pad(values("x,c"), [(1, 0), (0, 0)], constant_values=5))
        self.same(math.pad(t, {"x": 1}), np.pad(values("x,c"), [(1, 1), (0, 0)]))
        for dims_ in ("x,c,q", (spatial, channel), non_batch):
            self.same(math.pad(t, {dims_: 1}), np.pad(values("x,c"), 1))
        self.fails(TypeError, ["3", "'x,y'"], math.pad, t, {3: 1})
        self.same(math.pad(t, {"x": (1, 1)}, combine_sides(x=(NONE, ONE))),
                  np.pad(values("x,c"), [(0, 1), (0, 0)], constant_values=1))

    def test_a_constant_takes_the_type(self):
        for kind, number, expected in [
            ("int8", 2.5, 2),
            ("uint8", 7, 7),
            ("bool", 2.5, True),
            ("float16", 0.1, np.float16(0.1)),
            ("int64", -3, -3),
            ("float64", 0.1, 0.1),
        ]:
            t = math.pad(named("x", kind), {"x": (0, 1)}, number)
            self.assertEqual((t.dtype.name, list(t.x[4:])), (kind, [expected]))

    def test_labels_are_lost_along_what_is_padded(self):
        t = math.vec(u=1, v=2) * math.ones(spatial(x="a,b"))
        self.shaped(math.pad(t, {"x": (1, 0)}), "(xˢ=3, vectorᶜ=u,v)")
        self.shaped(math.pad(t, {"x": (0, 0)}), "(xˢ=a,b, vectorᶜ=u,v)")

    def test_errors(self):
        t = named("x")
        self.fails(ValueError, ["-3", "x", "4"], math.pad, t, {"x": (-3, -2)})
        self.fails(TypeError, "{'x': (1, 1)}", math.pad, t, 1)
        for wrong in ({"x": 1.5}, {"x": (1, 1.5)}, {"x": "1"}, {"x": None}):
            self.fails(TypeError, "x", math.pad, t, wrong)
        self.fails(ValueError, ["x", "pair"], math.pad, t, {"x": (1, 2, 3)})
        self.fails(ValueError, ["x", "no elements"], math.pad, math.zeros(x=0), {"x": 1}, BOUNDARY)
        self.same(math.pad(math.zeros(x=0), {"x": 1}, 3), [3, 3])


class Shift(Case):
    def test_stacked(self):
        for mode in MODES:
            made = math.shift(named("b,x,y"), (-1, 0, 2), padding=mode)
            self.assertEqual(len(made), 3)
            for t, offset in zip(made, (-1, 0, 2)):
                self.shaped(t, "(bᵇ=2, xˢ=4, yˢ=5, shiftᶜ=x,y)")
                for name, axis, n in (("x", 1, 4), ("y", 2, 5)):
                    self.same(t.shift[name], moved(values("b,x,y"), axis, range(offset, n + offset), mode))

    def test_one_dimension(self):
        for t in math.shift(named("b,x,y"), (3,), "y", stack_dim=None):
            self.same(t, moved(values("b,x,y"), 2, range(3, 8), BOUNDARY))
        [t] = math.shift(named("b,x"), [1], stack_dim="d")
        self.shaped(t, "(bᵇ=2, xˢ=4, dᶜ=x)")
        [t] = math.shift(named("x,y"), [1], dims="y,x", stack_dim=batch("d"))
        self.shaped(t, "(dᵇ=y,x, xˢ=4, yˢ=5)")
        self.fails(ValueError, ["x, y", "stack_dim"], math.shift, named("x,y"), (1,), stack_dim=None)
        self.fails(ValueError, "dims", math.shift, named("b"), (1,))

    def test_without_padding(self):
        low, up = math.shift(named("x"), (-1, 2), padding=None, stack_dim=None)
        self.same(low, values("x")[0:1])
        self.same(up, values("x")[3:4])
        [t] = math.shift(named("x,y"), (1,), padding=None)
        self.shaped(t, "(xˢ=(3, 4) along shiftᶜ, yˢ=(5, 4) along shiftᶜ, shiftᶜ=x,y)")
        self.same(t.shift["x"], values("x,y")[1:])
        self.same(t.shift["y"], values("x,y")[:, 1:])
        [t] = math.shift(named("x"), (9,), padding=None, stack_dim=None)
        self.shaped(t, "(xˢ=0)")


class Differences(Case):
    def quotient(self, a, axis, difference, mode):
        n = a.shape[axis]
        up, low = {"central": (1, -1), "forward": (1, 0), "backward": (0, -1)}[difference]
        return (moved(a, axis, range(up, n + up), mode) - moved(a, axis, range(low, n + low), mode)) / (up - low)

    def test_gradient(self):
        a = values("b,x,y").astype(np.float32)
        for mode, difference in itertools.product(MODES, ("central", "forward", "backward")):
            t = math.spatial_gradient(named("b,x,y"), difference=difference, padding=mode)
            self.shaped(t, "(bᵇ=2, xˢ=4, yˢ=5, gradientᶜ=x,y)")
            for name, axis in (("x", 1), ("y", 2)):
                self.same(t.gradient[name], self.quotient(a, axis, difference, mode), tolerance=1e-6)

    def test_gradient_steps_and_dimensions(self):
        a = values("x,y").astype(np.float32)
        x, y = self.quotient(a, 0, "central", BOUNDARY), self.quotient(a, 1, "central", BOUNDARY)
        for dx, by in [(2, (2, 2)), (0.5, (0.5, 0.5)), (math.vec(x=2.0, y=4.0), (2, 4)), (math.vec(y=4, x=2), (2, 4)),
                       (math.wrap([2, 4], channel("d")), (2, 4)), (math.wrap(2.0), (2, 2)), ([2, 4], (2, 4))]:
            t = math.spatial_gradient(named("x,y"), dx)
            self.same(t.gradient["x"], x / by[0], tolerance=1e-6)
            self.same(t.gradient["y"], y / by[1], tolerance=1e-6)
        t = math.spatial_gradient(named("x,y"), dims="y,x", stack_dim=channel("vector"))
        self.shaped(t, "(xˢ=4, yˢ=5, vectorᶜ=y,x)")
        self.same(t.vector["x"], x, tolerance=1e-6)
        t = math.spatial_gradient(named("x,y"), dims="y", stack_dim=None)
        self.same(t, y, tolerance=1e-6)
        t = math.spatial_gradient(named("x", "int64"))
        self.assertEqual(t.dtype, math.DType(float))
        with math.precision(64):
            self.same(
                math.spatial_gradient(named("x")).gradient["x"], self.quotient(values("x"), 0, "central", BOUNDARY)
            )
        self.fails(ValueError, ["'central', 'forward' or 'backward'", "'up'"], math.spatial_gradient, named("x"),
                   difference="up")
        self.fails(ValueError, "dims", math.spatial_gradient, named("b"))
        self.fails(ValueError, ["3", "2 dimensions"], math.spatial_gradient, named("x,y"), math.vec(u=1, v=2, w=3))
        self.fails(ValueError, "stack_dim", math.spatial_gradient, named("x,y"), stack_dim=None)

    def test_gradient_without_padding(self):
        a = values("x,y").astype(np.float32)
        for difference, cut in (("central", slice(1, -1)), ("forward", slice(0, -1)), ("backward", slice(1, None))):
            t = math.spatial_gradient(named("x,y"), difference=difference, padding=None)
            self.assertTrue(t.shape.is_non_uniform)
            self.same(t.gradient["x"], self.quotient(a, 0, difference, BOUNDARY)[cut], tolerance=1e-6)
            self.same(t.gradient["y"], self.quotient(a, 1, difference, BOUNDARY)[:, cut], tolerance=1e-6)

    def laplacian(self, a, axes, mode, steps):
        return sum(
            (
                moved(a, axis, range(1, a.shape[axis] + 1), mode)
                + moved(a, axis, range(-1, a.shape[axis] - 1), mode)
                - 2 * a
            )
            / step**2
            for axis, step in zip(axes, steps)
        )

    def test_laplace(self):
        a = values("b,x,y").astype(np.float32)
        for mode in MODES:
            self.same(
                math.laplace(named("b,x,y"), padding=mode), self.laplacian(a, (1, 2), mode, (1, 1)), tolerance=1e-5
            )
        for dx, steps in [(2, (2, 2)), (math.vec(x=2.0, y=4.0), (2, 4)), (math.vec(y=4.0, x=2.0), (2, 4))]:
            self.same(math.laplace(named("b,x,y"), dx), self.laplacian(a, (1, 2), BOUNDARY, steps), tolerance=1e-5)
        self.same(math.laplace(named("b,x,y"), dims="y"), self.laplacian(a, (2,), BOUNDARY, (1,)), tolerance=1e-5)
        self.same(
            math.laplace(named("b,x,y"), padding=None),
            self.laplacian(a, (1, 2), BOUNDARY, (1, 1))[:, 1:-1, 1:-1],
            tolerance=1e-5,
        )
        mode = combine_sides(x=PERIODIC, y=(ZERO, BOUNDARY))
        padded = pad_reference(a, "bxy", {"x": (1, 1), "y": (1, 1)}, mode)
        self.same(math.laplace(named("b,x,y"), padding=mode),
                  padded[:, 2:, 1:-1] + padded[:, :-2, 1:-1] + padded[:, 1:-1, 2:] + padded[:, 1:-1, :-2]
                  - 4 * padded[:, 1:-1, 1:-1], tolerance=1e-5)
        self.shaped(math.laplace(named("y,x,b")), "(bᵇ=2, yˢ=5, xˢ=4)")
        self.fails(ValueError, "dims", math.laplace, named("b"))

    def test_divergence(self):
        a = values("b,x,y,vector").astype(np.float32)
        for mode, difference in itertools.product((BOUNDARY, PERIODIC, ZERO), ("central", "forward", "backward")):
            x = self.quotient(a[..., 0], 1, difference, mode)
            y = self.quotient(a[..., 1], 2, difference, mode)
            t = named("b,x,y,vector")
            self.same(math.divergence(t, 1, difference, mode), x + y, tolerance=1e-5)
            labelled = math.wrap(a, dims("b,x,y"), channel(vector="x,y"))
            self.same(math.divergence(labelled, 1, difference, mode), x + y, tolerance=1e-5)
            self.same(math.divergence(labelled.vector["y,x"], 1, difference, mode), x + y, tolerance=1e-5)
            self.same(math.divergence(labelled, math.vec(y=4, x=2), difference, mode), x / 2 + y / 4, tolerance=1e-5)
            self.same(math.divergence(labelled, dims="y", difference=difference, padding=mode), y, tolerance=1e-5)
        x = self.quotient(a[..., 0], 1, "central", BOUNDARY)
        y = self.quotient(a[..., 1], 2, "central", BOUNDARY)
        self.same(math.divergence(t, padding=None), (x + y)[:, 1:-1, 1:-1], tolerance=1e-5)
        self.same(math.divergence(t.vector.rename("d"), vector="d"), x + y, tolerance=1e-5)
        self.fails(ValueError, ["vector", "(xˢ=4)"], math.divergence, named("x"))
        self.fails(ValueError, ["3 components", "2 dimensions"], math.divergence, math.zeros(x=2, y=2, vector="a,b,c"))


class Convolve(Case):
    def reference(self, t, k, mode):
        t_names, k_names = t.shape.names, k.shape.names
        a, b = array(t).astype(np.float32), array(k).astype(np.float32)
        along = k.shape.spatial
        summed = t.shape.channel
        if mode is not None:
            widths = {d.name: (d.size // 2, (d.size - 1) // 2) for d in along}
            a = pad_reference(a, list(t_names), widths, extrapolation.as_extrapolation(mode))
        sizes = [n - along.get_size(d) + 1 if d in along else n for d, n in zip(t_names, a.shape)]
        shape = merge_shapes(t.shape.with_sizes(sizes).without(summed), k.shape.without(along).without(summed))
        reach = concat_shapes(along, summed)

        def element(index):
            return sum(at(b, k_names, {**index, **j}) *
                       at(a, t_names, {**index, **j, **{d.name: index[d.name] + j[d.name] for d in along}})
                       for j in reach.meshgrid())
        return loop(shape, element), shape

    def test_against_loops(self):
        for names, kernel, sizes in [
            ("x", "x", {"x": 3}),
            ("b,x,y", "x,y", {"x": 3, "y": 2}),
            ("b,x,y", "x", {"x": 2}),
            ("b,x,c", "x", {"x": 3}),
            ("b,x,c", "x,c", {"x": 2}),
            ("x,c", "x,c,vector", {"x": 3}),
            ("b,x", "b,x", {"x": 3}),
            ("x", "b,x", {"x": 3}),
            ("b,p,x,c", "b,x,vector", {"x": 2}),
            ("x,c", "c", {}),
            ("y,x", "x,y", {"x": 3, "y": 3}),
        ]:
            t, k = named(names), named(kernel, seed=1, **sizes)
            for mode in (None, ZERO, BOUNDARY, PERIODIC, SYMMETRIC, 2.5, combine_sides(x=(0, BOUNDARY), y=PERIODIC)):
                expected, shape = self.reference(t, k, mode)
                made = math.convolve(t, k, mode)
                self.assertEqual((set(made.shape.names), made.dtype), (set(shape.names), math.DType(float)))
                self.same(made, expected, shape, 1e-4)

    def test_integers_and_kernels_that_wait(self):
        t, k = math.wrap([1, 0, 0, 1], spatial("x")), math.wrap([1, 2, 5], spatial("x"))
        self.assertEqual(repr(math.convolve(t, k, 0)), "(2, 1, 5, 2) along xˢ int64")
        self.assertEqual(list(math.convolve(t, k * 1 + 0, 0)), [2, 1, 5, 2])
        self.assertEqual(list(math.convolve(t, k)), [1, 5])
        self.shaped(math.convolve(t, math.ones(x=5)), "(xˢ=0)")
        self.same(math.convolve(math.ones(x=3), math.ones(x=3), 0), [2, 3, 2])
        self.same(math.convolve(math.ones(x=3, y=2) + 0, math.ones(x=3) + 0, 0), [[2, 2], [3, 3], [2, 2]])

    def test_errors(self):
        self.fails(ValueError, ["y", "(xˢ=4)"], math.convolve, named("x"), named("y"))
        self.fails(IncompatibleShapes, "b", math.convolve, named("b,x"), named("b,x", b=3))


class Positions(Case):
    """gather, grid_sample, scatter, with dimensions that both operands have."""

    def gathered(self, t, i, names, order):
        vector = i.shape.channel.names[0] if i.shape.channel else None
        a, b = array(t), array(i)
        shape = merge_shapes(t.shape.without(names), i.shape.without(vector) if vector else i.shape)

        def element(index):
            where = {d: int(at(b, i.shape.names, {**index, vector: j})) for d, j in zip(names, order)}
            return at(a, t.shape.names, {**index, **where})
        return loop(shape, element), shape

    def indices(self, names, count, high, kind=np.int64, **sizes):
        shape = concat_shapes(dims(names, **sizes), channel(vector=count)) if count else dims(names, **sizes)
        return math.wrap(np.random.default_rng(5).integers(-min(high), min(high), shape.sizes).astype(kind), shape)

    def test_gather(self):
        for names, index, along in [("x", "p", "x"), ("b,x", "p", "x"), ("b,x", "b,p", "x"), ("b,x,c", "b,p", "x"),
                                    ("x,y", "p", "x,y"), ("b,x,y,c", "b,p", "x,y"), ("c,y,b,x", "p,b", "y,x"),
                                    ("p,c", "z", "p"), ("b,p", "b", "p"), ("x,y", "b,z", "x,y"), ("x,y", "", "x,y"),
                                    ("y,x,b", "b", "y,x")]:
            t = named(names)
            count = len(along.split(","))
            order = range(count)
            for kind in (np.int64, np.int8):
                i = self.indices(index, count, [t.shape.get_size(d) for d in along.split(",")], kind)
                for u, j in ((t, i), (t * 1, i), (t, i + 0)):
                    expected, shape = self.gathered(t, i, along.split(","), order)
                    made = math.gather(u, j)
                    self.assertEqual(made.shape, shape)
                    self.same(made, expected)

    def test_gather_by_label_dims_and_without_vector(self):
        t = named("b,x,y")
        i = math.wrap([[4, 0], [3, -1]], instance("p"), channel(vector="y,x"))
        self.same(math.gather(t, i), values("b,x,y")[:, [0, -1], [4, 3]], "b,p")
        self.same(math.gather(t, math.wrap([3, 0], instance("p")), "x"), values("b,x,y")[:, [3, 0]], "b,p,y")
        self.same(
            math.gather(t, math.wrap([[1], [0]], instance("p"), channel("d")), "b"), values("b,x,y")[[1, 0]], "p,x,y"
        )
        self.same(math.gather(named("x"), math.wrap(2)), values("x")[2])
        self.same(math.gather(t, math.vec(x=1, y=-1)), values("b,x,y")[:, 1, -1], "b")
        along = math.wrap([1, 0], spatial("x"))
        self.same(math.gather(named("x,y"), along, "x"), values("x,y")[[1, 0]], "x,y")

    def test_gather_outside(self):
        for t, i in [(named("x"), math.wrap([4], instance("p"))), (named("x"), math.wrap([-5], instance("p"))),
                     (named("x,y"), math.wrap([[0, 5]], instance("p"), channel("vector"))),
                     (named("b,x"), math.wrap([[0, 4], [0, 0]], batch("b"), instance("p")))]:
            late = math.gather(t, i)
            self.fails(IndexError, ["position", "math.clip"], math.evaluate, late)
            self.fails(IndexError, "position", list, late)
            self.fails(IndexError, "position", math.evaluate, late * 0 + 1)
        i = math.wrap([4, -5, 2], instance("p"))
        self.same(math.gather(named("x"), math.clip(i, 0, 3)), values("x")[[3, 0, 2]])

    def test_gather_errors(self):
        self.fails(TypeError, ["float64", "math.to_int32", "grid_sample"], math.gather, named("x"), math.wrap([1.0]))
        self.fails(TypeError, "bool", math.gather, named("x"), math.wrap([True]))
        self.fails(ValueError, ["3", "2 dimensions", "x, y"], math.gather, named("x,y"), math.wrap([1, 2, 3]))
        self.fails(ValueError, ["one channel dimension", "0"], math.gather, named("x,y"), math.wrap([1], instance("p")))
        self.fails(ValueError, "dims=", math.gather, named("b"), math.wrap([1]))
        self.fails(ValueError, "'q'", math.gather, named("x"), math.wrap([1]), "q")
        self.fails(IncompatibleShapes, "b", math.gather, named("b,x"), math.wrap([[1]] * 3, batch("b"), instance("p")))

    def sampled(self, t, at_, names, mode, order):
        vector = at_.shape.channel.names[0] if at_.shape.channel else None
        a, b = array(t).astype(np.float64), array(at_).astype(np.float64)
        shape = merge_shapes(t.shape.without(names), at_.shape.without(vector) if vector else at_.shape)

        def element(index):
            p = [at(b, at_.shape.names, {**index, vector: j}) for j in order]
            total = 0.0
            for corner in itertools.product((0, 1), repeat=len(names)):
                weight, where, number = 1.0, {}, None
                for name, q, c in zip(names, p, corner):
                    low = int(np.floor(q))
                    weight *= q - low if c else 1 - (q - low)
                    spot = place(low + c, t.shape.get_size(name), mode)
                    if spot is None:
                        number = mode.value
                    where[name] = spot
                total += weight * (number if number is not None else at(a, t.shape.names, {**index, **where})) \
                    if weight else 0
            return total
        return loop(shape, element), shape

    def test_grid_sample(self):
        for names, index, along in [
            ("x", "p", "x"),
            ("b,x", "b,p", "x"),
            ("x,y", "p", "x,y"),
            ("b,x,y,c", "b,p", "x,y"),
            ("c,y,b,x", "p,b", "y,x"),
            ("b,x", "b", "x"),
            ("x,y", "", "x,y"),
        ]:
            t, along = named(names), along.split(",")
            shape = concat_shapes(dims(index), channel(vector=len(along)))
            c = math.wrap(np.random.default_rng(3).integers(-30, 60, shape.sizes) / 8, shape)
            for mode in MODES:
                expected, shape = self.sampled(t, c, along, mode, range(len(along)))
                made = math.grid_sample(t, c, mode)
                self.assertEqual((made.shape, made.dtype), (shape, math.DType(float)))
                self.same(made, expected, tolerance=1e-5)
            self.same(math.grid_sample(t, c), self.sampled(t, c, along, ZERO, range(len(along)))[0], tolerance=1e-5)

    def test_grid_sample_by_label_and_sides(self):
        t = named("x,y")
        c = math.wrap([[0.5, 2.25]], instance("p"), channel(vector="y,x"))
        expected, _ = self.sampled(t, c, ["x", "y"], ZERO, (1, 0))
        self.same(math.grid_sample(t, c), expected, tolerance=1e-6)
        mode = combine_sides(x=PERIODIC, y=BOUNDARY)
        far = math.wrap([[-1.5, 9.0]], instance("p"), channel(vector="x,y"))
        a = values("x,y")
        self.same(math.grid_sample(t, far, mode), [(a[2, 4] + a[3, 4]) / 2], tolerance=1e-6)
        self.same(math.grid_sample(named("x"), math.wrap([0.5, 1.0], instance("p"))),
                  [values("x")[:2].mean(), values("x")[1]], tolerance=1e-6)
        with math.precision(64):
            self.assertEqual(math.grid_sample(t, c).dtype, math.DType(float, 64))
        self.same(math.grid_sample(named("x", "int32"), math.wrap([1.5], instance("p"))),
                  [values("x", "int32")[1:3].mean()], tolerance=1e-6)
        one = combine_sides(x=(ZERO, BOUNDARY))
        wide = math.wrap([-0.5, 9.0, 1.25], instance("p"))
        a = values("x")
        self.same(math.grid_sample(named("x"), wide, one), [a[0] / 2, a[3], 0.75 * a[1] + 0.25 * a[2]], tolerance=1e-6)

    def scattered(self, base, i, v, names, mode, outside):
        vector = i.shape.channel.names[0] if i.shape.channel else None
        a = array(base).astype(np.float64)
        hits = {}
        reach = merge_shapes(i.shape.without(vector) if vector else i.shape, v.shape.without(names),
                             base.shape.without(names))
        for index in reach.meshgrid():
            where = [round(float(at(array(i), i.shape.names, {**index, vector: j}))) for j in range(len(names))]
            sizes = [base.shape.get_size(name) for name in names]
            if outside == "clamp":
                where = [min(max(w, 0), n - 1) for w, n in zip(where, sizes)]
            if all(0 <= w < n for w, n in zip(where, sizes)):
                place_ = tuple({**index, **dict(zip(names, where))}[name] for name in base.shape.names)
                hits.setdefault(place_, []).append(at(array(v), v.shape.names, index))
        for place_, found in hits.items():
            a[place_] = found[-1] if mode == "update" else a[place_] + sum(found) if mode == "add" else np.mean(found)
        return a

    def test_scatter(self):
        for base, index, value in [
            ("x", "p", "p"),
            ("x", "p", ""),
            ("x,y", "p", "p"),
            ("b,x", "p", "p"),
            ("b,x", "b,p", "b,p"),
            ("b,x,c", "b,p", "p,c"),
            ("c,y,x,b", "b,p", "p,b"),
            ("x,c", "p", "p,c"),
            ("b,x", "p", "b,p"),
            ("b,x,y", "b,p", "p"),
        ]:
            t, v = named(base), named(value, seed=2)
            along = list(t.shape.spatial.names)
            shape = concat_shapes(dims(index, p=3), channel(vector=len(along)))
            i = math.wrap(np.random.default_rng(1).integers(-2, 6, shape.sizes), shape)
            for mode, outside in itertools.product(("update", "add", "mean"), ("discard", "clamp")):
                expected = self.scattered(t, i, v, along, mode, outside)
                made = math.scatter(t, i, v, mode, outside)
                self.assertEqual(set(made.shape.names), set(t.shape.names))
                self.same(made, expected, t.shape, 1e-5)

    def test_scatter_more(self):
        i, v = math.wrap([0, 2, 0, 9, -1], instance("p")), math.wrap([1.0, 2.0, 3.0, 4.0, 5.0], instance("p"))
        self.same(math.scatter(spatial(x=3), i, v), [3, np.nan, 2])
        self.same(math.scatter(spatial(x=3), i, v, "add"), [4, 0, 2])
        self.same(math.scatter(spatial(x=3), i, v, "mean"), [2, np.nan, 2])
        self.same(math.scatter(spatial(x=3), i, v, "add", "clamp"), [9, 0, 6])
        self.same(math.scatter(spatial(x=3), i, v, "add", "undefined"), [4, 0, 2])
        self.same(math.scatter("x:s=3", i, 1, "add"), [2, 0, 1])
        halves = math.wrap([0.5, 1.5, 2.5, -0.5], instance("p"))
        self.same(math.scatter(spatial(x=3), halves, 1, "add"), [2, 0, 2])
        self.assertEqual(
            math.scatter(spatial(x=3), i, math.wrap([1, 2, 3, 4, 5], instance("p")), "add").dtype.name, "int64"
        )
        self.assertEqual(math.scatter(named("x"), i, v).dtype.name, "float64")
        i2 = math.wrap([[1, 0]], instance("p"), channel(vector="y,x"))
        self.assertEqual(list(math.scatter(spatial(x=2, y=2), i2, 7, "add")), [0, 7, 0, 0])
        base = math.zeros(batch(b=2), spatial(x=3))
        self.same(math.scatter(base, math.wrap([1], instance("p")), math.wrap([[1], [2]], batch("b"), instance("p"))),
                  [[0, 1, 0], [0, 2, 0]])
        joined = math.scatter(math.zeros(x=3), math.wrap([[1], [2]], batch("b"), instance("p")), 1)
        self.same(joined, [[0, 1, 0], [0, 0, 1]], "b,x")
        along = math.wrap([1, 1, 2], spatial("x"))
        self.fails(ValueError, ["math.rename_dims(indices, 'x', instance('list'))"], math.scatter, base, along, 1)
        listed = math.rename_dims(along, "x", instance("list"))
        self.same(math.scatter(base, listed, 1.0, "add"), [[0, 2, 1], [0, 2, 1]])
        for wrong in (math.rename_dims(along, "x", batch("x")), math.wrap([1], spatial("x"))):
            self.fails(IncompatibleShapes, "x", math.scatter, base, wrong, 1)
        self.fails(ValueError, ["'update', 'add' or 'mean'", "'max'"], math.scatter, base, i, v, "max")
        self.fails(ValueError, ["'clamp'", "'wrap'"], math.scatter, base, i, v, "add", "wrap")
        self.fails(ValueError, ["3", "x"], math.scatter, math.zeros(x=3), math.wrap([1, 2, 3]), 1)
        self.fails(ValueError, "known", math.scatter, spatial("x"), i, v)

    def test_nonzero(self):
        mask = values("x,y,c") > 1
        t = math.wrap(mask, dims("x,y,c"))
        made = math.nonzero(t)
        self.assertEqual((made.dtype.name, repr(made.shape.without("nonzero"))), ("int64", "(vectorᶜ=x,y)"))
        self.same(made, np.argwhere(mask.any(-1)))
        self.same(
            math.nonzero(math.wrap(mask, dims("x,y,c")), "hits", channel("at")).at["y"], np.argwhere(mask.any(-1))[:, 1]
        )
        self.shaped(math.nonzero(math.zeros(x=3)), "(nonzeroⁱ=0, vectorᶜ=x)")
        self.same(math.nonzero(named("p,x")), np.argwhere(values("p,x")))
        self.same(math.nonzero(math.wrap([np.nan, 0, 1], spatial("x"))).vector["x"], [0, 2])
        many = math.wrap(values("b,x,y") > 1, dims("b,x,y"))
        found = math.nonzero(many)
        for k in range(2):
            self.same(found.b[k], np.argwhere(values("b,x,y")[k] > 1))
        self.fails(ValueError, ["spatial and instance", "(bᵇ=2)"], math.nonzero, named("b"))
        gathered = math.gather(t.c[0], math.nonzero(t.c[0]))
        self.assertTrue(gathered.all)

    def test_boolean_mask(self):
        a, t = values("b,x,c"), named("b,x,c")
        keep = np.array([True, False, True, True])
        self.same(math.boolean_mask(t, "x", math.wrap(keep, spatial("x"))), a[:, keep])
        self.same(math.boolean_mask(t * 1, spatial, math.wrap(keep, spatial("x"))), a[:, keep].astype(np.float32))
        mask = a[..., 0] > 0
        made = math.boolean_mask(t, "x", math.wrap(mask, dims("b,x")))
        for k in range(2):
            self.same(made.b[k], a[k][mask[k]])
        labelled = math.vec(u=1, v=2, w=3)
        self.assertEqual(repr(math.boolean_mask(labelled, "vector", labelled != 2)), "(u=1, w=3)")
        self.shaped(math.boolean_mask(t, "x", math.wrap(~keep & keep, spatial("x"))), "(bᵇ=2, xˢ=0, cᶜ=3)")
        self.same(math.boolean_mask(math.ones(x=4), "x", math.wrap(keep, spatial("x"))), [1, 1, 1])
        self.fails(
            TypeError, ["bool", "int64", "t != 0"], math.boolean_mask, t, "x", math.wrap([1, 0, 1, 1], spatial("x"))
        )
        self.fails(ValueError, "x", math.boolean_mask, t, "z", math.wrap(keep, spatial("x")))
        self.fails(IncompatibleShapes, "sizes", math.boolean_mask, t, "x", math.wrap([True], spatial("x")))
        self.fails(ValueError, "pack_dims", math.boolean_mask, named("b,x,c"), "x", math.wrap(a > 0, dims("b,x,c")))


class More(Case):
    """What is said once, of several functions."""

    def test_what_constants_become(self):
        for kind, number, expected in [
            ("int8", 300, 44),
            ("uint8", -1, 255),
            ("int8", 300.0, 127),
            ("int8", np.inf, 127),
            ("int8", -1e9, -128),
            ("uint16", -3.5, 0),
            ("int32", np.nan, 0),
            ("bool", np.nan, 1),
            ("float16", 1e30, np.inf),
            ("uint64", 2**63 + 5, 2**63 + 5),
            ("int64", -(2**63), -(2**63)),
            ("float32", 10**39, np.inf),
        ]:
            t = math.pad(math.wrap(np.ones(2, kind), spatial("x")), {"x": (1, 0)}, number)
            self.assertEqual((t.dtype.name, list(t.x[:1])), (kind, [expected]))

    def test_constants_that_differ(self):
        """Among constants the dimension that comes last has the corners, on all sides."""
        for x, y in [((1, 1), (2, 2)), ((1, 3), (2, 2)), ((1, 3), (2, 4)), ((1, 1), (2, 4)), ((BOUNDARY, 3), (2, 4)),
                     ((1, BOUNDARY), (2, 2)), ((1, 3), (BOUNDARY, SYMMETRIC)), ((1, 3), (BOUNDARY, 4))]:
            mode, widths = combine_sides(x=x, y=y), {"x": (2, 2), "y": (2, 2)}
            self.same(math.pad(named("x,y"), widths, mode), pad_reference(values("x,y"), "xy", widths, mode))

    def test_none(self):
        t = named("x,y")
        self.fails(
            ValueError, ["NONE", "extrapolation.ZERO"], math.shift, t, (1,), padding=combine_sides(x=(0, NONE), y=0)
        )
        self.fails(ValueError, ["NONE", "None"], math.grid_sample, named("x"), math.wrap([1.0]), NONE)
        self.assertIs(math.pad(t, {"x": (2, 1)}, combine_sides(x=NONE, y=ONE)), t)
        self.same(math.pad(t, {"x": (2, 1), "y": (1, 0)}, combine_sides(x=NONE, y=ONE)),
                  np.pad(values("x,y"), [(0, 0), (1, 0)], constant_values=1))
        self.fails(ValueError, ["x", "(lower, upper)", "3"], combine_sides, x=(1, 2, 3))

    def test_offsets(self):
        self.fails(TypeError, ["(-1, 1)", "not 1"], math.shift, named("x"), 1)
        self.fails(TypeError, ["offset", "1.5"], math.shift, named("x"), (1.5,))
        self.fails(TypeError, ["offset", "'a'"], math.shift, named("x"), ("a",))

    def test_labels_of_dx(self):
        plain = array(math.spatial_gradient(named("x,y")))
        self.same(math.spatial_gradient(named("x,y"), math.vec(y=0.5, z=4.0)), plain / [0.5, 4.0])

    def test_types_of_convolve(self):
        for a, b in itertools.product(["bool", "int8", "int32", "uint8", "float16", "float32", "float64"], repeat=2):
            x, k = np.array([1, 0, 1, 1]).astype(a), np.array([1, 1]).astype(b)
            kind = np.promote_types(a, b).name if "float" not in a + b else "float32"
            made = math.convolve(math.wrap(x, spatial("x")), math.wrap(k, spatial("x")))
            self.assertEqual(made.dtype.name, "int32" if kind == "bool" else kind, (a, b))
            self.same(made, [1, 1, 2])
            both = math.wrap(np.stack([x, x]), channel("c"), spatial("x"))
            for kernel in (math.wrap(k, spatial("x")), math.wrap(np.stack([k, k]), channel("c"), spatial("x"))):
                made = math.convolve(both, kernel)
                self.assertEqual(made.dtype.name, "int32" if kind == "bool" else kind, (a, b))
                self.same(made, [2, 2, 4])

    def test_kinds_of_convolve(self):
        self.fails(IncompatibleShapes, ["x is spatial", "batch"], math.convolve, math.zeros(batch(x=3)), math.ones(x=2))
        self.fails(IncompatibleShapes, "sizes 2 and 3 of b", math.convolve, named("b,x"), named("b,x", b=3, x=2))

    def test_positions_that_are_none(self):
        i = math.wrap([-0.5, 3.4, 3.5, np.nan, np.inf, -7], instance("q"))
        self.same(math.scatter(spatial(x=4), i, 1, "add"), [1, 0, 0, 1])
        self.fails(
            TypeError, ["bool", "math.nonzero"], math.scatter, spatial(x=2), math.wrap([True], instance("q")), 1.0
        )
        self.fails(TypeError, ["bool", "'add'", "math.to_int32"], math.scatter, math.zeros(x=2, dtype=bool),
                   math.wrap([1], instance("q")), True, "add")

    def test_sides_of_grid_sample(self):
        t, a = named("x,y"), values("x,y")
        mode = combine_sides(x=(2, BOUNDARY), y=(BOUNDARY, 3))
        where = math.wrap([[-1, 2], [3.5, 2.5], [9, 2], [1.25, 5], [2, -4], [-0.5, 0], [-2, 9]], instance("q"),
                          channel(vector="x,y"))
        wide = pad_reference(a, "xy", {"x": (9, 9), "y": (9, 9)}, mode)
        expected = []
        for x, y in array(where):
            corners = wide[int(np.floor(x)) + 9:, int(np.floor(y)) + 9:][:2, :2]
            u, v = x % 1, y % 1
            expected.append(np.array([1 - u, u]) @ corners @ np.array([1 - v, v]))
        self.same(math.grid_sample(t, where, mode), expected, tolerance=1e-6)
        self.same(math.grid_sample(t, where.vector["y,x"], mode), expected, tolerance=1e-6)
        self.fails(ValueError, ["x", "zero", "reflect", "math.pad"], math.grid_sample, named("x"), math.wrap([0.5]),
                   combine_sides(x=(0, REFLECT)))

    def test_no_elements(self):
        t, where = math.zeros(x=0), math.wrap([0.5, 2.0], instance("q"))
        self.same(math.grid_sample(t, where, 3), [3, 3])
        self.fails(ValueError, ["x", "no elements", "boundary", "number"], math.grid_sample, t, where, BOUNDARY)
        self.fails(IndexError, "outside", str, math.gather(t, math.wrap([0], instance("q"))))
        for made in (math.laplace(t), math.shift(t, (1,), stack_dim=None)[0],
                     math.convolve(t, math.ones(x=3), BOUNDARY),
                     math.scatter(t, math.wrap([0], instance("q")), 1.0)):
            self.shaped(made, "(xˢ=0)")
            self.assertEqual(list(made), [])
        t = math.zeros(spatial(y=2, x=0))
        for kernel in (math.ones(spatial(x=2)), math.ones(spatial(x=2, y=2)), math.ones(spatial(x=2), channel(c=2))):
            for mode in (BOUNDARY, REFLECT, combine_sides(x=(REFLECT, 1), y=BOUNDARY)):
                self.assertEqual(list(math.convolve(t, kernel, mode)), [])

    def test_one_kernel(self):
        t = named("x,y")
        for made in (math.laplace(t * 2 + 1) * 3, math.spatial_gradient(t * t, dims="x", stack_dim=None),
                     math.divergence(named("x,y,vector") * 2), math.shift(t + 1, (1,))[0],
                     math.pad(t - 1, {"x": (1, 1)}, 0)):
            self.assertEqual(str(math.explain(made)).count("kernel for"), 1, made.shape)


if __name__ == "__main__":
    unittest.main()
