/* Moving elements between tensors and blocks, for a storage type T; the tokens are those of
 * dialect.h. A block that a row does not fill is padded with the row's last element, so that body and
 * tail of a row are one code. */

//: move head
/* Loops over EACH, which have no tail, and those that are ROLLED are not unrolled: the C compiler makes little code of
 * them, which takes it little time. */
#if defined __clang__
#define ROLLED _Pragma("clang loop unroll(disable)")
#define EACH(j, count) INDEPENDENT for (int j = 0; j < count; j++)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static SEPARATE
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR
#define IS_CONSTANT(x) __builtin_constant_p(x)
#define RARE(x) __builtin_expect(x, 0)
#define UNROLLED _Pragma("clang loop unroll(full)")
#define WRITTEN_OUT
#elif defined __GNUC__ && !defined __TINYC__
#define ROLLED _Pragma("GCC unroll 1")
#define EACH(j, count) INDEPENDENT ROLLED for (int j = 0; j < count; j++)
#define INDEPENDENT _Pragma("GCC ivdep")
#define MAY_ALIAS __attribute__((may_alias))
#define SEPARATE __attribute__((noinline))
#define LOCAL static /* gcc makes it a part of what calls it, where that is one place */
#define ALIGNED __attribute__((aligned(64)))
#define VECTOR __attribute__((simd("notinbranch"), const))
#define RARE(x) __builtin_expect(x, 0)
#define UNROLLED _Pragma("GCC unroll 16")
#define WRITTEN_OUT UNROLLED /* all vectors of a block, so that loads need no index (an instruction more for each) */
#define IS_CONSTANT(x) __builtin_constant_p(x) /* once the function is a part of what calls it */
#else
#define UNROLLED
#define WRITTEN_OUT
#define ROLLED
#define EACH(j, count) for (int j = 0; j < count; j++)
#define INDEPENDENT
#define MAY_ALIAS
#define SEPARATE
#define LOCAL static
#define ALIGNED
#define VECTOR
#define IS_CONSTANT(x) 1
#define RARE(x) (x)
#endif
#if (defined __SSE4_1__ || defined __aarch64__) && !defined __TINYC__ /* one instruction rounds a quotient down */
#define BY_FLOOR(T, b) (sizeof(T) < 8 && (T)-1 < (T)1 && !IS_CONSTANT(b))
#define FLOORF(x) __builtin_floorf(x)
#define FLOOR(x) __builtin_floor(x)
#else
#define BY_FLOOR(T, b) 0
#define FLOORF(x) (x)
#define FLOOR(x) (x)
#endif
/* A loop over the elements with which a row ends, in any order. With AVX-512 it goes over a whole block, of which its
 * text loads and stores the first `left` alone, by vectors with masks. gcc does not know that these are m: it would
 * then not put zeros into what is not loaded, and arithmetic takes long where a register held subnormal numbers. */
#if defined __TINYC__ || !defined __AVX512F__
#define EACH_OF(j, m) INDEPENDENT for (int j = 0, left = (int)(m); j < left; j++)
#else
#define EACH_OF(j, m) INDEPENDENT for (int j = 0, left = HIDDEN(m); j < BLOCK; j++)
#endif
#if defined __TINYC__
#define HIDDEN(x) (int)(x)
#else
#define HIDDEN(x) __extension__({ int hidden_ = (int)(x); __asm__("" : "+r"(hidden_)); hidden_; })
#endif
/* Where a block of the kernel's own is, found out in each turn: gcc else keeps the address in memory, and where results
 * go past the caches, reading that took kernels up to twice as long (AMD EPYC, Zen 4). */
#if defined __GNUC__ && !defined __TINYC__ && (defined __x86_64__ || defined __i386__)
#define OWN_BLOCK(block) __extension__({ void *own_; __asm__("lea %1, %0" : "=r"(own_) : "m"(*(block))); own_; })
#else
#define OWN_BLOCK(block) (block)
#endif
/* What a kernel's loop over bands begins with, and what a band gives it names for. */
#define BAND_ROOM(access, size, light, ends) \
    char *room[ACCESSES], *p[ACCESSES]; \
    i64 steps[ACCESSES], at[64]; \
    static const struct weft_banding banding = { \
        ACCESSES, access, size, BLOCK, ((size) > 1) + ((size) > 2) + ((size) > 4), light, ends}; \
    struct weft_band band = {{0, begin, end}, &banding, room, steps, at, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, {0}};
#define BAND_VALUES \
    const struct weft_sample *const sample = band.tile.sample; \
    const struct weft_geometry *const s = sample->geometry; \
    const i64 groups = s->groups, stride = groups + 2, rows = band.rows, *const step = band.step; \
    const i64 column0 = band.column0, column1 = band.column1; \
    char *const *const start = band.start; \
    const int fresh = band.fresh;
/* A block of which not all is there is padded; what is left of its results is stored, others may go past the caches. */
#define PAD_BLOCK(x, block, is_short, more) \
    if (RARE(is_short)) \
        x = args->calls->pad(block, x, m + (more), sizeof *x, BLOCK + (more));
#define PUT_BLOCK(to, block, back, past, from) \
    if (RARE(m < BLOCK)) \
        args->calls->put(to + back, block + back, m, sizeof *(to)); \
    else \
        PUT_PAST(to, past, from)
#define PUT_PAST(to, past, from) \
    if (RARE(past)) \
        stream(to, from, BLOCK * sizeof *(to));
/* Where the load with this number descends along a row, what it reads next. */
#define FETCH_BELOW(load) \
    if (s->strides[(load) * stride + groups] < 0) \
        fetch_row(args, s, p[load], s->strides + (load) * stride, 1, column0, column1, i, m);
//: move nested
/* Repeats an element from place j on, vector by vector: what lies before j stays, what is behind the count does not. */
static inline void N(repeat_run)(T *block, int j, int count, T value)
{
    enum { SIDE = 16 };
    for (int at = j & -SIDE; at < j + count; at += SIDE)
        EACH(k, SIDE)
            block[at + k] = at + k < j ? block[at + k] : value;
}
/* Brings a block whose elements lie in two levels. */
SEPARATE static const T *N(nested)(T *block, const char *from, i64 step, i64 jump, i64 period, i64 i, int m)
{
    i64 inner = i % period;
    from += i / period * jump;
    for (int j = 0; step == 0 && j < m; inner = 0, from += jump) {
        const int run = period - inner < m - j ? (int)(period - inner) : BLOCK - j;
        N(repeat_run)(block, j, run, *(const T *)from);
        j += run;
    }
    for (int j = 0; step && j < BLOCK; j++) {
        block[j] = *(const T *)(from + inner * step);
        if (j < m - 1 && ++inner == period)
            inner = 0, from += jump;
    }
    return block;
}
//: move held
#undef IN_REGISTERS
#if defined WIDE && !defined __clang__ /* which leaves the block in memory */
#define IN_REGISTERS(type, block, to) ALIGNED type block[BLOCK];
/* Stores a block that is still in registers: past the caches where that is wanted, a short one by way of memory. */
static inline __attribute__((always_inline)) void N(held)(const struct weft_args *args, T *to, const T *block, T *room,
                                                          i64 m, int past)
{
    enum { SIDE = sizeof(bytes) / sizeof(T), COUNT = BLOCK / SIDE };
    T *const o = m < BLOCK ? room : to;
    bytes x[COUNT];
    UNROLLED
    for (int k = 0; k < COUNT; k++)
        x[k] = *(const bytes *)(block + k * SIDE);
    UNROLLED
    for (int k = 0; k < COUNT && past; k++)
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)(to + k * SIDE)) : WIDE(x[k]));
    UNROLLED
    for (int k = 0; k < COUNT && !past; k++)
        *(bytes *)(o + k * SIDE) = x[k];
    if (RARE(m < BLOCK))
        args->calls->put(to, room, m, sizeof(T));
}
#else
#define IN_REGISTERS(type, block, to) type *const block = to;
/* Stores what is there of a short block, and a block that goes past the caches, by way of registers; else it is there
 * already. */
static inline void N(held)(const struct weft_args *args, T *to, const T *block, T *room, i64 m, int past)
{
#ifdef WIDE
    enum { SIDE = sizeof(bytes) / sizeof(T), COUNT = BLOCK / SIDE };
    bytes x[COUNT];
    UNROLLED
    for (int k = 0; k < COUNT && past; k++)
        x[k] = *(const bytes *)(block + k * SIDE);
    UNROLLED
    for (int k = 0; k < COUNT && past; k++)
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)(to + k * SIDE)) : WIDE(x[k]));
#endif
    if (RARE(m < BLOCK))
        args->calls->put(to, room, m, sizeof(T));
}
#endif
//: move fill
/* Fills a block with one element. */
SEPARATE static void N(fill)(T *block, T value)
{
    for (int j = 0; j < BLOCK; j++)
        block[j] = value;
}
//: move copy
#undef SOME
#ifdef WIDE
#define SOME(step) \
    if (size & step) \
        __builtin_memcpy(o, x, step), o += step, x += step;
/* Fewer bytes than a vector has, and none beyond them. */
static inline void N(copy_some)(T *to, const T *from, u64 size)
{
    char *o = (char *)to;
    const char *x = (const char *)from;
    SOME(32) SOME(16) SOME(8) SOME(4) SOME(2) SOME(1)
}
/* What a kernel only copies, past the caches where that is wanted. */
SEPARATE static void N(copy)(const struct weft_args *args, T *to, const T *from, i64 count, i64 ahead)
{
    enum { SIDE = sizeof(bytes) / sizeof(T) };
    i64 j = -(u64)to % sizeof(bytes) / sizeof(T);
    const int past = count >= j && streams(args, to + j);
    if (past)
        N(copy_some)(to, from, j * sizeof(T));
    else
        j = 0;
    for (; j + SIDE <= count; j += SIDE) {
        if (ahead)
            __builtin_prefetch((const char *)(from + j) + ahead);
        if (past)
            stream(to + j, from + j, sizeof(bytes));
        else
            *(bytes *)(to + j) = *(const bytes *)(from + j);
    }
    N(copy_some)(to + j, from + j, (count - j) * sizeof(T));
}
#else
/* Copies elements, past the caches where that is wanted. */
SEPARATE static void N(copy)(const struct weft_args *args, T *to, const T *from, i64 count, i64 ahead)
{
    INDEPENDENT
    for (i64 j = 0; j < count; j++)
        to[j] = from[j];
}
#endif
//: move scatter
/* Stores a block whose elements are a step apart. */
SEPARATE static void N(scatter)(char *to, i64 step, const T *block, int m)
{
    for (int j = 0; j < m; j++)
        *(T *)(to + j * step) = block[j];
}
//: move spread
/* Stores a block whose elements lie in two levels. */
SEPARATE static void N(spread)(char *to, i64 step, i64 jump, i64 period, i64 i, const T *block, int m)
{
    i64 inner = i % period;
    to += i / period * jump;
    for (int j = 0; j < m; j++) {
        *(T *)(to + inner * step) = block[j];
        if (++inner == period)
            inner = 0, to += jump;
    }
}
//: move expand
#undef RUN
#ifdef __GNUC__
/* A run of elements that lie side by side: as many as it has, by two copies that may overlap. */
#define RUN(bytes) \
    if (size >= bytes) { \
        __builtin_memcpy(to, from, bytes); \
        __builtin_memcpy(to + size - bytes, from + size - bytes, bytes); \
        return; \
    }
/* Copies a run of bytes. */
static inline void N(copy_run)(char *to, const char *from, i64 size)
{
    for (; size > 64; size -= 32, to += 32, from += 32)
        __builtin_memcpy(to, from, 32);
    RUN(32) RUN(16) RUN(8) RUN(4) RUN(2)
    *to = *from;
}
#endif
/* A row of several short groups; what it repeats is gathered once and copied, whole blocks at a time: what
 * goes too far is written again, and behind the row there is room for a block. So are elements that stay along the
 * innermost `inner` ones, which lie `step` apart. */
SEPARATE static void N(expand)(T *row, const char *from, const int *offsets, i64 step, i64 inner, i64 distinct,
                               i64 columns)
{
    enum { LINE = 64 / sizeof(T) };
    i64 j = 0;
    distinct = distinct < columns ? distinct : columns;
    for (; step == 0 && inner <= LINE / 2 && j < distinct; j += inner) {
        const T x = *(const T *)(from + offsets[j]);
        INDEPENDENT
        for (int q = 0; q < LINE / 2; q++)
            row[j + q] = x;
    }
    for (; step == 0 && j < distinct; j += inner) {
        const T x = *(const T *)(from + offsets[j]);
        for (i64 k = 0; k < inner; k += LINE) {
            INDEPENDENT
            for (int q = 0; q < LINE; q++)
                row[j + k + q] = x;
        }
    }
#ifdef __GNUC__
    /* of runs of up to 32 bytes so many at once, as long as the last one does not end before */
    for (const i64 last = distinct > inner ? offsets[distinct - inner] + inner * (i64)sizeof(T) - 32 : 0;
         step == sizeof(T) && inner <= LINE / 2 && j < distinct - inner && offsets[j] <= last; j += inner)
        __builtin_memcpy(row + j, from + offsets[j], 32);
    for (; step == sizeof(T) && j < distinct; j += inner)
        N(copy_run)((char *)(row + j), from + offsets[j], inner * sizeof(T));
#endif
    for (; j < distinct; j++)
        row[j] = *(const T *)(from + offsets[j]);
    for (i64 done = distinct, more; done < columns; done += more) {
        more = done < columns - done ? done : columns - done;
        for (i64 k = 0; k < more; k += BLOCK) {
            INDEPENDENT
            for (int q = 0; q < BLOCK; q++)
                row[done + k + q] = row[k + q];
        }
    }
    for (int j = 0; j < BLOCK; j++)
        row[columns + j] = row[columns - 1];
}
//: move place
/* Stores a block at offsets from a table. */
SEPARATE static void N(place)(char *to, const int *offsets, const T *block, int m)
{
    for (int j = 0; j < m; j++)
        *(T *)(to + offsets[j]) = block[j];
}
//: move lookup
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
__attribute__((optimize("no-tree-vectorize"))) /* gcc gathers slower than it loads */
#endif
/* Looks up each element of a block in a table. */
SEPARATE static void N(lookup)(T *block, const T *table, const u8_m *entry)
{
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC unroll 16 /* a processor may guess the end of a loop of 64 steps wrongly each time */
#endif
    for (int j = 0; j < BLOCK; j++)
        block[j] = table[entry[j]];
}
//: integer divisor
/* What is divided by instead of b: 1 where that is 0 or, of 32 bits and more, -1, of which the least number has no
 * quotient. */
FN T N(divisor)(T b)
{
    return ((T)-1 < (T)1 && sizeof(T) > 2 ? (U)(b + (U)1) <= (U)1 : b == 0) ? (T)1 : b;
}
//: integer quotient
/* a / b toward zero for a divisor of up to 32 bits, by way of a floating type with more than twice as many digits: no
 * quotient of whole numbers lies so near the next whole number that it is rounded to that. C compilers make vectors of
 * this, and of choices by one comparison each; of divisions by constants they make some anyway. */
FN T N(quotient)(T a, T b)
{
    return sizeof(T) <= 2 ? (T)(int)((float)a / (float)b) : (T)((double)a / (double)b);
}
//: integer truncdiv
/* The quotient, rounded toward zero. */
FN T N(truncdiv)(T a, T b)
{
    const T divisor = N(divisor)(b), q = sizeof(T) == 8 || IS_CONSTANT(b) ? (T)(a / divisor) : N(quotient)(a, divisor);
    return b == 0 ? (T)0 : sizeof(T) > 2 && (T)-1 < (T)1 && b == (T)-1 ? (T)(0 - (U)a) : q;
}
//: integer remainder
/* The remainder of a quotient that is rounded toward zero. */
FN T N(remainder)(T a, T b)
{
    const T divisor = N(divisor)(b);
    if (sizeof(T) == 8 || IS_CONSTANT(b))
        return (T)(a % divisor);
    return (T)((U)a - (U)N(quotient)(a, divisor) * (U)divisor);
}
//: integer floored
/* Of a divisor of up to 32 bits the quotient, rounded down, or where `rest` is 1 what it leaves. Exact for the reason
 * that N(quotient) gives, also where b is -1; 0 where it is 0. */
FN T N(floored)(T a, T b, int rest)
{
    const float x = (float)a, y = (float)b, few = FLOORF(x / y);
    const double p = (double)a, q = (double)b, many = FLOOR(p / q);
    if (sizeof(T) <= 2)
        return b == 0 ? (T)0 : (T)(int)(rest ? x - few * y : few);
    return b == 0 ? (T)0 : rest ? (T)(p - many * q) : b == (T)-1 ? (T)(0 - (U)a) : (T)many;
}
//: integer floordiv
/* The quotient, rounded down; 0 where b is 0. */
FN T N(floordiv)(T a, T b)
{
    if (BY_FLOOR(T, b))
        return N(floored)(a, b, 0);
    const T divisor = N(divisor)(b), q = sizeof(T) == 8 || IS_CONSTANT(b) ? (T)(a / divisor) : N(quotient)(a, divisor);
    const T r = (T)((U)a - (U)q * (U)divisor);
    const T apart = (r < 0) != (b < 0) ? (T)1 : (T)0, down = r == 0 ? (T)0 : apart;
    return b == 0 ? (T)0 : sizeof(T) > 2 && (T)-1 < (T)1 && b == (T)-1 ? (T)(0 - (U)a) : (T)((U)q - (U)down);
}
//: integer floormod
/* The remainder of a quotient that is rounded down; 0 where b is 0. */
FN T N(floormod)(T a, T b)
{
    if (BY_FLOOR(T, b))
        return N(floored)(a, b, 1);
    const T r = N(remainder)(a, b), apart = (((r ^ b) < 0) & (r != 0)) ? b : (T)0;
    return (T)((U)r + (U)apart);
}
//: integer shl
/* Bits shifted left; 0 where all are gone. Vectors of bytes are not shifted by counts of their own, but by 1, 2, 4. */
FN T N(shl)(T a, T b)
{
    if (sizeof(T) > 1 || IS_CONSTANT(b))
        return b < 0 || b >= (T)(8 * sizeof(T)) ? (T)0 : (T)((U)a << b);
    unsigned char x = (unsigned char)a;
    x = b & 1 ? (unsigned char)(x << 1) : x;
    x = b & 2 ? (unsigned char)(x << 2) : x;
    x = b & 4 ? (unsigned char)(x << 4) : x;
    return (unsigned char)b < 8 ? (T)x : (T)0;
}
//: integer shr
/* Bits shifted right; of a negative number those of its complement. */
FN T N(shr)(T a, T b)
{
    const T out = a < 0 ? (T)-1 : (T)0;
    if (sizeof(T) > 1 || IS_CONSTANT(b))
        return b < 0 || b >= (T)(8 * sizeof(T)) ? out : (T)(a >> b);
    unsigned char x = (unsigned char)(a ^ out);
    x = b & 1 ? (unsigned char)(x >> 1) : x;
    x = b & 2 ? (unsigned char)(x >> 2) : x;
    x = b & 4 ? (unsigned char)(x >> 4) : x;
    x = (unsigned char)b < 8 ? x : 0;
    return (T)(x ^ out);
}
//: floating lerp
#if defined __FMA__ && !defined __TINYC__
/* a + t * (b - a), three roundings. Processors take many times longer where a product becomes subnormal, but not within
 * a fused operation: of float32 it is rounded there, beside a number of which it fills the last bits. These are the
 * product's, whose sign is that of 0 times as much. */
FN T N(lerp)(T a, T b, T t)
{
    const T d = b - a, beside = (T)0x1.8p-126, sum = F(fma)(t, d, beside);
    const int small = -(int)(sizeof(T) == 4 && (sum > (T)0x1p-126) & (sum < (T)0x1p-125));
    const union { float value; int bits; } from = {(float)beside}, to = {(float)sum}, factor = {(float)t};
    const union { int bits; float value; } sign = {factor.bits & (~small | ~0x7fffffff)};
    const union { float value; int bits; } large = {(float)((T)sign.value * d)};
    const int last = to.bits > from.bits ? to.bits - from.bits : from.bits - to.bits;
    const union { int bits; float value; } product = {large.bits | (small & last)};
    return a + (sizeof(T) == 4 ? (T)product.value : t * d);
}
#else
/* a + t * (b - a), three roundings. */
FN T N(lerp)(T a, T b, T t)
{
    return a + t * (b - a);
}
#endif
//: roundsat roundsat
/* Rounded to the nearest integer that the type has. */
FN T M(roundsat)(S a)
{
    /* The bounds of T. */
    const T top = (T)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    const T bottom = (T)-1 < (T)1 ? (T)(-top - 1) : (T)0;
    if (sizeof(T) < 4 && sizeof(S) == 4) {
        /* 1.5 * 2^23 more rounds to a whole number, a tie to an even one, in the low bits, which are those of T: no
         * function is called where the processor has no such instruction. Integers are compared, of which compilers
         * make minima and maxima. */
        const union {
            float value;
            int word;
        } zero = {0x1.8p23f}, sum = {((T)-1 < (T)1 || a > (S)0 ? (float)a : 0.0f) + zero.value};
        const int low = sum.word < zero.word + bottom ? zero.word + bottom : sum.word;
        const int whole = low > zero.word + top ? zero.word + top : low;
        return (T)((T)-1 < (T)1 && a != a ? 0 : whole);
    }
    /* As far as S has them: float32 has no 2^31 - 1, but the number below 2^31. */
    const S above = (S)top, most = sizeof(T) == sizeof(S) ? above - above / (1 << 24) : above;
    S x = a > (S)bottom ? a : (S)bottom; /* of NaN, too */
    x = x < most ? x : most;
    T r;
    if (sizeof(T) < 8 && sizeof(S) == 8) {
        /* 1.5 * 2^52 more rounds to a whole number, in the low bits. */
        const union {
            double value;
            unsigned long long word;
        } rounded = {(double)x + 0x1.8p52};
        r = (T)rounded.word;
    } else {
        const T whole = (T)(F(rint)(x) + (S)0);
        r = a >= above ? top : whole;
    }
    return (T)-1 < (T)1 && a != a ? (T)0 : r;
}
//: roundsat_long roundsat_long
#if defined __AVX2__ && !defined __AVX512DQ__
/* Rounded to the nearest integer of 64 bits; by integers, since AVX2 has no instruction for that. */
FN T M(roundsat_long)(S a)
{
    const union {
        double value;
        unsigned long long word;
    } whole = {F(rint)(a)};
    const unsigned long long size = whole.word & ~0ull >> 1, sign = 0 - (whole.word >> 63), infinity = 2047ull << 52;
    const int negative = (T)-1 < (T)1, exponent = (int)(size >> 52), inside = exponent < (negative ? 1086 : 1087);
    const unsigned long long digits = whole.word << 11 | (size ? 1ull << 63 : 0), most = ~0ull >> negative;
    const unsigned long long x = inside ? digits >> ((1086 - exponent) & 63) : most;
    const unsigned long long ends = inside ? (x ^ sign) - sign : x ^ sign;
    return size > infinity ? (T)0 : (T)(negative ? ends : x & ~sign);
}
#else
/* Rounded to the nearest integer of 64 bits. */
FN T M(roundsat_long)(S a)
{
    const T top = (T)(~0ull >> ((T)-1 < (T)1)), bottom = (T)-1 < (T)1 ? (T)(-top - 1) : (T)0;
    const S above = (S)top, whole = F(rint)(a) + (S)0;
    const T inside = (T)(whole >= (S)bottom && whole < above ? whole : (S)0);
    return whole >= above ? top : whole < (S)bottom ? bottom : inside;
}
#endif
//: halves halves
#if defined __AVX512DQ__           /* has an instruction for it */
#elif defined __SSE2__ && defined __GNUC__ && !defined __clang__ && !defined __TINYC__ && !defined __ASSOCIATIVE_MATH__
/* A double of 64 bits, rounded once: the sum of its halves, which are fractions of 2^52 and 2^84. */
static inline double M(halves)(unsigned long long x)
{
    const int negative = (S)-1 < (S)1;
    const unsigned long long upper = x >> 32 ^ (unsigned long long)negative << 31;
    const union {
        unsigned long long word;
        double value;
    } low = {(x & 0xffffffff) | 0x433ull << 52}, high = {upper | 0x453ull << 52};
    return high.value - (negative ? 0x1.00000801p84 : 0x1.00000001p84) + low.value;
}
#else
/* A double of 64 bits, rounded once. */
static inline double M(halves)(unsigned long long x)
{
    return (double)(S)x;
}
#endif
//: exact exact
#if !defined __AVX512DQ__
/* Of more than 53 digits those beyond become the last one: a double holds them, and a float of it is rounded once. */
static inline unsigned long long M(exact)(S a)
{
    const int negative = (S)-1 < (S)1;
    const unsigned long long x = (unsigned long long)a, more = (x + ((unsigned long long)negative << 52)) >> 53;
    const unsigned long long lost = more ? x & 0x7ff : 0;
    return (x ^ lost) | (unsigned long long)(lost != 0) << 11;
}
#endif
//: of_whole of_whole
#if !defined __AVX512DQ__
/* The float of an integer of 64 bits, rounded once. */
FN T M(of_whole)(S a)
{
    return (T)M(halves)(sizeof(T) == 4 ? M(exact)(a) : (unsigned long long)a);
}
#else
/* The float of an integer of 64 bits, rounded once. */
FN T M(of_whole)(S a)
{
    return (T)a;
}
#endif
//: places head
const i64 k = places[n];
//: found head
const i64 k = places[n] ? next++ : -1;
//: rows head
#if defined __GNUC__ && !defined __TINYC__ && defined __AVX512BW__
enum { OWN(LANES) = 16 };
#define WIDE "v"
#define HALF(n) "%t" #n
#define INSERT "vinserti64x4"
#define BYTES_IN_ORDER {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}
#define WORDS_IN_ORDER {0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15}
#elif defined __GNUC__ && !defined __TINYC__ && defined __AVX2__
enum { OWN(LANES) = 8 };
#define WIDE "x"
#define HALF(n) "%x" #n
#define INSERT "vinserti128"
#define BYTES_IN_ORDER {0, 4, 1, 5, 2, 6, 3, 7}
#define WORDS_IN_ORDER {0, 1, 4, 5, 2, 3, 6, 7}
#endif
#ifdef WIDE
typedef u8 OWN(bytes) __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
/* Whether a block goes past the caches. */
static inline int OWN(streams)(const struct weft_args *args, const void *to)
{
    return args->stream && (u64)to % sizeof(bytes) == 0;
}
static inline void OWN(stream)(void *to, const void *from, int size)
{
    for (int k = 0; k < size; k += sizeof(bytes)) {
        const bytes x = *(const bytes *)((const char *)from + k);
        __asm__ volatile("vmovntdq %1, %0" : "=m"(*(bytes *)((char *)to + k)) : WIDE(x));
    }
}
#else
static inline int OWN(streams)(const struct weft_args *args, const void *to)
{
    return 0;
}
static inline void OWN(stream)(void *to, const void *from, int size)
{
}
#endif
/* Brings what a later block reads near, if the work is large. Always inline: gcc takes calls for ones without an
 * effect. */
#if defined __GNUC__ && !defined __TINYC__
__attribute__((always_inline))
#endif
static inline void OWN(fetch)(const void *from, i64 ahead, int size)
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
 * what the next tile or row reads is then fetched, upwards. */
#if defined __GNUC__ && !defined __TINYC__
__attribute__((always_inline))
#endif
static inline void OWN(fetch_row)(const struct weft_args *args, const struct weft_geometry *s, const char *p,
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
/* How many elements a turn takes: those of a short first one, once, then a block or what is left. */
static inline i64 OWN(block_of)(i64 *head, i64 left)
{
    const i64 count = *head ? *head : BLOCK;
    *head = 0;
    return left < count ? left : count;
}
/* How many elements a turn takes: all whole blocks, or what is left. */
static inline i64 OWN(blocks_of)(i64 left)
{
    return left < BLOCK ? left : left & -BLOCK;
}
//: vector head
#ifdef WIDE
typedef i32 OWN(ints) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u32 OWN(words) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u64 OWN(longs) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f64 OWN(doubles) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef f32 OWN(floats) __attribute__((vector_size(4 * LANES), aligned(4), may_alias));
typedef u8 OWN(quarter) __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef u8 OWN(half) __attribute__((vector_size(2 * LANES), aligned(1), may_alias));
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
#define WORDS_u32 ""
#define BYTES_i32 ""
#define BYTES_u32 ""
#define FOR(what, type) FOR_TYPE(what, type)
#define FOR_TYPE(what, type) what##_##type
/* The products of low halves. */
static inline longs OWN(product)(longs a, u64 b)
{
    const longs c = (longs){0} + b;
    longs r;
    __asm__("vpmuludq %2, %1, %0" : "=" WIDE(r) : WIDE(a), WIDE(c));
    return r;
}
#endif
#ifdef __clang__ /* inline, clang 14 peels the loop behind by an element, and reads across stores */
#define CONVERSION SEPARATE static
#else
#define CONVERSION static inline
#endif
//: widen widen
#ifdef WIDE
/* Converts a block of small integers to float32. */
CONVERSION void M(widen)(f32_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        ints x;
        floats y;
        if (sizeof(S) == 1)
            __asm__(FOR(EXTEND, S) " %1, %0" : "=" WIDE(x) : "m"(*(const quarter *)(a + j)));
        else
            __asm__(FOR(EXTEND, S) " %1, %0" : "=" WIDE(x) : "m"(*(const half *)(a + j)));
        __asm__("vcvtdq2ps %1, %0" : "=" WIDE(y) : WIDE(x));
        *(floats *)(r + j) = y;
    }
}
#else
/* Converts a block of small integers to float32. */
CONVERSION void M(widen)(f32_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = (f32)a[j];
}
#endif
//: narrow narrow
#ifdef WIDE
/* Halves to even; above T becomes its largest, NaN 0; below stays below, for the packing to saturate. Of 32 bits an
 * int32 that is too large or too small becomes the smallest. */
static inline ints M(whole)(const S_m *a)
{
    const S largest = (S)(~0ull >> (64 - 8 * sizeof(T) + ((T)-1 < (T)1)));
    ints r;
    if (sizeof(S) == 8) {
        const doubles top = (doubles){0} + (f64)largest;
        ints parts[2];
        for (int k = 0; k < 2; k++) {
            doubles x = *(const doubles *)(a + k * LANES / 2);
            if ((T)-1 < (T)1)
                x = (doubles)((longs)x & (longs)(x == x));
            __asm__("vminpd %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
            __asm__("vcvtpd2dq %1, " HALF(0) : "=" WIDE(parts[k]) : WIDE(x));
        }
        __asm__(INSERT " $1, " HALF(2) ", %1, %0" : "=" WIDE(r) : WIDE(parts[0]), WIDE(parts[1]));
        return r;
    }
    const floats top = (floats){0} + (f32)largest;
    floats x = *(const floats *)a;
    if (sizeof(T) == 4 && (T)-1 > (T)1) { /* NaN gives the second operand, and what is too large the largest */
        const floats zero = {0};
#ifdef __AVX512F__
        __asm__("vmaxps %2, %1, %0\n\tvcvtps2udq %0, %0" : "=&v"(r) : "v"(x), "v"(zero));
        return r;
#else
        __asm__("vmaxps %1, %0, %0" : "+x"(x) : "x"(zero));
        const floats middle = zero + 0x1p31f;
        const ints upper = (ints)(x >= middle);
        __asm__("vcvtps2dq %1, %0" : "=x"(r) : "x"(x - (floats)(upper & (ints)middle)));
        return (r ^ upper << 31) | (ints)(x >= top);
#endif
    }
    if ((T)-1 < (T)1)
        x = (floats)((ints)x & (ints)(x == x));
    if (sizeof(T) == 4) {
        __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
        return r ^ (ints)(x >= top); /* the largest */
    }
    __asm__("vminps %1, %2, %0" : "=" WIDE(x) : WIDE(x), WIDE(top));
    __asm__("vcvtps2dq %1, %0" : "=" WIDE(r) : WIDE(x));
    return r;
}
/* Rounds a block of floats to small integers. */
CONVERSION void M(narrow)(T_m *r, const S_m *a)
{
    const ints words_ = WORDS_IN_ORDER, bytes_ = BYTES_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 4 * LANES / sizeof(T)) {
        ints x = M(whole)(a + j), y = x;
        if (sizeof(T) == 4) {
            *(ints *)(r + j) = x;
            continue;
        }
        y = M(whole)(a + j + LANES);
        __asm__(FOR(WORDS, T) " %1, %0, %0" : "+" WIDE(x) : WIDE(y));
        if (sizeof(T) == 1) {
            ints z = M(whole)(a + j + 2 * LANES), w = M(whole)(a + j + 3 * LANES);
            __asm__(FOR(WORDS, T) " %1, %0, %0" : "+" WIDE(z) : WIDE(w));
            __asm__(FOR(BYTES, T) " %1, %0, %0" : "+" WIDE(x) : WIDE(z));
        }
        __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(sizeof(T) == 1 ? bytes_ : words_));
        *(bytes *)(r + j) = (bytes)x; /* an output may have any alignment */
    }
}
#else
/* Rounds a block of floats to small integers. */
CONVERSION void M(narrow)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(roundsat)(a[j]);
}
#endif
//: sticky sticky
#if defined WIDE && defined __AVX512F__
/* Cut, and where that lost something with an odd last bit. */
static inline ints M(cut)(const S_m *a)
{
    const doubles x = *(const doubles *)a;
    const ints one = (ints){0} + 1;
    doubles back;
    ints r;
    __asm__("vcvtpd2ps %{rz-sae%}, %2, %t0\n\t"
            "vcvtps2pd %t0, %1\n\t"
            "vcmppd $4, %2, %1, %%k1\n\t"
            "vpord %t3, %t0, %t0 %{%%k1%}"
            : "=&v"(r), "=&v"(back) : "v"(x), "v"(one) : "k1");
    return r;
}
CONVERSION void M(sticky)(T_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) { /* whole vectors: half ones would be slow to read as such */
        const ints low = M(cut)(a + j), high = M(cut)(a + j + LANES / 2);
        __asm__(INSERT " $1, %t2, %1, %0" : "=v"(*(ints *)(r + j)) : "v"(low), "v"(high));
    }
}
#else
CONVERSION void M(sticky)(T_m *r, const S_m *a)
{
    const unsigned long long lowest = 897ull << 52; /* of what float32 has all 24 digits */
    unsigned long long small = 0;
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) { /* what is cut off becomes the last digit */
        union {
            S value;
            unsigned long long word;
        } u = {a[j]};
        const unsigned long long size = u.word & ~0ull >> 1, cut = u.word & 0x1fffffff;
        small |= (size - lowest) & (0 - size); /* the sign: below, and not 0 */
        u.word = (u.word ^ cut) | (unsigned long long)(cut != 0) << 29;
        r[j] = (T)u.value;
    }
    INDEPENDENT
    for (int j = 0; small >> 63 && j < BLOCK; j++)
        r[j] = M(odd)(a[j]);
}
#endif
//: sticky_whole sticky_whole
#if defined WIDE && defined __AVX512DQ__
#undef CUT_WHOLE
#define CUT_WHOLE(convert, back_again, differ, half) \
    __asm__(convert " %{rz-sae%}, %2, %" half "0\n\t" back_again " %" half "0, %1\n\t" differ " %2, %1, %%k1\n\t" \
            "vpord %" half "3, %" half "0, %" half "0 %{%%k1%}" \
            : "=&v"(r), "=&v"(back) : "v"(x), "v"(one) : "k1")
/* Cut, and where that lost something with an odd last bit. Of 64 bits the result is half a vector. */
static inline ints M(cut_whole)(const S_m *a)
{
    const longs x = *(const longs *)a;
    const ints one = (ints){0} + 1;
    const int negative = (S)-1 < (S)1;
    longs back;
    ints r;
    if (sizeof(S) == 8 && negative)
        CUT_WHOLE("vcvtqq2ps", "vcvttps2qq", "vpcmpneqq", "t");
    else if (sizeof(S) == 8)
        CUT_WHOLE("vcvtuqq2ps", "vcvttps2uqq", "vpcmpneqq", "t");
    else if (negative)
        CUT_WHOLE("vcvtdq2ps", "vcvttps2dq", "vpcmpneqd", "");
    else
        CUT_WHOLE("vcvtudq2ps", "vcvttps2udq", "vpcmpneqd", "");
    return r;
}
CONVERSION void M(sticky_whole)(T_m *r, const S_m *a)
{
    if (sizeof(S) < 4) {           /* nothing is lost */
        INDEPENDENT
        for (int j = 0; j < BLOCK; j++)
            r[j] = (T)a[j];
        return;
    }
    for (int j = 0; j < BLOCK; j += LANES) {
        const ints low = M(cut_whole)(a + j);
        if (sizeof(S) == 4) {
            *(ints *)(r + j) = low;
            continue;
        }
        const ints high = M(cut_whole)(a + j + LANES / 2);
        __asm__(INSERT " $1, %t2, %1, %0" : "=v"(*(ints *)(r + j)) : "v"(low), "v"(high));
    }
}
#else
CONVERSION void M(sticky_whole)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++) {
#if !defined __AVX512DQ__
        if (sizeof(S) == 8) {
            union {
                double value;
                unsigned long long word;
            } u = {M(halves)(M(exact)(a[j]))};
            const unsigned long long cut = u.word & 0x1fffffff; /* becomes the last digit */
            u.word = (u.word ^ cut) | (unsigned long long)(cut != 0) << 29;
            r[j] = (T)u.value;
            continue;
        }
#endif
        r[j] = M(odd_whole)(a[j]);
    }
}
#endif
//: unpack unpack
#if defined WIDE && defined __F16C__
/* Converts a block of 16-bit floats to float32. */
CONVERSION void M(unpack)(T_m *r, const S_m *a)
{
    for (int j = 0; j < BLOCK; j += LANES) {
        floats x;
        if (FRACTION == 10) {
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
/* Converts a block of 16-bit floats to float32. */
CONVERSION void M(unpack)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(decode)(a[j]);
}
#endif
//: pack pack
#if defined WIDE && defined __F16C__
/* The nearest that a bfloat16 holds, in the lower half of each element: half of its last digit is added, less a unit
 * where that is 0. A NaN becomes a quiet one. */
static inline ints M(rounded)(const S_m *a)
{
    const words y = *(const words *)a, below_half = (words){0} + 0x7fff, quiet = (words){0} + (1 << 22);
#ifdef __AVX512F__
    const words digit = (words){0} + (1 << 16), one = (words){0} + 1;
    ints r;
    __asm__("vcmpps $3, %1, %1, %%k1\n\t"
            "vptestmd %4, %1, %%k2\n\t"
            "vpaddd %2, %1, %0\n\t"
            "vpaddd %5, %0, %0 %{%%k2%}\n\t"
            "vpord %3, %1, %0 %{%%k1%}\n\t"
            "vpsrld $16, %0, %0"
            : "=&v"(r) : "v"(y), "v"(below_half), "v"(quiet), "v"(digit), "v"(one) : "k1", "k2");
    return r;
#else
    words r = y + below_half + (y >> 16 & 1);
    __asm__("vblendvps %2, %1, %0, %0" : "+x"(r) : "x"(y | quiet), "x"((floats)y != (floats)y));
    return (ints)(r >> 16);
#endif
}
/* Rounds a block of float32 to 16-bit floats. */
CONVERSION void M(pack)(T_m *r, const S_m *a)
{
    const ints order = WORDS_IN_ORDER;
    for (int j = 0; j < BLOCK; j += 2 * LANES) {
        if (FRACTION == 10) {
            const floats x = *(const floats *)(a + j), y = *(const floats *)(a + j + LANES);
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j)) : WIDE(x));
            __asm__("vcvtps2ph $0, %1, %0" : "=m"(*(half *)(r + j + LANES)) : WIDE(y));
        } else {
            ints x = M(rounded)(a + j), y = M(rounded)(a + j + LANES);
            __asm__("vpackusdw %1, %0, %0" : "+" WIDE(x) : WIDE(y));
            __asm__("vpermd %0, %1, %0" : "+" WIDE(x) : WIDE(order));
            *(bytes *)(r + j) = (bytes)x;
        }
    }
}
#else
/* Rounds a block of float32 to 16-bit floats. */
CONVERSION void M(pack)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(encode)(a[j]);
}
#endif
//: nearest nearest
#if defined WIDE && defined __F16C__
/* Rounds a block of float32 to values that 16-bit floats have. */
CONVERSION void M(nearest)(T_m *r, const S_m *a)
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
/* Rounds a block of float32 to values that 16-bit floats have. */
CONVERSION void M(nearest)(T_m *r, const S_m *a)
{
    INDEPENDENT
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(to_float16)(a[j]);
}
#endif
