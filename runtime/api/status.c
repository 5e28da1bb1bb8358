/* weft_context_status: what shows only after the caller has synchronized. Each GPU is asked through a
 * stream of our own, so the caller's may be gone or being captured. */
#include "runtime/run/run.h"

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

struct question {
    struct weft_context *context;
    void *stream;
};

static void ask(struct diags *diags, void *user)
{
    const struct question *question = user;
    if (all_alive(question->context, diags))
        remarks_tell(&question->context->remarks, question->stream, diags);
}

enum weft_status weft_context_status(struct weft_context *context, void *stream, struct weft_error **error)
{
    if (!context)
        return invalid_call(error, "weft_context_status needs a context, found NULL");
    return guarded_remarks(NULL, ask, &(struct question){context, stream}, error);
}
