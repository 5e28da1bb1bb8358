"""Weft on a GPU beside a copy of the same bytes and beside its peers, in one process and on the same buffers:

    python3 bench/gpu/gpu.py --build build [--out bench/results/gpu.json] [--only NAME] [--scale 1]

By CUDA events, rotating over 400 MB of buffers, the median of 5 runs of many calls each, all contenders in
turns; launched one by one and as a CUDA graph, of which the faster one counts. `of copy` is the time of
cuMemcpyDtoD for the same bytes (read plus written) over the time taken. Every result is checked before it
is timed. gpu_cases.py says what is measured, gpu_peers.py beside whom; NumPy is required. Ends with 77, and
the name of the call that said so, where there is no GPU; by then everything that needs none was done: the
libraries are loaded, and NVRTC has made a cubin for sm_90 of every case. With 1 when a result is wrong.
The file is written after each case, so that what was measured survives a limit of time.

--mock DIRECTORY runs all of it, on small arrays, on the fake driver of tests/mockcuda, beside the peers'
versions for the CPU."""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

NO_GPU, TARGET_CUDA = 77, 2


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--out", default=str(ROOT / "bench/results/gpu.json"))
    parser.add_argument("--only", default="", help="cases whose name holds this")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="every Nth of these cases")
    parser.add_argument("--scale", type=float, default=1.0, help="of the arrays' sizes, and of what they rotate over")
    parser.add_argument("--seconds", type=float, default=0.05, help="of one run of a contender")
    parser.add_argument("--limit", type=float, default=1e9, help="no case begins after so many seconds")
    parser.add_argument("--mock", help="the directory of the fake driver and NVRTC")
    parser.add_argument("--no-peers", action="store_true", help="Weft alone")
    parser.add_argument("--no-parts", action="store_true", help="the cases alone, without what calls and kernels cost")
    parser.add_argument("--suite", help="a result of tests/gpu/suite.py, which becomes part of the file")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    return parser.parse_args()


import numpy as np  # noqa: E402
import gpu_result  # noqa: E402

OPTIONS = options()
if OPTIONS.mock:
    gpu_result.play_on(OPTIONS.mock)

import driver as cuda  # noqa: E402
import gpu_arrays  # noqa: E402
import gpu_cases  # noqa: E402
import gpu_compile  # noqa: E402
import gpu_overhead  # noqa: E402
import gpu_peers  # noqa: E402
import gpu_time  # noqa: E402
import library  # noqa: E402
import nvrtc  # noqa: E402

# On the mock every path once, on little: its clock means nothing.
SCALE, SECONDS, PEERS_ON = (2e-5, 0, 1) if OPTIONS.mock else (OPTIONS.scale, OPTIONS.seconds, 2)
BEGAN = time.monotonic()


# ---- before the first call that touches a device ----

def wanted_cases():
    return [case for case in gpu_cases.cases(SCALE) if OPTIONS.only in case.name][::OPTIONS.every]


def cubin_of(weft, compiler, case):
    """A case's text, and what NVRTC makes of it."""
    program = weft.compile(case.text, gpu_cases.types_of(case))
    text = weft.stage(program, "cuda-compiled")
    weft.lib.weft_program_destroy(program)
    entry = {"case": case.name, "lines": text.count("\n"), "cubin_bytes": 0, "nvrtc_ms": 0.0}
    for kernel in nvrtc.kernels(text):
        image, seconds, log = nvrtc.compile_text(compiler, kernel, "sm_90",
                                                 nvrtc.STRICT + (() if OPTIONS.mock else nvrtc.VERBOSE))
        entry["cubin_bytes"] += len(image)
        entry["nvrtc_ms"] += seconds * 1e3
        for name, value in nvrtc.resources(log).items():
            entry[name] = max(entry.get(name, 0), value)  # of the kernel that takes most
    return entry


def compile_everything(build, compiler, result):
    """The text of every case, and a cubin of it, as many at once as there are processors."""
    weft = library.Weft(build, target=TARGET_CUDA, arch=b"sm_90")
    cases = wanted_cases() + [gpu_cases.small()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        entries = list(pool.map(lambda case: cubin_of(weft, compiler, case), cases))
    for case, entry in zip(cases, entries):
        print(f"  {case.name:55} {entry['lines']:5} lines  cubin {entry['cubin_bytes']:6} bytes  "
              f"{entry['nvrtc_ms']:6.1f} ms  " +
              ", ".join(f"{entry[name]} {name}" for name in ("registers", "stack_bytes", "spill_bytes")
                        if name in entry))
    weft.close()
    result.put(cubins=entries)


def prepare(result):
    """Loads the libraries and compiles; returns the driver's library, or None where there is none."""
    lib = library.load(OPTIONS.build)
    compiler, place = nvrtc.find()
    if compiler is None:
        raise SystemExit(f"NVRTC is not found; looked for {place}")
    print(f"NVRTC {nvrtc.version(compiler)}, {place}")
    result.content["versions"]["nvrtc"] = nvrtc.version(compiler)
    compile_everything(OPTIONS.build, compiler, result)
    opened, place = cuda.find()
    print(f"libcuda: {place}" if opened else f"libcuda.so.1 is not found; looked for {place}")
    return lib, opened


# ---- cases ----

def contenders_of(case, sets, peers, skipped):
    for name, make in peers:
        try:
            if isinstance(make, str):
                raise gpu_peers.Skip(make)
            yield make(case, sets)
        except Exception as error:  # of a peer's own code, whatever it is
            skipped[name] = gpu_peers.told(error)


def references(driver, case, sets):
    """wanted() for Weft, by NumPy, and for its peers, by Weft: a result is fetched when it is first asked for."""
    kept = {}

    def by_numpy(number, tolerance):
        return gpu_peers.reference(case, sets.sets[number][0]), tolerance, "NumPy in float64"

    def by_weft(number, tolerance):
        return kept[number], tolerance, "Weft"

    def keep():
        for number in {0, sets.count - 1}:
            kept[number] = gpu_time.fetched(sets.sets[number][1])
    return by_numpy, by_weft, keep


def best(timed):
    """The faster way of each contender: name to median seconds."""
    found = {}
    for one in timed:
        median = one.entry()["median_us"] * 1e-6
        found[one.contender.name] = min(median, found.get(one.contender.name, median))
    return found


def run_case(driver, weft, peers, case):
    skipped, random = {}, gpu_arrays.Random(hash(case.name) & 0xFFFF)
    entry = {"case": case.name, "text": case.text, "bytes": case.bytes(), "elements": elements(case)}
    with gpu_arrays.Room(driver, PEERS_ON) as room, contextlib.ExitStack() as graphs:
        sets = gpu_cases.Sets(room, case, random, gpu_cases.ROTATED * SCALE)
        by_numpy, by_weft, keep = references(driver, case, sets)
        ours, seconds = gpu_time.weft_contender(weft, driver, case, sets)
        check = gpu_time.checker(driver, case, sets, by_numpy)
        check(ours, lambda: gpu_time.all_calls(ours))
        keep()
        copies = gpu_time.copier(driver, room, case.bytes(), sets.count)
        check = gpu_time.checker(driver, case, sets, by_weft)

        def check_all(contender, work):
            if contender is not copies:
                check(contender, work)
            else:
                work()
        everybody = [ours, copies] + list(contenders_of(case, sets, peers, skipped))
        timed = gpu_time.in_turns(driver, everybody, SECONDS, graphs, check_all, skipped)
        entry.update(sets=sets.count, kernel_ms=seconds * 1e3, skipped=skipped, contenders={})
        for one in timed:
            entry["contenders"].setdefault(one.contender.name, {})[one.mode] = one.entry()
        finish_entry(entry, best(timed))
    return entry


def elements(case):
    shapes = case.out[0] if case.ragged else [case.out[0]]
    return sum(int(np.prod(shape, dtype=np.int64)) for shape in shapes)


def finish_entry(entry, fastest):
    copy = fastest.pop("copy", None)
    if "Weft" not in fastest or copy is None:
        raise gpu_time.Wrong("; ".join(f"{name}: {reason}" for name, reason in entry["skipped"].items()))
    entry["best_us"] = {name: seconds * 1e6 for name, seconds in fastest.items()}
    entry["copy_us"] = copy * 1e6
    entry["copy_gb_per_s"] = entry["bytes"] / copy / 1e9
    entry["of_copy"] = {name: copy / seconds for name, seconds in fastest.items()}
    entry["times_weft"] = {name: seconds / fastest["Weft"] for name, seconds in fastest.items() if name != "Weft"}


def show(entry):
    print(f"\n{entry['case']}   {entry['text'][:70]}   {entry['bytes'] / 1e6:.1f} MB, {entry['sets']} sets; copy "
          f"{entry['copy_us']:.1f} us, {entry['copy_gb_per_s']:.0f} GB/s")
    for name, microseconds in entry["best_us"].items():
        print(f"  {name:16} {microseconds:9.1f} us   of copy {entry['of_copy'][name]:5.2f}   "
              f"Weft's time x {microseconds / entry['best_us']['Weft']:5.2f}")
    for name, reason in entry["skipped"].items():
        print(f"  {name:16} left out: {reason}")
    sys.stdout.flush()


LEAST_OF_COPY, MOST_BEHIND = 0.95, 1.05


def short(entries):
    """What Weft is slower than it should be, case by case."""
    found = []
    for entry in entries:
        faster = {name: times for name, times in entry.get("times_weft", {}).items() if times * MOST_BEHIND < 1}
        if faster or entry.get("of_copy", {}).get("Weft", 1) < LEAST_OF_COPY:
            found.append({"case": entry["case"], "of_copy": entry["of_copy"]["Weft"], "behind": faster})
            print(f"short: {entry['case']}: of copy {entry['of_copy']['Weft']:.3f}; " + ", ".join(
                f"{name} takes {times:.3f} of Weft's time" for name, times in faster.items()))
    return found


def run_cases(driver, weft, peers, result):
    """The names of the cases whose results were wrong."""
    wrong = []
    for case in wanted_cases():
        if time.monotonic() - BEGAN > OPTIONS.limit:
            result.content["cases"].append({"case": case.name, "left_out": f"{OPTIONS.limit:.0f} s were over"})
            continue
        try:
            entry = run_case(driver, weft, peers, case)
            show(entry)
        except (gpu_time.Wrong, RuntimeError) as error:
            entry = {"case": case.name, "text": case.text, "failed": str(error)}
            wrong.append(case.name)
            print(f"\n{case.name}: FAILED: {error}", flush=True)
        result.content["cases"].append(entry)
        result.put()
    return wrong


# ---- all of it ----

def part(result, wrong, name, measure):
    """One of the parts beside the cases."""
    if OPTIONS.no_parts or OPTIONS.only and OPTIONS.only not in name:
        return
    try:
        result.put(**{name: measure()})
    except (gpu_time.Wrong, RuntimeError, OSError, subprocess.SubprocessError) as error:
        result.put(**{name: {"failed": str(error)}})
        wrong.append(name)
        print(f"\n{name}: FAILED: {error}", flush=True)


def main():
    if OPTIONS.child:
        return gpu_compile.child(OPTIONS.build, *OPTIONS.child)
    result = gpu_result.Result(OPTIONS.out, "bench/gpu/gpu.py", cases=[])
    if OPTIONS.suite:
        result.content["suite"] = json.loads(pathlib.Path(OPTIONS.suite).read_text(encoding="utf-8"))
    lib, opened = prepare(result)
    try:
        if opened is None:
            raise cuda.DriverError("dlopen", 0, "libcuda.so.1 is not found")
        driver = cuda.Driver(opened).start()
    except cuda.DriverError as error:
        print(f"no GPU: {error}; everything before that was done")
        result.put(no_gpu=str(error))
        return NO_GPU
    result.content["gpu"] = dict(driver.describe(), state=gpu_result.state_of_card())
    peers = [] if OPTIONS.no_peers else gpu_peers.available(driver.stream, on_device=not OPTIONS.mock)
    result.content["versions"].update(gpu_peers.versions())
    result.put(skipped={name: make for name, make in peers if isinstance(make, str)})
    print(json.dumps(result.content["gpu"]), json.dumps(result.content["versions"]))
    weft = library.Weft(OPTIONS.build, lib, target=TARGET_CUDA)
    wrong = run_cases(driver, weft, peers, result)
    few = 3 if OPTIONS.mock else 2000
    part(result, wrong, "overhead", lambda: gpu_overhead.measure(driver, weft, peers, PEERS_ON, few))
    part(result, wrong, "compile", lambda: gpu_compile.measure(OPTIONS.build, 1 if OPTIONS.mock else 5))
    result.put(short=short(result.content["cases"]))
    result.put(seconds=time.monotonic() - BEGAN, failed=wrong, state_after=gpu_result.state_of_card())
    weft.close()
    driver.stop()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
