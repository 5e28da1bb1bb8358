/* The order in which a block is computed: loops over the block's elements, and between them calls of
 * whole-block functions for the rows that are not exact. Such a row is always computed by the same
 * function on a full block, whatever stands around it: an element's bits then depend on its operands
 * alone, not on what the C compiler chose to vectorize in one kernel or another (rule 3.4). */
#ifndef WEFT_SCHEDULE_H
#define WEFT_SCHEDULE_H

#include "compiler/kernel.h"

struct schedule {
    bool *constant;                /* [ins] depends on literals alone: computed once, before all loops */
    int *level;                    /* of each instruction: its loop, or the loop its call follows */
    int level_count;
    int *order;                    /* instructions that compute, by level, then by number */
    int order_count;
    int *slot;                     /* where a value that leaves its loop is kept; -1: nowhere */
    int slot_count;
};

/* Whether the instruction is a call on whole blocks: a row that is not exact, or a look-up, which a C
 * compiler would make slower by vectorizing it. */
bool is_block_call(const struct ins *ins);
void make_schedule(struct arena *arena, const struct kernel *kernel, struct schedule *schedule);

#endif
