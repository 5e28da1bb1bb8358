/* weft check: parse, type and shape; one line per result. Types and shapes are the compiler's;
 * their extents may be names or unknown. */
#include "cli/commands/commands.h"
#include "cli/commands/session.h"
#include "cli/outputs/output.h"
#include "cli/values/fit.h"
#include "compiler/base/buf.h"
#include "compiler/layout.h"

#include <string.h>

struct check {
    struct session *session;
    const struct arguments *arguments;
    struct script script;
    struct inputs inputs;
    struct weft_program *program;
    struct program *tree;
    const struct shape **shapes;    /* of the inputs by position */
    struct weft_tensor_info *infos; /* of the results, where all inputs have values; else NULL */
};

static bool type_nodes(struct program *tree)
{
    return check(tree);
}

static bool is_typed(const struct program *tree)
{
    for (int i = 0; i < tree->input_count; i++)
        if (!tree->symbols[tree->inputs[i]].typed)
            return false;
    return true;
}

/* "out uint8[?, ?, 3]@HWC, 200 samples" where extents differ from sample to sample. */
static void print_result(const struct check *check, int index, bool typed,
                         const struct shape *shape, const char *layout)
{
    struct arena *arena = check->session->report->arena;
    const struct result *result = &check->tree->results[index];
    const struct weft_tensor_info *info = check->infos ? &check->infos[index] : NULL;
    bool shown = typed && layout && *layout;
    struct shape known = {0};
    if (info && !info->batch) {
        known.rank = info->rank;
        memcpy(known.extents, info->shape, sizeof known.extents);
        shape = &known;
    }
    if (check->script.kernel)
        printf("%s: ", check->script.kernel);
    printf("%s %s", result->name, typed ? weft_dtype_name(result->dtype) : "?");
    printf("%s", typed && shape ? shape_text(arena, check->tree, shape) : "");
    printf("%s%s", shown ? "@" : "", shown ? layout : "");
    if (info && info->batch)
        printf(", %lld sample%s", (long long)info->count, info->count == 1 ? "" : "s");
    putchar('\n');
}

/* What the library says when it looks at every sample, and at elements that views take as numbers. */
static bool infer_samples(struct check *check)
{
    struct report *report = check->session->report;
    size_t count;
    struct weft_argument *inputs = inputs_arguments(report->arena, &check->inputs, &count);
    struct weft_error *errors = NULL;
    bool batch = inputs_name_samples(report, &check->inputs, check->program);
    if ((!batch && !check->tree->reads) || count != weft_program_input_count(check->program))
        return true;
    check->infos = ARENA_ARRAY(report->arena, struct weft_tensor_info,
                               weft_program_result_count(check->program) + 1);
    enum weft_status status = weft_infer(check->program, inputs, count, check->infos, &errors);
    return report_library(report, status, errors);
}

static bool check_shapes(struct check *check)
{
    struct report *report = check->session->report;
    struct program *tree = check->tree;
    const struct shape **shapes =
        ARENA_ARRAY(report->arena, const struct shape *, tree->node_count + 1);
    const char **layouts = ARENA_ARRAY(report->arena, const char *, tree->node_count + 1);
    bool typed = is_typed(tree);
    bool good = parse_results(tree, NULL, 0) && (!typed || type_nodes(tree)) &&
                infer_shapes(report->arena, tree, tree->diags, check->shapes, shapes) &&
                infer_layouts(report->arena, tree, tree->diags, shapes, NULL, layouts);
    if (!good)
        return report_library(report, diags_status(tree->diags),
                              diags_export(tree->diags, WEFT_ERROR));
    for (int i = 0; i < tree->result_count; i++)
        print_result(check, i, typed, shapes[tree->results[i].node],
                     layouts[tree->results[i].node]);
    return true;
}

static bool check_program(struct check *check)
{
    struct session *session = check->session;
    struct weft_compile_params params = {0};
    session->muted = true;
    check->program = session_compile(session, &check->script, params);
    session->muted = false;
    if (!check->program ||
        !inputs_match(session->report, check->program, &check->script, check->arguments,
                      INPUTS_TYPES) ||
        !inputs_load(session->report, &check->script, check->arguments, INPUTS_TYPES,
                     &check->inputs))
        return false;
    check->tree = inputs_fit(session->report, &check->script, &check->inputs, &check->shapes);
    if (!check->tree)
        return false;
    weft_program_destroy(check->program);
    params.inputs = inputs_types(session->report->arena, &check->inputs, &params.input_count);
    check->program = session_compile(session, &check->script, params);
    return check->program && infer_samples(check) && check_shapes(check);
}

static bool check_one(struct session *session, const struct arguments *arguments,
                      const struct script *script, const char *kernel)
{
    struct check check = {.session = session, .arguments = arguments, .script = *script};
    check.script.kernel = kernel;
    bool good = check_program(&check);
    inputs_finish(&check.inputs);
    weft_program_destroy(check.program);
    return good;
}

static bool check_all(struct session *session, const struct arguments *arguments)
{
    struct report *report = session->report;
    struct script script;
    const char **names = NULL;
    size_t count = 0;
    struct weft_error *errors = NULL;
    struct weft_context_params context = {.tier = WEFT_TIER_NONE, .threads = 1};
    if (!script_load(report, arguments->program, &script) ||
        !session_open(session, report, context))
        return false;
    enum weft_status status =
        weft_kernel_names(script.text, script.origin, &names, &count, &errors);
    bool good = report_library(report, status, errors);
    if (good && (script.kernel || count == 0))
        good = check_one(session, arguments, &script, script.kernel);
    else
        for (size_t i = 0; good && i < count; i++)
            good &= check_one(session, arguments, &script, names[i]);
    weft_free(names);
    return good && output_flush(report);
}

int command_check(struct report *report, const struct arguments *arguments)
{
    struct session session = {.report = report};
    if (!check_all(&session, arguments) && !report->status)
        report->status = 1;
    session_close(&session);
    return report->status;
}
