/* Values at which a conversion from or to any type of the table changes its mind: every value of 16 bits
 * and less; powers of two, bounds, overflow thresholds and halfway points of every type with their
 * neighbours, subnormals, infinities and NaNs of several payloads. They follow from grammar/types.def. */
#ifndef WEFT_EDGES_H
#define WEFT_EDGES_H

#include "compiler/lang/eval.h"

/* `*count` of them. Static storage. */
const union scalar *edges_of(enum weft_dtype dtype, int *count);

#endif
