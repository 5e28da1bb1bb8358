/* weft show: the text of one stage, or of all of them. */
#include "cli/commands/commands.h"
#include "cli/commands/session.h"
#include "cli/outputs/output.h"
#include "cli/values/fit.h"

#include <string.h>

/* All stages of kernels in C, and of kernels for a GPU. */
static const char *const c_stages[] = {"tokens", "ast", "types", "groups", "ir", "c", "asm", NULL};
static const char *const cuda_stages[] = {"tokens", "ast", "types", "cuda", "ptx", "sass", NULL};

static bool show_stage(struct report *report, struct weft_program *program, const char *stage,
                       bool all)
{
    char *text = NULL;
    struct weft_error *errors = NULL;
    output_hold_signals();
    enum weft_status status = weft_program_stage(program, stage, &text, &errors);
    output_release_signals();
    if (status == WEFT_UNSUPPORTED && all) {
        weft_error_destroy(errors);
        return true;
    }
    if (!report_library(report, status, errors))
        return false;
    if (all)
        output_puts(arena_printf(report->arena, "== %s ==\n", stage));
    size_t length = strlen(text);
    output_puts(text);
    if (length && text[length - 1] != '\n')
        output_puts("\n");
    weft_free(text);
    return true;
}

/* Who names a GPU's architecture means kernels for it. */
static bool shows_cuda(const struct arguments *arguments)
{
    return arguments->target == WEFT_TARGET_CUDA || (arguments->arch && arguments->target != WEFT_TARGET_C);
}

static bool show_stages(struct report *report, struct weft_program *program,
                        const struct arguments *arguments)
{
    const char *stage = arguments->stage;
    const char *const *all = shows_cuda(arguments) ? cuda_stages : c_stages;
    if (stage && strcmp(stage, "all") != 0)
        return show_stage(report, program, stage, false);
    for (; *all; all++)
        if (!show_stage(report, program, *all, true))
            return false;
    return true;
}

static bool show(struct session *session, const struct arguments *arguments, struct inputs *inputs,
                 struct weft_program **program)
{
    struct report *report = session->report;
    struct script script;
    const struct shape **shapes;
    struct weft_compile_params params = {.math = arguments->math};
    struct weft_context_params context = {
        .tier = WEFT_TIER_NONE, .threads = 1, .arch = arguments->arch,
        .target = shows_cuda(arguments) ? WEFT_TARGET_CUDA : arguments->target};
    if (!script_load(report, arguments->program, &script) ||
        !session_open(session, report, context))
        return false;
    session->muted = true;
    *program = session_compile(session, &script, params);
    session->muted = false;
    if (!*program || !inputs_match(report, *program, &script, arguments, INPUTS_SHAPES) ||
        !inputs_load(report, &script, arguments, INPUTS_SHAPES, inputs) ||
        !inputs_fit(report, &script, inputs, &shapes))
        return false;
    weft_program_destroy(*program);
    params.inputs = inputs_types(report->arena, inputs, &params.input_count);
    *program = session_compile(session, &script, params);
    return *program && show_stages(report, *program, arguments) && output_flush(report);
}

int command_show(struct report *report, const struct arguments *arguments)
{
    struct session session = {.report = report};
    struct inputs inputs = {0};
    struct weft_program *program = NULL;
    if (!show(&session, arguments, &inputs, &program) && !report->status)
        report->status = 1;
    inputs_finish(&inputs);
    weft_program_destroy(program);
    session_close(&session);
    return report->status;
}
