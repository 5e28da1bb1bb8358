/* Views (sections 7 and 9): what shape they give, and random ones. */
#ifndef WEFT_RANDOM_VIEW_H
#define WEFT_RANDOM_VIEW_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* The shape of a view of a value of this shape, elements of `from` bytes read as ones of `to`. False where
 * the language has an error. */
bool view_extents(const struct formula_view *view, int from, int to, const struct extents *extents,
                  struct extents *out);
/* A view that suits values of these shapes, of all samples; not always right. */
struct formula_view view_any(struct stream *stream, const struct extents *const *shapes, int samples);
/* Its arguments behind the first, as ", [2, -1]". `manner` chooses among the ways. */
int view_print(char *text, size_t size, const struct formula_view *view, const char *dtype,
               unsigned manner);

#endif
