from collections.abc import Mapping
from typing import Any, Literal

# The result is a dask.array.Array.
def evaluate(
    text: str,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    math: Literal["strict", "fast"] = "strict",
    rules: Literal["dali", "numpy"] | None = None,
    **named: Any,
) -> Any: ...
