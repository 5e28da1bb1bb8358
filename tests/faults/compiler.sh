#!/bin/sh
# A C compiler of kernels that starts the real one once for each text: what that made is kept in $FAULT_STORE.
[ "$1" = --version ] && exec cc --version
kept=$FAULT_STORE/$(md5sum <k.c | cut -c 1-32).so
[ -e "$kept" ] && exec cp "$kept" k.so
cc "$@" && cp k.so "$kept.$$" && mv "$kept.$$" "$kept"
