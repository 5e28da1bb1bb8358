/* Kernels on disk, shared by all processes of a user. The directory holds these files, all of mode 0600 and
 * in directories of mode 0700:
 *
 *     ab/ab34..ef.so       an entry (entry.h), named by the 32 digits of its key's hash
 *     ab/ab34..ef.cubin    one for a GPU
 *     ab/ab34..ef.*.tmp    one that is being written, or was when its writer died
 *     lock                 locked, byte by byte, by processes that compile or sweep
 *
 * An entry appears whole, by a rename, and never changes. Whatever goes wrong here costs a compilation and
 * nothing else. All functions may be called from any thread. */
#ifndef WEFT_RUNTIME_CACHE_CACHE_H
#define WEFT_RUNTIME_CACHE_CACHE_H

#include "runtime/cache/directory.h"
#include "runtime/cache/entry.h"
#include "runtime/cache/identity.h"
#include "runtime/cache/sweep.h"

#include <stdatomic.h>

/* Returns what key->load makes of the entry for this key; NULL: no usable entry. Sets *keep if an entry may
 * exist that cannot be read now, which must then not be replaced. `clean`: a damaged entry is removed. */
void *cache_find(const char *path, const struct cache_key *key, bool clean, bool *keep);

/* Acquires the lock for making this kernel. Waits for other processes that hold it, 10 s at most. If one of
 * them finishes the kernel, returns its handle. Otherwise returns NULL and the caller makes the kernel, even
 * without the lock after a timeout or when *cancelled becomes true. *lock is for cache_unlock; -1: nothing is
 * locked. */
void *cache_wait(const char *path, const struct cache_key *key, const atomic_bool *cancelled, int *lock,
                 bool *keep);
/* Writes an entry, and sweeps if there are more than `cap` bytes. False with errno; *where is then what is in
 * the way: the directory at `path` as a whole (0), the shard in it (1) or what lies in the entry's place (2). */
bool cache_publish(const char *path, const struct cache_key *key, const struct image *image,
                   const char *note, uint64_t cap, int *where);

#endif
