/* Literal expressions as the language computes them (rules 2.3 and 2.4), apart from compiler/lang/literal.c. */
#ifndef WEFT_NUMBER_H
#define WEFT_NUMBER_H

#include "tests/random/formula.h"

/* The row's value on `count` numbers. False where the language has an error, and
 * where the outcome is not worth having: beyond 100 bits, or quotients that a double division does not
 * round as Python does. */
bool number_fold(enum op op, const struct number *const *x, int count, struct number *out);
/* How a literal is written, with a sign where it is negative. `manner` chooses among the ways. */
void number_print(char text[64], const struct number *number, unsigned manner);

#endif
