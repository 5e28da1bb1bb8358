/* Implements index_map.h: adds steps to a kernel's maps, and merges them where possible. */
#include "compiler/ir/index_map_impl.h"

/* Whether two shapes are the same for broadcasting: equal except for leading extents of 1. */
static bool same_space(const struct shape *a, const struct shape *b)
{
    int rank = a->rank > b->rank ? a->rank : b->rank;
    for (int d = 1; d <= rank; d++)
        if ((d <= a->rank ? a->extents[a->rank - d] : 1) !=
            (d <= b->rank ? b->extents[b->rank - d] : 1))
            return false;
    return true;
}

/* Whether two axes certainly select the same elements of a dimension, whose extent may be unknown. */
static bool same_axis(const struct axis *a, const struct axis *b, int64_t extent)
{
    const struct slice *x = &a->slice, *y = &b->slice;
    int64_t first[2], count[2];
    if (a->from != b->from || (a->from >= 0 && x->step != y->step) || x->open != y->open || a->edge != b->edge)
        return false;
    if (a->from < 0 || extent < 0 || x->open)
        return x->start == y->start && (a->from < 0 || (x->stop == y->stop && x->has_start == y->has_start &&
                                                        x->has_stop == y->has_stop));
    slice_resolve(x, extent, &first[0], &count[0]);
    slice_resolve(y, extent, &first[1], &count[1]);
    return first[0] == first[1] && count[0] == count[1];
}

/* Whether two steps read the same elements. */
static bool same_step(const struct index_map *a, const struct index_map *b)
{
    bool same = a->parent == b->parent && a->outside == b->outside && a->value == b->value && !a->axes == !b->axes;
    if (!same || !a->axes)
        return same && same_space(a->from, b->from) && same_space(a->to, b->to);
    same = shapes_equal(a->from, b->from) && shapes_equal(a->to, b->to);
    for (int d = 0; same && d < a->to->rank; d++)
        same = same_axis(&a->axes[d], &b->axes[d], a->outside ? -1 : a->to->extents[d]);
    return same;
}

int map_add_step(struct kernel *kernel, struct index_map step)
{
    for (int m = 1; m < kernel->map_count; m++)
        if (same_step(&kernel->maps[m], &step))
            return m;
    if (kernel->map_count >= VIEW_MAPS + kernel->granted_maps || kernel->map_count == MAX_MAPS)
        return -1;
    ARENA_PUSH(kernel->arena, kernel->maps, kernel->map_count, step);
    return kernel->map_count - 1;
}

static int find_map(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                    bool apart)
{
    const struct index_map *outer = &kernel->maps[map];
    if (!outer->axes && !outer->outside && shapes_fill(from, outer->to)) { /* nothing is stretched in between */
        from = map ? outer->from : outer->to;
        map = map ? outer->parent : 0;
    }
    if (same_space(from, to) && !(apart && !shapes_fill(from, kernel->maps[map].to)))
        return map;
    return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to});
}

int map_view(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, false);
}

int map_bytes(struct kernel *kernel, int map, const struct shape *from, const struct shape *to)
{
    return find_map(kernel, map, from, to, true);
}

/* Whether the axes certainly select all elements in order. */
static bool selects_all(const struct shape *to, const struct axis *axes)
{
    int last = -1;
    for (int d = 0; d < to->rank; d++) {
        const int64_t extent = to->extents[d];
        const struct axis all = {axes[d].from, {.step = 1}};
        if (extent == 1)
            continue;
        if (axes[d].slice.open || axes[d].from <= last || axes[d].slice.step != 1 || !same_axis(&axes[d], &all, extent))
            return false;
        last = axes[d].from;
    }
    return true;
}

struct slice map_slice(int64_t first, int64_t step, int64_t count)
{
    const int64_t stop = first + step * count;
    return (struct slice){first, stop < 0 ? 0 : stop, step, true, stop >= 0};
}

/* Merges two selections of one dimension of the given extent: `axis` selects from it, and `outer` selects from the
 * result. Returns the axis of both together. */
static struct axis select_twice(const struct index_map *outer, struct axis axis, int64_t extent)
{
    int64_t first, count, outer_first;
    if (axis.from < 0)
        return axis;
    const struct axis *next = &outer->axes[axis.from];
    const int64_t selected = outer->to->extents[axis.from];
    slice_resolve(&axis.slice, extent, &first, &count);
    if (next->from < 0) {
        const int64_t index = next->slice.start + (next->slice.start < 0 ? selected : 0);
        return (struct axis){-1, {.start = first + axis.slice.step * index}};
    }
    slice_resolve(&next->slice, selected, &outer_first, &count);
    const int64_t step = count > 1 ? axis.slice.step * next->slice.step : 1;
    return (struct axis){next->from, map_slice(first + axis.slice.step * outer_first, step, count)};
}

/* Whether a call decides a number of a slice. */
static bool any_open(const struct axis *axes, int rank)
{
    bool any = false;
    for (int d = 0; d < rank; d++)
        any = any || axes[d].slice.open;
    return any;
}

/* Whether a selection of shape `from` and the last step of the map can be merged: that step is a selection too, nothing
 * is stretched in between, and all extents are known. */
static bool follows_selection(const struct index_map *outer, const struct shape *from, const struct shape *to,
                              const struct axis *axes)
{
    return outer->axes && !any_open(outer->axes, outer->to->rank) && !any_open(axes, to->rank) && !outer->outside &&
           shapes_equal(from, outer->to) && shape_known(from) && shape_known(to) &&
           shape_known(outer->from) && shape_volume(outer->from) > 0;
}

int map_select(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
               const struct axis *axes)
{
    const struct index_map outer = kernel->maps[map];
    if (follows_selection(&outer, from, to, axes)) {
        struct axis *both = ARENA_ARRAY(kernel->arena, struct axis, to->rank);
        for (int d = 0; d < to->rank; d++)
            both[d] = select_twice(&outer, axes[d], to->extents[d]);
        return map_select(kernel, outer.parent, outer.from, to, both);
    }
    if (selects_all(to, axes) && shapes_fill(from, to))
        return map_view(kernel, map, from, to);
    return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to, .axes = axes});
}

int map_bounded(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
                const struct axis *axes, uint64_t value)
{
    return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to, .axes = axes,
                                               .outside = OUTSIDE_VALUE, .value = value});
}

/* Most dimensions of a step that go round. Their elements are counted twice, and the number of all must fit. */
enum { MAX_WRAPPED = 3 };

/* Whether a dimension of this extent does not move. */
static bool stays(int64_t extent, struct shift shift)
{
    return extent == 0 || (!shift.open && (shift.by == 0 || (extent > 0 && shift.by % extent == 0)));
}

static struct slice wrapped_slice(int64_t extent, struct shift shift)
{
    return (struct slice){.start = shift.open ? shift.by : extent > 0 ? -(shift.by % extent) : -shift.by, .step = 1,
                          .has_start = true, .open = shift.open};
}

int map_wrapped(struct kernel *kernel, int map, const struct shape *to, const struct shift *shifts)
{
    for (int d = 0; map >= 0 && d < to->rank;) {
        struct axis *axes = ARENA_ARRAY(kernel->arena, struct axis, to->rank);
        int moved = 0;
        for (int all = 0; all < to->rank; all++)
            axes[all] = (struct axis){all, {.step = 1}};
        for (; d < to->rank && moved < MAX_WRAPPED; d++)
            if (!stays(to->extents[d], shifts[d]))
                axes[d].slice = wrapped_slice(to->extents[d], shifts[d]), moved++;
        if (moved)
            map = map_add_step(kernel, (struct index_map){.parent = map, .from = to, .to = to, .axes = axes,
                                                      .outside = OUTSIDE_WRAP});
    }
    return map;
}

int map_within(struct kernel *kernel, int map, const struct shape *from, const struct shape *to, int d, int64_t start)
{
    struct axis *axes = ARENA_ARRAY(kernel->arena, struct axis, to->rank);
    for (int t = 0; t < to->rank; t++)
        axes[t] = (struct axis){t, {.step = 1}};
    axes[d].slice = (struct slice){.start = start, .step = 1, .has_start = true};
    return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to, .axes = axes,
                                               .outside = OUTSIDE_WRAP});
}

int map_taken(struct kernel *kernel, int map, const struct shape *from, const struct shape *to, uint64_t which)
{
    return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to, .outside = OUTSIDE_TAKEN,
                                               .value = which});
}

int map_taken_step(const struct index_map *maps, int map)
{
    while (map && maps[map].outside != OUTSIDE_TAKEN)
        map = maps[map].parent;
    return map;
}

bool map_reach(const struct kernel *kernel, int map, int d, struct reach *reach)
{
    const struct index_map *step = &kernel->maps[map];
    const struct shape *space = kernel->maps[0].to;
    if (d > step->to->rank)
        return false;
    const int t = step->to->rank - d;
    const int64_t extent = step->to->extents[t];
    if (!map) {
        *reach = (struct reach){t, 0, 1, extent};
        return true;
    }
    if (step->parent || !step->axes || step->outside || !shapes_equal(step->from, space))
        return false;
    const struct axis *axis = &step->axes[t];
    *reach = (struct reach){axis->from, axis->slice.start + (axis->slice.start < 0 ? extent : 0), 1, 1};
    if (axis->from >= 0) {
        reach->step = axis->slice.step;
        slice_resolve(&axis->slice, extent, &reach->first, &reach->count);
    }
    return true;
}

int map_again(struct kernel *kernel, int map, const struct index_map *step)
{
    if (map < 0)
        return map;
    switch (step->outside) {
    case OUTSIDE_VALUE: case OUTSIDE_EDGE: case OUTSIDE_WRAP: return map_inside_again(kernel, map, step);
    case OUTSIDE_TAKEN: return map_taken(kernel, map, step->from, step->to, step->value);
    default: break;
    }
    return step->axes ? map_select(kernel, map, step->from, step->to, step->axes)
                      : map_bytes(kernel, map, step->from, step->to);
}

int map_levels(const struct index_map *maps, int map)
{
    int levels = 1;
    for (; map; map = maps[map].parent)
        levels += maps[map].outside ? MAP_BOUNDED_STEP : MAP_STEP;
    return levels;
}

/* Each stretched dimension adds a piece and cuts another one, and so does each dimension from
 * which something is selected. One that goes round adds another. */
int map_pieces(const struct index_map *maps, int map)
{
    int pieces = map ? maps[map].to->rank + 1 : 1;
    for (; map; map = maps[map].parent)
        pieces += maps[map].from->rank + (maps[map].outside ? 2 : 1) * maps[map].to->rank +
                  2 * maps[maps[map].parent].to->rank;
    return pieces < MAX_PIECES ? pieces : MAX_PIECES;
}

/* Whether a step of this kind or the other one is on the way, below all that are taken. */
static bool passes(const struct kernel *kernel, int map, enum outside outside, enum outside other)
{
    for (; map && kernel->maps[map].outside != OUTSIDE_TAKEN; map = kernel->maps[map].parent)
        if (kernel->maps[map].outside == outside || kernel->maps[map].outside == other)
            return true;
    return false;
}

bool map_is_bounded(const struct kernel *kernel, int map)
{
    return passes(kernel, map, OUTSIDE_VALUE, OUTSIDE_EDGE);
}

bool map_reads_value(const struct kernel *kernel, int map)
{
    return passes(kernel, map, OUTSIDE_VALUE, OUTSIDE_VALUE);
}
