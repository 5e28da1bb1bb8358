from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy

_Casting = Literal["no", "equiv", "safe", "same_kind", "unsafe"]
_Order = Literal["K", "C", "F", "A"]
_Optimization = Literal["none", "moderate", "aggressive"]

MAX_THREADS: int
ncores: int
use_vml: bool

class NumExpr:
    input_names: tuple[str, ...]
    signature: bytes
    def __init__(
        self,
        ex: str,
        signature: Iterable[tuple[str, type]] = (),
        sanitize: bool = True,
        *,
        optimization: _Optimization = "aggressive",
        truediv: bool | Literal["auto"] = "auto",
    ) -> None: ...
    def __call__(
        self,
        *arrays: Any,
        out: numpy.ndarray[Any, Any] | None = None,
        order: _Order = "K",
        casting: _Casting = "safe",
        ex_uses_vml: bool = False,
    ) -> numpy.ndarray[Any, Any]: ...
    def run(
        self,
        *arrays: Any,
        out: numpy.ndarray[Any, Any] | None = None,
        order: _Order = "K",
        casting: _Casting = "safe",
        ex_uses_vml: bool = False,
    ) -> numpy.ndarray[Any, Any]: ...

def evaluate(
    ex: str,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    out: numpy.ndarray[Any, Any] | None = None,
    order: _Order = "K",
    casting: _Casting = "same_kind",
    sanitize: bool | None = None,
    _frame_depth: int = 3,
    disable_cache: bool = False,
    *,
    optimization: _Optimization = "aggressive",
    truediv: bool | Literal["auto"] = "auto",
) -> numpy.ndarray[Any, Any]: ...
def validate(
    ex: str,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    out: numpy.ndarray[Any, Any] | None = None,
    order: _Order = "K",
    casting: _Casting = "safe",
    _frame_depth: int = 2,
    sanitize: bool | None = None,
    *,
    optimization: _Optimization = "aggressive",
    truediv: bool | Literal["auto"] = "auto",
) -> Exception | None: ...
def re_evaluate(
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    _frame_depth: int = 2,
) -> numpy.ndarray[Any, Any]: ...
def disassemble(nex: NumExpr) -> list[str]: ...
def set_num_threads(nthreads: int) -> int: ...
def get_num_threads() -> int: ...
def detect_number_of_cores() -> int: ...
def get_vml_version() -> str | None: ...
