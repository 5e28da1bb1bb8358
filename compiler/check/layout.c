/* Implements layout.h. */
#include "compiler/check/layout.h"

#include "compiler/check/axes.h"
#include "compiler/check/reduced.h"

#include <string.h>

const char *input_layout(const struct symbol *symbol)
{
    return symbol->type.dims                             ? ""
           : symbol->type.has_layout                     ? symbol->type.layout
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

/* A layout is kept only if it has a letter for each of `rank` dimensions; -1: not known. */
static const char *if_complete(const struct layouts *l, const char *layout, int rank)
{
    if (!layout || !*layout || (rank < 0 && l->likely))
        return layout;
    return rank < 0 ? NULL : strlen(layout) == (size_t)rank ? layout : "";
}

/* What to write where `longer` only has a letter more at its end, as the channels of a picture beside a mask; else
 * NULL. */
static const char *stretched(struct arena *arena, const char *text, const char *layout, const char *longer)
{
    const size_t length = strlen(layout);
    return length + 1 != strlen(longer) || strncmp(layout, longer, length) != 0
               ? NULL
               : arena_printf(arena, "write %s, which is the same for all of %s", stretched_text(arena, text),
                              longer + length);
}

static bool clash(const struct layouts *l, const struct node *node, int a, int b)
{
    const struct node *left = operand_node(l->program, node, a);
    const struct node *right = operand_node(l->program, node, b);
    const char *const of_left = l->of[left - l->program->nodes], *const of_right = l->of[right - l->program->nodes];
    const char *const first = expression_text(l->arena, l->program, left->span);
    const char *const second = expression_text(l->arena, l->program, right->span);
    const char *advice = stretched(l->arena, first, of_left, of_right);
    advice = advice ? advice : stretched(l->arena, second, of_right, of_left);
    advice = advice ? advice : arena_printf(l->arena, "to drop one write reshape(%s, layout=\"\")", second);
    return diag_at(l->diags, DIAG_LAYOUT, ((struct span[]){node->token, left->span, right->span}), 3, first, of_left,
                   second, of_right, advice);
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
    return axes_set(&args->axes, l->contents, (int)strlen(layout), &set)
               ? layout_without(l->arena, layout, set)
               : NULL;
}

const char *layout_by_axes(struct arena *arena, const struct view_args *args, const char *layout)
{
    struct view_axis axes[WEFT_MAX_RANK];
    int count = 0;
    for (int i = 0; i < args->item_count; i++)
        if (args->items[i].kind == ITEM_NEW)
            return "";
    if (!layout || !*layout)
        return layout;
    const int rank = (int)strlen(layout), to = view_axes(args, rank, axes);
    char *letters = ARENA_ARRAY(arena, char, WEFT_MAX_RANK + 1);
    for (int d = 0; to >= 0 && d < rank; d++)
        if (axes[d].result >= 0)
            letters[axes[d].result] = layout[d], count++;
    return count == to ? letters : "";
}

/* The number of dimensions to which a reshape or reinterpret leads, whatever is viewed; -1: not known. */
static int rank_of_view(const struct view_args *args)
{
    const struct numbers *shape = args->shape.given       ? &args->shape
                                  : args->rel_shape.given ? &args->rel_shape
                                                          : &args->src_dims;
    return shape->given && shape->input < 0 ? shape->count : -1;
}

/* Rule 10.1: neighbours keep the layout. Along the last `last` dimensions, unless axes are named, no C stands: rarely
 * are channels meant. */
static const char *look_around(struct layouts *l, const struct node *node, int last)
{
    const char *layout = l->of[l->program->operands[node->operands]];
    const size_t length = layout ? strlen(layout) : 0;
    if (l->program->views[node->view].axes.given || l->likely || last <= 0 || (size_t)last > length ||
        !strchr(layout + length - (size_t)last, 'C'))
        return layout;
    const struct node *x = operand_node(l->program, node, 0);
    const char *text = expression_text(l->arena, l->program, x->span);
    l->good = diag_at(l->diags, DIAG_AXIS, ((struct span[]){node->token, x->span}), 2,
                      arena_printf(l->arena, "C of layout %s, which %s has, is among the last %d dimension%s, along "
                                   "which neighbours are where axes are not named; write which are meant, as in "
                                   "axes=\"HW\"", layout, text, last, last == 1 ? "" : "s"));
    return NULL;
}

/* Whether dimensions like those of a picture, height and width, stand before a last one like channels. */
static bool is_picture(const struct shape *shape, int last)
{
    enum { MOST_CHANNELS = 4 };
    const int channels = shape->rank - 1;
    bool picture = channels >= 2 && channels >= last && shape->extents[channels] >= 1 &&
                   shape->extents[channels] <= MOST_CHANNELS;
    for (int d = channels - (last > 2 ? last : 2); picture && d < channels; d++)
        picture = d >= 0 && (shape->extents[d] < 0 || shape->extents[d] > MOST_CHANNELS);
    return picture;
}

/* The dimensions from one on, as a text gives them. */
static const char *axes_text(struct arena *arena, int first, int count)
{
    const char *text = arena_printf(arena, "%d", first);
    for (int i = 1; i < count; i++)
        text = arena_printf(arena, "%s, %d", text, first + i);
    return count == 1 ? text : arena_printf(arena, "[%s]", text);
}

void warn_channels(struct program *program, const struct shape *const *shapes, const char *const *layouts)
{
    struct arena *arena = program->arena;
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        const bool weighs = node->kind == NODE_CORRELATE;
        const struct view_args *args = weighs || node->kind == NODE_VIEW ? &program->views[node->view] : NULL;
        if (!args || args->axes.given || !(weighs || args->kind == VIEW_OFFSET))
            continue;
        const int x = program->operands[node->operands];
        const struct shape *shape = shapes[x], *k = weighs ? shapes[program->operands[node->operands + 1]] : NULL;
        const int last = !weighs ? args->offsets.count : k ? k->rank : 0;
        if (last <= 0 || !shape || !is_picture(shape, last) || (layouts[x] && *layouts[x]) ||
            (program->dims && program->dims[x]))
            continue;
        const int channels = shape->rank - 1, count = (int)shape->extents[channels];
        diag_at(program->diags, DIAG_CHANNELS, ((struct span[]){node->token, program->nodes[x].span}), 2,
                expression_text(arena, program, program->nodes[x].span), shape_text(arena, program, shape),
                last == 1 ? arena_printf(arena, "the last dimension, of extent %d", count)
                          : arena_printf(arena, "the last %d dimensions, also the one of extent %d", last, count),
                axes_text(arena, channels - last, last), axes_text(arena, channels - last + 1, last));
        return;
    }
}

static const char *viewed(struct layouts *l, const struct node *node, int rank)
{
    const struct view_args *args = &l->program->views[node->view];
    const char *layout = l->of[l->program->operands[node->operands]];
    if (args->kind == VIEW_OFFSET)
        return look_around(l, node, args->offsets.count);
    if (view_is_by_axes(args->kind))
        return layout_by_axes(l->arena, args, layout);
    switch (args->kind) {
    case VIEW_SQUEEZE:
        return squeezed(l, args, layout);
    case VIEW_EXPAND_DIMS: case VIEW_EXTENT:
        return "";
    case VIEW_TILE: case VIEW_REPEAT:
        return !layout || strlen(layout) >= (size_t)args->counts.count ? layout : "";
    default:
        return args->has_layout ? args->layout : if_complete(l, layout, rank < 0 ? rank_of_view(args) : rank);
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

/* The number of dimensions of a node, as far as the text and its types tell where shapes are not known; -1: not
 * known. */
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
    if (l->program->views[node->view].kind != VIEW_TAKE)
        return "";
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
    if (!layout || !*layout || node->keepdims)
        return layout;
    return layout_without(l->arena, layout,
                          reduced_set(&l->program->reductions[node->reduction], (int)strlen(layout)));
}

/* `shapes` of all nodes, or NULL where none is known yet. */
static const char *node_layout(struct layouts *l, const struct node *node, const struct shape *const *shapes)
{
    const struct shape *shape = shapes ? shapes[node - l->program->nodes] : NULL;
    const int rank = shape ? shape->rank : -1;
    if (l->program->dims && l->program->dims[node - l->program->nodes])
        return "";                 /* names say more */
    switch (node->kind) {
    case NODE_NAME: return named(l, node);
    case NODE_CAST: case NODE_WRAP: return l->of[l->program->operands[node->operands]];
    case NODE_VIEW: return viewed(l, node, rank);
    case NODE_CORRELATE: return look_around(l, node, known_rank(l, operand_node(l->program, node, 1), shapes));
    case NODE_JOIN: return concatenated(l, node);
    case NODE_TAKE: return taken(l, node, shapes);
    case NODE_SCATTER: return l->of[l->program->operands[node->operands]];
    case NODE_POISON: return NULL;
    case NODE_REDUCE: case NODE_SEARCH: return reduced(l, node);
    case NODE_OP: return if_complete(l, joined(l, node), rank);
    default: return "";
    }
}

bool infer_layouts(struct arena *arena, const struct program *program, struct diags *diags,
                   const struct shape *const *shapes, const struct contents *contents, const char **layouts)
{
    struct layouts l = {arena, program, diags, contents, layouts, true, false};
    for (int n = 0; n < program->node_count; n++)
        layouts[n] = node_layout(&l, &program->nodes[n], shapes);
    return l.good;
}

/* ---- letters of axes ---- */

/* The axes of a view or reduction; NULL for other nodes. */
static struct numbers *axes_of(struct program *program, const struct node *node)
{
    switch (node->kind) {
    case NODE_VIEW: case NODE_CORRELATE: case NODE_POSITION: case NODE_JOIN: case NODE_TAKE:
        return &program->views[node->view].axes;
    case NODE_REDUCE: case NODE_COUNT: case NODE_SEARCH: return &program->reductions[node->reduction].axes;
    default: return NULL;
    }
}

/* The value whose dimensions they name. */
static struct product axes_value(const struct program *program, const struct node *node, int operand)
{
    return node_is_reduced(node) ? program->reductions[node->reduction].value
                                 : (struct product){{operand_node(program, node, operand)->span}, 1};
}

/* The operand whose dimensions they name: of most nodes of scatter x is not the first. */
static int axes_operand(const struct program *program, const struct node *node)
{
    const enum scatter_part part = node_is_reduced(node) ? SCATTER_WHOLE : program->views[node->view].part;
    return part == SCATTER_FULL || part == SCATTER_SPREAD || part == SCATTER_BACK;
}

bool resolve_letters(struct program *program)
{
    struct diags ignored = {.arena = program->arena, .source = program->source};
    struct layouts l = {.arena = program->arena, .program = program, .diags = &ignored, .good = true, .likely = true,
                        .of = ARENA_ARRAY(program->arena, const char *, program->node_count)};
    const struct numbers *before = NULL;
    bool good = true;
    for (int n = 0; n < program->node_count; n++) {
        const struct node *node = &program->nodes[n];
        struct numbers *axes = axes_of(program, node);
        const bool all = node->kind == NODE_VIEW && program->views[node->view].kind == VIEW_TRANSPOSE &&
                         !program->views[node->view].part;
        if (axes && axes->letters && axes != before) { /* all nodes of a reduction's call share them */
            const int operand = axes_operand(program, node);
            const struct product value = axes_value(program, node, operand);
            good = axes_resolve(program, &value, axes, all, l.of[program->operands[node->operands + operand]]) && good;
        }
        before = axes ? axes : before;
        l.of[n] = node_layout(&l, node, NULL);
    }
    return good;
}
