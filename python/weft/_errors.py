"""weft.Error and weft.Remark, and how the extension makes them."""
import contextlib
import enum
import sys
import threading
import types
import warnings


class Status(enum.IntEnum):
    """What kind of error it is; the values of enum weft_status in weft.h."""

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
    """What is wrong with a text, or with the arrays given for it.

    str(error) shows the place in the text:

    >>> import weft
    >>> try:
    ...     weft.evaluate("clmap(x, 0, 255)", x=3)
    ... except weft.Error as error:
    ...     print(error.code, error.status.name, error.span)
    ...     print(error)
    W0020 NAME_ERROR (0, 5)
    <expr>:1:1: error[W0020]: there is no function 'clmap'; did you mean 'clamp'?
    clmap(x, 0, 255)
    ^^^^^

    code: stable, such as "W0042". status: a weft.Status. message: without the place. span: the place in the text, a
    half-open range of bytes; None: there is none. line, column: of its start, from 1; 0: none. errors: all that were
    found, this one first.
    """

    def __init__(self, text, code="", status=Status.INTERNAL_ERROR, message="", span=None, line=0, column=0):
        super().__init__(text)
        self.code, self.status, self.message = code, status, message
        self.span, self.line, self.column = span, line, column
        self.errors = (self,)

    def __reduce__(self):
        fields = (self.code, self.status, self.message, self.span, self.line, self.column)
        return type(self), (str(self), *fields)


class Remark(RuntimeWarning):
    """What a program or the machine should be told of, though results are complete. Of a run: an integer was divided by
    zero, or a position lies outside (such elements are 0). Of a program, once: a name that the text binds is never
    used; int64 loses digits in float32 (W0310), or a literal does (W0311); a sum, difference or product of small
    integers may wrap before it is used as a number (W0312); min or max with a number that may be meant as
    an axis (W0315); a uint64 becomes int64 beside a literal (W0316). Of the machine: the C compiler failed, so that
    slower kernels stay in use. The message shows the place in the text and what to write instead;
    warnings.simplefilter("ignore", weft.Remark) silences all of them."""


def one(record):
    status, code, _, message, start, end, line, column, text = record
    span = None if start < 0 else (start, end)
    text = text.rstrip("\n")
    for number, words, advice in ADVICE:
        if code == number and words in message:
            text, message = text.replace(message, message + advice, 1), message + advice
    return Error(text, f"W{code:04}", Status(status), message, span, line, column)


def make(status, records):
    """The exception for what the library reported: a list of (status, code, severity, message, start, end, line,
    column, text), of which those of severity 0 are errors."""
    errors = tuple(one(record) for record in records if record[2] == 0)
    if not errors:
        return Error(f"the library failed with status {status}", "", Status(status))
    errors[0].errors = errors
    if len(errors) > 1:
        errors[0].args = ("\n".join(error.args[0] for error in errors),)
    return errors[0]


def tell(severity, text):
    """A warning becomes one of Python's, at the line that called the package. A note goes to the logger 'weft', if
    the program uses logging."""
    if severity == WARNING:
        if told.losses != "warned" and LOSSES in text:
            return
        if told.outside != "warned" and OUTSIDE in text:
            if told.outside == "quiet":
                return
            raise IndexError(text.rstrip("\n").replace(f"warning{OUTSIDE}", "error").replace(ZERO, ""))
        warnings.warn(shortened(text.rstrip("\n")), Remark, stacklevel=level_of_caller())
    elif "logging" in sys.modules:
        sys.modules["logging"].getLogger("weft").info("%s", text.rstrip("\n"))


def shortened(text):
    """NumPy's integers are int64, so W0310 comes often: after the first one of a process without the advice, which is
    always the same, and in Python's words."""
    if DIGITS not in text:
        return text.replace("take rules=numpy", 'take rules="numpy"', 1)
    if DIGITS in advised:
        return text.partition("; write ")[0]
    advised.add(DIGITS)
    return text.replace("take rules=numpy", 'take rules="numpy"', 1)


def missing(names, mapping, text):
    """A message for each name of an input that neither a call of evaluate, with a mapping or None, nor its caller's
    frame has; None for None."""
    frame = sys._getframe(1)  # the extension has no frame of its own
    return [name and f"input {name!r} is not given, and {nowhere(name, frame, mapping, text)}" for name in names]


def nowhere(name, frame, mapping, text):
    """Where a name was looked for, and what else it may be: one of another kind, or the nearest that is there."""
    import difflib
    from weft._weft import name_advice
    function = frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name
    plain = function.rpartition(".")[2]
    around = enclosing(name, function, frame)
    if around:
        return (f"it is a variable of {around}, around {plain}, which does not use it otherwise: write "
                f"evaluate(.., {name}={name})")
    there = [] if mapping is None else [each for each in getattr(mapping, "columns", mapping) if isinstance(each, str)]
    kind = "dict" if isinstance(mapping, dict) else type(mapping).__name__
    where = "there is no such " + ("" if mapping is None else f"name in the {kind}, and no ") + "variable"
    where += "" if function == "<module>" else f" in {plain} or its module"
    meant = name_advice(text, name) if isinstance(text, str) else None
    if meant:
        return f"{where}; {meant}"
    known = [each for each, value in {**frame.f_globals, **frame.f_locals}.items()
             if not each.startswith("_") and not callable(value) and not isinstance(value, types.ModuleType)]
    near = difflib.get_close_matches(name, there, 1, 0.6) or difflib.get_close_matches(name, known, 1, 0.6)
    return f"{where}; did you mean {near[0]!r}?" if near else where


def enclosing(name, function, frame):
    """The function around the frame's own that is still running and has the name, if there is one."""
    outer = function.rpartition(".<locals>.")[0]
    back = frame.f_back
    while outer and back:
        here = back.f_code.co_qualname if hasattr(back.f_code, "co_qualname") else back.f_code.co_name
        if here == outer and name in back.f_locals:
            return here.rpartition(".")[2]
        back = back.f_back
    return None


def level_of_caller():
    """That of the first frame outside the package, for warnings.warn."""
    level, frame = 2, sys._getframe(1).f_back
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] == "weft":
        level, frame = level + 1, frame.f_back
    return level


class Told(threading.local):
    outside = "warned"
    losses = "warned"


@contextlib.contextmanager
def outside_is(what):
    """Within it, a position outside that a run of this thread reads is 'raised', an IndexError, or passed over in
    'quiet', in place of a warning."""
    before, told.outside = told.outside, what
    try:
        yield
    finally:
        told.outside = before


@contextlib.contextmanager
def losses_are(what):
    """Within it, what a program's text says of losses (W0310 to W0319) is passed over in 'quiet' on this thread, where
    it was told before of the same text."""
    before, told.losses = told.losses, what
    try:
        yield
    finally:
        told.losses = before


WARNING = 1  # of enum weft_severity
# What Python's side adds to messages of the library with these words.
ADVICE = ((72, "; it", "; evaluate and compile pass over such names with ignore_unused=True"),
          (81, ", name one", "; as in weft.compile(text, kernel='..')"))
OUTSIDE = "[W0088]"
DIGITS = "[W0310]"
LOSSES = "warning[W031"
ZERO = "; such elements are 0, or dropped by scatter"
told = Told()
advised = set()  # of the remarks whose advice is always the same, those that were told
