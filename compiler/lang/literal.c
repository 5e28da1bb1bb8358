/* Implements literal.h. */
#include "compiler/lang/literal.h"

#include <math.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

enum literal_kind literal_higher(enum literal_kind a, enum literal_kind b)
{
    if (a == LITERAL_NONE || b == LITERAL_NONE)
        return a == LITERAL_NONE ? b : a;
    return a == LITERAL_REAL || b == LITERAL_BOOL ? a : b == LITERAL_REAL || a == LITERAL_BOOL ? b : a;
}

/* Converts an integer to a double, rounding to odd: the last bit is set if any bit was lost. Rounding the double to
 * fewer bits then gives the same as rounding once. */
static double odd_double(wide value)
{
    unsigned_wide magnitude = value < 0 ? 0 - (unsigned_wide)value : (unsigned_wide)value;
    int exponent = 0;
    for (; magnitude >> 53; exponent++)
        magnitude = magnitude >> 1 | (magnitude & 1);
    double real = ldexp((double)magnitude, exponent);
    return value < 0 ? -real : real;
}

/* Converts an integer to a floating type in one rounding, or to an integer type by its low bits. */
static union scalar from_integer(wide value, enum weft_dtype dtype)
{
    union scalar low = {.u64 = (uint64_t)value}, real = {0};
    if (dtype == WEFT_FLOAT64) {
        real.f64 = (double)value;
        return real;
    }
    if (dtype_is_float(dtype)) {
        real.f64 = odd_double(value);
        return eval_convert(WEFT_FLOAT64, dtype, false, real);
    }
    return eval_convert(WEFT_UINT64, dtype, false, low);
}

union scalar literal_meet(const struct literal *literal, enum weft_dtype dtype, bool *infinite)
{
    bool whole = literal->kind != LITERAL_REAL;
    union scalar value = whole ? from_integer(literal->integer, dtype) : literal_cast(literal, dtype);
    *infinite = dtype_is_float(dtype) && !literal->called && (whole || isfinite(literal->real)) &&
                isinf(eval_convert(dtype, WEFT_FLOAT64, false, value).f64);
    return value;
}

/* The smallest and the largest value of an integer type. */
static void bounds(enum weft_dtype dtype, wide *bottom, wide *top)
{
    bool is_signed = type_rows[dtype].class == CLASS_SIGNED;
    *top = ((wide)1 << (type_rows[dtype].bits - is_signed)) - 1;
    *bottom = is_signed ? -*top - 1 : 0;
}

bool literal_fits(const struct literal *literal, enum weft_dtype dtype)
{
    wide bottom, top;
    if (literal->kind != LITERAL_INTEGER || !dtype_is_integer(dtype))
        return true;
    bounds(dtype, &bottom, &top);
    return literal->integer >= bottom && literal->integer <= top;
}

union scalar literal_cast(const struct literal *literal, enum weft_dtype dtype)
{
    union scalar source = {.f64 = literal->real};
    if (literal->kind == LITERAL_REAL)
        return eval_convert(WEFT_FLOAT64, dtype, true, source);
    if (dtype_is_float(dtype))
        return from_integer(literal->integer, dtype);
    if (dtype == WEFT_BOOL)
        return (union scalar){.bits = literal->integer != 0};
    wide bottom, top, value = literal->integer;
    bounds(dtype, &bottom, &top);
    return from_integer(value < bottom ? bottom : value > top ? top : value, dtype);
}

union scalar literal_wrap(const struct literal *literal, enum weft_dtype dtype)
{
    return from_integer(literal->integer, dtype);
}

union scalar literal_become(const struct literal *literal, enum weft_dtype dtype, enum meeting how)
{
    bool infinite;
    return how == MEET   ? literal_meet(literal, dtype, &infinite)
           : how == CAST ? literal_cast(literal, dtype)
                         : literal_wrap(literal, dtype);
}

static void put_integer(struct buf *buf, __int128 value)
{
    char digits[48], *at = digits + sizeof digits;
    unsigned __int128 rest = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value;
    *--at = '\0';
    do
        *--at = (char)('0' + (int)(rest % 10));
    while ((rest /= 10) > 0);
    buf_printf(buf, "%s%s", value < 0 ? "-" : "", at);
}

void literal_print(struct buf *buf, const struct literal *literal)
{
    switch (literal->kind) {
    case LITERAL_INTEGER: put_integer(buf, literal->integer); break;
    case LITERAL_REAL: buf_double(buf, literal->real); break;
    case LITERAL_BOOL: buf_puts(buf, literal->integer ? "true" : "false"); break;
    case LITERAL_NONE: buf_puts(buf, "none"); break;
    }
}
