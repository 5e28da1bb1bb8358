/* See view.h. */
#include "tests/random/view.h"

#include "tests/random/rearrange.h"
#include "tests/random/select.h"
#include "tests/random/size.h"

#include <math.h>
#include <stdio.h>

/* ---- shapes ---- */

/* Gives the dimension `rest` (-1: none) what the others leave of so many bytes. */
static bool take_rest(struct extents *out, int rest, int64_t bytes, int size)
{
    int64_t others = size;
    for (int d = 0; d < out->rank; d++) {
        if (d != rest && out->at[d] < 0)
            return false;
        others *= d == rest ? 1 : out->at[d];
    }
    if (rest < 0)
        return others == bytes;
    if (others == 0 || bytes % others != 0)
        return false;
    out->at[rest] = bytes / others;
    return true;
}

static bool reshaped(const struct formula_view *view, const struct extents *in, int64_t bytes, int size,
                     struct extents *out)
{
    int rest = -1;
    out->rank = view->count;
    if (view->has_factors && !view->has_sources && view->count > in->rank &&
        (view->count > in->rank + 1 || !(view->factors[view->count - 1] < 0)))
        return false;
    for (int d = 0; d < view->count; d++) {
        int from = view->has_sources ? view->sources[d] : d;
        double extent = from >= 0 && from < in->rank ? (double)in->at[from] : 1;
        if (view->has_sources && from >= in->rank)
            return false;
        out->at[d] = view->has_shape     ? view->shape[d]
                     : view->has_factors ? (int64_t)round(view->factors[d] * extent)
                                         : (int64_t)extent;
        bool negative = view->has_shape ? view->shape[d] < 0
                                        : view->has_factors && view->factors[d] < 0;
        if (negative && rest >= 0)
            return false;
        rest = negative ? d : rest;
    }
    return take_rest(out, rest, bytes, size);
}

static bool has_axis(const struct formula_view *view, int axis, int rank)
{
    for (int i = 0; i < view->count; i++)
        if (view->sources[i] == axis ||
            (view->kind == VIEWS_SQUEEZE && view->sources[i] + rank == axis))
            return true;
    return false;
}

static bool squeezed(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    int dropped = 0;
    out->rank = 0;
    for (int d = 0; d < in->rank; d++) {
        if (!has_axis(view, d, in->rank))
            out->at[out->rank++] = in->at[d];
        else if (in->at[d] != 1)
            return false;
        else
            dropped++;
    }
    return dropped == view->count;
}

static bool expanded(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    int inserted = 0, from = 0;
    out->rank = in->rank + view->count;
    if (out->rank > FORMULA_RANK)
        return false;
    for (int d = 0; d < out->rank; d++) {
        bool one = has_axis(view, d, out->rank);
        inserted += one;
        if (!one && from == in->rank)
            return false;
        out->at[d] = one ? 1 : in->at[from++];
    }
    return inserted == view->count;
}

static bool indexed(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    const int d = view->sources[0] < 0 ? view->sources[0] + in->rank : view->sources[0];
    const struct extents from = *in;
    *out = from;
    for (int k = 0; k < from.rank; k++)
        out->at[k] = k == d ? from.at[k] : 1;
    return d >= 0 && d < from.rank;
}

bool view_extents(const struct formula_view *view, int from, int to, const struct extents *extents,
                  struct extents *out)
{
    int64_t bytes = extents_volume(extents) * from;
    *out = *extents;
    switch (view->kind) {
    case VIEWS_SQUEEZE: return squeezed(view, extents, out);
    case VIEWS_EXPAND: return expanded(view, extents, out);
    case VIEWS_SELECT: return select_extents(view, extents, out);
    case VIEWS_INDEX: return indexed(view, extents, out);
    default: return rearrange_extents(view, extents, out);
    case VIEWS_REINTERPRET:
        if (view->has_shape)
            return reshaped(view, extents, bytes, to, out);
        if (from == to)
            return true;
        if (out->rank == 0 || out->at[out->rank - 1] * from % to != 0)
            return false;
        out->at[out->rank - 1] = out->at[out->rank - 1] * from / to;
        return true;
    case VIEWS_RESHAPE:
        if (view->has_shape || view->has_factors || view->has_sources)
            return reshaped(view, extents, bytes, from, out);
    }
    return false;
}

/* ---- random ones ---- */

static int below(struct stream *stream, int bound)
{
    return (int)stream_below(stream, (uint64_t)bound);
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    return b == 0 ? a : common_divisor(b, a % b);
}

/* A number that divides the volume of every sample. */
static int64_t any_divisor(struct stream *stream, int64_t volume)
{
    int64_t divisor = 1;
    for (int i = below(stream, 4); i >= 0; i--) {
        int64_t factor = (int64_t[]){2, 3, 4, 5, 7, 8, 64}[below(stream, 7)];
        if (volume > 0 && volume % (divisor * factor) == 0)
            divisor *= factor;
    }
    return divisor;
}

/* Extents whose product is the volume, or which leave a place for the rest. */
static void any_shape(struct stream *stream, struct formula_view *view, int64_t volume, bool rest)
{
    int count = 1 + below(stream, 4), open = below(stream, count);
    view->has_shape = true;
    view->count = count;
    for (int d = 0; d < count; d++) {
        view->shape[d] = d == open ? -1 : any_divisor(stream, volume);
        volume /= d == open ? 1 : view->shape[d];
    }
    if (!rest)
        view->shape[open] = volume;
    if (volume == 0 && !rest)
        view->shape[below(stream, count)] = 0;
    if (volume == 1 && below(stream, 4) == 0)
        view->count = 0;
}

/* The dimensions in any order, with some that are inserted. */
static void any_sources(struct stream *stream, struct formula_view *view, int rank)
{
    view->has_sources = true;
    for (int i = 0; i < rank; i++)
        view->sources[i] = i;
    for (int i = rank - 1; i > 0; i--) {
        int j = below(stream, i + 1), kept = view->sources[i];
        view->sources[i] = view->sources[j];
        view->sources[j] = kept;
    }
    view->count = rank;
    while (view->count < FORMULA_RANK && below(stream, 3) == 0) {
        int at = below(stream, view->count + 1);
        for (int i = view->count; i > at; i--)
            view->sources[i] = view->sources[i - 1];
        view->sources[at] = -1;
        view->count++;
    }
}

/* Halves, doubles and the like, one of them open. */
static void any_factors(struct stream *stream, struct formula_view *view, int rank)
{
    static const double list[] = {1, 1, 1, 0.5, 2, 0.25, 0.3333333333333333, 3};
    view->has_factors = true;
    if (!view->has_sources)
        view->count = rank == 0 ? 1 : 1 + below(stream, rank);
    for (int i = 0; i < view->count; i++)
        view->factors[i] = list[below(stream, sizeof list / sizeof *list)];
    if (view->count)
        view->factors[below(stream, view->count)] = -1;
    if (view->count < rank && below(stream, 2) == 0) {
        view->factors[view->count - 1] = -1;
        for (int i = 0; i + 1 < view->count; i++)
            view->factors[i] = 1;
    }
}

static void any_squeeze(struct stream *stream, struct formula_view *view,
                        const struct extents *const *shapes, int samples)
{
    int rank = shapes[0]->rank;
    for (int d = 0; d < rank; d++) {
        bool one = below(stream, 4) > 0;
        for (int s = 0; s < samples; s++)
            one = one && shapes[s]->at[d] == 1;
        if (one)
            view->sources[view->count++] = below(stream, 3) ? d : d - rank;
    }
}

static void any_expansion(struct stream *stream, struct formula_view *view, int rank)
{
    int most = rank + 1 + below(stream, 2);
    for (int d = 0; d < most && rank + view->count < FORMULA_RANK; d++)
        if (below(stream, 2) && d <= rank + view->count)
            view->sources[view->count++] = d;
}

struct formula_view view_any(struct stream *stream, const struct extents *const *shapes, int samples)
{
    struct formula_view view = {.kind = VIEWS_RESHAPE};
    int64_t volume = extents_volume(shapes[0]);
    bool alike = true;
    for (int s = 1; s < samples; s++) {
        alike = alike && extents_volume(shapes[s]) == volume;
        volume = common_divisor(volume, extents_volume(shapes[s]));
    }
    switch (below(stream, 22)) {
    case 20: case 21:
        if (shapes[0]->rank) {
            view.kind = VIEWS_INDEX;
            view.count = 1;
            view.sources[0] = below(stream, 2 * shapes[0]->rank) - shapes[0]->rank;
            break;
        }
        /* fall through */
    case 0: view.kind = VIEWS_SQUEEZE; any_squeeze(stream, &view, shapes, samples); break;
    case 1: view.kind = VIEWS_EXPAND; any_expansion(stream, &view, shapes[0]->rank); break;
    case 2: view.kind = VIEWS_REINTERPRET;
        if (below(stream, 2))
            any_shape(stream, &view, volume, true);
        break;
    case 3: any_sources(stream, &view, shapes[0]->rank); break;
    case 4: any_sources(stream, &view, shapes[0]->rank); /* fall through */
    case 5: any_factors(stream, &view, shapes[0]->rank); break;
    case 6: case 7: any_shape(stream, &view, volume, !alike || below(stream, 2)); break;
    case 8: case 9: case 10: case 11: case 12:
        view.kind = VIEWS_SELECT;
        select_any(stream, &view, shapes, samples);
        break;
    default: rearrange_any(stream, &view, shapes, samples);
    }
    return view;
}

/* ---- text ---- */

static int print_list(char *text, size_t size, const char *name, const struct formula_view *view,
                      int list, unsigned manner)
{
    int at = snprintf(text, size, ", %s[", name);
    for (int i = 0; i < view->count; i++) {
        at += snprintf(text + at, size - (size_t)at, i ? ", " : "");
        if (list == 0 && view->kind == VIEWS_RESHAPE)
            at += size_print(text + at, size - (size_t)at, view->shape[i], manner + (unsigned)i);
        else if (list == 0)
            at += snprintf(text + at, size - (size_t)at, "%lld", (long long)view->shape[i]);
        else if (list == 1)
            at += snprintf(text + at, size - (size_t)at, "%.17g", view->factors[i]);
        else
            at += snprintf(text + at, size - (size_t)at, "%d", view->sources[i]);
    }
    return at + snprintf(text + at, size - (size_t)at, "]");
}

int view_print(char *text, size_t size, const struct formula_view *view, const char *dtype,
               unsigned manner)
{
    if (view->kind == VIEWS_INDEX)
        return snprintf(text, size, manner & 1 ? ", d=%d" : ", %d", view->sources[0]);
    bool reshape = view->kind == VIEWS_RESHAPE, axes = !reshape && view->kind != VIEWS_REINTERPRET;
    int at = 0;
    text[0] = '\0';
    if (view->kind == VIEWS_REINTERPRET)
        at = snprintf(text, size, manner & 1 ? ", dtype=%s" : ", %s", dtype);
    if (axes)
        return print_list(text, size, manner & 1 ? "axes=" : "", view, 2, 0);
    if (view->has_shape && reshape && view->count == 1 && manner & 4)
        return snprintf(text, size, manner & 1 ? ", %lld" : ", shape=%lld", (long long)view->shape[0]);
    if (view->has_shape)
        at += print_list(text + at, size - (size_t)at, reshape && manner & 1 ? "" : "shape=", view, 0, manner);
    if (view->has_factors)
        at += print_list(text + at, size - (size_t)at, "rel_shape=", view, 1, 0);
    if (view->has_sources)
        at += print_list(text + at, size - (size_t)at, "src_dims=", view, 2, 0);
    return at;
}
