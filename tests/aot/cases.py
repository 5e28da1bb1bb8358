"""The eval cases as kernels: what the ahead-of-time suites compile and call.

A case of tests/eval that computes something becomes `kernel case_N(..) { .. }`, its inputs and what the run-time
kernel makes of them arrays. Extents are declared in turn as ?, as numbers, and as size variables, a 1 that stretches
always as a number."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS), str(TESTS / "eval")]
import run_eval  # noqa: E402
import sample  # noqa: E402, F401 (for those that import this)

WEFT = os.environ.get("WEFT", "weft")
FORMS = ("open", "number", "variable")


class Kernel:
    """One case: its text, its inputs by name, and the results that are expected."""

    def __init__(self, number, case):
        self.name, self.case = f"case_{number}", case
        self.inputs, self.results, self.place, self.status = {}, {}, None, 0
        self.values = []  # inputs that the shape entry takes, because sizes are made of them


RULES = r"\s*rules (\w+)$"  # a case's first line; ahead of time it is the file's


def rules_of(kernel):
    named = re.match(RULES, kernel.case.program[0])
    return named[1] if named else "dali"


def by_rules(kernels):
    """Those of a file have one set of rules."""
    names = sorted(set(map(rules_of, kernels)))
    return [[kernel for kernel in kernels if rules_of(kernel) == name] for name in names]


def runs(case):
    """Whether the case computes something that a kernel can."""
    inputs = all("=" in argument for argument in case.arguments)
    own = any(re.match(r"\s*(input|kernel) ", line) for line in case.program)
    return bool(case.results) and not case.file and inputs and not own and not case.title.startswith("2.7")


def weft_run(program, arguments, names, folder):
    """Results as arrays, and standard error."""
    outputs = [part for name in names for part in ("-o", f"{name}={name}.npy")]
    done = subprocess.run([WEFT, "run", *outputs, "--", program, *arguments], cwd=folder, capture_output=True,
                          text=True, env=dict(os.environ, WEFT_DISABLE="first"))
    if done.returncode:
        return None, done.stderr
    return {name: np.load(os.path.join(folder, name + ".npy")) for name in names}, done.stderr


NAMED = re.compile(r"(\w+):\w*(\((?:[^()]|\([^()]*\))*\))=")


def sized(dims, extents):
    """Named dimensions with sizes where they have no labels."""
    parts = re.findall(r"(?:[^,()]|\([^()]*\))+", dims[1:-1])
    return ", ".join(part.strip() if "(" in part else f"{part.strip()}={extent}"
                     for part, extent in zip(parts, extents))


def input_names(case):
    return [re.match(r"\w+", argument).group() for argument in case.arguments]


def typed(argument, copies):
    """A single literal is a number (rule 2.7), which in a kernel would be a real. Here it is a tensor of its type."""
    if NAMED.match(argument):
        return argument
    name, value = argument.split("=", 1)
    array = copies.get(f"copy_{name}")
    return argument if array is None or array.ndim or not value[:1] in "-+.0123456789tfni" else \
        f"{name}:{dtype_name(array)}={value}"


def fill(kernel):
    """Inputs and results, as the run-time kernel has them."""
    case = kernel.case
    with tempfile.TemporaryDirectory() as folder:
        names = input_names(case)
        copies, error = weft_run("return " + ", ".join(f"copy_{name} = {name}" for name in names), case.arguments,
                                 [f"copy_{name}" for name in names], folder) if names else ({}, "")
        wanted = [result[0] for result in case.results]
        arguments = [typed(argument, copies or {}) for argument in case.arguments]
        results, told = weft_run("\n".join(case.program), arguments, wanted, folder)
    if copies is None or results is None:
        sys.exit(f"{case.where}: {error}{told}")
    kernel.inputs = {name: copies[f"copy_{name}"] for name in names}
    kernel.results = results
    remark = re.search(r"^<expr>:(\d+):(\d+): warning\[W00(84|88)\]: ", told, re.MULTILINE)
    kernel.place = tuple(map(int, remark.groups()[:2])) if remark else None
    kernel.status = {"84": 1, "88": 2}[remark[3]] if remark else 0
    return kernel


def dtype_name(array):
    return "bfloat16" if array.dtype.kind == "V" else str(array.dtype)


def declared(kernel, form):
    """The types of the inputs; sizes in the order in which a dense entry takes them, with their values."""
    types, sizes = {}, []
    dims = {found[1]: found[2] for found in map(NAMED.match, kernel.case.arguments) if found}
    for name, array in kernel.inputs.items():
        extents = []
        for dim, extent in enumerate(array.shape):
            weights = kernel.case.title.startswith("10.3") and name == "k"  # rule 10.3: its extents are numbers
            # rules 12.3 and 12.4: without axes the last extent of positions is a number
            first = next(iter(kernel.inputs))
            last = kernel.case.title.startswith(("12.3", "12.4")) and name != first and dim == array.ndim - 1
            if name in dims and "(" in re.findall(r"(?:[^,()]|\([^()]*\))+", dims[name][1:-1])[dim]:
                extents.append("")
            elif form == "number" or (extent == 1 and form == "variable") or weights or last:
                extents.append(str(extent))
            else:
                extents.append("?" if form == "open" else f"{name}_{dim}")
                sizes.append(extent)
        types[name] = f"{dtype_name(array)}({sized(dims[name], extents)})" if name in dims else \
            f"{dtype_name(array)}[{', '.join(extents)}]"
    return types, sizes


def text_of(kernel, form):
    """The program stands in lines of its own, so that places keep their columns."""
    types, kernel.sizes = declared(kernel, form)
    parameters = ", ".join(f"{name}: {type}" for name, type in types.items())
    lines = ["" if re.match(RULES, line) else line for line in kernel.case.program]
    return f"kernel {kernel.name}({parameters}) {{\n" + "\n".join(lines) + "\n}\n"


def select(files):
    cases = [case for path in files for case in run_eval.parse(path) if isinstance(case, run_eval.Case) and runs(case)]
    return [Kernel(number, case) for number, case in enumerate(cases)]


def filled(kernels):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(fill, kernels))


def words(kernel):
    """What a case may be the only one to try."""
    case = kernel.case
    found = set(re.findall(r"[a-z_]\w*|[^\w\s]+", " ".join(case.program)))
    found |= {f"{dtype} result" for _, dtype, _ in case.results} | {len(case.arguments), -len(case.results)}
    return found | {f"{argument.count('[')} {dtype}" for argument in case.arguments
                    for dtype in re.findall(r"[a-z]+\d+", argument)}


def cover(kernels, count):
    """Those that cover most words, in their order; all of them for 0."""
    count = count or len(kernels)
    if count == len(kernels):
        return kernels
    left, seen, chosen = {kernel: words(kernel) for kernel in kernels}, set(), []
    while left and len(chosen) < count:
        best = max(left, key=lambda kernel: len(left[kernel] - seen))
        seen |= left.pop(best)
        chosen.append(best)
    return sorted(chosen, key=kernels.index)


def load(files, only="", count=0):
    """`count` cases, of those whose title holds `only`."""
    found = [kernel for kernel in select(files) if only in kernel.case.title]
    kernels = cover(found, count)
    if len(kernels) < len(found):
        print(f"# {len(kernels)} of {len(found)} cases; all of them with WEFT_LAYER=full")
    return filled(kernels)


def returns(header, kernel):
    """Whether the case asks for the kernel's results and no binding besides."""
    start = header.index(f"/* ---- kernel {kernel.name} ----")
    signature = header[start:header.index("*/", start)]
    return re.findall(r"result +(\w+):", signature) == list(kernel.results)


def find_values(header, kernel):
    entry = re.search(rf"^int {kernel.name}(?:_cuda)?_shape\(([^;]*)\);", header, re.MULTILINE)
    kernel.values = re.findall(r"\bint64_t (\w+)", entry.group(1)) if entry else []


def build(kernels, form, folder, *options):
    """Writes the sources, as one bundle, of those kernels that can be; the others with the number of what refuses
    them."""
    refused = {}
    while True:
        texts, first = [f"rules {rules_of(kernel)}\n" for kernel in kernels[:1]], {}
        line = 2
        for index, kernel in enumerate(kernels):
            which = FORMS[(FORMS.index(form) + index) % 3]
            texts.append(text_of(kernel, which))
            first[kernel.name] = line
            kernel.line = line
            line += texts[-1].count("\n")
        source = os.path.join(folder, "cases.weft")
        pathlib.Path(source).write_text("".join(texts))
        done = subprocess.run([WEFT, "build", source, "-o", os.path.join(folder, "out"), "-q", *options],
                              capture_output=True, text=True)
        if done.returncode == 0:
            header = pathlib.Path(folder, "out", "cases.h").read_text()
            for kernel in kernels:
                find_values(header, kernel)
            return [kernel for kernel in kernels if returns(header, kernel)], refused
        found = re.findall(r"^[^\n]*cases\.weft:(\d+):\d+: error\[(W\d+)\]", done.stderr, re.MULTILINE)
        if not found:
            sys.exit(done.stderr)
        for at, code in found:
            name = max((start, name) for name, start in first.items() if start <= int(at))[1]
            refused.setdefault(name, code)
        kernels = [kernel for kernel in kernels if kernel.name not in refused]
