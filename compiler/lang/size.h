/* Size expressions (rule 1.10): integers that views take and that a call may decide. Their nodes are nodes of the
 * program like any others. Nothing lowers them unless their value is used as well. */
#ifndef WEFT_COMPILER_LANG_SIZE_H
#define WEFT_COMPILER_LANG_SIZE_H

#include "compiler/lang/program.h"

/* Whether a node is a size expression as far as is known: `size` of the nodes before it says so of its operands, and
 * the types of inputs that are not known yet may turn out to be integers. */
bool node_is_size(const struct program *program, const struct node *node);
/* Sets a mark for each node that the program's size expressions consist of. [node_count] */
void find_sizes(const struct program *program, bool *marks);
/* Marks the inputs that size expressions read in program->reads. */
void note_sizes(struct program *program);
/* Whether one of a view's size expressions is marked. */
bool view_is_marked(const struct view_args *args, const bool *marks);
/* What of a node that is no size expression is none: the first such operand of its operands. */
const struct node *size_culprit(const struct program *program, const struct node *node);

/* The value of a size expression, or why it has none. */
enum size_state {
    SIZE_OPEN,                     /* not known yet */
    SIZE_KNOWN,
    SIZE_WIDE,                     /* does not fit int64 */
    SIZE_ZERO,                     /* divides by zero */
    SIZE_RANKED                    /* an input that has dimensions */
};
struct size {
    enum size_state state;
    int64_t value;                 /* SIZE_OPEN: EXTENT_UNKNOWN, or ahead of time an open extent */
    int node;                      /* where it has no value: the node that is to blame */
};

/* Computes `+ - * // %`, or unary + and - where `b` is NULL, exactly in int64. */
enum size_state size_compute(enum op op, int64_t a, const int64_t *b, int64_t *value);

#endif
