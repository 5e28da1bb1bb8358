/* What the library does for kernels in C; see struct weft_calls. */
#include "runtime/kernels/kernels.h"

#include <string.h>

#define SHARED static
#define JOINS_OF(width) joins_##width, places_##width
#include "templates/shared/levels.h"

#include "templates/shared/bands.c"
#include "templates/shared/calls.c"

const struct weft_calls *kernel_calls(void)
{
    return choose_calls();
}
