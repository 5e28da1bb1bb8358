"""When weft.math computes: programs, memory, threads, processes, backends."""
import contextlib
import copy
import gc
import os
import pickle
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import warnings
import weakref

import numpy as np

import weft
from support import numpy_peak, optional
from support_math import Case, array, named, values
from weft import math
from weft.math import _graph, batch, channel, extrapolation, instance, spatial

STEPS = int(os.environ.get("WEFT_STEPS", "3000"))  # 100000 tries all


def waits(t):
    return type(t._source) is _graph.Operation


class Waiting(Case):
    def test_what_needs_values(self):
        a = named("x")
        for needs in (
            str,
            repr,
            lambda t: f"{t:full}",
            lambda t: t.native("x"),
            lambda t: t.numpy("x"),
            list,
            np.asarray,
            np.from_dlpack,
            math.evaluate,
            lambda t: math.close(t, t),
            lambda t: math.assert_close(t, t),
            pickle.dumps,
            lambda t: weft.evaluate("t + 1", t=t),
            math.copy,
        ):
            t = a * 2 + 1
            before = self.counts.runs
            self.assertTrue(waits(t))
            needs(t)
            self.assertEqual((waits(t), self.counts.runs > before), (False, True), needs)
            before = self.counts.runs
            str(t)
            self.assertEqual(self.counts.runs, before, "the value is kept")
        for needs in (int, float, bool):
            t = math.wrap(np.float64(2)) * 2
            needs(t)
            self.assertFalse(waits(t))

    def test_what_needs_none(self):
        a, b, c = named("x,y"), named("b,x,vector"), named("x,y,vector")
        before = self.counts.runs, self.counts.programs
        made = [
            a + 1,
            -a,
            a * b,
            math.sin(a),
            a > 0,
            math.where(a > 0, a, b),
            math.clip(a),
            a.sum,
            math.mean(b, "x"),
            a.x[1:],
            (a + 1).x[::-1],
            (a + 1).y[0],
            (a + 1).x[[0, 2]],
            a.x[math.wrap([0, 1], instance("i"))],
            math.stack([a, a * 2], batch("k")),
            math.concat([a, a + 1], "x"),
            math.expand(a + 1, batch(k=2)),
            math.rename_dims(a + 1, "x", "z"),
            math.pack_dims(a + 1, "x,y", instance("p")),
            math.unpack_dim(a + 1, "x", spatial(u=2, v=2)),
            math.pad(a, {"x": (1, 1)}, 0),
            math.shift(a, (1,))[0],
            math.spatial_gradient(a),
            math.laplace(a),
            math.divergence(c),
            math.convolve(a, math.wrap(np.float32([1, 2]), spatial("x"))),
            math.grid_sample(a, math.wrap([0.5, 1.5])),
            math.gather(a, math.wrap([0, 1])),
            math.cast(a, int),
            math.random_uniform(x=3),
            math.random_normal(x=3),
            math.linspace(0, 1, spatial(x=5)),
            math.zeros(x=2) + math.ones(x=2),
            math.finite_mean(a),
            (a + 1).shape,
            (a + 1).dtype,
            (a + 1).x.size,
            len(a.x[0] * 2),
            (a + 1).default_backend,
            a.x * a,
            a.x * b,
            math.join_spaces(a + 1, a),
            math.zeros_like(a + 1),
            math.isnan(a),
            ~(a > 0),
            abs(a),
        ]
        self.assertEqual((self.counts.runs, self.counts.programs), before)
        self.assertGreater(len(made), 40)

    def test_at_once(self):
        a = named("x")
        i = math.wrap([1, 2], instance("i"))
        for made in (lambda: math.cumulative_sum(a, "x"), lambda: math.nonzero(a),
                     lambda: math.scatter(a, i, 1.0), lambda: math.boolean_mask(a, "x", a > 0)):
            t = made()
            self.assertFalse(waits(t))

    def test_one_program(self):
        a, b = named("x,y"), named("b,x")
        t = a * 2 + b
        u = math.sin(t) - 1
        before = self.counts.runs
        math.evaluate(t, u, t.sum)
        self.assertEqual(self.counts.runs, before + 1)
        self.assertFalse(waits(t) or waits(u))
        self.same(t, values("x,y") * 2 + values("b,x")[..., None])

    def test_kernels(self):
        """As many as the library says that it makes for a call."""
        x, y, z, v = named("x,y"), named("y"), named("b,x"), named("x,y,vector")
        chain = math.where((x + y) > z, math.sqrt(math.abs(x * z - 3)), math.clip(v, 0, 1)) ** 2
        periodic = extrapolation.PERIODIC
        for count, t in [
            (1, math.sin(x) * y + z),
            (1, math.sqrt(math.sin(x) * y + z - 1) / 2),
            (1, x + 0.1 * math.laplace(x, padding=periodic)),
            (1, 2 * x - y + 0.1 * math.laplace(x + 1, padding=periodic)),
            (1, chain),
            (1, math.laplace(chain)),
            (1, math.sum(chain, "x")),
            (1, v.vector * x),
            (1, math.stack([x, x + 1, x * 2], batch("k")) * 2),
            (1, math.pad(math.spatial_gradient(x * x).gradient["x"], {"y": (1, 1)}, 0)),
            (2, chain - math.sum(chain, "x")),
            (2, math.sum(math.exp(x) / math.sum(x) + z, "x")),
        ]:
            program, inputs = _graph.program_for([t])
            self.assertEqual(len(program.prepare(*inputs.values())), count, program.text)
        before = self.counts.runs
        self.assertEqual(str(math.explain(chain)).count("kernel for"), 1)
        self.assertEqual(self.counts.runs, before)
        self.assertIn("nothing waits", str(math.explain(x)))

    def test_shared_parts_are_computed_once(self):
        t = named("x")
        for _ in range(30):
            t = t + t
        self.same(t * 1, values("x") * 2.0**30)

    def test_early_changes_no_bit(self):
        def chain(early):
            math.seed(3)
            t = math.random_uniform(x=100) - 0.5
            for i in range(20):
                t = math.laplace(t * 1.1) * 0.1 + math.sin(t) / 3 - math.mean(t, "x")
                if early:
                    math.evaluate(t)
            return array(t)
        np.testing.assert_array_equal(chain(False).view(np.uint32), chain(True).view(np.uint32))

    def test_joins_in_a_loop(self):
        """Each reads the one before in several ways, which multiply: some are computed on the way, no bit changes."""
        def mean_of_neighbours(w):
            return math.concat([w.x[:1], 0.5 * (w.x[1:] + w.x[:-1])], "x")

        def rim(w):
            inner = w.x[1:-1] + 0.1 * (w.x[2:] + w.x[:-2] - 2 * w.x[1:-1])
            return math.concat([w.x[:1], inner, w.x[-1:]], "x")

        def turned(w):
            a, b = w.x[0], w.x[1]
            return math.stack({"a": a + b, "b": b - a}, channel("x")) * 0.5

        def rolled(w):
            return math.concat([w.x[-1:], w.x[:-1]], "x") * 0.75 + w * 0.25
        for step in mean_of_neighbours, rim, turned, rolled:
            lazy = early = math.wrap(values("x", x=2 if step is turned else 20), channel("x"))
            self.counts.runs = 0
            for _ in range(12):
                lazy = step(lazy)
            programs = self.counts.runs
            for _ in range(12):
                early = math.evaluate(step(early))
            np.testing.assert_array_equal(array(lazy).view(np.uint32), array(early).view(np.uint32))
            self.assertLess(programs, 24)
        def smaller(w):  # after some times in more ways than one program reads
            for name in "xyz":
                first, last = {name: slice(None, -1)}, {name: slice(1, None)}
                w = (w[first] + w[last]) * 0.5
            return w
        lazy = early = math.wrap(values("x,y,z", x=12, y=12, z=12), spatial("x,y,z"))
        for _ in range(7):
            lazy, early = smaller(lazy), math.evaluate(smaller(early))
        np.testing.assert_array_equal(array(lazy).view(np.uint32), array(early).view(np.uint32))
        once = math.concat([mean_of_neighbours(named("x")), named("x")], "x")
        self.counts.runs = 0
        array(once)
        self.assertEqual(self.counts.runs, 1)

    def test_a_bad_operation_is_an_error_where_it_is_written(self):
        t = named("x") + 1
        for wrong in (lambda: t + named("x", x=3), lambda: t & 1, lambda: t.x[9], lambda: math.sum(t, 5)):
            self.assertRaises((ValueError, TypeError, IndexError), wrong)
        self.assertEqual(self.counts.runs, 0)

    def test_evaluate_gives_its_tensors(self):
        common = math.sin(named("x"))
        given = common + 1, common * 2, math.sum(common)
        made = math.evaluate(*given)
        self.assertEqual((self.counts.runs, [a is b for a, b in zip(made, given)]), (1, [True] * 3))
        self.assertIs(math.evaluate(given[0]), given[0])


class Programs(Case):
    def setUp(self):
        super().setUp()
        context = weft.use(weft.Context(cache="", cc="libtcc", tier="none"))  # which makes a kernel once
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)

    def same_kernels(self, function):
        """That no program and no kernel is made while a function runs a second time, with other values."""
        found, kept = [], _graph.run

        def watched(survey, leaves):
            plan = _graph.plan_of(survey)
            found.extend(origin for origin, *_ in plan.program.prepare(*[leaves[i] for i in plan.inputs]))
            return kept(survey, leaves)
        _graph.run = watched
        try:
            function(0)
            before = self.counts.programs
            found.clear()
            function(1)
        finally:
            _graph.run = kept
        self.assertEqual(self.counts.programs, before, "programs")
        self.assertEqual(set(found), {"memory"})

    def test_other_numbers(self):
        a = named("x,y")
        self.same_kernels(lambda i: str(a * (2.5 + i) + (3 - i)))
        self.same_kernels(lambda i: str(math.clip(a, i - 1.0, i + 1.0)))
        self.same_kernels(lambda i: str(math.where(a > i, a, 0.1 * i)))
        self.same_kernels(lambda i: str((a + 1).x[i]))
        self.same_kernels(lambda i: str((a + 1).y[i:i + 3].x[-3 + i::-1]))
        self.same_kernels(lambda i: str(math.spatial_gradient(a, 1.5 + i)))
        self.same_kernels(lambda i: str(math.laplace(a, 0.5 + i)))
        self.same_kernels(lambda i: str(a ** (2.0 + i)))
        self.same_kernels(lambda i: str(math.ones(x=3) * (i + 0.5)))
        self.same_kernels(lambda i: str(math.linspace(i, 2.0 + i, spatial(x=5))))

    def test_other_constants_outside(self):
        a = named("x,y")
        self.same_kernels(lambda i: str(math.pad(a, {"x": (1, 1)}, extrapolation.ConstantExtrapolation(i + 0.5))))
        self.same_kernels(lambda i: str(math.laplace(a, 1, extrapolation.ConstantExtrapolation(i + 0.5))))
        self.same_kernels(lambda i: str(math.grid_sample(a, math.wrap([0.5, 1.5]), i + 0.5)))
        self.same_kernels(lambda i: str(math.convolve(a, math.wrap([1.0, 2.0], spatial("x")), i + 0.5)))
        self.same_kernels(lambda i: str(math.pad(math.cast(a, int), {"x": (1, 1)}, i)))

    def test_other_seeds(self):
        self.same_kernels(lambda i: (math.seed(i), str(math.random_uniform(x=4)), str(math.random_normal(x=4))))
        self.same_kernels(lambda i: str(math.random_uniform(x=4, low=i, high=i + 2)))

    def test_other_names_and_labels(self):
        a = values("x,y")
        self.same_kernels(lambda i: str(math.wrap(a, spatial("x"), channel(v=("a,b,c,d,e", "p,q,r,s,t")[i])) * 2 + 1))

    def test_other_sizes(self):
        def sizes(i):
            return math.wrap(np.arange(2000.0 + 1000 * i).reshape(-1, 50), spatial("x,y"))
        i = math.wrap(np.arange(60).reshape(-1, 2) % 30, instance("q"), channel("v"))
        self.same_kernels(lambda i: str(sizes(i) * 2 + 1))
        self.same_kernels(lambda i: str(math.mean(sizes(i), "x")))
        self.same_kernels(lambda i: str(math.mean(sizes(i))))
        self.same_kernels(lambda i: str(math.laplace(sizes(i))))
        self.same_kernels(lambda i: str(math.stack([sizes(i), sizes(i) + 1], batch("b"))))
        self.same_kernels(lambda i: math.nonzero(sizes(i)))
        self.same_kernels(lambda i: math.boolean_mask(sizes(i), "x", sizes(i).y[0] > 500))
        self.same_kernels(lambda k: str(math.gather(sizes(k), i)))

    def test_equal_programs_with_other_names_share_kernels(self):
        a = values("x,y")
        str(math.wrap(a, spatial("x,y")) * 3 - 7)
        t = math.wrap(a, batch("one"), channel("two")) * 3 - 7
        survey = _graph.Survey([t])
        plan = _graph.plan_of(survey)
        self.assertEqual({origin for origin, *_ in plan.program.prepare(*[survey.leaves[i] for i in plan.inputs])},
                         {"memory"})

    def test_so_many_are_kept(self):
        kept, a = dict(_graph._plans), named("x")
        self.addCleanup(_graph._plans.update, kept)
        self.addCleanup(setattr, _graph, "PROGRAMS", _graph.PROGRAMS)
        _graph._plans.clear()
        _graph.PROGRAMS = 8
        for turn in range(2):
            t = a
            for i in range(20):
                t = t + a
                self.same(t + 0, values("x") * (i + 2))
                self.assertLessEqual(len(_graph._plans), 8)

    def test_a_loop_compiles_a_few(self):
        def run():
            t = math.evaluate(named("x,y"))
            for i in range(300):
                t = t + 0.1 * math.laplace(t, padding=extrapolation.PERIODIC) - i
            return t.numpy("x,y")
        first = run()
        before = self.counts.programs
        np.testing.assert_array_equal(run(), first)
        self.assertEqual(self.counts.programs, before)
        self.assertLess(before, 10)


class Memory(Case):
    def test_many_steps(self):
        """a = a * 0.5 + b in bounded depth and memory."""
        b = named("x", "float32", seed=1)
        expected, addend = values("x", "float32"), values("x", "float32", seed=1)

        def steps(count):
            a = named("x", "float32")
            for _ in range(count):
                a = a * 0.5 + b
            return a
        for _ in range(STEPS):
            expected = expected * np.float32(0.5) + addend
        self.same(steps(STEPS), expected)
        self.restore()  # what checks takes memory
        peaks = [numpy_peak(lambda: steps(count)) for count in (STEPS // 3, STEPS)]
        self.assertLess(peaks[1], peaks[0] + 20000)

    def test_no_cycles(self):
        """Without the collector the arrays that live are bounded."""
        class Array(np.ndarray):
            pass
        alive = weakref.WeakSet()
        keep = _graph.keep

        def counted(node, result):
            keep(node, result)
            alive.add(node)
        _graph.keep = counted
        gc.collect()
        gc.disable()
        try:
            a, b, most = named("x", "float32"), named("x", "float32", seed=1), 0
            for i in range(STEPS // 3):
                a = math.laplace(a) * 0.5 + b.x[::-1]
                if i % 7 == 0:
                    str(a)
                most = max(most, len(alive))
            self.assertLess(most, 12)
            unlike = math.stack([a, a.x[1:]], batch("k"))
            for _ in range(50):
                str(unlike * 2)
            self.assertLess(len(alive), 12)
            ref = weakref.ref(a)
            del a, unlike
            self.assertIsNone(ref())
        finally:
            gc.enable()
            _graph.keep = keep

    @unittest.skipUnless(os.path.exists("/proc/self/statm"), "no /proc")
    def test_nothing_leaks(self):
        """What many steps hold when they are done, by the pages of a process of its own; the first ones fill caches."""
        code = """
            import gc, sys
            import numpy as np
            from weft import math
            from weft.math import batch, channel, extrapolation, spatial
            def pages():
                gc.collect()
                return int(open("/proc/self/statm").read().split()[1])
            b = math.wrap(np.ones(64, np.float32), spatial("x"))
            parts = math.stack([b, b.x[1:]], batch("k"))
            def some(steps):
                a = b
                for i in range(steps):
                    a = math.clip(a * 0.5 + b + i, 0, 9)
                    if not i % 10:
                        a = a - math.mean(a) + 0.1 * math.laplace(a, padding=extrapolation.PERIODIC)
                    if not i % 100:
                        math.seed(i)
                        str(parts * i + math.random_uniform(x=64).x[i % 60]), a.x[i % 60].numpy(), a.x[a > i].shape
                        math.evaluate(a, a + 1), math.sum(math.pad(a, {"x": (1, 1)}, float(i))).numpy()
                math.evaluate(a)
            some(25000)
            before = pages()
            some(int(sys.argv[1]))
            print(pages() - before)
            """
        made = subprocess.run([sys.executable, "-c", textwrap.dedent(code), str(STEPS)], capture_output=True, text=True,
                              timeout=120)
        self.assertEqual((made.returncode, made.stderr), (0, ""))
        self.assertLess(int(made.stdout), 100 + STEPS // 500)

    def test_zeros_take_none(self):
        shape = spatial(x=10**6, y=10**4)
        self.assertLess(numpy_peak(lambda: math.zeros(shape) + math.ones(shape)), 100000)
        self.assertLess(numpy_peak(lambda: math.zeros(shape).numpy("x,y")), 100000)
        self.assertLess(numpy_peak(lambda: math.expand(named("x") , spatial(y=10**9))), 100000)

    def test_a_reduction_takes_none(self):
        a = math.wrap(np.zeros(10**6), spatial("x"))
        self.assertLess(numpy_peak(lambda: float((math.sin(a * 2 + 1) ** 2).sum)), 2 * 10**6)

    def test_what_is_shared_is_not_computed_again(self):
        t = named("x")
        for _ in range(100):
            t = t + t
        self.assertTrue(np.isfinite(t.numpy()).all())
        t = named("x")
        for _ in range(100):
            t = math.sqrt(t * t + 1) - t * 0.25
        self.assertLess(self.counts.runs, 60)


class Wrapped(Case):
    def test_changes_reach_what_waits(self):
        a = np.ones(3)
        t, kept = math.wrap(a, spatial("x")), math.copy(math.wrap(a, spatial("x")))
        u = t + 1
        a[0] = 5
        self.assertEqual((list(u), list(kept + 1)), ([6, 2, 2], [2, 2, 2]))
        self.assertEqual(list(t), [5, 1, 1])

    def test_results_are_not_changed(self):
        t = named("x") * 2
        np.asarray(t)
        u = math.copy(t)
        self.assertIsNot(u.native(), t.native())


class Late(Case):
    def test_errors_come_where_values_are_needed(self):
        t = math.gather(named("x"), math.wrap([9], instance("i"))) * 2
        self.fails(IndexError, "outside", str, t)
        self.fails(IndexError, "outside", str, t)

    def test_remarks_come_where_values_are_needed(self):
        t = math.wrap([1, 2], spatial("x")) // math.wrap([0, 1], spatial("x"))
        self.restore()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(list(t), [0, 2])
        self.assertEqual([each.category for each in seen], [weft.Remark])
        self.assertEqual(seen[0].filename, __file__)


def in_threads(count, function):
    """What a function gives in threads that start together; the first exception."""
    start, made = threading.Barrier(count), [None] * count

    def work(i):
        try:
            start.wait()
            made[i] = function(i)
        except BaseException as error:
            made[i] = error
    threads = [threading.Thread(target=work, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for each in made:
        if isinstance(each, BaseException):
            raise each
    return made


class Threads(Case):
    def setUp(self):
        interval = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        self.addCleanup(sys.setswitchinterval, interval)

    def restore(self):
        pass

    def test_share_a_tensor(self):
        for _ in range(5):
            a = named("x,y")
            shared = math.sin(a * 2) + 1
            expected = array(math.sin(a * 2) + 1)
            for made in in_threads(6, lambda i: array(shared) if i % 2 else array(shared * 1)):
                np.testing.assert_array_equal(made, expected)

    def test_share_parts_of_programs(self):
        """A node is evaluated while another thread surveys what depends on it."""
        for _ in range(10):
            parts = [named("x") + i for i in range(6)]
            for i in range(1, 6):
                parts[i] = parts[i] * 2 + parts[i - 1]
            expected = values("x")
            for i in range(1, 6):
                expected = (values("x") + i) * 2 + expected
            made = in_threads(6, lambda i: list(math.evaluate(parts[5] + parts[i])))
            got = array(parts[5])
            np.testing.assert_array_equal(got, expected)
            for i, each in enumerate(made):
                np.testing.assert_array_equal(each, got + array(parts[i]))

    def test_random_calls_are_counted_together(self):
        math.seed(7)
        one = [list(math.random_uniform(x=3)) for _ in range(24)]
        math.seed(7)
        made = in_threads(4, lambda i: [list(math.random_uniform(x=3)) for _ in range(6)])
        self.assertEqual(sorted(one), sorted(row for each in made for row in each))

    def test_backends_of_threads(self):
        def within(i):
            for _ in range(50):
                with math.backend.NUMPY:
                    with math.backend.NUMPY:
                        str(math.zeros(x=2) + i)
            return math.backend.default_backend()
        self.assertEqual(set(in_threads(6, within)), {math.backend.NUMPY})

    def test_precision_of_threads(self):
        def within(i):
            bits = (16, 32, 64)[i % 3]
            with math.precision(bits):
                return all((math.wrap([1, 2]) / 3).dtype.bits == bits for _ in range(50))
        self.assertTrue(all(in_threads(6, within)))


class Surveys(Case):
    def test_a_node_is_evaluated_between_survey_and_program(self):
        """What another thread does at the worst moment."""
        a = named("x")
        inner = (a + 1.25) * math.sqrt(a * a)
        t = inner * 2 + inner
        survey = _graph.Survey([t])
        math.evaluate(inner)
        context = _graph.in_use()
        plan = _graph.Plan(survey, context)
        got = plan.program(*[survey.leaves[i] for i in plan.inputs])
        np.testing.assert_allclose(got, np.float32(3 * (values("x") + 1.25) * np.abs(values("x"))), rtol=1e-6)


class Processes(Case):
    def test_pickle(self):
        waiting = named("b,x") * 2
        unlike = math.stack([named("x"), named("x").x[1:]], channel(k="u,v"))
        for t in (named("x,c"), waiting, math.zeros(x=3, dtype=int), math.wrap(True), math.wrap(2.5), unlike,
                  unlike * 2, math.expand(named("x"), batch(b=2)), named("x").x[::-1],
                  math.wrap(np.zeros((0, 2)), spatial("x,y")), math.wrap([1, 2], channel(vector="x,y"))):
            for again in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t)):
                self.assertEqual((again.shape, again.dtype, str(again)), (t.shape, t.dtype, str(t)))
        self.assertIs(pickle.loads(pickle.dumps(math.backend.NUMPY)), math.backend.NUMPY)
        for each in (extrapolation.ZERO, extrapolation.combine_sides(x=(1, extrapolation.BOUNDARY))):
            self.assertEqual(pickle.loads(pickle.dumps(each)), each)

    @unittest.skipUnless(hasattr(os, "fork"), "no fork")
    def test_fork(self):
        waiting = named("x") * 3 + 1
        expected = list(named("x") * 3 + 1)
        read, write = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of threads
            child = os.fork()
        if not child:
            with contextlib.suppress(BaseException):
                ok = list(waiting) == expected and len(list(math.random_uniform(x=3))) == 3
                ok = ok and float((named("x,y") * 1.5).sum) == float(values("x,y").astype(np.float32).sum() * 1.5)
                os.write(write, b"yes" if ok else b"no")
            os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        self.assertEqual(os.read(read, 9), b"yes")
        os.close(read)
        self.assertEqual(list(waiting), expected)


@unittest.skipUnless(hasattr(signal, "setitimer"), "no timers")
class Interrupted(Case):
    """Ctrl-C comes at any moment: what waits still waits, and can be computed."""

    def setUp(self):
        super().setUp()
        self.restore()
        self.addCleanup(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM))
        self.addCleanup(signal.setitimer, signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.default_int_handler)

    def test_a_long_run(self):
        x = math.wrap(np.linspace(0, 1, 300_000), spatial("x"))
        now = []

        def run():
            signal.setitimer(signal.ITIMER_REAL, 0.02, 0.5)  # again, should a finalizer have ignored the first
            while True:
                now[:] = [math.sum(math.sin(x) * math.cos(x) + math.exp(math.sin(x)))]
                now[0].numpy()
        for _ in range(10):
            self.assertRaises(KeyboardInterrupt, run)
            signal.setitimer(signal.ITIMER_REAL, 0)
            self.assertEqual((now[0] + 1).numpy(), now[0].numpy() + np.float32(1))

    def test_steps(self):
        def step(t):
            return math.clip(t * 0.5 + 0.1 * math.laplace(t) + math.mean(t), 0, 9)
        expected = [named("x", "float32")]
        for _ in range(300):
            expected.append(math.evaluate(step(expected[-1])))
        pick, now = random.Random(1), []

        def run():  # a signal between two turns of a loop may leave a with or try around the loop itself
            signal.setitimer(signal.ITIMER_REAL, pick.uniform(1e-4, 3e-3))
            for n in range(300):
                now[:] = step(now[0]), n + 1
            time.sleep(1)
        for _ in range(40):
            now[:] = expected[0], 0
            self.assertRaises(KeyboardInterrupt, run)
            t, n = now
            self.assertEqual(list(t), list(expected[n]))


class Backends(Case):
    def test_names(self):
        self.assertEqual([repr(each) for each in (math.backend.NUMPY, math.backend.TORCH, math.backend.JAX,
                                                  math.backend.CUPY)], ["NumPy", "PyTorch", "Jax", "CuPy"])
        self.assertIs(math.use("numpy"), math.backend.NUMPY)
        self.assertIs(math.use(math.NUMPY), math.backend.NUMPY)
        self.fails(ValueError, ["'tensorflow'", "numpy, torch, jax, cupy"], math.use, "tensorflow")
        self.fails(ValueError, ["3", "numpy"], math.backend.set_global_default_backend, 3)
        self.assertEqual(math.zeros(x=2).default_backend, math.NUMPY)

    def test_what_is_not_installed(self):
        for each in (math.backend.TORCH, math.backend.CUPY):
            if not each.is_available():
                self.fails(ImportError, ["pip install", str(each)], math.use, each)
                self.fails(ImportError, "pip install", each.__enter__)
                self.fails(ImportError, "pip install", math.convert, named("x"), each)
        self.assertIs(math.backend.default_backend(), math.NUMPY)

    def test_protocols_give_the_order(self):
        t = math.wrap(values("c,x"), channel("c"), spatial("x")) * 2
        self.assertEqual(np.asarray(t).shape, (4, 3))
        t = named("c,x")
        self.assertEqual((np.asarray(t).shape, np.from_dlpack(t).shape, np.asarray(t, np.float32).dtype.name),
                         ((3, 4), (3, 4), "float32"))
        np.testing.assert_array_equal(np.from_dlpack(math.expand(named("x"), batch(b=2))), np.stack([values("x")] * 2))


class Elsewhere:
    """Data of another library: `backend`, its `module`, and what its arrays are."""

    def setUp(self):
        super().setUp()
        self.library = optional(self.module)

    def array(self, values, dtype="float32"):
        return self.backend.of_numpy(np.array(values, dtype), None)

    def is_there(self, t):
        self.assertIs(t.default_backend, self.backend, t.shape)
        native = t.native(t.shape)
        self.assertIsInstance(native, self.kind_of_array())
        self.assertEqual(tuple(native.shape), t.shape.sizes)

    def test_operations_run_where_data_are(self):
        a = self.array(range(4))
        t = math.wrap(a, spatial("x"))
        mask = t > 1
        self.assertIs(t.default_backend, self.backend)
        for made in (
            t * 2,
            t + np.float32([1, 2, 3, 4]),
            named("x", "float32") + t,
            math.laplace(t),
            t.x[1:],
            t.x[0],
            math.stack([t, t], batch("b")),
            t.sum,
            math.expand(t, batch(b=2)),
            math.zeros_like(t),
            math.cumulative_sum(t, "x"),
            math.nonzero(t),
            math.boolean_mask(t, "x", mask),
            math.boolean_mask(t, "x", t > 9),
            math.expand(math.sin(1.0), spatial(x=4)).x[mask],
            math.ones(spatial(x=4)).x[mask],
            named("x").x[mask],
            math.nonzero(t > 9),
            math.to_int64(t.sum),
            math.cast(t, (float, 64)).sum,
            math.pack_dims(math.expand(t, batch(b=2)), "b,x", instance("p")),
            math.rename_dims(t, "x", "y"),
            t + 1,
            math.scatter(t, math.wrap([1], instance("i")), 2.0),
            math.gather(t, math.wrap([1, 0], instance("i"))),
            math.convolve(t, t),
            t.x[t > 1],
            math.copy(t),
            math.concat([t, t * 2], "x"),
        ):
            self.is_there(made)
        for made, expected in [(t * 2 + named("x", "float32"), np.arange(4) * 2 + values("x")), (t.x[[1, 0]], [1, 0]),
                               (math.pad(t, {"x": (1, 0)}), [0, 0, 1, 2, 3]), (math.cast(t / 2, int), [0, 0, 1, 1]),
                               (math.where(mask, t, 0), [0, 0, 2, 3]),
                               (math.sum(math.stack([t, t], batch("b"))), [6, 6]),
                               (math.linspace(t.x[0], t.x[2], spatial(z=3)), [0, 1, 2])]:
            self.same(made, expected)
            self.is_there(made)
        self.assertIsInstance(t.numpy(), np.ndarray)
        self.assertIs(t.native(), a)

    def test_creation(self):
        with self.backend:
            self.assertIs(math.backend.default_backend(), self.backend)
            made = [math.zeros(x=2), math.tensor([1, 2]), math.random_uniform(x=3), math.linspace(0, 1, spatial(x=3)),
                    math.range(spatial("x"), 3), math.meshgrid(x=2, y=2), math.vec(x=1.0, y=2.0), math.tensor(2.5),
                    math.ones(x=2) + 1, math.random_normal(x=2)]
            kept = math.wrap(np.ones(2), spatial("x"))
        for t in made:
            self.is_there(t)
        self.assertIs(kept.default_backend, math.NUMPY)
        for made in (math.sin(1.0), math.expand(math.sin(1.0), spatial(x=2)), math.nonzero(math.zeros(x=2))):
            with self.backend:
                self.is_there(made)
        self.assertEqual(math.tensor([1, 2]).default_backend, math.NUMPY)
        math.use(self.backend.name)
        self.assertIs(math.zeros(x=2).default_backend, self.backend)
        self.assertEqual(math.tensor([1, 2]).dtype, math.DType(int, 64))

    def test_convert(self):
        t = named("x,y")
        there = math.convert(t, self.backend.name)
        self.assertEqual((there.default_backend, there.dtype, there.shape), (self.backend, t.dtype, t.shape))
        self.same(math.convert(there, math.NUMPY), values("x,y"))
        self.assertIs(math.convert(t, math.NUMPY), t)
        for dtype in ("bool", "int8", "uint64", "float16", "float64"):
            t = math.wrap(np.array([1, 0, 1], dtype), spatial("x"))
            there = math.convert(t, self.backend)
            self.assertEqual(there.dtype, t.dtype)
            self.same(
                there * 1 if dtype != "bool" else there, t.numpy() if dtype != "float64" else np.float32([1, 0, 1])
            )

    def test_unlike(self):
        t = math.stack([math.wrap(self.array([1] * 2), spatial("x")), math.wrap(self.array([1] * 3), spatial("x"))],
                       batch("b"))
        self.assertIs((t * 2).default_backend, self.backend)
        self.is_there((t * 2).b[1])
        self.assertEqual(float(t.sum), 5)
        again = pickle.loads(pickle.dumps(math.wrap(self.array([1, 1]), spatial("x")) * 2))
        self.assertEqual(list(again), [2, 2])

    def test_another_library(self):
        torch, jax = optional("torch"), optional("jax.numpy")
        a, b = math.wrap(jax.ones(2), spatial("x")), math.wrap(torch.ones(2), spatial("x"))
        self.fails(TypeError, ["Jax", "PyTorch", "math.convert"], lambda: a + b)
        self.same(math.convert(a, self.backend) + math.convert(b, self.backend), [2, 2])


class WithJax(Elsewhere, Case):
    backend, module = math.backend.JAX, "jax"

    def kind_of_array(self):
        return self.library.Array


class WithTorch(Elsewhere, Case):
    backend, module = math.backend.TORCH, "torch"

    def kind_of_array(self):
        return self.library.Tensor

    def test_what_numpy_lacks(self):
        """Gradients are left, bfloat16 is kept."""
        a = self.library.ones(3, requires_grad=True)
        self.fails(weft.Error, ["detach"], (math.wrap(a, spatial("x")) * 2).native)
        half = math.wrap(self.library.ones(3, dtype=self.library.bfloat16), spatial("x"))
        self.assertEqual((half * 2).dtype, math.DType(float, 32))
        self.same(half * 2, [2, 2, 2])
        self.assertIs((half.x[1:]).native().dtype, self.library.bfloat16)


class Texts(Case):
    def test_evaluate(self):
        t, u = named("y,x"), named("x,vector", seed=1)
        made = weft.evaluate("u.vector[0] * t", t=t, u=u)
        self.assertIsInstance(made, math.Tensor)
        self.shaped(made, "(xˢ=4, yˢ=5)")
        self.same(made, array(u)[:, :1] * array(t).T)
        self.shaped(weft.evaluate("t + u", t=t, u=u), "(yˢ=5, xˢ=4, vectorᶜ=2)")
        labelled = math.vec(u=1.0, v=2.0)
        self.shaped(weft.evaluate("w.vector['v,u'] * 2", w=labelled), "(vectorᶜ=v,u)")
        self.assertEqual(float(weft.evaluate("sum(w)", w=labelled)), 3.0)
        x = named("x")
        self.same(weft.evaluate("sum(t, x) + mean(x)", t=t), array(t).sum(1) + array(x).mean())
        self.shaped(weft.evaluate("sum(t, x)", t=t), "(yˢ=5)")
        self.assertEqual(float(weft.evaluate("w.vector['v']", w=labelled, v=t, ignore_unused=True)), 2.0)
        b = named("b,x")
        self.same(weft.evaluate("b * u + k", b=b, u=u, k=2), array(b)[:, :, None] * array(u) + 2)
        both = weft.evaluate("a = t * 2; return a = a, b = sum(a)", t=t)
        self.same(both.a, array(t) * 2)
        self.shaped(weft.evaluate("t * 2", t=t * 1), "(yˢ=5, xˢ=4)")
        self.shaped(weft.evaluate("t * 2", t=math.stack([math.ones(x=2), math.ones(x=3)], batch("b"))),
                    "(bᵇ=2, xˢ=(2, 3) along bᵇ)")
        with self.assertRaises(weft.Error):
            weft.evaluate("t + v", t=t, v=np.ones(4))


if __name__ == "__main__":
    unittest.main()
