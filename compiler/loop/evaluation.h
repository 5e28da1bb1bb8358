/* The order in which a block is evaluated: loops over its elements, and calls between them, for the rows that are not
 * exact. Such a row is always computed by the same function on a full block, whatever surrounds it. So an element's
 * bits depend on its operands alone, not on what the C compiler chose to vectorize in a kernel (rule 3.4). */
#ifndef WEFT_COMPILER_LOOP_EVALUATION_H
#define WEFT_COMPILER_LOOP_EVALUATION_H

#include "compiler/lang/lang.h"
#include "compiler/ir/ir.h"

/* How often a value is computed. */
enum rate {
    RATE_ONCE,                     /* before all loops: it depends on literals only */
    RATE_ROW,                      /* before the blocks of a row: its operands do not vary along the row */
    RATE_BLOCK
};

struct evaluation {
    unsigned char *rate;           /* [ins] an enum rate */
    bool *call;                    /* [ins] computed by a function of whole blocks. So are look-ups and taken elements:
                                      vectorized by a C compiler they would be slower */
    int *output;                   /* [ins] the access that a call writes directly: set for the only store and for the
                                      call whose block it stores, if nothing else reads that; else -1 */
    int *level;                    /* [ins] its loop; for a call, the loop that it follows */
    int level_count;
    int *order;                    /* the instructions that compute in blocks, by level, then by number */
    int order_count;
    int *slot;                     /* [ins] the buffer for a value that leaves its loop; -1: none */
    int slot_count;
};

/* Whether the row of the instruction is not exact. */
bool is_inexact(const struct ins *ins);
/* Whether the instruction is always computed by a function of whole blocks: its row is not exact, or has a short way
 * for blocks of ordinary operands. `fast` is a set of enum fast_path. */
bool is_block_call(const struct ins *ins, unsigned fast);
/* Makes the order of evaluation. `kinds` are those of the accesses; NULL: none is a scalar. `fast` is a set of enum
 * fast_path. Without `blocks`, only conversions are functions of whole blocks. */
void make_evaluation(struct arena *arena, const struct kernel *kernel, const unsigned char *kinds,
                   unsigned fast, bool blocks, struct evaluation *evaluation);

#endif
