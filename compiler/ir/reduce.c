/* See reduce.h. */
#include "compiler/ir/reduce.h"

#include "compiler/ir/index_map.h"

static struct kernel *new_kernel(const struct reduce *r, const struct shape *space)
{
    struct kernel *kernel = ARENA_NEW(r->arena, struct kernel);
    *kernel = (struct kernel){.arena = r->arena, .program = r->program};
    ARENA_PUSH(r->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    return kernel;
}

static int add(const struct reduce *r, struct kernel *kernel, struct ins ins)
{
    ins.span = r->span;
    ARENA_PUSH(r->arena, kernel->ins, kernel->ins_count, ins);
    return kernel->ins_count - 1;
}

static int add_load(const struct reduce *r, struct kernel *kernel, int temporary, int map)
{
    const struct access access = {TENSOR_TEMPORARY, temporary, r->dtype, map};
    ARENA_PUSH(r->arena, kernel->accesses, kernel->access_count, access);
    return add(r, kernel, (struct ins){INS_LOAD, OP_COUNT, r->dtype, r->dtype, {-1, -1, -1},
                                       kernel->access_count - 1});
}

static int add_op(const struct reduce *r, struct kernel *kernel, enum op op, int a, int b)
{
    return add(r, kernel, (struct ins){INS_OP, op, r->dtype, r->dtype, {a, b, -1}});
}

static int join(const struct reduce *r, struct kernel *kernel, int a, int b)
{
    return a < 0 ? b : add_op(r, kernel, reduction_rows[r->reduction].op, a, b);
}

static int add_literal(const struct reduce *r, struct kernel *kernel, union scalar value)
{
    int count = kernel->literal_count;
    ARENA_PUSH(r->arena, kernel->literal_dtypes, count, r->dtype);
    ARENA_PUSH(r->arena, kernel->literals, kernel->literal_count, value);
    return add(r, kernel, (struct ins){INS_LITERAL, OP_COUNT, r->dtype, r->dtype, {-1, -1, -1}, count - 1});
}

/* Ends the kernel: the value goes to a temporary. */
static struct kernel *store(const struct reduce *r, struct kernel *kernel, int value, int to,
                            enum weft_dtype dtype)
{
    struct step steps[MAX_STEPS];
    enum weft_dtype from = r->dtype;
    for (int i = 0, count = conversion(from, dtype, false, steps); i < count; i++) {
        value = add(r, kernel, (struct ins){INS_OP, steps[i].op, steps[i].to, from, {value, -1, -1}});
        from = steps[i].to;
    }
    kernel->load_count = kernel->access_count;
    ARENA_PUSH(r->arena, kernel->accesses, kernel->access_count, ((struct access){TENSOR_TEMPORARY, to, dtype, 0}));
    add(r, kernel, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {value, -1, -1}, kernel->load_count});
    return kernel;
}

static union scalar scalar_of(const struct reduce *r, double value)
{
    bool infinite;
    return literal_meet(&(struct literal){.kind = LITERAL_REAL, .real = value}, r->dtype, &infinite);
}

/* Axes of a selection that follow the dimensions of the result, with `step` 1. */
static struct axis *follow(const struct reduce *r, int rank)
{
    struct axis *axes = ARENA_ARRAY(r->arena, struct axis, rank);
    for (int d = 0; d < rank; d++)
        axes[d] = (struct axis){d, {.step = 1}};
    return axes;
}

/* Row `row` of each group, absent ones as what changes nothing. */
static int load_row(const struct reduce *r, struct kernel *kernel, const struct reduce_rows *rows, int row)
{
    const struct axis select[] = {{0, {.step = 1}}, {-1, {.start = row, .step = 1}}, {1, {.step = 1}}};
    const uint64_t absent = scalar_of(r, reduction_rows[r->reduction].absent).bits;
    int map = map_select(kernel, 0, rows->space, rows->rows, arena_copy(r->arena, select, sizeof select));
    map = map_view(kernel, map, rows->rows, rows->padded);
    map = map_bounded(kernel, map, rows->padded, rows->own, follow(r, rows->own->rank), absent);
    return add_load(r, kernel, rows->from, map);
}

struct kernel *reduce_rows(const struct reduce *r, const struct reduce_rows *rows)
{
    struct kernel *kernel = new_kernel(r, rows->space);
    int values[REDUCE_STEP], value = rows->before < 0 ? -1 : add_load(r, kernel, rows->before, 0);
    for (int i = 0; i < REDUCE_STEP; i++)
        values[i] = load_row(r, kernel, rows, rows->first + i);
    for (int i = 0; !rows->pairs && i < REDUCE_STEP; i++)
        value = join(r, kernel, value, values[i]);
    for (int apart = 1; rows->pairs && apart < REDUCE_STEP; apart *= 2)
        for (int i = 0; i < REDUCE_STEP; i += 2 * apart)
            value = values[i] = join(r, kernel, values[i], values[i + apart]);
    return store(r, kernel, value, rows->to, r->dtype);
}

/* 0 with the sign of the first element, +0 where there is none. */
static int first_zero(const struct reduce *r, struct kernel *kernel, const struct shape *one, int first,
                      const struct shape *elements)
{
    const struct axis axis = {-1, {.step = 1}};
    const int map = map_bounded(kernel, 0, one, elements, arena_copy(r->arena, &axis, sizeof axis), 0);
    const int sign = add_load(r, kernel, first, map);
    return add_op(r, kernel, OP_COPYSIGN, add_literal(r, kernel, (union scalar){0}), sign);
}

struct kernel *reduce_lanes(const struct reduce *r, int from, const struct shape *own, int to,
                            enum weft_dtype to_dtype, int first, const struct shape *elements)
{
    const struct shape *one = ARENA_NEW(r->arena, struct shape);
    struct kernel *kernel = new_kernel(r, one);
    int values[REDUCE_LANES];
    for (int j = 0; j < REDUCE_LANES; j++) {
        const struct axis lane[] = {{-1, {.step = 1}}, {-1, {.start = j, .step = 1}}};
        const int map = map_select(kernel, 0, one, own, arena_copy(r->arena, lane, sizeof lane));
        values[j] = add_load(r, kernel, from, map);
    }
    for (int apart = REDUCE_LANES / 2; apart; apart /= 2)
        for (int j = 0; j < apart; j++)
            values[j] = join(r, kernel, values[j], values[j + apart]);
    if (elements && dtype_is_float(r->dtype))
        values[0] = add_op(r, kernel, OP_ADD, values[0], first_zero(r, kernel, one, first, elements));
    return store(r, kernel, values[0], to, to_dtype);
}

struct kernel *reduce_nothing(const struct reduce *r, int to, enum weft_dtype to_dtype)
{
    struct kernel *kernel = new_kernel(r, ARENA_NEW(r->arena, struct shape));
    const int value = add_literal(r, kernel, scalar_of(r, reduction_rows[r->reduction].nothing));
    return store(r, kernel, value, to, to_dtype);
}
