/* take (rule 9.3) and lists of positions in selections (rule 9.1; lower_impl.h). What is taken from is read under a map
 * with a taken step: any elements of it, by numbers that instructions compute. A number is made of digits, one for each
 * dimension of what is taken from: the position along the axis, and the place in the result along the others. */
#include "compiler/check/check.h"
#include "compiler/ir/lower_impl.h"
#include "compiler/ir/positions.h"

/* A taken step. */
struct taking {
    struct lowering *l;
    const struct node *node;       /* a NODE_TAKE, or a selection with a list */
    const struct item *list;       /* of the selection; NULL: it is a NODE_TAKE */
    const struct shape *from, *to; /* of the result, and of what is taken from */
    int axis, rank;                /* dimension `axis` of `to` is replaced by `rank` dimensions */
    int parent;                    /* the map of the result */
};

static struct taking taking_of(struct lowering *l, int map)
{
    const struct index_map *step = &l->kernel->maps[map];
    const struct node *node = &l->program->nodes[step->value];
    const struct view_args *args = &l->program->views[node->view];
    struct taking t = {.l = l, .node = node, .from = step->from, .to = step->to, .rank = 1, .parent = step->parent};
    if (node->kind == NODE_TAKE) {
        t.axis = view_take_axis(args, t.to->rank);
        t.rank = l->shapes[operand_index(l, node, 1)]->rank;
    } else {
        struct shape all;
        t.list = view_list_taken(args, l->shapes[operand_index(l, node, 0)], t.from, &all, &t.axis);
    }
    return t;
}

/* ---- maps ---- */

/* The map of what varies along `count` dimensions of the result alone, from dimension `first` on, and has these
 * dimensions. -1: there are too many maps. */
static int along(const struct taking *t, int first, int count)
{
    struct kernel *kernel = t->l->kernel;
    struct shape *alone = arena_copy(kernel->arena, t->from, sizeof *alone);
    struct axis *axes = ARENA_ARRAY(kernel->arena, struct axis, count + 1);
    for (int d = 0; d < alone->rank; d++)
        if (d < first || d >= first + count)
            alone->extents[d] = 1;
    for (int d = 0; d < count; d++)
        axes[d] = (struct axis){first + d, {.step = 1}};
    return map_select(kernel, t->parent, alone, shape_new(kernel->arena, count, t->from->extents + first), axes);
}

/* ---- digits ---- */

/* Dimensions of what is taken from, beside the axis, that are one digit. */
struct digit {
    int first, count;
    int64_t extent;                /* of them together; may be open where they are one */
};

/* Takes as many dimensions from `first` on, and before `end`, as have a constant of positions; at least one. */
static struct digit digit_at(const struct shape *to, int first, int end)
{
    struct digit digit = {first, 1, to->extents[first]};
    while (first + digit.count < end && digit.extent >= 0 && to->extents[first + digit.count] >= 0) {
        const struct shape both = {.rank = 1, .extents = {digit.extent * to->extents[first + digit.count]}};
        if (position_is_stored(&(struct shape){.rank = 1, .extents = {digit.extent}}) ||
            to->extents[first + digit.count] > INT32_MAX || position_is_stored(&both))
            break;
        digit.extent = both.extents[0];
        digit.count++;
    }
    return digit;
}

/* All digits but the axis, outermost first. Returns how many. */
static int list_digits(const struct shape *to, int axis, struct digit *digits)
{
    int count = 0;
    for (int d = 0; d < to->rank; d += d == axis ? 1 : digits[count - 1].count)
        if (d != axis)
            digits[count++] = digit_at(to, d, d < axis ? axis : to->rank);
    return count;
}

static const struct shape *digit_shape(struct arena *arena, const struct digit *digit)
{
    return shape_new(arena, 1, &digit->extent);
}

/* The map under which the positions of a digit are read. */
static int digit_map(const struct taking *t, const struct digit *digit)
{
    struct kernel *kernel = t->l->kernel;
    const int first = digit->first < t->axis ? digit->first : digit->first - 1 + t->rank;
    const int map = along(t, first, digit->count);
    if (map < 0 || digit->count == 1)
        return map;
    return map_view(kernel, map, shape_new(kernel->arena, digit->count, t->from->extents + first),
                    digit_shape(kernel->arena, digit));
}

void take_stored_digits(struct arena *arena, const struct shape *to, int axis,
                        void (*store)(void *, const struct shape *), void *user)
{
    struct digit digits[WEFT_MAX_RANK];
    for (int i = 0, count = list_digits(to, axis, digits); i < count; i++) {
        const struct shape *shape = digit_shape(arena, &digits[i]);
        if (position_is_stored(shape))
            store(user, shape);
    }
}

/* ---- uses ---- */

/* Adds uses of what the numbers of a taken step need. False where there are too many maps. */
static bool step_uses(const struct taking *t)
{
    struct digit digits[WEFT_MAX_RANK];
    const int positions = along(t, t->axis, t->rank);
    bool good = positions >= 0 && (t->list || lower_add_use(t->l, operand_index(t->l, t->node, 1), positions));
    for (int i = 0, count = list_digits(t->to, t->axis, digits); good && i < count; i++)
        good = digits[i].extent == 1 || digit_map(t, &digits[i]) >= 0;
    return good;
}

bool take_number_uses(struct lowering *l, int map)
{
    bool good = true;
    for (int step; good && (step = map_taken_step(l->kernel->maps, map)); map = l->kernel->maps[step].parent) {
        const struct taking t = taking_of(l, step);
        good = step_uses(&t);
    }
    return good;
}

static int step_of(struct lowering *l, const struct node *node, int map)
{
    return map_taken(l->kernel, map, l->shapes[node_number(l, node)], l->shapes[operand_index(l, node, 0)],
                     (uint64_t)node_number(l, node));
}

bool take_uses(struct lowering *l, const struct node *node, int map)
{
    const int step = step_of(l, node, map);
    l->taken = true;
    return lower_add_use(l, operand_index(l, node, 0), step) && take_number_uses(l, step);
}

int take_list_map(struct lowering *l, const struct node *node, int map, const struct shape *from,
                  const struct shape *to)
{
    const int step = map_taken(l->kernel, map, from, to, (uint64_t)node_number(l, node));
    l->taken = true;
    return step >= 0 && take_number_uses(l, step) ? step : -1;
}

/* ---- numbers ---- */

static int int64_op(const struct taking *t, enum op op, int a, int b)
{
    return ins_add_op(t->l, op, WEFT_INT64, rule_rows[op_rows[op].rule].result == RESULT_BOOL ? WEFT_BOOL : WEFT_INT64,
                      (int[]){a, b, -1}, t->node->token);
}

static int int64_literal(const struct taking *t, int64_t value)
{
    return ins_add_literal(t->l, (union scalar){.i64 = value}, WEFT_INT64, t->node->token);
}

static int extent_value(const struct taking *t, int64_t extent)
{
    return extent >= 0 ? int64_literal(t, extent)
                       : ins_add_load_under(t->l, TENSOR_NUMBER, (int)extent, WEFT_INT64, 0, t->node->token);
}

static int choose(const struct taking *t, int condition, int a, int b)
{
    return ins_add_op(t->l, OP_WHERE, WEFT_INT64, WEFT_INT64, (int[]){condition, a, b}, t->node->token);
}

/* The positions of a list, which are inside. */
static int listed_position(const struct taking *t)
{
    const struct item *list = t->list;
    const int64_t extent = t->to->extents[t->axis], count = list->count;
    int64_t *positions = arena_copy(t->l->arena, list->positions, (size_t)count * sizeof *positions);
    bool negative = false;
    for (int i = 0; i < count; i++) {
        positions[i] += positions[i] < 0 && extent >= 0 ? extent : 0;
        negative = negative || positions[i] < 0;
    }
    const int constant = ins_add_constant(t->l, node_number(t->l, t->node), shape_new(t->l->arena, 1, &count),
                                          WEFT_INT64, positions, (size_t)count * sizeof *positions);
    const int value = ins_add_load_under(t->l, TENSOR_CONSTANT, constant, WEFT_INT64, along(t, t->axis, 1),
                                         t->node->span);
    return negative ? choose(t, int64_op(t, OP_LT, value, int64_literal(t, 0)),
                             int64_op(t, OP_ADD, value, extent_value(t, extent)), value)
                    : value;
}

/* The position along the axis; -1: it lies outside. */
static int position(const struct taking *t)
{
    struct lowering *l = t->l;
    if (t->list)
        return listed_position(t);
    const int positions = operand_index(l, t->node, 1);
    const bool wide = l->program->nodes[positions].dtype == WEFT_UINT64; /* what int64 does not hold is outside */
    l->map = along(t, t->axis, t->rank);
    const int value = lower_value_as(l, positions, WEFT_INT64, wide ? CAST : MEET);
    return int64_op(t, OP_POSITION, value, extent_value(t, t->to->extents[t->axis]));
}

/* Adds a digit of this extent behind those so far, which are -1 where there are none. */
static int join_digit(const struct taking *t, int number, int64_t extent, int digit)
{
    if (number < 0)
        return digit;
    number = extent == 1 ? number : int64_op(t, OP_MUL, number, extent_value(t, extent));
    return int64_op(t, OP_ADD, number, digit);
}

static int number_of(const struct taking *t)
{
    struct digit digits[WEFT_MAX_RANK];
    const int count = list_digits(t->to, t->axis, digits), own = position(t);
    int number = -1, i = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (; i < count && (pass || digits[i].first < t->axis); i++) {
            const struct shape *shape = digit_shape(t->l->arena, &digits[i]);
            if (digits[i].extent != 1)
                number = join_digit(t, number, digits[i].extent,
                                    positions_loaded(t->l, shape, digit_map(t, &digits[i]), t->node));
        }
        if (!pass)
            number = join_digit(t, number, t->to->extents[t->axis], own);
    }
    return number == own || t->list
               ? number
               : choose(t, int64_op(t, OP_GE, own, int64_literal(t, 0)), number, int64_literal(t, -1));
}

int take_number(struct lowering *l, int map)
{
    const int before = l->map;
    if (l->numbers[map] < 0) {
        const struct taking t = taking_of(l, map);
        const int number = number_of(&t);
        l->numbers[map] = number;
    }
    l->map = before;
    return l->numbers[map];
}

/* ---- values ---- */

/* Where the position lies outside, the value is 0, whatever is computed of what is taken from. */
int take_value(struct lowering *l, const struct node *node)
{
    const int map = l->map, step = step_of(l, node, map);
    const enum weft_dtype dtype = node->dtype;
    l->map = step;
    const int value = lower_value_as(l, operand_index(l, node, 0), dtype, MEET), number = take_number(l, step);
    struct ins *ins = &l->kernel->ins[value];
    l->map = map;
    if (ins->kind == INS_TAKE && ins->a[0] == number) {
        l->kernel->accesses[ins->index].alone = true;
        ARENA_PUSH(l->arena, l->guards, l->guard_count, ((struct guard){number, -1}));
        return value;
    }
    const union scalar zero = {0};
    const int inside = ins_add_op(l, OP_GE, WEFT_INT64, WEFT_BOOL,
                                  (int[]){number, ins_add_literal(l, zero, WEFT_INT64, node->token), -1}, node->token);
    ARENA_PUSH(l->arena, l->guards, l->guard_count, ((struct guard){number, inside}));
    return ins_add_op(l, OP_WHERE, dtype, dtype, (int[]){inside, value, ins_add_literal(l, zero, dtype, node->token)},
                      node->token);
}
