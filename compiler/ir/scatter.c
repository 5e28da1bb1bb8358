/* Kernels of scatter and nonzero (rules 12.5 and 12.6; temporaries.h). Of scatter three store what it is computed from:
 * x with the axes first, the place of each position, and v with all of its elements. A fourth one puts these to their
 * places, in their order, and its temporary is the value. */
#include "compiler/ir/temporaries.h"

#include "compiler/ir/ir.h"

/* An int64 of the kernel; negative: an extent that only the call knows. */
static int add_whole(struct kernel *kernel, int64_t number, struct span span)
{
    const bool open = number < 0;
    const int index = open ? kernel_add_access(kernel, (struct access){TENSOR_NUMBER, (int)number, WEFT_INT64, 0})
                           : kernel_add_literal(kernel, WEFT_INT64, (union scalar){.i64 = number});
    return kernel_add_ins(kernel, (struct ins){open ? INS_LOAD : INS_LITERAL, OP_COUNT, WEFT_INT64, WEFT_INT64,
                                               {-1, -1, -1}, index, span});
}

/* ---- places ---- */

/* Whether the input lies side by side, in row-major order. */
static bool is_dense(const struct strided *lies)
{
    int64_t step = 1;
    bool dense = true;
    for (int d = lies->rank - 1; dense && d >= 0; d--) {
        dense = lies->extents[d] > 0 && (!lies->strides || lies->extents[d] == 1 || lies->strides[d] == step);
        step *= lies->extents[d];
    }
    return dense;
}

/* Whether a view has the operand's elements in their order. */
static bool keeps_order(const struct view_args *args)
{
    if (args->kind != VIEW_SELECT)
        return args->kind == VIEW_RESHAPE || args->kind == VIEW_SQUEEZE || args->kind == VIEW_EXPAND_DIMS;
    for (int i = 0; i < args->item_count; i++)
        if (args->items[i].kind != ITEM_NEW && args->items[i].kind != ITEM_ELLIPSIS)
            return false;
    return true;
}

/* Integers without a sign of up to 16 bits. */
static bool is_short_count(enum weft_dtype dtype)
{
    return dtype == WEFT_UINT8 || dtype == WEFT_UINT16;
}

/* The input whose elements are places as they lie: each of its type's values is a position along the only axis. NULL:
 * there is none. */
static const struct node *input_of_places(const struct lowering *l, int n)
{
    const struct program *program = l->program;
    const struct node *places = &program->nodes[n];
    const int *operands = &program->operands[places->operands];
    const struct shape *value = l->shapes[operands[0]], *positions = l->shapes[operands[1]];
    const struct node *node = named_node(program, &program->nodes[operands[1]]);
    int at[WEFT_MAX_RANK];
    while (node->kind == NODE_VIEW || node->kind == NODE_CAST) {
        const struct node *from = named_node(program, operand_node(program, node, 0));
        if (node->kind == NODE_VIEW ? !keeps_order(&program->views[node->view])
                                    : !is_short_count(from->dtype) || !dtype_is_integer(node->dtype) ||
                                          type_rows[node->dtype].bits <= type_rows[from->dtype].bits)
            return NULL;
        node = from;
    }
    const struct symbol *symbol = node->kind == NODE_NAME ? &program->symbols[node->symbol] : NULL;
    if (!(l->fast & FAST_TALLY) || !l->inputs || l->open || !symbol || symbol->type.number ||
        !is_short_count(node->dtype) || positions->extents[positions->rank - 1] != 1)
        return NULL;
    gather_axes(&l->views[places->view], value->rank, 1, at);
    const bool all = value->extents[at[0]] >= INT64_C(1) << type_rows[node->dtype].bits;
    return all && is_dense(&l->inputs[symbol->input]) ? node : NULL;
}

/* The smallest type that has a number for each of so many places, and -1. */
static enum weft_dtype place_dtype(int64_t volume)
{
    return volume < 0 ? WEFT_INT64 : volume <= INT16_MAX ? WEFT_INT16 : volume <= INT32_MAX ? WEFT_INT32 : WEFT_INT64;
}

/* Where the places are, which are stored once for all that is put there. Negative index: with a diagnostic. */
static struct access store_places(struct lowering *l, int use)
{
    const int n = (int)(named_node(l->program, &l->program->nodes[use]) - l->program->nodes);
    struct reduced *places = &l->reduced[n];
    const struct node *input = input_of_places(l, n);
    if (input)
        return (struct access){TENSOR_INPUT, l->program->symbols[input->symbol].input, input->dtype, 0};
    const struct shape *value = l->shapes[l->program->operands[l->program->nodes[n].operands]];
    const enum weft_dtype dtype = place_dtype(shape_known(value) ? shape_volume(value) : -1);
    if (!places->stored) {
        places->temporary = store_as(l, n, dtype);
        places->stored = places->temporary >= 0;
    }
    return (struct access){TENSOR_TABLE, places->temporary, dtype, 0};
}

/* ---- values ---- */

/* The node of the only element that is put everywhere; -1: there are several. */
static int single_value(const struct lowering *l, int full)
{
    const struct node *node = named_node(l->program, &l->program->nodes[full]);
    const bool spread = node->kind == NODE_VIEW && l->program->views[node->view].kind == VIEW_SCATTER;
    const int value = spread ? l->program->operands[node->operands] : -1;
    return spread && l->shapes[value]->rank == 0 ? value : -1;
}

/* The input that lies in memory as the elements that are put, and has their type; -1: there is none. */
static int lying_input(const struct lowering *l, int full, enum weft_dtype dtype)
{
    const struct node *node = named_node(l->program, &l->program->nodes[full]);
    const struct node *operand = node->kind == NODE_VIEW ? operand_node(l->program, node, 0) : NULL;
    const struct node *value = operand ? named_node(l->program, operand) : NULL;
    const struct symbol *symbol = value && value->kind == NODE_NAME ? &l->program->symbols[value->symbol] : NULL;
    if (!l->inputs || l->open || !symbol || symbol->type.number || value->dtype != dtype)
        return -1;
    const struct strided *lies = &l->inputs[symbol->input];
    const struct shape *shape = l->shapes[full];
    bool same = lies->rank == shape->rank && is_dense(lies);
    for (int d = shape->rank - 1; same && d >= 0; d--)
        same = lies->extents[d] == shape->extents[d];
    return same ? symbol->input : -1;
}

/* Makes a kernel that puts elements to temporary `to`, at places that `at` has. */
static void add_put(struct lowering *l, int n, struct ins put, struct access at, struct access from, int to,
                    int64_t count, int64_t inner)
{
    const struct temporary *temporaries = l->kernels->temporaries;
    const struct span span = l->program->nodes[n].token;
    const int64_t volume = extent_by(l->open, EXTENT_VOLUME, .shape = l->shapes[n]);
    const struct shape *space = shape_new(l->arena, 1, &volume);
    struct kernel *kernel = ARENA_NEW(l->arena, struct kernel);
    *kernel = (struct kernel){.arena = l->arena, .program = l->program};
    ARENA_PUSH(l->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    kernel_add_access(kernel, at);
    kernel_add_access(kernel, from);
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
    const int64_t count = extent_by(l->open, EXTENT_VOLUME, .shape = l->shapes[operands[1]]);
    if (mask >= 0)
        add_put(l, n, put, (struct access){TENSOR_TABLE, mask, WEFT_BOOL, 0},
                (struct access){TENSOR_TABLE, mask, WEFT_BOOL, 0}, to, count, 1);
    return mask >= 0;
}

/* Puts the values, or a part of each. Returns the temporary that they are put to; -1 with a diagnostic. */
static int put_values(struct lowering *l, int n, enum value_part part)
{
    const struct node *node = &l->program->nodes[n];
    const int *operands = &l->program->operands[node->operands];
    const struct view_args *args = &l->program->views[node->view];
    const enum weft_dtype whole = type_rows[l->program->nodes[operands[0]].dtype].compute;
    const enum weft_dtype dtype = part == PART_LOW ? WEFT_UINT64 : whole;
    const struct node *x = &l->program->nodes[operands[0]], *like = dtype_is_half(x->dtype) ? x : NULL;
    const struct shape *places = l->shapes[operands[1]], *full = l->shapes[operands[2]];
    const int to = store_as(l, operands[0], dtype);
    const struct access at = to < 0 ? (struct access){TENSOR_TABLE, -1, WEFT_INT64, 0} : store_places(l, operands[1]);
    const int single = single_value(l, operands[2]), input = part ? -1 : lying_input(l, operands[2], dtype);
    const int from = at.index < 0 ? -1
                     : input >= 0 ? input
                                  : store_part(l, single < 0 ? operands[2] : single, like, whole, part);
    if (from < 0)
        return -1;
    const struct shape *each = shape_new(l->arena, full->rank - places->rank, full->extents + places->rank);
    const struct ins put = {.kind = INS_PUT, .op = put_op(args->put), .a = {-1, -1, single}};
    add_put(l, n, put, at, (struct access){input < 0 ? TENSOR_TABLE : TENSOR_INPUT, from, dtype, 0}, to,
            extent_by(l->open, EXTENT_VOLUME, .shape = places), extent_by(l->open, EXTENT_VOLUME, .shape = each));
    return to;
}

/* The type of x, of whose values a mean is made. */
static enum weft_dtype averaged_dtype(const struct lowering *l, const struct node *node)
{
    const struct node *values = operand_node(l->program, node, 2); /* to the type that follows from x's */
    return operand_node(l->program, values, 1)->dtype;
}

bool lower_scatter(struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    const enum scatter_part part = l->program->views[node->view].part;
    if (part == NONZERO_NUMBERS)
        return lower_numbers(l, n);
    const enum weft_dtype averaged = part == SCATTER_TOTAL ? averaged_dtype(l, node) : node->dtype;
    if (part != SCATTER_TOTAL || type_rows[averaged].bits < 64 || !dtype_is_integer(averaged))
        return put_values(l, n, PART_ALL) >= 0;
    const int high = put_values(l, n, PART_HIGH), low = high < 0 ? -1 : put_values(l, n, PART_LOW);
    if (low < 0)
        return false;
    l->reduced[n].temporary = add_temporary(l->kernels, WEFT_FLOAT64, l->shapes[n]);
    add_total(l->kernels, high, low, l->reduced[n].temporary, node->token);
    return true;
}
