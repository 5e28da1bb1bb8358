/* Making one kernel: from the disk cache, else by the machine's C compiler. No function here may be
 * called with the context's mutex held; any thread may call them, also for the same kernel. */
#ifndef WEFT_BUILD_H
#define WEFT_BUILD_H

#include "runtime/internal.h"

/* A copy of the context's compiler that knows which one it is (cc_probe); it is good for as long as
 * the context. False with a diagnostic. */
bool build_compiler(struct weft_context *context, struct cc *cc, struct diags *diags);

/* A handle of dlopen with an entry `weft_kernel`, which the caller closes; NULL when the kernel is
 * not on disk. Starts no process and waits for nobody. `key` is the text without comments. */
void *build_from_disk(struct weft_context *context, const char *key, enum weft_math math);

/* The same from the disk or, failing that, compiled from `text` and kept on disk. Processes that want
 * the same kernel wait for the first. NULL with a diagnostic. That the disk cache cannot be
 * used is kept for the log (log_untold), once for a context. */
void *build_kernel(struct weft_context *context, const char *key, const char *text,
                   enum weft_math math, struct diags *diags, enum weft_kernel_origin *origin);

#endif
