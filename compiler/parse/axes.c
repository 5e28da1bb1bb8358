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

PARSE_APART void parse_axes(struct parser *p, struct numbers *numbers, const char *what)
{
    if (p->token.kind == TOKEN_STRING) {
        letters(p, numbers);
        return;
    }
    parse_numbers(p, numbers, what);
    if (p->failed || numbers->input < 0)
        return;
    const char *name = p->program->symbols[numbers->input].name;
    diag(p->diags, DIAG_VIEW_ARGUMENT, numbers->span,
         strcmp(name, "None") == 0 ? "None is no axis; leave the argument out" :
         arena_printf(p->arena, "%s stand in the text, as 0, [0, 1] or \"HW\", and '%s' is an input", what, name));
    numbers->input = -1;
}
