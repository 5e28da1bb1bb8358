/* weft_eval and what belongs to it: a text in one call, results that the library allocates, inputs that may be
 * ignored. */
#include "include/weft/weft.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct weft_context *context;

static int open_context(void **state)
{
    (void)state;
    return weft_context_create(&(struct weft_context_params){.cache = ""}, &context, NULL) < 0;
}

static int close_context(void **state)
{
    (void)state;
    weft_context_destroy(context);
    return 0;
}

static void assert_error(enum weft_status got, enum weft_status wanted, struct weft_error **error, const char *message)
{
    assert_int_equal(got, wanted);
    assert_non_null(*error);
    assert_string_equal((*error)->message, message);
    weft_error_destroy(*error);
    *error = NULL;
}

static void assert_none(const struct weft_results *results)
{
    assert_int_equal(results->count, 0);
    assert_null(results->infos);
    assert_null(results->items);
}

static void a_text_is_computed(void **state)
{
    (void)state;
    float a = 2, x[6] = {1, 2, 3, 4, 5, 6}, b[3] = {0, 10, 20};
    DLTensor ta = weft_dense(&a, WEFT_FLOAT32, 0, NULL), tx = weft_dense(x, WEFT_FLOAT32, 2, (int64_t[]){2, 3});
    DLTensor tb = weft_dense(b, WEFT_FLOAT32, 1, (int64_t[]){3});
    for (int turn = 0; turn < 2; turn++) {
        struct weft_results results;
        struct weft_error *error = (struct weft_error *)&results;
        errno = 77;
        assert_int_equal(weft_eval(context, "return y = a * x + b, s = sum(x)", &results, &error, "a", &ta, "x", &tx,
                                   "b", &tb, NULL), WEFT_OK);
        assert_int_equal(errno, 77);
        assert_null(error);
        assert_int_equal(results.count, 2);
        assert_string_equal(results.infos[0].name, "y");
        assert_string_equal(results.items[1].name, "s");
        const DLTensor *y = results.items[0].tensors;
        assert_int_equal(y->ndim, 2);
        assert_int_equal(y->shape[0], 2);
        assert_int_equal(y->shape[1], 3);
        assert_int_equal((uintptr_t)y->data % 64, 0);
        for (int i = 0; i < 6; i++)
            assert_true(((float *)y->data)[i] == 2 * x[i] + b[i % 3]);
        assert_int_equal(results.items[1].tensors->ndim, 0);
        assert_true(*(float *)results.items[1].tensors->data == 21);
        weft_results_free(&results);
        assert_none(&results);
        weft_results_free(&results);
    }
    weft_results_free(NULL);
}

/* The same text with other types and shapes, without inputs, and with numbers that it declares. */
static void a_text_takes_what_comes(void **state)
{
    (void)state;
    struct weft_results results;
    uint8_t small[2] = {200, 100};
    int64_t large[4] = {1, 2, 3, 4}, count = 3;
    double half = 0.5;
    DLTensor s = weft_dense(small, WEFT_UINT8, 1, (int64_t[]){2}), l = weft_dense(large, WEFT_INT64, 1, (int64_t[]){4});
    assert_int_equal(weft_eval(context, "x * x", &results, NULL, "x", &s, NULL), WEFT_OK);
    assert_int_equal(results.infos[0].dtype, WEFT_UINT8);
    assert_int_equal(((uint8_t *)results.items[0].tensors->data)[1], 10000 % 256);
    weft_results_free(&results);
    assert_int_equal(weft_eval(context, "x * x", &results, NULL, "x", &l, NULL), WEFT_OK);
    assert_int_equal(((int64_t *)results.items[0].tensors->data)[3], 16);
    weft_results_free(&results);
    assert_int_equal(weft_eval(context, "[1, 2] + 1", &results, NULL, NULL), WEFT_OK);
    assert_int_equal(((int32_t *)results.items[0].tensors->data)[1], 3);
    weft_results_free(&results);
    DLTensor k = weft_dense(&count, WEFT_INT64, 0, NULL), h = weft_dense(&half, WEFT_FLOAT64, 0, NULL);
    assert_int_equal(weft_eval(context, "input k: number; input h: number; arange(k) * h", &results, NULL, "k", &k, "h",
                               &h, NULL), WEFT_OK);
    assert_int_equal(results.infos[0].shape[0], 3);
    weft_results_free(&results);
    int64_t none = 0;
    DLTensor empty = weft_dense(large, WEFT_INT64, 1, &none);
    assert_int_equal(weft_eval(context, "x * x", &results, NULL, "x", &empty, NULL), WEFT_OK);
    assert_int_equal(results.items[0].tensors->shape[0], 0);
    weft_results_free(&results);
}

/* The end of the arguments may be forgotten, which no compiler tells without -Wall. */
static void the_end_may_be_missing(void **state)
{
    (void)state;
    struct weft_results results;
    float x = 2, y = 3;
    DLTensor tx = weft_dense(&x, WEFT_FLOAT32, 0, NULL), ty = weft_dense(&y, WEFT_FLOAT32, 0, NULL);
    assert_int_equal(weft_eval(context, "x * y", &results, NULL, "x", &tx, "y", &ty), WEFT_OK);
    assert_true(*(float *)results.items[0].tensors[0].data == 6);
    weft_results_free(&results);
    assert_int_equal(weft_eval(context, "[1, 2]", &results, NULL), WEFT_OK);
    weft_results_free(&results);
    assert_int_equal(weft_eval(context, "x", &results, NULL, "x"), WEFT_INVALID_ARGUMENT);
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    struct weft_results results;
    struct weft_error *error = NULL;
    int32_t values[3] = {1, 0, 3};
    DLTensor x = weft_dense(values, WEFT_INT32, 1, (int64_t[]){3}), gpu = x;
    gpu.device.device_type = kDLCUDA;
    assert_error(weft_eval(context, "x + x", &results, &error, "x", &x, "x", &x, NULL), WEFT_NAME_ERROR, &error,
                 "input 'x' is given twice");
    assert_none(&results);
    assert_error(weft_eval(context, "img + 1", &results, &error, "imag", &x, NULL), WEFT_NAME_ERROR, &error,
                 "the program has no input 'imag'; its text says 'img'");
    assert_error(weft_eval(context, "x +", &results, &error, "x", &x, NULL), WEFT_SYNTAX_ERROR, &error,
                 "found the end of the text, expected a value");
    assert_error(weft_eval(context, "x", &results, &error, "x", (DLTensor *)NULL, NULL), WEFT_INVALID_ARGUMENT, &error,
                 "weft_eval takes a name and a tensor for each input, then NULL; a name has no tensor, found NULL");
    assert_error(weft_eval(context, "x", &results, &error, "x", &gpu, NULL), WEFT_INVALID_ARGUMENT, &error,
                 "weft_eval allocates its results in host memory and takes host tensors, and an input lies on a GPU; "
                 "use weft_compile and weft_run with outputs on that GPU");
    gpu.device.device_type = 1067030938; /* of what is no DLTensor */
    assert_error(weft_eval(context, "x", &results, &error, "x", &gpu, NULL), WEFT_INVALID_ARGUMENT, &error,
                 "an input of weft_eval lies on no device that Weft knows; behind each name stands the address of a "
                 "DLTensor, as of what weft_dense returns");
    assert_none(&results);
    assert_error(weft_eval(NULL, "x", &results, &error, "x", &x, NULL), WEFT_INVALID_ARGUMENT, &error,
                 "weft_eval needs a context, a text, inputs and a place for results, found NULL");
    assert_error(weft_eval(context, "x", NULL, &error, "x", &x, NULL), WEFT_INVALID_ARGUMENT, &error,
                 "weft_eval needs a context, a text, inputs and a place for results, found NULL");
    const struct weft_argument value = {.tensors = &x};
    const struct weft_compile_params params = {.inputs = &(struct weft_input_type){"x", NULL, &value, NULL},
                                               .input_count = 1};
    assert_error(weft_eval_arguments(context, "x", &params, &value, 1, &results, &error), WEFT_INVALID_ARGUMENT, &error,
                 "an input of weft_eval_arguments' params has a value or no name; values are those of its arguments");
    DLTensor bad = weft_dense(values, WEFT_DTYPE_COUNT, 1, (int64_t[]){3});
    assert_int_equal(weft_eval(context, "x", &results, NULL, "x", &bad, NULL), WEFT_INPUT_ERROR);
    /* A remark: the results are there. */
    assert_int_equal(weft_eval(context, "6 // x", &results, &error, "x", &x, NULL), WEFT_DIVIDE_BY_ZERO);
    assert_non_null(error);
    weft_error_destroy(error);
    assert_int_equal(((int32_t *)results.items[0].tensors->data)[2], 2);
    weft_results_free(&results);
}

/* More memory than addresses. */
static void what_does_not_fit_is_no_memory(void **state)
{
    (void)state;
    struct weft_results results;
    double zero = 0;
    int64_t extents[2] = {INT64_C(1) << 31, INT64_C(1) << 31}, zeros[2] = {0, 0};
    DLTensor x = {.data = &zero, .device = {kDLCPU, 0}, .ndim = 2, .dtype = {kDLFloat, 64, 1}, .shape = extents,
                  .strides = zeros};
    assert_true(weft_eval(context, "x + 1", &results, NULL, "x", &x, NULL) < 0);
    assert_none(&results);
}

static void numbers_may_be_named_so(void **state)
{
    (void)state;
    struct weft_results results;
    float x[2] = {1, 2};
    double a = 3;
    DLTensor tx = weft_dense(x, WEFT_FLOAT32, 1, (int64_t[]){2}), ta = weft_dense(&a, WEFT_FLOAT64, 0, NULL);
    const struct weft_argument inputs[] = {{.name = "a", .tensors = &ta}, {.name = "x", .tensors = &tx}};
    const struct weft_input_type number = {.name = "a", .type = "number"};
    const struct weft_compile_params params = {.inputs = &number, .input_count = 1};
    assert_int_equal(weft_eval_arguments(context, "a * x", &params, inputs, 2, &results, NULL), WEFT_OK);
    assert_int_equal(results.infos[0].dtype, WEFT_FLOAT32);
    assert_true(((float *)results.items[0].tensors->data)[1] == 6);
    weft_results_free(&results);
    /* Without them the same text is another program. */
    assert_int_equal(weft_eval_arguments(context, "a * x", NULL, inputs, 2, &results, NULL), WEFT_OK);
    assert_int_equal(results.infos[0].dtype, WEFT_FLOAT64);
    weft_results_free(&results);
}

static void batches_give_batches(void **state)
{
    (void)state;
    struct weft_results results;
    int32_t first[3] = {1, 2, 3}, second[1] = {4};
    const DLTensor samples[] = {weft_dense(first, WEFT_INT32, 1, (int64_t[]){3}),
                                weft_dense(second, WEFT_INT32, 1, (int64_t[]){1})};
    struct weft_argument input = {"x", samples, 2, true};
    assert_int_equal(weft_eval_arguments(context, "return y = x * 2, z = [1, 2] + 1", NULL, &input, 1, &results, NULL),
                     WEFT_OK);
    assert_true(results.items[0].batch && !results.items[1].batch);
    assert_int_equal(results.items[0].count, 2);
    assert_int_equal(results.items[0].tensors[0].shape[0], 3);
    assert_int_equal(results.items[0].tensors[1].shape[0], 1);
    assert_int_equal(*(int32_t *)results.items[0].tensors[1].data, 8);
    weft_results_free(&results);
    input.count = 0;
    const struct weft_compile_params params = {
        .inputs = &(struct weft_input_type){.name = "x", .type = "int32[?]"}, .input_count = 1};
    assert_int_equal(weft_eval_arguments(context, "x * 2", &params, &input, 1, &results, NULL), WEFT_OK);
    assert_int_equal(results.items[0].count, 0);
    weft_results_free(&results);
}

static void unused_inputs_may_be_ignored(void **state)
{
    (void)state;
    struct weft_program *program;
    struct weft_error *error = NULL;
    struct weft_results results;
    int32_t values[2] = {1, 2};
    DLTensor x = weft_dense(values, WEFT_INT32, 1, (int64_t[]){2});
    const struct weft_argument inputs[] = {
        {.name = "z", .tensors = &x}, {.name = "x", .tensors = &x}, {.name = "y", .tensors = &x}};
    const struct weft_input_type types[] = {{.name = "z", .type = "float32"}, {.name = "x", .type = "int32"}};
    struct weft_compile_params params = {.inputs = types, .input_count = 2};
    assert_error(weft_compile(context, "x + 1", &params, &program, &error), WEFT_NAME_ERROR, &error,
                 "the program has no input 'z'; its input is x");
    params.ignore_unused = true;
    assert_int_equal(weft_compile(context, "x + 1", &params, &program, &error), WEFT_OK);
    for (int turn = 0; turn < 3; turn++) {
        const size_t count = turn == 1 ? 2 : 3;
        assert_int_equal(weft_results_alloc(program, inputs, count, &results, &error), WEFT_OK);
        const struct weft_run_params run = {.inputs = inputs, .input_count = count,
                                            .outputs = results.items, .output_count = results.count};
        assert_int_equal(weft_run(program, &run, &error), WEFT_OK);
        assert_int_equal(((int32_t *)results.items[0].tensors->data)[1], 3);
        weft_results_free(&results);
    }
    /* Twice is wrong still, and so is one that is missing. */
    const struct weft_argument twice[] = {inputs[1], inputs[1]};
    assert_error(weft_results_alloc(program, twice, 2, &results, &error), WEFT_NAME_ERROR, &error,
                 "input 'x' is given twice");
    assert_int_equal(weft_results_alloc(program, inputs, 1, &results, NULL), WEFT_NAME_ERROR);
    weft_program_destroy(program);
}

/* More texts than the context keeps, from several threads; the first text is used throughout. */
static void *use_many(void *first)
{
    for (int i = *(int *)first; i < *(int *)first + 200; i++) {
        char text[32];
        struct weft_results results;
        int32_t value = 1;
        DLTensor x = weft_dense(&value, WEFT_INT32, 0, NULL);
        snprintf(text, sizeof text, "x + 0 * %d", i % 3 ? i : 0);
        if (weft_eval(context, text, &results, NULL, "x", &x, NULL) != WEFT_OK)
            return text[0] ? (void *)"failed" : NULL;
        const bool good = *(int32_t *)results.items[0].tensors->data == 1;
        weft_results_free(&results);
        if (!good)
            return (void *)"wrong";
    }
    return NULL;
}

static void texts_are_forgotten(void **state)
{
    (void)state;
    pthread_t threads[2];
    int firsts[2] = {0, 150};
    for (int t = 0; t < 2; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, use_many, &firsts[t]), 0);
    for (int t = 0; t < 2; t++) {
        void *wrong;
        pthread_join(threads[t], &wrong);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_computed),
        cmocka_unit_test(a_text_takes_what_comes),
        cmocka_unit_test(the_end_may_be_missing),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(what_does_not_fit_is_no_memory),
        cmocka_unit_test(numbers_may_be_named_so),
        cmocka_unit_test(batches_give_batches),
        cmocka_unit_test(unused_inputs_may_be_ignored),
        cmocka_unit_test(texts_are_forgotten),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
