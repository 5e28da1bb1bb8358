"""Selections, joins and positions (sections 9 and 12 of docs/language.md) against a copy of as many bytes:

    /usr/bin/python3 bench/kernels/selections.py [--build build] [--threads 1] [--scale 1.0] [--only WORDS]
                                                    [--processor-time] [--save NAME]

`bytes` are what a case has to read and write, once each. `of copy` is the time of copying as many (the faster of memcpy
and a copy with non-temporal stores, by as many threads) over the case's; 1 is the limit of memory. NumPy is required.
JAX, PyTorch and OpenCV take part where they are installed, and are named as skipped where they are not; JAX and PyTorch
return a new array each time, everybody else writes into the same one. Every contender's result is compared with NumPy's
first. All take turns in one run, and the best time counts. The first five cases have goals on one thread."""
import argparse
import ctypes
import importlib
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0, help="of the pictures' heights and of the lines' lengths")
    parser.add_argument("--only", help="cases whose name holds one of these words, separated by commas")
    parser.add_argument("--peers", default="jax,torch,cv2", help="of NumPy's; others are not asked")
    parser.add_argument("--disable", default="", help="fast paths that Weft goes without")
    parser.add_argument("--save")
    parser.add_argument("--seconds", type=float, default=0.5, help="for each contender of a case")
    parser.add_argument("--processor-time", action="store_true", help="for one thread on a busy machine")
    parser.add_argument("--no-compile", action="store_true", help="without torch.compile")
    return parser.parse_args()


OPTIONS = options()
os.environ["OMP_NUM_THREADS"] = str(OPTIONS.threads)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:OPTIONS.threads])

import numpy as np  # noqa: E402
from buffers import aligned, compile_c  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402


def optional(name):
    try:
        return importlib.import_module(name) if name in OPTIONS.peers.split(",") else None
    except ImportError:
        return None


jax, torch, cv2 = (optional(name) for name in ("jax", "torch", "cv2"))
SKIPPED = [name for name, module in (("JAX", jax), ("PyTorch", torch), ("OpenCV", cv2)) if not module]
if torch:
    torch.set_num_threads(OPTIONS.threads)
    torch.set_grad_enabled(False)
if cv2:
    cv2.setNumThreads(OPTIONS.threads)

f32, u8 = np.float32, np.uint8
MEAN = np.array([123.7, 116.3, 103.5], f32)
SCALE = np.array([1 / 58.4, 1 / 57.1, 1 / 57.4], f32)


def high(n):
    """A picture's height, or the length of a line."""
    return max(8, int(n * OPTIONS.scale))


def filled(shape, dtype, random):
    array = aligned(int(np.prod(shape)), dtype)
    if array.dtype.kind == "u":
        array.view(u8)[...] = random.integers(0, 256, array.nbytes, u8)
    else:
        array[...] = random.standard_normal(array.size, f32)
    return array.reshape(shape)


def same(got, want, tolerance):
    if not tolerance or got.shape != want.shape:
        return np.array_equal(got, want)
    return np.max(np.abs(got.astype(f32) - want.astype(f32))) <= tolerance


class Case:
    """A text and what others write for it. `inputs`: names, dtypes and shapes. `numpy` writes into its first argument;
    `jax`, `torch` (and `compiled`, by torch.compile) return a new array; `cv` writes into its first argument.
    `read`: bytes that are read, where these are not all of the inputs'. `more`: further contenders by name, which
    write into their first argument."""

    def __init__(self, name, text, inputs, numpy, jax=None, torch=None, cv=None, goal=None, tolerance=0.0, read=None,
                 more=None):
        self.more = more or {}
        self.name, self.text, self.numpy, self.jax, self.torch, self.cv = name, text, numpy, jax, torch, cv
        self.goal, self.tolerance, self.read, self.shapes = goal, tolerance, read, inputs

    def make(self, random):
        self.inputs = {name: filled(shape, dtype, random) for name, (dtype, shape) in self.shapes.items()}


def numpy_gray(out, img):
    gray = img[..., 0] * f32(0.299)
    gray += img[..., 1] * f32(0.587)
    gray += img[..., 2] * f32(0.114)
    np.rint(gray, out=out, casting="unsafe")


def numpy_chw(out, img):
    for c in range(3):
        np.subtract(img[..., c], MEAN[c], out=out[c])
        out[c] *= SCALE[c]


def numpy_hwc(out, x):
    np.copyto(out, np.transpose(x, (1, 2, 0)))


def numpy_fill(out):
    out[...] = np.arange(out.size, dtype=out.dtype)


def numpy_repeat(out, img):
    h, w, c = img.shape
    out.reshape(h, 2, w, 2, c)[...] = img[:, None, :, None]


def numpy_tile(out, img):
    h, w, c = img.shape
    out.reshape(2, h, 3, w, c)[...] = img[None, :, None]


def jax_gray(img):
    gray = img[..., 0] * 0.299 + img[..., 1] * 0.587 + img[..., 2] * 0.114
    return jax.numpy.rint(gray).astype(u8)


def torch_gray(img):
    return torch.round(img[..., 0] * 0.299 + img[..., 1] * 0.587 + img[..., 2] * 0.114).to(torch.uint8)


def torch_chw(img):
    return ((img - torch.from_numpy(MEAN)) * torch.from_numpy(SCALE)).permute(2, 0, 1).contiguous()


def jnp():
    return jax.numpy


def cases():
    picture, photo, line = (high(2000), 3000, 3), (high(2160), 3840, 3), (high(32 << 20),)
    square, flat = (high(2000), 2000), (high(2000), 3000)
    yield Case("gray", "uint8(0.299*img[...,0] + 0.587*img[...,1] + 0.114*img[...,2])",
               {"img": (u8, (high(4000), 6000, 3))}, numpy_gray, jax_gray, torch_gray,
               lambda out, img: cv2.cvtColor(img, cv2.COLOR_RGB2GRAY, dst=out), goal=0.75, tolerance=1)
    yield Case("chw", "transpose((img - [123.7, 116.3, 103.5]) * [1/58.4, 1/57.1, 1/57.4], [2, 0, 1])",
               {"img": (u8, photo)},
               numpy_chw, lambda img: jnp().transpose((img - MEAN) * SCALE, (2, 0, 1)), torch_chw, goal=0.55,
               tolerance=1e-4)
    yield Case("difference", "u[1:] - u[:-1]", {"u": (f32, line)}, lambda out, u: np.subtract(u[1:], u[:-1], out=out),
               lambda u: u[1:] - u[:-1], lambda u: u[1:] - u[:-1], goal=0.85)
    yield Case("flip", "img[:, ::-1]", {"img": (u8, photo)}, lambda out, img: np.copyto(out, img[:, ::-1]),
               lambda img: img[:, ::-1], lambda img: torch.flip(img, [1]),
               lambda out, img: cv2.flip(img, 1, dst=out), goal=0.8)
    yield Case("swap", "img[..., ::-1]", {"img": (u8, photo)}, lambda out, img: np.copyto(out, img[..., ::-1]),
               lambda img: img[..., ::-1], lambda img: torch.flip(img, [2]),
               lambda out, img: cv2.cvtColor(img, cv2.COLOR_RGB2BGR, dst=out))
    yield Case("permute", "img[..., [2, 0, 1]]", {"img": (u8, photo)},
               lambda out, img: np.take(img, [2, 0, 1], -1, out=out),
               lambda img: img[..., jnp().array([2, 0, 1])], lambda img: img[..., [2, 0, 1]],
               lambda out, img: cv2.mixChannels([img], [out], [2, 0, 0, 1, 1, 2]))
    yield Case("concat", "concat(a, b)", {"a": (u8, picture), "b": (u8, picture)},
               lambda out, a, b: np.concatenate((a, b), out=out), lambda a, b: jnp().concatenate((a, b)),
               lambda a, b: torch.cat((a, b)), lambda out, a, b: cv2.vconcat((a, b), dst=out), goal=0.8)
    yield Case("concat_beside", "concat(a, b, axis=1)", {"a": (u8, picture), "b": (u8, picture)},
               lambda out, a, b: np.concatenate((a, b), axis=1, out=out), lambda a, b: jnp().concatenate((a, b), 1),
               lambda a, b: torch.cat((a, b), 1), lambda out, a, b: cv2.hconcat((a, b), dst=out))
    yield Case("concat_alpha", "concat(img, alpha, axis=2)", {"img": (u8, picture), "alpha": (u8, picture[:2] + (1,))},
               lambda out, img, alpha: np.concatenate((img, alpha), axis=2, out=out),
               lambda img, alpha: jnp().concatenate((img, alpha), 2), lambda img, alpha: torch.cat((img, alpha), 2),
               lambda out, img, alpha: cv2.merge((img, alpha), dst=out))
    for name, dtype in (("transpose_u8", u8), ("transpose_u16", np.uint16), ("transpose_f32", f32),
                        ("transpose_f64", np.float64)):
        yield Case(name, "transpose(x)", {"x": (dtype, square)}, lambda out, x: np.copyto(out, x.T), lambda x: x.T,
                   lambda x: x.T.contiguous(), lambda out, x: cv2.transpose(x, dst=out))
    yield Case("transpose_add", "x + transpose(y)", {"x": (f32, square), "y": (f32, square[::-1])},
               lambda out, x, y: np.add(x, y.T, out=out), lambda x, y: x + y.T, lambda x, y: x + y.T)
    yield Case("chw_u8", "transpose(img, [2, 0, 1])", {"img": (u8, photo)},
               lambda out, img: np.copyto(out, np.transpose(img, (2, 0, 1))),
               lambda img: jnp().transpose(img, (2, 0, 1)),
               lambda img: img.permute(2, 0, 1).contiguous())
    yield Case("hwc_u8", "transpose(img, [1, 2, 0])", {"img": (u8, (3, high(2160), 3840))}, numpy_hwc,
               lambda img: jnp().transpose(img, (1, 2, 0)), lambda img: img.permute(1, 2, 0).contiguous())
    yield Case("hwc_f32", "transpose(x, [1, 2, 0])", {"x": (f32, (3, high(1080), 1920))}, numpy_hwc,
               lambda x: jnp().transpose(x, (1, 2, 0)), lambda x: x.permute(1, 2, 0).contiguous())
    yield Case("roll", "roll(x, 1000)", {"x": (f32, (high(4 << 20),))}, lambda out, x: np.copyto(out, np.roll(x, 1000)),
               lambda x: jnp().roll(x, 1000), lambda x: torch.roll(x, 1000))
    yield Case("roll_picture", "roll(img, [100, 200], [0, 1])", {"img": (u8, photo)},
               lambda out, img: np.copyto(out, np.roll(img, (100, 200), (0, 1))),
               lambda img: jnp().roll(img, (100, 200), (0, 1)), lambda img: torch.roll(img, (100, 200), (0, 1)))
    yield Case("stack", "stack(a, b, c)", {name: (f32, flat) for name in "abc"},
               lambda out, a, b, c: np.stack((a, b, c), out=out), lambda a, b, c: jnp().stack((a, b, c)),
               lambda a, b, c: torch.stack((a, b, c)))
    yield Case("stack_last", "stack(a, b, c, axis=-1)", {name: (u8, flat) for name in "abc"},
               lambda out, a, b, c: np.stack((a, b, c), axis=-1, out=out), lambda a, b, c: jnp().stack((a, b, c), -1),
               lambda a, b, c: torch.stack((a, b, c), -1), lambda out, a, b, c: cv2.merge((a, b, c), dst=out))
    yield Case("tile", "tile(img, [2, 3, 1])", {"img": (u8, (high(1000), 1000, 3))}, numpy_tile,
               lambda img: jnp().tile(img, (2, 3, 1)), lambda img: img.repeat(2, 3, 1))
    yield Case("twice", "repeat(repeat(img, 2, 0), 2, 1)", {"img": (u8, (high(1080), 1920, 3))}, numpy_repeat,
               lambda img: jnp().repeat(jnp().repeat(img, 2, 0), 2, 1),
               lambda img: img.repeat_interleave(2, 0).repeat_interleave(2, 1))
    yield Case("every_second", "x[::2]", {"x": (f32, line)}, lambda out, x: np.copyto(out, x[::2]), lambda x: x[::2],
               lambda x: x[::2].contiguous())
    yield Case("backwards", "x[::-1]", {"x": (f32, line)}, lambda out, x: np.copyto(out, x[::-1]), lambda x: x[::-1],
               lambda x: torch.flip(x, [0]))
    yield Case("arange", f"arange({high(4 << 20)})", {}, numpy_fill, lambda: jnp().arange(high(4 << 20)),
               lambda: torch.arange(high(4 << 20), dtype=torch.int32))
    yield Case("index", "x * index(x, 1)", {"x": (f32, flat)},
               lambda out, x: np.multiply(x, np.arange(x.shape[1], dtype=f32), out=out),
               lambda x: x * jnp().arange(x.shape[1]), lambda x: x * torch.arange(x.shape[1]))


def copies(work, total):
    half = total // 2 // 64 * 64
    source, target = aligned(half, u8), aligned(half, u8)
    for name in ("copy_plain", "copy_stream"):
        function = getattr(work, name + ("_threads" if OPTIONS.threads > 1 else ""))
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        yield lambda f=function: f(target.ctypes.data, source.ctypes.data, half)


def peers(case, out):
    """(name, a function that computes, a function that brings what it returned to NumPy)"""
    arrays = list(case.inputs.values())
    yield "NumPy", lambda: case.numpy(out, *arrays), lambda got: out
    if jax and case.jax:
        jax.config.update("jax_enable_x64", any(array.dtype == np.float64 for array in arrays))  # else it moves float32
        held = [jax.numpy.asarray(array) for array in arrays]
        function = jax.jit(case.jax)
        yield "JAX", lambda: function(*held).block_until_ready(), np.asarray
    if torch and case.torch:
        kept = [torch.from_numpy(array) for array in arrays]
        yield "PyTorch", lambda: case.torch(*kept), lambda got: got.numpy()
        if not OPTIONS.no_compile:
            torch._dynamo.reset()
            compiled = torch.compile(case.torch, dynamic=False)
            yield "PyTorch compiled", lambda: compiled(*kept), lambda got: got.numpy()
    if cv2 and case.cv:
        yield "OpenCV", lambda: case.cv(out, *arrays), lambda got: out
    for name, other in case.more.items():
        yield name, lambda write=other: write(out, *arrays), lambda got: out


def contenders(weft, case):
    """(name, function) pairs. Weft's result comes first; the others' are compared with it."""
    program = weft.compile(case.text)
    shape, dtype = weft.result(program, case.inputs)
    out = aligned(int(np.prod(shape)), dtype).reshape(shape)
    run, params = weft.bound(program, case.inputs, out)
    weft.prepare(program, params)
    run()
    want = out.copy()
    yield out, run, "Weft"
    for name, function, fetch in peers(case, out):
        out[...] = 0
        try:
            got = np.asarray(fetch(function()))
        except Exception as error:  # whatever it is, the peer cannot do this case
            print(f"  {name}: skipped, {str(error).splitlines()[0][:80] if str(error) else type(error).__name__}")
            continue
        if not same(got, want, case.tolerance):
            raise SystemExit(f"{case.name}: {name} differs from Weft")
        yield out, function, name


def run_case(weft, work, case, random):
    case.make(random)
    outs, functions, names = zip(*contenders(weft, case))
    size = outs[0].nbytes + (sum(array.nbytes for array in case.inputs.values()) if case.read is None else case.read)
    best = machine.measure([*copies(work, size), *functions], OPTIONS.seconds, least=1e-4, own=True,
                           clock=time.process_time if OPTIONS.processor_time else time.perf_counter)
    copy, times = min(best[:2]), dict(zip(names, best[2:]))
    fastest = min((name for name in names if name != "Weft"), key=times.get)
    print(f"{case.name:14} {case.text[:36]:36} {size / 1e6:6.0f} MB  copy {copy * 1e3:8.3f} ms" +
          "".join(f"  {name} {t * 1e3:8.3f} ({copy / t:.2f})" for name, t in times.items()) +
          f"   {fastest} x {times[fastest] / times['Weft']:.2f}" + (f"   goal {case.goal}" if case.goal else ""),
          flush=True)
    return {"case": case.name, "text": case.text, "bytes": size, "goal": case.goal, "copy_ms": copy * 1e3,
            "ms": {name: t * 1e3 for name, t in times.items()},
            "of_copy": {name: copy / t for name, t in times.items()},
            "best_peer": fastest, "times_best_peer": times[fastest] / times["Weft"]}


def main():
    print(machine.name(), f"{OPTIONS.threads} thread(s)")
    print("skipped, not installed or not asked for:", ", ".join(SKIPPED) or "none")
    with tempfile.TemporaryDirectory() as scratch:
        work = compile_c(scratch, "common/copy.c")
        weft = library.Weft(OPTIONS.build, disable=("first," + OPTIONS.disable).strip(",").encode())
        chosen = [case for case in cases()
                  if not OPTIONS.only or any(word in case.name for word in OPTIONS.only.split(","))]
        entries = [run_case(weft, work, case, np.random.default_rng(7)) for case in chosen]
    if OPTIONS.save:
        machine.save(OPTIONS.save, threads=OPTIONS.threads, skipped=SKIPPED, cases=entries)


if __name__ == "__main__":
    main()
