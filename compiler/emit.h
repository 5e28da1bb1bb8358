/* Emission: the text of a kernel. What differs between targets is data in struct target. */
#ifndef WEFT_EMIT_H
#define WEFT_EMIT_H

#include "compiler/geometry.h"

struct target {
    const char *name;
    const char *skeleton;          /* templates/kernel.c or its like */
    const char *prelude;           /* helpers that only this target has, as in prelude_c.h */
    const char *function;          /* what a helper's definition begins with */
};

extern const struct target target_c;

/* The kernel for accesses of these kinds. `vector_functions` lists, separated by spaces, the library
 * functions that have vector forms on the machine that will compile the text. The text depends on
 * nothing else: extents, strides and the values of literals are arguments of the kernel. *scratch
 * becomes the bytes that a run must lend the kernel: 0 while its blocks fit on a small stack. */
char *emit(struct arena *arena, const struct kernel *kernel, const unsigned char *kinds,
           const struct target *target, const char *vector_functions, size_t *scratch);

#endif
