/* How kernels in C join what they reduce. */
#ifndef WEFT_COMPILER_LOOP_JOINING_H
#define WEFT_COMPILER_LOOP_JOINING_H

#include "compiler/loop/geometry.h"

/* The row of templates/shared/joins.def for the kernel's reduction; -1: there is none. */
int library_row(const struct kernel *kernel);
/* The load whose elements are joined as they lie in memory; -1: values are computed. `kinds` are those of the
 * accesses. */
int load_joined(const struct kernel *kernel, const unsigned char *kinds);
/* Whether rows that lie beside each other are joined to lanes in registers as they are computed: sums of floats by the
 * library, of which nothing but what is computed element by element stands under them. `fast` is a set of enum
 * fast_path. */
bool joins_as_computed(struct arena *arena, const struct kernel *kernel, const struct geometry *g, unsigned fast);

#endif
