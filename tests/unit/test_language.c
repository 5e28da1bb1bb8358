/* What the library tells of the language and of a program before it runs: names, types, literals, operations,
 * inputs specified later, sources ahead of time. */
#include "include/weft/weft.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const DLDataType f32 = {kDLFloat, 32, 1}, u8 = {kDLUInt, 8, 1};

static DLTensor tensor(DLDataType dtype, int ndim, int64_t *shape)
{
    return (DLTensor){.device = {kDLCPU, 0}, .ndim = ndim, .dtype = dtype, .shape = shape};
}

/* ---- names and types ---- */

static void expect_advice(const char *text, const char *name, const char *advice)
{
    char *found = weft_name_advice(text, name);
    if (advice)
        assert_string_equal(found, advice);
    else
        assert_null(found);
    weft_free(found);
}

static void meanings(void **state)
{
    (void)state;
    expect_advice("max( u , x) + 1", "x", "if 'x' is a dimension, write max(u, axes=x)");
    expect_advice("max(mean(u, [y, z])[0] + 1, x)", "x",
                  "if 'x' is a dimension, write max(mean(u, [y, z])[0] + 1, axes=x)");
    expect_advice("max(u, x, y)", "x", NULL);
    expect_advice("max(x, u)", "x", NULL);
    expect_advice("squeeze(f(u), axis = x)", "x", "if 'x' is a dimension, write f(u).x[0]");
    expect_advice("concat(a, b, [x])", "x", NULL);
    expect_advice("concat(a, b[x], x) # concat(a, y)", "y", NULL);
    expect_advice("v . vector [ u ]", "u", "if 'u' is a label, write .vector['u']");
    expect_advice("a + NaN", "NaN", "if the constant is meant, write nan");
    expect_advice("pad(u, x", "x", "if 'x' is a dimension, write axes=x");
    expect_advice("\xff max(, x)", "x", "if 'x' is a dimension, write max(.., axes=x)");
    expect_advice(")] , x", "x", NULL);
    expect_advice("", "x", NULL);
    assert_null(weft_name_advice(NULL, "x"));
}

static void names(void **state)
{
    (void)state;
    static const char *const inputs[] = {"alpha", "beta"};
    assert_int_equal(weft_dtype_from_name("uint8[3]", 5), WEFT_UINT8);
    assert_int_equal(weft_dtype_from_name("u8", 2), WEFT_UINT8);
    assert_int_equal(weft_dtype_from_name("uint", 4), WEFT_DTYPE_COUNT);
    assert_string_equal(weft_nearest_name("alpah", inputs, 2), "alpha");
    assert_null(weft_nearest_name("gamma", inputs, 2));
    assert_string_equal(weft_nearest_dtype("float"), "float32");
    assert_string_equal(weft_nearest_dtype("flaot64"), "float64");
    assert_null(weft_nearest_dtype("img"));
}

static void types(void **state)
{
    (void)state;
    struct weft_error *error;
    assert_int_equal(weft_check_type("uint8[480, w, ?]@HWC", &error), WEFT_OK);
    assert_null(error);
    assert_int_equal(weft_check_type("uint8[480, w", &error), WEFT_SYNTAX_ERROR);
    assert_int_equal(error->spans[0].start, 5);
    weft_error_destroy(error);
    assert_int_equal(weft_check_type("uint8(h, w:s=4, vector:c=(u, 'v w'))", NULL), WEFT_OK);
    assert_int_equal(weft_check_type("(h, w)", NULL), WEFT_OK);
    assert_int_equal(weft_check_type("uint8(width)", NULL), WEFT_NAME_ERROR);
    assert_int_equal(weft_check_type(NULL, NULL), WEFT_INVALID_ARGUMENT);
}

/* ---- literals ---- */

static struct weft_literal *literal(const char *text, enum weft_dtype dtype)
{
    struct weft_literal *read;
    struct weft_error *error;
    errno = 77;
    assert_int_equal(weft_read_literal(text, dtype, &read, &error), WEFT_OK);
    assert_int_equal(errno, 77);
    assert_null(error);
    return read;
}

static void literals(void **state)
{
    (void)state;
    struct weft_literal *read = literal("-2**3 + 0.5", WEFT_DTYPE_COUNT);
    assert_int_equal(read->dtype, WEFT_FLOAT32);
    assert_int_equal(read->rank, 0);
    assert_true(*(float *)read->data == -7.5f);
    weft_free(read);
    read = literal("[[1, 2.5, 300], [-1, 0, 4]]", WEFT_UINT8);
    assert_int_equal(read->dtype, WEFT_UINT8);
    assert_int_equal(read->rank, 2);
    assert_int_equal(read->shape[0], 2);
    assert_int_equal(read->shape[1], 3);
    assert_memory_equal(read->data, ((unsigned char[]){1, 2, 255, 0, 0, 4}), 6);
    weft_free(read);
    read = literal("true", WEFT_DTYPE_COUNT);
    assert_int_equal(read->dtype, WEFT_BOOL);
    weft_free(read);
}

/* The status, and where the first error is; -1: there is none. */
static enum weft_status refused(const char *text, enum weft_dtype dtype, int *place)
{
    struct weft_literal *read;
    struct weft_error *error;
    enum weft_status status = weft_read_literal(text, dtype, &read, &error);
    assert_null(read);
    *place = error ? (int)error->spans[0].start : -1;
    weft_error_destroy(error);
    return status;
}

static void no_literals(void **state)
{
    (void)state;
    int place;
    assert_int_equal(refused("img", WEFT_DTYPE_COUNT, &place), WEFT_SYNTAX_ERROR);
    assert_int_equal(place, -1);
    assert_int_equal(refused("sqrt(2)", WEFT_DTYPE_COUNT, &place), WEFT_SYNTAX_ERROR);
    assert_int_equal(place, -1);
    assert_int_equal(refused("[1, [2]]", WEFT_DTYPE_COUNT, &place), WEFT_SYNTAX_ERROR);
    assert_int_equal(place, 4);
    assert_int_equal(refused("[1, x]", WEFT_DTYPE_COUNT, &place), WEFT_SYNTAX_ERROR);
    assert_int_equal(place, 4);
    assert_int_equal(refused("1 +", WEFT_DTYPE_COUNT, &place), WEFT_SYNTAX_ERROR);
    assert_int_equal(place, 3);
    assert_int_equal(refused("2**100", WEFT_DTYPE_COUNT, &place), WEFT_TYPE_ERROR);
    assert_int_equal(place, 0);
    assert_int_equal(refused("[1, 2**100]", WEFT_FLOAT32, &place), WEFT_TYPE_ERROR);
    assert_int_equal(place, 4);
}

/* ---- operations ---- */

static void operations(void **state)
{
    (void)state;
    struct weft_operation row;
    static const char *const forms[] = {"conversion", "view", "reduction"};
    int counts[4] = {0};           /* operations, and those of each form, which come in that order */
    for (size_t i = 0; weft_operation_at(i, &row); i++) {
        int form = 0;
        while (form < 3 && strcmp(row.form, forms[form]) != 0)
            form++;
        form = (form + 1) % 4;
        assert_true(*row.names && *row.parameters && *row.doc);
        assert_true(form ? row.signature && !row.rule : row.rule && row.type && !row.signature);
        for (int later = form + 1; later < 4; later++)
            assert_int_equal(counts[later], 0);
        counts[form]++;
    }
    assert_true(counts[0] > 60 && counts[1] == 3 && counts[2] > 3 && counts[3] > 0);
    assert_false(weft_operation_at(SIZE_MAX, &row));
}

/* ---- a program, specified later ---- */

struct fixture {
    struct weft_context *context;
    int warnings;
};

static void on_log(void *user, const struct weft_error *record)
{
    struct fixture *f = user;
    f->warnings += record->severity == WEFT_WARNING;
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const struct weft_context_params params = {.cache = "", .log = on_log, .user = f};
    *state = f;
    return weft_context_create(&params, &f->context, NULL);
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    weft_context_destroy(f->context);
    free(f);
    return 0;
}

static struct weft_program *compile(struct fixture *f, const char *text)
{
    struct weft_program *program;
    assert_int_equal(weft_compile(f->context, text, NULL, &program, NULL), WEFT_OK);
    return program;
}

static enum weft_status specify(struct weft_program *program, const struct weft_input_type *inputs, size_t count,
                                struct weft_error **error)
{
    const struct weft_compile_params params = {.inputs = inputs, .input_count = count};
    return weft_program_specify(program, &params, error);
}

static void program_names(void **state)
{
    struct fixture *f = *state;
    struct weft_program *program = compile(f, "input b: uint8\nc = a + b\nd = c * 2\nreturn c");
    struct weft_input_info info;
    assert_true(weft_program_input(program, 0, &info));
    assert_string_equal(info.name, "b");
    assert_int_equal(info.dtype, WEFT_UINT8);
    assert_int_equal(info.span.start, 6);
    assert_true(weft_program_input(program, 1, &info));
    assert_string_equal(info.name, "a");
    assert_int_equal(info.dtype, WEFT_DTYPE_COUNT);
    assert_int_equal(info.span.start, 19);
    assert_false(weft_program_input(program, 2, &info));
    assert_string_equal(weft_program_binding_name(program, 0), "c");
    assert_string_equal(weft_program_binding_name(program, 1), "d");
    assert_null(weft_program_binding_name(program, 2));
    weft_program_destroy(program);
    program = compile(f, "c = mean(a); c < a < 2 * c"); /* both name values of their own */
    assert_string_equal(weft_program_binding_name(program, 0), "c");
    assert_null(weft_program_binding_name(program, 1));
    weft_program_destroy(program);
}

/* A binding that becomes a result is used, and the rest is told again. */
static void wanted_later(void **state)
{
    struct fixture *f = *state;
    struct weft_program *program = compile(f, "y = x + 1\nz = x * 2\nu = x\nreturn y");
    const char *const wanted[] = {"z"};
    assert_int_equal(f->warnings, 2);
    assert_int_equal(weft_program_specify(program, &(struct weft_compile_params){.results = wanted, .result_count = 1},
                                          NULL), WEFT_OK);
    assert_int_equal(f->warnings, 3);
    assert_int_equal(weft_program_result_count(program), 2);
    assert_string_equal(weft_program_result_name(program, 1), "z");
    weft_program_destroy(program);
}

static const char *result_type(struct weft_program *program)
{
    static char copy[100];
    const char **types;
    assert_int_equal(weft_program_result_types(program, &types, NULL), WEFT_OK);
    snprintf(copy, sizeof copy, "%s", types[0]);
    weft_free(types);
    return copy;
}

static void types_of_results(void **state)
{
    struct fixture *f = *state;
    struct weft_program *program = compile(f, "a * b");
    assert_string_equal(result_type(program), "?");
    assert_int_equal(specify(program, &(struct weft_input_type){"a", "uint8[h, 3]@WC"}, 1, NULL), WEFT_OK);
    assert_string_equal(result_type(program), "?");
    assert_int_equal(specify(program, &(struct weft_input_type){"b", "float32"}, 1, NULL), WEFT_OK);
    assert_string_equal(result_type(program), "float32");
    assert_int_equal(specify(program, &(struct weft_input_type){"b", "float32[]"}, 1, NULL), WEFT_OK);
    assert_string_equal(result_type(program), "float32[h, 3]@WC");
    weft_program_destroy(program);
}

/* Values bind size variables, for this question alone; extents that samples do not share are not known. */
static void types_of_values(void **state)
{
    struct fixture *f = *state;
    struct weft_program *program = compile(f, "kernel k(a: uint8[h, w, 3]) { return y = a }");
    int64_t shapes[2][3] = {{4, 5, 3}, {4, 7, 3}};
    DLTensor samples[] = {tensor(u8, 3, shapes[0]), tensor(u8, 3, shapes[1])};
    const struct weft_argument one = {.tensors = samples}, two = {.tensors = samples, .count = 2, .batch = true};
    assert_string_equal(result_type(program), "uint8[h, w, 3]");
    assert_int_equal(specify(program, &(struct weft_input_type){.name = "a", .value = &one}, 1, NULL), WEFT_OK);
    assert_string_equal(result_type(program), "uint8[4, 5, 3]");
    assert_int_equal(specify(program, &(struct weft_input_type){.name = "a", .value = &two}, 1, NULL), WEFT_OK);
    assert_string_equal(result_type(program), "uint8[4, ?, 3]");
    struct weft_argument other = {.tensors = &samples[1]};
    struct weft_tensor_info info;
    assert_int_equal(weft_infer(program, &other, 1, &info, NULL), WEFT_OK);
    assert_int_equal(info.shape[1], 7);
    assert_int_equal(specify(program, NULL, 0, NULL), WEFT_INVALID_ARGUMENT);
    weft_program_destroy(program);
}

static void told(struct fixture *f, const char *text, const struct weft_input_type *inputs, size_t count,
                 enum weft_status status, const char *input, const char *message)
{
    struct weft_program *program = compile(f, text);
    struct weft_error *error;
    assert_int_equal(specify(program, inputs, count, &error), status);
    assert_non_null(error);
    if (input)
        assert_string_equal(error->input, input);
    else
        assert_null(error->input);
    assert_non_null(strstr(error->message, message));
    weft_error_destroy(error);
    weft_program_destroy(program);
}

static void mistakes(void **state)
{
    struct fixture *f = *state;
    const char *kernel = "kernel k(a: float32[n], b: float32[n]) { return y = a + b }";
    int64_t two[] = {2}, three[] = {3};
    DLTensor samples[] = {tensor(f32, 1, two), tensor(f32, 1, three)};
    const char *const origins[] = {"'p.npy'", "'q.npy'"};
    const struct weft_argument first = {.tensors = samples}, second = {.tensors = samples + 1},
                               batch = {.tensors = samples, .count = 2, .batch = true},
                               short_batch = {.tensors = samples, .count = 1, .batch = true};
    told(f, kernel, (struct weft_input_type[]){{.name = "a", .value = &first}, {.name = "b", .value = &second}}, 2,
         WEFT_SHAPE_ERROR, "b", "size variable n is 2 in input 'a' but 3 in input 'b'");
    told(f, kernel, (struct weft_input_type[]){{"a", "float32"}, {"b", "float32"}, {"a", "uint8"}}, 3,
         WEFT_NAME_ERROR, NULL, "input 'a' is given twice");
    told(f, kernel, (struct weft_input_type[]){{.name = "a", .value = &first}, {.name = "b", .value = &batch}}, 2,
         WEFT_SHAPE_ERROR, "b", "sample 1: size variable n is 2");
    told(f, kernel, (struct weft_input_type[]){{.name = "a", .value = &first}, {"b", NULL, &batch, origins}}, 2,
         WEFT_SHAPE_ERROR, "b", "but 3 in input 'b' of sample 'q.npy'");
    told(f, kernel, (struct weft_input_type[]){{"a", "float32[2]"}, {"b", "float32[3]"}}, 2,
         WEFT_SHAPE_ERROR, "b", "size variable n");
    told(f, "input x: float32[3]; input y: float32[n]; return sum(x) * y",
         (struct weft_input_type[]){{"x", "float32[n]"}, {"y", "float32[4]"}}, 2,
         WEFT_SHAPE_ERROR, "y", "size variable n is 3 in input 'x' but 4 in input 'y'");
    told(f, kernel, (struct weft_input_type[]){{"a", "uint8", &first, origins}}, 1,
         WEFT_INPUT_ERROR, "a", "'p.npy' for input 'a' is uint8, expected float32");
    told(f, kernel, (struct weft_input_type[]){{"a", "float32[2, ?]"}}, 1,
         WEFT_SHAPE_ERROR, "a", "input 'a' has shape [2, ?], expected [n]");
    told(f, kernel, (struct weft_input_type[]){{"a", "float32["}}, 1, WEFT_SYNTAX_ERROR, "a", "expected");
    told(f, kernel, (struct weft_input_type[]){{"a", "float32[n]@H"}, {"c", "bool"}}, 2,
         WEFT_NAME_ERROR, NULL, "no input 'c'");
    told(f, kernel, (struct weft_input_type[]){{.name = "a", .value = &batch}, {.name = "b", .value = &short_batch}},
         2, WEFT_SHAPE_ERROR, "b", "batches of 2 and 1 samples");
    told(f, "a & 1", (struct weft_input_type[]){{"a", "float32"}}, 1, WEFT_TYPE_ERROR, NULL, "takes integers");
}

static void wrong_calls(void **state)
{
    struct fixture *f = *state;
    struct weft_program *program = compile(f, "a");
    const struct weft_argument none = {.count = 1};
    assert_int_equal(specify(NULL, NULL, 0, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(specify(program, NULL, 1, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(specify(program, &(struct weft_input_type){.name = "a"}, 1, NULL), WEFT_INVALID_ARGUMENT);
    assert_int_equal(specify(program, &(struct weft_input_type){.name = "a", .value = &none}, 1, NULL),
                     WEFT_INVALID_ARGUMENT);
    assert_int_equal(weft_program_result_types(program, NULL, NULL), WEFT_INVALID_ARGUMENT);
    weft_program_destroy(program);
}

/* ---- ahead of time ---- */

static void sources(void **state)
{
    struct fixture *f = *state;
    const char *text = "kernel twice(x: float32[n]) { return y = x * 2 }\nkernel one(x: uint8[n]) { return y = x }";
    struct weft_file *files;
    struct weft_error *error;
    size_t count;
    assert_int_equal(weft_build(NULL, text, NULL, &files, &count, &error), WEFT_OK);
    assert_null(error);
    assert_int_equal(count, 6);
    assert_string_equal(files[0].name, "twice.h");
    assert_string_equal(files[3].name, "one.c");
    assert_string_equal(files[4].name, "weft_support.h");
    assert_string_equal(files[5].name, "weft_support.c");
    assert_non_null(strstr(files[0].text, "twice("));
    weft_free(files);
    const struct weft_build_params bundle = {.bundle = "all", .levels = WEFT_X86_64_V3, .support = WEFT_SUPPORT_NONE};
    assert_int_equal(weft_build(NULL, text, &bundle, &files, &count, NULL), WEFT_OK);
    assert_int_equal(count, 2);
    assert_string_equal(files[1].name, "all.c");
    weft_free(files);
    const struct weft_build_params dense = {.entries = WEFT_ENTRY_DENSE}, support = {.support = WEFT_SUPPORT_ONLY};
    assert_int_equal(weft_build(NULL, text, &dense, &files, &count, NULL), WEFT_OK);
    assert_int_equal(count, 4);
    weft_free(files);
    assert_int_equal(weft_build(NULL, NULL, &support, &files, &count, NULL), WEFT_OK);
    assert_int_equal(count, 2);
    weft_free(files);
    const struct weft_build_params cuda = {.target = WEFT_TARGET_CUDA, .names_only = true};
    assert_int_equal(weft_build(f->context, text, &cuda, &files, &count, NULL), WEFT_OK);
    assert_string_equal(files[0].name, "twice_cuda.h");
    assert_string_equal(files[0].text, "");
    weft_free(files);
    assert_int_equal(weft_build(NULL, "x + 1", NULL, &files, &count, &error), WEFT_INVALID_ARGUMENT);
    assert_null(files);
    weft_error_destroy(error);
    assert_int_equal(weft_build(NULL, text, &(struct weft_build_params){.target = WEFT_TARGET_CUDA}, &files, &count,
                                NULL), WEFT_INVALID_ARGUMENT);
}

/* A warning of the types is told by the call that meets them, also where that fails for the shapes, and by no other. */
static void remarks_of_calls_that_fail(void **state)
{
    struct fixture *f = *state;
    uint8_t two[2] = {200, 100}, three[3] = {180, 0, 0}, out[3];
    const DLTensor a = weft_dense(two, WEFT_UINT8, 1, (int64_t[]){2});
    const DLTensor b = weft_dense(three, WEFT_UINT8, 1, (int64_t[]){3});
    const DLTensor y = weft_dense(out, WEFT_UINT8, 1, (int64_t[]){3});
    const struct weft_argument inputs[] = {{.name = "a", .tensors = &a}, {.name = "b", .tensors = &b}};
    const struct weft_argument output = {.tensors = &y};
    const struct weft_run_params run = {.inputs = inputs, .input_count = 2, .outputs = &output, .output_count = 1};
    struct weft_tensor_info info;
    struct weft_results results;
    for (int call = 0; call < 3; call++) {
        struct weft_program *program = compile(f, "uint8((a + b) / 2)"), *other = compile(f, "b * 1");
        const int before = f->warnings;
        assert_int_equal(call == 0   ? weft_run(program, &run, NULL)
                         : call == 1 ? weft_infer(program, inputs, 2, &info, NULL)
                                     : weft_results_alloc(program, inputs, 2, &results, NULL), WEFT_SHAPE_ERROR);
        assert_int_equal(f->warnings, before + 1);
        assert_int_equal(weft_run(program, &run, NULL), WEFT_SHAPE_ERROR);
        assert_int_equal(weft_infer(other, &inputs[1], 1, &info, NULL), WEFT_OK);
        assert_int_equal(f->warnings, before + 1);
        weft_program_destroy(other);
        weft_program_destroy(program);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names), cmocka_unit_test(meanings), cmocka_unit_test(types), cmocka_unit_test(literals),
        cmocka_unit_test(no_literals), cmocka_unit_test(operations),
        cmocka_unit_test_setup_teardown(program_names, setup, teardown),
        cmocka_unit_test_setup_teardown(wanted_later, setup, teardown),
        cmocka_unit_test_setup_teardown(types_of_results, setup, teardown),
        cmocka_unit_test_setup_teardown(types_of_values, setup, teardown),
        cmocka_unit_test_setup_teardown(mistakes, setup, teardown),
        cmocka_unit_test_setup_teardown(wrong_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(remarks_of_calls_that_fail, setup, teardown),
        cmocka_unit_test_setup_teardown(sources, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
