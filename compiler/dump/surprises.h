/* What a program may do in silence that its author did not mean: each with its place, and the rule of docs/language.md
 * that says so. */
#ifndef WEFT_COMPILER_DUMP_SURPRISES_H
#define WEFT_COMPILER_DUMP_SURPRISES_H

#include "compiler/loop/loop.h"

struct surprise {
    struct span span, at;          /* of the value, and what of it is underlined: the operator */
    const char *rule;              /* "3.3" */
    const char *text;
};

struct surprises {
    struct surprise *items;
    int count;
};

/* Adds those of a typed program: integers that wrap, int64 that loses digits in float32, literals that do, functions
 * out of their domain, rounding to 16 bits. */
void find_type_surprises(struct arena *arena, struct program *program, struct surprises *surprises);
/* Adds those of its kernels in C: operands that are read one by one, values that several kernels compute. */
void find_kernel_surprises(struct arena *arena, const struct schedule *schedule, struct surprises *surprises);

#endif
