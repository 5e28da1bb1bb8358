/* Parses arguments of reductions that stand in the text: true or false, an integer. */
#include "compiler/parse/parse_impl.h"

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_REDUCE_ARGUMENT, span, message);
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
