/* What one call gives to a GPU: bytes that are copied there and back, device memory for its kernels, and
 * launches, all in the order of one stream:
 *
 *     struct cuda_work work = {.call = call, .device = device, .launch = launch};
 *     work_add(&work, (struct cuda_buffer){.from = data, .bytes = bytes, .address = &there});
 *     work_run(&work, stream);
 *
 * When all addresses are known, launch(&work) is called; it calls work_upload, work_arguments and work_launch. Works on
 * host tensors use gpu_staged_impl.h instead of work_run.
 *
 * Invariant: nothing is allocated from an arena between work_begin and work_end, because a failure would
 * jump past work_end. Every other way out between them calls work_end. */
#ifndef WEFT_RUNTIME_RUN_GPU_WORK_IMPL_H
#define WEFT_RUNTIME_RUN_GPU_WORK_IMPL_H

#include "runtime/run/call.h"

enum { PIECE = 4 << 20, PIECES = 4 }; /* bytes of a copy; copies that may be in flight */

/* Device memory that the work borrows. */
struct cuda_buffer {
    const void *from;              /* what work_upload copies there; NULL: nothing */
    void *to;                      /* where it is copied in the end; NULL: nowhere */
    size_t bytes;
    const struct tensor *strided;  /* not NULL: the layout of `from` or `to`, which point to its first
                                    * element; dense on the GPU */
    bool direct;                   /* pinned by the caller, so the GPU copies it itself */
    size_t skip;                   /* bytes added to the address */
    size_t alignment;              /* in bytes, on the GPU; 0: 256 */
    uint64_t *address;             /* set by work_begin */
    size_t offset;                 /* in the memory; set by work_add */
};

/* The remarks of a kernel, which are copied back with the data. */
struct cuda_remarks {
    const struct kernel *kernel;
    unsigned char *bytes;          /* [fault_count] */
    uint64_t address;
};

/* A copy of results in flight. */
struct cuda_piece {
    struct cuda_lease lease;
    size_t room;                   /* bytes of the lease */
    size_t offset, bytes;          /* what it holds of the work's memory */
    int buffer;                    /* the first buffer in it */
};

/* Its maker sets call, device and launch. */
struct cuda_work {
    struct call *call;
    struct cuda_device *device;
    struct cuda_order order;
    struct cuda_buffer *buffers;
    int buffer_count;
    size_t bytes;                  /* of all buffers, with alignment */
    struct cuda_lease memory;
    struct cuda_remarks *remarks;
    int remark_count;
    bool (*launch)(struct cuda_work *work); /* uploads and launches everything; false with a diagnostic */
    struct {                       /* copies back to the host */
        struct cuda_piece pieces[PIECES]; /* a ring: `count` of them in flight, the oldest is `first` */
        int first, count, buffer;  /* the next buffer to copy, of which `done` bytes are copied already */
        size_t done;
    } fetch;
};

/* Adds a buffer: first those copied to the GPU, then those copied back, then all others. May jump if memory
 * runs out. */
void work_add(struct cuda_work *work, struct cuda_buffer buffer);
/* Puts the whole work on the stream without waiting for it. Errors go to the call's diagnostics. */
void work_run(struct cuda_work *work, void *stream);

/* Enters the device's context and borrows the memory. False with a diagnostic; then work_end must not be
 * called. */
bool work_begin(struct cuda_work *work, void *stream);
/* Copies all buffers to the GPU. Their data may change afterwards, except direct ones. False with a
 * diagnostic. */
bool work_upload(struct cuda_work *work);
/* work_expect notes that a kernel's remarks, if it has faults, are copied back with the data.
 * work_add_remarks adds the buffers for all of them, which are copied to the GPU as zeros. May jump if memory
 * runs out. */
void work_expect(struct cuda_work *work, const struct planned *planned);
void work_add_remarks(struct cuda_work *work);
/* Makes *first the first remark of the work, if it is further ahead in the text. */
void work_remark(const struct cuda_work *work, struct fault *first);
/* Starts copying buffers back, as many as may be in flight. False with a diagnostic. */
bool work_fetch(struct cuda_work *work);
/* Waits for these copies, delivers them, and starts the remaining ones. Memory pinned by the caller is
 * complete only after the stream has been synchronized. False with a diagnostic. */
bool work_collect(struct cuda_work *work);
/* Gives the memory back, in the order of the stream, and leaves the context. */
void work_end(struct cuda_work *work);
/* Reports a stream of another context, which the driver itself reports late and vaguely. Returns whether the stream is
 * at fault. */
bool work_blame_stream(const struct cuda_work *work);

/* ---- gpu_launch.c ---- */

/* Writes the arguments of a kernel, form_args_words of them. `cuda` are its sources; `launch` lacks faults and
 * literals, which are filled in. False with a diagnostic. */
bool work_arguments(struct cuda_work *work, const struct planned *planned, const struct cuda_planned *cuda,
                    struct launch_words *launch, uint64_t *args);
/* Launches a kernel, or the chain that it begins. `args`: the arguments of each. False with a diagnostic. */
bool work_launch(struct cuda_work *work, const struct planned *planned, int64_t tiles, void **args);

#endif
