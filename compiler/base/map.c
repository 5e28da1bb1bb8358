/* Implements map.h: open addressing with linear probing. */
#include "compiler/base/map.h"

#include <stdint.h>
#include <string.h>

static size_t hash(const char *key, size_t length)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)key[i]) * 0x100000001b3u;
    h ^= h >> 29;
    return (size_t)(h * 0x9e3779b97f4a7c15u >> 20);
}

/* The slot that holds the key, or the free one where it belongs. */
static struct map_slot *slot_of(const struct map *map, const char *key, size_t length)
{
    size_t mask = map->capacity - 1;
    for (size_t i = hash(key, length) & mask;; i = (i + 1) & mask) {
        struct map_slot *slot = &map->slots[i];
        if (!slot->key || (slot->length == length && memcmp(slot->key, key, length) == 0))
            return slot;
    }
}

static void grow(struct map *map)
{
    struct map old = *map;
    map->capacity = old.capacity ? old.capacity * 2 : 16;
    map->slots = ARENA_ARRAY(map->arena, struct map_slot, map->capacity);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].key)
            *slot_of(map, old.slots[i].key, old.slots[i].length) = old.slots[i];
}

int map_find(const struct map *map, const char *key, size_t length)
{
    if (map->count == 0)
        return -1;
    const struct map_slot *slot = slot_of(map, key, length);
    return slot->key ? slot->value : -1;
}

void map_put(struct map *map, const char *key, size_t length, int value)
{
    if (map->count * 2 >= map->capacity)
        grow(map);
    struct map_slot *slot = slot_of(map, key, length);
    map->count += !slot->key;
    *slot = (struct map_slot){key, length, value};
}
