"""Tensors with named dimensions: PhiFlow's phi.math over fused kernels.

>>> from weft import math
>>> from weft.math import batch, channel, spatial
>>> u = math.wrap([[1.0, 2.0], [3.0, 4.0]], spatial("y,x"))
>>> math.mean(u, "x")
(1.500, 3.500) along yˢ float64

docs/math.md is the guide; docs/named.md says what names mean.
"""
from weft.math import backend, extrapolation
from weft.math._backends import NUMPY, set_global_default_backend, use
from weft.math._explain import explain
from weft.math._functions import (INF, NAN, PI, abs, all, any, arccos, arccosh, arcsin, arcsinh, arctan, arctan2, arctanh,
                                  assert_close, cast, cbrt, ceil, clip, close, copysign, cos, cosh, cumulative_sum, erf,
                                  erfc, exp, exp2, expm1, finite_max, finite_mean, finite_min, finite_prod, finite_std,
                                  finite_sum, floor, hypot, isfinite, isinf, isnan, linspace, log, log1p, log2, log10,
                                  max, maximum, mean, meshgrid, min, minimum, ones, ones_like, prod, random_normal,
                                  random_uniform, round, rsqrt, seed, sign, sin, sinh, sqrt, std, sum, tan, tanh, to_float,
                                  to_int, to_int32, to_int64, trunc, vec, where, zeros, zeros_like)
from weft.math._functions import arange as range
from weft.math._neighbours import (boolean_mask, convolve, divergence, gather, grid_sample, laplace, nonzero, pad, scatter,
                                   shift, spatial_gradient)
from weft.math._shapes import (EMPTY_SHAPE, IncompatibleShapes, Shape, batch, channel, concat_shapes, instance,
                               merge_shapes, non_batch, non_channel, non_instance, non_spatial, shape, spatial)
from weft.math._structure import (concat, convert, copy, evaluate, expand, join_spaces, pack_dims, rename_dims,
                                  reshaped_tensor, stack, unpack_dim, unstack)
from weft.math._tensors import BoundDim, Tensor, tensor, wrap
from weft.math._types import DType, get_precision, precision, set_global_precision
from weft.math import _evaluate as _evaluate
from weft.math import _xarray as _xarray

__all__ = ["abs", "all", "any", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
           "assert_close", "backend", "batch", "boolean_mask", "BoundDim", "cast", "cbrt", "ceil", "channel", "clip",
           "close", "concat", "concat_shapes", "convert", "convolve", "copy", "copysign", "cos", "cosh",
           "cumulative_sum", "divergence", "DType", "EMPTY_SHAPE", "erf", "erfc", "evaluate", "exp", "exp2", "expand",
           "explain", "expm1", "extrapolation", "finite_max", "finite_mean", "finite_min", "finite_prod", "finite_std",
           "finite_sum", "floor", "gather", "get_precision", "grid_sample", "hypot", "IncompatibleShapes", "INF",
           "instance", "isfinite", "isinf", "isnan", "join_spaces", "laplace", "linspace", "log", "log10", "log1p",
           "log2", "max", "maximum", "mean", "merge_shapes", "meshgrid", "min", "minimum", "NAN", "non_batch",
           "non_channel", "non_instance", "non_spatial", "nonzero", "NUMPY", "ones", "ones_like", "pack_dims", "pad",
           "PI", "precision", "prod", "random_normal", "random_uniform", "range", "rename_dims", "reshaped_tensor",
           "round", "rsqrt", "scatter", "seed", "set_global_default_backend", "set_global_precision", "Shape", "shape",
           "shift", "sign", "sin", "sinh", "spatial", "spatial_gradient", "sqrt", "stack", "std", "sum", "tan", "tanh",
           "Tensor", "tensor", "to_float", "to_int", "to_int32", "to_int64", "trunc", "unpack_dim", "unstack", "use",
           "vec", "where", "wrap", "zeros", "zeros_like"]
