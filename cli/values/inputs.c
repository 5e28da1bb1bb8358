/* See inputs.h. */
#include "cli/values/inputs.h"

#include <string.h>
#include <unistd.h>

static const char **input_names(struct report *report, const struct weft_program *program,
                                size_t *count)
{
    *count = weft_program_input_count(program);
    const char **names = POOL_ARRAY(report->pool, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        names[i] = weft_program_input_name(program, i);
    return names;
}

/* The argument for this input among the first `count`; NULL: none. */
static const struct assignment *find_given(const struct arguments *arguments, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(arguments->inputs[i].name, name) == 0)
            return &arguments->inputs[i];
    return NULL;
}

/* Whether a text has this word. */
static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || !is_name(at - 1, 1)) && !is_name(at + length, 1))
            return true;
    return false;
}

static const char *back_over_blanks(const char *text, const char *at)
{
    while (at > text && at[-1] == ' ')
        at--;
    return at;
}

/* What a word of the text is that is no input: bound there, a function, a dimension (rule 8.11). "": no such word. */
static const char *word_hint(struct report *report, const char *text, const char *word)
{
    const size_t length = strlen(word);
    bool called = true;
    if (!has_word(text, word))
        return "";
    for (const char *at = text; (at = strstr(at, word)); at += length) {
        if ((at > text && is_name(at - 1, 1)) || is_name(at + length, 1))
            continue;
        const char *behind = at + length + strspn(at + length, " ");
        const char *start = back_over_blanks(text, at);
        if ((start == text || strchr(";\n{", start[-1])) && *behind == '=' && behind[1] != '=')
            return "; its text binds that name";
        called = called && *behind == '(';
    }
    return called ? pool_printf(report->pool, "; its text calls a function %s(..)", word)
                  : "; among axes a name is one of a dimension, and else what the text binds it to";
}

/* What a name that is no input may be: near to one, one of which is misspelt, or of a dimension (rule 8.11). */
static const char *unknown_hint(struct report *report, const char *text, const char *name, const char *const *names,
                                size_t count)
{
    const char *near = weft_nearest_name(name, names, count);
    if (near)
        return pool_printf(report->pool, "; its text says '%s'", near);
    if (strcmp(name, "rules") == 0 || strcmp(name, "math") == 0 || strcmp(name, "threads") == 0)
        return pool_printf(report->pool, "; options begin with --, as in --%s", name);
    return word_hint(report, text, name);
}

static bool match_one(struct report *report, const char *text, const struct arguments *arguments, int index,
                      const char *const *names, size_t count)
{
    const struct assignment *given = &arguments->inputs[index];
    if (find_given(arguments, index, given->name))
        return REPORT_ARGUMENT(report, given->argument, given->name_length, INPUT_TWICE, given->name);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], given->name) == 0)
            return true;
    return REPORT_ARGUMENT(report, given->argument, given->name_length, INPUT_UNKNOWN, given->name,
                           unknown_hint(report, text, given->name, names, count));
}

/* What the first of the names for which that is known may be meant as. */
static const char *meant_hint(struct report *report, const char *text, const char *const *names, int count)
{
    const char *hint = "";
    for (int n = 0; n < count && !*hint; n++) {
        char *advice = weft_name_advice(text, names[n]);
        hint = advice ? pool_printf(report->pool, "; %s", advice) : "";
        weft_free(advice);
    }
    return hint;
}

/* One diagnostic for all of them: "no value is given for 'a', 'b'; add a=VALUE b=VALUE, ...", at their
 * declarations or first uses. */
static bool check_missing(struct report *report, const struct weft_program *program, const char *origin,
                          const char *text, const struct arguments *arguments)
{
    const char **missing = NULL;
    int count = 0;
    struct weft_span spans[3];
    struct weft_input_info info;
    for (size_t i = 0; weft_program_input(program, i, &info); i++) {
        if (find_given(arguments, arguments->input_count, info.name))
            continue;
        if (count < 3)
            spans[count] = info.span;
        POOL_PUSH(report->pool, missing, count, info.name);
    }
    const char *list = pool_join(report->pool, missing, (size_t)count, "', '");
    const char *advice = pool_join(report->pool, missing, (size_t)count, "=VALUE ");
    return !count || REPORT_TEXT(report, origin, text, spans, count < 3 ? count : 3, INPUT_MISSING,
                                 pool_printf(report->pool, "'%s'", list),
                                 pool_printf(report->pool, "%s=VALUE", advice),
                                 meant_hint(report, text, missing, count));
}

static bool check_stdin(struct report *report, const struct arguments *arguments)
{
    const struct assignment *first = NULL;
    for (int i = 0; i < arguments->input_count; i++) {
        const struct assignment *given = &arguments->inputs[i];
        if (strcmp(given->value, "-") != 0)
            continue;
        if (strcmp(arguments->program, "-") == 0)
            return REPORT_ARGUMENT(report, given->value, 1, STDIN_PROGRAM, given->name);
        if (first)
            return REPORT_ARGUMENT(report, given->value, 1, STDIN_TWICE, first->name);
        first = given;
    }
    return true;
}

bool inputs_match(struct report *report, const struct weft_program *program, const char *origin,
                  const char *text, const struct arguments *arguments, enum inputs_mode mode)
{
    size_t count;
    const char **names = input_names(report, program, &count);
    bool good = true;
    for (int i = 0; i < arguments->input_count; i++)
        good &= match_one(report, text, arguments, i, names, count);
    if (mode == INPUTS_DATA)
        good &= check_missing(report, program, origin, text, arguments);
    return good & check_stdin(report, arguments);
}

/* The dtype a type's text starts with; *rest is what follows. */
static enum weft_dtype leading_dtype(const char *type, const char **rest)
{
    size_t length = strspn(type, "abcdefghijklmnopqrstuvwxyz0123456789_");
    *rest = type + length;
    return weft_dtype_from_name(type, length);
}

static bool is_type(const char *text)
{
    const char *rest;
    return strcmp(text, "number") == 0 ||
           (leading_dtype(text, &rest) != WEFT_DTYPE_COUNT && (!*rest || strchr("[(@", *rest)));
}

/* Of an unknown name: neither type nor shapes. */
static struct weft_input_info input_info(const struct weft_program *program, const char *name)
{
    struct weft_input_info info;
    for (size_t i = 0; weft_program_input(program, i, &info); i++)
        if (strcmp(info.name, name) == 0)
            return info;
    return (struct weft_input_info){.dtype = WEFT_DTYPE_COUNT};
}

static const char *type_hint(struct report *report, const char *type)
{
    const char *rest;
    leading_dtype(type, &rest);
    if (strpbrk(type, ",:") && is_name(type + (*type == '['), 1)) /* x,y or lat:s or [x:s, y:s] */
        return pool_printf(report->pool, "; named dimensions stand in parentheses, as in (%.*s)",
                           (int)strcspn(type + (*type == '['), "]"), type + (*type == '['));
    const char *near = weft_nearest_dtype(pool_string(report->pool, type, (size_t)(rest - type)));
    return near ? pool_printf(report->pool, "; did you mean '%s'?", near) : "";
}

/* Reports what is wrong with the type at `place`, unless `all` is false and the type is merely unknown. Returns
 * whether anything was reported. */
static bool report_type(struct report *report, const char *type, const char *place, bool all)
{
    struct weft_error *errors;
    enum weft_status status = weft_check_type(type, &errors);
    bool told = status == WEFT_UNSUPPORTED || (all && status != WEFT_OK);
    if (told)
        report_inside(report, place, errors);
    weft_error_destroy(errors);
    return told;
}

/* Reports dimensions without a dtype where a type is meant, (x, y). Returns whether it did. */
static bool told_as_dims(struct report *report, const struct assignment *given)
{
    struct weft_error *errors = NULL;
    const bool dims = *given->value == '(' && given->value[1] != ')' &&
                      weft_check_type(pool_printf(report->pool, "float32%s", given->value), &errors) == WEFT_OK;
    weft_error_destroy(errors);
    if (dims)
        REPORT_ARGUMENT(report, given->value, strlen(given->value), INPUT_TYPE, given->value,
                        pool_printf(report->pool, "; a type without data has a dtype, as in %s=float32%s", given->name,
                                    given->value));
    return dims;
}

/* Reports a value that names no file but looks like a type, NAME, NAME[..] or NAME(..). Returns whether it did. */
static bool told_as_type(struct report *report, const struct assignment *given,
                         enum inputs_mode mode)
{
    const char *value = given->value;
    size_t length = strcspn(value, "[(");
    if (!is_name(value, length) || access(value, F_OK) == 0)
        return false;
    if (mode != INPUTS_DATA)
        return report_type(report, value, value, value[length] || *type_hint(report, value));
    if (!is_type(value))
        return false;
    const char *inner = value + length + 1;
    if (value[length] == '(' && *inner && strchr("[-+.0123456789", *inner)) /* float32([1, 2]) */
        REPORT_ARGUMENT(report, value, strlen(value), NO_FILE, value,
                        pool_printf(report->pool, "a type stands beside the name, as in '%s:%.*s=%.*s'", given->name,
                                    (int)length, value, (int)strcspn(inner, ")"), inner));
    else
        REPORT_ARGUMENT(report, value, strlen(value), TYPE_NO_VALUE, value, given->name, given->name);
    return true;
}

/* What a literal is converted to: the type beside it, else the declared one, else its own. */
static bool wanted_dtype(struct report *report, const struct weft_program *program,
                         const struct assignment *given, enum weft_dtype *dtype)
{
    const char *rest;
    *dtype = input_info(program, given->name).dtype;
    if (!given->type || *given->type == '(' || strcmp(given->type, "number") == 0)
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
static const char *type_text(struct report *report, const struct input *input, enum weft_dtype wanted)
{
    const struct assignment *given = input->assignment;
    const struct tensor *first = input->value.count ? input->value.samples : NULL;
    if (input->number)
        return "number";
    const char *type = given->type ? given->type : weft_dtype_name(first ? first->dtype : wanted);
    const char *layout = given->layout ? given->layout : first ? first->layout : "";
    return !*layout || strpbrk(type, "(@") ? type : pool_printf(report->pool, "%s@%s", type, layout);
}

/* What a value does not tell must be written: the type of an empty batch, and that elements of two bytes are
 * bfloat16. */
static bool check_opened(struct report *report, const struct input *input, enum weft_dtype wanted)
{
    const struct assignment *given = input->assignment;
    const struct value *value = &input->value;
    if (!value->count)
        return wanted != WEFT_DTYPE_COUNT ||
               REPORT_ARGUMENT(report, given->argument, strlen(given->argument), BATCH_EMPTY,
                               given->value, given->name, given->value);
    for (int i = 0; i < value->count && wanted != WEFT_BFLOAT16; i++)
        if (value->samples[i].voids)
            return REPORT_FILE(report, value->paths[i], NPY_VOID, given->name, given->value);
    return !given->layout || strlen(given->layout) == (size_t)value->samples[0].rank ||
           REPORT_ARGUMENT(report, given->argument, strlen(given->argument), INPUT_LAYOUT,
                           given->layout, value->samples[0].rank);
}

/* Opens files, and loads what decides shapes. */
static bool open_value(struct report *report, const struct arguments *arguments, bool shapes, struct input *input,
                       const struct weft_error *errors)
{
    struct value *value = &input->value;
    value->keep_going = arguments->keep_going;
    return value_open(report, input->assignment->value, arguments->threads, errors, value) &&
           (!shapes || !value->count || value->samples[0].rank > 1 || value_load(report, value, arguments->threads));
}

/* A literal, else a type by mistake, else files. */
static bool load_value(struct report *report, const struct arguments *arguments, enum inputs_mode mode,
                       enum weft_dtype wanted, const struct weft_input_info *info, struct input *input)
{
    const struct assignment *given = input->assignment;
    struct weft_error *errors = NULL;
    const bool typed = (given->type && strcmp(given->type, "number") != 0) || given->layout;
    const bool number = !typed && wanted == WEFT_DTYPE_COUNT;
    enum literal literal = value_literal(report, given->value, wanted, number, &errors, &input->value);
    bool good = literal == LITERAL_READ;
    input->number = good && number && input->value.samples[0].rank == 0;
    input->file = literal == LITERAL_NONE;
    if (input->file && (value_is_pattern(given->value) || !told_as_type(report, given, mode)))
        good = open_value(report, arguments, info->shapes, input, errors);
    weft_error_destroy(errors);
    return good;
}

static bool load_one(struct report *report, const struct weft_program *program,
                     const struct arguments *arguments, enum inputs_mode mode, struct input *input)
{
    const struct assignment *given = input->assignment;
    enum weft_dtype wanted;
    if (mode != INPUTS_DATA && is_type(given->value)) {
        input->type = given->value;
        return true;
    }
    const struct weft_input_info info = input_info(program, given->name);
    if (mode != INPUTS_DATA && told_as_dims(report, given))
        return false;
    if (!wanted_dtype(report, program, given, &wanted) || !load_value(report, arguments, mode, wanted, &info, input) ||
        !check_opened(report, input, wanted))
        return false;
    if (input->value.count && info.alignment > weft_dtype_size(input->value.samples[0].dtype) &&
        !value_make_dense(report, &input->value, info.alignment))
        return false;
    input->loaded = true;
    input->type = type_text(report, input, wanted);
    return true;
}

/* Leaves in a batch only what `other` has of it, too: samples that go together are left out together. */
static void keep_common(struct pool *pool, struct value *value, const struct value *other)
{
    bool *kept = POOL_ARRAY(pool, bool, value->count + 1);
    for (int i = 0, k = 0; i < value->count; i++) {
        while (k < other->count && other->places[k] < value->places[i])
            k++;
        kept[i] = k < other->count && other->places[k] == value->places[i];
    }
    value_keep(pool, value, kept);
}

/* What one batch has left out goes from the others, too. */
static bool leave_out(struct report *report, struct inputs *inputs)
{
    const struct input *first = NULL, *last = NULL;
    for (int i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->items[i];
        if (!input->value.places || !input->value.batch)
            continue;
        first = first ? first : input;
        last = input;
        if (input->value.whole != first->value.whole && inputs_left_out(inputs))
            return REPORT_FILE(report, input->value.text, LEFT_UNEQUAL, input->value.whole, first->value.text,
                               first->value.whole);
        keep_common(report->pool, &input->value, &first->value);
    }
    for (int i = 0; i < inputs->count && first; i++)
        if (inputs->items[i].value.places && inputs->items[i].value.batch)
            keep_common(report->pool, &inputs->items[i].value, &last->value);
    return true;
}

int inputs_left_out(const struct inputs *inputs)
{
    int most = 0;
    for (int i = 0; i < inputs->count; i++) {
        const struct value *value = &inputs->items[i].value;
        most = value->places && value->whole - value->count > most ? value->whole - value->count : most;
    }
    return most;
}

const struct value *inputs_failed(const struct inputs *inputs)
{
    for (int i = 0; i < inputs->count; i++)
        if (inputs->items[i].value.failed)
            return &inputs->items[i].value;
    return NULL;
}

bool inputs_load(struct report *report, const struct weft_program *program,
                 const struct arguments *arguments, enum inputs_mode mode, struct inputs *inputs)
{
    bool good = true;
    inputs->items = POOL_ARRAY(report->pool, struct input, arguments->input_count + 1);
    for (int i = 0; i < arguments->input_count; i++) {
        inputs->count = i + 1;
        inputs->items[i].assignment = &arguments->inputs[i];
        good &= load_one(report, program, arguments, mode, &inputs->items[i]);
    }
    return good && (!inputs_left_out(inputs) || leave_out(report, inputs));
}

bool inputs_read(struct report *report, struct inputs *inputs, int threads)
{
    bool good = true;
    for (int i = 0; i < inputs->count; i++)
        good = good && value_load(report, &inputs->items[i].value, threads);
    return good;
}

bool inputs_read_single(struct report *report, struct inputs *inputs, int threads)
{
    bool good = true;
    for (int i = 0; i < inputs->count; i++)
        good = good && (inputs->items[i].value.batch || value_load(report, &inputs->items[i].value, threads));
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

/* Tells of samples that go together under other names, where one of another batch has the name: it is where names are
 * alike that somebody would think they count. */
static void compare_names(struct report *report, const struct value *batch, const struct value *other)
{
    enum { COMPARED = 100 };       /* at most so many */
    for (int i = 0, compared = 0; i < batch->count && i < other->count && compared < COMPARED; i++) {
        if (strcmp(batch->keys[i], other->keys[i]) == 0)
            continue;
        compared++;
        for (int k = 0; k < other->count; k++)
            if (strcmp(batch->keys[i], other->keys[k]) == 0) {
                REPORT_NOTE(report, other->text, PAIRED, batch->paths[i], other->paths[i]);
                return;
            }
    }
}

void inputs_name_samples(struct report *report, const struct inputs *inputs,
                         const struct weft_program *program)
{
    const struct value *batch = inputs_batch(inputs, program);
    report->samples = batch ? batch->paths : NULL;
    report->sample_count = batch ? batch->count : 0;
    for (int i = 0; i < inputs->count; i++) {
        const struct value *other = &inputs->items[i].value;
        if (batch && other->batch && other != batch && batch->keys && other->keys)
            compare_names(report, batch, other);
    }
}

/* Where the samples come from, in the words of a message; NULL for a literal. */
static const char **origins(struct pool *pool, const struct input *input)
{
    const struct value *value = &input->value;
    if (!input->file)
        return NULL;
    const char **list = POOL_ARRAY(pool, const char *, value->count + 1);
    for (int i = 0; i < value->count; i++)
        list[i] = pool_printf(pool, "'%s'", value->batch ? value->paths[i] : value->text);
    if (strcmp(value->text, "-") == 0)
        list[0] = "standard input";
    return list;
}

struct weft_input_type *inputs_types(struct pool *pool, const struct inputs *inputs, size_t *count)
{
    struct weft_input_type *types = POOL_ARRAY(pool, struct weft_input_type, inputs->count + 1);
    size_t value_count, value = 0;
    const struct weft_argument *values = inputs_arguments(pool, inputs, &value_count);
    *count = (size_t)inputs->count;
    for (int i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        types[i] = (struct weft_input_type){.name = input->assignment->name, .type = input->type};
        if (input->loaded) {
            types[i].value = &values[value++];
            types[i].origins = origins(pool, input);
        }
    }
    return types;
}

struct weft_input_type *inputs_shaped_types(struct pool *pool, const struct inputs *inputs, size_t *count)
{
    struct weft_input_type *types = inputs_types(pool, inputs, count);
    for (int i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        const char *layout = strchr(input->type, '@');
        types[i].value = NULL;
        if (input->number)
            continue;
        if (!input->loaded || !input->value.count)
            continue;
        struct tensor tensor = input->value.samples[0];
        snprintf(tensor.layout, sizeof tensor.layout, "%s", layout ? layout + 1 : "");
        tensor.dims = strchr(input->type, '(');
        types[i].type = tensor_type(pool, &tensor);
    }
    return types;
}

struct weft_argument *inputs_arguments(struct pool *pool, const struct inputs *inputs,
                                       size_t *count)
{
    struct weft_argument *list = POOL_ARRAY(pool, struct weft_argument, inputs->count + 1);
    *count = 0;
    for (int i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (!input->loaded)
            continue;
        list[*count] = value_argument(pool, &input->value);
        list[(*count)++].name = input->assignment->name;
    }
    return list;
}

/* Where in the arguments the type stands that the library was given. */
static const char *type_place(const struct input *input)
{
    const struct assignment *given = input->assignment;
    return input->type == given->value ? given->value
           : given->type               ? given->argument + given->name_length + 1
                                       : given->argument;
}

bool inputs_report(struct report *report, const struct inputs *inputs, enum weft_status status,
                   struct weft_error *const *errors)
{
    for (const struct weft_error *error = *errors; error; error = error->next) {
        const struct input *input = error->input ? find_item(inputs, error->input) : NULL;
        struct weft_error alone = *error;
        alone.next = NULL;
        if (input)
            report_inside(report, error->span_count ? type_place(input) : input->assignment->argument, &alone);
        else
            report_record(report, error);
    }
    if (!*errors)
        return report_library(report, status, errors);
    weft_error_destroy(*errors);
    return status >= WEFT_OK;
}
