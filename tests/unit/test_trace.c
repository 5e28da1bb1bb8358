/* weft_trace: which values are told of, what of them, and what cannot be asked. */
#include "include/weft/weft.h"

#include <errno.h>
#include <math.h>
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

static struct weft_program *compile(const char *text)
{
    struct weft_program *program = NULL;
    assert_int_equal(weft_compile(context, text, NULL, &program, NULL), WEFT_OK);
    return program;
}

/* Traces a text of one input. */
static struct weft_trace *traced(const char *text, const DLTensor *x, const int64_t *at, int at_count)
{
    struct weft_program *program = compile(text);
    struct weft_trace *trace = NULL;
    struct weft_error *error = (struct weft_error *)&trace;
    errno = 77;
    assert_int_equal(weft_trace(program, &(struct weft_trace_params){
        .inputs = &(struct weft_argument){.tensors = x}, .input_count = 1, .at = at, .at_count = at_count}, &trace,
        &error), WEFT_OK);
    assert_int_equal(errno, 77);
    assert_null(error);
    weft_program_destroy(program); /* the trace does not need it */
    return trace;
}

static const struct weft_traced *find(const struct weft_trace *trace, const char *text)
{
    for (size_t i = 0; i < trace->count; i++)
        if (strcmp(trace->values[i].text, text) == 0)
            return &trace->values[i];
    fail_msg("there is no value %s", text);
    return NULL;
}

static void values_are_told(void **state)
{
    (void)state;
    const uint8_t x[6] = {1, 5, 20, 100, 200, 0};
    const DLTensor tensor = weft_dense(x, WEFT_UINT8, 2, (int64_t[]){2, 3});
    struct weft_trace *trace = traced("y = x * x\nreturn z = y[1] + 0.5", &tensor, (int64_t[]){-2}, 1);
    assert_int_equal(trace->count, 4);
    const struct weft_traced *input = find(trace, "x"), *y = find(trace, "x * x"), *row = find(trace, "y[1]");
    const struct weft_traced *z = find(trace, "y[1] + 0.5");
    assert_string_equal(input->name, "");
    assert_string_equal(input->smallest, "0");
    assert_string_equal(input->largest, "200");
    assert_string_equal(input->element, "200");
    assert_int_equal(input->at[0], 1);
    assert_int_equal(input->at[1], 1);
    assert_string_equal(y->name, "y");
    assert_string_equal(y->type, "uint8[2, 3]");
    assert_string_equal(y->rule, "* in uint8; 3 of 6 wrap beyond 255");
    assert_string_equal(y->element, "64");
    assert_int_equal(y->dtype, WEFT_UINT8);
    assert_int_equal(y->rank, 2);
    assert_int_equal(y->shape[1], 3);
    assert_true(y->mean == (1 + 25 + 144 + 16 + 64 + 0) / 6.0);
    assert_int_equal(y->span.start, 4);
    assert_int_equal(y->span.end, 9);
    assert_int_equal(row->line, 2);
    assert_int_equal(row->column, 12);
    assert_int_equal(row->at[0], 1);
    assert_string_equal(z->name, "z");
    assert_string_equal(z->largest, "64.5");
    assert_string_equal(z->element, "64.5");
    weft_free(trace);
}

static void nan_and_inf_are_counted(void **state)
{
    (void)state;
    const float x[5] = {0, -1, 1, INFINITY, NAN};
    const DLTensor tensor = weft_dense(x, WEFT_FLOAT32, 1, (int64_t[]){5});
    struct weft_trace *trace = traced("sqrt(x)", &tensor, NULL, 0);
    const struct weft_traced *root = find(trace, "sqrt(x)");
    assert_int_equal(root->nan_count, 2);
    assert_int_equal(root->inf_count, 1);
    assert_string_equal(root->smallest, "0.0");
    assert_string_equal(root->largest, "inf");
    assert_true(root->mean == 0.5);
    assert_null(root->at);
    assert_string_equal(root->element, "");
    weft_free(trace);
}

static void values_without_elements_are_told(void **state)
{
    (void)state;
    const DLTensor tensor = weft_dense(NULL, WEFT_FLOAT64, 2, (int64_t[]){0, 3});
    struct weft_trace *trace = traced("x + 1", &tensor, NULL, 0);
    assert_string_equal(find(trace, "x + 1")->smallest, "");
    assert_string_equal(find(trace, "x + 1")->type, "float64[0, 3]");
    assert_true(isnan(find(trace, "x + 1")->mean));
    weft_free(trace);
}

static void the_table_has_a_line_for_each(void **state)
{
    (void)state;
    const int32_t x[2] = {3, -4};
    const DLTensor tensor = weft_dense(x, WEFT_INT32, 1, (int64_t[]){2});
    const int64_t at[1] = {1};
    struct weft_trace *trace = traced("abs(\n  x) + 1", &tensor, at, 1);
    char *text = weft_trace_text(trace, at, 1);
    assert_string_equal(text,
                        "place  value              type      smallest  largest  mean  nan  inf  [1]      how\n"
                        "2:3    x                  int32[2]        -4        3  -0.5    0    0  -4  [1]  input\n"
                        "1:1    abs( x)            int32[2]         3        4   3.5    0    0  4  [1]   abs in int32\n"
                        "1:1    out = abs( x) + 1  int32[2]         4        5   4.5    0    0  5  [1]   + in int32\n");
    weft_free(text);
    text = weft_trace_text(trace, NULL, 0);
    assert_null(strstr(text, "[1]"));
    weft_free(text);
    assert_null(weft_trace_text(NULL, NULL, 0));
    weft_free(trace);
}

static void assert_refused(struct weft_program *program, const struct weft_trace_params *params,
                           enum weft_status status, const char *message)
{
    struct weft_trace *trace = (struct weft_trace *)&trace;
    struct weft_error *error = NULL;
    assert_int_equal(weft_trace(program, params, &trace, &error), status);
    assert_null(trace);
    assert_non_null(error);
    assert_string_equal(error->message, message);
    weft_error_destroy(error);
    assert_int_equal(weft_trace(program, params, &trace, NULL), status); /* nobody listens */
}

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    const float x[6] = {1};
    const DLTensor tensor = weft_dense(x, WEFT_FLOAT32, 2, (int64_t[]){2, 3});
    const struct weft_argument input = {.tensors = &tensor}, batch = {NULL, &tensor, 1, true};
    DLTensor far = tensor;
    far.device = (DLDevice){kDLCUDA, 0};
    const int64_t at[3] = {1, 3, 0};
    struct weft_program *program = compile("x + 1");
    assert_refused(NULL, &(struct weft_trace_params){0}, WEFT_INVALID_ARGUMENT,
                   "weft_trace needs a program, its inputs and a place for the trace, found NULL");
    assert_refused(program, &(struct weft_trace_params){0}, WEFT_NAME_ERROR, "input 'x' is not given");
    assert_refused(program, &(struct weft_trace_params){&input, 1, at, 3}, WEFT_SHAPE_ERROR,
                   "position [1, 3, 0] has 3 numbers, and result 'out' has shape [2, 3], rank 2");
    assert_refused(program, &(struct weft_trace_params){&input, 1, at, 0}, WEFT_SHAPE_ERROR,
                   "position [] has 0 numbers, and result 'out' has shape [2, 3], rank 2");
    assert_refused(program, &(struct weft_trace_params){&input, 1, at, 2}, WEFT_SHAPE_ERROR,
                   "position [1, 3] lies outside result 'out', whose shape is [2, 3]");
    assert_refused(program, &(struct weft_trace_params){&input, 1, .sample = 1}, WEFT_INPUT_ERROR,
                   "sample 1 is asked for, and no input is a batch");
    assert_refused(program, &(struct weft_trace_params){&batch, 1, .sample = 1}, WEFT_INPUT_ERROR,
                   "there is no sample 1: the batch has 1, counted from 0");
    assert_refused(program, &(struct weft_trace_params){&(struct weft_argument){.tensors = &far}, 1}, WEFT_INPUT_ERROR,
                   "input 'x' lies on a GPU, and a trace reads values in host memory; copy it to the host");
    weft_program_destroy(program);
}

static void remarks_come_with_the_trace(void **state)
{
    (void)state;
    const int32_t x[2] = {0, 2};
    const DLTensor tensor = weft_dense(x, WEFT_INT32, 1, (int64_t[]){2});
    struct weft_program *program = compile("6 // x");
    struct weft_trace *trace = NULL;
    struct weft_error *error = NULL;
    assert_int_equal(weft_trace(program, &(struct weft_trace_params){&(struct weft_argument){.tensors = &tensor}, 1},
                                &trace, &error), WEFT_DIVIDE_BY_ZERO);
    assert_non_null(error);
    assert_null(error->next);
    weft_error_destroy(error);
    assert_string_equal(find(trace, "6 // x")->largest, "3");
    weft_free(trace);
    weft_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_told),
        cmocka_unit_test(nan_and_inf_are_counted),
        cmocka_unit_test(values_without_elements_are_told),
        cmocka_unit_test(the_table_has_a_line_for_each),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(remarks_come_with_the_trace),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
