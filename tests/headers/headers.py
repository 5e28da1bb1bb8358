"""Every header compiles alone:

    headers.py ROOT CC [CXX]

public ones as C11 and as C++17 under strict warnings, internal ones as C11. Templates and .inc
files are no headers. C++ is skipped where there is no such compiler. Reports in TAP."""
import pathlib
import shutil
import subprocess
import sys

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
INTERNAL = ("compiler", "runtime", "cli")
# Of the C compiler named by the first word, the C++ compiler of the same family.
SISTERS = {"gcc": "g++", "cc": "c++", "clang": "clang++"}


def compile_alone(command, root, header):
    text = f'#include "{header}"\n#include "{header}"\nint unused;\n'
    flags = ["-fsyntax-only", f"-I{root}", f"-I{root / 'include'}", "-D_POSIX_C_SOURCE=200809L"]
    return subprocess.run(command + flags + ["-"], input=text, capture_output=True, text=True, cwd=root)


def jobs(root, cc, cxx):
    """(what, command, header) of every check."""
    for path in sorted((root / "include").rglob("*.h")):
        name = path.relative_to(root / "include").as_posix()
        yield f"{name} as C11", [cc, "-xc", "-std=c11"] + STRICT, name
        yield f"{name} as C++17", cxx and [cxx, "-xc++", "-std=c++17"] + STRICT, name
    for folder in INTERNAL:
        for path in sorted((root / folder).rglob("*.h")):
            name = path.relative_to(root).as_posix()
            yield f"{name} as C11", [cc, "-xc", "-std=c11", "-Wall", "-Wextra", "-Werror",
                                     "-Wno-unused-function"], name


def main():
    root, cc = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    cxx = shutil.which(sys.argv[3] if len(sys.argv) > 3 else SISTERS.get(pathlib.Path(cc).name, "c++"))
    all_jobs = list(jobs(root, cc, cxx))
    failed = False
    print(f"1..{len(all_jobs)}")
    for number, (what, command, header) in enumerate(all_jobs, 1):
        if not command:
            print(f"ok {number} {what} # SKIP there is no C++ compiler")
            continue
        done = compile_alone(command, root, header)
        failed |= done.returncode != 0
        print("not ok" if done.returncode else "ok", number, what)
        for line in done.stderr.splitlines():
            print(line, file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
