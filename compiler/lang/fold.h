/* Literal expressions (rule 2.3): what operators and functions of literals give. Integers are exact, reals are float64;
 * the kind of an outcome follows from the kinds of the operands alone. */
#ifndef WEFT_COMPILER_LANG_FOLD_H
#define WEFT_COMPILER_LANG_FOLD_H

#include "compiler/lang/program.h"

/* Whether a NODE_OP is a literal expression: all its operands are, and its row has a meaning for their kinds. An
 * operand that is poison counts by its literal's kind. */
bool node_folds(const struct program *program, const struct node *node);
/* The kind of a NODE_OP that folds. */
enum literal_kind fold_kind(const struct program *program, const struct node *node);
/* Which operand of a where that folds is taken, 1 or 2; 0: the row is not where. */
int fold_taken(const struct program *program, const struct node *node);
/* Sets node->literal if the NODE_OP folds. Returns NULL, or what is wrong with the values. */
const char *literal_of_node(const struct program *program, struct node *node);

#endif
