"""What compare.py times: each expression once in Weft's words, once for NumPy, numexpr and blosc2, and once as a
formula for JAX and PyTorch."""
import math

import numpy as np

try:
    from scipy.special import erf
except ImportError:  # then NumPy takes no part where erf is needed
    erf = None

f16, f32, f64, u8 = np.float16, np.float32, np.float64, np.uint8
GAIN = np.array([1.25, 0.75, 0.75], f32)
MEAN = np.array([123.7, 116.3, 103.5], f32)
SCALE = np.array([1 / 58.4, 1 / 57.1, 1 / 57.4], f32)
RATE, VOLATILITY = 0.02, 0.3
DRIFT = RATE + VOLATILITY * VOLATILITY / 2
BLACK_SCHOLES = f"""d = (log(s / k) + {DRIFT!r} * t) / ({VOLATILITY} * sqrt(t)); e = d - {VOLATILITY} * sqrt(t)
0.5 * (s * (1 + erf(d * {math.sqrt(0.5)!r})) - k * exp({-RATE} * t) * (1 + erf(e * {math.sqrt(0.5)!r})))"""


class Case:
    """One expression for everybody. numpy: a function of the inputs and `out` that writes into out with as few
    temporaries as NumPy allows, or None where it lacks a function; numexpr: a text for numexpr and blosc2, or None
    where they lack an operation, and names: what stands for its names that are no inputs; formula: a function of a
    library's words (of_jax, of_torch in compare.py) and the inputs. tolerance: how far a peer may be from Weft's
    result, over the largest result."""

    def __init__(self, name, text, inputs, out, numpy, numexpr, formula, tolerance=0.0, **names):
        self.name, self.text, self.inputs, self.out = name, text, inputs, out
        self.numpy, self.numexpr, self.formula, self.tolerance = numpy, numexpr, formula, tolerance
        self.names = {**inputs, **names}

    def bytes(self):
        return self.out.nbytes + sum(array.nbytes for array in self.inputs.values())


def aligned(shape, dtype):
    """Uninitialized, on a 64-byte boundary."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    raw = np.zeros(size + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start:start + size].view(dtype).reshape(shape)


def filled(array, random):
    if array.dtype == u8:
        array[...] = random.integers(0, 256, array.shape, u8)
    else:
        array[...] = random.standard_normal(array.shape, f32)
    return array


def between(low, high, count, random):
    """float64 from low to high."""
    array = aligned((count,), f64)
    array[...] = random.uniform(low, high, count)
    return array


def numpy_headline(out, img):
    np.rint(np.clip(img * GAIN, f32(128), f32(255)), out=out, casting="unsafe")


def numpy_gray(out, img):
    np.rint(f32(0.299) * img[..., 0] + f32(0.587) * img[..., 1] + f32(0.114) * img[..., 2], out=out, casting="unsafe")


def numpy_softmax(out, x):
    np.subtract(x, x.max(-1, keepdims=True), out=out)
    np.exp(out, out=out)
    out /= out.sum(-1, keepdims=True)


def numpy_blend(out, a, b):
    np.multiply(a, f32(0.4), out=out)
    out += b * f32(0.6)


def numpy_normalize(out, img):
    np.subtract(img, MEAN, out=out)
    np.multiply(out, SCALE, out=out)


def numpy_length(out, x, y):
    np.multiply(x, x, out=out)
    out += y * y
    np.sqrt(out, out=out)


def numpy_gauss(out, x):
    np.multiply(x, x, out=out)
    np.multiply(out, f32(-0.5), out=out)
    np.exp(out, out=out)


def numpy_leaky(out, x):
    np.multiply(x, f32(0.1), out=out)
    np.copyto(out, x, where=x > 0)


def numpy_every_second(out, x, y):
    np.multiply(x[::2], f32(2), out=out)
    out += y


def numpy_sigmoid(out, x):
    np.negative(x, out=out)
    np.exp(out, out=out)
    out += f16(1)
    np.divide(f16(1), out, out=out)


def numpy_gamma(out, img):
    np.rint(f32(255) * (img * f32(1 / 255)) ** f32(0.45), out=out, casting="unsafe")


def numpy_black_scholes(out, s, k, t):
    spread = VOLATILITY * np.sqrt(t)
    d = (np.log(s / k) + DRIFT * t) / spread
    np.multiply(s, 1 + erf(d * math.sqrt(0.5)), out=out)
    out -= k * np.exp(-RATE * t) * (1 + erf((d - spread) * math.sqrt(0.5)))
    out *= 0.5


def black_scholes(l, s, k, t):
    spread = VOLATILITY * l.sqrt(t)
    d = (l.log(s / k) + DRIFT * t) / spread
    above, below = l.erf(d * math.sqrt(0.5)), l.erf((d - spread) * math.sqrt(0.5))
    return 0.5 * (s * (1 + above) - k * l.exp(-RATE * t) * (1 + below))


def of_bytes(count, scale, random):
    picture = (count // 3, 3) if count else (max(8, int(2160 * scale)), 3840, 3)
    img = filled(aligned(picture, u8), random)
    small, real = aligned(picture, u8), aligned(picture, f32)
    yield Case("picture: uint8 to uint8", "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))",
               {"img": img}, small, numpy_headline, None,
               lambda l, img: l.u8(l.rint(l.clip(img * l.array(GAIN), 128.0, 255.0))))
    yield Case("normalize: uint8 to float32", "(img - [123.7, 116.3, 103.5]) * [1/58.4, 1/57.1, 1/57.4]",
               {"img": img}, real, numpy_normalize, None, lambda l, img: (img - l.array(MEAN)) * l.array(SCALE), 1e-6)
    # Halfway between two bytes the order of the sum decides, and a gray value there is one apart.
    yield Case("gray: uint8 to uint8", "uint8(0.299 * img[..., 0] + 0.587 * img[..., 1] + 0.114 * img[..., 2])",
               {"img": img}, aligned(picture[:-1], u8), numpy_gray, None,
               lambda l, img: l.u8(l.rint(0.299 * l.f32(img[..., 0]) + 0.587 * l.f32(img[..., 1]) +
                                          0.114 * l.f32(img[..., 2]))), 1 / 255)
    # Where a value is nearly halfway between two bytes the last bits of pow decide.
    yield Case("gamma: pow of uint8 to uint8", "uint8(255 * (img * (1/255)) ** 0.45)", {"img": img}, small, numpy_gamma,
               None, lambda l, img: l.u8(l.rint(255 * (l.f32(img) * (1 / 255)) ** 0.45)), 1 / 255)


def of_floats(count, random):
    a, b = (filled(aligned((count // 3, 3), u8), random) for _ in range(2))
    x, y, twice = (filled(aligned((size,), f32), random) for size in (count, count, 2 * count))
    flat, mixed = aligned(x.shape, f32), aligned(a.shape, f32)
    yield Case("blend: two uint8 to float32", "a * 0.4 + b * 0.6", {"a": a, "b": b}, mixed, numpy_blend,
               None, lambda l, a, b: l.f32(a) * 0.4 + l.f32(b) * 0.6, 1e-4)
    yield Case("length: two float32", "sqrt(x * x + y * y)", {"x": x, "y": y}, flat, numpy_length,
               "sqrt(x * x + y * y)", lambda l, x, y: l.sqrt(x * x + y * y), 1e-6)
    yield Case("bell: exp of float32", "exp(x * x * -0.5)", {"x": x}, flat, numpy_gauss,
               "exp(x * x * m)", lambda l, x: l.exp(x * x * -0.5), 1e-6, m=f32(-0.5))
    yield Case("leaky: where on float32", "where(x > 0, x, x * 0.1)", {"x": x}, flat, numpy_leaky,
               "where(x > z, x, x * t)", lambda l, x: l.where(x > 0, x, x * 0.1), 1e-7, z=f32(0), t=f32(0.1))
    rows = x[:count // 1000 * 1000].reshape(-1, 1000) if count >= 1000 else x.reshape(1, -1)
    yield Case("softmax: rows of float32", "softmax(x)", {"x": rows}, aligned(rows.shape, f32), numpy_softmax, None,
               lambda l, x: l.softmax(x), 1e-5)
    yield Case("add: two float32", "x + y", {"x": x, "y": y}, flat, lambda out, x, y: np.add(x, y, out=out),
               "x + y", lambda l, x, y: x + y)
    yield Case("every second float32", "x[::2] * 2.0 + y", {"x": twice, "y": y}, flat, numpy_every_second,
               "half * two + y", lambda l, x, y: x[::2] * 2.0 + y, half=twice[::2], two=f32(2))


def of_other_widths(count, random):
    x = aligned((count,), f16)
    x[...] = random.standard_normal(count, f32)
    yield Case("sigmoid: exp of float16", "1 / (1 + exp(-x))", {"x": x}, aligned(x.shape, f16), numpy_sigmoid, None,
               lambda l, x: 1 / (1 + l.exp(-x)), 2e-3)
    values = {"s": between(50, 150, count, random), "k": between(50, 150, count, random),
              "t": between(0.1, 2, count, random)}
    yield Case("Black-Scholes in float64", BLACK_SCHOLES, values, aligned((count,), f64),
               numpy_black_scholes if erf else None, None, black_scholes, 1e-13)


def cases(count=None, scale=1.0):
    """With `count` all results have about so many elements."""
    random = np.random.default_rng(7)
    yield from of_bytes(count, scale, random)
    count = (count or max(64, int(64 * 224 * 224 * 3 * scale))) // 3 * 3
    yield from of_floats(count, random)
    yield from of_other_widths(count, random)
