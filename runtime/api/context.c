/* Creating and destroying contexts. */
#include "runtime/api/settings_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum weft_status weft_context_create(const struct weft_context_params *params,
                                     struct weft_context **result, struct weft_error **error)
{
    static const struct weft_context_params defaults;
    if (!result)
        return invalid_call(error, "weft_context_create needs a place for the context, found NULL");
    *result = NULL;
    if (params && (params->tier < WEFT_TIER_EXACT || params->tier > WEFT_TIER_NONE))
        return invalid_call(error, "tier of weft_context_params is no enum weft_tier");
    if (params && params->threads < 0)
        return invalid_call(error, "threads of weft_context_params is negative");
    if (params && (params->target < WEFT_TARGET_AUTO || params->target > WEFT_TARGET_CUDA))
        return invalid_call(error, "target of weft_context_params is no enum weft_target");
    int saved = errno;
    struct weft_context *context = calloc(1, sizeof *context);
    params = params ? params : &defaults;
    if (error)
        *error = NULL;
    if (context) {
        log_init(&context->log, params);
        threads_init(&context->threads, params);
        pthread_mutex_init(&context->mutex, NULL);
        pthread_cond_init(&context->changed, NULL);
        pthread_mutex_init(&context->cc_mutex, NULL);
        pthread_mutex_init(&context->running.mutex, NULL);
        cuda_devices_init(&context->cuda);
        remarks_init(&context->remarks);
        nvrtc_init(&context->nvrtc, &context->cc.environment);
        context->tier = params->tier;
        worker_init(context);
    }
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (context && cc_init(&context->cc, params->cc, params->cflags)) {
        context->cc.running = &context->running;
        context->only_first = strcmp(context->cc.path, "libtcc") == 0;
        status = settings_choose(context, params, error);
    }
    if (status < 0) {
        weft_context_destroy(context);
        context = NULL;
    }
    *result = context;
    errno = saved;
    return status;
}

void weft_context_destroy(struct weft_context *context)
{
    int saved = errno;
    if (!context)
        return;
    worker_finish(context);
    log_untold(&context->log);
    cuda_devices_wait(&context->cuda);
    kernels_finish(context);
    remarks_finish(&context->remarks);
    cuda_devices_finish(&context->cuda);
    nvrtc_finish(&context->nvrtc);
    cc_finish(&context->cc);
    settings_finish(context);
    pthread_cond_destroy(&context->changed);
    pthread_cond_destroy(&context->worker.wake);
    pthread_mutex_destroy(&context->running.mutex);
    pthread_mutex_destroy(&context->cc_mutex);
    pthread_mutex_destroy(&context->mutex);
    log_finish(&context->log);
    free(context);
    errno = saved;
}

void weft_free(void *memory)
{
    free(memory);
}
