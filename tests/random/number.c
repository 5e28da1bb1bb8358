/* See number.h. */
#include "tests/random/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool integer(struct number *out, __int128 value)
{
    *out = (struct number){.kind = NUMBER_INTEGER, .integer = value};
    return true;
}

static bool real(struct number *out, double value)
{
    *out = (struct number){.kind = NUMBER_REAL, .real = value};
    return true;
}

static bool is_small(__int128 value, int bits)
{
    return value < (__int128)1 << bits && value > -((__int128)1 << bits);
}

static __int128 floor_divide(__int128 a, __int128 b)
{
    __int128 quotient = a / b;
    return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static bool power(__int128 base, __int128 exponent, struct number *out)
{
    __int128 value = 1;
    if (exponent < 0 || exponent > 100)
        return false;
    for (; exponent > 0; exponent--) {
        value *= base;
        if (!is_small(value, 60))
            return false;
    }
    return integer(out, value);
}

static bool fold_integers(enum op op, __int128 a, __int128 b, struct number *out)
{
    if (!is_small(a, 64) || !is_small(b, 64))
        return false;
    if ((op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD || op == OP_TRUNCDIV || op == OP_FMOD) && b == 0)
        return false;
    switch (op) {
    case OP_PLUS: return integer(out, a);
    case OP_ABS: return integer(out, a < 0 ? -a : a);
    case OP_SIGN: return integer(out, a < 0 ? -1 : a > 0);
    case OP_MIN: return integer(out, a < b ? a : b);
    case OP_MAX: return integer(out, a > b ? a : b);
    case OP_BITAND: return integer(out, a & b);
    case OP_BITOR: return integer(out, a | b);
    case OP_BITXOR: return integer(out, a ^ b);
    case OP_SHL: return b >= 0 && b < 60 && is_small(a, 60) && integer(out, a * ((__int128)1 << b));
    case OP_SHR: return b >= 0 && b < 100 && integer(out, floor_divide(a, (__int128)1 << b));
    case OP_TRUNCDIV: return integer(out, a / b);
    case OP_FMOD: return integer(out, a - a / b * b);
    case OP_NEG: return integer(out, -a);
    case OP_BITNOT: return integer(out, -a - 1);
    case OP_ADD: return integer(out, a + b);
    case OP_SUB: return integer(out, a - b);
    case OP_MUL: return is_small(a, 50) && is_small(b, 50) && integer(out, a * b);
    case OP_DIV: return is_small(a, 53) && is_small(b, 53) && real(out, (double)a / (double)b);
    case OP_FLOORDIV: return integer(out, floor_divide(a, b));
    case OP_MOD: return integer(out, a - floor_divide(a, b) * b);
    case OP_POW: return power(a, b, out);
    default: return false;
    }
}

/* NumPy's rule, section 4. */
static double floor_quotient(double a, double b)
{
    double m = fmod(a, b), q = (a - m) / b;
    if (m != 0 && (m < 0) != (b < 0))
        q -= 1;
    return q == 0 ? copysign(0, a / b) : floor(q) + (q - floor(q) > 0.5);
}

static double remainder_of(double a, double b)
{
    double m = fmod(a, b);
    return m == 0 ? copysign(0, b) : (m < 0) != (b < 0) ? m + b : m;
}

static bool fold_reals(enum op op, double a, double b, struct number *out)
{
    if ((op == OP_DIV || op == OP_FLOORDIV || op == OP_MOD) && b == 0)
        return false;
    switch (op) {
    case OP_PLUS: return real(out, a);
    case OP_NEG: return real(out, -a);
    case OP_ADD: return real(out, a + b);
    case OP_SUB: return real(out, a - b);
    case OP_MUL: return real(out, a * b);
    case OP_DIV: return real(out, a / b);
    case OP_FLOORDIV: return isfinite(a) && isfinite(b) && real(out, floor_quotient(a, b));
    case OP_MOD: return isfinite(a) && isfinite(b) && real(out, remainder_of(a, b));
    case OP_POW: return a > 0 && isfinite(pow(a, b)) && real(out, pow(a, b));
    default: return false;
    }
}

static double real_of(const struct number *number)
{
    return number->kind == NUMBER_REAL ? number->real : (double)number->integer;
}

static bool truth(struct number *out, bool value)
{
    *out = (struct number){.kind = NUMBER_BOOL, .integer = value};
    return true;
}

static bool is_true(const struct number *number)
{
    return number->kind == NUMBER_REAL ? number->real != 0 : number->integer != 0;
}

static bool compare(enum op op, const struct number *a, const struct number *b, bool reals, struct number *out)
{
    const double x = real_of(a), y = real_of(b);
    const bool less = reals ? x < y : a->integer < b->integer, equal = reals ? x == y : a->integer == b->integer;
    const bool ordered = !reals || (x == x && y == y);
    switch (op) {
    case OP_EQ: return truth(out, equal);
    case OP_NE: return truth(out, !equal);
    case OP_LT: return truth(out, less);
    case OP_LE: return truth(out, less || equal);
    case OP_GT: return truth(out, ordered && !less && !equal);
    default: return truth(out, ordered && !less);
    }
}

static bool fold_bools(enum op op, bool a, bool b, struct number *out)
{
    switch (op) {
    case OP_NOT: case OP_BITNOT: return truth(out, !a);
    case OP_OR: case OP_BITOR: return truth(out, a || b);
    case OP_BITXOR: return truth(out, a != b);
    case OP_PLUS: return truth(out, a);
    default: return truth(out, a && b); /* and, & and * */
    }
}

/* Rows without an own case above: as an array of float64 would have it. */
static bool fold_row(enum op op, const struct number *const *x, int count, struct number *out)
{
    union scalar v[3] = {{0}};
    for (int i = 0; i < count && i < 3; i++)
        v[i].f64 = real_of(x[i]);
    const union scalar value = eval_op(op, WEFT_FLOAT64, WEFT_FLOAT64, v[0], v[1], v[2]);
    return op_rows[op].rule == RULE_TEST ? truth(out, value.b1) : real(out, value.f64);
}

static bool is_python(enum op op)
{
    return op == OP_PLUS || op == OP_NEG || op == OP_ADD || op == OP_SUB || op == OP_MUL || op == OP_DIV ||
           op == OP_FLOORDIV || op == OP_MOD || op == OP_POW;
}

static enum number_kind highest(const struct number *const *x, int first, int count)
{
    bool reals = false, integers = false;
    for (int i = first; i < count; i++) {
        reals = reals || x[i]->kind == NUMBER_REAL;
        integers = integers || x[i]->kind == NUMBER_INTEGER;
    }
    return reals ? NUMBER_REAL : integers ? NUMBER_INTEGER : NUMBER_BOOL;
}

static bool fold_one(enum op op, enum number_kind kind, const struct number *const *x, int count, struct number *out)
{
    const struct number *a = x[0], *b = x[count > 1];
    const enum rule_id rule = op_rows[op].rule;
    const enum operand_rule operand = rule_rows[rule].operand;
    const bool real = operand == OPERAND_FLOAT || operand == OPERAND_DIVIDED;
    if (rule == RULE_COMPARE)
        return compare(op, a, b, kind == NUMBER_REAL, out);
    if (rule == RULE_LOGIC || (kind == NUMBER_BOOL && !real))
        return fold_bools(op, is_true(a), is_true(b), out);
    if (op == OP_DIV && kind != NUMBER_REAL)
        return fold_integers(op, a->integer, b->integer, out);
    if (kind == NUMBER_REAL || real)
        return is_python(op) ? fold_reals(op, real_of(a), real_of(b), out) : fold_row(op, x, count, out);
    if (op != OP_CLAMP)
        return fold_integers(op, a->integer, b->integer, out);
    const __int128 low = a->integer > b->integer ? a->integer : b->integer;
    return integer(out, low < x[2]->integer ? low : x[2]->integer);
}

static bool choose(const struct number *const *x, struct number *out)
{
    const struct number *taken = is_true(x[0]) ? x[1] : x[2];
    const enum number_kind kind = highest(x, 1, 3);
    if (kind == NUMBER_REAL)
        return real(out, real_of(taken));
    *out = (struct number){.kind = kind, .integer = taken->integer};
    return true;
}

bool number_fold(enum op op, const struct number *const *x, int count, struct number *out)
{
    if (op_rows[op].rule == RULE_SELECT)
        return choose(x, out);
    const enum number_kind kind = highest(x, 0, count);
    struct number value = *x[0];
    bool good = true;
    if (op_rows[op].form != FORM_FOLD)
        return fold_one(op, kind, x, count, out);
    for (int i = 1; good && i < count; i++) {
        good = fold_one(op, kind, (const struct number *const[]){&value, x[i]}, 2, out);
        value = *out;
    }
    return good;
}

enum weft_dtype number_dtype(const struct number *number)
{
    __int128 value = number->integer;
    if (number->kind != NUMBER_INTEGER)
        return number->kind == NUMBER_BOOL ? WEFT_BOOL : WEFT_FLOAT32;
    if (value >= INT32_MIN && value <= INT32_MAX)
        return WEFT_INT32;
    if (value >= INT64_MIN && value <= INT64_MAX)
        return WEFT_INT64;
    return value >= 0 && value <= (__int128)UINT64_MAX ? WEFT_UINT64 : WEFT_DTYPE_COUNT;
}

/* A type of 64 bits that holds the value, and the value in it. */
static enum weft_dtype widest(const struct number *number, union scalar *value)
{
    if (number->kind == NUMBER_REAL) {
        value->f64 = number->real;
        return WEFT_FLOAT64;
    }
    value->u64 = (uint64_t)number->integer;
    return number->integer < 0 ? WEFT_INT64 : WEFT_UINT64;
}

union scalar number_as(const struct number *number, enum weft_dtype dtype, enum meeting_kind how)
{
    union scalar value = {0};
    enum weft_dtype from = widest(number, &value);
    return eval_convert(from, dtype, how == CASTS || from == WEFT_FLOAT64, value);
}

static bool is_infinite(union scalar value, enum weft_dtype dtype)
{
    return isinf(eval_convert(dtype, WEFT_FLOAT64, false, value).f64);
}

bool number_meets(const struct number *number, enum weft_dtype dtype)
{
    union scalar value;
    if (number->kind == NUMBER_NONE)
        return true;
    if (number->kind == NUMBER_REAL)
        return !dtype_is_float(dtype) || !isfinite(number->real) ||
               !is_infinite(number_as(number, dtype, MEETS), dtype);
    if (number->kind != NUMBER_INTEGER || !dtype_is_integer(dtype))
        return !dtype_is_float(dtype) || !is_infinite(number_as(number, dtype, MEETS), dtype);
    value = number_as(number, dtype, WRAPS);
    value = eval_op(OP_CONVERT, dtype, WEFT_INT64, value, value, value);
    bool whole = type_rows[dtype].bits < 64;
    if (whole)
        return (__int128)value.i64 == number->integer;
    return type_rows[dtype].class == CLASS_SIGNED ? number->integer <= INT64_MAX
                                                  : number->integer >= 0;
}

/* ---- text ---- */

static void print_integer(char text[64], __int128 value, unsigned manner)
{
    const char *sign = value < 0 ? "-" : "";
    uint64_t size = (uint64_t)(value < 0 ? -value : value);
    if (manner % 16 == 5)
        snprintf(text, 64, "%s0x%" PRIx64, sign, size);
    else if (manner % 16 == 2 && size > 999)
        snprintf(text, 64, "%s%" PRIu64 "_%03d", sign, size / 1000, (int)(size % 1000));
    else
        snprintf(text, 64, "%s%" PRIu64, sign, size);
}

static void print_real(char text[64], double value, unsigned manner)
{
    if (isnan(value) || isinf(value)) {
        strcpy(text, isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(text, 64, manner % 16 == 5 ? "%a" : "%.17g", value);
    double shorter;
    char brief[64];
    snprintf(brief, sizeof brief, "%.9g", value);
    if (manner % 16 != 5 && sscanf(brief, "%lf", &shorter) == 1 && shorter == value)
        strcpy(text, brief);
    if (!strpbrk(text, ".epn"))
        strcat(text, manner % 2 ? ".0" : ".");
}

void number_print(char text[64], const struct number *number, unsigned manner)
{
    if (number->kind == NUMBER_BOOL)
        strcpy(text, number->integer ? manner % 2 ? "true" : "True" : manner % 2 ? "false" : "False");
    else if (number->kind == NUMBER_INTEGER)
        print_integer(text, number->integer, manner);
    else
        print_real(text, number->real, manner);
}
