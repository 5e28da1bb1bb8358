/* Random programs: bindings and results made of exact rows, casts and literals over inputs of
 * any dtype, with their values by the oracle. Some bindings are calls of inexact rows; they are
 * results too, so that what a kernel computed further from them can be told exactly. The text is
 * built beside the tree, so that the place of every operator is known. */
#ifndef WEFT_TREES_H
#define WEFT_TREES_H

#include "tests/diff/typing.h"
#include "tests/diff/values.h"

enum { TREE_NODES = 2000, TREE_INPUTS = 6, TREE_BINDINGS = 8, TREE_PLAIN = 20,
       TREE_RESULTS = TREE_BINDINGS + TREE_PLAIN };

enum tree_kind { TREE_INPUT, TREE_LITERAL, TREE_OP, TREE_CALL, TREE_CAST, TREE_WRAP };

struct tree_node {
    enum tree_kind kind;
    enum op op;
    int kids[3], count;
    struct typing typing;          /* result: the node's dtype */
    struct typed literal;          /* the full value, whose dtype may be wider than the node's */
    int input;
    int place;                     /* offset of the operator in the text */
    unsigned along;                /* dimensions along which it varies, a bit each */
};

struct tree {
    struct stream stream;
    struct tree_node nodes[TREE_NODES];
    int count;
    enum weft_dtype inputs[TREE_INPUTS];
    unsigned along[TREE_INPUTS];
    int bindings[TREE_BINDINGS], binding_count;
    int results[TREE_RESULTS], result_count;
    char text[40000];
    int length;
};

/* Inputs are called a, b, .., bindings t0, t1, .., results like the binding they repeat or r0,
 * .. Inputs vary along some of so many dimensions, one in four (of one dimension) or one in eight (of
 * two) along none. */
void tree_generate(struct tree *tree, uint64_t salt, int dimensions);
/* The error in ulp of a call's value, from the values of its operands. */
double tree_call_error(const struct tree *tree, int call, const union scalar *values);
/* The values of all nodes for one element of every input; those of calls are given. Returns the
 * place of the first operator in the text that divided by zero where its value is used, or -1. */
int tree_evaluate(const struct tree *tree, const union scalar *inputs, union scalar *values);

#endif
