/* Values that tests feed to operations: the special ones of each type, and random ones in several
 * manners. Random streams are seeded from WEFT_SEED, else from a fixed default; print the seed in
 * every failure. */
#ifndef WEFT_VALUES_H
#define WEFT_VALUES_H

#include "compiler/lang/eval.h"
#include "tests/sample.h"

/* The special values of a type, `*count` of them; the first VALUES_FEW serve where three operands
 * multiply. Static storage. */
enum { VALUES_FEW = 14 };
const union scalar *values_special(enum weft_dtype dtype, int *count);

struct stream {
    uint64_t state;
};

uint64_t values_seed(void);
/* `salt` makes streams differ that start from one seed. */
struct stream stream_init(uint64_t salt);
uint64_t stream_bits(struct stream *stream);
/* From 0 to bound - 1. */
uint64_t stream_below(struct stream *stream, uint64_t bound);
/* A value of one of the manners: any bits, any magnitude, a small integer, near 1, a special
 * one. */
union scalar stream_value(struct stream *stream, enum weft_dtype dtype);

#endif
