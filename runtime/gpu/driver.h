/* The CUDA driver: opened at its first use, never linked, and declared here, so that no CUDA header
 * is needed. Fields of the table have the names of the driver's functions, without _v2:
 *
 *     const struct cuda_driver *cuda = cuda_driver_get(diags);
 *     if (!cuda || !CUDA_CALL(cuda, diags, cuMemAllocAsync, &address, bytes, stream))
 *         return false;
 *
 * Invariant: a table that was returned is complete, except for functions marked OPTIONAL, and never
 * changes. The library behind it is never closed. A context is current only between cuda_enter and
 * cuda_leave (device.h). */
#ifndef WEFT_RUNTIME_GPU_DRIVER_H
#define WEFT_RUNTIME_GPU_DRIVER_H

#include "compiler/base/base.h"

/* The driver's handles. A CUresult and a CUdevice are ints, a CUdeviceptr is a uint64_t. Streams 0
 * and 1 (both the legacy default stream) and 2 (the thread's default stream) are numbers, not
 * pointers. */
struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUuserObject_st;
struct CUmemPoolHandle_st;

/* Streams that are numbers. */
enum { CUDA_STREAM_LEGACY = 1, CUDA_STREAM_PER_THREAD = 2 };

typedef void cuda_host_fn(void *user);

/* A CUmemPoolProps. For memory of a GPU `allocation` is 1 (pinned) and `location` is 1 (a device). */
struct cuda_pool_props {
    int allocation, handles, location, id;
    void *security;
    size_t most;                   /* bytes; 0: no bound */
    unsigned short usage;
    unsigned char reserved[54];
};

/* Values of cuda.h, under the same names. */
enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_NOT_INITIALIZED = 3,
    CUDA_ERROR_DEINITIALIZED = 4,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_DEVICE = 101,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_INVALID_CONTEXT = 201,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_ECC_UNCORRECTABLE = 214,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_NVLINK_UNCORRECTABLE = 220,
    CUDA_ERROR_JIT_COMPILER_NOT_FOUND = 221,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_HANDLE = 400,
    CUDA_ERROR_CONTAINED = 226,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_CONTEXT_IS_DESTROYED = 709,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_NOT_SUPPORTED = 801,

    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,

    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEMHOSTALLOC_DEVICEMAP = 2,
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_BLOCKING_SYNC = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_STREAM_CAPTURE_STATUS_NONE = 0,
    CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
    CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
    CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1,
    CU_GRAPH_USER_OBJECT_MOVE = 1,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    CU_MEM_LOCATION_TYPE_DEVICE = 1,
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4
};

/* F(field, symbol, need, arguments). A driver that lacks a NEEDED function is from before CUDA 11.2
 * and is refused. An OPTIONAL function may be NULL; the comment above it says what is done without
 * it. */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                   \
    F(cuInit, "cuInit", NEEDED, (unsigned flags))                                                  \
    F(cuDriverGetVersion, "cuDriverGetVersion", NEEDED, (int *version))                            \
    F(cuGetErrorName, "cuGetErrorName", NEEDED, (int error, const char **name))                    \
    F(cuGetErrorString, "cuGetErrorString", NEEDED, (int error, const char **text))                \
    F(cuDeviceGetCount, "cuDeviceGetCount", NEEDED, (int *count))                                  \
    F(cuDeviceGet, "cuDeviceGet", NEEDED, (int *device, int ordinal))                              \
    F(cuDeviceGetName, "cuDeviceGetName", NEEDED, (char *name, int size, int device))              \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", NEEDED, (int *value, int attribute, int device)) \
    F(cuDeviceTotalMem, "cuDeviceTotalMem_v2", NEEDED, (size_t *bytes, int device))                \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", NEEDED,                                \
      (struct CUctx_st * *context, int device))                                                    \
    F(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", NEEDED, (int device))             \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", NEEDED, (struct CUctx_st * context))                \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", NEEDED, (struct CUctx_st * *context))                 \
    F(cuCtxGetCurrent, "cuCtxGetCurrent", NEEDED, (struct CUctx_st * *context))                    \
    F(cuCtxSynchronize, "cuCtxSynchronize", NEEDED, (void))                                        \
    F(cuModuleLoadData, "cuModuleLoadData", NEEDED, (struct CUmod_st * *module, const void *image)) \
    F(cuModuleLoadDataEx, "cuModuleLoadDataEx", NEEDED,                                            \
      (struct CUmod_st * *module, const void *image, unsigned count, int *options, void **values)) \
    F(cuModuleUnload, "cuModuleUnload", NEEDED, (struct CUmod_st * module))                        \
    F(cuModuleGetFunction, "cuModuleGetFunction", NEEDED,                                          \
      (struct CUfunc_st * *function, struct CUmod_st * module, const char *name))                  \
    F(cuFuncGetAttribute, "cuFuncGetAttribute", NEEDED,                                            \
      (int *value, int attribute, struct CUfunc_st *function))                                     \
    F(cuOccupancyMaxActiveBlocksPerMultiprocessor, "cuOccupancyMaxActiveBlocksPerMultiprocessor",  \
      NEEDED, (int *blocks, struct CUfunc_st *function, int threads, size_t shared))               \
    F(cuLaunchKernel, "cuLaunchKernel", NEEDED,                                                    \
      (struct CUfunc_st * function, unsigned grid_x, unsigned grid_y, unsigned grid_z,             \
       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,                      \
       struct CUstream_st *stream, void **parameters, void **extra))                               \
    F(cuLaunchHostFunc, "cuLaunchHostFunc", NEEDED,                                                \
      (struct CUstream_st * stream, cuda_host_fn *call, void *user))                               \
    F(cuMemGetInfo, "cuMemGetInfo_v2", NEEDED, (size_t *available, size_t *total))                 \
    F(cuMemAlloc, "cuMemAlloc_v2", NEEDED, (uint64_t *address, size_t bytes))                      \
    F(cuMemFree, "cuMemFree_v2", NEEDED, (uint64_t address))                                       \
    F(cuMemAllocAsync, "cuMemAllocAsync", NEEDED,                                                  \
      (uint64_t *address, size_t bytes, struct CUstream_st *stream))                               \
    F(cuMemFreeAsync, "cuMemFreeAsync", NEEDED, (uint64_t address, struct CUstream_st *stream))    \
    F(cuDeviceGetDefaultMemPool, "cuDeviceGetDefaultMemPool", NEEDED,                              \
      (struct CUmemPoolHandle_st * *pool, int device))                                             \
    F(cuMemPoolSetAttribute, "cuMemPoolSetAttribute", NEEDED,                                      \
      (struct CUmemPoolHandle_st * pool, int attribute, void *value))                              \
    /* without these, blocks of our own are used (memory.h) */                                     \
    F(cuMemPoolCreate, "cuMemPoolCreate", OPTIONAL,                                                \
      (struct CUmemPoolHandle_st * *pool, const struct cuda_pool_props *props))                    \
    F(cuMemPoolDestroy, "cuMemPoolDestroy", OPTIONAL, (struct CUmemPoolHandle_st * pool))          \
    F(cuMemAllocFromPoolAsync, "cuMemAllocFromPoolAsync", OPTIONAL,                                \
      (uint64_t *address, size_t bytes, struct CUmemPoolHandle_st *pool,                           \
       struct CUstream_st *stream))                                                                \
    F(cuMemHostAlloc, "cuMemHostAlloc", NEEDED, (void **memory, size_t bytes, unsigned flags))     \
    F(cuMemFreeHost, "cuMemFreeHost", NEEDED, (void *memory))                                      \
    F(cuMemHostGetDevicePointer, "cuMemHostGetDevicePointer_v2", NEEDED,                           \
      (uint64_t *address, void *memory, unsigned flags))                                           \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", NEEDED,                                           \
      (uint64_t to, const void *from, size_t bytes, struct CUstream_st *stream))                   \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", NEEDED,                                           \
      (void *to, uint64_t from, size_t bytes, struct CUstream_st *stream))                         \
    F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", NEEDED,                                           \
      (uint64_t to, uint64_t from, size_t bytes, struct CUstream_st *stream))                      \
    F(cuMemsetD8Async, "cuMemsetD8Async", NEEDED,                                                  \
      (uint64_t to, unsigned char value, size_t bytes, struct CUstream_st *stream))                \
    F(cuPointerGetAttribute, "cuPointerGetAttribute", NEEDED,                                      \
      (void *value, int attribute, uint64_t address))                                              \
    F(cuStreamCreate, "cuStreamCreate", NEEDED, (struct CUstream_st * *stream, unsigned flags))    \
    F(cuStreamDestroy, "cuStreamDestroy_v2", NEEDED, (struct CUstream_st * stream))                \
    F(cuStreamSynchronize, "cuStreamSynchronize", NEEDED, (struct CUstream_st * stream))           \
    F(cuStreamQuery, "cuStreamQuery", NEEDED, (struct CUstream_st * stream))                       \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", NEEDED,                                              \
      (struct CUstream_st * stream, struct CUevent_st *event, unsigned flags))                     \
    F(cuStreamGetCtx, "cuStreamGetCtx", NEEDED,                                                    \
      (struct CUstream_st * stream, struct CUctx_st * *context))                                   \
    F(cuStreamIsCapturing, "cuStreamIsCapturing", NEEDED,                                          \
      (struct CUstream_st * stream, int *status))                                                  \
    F(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", NEEDED, (int *mode)) \
    F(cuEventCreate, "cuEventCreate", NEEDED, (struct CUevent_st * *event, unsigned flags))        \
    F(cuEventRecord, "cuEventRecord", NEEDED,                                                      \
      (struct CUevent_st * event, struct CUstream_st *stream))                                     \
    F(cuEventQuery, "cuEventQuery", NEEDED, (struct CUevent_st * event))                           \
    F(cuEventSynchronize, "cuEventSynchronize", NEEDED, (struct CUevent_st * event))               \
    F(cuEventElapsedTime, "cuEventElapsedTime", NEEDED,                                            \
      (float *milliseconds, struct CUevent_st *start, struct CUevent_st *end))                     \
    F(cuEventDestroy, "cuEventDestroy_v2", NEEDED, (struct CUevent_st * event))                    \
    /* since CUDA 11.3; without them, memory that a graph refers to is never reused */             \
    F(cuStreamGetCaptureInfo, "cuStreamGetCaptureInfo_v2", OPTIONAL,                               \
      (struct CUstream_st * stream, int *status, uint64_t *id, struct CUgraph_st **graph,          \
       const struct CUgraphNode_st *const **dependencies, size_t *count))                          \
    F(cuUserObjectCreate, "cuUserObjectCreate", OPTIONAL,                                          \
      (struct CUuserObject_st * *object, void *memory, cuda_host_fn *destroy, unsigned references, \
       unsigned flags))                                                                            \
    F(cuUserObjectRelease, "cuUserObjectRelease", OPTIONAL,                                        \
      (struct CUuserObject_st * object, unsigned references))                                      \
    F(cuGraphRetainUserObject, "cuGraphRetainUserObject", OPTIONAL,                                \
      (struct CUgraph_st * graph, struct CUuserObject_st *object, unsigned references,             \
       unsigned flags))

struct cuda_driver {
#define CUDA_DRIVER_FIELD(field, symbol, need, arguments) int(*field) arguments;
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_FIELD)
#undef CUDA_DRIVER_FIELD
    const char *path;              /* of the library */
    int version;                   /* the CUDA version of the driver: 12040 is 12.4 */
    int devices;                   /* GPUs that the driver sees; at least 1 */
};

/* The initialized driver, which has at least one GPU. NULL with a diagnostic (UNSUPPORTED); the next
 * call tries again. In the child of a process that had used the driver it always fails, because
 * drivers do not survive a fork. From any thread. */
const struct cuda_driver *cuda_driver_get(struct diags *diags);
/* The driver for releasing resources: opens nothing, and reports nothing. NULL if the
 * driver was never used, and after a fork. */
const struct cuda_driver *cuda_driver_used(void);

/* Whether `result` is success. Otherwise adds a diagnostic with the function, the error's name and
 * text, and whether the context is lost: OUT_OF_MEMORY for lack of memory, DEVICE_ERROR for
 * everything else. */
bool cuda_check(const struct cuda_driver *driver, struct diags *diags, int result, const char *function);
#define CUDA_CALL(driver, diags, function, ...)                                                    \
    cuda_check(driver, diags, (driver)->function(__VA_ARGS__), #function)

/* ---- for weft_doctor ---- */

/* Opens the driver's library, the first that can be opened of several names; NULL: none. */
void *cuda_driver_open(void);

/* Fills the table from an open library. Returns the name of a needed symbol that is missing; NULL: none. */
const char *cuda_driver_find(void *library, struct cuda_driver *driver);

#endif
