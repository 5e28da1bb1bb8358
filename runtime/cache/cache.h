/* Kernels on disk, shared by all processes of a user. Files in the directory, all of mode 0600 in
 * directories of mode 0700:
 *
 *     ab/ab34..ef.so       an entry (entry.h); 32 digits, the hash of its key
 *     ab/ab34..ef.cubin    one for a GPU
 *     ab/ab34..ef.*.tmp    one being written; whoever wrote it may be dead
 *     lock                 locked, byte by byte, by those who compile or sweep
 *
 * Invariant: an entry appears whole, by rename, and is never changed; whatever goes wrong here costs
 * a compilation and nothing else. */
#ifndef WEFT_CACHE_H
#define WEFT_CACHE_H

#include "runtime/cache/entry.h"
#include "runtime/cache/identity.h"
#include "runtime/cache/sweep.h"

#include <stdatomic.h>
#include <sys/types.h>

/* The directory for this word of the caller's, as weft_context_params.cache has it: absolute, from
 * malloc, "" for none. NULL: out of memory. */
char *cache_place(const char *word);
/* A descriptor of the directory at `path`, made when it is not there and `make` is set; -1 with errno:
 * ENOENT when there is none, EPERM when it is another user's, ENOTDIR when a link is in the way. */
int cache_open(const char *path, bool make);
/* What errno means for a directory. */
const char *cache_problem(int error);

/* What key->load made of the entry for this key, NULL when there is none. *keep: there may be one that cannot be
 * read now. `clean`: a damaged one is removed. */
void *cache_find(const char *path, const struct cache_key *key, bool clean, bool *keep);

/* The right to make the kernel of this key: waits for other processes that have it, 10 s at most,
 * unless one of them finishes it: then the kernel's handle. *lock is for cache_unlock, or -1, and the
 * right is taken anyway, as it is when *cancelled becomes true. */
void *cache_wait(const char *path, const struct cache_key *key, const atomic_bool *cancelled, int *lock,
                 bool *keep);
void cache_unlock(int lock);

/* Keeps an image; sweeps when there are more than `cap` bytes. False with
 * errno. */
bool cache_publish(const char *path, const struct cache_key *key, const struct image *image,
                   const char *note, uint64_t cap);

/* ---- for sweep.c ---- */

/* Opens a directory below `at` that is ours, made when it is not there and `make` is set. */
int cache_open_directory(int at, const char *name, bool make);
/* Locks one byte of the directory's lock file; -1 when it is locked (EAGAIN) or cannot be. */
int cache_lock_byte(int root, off_t byte);

#endif
