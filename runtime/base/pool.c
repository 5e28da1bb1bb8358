/* The process's threads for runs; see pool.h. Each call is a crew. It is open from its beginning until its own task
 * returns, and workers join it when they get a processor. So on a busy machine nobody waits for a worker that has
 * none and has begun nothing. Where a thread has begun and then loses its processor, others that have nothing left to
 * do hand theirs over, since the system would give it back only after milliseconds. */
#include "runtime/base/pool.h"

#include "runtime/base/clock.h"
#include "runtime/base/processor.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

/* Seconds. Nobody spins longer than waking a sleeping thread takes. A thread that has had less than `lost` of the
 * processor within `patience` does not have one. */
static const double handover = 50e-6, patience = 20e-6, lost = 5e-6, retry = 1;
enum { LOOKS = 3, SERIES = 4 /* calls */, NAP = 200000 /* ns */ };

/* It lies on its caller's stack. Others touch it with the mutex held, and until it has ended. */
struct crew {
    const struct pool_call *call;
    int count, joined;             /* threads that may take part, and that do or did */
    int processor;                 /* the caller's, when it began */
    struct runner caller;
    bool brought;                  /* the caller, to a worker's processor */
    atomic_int inside;             /* workers that have not returned */
    pthread_cond_t left;           /* signalled when the last of them has */
    struct crew *next;
};

struct worker {
    struct runner runner;
    struct crew *crew;             /* that it is in; NULL: none */
    bool brought;                  /* to its crew's caller's processor */
    _Atomic(struct crew *) watched; /* that it has left and that has not ended; NULL: none */
    bool soon;                     /* the last call came within a handover */
    struct worker *next;
};

static struct {
    pthread_mutex_t mutex;         /* of everything but atomics; no lock is taken after it */
    pthread_cond_t wanted;
    atomic_uint calls;             /* counts crews that were opened */
    atomic_int processor;          /* the last caller's */
    struct crew *open;             /* that more may join */
    struct worker *workers;
    int count;                     /* of them */
    int working;                   /* threads that all crews may have, callers included */
    int spinning, sleeping;        /* workers that wait for a crew */
    int series;                    /* calls that each came within a handover of the last one */
    double ended, refused;         /* when a call ended last, and when the system refused a thread */
    bool stopped, unwatched;       /* at the end of the process; where forks would go unnoticed */
} pool = {.mutex = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP, .wanted = PTHREAD_COND_INITIALIZER, .refused = -1};

static atomic_uint forks;

/* ---- forks and the end ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.mutex);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.mutex);
}

static void free_workers(struct worker *worker)
{
    for (struct worker *next; worker; worker = next) {
        next = worker->next;
        free(worker);
    }
}

/* The child has no workers, and crews of the parent's other threads are none of its business. */
static void in_child(void)
{
    free_workers(pool.workers);
    pool.workers = NULL;
    pool.open = NULL;
    pool.count = pool.working = pool.spinning = pool.sleeping = 0;
    pthread_mutex_init(&pool.mutex, NULL);
    pthread_cond_init(&pool.wanted, NULL);
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    pool.unwatched = pthread_atfork(before_fork, after_fork, in_child) != 0;
}

unsigned pool_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    return atomic_load(&forks);
}

/* At the end of the process, or when the library is unloaded. Workers that are at work then, for a thread that the
 * process leaves behind, are left behind, too. */
__attribute__((destructor)) static void finish(void)
{
    pthread_mutex_lock(&pool.mutex);
    struct worker *workers = pool.working ? NULL : pool.workers;
    pool.workers = workers ? NULL : pool.workers;
    pool.stopped = true;
    pthread_cond_broadcast(&pool.wanted);
    pthread_mutex_unlock(&pool.mutex);
    for (struct worker *worker = workers; worker; worker = worker->next)
        pthread_join(worker->runner.thread, NULL);
    free_workers(workers);
}

/* ---- workers ---- */

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static void close_crew(struct crew *crew)
{
    struct crew **at = &pool.open;
    while (*at && *at != crew)
        at = &(*at)->next;
    if (*at)
        *at = crew->next;
}

/* A busy system may wake a worker on the processor that its caller is using. It goes elsewhere before it joins: nobody
 * waits for it until it is there. */
static void leave_caller(struct worker *self)
{
    int processor = pool.open->processor;
    if (sched_getcpu() != processor)
        return;
    pthread_mutex_unlock(&pool.mutex);
    runner_bind(&self->runner, processor, true);
    pthread_mutex_lock(&pool.mutex);
}

static void spin_while(const struct worker *self, const struct crew *watched)
{
    for (double end = clock_seconds() + patience; clock_seconds() < end && atomic_load(&self->watched) == watched;)
        for (int i = 0; i < 16 && atomic_load(&self->watched) == watched; i++)
            pause_briefly();
}

/* The worker has nothing left to do, and the caller may have lost its processor meanwhile. It gets the worker's. */
static void watch_caller(struct worker *self, struct crew *crew)
{
    if (crew->brought)
        return;
    atomic_store(&self->watched, crew);
    for (int look = 0; look < LOOKS; look++) {
        pthread_mutex_unlock(&pool.mutex);
        spin_while(self, crew);
        pthread_mutex_lock(&pool.mutex);
        if (atomic_load(&self->watched) != crew)
            return;
        if (runner_look(&crew->caller) < lost && look > 0) {
            crew->brought = runner_bind(&crew->caller, sched_getcpu(), false);
            self->soon = false;
            break;
        }
    }
    atomic_store(&self->watched, NULL);
}

static void join_crew(struct worker *self)
{
    struct crew *crew = pool.open;
    int index = crew->joined++;
    if (crew->joined == crew->count)
        close_crew(crew);
    self->crew = crew;
    self->brought = false;
    atomic_fetch_add(&crew->inside, 1);
    pthread_mutex_unlock(&pool.mutex);
    crew->call->task(crew->call->data, index);
    pthread_mutex_lock(&pool.mutex);
    self->crew = NULL;
    if (atomic_fetch_sub(&crew->inside, 1) == 1)
        pthread_cond_signal(&crew->left);
    watch_caller(self, crew);
}

static void spin(void)
{
    unsigned calls = atomic_load(&pool.calls);
    pool.spinning++;
    pthread_mutex_unlock(&pool.mutex);
    for (double end = clock_seconds() + handover;
         clock_seconds() < end && atomic_load(&pool.calls) == calls && sched_getcpu() != atomic_load(&pool.processor);)
        for (int i = 0; i < 16 && atomic_load(&pool.calls) == calls; i++)
            pause_briefly();
    pthread_mutex_lock(&pool.mutex);
    pool.spinning--;
}

/* Waits for a crew. Where calls come in a row it stays awake: waking up takes longer than the call, often. */
static void wait_for_crew(struct worker *self)
{
    double start = clock_seconds();
    if (self->soon)
        spin();
    if (!pool.open && !pool.stopped) {
        pool.sleeping++;
        pthread_cond_wait(&pool.wanted, &pool.mutex);
        pool.sleeping--;
    }
    self->soon = clock_seconds() - start < 2 * handover;
}

static void *work(void *self_)
{
    struct worker *self = self_;
    pthread_mutex_lock(&pool.mutex);
    runner_init(&self->runner);
    while (!pool.stopped) {
        if (pool.open)
            leave_caller(self);
        if (pool.open)
            join_crew(self);
        runner_unbind(&self->runner);
        if (!pool.open)
            wait_for_crew(self);
    }
    pthread_mutex_unlock(&pool.mutex);
    return NULL;
}

/* Returns whether there is one worker more. It blocks all signals. */
static bool start_worker(void)
{
    sigset_t all, before;
    struct worker *worker = calloc(1, sizeof *worker);
    sigfillset(&all);
    if (!worker || pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return free(worker), false;
    bool started = pthread_create(&worker->runner.thread, NULL, work, worker) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!started)
        return free(worker), false;
    worker->next = pool.workers;
    pool.workers = worker;
    pool.count++;
    return true;
}

/* Starts what is missing to `count` workers. If the system refuses one it is not asked again for a while. */
static void start_workers(int count, double now)
{
    if (pool.stopped || (pool.refused >= 0 && now < pool.refused + retry))
        return;
    while (pool.count < count && start_worker())
        ;
    pool.refused = pool.count < count ? now : -1;
}

/* ---- calls ---- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

/* Of the threads that no other call has, as many as may take part and are worth it. In a series of calls all are: the
 * next one finds them awake. */
static int take(const struct pool_call *call, double now)
{
    int left = call->most - pool.working;
    pool.series = now < pool.ended + handover ? pool.series + (pool.series < SERIES) : 0;
    int worth = pool.series == SERIES ? call->count : 1 + larger(call->wake, pool.spinning);
    return left <= 1 || pool.unwatched ? 1 : smaller(left, smaller(worth, call->count));
}

/* Returns how many sleeping workers are to be woken. */
static int open_crew(struct crew *crew)
{
    double now = clock_seconds();
    crew->count = take(crew->call, now);
    pool.working += crew->count;
    if (crew->count == 1)
        return 0;
    start_workers(pool.working - 1, now);
    struct crew **end = &pool.open;
    while (*end)
        end = &(*end)->next;
    *end = crew;
    return smaller(crew->count - 1 - pool.spinning, pool.sleeping);
}

/* Spins until the crew's workers have returned, but not for long. */
static void watch(const struct crew *crew)
{
    for (double end = clock_seconds() + patience; clock_seconds() < end && atomic_load(&crew->inside);)
        for (int i = 0; i < 16 && atomic_load(&crew->inside); i++)
            pause_briefly();
}

static void sleep_for_crew(struct crew *crew)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += NAP;
    if (until.tv_nsec >= 1000000000)
        until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_cond_timedwait(&crew->left, &pool.mutex, &until);
}

/* A worker that has lost its processor goes on on that of the caller, who waits for it and has nothing else to do.
 * Returns whether there is any. */
static bool bring(const struct crew *crew, bool first)
{
    bool any = false;
    for (struct worker *worker = pool.workers; worker; worker = worker->next) {
        if (worker->crew != crew || worker->brought)
            continue;
        bool stalls = runner_look(&worker->runner) < lost && !first;
        worker->brought = stalls && runner_bind(&worker->runner, sched_getcpu(), false);
        any = any || worker->brought;
    }
    return any;
}

/* Waits awake at first: mostly that is all. */
static void wait_for_workers(struct crew *crew)
{
    bool asleep = false;
    for (int look = 0; atomic_load(&crew->inside); look++) {
        if (asleep) {
            sleep_for_crew(crew);
        } else {
            pthread_mutex_unlock(&pool.mutex);
            watch(crew);
            pthread_mutex_lock(&pool.mutex);
        }
        asleep = bring(crew, look == 0) || asleep || look == LOOKS;
    }
}

static void end_crew(const struct crew *crew)
{
    pool.working -= crew->count;
    pool.ended = clock_seconds();
    for (struct worker *worker = pool.workers; crew->count > 1 && worker; worker = worker->next)
        if (atomic_load(&worker->watched) == crew)
            atomic_store(&worker->watched, NULL);
}

void pool_run(const struct pool_call *call)
{
    struct crew crew = {.call = call, .joined = 1, .processor = sched_getcpu(), .left = PTHREAD_COND_INITIALIZER};
    runner_init(&crew.caller);
    atomic_store(&pool.processor, crew.processor);
    pthread_mutex_lock(&pool.mutex);
    int wake = open_crew(&crew);
    pthread_mutex_unlock(&pool.mutex);
    atomic_fetch_add(&pool.calls, 1); /* spinning workers want the mutex now */
    while (wake-- > 0)
        pthread_cond_signal(&pool.wanted);
    call->task(call->data, 0);
    pthread_mutex_lock(&pool.mutex);
    close_crew(&crew);
    wait_for_workers(&crew);
    end_crew(&crew);
    pthread_mutex_unlock(&pool.mutex);
    runner_unbind(&crew.caller);
    pthread_cond_destroy(&crew.left);
}
