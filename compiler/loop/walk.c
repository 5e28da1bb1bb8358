/* See walk.h. */
#include "compiler/loop/walk.h"

void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk)
{
    size_t steps = 0;
    for (int m = map; m; m = maps[m].parent)
        steps++;
    walk->levels = ARENA_ARRAY(arena, struct pieces, steps + 1);
    walk_follow(maps, map, tensor, walk);
}
