/* Makes loops of kernels whose extents are open, for examples of calls (schedule.h). */
#include "compiler/loop/schedule.h"

static const struct shape *example_shape(struct arena *arena, const struct example *example, const struct shape *shape)
{
    struct shape *numbers = arena_copy(arena, shape, sizeof *numbers);
    for (int d = 0; d < shape->rank; d++)
        numbers->extents[d] = example->number(example->user, shape->extents[d]);
    return numbers;
}

/* The axes with the example's numbers in place of slots. */
static const struct axis *example_axes(struct arena *arena, const struct example *example, const struct axis *axes,
                                       int rank)
{
    struct axis *numbers = arena_copy(arena, axes, (size_t)rank * sizeof *numbers);
    for (int d = 0; d < rank; d++) {
        struct slice *slice = &numbers[d].slice;
        int64_t *const bounds[] = {&slice->start, &slice->stop, &slice->step};
        for (int b = 0; b < BOUND_COUNT; b++)
            if (slice->open >> b & 1)
                *bounds[b] = example->bound(example->user, *bounds[b]);
        slice->open = 0;
    }
    return numbers;
}

static const struct index_map *example_maps(struct arena *arena, const struct example *example,
                                            const struct kernel *kernel, const struct shape *space)
{
    struct index_map *maps = ARENA_ARRAY(arena, struct index_map, kernel->map_count + 1);
    maps[0] = (struct index_map){.parent = -1, .to = space};
    for (int m = 1; m < kernel->map_count; m++) {
        const struct index_map *map = &kernel->maps[m];
        maps[m] = *map;
        maps[m].from = example_shape(arena, example, map->from);
        maps[m].to = example_shape(arena, example, map->to);
        if (map->axes)
            maps[m].axes = example_axes(arena, example, map->axes, map->to->rank);
    }
    return maps;
}

/* The kernel with the example's numbers for how tiles share its space. */
static const struct kernel *example_kernel(struct arena *arena, const struct example *example,
                                           const struct kernel *kernel)
{
    if (!kernel->lanes)
        return kernel;
    struct kernel *own = arena_copy(arena, kernel, sizeof *own);
    struct lanes *lanes = arena_copy(arena, kernel->lanes, sizeof *lanes);
    const struct lane_tiles *t = &lanes->tiles;
    const int64_t points = example->number(example->user, t->points),
                  elements = example->number(example->user, t->elements),
                  inner = example->number(example->user, t->inner);
    const bool ordered = join_is_ordered(lanes->join, lanes->tree);
    if (!lanes->threads.threads)
        lanes->tiles = deal_lanes(points, elements, inner, ordered, lanes->partial ? LANE_COUNT : BLOCK_ELEMENTS);
    else if (!lanes->threads.serial)
        lanes->tiles = deal_block(points, elements, inner, lanes->threads.threads, lanes->partial,
                                  (int64_t)1 << (lanes->threads.levels - 1));
    lanes->tiles.inner = inner;
    lanes->stored = example_shape(arena, example, lanes->stored);
    own->lanes = lanes;
    return own;
}

const struct strided *dense_operands(struct arena *arena, const struct shape *const *shapes, int count, bool values)
{
    struct strided *operands = ARENA_ARRAY(arena, struct strided, count + 1);
    for (int i = 0; i < count; i++)
        operands[i] = (struct strided){.rank = shapes[i]->rank, .extents = shapes[i]->extents,
                                       .by_value = values && shapes[i]->rank == 0};
    return operands;
}

/* The shapes of inputs and temporaries in numbers. */
static struct access_shapes example_shapes(struct arena *arena, const struct example *example,
                                           const struct access_shapes *open, int temporary_count)
{
    const int count = open->program->input_count;
    const struct shape **inputs = ARENA_ARRAY(arena, const struct shape *, count + 1);
    struct temporary *temporaries = ARENA_ARRAY(arena, struct temporary, temporary_count + 1);
    for (int i = 0; i < count; i++)
        inputs[i] = example_shape(arena, example, open->inputs[i]);
    for (int t = 0; t < temporary_count; t++)
        temporaries[t] = (struct temporary){open->temporaries[t].dtype,
                                            example_shape(arena, example, open->temporaries[t].shape)};
    return (struct access_shapes){open->program, inputs, example->shapes, temporaries};
}

const struct likely *make_likely(struct arena *arena, const struct loop_params *params, int temporary_count,
                                 const struct example *example)
{
    struct loop_params own = *params;
    struct loop made;
    const struct access *wrong;
    if (!example->shapes)
        return NULL;
    own.space = example_shape(arena, example, params->space);
    if (shape_volume(own.space) < 1)
        return NULL;
    own.fast = params->fast & ~example->without;
    own.kernel = example_kernel(arena, example, params->kernel);
    own.maps = example_maps(arena, example, params->kernel, own.space);
    own.shapes = example_shapes(arena, example, &params->shapes, temporary_count);
    own.operands = (struct operands){dense_operands(arena, own.shapes.inputs, own.shapes.program->input_count,
                                                    example->values), NULL};
    if (!make_loop(arena, &own, &made, &wrong))
        return NULL;
    return arena_copy(arena, &(struct likely){made.geometry, own.kernel}, sizeof(struct likely));
}
