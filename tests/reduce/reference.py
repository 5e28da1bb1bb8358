"""Section 11 a second time, in NumPy: what a reduction gives, bit by bit (exp and log aside)."""
import numpy as np


def order(x, join=np.add):
    """Joins the rows of x, [n, ...], in the order of rule 11.4."""
    blocks = [[None] * 16 for _ in range(0, len(x), 1024)]
    both = lambda a, b: b if a is None else a if b is None else join(a, b)
    for i, value in enumerate(x):
        lanes = blocks[i // 1024]
        lanes[i % 16] = both(lanes[i % 16], value)
    while len(blocks) > 1:
        pairs = [blocks[k:k + 2] for k in range(0, len(blocks), 2)]
        blocks = [[both(*lanes) for lanes in zip(*pair)] if len(pair) == 2 else pair[0] for pair in pairs]
    lanes = blocks[0]
    for apart in (8, 4, 2, 1):
        lanes = [both(lanes[j], lanes[j + apart]) for j in range(apart)]
    return lanes[0]


def is_float(x):
    return x.dtype.kind == "f"


def wide_type(dtype):
    return dtype if dtype.kind == "f" else np.dtype(np.uint64 if dtype.kind == "u" else np.int64)


def float_type(dtype):
    return dtype if dtype.kind == "f" else np.dtype(np.float32)


def real_type(dtype):
    return np.float64 if dtype == np.float64 else np.float32


def rows(x, axes):
    """The elements of the axes as the first dimension, row-major, and the extents of the others."""
    rest = [d for d in range(x.ndim) if d not in axes]
    moved = np.transpose(x, [*axes, *rest])
    return moved.reshape((int(np.prod([x.shape[d] for d in axes], dtype=np.int64)), *[x.shape[d] for d in rest]))


def total(r):
    """The sum of rows in float32 or float64; of integers exact and rounded to float64."""
    if r.dtype.kind == "f":
        r = r.astype(real_type(r.dtype))
        return order(r) if len(r) else np.zeros(r.shape[1:], r.dtype)
    exact = r.astype(object).sum(axis=0) if len(r) else np.zeros(r.shape[1:], object)
    return np.vectorize(lambda v: np.float64(int(v)), otypes=[np.float64])(exact)


def mean(r, dtype):
    with np.errstate(all="ignore"):
        sums = total(r)
        return (sums / sums.dtype.type(len(r))).astype(dtype)


def variance(r, ddof, root):
    real = np.float64 if r.dtype == np.float64 or (r.dtype.kind in "iu" and r.dtype.itemsize > 3) else np.float32
    count = len(r) - ddof
    with np.errstate(all="ignore"):
        d = r.astype(real) - mean(r, real)
        v = total(d * d) / real(count) if count > 0 else np.full(r.shape[1:], np.nan, real)
        return (np.sqrt(v) if root else v).astype(float_type(r.dtype))


def extreme(r, name):
    least = name.endswith("min")
    values = r.astype(np.uint8) if r.dtype == bool else r
    best = (np.min if least else np.max)(values, axis=0)
    if name.startswith("arg"):
        hit = (values == best) | (values != values)
        return np.argmax(hit, axis=0).astype(np.int64)
    if r.dtype.kind == "f":
        signs = np.signbit(r) & (r == 0)
        zero = np.where(signs.any(axis=0) if least else signs.sum(axis=0) == (r == 0).sum(axis=0), -0.0, 0.0)
        best = np.where(best == 0, zero.astype(r.dtype), best)
    return best


def joined(r, join, dtype):
    if r.dtype.kind != "f":
        return join.reduce(r.astype(dtype), axis=0)
    if not len(r):
        return np.full(r.shape[1:], 0 if join is np.add else 1, dtype)
    with np.errstate(all="ignore"):
        return order(r.astype(real_type(r.dtype)), join).astype(dtype)


def square(r, name):
    v = r.astype(real_type(r.dtype))
    with np.errstate(all="ignore"):
        sums = total(v * v)
        sums = sums / sums.dtype.type(len(r)) if name != "norm" else sums
        return (sums if name == "mean_square" else np.sqrt(sums)).astype(float_type(r.dtype))


def reduce(name, x, axes=None, keepdims=False, ddof=0):
    axes = sorted(range(x.ndim) if axes is None else {a % x.ndim for a in axes})
    r = rows(x, axes)
    out = (joined(r, np.add, wide_type(r.dtype)) if name == "sum" else
           joined(r, np.multiply, wide_type(r.dtype)) if name == "prod" else
           mean(r, float_type(r.dtype)) if name == "mean" else
           variance(r, ddof, name == "std") if name in ("std", "var") else
           (r != 0).any(axis=0) if name == "any" else
           (r != 0).all(axis=0) if name == "all" else
           (r != 0).sum(axis=0).astype(np.int64) if name == "count_nonzero" else
           square(r, name) if name in ("norm", "mean_square", "rms") else
           extreme(r, name))
    out = np.asarray(out)
    return out.reshape([1 if d in axes else x.shape[d] for d in range(x.ndim)]) if keepdims else out
