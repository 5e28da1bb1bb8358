"""PNG files made by hand, with zlib alone: every colour type and depth, interlaced or not."""

import struct
import zlib

import numpy as np

GREY, RGB, PALETTE, GREY_ALPHA, RGBA = 0, 2, 3, 4, 6
CHANNELS = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGBA: 4}
PASSES = [(0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
          (1, 0, 2, 1)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def rows(pixels, depth):
    """The scanlines of (h, w, c) values of `depth` bits, each after filter type 0."""
    out = b""
    for row in pixels:
        if depth == 16:
            out += b"\0" + row.astype(">u2").tobytes()
        else:
            bits = np.unpackbits(row.astype("u1").reshape(-1, 1), axis=1)[:, 8 - depth:]
            out += b"\0" + np.packbits(bits).tobytes()
    return out


def png(pixels, color, depth, interlaced=False, extra=b""):
    """`extra` are chunks before the data, as PLTE."""
    height, width = pixels.shape[:2]
    data = rows(pixels, depth)
    if interlaced:
        parts = [pixels[y::dy, x::dx] for y, x, dy, dx in PASSES]
        data = b"".join(rows(part, depth) for part in parts if part.size)
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + extra +
            chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))
