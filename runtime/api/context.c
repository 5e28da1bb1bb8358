/* Contexts, and how a call hands over what it found. */
#include "runtime/internal.h"

#include "runtime/kernels/kernels.h"
#include "runtime/api/settings_impl.h"

#include <stdlib.h>
#include <string.h>

enum weft_status invalid_call(struct weft_error **error, const char *why)
{
    struct arena arena;
    struct diags diags;
    jmp_buf env;
    int saved = errno;
    if (error)
        *error = NULL;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        diags_init(&diags, &arena, NULL);
        diag_at(&diags, DIAG_CALL, NULL, 0, why);
        finish_call(NULL, &diags, error);
    }
    arena_finish(&arena);
    errno = saved;
    return WEFT_INVALID_ARGUMENT;
}

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
        context->log = params->log;
        context->user = params->user;
        threads_init(&context->threads, params);
        pthread_mutex_init(&context->mutex, NULL);
        pthread_cond_init(&context->changed, NULL);
        pthread_mutex_init(&context->cc_mutex, NULL);
        pthread_mutex_init(&context->running.mutex, NULL);
        cuda_devices_init(&context->cuda);
        remarks_init(&context->remarks);
        nvrtc_init(&context->nvrtc, &context->cc);
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
    log_untold(context);
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
    free(context);
    errno = saved;
}

void weft_free(void *memory)
{
    free(memory);
}

/* Takes the list over. */
static void log_records(const struct weft_context *context, struct weft_error *all)
{
    for (struct weft_error *record = all; record; record = record->next)
        if (record->severity != WEFT_ERROR)
            context->log(context->user, record);
    weft_error_destroy(all);
}

void keep_untold(struct weft_context *context, const struct diags *diags)
{
    struct weft_error *all = context->log ? diags_export(diags, WEFT_NOTE) : NULL;
    if (!all)
        return;
    pthread_mutex_lock(&context->mutex);
    struct weft_error *first = context->untold, *last = first;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = all;
    else
        context->untold = all;
    pthread_mutex_unlock(&context->mutex);
}

void log_untold(struct weft_context *context)
{
    if (!context->untold)
        return;
    pthread_mutex_lock(&context->mutex);
    struct weft_error *all = context->untold;
    context->untold = NULL;
    pthread_mutex_unlock(&context->mutex);
    log_records(context, all);
}

enum weft_status finish_call(const struct weft_context *context, const struct diags *diags,
                             struct weft_error **error)
{
    if (context && context->log && diags->warnings)
        log_records(context, diags_export(diags, WEFT_NOTE));
    if (error)
        *error = diags_export(diags, WEFT_ERROR);
    return diags_status(diags);
}
