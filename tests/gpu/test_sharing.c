/* Threads that share a context and its programs: each on a stream of its own, on the GPUs in turn, the first runs
 * included, with device data, host data beside it, remarks and graphs. */
#include "tests/gpu/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { THREADS = 6, RUNS = 12, COUNT = 2000 };

static const char *const texts[] = {"x * 2 + gain", "sqrt(x * x) + gain", "float32(60 // int32(gain - 1)) + x"};

struct team {
    struct weft_context *context;
    struct weft_program *programs[3];
    int devices;
    _Atomic int wrong;
};

struct member {
    struct team *team;
    int number;
    pthread_t thread;
    void *stream;
    uint64_t x, out;
};

static float ramp(int64_t i)
{
    return (float)(i % 300) - 150;
}

/* cmocka's checks are for its own thread. */
static void check(struct member *member, bool good, const char *what, int run)
{
    if (good)
        return;
    fprintf(stderr, "thread %d, run %d: %s\n", member->number, run, what);
    atomic_store(&member->team->wrong, 1);
}

static float expected(int p, float x, float gain)
{
    float whole = gain == 1 ? 0 : (float)(60 / (int)(gain - 1));
    return p == 0 ? x * 2 + gain : p == 1 ? (x < 0 ? -x : x) + gain : whole + x;
}

static void run(struct member *member, int number)
{
    struct team *team = member->team;
    int p = (number + member->number) % 3, device = member->number % team->devices;
    float gain = (float)((number * 7 + member->number) % 5 + 1), got[COUNT];
    char message[API_MESSAGE];
    struct api_call call = {.inputs = {api_on("x", member->x, COUNT), {"gain", WEFT_FLOAT32, 1, &gain, API_HOST}},
                            .outputs = {api_on("out", member->out, COUNT)}, .stream = member->stream};
    call.inputs[0].where = call.outputs[0].where = device;
    enum weft_status status = api_try(team->programs[p], &call, message);
    check(member, status == WEFT_OK, message, number);
    gpu_wait(member->stream);
    status = api_status(team->context, member->stream, message);
    check(member, status == (p == 2 && gain == 1 ? WEFT_DIVIDE_BY_ZERO : WEFT_OK), "another remark", number);
    gpu_download(got, member->out, sizeof got);
    for (int i = 0; i < COUNT; i++)
        if (got[i] != expected(p, ramp(i), gain)) {
            check(member, false, "a wrong value", number);
            return;
        }
}

static void *work(void *member_)
{
    struct member *member = member_;
    gpu_enter_on(member->number % member->team->devices);
    for (int i = 0; i < RUNS; i++)
        run(member, i);
    return NULL;
}

static void together(void **state)
{
    (void)state;
    struct team team = {.context = api_context(WEFT_TARGET_AUTO), .devices = gpu_count()};
    struct member members[THREADS];
    for (int p = 0; p < 3; p++)
        team.programs[p] = api_compile(team.context, texts[p]);
    for (int t = 0; t < THREADS; t++) {
        gpu_enter_on(t % team.devices);
        members[t] = (struct member){.team = &team, .number = t, .stream = gpu_new_stream(),
                                     .x = api_floats(COUNT, ramp), .out = api_blank(COUNT * sizeof(float))};
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&members[t].thread, NULL, work, &members[t]), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(members[t].thread, NULL);
    for (int p = 0; p < 3; p++)
        weft_program_destroy(team.programs[p]);
    weft_context_destroy(team.context);
    for (int t = 0; t < THREADS; t++) {
        gpu_enter_on(t % team.devices);
        gpu_end_stream(members[t].stream);
        gpu_free(members[t].x);
        gpu_free(members[t].out);
    }
    assert_int_equal(atomic_load(&team.wrong), 0);
}

/* Host data alone: each call has streams of its own. */
static void *work_on_host(void *member_)
{
    struct member *member = member_;
    float x[COUNT], out[COUNT], gain = (float)member->number + 2;
    char message[API_MESSAGE];
    for (int i = 0; i < COUNT; i++)
        x[i] = ramp(i);
    for (int r = 0; r < RUNS; r++) {
        const struct api_call call = {.inputs = {{"x", WEFT_FLOAT32, COUNT, x, API_HOST},
                                                 {"gain", WEFT_FLOAT32, 1, &gain, API_HOST}},
                                      .outputs = {{"out", WEFT_FLOAT32, COUNT, out, API_HOST}}};
        memset(out, 0xff, sizeof out);
        enum weft_status status = api_try(member->team->programs[r % 3], &call, message);
        check(member, status == WEFT_OK, message, r);
        for (int i = 0; i < COUNT; i++)
            if (out[i] != expected(r % 3, x[i], gain)) {
                check(member, false, "a wrong value", r);
                break;
            }
    }
    return NULL;
}

static void host_data(void **state)
{
    (void)state;
    struct team team = {.context = api_context(WEFT_TARGET_CUDA)};
    struct member members[THREADS];
    for (int p = 0; p < 3; p++)
        team.programs[p] = api_compile(team.context, texts[p]);
    for (int t = 0; t < THREADS; t++) {
        members[t] = (struct member){.team = &team, .number = t};
        assert_int_equal(pthread_create(&members[t].thread, NULL, work_on_host, &members[t]), 0);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(members[t].thread, NULL);
    for (int p = 0; p < 3; p++)
        weft_program_destroy(team.programs[p]);
    weft_context_destroy(team.context);
    assert_int_equal(atomic_load(&team.wrong), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(together), cmocka_unit_test(host_data)};
    gpu_needed();
    return cmocka_run_group_tests_name("gpu sharing", tests, NULL, NULL);
}
