/* Library functions of our own for the C target, of which C compilers make vectors, within 1 ulp. They take fused
 * multiply-adds; without these (OWN_MATH is not defined then) the C library's are called. Sections "library" have
 * functions of an element, and what these take. Those of "block" have the body of a function of a block, r = f(a) or
 * f(a, b): a loop for ordinary operands alone, and one of the element's function where others are among them. Both
 * give an ordinary operand the same bits. The coefficients are made by scripts/minimax.py; the last
 * bits of expf's come from a longer search of that kind.
 *
 * Methods: arguments are reduced to a power of 2 and a rest, whose function is a polynomial (Muller, Elementary
 * Functions, 2016, chapter 11). 1.5 * 2^23 added to a float32, 1.5 * 2^52 to a float64, rounds to a whole number,
 * which is then in the low bits. */

//: library head
#undef OWN_MATH
#undef FMAF
#undef FMAD
#if (defined __FMA__ || defined __FP_FAST_FMA) && !defined __TINYC__
#define OWN_MATH
#define FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define FMAD(a, b, c) __builtin_fma(a, b, c)
#endif
#ifndef WORD_TYPES /* sources ahead of time come here once for each instruction set */
#define WORD_TYPES
union word_f32 {
    f32 value;
    u32 word;
};
union word_f64 {
    f64 value;
    u64 word;
};
#endif
//: library expf
#ifdef OWN_MATH
/* n is x * log2(e) rounded; exp(x - n * ln(2)) - 1. */
static inline f32 OWN(exp_rest)(f32 x, f32 n)
{
    f32 r = FMAF(n, -0x1.62e4p-1f, x); /* exact */
    r = FMAF(n, -0x1.7f7d1cp-20f, r);
    const f32 s = r * r;
    const f32 p = FMAF(FMAF(0x1.6af01p-10f, r, 0x1.1253f6p-7f), s, FMAF(0x1.555852p-5f, r, 0x1.55547ep-3f));
    return FMAF(FMAF(p, r, 0.5f), s, r);
}
static inline f32 OWN(own_expf)(f32 x)
{
    const f32 most = x > 100 ? 100 : x;
    union word_f32 n = {FMAF(most, 0x1.715476p+0f, 0x1.8p23f)}, power, rest = {x};
    rest.word = (rest.word >> 1 & 0x40000000) ^ 0x5f800000; /* 2^64, or 2^-64 where x < 0 */
    power.word = (n.word << 23) + ((254u << 23) - rest.word);
    const f32 value = FMAF(exp_rest(most, n.value - 0x1.8p23f), power.value, power.value) * rest.value;
    return x < -104 ? 0 : value;
}
#else
static inline f32 OWN(own_expf)(f32 x)
{
    return expf(x);
}
#endif
//: block expf
    i32 largest = 0;
    for (int j = 0; j < BLOCK; j++) {
        const union word_f32 x = {a[j]};
        const i32 size = x.word & 0x7fffffff;
        largest = size > largest ? size : largest;
    }
    if (largest > 0x42ae0000) { /* 87, NaN too */
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = own_expf(a[j]);
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f32 x = a[j];
        const union word_f32 n = {FMAF(x, 0x1.715476p+0f, 0x1.8p23f)}, power = {.word = (n.word + 127) << 23};
        r[j] = FMAF(exp_rest(x, n.value - 0x1.8p23f), power.value, power.value);
    }
//: library exp
#ifdef OWN_MATH
/* n is x * log2(e) rounded; exp(x - n * ln(2)) - 1. */
static inline f64 OWN(exp_rest_f64)(f64 x, f64 n)
{
    f64 r = FMAD(n, -0x1.62e42fefa38p-1, x); /* exact */
    r = FMAD(n, -0x1.ef35793c7673p-45, r);
    const f64 s = r * r;
    f64 p = FMAD(0x1.1e3cc251f5515p-29, s, FMAD(0x1.af6c6151ce392p-26, r, 0x1.27e5b5030860ap-22));
    p = FMAD(p, s, FMAD(0x1.71ddefdc4eff2p-19, r, 0x1.a01a0135f394bp-16));
    p = FMAD(p, s, FMAD(0x1.a01a01b39922cp-13, r, 0x1.6c16c16c307a4p-10));
    p = FMAD(p, s, FMAD(0x1.111111110ec19p-7, r, 0x1.5555555555502p-5));
    p = FMAD(p, s, FMAD(0x1.555555555555bp-3, r, 0.5));
    return FMAD(p, s, r);
}
static inline f64 OWN(own_exp)(f64 x)
{
    const f64 most = x > 800 ? 800 : x;
    union word_f64 n = {FMAD(most, 0x1.71547652b82fep+0, 0x1.8p52)}, power, rest = {x};
    rest.word = (rest.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where x < 0 */
    power.word = (n.word << 52) + ((2046ull << 52) - rest.word);
    const f64 value = FMAD(exp_rest_f64(most, n.value - 0x1.8p52), power.value, power.value) * rest.value;
    return x < -746 ? 0 : value;
}
#else
static inline f64 OWN(own_exp)(f64 x)
{
    return exp(x);
}
#endif
//: block exp
    i64 rare = 0; /* negative: an operand beyond 706, or a NaN */
    for (int j = 0; j < BLOCK; j++) {
        const union word_f64 x = {a[j]};
        rare |= 0x4086100000000000 - (i64)(x.word & 0x7fffffffffffffff);
    }
    if (rare < 0) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = own_exp(a[j]);
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f64 x = a[j];
        const union word_f64 n = {FMAD(x, 0x1.71547652b82fep+0, 0x1.8p52)}, power = {.word = (n.word + 1023) << 52};
        r[j] = FMAD(exp_rest_f64(x, n.value - 0x1.8p52), power.value, power.value);
    }
//: library powf
#ifdef OWN_MATH
/* log2 of a normal float32, of which these are the bits. */
static inline f64 OWN(log2_f64)(u32 word)
{
    const i32 above = (i32)(word - 0x3f3504f3); /* the square root of 0.5 */
    const union word_f32 m = {.word = word - ((u32)above & 0xff800000)};
    const f64 f = m.value - 1, g = f * f;
    f64 p = FMAD(0x1.3cec79746ffd7p-4, g, 0x1.2871a4480299cp-3);
    f64 q = FMAD(-0x1.248a5ead162bp-3, g, -0x1.252ed9a7e351p-3);
    p = FMAD(p, g, 0x1.452916a6419edp-3);
    q = FMAD(q, g, -0x1.71417a077536cp-3);
    p = FMAD(p, g, 0x1.a63f4517933cp-3);
    q = FMAD(q, g, -0x1.ec72b52c800f7p-3);
    p = FMAD(p, g, 0x1.277651f7e8385p-2);
    q = FMAD(q, g, -0x1.71547098baf41p-2);
    p = FMAD(p, g, 0x1.ec709ebba4e18p-2);
    q = FMAD(q, g, -0x1.715476565c208p-1);
    p = FMAD(p, g, 0x1.71547652a1e71p+0);
    return FMAD(FMAD(q, f, p), f, above >> 23);
}
/* 2^r - 1, |r| <= 0.5. */
static inline f32 OWN(exp2_rest)(f32 r)
{
    const f32 s = r * r, p = FMAF(0x1.41a88ep-13f, s, FMAF(0x1.5f0b56p-10f, r, 0x1.3b2d56p-7f));
    return FMAF(0x1.62e43p-1f, r, FMAF(p, s, FMAF(0x1.c6af7ap-5f, r, 0x1.ebfbdep-3f)) * s);
}
static inline f32 OWN(own_powf)(f32 x, f32 y)
{
    const f32 infinity = __builtin_inff(), nan = __builtin_nanf("");
    union word_f32 size = {x}, scaled, sign = {x}, half, rest, z;
    size.word &= 0x7fffffff;
    scaled.value = size.value * 0x1p23f; /* where x is subnormal */
    const f64 log = log2_f64(size.word < 0x00800000 ? scaled.word - (23u << 23) : size.word);
    f32 most = y > 0x1p40f ? 0x1p40f : y;
    most = most < -0x1p40f ? -0x1p40f : most;
    const f64 n = FMAD(log, most, 0x1.8p52) - 0x1.8p52;
    f32 whole = (f32)n;
    whole = whole > 200 ? 200 : whole;
    whole = whole < -200 ? -200 : whole;
    whole = whole == whole ? whole : 0;
    const i32 power = (i32)whole;
    half.word = (u32)((power >> 1) + 127) << 23;
    rest.word = (u32)(power - (power >> 1) + 127) << 23;
    z.value = FMAF(exp2_rest((f32)FMAD(log, most, -n)), half.value, half.value) * rest.value;
    const f32 of_zero = y < 0 ? infinity : 0, of_infinity = y < 0 ? 0 : infinity;
    z.value = size.value == 0 ? of_zero : z.value;
    z.value = size.value == infinity ? of_infinity : z.value;
    sign.word &= 0x80000000;
    sign.word = (__builtin_rintf(y * 0.5f) != y * 0.5f) & (__builtin_rintf(y) == y) ? sign.word : 0; /* y is odd */
    z.word |= sign.word;
    z.value = (x < 0) & (size.value < infinity) & (__builtin_rintf(y) != y) ? nan : z.value;
    z.value = (x != x) | (y != y) ? nan : z.value;
    return (x == 1) | (y == 0) ? 1 : z.value;
}
#else
static inline f32 OWN(own_powf)(f32 x, f32 y)
{
    return powf(x, y);
}
#endif
//: block powf
    ALIGNED f32 z[BLOCK];
    i32 rare = 0; /* negative: a base that is no positive normal number, nor 0 under y > 0, or a result that is none */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union word_f32 x = {a[j]};
        const int zero = (x.word == 0) & (b[j] > 0);
        const u32 word = zero ? 0x3f800000 : x.word;
        const f64 y = b[j], log = log2_f64(word), n = FMAD(log, y, 0x1.8p52) - 0x1.8p52;
        const union word_f32 whole = {(f32)n}, shifted = {whole.value + 0x1.8p23f};
        const union word_f32 scale = {.word = (shifted.word + 127) << 23};
        const f32 value = FMAF(exp2_rest((f32)FMAD(log, y, -n)), scale.value, scale.value);
        z[j] = zero ? 0 : value;
        rare |= (i32)(word - 0x00800000) | (i32)(word + 0x00800000);
        rare |= 0x42fa0000 - (i32)(whole.word & 0x7fffffff); /* beyond 125 */
    }
    if (rare < 0) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            z[j] = own_powf(a[j], b[j]);
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: library fmodf
#ifdef OWN_MATH
/* The remainder of x by y, both positive, y finite, and their quotient below 2^22: rounded and cut to a whole number
 * it is right or 1 too large. The product is subtracted exactly; what is left is a number of y's precision. */
static inline f32 OWN(rest_f32)(f32 x, f32 y)
{
    const f32 r = FMAF(-__builtin_truncf(x / y), y, x);
    return r < 0 ? r + y : r;
}
/* The same of float32, for quotients below 2^51. */
static inline f64 OWN(rest_wide)(f64 x, f64 y)
{
    const f64 r = FMAD(-__builtin_trunc(x / y), y, x);
    return r < 0 ? r + y : r;
}
/* Greater quotients in steps: first the remainder by y times a power of 2. */
static inline f32 OWN(own_fmodf)(f32 a, f32 b)
{
    const f32 size = __builtin_fabsf(a), divisor = __builtin_fabsf(b), infinity = __builtin_inff();
    if (!((size < infinity) & (divisor > 0)))
        return fmodf(a, b);
    if (divisor == infinity)
        return a;
    const union word_f64 y = {divisor};
    union word_f64 x = {size};
    while (x.value >= y.value) {
        const i64 steps = (i64)(x.word >> 52) - (i64)(y.word >> 52) - 50;
        const union word_f64 power = {.word = (u64)(1023 + (steps > 0 ? steps : 0)) << 52};
        x.value = rest_wide(x.value, y.value * power.value);
    }
    return __builtin_copysignf((f32)x.value, a);
}
#else
static inline f32 OWN(own_fmodf)(f32 a, f32 b)
{
    return fmodf(a, b);
}
#endif
//: library fmod
#ifdef OWN_MATH
/* The remainder of x by y, both positive, y finite, and their quotient below 2^51: rounded and cut to a whole number
 * it is right or 1 too large. The product is subtracted exactly; what is left is a number of y's precision. */
static inline f64 OWN(rest_f64)(f64 x, f64 y)
{
    const f64 r = FMAD(-__builtin_trunc(x / y), y, x);
    return r < 0 ? r + y : r;
}
/* Greater quotients in steps: first the remainder by y times a power of 2. Subnormal divisors are the C library's. */
static inline f64 OWN(own_fmod)(f64 a, f64 b)
{
    const union word_f64 y = {__builtin_fabs(b)};
    union word_f64 x = {__builtin_fabs(a)};
    if (!((x.value < __builtin_inf()) & (y.value >= 0x1p-1022)))
        return fmod(a, b);
    if (y.value == __builtin_inf())
        return a;
    while (x.value >= y.value) {
        const i64 steps = (i64)(x.word >> 52) - (i64)(y.word >> 52) - 50;
        const i64 most = steps > 1000 ? 1000 : steps, more = steps - most;
        const union word_f64 power = {.word = (u64)(1023 + (most > 0 ? most : 0)) << 52};
        const union word_f64 further = {.word = (u64)(1023 + more) << 52};
        x.value = rest_f64(x.value, y.value * power.value * further.value);
    }
    return __builtin_copysign(x.value, a);
}
#else
static inline f64 OWN(own_fmod)(f64 a, f64 b)
{
    return fmod(a, b);
}
#endif
//: block fmodf
    ALIGNED f32 z[BLOCK];
    i32 rare = 0; /* negative: a quotient of 2^22 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f32 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
        const union word_f32 quotient = {x / y}, divisor = {y};
        const f32 m = __builtin_copysignf(rest_f32(x, y), a[j]);
        z[j] = m;
        rare |= 0x4a7fffff - (i32)(quotient.word & 0x7fffffff);
        rare |= 0x7f7fffff - (i32)divisor.word;
    }
    if (rare < 0) {
        i64 rare = 0;              /* the same in float64, up to 2^51 */
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++) {
            const f64 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
            const union word_f64 quotient = {x / y}, divisor = {y};
            const f32 m = __builtin_copysignf((f32)rest_wide(x, y), a[j]);
            z[j] = m;
            rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
            rare |= 0x7fefffffffffffff - (i64)divisor.word;
        }
        for (int j = 0; j < BLOCK && rare < 0; j++)
            if (!(__builtin_fabsf(a[j]) < 0x1p51 * __builtin_fabsf(b[j]) && __builtin_fabsf(b[j]) <= 0x1.fffffep127f))
                z[j] = $single;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block fmod
    ALIGNED f64 z[BLOCK];
    i64 rare = 0; /* negative: a quotient of 2^51 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f64 x = __builtin_fabs(a[j]), y = __builtin_fabs(b[j]);
        const union word_f64 quotient = {x / y}, divisor = {y};
        const f64 m = __builtin_copysign(rest_f64(x, y), a[j]);
        z[j] = m;
        rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
        rare |= 0x7fefffffffffffff - (i64)divisor.word;
    }
    for (int j = 0; j < BLOCK && rare < 0; j++)
        if (!(__builtin_fabs(a[j]) / __builtin_fabs(b[j]) < 0x1p51 && __builtin_fabs(b[j]) <= 0x1.fffffffffffffp1023))
            z[j] = $single;
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block floormodf
    ALIGNED f32 z[BLOCK];
    i32 rare = 0; /* negative: a quotient of 2^22 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f32 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
        const union word_f32 quotient = {x / y}, divisor = {y};
        const f32 m = __builtin_copysignf(rest_f32(x, y), a[j]);
        const f32 shifted = (m < 0) != (b[j] < 0) ? m + b[j] : m;
        z[j] = m == 0 ? __builtin_copysignf(0, b[j]) : shifted;
        rare |= 0x4a7fffff - (i32)(quotient.word & 0x7fffffff);
        rare |= 0x7f7fffff - (i32)divisor.word;
    }
    if (rare < 0) {
        i64 rare = 0;              /* the same in float64, up to 2^51 */
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++) {
            const f64 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
            const union word_f64 quotient = {x / y}, divisor = {y};
            const f32 m = __builtin_copysignf((f32)rest_wide(x, y), a[j]);
            const f32 shifted = (m < 0) != (b[j] < 0) ? m + b[j] : m;
            z[j] = m == 0 ? __builtin_copysignf(0, b[j]) : shifted;
            rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
            rare |= 0x7fefffffffffffff - (i64)divisor.word;
        }
        for (int j = 0; j < BLOCK && rare < 0; j++)
            if (!(__builtin_fabsf(a[j]) < 0x1p51 * __builtin_fabsf(b[j]) && __builtin_fabsf(b[j]) <= 0x1.fffffep127f))
                z[j] = $single;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block floormod
    ALIGNED f64 z[BLOCK];
    i64 rare = 0; /* negative: a quotient of 2^51 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f64 x = __builtin_fabs(a[j]), y = __builtin_fabs(b[j]);
        const union word_f64 quotient = {x / y}, divisor = {y};
        const f64 m = __builtin_copysign(rest_f64(x, y), a[j]);
        const f64 shifted = (m < 0) != (b[j] < 0) ? m + b[j] : m;
        z[j] = m == 0 ? __builtin_copysign(0, b[j]) : shifted;
        rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
        rare |= 0x7fefffffffffffff - (i64)divisor.word;
    }
    for (int j = 0; j < BLOCK && rare < 0; j++)
        if (!(__builtin_fabs(a[j]) / __builtin_fabs(b[j]) < 0x1p51 && __builtin_fabs(b[j]) <= 0x1.fffffffffffffp1023))
            z[j] = $single;
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block floordivf
    ALIGNED f32 z[BLOCK];
    i32 rare = 0; /* negative: a quotient of 2^22 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f32 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
        const union word_f32 quotient = {x / y}, divisor = {y};
        const f32 m = __builtin_copysignf(rest_f32(x, y), a[j]);
        const f32 q = (a[j] - m) / b[j], down = (m != 0) & ((m < 0) != (b[j] < 0)) ? q - 1 : q;
        const f32 floor = __builtin_floorf(down), whole = down - floor > (f32)0.5 ? floor + 1 : floor;
        z[j] = down == 0 ? __builtin_copysignf(0, a[j] / b[j]) : whole;
        rare |= 0x4a7fffff - (i32)(quotient.word & 0x7fffffff);
        rare |= 0x7f7fffff - (i32)divisor.word;
    }
    if (rare < 0) {
        i64 rare = 0;              /* the same in float64, up to 2^51 */
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++) {
            const f64 x = __builtin_fabsf(a[j]), y = __builtin_fabsf(b[j]);
            const union word_f64 quotient = {x / y}, divisor = {y};
            const f32 m = __builtin_copysignf((f32)rest_wide(x, y), a[j]);
            const f32 q = (a[j] - m) / b[j], down = (m != 0) & ((m < 0) != (b[j] < 0)) ? q - 1 : q;
            const f32 floor = __builtin_floorf(down), whole = down - floor > (f32)0.5 ? floor + 1 : floor;
            z[j] = down == 0 ? __builtin_copysignf(0, a[j] / b[j]) : whole;
            rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
            rare |= 0x7fefffffffffffff - (i64)divisor.word;
        }
        for (int j = 0; j < BLOCK && rare < 0; j++)
            if (!(__builtin_fabsf(a[j]) < 0x1p51 * __builtin_fabsf(b[j]) && __builtin_fabsf(b[j]) <= 0x1.fffffep127f))
                z[j] = $single;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block floordiv
    ALIGNED f64 z[BLOCK];
    i64 rare = 0; /* negative: a quotient of 2^51 or more, a divisor that is 0 or infinite, or a NaN */
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f64 x = __builtin_fabs(a[j]), y = __builtin_fabs(b[j]);
        const union word_f64 quotient = {x / y}, divisor = {y};
        const f64 m = __builtin_copysign(rest_f64(x, y), a[j]);
        const f64 q = (a[j] - m) / b[j], down = (m != 0) & ((m < 0) != (b[j] < 0)) ? q - 1 : q;
        const f64 floor = __builtin_floor(down), whole = down - floor > (f64)0.5 ? floor + 1 : floor;
        z[j] = down == 0 ? __builtin_copysign(0, a[j] / b[j]) : whole;
        rare |= 0x431fffffffffffff - (i64)(quotient.word & 0x7fffffffffffffff);
        rare |= 0x7fefffffffffffff - (i64)divisor.word;
    }
    for (int j = 0; j < BLOCK && rare < 0; j++)
        if (!(__builtin_fabs(a[j]) / __builtin_fabs(b[j]) < 0x1p51 && __builtin_fabs(b[j]) <= 0x1.fffffffffffffp1023))
            z[j] = $single;
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = z[j];
//: block floordiv_i64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= (u64)((a[j] ^ a[j] >> 63) | (b[j] ^ b[j] >> 63));
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {down + 0x1.8p52};
        r[j] = b[j] == 0 ? 0 : (i64)(z.word - 0x4338000000000000);
    }
//: block floordiv_u64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= a[j] | b[j];
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {down + 0x1.8p52};
        r[j] = b[j] == 0 ? 0 : (u64)(z.word - 0x4338000000000000);
    }
//: block floormod_i64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= (u64)((a[j] ^ a[j] >> 63) | (b[j] ^ b[j] >> 63));
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {dividend - down * divisor + 0x1.8p52};
        r[j] = (i64)(z.word - 0x4338000000000000);
    }
//: block floormod_u64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= a[j] | b[j];
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {dividend - down * divisor + 0x1.8p52};
        r[j] = (u64)(z.word - 0x4338000000000000);
    }
//: block truncdiv_i64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= (u64)((a[j] ^ a[j] >> 63) | (b[j] ^ b[j] >> 63));
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const f64 whole = (exact < 0) & (down != exact) ? down + 1 : down;
        const union {
            f64 value;
            u64 word;
        } z = {whole + 0x1.8p52};
        r[j] = b[j] == 0 ? 0 : (i64)(z.word - 0x4338000000000000);
    }
//: block truncdiv_u64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= a[j] | b[j];
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {down + 0x1.8p52};
        r[j] = b[j] == 0 ? 0 : (u64)(z.word - 0x4338000000000000);
    }
//: block remainder_i64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= (u64)((a[j] ^ a[j] >> 63) | (b[j] ^ b[j] >> 63));
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const f64 whole = (exact < 0) & (down != exact) ? down + 1 : down;
        const union {
            f64 value;
            u64 word;
        } z = {dividend - whole * divisor + 0x1.8p52};
        r[j] = (i64)(z.word - 0x4338000000000000);
    }
//: block remainder_u64
    u64 rare = 0; /* an operand of more than 51 bits */
    for (int j = 0; j < BLOCK; j++)
        rare |= a[j] | b[j];
    if (rare >> 51) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const union {
            u64 word;
            f64 value;
        } x = {(u64)a[j] + 0x4338000000000000}, y = {(u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000};
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor;
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near;
        const union {
            f64 value;
            u64 word;
        } z = {dividend - down * divisor + 0x1.8p52};
        r[j] = (u64)(z.word - 0x4338000000000000);
    }
//: block random_i64
    /* Elements side by side share counters: those of 16, and of one more where the first one begins behind its word 0.
     * The seed and the stream are the same for all elements. */
    const i64 first = a[0] >> 2, from = a[0] & 3; /* r may be a */
    u64 all = 0, beyond = 0, apart = 0;
    for (int j = 0; j < BLOCK; j++) {
        const i64 d = (a[j] >> 2) - first;
        all |= (u64)d;
        beyond |= (u64)(16 - d);
        apart |= (u64)(a[j] ^ (a[0] + j));
    }
    if ((all | beyond) > 31) {
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = $single;
        return;
    }
    const int count = all & 16 ? 32 : 16;
    const u32 low = (u32)b[0], high = (u32)((u64)b[0] >> 32);
    ALIGNED u32 words[4 * 32];
    #ifdef WIDE
    ALIGNED u64 x0[32], x1[32], x2[32], x3[32]; /* their low halves */
    for (int i = 0; i < 32; i++)
        x0[i] = (u64)(first + i);
    for (int i = 0; i < count; i += LANES) {
        longs y0[2], y1[2], y2[2], y3[2];
        for (int k = 0; k < 2; k++) {
            y0[k] = *(longs *)&x0[i + k * LANES / 2];
            y1[k] = y0[k] >> 32;
            y2[k] = (longs){0} + (u64)c[0];
            y3[k] = y2[k] >> 32;
        }
        u64 k0 = low, k1 = high;
        for (int round = 0; round < 10; round++) {
            for (int k = 0; k < 2; k++) {
                const longs p = product(y0[k], 0xd2511f53), q = product(y2[k], 0xcd9e8d57);
                y0[k] = (q >> 32) ^ y1[k] ^ k0;
                y1[k] = q;
                y2[k] = (p >> 32) ^ y3[k] ^ k1;
                y3[k] = p;
            }
            k0 += 0x9e3779b9u;
            k1 += 0xbb67ae85u;
        }
        for (int k = 0; k < 2; k++) {
            *(longs *)&x0[i + k * LANES / 2] = y0[k];
            *(longs *)&x1[i + k * LANES / 2] = y1[k];
            *(longs *)&x2[i + k * LANES / 2] = y2[k];
            *(longs *)&x3[i + k * LANES / 2] = y3[k];
        }
    }
    #else
    ALIGNED u32 x0[32], x1[32], x2[32], x3[32];
    for (int i = 0; i < 32; i++) {
        x0[i] = (u32)(first + i);
        x1[i] = (u32)((u64)(first + i) >> 32);
        x2[i] = (u32)c[0];
        x3[i] = (u32)((u64)c[0] >> 32);
    }
    u32 k0 = low, k1 = high;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < count; i++) {
            const u64 p = 0xd2511f53ull * x0[i], q = 0xcd9e8d57ull * x2[i];
            x0[i] = (u32)(q >> 32) ^ x1[i] ^ k0;
            x1[i] = (u32)q;
            x2[i] = (u32)(p >> 32) ^ x3[i] ^ k1;
            x3[i] = (u32)p;
        }
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    #endif
    for (int i = 0; i < count; i++) {
        words[4 * i] = (u32)x0[i] >> 8;
        words[4 * i + 1] = (u32)x1[i] >> 8;
        words[4 * i + 2] = (u32)x2[i] >> 8;
        words[4 * i + 3] = (u32)x3[i] >> 8;
    }
    if (apart)
        for (int j = 0; j < BLOCK; j++)
            r[j] = (i64)words[a[j] - 4 * first];
    else
        for (int j = 0; j < BLOCK; j++)
            r[j] = (i64)words[from + j];
