/* See oracle.h. Rows of oracle.def become functions, then a table indexed by enum op. */
#include "tests/diff/oracle.h"

#include <inttypes.h>
#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 uwide;

/* Sums of products of two numbers fit BITS_EXACT; of 16-bit ones BITS_SHORT. */
enum { BITS_EXACT = 4400, BITS_SHORT = 700, BITS_INEXACT = 160 };

/* Bounds of the integer types, bool as uint1. */
static wide highest_of(enum weft_dtype t)
{
    static const wide values[WEFT_DTYPE_COUNT] = {
        [WEFT_BOOL] = 1, [WEFT_INT8] = INT8_MAX, [WEFT_INT16] = INT16_MAX, [WEFT_INT32] = INT32_MAX,
        [WEFT_INT64] = INT64_MAX, [WEFT_UINT8] = UINT8_MAX, [WEFT_UINT16] = UINT16_MAX,
        [WEFT_UINT32] = UINT32_MAX, [WEFT_UINT64] = UINT64_MAX};
    return values[t];
}

static bool is_signed(enum weft_dtype t)
{
    return t == WEFT_INT8 || t == WEFT_INT16 || t == WEFT_INT32 || t == WEFT_INT64;
}

/* Floating formats: bits of the significand, least and largest exponent of a normal number in [0.5, 1), bits of the
 * format. */
static const struct format {
    int digits;
    long bottom, top;
    int bits;
} formats[WEFT_DTYPE_COUNT] = {[WEFT_FLOAT16] = {11, -13, 16, 16},
                               [WEFT_BFLOAT16] = {8, -125, 128, 16},
                               [WEFT_FLOAT32] = {24, -125, 128, 32},
                               [WEFT_FLOAT64] = {53, -1021, 1024, 64}};

bool oracle_is_float(enum weft_dtype t)
{
    return formats[t].digits > 0;
}

/* Of 16 bits or fewer: operations happen in float32. */
static bool is_short(enum weft_dtype t)
{
    return oracle_is_float(t) && formats[t].bits <= 16;
}

static wide lowest_of(enum weft_dtype t)
{
    return is_signed(t) ? -highest_of(t) - 1 : 0;
}

static int width_of(enum weft_dtype t)
{
    int width = is_signed(t);
    for (wide top = highest_of(t); top > 0; top /= 2)
        width++;
    return width;
}

/* ---- scalars to and from numbers ---- */

static wide integer_of(enum weft_dtype t, union scalar s)
{
    switch (t) {
    case WEFT_BOOL: return s.b1;
    case WEFT_INT8: return s.i8;
    case WEFT_INT16: return s.i16;
    case WEFT_INT32: return s.i32;
    case WEFT_INT64: return s.i64;
    case WEFT_UINT8: return s.u8;
    case WEFT_UINT16: return s.u16;
    case WEFT_UINT32: return s.u32;
    default: return s.u64;
    }
}

/* The lowest bits of `value`. */
static union scalar scalar_of(enum weft_dtype t, wide value)
{
    uwide modulus = (uwide)1 << width_of(t);
    union scalar s = {.bits = (uint64_t)((uwide)value % modulus)};
    return s;
}

/* The bit of the sign. */
static unsigned sign_bit(enum weft_dtype t)
{
    return 1u << (formats[t].bits - 1);
}

/* The number that the bits spell: a fraction, an exponent, a sign. */
static double short_value(enum weft_dtype t, unsigned bits)
{
    const struct format *f = &formats[t];
    unsigned sign = sign_bit(t), scale = 1u << (f->digits - 1);
    unsigned fraction = bits % scale, exponent = bits % sign / scale;
    double value = ldexp(fraction, (int)f->bottom - f->digits);
    if (exponent == sign / scale - 1)
        value = fraction ? (double)NAN : (double)INFINITY;
    else if (exponent)
        value = ldexp(scale + fraction, (int)f->bottom - f->digits + (int)exponent - 1);
    return bits >= sign ? -value : value;
}

/* The bits of the nearest: of a whole number of units, which are those of the last place. */
static unsigned short_bits(enum weft_dtype t, mpfr_srcptr r)
{
    const struct format *f = &formats[t];
    unsigned top = sign_bit(t), sign = mpfr_signbit(r) ? top : 0;
    unsigned scale = 1u << (f->digits - 1), infinity = top - scale;
    if (mpfr_nan_p(r))
        return infinity + 1;
    if (!mpfr_number_p(r) || mpfr_zero_p(r))
        return sign + (mpfr_zero_p(r) ? 0 : infinity);
    long exponent = mpfr_get_exp(r) < f->bottom ? f->bottom : mpfr_get_exp(r);
    if (exponent > f->top)
        return sign + infinity;
    mpfr_t units;
    mpfr_init2(units, mpfr_get_prec(r));
    mpfr_mul_2si(units, r, f->digits - exponent, MPFR_RNDN);
    mpfr_rint(units, units, MPFR_RNDN);
    unsigned bits = (unsigned)fabs(mpfr_get_d(units, MPFR_RNDN)) + (unsigned)(exponent - f->bottom) * scale;
    mpfr_clear(units);
    return sign + (bits > infinity ? infinity : bits);
}

/* The value of a floating type: all are doubles. */
static double real_of(enum weft_dtype t, union scalar s)
{
    return is_short(t) ? short_value(t, s.u16) : t == WEFT_FLOAT32 ? (double)s.f32 : s.f64;
}

static void set_real(mpfr_ptr r, enum weft_dtype t, union scalar s)
{
    double value = real_of(t, s);
    mpfr_set_d(r, value, MPFR_RNDN);
    mpfr_setsign(r, r, signbit(value) != 0, MPFR_RNDN);
}

static union scalar real_scalar(enum weft_dtype t, mpfr_srcptr r)
{
    union scalar s = {0};
    if (is_short(t))
        s.bits = short_bits(t, r);
    else if (t == WEFT_FLOAT32)
        s.f32 = mpfr_get_flt(r, MPFR_RNDN);
    else
        s.f64 = mpfr_get_d(r, MPFR_RNDN);
    return s;
}

static void set_integer(mpfr_ptr r, wide value)
{
    bool negative = value < 0;
    uwide magnitude = negative ? -(uwide)value : (uwide)value;
    mpfr_set_ui(r, (uint64_t)(magnitude >> 64), MPFR_RNDN);
    mpfr_mul_2ui(r, r, 64, MPFR_RNDN);
    mpfr_add_ui(r, r, (uint64_t)magnitude, MPFR_RNDN);
    if (negative)
        mpfr_neg(r, r, MPFR_RNDN);
}

/* r is an integer of the range of 64 bits. */
static wide get_integer(mpfr_srcptr r)
{
    return mpfr_sgn(r) < 0 ? (wide)mpfr_get_si(r, MPFR_RNDN) : (wide)mpfr_get_ui(r, MPFR_RNDN);
}

/* ---- what the rows are made of ---- */

static void rounded(mpfr_ptr r, enum weft_dtype t)
{
    set_real(r, t, real_scalar(t, r));
}

static wide times(wide a, wide b)
{
    return (wide)((uwide)a * (uwide)b);
}

static wide floor_quotient(wide a, wide b)
{
    if (b == 0)
        return 0;
    wide q = a / b;
    return q * b == a || (a < 0) == (b < 0) ? q : q - 1;
}

static wide bit_and(wide a, wide b)
{
    wide out = 0;
    for (int i = 0; i < 64; i++)
        if ((uwide)a >> i & 1 && (uwide)b >> i & 1)
            out += (wide)1 << i;
    return out;
}

/* a ** b modulo 2 ** 64. */
static wide power(wide a, wide b)
{
    mpz_t x, modulus;
    mpz_init_set_ui(x, (uint64_t)a);
    mpz_init_set_ui(modulus, 1);
    mpz_mul_2exp(modulus, modulus, 64);
    mpz_powm_ui(x, x, (uint64_t)b, modulus);
    wide out = mpz_get_ui(x);
    mpz_clears(x, modulus, NULL);
    return out;
}

/* COMPARE64: b holds the bits of an uint64. */
static wide compare_unsigned(wide a, wide b)
{
    wide value = (uint64_t)b;
    return a < value ? -1 : a > value;
}

/* Philox4x32-10 from its description (Salmon et al., 2011): the 128-bit counter is (element div 4, stream), and a round
 * is two products whose halves change places. */
static wide random_bits(wide element, wide seed, wide stream)
{
    static const uint64_t multipliers[2] = {0xD2511F53, 0xCD9E8D57};
    static const uint32_t weyl[2] = {0x9E3779B9, 0xBB67AE85};
    const uint64_t halves[2] = {(uint64_t)element >> 2, (uint64_t)stream};
    uint32_t counter[4], key[2] = {(uint32_t)(uint64_t)seed, (uint32_t)((uint64_t)seed >> 32)};
    for (int w = 0; w < 4; w++)
        counter[w] = (uint32_t)(halves[w / 2] >> 32 * (w % 2));
    for (int round = 0; round < 10; round++) {
        uint32_t next[4];
        for (int half = 0; half < 2; half++) {
            const uint64_t product = multipliers[half] * counter[2 * half];
            next[2 - 2 * half] = (uint32_t)(product >> 32) ^ counter[3 - 2 * half] ^ key[1 - half];
            next[3 - 2 * half] = (uint32_t)product;
        }
        memcpy(counter, next, sizeof next);
        for (int half = 0; half < 2; half++)
            key[half] += weyl[half];
    }
    return counter[(uint64_t)element % 4] >> 8;
}

static void least(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
    if (mpfr_unordered_p(a, b))
        mpfr_set_nan(r);
    else
        mpfr_set(r, mpfr_less_p(b, a) ? b : a, MPFR_RNDN);
}

static void greatest(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
    if (mpfr_unordered_p(a, b))
        mpfr_set_nan(r);
    else
        mpfr_set(r, mpfr_greater_p(b, a) ? b : a, MPFR_RNDN);
}

static void sign_of(mpfr_ptr r, mpfr_srcptr a)
{
    if (mpfr_nan_p(a) || mpfr_zero_p(a))
        mpfr_set(r, a, MPFR_RNDN);
    else
        mpfr_set_si(r, mpfr_sgn(a), MPFR_RNDN);
}

/* Whether the remainder m is nonzero and its sign is not b's. */
static bool needs_shift(mpfr_srcptr m, mpfr_srcptr b)
{
    return !mpfr_nan_p(m) && !mpfr_zero_p(m) && mpfr_signbit(m) != mpfr_signbit(b);
}

static void python_remainder(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b)
{
    mpfr_fmod(r, a, b, MPFR_RNDN);
    if (mpfr_zero_p(r))
        mpfr_setsign(r, r, mpfr_signbit(b), MPFR_RNDN);
    else if (needs_shift(r, b))
        mpfr_add(r, r, b, MPFR_RNDN);
}

/* The value of type t next to a towards b: one unit of the last place further, of the binade below where a is the least
 * of its own and b lies nearer to zero. */
static void next_value(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, enum weft_dtype t)
{
    const struct format *f = &formats[t];
    if (mpfr_nan_p(a) || mpfr_nan_p(b)) {
        mpfr_set_nan(r);
        return;
    }
    const int towards = mpfr_cmp(b, a);
    if (towards == 0) {
        mpfr_set(r, b, MPFR_RNDN);
        return;
    }
    mpfr_t unit;
    mpfr_init2(unit, 16);
    if (mpfr_inf_p(a)) {
        mpfr_set_si_2exp(r, mpfr_sgn(a), f->top, MPFR_RNDN);
        mpfr_set_si_2exp(unit, mpfr_sgn(a), f->top - f->digits, MPFR_RNDN);
        mpfr_sub(r, r, unit, MPFR_RNDN);
    } else {
        const bool normal = !mpfr_zero_p(a) && mpfr_get_exp(a) > f->bottom;
        const bool down = normal && (towards > 0) != (mpfr_sgn(a) > 0) && mpfr_min_prec(a) == 1;
        const long exponent = normal ? mpfr_get_exp(a) - down : f->bottom;
        mpfr_set_si_2exp(unit, towards > 0 ? 1 : -1, exponent - f->digits, MPFR_RNDN);
        mpfr_add(r, a, unit, MPFR_RNDN);
        if (mpfr_zero_p(r)) /* of a's sign: the least number towards zero */
            mpfr_setsign(r, r, mpfr_signbit(a), MPFR_RNDN);
    }
    mpfr_clear(unit);
}

/* To the nearest integer, halves down, every step rounded. */
static void nearest_whole(mpfr_ptr q, enum weft_dtype t)
{
    if (mpfr_number_p(q)) {
        mpfr_sub_d(q, q, 0.5, MPFR_RNDN);
        mpfr_ceil(q, q);
        rounded(q, t);
    }
}

static void numpy_quotient(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, enum weft_dtype t)
{
    if (mpfr_zero_p(b)) {
        mpfr_div(r, a, b, MPFR_RNDN);
        return;
    }
    mpfr_fmod(r, a, b, MPFR_RNDN);
    bool less = needs_shift(r, b);
    mpfr_sub(r, a, r, MPFR_RNDN);
    rounded(r, t);
    mpfr_div(r, r, b, MPFR_RNDN);
    rounded(r, t);
    if (less) {
        mpfr_sub_ui(r, r, 1, MPFR_RNDN);
        rounded(r, t);
    }
    if (mpfr_zero_p(r))
        mpfr_setsign(r, r, mpfr_signbit(a) != mpfr_signbit(b), MPFR_RNDN);
    else
        nearest_whole(r, t);
}

static void round_and_saturate(mpfr_ptr r, mpfr_srcptr a, enum weft_dtype t)
{
    mpfr_t bound;
    mpfr_init2(bound, 128);
    if (mpfr_nan_p(a))
        mpfr_set_zero(r, 1);
    else
        mpfr_rint(r, a, MPFR_RNDN);
    set_integer(bound, highest_of(t));
    mpfr_min(r, r, bound, MPFR_RNDN);
    set_integer(bound, lowest_of(t));
    mpfr_max(r, r, bound, MPFR_RNDN);
    mpfr_clear(bound);
}

/* ---- the rows ---- */

struct oracle_row {
    bool bools, integers, floats, divides;
    wide (*integer)(wide, wide, wide, enum weft_dtype);
    void (*real)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_srcptr, enum weft_dtype);
    bool places;                   /* an integer result of -1 is remarked */
};

#define INTEGER_FUNCTION(id, expression)                                                           \
    static wide integer_##id(wide a, wide b, wide c, enum weft_dtype t)                            \
    {                                                                                              \
        const wide width = width_of(t), lowest = lowest_of(t), highest = highest_of(t);            \
        (void)a, (void)b, (void)c, (void)width, (void)lowest, (void)highest;                       \
        return expression;                                                                         \
    }
#define REAL_FUNCTION(id, ...)                                                                     \
    static void real_##id(mpfr_ptr r, mpfr_srcptr a, mpfr_srcptr b, mpfr_srcptr c,                 \
                          enum weft_dtype t)                                                       \
    {                                                                                              \
        (void)a, (void)b, (void)c, (void)t;                                                        \
        __VA_ARGS__;                                                                               \
    }
#define ROW(id, ...) static const struct oracle_row oracle_##id = {__VA_ARGS__};

#define ORACLE(id, ...)                                                                            \
    REAL_FUNCTION(id, __VA_ARGS__)                                                                 \
    ROW(id, .floats = true, .real = real_##id)
#define BOTH(id, bo, divides, i, ...)                                                              \
    INTEGER_FUNCTION(id, i)                                                                        \
    REAL_FUNCTION(id, __VA_ARGS__)                                                                 \
    ROW(id, bo, true, true, divides, integer_##id, real_##id)
#define ORACLE_NUMBERS(id, i, ...) BOTH(id, false, false, i, __VA_ARGS__)
#define ORACLE_DIVIDES(id, i, ...) BOTH(id, false, true, i, __VA_ARGS__)
#define ORACLE_ALL(id, i, ...) BOTH(id, true, false, i, __VA_ARGS__)
#define WHOLE(id, bo, in, ...)                                                                     \
    INTEGER_FUNCTION(id, __VA_ARGS__)                                                              \
    ROW(id, .bools = bo, .integers = in, .integer = integer_##id)
#define ORACLE_PLACES(id, ...)                                                                      \
    INTEGER_FUNCTION(id, __VA_ARGS__)                                                              \
    ROW(id, .integers = true, .integer = integer_##id, .places = true)
#define ORACLE_INTEGERS(id, ...) WHOLE(id, false, true, __VA_ARGS__)
#define ORACLE_BITS(id, ...) WHOLE(id, true, true, __VA_ARGS__)
#define ORACLE_BOOLS(id, ...) WHOLE(id, true, false, __VA_ARGS__)
#define ORACLE_BYTES(id) ROW(id, .bools = false)
#include "tests/oracle.def"

static const struct oracle_row *const oracle_rows[OP_COUNT] = {
#define OP(id, ...) [OP_##id] = &oracle_##id,
#include "grammar/ops.def"
};

bool oracle_has(enum op op, enum weft_dtype source)
{
    const struct oracle_row *row = oracle_rows[op];
    return source == WEFT_BOOL ? row->bools : oracle_is_float(source) ? row->floats : row->integers;
}

bool oracle_fault(enum op op, enum weft_dtype source, const union scalar operands[3])
{
    const wide a = oracle_is_float(source) ? 0 : integer_of(source, operands[0]),
               b = oracle_is_float(source) ? 0 : integer_of(source, operands[1]);
    const struct oracle_row *row = oracle_rows[op];
    return !oracle_is_float(source) && source != WEFT_BOOL &&
           ((row->divides && b == 0) || (row->places && row->integer(a, b, 0, source) == -1));
}

/* ---- running a row ---- */

/* The registers of one precision. */
struct registers {
    mpfr_t r, a, b, c;
    bool ready;
};

static struct registers *registers(mpfr_prec_t bits)
{
    static struct registers sets[3];
    struct registers *set = &sets[bits == BITS_EXACT ? 0 : bits == BITS_SHORT ? 1 : 2];
    if (!set->ready)
        mpfr_inits2(bits, set->r, set->a, set->b, set->c, NULL);
    set->ready = true;
    return set;
}

static bool exact_row(enum op op)
{
    return op_rows[op].ulp32 == 0;
}

/* Runs a row on floating operands; the exact value, or for a 16-bit type that in float32 where the row is
 * exact. A selection's condition is a bool. */
static mpfr_ptr run_real(enum op op, enum weft_dtype source, enum weft_dtype result,
                         const union scalar operands[3])
{
    struct registers *x = registers(!exact_row(op)     ? BITS_INEXACT
                                    : is_short(source) ? BITS_SHORT
                                                       : BITS_EXACT);
    if (op == OP_WHERE)
        set_integer(x->a, operands[0].b1);
    else
        set_real(x->a, source, operands[0]);
    set_real(x->b, source, operands[1]);
    set_real(x->c, source, operands[2]);
    bool by_float32 = is_short(result) && op_rows[op].rule != RULE_CONVERT && op != OP_NEXTAFTER;
    oracle_rows[op]->real(x->r, x->a, x->b, x->c, by_float32 ? WEFT_FLOAT32 : result);
    if (by_float32 && exact_row(op))
        rounded(x->r, WEFT_FLOAT32);
    return x->r;
}

static wide run_integer(enum op op, enum weft_dtype source, enum weft_dtype result,
                        const union scalar operands[3])
{
    wide a = integer_of(op == OP_WHERE ? WEFT_BOOL : source, operands[0]);
    return oracle_rows[op]->integer(a, integer_of(source, operands[1]),
                                    integer_of(source, operands[2]), result);
}

union scalar oracle_value(enum op op, enum weft_dtype source, enum weft_dtype result,
                          const union scalar operands[3])
{
    if (!oracle_is_float(source)) {
        wide value = run_integer(op, source, result, operands);
        if (!oracle_is_float(result))
            return scalar_of(result, value);
        mpfr_ptr r = registers(BITS_EXACT)->r;
        set_integer(r, value);
        return real_scalar(result, r);
    }
    mpfr_ptr r = run_real(op, source, result, operands);
    return oracle_is_float(result) ? real_scalar(result, r) : scalar_of(result, get_integer(r));
}

bool oracle_same(enum weft_dtype t, union scalar a, union scalar b)
{
    bool nan_a = oracle_is_float(t) && isnan(real_of(t, a)), nan_b = oracle_is_float(t) && isnan(real_of(t, b));
    return nan_a || nan_b ? nan_a && nan_b : a.bits == b.bits;
}

/* |y - r| in units of the last place at r; r and y are finite, or y has overflowed. Destroys r. */
static double distance(enum weft_dtype t, mpfr_ptr r, double y)
{
    int digits = formats[t].digits;
    long top = formats[t].top, bottom = formats[t].bottom;
    long exponent = mpfr_get_exp(r) < bottom ? bottom : mpfr_get_exp(r);
    if (exponent > top) {
        mpfr_set_si_2exp(r, mpfr_sgn(r), top, MPFR_RNDN);
        exponent = top;
    }
    mpfr_t other;
    mpfr_init2(other, 64);
    if (isinf(y))
        mpfr_set_si_2exp(other, y > 0 ? 1 : -1, top, MPFR_RNDN);
    else
        mpfr_set_d(other, y, MPFR_RNDN);
    mpfr_sub(r, r, other, MPFR_RNDN);
    mpfr_mul_2si(r, r, digits - exponent, MPFR_RNDN);
    mpfr_clear(other);
    return fabs(mpfr_get_d(r, MPFR_RNDA));
}

/* A NaN's sign is free, and so is what copysign takes from one. */
static bool sign_is_free(enum op op, enum weft_dtype source, const union scalar operands[3])
{
    return op == OP_COPYSIGN && isnan(real_of(source, operands[1]));
}

static union scalar without_sign(enum weft_dtype t, union scalar s)
{
    s.bits &= ~((uint64_t)1 << (formats[t].bits - 1));
    return s;
}

/* Whether y is some float32 within the row's bound of r, rounded once to the 16-bit type t. */
static bool within_bound(enum op op, enum weft_dtype t, mpfr_srcptr r, double y)
{
    const struct format *f = &formats[WEFT_FLOAT32];
    long exponent = mpfr_get_exp(r) < f->bottom ? f->bottom : mpfr_get_exp(r);
    double ends[2];
    mpfr_t gap;
    mpfr_init2(gap, BITS_INEXACT);
    for (int i = 0; i < 2; i++) {
        mpfr_set_si_2exp(gap, i ? op_rows[op].ulp32 : -op_rows[op].ulp32, exponent - f->digits, MPFR_RNDN);
        mpfr_add(gap, r, gap, MPFR_RNDN);
        ends[i] = short_value(t, short_bits(t, gap));
    }
    mpfr_clear(gap);
    return ends[0] <= y && y <= ends[1];
}

double oracle_error(enum op op, enum weft_dtype source, enum weft_dtype result,
                    const union scalar operands[3], union scalar actual)
{
    if (exact_row(op) || !oracle_is_float(source) || !oracle_is_float(result)) {
        union scalar expected = oracle_value(op, source, result, operands);
        if (sign_is_free(op, source, operands)) {
            expected = without_sign(result, expected);
            actual = without_sign(result, actual);
        }
        return oracle_same(result, expected, actual) ? 0 : INFINITY;
    }
    mpfr_ptr r = run_real(op, source, result, operands);
    double y = real_of(result, actual);
    if (mpfr_nan_p(r) || isnan(y))
        return mpfr_nan_p(r) && isnan(y) ? 0 : INFINITY;
    if (mpfr_inf_p(r) || mpfr_zero_p(r))
        return oracle_same(result, real_scalar(result, r), actual) ? 0 : INFINITY;
    if (!signbit(y) != !mpfr_signbit(r))
        return INFINITY;
    if (is_short(result))
        return within_bound(op, result, r, y) ? 0 : INFINITY;
    return distance(result, r, y);
}

union scalar oracle_compare(enum op op, enum weft_dtype a_dtype, union scalar a,
                            enum weft_dtype b_dtype, union scalar b)
{
    wide x = integer_of(a_dtype, a), y = integer_of(b_dtype, b);
    return scalar_of(WEFT_BOOL, oracle_rows[op]->integer(x, y, 0, WEFT_BOOL));
}

/* ---- conversions and promotion ---- */

union scalar oracle_convert(enum weft_dtype from, enum weft_dtype to, union scalar value)
{
    const union scalar operands[3] = {value};
    return oracle_value(to == WEFT_BOOL ? OP_NONZERO : OP_CONVERT, from, to, operands);
}

union scalar oracle_cast(enum weft_dtype from, enum weft_dtype to, union scalar value)
{
    const union scalar operands[3] = {value};
    if (oracle_is_float(to) || to == WEFT_BOOL || from == WEFT_BOOL)
        return oracle_convert(from, to, value);
    return oracle_value(oracle_is_float(from) ? OP_ROUNDSAT : OP_SATURATE, from, to, operands);
}

enum weft_dtype oracle_promote(enum weft_dtype a, enum weft_dtype b)
{
    enum { B = WEFT_BOOL, I8 = WEFT_INT8, I16 = WEFT_INT16, I32 = WEFT_INT32, I64 = WEFT_INT64,
           U8 = WEFT_UINT8, U16 = WEFT_UINT16, U32 = WEFT_UINT32, U64 = WEFT_UINT64,
           F16 = WEFT_FLOAT16, BF = WEFT_BFLOAT16, F32 = WEFT_FLOAT32, F64 = WEFT_FLOAT64 };
    static const unsigned char table[13][13] = {
        /*            b    i8   i16  i32  i64  u8   u16  u32  u64  f16  bf16 f32  f64 */
        [B] =       {B,   I8,  I16, I32, I64, U8,  U16, U32, U64, F16, BF,  F32, F64},
        [I8] =      {I8,  I8,  I16, I32, I64, I16, I32, I64, I64, F16, BF,  F32, F64},
        [I16] =     {I16, I16, I16, I32, I64, I16, I32, I64, I64, F16, BF,  F32, F64},
        [I32] =     {I32, I32, I32, I32, I64, I32, I32, I64, I64, F16, BF,  F32, F64},
        [I64] =     {I64, I64, I64, I64, I64, I64, I64, I64, I64, F16, BF,  F32, F64},
        [U8] =      {U8,  I16, I16, I32, I64, U8,  U16, U32, U64, F16, BF,  F32, F64},
        [U16] =     {U16, I32, I32, I32, I64, U16, U16, U32, U64, F16, BF,  F32, F64},
        [U32] =     {U32, I64, I64, I64, I64, U32, U32, U32, U64, F16, BF,  F32, F64},
        [U64] =     {U64, I64, I64, I64, I64, U64, U64, U64, U64, F16, BF,  F32, F64},
        [F16] =     {F16, F16, F16, F16, F16, F16, F16, F16, F16, F16, F32, F32, F64},
        [BF] =      {BF,  BF,  BF,  BF,  BF,  BF,  BF,  BF,  BF,  F32, BF,  F32, F64},
        [F32] =     {F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F32, F64},
        [F64] =     {F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64, F64},
    };
    _Static_assert(WEFT_DTYPE_COUNT == 13, "a new type needs a row and a column here");
    return (enum weft_dtype)table[a][b];
}

const char *oracle_print(char buffer[64], enum weft_dtype t, union scalar value)
{
    if (is_short(t))
        snprintf(buffer, 64, "%.9g (0x%04" PRIx16 ")", short_value(t, value.u16), value.u16);
    else if (t == WEFT_FLOAT32)
        snprintf(buffer, 64, "%.9g (0x%08" PRIx32 ")", (double)value.f32, value.u32);
    else if (t == WEFT_FLOAT64)
        snprintf(buffer, 64, "%.17g (0x%016" PRIx64 ")", value.f64, value.u64);
    else if (t == WEFT_UINT64)
        snprintf(buffer, 64, "%" PRIu64, value.u64);
    else
        snprintf(buffer, 64, "%" PRId64, (int64_t)integer_of(t, value));
    return buffer;
}
