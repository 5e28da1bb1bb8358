/* Rows whose kernels have a loop for blocks of ordinary operands alone, or functions of their own: operands give the
 * same bits in a block by themselves and beside one that is not ordinary, and stay within the row's bound, as do others
 * of all sizes and outside the function's domain. */
#include "tests/diff/oracle.h"
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

enum { LENGTH = 4096, BLOCK = 64, ODD_ONE = 7 };

static const char *const names[] = {"x", "y"};

struct row {
    enum op op;
    const char *text;
    double low[2], high[2];        /* what is ordinary */
};

static const struct row rows[] = {
    {OP_EXP, "exp(x)", {-87, 0}, {87, 0}},
    {OP_POW, "x ** y", {1e-3, -12}, {1e3, 12}},
    {OP_FPOW, "fpow(x, y)", {0.5, -120}, {2, 120}},
    {OP_EXP2, "exp2(x)", {-120}, {120}},
    {OP_EXPM1, "expm1(x)", {-2}, {80}},
    {OP_LOG, "log(x)", {1e-3}, {4}},
    {OP_LOG2, "log2(x)", {1e-3}, {4}},
    {OP_LOG10, "log10(x)", {1e-3}, {4}},
    {OP_LOG1P, "log1p(x)", {-0.999}, {3}},
    {OP_SINH, "sinh(x)", {-20}, {20}},
    {OP_COSH, "cosh(x)", {-20}, {20}},
    {OP_TANH, "tanh(x)", {-10}, {10}},
    {OP_ASINH, "asinh(x)", {-10}, {10}},
    {OP_ACOSH, "acosh(x)", {1}, {10}},
    {OP_ATANH, "atanh(x)", {-1}, {1}},
    {OP_ASIN, "asin(x)", {-1}, {1}},
    {OP_ACOS, "acos(x)", {-1}, {1}},
    {OP_ATAN, "atan(x)", {-3}, {3}},
    {OP_SIN, "sin(x)", {-100}, {100}},
    {OP_COS, "cos(x)", {-100}, {100}},
    {OP_TAN, "tan(x)", {-100}, {100}},
    {OP_SQRT, "sqrt(x)", {1e-6}, {100}},
    {OP_ERF, "erf(x)", {-4}, {4}},
    {OP_ERFC, "erfc(x)", {-4}, {10}},
    {OP_ATAN2, "atan2(x, y)", {-3, -3}, {3, 3}},
    {OP_HYPOT, "hypot(x, y)", {-3, -3}, {3, 3}},
};
static const double odd_ones[] = {INFINITY, -INFINITY, NAN, 0.0, -1e30, -0.5, 1e-40, -0.0, 1e-310, 1e300, -1.5, 1, -1,
                                  95, -800, 27.2, 1e5, 1e12};

static union scalar scalar_of(enum weft_dtype dtype, double value)
{
    return dtype == WEFT_FLOAT32 ? (union scalar){.f32 = (float)value} : (union scalar){.f64 = value};
}

static union scalar between(struct stream *stream, enum weft_dtype dtype, double low, double high)
{
    const double share = (double)(stream_bits(stream) >> 11) * 0x1p-53;
    return scalar_of(dtype, low + (high - low) * share);
}

static struct tensor compute(const struct row *row, const struct tensor inputs[2])
{
    struct tensor out = tensor_line(inputs->dtype, LENGTH);
    struct weft_program *program = run_compile(row->text);
    run_program(program, inputs, names, op_arity(row->op), &out, 1, NULL);
    weft_program_destroy(program);
    return out;
}

static void check_bound(const struct row *row, const struct tensor inputs[2], const struct tensor *out)
{
    const double bound = inputs->dtype == WEFT_FLOAT32 ? op_rows[row->op].ulp32 : op_rows[row->op].ulp64;
    for (int i = 0; i < LENGTH; i++) {
        const union scalar operands[3] = {tensor_get(&inputs[0], i), tensor_get(&inputs[1], i)};
        const double error = oracle_error(row->op, inputs->dtype, inputs->dtype, operands, tensor_get(out, i));
        const bool single = inputs->dtype == WEFT_FLOAT32;
        if (error > bound)
            fail_msg("%s of %s: %.2f ulp at element %d, %a, %a", row->text, weft_dtype_name(inputs->dtype), error, i,
                     single ? (double)operands[0].f32 : operands[0].f64,
                     single ? (double)operands[1].f32 : operands[1].f64);
    }
}

/* Any bits, and sizes from 2^-40 to 2^12 of both signs. */
static void check_all(const struct row *row, enum weft_dtype dtype)
{
    struct stream stream = stream_init(row->op + OP_COUNT);
    struct tensor inputs[2] = {tensor_line(dtype, LENGTH), tensor_line(dtype, LENGTH)};
    for (int i = 0; i < LENGTH; i++)
        for (int k = 0; k < 2; k++) {
            const union scalar size = between(&stream, WEFT_FLOAT64, -40, 12);
            const double sign = stream_bits(&stream) & 1 ? -1 : 1;
            tensor_set(&inputs[k], i, i % 2 ? scalar_of(dtype, sign * exp2(size.f64))
                                            : (union scalar){.bits = stream_bits(&stream)});
        }
    struct tensor out = compute(row, inputs);
    check_bound(row, inputs, &out);
    tensor_free(&inputs[0]);
    tensor_free(&inputs[1]);
    tensor_free(&out);
}

static void check_row(const struct row *row, enum weft_dtype dtype)
{
    struct stream stream = stream_init(row->op);
    struct tensor inputs[2] = {tensor_line(dtype, LENGTH), tensor_line(dtype, LENGTH)};
    for (int i = 0; i < LENGTH; i++)
        for (int k = 0; k < 2; k++)
            tensor_set(&inputs[k], i, between(&stream, dtype, row->low[k], row->high[k]));
    struct tensor alone = compute(row, inputs);
    check_bound(row, inputs, &alone);
    for (int i = ODD_ONE, n = 0; i < LENGTH; i += BLOCK, n++) {
        const double odd = odd_ones[n % (int)(sizeof odd_ones / sizeof *odd_ones)];
        tensor_set(&inputs[0], i, scalar_of(dtype, odd));
    }
    struct tensor beside = compute(row, inputs);
    check_bound(row, inputs, &beside);
    for (int i = 0; i < LENGTH; i++)
        if (i % BLOCK != ODD_ONE && tensor_get(&alone, i).bits != tensor_get(&beside, i).bits)
            fail_msg("%s of %s: element %d depends on element %d", row->text, weft_dtype_name(dtype), i,
                     i / BLOCK * BLOCK + ODD_ONE);
    tensor_free(&inputs[0]);
    tensor_free(&inputs[1]);
    tensor_free(&alone);
    tensor_free(&beside);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        check_row(&rows[i], WEFT_FLOAT32);
        check_row(&rows[i], WEFT_FLOAT64);
        check_all(&rows[i], WEFT_FLOAT32);
        check_all(&rows[i], WEFT_FLOAT64);
    }
}

static int finish(void **state)
{
    (void)state;
    run_finish();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests_name("ordinary", tests, NULL, finish);
}
