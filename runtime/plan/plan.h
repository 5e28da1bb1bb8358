/* Plans: what a typed program becomes for certain shapes and strides. */
#ifndef WEFT_PLAN_H
#define WEFT_PLAN_H

#include "runtime/plan/divide.h"
#include "runtime/plan/gpu_args.h"
#include "runtime/plan/gpu_plan.h"

struct recent;

/* Bytes: a line of the cache. */
enum { TEMPORARY_ALIGNMENT = 64 };

/* A kernel of a plan. */
struct planned {
    const struct kernel *kernel;
    int order;
    bool shared;                   /* depends on no batch: computed once for all samples of the plan */
    struct emitted *emitted;
    struct loaded *loaded;         /* NULL before weft_prepare or weft_run asked for it */
    struct weft_geometry walk;
    const unsigned char *kinds;    /* of the accesses, enum access_kind */
    const int64_t *starts;         /* of the accesses: bytes from the tensor's first element to the base */
    int64_t tiles;
    unsigned long long *literals;
    double work;                   /* an estimate of its time: bytes moved and instructions, all elements */
    double touched, stored;        /* bytes of all tensors that it walks, of those that it writes */
    struct cuda_planned *cuda;     /* what it has on plan->gpu */
};

struct plan {
    struct plan *next;             /* in the bucket */
    struct plan *later, *earlier;  /* used; in the table */
    struct typed *typed;
    const struct target *target;
    struct arena own;              /* where the plan lives */
    size_t bytes_kept;             /* of it, as the table counts them */
    struct plan_key key;           /* see plans.c */
    int device;                    /* as in struct occasion */
    struct cuda_device *gpu;       /* that it is; NULL: it runs in C */
    atomic_int users;              /* runs in progress; raised under the program's mutex alone */
    bool reported;                 /* infos were told: from now on kernels come from memory */
    const struct shape **results;  /* their shapes, NULL for others */
    bool *viewed;                  /* [inputs] read under a view: no output may be their buffer */
    struct planned *kernels;       /* in the order in which they run, hoisted ones first */
    int kernel_count, hoisted_count;
    size_t *temporaries;           /* byte offsets in the memory that a run lends them: in that of all */
    bool *shared;                  /* samples of the plan together, or in that of each */
    size_t shared_bytes, own_bytes;
    unsigned char *bytes;          /* 0 to 255, for TENSOR_BYTES */
    struct weft_kernel_info *infos;
    struct recent *recent;         /* made by the first run; recent.c */
};

/* Shapes of all nodes for inputs of these shapes, checked against the declared types. NULL with
 * diagnostics. */
const struct shape **plan_shapes(struct arena *arena, const struct program *program,
                                 const struct tensor *inputs, struct diags *diags);
/* Layouts of all nodes beside such shapes; an entry is NULL where not even the rank is known. NULL with
 * diagnostics. */
const char **plan_layouts(struct arena *arena, const struct program *program,
                          const struct tensor *inputs, const struct shape *const *shapes,
                          struct diags *diags);
/* The plan for an occasion, made when there is none, its kernels loaded; plan->users is raised. NULL with
 * diagnostics, also when the outputs do not fit. */
struct plan *plan_get(struct weft_program *program, struct typed *typed,
                      const struct occasion *occasion, struct diags *diags);
void plan_release(struct plan *plan);
void plan_destroy(struct plan *plan);

#endif
