#!/usr/bin/env python3
"""NVRTC compiles what the golden cases with a stage cuda show, and what is too long to stand among them:

    golden.py NVRTC ARCH          NVRTC: the program nvrtc of this folder

The files in tests/golden leave out what every kernel holds unchanged, so the texts are those that
`weft show` ($WEFT) prints now. Reports in TAP, as nvrtc does.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

GOLDEN = pathlib.Path(__file__).resolve().parent.parent / "golden"
sys.path.insert(0, str(GOLDEN))
import run_golden  # noqa: E402 (stands in that folder)


LONG = {"bounded": ["sum(x)", "x=float16[5000]"],
        "softmax": ["softmax(x)", "x=float32[4096, 1000]"],
        "softmax_wide": ["softmax(x)", "x=float16[400000, 6001]"],
        "layernorm": ["(x - mean(x, -1, keepdims=true)) / std(x, -1, keepdims=true) * g", "x=float64[500, 999]",
                      "g=float64[999]"],
        "unit": ["x / norm(x, -1, keepdims=true)", "x=float16[500, 30, 64]"]}


def write_text(folder, name, arguments):
    command = [os.environ.get("WEFT", "weft"), "show", *arguments, "--stage", "cuda-compiled"]
    text = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=True).stdout
    pathlib.Path(folder, name + ".cuda").write_bytes(text)


def main(nvrtc, arch):
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in LONG.items():
            write_text(folder, name, arguments)
        for path in sorted(GOLDEN.glob("*.weft")):
            case = run_golden.Case(path)
            if "cuda" not in case.stages:
                continue
            write_text(folder, path.stem, [str(path) + case.kernel, *case.arguments])
        return subprocess.run([nvrtc, arch, "golden", folder], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
