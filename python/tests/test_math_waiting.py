"""When values of weft.math come: what compiles, what runs, how much waits; threads, processes, backends, texts."""
import concurrent.futures
import multiprocessing
import os
import pickle
import threading
import unittest
import warnings

import numpy as np

import support
import weft
from support_math import Case, array, named, values
from weft import math
from weft.math import backend, batch, channel, instance, spatial
from weft.math.extrapolation import PERIODIC, ConstantExtrapolation

STEPS = int(os.environ.get("WEFT_MATH_STEPS", "3000"))  # 100000 tries all


class Waiting(Case):
    def test_operations_compute_nothing(self):
        t = named("x,y")
        made = math.sum(math.sqrt(abs(t * 2 + 1)), "x") / math.mean(t)
        math.laplace(t, padding=PERIODIC) + math.spatial_gradient(t).gradient["x"]
        math.gather(t, math.wrap([[1, 2]], instance("p"), channel("vector")))
        self.assertEqual((self.counts.programs, self.counts.runs), (0, 0))
        self.assertEqual((made.shape, made.dtype), (spatial(y=5), math.DType(float)))
        list(made)
        self.assertEqual(self.counts.runs, 1)

    def test_what_needs_values(self):
        for function in (str, repr, "{:full}".format, lambda t: t.native(), lambda t: t.numpy(), np.asarray, list,
                         lambda t: math.close(t, t), math.evaluate, math.copy, pickle.dumps, np.from_dlpack,
                         lambda t: math.cumulative_sum(t, "x"), lambda t: math.nonzero(t), lambda t: t.x.unstack(),
                         lambda t: math.boolean_mask(t, "x", named("x") > 0),
                         lambda t: math.scatter(t, math.wrap([0], instance("p")), 1)):
            t = named("x") * 3 + 1
            self.counts.runs = 0
            function(t)
            self.assertGreater(self.counts.runs, 0, function)
            list(t)
            before = self.counts.runs
            list(t), repr(t), t.numpy()
            self.assertEqual(self.counts.runs, before, "the value is kept")
        for function in (int, float, bool):
            t = math.sum(named("x"))
            self.counts.runs = 0
            function(t), function(t)
            self.assertEqual(self.counts.runs, 1)

    def test_evaluate_is_one_program(self):
        t = named("x")
        common = math.sin(t)
        a, b, c = common + 1, common * 2, math.sum(common)
        made = math.evaluate(a, b, c)
        self.assertEqual((self.counts.runs, [each is one for each, one in zip(made, (a, b, c))]), (1, [True] * 3))
        self.assertIs(math.evaluate(a), a)
        self.same(a, np.sin(array(t).astype(np.float32)) + 1, tolerance=1e-6)

    def test_one_kernel_between_reductions(self):
        t = named("x,y")
        waits = math.where(t > 0, math.clip(t * 2 + 1, 0, 3), t.x[::-1]) + math.pad(t, {"x": (1, -1)}, 2)
        text = str(math.explain(waits))
        self.assertEqual(text.count("kernel for"), 1, text)
        self.assertEqual(str(math.explain(math.sum(t * 2 + 1, "x") * 3)).count("kernel for"), 1)
        self.assertEqual(self.counts.runs, 0, "explaining computes nothing")

    def test_a_bad_operation_is_an_error_where_it_is_written(self):
        t = named("x") + 1
        for wrong in (lambda: t + named("x", x=3), lambda: t & 1, lambda: t.x[9], lambda: math.sum(t, 5)):
            self.assertRaises((ValueError, TypeError, IndexError), wrong)
        self.assertEqual(self.counts.runs, 0)

    def test_late_errors_come_where_values_are_needed(self):
        late = math.gather(named("x"), math.wrap([9], instance("p"))) + 1
        for function in (repr, list, lambda t: t.numpy(), math.evaluate):
            self.assertRaises(IndexError, function, late)
        self.restore()
        t = math.wrap([4, 6], spatial("x")) // math.wrap([0, 2], spatial("x"))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            self.assertEqual(list(t), [0, 3])
        self.assertEqual([each.category for each in said], [weft.Remark])
        self.assertEqual(said[0].filename, __file__)


class Compiled(Case):
    """Equal programs compile once."""

    def programs(self, function, *cases):
        """How many programs the second and later cases make."""
        function(*cases[0])
        before = self.counts.programs
        for case in cases[1:]:
            function(*case)
        return self.counts.programs - before

    def test_numbers_compile_nothing(self):
        def step(dt, n):
            return list(math.clip(named("x") * dt + n, -n, n) ** 2)
        self.assertEqual(self.programs(step, (0.5, 2), (0.25, 3), (7.5, 100), (-1.0, 0), (float("inf"), 5)), 0)

    def test_seeds_and_constants_compile_nothing(self):
        def step(seed, outside, position):
            math.seed(seed)
            t = math.random_uniform(x=5) + math.random_normal(x=5)
            return list(math.pad(t, {"x": (1, 1)}, ConstantExtrapolation(outside)).x[position] +
                        math.shift(t, (1,), padding=outside, stack_dim=None)[0])
        self.assertEqual(self.programs(step, (0, 0.5, 1), (1, 2.5, 3), (2**40, -1.0, 4)), 0)

    def test_labels_and_sizes_compile_nothing(self):
        def step(names, sizes):
            t = math.wrap(np.ones((sizes, 2)), spatial("x"), channel(vector=names))
            return list(math.sum(t * [1, 2], "vector") + math.laplace(t).vector[0])
        self.assertEqual(self.programs(step, ("x,y", 4), ("u,v", 4), ("a b,c", 9), ("p,q", 2)), 0)

    def test_names_share_kernels(self):
        """Another name makes another text; its kernels come from memory."""
        def program(name):
            t = math.wrap(np.ones((3, 4), np.float32), spatial(f"x,{name}"))
            math.evaluate(t * 2 + math.sum(t, name))
            return self.counts.texts[-1]
        programs = [weft.compile(program(name), types={"a0": f"(x:s, {name}:s)"}) for name in ("y", "z", "q")]
        a = np.ones((3, 4), np.float32)
        made = [each.prepare(**{name: a if name[0] == "a" else 2 for name in each.inputs}) for each in programs]
        self.assertEqual({kernel[0] for kernels in made[1:] for kernel in kernels}, {"memory"})

    def test_a_loop_compiles_a_few(self):
        def run():
            t = math.evaluate(named("x,y"))
            for i in range(300):
                t = t + 0.1 * math.laplace(t, padding=PERIODIC) - i
            return t.numpy("x,y")
        first = run()
        before = self.counts.programs
        np.testing.assert_array_equal(run(), first)
        self.assertEqual(self.counts.programs, before)
        self.assertLess(before, 10)


class Long(Case):
    def test_steps(self):
        a, b = np.float32([0, 1, 2, 3]), np.float32([0.1, 0.2, 0.3, 0.4])
        t, u = math.wrap(a, spatial("x")), math.wrap(b, spatial("x"))
        for _ in range(STEPS):
            t = t * 0.5 + u
            a = a * np.float32(0.5) + b
        self.same(t, a)

    def test_memory_is_bounded(self):
        def run(steps):
            t, u = math.wrap(np.zeros(1000, np.float32), spatial("x")), math.wrap(np.ones(1000, np.float32),
                                                                                  spatial("x"))
            for _ in range(steps):
                t = t * 0.5 + u
            t.numpy()
        self.restore()  # what checks keeps nothing, but takes memory
        run(500)
        few, many = support.numpy_peak(lambda: run(200)), support.numpy_peak(lambda: run(2000))
        self.assertLess(many, few + 200_000)

    def test_what_is_shared_is_not_computed_again(self):
        t = named("x")
        for _ in range(100):
            t = t + t
        self.assertTrue(np.isfinite(t.numpy()).all())
        t = named("x")
        for _ in range(100):
            t = math.sqrt(t * t + 1) - t * 0.25
        self.assertLess(self.counts.runs, 60)

    def test_computing_early_changes_no_bit(self):
        def run(early):
            t = named("b,x,y")
            for i in range(40):
                t = math.sin(t) * 0.9 + math.mean(t, "x") * 0.1 - math.shift(t, (1,), "y", stack_dim=None)[0] / (i + 3)
                if early:
                    math.evaluate(t)
            return t.numpy("b,x,y")
        np.testing.assert_array_equal(run(False), run(True))

    def test_a_wrapped_array_may_change_after_evaluation(self):
        a = np.ones(3)
        t = math.evaluate(math.wrap(a, spatial("x")) * 2)
        a[:] = 9
        self.same(t, [2, 2, 2])


def child_process(queue, t):
    queue.put((list(t), list(t + 1), math.sum(math.wrap(np.ones(5), spatial("x"))).numpy().item()))


class Shared(Case):
    def test_threads_share_tensors(self):
        self.restore()
        t = named("x,y")
        for _ in range(20):
            waits = math.sum(math.sin(t) + t * 2, "x")
            after = [waits + i for i in range(8)]
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                made = list(pool.map(lambda each: each.numpy(), after))
                again = list(pool.map(lambda _: waits.numpy(), range(8)))
            for i, each in enumerate(made):
                np.testing.assert_allclose(each, again[0] + np.float32(i), rtol=1e-6)
            self.assertEqual(len({each.tobytes() for each in again}), 1)

    def test_threads_count_random_calls_together(self):
        math.seed(3)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = list(pool.map(lambda _: tuple(math.random_uniform(x=4)), range(16)))
        math.seed(3)
        self.assertEqual(sorted(made), sorted(tuple(math.random_uniform(x=4)) for _ in range(16)))

    def test_backends_are_of_the_thread(self):
        seen = []
        with backend.NUMPY:
            thread = threading.Thread(target=lambda: seen.append(backend.default_backend()))
            thread.start()
            thread.join()
        self.assertEqual(seen, [math.NUMPY])

    def test_fork(self):
        self.restore()
        t = named("x") * 2
        context = multiprocessing.get_context("fork")
        queue = context.SimpleQueue()
        list(t + 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # other tests' threads
            process = context.Process(target=child_process, args=(queue, t))
            process.start()
        got = queue.get()
        process.join()
        self.assertEqual(got, (list(t), list(t + 1), 5.0))


class Backends(Case):
    def test_names(self):
        self.assertEqual([repr(each) for each in (backend.NUMPY, backend.TORCH, backend.JAX, backend.CUPY)],
                         ["NumPy", "PyTorch", "Jax", "CuPy"])
        self.assertIs(math.NUMPY, backend.NUMPY)
        self.assertIs(backend.default_backend(), backend.NUMPY)
        self.assertIs(math.use("numpy"), math.NUMPY)
        self.assertIs(math.use(backend.NUMPY), math.NUMPY)
        self.fails(ValueError, ["'tensorflow'", "numpy, torch, jax, cupy"], math.use, "tensorflow")
        self.assertIs(pickle.loads(pickle.dumps(backend.JAX)), backend.JAX)
        with backend.NUMPY as within:
            self.assertIs(within, backend.default_backend())
        for each in (backend.TORCH, backend.JAX, backend.CUPY):
            if not each.is_available():
                for function in (math.use, math.set_global_default_backend, lambda b: math.convert(named("x"), b),
                                 lambda b: b.__enter__()):
                    self.fails(ImportError, [repr(each), "pip install"], function, each)
        self.assertIs(backend.default_backend(), backend.NUMPY)

    def test_jax(self):
        support.optional("jax")
        import jax
        here = math.wrap(jax.numpy.asarray(values("x,y", np.float32)), spatial("x,y"))
        self.assertEqual(repr(here.default_backend), "Jax")
        a = values("x,y", np.float32)
        for made, expected in [(here + 1, a + 1), (here + named("x,y", np.float32), a + a),
                               (named("x,y", np.float32) * here, a * a), (here.x[1:], a[1:]), (here.x[0], a[0]),
                               (here.x[[1, 0]], a[[1, 0]]),
                               (math.pad(here, {"x": (1, 0)}), np.pad(a, [(1, 0), (0, 0)])),
                               (math.stack([here, here], batch("b")), np.stack([a, a])), (here * 2 - 1, a * 2 - 1),
                               (math.expand(here, batch(b=2)), np.stack([a, a])), (math.copy(here), a),
                               (math.cast(here, int), np.trunc(a)),
                               (math.where(here > 0, here, 0), np.where(a > 0, a, 0))]:
            self.same(made, expected)
            self.assertEqual(repr(made.default_backend), "Jax")
            self.assertIsInstance(made.native(made.shape), jax.Array)
        self.same(math.sum(here, "x"), a.sum(0), tolerance=1e-6)
        self.assertEqual(repr(math.linspace(here.x[0], here.x[1], spatial(z=3)).default_backend), "Jax")
        self.assertIsInstance(math.sum(here).native(), jax.Array)
        self.assertIsInstance(here.numpy("y,x"), np.ndarray)
        np.testing.assert_array_equal(here.native("y,x"), a.T)
        back = math.convert(here, math.NUMPY)
        self.assertEqual((repr(back.default_backend), repr(math.convert(back, backend.JAX).default_backend)),
                         ("NumPy", "Jax"))
        self.assertIs(math.convert(here, backend.JAX), here)
        self.same(back, a)
        self.assertEqual(repr(pickle.loads(pickle.dumps(here + 1)).shape), "(xˢ=4, yˢ=5)")

    def test_jax_as_the_default(self):
        support.optional("jax")
        with backend.JAX:
            for made in (math.tensor(np.ones(2, np.float32)), math.zeros(x=2), math.random_uniform(x=2),
                         math.linspace(0, 1, spatial(x=3)), math.range(spatial("x"), 3), math.meshgrid(x=2),
                         math.vec(x=1, y=2), math.tensor(1.5), math.ones(x=2) + 1, math.zeros()):
                self.assertEqual(repr(made.default_backend), "Jax")
                repr(made)
                self.assertEqual(repr(made.default_backend), "Jax")
            self.assertEqual(repr(math.wrap(np.ones(2)).default_backend), "NumPy")
        self.assertEqual(repr(math.zeros(x=2).default_backend), "NumPy")
        math.use("jax")
        self.assertEqual(repr(math.zeros(x=2).default_backend), "Jax")
        math.use("numpy")

    def test_jax_parts(self):
        support.optional("jax")
        import jax
        t = math.stack([math.wrap(jax.numpy.ones(n), spatial("x")) for n in (2, 3)], batch("k"))
        self.assertEqual(repr((t + 1).default_backend), "Jax")
        self.same(math.sum(t * 2), [4, 6])

    def test_two_others_are_an_error(self):
        support.optional("jax")
        support.optional("torch")
        import jax
        import torch
        a, b = math.wrap(jax.numpy.ones(2), spatial("x")), math.wrap(torch.ones(2), spatial("x"))
        self.fails(TypeError, ["Jax", "PyTorch", "math.convert"], lambda: a + b)


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
        both = weft.evaluate("a = t * 2; return a = a, b = sum(a)", t=t)
        self.same(both.a, array(t) * 2)
        self.shaped(weft.evaluate("t * 2", t=t * 1), "(yˢ=5, xˢ=4)")
        with self.assertRaises(weft.Error):
            weft.evaluate("t + v", t=t, v=np.ones(4))


if __name__ == "__main__":
    unittest.main()
