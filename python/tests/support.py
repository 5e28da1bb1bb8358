"""What the tests share."""
import gc
import importlib
import shutil
import tracemalloc
import unittest

import numpy as np

import weft


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unittest.SkipTest(f"{name} is not installed") from None


def numpy_peak(function):
    """The most memory that Python and NumPy asked for while a function ran."""
    gc.collect()
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def one_tier():
    """A context whose kernels are made once, by the C compiler or, where there is none, by libtcc."""
    return weft.Context(cache="", tier="none") if shutil.which("cc") else weft.Context(cache="", cc="libtcc")


def inputs():
    return np.arange(4.0), np.arange(4.0) + 10
