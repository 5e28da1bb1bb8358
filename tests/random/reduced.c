/* See reduced.h. Floats are kept in doubles; `wide` says that they compute as float64, else as float32. */
#include "tests/random/reduced.h"

#include <math.h>
#include <stdlib.h>

/* ---- single values ---- */

static double real_of(enum weft_dtype dtype, union scalar value)
{
    return eval_convert(dtype, WEFT_FLOAT64, false, value).f64;
}

static union scalar rounded(double value, enum weft_dtype dtype)
{
    return eval_convert(WEFT_FLOAT64, dtype, true, (union scalar){.f64 = value});
}

static __int128 integer_of(enum weft_dtype dtype, union scalar value)
{
    return dtype == WEFT_UINT64 ? (__int128)value.u64 : (__int128)eval_convert(dtype, WEFT_INT64, false, value).i64;
}

static bool is_nonzero(enum weft_dtype dtype, union scalar value)
{
    return dtype_is_float(dtype) ? real_of(dtype, value) != 0 : integer_of(dtype, value) != 0;
}

static double add(bool wide, double a, double b)
{
    return wide ? a + b : (double)((float)a + (float)b);
}

static double subtract(bool wide, double a, double b)
{
    return wide ? a - b : (double)((float)a - (float)b);
}

static double multiply(bool wide, double a, double b)
{
    return wide ? a * b : (double)((float)a * (float)b);
}

static double divide(bool wide, double a, double b)
{
    return wide ? a / b : (double)((float)a / (float)b);
}

static double root(bool wide, double a)
{
    return wide ? sqrt(a) : (double)sqrtf((float)a);
}

/* ---- rule 11.4 ---- */

enum { LANES = 16, BLOCK = 1024 };

struct partial {
    double value;
    bool present;
};

static void join(struct partial *into, struct partial more, bool wide, bool product)
{
    if (!more.present)
        return;
    if (into->present)
        more.value = product ? multiply(wide, into->value, more.value) : add(wide, into->value, more.value);
    *into = more;
}

/* The sum or product of values in the order of the rule. */
static double in_order(const double *x, int64_t count, bool wide, bool product)
{
    int64_t blocks = (count + BLOCK - 1) / BLOCK;
    struct partial (*lanes)[LANES] = calloc((size_t)blocks + 1, sizeof *lanes);
    for (int64_t i = 0; i < count; i++)
        join(&lanes[i / BLOCK][i % LANES], (struct partial){x[i], true}, wide, product);
    while (blocks > 1) {
        for (int64_t b = 0; b + 1 < blocks; b += 2)
            for (int j = 0; j < LANES; j++)
                join(&lanes[b][j], lanes[b + 1][j], wide, product);
        for (int64_t b = 0; b < blocks; b += 2)
            for (int j = 0; j < LANES; j++)
                lanes[b / 2][j] = lanes[b][j];
        blocks = (blocks + 1) / 2;
    }
    for (int apart = LANES / 2; apart > 0; apart /= 2)
        for (int j = 0; j < apart; j++)
            join(&lanes[0][j], lanes[0][j + apart], wide, product);
    const double result = count ? lanes[0][0].value : product ? 1 : 0;
    free(lanes);
    return result;
}

/* ---- sums ---- */

static double *reals(const struct reduced_row *row, enum weft_dtype as)
{
    double *x = malloc(sizeof *x * (size_t)(row->count + 1));
    for (int64_t i = 0; i < row->count; i++)
        x[i] = real_of(as, eval_convert(row->dtype, as, false, row->values[i]));
    return x;
}

static union scalar integers_joined(const struct reduced_row *row, bool product)
{
    uint64_t whole = product;
    for (int64_t i = 0; i < row->count; i++) {
        const uint64_t value = (uint64_t)integer_of(row->dtype, row->values[i]);
        whole = product ? whole * value : whole + value;
    }
    return (union scalar){.u64 = whole};
}

static union scalar joined(const struct reduced_row *row, bool product, enum weft_dtype result)
{
    if (!dtype_is_float(row->dtype))
        return integers_joined(row, product);
    double *x = reals(row, row->dtype);
    const double value = in_order(x, row->count, row->dtype == WEFT_FLOAT64, product);
    free(x);
    return rounded(value, result);
}

/* The mean, not rounded to a type of 16 bits; of integers as a double. */
static double mean_of(const struct reduced_row *row)
{
    const bool wide = row->dtype == WEFT_FLOAT64;
    __int128 whole = 0;
    if (dtype_is_float(row->dtype)) {
        double *x = reals(row, row->dtype);
        const double sum = in_order(x, row->count, wide, false);
        free(x);
        return divide(wide, sum, (double)row->count);
    }
    for (int64_t i = 0; i < row->count; i++)
        whole += integer_of(row->dtype, row->values[i]);
    return (double)whole / (double)row->count;
}

static union scalar variance(const struct reduced_row *row, bool deviation, enum weft_dtype result)
{
    const bool wide = dtype_is_float(row->dtype) ? row->dtype == WEFT_FLOAT64 : type_rows[row->dtype].bits >= 32;
    const enum weft_dtype type = wide ? WEFT_FLOAT64 : WEFT_FLOAT32;
    const double mean = real_of(type, rounded(mean_of(row), type));
    const int64_t freedom = row->count - row->ddof;
    double *x = reals(row, type);
    for (int64_t i = 0; i < row->count; i++) {
        const double d = subtract(wide, x[i], mean);
        x[i] = multiply(wide, d, d);
    }
    const double sum = in_order(x, row->count, wide, false);
    free(x);
    if (row->count == 0 || freedom <= 0)
        return rounded(NAN, result);
    const double value = divide(wide, sum, (double)freedom);
    return rounded(deviation ? root(wide, value) : value, result);
}

/* Square roots and means of the sum of squares. */
static union scalar squares(enum reduction function, const struct reduced_row *row, enum weft_dtype result)
{
    const bool wide = row->dtype == WEFT_FLOAT64;
    double *x = reals(row, wide ? WEFT_FLOAT64 : WEFT_FLOAT32);
    for (int64_t i = 0; i < row->count; i++)
        x[i] = multiply(wide, x[i], x[i]);
    double value = in_order(x, row->count, wide, false);
    free(x);
    if (function != REDUCTION_NORM)
        value = divide(wide, value, (double)row->count);
    return rounded(function == REDUCTION_MEAN_SQUARE ? value : root(wide, value), result);
}

static union scalar product_sum(const struct reduced_row *row, enum weft_dtype result)
{
    const bool wide = row->dtype == WEFT_FLOAT64;
    uint64_t whole = 0;
    for (int64_t i = 0; i < row->count; i++)
        whole += row->values[i].u64 * row->others[i].u64;
    if (!dtype_is_float(row->dtype))
        return (union scalar){.u64 = whole};
    double *x = reals(row, row->dtype);
    for (int64_t i = 0; i < row->count; i++)
        x[i] = multiply(wide, x[i], real_of(row->dtype, row->others[i]));
    const double value = in_order(x, row->count, wide, false);
    free(x);
    return rounded(value, result);
}

/* ---- least, greatest, and whether ---- */

/* Whether b is beyond a: less for least elements. */
static bool is_beyond(enum weft_dtype dtype, bool least, union scalar a, union scalar b)
{
    if (!dtype_is_float(dtype))
        return least ? integer_of(dtype, b) < integer_of(dtype, a) : integer_of(dtype, b) > integer_of(dtype, a);
    return least ? real_of(dtype, b) < real_of(dtype, a) : real_of(dtype, b) > real_of(dtype, a);
}

static bool is_nan(enum weft_dtype dtype, union scalar value)
{
    return dtype_is_float(dtype) && isnan(real_of(dtype, value));
}

/* The first NaN, else the first extreme. */
static int64_t extreme_position(const struct reduced_row *row, bool least)
{
    int64_t best = 0;
    for (int64_t i = 0; i < row->count; i++)
        if (is_nan(row->dtype, row->values[i]))
            return i;
    for (int64_t i = 1; i < row->count; i++)
        if (is_beyond(row->dtype, least, row->values[best], row->values[i]))
            best = i;
    return best;
}

/* Of two zeros the least is -0, the greatest 0. */
static union scalar extreme(const struct reduced_row *row, bool least)
{
    union scalar best = row->values[extreme_position(row, least)];
    if (!dtype_is_float(row->dtype) || real_of(row->dtype, best) != 0)
        return best;
    for (int64_t i = 0; i < row->count; i++) {
        const double value = real_of(row->dtype, row->values[i]);
        if (value == 0 && (signbit(value) != 0) == least)
            return row->values[i];
    }
    return best;
}

static int64_t count_nonzero(const struct reduced_row *row)
{
    int64_t count = 0;
    for (int64_t i = 0; i < row->count; i++)
        count += is_nonzero(row->dtype, row->values[i]);
    return count;
}

/* ---- softmax and logsumexp ---- */

static double greatest(const double *x, int64_t count)
{
    double best = -INFINITY;
    for (int64_t i = 0; i < count; i++)
        best = isnan(x[i]) || isnan(best) ? NAN : x[i] > best ? x[i] : best;
    return best;
}

/* The sum of exp(x - m), each difference rounded, and a bound of its relative error. */
static long double exponentials(const double *x, int64_t count, bool wide, double m, long double *error)
{
    const long double eps = wide ? 0x1p-53L : 0x1p-24L, blocks = 64 + log2l((long double)count);
    const double ulps = wide ? op_rows[OP_EXP].ulp64 : op_rows[OP_EXP].ulp32;
    long double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += expl(subtract(wide, x[i], m));
    *error = 2 * ulps * eps + ((long double)count < blocks ? (long double)count : blocks) * eps;
    return sum;
}

static void around(long double value, long double apart, enum weft_dtype result, union scalar *low, union scalar *high)
{
    *low = rounded((double)(value - apart), result);
    *high = rounded((double)(value + apart), result);
}

/* m, the greatest element, is finite. */
static void softmax(const double *x, int64_t count, bool wide, double m, enum weft_dtype result, union scalar *low,
                    union scalar *high)
{
    const long double eps = wide ? 0x1p-53L : 0x1p-24L, least = wide ? 0x1p-1074L : 0x1p-149L;
    const double ulps = wide ? op_rows[OP_EXP].ulp64 : op_rows[OP_EXP].ulp32;
    long double error;
    const long double sum = exponentials(x, count, wide, m, &error);
    for (int64_t i = 0; i < count; i++) {
        const long double value = expl(subtract(wide, x[i], m)) / sum;
        around(value, value * (error + 2 * ulps * eps + 2 * eps) + (ulps + 1) * least, result, &low[i], &high[i]);
    }
}

static void logsumexp(const double *x, int64_t count, bool wide, double m, enum weft_dtype result, union scalar *low,
                      union scalar *high)
{
    const long double eps = wide ? 0x1p-53L : 0x1p-24L, least = wide ? 0x1p-1074L : 0x1p-149L;
    const double ulps = wide ? op_rows[OP_LOG].ulp64 : op_rows[OP_LOG].ulp32;
    long double error;
    const long double logarithm = logl(exponentials(x, count, wide, m, &error)), value = m + logarithm;
    around(value, error + fabsl(logarithm) * 2 * ulps * eps + fabsl(value) * 2 * eps + least, result, low, high);
}

void reduced_bounds(enum reduction function, const struct reduced_row *row, enum weft_dtype result,
                    union scalar *low, union scalar *high)
{
    const bool wide = row->dtype == WEFT_FLOAT64, each = function == REDUCTION_SOFTMAX;
    double *x = reals(row, wide ? WEFT_FLOAT64 : WEFT_FLOAT32);
    const double m = greatest(x, row->count);
    if (isfinite(m))
        (each ? softmax : logsumexp)(x, row->count, wide, m, result, low, high);
    for (int64_t i = 0; i < (each ? row->count : 1) && !isfinite(m); i++)
        low[i] = high[i] = rounded(each ? NAN : m, result);
    free(x);
}

bool reduced_is_between(enum weft_dtype dtype, union scalar value, union scalar low, union scalar high)
{
    const double number = real_of(dtype, value);
    return is_nan(dtype, low) ? isnan(number) : number >= real_of(dtype, low) && number <= real_of(dtype, high);
}

/* ---- all others ---- */

union scalar reduced_value(enum reduction function, const struct reduced_row *row, enum weft_dtype result)
{
    switch (function) {
    case REDUCTION_SUM: return joined(row, false, result);
    case REDUCTION_PROD: return joined(row, true, result);
    case REDUCTION_MEAN: return rounded(mean_of(row), result);
    case REDUCTION_MIN: return extreme(row, true);
    case REDUCTION_MAX: return extreme(row, false);
    case REDUCTION_ANY: return (union scalar){.b1 = count_nonzero(row) > 0};
    case REDUCTION_ALL: return (union scalar){.b1 = count_nonzero(row) == row->count};
    case REDUCTION_COUNT_NONZERO: return (union scalar){.i64 = count_nonzero(row)};
    case REDUCTION_ARGMIN: return (union scalar){.i64 = extreme_position(row, true)};
    case REDUCTION_ARGMAX: return (union scalar){.i64 = extreme_position(row, false)};
    case REDUCTION_VAR: return variance(row, false, result);
    case REDUCTION_STD: return variance(row, true, result);
    case REDUCTION_VECDOT: return product_sum(row, result);
    case REDUCTION_NORM: case REDUCTION_MEAN_SQUARE: case REDUCTION_RMS: return squares(function, row, result);
    case REDUCTION_SOFTMAX: case REDUCTION_LOGSUMEXP: case REDUCTION_COUNT: break;
    }
    return (union scalar){0};
}
