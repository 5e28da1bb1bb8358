/* The order of a kernel's outer dimensions and rows: any is right, since every element is computed by itself, but rows
 * in which elements lie side by side in memory, and rows of one cache line behind each other, are faster. */
#include "compiler/loop/group_order.h"

#include <string.h>

static int64_t distance(const struct grouping *groups, int group, int a)
{
    const int64_t stride = groups->strides[(ptrdiff_t)group * groups->accesses + a];
    return stride < 0 ? -stride : stride;
}

/* The load with the most bytes; -1: there is none. */
static int largest_load(const struct grouping *groups, int loads)
{
    double most = 0;
    int largest = -1;
    for (int a = 0; a < loads; a++) {
        double bytes = groups->sizes[a];
        for (int i = 0; i < groups->count; i++)
            bytes *= distance(groups, i, a) ? (double)groups->extents[i] : 1;
        if (bytes > most && bytes > groups->sizes[a]) {
            most = bytes;
            largest = a;
        }
    }
    return largest;
}

/* How many of the innermost groups make a long row, if some do; else 0. */
static int row_groups(const struct grouping *groups, const int *order)
{
    int64_t elements = 1;
    for (int i = groups->count - 1; i >= 0; i--)
        if ((elements *= groups->extents[order[i]]) >= LONG_ROW)
            return groups->count - i;
    return 0;
}

/* Sorts the `count` outermost groups so that those lie innermost whose elements access `a` has side by side. Returns
 * whether they did not. */
static bool sort_groups(const struct grouping *groups, int a, int count, int *order)
{
    bool sorted = false;
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && distance(groups, order[k], a) > distance(groups, order[k - 1], a); k--) {
            const int other = order[k];
            order[k] = order[k - 1];
            order[k - 1] = other;
            sorted = true;
        }
    return sorted;
}

/* Whether all of the `outer` outermost groups move access `a`. */
static bool moves_along(const struct grouping *groups, const int *order, int outer, int a)
{
    bool moves = true;
    for (int i = 0; moves && i < outer; i++)
        moves = distance(groups, order[i], a) != 0;
    return moves;
}

/* Whether rows of all but the `outer` outermost groups may come in the order in which load `a` has them in memory: they
 * are long, so that it does not matter where each is written, and that load alone has other elements for each. */
static bool rows_go_by(const struct grouping *groups, const int *order, int outer, int a, int loads)
{
    double elements = 1;
    for (int i = outer; i < groups->count; i++)
        elements *= (double)groups->extents[order[i]];
    bool alone = elements >= EXPAND_LONG; /* shorter ones would be expanded, where these groups are others */
    for (int b = 0; alone && b < loads; b++)
        alone = moves_along(groups, order, outer, b) == (b == a);
    return alone;
}

/* The outer group along which load `a` steps by less than a cache line, where rows step farther; -1: there is none.
 * Place in `order`. */
static int across(const struct grouping *groups, const int *order, int inner, int a)
{
    int nearest = -1;
    int64_t least = TRANSPOSED_LINE;
    for (int i = 0; i < groups->count; i++) {
        const int64_t step = distance(groups, order[i], a);
        if (step && step < least) {
            least = step;
            nearest = i;
        }
    }
    return nearest < groups->count - inner ? nearest : -1;
}

static void move_to(int *order, int from, int to)
{
    const int moved = order[from];
    memmove(order + from, order + from + 1, (size_t)(to - from) * sizeof *order);
    order[to] = moved;
}

/* Whether two groups, each behind the other, are one for all accesses. */
static bool are_one(const struct grouping *groups, int outer, int inner)
{
    const int64_t *const steps = groups->strides + (ptrdiff_t)outer * groups->accesses,
                  *const inside = groups->strides + (ptrdiff_t)inner * groups->accesses;
    bool one = true;
    for (int a = 0; one && a < groups->accesses; a++)
        one = steps[a] == inside[a] * groups->extents[inner];
    return one;
}

/* Puts the groups into this order, and joins those that are one then. */
static void arrange(struct arena *arena, const int *order, struct grouping *groups)
{
    const size_t each = (size_t)groups->accesses;
    const struct grouping old = *groups;
    int count = 0;
    groups->strides = ARENA_ARRAY(arena, int64_t, each * (size_t)old.count);
    for (int i = 0; i < old.count; i++) {
        groups->extents[count] = old.extents[order[i]];
        memcpy(groups->strides + each * (size_t)count, old.strides + each * (size_t)order[i], each * sizeof(int64_t));
        if (count && are_one(groups, count - 1, count)) {
            groups->extents[count - 1] *= groups->extents[count];
            memcpy(groups->strides + each * (size_t)(count - 1), groups->strides + each * (size_t)count,
                   each * sizeof(int64_t));
        } else {
            count++;
        }
    }
    groups->count = count;
}

bool order_groups(struct arena *arena, int loads, bool free, struct grouping *groups)
{
    int order[MAX_GROUPS], stored[MAX_GROUPS];
    const int load = largest_load(groups, loads), count = groups->count;
    bool moved = false;
    for (int a = 0; a < groups->accesses; a++)
        if (groups->walks[a])
            return false;
    for (int i = 0; i < count; i++)
        order[i] = stored[i] = i;
    sort_groups(groups, loads, count, stored);
    const int inner = row_groups(groups, stored);
    if (!inner)
        return false;
    if (memcmp(order + count - inner, stored + count - inner, (size_t)inner * sizeof *order) != 0) {
        memcpy(order, stored, (size_t)count * sizeof *order);
        moved = true;
    }
    if (free && load >= 0 && rows_go_by(groups, order, count - inner, load, loads))
        moved = sort_groups(groups, load, count - inner, order) || moved;
    const int nearest = load < 0 ? -1 : across(groups, order, inner, load);
    if (nearest >= 0 && nearest < count - inner - 1) {
        move_to(order, nearest, count - inner - 1);
        moved = true;
    }
    if (moved)
        arrange(arena, order, groups);
    return moved;
}
