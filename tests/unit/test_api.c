/* The library as a program uses it: every call of weft.h, right and wrong. */
#include "include/weft/weft.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LENGTH = 100 };

static DLTensor tensor(void *data, DLDataType dtype, int ndim, int64_t *shape, int64_t *strides)
{
    return (DLTensor){.data = data, .device = {kDLCPU, 0}, .ndim = ndim, .dtype = dtype,
                      .shape = shape, .strides = strides};
}

static const DLDataType f32 = {kDLFloat, 32, 1}, i32 = {kDLInt, 32, 1}, u8 = {kDLUInt, 8, 1};

/* No disk cache and no first kernels: what a test finds does not depend on what ran before. */
static struct weft_context *context_with(const char *cc)
{
    struct weft_context *context = NULL;
    const struct weft_context_params params = {.cc = cc, .cache = "", .tier = WEFT_TIER_NONE};
    assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_OK);
    return context;
}

static struct weft_program *compile(struct weft_context *context, const char *text)
{
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    assert_int_equal(weft_compile(context, text, NULL, &program, &error), WEFT_OK);
    assert_null(error);
    return program;
}

/* Runs a program of inputs x (and y) to one output; returns the status, the first code in *code. */
static enum weft_status run(struct weft_program *program, const DLTensor *x, const DLTensor *y,
                            const DLTensor *out, int *code, size_t *column)
{
    struct weft_argument inputs[2] = {{.name = "x", .tensors = x}, {.name = "y", .tensors = y}};
    struct weft_argument output = {.tensors = out};
    struct weft_error *error = NULL;
    const struct weft_run_params params = {.inputs = inputs, .input_count = y ? 2 : 1,
                                           .outputs = &output, .output_count = 1};
    errno = 77;
    enum weft_status status = weft_run(program, &params, &error);
    assert_int_equal(errno, 77);
    assert_true((status == WEFT_OK) == (error == NULL));
    if (error) {
        assert_int_equal(error->status, status);
        *code = error->code;
        if (column)
            *column = error->column;
    }
    weft_error_destroy(error);
    return status;
}

static void test_run(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "x * 2 + y");
    float a[LENGTH], b[1] = {0.5f}, out[LENGTH];
    int64_t n[] = {LENGTH}, one[] = {1};
    int code = 0;
    for (int i = 0; i < LENGTH; i++)
        a[i] = (float)i;
    DLTensor x = tensor(a, f32, 1, n, NULL), y = tensor(b, f32, 1, one, NULL);
    DLTensor r = tensor(out, f32, 1, n, NULL);
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_OK);
    for (int i = 0; i < LENGTH; i++)
        assert_true(out[i] == 2 * (float)i + 0.5f);
    struct weft_tensor_info info;
    struct weft_argument inputs[2] = {{.tensors = &x}, {.tensors = &y}};
    assert_int_equal(weft_infer(program, inputs, 2, &info, NULL), WEFT_OK);
    assert_string_equal(info.name, "out");
    assert_int_equal(info.dtype, WEFT_FLOAT32);
    assert_int_equal(info.rank, 1);
    assert_int_equal(info.shape[0], LENGTH);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_strided_and_in_place(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "x - x % 7");
    int data[2 * LENGTH], code = 0;
    int64_t n[] = {LENGTH}, two[] = {2}, back[] = {-2};
    for (int i = 0; i < 2 * LENGTH; i++)
        data[i] = i;
    /* Every other element, in place; the elements between stay. */
    DLTensor x = tensor(data, i32, 1, n, two);
    assert_int_equal(run(program, &x, NULL, &x, &code, NULL), WEFT_OK);
    for (int i = 0; i < 2 * LENGTH; i++)
        assert_int_equal(data[i], i % 2 ? i : i - i % 7);
    /* Backwards is another order of the same bytes. */
    DLTensor reversed = tensor(data + 2 * LENGTH - 2, i32, 1, n, back);
    assert_int_equal(run(program, &x, NULL, &reversed, &code, NULL), WEFT_OVERLAP_ERROR);
    /* The odd elements do not overlap the even ones. */
    DLTensor odd = tensor(data + 1, i32, 1, n, two);
    assert_int_equal(run(program, &x, NULL, &odd, &code, NULL), WEFT_OK);
    /* Shifted by one element they do. */
    int64_t half[] = {LENGTH / 2};
    DLTensor low = tensor(data, i32, 1, half, NULL), high = tensor(data + 1, i32, 1, half, NULL);
    int before[2 * LENGTH];
    memcpy(before, data, sizeof data);
    assert_int_equal(run(program, &low, NULL, &high, &code, NULL), WEFT_OVERLAP_ERROR);
    assert_memory_equal(before, data, sizeof data);
    /* An output that overlaps itself. */
    int64_t zero[] = {0};
    int sink = 0;
    DLTensor self = tensor(&sink, i32, 1, n, zero);
    assert_int_equal(run(program, &odd, NULL, &self, &code, NULL), WEFT_OVERLAP_ERROR);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* Runs it in place on LENGTH float32 and returns the message of the error. */
static struct weft_error *run_in_place(struct weft_context *context, const char *text, float *data)
{
    struct weft_program *program = compile(context, text);
    int64_t n[] = {LENGTH};
    const DLTensor x = tensor(data, f32, 1, n, NULL);
    const struct weft_argument argument = {.tensors = &x};
    const struct weft_run_params params = {&argument, 1, &argument, 1, NULL};
    struct weft_error *error = NULL;
    weft_run(program, &params, &error);
    weft_program_destroy(program);
    return error;
}

/* Rule 5.4: bits of the same size stay in their places; of any other view the message tells. */
static void test_in_place_under_views(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"x + sum(x)", "'sum(x)' reads other elements"},
                                           {"t = x * 2; return out = t[::-1]", "'t[::-1]' reads other elements"}};
    struct weft_context *context = context_with(NULL);
    float data[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        data[i] = (float)(i % 2 ? i : -i);
    assert_null(run_in_place(context, "reinterpret(reinterpret(x, int32) & 0x7fffffff, float32) + x", data));
    for (int i = 0; i < LENGTH; i++)
        assert_true(data[i] == (float)(i % 2 ? 2 * i : 0));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct weft_error *error = run_in_place(context, texts[i][0], data);
        assert_non_null(error);
        assert_int_equal(error->status, WEFT_OVERLAP_ERROR);
        assert_non_null(strstr(error->message, texts[i][1]));
        assert_int_equal(error->span_count, 1);
        weft_error_destroy(error);
    }
    weft_context_destroy(context);
}

/* Addresses that no memory has: beyond its end, or before its beginning, also where the tensors looked well before. */
static void test_the_end_of_memory(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "x + 1");
    float data[LENGTH] = {0}, out[LENGTH];
    int64_t n[] = {LENGTH}, back[] = {-1};
    int code = 0;
    const DLTensor x = tensor(data, f32, 1, n, NULL), r = tensor(out, f32, 1, n, NULL);
    const DLTensor wrong[] = {tensor((void *)(UINTPTR_MAX - 4 * LENGTH + 5), f32, 1, n, NULL),
                              tensor((void *)(uintptr_t)64, f32, 1, n, back),
                              {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = f32, .shape = n,
                               .byte_offset = UINT64_MAX - 3},
                              {.data = data, .device = {kDLCPU, 0}, .ndim = 1, .dtype = f32, .shape = n,
                               .byte_offset = (uint64_t)UINTPTR_MAX - (uintptr_t)data - 3}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(run(program, &wrong[i], NULL, &r, &code, NULL), WEFT_INPUT_ERROR);
        assert_int_equal(run(program, &x, NULL, &r, &code, NULL), WEFT_OK);
        assert_int_equal(run(program, &x, NULL, &r, &code, NULL), WEFT_OK);
        assert_int_equal(run(program, &wrong[i], NULL, &r, &code, NULL), WEFT_INPUT_ERROR);
        assert_int_equal(run(program, &x, NULL, &wrong[i], &code, NULL), WEFT_INPUT_ERROR);
    }
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* Results of one kernel, one of them over an input that the others read as well. */
static void test_several_results_in_place(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "return p = x + 1, q = exp(x) * 0 + x, r = x * x");
    float data[LENGTH], q[LENGTH], r[LENGTH];
    int64_t n[] = {LENGTH};
    for (int i = 0; i < LENGTH; i++)
        data[i] = (float)i / 8;
    DLTensor x = tensor(data, f32, 1, n, NULL), tq = tensor(q, f32, 1, n, NULL);
    DLTensor tr = tensor(r, f32, 1, n, NULL);
    struct weft_argument input = {.tensors = &x};
    struct weft_argument outputs[] = {{.tensors = &x}, {.tensors = &tq}, {.tensors = &tr}};
    const struct weft_run_params params = {&input, 1, outputs, 3, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    for (int i = 0; i < LENGTH; i++) {
        float v = (float)i / 8;
        assert_true(data[i] == v + 1 && q[i] == v && r[i] == v * v);
    }
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* A result that only repeats an input is read before another is written over that input. */
static void test_copy_of_a_written_input(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "return p = x + 1, y");
    float a[LENGTH], b[LENGTH], copy[LENGTH];
    int64_t n[] = {LENGTH};
    for (int i = 0; i < LENGTH; i++)
        a[i] = (float)i, b[i] = (float)-i;
    DLTensor x = tensor(a, f32, 1, n, NULL), y = tensor(b, f32, 1, n, NULL);
    DLTensor to = tensor(copy, f32, 1, n, NULL);
    struct weft_argument inputs[] = {{.tensors = &x}, {.tensors = &y}};
    struct weft_argument outputs[] = {{.tensors = &y}, {.tensors = &to}};
    const struct weft_run_params params = {inputs, 2, outputs, 2, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    for (int i = 0; i < LENGTH; i++)
        assert_true(b[i] == (float)i + 1 && copy[i] == (float)-i);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_bad_calls(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "x + y");
    float a[LENGTH] = {0}, out[LENGTH];
    int64_t n[] = {LENGTH}, m[] = {7};
    int code = 0;
    DLTensor x = tensor(a, f32, 1, n, NULL), r = tensor(out, f32, 1, n, NULL);
    DLTensor bad = x;
    assert_int_equal(run(program, &x, NULL, &r, &code, NULL), WEFT_NAME_ERROR); /* y is missing */
    bad.shape = m;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_SHAPE_ERROR);
    assert_int_equal(code, 60);
    bad = x;
    bad.data = NULL;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    bad = x;
    bad.data = (char *)a + 1;
    bad.shape = m;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    bad = x;
    bad.dtype.lanes = 4;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    bad = x;
    bad.ndim = 33;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    bad = x;
    bad.device.device_type = kDLOpenCL;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    bad = r;
    bad.shape = m;
    assert_int_equal(run(program, &x, &x, &bad, &code, NULL), WEFT_SHAPE_ERROR);
    bad = r;
    bad.dtype = i32;
    assert_int_equal(run(program, &x, &x, &bad, &code, NULL), WEFT_INPUT_ERROR);
    struct weft_argument twice[] = {{.name = "x", .tensors = &x}, {.name = "x", .tensors = &x}};
    struct weft_argument output = {.tensors = &r};
    const struct weft_run_params params = {twice, 2, &output, 1, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_NAME_ERROR);
    int64_t far[] = {INT64_MAX / 2};
    bad = x;
    bad.strides = far;
    assert_int_equal(run(program, &x, &bad, &r, &code, NULL), WEFT_INPUT_ERROR);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_divide_by_zero(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "a = x // y\nb = x % y\nwhere(y > 0, a, b)");
    int a[] = {7, 7, -7}, b[] = {2, 0, -2}, out[3], code = 0;
    int64_t n[] = {3};
    size_t column = 0;
    DLTensor x = tensor(a, i32, 1, n, NULL), y = tensor(b, i32, 1, n, NULL);
    DLTensor r = tensor(out, i32, 1, n, NULL);
    assert_int_equal(run(program, &x, &y, &r, &code, &column), WEFT_DIVIDE_BY_ZERO);
    assert_int_equal(column, 7); /* the % of the second line: the // counts only where y > 0 */
    assert_int_equal(out[0], 3);
    assert_int_equal(out[1], 0);
    assert_int_equal(out[2], -1);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_sizes_and_types(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program =
        compile(context, "input x: float32[h, w]\ninput y: float32[h, w]\nx + y");
    float a[6] = {0}, out[6];
    int64_t s[] = {2, 3}, t[] = {3, 2}, ones[] = {1, 3};
    int code = 0;
    DLTensor x = tensor(a, f32, 2, s, NULL), y = tensor(a, f32, 2, t, NULL);
    DLTensor r = tensor(out, f32, 2, s, NULL);
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_SHAPE_ERROR);
    y.shape = ones; /* a size variable never stretches */
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_SHAPE_ERROR);
    y.shape = s;
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_OK);
    y.dtype = i32;
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_INPUT_ERROR);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_compilers(void **state)
{
    (void)state;
    static const char *const paths[] = {"/nonexistent/cc", "false"};
    float a[1] = {1}, out[1] = {5};
    int64_t n[] = {1};
    int code = 0;
    DLTensor x = tensor(a, f32, 1, n, NULL), r = tensor(out, f32, 1, n, NULL);
    for (int i = 0; i < 2; i++) {
        struct weft_context *context = context_with(paths[i]);
        struct weft_program *program = compile(context, "x + 1");
        assert_int_equal(run(program, &x, NULL, &r, &code, NULL), WEFT_COMPILER_ERROR);
        assert_true(out[0] == 5);
        weft_program_destroy(program);
        weft_context_destroy(context);
    }
}

/* Fast kernels must not bring the start-up code that turns denormals off in the host. */
static void test_fast_math_keeps_denormals(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = NULL;
    const struct weft_compile_params fast = {.math = WEFT_MATH_FAST};
    float a[] = {3}, b[] = {2}, out[1];
    int64_t n[] = {1};
    int code = 0;
    assert_int_equal(weft_compile(context, "x / y + x", &fast, &program, NULL), WEFT_OK);
    DLTensor x = tensor(a, f32, 1, n, NULL), y = tensor(b, f32, 1, n, NULL);
    DLTensor r = tensor(out, f32, 1, n, NULL);
    assert_int_equal(run(program, &x, &y, &r, &code, NULL), WEFT_OK);
    assert_true(fabsf(out[0] - 4.5f) < 1e-5f);
    volatile float smallest = FLT_MIN;
    assert_true(smallest / 2 > 0);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_prepare(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *first = compile(context, "x * 3 + 1"), *second = compile(context, "x * 5 + 2");
    int64_t n[] = {LENGTH};
    DLTensor x = tensor(NULL, u8, 1, n, NULL);
    struct weft_argument input = {.tensors = &x};
    struct weft_kernel_info info;
    size_t count = 1;
    const struct weft_run_params params = {&input, 1, NULL, 0, NULL};
    assert_int_equal(weft_prepare(first, &params, &info, &count, NULL), WEFT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(info.origin, WEFT_FROM_COMPILER);
    /* Another program that differs in literals alone shares the kernel. */
    assert_int_equal(weft_prepare(second, &params, &info, &count, NULL), WEFT_OK);
    assert_int_equal(info.origin, WEFT_FROM_MEMORY);
    weft_program_destroy(first);
    weft_program_destroy(second);
    weft_context_destroy(context);
}

static void test_stages(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = NULL;
    const struct weft_input_type type = {"x", "uint8[4, 3]"};
    const struct weft_compile_params params = {.inputs = &type, .input_count = 1};
    static const char *const stages[] = {"tokens", "ast", "types", "groups", "ir", "c", "asm"};
    char *text = NULL;
    assert_int_equal(weft_compile(context, "x * [1, 2, 3]", &params, &program, NULL), WEFT_OK);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        assert_int_equal(weft_program_stage(program, stages[i], &text, NULL), WEFT_OK);
        assert_true(strlen(text) > 20);
        weft_free(text);
    }
    struct weft_error *error = NULL;
    assert_int_equal(weft_program_stage(program, "brew", &text, &error), WEFT_INVALID_ARGUMENT);
    assert_non_null(strstr(error->message, "tokens"));
    weft_error_destroy(error);
    weft_program_destroy(program);
    program = compile(context, "x + 1");
    assert_int_equal(weft_program_stage(program, "ir", &text, &error), WEFT_TYPE_ERROR);
    weft_error_destroy(error);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static int warnings;

static void count_warning(void *user, const struct weft_error *record)
{
    assert_ptr_equal(user, &warnings);
    assert_int_equal(record->severity, WEFT_WARNING);
    warnings++;
}

static void test_several_errors_and_warnings(void **state)
{
    (void)state;
    struct weft_context *context = NULL;
    const struct weft_context_params log = {.log = count_warning, .user = &warnings};
    assert_int_equal(weft_context_create(&log, &context, NULL), WEFT_OK);
    struct weft_program *program = NULL;
    struct weft_error *error = NULL;
    const struct weft_input_type types[] = {{"x", "float32"}, {"y", "bool"}};
    const struct weft_compile_params params = {.inputs = types, .input_count = 2};
    assert_int_equal(weft_compile(context, "a = x & 1\nb = y + y\nreturn a, b", &params, &program,
                                  &error), WEFT_TYPE_ERROR);
    assert_null(program);
    assert_non_null(error);
    assert_int_equal(error->line, 1);
    assert_non_null(error->next);
    assert_int_equal(error->next->line, 2);
    assert_null(error->next->next);
    weft_error_destroy(error);
    assert_int_equal(weft_compile(context, "a = x + 1\nx * 2", NULL, &program, &error), WEFT_OK);
    assert_int_equal(warnings, 1);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

struct worker {
    struct weft_program *program;
    int failures;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    for (int round = 0; round < 20; round++) {
        float a[LENGTH], out[LENGTH];
        int64_t n[] = {1 + (round * 7) % LENGTH};
        DLTensor x = tensor(a, f32, 1, n, NULL), r = tensor(out, f32, 1, n, NULL);
        struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
        const struct weft_run_params params = {&input, 1, &output, 1, NULL};
        for (int i = 0; i < LENGTH; i++)
            a[i] = (float)(i + round);
        worker->failures += weft_run(worker->program, &params, NULL) != WEFT_OK;
        for (int i = 0; i < n[0]; i++)
            worker->failures += out[i] != a[i] * 0.5f - 1;
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct worker worker[8];
    pthread_t threads[8];
    struct weft_program *program = compile(context, "x * 0.5 - 1");
    for (int i = 0; i < 8; i++) {
        worker[i] = (struct worker){program, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &worker[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(worker[i].failures, 0);
    }
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* A program whose blocks together are larger than the thread's stack. */
static void *work_on_small_stack(void *argument)
{
    struct weft_program *program = argument;
    static double a[300], out[300];
    int64_t n[] = {100, 3};
    const DLDataType f64 = {kDLFloat, 64, 1};
    for (int i = 0; i < 300; i++)
        a[i] = i;
    DLTensor x = tensor(a, f64, 2, n, NULL), r = tensor(out, f64, 2, n, NULL);
    struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    if (weft_run(program, &params, NULL) != WEFT_OK)
        return argument;
    for (int i = 0; i < 300; i++)
        if (out[i] != 100.0 * i + (i % 3 == 0 ? 4950 : 0))
            return argument;
    return NULL;
}

static void test_many_operands_on_a_small_stack(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    char text[4000] = "0";
    for (int i = 0; i < 100; i++)
        sprintf(text + strlen(text), "+(x+[%d,0,0])", i);
    struct weft_program *program = compile(context, text);
    pthread_attr_t attributes;
    pthread_t thread;
    void *failed = NULL;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    assert_int_equal(pthread_create(&thread, &attributes, work_on_small_stack, program), 0);
    pthread_join(thread, &failed);
    assert_null(failed);
    pthread_attr_destroy(&attributes);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_dtypes(void **state)
{
    (void)state;
    for (int t = 0; t < WEFT_DTYPE_COUNT; t++) {
        enum weft_dtype back = WEFT_DTYPE_COUNT;
        DLDataType type = weft_dtype_to_dlpack((enum weft_dtype)t);
        assert_int_equal(weft_dtype_from_dlpack(type, &back), WEFT_OK);
        assert_int_equal(back, t);
        assert_int_equal(type.bits, 8 * weft_dtype_size((enum weft_dtype)t));
    }
    assert_null(weft_dtype_name((enum weft_dtype)99));
    assert_int_equal(weft_dtype_size((enum weft_dtype)-1), 0);
}

static void test_null_arguments(void **state)
{
    (void)state;
    struct weft_context *context = context_with(NULL);
    struct weft_program *program = compile(context, "x + 1"), *none = program;
    struct weft_context *other = context;
    struct weft_tensor_info info;
    struct weft_error *error = NULL;
    const struct weft_compile_params params = {.input_count = 1};
    const struct weft_run_params run = {.input_count = 1};
    char *text;
    const char **names;
    size_t count;
    assert_int_equal(weft_context_create(NULL, NULL, &error), WEFT_INVALID_ARGUMENT);
    assert_non_null(strstr(error->message, "NULL"));
    weft_error_destroy(error);
    assert_int_equal(weft_compile(NULL, "x", NULL, &none, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_compile(context, NULL, NULL, &none, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_compile(context, "x", NULL, NULL, NULL), WEFT_INVALID_ARGUMENT);
    assert_null(none);
    none = program;
    assert_int_equal(weft_compile(context, "x", &params, &none, NULL), WEFT_INVALID_ARGUMENT);
    assert_null(none);
    assert_int_equal(weft_context_create(&(struct weft_context_params){.threads = -1}, &other, NULL),
                     WEFT_INVALID_ARGUMENT);
    assert_null(other);
    assert_int_equal(weft_infer(program, NULL, 1, &info, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_infer(program, NULL, 0, NULL, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_run(NULL, &run, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_run(program, NULL, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_run(program, &run, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_prepare(program, &run, NULL, NULL, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_program_stage(program, NULL, &text, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_program_stage(program, "ast", NULL, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_kernel_names(NULL, NULL, &names, &count, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_program_input_count(NULL), 0);
    assert_null(weft_program_result_name(NULL, 0));
    weft_program_destroy(program);
    weft_context_destroy(context);
}

static void test_disable(void **state)
{
    (void)state;
    struct weft_context *context;
    struct weft_error *error;
    assert_int_equal(weft_context_create(&(struct weft_context_params){.disable = "flat, stream"},
                                         &context, &error), WEFT_OK);
    weft_context_destroy(context);
    assert_int_equal(weft_context_create(&(struct weft_context_params){.disable = "flat,steam"},
                                         &context, &error), WEFT_INVALID_ARGUMENT);
    assert_null(context);
    assert_string_equal(error->message, "there is no fast path 'steam' to disable; there are flat, expand, "
                        "stream, row, convert, roots, divisor, narrow, hoist, table, split, separate, weigh, tally, "
                        "reduce, joins, order, transpose, interleave, near, slide, "
                        "chain, special, skip, chunk, reciprocal, index, value, call, threads, cache, first");
    weft_error_destroy(error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_strided_and_in_place),
        cmocka_unit_test(test_in_place_under_views),
        cmocka_unit_test(test_the_end_of_memory),
        cmocka_unit_test(test_several_results_in_place),
        cmocka_unit_test(test_copy_of_a_written_input),
        cmocka_unit_test(test_bad_calls),
        cmocka_unit_test(test_divide_by_zero),
        cmocka_unit_test(test_sizes_and_types),
        cmocka_unit_test(test_compilers),
        cmocka_unit_test(test_fast_math_keeps_denormals),
        cmocka_unit_test(test_prepare),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_several_errors_and_warnings),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_many_operands_on_a_small_stack),
        cmocka_unit_test(test_dtypes),
        cmocka_unit_test(test_null_arguments),
        cmocka_unit_test(test_disable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
