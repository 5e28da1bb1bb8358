/* take (rule 9.3), lists of positions in selections (rule 9.1), gather and sample (rules 12.3 and 12.4; lower_impl.h,
 * lower_take_impl.h). What is taken from is read under a map with a taken step: any elements of it, by numbers that
 * instructions compute. A number is made of digits, one for each dimension of what is taken from: the positions along
 * the axes, and the place in the result along the others. */
#include "compiler/check/check.h"
#include "compiler/ir/lower_take_impl.h"
#include "compiler/ir/positions.h"

#include <string.h>

static void gathering_of(struct taking *t, const struct view_args *args)
{
    const struct shape *positions = t->l->shapes[operand_index(t->l, t->node, 1)];
    t->rank = positions->rank - 1;
    t->axis_count = gather_axes(args, t->to->rank, (int)positions->extents[t->rank], t->axes);
    for (int i = 0; i < t->axis_count; i++)
        t->set |= 1u << t->axes[i];
}

struct taking taking_of(struct lowering *l, int map)
{
    const struct index_map *step = &l->kernel->maps[map];
    const struct node *node = &l->program->nodes[taken_node(step)];
    const struct view_args *args = &l->program->views[node->view];
    struct taking t = {.l = l, .node = node, .from = step->from, .to = step->to, .rank = 1, .parent = step->parent,
                       .axis_count = 1, .corner = taken_corner(step)};
    if (node->kind == NODE_TAKE && args->kind != VIEW_TAKE) {
        gathering_of(&t, args);
        return t;
    }
    if (node->kind == NODE_TAKE) {
        t.axes[0] = view_take_axis(args, t.to->rank);
        t.rank = l->shapes[operand_index(l, node, 1)]->rank;
    } else {
        struct shape all;
        t.list = view_list_taken(args, l->shapes[operand_index(l, node, 0)], t.from, &all, &t.axes[0]);
    }
    t.first = t.axes[0];
    t.set = 1u << t.axes[0];
    return t;
}

/* ---- maps ---- */

int taken_along(const struct taking *t, int first, int count)
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

/* All digits but the axes, outermost first. Returns how many. */
static int list_digits(const struct shape *to, uint32_t axes, struct digit *digits)
{
    int count = 0, end;
    for (int d = 0; d < to->rank; d = axes >> d & 1 ? d + 1 : d + digits[count - 1].count) {
        if (axes >> d & 1)
            continue;
        for (end = d; end < to->rank && !(axes >> end & 1);)
            end++;
        digits[count++] = digit_at(to, d, end);
    }
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
    int first = 0;
    for (int d = 0; d < digit->first; d++)
        first += !(t->set >> d & 1);
    first += first >= t->first ? t->rank : 0;
    const int map = taken_along(t, first, digit->count);
    if (map < 0 || digit->count == 1)
        return map;
    return map_view(kernel, map, shape_new(kernel->arena, digit->count, t->from->extents + first),
                    digit_shape(kernel->arena, digit));
}

void take_stored_digits(struct arena *arena, const struct shape *to, uint32_t axes,
                        void (*store)(void *, const struct shape *), void *user)
{
    struct digit digits[WEFT_MAX_RANK];
    for (int i = 0, count = list_digits(to, axes, digits); i < count; i++) {
        const struct shape *shape = digit_shape(arena, &digits[i]);
        if (position_is_stored(shape))
            store(user, shape);
    }
}

int positions_map(const struct taking *t, int a)
{
    struct lowering *l = t->l;
    const int map = taken_along(t, t->first, t->rank);
    if (t->list || l->program->views[t->node->view].kind == VIEW_TAKE || map < 0)
        return map;
    const struct shape *to = l->shapes[operand_index(l, t->node, 1)];
    struct axis *axes = ARENA_ARRAY(l->arena, struct axis, to->rank);
    for (int d = 0; d < t->rank; d++)
        axes[d] = (struct axis){d, {.step = 1}, EDGE_VALUE};
    axes[t->rank] = (struct axis){-1, {.start = a, .step = 1, .has_start = true}, EDGE_VALUE};
    return map_select(l->kernel, map, shape_new(l->arena, t->rank, to->extents), to, axes);
}

/* ---- uses ---- */

/* Adds uses of what the numbers of a taken step need. False where there are too many maps. */
static bool step_uses(const struct taking *t)
{
    struct digit digits[WEFT_MAX_RANK];
    bool good = true;
    for (int a = 0; good && a < t->axis_count; a++) {
        const int positions = positions_map(t, a);
        good = positions >= 0 && (t->list || lower_add_use(t->l, operand_index(t->l, t->node, 1), positions));
    }
    for (int i = 0, count = list_digits(t->to, t->set, digits); good && i < count; i++)
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

int take_step(struct lowering *l, const struct node *node, int map, int corner)
{
    return map_taken(l->kernel, map, l->shapes[node_number(l, node)], l->shapes[operand_index(l, node, 0)],
                     taken_which(node_number(l, node), corner));
}

/* Whether gather or sample have no axes: then all of x stands at each place. */
static bool takes_all(const struct lowering *l, const struct node *node)
{
    const struct shape *positions = l->shapes[operand_index(l, node, 1)];
    return l->program->views[node->view].kind != VIEW_TAKE && positions->extents[positions->rank - 1] == 0;
}

bool take_uses(struct lowering *l, const struct node *node, int map)
{
    bool good = true;
    if (takes_all(l, node))
        return lower_add_use(l, operand_index(l, node, 0), map);
    l->taken = true;
    for (int corner = 0; good && corner < take_corners(l, node); corner++) {
        const int step = take_step(l, node, map, corner);
        good = lower_add_use(l, operand_index(l, node, 0), step) && take_number_uses(l, step);
    }
    return good;
}

int take_list_map(struct lowering *l, const struct node *node, int map, const struct shape *from,
                  const struct shape *to)
{
    const int step = map_taken(l->kernel, map, from, to, (uint64_t)node_number(l, node));
    l->taken = true;
    return step >= 0 && take_number_uses(l, step) ? step : -1;
}

/* ---- numbers ---- */

int taken_op(const struct taking *t, enum op op, int a, int b)
{
    return ins_add_op(t->l, op, WEFT_INT64, rule_rows[op_rows[op].rule].result == RESULT_BOOL ? WEFT_BOOL : WEFT_INT64,
                      (int[]){a, b, -1}, t->node->token);
}

int taken_literal(const struct taking *t, int64_t value)
{
    return ins_add_literal(t->l, (union scalar){.i64 = value}, WEFT_INT64, t->node->token);
}

int taken_extent(const struct taking *t, int64_t extent)
{
    return extent >= 0 ? taken_literal(t, extent)
                       : ins_add_load_under(t->l, TENSOR_NUMBER, (int)extent, WEFT_INT64, 0, t->node->token);
}

int taken_choice(const struct taking *t, int condition, int a, int b)
{
    return ins_add_op(t->l, OP_WHERE, WEFT_INT64, WEFT_INT64, (int[]){condition, a, b}, t->node->token);
}

/* The positions of a list, which are inside. */
static int listed_position(const struct taking *t)
{
    const struct item *list = t->list;
    const int64_t extent = t->to->extents[t->axes[0]], count = list->count;
    int64_t *positions = arena_copy(t->l->arena, list->positions, (size_t)count * sizeof *positions);
    bool negative = false;
    for (int i = 0; i < count; i++) {
        positions[i] += positions[i] < 0 && extent >= 0 ? extent : 0;
        negative = negative || positions[i] < 0;
    }
    const int constant = ins_add_constant(t->l, node_number(t->l, t->node), shape_new(t->l->arena, 1, &count),
                                          WEFT_INT64, positions, (size_t)count * sizeof *positions);
    const int value = ins_add_load_under(t->l, TENSOR_CONSTANT, constant, WEFT_INT64, taken_along(t, t->first, 1),
                                         t->node->span);
    return negative ? taken_choice(t, taken_op(t, OP_LT, value, taken_literal(t, 0)),
                             taken_op(t, OP_ADD, value, taken_extent(t, extent)), value)
                    : value;
}

/* The position along axis number a; -1: it lies outside. */
static int position(const struct taking *t, int a)
{
    struct lowering *l = t->l;
    if (t->list)
        return listed_position(t);
    if (l->program->views[t->node->view].kind != VIEW_TAKE && gather_mode(&l->program->views[t->node->view], a))
        return moded_position(t, a);
    const int positions = operand_index(l, t->node, 1);
    const bool wide = l->program->nodes[positions].dtype == WEFT_UINT64; /* what int64 does not hold is outside */
    l->map = positions_map(t, a);
    const int value = lower_value_as(l, positions, WEFT_INT64, wide ? CAST : MEET);
    return taken_op(t, OP_POSITION, value, taken_extent(t, t->to->extents[t->axes[a]]));
}

/* Adds a digit of this extent behind those so far, which are -1 where there are none. */
static int join_digit(const struct taking *t, int number, int64_t extent, int digit)
{
    if (number < 0)
        return digit;
    number = extent == 1 ? number : taken_op(t, OP_MUL, number, taken_extent(t, extent));
    return taken_op(t, OP_ADD, number, digit);
}

/* Which axis number dimension d is. */
static int axis_at(const struct taking *t, int d)
{
    int a = 0;
    while (t->axes[a] != d)
        a++;
    return a;
}

/* Whether there is nothing to take. What is taken may still be read where it lies outside, as by pad. */
static bool is_empty(const struct shape *to)
{
    bool empty = false;
    for (int d = 0; d < to->rank; d++)
        empty = empty || to->extents[d] == 0;
    return empty;
}

/* The lesser one; a is -1 where there is none yet. */
static int lesser(const struct taking *t, int a, int b)
{
    return a < 0 ? b : taken_op(t, OP_MIN, a, b);
}

/* What is -1 if an extent is 0, one that is not known yet, too, where something is read that lies outside; -1: there is
 * no such extent. */
static int least_extent(const struct taking *t)
{
    bool outside = false;
    int least = is_empty(t->to) ? taken_literal(t, -1) : -1;
    for (int map = t->parent; map; map = t->l->kernel->maps[map].parent)
        outside = outside || t->l->kernel->maps[map].outside;
    for (int d = 0; outside && d < t->to->rank; d++)
        if (t->to->extents[d] < 0)
            least = lesser(t, least, taken_op(t, OP_SUB, taken_extent(t, t->to->extents[d]), taken_literal(t, 1)));
    return least;
}

static int number_of(const struct taking *t)
{
    struct digit digits[WEFT_MAX_RANK];
    int own[WEFT_MAX_RANK], number = -1, least = least_extent(t), i = 0;
    for (int a = 0; a < t->axis_count; a++) {
        own[a] = position(t, a);
        least = lesser(t, least, own[a]);
    }
    list_digits(t->to, t->set, digits);
    for (int d = 0; d < t->to->rank;) {
        if (t->set >> d & 1) {
            number = join_digit(t, number, t->to->extents[d], own[axis_at(t, d)]);
            d++;
            continue;
        }
        const struct shape *shape = digit_shape(t->l->arena, &digits[i]);
        if (digits[i].extent != 1)
            number = join_digit(t, number, digits[i].extent,
                                positions_loaded(t->l, shape, digit_map(t, &digits[i]), t->node));
        d += digits[i++].count;
    }
    if (number < 0)
        return taken_literal(t, 0); /* there is one element */
    return number == least || (t->list && least == own[0]) || least < 0
               ? number
               : taken_choice(t, taken_op(t, OP_GE, least, taken_literal(t, 0)), number, taken_literal(t, -1));
}

int take_number(struct lowering *l, int map)
{
    const int before = l->map;
    if (!l->numbers)
        l->numbers = memset(ARENA_ARRAY(l->arena, int, MAX_MAPS), -1, MAX_MAPS * sizeof(int));
    if (l->numbers[map] < 0) {
        const struct taking t = taking_of(l, map);
        const int number = number_of(&t);
        l->numbers[map] = number;
    }
    l->map = before;
    return l->numbers[map];
}

/* ---- values ---- */

bool takes_alone(const struct lowering *l, int value, int number)
{
    const struct ins *ins = &l->kernel->ins[value];
    for (int i = 0; i < l->joined_count; i++)
        if (l->joined[i] == value)
            return false;
    return ins->kind == INS_TAKE && ins->a[0] == number;
}

/* Where the position lies outside, the value is 0, whatever is computed of what is taken from. */
int take_value(struct lowering *l, const struct node *node)
{
    if (takes_all(l, node))
        return lower_value_as(l, operand_index(l, node, 0), node->dtype, MEET);
    if (take_has_modes(l, node))
        return gathered_value(l, node);
    const int map = l->map, step = take_step(l, node, map, 0);
    const enum weft_dtype dtype = node->dtype;
    l->map = step;
    const int value = lower_value_as(l, operand_index(l, node, 0), dtype, MEET), number = take_number(l, step);
    l->map = map;
    if (takes_alone(l, value, number)) {
        l->kernel->accesses[l->kernel->ins[value].index].alone = true;
        ARENA_PUSH(l->arena, l->guards, l->guard_count, ((struct guard){number, -1}));
        return value;
    }
    const union scalar zero = {0};
    const int inside = ins_add_op(l, OP_GE, WEFT_INT64, WEFT_BOOL,
                                  (int[]){number, ins_add_literal(l, zero, WEFT_INT64, node->token), -1}, node->token);
    ARENA_PUSH(l->arena, l->guards, l->guard_count, ((struct guard){number, inside}));
    const int chosen = ins_add_op(l, OP_WHERE, dtype, dtype,
                                  (int[]){inside, value, ins_add_literal(l, zero, dtype, node->token)}, node->token);
    ARENA_PUSH(l->arena, l->modes, l->mode_count, chosen); /* what a reduction joins outside is no element */
    return chosen;
}
