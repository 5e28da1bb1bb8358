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
#elif defined __GNUC__ /* threaded jumps would make branches of a clamp, and slow vectors of these */
#pragma GCC optimize("O3,no-thread-jumps,no-fast-math,no-unsafe-math-optimizations,no-finite-math-only,signed-zeros," \
                     "no-associative-math,no-reciprocal-math,no-trapping-math,no-math-errno,fp-contract=off")
#endif
#if (__FLT_EVAL_METHOD__ + 0) % 16 || (defined __FAST_MATH__ && !defined __GNUC__)
#error "float would be computed otherwise: compile for SSE2 (-msse2 -mfpmath=sse), or without fast math"
#endif
#if defined __clang__ /* the turns of a loop do not depend on each other */
#pragma clang diagnostic ignored "-Wpass-failed" /* it stays a loop where there is no vector of what it does */
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#else
#define INDEPENDENT
#endif

typedef uint8_t u8;
typedef float f32;
#if defined __GNUC__ /* functions are for every type, signed or not */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
/* Rounded to the nearest integer that the type has. */
static inline u8 roundsat_f32_u8(f32 a)
{
    /* Bounds that f32 holds: of 4 bytes from 4 the largest below the next power of 2. */
    const u8 top = 255;
    const u8 bottom = (u8)0;
    /* 1.5 * 2^23 more rounds to a whole number, in the low bits: no function is called where the processor has no
     * such instruction. These are compared as integers, of which compilers make minima and maxima. */
    const union {
        float value;
        int word;
    } zero = {0x1.8p23f}, sum = {((u8)-1 < (u8)1 || a > (f32)0 ? (float)a : 0.0f) + zero.value};
    const int low = sum.word < zero.word + bottom ? zero.word + bottom : sum.word;
    const int whole = low > zero.word + top ? zero.word + top : low;
    return (u8)(whole);
}
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

static _Thread_local struct weft_note weft_told;
static int weft_tell(int status, int line, int column, const char *operand, const char *text)
{
    weft_told = (struct weft_note){status, line, column, operand, text};
    return status;
}

/* t_: a value, numbered as weft show --stage ir has it; behind it its piece of the program, line and column */
int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out)
{
    if (h < 0 || w < 0 || h > INT64_MAX / 16 / 3 / (w ? w : 1))
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
    f32 pattern_1[192]; /* what repeats after 3 elements */
    for (int k = 0; k < 192; k++)
        pattern_1[k] = middle[k % 3];
    for (int64_t from = 0; from < (h * w * 3); from += 192) {
        const int count = (h * w * 3) - from < 192 ? (int)((h * w * 3) - from) : 192;
        _Alignas(64) f32 v_0[192];
        INDEPENDENT
        for (int64_t k = 0; k < count; k++) {
            const f32 in_middle = pattern_1[k];
            const f32 t_2 = (f32)img[from + k]; /* img  3:19 */
            const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
            const f32 t_5 = t_3 * gain; /* (img - middle) * gain  3:18 */
            v_0[k] = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
        }
        narrow_block(out + from, v_0, count); /* uint8((img - middle) * gain + middle)  3:12 */
    }
    return WEFT_KERNEL_OK;
}

const struct weft_note *contrast_note(void)
{
    return &weft_told;
}
