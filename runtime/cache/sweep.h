/* What is on disk, and removing it. */
#ifndef WEFT_SWEEP_H
#define WEFT_SWEEP_H

#include "compiler/base/base.h"

#include <time.h>

enum { CACHE_SHARDS = 256, CACHE_NAME = 64, CACHE_SWEEP_BYTE = 0 };

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

/* The most bytes to keep: WEFT_CACHE_SIZE with K, M, G or T behind it, else 256 MiB. False with a diagnostic when
 * it is something else. Reads the environment, which the host may change at any time: for the callers' threads
 * alone. */
bool cache_cap(uint64_t *cap, struct diags *diags);
/* After an entry was written to a shard: removes temporaries that died, and the entries used longest
 * ago when all of them seem to take more than `cap` bytes. One process at a time. */
void cache_sweep(int root, int shard, uint64_t cap);

#endif
