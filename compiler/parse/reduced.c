/* Parses arguments that are no values but are known when a text is compiled: axes, true or false, an integer. */
#include "compiler/parse/parse_impl.h"

#include <string.h>

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_AXES, span, message);
}

/* Parses an expression whose node is removed again. Returns its literal value. */
static struct literal parse_literal(struct parser *p, struct span *span)
{
    struct literal value = {.kind = LITERAL_NONE};
    *span = p->token.span;
    if (!parse_enter(p, p->token.span))
        return value;
    const struct mark mark = parse_numbers_begin(p);
    const int node = parse_expression(p);
    span->end = p->previous.end;
    if (!p->failed && parse_fold(p))
        value = named_node(p->program, &p->program->nodes[node])->literal;
    parse_numbers_end(p, mark, false);
    p->nesting--;
    return value;
}

bool parse_flag(struct parser *p, const char *what)
{
    struct span span;
    const struct literal value = parse_literal(p, &span);
    if (value.kind != LITERAL_BOOL && !p->failed)
        wrong(p, span, arena_printf(p->arena, "%s is true or false, found %.60s", what, parse_text(p, span)));
    return value.kind == LITERAL_BOOL && value.integer;
}

int64_t parse_whole(struct parser *p, const char *what)
{
    struct span span;
    const struct literal value = parse_literal(p, &span);
    const bool good = value.kind == LITERAL_INTEGER && value.integer >= INT32_MIN && value.integer <= INT32_MAX;
    if (!good && !p->failed)
        wrong(p, span, arena_printf(p->arena, "%s is an integer, found %.60s", what, parse_text(p, span)));
    return good ? (int64_t)value.integer : 0;
}

static void check_axes(struct parser *p, const struct axes *axes, const char *what)
{
    const struct numbers *numbers = &axes->numbers;
    if (numbers->input >= 0)
        wrong(p, numbers->span, arena_printf(p->arena, "%s is known when a text is compiled: an integer, a list as "
                                                       "[0, 1], or letters of the layout as \"HW\"", what));
    for (int i = 0; i < numbers->count; i++)
        if (numbers->items[i].kind != LITERAL_INTEGER)
            wrong(p, numbers->span, arena_printf(p->arena, "%s holds integers, found %.60s", what,
                                                 parse_text(p, numbers->span)));
}

void parse_reduced_axes(struct parser *p, struct axes *axes, const char *what)
{
    const int errors = p->diags->errors;
    *axes = (struct axes){.given = true, .numbers = {.input = -1, .span = p->token.span}};
    if (p->token.kind == TOKEN_STRING)
        axes->letters = parse_layout(p);
    else
        parse_numbers(p, &axes->numbers, what);
    if (!p->failed && p->diags->errors == errors)
        check_axes(p, axes, what);
    axes->numbers.input = -1;
}
