/* Implements layout.h. */
#include "compiler/check/layout.h"

#include "compiler/check/reduced.h"
#include "compiler/check/view.h"

#include <string.h>

const char *input_layout(const struct symbol *symbol)
{
    return symbol->type.has_layout                       ? symbol->type.layout
           : symbol->given && symbol->given->has_layout ? symbol->given->layout
                                                        : "";
}

const char *layout_without(struct arena *arena, const char *layout, uint32_t dropped)
{
    char *rest = arena_string(arena, layout, strlen(layout)), *end = rest;
    for (int d = 0; layout[d]; d++)
        if (!(dropped >> d & 1))
            *end++ = layout[d];
    *end = '\0';
    return rest;
}

struct layouts {
    struct arena *arena;
    const struct program *program;
    struct diags *diags;
    const struct contents *contents;
    const char **of; /* the layout of each node */
    bool good;
};

static bool is_end(const char *end, const char *layout)
{
    size_t length = strlen(layout), shorter = strlen(end);
    return shorter <= length && strcmp(layout + length - shorter, end) == 0;
}

/* A layout is kept only if it has a letter for each dimension. */
static const char *if_complete(const char *layout, const struct shape *shape)
{
    if (!layout || !*layout)
        return layout;
    return !shape                                         ? NULL
           : strlen(layout) == (size_t)shape->rank ? layout
                                                   : "";
}

static bool clash(const struct layouts *l, const struct node *node, int a, int b)
{
    const struct node *left = operand_node(l->program, node, a);
    const struct node *right = operand_node(l->program, node, b);
    const char *text = expression_text(l->arena, l->program, right->span);
    return diag_at(l->diags, DIAG_LAYOUT, ((struct span[]){node->token, left->span, right->span}),
                   3, expression_text(l->arena, l->program, left->span),
                   l->of[left - l->program->nodes], text, l->of[right - l->program->nodes], text);
}

/* The operands' longest layout. Every other one must be the end of it. NULL where it is not known, or wrong. */
static const char *joined(struct layouts *l, const struct node *node)
{
    const char *joined = "";
    int longest = -1;
    bool known = true;
    for (int i = 0; i < node->operand_count; i++) {
        const char *layout = l->of[l->program->operands[node->operands + i]];
        known = known && layout;
        if (layout && (longest < 0 || strlen(layout) > strlen(joined)))
            joined = layout, longest = i;
    }
    for (int i = 0; i < node->operand_count; i++) {
        const char *layout = l->of[l->program->operands[node->operands + i]];
        if (layout && !is_end(layout, joined)) {
            l->good = clash(l, node, longest < i ? longest : i, longest < i ? i : longest);
            return NULL;
        }
    }
    return longest < 0 || !known ? NULL : joined;
}

/* Drops the letters of the dimensions that squeeze drops. */
static const char *squeezed(struct layouts *l, const struct view_args *args, const char *layout)
{
    uint32_t set;
    if (!layout || !*layout)
        return layout;
    return view_axes(args, l->contents, (int)strlen(layout), &set)
               ? layout_without(l->arena, layout, set)
               : NULL;
}

/* Rule 9.4: an integer drops its dimension's letter, a slice keeps it, None clears the layout. */
static const char *selected(struct layouts *l, const struct view_args *args, const char *layout)
{
    struct select_axis axes[WEFT_MAX_RANK];
    uint32_t dropped = 0;
    for (int i = 0; i < args->item_count; i++)
        if (args->items[i].kind == ITEM_NEW)
            return "";
    if (!layout || !*layout)
        return layout;
    const int rank = (int)strlen(layout);
    if (view_select_axes(args, rank, axes) < 0)
        return "";
    for (int d = 0; d < rank; d++)
        dropped |= (uint32_t)(axes[d].result < 0) << d;
    return layout_without(l->arena, layout, dropped);
}

static const char *viewed(struct layouts *l, const struct node *node, const struct shape *shape)
{
    const struct view_args *args = &l->program->views[node->view];
    const char *layout = l->of[l->program->operands[node->operands]];
    switch (args->kind) {
    case VIEW_SQUEEZE:
        return squeezed(l, args, layout);
    case VIEW_EXPAND_DIMS: case VIEW_EXTENT:
        return "";
    case VIEW_SELECT:
        return selected(l, args, layout);
    default:
        return args->has_layout ? args->layout : if_complete(layout, shape);
    }
}

static const char *named(const struct layouts *l, const struct node *node)
{
    const struct symbol *symbol = &l->program->symbols[node->symbol];
    return symbol->kind == SYMBOL_INPUT ? input_layout(symbol) : l->of[symbol->node];
}

/* Rule 11.7: a reduced dimension drops its letter, or keeps it with keepdims. */
static const char *reduced(struct layouts *l, const struct node *node, const struct shape *operand)
{
    const char *layout = l->of[l->program->operands[node->operands]];
    uint32_t set;
    if (!layout || !*layout || (node->kind == NODE_REDUCE && node->keepdims))
        return layout;
    if (!operand || node->kind != NODE_REDUCE)
        return operand ? "" : NULL;
    find_axes(l->arena, &l->program->reductions[node->reduction].axes, operand->rank, layout, "", &set);
    return layout_without(l->arena, layout, set);
}

static const char *node_layout(struct layouts *l, const struct node *node, const struct shape *const *shapes)
{
    const struct shape *shape = shapes[node - l->program->nodes];
    switch (node->kind) {
    case NODE_NAME: return named(l, node);
    case NODE_CAST: case NODE_WRAP: return l->of[l->program->operands[node->operands]];
    case NODE_VIEW: return viewed(l, node, shape);
    case NODE_POISON: return NULL;
    case NODE_REDUCE: return reduced(l, node, shapes[l->program->operands[node->operands]]);
    case NODE_OP: return if_complete(joined(l, node), shape);
    default: return "";
    }
}

bool infer_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *shapes, const struct contents *contents, int count,
                   const char **layouts)
{
    struct layouts l = {arena, program, diags, contents, layouts, true};
    for (int n = 0; n < count; n++)
        layouts[n] = node_layout(&l, &program->nodes[n], shapes);
    return l.good;
}
