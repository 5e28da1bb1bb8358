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
/* A float16 as float32, by an instruction where the processor has one. */
static inline f32 decode_1(uint16_t a)
{
#if defined __F16C__
    return _cvtsh_ss(a);
#else
    return decode_f16_f32(a);
#endif
}
/* 32 float16 as float32. */
static inline void decode_32(f32 *to, const uint16_t *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from + i))));
#elif defined __F16C__
    for (int i = 0; i < 32; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#else
    for (int i = 0; i < 32; i++)
        to[i] = decode_f16_f32(from[i]);
#endif
}
//: plain decode block
/* So many float16 as float32. */
static void decode_block(f32 *to, const uint16_t *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        decode_32(to + i, from + i);
#if defined __F16C__ /* rows may be short */
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from + i))));
#endif
    for (; i < count; i++)
        to[i] = decode_1(from[i]);
}
//: plain nearest
/* A value rounded to float16, by an instruction where the processor has one. */
static inline f32 nearest_1(f32 a)
{
#if defined __F16C__
    return _cvtsh_ss(_cvtss_sh(a, 0));
#else
    return to_float16_f32_f32(a);
#endif
}
/* 32 values rounded to float16. */
static inline void nearest_32(f32 *to, const f32 *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16)
        _mm512_storeu_ps(to + i, _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0)));
#elif defined __F16C__
    for (int i = 0; i < 32; i += 8)
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0)));
#else
    for (int i = 0; i < 32; i++)
        to[i] = to_float16_f32_f32(from[i]);
#endif
}
//: plain nearest block
/* So many values rounded to float16. */
static void nearest_block(f32 *to, const f32 *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        nearest_32(to + i, from + i);
    for (; i < count; i++)
        to[i] = nearest_1(from[i]);
}
//: plain encode
/* A float32 as float16, by an instruction where the processor has one. */
static inline uint16_t encode_1(f32 a)
{
#if defined __F16C__
    return _cvtss_sh(a, 0);
#else
    return (uint16_t)encode_f32_f16(a);
#endif
}
/* 32 float32 as float16. */
static inline void encode_32(uint16_t *to, const f32 *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16)
        _mm256_storeu_si256((void *)(to + i), _mm512_cvtps_ph(_mm512_loadu_ps(from + i), 0));
#elif defined __F16C__
    for (int i = 0; i < 32; i += 8)
        _mm_storeu_si128((void *)(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), 0));
#else
    for (int i = 0; i < 32; i++)
        to[i] = (uint16_t)encode_f32_f16(from[i]);
#endif
}
//: plain encode block
/* So many float32 as float16. */
static void encode_block(uint16_t *to, const f32 *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        encode_32(to + i, from + i);
    for (; i < count; i++)
        to[i] = encode_1(from[i]);
}
//: plain sticky
/* 32 float64 as float32: cut, and where that lost something with an odd last bit. */
static inline void M(sticky)(T *to, const S *from)
{
#if defined __AVX512F__ && defined __AVX512VL__
    for (int i = 0; i < 32; i += 16) {
        __m256i parts[2];
        for (int k = 0; k < 2; k++) {
            const __m512d x = _mm512_loadu_pd(from + i + 8 * k);
            const __m256 cut = _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
            const __mmask8 lost = _mm512_cmp_pd_mask(_mm512_cvtps_pd(cut), x, _CMP_NEQ_UQ);
            const __m256i bits = _mm256_castps_si256(cut);
            parts[k] = _mm256_mask_or_epi32(bits, lost, bits, _mm256_set1_epi32(1));
        }
        _mm512_storeu_si512(to + i, _mm512_inserti64x4(_mm512_castsi256_si512(parts[0]), parts[1], 1));
    }
#else
    for (int i = 0; i < 32; i++)
        to[i] = M(odd)(from[i]);
#endif
}
//: plain sticky block
/* So many float64 as such float32. */
static void M(sticky_block)(T *to, const S *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        M(sticky)(to + i, from + i);
    for (; i < count; i++)
        to[i] = M(odd)(from[i]);
}
//: plain widen
/* 32 small integers as float32; the processor widens them as it reads them. */
static inline void M(widen)(f32 *to, const S *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16) {
        if (sizeof(S) == 1) {
            const __m128i x = _mm_loadu_si128((const void *)(from + i));
            const __m512i y = (S)-1 < (S)1 ? _mm512_cvtepi8_epi32(x) : _mm512_cvtepu8_epi32(x);
            _mm512_storeu_ps(to + i, _mm512_cvtepi32_ps(y));
        } else {
            const __m256i x = _mm256_loadu_si256((const void *)(from + i));
            const __m512i y = (S)-1 < (S)1 ? _mm512_cvtepi16_epi32(x) : _mm512_cvtepu16_epi32(x);
            _mm512_storeu_ps(to + i, _mm512_cvtepi32_ps(y));
        }
    }
#elif defined __AVX2__
    for (int i = 0; i < 32; i += 8) {
        if (sizeof(S) == 1) {
            const __m128i x = _mm_loadl_epi64((const void *)(from + i));
            const __m256i y = (S)-1 < (S)1 ? _mm256_cvtepi8_epi32(x) : _mm256_cvtepu8_epi32(x);
            _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(y));
        } else {
            const __m128i x = _mm_loadu_si128((const void *)(from + i));
            const __m256i y = (S)-1 < (S)1 ? _mm256_cvtepi16_epi32(x) : _mm256_cvtepu16_epi32(x);
            _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(y));
        }
    }
#else
    for (int i = 0; i < 32; i++)
        to[i] = (f32)from[i];
#endif
}
//: plain widen block
/* So many small integers as float32. */
static void M(widen_block)(f32 *to, const S *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        M(widen)(to + i, from + i);
    for (; i < count; i++)
        to[i] = (f32)from[i];
}
//: plain narrow
#if defined __AVX512F__
/* Sixteen values rounded to int32, NaN to 0, so that packing gives the nearest T: a value beyond int32 converts to the
 * least int32, which unsigned packing takes for 2^31. Where an operand is NaN, the minimum or maximum is the second. */
static inline __m512i M(whole)(const S *from)
{
    const T top = (T)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    if (sizeof(S) == 8) {
        __m256i parts[2];
        for (int k = 0; k < 2; k++) {
            __m512d x = _mm512_loadu_pd(from + 8 * k);
            if ((T)-1 < (T)1)
                x = _mm512_min_pd(_mm512_set1_pd(top), x);
            else
                x = _mm512_max_pd(_mm512_setzero_pd(), x);
            parts[k] = _mm512_maskz_cvtpd_epi32(_mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x);
        }
        return _mm512_inserti64x4(_mm512_castsi256_si512(parts[0]), parts[1], 1);
    }
    const __m512 most = _mm512_set1_ps(top), zero = _mm512_setzero_ps(), own = _mm512_loadu_ps(from);
    const __m512 x = (T)-1 < (T)1 ? _mm512_min_ps(most, own) : _mm512_max_ps(zero, own);
    const __m512i y = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
    if (sizeof(T) == 4)
        return _mm512_mask_mov_epi32(y, _mm512_cmp_ps_mask(x, most, _CMP_GE_OQ), _mm512_set1_epi32(top));
    return y;
}
#elif defined __AVX2__
/* Eight values rounded to int32, at most the last T, so that packing gives the nearest T: what is below int32 converts
 * to its least. So does NaN, which a minimum gives if it is the second operand. */
static inline __m256i M(whole)(const S *from)
{
    const T top = (T)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    if (sizeof(S) == 8) {
        __m128i parts[2];
        for (int k = 0; k < 2; k++) {
            __m256d x = _mm256_min_pd(_mm256_set1_pd(top), _mm256_loadu_pd(from + 4 * k));
            if ((T)-1 < (T)1)
                x = _mm256_and_pd(x, _mm256_cmp_pd(x, x, _CMP_ORD_Q)); /* of NaN 0 */
            parts[k] = _mm256_cvtpd_epi32(x);
        }
        return _mm256_inserti128_si256(_mm256_castsi128_si256(parts[0]), parts[1], 1);
    }
    const __m256 most = _mm256_set1_ps(top);
    __m256 x = _mm256_min_ps(most, _mm256_loadu_ps(from));
    if ((T)-1 < (T)1)
        x = _mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)); /* of NaN 0 */
    if (sizeof(T) == 4) {
        const __m256 above = _mm256_cmp_ps(x, most, _CMP_GE_OQ);
        return _mm256_xor_si256(_mm256_cvtps_epi32(x), _mm256_castps_si256(above)); /* there it is the least */
    }
    return _mm256_cvtps_epi32(x);
}
#endif
/* 32 values as the nearest that the type has. */
static inline void M(narrow)(T *to, const S *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16) {
        const __m512i x = M(whole)(from + i);
        if (sizeof(T) == 4) {
            _mm512_storeu_si512(to + i, x);
        } else if (sizeof(T) == 2) {
            const __m256i packed = (T)-1 < (T)1 ? _mm512_cvtsepi32_epi16(x) : _mm512_cvtusepi32_epi16(x);
            _mm256_storeu_si256((void *)(to + i), packed);
        } else {
            const __m128i packed = (T)-1 < (T)1 ? _mm512_cvtsepi32_epi8(x) : _mm512_cvtusepi32_epi8(x);
            _mm_storeu_si128((void *)(to + i), packed);
        }
    }
#elif defined __AVX2__
    if (sizeof(T) == 4) {
        for (int i = 0; i < 32; i += 8)
            _mm256_storeu_si256((void *)(to + i), M(whole)(from + i));
    } else if (sizeof(T) == 2) {
        for (int i = 0; i < 32; i += 16) {
            const __m256i x = M(whole)(from + i), y = M(whole)(from + i + 8);
            const __m256i packed = (T)-1 < (T)1 ? _mm256_packs_epi32(x, y) : _mm256_packus_epi32(x, y);
            _mm256_storeu_si256((void *)(to + i), _mm256_permute4x64_epi64(packed, 0xd8));
        }
    } else {
        const __m256i x = _mm256_packs_epi32(M(whole)(from), M(whole)(from + 8));
        const __m256i y = _mm256_packs_epi32(M(whole)(from + 16), M(whole)(from + 24));
        const __m256i packed = (T)-1 < (T)1 ? _mm256_packs_epi16(x, y) : _mm256_packus_epi16(x, y);
        const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); /* halves of registers are packed apart */
        _mm256_storeu_si256((void *)to, _mm256_permutevar8x32_epi32(packed, order));
    }
#else
    for (int i = 0; i < 32; i++)
        to[i] = M(roundsat)(from[i]);
#endif
}
//: plain narrow block
/* So many values as the nearest that the type has. */
static void M(narrow_block)(T *to, const S *from, int count)
{
    int i = 0;
    for (; i + 32 <= count; i += 32)
        M(narrow)(to + i, from + i);
    for (; i < count; i++)
        to[i] = M(roundsat)(from[i]);
}
//: plain ordered
/* Joins a block of up to 1,024 values, value i to lane i % 16, and these lanes to those of the `number` blocks before,
 * in pairs: level l of the tree has the lanes of 2 to the l blocks. So errors of sums grow slowly. */
static void join_block_KIND(TREE tree[][16], int64_t number, const STAGE *values, int64_t count)
{
    ACC lanes[16];
    int64_t i = 0, level = 0;
    for (int j = 0; j < 16; j++)
        lanes[j] = ABSENT; /* changes nothing that it is joined to */
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
/* Joins all lanes of the tree, which has `count` values, and then these 16 to one. */
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
/* Joins all lanes of the tree, which has `count` values of each column; leaves results in the first ones. */
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
/* An integer that is ordered as values are, -0 before +0; any for NaN. */
static inline KEY key_of_KIND(TREE value)
{
    const union { TREE value; KEY key; } u = {value};
    return u.key ^ (u.key >> SIGN & MOST);
}
/* The extreme of values and of `all`, that of earlier ones; NaN if one is. */
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
/* Joins values to `all`, which earlier ones were joined to, in 16 lanes. */
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
