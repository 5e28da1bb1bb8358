/* Memory for work on a GPU besides the caller's tensors: device memory for temporaries, tables and staging,
 * and pinned host memory for copies. It is borrowed and given back in the order of a stream. Borrowing
 * waits for no GPU. What was given back is free once the stream has passed that point. While the stream is
 * captured, what is borrowed belongs to the graph until the graph and all its instances are gone.
 *
 * Invariant: a block is lent to one borrower, waits for its event, belongs to a graph, is kept for good, or
 * is free. All functions may be called from any thread. */
#ifndef WEFT_RUNTIME_GPU_MEMORY_H
#define WEFT_RUNTIME_GPU_MEMORY_H

#include "runtime/gpu/driver.h"

#include <pthread.h>

struct cuda_device;

enum { CUDA_IDLE_STREAMS = 64 };   /* kept at most */

/* A member of struct cuda_device. */
struct cuda_memory {
    pthread_mutex_t mutex;         /* guards everything below except `pool` and `stream` */
    struct CUmemPoolHandle_st *pool; /* device memory; NULL: the driver has no pools */
    struct CUstream_st *stream;    /* our own non-blocking stream, for uploads of constants */
    struct CUstream_st *idle[CUDA_IDLE_STREAMS]; /* our own idle streams, */
    int idle_count;                /* of which there are so many */
    struct cuda_block *blocks;     /* all blocks, lent or not */
    struct cuda_constant *constants;
    size_t constant_bytes;
    unsigned char *bytes;          /* pinned memory for cuda_pinned_bytes, */
    size_t bytes_left;             /* of which so many bytes are left */
};

/* `driver` and `context` of the device are set, and the context is current. False with a diagnostic;
 * cuda_memory_finish must be called all the same. */
bool cuda_memory_init(struct cuda_device *device, struct diags *diags);
/* Frees everything. Nothing may run on the device any more. `alive`: the driver still works, and the
 * context is current. */
void cuda_memory_finish(struct cuda_device *device, bool alive);

/* A stream, and whether it is being captured. */
struct cuda_order {
    struct CUstream_st *stream;
    bool captured;                 /* its work goes into a graph */
    struct CUgraph_st *graph;      /* NULL: not captured, or the driver does not say */
};

/* Asks the driver whether the stream is being captured. */
struct cuda_order cuda_order(const struct cuda_device *device, struct CUstream_st *stream);

/* Borrowed memory of one kind. */
struct cuda_lease {
    uint64_t address;              /* device memory, aligned to 256 bytes; 0: none */
    char *host;                    /* pinned memory, aligned to a page; NULL: none */
    struct cuda_block *block;      /* NULL: from the pool, or nothing was borrowed */
    bool owned;                    /* by a graph: giving it back has no effect */
};

enum cuda_kind { CUDA_ON_GPU, CUDA_PINNED };

/* Borrows `bytes` bytes; 0 bytes give a lease of zeros. False with a diagnostic that says how many bytes
 * were wanted. Here and below the device's context must be current. */
bool cuda_borrow(struct cuda_device *device, const struct cuda_order *order, enum cuda_kind kind, size_t bytes,
                 struct cuda_lease *lease, struct diags *diags);
/* Gives it back behind everything that is in the stream so far. Takes an empty lease. */
void cuda_give_back(struct cuda_device *device, const struct cuda_order *order, struct cuda_lease *lease);
/* For pinned memory that belongs to no graph: cuda_mark marks the current end of the stream, and cuda_await
 * waits for that point. False with a diagnostic. */
bool cuda_mark(const struct cuda_device *device, const struct cuda_order *order,
               const struct cuda_lease *lease, struct diags *diags);
bool cuda_await(const struct cuda_device *device, const struct cuda_lease *lease, struct diags *diags);

/* The address of a copy of these bytes on the GPU, which lives as long as the weft_context. Equal bytes
 * share one copy. 0 without a diagnostic if all constants together would be too large, or with one if the
 * upload failed. */
uint64_t cuda_constant(struct cuda_device *device, const void *data, size_t bytes, struct diags *diags);

/* Pinned bytes, initially 0, which live as long as the device. NULL with a diagnostic. */
unsigned char *cuda_pinned_bytes(struct cuda_device *device, size_t count, struct diags *diags);
/* Ensures that the next cuda_pinned_bytes for so many bytes allocates nothing. False with a diagnostic. */
bool cuda_pinned_reserve(struct cuda_device *device, size_t count, struct diags *diags);

/* An idle stream of our own that does not synchronize with the legacy stream; NULL with a diagnostic.
 * Return it with cuda_leave_stream when all its work is done. */
struct CUstream_st *cuda_take_stream(struct cuda_device *device, struct diags *diags);
void cuda_leave_stream(struct cuda_device *device, struct CUstream_st *stream);
/* Waits for a stream of our own. Returns a CUresult. */
int cuda_wait(const struct cuda_device *device, struct CUstream_st *stream);

/* Puts this thread into the relaxed capture mode, in which it may allocate and query events although some
 * stream is being captured. cuda_strict ends it and takes the value that cuda_relax returns. */
int cuda_relax(const struct cuda_device *device);
void cuda_strict(const struct cuda_device *device, int mode);

#endif
