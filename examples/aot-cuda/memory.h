/* Memory of the first GPU, for a program that is built without CUDA. One with CUDA's runtime library has cudaMalloc,
 * cudaMemcpy and cudaStreamSynchronize for it. */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* False: there is no GPU, or no driver. Else its context is the thread's. */
bool memory_open(void);
/* NULL: there is not enough. */
void *memory_new(size_t bytes);
void memory_free(void *memory);
bool memory_fill(void *memory, const void *from, size_t bytes);
/* Waits for all work, and copies what is there then. */
bool memory_read(void *to, const void *memory, size_t bytes);
/* Gives the context back. */
void memory_close(void);

#endif
