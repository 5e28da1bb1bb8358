/* The library's threads: who comes, who is waited for, forks, threads that cannot be had. The files themselves,
 * without a library around them. */
#include "runtime/base/pool.h"
#include "runtime/base/threads.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

enum { CALLERS = 6, TURNS = 300, TILES = 64 };

static struct threads three;

/* ---- pthread_create as the pool calls it: refused, or of threads that begin late ---- */

static atomic_bool refused, held;

struct start {
    void *(*begin)(void *);
    void *argument;
};

static void *begin_late(void *start_)
{
    struct start start = *(struct start *)start_;
    test_free(start_);
    while (atomic_load(&held))
        usleep(100);
    return start.begin(start.argument);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*begin)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*begin)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*begin)(void *), void *argument)
{
    if (atomic_load(&refused))
        return EAGAIN;
    if (!atomic_load(&held))
        return __real_pthread_create(thread, attr, begin, argument);
    struct start *start = test_malloc(sizeof *start);
    *start = (struct start){begin, argument};
    return __real_pthread_create(thread, attr, begin_late, start);
}

/* ---- tasks ---- */

/* What a run's threads do: the caller waits until `expected` have come. */
struct meeting {
    int expected;
    atomic_int calls, indices;
};

static void meet(void *data, int index)
{
    struct meeting *meeting = data;
    atomic_fetch_or(&meeting->indices, 1 << index);
    atomic_fetch_add(&meeting->calls, 1);
    while (index == 0 && atomic_load(&meeting->calls) < meeting->expected)
        usleep(100);
    if (index == 0)
        usleep(1000); /* for one too many */
}

static void expect_threads(int wanted, int expected)
{
    struct meeting meeting = {.expected = expected};
    threads_run(&three, wanted, wanted, meet, &meeting);
    assert_int_equal(atomic_load(&meeting.calls), expected);
    assert_int_equal(atomic_load(&meeting.indices), (1 << expected) - 1);
}

static void test_as_many_as_wanted(void **state)
{
    (void)state;
    expect_threads(1, 1);
    expect_threads(2, 2);
    expect_threads(3, 3);
    expect_threads(9, 3);
}

/* ---- runs at once ---- */

static pthread_barrier_t inside, done;

static void hold(void *data, int index)
{
    (void)data;
    if (index == 0) {
        pthread_barrier_wait(&inside);
        pthread_barrier_wait(&done);
    }
}

static void *first_run(void *wanted)
{
    threads_run(&three, *(int *)wanted, 9, hold, NULL);
    return NULL;
}

/* A run for 3 threads of 3 while another has `taken` of them. */
static void run_beside(int taken, int expected)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, first_run, &taken), 0);
    pthread_barrier_wait(&inside);
    expect_threads(3, expected);
    pthread_barrier_wait(&done);
    pthread_join(thread, NULL);
}

static void test_threads_are_shared(void **state)
{
    (void)state;
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    run_beside(3, 1);
    run_beside(2, 1);
    expect_threads(3, 3);
    pthread_barrier_destroy(&inside);
    pthread_barrier_destroy(&done);
}

/* Tiles that whoever comes counts. */
struct tally {
    atomic_int next;
    int done[TILES];
};

static void count_tiles(void *data, int index)
{
    struct tally *tally = data;
    (void)index;
    for (int tile; (tile = atomic_fetch_add(&tally->next, 1)) < TILES;)
        tally->done[tile]++;
}

static bool all_counted(void)
{
    struct tally tally = {.next = 0};
    threads_run(&three, 3, 9, count_tiles, &tally);
    bool good = true;
    for (int i = 0; i < TILES; i++)
        good = good && tally.done[i] == 1;
    return good;
}

static void *call_often(void *good)
{
    for (int i = 0; i < TURNS; i++)
        *(bool *)good = all_counted() && *(bool *)good;
    return NULL;
}

static void test_many_callers(void **state)
{
    (void)state;
    pthread_t callers[CALLERS];
    bool good[CALLERS];
    for (int i = 0; i < CALLERS; i++) {
        good[i] = true;
        assert_int_equal(pthread_create(&callers[i], NULL, call_often, &good[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++) {
        pthread_join(callers[i], NULL);
        assert_true(good[i]);
    }
}

/* ---- workers that stand still ---- */

static cpu_set_t whole, seen;
static atomic_bool begun;

/* Sleeps, so that it looks as if the thread had lost its processor, until somebody binds it to one. */
static void stand_still(void)
{
    atomic_store(&begun, true);
    CPU_ZERO(&seen);
    for (int i = 0; i < 10000 && CPU_COUNT(&seen) != 1; i++) {
        usleep(1000);
        sched_getaffinity(0, sizeof seen, &seen);
    }
}

static void worker_stands_still(void *data, int index)
{
    (void)data;
    if (index > 0)
        stand_still();
    while (index == 0 && !atomic_load(&begun))
        usleep(100);
}

/* Whether all threads of the process may use all of its processors. */
static bool all_free(void)
{
    bool all = true;
    DIR *tasks = opendir("/proc/self/task");
    assert_non_null(tasks);
    for (struct dirent *task; (task = readdir(tasks));) {
        cpu_set_t set;
        int id = atoi(task->d_name);
        all = all && (id == 0 || sched_getaffinity(id, sizeof set, &set) != 0 || CPU_EQUAL(&set, &whole));
    }
    closedir(tasks);
    return all;
}

/* A worker that stands still is brought to its caller's processor, and may run anywhere afterwards. */
static void test_worker_is_brought(void **state)
{
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof whole, &whole), 0);
    atomic_store(&begun, false);
    threads_run(&three, 2, 9, worker_stands_still, NULL);
    assert_int_equal(CPU_COUNT(&seen), 1);
    while (!all_free())
        usleep(1000); /* the test's time is limited */
}

static void caller_stands_still(void *data, int index)
{
    (void)data;
    while (index == 0 && !atomic_load(&begun))
        usleep(100);
    atomic_store(&begun, true);
    if (index == 0)
        stand_still();
}

static void test_caller_is_brought(void **state)
{
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof whole, &whole), 0);
    atomic_store(&begun, false);
    threads_run(&three, 2, 9, caller_stands_still, NULL);
    assert_int_equal(CPU_COUNT(&seen), 1);
    sched_getaffinity(0, sizeof seen, &seen);
    assert_true(CPU_EQUAL(&seen, &whole));
}

/* ---- children ---- */

static bool in_child(bool (*function)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        alarm(100);
        _exit(function() ? 0 : 1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool run_in_child(void)
{
    struct threads inherited = three;
    threads_init(&three, &(struct weft_context_params){.threads = 3}, NULL);
    struct meeting meeting = {.expected = 3};
    threads_run(&three, 3, 9, meet, &meeting);
    return threads_most(&inherited) == 1 && threads_most(&three) == 3 && atomic_load(&meeting.calls) == 3;
}

static void test_child(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip(); /* it gives up on threads after a fork */
#endif
    assert_true(in_child(run_in_child));
    expect_threads(3, 3);
}

/* Forks at any time, also while workers join and leave. */
static void test_forks_while_running(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    pthread_t caller;
    bool good = true;
    assert_int_equal(pthread_create(&caller, NULL, call_often, &good), 0);
    for (int i = 0; i < 20; i++)
        assert_true(in_child(run_in_child));
    pthread_join(caller, NULL);
    assert_true(good);
}

/* ---- threads that cannot be had; in children, whose pools are empty ---- */

static bool run_refused(void)
{
    threads_init(&three, &(struct weft_context_params){.threads = 3}, NULL);
    atomic_store(&refused, true);
    bool good = all_counted();
    atomic_store(&refused, false);
    usleep(1100000); /* it is not asked for again at once */
    struct meeting meeting = {.expected = 3};
    threads_run(&three, 3, 9, meet, &meeting);
    return good && atomic_load(&meeting.calls) == 3;
}

static bool run_held(void)
{
    threads_init(&three, &(struct weft_context_params){.threads = 3}, NULL);
    atomic_store(&held, true);
    bool good = all_counted() && all_counted();
    atomic_store(&held, false);
    return good;
}

static void test_refused(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    assert_true(in_child(run_refused));
}

/* The caller does not wait for threads that do not come. */
static void test_late(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();
#endif
    assert_true(in_child(run_held));
}

/* ---- how many ---- */

static int most_of(int threads, const char *openmp)
{
    struct threads own;
    threads_init(&own, &(struct weft_context_params){.threads = threads}, openmp);
    return threads_most(&own);
}

static void test_settings(void **state)
{
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof whole, &whole), 0);
    assert_int_equal(most_of(0, "5"), 5);
    assert_int_equal(most_of(0, "4,2"), 4);
    assert_int_equal(most_of(3, "5"), 3);
    assert_int_equal(most_of(0, "-5"), CPU_COUNT(&whole));
    assert_int_equal(most_of(0, "99999999999"), CPU_COUNT(&whole));
    assert_int_equal(most_of(0, "many"), CPU_COUNT(&whole));
    assert_int_equal(most_of(0, NULL), CPU_COUNT(&whole));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_many_as_wanted),
        cmocka_unit_test(test_threads_are_shared),
        cmocka_unit_test(test_many_callers),
        cmocka_unit_test(test_worker_is_brought),
        cmocka_unit_test(test_caller_is_brought),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_forks_while_running),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_settings),
    };
    threads_init(&three, &(struct weft_context_params){.threads = 3}, NULL);
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
