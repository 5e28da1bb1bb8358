/* A context of the library whose warnings go to a report. */
#ifndef WEFT_CLI_SESSION_H
#define WEFT_CLI_SESSION_H

#include "cli/base/base.h"
#include "cli/commands/script_impl.h"
#include "cli/values/values.h"

#include <pthread.h>

struct session {
    struct report *report;
    struct weft_context *context;
    bool muted; /* warnings are dropped: they are told again later */
    pthread_mutex_t mutex; /* of the report, to which runs on several threads may tell something */
};

/* Fills in the log of `params`. */
bool session_open(struct session *session, struct report *report,
                  struct weft_context_params params);
void session_close(struct session *session);
/* Compiles the text alone; session_specify tells its warnings.
 * NULL after reporting errors. */
struct weft_program *session_compile(struct session *session, const struct script *script, enum weft_rules rules,
                                     enum weft_math math);
/* Tells the program what is known of its inputs, and which bindings are results. */
bool session_specify(struct session *session, struct weft_program *program, const struct inputs *inputs,
                     const struct weft_compile_params *params);

#endif
