"""Keeps the arrows of docs/design.md true:

    layers.py ROOT [COMPILER_ARCHIVE]

Each folder includes only what may stand below it, the compiler's headers of the system are those
that touch nothing outside the process, and the compiler's archive refers to no function that opens,
loads, reads the environment, prints to a stream of the process, or ends it. Reports in TAP."""
import pathlib
import re
import subprocess
import sys

# Folder: the folders whose files it may include.
ARROWS = {
    "include": {"include"},
    "grammar": {"grammar", "compiler"},    # lexer.re is a source of the compiler
    "templates": {"templates"},
    "compiler/base": {"compiler/base"},
    "compiler": {"compiler", "compiler/base", "grammar", "templates", "include"},
    "runtime": {"runtime", "compiler", "compiler/base", "grammar", "templates", "include"},
    # The command knows the library by its public header alone.
    "cli/base": {"cli/base", "include"},
    "cli/files": {"cli/base", "cli/files", "include"},
    "cli/options": {"cli/base", "cli/files", "cli/options", "include"},
    "cli/values": {"cli/base", "cli/files", "cli/options", "cli/values", "include"},
    "cli/outputs": {"cli/base", "cli/files", "cli/options", "cli/values", "cli/outputs", "include"},
    "cli/commands": {"cli/base", "cli/files", "cli/options", "cli/values", "cli/outputs", "cli/commands", "include"},
    "cli": {"cli", "cli/base", "cli/options", "cli/outputs", "cli/commands", "include"},
}

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


def layer(path):
    """The entry of ARROWS a path of the repository belongs to, None outside them."""
    found = [folder for folder in ARROWS if path.startswith(folder + "/")]
    return max(found, key=len, default=None)


def resolve(root, file, name):
    """The repository's path of an include, None for one of the system."""
    for base in (root, root / "include", file.parent):
        if (base / name).is_file():
            return (base / name).resolve().relative_to(root).as_posix()
    return None


def wrong_includes(root, folder):
    for file in sorted((root / folder).rglob("*")):
        here = file.relative_to(root).as_posix()
        if file.suffix not in SOURCES or layer(here) != folder:
            continue
        for quote, name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            path = resolve(root, file, name)
            target = layer(path) if path else None
            if path and target not in ARROWS[folder]:
                yield f"{here} includes {name}"
            if path and path.endswith("_impl.h") and pathlib.PurePath(path).parent != pathlib.PurePath(here).parent:
                yield f"{here} includes {name}, which is private to its room"
            # A quoted name that is nowhere is generated: it belongs to the folder that includes it.
            if not path and quote == "<" and folder in ("compiler", "compiler/base") and name not in PURE:
                yield f"{here} includes <{name}>"


def wrong_symbols(archive):
    text = subprocess.run(["nm", "--undefined-only", archive], check=True, capture_output=True,
                          text=True).stdout
    names = {line.split()[-1].split("@")[0] for line in text.splitlines() if " U " in line}
    if not names:
        yield f"nm shows nothing in {archive}"
    yield from sorted(names & IMPURE)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    checks = [(f"includes of {folder}", list(wrong_includes(root, folder)))
              for folder in ARROWS if (root / folder).is_dir()]
    if len(sys.argv) > 2:
        checks.append(("symbols of the compiler", list(wrong_symbols(sys.argv[2]))))
    print(f"1..{len(checks)}")
    for number, (name, wrong) in enumerate(checks, 1):
        print("not ok" if wrong else "ok", number, name)
        for line in wrong:
            print(f"{name}: {line}", file=sys.stderr)
    return any(wrong for _, wrong in checks)


if __name__ == "__main__":
    sys.exit(main())
