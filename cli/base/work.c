/* See work.h. Tasks are started in order, and every task that was started is finished. So the failure with the lowest
 * index is always among those that happened. */
#include "cli/base/work.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 16, CALM = 300, PACE = 100 }; /* milliseconds until and between lines */

struct crew {
    const struct work *work;
    struct report *report;
    atomic_int next, done;
    atomic_bool stopped;
    pthread_mutex_t mutex; /* of the failure */
    int failed;            /* the lowest index that failed, -1: none */
    struct report failure; /* how; its stream is closed */
    char *text;            /* what it said */
    char **told;           /* [count] what tasks said that were left out; NULL: none can be */
    int left_status;       /* the highest of theirs */
    bool progress;
    double shown; /* when the line was last drawn, in milliseconds; before that, when work began */
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

/* Takes `text`. */
static void keep_left(struct crew *crew, int index, const struct report *report, char *text)
{
    pthread_mutex_lock(&crew->mutex);
    crew->told[index] = text;
    crew->left_status = report->status > crew->left_status ? report->status : crew->left_status;
    pthread_mutex_unlock(&crew->mutex);
}

/* Takes `text`. */
static void keep_failure(struct crew *crew, int index, const struct report *report, char *text)
{
    pthread_mutex_lock(&crew->mutex);
    if (crew->failed < 0 || index < crew->failed) {
        free(crew->text);
        crew->failed = index;
        crew->failure = *report;
        crew->text = text;
    } else {
        free(text);
    }
    pthread_mutex_unlock(&crew->mutex);
}

static void do_task(struct crew *crew, int index)
{
    struct pool pool = {NULL};
    struct report report = *crew->report;
    char *text = NULL;
    size_t length = 0;
    report.pool = &pool;
    FILE *stream = open_memstream(&text, &length);
    report.stream = stream ? stream : crew->report->stream;
    bool done = crew->work->task(&report, crew->work->user, index);
    if (stream)
        fclose(stream);
    const bool left = !done && crew->told && crew->work->left[index];
    if (done)
        free(text);
    else if (left)
        keep_left(crew, index, &report, text);
    else
        keep_failure(crew, index, &report, text);
    pool_finish(&pool);
    atomic_fetch_add(&crew->done, 1);
    if (!done && !left)
        atomic_store(&crew->stopped, true);
}

static bool next_task(struct crew *crew)
{
    const int count = crew->work->count;
    int index = atomic_load(&crew->stopped) ? count : atomic_fetch_add(&crew->next, 1);
    if (index < count)
        do_task(crew, index);
    return index < count;
}

static void *help(void *user)
{
    while (next_task(user))
        continue;
    return NULL;
}

static void show_progress(struct crew *crew, bool *drawn)
{
    double time = now();
    if (!crew->progress || time - crew->shown < (*drawn ? PACE : CALM))
        return;
    fprintf(stderr, "\r%s %d of %d", crew->work->verb, atomic_load(&crew->done), crew->work->count);
    fflush(stderr);
    crew->shown = time;
    *drawn = true;
}

/* The calling thread's share of the work. Only this thread draws. */
static void lead(struct crew *crew)
{
    bool drawn = false;
    while (next_task(crew))
        show_progress(crew, &drawn);
    if (drawn)
        fputs("\r\033[K", stderr);
}

int work_threads(int threads, int most)
{
    const char *asked = getenv("OMP_NUM_THREADS");
    long processors = sysconf(_SC_NPROCESSORS_ONLN), wanted = asked ? strtol(asked, NULL, 10) : 0;
    long count = threads ? threads : wanted > 0 ? wanted : processors;
    count = count > MOST_THREADS ? MOST_THREADS : count;
    return (int)(count > most ? most : count);
}

/* What those said that were left out, in their order. */
static void tell_left(struct crew *crew)
{
    struct report *report = crew->report;
    for (int i = 0; crew->told && i < crew->work->count; i++) {
        fputs(crew->told[i] ? crew->told[i] : "", report->stream);
        free(crew->told[i]);
    }
    report->status = crew->left_status > report->status ? crew->left_status : report->status;
}

bool work_do(struct report *report, const struct work *work)
{
    struct crew crew = {.work = work, .report = report, .failed = -1};
    pthread_t threads[MOST_THREADS];
    int started = 0, wanted = work_threads(work->threads, work->count) - 1;
    crew.progress = work->count > 1 && !report->quiet && isatty(STDERR_FILENO);
    crew.shown = now();
    crew.told = work->left ? POOL_ARRAY(report->pool, char *, work->count + 1) : NULL;
    pthread_mutex_init(&crew.mutex, NULL);
    while (started < wanted && pthread_create(&threads[started], NULL, help, &crew) == 0)
        started++; /* if a thread cannot be created, fewer will do */
    lead(&crew);
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&crew.mutex);
    tell_left(&crew);
    if (crew.failed >= 0) {
        fputs(crew.text ? crew.text : "", report->stream);
        report->status =
            crew.failure.status > report->status ? crew.failure.status : report->status;
    }
    free(crew.text);
    return crew.failed < 0;
}
