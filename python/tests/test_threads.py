"""Threads, forks, signals, subinterpreters."""
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy as np

import weft

LONG = "sum(sin(x) * cos(x) + exp(sin(x)))"


def long_run():
    """A program and an input that it takes about a second for with libtcc, less with a good compiler."""
    f = weft.compile(LONG)
    x = np.linspace(0, 1, 1000)
    f(x)
    start = time.perf_counter()
    x = np.linspace(0, 1, 1_000_000)
    f(x)
    return f, np.linspace(0, 1, int(1_000_000 * max(1, 0.5 / (time.perf_counter() - start))))


class Threads(unittest.TestCase):
    def test_gil_is_released(self):
        """While one thread runs, this one counts."""
        f, x = long_run()
        thread = threading.Thread(target=f, args=(x,))
        turns = 0
        thread.start()
        while thread.is_alive():
            time.sleep(0.001)
            turns += 1
        self.assertGreater(turns, 4)

    def test_one_program(self):
        """Shapes, dtypes and numbers change under all threads at once."""
        f = weft.compile("x * k + 1")
        wrong = []

        def work(seed):
            for i in range(300):
                x = np.full((seed + i % 7,), i, (np.float32, np.float64, np.int16)[i % 3])
                if not np.array_equal(f(x, i % 40), x * (i % 40) + 1):
                    wrong.append((seed, i))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_evaluate(self):
        wrong = []

        def work(seed):
            x = np.arange(5.0)
            for i in range(60):
                if not np.array_equal(weft.evaluate(f"x + {i % 15}"), x + i % 15):
                    wrong.append((seed, i))

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_use_is_of_a_thread(self):
        context, seen = weft.Context(threads=1), []
        with weft.use(context):
            thread = threading.Thread(target=lambda: seen.append(weft.compile("x").context))
            thread.start()
            thread.join()
        self.assertIs(seen[0], weft.default_context())


def child(queue):
    x = np.arange(1000.0)
    queue.put(float(weft.evaluate("sum(x * 3)")))


class Processes(unittest.TestCase):
    def test_fork(self):
        weft.evaluate("x * 2", x=np.arange(3.0))
        before = weft.default_context()
        method = multiprocessing.get_context("fork")
        queue = method.Queue()
        processes = [method.Process(target=child, args=(queue,)) for _ in range(3)]
        for process in processes:
            process.start()
        results = [queue.get(timeout=60) for _ in processes]
        for process in processes:
            process.join(60)
        self.assertEqual(results, [1498500.0] * 3)
        self.assertEqual([process.exitcode for process in processes], [0] * 3)
        self.assertIs(weft.default_context(), before)

    def run_python(self, code):
        return subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True,
                              timeout=120)

    def test_interrupt(self):
        """Ctrl-C during a run becomes KeyboardInterrupt when it is done, and the next call works."""
        f, x = long_run()
        self.addCleanup(signal.signal, signal.SIGINT, signal.getsignal(signal.SIGINT))
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            f(x)
            time.sleep(5)
        timer.join()
        np.testing.assert_array_equal(weft.evaluate("y + 1", y=np.arange(3)), [1, 2, 3])

    def test_subinterpreter(self):
        code = """
            import numpy, weft
            try:
                import _interpreters as interpreters
            except ImportError:
                import _xxsubinterpreters as interpreters
            import sys
            paths = sys.path
            one = interpreters.create(*(["legacy"] if sys.version_info >= (3, 13) else []))
            try:
                result = interpreters.run_string(one, f"import sys; sys.path = {paths!r}\\nimport weft._weft")
                print(result)
            except Exception as error:
                print(error)
            """
        result = self.run_python(code)
        self.assertRegex(result.stdout + result.stderr, "main interpreter|subinterpreter")
        self.assertEqual(result.returncode, 0)

    def test_exit_while_compiling(self):
        result = self.run_python("""
            import numpy as np, weft
            x = np.ones(5)
            for i in range(5):
                weft.evaluate(f"x * {i} + sin(x)" + " * x" * i)
            """)
        self.assertEqual((result.returncode, result.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
