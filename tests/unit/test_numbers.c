/* Views whose numbers are an input's elements: read when a run starts, of any integer type and strides, in
 * a batch one tensor per sample or one for all. And what weft_infer says of layouts. */
#include "include/weft/weft.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ELEMENTS = 24 };

static const DLDataType f32 = {kDLFloat, 32, 1}, i32 = {kDLInt, 32, 1}, i64 = {kDLInt, 64, 1};

static struct weft_context *context;
static int32_t source[ELEMENTS];

static DLTensor tensor(void *data, DLDataType dtype, int ndim, int64_t *shape, int64_t *strides)
{
    return (DLTensor){.data = data,
                      .device = {kDLCPU, 0},
                      .ndim = ndim,
                      .dtype = dtype,
                      .shape = shape,
                      .strides = strides};
}

static struct weft_program *compile(const char *text)
{
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    weft_compile(context, text, NULL, &program, &error);
    if (!program)
        fail_msg("%s: %s", text, error->message);
    return program;
}

static void assert_error(enum weft_status status, enum weft_status expected,
                         struct weft_error **place, const char *message)
{
    struct weft_error *error = *place;
    assert_int_equal(status, expected);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    weft_error_destroy(error);
    *place = NULL;
}

static int open_context(void **state)
{
    (void)state;
    const struct weft_context_params params = {.cache = "", .tier = WEFT_TIER_NONE};
    for (int i = 0; i < ELEMENTS; i++)
        source[i] = 3 * i + 1;
    return weft_context_create(&params, &context, NULL);
}

static int close_context(void **state)
{
    (void)state;
    weft_context_destroy(context);
    return 0;
}

/* ---- one tensor ---- */

/* Runs a program of x and s to one int32 result of shape `extents`. */
static enum weft_status run(struct weft_program *program, const DLTensor *x, const DLTensor *s,
                            int64_t *extents, int rank, int32_t *out, struct weft_error **error)
{
    struct weft_argument inputs[] = {{.name = "x", .tensors = x}, {.name = "s", .tensors = s}};
    DLTensor result = tensor(out, i32, rank, extents, NULL);
    struct weft_argument output = {.tensors = &result};
    return weft_run(program, &(struct weft_run_params){inputs, 2, &output, 1, NULL}, error);
}

/* The same buffers again and again, with other numbers in them: nothing is remembered of the last. */
static void values_are_read_anew(void **state)
{
    (void)state;
    struct weft_program *program = compile("reshape(x, s) + 1");
    int64_t shape[] = {4, 6}, two = 2, numbers[2], strides[] = {1, 4}, extents[2];
    int32_t out[ELEMENTS];
    DLTensor x = tensor(source, i32, 2, shape, strides), s = tensor(numbers, i64, 1, &two, NULL);
    for (int round = 0; round < 60; round++) {
        static const int64_t divisors[] = {1, 2, 3, 4, 6, 8, 12, 24};
        extents[0] = divisors[round * 5 % 8];
        extents[1] = ELEMENTS / extents[0];
        numbers[0] = round % 3 == 1 ? -1 : extents[0];
        numbers[1] = round % 3 == 2 ? -7 : extents[1];
        memset(out, 0, sizeof out);
        for (int again = 0; again <= round % 2; again++)
            assert_int_equal(run(program, &x, &s, extents, 2, out, NULL), WEFT_OK);
        for (int i = 0; i < ELEMENTS; i++)
            assert_int_equal(out[i], source[i / 6 + i % 6 * 4] + 1);
    }
    struct weft_error *error = NULL;
    numbers[0] = 5, numbers[1] = 24;
    assert_error(
        run(program, &x, &s, extents, 2, out, &error), WEFT_SHAPE_ERROR, &error,
        "cannot reshape x [4, 6] to [5, 24]: 24 elements against 120 elements; one negative number "
        "takes what is left");
    numbers[0] = 2, numbers[1] = 12, extents[0] = 12, extents[1] = 2;
    assert_error(run(program, &x, &s, extents, 2, out, &error), WEFT_SHAPE_ERROR, &error,
                 "output 'out' has shape [12, 2], expected [2, 12]");
    weft_program_destroy(program);
}

static void store(void *at, enum weft_dtype dtype, int value)
{
    switch (dtype) {
    case WEFT_INT8:
    case WEFT_UINT8:
        *(int8_t *)at = (int8_t)value;
        break;
    case WEFT_INT16:
    case WEFT_UINT16:
        *(int16_t *)at = (int16_t)value;
        break;
    case WEFT_INT32:
    case WEFT_UINT32:
        *(int32_t *)at = value;
        break;
    case WEFT_INT64:
    case WEFT_UINT64:
        *(int64_t *)at = value;
        break;
    case WEFT_FLOAT32:
        *(float *)at = (float)value;
        break;
    case WEFT_FLOAT64:
        *(double *)at = value;
        break;
    default:
        *(char *)at = (char)value;
        break;
    }
}

/* Every type of numbers, forwards, backwards and with gaps. */
static void any_integer_and_strides(void **state)
{
    (void)state;
    int64_t shape[] = {4, 6}, three = 3, extents[] = {2, 3, 4};
    int32_t out[ELEMENTS];
    DLTensor x = tensor(source, i32, 2, shape, NULL);
    for (int dtype = 0; dtype < WEFT_DTYPE_COUNT; dtype++) {
        _Alignas(8) char data[64];
        struct weft_program *program = compile("reshape(x, shape=s)");
        size_t size = weft_dtype_size((enum weft_dtype)dtype);
        bool integer = dtype >= WEFT_INT8 && dtype <= WEFT_UINT64;
        for (int64_t stride = -2; stride <= 2; stride++) {
            if (stride == 0)
                continue;
            int first = stride < 0 ? 4 : 0;
            for (int i = 0; i < 3; i++)
                store(data + (first + i * stride) * (int64_t)size, (enum weft_dtype)dtype, 2 + i);
            DLTensor s =
                tensor(data, weft_dtype_to_dlpack((enum weft_dtype)dtype), 1, &three, &stride);
            s.byte_offset = (uint64_t)first * size;
            memset(out, 0, sizeof out);
            assert_int_equal(run(program, &x, &s, extents, 3, out, NULL),
                             integer ? WEFT_OK : WEFT_TYPE_ERROR);
            assert_int_equal(memcmp(out, source, sizeof out) == 0, integer);
        }
        weft_program_destroy(program);
    }
}

static void infer_and_prepare_need_them(void **state)
{
    (void)state;
    struct weft_program *program = compile("input x: int32@HW; reshape(x, s)");
    int64_t shape[] = {4, 6}, two = 2, numbers[] = {3, 8};
    DLTensor x = tensor(NULL, i32, 2, shape, NULL), s = tensor(numbers, i64, 1, &two, NULL);
    struct weft_argument inputs[] = {{.name = "x", .tensors = &x}, {.name = "s", .tensors = &s}};
    struct weft_run_params params = {.inputs = inputs, .input_count = 2};
    struct weft_tensor_info info;
    struct weft_error *error = NULL;
    assert_int_equal(weft_infer(program, inputs, 2, &info, NULL), WEFT_OK);
    assert_int_equal(info.rank, 2);
    assert_int_equal(info.shape[0], 3);
    assert_int_equal(info.shape[1], 8);
    assert_string_equal(info.layout, "HW");
    assert_int_equal(weft_prepare(program, &params, NULL, NULL, NULL), WEFT_OK);
    s.data = NULL;
    const char *message =
        "input 's': its data pointer is NULL, and a view takes its elements as numbers";
    assert_error(weft_infer(program, inputs, 2, &info, &error), WEFT_INPUT_ERROR, &error, message);
    assert_error(weft_prepare(program, &params, NULL, NULL, &error), WEFT_INPUT_ERROR, &error,
                 message);
    s.data = numbers;
    s.device.device_type = kDLOpenCL;
    assert_error(weft_infer(program, inputs, 2, &info, &error), WEFT_INPUT_ERROR, &error,
                 "input 's': it is neither in host memory nor in that of a CUDA device");
    s.device.device_type = kDLCPU;
    numbers[1] = 7;
    assert_error(
        weft_infer(program, inputs, 2, &info, &error), WEFT_SHAPE_ERROR, &error,
        "cannot reshape x [4, 6] to [3, 7]: 24 elements against 21 elements; one negative number "
        "takes what is left");
    weft_program_destroy(program);
}

static void factors(void **state)
{
    (void)state;
    struct weft_program *program = compile("reshape(x, rel_shape=s)");
    int64_t shape[] = {4, 6}, two = 2;
    float numbers[] = {0.5f, -1};
    DLTensor x = tensor(NULL, i32, 2, shape, NULL), s = tensor(numbers, f32, 1, &two, NULL);
    struct weft_argument inputs[] = {{.name = "x", .tensors = &x}, {.name = "s", .tensors = &s}};
    struct weft_tensor_info info;
    struct weft_error *error = NULL;
    assert_int_equal(weft_infer(program, inputs, 2, &info, NULL), WEFT_OK);
    assert_int_equal(info.shape[0], 2);
    assert_int_equal(info.shape[1], 12);
    numbers[0] = 0x1p100f;
    assert_error(weft_infer(program, inputs, 2, &info, &error), WEFT_SHAPE_ERROR, &error,
                 "s[0] makes an extent of 5.070602400912918e+30, which does not fit int64");
    numbers[0] = 0.0f / 0.0f;
    weft_infer(program, inputs, 2, &info, &error);
    assert_non_null(strstr(error->message, "s[0] is nan"));
    weft_error_destroy(error);
    weft_program_destroy(program);
}

/* ---- batches ---- */

/* Three samples of 24 elements. */
static int64_t sample_shapes[3][2] = {{4, 6}, {2, 12}, {24, 1}};
static int64_t wanted[3][2] = {{3, 8}, {3, 8}, {6, 4}};

static void run_batch(const char *text, bool many_x, bool many_s)
{
    struct weft_program *program = compile(text);
    DLTensor x[3], s[3], out[3];
    int32_t results[3][ELEMENTS];
    int64_t two = 2, extents[3][2];
    for (int i = 0; i < 3; i++) {
        x[i] = tensor(source, i32, 2, sample_shapes[i], NULL);
        s[i] = tensor(wanted[i], i64, 1, &two, NULL);
        out[i] = tensor(results[i], i32, 2, wanted[many_s ? i : 0], NULL);
    }
    struct weft_argument inputs[] = {{"x", x, many_x ? 3 : 1, many_x},
                                     {"s", s, many_s ? 3 : 1, many_s}};
    struct weft_argument output = {.tensors = out, .count = 3, .batch = true};
    struct weft_tensor_info info;
    assert_int_equal(weft_infer(program, inputs, 2, &info, NULL), WEFT_OK);
    assert_true(info.batch);
    assert_int_equal(info.count, 3);
    assert_int_equal(weft_infer_samples(program, inputs, 2, 0, &extents[0][0], NULL), WEFT_OK);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(extents[i], wanted[many_s ? i : 0], sizeof extents[i]);
    for (int again = 0; again < 2; again++) {
        memset(results, 0, sizeof results);
        const struct weft_run_params params = {inputs, 2, &output, 1, NULL};
        assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
        for (int i = 0; i < 3 * ELEMENTS; i++)
            assert_int_equal(results[i / ELEMENTS][i % ELEMENTS], source[i % ELEMENTS] * 2);
    }
    weft_program_destroy(program);
}

static void one_per_sample_or_one_for_all(void **state)
{
    (void)state;
    run_batch("reshape(x, s) * 2", true, true);
    run_batch("reshape(x, s) * 2", true, false);
    run_batch("reshape(x, s) * 2", false, true);
    run_batch("reshape(x + x, s)", true, true);
}

static void samples_have_as_many_numbers(void **state)
{
    (void)state;
    struct weft_program *program = compile("reshape(x, s)");
    int64_t two = 2, three = 3, numbers[] = {2, 3, 4}, bad[] = {5, 5};
    DLTensor x[2], s[2];
    for (int i = 0; i < 2; i++) {
        x[i] = tensor(NULL, i32, 2, sample_shapes[i], NULL);
        s[i] = tensor(numbers, i64, 1, i ? &two : &three, NULL);
    }
    struct weft_argument inputs[] = {{"x", x, 2, true}, {"s", s, 2, true}};
    struct weft_tensor_info info;
    struct weft_error *error = NULL;
    assert_error(
        weft_infer(program, inputs, 2, &info, &error), WEFT_INPUT_ERROR, &error,
        "sample 1: input 's': it holds 2 numbers for a view, the sample before 3; the samples of a "
        "batch have one rank");
    s[0] = tensor(wanted[0], i64, 1, &two, NULL);
    s[1] = tensor(bad, i64, 1, &two, NULL);
    assert_error(
        weft_infer(program, inputs, 2, &info, &error), WEFT_SHAPE_ERROR, &error,
        "sample 1: cannot reshape x [2, 12] to [5, 5]: 24 elements against 25 elements; one "
        "negative number takes what is left");
    s[1].data = NULL;
    assert_error(
        weft_infer(program, inputs, 2, &info, &error), WEFT_INPUT_ERROR, &error,
        "sample 1: input 's': its data pointer is NULL, and a view takes its elements as numbers");
    inputs[0].count = inputs[1].count = 0;
    weft_program_destroy(program);
    program = compile("input x: int32[?, ?]; input s: int64[3]; reshape(x, s)");
    assert_int_equal(weft_infer(program, inputs, 2, &info, NULL), WEFT_OK);
    assert_int_equal(info.count, 0);
    assert_int_equal(info.rank, 3);
    weft_program_destroy(program);
}

/* ---- layouts ---- */

static void infer_tells_layouts(void **state)
{
    (void)state;
    int64_t shape[] = {4, 6, 1};
    DLTensor x = tensor(NULL, i32, 3, shape, NULL);
    struct weft_argument input = {.name = "x", .tensors = &x};
    struct weft_tensor_info infos[4];
    const struct weft_input_type type = {"x", "int32@HWC"};
    const struct weft_compile_params params = {.inputs = &type, .input_count = 1};
    struct weft_program *program = NULL;
    assert_int_equal(weft_compile(context,
                                  "return x + 1, squeeze(x, axes=[-1]), expand_dims(x, axes=[0]), "
                                  "reshape(x, -1, layout=\"A\")",
                                  &params, &program, NULL),
                     WEFT_OK);
    assert_int_equal(weft_infer(program, &input, 1, infos, NULL), WEFT_OK);
    assert_string_equal(infos[0].layout, "HWC");
    assert_string_equal(infos[1].layout, "HW");
    assert_string_equal(infos[2].layout, "");
    assert_string_equal(infos[3].layout, "A");
    weft_program_destroy(program);
    struct weft_error *error = NULL;
    assert_error(
        weft_compile(context, "input x: int32[?, ?, ?]@CHW; x + 1", &params, &program, &error),
        WEFT_SHAPE_ERROR, &error, "input 'x' has layout HWC, expected CHW");
}

/* Whether layouts go together may depend on ranks that only the call tells. */
static void layouts_that_clash_at_the_call(void **state)
{
    (void)state;
    struct weft_program *program = compile("input x: int32@HWC; input y: int32@AB; x * z + y");
    int64_t ones[] = {1, 1, 1, 1};
    int32_t out = 0, one = 1;
    DLTensor x = tensor(&one, i32, 3, ones, NULL), y = tensor(&one, i32, 2, ones, NULL);
    DLTensor z = tensor(&one, i32, 4, ones, NULL), result = tensor(&out, i32, 4, ones, NULL);
    struct weft_argument inputs[] = {{.tensors = &x}, {.tensors = &y}, {.tensors = &z}};
    struct weft_argument output = {.tensors = &result};
    const struct weft_run_params params = {inputs, 3, &output, 1, NULL};
    struct weft_error *error = NULL;
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    assert_int_equal(out, 2);
    z.ndim = result.ndim = 3;
    assert_error(
        weft_run(program, &params, &error), WEFT_SHAPE_ERROR, &error,
        "the layouts of x * z, HWC, and y, AB, do not go together: one has to be the end of the "
        "other; to drop one write reshape(y, layout=\"\")");
    weft_program_destroy(program);
}

/* ---- inputs of type number ---- */

/* A value that its place does not take is told at the run, also to a host that inferred and prepared nothing. */
static void a_number_that_does_not_go(void **state)
{
    (void)state;
    struct weft_program *program = compile("input k: number\nx // k");
    int64_t k = 0, two = 2;
    int32_t out[2] = {7, 7};
    DLTensor x = tensor(source, i32, 1, &two, NULL), number = tensor(&k, i64, 0, NULL, NULL);
    DLTensor result = tensor(out, i32, 1, &two, NULL);
    const struct weft_argument inputs[] = {{.name = "x", .tensors = &x}, {.name = "k", .tensors = &number}};
    const struct weft_argument output = {.tensors = &result};
    const struct weft_run_params params = {inputs, 2, &output, 1, NULL};
    struct weft_error *error = NULL;
    assert_error(weft_run(program, &params, &error), WEFT_TYPE_ERROR, &error,
                 "'//' of integers by a literal 0; divide by 0.0 if infinities are meant");
    assert_int_equal(out[0], 7);
    k = 2;
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    assert_int_equal(out[1], source[1] / 2);
    weft_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_anew),
        cmocka_unit_test(any_integer_and_strides),
        cmocka_unit_test(infer_and_prepare_need_them),
        cmocka_unit_test(factors),
        cmocka_unit_test(one_per_sample_or_one_for_all),
        cmocka_unit_test(samples_have_as_many_numbers),
        cmocka_unit_test(infer_tells_layouts),
        cmocka_unit_test(layouts_that_clash_at_the_call),
        cmocka_unit_test(a_number_that_does_not_go),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
