/* Copies and fills of the fake driver. Memory of the host that is not pinned is read inside the
 * call, and written before it returns; pinned memory when the stream gets there. */
#include "mock.h"

#include <stdlib.h>
#include <string.h>

/* Memory of the driver is looked at; other memory of the host is the caller's word. */
static void check(const char *what, const struct mock_item *item, const void *address)
{
    if (mock_memory_at(address))
        mock_check_range(what, address, item->size, item->context->device);
}

static void run_copy(struct mock_item *item)
{
    const void *from = item->staged ? item->staged : item->from;
    if (!item->staged)
        check("the source of a copy", item, item->from);
    check("the target of a copy", item, item->to);
    memmove(item->to, from, item->size);
}

static void run_peer_copy(struct mock_item *item)
{
    mock_check_range("the source of a copy", item->from, item->size,
                     mock_memory_at(item->from)->device);
    mock_check_range("the target of a copy", item->to, item->size,
                     mock_memory_at(item->to)->device);
    memmove(item->to, item->from, item->size);
}

static void run_fill(struct mock_item *item)
{
    mock_check_range("the target of a fill", item->to, item->size, item->context->device);
    for (size_t i = 0; i < item->size; i += item->width)
        memcpy((char *)item->to + i, &item->value, item->width);
}

static struct mock_item *new_copy(void *to, const void *from, size_t size)
{
    struct mock_item *item = mock_new_item(run_copy);
    item->to = to;
    item->from = from;
    item->size = size;
    return item;
}

enum side { HOST, DEVICE };

static void check_side(const char *what, const void *address, enum side side)
{
    const struct mock_memory *memory = mock_memory_at(address);
    if (side == DEVICE && !memory)
        mock_wrong("the %s %p is no memory of a device", what, address);
    if (side == HOST && memory && memory->place == ON_DEVICE)
        mock_wrong("the %s %p is memory of a device", what, address);
}

static int copy(void *to, enum side to_side, const void *from, enum side from_side, size_t size,
                struct CUstream_st *handle, bool wait)
{
    struct CUstream_st *stream = mock_stream(handle);
    bool pageable_from = from_side == HOST && !mock_is_pinned(from, size);
    bool pageable_to = to_side == HOST && !mock_is_pinned(to, size);
    if (!size)
        return SUCCESS;
    check_side("target", to, to_side);
    check_side("source", from, from_side);
    if (wait || pageable_to || pageable_from) {
        int forbidden = stream->capture ? mock_capture_forbids(stream)
                        : wait          ? mock_forbidden_by_capture()
                                        : 0;
        if (forbidden)
            return forbidden;
    }
    struct mock_item *item = new_copy(to, from, size);
    if (pageable_from) {
        item->staged = malloc(size);
        memcpy(item->staged, from, size);
    }
    int result = mock_enqueue(stream, item);
    if (!result && (wait || pageable_to))
        mock_complete(stream->last);
    return result;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t size, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(copy((void *)to, DEVICE, from, HOST, size, stream, false));
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t size, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(copy(to, HOST, (void *)from, DEVICE, size, stream, false));
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t size, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(copy((void *)to, DEVICE, (void *)from, DEVICE, size, stream, false));
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
    ENTER();
    return mock_leave(copy((void *)to, DEVICE, from, HOST, size, NULL, true));
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    ENTER();
    return mock_leave(copy(to, HOST, (void *)from, DEVICE, size, NULL, true));
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t size)
{
    ENTER();
    return mock_leave(copy((void *)to, DEVICE, (void *)from, DEVICE, size, NULL, false));
}

/* By the address alone. */
static enum side side_of(uint64_t address)
{
    const struct mock_memory *memory = mock_memory_at((void *)address);
    return memory && (memory->place == ON_DEVICE || memory->place == MANAGED) ? DEVICE : HOST;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(
        copy((void *)to, side_of(to), (void *)from, side_of(from), size, stream, false));
}

int cuMemcpy(uint64_t to, uint64_t from, size_t size)
{
    ENTER();
    return mock_leave(copy((void *)to, side_of(to), (void *)from, side_of(from), size, NULL, true));
}

int cuMemcpyPeerAsync(uint64_t to, struct CUctx_st *to_context, uint64_t from,
                      struct CUctx_st *from_context, size_t size, struct CUstream_st *stream)
{
    ENTER();
    mock_valid(to_context, CONTEXT);
    mock_valid(from_context, CONTEXT);
    check_side("target", (void *)to, DEVICE);
    check_side("source", (void *)from, DEVICE);
    struct mock_item *item = new_copy((void *)to, (void *)from, size);
    item->run = run_peer_copy;
    return mock_leave(mock_enqueue(mock_stream(stream), item));
}

/* ---- fills ---- */

static int fill(uint64_t to, unsigned value, unsigned width, size_t count,
                struct CUstream_st *handle)
{
    struct CUstream_st *stream = mock_stream(handle);
    if (to % width)
        return INVALID_VALUE;
    if (!count)
        return SUCCESS;
    check_side("target", (void *)to, DEVICE);
    struct mock_item *item = mock_new_item(run_fill);
    item->to = (void *)to;
    item->size = count * width;
    item->value = value;
    item->width = width;
    return mock_enqueue(stream, item);
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(fill(to, value, 1, count, stream));
}

int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, struct CUstream_st *stream)
{
    ENTER();
    return mock_leave(fill(to, value, 4, count, stream));
}

int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t count)
{
    ENTER();
    return mock_leave(fill(to, value, 1, count, NULL));
}
