/* Kernels in memory: a context's table, in which each text is compiled once. tiers.c chooses the compiler,
 * build.c runs it, and worker.c makes good kernels in the background. */
#ifndef WEFT_RUNTIME_KERNELS_KERNELS_H
#define WEFT_RUNTIME_KERNELS_KERNELS_H

#include "runtime/kernels/build.h"
#include "templates/kernel/args.h"

typedef void weft_kernel_fn(const struct weft_args *args, long long begin, long long end);

/* What they join with, for vectors of so many bytes: struct weft_calls.joins and places. */
extern const struct weft_join *const joins_16[], *const joins_32[], *const joins_64[];
extern const struct weft_join *const places_16[], *const places_32[], *const places_64[];
/* What kernels call, with the vectors of this processor. */
const struct weft_calls *kernel_calls(void);
/* The bytes of the registers in which these join rows of floats (joins.c, ymm.inc): 64, 32, or 0: in none. */
int kernel_row_bytes(void);
/* Whether this processor takes long for the root of a vector, and has what Newton's steps for one are written in. */
bool kernel_roots_slow(void);

struct loaded {
    struct loaded *next;
    char *key;                     /* a character for how it is compiled, then the text without comments */
    enum weft_math math;
    enum { LOADED_PENDING, LOADED_READY, LOADED_FAILED } state;
    int waiting;                   /* threads that wait while it is pending */
    void *handle;                  /* of dlopen; NULL while there is only a first kernel */
    struct first_code first;       /* from libtcc; it stays until the context goes, since a run may be inside */
    struct cuda_device *device;    /* NULL: a kernel in C, to which `module` and `function` do not apply */
    struct CUmod_st *module;
    struct CUfunc_st *function;    /* a kernel for the device; always final */
    weft_kernel_fn *_Atomic run;   /* the first kernel, then the good one as soon as there is one */
    atomic_bool final;             /* `run` will not change any more */
    _Atomic int64_t used;          /* nanoseconds that runs took while it was not final */
    atomic_bool later;             /* the good kernel is not asked for yet; as in struct kernel_request */
    bool building;                 /* a thread is making the good kernel */
    bool queued;                   /* pending, and its maker has not begun; see kernels_begin */
    bool begun;                    /* nobody has been told yet how it was made */
    struct loaded *next_job;       /* in the worker's queue */
    struct weft_kernel_info info;  /* how the best kernel so far was made */
    char *label;                   /* of the request; NULL: none */
};

/* What a plan asks for. */
struct kernel_request {
    const char *text;
    const char *entry;             /* the name of its function; NULL: weft_kernel */
    enum weft_math math;
    bool exact;                    /* all rows are exact: every compiler's kernel has the same bits */
    bool wait;                     /* for the good kernel, even where a first one would do */
    bool later;                    /* it hardly counts: a first one will do until its runs have cost something */
    struct cuda_device *device;    /* NULL: a kernel in C */
    const char *label;             /* what users call it by: the program's text; NULL: nothing */
};

/* The kernel for this text: from the table, or made while other threads that need it wait. It lives as long as
 * the context. *info says where it came from. NULL with a diagnostic. From any thread. */
struct loaded *kernels_get(struct weft_context *context, const struct kernel_request *request,
                           struct diags *diags, struct weft_kernel_info *info);
/* Lets the context's threads begin to make a kernel for which kernels_get will be asked soon, and wait. False where it
 * would not wait. */
bool kernels_begin(struct weft_context *context, const struct kernel_request *request);
/* Waits until the kernel is final. If *info says that libtcc made it, fills in how the final one was made. */
void kernels_settle(struct weft_context *context, struct loaded *loaded,
                    struct weft_kernel_info *info);

/* Whether calls of a first kernel that takes so many nanoseconds take longer than the compiler does: whether the good
 * kernel is worth its wait. */
bool kernels_pay(const struct weft_context *context, double first);

/* Tells how long a run took with a kernel that was not final when it began; and, before the next one, waits for the
 * good kernel where such runs have taken as long as the compiler usually does. So all of them together take hardly
 * longer than waiting at once would have. */
void kernels_count(struct weft_context *context, struct loaded *loaded, double seconds);
void kernels_wait_used(struct weft_context *context, struct loaded *loaded);

/* Unloads all kernels. No thread may use the context any more. */
void kernels_finish(struct weft_context *context);
/* Makes the good kernel and puts it in the place of the first one. The context's mutex must be held; it is
 * released meanwhile. */
void kernels_improve(struct weft_context *context, struct loaded *loaded);
/* What a thread of the context does with a job: that, or makes a kernel that was begun. The same holds. */
void kernels_work(struct weft_context *context, struct loaded *loaded);
/* In the child of a fork: drops or requeues what other threads were making. The mutex must be held. */
void kernels_abandon(struct weft_context *context);

#endif
