/* The GPUs that a context uses, each with its primary context, which CUDA's runtime and every other
 * library of the process uses, too. It is retained at the first use and released when the
 * weft_context is destroyed. */
#ifndef WEFT_RUNTIME_GPU_DEVICE_H
#define WEFT_RUNTIME_GPU_DEVICE_H

#include "runtime/gpu/memory.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CUDA_MAX_DEVICES = 64 };    /* a bound of the driver */

struct cuda_device {
    const struct cuda_driver *driver;
    struct CUctx_st *context;
    int ordinal;                   /* DLPack's device_id */
    int handle;                    /* a CUdevice */
    int major, minor;              /* the compute capability */
    int processors;                /* multiprocessors */
    int threads;                   /* most resident threads of a multiprocessor */
    bool pools;                    /* cuMemAllocAsync works */
    struct cuda_memory memory;
};

/* A member of struct weft_context. All zero: no GPU is used. */
struct cuda_devices {
    pthread_mutex_t mutex;         /* held while a device is made */
    struct cuda_device *_Atomic all[CUDA_MAX_DEVICES];
};

/* The GPU of this number, made at its first use. It lives as long as `devices`. NULL with a
 * diagnostic. From any thread. */
struct cuda_device *cuda_device_get(struct cuda_devices *devices, int ordinal, struct diags *diags);

/* Makes the GPU's context the thread's current one. Each success needs a cuda_leave on the same
 * thread, which makes the previous context current again. False with a diagnostic. */
bool cuda_enter(const struct cuda_device *device, struct diags *diags);
void cuda_leave(const struct cuda_device *device);
/* Enters to release resources, without a diagnostic. False if there is nothing left to release:
 * after a fork, or when the context is lost. */
bool cuda_enter_quietly(const struct cuda_device *device);

/* Waits until no kernel of this context runs and none of its memory is in use on any GPU. */
void cuda_devices_wait(const struct cuda_devices *devices);
/* Releases all GPUs. Modules must have been unloaded before. */
void cuda_devices_finish(struct cuda_devices *devices);

#endif
