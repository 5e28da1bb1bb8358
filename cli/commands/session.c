/* See session.h. */
#include "cli/commands/session.h"

static void on_log(void *user, const struct weft_error *record)
{
    struct session *session = user;
    if (!session->muted)
        report_record(session->report, record);
}

bool session_open(struct session *session, struct report *report,
                  struct weft_context_params params)
{
    *session = (struct session){.report = report};
    params.log = on_log;
    params.user = session;
    struct weft_error *errors = NULL;
    enum weft_status status = weft_context_create(&params, &session->context, &errors);
    return report_library(report, status, errors);
}

void session_close(struct session *session)
{
    weft_context_destroy(session->context);
    session->context = NULL;
}

struct weft_program *session_compile(struct session *session, const struct script *script,
                                     struct weft_compile_params params)
{
    struct weft_program *program = NULL;
    struct weft_error *errors = NULL;
    params.origin = script->origin;
    params.kernel = script->kernel;
    enum weft_status status =
        weft_compile(session->context, script->text, &params, &program, &errors);
    return report_library(session->report, status, errors) ? program : NULL;
}
