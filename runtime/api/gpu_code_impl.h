/* Machine code for GPUs that need not be there. */
#ifndef WEFT_GPU_CODE_H
#define WEFT_GPU_CODE_H

#include "runtime/run/run.h"

/* Of a kernel's text: code for "sm_90", or PTX for "compute_90", from malloc. */
bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags);

#endif
