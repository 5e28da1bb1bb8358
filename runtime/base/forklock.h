/* The lock around dlopen and its like: a fork waits, so that the child does not inherit the loader's lock. */
#ifndef WEFT_FORKLOCK_H
#define WEFT_FORKLOCK_H

#include <stdbool.h>

void load_begin(void);
void load_end(void);

/* Around a fork, by the thread that forks (kernels/worker.c). No other thread has come along into the `child`. */
void loads_stop(void);
void loads_resume(bool child);

#endif
