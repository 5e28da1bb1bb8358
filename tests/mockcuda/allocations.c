/* Allocating and giving back memory of the fake driver, at once or in the order of a stream. Bytes
 * of a device are counted from the call that allocates to the call that gives back. */
#include "mock.h"

#include <string.h>

struct mock_pool {
    struct mock_object object;
    int device;
};

static char pools[MAX_DEVICES]; /* the devices' own: their addresses are the handles */

static int pool_device(void *pool)
{
    if ((char *)pool >= pools && (char *)pool < pools + MAX_DEVICES)
        return (int)((char *)pool - pools);
    return ((struct mock_pool *)mock_valid(pool, POOL))->device;
}

/* ---- allocating ---- */

static int allocate(uint64_t *address, enum mock_place place, size_t size)
{
    int forbidden = mock_forbidden_by_capture();
    if (forbidden)
        return forbidden;
    if (!size)
        return INVALID_VALUE;
    mock_context();
    if (place != PINNED && !mock_count_bytes(size))
        return OUT_OF_MEMORY;
    struct mock_memory *memory = mock_new_memory(place, size);
    mock_make_live(memory);
    *address = (uint64_t)memory->begin;
    return SUCCESS;
}

int cuMemAlloc_v2(uint64_t *address, size_t size)
{
    ENTER();
    return mock_leave(allocate(address, ON_DEVICE, size));
}

int cuMemAllocManaged(uint64_t *address, size_t size, unsigned flags)
{
    ENTER();
    return mock_leave(flags == 1 || flags == 2 ? allocate(address, MANAGED, size) : INVALID_VALUE);
}

int cuMemHostAlloc(void **memory, size_t size, unsigned flags)
{
    uint64_t address = 0;
    ENTER();
    int result = flags & ~7u ? INVALID_VALUE : allocate(&address, PINNED, size);
    if (!result)
        *memory = (void *)address;
    return mock_leave(result);
}

int cuMemAllocHost_v2(void **memory, size_t size)
{
    uint64_t address = 0;
    ENTER();
    int result = allocate(&address, PINNED, size);
    if (!result)
        *memory = (void *)address;
    return mock_leave(result);
}

/* What is given back by its first address. */
static struct mock_memory *to_free(const void *address, bool host)
{
    struct mock_memory *memory = mock_memory_at(address);
    if (!memory || memory->begin != address)
        mock_wrong("%p is not what an allocation gave", address);
    if (memory->free_called)
        mock_wrong("%p is given back a second time", address);
    if (host != (memory->place == PINNED))
        mock_wrong("%p is %s", address, host ? "not pinned memory" : "memory of the host");
    if (memory->object.context->lost)
        return memory;
    if (memory->state == RESERVED && memory->place == ON_DEVICE)
        mock_wrong("%p is memory that its stream has not allocated yet", address);
    return memory;
}

/* Work that still wants it finds it gone, also where the driver would have waited. */
static void free_now(struct mock_memory *memory)
{
    memory->free_called = true;
    mock_dead(memory);
    mock_give_back_bytes(memory);
    if (memory->state == LIVE)
        mock_end_life(memory, FREED);
    memory->state = FREED;
}

int cuMemFree_v2(uint64_t address)
{
    int failed = mock_enter(__func__), forbidden = failed ? 0 : mock_forbidden_by_capture();
    if (address && !forbidden && failed != NOT_INITIALIZED)
        free_now(to_free((void *)address, false));
    return mock_leave(failed ? failed : forbidden);
}

int cuMemFreeHost(void *memory)
{
    int failed = mock_enter(__func__), forbidden = failed ? 0 : mock_forbidden_by_capture();
    if (memory && !forbidden && failed != NOT_INITIALIZED)
        free_now(to_free(memory, true));
    return mock_leave(failed ? failed : forbidden);
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    ENTER();
    if (flags || !mock_is_pinned(memory, 1))
        return mock_leave(INVALID_VALUE);
    *address = (uint64_t)memory;
    return mock_leave(SUCCESS);
}

int cuMemHostRegister_v2(void *address, size_t size, unsigned flags)
{
    ENTER();
    (void)flags;
    if (mock_memory_at(address))
        return mock_leave(HOST_MEMORY_ALREADY_REGISTERED);
    struct mock_memory *memory = mock_new(MEMORY, sizeof *memory, mock_context());
    memory->place = REGISTERED;
    memory->state = LIVE;
    memory->begin = address;
    memory->end = memory->begin + size;
    mock_register(memory);
    return mock_leave(SUCCESS);
}

int cuMemHostUnregister(void *address)
{
    int failed = mock_enter(__func__);
    struct mock_memory *memory = mock_memory_at(address);
    if (!memory || memory->place != REGISTERED || memory->begin != address)
        mock_wrong("%p is not registered", address);
    mock_unregister(memory);
    mock_dead(memory);
    return mock_leave(failed);
}

/* ---- in the order of a stream ---- */

static void run_allocate(struct mock_item *item)
{
    if (item->memory->state == LIVE)
        mock_wrong("a graph allocates its memory again that it has not given back");
    mock_make_live(item->memory);
}

static void run_free(struct mock_item *item)
{
    if (item->memory->state != LIVE)
        mock_wrong("memory is given back before its stream allocated it");
    mock_end_life(item->memory, item->in_graph ? RESERVED : FREED);
}

static struct mock_item *new_item(void (*run)(struct mock_item *), struct mock_memory *memory)
{
    struct mock_item *item = mock_new_item(run);
    item->memory = memory;
    return item;
}

static int allocate_async(uint64_t *address, size_t size, struct CUstream_st *handle)
{
    struct CUstream_st *stream = mock_stream(handle);
    int forbidden = stream->capture ? SUCCESS : mock_forbidden_by_capture();
    if (!size || forbidden)
        return forbidden ? forbidden : INVALID_VALUE;
    if (!mock_count_bytes(size))
        return OUT_OF_MEMORY;
    struct mock_memory *memory = mock_new_memory(ON_DEVICE, size);
    memory->pooled = true;
    *address = (uint64_t)memory->begin;
    return mock_enqueue(stream, new_item(run_allocate, memory));
}

int cuMemAllocAsync(uint64_t *address, size_t size, struct CUstream_st *handle)
{
    ENTER();
    return mock_leave(allocate_async(address, size, handle));
}

int cuMemAllocFromPoolAsync(uint64_t *address, size_t size, void *pool, struct CUstream_st *handle)
{
    ENTER();
    if (pool_device(pool) != mock_context()->device)
        mock_wrong("%p is a pool of another device", pool);
    return mock_leave(allocate_async(address, size, handle));
}

int cuMemFreeAsync(uint64_t address, struct CUstream_st *handle)
{
    int failed = mock_enter(__func__);
    struct mock_memory *memory = mock_memory_at((void *)address);
    if (failed == NOT_INITIALIZED)
        return mock_leave(failed);
    if (!memory || memory->begin != (char *)address || memory->place != ON_DEVICE)
        mock_wrong("%p is not what an allocation gave", (void *)address);
    if (memory->free_called)
        mock_wrong("%p is given back a second time", (void *)address);
    memory->free_called = true;
    mock_dead(memory);
    mock_give_back_bytes(memory);
    if (memory->object.context->lost)
        return mock_leave(failed);
    int result = mock_enqueue(mock_stream(handle), new_item(run_free, memory));
    return mock_leave(failed ? failed : result);
}

int cuDeviceGetDefaultMemPool(void **pool, int device)
{
    ENTER();
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    *pool = &pools[device];
    return mock_leave(SUCCESS);
}

/* Memory on a device, without handles. */
int cuMemPoolCreate(void **pool, const int *props)
{
    ENTER();
    if (props[0] != 1 || props[1] != 0 || props[2] != 1 || !mock_is_device(props[3]))
        return mock_leave(INVALID_VALUE);
    if (!mock_setting("MOCKCUDA_POOLS", 1))
        return mock_leave(NOT_SUPPORTED);
    struct mock_pool *made = mock_new(POOL, sizeof *made, mock_context_or_null());
    made->device = props[3];
    *pool = made;
    return mock_leave(SUCCESS);
}

/* What was allocated from it stays until it is given back. */
int cuMemPoolDestroy(void *pool)
{
    int failed = mock_enter(__func__);
    if (failed != NOT_INITIALIZED)
        mock_dead(mock_valid(pool, POOL));
    return mock_leave(failed);
}

int cuMemPoolSetAttribute(void *pool, int attribute, void *value)
{
    ENTER();
    pool_device(pool);
    return mock_leave(attribute >= 1 && attribute <= 4 && value ? SUCCESS : INVALID_VALUE);
}

int cuMemPoolGetAttribute(void *pool, int attribute, void *value)
{
    ENTER();
    (void)pool;
    if (attribute < 1 || attribute > 4)
        return mock_leave(INVALID_VALUE);
    memset(value, 0, attribute == 4 ? sizeof(uint64_t) : sizeof(int));
    return mock_leave(SUCCESS);
}

/* ---- asking ---- */

int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    ENTER();
    mock_tell_bytes(mock_context()->device, available, total);
    return mock_leave(SUCCESS);
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    ENTER();
    size_t available;
    if (!mock_is_device(device))
        return mock_leave(INVALID_DEVICE);
    mock_tell_bytes(device, &available, bytes);
    return mock_leave(SUCCESS);
}

/* Of a pointer's attributes: 1 the context, 2 the kind of memory, 3 the device's pointer, 4 the
 * host's, 8 whether it is managed, 9 the device's number. */
int cuPointerGetAttribute(void *value, int attribute, uint64_t address)
{
    ENTER();
    const struct mock_memory *memory = mock_memory_at((void *)address);
    const char *p = (const char *)address;
    if (!memory || memory->free_called || p < memory->begin || p >= memory->end)
        return mock_leave(INVALID_VALUE);
    bool host = memory->place == PINNED || memory->place == REGISTERED;
    if (attribute == 1)
        *(struct CUctx_st **)value = memory->object.context;
    else if (attribute == 2)
        *(unsigned *)value = host ? 1 : 2;
    else if (attribute == 3 || (attribute == 4 && memory->place != ON_DEVICE))
        *(uint64_t *)value = address;
    else if (attribute == 8)
        *(unsigned *)value = memory->place == MANAGED;
    else if (attribute == 9)
        *(int *)value = memory->device;
    else
        return mock_leave(INVALID_VALUE);
    return mock_leave(SUCCESS);
}
