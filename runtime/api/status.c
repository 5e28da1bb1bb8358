/* weft_context_status: what shows only after the caller has synchronized. Each GPU is asked through a
 * stream of our own, so the caller's may be gone or being captured. */
#include "runtime/run/run.h"

#include <errno.h>

static bool is_alive(struct cuda_device *device, struct diags *diags)
{
    if (!cuda_enter(device, diags))
        return false;
    int mode = cuda_relax(device);
    int result = device->driver->cuStreamQuery(device->memory.stream);
    cuda_strict(device, mode);
    cuda_leave(device);
    return result == CUDA_ERROR_NOT_READY || cuda_check(device->driver, diags, result, "cuStreamQuery");
}

static bool all_alive(struct weft_context *context, struct diags *diags)
{
    bool alive = true;
    for (int i = 0; i < CUDA_MAX_DEVICES && alive; i++) {
        struct cuda_device *device = atomic_load(&context->cuda.all[i]);
        alive = !device || is_alive(device, diags);
    }
    return alive;
}

enum weft_status weft_context_status(struct weft_context *context, void *stream, struct weft_error **error)
{
    struct arena arena;
    struct diags diags;
    jmp_buf env;
    int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (!context)
        return invalid_call(error, "weft_context_status needs a context, found NULL");
    if (error)
        *error = NULL;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, NULL);
        if (all_alive(context, &diags))
            remarks_tell(&context->remarks, stream, &diags);
        status = diags_status(&diags);
        if (status == WEFT_OK && diags.warnings)
            status = WEFT_DIVIDE_BY_ZERO;
        if (error)
            *error = diags_export(&diags, WEFT_WARNING);
    }
    arena_finish(&arena);
    errno = saved;
    return status;
}
