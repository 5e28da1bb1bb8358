"""Taking time on a GPU: contenders in turns, launched one by one and as a CUDA graph, and their results
checked before.

A time is that of one call, in seconds; a run is many calls, rotating over the sets, so that between two
calls on the same memory everything else was touched."""
import statistics
import time

import numpy as np

import gpu_arrays
import gpu_peers

RUNS = 5


class Timed:
    """One contender in one way. `unit` makes `calls` calls."""

    def __init__(self, driver, contender, mode, unit, calls):
        self.driver, self.contender, self.mode, self.unit, self.calls = driver, contender, mode, unit, calls
        self.seconds, self.units = [], 1

    def once(self, units):
        """Seconds for each call of so many units."""
        with self.contender.around():
            if self.contender.clock == "device":
                taken = self.driver.seconds(lambda: [self.unit() for _ in range(units)])
            else:
                start = time.perf_counter()
                for _ in range(units):
                    self.unit()
                self.contender.finish()
                taken = time.perf_counter() - start
        return max(taken, 1e-9) / (units * self.calls)

    def settle(self, seconds):
        """Warms up, and finds how many units take about so long."""
        self.once(1)
        self.driver.synchronize()
        self.units = max(1, min(20000, round(seconds / (self.once(1) * self.calls))))
        self.once(self.units)
        self.driver.synchronize()

    def run(self):
        self.seconds.append(self.once(self.units))
        self.driver.synchronize()

    def entry(self):
        return {"median_us": statistics.median(self.seconds) * 1e6, "runs_us": [s * 1e6 for s in self.seconds],
                "calls_in_a_run": self.units * self.calls, "clock": self.contender.clock}


def all_calls(contender):
    for call in contender.calls:
        call()


def in_turns(driver, contenders, seconds, stack, check, skipped, graphs=True):
    """Every contender, launched and, if wanted and possible, as a graph, RUNS times each in turns. `check` raises for a
    wrong result; `skipped` takes the reasons. `stack` keeps the graphs."""
    timed = []
    for contender in contenders:
        def launch(contender=contender):
            with contender.around():
                all_calls(contender)
        try:
            check(contender, launch)
            timed.append(Timed(driver, contender, "launched", lambda c=contender: all_calls(c), len(contender.calls)))
            timed[-1].settle(seconds)
        except Exception as error:  # of a peer's own code, whatever it is
            timed = [one for one in timed if one.contender is not contender]
            skipped[contender.name] = gpu_peers.told(error)
            continue
        replay = graph_of(driver, contender, stack, check, skipped) if graphs and contender.clock == "device" else None
        if replay:
            timed.append(Timed(driver, contender, "graph", replay, len(contender.calls)))
            timed[-1].settle(seconds)
    for _ in range(RUNS):
        for one in timed:
            one.run()
    return timed


def graph_of(driver, contender, stack, check, skipped):
    """A function that replays one pass over the sets; None, with the reason noted, where that fails."""
    def capture():
        with contender.around():
            all_calls(contender)
    try:
        replay = stack.enter_context(driver.captured(capture))
        check(contender, replay)
        return replay
    except Exception as error:
        skipped[f"{contender.name}, as a graph"] = gpu_peers.told(error)
        return None


# ---- contenders ----

def copier(driver, room, total, count):
    """Copies of half of `total` bytes, each with others of their own until `count` times as many are used."""
    half = max(1, total // 2)
    reach = max(half * count, half)
    source, target = room.array((reach,), np.uint8), room.array((reach,), np.uint8)
    gpu_arrays.Random(1).fill(source)
    calls = [lambda at=i * half: driver.copy(target.address + at, source.address + at, half) for i in range(count)]
    return gpu_peers.Contender("copy", calls)


def weft_contender(weft, driver, case, sets):
    program = weft.compile(case.text)
    calls, seconds = [], 0.0
    for inputs, out in sets.sets:
        call, params = weft.bound(program, sets.for_weft(inputs), out, driver.stream)
        seconds += weft.prepare(program, params)
        calls.append(call)
    return gpu_peers.Contender("Weft", calls), seconds


# ---- results ----

class Wrong(Exception):
    """A result that is not what it should be."""


def gap(got, want, tolerance, what):
    """Raises Wrong where an element is off by more than the tolerance times the largest magnitude."""
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype == want.dtype and np.array_equal(got, want):
        return
    apart = np.subtract(got, want, dtype=np.float64 if want.dtype != np.float32 else np.float32)
    worst = float(np.max(np.abs(apart, out=apart), initial=0))
    if not worst <= tolerance * max(1.0, float(np.max(want, initial=0)), -float(np.min(want, initial=0))):
        raise Wrong(f"differs from {what} by {worst:g}")


def fetched(out):
    return [sample.download() for sample in out.samples] if hasattr(out, "samples") else out.download()


def compare(got, want, tolerance, what):
    for one, other in zip(got, want) if isinstance(got, list) else [(got, want)]:
        if np.shape(one) != np.shape(other):
            raise Wrong(f"has the shape {np.shape(one)}, not {np.shape(other)}")
        gap(one, other, tolerance, what)


def checker(driver, case, sets, wanted):
    """A function of a contender and what makes all its calls: poisons every output first, then looks at the
    first and the last set. `wanted` maps a set's number to its result and what that is called."""
    def check(contender, work):
        for _, out in sets.sets:
            out.poison()
        driver.synchronize()
        work()
        if contender.finish:
            contender.finish()
        driver.synchronize()
        if contender.result:
            compare(contender.result(), *wanted(0, case.tolerance))
            return
        for number in {0, sets.count - 1}:
            compare(fetched(sets.sets[number][1]), *wanted(number, case.tolerance))
    return check
