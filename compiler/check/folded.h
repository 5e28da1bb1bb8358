/* Literal expressions while types are found (rule 2.3). */
#ifndef WEFT_COMPILER_CHECK_FOLDED_H
#define WEFT_COMPILER_CHECK_FOLDED_H

#include "compiler/lang/lang.h"

/* Gives a NODE_OP that folds its value, from operands that have theirs. False where it has none: it or an operand that
 * it needs is a mistake, which report_failures reports. Its literal then has its kind alone. */
bool check_folded(struct program *program, struct node *node);
/* Reports the literal expressions without a value that some result needs, or that nothing uses, and gives all others,
 * which stand in arms that are not taken, a value that nobody reads. False if one was reported. */
bool report_failures(struct program *program);

#endif
