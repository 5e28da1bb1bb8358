"""Weft as others meet it:

    run_install.py ROOT BUILD

makes a release of the tree at ROOT, builds it without re2c, installs it into a scratch prefix, and there
does what README.md, docs/c.md, docs/debugging.md and examples/*/README.md say; then looks at what is installed, moves
it elsewhere, links the archive, and has it as a subproject. CC is the compiler. Reports in TAP."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
import run_docs  # noqa: E402

SECONDS = 600

# Uses names that the library has inside, too.
STATIC = r"""
#include <stdio.h>
#include <weft/weft.h>
int parse(void);
int parse(void) { return 1; }
int emit(void);
int emit(void) { return 2; }
int main(void)
{
    float value = 20;
    DLTensor x = {.data = &value, .device = {kDLCPU, 0}, .dtype = {kDLFloat, 32, 1}};
    struct weft_argument argument = {.tensors = &x};
    struct weft_run_params run = {.inputs = &argument, .input_count = 1, .outputs = &argument, .output_count = 1};
    struct weft_context *context = NULL;
    struct weft_program *program = NULL;
    int bad = weft_context_create(NULL, &context, NULL) < 0 ||
              weft_compile(context, "x * 2 + 2", NULL, &program, NULL) < 0 || weft_run(program, &run, NULL) < 0;
    printf("%g\n", value + (float)(parse() - emit()));
    weft_program_destroy(program);
    weft_context_destroy(context);
    return bad;
}
"""


class Skip(Exception):
    """What a check needs is not on the machine."""


class Failed(Exception):
    """A command failed, or its output is another."""


def need_full():
    """Builds Weft once more: not in layers below the full one."""
    if os.environ.get("WEFT_LAYER", "full") != "full":
        raise Skip("it is for the layer full")


def need(program):
    if not shutil.which(program):
        raise Skip(f"there is no {program}")


def run(*command, cwd=None, env=None, status=0):
    """Its output, stdout and stderr together."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
    text = done.stdout.decode("utf-8", "replace")
    if (done.returncode == 0) != (status == 0):
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{text[-4000:]}")
    return text


def expect(good, what):
    if not good:
        raise Failed(what)


def path_without(program, scratch):
    """PATH without the program: a directory that has it is replaced by links to all else in it."""
    places = []
    for number, place in enumerate(os.environ["PATH"].split(":")):
        if place and (pathlib.Path(place) / program).exists():
            links = scratch / f"bin{number}"
            links.mkdir()
            for file in pathlib.Path(place).iterdir():
                if file.name != program:
                    (links / file.name).symlink_to(file)
            place = str(links)
        places.append(place)
    return ":".join(places)


class Install:
    """The places of one trial. Methods whose names begin with `check_` run in their order here."""

    def __init__(self, root, build, scratch):
        self.root, self.tree = root, build
        self.scratch = scratch
        self.source, self.build, self.prefix = scratch / "source", scratch / "build", scratch / "prefix"
        self.bare = dict(os.environ, PATH=path_without("re2c", scratch))

    # ---- the release and its build ----

    def tracked(self):
        """The files git knows, as they are now; None without git."""
        if not (self.root / ".git").exists() or not shutil.which("git"):
            return None
        git = ["git", "-c", "safe.directory=*", "-C", self.root]
        listed = run(*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
        return [name for name in listed if name and (self.root / name).is_file()]

    def copy_tree(self):
        """What `meson dist` packs, of a tree with changes that are not committed."""
        names = self.tracked()
        if names is None:
            shutil.copytree(self.root, self.source, symlinks=True,
                            ignore=shutil.ignore_patterns("build*", "__pycache__"))
        for name in names or []:
            to = self.source / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / name, to)
        if not (self.source / "compiler/lexer.c").exists():
            need("re2c")
            run(sys.executable, self.root / "scripts/dist.py", env=dict(os.environ, MESON_DIST_ROOT=str(self.source)))

    def unpack_release(self):
        """False where there is none to be had of this tree."""
        if not self.tracked() or run("git", "-c", "safe.directory=*", "-C", self.root, "status", "--porcelain"):
            return False
        need("re2c")
        run("meson", "dist", "-C", self.tree, "--no-tests", "--formats", "gztar")
        archive, = (self.tree / "meson-dist").glob("*.tar.gz")
        run("tar", "xf", archive, "-C", self.scratch)
        next(self.scratch.glob("weft-*")).rename(self.source)
        return True

    def check_release(self):
        """a release builds without re2c"""
        if not self.unpack_release():
            self.copy_tree()
        run("meson", "setup", self.build, self.source, "--prefix", self.prefix, "--buildtype=plain",
            "-Dpkgconfig.relocatable=true", env=self.bare)
        targets = json.loads(run("meson", "introspect", self.build, "--targets"))
        wanted = [target["filename"][0] for target in targets
                  if target["installed"] or target["name"] in ("test_promotion", "replay")]
        run("ninja", "-C", self.build, "-j2", *[os.path.relpath(name, self.build) for name in wanted],
            env=self.bare)
        run("meson", "install", "-C", self.build, "--no-rebuild")

    def check_tests(self):
        """tests of the release run"""
        run("meson", "test", "-C", self.build, "--no-rebuild", "promotion", "corpus", "stages")

    def check_stale_lexer(self):
        """a lexer of another lexer.re is refused"""
        stale = self.scratch / "stale"
        shutil.copytree(self.source, stale, symlinks=True)
        with open(stale / "grammar/lexer.re", "a", encoding="utf-8") as file:
            file.write("\n")
        text = run("meson", "setup", stale / "build", stale, env=self.bare, status=1)
        expect("made of another grammar/lexer.re" in text, text)

    # ---- what is installed ----

    def find(self, name):
        found = list(self.prefix.rglob(name))
        expect(found, f"{name} is not installed")
        return found[0]

    def environment(self, **more):
        library = self.find("libweft.so").parent
        environment = dict(os.environ, PKG_CONFIG_PATH=str(self.find("weft.pc").parent),
                           CMAKE_PREFIX_PATH=str(self.prefix), LC_ALL="C.UTF-8", COLUMNS="100",
                           PATH=f"{self.prefix / 'bin'}:{os.environ['PATH']}",
                           MANPATH=str(self.prefix / "share/man"),
                           XDG_CACHE_HOME=str(self.scratch / "cache"), **more)
        for name in ("LD_LIBRARY_PATH", "WEFT_MODULES", "WEFT_CC", "WEFT_CFLAGS", "CFLAGS", "LDFLAGS"):
            if name not in more:
                environment.pop(name, None)
        self.library = library
        return environment

    def weft(self, *arguments, **more):
        return run(self.prefix / "bin/weft", *arguments, env=self.environment(**more))

    def check_symbols(self):
        """libraries show names that begin with weft_ alone"""
        library, archive = self.find("libweft.so"), self.find("libweft.a")
        for text in (run("nm", "-D", "--defined-only", library),
                     run("nm", "--extern-only", "--defined-only", archive)):
            names = [line.split()[-1] for line in text.splitlines() if len(line.split()) == 3]
            expect("weft_run" in names, text)
            expect(all(name.startswith("weft_") for name in names), text)
        expect("[libweft.so.0.1]" in run("readelf", "-d", library), "the soname is not libweft.so.0.1")

    def check_versions(self):
        """the version is one everywhere"""
        version = run("pkg-config", "--modversion", "weft", env=self.environment()).strip()
        header = self.find("weft.h").read_text(encoding="utf-8")
        numbers = [re.search(rf"WEFT_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH")]
        expect(version == ".".join(numbers), f"weft.pc has {version}, weft.h {'.'.join(numbers)}")
        expect(self.weft("--version") == f"weft {version}\n", self.weft("--version"))

    # ---- documents and examples ----

    def follow(self, path, place, **more):
        """Does what a document says, in a directory."""
        page = run_docs.Page(path, path.name)
        page.run(self.environment(**more), place)
        wrong = [step for step in page.steps() if not run_docs.agrees(step.expected, step.got)]
        logs = [path.read_text(errors="replace")[-2000:] for path in place.glob("log") if wrong]
        expect(not wrong, "\n".join(line for step in wrong for line in ["$ " + step.command()] + step.got + logs))
        return page

    def page(self, name, needs):
        """Does what the README of an example says, in a copy of it."""
        for program in needs:
            need(program)
        place = self.scratch / name
        shutil.copytree(self.root / "examples" / name, place, ignore=shutil.ignore_patterns("build*"))
        self.follow(place / "README.md", place)
        return place

    def document(self, name):
        """Does what a document says, in an empty directory, where the loader finds the library as after ldconfig."""
        place = self.scratch / pathlib.Path(name).stem
        place.mkdir()
        return self.follow(self.root / name, place, LD_LIBRARY_PATH=str(self.find("libweft.so").parent))

    def check_readme(self):
        """README.md alone"""
        need("c++")
        self.document("README.md")

    def check_c(self):
        """docs/c.md alone, where a * x + b takes ten lines of C and six of C++"""
        need("c++")
        page = self.document("docs/c.md")
        lines = {part[0]: len(part[1]) - part[1].index("{") - 2 for part in page.parts
                 if isinstance(part, tuple) and part[0].startswith("axb.")}
        expect(lines and lines["axb.c"] <= 10 and lines["axb.cpp"] <= 6, f"lines of a * x + b: {lines}")

    def check_debugging(self):
        """docs/debugging.md alone"""
        self.document("docs/debugging.md")

    def check_jit_c(self):
        """examples/jit-c"""
        self.page("jit-c", ["meson", "cmake"])

    def check_jit_cpp(self):
        """examples/jit-cpp"""
        self.page("jit-cpp", ["cmake", "meson", "c++"])

    def alone(self, program):
        """A program that wants the C and C++ libraries and OpenMP's, no other."""
        wanted = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", program))
        others = [name for name in wanted if not re.match(r"lib(c|m|stdc\+\+|gcc_s|g?omp)\.so|ld-linux", name)]
        expect(wanted and not others, f"{program} wants {wanted}")

    def check_aot_meson(self):
        """examples/aot-meson, which wants no Weft to run"""
        self.alone(self.page("aot-meson", ["meson"]) / "build/filter")

    def check_aot_cmake(self):
        """examples/aot-cmake, which wants no Weft to run"""
        self.alone(self.page("aot-cmake", ["cmake", "c++"]) / "build/particles")

    def check_aot_cuda(self):
        """examples/aot-cuda, which wants neither CUDA nor Weft to run; NVRTC makes its kernels"""
        kernel = self.root / "examples/aot-cuda/scale.weft"
        told = subprocess.run([self.prefix / "bin/weft", "build", kernel, "-o", self.scratch / "probe",
                               "--target", "cuda"],
                              capture_output=True, text=True, env=self.environment()).stderr
        if re.search(r"error\[W02(13|14|35)\]", told):
            raise Skip("there is no NVRTC")
        program = self.page("aot-cuda", ["meson"]) / "build/scale"
        expect(not re.search(r"\[lib(cuda|weft|nv)", run("readelf", "-d", program)), f"{program} wants CUDA or Weft")

    def check_cmake_cuda(self):
        """weft_generate makes kernels for host and GPU in one target, and refuses what it cannot do"""
        place = self.scratch / "aot-cuda"
        if not place.exists():
            raise Skip("there is no NVRTC")
        need("cmake")
        lists = place / "CMakeLists.txt"
        text = ("cmake_minimum_required(VERSION 3.13)\nproject(scale C)\nfind_package(Weft COMPONENTS command)\n"
                "add_executable(scale scale.c memory.c)\nweft_generate(scale scale.weft)\n")
        lists.write_text(text + "weft_generate(scale scale.weft CUDA ARCH sm_90)\n", encoding="utf-8")
        run("cmake", "-B", "cmake", cwd=place, env=self.environment())
        run("cmake", "--build", "cmake", cwd=place)
        expect("1.5 3 6" in run("cmake/scale", "1.5", "1", "2", "4", cwd=place), "it computes something else")
        for wrong, told in ((text + "weft_generate(scale scale.weft)\n", "so does another"),
                            (text.replace("scale C)", "scale CXX)"), "C is not enabled")):
            lists.write_text(wrong, encoding="utf-8")
            got = " ".join(run("cmake", "-B", "wrong", cwd=place, env=self.environment(), status=1).split())
            expect(told in got, got)
            shutil.rmtree(place / "wrong")

    def check_cmake_cross(self):
        """weft_generate in a cross build asks for WEFT_EXECUTABLE, and takes it"""
        need("cmake")
        place, own = self.scratch / "aot-cmake", self.scratch / "weft-of-this-machine"
        own.symlink_to(self.prefix / "bin/weft")
        cross = ["cmake", "-B", "cross", "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=other",
                 "-DCMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH=OFF", f"-DWeft_DIR={self.find('WeftConfig.cmake').parent}"]
        if not shutil.which("weft"):
            text = run(*cross, cwd=place, env=dict(self.environment(), PATH=os.environ["PATH"]), status=1)
            expect("set WEFT_EXECUTABLE" in text, text)
        run(*cross, f"-DWEFT_EXECUTABLE={own}", cwd=place, env=self.environment())
        rules = (place / "cross/CMakeFiles/particles.dir/build.make").read_text(encoding="utf-8")
        expect(f"{own} build" in rules, rules)

    def check_template(self):
        """weft build --check fails when a template has changed"""
        example, template = self.root / "examples/aot-meson", self.source / "templates/aot/aot.c"
        text = template.read_text(encoding="utf-8")
        expect("whatever the options. */" in text, f"{template} has other words")
        check = ["build", example / "contrast.weft", "-o", example / "generated", "--entries", "dense", "--check"]
        run(self.prefix / "bin/weft", *check, env=self.environment())
        try:
            template.write_text(text.replace("whatever the options. */", "whatever options say. */"), encoding="utf-8")
            run("ninja", "-C", self.build, "-j2", "cli/weft", env=self.bare)
            here = dict(os.environ, LD_LIBRARY_PATH=str(self.build / "runtime"))
            told = run(self.build / "cli/weft", *check, status=1, env=here)
            expect("contrast.c' differs" in told, told)
        finally:
            template.write_text(text, encoding="utf-8")

    def check_static(self):
        """a program with names of its own links libweft.a, which finds its module"""
        source, program = self.scratch / "static.c", self.scratch / "static"
        source.write_text(STATIC, encoding="utf-8")
        environment = self.environment(WEFT_CC="libtcc")
        flags = run("pkg-config", "--cflags", "--libs", "--static", "weft", env=environment).split()
        flags = ["-l:libweft.a" if flag == "-lweft" else flag for flag in flags]
        run(*os.environ.get("CC", "cc").split(), source, "-o", program, *flags)
        expect("libweft" not in run("ldd", program), run("ldd", program))
        if list(self.prefix.rglob("weft-first.so")):
            text = run(program, env=environment)
            expect(text == "41\n", text)

    def check_subproject(self):
        """Weft is a subproject: its library, and its command for the Meson recipe"""
        need_full()
        place = self.scratch / "parent"
        shutil.copytree(self.root / "examples/aot-meson", place, ignore=shutil.ignore_patterns("build*"))
        shutil.copy(self.root / "examples/jit-c/evaluate.c", place)
        with open(place / "meson.build", "a", encoding="utf-8") as file:
            file.write("executable('evaluate', 'evaluate.c', dependencies: dependency('weft'))\n")
        (place / "subprojects").mkdir()
        (place / "subprojects/weft").symlink_to(self.source)
        run("meson", "setup", "build", "--force-fallback-for=weft", "--buildtype=plain", cwd=place, env=self.bare)
        run("ninja", "-C", "build", "-j2", "evaluate", "filter", cwd=place, env=self.bare)
        text = run("build/evaluate", "x * x", cwd=place, env=self.environment())
        expect(text == "float32: 0 1 4 9 16 25 36 49 64 81\n", text)
        expect((place / "build/filter.p/warm.h").exists(), "the recipe made no warm.h")

    def check_cmake_static(self):
        """CMake links Weft::weft_static"""
        need_full()
        need("cmake")
        place = self.scratch / "cmake-static"
        shutil.copytree(self.root / "examples/jit-cpp", place, ignore=shutil.ignore_patterns("build*"))
        lists = place / "CMakeLists.txt"
        lists.write_text(lists.read_text().replace("Weft::weft)", "Weft::weft_static)"), encoding="utf-8")
        run("cmake", "-B", "build", cwd=place, env=self.environment())
        run("cmake", "--build", "build", cwd=place)
        expect("libweft" not in run("ldd", place / "build/brighten"), "it links the shared library")
        text = run(place / "build/brighten", env=self.environment())
        expect(text == "16 28 40\n228 240 253\nfrom 16 to 253\n", text)

    # ---- manual and completion ----

    def offered(self):
        """Commands, and the options of each, as --help lists them."""
        commands = re.findall(r"^  ([a-z]+)  ", self.weft("--help"), re.MULTILINE)
        expect("run" in commands, "--help lists no commands")
        return {command: set(re.findall(r"^ .*?(--[a-z-]+)", self.weft(command, "--help"), re.MULTILINE)) | {"--help"}
                for command in commands}

    def check_manual(self):
        """weft(1) knows the commands and options"""
        text = self.find("weft.1").read_text(encoding="utf-8").replace("\\-", "-")
        offered = self.offered()
        options = set.union(*offered.values(), {"--version"})
        expect(set(re.findall(r"^\.B[RI]? .*?(--[a-z-]+)", text, re.MULTILINE)) >= options,
               f"not in weft.1: {options - set(re.findall(r'--[a-z-]+', text))}")
        expect(set(re.findall(r"^\.B ([a-z]+)$", text, re.MULTILINE)) >= set(offered), "a command is missing in weft.1")

    def check_manual_form(self):
        """manual pages are well-formed"""
        need("groff")
        for name in ("weft.1", "weft.3"):
            text = run("groff", "-man", "-ww", "-z", "-Tutf8", self.find(name))
            expect(text == "", text)

    def bash_completion(self, *words):
        script = f'source "$1"; COMP_WORDS=("${{@:2}}"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _weft weft;' \
                 ' printf "%s\\n" "${COMPREPLY[@]}"'
        file = self.prefix / "share/bash-completion/completions/weft"
        return set(run("bash", "-c", script, "bash", file, *words, env=self.environment()).split())

    def check_bash(self):
        """completion in bash"""
        offered = self.offered()
        expect(self.bash_completion("weft", "") >= set(offered), "commands")
        for command, options in offered.items():
            got = self.bash_completion("weft", command, "--")
            expect(got >= options, f"{command}: {options - got}")
        expect(self.bash_completion("weft", "help", "") >= set(offered), "commands behind help")
        expect(self.bash_completion("weft", "run", "--tier", "") == {"exact", "fast", "none"}, "values")
        got = self.bash_completion("weft", "ops", "c")
        expect({"clamp", "clip", "correlate"} <= got and "==" not in got, f"operations: {got}")

    def check_fish(self):
        """completion in fish"""
        need("fish")
        environment = self.environment(XDG_DATA_DIRS=str(self.prefix / "share"), HOME=str(self.scratch))
        for command, options in self.offered().items():
            text = run("fish", "-c", f"complete -C 'weft {command} --'", env=environment)
            got = {line.split("\t")[0].split("=")[0] for line in text.splitlines()}
            expect(got >= options, f"{command}: {options - got}\n{text}")
        got = run("fish", "-c", "complete -C 'weft ops cl'", env=environment).split()
        expect({"clamp", "clip"} <= set(got), f"operations: {got}")

    def check_zsh(self):
        """completion in zsh"""
        text = self.find("_weft").read_text(encoding="utf-8")
        for command, options in self.offered().items():
            branch = re.search(rf"^  {command}\)\n(.*?);;", text, re.DOTALL | re.MULTILINE)
            expect(branch, f"there is no {command}")
            missing = options - {"--quiet", "--help"} - set(re.findall(r"--[a-z-]+", branch[1]))
            expect(not missing, f"{command}: {missing}")
        need("zsh")
        run("zsh", "-n", self.find("_weft"))

    # ---- elsewhere; the last: what is above is at home where it was installed ----

    def check_moved(self):
        """moved elsewhere all of it is found"""
        moved = self.scratch / "else where"
        self.prefix.rename(moved)
        self.prefix = moved
        if list(moved.rglob("weft-first.so")):
            text = self.weft("run", "x + 1", "x=41", WEFT_CC="libtcc")
            expect(text == "out: int32[] = 42\n", text)
        flags = run("pkg-config", "--cflags", "weft", env=self.environment())
        expect("else" in flags and str(self.scratch / "prefix") not in flags, flags)
        need("cmake")
        shutil.rmtree(self.scratch / "jit-cpp", ignore_errors=True)
        self.page("jit-cpp", ["c++"])


def main():
    root, build = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        install = Install(root, build, pathlib.Path(scratch).resolve())
        checks = [value for name, value in vars(Install).items() if name.startswith("check_")]
        print(f"1..{len(checks)}", flush=True)
        for number, check in enumerate(checks, 1):
            verdict, note, problem = "ok", "", None
            try:
                check(install)
            except Skip as skip:
                note = f" # SKIP {skip}"
            except (Failed, OSError, subprocess.TimeoutExpired) as failure:
                verdict, problem = "not ok", failure
                bad += 1
            print(f"{verdict} {number} {check.__doc__}{note}", flush=True)
            if problem:
                print(f"{check.__doc__}: {problem}", file=sys.stderr)
            if problem and number == 1:
                print("Bail out! there is nothing to look at")
                break
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
