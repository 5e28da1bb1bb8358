/* See neighbour.h. Elements are found one by one from the rule of docs/language.md. */
#include "tests/random/neighbour.h"

#include "tests/random/number.h"
#include "tests/random/size.h"

#include <stdio.h>
#include <string.h>

bool is_correlation(const struct formula_view *view)
{
    return view->kind == VIEWS_CORRELATE || view->kind == VIEWS_CONVOLVE;
}

bool is_neighbour(const struct formula_view *view)
{
    return view->kind == VIEWS_OFFSET || view->kind == VIEWS_PAD || is_correlation(view);
}

/* ---- shapes ---- */

static int axis_at(const struct formula_view *view, int i, int rank)
{
    const int axis = view->has_sources ? view->sources[i] : rank - view->count + i;
    return axis < 0 && view->has_sources ? axis + rank : axis;
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

static int64_t width(const struct formula_view *view, const int64_t *list, int i)
{
    return list[view->has_shape ? 0 : i];
}

static const struct formula_mode *mode_at(const struct formula_view *view, int i)
{
    return &view->modes[view->listed ? i : 0];
}

static bool padded(const struct formula_view *view, const struct extents *in, struct extents *out)
{
    for (int i = 0; i < view->count; i++) {
        const int d = axis_at(view, i, in->rank);
        out->at[d] += width(view, view->shape, i) + width(view, view->after, i);
        if (out->at[d] < 0)
            return false;
    }
    for (int i = 0; i < view->count; i++)
        if (mode_at(view, i)->word && in->at[axis_at(view, i, in->rank)] == 0 && extents_volume(out) > 0)
            return false;
    return true;
}

bool neighbour_extents(const struct formula_view *view, const struct extents *in, const struct extents *k,
                       struct extents *out)
{
    const struct extents from = *in;
    *out = from;
    if (!axes_good(view, from.rank) || (k && k->rank != view->count))
        return false;
    if (view->kind == VIEWS_PAD)
        return padded(view, &from, out);
    for (int i = 0; k && view->valid && i < view->count; i++) {
        const int d = axis_at(view, i, from.rank);
        out->at[d] = from.at[d] < k->at[i] ? 0 : from.at[d] - k->at[i] + 1;
    }
    return true;
}

bool neighbour_numbers_fit(const struct formula_view *view, enum weft_dtype dtype)
{
    for (int i = 0; view->has_mode && i < (view->listed ? view->count : 1); i++) {
        const struct number *number = &view->modes[i].number;
        const bool real = number->kind == NUMBER_REAL && !dtype_is_float(dtype);
        if (!view->modes[i].word && !view->valid &&
            (real || (number->kind == NUMBER_BOOL) != (dtype == WEFT_BOOL) || !number_meets(number, dtype)))
            return false;
    }
    return true;
}

/* ---- elements ---- */

static int64_t modulo(__int128 a, int64_t n)
{
    return (int64_t)(a % n < 0 ? a % n + n : a % n);
}

int64_t neighbour_inside(enum formula_word word, __int128 p, int64_t n)
{
    switch (word) {
    case WORD_EDGE: return p < 0 ? 0 : n - 1;
    case WORD_WRAP: return modulo(p, n);
    case WORD_SYMMETRIC:
        p = modulo(p, 2 * n);
        return (int64_t)(p < n ? p : 2 * n - 1 - p);
    default:
        p = n == 1 ? 0 : modulo(p, 2 * n - 2);
        return (int64_t)(p < n ? p : 2 * n - 2 - p);
    }
}

int64_t neighbour_source(const struct formula_view *view, const struct extents *in, const struct extents *out,
                         int64_t number, const int64_t *starts, int *outside)
{
    int64_t at[FORMULA_RANK], source = 0;
    *outside = -1;
    for (int d = out->rank - 1; d >= 0; number /= out->at[d--])
        at[d] = number % out->at[d];
    for (int i = 0; i < view->count; i++) {
        const int d = axis_at(view, i, in->rank);
        const __int128 p = (__int128)at[d] + starts[i];
        at[d] = (int64_t)p;
        if (p >= 0 && p < in->at[d])
            continue;
        if (mode_at(view, i)->word)
            at[d] = neighbour_inside(mode_at(view, i)->word, p, in->at[d]);
        else
            *outside = i;
    }
    for (int d = 0; d < in->rank; d++)
        source = source * in->at[d] + at[d];
    return *outside < 0 ? source : -1;
}

void neighbour_starts(const struct formula_view *view, int64_t *starts)
{
    for (int i = 0; i < view->count; i++)
        starts[i] = view->kind == VIEWS_PAD ? -width(view, view->shape, i) : width(view, view->shape, i);
}

/* convolve reads from the other end, where its k turned round has the element. */
void neighbour_term(const struct formula_view *view, const struct extents *k, int64_t element, int64_t *starts)
{
    for (int i = k->rank - 1; i >= 0; i--) {
        const int64_t digit = element % k->at[i], place = view->kind == VIEWS_CONVOLVE ? k->at[i] - 1 - digit : digit;
        starts[i] = view->valid ? place : place - k->at[i] / 2;
        element /= k->at[i];
    }
}

/* ---- random ones ---- */

static int below(struct stream *stream, int bound)
{
    return (int)stream_below(stream, (uint64_t)bound);
}

static struct number any_outside(struct stream *stream, enum weft_dtype dtype)
{
    static const double reals[] = {0.5, -2.25, 1e-3, 100, -0.0, 65504};
    struct number number = {.kind = NUMBER_INTEGER, .integer = below(stream, 100)};
    if (dtype == WEFT_BOOL)
        number = (struct number){.kind = NUMBER_BOOL, .integer = below(stream, 2)};
    else if (dtype_is_float(dtype) && below(stream, 2))
        number = (struct number){.kind = NUMBER_REAL, .real = reals[below(stream, 6)]};
    return number;
}

void neighbour_any_modes(struct stream *stream, struct formula_view *view, enum weft_dtype dtype)
{
    view->has_mode = below(stream, 5) > 0;
    view->listed = view->has_mode && view->count && below(stream, 3) == 0;
    view->valid = view->has_mode && !view->listed && is_correlation(view) && below(stream, 3) == 0;
    for (int i = 0; i < FORMULA_RANK; i++) {
        view->modes[i] = (struct formula_mode){.number = {NUMBER_NONE, 0, 0}};
        if (view->has_mode && !view->valid && below(stream, 3))
            view->modes[i].word = (enum formula_word)(1 + below(stream, 4));
        else if (view->has_mode && !view->valid)
            view->modes[i].number = any_outside(stream, dtype);
    }
}

static int64_t any_offset(struct stream *stream, int64_t extent)
{
    static const int64_t far[] = {1000, -1000, INT64_C(1) << 40, -(INT64_C(1) << 40), INT64_MAX, INT64_MIN + 1};
    if (below(stream, 12) == 0)
        return far[below(stream, 6)];
    return below(stream, 4) ? below(stream, 5) - 2 : below(stream, (int)(2 * extent % 100) + 7) - extent - 3;
}

void neighbour_any_axes(struct stream *stream, struct formula_view *view, int rank)
{
    int all[FORMULA_RANK];
    for (int i = 0; i < rank; i++)
        all[i] = i;
    for (int i = 0; i < view->count; i++) {
        const int j = i + below(stream, rank - i), kept = all[i];
        all[i] = all[j];
        all[j] = kept;
        view->sources[i] = below(stream, 4) ? all[i] : all[i] - rank;
    }
    view->has_sources = true;
}

void neighbour_any(struct stream *stream, struct formula_view *view, const struct extents *const *shapes, int samples,
                   enum weft_dtype dtype, int rank_of_k)
{
    const int rank = shapes[0]->rank;
    const bool correlates = rank_of_k > 0;
    view->kind = (enum view_kind)((correlates ? VIEWS_CORRELATE : VIEWS_OFFSET) + below(stream, 2));
    const bool pads = view->kind == VIEWS_PAD;
    view->count = correlates ? rank_of_k : pads && below(stream, 2) ? rank : rank ? 1 + below(stream, rank) : 0;
    if (view->count <= rank && (below(stream, 2) || (pads && view->count != rank)))
        neighbour_any_axes(stream, view, rank);
    view->has_shape = !correlates && (pads || view->has_sources || view->count == 1) && below(stream, 4) == 0;
    for (int i = 0; i < view->count; i++) {
        const int d = rank >= view->count ? axis_at(view, i, rank) : 0;
        view->shape[i] = pads ? below(stream, 7) - 2 : any_offset(stream, shapes[below(stream, samples)]->at[d]);
        view->after[i] = view->has_shape ? view->shape[0] : below(stream, 7) - 2;
        if (pads && below(stream, 12) == 0)
            view->shape[i] = view->after[i] = below(stream, 20);
    }
    if (pads && view->has_shape)
        view->after[0] = view->shape[0];
    neighbour_any_modes(stream, view, dtype);
}

/* ---- text ---- */

const char *neighbour_name(const struct formula_view *view)
{
    static const char *const names[] = {"offset", "pad", "correlate", "convolve"};
    return names[view->kind - VIEWS_OFFSET];
}

static int print_offsets(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    const bool pads = view->kind == VIEWS_PAD, one = view->has_shape, flat = pads && !one && view->count == 1 &&
                                                                             manner & 8 && view->has_sources;
    const bool brackets = !one && !flat && (pads || view->count != 1 || manner & 16);
    int at = snprintf(text, size, ", %s%s", !(manner & 1) ? "" : pads ? "widths=" : "offsets=", brackets ? "[" : "");
    for (int i = 0; i < (one ? 1 : view->count); i++) {
        at += snprintf(text + at, size - (size_t)at, "%s%s", i ? ", " : "", pads && !one ? "[" : "");
        const int64_t value = view->shape[i], far = INT64_C(1) << 60;
        const bool near = value > -far && value < far; /* so that no sum overflows */
        at += size_print(text + at, size - (size_t)at, value, near ? manner + (unsigned)i : 3);
        if (!pads || one)
            continue;
        at += snprintf(text + at, size - (size_t)at, ", ");
        at += size_print(text + at, size - (size_t)at, view->after[i], manner / 2 + (unsigned)i);
        at += snprintf(text + at, size - (size_t)at, "]");
    }
    return at + snprintf(text + at, size - (size_t)at, "%s", brackets ? "]" : "");
}

static int print_mode(char *text, size_t size, const struct formula_mode *mode, unsigned manner)
{
    static const char *const words[] = {"", "edge", "wrap", "symmetric", "reflect"};
    char number[64];
    if (mode->word)
        return snprintf(text, size, manner & 1 ? "\"%s\"" : "'%s'", words[mode->word]);
    number_print(number, &mode->number, manner);
    return snprintf(text, size, "%s", number);
}

int neighbour_print_modes(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    int at = snprintf(text, size, ", %s%s", manner & 1 ? "mode=" : "", view->listed ? "[" : "");
    if (view->valid)
        return at + snprintf(text + at, size - (size_t)at, "\"valid\"");
    for (int i = 0; i < (view->listed ? view->count : 1); i++) {
        at += snprintf(text + at, size - (size_t)at, i ? ", " : "");
        at += print_mode(text + at, size - (size_t)at, &view->modes[i], manner);
    }
    return at + snprintf(text + at, size - (size_t)at, "%s", view->listed ? "]" : "");
}

int neighbour_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    const bool named = manner & 1 || !view->has_mode || manner & 32;
    int at = 0;
    text[0] = '\0';
    if (!is_correlation(view))
        at = print_offsets(text, size, view, manner);
    if (view->has_mode)
        at += neighbour_print_modes(text + at, size - (size_t)at, view, manner);
    if (!view->has_sources)
        return at;
    at += snprintf(text + at, size - (size_t)at, ", %s[", !named ? "" : manner & 2 ? "axes=" : "axis=");
    for (int i = 0; i < view->count; i++)
        at += snprintf(text + at, size - (size_t)at, i ? ", %d" : "%d", view->sources[i]);
    return at + snprintf(text + at, size - (size_t)at, "]");
}
