/* A hash map from texts to numbers, in an arena. Keys are not copied, so they must live as long as
 * the map. A map is ready to use, and empty, when its arena is set: `struct map map = {.arena = arena}`. */
#ifndef WEFT_COMPILER_BASE_MAP_H
#define WEFT_COMPILER_BASE_MAP_H

#include "compiler/base/arena.h"

struct map_slot {
    const char *key;               /* NULL: free */
    size_t length;
    int value;
};

struct map {
    struct arena *arena;
    struct map_slot *slots;        /* `capacity` of them, a power of two, at most half full */
    size_t count, capacity;
};

/* The value of a key; -1 when it is absent. */
int map_find(const struct map *map, const char *key, size_t length);
/* Adds a key or replaces its value. Values are not negative. */
void map_put(struct map *map, const char *key, size_t length, int value);

#endif
