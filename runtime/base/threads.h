/* Threads for runs: the library's own, or the host's through its own parallel-for. */
#ifndef WEFT_RUNTIME_BASE_THREADS_H
#define WEFT_RUNTIME_BASE_THREADS_H

#include "include/weft/weft.h"

/* The thread settings of a context. They never change once made. */
struct threads {
    int most;                      /* threads that a run may use */
    void (*parallel_for)(void *user, int count, void (*task)(void *data, int index), void *data);
    void *user;
    unsigned forks;                /* this process's count of forks when the context was made */
};

/* `openmp` is the environment's OMP_NUM_THREADS, or NULL. */
/* How many processors the machine has; `allowed`: of those on which the calling thread may run. */
int processors(bool allowed);

void threads_init(struct threads *threads, const struct weft_context_params *params, const char *openmp);
/* How many threads a run may use if it starts now, the calling one included. It is 1 after a fork, except in contexts
 * made since then, and inside a parallel region of OpenMP. */
int threads_most(const struct threads *threads);
/* Calls task(data, i) for some of i = 0 .. count - 1, at least one, each on a thread of its own, and returns when all
 * are done. They are fewer than `count` if other runs of the process use the threads or the machine is busy: all runs
 * together use no more than there are, except that the calling thread always takes part. `wake` of them are worth
 * waking where they sleep. */
void threads_run(const struct threads *threads, int count, int wake, void (*task)(void *data, int index), void *data);

#endif
