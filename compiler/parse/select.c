/* Parses selections (rule 9.1): the items in [ ] behind an operand. As with views, their numbers are folded at once and
 * their nodes are removed from the program again. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

static const char *const only_literals =
    "; items are literal integers and slices of them so far, as in x[0] and x[1:-1]";

/* ---- numbers ---- */

static bool wrong(struct parser *p, struct span span, const char *text, const char *what)
{
    return diag(p->diags, DIAG_SELECT_ITEM, span,
                arena_printf(p->arena, "an item of a selection is an integer, and %s is %s", text, what));
}

/* Reports an item that rule 9.1 announces but that is not supported yet. */
static bool not_yet(struct parser *p, struct span span, const char *what, const char *advice)
{
    return diag(p->diags, DIAG_NOT_YET, span, arena_printf(p->arena, "%s as an item of a selection", what),
                arena_printf(p->arena, "%s%s", only_literals, advice));
}

/* The text of an expression for a message, shortened. */
static const char *shown(struct parser *p, struct span span)
{
    return arena_excerpt(p->arena, p->source->text + span.start, (int)(span.end - span.start), 40);
}

/* Whether a value is known to be bool from the text alone. */
static bool is_mask(const struct program *program, const struct node *node)
{
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    return symbol                    ? symbol->typed && symbol->type.dtype == WEFT_BOOL
           : node->kind == NODE_OP   ? rule_rows[op_rows[node->op].rule].result == RESULT_BOOL
           : node->kind == NODE_CAST ? node->dtype == WEFT_BOOL
                                     : false;
}

/* Reports an item that is not a literal integer, and says what to write. `from` is the selection's operand. */
static bool not_an_integer(struct parser *p, const struct node *node, struct span from)
{
    const char *text = shown(p, node->span), *source = shown(p, from);
    const struct node *value = named_node(p->program, node);
    if (node->kind == NODE_POISON)
        return false;
    const bool quotient = value->kind == NODE_OP && value->op == OP_DIV;
    if (value->literal.kind == LITERAL_BOOL)
        return wrong(p, node->span, text, "a bool");
    if (value->literal.kind == LITERAL_REAL)
        return wrong(p, node->span, text, quotient ? "a real; '//' divides integers" : "a real");
    if (is_mask(p->program, value))
        return wrong(p, node->span, text,
                     arena_printf(p->arena, "a mask; write where(%s, %s, 0), which keeps the shape", text, source));
    if (value->kind == NODE_ARRAY)
        return not_yet(p, node->span, "a list of positions", "");
    if (value->kind == NODE_NAME)
        return not_yet(p, node->span, arena_printf(p->arena, "input '%s'", text),
                       arena_printf(p->arena, "; if it is a mask write where(%s, %s, 0)", text, source));
    return not_yet(p, node->span, arena_printf(p->arena, "'%s'", text), "");
}

int parse_size_item(struct parser *p, struct span span)
{
    not_yet(p, span, arena_printf(p->arena, "size variable '%s'", parse_text(p, span)), "");
    return parse_poison(p, span);
}

/* A number beyond int64_t is beyond every extent, so the nearest one means the same. The smallest int64_t is left out
 * so that the negative can also be written in C. */
static int64_t nearest(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

/* Parses an integer. False, with a diagnostic, where there is none. */
static bool integer(struct parser *p, struct span from, int64_t *value)
{
    if (parse_is(p, &p->token, "None") && program_symbol(p->program, "None") < 0) {
        diag(p->diags, DIAG_SELECT_ITEM, p->token.span,
             "None is an item by itself; a bound of a slice is left out, as in x[:2] and x[::-1]");
        return parse_fail(p);
    }
    int errors = p->diags->errors, index = parse_expression(p);
    if (p->failed || p->token.kind == TOKEN_DOT || p->diags->errors > errors || !parse_fold(p))
        return false;
    const struct node *node = &p->program->nodes[index];
    if (node->literal.kind != LITERAL_INTEGER)
        return not_an_integer(p, node, from);
    *value = nearest(node->literal.integer);
    return true;
}

/* ---- items ---- */

static bool at_bound(const struct parser *p)
{
    return p->token.kind != TOKEN_COLON && p->token.kind != TOKEN_COMMA && p->token.kind != TOKEN_RBRACKET;
}

/* [expr] ':' [expr] [':' [expr]], starting at the first ':'. */
static bool slice(struct parser *p, struct span from, struct slice *slice)
{
    bool good = true;
    parse_advance(p);
    slice->step = 1;
    slice->has_stop = at_bound(p);
    if (slice->has_stop)
        good = integer(p, from, &slice->stop);
    struct span step = p->token.span;
    if (!parse_accept(p, TOKEN_COLON) || !at_bound(p))
        return good;
    step = p->token.span;
    good = integer(p, from, &slice->step) && good;
    step.end = p->previous.end;
    return good && (slice->step || diag(p->diags, DIAG_SELECT_ITEM, step,
                                        "a slice's step is not 0; write 1 for every element, or -1 for every element "
                                        "from the end"));
}

static bool at_word(const struct parser *p)
{
    bool whole = p->next.kind == TOKEN_COMMA || p->next.kind == TOKEN_RBRACKET;
    return whole && (parse_is(p, &p->token, "None") || parse_is(p, &p->token, "newaxis"));
}

/* Parses one item. False, with a diagnostic, where it is wrong. */
static bool item(struct parser *p, struct span from, struct item *item)
{
    bool good = true;
    *item = (struct item){.kind = ITEM_INDEX, .span = p->token.span};
    if (p->token.kind == TOKEN_COMMA)
        return parse_unexpected(p, "an integer, a slice a:b:c, '...', None or newaxis");
    if (at_word(p) || p->token.kind == TOKEN_ELLIPSIS) {
        item->kind = p->token.kind == TOKEN_ELLIPSIS ? ITEM_ELLIPSIS : ITEM_NEW;
        parse_advance(p);
        return !p->failed;
    }
    if (at_bound(p)) {
        item->slice.has_start = true;
        good = integer(p, from, &item->slice.start);
    }
    if (p->token.kind == TOKEN_COLON) {
        item->kind = ITEM_SLICE;
        good = slice(p, from, &item->slice) && good;
    }
    item->span.end = p->previous.end;
    return good && !p->failed;
}

/* Adds an item, unless it is a second '...'. */
static bool add_item(struct parser *p, struct view_args *args, struct item item)
{
    struct item *items = (struct item *)args->items;
    for (int i = 0; item.kind == ITEM_ELLIPSIS && i < args->item_count; i++)
        if (items[i].kind == ITEM_ELLIPSIS)
            return diag_at(p->diags, DIAG_SELECT_ITEM, ((struct span[]){item.span, items[i].span}), 2,
                           "a selection has one '...', which stands for all dimensions that are left; write ':' for a "
                           "single one");
    ARENA_PUSH(p->arena, items, args->item_count, item);
    args->items = items;
    return true;
}

/* '[' item {',' item} [','] ']'; false with a diagnostic where an item is wrong. */
static bool items(struct parser *p, struct span from, struct view_args *args)
{
    struct span opener = p->token.span;
    bool good = true;
    parse_advance(p);
    if (p->token.kind == TOKEN_RBRACKET && !p->failed)
        good = diag(p->diags, DIAG_SELECT_ITEM, span_join(opener, p->token.span),
                    "a selection has at least one item, as in x[0]; x[...] is all of x");
    while (p->token.kind != TOKEN_RBRACKET && !p->failed) {
        struct item one;
        good = item(p, from, &one) && add_item(p, args, one) && good;
        if (!parse_accept(p, TOKEN_COMMA))
            break;
    }
    return parse_close(p, opener, TOKEN_RBRACKET, "',' or ']'") && good;
}

PARSE_APART int parse_selection(struct parser *p, int operand, uint32_t start)
{
    struct program *program = p->program;
    struct view_args args = {.kind = VIEW_SELECT};
    struct span opener = p->token.span, from = {start, p->previous.end};
    bool inside = p->in_items;
    if (!parse_enter(p, opener))
        return 0;
    struct mark mark = parse_numbers_begin(p);
    p->in_items = true;
    bool good = items(p, from, &args);
    p->in_items = inside;
    parse_numbers_end(p, mark);
    p->nesting--;
    struct span span = {start, p->previous.end};
    if (p->failed || !good)
        return p->failed ? 0 : parse_poison(p, span);
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return parse_add_node(p, (struct node){.kind = NODE_VIEW, .op = OP_COUNT, .view = program->view_count - 1,
                                           .span = span, .token = {opener.start, p->previous.end}}, &operand, 1);
}
