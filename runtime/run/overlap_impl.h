/* Rule 5.4: an output may be the very buffer of an input. Every other overlap is an error, which
 * is found before anything is written. */
#ifndef WEFT_RUNTIME_RUN_OVERLAP_IMPL_H
#define WEFT_RUNTIME_RUN_OVERLAP_IMPL_H

#include "runtime/run/call.h"

/* Checks one output of a call without batches, or of one cut into slabs, as it was given. False
 * with a diagnostic. */
bool check_overlap(struct call *call, int result);

/* The last kernel of results for which this tensor is read or written, by its order; -1: none. A kernel
 * that stores temporaries counts as the kernel that it helps, so the answer does not depend on what is
 * materialized. */
int last_use(const struct plan *plan, enum tensor_kind kind, int index);

/* The byte ranges of an input's or output's samples, summed up one after the other. */
struct occupied {
    uintptr_t low, high;           /* of all samples together; equal when they are empty */
    uintptr_t end;                 /* of the last sample that is not empty */
    bool ascending;                /* each sample begins behind the end of the one before */
    bool even;                     /* the samples' data are `step` bytes apart */
    int64_t step;
    uintptr_t last;                /* address of the last sample's data */
};

/* Adds sample `i`, which is the current one. Samples come in order. */
static inline void occupy(struct occupied *o, const struct tensor *tensor, int64_t i)
{
    uintptr_t data = (uintptr_t)tensor->data;
    if (i < 2) {
        o->step = (int64_t)(data - o->last);
        o->even = true;
        o->ascending = o->ascending || i == 0;
    }
    o->even = o->even && (i == 0 || (int64_t)(data - o->last) == o->step);
    o->last = data;
    if (tensor->first == tensor->end)
        return;
    o->ascending = o->ascending && tensor->first >= o->end;
    o->end = tensor->end;
    o->low = o->low == o->high || tensor->first < o->low ? tensor->first : o->low;
    o->high = tensor->end > o->high ? tensor->end : o->high;
}

/* Checks a call with batches, all of whose samples have been added: all[inputs, then outputs].
 * False with a diagnostic. */
bool check_overlaps(struct call *call, const struct occupied *occupied);

#endif
