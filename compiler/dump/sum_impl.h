/* Formulas of positions, for people: "d0 // 2", "639 - d1", "(d0 * 640 + d1) mod 480". They are sums, kept as simple as
 * what is known of their values allows. */
#ifndef WEFT_COMPILER_DUMP_SUM_IMPL_H
#define WEFT_COMPILER_DUMP_SUM_IMPL_H

#include "compiler/base/base.h"

/* What a sum adds up multiples of. It is not changed once it is there, and its values are from low to high. */
struct atom {
    enum { ATOM_POSITION, ATOM_TAKEN, ATOM_QUOTIENT, ATOM_REMAINDER } kind;
    int d;                         /* ATOM_POSITION: of the dimension */
    const char *text;              /* ATOM_TAKEN: what a kernel computes, in words */
    const struct sum *of;          /* ATOM_QUOTIENT, ATOM_REMAINDER: what is divided, rounding down */
    int64_t by;                    /* the divisor */
    int64_t low, high;
};

struct sum {
    int64_t first;
    int count;
    struct term { int64_t times; const struct atom *atom; } *terms; /* all atoms differ, and no `times` is 0 */
};

struct sum sum_number(int64_t number);
/* The position along dimension d, below `extent`. And what `text` says, a number below `extent`. */
struct sum sum_position(struct arena *arena, int d, int64_t extent);
struct sum sum_taken(struct arena *arena, const char *text, int64_t extent);
struct sum sum_add(struct arena *arena, struct sum a, struct sum b);
struct sum sum_scale(struct arena *arena, struct sum a, int64_t by);
/* Quotients are rounded down, and the remainder has the divisor's sign, which is positive. 0 where the divisor is 0. */
struct sum sum_quotient(struct arena *arena, struct sum a, int64_t by);
struct sum sum_remainder(struct arena *arena, struct sum a, int64_t by);
/* The least and the greatest value. */
int64_t sum_low(const struct sum *a);
int64_t sum_high(const struct sum *a);
void sum_put(struct buf *buf, const struct sum *a);

#endif
