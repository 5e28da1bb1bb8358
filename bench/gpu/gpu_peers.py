"""The peers of bench/gpu/gpu.py: CuPy (a kernel of one's own, and fuse), PyTorch (eager, and torch.compile) and
jax.jit. Each is optional, and what is missing or fails is told by name instead of a number.

All work on the arrays of the case, by DLPack, and write into its outputs, on the benches' stream; but for
JAX, which returns new arrays and has streams of its own: it is timed by the host's clock, and as many
results as the case has sets stay alive, so that it too goes on through memory."""
import collections
import contextlib
import importlib
import os
import types

import numpy as np

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


class Skip(Exception):
    """Why a peer takes no part in a case."""


class Contender:
    """`calls`: a function for each set. `finish` waits where the clock is the host's. `result` fetches what the
    first call computed, where that is not the case's output. `around` is a context to make the calls in."""

    def __init__(self, name, calls, around=contextlib.nullcontext, finish=None, result=None):
        self.name, self.calls, self.around, self.finish, self.result = name, calls, around, finish, result
        self.clock = "host" if finish else "device"


# The words in which the libraries differ; the reference computes in float64.
NUMPY = types.SimpleNamespace(f32=np.float64, u8=np.uint8, f16=np.float64, max=np.maximum, clip=np.clip, rint=np.rint,
                              sin=np.sin, exp=np.exp, sqrt=np.sqrt, abs=np.abs, sum=np.sum, mean=np.mean,
                              argmax=np.argmax)


def reference(case, inputs):
    """The case's result by NumPy; a list for a batch."""
    if case.ragged:
        return [case.formula(NUMPY, **{name: array.samples[i].download().astype(np.float64)
                                       for name, array in inputs.items()})
                for i in range(len(case.out[0]))]
    return case.formula(NUMPY, **{name: array.download().astype(np.float64) for name, array in inputs.items()})


def each(case, inputs, out):
    """The operands of every call that a peer without batches makes."""
    if not case.ragged:
        return [(inputs, out)]
    return [({name: array.samples[i] for name, array in inputs.items()}, sample)
            for i, sample in enumerate(out.samples)]


def bound(case, sets, adopt, call):
    """A function for each set that calls `call(out, inputs)` on adopted operands, for a batch on every sample."""
    calls = []
    for inputs, out in sets.sets:
        work = [(adopt(target), {name: adopt(array) for name, array in given.items()}) for given, target in
                each(case, inputs, out)]

        def run(work=work):
            for target, given in work:
                call(target, given)
        calls.append(run)
    return calls


# ---- CuPy ----

class Cupy:
    def __init__(self, stream):
        self.cupy = importlib.import_module("cupy")
        self.stream = self.cupy.cuda.ExternalStream(stream.value)
        self.words = types.SimpleNamespace(
            f32=lambda x: x.astype(np.float32), u8=lambda x: x.astype(np.uint8), f16=lambda x: x.astype(np.float16),
            max=self.cupy.maximum, clip=self.cupy.clip, rint=self.cupy.rint, sin=self.cupy.sin, exp=self.cupy.exp,
            sqrt=self.cupy.sqrt, abs=self.cupy.absolute, sum=self.cupy.sum, mean=self.cupy.mean,
            argmax=self.cupy.argmax)

    def kernel(self, case, sets):
        if not case.kernel:
            raise Skip("no kernel of elements alone")
        given, result, body = case.kernel
        kernel = self.cupy.ElementwiseKernel(given, result, body, "bench")
        names = [operand.split()[-1] for operand in given.split(",")]
        return Contender("CuPy kernel", bound(case, sets, self.cupy.from_dlpack,
                                              lambda out, ins: kernel(*[ins[name] for name in names], out)),
                         lambda: self.stream)

    def fuse(self, case, sets):
        names = list(case.inputs)

        def formula(*operands):
            operands[-1][...] = case.formula(self.words, **dict(zip(names, operands)))
        # Its tracer asks for the function's parameters by name.
        scope = {"formula": formula}
        exec(f"def traced({', '.join(names)}, out): formula({', '.join(names)}, out)", scope)
        fused = self.cupy.fuse(scope["traced"])
        return Contender("CuPy fuse", bound(case, sets, self.cupy.from_dlpack,
                                            lambda out, ins: fused(*[ins[name] for name in names], out)),
                         lambda: self.stream)

    def contenders(self):
        return [("CuPy kernel", self.kernel), ("CuPy fuse", self.fuse)]


# ---- PyTorch ----

class Torch:
    def __init__(self, stream, on_device=True):
        self.torch = torch = importlib.import_module("torch")
        torch.set_grad_enabled(False)
        self.around = contextlib.nullcontext
        if on_device:
            if not torch.cuda.is_available():
                raise Skip("PyTorch sees no GPU")
            external = torch.cuda.ExternalStream(stream.value)
            self.around = lambda: torch.cuda.stream(external)
        self.words = types.SimpleNamespace(
            f32=lambda x: x.to(torch.float32), u8=lambda x: x.to(torch.uint8), f16=lambda x: x.to(torch.float16),
            max=torch.maximum, clip=torch.clip, rint=torch.round, sin=torch.sin, exp=torch.exp, sqrt=torch.sqrt,
            abs=torch.abs, sum=torch.sum, mean=torch.mean, argmax=torch.argmax)

    def eager(self, case, sets):
        return Contender("PyTorch eager", bound(case, sets, self.torch.from_dlpack,
                                                lambda out, ins: case.eager(self.torch, out, **ins)), self.around)

    def compiled(self, case, sets):
        self.torch._dynamo.reset()
        # What is written into `out` becomes part of the one kernel.
        compiled = self.torch.compile(lambda out, ins: out.copy_(case.formula(self.words, **ins)),
                                      dynamic=True if case.ragged else False)
        return Contender("PyTorch compile", bound(case, sets, self.torch.from_dlpack, compiled), self.around)

    def contenders(self):
        return [("PyTorch eager", self.eager), ("PyTorch compile", self.compiled)]


# ---- JAX ----

class Jax:
    def __init__(self, on_device=True):
        self.jax = importlib.import_module("jax")
        numpy = importlib.import_module("jax.numpy")
        platform = self.jax.devices()[0].platform
        if (platform == "gpu") != on_device:
            raise Skip(f"JAX runs on {platform}")
        self.words = types.SimpleNamespace(
            f32=lambda x: x.astype(numpy.float32), u8=lambda x: x.astype(numpy.uint8),
            f16=lambda x: x.astype(numpy.float16), max=numpy.maximum, clip=numpy.clip, rint=numpy.rint, sin=numpy.sin,
            exp=numpy.exp, sqrt=numpy.sqrt, abs=numpy.abs, sum=numpy.sum, mean=numpy.mean, argmax=numpy.argmax)

    def jit(self, case, sets):
        if case.ragged:
            raise Skip("jax.jit compiles for every shape of a batch")
        function = self.jax.jit(lambda ins: case.formula(self.words, **ins))
        held, first = collections.deque(maxlen=max(2, sets.count)), {}

        def call_of(inputs):
            given = {name: self.jax.dlpack.from_dlpack(array) for name, array in inputs.items()}

            def call():
                held.append(function(given))
                first.setdefault("result", held[-1])
            return call
        calls = [call_of(inputs) for inputs, _ in sets.sets]
        return Contender("JAX jit", calls, finish=lambda: self.jax.block_until_ready(list(held)),
                         result=lambda: np.asarray(first.pop("result")))

    def contenders(self):
        return [("JAX jit", self.jit)]


def available(stream, on_device=True):
    """(name, function of a case and its sets, or the reason why there is none) for each way of each peer."""
    makers = {"cupy": lambda: Cupy(stream), "torch": lambda: Torch(stream, on_device), "jax": lambda: Jax(on_device)}
    names = {"cupy": ["CuPy kernel", "CuPy fuse"], "torch": ["PyTorch eager", "PyTorch compile"], "jax": ["JAX jit"]}
    found = []
    for module, make in makers.items():
        try:
            found += make().contenders()
        except Exception as error:  # whatever an import or a start of theirs raises is a reason, not our failure
            found += [(name, told(error)) for name in names[module]]
    return found


def told(error):
    """An exception as one line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:300]}" if not isinstance(error, Skip) else str(error)


def versions():
    found = {}
    for name in ("cupy", "torch", "triton", "jax", "jaxlib"):
        try:
            found[name] = importlib.import_module(name).__version__
        except Exception as error:  # an import that fails halfway is an absence, too
            found[name] = f"absent ({type(error).__name__})"
    return found
