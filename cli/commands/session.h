/* A context of the library together with where its warnings go. */
#ifndef WEFT_CLI_SESSION_H
#define WEFT_CLI_SESSION_H

#include "cli/base/report.h"
#include "cli/commands/script.h"

struct session {
    struct report *report;
    struct weft_context *context;
    bool muted; /* warnings are dropped: the text is compiled again later */
};

/* Fills in the log of `params`. */
bool session_open(struct session *session, struct report *report,
                  struct weft_context_params params);
void session_close(struct session *session);
/* NULL when the text does not compile, which is then reported. origin and kernel are the
 * script's. */
struct weft_program *session_compile(struct session *session, const struct script *script,
                                     struct weft_compile_params params);

#endif
