/* Chooses the kernels in C that a loop gets ahead of time: those of likely calls, and one for any strides. */
#include "compiler/aot/kernel_impl.h"

#include <string.h>

static void add_class(struct aot_kernel *k, struct aot_loop *loop, const unsigned char *kinds)
{
    for (int c = 0; c < loop->class_count; c++)
        if (memcmp(loop->classes[c].kinds, kinds, (size_t)loop->kernel->access_count) == 0)
            return;
    ARENA_PUSH(k->arena, loop->classes, loop->class_count, ((struct aot_class){.kinds = kinds}));
}

enum access_kind aot_general_kind(const struct aot_kernel *k, const struct kernel *kernel, int a)
{
    const struct access *access = &kernel->accesses[a];
    return map_is_bounded(kernel, access->map)                        ? ACCESS_BOUNDED
           : access->map || access_reinterprets(k->program, access) ? ACCESS_MAPPED
                                                                    : ACCESS_STRIDED;
}

/* Adds the class for any strides. */
static void add_general(struct aot_kernel *k, struct aot_loop *loop)
{
    const struct kernel *kernel = loop->kernel;
    unsigned char *kinds = ARENA_ARRAY(k->arena, unsigned char, kernel->access_count);
    for (int a = 0; a < kernel->access_count; a++)
        kinds[a] = aot_general_kind(k, kernel, a);
    ARENA_PUSH(k->arena, loop->classes, loop->class_count, ((struct aot_class){.kinds = kinds}));
}

void aot_c_classes(struct aot_kernel *k, struct aot_loop *loop, const struct likely *const *likely, int count)
{
    for (int e = 0; e < count; e++)
        if (likely[e])
            add_class(k, loop, likely[e]->geometry.kinds);
    add_general(k, loop);
}
