/* See scatter.h. */
#include "tests/random/scatter.h"

#include "tests/random/neighbour.h"
#include "tests/random/number.h"
#include "tests/random/reduced.h"

#include <math.h>
#include <stdio.h>

bool is_scattered(const struct formula_view *view)
{
    return view->kind == VIEWS_SCATTER;
}

bool scatter_takes(const struct formula_view *view, const struct formula_node *v, enum weft_dtype dtype)
{
    const enum number_kind kind = v->number.kind;
    if (dtype == WEFT_BOOL && view->put != PUTS_SET && view->put != PUTS_MUL)
        return false;
    if (kind == NUMBER_NONE)
        return promote(v->dtype, dtype) == dtype;
    return !(kind == NUMBER_REAL && !dtype_is_float(dtype)) && (kind == NUMBER_BOOL) == (dtype == WEFT_BOOL) &&
           number_meets(&v->number, dtype);
}

struct formula_view scatter_places(const struct formula_view *view)
{
    struct formula_view places = *view;
    places.kind = VIEWS_GATHER;
    places.has_mode = false;
    return places;
}

bool scatter_misses(const struct formula_view *view, const struct extents *in, const __int128 *at)
{
    bool misses = false;
    for (int i = 0; i < view->count; i++) {
        const int axis = view->has_sources ? view->sources[i] : i;
        const int64_t extent = in->at[axis < 0 ? axis + in->rank : axis];
        misses = misses || at[i] < -extent || at[i] >= extent;
    }
    return misses;
}

/* ---- values ---- */

/* The sum of floats in their order over their number. */
static union scalar mean_of(enum weft_dtype dtype, const union scalar *put, int64_t count)
{
    const enum weft_dtype compute = type_rows[dtype].compute;
    const union scalar none = {0}, number = eval_convert(WEFT_INT64, compute, false, (union scalar){.i64 = count});
    union scalar sum = {0};
    for (int64_t i = 0; i < count; i++)
        sum = eval_op(OP_ADD, compute, compute, sum, eval_convert(dtype, compute, false, put[i]), none);
    return eval_convert(compute, dtype, false, eval_op(OP_DIV, compute, compute, sum, number, none));
}

static bool is_nan(enum weft_dtype dtype, union scalar value)
{
    return dtype_is_float(dtype) && isnan(eval_convert(dtype, WEFT_FLOAT64, false, value).f64);
}

static bool is_negative(enum weft_dtype dtype, union scalar value)
{
    return signbit(eval_convert(dtype, WEFT_FLOAT64, false, value).f64);
}

/* The smaller one, or the larger one; a NaN if there is one; -0 below 0. */
static union scalar extreme(enum weft_dtype dtype, union scalar a, union scalar b, bool largest)
{
    const union scalar none = {0};
    if (is_nan(dtype, a) || is_nan(dtype, b))
        return is_nan(dtype, a) ? a : b;
    if (dtype_is_float(dtype) && eval_op(OP_EQ, dtype, WEFT_BOOL, a, b, none).b1)
        return is_negative(dtype, a) == largest ? b : a;
    return eval_op(OP_LT, dtype, WEFT_BOOL, a, b, none).b1 == largest ? b : a;
}

/* bool: whether both are true. */
static union scalar product(enum weft_dtype dtype, union scalar a, union scalar b)
{
    const union scalar none = {0};
    return dtype == WEFT_BOOL ? (union scalar){.b1 = a.b1 && b.b1} : eval_op(OP_MUL, dtype, dtype, a, b, none);
}

union scalar scatter_value(const struct formula_view *view, enum weft_dtype dtype, union scalar x,
                           const union scalar *put, int64_t count)
{
    const enum weft_dtype compute = type_rows[dtype].compute;
    const union scalar none = {0};
    if (count == 0)
        return x;
    if (view->put == PUTS_SET)
        return put[count - 1];
    if (view->put == PUTS_MEAN && dtype_is_float(dtype))
        return mean_of(dtype, put, count);
    if (view->put == PUTS_MEAN) {
        union scalar *values = (union scalar *)put;
        const struct reduced_row row = {dtype, values, NULL, count, 0};
        return eval_convert(WEFT_FLOAT32, dtype, true, reduced_value(REDUCTION_MEAN, &row, WEFT_FLOAT32));
    }
    union scalar value = eval_convert(dtype, compute, false, x);
    for (int64_t i = 0; i < count; i++) {
        const union scalar next = eval_convert(dtype, compute, false, put[i]);
        value = view->put == PUTS_ADD   ? eval_op(OP_ADD, compute, compute, value, next, none)
                : view->put == PUTS_MUL ? product(compute, value, next)
                                        : extreme(compute, value, next, view->put == PUTS_MAX);
    }
    return eval_convert(compute, dtype, false, value);
}

/* ---- texts ---- */

void scatter_any(struct stream *stream, struct formula_view *view, int rank, enum weft_dtype dtype)
{
    *view = (struct formula_view){.kind = VIEWS_SCATTER, .put = (enum formula_put)stream_below(stream, PUT_KINDS)};
    view->count = 1 + (int)stream_below(stream, (uint64_t)rank);
    if (dtype == WEFT_BOOL)
        view->put = stream_below(stream, 2) ? PUTS_SET : PUTS_MUL;
    if (stream_below(stream, 2))
        neighbour_any_axes(stream, view, rank);
}

int scatter_print(char *text, size_t size, const struct formula_view *view, unsigned manner)
{
    static const char *const words[PUT_KINDS] = {"set", "add", "mul", "min", "max", "mean"};
    int at = 0;
    text[0] = '\0';
    if (view->put != PUTS_SET || manner & 1)
        at += snprintf(text, size, ", %s\"%s\"", manner & 2 ? "mode=" : "", words[view->put]);
    if (view->has_sources) {
        at += snprintf(text + at, size - (size_t)at, ", %s[", manner & 4 ? "axes=" : "axis=");
        for (int i = 0; i < view->count; i++)
            at += snprintf(text + at, size - (size_t)at, i ? ", %d" : "%d", view->sources[i]);
        at += snprintf(text + at, size - (size_t)at, "]");
    }
    return at;
}
