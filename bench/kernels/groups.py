"""What many short broadcast groups cost:

    /usr/bin/python3 bench/kernels/groups.py [--build build] [--seconds 1] [--save NAME]

a + b on float32, where a and b stretch along alternating dimensions, against the same sum of full
arrays. One thread; both take turns in one run, the best time counts, results are compared first."""
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

# extent, groups, copies (a leading dimension that both have), dtype
CASES = [(3, 10, 64, np.float32), (6, 10, 1, np.float32), (6, 8, 3, np.float32), (6, 10, 64, np.uint8),
         (2, 20, 4, np.float32), (4, 10, 4, np.float32), (12, 6, 1, np.float32), (100, 3, 4, np.float32)]


def operands(extent, groups, copies, dtype):
    """Two arrays that stretch along the odd and along the even dimensions, and their common shape."""
    random = np.random.default_rng(7)
    shapes = [[copies] + [extent if d % 2 == which else 1 for d in range(groups)] for which in range(2)]
    values = [random.integers(0, 100, shape).astype(dtype) for shape in shapes]
    return values, (copies,) + (extent,) * groups


def run_case(weft, seconds, case):
    (a, b), shape = operands(*case)
    out = np.zeros(shape, case[3])
    grouped, _ = weft.prepared("a + b", {"a": a, "b": b}, out)
    grouped()
    check = out.copy() if out.nbytes < 1 << 30 else None
    # Full arrays: the same memory twice where two would not fit.
    full_a = np.ascontiguousarray(np.broadcast_to(a, shape))
    full_b = np.ascontiguousarray(np.broadcast_to(b, shape)) if out.nbytes < 1 << 30 else full_a
    plain, _ = weft.prepared("a + b", {"a": full_a, "b": full_b}, out)
    plain()
    if check is not None and not np.array_equal(out, check):
        raise SystemExit(f"{case}: results differ")
    best = machine.measure([grouped, plain], seconds)
    extent, groups, copies, dtype = case
    print(f"{groups:3} groups of {extent:3}, {copies:2} copies, {np.dtype(dtype).name:8} {best[0] * 1e3:9.3f} ms   "
          f"full arrays {best[1] * 1e3:9.3f} ms   times as long {best[0] / best[1]:5.2f}", flush=True)
    return {"extent": extent, "groups": groups, "copies": copies, "dtype": np.dtype(dtype).name,
            "ms": best[0] * 1e3, "full_ms": best[1] * 1e3, "ratio": best[0] / best[1]}


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
