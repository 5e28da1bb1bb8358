/* The places of scatter's positions (rule 12.5; lower_impl.h): the number of each among the elements along the axes. */
#include "compiler/check/check.h"
#include "compiler/ir/lower_impl.h"

/* The dimensions of x along which there are positions. Returns how many. */
static int scatter_axes(const struct view_args *args, const struct shape *value, const struct shape *positions, int *at)
{
    return gather_axes(args, value->rank, (int)positions->extents[positions->rank - 1], at);
}

/* ---- places ---- */

/* The map of the positions along axis number a. */
static int positions_map(struct lowering *l, const struct node *node, int map, int a)
{
    const struct shape *to = l->shapes[operand_index(l, node, 1)], *from = l->shapes[node_number(l, node)];
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank);
    for (int d = 0; d < from->rank; d++)
        axes[d] = (struct axis){d, {.step = 1}, EDGE_VALUE};
    axes[from->rank] = (struct axis){-1, {.start = a, .step = 1, .has_start = true}, EDGE_VALUE};
    return map_select(l->kernel, map, from, to, axes);
}

bool places_uses(struct lowering *l, const struct node *node, int map)
{
    const struct shape *value = l->shapes[operand_index(l, node, 0)], *positions = l->shapes[operand_index(l, node, 1)];
    int at[WEFT_MAX_RANK];
    bool good = true;
    for (int a = 0, count = scatter_axes(&l->views[node->view], value, positions, at); good && a < count; a++) {
        const int own = positions_map(l, node, map, a);
        good = own >= 0 && lower_add_use(l, operand_index(l, node, 1), own);
    }
    return good;
}

/* The type in which places are computed: 32 bits where all positions and places fit them. */
static enum weft_dtype computed_dtype(const struct lowering *l, const struct node *node)
{
    const enum weft_dtype dtype = l->program->nodes[operand_index(l, node, 1)].dtype;
    const struct shape *value = l->shapes[operand_index(l, node, 0)];
    const bool few = shape_known(value) && shape_volume(value) >= 0 && shape_volume(value) <= INT32_MAX;
    return few && type_rows[dtype].bits <= 32 && dtype != WEFT_UINT32 ? WEFT_INT32 : WEFT_INT64;
}

static int whole_op(struct lowering *l, const struct node *node, enum op op, int a, int b)
{
    const enum weft_dtype dtype = computed_dtype(l, node);
    return ins_add_op(l, op, dtype, dtype, (int[]){a, b, -1}, node->token);
}

static int whole(struct lowering *l, const struct node *node, int64_t number)
{
    const bool narrow = computed_dtype(l, node) == WEFT_INT32;
    const union scalar value = narrow ? (union scalar){.i32 = (int32_t)number} : (union scalar){.i64 = number};
    return number >= 0 || narrow
               ? ins_add_literal(l, value, computed_dtype(l, node), node->token)
               : ins_add_load_under(l, TENSOR_NUMBER, (int)number, WEFT_INT64, 0, node->token);
}

/* The number of the place; -1 where a position lies outside, which is remarked. */
int places_value(struct lowering *l, const struct node *node)
{
    const struct shape *value = l->shapes[operand_index(l, node, 0)];
    const enum weft_dtype dtype = computed_dtype(l, node);
    const int positions = operand_index(l, node, 1), above = l->map;
    const bool wide = l->program->nodes[positions].dtype == WEFT_UINT64; /* what int64 does not hold is outside */
    int at[WEFT_MAX_RANK], number = -1, least = -1;
    for (int a = 0, count = scatter_axes(&l->views[node->view], value, l->shapes[positions], at); a < count; a++) {
        const int64_t extent = value->extents[at[a]];
        l->map = positions_map(l, node, above, a);
        const int given = lower_value_as(l, positions, dtype, wide ? CAST : MEET);
        const int own = whole_op(l, node, OP_POSITION, given, whole(l, node, extent));
        least = a ? whole_op(l, node, OP_MIN, least, own) : own;
        number = a ? whole_op(l, node, OP_ADD, whole_op(l, node, OP_MUL, number, whole(l, node, extent)), own) : own;
    }
    l->map = above;
    if (number < 0)
        number = ins_add_literal(l, (union scalar){.i64 = 0}, WEFT_INT64, node->token);
    else if (number != least) {
        const union scalar none = dtype == WEFT_INT32 ? (union scalar){.i32 = -1} : (union scalar){.i64 = -1};
        const int zero = ins_add_literal(l, (union scalar){.i64 = 0}, dtype, node->token);
        const int inside = ins_add_op(l, OP_GE, dtype, WEFT_BOOL, (int[]){least, zero, -1}, node->token);
        number = ins_add_op(l, OP_WHERE, dtype, dtype,
                            (int[]){inside, number, ins_add_literal(l, none, dtype, node->token)}, node->token);
    }
    return ins_convert(l, number, WEFT_INT64, false, node->token);
}
