/* What the library does for kernels in C; see struct weft_calls. templates/shared/ends.c is compiled for each width of
 * vectors. */
#include "runtime/kernels/kernels.h"
#include "runtime/kernels/levels.h"

#include <string.h>

#define SHARED static
#include "templates/shared/bands.c"

#if defined LEVELS
PUSH("avx2")
#define PIECE 32
#define JOINS joins_32
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
#define JOINS joins_64
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
#endif

#define PIECE 16
#define JOINS joins_16
#define kernel_calls kernel_calls_16
#include "templates/shared/ends.c"
#undef kernel_calls

const struct weft_calls *kernel_calls(void)
{
#if defined LEVELS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return kernel_calls_64();
    if (__builtin_cpu_supports("avx2"))
        return kernel_calls_32();
#endif
    return kernel_calls_16();
}
