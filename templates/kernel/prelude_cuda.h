/* Moving elements between tensors and the registers of a thread, for a storage type T; the tokens are those
 * of dialect.h. A chunk is BLOCK elements: CHUNK, or one. Stores are told how many of them are there, m: all, or
 * none. All loops over a chunk are unrolled, so that arrays are registers. The text is CUDA C++ and C11 at once, but
 * for what only a GPU knows. */

//: move head
#ifdef __CUDA_ARCH__
#define UNROLLED _Pragma("unroll")
#define ROLLED _Pragma("unroll 1")
#define DEVICE static __device__ __forceinline__ __attribute__((unused))
#define SEPARATE static __device__ __noinline__
#define BY_VALUE __grid_constant__
/* NVRTC compares each load with all in front of it, but looks back no further than this. */
#define SO_FAR asm volatile("" ::: "memory");
#define SHIFTED(low, high, bits) __funnelshift_r(low, high, bits)
#else
#define UNROLLED
#define ROLLED
#define DEVICE static inline
#define SEPARATE static
#define BY_VALUE
#define SO_FAR
#define SHIFTED(low, high, bits) (u32)(((unsigned long long)(high) << 32 | (low)) >> (bits))
#endif
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
#define PICKS 1 /* min.NaN and max.NaN are there */
#else
#define PICKS 0
#endif
#ifdef __cplusplus
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS)
#else
#define KERNEL __global__ void
#endif
#define INDEPENDENT UNROLLED
#define MAY_ALIAS __attribute__((may_alias))
#define ALIGNED __attribute__((aligned(16)))
#define SIZE_AT_ONCE(type) (CHUNK * sizeof(type) < 16 ? CHUNK * sizeof(type) : 16)
#define CHUNKS_MOST (UNROLL > SINGLES ? UNROLL : SINGLES)
#define STEP(access) (index)s->strides[access][GROUPS]
#define JUMP(access) (index)s->strides[access][GROUPS + 1]
#if GROUPS <= 3
#define OUTER GROUPS
#define EACH_GROUP UNROLLED
#else
#define OUTER (int)s->groups
#define EACH_GROUP ROLLED
#endif
#if WIDE
typedef long long OWN(index), OWN(tiles_index);
typedef unsigned long long OWN(uindex);
#ifdef __CUDA_ARCH__
#define HIGH(a, b) __umul64hi(a, b)
#else
#define HIGH(a, b) (uindex)((unsigned __int128)(a) * (b) >> 64)
#endif
#else
typedef int OWN(index);
typedef unsigned int OWN(uindex), OWN(tiles_index); /* tiles of all samples: their elements would fill terabytes */
#define HIGH(a, b) (uindex)((unsigned long long)(a) * (uindex)(b) >> 32)
#endif
/* One instruction, where the compiler may not see that both are narrow. */
DEVICE long long OWN(times)(index a, index b)
{
#if defined __CUDA_ARCH__ && !WIDE
    long long r;
    asm("mul.wide.s32 %0, %1, %2;" : "=l"(r) : "r"(a), "r"(b));
    return r;
#else
    return (long long)a * b;
#endif
}
//: numbers head
#if GROUPS || FLAT || MAPPED
/* Of numbers below 2^31, or 2^63 where indices are wide. */
DEVICE uindex OWN(divide)(uindex n, const struct weft_divisor *by)
{
    return (HIGH(n, by->multiplier) + n) >> by->shift;
}
#endif
#if MAPPED
/* Bytes behind a tensor's first element to the one at column i of the row whose first element has number
 * `row`. A level takes a number apart into the digits of its pieces, innermost first: the sum of their
 * strides is the next level's number, and bytes in the end. */
SEPARATE i64 OWN(mapped_to)(const i64 *map, i64 row, uindex i)
{
    i64 next = row;
    for (i64 levels = *map++; levels > 0; levels--) {
        i64 pieces = *map++;
        for (next += *map++; pieces > 0; pieces--, map += 4) {
            uindex digit = i;
            if (pieces > 1) {
                i = divide(i, (const struct weft_divisor *)map);
                digit -= i * (uindex)map[0];
            }
            next += (i64)digit * map[3];
        }
        if (levels > 1) {
            i = (uindex)next;
            next = 0;
        }
    }
    return next;
}
#endif
//: samples head
#if MANY
/* The sample with this tile: the last one that begins no later. All threads of a warp ask for the same tile, so on a
 * GPU they search 32 ways at once. */
DEVICE const struct weft_sample *OWN(find_sample)(const struct weft_sample *sample, tiles_index count, tiles_index tile)
{
#ifdef __CUDA_ARCH__
    while (count > 1) {
        const tiles_index apart = (count + 31) / 32, at = threadIdx.x % 32 * apart;
        const bool before = at < count && (tiles_index)sample[at].first_tile <= tile;
        const tiles_index skipped = (__popc(__ballot_sync(~0u, before)) - 1) * apart;
        sample += skipped;
        count = count - skipped < apart ? count - skipped : apart;
    }
#else
    while (count > 1) {
        const tiles_index half = count / 2;
        if ((tiles_index)sample[half].first_tile <= tile)
            sample += half, count -= half;
        else
            count = half;
    }
#endif
    return sample;
}
#endif
//: move chunk
/* In words: bytes that arrive one by one would be put together again. */
struct MAY_ALIAS __attribute__((aligned(SIZE_AT_ONCE(T)))) N(chunk) {
    u32 word[CHUNK * sizeof(T) / 4 + (CHUNK * sizeof(T) < 4)];
};
//: move load
/* Loads a chunk from memory. */
DEVICE void N(load)(T *x, const char *from, const int BLOCK)
{
    if (BLOCK == 1)
        *x = *(const T *)from;
    else if (CHUNK * sizeof(T) < 4)
        *(u16_m *)x = *(const u16_m *)from;
    else
        *(struct N(chunk) *)x = *(const struct N(chunk) *)from;
}
//: move unaligned
/* Narrow elements come in whole words, of which the first and the last are theirs only in part. If MIXED, this operand
 * may be aligned. */
DEVICE void N(unaligned)(T *x, const char *from, const int BLOCK)
{
    const unsigned skip = (unsigned)(unsigned long long)from % 4;
    const u32_m *const words = (const u32_m *)(from - skip);
    struct N(chunk) chunk;
    if (MIXED && BLOCK > 1 && (unsigned long long)from % SIZE_AT_ONCE(T) == 0) {
        N(load)(x, from, BLOCK);
        return;
    }
    if (BLOCK == 1 || sizeof(T) >= 4 || CHUNK * sizeof(T) < 4) {
        UNROLLED
        for (int j = 0; j < BLOCK; j++)
            x[j] = ((const T *)from)[j];
        return;
    }
    u32 low = words[0];
    UNROLLED
    for (int k = 0; k < (int)(CHUNK * sizeof(T) / 4); k++) {
        const u32 high = words[(k + 1) * 4 < (int)(CHUNK * sizeof(T)) || skip ? k + 1 : k];
        chunk.word[k] = SHIFTED(low, high, 8 * skip);
        low = high;
    }
    *(struct N(chunk) *)x = chunk;
}
//: move store
/* Stores a chunk to memory. */
DEVICE void N(store)(char *to, const T *x, int m, const int BLOCK)
{
    if (!m)
        return;
    if (BLOCK == 1)
        *(T *)to = *x;
    else if (CHUNK * sizeof(T) < 4)
        *(u16_m *)to = *(const u16_m *)x;
    else
        *(struct N(chunk) *)to = *(const struct N(chunk) *)x;
}
//: move gather
/* Loads a chunk whose elements are a step apart. */
DEVICE void N(gather)(T *x, const char *from, index step, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = *(const T *)(from + times(j, step));
}
//: move scatter
/* Stores a block whose elements are a step apart. */
DEVICE void N(scatter)(char *to, index step, const T *x, int m, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        if (m)
            *(T *)(to + times(j, step)) = x[j];
}
//: move periodic
/* Loads a chunk of elements that repeat. */
DEVICE void N(periodic)(T *x, const char *from, index step, index phase, index period, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        if (PERIOD && j >= PERIOD) {
            x[j] = x[j - PERIOD];
            continue;
        }
        x[j] = *(const T *)(from + times(phase, step));
        phase = phase + 1 < period ? phase + 1 : 0;
    }
}
//: move nested
/* Brings a block whose elements lie in two levels. */
DEVICE void N(nested)(T *x, const char *from, index step, index jump, index turn, index phase, index period,
                      const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        x[j] = *(const T *)(from + times(turn, jump) + times(phase, step));
        if (++phase == period)
            phase = 0, turn++;
    }
}
//: move column
/* The elements of as many turns as a chunk may meet, and of these for each place one of two. The last turn that there
 * is takes the place of those beyond the chunk. */
DEVICE void N(column)(T *x, const char *from, index jump, index turn, index phase, index period, const int BLOCK)
{
    const int whole = PERIOD ? PERIOD : CHUNK, most = BLOCK > 1 ? (CHUNK - 1) / whole + 2 : 1;
    const index left = period - phase;
    T turns[(CHUNK - 1) / (PERIOD ? PERIOD : CHUNK) + 2];
    UNROLLED
    for (int k = 0; k < most; k++)
        turns[k] = *(const T *)(from + times(turn + (k && k * whole - whole + left >= BLOCK ? 0 : k), jump));
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = BLOCK > 1 && j % whole >= left ? turns[j / whole + 1] : turns[j / whole];
}
//: move spread
/* Stores a block whose elements lie in two levels. */
DEVICE void N(spread)(char *to, index step, index jump, index turn, index phase, index period, const T *x,
                      int m, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        if (m)
            *(T *)(to + times(turn, jump) + times(phase, step)) = x[j];
        if (++phase == period)
            phase = 0, turn++;
    }
}
//: move mapped
/* Loads elements that are found by number. */
DEVICE void N(mapped)(T *x, const char *from, const i64 *map, i64 row, index i, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = *(const T *)(from + mapped_to(map, row, (uindex)(i + j)));
}
//: move edge
/* The digit that is read in place of one outside: 1 the nearest, 2 the one as many rounds away, 3 the one that lies as
 * far behind the end, 4 the same where the last one is passed once. */
DEVICE i64 N(edge)(i64 digit, i64 low, i64 high, i64 edge)
{
    const i64 n = high - low, round = edge == 2 ? n : edge == 3 ? 2 * n : 2 * n - 2;
    if (edge == 1 || round == 0)
        return digit < low ? low : high - 1;
    i64 p = digit - low;
    if (p < -round || p >= round)
        p %= round;
    p += p < 0 ? round : 0;
    return low + (p < n ? p : 2 * n - (edge == 3 ? 1 : 2) - p);
}
//: move bounded_to
/* As mapped_to, but where a digit of some level lies outside its bounds what is read stands in the level, or is another
 * element. */
SEPARATE const char *N(bounded_to)(const char *from, const i64 *map, i64 row, uindex i)
{
    i64 next = row;
    for (i64 levels = *map++; levels > 0; levels--) {
        i64 pieces = *map++;
        next += *map++;
        const char *const outside = (const char *)map++;
        for (; pieces > 0; pieces--, map += 7) {
            uindex rest = i;
            if (pieces > 1) {
                i = divide(i, (const struct weft_divisor *)map);
                rest -= i * (uindex)map[0];
            }
            i64 digit = (i64)rest;
            if (digit < map[4] || digit >= map[5]) {
                if (!map[6])
                    return outside;
                digit = N(edge)(digit, map[4], map[5], map[6]);
            }
            next += digit * map[3];
        }
        if (levels > 1) {
            i = (uindex)next;
            next = 0;
        }
    }
    return from + next;
}
//: move bounded
/* Loads elements that are found by number, or what stands for those outside. */
DEVICE void N(bounded)(T *x, const char *from, const i64 *map, i64 row, index i, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = *(const T *)N(bounded_to)(from, map, row, (uindex)(i + j));
}
//: move taken
/* An element by a number that is computed; 0 where that is negative. */
DEVICE T N(taken)(const char *from, const i64 *map, i64 number)
{
    return number < 0 ? (T)0 : *(const T *)(from + mapped_to(map, 0, (uindex)number));
}
//: move taken_bounded
/* Takes one element, or what stands for one outside. */
DEVICE T N(taken_bounded)(const char *from, const i64 *map, i64 number)
{
    return number < 0 ? (T)0 : *(const T *)N(bounded_to)(from, map, 0, (uindex)number);
}
//: move fill
/* Fills a block with one element. */
DEVICE void N(fill)(T *x, T value, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = value;
}
//: places head
const i64 place = n0 + own < count ? places[n0 + own] : -1;
//: found head
const bool found = n0 + own < count && places[n0 + own];
i64 before = next;
chosen[own] = found;
__syncthreads();
for (int n = 0; n < THREADS; n++) {
    before += n < own ? chosen[n] : 0;
    next += chosen[n];
}
__syncthreads();
const i64 place = found ? before : -1;
//: vector head
#ifdef __CUDA_ARCH__
/* Bytes 0 to 3 are those of `low`, 4 to 7 of `high`; each nibble of `which` names one. */
DEVICE u32 OWN(permuted)(u32 low, u32 high, u32 which)
{
    return __byte_perm(low, high, which);
}
/* The nearest integer, halves to even; saturates, and of a NaN makes 0. */
DEVICE i32 OWN(nearest_whole)(f32 x)
{
    i32 r;
    asm("cvt.rni.s32.f32 %0, %1;" : "=r"(r) : "f"(x));
    return r;
}
/* Two integers brought into the type, below what the lower half of `rest` holds. */
DEVICE u32 OWN(packed_u8)(i32 high, i32 low, u32 rest)
{
    u32 r;
    asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(high), "r"(low), "r"(rest));
    return r;
}
DEVICE u32 OWN(packed_i8)(i32 high, i32 low, u32 rest)
{
    u32 r;
    asm("cvt.pack.sat.s8.s32.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(high), "r"(low), "r"(rest));
    return r;
}
DEVICE u32 OWN(packed_u16)(i32 high, i32 low, u32 rest)
{
    u32 r;
    asm("cvt.pack.sat.u16.s32 %0, %1, %2;" : "=r"(r) : "r"(high), "r"(low));
    return r;
}
DEVICE u32 OWN(packed_i16)(i32 high, i32 low, u32 rest)
{
    u32 r;
    asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(r) : "r"(high), "r"(low));
    return r;
}
#else
DEVICE u32 OWN(permuted)(u32 low, u32 high, u32 which)
{
    const u64 all = (u64)high << 32 | low;
    u32 r = 0;
    for (int k = 0; k < 4; k++)
        r |= (u32)(all >> 8 * (which >> 4 * k & 7) & 0xff) << 8 * k;
    return r;
}
DEVICE i32 OWN(nearest_whole)(f32 x)
{
    const f32 r = rintf(x), most = 2147483648.0f;
    return r != r ? 0 : r >= most ? 0x7fffffff : r < -most ? -0x7fffffff - 1 : (i32)r;
}
DEVICE u32 OWN(within)(i32 x, i32 bottom, i32 top)
{
    return (u32)(x < bottom ? bottom : x > top ? top : x);
}
DEVICE u32 OWN(packed_u8)(i32 high, i32 low, u32 rest)
{
    return rest << 16 | within(high, 0, 255) << 8 | within(low, 0, 255);
}
DEVICE u32 OWN(packed_i8)(i32 high, i32 low, u32 rest)
{
    return rest << 16 | (within(high, -128, 127) & 0xff) << 8 | (within(low, -128, 127) & 0xff);
}
DEVICE u32 OWN(packed_u16)(i32 high, i32 low, u32 rest)
{
    return within(high, 0, 65535) << 16 | within(low, 0, 65535);
}
DEVICE u32 OWN(packed_i16)(i32 high, i32 low, u32 rest)
{
    return within(high, -32768, 32767) << 16 | (within(low, -32768, 32767) & 0xffff);
}
#endif
#define PACKED_(type) packed_##type
#define PACKED(type) PACKED_(type)
//: widen widen
/* Where a float's unit is 1, from 2^23 on, an integer in its low bits adds that much to it. */
FN void M(widen)(T_m *r, const S_m *a, const int BLOCK)
{
    const int bytes = sizeof(S), each = 4 / bytes;
    const u32 flip = (S)-1 > (S)1 ? 0 : bytes == 1 ? 0x80808080 : 0x80008000;
    const f32 less = 8388608.0f + ((S)-1 > (S)1 ? 0.0f : bytes == 1 ? 128.0f : 32768.0f);
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        if (BLOCK % each != 0) {
            r[j] = (f32)a[j]; /* not enough for a word */
            continue;
        }
        union {
            u32 word;
            f32 value;
        } x = {((const u32_m *)a)[j / each] ^ flip};
        x.word = permuted(x.word, 0x4b000000, bytes == 1 ? 0x7440 + j % 4 : 0x7410 + j % 2 * 0x22);
        r[j] = x.value - less;
    }
}
//: narrow narrow
/* Rounds a block of float32 to small integers. */
FN void M(narrow)(T_m *r, const f32_m *a, const int BLOCK)
{
    const int each = BLOCK % (4 / sizeof(T)) == 0 ? 4 / sizeof(T) : 1;
    UNROLLED
    for (int j = 0; j < BLOCK; j += each) {
        if (each == 1) {
            r[j] = (T)PACKED(T)(0, nearest_whole(a[j]), 0); /* not enough for a word */
            continue;
        }
        u32 rest = 0;
        if (each == 4)
            rest = PACKED(T)(nearest_whole(a[j + 3]), nearest_whole(a[j + 2]), 0);
        ((u32_m *)r)[j / each] = PACKED(T)(nearest_whole(a[j + 1]), nearest_whole(a[j]), rest);
    }
}
//: unpack unpack
#ifdef __CUDA_ARCH__
/* Converts a block of 16-bit floats to float32. */
DEVICE void M(unpack)(T_m *r, const S_m *a, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        if (FRACTION == 10)
            asm("cvt.f32.f16 %0, %1;" : "=f"(r[j]) : "h"(a[j]));
        else
            r[j] = __uint_as_float((u32)a[j] << 16);
}
#else
/* Converts a block of 16-bit floats to float32. */
DEVICE void M(unpack)(T_m *r, const S_m *a, const int BLOCK)
{
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(decode)(a[j]);
}
#endif
//: pack pack
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
/* Rounds a block of float32 to 16-bit floats. */
DEVICE void M(pack)(T_m *r, const S_m *a, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j += 2) {
        u32 word;
        const S high = j + 1 < BLOCK ? a[j + 1] : (S)0;
        if (FRACTION == 10)
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(a[j]));
        else
            asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(a[j]));
        if (BLOCK % 2 == 0)
            ((u32_m *)r)[j / 2] = word;
        else
            r[j] = (T_m)word;
    }
}
#elif defined __CUDA_ARCH__
/* Rounds a block of float32 to 16-bit floats. */
DEVICE void M(pack)(T_m *r, const S_m *a, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        if (FRACTION == 10)
            asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r[j]) : "f"(a[j]));
        else
            r[j] = M(encode)(a[j]);
}
#else
/* Rounds a block of float32 to 16-bit floats. */
DEVICE void M(pack)(T_m *r, const S_m *a, const int BLOCK)
{
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(encode)(a[j]);
}
#endif
//: nearest nearest
#ifdef __CUDA_ARCH__
/* Rounds a block of float32 to values that 16-bit floats have. */
DEVICE void M(nearest)(T_m *r, const S_m *a, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        unsigned short half;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a[j]));
        asm("cvt.f32.f16 %0, %1;" : "=f"(r[j]) : "h"(half));
    }
}
#else
/* Rounds a block of float32 to values that 16-bit floats have. */
DEVICE void M(nearest)(T_m *r, const S_m *a, const int BLOCK)
{
    for (int j = 0; j < BLOCK; j++)
        r[j] = M(to_float16)(a[j]);
}
#endif
//: library sinf
SEPARATE f32 OWN(far_sinf)(f32 x)
{
    return sinf(x);
}
DEVICE f32 OWN(own_sinf)(f32 x)
{
    if (fabsf(x) >= 105615.0f) /* the condition inside, which is then known */
        return far_sinf(x);
    return sinf(x);
}
//: library cosf
SEPARATE f32 OWN(far_cosf)(f32 x)
{
    return cosf(x);
}
DEVICE f32 OWN(own_cosf)(f32 x)
{
    if (fabsf(x) >= 105615.0f) /* the condition inside, which is then known */
        return far_cosf(x);
    return cosf(x);
}
//: library tanf
SEPARATE f32 OWN(far_tanf)(f32 x)
{
    return tanf(x);
}
DEVICE f32 OWN(own_tanf)(f32 x)
{
    if (fabsf(x) >= 105615.0f) /* the condition inside, which is then known */
        return far_tanf(x);
    return tanf(x);
}
//: library fmodf
SEPARATE f32 OWN(far_fmodf)(f32 a, f32 b)
{
    return fmodf(a, b);
}
/* A quotient below 2^22, cut to a whole number, is right or 1 too large; the product is subtracted exactly. */
DEVICE f32 OWN(own_fmodf)(f32 a, f32 b)
{
    const f32 x = fabsf(a), y = fabsf(b), quotient = x / y;
    if (!(quotient < 4194304.0f && y <= 3.402823466e+38f))
        return far_fmodf(a, b);
    const f32 rest = fmaf(-truncf(quotient), y, x);
    return copysignf(rest < 0 ? rest + y : rest, a);
}
//: library fmod
SEPARATE f64 OWN(far_fmod)(f64 a, f64 b)
{
    return fmod(a, b);
}
/* A quotient below 2^51, cut to a whole number, is right or 1 too large; the product is subtracted exactly. */
DEVICE f64 OWN(own_fmod)(f64 a, f64 b)
{
    const f64 x = fabs(a), y = fabs(b), quotient = x / y;
    if (!(quotient < 2251799813685248.0 && y <= 1.7976931348623157e+308))
        return far_fmod(a, b);
    const f64 rest = fma(-trunc(quotient), y, x);
    return copysign(rest < 0 ? rest + y : rest, a);
}
//: hinted head
#if BOUNDS && defined __cplusplus
#undef KERNEL
#define KERNEL extern "C" __global__ void __launch_bounds__(THREADS, BOUNDS)
#endif
#if HINTS & 1
#define READ_ONCE ".L1::no_allocate"
#else
#define READ_ONCE
#endif
#if HINTS & 2
#define WRITTEN ".cs"
#else
#define WRITTEN
#endif
#if HINTS & 4
#define READ_AGAIN ".L1::evict_last"
#else
#define READ_AGAIN
#endif
#ifdef __CUDA_ARCH__
/* Words of 4 bytes, aligned like all of them or to 16 bytes. Such loads and stores stay in their order. */
DEVICE void OWN(load_words)(u32 *to, const char *from, const int words)
{
    const u64 at = __cvta_generic_to_global(from);
    if (words == 1)
        asm volatile("ld.global" READ_ONCE ".u32 %0, [%1];" : "=r"(to[0]) : "l"(at));
    if (words == 2)
        asm volatile("ld.global" READ_ONCE ".v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(at));
    UNROLLED
    for (int k = 0; k + 4 <= words; k += 4)
        asm volatile("ld.global" READ_ONCE ".v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[k]), "=r"(to[k + 1]), "=r"(to[k + 2]), "=r"(to[k + 3]) : "l"(at + 4 * k));
}
DEVICE void OWN(store_words)(char *to, const u32 *from, const int words)
{
    const u64 at = __cvta_generic_to_global(to);
    if (words == 1)
        asm volatile("st.global" WRITTEN ".u32 [%0], %1;" :: "l"(at), "r"(from[0]) : "memory");
    if (words == 2)
        asm volatile("st.global" WRITTEN ".v2.u32 [%0], {%1, %2};" :: "l"(at), "r"(from[0]), "r"(from[1]) : "memory");
    UNROLLED
    for (int k = 0; k + 4 <= words; k += 4)
        asm volatile("st.global" WRITTEN ".v4.u32 [%0], {%1, %2, %3, %4};" :: "l"(at + 4 * k), "r"(from[k]),
                     "r"(from[k + 1]), "r"(from[k + 2]), "r"(from[k + 3]) : "memory");
}
/* An element of so many bytes. */
DEVICE void OWN(load_element)(void *to, const char *from, const int bytes)
{
    const u64 at = __cvta_generic_to_global(from);
    unsigned short narrow;
    if (bytes == 1)
        asm volatile("ld.global" READ_AGAIN ".u8 %0, [%1];" : "=h"(narrow) : "l"(at));
    if (bytes == 2)
        asm volatile("ld.global" READ_AGAIN ".u16 %0, [%1];" : "=h"(narrow) : "l"(at));
    if (bytes == 1)
        *(u8_m *)to = (u8_m)narrow;
    else if (bytes == 2)
        *(u16_m *)to = narrow;
    else if (bytes == 4)
        asm volatile("ld.global" READ_AGAIN ".u32 %0, [%1];" : "=r"(*(u32_m *)to) : "l"(at));
    else
        asm volatile("ld.global" READ_AGAIN ".u64 %0, [%1];" : "=l"(*(u64_m *)to) : "l"(at));
}
#else
DEVICE void OWN(load_words)(u32 *to, const char *from, const int words)
{
    for (int k = 0; k < words; k++)
        to[k] = ((const u32_m *)from)[k];
}
DEVICE void OWN(store_words)(char *to, const u32 *from, const int words)
{
    for (int k = 0; k < words; k++)
        ((u32_m *)to)[k] = from[k];
}
DEVICE void OWN(load_element)(void *to, const char *from, const int bytes)
{
    for (int k = 0; k < bytes; k++)
        ((u8_m *)to)[k] = ((const u8_m *)from)[k];
}
#endif
//: hinted load
/* Loads a chunk from memory. */
DEVICE void N(load)(T *x, const char *from, const int BLOCK)
{
    if (BLOCK == 1)
        *x = *(const T *)from;
    else if (CHUNK * sizeof(T) < 4)
        *(u16_m *)x = *(const u16_m *)from;
    else
        load_words(((struct N(chunk) *)x)->word, from, CHUNK * sizeof(T) / 4);
}
//: hinted store
/* Stores a chunk to memory. */
DEVICE void N(store)(char *to, const T *x, int m, const int BLOCK)
{
    if (!m)
        return;
    if (BLOCK == 1)
        *(T *)to = *x;
    else if (CHUNK * sizeof(T) < 4)
        *(u16_m *)to = *(const u16_m *)x;
    else
        store_words(to, ((const struct N(chunk) *)x)->word, CHUNK * sizeof(T) / 4);
}
//: hinted periodic
/* Loads a chunk of elements that repeat. */
DEVICE void N(periodic)(T *x, const char *from, index step, index phase, index period, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        if (PERIOD && j >= PERIOD) {
            x[j] = x[j - PERIOD];
            continue;
        }
        if (HINTS & 4)
            load_element(&x[j], from + times(phase, step), sizeof(T));
        else
            x[j] = *(const T *)(from + times(phase, step));
        phase = phase + 1 < period ? phase + 1 : 0;
    }
}
//: move end
//: floating pick_nonzero
#if PICKS
/* The smaller or the greater one. On float32 it is one instruction; of two zeros that chooses by their signs, and -0 is
 * below 0. */
FN T N(pick_nonzero)(T a, T b, bool greater)
{
    if (sizeof(T) == 4) {
        const float x = (float)a, y = (float)b;
        float r;
        if (greater)
            asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
        else
            asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
        return (T)r;
    }
    return (greater ? b > a : b < a) ? b : a;
}
#else
/* One of two, none of which is a zero of another sign. */
FN T N(pick_nonzero)(T a, T b, bool greater)
{
    return (greater ? b > a : b < a) ? b : a;
}
#endif
//: floating min_nonzero
/* The lesser of two, which are not zeros of two signs. */
FN T N(min_nonzero)(T a, T b)
{
    return N(pick_nonzero)(a, b, false);
}
//: floating max_nonzero
/* The greater of two, none of which is a zero of another sign. */
FN T N(max_nonzero)(T a, T b)
{
    return N(pick_nonzero)(a, b, true);
}
//: floating reciprocal
#ifdef __CUDA_ARCH__
/* 1 / a of a float32 that N(divisor) takes: what NVRTC makes of 1 / a, without its test and branch for greater and
 * smaller ones. */
FN T N(reciprocal)(T a)
{
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"((float)a));
    return F(fma)((T)r, F(fma)(-a, (T)r, (T)1), (T)r);
}
#else
/* The reciprocal, of as many digits as a quotient needs. */
FN T N(reciprocal)(T a)
{
    return 1 / a;
}
#endif
//: floating least
/* The lesser of two, or NaN where one is; of zeros the negative one. */
FN T N(least)(T a, T b)
{
    if (PICKS && sizeof(T) == 4)
        return N(pick_nonzero)(a, b, false);
    return (b < a) | (b != b) | ((a == b) & (F(copysign)((T)1, b) < 0)) ? b : a;
}
//: floating greatest
/* The greater of two, or NaN where one is; of zeros the positive one. */
FN T N(greatest)(T a, T b)
{
    if (PICKS && sizeof(T) == 4)
        return N(pick_nonzero)(a, b, true);
    return (b > a) | (b != b) | ((a == b) & (F(copysign)((T)1, b) > 0)) ? b : a;
}
