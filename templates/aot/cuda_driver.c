/* What ahead-of-time sources for CUDA carry besides the tables and functions that they share with those for C
 * (templates/aot/aot.c): machine code of their kernels as arrays, and a launcher, in cuda_driver.c, cuda_gpus.c,
 * cuda_plan.c and cuda_launch.c. Here: what they include, and the driver, which is opened by the first call that needs
 * it, never linked; its declarations are our own. */

//: includes
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined __BYTE_ORDER__ || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the machine code stands here as words of a little-endian machine"
#endif
//: driver
/* A CUresult and a CUdevice are an int, a CUdeviceptr is a uint64_t, handles are pointers. Of each function what the
 * driver calls it. */
#define DRIVER_FUNCTIONS(F)                                                                                     \
    F(cuInit, "cuInit", (unsigned flags))                                                                       \
    F(cuGetErrorName, "cuGetErrorName", (int error, const char **name))                                         \
    F(cuGetErrorString, "cuGetErrorString", (int error, const char **text))                                     \
    F(cuDeviceGet, "cuDeviceGet", (int *device, int ordinal))                                                   \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, int device))                    \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **context, int device))                       \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int device))                                  \
    F(cuCtxGetCurrent, "cuCtxGetCurrent", (void **context))                                                     \
    F(cuCtxGetDevice, "cuCtxGetDevice", (int *device))                                                          \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *context))                                                 \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **context))                                                  \
    F(cuStreamGetCtx, "cuStreamGetCtx", (void *stream, void **context))                                         \
    F(cuStreamIsCapturing, "cuStreamIsCapturing", (void *stream, int *status))                                  \
    F(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *mode))                      \
    F(cuModuleLoadData, "cuModuleLoadData", (void **module, const void *image))                                 \
    F(cuModuleUnload, "cuModuleUnload", (void *module))                                                         \
    F(cuModuleGetFunction, "cuModuleGetFunction", (void **function, void *module, const char *name))            \
    F(cuMemAlloc, "cuMemAlloc_v2", (uint64_t *address, size_t bytes))                                           \
    F(cuMemFree, "cuMemFree_v2", (uint64_t address))                                                            \
    F(cuMemFreeHost, "cuMemFreeHost", (void *memory))                                                           \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void **memory, size_t bytes, unsigned flags))                          \
    F(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (uint64_t to, const void *from, size_t bytes))                           \
    F(cuMemAllocAsync, "cuMemAllocAsync", (uint64_t *address, size_t bytes, void *stream))                      \
    F(cuMemFreeAsync, "cuMemFreeAsync", (uint64_t address, void *stream))                                       \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (uint64_t to, const void *from, size_t bytes, void *stream))   \
    F(cuLaunchKernel, "cuLaunchKernel",                                                                         \
      (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,   \
       unsigned block_z, unsigned shared, void *stream, void **parameters, void **extra))

/* Values of cuda.h. */
enum {
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_NO_DEVICE = 100,
    CAPABILITY_MAJOR = 75,
    CAPABILITY_MINOR = 76,
    CAPTURE_RELAXED = 2,
    HOST_PORTABLE_MAPPED = 3,
    STREAM_NUMBERS = 2             /* streams up to here are no handles */
};

/* What this file has on the GPU of one context. It stays until it is released: nobody else can tell when the last
 * kernel, or a graph that launches it, is gone. */
struct gpu {
    struct gpu *next;
    void *context;
    int arch;                      /* 90: compute capability 9.0 */
    void *module[CLASSES], *function[CLASSES]; /* NULL: not loaded yet */
    uint64_t constant[CONSTANTS];  /* addresses */
};

static const struct constant constants[CONSTANTS];
static const struct code {
    int arch;
    bool ptx;                      /* else machine code, for GPUs of its generation from this one on */
} codes[CODES];

/* Functions of the driver. */
static struct {
#define FIELD(name, symbol, arguments) int(*name) arguments;
    DRIVER_FUNCTIONS(FIELD)
#undef FIELD
} driver;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards what follows */
static bool opened;                /* the table is complete, and the driver runs */
static void *primary;              /* the first GPU's context, once it was wanted, */
static int primary_device;         /* and that GPU */
static struct gpu *gpus;
static unsigned char *met;         /* [FAULT_BYTES] where divisions by zero counted, in memory of the host that all GPUs
                                      write to; NULL: not yet */

static _Thread_local char last_text[400];

#define TELL(status, ...) (snprintf(last_text, sizeof last_text, __VA_ARGS__), tell(status, NULL, last_text))

/* What a call of the driver returned. */
static int check_result(int result, const char *function)
{
    const char *name = NULL, *text = NULL;
    if (!result)
        return WEFT_KERNEL_OK;
    driver.cuGetErrorName(result, &name);
    driver.cuGetErrorString(result, &text);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return TELL(WEFT_KERNEL_OUT_OF_MEMORY, "%s: there is not enough memory on the GPU", function);
    return TELL(WEFT_KERNEL_DEVICE_ERROR, "%s failed: %s (%s, error %d)", function, text ? text : "no description",
                name ? name : "without a name", result);
}

#define CALL(function, ...) check_result(driver.function(__VA_ARGS__), #function)

static int start_driver(void)
{
    const int result = driver.cuInit(0);
    if (result == CUDA_ERROR_NO_DEVICE)
        return TELL(WEFT_KERNEL_UNSUPPORTED, "the driver, libcuda.so.1, finds no GPU");
    if (result == CUDA_ERROR_STUB_LIBRARY)
        return TELL(WEFT_KERNEL_UNSUPPORTED, "libcuda.so.1 is the CUDA toolkit's stub for linking, no driver");
    if (result) {
        check_result(result, "cuInit");
        return tell(WEFT_KERNEL_UNSUPPORTED, NULL, last_text);
    }
    opened = true;
    return WEFT_KERNEL_OK;
}

static int open_driver(void)
{
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1",
                                        "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1"};
    static const struct {
        void *field;
        const char *symbol;
    } functions[] = {
#define ROW(name, symbol, arguments) {&driver.name, symbol},
        DRIVER_FUNCTIONS(ROW)
#undef ROW
    };
    void *library = NULL;
    for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return TELL(WEFT_KERNEL_UNSUPPORTED,
                    "there is no NVIDIA driver: none of %s, %s, %s, %s and %s can be opened; the driver's package has "
                    "it, and a container gets it by docker run --gpus all",
                    names[0], names[1], names[2], names[3], names[4]);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *const found = dlsym(library, functions[i].symbol);
        if (!found)
            return TELL(WEFT_KERNEL_UNSUPPORTED, "the NVIDIA driver has no %s: it is older than CUDA 11.2",
                        functions[i].symbol);
        memcpy(functions[i].field, &found, sizeof found);
    }
    return start_driver();
}
