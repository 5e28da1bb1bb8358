/* The command `weft` with selections that may go beyond what is there: linked with --wrap=map_select, so that what
 * the language has no text for runs on all of its paths. A slice starts where it says and goes on by its step, a
 * negative number counts nothing from the end, and an element outside is the value with bits 1. Extents are those of
 * the language's slices. */
#include "compiler/ir/index_map.h"

int __wrap_map_select(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                      const struct axis *axes);

int __wrap_map_select(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                      const struct axis *axes)
{
    struct axis *bounded = arena_copy(kernel->arena, axes, (size_t)to->rank * sizeof *axes);
    for (int d = 0; d < to->rank; d++) {
        bounded[d].slice.has_stop = false;
        bounded[d].slice.start = axes[d].from < 0 || axes[d].slice.has_start ? axes[d].slice.start : 0;
    }
    return map_bounded(kernel, map, from, to, bounded, 1);
}
