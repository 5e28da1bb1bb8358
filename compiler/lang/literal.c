/* Implements literal.h. Integers are exact in 128 bits, and every overflow is noticed. */
#include "compiler/lang/literal.h"

#include <math.h>

typedef __int128 wide;
typedef unsigned __int128 unsigned_wide;

static const char too_wide[] = "the integer does not fit 128 bits with its sign";
static const char divides_by_zero[] = "division by zero in a literal expression";

static const char *integer(struct literal *result, wide value)
{
    *result = (struct literal){.kind = LITERAL_INTEGER, .integer = value};
    return NULL;
}

static const char *real(struct literal *result, double value)
{
    *result = (struct literal){.kind = LITERAL_REAL, .real = value};
    return NULL;
}

/* Shifts a positive number until its leading bit is bit 126. Returns the exponent of the power of two taken out. */
static int normalize(unsigned_wide *x)
{
    int exponent = 0;
    for (; *x >> 127; exponent++)
        *x >>= 1; /* happens only for 2**127 itself, whose lowest bit is 0 */
    for (; !(*x >> 126); exponent--)
        *x <<= 1;
    return exponent;
}

/* The quotient of two integers, correctly rounded to a double as in Python's int / int. Long division gives the leading
 * 60 bits; one more bit says whether anything is left. */
static double divide_integers(wide a, wide b)
{
    bool negative = (a < 0) != (b < 0);
    unsigned_wide x = a < 0 ? 0 - (unsigned_wide)a : (unsigned_wide)a;
    unsigned_wide y = b < 0 ? 0 - (unsigned_wide)b : (unsigned_wide)b;
    if (x == 0)
        return negative ? -0.0 : 0.0;
    int exponent = normalize(&x) - normalize(&y);
    unsigned long long bits = 0;
    for (int i = 0; i < 60; i++) {
        bits = bits << 1 | (x >= y);
        x = (x >= y ? x - y : x) << 1;
    }
    double quotient = ldexp((double)(bits << 1 | (x != 0)), exponent - 60);
    return negative ? -quotient : quotient;
}

static const char *fold_integer_power(wide base, wide exponent, struct literal *result)
{
    if (exponent < 0)
        return "an integer to a negative power; write the base as a real, as in 2.0 ** -1";
    wide power = 1;
    while (exponent != 0) {
        if (exponent % 2 != 0 && __builtin_mul_overflow(power, base, &power))
            return too_wide;
        exponent /= 2;
        if (exponent != 0 && __builtin_mul_overflow(base, base, &base))
            return too_wide;
    }
    return integer(result, power);
}

static const char *fold_integers(enum op op, wide a, wide b, struct literal *result)
{
    wide value = 0;
    bool overflow = false;
    switch (op) {
    case OP_PLUS: return integer(result, a);
    case OP_NEG: overflow = __builtin_sub_overflow((wide)0, a, &value); break;
    case OP_BITNOT: return integer(result, ~a);
    case OP_ADD: overflow = __builtin_add_overflow(a, b, &value); break;
    case OP_SUB: overflow = __builtin_sub_overflow(a, b, &value); break;
    case OP_MUL: overflow = __builtin_mul_overflow(a, b, &value); break;
    case OP_POW: return fold_integer_power(a, b, result);
    case OP_DIV: case OP_FLOORDIV: case OP_MOD:
        if (b == 0)
            return divides_by_zero;
        if (op == OP_DIV)
            return real(result, divide_integers(a, b));
        if (b == -1)
            return op == OP_MOD ? integer(result, 0) : fold_integers(OP_NEG, a, 0, result);
        wide remainder = a % b, shift = remainder != 0 && (remainder < 0) != (b < 0);
        return integer(result, op == OP_MOD ? remainder + (shift ? b : 0) : a / b - shift);
    default:
        *result = (struct literal){0};
        return NULL;
    }
    return overflow ? too_wide : integer(result, value);
}

static const char *fold_real_power(double a, double b, struct literal *result)
{
    if (a == 0 && b < 0 && isfinite(b))
        return "zero to a negative power in a literal expression";
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        return "a negative number to a fractional power is complex";
    double power = pow(a, b);
    return isinf(power) && isfinite(a) && isfinite(b) ? "the power is too large for float64"
                                                      : real(result, power);
}

static const char *fold_reals(enum op op, double a, double b, struct literal *result)
{
    union scalar x = {.f64 = a}, y = {.f64 = b}, none = {0};
    switch (op) {
    case OP_BITNOT:
        return "~ takes an integer, found a real";
    case OP_DIV: case OP_FLOORDIV: case OP_MOD:
        if (b == 0)
            return divides_by_zero;
        /* fall through */
    case OP_PLUS: case OP_NEG: case OP_ADD: case OP_SUB: case OP_MUL:
        return real(result, eval_op(op, WEFT_FLOAT64, WEFT_FLOAT64, x, y, none).f64);
    case OP_POW:
        return fold_real_power(a, b, result);
    default:
        *result = (struct literal){0};
        return NULL;
    }
}

const char *literal_of_node(const struct program *program, struct node *node)
{
    const bool word = is_letter(program->source->text[node->token.start]);
    for (int i = 0; i < node->operand_count; i++)
        if (word || !literal_is_number(&operand_node(program, node, i)->literal))
            return NULL;
    const struct literal *a = &operand_node(program, node, 0)->literal;
    const struct literal *b = node->operand_count > 1 ? &operand_node(program, node, 1)->literal : a;
    return a->kind == LITERAL_INTEGER && b->kind == LITERAL_INTEGER
               ? fold_integers(node->op, a->integer, b->integer, &node->literal)
               : fold_reals(node->op, literal_number(a), literal_number(b), &node->literal);
}

enum weft_dtype literal_dtype(const struct literal *literal)
{
    if (literal->kind != LITERAL_INTEGER)
        return literal->kind == LITERAL_BOOL ? WEFT_BOOL : WEFT_FLOAT32;
    wide value = literal->integer;
    if (value >= INT32_MIN && value <= INT32_MAX)
        return WEFT_INT32;
    return value >= INT64_MIN && value <= INT64_MAX    ? WEFT_INT64
           : value >= 0 && value <= (wide)UINT64_MAX ? WEFT_UINT64
                                                     : WEFT_DTYPE_COUNT;
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
    *infinite = dtype_is_float(dtype) && (whole || isfinite(literal->real)) &&
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
