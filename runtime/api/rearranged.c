/* Implements rearranged_impl.h. */
#include "runtime/api/rearranged_impl.h"

enum { MAX_ITEMS = 2 * WEFT_MAX_RANK };

/* ---- items ---- */

const char *rearranged_wrong(const struct weft_item *items, int count)
{
    int ellipses = 0;
    if (count < 0 || count > MAX_ITEMS || (count && !items))
        return "a selection has 0 to 64 items";
    for (int i = 0; i < count; i++) {
        if ((unsigned)items[i].kind > WEFT_ITEM_NEW)
            return "the kind of an item is none of enum weft_item_kind";
        ellipses += items[i].kind == WEFT_ITEM_ELLIPSIS;
    }
    return ellipses > 1 ? "a selection has one WEFT_ITEM_ELLIPSIS, which stands for all dimensions that are left"
                        : NULL;
}

/* The smallest int64 is beyond every extent, and so is its neighbour, which has a negative. */
static int64_t bound(int64_t value)
{
    return value == INT64_MIN ? -INT64_MAX : value;
}

const struct item *rearranged_items(struct arena *arena, const struct weft_item *items, int count)
{
    static const enum item_kind kinds[] = {[WEFT_ITEM_SLICE] = ITEM_SLICE, [WEFT_ITEM_INDEX] = ITEM_INDEX,
                                           [WEFT_ITEM_ELLIPSIS] = ITEM_ELLIPSIS, [WEFT_ITEM_NEW] = ITEM_NEW};
    struct item *made = ARENA_ARRAY(arena, struct item, count + 1);
    for (int i = 0; i < count; i++) {
        const struct weft_item *item = &items[i];
        made[i] = (struct item){.kind = kinds[item->kind], .sizes = {-1, -1, -1}};
        made[i].slice = (struct slice){.start = bound(item->start), .stop = bound(item->stop),
                                       .step = item->step ? bound(item->step) : 1,
                                       .has_start = item->kind == WEFT_ITEM_INDEX || item->has_start != 0,
                                       .has_stop = item->kind == WEFT_ITEM_SLICE && item->has_stop != 0};
    }
    return made;
}

/* ---- strides ---- */

/* What of a dimension becomes one of the view. */
static void take_slice(const struct tensor *tensor, int d, const struct slice *slice, int64_t *stride, int64_t *first)
{
    int64_t at, count;
    slice_resolve(slice, tensor->shape[d], &at, &count);
    *first += at * tensor->strides[d];
    *stride = (count > 1 ? slice->step : 1) * tensor->strides[d];
}

int64_t rearranged_strides(const struct view_args *args, const struct tensor *tensor, const struct shape *out,
                           int64_t *strides)
{
    static const struct slice all = {.step = 1};
    struct view_axis axes[WEFT_MAX_RANK];
    int64_t first = 0, stride;
    for (int d = 0; d < out->rank; d++)
        strides[d] = 1; /* of new dimensions any will do */
    view_axes(args, tensor->rank, axes);
    for (int d = 0; d < tensor->rank; d++) {
        const struct slice *slice = axes[d].item ? &axes[d].item->slice : &all;
        const int64_t index = slice->start + (slice->start < 0 ? tensor->shape[d] : 0);
        if (axes[d].result < 0)
            first += index * tensor->strides[d];
        else
            take_slice(tensor, d, slice, &stride, &first), strides[axes[d].result] = stride;
    }
    return first;
}
