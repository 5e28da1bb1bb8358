/* Parses selections (rule 9.1): the items in [ ] behind an operand. As with views, their numbers are folded at once and
 * their nodes are removed from the program again, unless there are size expressions among them (parse/size.c). */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

/* What is selected from: its place, and the dimension of the next item, -1 behind '...'. */
struct selected {
    struct span span;
    int axis;
};

/* ---- numbers ---- */

static bool wrong(struct parser *p, struct span span, const char *text, const char *what)
{
    return diag(p->diags, DIAG_SELECT_ITEM, span,
                arena_printf(p->arena, "an item of a selection is an integer, and %s is %s", text, what));
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
    return symbol                      ? symbol->typed && symbol->type.dtype == WEFT_BOOL
           : node->kind == NODE_OP     ? rule_rows[op_rows[node->op].rule].result == RESULT_BOOL
           : node->kind == NODE_REDUCE ? join_rows[node->join].rule == TYPE_BOOL
           : node->kind == NODE_CAST   ? node->rule == TYPE_GIVEN && node->dtype == WEFT_BOOL
                                       : false;
}

/* Whether it is known to be floating. */
static bool is_real(const struct node *node)
{
    return node->literal.kind == LITERAL_REAL || (node->kind == NODE_OP && op_rows[node->op].rule == RULE_REAL) ||
           (node->kind == NODE_CAST &&
            (node->rule == TYPE_FLOAT || (node->rule == TYPE_GIVEN && dtype_is_float(node->dtype))));
}

/* How to read elements at positions that are computed. */
static const char *take_advice(struct parser *p, const struct selected *from, const char *position)
{
    const char *axis = from->axis == 0                   ? ""
                       : from->axis > 0                  ? arena_printf(p->arena, ", axis=%d", from->axis)
                       : p->token.kind == TOKEN_RBRACKET ? ", axis=-1"
                                                         : ", axis=..";
    return arena_printf(p->arena, "take(%s, %s%s)", shown(p, from->span), position, axis);
}

/* Reports an item that is no size expression, and says what to write. */
static bool not_an_integer(struct parser *p, const struct node *node, const struct selected *from, bool slice)
{
    const char *text = shown(p, node->span), *source = shown(p, from->span);
    const struct node *value = named_node(p->program, node);
    const struct node *culprit = size_culprit(p->program, node);
    if (node->kind == NODE_POISON || culprit->kind == NODE_POISON || culprit->poison)
        return false;
    const bool quotient = value->kind == NODE_OP && value->op == OP_DIV;
    if (value->literal.kind == LITERAL_BOOL)
        return wrong(p, node->span, text, "a bool");
    if (is_real(value) || quotient)
        return wrong(p, node->span, text, quotient ? "a real; '//' divides integers" : "a real");
    if (is_mask(p->program, value))
        return wrong(p, node->span, text, view_mask_advice(p->arena, text, source));
    if (value->kind == NODE_ARRAY)
        return wrong(p, node->span, text, "a list, which is an item by itself and no bound of a slice");
    if (slice || is_real(culprit))
        return parse_no_size(p, node, "an item of a selection");
    return diag(p->diags, DIAG_SIZE, culprit->span,
                arena_printf(p->arena, "%s is no size, which an item of a selection takes; for a position that is "
                             "computed write %s", shown(p, culprit->span), take_advice(p, from, text)));
}

/* A number beyond int64_t is beyond every extent, so the nearest one means the same. The smallest int64_t is left out
 * so that the negative can also be written in C. */
static int64_t nearest(__int128 value)
{
    return value > INT64_MAX ? INT64_MAX : value < -INT64_MAX ? -INT64_MAX : (int64_t)value;
}

/* Parses an expression. False where there is none or it is wrong, which is then reported. */
static bool expression(struct parser *p, int *node)
{
    if (parse_is(p, &p->token, "None") && program_symbol(p->program, "None") < 0) {
        diag(p->diags, DIAG_SELECT_ITEM, p->token.span,
             "None is an item by itself; a bound of a slice is left out, as in x[:2] and x[::-1]");
        return parse_fail(p);
    }
    const int errors = p->diags->errors, first = p->program->node_count;
    *node = parse_expression(p);
    return !p->failed && p->token.kind != TOKEN_DOT && p->diags->errors == errors && parse_fold(p, first);
}

/* Takes a literal integer or a size expression as a bound of an item. False, with a diagnostic, where it is none. */
static bool take_bound(struct parser *p, const struct selected *from, int index, enum bound bound, struct item *item)
{
    int64_t *const numbers[] = {&item->slice.start, &item->slice.stop, &item->slice.step};
    const struct node *node = &p->program->nodes[index];
    if (node->literal.kind == LITERAL_INTEGER) {
        *numbers[bound] = nearest(node->literal.integer);
        return true;
    }
    if (!node->size)
        return not_an_integer(p, node, from, bound != BOUND_START || p->token.kind == TOKEN_COLON);
    item->sizes[bound] = index;
    item->open = true;
    p->program->size_count++;
    return true;
}

static bool integer(struct parser *p, const struct selected *from, enum bound bound, struct item *item)
{
    int node;
    return expression(p, &node) && take_bound(p, from, node, bound, item);
}

/* ---- items ---- */

static bool at_bound(const struct parser *p)
{
    return p->token.kind != TOKEN_COLON && p->token.kind != TOKEN_COMMA && p->token.kind != TOKEN_RBRACKET;
}

/* [expr] ':' [expr] [':' [expr]], starting at the first ':'. */
static bool slice(struct parser *p, const struct selected *from, struct item *item)
{
    bool good = true;
    parse_advance(p);
    item->kind = ITEM_SLICE;
    item->slice.step = 1;
    item->slice.has_stop = at_bound(p);
    if (item->slice.has_stop)
        good = integer(p, from, BOUND_STOP, item);
    struct span step = p->token.span;
    if (!parse_accept(p, TOKEN_COLON) || !at_bound(p))
        return good;
    step = p->token.span;
    good = integer(p, from, BOUND_STEP, item) && good;
    step.end = p->previous.end;
    return good && (item->slice.step || diag(p->diags, DIAG_SELECT_ITEM, step,
                                        "a slice's step is not 0; write 1 for every element, or -1 for every element "
                                        "from the end"));
}

/* Takes the integers of an array literal as an item. */
static bool list(struct parser *p, const struct node *array, struct span span, struct item *item)
{
    int64_t *positions = ARENA_ARRAY(p->arena, int64_t, array->operand_count);
    if (array->rank != 1)
        return wrong(p, span, shown(p, span), "an array of several dimensions; as an item it has one, as in [2, 0, 1]");
    for (int i = 0; i < array->operand_count; i++) {
        const struct node *element = operand_node(p->program, array, i);
        if (element->literal.kind == LITERAL_INTEGER)
            positions[i] = nearest(element->literal.integer);
        else if (element->kind == NODE_POISON)
            return false;
        else
            return diag(p->diags, DIAG_SELECT_ITEM, span,
                        arena_printf(p->arena, "the positions in a list are literal integers, and %s is none",
                                     shown(p, element->span)));
    }
    item->kind = ITEM_LIST;
    p->program->position_count++;
    item->slice.has_start = false;
    item->positions = positions;
    item->count = array->operand_count;
    return true;
}

/* The first number of an item, or a list, which is a whole item. */
static bool first(struct parser *p, const struct selected *from, struct item *item)
{
    int node;
    if (!expression(p, &node))
        return false;
    const struct node *value = named_node(p->program, &p->program->nodes[node]);
    const struct span span = {item->span.start, p->previous.end};
    return value->kind == NODE_ARRAY && p->token.kind != TOKEN_COLON ? list(p, value, span, item)
                                                                     : take_bound(p, from, node, BOUND_START, item);
}

static bool at_word(const struct parser *p)
{
    bool whole = p->next.kind == TOKEN_COMMA || p->next.kind == TOKEN_RBRACKET;
    return whole && (parse_is(p, &p->token, "None") || parse_is(p, &p->token, "newaxis"));
}

/* Parses one item. False, with a diagnostic, where it is wrong. */
static bool item(struct parser *p, const struct selected *from, struct item *item)
{
    bool good = true;
    *item = (struct item){.kind = ITEM_INDEX, .sizes = {-1, -1, -1}, .span = p->token.span};
    if (p->token.kind == TOKEN_COMMA)
        return parse_unexpected(p, "an integer, a slice a:b:c, a list of integers, '...', None or newaxis");
    if (at_word(p) || p->token.kind == TOKEN_ELLIPSIS) {
        item->kind = p->token.kind == TOKEN_ELLIPSIS ? ITEM_ELLIPSIS : ITEM_NEW;
        parse_advance(p);
        return !p->failed;
    }
    if (at_bound(p)) {
        item->slice.has_start = true;
        good = first(p, from, item);
    }
    if (p->token.kind == TOKEN_COLON && item->kind != ITEM_LIST)
        good = slice(p, from, item) && good;
    item->span.end = p->previous.end;
    return good && !p->failed;
}

/* Adds an item, unless it is a second '...' or a second list. */
static bool add_item(struct parser *p, struct view_args *args, struct item item)
{
    struct item *items = (struct item *)args->items;
    const bool once = item.kind == ITEM_ELLIPSIS || item.kind == ITEM_LIST;
    for (int i = 0; once && i < args->item_count; i++)
        if (items[i].kind == item.kind)
            return diag_at(p->diags, DIAG_SELECT_ITEM, ((struct span[]){item.span, items[i].span}), 2,
                           item.kind == ITEM_LIST
                               ? "a selection has one list of positions; select twice, as in x[[0, 2]][:, [1, 0]]"
                               : "a selection has one '...', which stands for all dimensions that are left; write ':' "
                                 "for a single one");
    ARENA_PUSH(p->arena, items, args->item_count, item);
    args->items = items;
    return true;
}

/* '[' item {',' item} [','] ']'; false with a diagnostic where an item is wrong. */
static bool items(struct parser *p, struct span from, struct view_args *args)
{
    struct span opener = p->token.span;
    struct selected selected = {from, 0};
    bool good = true;
    parse_advance(p);
    if (p->token.kind == TOKEN_RBRACKET && !p->failed)
        good = diag(p->diags, DIAG_SELECT_ITEM, span_join(opener, p->token.span),
                    "a selection has at least one item, as in x[0]; x[...] is all of x");
    while (p->token.kind != TOKEN_RBRACKET && !p->failed) {
        struct item one;
        good = item(p, &selected, &one) && add_item(p, args, one) && good;
        selected.axis = one.kind == ITEM_ELLIPSIS ? -1 : selected.axis + (selected.axis >= 0 && one.kind != ITEM_NEW);
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
    const int sizes = program->size_count;
    if (!parse_enter(p, opener))
        return 0;
    struct mark mark = parse_numbers_begin(p);
    bool good = items(p, from, &args);
    parse_numbers_end(p, mark, program->size_count > sizes);
    p->nesting--;
    struct span span = {start, p->previous.end};
    if (p->failed || !good)
        return p->failed ? 0 : parse_poison(p, span);
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return parse_add_node(p, (struct node){.kind = NODE_VIEW, .op = OP_COUNT, .view = program->view_count - 1,
                                           .span = span, .token = {opener.start, p->previous.end}}, &operand, 1);
}
