"""Every header compiles alone:

    headers.py ROOT CC [CXX]

public ones as C11 and as C++17 under strict warnings, internal ones as C11. Templates and .inc
files are no headers. Then what compilers must say of wrong uses. C++ is skipped where there is no such compiler.
Reports in TAP."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
INTERNAL = ("compiler", "runtime", "cli")
# Of the C compiler named by the first word, the C++ compiler of the same family.
SISTERS = {"gcc": "g++", "cc": "c++", "clang": "clang++"}

# Wrong uses: what of, the language, the text, what the compiler says.
C_CALL = '#include "weft/weft.h"\nint f(struct weft_context *c, struct weft_results *r, DLTensor *x);\n' \
         'int f(struct weft_context *c, struct weft_results *r, DLTensor *x)\n{ return weft_eval(%s); }\n'
CPP_CALL = '#include "weft/weft.hpp"\n#include <list>\nstd::vector<float> v;\nstd::vector<bool> bits;\nfloat *p;\n' \
           'struct odd {};\nstd::vector<odd> odds;\n' \
           'std::vector<std::vector<float>> batch;\nstd::vector<std::string> texts;\n' \
           'void f() { weft::evaluate<float>("x", %s); }\n'
WRONG = [
    ("weft_eval, no macro, without NULL at its end", "c",
     (C_CALL % 'c, "x", r, 0, "x", x').replace("weft_eval", "(weft_eval)"), "sentinel"),
    ("evaluate with a name alone", "c++", CPP_CALL % '"x"', "lacks its other half"),
    ("evaluate with a value for a name", "c++", CPP_CALL % '"x", v, v, v', "a value stands where a name belongs"),
    ("evaluate with a name for a value", "c++", CPP_CALL % '"x", "y", "y", v', "a text stands where a value belongs"),
    ("evaluate with std::vector<bool>", "c++", CPP_CALL % '"x", bits', "std::vector<bool>"),
    ("evaluate with a list", "c++", CPP_CALL % '"x", std::list<float>()', "Weft takes no such value"),
    ("evaluate with a pointer", "c++", CPP_CALL % '"x", p', "a pointer needs a shape"),
    ("evaluate with elements of a class", "c++", CPP_CALL % '"x", odds', "no such element type"),
    ("evaluate with a batch of batches", "c++", CPP_CALL % '"x", std::vector<std::vector<std::vector<float>>>()',
     "the samples of a batch are tensors"),
    ("evaluate with texts", "c++", CPP_CALL % '"x", texts', "no such element type"),
    ("evaluate with a type that is none", "c++", (CPP_CALL % '"x", v').replace("<float>(", "<odd>("), "element type"),
]
RIGHT = [("weft_eval", "c", C_CALL % 'c, "x", r, 0, "x", x, NULL'),
         ("weft_eval without NULL at its end", "c", C_CALL % 'c, "x", r, 0, "x", x'),
         ("weft_eval in C++", "c++", C_CALL % 'c, "x", r, nullptr, "x", x'),
         ("evaluate", "c++", CPP_CALL % '"x", v, std::string("y"), weft::view(p, {2, 3}), "z", batch')]


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
    for path in sorted((root / "include").rglob("*.hpp")):
        name = path.relative_to(root / "include").as_posix()
        for standard in ("c++17", "c++20"):
            yield f"{name} as {standard}", cxx and [cxx, "-xc++", f"-std={standard}"] + STRICT, name
    for folder in INTERNAL:
        for path in sorted((root / folder).rglob("*.h")):
            name = path.relative_to(root).as_posix()
            yield f"{name} as C11", [cc, "-xc", "-std=c11", "-Wall", "-Wextra", "-Werror",
                                     "-Wno-unused-function"], name


def precompile(root, cxx, scratch):
    """weft.hpp, where g++ looks for it before the header itself; other compilers do not, and read the header."""
    if not cxx or "clang" in pathlib.Path(cxx).name:
        return
    made = pathlib.Path(scratch, "weft", "weft.hpp.gch")
    made.parent.mkdir()
    subprocess.run([cxx, "-xc++-header", "-std=c++17", *STRICT, f"-I{root / 'include'}",
                    root / "include/weft/weft.hpp", "-o", made], capture_output=True)


def compile_uses(root, cc, cxx):
    """(what, whether it is as it should be, what the compiler says) of every use; None: there is no such compiler."""
    with tempfile.TemporaryDirectory() as scratch:
        precompile(root, cxx, scratch)
        yield from compile_each(root, cc, cxx, scratch)


def compile_each(root, cc, cxx, scratch):
    for what, language, text, *told in RIGHT + WRONG:
        command = [cc, "-xc", "-std=c11"] if language == "c" else cxx and [cxx, "-xc++", "-std=c++17"]
        if not command:
            yield what, None, ""
            continue
        done = subprocess.run(command + STRICT + ["-fsyntax-only", f"-I{scratch}", f"-I{root / 'include'}", "-"],
                              input=text, capture_output=True, text=True)
        good = done.returncode and told[0] in done.stderr if told else not done.returncode
        yield what + (" is refused" if told else " is taken"), good, done.stderr


def main():
    root, cc = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    cxx = shutil.which(sys.argv[3] if len(sys.argv) > 3 else SISTERS.get(pathlib.Path(cc).name, "c++"))
    all_jobs = list(jobs(root, cc, cxx))
    failed = False
    print(f"1..{len(all_jobs) + len(RIGHT) + len(WRONG)}")
    for number, (what, command, header) in enumerate(all_jobs, 1):
        if not command:
            print(f"ok {number} {what} # SKIP there is no C++ compiler")
            continue
        done = compile_alone(command, root, header)
        failed |= done.returncode != 0
        print("not ok" if done.returncode else "ok", number, what)
        for line in done.stderr.splitlines():
            print(line, file=sys.stderr)
    for number, (what, good, told) in enumerate(compile_uses(root, cc, cxx), len(all_jobs) + 1):
        failed |= good is not None and not good
        print("not ok" if good is not None and not good else "ok", number, what,
              "# SKIP there is no C++ compiler" if good is None else "")
        if good is not None and not good:
            print(told, file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
