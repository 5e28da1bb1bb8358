/* Finds files of the CUDA toolkit: in the directory that a variable names, in the system's directories for
 * libraries and programs, and where the toolkit's installer, conda and pip put them.
 *
 * Invariant: nothing is loaded or started, so that a kernel on disk is found without loading NVRTC. */
#ifndef WEFT_RUNTIME_GPU_FIND_H
#define WEFT_RUNTIME_GPU_FIND_H

#include "runtime/base/base.h"

#include <limits.h>

enum cuda_file { CUDA_LIBRARY, CUDA_PROGRAM };

/* Fills `path` with the absolute path of the first file of that kind, for this machine, whose name matches a glob
 * pattern; within one place that with the highest name. Places are named by `environment`. False: none. */
bool cuda_find(const struct environment *environment, enum cuda_file kind, const char *pattern, char path[PATH_MAX]);

/* Opens a library, never to be closed. A fork waits meanwhile (base/forklock.h). NULL: dlerror says why. */
void *library_open(const char *path);
/* A function of a library, and where its address goes in a table of them. */
struct library_function {
    size_t field;
    const char *symbol;
    bool optional;
};

/* Fills a table. Returns the name of the first function that is missing and not optional; NULL: none. */
const char *library_find(void *library, const struct library_function *functions, size_t count, void *table);
/* The path that an open library was loaded from, valid while it is open; "" if the loader does not say. */
const char *library_path(void *library);

#endif
