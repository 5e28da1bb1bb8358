"""What the machine code of CUDA kernels says about their speed, without a GPU:

    /usr/bin/python3 bench/gpu/sass.py [--build build] [--arch sm_90] [--save NAME] [CASE...]

For each case of gpu.py (CASE: a word of its name) the kernel is compiled by NVRTC and read with nvdisasm. Printed
are, for the path of a thread that computes whole chunks: registers, threads that an SM holds at once, widths of loads
and stores in bits, bytes that a thread and an SM have in flight (loads that stand in front of the first use of any of
them) and what an SM needs of these at the speed of a copy on an H200, where a load takes 700 ns, instructions for each
element, all and by pipe, and the share of issue slots that they take when data move at the speed of a copy on an H100
and on an H200. Above about 0.8 a kernel is no longer bound by memory. scripts/sass gets nvdisasm."""
import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/common"))

import nvrtc  # noqa: E402

# Of the architecture sm_90: registers and threads of an SM, and thread instructions a second of all SMs (132 SMs, four
# schedulers of 32 lanes, 1.755 GHz). A pipe takes one in so many of the issue slots.
REGISTERS, THREADS, ISSUE = 65536, 2048, 132 * 4 * 32 * 1.755e9
PIPES = {"fma": 1, "alu": 2, "xu": 8, "memory": 4, "uniform": 32, "other": 1}
COPY = {"H100": 3.0e12, "H200": 4.3e12}     # bytes a second, read and written
LATENCY, SMS = 700e-9, 132
PIPE_OF = [("uniform", r"U[A-Z]|R2UR|S2UR|VOTEU"),
           ("xu", r"MUFU|I2F|F2I|F2F|FRND|POPC|S2R|I2I"),
           ("memory", r"LD|ST|RED|ATOM|TEX|CCTL"),
           ("fma", r"FFMA|FMUL|FADD|IMAD|HFMA|HADD|HMUL|DFMA|DADD|DMUL"),
           ("alu", r"FSET|FSEL|FMNMX|FCHK|LOP|IADD|ISETP|ISET|SHF|SHL|SHR|PRMT|SEL|LEA|VIMNMX|IMNMX|IABS|MOV|PLOP|P2R|"
                   r"R2P|F2FP|BMSK|SGXT|FLO|VIADD|VABSDIFF|HSET|HMNMX|DSETP|DMNMX|FSWZ|CS2R")]
WIDTH = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
LINE = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@(!?U?P[0-9T]+)\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);")


@dataclasses.dataclass
class Ins:
    at: int
    guard: str
    op: str
    operands: str

    @property
    def name(self):
        return self.op.split(".")[0]

    @property
    def width(self):
        """Bytes of a global load or store; else 0."""
        if self.name not in ("LDG", "STG"):
            return 0
        return next((WIDTH[word] for word in self.op.split(".")[1:] if word in WIDTH), 4)

    @property
    def pipe(self):
        return next((pipe for pipe, pattern in PIPE_OF if re.match(pattern, self.name)), "other")

    def registers(self):
        """Numbers of the registers that are written, and of those that are read, as far as loads go."""
        words = [word.strip() for word in self.operands.split(",")]
        stores = self.name.startswith(("ST", "RED", "BRA", "EXIT"))
        first = [] if stores or not words else numbers(words[0])
        count = max(1, self.width // 4) if self.name == "LDG" else 2 if ".64" in self.op or ".WIDE" in self.op else 1
        written = {first[0] + i for i in range(count)} if first else set()
        read = {n for word in (words if stores else words[1:]) for n in numbers(word)}
        if self.name == "STG" and words:
            data = numbers(words[-1])
            read |= {data[0] + i for i in range(max(1, self.width // 4))} if data else set()
        return written, read


def numbers(word):
    return [int(n) for n in re.findall(r"\bR(\d+)\b", word)]


class Code:
    """Blocks of the kernel's instructions, and which follow which."""

    def __init__(self, text):
        self.ins, labels = [], {}
        waiting = []
        for line in text.splitlines():
            label = re.match(r"(\.L_x_\d+):", line)
            if label:
                waiting.append(label[1])
            found = LINE.search(line)
            if found:
                for name in waiting:
                    labels[name] = len(self.ins)
                waiting = []
                self.ins.append(Ins(int(found[1], 16), found[2] or "", found[3], found[4]))
        starts = {0} | set(labels.values())
        starts |= {i + 1 for i, ins in enumerate(self.ins) if ins.name in ("BRA", "EXIT", "RET")}
        self.starts = sorted(n for n in starts if n < len(self.ins))
        self.next = {}
        for number, start in enumerate(self.starts):
            end = self.starts[number + 1] if number + 1 < len(self.starts) else len(self.ins)
            last, after = self.ins[end - 1], [end] if end < len(self.ins) else []
            target = re.search(r"\.L_x_\d+", last.operands) if last.name == "BRA" else None
            jump = [labels[target[0]]] if target and target[0] in labels else []
            if last.name == "BRA":
                operands = last.operands.split("`")[0]
                always = not last.guard and "UP" not in operands and "P" not in operands
                after = jump if always else after + jump
            elif last.name in ("EXIT", "RET") and not last.guard:
                after = []
            self.next[start] = (end, after)

    def hot_path(self, name):
        """The instructions of one turn of the loop over tiles, for a thread whose chunks are whole: of all ways through
        a loop the one that stores most bytes with fewest instructions; of a reduction, `name` is LDG, that loads
        most."""
        widest = max((ins.width for ins in self.ins if ins.name == name), default=0)
        loops = {(after, start) for start, (_, nexts) in self.next.items() for after in nexts if after <= start}
        ways = [self.way(header, latch, (name, widest), {}) for header, latch in loops]
        _, best = max((way for way in ways if way), default=((0, 0), []))
        return [self.ins[i] for start in best for i in range(start, self.next[start][0])]

    def way(self, start, latch, counted, known):
        """The best way from block `start` to `latch` along forward edges: what it is worth, and its blocks. None:
        there is no way. `counted`: the name and width of what should be there."""
        if start in known:
            return known[start]
        ins = self.ins[start:self.next[start][0]]
        own = (sum((one.name, one.width) == counted for one in ins), -len(ins))
        ways = [self.way(after, latch, counted, known) for after in self.next[start][1] if after > start]
        ways = [((own[0] + worth[0], own[1] + worth[1]), [start] + blocks) for worth, blocks in filter(None, ways)]
        known[start] = (own, [start]) if start == latch else max(ways, default=None)
        return known[start]


def in_flight(path):
    """The most bytes that are loaded in front of the first use of any of them."""
    most, waiting, bytes_ = 0, set(), 0
    for ins in path:
        written, read = ins.registers()
        if waiting & read:
            waiting, bytes_ = set(), 0
        if ins.name == "LDG":
            waiting |= written
            bytes_ += ins.width
            most = max(most, bytes_)
    return most


def runs(ins, name):
    """Widths of loads or stores in bits, with how many there are of each."""
    widths = [one.width * 8 for one in ins if one.name == name]
    return " ".join(f"{widths.count(width)}x{width}" for width in sorted(set(widths), reverse=True))


def resident(registers, block):
    """Threads that an SM holds at once: registers are given to warps in units of 256."""
    warps = block // 32
    each = -(-registers * 32 // 256) * 256
    return min(REGISTERS // (each * warps), THREADS // block) * block if each else 0


def read(text, registers, cuda, element_out, element_bytes, element_in):
    """The figures of a kernel: its machine code and registers, its text, bytes that are stored and moved for each
    element; of a reduction, those that are loaded."""
    sizes = dict(re.findall(r"^#define (THREADS|REDUCES) (\d+)$", cuda, re.MULTILINE))
    reduces = sizes.get("REDUCES", "0") != "0"
    counted, each = ("LDG", element_in) if reduces else ("STG", element_out)
    element_bytes = element_in if reduces else element_bytes
    path = Code(text).hot_path(counted)
    elements = sum(ins.width for ins in path if ins.name == counted) / each
    threads = resident(registers, int(sizes["THREADS"]))
    pipes = {}
    for ins in path:
        pipes[ins.pipe] = pipes.get(ins.pipe, 0) + 1
    each = len(path) / elements if elements else 0
    flight = in_flight(path)
    loaded = 1 if reduces else 1 - element_out / element_bytes  # of all bytes that are moved
    return {"registers": registers, "threads": threads, "loads": runs(path, "LDG"), "stores": runs(path, "STG"),
            "elements": elements, "thread_bytes": flight, "sm_kbytes": flight * threads / 1024,
            "needed_kbytes": COPY["H200"] * loaded * LATENCY / SMS / 1024,
            "instructions": each,
            "pipes": {name: count / elements for name, count in sorted(pipes.items())} if elements else {},
            "issue": {gpu: each * speed / element_bytes / ISSUE for gpu, speed in COPY.items()},
            "xu": {gpu: pipes.get("xu", 0) / elements * PIPES["xu"] * speed / element_bytes / ISSUE if elements else 0
                   for gpu, speed in COPY.items()}}


def kernel_text(options, text, types, batch):
    """Without its fast path for values a kernel takes a table of samples, as for a batch. Kernels of a chain are read
    one by one: all are in its loop, each with loops of its own."""
    weft = pathlib.Path(options.build) / "cli/weft"
    command = [weft, "show", "--stage", "cuda-compiled", "--arch", options.arch, "-q", text,
               *[f"{n}={t}" for n, t in types.items()]]
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env=dict(os.environ, WEFT_DISABLE="value" if batch else "chain"))
    if done.returncode:
        raise SystemExit(f"{text}: {done.stderr}")
    return done.stdout


def find_nvdisasm(build):
    """In PATH, in a toolkit, or where scripts/sass put it; None."""
    known = [shutil.which("nvdisasm"), "/usr/local/cuda/bin/nvdisasm"]
    for place in (pathlib.Path(build), ROOT / "build"):
        known += sorted(place.glob("sass/lib/python3*/site-packages/nvidia/*/bin/nvdisasm"))
    return next((str(path) for path in known if path and os.access(path, os.X_OK)), None)


def disassemble(nvdisasm, image):
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(image)
        file.flush()
        return subprocess.run([nvdisasm, "--print-code", file.name], capture_output=True, text=True, check=True).stdout


def measure(options, text, types, element_out, element_bytes, batch, element_in):
    """Of the first kernel that reads operands, where there are several; one before it may make positions."""
    kernels = list(nvrtc.kernels(kernel_text(options, text, types, batch)))
    cuda = next((kernel for kernel in kernels if "join_tile" in kernel), kernels[0])
    image, _, log = nvrtc.compile_text(options.library, cuda, options.arch, nvrtc.STRICT + nvrtc.VERBOSE)
    registers = nvrtc.resources(log)["registers"]
    return read(disassemble(options.nvdisasm, image), registers, cuda, element_out, element_bytes, element_in)


def size_of(type_text):
    name = re.match(r"[a-z]+(\d+)?", type_text)
    return int(name[1] or 8) // 8


LAPLACE, BLUR = [[0, 1, 0], [1, -4, 1], [0, 1, 0]], [[1, 2, 1], [2, 4, 2], [1, 2, 1]]

# Beside the cases of bench/gpu/gpu.py: what the review of the machine code looked at. Name, text, types, bytes of an
# element that are stored, and of all operands that are as large as the result.
MORE = [("normalize by multiplying", "float16((x - mean) * scale)",
         {"x": "uint8[256, 224, 224, 3]", "mean": "float32[3]", "scale": "float32[3]"}, 2, 3, False),
        ("normalize what is from 0 to 1", "float16((x / 255 - mean) / std)",
         {"x": "uint8[256, 224, 224, 3]", "mean": "float32[3]", "std": "float32[3]"}, 2, 3, False),
        ("float32 a + b", "a + b", {"a": "float32[33554432]", "b": "float32[33554432]"}, 4, 12, False),
        ("float64 a + b", "a + b", {"a": "float64[16777216]", "b": "float64[16777216]"}, 8, 24, False),
        ("uint8 times a column", "uint8(img * w)",
         {"img": "uint8[1080, 1920, 3]", "w": "float32[1920, 1]"}, 1, 2, False),
        ("the same as for the ragged batch, of one picture", "(x - 127.5) * 0.0078125",
         {"x": "uint8[640, 480, 3]"}, 4, 5, False),
        ("neighbours: laplace, the inside", f'correlate(u, {LAPLACE}, "valid")', {"u": "float32[2050, 2050]"}, 4, 8,
         False),
        ("neighbours: laplace round the end", f'correlate(u, {LAPLACE}, "wrap")', {"u": "float32[2048, 2048]"}, 4, 8,
         False),
        ("neighbours: 3 x 3 blur of bytes, the inside",
         f'uint8((correlate(img, {BLUR}, "valid", axes=[0, 1]) + 8) // 16)', {"img": "uint8[1082, 1922, 3]"}, 1, 2,
         False),
        ("neighbours: 3 x 3 blur of bytes", f'uint8((correlate(img, {BLUR}, "reflect", axes=[0, 1]) + 8) // 16)',
         {"img": "uint8[1080, 1920, 3]"}, 1, 2, False)]


def all_cases():
    """name, text, types, bytes stored and bytes moved for each element of the result, whether it is a batch; bytes that
    are loaded for each element of the largest operands, which a reduction counts by."""
    import numpy as np
    import gpu_cases
    for case in gpu_cases.cases(1):
        if case.place.shift or case.place.gap:
            continue  # a stage knows no addresses, and would show the kernel for a dense array
        out = np.dtype(case.out[1]).itemsize
        operands = [(spec, int(np.prod(spec[0]))) for spec in case.inputs.values()
                    if isinstance(spec, tuple) and not case.ragged]
        largest = max((count for _, count in operands), default=0)
        loaded = sum(np.dtype(spec[1]).itemsize for spec, count in operands if count == largest)
        moved = round(case.bytes() / (gpu_cases.exact_bytes(*case.out) / out))
        yield case.name, case.text, gpu_cases.types_of(case), out, moved, case.ragged, loaded
    yield from ((*case, 0) for case in MORE)


def figures(options):
    """A row for each case whose name holds one of options.cases. None, having said why: something is missing."""
    options.library, place = nvrtc.find()
    options.nvdisasm = find_nvdisasm(options.build)
    if not options.library or not options.nvdisasm:
        print(f"there is no {'nvdisasm' if options.library else f'NVRTC: tried {place}'}")
        return None
    return [{"case": name, "text": text, "narrow": any(size_of(word) <= 2 for word in types.values()),
             **measure(options, text, types, out, moved, batch, loaded)}
            for name, text, types, out, moved, batch, loaded in all_cases()
            if not options.cases or any(word in name for word in options.cases)]


def tell(row):
    print(f"{row['case']}: {row['text']}\n    {row['registers']} registers, {row['threads']} threads an SM; "
          f"loads {row['loads'] or 'none'}, stores {row['stores'] or 'none'}; "
          f"in flight {row['thread_bytes']} bytes a thread, "
          f"{row['sm_kbytes']:.0f} KB an SM of {row['needed_kbytes']:.0f} that it needs\n"
          f"    {row['instructions']:.1f} instructions an element ("
          + ", ".join(f"{pipe} {count:.1f}" for pipe, count in row["pipes"].items())
          + f"), {row['elements']:.0f} elements a turn; issue slots at copy speed "
          + ", ".join(f"{gpu} {share:.2f}" for gpu, share in row["issue"].items()), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--save")
    options = parser.parse_args()
    rows = figures(options)
    if rows is None:
        return 77
    for row in rows:
        tell(row)
    if options.save:
        import machine
        machine.save(options.save, arch=options.arch, cases=rows)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
