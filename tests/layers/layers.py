"""Keeps the picture in docs/design.md true:

    layers.py ROOT [TOP ARCHIVE]...       checks
    layers.py --draw ROOT                 prints the way from a text to a launch, and the rooms, each with those it uses

A folder at the top holds rooms in an order. A room includes and calls only rooms before it, and of another room it
includes the one public header, ROOM/ROOM.h. Files that stand beside the rooms use all of them. ARCHIVE holds the
objects of TOP: its calls are read from it by `nm`. Files of a room do not call each other in a circle, but in the rooms
of RECURSIVE. The compiler's headers of the system are those that touch nothing
outside the process, and its archive refers to no function that opens, loads, reads the environment, prints to a
stream of the process, or ends it. Lines of what people write end at 120 columns. Reports in TAP."""
import functools
import pathlib
import re
import subprocess
import sys

# The folders at the top, each before those that use it, and their rooms in order.
ROOMS = {
    "include": [],
    "templates": [],
    "grammar": [],
    "compiler": ["base", "lang", "parse", "check", "ir", "loop", "emit", "dump", "pipeline", "aot"],
    "runtime": ["base", "tensor", "cache", "gpu", "cc", "kernels", "plan", "run", "api"],
    "cli": ["base", "files", "options", "values", "outputs", "commands"],
    "python": [],
}

# What a folder may include of the others.
USES = {
    "include": set(),
    "templates": set(),
    "grammar": {"compiler"},               # lexer.re is a source of the compiler
    "compiler": {"grammar", "templates", "include"},
    "runtime": {"compiler", "grammar", "templates", "include"},
    "cli": {"include"},                    # it knows the library by its public header
    "python": {"include"},                 # the same
}

# Rooms whose files call each other in circles, and why.
RECURSIVE = {
    ("compiler", "parse"): "an expression holds expressions",
    ("compiler", "check"): "a size is made of extents, and an extent of sizes",
    ("compiler", "ir"): "lowering goes down a tree, by way of views, joins and positions",
    ("compiler", "emit"): "loads and calls are emitted from within bodies, which print them",
    ("runtime", "kernels"): "a worker improves the kernels that start it",
}

# Generated sources, by the names of their objects.
GENERATED = {"lexer": ("compiler", "lang"), "templates": ("compiler", "emit")}

# What the compiler may take from the system: memory, text and arithmetic. stdio.h is for snprintf,
# locale.h for reading numbers in the C locale whatever the process has set.
PURE = set("""assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h xlocale.h math.h setjmp.h stdarg.h stdbool.h
    stddef.h stdint.h stdio.h stdlib.h string.h tgmath.h stdalign.h stdnoreturn.h dlpack/dlpack.h
    """.split())

# What the compiler's archive must not refer to.
IMPURE = set("""dlopen dlsym dlclose getenv secure_getenv setenv fopen fopen64 fdopen freopen open open64
    openat creat socket exit _exit _Exit quick_exit abort printf vprintf puts putchar fprintf vfprintf
    fputs fputc fwrite perror __printf_chk __vprintf_chk __fprintf_chk __vfprintf_chk stdout stderr
    stdin system popen fork execve posix_spawn posix_spawnp setlocale time clock gettimeofday
    clock_gettime rand srand pthread_create signal sigaction""".split())

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SOURCES = {".c", ".h", ".inc", ".def", ".re"}


# ---- rooms ----

def room_of(path):
    """Of a path in the repository: (top, room), room None beside the rooms; None outside all folders."""
    top, _, rest = path.partition("/")
    if top not in ROOMS:
        return None
    room = rest.split("/")[0]
    return top, room if room in ROOMS[top] else None


def header(top, room):
    """The public header of a room."""
    return f"{top}/{room}/{room}.h"


def place(room):
    """A number that is larger for a room that stands after another."""
    top, name = room
    rooms = ROOMS[top]
    return list(ROOMS).index(top), rooms.index(name) if name else len(rooms)


def title(room):
    return "/".join(filter(None, room))


def all_rooms():
    return [(top, room) for top, rooms in ROOMS.items() for room in rooms + [None]]


# ---- includes ----

def resolve(root, file, name):
    """The repository's path of an include, None for one of the system."""
    for base in (root, root / "include", file.parent):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(root).as_posix()
    return None


def all_includes(root):
    """(path, quote, name, path of the header or None) of every include."""
    for top in ROOMS:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in SOURCES:
                path = file.relative_to(root).as_posix()
                for quote, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
                    yield path, quote, name, resolve(root, file, name)


def wrong_include(path, quote, name, target):
    """What is wrong with it, or None."""
    here = room_of(path)
    if not target:
        # A quoted name that is nowhere is generated: it belongs to the folder that includes it.
        return "which is not pure" if quote == "<" and here[0] == "compiler" and name not in PURE else None
    there = room_of(target)
    if here == there:
        return None
    if not there or (here[0] != there[0] and there[0] not in USES[here[0]]):
        return f"but {here[0]} uses nothing of that folder"
    if here[0] == there[0] and place(there) > place(here):
        return f"but {title(there)} stands after {title(here)}"
    if there[1] and target != header(*there):
        return f"which is not the public header of {title(there)}"
    return None


def find_circles(edges):
    """Lists of what leads back to itself, the first once more at the end; edges: what each leads to."""
    done, found = set(), []

    def visit(here, trail):
        if here in trail:
            found.append(trail[trail.index(here):] + [here])
        elif here and here not in done:
            for target in edges.get(here, []):
                visit(target, trail + [here])
            done.add(here)
    for here in list(edges):
        visit(here, [])
    return found


def circles(includes):
    """Headers that include themselves by way of others."""
    edges = {}
    for path, _, _, target in includes:
        edges.setdefault(path, []).append(target)
    return [" -> ".join(found) for found in find_circles(edges)]


def wrong_folders(root):
    """Folders that the table does not know, and rooms that lack a folder or a public header."""
    for top, rooms in ROOMS.items():
        folders = {file.parent.name for file in (root / top).glob("*/*") if file.suffix in SOURCES}
        for room in rooms:
            # The last room of the runtime has its public header in include/weft.
            if not (root / header(top, room)).is_file() and (top, room) != ("runtime", "api"):
                yield f"{header(top, room)} is missing"
        for folder in sorted(folders - set(rooms)) if rooms else ():
            yield f"{top}/{folder} is no room of the table"


# ---- calls ----

def list_symbols(archive):
    return subprocess.run(["nm", "--print-file-name", archive], check=True, capture_output=True, text=True).stdout


@functools.lru_cache(maxsize=None)
def room_of_object(root, top, name):
    """Meson calls an object after its source's path: base_arena.c, meson-generated_.._lexer.c (the .o is cut off)."""
    stem = name.removesuffix(".c")
    if stem.startswith("meson-generated"):
        return GENERATED.get(stem.rpartition(".._")[2])
    for room in ROOMS[top]:
        if stem.startswith(room + "_") and (root / top / room / f"{stem[len(room) + 1:]}.c").is_file():
            return top, room
    return (top, None) if (root / top / f"{stem}.c").is_file() else None


def read_symbols(root, top, listing):
    """What nm prints: (room, object, symbol, whether it is defined there); the room of an unknown object is None."""
    for line in listing.splitlines():
        name, _, rest = line.rpartition(".o:")
        words = rest.split()
        if len(words) < 2:
            continue
        name = re.split("[/:]", name)[-1]
        kind, symbol = words[-2], words[-1].split("@")[0]
        if kind == "U" or kind in "TDBRGSCVW":
            yield room_of_object(root, top, name), name, symbol, kind != "U"


def all_calls(symbols):
    """(room, object, symbol, the room that defines it), and the objects that belong to no room. Hidden names of the
    runtime and the command may be the same: that of the own folder is meant."""
    symbols = list(symbols)
    homes = {}
    for room, _, symbol, defined in symbols:
        if defined and room:
            homes.setdefault(symbol, []).append(room)
    unknown = {name for room, name, _, _ in symbols if not room}
    calls = [(room, name, symbol, max(homes[symbol], key=lambda home: home[0] == room[0]))
             for room, name, symbol, defined in symbols if not defined and room and symbol in homes]
    return calls, sorted(unknown)


def wrong_calls(symbols):
    calls, unknown = all_calls(symbols)
    if not calls:
        yield "nm shows no calls"
    for name in unknown:
        yield f"{name} belongs to no room"
    for here, name, symbol, there in calls:
        if place(there) > place(here):
            yield f"{title(here)} ({name}) uses {symbol}, but {title(there)} stands after it"


def wrong_circles(symbols):
    """Files of a room that call each other in a circle."""
    symbols = list(symbols)
    homes = {(room, symbol): name for room, name, symbol, defined in symbols if defined}
    edges = {}
    for room, name, symbol, defined in symbols:
        target = homes.get((room, symbol))
        if not defined and target not in (None, name) and room not in RECURSIVE:
            edges.setdefault((room, name), {})[room, target] = symbol
    for found in find_circles(edges):
        room = found[0][0]
        files = [name.removeprefix(f"{room[1]}_") for _, name in found] if room else [str(found)]
        yield f"{title(room)}: " + " -> ".join(files)


def wrong_symbols(listing):
    names = {line.split()[-1].split("@")[0] for line in listing.splitlines() if " U " in line}
    if not names:
        yield "nm shows nothing"
    yield from sorted(names & IMPURE)


# ---- the picture ----

def picture():
    """One line for each folder that has rooms, as docs/design.md has them."""
    return [f"{top:9} {' ◄ '.join(rooms)}" for top, rooms in ROOMS.items() if rooms]


def wrong_picture(text):
    for line in picture():
        if line not in text.splitlines():
            yield f"docs/design.md lacks the line: {line}"


PASS = re.compile(r'^ +PASS\((\w+), (\w+), "(.*)"\)', re.MULTILINE)


def draw_passes(root):
    """The passes in order, as compiler/pipeline/pipeline.h lists them, and what a run does behind them."""
    for name, _, makes in PASS.findall((root / "compiler/pipeline/pipeline.h").read_text(encoding="utf-8")):
        print(f"{name:12} {makes}")
    print("             schedule ──► runtime/plan (memory, loading) ──► runtime/run (launches)\n")


def draw(root):
    draw_passes(root)
    used = {room: set() for room in all_rooms()}
    for path, _, _, target in all_includes(root):
        if target and room_of(target) and room_of(target) != room_of(path):
            used[room_of(path)].add(room_of(target))
    print("\n".join(picture()))
    for room in all_rooms():
        if used[room]:
            print(f"\n{title(room)}\n    ──► " + " ".join(title(other) for other in sorted(used[room], key=place)))


# ---- lines ----

WRITTEN = {".c", ".h", ".cu", ".inc", ".def", ".re", ".py", ".pyi", ".sh", ".build", ".md"}
MADE = {"build", "golden", "generated", "corpus", "results"} # folders of files that programs write
LONG = 120


def may_be_long(path, line, fenced):
    """A line of a page that shows what programs print, a row of a table, a message, an address."""
    page = path.suffix == ".md" and (fenced or line.startswith(("|", "<!--")))
    return page or "://" in line or (path.suffix == ".def" and line.rstrip().endswith('")'))


def wrong_lines(root):
    for top in [".", *ROOMS, "docs", "tests", "bench", "scripts", "examples"]:
        for path in sorted((root / top).glob("*" if top == "." else "**/*")):
            if path.suffix not in WRITTEN and path.parent.name != "scripts" or not path.is_file():
                continue
            if MADE & set(path.relative_to(root).parts):
                continue
            fenced = False
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                fenced ^= path.suffix == ".md" and line.lstrip().startswith("```")
                if len(line) > LONG and not may_be_long(path, line, fenced):
                    yield f"{path.relative_to(root)}:{number} has {len(line)} columns, at most {LONG} are readable"


# ---- names in kernels ----

# Of a macro, also one that is undefined before, or of a function.
KERNEL_NAME = re.compile(r"^#define (\w+)|^(?:SEPARATE |static |inline |FN |LOCAL )+[\w *]*?\b(?:OWN\()?(\w+)\)?\(",
                         re.MULTILINE)
TOKENS = {"N", "__attribute__"}      # of templates, and of C


def names_twice(root):
    """Parts of these files meet in the text of one kernel, whichever needs them."""
    found = {}
    for path in sorted((root / "templates/kernel").glob("*_c.h")):
        for one in KERNEL_NAME.finditer(path.read_text(encoding="utf-8")):
            name = one[1] or one[2]
            first = found.setdefault(name, path.name)
            if first != path.name and name not in TOKENS:
                yield f"{name} is in {first} and in {path.name}"


# ---- all ----

def checks(root, listings):
    """(name, what is wrong) of every check; listings: by folder, what nm prints."""
    includes = list(all_includes(root))
    wrong = {room: [] for room in all_rooms()}
    for path, quote, name, target in includes:
        problem = wrong_include(path, quote, name, target)
        if problem:
            wrong[room_of(path)].append(f"{path} includes {name}, {problem}")
    used = {room_of(path) for path, _, _, _ in includes}
    yield "rooms and their headers", list(wrong_folders(root))
    for room in all_rooms():
        if room in used:
            yield f"includes of {title(room)}", wrong[room]
    yield "circles of includes", circles(includes)
    yield "the picture in docs/design.md", list(wrong_picture((root / "docs/design.md").read_text(encoding="utf-8")))
    yield "the ends of lines", list(wrong_lines(root))
    yield "names in kernels", list(names_twice(root))
    if listings:
        symbols = [symbol for top, listing in listings.items() for symbol in read_symbols(root, top, listing)]
        yield "calls", list(wrong_calls(symbols))
        yield "circles of calls inside rooms", list(wrong_circles(symbols))
    if "compiler" in listings:
        yield "symbols of the compiler", list(wrong_symbols(listings["compiler"]))


def main(arguments):
    if arguments[0] == "--draw":
        return draw(pathlib.Path(arguments[1]).resolve())
    root, pairs = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    listings = {top: list_symbols(archive) for top, archive in zip(pairs[::2], pairs[1::2])}
    results = list(checks(root, listings))
    print(f"1..{len(results)}")
    for number, (name, wrong) in enumerate(results, 1):
        print("not ok" if wrong else "ok", number, name)
        for line in wrong:
            print(f"{name}: {line}", file=sys.stderr)
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
