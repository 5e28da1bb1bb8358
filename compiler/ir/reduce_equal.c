/* Reductions that join the same values in the same way are one, however they are written: the kernels that compute what
 * they join are equal but for places in the text (reduce.h). */
#include "compiler/ir/reduce.h"

#include <string.h>

static bool same_ins(const struct ins *a, const struct ins *b)
{
    return a->kind == b->kind && a->op == b->op && a->dtype == b->dtype && a->source == b->source &&
           memcmp(a->a, b->a, sizeof a->a) == 0 && a->index == b->index;
}

static bool same_access(const struct access *a, const struct access *b)
{
    return access_same(a, b) && a->map == b->map && a->alone == b->alone;
}

static bool same_axis(const struct axis *a, const struct axis *b)
{
    const struct slice *x = &a->slice, *y = &b->slice;
    return a->from == b->from && a->edge == b->edge && x->start == y->start && x->step == y->step &&
           x->has_start == y->has_start && x->has_stop == y->has_stop && (!x->has_stop || x->stop == y->stop) &&
           x->open == y->open;
}

static bool same_map(const struct index_map *a, const struct index_map *b)
{
    bool same = a->parent == b->parent && a->outside == b->outside && a->value == b->value && !a->axes == !b->axes &&
                !a->from == !b->from && (!a->from || shapes_equal(a->from, b->from)) && shapes_equal(a->to, b->to);
    for (int d = 0; same && a->axes && d < a->to->rank; d++)
        same = same_axis(&a->axes[d], &b->axes[d]);
    return same;
}

/* Array literals have the shape of their node. */
static bool same_constant(const struct program *program, const struct constant *a, const struct constant *b)
{
    const struct node *x = &program->nodes[a->node], *y = &program->nodes[b->node];
    const bool shapes = a->shape && b->shape ? shapes_equal(a->shape, b->shape)
                                             : !a->shape == !b->shape && x->rank == y->rank &&
                                                   memcmp(&program->extents[x->extents], &program->extents[y->extents],
                                                          (size_t)x->rank * sizeof *program->extents) == 0;
    return shapes && a->dtype == b->dtype && a->bytes == b->bytes && memcmp(a->data, b->data, a->bytes) == 0;
}

static bool same_literal(const struct kernel *a, const struct kernel *b, int i)
{
    const struct number_source *x = &a->literal_sources[i], *y = &b->literal_sources[i];
    return a->literal_dtypes[i] == b->literal_dtypes[i] && a->literals[i].bits == b->literals[i].bits &&
           x->node == y->node && x->how == y->how;
}

static bool same_counts(const struct kernel *a, const struct kernel *b)
{
    return a->ins_count == b->ins_count && a->access_count == b->access_count && a->load_count == b->load_count &&
           a->map_count == b->map_count && a->constant_count == b->constant_count && a->mask_count == b->mask_count &&
           a->literal_count == b->literal_count && a->fault_count == b->fault_count;
}

/* Whether b computes what a does. Of two remarks the first one in the text is told, which shall be that of a. */
static bool same_values(const struct kernel *a, const struct kernel *b)
{
    bool same = same_counts(a, b);
    for (int i = 0; same && i < a->load_count; i++)
        same = same_access(&a->accesses[i], &b->accesses[i]);
    for (int i = 0; same && i < a->ins_count; i++)
        same = same_ins(&a->ins[i], &b->ins[i]);
    for (int i = 0; same && i < a->literal_count; i++)
        same = same_literal(a, b, i);
    for (int i = 0; same && i < a->map_count; i++)
        same = same_map(&a->maps[i], &b->maps[i]);
    for (int i = 0; same && i < a->constant_count; i++)
        same = same_constant(a->program, &a->constants[i], &b->constants[i]);
    for (int i = 0; same && i < a->mask_count; i++)
        same = a->masks[i].constant == b->masks[i].constant && a->masks[i].map == b->masks[i].map &&
               a->masks[i].where == b->masks[i].where && a->masks[i].dimension == b->masks[i].dimension &&
               a->masks[i].ones == b->masks[i].ones;
    for (int i = 0; same && i < a->fault_count; i++)
        same = a->faults[i].outside == b->faults[i].outside && a->faults[i].span.start <= b->faults[i].span.start;
    return same;
}

bool reductions_equal(const struct program_kernel *a, const struct program_kernel *b)
{
    const struct reduce *x = a->reduce, *y = b->reduce;
    return x && y && join_rows[x->join].op == join_rows[y->join].op && x->dtype == y->dtype &&
           x->result == y->result && x->finds == y->finds && x->places == y->places && x->extreme == y->extreme &&
           a->reduced == b->reduced && a->inner == b->inner && shapes_equal(a->space, b->space) &&
           same_values(a->kernel, b->kernel);
}
