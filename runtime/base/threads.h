/* Threads of the process, lent to runs: OpenMP's, or the host's through its own parallel-for. */
#ifndef WEFT_THREADS_H
#define WEFT_THREADS_H

#include "include/weft/weft.h"

/* What a context was told about threads. Never changes once made. */
struct threads {
    int most;                      /* that a run may use; 0: OpenMP's own choice */
    void (*parallel_for)(void *user, int count, void (*task)(void *data, int index), void *data);
    void *user;
    unsigned forks;                /* forks before the context was made, as this process counts */
};

void threads_init(struct threads *threads, const struct weft_context_params *params);
/* How many threads a run may use if it starts now, the calling one included: 1 inside a parallel
 * region of OpenMP, after a fork, or where there is no OpenMP. */
int threads_most(const struct threads *threads);
/* Calls task(data, i), each on a thread of its own, for some i of 0 .. count - 1, at least for one;
 * returns when all are done. They are fewer than `count` when other runs of the process are using the
 * threads: together they do not use more than there are, but for the calling threads. */
void threads_run(const struct threads *threads, int count, void (*task)(void *data, int index),
                 void *data);

#endif
