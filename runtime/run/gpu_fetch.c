/* Copies results from the GPU to the caller's host memory through pinned memory, as gpu_work.c does in the
 * other direction; see gpu_work_impl.h. Only the tensors' own elements are written. */
#include "runtime/run/gpu_work_impl.h"

#include <string.h>
static bool goes_back(const struct cuda_part *part, bool direct)
{
    return part->to && part->bytes && part->direct == direct;
}

/* Finds the next bytes that fit into a piece; consecutive parts share one. False: nothing is left. */
static bool next_bytes(struct cuda_work *work, struct cuda_piece *piece)
{
    const struct cuda_part *parts = work->parts;
    int *at = &work->fetch.part;
    for (; *at < work->part_count && !goes_back(&parts[*at], false); ++*at)
        ;
    if (*at == work->part_count)
        return false;
    piece->part = *at;
    piece->offset = parts[*at].offset + work->fetch.done;
    size_t end = piece->offset, limit = piece->offset + PIECE;
    for (; *at < work->part_count && goes_back(&parts[*at], false) && parts[*at].offset < limit; ++*at) {
        end = parts[*at].offset + parts[*at].bytes;
        work->fetch.done = 0;
        if (end <= limit)
            continue;
        work->fetch.done = limit - parts[*at].offset;
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
    for (int i = 0; good && i < work->part_count; i++)
        if (goes_back(&work->parts[i], true))
            good = copy(work, work->parts[i].to, work->parts[i].offset, work->parts[i].bytes);
    for (int i = 0; good && i < PIECES; i++)
        good = send_piece(work);
    return good;
}

static void deliver(const struct cuda_work *work, const struct cuda_piece *piece)
{
    size_t end = piece->offset + piece->bytes;
    for (int i = piece->part; i < work->part_count && work->parts[i].offset < end; i++) {
        const struct cuda_part *part = &work->parts[i];
        size_t low = part->offset > piece->offset ? part->offset : piece->offset;
        size_t high = part->offset + part->bytes < end ? part->offset + part->bytes : end;
        const char *from = piece->lease.host + (low - piece->offset);
        if (!goes_back(part, false))
            continue;
        if (part->strided)
            unpack(part->strided, part->to, low - part->offset, high - low, from);
        else
            memcpy((char *)part->to + (low - part->offset), from, high - low);
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
