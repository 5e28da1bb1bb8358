/* offset, pad, correlate and convolve (section 10): what shape they give, where they read, and random ones. Of a view's
 * lists, `sources` are axes, if it has any, `shape` offsets or widths before, and `after` widths behind. */
#ifndef WEFT_RANDOM_NEIGHBOUR_H
#define WEFT_RANDOM_NEIGHBOUR_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* Whether the view is one of them, and whether it has a second operand. */
bool is_neighbour(const struct formula_view *view);
bool is_correlation(const struct formula_view *view);
/* The shape of one of them; false where the language has an error. `k` is that of the second operand, or NULL. */
bool neighbour_extents(const struct formula_view *view, const struct extents *in, const struct extents *k,
                       struct extents *out);
/* Whether numbers outside are of this type. */
bool neighbour_numbers_fit(const struct formula_view *view, enum weft_dtype dtype);
/* The number of x's element at `starts`, one for each axis, from element `number` of the result. -1: it lies outside,
 * and *outside is the number of the axis that says what is there. */
int64_t neighbour_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                         int64_t number, const int64_t *starts, int *outside);
/* Where offset and pad begin to read; where the term with element `element` of k does. */
void neighbour_starts(const struct formula_view *view, int64_t *starts);
void neighbour_term(const struct formula_view *view, const struct extents *k, int64_t element, int64_t *starts);
/* One that suits values of these shapes, of all samples, and of this type; mostly right. With `rank` of k, 0: any. */
void neighbour_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples,
                   enum weft_dtype dtype, int rank);
/* Its name; and its arguments behind the operands, as ", 1, \"edge\"". */
const char *neighbour_name(const struct formula_view *view);
int neighbour_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

/* What gather and sample share with them: the position that a word makes of one outside, among `n`; random modes and
 * axes; modes as ", mode=\"edge\"". */
int64_t neighbour_inside(enum formula_word word, __int128 p, int64_t n);
void neighbour_any_modes(struct stream *stream, struct formula_view *view, enum weft_dtype dtype);
void neighbour_any_axes(struct stream *stream, struct formula_view *view, int rank);
int neighbour_print_modes(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
