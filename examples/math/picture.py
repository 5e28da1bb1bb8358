"""What the examples share: their options, timing, and writing a field as a PNG of gray."""
import argparse
import pathlib
import struct
import time
import zlib

import numpy


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


def write(path, field):
    """Writes a 2-D array, from its smallest value (black) to its largest (white); row 0 is at the bottom."""
    low, high = field.min(), field.max()
    gray = numpy.uint8(numpy.rint((field[::-1] - low) / (high - low or 1) * 255))
    rows = b"".join(b"\0" + row.tobytes() for row in gray)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", gray.shape[1], gray.shape[0], 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) +
                     chunk(b"IEND", b""))
