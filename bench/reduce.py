"""Reductions on one thread against the time of reading the bytes. Run it with WEFT_DISABLE=first."""
import argparse
import time

import numpy as np

import weft

CASES = [("sum(x)", np.float32, (4096, 4096)), ("mean(x)", np.float32, (4096, 4096)),
         ("mean((x - y) ** 2)", np.float32, (4096, 4096)), ("sum(x, axis=1)", np.float32, (4096, 4096)),
         ("sum(x, axis=0)", np.float32, (4096, 4096)), ("mean(x, axes=[0, 1, 2])", np.uint8, (64, 224, 224, 3)),
         ("mean(x, axis=-1)", np.uint8, (64, 224, 224, 3)), ("max(x)", np.float32, (4096, 4096)),
         ("argmax(x, axis=1)", np.float32, (4096, 4096)), ("std(x)", np.float32, (4096, 4096))]


def best(run, seconds):
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    context = weft.Context(threads=1)
    for text, dtype, shape in CASES:
        if args.only not in text:
            continue
        names = {name: (np.random.default_rng(1).random(shape) * 200).astype(dtype)
                 for name in ("xy" if "y" in text else "x")}
        size = sum(a.nbytes for a in names.values())
        flat = [a.reshape(-1).view(np.uint64) for a in names.values()]
        read = best(lambda: [a.max() for a in flat], args.seconds)
        weft.evaluate(text, names, context=context)
        time.sleep(0.3)
        ours = best(lambda: weft.evaluate(text, names, context=context), args.seconds)
        print(f"{text:24} {np.dtype(dtype).name}{list(shape)}: {size / ours / 1e9:6.2f} GB/s, "
              f"{read / ours:.2f} of the speed of reading (NumPy's max of 64-bit integers)")


if __name__ == "__main__":
    main()
