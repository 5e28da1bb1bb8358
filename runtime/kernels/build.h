/* Making one kernel: from the disk cache, else by the machine's C compiler or NVRTC. No function here may be
 * called with the context's mutex held; any thread may call them, also for the same kernel. */
#ifndef WEFT_BUILD_H
#define WEFT_BUILD_H

#include "runtime/kernels/context.h"

/* A copy of the context's compiler that knows which one it is (cc_probe); it is good for as long as
 * the context. False with a diagnostic. */
bool build_compiler(struct weft_context *context, struct cc *cc, struct diags *diags);

/* The kernel to make. */
struct build {
    struct weft_context *context;
    const char *key;               /* its text without comments */
    const char *text;
    enum weft_math math;
    struct cuda_device *device;    /* NULL: it is C */
};

/* The kernel, a handle of dlopen with the text's entry, or a CUmodule, which the caller closes; NULL
 * when it is not on disk. Starts no process, opens no compiler and waits for nobody. */
void *build_from_disk(const struct build *build);

/* The same from the disk or, failing that, compiled and kept on disk. Processes that want the same kernel
 * wait for the first. NULL with a diagnostic. That the disk cache cannot be used is kept for the log
 * (log_untold), once for a context. */
void *build_kernel(const struct build *build, struct diags *diags, enum weft_kernel_origin *origin);

#endif
