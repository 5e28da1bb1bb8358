/* Batches: one call for many samples, each a tensor with a shape of its own. Consecutive samples
 * of equal shapes and strides form a segment and share a plan. Results that depend on no batch are
 * a part of their own, which is computed once. */
#ifndef WEFT_RUNTIME_RUN_BATCH_IMPL_H
#define WEFT_RUNTIME_RUN_BATCH_IMPL_H

#include "runtime/run/call.h"

/* Finds the plans for all samples and checks everything; with `needs_data` also the addresses.
 * False with diagnostics. Call batch_release in any case. */
bool batch_find(struct call *call, bool needs_data);
/* Computes all results. */
void batch_run(struct call *call);
/* For weft_prepare: describes each kernel of the call once, waiting until it is final. Writes at
 * most `room` of them and returns how many there are. */
size_t batch_kernels(struct call *call, struct weft_kernel_info *kernels, size_t room);
/* Releases the plans of all segments. */
void batch_release(struct call *call);

#endif
