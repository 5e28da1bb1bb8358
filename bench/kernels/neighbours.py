"""Neighbours (section 10 of docs/language.md), and positions and chance (section 12), beside NumPy, SciPy's ndimage,
OpenCV, JAX and PyTorch, and against a copy of as many bytes:

    /usr/bin/python3 bench/kernels/neighbours.py [the options of selections.py]

Contenders take turns as in selections.py. OpenCV's kernels of bytes round in fixed point, so they may differ by 1."""
import importlib

import numpy as np
import selections
from selections import Case, cv2, f32, high, jnp, torch, u8

try:
    ndimage = importlib.import_module("scipy.ndimage")
except ImportError:
    ndimage = None
    selections.SKIPPED.append("SciPy")

LAPLACE2 = np.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], f32)
LAPLACE3 = np.zeros((3, 3, 3), f32)
LAPLACE3[1, 1], LAPLACE3[1, :, 1], LAPLACE3[:, 1, 1], LAPLACE3[1, 1, 1] = (1, 0, 1), (1, 0, 1), (1, 0, 1), -6
BINOMIAL3, BINOMIAL5 = np.outer([1, 2, 1], [1, 2, 1]), np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1])
GAUSS = np.exp(-0.5 * (np.arange(-15, 16) / 5.0) ** 2)
GAUSS = (GAUSS / GAUSS.sum()).astype(f32)
SOBEL = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]], f32)


def scipy(function):
    return {"SciPy": function} if ndimage and "scipy" in selections.OPTIONS.peers else {}


def numpy_correlate(k, mode, axes, divide=None):
    """k's terms, each on a padded copy."""
    def run(out, x):
        widths = [(0, 0)] * x.ndim
        for axis, extent in zip(axes, k.shape):
            widths[axis] = (extent // 2, extent // 2)
        padded, total = np.pad(x, widths, mode), 0
        for j in np.ndindex(*k.shape):
            if k[j]:
                at = [slice(None)] * x.ndim
                for axis, place in zip(axes, j):
                    at[axis] = slice(place, place + x.shape[axis])
                total = total + padded[tuple(at)] * k[j]
        out[...] = divide(total) if divide else total
    return run


def rolled(library, u, axes):
    """Sums of both neighbours along each axis, less u."""
    total = -2 * len(axes) * u
    for axis in axes:
        total = total + library.roll(u, 1, axis) + library.roll(u, -1, axis)
    return total


def sobel_numpy(out, x):
    parts = [np.empty_like(x), np.empty_like(x)]
    for part, k in zip(parts, (SOBEL, SOBEL.T)):
        numpy_correlate(k, "edge", (0, 1))(part, x)
    np.sqrt(parts[0] ** 2 + parts[1] ** 2, out=out)


def sobel_cv(out, x):
    border = cv2.BORDER_REPLICATE
    cv2.magnitude(cv2.Sobel(x, cv2.CV_32F, 1, 0, borderType=border), cv2.Sobel(x, cv2.CV_32F, 0, 1, borderType=border),
                  out)


def sobel_scipy(out, x):
    np.hypot(ndimage.correlate(x, SOBEL, mode="nearest"), ndimage.correlate(x, SOBEL.T, mode="nearest"), out=out)


def jax_correlate(k, axes):
    """As a convolution of one channel, of a padded picture."""
    import jax

    def run(x):
        widths = [(0, 0)] * x.ndim
        for axis, extent in zip(axes, k.shape):
            widths[axis] = (extent // 2, extent // 2)
        padded = jnp().pad(x, widths, "edge")
        total = 0
        for j in np.ndindex(*k.shape):
            starts = [0] * x.ndim
            for axis, place in zip(axes, j):
                starts[axis] = place
            total = total + float(k[j]) * jax.lax.dynamic_slice(padded, starts, x.shape)
        return total
    return run


def text(array):
    return str(np.asarray(array).tolist())


def blur(name, k, dtype, shape, goal=None):
    total = int(k.sum())
    if dtype == u8:
        program = f'uint8((correlate(img, {text(k)}, "reflect", axes=[0, 1]) + {total // 2}) // {total})'
        numpy = numpy_correlate(k, "reflect", (0, 1), lambda sums: (sums + total // 2) // total)
        more = scipy(lambda out, img: np.floor_divide(
            ndimage.correlate(img.astype(np.int32), k[..., None], mode="mirror") + total // 2, total, out=out,
            casting="unsafe"))
    else:
        program = f'correlate(img, {text(k / total)}, "reflect", axes=[0, 1])'
        numpy = numpy_correlate((k / total).astype(f32), "reflect", (0, 1))
        weights = (k / total).astype(f32)
        more = scipy(lambda out, img: ndimage.correlate(
            img, weights[..., None] if img.ndim == 3 else weights, output=out, mode="mirror"))
    size = k.shape[::-1]
    return Case(name, program, {"img": (dtype, shape)}, numpy,
                cv=lambda out, img: cv2.GaussianBlur(img, size, 0, dst=out, borderType=cv2.BORDER_REFLECT_101),
                tolerance=1 if dtype == u8 else 1e-4, goal=goal, more=more)


def twice(name, k, shape):
    """A blur in two passes, each rounded, as OpenCV and SciPy do it."""
    def numpy(out, img):
        first = np.empty_like(img)
        numpy_correlate(k, "reflect", (0,))(first, img)
        numpy_correlate(k, "reflect", (1,))(out, first)
    program = f'k = {text(k)}; correlate(correlate(img, k, "reflect", axes=0), k, "reflect", axes=1)'
    return Case(name, program, {"img": (f32, shape)}, numpy, tolerance=1e-4,
                cv=lambda out, img: cv2.GaussianBlur(img, (len(k),) * 2, 0, dst=out, borderType=cv2.BORDER_REFLECT_101),
                more=scipy(lambda out, img: ndimage.correlate1d(ndimage.correlate1d(img, k, 0, mode="mirror"), k, 1,
                                                                output=out, mode="mirror")))


def torch_weighted(n):
    def run(img, k):
        padded = torch.nn.functional.pad(img.to(torch.float32)[None, None], [n // 2] * 4, "reflect")
        return torch.nn.functional.conv2d(padded, k.to(torch.float32)[None, None])[0, 0]
    return run


def weighted(n, dtype):
    """A k of n x n that is no outer product, an input. OpenCV takes Fourier transforms of large ones."""
    program = 'correlate(img, k, "reflect")' if dtype == f32 else 'float32(correlate(int32(img), k, "reflect"))'

    def numbers(x):
        return x if dtype == f32 else x.astype(np.int32)

    def opencv(out, img, k):
        cv2.filter2D(img, cv2.CV_32F, k if dtype == f32 else k.astype(f32), dst=out,
                     borderType=cv2.BORDER_REFLECT_101)
    return Case(f"weights{n}_{'f32' if dtype == f32 else 'u8'}", program,
                {"img": (dtype, (high(1080), 1920)), "k": (dtype, (n, n))},
                lambda out, img, k: numpy_correlate(numbers(k), "reflect", (0, 1))(out, numbers(img)),
                torch=torch_weighted(n) if torch else None, cv=opencv,
                tolerance=1e-3 if dtype == f32 else 0 if n < 11 else 64,
                more=scipy(lambda out, img, k: np.copyto(out, ndimage.correlate(numbers(img), numbers(k),
                                                                                mode="mirror"), casting="unsafe")))


def unsharp(shape):
    """A 5 x 5 that is no outer product: the picture and what a blur takes from it."""
    k = -BINOMIAL5.astype(f32) / 256
    k[2, 2] += 2
    return Case("unsharp5_f32", f'correlate(img, {text(k)}, "reflect", axes=[0, 1])', {"img": (f32, shape)},
                numpy_correlate(k, "reflect", (0, 1)), tolerance=1e-4,
                cv=lambda out, img: cv2.filter2D(img, -1, k, dst=out, borderType=cv2.BORDER_REFLECT_101),
                more=scipy(lambda out, img: ndimage.correlate(img, k, output=out, mode="mirror")))


def cases():
    line, square, cube = (high(32 << 20),), (high(2048), 2048), (high(192), 192, 192)
    photo, gray = (high(1080), 1920, 3), (high(1080), 1920)
    yield Case("difference", 'offset(u, 1, "edge") - u', {"u": (f32, line)},
               lambda out, u: np.subtract(np.append(u[1:], u[-1:]), u, out=out),
               lambda u: jnp().append(u[1:], u[-1:]) - u, lambda u: torch.cat((u[1:], u[-1:])) - u)
    yield Case("laplace2d", f'correlate(u, {text(LAPLACE2)}, "wrap")', {"u": (f32, square)},
               lambda out, u: np.copyto(out, rolled(np, u, (0, 1))), lambda u: rolled(jnp(), u, (0, 1)),
               lambda u: rolled(torch, u, (0, 1)), goal=0.6, tolerance=1e-4,
               more=scipy(lambda out, u: ndimage.correlate(u, LAPLACE2, output=out, mode="wrap")))
    yield Case("laplace3d", f'correlate(u, {text(LAPLACE3)}, "wrap")', {"u": (f32, cube)},
               lambda out, u: np.copyto(out, rolled(np, u, (0, 1, 2))), lambda u: rolled(jnp(), u, (0, 1, 2)),
               lambda u: rolled(torch, u, (0, 1, 2)), tolerance=1e-4,
               more=scipy(lambda out, u: ndimage.correlate(u, LAPLACE3, output=out, mode="wrap")))
    yield blur("blur3_u8", BINOMIAL3, u8, photo)
    yield blur("blur5_u8", BINOMIAL5, u8, photo)
    yield blur("blur3_f32", BINOMIAL3, f32, gray)
    yield blur("blur5_f32", BINOMIAL5, f32, gray)
    yield unsharp(gray)
    for name, shape in (("gray", gray), ("photo", photo)):
        yield twice(f"blur5_twice_{name}", np.float32([1, 4, 6, 4, 1]) / 16, shape)
    yield Case("sobel", f'gx = correlate(x, {text(SOBEL)}, "edge"); gy = correlate(x, {text(SOBEL.T)}, "edge"); '
               "sqrt(gx * gx + gy * gy)", {"x": (f32, gray)}, sobel_numpy, cv=sobel_cv, tolerance=1e-4,
               more=scipy(sobel_scipy))
    yield Case("gauss31", f'correlate(x, {text(GAUSS)}, "edge", axes=1)', {"x": (f32, gray)},
               numpy_correlate(GAUSS, "edge", (1,)), jax_correlate(GAUSS, (1,)) if selections.jax else None,
               cv=lambda out, x: cv2.sepFilter2D(x, -1, GAUSS, np.ones(1, f32), dst=out,
                                                 borderType=cv2.BORDER_REPLICATE),
               tolerance=1e-4, more=scipy(lambda out, x: ndimage.correlate1d(x, GAUSS, 1, output=out, mode="nearest")))
    for dtype in (f32, u8):
        for n in (7, 11, 15, 31):
            yield weighted(n, dtype)
    yield from chances(gray)


def chances(gray):
    """Noise, of which everybody has other numbers; a histogram; samples at points."""
    rng = np.random.Generator(np.random.SFC64(7))

    def jax_noise(normal):
        def run(x):
            import jax
            key = jax.random.key(7)
            return x + 0.1 * (jax.random.normal if normal else jax.random.uniform)(key, x.shape, f32)
        return run
    yield Case("noise", "x + 0.1 * random(x, 7)", {"x": (f32, gray)},
               lambda out, x: np.add(x, f32(0.1) * rng.random(x.shape, f32), out=out), jax_noise(False),
               lambda x: x + 0.1 * torch.rand_like(x), tolerance=1)
    yield Case("noise_normal", "x + 0.1 * random_normal(x, 7)", {"x": (f32, gray)},
               lambda out, x: np.add(x, f32(0.1) * rng.standard_normal(x.shape, f32), out=out), jax_noise(True),
               lambda x: x + 0.1 * torch.randn_like(x), tolerance=3)
    yield Case("histogram", 'scatter(broadcast_to(0, [256]), int32(img)[..., None], 1, "add")', {"img": (u8, gray)},
               lambda out, img: np.copyto(out, np.bincount(img.ravel(), minlength=256)),
               lambda img: jnp().zeros(256, np.int32).at[img].add(1),
               lambda img: torch.bincount(img.flatten(), minlength=256).to(torch.int32),
               cv=lambda out, img: np.copyto(out, cv2.calcHist([img], [0], None, [256], [0, 256]).ravel(),
                                             casting="unsafe"))
    points = "p = clamp(at * 200 + [500, 900], 0, [1000, 1900]); sample(x, p)"

    def place(at):
        return np.clip(at * f32(200) + f32([500, 900]), 0, f32([1000, 1900]))
    yield Case("sample", points, {"x": (f32, gray), "at": (f32, (high(1080), 960, 2))},
               lambda out, x, at: numpy_sample(out, x, place(at)),
               cv=lambda out, x, at: cv2.remap(x, *(np.ascontiguousarray(place(at)[..., d]) for d in (1, 0)),
                                               cv2.INTER_LINEAR, dst=out), tolerance=0.5,
               more=scipy(lambda out, x, at: ndimage.map_coordinates(x, place(at).transpose(2, 0, 1), out, order=1)))


def numpy_sample(out, x, at):
    low = np.floor(at).astype(np.int64)
    y, z = low[..., 0], low[..., 1]
    t, s = (at - low)[..., 0], (at - low)[..., 1]
    top = x[y, z] + s * (x[y, z + 1] - x[y, z])
    below = x[y + 1, z] + s * (x[y + 1, z + 1] - x[y + 1, z])
    out[...] = top + t * (below - top)


selections.cases = cases
if __name__ == "__main__":
    selections.main()
