/* The background threads of contexts, and what forks and the end of the process mean for them; see
 * worker.h. */
#include "runtime/kernels/kernels.h"

#include <signal.h>

/* ---- all contexts of the process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t contexts_mutex = PTHREAD_MUTEX_INITIALIZER; /* taken before a context's */
static struct weft_context *contexts;
static bool cancelled; /* no context starts a compiler any more */

static void before_fork(void)
{
    pthread_mutex_lock(&contexts_mutex);
    for (struct weft_context *context = contexts; context; context = context->next)
        pthread_mutex_lock(&context->mutex), pthread_mutex_lock(&context->log.mutex);
    loads_stop();
}

static void go_on(bool child)
{
    loads_resume(child);
    for (struct weft_context *context = contexts; context; context = context->next)
        pthread_mutex_unlock(&context->log.mutex), pthread_mutex_unlock(&context->mutex);
    pthread_mutex_unlock(&contexts_mutex);
}

static void after_fork(void)
{
    go_on(false);
}

/* The locks of a context besides `mutex`, the log's and NVRTC's. */
static void init_locks(struct weft_context *context)
{
    pthread_mutex_init(&context->cc_mutex, NULL);
    pthread_mutex_init(&context->cuda.mutex, NULL);
    pthread_mutex_init(&context->remarks.mutex, NULL);
    pthread_mutex_init(&context->running.mutex, NULL);
    pthread_cond_init(&context->changed, NULL);
    pthread_cond_init(&context->worker.wake, NULL);
}

/* The child has no other thread, and the compilers in progress belong to the parent. */
static void in_child(void)
{
    for (struct weft_context *context = contexts; context; context = context->next) {
        init_locks(context);
        pthread_mutex_init(&context->nvrtc.mutex, NULL);
        context->running.first = NULL;
        context->worker.count = context->worker.idle = 0;
        atomic_store(&context->worker.jobs, 0);
        for (const struct loaded *job = context->worker.first; job; job = job->next_job)
            atomic_fetch_add(&context->worker.jobs, 1);
        kernels_abandon(context);
    }
    go_on(true);
}

static void prepare_process(void)
{
    pthread_atfork(before_fork, after_fork, in_child);
}

/* At the end of the process, or when the library is unloaded, ends the threads and compilers of
 * contexts that were never destroyed. */
__attribute__((destructor)) static void finish_process(void)
{
    for (;;) {
        pthread_mutex_lock(&contexts_mutex);
        struct weft_context *context = contexts;
        if (context)
            contexts = context->next;
        pthread_mutex_unlock(&contexts_mutex);
        if (!context)
            return;
        worker_finish(context);
    }
}

/* ---- the threads of one context ---- */

static void *work(void *context_)
{
    struct weft_context *context = context_;
    struct worker *worker = &context->worker;
    pthread_mutex_lock(&context->mutex);
    while (!worker->stop) {
        struct loaded *job = worker->first;
        if (job) {
            worker->first = job->next_job;
            kernels_work(context, job);
            atomic_fetch_sub(&worker->jobs, 1);
        } else {
            worker->idle++;
            pthread_cond_wait(&worker->wake, &context->mutex);
            worker->idle--;
        }
    }
    pthread_mutex_unlock(&context->mutex);
    return NULL;
}

int workers_beside(void)
{
    const int others = processors(true) - 1;
    return others < MAX_WORKERS ? others : MAX_WORKERS;
}

/* How many threads a context may have. The one that calls compiles, too, or runs. */
static int most_workers(void)
{
    const int beside = workers_beside();
    return beside < 1 ? 1 : beside;
}

int workers_busy(const struct weft_context *context)
{
    const int jobs = atomic_load(&context->worker.jobs), most = most_workers();
    return jobs < most ? jobs : most;
}

static void start(struct weft_context *context)
{
    struct worker *worker = &context->worker;
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0)
        return;
    worker->count += pthread_create(&worker->threads[worker->count], NULL, work, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void worker_init(struct weft_context *context)
{
    pthread_once(&once, prepare_process);
    init_locks(context);
    pthread_mutex_lock(&contexts_mutex);
    context->running.cancelled = cancelled;
    context->next = contexts;
    contexts = context;
    pthread_mutex_unlock(&contexts_mutex);
}

static void forget(const struct weft_context *context)
{
    pthread_mutex_lock(&contexts_mutex);
    struct weft_context **at = &contexts;
    while (*at && *at != context)
        at = &(*at)->next;
    if (*at)
        *at = context->next;
    pthread_mutex_unlock(&contexts_mutex);
}

void worker_finish(struct weft_context *context)
{
    cc_cancel(&context->running); /* first: workers_cancel may be called meanwhile */
    forget(context);
    pthread_mutex_lock(&context->mutex);
    context->worker.stop = true;
    pthread_cond_broadcast(&context->worker.wake);
    const int count = context->worker.count;
    context->worker.count = 0;
    pthread_mutex_unlock(&context->mutex);
    for (int i = 0; i < count; i++)
        pthread_join(context->worker.threads[i], NULL);
}

void workers_cancel(void)
{
    pthread_mutex_lock(&contexts_mutex);
    cancelled = true;
    for (struct weft_context *context = contexts; context; context = context->next)
        cc_cancel(&context->running);
    pthread_mutex_unlock(&contexts_mutex);
}

void worker_requeue(struct weft_context *context, struct loaded *loaded)
{
    struct loaded **at = &context->worker.first;
    while (*at)
        at = &(*at)->next_job;
    *at = loaded;
    loaded->next_job = NULL;
    atomic_fetch_add(&context->worker.jobs, 1);
}

void worker_add(struct weft_context *context, struct loaded *loaded)
{
    int jobs = 0;
    worker_requeue(context, loaded);
    for (const struct loaded *job = context->worker.first; job; job = job->next_job)
        jobs++;
    if (jobs > context->worker.idle && context->worker.count < most_workers())
        start(context);
    pthread_cond_signal(&context->worker.wake);
}

void worker_wake(struct weft_context *context)
{
    pthread_mutex_lock(&context->mutex);
    if (context->worker.first && !context->worker.count)
        start(context);
    pthread_mutex_unlock(&context->mutex);
}

void worker_remove(struct weft_context *context, struct loaded *loaded)
{
    struct loaded **at = &context->worker.first;
    while (*at && *at != loaded)
        at = &(*at)->next_job;
    if (!*at)
        return;
    *at = loaded->next_job;
    atomic_fetch_sub(&context->worker.jobs, 1);
}
