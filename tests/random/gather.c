/* See gather.h. Elements are found one by one from the rules of docs/language.md. */
#include "tests/random/gather.h"

#include "tests/random/neighbour.h"

#include <stdio.h>

bool is_gathered(const struct formula_view *view)
{
    return view->kind == VIEWS_GATHER || view->kind == VIEWS_SAMPLE;
}

static int axis_at(const struct formula_view *view, int i, int rank)
{
    const int axis = view->has_sources ? view->sources[i] : i;
    return axis < 0 ? axis + rank : axis;
}

/* The number of the axis that dimension d is; -1: it is none. */
static int axis_of(const struct formula_view *view, int d, int rank)
{
    for (int i = 0; i < view->count; i++)
        if (axis_at(view, i, rank) == d)
            return i;
    return -1;
}

static bool axes_good(const struct formula_view *view, int rank)
{
    unsigned seen = 0;
    for (int i = 0; i < view->count; i++) {
        const int axis = axis_at(view, i, rank);
        if (axis < 0 || axis >= rank || seen >> axis & 1)
            return false;
        seen |= 1u << axis;
    }
    return true;
}

bool gather_extents(const struct formula_view *view, const struct extents *in, const struct extents *positions,
                    struct extents *out)
{
    *out = (struct extents){0};
    if (!axes_good(view, in->rank) || positions->rank == 0 || positions->at[positions->rank - 1] != view->count ||
        positions->rank - 1 + in->rank - view->count > FORMULA_RANK)
        return false;
    for (int d = 0; d + 1 < positions->rank; d++)
        out->at[out->rank++] = positions->at[d];
    for (int d = 0; d < in->rank; d++)
        if (axis_of(view, d, in->rank) < 0)
            out->at[out->rank++] = in->at[d];
    for (int i = 0; i < view->count && extents_volume(out); i++) {
        const bool word = view->has_mode ? view->modes[view->listed ? i : 0].word : view->kind == VIEWS_SAMPLE;
        if (word && in->at[axis_at(view, i, in->rank)] == 0)
            return false;
    }
    return true;
}

/* How many elements of the result each row of positions gives. */
static int64_t each(const struct formula_view *view, const struct extents *in, const struct extents *out)
{
    int64_t count = 1;
    for (int d = out->rank - (in->rank - view->count); d < out->rank; d++)
        count *= out->at[d];
    return count;
}

int64_t gather_first(const struct formula_view *view, const struct extents *in, const struct extents *out,
                     int64_t number)
{
    return number / each(view, in, out) * view->count;
}

/* The position along axis i as one of `extent`; -1: it lies outside. */
static int64_t placed(const struct formula_view *view, int i, __int128 p, int64_t extent)
{
    const enum formula_word word = view->has_mode                ? view->modes[view->listed ? i : 0].word
                                   : view->kind == VIEWS_SAMPLE ? WORD_EDGE : WORD_NONE;
    if (!view->has_mode && view->kind == VIEWS_GATHER && p < 0)
        p += extent;
    if (p >= 0 && p < extent)
        return (int64_t)p;
    return word ? neighbour_inside(word, p, extent) : -1;
}

int64_t gather_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                      int64_t number, const __int128 *at, int *outside)
{
    int64_t place[FORMULA_RANK], source = 0;
    *outside = -1;
    for (int d = in->rank - 1, back = out->rank - 1; d >= 0; d--)
        if (axis_of(view, d, in->rank) < 0) {
            place[d] = number % out->at[back];
            number /= out->at[back--];
        }
    for (int i = 0; i < view->count; i++) {
        const int d = axis_at(view, i, in->rank);
        place[d] = placed(view, i, at[i], in->at[d]);
        *outside = place[d] < 0 ? i : *outside;
    }
    for (int d = 0; d < in->rank; d++)
        source = source * in->at[d] + place[d];
    return *outside < 0 ? source : -1;
}

void gather_any(struct stream *stream, struct formula_view *view, int rank, enum weft_dtype dtype)
{
    *view = (struct formula_view){.kind = stream_below(stream, 2) ? VIEWS_GATHER : VIEWS_SAMPLE};
    const int most = view->kind == VIEWS_SAMPLE && rank > 3 ? 3 : rank;
    view->count = 1 + (int)stream_below(stream, (uint64_t)most);
    if (stream_below(stream, 2))
        neighbour_any_axes(stream, view, rank);
    neighbour_any_modes(stream, view, dtype);
}

int gather_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    int at = 0;
    text[0] = '\0';
    if (view->has_sources) {
        at = snprintf(text, size, ", %s[", manner & 1 ? "axes=" : manner & 2 ? "axis=" : "");
        for (int i = 0; i < view->count; i++)
            at += snprintf(text + at, size - (size_t)at, i ? ", %d" : "%d", view->sources[i]);
        at += snprintf(text + at, size - (size_t)at, "]");
    }
    return view->has_mode ? at + neighbour_print_modes(text + at, size - (size_t)at, view, manner | 1) : at;
}
