/* Batches: one call for many samples, each a tensor of its own shape. A batch's samples are taken in
 * stretches that have the same shapes and strides and so the same plan. What depends on no batch is
 * a part of its own, computed once. */
#ifndef WEFT_BATCH_H
#define WEFT_BATCH_H

#include "runtime/run/call.h"

/* Finds the plans for all samples and checks everything; needs_data: also where data lies. False with
 * diagnostics. What was found is released with the call. */
bool batch_find(struct call *call, bool needs_data);
/* Computes all results. */
void batch_run(struct call *call);
/* For weft_prepare: as many kernels as there are, of which `room` are told. */
size_t batch_kernels(struct call *call, struct weft_kernel_info *kernels, size_t room);
void batch_release(struct call *call);

#endif
