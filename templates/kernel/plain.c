/* What kernels over dense arrays in plain C (compiler/emit/plain.c) call, in sections: each is a function that a source
 * has if it calls it. In the last one words in capitals stand for the types and expressions of a reduction. */

//: plain position
/* A position as one from the start. */
static inline int64_t weft_position(int64_t position, int64_t extent)
{
    return position < 0 ? position + extent : position;
}
//: plain first
/* The first position of a slice that takes some, as Python has it. */
static inline int64_t weft_first(int64_t extent, int64_t start, int64_t step, int given)
{
    const int64_t low = step < 0 ? -1 : 0, high = step < 0 ? extent - 1 : extent;
    if (!given)
        return step < 0 ? high : low;
    start += start < 0 ? extent : 0;
    return start < low ? low : start > high ? high : start;
}
//: plain inside
/* Whether a position is one of a dimension. */
static inline bool weft_inside(int64_t position, int64_t extent)
{
    return position >= 0 && position < extent;
}
//: plain clamped
/* The nearest position inside. */
static inline int64_t weft_clamped(int64_t position, int64_t extent)
{
    return position < 0 ? 0 : position < extent ? position : extent - 1;
}
//: plain wrapped
/* The position modulo the extent. */
static inline int64_t weft_wrapped(int64_t position, int64_t extent)
{
    const int64_t rest = position % extent;
    return rest < 0 ? rest + extent : rest;
}
//: plain mirrored
/* The position that lies as far inside, the last and the first twice. */
static inline int64_t weft_mirrored(int64_t position, int64_t extent)
{
    const int64_t rest = position % (2 * extent), at = rest < 0 ? rest + 2 * extent : rest;
    return at < extent ? at : 2 * extent - 1 - at;
}
//: plain reflected
/* The position that lies as far inside, the last and the first once. */
static inline int64_t weft_reflected(int64_t position, int64_t extent)
{
    const int64_t round = extent < 2 ? 1 : 2 * extent - 2, rest = position % round;
    const int64_t at = rest < 0 ? rest + round : rest;
    return at < extent ? at : round - at;
}
//: plain ordered
/* Joins values to 16 lanes, value i to lane i % 16, and these to the lanes of earlier blocks as large as they are
 * together: level l of the tree has those of 2 to the l blocks. There is room for values up to a multiple of 16. */
static void join_block_KIND(TREE tree[][16], int64_t number, STAGE *values, int64_t count)
{
    ACC lanes[16];
    int level = 0;
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (; count % 16; count++)
        values[count] = ABSENT;
    for (int64_t i = 0; i < count; i += 16)
        for (int j = 0; j < 16; j++)
            lanes[j] = JOIN;
    for (; number & 1; number >>= 1, level++)
        for (int j = 0; j < 16; j++)
            lanes[j] = PLANTED;
    memcpy(tree[level], lanes, sizeof lanes);
}

/* Joins what the tree has of so many blocks, and then the lanes. */
static TREE join_all_KIND(TREE tree[][16], int64_t blocks)
{
    TREE all[16];
    for (int j = 0; j < 16; j++)
        all[j] = ABSENT;
    for (int level = 0; blocks >> level; level++)
        for (int j = 0; j < 16 && (blocks >> level & 1); j++)
            all[j] = HARVESTED;
    for (int apart = 8; apart; apart /= 2)
        for (int j = 0; j < apart; j++)
            all[j] = FOLDED;
    return blocks ? all[0] : NOTHING;
}
//: plain any_order
/* Joins values to what there is of earlier ones, in 16 lanes. There is room for values up to a multiple of 16. */
static TREE join_KIND(TREE all, STAGE *values, int64_t count)
{
    ACC lanes[16];
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (; count % 16; count++)
        values[count] = ABSENT;
    for (int64_t i = 0; i < count; i += 16)
        for (int j = 0; j < 16; j++)
            lanes[j] = JOIN;
    for (int j = 0; j < 16; j++)
        all = GATHERED;
    return all;
}
//: library head
#if defined __FMA__ /* else the C library's are called */
#define OWN_MATH
#define FMAF(a, b, c) fmaf(a, b, c)
#define FMAD(a, b, c) fma(a, b, c)
#endif
//: end
