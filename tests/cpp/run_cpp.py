"""weft.hpp as a program uses it:

    run_cpp.py ROOT BUILD CC

compiles test_cpp.cpp as C++17, and as C++23 or C++20 where the compiler knows them, which adds what those have of span
and mdspan, and runs it. The C++ compiler is that of CC's family; skipped where there is none. Reports in TAP."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SISTERS = {"gcc": "g++", "cc": "c++", "clang": "clang++"}
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Werror", "-pedantic"]


def main():
    root, build, cc = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    cxx = shutil.which(SISTERS.get(pathlib.Path(cc).name, "c++"))
    failed = False
    print("1..2")
    for number, standards in enumerate([["c++17"], ["c++23", "c++2b", "c++20"]], 1):
        with tempfile.TemporaryDirectory() as scratch:
            known = [name for name in standards if cxx and not subprocess.run(
                [cxx, f"-std={name}", "-xc++", "-fsyntax-only", "/dev/null"], capture_output=True).returncode]
            if not known:
                print(f"ok {number} {standards[0]} # SKIP there is no such C++ compiler")
                continue
            program = pathlib.Path(scratch, "test")
            command = [cxx, f"-std={known[0]}", *STRICT, f"-I{root / 'include'}",
                       pathlib.Path(__file__).with_name("test_cpp.cpp"), "-o", program, f"-L{build / 'runtime'}",
                       "-lweft", f"-Wl,-rpath,{build / 'runtime'}", "-pthread"]
            done = subprocess.run(command, capture_output=True, text=True)
            if not done.returncode:
                done = subprocess.run([program], capture_output=True, text=True, env=dict(os.environ, WEFT_CACHE=""))
            failed |= done.returncode != 0
            print("not ok" if done.returncode else "ok", number, known[0])
            print(done.stdout + done.stderr, file=sys.stderr, end="")
    return failed


if __name__ == "__main__":
    sys.exit(main())
