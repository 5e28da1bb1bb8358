/* The shape of take (rule 9.3). */
#include "compiler/check/view_impl.h"

int view_take_axis(const struct view_args *args, int rank)
{
    const int64_t axis = args->axes.given ? (int64_t)args->axes.items[0].integer : 0;
    return (int)(axis < 0 ? axis + rank : axis);
}

void view_taken(const struct shape *value, int axis, const struct shape *positions, struct shape *out)
{
    *out = (struct shape){.rank = value->rank - 1 + positions->rank};
    for (int d = 0; out->rank <= WEFT_MAX_RANK && d < out->rank; d++) {
        const int behind = d - axis - positions->rank;
        const struct shape *own = d < axis || behind >= 0 ? value : positions;
        const int from = d < axis ? d : behind >= 0 ? axis + 1 + behind : d - axis;
        out->extents[d] = own->extents[from];
        out->rigid |= (own->rigid >> from & 1) << d;
    }
}

/* Finds the axis. -1: not known yet. False, with a diagnostic, where it is wrong. */
static bool find_axis(const struct view_walk *w, int *axis)
{
    struct view_list axes;
    uint32_t set;
    *axis = 0;
    if (!w->args->axes.given)
        return true;
    if (!view_read_list(w, &w->args->axes, "axis", &axes))
        return false;
    *axis = -1;
    if (axes.count < 0)
        return true;
    if (axes.count != 1)
        return view_wrong(w, DIAG_AXIS, axes.from, "take reads along one dimension, as in take(x, i, axis=0)");
    return view_read_axes(w, &axes, w->viewed->shape->rank, true, axis, &set);
}

bool view_take(struct view_walk *w)
{
    const struct shape *value = w->viewed[0].shape, *positions = w->viewed[1].shape;
    int axis;
    if (!value)
        return view_unknown(w);
    if (value->rank == 0)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "take reads along a dimension, and %s has none", w->viewed->name);
    if (!find_axis(w, &axis))
        return false;
    if (axis < 0 || !positions)
        return view_unknown(w);
    view_taken(value, axis, positions, w->out);
    if (w->out->rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_VIEW_RANK, NULL, "the result would have %d dimensions; there are at most %d",
                          w->out->rank, WEFT_MAX_RANK);
    return shape_volume(w->out) >= 0 ||
           view_wrong(w, DIAG_VIEW_EXTENT, NULL, "the shape %s has more elements than memory can hold",
                      shape_text(w->arena, w->viewed->program, w->out));
}
