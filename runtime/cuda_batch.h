/* Batches on a GPU: one launch for each kernel that occurs, on a table of its samples, which is copied
 * there in front of it. */
#ifndef WEFT_CUDA_BATCH_H
#define WEFT_CUDA_BATCH_H

#include "runtime/deal.h"

/* Runs all of a call whose plans were found by batch_find. */
void cuda_batch_run(struct call *call, void *stream);

#endif
