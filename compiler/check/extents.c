/* Implements extents.h: the operations on numbers. */
#include "compiler/check/extents.h"

#include "compiler/check/shape.h"

#include <math.h>
#include <string.h>

static bool is_known(const struct extent_term *term)
{
    return term->a >= 0 && term->b >= 0 && term->c >= 0 && !term->slice.open && term->op != EXTENT_LANES &&
           (!term->shape || shape_known(term->shape));
}

static int64_t multiply(int64_t a, int64_t b)
{
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

static int64_t scale(int64_t a, double factor)
{
    const double scaled = round(factor * (double)a);
    return scaled >= 0x1p63 ? INT64_MAX : (int64_t)scaled;
}

static int64_t take_slice(int64_t a, const struct slice *slice)
{
    int64_t first, count;
    slice_resolve(slice, a, &first, &count);
    return count;
}

static int64_t pad(int64_t a, const struct slice *widths)
{
    const __int128 padded = (__int128)a + widths->start + widths->stop;
    return padded < 0 ? EXTENT_UNKNOWN : padded > INT64_MAX ? INT64_MAX : (int64_t)padded;
}

static bool has_index(int64_t a, int64_t index)
{
    return index < 0 ? index + a >= 0 : index < a;
}

static int64_t compute(const struct extent_term *t)
{
    int64_t sum;
    switch (t->op) {
    case EXTENT_JOIN: return t->a == 1 ? t->b : t->a;
    case EXTENT_SUM: return __builtin_add_overflow(t->a, t->b, &sum) ? INT64_MAX : sum;
    case EXTENT_PRODUCT: return multiply(t->a, t->b);
    case EXTENT_QUOTIENT: return t->b && t->a % t->b == 0 ? t->a / t->b : EXTENT_UNKNOWN;
    case EXTENT_SCALED: return scale(t->a, t->factor);
    case EXTENT_SLICED: return take_slice(t->a, &t->slice);
    case EXTENT_VOLUME: return shape_volume(t->shape);
    case EXTENT_GROUPS: return (t->a > t->b ? (t->a - 1) / t->b + 1 : 1) * t->c;
    case EXTENT_FILLED: return t->a;
    case EXTENT_NEGATED: return -t->a;
    case EXTENT_PADDED: return pad(t->a, &t->slice);
    case EXTENT_VALID: return t->a < t->b ? 0 : t->a - t->b + 1;
    case EXTENT_AROUND: return t->a ? t->a + t->b : 0;
    case EXTENT_EQUAL: return t->a == t->b;
    case EXTENT_STRETCHES: return t->a == t->b || t->a == 1;
    case EXTENT_AT_MOST: return t->a <= t->b;
    case EXTENT_FEEDS: return t->a != 0 || shape_volume(t->shape) == 0;
    case EXTENT_HAS: return has_index(t->a, t->slice.start);
    default: return true;
    }
}

/* Whether one operand decides. */
static bool is_nothing(const struct extent_term *term)
{
    return term->op == EXTENT_PRODUCT && (term->a == 0 || term->b == 0);
}

int64_t extent_compute(const struct open_extents *open, const struct extent_term *term)
{
    if (is_known(term))
        return compute(term);
    return is_nothing(term) ? 0 : open ? open->compute(open->user, term) : EXTENT_UNKNOWN;
}

bool extent_require(const struct open_extents *open, struct extent_term fact, struct span span, const char *note, ...)
{
    va_list args;
    if (is_known(&fact) || !open)
        return !is_known(&fact) || compute(&fact);
    va_start(args, note);
    open->require(open->user, &fact, span, arena_vprintf(open->arena, note, args));
    va_end(args);
    return true;
}

bool extent_terms_equal(const struct extent_term *a, const struct extent_term *b)
{
    const struct slice *x = &a->slice, *y = &b->slice;
    return a->op == b->op && a->a == b->a && a->b == b->b && a->c == b->c && a->factor == b->factor &&
           a->ordered == b->ordered && a->threads == b->threads && !a->shape == !b->shape &&
           (!a->shape || shapes_equal(a->shape, b->shape)) && x->open == y->open && x->start == y->start &&
           x->stop == y->stop && x->step == y->step && x->has_start == y->has_start && x->has_stop == y->has_stop;
}
