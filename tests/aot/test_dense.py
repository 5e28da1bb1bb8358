#!/usr/bin/env python3
"""Dense entries alone beside those of all entries: the same bits where rows take turns, values are kept in a result's
array, blocks go a shorter way, columns are joined side by side, float16 is converted by instructions, and extremes are
found as integers.

    test_dense.py                              the command is $WEFT, else `weft`"""
import ctypes
import os
import re
import subprocess
import tempfile
import unittest

import numpy as np

WEFT = os.environ.get("WEFT", "weft")
KERNELS = """
kernel soft(x: float32[h, w]) { return out = softmax(x) }
kernel deep(x: float64[h, 3, w]) { return out = softmax(x, axis=-1) }
kernel beside(x: float32[h, w], y: float32[h, w]) { return out = softmax(x) * y }
kernel norm(x: float32[h, w]) {
    return out = (x - mean(x, axis=-1, keepdims=true)) / sqrt(var(x, axis=-1, keepdims=true) + 1e-5) }
kernel place(x: float32[h, w]) { return out = argmax(x, axis=-1) }
kernel most(x: float32[h, w]) { return a = max(x, axis=-1), b = min(x) }
kernel wide(x: float64[h, w]) { return a = max(x, axis=0), b = min(x, axis=-1) }
kernel powers(x: float32[h, w]) { return a = exp(x) * 2, b = exp2(x) }
kernel power(x: float32[h, w]) { return out = exp(x) }
kernel logs(x: float32[h, w]) { return out = log(x) + tanh(x) }
kernel angles(x: float32[h, w]) { return a = sin(x), b = cos(x), c = tan(x) }
kernel curve(x: float64[h, w]) { return out = exp(x) - 1 }
kernel added(x: float32[h, w]) { return out = sum(exp(x), axis=-1) }
kernel halves(x: float16[h, w], y: float16[h, w]) { return out = x * y }
kernel half(x: float16[h, w]) { return a = sum(x, axis=-1), b = exp(x) }
kernel raised(y: float64[h, w]) { return b = abs(y) ** 1.5, c = y % 0.75, d = y // 0.75 }
kernel halved(i: int32[h, w], j: int32[h, w]) { return r = i % (abs(j) + 1), s = sin(float32(i)) }
kernel root(x: float32[h, w]) { return out = sqrt(x) }
kernel cast(x: float32[h, w]) { return a = int8(x), b = uint8(x), c = int32(x), d = uint16(x) }
kernel scaled(x: float16[h, w], a: float16[], b: float16[]) { return out = a * x + b }
kernel mixed(x: float16[h, w], y: float32[h, w], z: float64[h, w]) {
    return a = x * y + 0.5, b = x + z, c = uint8(x * y) }
kernel packed(x: uint8[h, w], y: float32[h, w]) { return out = uint8(x * y + 0.5) }
kernel shorts(x: float32[h, w]) { return a = int16(x * 900), b = uint16(x * 2000), c = uint8(x * 8), d = int8(x * 5) }
kernel saturated(x: float64[h, w]) {
    return a = int16(x * 900), b = uint16(x * 2000), c = uint8(x * 8), d = int8(x * 5) }
kernel narrowed(x: float64[h, w]) { return out = int32(x * 1e8) }
kernel ties(x: float32[h, w]) { return out = int32(x * 6e7) }
kernel octets(x: float64[h, w]) { return out = uint8(x * 8) }
kernel signs(x: float16[h, w]) { return out = int8(x) }
kernel whites(x: float32[h, w]) { return out = uint8(x * 8) }
kernel widths(x: float16[h, w]) { return out = uint16(x * 1e4) }
kernel coins(x: int16[h, w], y: int16[w]) { return out = int16(x * 1.5 + y) }
kernel levels(x: uint8[h, w]) { return out = float16(x * 1.2) }
kernel curved(x: float32[h, w]) { return out = int16(exp(x)) }
kernel stretched(x: float16[h, w], y: float16[w]) { return a = x * y + 2, b = where(x < y, x, y) }
kernel choice(x: float16[h, w], y: float16[h, w]) { return out = where(x < y, (x - y) * 2, x + y * 3) - x }
kernel chosen(x: float32[h, w], y: float32[h, w]) { return out = where(x < 2, x * y, y) + where(y < x, x, y) }
kernel column(x: float32[h, w]) { return a = sum(x, axis=0), b = max(x, axis=0), c = sum(x * x + 1, axis=0) }
kernel columns(x: float64[h, w]) { return a = prod(x, axis=0), b = std(x, axis=0), c = min(x, axis=0) }
kernel bytes(x: uint8[h, w]) { return a = sum(x, axis=0), b = max(x, axis=0), c = any(x > 30, axis=0) }
kernel layers(x: float16[h, 3, w]) { return a = mean(x, axis=1), b = max(x, axis=0), c = sum(x, axis=[0, 1]) }
kernel fixed(x: float32[h, 40], y: int16[w, 11]) { return a = sum(x, axis=0), b = sum(y, axis=0), c = min(y, axis=0) }
kernel taken(lanes: float32[h, w], columns: float32[h, w]) {
    return rank = sum(lanes * columns, axis=0), at = max(lanes + columns, axis=0), rows = argmax(columns, axis=0) }
kernel few(x: float32[h, 3], y: uint8[w, 7], z: float64[h, 5, 2]) {
    return a = sum(x * x, axis=0), b = sum(y, axis=0), c = max(x, axis=0), d = prod(z, axis=1), e = mean(z, axis=0) }
kernel weighed(x: float32[h, w], y: float32[w], z: uint8[h, 3, w]) {
    return a = sum(x * y, axis=0), b = max(x + y, axis=0), c = sum(int8(z) * [[1], [2], [3]], axis=1) }
kernel masks(x: bool[h, w], y: float32[h, w], z: float16[h, w]) {
    return a = float32(x), b = x * y, c = float16(x), d = float64(x) + int16(x), e = where(x, y, 1), f = z > 1 }
kernel first(x: float32[h, w]) {
    return a = argmax(x), b = argmin(x, axis=0), c = argmin(transpose(x)), d = argmax(x * 0) }
kernel firsts(x: uint8[h, w], y: float64[h, w]) { return a = argmax(x, axis=-1), b = argmin(y, axis=-1) + argmax(y) }
kernel numbers(x: float16[h, w]) {
    return a = argmax(x, axis=-1), b = index(x, 0, int64) + index(x, 1, int64), c = index(x, 1) * 2 }
kernel row(x: float64[h, w]) { return a = sum(x, axis=-1), b = prod(x, axis=-1), c = sum(x) }
kernel whole(x: int16[h, w]) { return a = max(x), b = sum(x, axis=-1), c = any(x > 3, axis=-1) }
"""
FIXED = """
kernel gained(x: uint8[7, 11, 3], y: float32[3]) { return out = uint8(x * y + 0.5) }
kernel scaled3(x: float16[7, 11, 3], y: float16[3]) { return out = x * y + 1 }
kernel crossed(x: int32[2]) { return out = x * [1, 10] + [[0], [100]] }
kernel rounded(x: int64[3, 2]) { return out = float64(mean(x, axis=0)) }
"""
# kernel: what its text has, and what it does not have
FORMS = {
    "halves(x: float16[n]) { return out = x * x }": (
        ["decode_32(", "encode_32(", "n - n % 32", "decode_1("], ["_block("]),
    "masked(x: bool[n], y: float16[n]) { return out = x * y }": (
        ["(const unsigned char *)x)[", "decode_32("], ["_block("]),
    "few(x: float16[63]) { return out = x * x }": (["decode_f16_f32(x["], ["_32(", "_1("]),
    "enough(x: float16[64]) { return out = x * x }": (["decode_32("], ["_block("]),
    "wide(x: float16[n], y: float64[n]) { return out = float16(x * 2) + y }": (["decode_32(values_1"], ["_block("]),
    "powers(x: float16[n]) { return out = exp(x) }": (["decode_block(", "from += 256"], ["from += 32"]),
    "packed(x: float32[n]) { return out = uint8(x * 2) }": (["narrow_f32_u8(out", "n % 32"], ["_block("]),
    "pattern(x: float32[n, 3], y: float32[3]) { return out = uint8(x * y) }": (
        ["narrow_f32_u8(", "pattern_1[from % 96 + k]", "pattern_1[from % 96]"], ["_block("]),
    "shorts(x: float64[n]) { return out = int16(x * 2) }": (["narrow_f64_i16(out + from, values_1)"], ["_block("]),
    "longs(x: float32[n]) { return out = uint32(x * 2) }": (["out[i] = roundsat"], ["from", "values_1"]),
    "curve(x: float32[n]) { return out = int8(exp(x)) }": (
        ["narrow_block_f32_i8(out", "from += 256"], ["n % 32"]),
    "bytes_to_bytes(x: uint8[n]) { return out = uint8(x * 1.2) }": (["widen_u8_f32(values_1, x + from)"], ["_block("]),
    "floats(x: uint8[n]) { return out = x * 1.2 }": (["out[i] = "], ["widen", "from"]),
    "rows(x: float32[m, n]) { return out = sum(x, axis=-1) }": (["join_add_f32(x + p * n, n)"], ["columns"]),
    "blocks(x: float32[m, n]) { return out = sum(x * x, axis=-1) }": (["join_block_add_f32("], ["join_add_f32("]),
    "columns(x: float32[m, n]) { return out = sum(x, axis=0) }": (
        ["n >= 16", "lanes[k % 16 * 16 + c]", "n < 16", "c < width"], ["values[1024]"]),
    "doubles(x: float64[m, n]) { return out = sum(x, axis=0) }": (["n >= 8", "tree[48 * 128]"], ["values[1024]"]),
    "bytes(x: uint8[m, n]) { return out = sum(x, axis=0) }": (
        ["n >= 64", "from += 64)", "n < 64", "k += rows)", "from += 64 * rows)"], ["values[1024]"]),
    "weighed(x: float32[m, n], y: float32[n]) { return out = sum(x * y, axis=0) }": (
        ["lanes[k % 16 * columns + c]"], ["width", "values[1024]"]),
    "tops(x: float32[m, n]) { return out = max(x, axis=0) }": (["int32_t lanes[16]", "value_of_greatest_f32"], ["NAN"]),
    "narrow(x: float32[m, 7]) { return out = sum(x, axis=0) }": (["width", "tree[48 * 112]"], ["columns", " at "]),
    "weights(x: float32[m, 7], y: float32[7]) { return out = sum(x * y, axis=0) }": (["values[1024]"], ["width"]),
    "less(x: float32[m, 8], y: float32[8]) { return out = sum(x * y, axis=0) }": (
        ["lanes[k % 16 * 8 + c]"], ["values[1024]", " at "]),
    "known(x: float32[m, 16]) { return out = sum(x, axis=0) }": (["j = at + 16"], ["width", ">= 16"]),
    "first(x: float32[n]) { return out = argmax(x) }": (["any |= ", "break;"], ["weft_lend", "% 256"]),
    "across(x: float32[m, n]) { return out = argmax(x, axis=0) }": (["(i64)k"], ["any |= ", "% 256"]),
}
C_TYPES = {"float32": np.float32, "float64": np.float64, "float16": np.float16, "int16": np.int16,
           "int32": np.int32, "uint8": np.uint8, "bool": np.bool_}


def values(dtype, shape, rare):
    random = np.random.default_rng(5)
    x = (random.integers(0, 2, shape) if dtype == "bool"
         else random.uniform(0 if dtype == "uint8" else -40, 40, shape)).astype(C_TYPES[dtype])
    if rare and x.size > 5 and x.dtype.kind == "f":
        flat = x.reshape(-1)
        flat[random.integers(0, x.size, 1 + x.size // 50)] = np.inf
        flat[random.integers(0, x.size, 1 + x.size // 50)] = -np.inf
        flat[random.integers(0, x.size, 1 + x.size // 30)] = -0.0
        flat[random.integers(0, x.size, 1 + x.size // 30)] = 0.0
        flat[random.integers(0, x.size, 1 + x.size // 40)] = -98.5
        if x.itemsize > 2:
            flat[random.integers(0, x.size, 1 + x.size // 40)] = (3e9, -7e30)[rare - 1]
        if rare > 1:
            flat[random.integers(0, x.size, 1 + x.size // 90)] = np.nan
            flat[-1] = -np.abs(np.nan)
    return x


class Forms(unittest.TestCase):
    def test_forms(self):
        """Which loops a kernel becomes."""
        with tempfile.TemporaryDirectory() as there:
            for kernel, (has, lacks) in FORMS.items():
                with open(f"{there}/k.weft", "w", encoding="utf-8") as file:
                    file.write(f"kernel {kernel}")
                subprocess.run([WEFT, "build", f"{there}/k.weft", "-o", there, "-q", "--bundle", "k", "--entries",
                                "dense"], check=True)
                with open(f"{there}/k.c", encoding="utf-8") as file:
                    text = file.read().split("\nint ", 1)[1]
                with self.subTest(kernel=kernel):
                    self.assertEqual([word for word in has if word not in text], [], text)
                    self.assertEqual([word for word in lacks if word in text], [], text)


class Names(unittest.TestCase):
    def test_names(self):
        """Kernels with names of the source's own functions and types, which they use; alone and in one file."""
        names = ["roundsat_f32_u8", "narrow_f32_u8", "whole_f32_u8", "f32", "u8", "decode_32", "encode_1", "nearest_1"]
        text = "".join(f"kernel {name}({name}: float16[n]) {{ return uint8({name} * 1.2), float16({name} * 1.5) }}\n"
                       for name in names)
        for form in [], ["--bundle", "k"]:
            with tempfile.TemporaryDirectory() as there, self.subTest(form=form):
                with open(f"{there}/k.weft", "w", encoding="utf-8") as file:
                    file.write(text)
                subprocess.run([WEFT, "build", f"{there}/k.weft", "-o", there, "-q", "--entries", "dense", *form],
                               check=True)
                sources = [f"{there}/{name}" for name in os.listdir(there) if name.endswith(".c")]
                self.assertEqual(len(sources), 1 if form else len(names))
                for source in sources: # what people read has their own names
                    with open(source, encoding="utf-8") as file:
                        text_of_file = file.read()
                    self.assertEqual(re.findall(r'"[^"\n]*weft_own[^"\n]*"|/\*[^*]*weft_own', text_of_file), [])
                subprocess.run(["cc", "-std=c11", "-pedantic-errors", "-Wall", "-Werror", "-march=native", "-shared",
                                "-fPIC", *sources, "-lm", "-o", f"{there}/k.so"], check=True)


class Bits(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.libraries = []
        for form in [], ["--entries", "dense"]:
            there = os.path.join(cls.folder.name, form[-1] if form else "all")
            os.mkdir(there)
            with open(f"{there}/k.weft", "w", encoding="utf-8") as file:
                file.write(KERNELS + FIXED)
            subprocess.run([WEFT, "build", f"{there}/k.weft", "-o", there, "-q", "--bundle", "k", *form], check=True)
            sources = [f"{there}/{name}" for name in os.listdir(there) if name.endswith(".c")]
            subprocess.run(["cc", "-std=gnu11" if not form else "-std=c11", "-O2", "-march=native", "-shared", "-fPIC",
                            *sources, "-lm", "-o", f"{there}/k.so"], check=True)
            cls.libraries.append(ctypes.CDLL(f"{there}/k.so"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def call(self, library, name, arrays, extents, outputs):
        results = [np.full(max(1, 8 * max(a.size for a in arrays) + 4096), 77, np.uint8) for _ in range(outputs)]
        given = [ctypes.c_void_p(a.ctypes.data) if a.ndim else ctypes.c_uint16(int(a.view(np.uint16))) for a in arrays]
        given += [ctypes.c_int64(e) for e in extents]
        given += [ctypes.c_void_p(r.ctypes.data) for r in results]
        self.assertEqual(getattr(library, name)(*given), 0)
        return results

    def test_same(self):
        tried = 0
        for line in " ".join(KERNELS.replace("\n   ", " ").split("\n")).split("kernel ")[1:]:
            name, parameters = line.split("(", 1)[0], line.split("(", 1)[1].split(") {")[0]
            types = re.findall(r": (\w+)\[([^]]*)", parameters)
            outputs = 1 if "out =" in line else line.split("return")[1].count(" = ")
            for h, w in (1, 1), (3, 17), (2, 300), (5, 1024), (1, 5001), (700, 3), (2100, 37), (1025, 16), (19, 5):
                for rare in 0, 1, 2:
                    extents = {"h": h, "w": w}
                    shapes = [[int(extents.get(one, one)) for one in dims.split(", ")] for _, dims in types if dims]
                    arrays = [values(t, [int(extents.get(one, one)) for one in dims.split(", ")], rare) if dims
                              else values(t, 1, 0).reshape(()) for t, dims in types]
                    both = [self.call(library, name, arrays, (h, w), outputs) for library in self.libraries]
                    with self.subTest(name=name, shapes=shapes, rare=rare):
                        for a, b in zip(*both):
                            self.assertTrue(self.equal(a, b), f"{name} {shapes} {rare}")
                    tried += 1
        self.assertGreater(tried, 200)

    def test_fixed(self):
        """What gcc makes of few statements without a loop; extents of 1 among others."""
        x, y = np.array([1, 2], np.int32), np.array([[2**63 - 1, -2**63], [2**63 - 1, -2**63], [1, 0]])
        for library in self.libraries:
            crossed, = self.call(library, "crossed", [x], (), 1)
            self.assertEqual(crossed[:16].view(np.int32).tolist(), [1, 20, 101, 120])
            rounded, = self.call(library, "rounded", [y], (), 1)
            self.assertEqual(rounded[:16].view(np.float64).tolist(), [6148914874488455168.0, -6148914874488455168.0])

    def test_patterns(self):
        for name, x, y in ("gained", "uint8", "float32"), ("scaled3", "float16", "float16"):
            arrays = [values(x, (7, 11, 3), 0), values(y, 3, 0)]
            one, other = [self.call(library, name, arrays, (), 1)[0] for library in self.libraries]
            self.assertTrue(np.array_equal(one, other), name)

    def equal(self, a, b):
        """Of one element type or another; of NaN any bits count as the same."""
        if np.array_equal(a, b):
            return True
        size = a.size // 8 * 8
        for dtype in np.float64, np.float32, np.float16:
            x, y = a[:size].view(dtype), b[:size].view(dtype)
            bits = f"u{x.itemsize}"
            if np.all((x.view(bits) == y.view(bits)) | (np.isnan(x) & np.isnan(y))):
                return True
        return False


if __name__ == "__main__":
    unittest.main()
