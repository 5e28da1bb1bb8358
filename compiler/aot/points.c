/* Loops of a plain function that take turns: reductions of rows, and what goes over the same rows, such as the three
 * of a softmax. One loop over the points, which are what the leading dimensions of a space hold, computes each in
 * turn, and what a loop stores for those behind it is then a value. Each needs only the point in hand of what is
 * stored in it (compiler/loop/chain.c has the same for runs). */
#include "compiler/aot/print_impl.h"

#include <string.h>

bool aot_is_left_out(const struct aot_kernel *k, const struct aot_loop *loop)
{
    const struct access *stored = &loop->kernel->accesses[loop->kernel->load_count];
    return (loop->kernel->lanes && loop->kernel->lanes->partial) ||
           (access_is_temporary(stored) && k->temporaries[stored->index].numbers);
}

/* The number of a shape's leading dimensions that hold the points; 0: none do. */
static int leading_dimensions(const struct aot_kernel *k, const struct shape *shape, int64_t points)
{
    struct shape first = {.rank = 0};
    int64_t known = 1;
    for (int d = 0; d < shape->rank; d++) {
        first.extents[first.rank++] = shape->extents[d];
        known = shape->extents[d] < 0 || known < 0 ? -1 : known * shape->extents[d];
        if (known == points || (d == 0 && shape->extents[0] == points))
            return d + 1;
        const int64_t term = EXTENT_VARIABLE - points;
        if (points < 0 && k->terms[term].op == EXTENT_VOLUME &&
            shapes_equal(k->terms[term].shape, &first))
            return d + 1;
    }
    return 0;
}

/* The points of which a loop may take one at a time with others; 1: it may not. */
static int64_t points_of(const struct aot_loop *loop)
{
    const struct lanes *lanes = loop->kernel->lanes;
    return lanes && lanes->tiles.inner == 1 ? lanes->tiles.points : 1;
}

static bool stores_elsewhere(const struct kernel *kernel)
{
    bool elsewhere = false;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        elsewhere =
            elsewhere || kernel->accesses[a].map || kernel->accesses[a].kind == TENSOR_TABLE;
    return elsewhere;
}

static bool stores_result(const struct kernel *kernel)
{
    const bool alone = kernel->lanes && kernel->lanes->alone >= 0;
    return !alone && kernel->accesses[kernel->load_count].kind == TENSOR_RESULT;
}

static bool stores(const struct kernel *kernel, int temporary)
{
    bool found = kernel->lanes && kernel->lanes->alone == temporary;
    for (int a = kernel->load_count; a < kernel->access_count; a++)
        found = found || (access_is_temporary(&kernel->accesses[a]) &&
                          kernel->accesses[a].index == temporary);
    return found;
}

/* Whether two shapes are the same but for extents of 1. */
static bool same_points(const struct shape *a, const struct shape *b)
{
    int i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a->rank && a->extents[i] == 1)
            i++;
        while (j < b->rank && b->extents[j] == 1)
            j++;
        if (i == a->rank || j == b->rank || a->extents[i] != b->extents[j])
            return i == a->rank && j == b->rank;
    }
}

/* Whether a loop reads, of a temporary that has a value for each point, that of its own point. */
static bool loads_point(const struct aot_kernel *k, const struct aot_loop *loop,
                        const struct access *access, int dimensions)
{
    const struct index_map *step = &loop->kernel->maps[access->map];
    const struct shape *stored = k->temporaries[access->index].shape, *space = loop->shape;
    const struct shape *read = !access->map                                  ? stored
                               : step->parent || step->axes || step->outside ? NULL
                                                                             : step->from;
    struct shape first = {.rank = dimensions};
    memcpy(first.extents, space->extents, (size_t)dimensions * sizeof *first.extents);
    bool same = read && access->kind == TENSOR_TEMPORARY && read->rank == space->rank &&
                same_points(stored, &first);
    for (int d = 0; same && d < space->rank; d++)
        same = read->extents[d] == (d < dimensions ? space->extents[d] : 1);
    return same;
}

/* Whether loop p can take turns with loops `first` to p - 1. */
static bool follows(const struct aot_kernel *k, int first, int p, int64_t points)
{
    const struct aot_loop *loop = &k->loops[p];
    const struct kernel *kernel = loop->kernel;
    const int dimensions = leading_dimensions(k, loop->shape, points);
    /* the host's loop is over as many dimensions of each: an extent of 1 in front of them would be one more */
    bool good = dimensions && dimensions == leading_dimensions(k, k->loops[first].shape, points) &&
                !kernel_puts(kernel) &&
                (kernel->lanes ? points_of(loop) == points : !stores_elsewhere(kernel));
    for (int a = 0; good && a < kernel->load_count; a++)
        for (int i = first; good && i < p; i++)
            good = !access_is_temporary(&kernel->accesses[a]) ||
                   !stores(k->loops[i].kernel, kernel->accesses[a].index) ||
                   loads_point(k, loop, &kernel->accesses[a], dimensions);
    return good;
}

/* Whether loops `first` to next - 1 alone load a temporary, and one of them alone stores it. */
static bool is_within(const struct aot_kernel *k, int first, int next, int temporary)
{
    int stored = 0;
    bool within = true;
    for (int p = 0; p < k->loop_count; p++) {
        const struct kernel *kernel = k->loops[p].kernel;
        const bool inside = p >= first && p < next;
        if (aot_is_left_out(k, &k->loops[p]))
            continue;
        stored += inside && stores(kernel, temporary);
        within = within && (inside || !stores(kernel, temporary));
        for (int a = 0; a < kernel->load_count && !inside; a++)
            within = within && !(access_is_temporary(&kernel->accesses[a]) &&
                                 kernel->accesses[a].index == temporary);
    }
    return within && stored == 1;
}

/* The loop behind those that take turns from `first` on; *count: how many they are. What stores a result is the last:
 * an input may be its array. */
static int find_next(const struct aot_kernel *k, int first, int64_t points, int *count)
{
    int p = first;
    *count = 0;
    for (bool open = true; open && p < k->loop_count; p++) {
        if (aot_is_left_out(k, &k->loops[p]))
            continue;
        if (!follows(k, first, p, points))
            break;
        ++*count;
        open = !stores_result(k->loops[p].kernel);
    }
    return p;
}

/* Whether every loop that loads the temporary, which has one element, loads that, wherever it is. */
static bool is_single(const struct aot_kernel *k, int temporary)
{
    const struct shape none = {.rank = 0};
    bool single = same_points(k->temporaries[temporary].shape, &none) &&
                  is_within(k, 0, k->loop_count, temporary);
    for (int p = 0; p < k->loop_count; p++)
        for (int a = 0; a < k->loops[p].kernel->load_count; a++) {
            const struct kernel *kernel = k->loops[p].kernel;
            const struct access *access = &kernel->accesses[a];
            if (!access_is_temporary(access) || access->index != temporary ||
                aot_is_left_out(k, &k->loops[p]))
                continue;
            single = single && access->kind == TENSOR_TEMPORARY && !kernel_puts(kernel);
            for (int m = access->map; single && m; m = kernel->maps[m].parent)
                single = !kernel->maps[m].outside && !map_taken_step(kernel->maps, m);
        }
    return single;
}

/* ---- values that two loops need ---- */

static bool same_map(const struct kernel *a, int map_a, const struct kernel *b, int map_b)
{
    if (!map_a || !map_b)
        return map_a == map_b;
    const struct index_map *x = &a->maps[map_a], *y = &b->maps[map_b];
    return !x->parent && !y->parent && !x->axes && !y->axes && !x->outside && !y->outside &&
           shapes_equal(x->from, y->from) && shapes_equal(x->to, y->to);
}

/* Whether two kernels compute the same value of the same elements. */
static bool same_value(const struct kernel *a, int i, const struct kernel *b, int j)
{
    const struct ins *x = &a->ins[i], *y = &b->ins[j];
    bool same = x->kind == y->kind && x->dtype == y->dtype && x->source == y->source;
    if (same && x->kind == INS_LOAD) {
        const struct access *p = &a->accesses[x->index], *q = &b->accesses[y->index];
        return access_same(p, q) && p->kind != TENSOR_CONSTANT && same_map(a, p->map, b, q->map);
    }
    if (same && x->kind == INS_LITERAL)
        return a->literals[x->index].bits == b->literals[y->index].bits &&
               a->literal_sources[x->index].node < 0 && b->literal_sources[y->index].node < 0;
    same = same && x->kind == INS_OP && x->op == y->op;
    for (int k = 0; same && k < 3; k++)
        same = x->a[k] < 0 || y->a[k] < 0 ? x->a[k] == y->a[k] : same_value(a, x->a[k], b, y->a[k]);
    return same;
}

/* The value that a reduction joins; -1: it is only loaded. */
static int joined_value(const struct kernel *kernel)
{
    for (int i = 0; i < kernel->ins_count; i++)
        if (kernel->ins[i].kind == INS_STORE && kernel->ins[kernel->ins[i].a[0]].kind == INS_OP)
            return kernel->ins[i].a[0];
    return -1;
}

/* Whether no input may be the result's array. */
static bool is_apart(const struct aot_kernel *k, int result)
{
    bool apart = true;
    for (int i = 0; i < k->program->input_count; i++)
        apart = apart && !k->replaces[result * k->program->input_count + i];
    return apart;
}

/* Whether the loop alone stores the result. */
static bool stores_alone(const struct aot_kernel *k, int loop, int result)
{
    bool alone = !k->loops[loop].kernel->accesses[k->loops[loop].kernel->load_count].map;
    for (int p = 0; p < k->loop_count; p++)
        for (int a = k->loops[p].kernel->load_count;
             p != loop && a < k->loops[p].kernel->access_count; a++) {
            const struct access *stored = &k->loops[p].kernel->accesses[a];
            alone = alone && !(stored->kind == TENSOR_RESULT && stored->index == result);
        }
    return alone;
}

/* Where the last one of these loops stores a result of which it needs what an earlier one joined, such as the powers of
 * a softmax, that one leaves them in the result's array. */
static void keep_values(struct aot_kernel *k, struct aot_points *all, int first, int next)
{
    const struct aot_loop *last = &k->loops[next - 1];
    const struct kernel *kernel = last->kernel;
    const struct access *stored = &kernel->accesses[kernel->load_count];
    if (kernel->lanes || stored->kind != TENSOR_RESULT ||
        kernel->access_count != kernel->load_count + 1 || !is_apart(k, stored->index) ||
        !stores_alone(k, next - 1, stored->index))
        return;
    for (int p = next - 2; p >= first; p--) {
        const struct kernel *before = k->loops[p].kernel;
        const int value = before->lanes && !before->lanes->finds && !aot_is_left_out(k, &k->loops[p])
                              ? joined_value(before)
                              : -1;
        if (value < 0 || before->lanes->tiles.inner != 1 ||
            before->ins[value].dtype != stored->dtype ||
            !shapes_equal(k->loops[p].shape, last->shape) ||
            !join_is_ordered(before->lanes->join, before->lanes->tree) ||
            before->lanes->acc != stored->dtype)
            continue;
        for (int i = 0; i < kernel->ins_count; i++)
            if (kernel->ins[i].kind == INS_OP && same_value(before, value, kernel, i)) {
                all[p].kept = stored->index;
                all[next - 1].known = i;
                return;
            }
    }
}

struct aot_points *aot_find_points(struct aot_kernel *k, bool **values)
{
    struct aot_points *all = ARENA_ARRAY(k->arena, struct aot_points, k->loop_count + 1);
    *values = ARENA_ARRAY(k->arena, bool, k->temporary_count + 1);
    for (int p = 0; p < k->loop_count; p++)
        all[p].kept = all[p].known = -1;
    int turns = 0; /* the loop behind those that take turns */
    for (int p = 0; p < k->loop_count; p++) {
        const int64_t points = points_of(&k->loops[p]);
        int count = 0;
        const int next =
            points != 1 && !aot_is_left_out(k, &k->loops[p]) ? find_next(k, p, points, &count) : p;
        if (count < 2) {
            if (p == k->loop_count - 1)
                keep_values(k, all, turns, p + 1);
            continue;
        }
        struct shape *shape = arena_copy(k->arena, k->loops[p].shape, sizeof *shape);
        all[p].next = next;
        all[p].dimensions = shape->rank = leading_dimensions(k, shape, points);
        all[p].text = aot_product(k, shape);
        for (int t = 0; t < k->temporary_count; t++)
            if (same_points(k->temporaries[t].shape, shape) && is_within(k, p, next, t))
                (*values)[t] = true;
        keep_values(k, all, p, next);
        p = next - 1;
        turns = next;
    }
    for (int t = 0; t < k->temporary_count; t++)
        (*values)[t] = (*values)[t] || is_single(k, t);
    return all;
}
