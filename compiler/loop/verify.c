/* The verifier of geometry, as those of ir/verify.h. */
#include "compiler/loop/geometry.h"

const char *verify_geometry(const struct kernel *kernel, const struct geometry *g)
{
    if (g->volume && g->rows * g->columns != g->volume)
        return "the groups do not multiply to the volume";
    if (g->period && (g->columns % g->period != 0 || (g->period > MAX_PERIOD && !g->chunks)))
        return "the period does not fit";
    for (int a = kernel->load_count; g->volume && a < kernel->access_count; a++)
        if (g->kinds[a] == ACCESS_MAPPED || g->kinds[a] == ACCESS_PERIODIC ||
            (g->kinds[a] == ACCESS_SCALAR && g->columns > 1))
            return "a store writes one element twice";
    for (int a = 0; a < kernel->access_count; a++)
        if ((g->kinds[a] == ACCESS_MAPPED) != (g->maps[a] != NULL))
            return "a mapped access without its levels";
    return NULL;
}
