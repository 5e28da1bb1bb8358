"""Tensors with named dimensions: PhiFlow's phi.math over fused kernels.

>>> from weft import math
>>> from weft.math import batch, channel, spatial
>>> u = math.wrap([[1.0, 2.0], [3.0, 4.0]], spatial("y,x"))
>>> math.mean(u, "x")
(1.500, 3.500) along yˢ float64

docs/math.md is the guide; docs/named.md says what names mean.
"""
import difflib
from typing import TYPE_CHECKING

from weft.math import _evaluate as _evaluate
from weft.math import _xarray as _xarray
from weft.math import backend, extrapolation
from weft.math._backends import NUMPY, set_global_default_backend, use
from weft.math._explain import explain
from weft.math._functions import (INF, NAN, PI, abs, all, any, arccos, arccosh, arcsin, arcsinh, arctan, arctan2,
                                  arctanh, assert_close, cast, cbrt, ceil, clip, close, copysign, cos, cosh,
                                  cumulative_sum, erf, erfc, exp, exp2, expm1, finite_max, finite_mean, finite_min,
                                  finite_prod, finite_std, finite_sum, floor, hypot, isfinite, isinf, isnan, linspace,
                                  log, log1p, log2, log10, max, maximum, mean, meshgrid, min, minimum, ones, ones_like,
                                  prod, random_normal, random_uniform, round, rsqrt, seed, sign, sin, sinh, sqrt, std,
                                  sum, tan, tanh, to_float, to_int, to_int32, to_int64, trunc, vec, where, zeros,
                                  zeros_like)
from weft.math._functions import arange as range
from weft.math._neighbours import (boolean_mask, convolve, divergence, gather, grid_sample, laplace, nonzero, pad,
                                   scatter, shift, spatial_gradient)
from weft.math._shapes import (EMPTY_SHAPE, IncompatibleShapes, Shape, batch, channel, concat_shapes, instance,
                               merge_shapes, non_batch, non_channel, non_instance, non_spatial, shape, spatial)
from weft.math._structure import (concat, convert, copy, evaluate, expand, join_spaces, pack_dims, rename_dims,
                                  reshaped_tensor, stack, unpack_dim, unstack)
from weft.math._making import tensor, wrap
from weft.math._tensors import BoundDim, Tensor
from weft.math._types import DType, get_precision, precision, set_global_precision

__all__ = ["EMPTY_SHAPE", "INF", "NAN", "NUMPY", "PI", "BoundDim", "DType", "IncompatibleShapes", "Shape", "Tensor",
           "abs", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
           "assert_close", "backend", "batch", "boolean_mask", "cast", "cbrt", "ceil", "channel", "clip", "close",
           "concat", "concat_shapes", "convert", "convolve", "copy", "copysign", "cos", "cosh", "cumulative_sum",
           "divergence", "erf", "erfc", "evaluate", "exp", "exp2", "expand", "explain", "expm1", "extrapolation",
           "finite_max", "finite_mean", "finite_min", "finite_prod", "finite_std", "finite_sum", "floor", "gather",
           "get_precision", "grid_sample", "hypot", "instance", "isfinite", "isinf", "isnan", "join_spaces", "laplace",
           "linspace", "log", "log10", "log1p", "log2", "max", "maximum", "mean", "merge_shapes", "meshgrid", "min",
           "minimum", "non_batch", "non_channel", "non_instance", "non_spatial", "nonzero", "ones", "ones_like",
           "pack_dims", "pad", "precision", "prod", "random_normal", "random_uniform", "range", "rename_dims",
           "reshaped_tensor", "round", "rsqrt", "scatter", "seed", "set_global_default_backend", "set_global_precision",
           "shape", "shift", "sign", "sin", "sinh", "spatial", "spatial_gradient", "sqrt", "stack", "std", "sum", "tan",
           "tanh", "tensor", "to_float", "to_int", "to_int32", "to_int64", "trunc", "unpack_dim", "unstack", "use",
           "vec", "where", "wrap", "zeros", "zeros_like"]

_TEXT = "weft.evaluate('{}', t=t) is one"
_HINTS = {
    **{name: _TEXT.format(f"{name}(t, x)")
       for name in ("argmax", "argmin", "count_nonzero", "logsumexp", "norm", "softmax", "var")},
    "append": "math.concat([a, b], 'x') is one",
    "concatenate": "math.concat([a, b], 'x') is one",
    "einsum": "names match: math.sum(a * b, 'x') is the sum of products over x",
    "flatten": "math.pack_dims(t, 'y,x', math.instance('all')) is one",
    "flip": "t.x[::-1] is one",
    "histogram": "math.scatter(math.zeros(bins), positions, 1, mode='add') counts",
    "map": "operations are elementwise, math.sqrt(t); functions of Python take t.numpy('y,x')",
    "matmul": "a.x * b is the sum of products over x",
    "median": "there is no sorting; numpy.median(t.numpy('y,x')) is one",
    "quantile": "there is no sorting; numpy.quantile(t.numpy('y,x'), q) is one",
    "reshape": "math.pack_dims and math.unpack_dim change dimensions by name",
    "roll": "math.concat([t.x[-1:], t.x[:-1]], 'x') is one",
    "slice": "t.x[1:-1] is one",
    "sort": "there is no sorting; numpy.sort(t.numpy('y,x'), axis=0) is one",
    "transpose": "dimensions have names; t.numpy('y,x') puts them in an order",
    "dot": "a.x * b is the sum of products over x",
    "fft": "there are no transforms",
    "functional_gradient": "there is no automatic differentiation",
    "gradient": "there is no automatic differentiation; math.spatial_gradient is the difference of neighbours",
    "ifft": "there are no transforms",
    "jit_compile": "programs are compiled and kept as they are; call the function itself",
    "l1_loss": "math.sum(math.abs(t)) is one",
    "l2_loss": "math.sum(t ** 2) / 2 is one",
    "minimize": "there are no solvers",
    "print": "print(f'{t:full}') shows all values",
    "solve_linear": "there are no solvers",
    "vec_length": "math.sqrt(v.vector * v) is the length along vector",
    "vec_squared": "v.vector * v is the sum of squares along vector",
}

if not TYPE_CHECKING:
    def __getattr__(name):
        near = difflib.get_close_matches(name, __all__, 1)
        other = f"did you mean {near[0]}?" if near else "docs/math.md says what of phi.math is not there"
        hint = _HINTS.get(name, other)
        raise AttributeError(f"weft.math has no {name!r}; {hint}")

for _public in (BoundDim, DType, IncompatibleShapes, Shape, Tensor):
    _public.__module__ = __name__
