/* Parses selections (rule 9.1): the items in [ ] behind an operand. As with views, their numbers are folded at once and
 * their nodes are removed from the program again, unless there are size expressions among them (parse/size.c). */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

/* What is selected from: its place, and the dimension of the next item, -1 behind '...'. */
struct selected {
    struct span span;
    int axis;
    const char *dim;               /* x.d[..]; NULL: x[..] */
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
static bool is_real(const struct program *program, const struct node *node)
{
    const struct rule *rule = node->kind == NODE_OP ? node_rule(program, node) : NULL;
    const bool computed = rule && (rule->operand == OPERAND_FLOAT || rule->operand == OPERAND_DIVIDED);
    return node->literal.kind == LITERAL_REAL || (computed && rule->result == RESULT_OPERAND) ||
           (node->kind == NODE_CAST &&
            (node->rule == TYPE_FLOAT || (node->rule == TYPE_GIVEN && dtype_is_float(node->dtype))));
}

/* Reports x[m] = value, x[m] += value and the like, for the item m at `item`. False: the text is none of these. */
static bool assigned_mask(struct parser *p, struct span item, const char *mask, const char *source)
{
    const char *text = p->source->text, *at = text + item.end + strspn(text + item.end, " ");
    if (*at != ']')
        return false;
    at += 1 + strspn(at + 1, " ");
    const bool updated = *at && strchr("+-*/", *at) && at[1] == '=';
    const char *value = at + updated + 1;
    if (at[updated] != '=' || *value == '=')
        return false;
    value += strspn(value, " ");
    const int length = (int)strcspn(value, ";\n}#");
    const char *given = arena_excerpt(p->arena, value, length, 40);
    const struct span place = {(uint32_t)(at - text), (uint32_t)(at - text) + updated + 1};
    if (updated)
        given = arena_printf(p->arena, "%s %c %s", source, *at, given);
    diag_at(p->diags, DIAG_ASSIGNED, ((struct span[]){place, item}), 2,
            arena_printf(p->arena, "where(%s, %s, %s)", mask, given, source));
    parse_fail(p);
    return true;
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
    if (is_real(p->program, value) || quotient)
        return wrong(p, node->span, text, quotient ? "a real; '//' divides integers" : "a real");
    if (is_mask(p->program, value) && assigned_mask(p, node->span, text, source))
        return false;
    if (is_mask(p->program, value))
        return wrong(p, node->span, text, view_mask_advice(p->arena, &(struct masked){p->source, from->span, node->span,
                                                                                      source, text, false}));
    if (value->kind == NODE_ARRAY)
        return wrong(p, node->span, text, "a list, which is an item by itself and no bound of a slice");
    (void)slice;
    return parse_no_size(p, node, "an item of a selection");
}

/* Whether the text says that a value is no integer. */
static bool is_no_integer(const struct program *program, const struct node *node)
{
    const struct node *value = named_node(program, node);
    const bool quotient = value->kind == NODE_OP && value->op == OP_DIV;
    return value->literal.kind == LITERAL_BOOL || is_real(program, value) || quotient ||
           is_mask(program, value) || is_real(program, size_culprit(program, node));
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

/* Whether an integer is surely a single one: a literal, a number, or an input that is declared without dimensions. */
static bool is_single(const struct program *program, const struct node *node)
{
    const struct node *value = named_node(program, node);
    const struct symbol *symbol = value->kind == NODE_NAME ? &program->symbols[value->symbol] : NULL;
    return node->literal.kind == LITERAL_INTEGER ||
           (symbol && symbol->declared && (symbol->type.number || (symbol->type.ranked && symbol->type.rank == 0)));
}

/* Takes a whole item that is no literal: positions that are a value, or an integer that the call knows. */
static bool take_value(struct parser *p, const struct selected *from, int index, struct item *item)
{
    const struct node *node = &p->program->nodes[index];
    if (is_single(p->program, node) || is_no_integer(p->program, node) || node->kind == NODE_POISON || node->poison)
        return take_bound(p, from, index, BOUND_START, item);
    item->kind = ITEM_TENSOR;
    item->slice.has_start = false;
    item->sizes[BOUND_START] = index;
    item->open = node->size;
    return true;
}

/* The first number of an item, or a list or positions, which are whole items. */
static bool first(struct parser *p, const struct selected *from, struct item *item)
{
    int node;
    if (!expression(p, &node))
        return false;
    const struct node *value = named_node(p->program, &p->program->nodes[node]);
    const struct span span = {item->span.start, p->previous.end};
    if (p->token.kind == TOKEN_COLON)
        return take_bound(p, from, node, BOUND_START, item);
    return value->kind == NODE_ARRAY ? list(p, value, span, item) : take_value(p, from, node, item);
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
    if (p->token.kind == TOKEN_COLON && item->kind != ITEM_LIST && item->kind != ITEM_TENSOR)
        good = slice(p, from, item) && good;
    item->span.end = p->previous.end;
    return good && !p->failed;
}

static bool is_positions(const struct item *item)
{
    return item->kind == ITEM_LIST || item->kind == ITEM_TENSOR;
}

/* Reports a second item of positions. */
static bool two_positions(struct parser *p, const struct item *first, const struct item *second)
{
    const struct span places[] = {second->span, first->span};
    if (first->kind == ITEM_LIST && second->kind == ITEM_LIST)
        return diag_at(p->diags, DIAG_SELECT_ITEM, places, 2,
                       "a selection has one list of positions; select twice, as in x[[0, 2]][:, [1, 0]]");
    return diag_at(p->diags, DIAG_SELECT_ITEM, places, 2,
                   arena_printf(p->arena, "a selection has one item of positions; for each combination of them select "
                                "twice, as in x[%s][:, %s]%s", shown(p, first->span), shown(p, second->span),
                                view_find("gather") == VIEW_KIND_COUNT ? ""
                                    : arena_printf(p->arena, "; for pairs write gather(x, stack(%s, %s, axis=-1))",
                                                   shown(p, first->span), shown(p, second->span))));
}

/* Adds an item, unless it is a second '...' or has positions as one before it. */
static bool add_item(struct parser *p, struct view_args *args, struct item item)
{
    struct item *items = (struct item *)args->items;
    for (int i = 0; i < args->item_count; i++) {
        if (is_positions(&item) && is_positions(&items[i]) && (item.kind == ITEM_LIST || !item.open) &&
            (items[i].kind == ITEM_LIST || !items[i].open))
            return two_positions(p, &items[i], &item);
        if (item.kind == ITEM_ELLIPSIS && items[i].kind == ITEM_ELLIPSIS)
            return diag_at(p->diags, DIAG_SELECT_ITEM, ((struct span[]){item.span, items[i].span}), 2,
                           "a selection has one '...', which stands for all dimensions that are left; write ':' "
                           "for a single one");
    }
    ARENA_PUSH(p->arena, items, args->item_count, item);
    args->items = items;
    return true;
}

/* '[' item {',' item} [','] ']'; false with a diagnostic where an item is wrong. */
static bool items(struct parser *p, struct span from, struct view_args *args)
{
    struct span opener = p->token.span;
    struct selected selected = {from, 0, NULL};
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
    bool good = items(p, from, &args), values = false;
    for (int i = 0; i < args.item_count; i++)
        values = values || args.items[i].kind == ITEM_TENSOR;
    parse_numbers_end(p, mark, values || program->size_count > sizes);
    p->nesting--;
    struct span span = {start, p->previous.end};
    if (p->failed || !good)
        return p->failed ? 0 : parse_poison(p, span);
    if (values)
        return parse_positions(p, &args, operand, from, span, (struct span){opener.start, p->previous.end});
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return parse_add_node(p, (struct node){.kind = NODE_VIEW, .op = OP_COUNT, .view = program->view_count - 1,
                                           .span = span, .token = {opener.start, p->previous.end}}, &operand, 1);
}

/* ---- x.d[..] (rule 8.8) ---- */

bool parse_at_selection(const struct parser *p)
{
    struct lexer ahead = p->lexer;
    if (p->token.kind != TOKEN_DOT || p->next.kind != TOKEN_NAME || p->failed)
        return p->token.kind == TOKEN_LBRACKET && !p->failed;
    return lex_next(&ahead).kind == TOKEN_LBRACKET;
}

/* Adds the labels of a string, which stand between commas. */
static void split(struct parser *p, struct item *item)
{
    const char **labels = (const char **)item->labels;
    const char *text = p->source->text + p->token.span.start + 1, *end = p->source->text + p->token.span.end - 1;
    for (;;) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
        while (text < stop && *text == ' ')
            text++;
        const char *last = stop;
        while (last > text && last[-1] == ' ')
            last--;
        ARENA_PUSH(p->arena, labels, item->count, arena_string(p->arena, text, (size_t)(last - text)));
        if (!comma)
            break;
        item->drops = false;
        text = comma + 1;
    }
    item->labels = labels;
    parse_advance(p);
}

/* Labels in quotes, or a list of them. */
static bool label_item(struct parser *p, struct item *item)
{
    const struct span opener = p->token.span;
    const bool list = parse_accept(p, TOKEN_LBRACKET);
    *item = (struct item){.kind = ITEM_LABELS, .drops = !list, .sizes = {-1, -1, -1}, .span = opener};
    do {
        if (p->token.kind != TOKEN_STRING)
            return parse_unexpected(p, "a label in quotes");
        split(p, item);
        item->drops = item->drops && item->count == 1 && p->token.kind != TOKEN_COMMA;
    } while (parse_more(p, TOKEN_RBRACKET));
    item->span.end = p->previous.end;
    return !list || parse_close(p, opener, TOKEN_RBRACKET, "',' or ']'");
}

/* Positions that are a value. What may be a single integer is taken to be one until types tell more. */
static bool position_item(struct parser *p, struct item *item)
{
    if (item->kind == ITEM_TENSOR && item->open) {
        item->kind = ITEM_INDEX;
        item->slice.has_start = true;
        p->program->size_count++;
    } else if (item->kind == ITEM_TENSOR) {
        item->kind = ITEM_TAKE;
        item->node = item->sizes[BOUND_START];
    }
    return true;
}

/* The item at '[', and the ']' behind it. False, with a diagnostic, where it is wrong. */
static bool dim_item(struct parser *p, const struct selected *from, struct item *one)
{
    const struct span opener = p->token.span;
    parse_advance(p);
    const bool list = p->token.kind == TOKEN_LBRACKET && p->next.kind == TOKEN_STRING;
    if (p->token.kind == TOKEN_ELLIPSIS || at_word(p) || p->token.kind == TOKEN_RBRACKET)
        return parse_unexpected(p, arena_printf(p->arena, "what to take along dimension %.40s: a position, a slice, a "
                                                "list or labels", from->dim));
    const char *other = strcmp(from->dim, "y") == 0 ? "x" : "y";
    bool good = list || p->token.kind == TOKEN_STRING ? label_item(p, one)
                                                      : item(p, from, one) && position_item(p, one);
    if (parse_accept(p, TOKEN_COMMA) && p->token.kind != TOKEN_RBRACKET && !p->failed)
        return parse_wrong(p, p->token.span,
                           arena_printf(p->arena, "%s.%.40s[..] has one item; along another dimension %s a selection "
                                        "follows, as in %s.%.40s[0].%s[0]", shown(p, from->span), from->dim, other,
                                        shown(p, from->span), from->dim, other));
    return parse_close(p, opener, TOKEN_RBRACKET, "']'") && good;
}

PARSE_APART int parse_dim_selection(struct parser *p, int operand, uint32_t start)
{
    struct program *program = p->program;
    const struct span dot = p->token.span, name = p->next.span;
    struct view_args args = {.kind = VIEW_SELECT, .dim = parse_text(p, name), .dim_span = name, .item_count = 1};
    const struct selected from = {{start, p->previous.end}, 0, args.dim};
    const int sizes = program->size_count;
    struct item *one = ARENA_NEW(p->arena, struct item);
    if (!parse_enter(p, dot))
        return 0;
    parse_advance(p), parse_advance(p);
    const struct mark mark = parse_numbers_begin(p);
    const bool good = dim_item(p, &from, one), taken = good && one->kind == ITEM_TAKE;
    parse_numbers_end(p, mark, taken || program->size_count > sizes);
    p->nesting--;
    const struct span span = {start, p->previous.end};
    if (p->failed || !good)
        return p->failed ? 0 : parse_poison(p, span);
    args.items = one;
    args.dim_habit = parse_attribute_habit(args.dim);
    program->named = true;
    program->position_count += one->kind == ITEM_LABELS || taken;
    ARENA_PUSH(p->arena, program->views, program->view_count, args);
    return parse_add_node(p, (struct node){.kind = NODE_VIEW, .op = OP_COUNT, .view = program->view_count - 1,
                                           .span = span, .token = {dot.start, p->previous.end}},
                          (int[]){operand, taken ? one->node : 0}, 1 + taken);
}
