/* Cuts host data for a GPU into pieces: while one is copied to the GPU, another computes and a third is copied
 * back. The GPU's memory holds only a few pieces at a time. Batches are cut between samples. A large tensor is
 * first made a batch of slabs, if that changes no result. */
#ifndef WEFT_RUNTIME_RUN_GPU_PIECES_IMPL_H
#define WEFT_RUNTIME_RUN_GPU_PIECES_IMPL_H

#include "runtime/run/gpu_work_impl.h"

/* Makes slabs of a staged call's operands if they are large and each element of a result needs only what is in
 * its own slab. Then call->batch and call->slabs are set, and call->whole keeps the operands as they were
 * given. False with diagnostics. May jump if memory runs out. */
bool cuda_cut(struct call *call, bool needs_data);

/* The works of a staged batch whose plans batch_find has found, in the order in which they must begin. May jump
 * if memory runs out. */
struct cuda_work **cuda_pieces(struct call *call, int *count);

#endif
