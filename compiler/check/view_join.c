/* The shapes of concat and stack (rule 9.3). */
#include "compiler/check/view_impl.h"

#include <string.h>

int view_join_axis(const struct view_args *args, int rank)
{
    const int64_t axis = args->axes.given ? (int64_t)args->axes.items[0].integer : 0;
    return (int)(axis < 0 ? axis + rank + (args->kind == VIEW_STACK) : axis);
}

static const char *name_of(const struct view_walk *w)
{
    return view_rows[w->args->kind].name;
}

/* The call, the first value and value `i`. */
struct places {
    struct span spans[3];
};

static struct places places_of(const struct view_walk *w, int i)
{
    return (struct places){{w->viewed->place, w->viewed[0].operand, w->viewed[i].operand}};
}

/* Reports a mistake about value `i` beside the first, and returns false. */
#define wrong_value(w, id, i, text) diag_at((w)->diags, id, places_of(w, i).spans, (i) ? 3 : 2, text)

static const char *value_text(const struct view_walk *w, int i)
{
    return arena_printf(w->arena, "%s %s", w->viewed[i].name,
                        shape_text(w->arena, w->viewed->program, w->viewed[i].shape));
}

static bool check_ranks(const struct view_walk *w, int count)
{
    const int rank = w->viewed->shape->rank;
    for (int i = 1; i < count; i++)
        if (w->viewed[i].shape->rank != rank)
            return wrong_value(w, DIAG_VIEW_RANK, i,
                               arena_printf(w->arena,
                                            "%s takes values of one number of dimensions, and %s has %d, %s %d; an "
                                            "axis has its name before it, as in axis=1", name_of(w), value_text(w, i),
                                            w->viewed[i].shape->rank, value_text(w, 0), rank));
    if (w->args->kind == VIEW_CONCAT && rank == 0)
        return wrong_value(w, DIAG_VIEW_RANK, 0,
                           arena_printf(w->arena, "concat joins along a dimension, and %s has none; stack adds one",
                                        w->viewed->name));
    return w->args->kind == VIEW_CONCAT || rank < WEFT_MAX_RANK ||
           wrong_value(w, DIAG_VIEW_RANK, 0,
                       arena_printf(w->arena, "the result would have %d dimensions; there are at most %d", rank + 1,
                                    WEFT_MAX_RANK));
}

/* Finds the axis. -1: not known yet. False, with a diagnostic, where it is wrong. */
static bool find_axis(const struct view_walk *w, int *axis)
{
    struct view_list axes;
    uint32_t set;
    *axis = 0;
    if (!w->args->axes.given)
        return true;
    if (w->args->kind == VIEW_STACK && w->args->axes.letters)
        return view_wrong(w, DIAG_AXIS, &w->args->axes,
                          "stack adds a dimension, which has no letter; write its number");
    if (!view_read_list(w, &w->args->axes, "axis", &axes))
        return false;
    *axis = -1;
    if (axes.count < 0)
        return true;
    if (axes.count != 1)
        return view_wrong(w, DIAG_AXIS, axes.from, "%s joins along one dimension, as in axis=0", name_of(w));
    return view_read_axes(w, &axes, w->viewed->shape->rank + (w->args->kind == VIEW_STACK), true, axis, &set);
}

/* The name of dimension d of the values, which are aligned; stack's lack the new one. */
static const char *aligned_name(const struct view_walk *w, int d)
{
    const int rank = w->viewed->shape->rank;
    return w->viewed->joined->items[d + (w->args->kind == VIEW_STACK && d >= view_join_axis(w->args, rank))].name;
}

/* The dimensions that value `i` is written with. */
static const char *named_text(const struct view_walk *w, int i)
{
    const struct dims *dims = w->viewed[i].dims;
    const struct shape *shape = w->viewed[i].shape;
    int64_t extents[WEFT_MAX_RANK];
    struct buf text = buf_new(w->arena);
    if (!dims)
        return "[]";
    for (int k = 0; k < dims->rank; k++)
        for (int d = 0; d < shape->rank; d++)
            if (strcmp(aligned_name(w, d), dims->items[k].name) == 0)
                extents[k] = shape->extents[d];
    dims_put(&text, w->viewed->program, dims, extents, 6);
    return text.text;
}

/* Reports sizes of dimension d, a dimension with a name, that differ. */
static bool wrong_size(const struct view_walk *w, int d, int i)
{
    return diag_at(w->diags, DIAG_DIM_MATCH, places_of(w, i).spans, 3, w->viewed->name, named_text(w, 0),
                   w->viewed[i].name, named_text(w, i),
                   arena_printf(w->arena, "sizes %lld and %lld of %.40s differ",
                                (long long)w->viewed->shape->extents[d], (long long)w->viewed[i].shape->extents[d],
                                aligned_name(w, d)));
}

static bool wrong_extent(const struct view_walk *w, int d, int i, int64_t extent)
{
    return wrong_value(w, DIAG_VIEW_EXTENT, i,
                       arena_printf(w->arena,
                                    "%s takes values of equal extents%s, and dimension %d of %s has extent %lld, of %s "
                                    "%lld", name_of(w),
                                    w->args->kind == VIEW_CONCAT ? " in all dimensions but one" : "", d,
                                    value_text(w, i), (long long)w->viewed[i].shape->extents[d], value_text(w, 0),
                                    (long long)extent));
}

/* Joins extents of dimension d that have to be equal. */
static bool same_extent(struct view_walk *w, int d, int i)
{
    const struct shape *shape = w->viewed[i].shape;
    int64_t *extent = &w->out->extents[d];
    const int64_t next = shape->extents[d];
    if (*extent != next && !view_holds(w, extent_fact(EXTENT_EQUAL, *extent, next),
                                       "values that are joined have different extents in dimension %d", d))
        return w->viewed->joined ? wrong_size(w, d, i) : wrong_extent(w, d, i, *extent);
    if (*extent == EXTENT_UNKNOWN || (*extent < 0 && next >= 0))
        *extent = next;
    w->out->rigid |= (shape->rigid >> d & 1) << d;
    return true;
}

/* Joins the extents of all values; concat's axis gets the sum. */
static bool join_extents_of(struct view_walk *w, int count, int axis)
{
    const bool concat = w->args->kind == VIEW_CONCAT;
    memcpy(w->out, w->viewed->shape, sizeof *w->out);
    for (int i = 1; i < count; i++)
        for (int d = 0; d < w->out->rank; d++)
            if (concat && d == axis)
                w->out->extents[d] = view_compute(w, EXTENT_SUM, w->out->extents[d], w->viewed[i].shape->extents[d]);
            else if (!same_extent(w, d, i))
                return false;
    if (concat)
        w->out->rigid &= ~(1u << axis);
    return true;
}

void view_join_insert(struct shape *shape, int axis, int64_t extent)
{
    const uint32_t below = (1u << axis) - 1;
    memmove(shape->extents + axis + 1, shape->extents + axis, (size_t)(shape->rank - axis) * sizeof *shape->extents);
    shape->extents[axis] = extent;
    shape->rigid = (shape->rigid & below) | (shape->rigid & ~below) << 1;
    shape->rank++;
}

bool view_join(struct view_walk *w)
{
    const int count = w->count;
    int axis;
    for (int i = 0; i < count; i++)
        if (!w->viewed[i].shape)
            return view_unknown(w);
    if (!check_ranks(w, count) || !find_axis(w, &axis))
        return false;
    if (axis < 0)
        return view_unknown(w);
    if (!join_extents_of(w, count, axis))
        return false;
    if (w->args->kind == VIEW_STACK)
        view_join_insert(w->out, axis, count);
    return shape_volume(w->out) >= 0 ||
           wrong_value(w, DIAG_VIEW_EXTENT, 0,
                       arena_printf(w->arena, "the shape %s has more elements than memory can hold",
                                    shape_text(w->arena, w->viewed->program, w->out)));
}
