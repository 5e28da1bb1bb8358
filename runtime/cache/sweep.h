/* What is on disk, and removing it; cache_sweep is in cache.h. */
#ifndef WEFT_CACHE_WALK_H
#define WEFT_CACHE_WALK_H

#include "runtime/cache/cache.h"

#include <time.h>

enum cache_file_kind { CACHE_FILE_OTHER, CACHE_FILE_ENTRY, CACHE_FILE_TEMPORARY };

struct cache_file {
    enum cache_file_kind kind;
    int shard;
    int directory;                 /* a descriptor of the shard, during the visit */
    char name[CACHE_NAME + 48];
    uint64_t size;
    time_t used;
};

/* False ends the walk. A file may be gone by the time it is visited. */
typedef bool cache_visitor(void *user, const struct cache_file *file);
bool cache_walk_shard(int root, int shard, cache_visitor *visit, void *user);
bool cache_walk(int root, cache_visitor *visit, void *user);

/* Removes dead temporaries and, when entries take more than `cap` bytes, those used longest ago until
 * they take no more than `enough`. False: no memory. */
bool cache_prune(int root, uint64_t cap, uint64_t enough, struct weft_cache_removed *removed);
/* Removes all that is the cache's. */
void cache_clear(int root, struct weft_cache_removed *removed);

#endif
