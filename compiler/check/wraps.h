/* Integer arithmetic that may wrap, and where its value is then used as a number (rule 2.8). */
#ifndef WEFT_COMPILER_CHECK_WRAPS_H
#define WEFT_COMPILER_CHECK_WRAPS_H

#include "compiler/lang/lang.h"

/* Of a checked program, for each node whether it is arithmetic of the text in an unsigned type, or one of 8 or 16 bits,
 * whose exact result the type may not hold, as far as types, literals and operations tell. */
const bool *find_wraps(struct arena *arena, const struct program *program);
/* Of a checked program, between which values each node of integers lies, as far as types, literals and operations
 * tell. */
const struct value_range *find_ranges(struct arena *arena, const struct program *program);
/* What such an operation goes beyond: "beyond 255", "below 0". */
const char *wrap_limit(struct arena *arena, const struct node *node);
/* What to convert first, so that the operation does not wrap: "int32(a)". `real`: the value goes to a float. */
const char *wrap_cure(const struct program *program, const bool *wraps, const struct node *node, bool real);
/* Adds a warning for the first such value that is used as a number. */
bool warn_wraps(struct program *program);

#endif
