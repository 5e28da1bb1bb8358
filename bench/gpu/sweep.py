"""Measures what the numbers in compiler/loop/tuning.c should be on a GPU, step by step, the most telling step first:

    python3 bench/gpu/sweep.py --build build --library build/tests/gpu [--out sweep.json] [--limit 2700] [--steps NAMES]

`scripts/gpu sweep` calls it on a machine with a GPU. --library names the directory of the libweft that reads
WEFT_TUNING (tests/gpu/meson.build). Each step has its share of the seconds that are left, and what it has not measured
by then it leaves out (`cut`). A step is a process of its own, so one that loses the GPU's context, or hangs, costs the
others nothing. The file is written after each entry. A figure is the time of a device copy of the same bytes in the
same run over the time taken, medians of 5 by CUDA events after warming up, rotating over 400 MB of buffers. Every
result is compared with NumPy's, or bit for bit with one that was, before it is timed. It ends with the best setting of
each case and the row for the table. Exit status: 1 when a result was wrong, 77 without a GPU.

--mock DIRECTORY runs all of it, on small arrays, on the fake driver of tests/mockcuda, whose clock means nothing."""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

import gpu_result  # noqa: E402
import sweep_steps  # noqa: E402
import sweep_table  # noqa: E402

NO_GPU, LATE = 77, 60  # LATE: seconds beyond its time after which a step's process is ended


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--library", help="the directory of the libweft that reads WEFT_TUNING; BUILD/tests/gpu")
    parser.add_argument("--out", default=str(ROOT / "bench/results/sweep.json"))
    parser.add_argument("--limit", type=float, default=2700, help="seconds for all steps together")
    parser.add_argument("--steps", default="", help=f"some of {', '.join(sweep_steps.STEPS)}, by commas")
    parser.add_argument("--seconds", type=float, default=0.02, help="of one run of a contender")
    parser.add_argument("--suite", help="the list of the suite gpu (tests/gpu/suite.py list), for the step suite")
    parser.add_argument("--mock", help="the directory of the fake driver and NVRTC")
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)  # the process of one step
    parser.add_argument("--table", help="print the best settings of this file, which was measured before, and end")
    return parser.parse_args()


def wanted_steps(names):
    wanted = [name for name in names.split(",") if name] or list(sweep_steps.STEPS)
    unknown = [name for name in wanted if name not in sweep_steps.STEPS]
    if unknown:
        raise SystemExit(f"there is no step '{unknown[0]}'; there are {', '.join(sweep_steps.STEPS)}")
    return [name for name in sweep_steps.STEPS if name in wanted]


def run_step(bench, result, name, seconds):
    """Takes the step's entries, one by one, until its time is over."""
    make, began = sweep_steps.STEPS[name][1], time.monotonic()
    step = {"budget_s": round(seconds, 1), "seconds": 0, "cut": False, "entries": []}
    result.content["steps"][name] = step
    bench.end = began + seconds
    print(f"\n== {name}, {seconds:.0f} s", flush=True)
    try:
        for entry in make(bench):
            step["entries"].append(entry)
            step["seconds"] = round(time.monotonic() - began, 1)
            sweep_table.show(entry)
            result.put()
    except sweep_steps.OutOfTime:
        step["cut"] = True
    except Exception as error:  # one step that fails leaves the others their time
        step["failed"] = f"{type(error).__name__}: {error}"
        print(f"FAILED: {step['failed']}")
    step["seconds"] = round(time.monotonic() - began, 1)
    result.put()


def shares(names, seconds):
    """Of each step its seconds, if each of them takes its share."""
    minutes = [sweep_steps.STEPS[name][0] for name in names]
    return [seconds * own / sum(minutes) for own in minutes]


def tell_steps(names, limit):
    print("with one, these steps would run:")
    for name, seconds in zip(names, shares(names, limit)):
        print(f"  {name}, {seconds:.0f} s: {sweep_steps.STEPS[name][1].__doc__}")


def alone(given, name):
    """The process of a step: its file has the GPU and the step."""
    result = gpu_result.Result(given.out, "bench/gpu/sweep.py", steps={})
    try:
        bench = sweep_steps.Bench(given)
    except sweep_steps.cuda.DriverError as error:
        print(f"no GPU: {error}")
        result.put(no_gpu=str(error))
        return NO_GPU
    result.put(gpu=dict(bench.driver.describe(), state=gpu_result.state_of_card()))
    run_step(bench, result, name, given.limit)
    bench.close()
    return 0


def started(name, seconds, out):
    """Runs a step's process. None, or how it ended where it did not end by itself."""
    command = [sys.executable, __file__, *sys.argv[1:], "--alone", "--steps", name, "--limit", f"{seconds:.1f}"]
    command += ["--out", str(out)]
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            status = process.wait(seconds + LATE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # and what it started
            return f"did not end within {seconds + LATE:.0f} s"
    return None if status in (0, NO_GPU) else f"ended with {status}"


def run_alone(result, name, seconds):
    """Takes over a step's part of the file, as far as it came."""
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, "step.json")
        ended = started(name, seconds, out)
        told = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    for key in ("gpu", "no_gpu"):
        if key in told:
            result.content.setdefault(key, told[key])
    step = told.get("steps", {}).get(name, {"budget_s": seconds, "seconds": 0, "cut": True, "entries": []})
    if ended:
        step["failed"] = ended
    result.content["steps"][name] = step
    result.put()


def run_steps(result, names, limit):
    end = time.monotonic() + limit
    for i, name in enumerate(names):
        run_alone(result, name, max(0.0, shares(names[i:], end - time.monotonic())[0]))
        if "no_gpu" in result.content:
            return


def failures(steps):
    for name, step in steps.items():
        yield from (f"{name}: {entry['what']}: {entry['failed']}" for entry in step["entries"] if entry.get("failed"))
        if step.get("failed"):
            yield f"{name}: {step['failed']}"


def main():
    given = options()
    if given.table:
        sweep_table.tell(json.loads(pathlib.Path(given.table).read_text(encoding="utf-8")))
        return 0
    names = wanted_steps(given.steps)
    if given.mock:
        gpu_result.play_on(given.mock)
    os.environ.pop("WEFT_TUNING", None)
    if given.alone:
        return alone(given, names[0])
    result = gpu_result.Result(given.out, "bench/gpu/sweep.py", steps={})
    run_steps(result, names, given.limit)
    if "no_gpu" in result.content:
        result.content["steps"] = {}
        result.put()
        tell_steps(names, given.limit)
        return NO_GPU
    failed = list(failures(result.content["steps"]))
    best = sweep_table.tell(result.content) if "gpu" in result.content else {}
    result.put(best=best, failed=failed, state_after=gpu_result.state_of_card())
    for what in failed:
        print(f"FAILED: {what}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
