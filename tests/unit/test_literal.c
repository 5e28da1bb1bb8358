/* Literal expressions give Python's results (rule 2.3): integers exactly, quotients rounded once,
 * errors where Python has them; then their type, and what they become where they meet one. */
#include "tests/unit/front.h"

#include "compiler/lang/literal.h"

#include <float.h>
#include <math.h>

typedef __int128 wide;

static const wide most = (wide)(~(unsigned __int128)0 >> 1);

/* The literal that a text has; the program may go on to reject it for its width. */
static struct literal fold(const char *text)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    if (!front.good)
        fail_msg("%s\n%s", text, front_messages(&front));
    const struct program *program = front.programs.items[0];
    check(front.programs.items[0]);
    const struct node *node = &program->nodes[program->results[0].node];
    if (node->poison)
        fail_msg("%s\n%s", text, front_messages(&front));
    struct literal literal = node->literal;
    front_finish(&front);
    return literal;
}

static void assert_integer(const char *text, wide value)
{
    struct literal literal = fold(text);
    if (literal.kind != LITERAL_INTEGER || literal.integer != value)
        fail_msg("%s is kind %d, %lld (low bits)", text, literal.kind, (long long)literal.integer);
}

/* With the sign of zero. */
static void assert_real(const char *text, double value)
{
    struct literal literal = fold(text);
    bool same = memcmp(&literal.real, &value, sizeof value) == 0 || (isnan(value) && isnan(literal.real));
    if (literal.kind != LITERAL_REAL || !same)
        fail_msg("%s is kind %d, %.17g, not %.17g", text, literal.kind, literal.real, value);
}

static void assert_error(const char *text, const char *message)
{
    struct front front;
    front_parse(&front, text, strlen(text));
    assert_true(front.good);
    assert_false(check(front.programs.items[0]));
    if (!strstr(front_messages(&front), message))
        fail_msg("%s\n%s", text, front_messages(&front));
    front_finish(&front);
}

static void integers_are_exact(void **state)
{
    (void)state;
    assert_integer("2**100 // 2**90", 1024);
    assert_integer("2**64 * 2**62", (wide)1 << 126);
    assert_integer("170141183460469231731687303715884105727", most);
    assert_integer("2**126 - 1 + 2**126", most);
    assert_integer("-(2**126) - 2**126", -most - 1);
    assert_integer("(-2)**127", -most - 1);
    assert_integer("~170141183460469231731687303715884105727", -most - 1);
    assert_integer("+-~5 * 3 - 4", 14);
    assert_integer("3**80", (wide)3486784401 * 3486784401 * 3486784401 * 3486784401);
    assert_integer("(-1)**1000000000000000000001", -1);
    assert_integer("0**0", 1);
    assert_integer("2**3**2", 512);
    assert_integer("-2**2", -4);
}

static void beyond_128_bits_is_an_error(void **state)
{
    (void)state;
    const char *wide_message = "the integer does not fit 128 bits with its sign";
    assert_error("170141183460469231731687303715884105727 + 1", wide_message);
    assert_error("2**127", wide_message);
    assert_error("2**64 * 2**63", wide_message);
    assert_error("-(2**126) - 2**126 - 1", wide_message);
    assert_error("-((-2)**127)", wide_message);
    assert_error("(-2)**127 // -1", wide_message);
    assert_error("10**1000000000000", wide_message);
}

static void quotients_round_once(void **state)
{
    (void)state;
    assert_real("7 / 2", 3.5);
    assert_real("-7 / 2", -3.5);
    assert_real("1 / 3", 0.33333333333333331);
    assert_real("2 / -3", -0.66666666666666663);
    assert_real("0 / -5", 0.0 / -5);
    /* Operands of more than 64 bits. */
    assert_real("(-2)**127 / 3", -0x1.5555555555555p+125);
    assert_real("(-2)**127 / -1", 0x1p+127);
    assert_real("170141183460469231731687303715884105727 / 1", 0x1p+127);
    assert_real("170141183460469231731687303715884105727 / 170141183460469231731687303715884105726", 1.0);
    assert_real("1 / 170141183460469231731687303715884105727", 0x1p-127);
    /* A tie, and one past it, that rounding both operands first would lose. */
    assert_real("(2**53 + 1) / 1", 0x1p+53);
    assert_real("(2**120 + 2**67) / 1", 0x1p+120);
    assert_real("(2**120 + 2**67 + 1) / 1", 0x1.0000000000001p+120);
    assert_real("(2**53 + 1) / (2**53 - 1)", 0x1.0000000000001p+0);
}

static void floor_division_has_the_divisors_sign(void **state)
{
    (void)state;
    assert_integer("7 // 2", 3);
    assert_integer("-7 // 2", -4);
    assert_integer("7 // -2", -4);
    assert_integer("-7 // -2", 3);
    assert_integer("-8 // 2", -4);
    assert_integer("7 % 3", 1);
    assert_integer("-7 % 3", 2);
    assert_integer("7 % -3", -2);
    assert_integer("-7 % -3", -1);
    assert_integer("6 % -3", 0);
    assert_integer("(-2)**127 % -1", 0);
    assert_integer("(-2)**127 // 3", -(most / 3) - 1);
}

static void reals_divide_as_in_python(void **state)
{
    (void)state;
    assert_real("7.5 // 2", 3.0);
    assert_real("-7.5 // 2", -4.0);
    assert_real("1.0 // 0.1", 9.0);
    assert_real("7.5 % 2", 1.5);
    assert_real("-7.5 % 2", 0.5);
    assert_real("7.5 % -2", -0.5);
    assert_real("-6.0 % 3", 0.0);
    assert_real("6.0 % -3", -0.0);
    assert_real("5.0 % inf", 5.0);
    assert_real("-5.0 % inf", INFINITY);
    assert_real("-0.0 // 3", -0.0);
    assert_real("1 / 4.0", 0.25);
    assert_real("0.1 + 0.2", 0.30000000000000004);
    assert_real("1e308 * 10", INFINITY);
    assert_real("inf - inf", NAN);
    assert_real("(2**53 + 1) * 1.0", 0x1p+53);
}

static void powers(void **state)
{
    (void)state;
    assert_real("2.0 ** -1", 0.5);
    assert_real("2 ** 0.5", 1.4142135623730951);
    assert_real("(-8.0) ** 3", -512.0);
    assert_real("(-inf) ** 0.5", INFINITY);
    assert_real("0.0 ** 0", 1.0);
    assert_real("nan ** 0", 1.0);
    assert_real("2 ** -1074.0", 0x1p-1074);
    assert_error("(-8) ** 0.5", "a negative number to a fractional power is complex");
    assert_error("(-8.0) ** (1/3)", "a negative number to a fractional power is complex");
    assert_error("0.0 ** -1", "zero to a negative power in a literal expression");
    assert_error("2 ** -1", "an integer to a negative power");
    assert_error("10.0 ** 400", "the power is too large for float64");
}

static void errors(void **state)
{
    (void)state;
    static const char *const zero[] = {"1 / 0", "1 // 0", "1 % 0", "1.0 / 0", "1 // 0.0", "1.5 % 0.0",
                                       "1 / -0.0", "0 / 0", "(2 - 2) % (1 - 1)"};
    for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
        assert_error(zero[i], "division by zero in a literal expression");
    assert_error("~1.5", "'~' takes integers and bool, but 1.5 is float32");
}

static enum weft_dtype dtype_of(const char *text)
{
    struct literal literal = fold(text);
    return literal_dtype(&literal, rules_of(WEFT_RULES_DALI));
}

static void types_are_the_first_that_holds_it(void **state)
{
    (void)state;
    assert_int_equal(dtype_of("2**31 - 1"), WEFT_INT32);
    assert_int_equal(dtype_of("-2147483648"), WEFT_INT32);
    assert_int_equal(dtype_of("2**31"), WEFT_INT64);
    assert_int_equal(dtype_of("-2147483649"), WEFT_INT64);
    assert_int_equal(dtype_of("2**63 - 1"), WEFT_INT64);
    assert_int_equal(dtype_of("-(2**63)"), WEFT_INT64);
    assert_int_equal(dtype_of("2**63"), WEFT_UINT64);
    assert_int_equal(dtype_of("2**64 - 1"), WEFT_UINT64);
    assert_int_equal(dtype_of("2**64"), WEFT_DTYPE_COUNT);
    assert_int_equal(dtype_of("-(2**63) - 1"), WEFT_DTYPE_COUNT);
    assert_int_equal(dtype_of("1.0"), WEFT_FLOAT32);
    assert_int_equal(dtype_of("4 / 2"), WEFT_FLOAT32);
    assert_int_equal(dtype_of("pi"), WEFT_FLOAT32);
    assert_int_equal(dtype_of("true"), WEFT_BOOL);
}

static union scalar meet(const char *text, enum weft_dtype dtype, bool overflows)
{
    bool infinite = !overflows;
    struct literal literal = fold(text);
    union scalar value = literal_meet(&literal, dtype, &infinite);
    assert_int_equal(infinite, overflows);
    return value;
}

/* Valgrind's long double has the precision of a double. */
static void need_long_double(void)
{
    volatile long double one = 1;
    if (one + LDBL_EPSILON == one)
        skip();
}

static void a_type_is_met_with_one_rounding(void **state)
{
    (void)state;
    need_long_double();
    assert_true(meet("16777217", WEFT_FLOAT32, false).f32 == 16777216.0f);
    assert_true(meet("16777219", WEFT_FLOAT32, false).f32 == 16777220.0f);
    assert_true(meet("16777217", WEFT_FLOAT64, false).f64 == 16777217.0);
    assert_true(meet("0.1", WEFT_FLOAT32, false).f32 == 0.1f);
    assert_true(meet("0.1", WEFT_FLOAT64, false).f64 == 0.1);
    /* A tie in float32 but for the last bit, which float64 would lose. */
    assert_true(meet("2**60 + 2**36", WEFT_FLOAT32, false).f32 == 0x1p+60f);
    assert_true(meet("2**60 + 2**36 + 1", WEFT_FLOAT32, false).f32 == 0x1.000002p+60f);
    assert_true(meet("2**63 + 2**10 + 1", WEFT_FLOAT64, false).f64 == 0x1.0000000000001p+63);
    assert_true(meet("-7", WEFT_INT64, false).i64 == -7);
    assert_true(meet("2**64 - 1", WEFT_UINT64, false).u64 == UINT64_MAX);
    assert_int_equal(meet("true", WEFT_FLOAT32, false).bits, (union scalar){.f32 = 1}.bits);
    assert_int_equal(meet("-0.0", WEFT_FLOAT32, false).bits, 0x80000000u);
}

static void a_finite_value_may_become_infinite(void **state)
{
    (void)state;
    assert_true(isinf(meet("1e39", WEFT_FLOAT32, true).f32));
    assert_true(isinf(meet("-1e300", WEFT_FLOAT32, true).f32));
    assert_true(meet("1e300", WEFT_FLOAT64, false).f64 == 1e300);
    assert_true(isinf(meet("inf", WEFT_FLOAT32, false).f32));
    /* The largest float32, and the least that rounds past it. */
    assert_true(meet("0x1.fffffefffffffp127", WEFT_FLOAT32, false).f32 == 0x1.fffffep+127f);
    assert_true(isinf(meet("0x1.ffffffp127", WEFT_FLOAT32, true).f32));
    assert_true(meet("170141183460469231731687303715884105727", WEFT_FLOAT32, false).f32 == 0x1p+127f);
}

static union scalar cast(const char *text, enum weft_dtype dtype)
{
    struct literal literal = fold(text);
    return literal_cast(&literal, dtype);
}

static void casts_saturate(void **state)
{
    (void)state;
    assert_int_equal(cast("300", WEFT_UINT8).u8, 255);
    assert_int_equal(cast("-1", WEFT_UINT8).u8, 0);
    assert_int_equal(cast("-129", WEFT_INT8).i8, -128);
    assert_int_equal(cast("128", WEFT_INT8).i8, 127);
    assert_true(cast("2**100", WEFT_INT64).i64 == INT64_MAX);
    assert_true(cast("-(2**100)", WEFT_INT64).i64 == INT64_MIN);
    assert_true(cast("2**64", WEFT_UINT64).u64 == UINT64_MAX);
    assert_true(cast("2**63", WEFT_INT64).i64 == INT64_MAX);
    assert_true(cast("2**63", WEFT_UINT64).u64 == (uint64_t)1 << 63);
    assert_int_equal(cast("70000", WEFT_UINT16).u16, 65535);
    assert_true(cast("2**64", WEFT_BOOL).b1);
    need_long_double();
    assert_true(cast("2**60 + 2**36 + 1", WEFT_FLOAT32).f32 == 0x1.000002p+60f);
}

static void casts_of_reals(void **state)
{
    (void)state;
    assert_int_equal(cast("2.5", WEFT_INT32).i32, 2);
    assert_int_equal(cast("3.5", WEFT_INT32).i32, 4);
    assert_int_equal(cast("-0.5", WEFT_UINT8).u8, 0);
    assert_int_equal(cast("254.5", WEFT_UINT8).u8, 254);
    assert_int_equal(cast("255.5", WEFT_UINT8).u8, 255);
    assert_int_equal(cast("nan", WEFT_INT16).i16, 0);
    assert_true(cast("inf", WEFT_INT64).i64 == INT64_MAX);
    assert_true(cast("-1e30", WEFT_INT64).i64 == INT64_MIN);
    assert_true(cast("1e30", WEFT_UINT64).u64 == UINT64_MAX);
    assert_true(isinf(cast("1e39", WEFT_FLOAT32).f32));
    assert_true(cast("nan", WEFT_BOOL).b1);
    assert_false(cast("-0.0", WEFT_BOOL).b1);
    assert_true(cast("1e-400", WEFT_FLOAT64).f64 == 0 && cast("1e-300", WEFT_BOOL).b1);
}

static void wrap_keeps_the_low_bits(void **state)
{
    (void)state;
    struct literal literal = fold("300");
    assert_int_equal(literal_wrap(&literal, WEFT_UINT8).u8, 44);
    literal = fold("-129");
    assert_int_equal(literal_wrap(&literal, WEFT_INT8).i8, 127);
    literal = fold("2**64 - 1");
    assert_true(literal_wrap(&literal, WEFT_INT64).i64 == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(beyond_128_bits_is_an_error),
        cmocka_unit_test(quotients_round_once),
        cmocka_unit_test(floor_division_has_the_divisors_sign),
        cmocka_unit_test(reals_divide_as_in_python),
        cmocka_unit_test(powers),
        cmocka_unit_test(errors),
        cmocka_unit_test(types_are_the_first_that_holds_it),
        cmocka_unit_test(a_type_is_met_with_one_rounding),
        cmocka_unit_test(a_finite_value_may_become_infinite),
        cmocka_unit_test(casts_saturate),
        cmocka_unit_test(casts_of_reals),
        cmocka_unit_test(wrap_keeps_the_low_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
