/* Implements verify_geometry of geometry.h and verify_schedule of schedule.h, as ir/verify.c does for kernels. */
#include "compiler/ir/ir.h"
#include "compiler/loop/schedule.h"

const char *verify_geometry(const struct kernel *kernel, const struct geometry *g)
{
    const int64_t outer = g->groups ? g->extents[g->groups - 1] : 1; /* rows of which the last one may be shorter */
    if (g->volume && g->rows / outer * ((outer - 1) * g->columns + g->last_columns) != g->volume)
        return "the groups do not multiply to the volume";
    const int64_t longest = g->chunks ? INT64_MAX : kernel->lanes ? LANED_MOST : MAX_PERIOD;
    if (g->period && (g->columns % g->period != 0 || g->period > longest))
        return "the period does not fit";
    for (int a = kernel->load_count; g->volume && !kernel->lanes && a < kernel->access_count; a++)
        if (access_is(g->kinds[a], NUMBERED) || g->kinds[a] == ACCESS_PERIODIC ||
            (g->kinds[a] == ACCESS_SCALAR && g->columns > 1))
            return "a store writes one element twice";
    for (int a = 0; a < kernel->access_count; a++) {
        if (!access_is(g->kinds[a], g->chunks ? CHUNKS : BLOCKS))
            return "an access of a kind that the target does not have";
        if (access_is(g->kinds[a], NUMBERED) != (g->maps[a] != NULL))
            return "a mapped access without its levels";
        if (g->volume && (g->kinds[a] == ACCESS_BOUNDED) != map_is_bounded(kernel, kernel->accesses[a].map))
            return "a bounded access without its bounds, or bounds that nobody compares";
        if (g->slides && a < kernel->load_count &&
            (g->near[a].row > g->near[g->near[a].first].rows || access_is(g->kinds[g->near[a].first], NUMBERED)))
            return "a load that slides beyond the rows that are kept";
        if (g->starts[a] && (g->maps[a] || (a >= kernel->load_count && !g->peel && !kernel->accesses[a].map)))
            return "an access that does not start where its tensor does";
    }
    return NULL;
}

/* Verifies kernel k of a schedule, and its chain. */
static const char *verify_scheduled(const struct schedule *schedule, int k)
{
    const struct scheduled *s = &schedule->kernels[k];
    if (s->chain == 1 || k + s->chain > schedule->count)
        return "a chain of one kernel, or of kernels that are not there";
    if (s->shared && k >= schedule->first_result)
        return "a result that all samples share";
    for (int i = 1; i < s->chain; i++)
        if (s[i].chain)
            return "a chain inside of another";
    for (int a = 0; a < s->kernel->access_count; a++) {
        const struct access *access = &s->kernel->accesses[a];
        const bool temporary = access_is_temporary(access);
        const struct lifetime *lifetime = temporary ? &schedule->lifetimes[access->index] : NULL;
        if (lifetime && (k < lifetime->from + (a < s->kernel->load_count) || k > lifetime->to))
            return "a temporary that is used before it is stored, or after its lifetime";
        if (lifetime && lifetime->window.bytes < lifetime->window.step + lifetime->window.before)
            return "a window that does not hold a tile";
        if (lifetime && lifetime->shared && a >= s->kernel->load_count && !s->shared)
            return "a temporary for all samples that one sample stores";
    }
    return verify_geometry(s->kernel, &s->geometry);
}

const char *verify_schedule(const struct schedule *schedule)
{
    const char *broken = NULL;
    for (int k = 0; k < schedule->count && !broken; k++)
        broken = verify_scheduled(schedule, k);
    return broken;
}
