/* Access maps, and where the elements lie that are seen by way of them, as the library and ahead-of-time sources both
 * know it; walk.c has the functions. Before it: struct shape (rank, extents[]), struct slice (slice.h) and int64_t.
 * Strides are in bytes. */

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
