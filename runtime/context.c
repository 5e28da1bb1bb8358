/* Contexts, and how a call hands over what it found. */
#include "runtime/internal.h"

#include "runtime/kernels.h"

#include <stdlib.h>
#include <string.h>

static enum weft_status out_of_memory(struct weft_error **error)
{
    if (error)
        *error = NULL;
    return WEFT_OUT_OF_MEMORY;
}

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
    int saved = errno;
    struct weft_context *context = calloc(1, sizeof *context);
    params = params ? params : &defaults;
    if (error)
        *error = NULL;
    if (context) {
        context->log = params->log;
        context->user = params->user;
        pthread_mutex_init(&context->mutex, NULL);
        pthread_cond_init(&context->changed, NULL);
    }
    bool good = context && cc_init(&context->cc, params->cc, params->cflags);
    if (!good) {
        weft_context_destroy(context);
        context = NULL;
    }
    *result = context;
    errno = saved;
    return good ? WEFT_OK : out_of_memory(error);
}

void weft_context_destroy(struct weft_context *context)
{
    if (!context)
        return;
    kernels_finish(context);
    cc_finish(&context->cc);
    pthread_cond_destroy(&context->changed);
    pthread_mutex_destroy(&context->mutex);
    free(context);
}

void weft_free(void *memory)
{
    free(memory);
}

static void log_warnings(const struct weft_context *context, const struct diags *diags)
{
    struct weft_error *all = context->log ? diags_export(diags, WEFT_NOTE) : NULL;
    for (struct weft_error *record = all; record; record = record->next)
        if (record->severity != WEFT_ERROR)
            context->log(context->user, record);
    weft_error_destroy(all);
}

enum weft_status finish_call(const struct weft_context *context, const struct diags *diags,
                             struct weft_error **error)
{
    if (context && diags->warnings)
        log_warnings(context, diags);
    if (error)
        *error = diags_export(diags, WEFT_ERROR);
    return diags_status(diags);
}
