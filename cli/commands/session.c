/* See session_impl.h. */
#include "cli/commands/session_impl.h"

static void on_log(void *user, const struct weft_error *record)
{
    struct session *session = user;
    pthread_mutex_lock(&session->mutex);
    if (!session->muted)
        report_record(session->report, record);
    pthread_mutex_unlock(&session->mutex);
}

bool session_open(struct session *session, struct report *report,
                  struct weft_context_params params)
{
    *session = (struct session){.report = report, .mutex = PTHREAD_MUTEX_INITIALIZER};
    params.log = on_log;
    params.user = session;
    struct weft_error *errors = NULL;
    return report_library(report, weft_context_create(&params, &session->context, &errors), &errors);
}

void session_close(struct session *session)
{
    weft_context_destroy(session->context);
    session->context = NULL;
}

struct weft_program *session_compile(struct session *session, const struct script *script, enum weft_rules rules,
                                     enum weft_math math)
{
    const struct weft_compile_params params = {.origin = script->origin, .kernel = script->kernel, .math = math,
                                               .rules = rules, .advise = true};
    struct weft_program *program = NULL;
    struct weft_error *errors = NULL;
    session->muted = true;
    enum weft_status status = weft_compile(session->context, script->text, &params, &program, &errors);
    session->muted = false;
    return report_library(session->report, status, &errors) ? program : NULL;
}

bool session_specify(struct session *session, struct weft_program *program, const struct inputs *inputs,
                     const struct weft_compile_params *params)
{
    struct weft_error *errors = NULL;
    return inputs_report(session->report, inputs, weft_program_specify(program, params, &errors), &errors);
}
