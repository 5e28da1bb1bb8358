/* OpenMP's threads, or the host's, for runs; see threads.h. OpenMP makes a team for each thread
 * that calls it, and knows nothing of other callers' teams. So this file counts the threads at
 * work in the whole process. */
#include "runtime/base/threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* Threads inside threads_run, callers included. */
static atomic_int working;

/* Forks between the process that loaded the library and this one. OpenMP's threads do not survive
 * a fork, and libgomp would wait for them forever. */
static atomic_uint forks;

static void after_fork(void)
{
    atomic_fetch_add(&forks, 1);
    atomic_store(&working, 0);
}

/* The library is linked to stay loaded (-z nodelete), so neither this handler nor the code that
 * OpenMP's idle threads spin in can go away. If no handler can be installed, forks go unnoticed;
 * so the process is treated as if it had forked. */
static void watch_forks(void)
{
    if (pthread_atfork(NULL, NULL, after_fork) != 0)
        after_fork();
}

void threads_init(struct threads *threads, const struct weft_context_params *params)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    *threads = (struct threads){params->threads, params->parallel_for, params->parallel_user,
                                atomic_load(&forks)};
}

/* After a fork the host's threads may be gone too, unless the context was made after the fork. */
static int host_most(const struct threads *threads)
{
    if (threads->forks != atomic_load(&forks))
        return 1;
    long processors = threads->most ? threads->most : sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : (int)processors;
}

#ifdef _OPENMP

static int openmp_most(const struct threads *threads)
{
    return atomic_load(&forks) || omp_in_parallel() ? 1
           : threads->most                          ? threads->most
                                                    : omp_get_max_threads();
}

/* Takes up to `wanted` threads of `most`, and always at least the calling one. Returns how many. */
static int borrow(int wanted, int most)
{
    int before = atomic_load(&working), taken;
    do {
        int left = most - before;
        taken = left < 1 ? 1 : left < wanted ? left : wanted;
    } while (!atomic_compare_exchange_weak(&working, &before, before + taken));
    return taken;
}

static void openmp_run(const struct threads *threads, int count,
                       void (*task)(void *data, int index), void *data)
{
    int taken = borrow(count, openmp_most(threads));
    if (taken == 1)
        task(data, 0);
    else {
#pragma omp parallel num_threads(taken)
        task(data, omp_get_thread_num());
    }
    atomic_fetch_sub(&working, taken);
}

#else

static int openmp_most(const struct threads *threads)
{
    (void)threads;
    return 1;
}

static void openmp_run(const struct threads *threads, int count,
                       void (*task)(void *data, int index), void *data)
{
    (void)threads, (void)count;
    task(data, 0);
}

#endif

int threads_most(const struct threads *threads)
{
    return threads->most == 1 ? 1
           : threads->parallel_for ? host_most(threads) : openmp_most(threads);
}

void threads_run(const struct threads *threads, int count, void (*task)(void *data, int index),
                 void *data)
{
    if (count == 1)
        task(data, 0);
    else if (threads->parallel_for)
        threads->parallel_for(threads->user, count, task, data);
    else
        openmp_run(threads, count, task, data);
}
