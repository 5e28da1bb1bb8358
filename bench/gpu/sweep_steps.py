"""The steps of bench/gpu/sweep.py. A step is a generator of entries for the result file; between two of them it asks
whether its time is over (Bench.go_on)."""
import concurrent.futures
import contextlib
import ctypes as c
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import driver as cuda
import gpu_arrays
import gpu_cases
import gpu_overhead
import gpu_peers
import gpu_result
import gpu_time
import library
import nvrtc
from gpu_cases import ROTATED, f32, u8

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET_CUDA = 2


class OutOfTime(Exception):
    """A step's time is over."""


class Bench:
    """A device, the libraries, and how large everything is."""

    def __init__(self, options):
        self.options, self.mock = options, bool(options.mock)
        self.scale, self.seconds = (2e-5, 0) if self.mock else (1, options.seconds)
        self.lib = library.load(options.library or f"{options.build}/tests/gpu")
        self.compiler, _ = nvrtc.find()
        opened, place = cuda.find()
        if opened is None:
            raise cuda.DriverError("dlopen", 0, f"libcuda.so.1 is not found; looked for {place}")
        self.driver = cuda.Driver(opened).start()
        self.end = 0.0

    def close(self):
        self.driver.stop()

    def left(self):
        return self.end - time.monotonic()

    def go_on(self):
        """Raises where the time is over."""
        if self.left() <= 0:
            raise OutOfTime

    def weft(self, words="", disable=""):
        """A context whose kernels are made by these words."""
        os.environ["WEFT_TUNING"] = words
        try:
            return library.Weft(self.options.build, self.lib, target=TARGET_CUDA, arch=self.driver.arch().encode(),
                                disable=disable.encode())
        finally:
            del os.environ["WEFT_TUNING"]

    def registers(self, text):
        """What NVRTC says of a kernel's text; nothing on the mock."""
        if self.mock or self.compiler is None:
            return {}
        options = nvrtc.STRICT + nvrtc.VERBOSE
        return nvrtc.resources(nvrtc.compile_text(self.compiler, text, self.driver.arch(), options)[2])


# ---- a case in several settings ----

class Setting:
    """Words for WEFT_TUNING and for WEFT_DISABLE."""

    def __init__(self, words="", disable=""):
        self.words, self.disable = words, disable
        self.name = " ".join(filter(None, [words, disable and f"without {disable}"])) or "as it is"


class Bits:
    """Checks results: the first against NumPy, all others bit for bit against that."""

    def __init__(self, driver, case, sets):
        self.driver, self.case, self.sets, self.kept = driver, case, sets, {}

    def __call__(self, contender, work):
        for _, out in self.sets.sets:
            out.poison()
        self.driver.synchronize()
        work()
        self.driver.synchronize()
        for number in {0, self.sets.count - 1} if contender.name != "copy" else ():
            self.look(number, gpu_time.fetched(self.sets.sets[number][1]))

    def look(self, number, got):
        if number not in self.kept:
            gpu_time.compare(got, gpu_peers.reference(self.case, self.sets.sets[number][0]), self.case.tolerance,
                             "NumPy in float64")
            self.kept[number] = got
        for one, other in zip(got, self.kept[number]) if isinstance(got, list) else [(got, self.kept[number])]:
            if not np.array_equal(np.ascontiguousarray(one).view(np.uint8), np.ascontiguousarray(other).view(np.uint8)):
                raise gpu_time.Wrong("has other bits than another setting")


class Field:
    """A case's data on the device, for settings to be measured on. A context manager."""

    def __init__(self, bench, case):
        self.bench, self.case, self.seen = bench, case, {}

    def __enter__(self):
        self.room = gpu_arrays.Room(self.bench.driver).__enter__()
        self.sets = gpu_cases.Sets(self.room, self.case, gpu_arrays.Random(7), ROTATED * self.bench.scale)
        self.check = Bits(self.bench.driver, self.case, self.sets)
        self.copies = gpu_time.copier(self.bench.driver, self.room, self.case.bytes(), self.sets.count)
        return self

    def __exit__(self, *error):
        self.room.__exit__(*error)

    def text(self, weft):
        program = weft.compile(self.case.text, gpu_cases.types_of(self.case))
        text = weft.stage(program, "cuda-compiled")
        weft.lib.weft_program_destroy(program)
        return text

    def contenders(self, settings, stack, entries, registers):
        """Those of settings whose texts no other has; the others' entries say whose they share."""
        fresh = []
        for setting in settings:
            weft = self.bench.weft(setting.words, setting.disable)
            stack.callback(weft.close)
            entry = {"what": self.case.name, "setting": setting.name}
            entries[setting.name] = entry
            text = self.text(weft)
            same = self.seen.setdefault(text + setting.words.partition("blocks")[2], setting.name)  # not in the text
            if same != setting.name and not setting.disable:
                entry["same_as"] = same
                continue
            fresh.append((weft, text if registers else "", entry))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(lambda one: self.contender(*one), fresh))

    def contender(self, weft, text, entry):
        """A setting's contender; its kernel is made beside others."""
        if text:
            entry.update(self.bench.registers(text))
        contender, seconds = gpu_time.weft_contender(weft, self.bench.driver, self.case, self.sets)
        contender.name, entry["kernel_ms"] = entry["setting"], seconds * 1e3
        return contender

    def measure(self, settings, registers=False, graphs=False, **more):
        """An entry for each setting, all timed in turns with a copy of the same bytes. `graphs`: as graphs, too, of
        which the faster way counts, where the host may take longer than the GPU."""
        entries, skipped = {}, {}
        with contextlib.ExitStack() as stack:
            everybody = [self.copies] + self.contenders(settings, stack, entries, registers)
            timed = gpu_time.in_turns(self.bench.driver, everybody, self.bench.seconds, stack, self.check, skipped,
                                      graphs)
            timed.sort(key=lambda one: -one.entry()["median_us"])  # the faster way of two comes last
            medians = {one.contender.name: one.entry()["median_us"] for one in timed}
            runs = {one.contender.name: one.entry()["runs_us"] for one in timed}
        for name, entry in entries.items():
            entry.update(more, bytes=self.case.bytes(), sets=self.sets.count)
            if name in medians:
                entry.update(us=medians[name], runs_us=runs[name], copy_us=medians["copy"],
                             of_copy=medians["copy"] / medians[name])
                if "as it is" in medians:
                    entry["gain"] = medians["as it is"] / medians[name]
            elif "same_as" not in entry:
                entry["failed"] = skipped.get(name, "was not timed")
        return list(entries.values())


# ---- step: suite ----

def suite(bench):
    """Narrow types on the device first: a fault of the compiler in wide vectors of bytes was reported."""
    if not bench.options.suite:
        return
    script = ROOT / "tests/gpu/suite.py"
    words = ("numbers_device", "rows_device", "half_device", "casts_device")
    for i, word in enumerate(words):
        bench.go_on()
        seconds = bench.left() / (len(words) - i)
        with tempfile.TemporaryDirectory() as scratch:
            command = [sys.executable, str(script), "run", bench.options.suite, bench.options.build, str(ROOT),
                       f"{scratch}/suite.json", "--limit", f"{seconds:.0f}", "--only", word]
            subprocess.run(command + (["--jobs", "1"] if bench.mock else []), check=False)
            told = json.loads(pathlib.Path(scratch, "suite.json").read_text(encoding="utf-8"))
        # One that its share of the time ends has shown nothing wrong.
        bad = [test["name"] for test in told["tests"] if test["status"] == "failed"]
        yield {"what": f"suite {word}", **told, "failed": ", ".join(bad) or None}


# ---- step: ceilings ----

# Copies by hand: 16 bytes in each of PER loads of a thread, all before the first store, written RATIO times.
BY_HAND = """
extern "C" __global__ void __launch_bounds__(256) by_hand(const uint4 *from, uint4 *to, const long long count)
{
    const long long first = (long long)blockIdx.x * (256 * PER) + threadIdx.x;
    uint4 x[PER];
    for (int k = 0; k < PER; k++)
        if (first + k * 256 < count)
            x[k] = from[first + k * 256];
    for (int r = 0; r < RATIO; r++)
        for (int k = 0; k < PER; k++)
            if (first + k * 256 < count)
                to[r * count + first + k * 256] = x[k];
}
"""
PER = 4


class ByHand:
    """The kernel for a ratio. A context manager."""

    def __init__(self, bench, ratio):
        self.driver, self.ratio = bench.driver, ratio
        text = f"#define PER {PER}\n#define RATIO {ratio}\n" + BY_HAND
        self.image = nvrtc.compile_text(bench.compiler, text, bench.driver.arch(), ())[0]

    def __enter__(self):
        self.module = self.driver.make("cuModuleLoadData", self.image)
        self.function = self.driver.make("cuModuleGetFunction", self.module, b"by_hand")
        return self

    def __exit__(self, *_error):
        self.driver.synchronize()
        self.driver.call("cuModuleUnload", self.module)

    def call(self, source, target, count):
        values = [c.c_uint64(source), c.c_uint64(target), c.c_longlong(count)]
        words = (c.c_void_p * 3)(*[c.addressof(value) for value in values])
        blocks = -(-count // (256 * PER))

        def launch(_keep=values):
            self.driver.call("cuLaunchKernel", self.function, blocks, 1, 1, 256, 1, 1, 0, self.driver.stream, words,
                             None)
        return launch


def check_by_hand(source, target, ratio, where):
    """A function of a contender and its work, for the copies at these offsets of 16 bytes."""
    def check(contender, work):
        target.poison()
        source.driver.synchronize()
        work()
        source.driver.synchronize()
        got, want = target.download().reshape(-1, 16), source.download().reshape(-1, 16)
        for at, count in where[:1] + where[-1:] if contender.name != "memcpy" else ():
            if not np.array_equal(got[ratio * at:][:ratio * count].reshape(ratio, count, 16),
                                  np.broadcast_to(want[at:][:count], (ratio, count, 16))):
                raise gpu_time.Wrong("is no copy")
    return check


def by_hand_entry(bench, megabytes, ratio):
    """Reads a part, writes `ratio` as much; together so many megabytes, beside a memcpy that moves as much."""
    count = max(1, int(megabytes * 1e6 * (bench.scale if bench.mock else 1)) // (16 * (ratio + 1)))
    sets = max(1, int(ROTATED * bench.scale) // (16 * count * (ratio + 1)))
    what, skipped = f"{megabytes} MB, read:write 1:{ratio}", {}
    with gpu_arrays.Room(bench.driver) as room, contextlib.ExitStack() as stack:
        source, target = room.array((16 * count * sets,), u8), room.array((16 * count * sets * ratio,), u8)
        gpu_arrays.Random(2).fill(source)
        kernel = stack.enter_context(ByHand(bench, ratio))
        where = [(i * count, count) for i in range(sets)]
        calls = [kernel.call(source.address + 16 * at, target.address + 16 * ratio * at, n) for at, n in where]
        ours = gpu_peers.Contender("by hand", calls)
        copies = gpu_time.copier(bench.driver, room, 16 * count * (ratio + 1), sets)
        copies.name = "memcpy"
        timed = gpu_time.in_turns(bench.driver, [copies, ours], bench.seconds, stack,
                                  check_by_hand(source, target, ratio, where), skipped)
        medians = {f"{one.contender.name}, {one.mode}": one.entry()["median_us"] for one in timed}
    entry = {"what": what, "bytes": 16 * count * (ratio + 1), "sets": sets, "us": medians,
             "gb_per_s": {name: 16e-3 * count * (ratio + 1) / us for name, us in medians.items()}}
    return {**entry, **({"failed": json.dumps(skipped)} if skipped else {})}


def clocks_entry(bench):
    """What nvidia-smi says while the GPU copies, for as long as it takes to say it."""
    with gpu_arrays.Room(bench.driver) as room:
        size = 1000 if bench.mock else 400_000_000
        source, target = room.array((size,), u8), room.array((size,), u8)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            state = pool.submit(gpu_result.state_of_card)
            while not state.done():
                for _ in range(1 if bench.mock else 200):
                    bench.driver.copy(target.address, source.address, size)
                bench.driver.synchronize()
    return {"what": "clocks under load", "state": state.result()}


def ceilings(bench):
    """Copies by the driver, in a graph and by hand, of 20 to 400 MB, written once, twice and four times."""
    yield clocks_entry(bench)
    for megabytes in (20, 60, 400):
        for ratio in (1, 2, 4):
            bench.go_on()
            yield by_hand_entry(bench, megabytes, ratio)


# ---- step: bench ----

def bench_alone(bench):
    """bench/gpu/gpu.py without peers, which takes some time after its last case."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, str(ROOT / "bench/gpu/gpu.py"), "--build", bench.options.build,
                   "--out", f"{scratch}/gpu.json", "--no-peers", "--limit", f"{max(0, bench.left() - 60):.0f}"]
        environment = {name: value for name, value in os.environ.items() if name != "MOCKCUDA_OPEN"}
        status = subprocess.run(command + (["--mock", bench.options.mock] if bench.mock else []), check=False,
                                env=environment).returncode
        told = json.loads(pathlib.Path(scratch, "gpu.json").read_text(encoding="utf-8"))
    yield {"what": "bench/gpu/gpu.py", **told, "failed": f"ended with {status}" if status else None}


# ---- cases ----

def by_name(bench, *names):
    found = list(gpu_cases.cases(bench.scale))
    for name in names:
        yield min((case for case in found if case.name.startswith(name)), key=lambda case: len(case.name))


def by_multiplying(bench):
    """Like normalizing by division, case 3 of the list."""
    case = next(by_name(bench, "normalize"))
    scale = (1 / gpu_cases.DEVIATION).astype(f32)
    return gpu_cases.Case("normalize by multiplying", "float16((x - mean) * scale)",
                          {"x": case.inputs["x"], "mean": gpu_cases.MEAN, "scale": scale}, case.out,
                          lambda w, x, mean, scale: w.f16((w.f32(x) - mean) * scale), None, None, 2e-3)


def swept(bench):
    """Cases 1, 2, 3, 3b, 5b and a plain one."""
    yield from by_name(bench, "blend", "headline")
    yield by_multiplying(bench)
    yield from by_name(bench, "normalize", "sin, exp", "float32")


def each_case(bench, cases, settings_of, registers=False):
    """Entries for every case, each with its share of the time that is left; OutOfTime if one was too little."""
    cases, cut = list(cases), False
    for i, case in enumerate(cases):
        bench.go_on()
        until = time.monotonic() + bench.left() / (len(cases) - i)
        with Field(bench, case) as field:
            for settings in settings_of():
                cut = cut or time.monotonic() >= until
                if time.monotonic() < until:
                    yield from field.measure(settings, registers)
    if cut:
        raise OutOfTime


# ---- steps: sweep, parts, hints ----

def sizes():
    """Nine settings at a time: what threads do for each number of elements, and what is asked of registers."""
    for threads in (256, 128, 512):
        for elements in ("elements=32", "elements=16", "elements=8", "elements=32 loads=128"):
            yield [Setting()] + [Setting(f"threads={threads} {elements}" + (f" bounds={bounds}" if bounds else ""))
                                 for bounds in (0, 1, 4)]


def sweep(bench):
    """Threads, elements, loads and bounds, for six texts, with registers."""
    yield from each_case(bench, swept(bench), sizes, registers=True)


def parts(bench):
    """What whole tiles, reciprocals, 32-bit indices and arguments by value bring, each and together."""
    yield from each_case(bench, swept(bench), lambda: [[Setting()] + [
        Setting(disable=word) for word in ("chunk", "reciprocal", "index", "value", "chunk, index, value")]],
        registers=True)


def hints(bench):
    """Hints to the caches."""
    cases = list(swept(bench)) + list(by_name(bench, "a row on float32"))
    yield from each_case(bench, cases, lambda: [[Setting()] + [Setting(f"hints={n}") for n in (1, 2, 3, 4, 7)]])


# ---- step: tails ----

def waves_of(bench, case, waves, tile):
    count = int(waves * tile * bench.driver.attribute(cuda.PROCESSORS) * (8 if not bench.mock else 1))
    inputs = {name: ((count,), dtype) for name, (_, dtype) in case.inputs.items()}
    return gpu_cases.Case(f"{case.name}, {waves} waves", case.text, inputs, ((count,), case.out[1]), case.formula, None,
                          None, case.tolerance)


def tails(bench):
    """Sizes that end in the midst of a wave, a block for each tile and few blocks that take many."""
    settings = [Setting()] + [Setting(f"blocks={n}") for n in (8, 16, 32)]
    for waves in (1, 2.1, 4.45, 15):
        for case, tile in zip(by_name(bench, "float32", "uint8 to float32"), (2048, 2048)):
            bench.go_on()
            with Field(bench, waves_of(bench, case, waves, tile)) as field:
                yield from field.measure(settings, graphs=True, waves=waves)


# ---- step: ragged ----

def ragged(bench):
    """The same pixels as 9, 256 and 4096 pictures, and as one."""
    pixels = 256 if bench.mock else 1 << 24
    for count in (3, 8, 20) if bench.mock else (9, 256, 4096):
        side = max(2, int((pixels / count) ** 0.5))
        shapes = gpu_cases.shapes_between(max(1, side // 2), side + side // 2, count)
        dense = sum(h * w for h, w, _ in shapes)
        for name, shape in (f"{count} pictures", shapes), (f"one with the pixels of {count}", (dense, 1, 3)):
            case = gpu_cases.batch_of(name, shape)
            bench.go_on()
            with Field(bench, case) as field:
                yield from field.measure([Setting()] + [Setting(f"blocks={n}") for n in (8, 16, 32, 64)], graphs=True)


# ---- steps: places, overhead ----

def places(bench):
    """What does not lie on a line, beside the same text on what does."""
    case = next(by_name(bench, "uint8 max, one byte"))
    aligned = gpu_cases.Case("uint8 max, aligned", case.text, case.inputs, case.out, case.formula, None, None)
    cases = [aligned] + [case for case in gpu_cases.places(bench.scale)]
    yield from each_case(bench, cases, lambda: [[Setting()]])


def overhead(bench):
    """Calls on 1,000 elements, also in a graph and with a number of the host's."""
    weft = bench.weft()
    count = 3 if bench.mock else 2000
    with contextlib.closing(weft):
        yield {"what": "1,000 elements", **gpu_overhead.measure(bench.driver, weft, [], 2, count)}
        bench.go_on()
        yield {"what": "1,000 elements, a host's number", **gpu_overhead.with_number(bench.driver, weft, count)}


# In the order in which they run: minutes of the whole, and a function.
STEPS = {"suite": (6, suite), "ceilings": (5, ceilings), "bench": (6, bench_alone), "sweep": (10, sweep),
         "parts": (5, parts), "hints": (3, hints), "tails": (3, tails), "ragged": (3, ragged), "places": (2, places),
         "overhead": (3, overhead)}
