/* Calls with batches that are wrong: each is told with its place, the sample where there is one, and
 * nothing is written. */
#include "tests/batch/samples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { COUNT = 4, LENGTH = 6 };

/* A right call of "a + b * k": two batches and a tensor. */
struct given {
    float data[3][COUNT * LENGTH], k;
    int64_t shapes[3][COUNT][2], strides[3][COUNT][2];
    DLTensor tensors[3][COUNT], k_tensor;
    struct weft_argument in[3], out;
};

static struct weft_context *context;

static int open_context(void **unused)
{
    (void)unused;
    return weft_context_create(NULL, &context, NULL);
}

static int close_context(void **unused)
{
    (void)unused;
    weft_context_destroy(context);
    return 0;
}

static void good(struct given *given)
{
    memset(given, 0, sizeof *given);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < COUNT; i++) {
            given->shapes[t][i][0] = LENGTH;
            given->strides[t][i][0] = 1;
            given->tensors[t][i] = host_tensor(given->data[t] + i * LENGTH, WEFT_FLOAT32, 1, given->shapes[t][i]);
        }
    for (int n = 0; n < COUNT * LENGTH; n++)
        given->data[0][n] = (float)n, given->data[1][n] = 1, given->data[2][n] = -7;
    given->k = 2;
    given->k_tensor = host_tensor(&given->k, WEFT_FLOAT32, 0, NULL);
    given->in[0] = (struct weft_argument){"a", given->tensors[0], COUNT, true};
    given->in[1] = (struct weft_argument){"b", given->tensors[1], COUNT, true};
    given->in[2] = (struct weft_argument){"k", &given->k_tensor, 1, false};
    given->out = (struct weft_argument){NULL, given->tensors[2], COUNT, true};
}

static enum weft_status run(const char *text, const struct given *given, char *message, size_t size)
{
    struct weft_program *program;
    struct weft_error *error = NULL;
    assert_int_equal(weft_compile(context, text, NULL, &program, NULL), WEFT_OK);
    const struct weft_run_params params = {given->in, 3, &given->out, 1, NULL};
    enum weft_status status = weft_run(program, &params, &error);
    *message = '\0';
    if (error)
        snprintf(message, size, "%s", error->message);
    weft_error_destroy(error);
    weft_program_destroy(program);
    return status;
}

/* The call fails with this status, its message holds `part`, and no output was written. */
static void wrong(struct given *given, enum weft_status status, const char *part)
{
    char message[1000];
    float before[3][COUNT * LENGTH];
    memcpy(before, given->data, sizeof before);
    enum weft_status found = run("a + b * k", given, message, sizeof message);
    if (found != status || !strstr(message, part))
        fail_msg("status %d, '%s', expected %d, '%s'", found, message, status, part);
    assert_memory_equal(before, given->data, sizeof before);
}

static void right(struct given *given)
{
    char message[1000];
    enum weft_status status = run("a + b * k", given, message, sizeof message);
    if (status != WEFT_OK)
        fail_msg("status %d, '%s'", status, message);
}

static void right_calls(void **unused)
{
    (void)unused;
    struct given g;
    good(&g), right(&g);
    for (int n = 0; n < COUNT * LENGTH; n++)
        assert_true(g.data[2][n] == (float)n + 2);
    good(&g), g.in[0].count = g.in[1].count = g.out.count = 1, right(&g);
    good(&g), g.in[0].count = g.in[1].count = g.out.count = 0, g.in[0].tensors = NULL;
    wrong(&g, WEFT_TYPE_ERROR, "input 'a' is a batch without samples, which leaves its dtype open; declare it, as in "
                               "'input a: float32'");
}

static void counts(void **unused)
{
    (void)unused;
    struct given g;
    good(&g), g.in[1].count = 3;
    wrong(&g, WEFT_SHAPE_ERROR, "inputs 'a' and 'b' are batches of 4 and 3 samples");
    good(&g), g.in[1].count = -1;
    wrong(&g, WEFT_INPUT_ERROR, "input 'b': its count is negative");
    good(&g), g.in[1].batch = false;
    wrong(&g, WEFT_INPUT_ERROR, "input 'b': it has 4 samples, but is not called a batch: set its batch");
    good(&g), g.out.count = 3;
    wrong(&g, WEFT_INPUT_ERROR, "output 'out' is a batch of 3 samples, expected a batch of 4 samples");
    good(&g), g.out.batch = false, g.out.count = 1;
    wrong(&g, WEFT_INPUT_ERROR, "output 'out' is one tensor, expected a batch of 4 samples");
    good(&g), g.in[0].batch = g.in[1].batch = false, g.in[0].count = g.in[1].count = 1, g.out.count = 1;
    wrong(&g, WEFT_INPUT_ERROR, "output 'out' is a batch of 1 sample, expected one tensor");
    good(&g), g.in[0].tensors = NULL;
    wrong(&g, WEFT_INPUT_ERROR, "sample 0: input 'a': its DLTensor is NULL");
}

static void samples(void **unused)
{
    (void)unused;
    struct given g;
    good(&g), g.tensors[0][2].ndim = 2, g.shapes[0][2][1] = 1;
    wrong(&g, WEFT_INPUT_ERROR, "input 'a': sample 2 has rank 2, sample 0 has rank 1; the samples of a batch");
    good(&g), g.tensors[1][3].dtype = weft_dtype_to_dlpack(WEFT_INT32);
    wrong(&g, WEFT_INPUT_ERROR, "input 'b': sample 3 has dtype int32, sample 0 has dtype float32");
    good(&g), g.tensors[1][0].dtype = (DLDataType){5, 64, 1};
    wrong(&g, WEFT_INPUT_ERROR, "input 'b': its dtype, DLPack's code 5, 64 bits, 1 lanes, is none of Weft's");
    good(&g), g.shapes[1][1][0] = 5;
    wrong(&g, WEFT_SHAPE_ERROR, "sample 1: cannot broadcast b * k [5] against a [6]");
    good(&g), g.shapes[2][3][0] = 5;
    wrong(&g, WEFT_SHAPE_ERROR, "sample 3: output 'out' has shape [5], expected [6]");
    good(&g), g.tensors[0][1].data = NULL;
    wrong(&g, WEFT_INPUT_ERROR, "sample 1: input 'a': its data pointer is NULL");
    good(&g), g.tensors[0][0].data = NULL;
    wrong(&g, WEFT_INPUT_ERROR, "sample 0: input 'a': its data pointer is NULL");
    good(&g), g.tensors[0][3].byte_offset = 2;
    wrong(&g, WEFT_INPUT_ERROR, "sample 3: input 'a': its data is not aligned");
    good(&g), g.tensors[0][3].byte_offset = UINT64_MAX - 3;
    wrong(&g, WEFT_INPUT_ERROR, "sample 3: input 'a': its data reach beyond the end of memory");
    good(&g), g.tensors[1][2].device.device_type = kDLOpenCL;
    wrong(&g, WEFT_INPUT_ERROR, "sample 2: input 'b': it is neither in host memory nor in");
    good(&g), g.tensors[1][2].shape = NULL;
    wrong(&g, WEFT_INPUT_ERROR, "sample 2: input 'b': its shape is NULL");
    good(&g), g.shapes[1][2][0] = -1;
    wrong(&g, WEFT_INPUT_ERROR, "sample 2: input 'b': an extent is negative");
}

static void overlaps(void **unused)
{
    (void)unused;
    struct given g;
    good(&g), g.tensors[2][1].data = g.data[0] + LENGTH; /* the same sample of a */
    right(&g);
    for (int n = 0; n < LENGTH; n++)
        assert_true(g.data[0][LENGTH + n] == (float)(LENGTH + n + 2));
    good(&g);
    for (int i = 0; i < COUNT; i++)
        g.tensors[2][i].data = g.data[1] + i * LENGTH;
    right(&g);
    good(&g), g.tensors[2][1].data = g.data[0] + 3 * LENGTH;
    wrong(&g, WEFT_OVERLAP_ERROR, "sample 1 of output 'out' overlaps sample 3 of input 'a'");
    good(&g), g.tensors[2][1].data = g.data[0] + LENGTH + 1;
    wrong(&g, WEFT_OVERLAP_ERROR, "sample 1 of output 'out' overlaps sample 1 of input 'a'");
    good(&g), g.tensors[2][3].data = g.data[2] + 1;
    wrong(&g, WEFT_OVERLAP_ERROR, "overlaps sample");
    good(&g), g.tensors[2][2].data = g.data[2];
    wrong(&g, WEFT_OVERLAP_ERROR, "overlaps sample");
    good(&g), g.k_tensor.data = g.data[2] + 2 * LENGTH;
    wrong(&g, WEFT_OVERLAP_ERROR, "sample 2 of output 'out' overlaps input 'k'");
    good(&g), g.strides[2][2][0] = 0, g.tensors[2][2].strides = g.strides[2][2];
    wrong(&g, WEFT_OVERLAP_ERROR, "sample 2 of output 'out' overlaps itself");
    good(&g);
    for (int i = 0; i < COUNT; i++) /* all outputs in one place */
        g.tensors[2][i].data = g.data[2];
    wrong(&g, WEFT_OVERLAP_ERROR, "overlaps sample");
}

/* Samples that are columns of one array interleave, and do not overlap. */
static void columns(void **unused)
{
    (void)unused;
    struct given g;
    good(&g);
    for (int t = 0; t < 3; t++)
        for (int i = 0; i < COUNT; i++) {
            g.tensors[t][i].data = g.data[t] + i;
            g.tensors[t][i].strides = g.strides[t][i];
            g.strides[t][i][0] = COUNT;
        }
    right(&g);
    for (int n = 0; n < COUNT * LENGTH; n++)
        assert_true(g.data[2][n] == (float)n + 2);
    g.tensors[2][3].data = g.data[2] + 1;
    wrong(&g, WEFT_OVERLAP_ERROR, "of output 'out' overlaps sample");
    g.tensors[2][3].data = g.data[2] + 3, g.shapes[0][1][0] = g.shapes[1][1][0] = g.shapes[2][1][0] = 5;
    right(&g);
}

/* However many columns: they are seen to be evenly apart, and not compared in pairs, of which there are too many. */
static void many_columns(void **unused)
{
    (void)unused;
    enum { MANY = 2000, LONG = 3 };
    static float data[2][LONG * MANY];
    static DLTensor tensors[2][MANY];
    struct weft_program *program;
    int64_t shape[] = {LONG}, strides[] = {MANY};
    for (int t = 0; t < 2; t++)
        for (int i = 0; i < MANY; i++) {
            tensors[t][i] = host_tensor(data[t] + i, WEFT_FLOAT32, 1, shape);
            tensors[t][i].strides = strides;
        }
    for (int n = 0; n < LONG * MANY; n++)
        data[0][n] = (float)n;
    const struct weft_argument in = {"a", tensors[0], MANY, true}, out = {NULL, tensors[1], MANY, true};
    const struct weft_run_params params = {&in, 1, &out, 1, NULL};
    assert_int_equal(weft_compile(context, "a * 2", NULL, &program, NULL), WEFT_OK);
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    for (int n = 0; n < LONG * MANY; n++)
        assert_true(data[1][n] == (float)n * 2);
    weft_program_destroy(program);
}

/* The same question asked of every pair of samples, by comparing all their addresses. */
static bool all_apart(const struct given *g, bool in_place[COUNT])
{
    for (int i = 0; i < COUNT; i++) {
        in_place[i] = false;
        uintptr_t x = (uintptr_t)g->tensors[2][i].data;
        for (int t = 0; t < 3; t++)
            for (int j = 0; j < COUNT; j++) {
                uintptr_t y = (uintptr_t)g->tensors[t][j].data;
                bool same = t < 2 && i == j && x == y;
                if (!(t == 2 && i == j) && !same && x < y + LENGTH * 4 && y < x + LENGTH * 4)
                    return false;
            }
    }
    return true;
}

static void random_places(void **unused)
{
    (void)unused;
    static float room[400];
    struct given g;
    struct weft_program *program;
    int found[2] = {0, 0};
    random_seed(3);
    assert_int_equal(weft_compile(context, "a + b * k", NULL, &program, NULL), WEFT_OK);
    for (int round = 0; round < 4000; round++) {
        bool in_place[COUNT];
        good(&g);
        for (int t = 0; t < 3; t++)
            for (int i = 0; i < COUNT; i++)
                g.tensors[t][i].data = t == 2 && random_below(3) == 0 ? g.tensors[random_below(2)][i].data
                                       : round % 3 ? room + random_below(65) * LENGTH
                                                   : room + (i * 3 + t) * (LENGTH + (int)random_below(2));
        const struct weft_run_params params = {g.in, 3, &g.out, 1, NULL};
        bool apart = all_apart(&g, in_place);
        assert_int_equal(weft_run(program, &params, NULL), apart ? WEFT_OK : WEFT_OVERLAP_ERROR);
        found[apart]++;
    }
    assert_true(found[0] > 300 && found[1] > 300);
    weft_program_destroy(program);
}

/* ---- what batches without samples, and beside plain results, are ---- */

static void no_samples(void **unused)
{
    (void)unused;
    struct weft_program *program;
    struct weft_tensor_info infos[2];
    float k = 3, doubled = 0;
    DLTensor plain = host_tensor(&k, WEFT_FLOAT32, 0, NULL), result = host_tensor(&doubled, WEFT_FLOAT32, 0, NULL);
    assert_int_equal(weft_compile(context, "input x: float32[?, 3]; input k: float32\nreturn x + k, twice=k * 2", NULL,
                                  &program, NULL), WEFT_OK);
    const struct weft_argument in[] = {{"x", NULL, 0, true}, {"k", &plain, 0, false}};
    const struct weft_argument out[] = {{NULL, NULL, 0, true}, {NULL, &result, 0, false}};
    const struct weft_run_params params = {in, 2, out, 2, NULL};
    assert_int_equal(weft_infer(program, in, 2, infos, NULL), WEFT_OK);
    assert_true(infos[0].batch && infos[0].count == 0 && infos[0].rank == 2);
    assert_true(infos[0].shape[0] == 0 && infos[0].shape[1] == 3);
    assert_true(!infos[1].batch && infos[1].count == 1 && infos[1].rank == 0);
    assert_int_equal(weft_prepare(program, &params, NULL, NULL, NULL), WEFT_OK);
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    assert_true(doubled == 6);
    weft_program_destroy(program);
}

static void plain_beside_batch(void **unused)
{
    (void)unused;
    struct given g;
    good(&g);
    struct weft_program *program;
    assert_int_equal(weft_compile(context, "return k * 2", NULL, &program, NULL), WEFT_OK);
    const struct weft_run_params params = {&g.in[2], 1, &g.out, 1, NULL};
    struct weft_error *error = NULL;
    assert_int_equal(weft_run(program, &params, &error), WEFT_INPUT_ERROR);
    assert_non_null(strstr(error->message, "is a batch of 4 samples, expected one tensor: it depends on no batch"));
    weft_error_destroy(error);
    weft_program_destroy(program);
}

/* Size variables hold within a sample. */
static void size_variables(void **unused)
{
    (void)unused;
    struct weft_program *program;
    struct weft_error *error = NULL;
    struct given g;
    good(&g);
    assert_int_equal(weft_compile(context, "input a: float32[n]; input b: float32[n]; a + b", NULL, &program, NULL),
                     WEFT_OK);
    g.shapes[0][1][0] = g.shapes[1][1][0] = g.shapes[2][1][0] = 4;
    const struct weft_run_params params = {g.in, 2, &g.out, 1, NULL};
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    g.shapes[1][1][0] = 1;
    assert_int_equal(weft_run(program, &params, &error), WEFT_SHAPE_ERROR);
    assert_non_null(strstr(error->message, "sample 1: size variable n is 4 in input 'a' but 1 in input 'b'"));
    weft_error_destroy(error);
    weft_program_destroy(program);
}

/* The remark is the first in the text, in whichever sample it was. */
static void remarks(void **unused)
{
    (void)unused;
    struct weft_program *program;
    struct weft_error *error = NULL;
    int32_t x[4] = {8, 9, 10, 11}, y[4] = {1, 1, 1, 0}, z[4] = {0, 1, 1, 1}, out[4];
    int64_t one = 1;
    DLTensor tensors[4][4];
    int32_t *const data[4] = {x, y, z, out};
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 4; i++)
            tensors[t][i] = host_tensor(data[t] + i, WEFT_INT32, 1, &one);
    assert_int_equal(weft_compile(context, "x // y + x % z", NULL, &program, NULL), WEFT_OK);
    const struct weft_argument in[] = {{"x", tensors[0], 4, true}, {"y", tensors[1], 4, true},
                                       {"z", tensors[2], 4, true}};
    const struct weft_argument to = {NULL, tensors[3], 4, true};
    const struct weft_run_params params = {in, 3, &to, 1, NULL};
    assert_int_equal(weft_run(program, &params, &error), WEFT_DIVIDE_BY_ZERO);
    assert_int_equal(error->column, 3);
    weft_error_destroy(error);
    assert_true(out[0] == 8 && out[1] == 9 && out[2] == 10 && out[3] == 0);
    y[3] = 1;
    assert_int_equal(weft_run(program, &params, &error), WEFT_DIVIDE_BY_ZERO);
    assert_int_equal(error->column, 12);
    weft_error_destroy(error);
    weft_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_calls),
        cmocka_unit_test(counts),
        cmocka_unit_test(samples),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(columns),
        cmocka_unit_test(many_columns),
        cmocka_unit_test(random_places),
        cmocka_unit_test(no_samples),
        cmocka_unit_test(plain_beside_batch),
        cmocka_unit_test(size_variables),
        cmocka_unit_test(remarks),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
