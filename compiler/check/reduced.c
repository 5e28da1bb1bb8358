/* Implements reduced.h. */
#include "compiler/check/reduced.h"

#include "compiler/check/axes.h"

uint32_t reduced_set(const struct reduce_args *args, int rank)
{
    uint32_t set = args->last && rank ? 1u << (rank - 1) : rank < 32 ? (1u << rank) - 1 : ~0u;
    if (args->axes.given)
        axes_set(&args->axes, NULL, rank, &set);
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
    return node->kind == NODE_COUNT ? ARENA_NEW(arena, struct shape)
                                    : shape_without(arena, operand, set, node->keepdims);
}
