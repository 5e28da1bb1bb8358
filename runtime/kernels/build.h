/* Making one kernel: from the disk cache, or else with the machine's C compiler or NVRTC. Any thread may
 * call these functions, also two for the same kernel, but never with the context's mutex held. */
#ifndef WEFT_RUNTIME_KERNELS_BUILD_H
#define WEFT_RUNTIME_KERNELS_BUILD_H

#include "runtime/kernels/context.h"

/* Sets *cc to a copy of the context's compiler whose kind and version are known (cc_probe). The copy is
 * valid as long as the context. False with a diagnostic. */
bool build_compiler(struct weft_context *context, struct cc *cc, struct diags *diags);

/* The kernel to make. */
struct build {
    struct weft_context *context;
    const char *key;               /* its text without comments */
    const char *text, *entry;      /* and the name of its function */
    enum weft_math math;
    struct cuda_device *device;    /* NULL: a kernel in C */
    const char *label;             /* as in struct kernel_request */
};

/* Loads the kernel from disk. Returns a handle of dlopen, or a CUmodule, which the caller closes; NULL:
 * it is not there. Starts no process, opens no compiler and waits for no other thread. */
void *build_from_disk(const struct build *build);

/* The kernel from the disk or, failing that, compiled and kept on disk. Processes that need the same kernel
 * wait for the first one. Sets *origin. NULL with a diagnostic. Otherwise warnings and notes are for the log, such
 * as once for a context that the disk cache cannot be used. */
void *build_kernel(const struct build *build, struct diags *diags, enum weft_kernel_origin *origin);

#endif
