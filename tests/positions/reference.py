"""Section 12 of docs/language.md on NumPy, from the words of its rules: random numbers of rule 12.2."""
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
