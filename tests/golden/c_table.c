/* float32 table 0 */
#if defined __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static SEPARATE
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR
#elif defined __GNUC__ && !defined __TINYC__
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static /* gcc makes it a part of what calls it, where that is one place */
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR __attribute__((simd("notinbranch"), const))
#else
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define LOCAL static
#define ALIGNED
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
typedef int f16;
typedef unsigned short f16_m MAY_ALIAS;
typedef int bf16;
typedef unsigned short bf16_m MAY_ALIAS;
typedef float f32;
typedef float f32_m MAY_ALIAS;
typedef double f64;
typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 3 };
/* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part
 * of every kernel's text: header-free. All strides are in bytes. Accesses are numbered loads first,
 * then stores. */
struct weft_lanes {                /* a space [points, elements, inner], of which `elements` are reduced */
    long long points, elements, inner;
    long long rows;                /* of the geometry, for each point */
    long long lanes, block, width, windows, chunk, chunks, together, step, kept; /* as in struct lane_tiles */
};

struct weft_geometry {             /* shared by samples that have the same shapes and strides */
    long long rows, columns;       /* the iteration space: outer groups together, inner group */
    long long tile_rows, tile_columns; /* extent of a tile */
    long long row_tiles;           /* tiles beside each other: columns / tile_columns, rounded up */
    long long period;              /* flat classes: the extent of the innermost group, else 0 */
    long long groups;              /* outer groups */
    const long long *extents;      /* [groups] */
    const long long *strides;      /* [accesses][groups + 2]: outer groups, then along the inner one;
                                      last, in flat classes, from one period to the next */
    int *const *offsets;           /* [accesses] expanded accesses: bytes from a row's start, [columns]; woven ones:
                                      from a group's, [period] */
    const long long *distinct;     /* [accesses] theirs: columns after which the elements repeat */
    long long *const *maps;        /* [accesses] mapped accesses: how many levels, and for each how many
                                      pieces, innermost first, the place of the first element, the pieces'
                                      extents, and then their strides. Bounded accesses: the same, with what is
                                      read outside behind the place, and behind the strides for each piece its
                                      first digit that lies inside, and then the first one that no longer does */
    const struct weft_lanes *lanes; /* NULL: no dimension is reduced */
};

struct weft_sample {
    long long first_tile;          /* tiles of all samples stand in one line; this sample's first */
    const struct weft_geometry *geometry;
    char *const *bases;            /* [accesses] first element */
};

struct weft_args {
    const struct weft_sample *samples; /* none without tiles */
    long long sample_count;
    const unsigned long long *literals; /* one slot each, the value in its first bytes */
    unsigned char *faults;         /* one byte each, set to 1 where a division by zero counted */
    long long ahead;               /* inputs are fetched so many bytes before their use; 0: small work */
    long long stream;              /* not 0: outputs are written past the caches */
    long long claim;               /* not 0: what is written plainly, a tile at a time, is fetched before */
    char *scratch;                 /* a kernel's own, for one thread; NULL where it wants none */
};
f32 powf(f32, f32);
#if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__
enum { LANES = 16 };
#define WIDE "v"
#define BYTES_IN_ORDER {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
#define WORDS_IN_ORDER {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
#elif defined __GNUC__ && !defined __TINYC__ && defined __AVX2__
enum { LANES = 8 };
#define WIDE "x"
#define BYTES_IN_ORDER {0, 4, 1, 5, 2, 6, 3, 7}
#define WORDS_IN_ORDER {0, 1, 4, 5, 2, 3, 6, 7}
#endif
#ifdef WIDE
typedef i32 ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u32 words __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f32 floats __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u8 bytes __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
typedef u8 quarter __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef u8 half __attribute__((vector_size(2 * LANES), aligned(1), may_alias));
#define EXTEND_u8 "vpmovzxbd"
#define EXTEND_i8 "vpmovsxbd"
#define EXTEND_u16 "vpmovzxwd"
#define EXTEND_i16 "vpmovsxwd"
#define WORDS_u8 "vpackusdw"
#define WORDS_i8 "vpackssdw"
#define WORDS_u16 "vpackusdw"
#define WORDS_i16 "vpackssdw"
#define BYTES_u8 "vpackuswb"
#define BYTES_i8 "vpacksswb"
#define BYTES_u16 ""
#define BYTES_i16 ""
#define FOR(what, type) what##_##type
static inline int streams(const struct weft_args *args, const void *to)
{
    return args->stream && (u64)to % sizeof(bytes) == 0;
}
static inline void stream(void *to, const void *from, int size)
{
    for (int k = 0; k < size; k += sizeof(bytes)) {
        const bytes x = *(const bytes *)((const char *)from + k);
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)((char *)to + k)) : WIDE(x));
    }
}
static inline void fence(void)
{
    __asm__ volatile("sfence" ::: "memory");
}
#else
static inline int streams(const struct weft_args *args, const void *to)
{
    return 0;
}
static inline void stream(void *to, const void *from, int size)
{
}
static inline void fence(void)
{
}
#endif
#ifdef __clang__ /* inline, clang 14 peels the loop behind by an element, and reads across stores */
#define CONVERSION SEPARATE static
#else
#define CONVERSION static inline
#endif
/* Brings what a later block reads near, if the work is large. */
static inline void fetch(const void *from, i64 ahead, int size)
{
#if defined __GNUC__ && !defined __TINYC__
    if (!ahead)
        return;
    for (int k = 0; k < BLOCK * size; k += 64)
        __builtin_prefetch((const char *)from + ahead + k);
#endif
}
/* The same for a load along a row that begins at `p`, of groups of `period` columns that lie `jump` bytes apart:
 * `count` from `i` on, of a tile that has those from `begin` to `end`. Where it descends a processor stops at a page;
 * what the next tile or row reads is then fetched, upwards. Not inline, gcc takes calls for ones without an effect. */
#if defined __GNUC__ && !defined __TINYC__
__attribute__((always_inline))
#endif
static inline void fetch_row(const struct weft_args *args, const struct weft_geometry *s, const char *p,
                             const i64 *strides, i64 period, i64 begin, i64 end, i64 i, i64 count)
{
#if defined __GNUC__ && !defined __TINYC__
    const i64 jump = strides[s->groups + (period > 1)], most = 64 * period;
    if (!args->ahead || jump > most || jump < -most || (end - begin) * -jump > 16384)
        return;
    if (jump >= 0)
        p += i * jump + args->ahead;
    else if (s->row_tiles == 1 && s->groups)
        p += strides[s->groups - 1] + (end - i + begin) * jump;
    else
        p += (2 * end - i) * jump;
    for (i64 k = 0, bytes = count * (jump < 0 ? -jump : jump); k < bytes; k += 64)
        __builtin_prefetch(p + k);
#endif
}
/* Elements in front of the first block that starts on a cache line. */
static inline i64 first_block(const struct weft_args *args, const char *to, int size)
{
    return args->stream ? (i64)(-(u64)to % 64 / size) % BLOCK : 0;
}
/* Where large work is written past the caches, brings what is not at the end of a row of `count` elements: plain stores
 * to it hold up those behind them. Not inline, gcc takes calls for ones without an effect. */
static inline void fetch_end(const struct weft_args *args, const char *to, i64 count, int size)
{
#if defined __GNUC__ && !defined __TINYC__
    if (!args->stream || count < BLOCK)
        return;
    for (i64 rest = (count - first_block(args, to, size)) % BLOCK * size; rest > 0; rest -= 64)
        __builtin_prefetch(to + count * size - rest, 1);
#endif
}
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
    const f32 c_0 = *(const f32_m *)&args->literals[0]; /* 255.0 */
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m x_1[BLOCK];
    ALIGNED f32_m w_2[BLOCK];
    ALIGNED u64 slots[3][BLOCK]; /* values kept between loops */
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
            if (groups) /* of the next row */
                fetch_end(args, p[2] + s->strides[2 * stride + groups - 1] + column0 * sizeof(f32_m), column1 - column0, sizeof(f32_m));
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
@ headline.c, 49 lines: /* uint8 out */ ... typedef double f64_m MAY_ALIAS;
enum { BLOCK = 64, ACCESSES = 4 };
@ headline.c, 179 lines: /* What a kernel is called with; the runtime fills it, the kernel only reads (but for `faults`). Part ... }
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
__attribute__((optimize("no-tree-vectorize"))) /* gcc gathers slower than it loads */
#endif
SEPARATE static void lookup_f32(f32_m *block, const f32_m *table, const u8_m *entry)
{
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC unroll 16 /* a processor may guess the end of a loop of 64 steps wrongly each time */
#endif
    for (int j = 0; j < BLOCK; j++)
        block[j] = table[entry[j]];
}
@ headline.c, 59 lines: static inline u8 roundsat_f32_u8(f32 a) ... {
    ALIGNED u8_m w_0[BLOCK];
    ALIGNED f32_m w_2[BLOCK + 512];
    ALIGNED u8_m w_3[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_1 = (f32_m *)slots[0];
    f32_m *const v_3 = (f32_m *)slots[1];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            repeat_f32(w_2, p[2], s->strides[2 * stride + groups], s->period); /* gain */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            head = first_block(args, p[3] + column0 * sizeof(u8_m), sizeof(u8_m));
            if (groups) /* of the next row */
                fetch_end(args, p[3] + s->strides[3 * stride + groups - 1] + column0 * sizeof(u8_m), column1 - column0, sizeof(u8_m));
@ headline.c, 8 lines: for (i64 i = column0, m; i < column1; i += m) { ... fetch(x_0, args->ahead, sizeof *x_0);
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
@ headline.c, 15 lines: } ... }
