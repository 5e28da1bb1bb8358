/* One kernel for a GPU: its key on disk, its compilation, its module in the GPU's context. The tables in
 * memory and on disk are the same as for C kernels (kernels.c, build.c).
 *
 * Invariant: the GPU's context is current only while a module is loaded or unloaded. */
#ifndef WEFT_RUNTIME_GPU_MODULE_H
#define WEFT_RUNTIME_GPU_MODULE_H

#include "runtime/cache/cache.h"
#include "runtime/gpu/device.h"
#include "runtime/gpu/nvrtc.h"

/* Makes the key on disk for a text without comments. `identity` is NVRTC's. False: out of memory. */
bool cuda_key_init(struct cache_key *key, struct cuda_device *device, const char *identity,
                   const char *text, enum weft_math math);

/* Compiles a kernel and loads it. *image is what should be kept on disk; the caller frees its bytes, also
 * after a failure to load. NULL with a diagnostic. */
struct CUmod_st *cuda_compile(struct nvrtc *nvrtc, struct cuda_device *device, const char *text,
                              enum weft_math math, struct image *image, struct diags *diags);
/* The function of this name in the module; NULL with a diagnostic. */
struct CUfunc_st *cuda_function(const struct cuda_device *device, struct CUmod_st *module, const char *entry,
                                struct diags *diags);
/* Unloads the module. Does nothing if the GPU's context, and with it the module, is gone. */
void cuda_unload(const struct cuda_device *device, struct CUmod_st *module);

#endif
