#!/usr/bin/env python3
"""Makes docs/images/page-light.png and page-dark.png: the page of docs/debugging.md with a piece chosen.

    pictures.py        the command is $WEFT, else `weft`; needs chromium and NumPy
"""
import os
import pathlib
import struct
import subprocess
import tempfile
import zlib

import numpy as np

import chromium

TEXT, TYPE, PIECE = "uint8(img * 2) - img * img", "img=uint8[5]", " * "
SIZE = 1040, 960


def rows_of(data):
    """The pixels of a PNG of 8 bits a channel, [height, width, channels]."""
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack(">IIBB", body[:10])
        packed += body if kind == b"IDAT" else b""
        at += size + 12
    channels = {2: 3, 6: 4}[colour]
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    out = np.zeros((height, width * channels), np.uint8)
    for y in range(height):
        out[y] = unfiltered(raw[y, 0], raw[y, 1:], out[y - 1] if y else np.zeros_like(out[0]), channels)
    return out.reshape(height, width, channels)


def unfiltered(kind, line, above, channels):
    if kind == 0:
        return line
    if kind == 2:
        return line + above
    out = np.zeros(len(line) + channels, np.int64)  # begins with zeros, the pixel left of the first
    up = np.concatenate([np.zeros(channels, np.int64), above.astype(np.int64)])
    for i in range(len(line)):
        a, b, c = int(out[i]), int(up[i + channels]), int(up[i])
        distances = abs(b - c), abs(a - c), abs(a + b - 2 * c)
        paeth = (a, b, c)[distances.index(min(distances))]
        out[i + channels] = (int(line[i]) + {1: a, 3: (a + b) // 2, 4: paeth}[int(kind)]) % 256
    return out[channels:].astype(np.uint8)


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def write_small(path, pixels):
    """A PNG with a palette: 32 levels of each channel are enough for text, and at most 256 of them are kept."""
    height, width = pixels.shape[:2]
    levels = (pixels[..., :3].astype(np.int64) + 4) // 8
    numbers = (levels[..., 0] * 33 + levels[..., 1]) * 33 + levels[..., 2]
    found, inverse, counts = np.unique(numbers, return_inverse=True, return_counts=True)
    colours = np.stack([found // 33 // 33, found // 33 % 33, found % 33], 1)
    kept = np.argsort(-counts)[:256]
    nearest = np.abs(colours[:, None] - colours[kept][None]).sum(2).argmin(1)
    indices = nearest[inverse.reshape(height, width)].astype(np.uint8)
    lines = np.concatenate([np.zeros((height, 1), np.uint8), indices], 1).tobytes()
    palette = np.minimum(colours[kept] * 8, 255).astype(np.uint8).tobytes()
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)) +
                     chunk(b"PLTE", palette) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    images = pathlib.Path(__file__).resolve().parents[2] / "docs" / "images"
    browser = chromium.Chromium()
    with tempfile.TemporaryDirectory() as folder:
        page, shot = pathlib.Path(folder) / "page.html", pathlib.Path(folder) / "shot.png"
        subprocess.run([os.environ.get("WEFT", "weft"), "show", "--html", page, TEXT, TYPE], check=True)
        for scheme in "light", "dark":
            browser.open(page, *SIZE, scheme)
            browser.click(*browser.evaluate(f"""(() => {{
                const all = [...document.querySelectorAll("#text [data-s]")];
                const box = all.filter(one => one.textContent === "{PIECE}").pop().getBoundingClientRect();
                return [box.left + box.width / 2, box.top + box.height / 2];
            }})()"""))
            browser.screenshot(shot)
            write_small(images / f"page-{scheme}.png", rows_of(shot.read_bytes()))
    browser.close()


if __name__ == "__main__":
    main()
