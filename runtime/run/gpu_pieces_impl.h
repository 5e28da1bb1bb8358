/* Host data on a GPU, cut into pieces: while one is copied there another computes and a third is copied back, and
 * the GPU's memory holds a few of them at a time, however much there is. Batches are cut between samples. A large
 * tensor becomes a batch of slabs of it first, where that changes no result. */
#ifndef WEFT_CUDA_PIECES_H
#define WEFT_CUDA_PIECES_H

#include "runtime/run/gpu_work_impl.h"

/* Makes slabs of a staged call's operands, if they are large and each element of a result needs only what lies in
 * its own slab: then call->batch and call->slabs are set, and `whole` keeps the operands as they were given. False
 * with diagnostics. May jump. */
bool cuda_cut(struct call *call, bool needs_data);

/* The work of a staged batch whose plans were found by batch_find, in the order in which it has to be begun.
 * May jump. */
struct cuda_work **cuda_pieces(struct call *call, int *count);

#endif
