/* See scene.h. */
#include "scene.h"

#include <string.h>

const char scene_text[] =
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
    "#ifdef __cplusplus\n"
    "#define KERNEL extern \"C\" __global__ \\\n    void __launch_bounds__(32)\n"
    "#else\n"
    "#define KERNEL __global__ void\n"
    "#endif\n"
    "KERNEL word(unsigned *to)\n"
    "{\n"
    "    *to = 1;\n"
    "}\n"
    "extern \"C\" __global__ void high(unsigned long long *to, unsigned a, unsigned long long b)\n"
    "{\n"
    "    const unsigned long long table[3] = {__umulhi(a, a), __umul64hi(b, b), a};\n"
    "    to[threadIdx.x] = table[threadIdx.x % 3];\n"
    "}\n";

char *compile(const char *source, const char *arch, size_t *size, int expected)
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

struct scene begin_on(int device)
{
    struct scene scene = {.device = device};
    size_t size;
    GOOD(cuInit(0));
    GOOD(cuDevicePrimaryCtxRetain(&scene.context, device));
    GOOD(cuCtxPushCurrent_v2(scene.context));
    char *image = compile(scene_text, "--gpu-architecture=sm_90", &size, 0);
    GOOD(cuModuleLoadData(&scene.module, image));
    free(image);
    return scene;
}

struct scene begin(void)
{
    return begin_on(0);
}

void end(struct scene *scene)
{
    void *context;
    GOOD(cuModuleUnload(scene->module));
    GOOD(cuCtxPopCurrent_v2(&context));
    CHECK(context == scene->context);
    GOOD(cuDevicePrimaryCtxRelease_v2(scene->device));
}

void launch(const struct scene *scene, const char *name, unsigned blocks, unsigned threads,
            void *stream, void **parameters)
{
    void *function;
    GOOD(cuModuleGetFunction(&function, scene->module, name));
    GOOD(cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, NULL));
}

struct pair {
    uint64_t to, from, count;
};

void launch_twice(const struct scene *scene, uint64_t to, uint64_t from, int count, void *stream)
{
    struct pair pair = {to, from, (uint64_t)count};
    launch(scene, "twice", 3, 128, stream, (void *[]){&pair});
}

void launch_add(const struct scene *scene, uint64_t to, float x, int count, void *stream)
{
    launch(scene, "add", 1, 32, stream, (void *[]){&to, &x, &count});
}

static const char meeting[] =
    "extern \"C\" __global__ void meet(unsigned *to, unsigned stop)\n"
    "{\n"
    "    __shared__ unsigned all[64];\n"
    "    const unsigned t = threadIdx.x;\n"
    "    if (t < stop)\n"
    "        return;\n"
    "    all[t] = t;\n"
    "    __syncthreads();\n"
    "    unsigned x = all[63 - t];\n"
    "    for (unsigned down = 8; down; down /= 2)\n"
    "        x += __shfl_down_sync(~0u, x, down, 16);\n"
    "    to[t] = x;\n"
    "}\n";

void launch_meeting(struct scene *scene, uint64_t to, unsigned stop)
{
    size_t size;
    char *image = compile(meeting, "--gpu-architecture=sm_90", &size, 0);
    GOOD(cuModuleUnload(scene->module));
    GOOD(cuModuleLoadData(&scene->module, image));
    free(image);
    launch(scene, "meet", 2, 64, NULL, (void *[]){&to, &stop});
}

uint64_t allocate(size_t size)
{
    uint64_t address;
    GOOD(cuMemAlloc_v2(&address, size));
    CHECK(address % 256 == 0);
    return address;
}

void *allocate_pinned(size_t size)
{
    void *memory;
    GOOD(cuMemHostAlloc(&memory, size, 1 | 2));
    return memory;
}

float *numbers(void)
{
    static float x[COUNT];
    for (int i = 0; i < COUNT; i++)
        x[i] = (float)i;
    return x;
}
