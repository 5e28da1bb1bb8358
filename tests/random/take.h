/* take (rule 9.3): what shape it gives, where it reads, and random ones. A view's first source is the axis. */
#ifndef WEFT_RANDOM_TAKE_H
#define WEFT_RANDOM_TAKE_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

bool is_taken(const struct formula_view *view);
/* The shape of one of them; false where the language has an error. */
bool take_extents(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                  struct extents *out);
/* Of element `number` of the result: the number of its position. */
int64_t take_position(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                      int64_t number);
/* And the element's number at this position; -1: it lies outside. */
int64_t take_source(const struct formula_view *view, const struct extents *from, const struct extents *positions,
                    int64_t number, __int128 position);
/* One from a value of this rank; false where there is none. */
bool take_any(struct stream *stream, struct formula_view *view, int rank);
/* What stands behind the operands. */
int take_print(char *text, size_t size, const struct formula_view *view);

#endif
