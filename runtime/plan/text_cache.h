/* The texts of an instance's kernels (struct emitted), kept beside its plans. */
#ifndef WEFT_RUNTIME_PLAN_TEXT_CACHE_H
#define WEFT_RUNTIME_PLAN_TEXT_CACHE_H

#include "runtime/plan/instance.h"

/* Never changes once made, except `loaded`. */
struct emitted {
    struct kernel_text made;       /* the first member, by which it is known to schedules */
    struct emitted *next;
    const char *key;
    size_t size;                   /* of the key */
    struct form form;
    _Atomic(struct loaded *) loaded; /* the kernel, once it is loaded */
};

/* The text of a schedule; NULL of NULL. */
static inline struct emitted *emitted_of(const struct kernel_text *made)
{
    return (struct emitted *)made;
}

/* The text of a kernel, or of the chain that several make on a GPU, found or emitted; params: [count]. It lives at
 * least as long as `arena`; `scratch` is for intermediate results. Locks the program's mutex. */
struct emitted *emitted_get(struct weft_program *program, struct typed *typed, struct arena *arena,
                            struct arena *scratch, const struct kernel *const *kernels,
                            const struct emit_params *params, int count);

/* Appends everything that the text says of the kernel's instructions, for keys. */
void put_instructions(struct buf *key, const struct kernel *kernel);

#endif
