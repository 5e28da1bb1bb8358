/* Walks the cache's files, removes them, and keeps their total size below the cap. */
#ifndef WEFT_RUNTIME_CACHE_SWEEP_H
#define WEFT_RUNTIME_CACHE_SWEEP_H

#include "compiler/base/base.h"

#include <time.h>

enum { CACHE_SHARDS = 256, CACHE_NAME = 64, CACHE_SWEEP_BYTE = 0 };

enum cache_file_kind { CACHE_FILE_OTHER, CACHE_FILE_ENTRY, CACHE_FILE_TEMPORARY, CACHE_FILE_CLOSED };

struct cache_file {
    enum cache_file_kind kind;     /* CLOSED: a shard that cannot be used, with errno in `problem` */
    int problem;
    int directory;                 /* descriptor of the shard, of CLOSED the root, valid during the visit */
    char name[CACHE_NAME + 48];
    uint64_t size;
    time_t used;                   /* the last use, to the minute */
};

/* Called for each file of the cache. False ends the walk. The file may be gone by then. */
typedef bool cache_visitor(void *user, const struct cache_file *file);
/* Visits all files. False: a visitor ended the walk. */
bool cache_walk(int root, cache_visitor *visit, void *user);

/* Removes stale temporary files. If the entries take more than `cap` bytes, removes those used longest ago
 * until the rest takes `enough` or less. Adds to *removed. False: out of memory. */
bool cache_prune(int root, uint64_t cap, uint64_t enough, struct weft_cache_removed *removed);
/* Removes all files of the cache, and its directories where nothing else lies in them. */
void cache_clear(int root, struct weft_cache_removed *removed);

/* Sets *cap to the most bytes to keep: WEFT_CACHE_SIZE, a number with an optional K, M, G or T, else 256 MiB.
 * False with a diagnostic if it is something else. Reads the environment, so it is for threads of the caller
 * only. */
bool cache_cap(uint64_t *cap, struct diags *diags);
/* Called after an entry was written to a shard. Removes the shard's stale temporary files. If the shard's size
 * suggests that all entries take more than `cap` bytes, prunes them, one process at a time. */
void cache_sweep(int root, int shard, uint64_t cap);

#endif
