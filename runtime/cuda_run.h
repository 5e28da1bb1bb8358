/* Runs on a GPU, of data that lie there: everything is put on the caller's stream, and nothing is waited
 * for. */
#ifndef WEFT_CUDA_RUN_H
#define WEFT_CUDA_RUN_H

#include "runtime/cuda_work.h"

/* Runs call->plan on one sample. */
void cuda_run(struct call *call, void *stream);

/* Host inputs beside device ones, as they come to lie on the GPU: dense where they have gaps. What plans are
 * wanted for; `tensors` themselves where nothing changes. Jumps where memory runs out. */
const struct tensor *cuda_placed(struct arena *arena, const struct tensor *tensors, int count);
/* Adds a host tensor to what is copied, if it has an element. `layout` has its shape and strides and lives as
 * long as the work; `alignment` as in struct cuda_part. */
void cuda_stage(struct cuda_work *work, const struct tensor *tensor, const struct tensor *layout,
                size_t alignment, uint64_t *address);

/* The sources of a kernel, each with an address once the work has begun. */
const struct cuda_planned *cuda_resident(struct cuda_work *work, const struct planned *planned);

#endif
