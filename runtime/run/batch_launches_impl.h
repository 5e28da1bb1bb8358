/* Assigns the samples of batches to launches: one for each kernel at each position. In each part, kernels
 * that store temporaries run in order before those that store results. */
#ifndef WEFT_RUNTIME_RUN_BATCH_LAUNCHES_IMPL_H
#define WEFT_RUNTIME_RUN_BATCH_LAUNCHES_IMPL_H

#include "runtime/run/call.h"
#include "runtime/run/cpu_launch_impl.h"

/* A launch and the memory for its samples. */
struct batch_launch {
    struct launch launch;
    int64_t place;                 /* the order: by part; within it temporaries, then results */
    char **bases;                  /* [samples][accesses] base addresses */
};

struct batch_launches {
    struct call *call;
    const struct batch_part *parts; /* [PART_COUNT] */
    struct batch_launch *items;
    int count;
};

/* Fills segment->launches of all segments with indices of items, and counts the samples and the work of
 * each launch. Returns all launches in the order in which they run. May jump if memory runs out. */
struct batch_launch **find_batch_launches(struct batch_launches *launches);

#endif
