/* What the rules of types lose in silence (rule 2.8). */
#ifndef WEFT_COMPILER_CHECK_LOSSES_H
#define WEFT_COMPILER_CHECK_LOSSES_H

#include "compiler/lang/lang.h"

/* Whether an operation converts operand `i` of a checked node, an integer, to float32. */
bool rounds_integer(const struct program *program, const struct node *node, int i);
/* The same from 64 bits. Integers of 32 seldom have more than 24, so they are told by a trace alone, which counts. */
bool loses_integer(const struct program *program, const struct node *node, int i);
/* Whether an operation rounds operand `i`, a real literal that float32 does not hold, to float32. */
bool rounds_literal(const struct program *program, const struct node *node, int i);
/* Adds a warning for the first place where an integer loses digits, and one for the first literal that was rounded for
 * a result which is then used in float64, and for the first integer that may have wrapped where it is used as a number.
 * Of a checked program, whose diags they go to. */
void warn_losses(struct program *program);
/* Adds a warning for the first x ^ 2. That is advice, which not every program wants. */
void warn_habits(struct program *program);

#endif
