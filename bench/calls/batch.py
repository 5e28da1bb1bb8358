"""Batches against one tensor of the same bytes, and against a memcpy for each sample:

    /usr/bin/python3 bench/calls/batch.py [--build build] [--threads 1] [--save NAME]

Three kinds: 4,096 pictures of (64, 64, 3), and 256 pictures of unlike sizes, both compared with the same
elements as one tensor (its time over the batch's: 1 is no loss); and 100,000 samples of 10 elements, in
nanoseconds a sample, beside a memcpy of each. A last case counts what 100,000 samples of unlike shapes take.
All contenders of a case take turns in one run, the best time counts, and each result is compared with
NumPy's first. Below 0.9 of the tensor's speed for the 4,096, or above 150 ns for the 100,000, the exit
status is 1."""
import argparse
import ctypes as c
import os
import pathlib
import resource
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", help="cases whose name holds this")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each contender of a case")
    parser.add_argument("--save")
    return parser.parse_args()


OPTIONS = options()
os.environ["OMP_NUM_THREADS"] = str(OPTIONS.threads)
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:OPTIONS.threads])

import numpy as np  # noqa: E402
import library  # noqa: E402
import machine  # noqa: E402
import buffers  # noqa: E402

f32, u8 = np.float32, np.uint8
GAIN = np.array([1.25, 0.75, 0.5], f32)
LEAST, MOST = 0.9, 150

# A DLTensor as a record, so that a hundred thousand are filled at once.
RECORD = np.dtype([("data", "u8"), ("device", "i4"), ("id", "i4"), ("ndim", "i4"), ("code", "u1"), ("bits", "u1"),
                   ("lanes", "u2"), ("shape", "u8"), ("strides", "u8"), ("offset", "u8")])


def places(shapes, spaced):
    """Where each sample begins, in elements, and where the last one ends; spaced: at multiples of 64."""
    volumes = shapes.prod(axis=1)
    taken = (volumes + 63) // 64 * 64 if spaced else volumes
    return np.cumsum(taken) - taken, int(taken.sum())


class Batch:
    """Dense samples at `starts` in `memory`; shapes is an array (samples, rank)."""

    def __init__(self, memory, shapes, starts):
        self.memory, self.shapes = memory, np.ascontiguousarray(shapes, np.int64)
        self.records = np.zeros(len(self.shapes), RECORD)
        self.records["data"] = memory.ctypes.data + starts * memory.itemsize
        self.records["device"], self.records["lanes"] = 1, 1
        self.records["ndim"] = self.shapes.shape[1]
        self.records["code"], self.records["bits"] = library.KINDS[memory.dtype.kind], memory.itemsize * 8
        self.records["shape"] = self.shapes.ctypes.data + np.arange(len(shapes)) * self.shapes.strides[0]

    def argument(self, name=None):
        tensors = c.cast(self.records.ctypes.data, c.POINTER(library.Tensor))
        return library.Argument(name.encode() if name else None, tensors, len(self.records), True)


def prepared(weft, text, inputs, output):
    """A function that computes `text` into `output`; arrays and batches."""
    program = weft.compile(text)
    call, params = weft.bound(program, inputs, output)
    weft.check(weft.lib.weft_prepare, program, c.byref(params), None, None)
    return call


def pictures(weft, name, text, source, target, shapes, random):
    """A batch of pictures, and the same elements as one tensor of (pixels, 3)."""
    volumes = shapes.prod(axis=1)
    starts, room = places(shapes, True)  # as an allocator would place them
    total = int(volumes.sum())
    x, out = buffers.filled(room, source, random), buffers.aligned(room, target)
    flat, whole = buffers.filled(total, source, random), buffers.aligned(total, target)
    for start, volume, end in zip(starts, volumes, np.cumsum(volumes)):
        flat[end - volume:end] = x[start:start + volume]
    gain = {"gain": GAIN} if "gain" in text else {}
    batch = prepared(weft, text, {"x": Batch(x, shapes, starts), **gain}, Batch(out, shapes, starts))
    tensor = prepared(weft, text, {"x": flat.reshape(-1, 3), **gain}, whole.reshape(-1, 3))
    batch(), tensor()
    for start, volume, end in zip(starts, volumes, np.cumsum(volumes)):
        if not np.array_equal(out[start:start + volume], whole[end - volume:end]):
            raise SystemExit(f"{name}: the batch and the tensor differ")
    best = machine.measure([batch, tensor], OPTIONS.seconds)
    ratio = best[1] / best[0]
    print(f"{name:10} {text:26} {len(shapes):6} samples  batch {best[0] * 1e3:8.3f} ms   one tensor "
          f"{best[1] * 1e3:8.3f} ms   of its speed {ratio:5.2f}", flush=True)
    return {"case": name, "text": text, "samples": len(shapes), "bytes": flat.nbytes + whole.nbytes,
            "batch_ms": best[0] * 1e3, "tensor_ms": best[1] * 1e3, "of_tensor": ratio}


def tiny(weft, work, name, text, names, random, count=100000, each=10):
    arrays = {n: buffers.filled(count * each, f32, random) for n in names}
    out, copied = buffers.aligned(count * each, f32), buffers.aligned(count * each, f32)
    shapes = np.full((count, 1), each)
    starts, _ = places(shapes, False)
    batch = prepared(weft, text, {n: Batch(a, shapes, starts) for n, a in arrays.items()}, Batch(out, shapes, starts))
    batch()
    if not np.array_equal(out, eval(text, {}, arrays)):  # the texts are NumPy's, too
        raise SystemExit(f"{name}: the batch and NumPy differ")
    work.copy_samples.argtypes = [c.c_void_p, c.c_void_p, c.c_size_t, c.c_size_t]
    first = next(iter(arrays.values()))
    best = machine.measure([batch, lambda: work.copy_samples(copied.ctypes.data, first.ctypes.data, each * 4, count)],
                           OPTIONS.seconds)
    batch_ns, copy_ns = (b / count * 1e9 for b in best)
    print(f"{name:10} {text:26} {count:6} samples  {batch_ns:6.1f} ns a sample   memcpy {copy_ns:5.1f} ns   "
          f"times {batch_ns / copy_ns:5.1f}", flush=True)
    return {"case": name, "text": text, "samples": count, "ns": batch_ns, "memcpy_ns": copy_ns,
            "times_memcpy": batch_ns / copy_ns}


def unlike(weft, name, text, random, count=100000):
    """No two samples have the same shape: what each takes, plan and all."""
    shapes = 1 + np.arange(count)[:, None] // 10 ** np.arange(5) % 10
    starts, total = places(shapes, False)
    x, out, whole = buffers.filled(total, u8, random), buffers.aligned(total, u8), buffers.aligned(total, u8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    batch = prepared(weft, text, {"x": Batch(x, shapes, starts)}, Batch(out, shapes, starts))
    tensor = prepared(weft, text, {"x": x}, whole)
    start = time.perf_counter()
    batch()
    first = time.perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    tensor()
    if not np.array_equal(out, whole):
        raise SystemExit(f"{name}: the batch and the tensor differ")
    best = machine.measure([batch, tensor], OPTIONS.seconds)
    extra = (best[0] - best[1]) / count * 1e9
    print(f"{name:10} {text:26} {count:6} samples  {extra:6.0f} ns a sample beyond one tensor's {best[1] * 1e3:.1f} ms "
          f"(first {first * 1e3:.0f} ms), {grown:.0f} MB of memory", flush=True)
    return {"case": name, "text": text, "samples": count, "extra_ns": extra, "tensor_ms": best[1] * 1e3,
            "first_ms": first * 1e3, "megabytes": grown}


def cases(weft, work, random):
    like = np.tile([64, 64, 3], (4096, 1))
    ragged = np.stack([random.integers(200, 640, 256), random.integers(200, 640, 256), np.full(256, 3)], axis=1)
    for name, shapes in (("like", like), ("ragged", ragged)):
        yield name, lambda n=name, s=shapes: pictures(weft, n, "uint8(x * gain)", u8, u8, s, random)
        yield name, lambda n=name, s=shapes: pictures(weft, n, "x * gain", u8, f32, s, random)
        yield name, lambda n=name, s=shapes: pictures(weft, n, "(x - 127.5) * 0.0078125", u8, f32, s, random)
    yield "tiny", lambda: tiny(weft, work, "tiny", "x * 2 + 1", "x", random)
    yield "tiny", lambda: tiny(weft, work, "tiny", "a * b + c", "abc", random)
    yield "unlike", lambda: unlike(weft, "unlike", "uint8(x + 1)", random)


def main():
    print(machine.name(), f"{OPTIONS.threads} thread(s)")
    with tempfile.TemporaryDirectory() as scratch:
        work, weft = buffers.compile_c(scratch, "common/copy.c"), library.Weft(OPTIONS.build)
        random = np.random.default_rng(7)
        entries = [run() for name, run in cases(weft, work, random) if not OPTIONS.only or OPTIONS.only in name]
    if OPTIONS.save:
        machine.save(OPTIONS.save, threads=OPTIONS.threads, cases=entries)
    return any(e["of_tensor"] < LEAST for e in entries if e["case"] == "like") or \
        any(e["ns"] > MOST for e in entries if e["case"] == "tiny")


if __name__ == "__main__":
    sys.exit(main())
