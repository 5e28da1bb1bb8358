/* Readable listings of what NVRTC makes of a kernel's text: PTX, and SASS by NVIDIA's disassemblers.
 * No GPU is needed. */
#ifndef WEFT_RUNTIME_API_GPU_LISTING_IMPL_H
#define WEFT_RUNTIME_API_GPU_LISTING_IMPL_H

#include "runtime/run/run.h"

/* For the architecture of the context's parameters, else that of the first GPU, else sm_90. From
 * malloc; NULL with a diagnostic. */
char *cuda_ptx(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags);
char *cuda_sass(struct weft_context *context, const char *text, enum weft_math math, struct diags *diags);

#endif
