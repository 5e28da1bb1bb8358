/* Implements reduce.h. */
#include "compiler/ir/reduce.h"

#include "compiler/ir/index_map.h"
#include "compiler/ir/reduce_impl.h"

#include <string.h>

enum {
    BLOCK_ROWS = 64,               /* rows of lanes that are joined in order */
    STEP = 16                      /* how many rows of a block, or how many blocks, one kernel joins */
};

/* A reduction while its kernels are made. */
struct reducing {
    struct arena *arena;
    struct kernel_program *into;
    struct span span;
    enum weft_dtype dtype;         /* of values and partial results */
    enum join join;
    bool finds, places, across;    /* as in struct reduce */
    int extreme;
    int lanes;                     /* LANE_COUNT, or fewer where there are fewer elements */
    int64_t points;                /* of the parallel dimensions; or open */
    int64_t inner;                 /* the number of elements of a lane: points that follow reduced dimensions */
};

/* What a kernel joins: STEP rows of lanes for each group. A group is a block, or STEP blocks. Each shape begins with
 * the points of the parallel dimensions. */
struct lane_rows {
    int from, to;                  /* temporaries: the kernel reads rows from one and stores to the other */
    int before;                    /* a temporary of the kernel's space to which the rows are joined; -1: none */
    const struct shape *own;       /* the shape of `from`: [elements], or [blocks, lanes] */
    const struct shape *space;     /* the kernel's iteration space: [groups, lanes] */
    const struct shape *rows;      /* [groups, rows of a group, lanes] */
    const struct shape *padded;    /* the same number of elements in the dimensions of `own` */
    int first, count;              /* the first row of each group to join, and how many are joined */
    bool pairs;                    /* rows are joined in pairs, else in order */
};

#define SHAPE(r, ...)                                                                                      \
    shape_new((r)->arena, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})

/* ---- kernels ---- */

static struct kernel *new_kernel(const struct reducing *r, const struct shape *space)
{
    struct kernel *kernel = ARENA_NEW(r->arena, struct kernel);
    *kernel = (struct kernel){.arena = r->arena, .program = r->into->program};
    ARENA_PUSH(r->arena, kernel->maps, kernel->map_count, ((struct index_map){.parent = -1, .to = space}));
    return kernel;
}

/* Loads a temporary; with bytes, the numbers 0 to 255. */
static int add_load(const struct reducing *r, struct kernel *kernel, int temporary, int map)
{
    const struct access bytes = {TENSOR_BYTES, 0, WEFT_UINT8, map};
    const enum weft_dtype dtype = temporary < 0 ? WEFT_UINT8 : r->into->temporaries[temporary].dtype;
    const struct access own = {TENSOR_TEMPORARY, temporary, dtype, map};
    const int access = kernel_add_access(kernel, temporary < 0 ? bytes : own);
    return kernel_add_ins(kernel, (struct ins){INS_LOAD, OP_COUNT, dtype, dtype, {-1, -1, -1}, access, r->span});
}

static enum weft_dtype dtype_of(const struct kernel *kernel, int value)
{
    return kernel->ins[value].dtype;
}

/* Adds a row on operands of the same type. */
static int add_op(const struct reducing *r, struct kernel *kernel, enum op op, int a, int b)
{
    const enum weft_dtype dtype = dtype_of(kernel, a);
    return kernel_add_ins(kernel, (struct ins){INS_OP, op, dtype, dtype, {a, b, -1}, 0, r->span});
}

static int join(const struct reducing *r, struct kernel *kernel, int a, int b)
{
    return a < 0 ? b : add_op(r, kernel, join_rows[r->join].op, a, b);
}

static int add_literal(const struct reducing *r, struct kernel *kernel, enum weft_dtype dtype, union scalar value)
{
    const int literal = kernel_add_literal(kernel, dtype, value);
    return kernel_add_ins(kernel, (struct ins){INS_LITERAL, OP_COUNT, dtype, dtype, {-1, -1, -1}, literal, r->span});
}

static int add_number(const struct reducing *r, struct kernel *kernel, enum weft_dtype dtype, int64_t value)
{
    return add_literal(r, kernel, dtype, eval_convert(WEFT_INT64, dtype, false, (union scalar){.i64 = value}));
}

static int convert(const struct reducing *r, struct kernel *kernel, int value, enum weft_dtype to)
{
    struct step steps[MAX_STEPS];
    enum weft_dtype from = dtype_of(kernel, value);
    for (int i = 0, count = conversion(from, to, false, steps); i < count; i++) {
        const struct ins ins = {INS_OP, steps[i].op, steps[i].to, from, {value, -1, -1}, 0, r->span};
        value = kernel_add_ins(kernel, ins);
        from = steps[i].to;
    }
    return value;
}

/* Ends the kernel with a store to a temporary. Loads must all be there. */
static struct kernel *store(const struct reducing *r, struct kernel *kernel, int value, int to)
{
    const enum weft_dtype dtype = r->into->temporaries[to].dtype;
    value = convert(r, kernel, value, dtype);
    kernel->load_count = kernel_add_access(kernel, (struct access){TENSOR_TEMPORARY, to, dtype, 0});
    const struct ins ins = {INS_STORE, OP_COUNT, dtype, dtype, {value, -1, -1}, kernel->load_count, r->span};
    kernel_add_ins(kernel, ins);
    return kernel;
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
    const struct axis select[] = {
        {0, {.step = 1}}, {1, {.step = 1}}, {-1, {.start = row, .step = 1}}, {2, {.step = 1}}};
    const uint64_t absent = join_absent(r->join, r->dtype).bits;
    int map = map_select(kernel, 0, rows->space, rows->rows, arena_copy(r->arena, select, sizeof select));
    map = map_view(kernel, map, rows->rows, rows->padded);
    if (!shapes_equal(rows->padded, rows->own))
        map = map_bounded(kernel, map, rows->padded, rows->own, follow(r, rows->own->rank), absent);
    return add_load(r, kernel, rows->from, map);
}

static struct kernel *join_rows_of(const struct reducing *r, const struct lane_rows *rows)
{
    struct kernel *kernel = new_kernel(r, rows->space);
    int values[STEP], before = rows->before < 0 ? -1 : add_load(r, kernel, rows->before, 0);
    for (int i = 0; i < rows->count; i++)
        values[i] = load_row(r, kernel, rows, rows->first + i);
    for (int i = 0; !rows->pairs && i < rows->count; i++)
        before = join(r, kernel, before, values[i]);
    for (int apart = 1; rows->pairs && apart < rows->count; apart *= 2)
        for (int i = 0; i + apart < rows->count; i += 2 * apart)
            values[i] = join(r, kernel, values[i], values[i + apart]);
    return store(r, kernel, rows->pairs ? values[0] : before, rows->to);
}

/* A zero with the sign of the first element of each point; +0 where there is none. */
static int first_zero(const struct reducing *r, struct kernel *kernel, const struct shape *points, int first,
                      const struct shape *elements)
{
    const struct axis axes[] = {{0, {.step = 1}}, {-1, {.step = 1}}};
    const int map = map_bounded(kernel, 0, points, elements, arena_copy(r->arena, axes, sizeof axes), 0);
    const int sign = add_load(r, kernel, first, map);
    return add_op(r, kernel, OP_COPYSIGN, add_literal(r, kernel, r->dtype, (union scalar){0}), sign);
}

/* Joins the lanes of one block, [1, lanes], to one value. `elements`, [points, n], is given where there may be none:
 * then a zero with the sign of the first element, in temporary `first`, is added to a sum of floats. So an empty sum
 * becomes +0, and any other stays as it is. NULL: there are some. */
static struct kernel *join_lanes(const struct reducing *r, int from, const struct shape *points, int first,
                                 const struct shape *elements, int to)
{
    const struct shape *own = r->into->temporaries[from].shape, *lanes = SHAPE(r, r->points, r->lanes, r->inner);
    struct kernel *kernel = new_kernel(r, points);
    int values[LANE_COUNT];
    for (int j = 0; j < r->lanes; j++) {
        const struct axis lane[] = {{0, {.step = 1}}, {-1, {.start = j, .step = 1}}, {1, {.step = 1}}};
        const int map = map_select(kernel, 0, points, lanes, arena_copy(r->arena, lane, sizeof lane));
        values[j] = add_load(r, kernel, from, map_view(kernel, map, lanes, own));
    }
    for (int apart = LANE_COUNT / 2; apart; apart /= 2)
        for (int j = 0; j < apart && j + apart < r->lanes; j++)
            values[j] = join(r, kernel, values[j], values[j + apart]);
    if (elements && dtype_is_float(r->dtype) && join_is_sum(r->join))
        values[0] = add_op(r, kernel, OP_ADD, values[0], first_zero(r, kernel, points, first, elements));
    return store(r, kernel, values[0], to);
}

/* A kernel that stores the value of a reduction of no elements. */
static struct kernel *without_elements(const struct reducing *r, const struct shape *points, int to)
{
    struct kernel *kernel = new_kernel(r, points);
    return store(r, kernel, add_literal(r, kernel, r->dtype, join_nothing(r->join, r->dtype)), to);
}

/* ---- shapes ---- */

static int64_t volume_of(const struct reducing *r, const struct shape *shape)
{
    return extent_by(r->into->open, EXTENT_VOLUME, .shape = shape);
}

/* The number of groups of `each` elements, at least 1, multiplied by `times`. */
static int64_t groups_of(const struct reducing *r, int64_t extent, int64_t each, int64_t times)
{
    return extent_by(r->into->open, EXTENT_GROUPS, extent, each, times);
}

/* The largest number of rows in a block. The maximum where the extent is open. */
static int block_rows(const struct reducing *r, int64_t elements)
{
    return elements < 0 || elements >= BLOCK_ROWS * LANE_COUNT ? BLOCK_ROWS : (int)(elements + r->lanes - 1) / r->lanes;
}

static void add_join(const struct reducing *r, struct lane_rows *rows)
{
    rows->to = add_temporary(r->into, r->dtype, rows->space);
    add_kernel(r->into, (struct program_kernel){.kernel = join_rows_of(r, rows), .space = rows->space});
}

/* Joins the elements of a temporary, [points, n], within blocks. Returns a temporary [points, blocks, lanes]. */
static int join_blocks(const struct reducing *r, int from, const struct shape *own)
{
    const int each = BLOCK_ROWS * r->lanes;
    const int64_t n = own->extents[1], p = r->points;
    const int64_t blocks = groups_of(r, n, each, 1), padded = groups_of(r, n, each, each);
    struct lane_rows rows = {.from = from, .before = -1, .own = own, .count = STEP,
                             .space = SHAPE(r, p, blocks, r->lanes),
                             .rows = SHAPE(r, p, blocks, BLOCK_ROWS, r->lanes), .padded = SHAPE(r, p, padded)};
    for (int left = block_rows(r, n); left > 0; left -= STEP) {
        add_join(r, &rows);
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
    const int64_t p = r->points, width = LANE_COUNT;
    for (int step = 0; step < STEPS && own->extents[1] != 1; step++) {
        const int64_t blocks = own->extents[1], count = blocks > 0 && blocks < STEP ? blocks : STEP;
        const int64_t groups = groups_of(r, blocks, count, 1), padded = groups_of(r, blocks, count, count);
        struct lane_rows rows = {.from = from, .before = -1, .own = own, .pairs = true, .count = (int)count,
                                 .space = SHAPE(r, p, groups, width), .rows = SHAPE(r, p, groups, count, width),
                                 .padded = SHAPE(r, p, padded, width)};
        add_join(r, &rows);
        from = rows.to;
        own = rows.space;
    }
    return from;
}

/* The number of elements in dimensions `first` to `last` - 1. */
static int64_t volume_between(const struct reducing *r, const struct shape *shape, int first, int last)
{
    int64_t known = 1, open = 0;
    int opens = 0;
    for (int d = first; d < last; d++) {
        const int64_t extent = shape->extents[d];
        opens += extent < 0;
        open = extent < 0 ? extent : open;
        known *= extent < 0 ? 1 : extent;
    }
    return opens == 1 && known == 1 ? open : volume_of(r, shape_new(r->arena, last - first, shape->extents + first));
}

/* ---- kernels with reduced dimensions ---- */

/* Removes the instruction behind `last`, whose value nothing uses. */
static void remove_next(struct kernel *kernel, int last)
{
    for (int i = last + 2; i < kernel->ins_count; i++) {
        kernel->ins[i - 1] = kernel->ins[i];
        for (int k = 0; k < 3; k++)
            kernel->ins[i - 1].a[k] -= kernel->ins[i].a[k] > last;
    }
    kernel->ins_count--;
}

/* Where the kernel stores an integer right after widening it, makes it store the narrow one. Returns what it stores. */
static enum weft_dtype store_narrow(struct kernel *kernel)
{
    int s = 0, uses = 0;
    while (kernel->ins[s].kind != INS_STORE)
        s++;
    const struct ins store = kernel->ins[s], value = kernel->ins[store.a[0]];
    for (int i = 0; i < kernel->ins_count; i++)
        for (int k = 0; k < 3; k++)
            uses += kernel->ins[i].a[k] == store.a[0];
    if (store.a[0] != s - 1 || uses > 1 || value.kind != INS_OP || value.op != OP_CONVERT ||
        dtype_is_float(value.source) || dtype_is_float(value.dtype))
        return store.dtype;
    kernel->ins[s - 1] = store;
    kernel->ins[s - 1].a[0] = value.a[0];
    kernel->ins[s - 1].dtype = kernel->ins[s - 1].source = value.source;
    remove_next(kernel, s - 1);
    return value.source;
}

/* The type in which a block is joined: it holds the sum of what a lane has, or a thread of a GPU, which may have all of
 * a block's 1,024 elements. A lane of a tile has at most 256 integers of it, so twice their bits hold the sum. What
 * keeps its type, as extremes do, tiles join in that of the elements, where that has the same order, and a value for
 * absent ones. */
static enum weft_dtype block_dtype(const struct reducing *r, enum weft_dtype stored, const struct lanes *lanes)
{
    const bool is_signed = type_rows[stored].class == CLASS_SIGNED;
    const int bits = type_rows[stored].bits;
    const bool same_order = bits < type_rows[r->dtype].bits &&
                            (!is_signed || type_rows[r->dtype].class == CLASS_SIGNED);
    if (join_rows[r->join].rule == TYPE_KEEP && same_order && !lanes->threads.threads && stored != WEFT_BOOL &&
        !dtype_is_float(r->dtype))
        return stored;
    if (!join_is_sum(r->join) || dtype_is_float(r->dtype) || bits > 16)
        return r->dtype;
    if (bits == 16 || lanes->threads.threads)
        return is_signed ? WEFT_INT32 : WEFT_UINT32;
    return is_signed ? WEFT_INT16 : WEFT_UINT16;
}

/* The kernel that stores a temporary by joining; NULL: there is none. */
static const struct kernel *joined_by(const struct reducing *r, int temporary)
{
    for (int k = 0; k < r->into->count; k++) {
        const struct kernel *kernel = r->into->kernels[k].kernel;
        const struct access *to = &kernel->accesses[kernel->load_count];
        if (kernel->lanes && to->kind == TENSOR_TEMPORARY && to->index == temporary)
            return kernel;
    }
    return NULL;
}

/* The temporary with what the tiles of an earlier kernel, which are also those of `lanes`, have of the extreme elements
 * that are looked for; -1: there is none. */
static int find_parts(const struct reducing *r, const struct lanes *lanes)
{
    const struct kernel *all = r->extreme < 0 ? NULL : joined_by(r, r->extreme);
    if (!all || !all->lanes->partial)
        return -1;
    const int parts = all->accesses[0].index;
    const struct kernel *tiles = joined_by(r, parts);
    return tiles && lanes_match(tiles->lanes, lanes) ? parts : -1;
}

/* Adds a load of the first part of each point. The one that stores comes behind all loads. */
static int load_parts(const struct reducing *r, struct program_kernel *whole, int parts)
{
    struct kernel *kernel = whole->kernel;
    const struct shape *own = r->into->temporaries[parts].shape, *first = SHAPE(r, r->points, 1, 1);
    const struct axis axes[] = {{0, {.step = 1}}, {-1, {.step = 1}}, {1, {.step = 1}}};
    struct shape *points = arena_copy(r->arena, whole->space, sizeof *points);
    for (int d = points->rank - whole->reduced; d < points->rank; d++)
        points->extents[d] = 1;
    const int map = map_select(kernel, map_view(kernel, 0, points, first), first, own,
                               arena_copy(r->arena, axes, sizeof axes));
    const struct access store = kernel->accesses[kernel->load_count];
    const enum weft_dtype dtype = r->into->temporaries[parts].dtype;
    kernel_add_access(kernel, store);
    kernel->accesses[kernel->load_count] = (struct access){TENSOR_TEMPORARY, parts, dtype, map};
    for (int i = 0; i < kernel->ins_count; i++)
        kernel->ins[i].index += kernel->ins[i].kind == INS_STORE;
    kernel_add_ins(kernel, (struct ins){INS_LOAD, OP_COUNT, dtype, dtype, {-1, -1, -1}, kernel->load_count, r->span});
    return kernel->load_count++;
}

/* Where the kernel looks for extreme elements, finds its load of them. Where those of tiles are known, it gets what it
 * needs to pass over other tiles. */
static void add_parts(const struct reducing *r, struct program_kernel *whole, struct lanes *lanes)
{
    const struct kernel *kernel = whole->kernel;
    const int parts = lanes->finds ? find_parts(r, lanes) : -1;
    lanes->parts = lanes->extreme = -1;
    for (int a = 0; lanes->finds && r->extreme >= 0 && a < kernel->load_count; a++)
        if (kernel->accesses[a].kind == TENSOR_TEMPORARY && kernel->accesses[a].index == r->extreme)
            lanes->extreme = a;
    if (lanes->extreme >= 0 && parts >= 0)
        lanes->parts = load_parts(r, whole, parts);
}

/* Makes the kernel join its values into temporary `to`. */
static void fuse_joins(const struct reducing *r, struct program_kernel *whole, struct lanes lanes, int to)
{
    struct kernel *kernel = whole->kernel;
    const enum weft_dtype stored = r->places ? r->dtype : store_narrow(kernel);
    lanes.finds = stored == WEFT_BOOL && r->finds;
    add_parts(r, whole, &lanes);
    struct shape *shape = arena_copy(r->arena, whole->space, sizeof *shape);
    for (int d = shape->rank - whole->inner - whole->reduced; d < shape->rank; d++)
        shape->extents[d] = 1;
    lanes.join = r->join;
    lanes.places = r->places;
    lanes.acc = r->places ? stored : block_dtype(r, stored, &lanes);
    lanes.tree = r->places ? WEFT_INT64 : r->dtype;
    lanes.absent = add_literal(r, kernel, lanes.acc, join_absent(r->join, lanes.acc));
    lanes.stored = shape;
    kernel->accesses[kernel->load_count] = (struct access){TENSOR_TEMPORARY, to, stored, 0};
    kernel->lanes = arena_copy(r->arena, &lanes, sizeof lanes);
}

/* How tiles share `elements`, or threads; `partial`: these are lanes of blocks that were joined before. */
static struct lanes deal(const struct reducing *r, int64_t elements, bool threads, bool partial)
{
    struct lanes lanes = threads ? deal_threads(r->points, elements, r->inner, partial)
                                 : deal_tiles(r->points, elements, r->inner, join_is_ordered(r->join, r->dtype),
                                              partial);
    if (r->across && !threads && !partial)
        lengthen_tiles(&lanes);
    return lanes;
}

/* Adds a kernel that converts a temporary. */
static void add_conversion(const struct reducing *r, int from, int to)
{
    const struct shape *space = r->into->temporaries[from].shape;
    struct kernel *kernel = new_kernel(r, space);
    const int value = add_load(r, kernel, from, 0);
    add_kernel(r->into, (struct program_kernel){.kernel = store(r, kernel, value, to), .space = space});
}

/* How many lanes of each result tiles leave for a further kernel, as far as that is known; 0: one tile takes them
 * all. */
static int64_t count_left(const struct reducing *r, const struct lanes *lanes)
{
    const struct lane_tiles *t = &lanes->tiles;
    if (t->chunks)
        return t->chunks > 1 ? t->chunks * t->kept : 0;
    return lanes->partial ? 0 : extent_by(r->into->open, EXTENT_LANES, t->points, t->elements, t->inner,
                                          .ordered = join_is_ordered(r->join, r->dtype),
                                          .threads = lanes->threads.threads);
}

/* Where several tiles have elements of a result, they store their lanes, and the kernel added here goes on from
 * these. */
static void join_chunks(const struct reducing *r, struct program_kernel *whole, struct lanes lanes, int to)
{
    for (int64_t count = count_left(r, &lanes); count; count = count_left(r, &lanes)) {
        const struct shape *space = SHAPE(r, r->points, count, r->inner);
        const int left = add_temporary(r->into, r->dtype, space);
        lanes.alone = count < 0 ? to : -1;
        fuse_joins(r, whole, lanes, left);
        struct kernel *kernel = new_kernel(r, space);
        store(r, kernel, add_load(r, kernel, left, 0), left);
        add_kernel(r->into, (struct program_kernel){.kernel = kernel, .space = space, .reduced = 1, .inner = 1});
        whole = &r->into->kernels[r->into->count - 1];
        lanes = deal(r, space->extents[1], lanes.threads.threads > 0, true);
    }
    fuse_joins(r, whole, lanes, to);
}

/* The kernel becomes one with reduced dimensions. */
static void reduce_fused(const struct reducing *r, int k, const struct reduce *how, struct lanes lanes)
{
    struct kernel_program *into = r->into;
    struct program_kernel *kernel = &into->kernels[k];
    const bool converts = into->temporaries[how->to].dtype != r->dtype && !r->places;
    const int to = converts ? add_temporary(into, r->dtype, SHAPE(r, r->points, r->inner)) : how->to;
    into->temporaries[kernel->kernel->accesses[kernel->kernel->load_count].index].shape = SHAPE(r, 0);
    join_chunks(r, kernel, lanes, to);
    if (converts)
        add_conversion(r, to, how->to);
}

/* ---- the pass ---- */

void reduce(struct kernel_program *program, int k, enum joiner joiner)
{
    struct program_kernel *kernel = &program->kernels[k];
    const struct reduce how = *kernel->reduce;
    struct reducing r = {.arena = program->arena, .into = program, .span = how.span, .dtype = how.dtype,
                         .join = how.join, .finds = how.finds, .places = how.places, .across = how.across,
                         .extreme = how.extreme, .lanes = LANE_COUNT};
    const int inner = kernel->inner, values = kernel->kernel->accesses[kernel->kernel->load_count].index;
    const int rank = kernel->space->rank, parallel = rank - inner - kernel->reduced;
    const int64_t n = volume_between(&r, kernel->space, parallel, rank - inner);
    r.inner = volume_between(&r, kernel->space, rank - inner, rank);
    r.points = volume_between(&r, kernel->space, 0, parallel);
    kernel->reduce = NULL;
    if (joiner != JOIN_KERNELS && n != 0 && n != 1 && r.points && r.inner) {
        reduce_fused(&r, k, &how, deal(&r, n, joiner != JOIN_TILES, false));
        return;
    }
    r.lanes = n > 0 && n < LANE_COUNT ? (int)n : LANE_COUNT;
    r.points *= r.inner;
    r.inner = 1;
    kernel->reduced = kernel->inner = 0;
    const struct shape *flat = SHAPE(&r, r.points, n), *points = SHAPE(&r, r.points, 1);
    program->temporaries[values].shape = flat;
    if (n == 0) {
        add_kernel(program, (struct program_kernel){.kernel = without_elements(&r, points, how.to), .space = points});
        return;
    }
    const int lanes = n == 1 ? values : join_pairs(&r, join_blocks(&r, values, flat)); /* an element is its own lane */
    add_kernel(program, (struct program_kernel){
        .kernel = join_lanes(&r, lanes, points, values, n < 0 ? flat : NULL, how.to), .space = points});
}

/* ---- totals, positions, counts ---- */

void add_total(struct kernel_program *program, int high, int low, int to, struct span span)
{
    const struct reducing r = {.arena = program->arena, .into = program, .span = span};
    const struct shape *space = program->temporaries[to].shape;
    struct kernel *kernel = new_kernel(&r, space);
    int h = add_load(&r, kernel, high, 0), l = add_load(&r, kernel, low, 0);
    const enum weft_dtype dtype = dtype_of(kernel, h), wide = WEFT_UINT64;
    const int carry = add_op(&r, kernel, OP_SHR, l, add_number(&r, kernel, wide, 32));
    h = add_op(&r, kernel, OP_ADD, h, convert(&r, kernel, carry, dtype));
    l = add_op(&r, kernel, OP_BITAND, l, add_number(&r, kernel, wide, UINT32_MAX));
    const int top = add_op(&r, kernel, OP_BITAND, h, add_number(&r, kernel, dtype, ~(int64_t)1023));
    const int middle = convert(&r, kernel, add_op(&r, kernel, OP_BITAND, h, add_number(&r, kernel, dtype, 1023)), wide);
    const int shifted = add_op(&r, kernel, OP_SHL, middle, add_number(&r, kernel, wide, 32));
    const int rest = add_op(&r, kernel, OP_BITOR, shifted, l);
    const int a = convert(&r, kernel, top, WEFT_FLOAT64), c = convert(&r, kernel, rest, WEFT_FLOAT64);
    const int b = add_literal(&r, kernel, WEFT_FLOAT64, (union scalar){.f64 = 0x1p32});
    const struct ins fma = {INS_OP, OP_FMA, WEFT_FLOAT64, WEFT_FLOAT64, {a, b, c}, 0, r.span};
    const int total = kernel_add_ins(kernel, fma);
    add_kernel(program, (struct program_kernel){.kernel = store(&r, kernel, total, to), .space = space});
}
