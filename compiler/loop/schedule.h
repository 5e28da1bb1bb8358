/* The order in which a block is computed: loops over the block's elements, and between them calls of
 * whole-block functions for the rows that are not exact. Such a row is always computed by the same
 * function on a full block, whatever stands around it: an element's bits then depend on its operands
 * alone, not on what the C compiler chose to vectorize in one kernel or another (rule 3.4). */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include "compiler/lang/lang.h"
#include "compiler/ir/ir.h"

/* How often a value is computed. */
enum rate {
    RATE_ONCE,                     /* it depends on literals alone: before all loops */
    RATE_ROW,                      /* its operands do not vary along a row: before the row's blocks */
    RATE_BLOCK
};

struct schedule {
    unsigned char *rate;           /* [ins], enum rate */
    bool *call;                    /* [ins] computed by a function of whole blocks; look-ups are, or
                                      C compilers would vectorize them, which is slower */
    int *output;                   /* [ins] of the only store, and of the call whose block it stores and
                                      nothing else reads: the access the call writes to itself; else -1 */
    int *level;                    /* of each instruction: its loop, or the loop its call follows */
    int level_count;
    int *order;                    /* instructions that compute in blocks, by level, then by number */
    int order_count;
    int *slot;                     /* where a value that leaves its loop is kept; -1: nowhere */
    int slot_count;
};

/* Whether the instruction is always computed by a function of whole blocks: its row is not exact. */
bool is_block_call(const struct ins *ins);
/* Whether a block is converted at once: between 8 or 16 bits and float32, where vectors of one width
 * become several of another, and C compilers make slow work of it inside a loop. */
bool is_block_conversion(const struct ins *ins);
/* `kinds` of the accesses, NULL: none is a scalar; `fast` is a set of enum fast_path. Without `blocks` only
 * conversions are functions of whole blocks. */
void make_schedule(struct arena *arena, const struct kernel *kernel, const unsigned char *kinds,
                   unsigned fast, bool blocks, struct schedule *schedule);

#endif
