/* Memory that work on a GPU needs besides the caller's tensors, lent in the order of a stream: memory of
 * the GPU for temporaries, tables and what is copied there, and pinned host memory that it is copied
 * from. Nothing here waits for the GPU; what is lent is free again when the stream has passed the place
 * where it was given back. While the stream is captured the graph owns it, until the graph and all that
 * was made from it are gone.
 *
 * Invariant: a block is lent to one borrower, or waits for its event, or belongs to a graph, or is
 * free. */
#ifndef WEFT_CUDA_MEMORY_H
#define WEFT_CUDA_MEMORY_H

#include "runtime/cuda_driver.h"

#include <pthread.h>

struct cuda_device;
struct cuda_block;
struct cuda_constant;

/* A member of struct cuda_device. */
struct cuda_memory {
    pthread_mutex_t mutex;         /* guards what follows */
    struct CUmemPoolHandle_st *pool; /* of the GPU's memory; NULL: its driver has none */
    struct CUstream_st *stream;    /* our own, which waits for no other; made when first wanted */
    struct cuda_block *blocks;     /* all of them */
    size_t idle_limit;             /* bytes of blocks that may lie idle */
    struct cuda_constant *constants;
};

/* The device's context is current, here and below, and its `context` and `driver` are set. False with a
 * diagnostic. */
bool cuda_memory_init(struct cuda_device *device, struct diags *diags);
/* Nothing runs on the device any more. */
void cuda_memory_finish(struct cuda_device *device);

/* What a call borrowed of one kind. */
struct cuda_lease {
    uint64_t address;              /* on the GPU, 256-byte aligned; 0: nothing */
    char *host;                    /* pinned, page-aligned; NULL: nothing */
    struct cuda_block *block;      /* NULL: from the pool, or nothing */
    bool owned;                    /* by a graph: giving it back does nothing */
};

/* False with a diagnostic that names the bytes. `bytes` 0: nothing is lent. */
bool cuda_borrow_device(struct cuda_device *device, struct CUstream_st *stream, size_t bytes,
                        struct cuda_lease *lease, struct diags *diags);
bool cuda_borrow_pinned(struct cuda_device *device, struct CUstream_st *stream, size_t bytes,
                        struct cuda_lease *lease, struct diags *diags);
/* Gives it back behind what the stream has got so far. */
void cuda_give_back(struct cuda_device *device, struct CUstream_st *stream, struct cuda_lease *lease);

/* Where a copy of these bytes lies on the GPU, for as long as the device is used: there is one for all
 * who want the same bytes. 0 with a diagnostic. */
uint64_t cuda_constant(struct cuda_device *device, const void *data, size_t bytes, struct diags *diags);

/* Whether the stream is being captured; *graph is what it is captured into, NULL where the driver does not
 * say. */
bool cuda_capturing(const struct cuda_device *device, struct CUstream_st *stream, struct CUgraph_st **graph);

/* Until cuda_strict this thread may do what a capture in progress, on whichever stream, would forbid:
 * allocate and ask events. Returns what cuda_strict wants back. */
int cuda_relax(const struct cuda_device *device);
void cuda_strict(const struct cuda_device *device, int mode);

#endif
