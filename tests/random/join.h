/* concat and stack (rule 9.3): what shape they give, where they read, and random ones. A view's first source is the
 * axis. */
#ifndef WEFT_RANDOM_JOIN_H
#define WEFT_RANDOM_JOIN_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* Whether the view is one of them. */
bool is_joined(const struct formula_view *view);
/* The shape of one of them from those of all nodes; false where the language has an error. */
bool join_extents_of(const struct formula_view *view, const struct formula_node *node, const struct extents *shapes,
                     struct extents *out);
/* Element `number` of the result: which operand it comes from, and the element's number there. */
int64_t join_source(const struct formula_view *view, const struct formula_node *node, const struct extents *shapes,
                    const struct extents *out, int64_t number, int64_t *which);
/* One for a first operand of this rank; false where there is none. */
bool join_any(struct stream *stream, struct formula_view *view, int rank);
/* What stands behind the operands. */
int join_print(char *text, size_t size, const struct formula_view *view);

#endif
