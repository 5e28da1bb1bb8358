/* The shapes of selections (rule 9.1), and which dimension each item is for. */
#include "compiler/check/view_impl.h"

#include <math.h>
#include <string.h>

int view_selected_axes(const struct view_args *args, int rank, struct view_axis *axes)
{
    int used = 0, d = 0, out = 0;
    for (int i = 0; i < args->item_count; i++)
        used += item_takes(&args->items[i]);
    if (used > rank)
        return -1;
    for (int i = 0; i < args->item_count; i++) {
        const struct item *item = &args->items[i];
        if (item->kind == ITEM_NEW)
            out++;
        else if (item->kind == ITEM_INDEX)
            axes[d++] = (struct view_axis){-1, item, -1};
        else if (item->kind == ITEM_SLICE || item->kind == ITEM_LIST)
            axes[d++] = (struct view_axis){out++, item, -1};
        else
            for (int left = rank - used; left > 0; left--)
                axes[d++] = (struct view_axis){out++, NULL, -1};
    }
    while (d < rank)
        axes[d++] = (struct view_axis){out++, NULL, -1};
    return out;
}

bool item_keeps_extent(const struct item *item)
{
    return !item || (item->kind == ITEM_SLICE && !item->open && !item->slice.has_start && !item->slice.has_stop &&
                     (item->slice.step == 1 || item->slice.step == -1));
}

/* The item as an argument that messages can point at. */
static struct numbers place_of(const struct item *item)
{
    return (struct numbers){.given = true, .span = item->span};
}

/* An index beyond int64 is known by its text alone. */
static bool out_of_range(const struct view_walk *w, int d, const struct item *item, int64_t number)
{
    const struct numbers place = place_of(item);
    const long long extent = (long long)w->viewed->shape->extents[d];
    const bool large = item->kind == ITEM_INDEX && (number == INT64_MAX || number == -INT64_MAX);
    const char *index = large && w->viewed->program ? expression_text(w->arena, w->viewed->program, item->span)
                                                    : arena_printf(w->arena, "%lld", (long long)number);
    const char *range = extent ? arena_printf(w->arena, "; an index is %lld to %lld", -extent, extent - 1)
                               : ", so it has no element";
    const int which = (int)(item - w->args->items) + 1;
    const char *what = w->viewed->dims ? arena_printf(w->arena, "index %s", index)
                                       : arena_printf(w->arena, "item %d of the selection, index %s,", which, index);
    return view_wrong(w, DIAG_SELECT_RANGE, &place, "%s is out of range: %s of %s has extent %lld%s", what,
                      view_dim_text(w, d), view_value_text(w), extent, range);
}

/* Reports the first item for which there is no dimension left. */
static bool too_many_items(const struct view_walk *w)
{
    const int rank = w->viewed->shape->rank;
    const struct item *items = w->args->items, *surplus = NULL;
    int used = 0;
    for (int i = 0; i < w->args->item_count; i++)
        if (item_takes(&items[i]) && used++ == rank)
            surplus = &items[i];
    const struct numbers place = place_of(surplus);
    if (rank == 0)
        return view_wrong(w, DIAG_SELECT_RANK, &place,
                          "%s has no dimensions to select from; only '...', None and newaxis can stand here",
                          w->viewed->name);
    return view_wrong(w, DIAG_SELECT_RANK, &place,
                      "the selection has %d items for dimensions, and %s has %d dimension%s; None inserts one", used,
                      view_value_text(w), rank, rank == 1 ? "" : "s");
}

/* Sets the extent that an item leaves of dimension d, and whether it may stretch. */
static void set_extent(struct view_walk *w, int d, const struct view_axis *axis)
{
    const struct shape *in = w->viewed->shape;
    int64_t *extent = &w->out->extents[axis->result];
    *extent = EXTENT_UNKNOWN;
    if (item_keeps_extent(axis->item)) {
        *extent = in->extents[d];
        w->out->rigid |= (in->rigid >> d & 1) << axis->result;
    } else if (axis->item->kind == ITEM_LIST) {
        *extent = axis->item->count;
    } else if (w->viewed->open || !axis->item->open) {
        if (axis->item->slice.open >> BOUND_STEP & 1)
            extent_require(w->viewed->open, extent_fact(EXTENT_STEPS, .slice = axis->item->slice), axis->item->span,
                           "the step of a slice is 0");
        *extent = view_compute(w, EXTENT_SLICED, in->extents[d], .slice = axis->item->slice);
    }
}

/* Checks an index, the start of a slice, for dimension d. */
static bool check_index(const struct view_walk *w, int d, const struct item *item, const struct slice *at)
{
    const struct extent_term has = extent_fact(EXTENT_HAS, w->viewed->shape->extents[d], .slice = *at);
    return (at->open ? extent_require(w->viewed->open, has, item->span, "an index is out of range of dimension %d", d)
                     : extent_require(w->viewed->open, has, item->span,
                                      "index %lld is out of range: dimension %d is too short", (long long)at->start,
                                      d)) ||
           out_of_range(w, d, item, at->start);
}

/* Checks the indices of an item for dimension d. */
static bool check_range(const struct view_walk *w, int d, const struct item *item)
{
    bool good = true;
    if (item->kind == ITEM_INDEX && (w->viewed->open || !item->open))
        return check_index(w, d, item, &item->slice);
    for (int i = 0; good && item->kind == ITEM_LIST && i < item->count; i++)
        good = check_index(w, d, item, &(struct slice){.start = item->positions[i]});
    return good;
}

bool view_select(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct view_axis axes[WEFT_MAX_RANK];
    if (!in)
        return view_unknown(w);
    const int rank = view_axes(w->args, in->rank, axes);
    if (rank < 0)
        return too_many_items(w);
    if (rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_SELECT_RANK, NULL, "the result would have %d dimensions; there are at most %d", rank,
                          WEFT_MAX_RANK);
    w->out->rank = rank;
    for (int d = 0; d < rank; d++)
        w->out->extents[d] = 1;
    for (int d = 0; d < in->rank; d++) {
        if (axes[d].item && !check_range(w, d, axes[d].item))
            return false;
        if (axes[d].result >= 0)
            set_extent(w, d, &axes[d]);
    }
    return true;
}

static int64_t from_start(int64_t position, int64_t extent)
{
    return position + (position < 0 && extent >= 0 ? extent : 0);
}

bool view_list_is_slice(const struct item *item, int64_t extent, int64_t *first, int64_t *step)
{
    const int64_t *p = item->positions;
    *first = from_start(p[0], extent);
    *step = item->count > 1 ? from_start(p[1], extent) - *first : 1;
    bool equal = *step != 0;
    for (int i = 1; i < item->count; i++)
        equal = equal && from_start(p[i], extent) - from_start(p[i - 1], extent) == *step &&
                (extent >= 0 || (p[i] < 0) == (p[0] < 0));
    return equal;
}

const struct item *view_list_taken(const struct view_args *args, const struct shape *in, const struct shape *out,
                                   struct shape *all, int *axis)
{
    struct view_axis axes[WEFT_MAX_RANK];
    int64_t first, step;
    view_axes(args, in->rank, axes);
    for (int d = 0; d < in->rank; d++) {
        const struct item *item = axes[d].item;
        if (!item || item->kind != ITEM_LIST || view_list_is_slice(item, in->extents[d], &first, &step))
            continue;
        *axis = axes[d].result;
        *all = *out;
        all->extents[*axis] = in->extents[d];
        return item;
    }
    return NULL;
}

/* ---- extent ---- */

bool view_extent_of(const struct view_args *args, const struct shape *shape, int64_t *extent)
{
    const __int128 number = args->axes.items[0].integer, d = number < 0 ? number + shape->rank : number;
    if (d < 0 || d >= shape->rank)
        return false;
    *extent = shape->extents[d];
    return true;
}

/* The shape of an extent, which has no dimensions. What it reads of the operand's shape must be there. */
bool view_extent(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    const union scalar most = {.f64 = INFINITY};
    int64_t extent;
    w->out->rank = 0;
    if (!in)
        return true;
    if (!view_extent_of(w->args, in, &extent))
        return view_wrong(w, DIAG_AXIS, &w->args->axes, "%s is no dimension of %s, which has %d",
                          view_item_text(w, &w->args->axes.items[0]), view_value_text(w), in->rank);
    const int64_t top = dtype_is_integer(w->args->dtype)
                            ? eval_convert(w->args->dtype, WEFT_INT64, true,
                                           eval_convert(WEFT_FLOAT64, w->args->dtype, true, most)).i64
                            : INT64_MAX;
    return extent <= top || view_wrong(w, DIAG_VIEW_EXTENT, NULL,
                                       "the extent is %lld, which does not fit %s; write extent(x, d, dtype=int64)",
                                       (long long)extent, type_rows[w->args->dtype].name);
}
