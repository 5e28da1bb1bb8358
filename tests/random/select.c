/* See select.h. Slices are followed element by element, as Python's range is. */
#include "tests/random/select.h"

#include "tests/random/size.h"

#include <stdio.h>

/* ---- what items take ---- */

/* A bound of a slice, brought to where the slice may begin or end. */
static int64_t bound(int64_t value, int64_t extent, bool backwards)
{
    const int64_t at = value < 0 ? value + extent : value, least = backwards ? -1 : 0;
    return at < least ? least : at > extent + least ? extent + least : at;
}

static int64_t slice_first(const struct formula_item *item, int64_t extent)
{
    return item->has_start ? bound(item->start, extent, item->step < 0) : item->step < 0 ? extent - 1 : 0;
}

static int64_t slice_count(const struct formula_item *item, int64_t extent)
{
    const bool backwards = item->step < 0;
    const int64_t stop = item->has_stop ? bound(item->stop, extent, backwards) : backwards ? -1 : extent;
    int64_t count = 0;
    for (int64_t at = slice_first(item, extent); backwards ? at > stop : at < stop; at += item->step)
        count++;
    return count;
}

static bool is_in_range(int64_t index, int64_t extent)
{
    return index >= -extent && index < extent;
}

/* Items for dimensions; an ellipsis stands for all others. */
static int count_used(const struct formula_view *view)
{
    int used = 0;
    for (int i = 0; i < view->count; i++)
        used += view->items[i].kind == ITEMS_INDEX || view->items[i].kind == ITEMS_SLICE;
    return used;
}

/* The items one by one, with an item for each dimension: [rank + items] of them. */
static int spread(const struct formula_view *view, int rank, struct formula_item *items)
{
    const struct formula_item all = {.kind = ITEMS_SLICE, .step = 1};
    int left = rank - count_used(view), count = 0;
    for (int i = 0; i < view->count; i++) {
        if (view->items[i].kind != ITEMS_ELLIPSIS)
            items[count++] = view->items[i];
        for (; view->items[i].kind == ITEMS_ELLIPSIS && left > 0; left--)
            items[count++] = all;
    }
    for (; left > 0; left--)
        items[count++] = all;
    return count;
}

bool select_extents(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    struct formula_item items[FORMULA_RANK + FORMULA_ITEMS];
    const struct extents from = *in;
    *out = (struct extents){.rank = 0};
    if (count_used(view) > from.rank)
        return false;
    for (int i = 0, d = 0, count = spread(view, from.rank, items); i < count; i++) {
        const int64_t extent = items[i].kind == ITEMS_NEW ? 1 : from.at[d++];
        if (items[i].kind == ITEMS_INDEX && !is_in_range(items[i].start, extent))
            return false;
        if (items[i].kind == ITEMS_INDEX)
            continue;
        if (out->rank == FORMULA_RANK)
            return false;
        out->at[out->rank++] = items[i].kind == ITEMS_NEW ? 1 : slice_count(&items[i], extent);
    }
    return true;
}

int64_t select_start(const struct formula_view *view, const struct extents *in, int64_t *strides)
{
    struct formula_item items[FORMULA_RANK + FORMULA_ITEMS];
    int64_t dense[FORMULA_RANK], start = 0, stride = 1;
    for (int d = in->rank - 1; d >= 0; stride *= in->at[d--])
        dense[d] = stride;
    for (int i = 0, d = 0, out = 0, count = spread(view, in->rank, items); i < count; i++) {
        const struct formula_item *item = &items[i];
        if (item->kind == ITEMS_NEW) {
            strides[out++] = 0;
            continue;
        }
        if (item->kind == ITEMS_INDEX)
            start += (item->start < 0 ? item->start + in->at[d] : item->start) * dense[d];
        else
            start += slice_first(item, in->at[d]) * dense[d];
        if (item->kind == ITEMS_SLICE)
            strides[out++] = item->step * dense[d];
        d++;
    }
    return start;
}

/* ---- random ones ---- */

static int below(struct stream *stream, int64_t limit)
{
    return (int)stream_below(stream, (uint64_t)limit);
}

static struct formula_item any_slice(struct stream *stream, int64_t extent)
{
    static const int steps[] = {1, 1, 1, -1, -1, 2, 3, -2, 7};
    struct formula_item item = {.kind = ITEMS_SLICE, .step = steps[below(stream, 9)]};
    if (below(stream, 3) == 0)
        return item;
    item.has_start = below(stream, 2);
    item.has_stop = below(stream, 2);
    item.start = below(stream, 4) ? below(stream, 3) : below(stream, 2 * extent + 5) - extent - 2;
    item.stop = below(stream, 4) ? extent - below(stream, 3) : below(stream, 2 * extent + 5) - extent - 2;
    if (item.step < 0 && below(stream, 4)) {
        item.start = -1 - below(stream, 2);
        item.stop = below(stream, 2);
    }
    return item;
}

static void add_item(struct formula_view *view, struct formula_item item)
{
    if (view->count < FORMULA_ITEMS)
        view->items[view->count++] = item;
}

void select_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples)
{
    const int rank = shapes[0]->rank, given = below(stream, 4) ? rank : below(stream, rank + 1);
    int ellipsis = below(stream, 3) ? -1 : below(stream, given + 1);
    view->count = 0;
    for (int i = 0, d = 0; i <= given; i++, d++) {
        while (below(stream, 6) == 0)
            add_item(view, (struct formula_item){.kind = ITEMS_NEW});
        if (i == ellipsis) {
            add_item(view, (struct formula_item){.kind = ITEMS_ELLIPSIS});
            d += rank - given;
        }
        if (i == given)
            break;
        int64_t least = shapes[0]->at[d];
        for (int s = 1; s < samples; s++)
            least = shapes[s]->at[d] < least ? shapes[s]->at[d] : least;
        if (least && below(stream, 3) == 0)
            add_item(view, (struct formula_item){.kind = ITEMS_INDEX, .start = below(stream, 2 * least) - least});
        else
            add_item(view, any_slice(stream, least));
    }
    if (!view->count)
        add_item(view, (struct formula_item){.kind = ITEMS_ELLIPSIS});
}

/* ---- text ---- */

static int print_slice(char *text, size_t size, const struct formula_item *item, unsigned manner)
{
    int at = 0;
    if (item->has_start)
        at += size_print(text, size, item->start, manner + 1);
    at += snprintf(text + at, size - (size_t)at, ":");
    if (item->has_stop)
        at += size_print(text + at, size - (size_t)at, item->stop, manner + 2);
    if (item->step == 1 && !(manner & 2))
        return at;
    at += snprintf(text + at, size - (size_t)at, ":");
    return at + size_print(text + at, size - (size_t)at, item->step, manner + 3);
}

int select_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    int at = snprintf(text, size, "[");
    for (int i = 0; i < view->count; i++) {
        const struct formula_item *item = &view->items[i];
        char *to = text + at;
        const size_t left = size - (size_t)at;
        switch (item->kind) {
        case ITEMS_INDEX: at += size_print(to, left, item->start, manner + 4 * (unsigned)i); break;
        case ITEMS_SLICE: at += print_slice(to, left, item, manner + 4 * (unsigned)i); break;
        case ITEMS_ELLIPSIS: at += snprintf(to, left, "..."); break;
        case ITEMS_NEW: at += snprintf(to, left, manner & 1 ? "None" : "newaxis"); break;
        }
        at += snprintf(text + at, size - (size_t)at, i + 1 < view->count ? ", " : "");
    }
    return at + snprintf(text + at, size - (size_t)at, "]");
}
