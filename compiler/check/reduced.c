/* Implements reduced.h. */
#include "compiler/check/reduced.h"

#include "compiler/check/layout.h"

#include <string.h>

static uint32_t all_of(int rank)
{
    return rank < 32 ? (1u << rank) - 1 : ~0u;
}

static const char *count_text(struct arena *arena, int rank)
{
    return arena_printf(arena, rank ? "%d dimension%s, 0 to %d (from the end -1 to -%d)" : "no dimensions", rank,
                        rank == 1 ? "" : "s", rank - 1, rank);
}

static const char *find_letters(struct arena *arena, const char *letters, const char *layout, const char *value,
                                uint32_t *set)
{
    if (!layout || !*layout)
        return arena_printf(arena, "axes are letters, \"%s\", and %s has no layout; write their numbers, as in axes=[0, 1], "
                                   "or declare the layout, as in float32[480, 640, 3]@HWC", letters, value);
    for (const char *c = letters; *c; c++) {
        const char *at = strchr(layout, *c);
        if (!at)
            return arena_printf(arena, "axes name '%c', and the layout of %s is %s", *c, value, layout);
        if (*set >> (at - layout) & 1)
            return arena_printf(arena, "axes name '%c' twice", *c);
        *set |= 1u << (at - layout);
    }
    return NULL;
}

const char *find_axes(struct arena *arena, const struct axes *axes, int rank, const char *layout, const char *value,
                      uint32_t *set)
{
    const struct numbers *numbers = &axes->numbers;
    *set = axes->given ? 0 : axes->last && rank ? 1u << (rank - 1) : all_of(rank);
    if (!axes->given && axes->last && !rank)
        return arena_printf(arena, "%s has no dimensions to reduce", value);
    if (axes->letters)
        return find_letters(arena, axes->letters, layout, value, set);
    for (int i = 0; i < numbers->count; i++) {
        const __int128 axis = numbers->items[i].integer, d = axis < 0 ? axis + rank : axis;
        const long long shown = axis > INT64_MAX ? INT64_MAX : axis < INT64_MIN ? INT64_MIN : (long long)axis;
        if (d < 0 || d >= rank)
            return arena_printf(arena, "axis %lld is out of range: %s has %s", shown, value, count_text(arena, rank));
        if (*set >> d & 1)
            return arena_printf(arena, "axes name dimension %d of %s twice", (int)d, value);
        *set |= 1u << d;
    }
    return NULL;
}

const char *layout_before(struct arena *arena, const struct program *program, const struct shape *const *shapes,
                                 const struct contents *contents, int n)
{
    struct diags ignored = {.arena = arena, .source = program->source};
    const char **layouts = ARENA_ARRAY(arena, const char *, program->node_count);
    infer_layouts(arena, program, &ignored, shapes, contents, n, layouts);
    return layouts[program->operands[program->nodes[n].operands]];
}

uint32_t reduced_set(struct arena *arena, const struct program *program, const struct shape *const *shapes,
                     const struct contents *contents, int n)
{
    const struct node *node = &program->nodes[n];
    const struct axes *axes = &program->reductions[node->reduction].axes;
    const char *layout = axes->letters ? layout_before(arena, program, shapes, contents, n) : "";
    uint32_t set;
    find_axes(arena, axes, shapes[program->operands[node->operands]]->rank, layout, "", &set);
    return set;
}

struct shape *shape_without(struct arena *arena, const struct shape *shape, uint32_t dropped, bool keepdims)
{
    struct shape *rest = ARENA_NEW(arena, struct shape);
    for (int d = 0; d < shape->rank; d++) {
        const bool drop = dropped >> d & 1;
        if (drop && !keepdims)
            continue;
        rest->rigid |= drop ? 0 : (shape->rigid >> d & 1) << rest->rank;
        rest->extents[rest->rank++] = drop ? 1 : shape->extents[d];
    }
    return rest;
}

const struct shape *reduced_shape(struct arena *arena, const struct node *node, const struct shape *operand,
                                  uint32_t set)
{
    if (node->kind == NODE_REDUCED_POSITION)
        return shape_without(arena, operand, ~set, true);
    return node->kind == NODE_COUNT ? ARENA_NEW(arena, struct shape)
                                    : shape_without(arena, operand, set, node->keepdims);
}
