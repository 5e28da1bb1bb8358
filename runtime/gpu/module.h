/* One kernel for a GPU: its key on disk, its code, its module in the GPU's context. What keeps kernels, in
 * memory and on disk, is the same as for C (kernels.c, build.c).
 *
 * Invariant: a module is loaded and unloaded with the GPU's context current for no longer than that. */
#ifndef WEFT_CUDA_KERNELS_H
#define WEFT_CUDA_KERNELS_H

#include "runtime/cache/cache.h"
#include "runtime/gpu/device.h"
#include "runtime/gpu/nvrtc.h"

/* The key for a text without comments; `identity` is NVRTC's. False: out of memory. */
bool cuda_key_init(struct cache_key *key, struct cuda_device *device, const char *identity,
                   const char *text, enum weft_math math);

/* Compiles a kernel and loads it; *image, which the caller frees, is what is to be kept. NULL with a
 * diagnostic. */
struct CUmod_st *cuda_compile(struct nvrtc *nvrtc, struct cuda_device *device, const char *text,
                              enum weft_math math, struct image *image, struct diags *diags);
/* The module's kernel, the function of this name; NULL with a diagnostic. */
struct CUfunc_st *cuda_function(const struct cuda_device *device, struct CUmod_st *module, const char *entry,
                                struct diags *diags);
/* Unloads; nothing happens where the GPU's context, and with it the module, is gone. */
void cuda_unload(const struct cuda_device *device, struct CUmod_st *module);

#endif
