/* What a plan for a GPU keeps for its kernels: constants, and tables of maps and literals, in device
 * memory, and the arguments of kernels on one sample, except what each run fills in. */
#ifndef WEFT_RUNTIME_PLAN_GPU_PLAN_H
#define WEFT_RUNTIME_PLAN_GPU_PLAN_H

#include "compiler/base/base.h"

struct plan;

/* Bytes that a kernel reads from device memory and that belong to no tensor of the caller. */
struct cuda_source {
    const void *data;              /* NULL: none */
    size_t bytes;
    uint64_t address;              /* in device memory; 0: there are too many bytes, and each run copies them */
};

/* For one kernel. */
struct cuda_planned {
    struct cuda_source *constants; /* [accesses] */
    struct cuda_source *maps;      /* [accesses] */
    struct cuda_source literals;
    bool resident;                 /* no source has to be copied by each run */
    uint64_t *words;               /* the arguments with faults and bases 0, if they are passed by value
                                    * and the sources are resident; else NULL */
    struct remark_site *site;      /* NULL: it has no faults */
};

/* Fills planned->cuda of all kernels. False with a diagnostic. */
bool cuda_plan(struct weft_context *context, struct plan *plan, const struct source *source,
               struct diags *diags);

#endif
