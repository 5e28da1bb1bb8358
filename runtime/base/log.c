/* Guarded calls, and how their diagnostics reach the caller and the log; see log.h. */
#include "runtime/base/log.h"

#include <errno.h>

void log_init(struct log *log, const struct weft_context_params *params)
{
    *log = (struct log){.tell = params->log, .user = params->user};
    pthread_mutex_init(&log->mutex, NULL);
}

void log_finish(struct log *log)
{
    pthread_mutex_destroy(&log->mutex);
}

/* `remarks`: warnings go to the caller, not to the log. */
static enum weft_status guarded(const struct log *log, const struct source *source, call_work *work, void *user,
                                bool remarks, struct weft_error **error)
{
    struct arena arena;
    jmp_buf env;
    int saved = errno;
    enum weft_status status = WEFT_OUT_OF_MEMORY;
    if (error)
        *error = NULL;
    arena_init(&arena);
    if (!ARENA_GUARD(&arena, env)) {
        struct diags diags = diags_new(&arena, source);
        work(&diags, user);
        status = remarks ? finish_remarks(&diags, error) : finish_call(log, &diags, error);
    }
    arena_finish(&arena);
    errno = saved;
    return status;
}

enum weft_status guarded_call(const struct log *log, const struct source *source, call_work *work, void *user,
                              struct weft_error **error)
{
    return guarded(log, source, work, user, false, error);
}

enum weft_status guarded_remarks(const struct source *source, call_work *work, void *user, struct weft_error **error)
{
    return guarded(NULL, source, work, user, true, error);
}

static void tell_wrong(struct diags *diags, void *why)
{
    diag_at(diags, DIAG_CALL, NULL, 0, (const char *)why);
}

enum weft_status invalid_call(struct weft_error **error, const char *why)
{
    guarded_call(NULL, NULL, tell_wrong, (void *)(uintptr_t)why, error);
    return WEFT_INVALID_ARGUMENT;
}

/* Consumes the list. */
static void log_records(const struct log *log, struct weft_error *all)
{
    for (struct weft_error *record = all; record; record = record->next)
        if (record->severity != WEFT_ERROR)
            log->tell(log->user, record);
    weft_error_destroy(all);
}

void keep_untold(struct log *log, const struct diags *diags)
{
    struct weft_error *all = log->tell ? diags_export(diags, WEFT_NOTE) : NULL;
    if (!all)
        return;
    pthread_mutex_lock(&log->mutex);
    struct weft_error *first = log->untold, *last = first;
    while (last && last->next)
        last = last->next;
    if (last)
        last->next = all;
    else
        log->untold = all;
    pthread_mutex_unlock(&log->mutex);
}

void log_untold(struct log *log)
{
    if (!log->untold)
        return;
    pthread_mutex_lock(&log->mutex);
    struct weft_error *all = log->untold;
    log->untold = NULL;
    pthread_mutex_unlock(&log->mutex);
    log_records(log, all);
}

enum weft_status finish_call(const struct log *log, const struct diags *diags, struct weft_error **error)
{
    if (log && log->tell && diags->warnings)
        log_records(log, diags_export(diags, WEFT_NOTE));
    if (error)
        *error = diags_export(diags, WEFT_ERROR);
    return diags_status(diags);
}

enum weft_status finish_remarks(const struct diags *diags, struct weft_error **error)
{
    enum weft_status status = diags_status(diags);
    for (const struct diag *record = diags->first; record && status == WEFT_OK; record = record->next)
        status = diag_status(record->id);
    if (error)
        *error = diags_export(diags, WEFT_WARNING);
    return status;
}
