/* Reductions in random programs: axes, shapes and text, from section 11. */
#ifndef WEFT_RANDOM_REDUCTION_H
#define WEFT_RANDOM_REDUCTION_H

#include "tests/diff/values.h"
#include "tests/random/formula.h"

/* How many operands the function takes. */
int reduction_operands(enum reduction function);
/* Its result has the operand's shape: softmax. */
bool reduction_keeps_shape(enum reduction function);
/* Its bits are those of exp and log, which are not exact. */
bool reduction_is_told(enum reduction function);
/* Rule 11.2, from the promoted type of the operands. */
bool reduction_takes(enum reduction function, enum weft_dtype from);
enum weft_dtype reduction_dtype(enum reduction function, enum weft_dtype from);

/* Which dimensions of so many are reduced, a bit each; false where the axes are wrong. */
bool reduction_axes(const struct formula_reduction *reduction, int rank, unsigned *axes);
/* The shape of the result, from the shape of what is reduced; false where the language has an error. */
bool reduction_extents(const struct formula_reduction *reduction, const struct extents *in, struct extents *out);
/* Over all positions of the dimensions in `chosen` of `space`, row-major: the offset among the elements of an operand
 * that broadcasts to the space, [*count]. */
int64_t *reduction_offsets(struct arena *arena, const struct extents *space, unsigned chosen,
                           const struct extents *operand, int64_t *count);

struct formula_reduction reduction_any(struct stream *stream, int rank);
/* The arguments behind the operands. */
void reduction_print(char *text, size_t size, const struct formula_reduction *reduction, unsigned manner);
/* The same with letters of a layout A, B, .. in place of numbers. */
void reduction_print_letters(char *text, size_t size, const struct formula_reduction *reduction, int rank);

#endif
