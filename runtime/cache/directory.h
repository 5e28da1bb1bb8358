/* The cache's directory: where it is, whether it may be used, and locks in it. */
#ifndef WEFT_RUNTIME_CACHE_DIRECTORY_H
#define WEFT_RUNTIME_CACHE_DIRECTORY_H

#include <stdbool.h>
#include <sys/types.h>

/* The path of the directory that weft_context_params.cache means by `word`; NULL stands for WEFT_CACHE,
 * XDG_CACHE_HOME, HOME. The path is absolute and from malloc, "" for no cache. NULL: out of memory. Reads the
 * environment, so it is for threads of the caller only. */
char *cache_directory(const char *word);
/* Opens the directory at `path`, and creates it if `make` is set. Returns a descriptor, or -1 with errno:
 * ENOENT if there is none, EPERM if it belongs to another user, ENOTDIR if a link is in the way. */
int cache_open(const char *path, bool make);
/* Describes such an errno in words; a static string, or strerror's. */
const char *cache_problem(int error);

/* Opens a directory below `at`, and creates it if `make` is set. It must belong to this user, and others must
 * not be able to write to it. -1 with errno. */
int cache_open_directory(int at, const char *name, bool make);
/* Locks one byte of the directory's lock file. Returns a descriptor for cache_unlock; -1 with errno, EAGAIN
 * if another process has locked it. */
int cache_lock_byte(int root, off_t byte);
/* Releases the lock. Takes -1. */
void cache_unlock(int lock);

#endif
