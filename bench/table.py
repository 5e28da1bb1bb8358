"""The numbers of the documents, from bench/results. Each stands in its page between two lines,

    <!-- numbers: NAME -->
    <!-- end of numbers -->

    table.py            prints them
    table.py --write    puts them into the pages
    table.py --check    names the pages that hold others, and fails if there is one"""
import collections
import functools
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent


def span(values, form):
    """The least and the greatest of some numbers, once if they print alike."""
    least, most = format(min(values), form), format(max(values), form)
    return least if least == most else f"{least} to {most}"


def load(name):
    return json.loads((ROOT / f"bench/results/{name}.json").read_text(encoding="utf-8"))


def wrapped(text, **how):
    return textwrap.wrap(text, 120, break_long_words=False, break_on_hyphens=False, **how)


# ---- a GPU ----

def gpu_lines():
    """The table and its prose; nothing as long as there is no result of a GPU."""
    if not (ROOT / "bench/results/gpu.json").exists():
        return
    result = load("gpu")
    cases = [case for case in result["cases"] if "best_us" in case]
    if not cases:
        return
    peers = list(dict.fromkeys(name for case in cases for name in case["best_us"] if name != "Weft"))
    yield f"| {result['gpu']['name']}, GB/s | Weft | {' | '.join(peers)} | Weft, of copy |"
    yield "|---|" + "---|" * (len(peers) + 2)
    for case in cases:
        rate = {name: f"{case['bytes'] / us / 1e3:.0f}" for name, us in case["best_us"].items()}
        cells = [f"`{case['text']}`, {case['case']}", rate["Weft"]] + [rate.get(name, "") for name in peers]
        yield "| " + " | ".join(cells + [f"{case['of_copy']['Weft']:.2f}"]) + " |"
    yield ""
    yield from wrapped(gpu_prose(result, cases))
    yield ""
    yield from wrapped(gpu_behind(cases))


def gpu_behind(cases):
    """Where a peer is faster by a tenth or more."""
    behind = []
    for case in cases:
        best = min(case["best_us"], key=case["best_us"].get)
        ratio = case["best_us"][best] / case["best_us"]["Weft"]
        if ratio < 0.9:
            behind.append(f"{case['case']} ({best} takes {ratio:.2f} of the time)")
    return f"More than a tenth behind the fastest: {'; '.join(behind)}." if behind else "No peer is a tenth faster."


def gpu_prose(result, cases):
    gpu, versions = result["gpu"], result["versions"]
    peers = ", ".join(f"{label} {versions[name]}"
                      for name, label in (("cupy", "CuPy"), ("torch", "PyTorch"), ("jax", "JAX"))
                      if "absent" not in versions.get(name, "absent"))
    copies = [case["copy_gb_per_s"] for case in cases]
    parts = [f"By CUDA events, median of 5 runs, rotating over 400 MB; `of copy`: cuMemcpyDtoD of as many bytes, "
             f"{span(copies, '.0f')} GB/s here. {gpu['name']}, {gpu['arch']}, driver {gpu['driver']}, NVRTC "
             f"{versions['nvrtc']}; {peers}; {result['date']}; `scripts/gpu run`."]
    calls = result.get("overhead", {}).get("contenders", {})
    if calls:
        parts.append("A call on 1,000 elements, from the host: " + ", ".join(
            f"{name} {entry['call']['median_us']:.1f} us" for name, entry in calls.items() if "call" in entry) + ".")
    made = result.get("compile", [])
    if isinstance(made, list) and made:
        parts.append("A new kernel takes " + ", ".join(
            f"{one['cold']['median_ms']:.0f} ms (NVRTC alone {one['nvrtc_first']['median_ms']:.0f})" for one in made) +
            f", from the disk cache {span([one['disk']['median_ms'] for one in made], '.1f')} ms, warm "
            f"{span([one['warm']['median_ms'] for one in made], '.2f')} ms.")
    if "suite" in result:
        suite = result["suite"]
        parts.append(f"The suite gpu there: {suite['passed']} passed, {suite['failed']} failed" +
                     (f", {suite['not run']} not run for want of time." if suite["not run"] else "."))
    return " ".join(parts)


# ---- Python ----

def short(seconds):
    """Three digits of a time."""
    factor, unit = next((pair for pair in ((1e6, "us"), (1e3, "ms")) if seconds * pair[0] < 1000), (1, "s"))
    value = seconds * factor
    return f"{value:.{max(0, 2 - len(str(int(value))) + (value < 1))}f} {unit}"


def python_small():
    """The line about small arrays."""
    result = load("python")
    small, first = result["cases"][0], result["first_calls"]
    others = ", ".join(f"{name} {short(seconds)}" for name, seconds in small["seconds"].items() if "weft" not in name)
    firsts = ", ".join(f"{name} {short(seconds)}" for name, seconds in first.items() if "weft" not in name)
    return (f"From Python, `{small['text']}` on {small['size']} elements takes "
            f"{short(small['seconds']['weft program'])} with a compiled program and "
            f"{short(small['seconds']['weft.evaluate'])} with `weft.evaluate` ({others}). The first call "
            f"of a process takes {short(first['weft, libtcc first'])} after the import ({firsts}); "
            f"[python.md](python.md#how-fast) has larger arrays ({machine(result)}, "
            f"load {result['load_average']:.0f}; `scripts/python bench`).")


def python_page():
    result = load("python")
    names = list(result["cases"][0]["seconds"])
    yield f"| float64, {result['threads']} thread | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for case in result["cases"]:
        if case["text"] != "2*a + 3*b":
            cells = [f"`{case['text']}`, {case['size']:,}"] + [short(case["seconds"][name]) for name in names]
            yield "| " + " | ".join(cells) + " |"
    first = {name.replace("weft, libtcc first", "weft.evaluate"): seconds
             for name, seconds in result["first_calls"].items()}
    yield "| first call, 16 | " + " | ".join(short(first[name]) if name in first else "" for name in names) + " |"
    yield ""
    peers = ", ".join(f"{label} {result['versions'][name]}" for name, label in (
        ("numpy", "NumPy"), ("numexpr", "numexpr"), ("blosc2", "blosc2"), ("jax", "JAX"), ("torch", "PyTorch"))
        if result["versions"][name] != "absent")
    yield from wrapped(
        "The time of a call that returns a new array, the best of many. JAX and torch.compile work on arrays of their "
        "own. A first call is that of a new process with empty caches, after its imports; `weft.evaluate` computes it "
        "with libtcc's kernel. "
        f"{result['machine']}, load {result['load_average']:.1f}; {peers}; {result['date']}; "
        f"`scripts/python bench{result['command'].removeprefix('bench/python/python.py')}`.")


def named_tensors():
    """docs/math.md: steps of simulations, and small costs."""
    result = load("math")
    peers = list(result["cases"][0]["seconds"])
    yield f"| a step, float32, {result['threads']} thread | {' | '.join(peers)} |"
    yield "|---|" + "---|" * len(peers)
    for case in result["cases"]:
        cells = [f"{case['case']}, {case['grid']}"] + [short(case["seconds"][name]) for name in peers]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    costs, versions = result["microseconds"], result["versions"]
    writes = [cost for what, cost in costs.items() if what.startswith("write ") and "evaluate" not in what]
    nothing = all(origins == ["memory"] for origins in result["kernels"].values())
    yield from wrapped(
        f"Operations take {span(writes, '.1f')} us to write. On 64 elements `x + x` is written and evaluated in "
        f"{costs['write and evaluate x + x']:.1f} us, a step of heat in "
        f"{costs['write and evaluate a step of heat']:.1f}. " +
        ("Another size, boundary value or seed compiles nothing. " if nothing else "") +
        f"{result['machine']}, load {result['load_average']:.1f}; NumPy {versions['numpy']}, "
        f"PhiML {versions['phiml']}, JAX {versions['jax']}; "
        f"{'processor time' if result['clock'] == 'processor' else 'wall time'}, best of many; {result['date']}; "
        f"`{result['command']}`.")


# ---- the host ----


def details():
    one, all_, sizes = load("throughput"), load("throughput_threads"), load("sizes")
    overhead, hoist, groups, cold = load("overhead"), load("hoist"), load("groups"), load("compile_time")
    ratios = [[case["of_copy"] for case in file["cases"]] for file in (one, all_)]
    plain = [ratio for case in sizes["cases"] for size, ratio in case["times_plain"].items() if int(size) <= 1024]
    yield (f"{len(one['cases'])} formulas on {one['cases'][0]['bytes'] / 1e6:.0f} MB, contiguous and with a gain for "
           f"each channel: {span(ratios[0], '.2f')} of the copy on one thread, {span(ratios[1], '.2f')} of a copy by "
           f"as many threads on {all_['threads']}. In caches, 64 KB to 1 MB: {span(plain, '.2f')} times the speed of "
           "the loop one would write by hand (`bench/kernels/throughput.py`).")
    yield ahead()
    yield from reductions()
    yield batches()
    yield (f"A warm `weft_run` of three operands on 16 elements takes {warm(overhead)} instructions beside its kernel "
           "(`bench/calls/overhead.py`).")
    first = [program["first_ms"] for program in cold["programs"] if program.get("first_ms")]
    yield (f"A first call with libtcc, from making a context to 100,000 results: {span(first, '.1f')} ms "
           "(`bench/compile/compile_time.py`).")
    yield (f"`exp(row) + exp(column)` on (1000, 1000) float64 takes {1 / naive(hoist):.3f} of the time of one fused "
           "loop with libmvec (`bench/kernels/hoist.py`).")
    grouped = {(case["extent"], case["groups"], case["dtype"]): case["ratio"] for case in groups["cases"]}
    yield (f"Ten alternating broadcast groups of extent 3 take {grouped[3, 10, 'float32']:.2f} of the time of full "
           f"arrays, of extent 6 {grouped[6, 10, 'float32']:.2f} (`bench/kernels/groups.py`).")
    yield compile_cuda()
    yield python_small()


def ahead():
    """In how many cases of compare.py --sizes a peer is faster, and in which."""
    result = load("peers_sizes")
    cases, behind = result["cases"], []
    for case in cases:
        peer = min((name for name in case["ms"] if name != "Weft"), key=case["ms"].get)
        ratio = case["ms"][peer] / case["ms"]["Weft"]
        if ratio < 1:
            behind.append(f"`{case['text']}` of {case['elements']:,} elements on {case['threads']} thread"
                          f"{'s' * (case['threads'] > 1)}, where {peer} takes {ratio:.2f} of the time")
    formulas = len({case["text"] for case in cases})
    others = "Weft is ahead of all of them" + (f" but in {'; '.join(behind)}" if behind else "")
    return (f"{formulas} formulas from 1,000 to 10,000,000 elements on one thread and two, {len(cases)} cases, beside "
            f"NumPy, numexpr, blosc2, JAX, PyTorch and torch.compile: {others} ({result['machine'].split(',')[0]}, "
            f"{result['date']}, `{result['command']}`).")


def reductions():
    """Shares of the speed of reading, and where a peer is faster; nothing as long as there is no result."""
    if not (ROOT / "bench/results/reduce.json").exists():
        return
    result = load("reduce")
    cases = {case["case"]: case for case in result["cases"]}
    alone = all(set(case["ms"]) <= {"Weft", "exp"} for case in cases.values())
    shares = [f"{word} {case['read_ms']['read'] / case['ms']['Weft']:.2f}" for word, case in cases.items()
              if word not in ("softmax", "layernorm", "exp")]
    behind, labels = [], {"numpy": "NumPy", "jax": "JAX", "torch": "PyTorch"}
    for word, case in cases.items():
        peers = {name: ms for name, ms in case["ms"].items() if name not in ("Weft", "exp")}
        best = min(peers, key=peers.get, default=None)
        if best and peers[best] < case["ms"]["Weft"]:
            behind.append(f"{word}, where {labels.get(best, best)} takes "
                          f"{peers[best] / case['ms']['Weft']:.2f} of the time")
    rates = [[case["bytes"] / ms / 1e6 for ms in (case["read_ms"]["read"], min(case["read_ms"].values()))]
             for case in cases.values()]
    times = [f"{word} takes {cases[word]['ms']['Weft'] / cases[word]['ms']['exp']:.1f} times as long as exp"
             for word in ("softmax", "layernorm") if word in cases]
    ahead = "" if alone else "Behind a peer: " + "; ".join(behind) if behind else "No peer is faster"
    yield (f"Reductions on {result['threads']} thread{'s' * (result['threads'] > 1)}, as shares of the speed of "
           f"reading as many bytes in one stream ({span([rate[0] for rate in rates], '.0f')} GB/s; the fastest loop "
           f"there is reads {span([rate[1] for rate in rates], '.0f')}): {', '.join(shares + times)}. "
           f"{ahead} ({result['machine'].split(',')[0]}, "
           f"load {result['load_average']:.0f}, {result['date']}, `{result['command']}`, whose source has the texts).")


def batches():
    cases = [load(name)["cases"] for name in ("batch", "batch_threads")]
    ratios = [[case["of_tensor"] for case in some if "of_tensor" in case] for some in cases]
    tiny = [case for case in cases[0] if case["case"] == "tiny"]
    new = [case["extra_ns"] / 1000 for case in cases[0] if case["case"] == "unlike"]
    return (f"A batch of 4,096 like pictures, and of 256 unlike ones, against one tensor of as many bytes: "
            f"{span(ratios[0], '.2f')} of its speed on one thread, {span(ratios[1], '.2f')} on 2. A sample of 10 "
            f"elements takes {span([case['ns'] for case in tiny], '.0f')} ns, "
            f"{span([case['times_memcpy'] for case in tiny], '.0f')} "
            f"times a memcpy of it; where no two samples have one shape each takes {span(new, '.1f')} us more "
            "(`bench/calls/batch.py`).")


def compile_cuda():
    result = load("compile_time_cuda")
    cold, ratio, disk = ([program[name] for program in result["programs"]] for name in ("cold_ms", "ratio", "disk_ms"))
    machine = ", ".join(result["machine"].split(", ")[:2] +
                        [f"NVRTC {result['versions'].get('nvrtc', '')}".strip(), "no GPU"])
    return (f"A kernel for a GPU that was never compiled before takes {span(cold, '.0f')} ms, {span(ratio, '.2f')} "
            f"times what bare NVRTC takes on the same text, NVRTC's loading included, and {span(disk, '.1f')} ms from "
            f"the disk ({machine}; "
            f"{result['date']}, `{result['command'].replace(' --build build', '')}`).")


def warm(overhead):
    return next(f"{call['overhead']:.0f}" for call in overhead["calls"]
                if call["operands"] == 3 and call["given"] == "placed" and not call["disabled"])


def naive(hoist):
    return hoist["sum"]["one loop, libmvec declared"]


PEERS = {"NumPy": "numpy", "numexpr": "numexpr", "blosc2": "blosc2", "JAX": "jax", "PyTorch compiled": "torch"}


def title():
    """README.md's first lines: the first row of the table."""
    speed = load("peers")
    case = speed["cases"][0]
    ms = {name.replace("PyTorch compiled", "torch.compile"): value for name, value in case["ms"].items()}
    others = [f"{name} {times(ms[name] / ms['Weft'])} times" for name in ("NumPy", "torch.compile", "JAX")]
    elements, threads = case["elements"] // 3 / 1e6, speed["threads"]
    yield f"# Weft: array expressions in one pass, here {times(ms['NumPy'] / ms['Weft'])} times as fast as NumPy"
    yield ""
    yield from wrapped(
        f"`{case['text']}` on a picture of {elements:.1f} megapixels takes Weft {ms['Weft']:.1f} ms on "
        f"{'one thread' if threads == 1 else f'{threads} threads'}, at {case['of_copy']['Weft']:.2f} of the speed of "
        f"a copy. {others[0].replace(' ', ' takes ', 1)} as long, {others[1]}, {others[2]} ({machine(speed)}, "
        f"{speed['date']}).")


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def machine(result):
    return ", ".join(result["machine"].split(", ")[:2])


def processor():
    speed, cold = load("peers"), load("compile_time")
    peers = [name for name in PEERS if any(name in case["ms"] for case in speed["cases"])]
    processors = f"{speed['threads']} processor" + "s" * (speed["threads"] > 1)
    yield f"| {processors}, GB/s | Weft | {' | '.join(peers)} | Weft, of copy |"
    yield "|---|" + "---|" * (len(peers) + 2)
    for case in speed["cases"]:
        rate = {name: f"{case['bytes'] / ms / 1e6:.1f}" for name, ms in case["ms"].items()}
        kind = case["case"].rpartition(": ")[2]
        formula = f"`{case['text']}`, {kind}" if len(case["text"]) < 80 else kind  # of several statements
        cells = [formula, rate["Weft"]] + [rate.get(name, "") for name in peers]
        yield "| " + " | ".join(cells + [f"{case['of_copy']['Weft']:.2f}"]) + " |"
    versions = ", ".join(f"{name.split()[0]} {speed['versions'][PEERS[name]]}" for name in peers)
    ratios = [program["ratio"] for program in cold["programs"]]
    compiler = [program["cc_ms"] for program in cold["programs"]]
    yield ""
    yield from wrapped(
        "Bytes read and written once, by the time taken. `of copy`: 1 is the speed of copying as many bytes, the "
        f"faster of memcpy and a copy with non-temporal stores. {speed['machine']}; {speed['versions']['cc']}; "
        f"{versions}; "
        f"{speed['date']}; `{speed['command']}`. JAX and blosc2 return a new array each time, "
        "everybody else writes into the same one. A kernel that was never compiled before takes "
        f"{span(ratios, '.2f')} times what the bare C compiler takes on the same text "
        f"({span(compiler, '.0f')} ms on {cold['machine'].split(',')[0]}; `{cold['command']}`).")


def more():
    return [line for item in details() for line in wrapped(item, initial_indent="* ", subsequent_indent="  ")]


def gallery():
    """Region -> its lines: a time for each picture, and how they were measured."""
    result = load("gallery")

    def line(case):
        yield f"{short(case['ms'] / 1e3)}{' a step' if 'step' in case['text'] or 'life' in case['text'] else ''}."

    def how():
        height, width = result["pixels"]
        yield from wrapped(
            f"{result['machine']}, load {result['load_average']:.1f}, {result['versions']['cc']}, {result['date']}: "
            f"`{result['command']}` runs the commands of this page with pictures of {width} by {height} pixels and "
            f"`--time`, on {result['threads']} thread, and takes the best time of computing. Reading and writing files "
            "and compiling come on top.")

    return {**{case["picture"]: functools.partial(line, case) for case in result["cases"]}, "how": how}


# ---- operations ----

COLUMNS = ("float32", "float64", "float16", "int32", "uint8")
SLOWER = 1.1
TURN = "what a kernel's loop does for each 64 elements, and at a row's end, counts beside few or short instructions"
# Why a case may be slower than the best peer: the first row that fits, of rows, types and operands.
CAUSES = (
    (("lerp", "truncdiv", "*", "square"), "float", "huge",
     "numbers that are subnormal on the way, which take the processor tens of times as long; peers meet fewer"),
    (("**", "fpow"), "float", "", "powers take a logarithm of twice the precision; out of range in float64 they are "
                                  "libmvec's, an element at a time"),
    (("**",), "int", "", "powers of integers take a step for each bit of the block's largest exponent"),
    (("%", "//", "fmod"), "", "huge", "quotients of 2^21 and more, in float64 2^50, take 25 bits in a step"),
    (("sin", "cos", "tan"), "", "huge odd", "what is beyond 2^16, in float64 2^23, is taken out of its block"),
    (("cast",), "float", "", "rounded and saturated, where peers cut"),
    (("cast",), "", "", "saturated by an instruction more for each vector; to bfloat16 rounded once"),
    (("*", "square"), "int8", "", "products of bytes are made of 16 bits each"),
    (("sqrt",), "", "", "roots of blocks with operands below 0 or subnormal ones are the processor's own"),
    ((), "float16", "", "16-bit floats are computed in float32"),
    (("<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "max", "min", "square", "lerp", "abs", "signbit", "~"), "",
     "", TURN),
    ((), "int bool", "", TURN),
    ((), "", "", "polynomials, libmvec's or ours, beside tables and those of fewer digits"),
)


def cause(case):
    kinds = " ".join(case["types"]).replace("bfloat16", "float16").replace("uint", "int")
    return next(why for rows, types, operands, why in CAUSES
                if (not rows or case["row"] in rows) and (not operands or case["operands"] in operands.split())
                and (not types or any(kind in kinds for kind in types.split())))


def operation_cell(case):
    if case is None:
        return ""
    ns = case["ns"]
    return f"{ns['Weft']:.2f} ({ns[case['best']]:.2f}, {case['best']})"


def operations():
    result = load("operations")
    cases = result["cases"]
    usual = {(case["text"], case["types"][-1]): case for case in cases
             if case["operands"] == "usual" and len(set(case["types"][case["row"] == "where":])) == 1}
    yield f"| ns an element | {' | '.join(COLUMNS)} | slowest beside the best peer |"
    yield "|---|" + "---|" * (len(COLUMNS) + 1)
    for text in dict.fromkeys(case["text"] for case in cases if case["row"] != "cast"):
        worst = max((case for case in cases if case["text"] == text), key=lambda case: case["ratio"])
        cells = [operation_cell(usual.get((text, kind))) for kind in COLUMNS]
        of = ", ".join(dict.fromkeys(worst["types"]))
        cells.append(f"{worst['ratio']:.2f}: {of}, {worst['operands']}")
        yield f"| `{text.replace('|', chr(92) + '|')}` | {' | '.join(cells)} |"
    yield ""
    yield from wrapped(operations_prose(result, cases))
    yield ""
    yield from operations_behind(cases)


def operations_again():
    """The same on another machine: two runs, of which the slower one counts for each case."""
    runs = [load(name) for name in ("operations_amd", "operations_amd_again")]
    other = {(case["text"], tuple(case["types"]), case["result"], case["operands"]): case for case in runs[1]["cases"]}
    cases = []
    for case in runs[0]["cases"]:
        again = other[case["text"], tuple(case["types"]), case["result"], case["operands"]]
        cases.append(max(case, again, key=lambda one: one["ratio"]))
    behind = sum(case["ratio"] > SLOWER for case in cases)
    yield from wrapped(
        f"On an AMD EPYC (family 25, model 17; {runs[0]['date']}, two runs, `--save operations_amd` and "
        f"`operations_amd_again`, load {runs[0]['load_average']:.1f} and {runs[1]['load_average']:.1f}) "
        f"{sum(case['ratio'] > SLOWER for case in runs[0]['cases'])} and "
        f"{sum(case['ratio'] > SLOWER for case in runs[1]['cases'])} of the {len(cases)} cases take more than {SLOWER} "
        f"of the best peer's time, {behind} in one of the two:")
    yield ""
    yield from operations_behind(cases)


def operations_prose(result, cases):
    versions = result["versions"]
    casts = [case for case in cases if case["row"] == "cast"]
    ahead = sum(0 < case["ratio"] <= 1 for case in cases)      # 0: no peer is left to compare with
    near = sum(1 < case["ratio"] <= SLOWER for case in cases)
    elements = min(case["elements"] for case in cases)
    flush = "JAX is not compared where there are subnormal numbers, which it takes for 0. " * ("flushes" in cases[0])
    flush += ("Nor is a peer most of whose integers are others: of a power JAX reads six bits of the exponent. "
              * any(case.get("others") for case in cases))
    return (f"Weft's time on usual operands, in brackets that of the best of NumPy {versions['numpy']}, PyTorch "
            f"{versions['torch']} and JAX {versions['jax']}, on one thread and {elements:,} elements, of 8 and 16 bits "
            f"four times and twice as many. Of {len(cases)} cases, each row and conversion on each type and set of "
            f"operands (usual, wide, huge, odd), Weft is fastest in {ahead}, within {SLOWER} of the best in {near} "
            f"more; of {len(casts)} conversions in {sum(case['ratio'] <= SLOWER for case in casts)}. {flush}"
            f"{machine(result)}, {versions['cc']}, {result['date']}, load {result['load_average']:.1f}, processor "
            f"time; `{result['command']}`, whose source says what the sets are.")


def operations_behind(cases):
    behind = collections.defaultdict(list)
    for case in cases:
        if case["ratio"] > SLOWER:
            behind[cause(case)].append(case)
    for why, found in sorted(behind.items(), key=lambda pair: -max(case["ratio"] for case in pair[1])):
        worst = max(found, key=lambda case: case["ratio"])
        names = ", ".join(f"`{name}`" for name in sorted({case["row"] for case in found}))
        cases_take = "case takes" if len(found) == 1 else "cases take"
        yield from wrapped(f"* {len(found)} {cases_take} {SLOWER} to {worst['ratio']:.2f} of the best peer's time, of "
                           f"{names}: {why}.", subsequent_indent="  ")


REGIONS = {
    "docs/gallery.md": gallery(),
    "README.md": {"title": title},
    "docs/performance.md": {"processor": processor, "operations": operations,
                            "operations_again": operations_again, "gpu": gpu_lines,
                            "more": more},
    "docs/python.md": {"calls": python_page},
    "docs/math.md": {"math": named_tensors},
}
REGION = re.compile(r"(<!-- numbers: (\w+) -->\n).*?(<!-- end of numbers -->)", re.DOTALL)


def current(page):
    """What a page should hold."""
    old = (ROOT / page).read_text(encoding="utf-8")
    names = [found[2] for found in REGION.finditer(old)]
    if sorted(names) != sorted(REGIONS[page]):
        sys.exit(f"{page} lacks or has twice one of: {' '.join(REGIONS[page])}")
    return REGION.sub(lambda found: found[1] + "\n".join([*REGIONS[page][found[2]]()]).strip("\n") + "\n" + found[3],
                      old)


def main():
    stale = []
    for page, regions in REGIONS.items():
        if "--write" in sys.argv:
            (ROOT / page).write_text(current(page), encoding="utf-8")
        elif "--check" in sys.argv:
            stale += [page] * (current(page) != (ROOT / page).read_text(encoding="utf-8"))
        else:
            for name, lines in regions.items():
                print(f"{page}, {name}:", *lines(), sep="\n")
    if stale:
        sys.exit(f"not the numbers of bench/results: {' '.join(stale)}; run bench/table.py --write")


main()
