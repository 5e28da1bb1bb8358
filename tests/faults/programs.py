"""Small programs for the command, each a user's whole task: made files, a command line, and what it leaves."""

import os
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "command"))

import pngs  # noqa: E402

THREE = """mean = sum(x, axis=0) / 4
return low = min(x), mean, twice = x * 2
"""
KERNELS = """kernel twice(x: float32[n]) {
    return y = x * 2
}
kernel half(x: uint8[h, w], k: number) {
    return y = uint8(x * k)
}
"""

# Words after `weft`. The files that they read are made by `make_inputs`.
PROGRAMS = {
    "headline": ["run", "uint8(clamp(img * [1.25, 0.75, 0.75], 128, 255))", "img=img.npy"],
    "selection": ["run", "x[1:, ::2] + x[:-1, 1::2]", "x=[[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]"],
    "reduction": ["run", "sum(x, axis=0) / 3", "x=x.npy"],
    "batch": ["run", "uint8(clamp(img * 1.5, 0, 200))", "img=pictures", "-o", "made"],
    "literal": ["run", "x * [1, 2, 3] + [[4.5], [5]]", "x=[1, 2, 3]", "-o", "-"],
    "results": ["run", "three.weft", "x=x.npy", "-o", "low=low.npy", "-o", "mean=mean.npy", "-o", "twice=twice.npy"],
    "syntax": ["run", "x + (2 *", "x=[1, 2]", "-o", "out.npy"],
    "npy": ["run", "x * 2 + 1", "x=x.npy", "-o", "old.npy"],
    "picture": ["run", "uint8(255 - img)", "img=pictures/b.png", "-o", "negative.png"],
    "build": ["build", "kernels.weft", "-o", "generated", "--depfile", "kernels.d"],
    # more than the usual ten
    "npz": ["run", "x + 1", "x=many.npz", "-o", "more.npz"],
    "check": ["check", "three.weft", "x=x.npy"],
    "show": ["show", "x + 1", "x=[1, 2]", "--stage", "all"],
    "list": ["cache", "verify"],
    "trace": ["run", "three.weft", "x=x.npy", "--trace"],
    "page": ["show", "three.weft", "x=x.npy", "--html", "page.html"],
}
USUAL = list(PROGRAMS)[:10]


def make_inputs(here):
    """All that the programs read, in the folder `here`."""
    here = pathlib.Path(here)
    chance = np.random.default_rng(1)
    x = np.arange(12, dtype="f4").reshape(4, 3)
    np.save(here / "x.npy", x)
    np.save(here / "old.npy", np.zeros(5))
    np.save(here / "low.npy", np.zeros(7))  # so one output of three replaces a file
    np.save(here / "img.npy", chance.integers(0, 256, (3, 4, 3), "u1"))
    np.savez(here / "many.npz", first=x, second=x + 1)
    os.mkdir(here / "pictures")
    for name, shape in ("a", (2, 3, 3)), ("b", (4, 2, 3)), ("c", (2, 2, 3)):
        (here / "pictures" / (name + ".png")).write_bytes(pngs.png(chance.integers(0, 256, shape, "u1"), pngs.RGB, 8))
    (here / "three.weft").write_text(THREE)
    (here / "kernels.weft").write_text(KERNELS)


def snapshot(here):
    """The files and folders below `here`: {path: bytes, or None for a folder}."""
    return {str(path.relative_to(here)): path.read_bytes() if path.is_file() else None
            for path in sorted(pathlib.Path(here).rglob("*"))}
