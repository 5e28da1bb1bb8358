/* Machine code for GPUs that need not be present. */
#ifndef WEFT_RUNTIME_API_GPU_CODE_IMPL_H
#define WEFT_RUNTIME_API_GPU_CODE_IMPL_H

#include "runtime/run/run.h"

/* Compiles a kernel's text with strict math: to a cubin for "sm_90", or PTX for "compute_90". The
 * caller frees code->bytes. False with a diagnostic. */
bool cuda_code(struct weft_context *context, const char *text, const char *name, struct nvrtc_code *code,
               struct diags *diags);

/* Readable listings of what NVRTC makes of a kernel's text: PTX, and SASS by NVIDIA's disassemblers. They are for the
 * architecture of the context's parameters, else that of the first GPU, else sm_90. From malloc; NULL with a
 * diagnostic. */
char *cuda_ptx(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags);
char *cuda_sass(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags);

#endif
