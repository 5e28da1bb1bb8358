/* The shapes of index, arange, linspace, random and nonzero (rules 12.1, 12.2 and 12.6). */
#include "compiler/check/view_impl.h"

/* The greatest number of an integer type, or of int64 where it is greater. */
static int64_t greatest(enum weft_dtype dtype)
{
    const int bits = type_rows[dtype].bits - (type_rows[dtype].class == CLASS_SIGNED);
    return bits >= 63 ? INT64_MAX : (INT64_C(1) << bits) - 1;
}

static bool fits_type(const struct view_walk *w, const struct numbers *numbers, int64_t extent)
{
    const enum weft_dtype dtype = w->args->dtype;
    return greatest(dtype) == INT64_MAX ||
           view_holds(w, extent_fact(EXTENT_AT_MOST, extent, greatest(dtype)),
                      "an extent goes beyond the type in which index counts") ||
           view_wrong(w, DIAG_VIEW_EXTENT, numbers,
                       "an extent of %lld goes beyond %s, in which positions are counted%s",
                       (long long)extent, type_rows[dtype].name,
                       w->args->kind == VIEW_INDEX ? "; dtype names another type, as in dtype=int64" : "");
}

bool view_index(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_list axes;
    uint32_t set;
    int d;
    if (!view_read_list(w, &w->args->axes, "d", &axes))
        return false;
    if (axes.count != 1 && axes.count >= 0)
        return view_wrong(w, DIAG_AXIS, axes.from, "index is along one dimension, as in index(x, 0)");
    if (!in)
        return view_unknown(w);
    view_unknown_extents(w->out, in->rank);
    if (axes.count < 0)
        return true;
    if (!view_read_axes(w, &axes, in->rank, true, &d, &set))
        return false;
    for (int k = 0; k < in->rank; k++)
        w->out->extents[k] = k == d ? in->extents[d] : 1;
    w->out->rigid = in->rigid & set;
    return fits_type(w, axes.from, in->extents[d]);
}

/* The shape [n]. */
static bool count_out(struct view_walk *w)
{
    struct view_list n;
    if (!view_read_whole(w, &w->args->counts, "n", "it is at least 0", &n))
        return false;
    if (n.count != 1)
        return view_wrong(w, DIAG_VIEW_RANK, n.from, "n is one number");
    w->out->rank = 1;
    w->out->extents[0] = (int64_t)n.items[0].integer;
    return shape_volume(w->out) >= 0 ||
           view_wrong(w, DIAG_VIEW_EXTENT, n.from, "the shape %s has more elements than memory can hold",
                      shape_text(w->arena, w->viewed->program, w->out));
}

bool view_arange(struct view_walk *w)
{
    return count_out(w) && fits_type(w, &w->args->counts, w->out->extents[0]);
}

bool view_linspace(struct view_walk *w)
{
    const struct shape *between = w->viewed->shape; /* that of b - a */
    if (between && between->rank)
        return view_wrong(w, DIAG_VIEW_RANK, NULL,
                          "linspace goes from one number to another, and together a and b have the shape %s; select "
                          "one element, as in a[0]", shape_text(w->arena, w->viewed->program, between));
    return count_out(w);
}

bool view_random(struct view_walk *w)
{
    static const char *const words[] = {"x", "the seed", "the stream"};
    const struct shape *in = w->viewed->shape;
    for (int i = 1; w->args->chance == CHANCE_ELEMENTS && i < w->count; i++) {
        const struct shape *shape = w->viewed[i].shape;
        if (shape && shape->rank)
            return view_wrong(w, DIAG_VIEW_RANK, NULL, "%s of %s is a single integer, and has the shape %s; select one "
                              "of its elements, as in s[0]", words[i],
                              view_rows[w->args->kind].name, shape_text(w->arena, w->viewed->program, shape));
    }
    if (w->args->chance == CHANCE_SAMPLE) {
        w->out->rank = 0;
        return true;
    }
    if (!in)
        return view_unknown(w);
    *w->out = *in;
    return true;
}

/* What nonzero is made of: its numbers have the shape of their first operand. */
bool view_nonzero(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    if (!w->args->part)
        return count_out(w);
    if (!in)
        return view_unknown(w);
    if (w->args->part == NONZERO_NUMBERS)
        *w->out = *in;
    else
        *w->out = (struct shape){.rank = 1, .extents = {in->rank}};
    return true;
}
