/* What later passes ask of a checked program. */
#ifndef WEFT_CHECK_H
#define WEFT_CHECK_H

#include "compiler/program.h"

/* The node that a name bound to an expression stands for, through any number of bindings. */
const struct node *named_node(const struct program *program, const struct node *node);
/* The dtype that a NODE_OP's operands are converted to before the operation. */
enum weft_dtype operand_dtype(const struct program *program, const struct node *node);
/* Whether a NODE_OP compares an integer of either sign with a uint64, which no type holds together:
 * by value, through -1, 0, 1 (section 4). */
bool compares_by_value(const struct program *program, const struct node *node);

#endif
