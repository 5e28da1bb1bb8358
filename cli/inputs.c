/* See inputs.h. */
#include "cli/inputs.h"

#include "compiler/base/base.h"
#include "compiler/lang/lang.h"
#include "compiler/parse/parse.h"

#include <string.h>
#include <unistd.h>

static const char **input_names(struct report *report, const struct weft_program *program,
                                size_t *count)
{
    *count = weft_program_input_count(program);
    const char **names = ARENA_ARRAY(report->arena, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        names[i] = weft_program_input_name(program, i);
    return names;
}

static bool match_one(struct report *report, const struct arguments *arguments, int index,
                      const char *const *names, size_t count)
{
    const struct assignment *given = &arguments->inputs[index];
    for (int i = 0; i < index; i++)
        if (strcmp(arguments->inputs[i].name, given->name) == 0)
            return REPORT_ARGUMENT(report, given->argument, given->name_length, INPUT_TWICE,
                                   given->name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], given->name) == 0)
            return true;
    return REPORT_ARGUMENT(report, given->argument, given->name_length, INPUT_UNKNOWN, given->name,
                           report_hint(report, given->name, names, count));
}

static bool is_given(const struct arguments *arguments, const char *name)
{
    for (int i = 0; i < arguments->input_count; i++)
        if (strcmp(arguments->inputs[i].name, name) == 0)
            return true;
    return false;
}

/* Points at the first use or the declaration of inputs. */
static bool report_missing(struct report *report, const struct script *script,
                           const char *const *missing, int count, const char *advice)
{
    struct buf list;
    struct span spans[3] = {{0, 0}};
    struct program *tree = script_parse(report, script);
    buf_init(&list, report->arena);
    for (int i = 0; i < count; i++) {
        buf_printf(&list, i ? ", '%s'" : "'%s'", missing[i]);
        int symbol = tree ? program_symbol(tree, missing[i]) : -1;
        if (i < 3 && symbol >= 0)
            spans[i] = tree->symbols[symbol].span;
    }
    if (!tree)
        return REPORT_FILE(report, "<args>", INPUT_MISSING, list.text, advice);
    diag_at(tree->diags, DIAG_INPUT_MISSING, spans, count < 3 ? count : 3, list.text, advice);
    return report_library(report, diags_status(tree->diags), diags_export(tree->diags, WEFT_ERROR));
}

/* One diagnostic for all of them: "no value is given for a, b; add a=VALUE b=VALUE, ...". */
static bool check_missing(struct report *report, const struct script *script,
                          const struct arguments *arguments, const char *const *names, size_t count)
{
    struct buf advice;
    const char **missing = ARENA_ARRAY(report->arena, const char *, count + 1);
    int missing_count = 0;
    buf_init(&advice, report->arena);
    for (size_t i = 0; i < count; i++) {
        if (is_given(arguments, names[i]))
            continue;
        missing[missing_count++] = names[i];
        buf_printf(&advice, advice.length ? " %s=VALUE" : "%s=VALUE", names[i]);
    }
    return !missing_count || report_missing(report, script, missing, missing_count, advice.text);
}

static bool check_stdin(struct report *report, const struct arguments *arguments)
{
    const struct assignment *first = NULL;
    for (int i = 0; i < arguments->input_count; i++) {
        const struct assignment *given = &arguments->inputs[i];
        if (strcmp(given->value, "-") != 0)
            continue;
        if (first)
            return REPORT_ARGUMENT(report, given->value, 1, STDIN_TWICE, first->name);
        first = given;
    }
    return true;
}

bool inputs_match(struct report *report, const struct weft_program *program,
                  const struct script *script, const struct arguments *arguments,
                  enum inputs_mode mode)
{
    size_t count;
    const char **names = input_names(report, program, &count);
    bool good = true;
    for (int i = 0; i < arguments->input_count; i++)
        good &= match_one(report, arguments, i, names, count);
    if (mode == INPUTS_DATA)
        good &= check_missing(report, script, arguments, names, count);
    return good & check_stdin(report, arguments);
}

/* The dtype a type's text starts with; *rest is what follows. */
static enum weft_dtype leading_dtype(const char *type, const char **rest)
{
    size_t length = strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789_");
    *rest = type + length;
    return dtype_find(type, length);
}

static bool is_type(const char *text)
{
    const char *rest;
    return leading_dtype(text, &rest) != WEFT_DTYPE_COUNT && (!*rest || strchr("[(@", *rest));
}

static enum weft_dtype declared_dtype(const struct program *program, const char *name)
{
    for (int i = 0; program && i < program->symbol_count; i++) {
        const struct symbol *symbol = &program->symbols[i];
        if (symbol->kind == SYMBOL_INPUT && symbol->declared && strcmp(symbol->name, name) == 0)
            return symbol->type.dtype;
    }
    return WEFT_DTYPE_COUNT;
}

static const char *type_hint(struct report *report, const char *type)
{
    const char *names[WEFT_DTYPE_COUNT], *rest;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
        names[t] = type_rows[t].name;
    leading_dtype(type, &rest);
    const char *name = arena_string(report->arena, type, (size_t)(rest - type));
    const char *habit = parse_type_habit(name);
    return habit ? arena_printf(report->arena, "; did you mean '%s'?", habit)
                 : report_hint(report, name, names, WEFT_DTYPE_COUNT);
}

/* What the parser says about the type at `place`: is it one, or one that is not supported yet? Told
 * when `all` is asked for or it is not supported; returns whether anything was. */
static bool report_type(struct report *report, const char *type, const char *place, bool all)
{
    struct source *source = ARENA_NEW(report->arena, struct source);
    struct diags *diags = ARENA_NEW(report->arena, struct diags);
    struct program *program = ARENA_NEW(report->arena, struct program);
    struct type parsed;
    *source = (struct source){"<args>", type, strlen(type)};
    diags_init(diags, report->arena, source);
    *program = (struct program){.arena = report->arena, .diags = diags, .source = source};
    map_init(&program->size_names, report->arena);
    if (parse_type(program, source, &parsed) || (!all && diags->first->id != DIAG_NOT_YET))
        return false;
    report_inside(report, place, 0, diags);
    return true;
}

/* A value that names no file but looks like a type, NAME or NAME[..]: whether that was told. */
static bool told_as_type(struct report *report, const struct assignment *given,
                         enum inputs_mode mode)
{
    const char *value = given->value;
    size_t length = strcspn(value, "[");
    if (!is_name(value, length) || access(value, F_OK) == 0)
        return false;
    if (mode != INPUTS_DATA)
        return report_type(report, value, value, value[length] || *type_hint(report, value));
    if (!is_type(value))
        return false;
    REPORT_ARGUMENT(report, value, strlen(value), TYPE_NO_VALUE, value, given->name, given->name);
    return true;
}

/* What a literal is converted to: the type beside it, else the declared one, else its own. */
static bool wanted_dtype(struct report *report, const struct program *program,
                         const struct assignment *given, enum weft_dtype *dtype)
{
    const char *rest;
    *dtype = declared_dtype(program, given->name);
    if (!given->type)
        return true;
    *dtype = leading_dtype(given->type, &rest);
    if (*dtype != WEFT_DTYPE_COUNT)
        return true;
    const char *place = given->argument + given->name_length + 1;
    return !report_type(report, given->type, place, false) &&
           REPORT_ARGUMENT(report, place, strlen(given->type), INPUT_TYPE, given->type,
                           type_hint(report, given->type));
}

/* A layout that is written replaces the file's own. */
static const char *type_text(struct report *report, const struct input *input,
                             enum weft_dtype wanted, bool shaped)
{
    const struct assignment *given = input->assignment;
    bool empty = !input->value.count;
    struct tensor tensor = empty ? (struct tensor){.dtype = wanted} : input->value.samples[0];
    const char *at = given->type ? strchr(given->type, '@') : NULL;
    if (given->type && (at ? !shaped : strchr(given->type, '(') != NULL))
        return given->type;
    if (at || given->layout)
        snprintf(tensor.layout, sizeof tensor.layout, "%s", at ? at + 1 : given->layout);
    if (shaped && !empty)
        return tensor_type(report->arena, &tensor);
    const char *type = given->type ? given->type : weft_dtype_name(tensor.dtype);
    return tensor.layout[0] ? arena_printf(report->arena, "%s@%s", type, tensor.layout) : type;
}

/* What a value leaves open is written: the type of a batch without samples, that two bytes are a
 * bfloat16. */
static bool check_opened(struct report *report, const struct input *input, enum weft_dtype wanted)
{
    const struct assignment *given = input->assignment;
    const struct value *value = &input->value;
    if (!value->count)
        return wanted != WEFT_DTYPE_COUNT ||
               REPORT_ARGUMENT(report, given->argument, strlen(given->argument), BATCH_EMPTY,
                               given->value, given->name, given->name);
    for (int i = 0; i < value->count && wanted != WEFT_BFLOAT16; i++)
        if (value->samples[i].voids)
            return REPORT_FILE(report, value->paths[i], NPY_VOID, given->name, given->value);
    return !given->layout || strlen(given->layout) == (size_t)value->samples[0].rank ||
           REPORT_ARGUMENT(report, given->argument, strlen(given->argument), INPUT_LAYOUT,
                           given->layout, value->samples[0].rank);
}

/* Literals, and whatever a reshape may ask for before the run. */
static bool open_value(struct report *report, const struct arguments *arguments, bool literal,
                       enum weft_dtype wanted, struct input *input)
{
    const char *text = input->assignment->value;
    struct value *value = &input->value;
    if (literal)
        return value_evaluate(report, text, wanted, value);
    return value_open(report, text, arguments->threads, value) &&
           (!value->count || value->samples[0].rank > 1 ||
            value_load(report, value, arguments->threads));
}

static bool load_one(struct report *report, const struct program *program,
                     const struct arguments *arguments, enum inputs_mode mode, struct input *input)
{
    const struct assignment *given = input->assignment;
    enum weft_dtype wanted;
    if (mode != INPUTS_DATA && is_type(given->value)) {
        input->type = given->value;
        return true;
    }
    if (!wanted_dtype(report, program, given, &wanted))
        return false;
    bool literal = strcmp(given->value, "-") != 0 && value_is_literal(report, given->value);
    if (!literal && !value_is_pattern(given->value) && told_as_type(report, given, mode))
        return false;
    if (!open_value(report, arguments, literal, wanted, input) ||
        !check_opened(report, input, wanted))
        return false;
    input->loaded = true;
    input->file = !literal;
    input->said = type_text(report, input, wanted, false);
    input->type = type_text(report, input, wanted, mode == INPUTS_SHAPES);
    return true;
}

bool inputs_load(struct report *report, const struct script *script,
                 const struct arguments *arguments, enum inputs_mode mode, struct inputs *inputs)
{
    const struct program *program = script_parse(report, script);
    bool good = true;
    inputs->items = ARENA_ARRAY(report->arena, struct input, arguments->input_count + 1);
    for (int i = 0; i < arguments->input_count; i++) {
        inputs->count = i + 1;
        inputs->items[i].assignment = &arguments->inputs[i];
        good &= load_one(report, program, arguments, mode, &inputs->items[i]);
    }
    return good;
}

bool inputs_read(struct report *report, struct inputs *inputs, int threads)
{
    bool good = true;
    for (int i = 0; i < inputs->count; i++)
        good = good && value_load(report, &inputs->items[i].value, threads);
    return good;
}

void inputs_finish(struct inputs *inputs)
{
    for (int i = 0; i < inputs->count; i++)
        value_finish(&inputs->items[i].value);
}

double inputs_pending(const struct inputs *inputs)
{
    double total = 0;
    for (int i = 0; i < inputs->count; i++)
        total += value_pending(&inputs->items[i].value);
    return total;
}

static const struct input *find_item(const struct inputs *inputs, const char *name)
{
    for (int i = 0; i < inputs->count; i++)
        if (strcmp(inputs->items[i].assignment->name, name) == 0)
            return &inputs->items[i];
    return NULL;
}

const struct value *inputs_batch(const struct inputs *inputs, const struct weft_program *program)
{
    for (size_t i = 0; i < weft_program_input_count(program); i++) {
        const struct input *input = find_item(inputs, weft_program_input_name(program, i));
        if (input && input->value.batch)
            return &input->value;
    }
    return NULL;
}

bool inputs_name_samples(struct report *report, const struct inputs *inputs,
                         const struct weft_program *program)
{
    const struct value *batch = inputs_batch(inputs, program);
    if (!batch)
        return false;
    report->samples = batch->paths;
    report->sample_count = batch->count;
    return true;
}

struct weft_input_type *inputs_types(struct arena *arena, const struct inputs *inputs,
                                     size_t *count)
{
    struct weft_input_type *types = ARENA_ARRAY(arena, struct weft_input_type, inputs->count + 1);
    *count = 0;
    for (int i = 0; i < inputs->count; i++)
        if (inputs->items[i].type)
            types[(*count)++] =
                (struct weft_input_type){inputs->items[i].assignment->name, inputs->items[i].type};
    return types;
}

struct weft_argument *inputs_arguments(struct arena *arena, const struct inputs *inputs,
                                       size_t *count)
{
    struct weft_argument *list = ARENA_ARRAY(arena, struct weft_argument, inputs->count + 1);
    *count = 0;
    for (int i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (!input->loaded)
            continue;
        list[*count] = value_argument(arena, &input->value);
        list[(*count)++].name = input->assignment->name;
    }
    return list;
}
