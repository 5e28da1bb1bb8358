/* What a reduction gives on the elements of one row, written from section 11, in its order and element by element. */
#ifndef WEFT_RANDOM_REDUCED_H
#define WEFT_RANDOM_REDUCED_H

#include "compiler/lang/eval.h"
#include "compiler/lang/reductions.h"

struct reduced_row {
    enum weft_dtype dtype;         /* of the elements; in vecdot that of its sum */
    const union scalar *values, *others; /* [count]; vecdot's second operand */
    int64_t count;
    int ddof;
};

/* The result in the type of rule 11.2; not of softmax and logsumexp. */
union scalar reduced_value(enum reduction function, const struct reduced_row *row, enum weft_dtype result);
/* Between which values those of softmax, [count], or the one of logsumexp lie, as exact as exp, log and a sum are. Both
 * are NaN where the value is. */
void reduced_bounds(enum reduction function, const struct reduced_row *row, enum weft_dtype result,
                    union scalar *low, union scalar *high);
/* Whether a value is between two of them. */
bool reduced_is_between(enum weft_dtype dtype, union scalar value, union scalar low, union scalar high);

#endif
