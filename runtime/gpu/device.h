/* The GPUs that a context uses: each with the driver's primary context, which is the one that CUDA's
 * runtime, and so every other library in the process, uses too. Retained at the first use, released when
 * the weft_context is destroyed. */
#ifndef WEFT_CUDA_DEVICE_H
#define WEFT_CUDA_DEVICE_H

#include "runtime/gpu/memory.h"

#include <pthread.h>
#include <stdatomic.h>

enum { CUDA_MAX_DEVICES = 64 };    /* the driver's own bound */

struct cuda_device {
    const struct cuda_driver *driver;
    struct CUctx_st *context;
    int ordinal;                   /* DLPack's device_id */
    int handle;                    /* a CUdevice */
    int major, minor;              /* of the compute capability */
    int processors;                /* multiprocessors */
    int threads;                   /* at most, resident on each */
    bool pools;                    /* cuMemAllocAsync works */
    struct cuda_memory memory;
};

/* A member of struct weft_context. All zero: none is used. */
struct cuda_devices {
    pthread_mutex_t mutex;         /* guards making */
    struct cuda_device *_Atomic all[CUDA_MAX_DEVICES];
};

/* A GPU by its number, for as long as `devices` are used; NULL with a diagnostic. */
struct cuda_device *cuda_device_get(struct cuda_devices *devices, int ordinal, struct diags *diags);

/* Makes the GPU's context the thread's current one; each success is followed by a cuda_leave on the same
 * thread, after which the one before is current again. False with a diagnostic. */
bool cuda_enter(const struct cuda_device *device, struct diags *diags);
void cuda_leave(const struct cuda_device *device);
/* The same for giving back: no diagnostic. False where there is nothing left to give back to: after a
 * fork, or when the context is lost. */
bool cuda_enter_quietly(const struct cuda_device *device);

void cuda_devices_init(struct cuda_devices *devices);
/* Waits until nothing that uses kernels or memory of ours runs on any of them any more. */
void cuda_devices_wait(const struct cuda_devices *devices);
/* Releases all of them; what lives in their contexts has been given back. */
void cuda_devices_finish(struct cuda_devices *devices);

#endif
