/* Every call of the driver fails in turn, while programs run in all the ways there are: each such run has to end well
 * or with a clear error, to leave nothing behind, and to work when it is tried again, unless the GPU's context is lost:
 * then all that follows is an error until Weft's context is gone. The same with NVRTC's calls.
 *
 * The calls of this file itself are not counted. FAULTS_TELL=1 names each call that is to fail, an argument is a
 * pattern for the titles of what is run. */
#include "driver.h"

#include "include/weft/weft.h"
#include "tests/sample.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { COUNT = 300, SAMPLES = 3, LOST = 700, UNKNOWN = 999, NO_ROOM = 2, NVRTC_FAILS = 11 };

/* ---- a scene ---- */

struct scene {
    void *gpu; /* the primary context, retained */
    void *stream;
    uint64_t x, y, whole, out; /* on the device: float, float, int32, 8 bytes for each element */
    struct weft_context *context;
    struct weft_program *program;
    bool failing, nvrtc; /* a call is to fail, of the driver or of NVRTC */
    int code;
};

static float x_of(int i)
{
    return (float)(i % 17) - 3.5f;
}

static float y_of(int i)
{
    return (float)(i % 5) * 0.25f;
}

static int whole_of(int i)
{
    return i % 7; /* zeros among them */
}

/* What is wrong is told, and the next call gets its turn. */
static bool wrong;
#define TELL(...)                                                                                  \
    (fprintf(stderr, "line %d, %s fails: ", __LINE__,                                              \
             mockcuda_failed() ? mockcuda_failed() : "nothing"),                                   \
     fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), wrong = true)
#define CHECK(condition) ((condition) ? (void)0 : (void)TELL("not so: %s", #condition))
#define MUST(call)                                                                                 \
    do {                                                                                           \
        int result_ = call;                                                                        \
        if (result_)                                                                               \
            exit((TELL("%s: %d", #call, result_), 1));                                             \
    } while (0)

static void set_up(struct scene *scene)
{
    float x[COUNT], y[COUNT];
    int whole[COUNT];
    for (int i = 0; i < COUNT; i++) {
        x[i] = x_of(i);
        y[i] = y_of(i);
        whole[i] = whole_of(i);
    }
    mockcuda_pause(1);
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&scene->gpu, 0));
    MUST(cuCtxPushCurrent_v2(scene->gpu));
    MUST(cuStreamCreate(&scene->stream, 1));
    MUST(cuMemAlloc_v2(&scene->x, sizeof x));
    MUST(cuMemAlloc_v2(&scene->y, sizeof y));
    MUST(cuMemAlloc_v2(&scene->whole, sizeof whole));
    MUST(cuMemAlloc_v2(&scene->out, 8 * COUNT));
    MUST(cuMemcpyHtoD_v2(scene->x, x, sizeof x));
    MUST(cuMemcpyHtoD_v2(scene->y, y, sizeof y));
    MUST(cuMemcpyHtoD_v2(scene->whole, whole, sizeof whole));
    MUST(cuCtxPopCurrent_v2(NULL));
    mockcuda_pause(0);
}

/* In a lost context these calls fail, and give back all the same. */
static void tear_down(struct scene *scene)
{
    mockcuda_pause(1);
    bool lost = cuCtxPushCurrent_v2(scene->gpu) != 0;
    cuStreamDestroy_v2(scene->stream);
    cuMemFree_v2(scene->x);
    cuMemFree_v2(scene->y);
    cuMemFree_v2(scene->whole);
    cuMemFree_v2(scene->out);
    if (!lost)
        MUST(cuCtxPopCurrent_v2(NULL));
    MUST(cuDevicePrimaryCtxRelease_v2(0));
    mockcuda_pause(0);
}

/* ---- what is told ---- */

static bool is_lost(const struct scene *scene)
{
    return scene->failing && scene->code == LOST && mockcuda_failed();
}

/* Whether the call worked. If not, one of the driver's was made to fail and the message says which, or how much memory
 * was wanted. */
static bool good(struct scene *scene, enum weft_status status, struct weft_error *error)
{
    char text[2000] = "";
    for (const struct weft_error *e = error; e; e = e->next)
        weft_error_render(e, text + strlen(text), sizeof text - strlen(text));
    weft_error_destroy(error);
    if (status >= 0)
        return true;
    const char *call = mockcuda_failed();
    if (!scene->failing || (!call && !scene->nvrtc))
        return TELL("status %d where no call failed: %s", status, text), false;
    if (scene->nvrtc) {
        bool known = status == WEFT_COMPILER_ERROR || status == WEFT_UNSUPPORTED;
        return known && strstr(text, "NVRTC") ? false
                                              : (TELL("status %d, %s", status, text), false);
    }
    bool known = status == WEFT_DEVICE_ERROR || status == WEFT_UNSUPPORTED ||
                 (status == WEFT_OUT_OF_MEMORY && scene->code == NO_ROOM);
    bool named =
        strstr(text, call) || is_lost(scene) || (scene->code == NO_ROOM && strstr(text, "no room"));
    char plain[100];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(call, "_"), call);
    named = named || strstr(text, plain);
    if (!known || !named)
        TELL("%s failed with %d: status %d, %s", call, scene->code, status, text);
    return false;
}

/* ---- steps ---- */

static bool compile(struct scene *scene, const char *text)
{
    struct weft_error *error = NULL;
    enum weft_status status = weft_compile(scene->context, text, NULL, &scene->program, &error);
    return good(scene, status, error);
}

static struct weft_argument argument(const char *name, const DLTensor *tensor)
{
    return (struct weft_argument){.name = name, .tensors = tensor, .count = 1};
}

static DLTensor tensor(void *data, bool device, int rank, int64_t *shape, uint8_t code,
                       uint8_t bits)
{
    return (DLTensor){.data = data,
                      .device = {device ? kDLCUDA : kDLCPU, 0},
                      .ndim = rank,
                      .dtype = {code, bits, 1},
                      .shape = shape};
}

static enum weft_status try(struct scene *scene, const struct weft_run_params *params, bool prepare)
{
    struct weft_error *error = NULL;
    enum weft_status status = prepare ? weft_prepare(scene->program, params, NULL, NULL, &error)
                                      : weft_run(scene->program, params, &error);
    good(scene, status, error);
    return status;
}

static enum weft_status ask(struct scene *scene)
{
    struct weft_error *error = NULL;
    enum weft_status status = weft_context_status(scene->context, scene->stream, &error);
    good(scene, status, error);
    return status;
}

static void synchronize(struct scene *scene)
{
    mockcuda_pause(1);
    int result = cuStreamSynchronize(scene->stream);
    mockcuda_pause(0);
    CHECK(result == 0 || is_lost(scene));
}

/* What the device computed, after the stream has got there; NULL: the context is lost. */
static const float *fetch(struct scene *scene)
{
    static float got[2 * COUNT];
    synchronize(scene);
    if (is_lost(scene))
        return NULL;
    mockcuda_pause(1);
    MUST(cuCtxPushCurrent_v2(scene->gpu));
    MUST(cuMemcpyDtoH_v2(got, scene->out, sizeof got));
    MUST(cuCtxPopCurrent_v2(NULL));
    mockcuda_pause(0);
    return got;
}

static void clear(struct scene *scene)
{
    mockcuda_pause(1);
    if (cuCtxPushCurrent_v2(scene->gpu) == 0) {
        MUST(cuMemsetD8Async(scene->out, 0xff, 8 * COUNT, scene->stream));
        MUST(cuCtxPopCurrent_v2(NULL));
    }
    mockcuda_pause(0);
}

/* ---- ways to run ---- */

/* Each is called twice, the second time without failures, and checks what it got where no function failed. */

static void run_device(struct scene *scene)
{
    int64_t shape[] = {COUNT};
    DLTensor x = tensor((void *)scene->x, true, 1, shape, kDLFloat, 32);
    DLTensor y = tensor((void *)scene->y, true, 1, shape, kDLFloat, 32);
    DLTensor out = tensor((void *)scene->out, true, 1, shape, kDLFloat, 32);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &y)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    clear(scene);
    if (try(scene, &params, true) < 0 || try(scene, &params, false) < 0)
        return;
    const float *got = fetch(scene);
    for (int i = 0; got && i < COUNT; i++)
        CHECK(got[i] == x_of(i) * 2 + y_of(i));
    ask(scene);
}

static void run_remark(struct scene *scene)
{
    int64_t shape[] = {COUNT};
    DLTensor whole = tensor((void *)scene->whole, true, 1, shape, kDLInt, 32);
    DLTensor out = tensor((void *)scene->out, true, 1, shape, kDLInt, 32);
    const struct weft_argument inputs[] = {argument("n", &whole)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 1, outputs, 1, scene->stream};
    clear(scene);
    if (try(scene, &params, false) < 0)
        return;
    const int *got = (const int *)fetch(scene);
    for (int i = 0; got && i < COUNT; i++)
        CHECK(got[i] == (whole_of(i) ? 100 / whole_of(i) : 0));
    enum weft_status status = ask(scene);
    CHECK(status == WEFT_DIVIDE_BY_ZERO || status < 0);
    if (status == WEFT_DIVIDE_BY_ZERO)
        CHECK(ask(scene) <= WEFT_OK);
}

/* A row and a column of costly functions, which are computed apart, and a constant. */
static void run_parts(struct scene *scene)
{
    enum { ROWS = 20, COLUMNS = 15 };
    int64_t row[] = {COLUMNS}, column[] = {ROWS, 1}, whole[] = {ROWS, COLUMNS};
    DLTensor x = tensor((void *)scene->x, true, 2, column, kDLFloat, 32);
    DLTensor y = tensor((void *)scene->y, true, 1, row, kDLFloat, 32);
    DLTensor out = tensor((void *)scene->out, true, 2, whole, kDLFloat, 64);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &y)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    clear(scene);
    if (try(scene, &params, false) < 0)
        return;
    const double *got = (const double *)fetch(scene);
    for (int i = 0; got && i < ROWS * COLUMNS; i++)
        CHECK(got[i] == (double)(x_of(i / COLUMNS) * x_of(i / COLUMNS)) + (i % COLUMNS % 3));
}

/* So costly that a row and a column of it are computed apart: three launches and borrowed memory. */
#define SIN4(x) "sin(sin(sin(sin(" x "))))"
#define SIN16(x) SIN4(SIN4(SIN4(SIN4(x))))
#define SIN64(x) SIN16(SIN16(SIN16(SIN16(x))))
#define SIN512(x) SIN64(SIN64(SIN64(SIN64(SIN64(SIN64(SIN64(SIN64(x))))))))

static void run_temporaries(struct scene *scene)
{
    enum { SIDE = 100 };
    static float got[SIDE * SIDE];
    int64_t column[] = {SIDE, 1}, whole[] = {SIDE, SIDE};
    uint64_t room;
    mockcuda_pause(1);
    MUST(cuCtxPushCurrent_v2(scene->gpu));
    MUST(cuMemAlloc_v2(&room, sizeof got));
    MUST(cuCtxPopCurrent_v2(NULL));
    mockcuda_pause(0);
    DLTensor x = tensor((void *)scene->y, true, 1, column, kDLFloat, 32);
    DLTensor y = tensor((void *)scene->y, true, 2, column, kDLFloat, 32);
    DLTensor out = tensor((void *)room, true, 2, whole, kDLFloat, 32);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &y)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    bool done = try(scene, &params, false) >= 0;
    synchronize(scene);
    mockcuda_pause(1);
    bool lost = cuCtxPushCurrent_v2(scene->gpu) != 0;
    if (done && !lost && !is_lost(scene))
        MUST(cuMemcpyDtoH_v2(got, room, sizeof got));
    cuMemFree_v2(room);
    if (!lost)
        cuCtxPopCurrent_v2(NULL);
    mockcuda_pause(0);
    for (int i = 0; done && !lost && !is_lost(scene) && i < SIDE * SIDE; i++)
        if (got[i] != got[i / SIDE] + got[i % SIDE]) /* y_of(0) is 0 */
            exit((TELL("element %d", i), 1));
}

/* Host data beside device data. */
static void run_staged_input(struct scene *scene)
{
    int64_t shape[] = {COUNT};
    float host[COUNT];
    DLTensor x = tensor((void *)scene->x, true, 1, shape, kDLFloat, 32);
    DLTensor y = tensor(host, false, 1, shape, kDLFloat, 32);
    DLTensor out = tensor((void *)scene->out, true, 1, shape, kDLFloat, 32);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &y)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    for (int i = 0; i < COUNT; i++)
        host[i] = y_of(i) + 1;
    clear(scene);
    if (try(scene, &params, false) < 0)
        return;
    const float *got = fetch(scene);
    for (int i = 0; got && i < COUNT; i++)
        CHECK(got[i] == x_of(i) * 2 + y_of(i) + 1);
}

static void run_batch(struct scene *scene)
{
    int64_t shapes[SAMPLES][1];
    DLTensor x[SAMPLES], y[SAMPLES], out[SAMPLES];
    for (int s = 0, at = 0; s < SAMPLES; at += (int)shapes[s++][0]) {
        shapes[s][0] = 40 + 30 * s;
        x[s] = tensor((float *)scene->x + at, true, 1, shapes[s], kDLFloat, 32);
        y[s] = tensor((float *)scene->y + at, true, 1, shapes[s], kDLFloat, 32);
        out[s] = tensor((float *)scene->out + at, true, 1, shapes[s], kDLFloat, 32);
    }
    const struct weft_argument inputs[] = {{"x", x, SAMPLES, true}, {"y", y, SAMPLES, true}};
    const struct weft_argument outputs[] = {{"out", out, SAMPLES, true}};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    clear(scene);
    if (try(scene, &params, false) < 0)
        return;
    const float *got = fetch(scene);
    for (int i = 0; got && i < 40 + 70 + 100; i++)
        CHECK(got[i] == x_of(i) * 2 + y_of(i));
}

/* Host samples, so large that each is a piece. */
static void run_host_batch(struct scene *scene)
{
    enum { LONG = 360000 };
    static double in[SAMPLES][LONG], sums[SAMPLES][LONG];
    int64_t shape[] = {LONG};
    DLTensor x[SAMPLES], out[SAMPLES];
    for (int s = 0; s < SAMPLES; s++) {
        for (int i = 0; i < LONG; i++)
            in[s][i] = (double)x_of(i + s);
        memset(sums[s], 0xff, sizeof sums[s]);
        x[s] = tensor(in[s], false, 1, shape, kDLFloat, 64);
        out[s] = tensor(sums[s], false, 1, shape, kDLFloat, 64);
    }
    const struct weft_argument inputs[] = {{"x", x, SAMPLES, true}, {"y", x, SAMPLES, true}};
    const struct weft_argument outputs[] = {{"out", out, SAMPLES, true}};
    const struct weft_run_params params = {inputs, 2, outputs, 1, NULL};
    if (try(scene, &params, false) < 0 || is_lost(scene))
        return;
    for (int s = 0; s < SAMPLES; s++)
        for (int i = 0; i < LONG; i++)
            if (sums[s][i] != in[s][i] * 3)
                exit((TELL("sample %d, element %d", s, i), 1));
}

static void run_host(struct scene *scene)
{
    int64_t shape[] = {COUNT};
    float in[COUNT], sums[COUNT];
    DLTensor x = tensor(in, false, 1, shape, kDLFloat, 32), out = tensor(sums, false, 1, shape, kDLFloat, 32);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &x)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, NULL};
    for (int i = 0; i < COUNT; i++)
        in[i] = x_of(i);
    if (try(scene, &params, false) < 0)
        return;
    for (int i = 0; i < COUNT && !is_lost(scene); i++)
        CHECK(sums[i] == in[i] * 3);
}

static void run_graph(struct scene *scene)
{
    int64_t shape[] = {COUNT};
    DLTensor x = tensor((void *)scene->x, true, 1, shape, kDLFloat, 32);
    DLTensor out = tensor((void *)scene->out, true, 1, shape, kDLFloat, 32);
    const struct weft_argument inputs[] = {argument("x", &x), argument("y", &x)};
    const struct weft_argument outputs[] = {argument("out", &out)};
    const struct weft_run_params params = {inputs, 2, outputs, 1, scene->stream};
    void *graph = NULL, *exec = NULL;
    clear(scene);
    if (try(scene, &params, true) < 0)
        return;
    if (is_lost(scene))
        return;
    mockcuda_pause(1);
    MUST(cuCtxPushCurrent_v2(scene->gpu));
    MUST(cuStreamBeginCapture_v2(scene->stream, 0));
    mockcuda_pause(0);
    enum weft_status status = try(scene, &params, false);
    mockcuda_pause(1);
    int ended = cuStreamEndCapture(scene->stream, &graph);
    CHECK(ended == 0 || status < 0 || is_lost(scene));
    if (status >= 0 && ended == 0) {
        MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
        for (int i = 0; i < 2; i++)
            MUST(cuGraphLaunch(exec, scene->stream));
        MUST(cuStreamSynchronize(scene->stream));
        MUST(cuGraphExecDestroy(exec));
    }
    if (ended == 0)
        MUST(cuGraphDestroy(graph));
    if (!is_lost(scene))
        MUST(cuCtxPopCurrent_v2(NULL));
    else
        cuCtxPopCurrent_v2(NULL);
    mockcuda_pause(0);
    const float *got = status < 0 ? NULL : fetch(scene);
    for (int i = 0; got && i < COUNT; i++)
        CHECK(got[i] == x_of(i) * 2 + x_of(i));
}

static const struct way {
    const char *name, *text;
    void (*run)(struct scene *scene);
    enum weft_target target;
    int step; /* every so-manieth call fails; 0: each */
} ways[] = {
    {"device tensors", "x * 2 + y", run_device, WEFT_TARGET_AUTO},
    {"a remark", "100 // n", run_remark, WEFT_TARGET_AUTO},
    {"parts", "(float64(x) ** 2) + [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2] + 0 * y",
     run_parts, WEFT_TARGET_AUTO},
    {"temporaries", SIN512("x") " + " SIN512("y"), run_temporaries, WEFT_TARGET_AUTO},
    {"a staged input", "x * 2 + y", run_staged_input, WEFT_TARGET_AUTO},
    {"a batch", "x * 2 + y", run_batch, WEFT_TARGET_AUTO},
    {"a graph", "x * 2 + y", run_graph, WEFT_TARGET_AUTO},
    {"host tensors", "x * 2 + y", run_host, WEFT_TARGET_CUDA},
    /* The calls of one piece are those of another. */
    {"pieces of host data", "x * 2 + y", run_host_batch, WEFT_TARGET_CUDA, 4},
};

/* ---- failing ---- */

struct turn {
    const char *name;
    const struct way *way;
    int code;
    bool nvrtc;
};

/* From a new context to its end; the number-th call fails. Returns how many there were. */
static long run_way(const struct way *way, long number, int code, bool nvrtc)
{
    struct scene scene = {.failing = number > 0, .nvrtc = nvrtc, .code = code};
    struct weft_error *error = NULL;
    const struct weft_context_params params = {.target = way->target, .cache = nvrtc ? "" : NULL};
    set_up(&scene);
    int before = mockcuda_live(0);
    if (getenv("FAULTS_TELL"))
        fprintf(stderr, "%s: call %ld\n", way->name, number);
    mockcuda_fail_at(nvrtc ? 0 : number, code);
    mocknvrtc_fail_at(nvrtc ? number : 0, code);
    MUST(weft_context_create(&params, &scene.context, &error));
    if (compile(&scene, way->text))
        way->run(&scene);
    long calls = nvrtc ? mocknvrtc_calls() : mockcuda_calls();
    bool lost = is_lost(&scene);
    if (number && !lost) {
        mockcuda_fail_at(0, 0);
        mocknvrtc_fail_at(0, 0);
        scene.failing = false;
        way->run(&scene);
    }
    synchronize(&scene);
    weft_program_destroy(scene.program);
    weft_context_destroy(scene.context);
    calls = number ? calls : nvrtc ? mocknvrtc_calls() : mockcuda_calls();
    if (!lost && mockcuda_live(0) != before) {
        mockcuda_live(1);
        TELL("of call %ld something is left", number);
    }
    mockcuda_fail_at(0, 0);
    mocknvrtc_fail_at(0, 0);
    tear_down(&scene);
    return calls;
}

/* With WEFT_SHARE=3 each code fails other calls. */
static void fail_each(const struct way *way, int code, bool nvrtc)
{
    const long share = nvrtc ? 1 : sample_setting("WEFT_SHARE", 1), step = way->step ? way->step : 1;
    long calls = run_way(way, 0, code, nvrtc);
    CHECK(calls > 0);
    for (long number = 1 + code % share; number <= calls; number += step * share)
        run_way(way, number, code, nvrtc);
}

/* In a process of its own, whose end counts too. */
static void test_way(void **state)
{
    const struct turn *turn = *state;
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            signal(signals[i], SIG_DFL);
        fail_each(turn->way, turn->code, turn->nvrtc);
        exit(wrong);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status)
        fail_msg("the process ends with status %d, signal %d", WEXITSTATUS(status),
                 WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

int main(int count, char **words)
{
    enum { WAYS = sizeof ways / sizeof *ways, KINDS = 4 };
    static const struct turn kinds[KINDS] = {{"fails", NULL, UNKNOWN, false},
                                             {"loses the context", NULL, LOST, false},
                                             {"has no room", NULL, NO_ROOM, false},
                                             {"of NVRTC fails", NULL, NVRTC_FAILS, true}};
    static struct turn turns[WAYS * KINDS];
    static char titles[WAYS * KINDS][80];
    struct CMUnitTest tests[WAYS * KINDS];
    for (int i = 0; i < WAYS * KINDS; i++) {
        turns[i] = kinds[i % KINDS];
        turns[i].way = &ways[i / KINDS];
        snprintf(titles[i], sizeof titles[i], "%s, and a call %s", turns[i].way->name,
                 turns[i].name);
        tests[i] = (struct CMUnitTest){titles[i], test_way, NULL, NULL, &turns[i]};
    }
    if (count > 1)
        cmocka_set_test_filter(words[1]);
    return _cmocka_run_group_tests("faults", tests, WAYS * KINDS, NULL, NULL);
}
