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
    bool likely; /* no rank is known: a layout is taken to be complete */
};

static bool is_end(const char *end, const char *layout)
{
    size_t length = strlen(layout), shorter = strlen(end);
    return shorter <= length && strcmp(layout + length - shorter, end) == 0;
}

/* A layout is kept only if it has a letter for each dimension. */
static const char *if_complete(const struct layouts *l, const char *layout, const struct shape *shape)
{
    if (!layout || !*layout || l->likely)
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

/* transpose takes the letters along. */
static const char *transposed(struct layouts *l, const struct view_args *args, const char *layout)
{
    int from[WEFT_MAX_RANK];
    if (!layout || !*layout)
        return layout;
    const int rank = (int)strlen(layout);
    if (!view_permutation(&args->axes, rank, from))
        return "";
    char *letters = arena_string(l->arena, layout, (size_t)rank);
    for (int d = 0; d < rank; d++)
        letters[d] = layout[from[d]];
    return letters;
}

/* A layout stays unless dimensions are added in front, where `count` numbers make as many dimensions. */
static const char *if_longer(int count, const char *layout)
{
    return !layout || strlen(layout) >= (size_t)count ? layout : "";
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
    case VIEW_TRANSPOSE:
        return transposed(l, args, layout);
    case VIEW_BROADCAST_TO:
        return if_longer(args->shape.count, layout);
    case VIEW_TILE:
        return if_longer(args->counts.count, layout);
    case VIEW_FLIP: case VIEW_ROLL: case VIEW_REPEAT:
        return layout;
    default:
        return args->has_layout ? args->layout : if_complete(l, layout, shape);
    }
}

/* concat keeps the layout that all values have; stack has none. */
static const char *concatenated(const struct layouts *l, const struct node *node)
{
    const char *layout = l->of[l->program->operands[node->operands]];
    if (l->program->views[node->view].kind == VIEW_STACK)
        return "";
    for (int i = 1; i < node->operand_count; i++) {
        const char *other = l->of[l->program->operands[node->operands + i]];
        layout = !layout || !other ? NULL : strcmp(layout, other) == 0 ? layout : "";
    }
    return layout;
}

/* The number of dimensions of a node, as far as the text and its types tell where shapes are not known; -1: not known. */
static int known_rank(const struct layouts *l, const struct node *node, const struct shape *const *shapes)
{
    const struct shape *shape = shapes ? shapes[node - l->program->nodes] : NULL;
    const struct node *value = named_node(l->program, node);
    const struct type *type = value->kind == NODE_NAME ? &l->program->symbols[value->symbol].type : NULL;
    return shape                                          ? shape->rank
           : type                                         ? (type->ranked ? type->rank : -1)
           : value->kind == NODE_ARRAY                    ? value->rank
           : value->literal.kind != LITERAL_NONE          ? 0
                                                          : -1;
}

/* take keeps the layout where its positions have one dimension, which takes the place of another. */
static const char *taken(const struct layouts *l, const struct node *node, const struct shape *const *shapes)
{
    const char *layout = l->of[l->program->operands[node->operands]];
    const int rank = known_rank(l, operand_node(l->program, node, 1), shapes);
    if (!layout || !*layout || rank == 1)
        return layout;
    return rank < 0 ? NULL : "";
}

static const char *named(const struct layouts *l, const struct node *node)
{
    const struct symbol *symbol = &l->program->symbols[node->symbol];
    return symbol->kind == SYMBOL_INPUT ? input_layout(symbol) : l->of[symbol->node];
}

/* Rule 11.7: a reduced dimension drops its letter, or keeps it with keepdims. */
static const char *reduced(struct layouts *l, const struct node *node)
{
    const char *layout = l->of[l->program->operands[node->operands]];
    uint32_t set;
    if (!layout || !*layout || (node->kind == NODE_REDUCE && node->keepdims))
        return layout;
    if (node->kind != NODE_REDUCE)
        return "";
    find_axes(l->arena, &l->program->reductions[node->reduction].axes, (int)strlen(layout), layout, "", &set);
    return layout_without(l->arena, layout, set);
}

/* `shapes` of all nodes, or NULL where none is known yet. */
static const char *node_layout(struct layouts *l, const struct node *node, const struct shape *const *shapes)
{
    const struct shape *shape = shapes ? shapes[node - l->program->nodes] : NULL;
    switch (node->kind) {
    case NODE_NAME: return named(l, node);
    case NODE_CAST: case NODE_WRAP: return l->of[l->program->operands[node->operands]];
    case NODE_VIEW: return viewed(l, node, shape);
    case NODE_JOIN: return concatenated(l, node);
    case NODE_TAKE: return taken(l, node, shapes);
    case NODE_POISON: return NULL;
    case NODE_REDUCE: return reduced(l, node);
    case NODE_OP: return if_complete(l, joined(l, node), shape);
    default: return "";
    }
}

bool infer_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *shapes, const struct contents *contents, int count,
                   const char **layouts)
{
    struct layouts l = {arena, program, diags, contents, layouts, true, false};
    for (int n = 0; n < count; n++)
        layouts[n] = node_layout(&l, &program->nodes[n], shapes);
    return l.good;
}

/* ---- letters of axes ---- */

static bool wrong(const struct program *program, const struct node *node, const struct numbers *axes, const char *text)
{
    const struct span places[] = {axes->span, operand_node(program, node, 0)->span};
    return diag_at(program->diags, DIAG_VIEW_AXIS, places, 2, text);
}

/* Reports letters that cannot be found in a layout. */
static bool no_layout(const struct program *program, const struct node *node, const struct numbers *axes,
                      const char *layout)
{
    const char *value = expression_text(program->arena, program, operand_node(program, node, 0)->span);
    return wrong(program, node, axes,
                 arena_printf(program->arena,
                              "\"%s\" names dimensions by their letters, and %s %s; write their numbers, "
                              "or give it a layout, as in reshape(%s, layout=\"HWC\")", axes->letters, value,
                              layout ? "has no layout" : "has a layout that only the call knows", value));
}

/* The position of a letter. -1, with a diagnostic, where the layout does not have it, or has it twice. */
static int find_letter(const struct program *program, const struct node *node, const struct numbers *axes,
                       const char *layout, int i)
{
    const char letter = axes->letters[i], *found = strchr(layout, letter);
    const char *value = expression_text(program->arena, program, operand_node(program, node, 0)->span), *text = NULL;
    if (!found)
        text = arena_printf(program->arena, "letter %c of \"%s\" is none of layout %s, which %s has", letter,
                            axes->letters, layout, value);
    else if (strchr(axes->letters, letter) != axes->letters + i)
        text = arena_printf(program->arena, "letter %c stands twice in \"%s\"", letter, axes->letters);
    else if (strchr(found + 1, letter))
        text = arena_printf(program->arena, "letter %c stands twice in layout %s, which %s has; write the dimension's "
                            "number", letter, layout, value);
    return text ? (wrong(program, node, axes, text), -1) : (int)(found - layout);
}

/* The letters that transpose leaves out; "" if none. */
static const char *missing(const struct program *program, const char *letters, const char *layout)
{
    struct buf text = buf_new(program->arena);
    for (; *layout; layout++)
        if (!strchr(letters, *layout))
            buf_putc(&text, *layout);
    return text.text ? text.text : "";
}

/* Turns letters into positions. */
static bool resolve(const struct program *program, const struct node *node, struct numbers *axes, bool all,
                    const char *layout)
{
    const int count = (int)strlen(axes->letters);
    struct literal *items = ARENA_ARRAY(program->arena, struct literal, count + 1);
    axes->rank = -1;
    if (!layout || (!*layout && count))
        return no_layout(program, node, axes, layout);
    for (int i = 0; i < count; i++) {
        const int at = find_letter(program, node, axes, layout, i);
        if (at < 0)
            return false;
        items[i] = (struct literal){.kind = LITERAL_INTEGER, .integer = at};
    }
    const char *left = all ? missing(program, axes->letters, layout) : "";
    if (*left)
        return wrong(program, node, axes,
                     arena_printf(program->arena,
                                  "transpose names each letter of layout %s once, and \"%s\" leaves out %s",
                                  layout, axes->letters, left));
    axes->items = items;
    axes->count = count;
    axes->rank = (int)strlen(layout);
    return true;
}

bool resolve_letters(struct program *program)
{
    struct diags ignored = {.arena = program->arena, .source = program->source};
    struct layouts l = {.arena = program->arena, .program = program, .diags = &ignored, .good = true, .likely = true,
                        .of = ARENA_ARRAY(program->arena, const char *, program->node_count)};
    bool good = true;
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const bool viewed = node->kind == NODE_VIEW || node->kind == NODE_POSITION || node->kind == NODE_JOIN ||
                            node->kind == NODE_TAKE;
        struct view_args *args = viewed ? &program->views[node->view] : NULL;
        if (args && args->axes.letters)
            good = resolve(program, node, &args->axes, args->kind == VIEW_TRANSPOSE,
                           l.of[program->operands[node->operands]]) && good;
        l.of[n] = node_layout(&l, node, NULL);
    }
    return good;
}
