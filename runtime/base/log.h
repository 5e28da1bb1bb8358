/* How a call hands over what it found: errors to its caller, warnings and notes to the log of the context. */
#ifndef WEFT_LOG_H
#define WEFT_LOG_H

#include "compiler/base/base.h"

#include <pthread.h>
#include <stdatomic.h>

/* A member of struct weft_context. */
struct log {
    void (*tell)(void *user, const struct weft_error *record); /* NULL: nobody listens */
    void *user;
    pthread_mutex_t mutex;         /* guards what follows */
    struct weft_error *_Atomic untold; /* warnings and notes from the background */
};

void log_init(struct log *log, const struct weft_context_params *params);
void log_finish(struct log *log);

/* WEFT_INVALID_ARGUMENT, with a record that says why. */
enum weft_status invalid_call(struct weft_error **error, const char *why);

/* What a call does that has memory of its own: that of diags->arena, which is gone afterwards. */
typedef void call_work(struct diags *diags, void *user);
/* Does it, about a text (NULL: none), and hands over what it found, as finish_call. errno stays. */
enum weft_status guarded_call(const struct log *log, const struct source *source, call_work *work, void *user,
                              struct weft_error **error);

/* Hands the list over: errors to *error (when not NULL), warnings to the log (NULL: to nobody). Returns the
 * status. */
enum weft_status finish_call(const struct log *log, const struct diags *diags, struct weft_error **error);

/* Keeps the warnings and notes for log_untold; from any thread. */
void keep_untold(struct log *log, const struct diags *diags);
/* Tells the log what is kept. The caller holds no lock. */
void log_untold(struct log *log);

#endif
