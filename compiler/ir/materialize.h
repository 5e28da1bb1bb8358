/* Hoisting: a kernel is cut into several. What is costly and much smaller than the kernel's shape is
 * computed by a kernel of its own, once per element it really has, into a temporary that the rest
 * reads like an input. What is costly and depends on one uint8 alone becomes a table of 256 entries.
 *
 * Bits stay: a row computes the same wherever it stands, and a temporary has its value's own dtype.
 * Remarks stay too: divisions are still tested for zero in the rest, under the mask and over the
 * elements they had there, wherever the quotient is computed. */
#ifndef WEFT_MATERIALIZE_H
#define WEFT_MATERIALIZE_H

#include "compiler/lang/lang.h"
#include "compiler/ir/kernel.h"
#include "compiler/check/check.h"

enum { TABLE_ENTRIES = 256 };

struct part {
    struct kernel *kernel;
    const struct shape *shape;     /* that it loops over */
};

/* What was hoisted out of the kernels of a program. */
struct hoisted {
    struct part *parts;            /* in an order in which they can run, before all of the rests */
    int count;
    struct temporary *temporaries; /* accesses of kind TENSOR_TEMPORARY and TENSOR_TABLE are these */
    int temporary_count;
};

/* Cuts `whole`, which loops over `shape`; access_shapes[a] is the shape of what load a reads. Adds to
 * `hoisted` and returns the rest: `whole` itself where nothing is worth it. `fast` is a set of enum
 * fast_path, of which FAST_HOIST and FAST_TABLE matter. A kernel more has to save `saved` instructions, as
 * op_weight counts them for each element. */
struct kernel *hoist(struct arena *arena, struct kernel *whole, const struct shape *shape,
                     const struct shape *const *access_shapes, unsigned fast, int64_t saved,
                     struct hoisted *hoisted);

#endif
