"""Calls in a row keep nothing: neither objects, nor memory, nor references to what they were given."""
import gc
import os
import sys
import tracemalloc
import unittest
import weakref

import numpy as np

import support
import weft

COUNT = int(os.environ.get("WEFT_LEAK_CALLS", "20000"))


def raises(call):
    try:
        call()
    except weft.Error:
        return
    raise AssertionError("no error")


class Leaks(unittest.TestCase):
    def grows(self, call, count=COUNT):
        """How many bytes of Python's and NumPy's memory are kept for each call."""
        for _ in range(100):
            call()
        gc.collect()
        tracemalloc.start()
        for _ in range(min(100, count)):
            call()  # the interpreter's lists of free objects, which the collection emptied
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(count):
            call()
        gc.collect()
        after = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return (after - before) / count

    def check(self, call, count=COUNT):
        """What leaks grows each time; the interpreter's own lists do once in a while."""
        growths = [self.grows(call, count)]
        while growths[-1] >= 1 and len(growths) < 4:
            growths.append(self.grows(call, count))
        self.assertLess(growths[-1], 1, growths)

    def test_calls(self):
        x, out = np.arange(4.0), np.empty(4)
        f, g = weft.compile("x + y"), weft.compile("return x + k, x * k")
        self.check(lambda: f(x, x))
        self.check(lambda: f(x=x, y=x, out=out))
        self.check(lambda: g(x, 2.0))
        self.check(lambda: weft.evaluate("x + 1", x=x))

    def test_errors(self):
        x, y = np.arange(4.0), np.arange(3.0)
        f = weft.compile("x + y")
        self.check(lambda: raises(lambda: f(x, y)), COUNT // 10)
        self.check(lambda: raises(lambda: f(x, "text")), COUNT // 10)
        self.check(lambda: raises(lambda: weft.evaluate("sqart(x)")), COUNT // 10)
        self.check(lambda: raises(lambda: weft.evaluate("x + y", x=np.int32([1]), y=1e39)), COUNT // 10)

    def test_batches(self):
        xs = [np.ones(2), np.ones(3)]
        f = weft.compile("x + 1")
        self.check(lambda: f(xs), COUNT // 10)

    def test_programs_and_contexts(self):
        x = np.arange(4.0)
        self.check(lambda: weft.compile("x + 1")(x), COUNT // 10)
        self.check(lambda: weft.Context(cc="libtcc", cache="").close(), COUNT // 200)

    def test_references(self):
        x, f = np.arange(4.0), weft.compile("x + 1")
        f(x)
        count = sys.getrefcount(x)
        for _ in range(10):
            f(x)
            f(x, out=x)
            raises(lambda: f(x, x))
        self.assertEqual(sys.getrefcount(x), count)

    def test_context_goes_with_its_programs(self):
        context = weft.Context(cc="libtcc", cache="")
        f = weft.compile("x + k", context=context)
        f(np.arange(4.0), 2)
        weft.evaluate("x + 3", x=np.arange(4.0), context=context)
        before = sys.getrefcount(weft.Context)
        del f, context
        gc.collect()
        self.assertEqual(sys.getrefcount(weft.Context), before - 1)


if __name__ == "__main__":
    unittest.main()
