/* See gpu.h. */
#include "tests/gpu/gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { OUT_OF_MEMORY = 2, NON_BLOCKING = 1 };

/* F(name, symbol, arguments). */
#define FUNCTIONS(F)                                                                               \
    F(cuInit, "cuInit", (unsigned flags))                                                          \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                          \
    F(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                                      \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))          \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                     \
    F(cuCtxSetCurrent, "cuCtxSetCurrent", (void *context))                                         \
    F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *free_bytes, size_t *all))                          \
    F(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))                              \
    F(cuMemFree, "cuMemFree_v2", (uint64_t address))                                               \
    F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))              \
    F(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, uint64_t from, size_t bytes))                    \
    F(cuMemsetD8, "cuMemsetD8_v2", (uint64_t to, unsigned char byte, size_t bytes))                \
    F(cuStreamCreate, "cuStreamCreate", (void **stream, unsigned flags))                           \
    F(cuStreamDestroy, "cuStreamDestroy_v2", (void *stream))                                       \
    F(cuStreamSynchronize, "cuStreamSynchronize", (void *stream))                                  \
    F(cuGetErrorName, "cuGetErrorName", (int error, const char **name))

static struct {
#define FIELD(name, symbol, arguments) int(*name) arguments;
    FUNCTIONS(FIELD)
#undef FIELD
    void *context, *stream;
    int device;
} cuda;

static char missing[300];
static pthread_once_t started = PTHREAD_ONCE_INIT, streamed = PTHREAD_ONCE_INIT;

static const char *name_of(int error)
{
    const char *name = NULL;
    return cuda.cuGetErrorName(error, &name) == 0 && name ? name : "unknown";
}

static void must(int error, const char *call)
{
    if (!error)
        return;
    fprintf(stderr, "%s: %s (error %d)\n", call, name_of(error), error);
    exit(1);
}
#define MUST(name, ...) must(cuda.name(__VA_ARGS__), #name)

/* Whether a call worked; if not, notes that it is why there is no GPU. */
static bool worked(int error, const char *call)
{
    if (error)
        snprintf(missing, sizeof missing, "%s: %s (error %d)", call, name_of(error), error);
    return !error;
}

static void *open_library(void)
{
    static const char *const names[] = {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1",
                                        "/usr/local/nvidia/lib/libcuda.so.1",
                                        "/usr/lib/wsl/lib/libcuda.so.1"};
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        snprintf(missing, sizeof missing, "dlopen: libcuda.so.1 is not found");
    return library;
}

static bool find_functions(void *library)
{
#define FIND(name, symbol, arguments)                                                              \
    if (!(*(void **)&cuda.name = dlsym(library, symbol))) {                                        \
        snprintf(missing, sizeof missing, "dlsym: libcuda.so.1 has no %s", symbol);                \
        return false;                                                                              \
    }
    FUNCTIONS(FIND)
#undef FIND
    return true;
}

/* So that a driver that counts what was taken finds nothing. */
static void finish(void)
{
    if (cuda.stream)
        cuda.cuStreamDestroy(cuda.stream);
    cuda.cuDevicePrimaryCtxRelease(cuda.device);
}

static void start(void)
{
    int count = 0;
    void *library = open_library();
    if (!library || !find_functions(library) || !worked(cuda.cuInit(0), "cuInit") ||
        !worked(cuda.cuDeviceGetCount(&count), "cuDeviceGetCount"))
        return;
    if (count == 0)
        snprintf(missing, sizeof missing, "cuDeviceGetCount: no device");
    else if (worked(cuda.cuDeviceGet(&cuda.device, 0), "cuDeviceGet") &&
             worked(cuda.cuDevicePrimaryCtxRetain(&cuda.context, cuda.device), "cuDevicePrimaryCtxRetain")) {
        MUST(cuCtxSetCurrent, cuda.context);
        atexit(finish);
    }
}

const char *gpu_missing(void)
{
    pthread_once(&started, start);
    return *missing ? missing : NULL;
}

void gpu_needed(void)
{
    const char *reason = gpu_missing();
    if (!reason)
        return;
    printf("1..0 # SKIP no GPU: %s\n", reason);
    exit(GPU_SKIPPED);
}

void gpu_enter(void)
{
    gpu_needed();
    MUST(cuCtxSetCurrent, cuda.context);
}

uint64_t gpu_try_alloc(size_t bytes)
{
    uint64_t address = 0;
    gpu_enter();
    int error = cuda.cuMemAlloc(&address, bytes);
    if (error == OUT_OF_MEMORY)
        return 0;
    must(error, "cuMemAlloc");
    return address;
}

uint64_t gpu_alloc(size_t bytes)
{
    uint64_t address = gpu_try_alloc(bytes ? bytes : 1);
    if (!address)
        must(OUT_OF_MEMORY, "cuMemAlloc");
    return address;
}

void gpu_free(uint64_t address)
{
    gpu_enter();
    MUST(cuMemFree, address);
}

size_t gpu_room(void)
{
    size_t room = 0, all = 0;
    gpu_enter();
    MUST(cuMemGetInfo, &room, &all);
    return room;
}

void gpu_upload(uint64_t to, const void *from, size_t bytes)
{
    gpu_enter();
    MUST(cuMemcpyHtoD, to, from, bytes);
}

void gpu_download(void *to, uint64_t from, size_t bytes)
{
    gpu_enter();
    MUST(cuMemcpyDtoH, to, from, bytes);
}

void gpu_fill(uint64_t at, unsigned char byte, size_t bytes)
{
    gpu_enter();
    MUST(cuMemsetD8, at, byte, bytes);
    MUST(cuStreamSynchronize, NULL);  /* filling is asynchronous, and gpu_stream() waits for nobody */
}

static void make_stream(void)
{
    MUST(cuStreamCreate, &cuda.stream, NON_BLOCKING);
}

void *gpu_stream(void)
{
    gpu_enter();
    pthread_once(&streamed, make_stream);
    return cuda.stream;
}

void gpu_synchronize(void *stream)
{
    gpu_enter();
    MUST(cuStreamSynchronize, stream);
}
