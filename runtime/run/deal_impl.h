/* Samples of batches, dealt out to launches: one for each kernel that occurs in a place, all that is hoisted,
 * in order, before results, in order. */
#ifndef WEFT_DEAL_H
#define WEFT_DEAL_H

#include "runtime/run/call.h"
#include "runtime/run/launch_impl.h"

/* A launch in the making. */
struct deal {
    struct launch launch;
    int64_t place;                 /* parts in order; in them what is hoisted, then results */
    char **bases;                  /* [samples][accesses] */
};

struct deals {
    struct call *call;
    const struct batch_part *parts; /* [PART_COUNT] */
    struct deal *items;
    int count;
};

/* Fills stretch->launches of all stretches, with indices of items, and counts what each launch has to do.
 * All of them, in the order in which they run. */
struct deal **deals_count(struct deals *deals);

#endif
