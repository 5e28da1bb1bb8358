/* Selections (rule 9.1): what shape they give, which elements they take, and random ones. */
#ifndef WEFT_RANDOM_SELECT_H
#define WEFT_RANDOM_SELECT_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* The shape of a selection from this one; false where the language has an error. */
bool select_extents(const struct formula_view *view, const struct extents *in, struct extents *out);
/* The number of the first element that it takes of a good one, and for each dimension of the result how many
 * elements further the next one lies. */
int64_t select_start(const struct formula_view *view, const struct extents *in, int64_t *strides);
/* One that suits values of these shapes, of all samples; mostly right. */
void select_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples);
/* Its items, as "[1, ::-1]". */
int select_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
