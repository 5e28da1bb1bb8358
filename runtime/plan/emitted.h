/* Texts of kernels, kept. */
#ifndef WEFT_EMITTED_H
#define WEFT_EMITTED_H

#include "runtime/plan/typed.h"

/* Never changes once made, but for `loaded`. */
struct emitted {
    struct emitted *next;
    const char *key;
    size_t size;                   /* of the key */
    char *text;
    size_t scratch;                /* bytes that each thread lends the kernel */
    struct form form;
    _Atomic(struct loaded *) loaded; /* the kernel, once there is one */
};

/* The text of a kernel: one that the instance has, or emitted. Lives as long as `arena`; `scratch` is for
 * the work. Takes the program's mutex. */
struct emitted *emitted_get(struct weft_program *program, struct typed *typed, struct arena *arena,
                            struct arena *scratch, const struct kernel *kernel,
                            const struct emit_params *params);

#endif
