/* Devices and contexts of the fake driver. MOCKCUDA_DEVICES: how many there are (1); MOCKCUDA_ARCH:
 * their compute capability (90); MOCKCUDA_DRIVER: the version that the driver says (13000);
 * MOCKCUDA_START: an error of cuInit (100: no device). */
#include "mock.h"

#include <stdio.h>
#include <string.h>

enum { STACK = 64 };

long mock_pushes; /* not yet popped, of all threads */
int mock_device_count;

static bool initialized;
static struct CUctx_st *primary[MAX_DEVICES];
static _Thread_local struct CUctx_st *stack[STACK];
static _Thread_local bool owed[STACK]; /* a pop: it was pushed, not set */
static _Thread_local int depth;

/* ---- starting, and errors ---- */

int cuInit(unsigned flags)
{
    ENTER();
    int start = (int)mock_setting("MOCKCUDA_START", 0);
    if (flags)
        return mock_leave(INVALID_VALUE);
    mock_device_count = (int)mock_setting("MOCKCUDA_DEVICES", 1);
    if (mock_device_count > MAX_DEVICES)
        mock_wrong("MOCKCUDA_DEVICES above %d", MAX_DEVICES);
    if (!start && mock_device_count == 0)
        start = NO_DEVICE;
    initialized = !start;
    return mock_leave(start);
}

int cuDriverGetVersion(int *version)
{
    ENTER();
    *version = (int)mock_setting("MOCKCUDA_DRIVER", 13000);
    return mock_leave(SUCCESS);
}

static const struct {
    int error;
    const char *name, *text;
} errors[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {34, "CUDA_ERROR_STUB_LIBRARY", "CUDA driver is a stub library"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {200, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"},
    {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "context is destroyed"},
    {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

/* NULL where nobody knows the error, as the driver does it. */
static int describe(int error, const char **text, bool name)
{
    *text = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].error == error)
            *text = name ? errors[i].name : errors[i].text;
    return *text ? SUCCESS : INVALID_VALUE;
}

/* Also in a lost context, so nothing but counting fails. */
int cuGetErrorName(int error, const char **name)
{
    mock_enter(__func__);
    return mock_leave(describe(error, name, true));
}

int cuGetErrorString(int error, const char **text)
{
    mock_enter(__func__);
    return mock_leave(describe(error, text, false));
}

/* ---- devices ---- */

bool mock_is_device(int device)
{
    if (!initialized)
        mock_wrong("called before cuInit");
    return device >= 0 && device < mock_device_count;
}

int mock_arch(int device)
{
    (void)device;
    return (int)mock_setting("MOCKCUDA_ARCH", 90);
}

int cuDeviceGetCount(int *count)
{
    ENTER();
    mock_is_device(0);
    *count = mock_device_count;
    return mock_leave(SUCCESS);
}

int cuDeviceGet(int *device, int ordinal)
{
    ENTER();
    *device = ordinal;
    return mock_leave(mock_is_device(ordinal) ? SUCCESS : INVALID_DEVICE);
}

int cuDeviceGetName(char *name, int size, int device)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    snprintf(name, (size_t)size, "Mock GPU %d", device);
    return mock_leave(SUCCESS);
}

static int attribute(int which, int device)
{
    switch (which) {
    case 1: /* MAX_THREADS_PER_BLOCK */
    case 2:
    case 3:
        return 1024;
    case 4:
        return 64;
    case 5: /* MAX_GRID_DIM_X */
        return 0x7fffffff;
    case 6:
    case 7:
        return 65535;
    case 10: /* WARP_SIZE */
        return 32;
    case 12: /* MAX_REGISTERS_PER_BLOCK */
        return 65536;
    case 16: /* MULTIPROCESSOR_COUNT */
        return (int)mock_setting("MOCKCUDA_PROCESSORS", 3);
    case 19: /* CAN_MAP_HOST_MEMORY */
    case 41: /* UNIFIED_ADDRESSING */
    case 83: /* MANAGED_MEMORY */
        return 1;
    case 38: /* L2_CACHE_SIZE */
        return 4 << 20;
    case 39: /* MAX_THREADS_PER_MULTIPROCESSOR */
        return 2048;
    case 75: /* COMPUTE_CAPABILITY_MAJOR */
        return mock_arch(device) / 10;
    case 76:
        return mock_arch(device) % 10;
    case 115: /* MEMORY_POOLS_SUPPORTED */
        return (int)mock_setting("MOCKCUDA_POOLS", 1);
    default:
        mock_wrong("attribute %d of a device is not played", which);
    }
}

int cuDeviceGetAttribute(int *value, int which, int device)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    *value = attribute(which, device);
    return mock_leave(SUCCESS);
}

/* ---- contexts ---- */

static bool is_dead(const struct CUctx_st *context)
{
    return context->object.dead;
}

struct CUctx_st *mock_context_or_null(void)
{
    return depth && stack[depth - 1] && !is_dead(stack[depth - 1]) ? stack[depth - 1] : NULL;
}

struct CUctx_st *mock_context(void)
{
    struct CUctx_st *context = mock_context_or_null();
    if (!context)
        mock_wrong(depth ? "the current context was destroyed" : "no context is current");
    return context;
}

static void push(struct CUctx_st *context, bool owes)
{
    if (depth == STACK)
        mock_wrong("%d contexts are current", STACK);
    stack[depth] = context;
    owed[depth++] = owes;
    mock_pushes += owes;
}

static struct CUctx_st *pop(void)
{
    mock_pushes -= owed[--depth];
    return stack[depth];
}

static struct CUctx_st *make_context(int device, bool is_primary)
{
    struct CUctx_st *context = mock_new(CONTEXT, sizeof *context, NULL);
    context->device = device;
    context->primary = is_primary;
    context->legacy = mock_new_stream(context, 0);
    context->per_thread = mock_new_stream(context, 0);
    context->legacy->is_legacy = context->per_thread->is_per_thread = true;
    context->legacy->object.counts = context->per_thread->object.counts = false;
    return context;
}

static void destroy_context(struct CUctx_st *context)
{
    if (context->lost) {
        mock_discard(context);
    } else if (mock_pending(context, NULL)) {
        mock_wrong("a context is destroyed while work in it has not been waited for");
    }
    mock_dead(context);
}

int cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    if (!primary[device])
        primary[device] = make_context(device, true);
    primary[device]->retained++;
    *context = primary[device];
    return mock_leave(SUCCESS);
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    int failed = mock_enter(__func__);
    if (!mock_is_device(device) || !primary[device])
        mock_wrong("device %d has no primary context that anybody retains", device);
    if (--primary[device]->retained == 0) {
        destroy_context(primary[device]);
        primary[device] = NULL;
    }
    return mock_leave(failed);
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    *flags = 0;
    *active = primary[device] != NULL;
    return mock_leave(SUCCESS);
}

int cuCtxCreate_v2(struct CUctx_st **context, unsigned flags, int device)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    (void)flags;
    push(*context = make_context(device, false), true);
    return mock_leave(SUCCESS);
}

int cuCtxDestroy_v2(struct CUctx_st *context)
{
    int failed = mock_enter(__func__);
    mock_valid(context, CONTEXT);
    if (context->primary)
        mock_wrong("a primary context is released, not destroyed");
    destroy_context(context);
    if (depth && stack[depth - 1] == context)
        pop();
    return mock_leave(failed);
}

int cuCtxPushCurrent_v2(struct CUctx_st *context)
{
    ENTER();
    mock_valid(context, CONTEXT);
    if (context->lost)
        return mock_leave(context->lost);
    push(context, true);
    return mock_leave(SUCCESS);
}

int cuCtxPopCurrent_v2(struct CUctx_st **context)
{
    int failed = mock_enter(__func__);
    if (!depth)
        mock_wrong("no context is current");
    struct CUctx_st *top = pop();
    if (context)
        *context = top;
    return mock_leave(failed);
}

/* Replaces the top, which nobody owes a pop then. */
int cuCtxSetCurrent(struct CUctx_st *context)
{
    ENTER();
    if (context)
        mock_valid(context, CONTEXT);
    bool was_owed = depth && owed[depth - 1];
    if (depth)
        pop();
    if (context)
        push(context, was_owed);
    return mock_leave(SUCCESS);
}

int cuCtxGetCurrent(struct CUctx_st **context)
{
    ENTER();
    mock_is_device(0);
    *context = depth ? stack[depth - 1] : NULL;
    return mock_leave(SUCCESS);
}

int cuCtxGetDevice(int *device)
{
    ENTER();
    *device = mock_context()->device;
    return mock_leave(SUCCESS);
}

int cuCtxSynchronize(void)
{
    ENTER();
    struct CUctx_st *context = mock_context();
    int forbidden = mock_forbidden_by_capture();
    if (!forbidden)
        mock_drain(context);
    return mock_leave(forbidden ? forbidden : context->lost);
}
