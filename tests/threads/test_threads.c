/* Rule 3.4: results have the same bits on any number of threads, the library's or the host's, however many
 * runs there are at once. */
#include "tests/sample.h"
#include "tests/threads/job.h"

#include <fenv.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <cmocka.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#define F32(...) {.dtype = WEFT_FLOAT32, __VA_ARGS__}
#define F64(...) {.dtype = WEFT_FLOAT64, __VA_ARGS__}
#define F16(...) {.dtype = WEFT_FLOAT16, __VA_ARGS__}
#define BF16(...) {.dtype = WEFT_BFLOAT16, __VA_ARGS__}
#define U8(...) {.dtype = WEFT_UINT8, __VA_ARGS__}
#define I32(...) {.dtype = WEFT_INT32, __VA_ARGS__}
#define SHAPE(rank_, ...) .rank = rank_, .shape = {__VA_ARGS__}

/* Every kind of access, of split and of argument that a thread has to itself. */
static const struct sample samples[] = {
    {"exp(x) * 2 + y", {F32(SHAPE(1, 1000003)), F32(SHAPE(1, 1000003), .reversed = true)}, 2},
    {"exp(row) + exp(col)", {F64(SHAPE(2, 1, 999)), F64(SHAPE(2, 1001, 1))}, 2},
    {"x + y", {F32(SHAPE(2, 2, 700001), .reversed = true), F32(SHAPE(2, 2, 1))}, 2},
    {"x + y", {F32(SHAPE(2, 700001, 2), .reversed = true), F32(SHAPE(2, 700001, 1))}, 2},
    {"atan2(x, y)", {F64(SHAPE(2, 1, 300007)), F64(SHAPE(1, 300007))}, 2},
    {"uint8(clamp(img * gain + 0.5, 0, 255))", {U8(SHAPE(3, 601, 500, 3)), F32(SHAPE(1, 3))}, 2},
    {"x // y + x % y", {I32(SHAPE(2, 900, 911)), I32(SHAPE(2, 1, 911))}, 2},
    {"return r0 = exp(x) * y + x, r1 = y * y - x",
     {F16(SHAPE(2, 1001, 1003)), BF16(SHAPE(1, 1003), .reversed = true)}, 2},
    {"return r0 = sqrt(x) ** y, r1 = y + 1, r2 = x", {F64(SHAPE(2, 401, 503)), F64(SHAPE(1, 503))}, 2},
    {"sin(x)+cos(x)+tan(x)+exp(x)+log(x)+sinh(x)+cosh(x)+tanh(x)+asin(x)+acos(x)+atan(x)",
     {F64(SHAPE(1, 100003))}, 1},
    {"exp(reshape(x * y, [911, 900])) + reshape(x, [1, 900])", {F32(SHAPE(2, 900, 1)), F32(SHAPE(1, 911))}, 2},
    {"x * 2", {F64(SHAPE(0, 0))}, 1},
    {"x * 2 + y", {F64(SHAPE(2, 0, 5)), F64(SHAPE(1, 5))}, 2},
};

enum { SAMPLES = sizeof samples / sizeof *samples, THREADS = 4, CALLERS = 6 };
static const int counts[THREADS] = {1, 2, 3, 8};

static void test_same_bits(void **state)
{
    (void)state;
    for (int s = 0; s < SAMPLES; s++) {
        struct job *first = NULL;
        for (int host = 0; host < 2; host++)
            for (int t = host; t < THREADS; t++) {
                if (first && !sample_chosen(sample_pair(s, t + THREADS * host, 2 * THREADS)))
                    continue;
                struct weft_context *context = job_context(counts[t], host);
                struct job *job = job_new(context, &samples[s]);
                enum weft_status status = job_run(job);
                if (status < 0 || (first && !job_same(first, job)))
                    fail_msg("%s: status %d, other bits on %d threads%s", samples[s].text, status,
                             counts[t], host ? " of the host" : "");
                assert_int_equal(status, samples[s].text[2] == '/' ? WEFT_DIVIDE_BY_ZERO : WEFT_OK);
                weft_program_destroy(job->program);
                weft_context_destroy(context);
                if (first)
                    job_free(job);
                else
                    first = job;
            }
        job_free(first);
    }
}

/* ---- how many ---- */

static struct weft_context *counted(atomic_int *count, const char *disable)
{
    struct weft_context_params params = {.threads = 3, .parallel_for = job_parallel_for,
                                         .parallel_user = count, .disable = disable};
    struct weft_context *context = NULL;
    assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_OK);
    return context;
}

/* Threads that a job of the sample is given, and those that its run asked the host for. */
static void count_threads(const struct sample *sample, const char *disable, int expected)
{
    atomic_int count = 0;
    struct weft_context *context = counted(&count, disable);
    struct job *job = job_new(context, sample);
    assert_int_equal(job_threads(job), expected);
    assert_int_equal(atomic_load(&count), 0);
    assert_true(job_run(job) >= 0);
    assert_int_equal(atomic_load(&count), expected > 1 ? expected : 0);
    weft_program_destroy(job->program);
    job_free(job);
    weft_context_destroy(context);
}

static void test_small_work_is_serial(void **state)
{
    (void)state;
    const char *heavy = "atan2(x, 2) + atan2(x, 3) + atan2(x, 4) + atan2(x, 5) + atan2(x, 6) + atan2(x, 7)"
                        " + atan2(x, 8) + atan2(x, 9) + hypot(x, 2)";
    const struct sample small = {"x + 1", {F32(SHAPE(1, 20000))}, 1};
    const struct sample one_tile = {heavy, {F64(SHAPE(1, 16384))}, 1};
    const struct sample two_tiles = {heavy, {F64(SHAPE(1, 16385))}, 1};
    const struct sample large = {"x + 1", {F32(SHAPE(1, 4000000))}, 1};
    count_threads(&small, NULL, 1);
    count_threads(&one_tile, NULL, 1);
    count_threads(&two_tiles, NULL, 2);
    count_threads(&large, NULL, 3);
    count_threads(&large, "threads", 1);
}

static void test_negative_is_refused(void **state)
{
    (void)state;
    struct weft_context_params params = {.threads = -1};
    struct weft_context *context = NULL;
    assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_INVALID_ARGUMENT);
    assert_null(context);
}

/* The caller's rounding holds on all threads: bits that depended on the thread would differ. */
static void test_caller_environment(void **state)
{
    (void)state;
    struct weft_context *context = job_context(3, false), *serial = job_context(1, false);
    const struct sample sample = {"x / 3", {F32(SHAPE(1, 3000000))}, 1};
    struct job *job = job_new(context, &sample), *other = job_new(serial, &sample);
    assert_int_equal(job_run(job), WEFT_OK); /* the threads come into being before */
    fesetround(FE_UPWARD);
    assert_int_equal(job_run(job), WEFT_OK);
    assert_int_equal(job_run(other), WEFT_OK);
    fesetround(FE_TONEAREST);
    assert_true(job_same(job, other));
    assert_int_equal(job_run(other), WEFT_OK);
    assert_false(job_same(job, other));
    weft_program_destroy(job->program);
    weft_program_destroy(other->program);
    job_free(job);
    job_free(other);
    weft_context_destroy(context);
    weft_context_destroy(serial);
}

/* ---- at once ---- */

struct caller {
    pthread_t thread;
    struct job *jobs[2];
    const struct job *expected[2];
    int runs;
    bool good;
};

static void *call(void *data)
{
    struct caller *caller = data;
    caller->good = true;
    for (int i = 0; i < caller->runs; i++)
        caller->good = caller->good && job_run(caller->jobs[i % 2]) >= 0 &&
                       job_same(caller->jobs[i % 2], caller->expected[i % 2]);
    return NULL;
}

static int runs(void)
{
    return (int)sample_setting("WEFT_RUNS", 12);
}

/* Two programs, run by several threads at once on buffers of their own, one of them with two shapes. */
static void run_at_once(bool host)
{
    const struct sample *both[2] = {&samples[0], &samples[6]};
    struct weft_context *context = job_context(3, host);
    struct caller callers[CALLERS];
    struct job *first[2];
    for (int s = 0; s < 2; s++) {
        first[s] = job_new(context, both[s]);
        assert_true(job_run(first[s]) >= 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (struct caller){.expected = {first[0], first[1]}, .runs = runs()};
        for (int s = 0; s < 2; s++)
            callers[i].jobs[s] = job_copy(first[s], both[s]);
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i].thread, NULL);
        assert_true(callers[i].good);
        job_free(callers[i].jobs[0]);
        job_free(callers[i].jobs[1]);
    }
    for (int s = 0; s < 2; s++) {
        weft_program_destroy(first[s]->program);
        job_free(first[s]);
    }
    weft_context_destroy(context);
}

static void test_many_callers(void **state)
{
    (void)state;
    run_at_once(false);
}

static void test_many_callers_host(void **state)
{
    (void)state;
    run_at_once(true);
}

/* First runs at once: one kernel for all, plans and records made side by side. */
static void test_first_runs(void **state)
{
    (void)state;
    struct weft_context *context = job_context(2, false);
    for (long turn = 0, turns = sample_number("3/2/3/3"); turn < turns; turn++) {
        struct job *first = job_new(context, &samples[0]);
        assert_true(job_run(first) >= 0);
        struct job source = {0};
        assert_int_equal(weft_compile(context, samples[0].text, NULL, &source.program, NULL), WEFT_OK);
        struct caller callers[CALLERS];
        for (int i = 0; i < CALLERS; i++) {
            callers[i] = (struct caller){.expected = {first, first}, .runs = runs() / 2};
            callers[i].jobs[0] = job_copy(&source, &samples[0]);
            callers[i].jobs[1] = job_copy(&source, &samples[0]);
        }
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&callers[i].thread, NULL, call, &callers[i]), 0);
        for (int i = 0; i < CALLERS; i++) {
            pthread_join(callers[i].thread, NULL);
            assert_true(callers[i].good);
            job_free(callers[i].jobs[0]);
            job_free(callers[i].jobs[1]);
        }
        weft_program_destroy(source.program);
        weft_program_destroy(first->program);
        job_free(first);
    }
    weft_context_destroy(context);
}

/* Many runs of one kernel until the good one has taken over from the first, where there is one. */
struct meanwhile {
    struct weft_program *program;
    atomic_bool stop, wrong;
};

static enum weft_status run_small(struct weft_program *program, bool prepare, float *out)
{
    float in[] = {1, 2, 3};
    int64_t n[] = {3};
    DLTensor x = {.data = in, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1}, .shape = n};
    DLTensor y = x;
    y.data = out;
    struct weft_argument input = {.tensors = &x}, output = {.tensors = &y};
    const struct weft_run_params params = {&input, 1, &output, 1, NULL};
    return prepare ? weft_prepare(program, &params, NULL, NULL, NULL) : weft_run(program, &params, NULL);
}

static void *run_meanwhile(void *data)
{
    struct meanwhile *meanwhile = data;
    while (!atomic_load(&meanwhile->stop)) {
        float out[3] = {0};
        if (run_small(meanwhile->program, false, out) != WEFT_OK || out[2] != 10)
            atomic_store(&meanwhile->wrong, true);
    }
    return NULL;
}

static void test_good_kernel_takes_over(void **state)
{
    (void)state;
    for (long turn = 0; turn < sample_setting("WEFT_TURNS", 5); turn++) {
        static const char *const no_flags[] = {NULL};
        const struct weft_context_params params = {.cflags = no_flags, .cache = "", .threads = 1};
        struct weft_context *context = NULL;
        struct meanwhile meanwhile = {.stop = false};
        pthread_t threads[CALLERS];
        float out[3];
        assert_int_equal(weft_context_create(&params, &context, NULL), WEFT_OK);
        assert_int_equal(weft_compile(context, "x * 3 + 1", NULL, &meanwhile.program, NULL), WEFT_OK);
        assert_int_equal(run_small(meanwhile.program, false, out), WEFT_OK);
        for (int i = 0; i < CALLERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, run_meanwhile, &meanwhile), 0);
        assert_int_equal(run_small(meanwhile.program, true, out), WEFT_OK);
        atomic_store(&meanwhile.stop, true);
        for (int i = 0; i < CALLERS; i++)
            pthread_join(threads[i], NULL);
        assert_false(atomic_load(&meanwhile.wrong));
        weft_program_destroy(meanwhile.program);
        weft_context_destroy(context);
    }
}

static void no_threads(void *user, int count, void (*task)(void *data, int index), void *data)
{
    (void)count, (void)task, (void)data;
    ++*(int *)user;
}

/* A parallel-for that does nothing, as a pool might that is shut down, leaves no result undone. */
static void test_host_that_does_nothing(void **state)
{
    (void)state;
    int calls = 0;
    const struct weft_context_params params = {.threads = 3, .parallel_for = no_threads,
                                               .parallel_user = &calls};
    struct weft_context *context = job_context(1, false), *other = NULL;
    struct job *expected = job_new(context, &samples[0]);
    assert_int_equal(weft_context_create(&params, &other, NULL), WEFT_OK);
    struct job *job = job_new(other, &samples[0]);
    assert_true(job_run(expected) >= 0 && job_run(job) >= 0);
    assert_true(calls > 0 && job_same(job, expected));
    weft_program_destroy(job->program);
    job_free(job);
    weft_program_destroy(expected->program);
    job_free(expected);
    weft_context_destroy(other);
    weft_context_destroy(context);
}

/* Inside a parallel region a run stays on its thread. */
static void test_parallel_region(void **state)
{
    (void)state;
#if defined _OPENMP && !defined __SANITIZE_THREAD__
    struct weft_context *context = job_context(4, false);
    struct job *first = job_new(context, &samples[0]), *jobs[3];
    assert_true(job_run(first) >= 0);
    assert_true(job_threads(first) > 1);
    int good = 0;
    for (int i = 0; i < 3; i++)
        jobs[i] = job_copy(first, &samples[0]);
#pragma omp parallel num_threads(3) reduction(+ : good)
    {
        struct job *job = jobs[omp_get_thread_num()];
        good += omp_get_num_threads() == 3 && job_threads(job) == 1 && job_run(job) >= 0 &&
                job_same(job, first);
    }
    assert_int_equal(good, 3);
    for (int i = 0; i < 3; i++)
        job_free(jobs[i]);
    weft_program_destroy(first->program);
    job_free(first);
    weft_context_destroy(context);
#else
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_small_work_is_serial),
        cmocka_unit_test(test_negative_is_refused),
        cmocka_unit_test(test_caller_environment),
        cmocka_unit_test(test_many_callers),
        cmocka_unit_test(test_many_callers_host),
        cmocka_unit_test(test_first_runs),
        cmocka_unit_test(test_good_kernel_takes_over),
        cmocka_unit_test(test_host_that_does_nothing),
        cmocka_unit_test(test_parallel_region),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
