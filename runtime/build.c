/* Making one kernel, wherever from. Knows nothing of the table in memory (kernels.c), so that any
 * thread may call it. */
#include "runtime/build.h"

#include <dlfcn.h>

bool build_compiler(struct weft_context *context, struct cc *cc, struct diags *diags)
{
    pthread_mutex_lock(&context->cc_mutex);
    bool good = cc_probe(&context->cc, &context->running, diags);
    *cc = context->cc;
    pthread_mutex_unlock(&context->cc_mutex);
    return good;
}

void *build_from_disk(struct weft_context *context, const char *key, enum weft_math math)
{
    (void)context, (void)key, (void)math;
    return NULL;
}

void *build_kernel(struct weft_context *context, const char *key, const char *text,
                   enum weft_math math, struct diags *diags, enum weft_kernel_origin *origin)
{
    struct cc cc;
    void *handle = build_from_disk(context, key, math);
    *origin = handle ? WEFT_FROM_DISK : WEFT_FROM_COMPILER;
    if (!handle && build_compiler(context, &cc, diags))
        handle = cc_load(&cc, &context->running, text, math, diags);
    if (handle && !dlsym(handle, "weft_kernel")) {
        dlclose(handle);
        diag_at(diags, DIAG_KERNEL_LOAD, NULL, 0, "it has no entry");
        return NULL;
    }
    return handle;
}
