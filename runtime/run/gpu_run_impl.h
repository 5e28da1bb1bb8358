/* Runs on a GPU, and what they have in common with those of batches (gpu_batch_impl.h): operands in host memory on
 * their way there and back. Operands that lie there need nothing. */
#ifndef WEFT_CUDA_RUN_H
#define WEFT_CUDA_RUN_H

#include "runtime/run/gpu_work_impl.h"

/* A plan's work for a call on one sample, ready to begin; NULL: there is nothing to do. May jump. */
struct cuda_work *cuda_set_up(struct call *call, const struct plan *plan);

/* Inputs as a plan for call->device sees them: those in host memory lie dense on the GPU where they have gaps.
 * `inputs` themselves where nothing changes, as for C. May jump. */
const struct tensor *cuda_inputs(struct call *call, const struct tensor *inputs);
/* Likewise call->outputs: those in host memory are all dense. */
const struct tensor *cuda_outputs(struct call *call);

/* Adds a host tensor to what is copied there, or back, if it has an element. `layout` has its shape and strides
 * and lives as long as the work; `alignment` as in struct cuda_part. May jump. */
void cuda_stage(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address);
void cuda_bring(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address);

/* The sources of a kernel, each with an address once the work has begun. May jump. */
const struct cuda_planned *cuda_resident(struct cuda_work *work, const struct planned *planned);

#endif
