"""What peers call the rows of grammar/ops.def: by one of the row's names, by a sign's name, or by the tables here. Each
peer makes of a case a function of no arguments, which writes to a given place if the peer can, and what fetches its
result; None where it has no such operation."""
import importlib
import os

import numpy as np

from operands import dtype_of

SIGNS = {"+": "add", "-": "subtract", "*": "multiply", "/": "true_divide", "//": "floor_divide", "%": "remainder",
         "**": "power", "==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater",
         ">=": "greater_equal", "|": "bitwise_or", "^": "bitwise_xor", "&": "bitwise_and", "<<": "left_shift",
         ">>": "right_shift", "~": "bitwise_not", "or": "logical_or", "and": "logical_and", "not": "logical_not",
         "min": "minimum", "max": "maximum", "clamp": "clip", "fpow": "power", "round": "rint"}
UNARY = {"-": "negative", "+": "positive"}


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


os.environ.setdefault("JAX_PLATFORMS", "cpu")
torch, jax = optional("torch"), optional("jax")
if jax:
    import jax.scipy.special
    jax.config.update("jax_enable_x64", True)
if torch:
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
JAX = {"erf": lambda: jax.scipy.special.erf, "erfc": lambda: jax.scipy.special.erfc, "rsqrt": lambda: jax.lax.rsqrt,
       "clamp": lambda: lambda x, lo, hi: jax.numpy.minimum(jax.numpy.maximum(x, lo), hi),
       "truncdiv": lambda: lambda x, y: jax.lax.div(x, y) if x.dtype.kind in "iu" else jax.numpy.trunc(x / y),
       "lerp": lambda: lambda x, y, t: x + t * (y - x)}
TORCH = {"**": "pow", "fpow": "pow", "round": "round", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt",
         ">=": "ge", "<<": "bitwise_left_shift", ">>": "bitwise_right_shift"}


def named(module, row):
    """A module's function for a row; of a sign before one operand its own."""
    names, unary = row["names"], len(row.get("parameters", ())) == 1
    candidates = [UNARY[names[0]]] if unary and names[0] in UNARY else []
    candidates += [SIGNS[names[0]]] if names[0] in SIGNS else []
    for name in candidates + names:
        if hasattr(module, name):
            return getattr(module, name)
    return None


def of_numpy(row, values, target, out):
    if "bfloat16" in (target, *[x.dtype.name for x in values]):
        return None
    if row["names"][0] == "cast":
        return lambda: np.copyto(out, values[0], casting="unsafe"), lambda _: out
    if row["names"][0] == "where":
        return lambda: np.where(*values), lambda got: got
    function = named(np, row)
    if function is None:
        return None
    kinds = {x.dtype for x in values}
    how = {"dtype": out.dtype, "casting": "unsafe"} if out.dtype != bool and kinds != {out.dtype} else {}
    return lambda: function(*values, out=out, **how), lambda _: out


def torch_tensor(x):
    return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16) if x.dtype.name == "bfloat16" else \
        torch.from_numpy(x)


def of_torch(row, values, target, place):
    if not torch:
        return None
    held = [torch_tensor(x) for x in values]
    try:
        out = torch_tensor(place)
    except TypeError:  # some unsigned types it does not take from NumPy
        out = torch.empty(held[0].shape, dtype=getattr(torch, target))

    def fetch(_):
        return out.view(torch.int16).numpy().view(dtype_of(target)) if target == "bfloat16" else out.numpy()
    if row["names"][0] == "cast":
        return lambda: out.copy_(held[0]), fetch
    name = row["names"][0]
    function = getattr(torch, TORCH[name]) if name in TORCH else named(torch, row)
    if function is None:
        return None
    if name == "lerp":
        function = torch.lerp
    return lambda: function(*held, out=out), fetch


def of_jax(row, values, target, _):
    if not jax:
        return None
    held, kind, name = [jax.numpy.asarray(x) for x in values], dtype_of(target), row["names"][0]
    if name == "cast":
        function = jax.jit(lambda x: x.astype(kind))
    else:
        plain = JAX[name]() if name in JAX else named(jax.numpy, row)
        if plain is None:
            return None
        mixed = kind != bool and len({x.dtype for x in values}) > 1 and name != "where"
        function = jax.jit((lambda *x: plain(*[a.astype(kind) for a in x])) if mixed else
                           lambda *x: plain(*x).astype(kind))
    return lambda: function(*held).block_until_ready(), np.asarray


PEERS = {"NumPy": of_numpy, "PyTorch": of_torch, "JAX": of_jax}
