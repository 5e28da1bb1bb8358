/* Modules of the fake driver: shared objects that the fake NVRTC had gcc make. Loaded from memory;
 * a kernel is played by the function that shim.h put behind it. While it runs, each of its accesses
 * is looked at here. */
#define _GNU_SOURCE
#include "mock.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* These three as in shim.h. */
struct mock_shim {
    void (*access)(const struct mock_shim *shim, uint64_t address, uint64_t size, int write,
                   int aligned);
    const unsigned *thread, *block;
    const char *begin, *end;
    char *shared, *shared_end;
    const char *stack_end;
    void (*wrong)(const struct mock_shim *shim, const char *what);
    const char *arch, *text;
};
struct mock_parameter {
    uint64_t size, offset;
};
struct mock_kernel {
    void (*run)(const void *parameters, const unsigned *grid, const unsigned *block, int backward);
    const struct mock_parameter *parameters;
    long long parameter_count, parameter_size;
};

struct CUfunc_st {
    struct CUmod_st *module;
    const struct mock_kernel *kernel;
    char *name;
    struct CUfunc_st *next;
};

struct CUmod_st {
    struct mock_object object;
    void *handle;
    struct mock_shim *shim;
    struct CUfunc_st *functions; /* they stay, so that using one later is told */
};

/* ---- looking at accesses ---- */

/* What runs now. */
static struct {
    const struct mock_item *item;
    const char *frame; /* the stack below is the kernel's */
} running;

static void tell_where(const struct mock_shim *shim)
{
    const unsigned *b = shim->block, *t = shim->thread;
    fprintf(stderr, "mockcuda: kernel %s, block (%u, %u, %u), thread (%u, %u, %u)\n",
            running.item->function->name, b[0], b[1], b[2], t[0], t[1], t[2]);
    if (access(shim->text, R_OK) == 0)
        fprintf(stderr, "mockcuda: its text is %s\n", shim->text);
}

static _Noreturn void fault(const struct mock_shim *shim, uint64_t address, uint64_t size,
                            int write, int aligned)
{
    const struct mock_memory *memory = mock_memory_at((void *)address);
    const char *verb = write ? "writes" : "reads", *p = (const char *)address;
    tell_where(shim);
    if (address % (uint64_t)aligned)
        mock_wrong("the kernel takes %p, which is no multiple of %d", (void *)address, aligned);
    if (!memory)
        mock_wrong("the kernel %s %d bytes at %p: the host's own memory, not pinned", verb,
                   (int)size, (void *)address);
    if (memory->state != LIVE)
        mock_wrong("the kernel %s %d bytes at %p: memory that %s", verb, (int)size, (void *)address,
                   memory->state == FREED ? "was given back" : "its stream has not allocated yet");
    if (memory->place == ON_DEVICE && memory->device != running.item->context->device)
        mock_wrong("the kernel %s %d bytes at %p: memory of device %d", verb, (int)size,
                   (void *)address, memory->device);
    mock_wrong("the kernel %s %d bytes at %+td of an allocation of %td bytes", verb, (int)size,
               p - memory->begin, memory->end - memory->begin);
}

static void complain(const struct mock_shim *shim, const char *what)
{
    tell_where(shim);
    mock_wrong("%s", what);
}

static bool is_within(uint64_t address, uint64_t size, const void *begin, const void *end)
{
    return address >= (uint64_t)begin && address + size <= (uint64_t)end;
}

/* Of the kernel's own: constants, parameters, stack. */
static bool is_own(const struct mock_shim *shim, uint64_t address, uint64_t size, int write)
{
    const char *parameters = running.item->from;
    const char *stack_end = shim->stack_end ? shim->stack_end : running.frame;
    if (is_within(address, size, __builtin_frame_address(0), stack_end) ||
        is_within(address, size, shim->shared, shim->shared_end))
        return true;
    return !write && (is_within(address, size, shim->begin, shim->end) ||
                      is_within(address, size, parameters, parameters + running.item->size));
}

static void look(const struct mock_shim *shim, uint64_t address, uint64_t size, int write,
                 int aligned)
{
    uint64_t at = address - (uint64_t)mock_arena;
    const struct mock_memory *memory = at < mock_arena_size ? mock_owners[at / 4096] : NULL;
    if (size && memory && memory->state == LIVE &&
        is_within(address, size, memory->begin, memory->end) &&
        (memory->place != ON_DEVICE || memory->device == running.item->context->device) &&
        !(address & (uint64_t)(aligned - 1)))
        return;
    if (!size || address & (uint64_t)(aligned - 1))
        fault(shim, address, size, write, aligned);
    memory = memory ? NULL : mock_memory_at((void *)address); /* registered */
    if (memory && is_within(address, size, memory->begin, memory->end))
        return;
    if (!is_own(shim, address, size, write))
        fault(shim, address, size, write, aligned);
}

/* ---- loading ---- */

static size_t elf_size(const void *image)
{
    const Elf64_Ehdr *header = image;
    return header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
}

/* A path that no object had before: the loader takes one for loaded whose path it knows. */
static void name_descriptor(int fd, char *name, size_t size)
{
    static unsigned long number;
    size_t length = (size_t)snprintf(name, size, "/proc/self/fd/");
    for (unsigned long rest = ++number; rest && length + 16 < size; rest /= 2)
        length += (size_t)snprintf(name + length, size - length, rest % 2 ? ".//" : "./");
    snprintf(name + length, size - length, "%d", fd);
}

static void *load(const void *image, size_t size)
{
    char name[256];
    int fd = memfd_create("mockcuda", MFD_CLOEXEC);
    void *handle = NULL;
    if (fd >= 0 && write(fd, image, size) == (ssize_t)size) {
        name_descriptor(fd, name, sizeof name);
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    if (fd >= 0)
        close(fd);
    if (!handle && getenv("MOCKCUDA_TRACE"))
        fprintf(stderr, "mockcuda: %s\n", dlerror());
    return handle;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The object in PTX, which the caller frees; NULL: none is in it. */
static unsigned char *decode_ptx(const char *ptx, size_t *size)
{
    const char *line = strstr(ptx, "// object ");
    int used = 0;
    if (!line || sscanf(line, "// object %zu %n", size, &used) != 1)
        return NULL;
    unsigned char *object = malloc(*size + 1);
    line += used;
    for (size_t i = 0; i < *size; i++, line += 2) {
        if (digit(line[0]) < 0 || digit(line[1]) < 0) {
            free(object);
            return NULL;
        }
        object[i] = (unsigned char)(16 * digit(line[0]) + digit(line[1]));
    }
    return object;
}

/* A cubin runs on GPUs of its generation, PTX on all from its own on. */
static int check_arch(const struct mock_shim *shim, int device, bool ptx)
{
    int arch = 0, have = mock_arch(device);
    if (!shim || sscanf(shim->arch, "sm_%d", &arch) != 1)
        return INVALID_IMAGE;
    if (ptx)
        return arch <= have ? SUCCESS : INVALID_PTX;
    return arch / 10 == have / 10 && arch <= have ? SUCCESS : NO_BINARY_FOR_GPU;
}

static int load_module(struct CUmod_st **module, const void *image)
{
    struct CUctx_st *context = mock_context();
    bool ptx = memcmp(image, ELFMAG, SELFMAG) != 0;
    size_t size = ptx ? 0 : elf_size(image);
    unsigned char *decoded = ptx ? decode_ptx(image, &size) : NULL;
    int forbidden = mock_forbidden_by_capture();
    if (forbidden || (ptx && !decoded)) {
        free(decoded);
        return forbidden ? forbidden : INVALID_IMAGE;
    }
    void *handle = load(ptx ? decoded : image, size);
    free(decoded);
    if (!handle)
        return INVALID_IMAGE;
    struct mock_shim *shim = dlsym(handle, "mock_shim");
    int result = check_arch(shim, context->device, ptx);
    if (result) {
        dlclose(handle);
        return result;
    }
    shim->access = look;
    shim->wrong = complain;
    *module = mock_new(MODULE, sizeof **module, context);
    (*module)->handle = handle;
    (*module)->shim = shim;
    return SUCCESS;
}

int cuModuleLoadData(struct CUmod_st **module, const void *image)
{
    ENTER();
    return mock_leave(load_module(module, image));
}

/* Options: 3 is a buffer for what the compiler of PTX says, 4 its size, 5 and 6 the same for
 * errors. */
int cuModuleLoadDataEx(struct CUmod_st **module, const void *image, unsigned count, int *options,
                       void **values)
{
    ENTER();
    for (unsigned i = 0; i < count; i++)
        if ((options[i] == 3 || options[i] == 5) && values[i])
            *(char *)values[i] = '\0';
    return mock_leave(load_module(module, image));
}

int cuModuleUnload(struct CUmod_st *module)
{
    int failed = mock_enter(__func__);
    mock_valid(module, MODULE);
    if (!module->object.context->lost && module->object.context != mock_context())
        mock_wrong("a module of another context");
    if (mock_pending(NULL, module))
        mock_wrong("a module is unloaded while a stream has yet to run its kernels");
    dlclose(module->handle);
    mock_dead(module);
    return mock_leave(failed);
}

/* ---- functions ---- */

int cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    char symbol[256];
    ENTER();
    mock_valid(module, MODULE);
    snprintf(symbol, sizeof symbol, "mock_kernel_%s", name);
    const struct mock_kernel *kernel = dlsym(module->handle, symbol);
    if (!kernel)
        return mock_leave(NOT_FOUND);
    struct CUfunc_st *made = malloc(sizeof *made);
    *made = (struct CUfunc_st){module, kernel, strdup(name), module->functions};
    *function = module->functions = made;
    return mock_leave(SUCCESS);
}

static void check_function(const struct CUfunc_st *function)
{
    if (!function)
        mock_wrong("no function");
    mock_valid(function->module, MODULE);
    if (function->module->object.context != mock_context())
        mock_wrong("a function of another context (device %d) than the current one (device %d)",
                   function->module->object.context->device, mock_context()->device);
}

int cuFuncGetAttribute(int *value, int attribute, struct CUfunc_st *function)
{
    static const int values[] = {
        1024, 0, 0, 0, 32, 90, 90}; /* threads, shared, constant, local, registers, ... */
    ENTER();
    check_function(function);
    if (attribute < 0 || attribute >= (int)(sizeof values / sizeof *values))
        return mock_leave(INVALID_VALUE);
    *value = values[attribute];
    return mock_leave(SUCCESS);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, struct CUfunc_st *function,
                                                int threads, size_t shared)
{
    ENTER();
    check_function(function);
    if (threads < 1 || threads > 1024 || shared > 49152)
        return mock_leave(INVALID_VALUE);
    *blocks = 2048 / threads < 32 ? 2048 / threads : 32;
    return mock_leave(SUCCESS);
}

/* ---- launching ---- */

void mock_run_launch(struct mock_item *item)
{
    mock_valid(item->module, MODULE);
    mock_open_device(item->context->device);
    running.item = item;
    running.frame = __builtin_frame_address(0);
    item->function->kernel->run(item->from, item->grid, item->block, (int)mock_random(2));
    running.item = NULL;
}

static void check_shape(const unsigned *grid, const unsigned *block, unsigned shared)
{
    if (!grid[0] || !grid[1] || !grid[2] || grid[0] > 0x7fffffff || grid[1] > 65535 ||
        grid[2] > 65535)
        mock_wrong("a grid of %u x %u x %u blocks", grid[0], grid[1], grid[2]);
    if (!block[0] || !block[1] || block[2] != 1 || (uint64_t)block[0] * block[1] > 1024)
        mock_wrong("a block of %u x %u x %u threads", block[0], block[1], block[2]);
    if (shared > 49152)
        mock_wrong("%u bytes of shared memory", shared);
}

/* The parameters as one struct, from malloc. */
static void *collect(const struct mock_kernel *kernel, void **parameters, void **extra)
{
    char *all = calloc(1, (size_t)kernel->parameter_size + 1);
    if (parameters) {
        for (long long i = 0; i < kernel->parameter_count; i++)
            memcpy(all + kernel->parameters[i].offset, parameters[i], kernel->parameters[i].size);
        return all;
    }
    size_t size = 0;
    const void *buffer = NULL;
    for (; extra && *extra; extra += 2) {
        if (*extra == (void *)1)
            buffer = extra[1];
        if (*extra == (void *)2)
            size = *(size_t *)extra[1];
    }
    if (size != (size_t)kernel->parameter_size)
        mock_wrong("%zu bytes of parameters for a kernel that has %lld", size,
                   kernel->parameter_size);
    if (size)
        memcpy(all, buffer, size);
    return all;
}

static void finish_launch(struct mock_item *item)
{
    free((void *)item->from);
}

static long launches;

long mockcuda_launches(void)
{
    return launches;
}

int cuLaunchKernel(struct CUfunc_st *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   struct CUstream_st *handle, void **parameters, void **extra)
{
    ENTER();
    launches++;
    check_function(function);
    struct mock_item *item = mock_new_item(mock_run_launch);
    *item = (struct mock_item){.run = mock_run_launch,
                               .finish = finish_launch,
                               .references = 1,
                               .module = function->module,
                               .function = function,
                               .grid = {grid_x, grid_y, grid_z},
                               .block = {block_x, block_y, block_z}};
    check_shape(item->grid, item->block, shared);
    item->from = collect(function->kernel, parameters, extra);
    item->size = (size_t)function->kernel->parameter_size;
    return mock_leave(mock_enqueue(mock_stream(handle), item));
}
