/* Runs on host tensors with a GPU: copies through pinned memory, on streams of our own, while the
 * caller waits. Several works overlap: one is copied to the GPU, another computes, and a third is
 * copied back. */
#ifndef WEFT_RUNTIME_RUN_GPU_STAGED_IMPL_H
#define WEFT_RUNTIME_RUN_GPU_STAGED_IMPL_H

#include "runtime/run/gpu_work_impl.h"

/* Does all works, which share a device, as if one after the other, and waits for them. Adds remarks
 * and errors to the call's diagnostics. */
void cuda_host_run(struct call *call, struct cuda_work *const *works, int count);

#endif
