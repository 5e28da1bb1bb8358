/* Parses arguments of reductions that stand in the text: true or false, an integer. */
#include "compiler/parse/parse_impl.h"

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_REDUCE_ARGUMENT, span, message);
}

/* Reports what stands there instead. */
static void expected(struct parser *p, struct span span, const struct literal *found, const char *what, const char *is,
                     const char *advice)
{
    if (!p->failed)
        wrong(p, span, arena_printf(p->arena, "%s is %s%s, found %.60s%s%s", what, is,
                                    found->kind == LITERAL_NONE ? " in the text" : "", parse_text(p, span),
                                    advice ? "; " : "", advice ? advice : ""));
}

/* Parses an expression whose node is removed again. Returns its literal value. */
static struct literal parse_literal(struct parser *p, struct span *span)
{
    struct literal value = {.kind = LITERAL_NONE};
    *span = p->token.span;
    if (p->token.kind == TOKEN_STRING) {
        parse_advance(p);
        return value;
    }
    if (!parse_enter(p, p->token.span))
        return value;
    const struct mark mark = parse_numbers_begin(p);
    const int first = p->program->node_count, node = parse_expression(p);
    span->end = p->previous.end;
    if (!p->failed && parse_fold(p, first))
        value = named_node(p->program, &p->program->nodes[node])->literal;
    parse_numbers_end(p, mark, false);
    p->nesting--;
    return value;
}

bool parse_flag(struct parser *p, const char *what, bool place, const char *whole)
{
    struct span span;
    const bool name = p->token.kind == TOKEN_NAME;
    const struct literal value = parse_literal(p, &span);
    if (value.kind != LITERAL_BOOL)
        expected(p, span, &value, what, "true or false",
                 !place                          ? NULL
                 : name                          ? "several dimensions are one list, as in [x, y]"
                 : value.kind != LITERAL_INTEGER ? NULL
                 : whole                         ? whole
                                                 : "several dimensions are one list, as in [0, 1]");
    return value.kind == LITERAL_BOOL && value.integer;
}

int64_t parse_whole(struct parser *p, const char *what)
{
    struct span span;
    const struct literal value = parse_literal(p, &span);
    const bool good = value.kind == LITERAL_INTEGER && value.integer >= INT32_MIN && value.integer <= INT32_MAX;
    if (!good)
        expected(p, span, &value, what, "an integer", NULL);
    return good ? (int64_t)value.integer : 0;
}
