/* Made by weft build, the same for all kernels of this version of weft: what they call, and the tables
 * that describe them. */
#ifndef WEFT_SUPPORT
#define WEFT_SUPPORT 100
#define weft_run weft_run_v100
#define weft_run_one weft_run_one_v100
#define weft_infer weft_infer_v100
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef WEFT_KERNEL_TYPES
#define WEFT_KERNEL_TYPES 1

/* What a call returns; the numbers are those of enum weft_status. */
enum weft_kernel_status {
    WEFT_KERNEL_OK = 0,
    /* A remark: the results are complete. */
    WEFT_KERNEL_DIVIDE_BY_ZERO = 1,     /* an integer was divided by zero; its element is 0 */
    WEFT_KERNEL_OUT_OF_RANGE = 2,       /* a position of take lies outside; its element is 0 */
    /* Errors: nothing was written. */
    WEFT_KERNEL_INVALID_ARGUMENT = -1,  /* a negative number of samples, or none where there should be some */
    WEFT_KERNEL_OUT_OF_MEMORY = -2,
    WEFT_KERNEL_SHAPE_ERROR = -6,       /* extents that do not go together */
    WEFT_KERNEL_INPUT_ERROR = -7,       /* an array that cannot be used: NULL, not aligned, a negative extent */
    WEFT_KERNEL_OVERLAP_ERROR = -8,     /* a result overlaps a parameter or another result */
    /* It was compiled in a way that changes results; kernels for GPUs: no driver, no GPU, or none that there is code
     * for. The note says which. */
    WEFT_KERNEL_UNSUPPORTED = -11,
    WEFT_KERNEL_DEVICE_ERROR = -14      /* GPUs: the driver refused a call, or the context is lost */
};

/* An array in memory. Extents and strides count elements, the outermost dimension first; strides NULL: dense,
 * row-major. Data are aligned to their elements. Of an array without dimensions only `data` counts. */
struct weft_array {
    void *data;                         /* a parameter's is only read */
    const int64_t *shape, *strides;
};

/* More about what a call on this thread returned. */
struct weft_note {
    int status;
    int line, column;                   /* in the file of the kernel, from 1; 0: no place there */
    const char *operand;                /* the parameter or result concerned, or NULL */
    const char *text;
};
#elif WEFT_KERNEL_TYPES != 1
#error "this header and one before it were made by versions of weft that do not go together; make both anew"
#endif

/* One meaning whatever the options: every operation rounds once, in its own type, to nearest, with
 * subnormals, infinities and NaN. */
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float would be computed in a wider type: compile for SSE2 (-msse2 -mfpmath=sse)"
#endif
_Static_assert(sizeof(1.0) == 8, "constants would be float: compile without -fsingle-precision-constant");
#if defined __clang__
#if __clang_major__ < 12
#error "this clang does not know float_control yet: take clang 12 or later"
#endif
#pragma float_control(precise, on)
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
/* -ffast-math fuses and approximates behind the language; only operations that may trap are left alone. They
 * are not vectorized. */
#if !defined __x86_64__ && !defined __i386__ && !(defined __aarch64__ && __clang_major__ >= 15)
#error "clang's fast math cannot be turned off from here on this processor: compile this file without it"
#endif
#pragma float_control(except, on)
#endif
#pragma clang fp contract(off)
#elif defined __GNUC__ && !defined __TINYC__
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", "signed-zeros", \
                     "no-associative-math", "no-reciprocal-math", "no-rounding-math", "no-math-errno", \
                     "no-trapping-math", "fp-contract=off")
#elif defined __FAST_MATH__
#error "this compiler's fast math cannot be turned off from here: compile this file without it"
#endif

/* A project's own warnings are about its own style. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-macros"
/* gcc follows values into tables of one entry where a call has ended already. */
#pragma GCC diagnostic ignored "-Warray-bounds"
#if !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
/* Constants of a loop stand among its conditions. */
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#endif
#if defined __GNUC__ && !defined __TINYC__
#define SHARED static __attribute__((unused))
#define PURE __attribute__((const))
#define OVERFLOWS(a, b, product) __builtin_mul_overflow(a, b, product)
#else
#define SHARED static
#define PURE
#define OVERFLOWS(a, b, product) multiplied(a, b, product)

SHARED bool multiplied(int64_t a, int64_t b, int64_t *product)
{
    const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (y && x > INT64_MAX / y)
        return true;
    *product = a * b;
    return false;
}
#endif
/* Loops over EACH, which have no tail, and those that are ROLLED are not unrolled: the C compiler makes little code of
 * them, which takes it little time. */
#if defined __clang__
#define ROLLED _Pragma("clang loop unroll(disable)")
#define EACH(j, count) INDEPENDENT for (int j = 0; j < count; j++)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static SEPARATE
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR
#define IS_CONSTANT(x) __builtin_constant_p(x)
#define RARE(x) __builtin_expect(x, 0)
#elif defined __GNUC__ && !defined __TINYC__
#define ROLLED _Pragma("GCC unroll 1")
#define EACH(j, count) INDEPENDENT ROLLED for (int j = 0; j < count; j++)
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static /* gcc makes it a part of what calls it, where that is one place */
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR __attribute__((simd("notinbranch"), const))
#define RARE(x) __builtin_expect(x, 0)
#define IS_CONSTANT(x) __builtin_constant_p(x) /* once the function is a part of what calls it */
#else
#define ROLLED
#define EACH(j, count) for (int j = 0; j < count; j++)
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define LOCAL static
#define ALIGNED
#define VECTOR
#define IS_CONSTANT(x) 1
#define RARE(x) (x)
#endif
typedef _Bool b1;
typedef unsigned char b1_m MAY_ALIAS;
typedef signed char i8;
typedef signed char i8_m MAY_ALIAS;
typedef short i16;
typedef short i16_m MAY_ALIAS;
typedef int i32;
typedef int i32_m MAY_ALIAS;
typedef long long i64;
typedef long long i64_m MAY_ALIAS;
typedef unsigned char u8;
typedef unsigned char u8_m MAY_ALIAS;
typedef unsigned short u16;
typedef unsigned short u16_m MAY_ALIAS;
typedef unsigned int u32;
typedef unsigned int u32_m MAY_ALIAS;
typedef unsigned long long u64;
typedef unsigned long long u64_m MAY_ALIAS;
typedef int f16;
typedef unsigned short f16_m MAY_ALIAS;
typedef int bf16;
typedef unsigned short bf16_m MAY_ALIAS;
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
/* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part
 * of every kernel's text: header-free. All strides are in bytes. Accesses are numbered loads first,
 * then stores. */
struct weft_lanes {                /* a space [points, elements, inner], of which `elements` are reduced */
    long long points, elements, inner;
    long long rows;                /* of the geometry, for each point */
    long long lanes, block, width, windows, chunk, chunks, together, step, kept; /* as in struct lane_tiles */
    long long beside;              /* points of a row of the geometry, where rows of points are short */
};

struct weft_geometry {             /* shared by samples that have the same shapes and strides */
    long long rows, columns;       /* the iteration space: outer groups together, inner group */
    long long tile_rows, tile_columns; /* extent of a tile */
    long long row_tiles;           /* tiles beside each other: columns / tile_columns, rounded up */
    long long period;              /* flat classes: the extent of the innermost group, else 0 */
    long long groups;              /* outer groups */
    const long long *extents;      /* [groups] */
    const long long *strides;      /* [accesses][groups + 2]: outer groups, then along the inner one;
                                      last, in flat classes, from one period to the next */
    int *const *offsets;           /* [accesses] expanded accesses: bytes from a row's start, [columns];
                                      interleaved ones: from a group's, [period] */
    const long long *distinct;     /* [accesses] theirs: columns after which the elements repeat */
    long long *const *maps;        /* [accesses] mapped accesses: how many levels, and for each how many
                                      pieces, innermost first, the place of the first element, the pieces'
                                      extents, and then their strides. Bounded accesses: the same, with what is
                                      read outside behind the place, and behind the strides for each piece its
                                      first digit that lies inside, then the first one that no longer does, and then
                                      what other digits read: 0: what stands behind the place, 1: the nearest
                                      element, 2: round the end, 3: backwards, 4: the same with the last once */
    const struct weft_lanes *lanes; /* NULL: no dimension is reduced */
    long long last_columns;        /* of several short groups that are one row: columns of the last row of the innermost
                                      outer group */
};

struct weft_sample {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    const struct weft_geometry *geometry;
    char *const *bases;            /* [accesses] first element */
};

struct weft_calls;

struct weft_args {
    const struct weft_calls *calls;
    const struct weft_sample *samples; /* none without tiles */
    long long sample_count;
    const unsigned long long *literals; /* one slot each, the value in its first bytes */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
    long long ahead;               /* inputs are fetched so many bytes before their use; 0: small work */
    int stream;                    /* not 0: outputs are written past the caches */
    int claim;                     /* not 0: what is written plainly, a tile at a time, is fetched before */
    char *scratch;                 /* a kernel's own, for one thread; NULL where it wants none */
};

/* Where a kernel is among its tiles. */
struct weft_tile {
    const struct weft_sample *sample; /* the tile's; at first NULL */
    long long next, end;           /* the next tile; behind the last one */
};

/* A band of a tile: rows that lie beside each other. */
struct weft_band {
    struct weft_tile tile;
    long long accesses;
    char **room;                   /* [accesses] for `start` */
    long long *steps;              /* [accesses] for `step` */
    long long *at;                 /* [groups] the next row's place in the outer groups */
    char *const *start;            /* [accesses] where the first row begins, but for column0 */
    const long long *step;         /* [accesses] bytes from one row to the next, where there are several */
    long long rows;                /* of the band */
    long long column0, column1;
    long long next, stop;          /* of the tile: the row behind the band, and behind the last one; at first 0 */
    int fresh;                     /* it is the first band of its tile */
};

/* What a tile of a reduction takes of its space. */
struct weft_part {
    struct weft_tile tile;
    long long point, points;       /* the first point, and how many there are */
    long long element, stop;       /* of each: the first element, and behind the last one */
    long long from, inner;         /* of each: the first inner one, and how many there are */
    long long chunk;               /* which of a point's chunks these are */
};

/* Rows of one access that lie beside each other. */
struct weft_rows {
    char *start;                   /* of the first */
    long long step, first, count;  /* bytes between them; which these are */
};

/* How a reduction joins elements of one type to lanes (templates/shared/joins.c). */
struct weft_join {
    int ordered, size;             /* whether the order matters; bytes of a result */
    /* Makes lanes hold what changes nothing; or, where there are no elements, the result without any. */
    void (*begin)(void *lanes, long long pitch, int some);
    /* Joins `count` elements, above 0, to `width` lanes, from lane `at` on. Returns the lane of the next one. */
    long long (*fold)(void *lanes, long long width, long long at, const void *from, long long count, long long ahead);
    /* Joins elements as they lie in memory, each with many inner ones. Returns the element to go on with. NULL: rows of
     * lanes are short. */
    long long (*fold_rows)(const struct weft_args *args, void *lanes, const struct weft_sample *sample,
                           long long access, long long point, long long from, long long inner, long long element,
                           long long limit);
    /* Joins points that are rows of one block, `step` bytes apart, as they lie in memory. NULL: there are no such. */
    void (*points)(void *to, const char *from, long long step, long long elements, long long count, long long ahead);
    /* Joins the lanes of block `number` to the tree, and resets them. */
    void (*plant)(void *tree, void *lanes, long long pitch, long long number);
    /* Joins what the tree has of so many blocks, or, if it has none, the lanes, and stores what is left of a point. */
    void (*finish)(void *to, void *lanes, void *tree, const struct weft_lanes *r, long long inner, long long pitch,
                   long long blocks, long long place);
};

/* Where a reduction is: at elements of a point that lie in a row. */
struct weft_run {
    struct weft_part part;
    const struct weft_join *join;  /* NULL: the first element that is true is looked for */
    void *lanes, *tree;            /* room for them */
    long long target;              /* the access that results go to */
    long long access, accesses;    /* the first one whose rows are needed, and how many are */
    int direct;                    /* its elements are joined as they lie in memory */
    char **start, **p;             /* [accesses] where rows begin: the first of some, and this one */
    long long *step;               /* [accesses] bytes from one of them to the next */
    long long first_row, rows;     /* which they are */
    int fresh;                     /* it is the first run of its part */
    long long column0, column1;    /* of the row */
    long long count, left;         /* elements, each with its inner ones; those of further rows taken with them */
    long long lane;                /* of the first one; the kernel moves it on */
    long long width, pitch;        /* lanes; and with what fills their row */
    long long point, block, blocks, element, limit, at; /* of the point the block and how many were; what comes next */
    const struct weft_sample *met; /* of what was found last: further tiles of its point need not look */
    long long met_point, found, absent; /* -1: not yet; -2: it is not here */
};

/* What the library does for kernels (templates/shared/bands.c, ends.c), the same for all of them. The `next` ones
 * return 0 if there is none. */
struct weft_calls {
    int (*next_band)(const struct weft_args *args, struct weft_band *band);
    int (*next_part)(const struct weft_args *args, struct weft_part *part);
    int (*next_run)(const struct weft_args *args, struct weft_run *run);
    /* How many points, at most so many, lie in one row of the loop from `point` on, where points are short rows. `p`
     * becomes where this row begins, *column where the point does. */
    long long (*find_points)(const struct weft_sample *sample, long long point, long long most, char **p,
                             long long *step, long long accesses, long long *column);
    /* Where this row begins, in `accesses` accesses from `access` on, and how far the next ones are: as many as lie
     * beside each other, which it returns. */
    long long (*find_rows)(const struct weft_sample *sample, long long row, char **p, long long *step,
                           long long access, long long accesses);
    /* Where this row of one access begins. */
    const void *(*row_at)(const struct weft_sample *sample, struct weft_rows *rows, long long access,
                          long long number);
    /* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with
     * the last one. Returns the block. */
    const void *(*pad)(void *block, const void *from, int count, int size, int all);
    /* Copies `count` elements from a block to where they belong. */
    void (*put)(void *to, const void *block, int count, int size);
    /* C's fmod of those among `count` elements, float32 or float64 as `size` says, whose quotient is 2^22 or more, in
     * float64 2^51, or none of finite numbers. It may be that of others, too; else they stay. */
    void (*fmod)(void *r, const void *a, const void *b, int count, int size);
    const struct weft_join *const *joins; /* templates/shared/joins.def */
};

enum {
    MAX_RANK = 32, /* dimensions */
    MAX_PIECES = 64, /* that elements lie in */
    TRANSPOSED = 20480, /* bytes of a tile that is transposed, and of what is behind its rows */
    INTERLEAVED = 2048, /* of pixels that are gathered at once, about */
    DEINTERLEAVED = 256, /* of columns of pixels that are taken apart at once */
};

struct shape {
    int rank;
    int64_t extents[MAX_RANK];
};

/* start:stop:step as written; the step is not 0. */
struct slice {
    int64_t start, stop, step;
    unsigned char has_start, has_stop;
    unsigned char open;            /* ahead of time: a bit for each of the numbers that a call decides, in the order
                                      above, which then is the place of its value among those of the call; else 0 */
};

/* What is read at a position outside a dimension of n elements (rule 10.1). */
enum edge {
    EDGE_VALUE,                    /* a value */
    EDGE_CLAMP,                    /* the nearest element */
    EDGE_WRAP,                     /* the element at the position modulo n */
    EDGE_SYMMETRIC,                /* the elements backwards, then forwards again, with the last and the first twice */
    EDGE_REFLECT                   /* the same with the last and the first once */
};

/* A bound of a slice, counted from the end where it is negative and clipped to low .. high. */
static int64_t slice_bound(int64_t bound, int64_t extent, int64_t low, int64_t high)
{
    bound += bound < 0 ? extent : 0;
    return bound < low ? low : bound > high ? high : bound;
}

/* Which elements of a dimension a slice takes: *count of them, the first at *first (0 where there is none) and
 * the others `step` apart. */
SHARED void slice_resolve(const struct slice *slice, int64_t extent, int64_t *first, int64_t *count)
{
    const int64_t low = slice->step < 0 ? -1 : 0, high = slice->step < 0 ? extent - 1 : extent;
    const uint64_t step = slice->step < 0 ? 0 - (uint64_t)slice->step : (uint64_t)slice->step;
    int64_t start = slice->step < 0 ? high : low, stop = slice->step < 0 ? low : high;
    if (slice->has_start)
        start = slice_bound(slice->start, extent, low, high);
    if (slice->has_stop)
        stop = slice_bound(slice->stop, extent, low, high);
    const int64_t distance = slice->step < 0 ? start - stop : stop - start;
    *count = distance <= 0 ? 0 : (int64_t)((uint64_t)(distance - 1) / step) + 1;
    *first = distance <= 0 ? 0 : start;
}

/* `extent` elements that lie `stride` apart. */
struct piece {
    int64_t extent, stride;
};

/* All elements of a space in their order, innermost first: no extent is 1, and no two neighbours could
 * be one. The first element lies at `offset`. */
struct pieces {
    int count;
    int64_t offset;
    struct piece at[MAX_PIECES];
};

/* What is selected of a dimension: element slice.start + i * slice.step is element i of the selection's
 * dimension `from`. Where that is -1 it is element slice.start alone. */
struct axis {
    int from;
    struct slice slice;
    enum edge edge;                /* of a bounded step: what is read where a position lies outside */
};

/* What is read where a position lies outside. */
enum outside {
    OUTSIDE_NONE,                  /* no position does */
    OUTSIDE_VALUE,                 /* what the axes' edges say */
    OUTSIDE_EDGE,                  /* the same; where that is a value, nobody uses it. So values under the step are
                                      elements of what lies below */
    OUTSIDE_WRAP,                  /* the element at the position modulo the extent, which is not 0 */
    OUTSIDE_TAKEN                  /* of a step without axes: the kernel computes the number of the element in `to` */
};

/* A step of an access map: elements of a shape `from`, which is broadcast into what map `parent` leads to, are
 * elements of shape `to`. Map 0 is the iteration space itself, `to`, and has no parent. Where positions may lie
 * outside, slices are no Python's: they start where they say, which may lie outside, and count nothing from
 * the end; one with a stop ends with the dimension. */
struct index_map {
    int parent;
    const struct shape *from, *to;
    const struct axis *axes;       /* [to->rank]; NULL: element number n is element number n */
    enum outside outside;          /* OUTSIDE_WRAP: axes follow their own dimensions, one by one */
    uint64_t value;                /* of EDGE_VALUE, bits of the access's dtype; OUTSIDE_TAKEN: which numbers these
                                      are */
};

/* Takes a number apart into the digits of its pieces: the sum of their strides and the offset is the next
 * level's number, and bytes in the end. */
struct walk_level {
    struct pieces pieces;
    const struct index_map *bounds; /* a bounded step: its digits are the dimensions of `from`, innermost first,
                                      and have bounds. Else NULL */
};

/* A tensor over an iteration space. Without levels `over` has strides in bytes; with them it gives a number
 * for the first level. */
struct walk {
    struct pieces over;
    bool taken;                    /* by numbers that the kernel computes: `over` stays at 0, and the first level takes
                                      such a number apart */
    int level_count;
    struct walk_level *levels;     /* room for all that its map's steps take (MAP_STEP), and for walk_number */
};

/* Levels that a step of a map takes at most, and one where positions may lie outside. */
enum { MAP_STEP = 1, MAP_BOUNDED_STEP = 2 };

enum {
    /* Tiles, in elements or bytes. Measured for TRANSPOSED_WIDE alone: transposing into a result by tiles of 16 KB took
     * 1.4 times as long. */
    TILE = 16384,                  /* elements of a tile, about */
    TRANSPOSED_TILE = 16384,       /* bytes of one that is transposed, which stays in the nearest cache */
    TRANSPOSED_WIDE = 1 << 17,     /* the same where it goes straight into the result, and whole lines are read */
    LONG_ROW = 256,                /* elements of a row for which groups are gathered, at least */
    ENOUGH_TILES = 32,             /* for threads to share */

    /* How tiles of a reduction share its space (lanes.c). */
    LANES_FEW = 64,                /* of so few elements, or where the order does not matter, */
    LANES_NEAR = 1 << 13,          /* a tile has so many lanes at most */
    LANES_BLOCKS = 64,             /* a tile takes up to so many blocks of a point */
    LANES_LEAST_BLOCKS = 4,        /* and at least so many, */
    LANES_LEAST = 1 << 17,         /* or so many elements */
    SHORT_LEAST = 5,               /* rows of from so many elements on */
    SHORT_ROW = 256,               /* to so many are joined side by side, */
    SHORT_ROWS = 16,               /* where there are so many of them */

    /* Caches (traffic.c). Measured with and without WEFT_DISABLE=stream (throughput.py --bytes), on a processor
     * whose outer cache has 32 MB (kernel_pairs.py --bytes, selections.py, reduce.py --size; bench/kernels). What
     * comes from that cache is slower by up to a fifth where it is prefetched and results are written beside it, and is
     * not where it is only read. A tile that is transposed is read from as many pages as it has columns, and written to
     * as many as it has rows: a processor fetches nothing ahead there, for loads and for plain stores. A kernel that
     * reads nothing has the caches to itself: plain stores of 17 MB of positions, again and again, take 0.6 of the
     * time, of 19 MB as long. */
    FETCHED_BYTES = 32 << 20,      /* of all tensors: from here on inputs are prefetched, */
    READ_BYTES = 4 << 20,          /* or from here on where hardly anything is written, or operands are transposed, */
    FETCH_AHEAD = 8192,            /* so many bytes ahead */
    STREAMED_BYTES = 16 << 20,     /* of all outputs: from here on they bypass the caches */
    STREAMED_TRANSPOSED = 8 << 20, /* the same where operands are transposed, */
    STREAMED_INTERLEAVED = 6 << 20, /* or groups such as pixels gathered: stores do not begin with cache lines, */
    CLAIMED_TRANSPOSED = 6 << 20,  /* of what is transposed: they are fetched, where they cannot bypass the caches */
    STREAMED_ALONE = 18 << 20      /* or where nothing but constants is read */
};

enum access_kind {
    ACCESS_SCALAR = 's',
    ACCESS_VALUE = 'v',
    ACCESS_UNIT = 'u',
    ACCESS_UNALIGNED = 'a',
    ACCESS_STRIDED = 'g',
    ACCESS_PERIODIC = 'p',
    ACCESS_NESTED = 'n',
    ACCESS_COLUMN = 'c',
    ACCESS_EXPANDED = 'x',
    ACCESS_INTERLEAVED = 'w',
    ACCESS_TRANSPOSED = 't',
    ACCESS_DEINTERLEAVED = 'd',
    ACCESS_NEAR = 'h',
    ACCESS_MAPPED = 'm',
    ACCESS_BOUNDED = 'b',
};

enum {
    BLOCK = 64,                    /* elements that a kernel computes at once */
    MAX_PERIOD = 512,              /* the longest innermost group that is repeated into a pattern */
    TRANSPOSED_LINE = 64,          /* bytes of a column of a tile that is transposed, at most: a cache line */
    /* bytes of its buffer: each row has room behind it for a block */
    TRANSPOSED_ROOM = TRANSPOSED_TILE + TRANSPOSED_LINE * BLOCK,
    DEINTERLEAVED_MOST = 4,        /* the most loads that are made together */
    DEINTERLEAVED_COLUMNS = 4 * BLOCK, /* how many columns of them are made at once */
    INTERLEAVED_MOST = 4,          /* the longest group of a row that is interleaved, unless it is two groups, */
    INTERLEAVED_ROOM = 8,          /* which have so many elements at most */
    INTERLEAVED_BYTES = 2048       /* about what is interleaved at once */
};

/* Dimensions after grouping (rule 5.2), outermost first, with a stride for each access. As many as a space may
 * have, each of two elements or more. */
enum { MAX_GROUPS = 64 };

struct grouping {
    int count, accesses;
    int64_t extents[MAX_GROUPS];
    int64_t *strides;              /* [groups][accesses] */
    struct walk **walks;           /* [accesses] of those seen by way of views; once strides are set, of
                                      those that strides are not enough for. NULL for others */
    int64_t *starts;               /* [accesses] bytes from the tensor's first element to the one that is read
                                      first; 0 where strides are not enough */
    const int *sizes;              /* [accesses] of an element, in bytes */
};

/* Rows of a kernel: the innermost group, or two of them together (`period`, the extent of the inner one,
 * is then not 0). */
struct rows {
    int groups;                    /* outer ones */
    int64_t *extents;              /* [groups] */
    int64_t rows, columns, period;
    int64_t *strides;              /* [accesses][groups + 2]: outer groups, then along a row; last, in flat
                                      classes, from one period to the next */
    unsigned char *kinds;          /* [accesses], enum access_kind */
};

struct tiling {
    int64_t tile_rows, tile_columns, row_tiles, tiles;
};

/* A shape in the tables: an extent is a number, or -1 - i for extent i of the call. */
struct form {
    int rank;
    const int64_t *extents;
};

/* A parameter or a result. */
struct operand {
    const char *name;
    int rank, size;                /* bytes of an element */
    int alignment;                 /* bytes */
};

/* FROM_VALUE: a parameter without dimensions that stands among a kernel's arguments. FROM_NUMBER: a number of the
 * call, which stands there too, or in the plan. */
enum source { FROM_OPERAND, FROM_CONSTANT, FROM_TEMPORARY, FROM_BYTES, FROM_VALUE, FROM_NUMBER };

/* What a kernel loads or stores. */
struct access {
    enum source source;
    int index;                     /* of the operand, the temporary or the number */
    int size, old;                 /* bytes of an element; old: of the operand's own, read as others, else 0 */
    int map;                       /* how it is seen from the loop, 0: plainly */
    const void *data;              /* FROM_CONSTANT */
    struct form shape;             /* but for operands */
};

/* As struct index_map, with shapes as they stand in the tables. */
struct map {
    int parent;
    struct form from, to;
    const struct axis *axes;
    enum outside outside;
    uint64_t value;
    bool open;                     /* numbers of the axes come with the call */
};

enum { LEVELS = 4 };               /* instruction sets at most for which there are loops */

/* How a source was compiled. */
struct built {
    bool threads;                  /* large calls take several, where weft_support.c is compiled for OpenMP */
    int own;                       /* the instruction set that the compiler's flags allow, */
    int count, levels[LEVELS];     /* and those of the loops; the first one is what the flags allow */
    bool (*fuses[LEVELS])(void);   /* whether they fuse multiplications and additions */
};

typedef void weft_kernel_fn(const struct weft_args *args, i64 begin, i64 end);

/* A kernel for accesses of these kinds (enum access_kind); the last of a loop's serves all. */
struct class {
    const char *kinds;
    weft_kernel_fn *run[LEVELS];
    size_t scratch;                /* bytes that a thread lends it */
    bool copied;                   /* it only stores what it loads */
};

/* A remark's place in the text, and its status. */
struct place {
    int line, column, status;
};

/* A loop whose space, [points, elements, inner], is reduced to [points, inner]: extents as in a form. */
struct joined {
    int64_t points, elements, inner;
    bool ordered;                  /* the bits depend on the order */
    bool partial;                  /* elements are lanes that tiles left; without any there is nothing to do */
    int alone;                     /* the temporary that a tile stores to which takes all of a result; -1: it stores as
                                      any other does */
    int threads;                   /* of a GPU's block */
    bool serial;                   /* each of them joins all elements of a result */
    int deepest;                   /* nodes of a thread (deal_block) */
};

/* A loop: results of one shape, or what they have in common. */
struct loop {
    struct form shape;
    int accesses, loads, maps, classes, faults;
    const struct access *access;
    const struct map *map;
    const struct class *class;
    const struct place *fault;     /* where each division by zero or position outside stands */
    const struct joined *joined;   /* NULL: no dimension is reduced */
    double weight;                 /* an estimate of an element's time */
    bool gathers;                  /* some class has loads that gather vectors */
};

struct temporary {
    struct form shape;
    int size;
};

/* How much of each a call has memory for: the most of any loop, but for extents. */
struct sizes {
    int extents;                   /* that are found out when a call begins */
    int accesses, groups;          /* loads and stores; of a loop's dimensions */
    int maps, open_maps;           /* orders of elements; of these with numbers that a call decides */
    int mapped;                    /* accesses that may go by an element's number, */
    int levels, numbers;           /* that it is taken apart in, and numbers to say so */
    int faults;
};

struct tensor;

struct built;

struct kernel {
    int inputs, results, loops, temporaries;
    struct sizes sizes;
    const struct operand *operand; /* inputs, then results */
    const struct form *shape;      /* [results] */
    const unsigned char *replaces; /* [results][inputs] whether it may be the input's very buffer */
    const struct loop *loop;       /* in the order in which they run */
    const struct temporary *temporary;
    const struct weft_note *note;
    int (*extents)(const struct tensor *in, int64_t *d); /* of the call, from the inputs; 0 or a note */
    const struct built *built;     /* of kernels in C */
};

/* A sample of an operand. */
struct tensor {
    const struct operand *operand;
    char *data;
    int rank;
    int64_t shape[MAX_RANK], strides[MAX_RANK]; /* in elements, 0 where an extent is 0 or 1 */
    uintptr_t first, end;          /* the bytes it touches, equal when there are none */
    int64_t sample;                /* its number in a batch; 0 of a tensor that goes with all samples */
};

SHARED int64_t extent(int64_t entry, const int64_t *d)
{
    return entry < 0 ? d[-1 - entry] : entry;
}

/* How often `each` is in `have`; -1: no whole number of times, or one of them is -1 or nothing is in it. */
SHARED int64_t quotient(int64_t have, int64_t each)
{
    return have < 0 || each <= 0 || have % each ? -1 : have / each;
}

/* -1: too large. */
SHARED int64_t multiple(int64_t of, int64_t times)
{
    return times > 0 && of > INT64_MAX / 16 / times ? -1 : of * times;
}

/* An extent with so many elements more on both sides, or fewer; -1: it is negative, or too large. */
SHARED int64_t padded(int64_t of, int64_t before, int64_t after)
{
    const int64_t most = INT64_MAX / 16;
    if (before < -most || before > most || after < -most || after > most || of + before + after > most)
        return -1;
    return of + before + after < 0 ? -1 : of + before + after;
}

/* How many elements a slice takes; `given`: 1 for its start, 2 for its stop. */
SHARED int64_t sliced(int64_t of, int64_t start, int64_t stop, int64_t step, int given)
{
    const struct slice slice = {start, stop, step, (unsigned char)(given & 1), (unsigned char)(given >> 1), 0};
    int64_t first, count;
    slice_resolve(&slice, of, &first, &count);
    return count;
}

/* A size: a op b, for `/` and `%` as Python has them. False where it does not fit, or is divided by zero. */
SHARED bool size(char op, int64_t a, int64_t b, int64_t *to)
{
    const bool divides = op == '/' || op == '%';
    const bool wide = op == '+'   ? (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
                      : op == '-' ? (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
                      : op == '*' ? (a > 0   ? (b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a)
                                     : a < 0 ? (b > 0 ? a < INT64_MIN / b : b && a < INT64_MAX / b)
                                             : false)
                                  : b == 0 || (b == -1 && op == '/' && a == INT64_MIN);
    if (wide)
        return false;
    const int64_t rest = divides && b != -1 ? a % b : 0, down = rest != 0 && (rest < 0) != (b < 0);
    *to = op == '+'   ? a + b
          : op == '-' ? a - b
          : op == '*' ? a * b
          : op == '/' ? (b == -1 ? -a : a / b - down)
                      : rest + (down ? b : 0);
    return true;
}

/* A number as the bits in which it is kept, and back. */
SHARED int64_t bits(double number)
{
    int64_t kept;
    memcpy(&kept, &number, sizeof kept);
    return kept;
}

SHARED double real(int64_t kept)
{
    double number;
    memcpy(&number, &kept, sizeof number);
    return number;
}

/* Whether a finite number is infinite in a type in which those of `most` and more are. */
SHARED bool becomes_infinite(double number, double most)
{
    return number - number == 0 && (number >= most || number <= -most);
}

double pow(double a, double b);

/* Whether a ** b is what a literal expression may be: Python raises for others, or has a complex number. */
SHARED bool power_is_real(double a, double b, double power)
{
    const bool finite = a - a == 0 && b - b == 0;
    return !finite || (power - power == 0 && !(a == 0 && b < 0));
}

/* Halves away from zero; -1: too large. */
SHARED int64_t rounded(double x)
{
    return x >= 0x1p58 ? -1 : (int64_t)(x >= 0x1p52 ? x : (double)(int64_t)x + (x - (double)(int64_t)x >= 0.5));
}

/* -1: more elements than memory can hold. */
SHARED int64_t volume(int rank, const int64_t *extents, const int64_t *d)
{
    int64_t count = 1;
    bool empty = false;
    for (int k = 0; k < rank; k++) {
        const int64_t own = extent(extents[k], d);
        empty = empty || own == 0;
        if (own > 0 && count > INT64_MAX / 16 / own)
            return -1;
        count *= own ? own : 1;
    }
    return empty ? 0 : count;
}


enum {
    LANE_COUNT = 16,
    BLOCK_ELEMENTS = 1024,         /* elements whose lanes are joined in order */
    MAX_LANES = 64,
    MAX_WIDTH = 1 << 16,           /* lanes that a tile has at a time */
    MAX_TREE = 1 << 19,            /* lanes that it keeps of blocks */
    NODE_BLOCKS = 8,               /* blocks of a node, which a GPU's thread joins at once, where there are lanes of
                                      them */
    NODE_LEVELS = 7,               /* of the tree in which such a thread keeps nodes */
    DEEPEST = 1 << (NODE_LEVELS - 1) /* so many nodes has it at most */
};

/* How tiles of a kernel with reduced dimensions share its space, [points, elements, inner], of which `elements` are
 * reduced. Element i is joined to lane i mod `lanes`, and lanes of `block` elements to a tree. Where the order of a sum
 * does not matter, there are as many lanes as are fast. */
struct lane_tiles {
    int64_t points, elements, inner; /* extents of the three together */
    int64_t lanes, block;          /* of each inner element; elements in a block. Of a GPU's block of threads `lanes`
                                      are parts of a point beside each other (deal_block) */
    int64_t width, windows;        /* how many of the inner ones a tile takes; tiles beside each other */
    int64_t chunk, chunks;         /* how many blocks a tile takes, a power of two; tiles behind each other */
    int64_t together;              /* how many points a tile takes */
    int64_t step;                  /* how many elements are taken in a row: 1, or all of a block */
    int64_t kept;                  /* lanes that a tile leaves: 1, or all for further kernels */
    int row;                       /* lanes of all inner elements where these are so few that the kernel's text has the
                                      number; else 0 */
};

/* The number of lanes of each inner element. Where their order does not matter, rows of lanes are whole blocks. */
static int64_t choose_lanes(int64_t elements, int64_t inner, bool ordered, bool small)
{
    int64_t lanes = ordered ? LANE_COUNT : 1;
    while (!ordered && lanes * inner % BLOCK != 0 && lanes * inner < MAX_WIDTH / 2)
        lanes *= 2;
    while (!ordered && !small && lanes / 2 >= elements)
        lanes /= 2;
    return ordered && !small && elements < lanes ? elements : lanes;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The tree's levels for so many blocks. */
static int64_t count_levels(int64_t blocks)
{
    int64_t levels = 1;
    while (((int64_t)1 << levels) <= blocks)
        levels++;
    return levels;
}

/* `block` is that of an ordered join: BLOCK_ELEMENTS; or LANE_COUNT to join what tiles left, where a tile takes it
 * all. */
SHARED struct lane_tiles deal_lanes(int64_t points, int64_t elements, int64_t inner, bool ordered, int64_t block)
{
    enum { SMALL = 4 };            /* inner elements whose lanes the text knows */
    const bool small = inner <= SMALL, last = block == LANE_COUNT;
    struct lane_tiles t = {.points = points, .elements = elements, .inner = inner, .kept = 1};
    t.lanes = choose_lanes(elements, inner, ordered, small);
    t.row = small ? (int)(t.lanes * inner) : 0;
    t.block = ordered ? block : t.lanes * 256;
    /* tiles of as many elements, which passes share */
    t.chunk = ordered ? LANES_BLOCKS : LANES_BLOCKS * BLOCK_ELEMENTS / t.block;
    const int64_t blocks = (elements - 1) / t.block + 1;
    while (last && t.chunk < blocks)
        t.chunk *= 2;
    const int64_t near = elements > LANES_FEW && ordered ? MAX_WIDTH : LANES_NEAR;
    const int64_t most = smaller(MAX_TREE / count_levels(t.chunk), near) / t.lanes;
    t.windows = (inner - 1) / most + 1;
    t.width = t.windows == 1 ? inner : ((inner - 1) / t.windows / BLOCK + 1) * BLOCK;
    t.width = t.width > most ? most : t.width;
    t.windows = (inner - 1) / t.width + 1;
    t.step = t.windows > 1 ? 1 : t.block;
    /* lanes that tiles leave are new memory, which costs several times what reading as much does */
    while (!last && t.chunk > 1 && t.chunk * t.block > LANES_LEAST_BLOCKS * BLOCK_ELEMENTS &&
           ((blocks - 1) / t.chunk + 1) * t.windows < (ENOUGH_TILES - 1) / points + 1 &&
           t.chunk * t.block * t.width > LANES_LEAST)
        t.chunk /= 2;
    t.chunks = (blocks - 1) / t.chunk + 1;
    t.kept = !ordered || t.chunks == 1 ? 1 : LANE_COUNT;
    t.together = 1;
    if (t.windows * t.chunks == 1 && elements * inner < TILE)
        t.together = TILE / (elements * inner) < points ? TILE / (elements * inner) : points;
    return t;
}

/* How many lanes of each point and inner element its tiles leave for a further kernel; 0 where one tile takes all of
 * them, or there is nothing. */
SHARED int64_t lanes_left(int64_t points, int64_t elements, int64_t inner, bool ordered)
{
    if (points < 1 || elements < 1 || inner < 1)
        return 0;
    const struct lane_tiles t = deal_lanes(points, elements, inner, ordered, BLOCK_ELEMENTS);
    return t.chunks > 1 ? t.chunks * t.kept : 0;
}


#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
#if defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__ && defined __AVX512CD__
enum { OWN_LEVEL = 4 };
#elif defined __AVX2__ && defined __F16C__ && defined __FMA__ && defined __BMI2__
enum { OWN_LEVEL = 3 };
#elif defined __SSE4_2__ && defined __POPCNT__
enum { OWN_LEVEL = 2 };
#else
enum { OWN_LEVEL = 1 };
#endif
#else
enum { OWN_LEVEL = 0 };
#endif

#if defined __GNUC__ || defined __TINYC__
#define ENTRY __attribute__((visibility("hidden")))
#else
#define ENTRY
#endif
/* The functions of weft_support.c. Copies of it in one program are one: the linker keeps any. They set *note where they
 * do not return WEFT_KERNEL_OK. */

/* Runs the kernel on samples: sample i of operand o is arrays[o][i * steps[o]]. */
ENTRY int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                   const int64_t *steps, struct weft_note *note);
/* On one: `arrays` has an array of each operand. */
ENTRY int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays, struct weft_note *note);
/* Extents of results from those of parameters, and from the values of single ones that are sizes. */
ENTRY int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                     int64_t *const *results, struct weft_note *note);

/* What the last call on this thread told of this file's kernels. */
SHARED _Thread_local struct weft_note weft_told;
#endif
