"""Which part of its cases a test tries; what sample.h says, for tests in Python. A test in a folder beside this file
says `sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))` before `import sample`."""
import os
import sys

LAYERS = ["quick", "again", "usual", "full"]


def number(text):
    """Of `quick/again/usual/full` the number of this layer; a text of fewer numbers goes on with its last."""
    name = os.environ.get("WEFT_LAYER") or "full"
    if name not in LAYERS:
        sys.exit(f"WEFT_LAYER is '{name}', not among {', '.join(LAYERS)}")
    numbers = str(text).split("/")
    return int(numbers[min(LAYERS.index(name), len(numbers) - 1)])


def setting(name, otherwise):
    return number(os.environ.get(name) or otherwise)


def chosen(cases):
    """One case in WEFT_SHARE; prints how many that leaves out. WEFT_CASE=n: case n alone."""
    cases, share, only = list(cases), setting("WEFT_SHARE", 1), setting("WEFT_CASE", -1)
    some = cases[only:only + 1] if only >= 0 else cases[::share]
    if len(some) < len(cases):
        print(f"# {len(some)} of {len(cases)} cases; all of them with WEFT_LAYER=full")
    return some
