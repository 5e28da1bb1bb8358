/* See screen.h. */
#include "tests/diff/screen.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* id, a function of double, one of long double, of a and b. */
#define ROWS(ROW)                                                                                          \
    ROW(POW, pow(a, b), powl(a, b))                                                                        \
    ROW(FPOW, pow(a, b), powl(a, b))                                                                       \
    ROW(ATAN2, atan2(a, b), atan2l(a, b))                                                                  \
    ROW(HYPOT, hypot(a, b), hypotl(a, b))                                                                  \
    ROW(DEG2RAD, a * 0.017453292519943295, a * 0.01745329251994329576923690768488612713L)                  \
    ROW(RAD2DEG, a * 57.29577951308232, a * 57.295779513082320876798154814105170332L)                      \
    FUNCTION(ROW, CBRT, cbrt)                                                                              \
    FUNCTION(ROW, EXP, exp)                                                                                \
    FUNCTION(ROW, EXP2, exp2)                                                                              \
    FUNCTION(ROW, EXPM1, expm1)                                                                            \
    FUNCTION(ROW, LOG, log)                                                                                \
    FUNCTION(ROW, LOG2, log2)                                                                              \
    FUNCTION(ROW, LOG10, log10)                                                                            \
    FUNCTION(ROW, LOG1P, log1p)                                                                            \
    FUNCTION(ROW, SIN, sin)                                                                                \
    FUNCTION(ROW, COS, cos)                                                                                \
    FUNCTION(ROW, TAN, tan)                                                                                \
    FUNCTION(ROW, ASIN, asin)                                                                              \
    FUNCTION(ROW, ACOS, acos)                                                                              \
    FUNCTION(ROW, ATAN, atan)                                                                              \
    FUNCTION(ROW, SINH, sinh)                                                                              \
    FUNCTION(ROW, COSH, cosh)                                                                              \
    FUNCTION(ROW, TANH, tanh)                                                                              \
    FUNCTION(ROW, ASINH, asinh)                                                                            \
    FUNCTION(ROW, ACOSH, acosh)                                                                            \
    FUNCTION(ROW, ATANH, atanh)                                                                            \
    FUNCTION(ROW, ERF, erf)                                                                                \
    FUNCTION(ROW, ERFC, erfc)
#define FUNCTION(ROW, id, name) ROW(id, name(a), name##l(a))

#define DOUBLE(id, d, l) case OP_##id: return d;
#define LONG(id, d, l) case OP_##id: return l;

static double by_double(enum op op, double a, double b)
{
    switch (op) {
    ROWS(DOUBLE)
    default: return NAN;
    }
}

static long double by_long_double(enum op op, long double a, long double b)
{
    switch (op) {
    ROWS(LONG)
    default: return NAN;
    }
}

static bool has(enum op op)
{
    switch (op) {
#define HAS(id, d, l) case OP_##id:
    ROWS(HAS)
        return true;
    default: return false;
    }
}

/* |y - exact| in units in the last place of a type of so many digits, whose numbers end at 2^top. */
static double distance(long double exact, double y, int digits, int bottom, int top)
{
    if (isnan(exact) || isnan(y))
        return isnan(exact) && isnan(y) ? 0 : (double)NAN;
    if (!signbit(exact) != !signbit(y) || isinf(exact) || exact == 0)
        return (double)exact == y && !signbit(exact) == !signbit(y) ? 0 : (double)NAN;
    int exponent;
    const long double fraction = fabsl(frexpl(exact, &exponent)), near = ldexpl(1, -digits - 6);
    if (exponent > top && isinf(y))
        return 0;
    if (exponent >= top || isinf(y))
        return NAN;
    const double units = (double)ldexpl(fabsl(y - exact), digits - (exponent < bottom ? bottom : exponent));
    /* Beside a power of two the unit is one thing or the other. */
    return units > SCREEN_MARGIN / 2 && (fraction < 0.5L + near || fraction > 1 - near) ? (double)NAN : units;
}

double screen_error(enum op op, const struct typing *typing, const union scalar operands[3], union scalar actual)
{
    double v[2];
    if (!has(op) || (typing->operand == WEFT_FLOAT64 && LDBL_MANT_DIG <= DBL_MANT_DIG))
        return NAN;
    for (int k = 0; k < 2; k++)
        v[k] = eval_convert(typing->operand, WEFT_FLOAT64, false, operands[k]).f64;
    if (typing->operand == WEFT_FLOAT64)
        return distance(by_long_double(op, v[0], v[1]), actual.f64, DBL_MANT_DIG, DBL_MIN_EXP, DBL_MAX_EXP);
    const double exact = by_double(op, v[0], v[1]);
    if (typing->operand == WEFT_FLOAT32)
        return distance(exact, (double)actual.f32, FLT_MANT_DIG, FLT_MIN_EXP, FLT_MAX_EXP);
    const union scalar nearest = eval_convert(WEFT_FLOAT64, typing->result, false, (union scalar){.f64 = exact});
    return oracle_same(typing->result, nearest, actual) ? 0 : (double)NAN;
}
