/* Opening the CUDA driver and reporting its errors; see driver.h. */
#include "runtime/gpu/driver.h"

#include "runtime/gpu/find.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* The last ones are the directories of WSL and of containers, which the dynamic loader does not
 * search. */
static const char library_names[] =
    "libcuda.so.1, libcuda.so, /usr/lib/wsl/lib/libcuda.so.1, /usr/local/nvidia/lib64/libcuda.so.1, "
    "/usr/local/nvidia/lib/libcuda.so.1";

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows while the table is filled */
static struct cuda_driver table;
static const struct cuda_driver *_Atomic ready; /* points to the table once it is complete */
static atomic_bool touched;        /* cuInit was called */
static atomic_bool forked;         /* this process is a child of one that had called cuInit */

/* ---- forks ---- */

/* A driver does not survive a fork: the child has none of its threads. */
static void in_child(void)
{
    pthread_mutex_init(&mutex, NULL);
    if (atomic_load(&touched))
        atomic_store(&forked, true);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

static bool report_fork(struct diags *diags)
{
    return diag_at(diags, DIAG_CUDA_FORKED, NULL, 0);
}

/* ---- opening ---- */

void *cuda_driver_open(void)
{
    void *library = NULL;
    for (const char *name = library_names; !library && *name;) {
        char path[64];
        size_t length = strcspn(name, ",");
        snprintf(path, sizeof path, "%.*s", (int)length, name);
        library = library_open(path);
        name += length;
        name += strspn(name, ", ");
    }
    return library;
}

const char *cuda_driver_find(void *library, struct cuda_driver *driver)
{
    enum { NEEDED, OPTIONAL };
    static const struct library_function functions[] = {
#define FUNCTION(field, symbol, need, arguments) {offsetof(struct cuda_driver, field), symbol, need},
        CUDA_DRIVER_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    *driver = (struct cuda_driver){.path = library_path(library)};
    return library_find(library, functions, sizeof functions / sizeof *functions, driver);
}

/* The name and the meaning of an error. */
static void describe(const struct cuda_driver *driver, int result, const char **name, const char **text)
{
    *name = *text = NULL;
    if (driver->cuGetErrorName(result, name) != CUDA_SUCCESS || !*name)
        *name = "without a name";
    if (driver->cuGetErrorString(result, text) != CUDA_SUCCESS || !*text)
        *text = "no description";
}

/* Reports why the driver does not start. If another library had started the driver before a fork,
 * cuInit in the child says "not initialized". */
static bool report_start(const struct cuda_driver *driver, int result, struct diags *diags)
{
    const char *name, *text;
    if (result == CUDA_ERROR_NOT_INITIALIZED)
        return report_fork(diags);
    if (result == CUDA_ERROR_NO_DEVICE)
        return diag_at(diags, DIAG_CUDA_NO_GPU, NULL, 0, driver->path);
    describe(driver, result, &name, &text);
    if (result == CUDA_ERROR_STUB_LIBRARY)
        text = "it is the stub that the CUDA toolkit has for linking, no driver";
    return diag_at(diags, DIAG_CUDA_START, NULL, 0, driver->path, text, name, result);
}

static bool start(struct cuda_driver *driver, struct diags *diags)
{
    atomic_store(&touched, true);
    int result = driver->cuInit(0);
    if (result == CUDA_SUCCESS)
        result = driver->cuDriverGetVersion(&driver->version);
    if (result == CUDA_SUCCESS)
        result = driver->cuDeviceGetCount(&driver->devices);
    if (result == CUDA_SUCCESS && driver->devices < 1)
        result = CUDA_ERROR_NO_DEVICE;
    return result == CUDA_SUCCESS || report_start(driver, result, diags);
}

static bool prepare(struct diags *diags)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    void *library = cuda_driver_open();
    if (!library)
        return diag_at(diags, DIAG_CUDA_NO_DRIVER, NULL, 0, library_names);
    const char *missing = cuda_driver_find(library, &table);
    if (missing)
        return diag_at(diags, DIAG_CUDA_OLD_DRIVER, NULL, 0, table.path, missing);
    pthread_once(&once, watch_forks);
    return start(&table, diags);
}

const struct cuda_driver *cuda_driver_used(void)
{
    return atomic_load(&forked) ? NULL : atomic_load(&ready);
}

const struct cuda_driver *cuda_driver_get(struct diags *diags)
{
    const struct cuda_driver *driver = cuda_driver_used();
    if (driver)
        return driver;
    pthread_mutex_lock(&mutex);
    if (atomic_load(&forked))
        report_fork(diags);
    else if (atomic_load(&ready) || prepare(diags))
        atomic_store(&ready, &table);
    pthread_mutex_unlock(&mutex);
    return cuda_driver_used();
}

/* ---- errors ---- */

/* Whether the error means that the GPU's context is lost, so that every further call fails. */
static bool is_lost(int result)
{
    switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
        return true;
    default:
        return false;
    }
}

bool cuda_check(const struct cuda_driver *driver, struct diags *diags, int result, const char *function)
{
    const char *name, *text;
    if (result == CUDA_SUCCESS)
        return true;
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return diag_at(diags, DIAG_CUDA_MEMORY, NULL, 0, function);
    describe(driver, result, &name, &text);
    if (is_lost(result))
        return diag_at(diags, DIAG_CUDA_LOST, NULL, 0, function, text, name, result);
    return diag_at(diags, DIAG_CUDA_CALL, NULL, 0, function, text, name, result);
}
