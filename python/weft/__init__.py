"""Weft: array expressions compiled to fused kernels.

>>> import numpy, weft
>>> img = numpy.array([[10, 20, 30], [180, 190, 200]], numpy.uint8)
>>> weft.evaluate("uint8(img * gain + 3)", img=img, gain=1.25)
array([[ 16,  28,  40],
       [228, 240, 253]], dtype=uint8)

evaluate computes a text, compile makes a function of it. The language is described in docs/language.md.
"""
from weft._errors import Error, Remark, Status
from weft._results import Results
from weft._weft import Context, __version__, evaluate, kernels
from weft._program import Program, compile
from weft._trace import Trace, Traced
from weft._use import default_context, use

__all__ = ["Context", "Error", "Program", "Remark", "Results", "Status", "Trace", "Traced", "compile",
           "default_context", "evaluate", "kernels", "use"]


def __getattr__(name):
    """The modules weft.numexpr, weft.dask and weft.xarray are imported when they are used."""
    if name not in ("numexpr", "dask", "xarray", "math"):
        instead = {"run": "evaluate(text, x=x)", "eval": "evaluate(text, x=x)",
                   "trace": "compile(text).trace(x=x)"}.get(name)
        hint = f"; write weft.{instead}" if instead else ""
        raise AttributeError(f"module 'weft' has no attribute {name!r}{hint}")
    import importlib
    return importlib.import_module(f"weft.{name}")
