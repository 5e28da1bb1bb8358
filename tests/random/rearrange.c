/* See rearrange.h. Elements are found one by one from their positions, as NumPy's documentation says. */
#include "tests/random/rearrange.h"

#include <stdio.h>

bool is_rearranged(const struct formula_view *view)
{
    return view->kind >= VIEWS_TRANSPOSE && view->kind <= VIEWS_REPEAT;
}

/* ---- shapes ---- */

static int axis_at(const struct formula_view *view, int i, int rank)
{
    return view->sources[i] < 0 ? view->sources[i] + rank : view->sources[i];
}

/* Whether all axes are dimensions, and none stands twice. */
static bool axes_good(const struct formula_view *view, int rank)
{
    unsigned seen = 0;
    for (int i = 0; view->has_sources && i < view->count; i++) {
        const int axis = axis_at(view, i, rank);
        if (axis < 0 || axis >= rank || seen >> axis & 1)
            return false;
        seen |= 1u << axis;
    }
    return true;
}

static bool broadcast(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    out->rank = view->count;
    for (int d = 0; d < out->rank; d++)
        out->at[d] = view->shape[d];
    for (int back = 1; back <= in->rank; back++)
        if (back > out->rank ||
            (in->at[in->rank - back] != 1 && in->at[in->rank - back] != out->at[out->rank - back]))
            return false;
    return true;
}

static bool tiled(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    out->rank = view->count > in->rank ? view->count : in->rank;
    if (out->rank > FORMULA_RANK)
        return false;
    for (int back = 1; back <= out->rank; back++)
        out->at[out->rank - back] = (back <= in->rank ? in->at[in->rank - back] : 1) *
                                    (back <= view->count ? view->shape[view->count - back] : 1);
    return true;
}

bool rearrange_extents(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    const struct extents from = *in;
    *out = from;
    if (!axes_good(view, from.rank))
        return false;
    switch (view->kind) {
    case VIEWS_TRANSPOSE:
        for (int d = 0; d < from.rank; d++)
            out->at[d] = from.at[view->has_sources ? axis_at(view, d, from.rank) : from.rank - 1 - d];
        return !view->has_sources || view->count == from.rank;
    case VIEWS_BROADCAST: return broadcast(view, &from, out);
    case VIEWS_TILE: return tiled(view, &from, out);
    case VIEWS_REPEAT:
        out->at[axis_at(view, 0, from.rank)] *= view->shape[0];
        return true;
    default: return true;
    }
}

/* ---- elements ---- */

static int64_t shift_of(const struct formula_view *view, int d, int rank)
{
    if (!view->has_sources)
        return d == rank - 1 ? view->shape[0] : 0;
    for (int i = 0; i < view->count; i++)
        if (axis_at(view, i, rank) == d)
            return view->shape[view->has_shape ? 0 : i];
    return 0;
}

static bool has_axis(const struct formula_view *view, int d, int rank)
{
    for (int i = 0; i < view->count; i++)
        if (axis_at(view, i, rank) == d)
            return true;
    return !view->has_sources;
}

/* The operand's position in dimension d, from those of the result. */
static int64_t position(const struct formula_view *view, const struct extents *in, const struct extents *out, int d,
                        const int64_t *at)
{
    const int64_t extent = in->at[d], own = at[d + out->rank - in->rank];
    switch (view->kind) {
    case VIEWS_TRANSPOSE:
        for (int to = 0; to < in->rank; to++)
            if ((view->has_sources ? axis_at(view, to, in->rank) : in->rank - 1 - to) == d)
                return at[to];
        return 0;
    case VIEWS_FLIP: return has_axis(view, d, in->rank) ? extent - 1 - own : own;
    case VIEWS_ROLL: {
        const int64_t from = (own - shift_of(view, d, in->rank)) % extent;
        return from < 0 ? from + extent : from;
    }
    case VIEWS_BROADCAST: return extent == 1 ? 0 : own;
    case VIEWS_TILE: return own % extent;
    default: return d == axis_at(view, 0, in->rank) ? own / view->shape[0] : own;
    }
}

int64_t rearrange_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                         int64_t number)
{
    int64_t at[FORMULA_RANK], source = 0;
    for (int d = out->rank - 1; d >= 0; number /= out->at[d--])
        at[d] = number % out->at[d];
    for (int d = 0; d < in->rank; d++)
        source = source * in->at[d] + position(view, in, out, d, at);
    return source;
}

/* ---- random ones ---- */

static int below(struct stream *stream, int bound)
{
    return (int)stream_below(stream, (uint64_t)bound);
}

/* The dimensions in any order, as many as `count`. */
static void any_axes(struct stream *stream, struct formula_view *view, int rank, int count)
{
    int all[FORMULA_RANK];
    for (int i = 0; i < rank; i++)
        all[i] = i;
    for (int i = 0; i < count; i++) {
        const int j = i + below(stream, rank - i), kept = all[i];
        all[i] = all[j];
        all[j] = kept;
        view->sources[i] = below(stream, 4) ? all[i] : all[i] - rank;
    }
    view->has_sources = true;
    view->count = count;
}

static void any_roll(struct stream *stream, struct formula_view *view, int rank)
{
    view->count = 1;
    view->shape[0] = below(stream, 21) - 10;
    if (rank == 0 || below(stream, 3) == 0)
        return;
    any_axes(stream, view, rank, 1 + below(stream, rank));
    view->has_shape = below(stream, 3) == 0; /* one shift for all */
    for (int i = 1; i < view->count; i++)
        view->shape[i] = below(stream, 21) - 10;
}

/* Stretches what is 1 in all samples, and leaves the rest. */
static bool any_broadcast(struct stream *stream, struct formula_view *view, const struct extents *const *shapes,
                          int samples)
{
    const int rank = shapes[0]->rank, added = rank < FORMULA_RANK ? below(stream, 2) : 0;
    view->count = rank + added;
    for (int d = 0; d < view->count; d++) {
        int64_t extent = d < added ? 1 : shapes[0]->at[d - added];
        for (int s = 1; s < samples && d >= added; s++) {
            const int64_t other = shapes[s]->at[d - added];
            if (extent != 1 && other != 1 && other != extent)
                return false;
            extent = extent == 1 ? other : extent;
        }
        view->shape[d] = extent == 1 ? (int64_t[]){1, 2, 3, 5}[below(stream, 4)] : extent;
    }
    return true;
}

static void any_tile(struct stream *stream, struct formula_view *view, int rank)
{
    view->count = 1 + below(stream, rank + 1 < FORMULA_RANK ? rank + 1 : FORMULA_RANK);
    for (int i = 0; i < view->count; i++)
        view->shape[i] = (int64_t[]){1, 1, 1, 2, 2, 3, 0}[below(stream, below(stream, 8) ? 6 : 7)];
}

void rearrange_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples)
{
    const int rank = shapes[0]->rank;
    view->kind = (enum view_kind)(VIEWS_TRANSPOSE + below(stream, 6));
    view->count = 0;
    if (view->kind == VIEWS_BROADCAST && !any_broadcast(stream, view, shapes, samples))
        view->kind = VIEWS_FLIP;
    if (view->kind == VIEWS_REPEAT && rank == 0)
        view->kind = VIEWS_TILE;
    if (view->kind == VIEWS_TRANSPOSE && below(stream, 3))
        any_axes(stream, view, rank, rank);
    else if (view->kind == VIEWS_FLIP && rank && below(stream, 3)) {
        view->count = 0;
        any_axes(stream, view, rank, 1 + below(stream, rank));
    } else if (view->kind == VIEWS_FLIP)
        view->count = 0;
    else if (view->kind == VIEWS_ROLL)
        any_roll(stream, view, rank);
    else if (view->kind == VIEWS_TILE)
        any_tile(stream, view, rank);
    else if (view->kind == VIEWS_REPEAT) {
        any_axes(stream, view, rank, 1);
        view->shape[0] = below(stream, 12) ? 1 + below(stream, 3) : 0;
    }
}

/* ---- text ---- */

const char *rearrange_name(const struct formula_view *view)
{
    static const char *const names[] = {"transpose", "flip", "roll", "broadcast_to", "tile", "repeat"};
    return names[view->kind - VIEWS_TRANSPOSE];
}

static int print_numbers(char *text, size_t size, const char *name, const struct formula_view *view, bool axes,
                         int count)
{
    const bool single = count == 1;
    int at = snprintf(text, size, ", %s%s", name, single ? "" : "[");
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, size - (size_t)at, i ? ", %lld" : "%lld",
                       axes ? (long long)view->sources[i] : (long long)view->shape[i]);
    return at + snprintf(text + at, size - (size_t)at, "%s", single ? "" : "]");
}

int rearrange_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    static const char *const lists[] = {"", "", "shifts=", "shape=", "counts=", "n="};
    const char *const axes = manner & 2 ? "axes=" : "axis=";
    const bool listed = view->kind >= VIEWS_ROLL, named = manner & 1;
    int at = 0;
    text[0] = '\0';
    if (listed)
        at = print_numbers(text, size, named ? lists[view->kind - VIEWS_TRANSPOSE] : "", view, false,
                           view->kind == VIEWS_REPEAT || view->has_shape ? 1 : view->count);
    if (view->has_sources)
        at += print_numbers(text + at, size - (size_t)at, named ? axes : "", view, true, view->count);
    return at;
}
