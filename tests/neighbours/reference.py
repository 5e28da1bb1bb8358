"""Section 10 of docs/language.md on NumPy: np.take of positions along each axis, which the rule's words give, and sums
term by term."""
import numpy as np


def positions(start, count, extent, mode):
    """The elements of a dimension that `count` positions from `start` on read, and which of them lie outside."""
    p = np.arange(count, dtype=np.int64) + start
    outside = (p < 0) | (p >= extent)
    if mode == "edge":
        p = np.clip(p, 0, extent - 1)
    elif mode == "wrap":
        p = p % extent
    elif mode == "symmetric":
        p = p % (2 * extent)
        p = np.where(p < extent, p, 2 * extent - 1 - p)
    elif mode == "reflect":
        p = p % max(2 * extent - 2, 1)
        p = np.where(p < extent, p, 2 * extent - 2 - p)
    else:
        return np.where(outside, 0, p), outside
    return p, np.zeros(count, bool)


def window(x, axes, starts, counts, modes):
    """x from `starts` on along the axes; what lies outside comes from the modes, of numbers that of the last axis."""
    numbers = []
    for axis, start, count, mode in zip(axes, starts, counts, modes):
        p, outside = positions(start, count, x.shape[axis], mode)
        numbers.append((axis, outside, mode))
        nothing = np.zeros(x.shape[:axis] + (count,) + x.shape[axis + 1:], x.dtype)
        x = np.take(x, p, axis) if x.shape[axis] else nothing
    x = x.copy()
    for axis, outside, mode in numbers:
        if outside.any():
            x[(slice(None),) * axis + (outside,)] = mode
    return x


def listed(mode, count):
    return mode if isinstance(mode, list) else [mode] * count


def offset(x, offsets, mode, axes):
    return window(x, axes, offsets, [x.shape[a] for a in axes], listed(mode, len(axes)))


def pad(x, widths, mode, axes):
    counts = [x.shape[a] + before + after for a, (before, after) in zip(axes, widths)]
    return window(x, axes, [-before for before, _ in widths], counts, listed(mode, len(axes)))


def correlate(x, k, mode, axes, dtype, convolve=False, literal=True):
    """Products and partial sums in dtype, of 16 bits in float32; terms of 0 are left out where k is a literal."""
    if convolve:
        k = k[(slice(None, None, -1),) * k.ndim]
    compute = np.float32 if dtype == np.float16 else dtype
    valid, total = mode == "valid", None
    counts = [max(0, x.shape[a] - e + 1) if valid else x.shape[a] for a, e in zip(axes, k.shape)]
    modes = listed(0 if valid else mode, len(axes))
    for j in np.ndindex(*k.shape):
        if literal and k[j] == 0:
            continue
        starts = [place - (0 if valid else extent // 2) for place, extent in zip(j, k.shape)]
        term = k[j].astype(dtype).astype(compute) * window(x, axes, starts, counts, modes).astype(dtype).astype(compute)
        total = term if total is None else total + term
    return total.astype(dtype)
