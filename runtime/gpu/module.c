/* Kernels for GPUs, from a text or an entry on disk to a module; see module.h. */
#include "runtime/gpu/module.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- loading ---- */

/* Returns the driver's result. The relaxed capture mode allows loading although other threads may be
 * capturing. The GPU's context must be current. */
static int load(const struct cuda_device *device, const void *image, struct CUmod_st **module)
{
    int mode = cuda_relax(device);
    int result = device->driver->cuModuleLoadData(module, image);
    cuda_strict(device, mode);
    return result;
}

/* Loads the checked bytes of an entry. */
static void *load_entry(const struct cache_key *key, int fd, const struct entry *entry, const char *path)
{
    const struct cuda_device *device = key->user;
    struct CUmod_st *module = NULL;
    (void)fd, (void)path;
    if (!cuda_enter_quietly(device))
        return NULL;
    bool good = load(device, entry->bytes, &module) == CUDA_SUCCESS;
    cuda_leave(device);
    return good ? module : NULL;
}

/* Reports a failure to load. If the driver cannot take the code, NVRTC is newer than the driver. */
static bool report_load(const struct cuda_device *device, const struct nvrtc *nvrtc,
                        const struct nvrtc_arch *arch, int result, struct diags *diags)
{
    int version = device->driver->version;
    switch (result) {
    case CUDA_ERROR_INVALID_IMAGE:
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_INVALID_PTX:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        return diag_at(diags, DIAG_CUDA_IMAGE, NULL, 0, version / 1000, version % 1000 / 10, result,
                       nvrtc->major, nvrtc->minor, nvrtc->path, arch->name, device->major,
                       device->minor, version / 1000);
    default:
        return cuda_check(device->driver, diags, result, "cuModuleLoadData");
    }
}

/* ---- compiling ---- */

bool cuda_key_init(struct cache_key *key, struct cuda_device *device, const char *identity,
                   const char *text, enum weft_math math)
{
    char arch[32];
    const char *fields[NVRTC_MAX_OPTIONS + 4] = {"cuda", identity, arch};
    snprintf(arch, sizeof arch, "sm_%d%d", device->major, device->minor);
    nvrtc_options(math, fields + 3);
    *key = (struct cache_key){.suffix = ".cubin", .load = load_entry, .user = device};
    return cache_key_fields(key, fields, text);
}

struct CUmod_st *cuda_compile(struct nvrtc *nvrtc, struct cuda_device *device, const char *text,
                              enum weft_math math, struct image *image, struct diags *diags)
{
    struct nvrtc_arch arch;
    struct nvrtc_code code;
    struct CUmod_st *module = NULL;
    if (!nvrtc_open(nvrtc, diags) ||
        !nvrtc_device_arch(nvrtc, device->major, device->minor, &arch, diags) ||
        !nvrtc_compile(nvrtc, text, math, &arch, &code, diags))
        return NULL;
    *image = (struct image){.fd = -1, .bytes = code.bytes, .size = code.size};
    if (!cuda_enter(device, diags))
        return NULL;
    int result = load(device, code.bytes, &module);
    cuda_leave(device);
    return result == CUDA_SUCCESS || report_load(device, nvrtc, &arch, result, diags) ? module : NULL;
}

/* ---- functions and unloading ---- */

struct CUfunc_st *cuda_function(const struct cuda_device *device, struct CUmod_st *module, const char *entry,
                                struct diags *diags)
{
    struct CUfunc_st *function = NULL;
    if (!cuda_enter(device, diags))
        return NULL;
    const int mode = cuda_relax(device); /* a driver that loads lazily loads the code now */
    bool good = CUDA_CALL(device->driver, diags, cuModuleGetFunction, &function, module, entry);
    cuda_strict(device, mode);
    cuda_leave(device);
    return good ? function : NULL;
}

void cuda_unload(const struct cuda_device *device, struct CUmod_st *module)
{
    if (!cuda_enter_quietly(device))
        return;
    device->driver->cuModuleUnload(module);
    cuda_leave(device);
}
