/* Host data with target cuda, which goes to the GPU and back in pieces: the same bits as in C however large the data,
 * whichever dimension is cut, in place, with remarks; and more of it than the GPU's memory holds. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { INPUTS = 3, RANK = 3 };

/* An input or the result: float64, dense but for a factor of the innermost stride. */
struct array {
    int rank;
    int64_t shape[RANK], strides[RANK];
    bool strided;
    size_t count;
    double *data;
};

static struct array make(int rank, const int64_t *shape, int step, unsigned seed)
{
    struct array array = {.rank = rank, .strided = step > 1, .count = (size_t)step};
    for (int d = rank - 1; d >= 0; d--) {
        array.shape[d] = shape[d];
        array.strides[d] = (int64_t)array.count;
        array.count *= (size_t)shape[d];
    }
    array.data = malloc((array.count ? array.count : 1) * sizeof *array.data);
    for (size_t i = 0; i < array.count; i++)
        array.data[i] = (double)((i * 7919 + seed) % 10007) / 16 - 300;
    return array;
}

static DLTensor tensor(struct array *array)
{
    return (DLTensor){.data = array->data, .device = {kDLCPU, 0}, .ndim = array->rank, .dtype = {kDLFloat, 64, 1},
                      .shape = array->shape, .strides = array->strided ? array->strides : NULL};
}

static enum weft_status run(enum weft_target target, const char *text, struct array *inputs, int count,
                            struct array *out, char *message)
{
    static const char *const names[INPUTS] = {"a", "b", "c"};
    DLTensor tensors[INPUTS], result = tensor(out);
    struct weft_argument arguments[INPUTS], output = {.tensors = &result};
    struct weft_context *context = api_context(target);
    struct weft_program *program = api_compile(context, text);
    struct weft_error *error = NULL;
    for (int i = 0; i < count; i++) {
        tensors[i] = tensor(&inputs[i]);
        arguments[i] = (struct weft_argument){.name = names[i], .tensors = &tensors[i]};
    }
    const struct weft_run_params params = {arguments, (size_t)count, &output, 1, NULL};
    enum weft_status prepared = weft_prepare(program, &params, NULL, NULL, NULL);
    enum weft_status status = weft_run(program, &params, &error);
    assert_true(prepared == WEFT_OK || prepared == status);
    *message = '\0';
    if (error)
        weft_error_render(error, message, API_MESSAGE);
    weft_error_destroy(error);
    weft_program_destroy(program);
    weft_context_destroy(context);
    return status;
}

struct form {
    const char *text;
    struct {
        int rank;
        int64_t shape[RANK];
        int step;
    } arrays[INPUTS + 1];          /* the last one that has a step is the result */
};

static int array_count(const struct form *form)
{
    int count = 0;
    while (count <= INPUTS && form->arrays[count].step)
        count++;
    return count;
}

static void compare(const struct form *form, const struct array *c, const struct array *gpu)
{
    for (size_t i = 0; i < c->count; i++)
        if (memcmp(&c->data[i], &gpu->data[i], sizeof *c->data) != 0)
            fail_msg("%s: element %zu is %a in C and %a on the GPU", form->text, i, c->data[i], gpu->data[i]);
}

static void check(const struct form *form)
{
    int count = array_count(form) - 1;
    struct array inputs[INPUTS], outs[2];
    char messages[2][API_MESSAGE];
    enum weft_status status[2];
    for (int i = 0; i < count; i++)
        inputs[i] = make(form->arrays[i].rank, form->arrays[i].shape, form->arrays[i].step, (unsigned)i * 311);
    for (int t = 0; t < 2; t++) {
        outs[t] = make(form->arrays[count].rank, form->arrays[count].shape, form->arrays[count].step, 99);
        status[t] = run(t ? WEFT_TARGET_CUDA : WEFT_TARGET_C, form->text, inputs, count, &outs[t], messages[t]);
    }
    assert_string_equal(messages[1], messages[0]);
    assert_int_equal(status[1], status[0]);
    compare(form, &outs[0], &outs[1]);
    for (int i = 0; i < count; i++)
        free(inputs[i].data);
    free(outs[0].data), free(outs[1].data);
}

/* Slabs are of 16 MB, all operands together; each of these has some, cut along another dimension. */
static const struct form forms[] = {
    {"a * 2 + b", {{1, {2500001}, 1}, {1, {2500001}, 1}, {1, {2500001}, 1}}},
    {"a - b", {{2, {3, 1100003}, 1}, {1, {1100003}, 1}, {2, {3, 1100003}, 1}}},
    {"a + b * c", {{3, {40, 31, 1500}, 1}, {3, {40, 1, 1}, 1}, {2, {31, 1}, 1}, {3, {40, 31, 1500}, 1}}},
    {"a * b", {{2, {1000, 1}, 1}, {1, {2003}, 1}, {2, {1000, 2003}, 1}}},
    {"a + 1", {{2, {1500, 1001}, 3}, {2, {1500, 1001}, 1}}},
    {"a + 1", {{2, {1500, 1001}, 1}, {2, {1500, 1001}, 2}}},
    {"a + [[[1.5]], [[2.5]], [[3.5]]]", {{3, {1, 600, 1000}, 1}, {3, {3, 600, 1000}, 1}}},
    {"a + [1, 2, 3]", {{2, {700001, 3}, 1}, {2, {700001, 3}, 1}}},
    {"input a: float64[n, m]\ninput b: float64[m]\nreturn a * b", /* sizes are those of the whole */
     {{2, {1300, 1001}, 1}, {1, {1001}, 1}, {2, {1300, 1001}, 1}}},
    {"input a: float64[1300, 1001]\nreturn a * 2", {{2, {1300, 1001}, 1}, {2, {1300, 1001}, 1}}},
    {"float64(int64(a) // int64(b))", {{1, {2000003}, 1}, {1, {2000003}, 1}, {1, {2000003}, 1}}}, /* a remark */
    {"reshape(a, [-1]) + b", {{2, {2, 900001}, 1}, {1, {1800002}, 1}, {1, {1800002}, 1}}}, /* in one piece */
    {"a + b", {{1, {2000000}, 1}, {1, {3}, 1}, {1, {2000000}, 1}}}, /* an error, the same one */
    {"a + b", {{1, {2000000}, 1}, {1, {2000000}, 1}, {1, {1999999}, 1}}},
};

static void same_as_in_c(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        check(&forms[i]);
}

/* The result takes the place of an input, and a shifted one is refused before anything is written. */
static void in_place(void **state)
{
    (void)state;
    const int64_t shape[] = {1500, 1501};
    struct array a = make(2, shape, 1, 5), copy = make(2, shape, 1, 5), shifted = a;
    char message[API_MESSAGE];
    assert_int_equal(run(WEFT_TARGET_CUDA, "a * 3 - 1", &a, 1, &a, message), WEFT_OK);
    for (size_t i = 0; i < a.count; i++)
        assert_true(a.data[i] == copy.data[i] * 3 - 1);
    memcpy(a.data, copy.data, a.count * sizeof *a.data);
    shifted.data += 1501;
    shifted.shape[0] = a.shape[0] = 1499;
    assert_int_equal(run(WEFT_TARGET_CUDA, "a * 3 - 1", &a, 1, &shifted, message), WEFT_OVERLAP_ERROR);
    assert_null(strstr(message, "sample"));
    assert_memory_equal(a.data, copy.data, copy.count * sizeof *a.data);
    free(a.data), free(copy.data);
}

/* ---- batches ---- */

enum { SAMPLES = 40, LONGEST = 120000 };

static int64_t sample_length(int s)
{
    return s % 7 == 3 ? 0 : LONGEST - 2500 * s;
}

/* Of each sample a result, and one that depends on no batch. */
static void batches(void **state)
{
    (void)state;
    const int64_t one[] = {LONGEST}, gains[] = {1};
    struct array in[SAMPLES], out[SAMPLES], gain = make(1, gains, 1, 3), twice = make(1, gains, 1, 0);
    DLTensor ins[SAMPLES], outs[SAMPLES], gain_tensor = tensor(&gain), twice_tensor = tensor(&twice);
    struct weft_context *context = api_context(WEFT_TARGET_CUDA);
    struct weft_program *program = api_compile(context, "r = a * 2 - gain\ntwice = gain + gain\nreturn r, twice");
    for (int s = 0; s < SAMPLES; s++) {
        in[s] = make(1, one, 1, (unsigned)s);
        out[s] = make(1, one, 1, 0);
        in[s].shape[0] = out[s].shape[0] = sample_length(s);
        ins[s] = tensor(&in[s]);
        outs[s] = tensor(&out[s]);
    }
    const struct weft_argument inputs[] = {{"a", ins, SAMPLES, true}, {"gain", &gain_tensor, 1, false}};
    const struct weft_argument outputs[] = {{"r", outs, SAMPLES, true}, {"twice", &twice_tensor, 1, false}};
    const struct weft_run_params params = {inputs, 2, outputs, 2, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    for (int s = 0; s < SAMPLES; s++)
        for (int64_t i = 0; i < LONGEST; i++)
            assert_true(out[s].data[i] == (i < sample_length(s) ? in[s].data[i] * 2 - gain.data[0]
                                                                : (double)(i * 7919 % 10007) / 16 - 300));
    assert_true(twice.data[0] == gain.data[0] * 2);
    for (int s = 0; s < SAMPLES; s++)
        free(in[s].data), free(out[s].data);
    free(gain.data), free(twice.data);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* A tensor beside samples of odd sizes lies on the GPU as its type wants it. */
static void beside_odd_samples(void **state)
{
    (void)state;
    enum { ODD = 3, COLUMNS = 5 };
    unsigned char bytes[ODD][ODD];
    double row[COLUMNS], results[ODD][ODD * COLUMNS];
    int64_t shapes[ODD][2], wide[ODD][2], columns = COLUMNS;
    DLTensor ins[ODD], outs[ODD];
    DLTensor beside = {.data = row, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 64, 1}, .shape = &columns};
    for (int i = 0; i < COLUMNS; i++)
        row[i] = i + 0.5;
    for (int s = 0; s < ODD; s++) {
        shapes[s][0] = wide[s][0] = s + 1, shapes[s][1] = 1, wide[s][1] = COLUMNS;
        for (int i = 0; i < ODD; i++)
            bytes[s][i] = (unsigned char)(10 * s + i);
        ins[s] = (DLTensor){.data = bytes[s], .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLUInt, 8, 1},
                            .shape = shapes[s]};
        outs[s] = beside, outs[s].data = results[s], outs[s].ndim = 2, outs[s].shape = wide[s];
    }
    struct weft_context *context = api_context(WEFT_TARGET_CUDA);
    struct weft_program *program = api_compile(context, "a + row");
    const struct weft_argument inputs[] = {{"a", ins, ODD, true}, {"row", &beside, 1, false}};
    const struct weft_argument output = {NULL, outs, ODD, true};
    const struct weft_run_params params = {inputs, 2, &output, 1, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    for (int s = 0; s < ODD; s++)
        for (int i = 0; i < (s + 1) * COLUMNS; i++)
            assert_true(results[s][i] == 10 * s + i / COLUMNS + row[i % COLUMNS]);
    weft_program_destroy(program);
    weft_context_destroy(context);
}

/* ---- more than the GPU holds ---- */

/* On the fake driver alone: a real one tells nobody how much is really left. */
static void more_than_there_is(void **state)
{
    (void)state;
    enum { MEGABYTES = 200, ROOM = 96 };
    void (*memory)(unsigned long long) = (void (*)(unsigned long long))gpu_mock("mockcuda_memory");
    if (!memory)
        skip();
    const int64_t count = (int64_t)MEGABYTES << 20;
    unsigned char *in = malloc((size_t)count), *out = malloc((size_t)count);
    for (int64_t i = 0; i < count; i++)
        in[i] = (unsigned char)(i % 251);
    struct weft_context *context = api_context(WEFT_TARGET_CUDA);
    struct weft_program *program = api_compile(context, "x ^ uint8([255])"); /* an array that all pieces share */
    const struct api_call call = {.inputs = {{"x", WEFT_UINT8, count, in, API_HOST}},
                                  .outputs = {{"out", WEFT_UINT8, count, out, API_HOST}}};
    memory(ROOM << 20);
    api_run(program, &call);
    memory(0);
    for (int64_t i = 0; i < count; i++)
        if (out[i] != (unsigned char)~in[i])
            fail_msg("element %lld", (long long)i);
    weft_program_destroy(program);
    weft_context_destroy(context);
    free(in), free(out);
}

/* ---- one element ---- */

/* Runs `text` on x and out on the GPU and a gain of one element on the host, twice, and returns how many calls of the
 * driver the second run takes. On a real driver, which does not count: 0. */
static long run_with_gain(const char *text, float gain, int64_t count, float *result)
{
    long (*calls)(void) = (long (*)(void))gpu_mock("mockcuda_calls");
    struct weft_context *context = api_context(WEFT_TARGET_AUTO);
    struct weft_program *program = api_compile(context, text);
    const DLDataType real = {kDLFloat, 32, 1};
    const uint64_t x = gpu_alloc((size_t)count * sizeof(float)), out = gpu_alloc((size_t)count * sizeof(float));
    DLTensor tensors[] = {{.data = (void *)x, .device = {kDLCUDA, 0}, .ndim = 1, .dtype = real, .shape = &count},
                          {.data = &gain, .device = {kDLCPU, 0}, .ndim = 0, .dtype = real},
                          {.data = (void *)out, .device = {kDLCUDA, 0}, .ndim = 1, .dtype = real, .shape = &count}};
    const struct weft_argument inputs[] = {{.name = "x", .tensors = &tensors[0]},
                                           {.name = "k", .tensors = &tensors[1]}};
    const struct weft_argument output = {.tensors = &tensors[2]};
    const struct weft_run_params params = {inputs, strchr(text, 'k') ? 2 : 1, &output, 1, NULL};
    long before = 0;
    for (int64_t i = 0; i < count; i++)
        result[i] = (float)i;
    gpu_upload(x, result, (size_t)count * sizeof(float));
    for (int turn = 0; turn < 2; turn++) {
        before = calls ? calls() : 0;
        assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    }
    before = calls ? calls() - before : 0;
    gpu_synchronize(NULL);
    gpu_download(result, out, (size_t)count * sizeof(float));
    gpu_free(x), gpu_free(out);
    weft_program_destroy(program);
    weft_context_destroy(context);
    return before;
}

/* A gain on the host is an argument of the kernel: it takes no copy and no memory, whatever its value and however it is
 * seen. */
static void one_element(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    float results[COUNT];
    const long literal = run_with_gain("x * 2.5", 0, COUNT, results);
    static const char *const texts[] = {"x * k", "x * reshape(k, [1])", "x * (k + 0.0)"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int gain = -1; gain <= 1; gain++) {
            assert_int_equal(run_with_gain(texts[t], 2.5f * (float)gain, COUNT, results), literal);
            for (int i = 0; i < COUNT; i++)
                assert_true(results[i] == (float)i * 2.5f * (float)gain);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_in_c), cmocka_unit_test(in_place),
                                       cmocka_unit_test(batches), cmocka_unit_test(beside_odd_samples),
                                       cmocka_unit_test(one_element), cmocka_unit_test(more_than_there_is)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu host", tests, NULL, NULL);
}
