/* Batches on a GPU: one launch for each kernel, on a table of its samples, which is copied to the GPU
 * before the launch. */
#ifndef WEFT_RUNTIME_RUN_GPU_BATCH_IMPL_H
#define WEFT_RUNTIME_RUN_GPU_BATCH_IMPL_H

#include "runtime/run/gpu_work_impl.h"
#include "runtime/run/batch_launches_impl.h"

/* The work of these parts (PART_COUNT of them, whose segments must stay) of a call whose plans
 * batch_find has found; NULL: there is nothing to do. May jump if memory runs out. */
struct cuda_work *cuda_batch_set_up(struct call *call, const struct batch_part *parts);

#endif
