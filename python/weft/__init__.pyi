from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from enum import IntEnum
from typing import Any, Literal, NamedTuple

__version__: str

# An array of NumPy, PyTorch, JAX or CuPy, or what has DLPack, __array_struct__ or the buffer protocol; a batch is a
# list of them; a Python number takes part like a literal.
_Value = Any
_Rules = Literal["dali", "numpy"]
_Math = Literal["strict", "fast"]

class Status(IntEnum):
    INVALID_ARGUMENT = -1
    OUT_OF_MEMORY = -2
    SYNTAX_ERROR = -3
    NAME_ERROR = -4
    TYPE_ERROR = -5
    SHAPE_ERROR = -6
    INPUT_ERROR = -7
    OVERLAP_ERROR = -8
    LIMIT_ERROR = -9
    COMPILER_ERROR = -10
    UNSUPPORTED = -11
    INTERNAL_ERROR = -12
    CACHE_ERROR = -13
    DEVICE_ERROR = -14

class Error(ValueError):
    code: str
    status: Status
    message: str
    span: tuple[int, int] | None
    line: int
    column: int
    errors: tuple[Error, ...]

class Remark(RuntimeWarning): ...

class Results(tuple[Any, ...]):
    names: tuple[str, ...]
    def __getitem__(self, key: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...

class Context:
    def __new__(
        cls,
        *,
        cc: str | None = None,
        threads: int = 0,
        cache: str | None = None,
        target: Literal["auto", "c", "cuda"] = "auto",
        tier: Literal["exact", "fast", "none"] = "exact",
        rules: _Rules = "dali",
    ) -> Context: ...
    @property
    def closed(self) -> bool: ...
    def close(self) -> None: ...
    def status(self, stream: int = 0, /) -> None: ...

class Traced(NamedTuple):
    name: str
    text: str
    line: int
    column: int
    how: str
    type: str
    dtype: str
    shape: tuple[int, ...]
    smallest: float | None
    largest: float | None
    mean: float | None
    nan: int
    inf: int
    at: tuple[int, ...] | None
    element: float | None

class Trace(tuple[Traced, ...]):
    table: str
    def _repr_html_(self) -> str: ...

class Program:
    @property
    def text(self) -> str: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def results(self) -> tuple[str, ...]: ...
    @property
    def types(self) -> dict[str, str] | None: ...
    @property
    def context(self) -> Context: ...
    def __call__(self, *values: _Value, out: Any = None, stream: int | None = None, **named: _Value) -> Any: ...
    def infer(self, **types: _Value) -> dict[str, str]: ...
    def source(self, stage: str = "c", **types: _Value) -> str: ...
    def prepare(self, *values: _Value, **named: _Value) -> list[tuple[str, float, int]]: ...
    def trace(
        self, *values: _Value, at: int | Sequence[int] | None = None, sample: int = 0, **named: _Value
    ) -> Trace: ...
    def html(self, **types: _Value) -> str: ...
    def _repr_html_(self) -> str: ...

def compile(
    text: str,
    *,
    results: Sequence[str] | None = None,
    math: _Math = "strict",
    rules: _Rules | None = None,
    ignore_unused: bool = False,
    types: Mapping[str, str] | None = None,
    context: Context | None = None,
    kernel: str | None = None,
) -> Program: ...
def evaluate(
    text: str,
    inputs: Mapping[str, _Value] | None = None,
    /,
    *,
    out: Any = None,
    math: _Math = "strict",
    rules: _Rules | None = None,
    results: Sequence[str] | None = None,
    ignore_unused: bool = False,
    types: Mapping[str, str] | None = None,
    context: Context | None = None,
    stream: int | None = None,
    **named: _Value,
) -> Any: ...
def kernels(text: str, /) -> list[str]: ...
def default_context() -> Context: ...
def use(context: Context) -> AbstractContextManager[Context]: ...
