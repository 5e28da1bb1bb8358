"""weft.Program: what can be asked of a compiled text, besides calling it."""
import re
from html import escape

from weft import _weft
from weft._errors import Error, Status
from weft._trace import make as make_trace
from weft._use import default_context
from weft._weft import Context


Program = _weft.Program


def method(function):
    """The extension has the class; these are those of its methods that need not be fast."""
    setattr(Program, function.__name__, function)
    return function


@method
def infer(self, **types):
    """The types of the results for types of the inputs, by name. A type is text of the language, an array, whose dtype
    and shape are meant, or a number.

    >>> import weft
    >>> weft.compile("a * x + b").infer(a=2.0, x="float32[n, 3]", b="uint8[3]")
    {'out': 'float32[n, 3]'}

    Raises weft.Error for types that do not fit.
    """
    return dict(zip(self.results, _weft.describe(self, types_of(self, types), None)))


@method
def source(self, stage="c", **types):
    """The text of a stage: tokens, ast, types, schedule, groups, ir, c, asm, cuda, ptx, sass or html, for types as
    infer takes them. asm needs a C compiler, ptx and sass need NVRTC. c and cuda are what is the program's own of a
    kernel, "c-full" and "cuda-full" all of it, "c-compiled" and "cuda-compiled" what compilers get, where names are
    numbers.

    >>> import weft
    >>> print(weft.compile("x + 1").source("ir", x="int32[8]"))
    kernel for out: one loop over 8 elements, in blocks of 64
      %0 = load int32 x
      %1 = literal int32 1
      %2 = add int32 %0 %1
      store int32 out %2
    <BLANKLINE>
    """
    return _weft.describe(self, types_of(self, types), stage)


@method
def prepare(self, *values, **named):
    """Makes the kernels for a call with these values, so that no call waits for a compiler. Returns a list with, for
    each kernel, where it came from ('memory', 'disk', 'compiler' or 'libtcc'), how many seconds that took, and how many
    threads a run uses for it.

    >>> import numpy, weft
    >>> [(origin, seconds, threads)] = weft.compile("x + 1").prepare(numpy.float32([1, 2]))
    >>> threads
    1
    """
    return self._prepare(*values, **named)


@method
def trace(self, *values, at=None, sample=0, **named):
    """Every value of the program on the way to its results, for these inputs, given as in a call: a weft.Trace, which
    prints as a table.

    at: a position in the results, an int for each dimension, negative ones from the end; the trace then tells from
    which element of each value the result there is computed, through broadcasting and selections. sample: of batches
    the one that is looked at. Inputs named at or sample: trace({"at": x}, at=..). Arrays lie in host memory.

    >>> import numpy, weft
    >>> img = numpy.uint8([1, 20, 200])
    >>> trace = weft.compile("img * 2 - img * img").trace(img, at=1)
    >>> for value in trace:
    ...     print(value.text, value.dtype, value.largest, value.element, sep="  ")
    img  uint8  200  20
    img * 2  int32  400  40
    img * img  uint8  144  144
    img * 2 - img * img  int32  336  -104

    Raises weft.Error where `at` or `sample` lies outside, and what a call raises.
    """
    return make_trace(self._trace(at, sample, *values, **named))


@method
def html(self, **types):
    """A page that shows the program, its types, groups, schedule, instructions, C, CUDA and, where there is a C
    compiler, assembly side by side; a piece that is pointed at lights up in all of them. It is one text, which needs
    nothing else. Types are as infer takes them; without any, those of the last call. Before the first call it is only
    the text.

    >>> import weft
    >>> page = weft.compile("a < b").html(a="int8[3]", b="int8[3]")
    >>> page[:15], "<h2>CUDA</h2>" in page
    ('<!DOCTYPE html>', True)
    """
    types = types or self._types or {}
    if types or not self.inputs:
        return self.source("html", **types)
    return f"<div><pre>{escape(self.text)}</pre><p>{escape(signature(self))}</p></div>"


@method
def _repr_html_(self):
    """For notebooks: the page for the types of the last call, in a frame of its own."""
    page = self.html()
    if not page.startswith("<!DOCTYPE"):
        return page
    return f'<iframe srcdoc="{escape(page)}" style="width: 100%; height: 40em; border: 0" title="weft"></iframe>'


@method
def __reduce__(self):
    """A Program pickles as what it was made of: it is compiled where it is unpickled, in the default context there, or
    in one with the same options."""
    options = {"results": self._wanted, "math": self._math, "rules": ("dali", "numpy")[self._rules],
               "ignore_unused": self._ignore_unused, "types": self.types, "kernel": self._kernel}
    default = self.context is default_context()
    return _compiled, (self.text, options, None if default else self.context)


def _compiled(text, options, context):
    return Program(text, context=context, **options)


def _context(options):
    return Context(**options)


Context.__reduce__ = lambda self: (_context, (self._options,))


@method
def __repr__(self):
    return f"<weft.Program {self.text!r}: {signature(self)}>"


def signature(program):
    return f"({', '.join(program.inputs)}) -> ({', '.join(program.results)})"


def types_of(program, types):
    given = program.types or {}
    return {name: beside(value, given.get(name, "")) for name, value in types.items()}


def beside(value, given):
    """What infer takes beside the type that a program has: a dtype alone has its dimensions."""
    if not isinstance(value, (str, bool, int, float)) or hasattr(value, "dtype"):
        return type_of(value, given)
    return value + given[given.index("("):] if isinstance(value, str) and "(" in given and value.isalnum() else value


def type_of(array, given):
    if not hasattr(array, "dtype") or isinstance(array, type) or not hasattr(array, "shape"):
        message = (f"{array!r:.60} is no type; it is text, as 'float32[480, 640]' or 'float32[]' for a single number, "
                   "or an array or number whose type is meant")
        raise Error(message, "", Status.INVALID_ARGUMENT, message)
    name = str(getattr(array.dtype, "name", array.dtype)).rpartition(".")[2]  # PyTorch's are torch.float32
    if "(" not in given:
        return f"{name}[{', '.join(map(str, array.shape))}]"
    dims = re.findall(r"(?:[^,()'\"]|\([^()]*\)|'[^']*'|\"[^\"]*\")+", given[given.index("(") + 1:-1])
    sized = [dim.strip() if "(" in dim or "=" in dim else f"{dim.strip()}={extent}"
             for dim, extent in zip(dims, array.shape)]
    return f"{name}({', '.join(sized)})"


def compile(text, *, results=None, math="strict", rules=None, ignore_unused=False, types=None, context=None,
            kernel=None):
    """Compiles a text of the Weft language to a weft.Program, a function of its inputs.

    results: names bound in the text that are results, too. math: 'strict', or 'fast', which may reorder and
    approximate. rules: 'dali', or 'numpy', with which values have NumPy's dtypes; None: the context's. ignore_unused:
    whether a call may give names that the text does not use. types: types of inputs in the language, by name, as {"u":
    "(y, x)"}, which names dimensions (docs/named.md); a call's arrays bring the dtype. context: a weft.Context; None:
    the one in use. kernel: which one, of a text that holds several.

    Raises weft.Error for what is wrong with the text; what depends on dtypes and shapes is found by calls.

    >>> import numpy, weft
    >>> f = weft.compile("sqrt(x * x + y * y)")
    >>> f(x=numpy.float32([3, 6]), y=numpy.float32([4, 8]))
    array([ 5., 10.], dtype=float32)
    """
    return Program(text, results=results, math=math, rules=rules, ignore_unused=ignore_unused, types=types,
                   context=context, kernel=kernel)

