/* See memory.h. */
#include "memory.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

static int (*start)(unsigned flags);
static int (*get_device)(int *device, int ordinal);
static int (*retain)(void **context, int device);
static int (*release)(int device);
static int (*push)(void *context);
static int (*pop)(void **context);
static int (*allocate)(uint64_t *address, size_t bytes);
static int (*give_back)(uint64_t address);
static int (*copy_there)(uint64_t to, const void *from, size_t bytes);
static int (*copy_back)(void *to, uint64_t from, size_t bytes);

static const struct {
    void *function;
    const char *name;
} functions[] = {
    {&start, "cuInit"}, {&get_device, "cuDeviceGet"}, {&retain, "cuDevicePrimaryCtxRetain"},
    {&release, "cuDevicePrimaryCtxRelease_v2"}, {&push, "cuCtxPushCurrent_v2"}, {&pop, "cuCtxPopCurrent_v2"},
    {&allocate, "cuMemAlloc_v2"}, {&give_back, "cuMemFree_v2"}, {&copy_there, "cuMemcpyHtoD_v2"},
    {&copy_back, "cuMemcpyDtoH_v2"}};

static bool find_functions(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; library && i < sizeof functions / sizeof *functions; i++) {
        void *found = dlsym(library, functions[i].name);
        memcpy(functions[i].function, &found, sizeof found);
        if (!found)
            return false;
    }
    return library;
}

bool memory_open(void)
{
    int device;
    void *context;
    return find_functions() && start(0) == 0 && get_device(&device, 0) == 0 && retain(&context, device) == 0 &&
           push(context) == 0;
}

void *memory_new(size_t bytes)
{
    uint64_t address;
    return allocate(&address, bytes) == 0 ? (void *)(uintptr_t)address : NULL;
}

void memory_free(void *memory)
{
    give_back((uintptr_t)memory);
}

bool memory_fill(void *memory, const void *from, size_t bytes)
{
    return copy_there((uintptr_t)memory, from, bytes) == 0;
}

bool memory_read(void *to, const void *memory, size_t bytes)
{
    return copy_back(to, (uintptr_t)memory, bytes) == 0; /* of the legacy default stream, as all here */
}

void memory_close(void)
{
    int device;
    void *context;
    pop(&context);
    if (get_device(&device, 0) == 0)
        release(device);
}
