/* Allocates walks (walk.h). The other functions of walks are compiled in geometry.c. */
#include "compiler/loop/walk.h"

void walk_make(struct arena *arena, const struct index_map *maps, int map,
               const struct pieces *tensor, struct walk *walk)
{
    walk->levels = ARENA_ARRAY(arena, struct walk_level, map_levels(maps, map));
    walk_follow(maps, map, tensor, walk);
}
