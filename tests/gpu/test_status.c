/* What weft_context_status tells: the remarks of the stream it is asked about, once, with the first place in the text.
 * What a lost context does to all later calls tests/mockcuda/test_faults.c tries. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 1000 };

struct scene {
    struct weft_context *context;
    void *streams[2];
    uint64_t zeros, ones, out;
};

static float zero(int64_t i)
{
    return (float)(i % 2);
}

static float one(int64_t i)
{
    return i >= 0;
}

static int begin(void **state)
{
    struct scene *scene = *state = calloc(1, sizeof *scene);
    gpu_enter();
    scene->context = api_context(WEFT_TARGET_AUTO);
    scene->streams[0] = gpu_new_stream();
    scene->streams[1] = gpu_new_stream();
    scene->zeros = api_floats(COUNT, zero);
    scene->ones = api_floats(COUNT, one);
    scene->out = api_blank(COUNT * sizeof(float));
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    weft_context_destroy(scene->context);
    gpu_end_stream(scene->streams[0]);
    gpu_end_stream(scene->streams[1]);
    gpu_free(scene->zeros);
    gpu_free(scene->ones);
    gpu_free(scene->out);
    free(scene);
    return 0;
}

static struct api_call call_of(const struct scene *scene, uint64_t x, uint64_t y, void *stream)
{
    return (struct api_call){.inputs = {api_on("x", x, COUNT), api_on("y", y, COUNT)},
                             .outputs = {api_on("out", scene->out, COUNT)}, .stream = stream};
}

/* Runs, waits and asks. `place`: the column of the remark, which has this status; 0: none. */
static void check_status(const struct scene *scene, struct weft_program *program, uint64_t x, uint64_t y, size_t place,
                         enum weft_status expected)
{
    struct weft_error *error = NULL;
    struct api_call call = call_of(scene, x, y, scene->streams[0]);
    api_run(program, &call);
    gpu_wait(call.stream);
    enum weft_status status = weft_context_status(scene->context, call.stream, &error);
    assert_int_equal(status, place ? expected : WEFT_OK);
    assert_int_equal(error ? error->column : 0, place);
    if (error)
        assert_int_equal(error->severity, WEFT_WARNING);
    weft_error_destroy(error);
    assert_int_equal(weft_context_status(scene->context, call.stream, NULL), WEFT_OK);
}

static void check(const struct scene *scene, struct weft_program *program, uint64_t x, uint64_t y, size_t place)
{
    check_status(scene, program, x, y, place, WEFT_DIVIDE_BY_ZERO);
}

/* Positions outside, beside divisions by zero. */
static void positions(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program =
        api_compile(scene->context, "take(y, (1 - int32(x)) * 1073741824) + float32(3 // int32(y))");
    check(scene, program, scene->ones, scene->ones, 0);
    check_status(scene, program, scene->zeros, scene->ones, 1, WEFT_OUT_OF_RANGE);
    check_status(scene, program, scene->ones, scene->zeros, 50, WEFT_DIVIDE_BY_ZERO);
    check_status(scene, program, scene->zeros, scene->zeros, 1, WEFT_OUT_OF_RANGE);
    check(scene, program, scene->ones, scene->ones, 0);
    weft_program_destroy(program);
}

/* The operator that comes first in the text, of those that met a zero. */
static void places(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "float32(3 // int32(x) + 7 % int32(y))");
    check(scene, program, scene->ones, scene->ones, 0);
    check(scene, program, scene->zeros, scene->ones, 11);
    check(scene, program, scene->ones, scene->zeros, 27);
    check(scene, program, scene->zeros, scene->zeros, 11);
    check(scene, program, scene->ones, scene->ones, 0);
    weft_program_destroy(program);
}

static void streams(void **state)
{
    const struct scene *scene = *state;
    char message[API_MESSAGE];
    struct weft_program *program = api_compile(scene->context, "float32(3 // int32(x) + int32(y))");
    struct api_call bad = call_of(scene, scene->zeros, scene->ones, scene->streams[0]);
    struct api_call good = call_of(scene, scene->ones, scene->ones, scene->streams[1]);
    api_run(program, &bad);
    api_run(program, &good);
    gpu_wait(scene->streams[0]);
    gpu_wait(scene->streams[1]);
    assert_int_equal(api_status(scene->context, scene->streams[1], message), WEFT_OK);
    assert_int_equal(api_status(scene->context, NULL, message), WEFT_OK);
    assert_int_equal(api_status(scene->context, scene->streams[0], message), WEFT_DIVIDE_BY_ZERO);
    bad.stream = NULL; /* and the same by its other name */
    api_run(program, &bad);
    gpu_wait(NULL);
    assert_int_equal(api_status(scene->context, (void *)1, message), WEFT_DIVIDE_BY_ZERO);
    assert_int_equal(api_status(scene->context, NULL, message), WEFT_OK);
    weft_program_destroy(program);
}

/* Each program has its own remark, also when it is gone; what is not done is told later. */
static void programs(void **state)
{
    const struct scene *scene = *state;
    static const char *const texts[] = {"float32(3 // int32(x) + int32(y))", "float32(int32(y) + 4 % int32(x))"};
    struct weft_error *error = NULL;
    struct gpu_gate gate;
    struct weft_program *made[2];
    struct api_call call = call_of(scene, scene->zeros, scene->ones, scene->streams[0]);
    for (int p = 0; p < 2; p++) { /* before the gate is closed: to load a kernel may take as long as what runs */
        made[p] = api_compile(scene->context, texts[p]);
        api_prepare(made[p], &call);
    }
    gpu_close(&gate, scene->streams[0]);
    for (int p = 0; p < 2; p++) {
        api_run(made[p], &call);
        weft_program_destroy(made[p]);
    }
    assert_int_equal(weft_context_status(scene->context, scene->streams[0], &error), WEFT_OK);
    assert_null(error);
    gpu_open(&gate);
    gpu_wait(scene->streams[0]);
    assert_int_equal(weft_context_status(scene->context, scene->streams[0], &error), WEFT_DIVIDE_BY_ZERO);
    assert_non_null(error);
    assert_non_null(error->next);
    assert_null(error->next->next);
    weft_error_destroy(error);
}

static void calls(void **state)
{
    const struct scene *scene = *state;
    struct weft_error *error = NULL;
    struct weft_context *unused = api_context(WEFT_TARGET_AUTO);
    assert_int_equal(weft_context_status(NULL, NULL, &error), WEFT_INVALID_ARGUMENT);
    assert_non_null(error);
    weft_error_destroy(error);
    assert_int_equal(weft_context_status(unused, scene->streams[0], &error), WEFT_OK);
    assert_null(error);
    weft_context_destroy(unused);
}

/* Texts and streams that come again take nothing more: kernels, constants and places of remarks are the context's. */
static void nothing_grows(void **state)
{
    const struct scene *scene = *state;
    int (*live)(int) = (int (*)(int))gpu_mock("mockcuda_live");
    int early = 0;
    if (!live)
        skip();                    /* a real driver does not tell */
    for (int i = 0; i < 20; i++) {
        struct weft_program *program =
            api_compile(scene->context, "float32(3 // int32(x)) + reshape(y + [1.5, 2.5], [-1]) * gain");
        struct api_call call = call_of(scene, scene->zeros, scene->ones, scene->streams[i % 2]);
        float gain = (float)i;
        call.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, &gain, API_HOST};
        call.inputs[2] = api_on("y", scene->ones, 1);
        call.inputs[0].count = call.outputs[0].count = 2;
        api_run(program, &call);
        gpu_wait(call.stream);
        weft_program_destroy(program);
        if (i == 3)
            early = live(0);
    }
    assert_int_equal(live(0), early);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(places), TEST(positions), TEST(streams), TEST(programs), TEST(calls),
                                       TEST(nothing_grows)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu status", tests, NULL, NULL);
}
