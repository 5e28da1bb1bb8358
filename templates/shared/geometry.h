/* Where the elements of tensors lie, as the library and ahead-of-time sources both know it; walk.c and geometry.c
 * have the functions. Before it: struct shape (rank, extents[]), struct slice (slice.h) and int64_t. Strides are in
 * bytes. */

/* More than fit an int64_t, each of two elements or more. Sources know better. */
enum { MAX_PIECES = 64 };

//: pieces
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
};

/* What is read where a position lies outside. */
enum outside {
    OUTSIDE_NONE,                  /* no position does */
    OUTSIDE_VALUE,                 /* a value */
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
    uint64_t value;                /* OUTSIDE_VALUE: bits of the access's dtype; OUTSIDE_TAKEN: which numbers these are */
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

//: groups
enum {
    BLOCK = 64,                    /* elements that a kernel computes at once */
    MAX_PERIOD = 512,              /* the longest innermost group that is repeated into a pattern */
    TILE = 16384                   /* elements of a tile, about */
};

/* How an access moves along the inner loop. */
enum access_kind {
    ACCESS_SCALAR = 's',           /* stays: stride 0 */
    ACCESS_UNIT = 'u',             /* the next element */
    ACCESS_UNALIGNED = 'a',        /* the next element, but chunks are not aligned */
    ACCESS_STRIDED = 'g',          /* any stride */
    ACCESS_PERIODIC = 'p',         /* the innermost group again and again */
    ACCESS_NESTED = 'n',           /* two strides: inside the innermost group and between groups */
    ACCESS_EXPANDED = 'x',         /* several short groups, each with its stride: a table of offsets */
    ACCESS_MAPPED = 'm',           /* seen by way of views, and no matter of strides: found by its number */
    ACCESS_BOUNDED = 'b',          /* the same, where positions may lie outside: a value is there */
    ACCESS_VALUE = 'v'             /* stays, and stands among the kernel's arguments in place of its address */
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
