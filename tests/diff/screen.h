/* The inexact rows by the C library, in more digits than the type has: nearly as good as the oracle's values and many
 * times faster. What a screen cannot tell is the oracle's to say. */
#ifndef WEFT_SCREEN_H
#define WEFT_SCREEN_H

#include "tests/diff/typing.h"

/* How far a screen's error may lie from the oracle's, in units in the last place. */
#define SCREEN_MARGIN 0.02

/* The error of `actual`, as typing_error has it but for SCREEN_MARGIN, of float32 and float64. 0 for a 16-bit type
 * where the nearest value is `actual`. NAN where it cannot be told: at the ends of the type, beside powers of two,
 * where signs differ, and where there is no type of more digits. `operands` are converted to typing->operand. */
double screen_error(enum op op, const struct typing *typing, const union scalar operands[3], union scalar actual);

#endif
