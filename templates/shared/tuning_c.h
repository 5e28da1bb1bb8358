/* Tuning of target C: the numbers of a processor, of which none changes a bit of any result. Each says what it was
 * measured on; where it does not, it is estimated. Sources ahead of time carry the first section. */

//: processor
enum {
    /* Tiles, in elements or bytes. Measured for TRANSPOSED_WIDE alone: transposing into a result by tiles of 16 KB took
     * 1.4 times as long. */
    TILE = 16384,                  /* elements of a tile, about */
    TRANSPOSED_TILE = 8192,        /* bytes of one that is transposed: with its buffer, with what is read beside it,
                                      written and fetched it stays in a nearest cache of 48 KB. Twice as many took up
                                      to 1.4 times as long, */
    TRANSPOSED_ROW = 512,          /* but for rows of fewer bytes that go past the caches */
    TRANSPOSED_WIDE = 1 << 17,     /* the same where it goes straight into the result, and whole lines are read */
    LONG_ROW = 96,                 /* elements of a row for which groups are gathered, at least */
    ENOUGH_TILES = 32,             /* for threads to share */

    /* How tiles of a reduction share its space (lanes.c). */
    LANES_FEW = 64,                /* of so few elements, or where the order does not matter, */
    LANES_NEAR = 1 << 13,          /* a tile has so many lanes at most */
    LANES_BLOCKS = 64,             /* a tile takes up to so many blocks of a point */
    LANES_LEAST_BLOCKS = 4,        /* and at least so many, */
    LANES_LEAST = 1 << 17,         /* or so many elements */
    ACROSS_TILES = 8,              /* elements that lie across make longer tiles, but so many of them, */
    SHORT_LEAST = 5,               /* rows of from so many elements on */
    SHORT_LONG = 4,                /* of float64, which the library joins in registers */
    LANED_LEAST = 124,             /* computed ones of so many bytes of lanes as they are computed (norm, AMD EPYC: of
                                      31 to 47 float32 and 16 to 47 float64 0.65 to 1 of the time), */
    LANED_MOST = 1 << 15,          /* of so many elements at most, */
    SHORT_ROW = 1024,              /* to so many are joined side by side (rows.py, AMD EPYC: 513 to 1024 in cache take
                                      0.54 to 1 of the time; some from memory 1.1), */
    SHORT_NARROW = 768,            /* where elements are converted to wider ones: 1024 would take up to 1.3 times as
                                      long, */
    SHORT_WHOLE = 256,             /* of sums of integers to so many, where rows are whole blocks: 512 would take up to
                                      1.7 times as long, */
    SHORT_EXTREMES = 4096,         /* of extremes to so many, of 4 and 8 bytes, as they lie in memory: of 1,025 to 3,000
                                      0.75 to 0.95 of the time; 16,000 float64 would take 1.1, */
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
    CHAINED_BYTES = 2 << 20,       /* or of which the next tile's are, in a chain, */
    FETCH_AHEAD = 8192,            /* so many bytes ahead; */
    FETCHED_WEIGHT = 16,           /* but what reductions of less weight read is not on processors by AMD: sums of rows
                                      of 2,048 and 5,000 float32 took 1.1 times as long from the outer cache, 1.2 to 1.6
                                      from memory (Zen 4) */
    STREAMED_BYTES = 16 << 20,     /* of all outputs: from here on they bypass the caches */
    STREAMED_TRANSPOSED = 8 << 20, /* the same where operands are transposed, */
    STREAMED_INTERLEAVED = 6 << 20, /* or groups such as pixels gathered: stores do not begin with cache lines, */
    CLAIMED_TRANSPOSED = 6 << 20,  /* of what is transposed: they are fetched, where they cannot bypass the caches */
    STREAMED_ALONE = 18 << 20      /* or where nothing but constants is read */
};
//: library
enum {
    /* What one more kernel costs: vector instructions on a block of 64, times 64. Measured (bench/kernels/hoist.py). */
    LAUNCH_C = 1 << 15,
    /* Values in kernels of their own (materialize.c). TABLE_WEIGHT follows a measurement (bench/kernels/hoist.py): a
     * look-up takes as long as 24 vector instructions. */
    MATERIALIZE_RATIO = 8,         /* the kernel has at least this many elements for each one stored */
    MATERIALIZE_WEIGHT = 8,        /* the least weight of a value that is stored */
    TABLE_WEIGHT = 32,
    TABLE_SAVED = 4096,            /* the least number of elements for which a table is made */
    /* Neighbours (stencils.c): the weight of evaluations from which on a value is stored once and loaded again */
    NEIGHBOUR_WEIGHT = 32,
    /* and the same of evaluations in kernels that reduce, which go over memory once more for it; of a value of so few
     * bytes that it stays in a cache. Measured: exp, tanh and log of 10 x 100 to 40000 x 1000 (softmax and such). */
    KERNELS_WEIGHT = 512,
    KERNELS_WEIGHT_NEAR = 16,
    KERNELS_NEAR = 1 << 20,
    /* Sums in two passes (stencils.c): what storing and loading a byte of an element takes, by the bytes of all; more
     * than those of the caches is new memory in each call */
    BYTE_WEIGHT_NEAR = 2,
    BYTE_WEIGHT = 4,
    BYTE_WEIGHT_FAR = 20,
    BYTES_NEAR = 1 << 20,
    BYTES_FAR = 32 << 20,
    NEAR_MOST = 64,                /* elements apart, at most a block: loads that share where they begin (geometry.c) */
    NEAR_PART = 1 << 16,           /* elements of a part whose loads do: for less it takes longer to compile it */
    /* Kernels that slide (slide.h): rows that they read at most, but for one; what a load of a vector, an operation and
     * a value that is kept take, and which part of all has to be saved; bytes of what is kept, for so many columns at
     * least; rows of a tile for each that is begun in front of it, and of all. */
    SLIDE_ROWS = 8,
    SLIDE_LOAD = 8,
    SLIDE_OP = 1,
    SLIDE_KEEP = 25,
    SLIDE_SAVED = 5,               /* a fifth */
    SLIDE_BYTES = 16 << 10,
    SLIDE_LEAST = 256,
    SLIDE_TILE = 24,
    SLIDE_LEAST_ROWS = 4,
    DIVISOR_WEIGHT = 8,            /* weight of an integer division by a literal */
    /* Parts of a join (split.c): elements of a part, on average. A kernel more costs about as much as copying 1,000. */
    LEAST_PART = 8192,
    MOST_PARTS = 32,
    NUMBER_WEIGHT = 8,             /* weight of a load whose elements are found by number, as neighbours at edges, */
    RUN_WEIGHT = 400,              /* and of each run of them that lie a step apart */
    /* Terms of a correlate from which on a loop goes over them (stencils.c): without one there are registers for
     * weights, and integers whose sums fit them are computed in 16 bits. Measured on 1080p, 3 x 3 to 15 x 15. */
    LOOPED_LEAST = 36,
    LOOPED_SLIDING = 50,           /* or where rows slide */
    LOOPED_NARROW = 81,
    BORDER_MOST = 64,              /* an operand with what lies around it has at most so many times its elements */
    /* Searches (temporaries.c): tiles stop them where there are fewer results beside each other. Measured on 100 MB of
     * float32: as fast either way; the generic kernel is slower for less. */
    SEARCH_RESULTS = 32,
    /* Several short groups as one row (geometry.c). Measured (bench/kernels/groups.py). */
    EXPAND_SHORT = 200,            /* rows up to this length are slower than expanding them, */
    EXPAND_MASKED = 32,            /* or this one where they end in vectors with masks, */
    EXPAND_OUTER = 208,            /* or of so many bytes where all loads stay or repeat, */
    EXPAND_MANY = 4,               /* or with so many loads, since each is copied, */
    EXPAND_DENSE = 124,            /* or of so many bytes where none has a value for each; */
    EXPAND_ENOUGH = 96,            /* an expanded row of this length is faster than two strides */
    EXPAND_JOINED = 512,           /* and of this one where rows are joined */
    AGAIN_BYTES = 16384,           /* a row that is read again and again is gone over, from so many bytes on, */
    AGAIN_PART = 8192,             /* in parts of so many, */
    EXPAND_LONG = 1024,            /* rows from this length on need no help */
    /* Groups of which loads have one element each, by shuffles (geometry.c). Measured with
     * bench/kernels/rows.py on an AMD EPYC (Zen 4), with AVX-512, AVX2 and SSE4. */
    COLUMN_MOST = 200,             /* elements of a group, */
    COLUMN_REDUCED = 256,          /* or so many that are reduced, unless lanes are joined as elements are computed; */
    COLUMN_BYTES = 1600,            /* which are so many bytes of all such loads together, times these loads; */
    COLUMN_GROUPS = 24,            /* so many of them at least, */
    COLUMN_ROW = 256,              /* with so many elements at least */
    /* Kernels that take turns, tile by tile (chain.c). Measured on a processor with 1 MB of second cache a core. */
    CHAIN_NEAR = 1 << 17,          /* bytes that a tile reads, about: it and the next one are half of a small second
                                      cache */
    CHAIN_NEAREST = 1 << 14,       /* where a kernel searches: what it reads again is in the nearest cache */
    CHAIN_LEAST = 1 << 19,         /* bytes of all tiles: less is in a cache anyway */
    WINDOW_LEAST = 1 << 17,        /* bytes of a temporary of which each thread only has a tile */
    SLICES_NEAR = 3 << 18,         /* bytes of temporaries that a tile of neighbours stores and reads again, */
    SLICES_LEAST = 1 << 22,        /* where one of them has at least so many as a whole: less is in a cache anyway; */
    SLICES_AGAIN = 8,              /* of so many times the slices that are computed for two tiles, at least, */
    SLICES_AGAIN_FAR = 3,          /* or so many where they would have BYTES_FAR */
    PARTS_NEAR = 1 << 18,          /* bytes that tiles of parts that lie beside each other store, about */
    CHAIN_CACHED = 1 << 19,        /* bytes of a tile that a second cache keeps for the next reduction */
    /* Threads (runtime/run/cpu_launch.c), in units of work (compiler/loop/schedule.c). Measured: waking a sleeping
     * thread takes about as long as one SHARE. */
    SHARE = 1 << 21,               /* the least work that is worth waking a thread, or one of the host's */
    AWAKE_SHARE = 1 << 19,         /* the same, of a thread that is awake */
    MOST_CLAIMED = 1 << 20,        /* the most and the least that is claimed at once */
    LEAST_CLAIMED = 1 << 16
};
