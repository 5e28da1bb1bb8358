/* The slow path that kernels are compared with: see reference_run in kernel.h. */
#include "compiler/kernel.h"

#include <stdlib.h>

static union scalar *element(const struct kernel *kernel, const struct ins *ins,
                             const union scalar *values, char *const *at, bool *faults,
                             union scalar *result)
{
    union scalar v[3];
    for (int k = 0; k < 3; k++)
        v[k] = ins->a[k] >= 0 ? values[ins->a[k]] : (union scalar){0};
    switch (ins->kind) {
    case INS_LOAD: *result = scalar_load(at[ins->index], ins->dtype); break;
    case INS_LITERAL: *result = kernel->literals[ins->index]; break;
    case INS_OP: *result = eval_op(ins->op, ins->source, ins->dtype, v[0], v[1], v[2]); break;
    case INS_STORE: scalar_store(at[ins->index], ins->dtype, v[0]); break;
    case INS_FAULT:
        if ((ins->a[2] < 0 || v[2].b1) && eval_fault(ins->op, ins->source, v[0], v[1], v[2]))
            faults[ins->index] = true;
        break;
    }
    return result;
}

/* Steps to the next element in row-major order; false past the last. */
static bool next(int rank, const int64_t *shape, int64_t *index)
{
    for (int d = rank - 1; d >= 0; d--) {
        if (++index[d] < shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

bool reference_run(const struct kernel *kernel, int rank, const int64_t *shape,
                   const struct view *views, bool *faults)
{
    int64_t index[WEFT_MAX_RANK] = {0};
    for (int d = 0; d < rank; d++)
        if (shape[d] == 0)
            return true;
    union scalar *values = calloc((size_t)kernel->ins_count + 1, sizeof *values);
    char **at = calloc((size_t)kernel->access_count + 1, sizeof *at);
    bool good = values && at;
    do {
        for (int a = 0; good && a < kernel->access_count; a++) {
            at[a] = views[a].data;
            for (int d = 0; d < rank; d++)
                at[a] += index[d] * views[a].strides[d];
        }
        for (int i = 0; good && i < kernel->ins_count; i++)
            element(kernel, &kernel->ins[i], values, at, faults, &values[i]);
    } while (good && next(rank, shape, index));
    free(values);
    free(at);
    return good;
}
