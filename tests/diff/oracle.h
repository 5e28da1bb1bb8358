/* The oracle: what every row of ops.def, every conversion and promotion means, computed with
 * MPFR and 128-bit integers from tests/oracle.def. It shares nothing with the compiler but the
 * numbering of rows and types. Not for several threads. */
#ifndef WEFT_ORACLE_H
#define WEFT_ORACLE_H

#include "compiler/lang/eval.h"

bool oracle_is_float(enum weft_dtype t);
/* Whether the row has a meaning on operands of this dtype. */
bool oracle_has(enum op op, enum weft_dtype source);
/* The value of the row, rounded to nearest. Operands as for eval_op. */
union scalar oracle_value(enum op op, enum weft_dtype source, enum weft_dtype result,
                          const union scalar operands[3]);
/* How far `actual` is from the row's exact value, in units in the last place of the result's
 * type at that value (denormals included; an infinity stands one unit above the largest finite
 * number). Zero for equal NaNs and for what is not floating and equal; INFINITY where NaN, an
 * infinity, a sign of zero or an integer is wrong. Rows that are exact: 0 or INFINITY. */
double oracle_error(enum op op, enum weft_dtype source, enum weft_dtype result,
                    const union scalar operands[3], union scalar actual);
/* A comparison of two integers (or bools) of any dtypes by value. */
union scalar oracle_compare(enum op op, enum weft_dtype a_dtype, union scalar a,
                            enum weft_dtype b_dtype, union scalar b);
/* Rule 4.4: whether the element is remarked: it divides by zero, or a position lies outside. */
bool oracle_fault(enum op op, enum weft_dtype source, const union scalar operands[3]);
/* Section 3's table. */
enum weft_dtype oracle_promote(enum weft_dtype a, enum weft_dtype b);
/* Rule 4.6: a cast; and the conversion of promotion and wrap (never from floating to integer). */
union scalar oracle_cast(enum weft_dtype from, enum weft_dtype to, union scalar value);
union scalar oracle_convert(enum weft_dtype from, enum weft_dtype to, union scalar value);
/* The bits are the same, or both are NaN. */
bool oracle_same(enum weft_dtype dtype, union scalar a, union scalar b);
/* The value in words, with the bits of floating types: "-0x1p-3 (0xbe000000)". Returns `buffer`. */
const char *oracle_print(char buffer[64], enum weft_dtype dtype, union scalar value);

#endif
