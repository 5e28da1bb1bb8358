/* Loads shared objects from descriptors. */
#ifndef WEFT_RUNTIME_CC_IMAGE_IMPL_H
#define WEFT_RUNTIME_CC_IMAGE_IMPL_H

#include "runtime/cache/cache.h"

/* Loads the first `size` bytes of the file behind `fd`; bytes after them are ignored. Images of
 * one digest must be equal, because the loader may return one counted handle for them. `path` is
 * where the file lies, for machines without /proc. The caller keeps the descriptor and may close
 * it. Returns a handle of dlopen; NULL: *problem says why, in the memory of the thread's dlerror. */
void *image_load(int fd, size_t size, const unsigned char digest[16], const char *path,
                 const char **problem);
/* Loads the file at a path that contains a '/'. It keeps this name, so the file must stay there. */
void *image_load_file(const char *path, const char **problem);
/* image_load for an entry on disk. */
cache_loader image_load_entry;

#endif
