/* The fake driver and NVRTC themselves: that they play what CUDA promises, and that whatever is
 * wrong is told. Each case is a process of its own (this program, with the case's name), because
 * most of them end in an abort; what it says and how it ends is compared with its row of the
 * table. */
#include "driver.h"

#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern char **environ;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#define GOOD(call) CHECK((call) == 0)

enum { COUNT = 1000 };

/* ---- a device with kernels ---- */

static const char text[] =
    "struct pair { float *to; const float *from; unsigned long long count; };\n"
    "extern \"C\" __global__ void __launch_bounds__(128) twice(const __grid_constant__ struct pair "
    "args)\n"
    "{\n"
    "    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < args.count; i += gridDim.x * "
    "blockDim.x)\n"
    "        args.to[i] = 2 * __ldg(args.from + i);\n"
    "}\n"
    "extern \"C\" __global__ void add(float *to, float x, int n) /* a comment, ( */\n"
    "{\n"
    "    for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
    "        to[i] += x;\n"
    "}\n"
    "extern \"C\" __global__ void wide(uint4 *to, const uint4 *from)\n"
    "{\n"
    "    to[threadIdx.x] = from[threadIdx.x];\n"
    "}\n"
    "extern \"C\" __global__ void word(unsigned *to)\n"
    "{\n"
    "    *to = 1;\n"
    "}\n"
    "extern \"C\" __global__ void high(unsigned long long *to, unsigned a, unsigned long long b)\n"
    "{\n"
    "    const unsigned long long table[3] = {__umulhi(a, a), __umul64hi(b, b), a};\n"
    "    to[threadIdx.x] = table[threadIdx.x % 3];\n"
    "}\n";

struct scene {
    void *context, *module;
    int device;
};

static char *compile(const char *source, const char *arch, size_t *size, int expected)
{
    const char *options[] = {
        arch, "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true", "-lineinfo"};
    void *program = NULL;
    GOOD(nvrtcCreateProgram(&program, source, "test.cu", 0, NULL, NULL));
    int result = nvrtcCompileProgram(program, 6, options);
    size_t log_size;
    GOOD(nvrtcGetProgramLogSize(program, &log_size));
    char *log = malloc(log_size), *image = NULL;
    GOOD(nvrtcGetProgramLog(program, log));
    fputs(log, stderr);
    free(log);
    CHECK(result == expected);
    GOOD(strstr(arch, "sm_") ? nvrtcGetCUBINSize(program, size) : nvrtcGetPTXSize(program, size));
    image = calloc(1, *size + 1);
    GOOD(strstr(arch, "sm_") ? nvrtcGetCUBIN(program, image) : nvrtcGetPTX(program, image));
    GOOD(nvrtcDestroyProgram(&program));
    return image;
}

static struct scene begin_on(int device)
{
    struct scene scene = {.device = device};
    size_t size;
    GOOD(cuInit(0));
    GOOD(cuDevicePrimaryCtxRetain(&scene.context, device));
    GOOD(cuCtxPushCurrent_v2(scene.context));
    char *image = compile(text, "--gpu-architecture=sm_90", &size, 0);
    GOOD(cuModuleLoadData(&scene.module, image));
    free(image);
    return scene;
}

static struct scene begin(void)
{
    return begin_on(0);
}

static void end(struct scene *scene)
{
    void *context;
    GOOD(cuModuleUnload(scene->module));
    GOOD(cuCtxPopCurrent_v2(&context));
    CHECK(context == scene->context);
    GOOD(cuDevicePrimaryCtxRelease_v2(scene->device));
}

static void launch(const struct scene *scene, const char *name, unsigned blocks, unsigned threads,
                   void *stream, void **parameters)
{
    void *function;
    GOOD(cuModuleGetFunction(&function, scene->module, name));
    GOOD(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL));
}

struct pair {
    uint64_t to, from, count;
};

static void launch_twice(const struct scene *scene, uint64_t to, uint64_t from, int count,
                         void *stream)
{
    struct pair pair = {to, from, (uint64_t)count};
    launch(scene, "twice", 3, 128, stream, (void *[]){&pair});
}

static void launch_add(const struct scene *scene, uint64_t to, float x, int count, void *stream)
{
    launch(scene, "add", 1, 32, stream, (void *[]){&to, &x, &count});
}

static uint64_t allocate(size_t size)
{
    uint64_t address;
    GOOD(cuMemAlloc_v2(&address, size));
    CHECK(address % 256 == 0);
    return address;
}

static void *allocate_pinned(size_t size)
{
    void *memory;
    GOOD(cuMemHostAlloc(&memory, size, 1 | 2));
    return memory;
}

static float *numbers(void)
{
    static float x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;
    return x;
}

/* ---- what works ---- */

static void case_kernels(void)
{
    struct scene scene = begin();
    uint64_t from = allocate(sizeof(float[COUNT])), to = allocate(sizeof(float[COUNT]));
    float got[COUNT];
    GOOD(cuMemcpyHtoD_v2(from, numbers(), sizeof got));
    launch_twice(&scene, to, from, COUNT, NULL);
    launch_add(&scene, to, 1, 10, NULL);
    GOOD(cuMemcpyDtoH_v2(got, to, sizeof got));
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == 2.0f * (float)i + (i < 10));
    unsigned a = 0x87654321u;
    unsigned long long b = 0xfedcba9876543210ull, high[3];
    launch(&scene, "high", 1, 3, NULL, (void *[]){&to, &a, &b});
    GOOD(cuMemcpyDtoH_v2(high, to, sizeof high));
    CHECK(high[0] == (unsigned long long)a * a >> 32);
    CHECK(high[1] == (unsigned long long)((unsigned __int128)b * b >> 64) && high[2] == a);
    GOOD(cuMemFree_v2(from));
    GOOD(cuMemFree_v2(to));
    end(&scene);
}

static void case_ptx(void)
{
    struct scene scene = begin();
    size_t size;
    char *ptx = compile(text, "--gpu-architecture=compute_75", &size, 0);
    void *module, *function;
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&function, module, "twice"));
    CHECK(cuModuleGetFunction(&function, module, "none") == 500);
    GOOD(cuModuleUnload(module));
    free(ptx);
    char *cubin = compile(text, "--gpu-architecture=sm_80", &size, 0);
    CHECK(cuModuleLoadData(&module, cubin) == 209);
    free(cubin);
    end(&scene);
}

/* Nothing happens before somebody waits, pageable memory is read at once and pinned memory is
 * not. */
static void case_deferred(void)
{
    struct scene scene = begin();
    uint64_t first = allocate(4), second = allocate(4);
    float *pinned = allocate_pinned(4), *results = allocate_pinned(8), pageable = 1;
    void *stream;
    *pinned = 1;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemcpyHtoDAsync_v2(first, &pageable, 4, stream));
    GOOD(cuMemcpyHtoDAsync_v2(second, pinned, 4, stream));
    pageable = *pinned = 2;
    results[0] = results[1] = 0;
    GOOD(cuMemcpyDtoHAsync_v2(&results[0], first, 4, stream));
    GOOD(cuMemcpyDtoHAsync_v2(&results[1], second, 4, stream));
    CHECK(results[0] == 0 && results[1] == 0 && mockcuda_pending() == 4);
    CHECK(cuStreamQuery(stream) == 600);
    GOOD(cuStreamSynchronize(stream));
    CHECK(results[0] == 1 && results[1] == 2 && cuStreamQuery(stream) == 0);
    GOOD(cuStreamDestroy_v2(stream));
    GOOD(cuMemFree_v2(first));
    GOOD(cuMemFree_v2(second));
    GOOD(cuMemFreeHost(pinned));
    GOOD(cuMemFreeHost(results));
    end(&scene);
}

/* A stream that was not told to wait comes too early, one that was does not. */
static void case_events(void)
{
    for (int told = 0; told < 2; told++) {
        struct scene scene = begin();
        uint64_t x = allocate(4);
        float *result = allocate_pinned(4);
        void *first, *second, *event;
        GOOD(cuStreamCreate(&first, 1));
        GOOD(cuStreamCreate(&second, 1));
        GOOD(cuEventCreate(&event, 2));
        GOOD(cuMemsetD8Async(x, 0, 4, NULL));
        GOOD(cuStreamSynchronize(NULL));
        launch_add(&scene, x, 3, 1, first);
        GOOD(cuEventRecord(event, first));
        if (told)
            GOOD(cuStreamWaitEvent(second, event, 0));
        GOOD(cuMemcpyDtoHAsync_v2(result, x, 4, second));
        GOOD(cuStreamSynchronize(second));
        CHECK(*result == (told ? 3 : 0));
        GOOD(cuEventSynchronize(event));
        GOOD(cuEventQuery(event));
        GOOD(cuEventDestroy_v2(event));
        GOOD(cuStreamDestroy_v2(first));
        GOOD(cuStreamDestroy_v2(second));
        GOOD(cuMemFree_v2(x));
        GOOD(cuMemFreeHost(result));
        end(&scene);
    }
}

/* The legacy stream comes after blocking ones and before what follows there; one that does not
 * block is beside. */
static void case_legacy(void)
{
    for (unsigned flags = 0; flags < 2; flags++) {
        struct scene scene = begin();
        uint64_t x = allocate(4);
        float *result = allocate_pinned(4);
        void *stream;
        GOOD(cuStreamCreate(&stream, flags));
        GOOD(cuMemsetD8Async(x, 0, 4, NULL));
        GOOD(cuCtxSynchronize());
        launch_add(&scene, x, 1, 1, stream);
        launch_add(&scene, x, 1, 1, NULL);
        launch_add(&scene, x, 1, 1, stream);
        GOOD(cuMemcpyDtoHAsync_v2(result, x, 4, NULL));
        GOOD(cuStreamSynchronize(NULL));
        CHECK(*result == (flags ? 1 : 3));
        GOOD(cuCtxSynchronize());
        GOOD(cuStreamDestroy_v2(stream));
        GOOD(cuMemFree_v2(x));
        GOOD(cuMemFreeHost(result));
        end(&scene);
    }
}

/* Memory in the order of a stream, and its bytes counted. */
static void case_pool(void)
{
    struct scene scene = begin();
    uint64_t x, none;
    float result;
    size_t before, now, total;
    GOOD(cuMemGetInfo_v2(&before, &total));
    GOOD(cuMemAllocAsync(&x, 1 << 20, NULL));
    GOOD(cuMemGetInfo_v2(&now, &total));
    CHECK(now == before - (1 << 20) && total == 3 << 20);
    CHECK(cuMemAllocAsync(&none, 3 << 20, NULL) == 2 && cuMemAlloc_v2(&none, 3 << 20) == 2);
    GOOD(cuMemsetD8Async(x, 0, 4, NULL));
    launch_add(&scene, x, 1, 1, NULL);
    GOOD(cuMemcpyDtoH_v2(&result, x, 4));
    CHECK(result == 1);
    GOOD(cuMemFreeAsync(x, NULL));
    GOOD(cuCtxSynchronize());
    end(&scene);
}

static int destroyed;
static void destroy(void *user)
{
    destroyed += *(int *)user;
}

/* A graph does nothing when captured, and what was captured each time it is launched. */
static void case_graph(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(4), id = 0;
    float *result = allocate_pinned(4);
    int one = 1, status = 0;
    void *stream, *side, *event, *graph, *exec, *object, *captured;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamCreate(&side, 1));
    GOOD(cuEventCreate(&event, 2));
    GOOD(cuMemsetD8Async(x, 0, 4, stream));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuStreamGetCaptureInfo_v2(stream, &status, &id, &captured, NULL, NULL));
    CHECK(status == 1 && id > 0);
    launch_add(&scene, x, 1, 1, stream);
    GOOD(cuEventRecord(event, stream));
    GOOD(cuStreamWaitEvent(side, event, 0));
    launch_add(&scene, x, 2, 1, side);
    GOOD(cuEventRecord(event, side));
    GOOD(cuStreamWaitEvent(stream, event, 0));
    GOOD(cuMemcpyDtoHAsync_v2(result, x, 4, stream));
    GOOD(cuUserObjectCreate(&object, &one, destroy, 1, 1));
    GOOD(cuGraphRetainUserObject(captured, object, 1, 1));
    GOOD(cuStreamEndCapture(stream, &graph));
    CHECK(graph == captured);
    GOOD(cuStreamIsCapturing(side, &status));
    CHECK(status == 0);
    GOOD(cuGraphInstantiateWithFlags(&exec, graph, 0));
    GOOD(cuGraphDestroy(graph));
    for (int i = 1; i < 4; i++) {
        GOOD(cuGraphLaunch(exec, stream));
        GOOD(cuStreamSynchronize(stream));
        CHECK(*result == 3 * (float)i);
    }
    GOOD(cuGraphLaunch(exec, stream));
    GOOD(cuGraphExecDestroy(exec));
    CHECK(destroyed == (mockcuda_pending() == 0));
    GOOD(cuStreamSynchronize(stream));
    CHECK(*result == 12 && destroyed == 1);
    GOOD(cuEventDestroy_v2(event));
    GOOD(cuStreamDestroy_v2(stream));
    GOOD(cuStreamDestroy_v2(side));
    GOOD(cuMemFree_v2(x));
    GOOD(cuMemFreeHost(result));
    end(&scene);
}

/* What a capture forbids makes it invalid; a thread that relaxes may do it. */
static void case_capture(void)
{
    struct scene scene = begin();
    uint64_t x, none;
    int mode = 2;
    void *stream, *graph;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    x = allocate(4);
    GOOD(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == 2);
    GOOD(cuMemsetD8Async(x, 0, 4, stream));
    GOOD(cuStreamEndCapture(stream, &graph));
    GOOD(cuGraphDestroy(graph));
    GOOD(cuStreamBeginCapture_v2(stream, 0));
    CHECK(cuMemAlloc_v2(&none, 4) == 900);
    CHECK(cuMemsetD8Async(x, 0, 4, stream) == 901);
    CHECK(cuStreamEndCapture(stream, &graph) == 901);
    GOOD(cuStreamBeginCapture_v2(stream, 2));
    CHECK(cuStreamSynchronize(stream) == 900);
    CHECK(cuStreamEndCapture(stream, &graph) == 901);
    GOOD(cuStreamDestroy_v2(stream));
    GOOD(cuMemFree_v2(x));
    end(&scene);
}

static int called;
static void call(void *user)
{
    called = *(int *)user;
}

static void case_host_function(void)
{
    struct scene scene = begin();
    int seven = 7;
    GOOD(cuLaunchHostFunc(NULL, call, &seven));
    CHECK(!called);
    GOOD(cuStreamSynchronize(NULL));
    CHECK(called == 7);
    end(&scene);
}

static void case_pointers(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(4);
    static int host;
    int device = 7, type = 0;
    GOOD(cuPointerGetAttribute(&device, 9, x + 3));
    GOOD(cuPointerGetAttribute(&type, 2, x));
    CHECK(device == 0 && type == 2);
    CHECK(cuPointerGetAttribute(&device, 9, (uint64_t)&host) == 1 &&
          cuPointerGetAttribute(&device, 9, x + 4) == 1);
    GOOD(cuMemHostRegister_v2(&host, 4, 0));
    GOOD(cuPointerGetAttribute(&type, 2, (uint64_t)&host));
    CHECK(type == 1);
    launch(&scene, "word", 1, 1, NULL, (void *[]){&(void *){&host}});
    GOOD(cuCtxSynchronize());
    CHECK(host == 1);
    GOOD(cuMemHostUnregister(&host));
    GOOD(cuMemFree_v2(x));
    end(&scene);
}

/* A call that fails does so once; of a lost context all do, and it can be given back. */
static void case_failing(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(4);
    mockcuda_fail_at(2, 999);
    GOOD(cuMemsetD8Async(x, 0, 4, NULL));
    CHECK(cuMemsetD8Async(x, 0, 4, NULL) == 999 &&
          strcmp(mockcuda_failed(), "cuMemsetD8Async") == 0);
    GOOD(cuMemsetD8Async(x, 0, 4, NULL));
    CHECK(mockcuda_calls() == 3);
    GOOD(cuCtxSynchronize());
    mockcuda_fail_at(1, 700);
    CHECK(cuMemsetD8Async(x, 0, 4, NULL) == 700 && cuCtxSynchronize() == 700 &&
          cuMemFree_v2(x) == 700);
    CHECK(cuModuleUnload(scene.module) == 700 && cuCtxPopCurrent_v2(NULL) == 700);
    CHECK(cuCtxPushCurrent_v2(scene.context) == 700);
    GOOD(cuDevicePrimaryCtxRelease_v2(0));
    scene = begin();
    end(&scene);
}

static void case_no_device(void)
{
    CHECK(cuInit(0) == 100);
}

/* ---- what is wrong ---- */

static void case_host_touches(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(4);
    GOOD(cuMemsetD8Async(x, 0, 4, NULL));
    GOOD(cuCtxSynchronize());
    fprintf(stderr, "touches\n");
    *(volatile int *)x = 1;
    end(&scene);
}

static void case_leak(void)
{
    struct scene scene = begin();
    allocate(4);
    end(&scene);
}

static void case_module_leak(void)
{
    GOOD(cuCtxPopCurrent_v2(&(void *){begin().context}));
    GOOD(cuDevicePrimaryCtxRelease_v2(0));
}

static void case_push(void)
{
    struct scene scene = begin();
    GOOD(cuCtxPushCurrent_v2(scene.context));
    end(&scene);
}

static void case_pop(void)
{
    GOOD(cuInit(0));
    cuCtxPopCurrent_v2(NULL);
}

static void case_no_context(void)
{
    GOOD(cuInit(0));
    allocate(4);
}

static void case_free_twice(void)
{
    begin();
    uint64_t x = allocate(4);
    GOOD(cuMemFree_v2(x));
    cuMemFree_v2(x);
}

static void case_behind(void)
{
    struct scene scene = begin();
    launch_add(&scene, allocate(40), 1, 11, NULL);
    cuCtxSynchronize();
}

static void case_before(void)
{
    struct scene scene = begin();
    launch_add(&scene, allocate(40) - 4, 1, 1, NULL);
    cuCtxSynchronize();
}

static void case_freed(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(40);
    launch_add(&scene, x, 1, 1, NULL);
    GOOD(cuMemFree_v2(x));
    cuCtxSynchronize();
}

static void case_pool_too_early(void)
{
    struct scene scene = begin();
    uint64_t x;
    void *stream;
    GOOD(cuStreamCreate(&stream, 1));
    GOOD(cuMemAllocAsync(&x, 4, NULL));
    launch_add(&scene, x, 1, 1, stream);
    cuStreamSynchronize(stream);
}

static void case_misaligned(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(64) + 4;
    launch(&scene, "wide", 1, 1, NULL, (void *[]){&x, &x});
    cuCtxSynchronize();
}

static void case_misaligned_word(void)
{
    struct scene scene = begin();
    uint64_t x = allocate(64) + 2;
    launch(&scene, "word", 1, 1, NULL, (void *[]){&x});
    cuCtxSynchronize();
}

static void case_pageable(void)
{
    struct scene scene = begin();
    float *x = malloc(4);
    launch_add(&scene, (uint64_t)x, 1, 1, NULL);
    cuCtxSynchronize();
}

static void case_other_device(void)
{
    struct scene scene = begin(), other = begin_on(1);
    uint64_t x = allocate(4);
    GOOD(cuCtxPushCurrent_v2(scene.context));
    launch_add(&scene, x, 1, 1, NULL);
    (void)other;
    cuCtxSynchronize();
}

static void case_other_stream(void)
{
    struct scene scene = begin();
    void *stream;
    begin_on(1);
    GOOD(cuStreamCreate(&stream, 0));
    GOOD(cuCtxPushCurrent_v2(scene.context));
    cuMemsetD8Async(0, 0, 1, stream);
}

static void case_pinned_too_early(void)
{
    begin();
    uint64_t x = allocate(4);
    void *pinned = allocate_pinned(4);
    GOOD(cuMemcpyHtoDAsync_v2(x, pinned, 4, NULL));
    GOOD(cuMemFreeHost(pinned));
    cuCtxSynchronize();
}

static void case_unload_too_early(void)
{
    struct scene scene = begin();
    launch_add(&scene, allocate(4), 1, 1, NULL);
    cuModuleUnload(scene.module);
}

static void call_driver(void *user)
{
    (void)user;
    cuCtxSynchronize();
}

static void case_driver_in_host_function(void)
{
    begin();
    GOOD(cuLaunchHostFunc(NULL, call_driver, NULL));
    cuCtxSynchronize();
}

/* ---- NVRTC ---- */

static void try_text(const char *source, int expected)
{
    size_t size;
    free(compile(source, "--gpu-architecture=sm_90", &size, expected));
}

static void case_text_undeclared(void)
{
    try_text("extern \"C\" __global__ void k(float *x)\n{\n    x[0] = nonsense(1);\n}\n", 6);
    exit(3);
}

static void case_text_header(void)
{
    try_text("#include <math.h>\nextern \"C\" __global__ void k(float *x)\n{\n}\n", 6);
    exit(3);
}

static void case_text_pointer(void)
{
    try_text("extern \"C\" __global__ void k(float *x, const int *y)\n{\n    x = y;\n}\n", 6);
    exit(3);
}

static void case_nvrtc_refuses(void)
{
    try_text(text, 6);
    exit(3);
}

static void case_nvrtc_out_of_memory(void)
{
    try_text(text, 1);
    exit(3);
}

static void case_nvrtc_builtins(void)
{
    try_text(text, 7);
    exit(3);
}

static void case_nvrtc_warns(void)
{
    try_text(text, 0);
    exit(3);
}

static void case_nvrtc_arch(void)
{
    size_t size;
    free(compile(text, "--gpu-architecture=sm_13", &size, 5));
    exit(3);
}

static void case_nvrtc_version(void)
{
    int major, minor;
    GOOD(nvrtcVersion(&major, &minor));
    CHECK(major == 12 && minor == 4);
}

static void case_nvrtc_failing(void)
{
    void *program;
    mocknvrtc_fail_at(1, 2);
    CHECK(nvrtcCreateProgram(&program, text, NULL, 0, NULL, NULL) == 2);
    GOOD(nvrtcCreateProgram(&program, text, NULL, 0, NULL, NULL));
    CHECK(mocknvrtc_calls() == 2);
}

/* ---- the table ---- */

#ifdef __SANITIZE_ADDRESS__
enum { CHECKED = 0 };
#else
enum { CHECKED = 1 };
#endif

/* `ends`: 0 well, 3 and 97 with that status, SIGABRT, SIGSEGV. What is told of a kernel's accesses
 * is told by the sanitizers where those look. */
static const struct row {
    const char *name;
    void (*run)(void);
    int ends;
    const char *says, *setting, *sanitizer;
} rows[] = {
    {"kernels", case_kernels, 0, "", NULL, NULL},
    {"kernels in any order", case_kernels, 0, "", "MOCKCUDA_SEED=3", NULL},
    {"PTX", case_ptx, 0, "", NULL, NULL},
    {"deferred", case_deferred, 0, "", NULL, NULL},
    {"events", case_events, 0, "", NULL, NULL},
    {"legacy stream", case_legacy, 0, "", NULL, NULL},
    {"pool", case_pool, 0, "", "MOCKCUDA_MEMORY=0x300000", NULL},
    {"graph", case_graph, 0, "", NULL, NULL},
    {"graph in any order", case_graph, 0, "", "MOCKCUDA_SEED=5", NULL},
    {"capture", case_capture, 0, "", NULL, NULL},
    {"host function", case_host_function, 0, "", NULL, NULL},
    {"pointers", case_pointers, 0, "", NULL, NULL},
    {"failing", case_failing, 0, "", NULL, NULL},
    {"failing by setting", case_no_device, 1, "not so", "MOCKCUDA_FAIL=1", NULL},
    {"no device", case_no_device, 0, "", "MOCKCUDA_DEVICES=0", NULL},
    {"host touches", case_host_touches, SIGSEGV, "touches\n", NULL, "SEGV"},
    {"leak", case_leak, 97, "not released: memory, made by cuMemAlloc_v2", NULL, NULL},
    {"module leak", case_module_leak, 97, "not released: module, made by cuModuleLoadData", NULL,
     NULL},
    {"push", case_push, 97, "contexts pushed and not popped: 1", NULL, NULL},
    {"pop", case_pop, SIGABRT, "cuCtxPopCurrent_v2: no context is current", NULL, NULL},
    {"no context", case_no_context, SIGABRT, "cuMemAlloc_v2: no context is current", NULL, NULL},
    {"free twice", case_free_twice, SIGABRT, "a second time", NULL, NULL},
    {"behind", case_behind, SIGABRT, "reads 4 bytes at +40 of an allocation of 40", NULL,
     "use-after-poison"},
    {"before", case_before, SIGABRT, "reads 4 bytes at -4 of an allocation of 40", NULL,
     "use-after-poison"},
    {"freed", case_freed, SIGABRT, "memory that was given back", NULL, "SEGV"},
    {"pool too early", case_pool_too_early, SIGABRT, "its stream has not allocated yet", NULL,
     "SEGV"},
    {"misaligned", case_misaligned, SIGABRT, "no multiple of 16", NULL, "misaligned address"},
    {"misaligned word", case_misaligned_word, SIGABRT, "no multiple of 4", NULL,
     "misaligned address"},
    {"pageable", case_pageable, SIGABRT, "the host's own memory, not pinned", NULL, ""},
    {"other device", case_other_device, SIGABRT, "memory of device 1", "MOCKCUDA_DEVICES=2",
     "SEGV"},
    {"other stream", case_other_stream, SIGABRT, "a stream of another context (device 1)",
     "MOCKCUDA_DEVICES=2", NULL},
    {"pinned too early", case_pinned_too_early, SIGABRT, "source of a copy", NULL, NULL},
    {"unload too early", case_unload_too_early, SIGABRT, "has yet to run its kernels", NULL, NULL},
    {"driver in host function", case_driver_in_host_function, SIGABRT,
     "called from a host function", NULL, NULL},
    {"text undeclared", case_text_undeclared, 3, "test.cu:3:12: error: implicit declaration", NULL,
     NULL},
    {"text header", case_text_header, 3, "test.cu:1:18: error: no include path", NULL, NULL},
    {"text pointer", case_text_pointer, 3, "incompatible pointer type", NULL, NULL},
    {"NVRTC refuses", case_nvrtc_refuses, 3, "test.cu(1): error: ", "MOCKCUDA_NVRTC=fail", NULL},
    {"NVRTC out of memory", case_nvrtc_out_of_memory, 3, "", "MOCKCUDA_NVRTC=memory", NULL},
    {"NVRTC builtins", case_nvrtc_builtins, 3, "libnvrtc-builtins", "MOCKCUDA_NVRTC=builtins",
     NULL},
    {"NVRTC warns", case_nvrtc_warns, 3, "test.cu(1): warning ", "MOCKCUDA_NVRTC=log", NULL},
    {"NVRTC architecture", case_nvrtc_arch, 3, "does not know the option --gpu-architecture=sm_13",
     NULL, NULL},
    {"NVRTC version", case_nvrtc_version, 0, "", "MOCKCUDA_NVRTC_VERSION=12.4", NULL},
    {"NVRTC failing", case_nvrtc_failing, 97, "not released: 1 NVRTC programs", NULL, NULL},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* What a case says, and its status as waitpid has it. */
static int run_case(const struct row *row, char *said, size_t size)
{
    char *arguments[] = {"test_mock", (char *)row->name, NULL}, *variables[512];
    int ends[2], status, count = 0;
    size_t length = 0;
    pid_t child;
    posix_spawn_file_actions_t actions;
    for (char **variable = environ; *variable && count < 500; variable++)
        if (strncmp(*variable, "MOCKCUDA_", 9) != 0 || strncmp(*variable, "MOCKCUDA_C", 10) == 0)
            variables[count++] = *variable;
    if (row->setting)
        variables[count++] = (char *)row->setting;
    variables[count] = NULL;
    assert_int_equal(pipe(ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    assert_int_equal(posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, variables),
                     0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    for (ssize_t got; (got = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_case(void **state)
{
    const struct row *row = *state;
    static char said[65536];
    const char *says = !CHECKED && row->sanitizer ? row->sanitizer : row->says;
    if (!CHECKED && row->sanitizer && !*row->sanitizer)
        skip();
    int status = run_case(row, said, sizeof said);
    int end = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    bool by_sanitizer = !CHECKED && row->sanitizer;
    if (!strstr(said, says) || (!*says && !row->ends && *said) ||
        (by_sanitizer ? !status : end != row->ends))
        fail_msg("ends with %d, said:\n%s", end, said);
}

int main(int argc, char **argv)
{
    struct CMUnitTest tests[ROWS];
    for (int i = 0; i < ROWS; i++) {
        tests[i] = (struct CMUnitTest){rows[i].name, test_case, NULL, NULL, (void *)&rows[i]};
        if (argc > 1 && strcmp(argv[1], rows[i].name) == 0) {
            rows[i].run();
            return 0;
        }
    }
    return cmocka_run_group_tests_name("mock", tests, NULL, NULL);
}
