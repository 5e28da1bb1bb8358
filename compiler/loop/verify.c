/* Implements verify_geometry of geometry.h, as ir/verify.c does for kernels. */
#include "compiler/ir/ir.h"
#include "compiler/loop/geometry.h"

const char *verify_geometry(const struct kernel *kernel, const struct geometry *g)
{
    if (g->volume && g->rows * g->columns != g->volume)
        return "the groups do not multiply to the volume";
    if (g->period && (g->columns % g->period != 0 || (g->period > MAX_PERIOD && !g->chunks)))
        return "the period does not fit";
    for (int a = kernel->load_count; g->volume && !kernel->lanes && a < kernel->access_count; a++)
        if (access_numbered(g->kinds[a]) || g->kinds[a] == ACCESS_PERIODIC ||
            (g->kinds[a] == ACCESS_SCALAR && g->columns > 1))
            return "a store writes one element twice";
    for (int a = 0; a < kernel->access_count; a++) {
        if (access_numbered(g->kinds[a]) != (g->maps[a] != NULL))
            return "a mapped access without its levels";
        if (g->volume && (g->kinds[a] == ACCESS_BOUNDED) != map_is_bounded(kernel, kernel->accesses[a].map))
            return "a bounded access without its bounds, or bounds that nobody compares";
        if (g->starts[a] && (g->maps[a] || (a >= kernel->load_count && !g->peel && !kernel->accesses[a].map)))
            return "an access that does not start where its tensor does";
    }
    return NULL;
}
