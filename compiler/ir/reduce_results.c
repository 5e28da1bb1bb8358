/* Reductions to single results, such as `sum(x)`: the kernel that joins stores the result itself (reduce.h). */
#include "compiler/ir/reduce.h"

#include <string.h>

/* Whether the kernel does nothing but copy a temporary of one element to a result. */
static bool copies_one(const struct program_kernel *whole)
{
    const struct kernel *kernel = whole->kernel;
    return kernel->ins_count == 2 && kernel->load_count == 1 && kernel->accesses[0].kind == TENSOR_TEMPORARY &&
           !kernel->accesses[0].map && !kernel->accesses[1].map && shape_volume(whole->space) == 1;
}

/* The kernel with reduced dimensions that alone stores the temporary which kernel k copies, and which no other reads; -1:
 * there is none. */
static int find_source(const struct kernel_program *program, int k)
{
    const int temporary = program->kernels[k].kernel->accesses[0].index;
    int found = -1;
    for (int i = 0; i < program->count; i++) {
        const struct kernel *kernel = program->kernels[i].kernel;
        for (int a = 0; i != k && a < kernel->access_count; a++) {
            const struct access *access = &kernel->accesses[a];
            const bool kept = access->kind == TENSOR_TEMPORARY || access->kind == TENSOR_TABLE;
            if (!kept || access->index != temporary)
                continue;
            if (a < kernel->load_count || !kernel->lanes || found >= 0)
                return -1;
            found = i;
        }
    }
    return found;
}

void store_results(struct kernel_program *program)
{
    for (int k = program->first_result; k < program->count; k++) {
        const struct program_kernel copy = program->kernels[k];
        const int from = copies_one(&copy) ? find_source(program, k) : -1;
        if (from < 0)
            continue;
        struct program_kernel *kernels = program->kernels, source = kernels[from];
        source.order = copy.order;
        struct access *store = &source.kernel->accesses[source.kernel->load_count];
        *store = (struct access){TENSOR_RESULT, copy.kernel->accesses[1].index, store->dtype, 0}; /* of what is joined */
        source.kernel->results = copy.kernel->results;
        source.kernel->result_count = copy.kernel->result_count;
        memmove(kernels + from, kernels + from + 1, (size_t)(k - from - 1) * sizeof *kernels);
        kernels[k - 1] = source;  
        memmove(kernels + k, kernels + k + 1, (size_t)(program->count - k - 1) * sizeof *kernels);
        program->count--;
        program->first_result--;
        k--;
    }
}
