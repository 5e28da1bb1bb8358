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
#define __shared__ static __attribute__((section("mock_shared")))
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
    char *shared, *shared_end; /* the block's own memory */
    const char *stack_end;   /* of the thread that runs; NULL: it runs on the caller's stack */
    void (*wrong)(const struct mock_shim *shim, const char *what);
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
extern char __start_mock_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_mock_shared[] __attribute__((weak, visibility("hidden")));
MOCK_PUBLIC struct mock_shim mock_shim = {
    .thread = (const unsigned *)&threadIdx,
    .block = (const unsigned *)&blockIdx,
    .begin = mock_begin,
    .end = mock_end,
    .shared = __start_mock_shared,
    .shared_end = __stop_mock_shared,
    .arch = MOCK_ARCH,
    .text = MOCK_TEXT,
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

/* ---- threads that wait for each other ---- */

/* Where a text waits for other threads, each thread of a block is a fiber with a stack of its own. They run one after
 * the other, each until it waits: for its warp, in an exchange of registers, or for its block. What a warp does comes
 * when all of its threads that are not done wait for the warp, what a block does when all of its threads wait for the
 * block. Anything else is wrong. Shared memory is filled with a pattern before each block. */
enum { MOCK_THREADS = 1024, MOCK_WARP = 32, MOCK_STACK = 64 << 10 };
enum mock_state { MOCK_RUNS, MOCK_AT_WARP, MOCK_AT_BLOCK, MOCK_DONE };

/* The beginning of ucontext_t, and room for the rest. */
struct mock_context {
    unsigned long flags;
    struct mock_context *link;
    struct {
        void *stack;
        int flags;
        unsigned long size;
    } stack;
    __align__(16) char rest[8192];
};
int getcontext(struct mock_context *);
int swapcontext(struct mock_context *, const struct mock_context *);
void makecontext(struct mock_context *, void (*)(void), int, ...);
void *malloc(unsigned long);
void free(void *);

static struct {
    struct mock_fiber {
        struct mock_context context;
        enum mock_state state;
        unsigned long long given; /* what it shows to its warp */
        bool gives;
    } *fibers;
    struct mock_context caller;
    char *stacks;
    unsigned count, now; /* threads; the one that runs */
    void (*kernel)(const void *);
    const void *parameters;
} mock_block;

MOCK_BARE static void mock_wait(enum mock_state how)
{
    struct mock_fiber *fiber = &mock_block.fibers[mock_block.now];
    fiber->state = how;
    swapcontext(&fiber->context, &mock_block.caller);
}
MOCK_BARE static void __syncthreads(void)
{
    mock_wait(MOCK_AT_BLOCK);
}
MOCK_BARE static void __syncwarp(unsigned mask)
{
    (void)mask;
    mock_wait(MOCK_AT_WARP);
}
/* What the thread `down` lanes further on among `width` of them gives; its own beyond the last one. */
MOCK_BARE static unsigned long long mock_shuffle(unsigned long long x, unsigned down, unsigned width)
{
    struct mock_fiber *own = &mock_block.fibers[mock_block.now], *other = own;
    own->given = x;
    own->gives = true;
    mock_wait(MOCK_AT_WARP);
    if (mock_block.now % width + down < width)
        other += down;
    if (!other->gives)
        mock_shim.wrong(&mock_shim, "a shuffle from a thread that takes no part");
    x = other->given;
    mock_wait(MOCK_AT_WARP);
    own->gives = false;
    return x;
}
#define __shfl_down_sync(mask, x, down, width)                                                     \
    __extension__({                                                                                \
        union {                                                                                    \
            __typeof__(x) value;                                                                   \
            unsigned long long bits;                                                               \
        } mock_of = {.bits = 0};                                                                   \
        mock_of.value = (x);                                                                       \
        mock_of.bits = mock_shuffle(mock_of.bits, down, width);                                    \
        mock_of.value;                                                                             \
    })

MOCK_BARE static void mock_fiber(void)
{
    mock_block.kernel(mock_block.parameters);
    mock_block.fibers[mock_block.now].state = MOCK_DONE;
    swapcontext(&mock_block.fibers[mock_block.now].context, &mock_block.caller);
}
MOCK_BARE static void mock_resume(unsigned t)
{
    mock_block.now = t;
    threadIdx = (uint3){t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
    mock_shim.stack_end = mock_block.stacks + (t + 1ul) * MOCK_STACK;
    swapcontext(&mock_block.caller, &mock_block.fibers[t].context);
    mock_shim.stack_end = NULL;
}
/* How many threads from `first` on are in the state. */
MOCK_BARE static unsigned mock_count(unsigned first, unsigned count, enum mock_state state)
{
    unsigned found = 0;
    for (unsigned t = first; t < first + count; t++)
        found += mock_block.fibers[t].state == state;
    return found;
}
MOCK_BARE static void mock_release(unsigned first, unsigned count, enum mock_state state)
{
    for (unsigned t = first; t < first + count; t++)
        if (mock_block.fibers[t].state == state)
            mock_block.fibers[t].state = MOCK_RUNS;
}
/* Until the warp's threads wait for the block or are done. */
MOCK_BARE static void mock_run_warp(unsigned first, unsigned count)
{
    do {
        mock_release(first, count, MOCK_AT_WARP);
        for (unsigned t = first; t < first + count; t++)
            if (mock_block.fibers[t].state == MOCK_RUNS)
                mock_resume(t);
    } while (mock_count(first, count, MOCK_AT_WARP) + mock_count(first, count, MOCK_DONE) == count &&
             mock_count(first, count, MOCK_AT_WARP));
    if (mock_count(first, count, MOCK_AT_WARP))
        mock_shim.wrong(&mock_shim, "threads of a warp wait for the warp, others for the block");
}
MOCK_BARE static void mock_run_block(void)
{
    const unsigned count = mock_block.count;
    for (char *p = mock_shim.shared; p < mock_shim.shared_end; p++)
        *p = (char)0xa5;
    for (unsigned t = 0; t < count; t++) {
        struct mock_fiber *fiber = &mock_block.fibers[t];
        getcontext(&fiber->context);
        fiber->context.stack.stack = mock_block.stacks + t * (unsigned long)MOCK_STACK;
        fiber->context.stack.size = MOCK_STACK;
        fiber->context.link = NULL;
        makecontext(&fiber->context, mock_fiber, 0);
        fiber->state = MOCK_RUNS;
        fiber->gives = false;
    }
    while (mock_count(0, count, MOCK_DONE) < count) {
        for (unsigned t = 0; t < count; t += MOCK_WARP)
            mock_run_warp(t, count - t < MOCK_WARP ? count - t : MOCK_WARP);
        if (mock_count(0, count, MOCK_AT_BLOCK) && mock_count(0, count, MOCK_DONE))
            mock_shim.wrong(&mock_shim, "threads wait for others of their block that are done");
        mock_release(0, count, MOCK_AT_BLOCK);
    }
}

/* ---- grids ---- */

MOCK_BARE static void mock_start(const unsigned *grid, const unsigned *block)
{
    gridDim = (uint3){grid[0], grid[1], grid[2]};
    blockDim = (uint3){block[0], block[1], block[2]};
}
/* A grid, block after block; backward: from the last one. */
#define MOCK_EACH_BLOCK                                                                            \
    mock_start(grid, block);                                                                       \
    const uint3 blocks = gridDim, threads = blockDim;                                              \
    const unsigned long long count = (unsigned long long)blocks.x * blocks.y * blocks.z;           \
    for (unsigned long long b = 0, at; at = backward ? count - 1 - b : b, b < count; b++)           \
        if (blockIdx = (uint3){(unsigned)(at % blocks.x), (unsigned)(at / blocks.x % blocks.y),     \
                               (unsigned)(at / blocks.x / blocks.y)}, 1)

/* Thread after thread. */
MOCK_BARE static void mock_grid(void (*kernel)(const void *), const void *parameters, const unsigned *grid,
                                       const unsigned *block, int backward)
{
    MOCK_EACH_BLOCK
        for (threadIdx.z = 0; threadIdx.z < threads.z; threadIdx.z++)
            for (threadIdx.y = 0; threadIdx.y < threads.y; threadIdx.y++)
                for (threadIdx.x = 0; threadIdx.x < threads.x; threadIdx.x++)
                    kernel(parameters);
}
/* Threads that wait for each other. */
MOCK_BARE static void mock_waiting_grid(void (*kernel)(const void *), const void *parameters, const unsigned *grid,
                                               const unsigned *block, int backward)
{
    mock_block.count = block[0] * block[1] * block[2];
    mock_block.kernel = kernel;
    mock_block.parameters = parameters;
    mock_block.fibers = malloc(mock_block.count * sizeof *mock_block.fibers);
    mock_block.stacks = malloc(mock_block.count * (unsigned long)MOCK_STACK);
    MOCK_EACH_BLOCK
        mock_run_block();
    (void)threads;
    free(mock_block.stacks);
    free(mock_block.fibers);
}
