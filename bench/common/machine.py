"""What a result file says besides its numbers: where, when, with which command and versions."""
import datetime
import importlib
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

PEERS = ("numpy", "numexpr", "blosc2", "jax", "torch", "cv2")


def name():
    processor = platform.processor()
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{processor}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}"


def versions():
    cc = subprocess.run(["cc", "--version"], capture_output=True, text=True).stdout.splitlines()
    found = {"cc": cc[0] if cc else "none", "python": platform.python_version()}
    for peer in PEERS:
        try:
            found[peer] = importlib.import_module(peer).__version__
        except ImportError:
            found[peer] = "absent"
    return found


def measure(functions, seconds, least=0.0, pause=0.0, own=False, clock=time.perf_counter):
    """The best time of each function in seconds, all taken in turns for `seconds` each, so that a slow
    spell of the machine hits all alike. A short one is called as often as takes `least` seconds together, after as many
    calls that do not count: what others left in the caches is none of its time. With `own` three such calls are in
    front of a long one, too: of arrays that the caches hold half of, the second to read them would be faster than the
    first, and a copy takes 0.6 of its time from the third call on. A pause in front of each turn lets the threads of
    the one before it fall asleep. `clock` is what the times are of, such as time.process_time."""
    best, counts = [float("inf")] * len(functions), [1] * len(functions)
    end, turns = time.perf_counter() + seconds * len(functions), 0
    while turns < 5 or time.perf_counter() < end:
        for i, function in enumerate(functions):
            if pause:
                time.sleep(pause)
            for _ in range(counts[i] if best[i] < least else 3 * own):
                function()
            start = clock()
            for _ in range(counts[i]):
                function()
            best[i] = min(best[i], (clock() - start) / counts[i])
            counts[i] = max(1, int(least / best[i]))
        turns += 1
    return best


def rounded(value):
    """With six digits of each fraction."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    return float(f"{value:.6g}") if isinstance(value, float) and value % 1 else value


def listed(value, margin=""):
    """JSON with a line for each case: what holds no list of cases is one line."""
    deeper = margin + " "
    if isinstance(value, list) and any(isinstance(inner, dict) for inner in value):
        inside = [deeper + json.dumps(inner) for inner in value]
        brackets = "[]"
    elif isinstance(value, dict) and (not margin or any(isinstance(inner, (dict, list)) for inner in value.values())):
        inside = [f"{deeper}{json.dumps(key)}: {listed(inner, deeper)}" for key, inner in value.items()]
        brackets = "{}"
    else:
        return json.dumps(value)
    return f"{brackets[0]}\n" + ",\n".join(inside) + f"\n{margin}{brackets[1]}"


def save(result, **content):
    """Writes bench/results/RESULT.json."""
    bench = pathlib.Path(__file__).resolve().parents[1]
    script = str(pathlib.Path(sys.argv[0]).resolve().relative_to(bench.parent))
    record = {"machine": name(), "load_average": os.getloadavg()[0], "date": datetime.date.today().isoformat(),
              "command": " ".join([script, *sys.argv[1:]]), "versions": versions(), **content}
    target = bench / "results" / f"{result}.json"
    target.write_text(listed(rounded(record)) + "\n", encoding="utf-8")
