/* Lending memory for GPUs; see memory.h. Device memory comes from a pool of the driver, in the order of the
 * stream. Pinned memory, memory of a graph, and device memory where the driver has no pools come from
 * blocks of our own, which are reused when the event behind their last use has completed. A graph gets
 * blocks rather than pool memory because a graph with allocations can be neither cloned nor nested. */
#include "runtime/gpu/memory.h"

#include "runtime/gpu/device.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
    POOL_KEEPS = 64 << 20,         /* bytes that the pool keeps although nothing uses them */
    BLOCK_LEAST = 64 << 10,        /* bytes: smaller requests share this size */
    IDLE_MOST = 256 << 20,         /* bytes of idle blocks, beyond which some are freed */
    CONSTANTS_MOST = 256 << 20     /* bytes */
};

enum block_state {
    BLOCK_FREE,
    BLOCK_LENT,
    BLOCK_PASSING,                 /* given back; free once its event has completed */
    BLOCK_GRAPH,                   /* owned by a graph, which will release it */
    BLOCK_KEPT                     /* never reused: nobody can tell when its use ends */
};

struct cuda_block {
    struct cuda_block *next;
    struct cuda_memory *memory;    /* NULL: the memory is gone, the block's too; guarded by `graphs` */
    enum cuda_kind kind;
    enum block_state state;
    size_t size;
    uint64_t address;
    void *host;
    struct CUevent_st *event;
};

/* Taken before a memory's own mutex, because graphs release their blocks at any time, on a thread of the
 * driver. */
static pthread_mutex_t graphs = PTHREAD_MUTEX_INITIALIZER;

int cuda_relax(const struct cuda_device *device)
{
    int mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    device->driver->cuThreadExchangeStreamCaptureMode(&mode);
    return mode;
}

void cuda_strict(const struct cuda_device *device, int mode)
{
    device->driver->cuThreadExchangeStreamCaptureMode(&mode);
}

struct cuda_order cuda_order(const struct cuda_device *device, struct CUstream_st *stream)
{
    const struct cuda_driver *driver = device->driver;
    struct cuda_order order = {.stream = stream};
    int status = CU_STREAM_CAPTURE_STATUS_NONE;
    uint64_t id;
    if ((uintptr_t)stream <= CUDA_STREAM_LEGACY)
        return order;              /* it cannot be captured, and asking is an error during a capture */
    if (driver->cuStreamGetCaptureInfo)
        driver->cuStreamGetCaptureInfo(stream, &status, &id, &order.graph, NULL, NULL);
    else
        driver->cuStreamIsCapturing(stream, &status);
    order.captured = status != CU_STREAM_CAPTURE_STATUS_NONE;
    return order;
}

/* ---- blocks ---- */

static size_t block_size(size_t bytes)
{
    size_t size = BLOCK_LEAST;
    while (size < bytes && size <= SIZE_MAX / 2)
        size *= 2;
    return size < bytes ? bytes : size;
}

/* The mutex must be held. */
static bool is_free(const struct cuda_device *device, struct cuda_block *block)
{
    if (block->state == BLOCK_PASSING && device->driver->cuEventQuery(block->event) == CUDA_SUCCESS)
        block->state = BLOCK_FREE;
    return block->state == BLOCK_FREE;
}

/* Lends the smallest free block of at least `size` bytes that is not far too large; NULL: none. */
static struct cuda_block *find_block(struct cuda_device *device, enum cuda_kind kind, size_t size)
{
    struct cuda_block *best = NULL;
    pthread_mutex_lock(&device->memory.mutex);
    for (struct cuda_block *block = device->memory.blocks; block; block = block->next)
        if (block->kind == kind && block->size >= size && block->size / 4 <= size &&
            (!best || block->size < best->size) && is_free(device, block))
            best = block;
    if (best)
        best->state = BLOCK_LENT;
    pthread_mutex_unlock(&device->memory.mutex);
    return best;
}

/* Frees everything but the struct. */
static void release(const struct cuda_driver *driver, const struct cuda_block *block)
{
    if (block->event)
        driver->cuEventDestroy(block->event);
    if (block->address)
        driver->cuMemFree(block->address);
    if (block->host)
        driver->cuMemFreeHost(block->host);
}

/* Frees idle blocks until at most `most` bytes of them are left. */
static void trim(struct cuda_device *device, size_t most)
{
    struct cuda_block *gone = NULL;
    size_t idle = 0;
    pthread_mutex_lock(&device->memory.mutex);
    for (struct cuda_block **at = &device->memory.blocks; *at;) {
        struct cuda_block *block = *at;
        if (!is_free(device, block) || (idle += block->size) <= most) {
            at = &block->next;
            continue;
        }
        idle -= block->size;
        *at = block->next;
        block->next = gone;
        gone = block;
    }
    pthread_mutex_unlock(&device->memory.mutex);
    for (struct cuda_block *next; gone; gone = next) {
        next = gone->next;
        release(device->driver, gone);
        free(gone);
    }
}

/* Returns the driver's result. */
static int allocate(const struct cuda_driver *driver, struct cuda_block *block)
{
    return block->kind == CUDA_PINNED
               ? driver->cuMemHostAlloc(&block->host, block->size, CU_MEMHOSTALLOC_PORTABLE)
               : driver->cuMemAlloc(&block->address, block->size);
}

/* Reports the result of an allocation by `function`, with the number of bytes if there was no room. */
static bool check(const struct cuda_device *device, enum cuda_kind kind, size_t bytes, int result,
                  const char *function, struct diags *diags)
{
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_check(device->driver, diags, result, function);
    if (kind == CUDA_PINNED)
        return diag_at(diags, DIAG_PINNED_MEMORY, NULL, 0, bytes);
    size_t available = 0, total = 0;
    device->driver->cuMemGetInfo(&available, &total);
    return diag_at(diags, DIAG_GPU_MEMORY, NULL, 0, device->ordinal, bytes, available, total);
}

/* A new block, already lent; NULL with a diagnostic. */
static struct cuda_block *make_block(struct cuda_device *device, enum cuda_kind kind, size_t size,
                                     struct diags *diags)
{
    const struct cuda_driver *driver = device->driver;
    struct cuda_block *block = calloc(1, sizeof *block);
    if (!block)
        return diag_no_memory(diags);
    *block = (struct cuda_block){.memory = &device->memory, .kind = kind, .state = BLOCK_LENT, .size = size};
    trim(device, IDLE_MOST);
    int result = allocate(driver, block);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
        trim(device, 0);
        result = allocate(driver, block);
    }
    if (!check(device, kind, size, result, kind == CUDA_PINNED ? "cuMemHostAlloc" : "cuMemAlloc", diags) ||
        !CUDA_CALL(driver, diags, cuEventCreate, &block->event, CU_EVENT_DISABLE_TIMING)) {
        release(driver, block);
        free(block);
        return NULL;
    }
    pthread_mutex_lock(&device->memory.mutex);
    block->next = device->memory.blocks;
    device->memory.blocks = block;
    pthread_mutex_unlock(&device->memory.mutex);
    return block;
}

/* ---- blocks of graphs ---- */

static void set_state(struct cuda_memory *memory, struct cuda_block *block, enum block_state state)
{
    pthread_mutex_lock(&memory->mutex);
    block->state = state;
    pthread_mutex_unlock(&memory->mutex);
}

static void let_go(void *block_)
{
    struct cuda_block *block = block_;
    pthread_mutex_lock(&graphs);
    if (block->memory)
        set_state(block->memory, block, BLOCK_FREE);
    else
        free(block);
    pthread_mutex_unlock(&graphs);
}

static bool will_let_go(const struct cuda_driver *driver, struct CUgraph_st *graph, struct cuda_block *block)
{
    struct CUuserObject_st *object;
    return graph && driver->cuUserObjectCreate && driver->cuGraphRetainUserObject &&
           driver->cuUserObjectCreate(&object, block, let_go, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) ==
               CUDA_SUCCESS &&
           driver->cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE) == CUDA_SUCCESS;
}

static void give_to_graph(struct cuda_device *device, struct CUgraph_st *graph, struct cuda_block *block)
{
    set_state(&device->memory, block, BLOCK_GRAPH);
    if (!will_let_go(device->driver, graph, block))
        set_state(&device->memory, block, BLOCK_KEPT);
}

/* ---- lending ---- */

static bool lend_block(struct cuda_device *device, const struct cuda_order *order, enum cuda_kind kind,
                       size_t bytes, struct cuda_lease *lease, struct diags *diags)
{
    size_t size = block_size(bytes);
    int mode = cuda_relax(device);
    struct cuda_block *block = find_block(device, kind, size);
    block = block ? block : make_block(device, kind, size, diags);
    cuda_strict(device, mode);
    if (!block)
        return false;
    if (order->captured)
        give_to_graph(device, order->graph, block);
    *lease = (struct cuda_lease){block->address, block->host, order->captured ? NULL : block, order->captured};
    return true;
}

bool cuda_borrow(struct cuda_device *device, const struct cuda_order *order, enum cuda_kind kind, size_t bytes,
                 struct cuda_lease *lease, struct diags *diags)
{
    *lease = (struct cuda_lease){.address = 0};
    if (!bytes)
        return true;
    if (kind == CUDA_PINNED || order->captured || !device->memory.pool)
        return lend_block(device, order, kind, bytes, lease, diags);
    int mode = cuda_relax(device);
    int result = device->driver->cuMemAllocFromPoolAsync(&lease->address, bytes, device->memory.pool,
                                                         order->stream);
    cuda_strict(device, mode);
    return check(device, kind, bytes, result, "cuMemAllocFromPoolAsync", diags);
}

void cuda_give_back(struct cuda_device *device, const struct cuda_order *order, struct cuda_lease *lease)
{
    struct cuda_block *block = lease->block;
    if (block) {
        bool passing = device->driver->cuEventRecord(block->event, order->stream) == CUDA_SUCCESS;
        set_state(&device->memory, block, passing ? BLOCK_PASSING : BLOCK_KEPT);
    } else if (lease->address && !lease->owned) {
        int mode = cuda_relax(device);
        device->driver->cuMemFreeAsync(lease->address, order->stream);
        cuda_strict(device, mode);
    }
    *lease = (struct cuda_lease){.address = 0};
}

bool cuda_mark(const struct cuda_device *device, const struct cuda_order *order,
               const struct cuda_lease *lease, struct diags *diags)
{
    return CUDA_CALL(device->driver, diags, cuEventRecord, lease->block->event, order->stream);
}

bool cuda_await(const struct cuda_device *device, const struct cuda_lease *lease, struct diags *diags)
{
    int mode = cuda_relax(device);
    bool good = CUDA_CALL(device->driver, diags, cuEventSynchronize, lease->block->event);
    cuda_strict(device, mode);
    return good;
}

/* ---- streams ---- */

struct CUstream_st *cuda_take_stream(struct cuda_device *device, struct diags *diags)
{
    struct cuda_memory *memory = &device->memory;
    struct CUstream_st *stream = NULL;
    pthread_mutex_lock(&memory->mutex);
    if (memory->idle_count)
        stream = memory->idle[--memory->idle_count];
    pthread_mutex_unlock(&memory->mutex);
    if (stream)
        return stream;
    int mode = cuda_relax(device);
    bool good = CUDA_CALL(device->driver, diags, cuStreamCreate, &stream, CU_STREAM_NON_BLOCKING);
    cuda_strict(device, mode);
    return good ? stream : NULL;
}

void cuda_leave_stream(struct cuda_device *device, struct CUstream_st *stream)
{
    struct cuda_memory *memory = &device->memory;
    pthread_mutex_lock(&memory->mutex);
    bool keep = memory->idle_count < CUDA_IDLE_STREAMS;
    if (keep)
        memory->idle[memory->idle_count++] = stream;
    pthread_mutex_unlock(&memory->mutex);
    if (!keep)
        device->driver->cuStreamDestroy(stream);
}

int cuda_wait(const struct cuda_device *device, struct CUstream_st *stream)
{
    int mode = cuda_relax(device);
    int result = device->driver->cuStreamSynchronize(stream);
    cuda_strict(device, mode);
    return result;
}

/* ---- pinned bytes ---- */

enum { BYTES_TOGETHER = 16 };      /* they are handed out in multiples of this */

static size_t whole_bytes(size_t count)
{
    return (count + BYTES_TOGETHER - 1) / BYTES_TOGETHER * BYTES_TOGETHER;
}

bool cuda_pinned_reserve(struct cuda_device *device, size_t count, struct diags *diags)
{
    struct cuda_memory *memory = &device->memory;
    pthread_mutex_lock(&memory->mutex);
    bool enough = memory->bytes_left >= whole_bytes(count);
    pthread_mutex_unlock(&memory->mutex);
    if (enough)
        return true;
    int mode = cuda_relax(device);
    struct cuda_block *block = make_block(device, CUDA_PINNED, block_size(whole_bytes(count)), diags);
    cuda_strict(device, mode);
    if (!block)
        return false;
    memset(block->host, 0, block->size);
    pthread_mutex_lock(&memory->mutex);
    block->state = BLOCK_KEPT;
    memory->bytes = block->host;
    memory->bytes_left = block->size;
    pthread_mutex_unlock(&memory->mutex);
    return true;
}

unsigned char *cuda_pinned_bytes(struct cuda_device *device, size_t count, struct diags *diags)
{
    struct cuda_memory *memory = &device->memory;
    unsigned char *bytes = NULL;
    while (!bytes && cuda_pinned_reserve(device, count, diags)) {
        pthread_mutex_lock(&memory->mutex);
        if (memory->bytes_left >= whole_bytes(count)) { /* no other thread took them meanwhile */
            bytes = memory->bytes;
            memory->bytes += whole_bytes(count);
            memory->bytes_left -= whole_bytes(count);
        }
        pthread_mutex_unlock(&memory->mutex);
    }
    return bytes;
}

/* ---- constants ---- */

struct cuda_constant {
    struct cuda_constant *next;
    uint64_t address;
    size_t bytes;
    uint64_t hash;
    char data[];
};

/* The mutex must be held. */
static const struct cuda_constant *find_constant(const struct cuda_memory *memory, const void *data,
                                                 size_t bytes, uint64_t hash)
{
    const struct cuda_constant *at = memory->constants;
    while (at && (at->hash != hash || at->bytes != bytes || memcmp(at->data, data, bytes) != 0))
        at = at->next;
    return at;
}

/* Copies from `constant->data`, and waits for this copy alone. */
static bool upload(const struct cuda_device *device, struct cuda_constant *constant, struct diags *diags)
{
    const struct cuda_driver *driver = device->driver;
    struct CUstream_st *stream = device->memory.stream;
    int mode = cuda_relax(device);
    bool good = check(device, CUDA_ON_GPU, constant->bytes, driver->cuMemAlloc(&constant->address, constant->bytes),
                      "cuMemAlloc", diags) &&
                CUDA_CALL(driver, diags, cuMemcpyHtoDAsync, constant->address, constant->data, constant->bytes,
                          stream) &&
                CUDA_CALL(driver, diags, cuStreamSynchronize, stream);
    if (!good && constant->address)
        driver->cuMemFree(constant->address);
    cuda_strict(device, mode);
    return good;
}

/* The mutex must be held, so that no two threads upload the same bytes. */
static const struct cuda_constant *make_constant(struct cuda_device *device, const void *data, size_t bytes,
                                                 uint64_t hash, struct diags *diags)
{
    struct cuda_memory *memory = &device->memory;
    struct cuda_constant *made = malloc(sizeof *made + bytes);
    if (!made)
        return diag_no_memory(diags);
    *made = (struct cuda_constant){.next = memory->constants, .bytes = bytes, .hash = hash};
    memcpy(made->data, data, bytes);
    if (!upload(device, made, diags)) {
        free(made);
        return NULL;
    }
    memory->constants = made;
    memory->constant_bytes += bytes;
    return made;
}

uint64_t cuda_constant(struct cuda_device *device, const void *data, size_t bytes, struct diags *diags)
{
    struct cuda_memory *memory = &device->memory;
    uint64_t hash = XXH3_64bits(data, bytes);
    pthread_mutex_lock(&memory->mutex);
    const struct cuda_constant *found = find_constant(memory, data, bytes, hash);
    if (!found && memory->constant_bytes + bytes <= CONSTANTS_MOST)
        found = make_constant(device, data, bytes, hash, diags);
    pthread_mutex_unlock(&memory->mutex);
    return found ? found->address : 0;
}

/* ---- beginning and end ---- */

static bool make_pool(struct cuda_device *device, struct diags *diags)
{
    const struct cuda_driver *driver = device->driver;
    struct cuda_pool_props props = {.allocation = CU_MEM_ALLOCATION_TYPE_PINNED,
                                    .location = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal};
    uint64_t keeps = POOL_KEEPS;
    if (!device->pools || !driver->cuMemPoolCreate || !driver->cuMemPoolDestroy ||
        !driver->cuMemAllocFromPoolAsync)
        return true;
    return CUDA_CALL(driver, diags, cuMemPoolCreate, &device->memory.pool, &props) &&
           CUDA_CALL(driver, diags, cuMemPoolSetAttribute, device->memory.pool,
                    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keeps);
}

bool cuda_memory_init(struct cuda_device *device, struct diags *diags)
{
    pthread_mutex_init(&device->memory.mutex, NULL);
    int mode = cuda_relax(device);
    bool good = CUDA_CALL(device->driver, diags, cuStreamCreate, &device->memory.stream, CU_STREAM_NON_BLOCKING) &&
                make_pool(device, diags);
    cuda_strict(device, mode);
    return good;
}

/* A graph that still owns a block frees the struct later; the graph must not be launched any more. */
static void finish_blocks(struct cuda_device *device, bool alive)
{
    pthread_mutex_lock(&graphs);
    for (struct cuda_block *block = device->memory.blocks, *next; block; block = next) {
        next = block->next;
        if (alive)
            release(device->driver, block);
        block->memory = NULL;
        if (!alive || block->state != BLOCK_GRAPH)
            free(block);
    }
    pthread_mutex_unlock(&graphs);
}

void cuda_memory_finish(struct cuda_device *device, bool alive)
{
    const struct cuda_driver *driver = device->driver;
    struct cuda_memory *memory = &device->memory;
    finish_blocks(device, alive);
    for (struct cuda_constant *constant = memory->constants, *next; constant; constant = next) {
        next = constant->next;
        if (alive)
            driver->cuMemFree(constant->address);
        free(constant);
    }
    for (int i = 0; alive && i < memory->idle_count; i++)
        driver->cuStreamDestroy(memory->idle[i]);
    if (memory->pool && cuda_driver_used()) /* the pool belongs to the GPU, so it outlives a lost context */
        driver->cuMemPoolDestroy(memory->pool);
    if (alive && memory->stream)
        driver->cuStreamDestroy(memory->stream);
    pthread_mutex_destroy(&memory->mutex);
}
