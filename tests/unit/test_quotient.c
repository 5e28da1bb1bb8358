/* Quotients by way of a reciprocal (templates/shared/dialect.h) against the machine's division: at every exponent that
 * they are for, where quotients lie as near as can be to what rounding cannot decide, at zeros and bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define DIALECT_FLOATING
#define FN static inline __attribute__((unused))
#define T float
#define N(name) name##_f32
#define F(name) name##f
#include "templates/shared/dialect.h"

enum { FRACTION = 23, ONE = 1 << FRACTION };

static uint32_t bits(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static void check(float a, float b)
{
    const volatile float divisor = b;
    const float expected = a / divisor, r = 1 / divisor, quotient = quotient_f32(a, b, r);
    if (bits(quotient) != bits(expected))
        fail_msg("%a / %a is %a, found %a", (double)a, (double)b, (double)expected, (double)quotient);
}

/* The inverse of an odd number modulo 2 ** 32. */
static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd;
    for (int i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

/* Significands a, b and a quotient m of one bit more, where m * b differs from a * 2 ** shift by `apart` alone: m is
 * odd, so it lies halfway between two floats. */
static bool check_near_half(uint32_t b, int apart, int shift)
{
    const uint32_t m = ((0u - (uint32_t)apart) * inverse(b) & ((1u << shift) - 1)) |
                       (shift == FRACTION + 1 ? 1u << shift : 0);
    const uint64_t product = (uint64_t)m * b + (uint64_t)(int64_t)apart;
    const uint64_t a = product >> shift;
    if (m >> (FRACTION + 1) != 1 || a >> FRACTION != 1)
        return false;
    assert_int_equal(a << shift, product);
    check((float)a, (float)b);
    check(-ldexpf((float)a, -60), ldexpf((float)b, -FRACTION));
    return true;
}

static void test_hard(void **state)
{
    (void)state;
    int found = 0;
    for (uint32_t b = ONE + 1; b < 2 * ONE; b += b - ONE < 4096 || 2 * ONE - b < 4096 ? 2 : 2 * 7)
        for (int apart = -3; apart <= 3; apart += 2)
            for (int shift = FRACTION + 1; shift <= FRACTION + 2; shift++)
                found += check_near_half(b, apart, shift);
    assert_true(found > 1000000);
}

/* The reciprocals of the greatest significands are the least exact, and quotients near 1 the farthest from a first
 * one. */
static void test_greatest(void **state)
{
    (void)state;
    for (uint32_t b = 2 * ONE - 512; b < 2 * ONE; b++)
        for (uint32_t a = 2 * ONE - 512; a < 2 * ONE; a++)
            check((float)a, (float)b);
}

static uint32_t draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 32);
}

static float some(uint64_t *seed, int exponent)
{
    return ldexpf((float)(ONE | (draw(seed) & (ONE - 1))), exponent - FRACTION);
}

/* Dividends from the least to the greatest that kernels know of: compiler/emit/quotient.c. */
static void test_exponents(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int b = -32; b < 32; b++)
        for (int a = -93; a < 94; a++)
            for (int i = 0; i < 32; i++) {
                const float divisor = i ? some(&seed, b) : ldexpf(1, b);
                const float dividend = i % 4 ? some(&seed, a) : ldexpf(1, a);
                assert_true(divisor_f32(divisor));
                check(dividend, divisor);
                check(-dividend, divisor);
            }
}

static void test_zeros(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int b = -32; b < 32; b++) {
        check(0.0f, some(&seed, b));
        check(-0.0f, some(&seed, b));
    }
}

static void test_bounds(void **state)
{
    (void)state;
    const float least = ldexpf(1, -32), most = ldexpf(1, 32);
    const float good[] = {least, most, 1.0f, nextafterf(most, 0)};
    const float bad[] = {nextafterf(least, 0), nextafterf(most, INFINITY), INFINITY, NAN, ldexpf(1, -149),
                         ldexpf(1, -126)};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(divisor_f32(good[i]) && moderate_f32(good[i]) && moderate_f32(-good[i]));
        assert_false(divisor_f32(-good[i]));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(divisor_f32(bad[i]) || moderate_f32(bad[i]) || moderate_f32(-bad[i]));
    assert_true(moderate_f32(0.0f) && moderate_f32(-0.0f));
    assert_false(divisor_f32(0.0f) || divisor_f32(-0.0f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_hard), cmocka_unit_test(test_greatest),
                                       cmocka_unit_test(test_exponents), cmocka_unit_test(test_zeros),
                                       cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests_name("quotient", tests, NULL, NULL);
}
