/* Parses axes (rule 9.5): they stand in the text, as an integer, a list, or letters of a layout in quotes. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

/* Letters, or names of dimensions, in quotes. Which dimensions they name is known once all types are (check/names.h,
 * check/axes.c). */
static void letters(struct parser *p, struct numbers *numbers)
{
    const struct span span = p->token.span;
    parse_advance(p);
    const char *text = parse_text(p, (struct span){span.start + 1, span.end - 1});
    *numbers = (struct numbers){.given = true, .input = -1, .in_text = true, .span = span, .letters = text};
    p->program->named = p->program->named || !layout_is_good(text);
}

/* The literal integer to which a name is bound, if it is. The name may be one of a dimension all the same. */
static struct literal bound(struct parser *p, const char *name)
{
    const int index = program_symbol(p->program, name);
    struct symbol *symbol = index < 0 ? NULL : &p->program->symbols[index];
    if (!symbol || symbol->kind != SYMBOL_BINDING)
        return (struct literal){0};
    parse_fold(p, p->program->node_count);
    symbol->used = true;
    return named_node(p->program, &p->program->nodes[symbol->node])->literal;
}

bool parse_axis_name(struct parser *p, struct numbers *numbers)
{
    const struct span span = p->token.span;
    const enum token_kind next = p->next.kind;
    const bool alone = next == TOKEN_COMMA || next == TOKEN_RPAREN || next == TOKEN_RBRACKET;
    if (!numbers->in_text || p->token.kind != TOKEN_NAME || !alone)
        return false;
    const char *text = parse_text(p, span);
    const int symbol = program_symbol(p->program, text);
    const bool list = symbol >= 0 && p->program->symbols[symbol].kind == SYMBOL_BINDING &&
                      named_node(p->program, &p->program->nodes[p->program->symbols[symbol].node])->kind == NODE_ARRAY;
    if (dim_name_is_word(text) || list)
        return false;
    struct literal *items = (struct literal *)numbers->items;
    struct axis_name *names = (struct axis_name *)numbers->names;
    if (!names)
        numbers->names = names = ARENA_ARRAY(p->arena, struct axis_name, WEFT_MAX_RANK);
    names[numbers->count] = (struct axis_name){text, span};
    ARENA_PUSH(p->arena, items, numbers->count, bound(p, text));
    numbers->items = items;
    p->program->named = true;
    parse_advance(p);
    return true;
}

/* What stands there instead, which `found` says. */
static bool not_in_text(struct parser *p, struct span span, const char *what, const char *found)
{
    const bool several = strcmp(what, "axes") == 0;
    return diag(p->diags, DIAG_VIEW_ARGUMENT, span,
                arena_printf(p->arena, several ? "%s stand in the text, as 0, [0, 1] or \"HW\", and %s"
                                               : "%s stands in the text, as 0 or \"W\", and %s", what, found));
}

bool parse_no_axis(struct parser *p, const struct node *node, const char *what)
{
    const struct node *value = named_node(p->program, node);
    const char *input = value->kind == NODE_NAME ? p->program->symbols[value->symbol].name : NULL;
    if (node->kind == NODE_POISON || value->kind == NODE_POISON || node->poison)
        return false;
    if (input && strcmp(input, "None") == 0)
        return diag(p->diags, DIAG_VIEW_ARGUMENT, node->span, "None is no axis; leave the argument out");
    return not_in_text(p, node->span, what,
                       input ? arena_printf(p->arena, "'%s' is an input", input)
                             : arena_printf(p->arena, "%.60s is no literal expression", parse_text(p, node->span)));
}

PARSE_APART void parse_axes(struct parser *p, struct numbers *numbers, const char *what)
{
    if (p->token.kind == TOKEN_STRING) {
        letters(p, numbers);
        p->program->named = p->program->named || strcmp(what, "d") == 0;
        return;
    }
    numbers->in_text = true;
    parse_numbers(p, numbers, what);
}
