/* A context of the library together with where its warnings go. */
#ifndef WEFT_CLI_SESSION_H
#define WEFT_CLI_SESSION_H

#include "cli/base/base.h"
#include "cli/commands/script_impl.h"
#include "cli/values/values.h"

struct session {
    struct report *report;
    struct weft_context *context;
    bool muted; /* warnings are dropped: they are told again later */
};

/* Fills in the log of `params`. */
bool session_open(struct session *session, struct report *report,
                  struct weft_context_params params);
void session_close(struct session *session);
/* The text alone, for its names: warnings are left to session_specify. NULL when it does not compile, which is
 * then reported. */
struct weft_program *session_compile(struct session *session, const struct script *script,
                                     enum weft_math math);
/* What is known of the inputs, and which bindings are results. */
bool session_specify(struct session *session, struct weft_program *program, const struct inputs *inputs,
                     const struct weft_compile_params *params);

#endif
