/* What is wrong, and how the fake driver and NVRTC tell it. */
#include "scene.h"

#include <signal.h>

/* ---- the driver ---- */

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

static void case_missed_meeting(void)
{
    struct scene scene = begin();
    launch_meeting(&scene, allocate(sizeof(unsigned[64])), 3);
    GOOD(cuCtxSynchronize());
    end(&scene);
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
    try_text(scene_text, 6);
    exit(3);
}

static void case_nvrtc_out_of_memory(void)
{
    try_text(scene_text, 1);
    exit(3);
}

static void case_nvrtc_builtins(void)
{
    try_text(scene_text, 7);
    exit(3);
}

static void case_nvrtc_warns(void)
{
    try_text(scene_text, 0);
    exit(3);
}

static void case_nvrtc_arch(void)
{
    size_t size;
    free(compile(scene_text, "--gpu-architecture=sm_13", &size, 5));
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
    CHECK(nvrtcCreateProgram(&program, scene_text, NULL, 0, NULL, NULL) == 2);
    GOOD(nvrtcCreateProgram(&program, scene_text, NULL, 0, NULL, NULL));
    CHECK(mocknvrtc_calls() == 2);
}

const struct row mock_refuses[] = {
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
    {"missed meeting", case_missed_meeting, SIGABRT, "wait for others of their block that are done", NULL, NULL},
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
    {NULL, NULL, 0, NULL, NULL, NULL},
};
