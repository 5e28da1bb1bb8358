/* What runs at once take of the process's threads: the file itself, without a library around it. */
#include "runtime/base/threads.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <cmocka.h>

#ifdef _OPENMP
#include <omp.h>
#endif

static struct threads three;
static atomic_int calls, indices;

static void count(void *data, int index)
{
    (void)data;
    atomic_fetch_add(&calls, 1);
    atomic_fetch_or(&indices, 1 << index);
}

static void run_counted(int wanted)
{
    atomic_store(&calls, 0);
    atomic_store(&indices, 0);
    threads_run(&three, wanted, count, NULL);
}

#if defined _OPENMP && !defined __SANITIZE_THREAD__

/* Two runs meet: the first waits inside its task until the second is done. */
static pthread_barrier_t inside, done;

static void meet(void *data, int index)
{
    (void)data;
    if (index == 0) {
        pthread_barrier_wait(&inside);
        pthread_barrier_wait(&done);
    }
}

static void *first_run(void *wanted)
{
    threads_run(&three, *(int *)wanted, meet, NULL);
    return NULL;
}

/* A run for 3 threads of 3 while another has `taken` of them. */
static void run_beside(int taken, int expected)
{
    pthread_t thread;
    pthread_create(&thread, NULL, first_run, &taken);
    pthread_barrier_wait(&inside);
    run_counted(3);
    assert_int_equal(atomic_load(&calls), expected);
    assert_int_equal(atomic_load(&indices), (1 << expected) - 1);
    pthread_barrier_wait(&done);
    pthread_join(thread, NULL);
}

static void test_threads_are_shared(void **state)
{
    (void)state;
    omp_set_dynamic(0);
    pthread_barrier_init(&inside, NULL, 2);
    pthread_barrier_init(&done, NULL, 2);
    run_beside(3, 1);
    run_beside(2, 1);
    run_counted(3);
    assert_int_equal(atomic_load(&calls), 3);
    pthread_barrier_destroy(&inside);
    pthread_barrier_destroy(&done);
}

#else

static void test_threads_are_shared(void **state)
{
    (void)state;
    skip();
}

#endif

static void test_one_is_the_caller(void **state)
{
    (void)state;
    run_counted(1);
    assert_int_equal(atomic_load(&calls), 1);
    assert_int_equal(atomic_load(&indices), 1);
}

/* OMP_NUM_THREADS, as set for this test. */
static void test_openmp_decides(void **state)
{
    (void)state;
    struct threads own;
    threads_init(&own, &(struct weft_context_params){0});
#ifdef _OPENMP
    assert_int_equal(threads_most(&own), 5);
    omp_set_num_threads(2);
    assert_int_equal(threads_most(&own), 2);
#else
    assert_int_equal(threads_most(&own), 1);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_the_caller),
        cmocka_unit_test(test_threads_are_shared),
        cmocka_unit_test(test_openmp_decides),
    };
    threads_init(&three, &(struct weft_context_params){.threads = 3});
    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
