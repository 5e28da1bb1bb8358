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

struct weft_args {
    const struct weft_sample *samples; /* none without tiles */
    long long sample_count;
    const unsigned long long *literals; /* one slot each, the value in its first bytes */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
    long long ahead;               /* inputs are fetched so many bytes before their use; 0: small work */
    long long stream;              /* not 0: outputs are written past the caches */
    long long claim;               /* not 0: what is written plainly, a tile at a time, is fetched before */
    char *scratch;                 /* a kernel's own, for one thread; NULL where it wants none */
};
