/* The schedule of a typed program on certain shapes, which the pipeline makes. */
#ifndef WEFT_RUNTIME_PLAN_OCCASION_H
#define WEFT_RUNTIME_PLAN_OCCASION_H

#include "runtime/plan/text_cache.h"
#include "runtime/tensor/tensor.h"

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
    enum shown shown;              /* for whom the kernels' texts are */
    int64_t *room;                 /* memory for keys, reused for each sample; NULL: from the arena */
};

/* Whether kernels on a GPU take the input's only element among their arguments. Pinned memory is read only when the
 * stream gets there. */
static inline bool is_by_value(const struct occasion *occasion, const struct tensor *input)
{
    return occasion->device && input->rank == 0 && !input->device && !input->batch && !input->pinned;
}

/* Runs the pipeline behind PASS_LAYOUTS up to `last` for an occasion. Of *made, the kernels and the schedule may be
 * read then. `shapes` are those of all nodes, and `views` the views with the values of size expressions. Texts last as
 * long as `kept`. Locks the program's mutex. False with diagnostics. */
bool schedule_make(struct arena *arena, struct arena *kept, struct weft_program *program, struct typed *typed,
                   const struct shape **shapes, struct view_args *views, const struct occasion *occasion,
                   enum pass last, struct pipeline *made, struct diags *diags);

#endif
