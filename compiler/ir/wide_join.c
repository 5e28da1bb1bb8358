/* A concat or stack of many values (rule 9.3). Each of them takes a few maps, so several kernels join some of them
 * each, and store them one behind the other. */
#include "compiler/ir/temporaries.h"

#include "compiler/check/check.h"
#include "compiler/ir/index_map.h"
#include "compiler/ir/kernel.h"

enum { MOST_JOINED = 32 };         /* values that one kernel joins; it is split into so many (split.c) */

bool is_wide_join(const struct lowering *l, int n)
{
    const struct node *node = &l->program->nodes[n];
    bool wide = node->kind == NODE_JOIN && node->operand_count > MOST_JOINED && shape_known(l->shapes[n]);
    for (int i = 0; wide && i < node->operand_count; i++)
        wide = shape_known(l->shapes[l->program->operands[node->operands + i]]);
    return wide;
}

/* Where the next values of a join are, from `first` on: as many as one kernel joins. *at: the position along the axis,
 * which moves behind them. */
static struct join_piece next_piece(const struct lowering *l, int n, int first, int64_t *at)
{
    const struct node *node = &l->program->nodes[n];
    const struct view_args *args = &l->program->views[node->view];
    const struct shape *whole = l->shapes[n];
    const bool stack = args->kind == VIEW_STACK;
    const int axis = view_join_axis(args, whole->rank - stack), left = node->operand_count - first;
    struct axis *box = ARENA_ARRAY(l->arena, struct axis, whole->rank);
    const int64_t start = *at;
    const int count = left < MOST_JOINED ? left : MOST_JOINED;
    for (int i = 0; i < count; i++)
        *at += stack ? 1 : l->shapes[l->program->operands[node->operands + first + i]]->extents[axis];
    for (int d = 0; d < whole->rank; d++)
        box[d] = d == axis ? (struct axis){d, {start, *at, 1, true, true}} : (struct axis){d, {.step = 1}};
    return (struct join_piece){n, first, count, whole, box};
}

bool store_wide_join(struct lowering *l, int n)
{
    const struct view_args *args = &l->program->views[l->program->nodes[n].view];
    const struct shape *whole = l->shapes[n];
    const int axis = view_join_axis(args, whole->rank - (args->kind == VIEW_STACK));
    const int temporary = add_temporary(l->kernels, l->program->nodes[n].dtype, whole);
    int64_t at = 0;
    for (int first = 0; first < l->program->nodes[n].operand_count; first += MOST_JOINED) {
        const int64_t before = at;
        const struct join_piece piece = next_piece(l, n, first, &at);
        struct shape *space = arena_copy(l->arena, whole, sizeof *whole);
        const struct lower_params params = lower_params(l);
        const struct lowered_value value = {.node = n, .dtype = l->program->nodes[n].dtype, .space = space,
                                            .sought = -1, .positions = -1, .temporary = temporary, .piece = &piece};
        space->extents[axis] = at - before;
        struct kernel *kernel = at > before ? lower_value(l->arena, &params, &value) : NULL;
        if (kernel)
            add_kernel(l->kernels, (struct program_kernel){.kernel = kernel, .space = space});
        if (at > before && !kernel)
            return false;
    }
    l->reduced[n].temporary = temporary;
    l->reduced[n].stored = true;
    return true;
}
