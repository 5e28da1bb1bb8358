"""What the examples share: their options, timing, and writing a field or a picture as a PNG."""
import argparse
import pathlib
import struct
import time
import zlib

import numpy

COLOURS = [(68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)]  # from the least to the largest


def options(what):
    """--quick: a small grid and few steps; -o FILE: a picture of the result."""
    parser = argparse.ArgumentParser(description=what)
    parser.add_argument("--quick", action="store_true", help="a small grid and few steps")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="a PNG of the result")
    return parser.parse_args()


class timed:
    """Prints how long a block took, and how long each of its steps."""

    def __init__(self, what, steps):
        self.what, self.steps = what, steps

    def __enter__(self):
        self.start = time.perf_counter()

    def __exit__(self, *error):
        seconds = time.perf_counter() - self.start
        print(f"{self.what}: {self.steps} steps in {seconds:.3f} s, {seconds / self.steps * 1e6:.0f} us each")


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path, pixels, palette=b""):
    """Writes bytes (y, x), which are places in the palette, or (y, x, 3), colours."""
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    head = struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], 8, 3 if palette else 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + (chunk(b"PLTE", palette) if palette else b"") +
                     chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def write(path, field):
    """Writes a 2-D array in colours from its smallest value to its largest; row 0 is at the bottom."""
    low, high = field.min(), field.max()
    places = numpy.uint8(numpy.rint((field[::-1] - low) / (high - low or 1) * 255))
    at = numpy.linspace(0, len(COLOURS) - 1, 256)
    palette = numpy.stack([numpy.interp(at, range(len(COLOURS)), part) for part in zip(*COLOURS)], axis=1)
    write_png(path, places, numpy.uint8(palette).tobytes())
