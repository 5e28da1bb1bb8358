/* See fit.h. */
#include "cli/fit.h"

#include <string.h>

struct size {
    int64_t extent;
    const char *input; /* that set it; NULL: none yet */
};

struct fit {
    struct report *report;
    struct program *tree;
    struct type *types; /* of the inputs, by position */
    struct size *sizes; /* of the size variables */
    int size_room;
    const struct input *input; /* the one looked at, NULL: the text gives none */
    const char *name, *what;   /* its name and what messages call it */
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
    if (!size->input)
        *size = (struct size){number, fit->name};
    if (size->extent == number)
        return true;
    const char *argument = fit->input->assignment->argument;
    return REPORT_ARGUMENT(fit->report, argument, strlen(argument), SIZE_VARIABLE,
                           fit->tree->size_variables[EXTENT_VARIABLE - extent],
                           (long long)size->extent, size->input, (long long)number, fit->name);
}

static bool wrong_shape(struct fit *fit, const struct type *known, const struct type *next)
{
    struct arena *arena = fit->report->arena;
    const char *argument = fit->input->assignment->argument;
    return REPORT_ARGUMENT(fit->report, argument, strlen(argument), WRONG_SHAPE, fit->what,
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
        return REPORT_ARGUMENT(fit->report, argument, strlen(argument), WRONG_DTYPE, fit->what,
                               fit->name, type_rows[next->dtype].name,
                               type_rows[known->dtype].name);
    if (!next->ranked || !known->ranked) {
        if (next->ranked)
            *known = *next;
        return true;
    }
    bool fits = known->rank == next->rank, agrees = true;
    struct type before = *known;
    for (int d = 0; d < next->rank && fits && agrees; d++)
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
    const char *text = input->loaded && given->type ? given->type : input->type;
    *source = (struct source){"<args>", text, strlen(text)};
    diags_init(&diags, arena, source);
    fit->tree->diags = &diags;
    bool good = parse_type(fit->tree, source, type);
    fit->tree->diags = before;
    const char *place = text == given->value  ? given->value
                        : text == given->type ? given->argument + given->name_length + 1
                                              : given->argument;
    return good || report_inside(fit->report, place, 0, &diags);
}

static bool join_input(struct fit *fit, struct symbol *symbol, struct type *type)
{
    const struct input *input = fit->input;
    struct type given = {0}, actual = {.ranked = true};
    *type = symbol->type;
    symbol->typed = symbol->declared || input;
    if (!input)
        return true;
    fit->what = "input";
    if (input->file && strcmp(input->assignment->value, "-") == 0)
        fit->what = "standard input for input";
    else if (input->file)
        fit->what = arena_printf(fit->report->arena, "'%s' for input", input->assignment->value);
    if (!read_type(fit, &given))
        return false;
    if (!symbol->declared)
        *type = (struct type){.dtype = given.dtype};
    if (!join(fit, type, &given))
        return false;
    if (!input->loaded)
        return true;
    actual.dtype = input->tensor.dtype;
    actual.rank = input->tensor.rank;
    memcpy(actual.extents, input->tensor.shape, sizeof actual.extents);
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

static bool join_inputs(struct fit *fit, const struct inputs *inputs)
{
    bool good = true;
    for (int i = 0; i < fit->tree->input_count; i++) {
        struct symbol *symbol = &fit->tree->symbols[fit->tree->inputs[i]];
        fit->name = symbol->name;
        fit->input = find_input(inputs, symbol->name);
        good &= join_input(fit, symbol, &fit->types[i]);
    }
    return good;
}

struct program *inputs_fit(struct report *report, const struct script *script,
                           const struct inputs *inputs, const struct shape ***shapes)
{
    struct fit fit = {.report = report, .tree = script_parse(report, script)};
    if (!fit.tree) {
        REPORT_FILE(report, "weft", LIBRARY, "the program cannot be read twice");
        return NULL;
    }
    fit.types = ARENA_ARRAY(report->arena, struct type, fit.tree->input_count + 1);
    if (!join_inputs(&fit, inputs))
        return NULL;
    *shapes = ARENA_ARRAY(report->arena, const struct shape *, fit.tree->input_count + 1);
    for (int i = 0; i < fit.tree->input_count; i++) {
        fit.tree->symbols[fit.tree->inputs[i]].type = fit.types[i];
        (*shapes)[i] = known_shape(&fit, &fit.types[i]);
    }
    return fit.tree;
}
