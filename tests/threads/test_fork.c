/* Forked children: they compute and end. A child that hangs, because it waits for its parent's threads, is ended by its
 * alarm. */
#include "tests/threads/job.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { SECONDS = 100 };

static const struct sample sample = {
    "exp(x) + y", {{.dtype = WEFT_FLOAT32, .rank = 1, .shape = {2000000}},
                   {.dtype = WEFT_FLOAT32, .rank = 1, .shape = {2000000}}}, 2};

/* Runs `function` in a child; true when it returned true there. */
static bool in_child(bool (*function)(void *), void *data)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        _exit(function(data) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct inherited {
    struct job *job;
    const struct job *expected;
};

static bool run_inherited(void *data)
{
    struct inherited *inherited = data;
    return job_threads(inherited->job) == 1 && job_run(inherited->job) == WEFT_OK &&
           job_same(inherited->job, inherited->expected);
}

static bool run_grandchild(void *data)
{
    return run_inherited(data) && in_child(run_inherited, data);
}

/* The parent's program, after the parent has run it on threads. */
static void inherit(bool host)
{
    struct weft_context *context = job_context(3, host);
    struct job *expected = job_new(context, &sample);
    assert_int_equal(job_threads(expected), 3);
    assert_int_equal(job_run(expected), WEFT_OK);
    struct inherited inherited = {job_copy(expected, &sample), expected};
    assert_true(in_child(run_grandchild, &inherited));
    assert_int_equal(job_threads(expected), 3);
    assert_int_equal(job_run(inherited.job), WEFT_OK);
    assert_true(job_same(inherited.job, expected));
    job_free(inherited.job);
    weft_program_destroy(expected->program);
    job_free(expected);
    weft_context_destroy(context);
}

static void test_child_inherits(void **state)
{
    (void)state;
    inherit(false);
}

static void test_child_of_host_threads(void **state)
{
    (void)state;
    inherit(true);
}

/* A context of the child's own may use threads that the host makes there. */
static bool run_own(void *data)
{
    const struct job *expected = data;
    atomic_int count = 0;
    struct weft_context *context = NULL;
    const struct weft_context_params params = {.threads = 2, .parallel_for = job_parallel_for,
                                               .parallel_user = &count};
    if (weft_context_create(&params, &context, NULL) != WEFT_OK)
        return false;
    struct job *job = job_new(context, &sample);
    return job_run(job) == WEFT_OK && job_same(job, expected) && atomic_load(&count) == 2;
}

static atomic_bool stop;

static void *run_on(void *data)
{
    while (!atomic_load(&stop))
        job_run(data);
    return NULL;
}

/* Forks while another thread runs, again and again. */
static void test_fork_while_running(void **state)
{
    (void)state;
    struct weft_context *context = job_context(3, false);
    struct job *expected = job_new(context, &sample), *busy = job_copy(expected, &sample);
    pthread_t thread;
    assert_int_equal(job_run(expected), WEFT_OK);
    assert_int_equal(pthread_create(&thread, NULL, run_on, busy), 0);
    for (int i = 0; i < 5; i++)
        assert_true(in_child(run_own, expected));
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    weft_program_destroy(expected->program);
    job_free(expected);
    job_free(busy);
    weft_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_child_inherits),
        cmocka_unit_test(test_child_of_host_threads),
        cmocka_unit_test(test_fork_while_running),
    };
    return cmocka_run_group_tests_name("fork", tests, NULL, NULL);
}
