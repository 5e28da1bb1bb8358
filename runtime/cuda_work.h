/* What one call gives to a GPU: bytes that are copied there, room for what its kernels leave there, and
 * launches, all in the order of one stream:
 *
 *     work_open(&work, call, device, stream);
 *     work_add(&work, (struct cuda_part){.data = data, .bytes = bytes, .address = &there});
 *     if (work_begin(&work)) {            from here on addresses are known
 *         work_upload(&work) && work_launch(&work, planned, words, tiles);
 *         work_end(&work);
 *     }
 *
 * Invariant: nothing is allocated from an arena between work_begin and work_end, since that may jump, and
 * every way out between them goes through work_end. */
#ifndef WEFT_CUDA_WORK_H
#define WEFT_CUDA_WORK_H

#include "runtime/call.h"
#include "runtime/cuda_plan.h"

/* A part of the memory that the call borrows from the GPU. */
struct cuda_part {
    const void *data;              /* what is copied there; read by work_upload; NULL: just room */
    size_t bytes;
    const struct tensor *strided;  /* not NULL: `data` is its first element, and its elements are packed */
    bool direct;                   /* pinned by the caller: the GPU reads it when the stream gets there */
    size_t skip;                   /* bytes, added to the address */
    size_t alignment;              /* bytes, on the GPU; 0: 256 */
    uint64_t *address;             /* set by work_begin */
    size_t offset;                 /* the work's */
};

struct cuda_work {
    struct call *call;
    struct diags *diags;
    struct cuda_device *device;
    struct cuda_order order;
    struct cuda_part *parts;
    int part_count;
    size_t bytes;                  /* of all parts */
    struct cuda_lease memory;
};

void work_open(struct cuda_work *work, struct call *call, struct cuda_device *device, void *stream);
/* Adds a part; rooms come last. May jump. */
void work_add(struct cuda_work *work, struct cuda_part part);
/* Enters the device's context and borrows the memory. False with a diagnostic: then the work is over. */
bool work_begin(struct cuda_work *work);
/* Copies all parts; false with a diagnostic. Their data may change when it returns, but for direct ones. */
bool work_upload(struct cuda_work *work);
/* `words` are the kernel's arguments. */
bool work_launch(struct cuda_work *work, const struct planned *planned, uint64_t *words, int64_t tiles);
/* Gives the memory back behind all that was launched, and leaves the context. */
void work_end(struct cuda_work *work);

#endif
