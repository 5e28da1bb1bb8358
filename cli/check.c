/* weft check: parse, type and shape; one line per result. Extents that are not numbers yet are
 * stood for by numbers that occur nowhere else, so that the library's own shape rules are
 * applied and each extent of a result can be named again: results' extents are extents of their
 * operands. */
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/output.h"
#include "cli/session.h"
#include "compiler/base/buf.h"

#include <inttypes.h>
#include <string.h>

struct check {
    struct session *session;
    const struct arguments *arguments;
    struct script script;
    struct inputs inputs;
    struct weft_program *program;
    struct program *tree;
    struct type *types;              /* of the program's inputs, by position */
    struct tensor *tensors;          /* stand-ins for them */
    bool untyped, unranked, unknown; /* some input: has no type, no rank, an extent `?` */
};

static const struct input *find_input(const struct check *check, const char *name)
{
    for (int i = 0; i < check->inputs.count; i++)
        if (strcmp(check->inputs.items[i].assignment->name, name) == 0)
            return &check->inputs.items[i];
    return NULL;
}

static bool declared_type(const struct check *check, const char *name, struct type *type)
{
    for (int i = 0; i < check->tree->symbol_count; i++) {
        const struct symbol *symbol = &check->tree->symbols[i];
        if (symbol->kind != SYMBOL_INPUT || !symbol->declared || strcmp(symbol->name, name) != 0)
            continue;
        *type = symbol->type;
        return true;
    }
    return false;
}

/* The type of one input: that of its value, the one given, the declared one. The library has
 * accepted all of them by now. */
static bool find_type(struct check *check, const char *name, struct type *type)
{
    const struct input *input = find_input(check, name);
    struct arena *arena = check->session->report->arena;
    if (!input)
        return declared_type(check, name, type);
    struct source *source = ARENA_NEW(arena, struct source);
    *source = (struct source){"<args>", input->type, strlen(input->type)};
    if (input->loaded) {
        *type =
            (struct type){.dtype = input->tensor.dtype, .ranked = true, .rank = input->tensor.rank};
        memcpy(type->extents, input->tensor.shape, sizeof type->extents);
        return true;
    }
    return parse_type(check->tree, source, type);
}

static bool is_written(const struct check *check, size_t count, int64_t extent)
{
    for (size_t i = 0; i < count; i++)
        for (int d = 0; d < check->types[i].rank; d++)
            if (check->types[i].extents[d] == extent)
                return true;
    for (int i = 0; i < check->tree->extent_count; i++)
        if (check->tree->extents[i] == extent)
            return true;
    return false;
}

/* The number that stands for size variable k: number k of those from 2 that are not written. */
static int64_t stand_in(const struct check *check, size_t count, int64_t k)
{
    int64_t extent = 1;
    for (int64_t i = 0; i <= k; i++)
        do
            extent++;
        while (is_written(check, count, extent));
    return extent;
}

static void make_tensor(struct check *check, size_t count, size_t index)
{
    const struct type *type = &check->types[index];
    struct tensor *tensor = &check->tensors[index];
    tensor->dtype = type->dtype;
    tensor->rank = type->ranked ? type->rank : 0;
    check->unranked |= !type->ranked;
    for (int d = 0; d < tensor->rank; d++) {
        int64_t extent = type->extents[d];
        check->unknown |= extent == EXTENT_UNKNOWN;
        tensor->shape[d] = extent >= 0 ? extent
                           : extent == EXTENT_UNKNOWN
                               ? 1
                               : stand_in(check, count, EXTENT_VARIABLE - extent);
    }
    tensor_set_strides(tensor, false);
}

static struct weft_argument *make_arguments(struct check *check, size_t count)
{
    struct arena *arena = check->session->report->arena;
    DLTensor *views = ARENA_ARRAY(arena, DLTensor, count + 1);
    struct weft_argument *list = ARENA_ARRAY(arena, struct weft_argument, count + 1);
    check->types = ARENA_ARRAY(arena, struct type, count + 1);
    check->tensors = ARENA_ARRAY(arena, struct tensor, count + 1);
    for (size_t i = 0; i < count; i++)
        check->untyped |=
            !find_type(check, weft_program_input_name(check->program, i), &check->types[i]);
    for (size_t i = 0; i < count && !check->untyped; i++) {
        make_tensor(check, count, i);
        views[i] = tensor_view(&check->tensors[i]);
        list[i] = (struct weft_argument){.tensors = &views[i], .count = 1};
    }
    return list;
}

static void put_extent(const struct check *check, struct buf *text, size_t count, int64_t extent)
{
    for (int k = 0; k < check->tree->size_variable_count; k++)
        if (stand_in(check, count, k) == extent) {
            buf_puts(text, check->tree->size_variables[k]);
            return;
        }
    if (check->unknown && extent == 1)
        buf_putc(text, '?');
    else
        buf_printf(text, "%" PRId64, extent);
}

static void print_result(const struct check *check, const struct weft_tensor_info *info,
                         size_t count)
{
    struct buf text;
    buf_init(&text, check->session->report->arena);
    if (check->script.kernel)
        buf_printf(&text, "%s: ", check->script.kernel);
    buf_printf(&text, "%s %s", info->name, check->untyped ? "?" : weft_dtype_name(info->dtype));
    bool shaped = !check->untyped && !check->unranked;
    buf_puts(&text, shaped ? "[" : "");
    for (int d = 0; d < info->rank && shaped; d++) {
        buf_puts(&text, d ? ", " : "");
        put_extent(check, &text, count, info->shape[d]);
    }
    buf_puts(&text, shaped ? "]" : "");
    if (shaped && info->layout[0])
        buf_printf(&text, "@%s", info->layout);
    puts(text.text);
}

static bool check_shapes(struct check *check)
{
    size_t inputs = weft_program_input_count(check->program);
    size_t results = weft_program_result_count(check->program);
    struct weft_tensor_info *infos =
        ARENA_ARRAY(check->session->report->arena, struct weft_tensor_info, results + 1);
    struct weft_argument *arguments = make_arguments(check, inputs);
    for (size_t i = 0; i < results; i++)
        infos[i].name = weft_program_result_name(check->program, i);
    if (!check->untyped) {
        struct weft_error *errors = NULL;
        enum weft_status status = weft_infer(check->program, arguments, inputs, infos, &errors);
        if (!report_library(check->session->report, status, errors))
            return false;
    }
    for (size_t i = 0; i < results; i++)
        print_result(check, &infos[i], inputs);
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
        !inputs_match(session->report, check->program, check->arguments, INPUTS_TYPES) ||
        !inputs_load(session->report, &check->script, check->arguments, INPUTS_TYPES,
                     &check->inputs))
        return false;
    weft_program_destroy(check->program);
    params.inputs = inputs_types(session->report->arena, &check->inputs, &params.input_count);
    check->program = session_compile(session, &check->script, params);
    check->tree = (struct program *)script_parse(session->report, &check->script);
    return check->program && check->tree && check_shapes(check);
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
    if (!script_load(report, arguments->program, &script) || !session_open(session, report))
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
