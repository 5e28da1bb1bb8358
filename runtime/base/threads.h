/* Threads for runs: OpenMP's, or the host's through its own parallel-for. */
#ifndef WEFT_RUNTIME_BASE_THREADS_H
#define WEFT_RUNTIME_BASE_THREADS_H

#include "include/weft/weft.h"

/* The thread settings of a context. They never change once made. */
struct threads {
    int most;                      /* threads that a run may use; 0: as many as OpenMP has */
    void (*parallel_for)(void *user, int count, void (*task)(void *data, int index), void *data);
    void *user;
    unsigned forks;                /* this process's count of forks when the context was made */
};

/* How many threads a run may use if it starts now, the calling one included. With OpenMP's
 * threads it is 1 inside a parallel region and after a fork. With the host's it is 1 after a
 * fork, except in contexts made since then. Without either it is 1. */
void threads_init(struct threads *threads, const struct weft_context_params *params);
/* How many threads a run may use if it starts now, the calling one included. It is 1 inside a
 * parallel region of OpenMP, after a fork, and without OpenMP. */
int threads_most(const struct threads *threads);
/* Calls task(data, i) for some of i = 0 .. count - 1, at least one, each on a thread of its own,
 * and returns when all are done. OpenMP runs fewer than `count` if other runs of the process are
 * using its threads: all of them together use no more than there are, except that the calling
 * thread always takes part. */
void threads_run(const struct threads *threads, int count, void (*task)(void *data, int index),
                 void *data);

#endif
