#!/usr/bin/env bash
# What scripts/ do on machines that are not this one: test_scripts.sh ROOT. A machine is played by functions and by
# programs first in PATH, so nothing is installed. Reports in TAP.
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
number=0
failed=0

# check NAME COMMAND...: a test; each runs in a shell of its own, with lib.sh, whose errors end it.
check() {
    local name=$1 verdict=ok output
    shift
    number=$((number + 1))
    output=$(. "$root/scripts/lib.sh" && "$@" 2>&1)
    if [ $? -ne 0 ]; then
        verdict="not ok"
        failed=1
        printf '%s: %s\n' "$name" "$output" >&2
    fi
    printf '%s %d %s\n' "$verdict" "$number" "$name"
}

# same WHAT WANTED GOT
same() { [ "$2" = "$3" ] || { say "$1" "  wanted: $2" "  got:    $3" && false; }; }

# program NAME TEXT: a program of this shell text, first in PATH from now on.
program() {
    mkdir -p "$scratch/bin"
    printf '#!/bin/bash\n%s\n' "$2" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
    case $PATH in "$scratch/bin"*) ;; *) PATH=$scratch/bin:$PATH ;; esac
}

# ---- needs ----

nothing_is_met() {
    local need
    for need in ${need_test/dpkg-dev/} valgrind; do # dpkg-dev is for where there is dpkg
        ! (PATH=$scratch/empty PYTHON=python3 && met "$need") || { say "$need is met where there is nothing" && false; }
    done
}

# bare HAVE: a machine that has these packages, and apt-get.
bare() {
    have=" $1 " wanted=
    met() { case $1 in clang-runtime) [[ $have == *" libclang-rt-14-dev "* ]] ;; *) [[ $have == *" $1 "* ]] ;; esac; }
    clang() { met clang && say 14.0.6; }
    apt-get() { :; }
    apt-cache() { [ "$2" = libclang-rt-14-dev ]; }
    as_root() { "$@"; }
    apt_install() { have+="$* " wanted+="$* "; }
}

# installs HAVE "NEED..." WANTED: what apt-get is asked for.
installs() {
    bare "$1"
    # shellcheck disable=SC2086
    install_missing $2
    # shellcheck disable=SC2086
    same "packages" "$(echo $3)" "$(echo $wanted)"
}

demo_needs() { installs "git ca-certificates" "$need_build" "$need_build"; }
test_needs() { installs "" "$need_test" "${need_test/clang-runtime /} libclang-rt-14-dev"; }
headers_alone() { installs "${need_build/libc6-dev /}" "$need_build" libc6-dev; }
runtime_alone() { installs "${need_test/clang-runtime /}" "$need_test" libclang-rt-14-dev; }
nothing_more() { installs "$need_test libclang-rt-14-dev" "$need_test" ""; }

# ---- configuring ----

# What meson is asked for by the demo, the tests, and the demo again.
keeps_directory() {
    local asked=$scratch/asked tree=$scratch/tree
    meson() {
        say "$*" >>"$asked"
        if [ "$1" = setup ]; then mkdir -p "$2" && touch "$2/build.ninja"; fi
    }
    unset CC
    configure "$tree" -Dtests=false
    configure "$tree"
    configure "$tree" -Dtests=false
    configure "$tree"
    same "demo and tests" "setup $tree -Dtests=false configure $tree -Dtests=true" \
        "$(tr '\n' ' ' <"$asked" | sed 's/ $//')"
    configure "$tree" -Dfuzz=true
    same "other options" "setup $tree -Dfuzz=true" "$(tail -1 "$asked")"
    rm "$tree/build.ninja"
    configure "$tree" -Dfuzz=true
    same "half made" 4 "$(wc -l <"$asked")"
}

# cmocka, MPFR and NumPy are optional: configuring goes on, with the tests that need none of them.
without_test_libraries() {
    local real
    real=$(command -v pkg-config)
    program pkg-config "case \"\$*\" in *cmocka*|*mpfr*) exit 1 ;; esac; exec $real \"\$@\""
    program cmake "exit 1"
    mkdir -p "$scratch/python/numpy"
    echo 'raise ImportError' >"$scratch/python/numpy/__init__.py"
    PYTHONPATH=$scratch/python meson setup "$scratch/poor" "$root" >"$scratch/log" 2>&1 ||
        { cat "$scratch/log" && false; }
    grep -q 'cmocka, MPFR, GMP or NumPy are left out' "$scratch/log"
    meson introspect --tests "$scratch/poor" >"$scratch/tests"
    grep -q '"name": "stages"' "$scratch/tests"
    ! grep -q -e '"name": "parse"' -e '"name": "eval"' "$scratch/tests"
}

# ---- a bare Debian ----

# refuses STATUS TEXT ARGUMENT...: scripts/fresh ends so and says so.
refuses() {
    local status=0 output
    output=$("$root/scripts/fresh" "${@:3}" 2>&1) || status=$?
    same "exit status" "$1" "$status"
    case $output in *"$2"*) ;; *) same "message" "$2" "$output" ;; esac
}

not_root() {
    program id "echo 1000"
    refuses 77 "skipped, this is not root" true
}
no_mounts() {
    program id "echo 0"
    program unshare "exit 1"
    refuses 77 "are not permitted" true
}
no_debootstrap() {
    local tool
    program id "echo 0"
    program unshare "exit 0"
    for tool in bash dirname git; do
        ln -sf "$(command -v $tool)" "$scratch/bin/$tool"
    done
    PATH=$scratch/bin
    refuses 77 "debootstrap is missing, and apt-get" true
}
wrong_usage() {
    program id "echo 0"
    program unshare "exit 0"
    program debootstrap "exit 0"
    refuses 2 "which command"
    refuses 2 "there is no option --kep" --kep there true
    mkdir "$scratch/mine" && touch "$scratch/mine/file"
    refuses 2 "holds something else" --keep "$scratch/mine" true
    [ -e "$scratch/mine/file" ]
}

# ---- continuous integration ----

# counts FRESH WHEEL SITE LINE: .ci/run ends with this line where the demo on a bare Debian, the wheel's tests and the
# site have these exit statuses.
counts() {
    local tree=$scratch/ci
    mkdir -p "$tree/.ci" "$tree/scripts"
    cp "$root/.ci/run" "$tree/.ci/"
    printf '#!/bin/bash\nexit %s\n' "$1" >"$tree/scripts/fresh"
    printf '#!/bin/bash\nexit %s\n' "$2" >"$tree/scripts/python"
    printf '#!/bin/bash\nexit %s\n' "$3" >"$tree/scripts/docs"
    printf '#!/bin/bash\n%s %s $MORE_LOGS\n' "$PYTHON" "$root/scripts/count.py" >"$tree/scripts/test"
    chmod +x "$tree"/scripts/*
    same "last line" "$4" "$("$tree/.ci/run" | tail -1)"
}
counted() {
    counts 0 0 0 "3 passed, 0 failed, 0 skipped"
    counts 1 77 0 "1 passed, 1 failed, 1 skipped"
    counts 77 1 77 "0 passed, 1 failed, 2 skipped"
}

check "where there is nothing no need is met" nothing_is_met
check "the demo installs what it uses alone" demo_needs
check "the tests install all they need on a bare machine" test_needs
check "the C library's headers can be what is missing" headers_alone
check "clang's runtime can be what is missing" runtime_alone
check "where all is there nothing is installed" nothing_more
check "demo and tests share a build directory" keeps_directory
check "without cmocka, MPFR and NumPy it can be configured" without_test_libraries
check "a bare Debian needs root" not_root
check "a bare Debian needs mounts" no_mounts
check "a bare Debian needs debootstrap" no_debootstrap
check "scripts/fresh tells wrong options" wrong_usage
check "the last line of .ci/run counts the demo, the wheel and the site" counted
echo "1..$number"
exit $failed
