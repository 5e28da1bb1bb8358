/* How a call delivers its diagnostics: errors to its caller, warnings and notes to the log of the context. */
#ifndef WEFT_RUNTIME_BASE_LOG_H
#define WEFT_RUNTIME_BASE_LOG_H

#include "compiler/base/base.h"

#include <pthread.h>
#include <stdatomic.h>

/* A member of struct weft_context. */
struct log {
    void (*tell)(void *user, const struct weft_error *record); /* NULL: there is no log */
    void *user;
    pthread_mutex_t mutex;         /* guards what follows */
    struct weft_error *_Atomic untold; /* warnings and notes of background threads */
};

/* Reads the callback from the parameters. */
void log_init(struct log *log, const struct weft_context_params *params);
void log_finish(struct log *log);

/* Returns WEFT_INVALID_ARGUMENT and sets *error to a record that says why. */
enum weft_status invalid_call(struct weft_error **error, const char *why);

/* The body of a guarded call. It allocates from diags->arena, which is freed when the call ends. */
typedef void call_work(struct diags *diags, void *user);
/* Runs `work` with an arena of its own and delivers its diagnostics as finish_call does. `source` is the
 * text that diagnostics point into; NULL: none. If an allocation fails, the result is WEFT_OUT_OF_MEMORY
 * and *error is NULL. errno is preserved. */
enum weft_status guarded_call(const struct log *log, const struct source *source, call_work *work, void *user,
                              struct weft_error **error);
/* A guarded call whose diagnostics are delivered as finish_remarks does. */
enum weft_status guarded_remarks(const struct source *source, call_work *work, void *user, struct weft_error **error);

/* Delivers the diagnostics: errors to *error, which the caller owns, warnings and notes to the log. Both
 * may be NULL. Returns the status of the call. */
enum weft_status finish_call(const struct log *log, const struct diags *diags, struct weft_error **error);
/* Delivers errors and warnings to *error, which may be NULL, and drops notes. Returns the status of the call:
 * the status of the first remark where there is no error. */
enum weft_status finish_remarks(const struct diags *diags, struct weft_error **error);

/* Keeps the warnings and notes until the next log_untold. May be called from any thread. */
void keep_untold(struct log *log, const struct diags *diags);
/* Passes what was kept to the log. The caller must hold no lock, since the log is the host's code. */
void log_untold(struct log *log);

#endif
