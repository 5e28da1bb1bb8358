"""NVRTC through ctypes: what the bare compiler takes on a text, and whether it compiles at all. It needs
no GPU and touches no device."""
import contextlib
import ctypes as c
import glob
import os
import re
import sys
import time

NAMES = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
STRICT = ("--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "-lineinfo")
FAST = ("--fmad=true", "--ftz=false", "--prec-div=false", "--prec-sqrt=false", "-lineinfo")
VERBOSE = ("--ptxas-options=-v",)


def places():
    """Patterns of files, in the order in which they are tried."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if os.environ.get(variable):
            yield f"{os.environ[variable]}/lib*/libnvrtc.so.1[0-9]"
    for folder in sys.path:
        if folder.endswith("-packages"):
            yield f"{folder}/nvidia/*/lib/libnvrtc.so.1[0-9]"
    yield "/usr/local/cuda*/lib*/libnvrtc.so.1[0-9]"


def find():
    """The library and where it is, or None and what was looked for."""
    for name in NAMES[:1] + tuple(path for place in places() for path in sorted(glob.glob(place))) + NAMES[1:]:
        with contextlib.suppress(OSError):
            found = c.CDLL(name)
            open_builtins(name)
            return found, name
    return None, ", ".join(NAMES) + ", " + ", ".join(places())


def open_builtins(name):
    """NVRTC's second library, which it opens by name; the toolkit's does not look beside itself."""
    for path in glob.glob(f"{os.path.dirname(name)}/libnvrtc-builtins.so.*.*") if "/" in name else ():
        with contextlib.suppress(OSError):
            c.CDLL(path)


def check(lib, code, name):
    if code:
        lib.nvrtcGetErrorString.restype = c.c_char_p
        raise RuntimeError(f"{name}: {lib.nvrtcGetErrorString(code).decode()} (error {code})")


def version(lib):
    major, minor = c.c_int(), c.c_int()
    check(lib, lib.nvrtcVersion(c.byref(major), c.byref(minor)), "nvrtcVersion")
    return f"{major.value}.{minor.value}"


def log_of(lib, program):
    size = c.c_size_t()
    lib.nvrtcGetProgramLogSize(program, c.byref(size))
    text = c.create_string_buffer(size.value + 1)
    lib.nvrtcGetProgramLog(program, text)
    return text.value.decode(errors="replace")


def kernels(text):
    """The texts of a program's kernels, which stand one after the other."""
    while text:
        end = text.index("\n}\n", text.index("weft_kernel(")) + 3
        yield text[:end]
        text = text[end:]


def compile_text(lib, text, arch, options=STRICT):
    """The cubin's bytes, the seconds that making it took, and what was told."""
    words = [f"--gpu-architecture={arch}".encode()] + [option.encode() for option in options]
    program, size = c.c_void_p(), c.c_size_t()
    start = time.perf_counter()
    check(lib, lib.nvrtcCreateProgram(c.byref(program), text.encode(), b"weft.cu", 0, None, None), "nvrtcCreateProgram")
    try:
        code = lib.nvrtcCompileProgram(program, len(words), (c.c_char_p * len(words))(*words))
        if code:
            raise RuntimeError(log_of(lib, program))
        check(lib, lib.nvrtcGetCUBINSize(program, c.byref(size)), "nvrtcGetCUBINSize")
        image = c.create_string_buffer(size.value)
        check(lib, lib.nvrtcGetCUBIN(program, image), "nvrtcGetCUBIN")
        return image.raw, time.perf_counter() - start, log_of(lib, program)
    finally:
        lib.nvrtcDestroyProgram(c.byref(program))


def resources(log):
    """What the assembler says of a kernel under VERBOSE: registers, and what did not fit into them."""
    patterns = {"registers": r"Used (\d+) registers", "stack_bytes": r"(\d+) bytes stack frame",
                "spill_bytes": r"(\d+) bytes spill stores"}
    found = {name: re.search(pattern, log) for name, pattern in patterns.items()}
    return {name: int(match[1]) for name, match in found.items() if match}
