/* See fit.h. */
#include "cli/values/fit.h"

#include <string.h>

struct size {
    int64_t extent;
    const char *input; /* that set it; NULL: none yet */
};

struct fit {
    struct report *report;
    struct program *tree;
    struct size *sizes; /* of the size variables */
    int size_room;
    struct type *given;        /* the types that stand in the arguments, by position */
    const struct input *input; /* the one looked at, NULL: the text gives none */
    int sample;                /* of every batch */
    const char *name;
};

static const struct input *find_input(const struct inputs *inputs, const char *name)
{
    for (int i = 0; i < inputs->count; i++)
        if (strcmp(inputs->items[i].assignment->name, name) == 0)
            return &inputs->items[i];
    return NULL;
}

static struct size *find_size(struct fit *fit, int64_t extent)
{
    while (fit->size_room < fit->tree->size_variable_count)
        ARENA_PUSH(fit->report->arena, fit->sizes, fit->size_room, ((struct size){0}));
    return &fit->sizes[EXTENT_VARIABLE - extent];
}

/* Variable `extent` turns out to be `number`. */
static bool set_size(struct fit *fit, int64_t extent, int64_t number)
{
    struct size *size = find_size(fit, extent);
    const struct value *value = &fit->input->value;
    if (!size->input)
        *size = (struct size){number, fit->name};
    if (size->extent == number)
        return true;
    const char *argument = fit->input->assignment->argument, *name = fit->name;
    if (value->batch && fit->sample < value->count)
        name =
            arena_printf(fit->report->arena, "%s' of sample '%s", name, value->paths[fit->sample]);
    return REPORT_ARGUMENT(fit->report, argument, strlen(argument), SIZE_VARIABLE,
                           fit->tree->size_variables[EXTENT_VARIABLE - extent],
                           (long long)size->extent, size->input, (long long)number, name, "");
}

/* What messages call the input looked at: for a file its path. */
static const char *what(const struct fit *fit)
{
    const struct input *input = fit->input;
    const struct value *value = &input->value;
    if (!input->file)
        return "input";
    if (strcmp(input->assignment->value, "-") == 0)
        return "standard input for input";
    const char *path = value->batch && fit->sample < value->count ? value->paths[fit->sample]
                                                                  : input->assignment->value;
    return arena_printf(fit->report->arena, "'%s' for input", path);
}

static bool wrong_shape(struct fit *fit, const struct type *known, const struct type *next)
{
    struct arena *arena = fit->report->arena;
    const char *argument = fit->input->assignment->argument;
    return REPORT_ARGUMENT(fit->report, argument, strlen(argument), WRONG_SHAPE, what(fit),
                           fit->name, shape_text(arena, fit->tree, type_shape(arena, next)),
                           shape_text(arena, fit->tree, type_shape(arena, known)));
}

static bool join_extent(struct fit *fit, int64_t *known, int64_t next, bool *fits)
{
    if (*known == EXTENT_UNKNOWN)
        *known = next;
    else if (*known >= 0 && next >= 0)
        *fits &= *known == next;
    else if (*known <= EXTENT_VARIABLE && next >= 0)
        return set_size(fit, *known, next);
    else if (next <= EXTENT_VARIABLE && *known >= 0)
        return set_size(fit, next, *known);
    return true;
}

static bool join_layout(struct fit *fit, struct type *known, const struct type *next)
{
    const char *argument = fit->input->assignment->argument;
    if (!next->has_layout)
        return true;
    if (known->has_layout && strcmp(known->layout, next->layout) != 0)
        return REPORT_ARGUMENT(fit->report, argument, strlen(argument), WRONG_LAYOUT, fit->name,
                               next->layout, known->layout);
    known->has_layout = true;
    memcpy(known->layout, next->layout, sizeof known->layout);
    return true;
}

/* Adds what `next` says to `known`. */
static bool join(struct fit *fit, struct type *known, const struct type *next)
{
    const char *argument = fit->input->assignment->argument;
    if (known->dtype != next->dtype)
        return REPORT_ARGUMENT(fit->report, argument, strlen(argument), WRONG_DTYPE, what(fit),
                               fit->name, type_rows[next->dtype].name,
                               type_rows[known->dtype].name);
    if (!known->ranked && next->ranked) {
        known->ranked = true;
        known->rank = next->rank;
        memcpy(known->extents, next->extents, sizeof known->extents);
    }
    bool fits = !next->ranked || known->rank == next->rank, agrees = true;
    struct type before = *known;
    for (int d = 0; next->ranked && d < next->rank && fits && agrees; d++)
        agrees = join_extent(fit, &known->extents[d], next->extents[d], &fits);
    return agrees && (fits || wrong_shape(fit, &before, next)) && join_layout(fit, known, next);
}

/* The type that stands in the argument. */
static bool read_type(struct fit *fit, struct type *type)
{
    const struct input *input = fit->input;
    const struct assignment *given = input->assignment;
    struct arena *arena = fit->report->arena;
    struct source *source = ARENA_NEW(arena, struct source);
    struct diags diags, *before = fit->tree->diags;
    const char *text = input->loaded ? input->said : input->type;
    *source = (struct source){"<args>", text, strlen(text)};
    diags_init(&diags, arena, source);
    fit->tree->diags = &diags;
    bool good = parse_type(fit->tree, source, type);
    fit->tree->diags = before;
    const char *place = text == given->value ? given->value
                        : given->type        ? given->argument + given->name_length + 1
                                             : given->argument;
    return good || report_inside(fit->report, place, 0, &diags);
}

/* The type of one sample, or of the tensor that goes with every sample. */
static struct type actual_type(const struct fit *fit)
{
    const struct value *value = &fit->input->value;
    const struct tensor *tensor = &value->samples[value->batch ? fit->sample : 0];
    struct type type = {.dtype = tensor->dtype, .ranked = true, .rank = tensor->rank};
    memcpy(type.extents, tensor->shape, sizeof type.extents);
    return type;
}

/* What declaration, argument and data say together. */
static bool join_input(struct fit *fit, const struct symbol *symbol, const struct type *given,
                       struct type *type)
{
    const struct input *input = fit->input;
    *type = symbol->type;
    if (!input)
        return true;
    if (!symbol->declared)
        *type = (struct type){.dtype = given->dtype};
    if (!join(fit, type, given))
        return false;
    if (!input->loaded || fit->sample >= input->value.count)
        return true;
    struct type actual = actual_type(fit);
    return join(fit, type, &actual);
}

/* The shape of a joined type; an extent that was a variable stays rigid. */
static const struct shape *known_shape(struct fit *fit, const struct type *type)
{
    struct arena *arena = fit->report->arena;
    const struct shape *shape = type_shape(arena, type);
    if (!shape)
        return NULL;
    struct shape *known = arena_copy(arena, shape, sizeof *shape);
    for (int d = 0; d < known->rank; d++) {
        bool variable = known->extents[d] <= EXTENT_VARIABLE;
        const struct size *size = variable ? find_size(fit, known->extents[d]) : NULL;
        if (size && size->input)
            known->extents[d] = size->extent;
    }
    return known;
}

static void look_at(struct fit *fit, const struct inputs *inputs, int index)
{
    fit->name = fit->tree->symbols[fit->tree->inputs[index]].name;
    fit->input = find_input(inputs, fit->name);
}

static bool read_types(struct fit *fit, const struct inputs *inputs)
{
    bool good = true;
    for (int i = 0; i < fit->tree->input_count; i++) {
        struct symbol *symbol = &fit->tree->symbols[fit->tree->inputs[i]];
        look_at(fit, inputs, i);
        symbol->typed = symbol->declared || fit->input;
        good &= !fit->input || read_type(fit, &fit->given[i]);
    }
    return good;
}

/* All inputs together for one sample. */
static bool join_inputs(struct fit *fit, const struct inputs *inputs, struct type *types)
{
    bool good = true;
    for (int i = 0; i < fit->size_room; i++)
        fit->sizes[i] = (struct size){0}; /* a sample has its own */
    for (int i = 0; i < fit->tree->input_count; i++) {
        look_at(fit, inputs, i);
        good &=
            join_input(fit, &fit->tree->symbols[fit->tree->inputs[i]], &fit->given[i], &types[i]);
    }
    return good;
}

/* What is left of what was known: extents that differ from those of another sample are not. */
static void widen(struct fit *fit, const struct type *types, const struct shape **shapes,
                  bool first)
{
    for (int i = 0; i < fit->tree->input_count; i++) {
        const struct shape *next = known_shape(fit, &types[i]);
        struct shape *known = (struct shape *)shapes[i];
        if (first)
            shapes[i] = next;
        for (int d = 0; !first && known && next && d < known->rank; d++)
            if (known->extents[d] != next->extents[d])
                known->extents[d] = EXTENT_UNKNOWN;
    }
}

/* How many samples there are; two batches have as many. */
static bool count_samples(struct report *report, const struct inputs *inputs, int *count)
{
    const struct input *first = NULL;
    *count = 1;
    for (int i = 0; i < inputs->count; i++) {
        const struct input *input = &inputs->items[i];
        if (!input->value.batch)
            continue;
        first = first ? first : input;
        *count = first->value.count;
        if (input->value.count != *count)
            return REPORT_ARGUMENT(report, input->assignment->argument,
                                   strlen(input->assignment->argument), BATCH_COUNTS,
                                   first->assignment->name, input->assignment->name,
                                   (long long)*count, (long long)input->value.count);
    }
    return true;
}

static bool join_samples(struct fit *fit, const struct inputs *inputs, const struct shape **shapes)
{
    int count, room = fit->tree->input_count + 1;
    struct type *types = ARENA_ARRAY(fit->report->arena, struct type, room);
    if (!read_types(fit, inputs) || !count_samples(fit->report, inputs, &count))
        return false;
    fit->sample = 0;
    do {
        if (!join_inputs(fit, inputs, types))
            return false;
        widen(fit, types, shapes, fit->sample == 0);
    } while (++fit->sample < count);
    for (int i = 0; i < fit->tree->input_count; i++)
        fit->tree->symbols[fit->tree->inputs[i]].type = types[i];
    return true;
}

struct program *inputs_fit(struct report *report, const struct script *script,
                           const struct inputs *inputs, const struct shape ***shapes)
{
    struct fit fit = {.report = report, .tree = script_parse(report, script)};
    if (!fit.tree) {
        REPORT_FILE(report, "weft", LIBRARY, "the program cannot be read twice");
        return NULL;
    }
    fit.given = ARENA_ARRAY(report->arena, struct type, fit.tree->input_count + 1);
    *shapes = ARENA_ARRAY(report->arena, const struct shape *, fit.tree->input_count + 1);
    return join_samples(&fit, inputs, *shapes) ? fit.tree : NULL;
}
