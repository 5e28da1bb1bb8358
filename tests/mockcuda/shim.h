/* Stands before a kernel's text when the fake NVRTC has gcc compile it: what NVRTC declares without
 * any header, as C11. The invariant: whatever the text uses and is not here is an error of the
 * compiler, as it would be NVRTC's. Every access of the text to memory goes through mock_access
 * (hooks that gcc calls under -fsanitize=kernel-address), where the fake driver knows what the
 * kernel may touch. */
#define NULL ((void *)0)
#define bool _Bool
#define true ((_Bool)1)
#define false ((_Bool)0)

#define __host__
#define __device__ __attribute__((unused))
#define __global__
#define __constant__ static const
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))
#define __inline_hint__ inline
#define __builtin_assume(x) ((void)0)
#define warpSize 32

/* ---- vectors ---- */

#define MOCK_VECTORS(name, T, align2, align4)                                                      \
    struct name##1 { T x; };                                                                       \
    struct __align__(align2) name##2 { T x, y; };                                                  \
    struct name##3 { T x, y, z; };                                                                 \
    struct __align__(align4) name##4 { T x, y, z, w; };                                            \
    typedef struct name##1 name##1;                                                                \
    typedef struct name##2 name##2;                                                                \
    typedef struct name##3 name##3;                                                                \
    typedef struct name##4 name##4;                                                                \
    static inline name##1 make_##name##1(T x) { return (name##1){x}; }                             \
    static inline name##2 make_##name##2(T x, T y) { return (name##2){x, y}; }                     \
    static inline name##3 make_##name##3(T x, T y, T z) { return (name##3){x, y, z}; }             \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { return (name##4){x, y, z, w}; }
MOCK_VECTORS(char, signed char, 2, 4)
MOCK_VECTORS(uchar, unsigned char, 2, 4)
MOCK_VECTORS(short, short, 4, 8)
MOCK_VECTORS(ushort, unsigned short, 4, 8)
MOCK_VECTORS(int, int, 8, 16)
MOCK_VECTORS(uint, unsigned, 8, 16)
MOCK_VECTORS(long, long, 16, 16)
MOCK_VECTORS(ulong, unsigned long, 16, 16)
MOCK_VECTORS(longlong, long long, 16, 16)
MOCK_VECTORS(ulonglong, unsigned long long, 16, 16)
MOCK_VECTORS(float, float, 8, 16)
MOCK_VECTORS(double, double, 16, 16)
#undef MOCK_VECTORS
typedef uint3 dim3;

/* ---- where a thread stands ---- */

static uint3 threadIdx, blockIdx, blockDim, gridDim;

/* ---- functions that CUDA has ---- */

#define __ldg(p) (*(p))
#define __ldcs(p) (*(p))
#define __ldcg(p) (*(p))
#define __ldca(p) (*(p))
#define __ldcv(p) (*(p))
#define __ldlu(p) (*(p))
#define __stcs(p, x) ((void)(*(p) = (x)))
#define __stcg(p, x) ((void)(*(p) = (x)))
#define __stwb(p, x) ((void)(*(p) = (x)))
#define __stwt(p, x) ((void)(*(p) = (x)))

static inline unsigned __umulhi(unsigned a, unsigned b)
{
    return (unsigned)((unsigned long long)a * b >> 32);
}
static inline int __mulhi(int a, int b)
{
    return (int)((long long)a * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline long long __mul64hi(long long a, long long b)
{
    return (long long)((__int128)a * b >> 64);
}
static inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x)
{
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x)
{
    return __builtin_popcountll(x);
}
static inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

#define MOCK_BITS(name, From, To)                                                                  \
    static inline To name(From x)                                                                  \
    {                                                                                              \
        union { From from; To to; } u = {x};                                                       \
        return u.to;                                                                               \
    }
MOCK_BITS(__float_as_int, float, int)
MOCK_BITS(__float_as_uint, float, unsigned)
MOCK_BITS(__int_as_float, int, float)
MOCK_BITS(__uint_as_float, unsigned, float)
MOCK_BITS(__double_as_longlong, double, long long)
MOCK_BITS(__longlong_as_double, long long, double)
#undef MOCK_BITS

/* Those of C, in both types. */
#define MOCK_MATH1(name) double name(double); float name##f(float);
#define MOCK_MATH2(name) double name(double, double); float name##f(float, float);
MOCK_MATH1(sqrt) MOCK_MATH1(cbrt) MOCK_MATH1(exp) MOCK_MATH1(exp2) MOCK_MATH1(exp10)
MOCK_MATH1(expm1) MOCK_MATH1(log) MOCK_MATH1(log2) MOCK_MATH1(log10) MOCK_MATH1(log1p)
MOCK_MATH1(logb) MOCK_MATH1(sin) MOCK_MATH1(cos) MOCK_MATH1(tan) MOCK_MATH1(asin) MOCK_MATH1(acos)
MOCK_MATH1(atan) MOCK_MATH1(sinh) MOCK_MATH1(cosh) MOCK_MATH1(tanh) MOCK_MATH1(asinh)
MOCK_MATH1(acosh) MOCK_MATH1(atanh) MOCK_MATH1(erf) MOCK_MATH1(erfc) MOCK_MATH1(lgamma)
MOCK_MATH1(tgamma) MOCK_MATH1(fabs) MOCK_MATH1(floor) MOCK_MATH1(ceil) MOCK_MATH1(round)
MOCK_MATH1(rint) MOCK_MATH1(nearbyint) MOCK_MATH1(trunc)
MOCK_MATH2(pow) MOCK_MATH2(atan2) MOCK_MATH2(hypot) MOCK_MATH2(copysign) MOCK_MATH2(fmod)
MOCK_MATH2(remainder) MOCK_MATH2(fmin) MOCK_MATH2(fmax) MOCK_MATH2(fdim) MOCK_MATH2(nextafter)
#undef MOCK_MATH1
#undef MOCK_MATH2
double fma(double, double, double);
float fmaf(float, float, float);
double ldexp(double, int);
float ldexpf(float, int);
double scalbn(double, int);
float scalbnf(float, int);
static inline double rsqrt(double x)
{
    return 1 / sqrt(x);
}
static inline float rsqrtf(float x)
{
    return 1 / sqrtf(x);
}

/* Rounded to nearest and never contracted; the text's own operators are where --fmad=true. */
#define MOCK_EXACT __attribute__((optimize("fp-contract=off"), unused)) static
MOCK_EXACT float __fadd_rn(float a, float b) { return a + b; }
MOCK_EXACT float __fsub_rn(float a, float b) { return a - b; }
MOCK_EXACT float __fmul_rn(float a, float b) { return a * b; }
MOCK_EXACT float __fdiv_rn(float a, float b) { return a / b; }
MOCK_EXACT float __fsqrt_rn(float a) { return sqrtf(a); }
MOCK_EXACT float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
MOCK_EXACT double __dadd_rn(double a, double b) { return a + b; }
MOCK_EXACT double __dsub_rn(double a, double b) { return a - b; }
MOCK_EXACT double __dmul_rn(double a, double b) { return a * b; }
MOCK_EXACT double __ddiv_rn(double a, double b) { return a / b; }
MOCK_EXACT double __dsqrt_rn(double a) { return sqrt(a); }
MOCK_EXACT double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
#undef MOCK_EXACT

/* ---- what the fake driver calls ---- */

/* One of each object, found by name; tests/mockcuda/modules.c holds the same. */
struct mock_shim {
    /* size 0: `aligned` alone counts, for an address that was to be a multiple of it */
    void (*access)(const struct mock_shim *shim, unsigned long long address,
                   unsigned long long size, int write, int aligned);
    const unsigned *thread, *block;
    const char *begin, *end; /* the object in memory */
    const char *arch;        /* sm_90 */
    const char *text;        /* a file */
};
struct mock_parameter {
    unsigned long long size, offset;
};
struct mock_kernel {
    void (*run)(const void *parameters, const unsigned *grid, const unsigned *block, int backward);
    const struct mock_parameter *parameters;
    long long parameter_count, parameter_size;
};
#define MOCK_PUBLIC __attribute__((visibility("default")))
#define MOCK_BARE __attribute__((no_sanitize_address, no_sanitize_undefined, noinline))
#define MOCK_HOOK MOCK_BARE __attribute__((visibility("hidden")))

extern const char mock_begin[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char mock_end[] __asm__("_end") __attribute__((visibility("hidden")));
MOCK_PUBLIC struct mock_shim mock_shim = {
    NULL,       (const unsigned *)&threadIdx,
    (const unsigned *)&blockIdx,
    mock_begin, mock_end,
    MOCK_ARCH,
    MOCK_TEXT,
};

#define MOCK_HOOKS(n)                                                                              \
    MOCK_HOOK void __asan_load##n##_noabort(void *p)                                               \
    {                                                                                              \
        mock_shim.access(&mock_shim, (unsigned long long)p, n, 0, n);                              \
    }                                                                                              \
    MOCK_HOOK void __asan_store##n##_noabort(void *p)                                              \
    {                                                                                              \
        mock_shim.access(&mock_shim, (unsigned long long)p, n, 1, n);                              \
    }
#ifdef MOCK_CHECKED
MOCK_HOOKS(1)
MOCK_HOOKS(2)
MOCK_HOOKS(4)
MOCK_HOOKS(8)
MOCK_HOOKS(16)
MOCK_HOOK void __asan_loadN_noabort(void *p, long n)
{
    mock_shim.access(&mock_shim, (unsigned long long)p, (unsigned long long)n, 0, 1);
}
MOCK_HOOK void __asan_storeN_noabort(void *p, long n)
{
    mock_shim.access(&mock_shim, (unsigned long long)p, (unsigned long long)n, 1, 1);
}
MOCK_HOOK void __asan_handle_no_return(void)
{
}
/* What -fsanitize=alignment calls. */
struct mock_mismatch {
    const char *file;
    unsigned line, column;
    const void *type;
    unsigned char log_alignment, kind;
};
MOCK_HOOK void __ubsan_handle_type_mismatch_v1(void *place, void *p)
{
    const struct mock_mismatch *mismatch = place;
    mock_shim.access(&mock_shim, (unsigned long long)p, 0, 0, 1 << mismatch->log_alignment);
}
#endif
#undef MOCK_HOOKS

/* A grid, block after block and thread after thread; backward: from the last block. */
MOCK_BARE static void mock_start(const unsigned *grid, const unsigned *block)
{
    gridDim = (uint3){grid[0], grid[1], grid[2]};
    blockDim = (uint3){block[0], block[1], block[2]};
}
#define MOCK_GRID(call)                                                                            \
    mock_start(grid, block);                                                                       \
    const uint3 blocks = gridDim, threads = blockDim;                                              \
    const unsigned long long count = (unsigned long long)blocks.x * blocks.y * blocks.z;           \
    for (unsigned long long b = 0; b < count; b++) {                                               \
        const unsigned long long at = backward ? count - 1 - b : b;                                \
        blockIdx = (uint3){(unsigned)(at % blocks.x), (unsigned)(at / blocks.x % blocks.y),        \
                           (unsigned)(at / blocks.x / blocks.y)};                                  \
        for (threadIdx.z = 0; threadIdx.z < threads.z; threadIdx.z++)                              \
            for (threadIdx.y = 0; threadIdx.y < threads.y; threadIdx.y++)                          \
                for (threadIdx.x = 0; threadIdx.x < threads.x; threadIdx.x++)                      \
                    call;                                                                          \
    }
