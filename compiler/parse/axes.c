/* Parses axes (rule 9.5): they stand in the text, as an integer, a list, or letters of a layout in quotes. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

/* Letters in quotes. Which dimensions they name is known once all types are (check/axes.c). */
static void letters(struct parser *p, struct numbers *numbers)
{
    const struct span span = p->token.span;
    parse_advance(p);
    const char *text = parse_text(p, (struct span){span.start + 1, span.end - 1});
    *numbers = (struct numbers){.given = true, .input = -1, .span = span, .letters = text};
    if (!layout_is_good(text))
        diag(p->diags, DIAG_VIEW_ARGUMENT, span,
             "axes in quotes are letters of the layout, as \"HW\"; numbers stand without quotes, as [0, 1]");
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
        return;
    }
    numbers->in_text = true;
    parse_numbers(p, numbers, what);
}
