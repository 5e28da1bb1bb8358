/* Integer arithmetic in 16 bits against the same kernels without it, on every pair of values of 8 bits and
 * on pairs at the edges of 16. */
#include "tests/diff/run.h"
#include "tests/diff/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

static const struct {
    const char *text;
    enum weft_dtype result;
} formulas[] = {
    {"uint8(clamp(int32(x) + 10, 0, 255))", WEFT_UINT8},
    {"uint8(abs(int32(x) - int32(y)))", WEFT_UINT8},
    {"uint8((int32(x) + int32(y) + 1) // 2)", WEFT_UINT8},
    {"uint8((int32(x) * 77 + int32(y) * 150) >> 8)", WEFT_UINT8},
    {"int8(int32(x) - int32(y))", WEFT_INT8},
    {"int32(x) * int32(y)", WEFT_INT32},
    {"int32(x) * 128 - 1", WEFT_INT32},
    {"int32(x) * -128", WEFT_INT32},
    {"int64(x) * 3 + int64(y)", WEFT_INT64},
    {"(int32(x) + 1) % 7", WEFT_INT32},
    {"(int32(x) - 300) % 7", WEFT_INT32},
    {"(int32(x) - 300) // 7", WEFT_INT32},
    {"truncdiv(int32(x) - 300, 7)", WEFT_INT32},
    {"fmod(int32(x) - 300, 7)", WEFT_INT32},
    {"int32(x) // -3", WEFT_INT32},
    {"int32(x) // (int32(y) % 3)", WEFT_INT32},
    {"where(int32(x) > int32(y), int32(x), -int32(y))", WEFT_INT32},
    {"min(int32(x), int32(y) - 5, 99)", WEFT_INT32},
    {"max(int32(x), -7) ^ int32(y)", WEFT_INT32},
    {"(int32(x) & 15) | (int32(y) & 240)", WEFT_INT32},
    {"sign(int32(x) - int32(y))", WEFT_INT32},
    {"float32(int32(x) + int32(y)) * 0.5", WEFT_FLOAT32},
    {"(int32(x) - int32(y)) >> 3", WEFT_INT32},
    {"int32(x) >> int32(y) % 16", WEFT_INT32},
    {"uint32(x) * uint32(y) + 1", WEFT_INT64},
    {"uint16(int32(x) * 257)", WEFT_UINT16},
    {"int16(int32(x) * 300)", WEFT_INT16},
    {"~int32(x)", WEFT_INT32},
    {"wrap(int32(x) * 200 - int32(y), int8)", WEFT_INT8},
    {"(int32(x) + 200) == (int32(y) + 200)", WEFT_BOOL},
    {"bool(int32(x) - int32(y))", WEFT_BOOL},
    {"int32(x) + int64(y) * 2", WEFT_INT64},
    {"clamp(int32(x), int32(y), 200) - 100", WEFT_INT32},
    {"float32(uint32(uint8(x)) - uint32(uint8(y)))", WEFT_FLOAT32},
    {"int64(-uint32(uint8(x)))", WEFT_INT64},
    {"uint64(uint8(x)) * uint64(3) + uint64(uint8(y))", WEFT_UINT64},
    {"uint64(uint8(x)) - uint64(uint8(y))", WEFT_UINT64},
    {"float32(float64(int32(x) * int32(y)) / 7)", WEFT_FLOAT32},
    {"float32(float64(int32(x) * int32(y)) / 16777213)", WEFT_FLOAT32},
    {"float32(float64(int64(x) * 65536 + int64(y)) / 3)", WEFT_FLOAT32},
    {"float32(float64(int32(x) + int32(y)) / 0.3)", WEFT_FLOAT32},
};
enum { FORMULAS = sizeof formulas / sizeof *formulas };

/* All pairs of `values`, as two tensors. */
static void all_pairs(const int64_t *values, int count, enum weft_dtype dtype, struct tensor in[2])
{
    const int64_t volume = (int64_t)count * count;
    for (int k = 0; k < 2; k++) {
        in[k] = tensor_new(dtype, 1, &volume);
        for (int64_t i = 0; i < volume; i++) {
            union scalar value = {.i64 = values[k ? i % count : i / count]};
            tensor_set(&in[k], i, eval_op(OP_CONVERT, WEFT_INT64, dtype, value, value, value));
        }
    }
}

static bool run_formula(int f, const char *disable, const struct tensor in[2], const struct tensor *out)
{
    run_disable(disable);
    struct weft_program *program = run_compile(formulas[f].text);
    size_t count = weft_program_input_count(program);
    const char *names[2] = {weft_program_input_name(program, 0), weft_program_input_name(program, 1)};
    enum weft_status status = run_try(program, in, names, (int)count, out, 1);
    assert_true(status >= 0);
    weft_program_destroy(program);
    return status == WEFT_DIVIDE_BY_ZERO;
}

enum { DTYPES = 3 };

/* Dtype number n of those here. */
static void check_formulas(const int64_t *values, int count, enum weft_dtype dtype, int n)
{
    struct tensor in[2];
    all_pairs(values, count, dtype, in);
    for (int f = 0; f < FORMULAS; f++) {
        if (!sample_chosen(sample_pair(f, n, DTYPES)))
            continue;
        struct tensor fast = tensor_new(formulas[f].result, 1, in[0].shape);
        struct tensor slow = tensor_new(formulas[f].result, 1, in[0].shape);
        bool remark = run_formula(f, "table", in, &fast);
        assert_int_equal(remark, run_formula(f, "table, narrow, divisor", in, &slow));
        for (int64_t i = 0; i < in[0].shape[0]; i++)
            if (tensor_get(&fast, i).bits != tensor_get(&slow, i).bits)
                fail_msg("%s on %s: element %d differs", formulas[f].text, weft_dtype_name(dtype), (int)i);
        tensor_free(&fast);
        tensor_free(&slow);
    }
    tensor_free(&in[0]);
    tensor_free(&in[1]);
}

static void test_eight_bits(void **state)
{
    (void)state;
    int64_t values[256];
    for (int i = 0; i < 256; i++)
        values[i] = i;
    check_formulas(values, 256, WEFT_UINT8, 0);
}

static void test_edges_of_sixteen_bits(void **state)
{
    (void)state;
    static const int64_t values[] = {-32768, -32767, -16384, -256, -255, -128, -10, -7, -3, -2, -1, 0, 1, 2, 3, 7,
                                     10, 100, 127, 128, 255, 256, 257, 16383, 16384, 32757, 32766, 32767};
    check_formulas(values, sizeof values / sizeof *values, WEFT_INT16, 1);
    check_formulas(values, sizeof values / sizeof *values, WEFT_INT32, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eight_bits),
        cmocka_unit_test(test_edges_of_sixteen_bits),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    run_finish();
    return failed;
}
