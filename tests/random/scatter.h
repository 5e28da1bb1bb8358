/* scatter (rule 12.5): what it takes, what becomes of the elements of a place, and random ones. Positions and axes are
 * those of gather.h. */
#ifndef WEFT_RANDOM_SCATTER_H
#define WEFT_RANDOM_SCATTER_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

bool is_scattered(const struct formula_view *view);
/* Whether v may be put into an x of this type. */
bool scatter_takes(const struct formula_view *view, const struct formula_node *v, enum weft_dtype dtype);
/* The same view as one of gather at these positions, whose shape v has and whose elements are the places. */
struct formula_view scatter_places(const struct formula_view *view);
/* Whether one of these positions, one for each axis, lies outside an x of this shape. */
bool scatter_misses(const struct formula_view *view, const struct extents *in, const __int128 *at);
/* What a place holds: x's element, and so many that are put there, in their order. All have the type. */
union scalar scatter_value(const struct formula_view *view, enum weft_dtype dtype, union scalar x,
                           const union scalar *put, int64_t count);
/* One for a value of this rank and type. */
void scatter_any(struct stream *stream, struct formula_view *view, int rank, enum weft_dtype dtype);
int scatter_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
