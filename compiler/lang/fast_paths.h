/* Fast paths that can be turned off, one row each, by naming them in WEFT_DISABLE or weft_context_params.disable. Each
 * has a slower path with the same results, to the bit. */
#ifndef WEFT_COMPILER_LANG_FAST_PATHS_H
#define WEFT_COMPILER_LANG_FAST_PATHS_H

/* FAST(id, word, what it does) */
#define FAST_PATHS(FAST)                                                                            \
    FAST(FLAT, "flat", "short inner groups run as one long row")                                    \
    FAST(EXPAND, "expand", "several short groups run as one row, gathered into it")                  \
    FAST(STREAM, "stream", "large outputs are written past the caches")                             \
    FAST(ROW, "row", "values that do not vary along a row are computed once for it")                \
    FAST(CONVERT, "convert", "blocks of 8 and 16 bits become float32 and back by vector instructions") \
    FAST(DIVISOR, "divisor", "integers are divided by a literal that the C compiler knows")         \
    FAST(NARROW, "narrow", "integers that fit 16 bits are computed in 16")                          \
    FAST(HOIST, "hoist", "small subexpressions are computed once, before the loop")                 \
    FAST(TABLE, "table", "costly functions of one uint8 become a table")                            \
    FAST(SPLIT, "split", "what is joined or rolled is computed part by part, each without its bounds") \
    FAST(REDUCE, "reduce", "a kernel joins what it reduces, without storing it before")             \
    FAST(ORDER, "order", "reductions read what lies side by side in memory in a row, whatever dimension it is")    \
    FAST(TURN, "turn", "tiles of what is transposed are turned in the nearest cache")               \
    FAST(WEAVE, "weave", "short groups, as pixels, are gathered together: backwards, across, or apart") \
    FAST(CHAIN, "chain", "kernels over the same rows take turns, so that a row is read from memory once") \
    FAST(SPECIAL, "special", "kernels for special strides, not the general one")                    \
    FAST(SKIP, "skip", "argmin and argmax look only into tiles and runs that have the extreme element") \
    FAST(CHUNK, "chunk", "CUDA kernels compute 16 bytes in a row at once")                          \
    FAST(RECIPROCAL, "reciprocal", "CUDA kernels divide by what repeats along a row by way of its reciprocal") \
    FAST(INDEX, "index", "indices of CUDA kernels take 32 bits where these suffice")                \
    FAST(VALUE, "value", "CUDA kernels for one sample have all arguments by value")                 \
    FAST(CALL, "call", "a call that looks like the last one is not read again")                     \
    FAST(THREADS, "threads", "a run is split over threads")                                         \
    FAST(CACHE, "cache", "kernels are kept on disk")                                                \
    FAST(FIRST, "first", "a first kernel comes from libtcc while the C compiler runs")

enum fast_bit {
#define FAST(id, word, what) FAST_BIT_##id,
    FAST_PATHS(FAST)
#undef FAST
    FAST_COUNT
};

enum fast_path {
#define FAST(id, word, what) FAST_##id = 1 << FAST_BIT_##id,
    FAST_PATHS(FAST)
#undef FAST
    FAST_ALL = (1 << FAST_COUNT) - 1
};

#endif
