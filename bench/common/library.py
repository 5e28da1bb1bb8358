"""libweft through ctypes, as far as the benches need it: compile a text, run it on NumPy arrays, or on
arrays of a device (gpu_arrays.py), in place. No copy is made, so every contender of a bench works on the
same buffers."""
import ctypes as c
import pathlib

MAX_RANK = 32
# In the order of enum weft_dtype; two bytes stand for bfloat16.
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "V2", "float32",
          "float64")
KINDS = {"i": 0, "u": 1, "f": 2, "b": 6, "V": 4}  # NumPy has no bfloat16: two bytes stand for it


class Device(c.Structure):
    _fields_ = [("type", c.c_int), ("id", c.c_int)]


class DataType(c.Structure):
    _fields_ = [("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", Device), ("ndim", c.c_int), ("dtype", DataType),
                ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("byte_offset", c.c_uint64)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("tensors", c.POINTER(Tensor)), ("count", c.c_int64),
                ("batch", c.c_bool)]


class RunParams(c.Structure):
    _fields_ = [("inputs", c.POINTER(Argument)), ("input_count", c.c_size_t),
                ("outputs", c.POINTER(Argument)), ("output_count", c.c_size_t), ("stream", c.c_void_p)]


class ContextParams(c.Structure):
    _fields_ = [("cc", c.c_char_p), ("cflags", c.POINTER(c.c_char_p)), ("log", c.c_void_p),
                ("user", c.c_void_p), ("disable", c.c_char_p), ("cache", c.c_char_p),
                ("threads", c.c_int), ("parallel_for", c.c_void_p), ("parallel_user", c.c_void_p), ("tier", c.c_int),
                ("target", c.c_int), ("arch", c.c_char_p), ("keep", c.c_char_p),
                ("debug", c.c_char_p)]


class InputType(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_char_p), ("value", c.c_void_p), ("origins", c.c_void_p)]


class CompileParams(c.Structure):
    _fields_ = [("origin", c.c_char_p), ("kernel", c.c_char_p), ("inputs", c.POINTER(InputType)),
                ("input_count", c.c_size_t), ("results", c.POINTER(c.c_char_p)), ("result_count", c.c_size_t),
                ("math", c.c_int)]


class TensorInfo(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int), ("rank", c.c_int), ("shape", c.c_int64 * MAX_RANK),
                ("layout", c.c_char * (MAX_RANK + 1)), ("batch", c.c_bool), ("count", c.c_int64)]


class KernelInfo(c.Structure):
    _fields_ = [("origin", c.c_int), ("seconds", c.c_double), ("threads", c.c_int),
                ("first_seconds", c.c_double)]


def element_type(dtype):
    return DataType(KINDS[dtype.kind], dtype.itemsize * 8, 1)


def tensor(array):
    """A DLTensor over a NumPy array, which must outlive it, or over what describes itself as one."""
    if hasattr(array, "tensor"):
        return array.tensor()
    shape = (c.c_int64 * array.ndim)(*array.shape)
    strides = (c.c_int64 * array.ndim)(*[s // array.itemsize for s in array.strides])
    return Tensor(array.ctypes.data, Device(1, 0), array.ndim, element_type(array.dtype), shape, strides, 0)


def argument(name, array):
    """A struct weft_argument for an array, or for a batch, which has a method for it."""
    if hasattr(array, "argument"):
        return array.argument(name)
    return Argument(name.encode() if name else None, c.pointer(tensor(array)), 1, False)


def arguments(arrays):
    """An array of struct weft_argument for pairs of names (None: by position) and arrays."""
    return (Argument * len(arrays))(*[argument(name, array) for name, array in arrays])


def load(build):
    path = next(iter(sorted(pathlib.Path(build).rglob("libweft.so"))), None)
    if path is None:
        raise SystemExit(f"there is no libweft.so below {build}; run scripts/setup")
    lib = c.CDLL(str(path.resolve()))  # of a relative path the library looks for no module beside it
    lib.weft_error_render.restype = c.c_size_t
    return lib


class Weft:
    """The library with one context."""

    def __init__(self, build, lib=None, cache="", **params):
        self.lib = lib or load(build)
        self.context = c.c_void_p()
        # Without a cache what making a kernel takes is the compiler's time.
        params = ContextParams(cache=cache.encode(), **params)
        self.check(self.lib.weft_context_create, c.byref(params), c.byref(self.context))

    def close(self):
        """Ends the context; its programs are given up."""
        self.lib.weft_context_destroy(self.context)

    def check(self, function, *args):
        """Calls a function whose last parameter takes the errors; raises what it reports."""
        error = c.c_void_p()
        status = function(*args, c.byref(error))
        if status < 0:
            text = c.create_string_buffer(4096)
            self.lib.weft_error_render(error, text, c.c_size_t(4096))
            raise RuntimeError(text.value.decode())
        self.lib.weft_error_destroy(error)

    def compile(self, text, types=None, math=0):
        """`types` is a dict of names and types in the language's words."""
        program = c.c_void_p()
        kept = [InputType(name.encode(), kind.encode()) for name, kind in (types or {}).items()]
        params = CompileParams(None, None, (InputType * len(kept))(*kept), len(kept), None, 0, math)
        self.check(self.lib.weft_compile, self.context, text.encode(), c.byref(params), c.byref(program))
        return program

    def stage(self, program, name):
        """The text of a stage."""
        text = c.c_void_p()
        self.check(self.lib.weft_program_stage, program, name.encode(), c.byref(text))
        value = c.string_at(text).decode()
        self.lib.weft_free(text)
        return value

    def bound(self, program, inputs, output, stream=None):
        """A function of no arguments that runs the program, and its struct weft_run_params."""
        ins, outs = arguments(list(inputs.items())), arguments([(None, output)])
        params = RunParams(ins, len(ins), outs, len(outs), stream)
        run, reference = self.lib.weft_run, c.byref(params)

        def call(_keep=(params, ins, outs, inputs, output)):
            if run(program, reference, None) < 0:
                self.check(run, program, reference)
        return call, params

    def result(self, program, inputs):
        """Shape and dtype (a word of NumPy's) of the first result for these inputs."""
        ins, infos = arguments(list(inputs.items())), (TensorInfo * 16)()
        self.check(self.lib.weft_infer, program, ins, c.c_size_t(len(ins)), infos)
        return tuple(infos[0].shape[:infos[0].rank]), DTYPES[infos[0].dtype]

    def prepare(self, program, params):
        """The seconds that making the kernels took."""
        kernels, count = (KernelInfo * 256)(), c.c_size_t(256)
        self.check(self.lib.weft_prepare, program, c.byref(params), kernels, c.byref(count))
        return sum(kernels[i].seconds for i in range(count.value))

    def prepared(self, text, inputs, output):
        """A function of no arguments that computes `text` into `output`, and the seconds that making
        its kernels took. `inputs` is a dict of arrays."""
        program = self.compile(text)
        call, params = self.bound(program, inputs, output)
        return call, self.prepare(program, params)
