/* Works on a stream: memory, uploads and remarks; see gpu_work_impl.h. Parts are copied through
 * pieces of pinned memory. The caller may change its pageable memory once the call returns, and the driver's
 * own copy from it may wait for the stream. There are only a few pieces, so a call with more data than they
 * hold waits until the GPU has read the oldest one. */
#include "runtime/run/gpu_work_impl.h"

#include <string.h>

enum { ALIGNMENT = 256 };          /* bytes, as for the driver's own allocations */

void work_add(struct cuda_work *work, struct cuda_buffer buffer)
{
    size_t alignment = buffer.alignment ? buffer.alignment : ALIGNMENT;
    buffer.offset = (work->bytes + alignment - 1) / alignment * alignment;
    if (__builtin_add_overflow(buffer.offset, buffer.bytes, &work->bytes) || work->bytes > SIZE_MAX - ALIGNMENT)
        arena_fail(&work->call->arena);
    ARENA_PUSH(&work->call->arena, work->buffers, work->buffer_count, buffer);
}

/* Borrows the memory for all buffers and sets their addresses. */
static bool borrow(struct cuda_work *work)
{
    if (!cuda_borrow(work->device, &work->order, CUDA_ON_GPU, work->bytes, &work->memory, &work->call->diags))
        return false;
    for (int i = 0; i < work->buffer_count; i++) {
        const struct cuda_buffer *buffer = &work->buffers[i];
        *buffer->address = work->memory.address + buffer->offset + buffer->skip;
    }
    return true;
}

bool work_blame_stream(const struct cuda_work *work)
{
    struct CUctx_st *context = NULL;
    if ((uintptr_t)work->order.stream <= CUDA_STREAM_PER_THREAD ||
        work->device->driver->cuStreamGetCtx(work->order.stream, &context) != CUDA_SUCCESS ||
        context == work->device->context)
        return false;
    diag_at(&work->call->diags, DIAG_WRONG_STREAM, NULL, 0, work->device->ordinal);
    return true;
}

bool work_begin(struct cuda_work *work, void *stream)
{
    work->order.stream = stream;
    if (!cuda_enter(work->device, &work->call->diags))
        return false;
    bool good = work->device->driver->devices == 1 || !work_blame_stream(work);
    if (good && work->bytes) {
        work->order = cuda_order(work->device, stream);
        good = borrow(work);
    }
    if (!good)
        cuda_leave(work->device);
    return good;
}

void work_end(struct cuda_work *work)
{
    for (int i = 0; i < PIECES && work->bytes; i++)
        cuda_give_back(work->device, &work->order, &work->fetch.pieces[i].lease);
    cuda_give_back(work->device, &work->order, &work->memory);
    cuda_leave(work->device);
}

void work_run(struct cuda_work *work, void *stream)
{
    if (!work_begin(work, stream))
        return;
    work->launch(work);
    work_end(work);
}

/* ---- uploads ---- */

struct upload {
    struct cuda_work *work;
    size_t end;                    /* of the bytes that are copied, in the work's memory */
    struct cuda_lease pieces[PIECES]; /* used in turn */
    int turn;
    size_t from, used;             /* the current piece: its offset in the work's memory, and the bytes in it */
};

static bool copy(const struct upload *upload, size_t to, const void *from, size_t bytes)
{
    const struct cuda_work *work = upload->work;
    return CUDA_CALL(work->device->driver, &work->call->diags, cuMemcpyHtoDAsync, work->memory.address + to, from,
                     bytes, work->order.stream);
}

/* Starts copying the current piece. */
static bool flush(struct upload *upload)
{
    struct cuda_work *work = upload->work;
    struct cuda_lease *piece = &upload->pieces[upload->turn];
    if (!upload->used)
        return true;
    bool good = copy(upload, upload->from, piece->host, upload->used);
    upload->used = 0;
    upload->turn = (upload->turn + 1) % PIECES;
    return good && (piece->owned || cuda_mark(work->device, &work->order, piece, &work->call->diags));
}

/* Begins a piece at this offset, after its last copy has completed. Pieces of a graph are not reused. */
static bool next_piece(struct upload *upload, size_t offset)
{
    struct cuda_work *work = upload->work;
    struct cuda_lease *piece = &upload->pieces[upload->turn];
    size_t left = upload->end - offset, bytes = left < PIECE ? left : PIECE;
    upload->from = offset;
    return piece->host && !piece->owned
               ? cuda_await(work->device, piece, &work->call->diags)
               : cuda_borrow(work->device, &work->order, CUDA_PINNED, bytes, piece, &work->call->diags);
}

static void fill(const struct cuda_buffer *buffer, size_t done, size_t bytes, char *to)
{
    if (buffer->strided)
        pack(buffer->strided, buffer->from, done, bytes, to);
    else
        memcpy(to, (const char *)buffer->from + done, bytes);
}

static bool upload_buffer(struct upload *upload, const struct cuda_buffer *buffer)
{
    for (size_t done = 0; done < buffer->bytes;) {
        size_t at = buffer->offset + done;
        if ((upload->used && at - upload->from >= PIECE && !flush(upload)) ||
            (!upload->used && !next_piece(upload, at)))
            return false;
        size_t filled = at - upload->from, bytes = buffer->bytes - done;
        bytes = bytes < PIECE - filled ? bytes : PIECE - filled;
        fill(buffer, done, bytes, upload->pieces[upload->turn].host + filled);
        done += bytes;
        upload->used = filled + bytes;
    }
    return true;
}

static bool upload_parts(struct upload *upload)
{
    const struct cuda_work *work = upload->work;
    bool good = true;
    for (int i = 0; i < work->buffer_count; i++)
        if (work->buffers[i].from)
            upload->end = work->buffers[i].offset + work->buffers[i].bytes;
    for (int i = 0; good && i < work->buffer_count; i++) {
        const struct cuda_buffer *buffer = &work->buffers[i];
        if (buffer->from && buffer->direct)
            good = flush(upload) && copy(upload, buffer->offset, buffer->from, buffer->bytes);
        else if (buffer->from)
            good = upload_buffer(upload, buffer);
    }
    return good && flush(upload);
}

bool work_upload(struct cuda_work *work)
{
    if (!work->buffer_count)
        return true;
    struct upload upload = {.work = work};
    bool good = upload_parts(&upload);
    for (int i = 0; i < PIECES; i++)
        cuda_give_back(work->device, &work->order, &upload.pieces[i]);
    return good;
}

/* ---- remarks ---- */

void work_expect(struct cuda_work *work, const struct planned *planned)
{
    struct arena *arena = &work->call->arena;
    size_t count = (size_t)planned->kernel->fault_count;
    for (int i = 0; i < work->remark_count; i++)
        if (work->remarks[i].kernel == planned->kernel)
            return;
    if (!count)
        return;
    const struct cuda_remarks remarks = {planned->kernel, ARENA_ARRAY(arena, unsigned char, count), 0};
    ARENA_PUSH(arena, work->remarks, work->remark_count, remarks);
}

void work_add_remarks(struct cuda_work *work)
{
    for (int i = 0; i < work->remark_count; i++) {
        struct cuda_remarks *remarks = &work->remarks[i];
        work_add(work, (struct cuda_buffer){.from = remarks->bytes, .to = remarks->bytes,
                                          .bytes = (size_t)remarks->kernel->fault_count,
                                          .address = &remarks->address});
    }
}

void work_remark(const struct cuda_work *work, struct fault *first)
{
    for (int i = 0; i < work->remark_count; i++) {
        const struct kernel *kernel = work->remarks[i].kernel;
        for (int f = 0; f < kernel->fault_count; f++)
            if (work->remarks[i].bytes[f])
                fault_first(first, &kernel->faults[f]);
    }
}
