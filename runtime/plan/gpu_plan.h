/* What a plan for a GPU keeps for its kernels there: constants, tables of maps and literals in the GPU's
 * memory, and the arguments of kernels on one sample, but for what a run puts in. */
#ifndef WEFT_CUDA_PLAN_H
#define WEFT_CUDA_PLAN_H

#include "compiler/base/base.h"

struct plan;
struct remark_site;
struct weft_context;

/* Bytes that a kernel reads from the GPU's memory and that are no tensor of the caller's. */
struct cuda_source {
    const void *data;              /* NULL: none */
    size_t bytes;
    uint64_t address;              /* on the GPU; 0: each run copies it there (there are too many) */
};

/* Of one kernel. */
struct cuda_planned {
    struct cuda_source *constants; /* [accesses] */
    struct cuda_source *maps;      /* [accesses] */
    struct cuda_source literals;
    uint64_t *words;               /* the arguments where they stand by value and all sources lie on the GPU,
                                      with faults and bases 0; else NULL */
    struct remark_site *site;      /* NULL: it makes no remarks */
};

/* Fills planned->cuda of all kernels. False with a diagnostic. */
bool cuda_plan(struct weft_context *context, struct plan *plan, const struct source *source,
               struct diags *diags);

#endif
