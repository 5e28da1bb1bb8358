"""What weft.math prints: every layout, token, dtype and colour, as texts."""
import unittest

import numpy as np

from support import optional
from weft.math import _printing

KINDS = {"b": "batch", "i": "instance", "s": "spatial", "c": "channel"}
NAN, INF = np.nan, np.inf


def dims_of(text):
    """Dimensions from "b:b=2 x:s vector:c=x,y"; a label alone ends with a comma."""
    dims = []
    for word in text.split():
        name, rest = word.split(":")
        kind, _, value = rest.partition("=")
        labels = tuple(value.rstrip(",").split(",")) if value and not value.isdigit() else None
        dims.append((name, KINDS[kind], len(labels) if labels else int(value) if value else None, labels))
    return dims


def count(text, dtype, first=0):
    """first, first + 1, .. in the sizes of the dimensions."""
    sizes = [size for _, _, size, _ in dims_of(text)]
    return np.arange(first, first + int(np.prod(sizes))).reshape(sizes).astype(dtype)


SHAPES = [
    ("", "()"),
    ("x:s=4", "(xˢ=4)"),
    ("x:s", "(xˢ=None)"),
    ("x:s=0", "(xˢ=0)"),
    ("b:b=2 p:i=3 x:s=4 v:c=5", "(bᵇ=2, pⁱ=3, xˢ=4, vᶜ=5)"),
    ("x:s=4 vector:c=x,y", "(xˢ=4, vectorᶜ=x,y)"),
    ("vector:c=x,y x:s=4", "(vectorᶜ=x,y, xˢ=4)"),
    ("v:c=one,", "(vᶜ=one)"),
    ("v:c=a,b,c,d", "(vᶜ=a,b,c,d)"),
    ("v:c=a,b,c,d,e", "(vᶜ=5:a..e)"),
    ("v:c=alpha,b,c,d,e,omega", "(vᶜ=6:alpha..omega)"),
    ("b:b=u,v", "(bᵇ=u,v)"),
]

VARYING = [
    ([("a", "spatial", ((4, 5), ("c", "channel")), None), ("c", "channel", 2, None)],
     "(aˢ=(4, 5) along cᶜ, cᶜ=2)"),
    ([("b", "batch", 2, ("u", "v")), ("p", "instance", ((1, 0), ("b", "batch")), None)],
     "(bᵇ=u,v, pⁱ=(1, 0) along bᵇ)"),
    ([("b", "batch", 1, None), ("x", "spatial", ((7,), ("b", "batch")), None)], "(bᵇ=1, xˢ=(7) along bᵇ)"),
    ([("k", "channel", 0, ())], "(kᶜ=0)"),
]

ZEROES = [0.0] * 8
PAGE = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]

# dimensions, values, specification, text; the precision is 32 and floats are float32 where nothing else is said
F32 = [
    # rank 0
    ("", 1.5, "", "1.5"),
    ("", 0.1, "summary", "0.1"),
    ("", 0.1, "summary:.5f", "0.1"),
    ("", 1e-9, "", "1e-09"),
    ("", NAN, "", "nan"),
    ("", -INF, "", "-inf"),
    ("", 1.5, "shape", "() 1.5"),
    ("", 1.5, "dtype:shape", "() float32 1.5"),
    ("", 1.5, "row", "1.500 ()"),
    ("", 1.5, "row:no-shape", "1.500"),
    ("", 1.5, "row:dtype:.1f", "1.5 () float32"),
    ("", 1.5, "full", " 1.5"),
    ("", 1.5, "full:.3f", " 1.500"),
    ("", 1.5, "full:shape", "()\n 1.5"),
    ("", 1.5, "numpy", "1.5"),
    ("", 1.5, "numpy:.3f", "1.5"),
    ("", 1.5, "numpy:shape:dtype", "() float32\n1.5"),
    ("", 1.5, "threshold=0", "1.5"),
    # rank 1, row
    ("x:s=3", [1, 2, 3], "", "(1.000, 2.000, 3.000) along xˢ"),
    ("p:i=2", [1, -2], "", "(1.000, -2.000) along pⁱ"),
    ("b:b=1", [0.12345], "", "(0.123) along bᵇ"),
    ("c:c=2", [0.0005, 1e5], "", "(0.001, 100000.000) along cᶜ"),
    ("vector:c=3", [1, 2, 3], "", "(1.000, 2.000, 3.000)"),
    ("vector:c=3", [1, 2, 3], "shape", "(1.000, 2.000, 3.000) along vectorᶜ"),
    ("vector:s=2", [1, 2], "", "(1.000, 2.000) along vectorˢ"),
    ("vector:c=x,y", [1, 2], "", "(x=1.000, y=2.000)"),
    ("vector:c=x,y", [1, 2], "shape", "(x=1.000, y=2.000) along vectorᶜ"),
    ("vector:c=x,y", [1, 2], "no-shape", "(1.000, 2.000)"),
    ("vector:c=x,y", [1, 2], "noshape:dtype", "(1.000, 2.000) float32"),
    ("c:c=u,v", [1, 2], "", "(u=1.000, v=2.000) along cᶜ"),
    ("c:c=u,v", [1, 2], "noshape", "(1.000, 2.000)"),
    ("b:b=u,v", [1, 2], "row", "(u=1.000, v=2.000) along bᵇ"),
    ("x:s=3", [NAN, INF, -INF], "", "(nan, inf, -inf) along xˢ"),
    ("x:s=2", [0.5, 2], ".0e", "(5e-01, 2e+00) along xˢ"),
    ("x:s=2", [0.5, 2], "+.1f", "(+0.5, +2.0) along xˢ"),
    ("x:s=2", [0.5, 2], ".1%", "(50.0%, 200.0%) along xˢ"),
    ("x:s=2", [0.5, 2], "row:8.2f", "(    0.50,     2.00) along xˢ"),
    # row, more
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "", "1.000; 2.000; 3.000; 4.000 (xˢ=2, yˢ=2)"),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "no-shape:.0e", "1e+00; 2e+00; 3e+00; 4e+00"),
    ("x:s=2 vector:c=2", [[1, 2], [3, 4]], ".1f", "(1.0, 2.0); (3.0, 4.0) (xˢ=2, vectorᶜ=2)"),
    ("x:s=2 vector:c=x,y", [[1, 2], [3, 4]], ".1f", "(x=1.0, y=2.0); (x=3.0, y=4.0) (xˢ=2, vectorᶜ=x,y)"),
    ("x:s=2 vector:c=x,y", [[1, 2], [3, 4]], ".1f:no-shape", "(1.0, 2.0); (3.0, 4.0)"),
    ("vector:c=x,y x:s=2", [[1, 2], [3, 4]], ".1f", "(x=1.0, y=3.0); (x=2.0, y=4.0) (vectorᶜ=x,y, xˢ=2)"),
    ("x:s=1 vector:c=x,y", [[1, 2]], ".1f", "(x=1.0, y=2.0) (xˢ=1, vectorᶜ=x,y)"),
    ("a:c=2 b:c=x,y", [[1, 2], [3, 4]], ".1f", "(1.0, 2.0, 3.0, 4.0) (aᶜ=2, bᶜ=x,y)"),
    ("a:c=x,y b:c=2", [[1, 2], [3, 4]], ".1f", "(1.0, 2.0, 3.0, 4.0) (aᶜ=x,y, bᶜ=2)"),
    ("b:b=2 x:s=1 y:s=1 v:c=2", [[[[1, 2]]], [[[3, 4]]]], ".1f",
     "(1.0, 2.0); (3.0, 4.0) (bᵇ=2, xˢ=1, yˢ=1, vᶜ=2)"),
    ("x:s=2 a:c=1 b:c=2", [[[1, 2]], [[3, 4]]], ".1f", "(1.0, 2.0); (3.0, 4.0) (xˢ=2, aᶜ=1, bᶜ=2)"),
    # summary
    ("x:s=9", PAGE, "", "(xˢ=9) 0.556 ± 0.497 (0e+00...1e+00)"),
    ("x:s=9", PAGE, "no-shape", "0.556 ± 0.497 (0e+00...1e+00)"),
    ("x:s=9", PAGE, "dtype", "(xˢ=9) float32 0.556 ± 0.497 (0e+00...1e+00)"),
    ("x:s=9", PAGE, ".2f", "(xˢ=9) 0.56 ± 0.50 (0.00...1.00)"),
    ("x:s=9", PAGE, "threshold=9", "(xˢ=9) 0.556 ± 0.497 (0e+00...1e+00)"),
    ("x:s=2", [1, 3], "summary", "(xˢ=2) 2.000 ± 1.000 (1e+00...3e+00)"),
    ("x:s=2", [1, 3], "threshold=2", "(xˢ=2) 2.000 ± 1.000 (1e+00...3e+00)"),
    ("x:s=2", [1, 3], "threshold=3", "(1.000, 3.000) along xˢ"),
    ("x:s=2", [-1, 1], "summary", "(xˢ=2) 0.00e+00 ± 1.0e+00 (-1e+00...1e+00)"),
    ("x:s=2", [0, 4000], "summary", "(xˢ=2) 2.00e+03 ± 2.0e+03 (0e+00...4e+03)"),
    ("x:s=2", [-1500, -1499], "summary", "(xˢ=2) -1.50e+03 ± 5.0e-01 (-2e+03...-1e+03)"),
    ("x:s=2", [0, 2000], "summary", "(xˢ=2) 1000.000 ± 1000.000 (0e+00...2e+03)"),
    ("x:s=2", [0, 0.001], "summary", "(xˢ=2) 5.00e-04 ± 5.0e-04 (0e+00...1e-03)"),
    ("x:s=2", [0.0078125, 0.005859375], "summary:.10f",
     "(xˢ=2) 0.0068359375 ± 0.0009765625 (0.0058593750...0.0078125000)"),
    ("x:s=4", [2**24, 1, 1, 0], "summary:.1f", "(xˢ=4) 4194304.5 ± 7264747.3 (0.0...16777216.0)"),
    ("x:s=8", ZEROES, "", "(xˢ=8) const 0.0"),
    ("x:s=8", ZEROES, ".2f", "(xˢ=8) const 0.00"),
    ("x:s=2", [0.0, -0.0], "summary", "(xˢ=2) const 0.0"),
    ("x:s=2", [0.1, 0.1], "summary", "(xˢ=2) const 0.10000000149011612"),
    ("x:s=1", [5 / 9], "summary:no-shape", "const 0.5555555820465088"),
    ("x:s=3 vector:c=x,y", [[1, 1]] * 3, "summary", "(xˢ=3, vectorᶜ=x,y) const 1.0"),
    ("x:s=3", [1, NAN, 3], "summary", "(xˢ=3) 2.000 ± 1.000 (1e+00...3e+00)"),
    ("x:s=3", [1, INF, 3], "summary", "(xˢ=3) 2.000 ± 1.000 (1e+00...3e+00)"),
    ("x:s=3", [7, -INF, NAN], "summary", "(xˢ=3) const 7.0"),
    ("x:s=3", [NAN, INF, -INF], "summary", "(xˢ=3) nan ± nan (nan...nan)"),
    ("x:s=8", [NAN] * 8, ".1f", "(xˢ=8) nan ± nan (nan...nan)"),
    ("x:s=2 y:s=2", [[NAN, 1], [1, 1]], "summary:shape", "(xˢ=2, yˢ=2) const 1.0"),
    # full
    ("x:s=3", [1, 2.5, 3], "full", " 1. , 2.5, 3. "),
    ("x:s=3", [1, 2.5, 3], "full:.1f", " 1.0, 2.5, 3.0"),
    ("x:s=3", [1, NAN, -INF], "full", "   1.,  nan, -inf"),
    ("vector:c=x,y", [1, 0], "full", " 1., 0."),
    ("vector:c=x,y", [1, 0], "full:shape", "(vectorᶜ=x,y)\n 1., 0."),
    ("vector:c=x,y", [1, 0], "full:no-shape:no-dtype", " 1., 0."),
    ("x:s=2 y:s=3", [[1, 2, 3], [4, 5, 6]], "full", " 3., 6.\n 2., 5.\n 1., 4."),
    ("y:s=3 x:s=2", [[1, 4], [2, 5], [3, 6]], "full", " 3., 6.\n 2., 5.\n 1., 4."),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "full:.2f", " 2.00, 4.00\n 1.00, 3.00"),
    ("b:b=2 x:s=2", [[1, 2], [3, 4]], "full", "--- b=0 ---\n 1., 2.\n--- b=1 ---\n 3., 4."),
    ("x:s=2 b:b=2", [[1, 3], [2, 4]], "full", "--- b=0 ---\n 1., 2.\n--- b=1 ---\n 3., 4."),
    ("b:b=1 x:s=2", [[1, 2]], "full", " 1., 2."),
    ("x:s=2 vector:c=x,y", [[1, 2], [3, 4]], "full", "--- vector=x ---\n 1., 3.\n--- vector=y ---\n 2., 4."),
    ("b:b=1 x:s=1 y:s=1 vector:c=x,y", [[[[1, 2]]]], "full", "--- b=0, vector=x ---\n 1.\n--- b=0, vector=y ---\n 2."),
    ("b:b=2 v:c=2", [[1, 2], [3, 4]], "full", "[[1., 2.],\n [3., 4.]]"),
    ("b:b=2 v:c=2", [[1, 2], [3, 4]], "full:shape:.1f", "(bᵇ=2, vᶜ=2)\n[[1.0, 2.0],\n [3.0, 4.0]]"),
    # numpy
    ("x:s=3", [1, 2.5, 3], "numpy", "[1.  2.5 3. ]"),
    ("x:s=3", [1, 2.5, 3], "numpy:.2f", "[1.00 2.50 3.00]"),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "numpy", "[[1. 2.]\n [3. 4.]]"),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "numpy:shape", "(xˢ=2, yˢ=2)\n[[1. 2.]\n [3. 4.]]"),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "dtype:numpy", "float32\n[[1. 2.]\n [3. 4.]]"),
    ("x:s=9", PAGE, "numpy", "[1. 0. 1. ... 1. 0. 1.]"),
    ("x:s=9", PAGE, "numpy:threshold=9", "[1. 0. 1. 0. 1. 0. 1. 0. 1.]"),
    ("x:s=9", PAGE, "numpy:threshold=8:.1f", "[1.0 0.0 1.0 ... 1.0 0.0 1.0]"),
    # no elements
    ("x:s=0", [], "", "() along xˢ"),
    ("vector:c=0", [], "", "()"),
    ("x:s=0", [], "summary", "(xˢ=0) empty"),
    ("x:s=0", [], "threshold=0", "(xˢ=0) empty"),
    ("x:s=0", [], "full", " "),
    ("x:s=0", [], "numpy", "[]"),
    ("x:s=2 v:c=0", [[], []], "", "(); () (xˢ=2, vᶜ=0)"),
    ("b:b=0 x:s=2", np.zeros((0, 2)), "row", " (bᵇ=0, xˢ=2)"),
    ("b:b=0 x:s=2", np.zeros((0, 2)), "full", ""),
    ("b:b=0 v:c=2", np.zeros((0, 2)), "full", "[]"),
    # tokens in any order, and again
    ("x:s=2", [1, 3], "no-shape:.1f:summary:dtype", "float32 2.0 ± 1.0 (1.0...3.0)"),
    ("x:s=2", [1, 3], "dtype:summary:no-shape:.1f", "float32 2.0 ± 1.0 (1.0...3.0)"),
    ("x:s=2", [1, 3], "auto", "(1.000, 3.000) along xˢ"),
    ("x:s=2", [1, 3], "no-shape:shape", "(1.000, 3.000) along xˢ"),
    ("x:s=2", [1, 3], "shape:noshape", "(1.000, 3.000) along xˢ"),
    ("x:s=2", [1, 3], "no-color:nocolor", "(1.000, 3.000) along xˢ"),
]

# dtype, precision, dimensions, values, specification, text
DTYPES = [
    ("bool", 32, "", True, "", "True"),
    ("bool", 32, "", True, "dtype", "bool8 True"),
    ("bool", 32, "x:s=2", [1, 0], "", "(True, False) along xˢ"),
    ("bool", 32, "x:s=2", [1, 0], "dtype", "(True, False) along xˢ bool8"),
    ("bool", 32, "x:s=2", [1, 0], ".1f", "(1.0, 0.0) along xˢ"),
    ("bool", 32, "x:s=3", [1, 0, 1], "summary", "(xˢ=3) 2 / 3 True"),
    ("bool", 32, "x:s=3", [1, 0, 1], "summary:no-shape:.1f", "2 / 3 True"),
    ("bool", 32, "x:s=3 y:s=3", np.eye(3), "", "(xˢ=3, yˢ=3) 3 / 9 True"),
    ("bool", 32, "x:s=2", [0, 0], "summary:dtype", "(xˢ=2) bool8 0 / 2 True"),
    ("bool", 32, "x:s=0", [], "summary", "(xˢ=0) empty"),
    ("bool", 32, "x:s=2 y:s=2", np.eye(2), "full:.2f", " False,  True\n  True, False"),
    ("bool", 32, "x:s=2", [1, 0], "numpy", "[ True False]"),
    ("int8", 32, "", -5, "", "int8 -5"),
    ("int8", 32, "x:s=2", [-128, 127], "", "(-128, 127) along xˢ int8"),
    ("int8", 32, "x:s=2", [-128, 127], "summary", "(xˢ=2) int8 -0.500 ± 127.500 (-1e+02...1e+02)"),
    ("int16", 32, "vector:c=x,y", [1, -2], "", "(x=1, y=-2) int16"),
    ("int16", 32, "vector:c=x,y", [1, -2], "no-dtype", "(x=1, y=-2)"),
    ("int32", 32, "", 7, "", "7"),
    ("int32", 32, "", 7, "dtype", "int32 7"),
    ("int32", 32, "", 7, "row:.1f", "7.0 ()"),
    ("int32", 32, "x:s=2", [1, 2], "", "(1, 2) along xˢ"),
    ("int32", 32, "x:s=2", [1, 2], "dtype", "(1, 2) along xˢ int32"),
    ("int32", 32, "x:s=2", [1, 2], ".1f", "(1.0, 2.0) along xˢ"),
    ("int32", 32, "x:s=2", [1, 2], ".3", "(1.0, 2.0) along xˢ"),
    ("int32", 32, "x:s=2", [3, 3], "summary", "(xˢ=2) const 3.0"),
    ("int32", 32, "x:s=2", [2**24 + 1] * 2, "summary", "(xˢ=2) const 16777216.0"),
    ("int32", 64, "x:s=2", [2**24 + 1] * 2, "summary", "(xˢ=2) const 16777217.0"),
    ("int32", 32, "x:s=12", range(12), "", "(xˢ=12) 5.500 ± 3.452 (0e+00...1e+01)"),
    ("int32", 32, "x:s=3", [1, 20, 3], "full:.2f", "  1, 20,  3"),
    ("int32", 32, "x:s=3", [1, 20, 3], "numpy:.2f", "[ 1 20  3]"),
    ("int64", 32, "", 7, "", "int64 7"),
    ("int64", 32, "vector:c=3", [1, 2, 3], "", "(1, 2, 3) int64"),
    ("int64", 32, "c:c=2", [4, 5], "", "(4, 5) along cᶜ int64"),
    ("int64", 32, "vector:c=x,y", [1, 0], "", "(x=1, y=0) int64"),
    ("int64", 64, "vector:c=x,y", [1, 0], "", "(x=1, y=0) int64"),
    ("int64", 32, "vector:c=x,y", [1, 0], "full:shape", "(vectorᶜ=x,y)\n 1, 0"),
    ("int64", 32, "x:s=2", [2**62, 2**62 + 1], "", "(4611686018427387904, 4611686018427387905) along xˢ int64"),
    ("int64", 64, "x:s=2", [2**62, 2**62 + 1], "summary", "(xˢ=2) int64 4.61e+18 ± 0.0e+00 (5e+18...5e+18)"),
    ("int64", 32, "x:s=0", [], "", "() along xˢ int64"),
    ("uint8", 32, "x:s=2", [0, 255], "", "(0, 255) along xˢ uint8"),
    ("uint8", 32, "x:s=2", [0, 255], "summary", "(xˢ=2) uint8 127.500 ± 127.500 (0e+00...3e+02)"),
    ("uint8", 32, "x:s=2", [255, 255], "summary:no-dtype", "(xˢ=2) const 255.0"),
    ("uint16", 32, "x:s=1", [65535], "nodtype", "(65535) along xˢ"),
    ("uint16", 16, "x:s=1", [65535], "summary", "(xˢ=1) uint16 const inf"),
    ("uint32", 32, "x:s=1", [2**32 - 1], "", "(4294967295) along xˢ uint32"),
    ("uint64", 32, "x:s=1", [2**64 - 1], "", "(18446744073709551615) along xˢ uint64"),
    ("uint64", 64, "x:s=1", [2**63], "summary", "(xˢ=1) uint64 const 9.223372036854776e+18"),
    ("float16", 16, "", 0.1, "", "0.1"),
    ("float16", 32, "", 0.1, "", "float16 0.1"),
    ("float16", 16, "x:s=2", [0.1, 2], "", "(0.100, 2.000) along xˢ"),
    ("float16", 32, "x:s=2", [0.1, 2], "", "(0.100, 2.000) along xˢ float16"),
    ("float16", 32, "x:s=2", [0.1, 0.1], "summary", "(xˢ=2) float16 const 0.0999755859375"),
    ("float16", 32, "x:s=2", [60000, 60000], "summary", "(xˢ=2) float16 const 60000.0"),
    ("float16", 32, "x:s=4", [60000, 60000, 0, 0], "summary",
     "(xˢ=4) float16 3.00e+04 ± 3.0e+04 (0e+00...6e+04)"),
    ("float16", 16, "x:s=2", [1.5, 2], "full:.2f", " 1.50, 2.00"),
    ("float32", 16, "x:s=2", [0.1, 2], "", "(0.100, 2.000) along xˢ float32"),
    ("float32", 64, "", 0.1, "", "float32 0.1"),
    ("float32", 64, "x:s=2", [0.1, 0.1], "summary", "(xˢ=2) float32 const 0.10000000149011612"),
    ("float32", 16, "x:s=2", [0.1, 0.1], "summary", "(xˢ=2) float32 const 0.0999755859375"),
    ("float32", 64, "x:s=2", [0.1, 0.1], "summary:.4f:no-dtype", "(xˢ=2) const 0.1000"),
    ("float64", 32, "", 0.1, "", "float64 0.1"),
    ("float64", 64, "", 0.1, "", "0.1"),
    ("float64", 64, "x:s=2", [0.1, 2], "", "(0.100, 2.000) along xˢ"),
    ("float64", 32, "x:s=2", [0.1, 2], "", "(0.100, 2.000) along xˢ float64"),
    ("float64", 64, "x:s=10", [0.1] * 10, "", "(xˢ=10) const 0.1"),
    ("float64", 32, "x:s=10", [0.1] * 10, "", "(xˢ=10) float64 const 0.10000000149011612"),
    ("float64", 64, "x:s=2", [0.1, 0.3], "summary:.17g", "(xˢ=2) 0.20000000000000001 ± 0.099999999999999992 "
     "(0.10000000000000001...0.29999999999999999)"),
    ("float64", 32, "x:s=2", [0.1, 0.3], "summary:.17g", "(xˢ=2) float64 0.20000000298023224 ± 0.099999999999999992 "
     "(0.10000000000000001...0.29999999999999999)"),
    ("float64", 64, "x:s=2", [1e200, 1e200], "summary", "(xˢ=2) const 1e+200"),
    ("float64", 64, "x:s=3", [1, 2.5, NAN], "numpy:dtype", "float64\n[1.  2.5 nan]"),
    (">i4", 32, "x:s=2", [1, 2], "", "(1, 2) along xˢ"),
    (">f8", 32, "x:s=2", [1, 2], "", "(1.000, 2.000) along xˢ float64"),
]

# dimensions, values, specification, text
BFLOAT16 = [
    ("", 0.1, "", "bfloat16 0.100098"),
    ("", 0.1, "row", "0.100 () bfloat16"),
    ("x:s=2", [0.1, NAN], "", "(0.100, nan) along xˢ bfloat16"),
    ("x:s=2", [0.1, 2], ".2f:no-dtype", "(0.10, 2.00) along xˢ"),
    ("x:s=2", [1, 3], "summary", "(xˢ=2) bfloat16 2.000 ± 1.000 (1e+00...3e+00)"),
    ("x:s=3", [1, INF, NAN], "summary", "(xˢ=3) bfloat16 const 1.0"),
    ("x:s=2", [NAN, NAN], "summary", "(xˢ=2) bfloat16 nan ± nan (nan...nan)"),
    ("x:s=0", [], "summary", "(xˢ=0) bfloat16 empty"),
    ("x:s=2 y:s=2", [[1, 2], [3, 4]], "full:.1f", " 2.0, 4.0\n 1.0, 3.0"),
    ("x:s=2", [1, 2], "numpy:.1f", "[1.0 2.0]"),
]

# dimensions, values, specification, text; < > stand for what begins and ends a colour: s d v r
COLORS = [
    ("", 1.5, "color", "<v1.5>"),
    ("", 1.5, "color:shape:dtype", "<s()> <dfloat32> <v1.5>"),
    ("", 1.5, "color:row", "<v1.500> <s()>"),
    ("", 1.5, "no-color:row", "1.500 ()"),
    ("x:s=2", [1, 3], "color", "<v(1.000, 3.000)> along <sxˢ>"),
    ("vector:c=x,y", [1, 3], "dtype:color", "<v(x=1.000, y=3.000)> <dfloat32>"),
    ("x:s=2 v:c=1", [[1], [3]], "color", "<v(1.000)>; <v(3.000)> <s(xˢ=2, vᶜ=1)>"),
    ("x:s=2 y:s=1", [[1], [3]], "color", "<v1.000>; <v3.000> <s(xˢ=2, yˢ=1)>"),
    ("x:s=2", [1, 3], "summary:color", "<s(xˢ=2)> <v2.000 ± 1.000> <r(1e+00...3e+00)>"),
    ("x:s=2", [1, 1], "summary:color:dtype", "<s(xˢ=2)> <dfloat32> <vconst 1.0>"),
    ("x:s=1", [NAN], "summary:color", "<s(xˢ=1)> <vnan ± nan> <r(nan...nan)>"),
    ("x:s=0", [], "summary:color", "<s(xˢ=0)> <vempty>"),
    ("b:b=2", [1, 2], "full:color:shape", "<s(bᵇ=2)>\n<v 1., 2.>"),
    ("b:b=2 x:s=1", [[1], [2]], "full:color", "--- <sb=0> ---\n<v 1.>\n--- <sb=1> ---\n<v 2.>"),
    ("x:s=2", [1, 2], "numpy:color:shape:dtype", "<s(xˢ=2)> <dfloat32>\n<v[1. 2.]>"),
    ("x:s=2", [1, 2], "numpy:nocolor", "[1. 2.]"),
]
BEGIN = {"<s": "\033[92m", "<d": "\033[93m", "<v": "\033[94m", "<r": "\033[37m", ">": "\033[0m"}

VARY_X = [("b", "batch", 2, None), ("x", "spatial", ((2, 3), ("b", "batch")), None)]
VARY_TEXT = "(bᵇ=2, xˢ=(2, 3) along bᵇ)"
# dtype, parts, specification, text after the shape
NON_UNIFORM = [
    ("float32", [[1, 2], [3, 4, 5]], "", " 3.000 ± 1.414 (1e+00...5e+00)"),
    ("float32", [[1, 2], [3, 4, 5]], "row", " 3.000 ± 1.414 (1e+00...5e+00)"),
    ("float32", [[1, 2], [3, 4, 5]], "summary:.1f:dtype", " float32 3.0 ± 1.4 (1.0...5.0)"),
    ("float32", [[1, 1], [1, 1, NAN]], "threshold=99", " const 1.0"),
    ("float64", [[1, 2], [3, 4, 5]], "auto", " float64 3.000 ± 1.414 (1e+00...5e+00)"),
    ("bool", [[1, 0], [1, 1, 0]], "row", " 3 / 5 True"),
    ("int64", [[2, 2], [2, 2, 2]], "", " int64 const 2.0"),
]

# specification, what the message says
ERRORS = [
    ("rwo", "'rwo'.*did you mean 'row'"),
    ("Full", "'Full'.*did you mean 'full'"),
    ("sumary:shape", "'sumary'.*'sumary:shape'.*did you mean 'summary'"),
    ("shap", "'shap'.*did you mean 'shape'"),
    ("no_dtype", "'no_dtype'.*did you mean 'no-dtype'"),
    ("noo-shape", "'noo-shape'.*did you mean 'no-shape'"),
    ("colour", "'colour'.*did you mean 'color'"),
    ("zzz", "'zzz'.*there are summary, full, row, numpy, auto, shape, no-shape, .* threshold=8, .* .3f"),
    ("full:", "''.*'full:'"),
    (":", "''"),
    (" row", "' row'.*did you mean 'row'"),
    ("no-row", "'no-row'"),
    ("-shape", "'-shape'"),
    ("row:full", "'full'.*'row:full'.*second layout, after 'row'.*summary, full, row, numpy, auto"),
    ("row:row", "second layout"),
    ("auto:.3f:numpy", "'numpy'.*second layout, after 'auto'"),
    (".3q", "'.3q'.*no format of floats"),
    ("row:.3d", "'.3d'.*no format of floats"),
    ("a.b", "'a.b'.*no format of floats"),
    (".", r"'\.'.*no format of floats"),
    ("3f", "'3f'"),
    ("threshold=", "'threshold='.*no number of elements"),
    ("threshold=x", "'threshold=x'.*write threshold=8"),
    ("threshold=-1", "'threshold=-1'"),
    ("threshold=1.5", "'threshold=1.5'.*no number of elements"),
    ("threshold", "'threshold'.*did you mean 'threshold=8'"),
    ("treshold=3", "'treshold=3'.*did you mean 'threshold=8'"),
]


class Printing(unittest.TestCase):
    def check(self, text, array, spec, precision, wanted):
        with self.subTest(text=text, dtype=str(array.dtype), spec=spec, precision=precision):
            self.assertEqual(_printing.format_tensor(array, dims_of(text), spec, precision), wanted)

    def test_shapes(self):
        for dims, wanted in [(dims_of(text), wanted) for text, wanted in SHAPES] + VARYING:
            with self.subTest(wanted=wanted):
                self.assertEqual(_printing.format_shape(dims), wanted)
                self.assertEqual(_printing.format_shape(tuple(dims)), wanted)

    def test_layouts(self):
        for text, values, spec, wanted in F32:
            self.check(text, np.asarray(values, np.float32), spec, 32, wanted)

    def test_dtypes(self):
        for dtype, precision, text, values, spec, wanted in DTYPES:
            self.check(text, np.array(values, dtype), spec, precision, wanted)

    def test_bfloat16(self):
        bfloat16 = optional("ml_dtypes").bfloat16
        for text, values, spec, wanted in BFLOAT16:
            for precision in 16, 32, 64:
                self.check(text, np.array(values, np.float32).astype(bfloat16), spec, precision, wanted)

    def test_colors(self):
        for text, values, spec, wanted in COLORS:
            for begin, code in BEGIN.items():
                wanted = wanted.replace(begin, code)
            self.check(text, np.asarray(values, np.float32), spec, 32, wanted)

    def test_no_color_unasked(self):
        for layout in _printing.LAYOUTS:
            text = "x:s=2 vector:c=x,y"
            plain = _printing.format_tensor(count(text, "f8"), dims_of(text), f"{layout}:shape:dtype", 32)
            self.assertNotIn("\033", plain)

    def test_non_uniform(self):
        for dtype, parts, spec, wanted in NON_UNIFORM:
            parts = [np.array(part, dtype) for part in parts]
            with self.subTest(dtype=dtype, spec=spec):
                self.assertEqual(_printing.format_tensor(parts, VARY_X, spec, 32), VARY_TEXT + wanted)
        nothing = [np.zeros(0, np.float32), np.zeros(0, np.float32)]
        self.assertEqual(_printing.format_tensor(nothing, VARY_X, "no-shape", 32), "empty")
        for layout in "full", "numpy":
            with self.assertRaisesRegex(ValueError, rf"layout {layout} .*xˢ=\(2, 3\) along bᵇ"):
                _printing.format_tensor(nothing, VARY_X, layout, 32)

    def test_parts_of_higher_rank(self):
        dims = [("k", "batch", 2, None), ("x", "spatial", ((1, 2), ("k", "batch")), None), ("v", "channel", 2, None)]
        parts = [np.zeros((1, 2), np.float32), np.ones((2, 2), np.float32)]
        self.assertEqual(_printing.format_tensor(parts, dims, "", 32),
                         "(kᵇ=2, xˢ=(1, 2) along kᵇ, vᶜ=2) 0.667 ± 0.471 (0e+00...1e+00)")

    def test_errors(self):
        for spec, wanted in ERRORS:
            for text in "", "x:s=2":
                with self.subTest(spec=spec), self.assertRaisesRegex(ValueError, wanted):
                    _printing.format_tensor(count(text, "f4"), dims_of(text), spec, 32)

    def test_three_spatial_dimensions(self):
        text = "b:b=1 y:s=1 z:s=1 x:s=2"
        with self.assertRaisesRegex(ValueError, "at most 2 spatial dimensions, not x, y, z"):
            _printing.format_tensor(count(text, "f4"), dims_of(text), "full", 32)
        self.assertEqual(_printing.format_tensor(count(text, "i4"), dims_of(text), "row", 32),
                         "0; 1 (bᵇ=1, yˢ=1, zˢ=1, xˢ=2)")

    def test_full_of_rank_4(self):
        text = "b:b=2 x:s=2 y:s=2 vector:c=x,y"
        self.assertEqual(_printing.format_tensor(count(text, "i4"), dims_of(text), "full", 32),
                         "--- b=0, vector=x ---\n 2, 6\n 0, 4\n--- b=0, vector=y ---\n 3, 7\n 1, 5\n"
                         "--- b=1, vector=x ---\n 10, 14\n  8, 12\n--- b=1, vector=y ---\n 11, 15\n  9, 13")

    def test_full_of_rank_3_without_grid(self):
        text = "b:b=2 p:i=1 v:c=2"
        self.assertEqual(_printing.format_tensor(count(text, "i4"), dims_of(text), "full", 32),
                         "[[[0, 1]],\n\n [[2, 3]]]")

    def test_row_of_rank_4(self):
        text = "b:b=2 p:i=1 x:s=1 v:c=u,v"
        self.assertEqual(_printing.format_tensor(count(text, "i4"), dims_of(text), "", 32),
                         "(u=0, v=1); (u=2, v=3) (bᵇ=2, pⁱ=1, xˢ=1, vᶜ=u,v)")

    def test_full_shortens_nothing(self):
        for text in "x:s=2000", "b:b=2000":
            wanted = " " + ", ".join(f"{i:4}" for i in range(2000))
            self.assertEqual(_printing.format_tensor(count(text, "i4"), dims_of(text), "full", 32), wanted)

    def test_arrays_stay(self):
        array = np.array([[3, NAN], [1, 2]], np.float32).T
        before = array.tobytes()
        for layout in _printing.LAYOUTS:
            _printing.format_tensor(array, dims_of("x:s=2 y:s=2"), layout, 32)
        self.assertEqual(array.tobytes(), before)

    def test_strided_and_broadcast(self):
        wide = np.broadcast_to(np.float32(2), (3, 4))
        self.assertEqual(_printing.format_tensor(wide, dims_of("x:s=3 y:s=4"), "", 32), "(xˢ=3, yˢ=4) const 2.0")
        back = np.arange(6, dtype=np.int32)[::-2]
        self.assertEqual(_printing.format_tensor(back, dims_of("x:s=3"), "", 32), "(5, 3, 1) along xˢ")

    def test_no_warnings(self):
        with np.errstate(all="raise"):
            for values in [1e300, -1e308, 1e308], [NAN, NAN], [1e-320, 0]:
                _printing.format_tensor(np.array(values), dims_of(f"x:s={len(values)}"), "summary", 16)


if __name__ == "__main__":
    unittest.main()
