/* What one call gives to a GPU: bytes that are copied there and back, room for what its kernels leave there,
 * and launches, all in the order of one stream:
 *
 *     work_open(&work, call, device, launch);
 *     work_add(&work, (struct cuda_part){.from = data, .bytes = bytes, .address = &there});
 *     work_run(&work, stream);
 *
 * where launch(&work), with all addresses known, calls work_upload and work_launch. Host tensors alone take
 * gpu_staged_impl.h instead of work_run.
 *
 * Invariant: nothing is allocated from an arena between work_begin and work_end, since that may jump, and
 * every way out between them goes through work_end. */
#ifndef WEFT_CUDA_WORK_H
#define WEFT_CUDA_WORK_H

#include "runtime/run/call.h"

enum { PIECE = 4 << 20, PIECES = 4 }; /* bytes copied at once; how many such copies may be on their way */

/* A part of the memory that the call borrows from the GPU. */
struct cuda_part {
    const void *from;              /* what is copied there; read by work_upload; NULL: nothing */
    void *to;                      /* where it is copied in the end; NULL: nowhere */
    size_t bytes;
    const struct tensor *strided;  /* not NULL: `from` or `to` is its first element, and its elements are
                                      dense on the GPU */
    bool direct;                   /* pinned by the caller: the GPU copies when the stream gets there */
    size_t skip;                   /* bytes, added to the address */
    size_t alignment;              /* bytes, on the GPU; 0: 256 */
    uint64_t *address;             /* set by work_begin */
    size_t offset;                 /* the work's */
};

/* The bytes of a kernel whose remarks are copied back. */
struct cuda_remarks {
    const struct kernel *kernel;
    unsigned char *bytes;          /* [fault_count] */
    uint64_t address;
};

/* Bytes on their way back. */
struct cuda_piece {
    struct cuda_lease lease;
    size_t room;                   /* of it */
    size_t offset, bytes;          /* in the memory */
    int part;                      /* the first of those that it holds */
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
    struct cuda_remarks *remarks;
    int remark_count;
    bool (*launch)(struct cuda_work *work); /* uploads and launches all; false with a diagnostic */
    struct {                       /* the way back */
        struct cuda_piece pieces[PIECES]; /* `count` of them from number `first` on, in turn */
        int first, count, part;    /* the part and how much of it, that come next */
        size_t done;
    } fetch;
};

void work_open(struct cuda_work *work, struct call *call, struct cuda_device *device,
               bool (*launch)(struct cuda_work *work));
/* Adds a part; first those that are copied to the GPU, then those that are copied back, then others. May
 * jump. */
void work_add(struct cuda_work *work, struct cuda_part part);
/* Puts all of it on the stream; what failed is told. */
void work_run(struct cuda_work *work, void *stream);

/* Enters the device's context and borrows the memory. False with a diagnostic: then the work is over. */
bool work_begin(struct cuda_work *work, void *stream);
/* Copies all parts; false with a diagnostic. Their data may change when it returns, but for direct ones. */
bool work_upload(struct cuda_work *work);
/* Adds parts for the remarks of kernels, which are copied there as zeros and back: of this one, if it makes
 * any; of all of them. May jump. */
void work_expect(struct cuda_work *work, const struct planned *planned);
void work_add_remarks(struct cuda_work *work);
/* Where a kernel makes its remarks, once the work has begun: there, else for the stream. *faults is 0 where it
 * makes none; false with a diagnostic. */
bool work_faults(struct cuda_work *work, const struct planned *planned, const struct cuda_planned *cuda,
                 uint64_t *faults);
/* Moves *place to the first such remark in the text, if it is before. */
void work_remark(const struct cuda_work *work, struct span *place);
/* `words` are the kernel's arguments. */
bool work_launch(struct cuda_work *work, const struct planned *planned, uint64_t *words, int64_t tiles);
/* Sends off copies of the parts that go back, as many as may be on their way at a time. False with a
 * diagnostic. */
bool work_fetch(struct cuda_work *work);
/* Waits for them, and for those that come after them. What is pinned by the caller is there only after the
 * stream was synchronized. */
bool work_collect(struct cuda_work *work);
/* Gives the memory back behind all that was launched, and leaves the context. */
void work_end(struct cuda_work *work);

#endif
