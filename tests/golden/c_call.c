/* float32 out */
@ headline.c, 94 lines: #if defined __clang__ ... };
f32 expf(f32);
f32 sinf(f32);
f32 powf(f32, f32);
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
/* A row of several short groups; what it repeats is gathered once and copied, whole blocks at a time: what
 * goes too far is written again, and behind the row there is room for a block. */
SEPARATE static void expand_f32(f32_m *row, const char *from, const int *offsets, i64 distinct, i64 columns)
{
    for (i64 j = 0; j < distinct; j++)
        row[j] = *(const f32_m *)(from + offsets[j]);
    for (i64 j = distinct; j < columns; j += distinct)
        for (i64 k = 0; k < distinct; k += BLOCK) {
            INDEPENDENT
            for (int q = 0; q < BLOCK; q++)
                row[j + k + q] = row[k + q];
        }
    for (int j = 0; j < BLOCK; j++)
        row[columns + j] = row[columns - 1];
}
SEPARATE static void put_f32(f32_m *to, const f32_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f32_m *pad_f32(f32_m *block, const f32_m *from, int m)
{
    const f32_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f32(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
SEPARATE static void fill_f32(f32_m *block, f32_m value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
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
#ifdef OWN_MATH
/* n is x * log2(e) rounded; exp(x - n * ln(2)) - 1. */
static inline f32 exp_rest(f32 x, f32 n)
{
    f32 r = FMAF(n, -0x1.62e4p-1f, x); /* exact */
    r = FMAF(n, -0x1.7f7d1cp-20f, r);
    const f32 s = r * r;
    const f32 p = FMAF(FMAF(0x1.6af01p-10f, r, 0x1.1253f6p-7f), s, FMAF(0x1.555852p-5f, r, 0x1.55547ep-3f));
    return FMAF(FMAF(p, r, 0.5f), s, r);
}
static inline f32 own_expf(f32 x)
{
    const f32 most = x > 100 ? 100 : x;
    union word_f32 n = {FMAF(most, 0x1.715476p+0f, 0x1.8p23f)}, power, rest = {x};
    rest.word = (rest.word >> 1 & 0x40000000) ^ 0x5f800000; /* 2^64, or 2^-64 where x < 0 */
    power.word = (n.word << 23) + ((254u << 23) - rest.word);
    const f32 value = FMAF(exp_rest(most, n.value - 0x1.8p23f), power.value, power.value) * rest.value;
    return x < -104 ? 0 : value;
}
#else
static inline f32 own_expf(f32 x)
{
    return expf(x);
}
#endif
#ifdef OWN_MATH
/* log2 of a normal float32, of which these are the bits. */
static inline f64 log2_f64(u32 word)
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
static inline f32 exp2_rest(f32 r)
{
    const f32 s = r * r, p = FMAF(0x1.41a88ep-13f, s, FMAF(0x1.5f0b56p-10f, r, 0x1.3b2d56p-7f));
    return FMAF(0x1.62e43p-1f, r, FMAF(p, s, FMAF(0x1.c6af7ap-5f, r, 0x1.ebfbdep-3f)) * s);
}
static inline f32 own_powf(f32 x, f32 y)
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
static inline f32 own_powf(f32 x, f32 y)
{
    return powf(x, y);
}
#endif
LOCAL void block_exp_f32(f32_m *r, const f32_m *a)
{
#ifdef OWN_MATH
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
#else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = own_expf(a[j]);
#endif
}
SEPARATE static void block_sin_f32(f32_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = sinf(a[j]);
}
LOCAL void block_pow_f32(f32_m *r, const f32_m *a, const f32_m *b)
{
#ifdef OWN_MATH
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
#else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = own_powf(a[j], b[j]);
#endif
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 2.0 */
    const f32 c_1 = *(const f32_m *)&args->literals[1]; /* 0.5 */
    ALIGNED f32_m z_1[BLOCK];
    fill_f32(z_1, c_1);
    ALIGNED f32_m w_0[BLOCK + 2048];
    ALIGNED f32_m w_1[BLOCK];
    ALIGNED f32_m w_2[BLOCK];
    ALIGNED u64 slots[5][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_4 = (f32_m *)slots[1];
    f32_m *const v_5 = (f32_m *)slots[2];
    f32_m *const v_6 = (f32_m *)slots[3];
    f32_m *const v_8 = (f32_m *)slots[4];
@ headline.c, 26 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... }
        const char *from_0 = 0; /* where the row in w_0 begins */
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            if (p[0] != from_0)
                expand_f32(w_0, from_0 = p[0], s->offsets[0], s->distinct[0], s->columns); /* k */
            head = first_block(args, p[2] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f32_m *const x_0 = w_0 + i;
                const f32_m *x_1 = (const f32_m *)p[1] + i; /* x */
                if (m < BLOCK)
                    x_1 = pad_f32(w_1, x_1, m);
                fetch(x_1, args->ahead, sizeof *x_1);
                f32_m *const o_2 = (f32_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f32_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 a_1 = x_1[j];
                    const f32 t_4 = a_1 * c_0;
                    v_4[j] = t_4;
                }
                block_exp_f32(v_1, x_0);
                block_exp_f32(v_5, v_4);
                block_sin_f32(v_6, v_5);
                block_pow_f32(v_8, v_6, z_1);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_1 = v_1[j];
                    const f32 t_8 = v_8[j];
                    const f32 t_9 = t_1 + t_8;
                    const f32 a_1 = x_1[j];
                    const f32 t_10 = t_9 + a_1;
                    y_2[j] = t_10;
                }
                if (m < BLOCK)
                    put_f32(o_2, w_2, m);
@ headline.c, 17 lines: else if (n_2) ... }
