/* Implements range.h. */
#include "compiler/lang/range.h"

const struct value_range range_unknown = {0, 0, false};

struct value_range range_between(int64_t lo, int64_t hi)
{
    return (struct value_range){lo, hi, true};
}

struct value_range range_of_dtype(enum weft_dtype dtype)
{
    int bits = type_rows[dtype].bits;
    bool is_signed = type_rows[dtype].class == CLASS_SIGNED;
    if (!dtype_is_integer(dtype) || (bits == 64 && !is_signed))
        return range_unknown;
    return is_signed ? range_between(-1 - (INT64_MAX >> (64 - bits)), INT64_MAX >> (64 - bits))
                     : range_between(0, ((int64_t)1 << bits) - 1);
}

bool range_fits(struct value_range range, enum weft_dtype dtype)
{
    struct value_range most = range_of_dtype(dtype);
    if (dtype == WEFT_UINT64)
        return range.known && range.lo >= 0;
    return range.known && most.known && range.lo >= most.lo && range.hi <= most.hi;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct value_range hull(struct value_range a, struct value_range b)
{
    return a.known && b.known ? range_between(least(a.lo, b.lo), most(a.hi, b.hi)) : range_unknown;
}

static struct value_range product(struct value_range a, struct value_range b)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &p[0]) || __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &p[2]) || __builtin_mul_overflow(a.hi, b.hi, &p[3]))
        return range_unknown;
    return range_between(least(least(p[0], p[1]), least(p[2], p[3])), most(most(p[0], p[1]), most(p[2], p[3])));
}

static struct value_range sum(struct value_range a, struct value_range b)
{
    struct value_range r = range_between(0, 0);
    bool over = __builtin_add_overflow(a.lo, b.lo, &r.lo) || __builtin_add_overflow(a.hi, b.hi, &r.hi);
    return over || !a.known || !b.known ? range_unknown : r;
}

static struct value_range negative(struct value_range a)
{
    return a.lo == INT64_MIN ? range_unknown : range_between(-a.hi, -a.lo);
}

static struct value_range minimum(struct value_range a, struct value_range b)
{
    return range_between(least(a.lo, b.lo), least(a.hi, b.hi));
}

static struct value_range maximum(struct value_range a, struct value_range b)
{
    return range_between(most(a.lo, b.lo), most(a.hi, b.hi));
}

struct value_range range_saturated(struct value_range a, struct value_range into)
{
    return range_between(most(least(a.lo, into.hi), into.lo), least(most(a.hi, into.lo), into.hi));
}

/* The smallest number of the form 2**n - 1 that is at least `a`, which is not negative. */
static int64_t ones(int64_t a)
{
    int64_t bits = 0;
    while (bits < a)
        bits = bits * 2 + 1;
    return bits;
}

static struct value_range bits_of(struct value_range a, struct value_range b, bool both)
{
    return a.lo < 0 || b.lo < 0 ? range_unknown : range_between(0, both ? least(a.hi, b.hi) : ones(a.hi | b.hi));
}

static struct value_range absolute(struct value_range a)
{
    if (a.lo == INT64_MIN)
        return range_unknown;
    return range_between(a.lo > 0 ? a.lo : a.hi < 0 ? -a.hi : 0, most(-a.lo, a.hi));
}

/* Only for counts that are valid in 16 bits. */
static struct value_range shifted(struct value_range a, struct value_range by)
{
    return by.lo < 0 || by.hi > 15
               ? range_unknown
               : hull(range_between(a.lo >> by.lo, a.hi >> by.lo), range_between(a.lo >> by.hi, a.hi >> by.hi));
}

/* Only divisors that are positive literals are used. */
static bool is_divisor(struct value_range b)
{
    return b.lo == b.hi && b.lo > 0;
}

static struct value_range quotient(struct value_range a, struct value_range b)
{
    return is_divisor(b) ? range_between(a.lo / b.lo, a.hi / b.lo) : range_unknown;
}

static struct value_range floor_quotient(struct value_range a, struct value_range b)
{
    return is_divisor(b) ? range_between(a.lo / b.lo - (a.lo % b.lo < 0), a.hi / b.lo - (a.hi % b.lo < 0))
                         : range_unknown;
}

static struct value_range modulus(struct value_range a, struct value_range b)
{
    (void)a;
    return is_divisor(b) ? range_between(0, b.lo - 1) : range_unknown;
}

static struct value_range remainder_of(struct value_range a, struct value_range b)
{
    return is_divisor(b) ? range_between(a.lo < 0 ? 1 - b.lo : 0, a.hi > 0 ? b.lo - 1 : 0) : range_unknown;
}

struct value_range range_of_op(enum op op, const struct value_range r[3])
{
    const struct value_range A = r[0], B = r[1], C = r[2];
    switch (op) {
#define RANGE(id, interval) case OP_##id: return interval;
#include "grammar/ranges.def"
    default: return range_unknown;
    }
}
