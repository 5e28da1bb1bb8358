/* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part
 * of every kernel's text: header-free. All strides are in bytes. Accesses are numbered loads first,
 * then stores. */
struct weft_lanes {                /* a space [points, elements, inner], of which `elements` are reduced */
    long long points, elements, inner;
    long long rows;                /* of the geometry, for each point */
    long long lanes, block, width, windows, chunk, chunks, together, step, kept; /* as in struct lane_tiles */
    long long beside;              /* points of a row of the geometry, where rows of points are short */
    long long across;              /* not 0: tiles take a chunk of all points before the next one, as they lie */
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
    long long before, beyond;      /* rows in front of a tile and behind it that it takes, too */
};

struct weft_sample {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    const struct weft_geometry *geometry;
    char *const *bases;            /* [accesses] first element */
};

/* Rows whose columns are repeated, as the patterns that blocks of them read. */
struct weft_patterns {
    const char *kept[16];          /* where the rows begin whose patterns are there */
    const struct weft_geometry *of; /* theirs */
    long long turn;                /* which of them was asked for last */
    long long span, advance;       /* elements after which a pattern comes again, and how far a block moves along it */
    long long shift;               /* bytes in front of the only one */
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

/* How a kernel takes its rows, which may begin with a short block, so that the others start on a cache line. */
struct weft_banding {
    int accesses;
    int access, size, block;       /* where they do; bytes of its elements, 0: nowhere; elements of a block */
    int shift;                     /* size is 2 to the power of it */
    int light;                     /* little is computed: long rows do so even where they do not go past the caches */
    int ends;                      /* plain stores to the ends of rows stand among those past the caches */
};

/* A band of a tile: rows that lie beside each other. */
struct weft_band {
    struct weft_tile tile;
    const struct weft_banding *banding;
    char **room;                   /* [accesses] for `start` */
    long long *steps;              /* [accesses] for `step` */
    long long *at;                 /* [groups] the next row's place in the outer groups */
    char *const *start;            /* [accesses] where the first row begins, but for column0 */
    const long long *step;         /* [accesses] bytes from one row to the next, where there are several */
    long long rows;                /* of the band */
    long long column0, column1;
    long long next, stop;          /* of the tile: the row behind the band, and behind the last one; at first 0 */
    long long beside;              /* so many of the next tiles have the same rows, of which each is one band */
    int more;                      /* 0: none follows */
    int fresh;                     /* it is the first band of its tile */
    int headed;                    /* some row may have a head */
    unsigned char head[64];        /* elements of a short first block of a row, or 0: row r's is number r % 64 */
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
    /* Joins points that are rows, `step` bytes apart, as they lie in memory, in blocks of so many, and stores `kept`
     * lanes of each, or the element that is left. NULL: there are no such. */
    void (*points)(void *to, const char *from, long long step, long long elements, long long block, long long count,
                   long long kept, long long ahead);
    /* Joins points that are short rows, one behind the other, some of them side by side. NULL: the kernel does. */
    void (*beside)(void *to, const void *from, long long elements, long long count, long long ahead);
    /* Joins points of which each has the lanes of so many blocks, one behind the other, where the order matters; and
     * changes these. NULL: the kernel does. */
    void (*blocks)(void *to, void *lanes, long long blocks, long long count);
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
    /* Sets `head` where the columns of a band were changed. */
    void (*begin_rows)(const struct weft_args *args, struct weft_band *band);
    /* The pattern of the row that begins at `from`, whose columns lie `step` bytes apart, made unless `room` has it.
     * `column`: where the row's first whole block begins. */
    const void *(*repeated)(void *room, struct weft_patterns *kept, const struct weft_geometry *s, const char *from,
                            long long step, int size, int block, long long column);
    /* C's fmod of those among `count` elements, float32 or float64 as `size` says, whose quotient is 2^22 or more, in
     * float64 2^51, or none of finite numbers; where `down` is 1 the remainder of a quotient that is rounded down. It
     * may be that of others, too; else they stay. */
    void (*fmod)(void *r, const void *a, const void *b, int count, int size, int down);
    /* Quotients, or where `rest` is 1 remainders, of `count` integers of 64 bits, which have signs where `negative` is
     * 1. The quotient is rounded down, where `cut` is 1 to zero. Of a divisor 0 both are 0. */
    void (*divide)(void *r, const void *a, const void *b, int count, int negative, int cut, int rest);
    /* The sines, cosines and tangents of those among `count` elements that are finite and, of float32, beyond 2^16, of
     * float64, from 2^23 on; the others' stay. */
    void (*sinf)(void *r, const void *a, int count);
    void (*cosf)(void *r, const void *a, int count);
    void (*tanf)(void *r, const void *a, int count);
    void (*sin)(void *r, const void *a, int count);
    void (*cos)(void *r, const void *a, int count);
    const struct weft_join *const *joins; /* templates/shared/joins.def */
    const struct weft_join *const *places; /* what keeps the positions of extremes, for a row of it; NULL: nothing */
};
