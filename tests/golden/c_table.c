/* float32 table 0 */
/* prelude_c.h, move head */
typedef _Bool b1;
typedef unsigned char b1_m MAY_ALIAS;
typedef signed char i8;
typedef signed char i8_m MAY_ALIAS;
typedef short i16;
typedef short i16_m MAY_ALIAS;
typedef int i32;
typedef int i32_m MAY_ALIAS;
typedef long long i64;
typedef long long i64_m MAY_ALIAS;
typedef unsigned char u8;
typedef unsigned char u8_m MAY_ALIAS;
typedef unsigned short u16;
typedef unsigned short u16_m MAY_ALIAS;
typedef unsigned int u32;
typedef unsigned int u32_m MAY_ALIAS;
typedef unsigned long long u64;
typedef unsigned long long u64_m MAY_ALIAS;
typedef int f16;
typedef unsigned short f16_m MAY_ALIAS;
typedef int bf16;
typedef unsigned short bf16_m MAY_ALIAS;
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 3 };
/* args.h */
f32 powf(f32, f32);
/* prelude_c.h, vector head */
SEPARATE static void put_u8(u8_m *to, const u8_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const u8_m *pad_u8(u8_m *block, const u8_m *from, int m)
{
    const u8_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_u8(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
SEPARATE static void fill_f32(f32_m *block, f32_m value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
SEPARATE static void put_f32(f32_m *to, const f32_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
#ifdef WIDE
CONVERSION void widen_u8_f32(f32_m *r, const u8_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        ints x;
        floats y;
        if (sizeof(u8) == 1)
            __asm__(FOR(EXTEND, u8) " %1, %0" : "=" WIDE(x) : "m"(*(const quarter *)(a + j)));
        else
            __asm__(FOR(EXTEND, u8) " %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        __asm__("vcvtdq2ps %1, %0" : "=" WIDE(y) : WIDE(x));
        *(floats *)(r + j) = y;
    }
}
#else
CONVERSION void widen_u8_f32(f32_m *r, const u8_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = (f32)a[j];
}
#endif
SEPARATE static void block_pow_f32(f32_m *r, const f32_m *a, const f32_m *b)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = powf(a[j], b[j]);
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 255.0 */
    u8_m w_0[BLOCK];
    f32_m x_1[BLOCK];
    f32_m w_2[BLOCK];
    u64 slots[3][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_3 = (f32_m *)slots[1];
    f32_m *const v_5 = (f32_m *)slots[2];
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        if (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = (s->row_tiles == 1 ? local : local / s->row_tiles) * s->tile_rows;
        const i64 column0 = s->row_tiles == 1 ? 0 : local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[64], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = sample->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            const f32 a_1 = *(const f32_m *)p[1]; /* gamma */
            fill_f32(x_1, a_1);
            head = first_block(args, p[2] + column0 * sizeof(f32_m), sizeof(f32_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const u8_m *x_0 = (const u8_m *)p[0] + i; /* 0 to 255 */
                if (m < BLOCK)
                    x_0 = pad_u8(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                f32_m *const o_2 = (f32_m *)p[2] + i; /* table 0 */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f32_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                widen_u8_f32(v_1, x_0);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_1 = v_1[j];
                    const f32 t_3 = t_1 / c_0;
                    v_3[j] = t_3;
                }
                block_pow_f32(v_5, v_3, x_1);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_5 = v_5[j];
                    const f32 t_6 = c_0 * t_5;
                    y_2[j] = t_6;
                }
                if (m < BLOCK)
                    put_f32(o_2, w_2, m);
                else if (n_2)
                    stream(o_2, w_2, BLOCK * sizeof *w_2);
            }
            for (i64 g = groups; g-- > 0;) { /* the next row */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += s->strides[k * stride + g];
                if (++at[g] < s->extents[g])
                    break;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] -= s->extents[g] * s->strides[k * stride + g];
                at[g] = 0;
            }
        }
    }
    if (args->stream)
        fence();
}
/* uint8 out */
/* prelude_c.h, move head */
typedef _Bool b1;
typedef unsigned char b1_m MAY_ALIAS;
typedef signed char i8;
typedef signed char i8_m MAY_ALIAS;
typedef short i16;
typedef short i16_m MAY_ALIAS;
typedef int i32;
typedef int i32_m MAY_ALIAS;
typedef long long i64;
typedef long long i64_m MAY_ALIAS;
typedef unsigned char u8;
typedef unsigned char u8_m MAY_ALIAS;
typedef unsigned short u16;
typedef unsigned short u16_m MAY_ALIAS;
typedef unsigned int u32;
typedef unsigned int u32_m MAY_ALIAS;
typedef unsigned long long u64;
typedef unsigned long long u64_m MAY_ALIAS;
typedef int f16;
typedef unsigned short f16_m MAY_ALIAS;
typedef int bf16;
typedef unsigned short bf16_m MAY_ALIAS;
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 4 };
/* args.h */
f32 rintf(f32);
/* prelude_c.h, vector head */
SEPARATE static void put_u8(u8_m *to, const u8_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const u8_m *pad_u8(u8_m *block, const u8_m *from, int m)
{
    const u8_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_u8(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
SEPARATE static void repeat_f32(f32_m *pattern, const char *from, i64 step, i64 period)
{
    for (i64 j = 0; j < period; j++)
        pattern[j] = *(const f32_m *)(from + j * step);
    for (i64 j = period; j < period + BLOCK; j++)
        pattern[j] = pattern[j - period];
}
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
__attribute__((optimize("no-tree-vectorize"))) /* gcc gathers slower than it loads */
#endif
SEPARATE static void lookup_f32(f32_m *block, const f32_m *table, const u8_m *entry)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = table[entry[j]];
}
static inline u8 roundsat_f32_u8(f32 a)
{
    /* "+ 0" makes -0 a 0: gcc 12 with -fno-trapping-math takes (float)(int)x for trunc(x), whose sign
     * a -0 would keep. */
    const u8 top = (u8)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    const u8 bottom = (u8)-1 < (u8)1 ? (u8)(-top - 1) : (u8)0;
    if (sizeof(u8) < sizeof(f32)) { /* every u8 is an f32: clamp, then convert */
        /* NaN becomes the bottom, which is 0 if unsigned. The rounding stands between the two
         * selections: side by side gcc 12 makes masks of them instead of a maximum and a minimum. */
        f32 r = rintf(a > (f32)bottom ? a : (f32)bottom);
        r = r < (f32)top ? r : (f32)top;
        if ((u8)-1 < (u8)1)
            r = a == a ? r + (f32)0 : (f32)0;
        return sizeof(u8) < sizeof(int) ? (u8)(int)r : (u8)r;
    }
    const f32 above = (f32)top; /* rounds up to the first value above u8 */
    f32 r = rintf(a) + (f32)0;
    u8 t = (u8)(r >= (f32)bottom && r < above ? r : (f32)0);
    return r >= above ? top : r < (f32)bottom ? bottom : t;
}
#ifdef WIDE
/* Halves to even; above u8 becomes its largest, NaN 0; below stays below, for the packing to saturate. */
static inline ints whole_f32_u8(const f32_m *a)
{
    const f32 largest = (f32)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    const floats top = (floats){0} + largest;
    floats x = *(const floats *)a;
    ints r;
    if ((u8)-1 < (u8)1)
        x = (floats)((ints)x & (ints)(x == x));
    __asm__("vminps %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
    __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
    return r;
}
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    const ints words_ = WORDS_IN_ORDER, bytes_ = BYTES_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 4 * LANES / sizeof(u8)) {
        ints x = whole_f32_u8(a + j), y = whole_f32_u8(a + j + LANES);
        __asm__(FOR(WORDS, u8) " %1, %0, %0" : "+" WIDE(x) : WIDE(y));
        if (sizeof(u8) == 1) {
            ints z = whole_f32_u8(a + j + 2 * LANES), w = whole_f32_u8(a + j + 3 * LANES);
            __asm__(FOR(WORDS, u8) " %1, %0, %0" : "+" WIDE(z) : WIDE(w));
            __asm__(FOR(BYTES, u8) " %1, %0, %0" : "+" WIDE(x) : WIDE(z));
        }
        __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(sizeof(u8) == 1 ? bytes_ : words_));
        *(bytes *)(r + j) = (bytes)x; /* an output may have any alignment */
    }
}
#else
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = roundsat_f32_u8(a[j]);
}
#endif
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    u8_m w_0[BLOCK];
    f32_m w_2[BLOCK + 512];
    u8_m w_3[BLOCK];
    u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_3 = (f32_m *)slots[1];
    const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1;
    for (i64 count = args->sample_count; count > 1;) { /* the sample of the first tile */
        const i64 half = count / 2;
        if (sample[half].first_tile <= begin)
            sample += half, count -= half;
        else
            count = half;
    }
    for (i64 tile = begin; tile < end; tile++) {
        if (sample < last && sample[1].first_tile <= tile)
            sample++;
        const struct weft_geometry *const s = sample->geometry;
        const i64 local = tile - sample->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = (s->row_tiles == 1 ? local : local / s->row_tiles) * s->tile_rows;
        const i64 column0 = s->row_tiles == 1 ? 0 : local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[64], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = sample->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            repeat_f32(w_2, p[2], s->strides[2 * stride + groups], s->period); /* gain */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            head = first_block(args, p[3] + column0 * sizeof(u8_m), sizeof(u8_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const u8_m *x_0 = (const u8_m *)p[0] + i; /* img */
                if (m < BLOCK)
                    x_0 = pad_u8(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                const f32_m *const x_2 = w_2 + phase;
                u8_m *const o_3 = (u8_m *)p[3] + i; /* out */
                const int n_3 = m == BLOCK && streams(args, o_3);
                u8_m *const y_3 = m < BLOCK || n_3 ? w_3 : o_3;
                lookup_f32(v_1, (const f32_m *)sample->bases[1] /* table 0 */, x_0);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_1 = v_1[j];
                    const f32 a_2 = x_2[j];
                    const f32 t_3 = t_1 * a_2;
                    v_3[j] = t_3;
                }
                narrow_f32_u8(y_3, v_3);
                phase += m == BLOCK ? advance : m % s->period;
                if (phase >= s->period)
                    phase -= s->period;
                if (m < BLOCK)
                    put_u8(o_3, w_3, m);
                else if (n_3)
                    stream(o_3, w_3, BLOCK * sizeof *w_3);
            }
            for (i64 g = groups; g-- > 0;) { /* the next row */
                for (int k = 0; k < ACCESSES; k++)
                    p[k] += s->strides[k * stride + g];
                if (++at[g] < s->extents[g])
                    break;
                for (int k = 0; k < ACCESSES; k++)
                    p[k] -= s->extents[g] * s->strides[k * stride + g];
                at[g] = 0;
            }
        }
    }
    if (args->stream)
        fence();
}
