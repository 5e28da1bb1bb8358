/* What the files of weft_trace share: trace.c chooses the values and computes them, trace_values.c looks at elements
 * and prints. */
#ifndef WEFT_RUNTIME_API_TRACE_IMPL_H
#define WEFT_RUNTIME_API_TRACE_IMPL_H

#include "compiler/lang/lang.h"

/* What is known of the elements of a value. */
struct summary {
    union scalar smallest, largest;
    bool any;                      /* there are elements that are not NaN */
    double mean;                   /* of those that are finite; NaN: there are none */
    int64_t nan_count, inf_count;
};

/* Looks at `count` elements, dense and aligned. */
struct summary summary_of(enum weft_dtype dtype, const void *data, int64_t count);

/* What an operation that may wrap (compiler/check/wraps.h) did: "; 3 of 8 wrap beyond 255"; "" where none did. A
 * summary of each operand, NULL where there is none; `count` elements. */
const char *wrapped_words(struct arena *arena, const struct program *program, const struct node *node,
                          const struct summary *const *operands, const struct summary *result, int64_t count);

/* A copy of the trace in one allocation from malloc; NULL: there is no memory. */
struct weft_trace *trace_pack(const struct weft_traced *values, size_t count);

#endif
