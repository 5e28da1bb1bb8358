/* See index_map.h. */
#include "compiler/ir/index_map.h"

/* Whether broadcasting takes them alike: the same but for extents of 1 in front. */
static bool same_space(const struct shape *a, const struct shape *b)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    for (int d = 1; d <= rank; d++)
        if ((d <= a->rank ? a->extents[a->rank - d] : 1) !=
            (d <= b->rank ? b->extents[b->rank - d] : 1))
            return false;
    return true;
}

static int find_map(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                    bool apart)
{
    const struct index_map *outer = &kernel->maps[map];
    if (shapes_fill(from, outer->to)) { /* nothing is stretched in between */
        from = map ? outer->from : outer->to;
        map = map ? outer->parent : 0;
    }
    if (same_space(from, to) && !(apart && !shapes_fill(from, kernel->maps[map].to)))
        return map;
    for (int m = 1; m < kernel->map_count; m++) {
        const struct index_map *have = &kernel->maps[m];
        if (have->parent == map && same_space(have->from, from) && same_space(have->to, to))
            return m;
    }
    if (kernel->map_count == MAX_MAPS)
        return -1;
    ARENA_PUSH(kernel->arena, kernel->maps, kernel->map_count, ((struct index_map){map, from, to}));
    return kernel->map_count - 1;
}

int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, false);
}

int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, true);
}
