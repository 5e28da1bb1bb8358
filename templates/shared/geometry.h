/* Where the elements of tensors lie, as the library and ahead-of-time sources both know it; geometry.c has
 * the functions. Before it: struct shape (rank, extents[]) and int64_t. Strides are in bytes. */

//: pieces
/* More than fit an int64_t, each of two elements or more. */
enum { MAX_PIECES = 64 };

/* `extent` elements that lie `stride` apart. */
struct piece {
    int64_t extent, stride;
};

/* All elements of a space in their order, innermost first: no extent is 1, and no two neighbours could
 * be one. */
struct pieces {
    int count;
    struct piece at[MAX_PIECES];
};

/* Another order of dimensions' boundaries: element number n of a shape `from`, which is broadcast into
 * what map `parent` leads to, is element number n of shape `to`. Map 0 is the iteration space itself, `to`,
 * and has no parent. */
struct index_map {
    int parent;
    const struct shape *from, *to;
};

/* A tensor over an iteration space. Without levels `over` has strides in bytes. With them it gives a
 * number, which the first level takes apart into its pieces: the sum of their strides is the next level's
 * number, and bytes in the end. */
struct walk {
    struct pieces over;
    int level_count;
    struct pieces *levels;         /* room for one more than its map has steps */
};

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
    ACCESS_STRIDED = 'g',          /* any stride */
    ACCESS_PERIODIC = 'p',         /* the innermost group again and again */
    ACCESS_NESTED = 'n',           /* two strides: inside the innermost group and between groups */
    ACCESS_EXPANDED = 'x',         /* several short groups, each with its stride: a table of offsets */
    ACCESS_MAPPED = 'm',           /* seen by way of views, and no matter of strides: found by its number */
    ACCESS_VALUE = 'v'             /* stays, and stands among the kernel's arguments in place of its address */
};

/* Dimensions after grouping (rule 5.2), outermost first, with a stride for each access. As many as a
 * space has pieces. */
enum { MAX_GROUPS = MAX_PIECES };

struct grouping {
    int count, accesses;
    int64_t extents[MAX_GROUPS];
    int64_t *strides;              /* [groups][accesses] */
    struct walk **walks;           /* [accesses] of those seen by way of views; once strides are set, of
                                      those that strides are not enough for. NULL for others */
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
