/* The first kernel, from inside: libtcc's runs until the C compiler is done and has the same bits. The C
 * compiler is a script that waits for a file, the gate. */
#include "tests/unit/first_fixture.h"
#include "runtime/base/clock.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8 };

static const char *const exact[] = {
    "x + 1", "x * 2 - floor(x) // 3", "sqrt(x) + x ** 2", "int32(x) // 7 % 5", "uint8(x)", "x % 1.5",
    "where(x > 3, round(x), -x)", "fma(x, x, -x)", "uint64(x) * 3", "float64(uint64(int64(x))) / 3",
};

/* The pointer changes, the bits do not. */
static void test_takes_over(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_job(&job, script, WEFT_TIER_EXACT, "floor(x) // 3 + sqrt(x) * round(x) - x ** 2", WEFT_MATH_STRICT);
    float *first = malloc(LENGTH * sizeof *first);
    assert_int_equal(run(&job), WEFT_OK);
    memcpy(first, job.out, LENGTH * sizeof *first);
    struct loaded *kernel = loaded(&job);
    weft_kernel_fn *before = kernel->run;
    assert_false(kernel->final);
    assert_ptr_equal(*(void **)&before, kernel->first.entry);
    compiler();
    open_gate();
    struct weft_kernel_info info = prepare(&job);
    assert_int_equal(info.origin, WEFT_FROM_COMPILER);
    assert_true(info.first_seconds > 0 && info.seconds > 0 && info.seconds < clock_seconds());
    assert_true(kernel->final && kernel->handle);
    assert_true(kernel->run != before);
    memset(job.out, 0, LENGTH * sizeof(float));
    assert_int_equal(run(&job), WEFT_OK);
    assert_memory_equal(job.out, first, LENGTH * sizeof *first);
    assert_int_equal(prepare(&job).origin, WEFT_FROM_MEMORY);
    assert_int_equal(atomic_load(&compilations), 1);
    assert_int_equal(job.told.count, 0);
    free(first);
    close_job(&job);
}

/* Programs of one argument whose result may have any type: both compilers, byte for byte. */
static void compare(const char *text)
{
    struct task job[2];
    int64_t n[] = {LENGTH};
    void *out[2];
    for (int i = 0; i < 2; i++) {
        struct weft_tensor_info info;
        struct weft_error *error = NULL;
        open_job(&job[i], i ? "cc" : "libtcc", WEFT_TIER_NONE, text, WEFT_MATH_STRICT);
        DLTensor x = {.data = job[i].x, .device = {kDLCPU, 0}, .ndim = 1, .dtype = {kDLFloat, 32, 1},
                      .shape = n}, r = x;
        struct weft_argument input = {.tensors = &x}, output = {.tensors = &r};
        assert_int_equal(weft_infer(job[i].program, &input, 1, &info, NULL), WEFT_OK);
        r.dtype = weft_dtype_to_dlpack(info.dtype);
        r.data = out[i] = calloc(LENGTH, 8);
        const struct weft_run_params params = {&input, 1, &output, 1, NULL};
        assert_int_equal(weft_run(job[i].program, &params, &error), WEFT_OK);
        assert_null(error);
    }
    assert_int_equal(atomic_load(&compilations), 1);
    atomic_store(&compilations, 0);
    if (memcmp(out[0], out[1], LENGTH * 8) != 0)
        fail_msg("other bits: %s", text);
    for (int i = 0; i < 2; i++) {
        close_job(&job[i]);
        free(out[i]);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    need_module();
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        compare(exact[i]);
}

/* Numbers in the kernel's text have a point whatever the host's locale has. */
static void test_locale(void **state)
{
    (void)state;
    need_module();
    shell("localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1 || true", directory);
    setenv("LOCPATH", directory, 1);
    bool made = setlocale(LC_ALL, "de_DE.UTF-8");
    unsetenv("LOCPATH");
    if (!made)
        skip();
    assert_string_equal(localeconv()->decimal_point, ",");
    compare("x // 0.7");
    setlocale(LC_ALL, "C");
}

/* Who waits, and who does not. */
static void test_tiers(void **state)
{
    (void)state;
    need_module();
    static const struct {
        enum weft_tier tier;
        const char *text;
        enum weft_math math;
        bool first;
    } cases[] = {{WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT, true},
                 {WEFT_TIER_EXACT, "x + 1", WEFT_MATH_FAST, false},
                 {WEFT_TIER_EXACT, "exp(x)", WEFT_MATH_STRICT, false},
                 {WEFT_TIER_FAST, "exp(x)", WEFT_MATH_STRICT, true},
                 {WEFT_TIER_FAST, "x + 1", WEFT_MATH_FAST, true},
                 {WEFT_TIER_NONE, "x + 1", WEFT_MATH_STRICT, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct task job;
        atomic_store(&compilations, 0);
        if (!cases[i].first)
            open_gate();
        open_job(&job, script, cases[i].tier, cases[i].text, cases[i].math);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), cases[i].first);
        assert_int_equal(loaded(&job)->final, !cases[i].first);
        open_gate();
        struct weft_kernel_info info = prepare(&job);
        assert_int_equal(info.origin, WEFT_FROM_COMPILER);
        assert_int_equal(info.first_seconds > 0, cases[i].first);
        close_job(&job);
        unlink(gate);
    }
}

/* The user's flags may change bits. */
static void test_flags_wait(void **state)
{
    (void)state;
    need_module();
    static const char *const flags[] = {"-ffp-contract=fast", NULL};
    for (int i = 0; i < 2; i++) {
        struct task job;
        const struct weft_context_params params = {.cc = script, .cflags = flags, .cache = "",
                                                   .tier = i ? WEFT_TIER_FAST : WEFT_TIER_EXACT};
        open_gate();
        open_job(&job, script, WEFT_TIER_EXACT, "x * x + x", WEFT_MATH_STRICT);
        weft_program_destroy(job.program);
        weft_context_destroy(job.context);
        assert_int_equal(weft_context_create(&params, &job.context, NULL), WEFT_OK);
        assert_int_equal(weft_compile(job.context, "x * x + x", NULL, &job.program, NULL), WEFT_OK);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), i);
        close_job(&job);
    }
}

static void test_prepare_waits(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_gate();
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    struct weft_kernel_info info = prepare(&job);
    assert_int_equal(info.origin, WEFT_FROM_COMPILER);
    assert_true(info.first_seconds == 0);
    assert_int_equal(atomic_load(&compilations), 0);
    close_job(&job);
}

/* Runs with the first kernel are counted. Once they have taken as long as a compiler does, the next one waits. */
static void test_used_waits(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_job(&job, script, WEFT_TIER_EXACT, "x * 3 - 1", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    struct loaded *kernel = loaded(&job);
    const int64_t once = atomic_load(&kernel->used);
    assert_true(once > 0);
    assert_int_equal(run(&job), WEFT_OK);
    assert_true(atomic_load(&kernel->used) > once);
    assert_false(kernel->final);
    atomic_store(&kernel->used, INT64_C(1000000000));
    compiler();
    open_gate();
    assert_int_equal(run(&job), WEFT_OK);
    assert_true(kernel->final && kernel->handle);
    assert_int_equal(atomic_load(&kernel->used), 1000000000);
    close_job(&job);
}

/* How many C compilers were started. */
static int compilers(void)
{
    char line[32];
    int lines = 0;
    FILE *file = fopen(begun, "r");
    while (file && fgets(line, sizeof line, file))
        lines++;
    if (file)
        fclose(file);
    return lines;
}

static void await_final(const struct loaded *kernel)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < POLLS && !atomic_load(&kernel->final); i++)
        nanosleep(&pause, NULL);
    assert_true(atomic_load(&kernel->final));
}

/* Of the two kernels here one computes a single element. It gets no good kernel until its runs have cost something. */
static void test_edges_are_put_off(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_gate();
    open_job(&job, script, WEFT_TIER_EXACT, "offset(x, 1) + x", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    struct loaded *inside = loaded(&job), *edge = job.program->typed->plans.latest->kernels[1].loaded;
    assert_true(job.program->typed->plans.latest->kernel_count == 2 && inside != edge);
    await_final(inside);
    assert_false(inside->later);
    for (int i = 0; i < 3; i++)
        assert_int_equal(run(&job), WEFT_OK);
    assert_true(edge->later && !edge->final && atomic_load(&edge->used) > 0);
    assert_int_equal(compilers(), 1);
    kernels_count(job.context, edge, 1);
    assert_false(edge->later);
    await_final(edge);
    assert_int_equal(compilers(), 2);
    assert_int_equal(run(&job), WEFT_OK);
    assert_true(job.out[LENGTH - 1] == job.x[LENGTH - 1] && job.out[0] == job.x[0] + job.x[1]);
    close_job(&job);
}

/* weft_prepare wants all of them. */
static void test_prepare_puts_nothing_off(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_gate();
    open_job(&job, script, WEFT_TIER_EXACT, "offset(x, 1) + x", WEFT_MATH_STRICT);
    assert_int_equal(run(&job), WEFT_OK);
    prepare(&job);
    assert_int_equal(compilers(), 2);
    assert_true(job.program->typed->plans.latest->kernels[1].loaded->final);
    close_job(&job);
}

/* Where good kernels are worth a wait and there are no processors left to run first ones on, the first call waits. */
static void test_crowded(void **state)
{
    (void)state;
    need_module();
    struct task job;
    char text[256] = "a = max(x + 1)";
    const int kernels = workers_beside() + 1; /* each reduction one, or the subtraction */
    for (int i = 1; i < kernels - 1; i++)
        sprintf(text + strlen(text), "; %c = max(x - %c)", 'a' + i, 'a' + i - 1);
    sprintf(text + strlen(text), "; x %s %c", kernels > 1 ? "-" : "/", 'a' + (kernels > 1 ? kernels - 2 : 0));
    for (int crowded = 0; crowded < 2; crowded++) {
        atomic_store(&compilations, 0);
        open_gate();
        open_job(&job, script, WEFT_TIER_EXACT, text, WEFT_MATH_STRICT);
        /* as if the compiler took no time, or a minute */
        atomic_store(&job.context->compiled, crowded ? 1 : INT64_C(60000000000));
        assert_int_equal(run(&job), WEFT_OK);
        const struct plan *plan = job.program->typed->plans.latest;
        assert_true(plan->kernel_count >= kernels);
        int waits = 0;             /* kernels that compute something */
        for (int k = 0; k < plan->kernel_count; k++) {
            waits += plan->kernels[k].first > 0;
            assert_true(!crowded || plan->kernels[k].loaded->final || plan->kernels[k].first == 0);
        }
        assert_true(waits >= kernels);
        if (crowded)
            assert_true(atomic_load(&compilations) <= plan->kernel_count - waits);
        else
            assert_true(atomic_load(&compilations) > 0);
        close_job(&job);
    }
}

/* Joining elements as they lie in memory is the library's work, so libtcc's kernel is as fast and nothing is worth a
 * wait, however many there are. */
static void test_library_joins(void **state)
{
    (void)state;
    need_module();
    struct task job;
    atomic_store(&compilations, 0);
    open_gate();
    open_job(&job, script, WEFT_TIER_EXACT, "x - max(x) + min(x)", WEFT_MATH_STRICT);
    atomic_store(&job.context->compiled, 1); /* as if the compiler took no time */
    assert_int_equal(run(&job), WEFT_OK);
    const struct plan *plan = job.program->typed->plans.latest;
    assert_true(plan->kernel_count >= 2);
    for (int k = 0; k < plan->kernel_count; k++)
        assert_true(plan->kernels[k].kernel->lanes ? plan->kernels[k].first == 0 : plan->kernels[k].first > 0);
    assert_true(atomic_load(&compilations) >= 2);
    close_job(&job);
}

static void *run_in_thread(void *job)
{
    return run(job) == WEFT_OK ? job : NULL;
}

/* First calls at once: libtcc compiles once, and the C compiler too. */
static void test_many_threads(void **state)
{
    (void)state;
    need_module();
    struct task job, jobs[THREADS];
    pthread_t threads[THREADS];
    void *good;
    open_job(&job, script, WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = job;
        jobs[i].out = calloc(LENGTH, sizeof(float));
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
        assert_true(jobs[i].out[LENGTH - 1] == job.x[LENGTH - 1] + 1);
        free(jobs[i].out);
    }
    assert_int_equal(atomic_load(&compilations), 1);
    open_gate();
    prepare(&job);
    assert_int_equal(compilers(), 1);
    close_job(&job);
}

/* A kernel on disk is as quick to get, and better. */
static void test_disk_first(void **state)
{
    (void)state;
    need_module();
    setenv("WEFT_CACHE", directory, 1);
    for (int i = 0; i < 2; i++) {
        struct task job;
        open_job(&job, "cc", WEFT_TIER_EXACT, "x + 1", WEFT_MATH_STRICT);
        weft_program_destroy(job.program);
        weft_context_destroy(job.context);
        const struct weft_context_params params = {.cc = "cc", .cflags = no_flags};
        assert_int_equal(weft_context_create(&params, &job.context, NULL), WEFT_OK);
        assert_int_equal(weft_compile(job.context, "x + 1", NULL, &job.program, NULL), WEFT_OK);
        assert_int_equal(run(&job), WEFT_OK);
        assert_int_equal(atomic_load(&compilations), 1);
        assert_int_equal(prepare(&job).origin, i ? WEFT_FROM_DISK : WEFT_FROM_COMPILER);
        close_job(&job);
    }
    unsetenv("WEFT_CACHE");
}

/* A program with a cache where none can be: a file. */
static void job_without_cache(struct task *job, enum weft_tier tier,
                              void (*log)(void *user, const struct weft_error *record), void *user)
{
    open_job(job, script, tier, "x + 1", WEFT_MATH_STRICT);
    weft_program_destroy(job->program);
    weft_context_destroy(job->context);
    const struct weft_context_params params = {.cc = script, .cflags = no_flags, .cache = script,
                                               .disable = "", .tier = tier, .log = log, .user = user};
    assert_int_equal(weft_context_create(&params, &job->context, NULL), WEFT_OK);
    assert_int_equal(weft_compile(job->context, "x + 1", NULL, &job->program, NULL), WEFT_OK);
}

/* What happens in the background is told in the thread of a later call, the end of the context being the
 * last, and errno is the caller's. */
static void test_log_waits_for_a_call(void **state)
{
    (void)state;
    need_module();
    const struct timespec pause = {.tv_nsec = 1000000};
    open_gate();
    for (int destroy = 0; destroy < 2; destroy++) {
        struct task job;
        job_without_cache(&job, WEFT_TIER_EXACT, on_log, &job.told);
        assert_int_equal(run(&job), WEFT_OK);
        for (int i = 0; i < POLLS && !loaded(&job)->final; i++)
            nanosleep(&pause, NULL);
        assert_true(loaded(&job)->final);
        assert_int_equal(job.told.count, 0);
        errno = 0;
        if (!destroy)
            assert_int_equal(run(&job), WEFT_OK);
        else
            close_job(&job);
        assert_int_equal(errno, 0);
        assert_int_equal(job.told.count, 1);
        assert_int_equal(job.told.last, 94);
        assert_true(pthread_equal(job.told.thread, pthread_self()));
        if (!destroy)
            close_job(&job);
    }
}

static void on_log_run(void *user, const struct weft_error *record)
{
    struct task *job = user;
    on_log(&job->told, record);
    assert_int_equal(run(job), WEFT_OK);
}

/* A log that uses what it is told about. */
static void test_log_runs(void **state)
{
    (void)state;
    need_module();
    struct task job;
    open_gate();
    alarm(100);
    job_without_cache(&job, WEFT_TIER_NONE, on_log_run, &job);
    assert_int_equal(run(&job), WEFT_OK);
    assert_int_equal(job.told.count, 1);
    alarm(0);
    close_job(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_takes_over),
        TEST(test_same_bits),
        TEST(test_locale),
        TEST(test_tiers),
        TEST(test_flags_wait),
        TEST(test_prepare_waits),
        TEST(test_used_waits),
        TEST(test_edges_are_put_off),
        TEST(test_prepare_puts_nothing_off),
        TEST(test_crowded),
        TEST(test_library_joins),
        TEST(test_many_threads),
        TEST(test_disk_first),
        TEST(test_log_waits_for_a_call),
        TEST(test_log_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
