/* Reductions (section 11): the dimensions that they reduce, and their shapes. */
#ifndef WEFT_COMPILER_CHECK_REDUCED_H
#define WEFT_COMPILER_CHECK_REDUCED_H

#include "compiler/check/shape.h"

/* Finds the dimensions that axes name among `rank`, a bit for each. Returns NULL, or what is wrong with them, for a
 * value that messages call `value`. `layout` is the value's; "" or NULL: none is known. */
const char *find_axes(struct arena *arena, const struct axes *axes, int rank, const char *layout, const char *value,
                      uint32_t *set);
/* The dimensions that node n, which reduces, counts or numbers, reduces. Its axes must be right. */
uint32_t reduced_set(struct arena *arena, const struct program *program, const struct shape *const *shapes,
                     const struct contents *contents, int n);

/* The layout of node n's operand, after the shapes of all nodes before n. */
const char *layout_before(struct arena *arena, const struct program *program, const struct shape *const *shapes,
                          const struct contents *contents, int n);

/* The shape without the dimensions in `dropped`; with `keepdims`, these have extent 1. */
struct shape *shape_without(struct arena *arena, const struct shape *shape, uint32_t dropped, bool keepdims);
/* The shape of a node that reduces, counts or numbers elements of this shape. */
const struct shape *reduced_shape(struct arena *arena, const struct node *node, const struct shape *operand,
                                  uint32_t set);

#endif
