/* Batches on a GPU: one launch for each kernel that occurs, on a table of its samples, which is copied
 * there in front of it. */
#ifndef WEFT_CUDA_BATCH_H
#define WEFT_CUDA_BATCH_H

#include "runtime/run/gpu_work_impl.h"
#include "runtime/run/deal_impl.h"

/* The work of these parts (PART_COUNT of them, whose stretches stay) of a call whose plans were found by
 * batch_find, ready to begin; NULL: there is nothing to do. May jump. */
struct cuda_work *cuda_batch_set_up(struct call *call, const struct batch_part *parts);

#endif
