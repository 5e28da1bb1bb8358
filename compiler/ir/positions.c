/* Implements positions.h, and the values of their nodes (lower_impl.h). */
#include "compiler/ir/positions.h"

#include "compiler/ir/lower_impl.h"

#include <string.h>

enum {
    MAX_CONSTANT = 4096,           /* so many positions are a constant */
    OPEN_DIGITS = 5,               /* more positions than these make do not fit memory */
    DIGITS = 256                   /* what a digit counts to */
};

/* The dimension along which positions of this shape count. */
static int counted_dimension(const struct shape *shape)
{
    int d = 0;
    while (d < shape->rank && shape->extents[d] == 1)
        d++;
    return d < shape->rank ? d : -1;
}

/* How many there are: of more than one dimension all elements are counted, row-major. Negative: it is not known. */
static int64_t counted_extent(const struct shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++)
        count = count < 0 || shape->extents[d] == 1 ? count
                : shape->extents[d] < 0             ? shape->extents[d]
                                                    : count * shape->extents[d];
    return count;
}

bool position_is_stored(const struct shape *shape)
{
    const int64_t extent = counted_extent(shape);
    return extent < 0 || extent > MAX_CONSTANT;
}

bool position_is_sum(const struct shape *shape)
{
    const int64_t extent = counted_extent(shape);
    return extent > MAX_CONSTANT;
}

/* ---- constants ---- */

/* The numbers 0, step, 2 * step, .., dense. */
static const void *count_up(struct arena *arena, enum weft_dtype dtype, int64_t count, int64_t step)
{
    const int size = type_rows[dtype].size;
    char *data = arena_alloc(arena, (size_t)(count * size));
    for (int64_t i = 0; i < count; i++)
        scalar_store(data + i * size, dtype, eval_convert(WEFT_INT64, dtype, false, (union scalar){.i64 = i * step}));
    return data;
}

/* The number of such a constant, which is added if it is new. */
static int add_constant(struct kernel *kernel, int node, enum weft_dtype dtype, const struct shape *shape, int64_t step)
{
    const int64_t count = counted_extent(shape);
    const struct constant constant = {node, shape, dtype, count_up(kernel->arena, dtype, count, step),
                                      (size_t)(count * type_rows[dtype].size)};
    for (int c = 0; c < kernel->constant_count; c++)
        if (kernel->constants[c].shape && kernel->constants[c].dtype == dtype &&
            shapes_equal(kernel->constants[c].shape, shape) &&
            memcmp(kernel->constants[c].data, constant.data, constant.bytes) == 0)
            return c;
    ARENA_PUSH(kernel->arena, kernel->constants, kernel->constant_count, constant);
    return kernel->constant_count - 1;
}

/* ---- stored ones ---- */

/* The kernel that stores positions, while it is made. */
struct counting {
    struct kernel_program *into;
    struct kernel *kernel;
    enum weft_dtype dtype;
    int node;
};

static int add(const struct counting *c, struct ins ins)
{
    ins.span = c->into->program->nodes[c->node].token;
    return kernel_add_ins(c->kernel, ins);
}

static int64_t groups_of(const struct counting *c, int64_t extent, int64_t each, int64_t times)
{
    return extent_by(c->into->open, EXTENT_GROUPS, extent, each, times);
}

/* The number of digits that positions have. */
static int count_digits(enum weft_dtype dtype, int64_t extent)
{
    int digits = 1;
    if (extent < 0)
        return type_rows[dtype].size < OPEN_DIGITS ? type_rows[dtype].size : OPEN_DIGITS;
    for (int64_t rest = extent - 1; rest >= DIGITS; rest /= DIGITS)
        digits++;
    return digits;
}

/* Loads the digit that stands in dimension `at` of `digits`, to which `map` leads, and converts it. */
static int load_digit(const struct counting *c, int map, const struct shape *digits, int at)
{
    struct shape *once = arena_copy(c->kernel->arena, digits, sizeof *once);
    const int64_t extent = digits->extents[at];
    const struct axis all = {at, {.stop = extent, .step = 1, .has_stop = extent >= 0}};
    const int64_t base = DIGITS;
    const struct shape *table = shape_new(c->kernel->arena, 1, &base);
    struct step steps[MAX_STEPS];
    for (int d = 0; d < digits->rank; d++)
        once->extents[d] = d == at ? digits->extents[d] : 1;
    map = map_select(c->kernel, map, once, table, arena_copy(c->kernel->arena, &all, sizeof all));
    const int constant = add_constant(c->kernel, c->node, WEFT_UINT8, table, 1);
    const struct access access = {TENSOR_CONSTANT, constant, WEFT_UINT8, map};
    int value = add(c, (struct ins){.kind = INS_LOAD, .op = OP_COUNT, .dtype = WEFT_UINT8, .source = WEFT_UINT8,
                                    .a = {-1, -1, -1}, .index = kernel_add_access(c->kernel, access)});
    enum weft_dtype from = WEFT_UINT8;
    for (int i = 0, count = conversion(from, c->dtype, false, steps); i < count; from = steps[i++].to)
        value = add(c, (struct ins){INS_OP, steps[i].op, steps[i].to, from, {value, -1, -1}});
    return value;
}

/* Adds a digit behind the others. */
static int join_digit(const struct counting *c, int value, int digit)
{
    const union scalar base = eval_convert(WEFT_INT64, c->dtype, false, (union scalar){.i64 = DIGITS});
    const int literal = add(c, (struct ins){INS_LITERAL, OP_COUNT, c->dtype, c->dtype, {-1, -1, -1},
                                            kernel_add_literal(c->kernel, c->dtype, base)});
    value = add(c, (struct ins){INS_OP, OP_MUL, c->dtype, c->dtype, {value, literal, -1}});
    return add(c, (struct ins){INS_OP, OP_ADD, c->dtype, c->dtype, {value, digit, -1}});
}

/* Leads from the iteration space to positions as digits, the first of which counts as far as needed: the space is the
 * beginning of all numbers with so many digits. */
static int digits_map(const struct counting *c, const struct shape *space, struct shape *digits)
{
    const int64_t extent = counted_extent(space);
    int64_t each = 1;
    digits->rank = count_digits(c->dtype, extent);
    for (int d = digits->rank - 1; d > 0; d--) {
        digits->extents[d] = DIGITS;
        each *= DIGITS;
    }
    digits->extents[0] = groups_of(c, extent, each, 1);
    const int64_t all = groups_of(c, extent, each, each);
    const struct shape *flat = shape_new(c->kernel->arena, 1, &all);
    const struct axis axis = {counted_dimension(space), {.stop = extent, .step = 1, .has_stop = extent >= 0}};
    const int map = map_select(c->kernel, 0, space, flat, arena_copy(c->kernel->arena, &axis, sizeof axis));
    return map_view(c->kernel, map, flat, digits);
}

/* The space over which positions of a shape are counted: itself, or of more than one dimension all of their elements in
 * a row. */
static const struct shape *counted_space(const struct kernel_program *program, const struct shape *shape)
{
    int dimensions = 0;
    for (int d = 0; d < shape->rank; d++)
        dimensions += shape->extents[d] != 1;
    if (dimensions < 2)
        return shape;
    const int64_t volume = extent_by(program->open, EXTENT_VOLUME, .shape = shape);
    return shape_new(program->arena, 1, &volume);
}

int store_positions(struct kernel_program *program, int node, const struct shape *shape, enum weft_dtype dtype)
{
    struct kernel *kernel = ARENA_NEW(program->arena, struct kernel);
    const struct counting c = {program, kernel, dtype, node};
    const struct shape *space = counted_space(program, shape);
    struct shape *digits = ARENA_NEW(program->arena, struct shape);
    *kernel = (struct kernel){.arena = program->arena, .program = program->program};
    ARENA_PUSH(kernel->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    const int map = digits_map(&c, space, digits), to = add_temporary(program, dtype, shape);
    program->temporaries[to].numbers = true;
    int value = load_digit(&c, map, digits, 0);
    for (int d = 1; d < digits->rank; d++)
        value = join_digit(&c, value, load_digit(&c, map, digits, d));
    kernel->load_count = kernel_add_access(kernel, (struct access){TENSOR_TEMPORARY, to, dtype, 0});
    add(&c, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {value, -1, -1}, kernel->load_count});
    /* It reads no other's temporaries, and between two kernels it would keep them from sharing a launch. */
    add_kernel_first(program, (struct program_kernel){.kernel = kernel, .space = space});
    return to;
}

/* ---- values ---- */

/* So many positions stand in a row of theirs: if possible a divisor of how many there are, so that all rows are
 * whole. */
static int64_t row_length(int64_t count)
{
    for (int64_t each = MAX_CONSTANT; each >= MAX_CONSTANT / 16; each--)
        if (count % each == 0 && (count / each <= MAX_CONSTANT || count > (int64_t)MAX_CONSTANT * MAX_CONSTANT))
            return each;
    return MAX_CONSTANT;
}

/* The digits of positions: a position is the sum of one constant for each. */
struct digits {
    struct shape extents;          /* the first one counts as far as needed */
    int64_t all;                   /* numbers that these digits have */
};

static struct digits find_digits(int64_t count)
{
    struct digits digits = {.all = 1};
    int64_t each[WEFT_MAX_RANK];
    while (count > MAX_CONSTANT) {
        each[digits.extents.rank] = row_length(count);
        count = (count - 1) / each[digits.extents.rank++] + 1;
    }
    each[digits.extents.rank++] = count;
    for (int d = 0; d < digits.extents.rank; d++)
        digits.all *= digits.extents.extents[d] = each[digits.extents.rank - 1 - d];
    return digits;
}

/* The map from positions of this shape to their digits. -1: there are too many maps. */
static int sum_map(struct lowering *l, const struct shape *shape, const struct digits *digits, int map)
{
    const struct axis axis = {counted_dimension(shape),
                              {.stop = counted_extent(shape), .step = 1, .has_stop = true}};
    const struct shape *flat = shape_new(l->arena, 1, &digits->all);
    map = map_select(l->kernel, map, shape, flat, arena_copy(l->arena, &axis, sizeof axis));
    return map < 0 ? map
                   : map_view(l->kernel, map, flat, arena_copy(l->arena, &digits->extents, sizeof digits->extents));
}

/* The dimension along which a node's positions count: for random all elements in a row. */
static const struct shape *counted_shape(struct lowering *l, const struct node *node)
{
    const struct shape *shape = l->shapes[node_number(l, node)];
    if (!view_is_random(l->program->views[node->view].kind))
        return shape;
    const int64_t volume = extent_by(l->open, EXTENT_VOLUME, .shape = shape);
    return shape_new(l->arena, 1, &volume);
}

bool position_uses(struct lowering *l, const struct node *node, int map)
{
    const struct shape *own = l->shapes[node_number(l, node)], *shape = counted_shape(l, node);
    if (l->program->views[node->view].chance == CHANCE_SAMPLE || l->program->views[node->view].part)
        return true;
    if (position_is_stored(own) && !position_is_sum(own))
        return true;
    map = shape == own ? map : map_view(l->kernel, map, own, shape);
    if (map < 0 || !position_is_sum(shape))
        return map >= 0;
    const struct digits digits = find_digits(counted_extent(shape));
    return sum_map(l, shape, &digits, map) >= 0;
}

/* Positions as a sum of constants, one a digit: where the last row is not whole, a kernel for a part of a result has
 * its positions for itself. */
static int load_sum(struct lowering *l, const struct node *node, const struct shape *shape, enum weft_dtype dtype)
{
    const int n = (int)(node - l->program->nodes), above = l->map;
    const int dimension = shape->rank - counted_dimension(shape);
    const int64_t count = counted_extent(shape);
    const struct digits digits = find_digits(count);
    struct kernel *kernel = l->kernel;
    int64_t step = digits.all;
    int sum = -1;
    l->map = sum_map(l, shape, &digits, above);
    for (int d = 0; d < digits.extents.rank; d++) {
        struct shape *one = shape_new(l->arena, digits.extents.rank - d, digits.extents.extents + d);
        const struct mask end = {-1, 0, above, dimension, count / step * step};
        if (d > 0 && end.ones != count && end.ones > 0)
            ARENA_PUSH(kernel->arena, kernel->masks, kernel->mask_count, end);
        step /= digits.extents.extents[d];
        for (int i = 1; i < one->rank; i++)
            one->extents[i] = 1;
        const int constant = add_constant(kernel, n, dtype, one, step);
        const int digit = ins_add_load(l, TENSOR_CONSTANT, constant, dtype, node);
        sum = d ? ins_add_op(l, OP_ADD, dtype, dtype, (int[]){sum, digit, -1}, node->token) : digit;
    }
    l->map = above;
    return sum;
}

static int sample_value(struct lowering *l, const struct node *node)
{
    if (l->loads_numbers)
        return ins_add_load_under(l, TENSOR_NUMBER, number_index((struct number_source){node_number(l, node), MEET},
                                                                 WEFT_INT64), WEFT_INT64, 0, node->token);
    if (l->batches && program_batched(l->arena, l->program, l->batches)[node_number(l, node)])
        return ins_add_load_under(l, TENSOR_SAMPLE, 0, WEFT_INT64, 0, node->token);
    return ins_add_literal(l, (union scalar){.i64 = 0}, WEFT_INT64, node->token);
}

/* The extents of the operand, or its strides in elements, along the only dimension: loads of a constant; where the call
 * decides, a choice by the position. */
static int extents_value(struct lowering *l, const struct node *node)
{
    const struct shape *of = l->shapes[operand_index(l, node, 0)], *own = l->shapes[node_number(l, node)];
    const bool strides = l->program->views[node->view].part == NONZERO_STRIDES;
    int64_t *numbers = ARENA_ARRAY(l->arena, int64_t, of->rank + 1), each = 1;
    int value = -1;
    for (int d = of->rank - 1; d >= 0; d--) {
        numbers[d] = strides ? each : of->extents[d];
        each = extent_by(l->open, EXTENT_VOLUME, .shape = shape_new(l->arena, of->rank - d, of->extents + d));
    }
    if (shape_known(of)) {
        const int constant = ins_add_constant(l, node_number(l, node), own, WEFT_INT64, numbers,
                                              (size_t)of->rank * sizeof *numbers);
        return ins_add_load(l, TENSOR_CONSTANT, constant, WEFT_INT64, node);
    }
    const int position = positions_loaded(l, own, l->map, node);
    for (int d = of->rank - 1; d >= 0; d--) {
        const int number = numbers[d] < 0
                               ? ins_add_load_under(l, TENSOR_NUMBER, (int)numbers[d], WEFT_INT64, 0, node->token)
                               : ins_add_literal(l, (union scalar){.i64 = numbers[d]}, WEFT_INT64, node->token);
        const int at = ins_add_literal(l, (union scalar){.i64 = d}, WEFT_INT64, node->token);
        const int here = ins_add_op(l, OP_EQ, WEFT_INT64, WEFT_BOOL, (int[]){position, at, -1}, node->token);
        value = value < 0 ? number
                          : ins_add_op(l, OP_WHERE, WEFT_INT64, WEFT_INT64, (int[]){here, number, value}, node->token);
    }
    return value;
}

int position_value(struct lowering *l, const struct node *node)
{
    const int n = node_number(l, node), above = l->map;
    const struct shape *own = l->shapes[n], *shape = counted_shape(l, node);
    const enum weft_dtype dtype = node->dtype;
    if (l->program->views[node->view].chance == CHANCE_SAMPLE)
        return sample_value(l, node);
    if (l->program->views[node->view].part)
        return extents_value(l, node);
    if (position_is_stored(own) && !position_is_sum(own))
        return ins_add_load(l, TENSOR_TEMPORARY, l->reduced[n].temporary, dtype, node);
    l->map = shape == own ? above : map_view(l->kernel, above, own, shape);
    const int value = position_is_sum(shape)
                          ? load_sum(l, node, shape, dtype)
                          : ins_add_load(l, TENSOR_CONSTANT, add_constant(l->kernel, n, dtype, shape, 1), dtype, node);
    l->map = above;
    return value;
}

int positions_loaded(struct lowering *l, const struct shape *shape, int map, const struct node *node)
{
    const int n = node_number(l, node);
    int p = 0;
    if (!position_is_stored(shape))
        return ins_add_load_under(l, TENSOR_CONSTANT, add_constant(l->kernel, n, WEFT_INT64, shape, 1), WEFT_INT64, map,
                                  node->span);
    while (l->positions[p].dtype != WEFT_INT64 || !shapes_equal(l->positions[p].shape, shape))
        p++;
    return ins_add_load_under(l, TENSOR_TEMPORARY, l->positions[p].temporary, WEFT_INT64, map, node->span);
}
