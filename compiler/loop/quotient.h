/* Divisions of float32 by values that repeat along a row, such as the deviation of each channel. A CUDA kernel computes
 * them by way of reciprocals, of which each is computed once. The quotient is rounded correctly if nothing overflows or
 * becomes subnormal on the way (docs/design/gpu.md). That follows from bounds of what is divided, which hold if values
 * that repeat are moderate: 0, or from 2 ** -32 to 2 ** 32 in size. */
#ifndef WEFT_COMPILER_LOOP_QUOTIENT_H
#define WEFT_COMPILER_LOOP_QUOTIENT_H

#include "compiler/loop/form.h"

/* What is known of a value if those that repeat are moderate: it is finite, a multiple of 2 ** grain, and its size is
 * at most 2 ** top. */
struct grained {
    bool known;
    bool varies;                   /* along a row */
    bool quotient;                 /* it is divided by way of a reciprocal */
    int grain, top;
};

/* Whether a value repeats through a whole tile: an argument, or a load whose elements the form's period holds. Where
 * there are several rows, that is known of arguments alone. */
bool value_repeats(const struct kernel *kernel, const unsigned char *kinds, const struct form *form, int i);
/* What is known of each instruction's value. Returns the number of quotients; without the fast path, or where the
 * kernel has no chunks, there are none. */
int find_quotients(const struct kernel *kernel, const unsigned char *kinds, const struct form *form, unsigned fast,
                   struct grained *of);

#endif
