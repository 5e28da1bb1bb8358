"""weft.math beside PhiML (backends NumPy and JAX, jit compiled), NumPy by hand, and the same program as one text:

    bench/math/simulations.py [--threads 1] [--repeats 5] [--steps 100] [--clock processor] [--save math]

with a Python that has the wheel, NumPy, and, where they are to take part, phiml and jax. Everybody takes the same steps
of the heat equation, the wave equation (both with periodic borders) and semi-Lagrangian advection on 512^2 and 64^3
float32; results are compared first. A time is that of a step, from a run of all of them (of fewer where a step takes
over 10 ms), the best of the repeats, taken in turns of a fifth of a second or of one run, whichever is longer. --clock
processor counts the process's processor time, so that a machine that others use gives figures, too; it needs one
thread. Small costs come after it: to write an operation, to evaluate a warm small tensor, for a step on 64 elements;
and where the kernels of a new size, boundary value or seed come from."""
import argparse
import importlib
import importlib.util
import os
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRIDS = {"512^2": (512, 512), "64^3": (64, 64, 64)}
NAMES = "zyx"
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--clock", choices=CLOCKS, default="wall")
    parser.add_argument("--save", help="writes bench/results/NAME.json")
    return parser.parse_args()


def set_threads(threads):
    for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


# ---- the three problems by hand: a state is a tuple of arrays ----

def rolled(np, u):
    return sum(np.roll(u, 1, d) + np.roll(u, -1, d) - 2 * u for d in range(u.ndim))


def numpy_steps(np, case, origin):
    if case == "heat":
        return lambda u: (u + np.float32(0.1) * rolled(np, u),)
    if case == "wave":
        return lambda u, old: (2 * u - old + np.float32(0.1) * rolled(np, u), u)
    low = np.floor(origin).astype(np.int64)
    part = (origin - low).astype(np.float32)

    def corner(u, at):
        """The values at the corners above and below in each dimension, joined linearly, the first dimension first."""
        if len(at) == u.ndim:
            return u[tuple(at)]
        d = len(at)
        top = u.shape[d] - 1
        a = corner(u, at + [np.clip(low[d], 0, top)])
        return a + part[d] * (corner(u, at + [np.clip(low[d] + 1, 0, top)]) - a)
    return lambda u: (corner(u, []),)


def of_numpy(case, state, origin):
    import numpy as np
    step = numpy_steps(np, case, origin)

    def run(steps):
        now = state
        for _ in range(steps):
            now = step(*now)
        return now[0]
    yield "NumPy", run


def of_weft(case, state, origin):
    import numpy as np
    from weft import math
    from weft.math import channel, extrapolation, spatial
    names = NAMES[-state[0].ndim:]
    shape = spatial(",".join(names))
    first = [math.wrap(each, shape) for each in state]
    at = math.wrap(np.ascontiguousarray(np.moveaxis(origin, 0, -1)), shape, channel(vector=",".join(names)))
    steps_of = {
        "heat": lambda u: (u + 0.1 * math.laplace(u, padding=extrapolation.PERIODIC),),
        "wave": lambda u, old: (2 * u - old + 0.1 * math.laplace(u, padding=extrapolation.PERIODIC), u),
        "advection": lambda u: (math.grid_sample(u, at, extrapolation.BOUNDARY),),
    }

    def run(steps):
        now = first
        for _ in range(steps):
            now = steps_of[case](*now)
        return now[0].numpy(shape)
    yield "weft.math", run


def text_of(case, names):
    neighbours = " + ".join(f'(offset(u, [1], ["wrap"], axes=[{d}]) + offset(u, [-1], ["wrap"], axes=[{d}]) - 2 * u)'
                            for d in names)
    if case == "heat":
        return f"u + 0.1 * ({neighbours})"
    if case == "wave":
        return f"2 * u - old + 0.1 * ({neighbours})"
    return 'sample(u, at, mode="edge")'


def of_text(case, state, origin):
    import numpy as np
    import weft
    names = NAMES[-state[0].ndim:]
    named = case != "advection"
    types = {name: f"({', '.join(names)})" for name in ("u", "old")[:len(state)]} if named else None
    program = weft.compile(text_of(case, names), types=types)
    at = np.ascontiguousarray(np.moveaxis(origin, 0, -1))

    def run(steps):
        u, old = state[0], state[-1]
        for _ in range(steps):
            if case == "heat":
                u = program(u=u)
            elif case == "wave":
                u, old = program(u=u, old=old), u
            else:
                u = program(u=u, at=at)
        return u
    yield "one weft text", run


def of_phiml(case, state, origin, backend):
    from phiml import math
    from phiml.math import channel, extrapolation, spatial
    names = NAMES[-state[0].ndim:]
    math.use(backend)
    shape = spatial(",".join(names))
    first = [math.tensor(each, shape) for each in state]
    import numpy as np
    at = math.tensor(np.moveaxis(origin, 0, -1).copy(), shape, channel(vector=",".join(names)))

    def heat(u):
        return u + 0.1 * math.laplace(u, padding=extrapolation.PERIODIC)

    def wave(u, old):
        return 2 * u - old + 0.1 * math.laplace(u, padding=extrapolation.PERIODIC), u

    def advection(u):
        return math.grid_sample(u, at, extrapolation.BOUNDARY)
    step = {"heat": heat, "wave": wave, "advection": advection}[case]
    if backend == "jax":
        step = math.jit_compile(step)

    def run(steps):
        math.use(backend)
        now = first
        for _ in range(steps):
            got = step(*now)
            now = got if isinstance(got, tuple) else (got,)
        return np.asarray(now[0].numpy(",".join(names)))
    yield f"PhiML, {'JAX, jit' if backend == 'jax' else 'NumPy'}", run


def contenders(case, state, origin):
    makers = [of_weft, of_text, of_numpy]
    if importlib.util.find_spec("phiml"):
        makers.append(lambda *given: of_phiml(*given, "numpy"))
        if importlib.util.find_spec("jax"):
            makers.append(lambda *given: of_phiml(*given, "jax"))
    return dict(pair for maker in makers for pair in maker(case, state, origin))


def start(case, sizes):
    import numpy as np
    random = np.random.default_rng(0)
    u = random.random(sizes, dtype=np.float32)
    grid = np.stack(np.meshgrid(*[np.arange(size, dtype=np.float32) for size in sizes], indexing="ij"))
    middle = np.float32((sizes[0] - 1) / 2)
    spin = np.stack([-(grid[-1] - middle), *[0 * grid[0]] * (len(sizes) - 2), grid[0] - middle])
    return (u, u) if case == "wave" else (u,), (grid - np.float32(0.01) * spin).astype(np.float32)


def measure(case, sizes, steps, repeats, clock):
    """Seconds of a step."""
    import numpy as np
    functions = contenders(case, *start(case, sizes))
    expected = functions["NumPy"](3)
    for name, function in functions.items():
        np.testing.assert_allclose(function(3), expected, rtol=2e-4, atol=2e-5, err_msg=f"{name}, {case}")
    best, counts = {}, {}
    for name, function in functions.items():
        begin = clock()
        function(3)
        best[name] = (clock() - begin) / 3
        counts[name] = max(3, min(steps, int(1 / best[name])))
    for _ in range(repeats):
        for name, function in functions.items():
            for _ in range(max(1, min(20, int(0.2 / (best[name] * counts[name]))))):
                begin = clock()
                function(counts[name])
                best[name] = min(best[name], (clock() - begin) / counts[name])
    return best


# ---- small costs ----

def each(function, clock, count=500):
    """Microseconds of a call, the best of twenty times count of them."""
    times = []
    for _ in range(20):
        begin = clock()
        for _ in range(count):
            function()
        times.append((clock() - begin) / count * 1e6)
    return min(times)


def small(clock):
    import numpy as np
    from weft import math
    from weft.math import extrapolation, spatial
    x = math.wrap(np.ones(64, np.float32), spatial("x"))

    def step(u, value=0.0):
        return math.evaluate(u + 0.1 * math.laplace(u, padding=value))
    functions = {
        "write x * 0.5": lambda: x * 0.5,
        "write x + x": lambda: x + x,
        "write sin(x)": lambda: math.sin(x),
        "write sum(x)": lambda: math.sum(x),
        "write x.x[1:]": lambda: x.x[1:],
        "write laplace(x)": lambda: math.laplace(x),
        "write and evaluate x + x": lambda: math.evaluate(x + x),
        "write and evaluate a step of heat": lambda: step(x, extrapolation.PERIODIC),
    }
    for function in functions.values():
        function()
    return {what: each(function, clock) for what, function in functions.items()}


def anew():
    """Whether what differs in a number alone makes a kernel: by where the kernels come from."""
    import numpy as np
    from weft import math
    from weft.math import spatial
    from weft.math._graph import program_for

    def origins(t):
        program, values = program_for([t])
        made = program.prepare(*values.values())
        math.evaluate(t)
        return {origin for origin, _, _ in made}

    def step(size, value):
        return math.wrap(np.ones(size, np.float32), spatial("x")) + math.laplace(
            math.wrap(np.ones(size, np.float32), spatial("x")), padding=value)
    origins(step(1000, 1.5)), origins(math.random_uniform(spatial(x=1000)))
    return {
        "another size": sorted(origins(step(1001, 1.5))),
        "another boundary value": sorted(origins(step(1000, 2.5))),
        "another seed": sorted(origins(math.random_uniform(spatial(x=1000)))),
    }


def main(options):
    set_threads(options.threads)
    import weft
    clock = CLOCKS[options.clock]
    cases = []
    with weft.use(weft.Context(threads=options.threads, tier="none")):
        for case in ("heat", "wave", "advection"):
            for grid, sizes in GRIDS.items():
                best = measure(case, sizes, options.steps, options.repeats, clock)
                print(f"\n{case}, {grid}")
                for name, seconds in best.items():
                    print(f"  {name:18} {seconds * 1e6:10.1f} us a step "
                          f"{seconds / best['weft.math']:7.2f} of weft.math's", flush=True)
                cases.append({"case": case, "grid": grid, "seconds": best})
        costs, kernels = small(clock), anew()
    print()
    for name, cost in costs.items():
        print(f"  {name:45} {cost:8.2f} us")
    for what, origins in kernels.items():
        print(f"  {what}: kernels from {', '.join(origins)}")
    if options.save:
        sys.path.append(str(ROOT / "bench/common"))
        import machine
        versions = machine.versions()
        if importlib.util.find_spec("phiml"):
            versions["phiml"] = importlib.import_module("phiml").__version__
        machine.save(options.save, versions=versions, threads=options.threads, clock=options.clock, cases=cases,
                     microseconds=costs, kernels=kernels)


if __name__ == "__main__":
    main(options())
