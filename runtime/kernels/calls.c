/* What the library does for kernels in C; see struct weft_calls. */
#include "runtime/kernels/kernels.h"

#include <stdlib.h>
#include <string.h>

#if defined __clang__
#pragma clang fp contract(off)
#elif !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
#pragma GCC optimize("O3", "fp-contract=off")
#else
#pragma GCC optimize("fp-contract=off")
#endif
#define SHARED static
#define JOINS_OF(width) joins_##width, places_##width
#include "templates/shared/levels.h"

#include "templates/shared/angles.h"
#include "templates/shared/bands.c"
#include "templates/shared/calls.c"

/* Those of this processor; for tests, of one that has no more than WEFT_VECTOR_BYTES, 32 or 16. */
const struct weft_calls *kernel_calls(void)
{
    const struct weft_calls *const calls = choose_calls();
    const char *const most = secure_getenv("WEFT_VECTOR_BYTES");
    const int bytes = most ? atoi(most) : 0;
#if defined SEVERAL_WIDTHS
    if (bytes == 32 && calls == kernel_calls_64())
        return kernel_calls_32();
#endif
    return bytes == 16 ? kernel_calls_16() : calls;
}

int kernel_row_bytes(void)
{
#if defined SEVERAL_WIDTHS
    const struct weft_calls *const calls = kernel_calls();
#if defined __clang__
    return calls == kernel_calls_32() ? 32 : 0;
#else
    return calls == kernel_calls_64() ? 64 : calls == kernel_calls_32() ? 32 : 0;
#endif
#else
    return 0;
#endif
}

/* Intel's processors take 12 to 24 cycles for a vector, AMD's half of that. */
bool kernel_roots_slow(void)
{
#if defined __x86_64__
    __builtin_cpu_init();
    return __builtin_cpu_is("intel") && __builtin_cpu_supports("avx512dq");
#else
    return false;
#endif
}
