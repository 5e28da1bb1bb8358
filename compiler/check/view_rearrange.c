/* The shapes of transpose, flip, roll, broadcast_to, tile and repeat (rule 9.2), and what they do with each
 * dimension. */
#include "compiler/check/view_impl.h"

/* ---- what is done with each dimension ---- */

/* The dimension that number `i` of the axes names. */
static int axis_at(const struct numbers *axes, int rank, int i)
{
    const int64_t axis = (int64_t)axes->items[i].integer;
    return (int)(axis < 0 ? axis + rank : axis);
}

static int permute(const struct numbers *axes, int rank, struct view_axis *to)
{
    uint32_t seen = 0;
    if (axes->given && axes->count != rank)
        return -1;
    for (int d = 0; d < rank; d++) {
        const int from = axes->given ? axis_at(axes, rank, d) : rank - 1 - d;
        if (from < 0 || from >= rank || seen >> from & 1)
            return -1;
        seen |= 1u << from;
        to[from].result = d;
    }
    return rank;
}

/* Of scatter: the axes come first, in their order; or the other way round. */
static int bring_front(const struct view_args *args, int rank, struct view_axis *to)
{
    const int count = args->axes.count;
    uint32_t set = 0;
    for (int i = 0; i < count; i++) {
        const int d = axis_at(&args->axes, rank, i);
        if (d < 0 || d >= rank || set >> d & 1)
            return -1;
        set |= 1u << d;
        to[args->part == SCATTER_FRONT ? d : i].result = args->part == SCATTER_FRONT ? i : d;
    }
    for (int d = 0, next = count; d < rank; d++)
        if (!(set >> d & 1)) {
            to[args->part == SCATTER_FRONT ? d : next].result = args->part == SCATTER_FRONT ? next : d;
            next++;
        }
    return rank;
}

static const struct item backwards = {.kind = ITEM_SLICE, .slice = {.step = -1}, .sizes = {-1, -1, -1}};

/* flip and roll: what happens along the dimensions that axes name. */
static int turn(const struct view_args *args, int rank, struct view_axis *to)
{
    const bool flips = args->kind == VIEW_FLIP;
    const struct numbers *axes = &args->axes;
    const int count = axes->given ? axes->count : flips ? rank : rank > 0;
    for (int i = 0; i < count; i++) {
        const int d = axes->given ? axis_at(axes, rank, i) : rank - 1 - i;
        if (d < 0 || d >= rank)
            return -1;
        to[d].item = flips ? &backwards : NULL;
        to[d].shift = flips ? -1 : args->shifts.count == 1 ? 0 : i;
    }
    return rank;
}

bool view_is_by_axes(enum view_kind kind)
{
    return kind == VIEW_SELECT || kind == VIEW_TRANSPOSE || kind == VIEW_FLIP || kind == VIEW_ROLL ||
           kind == VIEW_BROADCAST_TO || kind == VIEW_OFFSET || kind == VIEW_PAD || kind == VIEW_NAMED ||
           kind == VIEW_RENAME;
}

int view_axes(const struct view_args *args, int rank, struct view_axis *axes)
{
    const int added = args->kind == VIEW_BROADCAST_TO ? args->shape.count - rank : 0;
    for (int d = 0; d < rank; d++)
        axes[d] = (struct view_axis){d + added, NULL, -1};
    switch (args->kind) {
    case VIEW_SELECT: return view_selected_axes(args, rank, axes);
    case VIEW_TRANSPOSE: return args->part ? bring_front(args, rank, axes) : permute(&args->axes, rank, axes);
    case VIEW_FLIP: case VIEW_ROLL: return turn(args, rank, axes);
    case VIEW_OFFSET: case VIEW_PAD: return rank;
    case VIEW_BROADCAST_TO: return added < 0 ? -1 : args->shape.count;
    case VIEW_NAMED: case VIEW_RENAME: return rank;
    default: return -1;
    }
}

void view_times(const struct view_args *args, int operand_rank, int rank, int64_t *times)
{
    const int count = args->counts.count;
    for (int d = 0; d < rank; d++)
        times[d] = 1;
    if (args->kind == VIEW_REPEAT)
        times[axis_at(&args->axes, operand_rank, 0)] = (int64_t)args->counts.items[0].integer;
    else
        for (int i = 0; i < count; i++)
            times[rank - count + i] = (int64_t)args->counts.items[i].integer;
}

static void add_extent(struct shape *shape, int64_t extent)
{
    if (shape->rank < WEFT_MAX_RANK)
        shape->extents[shape->rank] = extent;
    shape->rank++;
}

void view_spread(const struct view_args *args, const struct shape *in, struct shape *spread, struct shape *once)
{
    int64_t times[WEFT_MAX_RANK];
    const int rank = args->kind == VIEW_TILE && args->counts.count > in->rank ? args->counts.count : in->rank;
    const bool inside = args->kind == VIEW_REPEAT; /* the repeated elements stand beside each other */
    view_times(args, in->rank, rank, times);
    spread->rank = once->rank = 0;
    for (int d = 0; d < rank; d++) {
        const int64_t own = d < rank - in->rank ? 1 : in->extents[d - (rank - in->rank)];
        if (times[d] != 1 && !inside)
            add_extent(spread, times[d]), add_extent(once, 1);
        if (times[d] == 1 || own != 1)
            add_extent(spread, own), add_extent(once, own);
        if (times[d] != 1 && inside)
            add_extent(spread, times[d]), add_extent(once, 1);
    }
}

/* ---- shapes ---- */

bool view_read_whole(const struct view_walk *w, const struct numbers *numbers, const char *what, const char *least,
                     struct view_list *list)
{
    if (!view_read_list(w, numbers, what, list))
        return false;
    for (int i = 0; list->items && i < list->count; i++) {
        int64_t value = (int64_t)list->items[i].integer;
        if (least && list->items[i].kind == LITERAL_NONE)
            view_holds(w, extent_fact(EXTENT_COUNTS, value), "a count or an extent is negative, or too large");
        if (list->items[i].kind == LITERAL_NONE)
            continue;
        if (!view_whole(w, list, i, &value))
            return false;
        if (least && value < 0)
            return view_wrong(w, DIAG_VIEW_EXTENT, numbers, "%s is %lld; %s", view_item_name(w, list, i),
                              (long long)value, least);
    }
    return true;
}

/* Copies dimension `from` of the operand to dimension `to` of the result. */
static void copy_extent(struct view_walk *w, int from, int to)
{
    const struct shape *in = w->viewed->shape;
    w->out->extents[to] = in->extents[from];
    w->out->rigid |= (in->rigid >> from & 1) << to;
}

/* The shape of a view by axes that keeps all extents. Where a part of scatter has wrong axes nothing is known. */
static bool by_axes(struct view_walk *w)
{
    struct view_axis axes[WEFT_MAX_RANK];
    const int rank = view_axes(w->args, w->viewed->shape->rank, axes);
    if (rank < 0)
        return view_unknown(w);
    w->out->rank = rank;
    for (int d = 0; d < w->out->rank; d++)
        copy_extent(w, d, axes[d].result);
    return true;
}

bool view_transpose(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list axes;
    uint32_t set;
    if (!view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    if (!in && (axes.count < 0 || w->args->part)) /* a part of scatter names some of the axes */
        return view_unknown(w);
    view_unknown_extents(w->out, in ? in->rank : axes.count);
    if (!in || (axes.from->given && axes.count < 0))
        return true;
    if (w->args->part)
        return by_axes(w);         /* the axes are found right where positions are */
    if (axes.from->given && !view_read_axes(w, &axes, w->out->rank, true, NULL, &set))
        return false;
    if (axes.from->given && axes.count != w->out->rank)
        return view_wrong(w, DIAG_AXIS, axes.from,
                          "transpose takes each dimension once, and axes names %d of the %d of %s", axes.count,
                          w->out->rank, view_value_text(w));
    return by_axes(w);
}

bool view_named(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    const struct dims *dims = w->args->dims;
    const struct numbers place = {.given = true, .span = w->args->dims_span};
    if (!in)
        return view_unknown(w);
    if (in->rank != dims->rank)
        return view_wrong(w, DIAG_VIEW_RANK, &place,
                          "%s has %d dimension%s, and %d %s named", view_value_text(w), in->rank,
                          in->rank == 1 ? "" : "s", dims->rank, dims->rank == 1 ? "is" : "are");
    by_axes(w);
    for (int d = 0; d < in->rank; d++) {
        const int64_t extent = dims->items[d].extent;
        if (extent >= 0 && !view_holds(w, extent_fact(EXTENT_EQUAL, in->extents[d], extent),
                                       "a dimension does not have the size that named says"))
            return view_wrong(w, DIAG_VIEW_EXTENT, &place,
                              "%s of %s has extent %lld, and %s, which names it, has %s%lld",
                              view_dim_text(w, d), view_value_text(w), (long long)in->extents[d], dims->items[d].name,
                              dims->items[d].labels ? "as many labels as " : "size ", (long long)extent);
        w->out->extents[d] = extent >= 0 ? extent : w->out->extents[d];
    }
    return true;
}

/* The same extents, where axes that are given are right. */
static bool same_shape(struct view_walk *w, const struct view_list *axes)
{
    uint32_t set;
    if (!w->viewed->shape)
        return view_unknown(w);
    return (axes->count < 0 || view_read_axes(w, axes, w->viewed->shape->rank, true, NULL, &set)) && by_axes(w);
}

bool view_flip(struct view_walk *w)
{
    struct view_list axes;
    return view_read_list(w, &w->args->axes, "axes", &axes) && same_shape(w, &axes);
}

bool view_roll(struct view_walk *w)
{
    struct view_list axes, shifts;
    if (!view_read_whole(w, &w->args->shifts, "shifts", NULL, &shifts) ||
        !view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    const int count = axes.from->given ? axes.count : 1; /* -1: not known yet */
    for (int i = 0; i < shifts.count; i++)
        if (shifts.items[i].kind != LITERAL_NONE && shifts.items[i].integer == INT64_MIN)
            return view_wrong(w, DIAG_VIEW_EXTENT, shifts.from, "%s is the smallest int64, which has no negative",
                              view_item_name(w, &shifts, i));
    if (count >= 0 && shifts.count != count && shifts.count != 1)
        return view_wrong(w, DIAG_VIEW_RANK, &w->args->shifts, "roll has %d shifts for %d dimension%s%s", shifts.count,
                          count, count == 1 ? "" : "s", axes.from->given ? "" : ", the last; axes names others");
    return same_shape(w, &axes);
}

/* Reports that a named value does not get this extent along a dimension that it has. */
static bool named_misfit(const struct view_walk *w, int d, int64_t extent)
{
    const struct view_args *args = w->args;
    const char *name = args->dims->items[d + w->out->rank - w->viewed->shape->rank].name;
    const int64_t own = w->viewed->shape->extents[d];
    const char *text = w->viewed->name;
    if (own != 1)
        return view_wrong(w, DIAG_VIEW_EXTENT, &args->shape, "cannot match %s with %s: sizes %lld and %lld of %.40s "
                          "differ", view_value_text(w), expression_text(w->arena, w->viewed->program, args->dims_span),
                          (long long)own, (long long)extent, name);
    return view_wrong(w, DIAG_VIEW_EXTENT, &args->shape, "%s: size 1 of %.40s does not stretch to %lld; write "
                      "broadcast_to(%s, %s)", view_value_text(w), name, (long long)extent,
                      first_along_text(w->arena, text, name),
                      expression_text(w->arena, w->viewed->program, args->dims_span));
}

/* Whether dimension `d` of the operand broadcasts to this extent. */
static bool fits(const struct view_walk *w, int d, int64_t extent)
{
    const struct shape *in = w->viewed->shape;
    const int64_t own = in->extents[d];
    const enum joined joined = join_extents(extent, true, own, in->rigid >> d & 1);
    const enum extent_op rule = own >= 0 || in->rigid >> d & 1 ? EXTENT_EQUAL : EXTENT_STRETCHES;
    if (joined == JOINED_OPEN && extent < 0)
        view_holds(w, extent_fact(rule, own, extent), "dimension %d does not broadcast to the extent that is given", d);
    else if (joined == JOINED_OPEN)
        view_holds(w, extent_fact(rule, own, extent), "dimension %d does not broadcast to an extent of %lld", d,
                   (long long)extent);
    if (joined != JOINED_FIRST && joined != JOINED_OPEN && w->args->dims)
        return named_misfit(w, d, extent);
    return joined == JOINED_FIRST || joined == JOINED_OPEN ||
           view_wrong(w, DIAG_VIEW_EXTENT, &w->args->shape,
                      "%s does not broadcast to %s: extent %lld of dimension %d would have to be 1 or %lld",
                      view_value_text(w), shape_text(w->arena, w->viewed->program, w->out),
                      (long long)own, d, (long long)extent);
}

static bool too_large(const struct view_walk *w, const struct numbers *numbers)
{
    return view_wrong(w, DIAG_VIEW_EXTENT, numbers, "the shape %s has more elements than memory can hold",
                      shape_text(w->arena, w->viewed->program, w->out));
}

bool view_broadcast_to(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list shape;
    if (!view_read_whole(w, &w->args->shape, "shape", "an extent is at least 0", &shape))
        return false;
    if (shape.count < 0)
        return view_unknown(w);
    view_unknown_extents(w->out, shape.count);
    for (int d = 0; shape.items && d < shape.count; d++)
        w->out->extents[d] = (int64_t)shape.items[d].integer;
    if (in && in->rank > shape.count)
        return view_wrong(w, DIAG_VIEW_RANK, shape.from,
                          "%s has more dimensions than the shape %s to which it is broadcast",
                          view_value_text(w), shape_text(w->arena, w->viewed->program, w->out));
    for (int d = 0; in && d < in->rank; d++)
        if (!fits(w, d, w->out->extents[d + shape.count - in->rank]))
            return false;
    return shape_volume(w->out) >= 0 || too_large(w, shape.from);
}

/* The shape of tile and repeat, whose result has this rank. */
static bool repeated(struct view_walk *w, int rank)
{
    const struct shape *in = w->viewed->shape;
    struct shape spread, once;
    int64_t times[WEFT_MAX_RANK];
    const int added = rank - in->rank;
    view_times(w->args, in->rank, rank, times);
    view_unknown_extents(w->out, rank);
    for (int d = 0; d < rank; d++)
        if (d >= added && times[d] == 1)
            copy_extent(w, d - added, d);
        else
            view_set_extent(w, d, view_compute(w, EXTENT_PRODUCT, d < added ? 1 : in->extents[d - added], times[d]),
                            "an extent of a view is too large");
    if (shape_volume(w->out) < 0)
        return too_large(w, &w->args->counts);
    view_spread(w->args, in, &spread, &once);
    return spread.rank <= WEFT_MAX_RANK ||
           view_wrong(w, DIAG_VIEW_RANK, &w->args->counts,
                      "%s is repeated along so many dimensions that with them it has %d; there are at most %d",
                      view_value_text(w), spread.rank, WEFT_MAX_RANK);
}

bool view_tile(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list counts;
    if (!view_read_whole(w, &w->args->counts, "counts", "a count is at least 0", &counts))
        return false;
    return in ? repeated(w, counts.count > in->rank ? counts.count : in->rank) : view_unknown(w);
}

bool view_repeat(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list counts, axes;
    uint32_t set;
    if (!view_read_whole(w, &w->args->counts, "n", "a count is at least 0", &counts) ||
        !view_read_list(w, &w->args->axes, "axis", &axes))
        return false;
    if (counts.count != 1 || (axes.count != 1 && axes.count >= 0))
        return view_wrong(w, DIAG_VIEW_RANK, counts.count != 1 ? counts.from : axes.from,
                          "repeat takes one number n and one dimension, as in repeat(x, 2, axis=0)");
    if (!in)
        return view_unknown(w);
    if (axes.count < 0) {
        view_unknown_extents(w->out, in->rank);
        return true;
    }
    return view_read_axes(w, &axes, in->rank, true, NULL, &set) && repeated(w, in->rank);
}
