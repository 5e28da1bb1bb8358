/* float32 table 0 */
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR
#elif defined __GNUC__ && !defined __TINYC__
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR __attribute__((simd("notinbranch"), const))
#else
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define VECTOR
#endif
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
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, MAX_PERIOD = 512, ACCESSES = 3 };
/* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part
 * of every kernel's text: header-free. All strides are in bytes. Accesses are numbered loads first,
 * then stores. */
struct weft_sample {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    long long rows, columns;       /* the iteration space: outer groups together, inner group */
    long long tile_rows, tile_columns; /* extent of a tile */
    long long row_tiles;           /* tiles beside each other: columns / tile_columns, rounded up */
    long long period;              /* flat classes: the extent of the innermost group, else 0 */
    long long groups;              /* outer groups */
    const long long *extents;      /* [groups] */
    char *const *bases;            /* [accesses] first element */
    const long long *strides;      /* [accesses][groups + 2]: outer groups, then along the inner one;
                                      last, in flat classes, from one period to the next */
};

struct weft_args {
    const struct weft_sample *samples;
    long long sample_count;
    const unsigned long long *literals; /* one slot each, the value in its first bytes */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
    char *scratch;                 /* a kernel's own, for one thread; NULL where it wants none */
};
f32 powf(f32, f32);
SEPARATE static const u8_m *pad_u8(u8_m *block, const u8_m *from, int m)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j < m ? j : m - 1];
    return block;
}
SEPARATE static void fill_f32(f32_m *block, f32_m value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
SEPARATE static void put_f32(f32_m *to, const f32_m *block, int m)
{
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static void block_pow_f32(f32_m *r, const f32_m *a, const f32_m *b)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = powf(a[j], b[j]);
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    const f32 c0 = *(const f32_m *)&args->literals[0]; /* 255.0 */
    u8_m w0[BLOCK];
    f32_m x1[BLOCK];
    f32_m w2[BLOCK];
    u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v3 = (f32_m *)slots[0];
    f32_m *const v5 = (f32_m *)slots[1];
    const struct weft_sample *s = args->samples;
    for (i64 lo = 0, hi = args->sample_count; hi - lo > 1;) { /* the sample of the first tile */
        const i64 middle = (lo + hi) / 2;
        if (args->samples[middle].first_tile <= begin)
            lo = middle, s = args->samples + lo;
        else
            hi = middle;
    }
    for (i64 tile = begin; tile < end; tile++) {
        while (s + 1 < args->samples + args->sample_count && s[1].first_tile <= tile)
            s++;
        const i64 local = tile - s->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = local / s->row_tiles * s->tile_rows;
        const i64 column0 = local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[32], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = s->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            const f32 a1 = *(const f32_m *)p[1]; /* gamma */
            fill_f32(x1, a1);
            for (i64 i = column0; i < column1; i += BLOCK) {
                const int m = column1 - i < BLOCK ? (int)(column1 - i) : BLOCK;
                const u8_m *x0 = (const u8_m *)p[0] + i; /* 0 to 255 */
                if (m < BLOCK)
                    x0 = pad_u8(w0, x0, m);
                f32_m *const y2 = m < BLOCK ? w2 : (f32_m *)p[2] + i; /* table 0 */
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const u8 a0 = x0[j];
                    const f32 t1 = (f32)a0;
                    const f32 t3 = t1 / c0;
                    v3[j] = t3;
                }
                block_pow_f32(v5, v3, x1);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t5 = v5[j];
                    const f32 t6 = c0 * t5;
                    y2[j] = t6;
                }
                if (m < BLOCK)
                    put_f32((f32_m *)p[2] + i, w2, m);
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
}
/* uint8 out */
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR
#elif defined __GNUC__ && !defined __TINYC__
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define VECTOR __attribute__((simd("notinbranch"), const))
#else
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define VECTOR
#endif
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
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, MAX_PERIOD = 512, ACCESSES = 4 };
/* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part
 * of every kernel's text: header-free. All strides are in bytes. Accesses are numbered loads first,
 * then stores. */
struct weft_sample {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    long long rows, columns;       /* the iteration space: outer groups together, inner group */
    long long tile_rows, tile_columns; /* extent of a tile */
    long long row_tiles;           /* tiles beside each other: columns / tile_columns, rounded up */
    long long period;              /* flat classes: the extent of the innermost group, else 0 */
    long long groups;              /* outer groups */
    const long long *extents;      /* [groups] */
    char *const *bases;            /* [accesses] first element */
    const long long *strides;      /* [accesses][groups + 2]: outer groups, then along the inner one;
                                      last, in flat classes, from one period to the next */
};

struct weft_args {
    const struct weft_sample *samples;
    long long sample_count;
    const unsigned long long *literals; /* one slot each, the value in its first bytes */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
    char *scratch;                 /* a kernel's own, for one thread; NULL where it wants none */
};
f32 rintf(f32);
SEPARATE static const u8_m *pad_u8(u8_m *block, const u8_m *from, int m)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j < m ? j : m - 1];
    return block;
}
SEPARATE static void repeat_f32(f32_m *pattern, const char *from, i64 step, i64 period)
{
    for (i64 j = 0; j < period; j++)
        pattern[j] = *(const f32_m *)(from + j * step);
    for (i64 j = period; j < period + BLOCK; j++)
        pattern[j] = pattern[j - period];
}
SEPARATE static void put_u8(u8_m *to, const u8_m *block, int m)
{
    for (int j = 0; j < m; j++)
        to[j] = block[j];
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
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    u8_m w0[BLOCK];
    f32_m w2[BLOCK + MAX_PERIOD];
    u8_m w3[BLOCK];
    u64 slots[1][BLOCK]; /* values kept between loops */
    f32_m *const v1 = (f32_m *)slots[0];
    const struct weft_sample *s = args->samples;
    for (i64 lo = 0, hi = args->sample_count; hi - lo > 1;) { /* the sample of the first tile */
        const i64 middle = (lo + hi) / 2;
        if (args->samples[middle].first_tile <= begin)
            lo = middle, s = args->samples + lo;
        else
            hi = middle;
    }
    for (i64 tile = begin; tile < end; tile++) {
        while (s + 1 < args->samples + args->sample_count && s[1].first_tile <= tile)
            s++;
        const i64 local = tile - s->first_tile, groups = s->groups, stride = groups + 2;
        const i64 row0 = local / s->row_tiles * s->tile_rows;
        const i64 column0 = local % s->row_tiles * s->tile_columns;
        const i64 row1 = row0 + s->tile_rows < s->rows ? row0 + s->tile_rows : s->rows;
        const i64 column1 = column0 + s->tile_columns < s->columns ? column0 + s->tile_columns : s->columns;
        char *p[ACCESSES];
        i64 at[32], rest = row0;
        for (int k = 0; k < ACCESSES; k++)
            p[k] = s->bases[k];
        for (i64 g = groups; g-- > 0; rest /= s->extents[g]) {
            at[g] = rest % s->extents[g];
            for (int k = 0; k < ACCESSES; k++)
                p[k] += at[g] * s->strides[k * stride + g];
        }
        for (i64 row = row0; row < row1; row++) {
            repeat_f32(w2, p[2], s->strides[2 * stride + groups], s->period); /* gain */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            for (i64 i = column0; i < column1; i += BLOCK) {
                const int m = column1 - i < BLOCK ? (int)(column1 - i) : BLOCK;
                const u8_m *x0 = (const u8_m *)p[0] + i; /* img */
                if (m < BLOCK)
                    x0 = pad_u8(w0, x0, m);
                const f32_m *const x2 = w2 + phase;
                u8_m *const y3 = m < BLOCK ? w3 : (u8_m *)p[3] + i; /* out */
                lookup_f32(v1, (const f32_m *)s->bases[1] /* table 0 */, x0);
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t1 = v1[j];
                    const f32 a2 = x2[j];
                    const f32 t3 = t1 * a2;
                    const u8 t4 = roundsat_f32_u8(t3);
                    y3[j] = t4;
                }
                if (m < BLOCK)
                    put_u8((u8_m *)p[3] + i, w3, m);
                phase += advance;
                if (phase >= s->period)
                    phase -= s->period;
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
}
