/* The oracle on operands of any dtypes: sections 2 to 4 of the language for one operation, from the
 * conversions to the result. */
#ifndef WEFT_TYPING_H
#define WEFT_TYPING_H

#include "tests/diff/oracle.h"

struct typing {
    enum weft_dtype operand;       /* what operands (of a selection: its arms) are converted to */
    enum weft_dtype result;
    bool by_value;                 /* integers of any signs are compared as they are */
};

/* A value with its own dtype. */
struct typed {
    enum weft_dtype dtype;
    union scalar value;
};

/* False where the language has an error. `dtypes` has the operands' dtypes, in the row's order. */
bool typing_of(enum op op, const enum weft_dtype *dtypes, int count, struct typing *typing);
/* The nearest value of the row. */
union scalar typing_value(enum op op, const struct typing *typing, const struct typed *operands,
                          int count);
/* oracle_error, after the conversions. */
double typing_error(enum op op, const struct typing *typing, const struct typed *operands,
                    int count, union scalar actual);
/* The row's bound in ulp on these operands; 0: exact. */
int typing_bound(enum op op, const struct typing *typing);
/* Whether there is one value only, in a 16-bit type too. */
bool typing_exact(enum op op, const struct typing *typing);
/* Whether the element divides by zero. */
bool typing_fault(enum op op, const struct typing *typing, const struct typed *operands, int count);
/* A call or operator expression of the row on operands that are texts. Returns `buffer`. */
const char *typing_text(char *buffer, size_t size, enum op op, const char *const *operands,
                        int count);

#endif
