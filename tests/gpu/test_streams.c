/* What a run does to streams: it takes its place on the caller's, waits for nothing, and leaves the caller's arguments,
 * host data and current context alone. A gate on the stream stands for work that takes long. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 10000 };

struct scene {
    struct weft_context *context;
    void *streams[2];
    uint64_t x, outs[2];
};

static float ramp(int64_t i)
{
    return (float)(i % 1000) - 400;
}

static float twice(int64_t i)
{
    return ramp(i) * 2 + 1;
}

static int begin(void **state)
{
    struct scene *scene = *state = calloc(1, sizeof *scene);
    gpu_enter();
    scene->context = api_context(WEFT_TARGET_AUTO);
    for (int s = 0; s < 2; s++) {
        scene->streams[s] = gpu_new_stream();
        scene->outs[s] = api_blank(COUNT * sizeof(float));
    }
    scene->x = api_floats(COUNT, ramp);
    return 0;
}

static int end(void **state)
{
    struct scene *scene = *state;
    gpu_enter();
    weft_context_destroy(scene->context);
    for (int s = 0; s < 2; s++) {
        gpu_end_stream(scene->streams[s]);
        gpu_free(scene->outs[s]);
    }
    gpu_free(scene->x);
    free(scene);
    return 0;
}

static struct api_call call_of(const struct scene *scene, int s, const char *name)
{
    return (struct api_call){.inputs = {api_on(name, scene->x, COUNT)},
                             .outputs = {api_on("out", scene->outs[s], COUNT)}, .stream = scene->streams[s]};
}

static void blank(uint64_t address)
{
    gpu_fill(address, 0xff, COUNT * sizeof(float));
}

/* Runs once to have the kernels, and then behind a gate. */
static void run_behind_gate(struct weft_program *program, const struct api_call *call)
{
    struct gpu_gate gate;
    api_run(program, call);
    gpu_wait(call->stream);
    blank((uint64_t)(uintptr_t)call->outputs[0].data);
    gpu_close(&gate, call->stream);
    api_run(program, call);
    assert_true(gpu_open(&gate));
    gpu_wait(call->stream);
}

static void nothing_waits(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call call = call_of(scene, 0, "x");
    run_behind_gate(program, &call);
    api_check(scene->outs[0], COUNT, twice);
    weft_program_destroy(program);
}

/* The default streams by their three names. */
static void default_streams(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call call = call_of(scene, 0, "x");
    for (uintptr_t stream = 0; stream < 3; stream++) {
        call.stream = (void *)stream; /* NULL, cudaStreamLegacy, cudaStreamPerThread */
        run_behind_gate(program, &call);
        api_check(scene->outs[0], COUNT, twice);
    }
    weft_program_destroy(program);
}

static float added(int64_t i)
{
    return ramp(i) * 2 + 7;
}

/* What is kDLCPU is read during the call, what is pinned when the stream gets there. */
static void host_inputs(void **state)
{
    const struct scene *scene = *state;
    static const int wheres[] = {API_HOST, API_PINNED};
    for (int w = 0; w < 2; w++) {
        struct weft_program *program = api_compile(scene->context, "x * 2 + gain");
        struct api_call call = call_of(scene, 0, "x");
        float *gain = gpu_pinned(sizeof *gain);
        struct gpu_gate gate;
        call.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, gain, wheres[w]};
        *gain = 3;
        api_run(program, &call);
        gpu_wait(call.stream);
        *gain = wheres[w] == API_HOST ? 7 : -1;
        gpu_close(&gate, call.stream);
        api_run(program, &call);
        *gain = wheres[w] == API_HOST ? -1 : 7;
        assert_true(gpu_open(&gate));
        gpu_wait(call.stream);
        api_check(scene->outs[0], COUNT, added);
        gpu_free_pinned(gain);
        weft_program_destroy(program);
    }
}

static float chained(int64_t i)
{
    return twice(i) * 2 + 1;
}

/* Two runs in a row need nothing between them. */
static void in_order(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call first = call_of(scene, 0, "x"), second = call_of(scene, 1, "x");
    second.inputs[0].data = first.outputs[0].data;
    second.stream = first.stream;
    blank(scene->outs[0]);
    blank(scene->outs[1]);
    api_run(program, &first);
    api_run(program, &second);
    gpu_wait(first.stream);
    api_check(scene->outs[1], COUNT, chained);
    weft_program_destroy(program);
}

/* ---- two streams ---- */

static float large(int64_t i)
{
    return (float)(i * i);
}

/* One stream passes the other, and neither gets what the other left in borrowed memory. */
static void streams_pass(void **state)
{
    const struct scene *scene = *state;
    enum { ALL = API_SIDE * API_SIDE };
    struct weft_program *program = api_compile(scene->context, api_parts_text);
    uint64_t one = api_floats(API_SIDE, large), other = api_floats(API_SIDE, twice);
    uint64_t outs[] = {api_blank(ALL * sizeof(float)), api_blank(ALL * sizeof(float))};
    float *got = malloc(ALL * sizeof *got), *again = malloc(ALL * sizeof *again);
    struct gpu_gate gate;
    api_parts(program, one, one, outs[0], scene->streams[0], true);
    api_parts(program, one, one, outs[0], scene->streams[0], false);
    gpu_wait(scene->streams[0]);
    gpu_download(got, outs[0], ALL * sizeof *got);
    gpu_fill(outs[0], 0xff, ALL * sizeof *got);
    gpu_close(&gate, scene->streams[0]);
    api_parts(program, one, one, outs[0], scene->streams[0], false);
    for (int i = 0; i < 3; i++)
        api_parts(program, other, other, outs[1], scene->streams[1], false);
    gpu_wait(scene->streams[1]);
    assert_true(gpu_open(&gate));
    api_parts(program, other, one, outs[1], scene->streams[1], false);
    gpu_wait(scene->streams[0]);
    gpu_wait(scene->streams[1]);
    gpu_download(again, outs[0], ALL * sizeof *got);
    assert_memory_equal(got, again, ALL * sizeof *got);
    for (int i = 0; i < ALL; i++)
        assert_true(got[i] == got[i / API_SIDE] + got[i % API_SIDE]); /* got[0] is 0 */
    free(got), free(again);
    gpu_free(one), gpu_free(other);
    gpu_free(outs[0]), gpu_free(outs[1]);
    weft_program_destroy(program);
}

/* ---- the caller's ---- */

/* The thread's current context stays, also where there is none. */
static void current_context(void **state)
{
    const struct scene *scene = *state;
    char message[API_MESSAGE];
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call call = call_of(scene, 0, "x");
    void *before = gpu_current();
    for (int i = 0; i < 2; i++) {
        gpu_set_current(i ? NULL : before);
        api_prepare(program, &call);
        api_run(program, &call);
        assert_int_equal(api_status(scene->context, call.stream, message), WEFT_OK);
        assert_ptr_equal(gpu_current(), i ? NULL : before);
        call.inputs[0].where = 7; /* an error */
        assert_true(api_try(program, &call, message) < 0);
        call.inputs[0].where = 0;
        assert_ptr_equal(gpu_current(), i ? NULL : before);
    }
    gpu_enter();
    gpu_wait(call.stream);
    weft_program_destroy(program);
}

/* A program may go while its work is still to be done; a context waits for it. */
static void ends(void **state)
{
    struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + gain");
    struct api_call call = call_of(scene, 0, "x");
    float gain = 1;
    call.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, &gain, API_HOST};
    struct gpu_gate gate;
    api_run(program, &call);
    gpu_wait(call.stream);
    blank(scene->outs[0]);
    gpu_close(&gate, call.stream);
    api_run(program, &call);
    weft_program_destroy(program);
    assert_true(gpu_open(&gate));
    weft_context_destroy(scene->context);
    scene->context = NULL;
    gpu_wait(call.stream);
    api_check(scene->outs[0], COUNT, twice);
}

/* How many kernels a batch launches whose samples are dense and not, in turn. On a real driver, which does not count:
 * 0. */
static long launches_of(struct weft_program *program, const struct scene *scene, int samples)
{
    enum { MOST = 8, LONG = 500 };
    long (*launched)(void) = (long (*)(void))gpu_mock("mockcuda_launches");
    int64_t shape = LONG, stride = 2;
    DLTensor ins[MOST], outs[MOST];
    for (int i = 0; i < samples; i++) {
        ins[i] = (DLTensor){.data = (float *)(uintptr_t)scene->x + i * 2 * LONG, .device = {kDLCUDA, 0}, .ndim = 1,
                            .dtype = {kDLFloat, 32, 1}, .shape = &shape, .strides = i % 2 ? &stride : NULL};
        outs[i] = ins[i];
        outs[i].strides = NULL;
        outs[i].data = (float *)(uintptr_t)scene->outs[0] + i * LONG;
    }
    const struct weft_argument input = {"x", ins, samples, true}, output = {NULL, outs, samples, true};
    const struct weft_run_params params = {&input, 1, &output, 1, scene->streams[0]};
    const long before = launched ? launched() : 0;
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    gpu_wait(scene->streams[0]);
    float found[MOST * LONG];
    gpu_download(found, scene->outs[0], (size_t)samples * LONG * sizeof *found);
    for (int64_t n = 0; n < samples * LONG; n++)
        assert_true(found[n] == twice(n / LONG * 2 * LONG + n % LONG * (n / LONG % 2 + 1)));
    return launched ? launched() - before : 0;
}

/* A kernel is launched once for all samples that it is for. */
static void launches(void **state)
{
    struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    const long two = launches_of(program, scene, 2);
    for (int samples = 3; samples <= 8; samples++)
        assert_int_equal(launches_of(program, scene, samples), two);
    weft_program_destroy(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_waits, begin, end),
        cmocka_unit_test_setup_teardown(default_streams, begin, end),
        cmocka_unit_test_setup_teardown(host_inputs, begin, end),
        cmocka_unit_test_setup_teardown(in_order, begin, end),
        cmocka_unit_test_setup_teardown(streams_pass, begin, end),
        cmocka_unit_test_setup_teardown(current_context, begin, end),
        cmocka_unit_test_setup_teardown(ends, begin, end),
        cmocka_unit_test_setup_teardown(launches, begin, end)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu streams", tests, NULL, NULL);
}
