/* Where files of the CUDA toolkit are: in the directory that somebody named, where the system keeps
 * libraries and programs, or where the toolkit's installer, conda and pip's wheels put them.
 *
 * Invariant: to find opens and starts nothing, so that a kernel on disk is found without loading NVRTC. */
#ifndef WEFT_CUDA_FIND_H
#define WEFT_CUDA_FIND_H

#include "runtime/base/base.h"

#include <limits.h>

enum cuda_file { CUDA_LIBRARY, CUDA_PROGRAM };

/* The first file of that kind for this machine whose name matches a pattern of glob, of one place
 * the highest name; by this environment. An absolute path. */
bool cuda_find(const struct environment *environment, enum cuda_file kind, const char *pattern, char path[PATH_MAX]);

/* Opens a library for good; a fork waits meanwhile (base/forklock.h). NULL: dlerror tells. */
void *library_open(const char *path);
/* The path an open library was loaded from, as long as it is open; "" when the loader does not say. */
const char *library_path(void *library);

#endif
