"""Files of every kind, against NumPy: .npy, .npz, .png, read and written; .jpg and .ppm, read."""

import io
import os
import resource
import struct
import subprocess
import unittest
import zipfile

import numpy as np

import jpegs
import pngs
from weft_test import CommandTest

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


def sample(dtype, shape):
    """Values all over the dtype's range."""
    rng = np.random.default_rng(7)
    count = int(np.prod(shape))
    if dtype == "?":
        return rng.integers(0, 2, count).astype("?").reshape(shape)
    if dtype[0] == "f":
        return (rng.standard_normal(count) * 1e3).astype(dtype).reshape(shape)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, count, dtype, endpoint=True).reshape(shape)


class FilesTest(CommandTest):
    def copy(self, source, target):
        """Through the command: the value unchanged."""
        self.good("run", "+x", "x=" + source, "-o", target)

    def same(self, a, b):
        self.assertEqual((a.dtype, a.shape), (b.dtype, b.shape))
        self.assertEqual(a.tobytes(), b.tobytes())

    def load(self, name):
        return np.load(self.path(name), allow_pickle=False)


class Npy(FilesTest):
    def test_dtypes_orders_and_byte_orders(self):
        for dtype in DTYPES:
            value = sample(dtype, (3, 4, 5))
            for order in "<", ">":
                for memory in "C", "F":
                    stored = np.asarray(value, order + dtype if dtype != "?" else dtype,
                                        order=memory)
                    np.save(self.path("a.npy"), stored)
                    self.copy("a.npy", "b.npy")
                    self.same(self.load("b.npy"), value)

    def test_versions(self):
        value = sample("f4", (2, 3))
        for version in (1, 0), (2, 0), (3, 0):
            with open(self.path("a.npy"), "wb") as file:
                np.lib.format.write_array(file, value, version)
            self.copy("a.npy", "b.npy")
            self.same(self.load("b.npy"), value)
            with open(self.path("a.npy"), "rb") as file:
                data = file.read()
            self.same(np.load(io.BytesIO(self.good("run", "+x", "x=-", "-o", "-", data=data))),
                      value)

    def test_shapes(self):
        for shape in [(), (1,), (0,), (0, 3), (3, 0, 2), (1, 1, 1), (2,) * 12, (1,) * 32]:
            value = sample("i2", shape)
            np.save(self.path("a.npy"), value)
            self.copy("a.npy", "b.npy")
            self.same(self.load("b.npy"), value)

    def test_unaligned_data_and_trailing_bytes(self):
        header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}"
        for pad in range(8):
            text = header + b" " * pad
            with open(self.path("a.npy"), "wb") as file:
                file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text +
                           np.array([1.5, 2.5]).tobytes() + b"trailing")
            self.copy("a.npy", "b.npy")
            self.same(self.load("b.npy"), np.array([1.5, 2.5]))

    def test_bool_bytes(self):
        value = np.array([0, 1, 2, 255], "u1").view("?")
        np.save(self.path("a.npy"), value)
        self.copy("a.npy", "b.npy")
        self.assertEqual(self.load("b.npy").view("u1").tolist(), [0, 1, 1, 1])

    def test_content_tells_the_kind(self):
        value = sample("u1", (2, 2))
        with open(self.path("data"), "wb") as file:
            np.save(file, value)
        self.copy("data", "b.npy")
        self.same(self.load("b.npy"), value)
        with open(self.path("other"), "wb") as file:
            file.write(b"neither of them")
        self.bad(1, 108, "run", "x", "x=other")
        with open(self.path("empty"), "wb"):
            pass
        self.assertIn("it is empty", self.bad(1, 108, "run", "x", "x=empty"))

    def test_a_pipe_with_an_extension(self):
        os.mkfifo(self.path("pipe.npy"))
        value = sample("u1", (2, 2))
        np.save(self.path("a.npy"), value)
        writer = subprocess.Popen("cat a.npy >pipe.npy", shell=True, cwd=self.here)
        self.addCleanup(writer.kill)
        self.copy("pipe.npy", "b.npy")
        writer.wait(60)
        self.same(self.load("b.npy"), value)

    def test_header_of_written_files(self):
        self.good("run", "x", "x=[1.5]", "-o", "a.npy")
        with open(self.path("a.npy"), "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x93NUMPY\1\0")
        self.assertEqual(len(data) % 64, 4)

    def test_other_dtypes(self):
        for value, word in [(np.zeros(1, "c8"), "complex64"),
                            (np.array(["a"]), "string"), (np.zeros(1, "V3"), "void"),
                            (np.zeros(1, "M8[s]"), "date"), (np.array([{}], object), "object"),
                            (np.zeros(1, "i4,f4"), "fields"), (np.zeros(1, "g"), "float128")]:
            np.save(self.path("a.npy"), value)
            self.assertIn(word, self.bad(1, 112, "run", "x", "x=a.npy"))

    def test_float16(self):
        """Every one of its values, either byte order, computed with and printed."""
        value = np.arange(65536, dtype="u2").view("f2")
        value = value[~np.isnan(value)]
        for order in "<", ">":
            np.save(self.path("a.npy"), value.astype(order + "f2"))
            self.copy("a.npy", "b.npy")
            self.same(self.load("b.npy"), value)
        self.assertEqual(self.text("check", "x * 2", "x=a.npy"), "out float16[%d]\n" % len(value))
        np.savez(self.path("a.npz"), a=value[:3], b=np.array([1.5, -65504, 6e-8, 0.1], ">f2"))
        self.assertEqual(self.text("run", "+x", "x=a.npz:b"),
                         "out: float16[4] = [     1.5, -65504.0,    6e-08,      0.1]\n")
        self.good("run", "x * 2", "x=a.npz", "-o", "b.npz")
        with np.load(self.path("b.npz")) as archive:
            self.assertEqual(archive["b"].dtype, "f2")
            self.assertEqual(archive["b"].tolist()[:2], [3.0, -np.inf])

    def test_bfloat16(self):
        """In a .npy it is a void of two bytes, which the user has to call by its name."""
        bits = np.arange(65536, dtype="u2")
        whole = (bits.astype("u4") << 16).view("f4")
        bits, whole = bits[~np.isnan(whole)], whole[~np.isnan(whole)]
        np.save(self.path("a.npy"), bits.view("V2"))
        for command in "run", "check", "show":
            told = self.bad(1, 147, command, "+x", "x=a.npy")
            self.assertTrue(told.startswith("a.npy: "), told)
            self.assertIn("write x:bfloat16=a.npy", told)
        self.bad(1, 147, "run", "+x", "x:float16=a.npy")
        self.good("run", "float32(x)", "x:bfloat16=a.npy", "-o", "b.npy")
        self.same(self.load("b.npy"), whole)
        self.good("run", "+x", "x:bfloat16[?]=a.npy", "-o", "b.npy")
        self.assertEqual(self.load("b.npy").dtype.str, "|V2")
        self.assertEqual(self.load("b.npy").tobytes(), bits.tobytes())
        self.good("run", "bfloat16(x)", "x:float32=[1.5, 0.1, 3e38]", "-o", "c.npy")
        self.assertEqual(self.load("c.npy").view("u2").tolist(), [0x3fc0, 0x3dcd, 0x7f62])
        text = "input x: bfloat16; +x"
        self.assertEqual(self.text("run", text, "x=c.npy"),
                         "out: bfloat16[3] = [  1.5,   0.1, 3e+38]\n")
        np.savez(self.path("a.npz"), a=bits[:2].view("V2"), b=bits[300:303].view("V2"))
        self.assertTrue(self.bad(1, 147, "run", "+x", "x=a.npz").startswith("a.npz:a: "))
        self.good("run", "+x", "x:bfloat16=a.npz", "-o", "b.npz")
        with np.load(self.path("b.npz")) as archive:
            self.assertEqual(archive["b"].tobytes(), bits[300:303].tobytes())
        with open(self.path("c.npy"), "rb") as file:
            data = file.read()
        self.assertEqual(self.text("run", "x > 1", "x:bfloat16=-",
                                   data=data), "out: bool[3] = [ true, false,  true]\n")

    def test_strided_broadcast(self):
        a, b = sample("f4", (4, 5)), sample("f4", (5,))
        np.save(self.path("a.npy"), np.asfortranarray(a))
        np.save(self.path("b.npy"), b)
        self.good("run", "a + b", "a=a.npy", "b=b.npy", "-o", "c.npy")
        self.same(self.load("c.npy"), a + b)


class Npz(FilesTest):
    def test_stored_and_deflated(self):
        value = sample("i4", (100, 3))
        for save in np.savez, np.savez_compressed:
            save(self.path("c.npz"), one=value, two=value[:2])
            for key, part in ("one", value), ("two", value[:2]):
                self.copy("c.npz:" + key, "b.npy")
                self.same(self.load("b.npy"), part)
            self.assertIn("one, two", self.bad(1, 114, "run", "x", "x=c.npz:three"))

    def test_written(self):
        value = sample("f8", (3, 4))
        np.save(self.path("a.npy"), value)
        self.good("run", "y = x * 1.0; y", "x=a.npy", "-o", "b.npz")
        with np.load(self.path("b.npz")) as archive:
            self.assertEqual(archive.files, ["y"])
            self.same(archive["y"], value)
        with zipfile.ZipFile(self.path("b.npz")) as archive:
            self.assertIsNone(archive.testzip())
        self.copy("b.npz:y", "c.npy")
        self.same(self.load("c.npy"), value)

    def test_other_orders(self):
        value = sample("u4", (3, 4))
        np.savez_compressed(self.path("a.npz"), a=np.asfortranarray(value.astype(">u4")))
        self.copy("a.npz:a", "b.npy")
        self.same(self.load("b.npy"), value)

    def test_not_arrays(self):
        with zipfile.ZipFile(self.path("a.npz"), "w") as archive:
            archive.writestr("readme.txt", "nothing")
        self.bad(1, 113, "run", "x", "x=a.npz")
        with zipfile.ZipFile(self.path("b.npz"), "w") as archive:
            archive.writestr("a.npy", "nothing")
        self.bad(1, 111, "run", "x", "x=b.npz")

    def test_lying_sizes(self):
        """An entry that says it holds a terabyte, and a header that says so."""
        huge = (b"{'descr': '|u1', 'fortran_order': False, 'shape': (%d,)}\n" % 10**12)
        data = b"\x93NUMPY\1\0" + struct.pack("<H", len(huge)) + huge + b"12345678"
        with zipfile.ZipFile(self.path("a.npz"), "w") as archive:
            archive.writestr("a.npy", data)
        self.bad(1, 111, "run", "x", "x=a.npz")
        with open(self.path("a.npz"), "rb") as file:
            packed = file.read()
        size = struct.pack("<I", len(data))
        self.assertGreaterEqual(packed.count(size), 2)
        with open(self.path("b.npz"), "wb") as file:
            file.write(packed.replace(size, b"\xfe\xff\xff\xff"))
        self.assertEqual(self.weft("run", "x", "x=b.npz").returncode, 1)


class PictureTest(FilesTest):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def read(self, name):
        self.copy(name, "out.npy")
        return self.load("out.npy")


class Png(PictureTest):
    def test_colour_types_and_depths(self):
        rng = np.random.default_rng(3)
        for color, depths in [(pngs.GREY, (1, 2, 4, 8, 16)), (pngs.RGB, (8, 16)),
                              (pngs.GREY_ALPHA, (8, 16)), (pngs.RGBA, (8, 16))]:
            for depth in depths:
                for interlaced in False, True:
                    pixels = rng.integers(0, 1 << depth, (9, 11, pngs.CHANNELS[color]))
                    self.write("a.png", pngs.png(pixels, color, depth, interlaced))
                    wanted = pixels * (255 // ((1 << depth) - 1)) if depth < 8 else pixels
                    self.same(self.read("a.png"), wanted.astype("u2" if depth == 16 else "u1"))

    def test_palettes(self):
        rng = np.random.default_rng(4)
        for depth in 1, 2, 4, 8:
            palette = rng.integers(0, 256, (1 << depth, 3), dtype="u1")
            pixels = rng.integers(0, 1 << depth, (5, 7, 1))
            extra = pngs.chunk(b"PLTE", palette.tobytes())
            self.write("a.png", pngs.png(pixels, pngs.PALETTE, depth, extra=extra))
            self.same(self.read("a.png"), palette[pixels[:, :, 0]])
            extra += pngs.chunk(b"tRNS", bytes([0]))
            self.write("a.png", pngs.png(pixels, pngs.PALETTE, depth, extra=extra))
            alpha = np.where(pixels == 0, 0, 255).astype("u1")
            self.same(self.read("a.png"), np.concatenate([palette[pixels[:, :, 0]], alpha], 2))

    def test_round_trips(self):
        for dtype in "u1", "u2":
            for shape in [(4, 6), (4, 6, 1), (4, 6, 2), (4, 6, 3), (4, 6, 4), (1, 1)]:
                value = sample(dtype, shape)
                np.save(self.path("a.npy"), value)
                self.copy("a.npy", "b.png")
                self.same(self.read("b.png"), value.reshape(shape if len(shape) == 3 else
                                                            shape + (1,)))

    def test_what_does_not_fit(self):
        for value in ["[[1.5]]", "[[1]]", "3"]:
            told = self.bad(1, 116, "run", "x", "x=" + value, "-o", "a.png")
            self.assertIn("uint8(...)", told)
        for shape in [(4,), (2, 2, 5), (2, 2, 2, 2), (0, 3), (2, 2, 0)]:
            np.save(self.path("a.npy"), np.zeros(shape, "u1"))
            self.bad(1, 116, "run", "x", "x=a.npy", "-o", "b.png")
        self.assertEqual(self.files(), ["a.npy"])

    def test_headline(self):
        pixels = sample("u1", (5, 7, 3))
        self.write("photo.png", pngs.png(pixels, pngs.RGB, 8))
        self.good("run", "uint8(img * gain)", "img=photo.png", "gain=[1.25, 0.75, 0.5]", "-o",
                  "out.png")
        wanted = np.clip(np.rint(pixels * np.array([1.25, 0.75, 0.5], "f4")), 0, 255)
        self.same(self.read("out.png"), wanted.astype("u1"))

    def test_declared_sizes_are_not_believed(self):
        data = bytearray(pngs.png(np.zeros((1, 1, 4)), pngs.RGBA, 16))
        header = struct.pack(">IIBBBBB", 1000000, 1000000, 16, 6, 0, 0, 0)
        data[8:33] = pngs.chunk(b"IHDR", header)
        self.write("a.png", bytes(data))
        self.assertIn("8.0 TB", self.bad(1, 117, "run", "x", "x=a.png"))


class Jpeg(PictureTest):
    def test_extensions_and_content(self):
        wanted = np.broadcast_to(np.array(jpegs.PIXEL, "u1"), (2, 3, 3))
        for name in "a.jpg", "a.jpeg", "a.JPG", "a":
            self.write(name, jpegs.JPEG)
            self.same(self.read(name), wanted)
        self.assertEqual(self.text("check", "x", "x=a.jpg"), "x uint8[2, 3, 3]@HWC\n")
        self.assertIn("HWC", self.text("show", "x", "x=a.jpg", "--stage", "types"))

    def test_not_one(self):
        self.write("a.jpg", b"<html>")
        self.assertIn("Not a JPEG file", self.bad(1, 119, "run", "x", "x=a.jpg"))
        self.write("a.jpg", pngs.png(np.zeros((1, 1, 3)), pngs.RGB, 8))
        self.assertIn("named as a .jpg, but its content is that of a .png; rename it",
                      self.bad(1, 128, "run", "x", "x=a.jpg"))
        self.write("a.npy", jpegs.JPEG)
        self.bad(1, 128, "run", "x", "x=a.npy")
        for length in 0, 1, 3, 100, len(jpegs.JPEG) - 1:
            self.write("a.jpg", jpegs.JPEG[:length])
            self.assertIn("it is cut off", self.bad(1, 119, "run", "x", "x=a.jpg"))

    def test_declared_sizes_are_not_believed(self):
        """A progressive one is collected in memory first: that counts too."""
        if self.weft("--version", preexec_fn=limit_memory).returncode:
            self.skipTest("the command does not start with so little memory, as under sanitizers")
        start = jpegs.JPEG.index(b"\xff\xc0")
        for progressive in False, True:
            data = bytearray(jpegs.JPEG)
            data[start + 1] = 0xc2 if progressive else 0xc0
            data[start + 5:start + 9] = b"\xff\xdc" * 2  # 65500, the most that libjpeg takes
            self.write("a.jpg", data)
            done = self.weft("run", "x", "x=a.jpg", preexec_fn=limit_memory)
            size = "25.7 GB" if progressive else "12.9 GB"
            self.assertIn("the picture needs %s of memory" % size, done.stderr.decode())

    def test_is_written(self):
        """Smooth colours come back nearly as they were, and grey as grey."""
        y, x = np.mgrid[0:40, 0:50]
        for shape in [(40, 50, 3), (40, 50, 1), (40, 50)]:
            value = np.broadcast_to((y * 3 + x * 2)[:, :, None], (40, 50, 3)).astype("u1")
            value = value[:, :, :shape[2]] if len(shape) == 3 else value[:, :, 0]
            np.save(self.path("a.npy"), value)
            for name in "b.jpg", "b.JPEG":
                self.copy("a.npy", name)
                read = self.read(name)
                self.assertEqual(read.shape, shape if len(shape) == 3 else shape + (1,))
                self.assertLess(np.abs(read.reshape(shape).astype(int) - value).max(), 8)
                os.unlink(self.path(name))

    def test_what_does_not_fit_a_jpeg(self):
        for text, why in [("uint16([[1]])", "write uint8(...)"), ("uint8([[[1, 2]]])", "neither 1 nor 3"),
                          ("uint8([1])", "two nor three"), ("broadcast_to(uint8(1), [65501, 1])", "more than 65500"),
                          ("[[true]]", "write uint8(255 * (...)) around the result, which makes 0 and 255 of it")]:
            told = self.bad(1, 116, "run", text, "-o", "a.jpg")
            self.assertIn("a .jpg takes uint8 of shape (h, w), (h, w, 1) or (h, w, 3), found ", told)
            self.assertIn(why, told)
        self.assertEqual(self.files(), [])

    def test_a_full_device(self):
        text = "uint8(arange(900)[:, None] // 4 + 0 * arange(900))"
        for name in "a.jpg", "b.ppm", "c.png":
            os.symlink("/dev/full", self.path(name))
            self.assertIn("No space left", self.bad(1, 123, "run", text, "-o", name))


class Pnm(PictureTest):
    def test_round_trips(self):
        for dtype in "u1", "u2":
            for shape in [(4, 6), (4, 6, 1), (4, 6, 3)]:
                value = sample(dtype, shape)
                np.save(self.path("a.npy"), value)
                for name in "b.ppm", "b.pgm", "b.pnm":
                    self.copy("a.npy", name)
                    self.same(self.read(name), value.reshape(shape if len(shape) == 3 else shape + (1,)))
        self.assertIn("neither 1 nor 3", self.bad(1, 116, "run", "uint8([[[1, 2]]])", "-o", "a.ppm"))

    def test_kinds(self):
        grey, colour = sample("u1", (4, 5, 1)), sample("u1", (4, 5, 3))
        wide = sample("u2", (4, 5, 3))
        for name in "a.pgm", "a.pnm", "a":
            self.write(name, b"P5 5 4 255\n" + grey.tobytes())
            self.same(self.read(name), grey)
        for name in "b.ppm", "b.PPM", "b":
            self.write(name, b"P6\n# a comment\n5 4\n255\n" + colour.tobytes())
            self.same(self.read(name), colour)
            self.write(name, b"P6 5 4 65535\n" + wide.astype(">u2").tobytes())
            self.same(self.read(name), wide)
        for name, magic, value in ("c", b"P2", grey), ("c.ppm", b"P3", colour):
            text = b" ".join(b"%d" % v for v in value.ravel())
            self.write(name, magic + b" 5 4 255\n" + text + b"\n")
            self.same(self.read(name), value)

    def test_values_as_stored(self):
        self.write("a.pgm", b"P5 3 1 15\n\0\7\17")
        self.assertEqual(self.read("a.pgm").ravel().tolist(), [0, 7, 15])

    def test_others(self):
        for data, why in [(b"P4 8 1 a", "bitmap"), (b"P7\nWIDTH 1\n", "PAM"),
                          (b"P6 1000000 1000000 65535\n", "6.0 TB")]:
            for name in "a.ppm", "a":
                self.write(name, data)
                self.assertIn(why, self.bad(1, 117 if "TB" in why else 126, "run", "x", "x=" + name))


class Programs(CommandTest):
    """Files with a program."""

    def test_too_long(self):
        with open(self.path("long.weft"), "w") as file:
            file.write("return x + 1\n#" + "#" * 10_000_000)
        self.assertIn("the text is 10000014 bytes long, at most 1048576", self.bad(1, 6, "run", "long.weft", "x=1"))
        with open(self.path("just.weft"), "w") as file:
            file.write("return x + 1\n#".ljust(1048576, "#"))
        self.good("run", "just.weft", "x=1")

    def test_a_nul(self):
        for text, place in ((b"y = x\nreturn \0y", "2:8"), (b"\0", "1:1"), (b"return x\n\0", "2:1")):
            with open(self.path("nul.weft"), "wb") as file:
                file.write(text)
            self.assertIn("nul.weft:%s: error" % place, self.bad(1, 1, "run", "nul.weft", "x=1"))


class Dense(CommandTest):
    """What is reinterpreted as larger elements is made dense and aligned, as other conversions do."""

    def test_column_major(self):
        x = np.asfortranarray(np.arange(48, dtype="u1").reshape(2, 3, 8))
        np.save(self.path("x.npy"), x)
        expected = np.ascontiguousarray(x).view("u4")
        for source in "x.npy", "x.npz:x", "x.npz":
            np.savez(self.path("x.npz"), x=x)
            self.assertIn("uint32[2, 3, 2]", self.text("check", "reinterpret(x, uint32)", "x=" + source))
            self.good("run", "reinterpret(x, uint32)", "x=" + source, "-o", "out.npz")
            self.assertEqual(np.load(self.path("out.npz"))[np.load(self.path("out.npz")).files[0]].tolist(),
                             expected.tolist())

    def test_data_that_are_not_aligned(self):
        """Older writers put the data at a multiple of 16 bytes, others at any."""
        header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (8,), }"
        header += b" " * ((4 - 10 - len(header) - 1) % 8) + b"\n"
        with open(self.path("x.npy"), "wb") as file:
            file.write(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes([1, 0, 0, 0, 0, 0, 0, 0]))
        self.assertEqual(self.text("run", "reinterpret(x, uint64)", "x=x.npy"), "out: uint64[1] = [1]\n")


class Headers(CommandTest):
    """weft check and weft show read headers, and data only where a view takes them."""

    def setUp(self):
        super().setUp()
        data = np.random.default_rng(1).integers(0, 9, 100000)
        np.savez_compressed(self.path("x.npz"), key=data)
        with open(self.path("x.npz"), "r+b") as file: # damaged behind its header
            file.seek(20000)
            file.write(bytes(50))

    def test_one_array_and_a_batch(self):
        self.assertEqual(self.text("check", "x + 1", "x=x.npz:key"), "out int64[100000]\n")
        self.assertEqual(self.text("check", "x + 1", "x=x.npz"), "out int64[100000], 1 sample\n")
        self.assertIn("int64", self.text("show", "x + 1", "x=x.npz:key", "--stage", "types"))
        self.bad(1, 113, "run", "x + 1", "x=x.npz:key")

    def test_a_view_takes_them(self):
        np.savez(self.path("n.npz"), shape=np.array([2, 3]))
        self.assertEqual(self.text("check", "reshape(x, n)", "x=[1, 2, 3, 4, 5, 6]", "n=n.npz:shape"),
                         "out int32[2, 3]\n")
        self.bad(1, 113, "check", "reshape(y, x)", "y=[1]", "x=x.npz:key")


class Shrinking(CommandTest):
    """Others make a file shorter while it is mapped: here a C compiler does, when the data are being used."""

    def setUp(self):
        super().setUp()
        with open(self.path("cc"), "w") as file:
            file.write('#!/bin/sh\ntruncate -s "$LEFT" "%s"\nexec cc "$@"\n' % self.path("x.npy"))
        os.chmod(self.path("cc"), 0o755)

    def shrink(self, left, *arguments, **more):
        np.save(self.path("x.npy"), np.ones(100000))
        env = {"WEFT_CC": self.path("cc"), "WEFT_DISABLE": "first,cache", "LEFT": str(left)}
        return self.bad(1, 146, *arguments, env=env, **more)

    def test_results_are_not_written(self):
        for left in 0, 5000, 400000:
            told = self.shrink(left, "run", "x + 1", "x=x.npy", "-o", "out.npy")
            self.assertIn("x.npy: error[W0146]: it changed while it was read", told)
            self.assertEqual(told.count("error"), 1)
            self.assertEqual(self.files(), ["cc", "x.npy"])
            self.shrink(left, "run", "sum(x)", "x=x.npy")

    def test_many_threads(self):
        self.shrink(4096, "run", "x + 1", "x=x.npy", "-o", "out.npy", "--threads", "4")

    def test_a_file_that_is_not_read_to_its_end(self):
        np.save(self.path("x.npy"), np.ones(100000))
        env = {"WEFT_CC": self.path("cc"), "WEFT_DISABLE": "first,cache", "LEFT": "4096"}
        self.assertEqual(self.text("run", "x[:3] + 1", "x=x.npy", env=env), "out: float64[3] = [2.0, 2.0, 2.0]\n")


if __name__ == "__main__":
    unittest.main()
