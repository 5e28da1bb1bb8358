/* Reductions of one tensor, such as `mean(x), max(x)`: kernels that cut it into the same tiles follow each other, so
 * that they can take turns tile by tile (reduce.h). */
#include "compiler/ir/reduce.h"

#include <string.h>

bool lanes_match(const struct lanes *a, const struct lanes *b)
{
    const struct lane_tiles *s = &a->tiles, *t = &b->tiles;
    return s->points == t->points && s->elements == t->elements && s->inner == t->inner && s->width == t->width &&
           s->chunk * s->block == t->chunk * t->block && s->chunks > 1 && t->chunks > 1;
}

bool kernel_stores(const struct kernel *kernel, int temporary)
{
    bool stores = false;
    for (int a = kernel->load_count; !stores && a < kernel->access_count; a++)
        stores = access_is_temporary(&kernel->accesses[a]) && kernel->accesses[a].index == temporary;
    return stores;
}

bool kernel_loads_from(const struct kernel *kernel, const struct kernel *from)
{
    bool loads = false;
    for (int a = 0; !loads && a < kernel->load_count; a++)
        loads = access_is_temporary(&kernel->accesses[a]) && kernel_stores(from, kernel->accesses[a].index);
    return loads;
}

/* Whether kernel k may run right after kernel `before`. */
static bool may_follow(const struct kernel_program *program, int before, int k)
{
    const struct lanes *lanes = program->kernels[k].kernel->lanes;
    bool may = lanes && lanes_match(program->kernels[before].kernel->lanes, lanes);
    for (int i = before; may && i < k; i++)
        may = !kernel_loads_from(program->kernels[k].kernel, program->kernels[i].kernel);
    return may;
}

void sort_reductions(struct kernel_program *program)
{
    for (int i = 0; i < program->first_result; i++)
        for (int k = i + 1, next = i + 1; program->kernels[i].kernel->lanes && k < program->first_result; k++) {
            const struct program_kernel moved = program->kernels[k];
            if (!may_follow(program, i, k))
                continue;
            memmove(program->kernels + next + 1, program->kernels + next, (size_t)(k - next) * sizeof moved);
            program->kernels[next++] = moved;
        }
}
