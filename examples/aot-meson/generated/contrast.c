/* Made by weft build from contrast.weft. See contrast.h. */
#if defined __cplusplus
#error "this source is C: compile it as C, and include its header from C++"
#else
#include "contrast.h"
#include "weft_support.h"
#if WEFT_SUPPORT != 100
#error "weft_support.h is another version's: make this file and weft_support anew, by one weft"
#endif
f32 rintf(f32) PURE;
/* Helpers come in groups, of which not every loop uses all, and for every type, signed or not. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
#if defined __clang__
#pragma clang diagnostic ignored "-Wpass-failed" /* a loop that it cannot vectorize */
#pragma clang diagnostic ignored "-Wtautological-compare" /* an integer that is no NaN */
#endif
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC push_options
#pragma GCC optimize("O3", "no-tree-ter") /* gcc 12 fails on max under a mask of AVX-512: runtime/cc/cc.c */
#endif

/* Whether x * y + z rounds once: clang's -ffp-contract=fast fuses whatever pragmas say, where the processor can,
 * and no macro tells. */
static bool weft_fuses(void)
{
    volatile double x = 1 + 0x1p-30, y = 1 - 0x1p-30, z = -1;
    return x * y + z != 0;
}
#if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__
enum { LANES = 16 };
#define WIDE "v"
#define HALF(n) "%t" #n
#define INSERT "vinserti64x4"
#define BYTES_IN_ORDER {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
#define WORDS_IN_ORDER {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
#elif defined __GNUC__ && !defined __TINYC__ && defined __AVX2__
enum { LANES = 8 };
#define WIDE "x"
#define HALF(n) "%x" #n
#define INSERT "vinserti128"
#define BYTES_IN_ORDER {0, 4, 1, 5, 2, 6, 3, 7}
#define WORDS_IN_ORDER {0, 1, 4, 5, 2, 3, 6, 7}
#endif
#ifdef WIDE
typedef i32 ints __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u32 words __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u64 longs __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f64 doubles __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
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
#define WORDS_i32 ""
#define BYTES_i32 ""
#define FOR(what, type) what##_##type
/* The products of low halves. */
static inline longs product(longs a, u64 b)
{
    const longs c = (longs){0} + b;
    longs r;
    __asm__("vpmuludq %2, %1, %0" : "=" WIDE(r) : WIDE(a), WIDE(c));
    return r;
}
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
/* Repeats a few elements into a pattern. */
SEPARATE static void repeat_f32(f32_m *pattern, const char *from, i64 step, i64 period)
{
    for (i64 j = 0; j < period; j++)
        pattern[j] = *(const f32_m *)(from + j * step);
    for (i64 j = period; j < period + BLOCK; j++)
        pattern[j] = pattern[j - period];
}
#ifdef WIDE
/* Converts a block of small integers to float32. */
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
/* Converts a block of small integers to float32. */
CONVERSION void widen_u8_f32(f32_m *r, const u8_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = (f32)a[j];
}
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
        x = rintf(x) + (f32)0; /* no -0, see dialect.h */
        r = sizeof(u8) < sizeof(int) ? (u8)(int)x : (u8)x;
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
#ifdef WIDE
/* Halves to even; above u8 becomes its largest, NaN 0; below stays below, for the packing to saturate. Of 32 bits an
 * int32 that is too large or too small becomes the smallest. */
static inline ints whole_f32_u8(const f32_m *a)
{
    const f32 largest = (f32)(~0ull >> (64 - 8 * sizeof(u8) + ((u8)-1 < (u8)1)));
    ints r;
    if (sizeof(f32) == 8) {
        const doubles top = (doubles){0} + (f64)largest;
        ints parts[2];
        for (int k = 0; k < 2; k++) {
            doubles x = *(const doubles *)(a + k * LANES / 2);
            if ((u8)-1 < (u8)1)
                x = (doubles)((longs)x & (longs)(x == x));
            __asm__("vminpd %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
            __asm__("vcvtpd2dq %1, " HALF(0) : "=" WIDE(parts[k]) : WIDE(x));
        }
        __asm__(INSERT " $1, " HALF(2) ", %1, %0" : "=" WIDE(r) : WIDE(parts[0]), WIDE(parts[1]));
        return r;
    }
    const floats top = (floats){0} + (f32)largest;
    floats x = *(const floats *)a;
    if ((u8)-1 < (u8)1)
        x = (floats)((ints)x & (ints)(x == x));
    if (sizeof(u8) == 4) {
        __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
        return r ^ (ints)(x >= top); /* the largest */
    }
    __asm__("vminps %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
    __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
    return r;
}
/* Rounds a block of floats to small integers. */
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    const ints words_ = WORDS_IN_ORDER, bytes_ = BYTES_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 4 * LANES / sizeof(u8)) {
        ints x = whole_f32_u8(a + j), y = x;
        if (sizeof(u8) == 4) {
            *(ints *)(r + j) = x;
            continue;
        }
        y = whole_f32_u8(a + j + LANES);
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
/* Rounds a block of floats to small integers. */
CONVERSION void narrow_f32_u8(u8_m *r, const f32_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = roundsat_f32_u8(a[j]);
}
#endif
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(u8_m) * step * (int)sizeof(u8_m) + k % (int)sizeof(u8_m))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
static inline const u8_m *sieve_u8(u8_m *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(u8_m), ONE = sizeof(u8_m) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const u8_m *pick_u8(u8_m *block, const u8_m *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return sieve_u8(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
/* Brings a block whose elements are a step apart. */
SEPARATE static const u8_m *gather_u8(u8_m *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 3);
    if (m == BLOCK && sizeof(u8_m) < 8 && step == 4 * (i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(u8_m))
        return pick_u8(block, (const u8_m *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const u8_m *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
#undef BYTES
#undef PLACE
#undef FIRST
#undef LATER
#if defined __clang__ || (defined __GNUC__ && __GNUC__ >= 12)
#define BYTES(index, x, y, z) \
    index(0, x, y, z), index(1, x, y, z), index(2, x, y, z), index(3, x, y, z), index(4, x, y, z), index(5, x, y, z), \
    index(6, x, y, z), index(7, x, y, z), index(8, x, y, z), index(9, x, y, z), index(10, x, y, z), \
    index(11, x, y, z), index(12, x, y, z), index(13, x, y, z), index(14, x, y, z), index(15, x, y, z)
/* Where byte k of a vector comes from, of elements that are `step` apart. */
#define PLACE(k, step) (k / (int)sizeof(f32_m) * step * (int)sizeof(f32_m) + k % (int)sizeof(f32_m))
/* Of which byte of two vectors it is, where the second begins with byte `base`; or of what there is, and of a vector
 * that has what is from byte `low` on. */
#define FIRST(k, step, base, unused) \
    (PLACE(k, step) < 16 ? PLACE(k, step) : PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
#define LATER(k, step, base, low) \
    (PLACE(k, step) >= low && PLACE(k, step) - base < 16 ? 16 + PLACE(k, step) - base : k)
/* C compilers stop before the last vector, of which a part may lie behind the end. This one ends with the last
 * element. */
static inline const f32_m *sieve_f32(f32_m *block, const char *from, const int step)
{
    enum { SIDE = 16 / sizeof(f32_m), ONE = sizeof(f32_m) };
    typedef u8 vector __attribute__((vector_size(16), aligned(1), may_alias));
    for (int j = 0; j < BLOCK; j += SIDE, from += 16 * step) {
        vector x = *(const vector *)from;
        if (step == 2) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16 - ONE), BYTES(FIRST, 2, (16 - ONE), 0));
        } else if (step == 3) {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 3, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32 - 2 * ONE), BYTES(LATER, 3, (32 - 2 * ONE), 32));
        } else {
            x = __builtin_shufflevector(x, *(const vector *)(from + 16), BYTES(FIRST, 4, 16, 0));
            x = __builtin_shufflevector(x, *(const vector *)(from + 32), BYTES(LATER, 4, 32, 32));
            x = __builtin_shufflevector(x, *(const vector *)(from + 48 - 3 * ONE), BYTES(LATER, 4, (48 - 3 * ONE), 48));
        }
        *(vector *)(block + j) = x;
    }
    return block;
}
#endif
/* Of a step that the C compiler knows it makes loads of whole vectors, and shuffles. */
static inline const f32_m *pick_f32(f32_m *block, const f32_m *from, const i64 step)
{
#ifdef PLACE
    if (step > 0)
        return sieve_f32(block, (const char *)from, step);
#endif
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        block[j] = from[j * step];
    return block;
}
/* Brings a block whose elements are a step apart. */
SEPARATE static const f32_m *gather_f32(f32_m *block, const char *from, i64 step, int m)
{
    if (m == BLOCK && step == 2 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 2);
    if (m == BLOCK && step == 3 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 3);
    if (m == BLOCK && sizeof(f32_m) < 8 && step == 4 * (i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, 4);
    if (m == BLOCK && step == -(i64)sizeof(f32_m))
        return pick_f32(block, (const f32_m *)from, -1);
    for (int j = 0; j < m; j++, from += step)
        block[j] = *(const f32_m *)from;
    for (int j = m; j < BLOCK; j++)
        block[j] = block[m - 1];
    return block;
}
/* Stores a block whose elements are a step apart. */
SEPARATE static void scatter_u8(char *to, i64 step, const u8_m *block, int m)
{
    for (int j = 0; j < m; j++)
        *(u8_m *)(to + j * step) = block[j];
}
#undef ROLLED
#define ROLLED

static void loop_contrast_0_upsu(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 4 };
    ALIGNED u8_m w_img[BLOCK];
    ALIGNED f32_m w_middle[BLOCK + 512];
    ALIGNED u8_m w_out[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_6 = (f32_m *)slots[1];
    char *room[ACCESSES], *p[ACCESSES];
    i64 steps[ACCESSES], at[64];
    struct weft_band band = {{0, begin, end}, ACCESSES, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0};
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        const struct weft_sample *const sample = band.tile.sample;
        const struct weft_geometry *const s = sample->geometry;
        const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step;
        const i64 column0 = band.column0, column1 = band.column1;
        char *const *const start = band.start;
        const int fresh = band.fresh;
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            repeat_f32(w_middle, p[1], s->strides[1 * stride + groups], s->period); /* middle */
            const i64 advance = BLOCK % s->period;
            i64 phase = column0 % s->period;
            const f32 in_gain = *(const f32_m *)p[2]; /* gain */
            head = first_block(args, p[3] + column0 * sizeof(u8_m), sizeof(u8_m));
            fetch_end(args, p[3] + step[3] + column0 * sizeof(u8_m), column1 - column0, sizeof(u8_m)); /* of the next row */
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m; /* fewer are padded to a block, and put back alone */
                head = 0;
                const u8_m *x_img = (const u8_m *)p[0] + i; /* img */
                if (RARE(m < BLOCK))
                    x_img = args->calls->pad(w_img, x_img, m, sizeof(u8_m), BLOCK);
                fetch(x_img, args->ahead, sizeof *x_img);
                const f32_m *const x_middle = w_middle + phase;
                u8_m *const o_out = (u8_m *)p[3] + i; /* out */
                const int n_out = m == BLOCK && streams(args, o_out);
                u8_m *const y_out = m < BLOCK || n_out ? w_out : o_out;
                widen_u8_f32(v_2, x_img); /* img  3:19 */
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_2 = v_2[j];
                    const f32 in_middle = x_middle[j];
                    const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
                    const f32 t_5 = t_3 * in_gain; /* (img - middle) * gain  3:18 */
                    const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
                    v_6[j] = t_6;
                }
                narrow_f32_u8(y_out, v_6); /* uint8((img - middle) * gain + middle)  3:12 */
                phase += m == BLOCK ? advance : m % s->period;
                if (phase >= s->period)
                    phase -= s->period;
                if (RARE(m < BLOCK))
                    args->calls->put(o_out, w_out, m, sizeof(u8_m));
                else if (RARE(n_out))
                    stream(o_out, w_out, BLOCK * sizeof *w_out);
            }
        }
    }
    if (args->stream)
        fence();
}

static void loop_contrast_0_any(const struct weft_args *args, i64 begin, i64 end)
{
    enum { ACCESSES = 4 };
    ALIGNED u8_m w_img[BLOCK];
    ALIGNED f32_m w_middle[BLOCK];
    ALIGNED f32_m w_gain[BLOCK];
    ALIGNED u8_m w_out[BLOCK];
    ALIGNED u64 slots[2][BLOCK]; /* values kept between loops */
    f32_m *const v_2 = (f32_m *)slots[0];
    f32_m *const v_6 = (f32_m *)slots[1];
    char *room[ACCESSES], *p[ACCESSES];
    i64 steps[ACCESSES], at[64];
    struct weft_band band = {{0, begin, end}, ACCESSES, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0};
    while (args->calls->next_band(args, &band)) { /* rows that lie beside each other */
        const struct weft_sample *const sample = band.tile.sample;
        const struct weft_geometry *const s = sample->geometry;
        const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step;
        const i64 column0 = band.column0, column1 = band.column1;
        char *const *const start = band.start;
        const int fresh = band.fresh;
        for (i64 row = 0; row < rows; row++) {
            i64 head = 0; /* elements in front of the first whole block */
            for (int k = 0; k < ACCESSES; k++)
                p[k] = start[k] + row * step[k]; /* where the row of each begins */
            for (i64 i = column0, m; i < column1; i += m) {
                m = head ? head : BLOCK;
                m = column1 - i < m ? column1 - i : m; /* fewer are padded to a block, and put back alone */
                head = 0;
                const u8_m *const x_img = gather_u8(w_img, p[0] + i * s->strides[0 * stride + groups], s->strides[0 * stride + groups], m); /* img */
                if (s->strides[0 * stride + groups] < 0)
                    fetch_row(args, s, p[0], s->strides + 0 * stride, 1, column0, column1, i, m);
                const f32_m *const x_middle = gather_f32(w_middle, p[1] + i * s->strides[1 * stride + groups], s->strides[1 * stride + groups], m); /* middle */
                if (s->strides[1 * stride + groups] < 0)
                    fetch_row(args, s, p[1], s->strides + 1 * stride, 1, column0, column1, i, m);
                const f32_m *const x_gain = gather_f32(w_gain, p[2] + i * s->strides[2 * stride + groups], s->strides[2 * stride + groups], m); /* gain */
                if (s->strides[2 * stride + groups] < 0)
                    fetch_row(args, s, p[2], s->strides + 2 * stride, 1, column0, column1, i, m);
                u8_m *const y_out = w_out; /* out */
                widen_u8_f32(v_2, x_img); /* img  3:19 */
                INDEPENDENT
                for (int j = 0; j < BLOCK; j++) {
                    const f32 t_2 = v_2[j];
                    const f32 in_middle = x_middle[j];
                    const f32 t_3 = t_2 - in_middle; /* img - middle  3:19 */
                    const f32 in_gain = x_gain[j];
                    const f32 t_5 = t_3 * in_gain; /* (img - middle) * gain  3:18 */
                    const f32 t_6 = t_5 + in_middle; /* (img - middle) * gain + middle  3:18 */
                    v_6[j] = t_6;
                }
                narrow_f32_u8(y_out, v_6); /* uint8((img - middle) * gain + middle)  3:12 */
                scatter_u8(p[3] + i * s->strides[3 * stride + groups], s->strides[3 * stride + groups], w_out, m);
            }
        }
    }
}
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic pop
#endif
static const struct built built = {false, OWN_LEVEL, 1, {0}, {weft_fuses}};

/* ---- contrast ---- */

static const int64_t shape_contrast_0[] = {-1, -2, 3};
static const struct operand operands_contrast[] = {
    {"img", 3, 1, 1},
    {"middle", 1, 4, 4},
    {"gain", 0, 4, 4},
    {"out", 3, 1, 1},
};
static const struct form forms_contrast[] = {{3, shape_contrast_0}};
static const unsigned char replaces_contrast[] = {1, 1, 1};
static const struct access accesses_contrast_0[] = {
    {FROM_OPERAND, 0, 1, 0, 0, NULL, {0, NULL}}, /* img */
    {FROM_OPERAND, 1, 4, 0, 0, NULL, {0, NULL}}, /* middle */
    {FROM_OPERAND, 2, 4, 0, 0, NULL, {0, NULL}}, /* gain */
    {FROM_OPERAND, 3, 1, 0, 0, NULL, {0, NULL}}, /* out */
};
static const struct class classes_contrast_0[] = {
    {"upsu", {loop_contrast_0_upsu}, 0, false},
    {"gggg", {loop_contrast_0_any}, 0, false},
};
static const struct loop loops_contrast[] = {
    {{3, shape_contrast_0}, 4, 3, 1, 2, 0, accesses_contrast_0, NULL, classes_contrast_0, NULL, NULL, 8 / 3.0, false},
};
static const struct weft_note notes_contrast[] = {
    {0, 0, 0, NULL, NULL},
    {WEFT_KERNEL_SHAPE_ERROR, 2, 17, NULL, "extent 2 of img is not 3"},
    {WEFT_KERNEL_SHAPE_ERROR, 2, 42, NULL, "extent 0 of middle is not 3"},
};

static int extents_contrast(const struct tensor *in, int64_t *d)
{
    (void)in, (void)d;
    d[0] = in[0].shape[0]; /* extent 0 of img */
    d[1] = in[0].shape[1]; /* extent 1 of img */
    if (in[0].shape[2] != 3)
        return 1; /* extent 2 of img is not 3 */
    if (in[1].shape[0] != 3)
        return 2; /* extent 0 of middle is not 3 */
    return 0;
}

static const struct kernel weft_tables_contrast = {
    3, 1, 1, 0, {2, 4, 3, 1, 0, 0, 1, 0, 0}, operands_contrast, forms_contrast, replaces_contrast, loops_contrast, NULL,
    notes_contrast, extents_contrast, &built};

int contrast(const uint8_t *img, const float *middle, float gain, int64_t h, int64_t w,
             uint8_t *out)
{
    const int64_t weft_shape_0[] = {h, w, 3};
    const int64_t weft_shape_1[] = {3};
    const struct weft_array weft_arrays[] = {
        {(void *)(uintptr_t)img, weft_shape_0, NULL},
        {(void *)(uintptr_t)middle, weft_shape_1, NULL},
        {(void *)(uintptr_t)&gain, NULL, NULL},
        {out, NULL, NULL},
    };
    return weft_run_one(&weft_tables_contrast, weft_arrays, &weft_told);
}

int contrast_strided(const uint8_t *img, const int64_t *img_shape, const int64_t *img_strides,
                     const float *middle, const int64_t *middle_shape,
                     const int64_t *middle_strides, float gain, uint8_t *out,
                     const int64_t *out_shape, const int64_t *out_strides)
{
    const struct weft_array weft_arrays[] = {
        {(void *)(uintptr_t)img, img_shape, img_strides},
        {(void *)(uintptr_t)middle, middle_shape, middle_strides},
        {(void *)(uintptr_t)&gain, NULL, NULL},
        {out, out_shape, out_strides},
    };
    return weft_run_one(&weft_tables_contrast, weft_arrays, &weft_told);
}

int contrast_shape(const int64_t *img_shape, const int64_t *middle_shape, int64_t *out_shape)
{
    const int64_t *const weft_shapes[] = {img_shape, middle_shape, NULL, NULL};
    int64_t *const weft_results[] = {out_shape, NULL};
    const void *const weft_values[] = {NULL, NULL, NULL, NULL};
    return weft_infer(&weft_tables_contrast, weft_shapes, weft_values, weft_results, &weft_told);
}

int contrast_batch(int64_t weft_samples, const struct weft_array *img, int64_t img_step,
                   const struct weft_array *middle, int64_t middle_step,
                   const struct weft_array *gain, int64_t gain_step, const struct weft_array *out)
{
    const struct weft_array *const weft_arrays[] = {img, middle, gain, out};
    const int64_t weft_steps[] = {img_step, middle_step, gain_step, 1};
    return weft_run(&weft_tables_contrast, weft_samples, weft_arrays, weft_steps, &weft_told);
}

const struct weft_note *contrast_note(void)
{
    return &weft_told;
}
#endif
