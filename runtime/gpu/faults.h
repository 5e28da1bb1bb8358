/* Remarks of kernels on GPUs, such as a division by zero, which the host sees only after the caller has
 * synchronized. For each stream that it ran on, a kernel has a byte of pinned memory for each remark that it may make,
 * and sets it to 1. Sites and bytes belong to the weft_context, so graphs and kernels in
 * flight may outlive their program.
 *
 * Invariant: bytes that were given to a kernel remain its own as long as the device. */
#ifndef WEFT_RUNTIME_GPU_FAULTS_H
#define WEFT_RUNTIME_GPU_FAULTS_H

#include "compiler/ir/ir.h"
#include "runtime/gpu/device.h"

/* A member of struct weft_context. */
struct remarks {
    pthread_mutex_t mutex;
    struct remark_text *texts;
};

/* The site of a kernel with faults; kernels of the same text and places share one. NULL with a
 * diagnostic. */
struct remark_site *remarks_site(struct remarks *remarks, const struct source *source,
                                 const struct kernel *kernel, struct diags *diags);
/* The address of the bytes that the kernel sets on this stream. The device's context must be current. 0
 * with a diagnostic. */
uint64_t remarks_bytes(struct remarks *remarks, struct cuda_device *device, struct remark_site *site,
                       const struct CUstream_st *stream, struct diags *diags);
/* Adds a diagnostic for each text with remarks on this stream, at the first place in the text, and
 * clears the bytes. */
void remarks_tell(struct remarks *remarks, const struct CUstream_st *stream, struct diags *diags);

void remarks_finish(struct remarks *remarks);

#endif
