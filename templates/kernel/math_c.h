/* Library functions of our own for the C target, of which C compilers make vectors, within 3 ulp. They take fused
 * multiply-adds; without these (OWN_MATH is not defined then) the C library's are called. Sections "library" have
 * functions of an element, without branches; behind the name stand the "part" sections that they take, beside "words",
 * which all do. Those of "block" have the body of a function of a block, r = f(a) or f(a, b): a loop for ordinary
 * operands alone, and one of the element's function where others are among them. Both give an ordinary operand the same
 * bits. libmvec computes operands outside a function's domain one at a time: where it serves, it is given others, and
 * results are chosen afterwards. The coefficients are made by scripts/minimax.py; the last bits of expf's come from a
 * longer search of that kind.
 *
 * Methods: arguments are reduced to a power of 2 and a rest, whose function is a polynomial (Muller, Elementary
 * Functions, 2016, chapter 11). Processors take many times longer where a subnormal number is an operand or a result,
 * so squares have an addend, FMAF(r, r, 0x1p-60f), that is lost beside what they are added to. 1.5 * 2^23 added to a
 * float32, 1.5 * 2^52 to a float64, rounds to a whole number, which is then in the low bits. */

//: library head
#undef OWN_MATH
#undef FMAF
#undef FMAD
#if (defined __FMA__ || defined __FP_FAST_FMA) && !defined __TINYC__
#define OWN_MATH
#define FMAF(a, b, c) __builtin_fmaf(a, b, c)
#define FMAD(a, b, c) __builtin_fma(a, b, c)
#endif
//: part words
union word_f32 { f32 value; u32 word; };
union word_f64 { f64 value; u64 word; };
struct hyperbolic_f32 { f32 odd, even, up, down; };
struct hyperbolic_f64 { f64 odd, even, up, down; };
struct pair_f32 { f32 high, low; };
struct pair_f64 { f64 high, low; };
//: part ordinary
#undef ORDINARY
/* The body of a function of a block of float32: f(x, 0) where the sizes of all operands lie between two of these bits,
 * else f(x, 1). */
#define ORDINARY(f, low, high) \
    i32 rare = 0; \
    for (int j = 0; j < BLOCK; j++) { \
        const union word_f32 x = {a[j]}; \
        const i32 size = (i32)(x.word & 0x7fffffff); \
        rare |= (size - (low)) | ((high) - size); \
    } \
    if (rare < 0) { \
        EACH(j, BLOCK) \
            r[j] = f(a[j], 1); \
        return; \
    } \
    EACH(j, BLOCK) \
        r[j] = f(a[j], 0);
//: part reduced
#undef REDUCED
/* The body for a function of an angle: near(x) up to 2^16, else any(x); what is beyond, which is far(x), the library
 * computes, others(). */
#define REDUCED(near, any, far, others) \
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
    others(z, a, BLOCK); \
    EACH(j, BLOCK) \
        r[j] = z[j];
//: part inside
#undef INSIDE
/* The body for a function that libmvec computes one at a time where operands are rare: inside(x) is x or, where x is
 * rare, a number that is not; of x and what that gave result(x, value) is the result. `others` is a statement that puts
 * other values into z before. */
#define INSIDE(T, f, inside, result, others) \
    ALIGNED T z[BLOCK]; \
    union word_##T rare = {.word = 0}; \
    for (int j = 0; j < BLOCK; j++) { \
        const union word_##T x = {a[j]}, y = {inside(a[j])}; \
        z[j] = y.value; \
        rare.word |= x.word ^ y.word; \
    } \
    if (!rare.word) { \
        INDEPENDENT \
        for (int j = 0; j < BLOCK; j++) \
            r[j] = f(a[j]); \
        return; \
    } \
    EACH(j, BLOCK) \
        z[j] = f(z[j]); \
    others \
    EACH(j, BLOCK) \
        r[j] = result(a[j], z[j]);
//: part chosen
#ifdef OWN_MATH
/* so ? x : value, by bits. Of a plain choice gcc knows where the value is of no use, and lets rare operands into it;
 * and where operands were chosen by the same condition it computes both ways. */
static inline f32 OWN(chosen_f32)(int so, f32 x, f32 value)
{
    const u32 mask = -(u32)(so != 0);
    const union word_f32 a = {x}, b = {value}, word = {.word = (a.word & mask) | (b.word & ~mask)};
    return word.value;
}
static inline f64 OWN(chosen_f64)(int so, f64 x, f64 value)
{
    const u64 mask = -(u64)(so != 0);
    const union word_f64 a = {x}, b = {value}, word = {.word = (a.word & mask) | (b.word & ~mask)};
    return word.value;
}
#endif
//: part exp_rest
#ifdef OWN_MATH
/* exp(r) - 1, r being x - n * ln(2), and n x * log2(e) rounded. The high part of ln(2) has few bits, so that its
 * product is exact; s is r^2, and never subnormal. */
static inline f32 OWN(exp_rest)(f32 x, f32 n)
{
    const f32 r = FMAF(n, -0x1.7f7d1cp-20f, FMAF(n, -0x1.62e4p-1f, x)), s = FMAF(r, r, 0x1p-60f);
    const f32 p = FMAF(FMAF(0x1.6af01p-10f, r, 0x1.1253f6p-7f), s, FMAF(0x1.555852p-5f, r, 0x1.55547ep-3f));
    return FMAF(FMAF(p, r, 0.5f), s, r);
}
#endif
//: part scaled_f32
#ifdef OWN_MATH
/* value * scale, which is 2^64 or 2^-64; value >= 0. Subnormal products, which are slow, are made as integers: 2^-62
 * more leaves units of 2^-85 in the low bits, times 2^-64 those of subnormals. */
static inline f32 OWN(scaled_f32)(f32 value, f32 scale)
{
    const int small = (scale < 1) & (value < 0x1p-62f);
    const union word_f32 unit = {small ? 0x1p-62f : 0};
    union word_f32 made = {FMAF(value, small ? 1 : scale, unit.value)};
    made.word -= unit.word;
    return made.value;
}
#endif
//: library expf exp_rest scaled_f32
#ifdef OWN_MATH
/* exp(x) within 3 units in the last place, of which compilers make vectors: infinite above 100, 0 below -104, 1 around
 * 0. 1.5 * 2^23 + 127 more leaves the exponent of 2^n in the low bits of n. */
static inline f32 OWN(own_expf)(f32 x)
{
    const f32 below = x > 100 ? 100 : x, near = __builtin_fabsf(x) < 0x1p-30f ? 0 : below;
    union word_f32 n = {FMAF(near, 0x1.715476p+0f, 0x1.8000fep23f)}, power, scale = {x};
    scale.word = (scale.word >> 1 & 0x40000000) ^ 0x5f800000; /* 2^64, or 2^-64 where x < 0 */
    power.word = (n.word << 23) + ((127u << 23) - scale.word); /* 2^n / scale */
    const f32 value = FMAF(exp_rest(near, n.value - 0x1.8000fep23f), power.value, power.value);
    return x < -104 ? 0 : scaled_f32(value, scale.value);
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
        EACH(j, BLOCK)
            r[j] = own_expf(a[j]);
        return;
    }
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
        const f32 x = a[j];
        const union word_f32 n = {FMAF(x, 0x1.715476p+0f, 0x1.8000fep23f)}, power = {.word = n.word << 23};
        r[j] = FMAF(exp_rest(x, n.value - 0x1.8000fep23f), power.value, power.value);
    }
//: part exp_rest_f64
#ifdef OWN_MATH
/* exp(r) - 1, |r| up to ln(2) / 2. */
static inline f64 OWN(exp_powers)(f64 r)
{
    const f64 s = FMAD(r, r, 0x1p-200);
    f64 p = FMAD(0x1.ad7f5aca1d50ep-26, r, 0x1.28adcda512ab5p-22);
    p = FMAD(p, s, FMAD(0x1.71df25f25b955p-19, r, 0x1.a01999ae9f7d1p-16));
    p = FMAD(p, s, FMAD(0x1.a01a0129cf28fp-13, r, 0x1.6c16c1844ab9ap-10));
    p = FMAD(p, s, FMAD(0x1.1111111127e32p-7, r, 0x1.55555555507f2p-5));
    p = FMAD(p, s, FMAD(0x1.55555555554f9p-3, r, 0x1.000000000000ap-1));
    return FMAD(p, s, r);
}
/* exp(r) - 1, r being x - n * ln(2), and n x * log2(e) rounded. */
static inline f64 OWN(exp_rest_f64)(f64 x, f64 n)
{
    const f64 r = FMAD(n, -0x1.62e42fefa38p-1, x); /* exact */
    return exp_powers(FMAD(n, -0x1.ef35793c7673p-45, r));
}
#endif
//: part scaled_f64
#ifdef OWN_MATH
/* value * scale, which is 2^512 or 2^-512, of a value that is not negative. Subnormal products, which are slow, are
 * made as integers: 2^-510 more leaves their units in the low bits. */
static inline f64 OWN(scaled_f64)(f64 value, f64 scale)
{
    const int small = (scale < 1) & (value < 0x1p-510);
    const union word_f64 unit = {small ? 0x1p-510 : 0};
    union word_f64 made = {FMAD(value, small ? 1 : scale, unit.value)};
    made.word -= unit.word;
    return made.value;
}
#endif
//: library exp exp_rest_f64 scaled_f64
#ifdef OWN_MATH
/* Infinite above 800, 0 below -746, 1 around 0. 1.5 * 2^52 + 1023 more leaves the exponent of 2^n in n's low bits. */
static inline f64 OWN(own_exp)(f64 x)
{
    const f64 below = x > 800 ? 800 : x, near = __builtin_fabs(x) < 0x1p-60 ? 0 : below;
    union word_f64 n = {FMAD(near, 0x1.71547652b82fep+0, 0x1.80000000003ffp52)}, power, scale = {x};
    scale.word = (scale.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where x < 0 */
    power.word = (n.word << 52) + ((1023ull << 52) - scale.word); /* 2^n / scale */
    const f64 value = FMAD(exp_rest_f64(near, n.value - 0x1.80000000003ffp52), power.value, power.value);
    return x < -746 ? 0 : scaled_f64(value, scale.value);
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
        EACH(j, BLOCK)
            r[j] = own_exp(a[j]);
        return;
    }
    EACH(j, BLOCK) {
        const f64 x = a[j];
        const union word_f64 n = {FMAD(x, 0x1.71547652b82fep+0, 0x1.80000000003ffp52)}, power = {.word = n.word << 52};
        r[j] = FMAD(exp_rest_f64(x, n.value - 0x1.80000000003ffp52), power.value, power.value);
    }
//: part exp2_rest
#ifdef OWN_MATH
/* 2^r - 1, |r| <= 0.5. */
static inline f32 OWN(exp2_rest)(f32 r)
{
    const f32 s = FMAF(r, r, 0x1p-60f), p = FMAF(0x1.41a88ep-13f, s, FMAF(0x1.5f0b56p-10f, r, 0x1.3b2d56p-7f));
    return FMAF(0x1.62e43p-1f, r, FMAF(p, s, FMAF(0x1.c6af7ap-5f, r, 0x1.ebfbdep-3f)) * s);
}
#endif
//: library powf exp2_rest chosen
#ifdef OWN_MATH
/* log2 of a normal number with these bits, of nearly twice the precision, as log2_pair does it; one coefficient has two
 * parts. */
static inline struct pair_f32 OWN(log2_pair_f32)(u32 word)
{
    const i32 above = (i32)(word - 0x3f3504f3); /* the square root of 0.5 */
    const union word_f32 m = {.word = word - ((u32)above & 0xff800000)};
    const f32 power = (f32)(above >> 23), f = m.value - 1, s = f / (f + 2);
    const f32 s_low = FMAF(-s, f, FMAF(-2, s, f)) * FMAF(-0.5f, s, 0.5f); /* 1 / (f + 2) is (1 - s) / 2 */
    const f32 z = s * s, z_low = FMAF(s + s, s_low, FMAF(s, s, -z));
    f32 q = FMAF(0x1.58901ep-2f, z, 0x1.a5d048p-2f);
    q = FMAF(q, z, 0x1.2776ep-1f);
    q = FMAF(q, z, 0x1.ec709ep-1f);
    const f32 a = FMAF(z, q, 0x1.715476p+1f), a_rest = FMAF(z, q, 0x1.715476p+1f - a);
    const f32 a_low = FMAF(z_low, q, a_rest + 0x1.4ae0cp-25f);
    const f32 high = FMAF(s, a, power), low = FMAF(s, a_low, FMAF(s_low, a, FMAF(s, a, power - high)));
    const struct pair_f32 log = {high, low};
    return log;
}
static inline f32 OWN(own_powf)(f32 x, f32 y)
{
    const f32 infinity = __builtin_inff(), nan = __builtin_nanf("");
    union word_f32 size = {x}, scaled, sign = {x}, half, rest, z;
    size.word &= 0x7fffffff;
    scaled.value = size.value * 0x1p23f; /* where x is subnormal */
    const struct pair_f32 log = log2_pair_f32(size.word < 0x00800000 ? scaled.word - (23u << 23) : size.word);
    f32 most = y > 0x1p40f ? 0x1p40f : y;
    most = most < -0x1p40f ? -0x1p40f : most;
    most = __builtin_fabsf(most) < 0x1p-40f ? 0 : most;
    const f32 n = FMAF(log.high, most, 0x1.8p23f) - 0x1.8p23f, end = __builtin_copysignf(200, n);
    const f32 inside = FMAF(log.low, most, FMAF(log.high, most, -n));
    const f32 whole = chosen_f32(__builtin_fabsf(n) < 200, n, end);
    const i32 power = (i32)whole;
    half.word = (u32)((power >> 1) + 127) << 23;
    rest.word = (u32)(power - (power >> 1) + 127) << 23;
    const f32 within = chosen_f32(__builtin_fabsf(n) < 200, inside, 0);
    z.value = FMAF(exp2_rest(within), half.value, half.value) * rest.value;
    const f32 of_zero = y < 0 ? infinity : 0, of_infinity = y < 0 ? 0 : infinity;
    z.value = size.value == 0 ? of_zero : z.value;
    z.value = size.value == infinity ? of_infinity : z.value;
    sign.word &= 0x80000000;
    sign.word = ((__builtin_rintf(y * 0.5f) != y * 0.5f) & (__builtin_rintf(y) == y)) ? sign.word : 0; /* y is odd */
    z.word |= sign.word;
    z.value = ((x < 0) & (size.value < infinity) & (__builtin_rintf(y) != y)) ? nan : z.value;
    z.value = ((x != x) | (y != y)) ? nan : z.value;
    return ((x == 1) | (y == 0)) ? 1 : z.value;
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
    EACH(j, BLOCK) {
        const union word_f32 x = {a[j]};
        const int zero = (x.word == 0) & (b[j] > 0);
        const u32 word = zero ? 0x3f800000 : x.word;
        const struct pair_f32 log = log2_pair_f32(word);
        const f32 y = b[j];
        const union word_f32 shifted = {FMAF(log.high, y, 0x1.8p23f)}, whole = {shifted.value - 0x1.8p23f};
        const union word_f32 scale = {.word = (shifted.word + 127) << 23};
        const f32 rest = FMAF(log.low, y, FMAF(log.high, y, -whole.value));
        const f32 value = FMAF(exp2_rest(rest), scale.value, scale.value);
        z[j] = zero ? 0 : value;
        rare |= (i32)(word - 0x00800000) | (i32)(word + 0x00800000);
        rare |= 0x42fa0000 - (i32)(whole.word & 0x7fffffff); /* beyond 125 */
    }
    if (rare < 0) {
        EACH(j, BLOCK)
            z[j] = own_powf(a[j], b[j]);
    }
    EACH(j, BLOCK)
        r[j] = z[j];
//: part log_rest
#ifdef OWN_MATH
/* log(1 + f), 1 + f between the square roots of 0.5 and 2. */
static inline f32 OWN(log_rest)(f32 f)
{
    const f32 s = f * f;
    f32 p = FMAF(FMAF(-0x1.3ef544p-4f, f, 0x1.0625a4p-3f), s, FMAF(-0x1.0d410ep-3f, f, 0x1.22d13ap-3f));
    p = FMAF(p, s, FMAF(-0x1.547238p-3f, f, 0x1.99a036p-3f));
    p = FMAF(p, s, FMAF(-0x1.000228p-2f, f, 0x1.555554p-2f));
    return FMAF(FMAF(p, f, -0.5f), s, f);
}
#endif
//: part log_rest_f64
#ifdef OWN_MATH
/* log(1 + f), 1 + f between the square roots of 0.5 and 2. */
static inline f64 OWN(log_rest_f64)(f64 f)
{
    const f64 s = f * f;
    f64 p = FMAD(-0x1.d00bbdec131ep-6, f, 0x1.030f77c78e4acp-4);
    p = FMAD(p, s, FMAD(-0x1.15d9ec1f9907cp-4, f, 0x1.e94022c34e61fp-5));
    p = FMAD(p, s, FMAD(-0x1.eef766e822b0bp-5, f, 0x1.0f3da9b2a9617p-4));
    p = FMAD(p, s, FMAD(-0x1.2547c1b7fe653p-4, f, 0x1.3b4b9087536ddp-4));
    p = FMAD(p, s, FMAD(-0x1.554d2ce26fdb3p-4, f, 0x1.7459bce442fddp-4));
    p = FMAD(p, s, FMAD(-0x1.9999cac8340bfp-4, f, 0x1.c71c8e51b2385p-4));
    p = FMAD(p, s, FMAD(-0x1.ffffff80f7dbap-4, f, 0x1.249248e2bf13dp-3));
    p = FMAD(p, s, FMAD(-0x1.555555555a96cp-3, f, 0x1.9999999a2af34p-3));
    p = FMAD(p, s, FMAD(-0x1.0000000000477p-2, f, 0x1.55555555551f3p-2));
    return FMAD(FMAD(p, f, -0.5), s, f);
}
#endif
//: part split
#ifdef OWN_MATH
#undef SPLIT
/* The positive number with these bits, or with these and an exponent below all others, is 2^power * (1 + f), 1 + f
 * between the square roots of 0.5 and 2. An integer below 2^52 that is added to the bits of 2^52 as a
 * float64 is its fraction: AVX2 converts no other one of 64 bits. */
#define SPLIT(T, U, bits) \
    enum { DIGITS = sizeof(T) == 4 ? 23 : 52 }; \
    const U above = (bits) - (U)(sizeof(T) == 4 ? 0x3f3504f3 : 0x3fe6a09e667f3bcd); \
    const union word_##T fraction = {.word = (bits) - (above & ~(U)0 << DIGITS)}; \
    const union word_f64 whole = {.word = (((u64)above + (1ull << 63)) >> 52) + 0x4330000000000000}; \
    const T power = sizeof(T) == 4 ? (T)((i32)above >> 23) : (T)(whole.value - (0x1p52 + 2048)); \
    const T f = fraction.value - 1;
#endif
//: part logarithms split
#ifdef OWN_MATH
#undef LOGARITHM
#undef LOGARITHMS
/* The body of a logarithm, which is log_of(f, power) of a positive number. */
#define LOGARITHM(T, U, log_of) \
    const T infinity = (T)__builtin_inf(), outside = x == 0 ? -infinity : (T)__builtin_nan(""); \
    const union word_##T u = {x}; \
    const union word_f64 added = {.word = u.word + 0x4330000000000000}; /* a subnormal number's bits are an integer */ \
    const union word_##T scaled = {sizeof(T) == 4 ? (T)(i32)u.word : (T)(added.value - 0x1p52)}; \
    const U least = (U)1 << (sizeof(T) == 4 ? 23 : 52), units = sizeof(T) == 4 ? 149 : 1074; \
    const U bits = u.word < least ? scaled.word - units * least : u.word; \
    SPLIT(T, U, bits) \
    const T inside = x > 0 ? log_of(f, power) : outside; \
    return x == infinity ? infinity : inside;
/* The same of a block: as one_of() where an operand is no positive normal number. */
#define LOGARITHMS(T, U, log_of, one_of) \
    const U least = (U)1 << (sizeof(T) == 4 ? 23 : 52); \
    U rare = 0, most = 0; /* AVX2 has no largest one of 64 bits */ \
    for (int j = 0; j < BLOCK; j++) { \
        const union word_##T x = {a[j]}; \
        const U above = x.word - least; \
        most = sizeof(T) == 4 && above > most ? above : most; \
        rare |= sizeof(T) == 8 ? above | (x.word + least) : 0; \
    } \
    if (rare >> (8 * sizeof(U) - 1) || most >= (U)(254 * least)) { \
        EACH(j, BLOCK) \
            r[j] = one_of(a[j]); \
        return; \
    } \
    EACH(j, BLOCK) { \
        const union word_##T x = {a[j]}; \
        SPLIT(T, U, x.word) \
        r[j] = log_of(f, power); \
    }
#endif
//: library logf log_rest logarithms
#ifdef OWN_MATH
static inline f32 OWN(log_value)(f32 f, f32 power)
{
    return FMAF(power, 0x1.62e4p-1f, FMAF(power, 0x1.7f7d1cp-20f, log_rest(f)));
}
static inline f32 OWN(own_logf)(f32 x)
{
    LOGARITHM(f32, u32, log_value)
}
#else
static inline f32 OWN(own_logf)(f32 x)
{
    return logf(x);
}
#endif
//: block logf
    LOGARITHMS(f32, u32, log_value, own_logf)
//: library log2f log_rest logarithms
#ifdef OWN_MATH
static inline f32 OWN(log_value2)(f32 f, f32 power)
{
    return FMAF(log_rest(f), 0x1.715476p+0f, power);
}
static inline f32 OWN(own_log2f)(f32 x)
{
    LOGARITHM(f32, u32, log_value2)
}
#else
static inline f32 OWN(own_log2f)(f32 x)
{
    return log2f(x);
}
#endif
//: block log2f
    LOGARITHMS(f32, u32, log_value2, own_log2f)
//: library log10f log_rest logarithms
#ifdef OWN_MATH
static inline f32 OWN(log_value10)(f32 f, f32 power)
{
    return FMAF(power, 0x1.344p-2f, FMAF(power, 0x1.3509f8p-18f, log_rest(f) * 0x1.bcb7b2p-2f));
}
static inline f32 OWN(own_log10f)(f32 x)
{
    LOGARITHM(f32, u32, log_value10)
}
#else
static inline f32 OWN(own_log10f)(f32 x)
{
    return log10f(x);
}
#endif
//: block log10f
    LOGARITHMS(f32, u32, log_value10, own_log10f)
//: library log log_rest_f64 logarithms
#ifdef OWN_MATH
static inline f64 OWN(log_value_f64)(f64 f, f64 power)
{
    return FMAD(power, 0x1.62e42fefa38p-1, FMAD(power, 0x1.ef35793c7673p-45, log_rest_f64(f)));
}
static inline f64 OWN(own_log)(f64 x)
{
    LOGARITHM(f64, u64, log_value_f64)
}
#else
static inline f64 OWN(own_log)(f64 x)
{
    return log(x);
}
#endif
//: block log
    LOGARITHMS(f64, u64, log_value_f64, own_log)
//: library log2 log_rest_f64 logarithms
#ifdef OWN_MATH
static inline f64 OWN(log_value2_f64)(f64 f, f64 power)
{
    return FMAD(log_rest_f64(f), 0x1.71547652b82fep+0, power);
}
static inline f64 OWN(own_log2)(f64 x)
{
    LOGARITHM(f64, u64, log_value2_f64)
}
#else
static inline f64 OWN(own_log2)(f64 x)
{
    return log2(x);
}
#endif
//: block log2
    LOGARITHMS(f64, u64, log_value2_f64, own_log2)
//: library log10 log_rest_f64 logarithms
#ifdef OWN_MATH
static inline f64 OWN(log_value10_f64)(f64 f, f64 power)
{
    const f64 less = FMAD(power, -0x1.80433b83b532ap-44, log_rest_f64(f) * 0x1.bcb7b1526e50ep-2);
    return FMAD(power, 0x1.34413509f8p-2, less);
}
static inline f64 OWN(own_log10)(f64 x)
{
    LOGARITHM(f64, u64, log_value10_f64)
}
#else
static inline f64 OWN(own_log10)(f64 x)
{
    return log10(x);
}
#endif
//: block log10
    LOGARITHMS(f64, u64, log_value10_f64, own_log10)
//: part log2_pair
#ifdef OWN_MATH
/* log2 of a normal number with these bits (of a subnormal one with an exponent below all others), of twice the
 * precision: with 1 + f the fraction and s = f / (2 + f) it is power + log2((1 + s) / (1 - s)), a series in s^2, of
 * which the first two coefficients have two parts. What a sum or a product loses is made by fused operations, which no
 * option lets a compiler take for 0. */
static inline struct pair_f64 OWN(log2_pair)(u64 bits)
{
    SPLIT(f64, u64, bits)
    const f64 inverse = 1 / (f + 2), s = f * inverse, s_low = FMAD(-s, f, FMAD(-2, s, f)) * inverse;
    const f64 z = FMAD(s, s, 0x1p-200), z_low = FMAD(s, s, -z) + 2 * s * s_low;
    f64 q = FMAD(0x1.62379c249717cp-3, z, 0x1.58f35e1cc49e9p-3);
    q = FMAD(q, z, 0x1.8a0a3d5e97f95p-3);
    q = FMAD(q, z, 0x1.c68ee56b7bb7cp-3);
    q = FMAD(q, z, 0x1.0c9a85438edd5p-2);
    q = FMAD(q, z, 0x1.484b13d69799ap-2);
    q = FMAD(q, z, 0x1.a61762a7aef97p-2);
    q = FMAD(q, z, 0x1.2776c50ef9bfcp-1);
    const f64 b = FMAD(q, z, 0x1.ec709dc3a03fdp-1);
    const f64 b_low = FMAD(q, z, 0x1.ec709dc3a03fdp-1 - b) + 0x1.d27f05548af0cp-55;
    const f64 a = FMAD(z, b, 0x1.71547652b82fep+1), a_rest = FMAD(z, b, 0x1.71547652b82fep+1 - a);
    const f64 a_low = FMAD(z, b_low, FMAD(z_low, b, a_rest + 0x1.777d0ffda0d24p-55));
    const f64 high = FMAD(s, a, power), low = FMAD(s, a_low, FMAD(s_low, a, FMAD(s, a, power - high)));
    const struct pair_f64 log = {high, low};
    return log;
}
#endif
//: library pow exp_rest_f64 scaled_f64 split log2_pair chosen
#ifdef OWN_MATH
__attribute__((always_inline)) /* gcc finds it too large */
static inline f64 OWN(own_pow)(f64 x, f64 y)
{
    const f64 infinity = __builtin_inf(), nan = __builtin_nan("");
    const union word_f64 size = {__builtin_fabs(x)}, added = {.word = size.word + 0x4330000000000000};
    const union word_f64 scaled = {added.value - 0x1p52}; /* a subnormal number's bits are an integer */
    const struct pair_f64 log = log2_pair(size.word < 1ull << 52 ? scaled.word - (1074ull << 52) : size.word);
    f64 most = y > 0x1p64 ? 0x1p64 : y;
    most = most < -0x1p64 ? -0x1p64 : most;
    most = __builtin_fabs(most) < 0x1p-80 ? 0 : most;
    const f64 n = FMAD(log.high, most, 0x1.8p52) - 0x1.8p52;
    const f64 inside = FMAD(log.low, most, FMAD(log.high, most, -n)), end = __builtin_copysign(1200, n);
    const f64 whole = chosen_f64(__builtin_fabs(n) < 1200, n, end);
    const f64 rest = chosen_f64(__builtin_fabs(n) < 1200, inside, 0);
    const union word_f64 shifted = {whole + 0x1.8p52}, sign = {x};
    union word_f64 half = {whole}, power, z;
    half.word = (half.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where the power is below 0 */
    power.word = (shifted.word << 52) + ((2046ull << 52) - half.word);
    z.value = scaled_f64(FMAD(exp_powers(rest * 0x1.62e42fefa39efp-1), power.value, power.value), half.value);
    const f64 of_zero = y < 0 ? infinity : 0, of_infinity = y < 0 ? 0 : infinity;
    z.value = size.value == 0 ? of_zero : z.value;
    z.value = size.value == infinity ? of_infinity : z.value;
    const f64 halved = y * 0.5;
    const int odd = (__builtin_rint(halved) != halved) & (__builtin_rint(y) == y);
    z.word |= odd ? sign.word & 1ull << 63 : 0;
    z.value = ((x < 0) & (size.value < infinity) & (__builtin_rint(y) != y)) ? nan : z.value;
    z.value = ((x != x) | (y != y)) ? nan : z.value;
    return ((x == 1) | (y == 0)) ? 1 : z.value;
}
#else
static inline f64 OWN(own_pow)(f64 x, f64 y)
{
    return pow(x, y);
}
#endif
//: block pow
    ALIGNED f64 z[BLOCK];
    /* Negative: a base that is no positive normal number, an exponent that is no normal one, or a result. */
    i64 rare = 0;
    for (int j = 0; j < BLOCK; j++) {
        const union word_f64 x = {a[j]}, y = {b[j]};
        const u64 size = y.word & 0x7fffffffffffffff;
        rare |= (i64)(x.word - (1ull << 52)) | (i64)(x.word + (1ull << 52));
        rare |= (i64)(size + (1ull << 52)) | ((i64)(size - (1ull << 52)) & -(i64)size);
    }
    const int ordinary = rare < 0 ? 0 : BLOCK;
    EACH(j, ordinary) {
        const union word_f64 x = {a[j]};
        const struct pair_f64 log = log2_pair(x.word);
        const f64 y = b[j];
        const union word_f64 shifted = {FMAD(log.high, y, 0x1.8p52)}, whole = {shifted.value - 0x1.8p52};
        const union word_f64 power = {.word = (shifted.word + 1023) << 52};
        const f64 rest = FMAD(log.low, y, FMAD(log.high, y, -whole.value));
        z[j] = FMAD(exp_powers(rest * 0x1.62e42fefa39efp-1), power.value, power.value);
        rare |= 0x408fe00000000000 - (i64)(whole.word & 0x7fffffffffffffff); /* beyond 1020 */
    }
    if (rare < 0) {
        EACH(j, BLOCK)
            z[j] = own_pow(a[j], b[j]);
    }
    EACH(j, BLOCK)
        r[j] = z[j];
//: part log1p_rest log_rest
#ifdef OWN_MATH
/* log(1 + x), x above -1. */
static inline f32 OWN(log1p_rest)(f32 x)
{
    const f32 u = 1 + x, lost = x - (u - 1);
    const union word_f32 w = {u};
    const i32 above = (i32)(w.word - 0x3f3504f3);
    const u32 power = (u32)above & 0xff800000;
    const u32 most = (i32)power > (i32)(64u << 23) ? 64u << 23 : power; /* from 2^24 on nothing is lost */
    const union word_f32 m = {.word = w.word - power}, scale = {.word = 0x40000000 - most}; /* 2 / 2^power */
    const f32 f = FMAF(lost * 0.5f, scale.value, m.value - 1), n = (f32)(above >> 23);
    return FMAF(n, 0x1.62e4p-1f, FMAF(n, 0x1.7f7d1cp-20f, log_rest(f)));
}
#endif
//: library log1pf log1p_rest
#ifdef OWN_MATH
static inline f32 OWN(log1p_of)(f32 x, int rare)
{
    const f32 infinity = __builtin_inff(), outside = x == -1 ? -infinity : __builtin_nanf("");
    const int tiny = rare && __builtin_fabsf(x) < 0x1p-25f;
    f32 value = log1p_rest(tiny ? 1 : x);
    value = !rare || x > -1 ? value : outside;
    return tiny | (rare & (x == infinity)) ? x : value;
}
static inline f32 OWN(own_log1pf)(f32 x)
{
    return log1p_of(x, 1);
}
#else
static inline f32 OWN(own_log1pf)(f32 x)
{
    return log1pf(x);
}
#endif
//: block log1pf
    i32 rare = 0; /* negative: an operand from -2^-25 to 2^-25, or outside of -1 to 2^60 */
    for (int j = 0; j < BLOCK; j++) {
        const union word_f32 x = {a[j]}, u = {1 + a[j]};
        rare |= (i32)((x.word & 0x7fffffff) - 0x33000000) | (i32)(u.word - 0x00800000) | (i32)(0x5d800000 - u.word);
    }
    if (rare < 0) {
        EACH(j, BLOCK)
            r[j] = log1p_of(a[j], 1);
        return;
    }
    EACH(j, BLOCK)
        r[j] = log1p_of(a[j], 0);
//: library acoshf log1p_rest
#ifdef OWN_MATH
static inline f32 OWN(acosh_of)(f32 x, int rare)
{
    const f32 infinity = __builtin_inff(), t = x - 1, y = t + __builtin_sqrtf(FMAF(t, t, t + t));
    const int large = rare && x > 0x1p30f; /* the square may be infinite, and is that of y / 2 */
    f32 value = log1p_rest(large ? x : y) + (large ? 0x1.62e43p-1f : 0);
    value = !rare || x >= 1 ? value : __builtin_nanf("");
    return rare && x == infinity ? x : value;
}
static inline f32 OWN(own_acoshf)(f32 x)
{
    return acosh_of(x, 1);
}
#else
static inline f32 OWN(own_acoshf)(f32 x)
{
    return acoshf(x);
}
#endif
//: block acoshf
    i32 rare = 0; /* negative: an operand outside of 1 to 2^30 */
    for (int j = 0; j < BLOCK; j++) {
        const union word_f32 x = {a[j]};
        rare |= (i32)(x.word - 0x3f800000) | (i32)(0x4e800000 - x.word);
    }
    if (rare < 0) {
        EACH(j, BLOCK)
            r[j] = acosh_of(a[j], 1);
        return;
    }
    EACH(j, BLOCK)
        r[j] = acosh_of(a[j], 0);
//: library asinhf log1p_rest chosen
#ifdef OWN_MATH
static inline f32 OWN(asinh_of)(f32 x, int rare)
{
    const f32 infinity = __builtin_inff(), size = __builtin_fabsf(x);
    const int large = rare && size > 0x1p30f, tiny = rare && size < 0x1p-13f;
    const f32 moderate = large | tiny ? 1 : size, square = FMAF(moderate, moderate, 0x1p-60f);
    const f32 y = moderate + square / (1 + __builtin_sqrtf(1 + square));
    f32 value = log1p_rest(large ? size : y) + (large ? 0x1.62e43p-1f : 0);
    value = rare ? chosen_f32(tiny | (size == infinity), size, value) : value;
    return __builtin_copysignf(value, x);
}
static inline f32 OWN(own_asinhf)(f32 x)
{
    return asinh_of(x, 1);
}
#else
static inline f32 OWN(own_asinhf)(f32 x)
{
    return asinhf(x);
}
#endif
//: block asinhf ordinary
    ORDINARY(asinh_of, 0x39000000, 0x4e800000) /* 2^-13 to 2^30 */
//: library atanhf log1p_rest
#ifdef OWN_MATH
static inline f32 OWN(atanh_of)(f32 x, int rare)
{
    const f32 size = __builtin_fabsf(x), outside = size == 1 ? __builtin_inff() : __builtin_nanf("");
    const f32 inside = rare && size < 0x1p-13f ? 0.5f : size;
    const f32 value = 0.5f * log1p_rest((inside + inside) / (1 - inside));
    const f32 defined = rare && size < 0x1p-13f ? size : value;
    return __builtin_copysignf(!rare || size < 1 ? defined : outside, x);
}
static inline f32 OWN(own_atanhf)(f32 x)
{
    return atanh_of(x, 1);
}
#else
static inline f32 OWN(own_atanhf)(f32 x)
{
    return atanhf(x);
}
#endif
//: block atanhf ordinary
    ORDINARY(atanh_of, 0x39000000, 0x3f7fffff) /* 2^-13 to below 1 */
//: library exp2f exp2_rest scaled_f32
#ifdef OWN_MATH
static inline f32 OWN(exp2_of)(f32 x, int rare)
{
    const f32 least = rare && __builtin_fabsf(x) < 0x1p-30f ? 0 : x, most = rare && least > 130 ? 130 : least;
    union word_f32 n = {most + 0x1.8p23f}, power, rest = {x};
    rest.word = (rest.word >> 1 & 0x40000000) ^ 0x5f800000; /* 2^64, or 2^-64 where x < 0 */
    rest.value = rare ? rest.value : 1;
    power.word = (n.word << 23) + ((254u << 23) - rest.word);
    const f32 value = FMAF(exp2_rest(most - (n.value - 0x1.8p23f)), power.value, power.value);
    const f32 scaled = rare ? scaled_f32(value, rest.value) : value;
    return rare && x < -152 ? 0 : scaled;
}
static inline f32 OWN(own_exp2f)(f32 x)
{
    return exp2_of(x, 1);
}
#else
static inline f32 OWN(own_exp2f)(f32 x)
{
    return exp2f(x);
}
#endif
//: block exp2f ordinary
    ORDINARY(exp2_of, 0, 0x42fa0000) /* up to 125 */
//: library expm1f exp_rest
#ifdef OWN_MATH
static inline f32 OWN(expm1_of)(f32 x, int rare)
{
    const int tiny = rare && __builtin_fabsf(x) < 0x1p-25f;
    f32 inside = rare && x > 89 ? 89 : x;
    inside = rare && inside < -30 ? -30 : inside;
    inside = tiny ? 1 : inside;
    const union word_f32 n = {FMAF(inside, 0x1.715476p+0f, 0x1.8p23f)}, half = {.word = (n.word + 126) << 23};
    const f32 value = 2 * FMAF(exp_rest(inside, n.value - 0x1.8p23f), half.value, half.value - 0.5f);
    return tiny ? x : value;
}
static inline f32 OWN(own_expm1f)(f32 x)
{
    return expm1_of(x, 1);
}
#else
static inline f32 OWN(own_expm1f)(f32 x)
{
    return expm1f(x);
}
#endif
//: block expm1f ordinary
    ORDINARY(expm1_of, 0x33000000, 0x41f00000) /* 2^-25 to 30 */
//: library tanhf exp_rest chosen
#ifdef OWN_MATH
static inline f32 OWN(tanh_of)(f32 x, int rare)
{
    const f32 size = __builtin_fabsf(x), most = size > 9.1f ? 9.1f : size;
    const f32 twice = rare && size < 0x1p-13f ? 1 : most + most;
    const union word_f32 n = {FMAF(twice, 0x1.715476p+0f, 0x1.8000fep23f)}, power = {.word = n.word << 23};
    const f32 e = FMAF(exp_rest(twice, n.value - 0x1.8000fep23f), power.value, power.value - 1); /* exp(2 |x|) - 1 */
    const f32 value = __builtin_copysignf(e / (e + 2), x);
    return rare ? chosen_f32(size < 0x1p-13f, x, value) : value;
}
static inline f32 OWN(own_tanhf)(f32 x)
{
    return tanh_of(x, 1);
}
#else
static inline f32 OWN(own_tanhf)(f32 x)
{
    return tanhf(x);
}
#endif
//: block tanhf ordinary
    ORDINARY(tanh_of, 0x39000000, 0x7fffffff) /* from 2^-13 on */
//: part sinh_rest
#ifdef OWN_MATH
/* |x| is n ln(2) + r: sinh(r), cosh(r) - 1, 2^n / 4 and 2^-n / 4. */
static inline struct hyperbolic_f32 OWN(hyperbolic)(f32 size)
{
    const f32 inside = size > 89.5f ? 89.5f : size;
    const union word_f32 n = {FMAF(inside, 0x1.715476p+0f, 0x1.8p23f)};
    const i32 power = (i32)(n.word - 0x4b400000), least = power > 125 ? 125 : power;
    const union word_f32 up = {.word = (u32)(power + 125) << 23}, down = {.word = (u32)(125 - least) << 23};
    f32 r = FMAF(n.value - 0x1.8p23f, -0x1.62e4p-1f, inside); /* exact */
    r = FMAF(n.value - 0x1.8p23f, -0x1.7f7d1cp-20f, r);
    const f32 s = FMAF(r, r, 0x1p-60f);
    const f32 odd = FMAF(FMAF(0x1.a2d6b2p-13f, s, 0x1.110fc2p-7f), s, 0x1.555556p-3f);
    const f32 even = FMAF(FMAF(0x1.6d54bap-10f, s, 0x1.5554e2p-5f), s, 0.5f);
    return (struct hyperbolic_f32){FMAF(odd * s, r, r), even * s, up.value, down.value};
}
#endif
//: library sinhf sinh_rest
#ifdef OWN_MATH
static inline f32 OWN(own_sinhf)(f32 x)
{
    const struct hyperbolic_f32 h = hyperbolic(__builtin_fabsf(x));
    const f32 across = h.up - h.down, value = FMAF(across, h.even, FMAF(h.up + h.down, h.odd, across));
    return __builtin_copysignf(value + value, x);
}
#else
static inline f32 OWN(own_sinhf)(f32 x)
{
    return sinhf(x);
}
#endif
//: library coshf sinh_rest
#ifdef OWN_MATH
static inline f32 OWN(own_coshf)(f32 x)
{
    const struct hyperbolic_f32 h = hyperbolic(__builtin_fabsf(x));
    const f32 along = h.up + h.down, value = FMAF(along, h.even, FMAF(h.up - h.down, h.odd, along));
    return value + value;
}
#else
static inline f32 OWN(own_coshf)(f32 x)
{
    return coshf(x);
}
#endif
//: part asin_rest
#ifdef OWN_MATH
/* (asin(y) - y) / y, y^2 = z up to 0.25. */
static inline f32 OWN(asin_rest)(f32 z)
{
    const f32 s = z * z;
    f32 p = FMAF(FMAF(0x1.34c5c4p-5f, z, 0x1.d522cep-7f), s, FMAF(0x1.04d2e6p-5f, z, 0x1.6ca754p-5f));
    return FMAF(p, s, FMAF(0x1.3338acp-4f, z, 0x1.55554cp-3f)) * z;
}
#endif
//: library asinf asin_rest chosen
#ifdef OWN_MATH
static inline f32 OWN(own_asinf)(f32 x)
{
    /* asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)) */
    const f32 all = __builtin_fabsf(x), size = all < 0x1p-30f ? 0 : all, above = FMAF(size, -0.5f, 0.5f);
    const int large = size > 0.5f;
    const f32 z = chosen_f32(large, above, FMAF(size, size, 0x1p-60f));
    const f32 y = chosen_f32(large, __builtin_sqrtf(above), size);
    const f32 p = FMAF(asin_rest(z), y, y);
    return size == 0 ? x : __builtin_copysignf(large ? FMAF(p, -2, 0x1.921fb6p+0f) : p, x);
}
#else
static inline f32 OWN(own_asinf)(f32 x)
{
    return asinf(x);
}
#endif
//: library acosf asin_rest
#ifdef OWN_MATH
static inline f32 OWN(own_acosf)(f32 operand)
{
    const f32 x = __builtin_fabsf(operand) < 0x1p-30f ? 0 : operand, size = __builtin_fabsf(x);
    const f32 above = FMAF(size, -0.5f, 0.5f);
    const int large = size > 0.5f;
    const f32 y = large ? __builtin_sqrtf(above) : x, p = FMAF(asin_rest(large ? above : FMAF(x, x, 0x1p-60f)), y, y);
    const f32 near = 0x1.921fb6p+0f - (p + 0x1.777a5cp-25f), far = x < 0 ? FMAF(p, -2, 0x1.921fb6p+1f) : p + p;
    return large ? far : near;
}
#else
static inline f32 OWN(own_acosf)(f32 x)
{
    return acosf(x);
}
#endif
//: part atan_rest
#ifdef OWN_MATH
/* atan(t), t from 0 to 1. */
static inline f32 OWN(atan_rest)(f32 t)
{
    const f32 z = FMAF(t, t, 0x1p-60f), s = z * z;
    f32 p = FMAF(FMAF(-0x1.d30316p-10f, z, 0x1.64025ap-7f), s, FMAF(-0x1.fd6994p-6f, z, 0x1.da2488p-5f));
    p = FMAF(p, s, FMAF(-0x1.58087ep-4f, z, 0x1.c08c46p-4f));
    p = FMAF(p, s, FMAF(-0x1.242086p-3f, z, 0x1.9991e4p-3f));
    return FMAF(FMAF(p, z, -0x1.55553ep-2f) * z, t, t);
}
#endif
//: library atan2f atan_rest
#ifdef OWN_MATH
static inline f32 OWN(own_atan2f)(f32 y, f32 x)
{
    const f32 of_x = __builtin_fabsf(x), of_y = __builtin_fabsf(y);
    const f32 most = of_y > of_x ? of_y : of_x, least = of_y > of_x ? of_x : of_y;
    f32 t = least / most; /* atan of it is at most pi / 4 */
    t = ((most == 0) | (least == __builtin_inff())) ? (f32)(most != 0) : t;
    f32 p = atan_rest(t);
    p = of_y > of_x ? 0x1.921fb6p+0f - (p + 0x1.777a5cp-25f) : p;
    p = __builtin_copysignf(1, x) < 0 ? 0x1.921fb6p+1f - (p + 0x1.777a5cp-24f) : p;
    p = ((x != x) | (y != y)) ? x + y : p;
    return __builtin_copysignf(p, y);
}
#else
static inline f32 OWN(own_atan2f)(f32 y, f32 x)
{
    return atan2f(y, x);
}
#endif
//: part roots
#if defined __AVX512DQ__
#undef ROOT_STEP
#undef ROOT
#undef ROOTS
/* Square roots of vectors of ordinary numbers: an estimate g, and h of 1 / (2 g), of 14 bits, steps that double the
 * bits, and one that is exact (Markstein, IBM Journal of Research and Development 34, 1990). */
#define ROOT_STEP(p) \
    "vmovaps %4, %2\n\t" \
    "vfnmadd231" p " %0, %1, %2\n\t" \
    "vfmadd231" p " %0, %2, %0\n\t" \
    "vfmadd231" p " %1, %2, %1\n\t"
#define ROOT(p, steps) \
    __asm__("vrsqrt14" p " %3, %1\n\t" \
            "vmul" p " %1, %3, %0\n\t" \
            "vmul" p " %1, %4, %1\n\t" \
            steps \
            "vmovaps %3, %2\n\t" \
            "vfnmadd231" p " %0, %0, %2\n\t" \
            "vfmadd231" p " %1, %2, %0" \
            : "=&v"(g), "=&v"(h), "=&v"(r) : "v"(x), "v"(half)); \
    return g;
static inline floats OWN(root_f32)(floats x)
{
    const floats half = (floats){0} + 0.5f;
    floats g, h, r;
    ROOT("ps", ROOT_STEP("ps"))
}
static inline doubles OWN(root_f64)(doubles x)
{
    const doubles half = (doubles){0} + 0.5;
    doubles g, h, r;
    ROOT("pd", ROOT_STEP("pd") ROOT_STEP("pd"))
}
/* The body for a block: plain(x) where an operand is not between 2^-78, in float64 2^-900, and the largest number, of a
 * subnormal one by way of the integer that its bits are. Else of four vectors one by the processor's own instruction,
 * beside which the others are computed. */
#define ROOTS(T, I, U, vectors, p, plain) \
    enum { SIDE = sizeof(vectors) / sizeof(T), NARROW = sizeof(T) == 4, DIGITS = NARROW ? 23 : 52 }; \
    const U low = (U)(NARROW ? 49 : 123) << DIGITS, high = ((U)(NARROW ? 255 : 2047) << DIGITS) - 1; \
    U most = 0; \
    for (int j = 0; j < BLOCK; j++) { \
        const union word_##T x = {a[j]}; \
        const U above = x.word - low; \
        most = above > most ? above : most; \
    } \
    if (most > high - low) { \
        EACH(j, BLOCK) { \
            const union word_##T x = {a[j]}; \
            const U small = -(U)(x.word - 1 < ((U)1 << DIGITS) - 1); /* else compilers would take two roots */ \
            const union word_##T whole = {(T)(I)(x.word << NARROW)}, unit = {1}; \
            const union word_##T y = {.word = (x.word & ~small) | (whole.word & small)}; \
            const union word_##T scale = {.word = unit.word - (((U)(NARROW ? 75 : 537) << DIGITS) & small)}; \
            r[j] = plain(y.value) * scale.value; \
        } \
        return; \
    } \
    ROLLED \
    for (int j = 0; j < BLOCK; j += 4 * SIDE) { \
        vectors own; \
        __asm__("vsqrt" p " %1, %0" : "=v"(own) : "v"(*(const vectors *)(a + j))); \
        *(vectors *)(r + j) = own; \
        for (int k = SIDE; k < 4 * SIDE; k += SIDE) \
            *(vectors *)(r + j + k) = root_##T(*(const vectors *)(a + j + k)); \
    }
#else
#undef ROOTS
#define ROOTS(T, I, U, vectors, p, plain) \
    INDEPENDENT \
    for (int j = 0; j < BLOCK; j++) \
        r[j] = plain(a[j]);
#endif
//: block sqrtf roots
    #ifdef WIDE
    ROOTS(f32, i32, u32, floats, "ps", __builtin_sqrtf)
    #else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = __builtin_sqrtf(a[j]);
    #endif
//: block sqrt roots
    #ifdef WIDE
    ROOTS(f64, i64, u64, doubles, "pd", __builtin_sqrt)
    #else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = __builtin_sqrt(a[j]);
    #endif
//: library hypotf
#ifdef OWN_MATH
static inline f32 OWN(own_hypotf)(f32 x, f32 y)
{
    /* The larger one is brought to 1 or 2: its square neither overflows nor vanishes. */
    const f32 of_x = __builtin_fabsf(x), of_y = __builtin_fabsf(y), infinity = __builtin_inff();
    const union word_f32 most = {of_y > of_x ? of_y : of_x};
    u32 power = most.word & 0x7f800000;
    power = power > 253u << 23 ? 253u << 23 : power;
    power = power < 1u << 23 ? 1u << 23 : power;
    const union word_f32 up = {.word = power}, down = {.word = (254u << 23) - power};
    union word_f32 least = {of_y > of_x ? of_x : of_y};
    least.word = (i32)least.word < (i32)(power - (40u << 23)) ? 0 : least.word; /* lost beside the larger one */
    const f32 a = most.value * down.value, b = least.value * down.value;
    const f32 value = __builtin_sqrtf(FMAF(a, a, b * b)) * up.value;
    const f32 number = ((x != x) | (y != y)) ? x + y : value;
    return ((of_x == infinity) | (of_y == infinity)) ? infinity : number;
}
#else
static inline f32 OWN(own_hypotf)(f32 x, f32 y)
{
    return hypotf(x, y);
}
#endif
//: library exp2 exp_rest_f64 scaled_f64
#ifdef OWN_MATH
static inline f64 OWN(own_exp2)(f64 x)
{
    const f64 least = __builtin_fabs(x) < 0x1p-60 ? 0 : x, most = least > 1030 ? 1030 : least;
    union word_f64 n = {most + 0x1.80000000003ffp52}, power, rest = {x};
    rest.word = (rest.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where x < 0 */
    power.word = (n.word << 52) + ((1023ull << 52) - rest.word);
    const f64 e = exp_powers((most - (n.value - 0x1.80000000003ffp52)) * 0x1.62e42fefa39efp-1);
    const f64 value = FMAD(e, power.value, power.value);
    return x < -1080 ? 0 : scaled_f64(value, rest.value);
}
#else
static inline f64 OWN(own_exp2)(f64 x)
{
    return exp2(x);
}
#endif
//: block exp2
    i64 rare = 0; /* negative: an operand beyond 1020, or a NaN */
    for (int j = 0; j < BLOCK; j++) {
        const union word_f64 x = {a[j]};
        rare |= 0x408fe00000000000 - (i64)(x.word & 0x7fffffffffffffff);
    }
    if (rare < 0) {
        EACH(j, BLOCK)
            r[j] = own_exp2(a[j]);
        return;
    }
    EACH(j, BLOCK) {
        const f64 x = a[j];
        const union word_f64 n = {x + 0x1.80000000003ffp52}, power = {.word = n.word << 52};
        const f64 e = exp_powers((x - (n.value - 0x1.80000000003ffp52)) * 0x1.62e42fefa39efp-1);
        r[j] = FMAD(e, power.value, power.value);
    }
//: library expm1 exp_rest_f64
#ifdef OWN_MATH
static inline f64 OWN(own_expm1)(f64 x)
{
    const int tiny = __builtin_fabs(x) < 0x1p-54;
    f64 inside = x > 710 ? 710 : x;
    inside = inside < -50 ? -50 : inside;
    inside = tiny ? 1 : inside;
    const union word_f64 n = {FMAD(inside, 0x1.71547652b82fep+0, 0x1.8p52)}, half = {.word = (n.word + 1022) << 52};
    const f64 value = 2 * FMAD(exp_rest_f64(inside, n.value - 0x1.8p52), half.value, half.value - 0.5);
    return tiny ? x : value;
}
#else
static inline f64 OWN(own_expm1)(f64 x)
{
    return expm1(x);
}
#endif
//: library tanh exp_rest_f64
#ifdef OWN_MATH
static inline f64 OWN(own_tanh)(f64 x)
{
    const f64 size = __builtin_fabs(x), most = size > 20 ? 20 : size;
    const f64 twice = size < 0x1p-28 ? 1 : most + most;
    const union word_f64 n = {FMAD(twice, 0x1.71547652b82fep+0, 0x1.8p52)}, power = {.word = (n.word + 1023) << 52};
    const f64 e = FMAD(exp_rest_f64(twice, n.value - 0x1.8p52), power.value, power.value - 1); /* exp(2 |x|) - 1 */
    return size < 0x1p-28 ? x : __builtin_copysign(e / (e + 2), x);
}
#else
static inline f64 OWN(own_tanh)(f64 x)
{
    return tanh(x);
}
#endif
//: part sinh_rest_f64
#ifdef OWN_MATH
/* |x| is n ln(2) + r: sinh(r), cosh(r) - 1, 2^n / 4 and 2^-n / 4. */
static inline struct hyperbolic_f64 OWN(hyperbolic_wide)(f64 size)
{
    const f64 inside = size > 710.5 ? 710.5 : size;
    const union word_f64 n = {FMAD(inside, 0x1.71547652b82fep+0, 0x1.8p52)};
    const i64 power = (i64)(n.word - 0x4338000000000000), least = power > 1021 ? 1021 : power;
    const union word_f64 up = {.word = (u64)(power + 1021) << 52}, down = {.word = (u64)(1021 - least) << 52};
    f64 r = FMAD(n.value - 0x1.8p52, -0x1.62e42fefa38p-1, inside); /* exact */
    r = FMAD(n.value - 0x1.8p52, -0x1.ef35793c7673p-45, r);
    const f64 s = FMAD(r, r, 0x1p-200), t = s * s;
    f64 odd = FMAD(0x1.61dab27bf2791p-33, s, 0x1.ae641a2a0f357p-26);
    odd = FMAD(odd, t, FMAD(0x1.71de3a5f3dd8dp-19, s, 0x1.a01a01a018643p-13));
    odd = FMAD(odd, t, FMAD(0x1.1111111111113p-7, s, 0x1.5555555555555p-3));
    f64 even = FMAD(0x1.1f8ea03530be8p-29, t, FMAD(0x1.27e4ca68d628bp-22, s, 0x1.a01a01ae32f05p-16));
    even = FMAD(even, t, FMAD(0x1.6c16c16c14e04p-10, s, 0x1.5555555555558p-5));
    return (struct hyperbolic_f64){FMAD(odd * s, r, r), FMAD(even, s, 0.5) * s, up.value, down.value};
}
#endif
//: library sinh sinh_rest_f64
#ifdef OWN_MATH
static inline f64 OWN(own_sinh)(f64 x)
{
    const struct hyperbolic_f64 h = hyperbolic_wide(__builtin_fabs(x));
    const f64 across = h.up - h.down, value = FMAD(across, h.even, FMAD(h.up + h.down, h.odd, across));
    return __builtin_copysign(value + value, x);
}
#else
static inline f64 OWN(own_sinh)(f64 x)
{
    return sinh(x);
}
#endif
//: library cosh sinh_rest_f64
#ifdef OWN_MATH
static inline f64 OWN(own_cosh)(f64 x)
{
    const struct hyperbolic_f64 h = hyperbolic_wide(__builtin_fabs(x));
    const f64 along = h.up + h.down, value = FMAD(along, h.even, FMAD(h.up - h.down, h.odd, along));
    return value + value;
}
#else
static inline f64 OWN(own_cosh)(f64 x)
{
    return cosh(x);
}
#endif
//: library hypot
#ifdef OWN_MATH
static inline f64 OWN(own_hypot)(f64 x, f64 y)
{
    /* The larger one is brought to 1 or 2: its square neither overflows nor vanishes. */
    const f64 of_x = __builtin_fabs(x), of_y = __builtin_fabs(y), infinity = __builtin_inf();
    const union word_f64 most = {of_y > of_x ? of_y : of_x};
    u64 power = most.word & 2047ull << 52;
    power = power > 2045ull << 52 ? 2045ull << 52 : power;
    power = power < 1ull << 52 ? 1ull << 52 : power;
    const union word_f64 up = {.word = power}, down = {.word = (2046ull << 52) - power};
    union word_f64 least = {of_y > of_x ? of_x : of_y};
    least.word = (i64)least.word < (i64)(power - (80ull << 52)) ? 0 : least.word; /* lost beside the larger one */
    const f64 a = most.value * down.value, b = least.value * down.value;
    const f64 value = __builtin_sqrt(FMAD(a, a, b * b)) * up.value;
    const f64 number = ((x != x) | (y != y)) ? x + y : value;
    return ((of_x == infinity) | (of_y == infinity)) ? infinity : number;
}
#else
static inline f64 OWN(own_hypot)(f64 x, f64 y)
{
    return hypot(x, y);
}
#endif
//: part inside_f64
#ifdef OWN_MATH
/* x where that is so, else a number from 0.5 to 1. */
static inline f64 OWN(inside_f64)(f64 x, int so)
{
    union word_f64 inside = {x};
    inside.word = so ? inside.word : (inside.word & 0xfffffffffffff) | 1022ull << 52;
    return inside.value;
}
#endif
//: part inside_f32
#ifdef OWN_MATH
/* x where that is so, else a number from 0.5 to 1. */
static inline f32 OWN(inside_f32)(f32 x, int so)
{
    union word_f32 inside = {x};
    inside.word = so ? inside.word : (inside.word & 0x7fffff) | 126u << 23;
    return inside.value;
}
#endif
//: library log1p inside_f64
#ifdef OWN_MATH
static inline f64 OWN(log1p_f64_inside)(f64 x)
{
    return inside_f64(x, (x > -1) & (x < __builtin_inf()));
}
static inline f64 OWN(log1p_f64_chosen)(f64 x, f64 value)
{
    const f64 infinity = __builtin_inf(), outside = x == -1 ? -infinity : __builtin_nan("");
    value = x > -1 ? value : outside;
    return x == infinity ? x : value;
}
#endif
static inline f64 OWN(own_log1p)(f64 x)
{
    return log1p(x);
}
//: block log1p inside
    INSIDE(f64, log1p, log1p_f64_inside, log1p_f64_chosen, )
//: library acosh inside_f64
#ifdef OWN_MATH
static inline f64 OWN(acosh_f64_inside)(f64 x)
{
    union word_f64 inside = {inside_f64(x, (x >= 1) & (x < __builtin_inf()))};
    inside.word += inside.value < 1 ? 1ull << 52 : 0; /* from 1 to 2 */
    return inside.value;
}
static inline f64 OWN(acosh_f64_chosen)(f64 x, f64 value)
{
    value = x >= 1 ? value : __builtin_nan("");
    return x == __builtin_inf() ? x : value;
}
#endif
static inline f64 OWN(own_acosh)(f64 x)
{
    return acosh(x);
}
//: block acosh inside
    INSIDE(f64, acosh, acosh_f64_inside, acosh_f64_chosen, )
//: library asinh inside_f64
#ifdef OWN_MATH
static inline f64 OWN(asinh_f64_inside)(f64 x)
{
    const f64 size = __builtin_fabs(x);
    return inside_f64(x, (size >= 0x1p-28) & (size < __builtin_inf()));
}
static inline f64 OWN(asinh_f64_chosen)(f64 x, f64 value)
{
    const f64 size = __builtin_fabs(x);
    return (size >= 0x1p-28) & (size < __builtin_inf()) ? value : x;
}
#endif
static inline f64 OWN(own_asinh)(f64 x)
{
    return asinh(x);
}
//: block asinh inside
    INSIDE(f64, asinh, asinh_f64_inside, asinh_f64_chosen, )
//: library atanh inside_f64
#ifdef OWN_MATH
static inline f64 OWN(atanh_f64_inside)(f64 x)
{
    const f64 size = __builtin_fabs(x);
    return inside_f64(x, (size >= 0x1p-28) & (size < 1));
}
static inline f64 OWN(atanh_f64_chosen)(f64 x, f64 value)
{
    const f64 size = __builtin_fabs(x), outside = size == 1 ? __builtin_inf() : __builtin_nan("");
    value = size < 0x1p-28 ? x : value;
    return size < 1 ? value : __builtin_copysign(outside, x);
}
#endif
static inline f64 OWN(own_atanh)(f64 x)
{
    return atanh(x);
}
//: block atanh inside
    INSIDE(f64, atanh, atanh_f64_inside, atanh_f64_chosen, )
//: library asin inside_f64
#ifdef OWN_MATH
static inline f64 OWN(asin_f64_inside)(f64 x)
{
    return inside_f64(x, __builtin_fabs(x) <= 1);
}
static inline f64 OWN(asin_f64_chosen)(f64 x, f64 value)
{
    return __builtin_fabs(x) <= 1 ? value : __builtin_nan("");
}
#endif
static inline f64 OWN(own_asin)(f64 x)
{
    return asin(x);
}
//: block asin inside
    INSIDE(f64, asin, asin_f64_inside, asin_f64_chosen, )
//: library acos inside_f64
#ifdef OWN_MATH
static inline f64 OWN(acos_f64_inside)(f64 x)
{
    return inside_f64(x, __builtin_fabs(x) <= 1);
}
static inline f64 OWN(acos_f64_chosen)(f64 x, f64 value)
{
    return __builtin_fabs(x) <= 1 ? value : __builtin_nan("");
}
#endif
static inline f64 OWN(own_acos)(f64 x)
{
    return acos(x);
}
//: block acos inside
    INSIDE(f64, acos, acos_f64_inside, acos_f64_chosen, )
//: library atan inside_f64
#ifdef OWN_MATH
static inline f64 OWN(atan_f64_inside)(f64 x)
{
    return inside_f64(x, __builtin_fabs(x) >= 0x1p-28);
}
static inline f64 OWN(atan_f64_chosen)(f64 x, f64 value)
{
    return __builtin_fabs(x) < 0x1p-28 ? x : x != x ? x : value;
}
#endif
static inline f64 OWN(own_atan)(f64 x)
{
    return atan(x);
}
//: block atan inside
    INSIDE(f64, atan, atan_f64_inside, atan_f64_chosen, )
//: library atanf atan_rest chosen
#ifdef OWN_MATH
static inline f32 OWN(atan_of)(f32 x, int rare)
{
    const f32 size = __builtin_fabsf(x), least = rare && size < 0x1p-30f ? 0 : size;
    const f32 most = rare && least > 0x1p60f ? 0x1p60f : least, inverse = 1 / most;
    const f32 p = atan_rest(most > 1 ? inverse : most);
    const f32 value = __builtin_copysignf(chosen_f32(most > 1, 0x1.921fb6p+0f - p, p), x);
    return rare ? chosen_f32(size < 0x1p-30f, x, value) : value;
}
static inline f32 OWN(own_atanf)(f32 x)
{
    return atan_of(x, 1);
}
#else
static inline f32 OWN(own_atanf)(f32 x)
{
    return atanf(x);
}
#endif
//: block atanf ordinary
    ORDINARY(atan_of, 0x00800000, 0x5d800000) /* up to 2^60 */
//: library erfc inside_f64
#ifdef OWN_MATH
static inline f64 OWN(erfc_f64_inside)(f64 x)
{
    return inside_f64(x, x <= 27.25);
}
static inline f64 OWN(erfc_f64_chosen)(f64 x, f64 value)
{
    return x <= 27.25 ? value : x > 27.25 ? 0 : x;
}
#endif
static inline f64 OWN(own_erfc)(f64 x)
{
    return erfc(x);
}
//: block erfc inside
    INSIDE(f64, erfc, erfc_f64_inside, erfc_f64_chosen, )
//: library erfcf inside_f32
#ifdef OWN_MATH
static inline f32 OWN(erfc_f32_inside)(f32 x)
{
    return inside_f32(x, x <= 10.0625f);
}
static inline f32 OWN(erfc_f32_chosen)(f32 x, f32 value)
{
    return x <= 10.0625f ? value : x > 10.0625f ? 0 : x;
}
#endif
static inline f32 OWN(own_erfcf)(f32 x)
{
    return erfcf(x);
}
//: block erfcf inside
    INSIDE(f32, erfcf, erfc_f32_inside, erfc_f32_chosen, )
//: library erff
#ifdef OWN_MATH
static inline f32 OWN(erf_of)(f32 x, int rare)
{
    /* 1 - 2^-g, where g is small as a product, so that nothing cancels. What is subnormal is computed as integers. */
    const union word_f32 size = {__builtin_fabsf(x)};
    const int tiny = rare && size.word < 0x00800000;
    const f32 inside = tiny ? 0 : size.value, most = inside > 3.92f ? 3.92f : inside, t = FMAF(most, most, 0x1p-60f);
    f32 g = FMAF(-0x1.c1b416p-17f, t, FMAF(0x1.636556p-13f, most, -0x1.dce64cp-11f));
    g = FMAF(g, t, FMAF(0x1.39e3a6p-9f, most, -0x1.c98520p-13f));
    g = FMAF(g, t, FMAF(-0x1.c4da8ap-6f, most, 0x1.2facfcp-3f));
    g = FMAF(g, t, FMAF(0x1.d63ebep-1f, most, 0x1.a0be84p+0f)) * most;
    const union word_f32 n = {0x1.8000fep23f - g}, power = {.word = n.word << 23};
    const f32 r = 0x1.8000fep23f - n.value - g, s = FMAF(r, r, 0x1p-60f);
    f32 p = FMAF(0x1.41a88ep-13f, s, FMAF(0x1.5f0b56p-10f, r, 0x1.3b2d56p-7f));
    p = FMAF(p, s, FMAF(0x1.c6af7ap-5f, r, 0x1.ebfbdep-3f));
    p = FMAF(p, r, 0x1.62e43p-1f) * r; /* 2^r - 1 */
    union word_f32 value = {FMAF(-p, power.value, 1 - power.value)};
    value.word = tiny ? (u32)(i32)FMAF((f32)(i32)size.word, 0x1.20dd76p+0f, 0.5f) : value.word;
    return __builtin_copysignf(value.value, x);
}
static inline f32 OWN(own_erff)(f32 x)
{
    return erf_of(x, 1);
}
#else
static inline f32 OWN(own_erff)(f32 x)
{
    return erff(x);
}
#endif
//: block erff ordinary
    ORDINARY(erf_of, 0x00800000, 0x7fffffff)
//: library sin inside_f64
#ifdef OWN_MATH
static inline f64 OWN(sin_f64_inside)(f64 x)
{
    return inside_f64(x, (__builtin_fabs(x) >= 0x1p-28) & (__builtin_fabs(x) < 0x1p23));
}
static inline f64 OWN(sin_f64_chosen)(f64 x, f64 value)
{
    value = __builtin_fabs(x) < 0x1p-28 ? x : value;
    return __builtin_fabs(x) < __builtin_inf() ? value : x - x;
}
#endif
static inline f64 OWN(own_sin)(f64 x)
{
    return sin(x);
}
//: block sin inside
    INSIDE(f64, sin, sin_f64_inside, sin_f64_chosen, calls->sin(z, a, BLOCK);)
//: library cos inside_f64
#ifdef OWN_MATH
static inline f64 OWN(cos_f64_inside)(f64 x)
{
    return inside_f64(x, __builtin_fabs(x) < 0x1p23);
}
static inline f64 OWN(cos_f64_chosen)(f64 x, f64 value)
{
    return __builtin_fabs(x) < __builtin_inf() ? value : x - x;
}
#endif
static inline f64 OWN(own_cos)(f64 x)
{
    return cos(x);
}
//: block cos inside
    INSIDE(f64, cos, cos_f64_inside, cos_f64_chosen, calls->cos(z, a, BLOCK);)
//: library tan inside_f64
#ifdef OWN_MATH
static inline f64 OWN(tan_f64_inside)(f64 x)
{
    return inside_f64(x, !(__builtin_fabs(x) < 0x1p-28));
}
static inline f64 OWN(tan_f64_chosen)(f64 x, f64 value)
{
    return __builtin_fabs(x) < 0x1p-28 ? x : value;
}
#endif
static inline f64 OWN(own_tan)(f64 x)
{
    return tan(x);
}
//: block tan inside
    INSIDE(f64, tan, tan_f64_inside, tan_f64_chosen, )
//: from templates/shared/angles.h
//: part near_only chosen
#ifdef OWN_MATH
/* x, or a number that is beyond. */
static inline f32 OWN(beyond_only)(f32 x)
{
    return chosen_f32(is_beyond(x), x, 0x1p20f);
}
/* x where it is moderate, else a number that is. */
static inline f32 OWN(near_only)(f32 x)
{
    const f32 size = __builtin_fabsf(x);
    return ((size >= 0x1p-30f) & (size <= 0x1p16f)) ? x : 0;
}
#endif
//: library tanf tan_rest near_only turn chosen
#ifdef OWN_MATH
static inline f32 OWN(tan_near)(f32 x)
{
    const union word_f32 n = {FMAF(x, 0x1.45f306p-1f, 0x1.8p23f)};
    const f32 k = n.value - 0x1.8p23f, r = FMAF(k, -0x1.921fb4p+0f, x); /* exact */
    return tan_rest(FMAF(k, -0x1.846988p-48f, FMAF(k, -0x1.4442dp-24f, r)), n.word);
}
static inline f32 OWN(tan_any)(f32 x)
{
    const f32 size = __builtin_fabsf(x), value = tan_near(near_only(x));
    return chosen_f32(size < 0x1p-30f, x, size < __builtin_inff() ? value : x - x);
}
static inline f32 OWN(own_tanf)(f32 x)
{
    return chosen_f32(is_beyond(x), tan_far(beyond_only(x)), tan_any(x));
}
#else
static inline f32 OWN(own_tanf)(f32 x)
{
    return tanf(x);
}
#endif
//: block tanf reduced
    REDUCED(tan_near, tan_any, tan_far, calls->tanf)
//: part less_pi
#ifdef OWN_MATH
/* x - k pi. */
static inline f32 OWN(less_pi)(f32 x, f32 k)
{
    const f32 r = FMAF(k, -0x1.921fb4p+1f, x); /* exact */
    return FMAF(k, -0x1.846988p-47f, FMAF(k, -0x1.4442dp-23f, r)); /* of one sign: -0 stays -0 */
}
#endif
//: library sinf sin_rest less_pi near_only turn chosen
#ifdef OWN_MATH
static inline f32 OWN(sin_near)(f32 x)
{
    const union word_f32 n = {FMAF(x, 0x1.45f306p-2f, 0x1.8p23f)};
    return sin_rest(less_pi(x, n.value - 0x1.8p23f), n.word);
}
static inline f32 OWN(sin_any)(f32 x)
{
    const f32 size = __builtin_fabsf(x), value = sin_near(near_only(x));
    return chosen_f32(size < 0x1p-30f, x, size < __builtin_inff() ? value : x - x);
}
static inline f32 OWN(own_sinf)(f32 x)
{
    return chosen_f32(is_beyond(x), sin_far(beyond_only(x)), sin_any(x));
}
#else
static inline f32 OWN(own_sinf)(f32 x)
{
    return sinf(x);
}
#endif
//: block sinf reduced
    REDUCED(sin_near, sin_any, sin_far, calls->sinf)
//: library cosf sin_rest less_pi near_only turn chosen
#ifdef OWN_MATH
static inline f32 OWN(cos_near)(f32 x)
{
    const union word_f32 n = {FMAF(x, 0x1.45f306p-2f, 0.5f) + 0x1.8p23f};
    return sin_rest(less_pi(x, n.value - 0x1.8p23f - 0.5f), n.word);
}
static inline f32 OWN(cos_any)(f32 x)
{
    const f32 value = cos_near(near_only(x));
    return __builtin_fabsf(x) < __builtin_inff() ? value : x - x;
}
static inline f32 OWN(own_cosf)(f32 x)
{
    return chosen_f32(is_beyond(x), cos_far(beyond_only(x)), cos_any(x));
}
#else
static inline f32 OWN(own_cosf)(f32 x)
{
    return cosf(x);
}
#endif
//: block cosf reduced
    REDUCED(cos_near, cos_any, cos_far, calls->cosf)
//: part remainders
#ifdef OWN_MATH
#undef REMAINDERS
/* m: what `so` makes of the remainders c of sizes. A quotient below 2^22 (float64: 2^51), rounded and cut to a whole
 * number, is right or 1 too large. The product is subtracted exactly; what is left is a number of the divisor's
 * precision. Where a block has others (quotients whose bits are beyond `most`, a divisor that is 0 or infinite, a NaN),
 * others() computes these, of quotients that are rounded down where `down` is 1. */
#define REMAINDERS(T, I, f, most, so, others, down) \
    ALIGNED T m[BLOCK]; \
    I largest = 0; /* bits of a quotient */ \
    EACH(j, BLOCK) { \
        const T x = __builtin_fabs##f(a[j]), y = __builtin_fabs##f(b[j]); \
        const T quotient = x / y, rest = __builtin_fma##f(-__builtin_trunc##f(quotient), y, x); \
        const union word_##T larger = {__builtin_fabs##f(y < __builtin_inf##f() ? quotient : y)}; \
        const T c = rest < 0 ? rest + y : rest; \
        m[j] = so; \
        largest = (I)larger.word > largest ? (I)larger.word : largest; \
    } \
    if (largest > (most)) \
        others(m, a, b, BLOCK, sizeof(T), down);
#undef LIKE_A
#undef LIKE_B
/* As C's fmod, with a's sign, and with b's, of a quotient that is rounded down. */
#define LIKE_A(f) __builtin_copysign##f(c, a[j])
#define LIKE_B(f) __builtin_copysign##f(((a[j] < 0) != (b[j] < 0)) & (c != 0) ? y - c : c, b[j])
#endif
//: block fmodf remainders
    REMAINDERS(f32, i32, f, 0x4a7fffff, LIKE_A(f), calls->fmod, 0)
    __builtin_memcpy(r, m, sizeof m);
//: block fmod remainders
    REMAINDERS(f64, i64, , 0x431fffffffffffff, LIKE_A(), calls->fmod, 0)
    __builtin_memcpy(r, m, sizeof m);
//: block floormodf remainders
    REMAINDERS(f32, i32, f, 0x4a7fffff, LIKE_B(f), calls->fmod, 1)
    __builtin_memcpy(r, m, sizeof m);
//: block floormod remainders
    REMAINDERS(f64, i64, , 0x431fffffffffffff, LIKE_B(), calls->fmod, 1)
    __builtin_memcpy(r, m, sizeof m);
//: block floordivf remainders
    REMAINDERS(f32, i32, f, 0x4a7fffff, LIKE_A(f), calls->fmod, 0)
    EACH(j, BLOCK)
        r[j] = N(floored)(a[j], b[j], m[j]);
//: block floordiv remainders
    REMAINDERS(f64, i64, , 0x431fffffffffffff, LIKE_A(), calls->fmod, 0)
    EACH(j, BLOCK)
        r[j] = N(floored)(a[j], b[j], m[j]);
//: part divisions
#undef DIVISIONS
/* Divisions of 64-bit integers, in float64 where no operand has more than 51 bits, else by divide(). The quotient,
 * rounded down, or to zero where `cut` is 1, is the result, or the remainder where `rest` is 1. Of a divisor 0 both
 * are 0. */
#define DIVISIONS(T, divide, cut, rest) \
    u64 rare = 0; \
    EACH(j, BLOCK) \
        rare |= (u64)((a[j] ^ a[j] >> 63) | (b[j] ^ b[j] >> 63)); \
    if (rare >> 51) { \
        divide(r, a, b, BLOCK, (T)-1 < (T)1, cut, rest); \
        return; \
    } \
    EACH(j, BLOCK) { \
        const union word_f64 x = {.word = (u64)a[j] + 0x4338000000000000}; \
        const union word_f64 y = {.word = (u64)(b[j] == 0 ? 1 : b[j]) + 0x4338000000000000}; \
        const f64 dividend = x.value - 0x1.8p52, divisor = y.value - 0x1.8p52, exact = dividend / divisor; \
        const f64 near = exact + 0x1.8p52 - 0x1.8p52, down = near > exact ? near - 1 : near; \
        const f64 whole = ((cut) & (exact < 0) & (down != exact)) ? down + 1 : down; \
        const union word_f64 z = {((rest) ? dividend - whole * divisor : whole) + 0x1.8p52}; \
        r[j] = (!(rest) & (b[j] == 0)) ? 0 : (T)(z.word - 0x4338000000000000); \
    }
//: block floordiv_64 divisions
    DIVISIONS(T, calls->divide, 0, 0)
//: block floormod_64 divisions
    DIVISIONS(T, calls->divide, 0, 1)
//: block truncdiv_64 divisions
    DIVISIONS(T, calls->divide, 1, 0)
//: block remainder_64 divisions
    DIVISIONS(T, calls->divide, 1, 1)
//: block ipow
    /* By squaring, as many steps as the largest exponent of the block has bits. An odd x to the power of 2^STEPS is
     * 1 + z, a quarter of whose bits, the low ones, are 0, so that four terms of (1 + z)^left are all of it; an even x
     * has become 0. */
    enum { WIDTH = 8 * sizeof(T), STEPS = WIDTH < 32 ? WIDTH / 8 + 2 : WIDTH / 4 - 2 };
    typedef __typeof__(__builtin_choose_expr(WIDTH == 8, (short)0, (T)0)) lane; /* of bytes there is no product */
    typedef __typeof__(__builtin_choose_expr(WIDTH <= 16, (unsigned short)0, (U)0)) bits;
    ALIGNED lane x[BLOCK], power[BLOCK], left[BLOCK];
    lane any = 0;
    for (int j = 0; j < BLOCK; j++) {
        x[j] = a[j];
        power[j] = b[j] < 0 ? (lane)0 : (lane)1;
        left[j] = b[j] < 0 ? (lane)0 : (lane)b[j];
        any |= left[j];
    }
    for (int step = 0; any && step < STEPS; any >>= 1, step++) {
        for (int j = 0; j < BLOCK; j++) {
            const lane factor = left[j] & 1 ? x[j] : (lane)1;
            power[j] = (lane)((U)power[j] * (U)factor);
            x[j] = (lane)((U)x[j] * (U)x[j]);
            left[j] >>= 1;
        }
    }
    if (any)
        EACH(j, BLOCK) {
            const bits y = (bits)left[j], z = (bits)((U)x[j] - 1), pairs = (bits)((U)(y >> 1) * (((U)y - 1) | 1));
            const bits triples = (bits)((U)pairs * ((U)y - 2) * (U)0xaaaaaaaaaaaaaaab); /* divided by 3 */
            const bits sum = (bits)((U)pairs + (U)z * triples), odd = (bits)(1 + (U)z * (bits)((U)y + (U)z * sum));
            const bits factor = x[j] & 1 ? odd : (bits)(y == 0);
            power[j] = (lane)((U)power[j] * factor);
        }
    for (int j = 0; j < BLOCK; j++)
        r[j] = (T)power[j];
//: block random_64
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
        EACH(j, BLOCK)
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
