# Completion of weft(1) for bash. Commands and options are those that --help lists; values follow below.

_weft_values() { # COMMAND OPTION
    case $2 in
    --math) echo strict fast ;;
    --tier) echo exact fast none ;;
    --target) [ "$1" = run ] && echo auto c cuda || echo c cuda ;;
    --isa) echo x86-64-v2 x86-64-v3 x86-64-v4 ;;
    --stage) echo tokens ast types groups ir c asm cuda ptx sass all ;;
    --format) [ "$1" = ops ] && echo text md json || echo text json ;;
    esac
}

_weft() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="--help --version $("$1" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p')"
    else
        words=$(_weft_values "$command" "$before")
        if [ -z "$words" ] && [[ $word == -* ]]; then
            words="--help $("$1" "$command" --help 2>/dev/null | grep -o -- '^ .*--[a-z]*' | grep -o -- '--[a-z]\+')"
        elif [ -z "$words" ] && [ "$command" = cache ] && [ "$COMP_CWORD" -eq 2 ]; then
            words="path list verify prune clear"
        fi
    fi
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    else # a file: behind the = of name=FILE, too, which bash cuts off
        [ "$word" != = ] || word=
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _weft weft
