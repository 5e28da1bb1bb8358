/* Chooses the compiler for a kernel: libtcc in a millisecond (the first kernel), or the disk and
 * the machine's compiler (the good one). From any thread, without the context's mutex. */
#ifndef WEFT_RUNTIME_KERNELS_TIERS_IMPL_H
#define WEFT_RUNTIME_KERNELS_TIERS_IMPL_H

#include "runtime/kernels/kernels.h"

struct made {
    void *handle;                  /* of dlopen; NULL: libtcc made it */
    struct first_code first;
    weft_kernel_fn *run;           /* NULL: no kernel in C */
    struct CUmod_st *module;       /* of a kernel for a GPU, which has nothing of the above */
    struct CUfunc_st *function;
    bool final;                    /* no better one will follow */
    struct weft_kernel_info info;
};

/* Makes the kernel to begin with. `key` is the text without comments. False with diagnostics. */
bool tiers_make(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made);
/* Whether a call waits for the good kernel. */
bool tiers_wait(const struct weft_context *context, const struct kernel_request *request);
/* The kernel from disk. False: it is not there. */
bool tiers_find(struct weft_context *context, const char *key, const struct kernel_request *request,
                struct diags *diags, struct made *made);
/* Makes the good kernel for one whose first kernel is in use; or, without `told`, for one that has none, and whoever
 * wants it tries again. False: it cannot be made, which the
 * log is told, or the context is being destroyed. */
bool tiers_improve(struct weft_context *context, const char *key, const char *label, enum weft_math math,
                   bool told, struct made *made);

#endif
