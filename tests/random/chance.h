/* random and nonzero (rules 12.2 and 12.6): their shapes, their elements, and random ones. `shape` of random has the
 * seed and, where has_sources says so, the stream; of nonzero how many rows there are. */
#ifndef WEFT_RANDOM_CHANCE_H
#define WEFT_RANDOM_CHANCE_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

bool is_chance(const struct formula_view *view);
enum weft_dtype chance_dtype(const struct formula_view *view);
bool chance_extents(const struct formula_view *view, const struct extents *in, struct extents *out);
/* Element `number` of random, of no batch. */
union scalar chance_value(const struct formula_view *view, int64_t number);
/* Fills in the positions of what is true: [rows][rank]. */
void chance_positions(const struct extents *in, const bool *is_true, int64_t rows, union scalar *positions);
struct formula_view chance_any(struct stream *stream, int rank);
const char *chance_name(const struct formula_view *view);
void chance_print(char *text, size_t size, const struct formula_view *view, unsigned manner);

#endif
