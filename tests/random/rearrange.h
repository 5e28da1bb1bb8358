/* transpose, flip, roll, broadcast_to, tile and repeat (rule 9.2): what shape they give, where they read, and random
 * ones. Of a view's lists, `sources` are axes, if it has any, and `shape` are the other numbers. */
#ifndef WEFT_RANDOM_REARRANGE_H
#define WEFT_RANDOM_REARRANGE_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* Whether the view is one of them. */
bool is_rearranged(const struct formula_view *view);
/* The shape of one of them from this one; false where the language has an error. */
bool rearrange_extents(const struct formula_view *view, const struct extents *in, struct extents *out);
/* The number of the operand's element that stands at number `at` of the result. */
int64_t rearrange_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                         int64_t at);
/* One that suits values of these shapes, of all samples; mostly right. */
void rearrange_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples);
/* Its name; and its arguments behind the first, as ", [1, 0]". */
const char *rearrange_name(const struct formula_view *view);
int rearrange_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
