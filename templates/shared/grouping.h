/* The dimensions of a loop in groups, and how accesses move along them, as the library and ahead-of-time sources both
 * know it; grouping.c has the functions. Before it: walk.h, tuning_c.h. */

/* How an access moves along a row. Sources have a list of letters. */
enum access_kind {
#define KIND(id, letter, ...) ACCESS_##id = letter,
#include "templates/shared/access_kinds.def"
#undef KIND
};

//: groups
enum {
    BLOCK = 64,                    /* elements that a kernel computes at once */
    MAX_PERIOD = 512,              /* the longest innermost group that is repeated into a pattern */
    KEPT_PATTERNS = 16,            /* patterns of so many rows are kept, of groups of up to 8 elements */
    PATTERN_ROOM = KEPT_PATTERNS * (BLOCK + 8), /* (SHORT_PERIOD in templates/shared/bands.c); longer ones fit it */
    TRANSPOSED_LINE = 64,          /* bytes of a column of a tile that is transposed, at most: a cache line */
    /* bytes of its buffer: each row has room behind it for a block */
    ACROSS_ROOM = 1 << 22,         /* bytes of rows that are transposed at a time for a reduction, as many as a cache
                                      line spans: beyond a second cache still a fifth of the time of single elements */
    TRANSPOSED_ROOM = 2 * TRANSPOSED_TILE + TRANSPOSED_LINE * BLOCK,
    DEINTERLEAVED_MOST = 8,        /* the most loads that are made together */
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
    int64_t before, beyond;        /* rows in front of a tile and behind it that it takes, too */
};
