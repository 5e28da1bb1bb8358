/* gather under modes and sample (rules 12.3 and 12.4; lower_take_impl.h). A mode makes another position of one outside,
 * by operations on int64. sample takes the elements around a coordinate, each under a taken step of its own, and joins
 * them along one axis after the other, the last one first. */
#include "compiler/check/check.h"
#include "compiler/ir/lower_take_impl.h"

#include <math.h>

static const struct view_args *args_of(const struct lowering *l, const struct node *node)
{
    return &l->program->views[node->view];
}

static bool is_sample(const struct lowering *l, const struct node *node)
{
    return args_of(l, node)->kind == VIEW_SAMPLE;
}

static int count_axes(const struct lowering *l, const struct node *node)
{
    const struct shape *positions = l->shapes[operand_index(l, node, 1)];
    const struct numbers *axes = &args_of(l, node)->axes;
    return axes->given ? axes->count : (int)positions->extents[positions->rank - 1];
}

int take_corners(const struct lowering *l, const struct node *node)
{
    enum { MOST = 12 };            /* more axes have too many maps */
    return is_sample(l, node) ? 1 << (count_axes(l, node) < MOST ? count_axes(l, node) : MOST) : 1;
}

bool take_has_modes(const struct lowering *l, const struct node *node)
{
    return args_of(l, node)->kind != VIEW_TAKE && gather_mode(args_of(l, node), 0);
}

/* ---- coordinates ---- */

static enum weft_dtype coordinate_dtype(const struct taking *t)
{
    return type_rows[t->node->dtype].compute;
}

static int real_op(const struct taking *t, enum op op, int a, int b, int c)
{
    const enum weft_dtype dtype = coordinate_dtype(t);
    const bool compares = rule_rows[op_rows[op].rule].result == RESULT_BOOL;
    return ins_add_op(t->l, op, dtype, compares ? WEFT_BOOL : dtype, (int[]){a, b, c}, t->node->token);
}

static int real_literal(const struct taking *t, double value)
{
    const union scalar literal = eval_convert(WEFT_FLOAT64, coordinate_dtype(t), false, (union scalar){.f64 = value});
    return ins_add_literal(t->l, literal, coordinate_dtype(t), t->node->token);
}

static int real_choice(const struct taking *t, int condition, int a, int b)
{
    const enum weft_dtype dtype = coordinate_dtype(t);
    return ins_add_op(t->l, OP_WHERE, dtype, dtype, (int[]){condition, a, b}, t->node->token);
}

/* Coordinate number a. */
static int coordinate(const struct taking *t, int a)
{
    struct lowering *l = t->l;
    const int above = l->map;
    l->map = positions_map(t, a);
    const int value = lower_value_as(l, operand_index(l, t->node, 1), t->node->dtype, MEET);
    l->map = above;
    return ins_convert(l, value, coordinate_dtype(t), false, t->node->token);
}

static const double far = 0x1p62;  /* from here on coordinates have no fraction, and lie outside */

/* How far the coordinate is from the element in front of it. */
static int fraction(const struct taking *t, int a)
{
    const enum edge edge = gather_mode(args_of(t->l, t->node), a)->edge;
    const int p = coordinate(t, a), rest = real_op(t, OP_SUB, p, real_op(t, OP_FLOOR, p, -1, -1), -1);
    const int beyond = real_op(t, OP_GE, real_op(t, OP_FABS, p, -1, -1), real_literal(t, far), -1);
    const bool rounds = edge != EDGE_VALUE && edge != EDGE_CLAMP;
    return real_choice(t, beyond, real_literal(t, rounds ? (double)NAN : 0), rest);
}

/* The element in front of the coordinate, or of the other corner the one behind it, as a position. */
static int corner_position(const struct taking *t, int a)
{
    const int64_t most = INT64_C(1) << 62;
    const int whole = real_op(t, OP_FLOOR, coordinate(t, a), -1, -1);
    int p = ins_convert(t->l, whole, WEFT_INT64, true, t->node->token);
    p = taken_op(t, OP_MIN, taken_op(t, OP_MAX, p, taken_literal(t, -most)), taken_literal(t, most));
    return t->corner >> a & 1 ? taken_op(t, OP_ADD, p, taken_literal(t, 1)) : p;
}

/* ---- positions ---- */

static bool is_wide(const struct taking *t)
{
    return t->l->program->nodes[operand_index(t->l, t->node, 1)].dtype == WEFT_UINT64;
}

/* The position along axis number a as it is given. What int64 does not hold is its greatest one. */
static int given_position(const struct taking *t, int a)
{
    struct lowering *l = t->l;
    const int above = l->map;
    if (is_sample(l, t->node))
        return corner_position(t, a);
    l->map = positions_map(t, a);
    const int value = lower_value_as(l, operand_index(l, t->node, 1), WEFT_INT64, is_wide(t) ? CAST : MEET);
    l->map = above;
    return value;
}

/* The position modulo an int64 that is greater than 0. */
static int remainder_of(const struct taking *t, int a, int round)
{
    struct lowering *l = t->l;
    const int above = l->map;
    if (is_sample(l, t->node) || !is_wide(t))
        return taken_op(t, OP_MOD, given_position(t, a), round);
    l->map = positions_map(t, a);
    const int value = lower_value_as(l, operand_index(l, t->node, 1), WEFT_UINT64, MEET);
    l->map = above;
    const int divisor = ins_convert(l, round, WEFT_UINT64, false, t->node->token);
    const int rest = ins_add_op(l, OP_MOD, WEFT_UINT64, WEFT_UINT64, (int[]){value, divisor, -1}, t->node->token);
    return ins_convert(l, rest, WEFT_INT64, false, t->node->token);
}

/* The extent along axis number a, less `less`, `times` as much, and at least 1. */
static int extent_times(const struct taking *t, int a, int64_t times, int64_t less)
{
    const int64_t extent = t->to->extents[t->axes[a]];
    if (extent >= 0)
        return taken_literal(t, times * (extent - less) > 1 ? times * (extent - less) : 1);
    const int open = taken_op(t, OP_SUB, taken_extent(t, extent), taken_literal(t, less));
    return taken_op(t, OP_MAX, taken_op(t, OP_MUL, open, taken_literal(t, times)), taken_literal(t, 1));
}

/* Whether the position lies inside. */
static int inside(const struct taking *t, int a)
{
    const int p = given_position(t, a);
    const int below = taken_op(t, OP_LT, p, taken_extent(t, t->to->extents[t->axes[a]]));
    return ins_add_op(t->l, OP_AND, WEFT_BOOL, WEFT_BOOL,
                      (int[]){taken_op(t, OP_GE, p, taken_literal(t, 0)), below, -1}, t->node->token);
}

/* Forwards through the extent, and from `end` backwards. */
static int mirrored(const struct taking *t, int a, int round, int64_t end)
{
    const int q = remainder_of(t, a, round), extent = extent_times(t, a, 1, 0);
    const int back = taken_op(t, OP_SUB, taken_op(t, OP_MUL, extent, taken_literal(t, 2)), taken_literal(t, end));
    return taken_choice(t, taken_op(t, OP_LT, q, extent), q, taken_op(t, OP_SUB, back, q));
}

int moded_position(const struct taking *t, int a)
{
    const int last = taken_op(t, OP_SUB, extent_times(t, a, 1, 0), taken_literal(t, 1));
    switch (gather_mode(args_of(t->l, t->node), a)->edge) {
    case EDGE_CLAMP:
        return taken_op(t, OP_MAX, taken_op(t, OP_MIN, given_position(t, a), last), taken_literal(t, 0));
    case EDGE_WRAP: return remainder_of(t, a, extent_times(t, a, 1, 0));
    case EDGE_SYMMETRIC: return mirrored(t, a, extent_times(t, a, 2, 0), 1);
    case EDGE_REFLECT: return mirrored(t, a, extent_times(t, a, 2, 1), 2);
    default: return taken_choice(t, inside(t, a), given_position(t, a), taken_literal(t, -1));
    }
}

/* ---- values ---- */

/* The number that lies outside along axis number a, which has x's type. */
static int number_outside(const struct taking *t, int a, enum weft_dtype dtype)
{
    struct lowering *l = t->l;
    const struct mode *mode = gather_mode(args_of(l, t->node), a);
    const enum weft_dtype own = operand_node(l->program, t->node, 0)->dtype;
    const int number = mode->number < 0 ? ins_add_literal(l, (union scalar){0}, own, t->node->token)
                                        : lower_value_as(l, operand_index(l, t->node, mode->number), own, MEET);
    return ins_convert(l, number, dtype, false, t->node->token);
}

/* Whether instruction `of`, or one that it is computed from, may fault. */
static bool may_fault(const struct lowering *l, int of)
{
    bool *marks = ARENA_ARRAY(l->arena, bool, of + 1), faulty = false;
    marks[of] = true;
    for (int i = of; i >= 0; i--) {
        const struct ins *ins = &l->kernel->ins[i];
        faulty = faulty || (marks[i] && ins_may_fault(l, ins));
        for (int k = 0; marks[i] && k < 3; k++)
            if (ins->a[k] >= 0)
                marks[ins->a[k]] = true;
    }
    return faulty;
}

/* `value`, which stands for an element at `number`, as one that uses the number, where its positions may fault: where x
 * has one element no access does, and what is wrong with them would not be told; where a reduction stands in between it
 * would be told of what nobody uses. */
static int tied_to_number(struct lowering *l, int value, int number, const struct taking *t)
{
    const bool taken = takes_alone(l, value, number);
    if (value == number || !may_fault(l, number))
        return value;
    const int always = taken ? -1 : taken_op(t, OP_GE, number, taken_literal(t, INT64_MIN));
    ARENA_PUSH(l->arena, l->guards, l->guard_count, ((struct guard){number, always}));
    const enum weft_dtype dtype = l->kernel->ins[value].dtype;
    return taken ? value
                 : ins_add_op(l, OP_WHERE, dtype, dtype,
                              (int[]){always, value, ins_add_literal(l, (union scalar){0}, dtype, t->node->token)},
                              t->node->token);
}

/* The element of x that a corner takes. */
static int corner_value(struct lowering *l, const struct node *node, int corner)
{
    const int map = l->map, step = take_step(l, node, map, corner);
    const enum weft_dtype dtype = node->dtype;
    const struct taking t = taking_of(l, step);
    l->map = step;
    int value = lower_value_as(l, operand_index(l, node, 0), dtype, MEET);
    const int number = take_number(l, step);
    l->map = map;
    value = tied_to_number(l, value, number, &t);
    for (int a = 0; a < t.axis_count; a++)
        if (gather_mode(args_of(l, node), a)->edge == EDGE_VALUE) {
            value = ins_add_op(l, OP_WHERE, dtype, dtype,
                               (int[]){inside(&t, a), value, number_outside(&t, a, dtype)}, node->token);
            ARENA_PUSH(l->arena, l->modes, l->mode_count, value);
        }
    return value;
}

/* Joins the values of the corners: half as many for each axis. */
static int join_corners(const struct taking *t, int *values)
{
    for (int a = t->axis_count - 1; a >= 0; a--) {
        const int rest = fraction(t, a), whole = real_op(t, OP_EQ, rest, real_literal(t, 0), -1);
        for (int c = 0; c < 1 << a; c++) {
            const int between = real_op(t, OP_LERP, values[c], values[c | 1 << a], rest);
            values[c] = real_choice(t, whole, values[c], between);
        }
    }
    return values[0];
}

int gathered_value(struct lowering *l, const struct node *node)
{
    const int corners = take_corners(l, node), map = l->map;
    int *values = ARENA_ARRAY(l->arena, int, corners);
    if (!is_sample(l, node))
        return corner_value(l, node, 0);
    const struct taking t = taking_of(l, take_step(l, node, map, 0));
    for (int c = 0; c < corners; c++)
        values[c] = ins_convert(l, corner_value(l, node, c), coordinate_dtype(&t), false, node->token);
    return ins_convert(l, join_corners(&t, values), node->dtype, false, node->token);
}
