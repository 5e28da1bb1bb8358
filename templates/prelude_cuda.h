/* Moving elements between tensors and the registers of a thread, for a storage type T; the tokens are those
 * of dialect.h. A chunk is BLOCK elements: CHUNK, or one. The first m of them are there: all, or none. All
 * loops over a chunk are unrolled, so that arrays are registers. The text is CUDA C++ and C11 at once, but
 * for what only a GPU knows. */

//: move head
#ifdef __CUDA_ARCH__
#define UNROLLED _Pragma("unroll")
#define DEVICE static __device__ __forceinline__
#define SEPARATE static __device__ __noinline__
#define BY_VALUE __grid_constant__
#else
#define UNROLLED
#define DEVICE static inline
#define SEPARATE static
#define BY_VALUE
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
#define EACH_GROUP
#endif
#if WIDE
typedef long long index;
typedef unsigned long long uindex;
#ifdef __CUDA_ARCH__
#define HIGH(a, b) __umul64hi(a, b)
#else
#define HIGH(a, b) (uindex)((unsigned __int128)(a) * (b) >> 64)
#endif
#else
typedef int index;
typedef unsigned int uindex;
#define HIGH(a, b) (uindex)((unsigned long long)(a) * (uindex)(b) >> 32)
#endif
//: move chunk
struct __attribute__((aligned(SIZE_AT_ONCE(T)))) N(chunk) {
    T element[CHUNK];
};
//: move load
DEVICE void N(load)(T *x, const char *from, int m, const int BLOCK)
{
    if (BLOCK > 1)
        *(struct N(chunk) *)x = *(const struct N(chunk) *)from;
    else
        *x = m ? *(const T *)from : (T)0;
}
//: move store
DEVICE void N(store)(char *to, const T *x, int m, const int BLOCK)
{
    if (BLOCK > 1)
        *(struct N(chunk) *)to = *(const struct N(chunk) *)x;
    else if (m)
        *(T *)to = *x;
}
//: move gather
DEVICE void N(gather)(T *x, const char *from, i64 step, int m, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = j < m ? *(const T *)(from + j * step) : (T)0;
}
//: move scatter
DEVICE void N(scatter)(char *to, i64 step, const T *x, int m, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        if (j < m)
            *(T *)(to + j * step) = x[j];
}
//: move nested
DEVICE void N(nested)(T *x, const char *from, i64 step, i64 jump, index phase,
                      const struct weft_geometry *s, int m, const int BLOCK)
{
    const index period = (index)s->period.divisor;
    jump -= period * step;
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        x[j] = j < m ? *(const T *)from : (T)0;
        from += step;
        if (++phase == period)
            phase = 0, from += jump;
    }
}
//: move spread
DEVICE void N(spread)(char *to, i64 step, i64 jump, index phase, const struct weft_geometry *s,
                      const T *x, int m, const int BLOCK)
{
    const index period = (index)s->period.divisor;
    jump -= period * step;
    UNROLLED
    for (int j = 0; j < BLOCK; j++) {
        if (j < m)
            *(T *)to = x[j];
        to += step;
        if (++phase == period)
            phase = 0, to += jump;
    }
}
//: move mapped
DEVICE void N(mapped)(T *x, const char *from, const i64 *map, i64 row, index i, int m, const int BLOCK)
{
    UNROLLED
    for (int j = 0; j < BLOCK; j++)
        x[j] = j < m ? *(const T *)(from + mapped_to(map, row, (uindex)(i + j))) : (T)0;
}
//: narrow narrow
#ifdef __CUDA_ARCH__
DEVICE T M(narrow)(S a)
{
    int r;
    if ((T)-1 < (T)1 && sizeof(T) == 1)
        asm("cvt.rni.sat.s8.f32 %0, %1;" : "=r"(r) : "f"(a));
    else if (sizeof(T) == 1)
        asm("cvt.rni.sat.u8.f32 %0, %1;" : "=r"(r) : "f"(a));
    else if ((T)-1 < (T)1)
        asm("cvt.rni.sat.s16.f32 %0, %1;" : "=r"(r) : "f"(a));
    else
        asm("cvt.rni.sat.u16.f32 %0, %1;" : "=r"(r) : "f"(a));
    return (T)r;
}
#else
DEVICE T M(narrow)(S a)
{
    return M(roundsat)(a);
}
#endif
//: pack pack
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 800
DEVICE T M(pack)(S a)
{
    unsigned short r;
    if (FRACTION == 10)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    else
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(r) : "f"(a));
    return (T)r;
}
#elif defined __CUDA_ARCH__
DEVICE T M(pack)(S a)
{
    unsigned short r;
    if (FRACTION == 10)
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    else
        r = (unsigned short)M(encode)(a);
    return (T)r;
}
#else
DEVICE T M(pack)(S a)
{
    return M(encode)(a);
}
#endif
//: unpack unpack
#ifdef __CUDA_ARCH__
DEVICE T M(unpack)(S a)
{
    T x;
    if (FRACTION == 10)
        asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((unsigned short)a));
    else
        x = M(decode)(a);
    return x;
}
#else
DEVICE T M(unpack)(S a)
{
    return M(decode)(a);
}
#endif
//: nearest nearest
#ifdef __CUDA_ARCH__
DEVICE T M(nearest)(S a)
{
    unsigned short r;
    T x;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(r));
    return x;
}
#else
DEVICE T M(nearest)(S a)
{
    return M(to_float16)(a);
}
#endif
//: move end
