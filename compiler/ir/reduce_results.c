/* Results that would only be copies of what kernels join, such as those of `sum(x)`: these kernels store them
 * (reduce.h). */
#include "compiler/ir/reduce.h"

#include <string.h>

/* Whether the instruction stores what another loads from a temporary, element by element. */
static bool copies(const struct kernel_program *program, const struct program_kernel *whole, const struct ins *store,
                   bool dense)
{
    const struct kernel *kernel = whole->kernel;
    const struct ins *load = &kernel->ins[store->a[0]];
    if (load->kind != INS_LOAD)
        return false;
    const struct access *from = &kernel->accesses[load->index], *to = &kernel->accesses[store->index];
    if (from->kind != TENSOR_TEMPORARY || from->map || to->map || from->dtype != to->dtype)
        return false;
    return shape_volume(whole->space) == 1 ||
           (dense && shapes_equal(program->temporaries[from->index].shape, whole->space));
}

/* Whether the kernel does nothing but copy temporaries to results. */
static bool only_copies(const struct kernel_program *program, const struct program_kernel *whole, bool dense)
{
    const struct kernel *kernel = whole->kernel;
    bool only = !kernel->lanes && kernel->ins_count == kernel->access_count &&
                kernel->access_count == 2 * kernel->load_count;
    for (int i = 0; only && i < kernel->ins_count; i++)
        only = kernel->ins[i].kind == INS_LOAD ||
               (kernel->ins[i].kind == INS_STORE && copies(program, whole, &kernel->ins[i], dense));
    return only;
}

/* The kernel with reduced dimensions that alone stores the temporary which kernel k loads, and which no other reads;
 * -1: there is none. */
static int find_source(const struct kernel_program *program, int k, int temporary)
{
    int found = -1;
    for (int i = 0; i < program->count; i++) {
        const struct kernel *kernel = program->kernels[i].kernel;
        for (int a = 0; i != k && a < kernel->access_count; a++) {
            const struct access *access = &kernel->accesses[a];
            const bool kept = access_is_temporary(access);
            if (!kept || access->index != temporary)
                continue;
            if (a < kernel->load_count || !kernel->lanes || found >= 0)
                return -1;
            found = i;
        }
    }
    return found;
}

/* The temporary that instruction i of a kernel which only copies stores; -1: it is a load. */
static int copied(const struct kernel *kernel, int i)
{
    return kernel->ins[i].kind == INS_STORE ? kernel->accesses[kernel->ins[kernel->ins[i].a[0]].index].index : -1;
}

static bool have_sources(const struct kernel_program *program, int k)
{
    const struct kernel *kernel = program->kernels[k].kernel;
    for (int i = 0; i < kernel->ins_count; i++)
        if (copied(kernel, i) >= 0 && find_source(program, k, copied(kernel, i)) < 0)
            return false;
    return true;
}

/* Kernel `from` stores the result that instruction `store` of kernel k copies, and moves to the place in front of
 * it. */
static void store_result(struct kernel_program *program, int from, int k, const struct ins *store)
{
    struct program_kernel *kernels = program->kernels, source = kernels[from];
    const int result = kernels[k].kernel->accesses[store->index].index;
    struct access *to = &source.kernel->accesses[source.kernel->load_count];
    source.order = kernels[k].order;
    *to = (struct access){TENSOR_RESULT, result, to->dtype, 0}; /* the dtype of what is joined */
    source.kernel->results = arena_copy(program->arena, &result, sizeof result);
    source.kernel->result_count = 1;
    memmove(kernels + from, kernels + from + 1, (size_t)(k - from - 1) * sizeof *kernels);
    kernels[k - 1] = source;
    program->first_result--;
}

void store_results(struct kernel_program *program, bool dense)
{
    for (int k = program->first_result; k < program->count; k++) {
        const struct program_kernel copy = program->kernels[k];
        if (!only_copies(program, &copy, dense) || !have_sources(program, k))
            continue;
        for (int i = 0; i < copy.kernel->ins_count; i++)
            if (copied(copy.kernel, i) >= 0)
                store_result(program, find_source(program, k, copied(copy.kernel, i)), k, &copy.kernel->ins[i]);
        memmove(program->kernels + k, program->kernels + k + 1, (size_t)(program->count - k - 1) * sizeof copy);
        program->count--;
        k--;
    }
}
