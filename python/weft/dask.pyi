from collections.abc import Mapping
from typing import Any, Literal

# An array of dask, or a weft.Results of them; with named arrays, DataArrays of xarray or tensors of weft.math.
def evaluate(
    text: str,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    math: Literal["strict", "fast"] = "strict",
    rules: Literal["dali", "numpy"] | None = None,
    types: Mapping[str, str] | None = None,
    **named: Any,
) -> Any: ...
