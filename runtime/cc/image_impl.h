/* Loading a shared object that is known by a descriptor. */
#ifndef WEFT_IMAGE_H
#define WEFT_IMAGE_H

#include "runtime/cache/cache.h"

/* A handle of dlopen for the first `size` bytes of the file; what follows them is no matter. `digest`
 * names the content: images with one digest may come out as one handle, counted. `path` is where the
 * file is, for a machine without /proc. The descriptor stays the caller's and may be closed. NULL:
 * *problem says why, in the thread's memory of dlerror. */
void *image_load(int fd, size_t size, const unsigned char digest[16], const char *path,
                 const char **problem);
/* A handle for the file at a path that holds a '/'. It keeps its name: a file that is to stay. */
void *image_load_file(const char *path, const char **problem);
/* As image_load, for an entry on disk. */
cache_loader image_load_entry;

#endif
