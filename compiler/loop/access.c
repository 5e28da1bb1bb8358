/* Implements access.h. */
#include "compiler/loop/access.h"

#include "compiler/loop/geometry.h"

static enum weft_dtype input_dtype(const struct program *program, const struct access *access)
{
    return program->symbols[program->inputs[access->index]].type.dtype;
}

bool access_reinterprets(const struct program *program, const struct access *access)
{
    return access->kind == TENSOR_INPUT && access->dtype != input_dtype(program, access);
}

static const struct shape *constant_shape(const struct access_shapes *shapes, const struct constant *constant)
{
    return constant->shape ? constant->shape : shapes->nodes[constant->node];
}

const struct shape *access_shape(const struct access_shapes *shapes, const struct kernel *kernel,
                                 const struct shape *space, int a)
{
    static const struct shape bytes = {.rank = 1, .extents = {TABLE_ENTRIES}}, one = {.rank = 0};
    const struct access *access = &kernel->accesses[a];
    if (a >= kernel->load_count && kernel->lanes)
        return kernel->lanes->stored;
    if (a >= kernel->load_count)
        return access->kind == TENSOR_TABLE ? &bytes : access->map ? kernel->maps[access->map].to : space;
    switch (access->kind) {
    case TENSOR_INPUT: return kernel_puts(kernel) ? &one : shapes->inputs[access->index]; /* read as it lies */
    case TENSOR_CONSTANT: return constant_shape(shapes, &kernel->constants[access->index]);
    case TENSOR_TEMPORARY: return shapes->temporaries[access->index].shape;
    case TENSOR_BYTES: return &bytes;
    default: return &one; /* a table does not move with the loop */
    }
}

const struct shape *access_row(struct arena *arena, const struct access_shapes *shapes, const struct access *access)
{
    const int old = type_rows[input_dtype(shapes->program, access)].size, size = type_rows[access->dtype].size;
    const int64_t volume = shape_volume(shapes->inputs[access->index]),
                  count = size > old ? volume / (size / old) : volume * (old / size);
    return shape_new(arena, 1, &count);
}

/* Finds the elements of an input whose bytes are read as another type. */
static bool reinterpret(const struct strided *input, int old, int size, struct pieces *pieces)
{
    int64_t strides[WEFT_MAX_RANK];
    struct pieces own;
    broadcast_strides(input->rank, input->extents, input->rank, input->extents, input->strides, old, strides);
    pieces_make(&own, input->rank, input->extents, strides);
    return pieces_reinterpret(&own, old, size, pieces);
}

static const struct strided *operand_of(const struct operands *operands, const struct access *access)
{
    return access->kind == TENSOR_INPUT                        ? &operands->inputs[access->index]
           : access->kind == TENSOR_RESULT && operands->results ? &operands->results[access->index]
                                                               : NULL;
}

bool access_by_value(const struct program *program, const struct strided *inputs, const struct access *access)
{
    return access->kind == TENSOR_INPUT && inputs[access->index].by_value &&
           type_rows[access->dtype].size == type_rows[input_dtype(program, access)].size;
}

/* Makes one view. False where bytes do not lie as they are to be reinterpreted. */
static bool make_view(struct arena *arena, const struct access_shapes *shapes, const struct operands *operands,
                      const struct kernel *kernel, const struct index_map *maps, const struct shape *space, int a,
                      struct view *view)
{
    const struct access *access = &kernel->accesses[a];
    const bool joined = a >= kernel->load_count && kernel->lanes; /* a result is stored as a temporary would be */
    const struct strided *operand = joined || kernel_puts(kernel) ? NULL : operand_of(operands, access);
    const bool by_value = access_by_value(shapes->program, operands->inputs, access);
    const int map = by_value ? 0 : access->map, size = type_rows[access->dtype].size;
    const struct shape *own = access_shape(shapes, kernel, space, a), *to = map ? maps[map].to : space;
    const bool other = access_reinterprets(shapes->program, access) && !by_value;
    struct pieces pieces;
    *view = (struct view){.walk = NULL};
    if (!other)
        broadcast_strides(to->rank, to->extents, operand ? operand->rank : own->rank,
                          operand ? operand->extents : own->extents, operand ? operand->strides : NULL, size,
                          view->strides);
    for (int d = 0; map && a >= kernel->load_count && d < space->rank; d++)
        view->start += maps[map].axes[d].slice.start * view->strides[d];
    if ((!map && !other) || a >= kernel->load_count || shape_volume(space) == 0)
        return true;
    pieces_make(&pieces, to->rank, to->extents, view->strides);
    if (other && !reinterpret(operand, type_rows[input_dtype(shapes->program, access)].size, size, &pieces))
        return false;
    if (!pieces.count && !map_is_bounded(kernel, map) && !map_taken_step(maps, map)) {
        *view = (struct view){.walk = NULL}; /* it has one element, wherever it is read */
        return true;
    }
    view->walk = ARENA_NEW(arena, struct walk);
    view->walk->levels = ARENA_ARRAY(arena, struct walk_level, map_levels(maps, map));
    walk_follow(maps, map, &pieces, view->walk);
    return true;
}

bool make_views(struct arena *arena, const struct access_shapes *shapes, const struct operands *operands,
                const struct kernel *kernel, const struct index_map *maps, const struct shape *space,
                struct view *views, const struct access **wrong)
{
    for (int a = 0; a < kernel->access_count; a++)
        if (!make_view(arena, shapes, operands, kernel, maps, space, a, &views[a])) {
            *wrong = &kernel->accesses[a];
            return false;
        }
    return true;
}
