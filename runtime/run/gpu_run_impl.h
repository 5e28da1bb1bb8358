/* Runs of one sample on a GPU, and the staging of host operands that batches use, too (gpu_batch_impl.h).
 * Operands in device memory are used in place. */
#ifndef WEFT_RUNTIME_RUN_GPU_RUN_IMPL_H
#define WEFT_RUNTIME_RUN_GPU_RUN_IMPL_H

#include "runtime/run/gpu_work_impl.h"

/* The work of a plan for a call on one sample; NULL: there is nothing to do. May jump if memory runs out. */
struct cuda_work *cuda_set_up(struct call *call, const struct plan *plan);

/* The inputs as a plan for call->device sees them: a host tensor with gaps is dense on the GPU. Returns
 * `inputs` itself where nothing changes, as for C. May jump if memory runs out. */
const struct tensor *cuda_inputs(struct call *call, const struct tensor *inputs);
/* The outputs as a run on a GPU has them: host tensors are always dense on the GPU. */
const struct tensor *cuda_outputs(struct call *call);

/* Add a host tensor that is copied to the GPU (cuda_stage) or back (cuda_bring), unless it is empty. `layout`
 * has its shape and strides and lives as long as the work. `alignment` and `address` are as in struct
 * cuda_buffer. May jump if memory runs out. */
void cuda_stage(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address);
void cuda_bring(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address);

/* The word that passes a host tensor of one element by value. */
uint64_t cuda_value(const struct call *call, const struct access *access, int64_t sample);

/* The sources of a kernel. Those that are not resident are added to the work and have an address once it has
 * begun. May jump if memory runs out. */
const struct cuda_planned *cuda_resident(struct cuda_work *work, const struct planned *planned);

#endif
