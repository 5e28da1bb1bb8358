/* How a kernel walks one sample: grouping (rule 5.2), kinds of access, flat groups, tiles. The oracle
 * is a walk over the shape itself: every element of the geometry has the offset it has there. */
#include "tests/unit/front.h"

#include "compiler/loop/geometry.h"
#include "compiler/ir/verify.h"

#include <stdio.h>

enum { OPERANDS = 3 };             /* two loads and a store */

/* Two operands and a result over one shape, each with strides in elements of its own. */
struct sample {
    struct arena arena;
    jmp_buf out_of_memory;
    struct kernel kernel;
    struct access accesses[OPERANDS];
    struct view views[OPERANDS];
    int rank;
    int64_t shape[WEFT_MAX_RANK];
    struct geometry geometry;
};

static void sample_init(struct sample *s, int rank, const int64_t *shape, const enum weft_dtype *dtypes)
{
    *s = (struct sample){.rank = rank};
    arena_init(&s->arena);
    s->arena.out_of_memory = &s->out_of_memory;
    for (int a = 0; a < OPERANDS; a++)
        s->accesses[a] = (struct access){a == 2 ? TENSOR_RESULT : TENSOR_INPUT, a % 2, dtypes[a]};
    s->kernel = (struct kernel){.arena = &s->arena, .accesses = s->accesses,
                                .access_count = OPERANDS, .load_count = 2, .result_count = 1};
    for (int d = 0; d < rank; d++)
        s->shape[d] = shape[d];
}

static void sample_operand(struct sample *s, int a, int rank, const int64_t *extents,
                           const int64_t *strides)
{
    broadcast_strides(s->rank, s->shape, rank, extents, strides,
                      type_rows[s->accesses[a].dtype].size, s->views[a].strides);
}

static void sample_make(struct sample *s)
{
    if (setjmp(s->out_of_memory))
        fail_msg("out of memory");
    make_geometry(&s->arena, &s->kernel, s->rank, s->shape, s->views, FAST_OF_C, false, &s->geometry);
    const char *broken = verify_geometry(&s->kernel, &s->geometry);
    if (broken)
        fail_msg("%s", broken);
}

/* ---- the oracle ---- */

/* Offset of element number `index` of the shape, in row-major order. */
static int64_t plain_offset(const struct sample *s, int a, int64_t index)
{
    int64_t offset = 0;
    for (int d = s->rank - 1; d >= 0; d--) {
        offset += index % s->shape[d] * s->views[a].strides[d];
        index /= s->shape[d];
    }
    return offset;
}

static int64_t walked_offset(const struct geometry *g, int a, int64_t row, int64_t column)
{
    const int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
    int64_t period = g->period ? g->period : g->columns;
    int64_t offset = column % period * strides[g->groups] + column / period * strides[g->groups + 1];
    if (g->kinds[a] == ACCESS_EXPANDED)
        offset = g->offsets[a][column];
    if (g->kinds[a] == ACCESS_INTERLEAVED || g->kinds[a] == ACCESS_CROSSED)
        offset = g->offsets[a][column % period] + column / period * strides[g->groups + 1];
    for (int i = g->groups - 1; i >= 0; i--) {
        offset += row % g->extents[i] * strides[i];
        row /= g->extents[i];
    }
    return offset;
}

/* The row repeats after `distinct` columns, and no sooner at the same places. */
static void check_expanded(const struct geometry *g, int a)
{
    assert_in_range(g->columns, 2, MAX_EXPANDED);
    assert_int_equal(g->columns % g->distinct[a], 0);
    for (int64_t j = 0; j < g->columns; j++)
        assert_int_equal(g->offsets[a][j], g->offsets[a][j % g->distinct[a]]);
}

/* What a kind promises of the strides along the inner loop. */
static void check_kind(const struct sample *s, int a)
{
    const struct geometry *g = &s->geometry;
    const int64_t *strides = g->strides + (ptrdiff_t)a * (g->groups + 2);
    int64_t step = strides[g->groups], jump = strides[g->groups + 1];
    int size = type_rows[s->accesses[a].dtype].size;
    bool even = !g->period || jump == g->period * step;
    switch ((enum access_kind)g->kinds[a]) {
    case ACCESS_SCALAR: assert_true(even && step == 0); return;
    case ACCESS_UNIT: assert_true(even && step == size); return;
    case ACCESS_STRIDED: assert_true(even && step != 0 && step != size); return;
    case ACCESS_PERIODIC: assert_true(!even && jump == 0); return;
    case ACCESS_NESTED: assert_true(!even && jump != 0); return;
    case ACCESS_COLUMN: assert_true(!even && jump != 0 && step == 0); return;
    case ACCESS_EXPANDED: check_expanded(g, a); return;
    case ACCESS_TRANSPOSED: case ACCESS_ACROSS:
        assert_true(even && step != 0 && step != size && strides[g->groups - 1] == size);
        return;
    case ACCESS_INTERLEAVED:
        assert_true((!even || g->folded) && jump != 0 && g->period <= (g->folded ? 8 : 4));
        assert_int_equal(g->tiling.tile_columns % g->period, 0);
        return;
    case ACCESS_CROSSED:
        assert_true((!even || g->folded) && jump != 0 && g->period <= 4);
        assert_true(strides[g->groups - 1] == size || strides[g->groups - 1] == g->period * size);
        assert_int_equal(g->tiling.tile_columns % g->period, 0);
        assert_in_range(g->tiling.tile_rows * (g->tiling.tile_columns + BLOCK), 1,
                        access_room(ACCESS_CROSSED, size));
        return;
    case ACCESS_DEINTERLEAVED:
        assert_true(!g->period && step / size >= 2 && step / size <= 4 && jump >= 0 && jump < step);
        return;
    case ACCESS_MAPPED: case ACCESS_BOUNDED: case ACCESS_NEAR: case ACCESS_VALUE: case ACCESS_UNALIGNED:
        break; /* none of these operands has a walk, an address, or is an argument itself */
    }
    fail_msg("an access of no kind");
}

/* Tiles cover the rows and columns, none of them empty. */
static void check_tiles(const struct geometry *g)
{
    int64_t down = (g->rows + g->tiling.tile_rows - 1) / g->tiling.tile_rows;
    assert_true(g->tiling.row_tiles * g->tiling.tile_columns >= g->columns);
    assert_true((g->tiling.row_tiles - 1) * g->tiling.tile_columns < g->columns);
    assert_int_equal(g->tiling.tiles, down * g->tiling.row_tiles);
    assert_true(g->tiling.tile_rows * g->tiling.tile_columns <= TILE);
}

static uint64_t mixed(uint64_t before, int64_t offset)
{
    const uint64_t x = (before ^ (uint64_t)offset) * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static void check_walk(const struct sample *s)
{
    const struct geometry *g = &s->geometry;
    int64_t volume = 1;
    for (int d = 0; d < s->rank; d++)
        volume *= s->shape[d];
    assert_int_equal(g->volume, volume);
    if (volume == 0) {
        assert_int_equal(g->tiling.tiles, 0);
        return;
    }
    const int64_t outer = g->groups ? g->extents[g->groups - 1] : 1;
    uint64_t walked = 0, plain = 0; /* sums over elements, whose order may be another */
    int64_t i = 0;
    for (int a = 0; a < OPERANDS; a++)
        check_kind(s, a);
    for (int64_t row = 0; row < g->rows; row++)
        for (int64_t j = 0; j < ((row + 1) % outer ? g->columns : g->last_columns); j++, i++) {
            uint64_t there = 0, here = 0;
            for (int a = 0; a < OPERANDS; a++) {
                if (!g->moved)
                    assert_int_equal(walked_offset(g, a, row, j), plain_offset(s, a, i));
                there = mixed(there, walked_offset(g, a, row, j));
                here = mixed(here, plain_offset(s, a, i));
            }
            walked += there;
            plain += here;
        }
    assert_int_equal(i, volume);
    assert_int_equal(walked, plain);
    check_tiles(g);
}

/* ---- cases by hand ---- */

struct operand {
    int rank;
    int64_t extents[8];
    const int64_t *strides;        /* in elements; NULL: dense */
};

static const enum weft_dtype floats[OPERANDS] = {WEFT_FLOAT32, WEFT_FLOAT32, WEFT_FLOAT32};

/* The groups, outermost first and the inner ones of flat classes apart, as "6 x 4 x 35", and the kinds
 * of the accesses. */
static void assert_geometry(const int64_t *shape, int rank, struct operand a, struct operand b,
                            const char *groups, const char *kinds)
{
    struct sample s;
    char text[200] = "";
    size_t used = 0;
    sample_init(&s, rank, shape, floats);
    sample_operand(&s, 0, a.rank, a.extents, a.strides);
    sample_operand(&s, 1, b.rank, b.extents, b.strides);
    sample_operand(&s, 2, rank, shape, NULL);
    sample_make(&s);
    check_walk(&s);
    const struct geometry *g = &s.geometry;
    for (int i = 0; i < g->groups; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%lld x ", (long long)g->extents[i]);
    if (g->period)
        snprintf(text + used, sizeof text - used, "(%lld x %lld)", (long long)(g->columns / g->period),
                 (long long)g->period);
    else
        snprintf(text + used, sizeof text - used, "%lld", (long long)g->columns);
    assert_string_equal(text, groups);
    assert_memory_equal(g->kinds, kinds, OPERANDS);
    arena_finish(&s.arena);
}

#define SHAPE(...) (const int64_t[]){__VA_ARGS__}, (int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t))
#define DENSE(...) (struct operand){(int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)), {__VA_ARGS__}, NULL}
#define STRIDED(strides, ...) \
    (struct operand){(int)(sizeof(int64_t[]){__VA_ARGS__} / sizeof(int64_t)), {__VA_ARGS__}, strides}

static const struct operand scalar = {0, {0}, NULL};

static void dimensions_are_grouped(void **state)
{
    (void)state;
    /* As in the example of rule 5.2, three groups. Where they are short they are one row. */
    assert_geometry(SHAPE(2, 3, 4, 5, 11), DENSE(2, 3, 1, 5, 11), DENSE(2, 3, 4, 1, 1), "6 x 4 x 55", "usu");
    assert_geometry(SHAPE(2, 3, 4, 5, 6), DENSE(2, 3, 1, 5, 6), DENSE(2, 3, 4, 1, 1), "720", "xxu");
    assert_geometry(SHAPE(2, 3, 4, 5, 70), DENSE(2, 3, 1, 5, 70), DENSE(2, 3, 4, 1, 1), "6 x 4 x 350", "usu");
    assert_geometry(SHAPE(2, 3, 4), DENSE(2, 3, 4), DENSE(2, 3, 4), "24", "uuu");
    assert_geometry(SHAPE(2, 3, 4), DENSE(2, 3, 4), scalar, "24", "usu");
    assert_geometry(SHAPE(1, 4, 1, 6, 1), DENSE(1, 4, 1, 6, 1), DENSE(1, 1), "24", "usu");
    assert_geometry(SHAPE(9, 1000), DENSE(9, 1000), DENSE(1000), "9 x 1000", "uuu");
    assert_geometry(SHAPE(9, 10, 50), DENSE(9, 10, 50), DENSE(9, 10, 1), "(90 x 50)", "ucu");
    assert_geometry(SHAPE(9, 10, 250), DENSE(9, 10, 250), DENSE(9, 10, 1), "90 x 250", "usu");
    assert_geometry(SHAPE(2, 2, 2, 2, 2, 2, 2, 201), DENSE(2, 1, 2, 1, 2, 1, 2, 1), DENSE(2, 1, 2, 1, 2, 1, 201),
                    "2 x 2 x 2 x 2 x 2 x 2 x 2 x 201", "suu");
}

static void nothing_is_left_to_group(void **state)
{
    (void)state;
    struct sample s;
    assert_geometry(SHAPE(1, 1), DENSE(1), scalar, "1", "uuu");
    sample_init(&s, 0, NULL, floats); /* rank 0 */
    sample_make(&s);
    assert_int_equal(s.geometry.volume, 1);
    assert_int_equal(s.geometry.columns, 1);
    assert_int_equal(s.geometry.tiling.tiles, 1);
    arena_finish(&s.arena);
    assert_geometry(SHAPE(4, 0, 30), DENSE(1, 30), DENSE(4, 1, 1), "0 x (2 x 30)", "psu");
    assert_geometry(SHAPE(0), DENSE(0), scalar, "0", "usu");
}

static void small_groups_run_flat(void **state)
{
    (void)state;
    static const int64_t second[] = {2, 1};
    assert_geometry(SHAPE(48, 64, 3), DENSE(48, 64, 3), DENSE(3), "(3072 x 3)", "upu");
    assert_geometry(SHAPE(48, 64, 3), DENSE(48, 64, 1), DENSE(3), "(3072 x 3)", "cpu");
    assert_geometry(SHAPE(48, 64, 5), DENSE(48, 64, 1), DENSE(5), "(3072 x 5)", "cpu");
    assert_geometry(SHAPE(5, 6, 3), DENSE(5, 1, 3), DENSE(6, 3), "90", "xxu");
    assert_geometry(SHAPE(5, 600, 3), DENSE(5, 1, 3), DENSE(600, 3), "5 x (600 x 3)", "puu");
    /* The longest pattern, and the longest group walked with two strides. */
    assert_geometry(SHAPE(7, 512), DENSE(7, 512), DENSE(512), "(7 x 512)", "upu");
    assert_geometry(SHAPE(7, 513), DENSE(7, 513), DENSE(513), "7 x 513", "uuu");
    assert_geometry(SHAPE(7, 32), DENSE(7, 32), DENSE(7, 1), "224", "uxu");
    assert_geometry(SHAPE(7, 33), DENSE(7, 33), DENSE(7, 1), "7 x 33", "usu");
    assert_geometry(SHAPE(7, 201), DENSE(7, 201), DENSE(7, 1), "7 x 201", "usu");
    /* Where no divisor of the outer extent makes a row that is long enough, the last row is shorter. */
    assert_geometry(SHAPE(1009, 5), DENSE(1009, 5), STRIDED(second, 1009, 1), "3 x 2045", "uxu");
    assert_geometry(SHAPE(19 * 1009, 5), DENSE(19 * 1009, 5), STRIDED(second, 19 * 1009, 1), "47 x 2045", "uxu");
    assert_geometry(SHAPE(20 * 1009, 5), DENSE(20 * 1009, 5), STRIDED(second, 20 * 1009, 1), "50 x 2045", "uxu");
    assert_geometry(SHAPE(1009, 2, 3), DENSE(1009, 2, 3), DENSE(1009, 1, 3), "3 x 2046", "uxu");
}

/* Groups that have one element each of some loads are columns where they are many and short. */
static void groups_are_columns(void **state)
{
    (void)state;
    static const int64_t second[] = {2, 1};
    assert_geometry(SHAPE(1009, 5), DENSE(1009, 5), DENSE(1009, 1), "(1009 x 5)", "ucu");
    assert_geometry(SHAPE(1009, 5), DENSE(5), DENSE(1009, 1), "(1009 x 5)", "pcu");
    assert_geometry(SHAPE(128, 2), DENSE(128, 1), DENSE(128, 2), "(128 x 2)", "cuu");
    assert_geometry(SHAPE(51, 5), DENSE(51, 1), DENSE(51, 5), "255", "xuu");
    assert_geometry(SHAPE(24, 200), DENSE(24, 200), DENSE(24, 1), "(24 x 200)", "ucu");
    assert_geometry(SHAPE(23, 200), DENSE(23, 200), DENSE(23, 1), "23 x 200", "usu");
    assert_geometry(SHAPE(24, 201), DENSE(24, 201), DENSE(24, 1), "24 x 201", "usu");
    assert_geometry(SHAPE(100, 100), DENSE(100, 1), DENSE(100, 1), "(100 x 100)", "ccu");
    assert_geometry(SHAPE(100, 101), DENSE(100, 1), DENSE(100, 1), "100 x 101", "ssu");
    assert_geometry(SHAPE(6, 100, 9), DENSE(6, 100, 9), DENSE(100, 1), "6 x (100 x 9)", "ucu");
    assert_geometry(SHAPE(100, 9), STRIDED(second, 100, 9), DENSE(100, 1), "900", "xxu");
}

/* Groups of up to 4 are interleaved where rows are long, and tiles begin with a group. */
static void groups_are_interleaved(void **state)
{
    (void)state;
    static const int64_t back[] = {-3, 1}, planes[] = {1, 5000}, second[] = {2, 1};
    assert_geometry(SHAPE(1009, 3), DENSE(1009, 3), STRIDED(second, 1009, 1), "(1009 x 3)", "uwu");
    assert_geometry(SHAPE(9000, 4), DENSE(9000, 4), STRIDED(second, 9000, 1), "(9000 x 4)", "uwu");
    assert_geometry(SHAPE(5000, 3), STRIDED(back, 5000, 3), STRIDED(planes, 5000, 3), "(5000 x 3)", "wwu");
    assert_geometry(SHAPE(128, 2), STRIDED(planes, 128, 2), DENSE(2), "(128 x 2)", "wpu");
    assert_geometry(SHAPE(47, 2), STRIDED(planes, 47, 2), DENSE(2), "94", "xxu");
}

/* What lies across rows of a block and more is turned. */
static void rows_are_turned(void **state)
{
    (void)state;
    static const int64_t across[] = {1, 100}, inner[] = {6400, 1, 64}, far[] = {2, 200};
    assert_geometry(SHAPE(100, 64), STRIDED(across, 100, 64), DENSE(100, 64), "100 x 64", "tuu");
    assert_geometry(SHAPE(100, 63), STRIDED(across, 100, 63), DENSE(100, 63), "4 x 1575", "xuu");
    assert_geometry(SHAPE(3, 64, 100), STRIDED(inner, 3, 64, 100), scalar, "3 x 64 x 100", "tsu");
    assert_geometry(SHAPE(100, 64), STRIDED(far, 100, 64), DENSE(64), "4 x 1600", "xxu");
    /* in rows of pixels, too */
    static const int64_t channels[] = {1, 24, 8};
    assert_geometry(SHAPE(8, 500, 3), STRIDED(channels, 8, 500, 3), DENSE(8, 1, 3), "8 x (500 x 3)", "tpu");
}

/* Groups are, too, whose elements, or which themselves, lie beside those of the next row; where rows and columns make
 * up a vector. */
static void groups_are_turned(void **state)
{
    (void)state;
    static const int64_t planes[] = {1, 8, 4000}, pixels[] = {3, 24, 1}, apart[] = {2, 24, 4000}, few[] = {1, 3, 1500};
    assert_geometry(SHAPE(8, 500, 3), STRIDED(planes, 8, 500, 3), DENSE(8, 1, 3), "8 x (500 x 3)", "zpu");
    assert_geometry(SHAPE(8, 500, 3), STRIDED(pixels, 8, 500, 3), STRIDED(planes, 8, 500, 3), "8 x (500 x 3)", "zzu");
    assert_geometry(SHAPE(8, 500, 3), STRIDED(apart, 8, 500, 3), DENSE(8, 1, 3), "8 x (500 x 3)", "wpu");
    assert_geometry(SHAPE(3, 500, 3), STRIDED(few, 3, 500, 3), DENSE(3, 1, 3), "3 x (500 x 3)", "wpu");
}

/* Rows of a cache line are walked behind each other, and rows lie side by side where the result does. Long ones come in
 * the order of the operand that has all of them. */
static void rows_are_moved(void **state)
{
    (void)state;
    static const int64_t shape[] = {8, 20, 90, 3}, backwards[] = {1, 2160, 8, 720}, inside[] = {5400, 270, 1, 90},
                         merged[] = {1, 8, 160, 14400}, rows[] = {1100, 8800, 1};
    struct sample s;
    assert_geometry(shape, 4, STRIDED(backwards, 8, 20, 90, 3), scalar, "20 x 8 x (90 x 3)", "zsu");
    assert_geometry(SHAPE(6, 5, 70, 300), STRIDED(((int64_t[]){1, 6, 30, 2100}), 6, 5, 70, 300), scalar,
                    "5 x 70 x 6 x 300", "tsu");
    assert_geometry(SHAPE(8, 20, 1100), STRIDED(rows, 8, 20, 1100), scalar, "20 x 8 x 1100", "usu");
    assert_geometry(SHAPE(8, 20, 1100), STRIDED(rows, 8, 20, 1100), DENSE(8, 1, 1), "20 x 8 x 1100", "usu");
    assert_geometry(SHAPE(8, 20, 1100), STRIDED(rows, 8, 20, 1100), DENSE(8, 20, 1), "8 x 20 x 1100", "usu");
    assert_geometry(SHAPE(8, 20, 1000), STRIDED(rows, 8, 20, 1000), scalar, "8 x 20 x 1000", "usu");
    assert_geometry(shape, 4, DENSE(8, 20, 90, 3), scalar, "43200", "usu");
    for (int k = 0; k < 2; k++) {  /* a result in another order, as the operand, or not */
        sample_init(&s, 4, shape, floats);
        sample_operand(&s, 0, 4, shape, k ? merged : inside);
        sample_operand(&s, 1, 0, NULL, NULL);
        sample_operand(&s, 2, 4, shape, inside);
        sample_make(&s);
        check_walk(&s);
        assert_true(s.geometry.moved);
        assert_memory_equal(s.geometry.kinds, k ? "tsu" : "usu", OPERANDS);
        assert_int_equal(s.geometry.columns, k ? 270 : 43200);
        arena_finish(&s.arena);
    }
}

static void strides_decide(void **state)
{
    (void)state;
    static const int64_t gap[] = {20, 1}, every_other[] = {20, 2}, back[] = {10, -1},
                         up[] = {-10, 1}, turned[] = {-10, -1}, transposed[] = {1, 100},
                         repeated[] = {0, 1}, held[] = {0, 0};
    assert_geometry(SHAPE(100, 60), STRIDED(((int64_t[]){70, 1}), 100, 60), scalar, "100 x 60", "usu");
    assert_geometry(SHAPE(100, 30), STRIDED(((int64_t[]){70, 1}), 100, 30), scalar, "2 x 1500", "xsu");
    assert_geometry(SHAPE(100, 60), STRIDED(((int64_t[]){70, 1}), 100, 60), DENSE(100, 1), "100 x 60", "usu");
    assert_geometry(SHAPE(100, 60), DENSE(100, 60), DENSE(100, 1), "(100 x 60)", "ucu");
    assert_geometry(SHAPE(100, 60), STRIDED(((int64_t[]){70, 1}), 100, 60), DENSE(100, 60), "100 x 60", "uuu");
    assert_geometry(SHAPE(100, 10), STRIDED(every_other, 100, 10), scalar, "1000", "gsu");
    assert_geometry(SHAPE(100, 10), STRIDED(gap, 100, 10), scalar, "1000", "xsu");
    assert_geometry(SHAPE(100, 10), STRIDED(back, 100, 10), scalar, "1000", "xsu");
    assert_geometry(SHAPE(100, 10), STRIDED(up, 100, 10), scalar, "1000", "xsu");
    assert_geometry(SHAPE(100, 10), STRIDED(turned, 100, 10), scalar, "1000", "gsu");
    assert_geometry(SHAPE(100, 10), STRIDED(transposed, 100, 10), scalar, "1000", "xsu");
    assert_geometry(SHAPE(100, 10), STRIDED(repeated, 100, 10), scalar, "(100 x 10)", "psu");
    assert_geometry(SHAPE(100, 10), STRIDED(held, 100, 10), scalar, "1000", "ssu");
}

/* A result is never written by pattern: its rows either follow each other or have two strides. */
static void strided_results(void **state)
{
    (void)state;
    static const int64_t shape[] = {1009, 3}, strides[] = {8, 2};
    struct sample s;
    sample_init(&s, 2, shape, floats);
    sample_operand(&s, 0, 2, shape, NULL);
    sample_operand(&s, 1, 1, shape + 1, NULL);
    sample_operand(&s, 2, 2, shape, strides);
    sample_make(&s);
    check_walk(&s);
    assert_memory_equal(s.geometry.kinds, "upn", OPERANDS);
    arena_finish(&s.arena);
}

static void long_rows_are_cut(void **state)
{
    (void)state;
    struct sample s;
    static const int64_t large[] = {3, 100000};
    sample_init(&s, 2, large, floats);
    sample_operand(&s, 0, 2, large, NULL);
    sample_operand(&s, 1, 2, (const int64_t[]){3, 1}, NULL);
    sample_operand(&s, 2, 2, large, NULL);
    sample_make(&s);
    check_tiles(&s.geometry);
    assert_int_equal(s.geometry.tiling.tile_rows, 1);
    assert_int_equal(s.geometry.tiling.tile_columns, TILE);
    assert_int_equal(s.geometry.tiling.tiles, 3 * ((100000 + TILE - 1) / TILE));
    arena_finish(&s.arena);
    /* A row that is read again and again is gone over in parts, unless another operand has elements for each row. */
    static const int64_t outer[] = {100, 5000};
    for (int again = 0; again < 2; again++) {
        sample_init(&s, 2, outer, floats);
        sample_operand(&s, 0, again ? 1 : 2, again ? outer + 1 : outer, NULL);
        sample_operand(&s, 1, 2, (const int64_t[]){100, 1}, NULL);
        sample_operand(&s, 2, 2, outer, NULL);
        sample_make(&s);
        check_walk(&s);
        assert_int_equal(s.geometry.tiling.tile_columns, again ? 1728 : 5000);
        arena_finish(&s.arena);
    }
}

static void broadcasting_aligns_at_the_right(void **state)
{
    (void)state;
    static const int64_t shape[] = {2, 1, 4, 5}, extents[] = {1, 4, 1}, own[] = {7, 3, 9};
    int64_t strides[4];
    broadcast_strides(4, shape, 3, extents, NULL, 8, strides);
    assert_memory_equal(strides, ((int64_t[]){0, 32, 8, 0}), sizeof strides);
    broadcast_strides(4, shape, 3, extents, own, 2, strides);
    assert_memory_equal(strides, ((int64_t[]){0, 14, 6, 0}), sizeof strides);
}

/* ---- any shape, any strides ---- */

static unsigned below(uint64_t *state, unsigned bound)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % bound);
}

/* Dense, with stretched dimensions, or with strides of any size and sign. */
static void random_operand(struct sample *s, int a, uint64_t *state)
{
    int64_t extents[WEFT_MAX_RANK], strides[WEFT_MAX_RANK];
    unsigned how = below(state, 4);
    int missing = a == 2 ? 0 : (int)below(state, (unsigned)s->rank + 1) * (how == 3);
    for (int d = 0; d < s->rank; d++) {
        bool stretched = a != 2 && how == 1 && below(state, 2);
        extents[d] = stretched ? 1 : s->shape[d];
        strides[d] = (int64_t)below(state, 13) - 6;
        strides[d] += a == 2 && strides[d] == 0;
    }
    sample_operand(s, a, s->rank - missing, extents + missing, how == 2 ? strides : NULL);
}

static void any_sample_is_walked_right(void **state)
{
    (void)state;
    static const unsigned sizes[] = {1, 2, 3, 5, 33, 0};
    int flat = 0, grouped = 0, moved = 0, kinds[256] = {0};
    uint64_t random = 1;
    for (int round = 0; round < 3000; round++) {
        struct sample s;
        int64_t shape[5];
        int rank = (int)below(&random, 6);
        enum weft_dtype dtypes[OPERANDS];
        for (int d = 0; d < rank; d++)
            shape[d] = sizes[below(&random, d == 0 ? 6 : rank > 3 ? 4 : 5)];
        if (rank && below(&random, 3) == 0)
            shape[rank - 1] = 201; /* long enough for a row of its own */
        for (int a = 0; a < OPERANDS; a++)
            dtypes[a] = (enum weft_dtype)below(&random, WEFT_DTYPE_COUNT);
        sample_init(&s, rank, shape, dtypes);
        for (int a = 0; a < OPERANDS; a++)
            random_operand(&s, a, &random);
        sample_make(&s);
        check_walk(&s);
        flat += s.geometry.period > 0;
        grouped += s.geometry.groups > 1;
        moved += s.geometry.moved;
        for (int a = 0; a < OPERANDS; a++)
            kinds[s.geometry.kinds[a]]++;
        arena_finish(&s.arena);
    }
    assert_true(flat > 200 && grouped > 200 && moved > 100);
    for (const char *kind = "sugpnx"; *kind; kind++)
        assert_true(kinds[(unsigned char)*kind] > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimensions_are_grouped),
        cmocka_unit_test(nothing_is_left_to_group),
        cmocka_unit_test(small_groups_run_flat), cmocka_unit_test(groups_are_columns),
        cmocka_unit_test(groups_are_interleaved),
        cmocka_unit_test(rows_are_turned), cmocka_unit_test(groups_are_turned), cmocka_unit_test(rows_are_moved),
        cmocka_unit_test(strides_decide),
        cmocka_unit_test(strided_results),
        cmocka_unit_test(long_rows_are_cut),
        cmocka_unit_test(broadcasting_aligns_at_the_right),
        cmocka_unit_test(any_sample_is_walked_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
