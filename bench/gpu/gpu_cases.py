"""What bench/gpu/gpu.py measures: a text for Weft, and for each peer the same formula as its users would write it.

`formula` is for everybody who traces or fuses (CuPy's fuse, torch.compile, jax.jit) and, in float64, for the reference;
its first argument has the words in which they differ. `kernel` is the body of a CuPy ElementwiseKernel over operands n
(its signature) with i as the number of the element, or None; `eager` writes into `out` with as few of PyTorch's kernels
as it allows."""
import numpy as np

import gpu_arrays

f32, u8, f16, i64 = np.float32, np.uint8, np.float16, np.int64
GAIN = np.array([1.25, 0.75, 0.75], f32)
MEAN, DEVIATION = np.array([123.7, 116.3, 103.5], f32), np.array([58.4, 57.1, 57.4], f32)
ROTATED = 4e8  # bytes of operands that a case rotates over: many times the caches of a GPU


class Case:
    """inputs: name to (shape, dtype), or to an array of constants; hidden: those that stand in Weft's text as
    literals and that peers take as arrays. A shape that is a list is a batch's. `place`: where its arrays lie."""

    def __init__(self, name, text, inputs, out, formula, kernel, eager, tolerance=0.0, hidden=(), place=None):
        self.name, self.text, self.inputs, self.out, self.hidden = name, text, inputs, out, hidden
        self.formula, self.kernel, self.eager, self.tolerance = formula, kernel, eager, tolerance
        self.ragged, self.place = isinstance(out[0], list), place or gpu_arrays.Place()

    def bytes(self):
        """Each input read once, the result written once."""
        return exact_bytes(*self.out) + sum(
            spec.nbytes if isinstance(spec, np.ndarray) else exact_bytes(*spec)
            for name, spec in self.inputs.items() if name not in self.hidden)


def exact_bytes(shape, dtype):
    shapes = shape if isinstance(shape, list) else [shape]
    return sum(int(np.prod(one, dtype=np.int64)) for one in shapes) * np.dtype(dtype).itemsize


def scaled(count, scale, least=1):
    return max(least, int(count * scale))


def flat(scale):
    """Contiguous, 2^25 elements."""
    n = (scaled(1 << 25, scale, 1000),)
    yield Case("float32", "x * 2 + 1", {"x": (n, f32)}, (n, f32), lambda w, x: x * 2 + 1,
               ("float32 x", "float32 out", "out = x * 2 + 1"),
               lambda torch, out, x: torch.add(x * 2, 1, out=out), 1e-6)
    yield Case("uint8 to float32", "img * 0.00392", {"img": (n, u8)}, (n, f32), lambda w, img: w.f32(img) * 0.00392,
               ("uint8 img", "float32 out", "out = img * 0.00392f"),
               lambda torch, out, img: torch.mul(img, 0.00392, out=out), 1e-6)
    yield Case("polynomial, ten operations", "((((x * 0.3 + 0.7) * x - 1.1) * x + 0.4) * x - 0.2) * x + 1.5",
               {"x": (n, f32)}, (n, f32),
               lambda w, x: ((((x * 0.3 + 0.7) * x - 1.1) * x + 0.4) * x - 0.2) * x + 1.5,
               ("float32 x", "float32 out",
                "out = ((((x * 0.3f + 0.7f) * x - 1.1f) * x + 0.4f) * x - 0.2f) * x + 1.5f"),
               lambda torch, out, x: torch.add(((((x * 0.3 + 0.7) * x - 1.1) * x + 0.4) * x - 0.2) * x, 1.5, out=out),
               1e-5)
    yield Case("sin, exp and sqrt", "sin(x) * exp(x * -0.5) + sqrt(abs(x))", {"x": (n, f32)}, (n, f32),
               lambda w, x: w.sin(x) * w.exp(x * -0.5) + w.sqrt(w.abs(x)),
               ("float32 x", "float32 out", "out = sin(x) * exp(x * -0.5f) + sqrt(fabs(x))"),
               lambda torch, out, x: torch.add(torch.sin(x) * torch.exp(x * -0.5), torch.sqrt(torch.abs(x)), out=out),
               1e-5)


def pictures(scale):
    side = 224 if scale == 1 else 17
    clip = (scaled(64, scale), side, side, 3)
    yield Case("blend of two uint8 batches", "0.4 * a + 0.6 * b", {"a": (clip, u8), "b": (clip, u8)}, (clip, f32),
               lambda w, a, b: w.f32(a) * 0.4 + w.f32(b) * 0.6,
               ("uint8 a, uint8 b", "float32 out", "out = 0.4f * a + 0.6f * b"),
               lambda torch, out, a, b: torch.add(a * 0.4, b, alpha=0.6, out=out), 1e-5)
    large = (scaled(16, scale), 1080, 1920, 3) if scale == 1 else (2, 9, 11, 3)
    yield Case("headline: uint8 to uint8, a gain for each channel", "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))",
               {"img": (large, u8), "gain": GAIN}, (large, u8),
               lambda w, img, gain: w.u8(w.rint(w.clip(w.f32(img) * gain, 128, 255))),
               ("uint8 img, raw float32 gain", "uint8 out",
                "out = rint(fmin(fmax(img * gain[i % 3], 128.0f), 255.0f))"),
               lambda torch, out, img, gain: out.copy_((img * gain).clamp_(128, 255).round_()), 1 / 255,
               hidden=("gain",))
    batch = (scaled(256, scale), side, side, 3)
    yield Case("normalize: uint8 to float16, mean and deviation of each channel", "float16((x - mean) / std)",
               {"x": (batch, u8), "mean": MEAN, "std": DEVIATION}, (batch, f16),
               lambda w, x, mean, std: w.f16((w.f32(x) - mean) / std),
               ("uint8 x, raw float32 mean, raw float32 std", "float16 out", "out = (x - mean[i % 3]) / std[i % 3]"),
               lambda torch, out, x, mean, std: torch.div(x - mean, std, out=out), 2e-3)


def broadcasts(scale):
    r, k = scaled(8192, scale, 7), scaled(4096, scale, 33)
    yield Case("a row on float32", "x + row", {"x": ((r, k), f32), "row": ((k,), f32)}, ((r, k), f32),
               lambda w, x, row: x + row, ("float32 x, float32 row", "float32 out", "out = x + row"),
               lambda torch, out, x, row: torch.add(x, row, out=out), 1e-6)
    yield Case("a column on float32", "x * column", {"x": ((r, k), f32), "column": ((r, 1), f32)}, ((r, k), f32),
               lambda w, x, column: x * column, ("float32 x, float32 column", "float32 out", "out = x * column"),
               lambda torch, out, x, column: torch.mul(x, column, out=out), 1e-6)


def ragged(scale):
    low, high, count = (200, 640, 256) if scale == 1 else (3, 20, 9)
    yield batch_of(f"a ragged batch of {count} pictures", shapes_between(low, high, count))
    low, high, count = (16, 96, 4096) if scale == 1 else (2, 9, 24)
    yield batch_of(f"a ragged batch of {count} small pictures", shapes_between(low, high, count))


def shapes_between(low, high, count):
    return [(int(h), int(w), 3) for h, w in np.random.default_rng(3).integers(low, high, (count, 2))]


def batch_of(name, shapes):
    """Of one picture or, for a list of shapes, of a batch."""
    return Case(name, "(x - 127.5) * 0.0078125", {"x": (shapes, u8)}, (shapes, f32),
                lambda w, x: (w.f32(x) - 127.5) * 0.0078125,
                ("uint8 x", "float32 out", "out = (x - 127.5f) * 0.0078125f"),
                lambda torch, out, x: torch.mul(x - 127.5, 0.0078125, out=out), 1e-6)


def places(scale):
    """Data that are not aligned: a byte behind a line, crops, rows of odd widths."""
    n = (scaled(1 << 26, scale, 1000),)
    tall, wide = (4320, 1920) if scale == 1 else (9, 11)
    for name, shape, place in (("one byte behind a line", n, gpu_arrays.Place(shift=1)),
                               ("crops of pictures", (tall, wide, 3), gpu_arrays.Place(shift=3, gap=5)),
                               ("an odd width", (tall, wide - 1, 3), gpu_arrays.Place())):
        yield Case(f"uint8 max, {name}", "max(a, b)", {"a": (shape, u8), "b": (shape, u8)}, (shape, u8),
                   lambda w, a, b: w.max(a, b), ("uint8 a, uint8 b", "uint8 out", "out = max(a, b)"),
                   lambda torch, out, a, b: torch.maximum(a, b, out=out), place=place)
    odd = (tall, wide + 1)
    yield Case("uint8 to float32, rows of odd widths and a column", "img * column",
               {"img": (odd, u8), "column": ((tall, 1), f32)}, (odd, f32), lambda w, img, column: w.f32(img) * column,
               ("uint8 img, float32 column", "float32 out", "out = img * column"),
               lambda torch, out, img, column: torch.mul(img, column, out=out), 1e-6)


def reductions(scale):
    """All elements, rows, columns, and what stands above them. A result of one element has one dimension."""
    n = (scaled(1 << 26, scale, 3000),)
    r, k = scaled(8192, scale, 70), scaled(4096, scale, 300)
    yield Case("sum of float32", "sum(x, keepdims=true)", {"x": (n, f32)}, ((1,), f32),
               lambda w, x: w.sum(x, 0).reshape(1),
               None, lambda torch, out, x: torch.sum(x, dim=0, keepdim=True, out=out), 1e-4)
    yield Case("mean of squares of differences", "mean((x - y) ** 2, keepdims=true)", {"x": (n, f32), "y": (n, f32)},
               ((1,), f32), lambda w, x, y: w.mean((x - y) ** 2, 0).reshape(1),
               None, lambda torch, out, x, y: torch.mean((x - y) ** 2, dim=0, keepdim=True, out=out), 1e-4)
    yield Case("sums of rows", "sum(x, axes=1)", {"x": ((r, k), f32)}, ((r,), f32), lambda w, x: w.sum(x, 1),
               None, lambda torch, out, x: torch.sum(x, dim=1, out=out), 1e-4)
    yield Case("sums of columns", "sum(x, axes=0)", {"x": ((r, k), f32)}, ((k,), f32), lambda w, x: w.sum(x, 0),
               None, lambda torch, out, x: torch.sum(x, dim=0, out=out), 1e-4)
    yield Case("means of channels, uint8", "mean(x, axes=[0, 1])", {"x": ((r, scaled(4096, scale, 7), 3), u8)},
               ((3,), f32), lambda w, x: w.mean(w.mean(w.f32(x), 0), 0),
               None, lambda torch, out, x: torch.mean(x.to(torch.float32), dim=(0, 1), out=out), 1e-4)
    yield Case("means of columns, uint8", "mean(x, axes=0)", {"x": ((scaled(1 << 16, scale, 1100), k - k % 4), u8)},
               ((k - k % 4,), f32), lambda w, x: w.mean(w.f32(x), 0),
               None, lambda torch, out, x: torch.mean(x.to(torch.float32), dim=0, out=out), 1e-4)
    yield Case("softmax", "softmax(x)", {"x": ((r, k), f32)}, ((r, k), f32),
               lambda w, x: w.exp(x) / w.sum(w.exp(x), 1).reshape(-1, 1),
               None, lambda torch, out, x: torch.softmax(x, 1, out=out), 1e-5)
    yield Case("positions of the greatest", "argmax(x, axes=1)", {"x": ((r, k), f32)}, ((r,), i64),
               lambda w, x: w.argmax(x, 1),
               None, lambda torch, out, x: out.copy_(torch.argmax(x, dim=1)))
    yield Case("lengths of short vectors", "norm(x, axes=1)", {"x": ((scaled(1 << 24, scale, 500), 3), f32)},
               ((scaled(1 << 24, scale, 500),), f32), lambda w, x: w.sqrt(w.sum(x * x, 1)),
               None, lambda torch, out, x: torch.linalg.vector_norm(x, dim=1, out=out), 1e-5)


def selections(scale):
    """Neighbours, steps, planes of pixels, and elements at positions."""
    n, tall, wide = scaled(1 << 25, scale, 1000), scaled(4320, scale, 9), 1920 if scale == 1 else 11
    yield Case("differences of neighbours", "x[1:] - x[:-1]", {"x": ((n,), f32)}, ((n - 1,), f32),
               lambda w, x: x[1:] - x[:-1],
               ("raw float32 x", "float32 out", "out = x[i + 1] - x[i]"),
               lambda torch, out, x: torch.sub(x[1:], x[:-1], out=out), 1e-6)
    yield Case("every second element", "x[::2] * 2", {"x": ((2 * n,), f32)}, ((n,), f32), lambda w, x: x[::2] * 2,
               ("raw float32 x", "float32 out", "out = x[2 * i] * 2"),
               lambda torch, out, x: torch.mul(x[::2], 2, out=out), 1e-6)
    yield Case("planes of pixels", "float16(transpose(img, [2, 0, 1]) * 0.0078125)", {"img": ((tall, wide, 3), u8)},
               ((3, tall, wide), f16),
               lambda w, img: w.f16(w.f32(img.reshape(-1, 3).T.reshape(3, tall, wide)) * 0.0078125),
               ("raw uint8 img", "float16 out", f"out = img[i % {tall * wide} * 3 + i / {tall * wide}] * 0.0078125f"),
               lambda torch, out, img: out.copy_(img.permute(2, 0, 1) * 0.0078125), 1e-3)
    yield Case("a 1 x 3 blur by slices", "(img[:, :-2] + img[:, 1:-1] * 2.0 + img[:, 2:]) / 4",
               {"img": ((tall, wide, 3), u8)}, ((tall, wide - 2, 3), f32),
               lambda w, img: (w.f32(img[:, :-2]) + w.f32(img[:, 1:-1]) * 2 + w.f32(img[:, 2:])) / 4,
               None, lambda torch, out, img: torch.div(img[:, :-2] + img[:, 1:-1] * 2.0 + img[:, 2:], 4, out=out), 1e-6)


def cases(scale):
    for group in (reductions, selections, ragged, places, flat, pictures, broadcasts):
        yield from group(scale)


def small():
    """The case of launch overhead."""
    n = (1000,)
    return Case("1,000 elements", "a * b + c", {name: (n, f32) for name in "abc"}, (n, f32),
                lambda w, a, b, c: a * b + c,
                ("float32 a, float32 b, float32 c", "float32 out", "out = a * b + c"),
                lambda torch, out, a, b, c: torch.addcmul(c, a, b, out=out), 1e-6)


# ---- their data ----

class Sets:
    """As many sets of a case's operands as it takes to rotate over `bytes` of memory."""

    def __init__(self, room, case, random, total):
        self.case, self.count = case, max(1, -(-int(total) // max(1, case.bytes())))
        self.constants = {name: room.array(spec.shape, spec.dtype) for name, spec in case.inputs.items()
                          if isinstance(spec, np.ndarray)}
        for name, array in self.constants.items():
            array.upload(case.inputs[name])
        self.sets = [self.make(room, random) for _ in range(self.count)]

    def make(self, room, random):
        place = self.case.place
        inputs = {name: self.constants.get(name) or room.array(*spec, place) for name, spec in self.case.inputs.items()}
        for name, array in inputs.items():
            if name not in self.constants:
                random.fill(array)
        return inputs, room.array(*self.case.out, place)

    def for_weft(self, inputs):
        return {name: array for name, array in inputs.items() if name not in self.case.hidden}

    def types(self):
        """Weft's inputs in the language's words."""
        return {name: array.type_text() for name, array in self.for_weft(self.sets[0][0]).items()}


def types_of(case):
    """The same without any memory."""
    types = {}
    for name, spec in case.inputs.items():
        shape, dtype = (spec.shape, spec.dtype) if isinstance(spec, np.ndarray) else spec
        if name not in case.hidden:
            types[name] = gpu_arrays.make(None, 0, shape, dtype, 2).type_text()
    return types
