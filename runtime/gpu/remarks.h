/* Remarks of kernels on GPUs, which the host sees only after the caller has synchronized: each kernel of a
 * program's text has, for each stream that it ran on, a byte of pinned memory for each of its divisions,
 * and sets it to 1. Places and bytes are the weft_context's, so kernels in flight and graphs may outlive
 * their program.
 *
 * Invariant: bytes that a kernel was once given stay its own until the device goes. */
#ifndef WEFT_REMARKS_H
#define WEFT_REMARKS_H

#include "compiler/ir/ir.h"
#include "runtime/gpu/device.h"

struct remark_site;
struct remark_text;

/* A member of weft_context. */
struct remarks {
    pthread_mutex_t mutex;
    struct remark_text *texts;
};

/* The site of a kernel that has faults: one for all kernels with the same text and places. NULL with a
 * diagnostic. */
struct remark_site *remarks_site(struct remarks *remarks, const struct source *source,
                                 const struct kernel *kernel, struct diags *diags);
/* Where the kernel writes on this stream; the device's context is current. 0 with a diagnostic. */
uint64_t remarks_bytes(struct remarks *remarks, struct cuda_device *device, struct remark_site *site,
                       const struct CUstream_st *stream, struct diags *diags);
/* Adds what was remarked on a stream, the first place of each text, and forgets it. */
void remarks_tell(struct remarks *remarks, const struct CUstream_st *stream, struct diags *diags);

void remarks_init(struct remarks *remarks);
void remarks_finish(struct remarks *remarks);

#endif
