/* Intervals: between which values an integer lies, by a row of grammar/ranges.def for each operation. */
#ifndef WEFT_COMPILER_LANG_RANGE_H
#define WEFT_COMPILER_LANG_RANGE_H

#include "compiler/lang/ops.h"

/* The values that an integer can have. Not known: anything that its dtype holds. */
struct value_range {
    int64_t lo, hi;
    bool known;
};

extern const struct value_range range_unknown;

struct value_range range_between(int64_t lo, int64_t hi);
/* Whatever an integer type holds, as far as int64 does. */
struct value_range range_of_dtype(enum weft_dtype dtype);
bool range_fits(struct value_range range, enum weft_dtype dtype);
/* Of the nearest values in `into`. */
struct value_range range_saturated(struct value_range a, struct value_range into);
/* The range of the result of an operation on operands of known ranges if it never wraps. range_unknown for an operation
 * without a row. */
struct value_range range_of_op(enum op op, const struct value_range r[3]);

#endif
