/* Which compiler makes a kernel: libtcc within a millisecond (the first kernel), or the machine's, by
 * way of the disk (the good one). Called without the context's mutex, from any thread. */
#ifndef WEFT_TIERS_H
#define WEFT_TIERS_H

#include "runtime/kernels/kernels.h"

struct made {
    void *handle;                  /* of dlopen; NULL: it came from libtcc */
    struct first_code first;
    weft_kernel_fn *run;           /* NULL: there is none */
    struct CUmod_st *module;       /* of a kernel for a GPU, instead of all that */
    struct CUfunc_st *function;
    bool final;                    /* no better one is to come */
    struct weft_kernel_info info;
};

/* The kernel to begin with; `key` is the text without comments. False with diagnostics. */
bool tiers_make(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made);
/* The good kernel, for one whose first kernel runs already. False: it cannot be had, which is told to
 * the log, or the context is being destroyed. */
bool tiers_improve(struct weft_context *context, const char *key, enum weft_math math,
                   struct made *made);

#endif
