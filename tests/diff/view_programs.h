/* Random programs of views and exact operations of int32, for the test that compares them with a reference:
 * bindings t0, t1, .. that are inputs, operations of bindings before, and views of them, over random shapes
 * whose boundaries divide or do not. One program at a time. */
#ifndef WEFT_VIEW_PROGRAMS_H
#define WEFT_VIEW_PROGRAMS_H

#include "tests/diff/run.h"
#include "tests/diff/values.h"

enum { NODES = 24, MOST_ELEMENTS = 6000, TEXT = 8000 };

enum kind { INPUT, BYTE, ADD, MUL, MOD, WHERE, VIEW };

/* A binding: its values in full, and which of its elements the results use; both are for the reference. */
struct node {
    enum kind kind;
    int kids[3], rank;
    int64_t shape[TENSOR_RANK], volume;
    int32_t *values;
    bool *used, needed;
    int place; /* of a division in the text */
};

/* The program; results are numbers of nodes. */
extern struct node nodes[NODES];
extern int node_count, results[NODES], result_count;
extern char text[TEXT];

/* What is random. */
extern struct stream stream;
int64_t below(int64_t bound);

/* How many nodes one of this kind is made of. */
int arity(enum kind kind);
/* The next program of the stream. */
void make_program(void);

#endif
