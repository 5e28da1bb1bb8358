/* Kernels in memory, each text compiled once. What compiles it, when and from where: tiers.c, worker.c, build.c. */
#ifndef WEFT_KERNELS_H
#define WEFT_KERNELS_H

#include "runtime/kernels/build.h"
#include "templates/kernel/args.h"

typedef void weft_kernel_fn(const struct weft_args *args, long long begin, long long end);

struct loaded {
    struct loaded *next;
    char *key;                     /* how it was compiled, a character, and the text without comments */
    enum weft_math math;
    enum { LOADED_PENDING, LOADED_READY, LOADED_FAILED } state;
    int waiting;                   /* threads that wait for a pending entry */
    void *handle;                  /* of dlopen; NULL while there is only the first kernel */
    struct first_code first;       /* from libtcc; a run may be inside as long as the context lives */
    struct cuda_device *device;    /* NULL: a kernel of C, and what follows is not for it */
    struct CUmod_st *module;
    struct CUfunc_st *function;    /* of a kernel for the device; always final */
    weft_kernel_fn *_Atomic run;   /* the good kernel as soon as there is one */
    atomic_bool final;             /* `run` stays as it is */
    bool building;                 /* a thread makes the good kernel */
    struct loaded *next_job;       /* in the worker's queue */
    struct weft_kernel_info info;  /* how the best kernel so far was got */
};

/* What a plan wants. */
struct kernel_request {
    const char *text;
    enum weft_math math;
    bool exact;                    /* all its rows are: any compiler's kernel has the same bits */
    bool wait;                     /* for the good kernel, where a first one would do */
    struct cuda_device *device;    /* NULL: the kernel is C */
};

/* The kernel for this text: from memory, or made while other threads that want it wait. Lives as
 * long as the context. NULL with a diagnostic. */
struct loaded *kernels_get(struct weft_context *context, const struct kernel_request *request,
                           struct diags *diags, struct weft_kernel_info *info);
/* Waits until the kernel is final, and where it was not completes *info. */
void kernels_settle(struct weft_context *context, struct loaded *loaded,
                    struct weft_kernel_info *info);

void kernels_finish(struct weft_context *context);
/* Puts the good kernel in the place of the first one. The context's mutex is held; it is released
 * meanwhile. */
void kernels_improve(struct weft_context *context, struct loaded *loaded);
/* In a child after fork: what other threads were making will not come. The mutex is held. */
void kernels_abandon(struct weft_context *context);

#endif
