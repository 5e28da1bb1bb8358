/* See walk.h. */
#include "compiler/loop/walk.h"

void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk)
{
    size_t levels = 1;
    for (int m = map; m; m = maps[m].parent)
        levels += maps[m].outside ? MAP_BOUNDED_STEP : MAP_STEP;
    walk->levels = ARENA_ARRAY(arena, struct walk_level, levels);
    walk_follow(maps, map, tensor, walk);
}
