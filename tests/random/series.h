/* arange and linspace (12.1) in random programs. n is a size expression: a number, or an operand's extent and some. */
#ifndef WEFT_RANDOM_SERIES_H
#define WEFT_RANDOM_SERIES_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

bool is_series(const struct formula_view *view);
/* `operand` is NULL where n is a number. */
bool series_extents(const struct formula_view *view, const struct extents *operand, struct extents *out);
/* Element i of n; `ends` are linspace's numbers. */
union scalar series_value(const struct formula_view *view, const struct number *ends, int64_t i, int64_t n);

/* With the extent of an operand of this rank, or of n elements. */
struct formula_view series_any(struct stream *stream, int rank, int64_t n, bool of_operand);
/* One end of a linspace. */
struct number series_end(struct stream *stream);
/* n; where it is an operand's extent what stands behind the operand. */
void series_print(char *text, size_t size, const struct formula_view *view, bool of_operand, unsigned manner);

#endif
