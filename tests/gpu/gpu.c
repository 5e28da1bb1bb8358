/* See gpu.h. */
#include "tests/gpu/gpu.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { OUT_OF_MEMORY = 2, NON_BLOCKING = 1, MOST_DEVICES = 8 };

/* F(name, symbol, arguments). */
#define FUNCTIONS(F)                                                                               \
    F(cuInit, "cuInit", (unsigned flags))                                                          \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                          \
    F(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                                      \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))          \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                     \
    F(cuCtxSetCurrent, "cuCtxSetCurrent", (void *context))                                         \
    F(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                                        \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))             \
    F(cuMemFreeHost, "cuMemFreeHost", (void *memory))                                              \
    F(cuLaunchHostFunc, "cuLaunchHostFunc", (void *stream, void (*call)(void *), void *data))      \
    F(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (void *stream, int mode))                   \
    F(cuStreamEndCapture, "cuStreamEndCapture", (void *stream, void **graph))                      \
    F(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (void **exec, void *graph, unsigned long long flags)) \
    F(cuGraphLaunch, "cuGraphLaunch", (void *exec, void *stream))                                  \
    F(cuGraphDestroy, "cuGraphDestroy", (void *graph))                                             \
    F(cuGraphExecDestroy, "cuGraphExecDestroy", (void *exec))                                      \
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
    void *library, *stream;
    int count;                     /* of devices */
    int devices[MOST_DEVICES];
    void *contexts[MOST_DEVICES];  /* retained; NULL: not yet */
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
    for (int i = 0; i < MOST_DEVICES; i++)
        if (cuda.contexts[i])
            cuda.cuDevicePrimaryCtxRelease(cuda.devices[i]);
}

static void start(void)
{
    cuda.library = open_library();
    if (!cuda.library || !find_functions(cuda.library) || !worked(cuda.cuInit(0), "cuInit") ||
        !worked(cuda.cuDeviceGetCount(&cuda.count), "cuDeviceGetCount"))
        return;
    if (cuda.count == 0)
        snprintf(missing, sizeof missing, "cuDeviceGetCount: no device");
    else if (worked(cuda.cuDeviceGet(&cuda.devices[0], 0), "cuDeviceGet") &&
             worked(cuda.cuDevicePrimaryCtxRetain(&cuda.contexts[0], cuda.devices[0]), "cuDevicePrimaryCtxRetain")) {
        MUST(cuCtxSetCurrent, cuda.contexts[0]);
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
    MUST(cuCtxSetCurrent, cuda.contexts[0]);
}

int gpu_count(void)
{
    gpu_needed();
    return cuda.count < MOST_DEVICES ? cuda.count : MOST_DEVICES;
}

void gpu_enter_on(int device)
{
    gpu_needed();
    if (!cuda.contexts[device]) {
        MUST(cuDeviceGet, &cuda.devices[device], device);
        MUST(cuDevicePrimaryCtxRetain, &cuda.contexts[device], cuda.devices[device]);
    }
    MUST(cuCtxSetCurrent, cuda.contexts[device]);
}

void *gpu_current(void)
{
    void *context;
    MUST(cuCtxGetCurrent, &context);
    return context;
}

void gpu_set_current(void *context)
{
    MUST(cuCtxSetCurrent, context);
}

void *gpu_mock(const char *name)
{
    gpu_needed();
    return dlsym(cuda.library, name);
}

/* Stays with the device that is current, if there is one. */
static void stay(void)
{
    gpu_needed();
    if (!gpu_current())
        gpu_enter();
}

uint64_t gpu_try_alloc(size_t bytes)
{
    uint64_t address = 0;
    stay();
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
    stay();
    MUST(cuMemFree, address);
}

size_t gpu_room(void)
{
    size_t room = 0, all = 0;
    stay();
    MUST(cuMemGetInfo, &room, &all);
    return room;
}

void gpu_upload(uint64_t to, const void *from, size_t bytes)
{
    stay();
    MUST(cuMemcpyHtoD, to, from, bytes);
    MUST(cuStreamSynchronize, NULL);  /* the last bytes may still be on their way, and gpu_stream() waits for nobody */
}

void gpu_download(void *to, uint64_t from, size_t bytes)
{
    stay();
    MUST(cuMemcpyDtoH, to, from, bytes);
}

void gpu_fill(uint64_t at, unsigned char byte, size_t bytes)
{
    stay();
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
    stay();
    MUST(cuStreamSynchronize, stream);
}

/* ---- more streams, on the current device ---- */

void *gpu_new_stream(void)
{
    void *stream;
    MUST(cuStreamCreate, &stream, NON_BLOCKING);
    return stream;
}

void gpu_end_stream(void *stream)
{
    MUST(cuStreamDestroy, stream);
}

void gpu_wait(void *stream)
{
    MUST(cuStreamSynchronize, stream);
}

void *gpu_pinned(size_t bytes)
{
    void *memory;
    MUST(cuMemHostAlloc, &memory, bytes, 1);
    return memory;
}

void gpu_free_pinned(void *memory)
{
    MUST(cuMemFreeHost, memory);
}

/* ---- gates ---- */

static void pass(void *gate_)
{
    struct gpu_gate *gate = gate_;
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    pthread_mutex_lock(&gate->mutex);
    while (!gate->open && !gate->forced)
        gate->forced = pthread_cond_timedwait(&gate->opened, &gate->mutex, &end) != 0;
    pthread_mutex_unlock(&gate->mutex);
}

void gpu_close(struct gpu_gate *gate, void *stream)
{
    gate->open = gate->forced = 0;
    pthread_mutex_init(&gate->mutex, NULL);
    pthread_cond_init(&gate->opened, NULL);
    MUST(cuLaunchHostFunc, stream, pass, gate);
}

int gpu_open(struct gpu_gate *gate)
{
    pthread_mutex_lock(&gate->mutex);
    int forced = gate->forced;
    gate->open = 1;
    pthread_cond_signal(&gate->opened);
    pthread_mutex_unlock(&gate->mutex);
    return !forced;
}

/* ---- graphs ---- */

void gpu_capture(void *stream)
{
    MUST(cuStreamBeginCapture, stream, 0);
}

void *gpu_captured(void *stream)
{
    void *graph, *exec;
    MUST(cuStreamEndCapture, stream, &graph);
    MUST(cuGraphInstantiate, &exec, graph, 0);
    MUST(cuGraphDestroy, graph);
    return exec;
}

void gpu_replay(void *graph, void *stream)
{
    MUST(cuGraphLaunch, graph, stream);
}

void gpu_end_graph(void *graph)
{
    MUST(cuGraphExecDestroy, graph);
}
