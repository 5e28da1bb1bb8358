/* The rules of types: DALI's (section 3) and NumPy's (section 14). Each is a row of tables, which a program names;
 * nothing else asks which rules are on. */
#ifndef WEFT_COMPILER_LANG_RULES_H
#define WEFT_COMPILER_LANG_RULES_H

#include "compiler/lang/program.h"

struct rules {
    const char *name;
    const struct rule *rows;       /* [RULE_COUNT] */
    /* The type to which values of two types are converted. */
    enum weft_dtype (*promote)(enum weft_dtype, enum weft_dtype);
    bool weak;                     /* literals count by their kind, as what they meet does */
    bool each;                     /* functions find the type of each operand, which are then promoted */
    enum weft_dtype integer, real; /* of literals: the first type of an integer, and that of a real */
    const enum weft_dtype *functions; /* [WEFT_DTYPE_COUNT] in which functions compute that compute in floats */
    enum weft_dtype quotient;      /* of integers and bool; also of a mean and its like */
    enum weft_dtype position, spaced; /* of index, arange and extent; of linspace */
    bool bool_extremes;            /* min and max reduce bool */
    bool negative_powers;          /* an integer to a negative literal is 0, and no error */
};

const struct rules *rules_of(enum weft_rules rules);
/* Those of a node: what a recipe made has the first ones, and converts what it makes. */
const struct rules *node_rules(const struct program *program, const struct node *node);
/* Finds them by name. False where there are none of that name. */
bool rules_find(const char *name, size_t length, enum weft_rules *rules);
/* The row's typing rule for a node. */
const struct rule *node_rule(const struct program *program, const struct node *node);

/* What the operands of one operation have in common. */
struct meeting_types {
    const struct rules *rules;
    bool any;                      /* there are operands that are no weak literals; then these two are valid: */
    enum weft_dtype strong, function;
    enum literal_kind weak;        /* the highest kind of the others */
};
void types_meet(struct meeting_types *types, const struct program *program, const struct node *operand);
enum weft_dtype types_promoted(const struct meeting_types *types);
/* Of all operands of a node from `first` on. */
enum weft_dtype promoted_operands(const struct program *program, const struct node *node, int first);

/* The literal's own type: the first integer type that holds it, the type of reals, or bool. WEFT_DTYPE_COUNT if none
 * holds it. */
enum weft_dtype literal_dtype(const struct literal *literal, const struct rules *rules);
/* Of a node that has a literal. */
enum weft_dtype node_literal_dtype(const struct program *program, const struct node *node);
/* The type that follows from an operand's. */
enum weft_dtype type_by_rules(const struct rules *rules, enum type_rule rule, enum weft_dtype operand);

#endif
