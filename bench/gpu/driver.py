"""The CUDA driver through ctypes, as far as the benches need it. Opening the library touches no device;
Driver.start() does. Every call's result is checked, and an error names the call."""
import contextlib
import ctypes as c
import glob
import os

NAMES = ("libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1",
         "/usr/lib/wsl/lib/libcuda.so.1", "libcuda.so")
NON_BLOCKING, RELAXED, MAJOR, MINOR, PROCESSORS, L2_BYTES = 1, 2, 75, 76, 16, 38
KNOWN = {34: "CUDA_ERROR_STUB_LIBRARY", 100: "CUDA_ERROR_NO_DEVICE", 803: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}
LATER = {name: f"{name}_v2" for name in (
    "cuDeviceTotalMem", "cuDevicePrimaryCtxRelease", "cuMemAlloc", "cuMemFree", "cuMemGetInfo", "cuMemcpyHtoD",
    "cuMemcpyDtoH", "cuMemcpyDtoDAsync", "cuMemsetD8", "cuStreamDestroy", "cuEventDestroy",
    "cuStreamBeginCapture")}


class DriverError(RuntimeError):
    """A call that failed; `call` and `code` say which and how."""

    def __init__(self, call, code, name):
        super().__init__(f"{call}: {name}" + (f" (error {code})" if code else ""))
        self.call, self.code = call, code


def find():
    """The library and the name that it was opened by; SystemExit-free: (None, what was tried)."""
    home = os.environ.get("CUDA_HOME")
    for name in (glob.glob(f"{home}/lib*/libcuda.so.1") if home else []) + list(NAMES):
        with contextlib.suppress(OSError):
            return c.CDLL(name), name
    return None, ", ".join(NAMES)


class Driver:
    """One device: the first one, in its primary context, which everybody in the process shares."""

    def __init__(self, lib):
        self.lib = lib

    def call(self, name, *args):
        code = getattr(self.lib, LATER.get(name, name))(*args)
        if code:
            raise DriverError(name, code, self.error_name(code))

    def error_name(self, code):
        text = c.c_char_p()
        if self.lib.cuGetErrorName(code, c.byref(text)) == 0 and text.value:
            return text.value.decode()
        return KNOWN.get(code, "unknown")

    def start(self):
        """The first calls that touch a device."""
        self.call("cuInit", 0)
        count, device, self.context = c.c_int(), c.c_int(), c.c_void_p()
        self.call("cuDeviceGetCount", c.byref(count))
        if count.value == 0:
            raise DriverError("cuDeviceGetCount", 100, "no device")
        self.call("cuDeviceGet", c.byref(device), 0)
        self.device = device.value
        self.call("cuDevicePrimaryCtxRetain", c.byref(self.context), self.device)
        self.call("cuCtxSetCurrent", self.context)
        self.stream = self.make("cuStreamCreate", NON_BLOCKING)
        return self

    def stop(self):
        self.call("cuStreamDestroy", self.stream)
        self.call("cuDevicePrimaryCtxRelease", self.device)

    def make(self, name, *args):
        """A call whose first parameter takes a handle."""
        handle = c.c_void_p()
        self.call(name, c.byref(handle), *args)
        return handle

    def attribute(self, number):
        value = c.c_int()
        self.call("cuDeviceGetAttribute", c.byref(value), number, self.device)
        return value.value

    def describe(self):
        """What a result file says of the device."""
        name, version, total = c.create_string_buffer(256), c.c_int(), c.c_size_t()
        self.call("cuDeviceGetName", name, 256, self.device)
        self.call("cuDriverGetVersion", c.byref(version))
        self.call("cuDeviceTotalMem", c.byref(total), self.device)
        return {"name": name.value.decode(), "arch": self.arch(), "multiprocessors": self.attribute(PROCESSORS),
                "l2_bytes": self.attribute(L2_BYTES), "memory_bytes": total.value,
                "driver_cuda": f"{version.value // 1000}.{version.value % 1000 // 10}", "driver": kernel_driver()}

    def arch(self):
        return f"sm_{self.attribute(MAJOR)}{self.attribute(MINOR)}"

    # ---- memory ----

    def free_bytes(self):
        free, total = c.c_size_t(), c.c_size_t()
        self.call("cuMemGetInfo", c.byref(free), c.byref(total))
        return free.value

    def allocate(self, count):
        return self.make("cuMemAlloc", c.c_size_t(max(1, count))).value

    def free(self, address):
        self.call("cuMemFree", c.c_uint64(address))

    def upload(self, address, array):
        self.call("cuMemcpyHtoD", c.c_uint64(address), c.c_void_p(array.ctypes.data), c.c_size_t(array.nbytes))

    def download(self, array, address):
        self.call("cuMemcpyDtoH", c.c_void_p(array.ctypes.data), c.c_uint64(address), c.c_size_t(array.nbytes))

    def poison(self, address, count, byte=0xA5):
        self.call("cuMemsetD8", c.c_uint64(address), c.c_ubyte(byte), c.c_size_t(count))

    def copy(self, target, source, count):
        """Asynchronous, on the driver's stream."""
        self.call("cuMemcpyDtoDAsync", c.c_uint64(target), c.c_uint64(source), c.c_size_t(count), self.stream)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    # ---- time ----

    def seconds(self, work):
        """What `work` puts on the stream takes on the device, by events around it."""
        begin, end = self.make("cuEventCreate", 0), self.make("cuEventCreate", 0)
        try:
            self.call("cuEventRecord", begin, self.stream)
            work()
            self.call("cuEventRecord", end, self.stream)
            self.call("cuEventSynchronize", end)
            elapsed = c.c_float()
            self.call("cuEventElapsedTime", c.byref(elapsed), begin, end)
            return elapsed.value * 1e-3
        finally:
            self.call("cuEventDestroy", begin)
            self.call("cuEventDestroy", end)

    @contextlib.contextmanager
    def captured(self, work):
        """A function that launches a graph of what `work` puts on the stream."""
        graph, run = c.c_void_p(), c.c_void_p()
        self.call("cuStreamBeginCapture", self.stream, RELAXED)
        try:
            work()
        finally:  # also after an error: the stream must not stay in capture
            code = self.lib.cuStreamEndCapture(self.stream, c.byref(graph))
        if code:
            raise DriverError("cuStreamEndCapture", code, self.error_name(code))
        try:
            self.call("cuGraphInstantiateWithFlags", c.byref(run), graph, c.c_uint64(0))
            try:
                yield lambda: self.call("cuGraphLaunch", run, self.stream)
            finally:
                self.synchronize()
                self.call("cuGraphExecDestroy", run)
        finally:
            self.call("cuGraphDestroy", graph)


def kernel_driver():
    """The version of the kernel's driver, "580.159.04"."""
    with contextlib.suppress(OSError, IndexError):
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            words = file.readline().split()
        return next(word for word in words if word[:1].isdigit())
    return "unknown"
