/* weft show: the text of one stage, of some, or of all of them. */
#include "cli/commands/commands.h"
#include "cli/commands/session_impl.h"
#include "cli/outputs/outputs.h"

#include <string.h>

/* All stages of kernels in C, and of kernels for a GPU. */
static const char *const c_stages[] = {"tokens", "ast", "types", "schedule", "groups", "ir", "c", "asm", NULL};
static const char *const cuda_stages[] = {"tokens", "ast", "types", "cuda", "ptx", "sass", NULL};

enum { TITLE = 1, IF_THERE = 2, FULL = 4 };

static bool show_stage(struct report *report, struct weft_program *program, const char *stage, int how)
{
    char *text = NULL;
    struct weft_error *errors = NULL;
    const bool all = how & FULL && (strcmp(stage, "c") == 0 || strcmp(stage, "cuda") == 0);
    enum weft_status status =
        weft_program_stage(program, all ? pool_printf(report->pool, "%s-full", stage) : stage, &text, &errors);
    if (status == WEFT_UNSUPPORTED && how & IF_THERE) {
        weft_error_destroy(errors);
        return true;
    }
    if (!report_library(report, status, &errors))
        return false;
    if (how & TITLE)
        output_puts(pool_printf(report->pool, "== %s ==\n", stage));
    size_t length = strlen(text);
    output_puts(text);
    if (length && text[length - 1] != '\n')
        output_puts("\n");
    weft_free(text);
    return true;
}

/* The page appears whole or not at all. */
static bool write_page(struct report *report, struct weft_program *program, const char *path)
{
    struct weft_error *errors = NULL;
    struct outputs outputs;
    char *text = NULL;
    const enum weft_status status = weft_program_stage(program, "html", &text, &errors);
    if (!report_library(report, status, &errors))
        return false;
    struct tensor bytes = {.data = text, .size = strlen(text)};
    const struct value value = {.count = 1, .samples = &bytes};
    const bool done = outputs_texts(report, &path, 1, &outputs) && outputs_write(report, &outputs, &value, &path, 1);
    weft_free(text);
    return done;
}

/* --arch implies kernels for a GPU. */
static bool shows_cuda(const struct arguments *arguments)
{
    return arguments->target == WEFT_TARGET_CUDA || (arguments->arch && arguments->target != WEFT_TARGET_C);
}

static bool show_stages(struct report *report, struct weft_program *program,
                        const struct arguments *arguments)
{
    const char *const few = shows_cuda(arguments) ? "types,groups,cuda" : "types,groups,c";
    const char *rest = arguments->stage ? arguments->stage : few;
    const bool several = strchr(rest, ',');
    const int full = arguments->full ? FULL : 0;
    bool good = true;
    while (good && *rest) {
        const char *word = pool_printf(report->pool, "%.*s", (int)strcspn(rest, ","), rest);
        rest += strlen(word);
        rest += *rest == ',';
        if (strcmp(word, "all") != 0)
            good = show_stage(report, program, word, (several ? TITLE : 0) | full);
        for (const char *const *all = shows_cuda(arguments) ? cuda_stages : c_stages;
             good && strcmp(word, "all") == 0 && *all; all++)
            good = show_stage(report, program, *all, TITLE | IF_THERE | full);
    }
    if (good && !arguments->stage)
        output_puts("== more ==\n--stage NAME prints another: tokens, ast, schedule, ir, asm, cuda, ptx, sass, all; "
                    "--html FILE links them\n");
    return good;
}

/* Values are compared first. Then the shape of each value, or of a batch's first sample, becomes part of its type. */
static bool specify(struct session *session, struct weft_program *program, const struct inputs *inputs)
{
    struct pool *pool = session->report->pool;
    struct weft_compile_params params = {0};
    params.inputs = inputs_types(pool, inputs, &params.input_count);
    session->muted = true;
    bool good = session_specify(session, program, inputs, &params);
    session->muted = false;
    params.inputs = inputs_shaped_types(pool, inputs, &params.input_count);
    return good && session_specify(session, program, inputs, &params);
}

static bool show(struct session *session, const struct arguments *arguments, struct inputs *inputs,
                 struct weft_program **program)
{
    struct report *report = session->report;
    struct script script;
    struct weft_context_params context = {
        .tier = WEFT_TIER_NONE, .threads = 1, .arch = arguments->arch,
        .target = shows_cuda(arguments) ? WEFT_TARGET_CUDA : arguments->target};
    if (!script_load(report, arguments->program, &script) ||
        !session_open(session, report, context))
        return false;
    *program = session_compile(session, &script, arguments->rules, arguments->math);
    return *program &&
           inputs_match(report, *program, script_origin(&script), script.text, arguments, INPUTS_TYPES) &&
           inputs_load(report, *program, arguments, INPUTS_TYPES, inputs) &&
           specify(session, *program, inputs) &&
           (!arguments->page || write_page(report, *program, arguments->page)) &&
           ((arguments->page && !arguments->stage) || show_stages(report, *program, arguments)) && output_flush(report);
}

bool command_show(struct report *report, const struct arguments *arguments)
{
    struct session session = {.report = report};
    struct inputs inputs = {0};
    struct weft_program *program = NULL;
    bool good = show(&session, arguments, &inputs, &program);
    inputs_finish(&inputs);
    weft_program_destroy(program);
    session_close(&session);
    return good;
}
