/* What kernels in C call, by what the processor has: what ends their rows is compiled for each width of vectors. One
 * text for the library, which includes it, and for ahead-of-time sources, which carry it. SHARED is what a function
 * begins with. */

//: calls
#if defined __x86_64__ && defined __GNUC__ && !defined __TINYC__ && !defined __SANITIZE_ADDRESS__ && \
    !defined __SANITIZE_THREAD__ /* which see no masks */
#if defined __clang__
#define PUSH(features) PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define POP PRAGMA(clang attribute pop)
#else
#define PUSH(features) PRAGMA(GCC push_options) PRAGMA(GCC target(features))
#define POP PRAGMA(GCC pop_options)
#endif
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

PUSH("avx2")
#define PIECE 32
#define pad_block pad_block_32
#define put_block put_block_32
#define kernel_calls kernel_calls_32
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef kernel_calls
POP

PUSH("avx512f,avx512bw")
#define PIECE 64
#define pad_block pad_block_64
#define put_block put_block_64
#define kernel_calls kernel_calls_64
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef kernel_calls
POP
#define SEVERAL_WIDTHS
#endif

#define PIECE 16
#define kernel_calls kernel_calls_16
#include "templates/shared/ends.c"
#undef kernel_calls

SHARED const struct weft_calls *choose_calls(void)
{
#if defined SEVERAL_WIDTHS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return kernel_calls_64();
    if (__builtin_cpu_supports("avx2"))
        return kernel_calls_32();
#endif
    return kernel_calls_16();
}
