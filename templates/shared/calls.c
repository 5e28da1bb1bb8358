/* What kernels in C call, by what the processor has: what ends their rows is compiled for each width of vectors. One
 * text for the library, which includes it, and for ahead-of-time sources, which carry it. SHARED is what a function
 * begins with; JOINS_OF(width) what reductions join with and what keeps positions, NULL where kernels carry that.
 * levels.h and angles.h come before it. */

//: calls
#ifndef JOINS_OF
#define JOINS_OF(width) 0, 0
#endif
#if defined SEVERAL_WIDTHS
PUSH("avx2,fma")
#define PIECE 32
#define JOINS JOINS_OF(32)
#define pad_block pad_block_32
#define put_block put_block_32
#define fmod_block fmod_block_32
#define divide_block divide_block_32
#define sinf_block sinf_block_32
#define cosf_block cosf_block_32
#define tanf_block tanf_block_32
#define sin_block sin_block_32
#define cos_block cos_block_32
#define kernel_calls kernel_calls_32
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef fmod_block
#undef divide_block
#undef sinf_block
#undef cosf_block
#undef tanf_block
#undef sin_block
#undef cos_block
#undef kernel_calls
POP

PUSH("avx512f,avx512bw,avx512vl,avx512dq,fma")
#define PIECE 64
#define JOINS JOINS_OF(64)
#define pad_block pad_block_64
#define put_block put_block_64
#define fmod_block fmod_block_64
#define divide_block divide_block_64
#define sinf_block sinf_block_64
#define cosf_block cosf_block_64
#define tanf_block tanf_block_64
#define sin_block sin_block_64
#define cos_block cos_block_64
#define kernel_calls kernel_calls_64
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef fmod_block
#undef divide_block
#undef sinf_block
#undef cosf_block
#undef tanf_block
#undef sin_block
#undef cos_block
#undef kernel_calls
POP
#endif

#define PIECE 16
#define JOINS JOINS_OF(16)
#define kernel_calls kernel_calls_16
#include "templates/shared/ends.c"
#undef kernel_calls

SHARED const struct weft_calls *choose_calls(void)
{
#if defined SEVERAL_WIDTHS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return kernel_calls_64();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return kernel_calls_32();
#endif
    return kernel_calls_16();
}
