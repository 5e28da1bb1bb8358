/* What the library does for kernels in C; see struct weft_calls. templates/shared/ends.c is compiled for each width of
 * vectors. */
#include "runtime/kernels/kernels.h"

#include <string.h>

#define SHARED static
#include "templates/shared/bands.c"

#if defined __x86_64__ && !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which see no masks */
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
#define fmod_block fmod_block_32
#define kernel_calls kernel_calls_32
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef fmod_block
#undef kernel_calls
POP

PUSH("avx512f,avx512bw")
#define PIECE 64
#define pad_block pad_block_64
#define put_block put_block_64
#define fmod_block fmod_block_64
#define kernel_calls kernel_calls_64
#include "templates/shared/ends.c"
#undef pad_block
#undef put_block
#undef fmod_block
#undef kernel_calls
POP
#define LEVELS
#endif

#define PIECE 16
#define kernel_calls kernel_calls_16
#include "templates/shared/ends.c"
#undef kernel_calls

const struct weft_calls *kernel_calls(void)
{
#if defined LEVELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
        return kernel_calls_64();
    if (__builtin_cpu_supports("avx2"))
        return kernel_calls_32();
#endif
    return kernel_calls_16();
}
