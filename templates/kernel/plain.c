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
//: plain decode
/* Eight float16 as float32, by an instruction where the processor has one. */
static inline void decode_8(f32 *to, const uint16_t *from)
{
#if defined __F16C__
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm_loadu_si128((const void *)from)));
#else
    for (int k = 0; k < 8; k++)
        to[k] = decode_f16_f32(from[k]);
#endif
}
//: plain decode block
/* So many float16 as float32. */
static void decode_block(f32 *to, const uint16_t *from, int count)
{
    int i = 0;
    INDEPENDENT
    for (; i + 8 <= count; i += 8)
        decode_8(to + i, from + i);
    for (; i < count; i++)
        to[i] = decode_f16_f32(from[i]);
}
//: plain nearest
/* Eight values rounded to float16, by instructions where the processor has them. */
static inline void nearest_8(f32 *to, const f32 *from)
{
#if defined __F16C__
    _mm256_storeu_ps(to, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(from), 0)));
#else
    for (int k = 0; k < 8; k++)
        to[k] = to_float16_f32_f32(from[k]);
#endif
}
//: plain nearest block
/* So many values rounded to float16. */
static void nearest_block(f32 *to, const f32 *from, int count)
{
    int i = 0;
    INDEPENDENT
    for (; i + 8 <= count; i += 8)
        nearest_8(to + i, from + i);
    for (; i < count; i++)
        to[i] = to_float16_f32_f32(from[i]);
}
//: plain encode
/* Eight float32 as float16, by an instruction where the processor has one. */
static inline void encode_8(uint16_t *to, const f32 *from)
{
#if defined __F16C__
    _mm_storeu_si128((void *)to, _mm256_cvtps_ph(_mm256_loadu_ps(from), 0));
#else
    for (int k = 0; k < 8; k++)
        to[k] = (uint16_t)encode_f32_f16(from[k]);
#endif
}
//: plain encode block
/* So many float32 as float16. */
static void encode_block(uint16_t *to, const f32 *from, int count)
{
    int i = 0;
    INDEPENDENT
    for (; i + 8 <= count; i += 8)
        encode_8(to + i, from + i);
    for (; i < count; i++)
        to[i] = (uint16_t)encode_f32_f16(from[i]);
}
//: plain narrow
#if defined __AVX2__
/* Eight values rounded to the nearest integers up to 255; below 0 and of NaN 0. */
static inline __m256i narrowed(const f32 *from)
{
    const __m256 x = _mm256_max_ps(_mm256_loadu_ps(from), _mm256_setzero_ps());
    return _mm256_cvtps_epi32(_mm256_min_ps(x, _mm256_set1_ps(255)));
}
#endif
/* So many float32 as uint8; 32 at a time where the processor packs them. */
static void narrow_block(uint8_t *to, const f32 *from, int count)
{
    int64_t i = 0;
#if defined __AVX2__
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (; i + 32 <= count; i += 32) {
        const __m256i low = _mm256_packs_epi32(narrowed(from + i), narrowed(from + i + 8));
        const __m256i high = _mm256_packs_epi32(narrowed(from + i + 16), narrowed(from + i + 24));
        _mm256_storeu_si256((void *)(to + i), _mm256_permutevar8x32_epi32(_mm256_packus_epi16(low, high), order));
    }
#endif
    for (; i < count; i++)
        to[i] = roundsat_f32_u8(from[i]);
}
//: plain ordered
/* Joins up to 1,024 values, value i to lane i % 16, and these lanes to those of the blocks before, in pairs: level l of
 * the tree has the lanes of 2 to the l blocks. */
static void join_block_KIND(TREE tree[][16], int64_t number, const STAGE *values, int64_t count)
{
    ACC lanes[16];
    int64_t i = 0, level = 0;
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (; i + 16 <= count; i += 16)
        for (int j = 0; j < 16; j++)
            lanes[j] = JOIN;
    for (int j = 0; j < 16 && i < count; j++)
        lanes[j] = LAST;
    for (; number >> level & 1; level++)
        for (int j = 0; j < 16; j++)
            lanes[j] = PLANTED;
    memcpy(tree[level], lanes, sizeof lanes);
}
/* Joins the lanes that the tree has of so many values, and then these to one. */
static TREE join_all_KIND(TREE tree[][16], int64_t count)
{
    TREE lanes[16];
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (int64_t blocks = (count + 1023) / 1024, level = 0; blocks >> level; level++)
        for (int j = 0; j < 16 && blocks >> level & 1; j++)
            lanes[j] = PLANTED;
    for (int apart = 8; apart; apart /= 2)
        for (int j = 0; j < apart; j++)
            lanes[j] = FOLDED;
    return count ? lanes[0] : NOTHING;
}
//: plain ordered row
/* Joins up to 1,024 values to 16 lanes, value i to lane i % 16. */
static inline void join_lanes_KIND(TREE *restrict lanes, const STAGE *restrict values, int64_t count)
{
    int64_t i = 0;
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (; i + 16 <= count; i += 16)
        for (int j = 0; j < 16; j++)
            lanes[j] = JOIN;
    for (int j = 0; j < 16 && i < count; j++)
        lanes[j] = LAST;
}
/* Joins lanes to one value. */
static inline TREE fold_KIND(TREE *lanes)
{
    for (int j = 0; j < 8; j++)
        lanes[j] = EIGHT;
    for (int j = 0; j < 4; j++)
        lanes[j] = FOUR;
    return TWO;
}
/* Joins values in the same order; those of one block without a tree. */
static TREE join_KIND(const STAGE *values, int64_t count)
{
    TREE tree[48][16];
    if (count <= 1024) {
        join_lanes_KIND(*tree, values, count);
        return count ? fold_KIND(*tree) : NOTHING;
    }
    for (int64_t from = 0; from < count; from += 1024)
        join_block_KIND(tree, from / 1024, values + from, count - from < 1024 ? count - from : 1024);
    return join_all_KIND(tree, count);
}
//: plain ordered columns
/* Joins 16 lanes of each of so many columns to those of the blocks before. */
static void plant_KIND(TREE *tree, int64_t number, TREE *restrict lanes, int columns)
{
    const int width = 16 * columns;
    int64_t level = 0;
    for (; number >> level & 1; level++)
        for (int j = 0; j < width; j++)
            lanes[j] = COLUMNS;
    memcpy(tree + level * width, lanes, (size_t)width * sizeof *lanes);
}
/* Joins the lanes that the tree has of so many values of each column; leaves results in the first ones. */
static void harvest_KIND(const TREE *tree, int64_t count, TREE *restrict lanes, int columns)
{
    const int width = 16 * columns;
    for (int j = 0; j < width && count > 1024; j++)
        lanes[j] = ABSENT;
    for (int64_t blocks = (count + 1023) / 1024, level = 0; blocks >> level && count > 1024; level++)
        for (int j = 0; j < width && blocks >> level & 1; j++)
            lanes[j] = COLUMNS;
    for (int apart = 8 * columns; apart && apart >= columns; apart /= 2)
        for (int j = 0; j < apart && apart < count * columns; j++)
            lanes[j] = FOLDED;
    for (int j = 0; j < columns && !count; j++)
        lanes[j] = NOTHING;
}
//: plain keys
/* An integer that is ordered as values are, -0 before +0; of a NaN any. */
static inline KEY key_of_KIND(TREE value)
{
    const union { TREE value; KEY key; } u = {value};
    return u.key ^ (u.key >> SIGN & MOST);
}
/* Joins values to what there is of earlier ones. */
static TREE join_KIND(TREE all, const TREE *values, int64_t count)
{
    KEY found = key_of_KIND(all), nan = all != all;
    for (int64_t i = 0; i < count; i++) {
        const KEY key = key_of_KIND(values[i]);
        found = key BEFORE found ? key : found;
        nan |= values[i] != values[i];
    }
    const union { KEY key; TREE value; } u = {found ^ (found >> SIGN & MOST)};
    return nan ? NAN : u.value;
}
//: plain column keys
/* An integer that is ordered as values are, -0 before +0, and NaN before all others that it is joined to. */
static inline KEY rank_of_KIND(TREE value)
{
    const union { TREE value; KEY key; } u = {value};
    return (-(KEY)(value != value) & WINNER) | (-(KEY)(value == value) & (u.key ^ (u.key >> SIGN & MOST)));
}
static inline TREE value_of_KIND(KEY key)
{
    const union { KEY key; TREE value; } u = {key ^ (key >> SIGN & MOST)};
    return key == WINNER ? NAN : u.value;
}
//: plain any_order
/* Joins values to what there is of earlier ones, in 16 lanes. */
static TREE join_KIND(TREE all, const STAGE *values, int64_t count)
{
    ACC lanes[16];
    int64_t i = 0;
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT;
    for (; i + 16 <= count; i += 16)
        for (int j = 0; j < 16; j++)
            lanes[j] = JOIN;
    for (int j = 0; i + j < count; j++)
        lanes[j] = JOIN;
    for (int j = 0; j < 16; j++)
        all = GATHERED;
    return all;
}
//: part reduced
#undef REDUCED
/* The body for a function of an angle: near(x) up to 2^16, else any(x), and of what is beyond far(x), one by one. */
#define REDUCED(near, any, far) \
    ALIGNED f32 z[BLOCK]; \
    i32 rare = 0; \
    for (int j = 0; j < BLOCK; j++) { \
        const union word_f32 x = {a[j]}; \
        rare |= 0x47800000 - (i32)(x.word & 0x7fffffff); \
    } \
    if (rare >= 0) { \
        EACH(j, BLOCK) \
            r[j] = near(a[j]); \
        return; \
    } \
    EACH(j, BLOCK) \
        z[j] = any(a[j]); \
    for (int j = 0; j < BLOCK; j++) \
        if (is_beyond(a[j])) \
            z[j] = far(a[j]); \
    EACH(j, BLOCK) \
        r[j] = z[j];
//: end
