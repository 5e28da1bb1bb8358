"""Section 12 of docs/language.md on NumPy, from the words of its rules: random numbers (12.2) and scatter (12.5)."""
import numpy as np

HALF = np.uint64(0xFFFFFFFF)


def philox(counter, key):
    """Philox4x32-10 of Salmon and others (Parallel Random Numbers: As Easy as 1, 2, 3, 2011): the four words of each
    counter, four arrays of uint64 that hold 32 bits, with a key of two integers."""
    c = [np.asarray(word, np.uint64) for word in counter]
    for step in range(10):
        k = [np.uint64((key[0] + step * 0x9E3779B9) % 2 ** 32), np.uint64((key[1] + step * 0xBB67AE85) % 2 ** 32)]
        p, q = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(q >> np.uint64(32)) ^ c[1] ^ k[0], q & HALF, (p >> np.uint64(32)) ^ c[3] ^ k[1], p & HALF]
    return c


def words(count, seed, stream=0, sample=0, first=0):
    """Of so many elements from `first` on the 24 high bits of their words, as uint64."""
    i = np.arange(first, first + count, dtype=np.uint64)
    counter = [i >> np.uint64(2) & HALF, i >> np.uint64(34), np.uint64(sample), np.uint64(stream % 2 ** 32)]
    counter = [np.broadcast_to(word, i.shape) for word in counter]
    four = np.stack(philox(counter, [seed % 2 ** 32, seed % 2 ** 64 >> 32]))
    return np.take_along_axis(four, (i % np.uint64(4)).astype(np.int64)[None], 0)[0] >> np.uint64(8)


def random(shape, seed, stream=0, sample=0):
    count = int(np.prod(shape, dtype=np.int64))
    return (words(count, seed, stream, sample) * 2.0 ** -24).astype(np.float32).reshape(shape)


def random_normal(shape, seed, stream=0, sample=0):
    """In float64; and r, of which the error may be a part."""
    count = int(np.prod(shape, dtype=np.int64))
    w = words(count + count % 2, seed, stream, sample).reshape(-1, 2).astype(np.float64)
    r = np.sqrt(-2 * np.log((w[:, 0] + 1) * 2.0 ** -24))
    turn = 2 * np.pi * w[:, 1] * 2.0 ** -24
    pairs = np.stack([r * np.cos(turn), r * np.sin(turn)], -1).ravel()[:count]
    return pairs.reshape(shape), np.repeat(r, 2)[:count].reshape(shape)


def joined(mode, a, b):
    """Two elements of a type in which it computes, as rule 12.5 joins them."""
    if mode == "set":
        return b
    if mode in ("add", "mul"):
        return a + b if mode == "add" else a * b
    if a != a or b != b:
        return a if a != a else b
    if a == b == 0 and a.dtype.kind == "f":
        return max(a, b, key=lambda z: z.dtype.type(1) / z) if mode == "max" else min(a, b, key=lambda z: 1 / z)
    return max(a, b) if mode == "max" else min(a, b)


def rounded(value, dtype):
    """A mean as x's type: to integers by a saturating cast of float32, halves to even."""
    if np.dtype(dtype).kind == "f":
        return dtype(value)
    nearest, info = np.rint(np.float64(np.float32(value))), np.iinfo(dtype)
    return dtype(info.min if nearest <= info.min else info.max if nearest >= info.max else int(nearest))


def scatter(x, i, v, mode="set", axes=None):
    """One position after the other, in Python."""
    axes = list(range(i.shape[-1])) if axes is None else [a % x.ndim for a in axes]
    others = [d for d in range(x.ndim) if d not in axes]
    front = x.transpose(axes + others)
    shape = i.shape[:-1] + front.shape[len(axes):]
    v = np.broadcast_to(v, shape)
    compute = np.float32 if x.dtype == np.float16 else x.dtype.type
    exact = mode == "mean" and x.dtype.kind in "iu"  # in Python's integers
    to = np.zeros(front.shape, object if exact else compute) if mode == "mean" else front.astype(compute)
    counts = np.zeros(front.shape, np.int64)
    with np.errstate(all="ignore"):
        for place in np.ndindex(*i.shape[:-1]):
            position = [int(p) for p in i[place]]
            extents = front.shape[:len(axes)]
            if not all(-e <= p < e for p, e in zip(position, extents)):
                continue
            at = tuple(p % e for p, e in zip(position, extents))
            for rest in np.ndindex(*front.shape[len(axes):]):
                b = int(v[place + rest]) if exact else to.dtype.type(v[place + rest])
                to[at + rest] = joined("add" if mode == "mean" else mode, to[at + rest], b)
                counts[at + rest] += 1
        if mode == "mean":
            real = np.float64 if exact else compute
            means = to.astype(real) / counts.astype(real)
            to = np.array([rounded(m, x.dtype.type) if c else f for m, c, f in
                           zip(means.ravel(), counts.ravel(), front.ravel())], x.dtype).reshape(front.shape)
        return np.ascontiguousarray(to.astype(x.dtype).transpose(np.argsort(axes + others))).reshape(x.shape)
