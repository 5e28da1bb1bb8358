"""What a call on 1,000 elements takes: time per call from the host, launched one by one from Python and, for
Weft, from C; and as part of a CUDA graph."""
import contextlib
import ctypes
import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

import gpu_arrays
import gpu_cases
import gpu_peers
import gpu_time

RUNS, IN_GRAPH = 5, 100


def per_call(driver, contender, count):
    """Seconds for each call, from the host, until the device has done them all; and for the host alone."""
    call = contender.calls[0]
    with contender.around():
        start = time.perf_counter()
        for _ in range(count):
            call()
        host = time.perf_counter() - start
        if contender.finish:
            contender.finish()
        driver.synchronize()
        return (time.perf_counter() - start) / count, host / count


def spread(values):
    return {"median_us": statistics.median(values) * 1e6, "runs_us": [value * 1e6 for value in values]}


def launched(driver, contender, count):
    per_call(driver, contender, count)
    both = [per_call(driver, contender, count) for _ in range(RUNS)]
    return {"call": spread([one[0] for one in both]), "host_alone": spread([one[1] for one in both])}


def replayed(driver, contender, count):
    """A graph of one call, launched `count` times, and the device's time for each of IN_GRAPH calls in one."""
    def capture(calls):
        with contender.around():
            for _ in range(calls):
                contender.calls[0]()
    with driver.captured(lambda: capture(1)) as replay:
        alone = gpu_peers.Contender(contender.name, [replay])
        single = launched(driver, alone, count)["call"]
    with driver.captured(lambda: capture(IN_GRAPH)) as replay:
        replay()
        many = [driver.seconds(replay) / IN_GRAPH for _ in range(RUNS)]
    return {"graph_of_one": single, "device_in_graph": spread(many)}


def from_c(weft, driver, program, params, count):
    """weft_run called by a loop in C."""
    source = pathlib.Path(__file__).resolve().parent / "calls.c"
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", f"{scratch}/calls.so", str(source)], check=True)
        lib = ctypes.CDLL(f"{scratch}/calls.so")
    lib.calls.restype = ctypes.c_double
    seconds = []
    for _ in range(RUNS + 1):
        driver.synchronize()
        seconds.append(lib.calls(weft.lib.weft_run, program, ctypes.byref(params), ctypes.c_long(count)) / count)
    driver.synchronize()
    if min(seconds) < 0:
        raise RuntimeError("a call of weft_run failed")
    return {"host_alone": spread(seconds[1:])}


def one(driver, contender, check, count):
    check(contender, contender.calls[0])
    entry = launched(driver, contender, count)
    if contender.clock == "device":
        try:
            entry.update(replayed(driver, contender, count))
        except Exception as error:  # a peer that cannot be captured
            entry["no_graph"] = gpu_peers.told(error)
    return entry


def measure(driver, weft, peers, peers_on, count):
    case, entries, skipped = gpu_cases.small(), {}, {}
    with gpu_arrays.Room(driver, peers_on) as room:
        sets = gpu_cases.Sets(room, case, gpu_arrays.Random(5), 1)
        program = weft.compile(case.text)
        call, params = weft.bound(program, *sets.sets[0], driver.stream)
        weft.prepare(program, params)
        ours = gpu_peers.Contender("Weft", [call])
        check = gpu_time.checker(driver, case, sets, lambda number, tolerance: (
            gpu_peers.reference(case, sets.sets[number][0]), tolerance, "NumPy in float64"))
        entries["Weft"] = one(driver, ours, check, count)
        with contextlib.suppress(OSError, subprocess.SubprocessError):  # no C compiler
            entries["Weft, called from C"] = from_c(weft, driver, program, params, count)
        for name, make in peers:
            try:
                if isinstance(make, str):
                    raise gpu_peers.Skip(make)
                entries[name] = one(driver, make(case, sets), check, count)
            except Exception as error:  # of a peer's own code, whatever it is
                skipped[name] = gpu_peers.told(error)
    show(entries, skipped)
    return {"case": case.name, "text": case.text, "calls_in_a_run": count, "contenders": entries, "skipped": skipped}


def with_number(driver, weft, count):
    """The same with a 0-D operand in the host's memory."""
    case = gpu_cases.small()
    with gpu_arrays.Room(driver) as room:
        sets = gpu_cases.Sets(room, case, gpu_arrays.Random(5), 1)
        inputs, out = sets.sets[0]
        gain = np.array(1.5, np.float32)
        program = weft.compile("a * b + gain")
        call, params = weft.bound(program, {"a": inputs["a"], "b": inputs["b"], "gain": gain}, out, driver.stream)
        weft.prepare(program, params)
        want = inputs["a"].download().astype(np.float64) * inputs["b"].download() + 1.5
        check = gpu_time.checker(driver, case, sets, lambda number, tolerance: (want, tolerance, "NumPy in float64"))
        entries = {"Weft": one(driver, gpu_peers.Contender("Weft", [call]), check, count)}
    show(entries, {})
    return {"text": "a * b + gain", "calls_in_a_run": count, "contenders": entries}


def show(entries, skipped):
    print("\n1,000 elements, microseconds a call")
    for name, entry in entries.items():
        print(f"  {name:20} " + "   ".join(f"{way} {value['median_us']:7.2f}" for way, value in entry.items()
                                           if isinstance(value, dict)))
    for name, reason in skipped.items():
        print(f"  {name:20} left out: {reason}")
