/* Kernels of scatter and nonzero (rules 12.5 and 12.6; temporaries.h). Of scatter three store what it is computed from:
 * x with the axes first, the place of each position, and v with all of its elements. A fourth one puts these to their
 * places, in their order, and its temporary is the value. */
#include "compiler/ir/temporaries.h"

#include "compiler/ir/ir.h"

/* Adds a kernel that stores a node's value as another type. Returns the temporary; -1, with a diagnostic, where there
 * are too many maps. */
static int store_as(struct lowering *l, int n, enum weft_dtype dtype)
{
    const struct shape *space = l->shapes[n];
    const struct lower_params params = lower_params(l);
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, space->rank + 1);
    for (int d = 0; d < space->rank; d++)
        axes[d] = (struct axis){d, {.step = 1}, EDGE_VALUE};
    const struct lowered_value value = {.node = n, .dtype = dtype, .space = space, .axes = axes, .sought = -1,
                                        .positions = -1, .temporary = add_temporary(l->kernels, dtype, space)};
    struct kernel *kernel = lower_value(l->arena, &params, &value);
    if (kernel)
        add_kernel(l->kernels, (struct program_kernel){.kernel = kernel, .space = space});
    return kernel ? value.temporary : -1;
}

/* An int64 of the kernel; negative: an extent that only the call knows. */
static int add_whole(struct kernel *kernel, int64_t number, struct span span)
{
    const bool open = number < 0;
    const int index = open ? kernel_add_access(kernel, (struct access){TENSOR_NUMBER, (int)number, WEFT_INT64, 0})
                           : kernel_add_literal(kernel, WEFT_INT64, (union scalar){.i64 = number});
    return kernel_add_ins(kernel, (struct ins){open ? INS_LOAD : INS_LITERAL, OP_COUNT, WEFT_INT64, WEFT_INT64,
                                               {-1, -1, -1}, index, span});
}

/* The temporary with the places, which are stored once for all that is put there. */
static int store_places(struct lowering *l, int use)
{
    const int n = (int)(named_node(l->program, &l->program->nodes[use]) - l->program->nodes);
    struct reduced *places = &l->reduced[n];
    if (places->stored)
        return places->temporary;
    const struct shape *value = l->shapes[l->program->operands[l->program->nodes[n].operands]];
    const bool few = shape_known(value) && shape_volume(value) <= INT32_MAX;
    const int temporary = store_as(l, n, few ? WEFT_INT32 : WEFT_INT64);
    places->stored = temporary >= 0;
    places->temporary = temporary;
    return temporary;
}

/* The node of the only element that is put everywhere; -1: there are several. */
static int single_value(const struct lowering *l, int full)
{
    const struct node *node = named_node(l->program, &l->program->nodes[full]);
    const bool spread = node->kind == NODE_VIEW && l->program->views[node->view].kind == VIEW_SCATTER;
    const int value = spread ? l->program->operands[node->operands] : -1;
    return spread && l->shapes[value]->rank == 0 ? value : -1;
}

/* Makes a kernel that puts what temporary `from` has to `to`, at places that temporary `at` has. */
static void add_put(struct lowering *l, int n, struct ins put, int at, int from, int to, int64_t count, int64_t inner)
{
    const struct temporary *temporaries = l->kernels->temporaries;
    const struct span span = l->program->nodes[n].token;
    const int64_t volume = extent_by(l->open, EXTENT_VOLUME, .shape = l->shapes[n]);
    const struct shape *space = shape_new(l->arena, 1, &volume);
    struct kernel *kernel = ARENA_NEW(l->arena, struct kernel);
    *kernel = (struct kernel){.arena = l->arena, .program = l->program};
    ARENA_PUSH(l->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    kernel_add_access(kernel, (struct access){TENSOR_TABLE, at, temporaries[at].dtype, 0});
    kernel_add_access(kernel, (struct access){TENSOR_TABLE, from, temporaries[from].dtype, 0});
    put.a[0] = add_whole(kernel, count, span);
    put.a[1] = add_whole(kernel, inner, span);
    put.a[2] = put.a[2] < 0 ? -1 : put.a[0];
    put.dtype = put.source = temporaries[to].dtype;
    put.span = span;
    kernel->load_count = kernel->access_count;
    put.index = kernel_add_access(kernel, (struct access){TENSOR_TEMPORARY, to, put.dtype, 0});
    kernel_add_ins(kernel, put);
    add_kernel(l->kernels, (struct program_kernel){.kernel = kernel, .space = space});
    l->reduced[n].temporary = to;
    l->reduced[n].stored = true;
}

/* The numbers of true elements: they are put one behind the other. */
static bool lower_numbers(struct lowering *l, int n)
{
    const int *operands = &l->program->operands[l->program->nodes[n].operands];
    const int to = store_as(l, operands[0], WEFT_INT64), mask = to < 0 ? -1 : store_as(l, operands[1], WEFT_BOOL);
    const struct ins put = {.kind = INS_PUT, .op = OP_NONZERO, .a = {-1, -1, -1}};
    if (mask >= 0)
        add_put(l, n, put, mask, mask, to, extent_by(l->open, EXTENT_VOLUME, .shape = l->shapes[operands[1]]), 1);
    return mask >= 0;
}

bool lower_scatter(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const int *operands = &l->program->operands[node->operands];
    const struct view_args *args = &l->program->views[node->view];
    const enum weft_dtype dtype = type_rows[node->dtype].compute;
    if (args->part == NONZERO_NUMBERS)
        return lower_numbers(l, n);
    const struct shape *places = l->shapes[operands[1]], *full = l->shapes[operands[2]];
    const int to = store_as(l, operands[0], dtype), at = to < 0 ? -1 : store_places(l, operands[1]);
    const int single = single_value(l, operands[2]);
    const int from = at < 0 ? -1 : store_as(l, single < 0 ? operands[2] : single, dtype);
    if (from < 0)
        return false;
    const struct shape *each = shape_new(l->arena, full->rank - places->rank, full->extents + places->rank);
    const struct ins put = {.kind = INS_PUT, .op = put_op(args->put), .a = {-1, -1, single}};
    add_put(l, n, put, at, from, to, extent_by(l->open, EXTENT_VOLUME, .shape = places),
            extent_by(l->open, EXTENT_VOLUME, .shape = each));
    return true;
}
