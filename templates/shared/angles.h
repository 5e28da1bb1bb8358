/* What large angles take. The library has functions of these (ends.c). Kernels' own functions of float32 take the same
 * for single elements, so the parts here are among those of math_c.h. The library includes this text, ahead-of-time
 * sources carry it. */

//: angles begin
#if defined __GNUC__ && !defined __TINYC__
#define OWN_MATH
#define OWN(name) __attribute__((always_inline)) name
#define FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define FMAD(a, b, c) __builtin_fma(a, b, c)
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
union word_f32 { f32 value; u32 word; };
union word_f64 { f64 value; u64 word; };
struct angle_f64 { f64 sin, cos; u64 quarters; };
//: part turn
#ifdef OWN_MATH
/* x / pi modulo 2, x from 2^16 on, in units of 2^-63: x is a whole number times a power of 2, by which 1 / pi begins at
 * another of its bits (Payne and Hanek, ACM SIGNUM Newsletter 18, 1983). */
static inline u64 OWN(turns_of)(f32 x)
{
    static const u64 bits[7] = {0x0000000028be60db, 0x28be60db9391054a, 0x9391054a7f09d5f4, 0x7f09d5f47d4d3770,
                                0x7d4d377036d8a566, 0x36d8a5664f10e410, 0x4f10e4107f9458ea};
    const union word_f32 size = {__builtin_fabsf(x)};
    const u64 at = (size.word >> 23) - 118, left = at & 31, from = at >> 5, whole = (size.word & 0x7fffff) | 0x800000;
    const u64 high = bits[from] << left | bits[from + 1] << left >> 32, low = bits[from + 2] << left >> 32;
    const u64 product = whole * high + (whole * low >> 32);
    return x < 0 ? -product : product;
}
/* From turns less n halves, or quarters, to an angle. */
static inline f32 OWN(angle_of)(u64 turns)
{
    return (f32)((f64)(i64)turns * 0x1.921fb54442d18p-62);
}
static inline int OWN(is_beyond)(f32 x)
{
    return (__builtin_fabsf(x) > 0x1p16f) & (__builtin_fabsf(x) < __builtin_inff());
}
#endif
//: part tan_rest turn
#ifdef OWN_MATH
/* tan of r, from -pi / 4 to pi / 4, or, where n is odd, of that and pi / 2. */
static inline f32 OWN(tan_rest)(f32 r, u32 n)
{
    const f32 z = FMAF(r, r, 0x1p-60f), s = z * z;
    f32 p = FMAF(0x1.33e7b6p-7f, z, 0x1.9684bep-9f);
    p = FMAF(p, s, FMAF(0x1.90729ep-6f, z, 0x1.b5851ep-5f));
    p = FMAF(p, s, FMAF(0x1.112deap-3f, z, 0x1.5554dep-2f));
    const f32 t = FMAF(p * z, r, r);
    return (n & 1 ? -1 : t) / (n & 1 ? t : 1);
}
static inline f32 OWN(tan_far)(f32 x)
{
    const u64 turns = turns_of(x), n = (turns + (1ull << 61)) >> 62;
    return tan_rest(angle_of(turns - (n << 62)), (u32)n);
}
#endif
//: part sin_rest turn
#ifdef OWN_MATH
/* (-1)^n sin(r), r from -pi / 2 to pi / 2. */
static inline f32 OWN(sin_rest)(f32 r, u32 n)
{
    const f32 z = FMAF(r, r, 0x1p-60f);
    f32 p = FMAF(FMAF(-0x1.b6253ep-26f, z, 0x1.72cddep-19f), z, -0x1.a023ccp-13f);
    p = FMAF(FMAF(p, z, 0x1.111136p-7f), z, -0x1.555556p-3f);
    union word_f32 value = {FMAF(p, z, 1) * r};
    value.word ^= n << 31;
    return value.value;
}
static inline f32 OWN(sin_turns)(u64 turns)
{
    const u64 n = (turns + (1ull << 62)) >> 63;
    return sin_rest(angle_of(turns - (n << 63)), (u32)n);
}
static inline f32 OWN(sin_far)(f32 x)
{
    return sin_turns(turns_of(x));
}
static inline f32 OWN(cos_far)(f32 x)
{
    return sin_turns(turns_of(x) + (1ull << 62));
}
#endif
//: angles far
/* The sine and cosine of |x| less so many quarters of a turn. x is a whole number, from 2^23 on, times a power of 2, by
 * which 1 / pi begins at another of its bits (Payne and Hanek, as in turns_of): x / pi modulo 2, in units of 2^-127, is
 * made of four parts of 32 bits, v0 the highest. */
static inline struct angle_f64 OWN(angle_f64)(f64 x)
{
    static const u64 bits[20] = {
        0x0000000000000000, 0x28be60db9391054a, 0x7f09d5f47d4d3770, 0x36d8a5664f10e410, 0x7f9458eaf7aef158,
        0x6dc91b8e909374b8, 0x01924bba82746487, 0x3f877ac72c4a69cf, 0xba208d7d4baed121, 0x3a671c09ad17df90,
        0x4e64758e60d4ce7d, 0x272117e2ef7e4a0e, 0xc7fe25fff7816603, 0xfbcbc462d6829b47, 0xdb4d9fb3c9f2c26d,
        0xd3d18fd9a797fa8b, 0x5d49eeb1faf97c5e, 0xcf41ce7de294a4ba, 0x9afed7ec47e35742, 0x1580cc11bf1edaea};
    const u64 most = 0xffffffff;
    const union word_f64 size = {__builtin_fabs(x)};
    const u64 position = (size.word >> 52) - (1075 - 64), from = position >> 6, left = position & 63;
    const u64 w01 = bits[from] << left | bits[from + 1] >> 1 >> (63 - left);
    const u64 w23 = bits[from + 1] << left | bits[from + 2] >> 1 >> (63 - left);
    const u64 w45 = bits[from + 2] << left | bits[from + 3] >> 1 >> (63 - left);
    const u64 low = size.word & most, high = (size.word >> 32 & 0xfffff) | 0x100000;
    const u64 low1 = low * (w01 & most), low2 = low * (w23 >> 32), low3 = low * (w23 & most);
    const u64 v3 = high * (w45 >> 32) + (low * (w45 >> 32) >> 32) + (high * (w45 & most) >> 32) + (low3 & most);
    const u64 v2 = high * (w23 & most) + (low3 >> 32) + (low2 & most) + (v3 >> 32);
    const u64 v1 = high * (w23 >> 32) + (low2 >> 32) + (low1 & most) + (v2 >> 32);
    const u64 v0 = high * (w01 & most) + (low1 >> 32) + low * (w01 >> 32) + (v1 >> 32);
    const u64 turns = (v0 << 32 | (v1 & most)) + (1ull << 61), rest = turns & ((1ull << 62) - 1);
    /* What is left, from -1/4 to 1/4, as three numbers of 48, 48 and 30 bits. */
    const union word_f64 first = {.word = rest >> 14 | 0x4330000000000000};
    const u64 middle = (rest & 0x3fff) << 34 | (v2 & most) << 2 | (v3 & most) >> 30;
    const union word_f64 second = {.word = middle | 0x4330000000000000};
    const union word_f64 third = {.word = (v3 & 0x3fffffff) | 0x4330000000000000};
    const f64 a = (first.value - 0x1.08p52) * 0x1p48, b = second.value - 0x1p52, c = third.value - 0x1p52;
    const f64 sum = a + b, less = FMAD(c, 0x1p-30, b - (sum - a));
    const f64 near = sum * 0x1.921fb54442d18p-96;
    const f64 error = FMAD(sum, 0x1.921fb54442d18p-96, -near);
    const f64 r = near + FMAD(less, 0x1.921fb54442d18p-96, FMAD(sum, 0x1.1a62633145c07p-150, error));
    const f64 z = r * r;
    f64 p = FMAD(0x1.5d8fa53060facp-33, z, -0x1.ae5e59fc4c5fbp-26);
    f64 q = FMAD(-0x1.8fae9dbde5939p-37, z, 0x1.1ee9ebebb1ca3p-29);
    p = FMAD(p, z, 0x1.71de35671a203p-19);
    q = FMAD(q, z, -0x1.27e4f809f4607p-22);
    p = FMAD(p, z, -0x1.a01a019bfd1f8p-13);
    q = FMAD(q, z, 0x1.a01a019cb1c2ep-16);
    p = FMAD(p, z, 0x1.111111110f7cap-7);
    q = FMAD(q, z, -0x1.6c16c16c1517ep-10);
    p = FMAD(p, z, -0x1.5555555555548p-3);
    q = FMAD(q, z, 0x1.555555555554cp-5);
    const struct angle_f64 angle = {FMAD(p * z, r, r), FMAD(q * z, z, FMAD(z, -0.5, 1)), turns >> 62};
    return angle;
}
static inline int OWN(is_far_f64)(f64 x)
{
    return (__builtin_fabs(x) >= 0x1p23) & (__builtin_fabs(x) < __builtin_inf());
}
static inline f64 OWN(sin_f64_far)(f64 x)
{
    const struct angle_f64 angle = angle_f64(x);
    const union word_f64 sign = {x};
    union word_f64 value = {angle.quarters & 1 ? angle.cos : angle.sin};
    value.word ^= (sign.word & 1ull << 63) ^ angle.quarters >> 1 << 63;
    return value.value;
}
static inline f64 OWN(cos_f64_far)(f64 x)
{
    const struct angle_f64 angle = angle_f64(x);
    union word_f64 value = {angle.quarters & 1 ? angle.sin : angle.cos};
    value.word ^= (angle.quarters + 1) >> 1 << 63;
    return value.value;
}
//: angles end
#undef OWN_MATH
#undef OWN
#undef FMAF
#undef FMAD
#endif
