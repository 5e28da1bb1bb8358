/* Fast paths that can be turned off, one row each, by naming them in WEFT_DISABLE or weft_context_params.disable. Each
 * has a slower path with the same results, to the bit. */
#ifndef WEFT_COMPILER_LANG_FAST_PATHS_H
#define WEFT_COMPILER_LANG_FAST_PATHS_H

/* Where a path is: kernels in C, CUDA kernels; and also in sources that are made ahead of time
 * for these, where it cannot be turned off. docs/debugging.md has the table for people. */
enum { IN_C = 1, IN_CUDA = 2, IN_AHEAD = 4 };

/* FAST(id, word, where it is, what it does) */
#define FAST_PATHS(FAST)                                                                                              \
    FAST(FLAT, "flat", IN_C | IN_CUDA | IN_AHEAD, "short inner groups run as one long row")                           \
    FAST(EXPAND, "expand", IN_C, "several short groups run as one row, gathered into it")                             \
    FAST(STREAM, "stream", IN_C | IN_AHEAD, "large outputs are written past the caches")                              \
    FAST(ROW, "row", IN_C | IN_CUDA | IN_AHEAD, "values that do not vary along a row are computed once for it")       \
    FAST(CONVERT, "convert", IN_C | IN_CUDA | IN_AHEAD,                                                               \
         "blocks of 8 and 16 bits become float32 and back by vector instructions")                                    \
    FAST(ROOTS, "roots", IN_C, "square roots by Newton's steps, where the processor's own take long")                 \
    FAST(DIVISOR, "divisor", IN_C | IN_CUDA | IN_AHEAD,                                                               \
         "integers are divided by a literal that the C compiler knows")                                               \
    FAST(NARROW, "narrow", IN_C | IN_AHEAD, "integers that fit 16 bits are computed in 16")                           \
    FAST(HOIST, "hoist", IN_C | IN_CUDA | IN_AHEAD, "small subexpressions are computed once, before the loop")        \
    FAST(TABLE, "table", IN_C | IN_AHEAD, "costly functions of one uint8 become a table")                             \
    FAST(SPLIT, "split", IN_C, "what is joined or rolled is computed part by part, each without its bounds")          \
    FAST(SEPARATE, "separate", IN_C,                                                                                  \
         "correlate of integers with an outer product sums along each of its dimensions")                             \
    FAST(WEIGH, "weigh", IN_C | IN_AHEAD, "correlate with many elements of k goes over them in a loop")               \
    FAST(TALLY, "tally", IN_C | IN_AHEAD,                                                                             \
         "scatter sums integers in tables that take turns, at unsigned positions as they lie")                        \
    FAST(REDUCE, "reduce", IN_C | IN_CUDA | IN_AHEAD, "a kernel joins what it reduces, without storing it before")    \
    FAST(JOINS, "joins", IN_C, "reductions in C join by functions of the library, where it has them for their types") \
    FAST(ORDER, "order", IN_C,                                                                                        \
         "rows are what lies side by side in memory, whatever dimension it is")                                       \
    FAST(TRANSPOSE, "transpose", IN_C | IN_AHEAD, "tiles are transposed in the nearest cache")                        \
    FAST(INTERLEAVE, "interleave", IN_C | IN_AHEAD,                                                                   \
         "short groups, as pixels, are gathered together: backwards, across, or apart")                               \
    FAST(NEAR, "near", IN_C, "loads a few elements apart along a row share where they begin")                         \
    FAST(SLIDE, "slide", IN_C, "sums of neighbours go on from row to row, so that each row is read once")             \
    FAST(CHAIN, "chain", IN_C | IN_CUDA,                                                                              \
         "kernels over the same rows take turns, so that a row is read from memory once")                             \
    FAST(SPECIAL, "special", IN_C | IN_CUDA | IN_AHEAD, "kernels for special strides, not the general one")           \
    FAST(SKIP, "skip", IN_C | IN_CUDA | IN_AHEAD,                                                                     \
         "argmin and argmax look only into tiles and runs that have the extreme element")                             \
    FAST(CHUNK, "chunk", IN_CUDA | IN_AHEAD, "CUDA kernels compute 16 bytes in a row at once")                        \
    FAST(RECIPROCAL, "reciprocal", IN_CUDA | IN_AHEAD,                                                                \
         "CUDA kernels divide by what repeats along a row by way of its reciprocal")                                  \
    FAST(INDEX, "index", IN_CUDA | IN_AHEAD, "indices of CUDA kernels take 32 bits where these suffice")              \
    FAST(VALUE, "value", IN_CUDA | IN_AHEAD, "CUDA kernels for one sample have all arguments by value")               \
    FAST(CALL, "call", IN_C | IN_CUDA, "a call that looks like the last one is not read again")                       \
    FAST(THREADS, "threads", IN_C, "a run is split over threads")                                                     \
    FAST(CACHE, "cache", IN_C | IN_CUDA, "kernels are kept on disk")                                                  \
    FAST(FIRST, "first", IN_C, "a first kernel comes from libtcc while the C compiler runs")

enum fast_bit {
#define FAST(id, ...) FAST_BIT_##id,
    FAST_PATHS(FAST)
#undef FAST
    FAST_COUNT
};

enum fast_path {
#define FAST(id, ...) FAST_##id = (int)(1u << FAST_BIT_##id),
    FAST_PATHS(FAST)
#undef FAST
    FAST_ALL = (int)(unsigned)((1ull << FAST_COUNT) - 1)
};
_Static_assert(FAST_COUNT <= 32, "a set has no more bits");

/* Those that are there: sets of enum fast_path. */
#define FAST(id, word, where, what) +((where) & PLACE ? FAST_##id : 0)
enum {
#define PLACE IN_C
    FAST_OF_C = 0 FAST_PATHS(FAST),
#undef PLACE
#define PLACE IN_CUDA
    FAST_OF_CUDA = 0 FAST_PATHS(FAST),
#undef PLACE
#define PLACE IN_AHEAD
    FAST_AHEAD = 0 FAST_PATHS(FAST)
#undef PLACE
};
#undef FAST

#endif
