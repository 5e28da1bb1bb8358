/* Chains on the GPU: a reduction and what stands over the same rows in one launch, beside the same program with a
 * launch for each kernel, bit by bit; and beside C where no function's bits are the target's. Rows of one element and
 * of 70,000, few and many, of each type; operands that are no dense rows, results with gaps, a batch; and kernels that
 * need other rows, which wait for these. The fake driver counts launches. */
#include "tests/gpu/gpu.h"
#include "tests/gpu/mirror.h"
#include "tests/gpu/pair.h"
#include "tests/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 10 << 20, RANK = 3, ROW = 1 << 17 };

/* How the operand lies in memory. */
enum layout { DENSE, LATER, GAPS, SECOND, BACKWARDS, TURNED };

struct scene {
    const char *text;              /* of x, and a row y */
    enum weft_dtype dtype;
    int64_t shape[RANK];           /* the first extents may be 0: not there */
    enum layout layout;
    int launches;
};

#define SOFTMAX "softmax(x)"
#define UNIT "x / norm(x, -1, keepdims=true)"
#define CENTER "x - mean(x, -1, keepdims=true)"
#define LAYERNORM_ALONE "(x - mean(x, -1, keepdims=true)) / std(x, -1, keepdims=true)"
#define LAYERNORM LAYERNORM_ALONE " * y"

static const struct scene scenes[] = {
    {SOFTMAX, WEFT_FLOAT32, {0, 300, 1000}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT16, {0, 300, 1000}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT64, {0, 70, 1000}, DENSE, 1},
    {SOFTMAX, WEFT_BFLOAT16, {0, 33, 1001}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT32, {0, 2000, 31}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT32, {0, 40, 17}, GAPS, 1},
    {SOFTMAX, WEFT_FLOAT32, {0, 70, 5000}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT16, {0, 132, 70000}, DENSE, 1},
    {SOFTMAX, WEFT_FLOAT32, {4, 30, 100}, BACKWARDS, 1},
    {SOFTMAX, WEFT_FLOAT32, {0, 3, 70000}, DENSE, 0}, /* few and long: as many launches as without */
    {SOFTMAX, WEFT_FLOAT32, {0, 50, 1}, DENSE, 0},
    {SOFTMAX, WEFT_FLOAT32, {0, 50, 2}, DENSE, 0}, /* a thread for each row */
    {UNIT, WEFT_FLOAT32, {0, 257, 129}, LATER, 1},
    {UNIT, WEFT_FLOAT16, {0, 257, 128}, LATER, 1},
    {UNIT, WEFT_FLOAT16, {0, 100, 1111}, DENSE, 1},
    {UNIT, WEFT_FLOAT64, {0, 5, 5000}, DENSE, 1},
    {UNIT, WEFT_FLOAT32, {3, 20, 64}, TURNED, 1},
    {UNIT, WEFT_INT8, {0, 130, 400}, LATER, 1},
    {CENTER, WEFT_FLOAT32, {0, 100, 1000}, SECOND, 1},
    {CENTER, WEFT_FLOAT32, {0, 100, 1003}, LATER, 1},
    {CENTER, WEFT_UINT8, {0, 100, 1500}, LATER, 1},
    {CENTER, WEFT_FLOAT64, {0, 17, 31}, BACKWARDS, 1},
    {"x - mean(x, axes=1, keepdims=true)", WEFT_FLOAT32, {70, 90, 5}, DENSE, 1}, /* inner elements */
    {LAYERNORM, WEFT_FLOAT32, {0, 200, 768}, DENSE, 1},
    {LAYERNORM, WEFT_FLOAT16, {0, 200, 768}, DENSE, 1},
    {LAYERNORM, WEFT_FLOAT16, {0, 41, 1027}, GAPS, 1},
    {LAYERNORM, WEFT_FLOAT64, {0, 64, 1300}, TURNED, 1},
    {LAYERNORM, WEFT_FLOAT32, {0, 900, 22}, LATER, 1}, /* rows that chunks of a thread meet at the same place */
    {LAYERNORM, WEFT_FLOAT16, {0, 700, 18}, DENSE, 1},
    {"(x - mean(x, -1, keepdims=true)) / y", WEFT_UINT8, {0, 500, 23}, LATER, 1},
    {"x - mean(x, axes=1, keepdims=true)", WEFT_UINT8, {40, 60, 35}, DENSE, 0}, /* windows of inner elements */
    {"x // (max(x, axes=-1, keepdims=true) - 3)", WEFT_INT32, {0, 100, 130}, DENSE, 1},
    {"x // (x - max(x, axes=-1, keepdims=true))", WEFT_INT16, {0, 100, 131}, DENSE, 1}, /* by 0: a remark */
    {"(x - min(x, axes=-1, keepdims=true)) / (max(x, axes=-1, keepdims=true) - min(x, axes=-1, keepdims=true))",
     WEFT_FLOAT32, {0, 100, 200}, DENSE, 1},
    {"roll(x, 1, axes=-1) - mean(x, -1, keepdims=true)", WEFT_FLOAT32, {0, 100, 200}, DENSE, 1},
    {"x - transpose(mean(x, -1, keepdims=true))", WEFT_FLOAT32, {0, 100, 100}, DENSE, 0}, /* every row's */
    {"x - flip(mean(x, -1, keepdims=true), axes=0)", WEFT_FLOAT32, {0, 100, 100}, DENSE, 0},
    {"where(x > 0, x, 0) - (mean(x, -1, keepdims=true) + max(x))", WEFT_FLOAT32, {0, 100, 100}, DENSE, 0},
};

static void *operand, *row, *results[2];
static enum weft_status told;      /* of the last run */

/* Numbers of very unlike sizes, so that every other order of a sum shows. */
static void fill(enum weft_dtype dtype, void *to, int64_t count, uint64_t state)
{
    const size_t size = weft_dtype_size(dtype);
    for (int64_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const float value = ((float)(state >> 40 & 4095) - 2000) * (state >> 60 & 1 ? 0.001f : 0.01f);
        const double wide = value * 1.0000001;
        uint64_t any = state >> 29;
        if (dtype == WEFT_FLOAT64)
            memcpy(&any, &wide, sizeof any);
        else if (dtype == WEFT_FLOAT32)
            memcpy(&any, &value, sizeof value);
        else if (dtype == WEFT_FLOAT16 || dtype == WEFT_BFLOAT16)
            any = (dtype == WEFT_FLOAT16 ? 0x3000 : 0x3d00) + (state >> 40 & 0x87ff);
        memcpy((char *)to + (size_t)i * size, &any, size);
    }
}

static int rank_of(const struct scene *scene)
{
    return scene->shape[0] ? 3 : 2;
}

/* Strides of a layout in elements; returns the number of the first element. */
static int64_t lay_out(enum layout layout, int rank, const int64_t *shape, int64_t *strides)
{
    int64_t first = layout == LATER;
    strides[rank - 1] = layout == SECOND ? 2 : 1;
    for (int d = rank - 2; d >= 0; d--)
        strides[d] = strides[d + 1] * shape[d + 1] + (layout == GAPS && d == rank - 2 ? 3 : 0);
    for (int d = 0; d < rank && layout == BACKWARDS; d++) {
        first += (shape[d] - 1) * strides[d];
        strides[d] = -strides[d];
    }
    if (layout == TURNED) {
        strides[rank - 2] = 1;
        strides[rank - 1] = shape[rank - 2];
    }
    return first;
}

static DLTensor tensor(void *data, enum weft_dtype dtype, int rank, const int64_t *shape, int64_t *strides,
                       enum layout layout)
{
    const int64_t first = lay_out(layout, rank, shape, strides);
    return (DLTensor){.data = (char *)data + (size_t)first * weft_dtype_size(dtype), .device = {kDLCPU, 0},
                      .ndim = rank, .dtype = weft_dtype_to_dlpack(dtype), .shape = (int64_t *)shape,
                      .strides = strides};
}

static long launches(void)
{
    long (*count)(void) = (long (*)(void))gpu_mock("mockcuda_launches");
    return count ? count() : 0;
}

/* A program in a context of its own. */
struct made {
    struct weft_context *context;
    struct weft_program *program;
};

static struct made make(enum weft_target target, const char *disable, const char *text)
{
    const struct weft_context_params params = {.target = target, .disable = disable, .tier = WEFT_TIER_NONE};
    struct made made = {NULL, NULL};
    assert_int_equal(weft_context_create(&params, &made.context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(made.context, text, NULL, &made.program, NULL), WEFT_OK);
    return made;
}

/* How many launches it took, on the fake driver. */
static long run(struct made made, const struct weft_run_params *params, bool device)
{
    struct weft_error *error = NULL;
    char message[2000];
    const long before = device ? launches() : 0;
    const enum weft_status status = device ? mirror_run(made.context, made.program, params, &error)
                                           : weft_run(made.program, params, &error);
    told = status;
    if (status < 0) {
        weft_error_render(error, message, sizeof message);
        fail_msg("%s", message);
    }
    weft_error_destroy(error);
    weft_program_destroy(made.program);
    weft_context_destroy(made.context);
    return device ? launches() - before : 0;
}

static enum weft_dtype result_type(const char *text, enum weft_dtype input)
{
    const bool whole = input < WEFT_FLOAT16;
    return whole && !strstr(text, "//") ? WEFT_FLOAT32 : input;
}

/* Runs the scene into `to`, whose rows have gaps unless it is dense. */
static long run_scene(const struct scene *scene, enum weft_target target, const char *disable, bool gaps, void *to)
{
    const int rank = rank_of(scene);
    const int64_t *shape = scene->shape + RANK - rank;
    int64_t strides[RANK], out_strides[RANK], row_strides[1];
    const bool two = strchr(scene->text, 'y');
    const DLTensor x = tensor(operand, scene->dtype, rank, shape, strides, scene->layout);
    const DLTensor y = tensor(row, scene->dtype, 1, shape + rank - 1, row_strides, DENSE);
    const DLTensor out = tensor(to, result_type(scene->text, scene->dtype), rank, shape, out_strides,
                                gaps ? GAPS : DENSE);
    const struct weft_argument in[] = {{.name = "x", .tensors = &x}, {.name = "y", .tensors = &y}};
    const struct weft_argument result = {.tensors = &out};
    memset(to, 0xa5, (size_t)MOST * 8);
    return run(make(target, disable, scene->text), &(struct weft_run_params){in, two ? 2 : 1, &result, 1, NULL},
               target == WEFT_TARGET_CUDA);
}

static void compare(const struct scene *scene, const char *what)
{
    char name[300];
    const enum weft_dtype dtype = result_type(scene->text, scene->dtype);
    int64_t count = scene->shape[0] ? scene->shape[0] : 1;
    count *= scene->shape[1] * (scene->shape[2] + 3);
    const struct line a = {dtype, count, results[0]}, b = {dtype, count, results[1]};
    snprintf(name, sizeof name, "%s of %lld rows of %lld, beside %s", scene->text, (long long)scene->shape[1],
             (long long)scene->shape[2], what);
    pair_compare(name, &a, &b);
}

/* Without a chain, and in other forms; with results of dense rows and of rows with gaps. */
static void every_way(void **unused)
{
    static const char *const disabled[] = {"chain", "chunk", "flat", "index"};
    (void)unused;
    for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
        const struct scene *scene = &scenes[s];
        const bool gaps = s % 4 == 1;
        if (!sample_chosen((long)s))
            continue;
        fill(scene->dtype, operand, MOST, s + 1);
        fill(scene->dtype, row, ROW, s + 2);
        const long taken = run_scene(scene, WEFT_TARGET_CUDA, "", gaps, results[0]);
        assert_int_equal(told, strstr(scene->text, "// (x") ? WEFT_DIVIDE_BY_ZERO : WEFT_OK);
        for (size_t d = 0; d < sizeof disabled / sizeof *disabled; d++) {
            const long alone = run_scene(scene, WEFT_TARGET_CUDA, disabled[d], gaps, results[1]);
            compare(scene, disabled[d]);
            if (d == 0 && launches() && (scene->launches ? taken != scene->launches || taken >= alone : taken != alone))
                fail_msg("%s, scene %zu: %ld launches, %ld without chains", scene->text, s, taken, alone);
        }
        if (strcmp(scene->text, SOFTMAX) != 0) { /* exp has bits of its own in C */
            run_scene(scene, WEFT_TARGET_C, "", gaps, results[1]);
            compare(scene, "C");
        }
    }
}

/* Samples of unlike shapes, which run kernel by kernel, beside each of them alone. */
static void batches(void **unused)
{
    static const int64_t shapes[3][2] = {{40, 1000}, {7, 33}, {100, 128}};
    int64_t strides[6][2], at = 0;
    DLTensor in[3], out[3];
    (void)unused;
    fill(WEFT_FLOAT32, operand, MOST, 5);
    for (int i = 0; i < 3; at += shapes[i][0] * shapes[i][1], i++) {
        in[i] = tensor((float *)operand + at, WEFT_FLOAT32, 2, shapes[i], strides[i], DENSE);
        out[i] = tensor((float *)results[0] + at, WEFT_FLOAT32, 2, shapes[i], strides[3 + i], DENSE);
    }
    const struct weft_argument all = {"x", in, 3, true}, made = {NULL, out, 3, true};
    run(make(WEFT_TARGET_CUDA, "", LAYERNORM_ALONE), &(struct weft_run_params){&all, 1, &made, 1, NULL}, true);
    for (int i = 0; i < 3; i++) {
        const struct weft_argument one = {.name = "x", .tensors = &in[i]}, result = {.tensors = &out[i]};
        out[i].data = (char *)results[1] + ((char *)out[i].data - (char *)results[0]);
        run(make(WEFT_TARGET_CUDA, "", LAYERNORM_ALONE), &(struct weft_run_params){&one, 1, &result, 1, NULL}, true);
    }
    pair_compare("a batch", &(struct line){WEFT_FLOAT32, at, results[0]}, &(struct line){WEFT_FLOAT32, at, results[1]});
}

static int set_up(void **state)
{
    (void)state;
    gpu_needed();
    operand = malloc((size_t)MOST * 8);
    row = malloc((size_t)ROW * 8);
    for (int k = 0; k < 2; k++)
        results[k] = malloc((size_t)MOST * 8);
    return !(operand && row && results[0] && results[1]);
}

static int tear_down(void **state)
{
    (void)state;
    free(operand), free(row), free(results[0]), free(results[1]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_way), cmocka_unit_test(batches)};
    return cmocka_run_group_tests_name("chains", tests, set_up, tear_down);
}
