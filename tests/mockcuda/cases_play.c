/* What the fake driver plays, as CUDA promises it. */
#include "scene.h"

#include <string.h>

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

/* Threads that wait for each other, and read what others wrote and hold. */
static void case_meeting(void)
{
    struct scene scene = begin();
    uint64_t to = allocate(sizeof(unsigned[64]));
    unsigned got[64];
    launch_meeting(&scene, to, 0);
    GOOD(cuMemcpyDtoH_v2(got, to, sizeof got));
    for (unsigned t = 0; t < 64; t += 16)
        CHECK(got[t] == 16 * (63 - t) - 120);
    GOOD(cuMemFree_v2(to));
    end(&scene);
}

static void case_ptx(void)
{
    struct scene scene = begin();
    size_t size;
    char *ptx = compile(scene_text, "--gpu-architecture=compute_75", &size, 0);
    void *module, *function;
    GOOD(cuModuleLoadData(&module, ptx));
    GOOD(cuModuleGetFunction(&function, module, "twice"));
    CHECK(cuModuleGetFunction(&function, module, "none") == 500);
    GOOD(cuModuleUnload(module));
    free(ptx);
    char *cubin = compile(scene_text, "--gpu-architecture=sm_80", &size, 0);
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

const struct row mock_plays[] = {
    {"kernels", case_kernels, 0, "", NULL, NULL},
    {"kernels in any order", case_kernels, 0, "", "MOCKCUDA_SEED=3", NULL},
    {"meeting", case_meeting, 0, "", NULL, NULL},
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
    {NULL, NULL, 0, NULL, NULL, NULL},
};
