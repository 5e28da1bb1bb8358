# What the scripts share: installing what is missing, and building. Sourced by bash from any
# directory; leaves the shell in the repository's root.
#
# A need is checked by trying it, not by asking the package manager, so a machine that got its tools
# in another way is left alone.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Debian's Python sees Debian's NumPy; the one first in PATH may be another.
choose_python() {
    PYTHON=/usr/bin/python3
    [ -x "$PYTHON" ] || PYTHON=python3
}
choose_python

say() { printf "%s\n" "$@"; }

# quiet WHAT COMMAND...: runs the command, shows its output only if it fails.
quiet() {
    local what=$1 log status=0
    shift
    say "$what"
    log=$(mktemp)
    "$@" </dev/null >"$log" 2>&1 || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$log" >&2
        say "failed ($status): $*" >&2
    fi
    rm -f "$log"
    return "$status"
}

has_header() { echo "#include <$1>" | gcc -E - >/dev/null 2>&1; }
has_sanitizers() {
    local out status=0
    out=$(mktemp)
    echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
        clang -x c -fsanitize=fuzzer,address,undefined - -o "$out" >/dev/null 2>&1 || status=1
    rm -f "$out"
    return $status
}

# One need: its Debian package, and whether it is met. Meson asks dpkg-architecture, where there is dpkg, for the folder
# of libraries; without an answer it takes lib64, where Debian's loader, pkg-config and CMake do not look.
need_build="gcc libc6-dev dpkg-dev meson ninja-build re2c pkg-config libdlpack-dev libjpeg-dev libpng-dev libzip-dev \
zlib1g-dev libxxhash-dev libtcc-dev"
need_python="python3-dev python3-venv"
need_test="$need_build $need_python g++ clang clang-runtime libomp-dev libcmocka-dev libmpfr-dev python3-numpy locales \
binutils strace cmake make xz-utils groff-base fish gdb"
met() {
    case $1 in
    gcc | g++ | meson | re2c | clang | cmake | make | fish | gdb) "$1" --version ;;
    groff-base) groff --version ;;
    libc6-dev) has_header stdio.h ;;
    dpkg-dev) ! command -v dpkg || dpkg-architecture ;;
    binutils) nm --version ;;
    xz-utils) xz --version ;;
    ninja-build) ninja --version ;;
    pkg-config) pkg-config --version ;;
    libdlpack-dev) has_header dlpack/dlpack.h ;;
    libjpeg-dev) pkg-config --exists libjpeg ;;
    libtcc-dev) has_header libtcc.h ;;
    libpng-dev) pkg-config --exists libpng ;;
    libzip-dev) pkg-config --exists libzip ;;
    zlib1g-dev) pkg-config --exists zlib ;;
    libxxhash-dev) pkg-config --exists libxxhash ;;
    strace) strace --version ;;
    valgrind) valgrind --version ;;
    libcmocka-dev) pkg-config --exists cmocka ;;
    libmpfr-dev) has_header mpfr.h ;;
    python3-numpy) "$PYTHON" -c 'import numpy' ;;
    python3-dev) "$PYTHON" -c 'import sysconfig; open(sysconfig.get_path("include") + "/Python.h")' ;;
    python3-venv) "$PYTHON" -c 'import ensurepip, venv' ;;
    locales) command -v localedef && test -e /usr/share/i18n/locales/de_DE ;;
    libomp-dev) echo '#include <omp.h>' | clang -fopenmp -x c -c -o /dev/null - ;;
    clang-runtime) has_sanitizers ;;
    *) false ;;
    esac >/dev/null 2>&1
}

# The needs among the arguments that are not met.
unmet() {
    local need
    for need; do
        met "$need" || printf '%s ' "$need"
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y \
        --no-install-recommends "$@"
}

# Clang's sanitizers and fuzzer: the package's name holds the version, and differs by release.
clang_runtime_package() {
    local version
    version=$(clang -dumpversion | cut -d. -f1)
    if apt-cache show "libclang-rt-$version-dev" >/dev/null 2>&1; then
        say "libclang-rt-$version-dev"
    else
        say "libclang-common-$version-dev"
    fi
}

# install_missing NEED...: with apt-get where there is one, else says what to install and fails.
install_missing() {
    local missing plain
    missing=$(unmet "$@")
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null || { [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; }; then
        say "Missing: $missing" >&2
        say "These are the names of Debian's packages; install what corresponds here (clang-runtime:" >&2
        say "clang's sanitizers and libFuzzer), then run this again." >&2
        exit 1
    fi
    plain=${missing//clang-runtime /}
    quiet "updating the list of packages" as_root apt-get -o DPkg::Lock::Timeout=300 update ||
        say "going on with the list there is"
    # shellcheck disable=SC2086
    [ -z "${plain// /}" ] || quiet "installing $plain" apt_install $plain
    if [ "$plain" != "$missing" ] && ! met clang-runtime; then
        quiet "installing clang's sanitizers" apt_install "$(clang_runtime_package)"
    fi
    choose_python
    missing=$(unmet "$@")
    if [ -n "$missing" ]; then
        say "Still missing after installing: $missing" >&2
        exit 1
    fi
}

# configure DIR [MESON OPTION...]: once. CC is the caller's. With -Dtests=false as the last option a new directory
# gets no tests, and one that has them keeps them; without it they are added to a directory that has none. Half made
# or with other options, it is made anew.
configure() {
    local directory=$1 options known=
    shift
    options="${CC:-gcc}${*:+ $*}"
    [ ! -e "$directory/build.ninja" ] || known=$(cat "$directory/.options" 2>/dev/null || true)
    case $known in
    "$options" | "${options% -Dtests=false}") return ;;
    "$options -Dtests=false") quiet "adding the tests to $directory" meson configure "$directory" -Dtests=true ;;
    *)
        [ ! -e "$directory/meson-private" ] || rm -rf "$directory" # else what others have put there stays
        CC=${CC:-gcc} quiet "configuring $directory" meson setup "$directory" "$@"
        ;;
    esac || return
    printf '%s' "$options" >"$directory/.options"
}

# build DIR [MESON OPTION...]: configures, then builds all of it.
build() {
    configure "$@" && quiet "building $1" ninja -C "$1"
}

# build_for "SUITE... [-SUITE...]" DIR [MESON OPTION...]: only what these suites of tests need, without those of others.
build_for() {
    local suites=$1
    shift
    configure "$@" && quiet "looking what $1 needs" ninja -C "$1" build.ninja || return
    # shellcheck disable=SC2086,SC2046
    quiet "building $1" ninja -C "$1" $("$PYTHON" scripts/needed.py "$1" $suites)
}
