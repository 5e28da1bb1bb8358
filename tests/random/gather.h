/* gather and sample (rules 12.3 and 12.4): what shape they give, which elements they read, and random ones. Modes are
 * those of neighbour.h; `count` is that of the axes. */
#ifndef WEFT_RANDOM_GATHER_H
#define WEFT_RANDOM_GATHER_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

bool is_gathered(const struct formula_view *view);
/* The shape; false where the language has an error. */
bool gather_extents(const struct formula_view *view, const struct extents *in, const struct extents *positions,
                    struct extents *out);
/* The number of the first of the positions by which element `number` of the result is found. */
int64_t gather_first(const struct formula_view *view, const struct extents *in, const struct extents *out,
                     int64_t number);
/* The number of x's element at these positions, one for each axis, for element `number`. -1: it lies outside, and
 * *outside is the number of the axis that says what is there. */
int64_t gather_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                      int64_t number, const __int128 *at, int *outside);
/* One for a value of this rank and type. */
void gather_any(struct stream *stream, struct formula_view *view, int rank, enum weft_dtype dtype);
int gather_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
