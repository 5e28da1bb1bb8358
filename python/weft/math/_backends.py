"""The libraries whose arrays tensors hold (docs/math.md, "Backends")."""
from __future__ import annotations

import contextvars
import importlib
import importlib.util
from types import TracebackType
from typing import Any, NamedTuple

import numpy

from weft import _arrays


class Backend:
    """A library of arrays. `with backend:` makes it the one in which tensors are created, in this thread or task.

    >>> backend.NUMPY, backend.TORCH, backend.JAX, backend.CUPY
    (NumPy, PyTorch, Jax, CuPy)
    >>> with backend.NUMPY:
    ...     backend.default_backend()
    NumPy
    """

    def __init__(self, name: str, module: str, printed: str) -> None:
        self._name, self._module, self._printed = name, module, printed

    @property
    def name(self) -> str:
        """The word for `use`: numpy, torch, jax, cupy, dask."""
        return self._name

    def is_available(self) -> bool:
        """Whether the library is installed."""
        return importlib.util.find_spec(self._module) is not None

    def library(self) -> Any:
        """The module. ImportError that says how to install it."""
        try:
            return importlib.import_module(self._module)
        except ImportError:
            raise ImportError(f"the backend {self} needs the package {self._module}, which is not installed; "
                              f"install it by `pip install {self._module}`") from None

    def __repr__(self) -> str:
        return self._printed

    def __enter__(self) -> Backend:
        self.library()
        _within.set((*_within.get(), self))
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None,
                 trace: TracebackType | None) -> None:
        _within.set(_within.get()[:-1])

    def __reduce__(self) -> Any:
        return by_name, (self._name,)

    def dtype(self, name: str) -> Any:
        """NumPy's dtype of that name, in which arrays are moved."""
        return _arrays.bfloat16() if name == "bfloat16" else numpy.dtype(name)

    def of_numpy(self, array: Any, device: Any) -> Any:
        """This library's array of NumPy's, on a device of its own, without a copy where that can be."""
        return array

    def to_numpy(self, array: Any) -> Any:
        """NumPy's array of this library's, without a copy where that can be."""
        return array

    def device(self, array: Any) -> Any:
        """Where an array is, as this library says it; None: the host."""
        return None


class _Torch(Backend):
    def of_numpy(self, array: Any, device: Any) -> Any:
        torch = self.library()
        if not array.flags.writeable or any(stride < 0 for stride in array.strides):
            array = array.copy()
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16).to(device)
        made = torch.from_numpy(array)
        return made if device is None else made.to(device)

    def to_numpy(self, array: Any) -> Any:
        torch = self.library()
        array = array.detach().cpu()
        if array.dtype == torch.bfloat16:
            return array.view(torch.int16).numpy().view(_arrays.bfloat16())
        return array.numpy()

    def device(self, array: Any) -> Any:
        return None if array.device.type == "cpu" else str(array.device)


class _Jax(Backend):
    def of_numpy(self, array: Any, device: Any) -> Any:
        jax = self.library()
        if array.dtype.name == "bfloat16":
            return jax.numpy.asarray(array)
        if not jax.config.jax_enable_x64 and array.dtype.itemsize == 8:
            dense = array if array.flags.writeable and array.flags.c_contiguous else numpy.array(array, order="C")
            made = _arrays.LIBRARIES["jax"].own(dense)  # asarray would make 32 bits of it
        else:
            made = jax.numpy.asarray(array)
        return made if device is None else jax.device_put(made, device)

    def to_numpy(self, array: Any) -> Any:
        return numpy.asarray(array)

    def device(self, array: Any) -> Any:
        device = next(iter(array.devices()))
        return None if device.platform == "cpu" else device


class _CuPy(Backend):
    def of_numpy(self, array: Any, device: Any) -> Any:
        cupy = self.library()
        with cupy.cuda.Device(device):
            return cupy.asarray(array)

    def to_numpy(self, array: Any) -> Any:
        return array.get()

    def device(self, array: Any) -> Any:
        return array.device.id


class _Dask(Backend):
    """Its arrays stay lazy: programs become tasks, and values are computed where NumPy's are wanted."""

    def library(self) -> Any:
        super().library()
        return importlib.import_module("dask.array")

    def of_numpy(self, array: Any, device: Any) -> Any:
        return self.library().from_array(array, chunks=-1)

    def to_numpy(self, array: Any) -> Any:
        return numpy.asarray(array.compute())


NUMPY = Backend("numpy", "numpy", "NumPy")
TORCH = _Torch("torch", "torch", "PyTorch")
JAX = _Jax("jax", "jax", "Jax")
CUPY = _CuPy("cupy", "cupy", "CuPy")
DASK = _Dask("dask", "dask", "Dask")
ALL = {each.name: each for each in (NUMPY, TORCH, JAX, CUPY, DASK)}
BY_LIBRARY = {"numpy": NUMPY, "torch": TORCH, "jax": JAX, "jaxlib": JAX, "cupy": CUPY, "dask": DASK}

_within: contextvars.ContextVar[tuple[Backend, ...]] = contextvars.ContextVar("weft.math backend", default=())
_everywhere = NUMPY


def by_name(name: str) -> Backend:
    return ALL[name]


def default_backend() -> Backend:
    """The backend in which tensors are created: that of the innermost `with backend:`, else the global one, which is
    NumPy at the start."""
    within = _within.get()
    return within[-1] if within else _everywhere


def checked(backend: Backend | str) -> Backend:
    if isinstance(backend, Backend):
        return backend
    found = ALL.get(str(backend).lower())
    if found is None:
        raise ValueError(f"there is no backend {backend!r}; there are {', '.join(ALL)}")
    return found


def set_global_default_backend(backend: Backend | str) -> None:
    """Makes a backend the one in which tensors are created. ImportError where its library is not installed.

    >>> math.set_global_default_backend(math.NUMPY)
    >>> math.zeros(x=2).default_backend
    NumPy
    """
    global _everywhere
    chosen = checked(backend)
    chosen.library()
    _everywhere = chosen


def use(backend: Backend | str) -> Backend:
    """Sets the global default backend, a Backend or its name, as 'torch', and returns it.

    >>> math.use("numpy")
    NumPy

    Raises ValueError for a name that is none, ImportError where the library is not installed.
    """
    set_global_default_backend(backend)
    return _everywhere


class Home(NamedTuple):
    """Where data are: a library, and a device of its; None is the host."""
    backend: Backend
    device: Any

    def take(self, leaf: Any) -> Any:
        """A leaf of a program for this home: what is NumPy's goes there."""
        return self.backend.of_numpy(leaf, self.device) if isinstance(leaf, numpy.ndarray) else leaf


HOST = Home(NUMPY, None)
_homes: dict[Home, Home] = {HOST: HOST}


def home_of(array: Any) -> Home:
    """The home of an array; equal ones are one object."""
    if type(array) is numpy.ndarray:
        return HOST
    for base in type(array).__mro__:
        found = BY_LIBRARY.get(base.__module__.partition(".")[0])
        if found:
            made = Home(found, found.device(array))
            return _homes.setdefault(made, made)
    return HOST


def default_home() -> Home:
    made = Home(default_backend(), None if default_backend() is not CUPY else 0)
    return _homes.setdefault(made, made)


def common(a: Home | None, b: Home | None) -> Home | None:
    """Where an operation of two runs: NumPy's data go to another library's. TypeError for two others."""
    if a is b or b is None:
        return a
    if a is None or a is HOST:
        return b
    if b is HOST:
        return a
    if a.backend is not b.backend:
        raise TypeError(f"data of {a.backend} and of {b.backend} in one operation; move one, as in "
                        f"math.convert(t, backend.{a.backend.name.upper()})")
    raise TypeError(
        f"data on two devices of {a.backend}, {a.device or 'cpu'} and {b.device or 'cpu'}, in one operation; "
        "move one first"
    )


def moved(array: Any, home: Home) -> Any:
    """An array in another home."""
    at = home_of(array)
    if at is home or at == home:
        return array
    return home.backend.of_numpy(at.backend.to_numpy(array), home.device)
