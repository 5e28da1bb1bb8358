"""The backends of weft.math: the libraries whose arrays tensors hold.

>>> backend.default_backend()
NumPy
"""
from weft.math._backends import CUPY, DASK, JAX, NUMPY, TORCH, Backend, default_backend, set_global_default_backend

__all__ = ["Backend", "CUPY", "DASK", "JAX", "NUMPY", "TORCH", "default_backend", "set_global_default_backend"]
