/* Steps whose positions may lie outside (rule 10.1): where they read along one line, such a step is a selection. */
#include "compiler/ir/index_map_impl.h"

/* The positions from `begin` on and before `end` of a dimension read element at + turn * position. Where turn is 0 they
 * all read element `at`, or, if they lie `outside`, none. */
struct line {
    int64_t begin, end, at, turn;
    bool outside;
};

static enum edge edge_of(const struct index_map *step, int t)
{
    return step->outside == OUTSIDE_WRAP ? EDGE_WRAP : step->axes[t].edge;
}

/* After how many positions elements come again; 0: they do not. */
static int64_t round_of(enum edge edge, int64_t extent)
{
    return edge == EDGE_WRAP ? extent : edge == EDGE_SYMMETRIC ? 2 * extent : edge == EDGE_REFLECT ? 2 * extent - 2 : 0;
}

/* The line of a position, in a dimension of `extent`. */
static struct line find_line(enum edge edge, int64_t extent, int64_t position)
{
    const int64_t round = round_of(edge, extent);
    const bool value = edge == EDGE_VALUE;
    if (round > 0) {
        const int64_t begin = position - position % round - (position % round < 0 ? round : 0);
        if (position - begin < extent)
            return (struct line){begin, begin + extent, -begin, 1, false};
        return (struct line){begin + extent, begin + round, begin + 2 * extent - (edge == EDGE_REFLECT ? 2 : 1), -1,
                             false};
    }
    if (position < 0)
        return (struct line){INT64_MIN, 0, 0, 0, value};
    return position < extent ? (struct line){0, extent, 0, 1, false}
                             : (struct line){extent, INT64_MAX, value ? 0 : extent - 1, 0, value};
}

bool edge_element(enum edge edge, int64_t extent, int64_t *position)
{
    const struct line line = find_line(edge, extent, *position);
    *position = line.at + line.turn * *position;
    return extent > 0 && !line.outside;
}

/* Positions are kept so near that sums of them do not overflow. */
static int64_t nearby(enum edge edge, int64_t extent, int64_t position)
{
    const int64_t far = INT64_C(1) << 61, round = extent < 0 ? 0 : round_of(edge, extent);
    return round > 0 ? position % round : position < -far ? -far : position > far ? far : position;
}

/* The positions that a step reads along dimension t of `to`, from behind `map`. False where they are not known. */
static bool find_positions(const struct kernel *kernel, int map, const struct index_map *step, int t,
                           struct reach *reach)
{
    const struct axis *axis = &step->axes[t];
    *reach = (struct reach){-1, 0, 1, 1};
    if (axis->from >= 0 && step->from->extents[axis->from] != 1 && /* an extent of 1 may be stretched */
        !map_reach(kernel, map, step->from->rank - axis->from, reach))
        return false;
    if (axis->slice.open || axis->slice.has_stop || axis->slice.step != 1 || step->to->extents[t] < 0)
        return false;
    reach->first += nearby(edge_of(step, t), step->to->extents[t], axis->slice.start);
    return reach->count > 0;
}

/* ---- steps ---- */

/* Whether all positions certainly lie inside. */
static bool lies_inside(const struct shape *from, const struct shape *to, const struct axis *axes)
{
    bool inside = true;
    for (int t = 0; inside && t < to->rank; t++) {
        const int64_t extent = to->extents[t], own = from->extents[axes[t].from];
        const bool moves = axes[t].slice.open || axes[t].slice.start;
        inside = (!moves && own == extent) ||
                 (!axes[t].slice.open && axes[t].slice.start >= 0 && extent >= 0 && own >= 0 &&
                  axes[t].slice.start <= extent - own);
    }
    return inside;
}

int map_edges(struct kernel *kernel, int map, const struct shape *from, const struct shape *to,
              const struct axis *axes)
{
    struct axis *own = arena_copy(kernel->arena, axes, (size_t)to->rank * sizeof *own);
    for (int t = 0; t < to->rank; t++)
        if (!own[t].slice.open && own[t].edge != EDGE_VALUE && to->extents[t] == 1 && from->extents[own[t].from] == 1)
            own[t].slice.start = 0; /* it is the only element wherever it is looked for */
        else if (!own[t].slice.open)
            own[t].slice.start = nearby(own[t].edge, to->extents[t], own[t].slice.start);
    if (!lies_inside(from, to, own))
        return map_add_step(kernel, (struct index_map){.parent = map, .from = from, .to = to, .axes = own,
                                                       .outside = OUTSIDE_EDGE});
    for (int t = 0; t < to->rank; t++) {
        const bool all = from->extents[own[t].from] == to->extents[t];
        const struct slice slice = {.step = 1};
        own[t] = (struct axis){own[t].from,
                               all ? slice : map_slice(own[t].slice.start, 1, from->extents[own[t].from]), EDGE_VALUE};
    }
    return map_select(kernel, map, from, to, own);
}

/* ---- steps of a part ---- */

/* The axis that reads dimension t, behind `map`, where all positions are on one line. */
static bool straighten(const struct kernel *kernel, int map, const struct index_map *step, int t, struct axis *axis)
{
    const int64_t extent = step->to->extents[t];
    struct reach reach;
    if (extent == 0 || !find_positions(kernel, map, step, t, &reach))
        return false;
    const int64_t last = reach.first + reach.step * (reach.count - 1);
    const struct line line = find_line(edge_of(step, t), extent, reach.first);
    if (last < line.begin || last >= line.end || (line.outside && step->outside != OUTSIDE_EDGE))
        return false;
    *axis = (struct axis){-1, {.start = line.at + line.turn * reach.first}, EDGE_VALUE};
    if (reach.from >= 0 && line.turn)
        *axis = (struct axis){reach.from, map_slice(axis->slice.start, line.turn * reach.step, reach.count),
                              EDGE_VALUE};
    return true;
}

int map_inside_again(struct kernel *kernel, int map, const struct index_map *step)
{
    const struct shape *space = kernel->maps[0].to;
    struct shape *from = arena_copy(kernel->arena, space, sizeof *from);
    struct axis *axes = ARENA_ARRAY(kernel->arena, struct axis, step->to->rank + 1);
    for (int d = 0; d < space->rank; d++)
        from->extents[d] = 1;
    const struct index_map *above = &kernel->maps[map];
    const bool near = !map || (!above->parent && above->axes && !above->outside);
    for (int t = 0; t < step->to->rank; t++) {
        if (!near || !straighten(kernel, map, step, t, &axes[t])) {
            struct index_map same = *step;
            same.parent = map;
            return map_add_step(kernel, same);
        }
        if (axes[t].from >= 0)
            from->extents[axes[t].from] = space->extents[axes[t].from];
    }
    return map_select(kernel, 0, from, step->to, axes);
}

int map_inside(const struct kernel *kernel, int map, const struct index_map *step)
{
    int inside = 1;
    struct reach reach;
    for (int t = 0; t < step->to->rank; t++) {
        if (step->axes[t].edge != EDGE_VALUE)
            continue;
        const bool found = find_positions(kernel, map, step, t, &reach);
        const int64_t last = found ? reach.first + reach.step * (reach.count - 1) : 0;
        const struct line line = find_line(EDGE_VALUE, step->to->extents[t], found ? reach.first : 0);
        if (!found || last < line.begin || last >= line.end)
            inside = inside ? -1 : 0;
        else if (line.outside)
            inside = 0;
    }
    return inside;
}

/* The number of positions up to the line's end. */
static int64_t count_on(const struct line *line, int64_t position, int64_t step)
{
    return step > 0 ? line->end == INT64_MAX ? INT64_MAX : (line->end - position - 1) / step + 1
           : line->begin == INT64_MIN ? INT64_MAX : (position - line->begin) / -step + 1;
}

void map_turns(const struct kernel *kernel, const struct index_map *step, void (*cut)(void *, int, int64_t), void *user)
{
    enum { MOST = 64 };
    struct reach reach;
    for (int t = 0; t < step->to->rank; t++) {
        if (!find_positions(kernel, step->parent, step, t, &reach) || reach.from < 0)
            continue;
        int64_t i = 0;
        for (int turns = 0; turns < MOST; turns++) {
            const int64_t position = reach.first + i * reach.step;
            const struct line line = find_line(edge_of(step, t), step->to->extents[t], position);
            const int64_t more = count_on(&line, position, reach.step);
            if (more >= reach.count - i)
                break;
            i += more;
            cut(user, reach.from, i);
        }
    }
}
