/* Matches the arguments of a call to the parameters of what is called, and says what is wrong with them. */
#include "compiler/parse/call_impl.h"

#include <string.h>

char call_kind(const struct callee *callee, int parameter)
{
    return callee->kinds && parameter >= 0 ? callee->kinds[parameter] : 'x';
}

/* The index of the parameter of this name; -1 if there is none. Of axes, axis= and axes= are one (rule 9.5). */
static int parameter_called(const struct callee *callee, const char *name)
{
    const int index = word_index(callee->parameters, name, strlen(name));
    const char *other = strcmp(name, "axis") == 0 ? "axes" : strcmp(name, "axes") == 0 ? "axis" : NULL;
    if (index >= 0 || !other)
        return index;
    return word_index(callee->parameters, other, strlen(other));
}

int call_parameter(const struct callee *callee, const struct argument *argument, int position)
{
    if (argument->name)
        return parameter_called(callee, argument->name);
    if (callee->kind == NODE_JOIN)
        return 0;
    return position < callee->arity && call_kind(callee, position) != BY_NAME ? position : -1;
}

const char *call_parameter_name(struct parser *p, const struct callee *callee, int index)
{
    return word_text(p->arena, callee->parameters, index);
}

const char *call_by_name(struct parser *p, const struct callee *callee)
{
    const char *at = strchr(callee->kinds, BY_NAME);
    return at ? arena_printf(p->arena, "%s has a name, as in %s",
                             call_parameter_name(p, callee, (int)(at - callee->kinds)),
                             reduction_rows[callee->reduction].signature)
              : NULL;
}

bool call_has_view(const struct callee *callee)
{
    return callee->kind == NODE_VIEW || callee->kind == NODE_CORRELATE || callee->kind == NODE_JOIN ||
           callee->kind == NODE_TAKE || callee->kind == NODE_POSITION || callee->kind == NODE_SCATTER;
}

static const char *takes(struct parser *p, const struct callee *callee)
{
    size_t length;
    const char *first = word_at(callee->parameters, 0, &length);
    if (callee->fold)
        return callee->reduction == REDUCTION_COUNT ? "two or more arguments"
                                                    : "two or more arguments, or one to reduce";
    if (callee->kind == NODE_REDUCE)
        return arena_printf(p->arena, "its arguments as in %s", reduction_rows[callee->reduction].signature);
    if (call_has_view(callee))
        return arena_printf(p->arena, "its arguments as in %s", view_rows[callee->view].signature);
    if (callee->arity == 1)
        return arena_printf(p->arena, "1 argument (%.*s)", (int)length, first);
    const char *list = "";
    for (int i = 0; (first = word_at(callee->parameters, i, &length)); i++)
        list = arena_printf(p->arena, "%s%s%.*s", list, i ? ", " : "", (int)length, first);
    return arena_printf(p->arena, "%d arguments (%s)", callee->arity, list);
}

/* Whether this says how min or max reduces. */
static bool reduces_with(const struct callee *callee, const char *name)
{
    if (!callee->fold || callee->reduction == REDUCTION_COUNT)
        return false;
    const struct callee other = call_reduction(*callee);
    return call_kind(&other, parameter_called(&other, name)) != 'x';
}

bool call_no_such_argument(struct parser *p, const struct callee *callee, const struct argument *argument)
{
    const char **names = NULL, *habit = parse_argument_habit(p->arena, argument->name, callee->name);
    int count = 0;
    for (int i = 0; i < callee->arity; i++)
        ARENA_PUSH(p->arena, names, count, call_parameter_name(p, callee, i));
    const char *hint = habit ? arena_printf(p->arena, "; %s", habit)
                       : reduces_with(callee, argument->name)
                           ? arena_printf(p->arena, "; a reduction is of one value, and its axes have a name: %s",
                                          reduction_rows[callee->reduction].signature)
                           : parse_suggest(p, argument->name, names, (size_t)count);
    if (!*hint)
        hint = arena_printf(p->arena, "; it takes %s", takes(p, callee));
    return diag(p->diags, DIAG_UNKNOWN_ARGUMENT, argument->name_span, callee->name, argument->name, hint);
}

/* An argument as it stands in the text. */
static const char *given(struct parser *p, const struct argument *argument)
{
    const char *text = parse_text(p, argument->span);
    return argument->name ? arena_printf(p->arena, "%s=%.60s", argument->name, text)
                          : arena_printf(p->arena, "%.60s", text);
}

bool call_given_twice(struct parser *p, const struct callee *callee, int parameter, const struct argument *first,
                      const struct argument *second)
{
    return diag_at(p->diags, DIAG_REPEATED_ARGUMENT, ((struct span[]){second->name_span, first->span}), 2,
                   call_parameter_name(p, callee, parameter), callee->name, given(p, first), given(p, second));
}

bool call_wrong_count(struct parser *p, const struct callee *callee, const char *takes, int count)
{
    const char *habit = parse_arity_habit(callee->name);
    return diag(p->diags, DIAG_ARITY, callee->span, callee->name, takes, count, habit ? "; " : "", habit ? habit : "");
}

/* Puts arguments into their slots. */
static bool place(struct parser *p, const struct callee *callee, const struct arguments *arguments,
                  const struct argument **slots)
{
    for (int i = 0; i < arguments->count; i++) {
        const struct argument *argument = &arguments->items[i];
        const int parameter = argument->name ? call_parameter(callee, argument, i) : i;
        if (parameter < 0)
            return call_no_such_argument(p, callee, argument);
        if (slots[parameter])
            return call_given_twice(p, callee, parameter, slots[parameter], argument);
        slots[parameter] = argument;
    }
    return true;
}

bool call_match(struct parser *p, const struct callee *callee, const struct arguments *arguments,
                const struct argument **slots)
{
    int count = arguments->count;
    bool named = count > 0 && arguments->items[count - 1].name;
    if (!place(p, callee, arguments, slots))
        return false;
    if ((callee->fold ? count < 2 : count > callee->arity) || (!named && count < callee->required))
        return call_wrong_count(p, callee, takes(p, callee), count);
    if (call_has_view(callee) && callee->required <= VIEW_POSITIONAL && count > VIEW_POSITIONAL &&
        !strchr("atmx", call_kind(callee, VIEW_POSITIONAL)) && !arguments->items[VIEW_POSITIONAL].name)
        return diag(p->diags, DIAG_VIEW_ARGUMENT, arguments->items[VIEW_POSITIONAL].span,
                    arena_printf(p->arena, "a third argument of %s has a name, and numbers stand in one list: %s",
                                 callee->name, view_rows[callee->view].signature));
    for (int i = 0; i < callee->arity; i++)
        if (slots[i] && !slots[i]->name && call_kind(callee, i) == BY_NAME)
            return diag(p->diags, DIAG_REDUCE_ARGUMENT, slots[i]->span, call_by_name(p, callee));
    for (int i = 0; i < callee->required; i++)
        if (!slots[i])
            return diag(p->diags, DIAG_MISSING_ARGUMENT, callee->span, callee->name,
                        call_parameter_name(p, callee, i));
    return true;
}
