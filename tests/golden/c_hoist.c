/* float64 temporary 1 */
@ headline.c, 94 lines: #if defined __clang__ ... };
f64 exp(f64);
@ headline.c, 112 lines: #if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__ ... }
SEPARATE static void put_f64(f64_m *to, const f64_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f64_m *pad_f64(f64_m *block, const f64_m *from, int m)
{
    const f64_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f64(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
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
static inline f64 exp_rest_f64(f64 x, f64 n)
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
static inline f64 own_exp(f64 x)
{
    const f64 most = x > 800 ? 800 : x;
    union word_f64 n = {FMAD(most, 0x1.71547652b82fep+0, 0x1.8p52)}, power, rest = {x};
    rest.word = (rest.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where x < 0 */
    power.word = (n.word << 52) + ((2046ull << 52) - rest.word);
    const f64 value = FMAD(exp_rest_f64(most, n.value - 0x1.8p52), power.value, power.value) * rest.value;
    return x < -746 ? 0 : value;
}
#else
static inline f64 own_exp(f64 x)
{
    return exp(x);
}
#endif
SEPARATE static void block_exp_f64(f64_m *r, const f64_m *a)
{
#ifdef OWN_MATH
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
#else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = own_exp(a[j]);
#endif
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_0[BLOCK];
    ALIGNED f64_m w_2[BLOCK];
    ALIGNED u64 slots[1][BLOCK]; /* values kept between loops */
    f64_m *const v_2 = (f64_m *)slots[0];
@ headline.c, 28 lines: const struct weft_sample *sample = args->samples, *const last = sample + args->sample_count - 1; ... i64 head = 0; /* elements in front of the first whole block */
            const f64 a_1 = *(const f64_m *)p[1]; /* scale */
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            if (groups) /* of the next row */
                fetch_end(args, p[2] + s->strides[2 * stride + groups - 1] + column0 * sizeof(f64_m), column1 - column0, sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* row */
                if (m < BLOCK)
                    x_0 = pad_f64(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* temporary 1 */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_0 = x_0[j];
                    const f64 t_2 = a_0 * a_1;
                    v_2[j] = t_2;
                }
                block_exp_f64(y_2, v_2);
                if (m < BLOCK)
                    put_f64(o_2, w_2, m);
@ headline.c, 17 lines: else if (n_2) ... }
/* float64 temporary 0 */
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
f64 exp(f64);
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
SEPARATE static void put_f64(f64_m *to, const f64_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f64_m *pad_f64(f64_m *block, const f64_m *from, int m)
{
    const f64_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f64(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
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
static inline f64 exp_rest_f64(f64 x, f64 n)
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
static inline f64 own_exp(f64 x)
{
    const f64 most = x > 800 ? 800 : x;
    union word_f64 n = {FMAD(most, 0x1.71547652b82fep+0, 0x1.8p52)}, power, rest = {x};
    rest.word = (rest.word >> 1 & 1ull << 62) ^ 0x5ff0000000000000; /* 2^512, or 2^-512 where x < 0 */
    power.word = (n.word << 52) + ((2046ull << 52) - rest.word);
    const f64 value = FMAD(exp_rest_f64(most, n.value - 0x1.8p52), power.value, power.value) * rest.value;
    return x < -746 ? 0 : value;
}
#else
static inline f64 own_exp(f64 x)
{
    return exp(x);
}
#endif
SEPARATE static void block_exp_f64(f64_m *r, const f64_m *a)
{
#ifdef OWN_MATH
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
#else
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = own_exp(a[j]);
#endif
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_1[BLOCK];
    ALIGNED f64_m w_2[BLOCK];
    ALIGNED u64 slots[1][BLOCK]; /* values kept between loops */
    f64_m *const v_2 = (f64_m *)slots[0];
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
            const f64 a_0 = *(const f64_m *)p[0]; /* scale */
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            if (groups) /* of the next row */
                fetch_end(args, p[2] + s->strides[2 * stride + groups - 1] + column0 * sizeof(f64_m), column1 - column0, sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x_1 = (const f64_m *)p[1] + i; /* column */
                if (m < BLOCK)
                    x_1 = pad_f64(w_1, x_1, m);
                fetch(x_1, args->ahead, sizeof *x_1);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* temporary 0 */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_1 = x_1[j];
                    const f64 t_2 = a_1 * a_0;
                    v_2[j] = t_2;
                }
                block_exp_f64(y_2, v_2);
                if (m < BLOCK)
                    put_f64(o_2, w_2, m);
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
/* float64 out */
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
SEPARATE static void put_f64(f64_m *to, const f64_m *block, int m)
{
    INDEPENDENT
    for (int j = 0; j < m; j++)
        to[j] = block[j];
}
SEPARATE static const f64_m *pad_f64(f64_m *block, const f64_m *from, int m)
{
    const f64_m last = from[m - 1];
    for (int j = 0; j < BLOCK; j++)
        block[j] = last;
    put_f64(block, from, m); /* one more loop would take the C compiler 6 ms */
    return block;
}
void weft_kernel(const struct weft_args *args, i64 begin, i64 end)
{
    ALIGNED f64_m w_0[BLOCK];
    ALIGNED f64_m w_2[BLOCK];
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
            const f64 a_1 = *(const f64_m *)p[1]; /* temporary 0 */
            head = first_block(args, p[2] + column0 * sizeof(f64_m), sizeof(f64_m));
            if (groups) /* of the next row */
                fetch_end(args, p[2] + s->strides[2 * stride + groups - 1] + column0 * sizeof(f64_m), column1 - column0, sizeof(f64_m));
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m;
                head = 0;
                const f64_m *x_0 = (const f64_m *)p[0] + i; /* temporary 1 */
                if (m < BLOCK)
                    x_0 = pad_f64(w_0, x_0, m);
                fetch(x_0, args->ahead, sizeof *x_0);
                f64_m *const o_2 = (f64_m *)p[2] + i; /* out */
                const int n_2 = m == BLOCK && streams(args, o_2);
                f64_m *const y_2 = m < BLOCK || n_2 ? w_2 : o_2;
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f64 a_0 = x_0[j];
                    const f64 t_2 = a_0 + a_1;
                    y_2[j] = t_2;
                }
                if (m < BLOCK)
                    put_f64(o_2, w_2, m);
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
