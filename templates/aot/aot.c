/* What ahead-of-time sources carry around their kernels, in sections: what keeps their meaning whatever the options,
 * includes, instruction sets. check.c, run.c, walk.[ch], grouping.[ch], tensor.c and args.h come with it;
 * compiler/aot/source.c puts them together, for CUDA compiler/aot/cuda_source.c some of them. */

//: language
#if defined __cplusplus
#error "this source is C: compile it as C, and include its header from C++"
#else
//: language end
#endif
//: guard
/* One meaning whatever the options: every operation rounds once, in its own type, to nearest, with
 * subnormals, infinities and NaN. */
#if defined __FLT_EVAL_METHOD__ && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16
#error "float would be computed in a wider type: compile for SSE2 (-msse2 -mfpmath=sse)"
#endif
_Static_assert(sizeof(1.0) == 8, "constants would be float: compile without -fsingle-precision-constant");
#if defined __clang__
#if __clang_major__ < 12
#error "this clang does not know float_control yet: take clang 12 or later"
#endif
#pragma float_control(precise, on)
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
/* -ffast-math fuses and approximates behind the language; only operations that may trap are left alone. They
 * are not vectorized. */
#if !defined __x86_64__ && !defined __i386__ && !(defined __aarch64__ && __clang_major__ >= 15)
#error "clang's fast math cannot be turned off from here on this processor: compile this file without it"
#endif
#pragma float_control(except, on)
#endif
#pragma clang fp contract(off)
#elif defined __GNUC__ && !defined __TINYC__
#pragma GCC optimize("no-fast-math", "no-unsafe-math-optimizations", "no-finite-math-only", "signed-zeros", \
                     "no-associative-math", "no-reciprocal-math", "no-rounding-math", "no-math-errno", \
                     "no-trapping-math", "fp-contract=off")
#elif defined __FAST_MATH__
#error "this compiler's fast math cannot be turned off from here: compile this file without it"
#endif
//: plain guard
/* Every operation rounds once, in its own type, whatever the options. */
#if defined __clang__
#pragma float_control(precise, on)
#pragma clang fp contract(off)
#if defined __FAST_MATH__
#pragma float_control(except, on)
#endif
#elif defined __GNUC__ /* jump threading makes branches of clamps, and slow vectors of these */
#pragma GCC optimize("O3,no-thread-jumps,no-fast-math,no-unsafe-math-optimizations,no-finite-math-only,signed-zeros," \
                     "no-associative-math,no-reciprocal-math,no-trapping-math,no-math-errno,fp-contract=off")
#endif
#if (__FLT_EVAL_METHOD__ + 0) % 16 /* 16: _Float16 alone */ || (defined __FAST_MATH__ && !defined __GNUC__)
#error "float would be computed otherwise: compile for SSE2 (-msse2 -mfpmath=sse), or without fast math"
#endif
//: plain rounded
#if defined __GNUC__ && !defined __clang__ /* gcc 12 forgets a float32 between two float64 as it joins statements */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif
//: plain constants
_Static_assert(sizeof(1.0) == 8, "constants would be float: compile without -fsingle-precision-constant");
//: plain optimized
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3", "no-thread-jumps")
#endif
//: plain independent
#if defined __clang__ /* the turns of a loop do not depend on each other */
#pragma clang diagnostic ignored "-Wpass-failed" /* it stays a loop where there is no vector of what it does */
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined __GNUC__
#define INDEPENDENT _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#else
#define INDEPENDENT
#endif
//: plain few
#if defined __clang__ /* the same of few turns: two vectors at a time, so that hardly any are left */
#define INDEPENDENT_FEW _Pragma("clang loop vectorize(assume_safety) interleave_count(2)")
#else
#define INDEPENDENT_FEW INDEPENDENT
#endif
//: plain each
#define EACH(j, count) INDEPENDENT for (int j = 0; j < count; j++)
//: plain warnings
#if defined __GNUC__ /* functions are for every type, signed or not */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#endif
//: plain unused
#if defined __GNUC__ /* some functions are for other processors */
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
//: plain told

static _Thread_local struct weft_note weft_told;
static int weft_tell(int status, int line, int column, const char *operand, const char *text)
{
    weft_told = (struct weft_note){status, line, column, operand, text};
    return status;
}
//: plain count

/* The product of extents; -1: one is negative, or there are more elements than memory can hold. */
static int64_t weft_count(int rank, const int64_t *extents)
{
    int64_t count = 1;
    for (int d = 0; d < rank; count *= extents[d++])
        if (extents[d] < 0 || (extents[d] && count > INT64_MAX / 16 / extents[d]))
            return -1;
    return count;
}
//: plain memory

/* Memory for so many elements; NULL: there is none. */
static void *weft_lend(int64_t count, size_t size)
{
    return count < 0 ? 0 : malloc(((size_t)count + 1) * size);
}
//: includes
#include <fenv.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
//: includes threads
#if defined _OPENMP
#include <omp.h>
#endif
//: includes levels
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
#include <cpuid.h>
#endif
//: shape
struct shape {
    int rank;
    int64_t extents[MAX_RANK];
};
//: shared
/* A project's own warnings are about its own style. */
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wdeclaration-after-statement"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wcast-align"
#pragma GCC diagnostic ignored "-Wunused-macros"
/* gcc follows values into tables of one entry where a call has ended already. */
#pragma GCC diagnostic ignored "-Warray-bounds"
#if !defined __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif
/* Constants of a loop stand among its conditions. */
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#endif
#if defined __GNUC__ && !defined __TINYC__
#define SHARED static __attribute__((unused))
#define PURE __attribute__((const))
#define OVERFLOWS(a, b, product) __builtin_mul_overflow(a, b, product)
#else
#define SHARED static
#define PURE
#define OVERFLOWS(a, b, product) multiplied(a, b, product)

SHARED bool multiplied(int64_t a, int64_t b, int64_t *product)
{
    const uint64_t x = a < 0 ? 0 - (uint64_t)a : (uint64_t)a, y = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    if (y && x > INT64_MAX / y)
        return true;
    *product = a * b;
    return false;
}
#endif
//: first time
#if !defined WEFT_LEVEL /* this file includes itself, once for each instruction set */
//: loops undefined
#undef FOR
#undef FOR_TYPE
#undef VECTORS
#undef HALF_VECTORS
#undef VECTOR_OF
#undef PASSED_OVER
#undef SPREAD
#undef OVER
#undef OVER_HALF
#undef VECTOR_ROW
#undef join_acc_v
#undef join_tree_v
#undef ONE_BY_ONE
#undef JOINING
#undef OF_JOINS
#undef JOINED_AT
#undef JOINED_NAME
#undef JOINING_LEVEL
#undef ALL
#undef KEYS
#undef SOUGHT
#undef SCANNED
#undef PART
#undef AS
#undef OF
#undef MOST
#undef ROW
#undef DIRECT
#undef WIDE
#undef HALF
#undef INSERT
#undef BYTES_IN_ORDER
#undef WORDS_IN_ORDER
#undef SIXTEEN
#undef SHUFFLE
#undef ORDER
#undef ORDERED
#undef COLUMN_READS
#undef COLUMN_WRITES
#undef COLUMN_PARTS
#undef COLUMN_TURN
#undef HALF
#undef INSERT
//: loops begin
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
//: rolled
#undef WEFT_ROLLED
#if defined __clang__
#define WEFT_ROLLED _Pragma("clang loop unroll(disable)")
#elif defined __GNUC__ && !defined __TINYC__
#define WEFT_ROLLED _Pragma("GCC unroll 1")
#else
#define WEFT_ROLLED
#endif
//: loops end
#if defined __GNUC__ && !defined __clang__ && !defined __TINYC__
#pragma GCC pop_options
#endif
#if defined __GNUC__ && !defined __TINYC__
#pragma GCC diagnostic pop
#endif
//: joins begin
/* Each loop with reduced dimensions has functions, types and constants of its own, which have its number: JOINING. */
#if defined WEFT_LEVEL
#define JOINING_LEVEL WEFT_LEVEL
#else
#define JOINING_LEVEL 1
#endif
#define JOINED_NAME(name, number, level) weft_##name##_##number##_##level
#define JOINED_AT(name, number, level) JOINED_NAME(name, number, level)
#define OF_JOINS(name) JOINED_AT(name, JOINING, JOINING_LEVEL)
//: level begins
#if defined WEFT_LEVEL
#define PASTE(name, level) weft_v##level##_##name
#define PASTE_LEVEL(name, level) PASTE(name, level)
#define AT_LEVEL(name) PASTE_LEVEL(name, WEFT_LEVEL)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define COMPILE_FOR(features) PRAGMA(GCC target(features))
#if defined __clang__
#pragma clang attribute push(__attribute__((target(FEATURES))), apply_to = function)
#else
#pragma GCC push_options
COMPILE_FOR(FEATURES)
#endif
//: level ends
#if defined WEFT_LEVEL
#if defined __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
//: own level
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
#if defined __AVX512BW__ && defined __AVX512DQ__ && defined __AVX512VL__ && defined __AVX512CD__
enum { OWN_LEVEL = 4 };
#elif defined __AVX2__ && defined __F16C__ && defined __FMA__ && defined __BMI2__
enum { OWN_LEVEL = 3 };
#elif defined __SSE4_2__ && defined __POPCNT__
enum { OWN_LEVEL = 2 };
#else
enum { OWN_LEVEL = 1 };
#endif
#else
enum { OWN_LEVEL = 0 };
#endif
//: levels
/* The highest one that the processor and the system have. */
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__
static int find_level(void)
{
    unsigned a, b, c, d;
    __builtin_cpu_init();
    if (!__get_cpuid(1, &a, &b, &c, &d) || !__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt"))
        return 1;
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi") ||
        !__builtin_cpu_supports("bmi2") || !(c >> 29 & 1)) /* the last is F16C */
        return 2;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return 3;
    return 4;
}

static int have_level(void)
{
    static int found = 0;
    int have = __atomic_load_n(&found, __ATOMIC_RELAXED);
    if (!have)
        __atomic_store_n(&found, have = find_level(), __ATOMIC_RELAXED);
    return have;
}
#else
static int have_level(void)
{
    return 0;
}
#endif

/* The loops that this processor runs: those for what the kernel is compiled for, or the best that is more. */
static int find_loops(const struct kernel *kernel)
{
    const struct built *built = kernel->built;
    const int have = built->count > 1 ? have_level() : 0;
    int best = 0;
    for (int i = 1; i < built->count; i++)
        if (built->levels[i] <= have && built->levels[i] > built->own)
            best = i;
    return best;
}
