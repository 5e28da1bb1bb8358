"""Types of the language as text, as infer gives them: uint8[480, 640, 3]@HWC, float32(b:b=2, x:s, vector:c=(u,v))."""
import re
from typing import NamedTuple, Optional

import numpy

from weft import _arrays

NAMED = re.compile(r"(\w*)\((.*)\)", re.DOTALL)
POSITIONAL = re.compile(r"(\w*)(?:\s*\[(.*)\])?\s*(?:@\s*(\w+))?", re.DOTALL)
PART = re.compile(r"(?:[^,()'\"]|\((?:[^()'\"]|'[^']*'|\"[^\"]*\")*\)|'[^']*'|\"[^\"]*\")+")
LABEL = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^,()'\"\s]+)")
KINDS = {"batch": "b", "instance": "i", "spatial": "s", "channel": "c"}


class Dim(NamedTuple):
    name: str
    kind: str
    labels: Optional[list]

    def text(self, size=None):
        if self.labels:
            quoted = [f'"{label}"' if "'" in label else f"'{label}'" for label in self.labels]
            return f"{self.name}:{self.kind}=({','.join(quoted)},)"
        return f"{self.name}:{self.kind}" + ("" if size is None else f"={size}")


class Type(NamedTuple):
    dtype: str
    dims: Optional[list]  # None: the dimensions have no names
    layout: Optional[str]
    shape: Optional[tuple]  # of integers and '?'

    def names(self):
        return tuple(dim.name for dim in self.dims) if self.dims is not None else None

    def text(self):
        """Without sizes."""
        if self.dims is not None:
            return f"{self.dtype}({', '.join(dim.text() for dim in self.dims)})"
        return f"{self.dtype}@{self.layout}" if self.layout else self.dtype

    def unlabelled(self):
        """text, for blocks, which have some of the elements along a dimension."""
        return self._replace(dims=[dim._replace(labels=None) for dim in self.dims]).text()

    def sized(self, shape):
        """With the sizes of an array; those that are NaN are not known."""
        sizes = ["?" if size != size else int(size) for size in shape]
        if self.dims is not None:
            return f"{self.dtype}({', '.join(dim.text(size) for dim, size in zip(self.dims, sizes))})"
        return f"{self.dtype}[{', '.join(map(str, sizes))}]" + (f"@{self.layout}" if self.layout else "")

    def numpy(self):
        return _arrays.bfloat16() if self.dtype == "bfloat16" else numpy.dtype(self.dtype)


def type_of_text(text):
    named = NAMED.fullmatch(text.strip())
    if named:
        parts = [part.strip() for part in PART.findall(named[2]) if part.strip()]
        dims = [dim_of_text(part) for part in parts]
        return Type(named[1], [dim for dim, _ in dims], None, tuple(size for _, size in dims))
    dtype, inside, layout = POSITIONAL.fullmatch(text.strip()).groups()
    sizes = [part.strip() for part in (inside or "").split(",") if part.strip()]
    return Type(dtype, None, layout, tuple(int(size) if size.isdigit() else "?" for size in sizes))


def dim_of_text(text):
    name, _, rest = text.partition(":") if ":" in text.partition("=")[0] else (text.partition("=")[0], "", "")
    kind, _, given = rest.partition("=")
    given = given or text.partition("=")[2]
    if text.startswith("("):
        name, kind, given = "vector", "c", text
    labels = [a or b or c for a, b, c in LABEL.findall(given)] if given.strip().startswith("(") else None
    size = len(labels) if labels else int(given) if given.strip().isdigit() else "?"
    kind = KINDS.get(kind.strip(), kind.strip()) or ("c" if labels else KINDS.get(name.strip(), "s"))
    return Dim(name.strip(), kind, labels), size
