/* Copies results from the GPU to the caller's host memory through pinned memory, as gpu_work.c does in the
 * other direction; see gpu_work_impl.h. Only the tensors' own elements are written. */
#include "runtime/run/gpu_work_impl.h"

#include <string.h>
static bool goes_back(const struct cuda_buffer *buffer, bool direct)
{
    return buffer->to && buffer->bytes && buffer->direct == direct;
}

/* Finds the next bytes that fit into a piece; consecutive buffers share one. False: nothing is left. */
static bool next_bytes(struct cuda_work *work, struct cuda_piece *piece)
{
    const struct cuda_buffer *buffers = work->buffers;
    int *at = &work->fetch.buffer;
    for (; *at < work->buffer_count && !goes_back(&buffers[*at], false); ++*at)
        ;
    if (*at == work->buffer_count)
        return false;
    piece->buffer = *at;
    piece->offset = buffers[*at].offset + work->fetch.done;
    size_t end = piece->offset, limit = piece->offset + PIECE;
    for (; *at < work->buffer_count && goes_back(&buffers[*at], false) && buffers[*at].offset < limit; ++*at) {
        end = buffers[*at].offset + buffers[*at].bytes;
        work->fetch.done = 0;
        if (end <= limit)
            continue;
        work->fetch.done = limit - buffers[*at].offset;
        end = limit;
        break;
    }
    piece->bytes = end - piece->offset;
    return true;
}

static bool copy(struct cuda_work *work, void *to, size_t offset, size_t bytes)
{
    return CUDA_CALL(work->device->driver, &work->call->diags, cuMemcpyDtoHAsync, to, work->memory.address + offset,
                     bytes, work->order.stream);
}

/* Borrows pinned memory for a piece whose last copy has been delivered. */
static bool find_room(struct cuda_work *work, struct cuda_piece *piece)
{
    if (piece->room >= piece->bytes)
        return true;
    cuda_give_back(work->device, &work->order, &piece->lease);
    piece->room = piece->bytes;
    return cuda_borrow(work->device, &work->order, CUDA_PINNED, piece->bytes, &piece->lease, &work->call->diags);
}

/* Starts copying one piece, if any is left. False with a diagnostic. */
static bool send_piece(struct cuda_work *work)
{
    struct cuda_piece *piece = &work->fetch.pieces[(work->fetch.first + work->fetch.count) % PIECES];
    if (!next_bytes(work, piece))
        return true;
    if (!find_room(work, piece))
        return false;
    work->fetch.count++;
    return copy(work, piece->lease.host, piece->offset, piece->bytes) &&
           cuda_mark(work->device, &work->order, &piece->lease, &work->call->diags);
}

bool work_fetch(struct cuda_work *work)
{
    bool good = true;
    for (int i = 0; good && i < work->buffer_count; i++)
        if (goes_back(&work->buffers[i], true))
            good = copy(work, work->buffers[i].to, work->buffers[i].offset, work->buffers[i].bytes);
    for (int i = 0; good && i < PIECES; i++)
        good = send_piece(work);
    return good;
}

static void deliver(const struct cuda_work *work, const struct cuda_piece *piece)
{
    size_t end = piece->offset + piece->bytes;
    for (int i = piece->buffer; i < work->buffer_count && work->buffers[i].offset < end; i++) {
        const struct cuda_buffer *buffer = &work->buffers[i];
        size_t low = buffer->offset > piece->offset ? buffer->offset : piece->offset;
        size_t high = buffer->offset + buffer->bytes < end ? buffer->offset + buffer->bytes : end;
        const char *from = piece->lease.host + (low - piece->offset);
        if (!goes_back(buffer, false))
            continue;
        if (buffer->strided)
            unpack(buffer->strided, buffer->to, low - buffer->offset, high - low, from);
        else
            memcpy((char *)buffer->to + (low - buffer->offset), from, high - low);
    }
}

bool work_collect(struct cuda_work *work)
{
    while (work->fetch.count) {
        struct cuda_piece *piece = &work->fetch.pieces[work->fetch.first];
        if (!cuda_await(work->device, &piece->lease, &work->call->diags))
            return false;
        deliver(work, piece);
        work->fetch.first = (work->fetch.first + 1) % PIECES;
        work->fetch.count--;
        if (!send_piece(work))
            return false;
    }
    return true;
}
