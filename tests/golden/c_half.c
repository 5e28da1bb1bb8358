/* float16 out0, bfloat16 out1 */
@ headline.c, 48 lines: #if defined __clang__ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 5 };
@ headline.c, 45 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... };
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_f16(f16_m *to, const f16_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f16_m *pad_f16(f16_m *block, const f16_m *from, int m)
{
    const f16_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f16(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
SEPARATE static void put_b1(b1_m *to, const b1_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const b1_m *pad_b1(b1_m *block, const b1_m *from, int m)
{
    const b1_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_b1(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
SEPARATE static void put_bf16(bf16_m *to, const bf16_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const bf16_m *pad_bf16(bf16_m *block, const bf16_m *from, int m)
{
    const bf16_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_bf16(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
static inline f32 decode_f16_f32(f16 a)
{
    union {
        int word;
        f32 value;
    } u, small;
    const int x = (a & 0x7fff) << (23 - 10);
    u.word = x;
    if (10 == 10) {
        const int infinity = 31 << 23;
        small.value = (f32)(int)(a & 0x7fff) * (f32)5.9604644775390625e-8; /* 2 ** -24 */
        u.word += x < infinity ? 112 << 23 : 224 << 23;
        u.word = x < 1 << 23 ? small.word : u.word;
        u.word |= x > infinity ? 1 << 22 : 0; /* a NaN becomes a quiet one, as the machine's does */
    }
    u.word |= (int)((unsigned)(a & 0x8000) << 16);
    return u.value;
}
#if defined WIDE && defined __F16C__
CONVERSION void unpack_f16_f32(f32_m *r, const f16_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x;
        if (10 == 10) {
            __asm__("vcvtph2ps %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        } else {
            ints y;
            __asm__("vpmovzxwd %1, %0" : "=" WIDE(y) : "m"(*(const half *)(a + j)));
            x = (floats)(y << 16);
        }
        *(floats *)(r + j) = x;
    }
}
#else
CONVERSION void unpack_f16_f32(f32_m *r, const f16_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = decode_f16_f32(a[j]);
}
#endif
static inline f32 decode_bf16_f32(bf16 a)
{
    union {
        int word;
        f32 value;
    } u, small;
    const int x = (a & 0x7fff) << (23 - 7);
    u.word = x;
    if (7 == 10) {
        const int infinity = 31 << 23;
        small.value = (f32)(int)(a & 0x7fff) * (f32)5.9604644775390625e-8; /* 2 ** -24 */
        u.word += x < infinity ? 112 << 23 : 224 << 23;
        u.word = x < 1 << 23 ? small.word : u.word;
        u.word |= x > infinity ? 1 << 22 : 0; /* a NaN becomes a quiet one, as the machine's does */
    }
    u.word |= (int)((unsigned)(a & 0x8000) << 16);
    return u.value;
}
#if defined WIDE && defined __F16C__
CONVERSION void unpack_bf16_f32(f32_m *r, const bf16_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x;
        if (7 == 10) {
            __asm__("vcvtph2ps %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        } else {
            ints y;
            __asm__("vpmovzxwd %1, %0" : "=" WIDE(y) : "m"(*(const half *)(a + j)));
            x = (floats)(y << 16);
        }
        *(floats *)(r + j) = x;
    }
}
#else
CONVERSION void unpack_bf16_f32(f32_m *r, const bf16_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = decode_bf16_f32(a[j]);
}
#endif
static inline f32 fneg_f32(f32 a)
{
    /* By bits: gcc 12 takes -fma(a, b, c) for fma(-a, b, -c), another zero where they cancel. */
    union {
        f32 value;
        unsigned word;
        unsigned long long wide;
    } u = {a};
    if (sizeof(f32) == sizeof(unsigned))
        u.word ^= 1u << 31;
    else
        u.wide ^= 1ull << 63;
    return u.value;
}
static inline f32 to_bfloat16_f32_f32(f32 a)
{
    union {
        f32 value;
        int word;
    } u = {a};
    const int rounded = (int)((unsigned)u.word + 0x7fff + (u.word >> 16 & 1));
    u.word = (a != a ? u.word | 1 << 22 : rounded) & ~0xffff;
    return (f32)u.value;
}
static inline f32 to_float16_f32_f32(f32 a)
{
    /* A number whose unit is that of x in float16, and its unit: x in these is rounded by the sum. */
    union {
        f32 value;
        int word;
    } u = {a}, whole, unit, sum;
    const int sign = u.word & (-0x7fffffff - 1), x = u.word & 0x7fffffff, nan = 0x7f800000;
    const int least = x < 113 << 23 ? 113 << 23 : x, most = least > 143 << 23 ? 143 << 23 : least;
    whole.word = (most & nan) + (13 << 23);
    unit.word = whole.word - (23 << 23);
    u.word = x;
    sum.value = u.value + whole.value;
    u.value = (f32)(sum.word - whole.word) * unit.value;
    u.word = x >= 0x477ff000 ? nan : u.word; /* 65520 and more */
    u.word = x > nan ? (x & ~0x1fff) | 1 << 22 : u.word;
    u.word |= sign;
    return (f32)u.value;
}
#if defined WIDE && defined __F16C__
CONVERSION void nearest_f32_f32(f32_m *r, const f32_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x = *(const floats *)(a + j);
        half y;
        __asm__("vcvtps2ph $0, %1, %0" : "=" WIDE(y) : WIDE(x));
        __asm__("vcvtph2ps %1, %0" : "=" WIDE(x) : WIDE(y));
        *(floats *)(r + j) = x;
    }
}
#else
CONVERSION void nearest_f32_f32(f32_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = to_float16_f32_f32(a[j]);
}
#endif
static inline bf16 encode_f32_bf16(f32 a)
{
    union {
        f32 value;
        int word;
    } u = {a}, small;
    const int drop = 23 - 7, infinity = 0x7fff >> 7 << 7, nan = 0x7f800000;
    const int sign = u.word >> 16 & 0x8000, x = u.word & 0x7fffffff;
    const int rebias = 7 == 10 ? 112 << 23 : 0;
    const unsigned below_half = (1u << (drop - 1)) - 1;
    int r = (int)((unsigned)(x - rebias) + below_half + (unsigned)(x >> drop & 1)) >> drop;
    if (7 == 10) { /* where its numbers are subnormal: a unit of 0.5 + x is one of theirs */
        small.word = x;
        small.value += (f32)0.5;
        r = x < 113 << 23 ? small.word - (126 << 23) : r;
    }
    r = r > infinity ? infinity : r;
    r = x > nan ? infinity | 1 << (7 - 1) | (x >> drop & ((1 << 7) - 1)) : r;
    return (bf16)(r | sign);
}
#if defined WIDE && defined __F16C__
/* The nearest that a bfloat16 holds, in the lower half of each element. */
static inline ints rounded_f32_bf16(const f32_m *a)
{
    const floats x = *(const floats *)a;
    const words y = (words)x, nan = (words)(x != x);
    return (ints)(((nan & (y | 1 << 22)) | (~nan & (y + 0x7fff + (y >> 16 & 1)))) >> 16);
}
CONVERSION void pack_f32_bf16(bf16_m *r, const f32_m *a)
{
    const ints order = WORDS_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 2 * LANES) {
        if (7 == 10) {
            const floats x = *(const floats *)(a + j), y = *(const floats *)(a + j + LANES);
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j)) : WIDE(x));
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j + LANES)) : WIDE(y));
        } else {
            ints x = rounded_f32_bf16(a + j), y = rounded_f32_bf16(a + j + LANES);
            __asm__("vpackusdw %1, %0, %0" : "+" WIDE(x) : WIDE(y));
            __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(order));
            *(bytes *)(r + j) = (bytes)x;
        }
    }
}
#else
CONVERSION void pack_f32_bf16(bf16_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = encode_f32_bf16(a[j]);
}
#endif
static inline f32 fmin_f32(f32 a, f32 b)
{
    f32 t = b < a ? b : a;
    return b != b ? b : t;
}
static inline f16 encode_f32_f16(f32 a)
{
    union {
        f32 value;
        int word;
    } u = {a}, small;
    const int drop = 23 - 10, infinity = 0x7fff >> 10 << 10, nan = 0x7f800000;
    const int sign = u.word >> 16 & 0x8000, x = u.word & 0x7fffffff;
    const int rebias = 10 == 10 ? 112 << 23 : 0;
    const unsigned below_half = (1u << (drop - 1)) - 1;
    int r = (int)((unsigned)(x - rebias) + below_half + (unsigned)(x >> drop & 1)) >> drop;
    if (10 == 10) { /* where its numbers are subnormal: a unit of 0.5 + x is one of theirs */
        small.word = x;
        small.value += (f32)0.5;
        r = x < 113 << 23 ? small.word - (126 << 23) : r;
    }
    r = r > infinity ? infinity : r;
    r = x > nan ? infinity | 1 << (10 - 1) | (x >> drop & ((1 << 10) - 1)) : r;
    return (f16)(r | sign);
}
#if defined WIDE && defined __F16C__
/* The nearest that a bfloat16 holds, in the lower half of each element. */
static inline ints rounded_f32_f16(const f32_m *a)
{
    const floats x = *(const floats *)a;
    const words y = (words)x, nan = (words)(x != x);
    return (ints)(((nan & (y | 1 << 22)) | (~nan & (y + 0x7fff + (y >> 16 & 1)))) >> 16);
}
CONVERSION void pack_f32_f16(f16_m *r, const f32_m *a)
{
    const ints order = WORDS_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 2 * LANES) {
        if (10 == 10) {
            const floats x = *(const floats *)(a + j), y = *(const floats *)(a + j + LANES);
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j)) : WIDE(x));
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j + LANES)) : WIDE(y));
        } else {
            ints x = rounded_f32_f16(a + j), y = rounded_f32_f16(a + j + LANES);
            __asm__("vpackusdw %1, %0, %0" : "+" WIDE(x) : WIDE(y));
            __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(order));
            *(bytes *)(r + j) = (bytes)x;
        }
    }
}
#else
CONVERSION void pack_f32_f16(f16_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = encode_f32_f16(a[j]);
}
#endif
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 0.100097656 */
    ALIGNED f16_m w_0[BLOCK];
    ALIGNED b1_m w_1[BLOCK];
    ALIGNED bf16_m w_2[BLOCK];
    ALIGNED f16_m w_3[BLOCK];
    ALIGNED bf16_m w_4[BLOCK];
    ALIGNED u64 slots[7][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_11 = (f32_m *)slots[1];
    f32_m *const v_2 = (f32_m *)slots[2];
    f32_m *const v_3 = (f32_m *)slots[3];
    f32_m *const v_7 = (f32_m *)slots[4];
    f32_m *const v_15 = (f32_m *)slots[5];
    bf16_m *const v_16 = (bf16_m *)slots[6];
    f32_m *const v_8 = (f32_m *)slots[5];
    f16_m *const v_9 = (f16_m *)slots[2];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            head = first_block(args, p[3] + column0 * sizeof(f16_m), sizeof(f16_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f16_m *x_0 = (const f16_m *)p[0] + i; /* x */
                if (m < BLOCK)
                    x_0 = pad_f16(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                const b1_m *x_1 = (const b1_m *)p[1] + i; /* c */
                if (m < BLOCK)
                    x_1 = pad_b1(w_1, x_1, m);
                fetch(x_1, args->ahead, sizeof *x_1);
                const bf16_m *x_2 = (const bf16_m *)p[2] + i; /* y */
                if (m < BLOCK)
                    x_2 = pad_bf16(w_2, x_2, m);
                fetch(x_2, args->ahead, sizeof *x_2);
                f16_m *const o_3 = (f16_m *)p[3] + i; /* out0 */
                const int n_3 = m == BLOCK && streams(args, o_3);
                f16_m *const y_3 = m < BLOCK || n_3 ? w_3 : o_3;
                bf16_m *const o_4 = (bf16_m *)p[4] + i; /* out1 */
                const int n_4 = m == BLOCK && streams(args, o_4);
                bf16_m *const y_4 = m < BLOCK || n_4 ? w_4 : o_4;
                unpack_f16_f32(v_1, x_0);
                unpack_bf16_f32(v_11, x_2);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_1 = v_1[j];
                    const f32 t_2 = t_1 * t_1;
                    v_2[j] = t_2;
                    const f32 t_6 = fneg_f32(t_1);
                    const b1 a_1 = (x_1[j] != 0);
                    const f32 t_7 = a_1 ? t_1 : t_6;
                    v_7[j] = t_7;
                    const f32 t_11 = v_11[j];
                    const f32 t_12 = t_11 + t_11;
                    const f32 t_13 = to_bfloat16_f32_f32(t_12);
                    const f32 t_15 = t_13 * c_0;
                    v_15[j] = t_15;
                }
                nearest_f32_f32(v_3, v_2);
                pack_f32_bf16(v_16, v_15);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_3 = v_3[j];
                    const f32 t_1 = v_1[j];
                    const f32 t_4 = fmin_f32(t_3, t_1);
                    const f32 t_7 = v_7[j];
                    const f32 t_8 = t_4 + t_7;
                    v_8[j] = t_8;
                }
                pack_f32_f16(v_9, v_8);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f16 t_9 = v_9[j];
                    const bf16 t_16 = v_16[j];
                    y_3[j] = t_9;
                    y_4[j] = t_16;
                }
                if (m < BLOCK)
                    put_f16(o_3, w_3, m);
                else if (n_3)
                    stream(o_3, w_3, BLOCK * sizeof *w_3);
                if (m < BLOCK)
                    put_bf16(o_4, w_4, m);
                else if (n_4)
                    stream(o_4, w_4, BLOCK * sizeof *w_4);
@ headline.c, 15 lines: } ... }
