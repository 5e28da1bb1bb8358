/* Cutting a typed program on certain shapes into kernels. */
#ifndef WEFT_DIVIDE_H
#define WEFT_DIVIDE_H

#include "runtime/plan/emitted.h"
#include "runtime/tensor/tensor.h"

struct plan;
struct planned;

/* What a plan is wanted for: tensors, of batches the samples in hand. `outputs` NULL: dense ones, to
 * come. */
struct occasion {
    const struct tensor *inputs, *outputs;
    const bool *taken;             /* the results wanted, by position; NULL: all */
    int device;                    /* it is to run on, as in struct tensor; 0: in C */
    bool wait;                     /* for good kernels, where first ones would do */
    const struct target *target;   /* NULL: the device's; a stage's, which has none */
    bool many;                     /* kernels have to take tables of samples: of matter to CUDA alone */
    int64_t *room;                 /* for keys, used again by the next sample; NULL: from the arena */
};

/* A kernel as dividing leaves it; stages show it, plans keep less. */
struct draft {
    struct kernel *kernel;
    const struct shape *shape;     /* that it loops over */
    int order;                     /* of the results that it computes or helps, among all kernels */
    bool shared;                   /* as in struct planned */
    struct geometry geometry;
    struct form form;
};

struct division {
    struct draft *drafts;
    int count;
    const struct target *target;
    struct kernel_program program;
    bool *own;                     /* of temporaries, whether each sample has its own */
};

/* Cuts the results into kernels, up to their geometry: drafts, in the order in which they run, and how
 * many of them are hoisted. `shapes` are those of all nodes. Takes the program's mutex. False with
 * diagnostics. */
bool divide(struct arena *arena, struct weft_program *program, struct typed *typed,
            const struct shape *const *shapes, const struct occasion *occasion,
            struct division *division, struct diags *diags);
/* The text of a draft for a target, as emitted_get. */
struct emitted *draft_text(struct arena *arena, struct arena *scratch, struct weft_program *program,
                           struct typed *typed, const struct target *target, const struct draft *draft);
/* Fills all of `planned` but `loaded`, in plan->own. */
void finish_kernel(struct plan *plan, struct arena *scratch, struct weft_program *program,
                   const struct draft *draft, struct planned *planned);
/* Places temporaries in the memory of a run. */
void place_temporaries(struct plan *plan, const struct division *division);

#endif
