/* What the library does for kernels in C; see struct weft_calls. */
#include "runtime/kernels/kernels.h"

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

const struct weft_calls *kernel_calls(void)
{
    return choose_calls();
}

bool kernel_rows_are_wide(void)
{
#if defined SEVERAL_WIDTHS && !defined __clang__
    return choose_calls() != kernel_calls_16();
#else
    return false;
#endif
}
