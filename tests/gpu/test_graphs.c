/* Runs captured into CUDA graphs: what a graph reads when it is launched, what it keeps, and that it needs neither the
 * program nor the caller's arguments any more. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { COUNT = 5000, SAMPLES = 3 };

struct scene {
    struct weft_context *context;
    void *stream;
    uint64_t x, out;
    int live;
};

static int live(void)
{
    int (*count)(int) = (int (*)(int))gpu_mock("mockcuda_live");
    return count ? count(0) : 0;
}

static float first(int64_t i)
{
    return (float)(i % 100);
}

static float second(int64_t i)
{
    return (float)(i % 77) - 5;
}

static int begin(void **state)
{
    struct scene *scene = *state = calloc(1, sizeof *scene);
    gpu_enter();
    scene->stream = gpu_new_stream();
    scene->x = api_floats(COUNT, first);
    scene->out = api_blank(COUNT * sizeof(float));
    scene->live = live();
    scene->context = api_context(WEFT_TARGET_AUTO);
    return 0;
}

/* Nothing of the context or of graphs is left. */
static int end(void **state)
{
    struct scene *scene = *state;
    weft_context_destroy(scene->context);
    int left = live() - scene->live;
    gpu_end_stream(scene->stream);
    gpu_free(scene->x);
    gpu_free(scene->out);
    free(scene);
    return left;
}

static struct api_call call_of(const struct scene *scene)
{
    return (struct api_call){.inputs = {api_on("x", scene->x, COUNT)}, .outputs = {api_on("out", scene->out, COUNT)},
                             .stream = scene->stream};
}

static void *capture(const struct scene *scene, struct weft_program *program, const struct api_call *call)
{
    api_prepare(program, call);
    gpu_capture(scene->stream);
    api_run(program, call);
    return gpu_captured(scene->stream);
}

static void replay(const struct scene *scene, void *graph)
{
    gpu_fill(scene->out, 0xff, COUNT * sizeof(float));
    gpu_replay(graph, scene->stream);
    gpu_wait(scene->stream);
}

static void change(const struct scene *scene, float (*x)(int64_t i))
{
    float values[COUNT];
    for (int i = 0; i < COUNT; i++)
        values[i] = x(i);
    gpu_upload(scene->x, values, sizeof values);
}

static float of_first(int64_t i)
{
    return first(i) * 2 + 1;
}

static float of_second(int64_t i)
{
    return second(i) * 2 + 1;
}

/* What lies at the addresses at each launch, also when the program is gone. */
static void replays(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call call = call_of(scene);
    void *graph = capture(scene, program, &call);
    replay(scene, graph);
    api_check(scene->out, COUNT, of_first);
    weft_program_destroy(program);
    change(scene, second);
    for (int i = 0; i < 3; i++) {
        replay(scene, graph);
        api_check(scene->out, COUNT, of_second);
    }
    gpu_end_graph(graph);
}

/* A host value is that of the capture, a pinned one that of the launch; the graph keeps the copy it reads, whatever
 * other runs do meanwhile. */
static void host_inputs(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * gain + offset");
    struct api_call call = call_of(scene), other;
    float gain = 2, *offset = gpu_pinned(sizeof *offset);
    call.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, &gain, API_HOST};
    call.inputs[2] = (struct api_line){"offset", WEFT_FLOAT32, 1, offset, API_PINNED};
    *offset = 0;
    void *graph = capture(scene, program, &call);
    gain = 100;
    other = call;
    for (int i = 0; i < 3; i++) {
        api_run(program, &other);
        gpu_wait(scene->stream);
        *offset = 1;
        replay(scene, graph);
        api_check(scene->out, COUNT, of_first);
        *offset = 55;
    }
    gpu_end_graph(graph);
    gpu_free_pinned(offset);
    weft_program_destroy(program);
}

/* Two graphs and runs between them, each with temporaries of its own. */
static void temporaries(void **state)
{
    const struct scene *scene = *state;
    enum { BYTES = API_SIDE * API_SIDE * sizeof(float) };
    struct weft_program *program = api_compile(scene->context, api_parts_text);
    uint64_t row = scene->x + 4, out = api_blank(BYTES);
    float *before = malloc(BYTES), *after = malloc(BYTES);
    void *graphs[2];
    api_parts(program, row, scene->x, out, scene->stream, true);
    api_parts(program, row, scene->x, out, scene->stream, false);
    gpu_wait(scene->stream);
    gpu_download(before, out, BYTES);
    for (int g = 0; g < 2; g++) {
        gpu_capture(scene->stream);
        api_parts(program, row, scene->x, out, scene->stream, false);
        graphs[g] = gpu_captured(scene->stream);
        api_parts(program, scene->x, row, out, scene->stream, false);
    }
    weft_program_destroy(program);
    for (int i = 0; i < 4; i++) {
        gpu_fill(out, 0xff, BYTES);
        replay(scene, graphs[i % 2]);
        gpu_download(after, out, BYTES);
        assert_memory_equal(before, after, BYTES);
    }
    gpu_end_graph(graphs[0]);
    gpu_end_graph(graphs[1]);
    gpu_free(out);
    free(before), free(after);
}

/* Kernels over the same rows are one launch of the graph, with temporaries between them. */
static void chains(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "reshape(softmax(reshape(x, [50, 100])), [5000])");
    const struct api_call call = call_of(scene);
    static float want[COUNT], got[COUNT];
    void *graph = capture(scene, program, &call);
    change(scene, second);
    api_run(program, &call);
    gpu_wait(scene->stream);
    gpu_download(want, scene->out, sizeof want);
    replay(scene, graph);
    gpu_download(got, scene->out, sizeof got);
    assert_memory_equal(want, got, sizeof want);
    weft_program_destroy(program);
    gpu_end_graph(graph);
}

static void batches(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    int64_t shapes[SAMPLES][1];
    DLTensor in[SAMPLES], out[SAMPLES];
    for (int s = 0, at = 0; s < SAMPLES; at += (int)shapes[s++][0]) {
        shapes[s][0] = COUNT / SAMPLES - 100 * s;
        in[s] = (DLTensor){.data = (float *)scene->x + at, .device = {kDLCUDA, 0}, .ndim = 1,
                           .dtype = {kDLFloat, 32, 1}, .shape = shapes[s]};
        out[s] = in[s];
        out[s].data = (float *)scene->out + at;
    }
    const struct weft_argument input = {"x", in, SAMPLES, true}, output = {NULL, out, SAMPLES, true};
    const struct weft_run_params params = {&input, 1, &output, 1, scene->stream};
    assert_int_equal(weft_prepare(program, &params, NULL, NULL, NULL), WEFT_OK);
    gpu_capture(scene->stream);
    assert_int_equal(weft_run(program, &params, NULL), WEFT_OK);
    void *graph = gpu_captured(scene->stream);
    weft_program_destroy(program);
    memset(in, 0xff, sizeof in);
    memset(out, 0xff, sizeof out);
    change(scene, second);
    replay(scene, graph);
    api_check(scene->out, COUNT - 400, of_second);
    gpu_end_graph(graph);
}

/* x - max(x) + sum(x) / 8, all of it whole eighths. */
static float reduced(float (*x)(int64_t i), int64_t at)
{
    float most = x(0), sum = 0;
    for (int64_t i = 0; i < COUNT; i++) {
        most = x(i) > most ? x(i) : most;
        sum += x(i);
    }
    return x(at) - most + sum / 8;
}

static float reduced_first(int64_t i)
{
    return reduced(first, i);
}

static float reduced_second(int64_t i)
{
    return reduced(second, i);
}

/* Several kernels, whose temporaries the graph owns; what is reduced is read at each launch. */
static void reductions(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x - max(x) + sum(x) / 8");
    struct api_call call = call_of(scene);
    void *graph = capture(scene, program, &call);
    weft_program_destroy(program);
    replay(scene, graph);
    api_check(scene->out, COUNT, reduced_first);
    change(scene, second);
    for (int i = 0; i < 2; i++) {
        replay(scene, graph);
        api_check(scene->out, COUNT, reduced_second);
    }
    gpu_end_graph(graph);
}

static float heavy(int64_t i)
{
    float sum = first(i);
    for (int t = 1; t <= 600; t++)
        sum = sum * 0.5f + (float)t;
    return sum;
}

/* More than 4000 bytes of arguments, for 600 different literals. */
static void many_arguments(void **state)
{
    const struct scene *scene = *state;
    enum { TERMS = 600, ROOM = 40 };
    char *text = malloc(TERMS * ROOM);
    size_t length = (size_t)sprintf(text, "t0 = x\n");
    for (int t = 1; t <= TERMS; t++)
        length += (size_t)sprintf(text + length, "t%d = t%d * 0.5 + %d\n", t, t - 1, t);
    sprintf(text + length, "return t%d", TERMS);
    struct weft_program *program = api_compile(scene->context, text);
    struct api_call call = call_of(scene);
    call.outputs[0].name = "t600";
    api_run(program, &call);
    gpu_wait(scene->stream);
    api_check(scene->out, COUNT, heavy);
    void *graph = capture(scene, program, &call);
    weft_program_destroy(program);
    for (int i = 0; i < 2; i++) {
        replay(scene, graph);
        api_check(scene->out, COUNT, heavy);
    }
    gpu_end_graph(graph);
    free(text);
}

/* A graph's launches remark on the stream that was captured. */
static void remarks(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "float32(100 // int32(x))");
    struct api_call call = call_of(scene);
    char message[API_MESSAGE];
    void *graph = capture(scene, program, &call), *other = gpu_new_stream();
    weft_program_destroy(program);
    assert_int_equal(api_status(scene->context, scene->stream, message), WEFT_OK);
    for (int i = 0; i < 2; i++) {
        replay(scene, graph);
        assert_int_equal(api_status(scene->context, other, message), WEFT_OK);
        assert_int_equal(api_status(scene->context, scene->stream, message), WEFT_DIVIDE_BY_ZERO);
        assert_non_null(strstr(message, "100 // int32(x)"));
        assert_int_equal(api_status(scene->context, scene->stream, message), WEFT_OK);
    }
    gpu_replay(graph, other); /* launched elsewhere: the bytes are the captured stream's */
    gpu_wait(other);
    assert_int_equal(api_status(scene->context, scene->stream, message), WEFT_DIVIDE_BY_ZERO);
    gpu_end_graph(graph);
    gpu_end_stream(other);
}

/* A call that fails leaves a capture whole. */
static void errors(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct api_call call = call_of(scene), wrong = call;
    char message[API_MESSAGE];
    api_prepare(program, &call);
    wrong.outputs[0].count--;
    gpu_capture(scene->stream);
    assert_int_equal(api_try(program, &wrong, message), WEFT_SHAPE_ERROR);
    assert_int_equal(api_status(scene->context, scene->stream, message), WEFT_OK);
    api_run(program, &call);
    void *graph = gpu_captured(scene->stream);
    replay(scene, graph);
    api_check(scene->out, COUNT, of_first);
    gpu_end_graph(graph);
    weft_program_destroy(program);
}

/* Another program's first run, which compiles, loads and borrows, while a stream is being captured. */
static void first_run_beside(void **state)
{
    const struct scene *scene = *state;
    struct weft_program *program = api_compile(scene->context, "x * 2 + 1");
    struct weft_program *other = api_compile(scene->context, "x * 2 + gain");
    struct api_call call = call_of(scene), beside = call;
    void *stream = gpu_new_stream();
    float gain = 1;
    uint64_t out = api_blank(COUNT * sizeof(float));
    beside.stream = stream;
    beside.inputs[1] = (struct api_line){"gain", WEFT_FLOAT32, 1, &gain, API_HOST};
    beside.outputs[0] = api_on("out", out, COUNT);
    api_prepare(program, &call);
    gpu_capture(scene->stream);
    api_run(program, &call);
    api_run(other, &beside);
    void *graph = gpu_captured(scene->stream);
    gpu_wait(stream);
    api_check(out, COUNT, of_first);
    replay(scene, graph);
    api_check(scene->out, COUNT, of_first);
    gpu_end_graph(graph);
    gpu_end_stream(stream);
    gpu_free(out);
    weft_program_destroy(other);
    weft_program_destroy(program);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(replays), TEST(chains), TEST(host_inputs), TEST(temporaries), TEST(batches),
                                       TEST(reductions), TEST(many_arguments), TEST(remarks), TEST(errors),
                                       TEST(first_run_beside)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu graphs", tests, NULL, NULL);
}
