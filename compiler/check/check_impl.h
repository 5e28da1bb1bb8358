/* What the files of typing share: check.c goes over the nodes, check_neighbour.c types section 10. */
#ifndef WEFT_COMPILER_CHECK_CHECK_IMPL_H
#define WEFT_COMPILER_CHECK_CHECK_IMPL_H

#include "compiler/check/check.h"

/* check.c: these return false with a diagnostic. Whether a literal, or every element of an array literal, meets the
 * type; whether it has a type of its own; whether what stands for a tensor has one. */
bool check_constant(struct program *program, const struct node *node, enum weft_dtype dtype);
bool check_width(struct program *program, const struct node *node);
bool check_tensor(struct program *program, const struct node *operand);

/* check_neighbour.c: the numbers among a node's modes, of x's dtype; the dtype of a NODE_CORRELATE. */
bool check_modes(struct program *program, const struct node *node);
bool check_correlate(struct program *program, struct node *node);
/* The dtype of sample. */
bool check_sample(struct program *program, struct node *node);
bool check_put(struct program *program, struct node *node);

#endif
