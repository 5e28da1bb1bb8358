/* Memory that work on a GPU needs besides the caller's tensors, lent in the order of a stream: memory of
 * the GPU for temporaries, tables and what is copied there, and pinned host memory that it is copied
 * from. Lending waits for no GPU; what is lent is free again when the stream has passed the place where it
 * was given back. While the stream is captured it is the graph's, until the graph and all that was made
 * from it are gone.
 *
 * Invariant: a block is lent to one borrower, or waits for its event, or belongs to a graph, or is
 * free. */
#ifndef WEFT_CUDA_MEMORY_H
#define WEFT_CUDA_MEMORY_H

#include "runtime/gpu/driver.h"

#include <pthread.h>

struct cuda_device;
struct cuda_block;
struct cuda_stream;
struct cuda_constant;

/* A member of struct cuda_device. */
struct cuda_memory {
    pthread_mutex_t mutex;         /* guards what follows but for the pool and the stream */
    struct CUmemPoolHandle_st *pool; /* of the GPU's memory; NULL: its driver has none */
    struct CUstream_st *stream;    /* our own, which waits for no other, for uploads that are waited for */
    struct cuda_stream *streams;   /* our own others, that nobody has taken */
    struct cuda_block *blocks;     /* all of them */
    struct cuda_constant *constants;
    size_t constant_bytes;
    unsigned char *bytes;          /* pinned, of which */
    size_t bytes_left;             /* so many are nobody's yet */
};

/* The device's `driver` and `context` are set, and the context is current. False with a diagnostic; to be
 * finished all the same. */
bool cuda_memory_init(struct cuda_device *device, struct diags *diags);
/* Nothing runs on the device any more. `alive`: the driver still works, and the context is current. */
void cuda_memory_finish(struct cuda_device *device, bool alive);

/* A stream to work on. */
struct cuda_order {
    struct CUstream_st *stream;
    bool captured;                 /* what it is given goes into a graph */
    struct CUgraph_st *graph;      /* NULL also where the driver does not say */
};

struct cuda_order cuda_order(const struct cuda_device *device, struct CUstream_st *stream);

/* What was borrowed. */
struct cuda_lease {
    uint64_t address;              /* on the GPU, aligned to 256 bytes; 0: nothing */
    char *host;                    /* pinned, aligned to a page; NULL: nothing */
    struct cuda_block *block;      /* NULL: from the pool, or nothing */
    bool owned;                    /* by a graph: giving it back does nothing */
};

enum cuda_kind { CUDA_ON_GPU, CUDA_PINNED };

/* All zero for no bytes. False with a diagnostic that names the bytes. The context is current, here and
 * below. */
bool cuda_borrow(struct cuda_device *device, const struct cuda_order *order, enum cuda_kind kind, size_t bytes,
                 struct cuda_lease *lease, struct diags *diags);
/* Gives it back behind what the stream has got so far; takes what holds nothing. */
void cuda_give_back(struct cuda_device *device, const struct cuda_order *order, struct cuda_lease *lease);
/* For pinned memory that is not a graph's: what the stream has got so far is waited for by cuda_await. False
 * with a diagnostic. */
bool cuda_mark(const struct cuda_device *device, const struct cuda_order *order,
               const struct cuda_lease *lease, struct diags *diags);
bool cuda_await(const struct cuda_device *device, const struct cuda_lease *lease, struct diags *diags);

/* Where a copy of these bytes lies on the GPU, for as long as the weft_context lives: one for all who want
 * the same bytes. 0 where there are too many of them, or with a diagnostic. */
uint64_t cuda_constant(struct cuda_device *device, const void *data, size_t bytes, struct diags *diags);

/* Pinned bytes, all 0, for as long as the device is used. NULL with a diagnostic. */
unsigned char *cuda_pinned_bytes(struct cuda_device *device, size_t count, struct diags *diags);
/* Makes sure that the next such call for so many bytes allocates nothing. False with a diagnostic. */
bool cuda_pinned_reserve(struct cuda_device *device, size_t count, struct diags *diags);

/* A stream that waits for no other and on which there is nothing; NULL with a diagnostic. It is left when all
 * on it is done. */
struct CUstream_st *cuda_take_stream(struct cuda_device *device, struct diags *diags);
void cuda_leave_stream(struct cuda_device *device, struct CUstream_st *stream);
/* Waits for a stream of our own: a CUresult. */
int cuda_wait(const struct cuda_device *device, struct CUstream_st *stream);

/* Until cuda_strict this thread may do what a capture in progress, on whichever stream, would forbid:
 * allocate, and ask for events. Returns what cuda_strict takes. */
int cuda_relax(const struct cuda_device *device);
void cuda_strict(const struct cuda_device *device, int mode);

#endif
