/* Machine code for GPUs that need not be present. */
#ifndef WEFT_RUNTIME_API_GPU_CODE_IMPL_H
#define WEFT_RUNTIME_API_GPU_CODE_IMPL_H

#include "runtime/run/run.h"

/* Compiles a kernel's text with strict math: to a cubin for "sm_90", or PTX for "compute_90". The
 * caller frees code->bytes. False with a diagnostic. */
bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags);

#endif
