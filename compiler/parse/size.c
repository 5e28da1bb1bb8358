/* Parses size expressions (rule 1.10) where views take numbers. Their nodes stay in the program: a call computes them
 * from the values and shapes of its inputs, and a name that is bound to one may be used as a value, too. */
#include "compiler/parse/parse_impl.h"

#include "compiler/lang/lang.h"

#include <string.h>

static const char consists_of[] =
    "a size is made of integers, inputs that are single integers, and extent(x, d), joined by + - * // %";

bool parse_takes_sizes(const char *what)
{
    static const char *const literals[] = {"rel_shape", "src_dims", "axes", "axis", "d", "a", "b"};
    for (size_t i = 0; i < sizeof literals / sizeof *literals; i++)
        if (strcmp(what, literals[i]) == 0)
            return false;
    return true;
}

void parse_add_size(struct parser *p, struct numbers *numbers, int node)
{
    int *sizes = ARENA_ARRAY(p->arena, int, WEFT_MAX_RANK);
    for (int i = 0; i < WEFT_MAX_RANK; i++)
        sizes[i] = numbers->sizes ? numbers->sizes[i] : -1;
    sizes[numbers->count] = node;
    numbers->sizes = sizes;
    p->program->size_count++;
}

bool parse_no_size(struct parser *p, const struct node *node, const char *what)
{
    const struct node *culprit = size_culprit(p->program, node);
    if (node->kind == NODE_POISON || node->poison || culprit->kind == NODE_POISON || culprit->poison)
        return false;
    return diag(p->diags, DIAG_SIZE, culprit->span,
                arena_printf(p->arena, "%.60s is no size, which %s takes; %s",
                             parse_text(p, culprit->span), what, consists_of));
}

/* An input that is declared with the size variable, and the dimension: what to write for it. NULL: none is. */
static const char *extent_of(struct parser *p, int variable)
{
    const struct program *program = p->program;
    for (int i = 0; i < program->input_count; i++) {
        const struct symbol *symbol = &program->symbols[program->inputs[i]];
        for (int d = 0; symbol->declared && symbol->type.ranked && d < symbol->type.rank; d++)
            if (symbol->type.extents[d] == EXTENT_VARIABLE - variable)
                return arena_printf(p->arena, "extent(%s, %d)", symbol->name, d);
    }
    return "extent(x, d)";
}

int parse_size_variable(struct parser *p, struct span span)
{
    const char *name = parse_text(p, span);
    const int variable = map_find(&p->program->size_names, name, strlen(name));
    diag(p->diags, DIAG_SIZE, span,
         arena_printf(p->arena, "size variable '%s' is no value; write %s", name, extent_of(p, variable)));
    return parse_poison(p, span);
}
