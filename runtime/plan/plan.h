/* Plans: what a typed program becomes for certain shapes and strides. */
#ifndef WEFT_RUNTIME_PLAN_PLAN_H
#define WEFT_RUNTIME_PLAN_PLAN_H

#include "runtime/plan/gpu_args.h"
#include "runtime/plan/gpu_plan.h"
#include "runtime/plan/occasion.h"

/* Bytes: a cache line. */
enum { TEMPORARY_ALIGNMENT = 64 };

/* A temporary that a chain has alone, of which each thread keeps a tile. */
struct window {
    int access;                    /* of the kernel */
    size_t at;                     /* where it begins in the thread's memory, */
    int64_t start;                 /* and so many bytes behind that what the access walks over on the first tile */
    int64_t step;                  /* bytes from one tile to the next */
};

/* A kernel of a plan. */
struct planned {
    const struct kernel *kernel;
    int order;
    bool shared;                   /* depends on no batch, so it runs once for all samples of the plan */
    struct emitted *emitted;       /* its text and form */
    struct emitted *launched;      /* what is compiled: `emitted`, or a chain on a GPU; NULL: another begins its
                                      chain */
    struct loaded *loaded;         /* NULL until weft_prepare or weft_run has loaded it; of a chain on a GPU the same
                                      for all */
    struct weft_geometry walk;
    const unsigned char *kinds;    /* of the accesses; enum access_kind */
    const int64_t *starts;         /* of the accesses: bytes from the tensor's first element to the walk's start */
    int64_t tiles;
    int chain;                     /* length of the chain that starts here (struct scheduled); 0: none */
    int64_t ahead;                 /* as in struct scheduled */
    int peel;                      /* as in struct geometry */
    unsigned long long *literals;
    double work;                   /* an estimate of its time, from the bytes moved and the instructions
                                    * of all elements */
    double first;                  /* an estimate of the nanoseconds that libtcc's kernel takes */
    double touched, stored;        /* bytes of all accesses that are walked; of those that are stored */
    const struct window *windows;  /* [window_count] what it has of them */
    int window_count;
    double window_touched, window_stored; /* of `touched` and `stored` what is in windows */
    struct cuda_planned *cuda;     /* NULL without plan->gpu */
};

struct plan {
    struct plan *next;             /* in the bucket of the table */
    struct plan *later, *earlier;  /* in the table's order of use */
    struct typed *typed;
    const struct target *target;
    struct arena own;              /* the memory of the plan */
    size_t bytes_kept;             /* its size as the table counts it */
    struct plan_key key;           /* see plan_cache.c */
    int device;                    /* as in struct occasion */
    struct cuda_device *gpu;       /* the GPU of that number; NULL: the plan runs in C */
    atomic_int users;              /* runs in progress; raised only under the program's mutex */
    bool reported;                 /* its infos were reported; from now on its kernels come from memory */
    const struct shape **results;  /* [results] their shapes; NULL for those not computed */
    int *viewed;                   /* [inputs] the view that forbids an output to be their buffer; -1: none */
    struct planned *kernels;       /* in the order in which they run; those before first_result store temporaries */
    int kernel_count, first_result;
    size_t *temporaries;           /* [temporaries] byte offsets in memory that a run lends: */
    bool *shared;                  /* [temporaries] in that of all samples together, else in that of each */
    size_t shared_bytes, own_bytes;
    size_t *placed;                /* [temporaries] where kernels take turns, so that windows have no place there; */
    size_t placed_bytes, window_bytes; /* its size, and that of a thread's windows */
    unsigned char *bytes;          /* 0 to 255, for TENSOR_BYTES */
    struct weft_kernel_info *infos;
    struct recent *recent;         /* made by the first run; recent_call.c */
};

/* The shapes of all nodes for these inputs, which are checked against the declared types. `layouts`, unless it is NULL,
 * is set to the layouts of all nodes; an entry is NULL where not even the rank is known. `views`, unless it is NULL, is
 * set to the views with the values of size expressions. NULL with diagnostics. */
const struct shape **plan_shapes(struct arena *arena, const struct program *program, const struct tensor *inputs,
                                 const char ***layouts, struct view_args **views, struct diags *diags);
/* The plan for an occasion, found or made, with its kernels loaded. plan->users is raised; call
 * plan_release. NULL with diagnostics, also if the outputs do not fit. Locks the program's
 * mutex. */
struct plan *plan_get(struct weft_program *program, struct typed *typed,
                      const struct occasion *occasion, struct diags *diags);
/* Lowers plan->users. From any thread, without a lock. */
void plan_release(struct plan *plan);
/* planned.c: fills everything in `planned` except `loaded`, from the arena plan->own. `filled` is the program with the
 * values of numbers, `shapes` are those of all its nodes. */
void keep_kernel(struct plan *plan, const struct scheduled *scheduled, const struct program *filled,
                 const struct shape *const *shapes, struct planned *planned);
/* Assigns the temporaries their offsets in the memory of a run: no two that are needed at the same time share bytes.
 * Assigns windows theirs, and tells the plan's kernels. `arena`: for what does not last. */
void place_temporaries(struct plan *plan, const struct schedule *schedule, struct arena *arena);

#endif
