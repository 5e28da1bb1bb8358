/* The texts of an instance's kernels (struct emitted), kept beside its plans. */
#ifndef WEFT_RUNTIME_PLAN_TEXT_CACHE_H
#define WEFT_RUNTIME_PLAN_TEXT_CACHE_H

#include "runtime/plan/instance.h"

/* Never changes once made, except `loaded`. */
struct emitted {
    struct emitted *next;
    const char *key;
    size_t size;                   /* of the key */
    char *text;
    size_t scratch;                /* bytes of scratch memory that each thread gives the kernel */
    struct form form;
    _Atomic(struct loaded *) loaded; /* the kernel, once it is loaded */
};

/* The text of a kernel, found or emitted. It lives at least as long as `arena`; `scratch` is for
 * intermediate results. Locks the program's mutex. */
struct emitted *emitted_get(struct weft_program *program, struct typed *typed, struct arena *arena,
                            struct arena *scratch, const struct kernel *kernel,
                            const struct emit_params *params);

/* The same of the chain that these parts make on a GPU (emit_chain). */
struct emitted *emitted_chain(struct weft_program *program, struct typed *typed, const struct target *target,
                              struct arena *arena, struct arena *scratch, struct emitted *const *parts, int count);

/* Appends everything that the text says of the kernel's instructions, for keys. */
void put_instructions(struct buf *key, const struct kernel *kernel);

#endif
