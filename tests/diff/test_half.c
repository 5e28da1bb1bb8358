/* The 16-bit floating types, exhaustively: every row of one operand and every cast on all 65536 patterns,
 * in kernels and in the reference evaluator, against the oracle; every boundary of rounding to them, just
 * below, on and just above it, from every type that has more bits. With the fast conversions and without. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/typing.h"
#include "tests/diff/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { PATTERNS = 65536, MAX_JOBS = 96, VARIANTS = 2 };

static const enum weft_dtype halves[] = {WEFT_FLOAT16, WEFT_BFLOAT16};
static const char *const variants[VARIANTS] = {"", "convert"};
static const char *const names[] = {"x"};
static int wrong;

static struct tensor all_patterns(enum weft_dtype t)
{
    struct tensor x = tensor_line(t, PATTERNS);
    for (int i = 0; i < PATTERNS; i++)
        tensor_set(&x, i, (union scalar){.bits = (uint64_t)i});
    return x;
}

/* One result from the one input. */
static struct tensor run_text(const char *text, const struct tensor *x, enum weft_dtype result)
{
    struct tensor out = tensor_line(result, x->shape[0]);
    struct weft_program *program = run_compile(text);
    run_program(program, x, names, 1, &out, 1, NULL);
    weft_program_destroy(program);
    return out;
}

static void complain(const char *text, const char *variant, const struct tensor *x, int64_t i,
                     enum weft_dtype result, union scalar actual)
{
    char texts[2][64];
    if (wrong++ < 20)
        print_error("%s without '%s': of %s %s is %s\n", text, variant, weft_dtype_name(x->dtype),
                    oracle_print(texts[0], x->dtype, tensor_get(x, i)),
                    oracle_print(texts[1], result, actual));
}

/* ---- rows ---- */

/* All rows of one operand on one type, as results of one program. */
struct suite {
    enum op ops[MAX_JOBS];
    struct typing typings[MAX_JOBS];
    int count;
    char text[8000];
};

static void make_suite(struct suite *suite, enum weft_dtype t)
{
    size_t length = (size_t)snprintf(suite->text, sizeof suite->text, "return ");
    suite->count = 0;
    for (int op = 0; op < OP_COUNT; op++) {
        int i = suite->count;
        char row[200];
        if (op_arity(op) != 1 || op_rows[op].form == FORM_INTERNAL || !typing_of(op, &t, 1, &suite->typings[i]))
            continue;
        suite->ops[suite->count++] = op;
        length += (size_t)snprintf(suite->text + length, sizeof suite->text - length, "%sr%d = %s",
                                   i ? ", " : "", i, typing_text(row, sizeof row, op, names, 1));
    }
}

static void run_suite(const struct suite *suite, const struct tensor *x, struct tensor *out)
{
    for (int i = 0; i < suite->count; i++)
        out[i] = tensor_line(suite->typings[i].result, PATTERNS);
    struct weft_program *program = run_compile(suite->text);
    run_program(program, x, names, 1, out, suite->count, NULL);
    weft_program_destroy(program);
}

/* The kernel's elements; where they are others, those without the fast conversions and the evaluator's. */
static void check_row(const struct suite *suite, int row, const struct tensor *x, struct tensor *const out[VARIANTS])
{
    const enum op op = suite->ops[row];
    const struct typing *typing = &suite->typings[row];
    /* An odd step meets every exponent with other fractions. */
    const int64_t step = sample_setting("WEFT_PATTERNS", 1);
    for (int64_t i = 0; i < PATTERNS; i += step) {
        const struct typed operand = {x->dtype, tensor_get(x, i)};
        union scalar a = oracle_convert(x->dtype, typing->operand, operand.value);
        union scalar actual = tensor_get(&out[0][row], i), slow = tensor_get(&out[1][row], i);
        union scalar evaluated = eval_op(op, typing->operand, typing->result, a, a, a);
        if (typing_error(op, typing, &operand, 1, actual) != 0)
            complain(op_rows[op].id, variants[0], x, i, typing->result, actual);
        if (!oracle_same(typing->result, actual, slow))
            complain(op_rows[op].id, variants[1], x, i, typing->result, slow);
        if (evaluated.bits != actual.bits && typing_error(op, typing, &operand, 1, evaluated) != 0)
            complain(op_rows[op].id, "a kernel", x, i, typing->result, evaluated);
    }
}

static void test_rows(void **state)
{
    (void)state;
    static struct suite suite;
    static struct tensor outs[VARIANTS][MAX_JOBS];
    wrong = 0;
    for (int h = 0; h < 2; h++) {
        struct tensor x = all_patterns(halves[h]);
        make_suite(&suite, halves[h]);
        for (int v = 0; v < VARIANTS; v++) {
            run_disable(variants[v]);
            run_suite(&suite, &x, outs[v]);
        }
        for (int row = 0; row < suite.count; row++)
            check_row(&suite, row, &x, (struct tensor *const[]){outs[0], outs[1]});
        for (int i = 0; i < VARIANTS * suite.count; i++)
            tensor_free(&outs[i / suite.count][i % suite.count]);
        tensor_free(&x);
    }
    assert_true(suite.count > 30);
    assert_int_equal(wrong, 0);
}

/* ---- casts ---- */

static void check_casts(const char *variant, const struct tensor *x, enum weft_dtype to)
{
    char text[64];
    snprintf(text, sizeof text, "%s(x)", weft_dtype_name(to));
    struct tensor out = run_text(text, x, to);
    for (int64_t i = 0; i < PATTERNS; i++) {
        union scalar expected = oracle_cast(x->dtype, to, tensor_get(x, i));
        union scalar evaluated = eval_convert(x->dtype, to, true, tensor_get(x, i));
        if (!oracle_same(to, expected, tensor_get(&out, i)) || !oracle_same(to, expected, evaluated))
            complain(text, variant, x, i, to, tensor_get(&out, i));
    }
    tensor_free(&out);
}

static void test_casts(void **state)
{
    (void)state;
    wrong = 0;
    for (int v = 0; v < VARIANTS; v++) {
        run_disable(variants[v]);
        for (int h = 0; h < 2; h++) {
            struct tensor x = all_patterns(halves[h]);
            for (int to = 0; to < WEFT_DTYPE_COUNT; to++)
                if (sample_chosen((v * 2 + h) * WEFT_DTYPE_COUNT + to))
                    check_casts(variants[v], &x, to);
            tensor_free(&x);
        }
    }
    assert_int_equal(wrong, 0);
}

/* ---- boundaries ---- */

/* The value of a pattern; that of infinity's as if the type went on. */
static double value_of(enum weft_dtype half, unsigned pattern)
{
    const int fraction = half == WEFT_FLOAT16 ? 10 : 7, bias = half == WEFT_FLOAT16 ? 15 : 127;
    const int exponent = (int)(pattern >> fraction), least = exponent ? exponent : 1;
    const double whole = pattern % (1u << fraction) + (exponent ? ldexp(1, fraction) : 0);
    return ldexp(whole, least - bias - fraction);
}

/* A value near the boundary m that `from` has: below it (-1), m itself (0) or above it (1). False: there is
 * none, or m itself is meant and not in the type. */
static bool beside(enum weft_dtype from, double m, int side, bool negative, union scalar *value)
{
    const double away = side < 0 ? 0 : INFINITY, sign = negative ? -1 : 1;
    *value = (union scalar){0};
    if (from == WEFT_FLOAT32)
        value->f32 = (float)sign * (side ? nextafterf((float)m, (float)away) : (float)m);
    else if (from == WEFT_FLOAT64)
        value->f64 = sign * (side ? nextafter(m, away) : m);
    if (dtype_is_float(from))
        return true;
    const bool is_signed = type_rows[from].class == CLASS_SIGNED;
    const double top = ldexp(1, type_rows[from].bits - is_signed);
    if (m != floor(m) || m < 2 || m + 1 >= top || (negative && !is_signed))
        return false;
    const uint64_t whole = (uint64_t)m + (uint64_t)side;
    value->u64 = negative ? 0 - whole : whole;
    value->u64 &= ~0ull >> (64 - 8 * type_rows[from].size);
    return true;
}

struct boundaries {
    struct tensor x;
    unsigned *expected;
    int64_t count;
};

static void add_boundary(struct boundaries *b, enum weft_dtype half, unsigned pattern, int side, bool negative)
{
    const double m = value_of(half, pattern) / 2 + value_of(half, pattern + 1) / 2;
    const unsigned even = pattern + pattern % 2;
    union scalar value;
    if (!beside(b->x.dtype, m, side, negative, &value))
        return;
    tensor_set(&b->x, b->count, value);
    b->expected[b->count++] = (side < 0 ? pattern : side > 0 ? pattern + 1 : even) | (negative ? 0x8000 : 0);
}

static struct boundaries all_boundaries(enum weft_dtype half, enum weft_dtype from)
{
    static unsigned expected[6 * 0x8000];
    const unsigned infinity = half == WEFT_FLOAT16 ? 0x7c00 : 0x7f80;
    struct boundaries b = {tensor_line(from, 6 * 0x8000), expected, 0};
    for (unsigned pattern = 0; pattern < infinity; pattern++)
        for (int side = -1; side <= 1; side++) {
            add_boundary(&b, half, pattern, side, false);
            add_boundary(&b, half, pattern, side, true);
        }
    b.x.shape[0] = b.count;
    return b;
}

/* Rounded to the type, and where it is brought back to float32 in place. */
static void check_boundaries(enum weft_dtype half, enum weft_dtype from, const char *variant)
{
    struct boundaries b = all_boundaries(half, from);
    char texts[2][64];
    snprintf(texts[0], sizeof texts[0], "%s(x)", weft_dtype_name(half));
    snprintf(texts[1], sizeof texts[1], "float32(%s(x))", weft_dtype_name(half));
    struct tensor out = run_text(texts[0], &b.x, half), back = run_text(texts[1], &b.x, WEFT_FLOAT32);
    for (int64_t i = 0; i < b.count; i++) {
        const union scalar expected = {.bits = b.expected[i]};
        union scalar wide = oracle_convert(half, WEFT_FLOAT32, expected);
        if (tensor_get(&out, i).bits != expected.bits)
            complain(texts[0], variant, &b.x, i, half, tensor_get(&out, i));
        if (tensor_get(&back, i).bits != wide.bits)
            complain(texts[1], variant, &b.x, i, WEFT_FLOAT32, tensor_get(&back, i));
        if (eval_convert(from, half, true, tensor_get(&b.x, i)).bits != expected.bits)
            complain(texts[0], "a kernel", &b.x, i, half, expected);
    }
    assert_true(b.count > 100); /* as many integers have a boundary beside them */
    tensor_free(&b.x);
    tensor_free(&out);
    tensor_free(&back);
}

static void test_boundaries(void **state)
{
    (void)state;
    static const enum weft_dtype sources[] = {WEFT_FLOAT32, WEFT_FLOAT64, WEFT_INT32, WEFT_UINT32, WEFT_INT64,
                                              WEFT_UINT64, WEFT_INT16};
    wrong = 0;
    for (int v = 0; v < VARIANTS; v++) {
        run_disable(variants[v]);
        for (size_t s = 0; s < sizeof sources / sizeof *sources; s++)
            for (int h = 0; h < 2; h++)
                if (sample_chosen((long)s + 2 * v + h))
                    check_boundaries(halves[h], sources[s], variants[v]);
    }
    assert_int_equal(wrong, 0);
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_casts),
                                       cmocka_unit_test(test_boundaries)};
    return cmocka_run_group_tests_name("half", tests, NULL, finish);
}
