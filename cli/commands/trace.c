/* weft run --trace: every value of a program, and how large it is. */
#include "cli/commands/commands.h"
#include "cli/commands/session_impl.h"
#include "cli/outputs/outputs.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct tracing {
    struct report *report;
    const struct arguments *arguments;
    struct script script;
    struct session session;
    struct inputs inputs;
    struct weft_program *program;
    int sample;                    /* the number of the one that is looked at, in a batch */
    struct tensor *samples;        /* [inputs.count] of batches that are not loaded, the one that is looked at */
    struct weft_trace *trace;
};

/* ---- inputs ---- */

/* Of batches only the sample that is looked at is read. */
static bool read_sample(struct tracing *t, int i, struct weft_argument *argument)
{
    struct value *value = &t->inputs.items[i].value;
    const int index = t->sample;
    bool good = true;
    struct samples *samples = value->source == VALUE_READY ? NULL : samples_open(t->report, value);
    if (value->source == VALUE_READY)
        t->samples[i] = value->samples[index];
    else if (!samples || !samples_read(t->report, samples, index, &t->samples[i]))
        good = false;
    samples_close(samples);
    if (!good)
        return false;
    DLTensor *view = POOL_NEW(t->report->pool, DLTensor);
    *view = tensor_view(&t->samples[i]);
    *argument = (struct weft_argument){.tensors = view, .count = 1, .batch = true};
    return true;
}

/* NULL after a diagnostic. */
static struct weft_argument *read_inputs(struct tracing *t)
{
    struct pool *pool = t->report->pool;
    const int count = t->inputs.count;
    struct weft_argument *list = POOL_ARRAY(pool, struct weft_argument, count + 1);
    t->samples = POOL_ARRAY(pool, struct tensor, count + 1);
    for (int i = 0; i < count; i++) {
        struct value *value = &t->inputs.items[i].value;
        if (!value->batch && !value_load(t->report, value, t->arguments->threads))
            return NULL;
        if (value->batch && !read_sample(t, i, &list[i]))
            return NULL;
        if (!value->batch)
            list[i] = value_argument(pool, value);
        list[i].name = t->inputs.items[i].assignment->name;
    }
    return list;
}

/* By its number, from 0, or by its name; -1: the batch has none. */
static int find_sample(const struct value *batch, const char *word)
{
    const size_t length = strlen(word);
    const bool number = length && length <= 9 && strspn(word, "0123456789") == length;
    for (int i = 0; i < batch->count; i++)
        if ((number && i == atoi(word)) || (batch->keys && batch->keys[i] && strcmp(batch->keys[i], word) == 0) ||
            (batch->paths && strcmp(batch->paths[i], word) == 0))
            return i;
    return -1;
}

/* Finds the sample that is looked at: that of --sample, or the first. */
static bool choose_sample(struct tracing *t)
{
    const struct value *batch = inputs_batch(&t->inputs, t->program);
    const char *word = t->arguments->sample_text;
    if (!word && batch && batch->count > 1 && batch->keys)
        REPORT_NOTE(t->report, batch->text, TRACED_SAMPLE, batch->keys[0], batch->count);
    if (!word)
        return !batch || batch->count > 0 ||
               REPORT_ARGUMENT(t->report, NULL, 0, TRACE_OPTION, "--trace",
                               "looks at a sample, and the batch has none");
    t->sample = batch ? find_sample(batch, word) : -1;
    const char *last = batch && batch->count && batch->keys ? batch->keys[batch->count - 1] : NULL;
    const char *why =
        !batch ? "names a sample of a batch, and no input is one"
               : pool_printf(t->report->pool, "is '%s', and there are %d samples, counted from 0%s", word, batch->count,
                             last ? pool_printf(t->report->pool, " or by name, as '%s'", last) : "");
    return t->sample >= 0 || REPORT_ARGUMENT(t->report, word, strlen(word), TRACE_OPTION, "--sample", why);
}

/* ---- output ---- */

/* A number as the library writes it; "nan", "inf" and "-inf" are texts, and nothing is null. */
static void put_number(const char *name, const char *text)
{
    const bool word = strpbrk(text, "nif") && strcmp(text, "true") != 0 && strcmp(text, "false") != 0;
    printf(word ? ", \"%s\": \"%s\"" : ", \"%s\": %s", name, *text ? text : "null");
}

/* The shortest digits that read back. */
static void put_mean(double mean)
{
    char text[40] = "";
    for (int digits = 1; digits <= 17 && !isnan(mean); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, mean);
        if (strtod(text, NULL) == mean)
            break;
    }
    char *const mark = strpbrk(text, localeconv()->decimal_point);
    if (mark)
        *mark = '.'; /* JSON knows no other one */
    put_number("mean", text);
}

static void put_numbers(const char *name, const int64_t *numbers, int count)
{
    printf(", \"%s\": [", name);
    for (int i = 0; i < count; i++)
        printf("%s%" PRId64, i ? ", " : "", numbers[i]);
    printf("]");
}

static void put_value(const struct weft_traced *value)
{
    printf("{\"line\": %zu, \"column\": %zu", value->line, value->column);
    json_member("name", value->name);
    json_member("text", value->text);
    json_member("how", value->rule);
    json_member("type", value->type);
    json_member("dtype", weft_dtype_name(value->dtype));
    put_numbers("shape", value->shape, value->rank);
    put_number("smallest", value->smallest);
    put_number("largest", value->largest);
    put_mean(value->mean);
    printf(", \"nan\": %" PRId64 ", \"inf\": %" PRId64, value->nan_count, value->inf_count);
    if (value->at) {
        put_numbers("at", value->at, value->rank);
        put_number("element", value->element);
    }
    printf("}");
}

static bool deliver(struct tracing *t)
{
    const struct arguments *arguments = t->arguments;
    if (t->report->json) {
        for (size_t i = 0; i < t->trace->count; i++) {
            printf("%s", i ? ",\n" : "[");
            put_value(&t->trace->values[i]);
        }
        printf(t->trace->count ? "]\n" : "[]\n");
        return output_flush(t->report);
    }
    char *text = weft_trace_text(t->trace, arguments->at, arguments->at_count);
    if (!text)
        return report_library(t->report, WEFT_OUT_OF_MEMORY, &(struct weft_error *){NULL});
    output_puts(text);
    weft_free(text);
    return output_flush(t->report);
}

/* ---- all of it ---- */

static bool prepare(struct tracing *t)
{
    const struct arguments *arguments = t->arguments;
    const struct weft_context_params context = {
        .tier = arguments->tier, .threads = arguments->threads, .target = arguments->target};
    struct report *report = t->report;
    if (arguments->output_count)
        return REPORT_ARGUMENT(report, arguments->outputs[0].argument, strlen(arguments->outputs[0].argument),
                               TRACE_OPTION, "--trace", "prints values and writes no result; run without it for -o");
    if (!script_load(report, arguments->program, &t->script) || !session_open(&t->session, report, context))
        return false;
    t->program = session_compile(&t->session, &t->script, arguments->rules, arguments->math);
    if (!t->program ||
        !inputs_match(report, t->program, script_origin(&t->script), t->script.text, arguments, INPUTS_DATA) ||
        !inputs_load(report, t->program, arguments, INPUTS_DATA, &t->inputs))
        return false;
    struct weft_compile_params params = {0};
    params.inputs = inputs_types(report->pool, &t->inputs, &params.input_count);
    return session_specify(&t->session, t->program, &t->inputs, &params) && choose_sample(t);
}

/* Its number among all samples, with those that are left out. */
static int64_t sample_number(const struct tracing *t)
{
    const struct value *batch = inputs_batch(&t->inputs, t->program);
    return batch && batch->places ? batch->places[t->sample] : t->sample;
}

static bool trace(struct tracing *t)
{
    struct weft_trace_params params = {.input_count = (size_t)t->inputs.count, .at = t->arguments->at,
                                       .at_count = t->arguments->at_count, .first_sample = sample_number(t)};
    struct weft_error *errors = NULL;
    params.inputs = read_inputs(t);
    if (!params.inputs || !mappings_whole(t->report))
        return false;
    const enum weft_status status = weft_trace(t->program, &params, &t->trace, &errors);
    return report_library(t->report, status, &errors) && mappings_whole(t->report);
}

bool command_trace(struct report *report, const struct arguments *arguments)
{
    struct tracing t = {.report = report, .arguments = arguments};
    const bool good = prepare(&t) && trace(&t) && deliver(&t);
    for (int i = 0; t.samples && i < t.inputs.count; i++)
        if (t.inputs.items[i].value.source != VALUE_READY)
            tensor_finish(&t.samples[i]);
    inputs_finish(&t.inputs);
    weft_free(t.trace);
    weft_program_destroy(t.program);
    session_close(&t.session);
    return good;
}
