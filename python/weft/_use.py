"""Which context is in use: that of the innermost `with weft.use(..)`, else the default one."""
import atexit
import contextlib
import contextvars
import os
import threading

current = contextvars.ContextVar("weft context", default=None)
default = None
lock = threading.Lock()


def default_context():
    """The context of calls that name no other. It is made by the first one.

    >>> import weft
    >>> weft.default_context() is weft.default_context()
    True
    """
    global default
    with lock:
        if default is None:
            from weft._weft import Context  # which imports this module
            default = Context()
        return default


def in_use():
    return current.get() or default or default_context()


def use(context):
    """Within it, calls of this thread (or task) that name no context use this one.

    >>> import numpy, weft
    >>> with weft.use(weft.Context(threads=1)):
    ...     int(weft.evaluate("x + 1", x=numpy.int32(2)))
    3
    """
    from weft._errors import Error, Status
    from weft._weft import Context
    if not isinstance(context, Context):
        message = f"use takes a weft.Context, as in weft.use(weft.Context()), and not {context!r:.60}"
        raise Error(message, "", Status.INVALID_ARGUMENT, message)
    return using(context)


@contextlib.contextmanager
def using(context):
    token = current.set(context)
    try:
        yield context
    finally:
        current.reset(token)


def after_fork():
    """A child may not use a context that another thread of its parent was inside of, so it makes its own."""
    global default, lock
    lock = threading.Lock()
    kept.append(default)
    default = None


def at_exit():
    """Ends a C compiler that is still at work, and gives back what a GPU has lent."""
    global default
    if default is not None:
        default.close()
        default = None


kept = []  # destroying what the parent uses could wait for threads that are not here
os.register_at_fork(after_in_child=after_fork)
atexit.register(at_exit)
