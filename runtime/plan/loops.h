/* Divides a typed program on certain shapes into kernels, by calling the pipeline. */
#ifndef WEFT_RUNTIME_PLAN_LOOPS_H
#define WEFT_RUNTIME_PLAN_LOOPS_H

#include "runtime/plan/text_cache.h"
#include "runtime/tensor/tensor.h"

struct plan;
struct planned;

/* What a plan is needed for. Of batches the tensors hold one sample. `outputs` NULL: dense ones, not
 * known yet. */
struct occasion {
    const struct tensor *inputs, *outputs;
    const struct program *filled;  /* the instance's program with the values of numbers; NULL: it has none */
    const bool *taken;             /* the results wanted, by position; NULL: all */
    int device;                    /* the device to run on, as in struct tensor; 0: in C */
    bool wait;                     /* for good kernels, even where first ones would do */
    const struct target *target;   /* NULL: that of the device; set for stages, which have no device */
    bool many;                     /* kernels must take tables of samples; CUDA only */
    int64_t *room;                 /* memory for keys, reused for each sample; NULL: from the arena */
};

/* Whether kernels on a GPU take the input's only element among their arguments. Pinned memory is read only when the
 * stream gets there. */
static inline bool is_by_value(const struct occasion *occasion, const struct tensor *input)
{
    return occasion->device && input->rank == 0 && !input->device && !input->batch && !input->pinned;
}

/* A kernel as divide makes it. Stages show it; plans keep less. */
struct draft {
    struct kernel *kernel;
    const struct shape *shape;     /* its iteration space */
    int order;                     /* of the kernel of results that it is or helps, among all of these */
    bool shared;                   /* as in struct planned */
    struct geometry geometry;
    struct form form;
    int chain;                     /* on a GPU so many kernels, from this one on, are one launch; 0: it is alone, or
                                      part of another's chain (form.chained) */
    int part, parts;               /* it is number `part` of the kernels that store the same results */
    const struct access_shapes *shapes; /* of what it was made of, and the views */
    const struct view_args *views;
};

struct division {
    struct draft *drafts;
    int count;
    const struct target *target;
    struct kernel_program program;
    bool *own;                     /* [temporaries] whether each sample has its own */
};

/* Divides the wanted results into kernels with their loops: drafts, in the order in which they run.
 * `shapes` are those of all nodes, and `views` the views with the values of size expressions. Locks the program's
 * mutex. False with diagnostics. */
bool divide(struct arena *arena, struct weft_program *program, struct typed *typed,
            const struct shape **shapes, struct view_args *views, const struct occasion *occasion,
            struct division *division, struct diags *diags);
/* The text of a draft for a target; see emitted_get. */
struct emitted *draft_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                           struct typed *typed, const struct target *target, const struct draft *draft);
/* The same of what is launched for draft k: its own, or that of the chain on a GPU that it begins; NULL: it is part of
 * another's. */
struct emitted *launched_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                              struct typed *typed, const struct division *division, int k);
/* chain.c: the number of leading dimensions that hold `points` together; -1: there are none. And whether each point of
 * kernel k needs only the same one of what kernels `first` to k - 1 store. */
int leading_dimensions(const struct shape *shape, int64_t points);
bool needs_only_points(const struct division *division, int first, int k, int64_t points);
/* gpu_chain.c: finds kernels on a GPU that can share a launch, and changes their forms. */
void find_gpu_chains(struct division *division);
/* Fills everything in `planned` except `loaded`, and `launched` where it begins a chain on a GPU, from the arena
 * plan->own. `shapes` are those of all nodes, `filled` is the program with the values of numbers. */
void finish_kernel(struct plan *plan, struct arena *scratch, struct weft_program *program,
                   const struct draft *draft, const struct program *filled, const struct shape *const *shapes,
                   struct planned *planned);
/* Assigns the temporaries their offsets in the memory of a run. */
void place_temporaries(struct plan *plan, const struct division *division);

#endif
