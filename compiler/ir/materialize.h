/* Materializing: cuts a kernel into several. A value that is costly and varies over far fewer elements than the
 * kernel's shape is computed by a kernel of its own, once for each of its elements, into a temporary. The rest reads it
 * like an input. A costly function of one uint8 becomes a table of 256 entries.
 *
 * Bits do not change: a row computes the same wherever it is, and a temporary has the value's own dtype. Faults do not
 * change either: wherever a quotient is computed, its divisor is still tested for zero in the rest, under the same mask
 * and over the same elements. */
#ifndef WEFT_COMPILER_IR_MATERIALIZE_H
#define WEFT_COMPILER_IR_MATERIALIZE_H

#include "compiler/lang/lang.h"
#include "compiler/ir/kernel.h"
#include "compiler/check/check.h"

enum { TABLE_ENTRIES = 256 };

/* A materialized kernel. */
struct materialized_kernel {
    struct kernel *kernel;
    const struct shape *shape;     /* its iteration space */
};

/* The kernels and temporaries that were taken out of the kernels of a program. */
struct materialized {
    struct materialized_kernel *kernels; /* they can run in the reverse order, before all of the rests */
    int count;
    struct temporary *temporaries; /* accesses of kind TENSOR_TEMPORARY and TENSOR_TABLE refer to these */
    int temporary_count;
};

/* Cuts `whole`, whose iteration space is `shape`; access_shapes[a] is the shape of what load a reads. Adds to
 * `materialized` and returns the rest, which is `whole` itself where nothing is worth a kernel. `fast` is a set of enum
 * fast_path, of which FAST_HOIST and FAST_TABLE matter. `saved` is what a kernel has to save at least: instructions as
 * op_weight counts them, times elements. */
struct kernel *materialize(struct arena *arena, struct kernel *whole, const struct shape *shape,
                           const struct shape *const *access_shapes, unsigned fast, int64_t saved,
                           struct materialized *materialized);

#endif
