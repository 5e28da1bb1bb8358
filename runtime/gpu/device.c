/* Making, entering and releasing GPUs; see device.h. */
#include "runtime/gpu/device.h"

#include <stdlib.h>

static bool describe(struct cuda_device *device, struct diags *diags)
{
    const struct cuda_driver *driver = device->driver;
    const struct {
        int attribute;
        int *value;
    } attributes[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &device->major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &device->minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &device->processors},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &device->threads},
    };
    int pools = 0;
    if (!CUDA_CALL(driver, diags, cuDeviceGet, &device->handle, device->ordinal))
        return false;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (!CUDA_CALL(driver, diags, cuDeviceGetAttribute, attributes[i].value,
                       attributes[i].attribute, device->handle))
            return false;
    device->pools = driver->cuDeviceGetAttribute(&pools, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED,
                                                 device->handle) == CUDA_SUCCESS &&
                    pools;
    return true;
}

/* Releases everything but the struct. */
static void finish(struct cuda_device *device)
{
    bool alive = cuda_enter_quietly(device);
    cuda_memory_finish(device, alive);
    if (alive)
        cuda_leave(device);
    if (cuda_driver_used())
        device->driver->cuDevicePrimaryCtxRelease(device->handle);
}

static bool retain(struct cuda_device *device, struct diags *diags)
{
    if (!CUDA_CALL(device->driver, diags, cuDevicePrimaryCtxRetain, &device->context, device->handle))
        return false;
    if (!CUDA_CALL(device->driver, diags, cuCtxPushCurrent, device->context)) {
        device->driver->cuDevicePrimaryCtxRelease(device->handle);
        return false;
    }
    bool good = cuda_memory_init(device, diags);
    cuda_leave(device);
    if (!good)
        finish(device);
    return good;
}

/* From malloc; NULL with a diagnostic. */
static struct cuda_device *make(const struct cuda_driver *driver, int ordinal, struct diags *diags)
{
    struct cuda_device *device = calloc(1, sizeof *device);
    if (!device)
        return diag_no_memory(diags);
    *device = (struct cuda_device){.driver = driver, .ordinal = ordinal};
    if (describe(device, diags) && retain(device, diags))
        return device;
    free(device);
    return NULL;
}

struct cuda_device *cuda_device_get(struct cuda_devices *devices, int ordinal, struct diags *diags)
{
    const struct cuda_driver *driver = cuda_driver_get(diags);
    if (!driver)
        return NULL;
    if (ordinal < 0 || ordinal >= driver->devices || ordinal >= CUDA_MAX_DEVICES) {
        diag_at(diags, DIAG_CUDA_ORDINAL, NULL, 0, ordinal, driver->devices);
        return NULL;
    }
    struct cuda_device *device = atomic_load(&devices->all[ordinal]);
    if (device)
        return device;
    pthread_mutex_lock(&devices->mutex);
    device = atomic_load(&devices->all[ordinal]);
    if (!device && (device = make(driver, ordinal, diags)))
        atomic_store(&devices->all[ordinal], device);
    pthread_mutex_unlock(&devices->mutex);
    return device;
}

bool cuda_enter(const struct cuda_device *device, struct diags *diags)
{
    const struct cuda_driver *driver = cuda_driver_get(diags); /* NULL after a fork */
    return driver && CUDA_CALL(driver, diags, cuCtxPushCurrent, device->context);
}

bool cuda_enter_quietly(const struct cuda_device *device)
{
    const struct cuda_driver *driver = cuda_driver_used();
    return driver && driver->cuCtxPushCurrent(device->context) == CUDA_SUCCESS;
}

void cuda_leave(const struct cuda_device *device)
{
    struct CUctx_st *ours;
    device->driver->cuCtxPopCurrent(&ours);
}

/* Waits in the relaxed mode, so that a capture elsewhere in the process is not invalidated. */
static void wait(const struct cuda_device *device)
{
    if (!cuda_enter_quietly(device))
        return;
    int mode = cuda_relax(device);
    device->driver->cuCtxSynchronize(); /* fails in a lost context, where nothing runs */
    cuda_strict(device, mode);
    cuda_leave(device);
}

void cuda_devices_wait(const struct cuda_devices *devices)
{
    for (int i = 0; i < CUDA_MAX_DEVICES; i++) {
        const struct cuda_device *device = atomic_load(&devices->all[i]);
        if (device)
            wait(device);
    }
}

void cuda_devices_finish(struct cuda_devices *devices)
{
    for (int i = 0; i < CUDA_MAX_DEVICES; i++) {
        struct cuda_device *device = atomic_load(&devices->all[i]);
        if (device)
            finish(device);
        free(device);
    }
    pthread_mutex_destroy(&devices->mutex);
}
