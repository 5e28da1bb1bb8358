/* The thread of a context that makes good kernels while first ones run. It is started by the first job,
 * blocks all signals, and is a thread of this process alone: a child after fork starts its own. */
#ifndef WEFT_WORKER_H
#define WEFT_WORKER_H

#include <pthread.h>
#include <stdbool.h>

struct weft_context;
struct loaded;

struct worker {
    pthread_t thread;
    pthread_cond_t wake;
    bool running, stop;
    struct loaded *first;          /* jobs, in order; linked by next_job */
};

/* Takes part in the list of contexts that a fork and the end of the process go through. */
void worker_init(struct weft_context *context);
/* Ends the thread and the compiler it runs. Returns in milliseconds; no kernel comes any more. */
void worker_finish(struct weft_context *context);

/* The context's mutex is held for these. Adds a job; without a thread it stays undone. */
void worker_add(struct weft_context *context, struct loaded *loaded);
/* Puts back a job that the parent's thread had begun; starts nothing. */
void worker_requeue(struct weft_context *context, struct loaded *loaded);
/* Removes a job that nobody has begun, if it is there. */
void worker_remove(struct weft_context *context, struct loaded *loaded);

/* Starts the thread that is missing after a fork, when there are jobs. Without the mutex. */
void worker_wake(struct weft_context *context);

#endif
