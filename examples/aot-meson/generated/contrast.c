/* Made by weft build from contrast.weft. See contrast.h. */
#include "contrast.h"

/* One meaning whatever the options: every operation rounds once, in its own type. */
#if defined __clang__
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#if defined __FAST_MATH__
#pragma float_control(except, on)
#endif
#elif defined __GNUC__
/* Threaded jumps make branches of a clamp and a saturation behind it, and vectors of those take twice as long. */
#pragma GCC optimize("O3", "no-thread-jumps", "no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", \
                     "signed-zeros", "no-associative-math", "no-reciprocal-math", "no-trapping-math", \
                     "no-math-errno", "fp-contract=off")
#endif
#if (defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16) || \
    (defined __FAST_MATH__ && !defined __GNUC__)
#error "float would be computed otherwise: compile for SSE2 (-msse2 -mfpmath=sse), or without fast math"
#endif
_Static_assert(sizeof(1.0) == 8, "constants would be float: compile without -fsingle-precision-constant");

typedef uint8_t u8;
typedef float f32;
f32 rintf(f32);
#if defined __GNUC__ /* functions are for every type, signed or not */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
static inline u8 roundsat_f32_u8(f32 a)
{
    /* Bounds that f32 holds: of 4 bytes from 4 the largest below the next power of 2. */
    const u8 top = (u8)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    const u8 bottom = (u8)-1 < (u8)1 ? (u8)(-top - 1) : (u8)0;
    const f32 above = (f32)top, most = sizeof(u8) == sizeof(f32) ? above - above / (1 << 24) : above;
    f32 x = a > (f32)bottom ? a : (f32)bottom; /* of NaN, too */
    x = x < most ? x : most;
    u8 r;
    if (sizeof(u8) < 8 && sizeof(f32) == 8) {
        /* 1.5 * 2^52 more rounds to a whole number, in the low bits. */
        const union {
            double value;
            unsigned long long word;
        } rounded = {(double)x + 0x1.8p52};
        r = (u8)rounded.word;
    } else if (sizeof(u8) < sizeof(f32)) {
        /* The same with 1.5 * 2^23: no function is called where the processor has no such instruction. */
        const union {
            float value;
            unsigned word;
        } rounded = {(float)x + 0x1.8p23f};
        r = (u8)rounded.word;
    } else if (sizeof(u8) == 4) {
        const u8 whole = (u8)(rintf(x) + (f32)0);
        r = a >= above ? top : whole;
    } else {
        const f32 whole = rintf(a) + (f32)0;
        const u8 inside = (u8)(whole >= (f32)bottom && whole < above ? whole : (f32)0);
        return whole >= above ? top : whole < (f32)bottom ? bottom : inside;
    }
    return (u8)-1 < (u8)1 && a != a ? (u8)0 : r;
}

static _Thread_local struct weft_note weft_told;

static int weft_tell(int status, int line, int column, const char *operand, const char *text)
{
    weft_told = (struct weft_note){status, line, column, operand, text};
    return status;
}

/* The product of extents; -1: one is negative, or there are more elements than memory can hold. */
static int64_t weft_count(int rank, const int64_t *extents)
{
    int64_t count = 1;
    for (int d = 0; d < rank; count *= extents[d++])
        if (extents[d] < 0 || (extents[d] && count > INT64_MAX / 16 / extents[d]))
            return -1;
    return count;
}

int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out)
{
    const int64_t count_img = weft_count(3, (const int64_t[]){h, w, 3});
    if (count_img < 0 || count_img > INT64_MAX / 16)
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "img", "an extent is negative, or too large");
    if (count_img && (!img))
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "img", "it is NULL");
    if ((!middle || (uintptr_t)middle % sizeof *middle))
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "middle", "it is NULL, or not aligned");
    if (count_img && (!out))
        return weft_tell(WEFT_KERNEL_INPUT_ERROR, 0, 0, "out", "it is NULL");
    if (out != img && (uintptr_t)out < (uintptr_t)(img + count_img) && (uintptr_t)img < (uintptr_t)(out + count_img))
        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, "out", "it overlaps img");
    if (count_img && (uintptr_t)out < (uintptr_t)(middle + 3) && (uintptr_t)middle < (uintptr_t)(out + count_img))
        return weft_tell(WEFT_KERNEL_OVERLAP_ERROR, 0, 0, "out", "it overlaps middle");
    f32 pattern_1[192]; /* what repeats after 3 elements */
    for (int k = 0; k < 192; k++)
        pattern_1[k] = middle[k % 3];
    for (int64_t from = 0; from < h * w * 3; from += 192) {
        const int64_t count = (h * w * 3) - from < 192 ? (h * w * 3) - from : 192;
        for (int64_t k = 0; k < count; k++) {
            const u8 in_img = img[from + k];
            const f32 in_middle = pattern_1[k];
            const f32 t_2 = (f32)in_img; /* img  3:19 */
            const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
            const f32 t_5 = t_3 * gain; /* (img - middle) * gain  3:18 */
            const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
            const u8 t_7 = roundsat_f32_u8(t_6); /* uint8((img - middle) * gain + middle)  3:12 */
            out[from + k] = t_7;
        }
    }
    return WEFT_KERNEL_OK;
}

const struct weft_note *contrast_note(void)
{
    return &weft_told;
}
