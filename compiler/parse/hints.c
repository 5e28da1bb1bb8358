/* Advice for names of functions, arguments and types from other languages, and the nearest names
 * that exist. Used by error messages of the parser. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

struct habit {
    const char *name, *advice;
};

static const struct habit call_habits[] = {
#define CALL_HABIT(name, advice) {name, advice},
#include "grammar/hints.def"
};

static const struct habit arity_habits[] = {
#define ARITY_HABIT(name, advice) {name, advice},
#include "grammar/hints.def"
};

static const struct habit attribute_habits[] = {
#define ATTRIBUTE_HABIT(name, advice) {name, advice},
#include "grammar/hints.def"
};

static const struct habit argument_habits[] = {
#define ARGUMENT_HABIT(name, advice) {name, advice},
#include "grammar/hints.def"
};

static const struct habit type_habits[] = {
#define TYPE_HABIT(name, type) {name, type},
#include "grammar/hints.def"
};

static const char *look_up(const struct habit *habits, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(habits[i].name, name) == 0)
            return habits[i].advice;
    return NULL;
}

const char *parse_call_habit(const char *name)
{
    return look_up(call_habits, sizeof call_habits / sizeof *call_habits, name);
}

const char *parse_arity_habit(const char *name)
{
    return look_up(arity_habits, sizeof arity_habits / sizeof *arity_habits, name);
}

const char *parse_attribute_habit(const char *name)
{
    return look_up(attribute_habits, sizeof attribute_habits / sizeof *attribute_habits, name);
}

const char *parse_argument_habit(struct arena *arena, const char *name, const char *function)
{
    const char *advice = look_up(argument_habits, sizeof argument_habits / sizeof *argument_habits, name);
    const char *place = advice ? strchr(advice, '$') : NULL;
    return place ? arena_printf(arena, "%.*s%s%s", (int)(place - advice), advice, function, place + 1) : advice;
}

const char *parse_type_habit(const char *name)
{
    char lower[16];
    size_t length = strlen(name);
    if (length >= sizeof lower)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        lower[i] = small_letter(name[i]);
    enum weft_dtype dtype = dtype_find(lower, length);
    return dtype != WEFT_DTYPE_COUNT
               ? type_rows[dtype].name
               : look_up(type_habits, sizeof type_habits / sizeof *type_habits, lower);
}

/* ---- nearest names ---- */

const char *parse_suggest(struct parser *p, const char *name, const char *const *names,
                          size_t count)
{
    const char *nearest = p->diags->errors < WEFT_MAX_ERRORS ? diag_nearest(name, names, count) : NULL;
    return nearest ? arena_printf(p->arena, "; did you mean '%s'?", nearest) : "";
}

static void add_types(struct parser *p, const char ***names, int *count)
{
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        ARENA_PUSH(p->arena, *names, *count, type_rows[t].name);
        if (dtype_find(type_rows[t].short_name, strlen(type_rows[t].short_name)) < WEFT_DTYPE_COUNT)
            ARENA_PUSH(p->arena, *names, *count, type_rows[t].short_name);
    }
}

/* Suggests a type that has the name in other languages, else the nearest name. */
static const char *suggest_type_or(struct parser *p, const char *name, const char *const *names, int count)
{
    const char *type = parse_type_habit(name);
    return type ? arena_printf(p->arena, "; did you mean '%s'?", type) : parse_suggest(p, name, names, (size_t)count);
}

const char *parse_suggest_function(struct parser *p, const char *name)
{
    const char **names = NULL;
    int count = 0;
    for (int i = 0; i < p->lexer.row_count; i++) {
        const struct word *word = &p->lexer.rows[i];
        if (word->function != OP_COUNT)
            ARENA_PUSH(p->arena, names, count, arena_string(p->arena, word->text, word->length));
    }
    add_types(p, &names, &count);
    for (int i = 0; i < VIEW_KIND_COUNT; i++)
        if (i != VIEW_SELECT)
            ARENA_PUSH(p->arena, names, count, view_rows[i].name);
    for (int i = 0; i < REDUCTION_COUNT; i++)
        ARENA_PUSH(p->arena, names, count, reduction_rows[i].name);
    ARENA_PUSH(p->arena, names, count, "cast");
    ARENA_PUSH(p->arena, names, count, "wrap");
    return suggest_type_or(p, name, names, count);
}

const char *parse_suggest_type(struct parser *p, const char *name)
{
    const char **names = NULL;
    int count = 0;
    add_types(p, &names, &count);
    return suggest_type_or(p, name, names, count);
}
