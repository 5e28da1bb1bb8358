/* Parses the arguments of views: numbers and layouts (section 7). They are not values, so numbers are folded at once
 * and their nodes are removed from the program again. Those of size expressions stay (parse/size.c). */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

/* ---- numbers ---- */

static bool wrong(struct parser *p, struct span span, const char *message)
{
    return diag(p->diags, DIAG_VIEW_ARGUMENT, span, message);
}

/* What is wrong with a literal expression, or with one that a name is bound to. */
static const char *fold(const struct program *program, struct node *node)
{
    struct node bound = *named_node(program, node);
    const char *wrong = bound.kind == NODE_OP && bound.literal.kind == LITERAL_NONE ? literal_of_node(program, &bound)
                                                                                    : NULL;
    node->literal = bound.literal;
    return wrong;
}

bool parse_fold(struct parser *p, int first)
{
    struct program *program = p->program;
    bool good = true;
    for (; p->folded < program->node_count; p->folded++) {
        struct node *node = &program->nodes[p->folded];
        const char *wrong = node->kind == NODE_OP || node->kind == NODE_NAME ? fold(program, node) : NULL;
        if (wrong && p->folded >= first)
            good = diag(p->diags, DIAG_LITERAL_FOLD, node->span, wrong);
        node->size = node_is_size(program, node);
    }
    return good;
}

static void not_a_number(struct parser *p, const struct numbers *numbers, const struct node *node, const char *what)
{
    const struct node *value = named_node(p->program, node);
    const struct symbol *input = value->kind == NODE_NAME ? &p->program->symbols[value->symbol] : NULL;
    if (node->kind == NODE_POISON || node->poison)
        return;
    if (node->literal.kind == LITERAL_BOOL)
        wrong(p, node->span, arena_printf(p->arena, "%s holds numbers, found true or false", what));
    else if (numbers->in_text)
        parse_no_axis(p, node, what);
    else if (parse_takes_sizes(what))
        parse_no_size(p, node, what);
    else if (input)
        wrong(p, node->span,
              arena_printf(p->arena,
                           "the list of %s holds literal expressions, and '%s' is an input; "
                           "give all of them as one input, a 1-D tensor: %s=s%s",
                           what, input->name, what,
                           strcmp(what, "axes") == 0
                               ? arena_printf(p->arena, "; a dimension of a named value goes by .%s[0]", input->name)
                               : ""));
    else
        wrong(p, node->span,
              arena_printf(p->arena, "the list of %s holds literal expressions, found %.60s", what,
                           parse_text(p, node->span)));
}

void parse_add_number(struct parser *p, struct numbers *numbers, const struct node *node, const char *what)
{
    struct literal *items = (struct literal *)numbers->items;
    const bool size = node->size && node->literal.kind == LITERAL_NONE && parse_takes_sizes(what);
    if (!size && !literal_is_number(&node->literal)) {
        not_a_number(p, numbers, node, what);
        return;
    }
    if (size)
        parse_add_size(p, numbers, (int)(node - p->program->nodes));
    ARENA_PUSH(p->arena, items, numbers->count, node->literal);
    numbers->items = items;
}

static void too_many(struct parser *p, struct span span)
{
    diag(p->diags, DIAG_TOO_MANY, span, WEFT_MAX_RANK, "dimensions");
}

bool parse_at_tuple(const struct parser *p)
{
    const char *text = p->source->text, *end = text + p->source->length;
    bool empty = true;
    int depth = 0;
    if (p->token.kind != TOKEN_LPAREN)
        return false;
    for (const char *at = text + p->token.span.start; at < end; at++) {
        depth += (*at == '(' || *at == '[') - (*at == ')' || *at == ']');
        if (*at == '#')
            at += strcspn(at, "\n") - 1;
        else if (depth == 0 || (depth == 1 && *at == ','))
            return *at == ',' || empty;
        else if (at > text + p->token.span.start)
            empty = empty && strchr(" \t\r\n", *at);
    }
    return false;
}

/* '[' [expr {',' expr}] ']', or a tuple */
static void list(struct parser *p, struct numbers *numbers, const char *what)
{
    struct span opener = p->token.span;
    const enum token_kind closer = p->token.kind == TOKEN_LPAREN ? TOKEN_RPAREN : TOKEN_RBRACKET;
    int found = 0;
    parse_advance(p);
    if (p->token.kind != closer)
        do {
            struct span place = p->token.span;
            bool nested = p->token.kind == TOKEN_LBRACKET;
            if (found < WEFT_MAX_RANK && parse_axis_name(p, numbers)) {
                found++;
                continue;
            }
            const int first = p->program->node_count, node = parse_expression(p);
            if (p->failed)
                return;
            if (!parse_fold(p, first))
                continue;
            if (nested)
                wrong(p, place,
                      arena_printf(p->arena, "%s is a list of numbers, not of lists", what));
            else if (found++ == WEFT_MAX_RANK)
                too_many(p, place);
            else if (found <= WEFT_MAX_RANK)
                parse_add_number(p, numbers, &p->program->nodes[node], what);
        } while (parse_more(p, closer));
    parse_close(p, opener, closer, closer == TOKEN_RPAREN ? "',' or ')'" : "',' or ']'");
}

/* Takes the numbers from a name that is bound to an array literal. */
static void elements(struct parser *p, struct numbers *numbers, const struct node *array,
                     const char *what)
{
    if (array->rank != 1)
        wrong(p, numbers->span,
              arena_printf(p->arena, "%s is a list of numbers, not of lists", what));
    else if (array->operand_count > WEFT_MAX_RANK)
        too_many(p, numbers->span);
    else
        for (int i = 0; i < array->operand_count; i++)
            parse_add_number(p, numbers, operand_node(p->program, array, i), what);
}

/* Whether an input is declared as a single integer. */
static bool is_single(const struct program *program, const struct node *name)
{
    const struct symbol *symbol = &program->symbols[name->symbol];
    return symbol->declared && symbol->type.ranked && !symbol->type.rank && dtype_is_integer(symbol->type.dtype);
}

/* A number, a name bound to a number or to an array literal, or an input. */
static void named(struct parser *p, struct numbers *numbers, const char *what)
{
    if (parse_axis_name(p, numbers))
        return;
    const int first = p->program->node_count, node = parse_expression(p);
    numbers->span.end = p->previous.end;
    if (p->failed || !parse_fold(p, first))
        return;
    const struct node *value = named_node(p->program, &p->program->nodes[node]);
    if (literal_is_number(&value->literal) || value->literal.kind == LITERAL_BOOL)
        parse_add_number(p, numbers, value, what);
    else if (value->kind == NODE_ARRAY)
        elements(p, numbers, value, what);
    else if (numbers->in_text)
        parse_no_axis(p, &p->program->nodes[node], what);
    else if (value->kind == NODE_NAME &&
             !(parse_takes_sizes(what) && (strcmp(what, "shape") != 0 || is_single(p->program, value))))
        numbers->input = value->symbol;
    else if (value->size && parse_takes_sizes(what))
        parse_add_number(p, numbers, value, what);
    else if (parse_takes_sizes(what) && strcmp(what, "shape") != 0)
        parse_no_size(p, &p->program->nodes[node], what);
    else if (value->kind != NODE_POISON)
        wrong(p, numbers->span,
              arena_printf(p->arena,
                           "%s is a number, a list as [2, 3], or the name of an input, a 1-D "
                           "tensor; found an expression",
                           what));
}

struct mark parse_numbers_begin(struct parser *p)
{
    const struct program *program = p->program;
    struct mark mark = {program->node_count, program->operand_count, program->extent_count, p->in_numbers};
    p->in_numbers = true;
    return mark;
}

void parse_numbers_end(struct parser *p, struct mark mark, bool keep)
{
    p->in_numbers = mark.inside;
    if (keep)
        return;
    p->program->node_count = mark.nodes;
    p->program->operand_count = mark.operands;
    p->program->extent_count = mark.extents;
    p->folded = p->folded < mark.nodes ? p->folded : mark.nodes;
    for (int i = 0; i < p->program->symbol_count; i++) /* of chains among them */
        if (p->program->symbols[i].hidden && p->program->symbols[i].node >= mark.nodes)
            p->program->symbols[i].node = 0;
}

PARSE_APART void parse_numbers(struct parser *p, struct numbers *numbers, const char *what)
{
    *numbers = (struct numbers){.given = true, .input = -1, .in_text = numbers->in_text, .span = p->token.span};
    if (!parse_enter(p, p->token.span))
        return;
    struct mark mark = parse_numbers_begin(p);
    (p->token.kind == TOKEN_LBRACKET || parse_at_tuple(p) ? list : named)(p, numbers, what);
    p->nesting--;
    numbers->span.end = p->previous.end;
    parse_numbers_end(p, mark, numbers->sizes != NULL);
}

/* ---- layouts ---- */

/* "HWC", or "" for none. */
const char *parse_layout(struct parser *p)
{
    struct span span = p->token.span;
    bool name = p->token.kind == TOKEN_NAME;
    if (!parse_accept(p, TOKEN_STRING)) {
        parse_unexpected(p, name ? arena_printf(p->arena, "a layout in quotes, as layout=\"%.32s\"",
                                                parse_text(p, span))
                                 : "a layout in quotes, as layout=\"HWC\"");
        return "";
    }
    const char *text = parse_text(p, (struct span){span.start + 1, span.end - 1});
    if (strlen(text) <= WEFT_MAX_RANK && layout_is_good(text))
        return text;
    wrong(p, span, "a layout has one letter for each dimension, as \"HWC\", or is \"\" for none");
    return "";
}
