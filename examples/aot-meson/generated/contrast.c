/* Made by weft build from contrast.weft. See contrast.h. */
#include "contrast.h"
#if defined __F16C__ || defined __AVX2__
#include <immintrin.h>
#endif
#include <math.h>

/* Every operation rounds once, in its own type, whatever the options. */
#if defined __clang__
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#if defined __FAST_MATH__
#pragma float_control(except, on)
#endif
#elif defined __GNUC__ /* jump threading makes branches of clamps, and slow vectors of these */
#pragma GCC optimize("O3,no-thread-jumps,no-fast-math,no-unsafe-math-optimizations,no-finite-math-only,signed-zeros," \
                     "no-associative-math,no-reciprocal-math,no-trapping-math,no-math-errno,fp-contract=off")
#endif
#if (__FLT_EVAL_METHOD__ + 0) % 16 /* 16: _Float16 alone */ || (defined __FAST_MATH__ && !defined __GNUC__)
#error "float would be computed otherwise: compile for SSE2 (-msse2 -mfpmath=sse), or without fast math"
#endif

typedef uint8_t u8;
typedef float f32;
#if defined __GNUC__ /* functions are for every type, signed or not */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
/* 32 small integers as float32; the processor widens them as it reads them. */
static inline void widen_u8_f32(f32 *to, const u8 *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16) {
        const __m128i x = _mm_loadu_si128((const void *)(from + i));
        const __m512i y = _mm512_cvtepu8_epi32(x);
        _mm512_storeu_ps(to + i, _mm512_cvtepi32_ps(y));
    }
#elif defined __AVX2__
    for (int i = 0; i < 32; i += 8) {
        const __m128i x = _mm_loadl_epi64((const void *)(from + i));
        const __m256i y = _mm256_cvtepu8_epi32(x);
        _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(y));
    }
#else
    for (int i = 0; i < 32; i++)
        to[i] = (f32)from[i];
#endif
}
/* Rounded to the nearest integer that the type has. */
static inline u8 roundsat_f32_u8(f32 a)
{
    /* The bounds of u8. */
    const u8 top = 255;
    const u8 bottom = (u8)0;
    /* 1.5 * 2^23 more rounds to a whole number, a tie to an even one, in the low bits, which are those of u8: no
     * function is called where the processor has no such instruction. Integers are compared, of which compilers
     * make minima and maxima. */
    const union {
        float value;
        int word;
    } zero = {0x1.8p23f}, sum = {(a > (f32)0 ? (float)a : 0.0f) + zero.value};
    const int low = sum.word < zero.word + bottom ? zero.word + bottom : sum.word;
    const int whole = low > zero.word + top ? zero.word + top : low;
    return (u8)(whole);
}
#if defined __AVX512F__
/* Sixteen values rounded to int32, NaN to 0, so that packing gives the nearest u8: a value beyond int32 converts to the
 * least int32, which unsigned packing takes for 2^31. Where an operand is NaN, the minimum or maximum is the second. */
static inline __m512i whole_f32_u8(const f32 *from)
{
    const __m512 zero = _mm512_setzero_ps(), own = _mm512_loadu_ps(from);
    const __m512 x = _mm512_max_ps(zero, own);
    const __m512i y = _mm512_maskz_cvtps_epi32(_mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x);
    return y;
}
#elif defined __AVX2__
/* Eight values rounded to int32, at most the last u8, so that packing gives the nearest u8: what is below int32 converts
 * to its least. So does NaN, which a minimum gives if it is the second operand. */
static inline __m256i whole_f32_u8(const f32 *from)
{
    const u8 top = 255;
    const __m256 most = _mm256_set1_ps(top);
    __m256 x = _mm256_min_ps(most, _mm256_loadu_ps(from));
    return _mm256_cvtps_epi32(x);
}
#endif
/* 32 values as the nearest that the type has. */
static inline void narrow_f32_u8(u8 *to, const f32 *from)
{
#if defined __AVX512F__
    for (int i = 0; i < 32; i += 16) {
        const __m512i x = whole_f32_u8(from + i);
        const __m128i packed = _mm512_cvtusepi32_epi8(x);
        _mm_storeu_si128((void *)(to + i), packed);
    }
#elif defined __AVX2__
    const __m256i x = _mm256_packs_epi32(whole_f32_u8(from), whole_f32_u8(from + 8));
    const __m256i y = _mm256_packs_epi32(whole_f32_u8(from + 16), whole_f32_u8(from + 24));
    const __m256i packed = _mm256_packus_epi16(x, y);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7); /* halves of registers are packed apart */
    _mm256_storeu_si256((void *)to, _mm256_permutevar8x32_epi32(packed, order));
#else
    for (int i = 0; i < 32; i++)
        to[i] = roundsat_f32_u8(from[i]);
#endif
}

static _Thread_local struct weft_note weft_told;
static int weft_tell(int status, int line, int column, const char *operand, const char *text)
{
    weft_told = (struct weft_note){status, line, column, operand, text};
    return status;
}

/* t_: a value, numbered as in weft show --stage ir. Behind a line: its piece of the program, and the piece's line and column */
int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out)
{
    if (h < 0 || w < 0 || h > INT64_MAX / 16 / 3 / (w ? w : 1)) /* so that no size in bytes overflows */
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "img", "an extent is negative, or too large");
    const int64_t count_img = h * w * 3;
    if (count_img && !img)
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "img", "it is NULL");
    if (!middle || (uintptr_t)middle % sizeof *middle)
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "middle", "it is NULL, or not aligned");
    if (count_img && !out)
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "out", "it is NULL");
    if (out != img && (uintptr_t)out < (uintptr_t)(img + count_img) && (uintptr_t)img < (uintptr_t)(out + count_img))
        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, "out", "it overlaps img");
    if (count_img && (uintptr_t)out < (uintptr_t)(middle + 3) && (uintptr_t)middle < (uintptr_t)(out + count_img))
        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, "out", "it overlaps middle");
    f32 pattern_1[96]; /* what repeats after 3 elements */
    for (int k = 0; k < 96; k++)
        pattern_1[k] = middle[k % 3];
    for (int64_t from = 0; from + 32 <= (h * w * 3); from += 32) {
        _Alignas(64) f32 values_1[32], values_2[32];
        widen_u8_f32(values_1, img + from); /* img  3:19 */
        for (int64_t k = 0; k < 32; k++) {
            const f32 in_middle = pattern_1[from % 96 + k];
            const f32 t_3 = values_1[k] - in_middle; /* img - middle  3:19 */
            const f32 t_5 = t_3 * gain; /* (img - middle) * gain  3:18 */
            values_2[k] = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
        }
        narrow_f32_u8(out + from, values_2); /* uint8((img - middle) * gain + middle)  3:12 */
    }
    for (int64_t from = (h * w * 3) - (h * w * 3) % 32; from < (h * w * 3); from++) {
        const f32 in_middle = pattern_1[from % 96];
        const f32 t_2 = (f32)img[from]; /* img  3:19 */
        const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
        const f32 t_5 = t_3 * gain; /* (img - middle) * gain  3:18 */
        const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
        out[from] = roundsat_f32_u8(t_6); /* uint8((img - middle) * gain + middle)  3:12 */
    }
    return WEFT_KERNEL_OK;
}

const struct weft_note *contrast_note(void)
{
    return &weft_told;
}
