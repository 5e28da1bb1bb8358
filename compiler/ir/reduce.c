/* Implements reduce.h. */
#include "compiler/ir/reduce.h"

#include "compiler/ir/index_map.h"

enum {
    LANES = 16,
    BLOCK_ELEMENTS = 1024,         /* elements whose lanes are joined in order */
    STEP = 16                      /* how many rows of a block, or how many blocks, one kernel joins */
};

/* A reduction while its kernels are made. */
struct reducing {
    struct arena *arena;
    struct kernel_program *into;
    const struct reduce *reduce;
    enum weft_dtype dtype;
};

/* What a kernel joins: STEP rows of lanes for each group. A group is a block, or STEP blocks. */
struct lane_rows {
    int from, to;                  /* temporaries: the kernel reads rows from one and stores to the other */
    int before;                    /* a temporary of the kernel's space to which the rows are joined; -1: none */
    const struct shape *own;       /* the shape of `from`: [elements], or [blocks, lanes] */
    const struct shape *space;     /* the kernel's iteration space: [groups, lanes] */
    const struct shape *rows;      /* [groups, rows of a group, lanes] */
    const struct shape *padded;    /* the same number of elements in the dimensions of `own` */
    int first;                     /* the first row of each group to join */
    bool pairs;                    /* rows are joined in pairs, else in order */
};

/* ---- kernels ---- */

static struct kernel *new_kernel(const struct reducing *r, const struct shape *space)
{
    struct kernel *kernel = ARENA_NEW(r->arena, struct kernel);
    *kernel = (struct kernel){.arena = r->arena, .program = r->into->program};
    ARENA_PUSH(r->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    return kernel;
}

static int add(const struct reducing *r, struct kernel *kernel, struct ins ins)
{
    ins.span = r->reduce->span;
    return kernel_add_ins(kernel, ins);
}

static int add_load(const struct reducing *r, struct kernel *kernel, int temporary, int map)
{
    const int access = kernel_add_access(kernel, (struct access){TENSOR_TEMPORARY, temporary, r->dtype, map});
    return add(r, kernel, (struct ins){INS_LOAD, OP_COUNT, r->dtype, r->dtype, {-1, -1, -1}, access});
}

static int add_op(const struct reducing *r, struct kernel *kernel, enum op op, int a, int b)
{
    return add(r, kernel, (struct ins){INS_OP, op, r->dtype, r->dtype, {a, b, -1}});
}

static int join(const struct reducing *r, struct kernel *kernel, int a, int b)
{
    return a < 0 ? b : add_op(r, kernel, reduction_rows[r->reduce->reduction].op, a, b);
}

static int add_literal(const struct reducing *r, struct kernel *kernel, union scalar value)
{
    const int literal = kernel_add_literal(kernel, r->dtype, value);
    return add(r, kernel, (struct ins){INS_LITERAL, OP_COUNT, r->dtype, r->dtype, {-1, -1, -1}, literal});
}

/* Ends the kernel with a store to a temporary. */
static struct kernel *store(const struct reducing *r, struct kernel *kernel, int value, int to,
                            enum weft_dtype dtype)
{
    struct step steps[MAX_STEPS];
    enum weft_dtype from = r->dtype;
    for (int i = 0, count = conversion(from, dtype, false, steps); i < count; i++) {
        value = add(r, kernel, (struct ins){INS_OP, steps[i].op, steps[i].to, from, {value, -1, -1}});
        from = steps[i].to;
    }
    kernel->load_count = kernel_add_access(kernel, (struct access){TENSOR_TEMPORARY, to, dtype, 0});
    add(r, kernel, (struct ins){INS_STORE, OP_COUNT, dtype, dtype, {value, -1, -1}, kernel->load_count});
    return kernel;
}

static union scalar scalar_of(const struct reducing *r, double value)
{
    bool infinite;
    return literal_meet(&(struct literal){.kind = LITERAL_REAL, .real = value}, r->dtype, &infinite);
}

/* The axes of a selection whose dimensions follow those of the result, with step 1. */
static struct axis *follow(const struct reducing *r, int rank)
{
    struct axis *axes = ARENA_ARRAY(r->arena, struct axis, rank);
    for (int d = 0; d < rank; d++)
        axes[d] = (struct axis){d, {.step = 1}};
    return axes;
}

/* Loads row `row` of each group. Where elements are absent, the load gives a value that changes nothing. */
static int load_row(const struct reducing *r, struct kernel *kernel, const struct lane_rows *rows, int row)
{
    const struct axis select[] = {{0, {.step = 1}}, {-1, {.start = row, .step = 1}}, {1, {.step = 1}}};
    const uint64_t absent = scalar_of(r, reduction_rows[r->reduce->reduction].absent).bits;
    int map = map_select(kernel, 0, rows->space, rows->rows, arena_copy(r->arena, select, sizeof select));
    map = map_view(kernel, map, rows->rows, rows->padded);
    map = map_bounded(kernel, map, rows->padded, rows->own, follow(r, rows->own->rank), absent);
    return add_load(r, kernel, rows->from, map);
}

static struct kernel *join_rows(const struct reducing *r, const struct lane_rows *rows)
{
    struct kernel *kernel = new_kernel(r, rows->space);
    int values[STEP], value = rows->before < 0 ? -1 : add_load(r, kernel, rows->before, 0);
    for (int i = 0; i < STEP; i++)
        values[i] = load_row(r, kernel, rows, rows->first + i);
    for (int i = 0; !rows->pairs && i < STEP; i++)
        value = join(r, kernel, value, values[i]);
    for (int apart = 1; rows->pairs && apart < STEP; apart *= 2)
        for (int i = 0; i < STEP; i += 2 * apart)
            value = values[i] = join(r, kernel, values[i], values[i + apart]);
    return store(r, kernel, value, rows->to, r->dtype);
}

/* A zero with the sign of the first element; +0 where there is none. */
static int first_zero(const struct reducing *r, struct kernel *kernel, const struct shape *one, int first,
                      const struct shape *elements)
{
    const struct axis axis = {-1, {.step = 1}};
    const int map = map_bounded(kernel, 0, one, elements, arena_copy(r->arena, &axis, sizeof axis), 0);
    const int sign = add_load(r, kernel, first, map);
    return add_op(r, kernel, OP_COPYSIGN, add_literal(r, kernel, (union scalar){0}), sign);
}

/* Joins the lanes of one block, [1, lanes], to one value. `elements`, [n], is given where there may be none: then a
 * zero with the sign of the first element, in temporary `first`, is added to a float. So an empty sum becomes +0, and
 * any other stays as it is. NULL: there are some. */
static struct kernel *join_lanes(const struct reducing *r, int from, const struct shape *own, int first,
                                 const struct shape *elements)
{
    const struct shape *one = ARENA_NEW(r->arena, struct shape);
    struct kernel *kernel = new_kernel(r, one);
    int values[LANES];
    for (int j = 0; j < LANES; j++) {
        const struct axis lane[] = {{-1, {.step = 1}}, {-1, {.start = j, .step = 1}}};
        const int map = map_select(kernel, 0, one, own, arena_copy(r->arena, lane, sizeof lane));
        values[j] = add_load(r, kernel, from, map);
    }
    for (int apart = LANES / 2; apart; apart /= 2)
        for (int j = 0; j < apart; j++)
            values[j] = join(r, kernel, values[j], values[j + apart]);
    if (elements && dtype_is_float(r->dtype))
        values[0] = add_op(r, kernel, OP_ADD, values[0], first_zero(r, kernel, one, first, elements));
    return store(r, kernel, values[0], r->reduce->to, r->reduce->result);
}

/* A kernel that stores the value of a reduction of no elements. */
static struct kernel *join_nothing(const struct reducing *r)
{
    struct kernel *kernel = new_kernel(r, ARENA_NEW(r->arena, struct shape));
    return store(r, kernel, add_literal(r, kernel, scalar_of(r, reduction_rows[r->reduce->reduction].nothing)),
                 r->reduce->to, r->reduce->result);
}

/* ---- shapes ---- */

#define SHAPE(r, ...)                                                                                      \
    shape_new((r)->arena, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

static int64_t volume_of(const struct reducing *r, const struct shape *shape)
{
    const struct open_extents *open = r->into->open;
    return shape_known(shape) ? shape_volume(shape) : open->volume(open->user, shape);
}

/* The number of groups of `each` elements, at least 1, multiplied by `times`. */
static int64_t groups_of(const struct reducing *r, int64_t extent, int64_t each, int64_t times)
{
    const struct open_extents *open = r->into->open;
    const int64_t groups = extent > each ? extent / each + (extent % each > 0) : 1;
    return extent < 0 ? open->groups(open->user, extent, each, times) : groups * times;
}

/* The largest number of rows in a block. The maximum where the extent is open. */
static int block_rows(int64_t elements)
{
    const int most = BLOCK_ELEMENTS / LANES;
    return elements < 0 || elements >= BLOCK_ELEMENTS ? most : (int)(elements + LANES - 1) / LANES;
}

/* Joins the elements of a temporary, [n], within blocks. Returns a temporary [blocks, lanes]. */
static int join_blocks(const struct reducing *r, int from, const struct shape *own)
{
    const int64_t n = own->extents[0], blocks = groups_of(r, n, BLOCK_ELEMENTS, 1);
    const int64_t padded = groups_of(r, n, BLOCK_ELEMENTS, BLOCK_ELEMENTS);
    struct lane_rows rows = {.from = from, .before = -1, .own = own, .space = SHAPE(r, blocks, LANES),
                             .rows = SHAPE(r, blocks, BLOCK_ELEMENTS / LANES, LANES), .padded = SHAPE(r, padded)};
    for (int left = block_rows(n); left > 0; left -= STEP) {
        rows.to = add_temporary(r->into, r->dtype, rows.space);
        add_kernel(r->into, (struct program_kernel){.kernel = join_rows(r, &rows), .space = rows.space});
        rows.before = rows.to;
        rows.first += STEP;
    }
    return rows.before;
}

/* Joins blocks in pairs until one is left. Where their number is open, there are kernels for as
 * many as memory could hold. */
static int join_pairs(const struct reducing *r, int from)
{
    enum { STEPS = 10 };           /* enough for 16 ** 10 blocks */
    const struct shape *own = r->into->temporaries[from].shape;
    for (int step = 0; step < STEPS && own->extents[0] != 1; step++) {
        const int64_t groups = groups_of(r, own->extents[0], STEP, 1);
        const int64_t padded = groups_of(r, own->extents[0], STEP, STEP);
        struct lane_rows rows = {.from = from, .before = -1, .own = own, .pairs = true,
                                 .space = SHAPE(r, groups, LANES), .rows = SHAPE(r, groups, STEP, LANES),
                                 .padded = SHAPE(r, padded, LANES)};
        rows.to = from = add_temporary(r->into, r->dtype, rows.space);
        add_kernel(r->into, (struct program_kernel){.kernel = join_rows(r, &rows), .space = rows.space});
        own = rows.space;
    }
    return from;
}

/* ---- the pass ---- */

void reduce(struct kernel_program *program, int k)
{
    struct program_kernel *kernel = &program->kernels[k];
    const struct reducing r = {program->arena, program, kernel->reduce, kernel->reduce->dtype};
    const int values = kernel->kernel->accesses[kernel->kernel->load_count].index;
    const struct shape *flat = SHAPE(&r, volume_of(&r, kernel->space)), *none = ARENA_NEW(r.arena, struct shape);
    const bool open = flat->extents[0] < 0;
    kernel->reduced = 0;
    kernel->reduce = NULL;
    program->temporaries[values].shape = flat;
    if (flat->extents[0] == 0) {
        add_kernel(program, (struct program_kernel){.kernel = join_nothing(&r), .space = none});
        return;
    }
    const int lanes = join_pairs(&r, join_blocks(&r, values, flat));
    add_kernel(program, (struct program_kernel){
        .kernel = join_lanes(&r, lanes, program->temporaries[lanes].shape, values, open ? flat : NULL), .space = none});
}
