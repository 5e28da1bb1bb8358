/* What the files of weft_trace share: trace.c chooses the values and computes them, trace_values.c looks at elements
 * and prints. */
#ifndef WEFT_RUNTIME_API_TRACE_IMPL_H
#define WEFT_RUNTIME_API_TRACE_IMPL_H

#include "compiler/check/check.h"
#include "compiler/lang/lang.h"

/* What is known of the elements of a value. */
struct summary {
    union scalar smallest, largest;
    bool any;                      /* there are elements that are not NaN */
    double mean;                   /* of those that are finite; NaN: there are none */
    int64_t nan_count, inf_count;
    int64_t rounded;               /* integers that float32 does not hold */
};

/* Looks at `count` elements, dense and aligned. */
struct summary summary_of(enum weft_dtype dtype, const void *data, int64_t count);

/* Whether a node is arithmetic of the text on integers, of which it is told how many elements wrapped. */
bool counts_wraps(const struct node *node);

/* Whether the extremes of its operands already say that none did; NULL: they are not known. */
bool cannot_wrap(const struct program *program, const struct node *node, const struct summary *const operands[2]);

/* What such a node computes from: elements, dense, of a shape that broadcasts to the node's, or, where `data` is NULL,
 * one value of the node's type. */
struct wrap_operand {
    enum weft_dtype dtype;
    const struct shape *shape;
    const void *data;
    union scalar value;
};

/* How many elements of the node's shape are not what exact arithmetic gives. */
int64_t count_wraps(const struct node *node, const struct shape *shape, const struct wrap_operand operands[2]);
/* "; 3 of 8 wrap beyond 255"; "" where none did. */
const char *wrapped_words(struct arena *arena, const struct node *node, int64_t wrapped, int64_t count);
/* What converting an operand to float32 did to its `count` elements: "; 3 of 8 of x are rounded to float32"; "" where
 * it is not converted, or none was. The mean of integers is that of the exact ones. */
const char *rounded_words(struct arena *arena, const struct program *program, const struct node *node, int operand,
                          const struct summary *summary, int64_t count);

/* A copy of the trace in one allocation from malloc; NULL: there is no memory. */
struct weft_trace *trace_pack(const struct weft_traced *values, size_t count);

#endif
