/* The shapes of squeeze and expand_dims (rule 7.5). */
#include "compiler/check/view_impl.h"

static bool squeeze_known(struct view_walk *w, const struct view_list *axes)
{
    const struct shape *in = w->viewed->shape;
    uint32_t set;
    if (!view_read_axes(w, axes, in->rank, true, NULL, &set))
        return false;
    w->out->rank = 0;
    for (int d = 0; d < in->rank; d++) {
        bool drop = set >> d & 1;
        if (drop && !view_holds(w, extent_fact(EXTENT_EQUAL, in->extents[d], 1),
                                "squeeze drops dimension %d, whose extent is not 1", d))
            return view_wrong(w, DIAG_AXIS, axes->from,
                              "dimension %d of %s has extent %lld; squeeze drops "
                              "extents of 1",
                              d, view_value_text(w), (long long)in->extents[d]);
        if (drop)
            continue;
        w->out->rigid |= (in->rigid >> d & 1) << w->out->rank;
        w->out->extents[w->out->rank++] = in->extents[d];
    }
    return true;
}

bool view_squeeze(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list axes;
    if (!view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    if (!in || axes.count < 0)
        return view_unknown(w);
    if (axes.count > in->rank)
        return view_wrong(w, DIAG_AXIS, axes.from, "axes names %d dimensions, and %s has %d",
                          axes.count, view_value_text(w), in->rank);
    view_unknown_extents(w->out, in->rank - axes.count);
    return !axes.items || squeeze_known(w, &axes);
}

bool view_expand_dims(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list axes;
    uint32_t set = 0;
    if (!view_read_list(w, &w->args->axes, "axes", &axes))
        return false;
    int rank = in ? in->rank + axes.count : WEFT_MAX_RANK;
    if (in && axes.count >= 0 && rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_VIEW_RANK, axes.from,
                          "the result would have %d dimensions; there are at most %d", rank,
                          WEFT_MAX_RANK);
    if (axes.items && axes.count >= 0 && !view_read_axes(w, &axes, rank, false, NULL, &set))
        return false;
    if (!in || axes.count < 0)
        return view_unknown(w);
    view_unknown_extents(w->out, rank);
    for (int d = 0, from = 0; axes.items && d < rank; d++) {
        bool inserted = set >> d & 1;
        w->out->extents[d] = inserted ? 1 : in->extents[from];
        w->out->rigid |= inserted ? 0 : (in->rigid >> from & 1) << d;
        from += !inserted;
    }
    return true;
}
