/* The shapes of selections (rule 9.1), and which dimension each item is for. */
#include "compiler/check/view_impl.h"

#include <string.h>

int view_select_axes(const struct view_args *args, int rank, struct select_axis *axes)
{
    int used = 0, d = 0, out = 0;
    for (int i = 0; i < args->item_count; i++)
        used += args->items[i].kind == ITEM_INDEX || args->items[i].kind == ITEM_SLICE;
    if (used > rank)
        return -1;
    for (int i = 0; i < args->item_count; i++) {
        const struct item *item = &args->items[i];
        if (item->kind == ITEM_NEW)
            out++;
        else if (item->kind == ITEM_INDEX)
            axes[d++] = (struct select_axis){-1, item};
        else if (item->kind == ITEM_SLICE)
            axes[d++] = (struct select_axis){out++, item};
        else
            for (int left = rank - used; left > 0; left--)
                axes[d++] = (struct select_axis){out++, NULL};
    }
    while (d < rank)
        axes[d++] = (struct select_axis){out++, NULL};
    return out;
}

bool item_keeps_extent(const struct item *item)
{
    return !item || (!item->slice.has_start && !item->slice.has_stop &&
                     (item->slice.step == 1 || item->slice.step == -1));
}

/* The item as an argument that messages can point at. */
static struct numbers place_of(const struct item *item)
{
    return (struct numbers){.given = true, .span = item->span};
}

static bool out_of_range(const struct view_walk *w, int d, const struct item *item)
{
    const struct numbers place = place_of(item);
    const long long extent = (long long)w->viewed->shape->extents[d];
    const bool large = item->slice.start == INT64_MAX || item->slice.start == -INT64_MAX;
    const char *index = large ? expression_text(w->arena, w->viewed->program, item->span)
                              : arena_printf(w->arena, "%lld", (long long)item->slice.start);
    const char *range = extent ? arena_printf(w->arena, "; an index is %lld to %lld", -extent, extent - 1)
                               : ", so it has no element";
    return view_wrong(w, DIAG_SELECT_RANGE, &place,
                      "item %d of the selection, index %s, is out of range: dimension %d of %s has extent %lld%s",
                      (int)(item - w->args->items) + 1, index, d, view_value_text(w), extent, range);
}

static bool is_out_of_range(int64_t index, int64_t extent)
{
    return extent >= 0 && (index < 0 ? index + extent < 0 : index >= extent);
}

/* Reports the first item for which there is no dimension left. */
static bool too_many_items(const struct view_walk *w)
{
    const int rank = w->viewed->shape->rank;
    const struct item *items = w->args->items, *surplus = NULL;
    int used = 0;
    for (int i = 0; i < w->args->item_count; i++)
        if ((items[i].kind == ITEM_INDEX || items[i].kind == ITEM_SLICE) && used++ == rank)
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
static void set_extent(struct view_walk *w, int d, const struct select_axis *axis)
{
    const struct shape *in = w->viewed->shape;
    int64_t first, *extent = &w->out->extents[axis->result];
    *extent = EXTENT_UNKNOWN;
    if (item_keeps_extent(axis->item)) {
        *extent = in->extents[d];
        w->out->rigid |= (in->rigid >> d & 1) << axis->result;
    } else if (in->extents[d] >= 0) {
        slice_resolve(&axis->item->slice, in->extents[d], &first, extent);
    }
}

bool view_select(struct view_walk *w)
{
    const struct shape *in = w->viewed->shape;
    struct select_axis axes[WEFT_MAX_RANK];
    if (!in)
        return view_unknown(w);
    const int rank = view_select_axes(w->args, in->rank, axes);
    if (rank < 0)
        return too_many_items(w);
    if (rank > WEFT_MAX_RANK)
        return view_wrong(w, DIAG_SELECT_RANK, NULL, "the result would have %d dimensions; there are at most %d", rank,
                          WEFT_MAX_RANK);
    w->out->rank = rank;
    for (int d = 0; d < rank; d++)
        w->out->extents[d] = 1;
    for (int d = 0; d < in->rank; d++)
        if (axes[d].result >= 0)
            set_extent(w, d, &axes[d]);
        else if (is_out_of_range(axes[d].item->slice.start, in->extents[d]))
            return out_of_range(w, d, axes[d].item);
    return true;
}
