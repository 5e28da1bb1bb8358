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

/* Kernels that are put in another order. */
struct sorting {
    struct kernel_program *program;
    int *at;                       /* [temporary] the kernel that stores it */
};

static void note_stores(const struct sorting *s, int begin, int end)
{
    for (int k = begin; k < end; k++) {
        const struct kernel *kernel = s->program->kernels[k].kernel;
        for (int a = kernel->load_count; a < kernel->access_count; a++)
            if (access_is_temporary(&kernel->accesses[a]))
                s->at[kernel->accesses[a].index] = k;
    }
}

/* Whether kernel k may run right after kernel `before`. */
static bool may_follow(const struct sorting *s, int before, int k)
{
    const struct kernel *kernel = s->program->kernels[k].kernel;
    bool may = kernel->lanes && lanes_match(s->program->kernels[before].kernel->lanes, kernel->lanes);
    for (int a = 0; may && a < kernel->load_count; a++)
        may = !access_is_temporary(&kernel->accesses[a]) || s->at[kernel->accesses[a].index] < before;
    return may;
}

void sort_reductions(struct kernel_program *program)
{
    const struct sorting s = {program, ARENA_ARRAY(program->arena, int, program->temporary_count + 1)};
    note_stores(&s, 0, program->count);
    for (int i = 0; i < program->first_result; i++)
        for (int k = i + 1, next = i + 1; program->kernels[i].kernel->lanes && k < program->first_result; k++) {
            const struct program_kernel moved = program->kernels[k];
            if (!may_follow(&s, i, k))
                continue;
            memmove(program->kernels + next + 1, program->kernels + next, (size_t)(k - next) * sizeof moved);
            program->kernels[next] = moved;
            note_stores(&s, next++, k + 1);
        }
}
