/* The meanings of ops.def, as the reference evaluator computes them, against the oracle: every
 * row on every dtype it has a meaning for, on the special values (all pairs; a few where there
 * are three), on random ones, and on every pair of 8-bit integers; every conversion, on edges.h
 * too; promotion; the remarks. WEFT_ROUNDS sets the number of random values per row and type,
 * WEFT_SEED their seed; with WEFT_VERBOSE the largest error of each inexact row is printed. */
#include "tests/diff/edges.h"
#include "tests/diff/oracle.h"
#include "tests/diff/values.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static int wrong;

/* Prints the first few differences of each row and type only; `key` tells them apart. */
static bool complain(int key)
{
    static int last, count;
    count = wrong++ > 0 && key == last ? count + 1 : 0;
    last = key;
    return count < 3;
}

static int key_of(enum op op, enum weft_dtype source)
{
    return (int)op * WEFT_DTYPE_COUNT + (int)source;
}

static void report(enum op op, enum weft_dtype source, enum weft_dtype result,
                   const union scalar o[3], union scalar actual, double error)
{
    char text[64];
    if (!complain(key_of(op, source)))
        return;
    print_error("%s on %s:", op_rows[op].id, type_rows[source].name);
    for (int i = 0; i < op_arity(op); i++)
        print_error(" %s,",
                    oracle_print(text, op == OP_WHERE && i == 0 ? WEFT_BOOL : source, o[i]));
    print_error(" gives %s,", oracle_print(text, result, actual));
    union scalar expected = oracle_value(op, source, result, o);
    print_error(" not %s; off by %g ulp (seed %" PRIu64 ")\n", oracle_print(text, result, expected),
                error, values_seed());
}

static double largest[OP_COUNT][WEFT_DTYPE_COUNT];

/* One row on one set of operands. */
static void compare(enum op op, enum weft_dtype source, enum weft_dtype result,
                    const union scalar o[3])
{
    union scalar actual = eval_op(op, source, result, o[0], o[1], o[2]);
    double error = oracle_error(op, source, result, o, actual);
    int bound = source == WEFT_FLOAT64 ? op_rows[op].ulp64 : op_rows[op].ulp32;
    if (!(error <= bound))
        report(op, source, result, o, actual, error);
    if (error > largest[op][source])
        largest[op][source] = error;
    if (eval_fault(op, source, o[0], o[1], o[2]) != oracle_fault(op, source, o) &&
        complain(key_of(op, source)))
        print_error("%s on %s: the division by zero is not told rightly\n", op_rows[op].id,
                    type_rows[source].name);
}

static enum weft_dtype result_of(enum op op, enum weft_dtype source)
{
    return rule_rows[op_rows[op].rule].result == RESULT_BOOL ? WEFT_BOOL : source;
}

static bool is_conversion(enum op op)
{
    return op_rows[op].rule == RULE_CONVERT;
}

/* Rows the other tests leave to their own: conversions, and COMPARE64 and others of types that they never meet. */
static bool covered(enum op op, enum weft_dtype source)
{
    return !is_conversion(op) && oracle_has(op, source) &&
           ((op != OP_COMPARE64 && op != OP_RANDOM) || source == WEFT_INT64) &&
           (op != OP_NEXT_FLOAT16 || source == WEFT_FLOAT16) && (op != OP_NEXT_BFLOAT16 || source == WEFT_BFLOAT16);
}

static void specials(enum op op, enum weft_dtype source)
{
    int arity = op_arity(op), all, conditions;
    const union scalar *values = values_special(source, &all);
    const union scalar *first = op == OP_WHERE ? values_special(WEFT_BOOL, &conditions) : values;
    int count = arity == 3 && all > VALUES_FEW ? VALUES_FEW : all;
    for (int i = 0; i < (op == OP_WHERE ? conditions : count); i++)
        for (int j = 0; j < (arity > 1 ? count : 1); j++)
            for (int k = 0; k < (arity > 2 ? count : 1); k++) {
                const union scalar o[3] = {first[i], values[j], values[k]};
                compare(op, source, result_of(op, source), o);
            }
}

static void randoms(enum op op, enum weft_dtype source, long rounds)
{
    struct stream stream = stream_init((uint64_t)op * WEFT_DTYPE_COUNT + source);
    for (long i = 0; i < rounds; i++) {
        union scalar o[3];
        for (int j = 0; j < 3; j++)
            o[j] = stream_value(&stream, op == OP_WHERE && j == 0 ? WEFT_BOOL : source);
        if (op != OP_WHERE && stream_below(&stream, 8) == 0)
            o[1] = o[0];
        compare(op, source, result_of(op, source), o);
    }
}

static void pairs_of_bytes(enum op op, enum weft_dtype source)
{
    /* With any odd step each byte is met on both sides. */
    for (uint64_t i = 0, step = (uint64_t)sample_number("1/7/1/1"); i < 65536; i += step) {
        const union scalar o[3] = {{.bits = i & 255}, {.bits = i >> 8}};
        compare(op, source, result_of(op, source), o);
    }
}

static void test_rows(void **state)
{
    (void)state;
    long rounds = sample_setting("WEFT_ROUNDS", 2000);
    wrong = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
            if (covered(op, t)) {
                specials(op, t);
                /* Integers cost next to nothing. */
                randoms(op, t, dtype_is_float(t) ? rounds : 10 * rounds);
                if (type_rows[t].size == 1 && t != WEFT_BOOL && op_arity(op) == 2)
                    pairs_of_bytes(op, t);
            }
    assert_int_equal(wrong, 0);
}

/* A row that typing lets a type through to has a meaning there, and no other row has. */
static void test_coverage(void **state)
{
    (void)state;
    wrong = 0;
    for (int op = 0; op < OP_COUNT; op++)
        for (int t = 0; t < WEFT_DTYPE_COUNT; t++)
            if (!is_conversion(op) && op != OP_COMPARE64 && op != OP_RANDOM &&
                oracle_has(op, t) != (op_meaning(op, t) != NULL) && complain(key_of(op, t)))
                print_error("%s on %s: %s meaning expected\n", op_rows[op].id, type_rows[t].name,
                            oracle_has(op, t) ? "a" : "no");
    assert_int_equal(wrong, 0);
}

static union scalar converted(enum weft_dtype from, enum weft_dtype to, bool cast, union scalar a)
{
    return eval_convert(from, to, cast, a);
}

static void conversions(enum weft_dtype from, enum weft_dtype to, bool cast, union scalar a)
{
    union scalar actual = converted(from, to, cast, a);
    union scalar expected = cast ? oracle_cast(from, to, a) : oracle_convert(from, to, a);
    char texts[3][64];
    if (!oracle_same(to, actual, expected) && complain(key_of((enum op)(2 * from + cast), to)))
        print_error("%s of %s from %s to %s is %s, expected %s\n", cast ? "cast" : "conversion",
                    oracle_print(texts[0], from, a), type_rows[from].name, type_rows[to].name,
                    oracle_print(texts[1], to, actual), oracle_print(texts[2], to, expected));
}

static void test_conversions(void **state)
{
    (void)state;
    long rounds = sample_setting("WEFT_ROUNDS", 2000);
    wrong = 0;
    for (int i = 0; i < 2 * WEFT_DTYPE_COUNT * WEFT_DTYPE_COUNT; i++) {
        bool cast = i % 2;
        enum weft_dtype from = i / 2 / WEFT_DTYPE_COUNT, to = i / 2 % WEFT_DTYPE_COUNT;
        struct stream stream = stream_init((uint64_t)i + 1000000);
        int count;
        const union scalar *values = values_special(from, &count);
        if (!cast && dtype_is_float(from) && !dtype_is_float(to) && to != WEFT_BOOL)
            continue;
        for (int j = 0; j < count; j++)
            conversions(from, to, cast, values[j]);
        values = edges_of(from, &count);
        for (int j = 0; j < count; j++)
            conversions(from, to, cast, values[j]);
        for (long j = 0; j < rounds; j++)
            conversions(from, to, cast, stream_value(&stream, from));
    }
    assert_int_equal(wrong, 0);
}

static void test_promotion(void **state)
{
    (void)state;
    wrong = 0;
    for (int a = 0; a < WEFT_DTYPE_COUNT; a++)
        for (int b = 0; b < WEFT_DTYPE_COUNT; b++)
            if (promote(a, b) != oracle_promote(a, b) && complain(a))
                print_error("%s with %s gives %s\n", type_rows[a].name, type_rows[b].name,
                            type_rows[promote(a, b)].name);
    assert_int_equal(wrong, 0);
}

/* Rule 3.1: the order of three operands does not matter. */
static void test_promotion_associative(void **state)
{
    (void)state;
    for (int i = 0; i < WEFT_DTYPE_COUNT * WEFT_DTYPE_COUNT * WEFT_DTYPE_COUNT; i++) {
        enum weft_dtype a = i / WEFT_DTYPE_COUNT / WEFT_DTYPE_COUNT;
        enum weft_dtype b = i / WEFT_DTYPE_COUNT % WEFT_DTYPE_COUNT, c = i % WEFT_DTYPE_COUNT;
        if (promote(promote(a, b), c) != promote(a, promote(b, c)))
            fail_msg("%s, %s and %s promote differently by order", type_rows[a].name,
                     type_rows[b].name, type_rows[c].name);
    }
}

static int print_largest(void **state)
{
    (void)state;
    for (int op = 0; op < OP_COUNT && sample_setting("WEFT_VERBOSE", 0); op++)
        if (op_rows[op].ulp32)
            printf("%-8s float32 %.3f  float64 %.3f\n", op_rows[op].id, largest[op][WEFT_FLOAT32],
                   largest[op][WEFT_FLOAT64]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coverage),
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_promotion_associative),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests_name("meaning", tests, NULL, print_largest);
}
