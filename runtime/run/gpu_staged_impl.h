/* Host tensors on a GPU: copied there and back by way of pinned memory, on streams of our own, while the
 * caller waits. Work in several parts overlaps: one is copied there while another computes and a third is
 * copied back. */
#ifndef WEFT_CUDA_HOST_H
#define WEFT_CUDA_HOST_H

#include "runtime/run/gpu_work_impl.h"

/* Does all of them, in order as far as one can tell from outside, and waits. Remarks and what failed are
 * told. */
void cuda_host_run(struct call *call, struct cuda_work *const *works, int count);

#endif
