/* weft check: parse, type and shape; one line per result. Types and shapes are the library's; extents may be
 * names or unknown. */
#include "cli/commands/commands.h"
#include "cli/commands/session_impl.h"
#include "cli/outputs/outputs.h"

#include <string.h>

struct check {
    struct session *session;
    const struct arguments *arguments;
    struct script script;
    struct inputs inputs;
    struct weft_program *program;
    struct weft_tensor_info *infos; /* of the results, where all inputs have values; else NULL */
    int *lines; /* how many results were printed before */
};

/* {"kernel": "blur", "name": "out", "type": "uint8[?, 2, 3]@HWC", "samples": 2}; dtype and shape where they are known
 * and the same for all. */
static void print_object(const struct check *check, size_t index, const char *type)
{
    const struct weft_tensor_info *info = check->infos ? &check->infos[index] : NULL;
    fputs((*check->lines)++ ? ",\n{" : "[{", stdout);
    if (check->script.kernel) {
        fputs("\"kernel\": ", stdout);
        json_string(check->script.kernel);
        fputs(", ", stdout);
    }
    fputs("\"name\": ", stdout);
    json_string(weft_program_result_name(check->program, index));
    json_member("type", type);
    if (info)
        json_member("dtype", weft_dtype_name(info->dtype));
    for (int d = 0; info && !info->batch && d < info->rank; d++)
        printf("%s%lld", d ? ", " : ", \"shape\": [", (long long)info->shape[d]);
    if (info && !info->batch)
        fputs(info->rank ? "]" : ", \"shape\": []", stdout);
    if (info && info->batch)
        printf(", \"samples\": %lld", (long long)info->count);
    putchar('}');
}

/* "out uint8[?, ?, 3]@HWC, 200 samples" where extents differ from sample to sample. */
static void print_line(const struct check *check, size_t index, const char *type)
{
    const struct weft_tensor_info *info = check->infos ? &check->infos[index] : NULL;
    if (info && !info->batch) {
        struct tensor tensor = {.dtype = info->dtype, .rank = info->rank};
        memcpy(tensor.shape, info->shape, sizeof tensor.shape);
        memcpy(tensor.layout, info->layout, sizeof tensor.layout);
        tensor.dims = strchr(type, '(');
        type = tensor_type(check->session->report->pool, &tensor);
    }
    if (check->session->report->json) {
        print_object(check, index, type);
        return;
    }
    if (check->script.kernel)
        printf("%s: ", check->script.kernel);
    printf("%s %s", weft_program_result_name(check->program, index), type);
    if (info && info->batch)
        printf(", %lld sample%s", (long long)info->count, info->count == 1 ? "" : "s");
    putchar('\n');
}

/* If all inputs have values, the library infers the results of every sample, also where views read elements. */
static bool infer_samples(struct check *check)
{
    struct report *report = check->session->report;
    size_t count;
    struct weft_argument *inputs = inputs_arguments(report->pool, &check->inputs, &count);
    struct weft_error *errors = NULL;
    if (count != weft_program_input_count(check->program))
        return true;
    inputs_name_samples(report, &check->inputs, check->program);
    check->infos = POOL_ARRAY(report->pool, struct weft_tensor_info,
                              weft_program_result_count(check->program) + 1);
    return report_library(report, weft_infer(check->program, inputs, count, check->infos, &errors), &errors);
}

static bool print_results(struct check *check)
{
    const char **types;
    struct weft_error *errors = NULL;
    enum weft_status status = weft_program_result_types(check->program, &types, &errors);
    for (size_t i = 0; status == WEFT_OK && i < weft_program_result_count(check->program); i++)
        print_line(check, i, types[i]);
    weft_free(types);
    return report_library(check->session->report, status, &errors);
}

static bool check_program(struct check *check)
{
    struct session *session = check->session;
    struct report *report = session->report;
    struct weft_compile_params params = {0};
    check->program = session_compile(session, &check->script, check->arguments->rules, WEFT_MATH_STRICT);
    if (!check->program ||
        !inputs_match(report, check->program, script_origin(&check->script), check->script.text,
                      check->arguments, INPUTS_TYPES) ||
        !inputs_load(report, check->program, check->arguments, INPUTS_TYPES, &check->inputs))
        return false;
    params.inputs = inputs_types(report->pool, &check->inputs, &params.input_count);
    const bool inferred = session_specify(session, check->program, &check->inputs, &params) && infer_samples(check);
    return mappings_whole(report) && inferred && print_results(check);
}

static bool check_one(struct session *session, const struct arguments *arguments,
                      const struct script *script, const char *kernel, int *lines)
{
    struct check check = {.session = session, .arguments = arguments, .script = *script, .lines = lines};
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
    bool good = report_library(report, weft_kernel_names(script.text, script.origin, &names, &count, &errors), &errors);
    int lines = 0;
    if (good && (script.kernel || count == 0))
        good = check_one(session, arguments, &script, script.kernel, &lines);
    else
        for (size_t i = 0; good && i < count; i++)
            good &= check_one(session, arguments, &script, names[i], &lines);
    weft_free(names);
    if (report->json && (lines || good))
        puts(lines ? "]" : "[]");
    return good && output_flush(report);
}

bool command_check(struct report *report, const struct arguments *arguments)
{
    struct session session = {.report = report};
    bool good = check_all(&session, arguments);
    session_close(&session);
    return good;
}
