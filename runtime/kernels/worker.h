/* A context's background threads, which make good kernels while first ones run, and kernels of a program side by side
 * where a call waits for all of them. Jobs start them, up to one fewer than there are processors. They block all
 * signals. They do not survive a fork; the child starts its own. */
#ifndef WEFT_RUNTIME_KERNELS_WORKER_H
#define WEFT_RUNTIME_KERNELS_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct weft_context;
struct loaded;

enum { MAX_WORKERS = 8 };          /* a compiler takes some 50 MB */

struct worker {
    pthread_t threads[MAX_WORKERS];
    int count, idle;               /* threads that were started; those that wait for a job */
    pthread_cond_t wake;
    bool stop;
    struct loaded *first;          /* the queue of jobs, linked by next_job */
    atomic_int jobs;               /* in the queue or in progress */
};

/* How many jobs can go side by side, each on a processor that the calling thread does not need; 0: there is only its
 * own. */
int workers_beside(void);
/* How many are in progress, or will be in a moment. */
int workers_busy(const struct weft_context *context);

/* Makes the context's locks, and adds it to the list that forks and the end of the process go through. */
void worker_init(struct weft_context *context);
/* Ends the threads and kills the compilers that they wait for. Takes milliseconds; the remaining jobs
 * are not done. */
void worker_finish(struct weft_context *context);

/* Kills the compilers of all contexts; no further one is started, also by contexts to come. */
void workers_cancel(void);

/* The context's mutex must be held for these three. Adds a job and starts a thread if needed. If
 * none can be started, the job remains in the queue. */
void worker_add(struct weft_context *context, struct loaded *loaded);
/* Puts a job back that the parent's thread had begun, without starting a thread. */
void worker_requeue(struct weft_context *context, struct loaded *loaded);
/* Removes a job that has not begun, if it is in the queue. */
void worker_remove(struct weft_context *context, struct loaded *loaded);

/* Starts a thread if there are jobs and none is running, as after a fork. The mutex must not be
 * held. */
void worker_wake(struct weft_context *context);

#endif
