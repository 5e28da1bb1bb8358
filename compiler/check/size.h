/* Size expressions (rule 1.10): the types of their inputs, and their values. */
#ifndef WEFT_COMPILER_CHECK_SIZE_H
#define WEFT_COMPILER_CHECK_SIZE_H

#include "compiler/check/shape.h"

/* Checks the size expressions of a view, once the nodes before it have their dtypes. False with a diagnostic. */
bool check_sizes(struct program *program, const struct node *view);

/* What the values of size expressions depend on. */
struct size_scope {
    const struct program *program;
    const struct shape *const *inputs; /* [input_count] */
    const struct contents *contents;   /* as for infer_shapes */
    const struct open_extents *open;   /* the same */
    const struct shape *const *shapes; /* of the nodes so far */
    struct size *sizes;                /* the same */
};
/* The value of node n, if it is a size expression. */
struct size node_size(const struct size_scope *scope, int n);

#endif
