/* See series.h. */
#include "tests/random/series.h"

#include "tests/random/size.h"

#include <stdio.h>

bool is_series(const struct formula_view *view)
{
    return view->kind == VIEWS_ARANGE || view->kind == VIEWS_LINSPACE;
}

bool series_extents(const struct formula_view *view, const struct extents *operand, struct extents *out)
{
    *out = (struct extents){1, {view->shape[0]}};
    if (!operand)
        return out->at[0] >= 0;
    const int d = view->sources[0] < 0 ? view->sources[0] + operand->rank : view->sources[0];
    if (d < 0 || d >= operand->rank)
        return false;
    out->at[0] += operand->at[d];
    return out->at[0] >= 0;
}

static double end_of(const struct number *number)
{
    return number->kind == NUMBER_REAL ? number->real : (double)number->integer;
}

union scalar series_value(const struct formula_view *view, const struct number *ends, int64_t i, int64_t n)
{
    if (view->kind == VIEWS_ARANGE)
        return (union scalar){.i32 = (int32_t)i};
    const double a = end_of(&ends[0]), b = end_of(&ends[1]);
    return (union scalar){.f32 = (float)(n == 1 ? a : i == n - 1 ? b : a + (double)i * (b - a) / (double)(n - 1))};
}

static int below(struct stream *stream, int bound)
{
    return (int)stream_below(stream, (uint64_t)bound);
}

struct formula_view series_any(struct stream *stream, int rank, int64_t n, bool of_operand)
{
    struct formula_view view = {.kind = below(stream, 2) ? VIEWS_ARANGE : VIEWS_LINSPACE};
    view.shape[0] = below(stream, 4) ? 0 : below(stream, 3);
    if (of_operand)
        view.sources[0] = below(stream, 3) ? -1 : below(stream, 2 * rank) - rank;
    else
        view.shape[0] += n;
    return view;
}

struct number series_end(struct stream *stream)
{
    static const double list[] = {0.0, 1.0, 0.1, -1.0, 1e-3, 255.0, 1e10, 0.3333333333333333, -2.5, 1e-40};
    if (below(stream, 2))
        return (struct number){.kind = NUMBER_INTEGER, .integer = below(stream, 41) - 20};
    return (struct number){.kind = NUMBER_REAL, .real = list[below(stream, sizeof list / sizeof *list)]};
}

void series_print(char *text, size_t size, const struct formula_view *view, bool of_operand, unsigned manner)
{
    if (!of_operand)
        size_print(text, size, view->shape[0], manner);
    else if (view->shape[0])
        snprintf(text, size, ", %d) + %lld", view->sources[0], (long long)view->shape[0]);
    else
        snprintf(text, size, ", %d)", view->sources[0]);
}
