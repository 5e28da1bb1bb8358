/* Tuning of target CUDA: the numbers that hold for all GPUs so far, of which none changes a bit of any result. Those of
 * an architecture are rows of compiler/loop/tuning.c, which bench/gpu/sweep.py measures. All are estimated for a GPU of
 * about 132 multiprocessors, and not measured, but where they say so. Sources ahead of time carry the first section. */

//: gpu
enum {
    GPU_FILLED = 128,              /* tiles of a reduction that keep a GPU busy, more or less, */
    GPU_ENOUGH = 512,              /* and that certainly do */
    GPU_FEW_NODES = 2,             /* so many nodes cost a thread less than a further launch does */
    GPU_WINDOW = 32                /* inner elements beside each other: those of a warp */
};
//: library
enum {
    /* What one more kernel costs: a launch takes 2 us, in which 132 multiprocessors at 1.8 GHz execute 60 million
     * instructions on one element each; much of that time would be hidden by memory accesses anyway. */
    LAUNCH_CUDA = 1 << 26,
    /* Reductions (reduce_tiles.c). */
    REDUCE_THREADS = 256,          /* of a block, usually, at least, */
    REDUCE_LEAST_THREADS = 64,
    REDUCE_MOST_THREADS = 512,     /* and where it has many inner elements beside each other, or joins lanes of
                                      blocks */
    /* What a thread computes at once (form.c). */
    WORK_MOST = 512,               /* weight, by op_weight, */
    CHUNK_WORK_MOST = 2048,        /* and that of a chunk */
    CHUNK_LOADS_MOST = 384,        /* bytes that a chunk loads; a thread has 255 registers of four bytes */
    SINGLES = 4,                   /* elements of a thread at once without chunks */
    SINGLES_BESIDE = 2,            /* the same beside chunks; measured: it takes a quarter of NVRTC's time already */
    QUOTIENT_WEIGHT = 3,           /* of a division by way of a reciprocal */
    /* Rows as functions (emit.c): with more than MAX_HEAVY copies of rows of weight HEAVY and more. */
    HEAVY = 16,
    MAX_HEAVY = 64,
    /* Kernels that share a launch (chain.c). */
    GPU_NEAR = 128 << 10,          /* bytes of rows that the blocks of a multiprocessor are at: half of a large first
                                      cache */
    GPU_THREADS = 512,             /* of a multiprocessor all the same, at least */
    GPU_MOST = 384 << 10,          /* bytes that a tile reads: a multiprocessor's share of a large second cache */
    GPU_BUSY = 64,                 /* so many tiles keep a GPU busy; fewer pay where they are small: */
    GPU_SMALL = 64 << 10           /* bytes that a tile reads */
};
