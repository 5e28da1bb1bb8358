"""What making a kernel takes: cold, from the disk cache, and again in the same process; beside NVRTC's own
time on the same text. Each figure is of a process of its own, whose GPU was started before."""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import compile_cuda
import driver as cuda
import gpu_arrays
import gpu_cases
import library

TARGET_CUDA = 2
TEXTS = ("headline: uint8 to uint8, a gain for each channel", "float32", "sin, exp and sqrt")


def cases():
    return [case for case in gpu_cases.cases(1e-4) if case.name in TEXTS]


def prepared(weft, case, sets, device):
    """Seconds of weft_prepare, the text's compilation included."""
    start = time.perf_counter()
    program = weft.compile(case.text)
    inputs, out = sets.sets[0]
    _, params = weft.bound(program, sets.for_weft(inputs), out, device.stream)
    kernel = weft.prepare(program, params)
    return {"all_ms": (time.perf_counter() - start) * 1e3, "kernel_ms": kernel * 1e3}


def child_weft(build, cache, name):
    case = next(case for case in cases() if case.name == name)
    device = cuda.Driver(cuda.find()[0]).start()
    with gpu_arrays.Room(device) as room:
        sets = gpu_cases.Sets(room, case, gpu_arrays.Random(1), 1)
        weft = library.Weft(build, cache=cache, target=TARGET_CUDA)
        first = prepared(weft, case, sets, device)
        print(json.dumps({"first": first, "warm": prepared(weft, case, sets, device)}))
        weft.close()
    device.stop()
    return 0


def child_nvrtc(_build, path):
    print(json.dumps(compile_cuda.child_nvrtc(path)))
    return 0


def child(build, kind, *words):
    return {"weft": child_weft, "nvrtc": child_nvrtc}[kind](build, *words)


def spawn(build, *words):
    script = pathlib.Path(__file__).resolve().parent / "gpu.py"
    told = subprocess.run([sys.executable, str(script), "--build", build, "--child", *words], capture_output=True,
                          text=True, timeout=120, check=False)
    if told.returncode:
        raise RuntimeError(f"{' '.join(words)}: {told.stderr.strip()[-2000:]}")
    return json.loads(told.stdout.splitlines()[-1])


def spread(values):
    return {"median_ms": statistics.median(values), "runs_ms": values}


def measure_case(build, case, scratch, runs):
    weft = library.Weft(build, target=TARGET_CUDA)
    text = pathlib.Path(scratch, "text.cu")
    text.write_text(weft.stage(weft.compile(case.text, gpu_cases.types_of(case)), "cuda-compiled"), encoding="utf-8")
    weft.close()
    cold, disk, warm, bare = [], [], [], []
    for run in range(runs):
        cache = os.path.join(scratch, f"cache{run}")
        cold.append(spawn(build, "weft", cache, case.name))
        disk.append(spawn(build, "weft", cache, case.name))
        warm.append(disk[-1]["warm"]["all_ms"])
        bare.append(spawn(build, "nvrtc", str(text)))
    return {"case": case.name, "text": case.text,
            "cold": spread([one["first"]["all_ms"] for one in cold]),
            "cold_kernel": spread([one["first"]["kernel_ms"] for one in cold]),
            "disk": spread([one["first"]["all_ms"] for one in disk]), "warm": spread(warm),
            "nvrtc_load": spread([one["load_ms"] for one in bare]),
            "nvrtc_first": spread([one["first_ms"] for one in bare]),
            "nvrtc_again": spread([one["again_ms"] for one in bare])}


def measure(build, runs):
    entries = []
    for case in cases():
        with tempfile.TemporaryDirectory() as scratch:
            entries.append(measure_case(build, case, scratch, runs))
        show(entries[-1])
    return entries


def show(entry):
    print(f"\ncompiling {entry['case']}: " + "   ".join(
        f"{name} {value['median_ms']:.2f} ms" for name, value in entry.items() if isinstance(value, dict)), flush=True)
