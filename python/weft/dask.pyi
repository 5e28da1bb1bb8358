from collections.abc import Mapping
from typing import Any, Literal

# The result is a dask.array.Array.
def evaluate(
    text: str,
    inputs: Mapping[str, Any] | None = None,
    /,
    *,
    math: Literal["strict", "fast"] = "strict",
    **named: Any,
) -> Any: ...
