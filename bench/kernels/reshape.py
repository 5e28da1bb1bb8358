"""What reshape and its like cost inside an expression:

    /usr/bin/python3 bench/kernels/reshape.py [--build build] [--seconds 1] [--save NAME]

Each case takes turns with the same values in arrays that have the view's shape already, and with NumPy.
"refined": dimensions are split so that every operand is walked by strides. "by number": boundaries do not
divide, and elements are found by their number, a block at a time. One thread; the best time counts,
results are compared first."""
import argparse
import os
import pathlib
import sys

os.environ["OMP_NUM_THREADS"] = "1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402


def some(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).integers(0, 100, shape).astype(dtype)


# name, how it is walked, text, arrays, the plain text and its arrays (made from the others), NumPy's function
CASES = [
    ("picture as rows of pixels", "refined", "reshape(x, [-1, 3]) * c",
     {"x": some(1080, 1920, 3), "c": some(3)}, "x * c",
     lambda v: {"x": v["x"].reshape(-1, 3), "c": v["c"]}, lambda v: v["x"].reshape(-1, 3) * v["c"]),
    ("a column beside a matrix", "refined", "reshape(x, [-1, 1]) + y",
     {"x": some(2000), "y": some(2000, 1500)}, "x + y",
     lambda v: {"x": v["x"].reshape(-1, 1), "y": v["y"]}, lambda v: v["x"].reshape(-1, 1) + v["y"]),
    ("a dimension split", "refined", "reshape(x, [200, 10, 1500]) + y",
     {"x": some(2000, 1500), "y": some(10, 1)}, "x + y",
     lambda v: {"x": v["x"].reshape(200, 10, 1500), "y": v["y"]},
     lambda v: v["x"].reshape(200, 10, 1500) + v["y"]),
    ("squeezed and expanded", "refined", "expand_dims(squeeze(x, axes=[1]), axes=[2]) + y",
     {"x": some(500, 1, 60), "y": some(500, 60, 100)}, "x + y",
     lambda v: {"x": v["x"].reshape(500, 60, 1), "y": v["y"]},
     lambda v: v["x"].reshape(500, 60, 1) + v["y"]),
    ("long runs: 1200 + 2500 as 2500 x 1200", "by number", "reshape(x + y, [2500, 1200]) + z",
     {"x": some(1200, 1), "y": some(2500), "z": some(2500, 1)}, "x + z",
     lambda v: {"x": (v["x"] + v["y"]).reshape(2500, 1200), "z": v["z"]},
     lambda v: (v["x"] + v["y"]).reshape(2500, 1200) + v["z"]),
    ("runs of 4: 6 + 4 as 4 x 6, many", "by number", "reshape(x + y, [125000, 4, 6]) + z",
     {"x": some(125000, 6, 1), "y": some(4), "z": some(4, 1)}, "x + z",
     lambda v: {"x": (v["x"] + v["y"]).reshape(-1, 4, 6), "z": v["z"]},
     lambda v: (v["x"] + v["y"]).reshape(-1, 4, 6) + v["z"]),
    ("runs of 50: a strided input", "by number", "reshape(x, [1000, 3000]) * y",
     {"x": some(60000, 64)[:, :50], "y": some(1000, 1)}, "x * y",
     lambda v: {"x": v["x"].reshape(1000, 3000), "y": v["y"]},
     lambda v: v["x"].reshape(1000, 3000) * v["y"]),
    ("two views that do not divide", "by number", "reshape(reshape(x + y, [400, 1, 300]) + z, [500, 480]) + w",
     {"x": some(300, 1), "y": some(400), "z": some(2, 1), "w": some(500, 1)}, "x + w",
     lambda v: {"x": ((v["x"] + v["y"]).reshape(400, 1, 300) + v["z"]).reshape(500, 480), "w": v["w"]},
     lambda v: ((v["x"] + v["y"]).reshape(400, 1, 300) + v["z"]).reshape(500, 480) + v["w"]),
]


def run_case(weft, seconds, case):
    name, walked, text, arrays, plain_text, make_plain, numpy_of = case
    expected = numpy_of(arrays)
    out = np.zeros(expected.shape, np.float32)
    viewed, _ = weft.prepared(text, arrays, out)
    viewed()
    if not np.array_equal(out, expected):
        raise SystemExit(f"{name}: results differ")
    plain_arrays = {k: np.ascontiguousarray(v) for k, v in make_plain(arrays).items()}
    plain, _ = weft.prepared(plain_text, plain_arrays, out)
    plain()
    best = machine.measure([viewed, plain, lambda: numpy_of(arrays)], seconds)
    print(f"{name:40} {walked:10} {best[0] * 1e3:8.3f} ms   plain {best[1] * 1e3:8.3f} ms   "
          f"times as long {best[0] / best[1]:5.2f}   NumPy {best[2] * 1e3:8.3f} ms", flush=True)
    return {"case": name, "walked": walked, "text": text, "elements": int(expected.size), "ms": best[0] * 1e3,
            "plain_ms": best[1] * 1e3, "ratio": best[0] / best[1], "numpy_ms": best[2] * 1e3}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--save")
    options = parser.parse_args()
    print(machine.name(), "1 thread")
    weft = library.Weft(options.build)
    entries = [run_case(weft, options.seconds, case) for case in CASES]
    if options.save:
        machine.save(options.save, cases=entries)


if __name__ == "__main__":
    main()
