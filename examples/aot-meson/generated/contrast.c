/* Made by weft build from contrast.weft. See contrast.h. */
#if defined __cplusplus
#error "this source is C: compile it as C, and include its header from C++"
#else
#include "contrast.h"

#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
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

static bool multiplied(int64_t a, int64_t b, int64_t *product)
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

/* What the library does for kernels (templates/shared/bands.c, ends.c), the same for all of them. The `next` ones
 * return 0 if there is none. */
struct weft_calls {
    int (*next_band)(const struct weft_args *args, struct weft_band *band);
    int (*next_part)(const struct weft_args *args, struct weft_part *part);
    /* How many points, at most so many, lie in one row of the loop from `point` on, where points are short rows. `p`
     * becomes where this row begins, *column where the point does. */
    long long (*find_points)(const struct weft_sample *sample, long long point, long long most, char **p,
                             long long *step, long long accesses, long long *column);
    /* Where this row begins, in `accesses` accesses from `access` on, and how far the next ones are: as many as lie
     * beside each other, which it returns. */
    long long (*find_rows)(const struct weft_sample *sample, long long row, char **p, long long *step,
                           long long access, long long accesses);
    /* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with
     * the last one. Returns the block. */
    const void *(*pad)(void *block, const void *from, int count, int size, int all);
    /* Copies `count` elements from a block to where they belong. */
    void (*put)(void *to, const void *block, int count, int size);
    /* C's fmod of those among `count` elements, float32 or float64 as `size` says, whose quotient is 2^22 or more, in
     * float64 2^51, or none of finite numbers. It may be that of others, too; else they stay. */
    void (*fmod)(void *r, const void *a, const void *b, int count, int size);
};

/* The most of each, of any kernel here. */
enum {
    MAX_RANK = 3, /* dimensions */
    OPERANDS = 4, /* parameters and results */
    EXTENTS = 3, /* that are found out when a call begins */
    ACCESSES = 4, /* loads and stores of a loop */
    LOOP_GROUPS = 3, /* of a loop's dimensions */
    MAX_PIECES = 5, /* that elements lie in */
    MAPS = 1, /* orders of elements, in a loop with views */
    OPEN_MAPS = 0, /* of these with numbers that a call decides */
    MAPPED = 0, /* accesses that may go by an element's number */
    MAP_LEVELS = 1, /* that a number is taken apart in */
    MAP_NUMBERS = 0, /* to say so */
    FAULTS = 0, /* divisions by zero and positions outside that a loop tells */
    TRANSPOSED = 20480, /* bytes of a tile that is transposed, and of what is behind its rows */
    INTERLEAVED = 2048, /* of pixels that are gathered at once, about */
    DEINTERLEAVED = 256, /* of columns of pixels that are taken apart at once */
    GATHERS = 0, /* 1: some loads gather vectors */
    LEVELS = 1, /* instruction sets */
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

/* Adds elements outside those that are there. */
SHARED void pieces_add(struct pieces *pieces, int64_t extent, int64_t stride)
{
    struct piece *last = pieces->count ? &pieces->at[pieces->count - 1] : NULL;
    if (extent == 1)
        return;
    if (last && last->extent * last->stride == stride)
        last->extent *= extent;
    else
        pieces->at[pieces->count++] = (struct piece){extent, stride};
}

/* Of the dimensions of a shape without an extent of 0, with these strides. */
SHARED void pieces_make(struct pieces *pieces, int rank, const int64_t *extents, const int64_t *strides)
{
    pieces->count = 0;
    pieces->offset = 0;
    for (int d = rank - 1; d >= 0; d--)
        pieces_add(pieces, extents[d], strides[d]);
}

/* Strides in bytes of a tensor of `extents` under a result of `rank` dimensions: aligned at the
 * right, 0 where it stretches. `strides` are in elements, NULL for dense row-major. */
SHARED void broadcast_strides(int rank, const int64_t *shape, int tensor_rank, const int64_t *extents,
                              const int64_t *strides, int size, int64_t *result)
{
    int64_t dense = size;
    for (int d = 0; d < rank; d++)
        result[d] = 0;
    for (int d = tensor_rank - 1; d >= 0; d--) {
        int to = d + rank - tensor_rank;
        int64_t stride = strides ? strides[d] * size : dense;
        if (to >= 0 && (extents[d] != 1 || shape[to] == 1))
            result[to] = stride;
        dense *= extents[d] ? extents[d] : 1;
    }
}


/* The bytes of a tensor with these pieces as elements of `size` bytes instead of `old`, in their order;
 * false where they do not lie together, or not at multiples of `size`. Without elements they lie anyhow. */
SHARED bool pieces_reinterpret(const struct pieces *pieces, int old, int size, struct pieces *result)
{
    struct pieces bytes = {.count = 0};
    pieces_add(&bytes, old, 1);
    for (int i = 0; i < pieces->count; i++) {
        if (!pieces->at[i].extent) {
            *result = (struct pieces){.count = 1, .offset = pieces->offset, .at = {{0, size}}};
            return true;
        }
        pieces_add(&bytes, pieces->at[i].extent, pieces->at[i].stride);
    }
    if (size > 1 && (bytes.at[0].stride != 1 || bytes.at[0].extent % size != 0))
        return false;
    result->count = 0;
    result->offset = pieces->offset;
    bool whole = size == 1;
    if (!whole)
        pieces_add(result, bytes.at[0].extent / size, size);
    for (int i = !whole; i < bytes.count; i++) {
        if (bytes.at[i].stride % size != 0)
            return false;
        pieces_add(result, bytes.at[i].extent, bytes.at[i].stride);
    }
    return true;
}


/* What was not yet taken of some pieces. */
struct rest {
    struct pieces pieces;
    int at;
};

/* Moves the innermost `count` elements to `out`; false where they are no whole pieces or parts of one. */
static bool take(struct rest *rest, int64_t count, struct pieces *out)
{
    while (count > 1) {
        struct piece *piece = &rest->pieces.at[rest->at];
        int64_t stride = piece->stride;
        if (count % piece->extent == 0) {
            pieces_add(out, piece->extent, stride);
            count /= piece->extent;
            rest->at++;
        } else if (piece->extent % count == 0) {
            pieces_add(out, count, stride);
            *piece = (struct piece){piece->extent / count, stride * count};
            count = 1;
        } else {
            return false;
        }
    }
    return true;
}

/* The elements `in`, seen as shape `from` and broadcast to `to`. False where that is no matter of
 * strides: a stretched dimension would stand inside a piece. */
static bool stretch(const struct pieces *in, const struct shape *from, const struct shape *to,
                    struct pieces *out)
{
    struct rest rest = {*in, 0};
    int64_t together = 1;
    out->count = 0;
    out->offset = in->offset;
    for (int d = 1; d <= to->rank; d++) {
        int64_t extent = to->extents[to->rank - d];
        int64_t own = d <= from->rank ? from->extents[from->rank - d] : 1;
        together *= own;
        if (own == extent)
            continue;
        if (!take(&rest, together, out))
            return false;
        pieces_add(out, extent, 0);
        together = 1;
    }
    return take(&rest, together, out);
}

static void add_level(struct walk *walk, const struct pieces *pieces, const struct index_map *bounds)
{
    for (int i = walk->level_count++; i > 0; i--)
        walk->levels[i] = walk->levels[i - 1];
    walk->levels[0].pieces = *pieces;
    walk->levels[0].bounds = bounds;
}

static void number_pieces(struct pieces *pieces, int64_t count)
{
    pieces->count = 0;
    pieces->offset = 0;
    pieces_add(pieces, count, 1);
}

static int64_t count_elements(const struct shape *shape)
{
    int64_t count = 1;
    for (int d = 0; d < shape->rank; d++)
        count *= shape->extents[d];
    return count;
}

/* A position of a bounded step, as one near the dimension that reads the same: so sums with it do not overflow. */
static int64_t nearby(int64_t position, enum edge edge, int64_t extent)
{
    const int64_t far = INT64_C(1) << 61;
    const int64_t round = edge == EDGE_WRAP ? extent : edge == EDGE_SYMMETRIC ? 2 * extent
                          : edge == EDGE_REFLECT ? 2 * extent - 2 : 0;
    if (round > 0)
        return position % round;
    return position < -far ? -far : position > far ? far : position;
}

/* The element of a dimension of `extent` that a step reads first. */
static int64_t axis_first(const struct index_map *step, const struct axis *axis, int64_t extent)
{
    int64_t first, count;
    if (step->outside)
        return axis->slice.has_stop ? extent - step->from->extents[axis->from]
                                    : nearby(axis->slice.start, axis->edge, extent);
    if (axis->from < 0)
        return axis->slice.start + (axis->slice.start < 0 ? extent : 0);
    slice_resolve(&axis->slice, extent, &first, &count);
    return first;
}

/* The dimension of `to` that follows dimension d of `from`; -1: none. */
static int followed_by(const struct index_map *step, int d)
{
    int t = step->to->rank - 1;
    while (t >= 0 && step->axes[t].from != d)
        t--;
    return t;
}

/* The same elements, cut at the dimensions of a shape; false where one ends inside a piece. */
static bool cut(const struct pieces *in, const struct shape *shape, struct pieces *out)
{
    struct rest rest = {*in, 0};
    struct pieces own;
    out->count = 0;
    out->offset = in->offset;
    for (int d = shape->rank - 1; d >= 0; d--) {
        own.count = 0;
        if (!take(&rest, shape->extents[d], &own))
            return false;
        for (int i = 0; i < own.count; i++)
            out->at[out->count++] = own.at[i];
    }
    return true;
}

/* Of pieces that are cut at dimensions, the first that lies outside dimension d: inside it where d is that of
 * the next. */
static int piece_outside(const struct pieces *cut_ones, const struct shape *shape, int d)
{
    int64_t count = 1;
    int i = 0;
    for (int inner = shape->rank - 1; inner >= d; inner--)
        count *= shape->extents[inner];
    for (; count > 1; i++)
        count /= cut_ones->at[i].extent;
    return i;
}

/* What a step reads of one dimension. */
struct selection {
    int64_t first, by;
    int begin, end;                /* its pieces */
    int last;                      /* the outermost one along which the elements go, with all of those inside it */
    int64_t inside;                /* elements of those */
};

/* False where what is read of dimension t does not lie as strides say: within one piece, or in whole ones inside it, in
 * their order or backwards. */
static bool select_dimension(const struct index_map *step, const struct pieces *cut_ones, int t, struct selection *s)
{
    const struct axis *axis = &step->axes[t];
    const int64_t count = axis->from < 0 ? 1 : step->from->extents[axis->from];
    *s = (struct selection){axis_first(step, axis, step->to->extents[t]), axis->slice.step,
                            piece_outside(cut_ones, step->to, t + 1), piece_outside(cut_ones, step->to, t), 0, 1};
    s->last = s->begin;
    if (s->end - s->begin <= 1)
        return true;
    if (step->outside)
        return false;
    const int64_t least = s->by < 0 ? s->first + (count - 1) * s->by : s->first;
    const bool neighbours = count == 1 || s->by == 1 || s->by == -1;
    for (; s->last < s->end; s->inside *= cut_ones->at[s->last++].extent) {
        const int64_t extent = cut_ones->at[s->last].extent, begin = least / s->inside % extent;
        const int64_t reach = s->inside > 1 ? count / s->inside : (count - 1) * (s->by < 0 ? -s->by : s->by) + 1;
        const bool whole = s->inside == 1 || (neighbours && least % s->inside == 0 && count % s->inside == 0);
        if (whole && begin + reach <= extent)
            return true;
    }
    return false;
}

/* Bytes, or a number, from element 0 of the dimension to its element `first`. May go beyond the dimension, if that
 * is one piece. */
static int64_t place_of(const struct pieces *cut_ones, const struct selection *s)
{
    uint64_t place = 0;
    int64_t rest = s->first;
    for (int i = s->begin; i < s->end; rest /= cut_ones->at[i++].extent) {
        const int64_t digit = i + 1 < s->end ? rest % cut_ones->at[i].extent : rest;
        place += (uint64_t)digit * (uint64_t)cut_ones->at[i].stride;
    }
    return (int64_t)place;
}

/* The elements that a step reads of `in`, which has elements, in their order. A bounded one's have a piece for each
 * dimension of `from`, whatever its extent. False where that is no matter of strides. */
static bool select_pieces(const struct pieces *in, const struct index_map *step, struct pieces *out)
{
    const struct shape *from = step->from, *to = step->to;
    struct pieces all;
    if (!cut(in, to, &all))
        return false;
    out->count = 0;
    out->offset = in->offset;
    for (int t = 0; t < to->rank; t++) {
        struct selection s;
        if (!select_dimension(step, &all, t, &s))
            return false;
        out->offset += place_of(&all, &s);
    }
    for (int d = from->rank - 1; d >= 0; d--) {
        const int t = followed_by(step, d);
        struct selection s = {0};
        if (t >= 0)
            select_dimension(step, &all, t, &s);
        const bool some = s.begin < s.end;
        if (step->outside)
            out->at[out->count++] = (struct piece){from->extents[d], some ? s.by * all.at[s.begin].stride : 0};
        else
            for (int i = s.begin; some && i <= s.last && from->extents[d] > 1; i++)
                pieces_add(out, i < s.last ? all.at[i].extent : from->extents[d] / s.inside, s.by * all.at[i].stride);
    }
    return true;
}

/* Makes `over`, which is over `to`, the elements that a step reads, over `from`. */
static void follow_axes(struct walk *walk, const struct index_map *step)
{
    struct pieces over = walk->over;
    if (select_pieces(&over, step, &walk->over))
        return;
    add_level(walk, &over, NULL);
    number_pieces(&over, count_elements(step->to));
    select_pieces(&over, step, &walk->over);
}

/* The same of a bounded step: the digits of a level are what bounds are compared with. */
static void follow_bounded(struct walk *walk, const struct index_map *step)
{
    if (count_elements(step->to)) {
        follow_axes(walk, step);
    } else { /* all lies outside */
        walk->level_count = 0;
        walk->over.count = 0;
        walk->over.offset = 0;
        for (int d = step->from->rank - 1; d >= 0; d--)
            walk->over.at[walk->over.count++] = (struct piece){step->from->extents[d], 0};
    }
    add_level(walk, &walk->over, step);
    number_pieces(&walk->over, count_elements(step->from));
}

/* How often a dimension's elements have to stand behind each other for the positions of a step that goes round: from
 * *first, which is one of the dimension, as many as the step's result has. */
static int64_t count_rounds(const struct index_map *step, int d, int64_t *first)
{
    const int64_t extent = step->to->extents[d];
    *first = axis_first(step, &step->axes[d], extent) % extent;
    *first += *first < 0 ? extent : 0;
    return (*first + step->from->extents[d] - 1) / extent + 1;
}

/* The pieces of a shape's dimensions with their elements as often as the step needs, so that positions are
 * consecutive. `numbers` are those of the elements that it reads. */
static bool repeat_pieces(const struct pieces *all, const struct index_map *step, struct pieces *repeated,
                          struct pieces *numbers)
{
    int64_t stride = 1;
    bool needed = false;
    repeated->count = numbers->count = 0;
    repeated->offset = all->offset;
    numbers->offset = 0;
    for (int d = step->to->rank - 1; d >= 0; d--) {
        int64_t first;
        const int64_t extent = step->to->extents[d], rounds = count_rounds(step, d, &first);
        const int end = piece_outside(all, step->to, d);
        for (int i = piece_outside(all, step->to, d + 1); i < end; i++)
            pieces_add(repeated, all->at[i].extent, all->at[i].stride);
        pieces_add(repeated, rounds, 0);
        pieces_add(numbers, step->from->extents[d], stride);
        numbers->offset += first * stride;
        stride *= rounds * extent;
        needed = needed || rounds > 1 || step->from->extents[d] != extent;
    }
    return needed;
}

/* Makes `over` the elements that a step reads which goes round: behind the last of a dimension stands its first. */
static void follow_wrapped(struct walk *walk, const struct index_map *step)
{
    struct pieces over = walk->over, all, repeated;
    const bool there = cut(&over, step->to, &all);
    if (!there) {
        add_level(walk, &over, NULL);
        number_pieces(&over, count_elements(step->to));
        cut(&over, step->to, &all);
    }
    if (repeat_pieces(&all, step, &repeated, &over) || !there) {
        add_level(walk, &repeated, NULL);
        walk->over = over;
    }
}

/* The same walk by way of the elements' numbers in the iteration space: it then has one piece. */
SHARED void walk_number(struct walk *walk)
{
    int64_t count = 1;
    for (int i = 0; i < walk->over.count; i++)
        count *= walk->over.at[i].extent;
    add_level(walk, &walk->over, NULL);
    number_pieces(&walk->over, count);
}

/* The same of numbers that the kernel computes of elements of `to`, at any place of `space`. `bounded`: a step below
 * that is, or NULL. */
static void follow_taken(struct walk *walk, const struct shape *to, const struct shape *space,
                         const struct index_map *bounded)
{
    if (!count_elements(to)) { /* nothing is read */
        walk->level_count = 0;
        walk->over.count = 0;
        walk->over.offset = 0;
        if (bounded)
            add_level(walk, &walk->over, bounded);
    }
    walk_number(walk);
    walk->over.count = 0;
    pieces_add(&walk->over, count_elements(space), 0);
}

/* The walk of a tensor whose elements under map number `map` are `tensor`; walk->levels is there. */
SHARED void walk_follow(const struct index_map *maps, int map, const struct pieces *tensor,
                        struct walk *walk)
{
    const struct index_map *bounded = NULL;
    walk->over = *tensor;
    walk->level_count = 0;
    for (; map && maps[map].outside != OUTSIDE_TAKEN; map = maps[map].parent) {
        const struct index_map *step = &maps[map];
        const struct shape *to = maps[step->parent].to;
        struct pieces seen;
        bounded = step->outside && step->outside != OUTSIDE_WRAP ? step : bounded;
        if (!count_elements(step->from))
            continue; /* a bounded step follows, outside which all lies */
        if (step->outside == OUTSIDE_WRAP)
            follow_wrapped(walk, step);
        else if (step->outside)
            follow_bounded(walk, step);
        else if (step->axes)
            follow_axes(walk, step);
        seen = walk->over;
        if (stretch(&seen, step->from, to, &walk->over))
            continue;
        add_level(walk, &seen, NULL);
        number_pieces(&seen, count_elements(step->from));
        stretch(&seen, step->from, to, &walk->over);
    }
    walk->taken = map != 0;
    if (walk->taken)
        follow_taken(walk, maps[map].to, maps[0].to, bounded);
}

/* Whether positions may lie outside. */
SHARED bool walk_is_bounded(const struct walk *walk)
{
    for (int i = 0; i < walk->level_count; i++)
        if (walk->levels[i].bounds)
            return true;
    return false;
}


SHARED int64_t *group_strides(const struct grouping *groups, int group)
{
    return groups->strides + (ptrdiff_t)group * groups->accesses;
}

/* Where groups begin: elements inside them, ascending; each divides the next. */
struct bounds {
    int count;
    int64_t at[MAX_GROUPS];
};

/* False where the bound would cut through a group that another has whole. */
static bool add_bound(struct bounds *bounds, int64_t bound)
{
    int i = bounds->count;
    while (i > 0 && bounds->at[i - 1] > bound)
        i--;
    if (i > 0 && bounds->at[i - 1] == bound)
        return true;
    if ((i > 0 && bound % bounds->at[i - 1] != 0) || (i < bounds->count && bounds->at[i] % bound != 0))
        return false;
    for (int k = bounds->count++; k > i; k--)
        bounds->at[k] = bounds->at[k - 1];
    bounds->at[i] = bound;
    return true;
}

/* All of them or none. */
static bool add_bounds(struct bounds *bounds, const struct pieces *pieces)
{
    struct bounds all = *bounds;
    int64_t bound = 1;
    for (int i = 0; i < pieces->count; i++) {
        if (!add_bound(&all, bound))
            return false;
        bound *= pieces->at[i].extent;
    }
    *bounds = all;
    return true;
}

/* Groups as few as all accesses allow: a bound wherever some access has one. An access whose bounds do
 * not go with the others' is walked by numbers, which have none. strides[a] are those of an access without
 * a walk, over a shape of `volume` elements, which are some. */
SHARED void groups_find(struct grouping *groups, int rank, const int64_t *shape, int64_t volume,
                        const int64_t *const *strides)
{
    struct bounds bounds = {.count = 0};
    struct pieces pieces;
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a]) {
            pieces_make(&pieces, rank, shape, strides[a]);
            add_bounds(&bounds, &pieces);
        }
    }
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a] || add_bounds(&bounds, &groups->walks[a]->over))
            continue;
        walk_number(groups->walks[a]);
        add_bounds(&bounds, &groups->walks[a]->over);
    }
    groups->count = bounds.count;
    for (int g = 0; g < groups->count; g++)
        groups->extents[groups->count - 1 - g] =
            (g + 1 < bounds.count ? bounds.at[g + 1] : volume) / bounds.at[g];
}

/* The strides of an access: each group lies in one of its pieces. */
static void set_strides(struct grouping *groups, int a, const struct pieces *pieces)
{
    int64_t inside = 1; /* the piece's first group: elements of the piece inside group g */
    for (int g = groups->count - 1, i = 0; g >= 0; g--) {
        group_strides(groups, g)[a] = pieces->at[i].stride * inside;
        inside *= groups->extents[g];
        if (inside == pieces->at[i].extent)
            inside = 1, i++;
    }
}

/* The strides and starts of all accesses, over the same shape; groups->strides and groups->starts are there. */
SHARED void groups_stride(struct grouping *groups, int rank, const int64_t *shape,
                          const int64_t *const *strides)
{
    struct pieces pieces;
    for (int a = 0; a < groups->accesses; a++) {
        if (!groups->walks[a])
            pieces_make(&pieces, rank, shape, strides[a]);
        set_strides(groups, a, groups->walks[a] ? &groups->walks[a]->over : &pieces);
        groups->starts[a] = 0;
        if (groups->walks[a] && !groups->walks[a]->level_count) {
            groups->starts[a] = groups->walks[a]->over.offset;
            groups->walks[a] = NULL;
        }
    }
}


SHARED enum access_kind plain_kind(int64_t stride, int size)
{
    return stride == 0 ? ACCESS_SCALAR : stride == size ? ACCESS_UNIT : ACCESS_STRIDED;
}

/* Of an access that strides are not enough for. */
static enum access_kind walk_kind(const struct walk *walk)
{
    return walk_is_bounded(walk) ? ACCESS_BOUNDED : ACCESS_MAPPED;
}

static enum access_kind flat_kind(int64_t outer, int64_t inner, int64_t extent, int size)
{
    if (outer == extent * inner)
        return plain_kind(inner, size);
    return outer == 0 ? ACCESS_PERIODIC : ACCESS_NESTED;
}

/* Whether the two innermost groups run as one: the inner one is short, so that rows of their own
 * would mostly be padding. Accesses from number `loads` on are stores. `*is_nested`: some access then has
 * two strides. */
SHARED bool runs_flat(const struct grouping *groups, int loads, bool *is_nested)
{
    bool nested = *is_nested = false;
    if (groups->count < 2)
        return false;
    int64_t extent = groups->extents[groups->count - 1];
    for (int a = 0; a < groups->accesses; a++) {
        if (groups->walks[a])
            continue;
        int64_t inner = group_strides(groups, groups->count - 1)[a];
        int64_t outer = group_strides(groups, groups->count - 2)[a];
        enum access_kind kind = flat_kind(outer, inner, extent, groups->sizes[a]);
        nested = nested || kind == ACCESS_NESTED || (kind == ACCESS_PERIODIC && a >= loads);
    }
    *is_nested = nested;
    return extent <= (nested ? BLOCK / 2 : MAX_PERIOD);
}

/* Rows are the innermost group, or where they are flat the two innermost together. Not special: a kernel
 * for any strides. */
SHARED void make_rows(const struct grouping *groups, bool flat, bool special, struct rows *rows)
{
    int inner = groups->count - 1;
    rows->groups = inner - flat < 0 ? 0 : inner - flat;
    rows->rows = 1;
    for (int i = 0; i < rows->groups; i++)
        rows->rows *= rows->extents[i] = groups->extents[i];
    rows->columns = inner < 0 ? 1 : groups->extents[inner] * (flat ? groups->extents[inner - 1] : 1);
    rows->period = flat ? groups->extents[inner] : 0;
    for (int a = 0; a < groups->accesses; a++) {
        int64_t *strides = rows->strides + (ptrdiff_t)a * (rows->groups + 2);
        int size = groups->sizes[a];
        int64_t step = inner >= 0 ? group_strides(groups, inner)[a] : size;
        int64_t jump = flat ? group_strides(groups, inner - 1)[a] : 0;
        for (int i = 0; i < rows->groups; i++)
            strides[i] = group_strides(groups, i)[a];
        strides[rows->groups] = step;
        strides[rows->groups + 1] = jump;
        rows->kinds[a] = (unsigned char)(groups->walks[a] ? walk_kind(groups->walks[a])
                                         : flat           ? flat_kind(jump, step, rows->period, size)
                                         : special        ? plain_kind(step, size)
                                                          : ACCESS_STRIDED);
    }
}

/* n / d, which is greater than 0, rounded towards the greater number. */
static int64_t divide_upwards(int64_t n, int64_t d)
{
    return n / d + (n % d > 0);
}

/* At most `most`, at least 1. */
static int64_t within(int64_t n, int64_t most)
{
    return most < 1 || n < 1 ? 1 : n < most ? n : most;
}

SHARED struct tiling make_tiles(int64_t rows, int64_t columns)
{
    const int64_t tile_columns = within(columns, TILE), tile_rows = within(TILE / tile_columns, rows);
    const int64_t row_tiles = (columns + tile_columns - 1) / tile_columns;
    return (struct tiling){.tile_rows = tile_rows, .tile_columns = tile_columns, .row_tiles = row_tiles,
                           .tiles = (rows + tile_rows - 1) / tile_rows * row_tiles};
}


/* The place in a row of groups `first` and following, of the first `part` elements, as pieces. */
static void row_pieces(const struct grouping *groups, int first, int64_t part, int a, struct pieces *row)
{
    row->count = 0;
    row->offset = groups->walks[a]->over.offset;
    for (int i = groups->count - 1; i >= first && i >= 0; i--)
        pieces_add(row, i == first ? part : groups->extents[i], group_strides(groups, i)[a]);
}

/* The elements i from *low on and before *high whose position start + i * step is one of `extent`. */
static void find_bounds(int64_t start, int64_t step, int64_t extent, int64_t *low, int64_t *high)
{
    if (step > 0) {
        *low = divide_upwards(-start, step);
        *high = divide_upwards(extent - start, step);
    } else {
        *low = divide_upwards(start - extent + 1, -step);
        *high = divide_upwards(start + 1, -step);
    }
}

/* Whether a bounded step reads nothing at all: an index lies outside, or there is nothing. */
static bool reads_nothing(const struct index_map *step)
{
    for (int t = 0; t < step->to->rank; t++) {
        const int64_t start = step->axes[t].slice.start, extent = step->to->extents[t];
        if (extent == 0 || (step->axes[t].from < 0 && (start < 0 || start >= extent)))
            return true;
    }
    return false;
}

/* A piece of a level, between which digits it lies inside, and what is read at others. */
struct bounded {
    int64_t extent, stride, low, high;
    enum edge edge;
};

static struct bounded level_piece(const struct walk_level *level, int k)
{
    const struct index_map *step = level->bounds;
    const struct piece piece = k < level->pieces.count ? level->pieces.at[k] : (struct piece){1, 0};
    struct bounded own = {piece.extent, piece.stride, 0, piece.extent, EDGE_VALUE};
    const int d = step ? step->from->rank - 1 - k : -1, t = d < 0 ? -1 : followed_by(step, d);
    if (step && reads_nothing(step)) {
        own.high = 0;
    } else if (t >= 0) {
        find_bounds(axis_first(step, &step->axes[t], step->to->extents[t]), step->axes[t].slice.step,
                    step->to->extents[t], &own.low, &own.high);
        own.edge = step->axes[t].edge;
    }
    return own;
}

static int64_t within_bounds(int64_t n, int64_t extent)
{
    return n < 0 ? 0 : n < extent ? n : extent;
}

static bool lies_inside(const struct bounded *piece)
{
    return piece->low <= 0 && piece->high >= piece->extent;
}

/* Makes one of a piece and the next one above it, where all of the lower lies inside and its elements go on there. */
static bool join_pieces(struct bounded *lower, const struct bounded *upper)
{
    if (!lies_inside(lower) || (upper->edge && !lies_inside(upper)) ||
        upper->stride != lower->stride * lower->extent)
        return false;
    const int64_t each = lower->extent;
    *lower = (struct bounded){each * upper->extent, lower->stride, each * within_bounds(upper->low, upper->extent),
                              each * within_bounds(upper->high, upper->extent), EDGE_VALUE};
    return true;
}

/* The pieces of a level; at least one. */
static int level_pieces(const struct walk_level *level, struct bounded *pieces)
{
    int count = 0;
    for (int k = 0; k < level->pieces.count || k == 0; k++) {
        const struct bounded next = level_piece(level, k);
        if (!level->bounds || k == 0 || !join_pieces(&pieces[count - 1], &next))
            pieces[count++] = next;
    }
    return count;
}

/* The numbers of one level, as struct weft_geometry says. Returns how many these are; `to` may be NULL. */
static int put_level(const struct walk_level *level, bool bounded, long long *to)
{
    struct bounded pieces[MAX_PIECES];
    const int count = level_pieces(level, pieces), head = bounded ? 3 : 2;
    for (int k = 0; to && k < count; k++) {
        to[head + k] = pieces[k].extent;
        to[head + count + k] = pieces[k].stride;
        if (bounded) {
            to[head + 2 * count + k] = pieces[k].low;
            to[head + 3 * count + k] = pieces[k].high;
            to[head + 4 * count + k] = pieces[k].edge;
        }
    }
    if (to) {
        to[0] = count;
        to[1] = level->pieces.offset;
    }
    if (to && bounded)
        to[2] = level->bounds ? (long long)level->bounds->value : 0;
    return head + (bounded ? 5 : 2) * count;
}

/* What a kernel finds the elements of a mapped or bounded access with: levels, the first of which takes apart the
 * place in the row, or the number that the kernel computes. Returns how many numbers that is; `to` may be NULL. */
SHARED int make_map(const struct grouping *groups, int first, int64_t part, int a, long long *to)
{
    const struct walk *walk = groups->walks[a];
    const bool bounded = walk_is_bounded(walk);
    struct walk_level row;
    int size = 1;
    row.bounds = NULL;
    row_pieces(groups, first, part, a, &row.pieces);
    if (to)
        to[0] = walk->level_count + !walk->taken;
    for (int i = walk->taken; i <= walk->level_count; i++)
        size += put_level(i ? &walk->levels[i - 1] : &row, bounded, to ? to + size : NULL);
    return size;
}

/* Makes loads turned that step from row to row, along group `outer`, by one element, so that what lies in a cache line
 * belongs to many rows. Returns the bytes of the widest element; 0: there is none. */
SHARED int transpose_loads(const struct grouping *groups, int outer, int loads, int64_t columns, unsigned char *kinds)
{
    int most = 0;
    for (int a = 0; a < loads && outer >= 0 && columns >= BLOCK; a++) {
        if (kinds[a] != ACCESS_STRIDED || groups->walks[a] || group_strides(groups, outer)[a] != groups->sizes[a])
            continue;
        kinds[a] = ACCESS_TRANSPOSED;
        most = groups->sizes[a] > most ? groups->sizes[a] : most;
    }
    return most;
}

static struct tiling tile_by(int64_t tile_rows, int64_t tile_columns, int64_t rows, int64_t columns)
{
    const int64_t row_tiles = divide_upwards(columns, tile_columns);
    return (struct tiling){tile_rows, tile_columns, row_tiles, divide_upwards(rows, tile_rows) * row_tiles};
}

/* Tiles of as many of the rows that lie `beside` each other as a cache line has elements of `most` bytes. What is only
 * `copied` needs no buffer: templates/kernel/transpose_c.h has one for tiles of TRANSPOSED_TILE bytes. */
SHARED struct tiling transpose_tiles(int64_t beside, int64_t rows, int64_t columns, int most, bool copied)
{
    const int64_t tile_rows = within(TRANSPOSED_LINE / most, beside);
    const bool wide = copied && tile_rows == TRANSPOSED_LINE / most;
    const int bytes = wide ? TRANSPOSED_WIDE : TRANSPOSED_TILE;
    return tile_by(tile_rows, within(bytes / most / tile_rows / BLOCK * BLOCK, columns), rows, columns);
}


/* Whether the two innermost groups run as rows of groups of 2, 3 or 4, of which loads with two strides gather a tile's
 * part at once. That is faster than expanding several groups, where rows are long. `flat` and `nested` are
 * runs_flat's. */
SHARED bool interleaves(const struct grouping *groups, bool flat, bool nested)
{
    const int inner = groups->count - 1;
    return flat && nested && groups->extents[inner] <= INTERLEAVED_MOST &&
           groups->extents[inner] * groups->extents[inner - 1] >= LONG_ROW;
}

/* Whether an access steps through the two innermost groups as through one. */
static bool is_even(const struct grouping *groups, int a)
{
    const int inner = groups->count - 1;
    return group_strides(groups, inner - 1)[a] == groups->extents[inner] * group_strides(groups, inner)[a];
}

/* Whether the offsets of elements within group `first` and following fit an int. */
static bool fits_int(const struct grouping *groups, int first, int a)
{
    int64_t reach = 0;
    for (int i = first; i < groups->count; i++) {
        const int64_t stride = group_strides(groups, i)[a], step = stride < 0 ? -stride : stride;
        if (step > INT32_MAX || groups->extents[i] > INTERLEAVED_ROOM)
            return false;
        reach += step * (groups->extents[i] - 1);
    }
    return reach <= INT32_MAX;
}

/* Joins the two innermost groups where they are short, as of pixels that are repeated, and all that is not one step
 * along both are loads that can be interleaved. folded->strides are there, as many as there are. */
SHARED bool fold(const struct grouping *groups, int loads, struct grouping *folded)
{
    enum { BYTES = 16 };
    const int inner = groups->count - 1;
    const int64_t both = inner < 2 ? 0 : groups->extents[inner] * groups->extents[inner - 1];
    int64_t *const strides = folded->strides;
    bool some = false;
    if (inner < 2 || both > INTERLEAVED_ROOM || both * groups->extents[inner - 2] < LONG_ROW)
        return false;
    for (int a = 0; a < groups->accesses; a++) {
        const bool may = a < loads && group_strides(groups, inner - 2)[a] && both * groups->sizes[a] <= BYTES;
        if (groups->walks[a] || (!is_even(groups, a) && !may) || !fits_int(groups, inner - 1, a))
            return false;
        some = some || !is_even(groups, a);
    }
    *folded = *groups;
    folded->strides = strides;
    folded->count = inner;
    folded->extents[inner - 1] = both;
    for (int g = 0; g < inner; g++)
        for (int a = 0; a < groups->accesses; a++)
            group_strides(folded, g)[a] = group_strides(groups, g < inner - 1 ? g : inner)[a];
    return some;
}

/* Makes loads with two strides interleaved: offsets[a] become those of a group's elements, along the last group or,
 * where that is `folded`, two. Returns whether there are any. */
SHARED bool interleave_loads(const struct grouping *groups, bool folded, int loads, int64_t period,
                             unsigned char *kinds, int (*offsets)[INTERLEAVED_ROOM])
{
    const int inner = groups->count - 1;
    bool interleaved = false;
    for (int a = 0; a < loads; a++) {
        if (folded && !is_even(groups, a))
            kinds[a] = ACCESS_NESTED;
        if (kinds[a] != ACCESS_NESTED || period > INTERLEAVED_ROOM || !fits_int(groups, inner - folded, a))
            continue;
        for (int64_t c = 0; c < period; c++) {
            const int64_t above = folded ? c / groups->extents[inner] : 0, rest = c - above * groups->extents[inner];
            offsets[a][c] = (int)((folded ? above * group_strides(groups, inner - 1)[a] : 0) +
                                  rest * group_strides(groups, inner)[a]);
        }
        kinds[a] = ACCESS_INTERLEAVED;
        interleaved = true;
    }
    return interleaved;
}

/* Tiles that begin with a group. */
SHARED struct tiling interleave_tiles(int64_t rows, int64_t columns)
{
    enum { WHOLE = 3 * BLOCK };    /* a multiple of 2, 3, 4, 6 and 8 */
    const int64_t tile_columns = within(TILE / WHOLE * WHOLE, columns);
    return tile_by(within(TILE / tile_columns, rows), tile_columns, rows, columns);
}


/* Rows whose loads may be deinterleaved: strides and kinds as in struct rows; same[a]: the first load of the same
 * tensor. */
struct parting {
    int loads, groups;
    const int *same;
    int64_t *strides;
    unsigned char *kinds;
    unsigned char *unread;         /* [loads] of a load with others that it does not go together with: elements of a
                                      step that none reads; NULL: nobody asks */
};

static int64_t *strides_of(const struct parting *p, int a)
{
    return p->strides + (ptrdiff_t)a * (p->groups + 2);
}

/* Whether load b is one of those that may be deinterleaved together with load a. */
static bool goes_with(const struct grouping *groups, const struct parting *p, int a, int b)
{
    bool same = p->kinds[b] == ACCESS_STRIDED && !groups->walks[b] && p->same[a] == p->same[b];
    for (int i = 0; same && i <= p->groups; i++)
        same = strides_of(p, a)[i] == strides_of(p, b)[i];
    return same;
}

static void set_deinterleaved(const struct grouping *groups, const struct parting *p, int a, int64_t low)
{
    p->kinds[a] = ACCESS_DEINTERLEAVED;
    strides_of(p, a)[p->groups + 1] = groups->starts[a] - low;
}

/* Makes load a deinterleaved, and those that go with it, if together they read every element of what they step over. */
static void part_load(const struct grouping *groups, const struct parting *p, int a)
{
    const int64_t step = strides_of(p, a)[p->groups];
    const int size = groups->sizes[a];
    int64_t low = groups->starts[a], parts = step % size ? 0 : step / size;
    unsigned found = 0;
    int count = 0;
    if (parts < 2 || parts > (size < 8 ? DEINTERLEAVED_MOST : 3))
        return;
    for (int b = 0; b < p->loads; b++)
        if (goes_with(groups, p, a, b) && groups->starts[b] < low)
            low = groups->starts[b];
    for (int b = 0; b < p->loads; b++) {
        const int64_t from = groups->starts[b] - low;
        if (!goes_with(groups, p, a, b))
            continue;
        if (from >= step || from % size)
            return;
        found |= 1u << from / size;
        count++;
    }
    if (found != (1u << parts) - 1) {
        for (int64_t i = 0; p->unread && count > 1 && i < parts; i++)
            p->unread[a] += !(found >> i & 1);
        return;
    }
    for (int b = p->loads - 1; b >= 0; b--)
        if (b != a && goes_with(groups, p, a, b))
            set_deinterleaved(groups, p, b, low);
    set_deinterleaved(groups, p, a, low);
}

/* Finds loads of the same tensor that are made together; of a tensor there is one such set. The last stride of each
 * becomes by how many bytes it is behind the first of its set. */
SHARED void part_loads(const struct grouping *groups, const struct parting *p)
{
    for (int a = 0; a < p->loads; a++) {
        bool deinterleaved = false;
        for (int b = 0; b < a; b++)
            deinterleaved = deinterleaved || (p->kinds[b] == ACCESS_DEINTERLEAVED && p->same[a] == p->same[b]);
        if (!deinterleaved && goes_with(groups, p, a, a))
            part_load(groups, p, a);
    }
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


/* Elements before and behind the first one. */
struct reach {
    int64_t low, high;
    bool empty, dense;             /* dense: row-major without gaps */
};

/* Resolves strides (`given` NULL: dense row-major), 0 where an extent is 0 or 1: they are never taken, and any
 * is allowed. NULL, or what is wrong. */
SHARED const char *tensor_reach(int rank, const int64_t *shape, const int64_t *given, int64_t *strides,
                                struct reach *reach)
{
    const int64_t most = INT64_MAX / 16; /* elements: their bytes can be counted, too */
    int64_t dense = 1, distance;
    *reach = (struct reach){.dense = true};
    for (int d = rank - 1; d >= 0; d--) {
        const int64_t extent = shape[d], stride = given ? given[d] : dense;
        if (extent < 0)
            return "an extent is negative";
        reach->empty = reach->empty || extent == 0;
        strides[d] = extent <= 1 ? 0 : stride;
        if (extent <= 1)
            continue;
        reach->dense = reach->dense && stride == dense;
        if (OVERFLOWS(dense, extent, &dense) || dense > most)
            return "it has more elements than memory can hold";
        if (OVERFLOWS(extent - 1, stride, &distance) || distance > most || distance < -most)
            return "its strides reach further than memory does";
        reach->low += distance < 0 ? distance : 0;
        reach->high += distance > 0 ? distance : 0;
        if (reach->high - reach->low > most)
            return "its strides reach further than memory does";
    }
    return NULL;
}

static int64_t size_of_stride(int64_t stride)
{
    return stride < 0 ? -stride : stride;
}

/* Sorts dimensions by the size of their stride; an injective layout has each stride at least as large
 * as what the smaller ones span. Layouts that interleave otherwise are taken as overlapping. */
SHARED bool lies_on_itself(int rank, const int64_t *shape, const int64_t *strides)
{
    int order[32], count = 0;
    for (int d = 0; d < rank; d++) {
        if (shape[d] == 0)
            return false;
        if (shape[d] == 1)
            continue;
        const int64_t stride = size_of_stride(strides[d]);
        int at = count++;
        for (; at > 0 && size_of_stride(strides[order[at - 1]]) > stride; at--)
            order[at] = order[at - 1];
        order[at] = d;
    }
    int64_t span = 1;
    for (int i = 0; i < count; i++) {
        const int64_t stride = size_of_stride(strides[order[i]]);
        if (stride < span)
            return true;
        span = stride * (shape[order[i]] - 1) + span;
    }
    return false;
}

/* The greatest common divisor of `step` and all strides in bytes; 0: there are none. */
SHARED int64_t common_step(int rank, const int64_t *shape, const int64_t *strides, int64_t size, int64_t step)
{
    for (int d = 0; d < rank; d++) {
        int64_t x = shape[d] > 1 ? size_of_stride(strides[d]) * size : 0;
        while (x) {
            const int64_t rest = step % x;
            step = x;
            x = rest;
        }
    }
    return step;
}

/* Whether elements of `size` bytes that are multiples of `step` apart never meet those of `other` bytes which
 * begin `offset` bytes further: the even and the odd columns of one buffer, say. */
SHARED bool never_meet(int64_t offset, int64_t step, int64_t size, int64_t other)
{
    if (step == 0)
        return false;
    offset %= step;
    offset += offset < 0 ? step : 0;
    return offset >= size && offset + other <= step;
}

/* What a launch moves. */
struct traffic {
    double touched, stored;        /* bytes; the outputs' among them */
    bool joins, transposes, interleaves; /* whether it reduces, transposes, gathers groups */
    bool alone;                    /* it reads nothing but constants */
};

/* How many bytes before their use inputs that caches do not hold are prefetched; 0: not at all. */
SHARED int64_t fetched_ahead(const struct traffic *traffic)
{
    const bool reads = traffic->joins || traffic->transposes || traffic->interleaves;
    return traffic->touched >= (reads ? READ_BYTES : FETCHED_BYTES) ? FETCH_AHEAD : 0;
}

/* Whether outputs bypass the caches, since a plain store would read the line first. */
SHARED bool is_streamed(const struct traffic *traffic)
{
    return traffic->stored >= (traffic->interleaves  ? STREAMED_INTERLEAVED
                               : traffic->transposes ? STREAMED_TRANSPOSED
                               : traffic->alone ? STREAMED_ALONE
                                                : STREAMED_BYTES);
}

/* Whether lines of outputs that do not bypass the caches are fetched before they are written. */
SHARED bool is_claimed(const struct traffic *traffic)
{
    return traffic->transposes && traffic->stored >= CLAIMED_TRANSPOSED;
}

/* The sample of the first tile. */
SHARED const struct weft_sample *find_sample(const struct weft_args *args, long long tile)
{
    const struct weft_sample *sample = args->samples;
    for (long long count = args->sample_count; count > 1;) {
        const long long half = count / 2;
        if (sample[half].first_tile <= tile)
            sample += half, count -= half;
        else
            count = half;
    }
    return sample;
}

/* The number of the next tile in its sample, or -1. */
SHARED long long step_tile(const struct weft_args *args, struct weft_tile *tile)
{
    if (tile->next >= tile->end)
        return -1;
    if (!tile->sample)
        tile->sample = find_sample(args, tile->next);
    const struct weft_sample *const last = args->samples + args->sample_count - 1;
    while (tile->sample < last && tile->sample[1].first_tile <= tile->next)
        tile->sample++;
    return tile->next++ - tile->sample->first_tile;
}

/* Quotients of small numbers are often 0. */
SHARED long long divided(long long number, long long by, long long *rest)
{
    const long long quotient = number < by ? 0 : number / by;
    *rest = number - quotient * by;
    return quotient;
}

SHARED int next_tile(const struct weft_args *args, struct weft_band *band)
{
    const long long tile = step_tile(args, &band->tile);
    if (tile < 0)
        return 0;
    const struct weft_geometry *const s = band->tile.sample->geometry;
    const long long above = s->row_tiles == 1 ? tile : tile / s->row_tiles, row = above * s->tile_rows;
    band->next = row;
    band->stop = row + s->tile_rows < s->rows ? row + s->tile_rows : s->rows;
    band->column0 = (tile - above * s->row_tiles) * s->tile_columns;
    for (long long g = s->groups, rest = row; g-- > 0;)
        rest = divided(rest, s->extents[g], &band->at[g]);
    return 1;
}

/* Of rows that are not all equally long, the last of a group is a band of its own. */
SHARED int next_band(const struct weft_args *args, struct weft_band *band)
{
    band->fresh = band->next >= band->stop;
    if (band->fresh && !next_tile(args, band))
        return 0;
    const struct weft_geometry *const s = band->tile.sample->geometry;
    const long long inner = s->groups - 1, *const extents = s->extents;
    long long columns = s->columns, more = 1;
    band->start = band->tile.sample->bases;
    band->step = s->strides;
    for (long long k = 0; k < band->accesses && inner >= 0; k++) {
        const long long *const strides = s->strides + k * (s->groups + 2);
        char *p = band->tile.sample->bases[k];
        for (long long g = 0; g <= inner; g++)
            p += band->at[g] * strides[g];
        band->room[k] = p;
        band->steps[k] = strides[inner];
    }
    if (inner >= 0) {
        band->start = band->room;
        band->step = band->steps;
        more = extents[inner] - band->at[inner];
        if (s->last_columns && s->last_columns != columns) {
            columns = more == 1 ? s->last_columns : columns;
            more = more > 1 ? more - 1 : 1;
        }
    }
    band->column1 = band->column0 + s->tile_columns < columns ? band->column0 + s->tile_columns : columns;
    band->rows = more < band->stop - band->next ? more : band->stop - band->next;
    band->next += band->rows;
    for (long long g = inner, steps = band->rows; g >= 0 && (band->at[g] += steps) == extents[g]; g--, steps = 1)
        band->at[g] = 0;
    return 1;
}

SHARED long long find_rows(const struct weft_sample *sample, long long row, char **p, long long *step, long long access,
                           long long accesses)
{
    const struct weft_geometry *const s = sample->geometry;
    const long long inner = s->groups - 1;
    long long rows = 1;
    for (long long k = 0; k < accesses; k++) {
        p[k] = sample->bases[access + k];
        step[k] = inner < 0 ? 0 : s->strides[(access + k) * (s->groups + 2) + inner];
    }
    for (long long g = inner, at; g >= 0; g--) {
        row = divided(row, s->extents[g], &at);
        rows = g == inner ? s->extents[g] - at : rows;
        for (long long k = 0; k < accesses && at; k++)
            p[k] += at * s->strides[(access + k) * (s->groups + 2) + g];
    }
    return rows;
}

SHARED int next_part(const struct weft_args *args, struct weft_part *part)
{
    const long long tile = step_tile(args, &part->tile);
    if (tile < 0)
        return 0;
    const struct weft_lanes *const r = part->tile.sample->geometry->lanes;
    long long window;
    const long long above = divided(divided(tile, r->chunks, &part->chunk), r->windows, &window);
    const long long most = r->chunk * r->block;
    part->point = above * r->together;
    part->points = r->points - part->point < r->together ? r->points - part->point : r->together;
    part->from = window * r->width;
    part->inner = r->inner - part->from < r->width ? r->inner - part->from : r->width;
    part->element = part->chunk * most;
    part->stop = r->elements - part->element < most ? r->elements : part->element + most;
    return 1;
}

SHARED long long find_points(const struct weft_sample *sample, long long point, long long most, char **p,
                             long long *step, long long accesses, long long *column)
{
    const struct weft_geometry *const s = sample->geometry;
    const struct weft_lanes *const r = s->lanes;
    const long long outer = s->groups ? s->extents[s->groups - 1] : 1, fewer = s->last_columns / r->elements;
    long long inside, first;
    const long long turn = divided(point, (outer - 1) * r->beside + fewer, &inside);
    const long long row = divided(inside, r->beside, &first), count = (row + 1 < outer ? r->beside : fewer) - first;
    find_rows(sample, turn * outer + row, p, step, 0, accesses);
    *column = first * r->elements;
    return count < most ? count : most;
}
f32 rintf(f32) PURE;
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
#pragma GCC push_options
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", "signed-zeros", \
                     "no-associative-math", "no-reciprocal-math", "no-rounding-math", "no-math-errno", \
                     "no-trapping-math", "fp-contract=off")
#elif defined __FAST_MATH__
#error "this compiler's fast math cannot be turned off from here: compile this file without it"
#endif
/* Helpers come in groups, of which not every loop uses all, and for every type, signed or not. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that it cannot vectorize */
#pragma clang diagnostic ignored "-Wtautological-compare" /* an integer that is no NaN */
#endif
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC push_options
#pragma GCC optimize("O3", "no-tree-ter") /* gcc 12 fails on max under a mask of AVX-512: runtime/cc/cc.c */
#endif

/* Whether x * y + z rounds once: clang's -ffp-contract=fast fuses whatever pragmas say, where the processor can,
 * and no macro tells. */
static bool weft_fuses(void)
{
    volatile double x = 1 + 0x1p-30, y = 1 - 0x1p-30, z = -1;
    return x * y + z != 0;
}

#if defined PIECE
#elif defined __AVX512BW__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* see no masks */
#define PIECE 64
#elif defined __AVX2__
#define PIECE 32
#else
#define PIECE 16
#endif
#if defined __GNUC__ && !defined __TINYC__
/* Copies the `count` elements of `size` bytes with which a row ends, and fills the `block` of `all` of them with the
 * last one. A vector's bytes are stored at once: the kernel would wait for parts of it. */
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size, end = all * size;
    const unsigned char *const last = (const unsigned char *)from + bytes - size;
    unsigned long long word;
    switch (size) {
    case 1: word = *last * 0x0101010101010101u; break;
    case 2: word = (last[0] | (unsigned)last[1] << 8) * 0x0001000100010001u; break;
    case 4: memcpy(&word, last, 4); word = (word & 0xffffffffu) * 0x0000000100000001u; break;
    default: memcpy(&word, last, 8);
    }
    const piece fill = (piece){0} + word;
    char *const to = block;
#if PIECE == 64
    int k = 0;
    for (; k < bytes; k += PIECE) {
        piece x = fill;
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+v"(x) : "m"(*(const piece *)((const char *)from + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
        *(piece *)(to + k) = x;
    }
    for (; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
#else
    for (int k = bytes / PIECE * PIECE; k < end; k += PIECE)
        *(piece *)(to + k) = fill;
    memcpy(to, from, (size_t)bytes);
#endif
    return block;
}

/* Copies `count` elements from a block to where they belong. */
SHARED void put_block(void *to, const void *block, int count, int size)
{
#if PIECE == 64
    typedef unsigned long long piece __attribute__((vector_size(PIECE), aligned(1), may_alias));
    const int bytes = count * size;
    for (int k = 0; k < bytes; k += PIECE)
        __asm__("vmovdqu8 %1, %0%{%2%}" : "+m"(*(piece *)((char *)to + k))
                : "v"(*(const piece *)((const char *)block + k)),
                "Yk"(bytes - k < PIECE ? (1ull << (bytes - k)) - 1 : ~0ull));
#else
    memcpy(to, block, (size_t)count * (size_t)size);
#endif
}

/* C's fmod where the quotient is 2^21 or more, in float64 2^50, or none of finite numbers. Of sizes: mx and my are
 * their fractions from 1 to 2, `left` is the difference of their exponents. A step takes the nearest multiple of my
 * from mx * 2^25. The quotient there has 26 bits and the halves of my have 27, so all products and differences are
 * exact, also without fused multiply-adds. */
SHARED void fmod_block(void *r, const void *a, const void *b, int count, int size)
{
    typedef unsigned long long words __attribute__((vector_size(PIECE), may_alias));
    typedef long long signs __attribute__((vector_size(PIECE), may_alias));
    typedef double numbers __attribute__((vector_size(PIECE), may_alias));
    enum { LANES = PIECE / 8, SOME = 64, PIECES = SOME / LANES, STEP = 25 };
    const double limit = size == 4 ? 0x1p21 : 0x1p50;
    const unsigned long long one = 1023ull << 52, infinity = 2047ull << 52, fraction = ~0ull >> 12, sign = 1ull << 63;
    numbers x[PIECES] = {{0}}, y[PIECES] = {{0}}, rest[PIECES], high[PIECES], low[PIECES], inverse[PIECES];
    signs left[PIECES], usual[PIECES];
    words power[PIECES], tiny[PIECES];
    int at[SOME];
    for (int from = 0; from < count; from += SOME) {
        const int some = count - from < SOME ? count - from : SOME;
        long long most = 0;
        int found = 0, pieces;
        for (int j = from; j < from + some; j++) {
            const double of_x = size == 4 ? (double)((const float *)a)[j] : ((const double *)a)[j];
            const double of_y = size == 4 ? (double)((const float *)b)[j] : ((const double *)b)[j];
            const double least = __builtin_fabs(of_y);
            ((double *)x)[found] = of_x;
            ((double *)y)[found] = of_y;
            at[found] = j;
            found += !(__builtin_fabs(of_x) < least * limit) | !(least < (double)__builtin_inff());
        }
        pieces = (found + LANES - 1) / LANES;
        for (int k = 0; k < pieces; k++) {
            const numbers of_x = (numbers)((words)x[k] & ~sign), of_y = (numbers)((words)y[k] & ~sign);
            const words few = (words)(of_x < 0x1p-1022) & 54, fewer = (words)(of_y < 0x1p-1022) & 54; /* subnormal */
            const words mx = (words)(of_x * (numbers)(one + (few << 52)));
            const words my = (words)(of_y * (numbers)(one + (fewer << 52)));
            usual[k] = (signs)((words)(of_x >= of_y) & (words)(of_y > 0) & (words)((words)of_x < infinity));
            left[k] = usual[k] & (signs)((mx >> 52) - few - (my >> 52) + fewer);
            power[k] = my & infinity;
            tiny[k] = one - (fewer << 52);
            rest[k] = (numbers)((mx & fraction) | one);
            const numbers divisor = (numbers)((my & fraction) | one);
            high[k] = (numbers)((words)divisor & ~0ull << 26);
            low[k] = divisor - high[k];
            inverse[k] = 1 / divisor;
            for (int lane = 0; lane < LANES; lane++)
                most = left[k][lane] > most ? left[k][lane] : most;
        }
        for (most += most == 0; most > 0; most -= STEP) {
            for (int k = 0; k < pieces; k++) {
                const signs more = (signs)(left[k] > STEP), step = (more & STEP) | (~more & left[k]);
                const numbers large = rest[k] * (numbers)(((words)step << 52) + one);
                const numbers quotient = large * inverse[k] + 0x1.8p52 - 0x1.8p52;
                rest[k] = large - quotient * high[k] - quotient * low[k];
                left[k] -= step;
            }
        }
        for (int k = 0; k < pieces; k++) {
            const words negative = (words)(rest[k] < 0), divisor = (words)(high[k] + low[k]);
            const numbers positive = rest[k] + (numbers)(negative & divisor);
            const words value = (words)(positive * (numbers)power[k] * (numbers)tiny[k]);
            const words of_x = (words)x[k] & ~sign, of_y = (words)y[k] & ~sign;
            const words whole = (words)(of_x < infinity) & (words)(of_y - 1 < infinity);
            const words other = (whole & of_x) | (~whole & ~0ull << 51); /* a, where b is larger; or NaN */
            x[k] = (numbers)(((words)usual[k] & value) | (~(words)usual[k] & other) | ((words)x[k] & sign));
        }
        for (int k = 0; k < found; k++) {
            if (size == 4)
                ((float *)r)[at[k]] = (float)((const double *)x)[k];
            else
                ((double *)r)[at[k]] = ((const double *)x)[k];
        }
    }
}
#else
SHARED const void *pad_block(void *block, const void *from, int count, int size, int all)
{
    memcpy(block, from, (size_t)(count * size));
    for (int k = count; k < all; k++)
        memcpy((char *)block + k * size, (const char *)block + (count - 1) * size, (size_t)size);
    return block;
}

SHARED void put_block(void *to, const void *block, int count, int size)
{
    memcpy(to, block, (size_t)(count * size));
}

#define fmod_block 0 /* no kernel calls it */
#endif

SHARED const struct weft_calls *kernel_calls(void)
{
    static const struct weft_calls calls = {next_band, next_part, find_points, find_rows, pad_block, put_block,
                                            fmod_block};
    return &calls;
}
#undef PIECE
#if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__
enum { LANES = 16 };
#define WIDE "v"
#define HALF(n) "%t" #n
#define INSERT "vinserti64x4"
#define BYTES_IN_ORDER {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
#define WORDS_IN_ORDER {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
#elif defined __GNUC__ && !defined __TINYC__ && defined __AVX2__
enum { LANES = 8 };
#define WIDE "x"
#define HALF(n) "%x" #n
#define INSERT "vinserti128"
#define BYTES_IN_ORDER {0, 4, 1, 5, 2, 6, 3, 7}
#define WORDS_IN_ORDER {0, 1, 4, 5, 2, 3, 6, 7}
#endif
#ifdef WIDE
typedef i32 ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u32 words __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u64 longs __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f64 doubles __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f32 floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u8 bytes __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
typedef u8 quarter __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef u8 half __attribute__((vector_size(2 * LANES), aligned(1), may_alias));
#define EXTEND_u8 "vpmovzxbd"
#define EXTEND_i8 "vpmovsxbd"
#define EXTEND_u16 "vpmovzxwd"
#define EXTEND_i16 "vpmovsxwd"
#define WORDS_u8 "vpackusdw"
#define WORDS_i8 "vpackssdw"
#define WORDS_u16 "vpackusdw"
#define WORDS_i16 "vpackssdw"
#define BYTES_u8 "vpackuswb"
#define BYTES_i8 "vpacksswb"
#define BYTES_u16 ""
#define BYTES_i16 ""
#define WORDS_i32 ""
#define BYTES_i32 ""
#define FOR(what, type) what##_##type
/* The products of low halves. */
static inline longs product(longs a, u64 b)
{
    const longs c = (longs){0} + b;
    longs r;
    __asm__("vpmuludq %2, %1, %0" : "=" WIDE(r) : WIDE(a), WIDE(c));
    return r;
}
static inline int streams(const struct weft_args *args, const void *to)
{
    return args->stream && (u64)to % sizeof(bytes) == 0;
}
static inline void stream(void *to, const void *from, int size)
{
    for (int k = 0; k < size; k += sizeof(bytes)) {
        const bytes x = *(const bytes *)((const char *)from + k);
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)((char *)to + k)) : WIDE(x));
    }
}
static inline void fence(void)
{
    __asm__ volatile("sfence" ::: "memory");
}
#else
static inline int streams(const struct weft_args *args, const void *to)
{
    return 0;
}
static inline void stream(void *to, const void *from, int size)
{
}
static inline void fence(void)
{
}
#endif
#ifdef __clang__ /* inline, clang 14 peels the loop behind by an element, and reads across stores */
#define CONVERSION SEPARATE static
#else
#define CONVERSION static inline
#endif
/* Brings what a later block reads near, if the work is large. */
static inline void fetch(const void *from, i64 ahead, int size)
{
#if defined __GNUC__ && !defined __TINYC__
    if (!ahead)
        return;
    for (int k = 0; k < BLOCK * size; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* The same for a load along a row that begins at `p`, of groups of `period` columns that lie `jump` bytes apart:
 * `count` from `i` on, of a tile that has those from `begin` to `end`. Where it descends a processor stops at a page;
 * what the next tile or row reads is then fetched, upwards. Not inline, gcc takes calls for ones without an effect. */
#if defined __GNUC__ && !defined __TINYC__
__attribute__((always_inline))
#endif
static inline void fetch_row(const struct weft_args *args, const struct weft_geometry *s, const char *p,
                             const i64 *strides, i64 period, i64 begin, i64 end, i64 i, i64 count)
{
#if defined __GNUC__ && !defined __TINYC__
    const i64 jump = strides[s->groups + (period > 1)], most = 64 * period;
    if (!args->ahead || jump > most || jump < -most || (end - begin) * -jump > 16384)
        return;
    if (jump >= 0)
        p += i * jump + args->ahead;
    else if (s->row_tiles == 1 && s->groups)
        p += strides[s->groups - 1] + (end - i + begin) * jump;
    else
        p += (2 * end - i) * jump;
    for (i64 k = 0, bytes = count * (jump < 0 ? -jump : jump); k < bytes; k += 64)
        __builtin_prefetch(p + k);
#endif
}
/* Elements in front of the first block that starts on a cache line. */
static inline i64 first_block(const struct weft_args *args, const char *to, int size)
{
    return args->stream ? (i64)(-(u64)to % 64 / size) % BLOCK : 0;
}
/* Where large work is written past the caches, brings what is not at the end of a row of `count` elements: plain stores
 * to it hold up those behind them. Not inline, gcc takes calls for ones without an effect. */
static inline void fetch_end(const struct weft_args *args, const char *to, i64 count, int size)
{
#if defined __GNUC__ && !defined __TINYC__
    if (!args->stream || count < BLOCK)
        return;
    for (i64 rest = (count - first_block(args, to, size)) % BLOCK * size; rest > 0; rest -= 64)
        __builtin_prefetch(to + count * size - rest, 1);
#endif
}
/* Repeats a few elements into a pattern. */
SEPARATE static void repeat_f32(f32_m *pattern, const char *from, i64 step, i64 period)
{
    for (i64 j = 0; j < period; j++)
        pattern[j] = *(const f32_m *)(from + j * step);
    for (i64 j = period; j < period + BLOCK; j++)
        pattern[j] = pattern[j - period];
}
#ifdef WIDE
/* Converts a block of small integers to float32. */
CONVERSION void widen_u8_f32(f32_m *r, const u8_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        ints x;
        floats y;
        if (sizeof(u8) == 1)
            __asm__(FOR(EXTEND, u8) " %1, %0" : "=" WIDE(x) : "m"(*(const quarter *)(a + j)));
        else
            __asm__(FOR(EXTEND, u8) " %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        __asm__("vcvtdq2ps %1, %0" : "=" WIDE(y) : WIDE(x));
        *(floats *)(r + j) = y;
    }
}
#else
/* Converts a block of small integers to float32. */
CONVERSION void widen_u8_f32(f32_m *r, const u8_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = (f32)a[j];
}
#endif
static inline u8 roundsat_f32_u8(f32 a)
{
    /* Bounds that f32 holds: of 4 bytes from 4 the largest below the next power of 2. */
    const u8 top = (u8)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    const u8 bottom = (u8)-1 < (u8)1 ? (u8)(-top - 1) : (u8)0;
    const f32 above = (f32)top, most = sizeof(u8) == sizeof(f32) ? above - above / (1 << 24) : above;
    f32 x = a > (f32)bottom ? a : (f32)bottom; /* of NaN, too */
    x = x < most ? x : most;
    u8 r;
    if (sizeof(u8) < 8 && sizeof(f32) == 8) {
        /* 1.5 * 2^52 more rounds to a whole number, in the low bits. */
        const union {
            double value;
            unsigned long long word;
        } rounded = {(double)x + 0x1.8p52};
        r = (u8)rounded.word;
    } else if (sizeof(u8) < sizeof(f32)) {
        x = rintf(x) + (f32)0; /* no -0, see dialect.h */
        r = sizeof(u8) < sizeof(int) ? (u8)(int)x : (u8)x;
    } else if (sizeof(u8) == 4) {
        const u8 whole = (u8)(rintf(x) + (f32)0);
        r = a >= above ? top : whole;
    } else {
        const f32 whole = rintf(a) + (f32)0;
        const u8 inside = (u8)(whole >= (f32)bottom && whole < above ? whole : (f32)0);
        return whole >= above ? top : whole < (f32)bottom ? bottom : inside;
    }
    return (u8)-1 < (u8)1 && a != a ? (u8)0 : r;
}
#ifdef WIDE
/* Halves to even; above u8 becomes its largest, NaN 0; below stays below, for the packing to saturate. Of 32 bits an
 * int32 that is too large or too small becomes the smallest. */
static inline ints whole_f32_u8(const f32_m *a)
{
    const f32 largest = (f32)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    ints r;
    if (sizeof(f32) == 8) {
        const doubles top = (doubles){0} + (f64)largest;
        ints parts[2];
        for (int k = 0; k < 2; k++) {
            doubles x = *(const doubles *)(a + k * LANES / 2);
            if ((u8)-1 < (u8)1)
                x = (doubles)((longs)x & (longs)(x == x));
            __asm__("vminpd %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
            __asm__("vcvtpd2dq %1, " HALF(0) : "=" WIDE(parts[k]) : WIDE(x));
        }
        __asm__(INSERT " $1, " HALF(2) ", %1, %0" : "=" WIDE(r) : WIDE(parts[0]), WIDE(parts[1]));
        return r;
    }
    const floats top = (floats){0} + (f32)largest;
    floats x = *(const floats *)a;
    if ((u8)-1 < (u8)1)
        x = (floats)((ints)x & (ints)(x == x));
    if (sizeof(u8) == 4) {
        __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
        return r ^ (ints)(x >= top); /* the largest */
    }
    __asm__("vminps %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
    __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
    return r;
}
/* Rounds a block of floats to small integers. */
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    const ints words_ = WORDS_IN_ORDER, bytes_ = BYTES_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 4 * LANES / sizeof(u8)) {
        ints x = whole_f32_u8(a + j), y = x;
        if (sizeof(u8) == 4) {
            *(ints *)(r + j) = x;
            continue;
        }
        y = whole_f32_u8(a + j + LANES);
        __asm__(FOR(WORDS, u8) " %1, %0, %0" : "+" WIDE(x) : WIDE(y));
        if (sizeof(u8) == 1) {
            ints z = whole_f32_u8(a + j + 2 * LANES), w = whole_f32_u8(a + j + 3 * LANES);
            __asm__(FOR(WORDS, u8) " %1, %0, %0" : "+" WIDE(z) : WIDE(w));
            __asm__(FOR(BYTES, u8) " %1, %0, %0" : "+" WIDE(x) : WIDE(z));
        }
        __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(sizeof(u8) == 1 ? bytes_ : words_));
        *(bytes *)(r + j) = (bytes)x; /* an output may have any alignment */
    }
}
#else
/* Rounds a block of floats to small integers. */
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = roundsat_f32_u8(a[j]);
}
#endif
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(u8_m) * step * (int)sizeof(u8_m) + k % (int)sizeof(u8_m))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
static inline const u8_m *sieve_u8(u8_m *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(u8_m), ONE = sizeof(u8_m) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const u8_m *pick_u8(u8_m *block, const u8_m *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return sieve_u8(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
/* Brings a block whose elements are a step apart. */
SEPARATE static const u8_m *gather_u8(u8_m *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 3);
    if (m == BLOCK && sizeof(u8_m) < 8 && step == 4 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const u8_m *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(f32_m) * step * (int)sizeof(f32_m) + k % (int)sizeof(f32_m))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
static inline const f32_m *sieve_f32(f32_m *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(f32_m), ONE = sizeof(f32_m) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const f32_m *pick_f32(f32_m *block, const f32_m *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return sieve_f32(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
/* Brings a block whose elements are a step apart. */
SEPARATE static const f32_m *gather_f32(f32_m *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 3);
    if (m == BLOCK && sizeof(f32_m) < 8 && step == 4 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const f32_m *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
/* Stores a block whose elements are a step apart. */
SEPARATE static void scatter_u8(char *to, i64 step, const u8_m *block, int m)
{
    for (int j = 0; j < m; j++)
        *(u8_m *)(to + j * step) = block[j];
}
#undef ROLLED
#define ROLLED

static void loop_contrast_0_upsu(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 4 };
    ALIGNED u8_m w_img[BLOCK];
    ALIGNED f32_m w_middle[BLOCK + 512];
    ALIGNED u8_m w_out[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_6 = (f32_m *)slots[1];
    char *room[ACCESSES], *p[ACCESSES];
    i64 steps[ACCESSES], at[64];
    struct weft_band band = {{0, begin, end}, ACCESSES, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0};
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        const struct weft_sample *const sample = band.tile.sample;
        const struct weft_geometry *const s = sample->geometry;
        const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step;
        const i64 column0 = band.column0, column1 = band.column1;
        char *const *const start = band.start;
        const int fresh = band.fresh;
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            repeat_f32(w_middle, p[1], s->strides[1 * stride + groups], s->period); /* middle */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            const f32 in_gain = *(const f32_m *)p[2]; /* gain */
            head = first_block(args, p[3] + column0 * sizeof(u8_m), sizeof(u8_m));
            fetch_end(args, p[3] + step[3] + column0 * sizeof(u8_m), column1 - column0, sizeof(u8_m)); /* of the next row */
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m; /* fewer are padded to a block, and put back alone */
                head = 0;
                const u8_m *x_img = (const u8_m *)p[0] + i; /* img */
                if (RARE(m < BLOCK))
                    x_img = args->calls->pad(w_img, x_img, m, sizeof(u8_m), BLOCK);
                fetch(x_img, args->ahead, sizeof *x_img);
                const f32_m *const x_middle = w_middle + phase;
                u8_m *const o_out = (u8_m *)p[3] + i; /* out */
                const int n_out = m == BLOCK && streams(args, o_out);
                u8_m *const y_out = m < BLOCK || n_out ? w_out : o_out;
                widen_u8_f32(v_2, x_img); /* img  3:19 */
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_2 = v_2[j];
                    const f32 in_middle = x_middle[j];
                    const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
                    const f32 t_5 = t_3 * in_gain; /* (img - middle) * gain  3:18 */
                    const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
                    v_6[j] = t_6;
                }
                narrow_f32_u8(y_out, v_6); /* uint8((img - middle) * gain + middle)  3:12 */
                phase += m == BLOCK ? advance : m % s->period;
                if (phase >= s->period)
                    phase -= s->period;
                if (RARE(m < BLOCK))
                    args->calls->put(o_out, w_out, m, sizeof(u8_m));
                else if (RARE(n_out))
                    stream(o_out, w_out, BLOCK * sizeof *w_out);
            }
        }
    }
    if (args->stream)
        fence();
}

static void loop_contrast_0_any(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 4 };
    ALIGNED u8_m w_img[BLOCK];
    ALIGNED f32_m w_middle[BLOCK];
    ALIGNED f32_m w_gain[BLOCK];
    ALIGNED u8_m w_out[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_6 = (f32_m *)slots[1];
    char *room[ACCESSES], *p[ACCESSES];
    i64 steps[ACCESSES], at[64];
    struct weft_band band = {{0, begin, end}, ACCESSES, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0};
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        const struct weft_sample *const sample = band.tile.sample;
        const struct weft_geometry *const s = sample->geometry;
        const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step;
        const i64 column0 = band.column0, column1 = band.column1;
        char *const *const start = band.start;
        const int fresh = band.fresh;
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m; /* fewer are padded to a block, and put back alone */
                head = 0;
                const u8_m *const x_img = gather_u8(w_img, p[0] + i * s->strides[0 * stride + groups], s->strides[0 * stride + groups], m); /* img */
                if (s->strides[0 * stride + groups] < 0)
                    fetch_row(args, s, p[0], s->strides + 0 * stride, 1, column0, column1, i, m);
                const f32_m *const x_middle = gather_f32(w_middle, p[1] + i * s->strides[1 * stride + groups], s->strides[1 * stride + groups], m); /* middle */
                if (s->strides[1 * stride + groups] < 0)
                    fetch_row(args, s, p[1], s->strides + 1 * stride, 1, column0, column1, i, m);
                const f32_m *const x_gain = gather_f32(w_gain, p[2] + i * s->strides[2 * stride + groups], s->strides[2 * stride + groups], m); /* gain */
                if (s->strides[2 * stride + groups] < 0)
                    fetch_row(args, s, p[2], s->strides + 2 * stride, 1, column0, column1, i, m);
                u8_m *const y_out = w_out; /* out */
                widen_u8_f32(v_2, x_img); /* img  3:19 */
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_2 = v_2[j];
                    const f32 in_middle = x_middle[j];
                    const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
                    const f32 in_gain = x_gain[j];
                    const f32 t_5 = t_3 * in_gain; /* (img - middle) * gain  3:18 */
                    const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
                    v_6[j] = t_6;
                }
                narrow_f32_u8(y_out, v_6); /* uint8((img - middle) * gain + middle)  3:12 */
                scatter_u8(p[3] + i * s->strides[3 * stride + groups], s->strides[3 * stride + groups], w_out, m);
            }
        }
    }
}
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic pop
#endif
#define LOOP(loop) {loop}

static int level(void)
{
    return 0;
}

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

struct tensor;

struct kernel {
    int inputs, results, loops, temporaries;
    const struct operand *operand; /* inputs, then results */
    const struct form *shape;      /* [results] */
    const unsigned char *replaces; /* [results][inputs] whether it may be the input's very buffer */
    const struct loop *loop;       /* in the order in which they run */
    const struct temporary *temporary;
    const struct weft_note *note;
    int (*extents)(const struct tensor *in, int64_t *d); /* of the call, from the inputs; 0 or a note */
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

static _Thread_local struct weft_note weft_last_note;

static int tell(int status, const char *name, const char *text)
{
    weft_last_note = (struct weft_note){status, 0, 0, name, text};
    return status;
}

/* Keeps the remark that comes first in the text. `first` has line 0 before there is one. */
static void keep_first(struct place *first, const struct place *place)
{
    if (!first->line || place->line < first->line || (place->line == first->line && place->column < first->column))
        *first = *place;
}

static int tell_remark(const struct place *first)
{
    if (!first->line)
        return WEFT_KERNEL_OK;
    weft_last_note = (struct weft_note){first->status, first->line, first->column, NULL,
                                        first->status == WEFT_KERNEL_OUT_OF_RANGE
                                            ? "a position lies outside, which gives 0"
                                            : "an integer is divided by zero, which gives 0"};
    return first->status;
}

/* The extents and strides of a tensor. */
static int read_layout(const struct operand *operand, const int64_t *shape, const int64_t *strides,
                       struct tensor *tensor, struct reach *reach)
{
    if (operand->rank && !shape)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its shape is NULL");
    for (int d = 0; d < operand->rank; d++)
        tensor->shape[d] = shape[d];
    const char *wrong = tensor_reach(operand->rank, shape, strides, tensor->strides, reach);
    return wrong ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, wrong) : WEFT_KERNEL_OK;
}

/* `shape` is that of a result where the caller gives none. */
static int read_tensor(const struct operand *operand, const struct weft_array *from, const int64_t *shape,
                       struct tensor *tensor)
{
    struct reach reach;
    tensor->operand = operand;
    tensor->data = from->data;
    tensor->rank = operand->rank;
    const int wrong = read_layout(operand, from->shape ? from->shape : shape, from->strides, tensor, &reach);
    if (wrong)
        return wrong;
    tensor->first = (uintptr_t)from->data + (uintptr_t)reach.low * (uintptr_t)operand->size;
    tensor->end = tensor->first;
    if (reach.empty)
        return WEFT_KERNEL_OK;
    tensor->end += ((uintptr_t)(reach.high - reach.low) + 1) * (uintptr_t)operand->size;
    if (!from->data)
        return tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data pointer is NULL");
    return (uintptr_t)from->data % (uintptr_t)operand->alignment
               ? tell(WEFT_KERNEL_INPUT_ERROR, operand->name, "its data is not aligned to its elements")
               : WEFT_KERNEL_OK;
}

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

static bool same_tensors(const struct tensor *a, const struct tensor *b)
{
    bool same = a->data == b->data && a->rank == b->rank && a->operand->size == b->operand->size;
    for (int d = 0; same && d < a->rank; d++)
        same = a->shape[d] == b->shape[d] && a->strides[d] == b->strides[d];
    return same;
}

/* Whether their elements may share bytes. */
static bool meet(const struct tensor *a, const struct tensor *b)
{
    if (a->first == a->end || b->first == b->end || a->first >= b->end || b->first >= a->end)
        return false;
    const int64_t step = common_step(a->rank, a->shape, a->strides, a->operand->size,
                                     common_step(b->rank, b->shape, b->strides, b->operand->size, 0));
    return !never_meet(b->data - a->data, step, a->operand->size, b->operand->size);
}

/* The extents of a call, and whether its results can be had. */
static int find_extents(const struct kernel *kernel, const struct tensor *tensors, int64_t *d)
{
    const int wrong = kernel->extents(tensors, d);
    if (wrong)
        weft_last_note = kernel->note[wrong];
    for (int r = 0; !wrong && r < kernel->results; r++)
        if (volume(kernel->shape[r].rank, kernel->shape[r].extents, d) < 0)
            return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[kernel->inputs + r].name,
                        "it has more elements than memory can hold");
    return wrong ? weft_last_note.status : WEFT_KERNEL_OK;
}

/* The inputs of one sample, the extents that they give, and the results. */
static int read_sample(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, int64_t sample, struct tensor *tensors, int64_t *d)
{
    int64_t shape[MAX_RANK];
    for (int o = 0; o < kernel->inputs; o++) {
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], NULL, &tensors[o]);
        if (status)
            return status;
        tensors[o].sample = steps[o] ? sample : 0;
    }
    const int wrong = find_extents(kernel, tensors, d);
    for (int r = 0; !wrong && r < kernel->results; r++) {
        const int o = kernel->inputs + r;
        const struct form *form = &kernel->shape[r];
        for (int k = 0; k < form->rank; k++)
            shape[k] = extent(form->extents[k], d);
        const int status = read_tensor(&kernel->operand[o], arrays[o] + sample * steps[o], shape, &tensors[o]);
        if (status)
            return status;
        for (int k = 0; k < form->rank; k++)
            if (tensors[o].shape[k] != shape[k])
                return tell(WEFT_KERNEL_SHAPE_ERROR, kernel->operand[o].name, "its shape is not the result's");
    }
    return wrong;
}

/* Whether result `r` may be written although it shares bytes with operand `o`. */
static bool may_meet(const struct kernel *kernel, int r, const struct tensor *result, int o,
                     const struct tensor *other)
{
    return o < kernel->inputs && kernel->replaces[r * kernel->inputs + o] && same_tensors(result, other);
}

static int check_overlap(const struct kernel *kernel, const struct tensor *tensors)
{
    for (int r = 0; r < kernel->results; r++) {
        const struct tensor *result = &tensors[kernel->inputs + r];
        if (lies_on_itself(result->rank, result->shape, result->strides))
            return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name, "its own elements overlap");
        for (int o = 0; o < kernel->inputs + r; o++)
            if (meet(result, &tensors[o]) && !may_meet(kernel, r, result, o, &tensors[o]))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, result->operand->name,
                            "it overlaps a parameter or another result");
    }
    return WEFT_KERNEL_OK;
}

/* The memory of one sample of an operand. */
struct interval {
    uintptr_t first, end;
    int operand;
    int64_t sample;
};

static int compare_intervals(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

/* Whether two samples that share a range of bytes may. */
static bool may_share(const struct kernel *kernel, const struct weft_array *const *arrays, const int64_t *steps,
                      const struct interval *x, const struct interval *y)
{
    struct tensor a[OPERANDS], b[OPERANDS];
    int64_t d[EXTENTS];
    const struct interval *result = x->operand < kernel->inputs ? y : x, *other = result == x ? y : x;
    if (result->operand < kernel->inputs)
        return true;
    read_sample(kernel, arrays, steps, result->sample, a, d);
    read_sample(kernel, arrays, steps, other->sample, b, d);
    const struct tensor *to = &a[result->operand], *from = &b[other->operand];
    return !meet(to, from) ||
           (result->sample == other->sample && steps[other->operand] &&
            may_meet(kernel, result->operand - kernel->inputs, to, other->operand, from));
}

/* Whether nothing is written that another sample reads or writes. Items are sorted by address, so that only
 * those are compared whose ranges overlap; more than 64 such pairs a sample count as overlapping. */
static int check_items(const struct kernel *kernel, const struct weft_array *const *arrays,
                       const int64_t *steps, struct interval *items, size_t count)
{
    size_t left = 64 * count + 4096, sorted = 1;
    while (sorted < count && items[sorted - 1].first <= items[sorted].first)
        sorted++;
    if (sorted < count)
        qsort(items, count, sizeof *items, compare_intervals);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count && items[k].first < items[i].end; k++)
            if (left-- == 0 || !may_share(kernel, arrays, steps, &items[i], &items[k]))
                return tell(WEFT_KERNEL_OVERLAP_ERROR, kernel->operand[items[i].operand].name,
                            "its samples overlap each other, or those of a parameter or a result");
    return WEFT_KERNEL_OK;
}

static int check_samples(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                         const int64_t *steps)
{
    const int operands = kernel->inputs + kernel->results;
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    size_t count = 0;
    struct interval *items = (size_t)samples > SIZE_MAX / sizeof *items / OPERANDS
                                 ? NULL : malloc((size_t)samples * OPERANDS * sizeof *items);
    if (!items)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory to compare the samples' addresses");
    for (int o = 0; o < operands; o++)
        for (int64_t i = 0; i < (steps[o] ? samples : 1); i++) {
            read_sample(kernel, arrays, steps, i, tensors, d);
            if (tensors[o].first != tensors[o].end)
                items[count++] = (struct interval){tensors[o].first, tensors[o].end, o, i};
        }
    const int status = check_items(kernel, arrays, steps, items, count);
    free(items);
    return status;
}

enum { LINE = 64 };                /* bytes: two threads do not write into the same */

/* Whether a sample has no results' elements: there is nothing to compute then, nor what results would share. */
static bool is_empty(const struct kernel *kernel, const struct tensor *tensors)
{
    bool empty = true;
    for (int r = 0; r < kernel->results; r++)
        empty = empty && tensors[kernel->inputs + r].first == tensors[kernel->inputs + r].end;
    return empty;
}

/* The bytes of a sample's temporaries in front of number `count`. */
static size_t place_temporary(const struct kernel *kernel, int count, const int64_t *d)
{
    size_t at = 0;
    for (int t = 0; t < count; t++) {
        const struct temporary *temporary = &kernel->temporary[t];
        const int64_t elements = volume(temporary->shape.rank, temporary->shape.extents, d);
        if (at <= SIZE_MAX / 4)    /* more can never be had */
            at += ((size_t)elements * (size_t)temporary->size + LINE - 1) / LINE * LINE;
    }
    return at;
}

/* One loop on one sample: what a kernel is called with. */
struct plan {
    struct weft_geometry walk;
    long long extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)];
    long long numbers[MAPPED * MAP_NUMBERS + 1];
    long long *maps[ACCESSES];
    int offset[ACCESSES][INTERLEAVED_ROOM], *offsets[ACCESSES];
    struct weft_lanes lanes;
    int64_t starts[ACCESSES], values[ACCESSES];
    char *bases[ACCESSES];
    int class;
    int64_t tiles;
    double work, touched, stored;
};

enum { SAMPLES = sizeof(struct plan) > 16384 ? 1 : 16384 / sizeof(struct plan) }; /* planned at once */

/* A loop's accesses over its space. */
struct views {
    struct shape space, from[MAPS], to[MAPS];
    struct index_map maps[MAPS];
    struct axis axes[OPEN_MAPS + 1][MAX_RANK];
    int64_t strides[ACCESSES][MAX_RANK];
    const int64_t *pointers[ACCESSES];
    struct walk walks[MAPPED + 1], *walk[ACCESSES];
    struct walk_level levels[MAPPED * MAP_LEVELS + 1];
    int sizes[ACCESSES];
};

static void evaluate(const struct form *form, const int64_t *d, struct shape *shape)
{
    shape->rank = form->rank;
    for (int k = 0; k < form->rank; k++)
        shape->extents[k] = extent(form->extents[k], d);
}

/* The elements of an operand whose bytes are read as others; false where strides do not allow it. */
SHARED bool reinterpret(const struct tensor *tensor, const struct access *access, struct pieces *pieces)
{
    struct pieces own;
    int64_t strides[MAX_RANK];
    for (int k = 0; k < tensor->rank; k++)
        strides[k] = tensor->strides[k] * access->old;
    pieces_make(&own, tensor->rank, tensor->shape, strides);
    return pieces_reinterpret(&own, access->old, access->size, pieces);
}

/* Whether that can be done with all operands that it is done with. */
static int check_bytes(const struct kernel *kernel, const struct tensor *tensors)
{
    struct pieces pieces;
    for (int p = 0; p < kernel->loops; p++)
        for (int a = 0; a < kernel->loop[p].loads; a++) {
            const struct access *access = &kernel->loop[p].access[a];
            const struct tensor *tensor = access->old ? &tensors[access->index] : NULL;
            if (tensor && tensor->first != tensor->end && !reinterpret(tensor, access, &pieces))
                return tell(WEFT_KERNEL_INPUT_ERROR, tensor->operand->name,
                            "its bytes do not lie together as it is reinterpreted");
        }
    return WEFT_KERNEL_OK;
}

static void view(const struct loop *loop, int a, const struct tensor *tensors, const int64_t *d,
                 struct views *views)
{
    const struct access *access = &loop->access[a];
    const struct tensor *tensor = access->source == FROM_OPERAND ? &tensors[access->index] : NULL;
    const struct shape *to = views->maps[access->map].to;
    struct shape own;
    views->sizes[a] = access->size;
    views->pointers[a] = views->strides[a];
    if (!tensor)
        evaluate(&access->shape, d, &own);
    broadcast_strides(to->rank, to->extents, tensor ? tensor->rank : own.rank,
                      tensor ? tensor->shape : own.extents, tensor ? tensor->strides : NULL, access->size,
                      views->strides[a]);
}

/* The walk of an access that is seen by way of views, or read as another type. */
SHARED void follow(const struct loop *loop, int a, const struct tensor *tensors, bool special,
                                struct views *views, int number)
{
    const struct access *access = &loop->access[a];
    const struct shape *to = views->maps[access->map].to;
    struct walk *walk = &views->walks[number];
    struct pieces pieces;
    if (access->old)
        reinterpret(&tensors[access->index], access, &pieces);
    else
        pieces_make(&pieces, to->rank, to->extents, views->strides[a]);
    walk->levels = views->levels + (ptrdiff_t)number * MAP_LEVELS;
    walk_follow(views->maps, access->map, &pieces, walk);
    if (!special && !walk->taken)
        walk_number(walk);
    views->walk[a] = walk;
}

/* Axes with the call's numbers, in `axes`. */
static const struct axis *number_axes(const struct map *map, const int64_t *d, struct axis *axes)
{
    for (int t = 0; t < map->to.rank; t++) {
        const struct slice *slice = &map->axes[t].slice;
        axes[t] = map->axes[t];
        axes[t].slice.start = slice->open & 1 ? d[slice->start] : slice->start;
        axes[t].slice.stop = slice->open & 2 ? d[slice->stop] : slice->stop;
        axes[t].slice.step = slice->open & 4 ? d[slice->step] : slice->step;
    }
    return axes;
}

static void make_views(const struct loop *loop, const struct tensor *tensors, const int64_t *d, bool special,
                       struct views *views)
{
    int number = 0, opened = 0;
    evaluate(&loop->shape, d, &views->space);
    views->maps[0] = (struct index_map){.parent = -1, .to = &views->space};
    for (int m = 1; m < loop->maps; m++) {
        evaluate(&loop->map[m].from, d, &views->from[m]);
        evaluate(&loop->map[m].to, d, &views->to[m]);
        const struct axis *axes = loop->map[m].open ? number_axes(&loop->map[m], d, views->axes[opened++])
                                                    : loop->map[m].axes;
        views->maps[m] = (struct index_map){loop->map[m].parent, &views->from[m], &views->to[m], axes,
                                            loop->map[m].outside, loop->map[m].value};
    }
    for (int a = 0; a < loop->accesses; a++) {
        views->walk[a] = NULL;
        view(loop, a, tensors, d, views);
        if (loop->access[a].map || loop->access[a].old)
            follow(loop, a, tensors, special, views, number++);
    }
}

static int find_class(const struct loop *loop, const unsigned char *kinds)
{
    int c = 0;
    while (c < loop->classes && memcmp(loop->class[c].kinds, kinds, (size_t)loop->accesses) != 0)
        c++;
    return c;
}

/* Whether there is anything to compute. A reduction of no elements has results. */
static bool has_work(const struct loop *loop, const int64_t *d)
{
    const struct joined *joined = loop->joined;
    if (!joined)
        return volume(loop->shape.rank, loop->shape.extents, d) > 0;
    return extent(joined->points, d) > 0 && extent(joined->inner, d) > 0 &&
           extent(joined->elements, d) >= joined->partial;
}

/* Where points have one element each, a row would hold many points. A group of one element keeps them apart. */
static void part_points(const struct loop *loop, const int64_t *d, struct grouping *groups)
{
    const struct joined *joined = loop->joined;
    if (!joined || extent(joined->points, d) < 2 || extent(joined->elements, d) * extent(joined->inner, d) != 1)
        return;
    groups->extents[groups->count] = 1;
    for (int a = 0; a < groups->accesses; a++)
        group_strides(groups, groups->count)[a] = 0;
    groups->count++;
}

/* How tiles share a loop with reduced dimensions, which has work. */
static struct lane_tiles deal(const struct joined *joined, const int64_t *d)
{
    const int64_t elements = extent(joined->elements, d);
    struct lane_tiles t = deal_lanes(extent(joined->points, d), elements ? elements : 1, extent(joined->inner, d),
                                     joined->ordered, joined->partial ? LANE_COUNT : BLOCK_ELEMENTS);
    t.elements = elements;
    return t;
}

/* Whether a row may have two groups: those of a reduction hold one point. */
static bool may_run_flat(const struct loop *loop)
{
    return !loop->joined || loop->joined->points == 1;
}

static void keep_lanes(const struct lane_tiles *t, struct plan *plan)
{
    plan->lanes = (struct weft_lanes){
        .points = t->points, .elements = t->elements, .inner = t->inner, .rows = plan->walk.rows / t->points,
        .lanes = t->lanes, .block = t->block, .width = t->width, .windows = t->windows, .chunk = t->chunk,
        .chunks = t->chunks, .together = t->together, .step = t->step, .kept = t->kept};
    plan->walk.lanes = &plan->lanes;
    plan->tiles = ((t->points - 1) / t->together + 1) * t->windows * t->chunks;
}


/* A reduction of no elements: nothing is loaded. */
static void plan_nothing(const struct loop *loop, struct plan *plan)
{
    plan->walk = (struct weft_geometry){.columns = 1, .extents = plan->extents, .strides = plan->strides};
    plan->class = loop->classes - 1;
    for (int a = 0; a < loop->accesses; a++)
        plan->starts[a] = 0;
}

static void keep_plan(const struct loop *loop, const struct grouping *groups, const struct rows *rows,
                      const struct tiling t, struct plan *plan)
{
    const int first = groups->count - 1 - (rows->period != 0);
    plan->walk = (struct weft_geometry){
        .rows = rows->rows, .columns = rows->columns, .tile_rows = t.tile_rows, .tile_columns = t.tile_columns,
        .row_tiles = t.row_tiles, .period = rows->period, .groups = rows->groups, .extents = plan->extents,
        .strides = plan->strides, .maps = plan->maps};
    plan->tiles = t.tiles;
    for (int i = 0; i < rows->groups; i++)
        plan->extents[i] = rows->extents[i];
    for (int i = 0; i < loop->accesses * (rows->groups + 2); i++)
        plan->strides[i] = rows->strides[i];
    for (int a = 0, number = 0; a < loop->accesses; a++) {
        plan->maps[a] = plan->numbers + (ptrdiff_t)number * MAP_NUMBERS;
        if (groups->walks[a] && ++number)
            make_map(groups, first, first < 0 ? 1 : groups->extents[first], a, plan->maps[a]);
    }
}

/* Finds loads of the same tensor that are made together. */
static void part(const struct loop *loop, const struct grouping *groups, const struct rows *rows)
{
    int same[ACCESSES];
    for (int a = 0; a < loop->loads; a++) {
        const struct access *access = &loop->access[a], *first = loop->access;
        while (first->source != access->source || first->index != access->index || first->size != access->size)
            first++;
        same[a] = (int)(first - loop->access);
    }
    part_loads(groups, &(struct parting){loop->loads, rows->groups, same, rows->strides, rows->kinds, NULL});
}

/* The tiles of rows whose loads gather vectors where they can, if there is a class for these kinds. */
static struct tiling gather(const struct loop *loop, const struct grouping *groups, bool interleaved, bool folded,
                            const struct rows *rows, struct plan *plan)
{
    struct tiling tiling = make_tiles(rows->rows, rows->columns);
    if (interleaved && interleave_loads(groups, folded, loop->loads, rows->period, rows->kinds, plan->offset))
        tiling = interleave_tiles(rows->rows, rows->columns);
    for (int a = 0; a < loop->accesses; a++)
        plan->offsets[a] = plan->offset[a];
    const int outer = rows->groups - 1,
              most = rows->period ? 0 : transpose_loads(groups, outer, loop->loads, rows->columns, rows->kinds);
    if (!rows->period)
        part(loop, groups, rows);
    plan->class = find_class(loop, rows->kinds);
    return most && plan->class < loop->classes
               ? transpose_tiles(groups->extents[outer], rows->rows, rows->columns, most,
                                 loop->class[plan->class].copied)
               : tiling;
}

/* How a plan's class is looked for: with loads that gather vectors, by plain kinds, or the one for all. */
enum search { GATHERING, PLAIN, GENERAL };

/* False where there is no kernel for the kinds. */
static bool plan_kinds(const struct loop *loop, const struct tensor *tensors, const int64_t *d, enum search search,
                       struct plan *plan)
{
    struct views views;
    const bool special = search != GENERAL;
    int64_t extents[LOOP_GROUPS], strides[ACCESSES * (LOOP_GROUPS + 2)], group_strides_[LOOP_GROUPS * ACCESSES];
    int64_t folded_strides[LOOP_GROUPS * ACCESSES];
    unsigned char kinds[ACCESSES];
    bool nested = false;
    make_views(loop, tensors, d, special, &views);
    struct grouping groups = {.accesses = loop->accesses, .strides = group_strides_, .walks = views.walk,
                              .starts = plan->starts, .sizes = views.sizes};
    struct grouping folded = {.strides = folded_strides};
    struct rows rows = {.extents = extents, .strides = strides, .kinds = kinds};
    groups_find(&groups, views.space.rank, views.space.extents, count_elements(&views.space), views.pointers);
    groups_stride(&groups, views.space.rank, views.space.extents, views.pointers);
    part_points(loop, d, &groups);
    const bool flat = special && may_run_flat(loop) && runs_flat(&groups, loop->loads, &nested);
    const bool gathers = GATHERS && search == GATHERING, folds = gathers && fold(&groups, loop->loads, &folded);
    make_rows(folds ? &folded : &groups, flat || folds, special, &rows);
    struct tiling tiling = make_tiles(rows.rows, rows.columns);
    if (gathers)
        tiling = gather(loop, &groups, folds || interleaves(&groups, flat, nested), folds, &rows, plan);
    else
        plan->class = find_class(loop, kinds);
    if (plan->class == loop->classes)
        return false;
    keep_plan(loop, folds ? &folded : &groups, &rows, tiling, plan);
    plan->walk.offsets = plan->offsets;
    return true;
}

static void plan_any(const struct loop *loop, const struct tensor *tensors, const int64_t *d, struct plan *plan)
{
    if (!(GATHERS && loop->gathers && plan_kinds(loop, tensors, d, GATHERING, plan)) &&
        !plan_kinds(loop, tensors, d, PLAIN, plan))
        plan_kinds(loop, tensors, d, GENERAL, plan);
}

/* Bytes, as far as they matter for how they are best moved. */
static void count_traffic(const struct loop *loop, double elements, struct plan *plan)
{
    const char *kinds = loop->class[plan->class].kinds;
    plan->work = elements * loop->weight;
    plan->touched = plan->stored = 0;
    for (int a = 0; a < loop->accesses; a++) {
        const double bytes = kinds[a] == ACCESS_SCALAR ? 0 : elements * loop->access[a].size;
        plan->work += bytes;
        plan->touched += kinds[a] == ACCESS_PERIODIC ? 0 : bytes;
        plan->stored += a < loop->loads || loop->joined ? 0 : bytes;
        for (int b = loop->loads; b < loop->accesses; b++) /* in a cache already, as it was read */
            if (a < loop->loads && plan->bases[a] == plan->bases[b])
                plan->stored = -1e300;
    }
}

#define COUNTED(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9, n + 10, n + 11, n + 12, n + 13, \
                   n + 14, n + 15

static void make_plan(const struct kernel *kernel, const struct loop *loop, const struct tensor *tensors,
                      const int64_t *d, char *temporaries, struct plan *plan)
{
    static const unsigned char bytes[256] = {
        COUNTED(0), COUNTED(16), COUNTED(32), COUNTED(48), COUNTED(64), COUNTED(80), COUNTED(96), COUNTED(112),
        COUNTED(128), COUNTED(144), COUNTED(160), COUNTED(176), COUNTED(192), COUNTED(208), COUNTED(224),
        COUNTED(240)};
    const int64_t elements = volume(loop->shape.rank, loop->shape.extents, d);
    struct lane_tiles tiles = {.chunks = 0};
    plan->tiles = 0;
    plan->work = plan->touched = plan->stored = 0;
    if (!has_work(loop, d) || is_empty(kernel, tensors))
        return;
    if (loop->joined)
        tiles = deal(loop->joined, d);
    for (int a = 0; a < loop->accesses; a++) {
        const struct access *access = &loop->access[a];
        /* a kernel only reads what is const */
        plan->values[a] = access->source == FROM_NUMBER ? d[access->index] : 0;
        plan->bases[a] = access->source == FROM_OPERAND    ? tensors[access->index].data
                         : access->source == FROM_NUMBER   ? (char *)&plan->values[a]
                         : access->source == FROM_CONSTANT ? (char *)(uintptr_t)access->data
                         : access->source == FROM_BYTES    ? (char *)(uintptr_t)bytes
                                  : temporaries + place_temporary(kernel, access->index, d);
    }
    if (tiles.chunks == 1 && loop->joined->alone >= 0)
        plan->bases[loop->accesses - 1] = temporaries + place_temporary(kernel, loop->joined->alone, d);
    if (!elements)
        plan_nothing(loop, plan);
    else
        plan_any(loop, tensors, d, plan);
    if (loop->joined)
        keep_lanes(&tiles, plan);
    for (int a = 0; a < loop->accesses; a++)
        plan->bases[a] += plan->starts[a];
    count_traffic(loop, (double)elements, plan);
}

/* The floating-point environment that C programs start with: a -ffast-math build's start-up code makes
 * subnormals 0, and the caller may round otherwise. */
#if defined __SSE__ && defined __GNUC__ && !defined __TINYC__
typedef unsigned environment;

static environment enter(void)
{
    const environment before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
    return before;
}

static void leave(environment before)
{
    __builtin_ia32_ldmxcsr(before);
}
#else
typedef fenv_t environment;

static environment enter(void)
{
    environment before;
    fegetenv(&before);
    fesetenv(FE_DFL_ENV);
    return before;
}

static void leave(environment before)
{
    fesetenv(&before);
}
#endif

/* What a launch is: tiles of some samples. */
struct launch {
    weft_kernel_fn *run;
    struct weft_args args;
    int64_t tiles;
    double work;
    int faults;
    unsigned char *met;            /* [faults] where a division by zero counted */
    size_t scratch;                /* bytes of a thread, rounded up */
};

static void run_tiles(const struct launch *launch, int thread, int64_t begin, int64_t end, unsigned char *met)
{
    struct weft_args args = launch->args;
    args.faults = met;
    args.scratch = args.scratch ? args.scratch + (size_t)thread * launch->scratch : NULL;
    launch->run(&args, begin, end);
}
static int count_threads(void)
{
    return 1;
}

static void run_launch(const struct launch *launch)
{
    run_tiles(launch, 0, 0, launch->tiles, launch->met);
}
static const struct weft_calls *(*const calls_of[LEVELS])(void) =
    LOOP(kernel_calls);

/* A call whose operands are known to be good. */
struct call {
    const struct kernel *kernel;
    const struct weft_array *const *arrays;
    const int64_t *steps;
    const struct tensor *tensors;  /* of the only sample, where there is one */
    const int64_t *d;
    char *scratch, *temporaries;
    size_t own;                    /* bytes of temporaries of a sample */
    struct place first;            /* the first remark in the text; line 0: none */
};

static struct traffic find_traffic(const struct loop *loop, int class, double touched, double stored)
{
    struct traffic traffic = {touched, stored, loop->joined, false, false, true};
    for (int a = 0; a < loop->loads; a++) {
        traffic.transposes = traffic.transposes || loop->class[class].kinds[a] == ACCESS_TRANSPOSED;
        traffic.interleaves = traffic.interleaves || loop->class[class].kinds[a] == ACCESS_INTERLEAVED;
        traffic.alone = traffic.alone && loop->access[a].source == FROM_CONSTANT;
    }
    return traffic;
}

/* Rows of a launch: the samples among `count` plans that this class serves. */
static void launch_class(struct call *call, const struct loop *loop, int class, struct plan *plans, int count)
{
    struct weft_sample samples[SAMPLES];
    unsigned char met[FAULTS + 1] = {0};
    double touched = 0, stored = 0;
    struct launch launch = {.run = loop->class[class].run[level()], .faults = loop->faults, .met = met,
                            .scratch = (loop->class[class].scratch + LINE - 1) / LINE * LINE};
    for (int i = 0; i < count; i++) {
        if (plans[i].class != class || plans[i].tiles == 0)
            continue;
        samples[launch.args.sample_count++] = (struct weft_sample){launch.tiles, &plans[i].walk, plans[i].bases};
        launch.tiles += plans[i].tiles;
        launch.work += plans[i].work;
        touched += plans[i].touched;
        stored += plans[i].stored;
    }
    if (!launch.tiles)
        return;
    launch.args.calls = calls_of[level()]();
    launch.args.samples = samples;
    launch.args.scratch = launch.scratch ? call->scratch : NULL;
    const struct traffic traffic = find_traffic(loop, class, touched, stored);
    launch.args.ahead = fetched_ahead(&traffic);
    launch.args.stream = is_streamed(&traffic);
    launch.args.claim = is_claimed(&traffic);
    run_launch(&launch);
    for (int f = 0; f < loop->faults; f++)
        if (met[f])
            keep_first(&call->first, &loop->fault[f]);
}

/* All loops on samples from `begin` on. */
static void run_samples(struct call *call, int64_t begin, int count)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct plan plans[SAMPLES];
    for (int p = 0; p < call->kernel->loops; p++) {
        const struct loop *loop = &call->kernel->loop[p];
        for (int i = 0; i < count; i++) {
            if (!call->tensors)
                read_sample(call->kernel, call->arrays, call->steps, begin + i, tensors, d);
            make_plan(call->kernel, loop, call->tensors ? call->tensors : tensors, call->tensors ? call->d : d,
                      call->temporaries ? call->temporaries + (size_t)i * call->own : NULL, &plans[i]);
        }
        for (int c = 0; c < loop->classes; c++)
            launch_class(call, loop, c, plans, count);
    }
}

static size_t most_scratch(const struct kernel *kernel)
{
    size_t most = 0;
    for (int p = 0; p < kernel->loops; p++)
        for (int c = 0; c < kernel->loop[p].classes; c++)
            if (kernel->loop[p].class[c].scratch > most)
                most = kernel->loop[p].class[c].scratch;
    return (most + LINE - 1) / LINE * LINE;
}

/* Checks every sample; *own becomes the bytes that temporaries of a sample take at most. */
static int check_call(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                      const int64_t *steps, struct tensor *tensors, int64_t *d, size_t *own)
{
    for (int64_t i = 0; i < samples; i++) {
        int status = read_sample(kernel, arrays, steps, i, tensors, d);
        status = status ? status : check_overlap(kernel, tensors);
        status = status ? status : check_bytes(kernel, tensors);
        if (status)
            return status;
        const size_t needed = is_empty(kernel, tensors) ? 0 : place_temporary(kernel, kernel->temporaries, d);
        *own = needed > *own ? needed : *own;
    }
    return samples > 1 ? check_samples(kernel, samples, arrays, steps) : WEFT_KERNEL_OK;
}

static int check_arguments(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays)
{
    if (samples < 0)
        return tell(WEFT_KERNEL_INVALID_ARGUMENT, NULL, "the number of samples is negative");
    for (int o = 0; samples && o < kernel->inputs + kernel->results; o++)
        if (!arrays[o])
            return tell(WEFT_KERNEL_INVALID_ARGUMENT, kernel->operand[o].name, "its samples are NULL");
    return WEFT_KERNEL_OK;
}

static void run_all(struct call *call, int64_t samples)
{
    for (int64_t i = 0; i < samples; i += SAMPLES)
        run_samples(call, i, samples - i < SAMPLES ? (int)(samples - i) : SAMPLES);
}

/* What the kernels are lent; nothing fails any more once they run. */
static int run_checked(struct call *call, int64_t samples)
{
    const size_t scratch = most_scratch(call->kernel) * (size_t)count_threads();
    const size_t together = samples < SAMPLES ? (size_t)samples : SAMPLES;
    const bool fits = call->own <= SIZE_MAX / 2 / SAMPLES;
    const size_t bytes = scratch + (fits ? call->own * together : 1);
    char *memory = bytes && fits ? malloc(bytes + LINE) : NULL;
    if (bytes && !memory)
        return tell(WEFT_KERNEL_OUT_OF_MEMORY, NULL, "no memory for values that are computed once");
    call->scratch = memory ? memory + -(uintptr_t)memory % LINE : NULL;
    call->temporaries = memory ? call->scratch + scratch : NULL;
    run_all(call, samples);
    free(memory);
    return tell_remark(&call->first);
}

/* Loops that may not run; the environment is ours. */
static int check_loops(void)
{
    static bool (*const fuse[LEVELS])(void) = LOOP(weft_fuses);
    return fuse[level()]() ? tell(WEFT_KERNEL_UNSUPPORTED, NULL, "its source was compiled with -ffp-contract=fast, "
                                                                 "which changes results; compile it without")
                           : WEFT_KERNEL_OK;
}

/* Sample i of operand o is arrays[o][i * steps[o]]. */
SHARED int weft_run(const struct kernel *kernel, int64_t samples, const struct weft_array *const *arrays,
                    const int64_t *steps)
{
    struct tensor tensors[OPERANDS];
    int64_t d[EXTENTS];
    struct call call = {.kernel = kernel, .arrays = arrays, .steps = steps};
    int status = check_arguments(kernel, samples, arrays);
    if (status)
        return status;
    const environment before = enter();
    status = check_loops();
    status = status ? status : check_call(kernel, samples, arrays, steps, tensors, d, &call.own);
    if (samples == 1)
        call.tensors = tensors, call.d = d;
    status = status ? status : run_checked(&call, samples);
    leave(before);
    return status;
}

SHARED int weft_run_one(const struct kernel *kernel, const struct weft_array *arrays)
{
    const struct weft_array *pointers[OPERANDS];
    const int64_t steps[OPERANDS] = {0};
    for (int o = 0; o < kernel->inputs + kernel->results; o++)
        pointers[o] = &arrays[o];
    return weft_run(kernel, 1, pointers, steps);
}

/* Extents of the results from those of the parameters, and from the values of sizes. */
SHARED int weft_infer(const struct kernel *kernel, const int64_t *const *inputs, const void *const *values,
                      int64_t *const *results)
{
    struct tensor tensors[OPERANDS];
    struct reach reach;
    int64_t d[EXTENTS];
    const environment before = enter();
    int status = WEFT_KERNEL_OK;
    for (int i = 0; !status && i < kernel->inputs; i++)
        tensors[i].data = (char *)(uintptr_t)values[i], /* only read */
        tensors[i].sample = 0,
        status = read_layout(&kernel->operand[i], inputs[i], NULL, &tensors[i], &reach);
    status = status ? status : find_extents(kernel, tensors, d);
    for (int r = 0; !status && r < kernel->results; r++)
        if (kernel->shape[r].rank && !results[r])
            status = tell(WEFT_KERNEL_INPUT_ERROR, kernel->operand[kernel->inputs + r].name, "its shape is NULL");
    for (int r = 0; !status && r < kernel->results; r++)
        for (int k = 0; k < kernel->shape[r].rank; k++)
            results[r][k] = extent(kernel->shape[r].extents[k], d);
    leave(before);
    return status;
}

/* ---- contrast ---- */

static const int64_t shape_contrast_0[] = {-1, -2, 3};
static const struct operand operands_contrast[] = {
    {"img", 3, 1, 1},
    {"middle", 1, 4, 4},
    {"gain", 0, 4, 4},
    {"out", 3, 1, 1},
};
static const struct form forms_contrast[] = {{3, shape_contrast_0}};
static const unsigned char replaces_contrast[] = {1, 1, 1};
static const struct access accesses_contrast_0[] = {
    {FROM_OPERAND, 0, 1, 0, 0, NULL, {0, NULL}}, /* img */
    {FROM_OPERAND, 1, 4, 0, 0, NULL, {0, NULL}}, /* middle */
    {FROM_OPERAND, 2, 4, 0, 0, NULL, {0, NULL}}, /* gain */
    {FROM_OPERAND, 3, 1, 0, 0, NULL, {0, NULL}}, /* out */
};
static const struct class classes_contrast_0[] = {
    {"upsu", {loop_contrast_0_upsu}, 0, false},
    {"gggg", {loop_contrast_0_any}, 0, false},
};
static const struct loop loops_contrast[] = {
    {{3, shape_contrast_0}, 4, 3, 1, 2, 0, accesses_contrast_0, NULL, classes_contrast_0, NULL, NULL, 8 / 3.0, false},
};
static const struct weft_note notes_contrast[] = {
    {0, 0, 0, NULL, NULL},
    {WEFT_KERNEL_SHAPE_ERROR, 2, 17, NULL, "extent 2 of img is not 3"},
    {WEFT_KERNEL_SHAPE_ERROR, 2, 42, NULL, "extent 0 of middle is not 3"},
};

static int extents_contrast(const struct tensor *in, int64_t *d)
{
    (void)in, (void)d;
    d[0] = in[0].shape[0]; /* extent 0 of img */
    d[1] = in[0].shape[1]; /* extent 1 of img */
    if (in[0].shape[2] != 3)
        return 1; /* extent 2 of img is not 3 */
    if (in[1].shape[0] != 3)
        return 2; /* extent 0 of middle is not 3 */
    return 0;
}

static const struct kernel weft_tables_contrast = {
    3, 1, 1, 0, operands_contrast, forms_contrast, replaces_contrast, loops_contrast, NULL,
    notes_contrast, extents_contrast};

int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out)
{
    const int64_t weft_shape_0[] = {h, w, 3};
    const int64_t weft_shape_1[] = {3};
    const struct weft_array weft_arrays[] = {
        {(void *)(uintptr_t)img, weft_shape_0, NULL},
        {(void *)(uintptr_t)middle, weft_shape_1, NULL},
        {(void *)(uintptr_t)&gain, NULL, NULL},
        {out, NULL, NULL},
    };
    return weft_run_one(&weft_tables_contrast, weft_arrays);
}

int contrast_strided(const uint8_t *img, const int64_t *img_shape, const int64_t *img_strides,
                     const float *middle, const int64_t *middle_shape,
                     const int64_t *middle_strides, float gain, uint8_t *out,
                     const int64_t *out_shape, const int64_t *out_strides)
{
    const struct weft_array weft_arrays[] = {
        {(void *)(uintptr_t)img, img_shape, img_strides},
        {(void *)(uintptr_t)middle, middle_shape, middle_strides},
        {(void *)(uintptr_t)&gain, NULL, NULL},
        {out, out_shape, out_strides},
    };
    return weft_run_one(&weft_tables_contrast, weft_arrays);
}

int contrast_shape(const int64_t *img_shape, const int64_t *middle_shape, int64_t *out_shape)
{
    const int64_t *const weft_shapes[] = {img_shape, middle_shape, NULL, NULL};
    int64_t *const weft_results[] = {out_shape, NULL};
    const void *const weft_values[] = {NULL, NULL, NULL, NULL};
    return weft_infer(&weft_tables_contrast, weft_shapes, weft_values, weft_results);
}

int contrast_batch(int64_t weft_samples, const struct weft_array *img, int64_t img_step,
                   const struct weft_array *middle, int64_t middle_step,
                   const struct weft_array *gain, int64_t gain_step, const struct weft_array *out)
{
    const struct weft_array *const weft_arrays[] = {img, middle, gain, out};
    const int64_t weft_steps[] = {img_step, middle_step, gain_step, 1};
    return weft_run(&weft_tables_contrast, weft_samples, weft_arrays, weft_steps);
}

const struct weft_note *contrast_note(void)
{
    return &weft_last_note;
}
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
#endif
