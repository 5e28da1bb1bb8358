/* Reductions (section 11): the dimensions that they reduce, and their shapes. */
#ifndef WEFT_COMPILER_CHECK_REDUCED_H
#define WEFT_COMPILER_CHECK_REDUCED_H

#include "compiler/check/shape.h"

/* The dimensions, a bit for each, that a reduction of a value of this rank reduces. Its axes must be right. */
uint32_t reduced_set(const struct reduce_args *args, int rank);

/* The shape without the dimensions in `dropped`; with `keepdims`, these have extent 1. */
struct shape *shape_without(struct arena *arena, const struct shape *shape, uint32_t dropped, bool keepdims);
/* The shape of a node that reduces, counts or numbers elements of this shape. */
const struct shape *reduced_shape(struct arena *arena, const struct node *node, const struct shape *operand,
                                  uint32_t set);

#endif
