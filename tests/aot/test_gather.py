"""Loads of which kernels gather vectors (transposed, interleaved, deinterleaved), and joins, ahead of time against
NumPy: on shapes with and without room for vectors, and on strides of which no fast class knows. And random numbers of
batches. WEFT in the environment is the command's path."""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "positions"))
import reference

WEFT = os.environ.get("WEFT", "weft")
SMALL, PLANE = [(1, 1), (3, 64), (65, 7), (0, 5)], [(130, 257), (64, 64), (33, 1000), (1000, 20)]
PICTURE = [(1, 1, 3), (5, 40, 3), (0, 9, 3), (40, 333, 3), (3, 2000, 3)]
# The declared types of a, b and c, the text, the same by NumPy, and shapes, from which `given` makes those of the
# inputs.
KERNELS = {
    "turn8": ("uint8[h, w]", "transpose(a)", lambda a: a.T, SMALL + PLANE),
    "turn16": ("uint16[h, w]", "transpose(a)", lambda a: a.T, SMALL + PLANE),
    "turn32": ("float32[h, w]", "transpose(a)", lambda a: a.T, SMALL + PLANE),
    "turn64": ("float64[h, w]", "transpose(a)", lambda a: a.T, SMALL + PLANE),
    "turn_more": ("int16[h, w]; int16[w, h]", "transpose(a) * 3 + b", lambda a, b: a.T.astype("i4") * 3 + b,
                  SMALL + PLANE),
    "planes": ("uint8[h, w, 3]", "transpose(a, [2, 0, 1])", lambda a: a.transpose(2, 0, 1), PICTURE),
    "pixels": ("float32[3, h, w]", "transpose(a, [1, 2, 0])", lambda a: a.transpose(1, 2, 0),
               [(3, 1, 1), (3, 5, 40), (3, 40, 333)]),
    "swap": ("uint8[h, w, 3]", "a[..., ::-1]", lambda a: a[..., ::-1], PICTURE),
    "mirror": ("uint8[h, w, 3]", "a[:, ::-1]", lambda a: a[:, ::-1], PICTURE),
    "twice": ("uint8[h, w, 3]", "repeat(repeat(a, 2, 0), 2, 1)", lambda a: a.repeat(2, 0).repeat(2, 1), PICTURE),
    "parts": ("uint16[h, w, 3]", "a[..., 0] + a[..., 1] * 2 + a[..., 2] * 3",
              lambda a: np.tensordot(a.astype("i4"), [1, 2, 3], 1).astype("i4"), PICTURE),
    "fields": ("float32[n, 6]; int16[n, 7]",
               "a[:, 0] + a[:, 1] * a[:, 2] - a[:, 3] * a[:, 4] - a[:, 5] + max(b, axis=1)",
               lambda a, b: a[:, 0] + a[:, 1] * a[:, 2] - a[:, 3] * a[:, 4] - a[:, 5] + b.max(1),
               [(1, 6), (64, 6), (333, 6), (20000, 6)]),
    "joined": ("int32[h, w]", "max(a, axis=-1)", lambda a: a.max(1), PLANE),
    "stacked": ("uint8[h, w]; uint8[h, w]; uint8[h, w]", "stack(a, b, c, axis=-1)",
                lambda a, b, c: np.stack((a, b, c), -1), SMALL + PLANE),
    "alpha": ("uint8[h, w, 3]; uint8[h, w, 1]", "concat(a, b, axis=2)", lambda a, b: np.concatenate((a, b), 2),
              PICTURE),
    "below": ("int32[h, w, 3]; int32[g, w, 3]", "concat(a, b)", lambda a, b: np.concatenate((a, b)), PICTURE),
    "beside": ("uint8[h, w, 3]; uint8[h, v, 3]", "concat(a, b, axis=1)[:, ::-1]",
               lambda a, b: np.concatenate((a, b), 1)[:, ::-1], PICTURE),
    "rolled": ("float64[n]", "roll(a, 70)", lambda a: np.roll(a, 70), [(1,), (70,), (1000,)]),
    "rolled_far": ("float64[n]", "roll(a, 2**62 + 1)", lambda a: np.roll(a, (2**62 + 1) % a.size),
                   [(5,), (70,), (999,)]),
}
SETTINGS = {"plain": ([], []), "native": ([], ["-march=native"]),
            "levels": (["--isa", "x86-64-v2,x86-64-v3,x86-64-v4"], [])}
# Of each layer the settings, and of how many kernels one is tried.
LAYERS = {"quick": {"native": 3}, "usual": {"plain": 4, "native": 2}, "full": dict.fromkeys(SETTINGS, 1)}


def given(types, shape):
    """The inputs' dtypes and shapes; of further ones letters stand for the first one's extents, g and v are others."""
    first, *others = [declared.strip().split("[") for declared in types.split(";")]
    letters = [letter.strip() for letter in first[1].rstrip("]").split(",")]
    extents = {**dict(zip(letters, shape)), "g": 3, "v": 70}
    found = [(first[0], shape)]
    for dtype, inside in others:
        found.append((dtype, tuple(extents[x.strip()] if x.strip() in extents else int(x)
                                   for x in inside.rstrip("]").split(","))))
    return found


def laid(array, how):
    """The same elements, laid out otherwise."""
    if how == "turned":
        return np.ascontiguousarray(array.T).T
    if how == "backwards":
        return np.ascontiguousarray(array[::-1])[::-1]
    if how == "apart":
        wide = np.zeros(array.shape[:-1] + (2 * array.shape[-1],), array.dtype)
        wide[..., ::2] = array
        return wide[..., ::2]
    return array


class Array(ctypes.Structure):
    """struct weft_array."""
    _fields_ = [("data", ctypes.c_void_p), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64))]


class Gathers(unittest.TestCase):
    def build(self, here, setting, names):
        text = ""
        for name in names:
            types, body, _, _ = KERNELS[name]
            declared = ", ".join(f"{letter}: {t.strip()}" for letter, t in zip("abc", types.split(";")))
            text += f"kernel {name}({declared}) {{ return {body} }}\n"
        return self.build_text(here, setting, text)

    def build_text(self, here, setting, text):
        build, flags = SETTINGS[setting]
        (here / f"{setting}.weft").write_text(text)
        flags = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", *flags]
        for command in ([WEFT, "build", f"{setting}.weft", "--bundle", setting, *build, "-o", "."],
                        ["gcc", *flags, f"{setting}.c", "weft_support.c", "-lm", "-o", f"{setting}.so"]):
            subprocess.run(command, cwd=here, check=True)
        return ctypes.CDLL(str(here / f"{setting}.so"))

    def check(self, library, name, arrays, expected):
        numbers = lambda items: (ctypes.c_int64 * max(len(items), 1))(*items)
        out = np.full(expected.shape, 77, expected.dtype)
        arguments = []
        for x in arrays:
            arguments += [ctypes.c_void_p(x.ctypes.data), numbers(x.shape),
                          numbers([s // x.itemsize for s in x.strides])]
        arguments += [ctypes.c_void_p(out.ctypes.data), numbers(out.shape), None]
        self.assertEqual(getattr(library, f"{name}_strided")(*arguments), 0)
        self.assertEqual(out.tobytes(), expected.tobytes())

    def test_functions_of_each_level(self):
        """Everything that is compiled for several instruction sets has a name for each."""
        random = np.random.default_rng(6)
        with tempfile.TemporaryDirectory(prefix="weft-aot-") as scratch:
            library = self.build(pathlib.Path(scratch), "levels", ["parts", "fields", "joined"])
            for name in ("parts", "fields", "joined"):
                types, _, numpy, shapes = KERNELS[name]
                inputs = [random.integers(0, 200, s).astype(d) for d, s in given(types, shapes[-1])]
                self.check(library, name, inputs, np.ascontiguousarray(numpy(*inputs)))

    def test_shapes(self):
        random = np.random.default_rng(5)
        with tempfile.TemporaryDirectory(prefix="weft-aot-") as scratch:
            for setting, share in LAYERS[os.environ.get("WEFT_LAYER") or "full"].items():
                names = list(KERNELS)[::share]
                library = self.build(pathlib.Path(scratch), setting, names)
                for name in names:
                    types, _, numpy, shapes = KERNELS[name]
                    for shape in shapes:
                        inputs = [random.integers(0, 200, s).astype(d) for d, s in given(types, shape)]
                        expected = np.ascontiguousarray(numpy(*inputs))
                        for how in ("dense", "turned", "backwards", "apart"):
                            with self.subTest(setting=setting, name=name, shape=shape, how=how):
                                self.check(library, name, [laid(x, how) for x in inputs], expected)

    def test_chance(self):
        """The number of a sample is that of what random has its shape from: a tensor for all samples has 0."""
        text = "kernel noise(a: float32[h, w], b: float32[w]) { return random(a, 5) - random(b, 5)[0] }\n"
        shapes, one = [(3, 5), (3, 5), (70, 5), (1, 5)], np.zeros(5, np.float32)
        with tempfile.TemporaryDirectory(prefix="weft-aot-") as scratch:
            library = self.build_text(pathlib.Path(scratch), "plain", text)
        ins, outs = ([np.zeros(shape, np.float32) for shape in shapes] for _ in range(2))
        kept = [(ctypes.c_int64 * len(x.shape))(*x.shape) for x in ins + [one]]
        arrays = lambda items: (Array * len(items))(*(Array(x.ctypes.data, shape, None) for x, shape in items))
        status = library.noise_batch(ctypes.c_int64(len(ins)), arrays(list(zip(ins, kept))), ctypes.c_int64(1),
                                     arrays([(one, kept[-1])]), ctypes.c_int64(0), arrays(list(zip(outs, kept))))
        self.assertEqual(status, 0)
        for number, (shape, out) in enumerate(zip(shapes, outs)):
            want = reference.random(shape, 5, 0, number) - reference.random((5,), 5)[0]
            self.assertEqual(out.tobytes(), want.tobytes(), f"sample {number}")


if __name__ == "__main__":
    unittest.main()
