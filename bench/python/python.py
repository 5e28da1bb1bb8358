"""The Python package beside its peers, from 16 to 10 million elements, first calls included:

    scripts/python bench [--threads 1] [--seconds 0.2] [--save python] [--check]

or with any Python that has the wheel: this file. Everybody computes the same float64 formula on the same arrays
and returns a new one; results are compared first. A time is the best of many runs, taken in turns. A first call is that
of a new process whose libraries are imported: best of five (two, where they take longer than ten seconds), with an
empty cache. NumPy is required; numexpr, blosc2, JAX and PyTorch take part where they are installed, and are named where
they are not. --check fails if the small calls miss their goals: evaluate within half of numexpr.evaluate's time, a
compiled program within numexpr.re_evaluate's and 2.5 times NumPy's a + b."""
import argparse
import functools
import importlib
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = (16, 1000, 100_000, 10_000_000)
FORMULAS = ("a + b", "2*a + 3*b", "sqrt(a*a + b*b)")
FIRST = """
import time, numpy as np
{imports}
a = np.arange({size}, dtype=np.float64); b = a + 1
start = time.perf_counter()
{call}
print(time.perf_counter() - start)
"""


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.2, help="for each contender of a case")
    parser.add_argument("--save", help="writes bench/results/NAME.json")
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def set_threads(threads):
    for variable in ("OMP_NUM_THREADS", "NUMEXPR_NUM_THREADS", "BLOSC_NTHREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = str(threads)
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("JAX_ENABLE_X64", "1")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


@functools.lru_cache(maxsize=None)
def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


# ---- contenders: functions of no arguments ----

def of_weft(text, a, b):
    import weft
    program = weft.compile(text)
    program.prepare(a, b)
    yield "weft.evaluate", lambda: weft.evaluate(text, a=a, b=b)
    yield "weft program", lambda: program(a, b)


def of_numpy(text, a, b):
    import numpy as np
    function = eval(f"lambda a, b: {text}", {"sqrt": np.sqrt})  # of the texts above
    yield "numpy", lambda: function(a, b)


def of_numexpr(text, a, b):
    numexpr = optional("numexpr")
    if numexpr:
        values = {"a": a, "b": b}

        def again():
            return numexpr.re_evaluate(values)
        yield "numexpr.evaluate", lambda: numexpr.evaluate(text, values)
        yield "numexpr.re_evaluate", again


def of_blosc2(text, a, b):
    blosc2 = optional("blosc2")
    if blosc2:
        yield "blosc2.evaluate", lambda: blosc2.evaluate(text, {"a": a, "b": b})


def of_jax(text, a, b):
    jax = optional("jax")
    if jax:
        function = jax.jit(eval(f"lambda a, b: {text}", {"sqrt": jax.numpy.sqrt}))
        x, y = jax.numpy.asarray(a), jax.numpy.asarray(b)
        yield "jax.jit", lambda: function(x, y).block_until_ready()


def of_torch(text, a, b):
    torch = optional("torch")
    if torch:
        function = torch.compile(eval(f"lambda a, b: {text}", {"sqrt": torch.sqrt}), dynamic=False)
        x, y = torch.from_numpy(a), torch.from_numpy(b)
        yield "torch.compile", lambda: function(x, y)


PEERS = {"numexpr": "numexpr", "blosc2": "blosc2", "jax": "JAX", "torch": "PyTorch"}
MAKERS = (of_numpy, of_weft, of_numexpr, of_blosc2, of_jax, of_torch)


def contenders(text, a, b):
    return dict(pair for maker in MAKERS for pair in maker(text, a, b))


# ---- times ----

def measure(functions, seconds):
    """Seconds of one call of each, the best of many batches; a batch takes about a millisecond."""
    counts = {}
    for name, function in functions.items():
        start = time.perf_counter()
        for _ in range(3):
            function()
        counts[name] = max(1, int(3e-3 / max(time.perf_counter() - start, 1e-9)))
    best = dict.fromkeys(functions, float("inf"))
    end = time.perf_counter() + seconds * len(functions)
    turns = 0
    while turns < 5 or time.perf_counter() < end:
        for name, function in functions.items():
            count = counts[name]
            start = time.perf_counter()
            for _ in range(count):
                function()
            best[name] = min(best[name], (time.perf_counter() - start) / count)
        turns += 1
    return best


def case(text, size, seconds):
    import numpy as np
    a = np.arange(size, dtype=np.float64)
    b = a + 1
    functions = contenders(text, a, b)
    expected = functions["numpy"]()
    for name, function in functions.items():
        np.testing.assert_allclose(np.asarray(function()), expected, rtol=1e-14, err_msg=name)
    return measure(functions, seconds)


def first_call(imports, call, environment, size=16):
    """Best of new processes, in seconds."""
    code = FIRST.format(imports=imports, call=call, size=size)
    times, start = [], time.perf_counter()
    while len(times) < 2 or (len(times) < 5 and time.perf_counter() < start + 10):
        done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True,
                              env=dict(os.environ, **environment))
        times.append(float(done.stdout))
    return min(times)


def first_calls():
    text = "sqrt(a*a + b*b)"
    rows = {
        "weft, libtcc first": ("import weft", f"weft.evaluate({text!r})", {"WEFT_CACHE": ""}),
        "weft, libtcc alone": ("import weft", f"weft.evaluate({text!r})", {"WEFT_CACHE": "", "WEFT_CC": "libtcc"}),
        "numexpr.evaluate": ("import numexpr", f"numexpr.evaluate({text!r})", {}),
        "blosc2.evaluate": ("import blosc2", f"blosc2.evaluate({text!r})", {}),
        "jax.jit": ("import jax, jax.numpy as jnp",
                    "jax.jit(lambda a, b: jnp.sqrt(a*a + b*b))(a, b).block_until_ready()", {}),
        "torch.compile": ("import torch",
                          "torch.compile(lambda a, b: torch.sqrt(a*a + b*b))(*map(torch.from_numpy, (a, b)))",
                          {"TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1"}),
    }
    modules = {name: row[0].split()[1].rstrip(",") for name, row in rows.items()}
    return {name: first_call(*row) for name, row in rows.items() if optional(modules[name])}


# ---- output ----

def show(text, size, best):
    base = best["numpy"]
    print(f"\n{text}, {size} elements")
    for name, seconds in best.items():
        print(f"  {name:20} {seconds * 1e6:12.2f} us   {seconds / base:6.2f} of NumPy")


def goals(best):
    """What of the small calls is too slow."""
    if "numexpr.evaluate" in best and best["weft.evaluate"] > best["numexpr.evaluate"] / 2:
        yield "evaluate takes more than half of numexpr.evaluate's time"
    if "numexpr.re_evaluate" in best and best["weft program"] > best["numexpr.re_evaluate"]:
        yield "a compiled program takes more than numexpr.re_evaluate's time"
    if best["weft program"] > 2.5 * best["numpy"]:
        yield "a compiled program takes more than 2.5 times NumPy's a + b"


def main(options):
    set_threads(options.threads)
    if optional("numexpr"):
        optional("numexpr").set_num_threads(options.threads)
    if optional("torch"):
        optional("torch").set_num_threads(options.threads)
    absent = [label for name, label in PEERS.items() if not optional(name)]
    for label in absent:
        print(f"skipped: {label} is not installed")
    cases = []
    for text in FORMULAS:
        for size in SIZES:
            best = case(text, size, options.seconds)
            show(text, size, best)
            cases.append({"text": text, "size": size, "seconds": best})
    firsts = first_calls()
    print("\nfirst call of a process, after its imports")
    for name, seconds in firsts.items():
        print(f"  {name:20} {seconds * 1e3:9.2f} ms")
    if options.save:
        sys.path.append(str(ROOT / "bench/common"))
        import machine
        machine.save(options.save, threads=options.threads, skipped=absent, cases=cases,
                     first_calls=firsts)
    wrong = list(goals(cases[0]["seconds"])) if options.check else []
    for line in wrong:
        print(line, file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(options()))
